//! The superquadric: (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 <= 1, with exponents of 2 or more.
//!
//! Its gauge is a nested p-norm, so its support is the dual nested norm with q = n / (n - 1), by Hölder's inequality
//! used twice. All powers are of ratios between 0 and 1, so nothing overflows. The support *function* is well
//! conditioned; the support *point* is not for large exponents: an error of 1e-16 in the direction moves it by 0.14 of a
//! half axis at n = 20. Components of the direction below 1e-12 of the largest are taken as zero.

mod powers;
mod surface;

pub(crate) use powers::raised;
pub use surface::Level;

use crate::ray::{Exit, ball_chord, ball_exit, common, slab, slab_exit};
use crate::tolerance::ROUNDING;
use glam::DVec3;
use powers::{lowered_root, power, root};

/// A superquadric about the local origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Superquadric {
    /// Half axes along local x, y and z [m].
    pub semi_axes: DVec3,
    /// Exponent n1 between z and the x-y section [1]; 2 is round, large is square.
    pub n1: f64,
    /// Exponent n2 within the x-y section [1].
    pub n2: f64,
}

impl Superquadric {
    /// The gauge: 1 on the surface, homogeneous of degree 1, convex; and its gradient. No power overflows.
    #[inline]
    pub fn gauge(&self, point: DVec3) -> (f64, DVec3) {
        let u = (point / self.semi_axes).abs();
        let (section, along_x, along_y) = nested_norm(u.x, u.y, self.n2);
        let (gauge, along_section, along_z) = nested_norm(section, u.z, self.n1);
        let gradient = DVec3::new(along_section * along_x, along_section * along_y, along_z);
        (gauge, gradient.copysign(point) / self.semi_axes)
    }

    /// Radius of a ball that rolls inside all along the surface [m], by Blaschke's theorem no more than the smallest radius of
    /// curvature. The body is all points within this distance of a smaller convex one.
    ///
    /// With unit half axes the radii of curvature are 1 / (N - 1) and more, N the larger exponent. Stretched, that ball is an
    /// ellipsoid that rolls inside, and in it a ball of its shortest half axis squared over its longest.
    /// Exact for ellipsoids; else smaller than need be, by a factor of up to 1.41 with equal half axes.
    pub(crate) fn rolling_radius(&self) -> f64 {
        self.inner_ball(self.semi_axes.max_element()) / (self.n1.max(self.n2) - 1.0)
    }

    /// The same of an ellipsoid for the one point whose normal it reaches so far along: a ball that touches it there from inside and does not
    /// leave it [m].
    #[inline]
    pub(crate) fn inner_ball(&self, reach: f64) -> f64 {
        self.semi_axes.min_element().powi(2) / reach
    }

    /// Whether its curvature has one value at its poles. With n1 = 2 and another n2 it depends on the side they are come to from.
    pub fn has_curvature_at_poles(&self) -> bool {
        self.n1 > 2.0 || self.n2 == 2.0
    }

    /// Whether every section is an ellipse.
    pub(crate) fn is_ellipsoid(&self) -> bool {
        self.n1 == 2.0 && self.n2 == 2.0
    }

    /// Where a ray from inside leaves.
    #[inline]
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> Exit {
        if self.is_ellipsoid() {
            // A ball in coordinates scaled by the half axes, where the direction has another length.
            let (start, along) = (origin / self.semi_axes, direction / self.semi_axes);
            let length = along.length();
            let distance = ball_exit(start, along / length, 1.0) / length;
            let normal = ((start + distance * along) / self.semi_axes).try_normalize().unwrap_or(direction);
            return Exit { distance, normal, piece: 0 };
        }
        let a = self.semi_axes;
        let box_exit = slab_exit(origin.x, direction.x, -a.x, a.x)
            .min(slab_exit(origin.y, direction.y, -a.y, a.y))
            .min(slab_exit(origin.z, direction.z, -a.z, a.z));
        let distance = self.leave(origin, direction, box_exit).unwrap_or(0.0).max(0.0);
        let normal = self.gauge(origin + distance * direction).1.try_normalize().unwrap_or(direction);
        Exit { distance, normal, piece: 0 }
    }

