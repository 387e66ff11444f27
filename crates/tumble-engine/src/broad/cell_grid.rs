//! A grid of cubic cells over unbounded space, with memory for the grains and not for the space.
//!
//! Space is cut into cubes of edge L. The cell (i, j, k) of a grain goes to the bucket
//!
//!   (i + s_y j + s_z k) mod 2^m,    2^m >= 2 N,
//!
//! and the grains are sorted by bucket in linear time (a counting sort). Where all cells of the bounding box fit into
//! the buckets, s_y and s_z are its numbers of cells, and the buckets are the plain three-dimensional array; where
//! they do not (a few grains very far away, a thin gas), s_y and s_z are large odd numbers that scatter the rows of
//! cells, as in spatial hashing (Teschner et al. 2003). Either way three neighbouring cells of a row are three
//! neighbouring buckets, so that a search reads nine runs of memory. Rows run along the shortest axis of the box, as the
//! grains do in memory when they have been sorted ([`super::spatial_order`]). Grains of other rows in the same bucket are told
//! apart by a tag made of the low bits of j and k, which no two of the nine rows share.
//!
//! Valid for reaches up to L. Cell coordinates are clamped at 2^28 cells from the median grain; the clamp is monotonic,
//! so neighbours stay neighbours. It is slow, but right, when many grains share a cell: when most are much smaller than L.

use super::Balls;
use super::spatial_order::axes_by_length;
use glam::DVec3;
use rayon::prelude::*;

/// Cells are larger than asked by this much, so that rounding in a cell coordinate (below 2^29 * 2^-52 in all three
/// operations) can never put two grains within reach more than one cell apart.
const EDGE_MARGIN: f64 = 1.0 + 1e-5;

/// Cell coordinates are offset by this many cells to be positive [1].
const MIDDLE: f64 = (1u32 << 28) as f64;

/// Coordinates whose median is taken for the grid's origin.
const SAMPLES: usize = 1024;

/// A grain in the grid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Centre [m].
    pub(super) position: DVec3,
    /// Radius [m].
    pub(super) radius: f64,
    /// Place in the list of balls.
    pub(super) index: u32,
    /// Which row of cells it is in, as far as neighbouring rows are concerned.
    tag: u32,
}

/// Grains sorted by cell.
#[derive(Debug, Default)]
pub(super) struct CellGrid {
    origin: DVec3,
    inverse_edge: f64,
    /// Which axes rows, their places in a layer, and layers go along.
    axes: [usize; 3],
    row_stride: u32,
    layer_stride: u32,
    /// Grains of bucket i are `entries[start[i]..start[i + 1]]`, in ascending order.
    start: Vec<u32>,
    entries: Vec<Entry>,
    /// Cell of each member.
    cells: Vec<[u32; 3]>,
}

impl CellGrid {
    /// Fills the grid with the members, which must be ascending and at finite positions.
    pub(super) fn fill(&mut self, balls: &Balls, members: &[u32], edge: f64) {
        self.origin = median(balls.positions, members);
        self.inverse_edge = 1.0 / (edge * EDGE_MARGIN);
        self.axes = [0, 1, 2];
        let mut cells = std::mem::take(&mut self.cells);
        members.par_iter().map(|&i| self.cell(balls.positions[i as usize])).collect_into_vec(&mut cells);

        let n_buckets = (2 * members.len()).next_power_of_two().max(64);
        let counts = counts(&cells);
        self.axes = axes_by_length(counts.map(|count| count as f64));
        let in_order = |numbers: [u32; 3]| self.axes.map(|axis| numbers[axis]);
        cells.iter_mut().for_each(|cell| *cell = in_order(*cell));
        (self.row_stride, self.layer_stride) = strides(self.axes.map(|axis| counts[axis]), n_buckets);
        self.start.clear();
        self.start.resize(n_buckets + 1, 0);
        for &cell in &cells {
            let bucket = self.bucket(cell);
            self.start[bucket] += 1;
        }
        let mut total = 0;
        for start in &mut self.start {
            total += *start;
            *start = total;
        }
        // Walking backwards turns the ends of the buckets into their beginnings and keeps the members ascending.
        self.entries.clear();
        self.entries.resize(members.len(), Entry::default());
        for (&index, &cell) in members.iter().zip(&cells).rev() {
            let bucket = self.bucket(cell);
            self.start[bucket] -= 1;
            let (position, radius) = (balls.positions[index as usize], balls.radii[index as usize]);
            self.entries[self.start[bucket] as usize] = Entry { position, radius, index, tag: tag(cell[1], cell[2]) };
        }
        self.cells = cells;
    }

