//! Which points, which part of a segment and which periodic images lie in a region.
//!
//! Regions are convex, so a straight segment p + t b, 0 <= t <= 1, is inside for one interval of t: the intersection of
//! slabs (box, ends of a cylinder) and of the interval between the roots of |x(t)|^2 = r^2 (ball, mantle).
//!
//! A box holds its lower faces but not its upper ones, and a cylinder its first end but not its second. Boxes that tile
//! a space thus share no point, and a grain on the edge of a periodic cell is not counted together with its own image.

use crate::model::Domain;
use crate::region::Region;
use glam::DVec3;
use tumble_geometry::Aabb;

/// Whether a point belongs to a region; half-open as said above.
pub(super) fn holds(region: &Region, point: DVec3) -> bool {
    match *region {
        Region::Box { lower, upper } => lower.cmple(point).all() && point.cmplt(upper).all(),
        Region::Cylinder { from, to, radius } => {
            let axis = to - from;
            let length_squared = axis.length_squared();
            let along = (point - from).dot(axis);
            let off_axis = (point - from) - axis * (along / length_squared);
            0.0 <= along && along < length_squared && off_axis.length_squared() <= radius * radius
        }
        Region::Ball { centre, radius } => point.distance_squared(centre) <= radius * radius,
    }
}

/// Share of a segment's length that lies in a region [1].
pub(super) fn share_of_segment(region: &Region, start: DVec3, vector: DVec3) -> f64 {
    let mut interval = Interval { from: 0.0, to: 1.0 };
    match *region {
        Region::Box { lower, upper } => {
            for axis in 0..3 {
                interval.clip_to_slab(start[axis], vector[axis], lower[axis], upper[axis]);
            }
        }
        Region::Cylinder { from, to, radius } => {
            let length = from.distance(to);
            let axis = (to - from) / length;
            let (start, along, rise) = (start - from, (start - from).dot(axis), vector.dot(axis));
            interval.clip_to_slab(along, rise, 0.0, length);
            interval.clip_to_ball(start - axis * along, vector - axis * rise, radius);
        }
        Region::Ball { centre, radius } => interval.clip_to_ball(start - centre, vector, radius),
    }
    (interval.to - interval.from).max(0.0)
}

/// The part of a segment that is left; empty when `from >= to`.
struct Interval {
    from: f64,
    to: f64,
}

impl Interval {
    const EMPTY: Interval = Interval { from: 1.0, to: 0.0 };

    fn narrow(&mut self, from: f64, to: f64) {
        self.from = self.from.max(from);
        self.to = self.to.min(to);
    }

    /// Keeps what has lower <= start + t slope < upper.
    fn clip_to_slab(&mut self, start: f64, slope: f64, lower: f64, upper: f64) {
        if slope == 0.0 {
            // A segment in the plane of a face belongs to one of the two boxes that share the face.
            if !(lower <= start && start < upper) {
                *self = Interval::EMPTY;
            }
            return;
        }
        let (t, u) = ((lower - start) / slope, (upper - start) / slope);
        self.narrow(t.min(u), t.max(u));
    }

    /// Keeps what has |start + t vector| <= radius.
    fn clip_to_ball(&mut self, start: DVec3, vector: DVec3, radius: f64) {
        let (a, half_b) = (vector.length_squared(), start.dot(vector));
        if a == 0.0 {
            if start.length() > radius {
                *self = Interval::EMPTY;
            }
            return;
        }
        // Distance of the line from the centre, taken from the foot point: b^2 - a c would cancel for a long segment
        // that grazes the ball.
        let foot = start - vector * (half_b / a);
        let room = (radius - foot.length()) * (radius + foot.length());
        if room <= 0.0 {
            *self = Interval::EMPTY;
            return;
        }
        let half_chord = (room / a).sqrt();
        self.narrow(-half_b / a - half_chord, -half_b / a + half_chord);
    }
}

/// Volume of a region [m^3].
pub(super) fn volume(region: &Region) -> f64 {
    use std::f64::consts::PI;
    match *region {
        Region::Box { lower, upper } => {
            let edges = (upper - lower).max(DVec3::ZERO);
            edges.x * edges.y * edges.z
        }
        Region::Cylinder { from, to, radius } => PI * radius * radius * from.distance(to),
        Region::Ball { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
    }
}

/// Axis-aligned bounds of a region.
pub(super) fn bounds(region: &Region) -> Aabb {
    match *region {
        Region::Box { lower, upper } => Aabb { lower, upper },
        Region::Cylinder { from, to, radius } => {
            let axis = (to - from).normalize_or_zero();
            // A disc with unit normal n reaches r sqrt(1 - n_x^2) along x.
            let reach = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt) * radius;
            Aabb { lower: from.min(to) - reach, upper: from.max(to) + reach }
        }
        Region::Ball { centre, radius } => Aabb::of_ball(centre, radius),
    }
}

