//! Hierarchical grid: one grid of cells for each size class, for grains of very different sizes.
//!
//! With D = 2 r + skin for a grain, level k holds the grains of D_max / 2^(k+1) < D <= D_max / 2^k in cells of edge
//! D_max / 2^k. Each grain looks in its own level and in the coarser ones, 27 cells in each: the reach to a grain of a
//! coarser level, r_a + r_b + skin, is at most that level's edge. So each pair of different levels is found once, by the
//! smaller grain, and a large grain never has to look through the many small cells that it covers
//! (Ogarko & Luding 2012; Krijgsman, Ogarko & Luding 2014).
//!
//! Cost goes as N times the number of levels in use, whatever the size ratio. The finest of the `LEVELS` holds all that
//! is smaller still; size ratios beyond 2^LEVELS are right but slow.

use super::{Balls, BroadPhaseWorkspace, Candidates, CellGrid, TooManyPairs, within_reach};

/// Number of size classes: size ratios up to 16 million.
const LEVELS: usize = 24;

pub(super) fn find(
    balls: &Balls,
    skin: f64,
    workspace: &mut BroadPhaseWorkspace,
    candidates: &mut Candidates,
) -> Result<(), TooManyPairs> {
    let coarsest_edge = 2.0 * balls.largest_radius() + skin;
    let edges: [f64; LEVELS] = std::array::from_fn(|level| coarsest_edge / (1u32 << level) as f64);
    workspace.grids.resize_with(LEVELS, CellGrid::default);
    workspace.members.resize_with(LEVELS, Vec::new);
    let (grids, members) = (&mut workspace.grids, &mut workspace.members);
    members.iter_mut().for_each(Vec::clear);
    for (index, (position, radius)) in balls.positions.iter().zip(balls.radii).enumerate() {
        if position.is_finite() {
            members[level_of(2.0 * radius + skin, &edges)].push(index as u32);
        }
    }
    for level in 0..LEVELS {
        if !members[level].is_empty() {
            grids[level].fill(balls, &members[level], edges[level]);
        }
    }

    // Coarser levels first, so that a level is searched by itself and all that follow.
    let used: Vec<usize> = (0..LEVELS).filter(|&level| !members[level].is_empty()).collect();
    workspace.pairs.collect(balls.positions.len(), balls, candidates, |i, pairs| {
        let (x_i, r_i, i) = (balls.positions[i], balls.radii[i], i as u32);
        if !x_i.is_finite() {
            return;
        }
        let own = level_of(2.0 * r_i + skin, &edges);
        for &level in used.iter().take_while(|&&level| level <= own) {
            grids[level].around(x_i, |j| {
                if !within_reach(x_i, r_i, j.position, j.radius, skin) {
                    return;
                }
                if balls.belongs_to_row(i, j.index) {
                    pairs.push([i, j.index]);
                } else if level < own && balls.belongs_to_row(j.index, i) {
                    // In the same level the other grain finds the pair itself.
                    pairs.push([j.index, i]);
                }
            });
        }
    })
}

/// The finest level whose cells are at least as large as a reach.
fn level_of(reach: f64, edges: &[f64; LEVELS]) -> usize {
    let mut level = 0;
    while level + 1 < LEVELS && (reach <= edges[level + 1] || reach.is_nan()) {
        level += 1;
    }
    level
}
