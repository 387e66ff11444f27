//! A growing set of balls that answers which of them are near a place.
//!
//! Balls are kept by size class (factor 2) in hashed grids of cells four times the class's smallest radius, so that a
//! question costs a few cells in each class whatever the range of sizes. A ball that is much larger than a class is
//! compared with the whole class instead when that is shorter; placing the large ones first avoids it.
//!
//! Cells of a block of 4 x 4 x 4 have their buckets side by side, so that whoever asks for places near each other one
//! after the other finds them in the cache: of a million balls nearly every question would go to the memory otherwise.
//!
//! Distances are to the nearest image where the domain is periodic.

use crate::model::Domain;
use glam::DVec3;
use tumble_geometry::Aabb;

/// Balls count as overlapping when they are not apart by this fraction of the distance of their centres, so that
/// rounding in whoever computes the overlap later does not find one.
pub(super) const CLEARANCE: f64 = 1.0 + 1e-12;

/// A ball of the set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ball {
    /// Position of the centre [m].
    pub(super) position: DVec3,
    /// Radius [m].
    pub(super) radius: f64,
    /// What the caller calls it.
    pub(super) name: u32,
    /// Next ball in the same bucket.
    next: u32,
}

/// No ball.
const NONE: u32 = u32::MAX;

/// A ball that overlaps another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overlap {
    /// The other's name.
    pub(super) name: u32,
    /// How deep [m].
    pub(super) depth: f64,
    /// The smaller of the two radii [m].
    pub(super) smaller_radius: f64,
}

/// Balls in a domain.
#[derive(Debug)]
pub(super) struct BallGrid {
    lower: DVec3,
    upper: DVec3,
    /// The period along each axis [m]; `None` where the axis is not periodic.
    pub(super) periods: [Option<f64>; 3],
    classes: Vec<SizeClass>,
}

impl BallGrid {
    pub(super) fn new(domain: &Domain) -> BallGrid {
        BallGrid { lower: domain.lower, upper: domain.upper, periods: domain.periods(), classes: Vec::new() }
    }

    /// Puts a ball in. One that has no place or size is left out.
    pub(super) fn add(&mut self, name: u32, position: DVec3, radius: f64) {
        if !(position.is_finite() && radius > 0.0 && radius.is_finite()) {
            return;
        }
        let position = self.wrapped(position);
        // The exponent of a normal number; smaller ones share a class.
        let exponent = ((radius.to_bits() >> 52) as i32 - 1023).max(-1000);
        let place = self.classes.iter().position(|class| class.exponent == exponent).unwrap_or_else(|| {
            self.classes.push(SizeClass::new(exponent));
            self.classes.len() - 1
        });
        self.classes[place].add(Ball { position, radius, name, next: NONE });
    }

    /// Whether a ball overlaps any other.
    pub(super) fn any_overlap(&self, position: DVec3, radius: f64) -> bool {
        let mut any = false;
        self.visit_near(position, radius, |ball, offset| {
            let reach = (ball.radius + radius) * CLEARANCE;
            any = offset.length_squared() < reach * reach;
            !any
        });
        any
    }

    /// The overlap that is deepest relative to the smaller ball, if there is any.
    pub(super) fn worst_overlap(&self, position: DVec3, radius: f64) -> Option<Overlap> {
        let mut worst: Option<Overlap> = None;
        self.visit_near(position, radius, |ball, offset| {
            let (depth, smaller_radius) = (ball.radius + radius - offset.length(), ball.radius.min(radius));
            // Ties go to the smaller name, so that the order of visits does not matter.
            let rank = |o: &Overlap| (o.depth / o.smaller_radius, std::cmp::Reverse(o.name));
            let overlap = Overlap { name: ball.name, depth, smaller_radius };
            if depth > 0.0 && worst.is_none_or(|worst| rank(&overlap) > rank(&worst)) {
                worst = Some(overlap);
            }
            true
        });
        worst
    }

    /// The image of a point that lies in the domain.
    pub(super) fn wrapped(&self, mut point: DVec3) -> DVec3 {
        for axis in 0..3 {
            if let Some(period) = self.periods[axis] {
                let lower = self.lower[axis];
                point[axis] -= period * ((point[axis] - lower) / period).floor();
                // Rounding can leave it on or beyond an edge.
                if !(lower..self.upper[axis]).contains(&point[axis]) {
                    point[axis] = lower;
                }
            }
        }
        point
    }

