//! Which vertices of a polyhedron are farthest along a direction, four at a time.

use crate::lanes::{Kernel, Lanes, Vector};
use glam::DVec3;

/// Coordinates of four vertices: x of all, y of all, z of all.
pub(super) type FourVertices = [[f64; 4]; 3];

/// How far vertices are along a direction.
#[inline(always)]
fn heights<L: Lanes>([x, y, z]: &FourVertices, direction: Vector<L>) -> L {
    let vertices = Vector { x: L::gather(|k| x[k]), y: L::gather(|k| y[k]), z: L::gather(|k| z[k]) };
    vertices.dot(direction)
}

/// The same for two polyhedra.
#[derive(Clone, Copy)]
pub(super) struct Both<K>(pub K, pub K);

impl<K: Kernel> Kernel for Both<K> {
    type Output = [K::Output; 2];
    #[inline(always)]
    fn run<L: Lanes>(self) -> [K::Output; 2] {
        [self.0.run::<L>(), self.1.run::<L>()]
    }
}

/// Looks for the vertex farthest along a direction.
#[derive(Clone, Copy)]
pub(super) struct Farthest<'a> {
    pub blocks: &'a [FourVertices],
    pub direction: DVec3,
}

impl Kernel for Farthest<'_> {
    type Output = usize;
    #[inline(always)]
    fn run<L: Lanes>(self) -> usize {
        let direction = Vector::splat(self.direction);
        let mut best = L::splat(f64::NEG_INFINITY);
        // Numbers of blocks as floats, so that one blend serves both; from 2^52 on, where the last bits of a float count by ones.
        let mut place = L::splat(COUNTS_BY_ONES);
        let mut index = L::splat(COUNTS_BY_ONES);
        for block in self.blocks {
            let height: L = heights(block, direction);
            let is_higher = height.greater(best);
            best = L::select(is_higher, height, best);
            place = L::select(is_higher, index, place);
            index += L::splat(1.0);
        }
        let mut lane = 0;
        for other in 1..4 {
            if best.lane(other) > best.lane(lane) {
                lane = other;
            }
        }
        4 * place.lane(lane).to_bits() as u32 as usize + lane
    }
}

/// 2^52: from here on the lowest bits of a float are a number, which is read without a conversion.
const COUNTS_BY_ONES: f64 = 4_503_599_627_370_496.0;

/// Counts the vertices that are farther along a direction than something, or as far.
#[derive(Clone, Copy)]
pub(super) struct CountAbove<'a> {
    pub blocks: &'a [FourVertices],
    pub direction: DVec3,
    pub least: f64,
    /// How many of the last block do not count.
    pub n_filled_up: usize,
}

impl Kernel for CountAbove<'_> {
    type Output = u32;
    #[inline(always)]
    fn run<L: Lanes>(self) -> u32 {
        let (direction, least) = (Vector::<L>::splat(self.direction), L::splat(self.least));
        let mut that_count = 0b1111 >> self.n_filled_up;
        let mut count = 0;
        for block in self.blocks.iter().rev() {
            let is_above = heights(block, direction).at_least(least);
            count += (L::bits(is_above) & that_count).count_ones();
            that_count = 0b1111;
        }
        count
    }
}

/// Counts the vertices that are farther along a direction than something, or as far, unless one is farther than something else.
#[derive(Clone, Copy)]
pub(super) struct CountBetween<'a> {
    pub blocks: &'a [FourVertices],
    pub direction: DVec3,
    pub least: f64,
    pub most: f64,
    /// How many of the last block do not count.
    pub n_filled_up: usize,
}

impl Kernel for CountBetween<'_> {
    type Output = Option<u32>;
    #[inline(always)]
    fn run<L: Lanes>(self) -> Option<u32> {
        let (direction, least) = (Vector::<L>::splat(self.direction), L::splat(self.least));
        let mut highest = L::splat(f64::NEG_INFINITY);
        let mut that_count = 0b1111 >> self.n_filled_up;
        let mut count = 0;
        for block in self.blocks.iter().rev() {
            let height: L = heights(block, direction);
            highest = highest.max(height);
            count += (L::bits(height.at_least(least)) & that_count).count_ones();
            that_count = 0b1111;
        }
        // Also where something is not a number.
        (L::bits(L::splat(self.most).at_least(highest)) == 0b1111).then_some(count)
    }
}
