//! The norm whose unit ball is a superquadric, along rays and lines.
//!
//! With coordinates divided by the half axes, N(x) = ((|x|^n2 + |y|^n2)^(n1/n2) + |z|^n1)^(1/n1). It is convex and of
//! first degree, so Newton's iteration along a ray runs monotonically to the exit from any point beyond it, and a line is
//! inside over one interval, found from the minimum of a convex function.

use crate::Superquadric;
use glam::{DMat3, DVec3};

/// A superquadric, as a norm about its centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct SuperquadricNorm {
    /// Centre in the norm's frame: own axes, coordinates divided by the half axes, origin where the rays start.
    pub centre: DVec3,
    /// From the outer axes to the norm's frame.
    to_local: DMat3,
    n1: f64,
    n2: f64,
    /// n2 - 1 and n1 - 1.
    lowered: [Exponent; 2],
    /// n1 / n2.
    ratio: Exponent,
    /// 1 / n1.
    inverse: Exponent,
    smallest_axis: f64,
    /// Which coordinate planes the surface is not smooth across, as bits: those with |x|^n for n not an even number.
    pub seams: u8,
    /// From the norm's frame to the outer axes: the half axes as vectors.
    axes: DMat3,
}

/// An exponent, and whether it is a small whole number of quarters: then square roots and products are much faster than
/// the general power.
#[derive(Clone, Copy, Debug)]
struct Exponent {
    value: f64,
    /// Four times the value, or zero.
    quarters: u32,
}

impl Exponent {
    fn new(value: f64) -> Exponent {
        let quarters =
            if (4.0 * value).fract() == 0.0 && value > 0.0 && value <= 64.0 { (4.0 * value) as u32 } else { 0 };
        Exponent { value, quarters }
    }

    /// x to this power, for x >= 0.
    #[inline]
    fn power(self, x: f64) -> f64 {
        if self.quarters == 0 {
            return if x > 0.0 { x.powf(self.value) } else { 0.0 };
        }
        let (mut power, mut square, mut left) = (1.0, x, self.quarters >> 2);
        while left > 0 {
            if left & 1 == 1 {
                power *= square;
            }
            square *= square;
            left >>= 1;
        }
        if self.quarters & 3 != 0 {
            let root = x.sqrt();
            if self.quarters & 2 != 0 {
                power *= root;
            }
            if self.quarters & 1 != 0 {
                power *= root.sqrt();
            }
        }
        power
    }
}

impl SuperquadricNorm {
    /// A superquadric whose frame is turned by `turn` and has its centre at `centre`.
    pub fn new(shape: &Superquadric, centre: DVec3, turn: &DMat3) -> SuperquadricNorm {
        let to_local = DMat3::from_diagonal(DVec3::ONE / shape.semi_axes) * turn.transpose();
        SuperquadricNorm {
            centre: to_local * centre,
            to_local,
            n1: shape.n1,
            n2: shape.n2,
            lowered: [Exponent::new(shape.n2 - 1.0), Exponent::new(shape.n1 - 1.0)],
            ratio: Exponent::new(shape.n1 / shape.n2),
            inverse: Exponent::new(1.0 / shape.n1),
            smallest_axis: shape.semi_axes.min_element(),
            seams: if is_even(shape.n2) { 0 } else { 3 } | if is_even(shape.n1) { 0 } else { 4 },
            axes: *turn * DMat3::from_diagonal(shape.semi_axes),
        }
    }

    /// A direction in the norm's frame.
    #[inline]
    pub fn turned(&self, direction: DVec3) -> DVec3 {
        self.to_local * direction
    }

    /// The octant of a point of the norm's frame, as far as it matters to smoothness.
    #[inline]
    pub fn piece(&self, x: DVec3) -> u8 {
        (u8::from(x.x < 0.0) | u8::from(x.y < 0.0) << 1 | u8::from(x.z < 0.0) << 2) & self.seams
    }

    /// The points where the surface meets its own axes, seen from the origin: seams cross there, and with different
    /// exponents the upper and lower ones are not smooth.
    pub fn tips(&self) -> [DVec3; 6] {
        let centre = self.axes * self.centre;
        let [x, y, z] = [self.axes.x_axis, self.axes.y_axis, self.axes.z_axis];
        [centre + x, centre - x, centre + y, centre - y, centre + z, centre - z]
    }

    /// Whether every piece is smooth at the tips too.
    pub fn is_smooth(&self) -> bool {
        self.seams == 0 && self.n1 == self.n2
    }

    /// The norm to the power n1, and the gradient over n1, for coordinates that are not below zero.
    #[inline]
    fn level(&self, u: DVec3) -> (f64, DVec3) {
        let [across, along] = self.lowered;
        let (px, py, pz) = (across.power(u.x), across.power(u.y), along.power(u.z));
        let section = px * u.x + py * u.y;
        let (raised, lift) = if self.n1 == self.n2 || section <= 0.0 {
            (section, 1.0)
        } else {
            let raised = self.ratio.power(section);
            (raised, raised / section)
        };
        (raised + pz * u.z, DVec3::new(lift * px, lift * py, pz))
    }

    /// The norm and its gradient.
    #[inline]
    fn norm(&self, x: DVec3) -> (f64, DVec3) {
        let size = x.abs();
        let largest = size.max_element();
        if largest.is_nan() || largest <= 0.0 {
            return (0.0, DVec3::ZERO);
        }
        // Of first degree: scaled to the largest coordinate, no power overflows or vanishes.
        let (total, slopes) = self.level(size / largest);
        let norm = self.inverse.power(total);
        (norm * largest, (slopes * (norm / total)).copysign(x))
    }

