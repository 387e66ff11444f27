//! The tablet: a cylinder whose ends are domes.
//!
//! With r the radius of the band, h half of its height and c the height of a dome, each dome is a cap of a ball of radius
//! R = (r^2 + c^2) / (2 c) whose centre lies on the axis at z = h + c - R. Where c = r the domes are half-balls and the
//! tablet is a capsule; where c < r a sharp rim runs between dome and band. Along a direction at an angle t to the axis
//! the farthest point lies on the dome if sin t <= r / R, otherwise on the rim.
//!
//! Points of a dome are counted from its tip, at a depth w = z_tip - z: there x^2 + y^2 + w^2 - 2 R w = 0, and nothing is
//! lost for flat domes, whose ball is much larger than the tablet.

use super::cylinder::along;
use crate::ray::{Exit, common, hull, radial, slab, tube_chord, tube_exit};
use glam::DVec3;
use std::f64::consts::PI;

/// A cylindrical band with a spherical cap on each end (a domed pill), its centre at the local origin and its axis along
/// local z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tablet {
    /// Radius of the band [m].
    pub radius: f64,
    /// Half of the height of the band [m]; zero or more.
    pub half_height: f64,
    /// Height of a dome above the band [m]; above zero, at most the radius.
    pub dome_height: f64,
}

impl Tablet {
    /// Radius of the balls that the domes are parts of [m].
    #[inline]
    pub fn dome_radius(&self) -> f64 {
        let (r, c) = (self.radius, self.dome_height);
        0.5 * (r * (r / c) + c)
    }

    /// Local z of the centre of the upper dome's ball [m]; below zero for flat domes. The lower one's is opposite.
    #[inline]
    pub fn dome_centre(&self) -> f64 {
        self.half_height + self.dome_height - self.dome_radius()
    }

    /// Half of the whole thickness [m].
    #[inline]
    pub fn half_thickness(&self) -> f64 {
        self.half_height + self.dome_height
    }

    /// Half of b and c in t^2 + 2 b t + c, below zero inside the ball of the dome of one side (`side` is 1 or -1).
    #[inline]
    fn dome_along(&self, side: f64, origin: DVec3, direction: DVec3) -> (f64, f64) {
        let radius = self.dome_radius();
        let depth = self.half_thickness() - side * origin.z;
        let across = origin.x * origin.x + origin.y * origin.y;
        let b = origin.x * direction.x + origin.y * direction.y + (radius - depth) * (side * direction.z);
        (b, across + depth * (depth - 2.0 * radius))
    }

