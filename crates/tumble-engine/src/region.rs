//! Parts of space that are named in a scene: where grains come in, where something is measured.

use crate::random::Random;
use glam::DVec3;
use std::f64::consts::PI;
use tumble_geometry::{Aabb, Pose, Shape};

/// A part of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// An axis-aligned box.
    Box {
        /// Smallest coordinates [m].
        lower: DVec3,
        /// Largest coordinates [m].
        upper: DVec3,
    },
    /// A flat-ended cylinder around the segment between two points.
    Cylinder {
        /// Centre of one end [m].
        from: DVec3,
        /// Centre of the other end [m].
        to: DVec3,
        /// Radius [m].
        radius: f64,
    },
    /// A ball.
    Ball {
        /// Centre [m].
        centre: DVec3,
        /// Radius [m].
        radius: f64,
    },
}

impl Region {
    /// Whether the region is finite and has a volume; if not, what would be right.
    pub fn check(&self) -> Result<(), String> {
        let finite = |points: [DVec3; 2]| points.iter().all(|p| p.is_finite());
        let positive_radius = |radius: f64| {
            if radius > 0.0 && radius.is_finite() {
                Ok(())
            } else {
                Err(format!("the region's radius is {radius} m; it must be positive and finite"))
            }
        };
        match *self {
            Region::Box { lower, upper } if !finite([lower, upper]) || !lower.cmplt(upper).all() => Err(format!(
                "the region's box reaches from {lower} m to {upper} m; each lower coordinate must be below the upper one"
            )),
            Region::Box { .. } => Ok(()),
            Region::Cylinder { from, to, .. } if !finite([from, to]) || from == to => Err(format!(
                "the region's cylinder reaches from {from} m to {to} m; its ends must be two different points"
            )),
            Region::Ball { centre, .. } if !centre.is_finite() => {
                Err(format!("the region's ball has its centre at {centre} m; it must be finite"))
            }
            Region::Cylinder { radius, .. } | Region::Ball { radius, .. } => positive_radius(radius),
        }
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        match *self {
            Region::Box { lower, upper } => (upper - lower).element_product(),
            Region::Cylinder { from, to, radius } => PI * radius * radius * from.distance(to),
            Region::Ball { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
        }
    }

    /// The smallest axis-aligned box around the region.
    pub fn bounds(&self) -> Aabb {
        match *self {
            Region::Box { lower, upper } => Aabb { lower, upper },
            Region::Cylinder { from, to, radius } => {
                // A disc of unit normal n reaches sqrt(1 - n_x^2) of its radius along x.
                let normal = (to - from).normalize_or_zero();
                let reach = radius * (DVec3::ONE - normal * normal).max(DVec3::ZERO).map(f64::sqrt);
                Aabb { lower: from.min(to) - reach, upper: from.max(to) + reach }
            }
            Region::Ball { centre, radius } => Aabb::of_ball(centre, radius),
        }
    }

    /// Whether a point lies inside; the boundary belongs to the region.
    pub fn contains(&self, point: DVec3) -> bool {
        match *self {
            Region::Box { lower, upper } => Aabb { lower, upper }.contains(point),
            Region::Cylinder { from, to, radius } => {
                let (axis, offset) = (to - from, point - from);
                let along = offset.dot(axis) / axis.length_squared();
                (0.0..=1.0).contains(&along) && (offset - along * axis).length_squared() <= radius * radius
            }
            Region::Ball { centre, radius } => point.distance_squared(centre) <= radius * radius,
        }
    }

    /// Whether a whole ball lies inside.
    pub fn contains_ball(&self, centre: DVec3, radius: f64) -> bool {
        self.inset(radius).is_some_and(|centres| centres.contains(centre))
    }

    /// Whether a whole shape lies inside. Around the axis of a cylinder some that touch the boundary, within half a per cent
    /// of the radius, count as outside; so do some superquadrics near the boundary of a ball.
    pub fn contains_shape(&self, shape: &Shape, pose: &Pose) -> bool {
        // The largest distance from an axis is at least cos(pi / N) of it along one of N directions around.
        const DIRECTIONS: u32 = 32;
        let reach = |direction: DVec3| {
            let local = pose.inverse_transform_vector(direction);
            direction.dot(pose.position) + shape.support(local).dot(local)
        };
        match *self {
            Region::Box { lower, upper } => {
                let bounds = shape.bounds(pose);
                lower.cmple(bounds.lower).all() && bounds.upper.cmple(upper).all()
            }
            Region::Cylinder { from, to, radius } => {
                let axis = (to - from).normalize();
                let (u, v) = axis.any_orthonormal_pair();
                let farthest = radius * (PI / f64::from(DIRECTIONS)).cos();
                reach(axis) <= axis.dot(to)
                    && reach(-axis) <= -axis.dot(from)
                    && (0..DIRECTIONS).all(|k| {
                        let (sine, cosine) = (2.0 * PI * f64::from(k) / f64::from(DIRECTIONS)).sin_cos();
                        let outward = cosine * u + sine * v;
                        reach(outward) - outward.dot(from) <= farthest
                    })
            }
            Region::Ball { centre, radius } => shape.farthest_from(pose.inverse_transform_point(centre)) <= radius,
        }
    }

    /// Where the centre of a ball may be that lies wholly inside; `None` if the ball is too large.
    pub fn inset(&self, margin: f64) -> Option<Region> {
        match *self {
            Region::Box { lower, upper } => {
                let (mut from, mut to) = (lower + margin, upper - margin);
                for axis in 0..3 {
                    // A ball as wide as the box fits, whatever the rounding of the two sums.
                    let excess = from[axis] - to[axis];
                    if excess > 0.0 && excess <= 1e-12 * margin {
                        let middle = 0.5 * (lower[axis] + upper[axis]);
                        (from[axis], to[axis]) = (middle, middle);
                    }
                }
                from.cmple(to).all().then_some(Region::Box { lower: from, upper: to })
            }
            Region::Cylinder { from, to, radius } => {
                let shift = (to - from).normalize_or_zero() * margin;
                (2.0 * margin < from.distance(to) && margin <= radius).then_some(Region::Cylinder {
                    from: from + shift,
                    to: to - shift,
                    radius: radius - margin,
                })
            }
            Region::Ball { centre, radius } => {
                (margin <= radius).then_some(Region::Ball { centre, radius: radius - margin })
            }
        }
    }

    /// A point drawn uniformly from the region.
    pub fn sample(&self, random: &mut Random) -> DVec3 {
        match *self {
            Region::Box { lower, upper } => {
                let unit = DVec3::new(random.unit(), random.unit(), random.unit());
                lower + unit * (upper - lower)
            }
            Region::Cylinder { from, to, radius } => {
                let (u, v) = (to - from).normalize().any_orthonormal_pair();
                let (sine, cosine) = random.between(0.0, 2.0 * PI).sin_cos();
                let distance = radius * random.unit().sqrt();
                from + random.unit() * (to - from) + distance * (cosine * u + sine * v)
            }
            Region::Ball { centre, radius } => centre + radius * random.unit().cbrt() * random.direction(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    const REGIONS: [Region; 3] = [
        Region::Box { lower: DVec3::new(-1.0, 2.0, 0.5), upper: DVec3::new(1.0, 5.0, 1.5) },
        Region::Cylinder { from: DVec3::new(1.0, 0.0, -1.0), to: DVec3::new(2.0, 3.0, 1.0), radius: 0.8 },
        Region::Ball { centre: DVec3::new(0.0, -1.0, 2.0), radius: 1.7 },
    ];

    fn point_in(bounds: &Aabb, random: &mut Random) -> DVec3 {
        Region::Box { lower: bounds.lower, upper: bounds.upper }.sample(random)
    }

    #[test]
    fn volume_and_bounds_agree_with_counting_points() {
        let mut random = Random::from_seed(31);
        for region in REGIONS {
            let bounds = region.bounds().grown(0.1);
            let n = 200_000;
            let inside = (0..n).map(|_| point_in(&bounds, &mut random)).filter(|&p| region.contains(p));
            let inside: Vec<DVec3> = inside.collect();
            let share = inside.len() as f64 / n as f64;
            let expected = region.volume() / bounds.extent().element_product();
            // Four standard errors of a counted share.
            assert!((share - expected).abs() < 4.0 * (expected * (1.0 - expected) / n as f64).sqrt(), "{region:?}");
            // All points lie within the bounds, and some come near each side: within 5 % of the extent.
            let seen = Aabb::of_points(inside);
            let exact = region.bounds();
            assert!(exact.contains(seen.lower) && exact.contains(seen.upper), "{region:?}");
            let gap = (seen.lower - exact.lower).max(exact.upper - seen.upper) / exact.extent();
            assert!(gap.max_element() < 0.05, "{region:?}: {gap}");
        }
    }

    #[test]
    fn samples_are_uniform() {
        let mut random = Random::from_seed(32);
        for region in REGIONS {
            // The same share of samples falls into any part as the part has of the volume: halves through the middle
            // along each axis, and the inner part that a ball of 0.2 m can reach.
            let n = 100_000;
            let middle = 0.5 * (region.bounds().lower + region.bounds().upper);
            let inner = region.inset(0.2).unwrap();
            let samples: Vec<DVec3> = (0..n).map(|_| region.sample(&mut random)).collect();
            assert!(samples.iter().all(|&p| region.contains(p)));
            let near = |found: usize, expected: f64| {
                let error = (expected * (1.0 - expected) / n as f64).sqrt();
                assert!((found as f64 / n as f64 - expected).abs() < 4.0 * error, "{region:?}: {found} {expected}");
            };
            for axis in 0..3 {
                near(samples.iter().filter(|p| p[axis] < middle[axis]).count(), 0.5);
            }
            near(samples.iter().filter(|&&p| inner.contains(p)).count(), inner.volume() / region.volume());
        }
    }

    #[test]
    fn a_ball_is_inside_when_all_its_surface_is() {
        let mut random = Random::from_seed(33);
        for region in REGIONS {
            let (mut n_inside, mut n_outside) = (0, 0);
            for _ in 0..300 {
                let (centre, radius) = (point_in(&region.bounds(), &mut random), random.between(0.05, 0.6));
                let surface = (0..2000).map(|_| centre + radius * random.direction());
                let outermost = surface.filter(|&p| !region.contains(p)).count();
                if region.contains_ball(centre, radius) {
                    n_inside += 1;
                    assert_eq!(outermost, 0, "{region:?} {centre} {radius}");
                } else if !region.contains_ball(centre, 0.9 * radius) {
                    // Far enough out that some of the 2000 points must show it.
                    n_outside += 1;
                    assert!(outermost > 0, "{region:?} {centre} {radius}");
                }
            }
            assert!(n_inside > 20 && n_outside > 20);
        }
    }

    #[test]
    fn impossible_regions_are_named() {
        for region in REGIONS {
            assert_eq!(region.check(), Ok(()));
            assert_eq!(region.inset(10.0), None);
            assert!(!region.contains_ball(region.bounds().lower, 10.0));
        }
        let wrong = [
            (Region::Box { lower: DVec3::ONE, upper: DVec3::ZERO }, "lower coordinate"),
            (Region::Box { lower: DVec3::ZERO, upper: DVec3::INFINITY }, "lower coordinate"),
            (Region::Cylinder { from: DVec3::ONE, to: DVec3::ONE, radius: 1.0 }, "two different points"),
            (Region::Cylinder { from: DVec3::ONE, to: DVec3::ZERO, radius: -1.0 }, "radius is -1 m"),
            (Region::Ball { centre: DVec3::NAN, radius: 1.0 }, "centre"),
            (Region::Ball { centre: DVec3::ONE, radius: f64::NAN }, "radius is NaN m"),
        ];
        for (region, text) in wrong {
            let message = region.check().unwrap_err();
            assert!(message.contains(text), "{message}");
        }
    }

    #[test]
    fn a_shape_is_inside_if_all_its_points_are() {
        let shapes = [
            Shape::cylinder(0.1, 1.0).unwrap(),
            Shape::cuboid(DVec3::new(0.3, 0.6, 0.2)).unwrap(),
            Shape::superquadric(DVec3::new(0.5, 0.2, 0.3), 3.0, 4.0).unwrap(),
        ];
        let mut random = Random::from_seed(3);
        let (mut n_inside, mut n_by_balls) = (0, 0);
        for region in REGIONS {
            for shape in &shapes {
                for _ in 0..300 {
                    let turn = DQuat::from_axis_angle(random.direction(), random.between(0.0, PI));
                    let pose = Pose::new(region.sample(&mut random), turn);
                    let is_inside = region.contains_shape(shape, &pose);
                    let has_point_outside = (0..200).any(|_| {
                        let point = pose.transform_point(shape.support(random.direction()));
                        !region.contains(point)
                    });
                    assert!(!(is_inside && has_point_outside), "{region:?} {shape:?} {pose:?}");
                    n_inside += u32::from(is_inside);
                    let fits_as_ball = region.contains_ball(pose.position, shape.bounding_radius());
                    n_by_balls += u32::from(fits_as_ball);
                    // A cylinder gives a little of its radius away.
                    assert!(is_inside || !fits_as_ball || matches!(region, Region::Cylinder { .. }));
                }
            }
        }
        assert!(n_inside > n_by_balls + 100 && n_by_balls > 100, "{n_inside} {n_by_balls}");
    }
}
