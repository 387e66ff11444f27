//! The truncated cone, with the cone as a special case.

use glam::DVec3;
use std::f64::consts::PI;

/// A cone cut off flat at both ends (one end may be a point), its axis along local z and its centre of volume at the
/// local origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruncatedCone {
    /// Radius of the lower end [m].
    pub lower_radius: f64,
    /// Radius of the upper end [m].
    pub upper_radius: f64,
    /// Height [m].
    pub height: f64,
}

impl TruncatedCone {
    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        let (p, q) = (self.lower_radius, self.upper_radius);
        PI / 3.0 * self.height * (p * p + p * q + q * q)
    }

    /// Principal moments of inertia at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        let (p, q, h) = (self.lower_radius, self.upper_radius, self.height);
        // Sums over the powers of the linear profile: the integrals of r^4 and of z^2 r^2, z from the lower end.
        let fourth = h / 5.0 * (p.powi(4) + p.powi(3) * q + p * p * q * q + p * q.powi(3) + q.powi(4));
        let second = h.powi(3) * (p * p + 3.0 * p * q + 6.0 * q * q) / 30.0;
        let along = PI / 2.0 * fourth;
        let across = along / 2.0 + PI * second - self.volume() * self.lower_z().powi(2);
        DVec3::new(across, across, along)
    }

    /// Local z of the lower end [m]; below zero.
    #[inline]
    pub fn lower_z(&self) -> f64 {
        let (p, q) = (self.lower_radius, self.upper_radius);
        -self.height * (p * p + 2.0 * p * q + 3.0 * q * q) / (4.0 * (p * p + p * q + q * q))
    }

    /// Local z of the upper end [m].
    #[inline]
    pub fn upper_z(&self) -> f64 {
        self.lower_z() + self.height
    }

    /// The point farthest along a direction. Where a whole end is equally far, its middle.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let rho = (direction.x * direction.x + direction.y * direction.y).sqrt();
        let lower_z = self.lower_z();
        let upper_z = lower_z + self.height;
        let is_upper =
            upper_z * direction.z + self.upper_radius * rho >= lower_z * direction.z + self.lower_radius * rho;
        let (radius, z) = if is_upper { (self.upper_radius, upper_z) } else { (self.lower_radius, lower_z) };
        let across = if rho > 0.0 { radius / rho } else { 0.0 };
        DVec3::new(direction.x * across, direction.y * across, z)
    }
}