    /// Where a ray from inside leaves: side 0, upper dome 1, lower dome 2.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        // The endless tube holds the tablet, so where the ray leaves the tube tells which part it leaves first.
        let band = tube_exit(origin, direction, self.radius);
        let z = if band.is_finite() { origin.z + band * direction.z } else { direction.z * f64::INFINITY };
        if z.abs() <= self.half_height {
            return Exit { distance: band, normal: radial(origin + band * direction, direction), piece: 0 };
        }
        let side = z.signum();
        let (b, c) = self.dome_along(side, origin, direction);
        let root = (b * b - c).max(0.0).sqrt();
        let distance = if b > 0.0 { (-c / (b + root)).max(0.0) } else { root - b };
        let point = origin + distance * direction;
        let rise = self.dome_radius() - (self.half_thickness() - side * point.z);
        let normal = DVec3::new(point.x, point.y, side * rise).try_normalize().unwrap_or(direction);
        Exit { distance, normal, piece: if side > 0.0 { 1 } else { 2 } }
    }

    /// Where a line enters and leaves.
    #[inline]
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        let tube = tube_chord(origin, direction, self.radius)?;
        let band = slab(origin.z, direction.z, -self.half_height, self.half_height).and_then(|z| common(z, tube));
        let dome = |side: f64| {
            let (b, c) = self.dome_along(side, origin, direction);
            let square = b * b - c;
            if square < 0.0 {
                return None;
            }
            let far = if b > 0.0 { -(b + square.sqrt()) } else { square.sqrt() - b };
            let near = if far == 0.0 { 0.0 } else { c / far };
            let above = slab(side * origin.z, side * direction.z, self.half_height, f64::INFINITY)?;
            common(above, (far.min(near), far.max(near)))
        };
        hull(band, hull(dome(1.0), dome(-1.0)))
    }

    /// Whether a point lies inside.
    pub fn contains(&self, point: DVec3) -> bool {
        let across = point.x * point.x + point.y * point.y;
        let depth = self.half_thickness() - point.z.abs();
        let is_under_dome = || depth >= 0.0 && across + depth * (depth - 2.0 * self.dome_radius()) <= 0.0;
        across <= self.radius * self.radius && (point.z.abs() <= self.half_height || is_under_dome())
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        let (r, h, c) = (self.radius, self.half_height, self.dome_height);
        PI * (2.0 * r * r * h + c * (r * r + c * c / 3.0))
    }

    /// Principal moments of inertia at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        let (r, h, c) = (self.radius, self.half_height, self.dome_height);
        let (r2, c2) = (r * r, c * c);
        // Integrals over a dome, u the height above the band and s the distance of the surface from the axis: of s^2, s^2 u,
        // s^2 u^2 and s^4, with s^2 = r^2 - (r^2 - c^2) u / c - u^2.
        let zeroth = c * (r2 / 2.0 + c2 / 6.0);
        let first = c2 * (r2 / 6.0 + c2 / 12.0);
        let second = c * c2 * (r2 / 12.0 + c2 / 20.0);
        let fourth = c * (r2 * r2 / 3.0 + r2 * c2 / 6.0 + c2 * c2 / 30.0);
        let along = PI * (r2 * r2 * h + fourth);
        let height_squared = r2 * h * h * h / 3.0 + h * h * zeroth + 2.0 * h * first + second;
        let across = along / 2.0 + 2.0 * PI * height_squared;
        DVec3::new(across, across, along)
    }

    /// Whether a direction's farthest point on the end of one side lies on the dome and not on the rim.
    #[inline]
    pub fn faces_dome(&self, direction: DVec3, is_upper: bool) -> bool {
        let (r, c) = (self.radius, self.dome_height);
        let rise = if is_upper { direction.z } else { -direction.z };
        let across_squared = direction.x * direction.x + direction.y * direction.y;
        // tan t <= r / (R - c), with 2 c (R - c) = r^2 - c^2.
        let (rise, reach) = (2.0 * c * r * rise, (r - c) * (r + c));
        rise > 0.0 && reach * reach * across_squared <= rise * rise
    }

    /// The point of one end (a dome with its rim, and the flat disc that cuts it off) farthest along a direction.
    #[inline]
    pub fn end_support(&self, direction: DVec3, is_upper: bool) -> DVec3 {
        let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
        let sign = if is_upper { 1.0 } else { -1.0 };
        if self.faces_dome(direction, is_upper) {
            let length = direction.length();
            let sine = across / length;
            let radius = self.dome_radius();
            let depth = radius * sine * sine / (1.0 + direction.z.abs() / length);
            let scale = radius / length;
            return DVec3::new(direction.x * scale, direction.y * scale, sign * (self.half_thickness() - depth));
        }
        let scale = if across > 0.0 { self.radius / across } else { 0.0 };
        DVec3::new(direction.x * scale, direction.y * scale, sign * self.half_height)
    }

    /// The point farthest along a direction. Where a whole line of the band is equally far, its middle.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let mut point = self.end_support(direction, direction.z >= 0.0);
        if direction.z == 0.0 {
            point.z = along(direction.z, self.half_height);
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capsule;
    use crate::oracle::Sequence;

    #[test]
    fn with_half_balls_for_domes_it_is_a_capsule() {
        let tablet = Tablet { radius: 0.7, half_height: 0.3, dome_height: 0.7 };
        let capsule = Capsule { radius: 0.7, half_height: 0.3 };
        assert!((tablet.volume() / capsule.volume() - 1.0).abs() < 1e-15);
        assert!((tablet.inertia() / capsule.inertia() - 1.0).abs().max_element() < 1e-15);
        let mut random = Sequence::new(41);
        for _ in 0..1000 {
            let (point, direction) = (random.point_in_cube(1.2), random.direction());
            assert!(tablet.support(direction).distance(capsule.support(direction)) < 1e-15);
            assert_eq!(tablet.contains(point), capsule.contains(point), "{point}");
            match (tablet.chord(point, direction), capsule.chord(point, direction)) {
                (Some(a), Some(b)) => assert!((a.0 - b.0).abs() < 1e-13 && (a.1 - b.1).abs() < 1e-13),
                (a, b) => assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn a_hair_of_a_dome_loses_no_digits() {
        // The ball of this dome is half a billion times as large as the tablet.
        let tablet = Tablet { radius: 1.0, half_height: 0.5, dome_height: 1e-9 };
        let middle = tablet.exit(DVec3::ZERO, DVec3::Z);
        assert_eq!((middle.distance, middle.piece), (0.5 + 1e-9, 1));
        let beside = tablet.exit(DVec3::new(0.6, 0.0, 0.1), -DVec3::Z);
        // A parabola to rounding: c (1 - s^2 / r^2) above the band.
        assert!((beside.distance - (0.6 + 0.64e-9)).abs() < 2e-16, "{}", beside.distance);
        let slope = DVec3::new(1e-9, 0.0, 1.0);
        assert!((tablet.support(slope) - DVec3::new(0.5, 0.0, 0.5 + 0.75e-9)).length() < 1e-15);
        let (enter, leave) = tablet.chord(DVec3::new(0.6, 0.0, 3.0), -DVec3::Z).unwrap();
        assert!((enter - (2.5 - 0.64e-9)).abs() < 1e-15 && (leave - (3.5 + 0.64e-9)).abs() < 1e-15);
    }
}