    /// Where a line enters and leaves.
    pub fn chord(&self, origin: DVec3, direction: DVec3) -> Option<(f64, f64)> {
        if self.is_ellipsoid() {
            let (start, along) = (origin / self.semi_axes, direction / self.semi_axes);
            let length = along.length();
            return ball_chord(start, along / length, 1.0).map(|(entry, exit)| (entry / length, exit / length));
        }
        let a = self.semi_axes;
        let x = slab(origin.x, direction.x, -a.x, a.x)?;
        let y = slab(origin.y, direction.y, -a.y, a.y)?;
        let (entry, exit) = common(common(x, y)?, slab(origin.z, direction.z, -a.z, a.z)?)?;
        let entry = -self.leave(origin, -direction, -entry)?;
        let exit = self.leave(origin, direction, exit)?;
        (entry <= exit).then_some((entry, exit))
    }

    /// Where the line last has gauge 1, by Newton's method from `beyond`, a place outside on the far side; `None` if the
    /// line misses. The gauge is convex along the line, so each step stays beyond the root and none overshoots: a step to
    /// where the gauge is above 1 and no longer rises proves that the line misses.
    #[inline]
    fn leave(&self, origin: DVec3, direction: DVec3, beyond: f64) -> Option<f64> {
        // Quadratic near a crossing; a factor of two a step for a line that touches, which 60 steps exhaust.
        const MOST_STEPS: usize = 60;
        let mut t = beyond;
        for _ in 0..MOST_STEPS {
            let (gauge, gradient) = self.gauge(origin + t * direction);
            let excess = gauge - 1.0;
            if excess <= ROUNDING {
                return Some(t);
            }
            let rise = gradient.dot(direction);
            if rise <= 0.0 {
                return None;
            }
            let next = t - excess / rise;
            if next >= t {
                return Some(t);
            }
            t = next;
        }
        Some(t)
    }

    /// Whether a point lies inside; the surface counts, to rounding.
    pub fn contains(&self, point: DVec3) -> bool {
        point.abs().cmple(self.semi_axes).all() && self.gauge(point).0 <= 1.0 + ROUNDING
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        let (e1, e2) = (2.0 / self.n1, 2.0 / self.n2);
        2.0 * self.semi_axes.element_product() * e1 * e2 * beta(e1 / 2.0 + 1.0, e1) * beta(e2 / 2.0, e2 / 2.0)
    }

