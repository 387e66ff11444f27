//! The surface of a superquadric to second order: the level function and its derivatives, normals, principal curvatures; and the
//! principal radii of curvature as the support function has them.
//!
//! With u = |x/a|, v = |y/b|, w = |z/c|, s = u^n2 + v^n2 and k = n1 / n2 the level function is F = s^k + w^n1: 1 on the surface, convex,
//! and the gauge to the power n1. Its derivatives are bounded for exponents of 2 and more (with x and y for u and v, up to their
//! signs and half axes):
//!
//!   F_x = n1 s^(k-1) u^(n2-1),     F_xx = n1 s^(k-1) ((n2 - 1) u^(n2-2) + (n1 - n2) u^(2 n2-2) / s),
//!   F_xy = n1 (n1 - n2) s^(k-2) u^(n2-1) v^(n2-1),     F_z = n1 w^(n1-1),     F_zz = n1 (n1 - 1) w^(n1-2).
//!
//! The shape operator is the second derivative over the length of the first, across the normal. Where the exponent is above 2 it
//! vanishes in the symmetry planes: the surface is flat there and the support function, whose second derivative is its
//! inverse, has none. With two exponents the curvature depends at the poles (x = y = 0) on the side they are come to from.

use super::powers::{power, raised, root};
use super::{Superquadric, unit_of};
use glam::{DMat3, DVec3};

/// The level function of a superquadric at a point, to second order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Value [1]: 1 on the surface, less inside.
    pub value: f64,
    /// Gradient [1/m]: outward.
    pub gradient: DVec3,
    /// Second derivatives by x, y and z twice [1/m^2].
    pub diagonal: DVec3,
    /// Second derivative by x and y [1/m^2]; those by z and x or y are zero.
    pub xy: f64,
}

impl Level {
    /// The second derivative along two directions [1/m^2].
    #[inline]
    pub fn along(&self, p: DVec3, q: DVec3) -> f64 {
        (self.diagonal * p).dot(q) + self.xy * (p.x * q.y + p.y * q.x)
    }

    /// The second derivatives [1/m^2].
    pub fn hessian(&self) -> DMat3 {
        let mut hessian = DMat3::from_diagonal(self.diagonal);
        hessian.x_axis.y = self.xy;
        hessian.y_axis.x = self.xy;
        hessian
    }
}

impl Superquadric {
    /// The level function (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1, its gradient and its second derivatives.
    #[inline]
    pub fn level(&self, point: DVec3) -> Level {
        let inverse = DVec3::ONE / self.semi_axes;
        let u = (point * inverse).abs();
        let (n1, n2) = (self.n1, self.n2);
        // The power n - 2, then times u and u^2.
        if n1 == n2 {
            let lowered = DVec3::new(raised(u.x, n1 - 2.0), raised(u.y, n1 - 2.0), raised(u.z, n1 - 2.0));
            let slope = lowered * u;
            return Level {
                value: slope.dot(u),
                gradient: (slope * inverse * n1).copysign(point),
                diagonal: lowered * inverse * inverse * (n1 * (n1 - 1.0)),
                xy: 0.0,
            };
        }
        // u and v as parts of the larger one m, so that no power is out of range near a pole: s^(k-1) u^(n2-2) is m^(n1-2)
        // sigma^(k-1) (u/m)^(n2-2), sigma = s / m^n2. At the pole itself there is no ratio, and any will do.
        let m = u.x.max(u.y);
        let (x, y) = if m > 0.0 { (u.x / m, u.y / m) } else { (1.0, 1.0) };
        let (lowered_x, lowered_y, lowered_z) = (raised(x, n2 - 2.0), raised(y, n2 - 2.0), raised(u.z, n1 - 2.0));
        let (slope_x, slope_y, slope_z) = (lowered_x * x, lowered_y * y, lowered_z * u.z);
        let sigma = slope_x * x + slope_y * y;
        let outer = raised(m, n1 - 2.0) * power(sigma, n1 / n2 - 1.0);
        let mixed = (n1 - n2) / sigma;
        let gradient = DVec3::new(outer * m * slope_x, outer * m * slope_y, slope_z);
        let diagonal = DVec3::new(
            outer * ((n2 - 1.0) * lowered_x + mixed * slope_x * slope_x),
            outer * ((n2 - 1.0) * lowered_y + mixed * slope_y * slope_y),
            (n1 - 1.0) * lowered_z,
        );
        let sign = if (point.x < 0.0) == (point.y < 0.0) { 1.0 } else { -1.0 };
        Level {
            value: outer * m * m * sigma + slope_z * u.z,
            gradient: (gradient * inverse * n1).copysign(point),
            diagonal: diagonal * inverse * inverse * n1,
            xy: sign * n1 * outer * mixed * slope_x * slope_y * inverse.x * inverse.y,
        }
    }