    /// Calls `found` for all grains in the cell of a point and the 26 around it, and perhaps for some farther away, but
    /// never twice for one.
    #[inline]
    pub(super) fn around(&self, point: DVec3, mut found: impl FnMut(&Entry)) {
        let [x, y, z] = self.cell(point);
        let first_x = x.wrapping_sub(1);
        for z in [z.wrapping_sub(1), z, z.wrapping_add(1)] {
            for y in [y.wrapping_sub(1), y, y.wrapping_add(1)] {
                let tag = tag(y, z);
                let first = self.bucket([first_x, y, z]);
                let mut run = |from: usize, to: usize| {
                    for entry in &self.entries[self.start[from] as usize..self.start[to] as usize] {
                        if entry.tag == tag {
                            found(entry);
                        }
                    }
                };
                let n_buckets = self.start.len() - 1;
                if first + 3 <= n_buckets {
                    run(first, first + 3);
                } else {
                    run(first, n_buckets);
                    run(0, first + 3 - n_buckets);
                }
            }
        }
    }

    /// Cell of a point: its places in a row, of the row in a layer, and of the layer. The conversion to integers saturates
    /// at 0.
    #[inline]
    fn cell(&self, point: DVec3) -> [u32; 3] {
        let place = (point - self.origin) * self.inverse_edge;
        self.axes.map(|axis| (place[axis] + MIDDLE).min(2.0 * MIDDLE) as u32)
    }

    #[inline]
    fn bucket(&self, [x, y, z]: [u32; 3]) -> usize {
        let place = x.wrapping_add(y.wrapping_mul(self.row_stride)).wrapping_add(z.wrapping_mul(self.layer_stride));
        place as usize & (self.start.len() - 2)
    }
}

/// Low bits of the two coordinates: neighbouring rows differ in them.
#[inline]
fn tag(y: u32, z: u32) -> u32 {
    (y << 16) | (z & 0xffff)
}

/// How many cells there are along each axis, at most 2^29 + 1.
fn counts(cells: &[[u32; 3]]) -> [u64; 3] {
    let (mut lower, mut upper) = ([u32::MAX; 3], [0; 3]);
    for cell in cells {
        for axis in 0..3 {
            lower[axis] = lower[axis].min(cell[axis]);
            upper[axis] = upper[axis].max(cell[axis]);
        }
    }
    std::array::from_fn(|axis| u64::from(upper[axis].saturating_sub(lower[axis])) + 1)
}

/// Distance in buckets between neighbouring rows and layers.
fn strides(counts: [u64; 3], n_buckets: usize) -> (u32, u32) {
    // Two counts multiplied fit in 64 bits, three might not.
    let layer = counts[0] * counts[1];
    if layer <= n_buckets as u64 && layer * counts[2] <= n_buckets as u64 {
        (counts[0] as u32, layer as u32)
    } else {
        // Odd, and far from simple fractions of 2^32: the golden ratio's and another well-known mixing constant.
        (0x9e37_79b1, 0x85eb_ca77)
    }
}

/// Median coordinates of a sample, a middle that no outlier can move.
fn median(positions: &[DVec3], members: &[u32]) -> DVec3 {
    if members.is_empty() {
        return DVec3::ZERO;
    }
    let stride = members.len().div_ceil(SAMPLES);
    DVec3::from_array(std::array::from_fn(|axis| {
        let mut sample: Vec<f64> = members.iter().step_by(stride).map(|&i| positions[i as usize][axis]).collect();
        let middle = sample.len() / 2;
        *sample.select_nth_unstable_by(middle, f64::total_cmp).1
    }))
}
