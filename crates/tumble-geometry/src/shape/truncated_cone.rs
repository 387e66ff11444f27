//! The truncated cone, with the cone as a special case.

use crate::ray::{Exit, common, radial, slab, slab_exit};
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
    /// Radius at a local height, and its growth with height; below zero beyond the apex.
    #[inline]
    fn profile(&self, z: f64) -> (f64, f64) {
        let slope = (self.upper_radius - self.lower_radius) / self.height;
        // From the nearer end, so that the radius at each end is met exactly.
        let (up, down) = (z - self.lower_z(), self.upper_z() - z);
        (if up < down { self.lower_radius + slope * up } else { self.upper_radius - slope * down }, slope)
    }

    /// Coefficients a, b, c of rho^2 - radius(z)^2 = a t^2 + 2 b t + c along a line, and the growth of the radius with t.
    #[inline]
    fn side_along(&self, origin: DVec3, direction: DVec3) -> ([f64; 3], f64) {
        let (radius, slope) = self.profile(origin.z);
        let growth = slope * direction.z;
        let rho = (origin.x * origin.x + origin.y * origin.y).sqrt();
        let a = direction.x * direction.x + direction.y * direction.y - growth * growth;
        let b = origin.x * direction.x + origin.y * direction.y - growth * radius;
        ([a, b, (rho - radius) * (rho + radius)], growth)
    }

    /// Where a ray from inside leaves: side 0, upper end 1, lower end 2. An end that is a point belongs to the side.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        let ([a, b, c], growth) = self.side_along(origin, direction);
        let square = b * b - a * c;
        // Steeper than the cone and away from its tip: never, even where rounding puts the origin beyond the tip.
        let side = if a < 0.0 && growth > 0.0 {
            f64::INFINITY
        } else if b > 0.0 {
            // With a < 0 and no root the ray runs inside the cone for ever, which the ends cut short.
            if square < 0.0 && a < 0.0 { f64::INFINITY } else { (-c / (b + square.max(0.0).sqrt())).max(0.0) }
        } else if a > 0.0 {
            ((square.max(0.0).sqrt() - b) / a).max(0.0)
        } else {
            f64::INFINITY
        };
        let end = slab_exit(origin.z, direction.z, self.lower_z(), self.upper_z());
        let end_radius = if direction.z > 0.0 { self.upper_radius } else { self.lower_radius };
        if side < end || end_radius == 0.0 {
            let distance = side.min(end);
            let slope = (self.upper_radius - self.lower_radius) / self.height;
            let normal = (radial(origin + distance * direction, direction) - slope * DVec3::Z).normalize();
            return Exit { distance, normal, piece: 0 };
        }
        Exit::through_end(end, direction)
    }

    /// Where a line enters and leaves.
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        let between_ends = slab(origin.z, direction.z, self.lower_z(), self.upper_z())?;
        let ([a, b, c], growth) = self.side_along(origin, direction);
        let square = b * b - a * c;
        if square < 0.0 && a > 0.0 {
            return None;
        }
        let root = square.max(0.0).sqrt();
        let q = if b > 0.0 { -(b + root) } else { root - b };
        // The two roots are q / a and c / q. With a < 0 the line is steeper than the cone and inside it beyond one root.
        let side = if q == 0.0 && a == 0.0 {
            (c <= 0.0).then_some((f64::NEG_INFINITY, f64::INFINITY))
        } else {
            let first = if a == 0.0 { f64::INFINITY * q } else { q / a };
            let second = if q == 0.0 { first } else { c / q };
            let (lower, upper) = (first.min(second), first.max(second));
            if a > 0.0 {
                Some((lower, upper))
            } else if a == 0.0 {
                Some(if b > 0.0 { (f64::NEG_INFINITY, second) } else { (second, f64::INFINITY) })
            } else if growth > 0.0 {
                Some((upper, f64::INFINITY))
            } else {
                Some((f64::NEG_INFINITY, lower))
            }
        }?;
        common(between_ends, side)
    }

    /// Whether a point lies inside.
    pub fn contains(&self, point: DVec3) -> bool {
        let (radius, _) = self.profile(point.z);
        let is_between = self.lower_z() <= point.z && point.z <= self.upper_z();
        is_between && point.x * point.x + point.y * point.y <= radius * radius
    }

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
