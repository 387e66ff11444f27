//! Finds room: a growing set of balls that answers whether another fits in between.
//!
//! Balls are kept by size class (factor 2) in hashed grids of cells four times the class's smallest radius, so that a
//! question costs a few cells in each class whatever the range of sizes. A ball that is much larger than a class is
//! compared with the whole class instead when that is shorter; placing the large ones first avoids it.
//!
//! Distances are to the nearest image where the domain is periodic.

use super::{Surroundings, ball_is_clear};
use crate::model::{Domain, Edge};
use crate::random::Random;
use crate::region::Region;
use glam::DVec3;
use tumble_geometry::{Aabb, Pose, Shape};

/// Balls count as overlapping when they are not apart by this fraction of the distance of their centres, so that
/// rounding in whoever computes the overlap later does not find one.
const CLEARANCE: f64 = 1.0 + 1e-12;

/// Attempts at plain random places before the ball is slid into a hole near by: in thin fills the places stay uniform.
const ATTEMPTS_WITHOUT_SLIDING: u32 = 50;

/// Slides of a ball in one attempt.
const MOST_SLIDES: u32 = 20;

/// How far apart a slide leaves two balls, relative to touching: a little gap leaves room to be pushed back from the
/// other side.
const SLIDING_GAP: f64 = 1.0 + 1e-3;

/// A ball that room was found for, or that was there before.
#[derive(Clone, Copy, Debug)]
struct Ball {
    position: DVec3,
    radius: f64,
    /// What the caller calls it.
    name: u32,
    /// Next ball in the same bucket.
    next: u32,
}

/// No ball.
const NONE: u32 = u32::MAX;

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

/// Finds room for grains among those already there.
pub(super) struct Placer<'a> {
    domain: &'a Domain,
    periods: [Option<f64>; 3],
    is_planar: bool,
    clear_of_walls: &'a dyn Fn(&Shape, &Pose) -> bool,
    classes: Vec<SizeClass>,
}

