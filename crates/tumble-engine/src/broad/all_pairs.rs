//! Every pair, the reference that the other phases are tested against: N (N - 1) / 2 distance tests. It fails at
//! nothing, but 100,000 grains are five thousand million tests.

use super::candidates::RowBlocks;
use super::{Balls, Candidates, TooManyPairs, within_reach};

pub(super) fn find(
    balls: &Balls,
    skin: f64,
    rows: &mut RowBlocks,
    candidates: &mut Candidates,
) -> Result<(), TooManyPairs> {
    rows.collect(balls.n_owned, candidates, |a, partners| {
        let (x_a, r_a) = (balls.positions[a as usize], balls.radii[a as usize]);
        let later = a as usize + 1..balls.positions.len();
        partners.extend(later.map(|b| b as u32).filter(|&b| {
            balls.belongs_to_row(a, b)
                && within_reach(x_a, r_a, balls.positions[b as usize], balls.radii[b as usize], skin)
        }));
    })
}
