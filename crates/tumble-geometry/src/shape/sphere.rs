//! The sphere.

use glam::DVec3;
use std::f64::consts::PI;

/// A ball about the local origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius [m].
    pub radius: f64,
}

impl Sphere {
    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius.powi(3)
    }

    /// Principal moments of inertia at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        DVec3::splat(0.4 * self.volume() * self.radius * self.radius)
    }

    /// The point farthest along a direction.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        direction.normalize_or_zero() * self.radius
    }
}