    /// The second derivative of the gauge (see [`Superquadric::gauge`]) [1/m^2], of degree -1 in the point. It vanishes along the
    /// ray to the point.
    pub fn gauge_hessian(&self, point: DVec3) -> DMat3 {
        let level = self.level(point);
        if level.value <= 0.0 {
            return DMat3::ZERO;
        }
        // G = F^(1/n): the second derivative is G / (n F) (F'' - (1 - 1/n) F' F'^T / F).
        let g = level.gradient;
        let square = DMat3::from_cols(g * g.x, g * g.y, g * g.z) * ((1.0 - 1.0 / self.n1) / level.value);
        (level.hessian() - square) * (root(level.value, self.n1) / (self.n1 * level.value))
    }

    /// The principal curvatures of the surface [1/m], the smaller first, where the ray from the centre through a point meets it.
    pub fn curvatures(&self, point: DVec3) -> [f64; 2] {
        let level = self.level(point);
        let Some(normal) = level.gradient.try_normalize() else { return [0.0; 2] };
        // From where the point is to where the ray leaves, curvatures go as one over the distance.
        let scale = root(level.value, self.n1) / level.gradient.length();
        let (p, q) = normal.any_orthonormal_pair();
        eigenvalues(level.along(p, p) * scale, level.along(p, q) * scale, level.along(q, q) * scale)
    }

    /// The principal radii of curvature of the surface [m], the smaller first, where its outward normal is a unit direction: the
    /// second derivative of the support function across it. Without bound where the surface is flat.
    pub fn principal_radii(&self, normal: DVec3) -> [f64; 2] {
        let (_, terms) = self.support_and_curvature(normal);
        let (p, q) = normal.any_orthonormal_pair();
        let along = |p: DVec3, q: DVec3| terms.iter().map(|(weight, d)| weight * d.dot(p) * d.dot(q)).sum();
        eigenvalues(along(p, p), along(p, q), along(q, q))
    }

    /// The point in which the ray through a point near the surface meets it, the level function there up to the factor that makes
    /// its gradient the outward unit normal: second derivatives are then those of the surface [1/m].
    #[inline]
    pub(crate) fn on_surface(&self, near: DVec3) -> (DVec3, Level) {
        let level = self.level(near);
        let scale = self.scale_to_surface(level.value);
        let inverse = 1.0 / level.gradient.length();
        let curved = inverse / scale;
        let (gradient, diagonal, xy) = (level.gradient * inverse, level.diagonal * curved, level.xy * curved);
        (near * scale, Level { value: 1.0, gradient, diagonal, xy })
    }

    /// The same to first order: the point and the outward unit normal.
    #[inline]
    pub(crate) fn normal_on_surface(&self, near: DVec3) -> (DVec3, DVec3) {
        if self.n1 != self.n2 {
            let (point, level) = self.on_surface(near);
            return (point, level.gradient);
        }
        let inverse = DVec3::ONE / self.semi_axes;
        let scaled = near * inverse;
        if self.n1 == 2.0 {
            return (near * self.scale_to_surface(scaled.length_squared()), (scaled * inverse).normalize());
        }
        let u = scaled.abs();
        let lowered = self.n1 - 2.0;
        let slope = DVec3::new(raised(u.x, lowered), raised(u.y, lowered), raised(u.z, lowered)) * scaled;
        (near * self.scale_to_surface(slope.dot(scaled)), (slope * inverse).normalize())
    }

