//! The capsule: all points within a distance of a segment.

use super::cylinder::along;
use crate::ray::{Exit, ball_chord, ball_exit, common, hull, radial, slab, tube_chord, tube_exit};
use glam::DVec3;
use std::f64::consts::PI;

/// A cylinder with half-balls on its ends (a spherocylinder), its centre at the local origin and its axis along local z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Radius [m].
    pub radius: f64,
    /// Half of the length of the axis between the centres of the two half-balls [m].
    pub half_height: f64,
}

impl Capsule {
    /// Where a ray from inside leaves: side 0, upper half-ball 1, lower half-ball 2.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        // The endless tube holds the capsule, so where the ray leaves the tube tells which part it leaves first.
        let side = tube_exit(origin, direction, self.radius);
        let z = if side.is_finite() { origin.z + side * direction.z } else { direction.z * f64::INFINITY };
        if z.abs() <= self.half_height {
            return Exit { distance: side, normal: radial(origin + side * direction, direction), piece: 0 };
        }
        let from_centre = origin - DVec3::new(0.0, 0.0, along(z, self.half_height));
        let distance = ball_exit(from_centre, direction, self.radius);
        let normal = (from_centre + distance * direction).try_normalize().unwrap_or(direction);
        Exit { distance, normal, piece: if z > 0.0 { 1 } else { 2 } }
    }

    /// Where a line enters and leaves.
    #[inline]
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        let axis = DVec3::new(0.0, 0.0, self.half_height);
        let tube = tube_chord(origin, direction, self.radius)?;
        let between_ends = slab(origin.z, direction.z, -self.half_height, self.half_height);
        let side = between_ends.and_then(|z| common(z, tube));
        let balls =
            hull(ball_chord(origin - axis, direction, self.radius), ball_chord(origin + axis, direction, self.radius));
        hull(side, balls)
    }

    /// Whether a point lies inside.
    pub fn contains(&self, point: DVec3) -> bool {
        let nearest = DVec3::new(0.0, 0.0, point.z.clamp(-self.half_height, self.half_height));
        point.distance_squared(nearest) <= self.radius * self.radius
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        PI * self.radius * self.radius * (2.0 * self.half_height + 4.0 / 3.0 * self.radius)
    }

    /// Principal moments of inertia at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        let (r, h) = (self.radius, self.half_height);
        let (tube, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
        // A half-ball's centre is 3/8 r beyond its flat side.
        let across = tube * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        DVec3::new(across, across, tube * r * r / 2.0 + ball * 0.4 * r * r)
    }

    /// The point of the axis farthest along a direction.
    #[inline]
    pub fn core_support(&self, direction: DVec3) -> DVec3 {
        DVec3::new(0.0, 0.0, along(direction.z, self.half_height))
    }

    /// The point farthest along a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        self.core_support(direction) + direction.normalize_or_zero() * self.radius
    }
}