    /// Principal moments of inertia at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        let (e1, e2) = (2.0 / self.n1, 2.0 / self.n2);
        let squares = self.semi_axes * self.semi_axes;
        let scale = 0.5 * self.semi_axes.element_product() * e1 * e2;
        let across = beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2.0 * e1 + 1.0);
        let along = 4.0 * squares.z * beta(0.5 * e2, 0.5 * e2 + 1.0) * beta(1.5 * e1, e1 + 1.0);
        scale * DVec3::new(squares.y * across + along, squares.x * across + along, (squares.x + squares.y) * across)
    }

    /// Largest distance of a point from the origin [m].
    pub fn bounding_radius(&self) -> f64 {
        // The largest (x^2 + y^2) of the section, then of section and z: maxima of |u|^2 under an n-norm of 1, which
        // Hoelder's inequality gives in closed form; an n-norm with n > 2 bulges beyond the ellipse.
        let (a, b, c) = self.semi_axes.into();
        let section = largest_of_ellipse(a, b, self.n2);
        largest_of_ellipse(section, c, self.n1)
    }

    /// The point farthest along a direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = self.semi_axes * direction;
        if self.is_ellipsoid() {
            let length = scaled.length();
            if length > TINY {
                return self.semi_axes * (scaled / length);
            }
        }
        let Some((unit, _)) = unit_of(scaled.abs()) else { return DVec3::ZERO };
        let (point, _) = if self.n1 == self.n2 { self.support_of_one(unit) } else { self.support_of_two(unit) };
        self.semi_axes * point.copysign(direction)
    }

    /// How far the body reaches along a direction from its centre: the support function, of first degree in the direction [m].
    #[inline]
    pub fn reach(&self, direction: DVec3) -> f64 {
        let scaled = self.semi_axes * direction;
        if self.is_ellipsoid() {
            let length = scaled.length();
            if length > TINY {
                return length;
            }
        }
        let Some((unit, largest)) = unit_of(scaled.abs()) else { return 0.0 };
        let (_, norm) = if self.n1 == self.n2 { self.support_of_one(unit) } else { self.support_of_two(unit) };
        norm * largest
    }

    /// At least [`Superquadric::reach`], for fewer instructions where the exponents are 4 or 8: the dual norm lies between the sum and the
    /// length of the components of the direction over the half axes, whose weighted geometric mean bounds it (Hölder's inequality). Off by a few
    /// per cent at most.
    #[inline]
    pub fn reach_at_most(&self, direction: DVec3) -> f64 {
        let n = self.n1;
        if self.n2 != n || !(n == 4.0 || n == 8.0) {
            return self.reach(direction);
        }
        let scaled = (self.semi_axes * direction).abs();
        let (sum, length) = (scaled.element_sum(), scaled.length());
        let half = (sum * length).sqrt();
        if n == 4.0 { half } else { (sum * half).sqrt() }
    }

    /// With one exponent, the point of the body with unit half axes that is farthest along a direction of components from 0 to
    /// 1, and the dual norm of the direction.
    #[inline]
    fn support_of_one(&self, unit: DVec3) -> (DVec3, f64) {
        let n = self.n1;
        let t = DVec3::new(lowered_root(unit.x, n), lowered_root(unit.y, n), lowered_root(unit.z, n));
        let sum = t.dot(unit);
        let scale = 1.0 / root(sum, n);
        (t * scale, sum * scale)
    }

    /// The same with two exponents.
    #[inline]
    fn support_of_two(&self, unit: DVec3) -> (DVec3, f64) {
        let (m, x, y) = dual_norm(unit.x, unit.y, self.n2);
        let (norm, section, z) = dual_norm(m, unit.z, self.n1);
        (DVec3::new(section * x, section * y, z), norm)
    }

    /// The point farthest along a direction, and the second derivative of the support function there as a sum of two
    /// terms `weight * direction direction^T` [m]. With N the dual norm of (p, s), (X, Y) its point, P = p / N and
    /// S = s / N, its second derivative is (q - 1) X Y / (N P S) times the square of (S, -P); the nested norm has one
    /// such term for each level. It has no bound where the surface is flat (a component of zero, an exponent above 2);
    /// components below 1e-12 of the largest count as that.
    #[inline]
    pub(crate) fn support_and_curvature(&self, direction: DVec3) -> (DVec3, [(f64, DVec3); 2]) {
        let Some((unit, largest)) = unit_of((self.semi_axes * direction).abs()) else {
            return (DVec3::ZERO, [(0.0, DVec3::ZERO); 2]);
        };
        let signs = DVec3::ONE.copysign(direction);
        if self.is_ellipsoid() {
            // An ellipsoid: h = |u| with u = semi_axes * direction. Its second derivative is (1 - p p^T) / |u| with
            // p = u / |u|; the two terms are any two directions across p.
            let length = unit.length();
            let p = unit / length * signs;
            let (e, f) = p.any_orthonormal_pair();
            let weight = 1.0 / (length * largest);
            return (self.semi_axes * p, [(weight, self.semi_axes * e), (weight, self.semi_axes * f)]);
        }
        let (m, x, y) = dual_norm(unit.x, unit.y, self.n2);
        let (h, section, z) = dual_norm(m, unit.z, self.n1);
        // X / P of the header: a coordinate of the point over that of the direction, in units of the norm.
        let slope = |coordinate: f64, component: f64, norm: f64, n: f64| {
            if component > 0.0 { coordinate / component } else { power(1e12, (n - 2.0) / (n - 1.0)) / norm }
        };
        let signed = self.semi_axes * signs;
        let (mut inner_weight, mut inner) = (0.0, DVec3::ZERO);
        if m > 0.0 {
            inner_weight =
                section * slope(x, unit.x, m, self.n2) * slope(y, unit.y, m, self.n2) * m / ((self.n2 - 1.0) * largest);
            inner = signed * DVec3::new(unit.y / m, -unit.x / m, 0.0);
        }
        let outer_weight =
            slope(section, m, h, self.n1) * slope(z, unit.z, h, self.n1) * h / ((self.n1 - 1.0) * largest);
        let outer = signed * DVec3::new(unit.z / h * x, unit.z / h * y, -m / h);
        (signed * DVec3::new(section * x, section * y, z), [(inner_weight, inner), (outer_weight, outer)])
    }
}

