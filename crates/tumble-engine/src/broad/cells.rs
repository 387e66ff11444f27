//! Neighbouring cells: a grid of cells as large as the largest reach, 2 r_max + skin; each grain looks in its own cell
//! and the 26 around it. Linear in the number of grains (Hockney & Eastwood 1981, section 8.4).
//!
//! Every grain looks all around and keeps the partners that belong to its row, so that each row is written where it is
//! found, in parallel. Looking at half the neighbours would halve the looking, but pairs would have to be handed over to
//! the row they belong to in a second pass.
//!
//! Right for any sizes; slow when one grain is much larger than most, since its size is that of the cells.

use super::{Balls, BroadPhaseWorkspace, Candidates, CellGrid, TooManyPairs, within_reach};

pub(super) fn find(
    balls: &Balls,
    skin: f64,
    workspace: &mut BroadPhaseWorkspace,
    candidates: &mut Candidates,
) -> Result<(), TooManyPairs> {
    workspace.grids.resize_with(workspace.grids.len().max(1), CellGrid::default);
    workspace.members.resize_with(workspace.members.len().max(1), Vec::new);
    let (grid, members) = (&mut workspace.grids[0], &mut workspace.members[0]);
    members.clear();
    members.extend((0..balls.positions.len() as u32).filter(|&i| balls.positions[i as usize].is_finite()));
    grid.fill(balls, members, 2.0 * balls.largest_radius() + skin);

    let n_owned = balls.n_owned as u32;
    workspace.rows.collect(balls.n_owned, candidates, |a, partners| {
        let (x_a, r_a) = (balls.positions[a as usize], balls.radii[a as usize]);
        if !x_a.is_finite() {
            return;
        }
        grid.around(x_a, |b| {
            // One branch that is seldom taken, rather than two of which the first is a coin toss.
            if (b.index > a) & within_reach(x_a, r_a, b.position, b.radius, skin)
                && (b.index < n_owned || balls.belongs_to_row(a, b.index))
            {
                partners.push(b.index);
            }
        });
    })
}