/// Calls back with the shift [m] of each periodic image of an object that may reach into a region, in a fixed order.
///
/// Without periodic edges that is no shift, once or never. The cost is the number of images that the region's
/// bounds meet: a region as wide as the domain meets one or two along an axis.
pub(super) fn for_each_image(domain: &Domain, object: &Aabb, region: &Aabb, mut visit: impl FnMut(DVec3)) {
    let periods = domain.periods();
    let shifts: [(f64, i64, i64); 3] = std::array::from_fn(|axis| match periods[axis] {
        Some(period) if period > 0.0 && region.extent()[axis].is_finite() => {
            let first = ((region.lower[axis] - object.upper[axis]) / period).ceil();
            let last = ((region.upper[axis] - object.lower[axis]) / period).floor();
            (period, first as i64, last as i64)
        }
        _ => {
            let meets = object.lower[axis] <= region.upper[axis] && region.lower[axis] <= object.upper[axis];
            (0.0, 0, if meets { 0 } else { -1 })
        }
    });
    let [(dx, x0, x1), (dy, y0, y1), (dz, z0, z1)] = shifts;
    for x in x0..=x1 {
        for y in y0..=y1 {
            for z in z0..=z1 {
                visit(DVec3::new(x as f64 * dx, y as f64 * dy, z as f64 * dz));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Edge;
    use crate::random::Random;

    fn regions() -> [Region; 3] {
        [
            Region::Box { lower: DVec3::new(-0.5, -0.2, 0.1), upper: DVec3::new(0.4, 0.9, 0.8) },
            Region::Cylinder { from: DVec3::new(-0.4, 0.1, -0.3), to: DVec3::new(0.5, 0.2, 0.6), radius: 0.35 },
            Region::Ball { centre: DVec3::new(0.1, -0.1, 0.2), radius: 0.6 },
        ]
    }

    fn random_point(random: &mut Random, size: f64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| random.between(-size, size)))
    }

    #[test]
    fn share_of_a_segment_matches_sampling_along_it() {
        let mut random = Random::from_seed(11);
        let n_samples = 2000;
        for region in regions() {
            let mut n_cut = 0;
            for _ in 0..200 {
                let start = random_point(&mut random, 1.0);
                let vector = random_point(&mut random, 1.0) - start;
                let n_inside = (0..n_samples)
                    .filter(|&k| holds(&region, start + vector * ((k as f64 + 0.5) / n_samples as f64)))
                    .count();
                let sampled = n_inside as f64 / n_samples as f64;
                let exact = share_of_segment(&region, start, vector);
                // One interval inside: each of its two ends is off by at most half a sample.
                assert!((exact - sampled).abs() <= 1.001 / n_samples as f64, "{region:?} {exact} {sampled}");
                n_cut += usize::from(exact > 0.0 && exact < 1.0);
            }
            assert!(n_cut > 20, "too few segments were cut to tell anything: {n_cut}");
        }
    }

    #[test]
    fn a_segment_in_a_shared_face_belongs_to_one_box() {
        let box_at = |x: f64| Region::Box { lower: DVec3::new(x, 0.0, 0.0), upper: DVec3::new(x + 1.0, 1.0, 1.0) };
        let (start, vector) = (DVec3::new(1.0, 0.25, 0.5), DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(share_of_segment(&box_at(0.0), start, vector), 0.0);
        assert_eq!(share_of_segment(&box_at(1.0), start, vector), 1.0);
    }

    #[test]
    fn bounds_hold_the_region_and_are_tight() {
        let mut random = Random::from_seed(12);
        for region in regions() {
            let bounds = bounds(&region);
            let mut found = Aabb::EMPTY;
            let mut n_inside = 0;
            let n_samples = 400_000;
            for _ in 0..n_samples {
                let p = random_point(&mut random, 1.0);
                if holds(&region, p) {
                    assert!(bounds.contains(p));
                    found = found.join(&Aabb { lower: p, upper: p });
                    n_inside += 1;
                }
            }
            // Samples come this close to the extreme points of the roundest region.
            assert!((found.extent() - bounds.extent()).abs().max_element() < 0.05, "{region:?} {found:?} {bounds:?}");
            let p = volume(&region) / 8.0;
            let error = (n_inside as f64 / n_samples as f64 - p).abs();
            assert!(error < 4.0 * (p * (1.0 - p) / n_samples as f64).sqrt(), "{region:?}");
        }
    }

    #[test]
    fn images_of_a_ball_at_a_periodic_corner_are_all_found() {
        let domain = Domain {
            lower: DVec3::ZERO,
            upper: DVec3::new(2.0, 3.0, 4.0),
            edges: [Edge::Periodic, Edge::Periodic, Edge::Open],
        };
        let cell = Aabb { lower: domain.lower, upper: domain.upper };
        let mut shifts = Vec::new();
        for_each_image(&domain, &Aabb::of_ball(DVec3::new(0.1, 2.9, 0.1), 0.25), &cell, |s| shifts.push(s));
        let expected = [DVec3::new(0.0, -3.0, 0.0), DVec3::ZERO, DVec3::new(2.0, -3.0, 0.0), DVec3::new(2.0, 0.0, 0.0)];
        assert_eq!(shifts, expected);
        shifts.clear();
        for_each_image(&domain, &Aabb::of_ball(DVec3::new(1.0, 1.0, -1.0), 0.25), &cell, |s| shifts.push(s));
        assert!(shifts.is_empty());
    }
}
