//! Broad phases: from positions to pairs that might touch.

use glam::DVec3;

/// How candidate pairs are found. All give the same pairs, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BroadPhase {
    /// Chooses one of the others from the number and the sizes of the grains.
    #[default]
    Auto,
    /// Every pair: the reference that the others are tested against.
    AllPairs,
    /// A grid of cells as large as the largest grain.
    Cells,
    /// Grids of several cell sizes, for wide size ranges.
    MultilevelCells,
    /// Sorted intervals along the widest axis.
    SweepAndPrune,
}

/// The bounding balls to pair up: owned grains first, ghosts (periodic images) after them.
#[derive(Clone, Copy, Debug)]
pub struct Balls<'a> {
    /// Centres [m], owned and ghosts.
    pub positions: &'a [DVec3],
    /// Radii [m], owned and ghosts.
    pub radii: &'a [f64],
    /// For each ghost the index of the owned grain it is an image of; ghost g stands at `n_owned + g`.
    pub ghost_owner: &'a [u32],
}

impl Balls<'_> {
    /// How many are owned.
    pub fn n_owned(&self) -> usize {
        self.positions.len() - self.ghost_owner.len()
    }
}

/// Candidate pairs: for each owned grain a, its partners in ascending order.
///
/// Partner b is either an owned grain with b > a, or a ghost whose owner is > a; so that each pair of grains stands
/// here once, under the one with the smaller index. A grain is never paired with its own image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Partners of a are `partner[start[a] as usize..start[a + 1] as usize]`.
    pub start: Vec<u32>,
    /// All partners.
    pub partner: Vec<u32>,
}

/// Finds all pairs whose bounding balls are at most `skin` apart: |x_b - x_a| <= r_a + r_b + skin.
pub fn find_candidates(_phase: BroadPhase, _balls: &Balls, _skin: f64) -> Candidates {
    Candidates::default()
}