impl<'a> Placer<'a> {
    /// A placer that knows no grain yet.
    pub(super) fn empty(surroundings: &Surroundings<'a>) -> Placer<'a> {
        let domain = surroundings.domain;
        Placer {
            domain,
            periods: domain.periods(),
            is_planar: surroundings.planar,
            clear_of_walls: surroundings.clear_of_walls,
            classes: Vec::new(),
        }
    }

    /// A placer that knows the grains that are there and can touch one inside the region.
    pub(super) fn near(surroundings: &Surroundings<'a>, region: &Region) -> Placer<'a> {
        let mut placer = Placer::empty(surroundings);
        let bounds = region.bounds();
        let (middle, half) = (0.5 * (bounds.lower + bounds.upper), 0.5 * bounds.extent());
        for (index, (&position, &radius)) in surroundings.positions.iter().zip(surroundings.radii).enumerate() {
            // The whole of a new grain is inside the region, or has its centre there where the domain is periodic; then
            // it reaches out by half a period at most, which is all there is.
            let near = (0..3).all(|axis| match placer.periods[axis] {
                Some(period) if 2.0 * half[axis] >= 0.5 * period => true,
                Some(period) => {
                    let offset = position[axis] - middle[axis];
                    (offset - period * (offset / period).round()).abs() <= half[axis] + radius
                }
                None => (position[axis] - middle[axis]).abs() <= half[axis] + radius,
            });
            if near {
                placer.add(index as u32, position, radius);
            }
        }
        placer
    }

    /// A random place in the region for a whole ball, which is then taken; `None` when there was no room in so many
    /// attempts.
    pub(super) fn place(&mut self, region: &Region, radius: f64, attempts: u32, random: &mut Random) -> Option<DVec3> {
        let centres = self.centres(region, radius)?;
        for attempt in 0..attempts {
            let mut position = self.flattened(centres.sample(random));
            if attempt >= ATTEMPTS_WITHOUT_SLIDING {
                position = self.slid(position, radius);
                if !centres.contains(position) {
                    continue;
                }
            }
            let position = self.wrapped(position);
            if self.has_room(position, radius) {
                self.add(NONE, position, radius);
                return Some(position);
            }
        }
        None
    }

    /// Slides a ball out of its deepest overlap, and again until it has none; this finds the narrow holes that chance
    /// alone hits once in thousands of attempts. It may end with an overlap or outside the region.
    fn slid(&self, mut position: DVec3, radius: f64) -> DVec3 {
        for _ in 0..MOST_SLIDES {
            let (mut deepest, mut way_out) = (0.0, DVec3::ZERO);
            self.visit_near(position, radius, |ball, offset| {
                let (reach, distance) = (ball.radius + radius, offset.length());
                if reach - distance > deepest {
                    deepest = reach - distance;
                    way_out = offset.normalize_or(DVec3::Z) * (reach * SLIDING_GAP - distance);
                }
                true
            });
            if deepest == 0.0 {
                break;
            }
            position += way_out;
        }
        position
    }

    /// A place as it is, or in the planar mode its foot in the plane.
    pub(super) fn flattened(&self, place: DVec3) -> DVec3 {
        if self.is_planar { DVec3::new(place.x, place.y, 0.0) } else { place }
    }

    /// Where in the region the centre of a ball may be; `None` if the ball is too large. All of the ball is inside,
    /// except that it may reach through the periodic edges of a region that is as long as the period. In the planar mode
    /// the region's depth does not count.
    fn centres(&self, region: &Region, radius: f64) -> Option<Region> {
        let region = if self.is_planar { across_plane(region, radius) } else { *region };
        self.through_periodic_edges(&region, radius).inset(radius)
    }

    /// A region with what lies within a distance beyond its periodic edges, where it is as long as the period.
    fn through_periodic_edges(&self, region: &Region, distance: f64) -> Region {
        let Region::Box { mut lower, mut upper } = *region else { return *region };
        for axis in 0..3 {
            if let Some(period) = self.periods[axis]
                && spans(upper[axis] - lower[axis], period)
            {
                (lower[axis], upper[axis]) = (lower[axis] - distance, lower[axis] + period + distance);
            }
        }
        Region::Box { lower, upper }
    }

    /// Which part of a region the centres of balls that lie wholly inside can take.
    pub(super) fn share_of_centres(&self, region: &Region, radius: f64) -> f64 {
        self.centres(region, radius).map_or(0.0, |centres| centres.volume()) / region.volume()
    }

    /// Refuses a ball that is too large for the region.
    pub(super) fn check_fit(&self, region: &Region, radius: f64) -> Result<Region, String> {
        self.centres(region, radius).ok_or_else(|| {
            format!(
                "a grain of radius {radius:.4e} m does not fit into the region; make the region larger or the grain smaller"
            )
        })
    }

    /// Whether a ball fits at a place: inside the domain, apart from all other balls, from its own images and from walls.
    pub(super) fn has_room(&self, position: DVec3, radius: f64) -> bool {
        self.is_in_domain(position)
            && self.fits_between_images(radius)
            && !self.any_overlap(position, radius)
            && ball_is_clear(self.clear_of_walls, position, radius)
    }

    fn fits_between_images(&self, radius: f64) -> bool {
        self.periods.iter().flatten().all(|period| 2.0 * radius * CLEARANCE <= *period)
    }

    /// Whether a grain with this centre stays in the run: not outside an edge where grains are removed.
    pub(super) fn is_in_domain(&self, position: DVec3) -> bool {
        let Domain { lower, upper, edges } = self.domain;
        (0..3).all(|axis| edges[axis] != Edge::Remove || (lower[axis]..=upper[axis]).contains(&position[axis]))
    }

    /// Whether a shape of a bounding radius fits into a region, the domain and between walls, whatever other grains there
    /// are. All of it is inside the region, but for periodic edges as with balls. The pose is not wrapped.
    pub(super) fn admits(&self, region: &Region, shape: &Shape, pose: &Pose, radius: f64) -> bool {
        let wrapped = Pose::new(self.wrapped(pose.position), pose.orientation);
        self.is_in_domain(wrapped.position)
            && self.fits_between_images(radius)
            && self.through_periodic_edges(region, radius).contains_shape(shape, pose)
            && (self.clear_of_walls)(shape, &wrapped)
    }

    /// Whether a question about every ball that overlaps one is answered with no; it is asked with the ball's name and the
    /// vector from it to the one at the place.
    pub(super) fn none_overlapping(
        &self,
        position: DVec3,
        radius: f64,
        mut is_hit: impl FnMut(u32, DVec3) -> bool,
    ) -> bool {
        let mut any = false;
        self.visit_near(position, radius, |ball, offset| {
            let reach = (ball.radius + radius) * CLEARANCE;
            any = offset.length_squared() < reach * reach && is_hit(ball.name, offset);
            !any
        });
        !any
    }

    fn any_overlap(&self, position: DVec3, radius: f64) -> bool {
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

    /// Takes a place.
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

    /// The image of a point that lies in the domain.
    pub(super) fn wrapped(&self, mut point: DVec3) -> DVec3 {
        for axis in 0..3 {
            if let Some(period) = self.periods[axis] {
                let lower = self.domain.lower[axis];
                point[axis] -= period * ((point[axis] - lower) / period).floor();
                // Rounding can leave it on or beyond an edge.
                if !(lower..self.domain.upper[axis]).contains(&point[axis]) {
                    point[axis] = lower;
                }
            }
        }
        point
    }

    /// Calls `visit(ball, offset)` for all balls that may overlap a ball, some perhaps twice, until it returns false.
    /// The offset is the vector from that ball to the nearest image of the asked one [m].
    fn visit_near(&self, position: DVec3, radius: f64, mut visit: impl FnMut(&Ball, DVec3) -> bool) {
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

/// The region with as much depth on either side of the plane z = 0 as a ball of this radius takes.
fn across_plane(region: &Region, radius: f64) -> Region {
    let at = |point: DVec3, z: f64| DVec3::new(point.x, point.y, z);
    match *region {
        Region::Box { lower, upper } => Region::Box { lower: at(lower, -radius), upper: at(upper, radius) },
        // More than the ball takes, for one that just fits between the ends of a cylinder counts as too large.
        Region::Cylinder { from, to, radius: around } => {
            Region::Cylinder { from: at(from, -2.0 * radius), to: at(to, 2.0 * radius), radius: around }
        }
        Region::Ball { .. } => *region,
    }
}

/// Whether a box is as long as the period, up to rounding.
fn spans(length: f64, period: f64) -> bool {
    length >= period * (1.0 - 1e-12)
}

impl SizeClass {
    fn new(exponent: i32) -> SizeClass {
        SizeClass {
            exponent,
            inverse_edge: 2f64.powi(-exponent - 2),
            largest: 0.0,
            bounds: Aabb::EMPTY,
            balls: Vec::new(),
            first: vec![NONE; 16],
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
        let mixed = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ (z as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
        (mixed >> 32) as usize & (self.first.len() - 1)
    }

    /// Visits all balls with centres within reach; false if told to stop.
    fn visit_near(&self, point: DVec3, reach: f64, visit: &mut impl FnMut(&Ball, DVec3) -> bool) -> bool {
        let (lower, upper) = (self.cell(point - reach), self.cell(point + reach));
        let n_cells: f64 = (0..3).map(|axis| (upper[axis].saturating_sub(lower[axis])) as f64 + 1.0).product();
        if n_cells > self.balls.len() as f64 {
            return self.balls.iter().all(|ball| visit(ball, point - ball.position));
        }
        for z in lower[2]..=upper[2] {
            for y in lower[1]..=upper[1] {
                for x in lower[0]..=upper[0] {
                    let mut index = self.first[self.bucket([x, y, z])];
                    while let Some(ball) = self.balls.get(index as usize) {
                        if !visit(ball, point - ball.position) {
                            return false;
                        }
                        index = ball.next;
                    }
                }
            }
        }
        true
    }
}