    /// Where the ray from the origin along a direction of the norm's frame leaves. Newton's iteration on the norm, which
    /// is convex along the ray and nearly straight; it ends with a step below `relative_tolerance`.
    pub fn exit(&self, direction: DVec3, hint: f64, relative_tolerance: f64) -> f64 {
        let mut t = hint;
        if !(t > 0.0 && t.is_finite()) {
            // Inside, |x| <= 1 for each coordinate.
            let reach = (DVec3::ONE + self.centre.copysign(direction).abs()) / direction.abs();
            t = reach.min_element();
        }
        if !t.is_finite() {
            return f64::INFINITY;
        }
        for _ in 0..60 {
            let x = t * direction - self.centre;
            let (level, slopes) = self.level(x.abs());
            let excess = level - 1.0;
            // Near the surface, 1 - 1 / norm by its series: no root. Elsewhere the norm itself, safe from overflow.
            let (share, slope) = if excess.abs() < 0.1 {
                let n = self.n1;
                let (second, third) = (0.5 * (n + 1.0) / n, (n + 1.0) * (2.0 * n + 1.0) / (6.0 * n * n));
                (excess / n * (1.0 - excess * (second - excess * third)), slopes.copysign(x).dot(direction) / level)
            } else {
                let (norm, gradient) = self.norm(x);
                (1.0 - 1.0 / norm, gradient.dot(direction) / norm)
            };
            if slope.is_nan() || slope <= 0.0 {
                // Before the nearest point of the ray to the centre: go beyond.
                t *= 2.0;
                continue;
            }
            let step = share / slope;
            let next = if step < 0.9 * t { t - step } else { 0.1 * t };
            // Newton's next step would be of the order of the square of this one.
            let done = (next - t).abs() <= relative_tolerance * t;
            t = next;
            if done {
                break;
            }
        }
        t
    }

    /// Outward normal at a point, of any length.
    pub fn gradient(&self, point: DVec3) -> DVec3 {
        let x = self.to_local * point - self.centre;
        let size = x.abs();
        self.to_local.transpose() * self.level(size / size.max_element()).1.copysign(x)
    }

    /// Below zero inside, about the distance; and a gradient.
    pub fn depth(&self, point: DVec3) -> (f64, DVec3) {
        let (norm, gradient) = self.norm(self.to_local * point - self.centre);
        ((norm - 1.0) * self.smallest_axis, self.to_local.transpose() * gradient)
    }

    /// The part of the points (from + share (to - from)) / g inside, g linear between its two values: where
    /// N(from + share (to - from)) - g <= 0. The ends are given relative to the centre times g.
    pub fn inside(&self, ends: [DVec3; 2], inverse: [f64; 2]) -> Option<[f64; 2]> {
        let step = ends[1] - ends[0];
        let slope = inverse[1] - inverse[0];
        let value = |x: f64| {
            let (norm, gradient) = self.norm(ends[0] + x * step);
            (norm - (inverse[0] + x * slope), gradient.dot(step) - slope)
        };
        let (first, last) = (value(0.0), value(1.0));
        if first.0 <= 0.0 && last.0 <= 0.0 {
            return Some([0.0, 1.0]);
        }
        if first.0 <= 0.0 {
            return Some([0.0, root(value, 1.0, last, 0.0)]);
        }
        if last.0 <= 0.0 {
            return Some([root(value, 0.0, first, 1.0), 1.0]);
        }
        // Both outside: the lowest point decides. Tangents bound a convex function from below.
        let (mut lower, mut at_lower) = (0.0, first);
        let (mut upper, mut at_upper) = (1.0, last);
        for _ in 0..60 {
            if at_lower.1 >= 0.0 || at_upper.1 <= 0.0 {
                return None;
            }
            let crossing =
                (at_upper.0 - at_lower.0 + at_lower.1 * lower - at_upper.1 * upper) / (at_lower.1 - at_upper.1);
            if at_lower.0 + at_lower.1 * (crossing - lower) > 0.0 {
                return None;
            }
            let width = upper - lower;
            let x = crossing.clamp(lower + 0.1 * width, upper - 0.1 * width);
            let here = value(x);
            if here.0 <= 0.0 {
                return Some([root(value, 0.0, first, x), root(value, 1.0, last, x)]);
            }
            if width < 1e-12 {
                return None;
            }
            if here.1 < 0.0 {
                (lower, at_lower) = (x, here);
            } else {
                (upper, at_upper) = (x, here);
            }
        }
        None
    }
}

fn is_even(n: f64) -> bool {
    n % 2.0 == 0.0
}

/// The root of a convex function between a place outside (value above zero, known there) and one inside: Newton's
/// iteration from outside, which cannot overshoot.
fn root(value: impl Fn(f64) -> (f64, f64), outside: f64, at_outside: (f64, f64), inside: f64) -> f64 {
    let (mut x, mut here) = (outside, at_outside);
    for _ in 0..80 {
        if here.0 <= 0.0 || here.1 == 0.0 {
            break;
        }
        let next = x - here.0 / here.1;
        let next = if (next - outside).abs() > (inside - outside).abs() { inside } else { next };
        let moved = (next - x).abs();
        x = next;
        if moved <= 1e-15 {
            break;
        }
        here = value(x);
    }
    x
}
