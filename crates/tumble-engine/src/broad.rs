//! Broad phases: from positions to pairs that might touch.
//!
//! Every phase asks the same question of every pair that it looks at, `within_reach`, and differs only in which pairs
//! it looks at. The answer is therefore the same, bit for bit and in the same order, whichever phase is used and on
//! however many threads: work is cut into blocks of a fixed size that are put together in order.
//!
//! Positions that are not finite pair with nothing.

mod all_pairs;
mod candidates;
mod cell_grid;
mod cells;
mod multilevel_cells;
mod spatial_order;
mod sweep_and_prune;
#[cfg(test)]
mod tests;

pub use candidates::{Candidates, TooManyPairs};
pub use spatial_order::spatial_order;

use candidates::{PairBlocks, RowBlocks};
use cell_grid::CellGrid;
use glam::DVec3;
use sweep_and_prune::Interval;

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

/// The bounding balls to pair up: owned grains first, ghosts (images of grains) after them.
#[derive(Clone, Copy, Debug)]
pub struct Balls<'a> {
    /// Centres [m], owned and ghosts.
    pub positions: &'a [DVec3],
    /// Radii [m], owned and ghosts.
    pub radii: &'a [f64],
    /// Ids of the grains, owned and ghosts; a ghost has that of the grain it is an image of.
    pub ids: &'a [u32],
    /// How many are owned.
    pub n_owned: usize,
}

impl Balls<'_> {
    /// Whether b belongs in the row of a: see [`Candidates`].
    #[inline]
    fn belongs_to_row(&self, a: u32, b: u32) -> bool {
        let (i, j) = (a as usize, b as usize);
        i < self.n_owned && if j < self.n_owned { j > i } else { self.ids[j] > self.ids[i] }
    }

    /// Largest radius [m]; 0 when there are no balls.
    fn largest_radius(&self) -> f64 {
        self.radii.iter().fold(0.0, |largest: f64, &radius| largest.max(radius))
    }
}

/// The question that all phases ask: |x_b - x_a| <= r_a + r_b + skin, without the root. It is symmetric in a and b to
/// the last bit, and false where a position is not finite.
#[inline]
fn within_reach(x_a: DVec3, r_a: f64, x_b: DVec3, r_b: f64, skin: f64) -> bool {
    let reach = r_a + r_b + skin;
    (x_b - x_a).length_squared() <= reach * reach
}

/// Memory that broad phases use.
#[derive(Debug, Default)]
pub struct BroadPhaseWorkspace {
    rows: RowBlocks,
    pairs: PairBlocks,
    grids: Vec<CellGrid>,
    members: Vec<Vec<u32>>,
    intervals: Vec<Interval>,
}

impl BroadPhaseWorkspace {
    /// Finds all pairs whose bounding balls are at most `skin` (>= 0) apart: |x_b - x_a| <= r_a + r_b + skin.
    pub fn find_candidates(
        &mut self,
        phase: BroadPhase,
        balls: &Balls,
        skin: f64,
        candidates: &mut Candidates,
    ) -> Result<(), TooManyPairs> {
        let phase = if phase == BroadPhase::Auto { choose(balls, skin) } else { phase };
        match phase {
            BroadPhase::AllPairs => all_pairs::find(balls, skin, &mut self.rows, candidates),
            BroadPhase::Auto | BroadPhase::Cells => cells::find(balls, skin, self, candidates),
            BroadPhase::MultilevelCells => multilevel_cells::find(balls, skin, self, candidates),
            BroadPhase::SweepAndPrune => sweep_and_prune::find(balls, skin, self, candidates),
        }
    }
}

/// Finds all pairs whose bounding balls are at most `skin` (>= 0) apart: |x_b - x_a| <= r_a + r_b + skin.
///
/// For repeated searches keep a [`BroadPhaseWorkspace`].
pub fn find_candidates(phase: BroadPhase, balls: &Balls, skin: f64) -> Result<Candidates, TooManyPairs> {
    let mut candidates = Candidates::default();
    BroadPhaseWorkspace::default().find_candidates(phase, balls, skin, &mut candidates)?;
    Ok(candidates)
}

/// Fewer balls than this are compared each with each: the grid would cost more than it saves.
const FEW_BALLS: usize = 64;

/// Cells as large as the largest grain hold this many times more grains than cells that fit each grain would, before
/// several levels pay. Measured on packings with sizes spread evenly on a logarithmic scale: at a ratio of 6 (sizes over
/// a factor of 10) one level is still faster, from 11 to 20 (factors of 50 to 1000) the two are about even, and beyond
/// that one level only gets worse.
const CROWDING_WORTH_LEVELS: f64 = 10.0;

/// The phase that [`BroadPhase::Auto`] stands for.
///
/// In a packing the number of grains in a cell goes as the volume of the cell over the mean volume that a grain takes.
/// The ratio (2 r_max + skin)^3 / mean (2 r + skin)^3 is 1 for equal grains, and says how many times more pairs the
/// single grid has to look at when they are not.
pub fn choose(balls: &Balls, skin: f64) -> BroadPhase {
    if balls.positions.len() < FEW_BALLS {
        return BroadPhase::AllPairs;
    }
    let cube = |radius: f64| (2.0 * radius + skin).powi(3);
    let mean = balls.radii.iter().map(|&radius| cube(radius)).sum::<f64>() / balls.radii.len() as f64;
    if cube(balls.largest_radius()) > CROWDING_WORTH_LEVELS * mean {
        BroadPhase::MultilevelCells
    } else {
        BroadPhase::Cells
    }
}