    /// The point farthest along a unit direction, and the surface there as [`Superquadric::on_surface`] has it, whose normal is that direction
    /// but for what a support point leaves out.
    #[inline]
    pub(crate) fn farthest(&self, direction: DVec3) -> (DVec3, Level) {
        if self.n1 != self.n2 {
            return self.on_surface(self.support(direction));
        }
        let n = self.n1;
        let inverse = DVec3::ONE / self.semi_axes;
        let scaled = self.semi_axes * direction;
        let (point, lowered, reach) = if n == 2.0 {
            let reach = scaled.length();
            (self.semi_axes * (scaled / reach), DVec3::ONE, reach)
        } else {
            let Some((unit, largest)) = unit_of(scaled.abs()) else { return self.on_surface(self.semi_axes) };
            let (u, norm) = self.support_of_one(unit);
            let lowered = DVec3::new(raised(u.x, n - 2.0), raised(u.y, n - 2.0), raised(u.z, n - 2.0));
            (self.semi_axes * u.copysign(direction), lowered, norm * largest)
        };
        // The gradient of the level function at the farthest point is n over the reach, along the direction.
        let diagonal = lowered * inverse * inverse * ((n - 1.0) * reach);
        (point, Level { value: 1.0, gradient: direction, diagonal, xy: 0.0 })
    }

    /// What takes a point near the surface to it along its ray, from its level: (1 + e)^(-1/n), for small e by a fraction that leaves
    /// less than e^3/30, which is rounding.
    #[inline]
    fn scale_to_surface(&self, level: f64) -> f64 {
        let (excess, p) = (level - 1.0, 1.0 / self.n1);
        if excess.abs() < 1e-4 {
            (2.0 + (1.0 - p) * excess) / (2.0 + (1.0 + p) * excess)
        } else {
            1.0 / root(level, self.n1)
        }
    }
}