/// A length whose square is in range.
const TINY: f64 = 1e-100;

/// Components of zero or more over the largest, and that one; `None` if all are zero. Those below 1e-12 of it count as zero.
#[inline]
fn unit_of(components: DVec3) -> Option<(DVec3, f64)> {
    let largest = components.max_element();
    if largest <= 0.0 {
        return None;
    }
    let unit = components / largest;
    Some((DVec3::select(unit.cmplt(DVec3::splat(1e-12)), DVec3::ZERO, unit), largest))
}

/// The n-norm (p^n + s^n)^(1/n) of two numbers of zero or more, and its derivatives by both.
#[inline]
fn nested_norm(p: f64, s: f64, n: f64) -> (f64, f64, f64) {
    if s <= 0.0 {
        return (p, if p > 0.0 { 1.0 } else { 0.0 }, 0.0);
    }
    if p <= 0.0 {
        return (s, 0.0, 1.0);
    }
    if n == 2.0 {
        let length = (p * p + s * s).sqrt();
        return (length, p / length, s / length);
    }
    let (larger, ratio) = if p >= s { (p, s / p) } else { (s, p / s) };
    let power = raised(ratio, n);
    let sum = 1.0 + power;
    let norm = root(sum, n);
    // d/dp = (p / norm)^(n - 1): for the larger, sum^((1 - n) / n); the smaller's is ratio^(n - 1) of it.
    let slope = norm / sum;
    let lesser = slope * power / ratio;
    if p >= s { (larger * norm, slope, lesser) } else { (larger * norm, lesser, slope) }
}

/// The dual norm (p^q + s^q)^(1/q), q = n / (n - 1), of two numbers of zero or more, and the point of the n-norm's unit
/// circle where it is reached.
#[inline]
fn dual_norm(p: f64, s: f64, n: f64) -> (f64, f64, f64) {
    if p <= 0.0 && s <= 0.0 {
        return (0.0, 0.0, 0.0);
    }
    if p <= 0.0 {
        return (s, 0.0, 1.0);
    }
    if s <= 0.0 {
        return (p, 1.0, 0.0);
    }
    if n == 2.0 {
        let length = (p * p + s * s).sqrt();
        return (length, p / length, s / length);
    }
    let (larger, ratio) = if p >= s { (p, s / p) } else { (s, p / s) };
    // With t = ratio^(1/(n-1)): the point is (1, t) over (1 + t^n)^(1/n), and t^n = ratio^q.
    let t = lowered_root(ratio, n);
    let sum = 1.0 + t * ratio;
    let scale = 1.0 / root(sum, n);
    let norm = larger * sum * scale;
    if p >= s { (norm, scale, scale * t) } else { (norm, scale * t, scale) }
}

/// The largest length of (p u, s v) with |u|^n + |v|^n = 1.
fn largest_of_ellipse(p: f64, s: f64, n: f64) -> f64 {
    if n <= 2.0 {
        return p.max(s);
    }
    // Hoelder with exponents n/2 and n/(n-2): p^2 u^2 + s^2 v^2 <= (p^(2k) + s^(2k))^(1/k), k = n/(n-2).
    let k = n / (n - 2.0);
    let (larger, ratio) = if p >= s { (p, s / p) } else { (s, p / s) };
    larger * power(1.0 + power(ratio, 2.0 * k), 0.5 / k)
}

/// Euler's Beta function.
fn beta(p: f64, q: f64) -> f64 {
    (ln_gamma(p) + ln_gamma(q) - ln_gamma(p + q)).exp()
}

/// Logarithm of the Gamma function for positive numbers: Stirling's series, after stepping the argument up to where it
/// is exact to rounding.
fn ln_gamma(x: f64) -> f64 {
    let mut product = 1.0;
    let mut z = x;
    while z < 12.0 {
        product *= z;
        z += 1.0;
    }
    let w = 1.0 / (z * z);
    let series = (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w * (1.0 / 1680.0 - w / 1188.0)))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - f64::ln(product)
}