    /// Calls `visit(ball, offset)` for all balls that may overlap a ball, some perhaps twice, until it returns false.
    /// The offset is the vector from that ball to an image of the asked one [m].
    pub(super) fn visit_near(&self, position: DVec3, radius: f64, mut visit: impl FnMut(&Ball, DVec3) -> bool) {
        let position = self.wrapped(position);
        let shifts = self.periods.map(|period| period.map_or([0.0; 3], |period| [0.0, -period, period]));
        let n_shifts = self.periods.map(|period| if period.is_some() { 3 } else { 1 });
        for class in &self.classes {
            let reach = (radius + class.largest) * CLEARANCE;
            let inside = class.bounds.grown(reach);
            for &x in &shifts[0][..n_shifts[0]] {
                for &y in &shifts[1][..n_shifts[1]] {
                    for &z in &shifts[2][..n_shifts[2]] {
                        let image = position + DVec3::new(x, y, z);
                        if inside.contains(image) && !class.visit_near(image, reach, &mut visit) {
                            return;
                        }
                    }
                }
            }
        }
    }
}

/// Balls of radii between 2^exponent and twice that.
#[derive(Debug)]
struct SizeClass {
    exponent: i32,
    inverse_edge: f64,
    /// Largest radius so far [m].
    largest: f64,
    /// Box around all centres.
    bounds: Aabb,
    balls: Vec<Ball>,
    /// First ball of each bucket; a power of two.
    first: Vec<u32>,
}

/// Cells along the edge of a block, as a power of two.
const BLOCK_BITS: u32 = 2;

impl SizeClass {
    fn new(exponent: i32) -> SizeClass {
        SizeClass {
            exponent,
            inverse_edge: 2f64.powi(-exponent - 2),
            largest: 0.0,
            bounds: Aabb::EMPTY,
            balls: Vec::new(),
            first: vec![NONE; 1 << (3 * BLOCK_BITS)],
        }
    }

    fn add(&mut self, ball: Ball) {
        self.largest = self.largest.max(ball.radius);
        self.bounds = self.bounds.join(&Aabb::of_ball(ball.position, 0.0));
        self.balls.push(ball);
        if self.balls.len() > self.first.len() {
            let n_buckets = 2 * self.first.len();
            self.first.clear();
            self.first.resize(n_buckets, NONE);
            (0..self.balls.len()).for_each(|index| self.link(index));
        } else {
            self.link(self.balls.len() - 1);
        }
    }

    /// Puts a ball at the head of its bucket.
    fn link(&mut self, index: usize) {
        let cell = self.cell(self.balls[index].position);
        let bucket = self.bucket(cell);
        self.balls[index].next = self.first[bucket];
        self.first[bucket] = index as u32;
    }

    fn cell(&self, point: DVec3) -> [i64; 3] {
        (point * self.inverse_edge).to_array().map(|coordinate| coordinate.floor() as i64)
    }

    fn bucket(&self, [x, y, z]: [i64; 3]) -> usize {
        let inside = |coordinate: i64| coordinate as usize & ((1 << BLOCK_BITS) - 1);
        let block = |coordinate: i64| (coordinate >> BLOCK_BITS) as u64;
        let mixed = block(x).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ block(y).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ block(z).wrapping_mul(0x1656_67b1_9e37_79f9);
        let within = inside(x) | inside(y) << BLOCK_BITS | inside(z) << (2 * BLOCK_BITS);
        ((mixed >> 32) as usize) << (3 * BLOCK_BITS) & (self.first.len() - 1) | within
    }

    /// Visits all balls with centres within reach; false if told to stop.
    fn visit_near(&self, point: DVec3, reach: f64, visit: &mut impl FnMut(&Ball, DVec3) -> bool) -> bool {
        let (lower, upper) = (self.cell(point - reach), self.cell(point + reach));
        let n_cells: f64 = (0..3).map(|axis| (upper[axis].saturating_sub(lower[axis])) as f64 + 1.0).product();
        if n_cells > self.balls.len() as f64 {
            return self.balls.iter().all(|ball| visit(ball, point - ball.position));
        }
        // Most questions are whether a place is taken, mostly by a ball whose centre is near.
        let middle = self.cell(point);
        if !self.visit_cell(middle, point, visit) {
            return false;
        }
        for z in lower[2]..=upper[2] {
            for y in lower[1]..=upper[1] {
                for x in lower[0]..=upper[0] {
                    let cell = [x, y, z];
                    if cell != middle && !self.visit_cell(cell, point, visit) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Visits the balls of a cell's bucket; false if told to stop.
    #[inline]
    fn visit_cell(&self, cell: [i64; 3], point: DVec3, visit: &mut impl FnMut(&Ball, DVec3) -> bool) -> bool {
        let mut index = self.first[self.bucket(cell)];
        while let Some(ball) = self.balls.get(index as usize) {
            if !visit(ball, point - ball.position) {
                return false;
            }
            index = ball.next;
        }
        true
    }
}
