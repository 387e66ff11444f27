//! The capsule: all points within a distance of a segment.

use super::cylinder::along;
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
