//! The flat-ended cylinder.

use crate::ray::{Exit, common, radial, slab, slab_exit, tube_chord, tube_exit};
use glam::DVec3;
use std::f64::consts::PI;

/// A cylinder with flat ends, its centre at the local origin and its axis along local z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius [m].
    pub radius: f64,
    /// Half of the height [m].
    pub half_height: f64,
}

impl Cylinder {
    /// Where a ray from inside leaves: side 0, upper cap 1, lower cap 2.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        let side = tube_exit(origin, direction, self.radius);
        let cap = slab_exit(origin.z, direction.z, -self.half_height, self.half_height);
        if side < cap {
            return Exit { distance: side, normal: radial(origin + side * direction, direction), piece: 0 };
        }
        Exit::through_end(cap, direction)
    }

    /// Where a line enters and leaves.
    #[inline]
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        let between_caps = slab(origin.z, direction.z, -self.half_height, self.half_height)?;
        common(between_caps, tube_chord(origin, direction, self.radius)?)
    }

    /// Whether a point lies inside.
    pub fn contains(&self, point: DVec3) -> bool {
        point.z.abs() <= self.half_height && point.x * point.x + point.y * point.y <= self.radius * self.radius
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        2.0 * PI * self.radius * self.radius * self.half_height
    }

    /// Principal moments of inertia at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        let (r2, h2) = (self.radius * self.radius, self.half_height * self.half_height);
        let across = r2 / 4.0 + h2 / 3.0;
        self.volume() * DVec3::new(across, across, r2 / 2.0)
    }

    /// The point farthest along a direction. Where a whole cap or side line is equally far, its middle.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let rho_squared = direction.x * direction.x + direction.y * direction.y;
        let across = if rho_squared > 0.0 { self.radius / rho_squared.sqrt() } else { 0.0 };
        DVec3::new(direction.x * across, direction.y * across, along(direction.z, self.half_height))
    }
}

/// A half-length with the sign of a component; zero where the component is zero.
#[inline]
pub(super) fn along(component: f64, half_length: f64) -> f64 {
    if component > 0.0 {
        half_length
    } else if component < 0.0 {
        -half_length
    } else {
        0.0
    }
}