/// The eigenvalues of a symmetric matrix, the smaller first.
fn eigenvalues(xx: f64, xy: f64, yy: f64) -> [f64; 2] {
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let spread = (half * half + xy * xy).sqrt();
    [mean - spread, mean + spread]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;

    const EXPONENTS: [(f64, f64); 10] = [
        (2.0, 2.0),
        (4.0, 4.0),
        (8.0, 8.0),
        (20.0, 20.0),
        (2.0, 8.0),
        (8.0, 2.0),
        (2.5, 3.7),
        (3.0, 12.0),
        (20.0, 2.0),
        (2.0, 20.0),
    ];

    fn samples() -> Vec<Superquadric> {
        let all = [DVec3::ONE, DVec3::new(0.5, 0.5, 0.75), DVec3::new(1.0, 0.3, 0.1)];
        let of = |semi_axes: DVec3| EXPONENTS.map(|(n1, n2)| Superquadric { semi_axes, n1, n2 });
        all.into_iter().flat_map(of).collect()
    }

    #[test]
    fn derivatives_are_those_of_the_level_function_and_of_the_gauge() {
        let mut random = Sequence::new(3);
        for body in samples() {
            for _ in 0..50 {
                let point = random.direction() * body.semi_axes * random.between(0.6, 1.4);
                let level = body.level(point);
                let step = 1e-6 * body.semi_axes.min_element();
                let size = level.diagonal.max_element() + level.value;
                let (gauge, slope) = body.gauge(point);
                assert!((root(level.value, body.n1) - gauge).abs() < 1e-13 * gauge);
                assert!((level.gradient * gauge / (body.n1 * level.value) - slope).length() < 1e-12 * slope.length());
                for axis in DVec3::AXES {
                    let (more, less) = (body.level(point + axis * step), body.level(point - axis * step));
                    let value = (more.value - less.value) / (2.0 * step);
                    assert!((value - level.gradient.dot(axis)).abs() < 1e-6 * size, "{body:?}");
                    let gradient = (more.gradient - less.gradient) / (2.0 * step);
                    assert!((gradient - level.hessian() * axis).length() < 1e-4 * size, "{body:?} {point}");
                    let second = (body.gauge(point + axis * step).1 - body.gauge(point - axis * step).1) / (2.0 * step);
                    let hessian = body.gauge_hessian(point);
                    let allowed = 1e-4 * (hessian * DVec3::ONE).length().max(hessian.determinant().abs()).max(1.0)
                        / body.semi_axes.min_element();
                    assert!((second - hessian * axis).length() < allowed, "{body:?} {point}");
                }
                // Of first degree, so that nothing changes along the ray.
                assert!((body.gauge_hessian(point) * point).length() < 1e-11 / body.semi_axes.min_element());
            }
        }
    }

    #[test]
    fn the_support_point_has_the_normal_and_the_reach_of_its_direction() {
        let mut random = Sequence::new(5);
        for body in samples() {
            for _ in 0..200 {
                let n = random.direction();
                let point = body.support(n);
                assert!((body.reach(n) - point.dot(n)).abs() < 4e-15 * body.bounding_radius(), "{body:?} {n}");
                let (placed, level) = body.on_surface(point);
                assert!((placed - point).length() < 1e-13 && (level.gradient - n).length() < 1e-10, "{body:?} {n}");
                let bound = body.reach_at_most(n);
                assert!(bound >= body.reach(n) * (1.0 - 1e-15) && bound < 1.1 * body.reach(n), "{body:?} {n}: {bound}");
                // The same at once.
                let (farthest, there) = body.farthest(n);
                let bent = (there.diagonal - level.diagonal).abs().max_element() + (there.xy - level.xy).abs();
                assert!((farthest - point).length() < 1e-13 && (there.gradient - n).length() < 1e-10);
                assert!(bent < 1e-10 * (1.0 + level.diagonal.max_element()), "{body:?} {n}: {there:?} {level:?}");
                let near = point + 0.02 * body.semi_axes.min_element() * random.direction();
                let ((placed, level), (point, normal)) = (body.on_surface(near), body.normal_on_surface(near));
                assert!((placed - point).length() < 1e-15 && (level.gradient - normal).length() < 1e-14, "{body:?}");
                // Nothing reaches farther, and beside it the reach grows as the point says.
                let m = (n + 0.1 * random.direction()).normalize();
                assert!(body.reach(m) >= point.dot(m) - 1e-15);
                let (p, h) = (body.support(m), 1e-6);
                let (more, less) = (body.reach(m + h * n), body.reach(m - h * n));
                assert!(((more - less) / (2.0 * h) - p.dot(n)).abs() < 1e-3 * body.bounding_radius(), "{body:?} {m}");
            }
        }
    }

    #[test]
    fn curvatures_of_the_surface_are_one_over_the_radii_of_the_support_function() {
        let mut random = Sequence::new(7);
        for body in samples() {
            for _ in 0..200 {
                let n = random.direction();
                // Away from what is flat, where one is without bound.
                if n.abs().min_element() < 0.05 {
                    continue;
                }
                let ([low, high], [small, large]) = (body.curvatures(body.support(n)), body.principal_radii(n));
                assert!((low * large - 1.0).abs() < 1e-6 && (high * small - 1.0).abs() < 1e-6, "{body:?} {n}");
            }
        }
        let ball = Superquadric { semi_axes: DVec3::splat(2.0), n1: 2.0, n2: 2.0 };
        assert_eq!(ball.curvatures(DVec3::X).map(|k| (k * 1e12).round()), [5e11; 2]);
        let rounded = Superquadric { semi_axes: DVec3::ONE, n1: 4.0, n2: 4.0 };
        assert!(rounded.curvatures(DVec3::X)[1].abs() < 1e-12);
        // In the middle of an edge: (n - 1) 2^(1/n) / sqrt 2 across it.
        let edge = 3.0 * 2f64.powf(0.25) / 2f64.sqrt();
        assert!((rounded.curvatures(DVec3::new(1.0, 1.0, 0.0))[1] - edge).abs() < 1e-12);
    }

    #[test]
    fn no_radius_of_curvature_is_below_that_of_the_ball_that_rolls_inside() {
        let mut random = Sequence::new(9);
        let mut tightest = f64::INFINITY;
        let mut check = |body: &Superquadric, point: DVec3| {
            let ratio = 1.0 / (body.curvatures(point)[1] * body.rolling_radius());
            assert!(ratio > 1.0 - 1e-9, "{body:?} {point}: {ratio}");
            tightest = tightest.min(ratio);
        };
        for body in samples() {
            for _ in 0..5_000 {
                check(&body, random.direction() * body.semi_axes);
            }
        }
        for _ in 0..200 {
            let mut exponent = || random.between_in_ratio(2.0, 60.0);
            let (n1, n2) = (exponent(), exponent());
            let body = Superquadric { semi_axes: DVec3::ONE, n1, n2 };
            for _ in 0..1_000 {
                let d = random.direction();
                check(&body, d);
                // Near edges and poles too.
                check(&body, DVec3::new(d.x.signum(), d.y.signum() * (1.0 + 0.1 * d.y), d.z));
                check(&body, DVec3::new(1.0, d.y, 1.0 + 0.1 * d.z));
                check(&body, DVec3::new(1e-3 * d.x, 1e-3 * d.y, 1.0));
            }
        }
        assert!(tightest < 1.001);
    }
}
