//! The sphere.

use crate::ray::{Exit, ball_chord, ball_exit};
use glam::DVec3;
use std::f64::consts::PI;

/// A ball about the local origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius [m].
    pub radius: f64,
}

impl Sphere {
    /// Where a ray from inside leaves.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        let distance = ball_exit(origin, direction, self.radius);
        let normal = (origin + distance * direction).try_normalize().unwrap_or(direction);
        Exit { distance, normal, piece: 0 }
    }

    /// Where a line enters and leaves.
    #[inline]
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        ball_chord(origin, direction, self.radius)
    }

    /// Whether a point lies inside.
    pub fn contains(&self, point: DVec3) -> bool {
        point.length_squared() <= self.radius * self.radius
    }

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
