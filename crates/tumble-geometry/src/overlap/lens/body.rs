//! A body as a lens sees it: by how much its level differs from that at a point nearby.
//!
//! The level of a superquadric is (|x|^n2 + |y|^n2)^(n1/n2) + |z|^n1 - 1 with coordinates over the half axes: below zero inside, and
//! convex. Near a contact it is far smaller than its terms, so that it is written as the level at the lens's origin and the rest,
//! x^n - o^n, by products of sums: x^2 - o^2 = (x - o)(x + o), x^4 - o^4 = (x^2 - o^2)(x^2 + o^2) and so on. Nothing then cancels, and
//! rounding of the level at the origin is the same for all: it moves the body by 1e-16 of its size. The same products have the second
//! derivatives, (n - 1) x^(n - 2), at the cost of one multiplication an axis.

use crate::lanes::{Lanes, Vector};
use crate::{Pose, Superquadric};
use glam::{DMat3, DVec3};

/// The largest exponent that goes by products is 2 to this power.
const MOST_DOUBLINGS: usize = 6;

/// A body that a lens can have on one of its sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    kind: Kind,
    /// The lens's origin in the body's frame, coordinates over the half axes [1].
    origin: DVec3,
    /// Level at the origin, over n1 as all levels here [1].
    level: f64,
    /// The second, fourth, eighth ... power of the origin's coordinates, as many as the exponent has use for.
    origin_powers: [DVec3; MOST_DOUBLINGS],
    /// From the outer axes to the body's, over the half axes [1/m].
    to_local: DMat3,
    /// One over the half axes [1/m], and over n1 [1].
    inverse_axes: DVec3,
    inverse_exponent: f64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The half-space at z <= 0 of its own frame.
    HalfSpace,
    /// Both exponents are 2 to this power: products do.
    PowerOfTwo(u32),
    /// Exponents n1 and n2.
    Nested(f64, f64),
}

impl Body {
    /// A superquadric with a pose, and the lens's origin.
    pub fn superquadric(shape: &Superquadric, pose: &Pose, origin: DVec3) -> Body {
        let to_local =
            DMat3::from_diagonal(DVec3::ONE / shape.semi_axes) * DMat3::from_quat(pose.orientation).transpose();
        let local = to_local * (origin - pose.position);
        let n = shape.n1;
        let times = (1..=MOST_DOUBLINGS as u32).find(|&times| n == f64::from(1u32 << times) && n == shape.n2);
        let kind = times.map_or(Kind::Nested(shape.n1, shape.n2), Kind::PowerOfTwo);
        let mut origin_powers = [DVec3::ONE; MOST_DOUBLINGS];
        let level = match kind {
            Kind::PowerOfTwo(times) => {
                let mut powers = local;
                for power in origin_powers.iter_mut().take(times as usize) {
                    powers *= powers;
                    *power = powers;
                }
                (powers.element_sum() - 1.0) / n
            }
            _ => {
                let size = local.abs();
                let section = size.x.powf(shape.n2) + size.y.powf(shape.n2);
                (section.powf(n / shape.n2) + size.z.powf(n) - 1.0) / n
            }
        };
        let inverse_axes = DVec3::ONE / shape.semi_axes;
        Body { kind, origin: local, level, origin_powers, to_local, inverse_axes, inverse_exponent: 1.0 / n }
    }

    /// The half-space z <= 0.
    pub fn half_space(origin: DVec3) -> Body {
        Body {
            kind: Kind::HalfSpace,
            origin,
            level: origin.z,
            origin_powers: [DVec3::ONE; MOST_DOUBLINGS],
            to_local: DMat3::IDENTITY,
            inverse_axes: DVec3::ONE,
            inverse_exponent: 1.0,
        }
    }

    /// Whether all derivatives of its level are continuous.
    pub fn is_smooth(&self) -> bool {
        match self.kind {
            Kind::HalfSpace | Kind::PowerOfTwo(_) => true,
            Kind::Nested(n1, n2) => n1 == n2 && n1 % 2.0 == 0.0,
        }
    }

    /// Whether its level goes by products.
    pub fn has_products(&self) -> bool {
        !matches!(self.kind, Kind::Nested(..))
    }

    /// Whether its surface has flat spots or is not smooth, so that few directions could overlook something.
    pub fn is_uneven(&self) -> bool {
        !matches!(self.kind, Kind::HalfSpace | Kind::PowerOfTwo(1))
    }

    /// A vector of the outer frame in the body's.
    #[inline(always)]
    pub fn local(&self, outer: DVec3) -> DVec3 {
        self.to_local * outer
    }

    /// The outer axes of a frame in the body's.
    pub fn sees(&self, axes: &DMat3) -> DMat3 {
        self.to_local * *axes
    }

    /// Half of what a line along a unit vector of the body's frame passes in the box about it at most [m].
    pub fn half_width(&self, along: DVec3) -> f64 {
        match self.kind {
            Kind::HalfSpace => f64::INFINITY,
            _ => 1.0 / along.abs().max_element(),
        }
    }

    /// The slope of the level over n1 at the origin along a vector of the body's frame.
    pub fn rise(&self, along: DVec3) -> f64 {
        DVec3::from(self.in_lanes::<f64, true>().level(Vector::splat(DVec3::ZERO)).gradient).dot(along)
    }

    /// Second derivatives of the level over n1 at the origin, in the body's frame.
    pub fn second_derivatives(&self) -> DMat3 {
        let size = self.origin.abs();
        match self.kind {
            Kind::HalfSpace => DMat3::ZERO,
            Kind::PowerOfTwo(times) => {
                // x^(n - 2) is the product of x^2, x^4 ... x^(n / 2).
                let (mut power, mut product) = (size, DVec3::ONE);
                for _ in 1..times {
                    power *= power;
                    product *= power;
                }
                DMat3::from_diagonal(product * (f64::from(1u32 << times) - 1.0))
            }
            Kind::Nested(n1, n2) => {
                let ratio = n1 / n2;
                let section = (size.x.powf(n2) + size.y.powf(n2)).max(f64::MIN_POSITIVE);
                let lift = section.powf(ratio - 1.0);
                let slope = DVec3::new(size.x.powf(n2 - 1.0), size.y.powf(n2 - 1.0), 0.0).copysign(self.origin);
                let across = DVec3::new(size.x.powf(n2 - 2.0), size.y.powf(n2 - 2.0), 0.0) * (lift * (n2 - 1.0));
                let along = DVec3::Z * ((n1 - 1.0) * size.z.powf(n1 - 2.0));
                let mixed = slope * ((n1 - n2) * lift / section);
                DMat3::from_diagonal(across + along) + DMat3::from_cols(slope * mixed.x, slope * mixed.y, DVec3::ZERO)
            }
        }
    }

    /// The same for lanes.
    #[inline(always)]
    pub fn in_lanes<L: Lanes, const ANY: bool>(&self) -> BodyInLanes<'_, L, ANY> {
        BodyInLanes {
            body: self,
            origin: Vector::splat(self.origin),
            powers: [Vector::splat(self.origin_powers[0]), Vector::splat(self.origin_powers[1])],
            level: L::splat(self.level),
            inverse_exponent: L::splat(self.inverse_exponent),
        }
    }

    /// The exponent less one, by which [`BentLevel::second`] is too small; zero where that says nothing.
    #[inline]
    pub fn bending(&self) -> f64 {
        match self.kind {
            Kind::PowerOfTwo(times) => f64::from(1u32 << times) - 1.0,
            Kind::HalfSpace | Kind::Nested(..) => 0.0,
        }
    }

    /// The larger exponent; 1 for a half-space.
    pub fn exponent(&self) -> f64 {
        match self.kind {
            Kind::HalfSpace => 1.0,
            Kind::PowerOfTwo(times) => f64::from(1u32 << times),
            Kind::Nested(n1, n2) => n1.max(n2),
        }
    }

    /// Whether second derivatives are all that the level has along a line.
    pub fn is_quadratic(&self) -> bool {
        matches!(self.kind, Kind::HalfSpace | Kind::PowerOfTwo(1))
    }
}

/// What of a body every look at its level has use for, in lanes. Where `ANY` is false its exponents are powers of two: then no look calls a
/// function, and numbers stay in registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyInLanes<'b, L, const ANY: bool> {
    body: &'b Body,
    origin: Vector<L>,
    /// Squares and fourth powers of the origin's coordinates.
    powers: [Vector<L>; 2],
    level: L,
    inverse_exponent: L,
}

impl<L: Lanes, const ANY: bool> BodyInLanes<'_, L, ANY> {
    #[inline(always)]
    pub fn is_half_space(&self) -> bool {
        matches!(self.body.kind, Kind::HalfSpace)
    }

    /// Level, gradient and second derivatives at displacements from the origin.
    #[inline(always)]
    pub fn level(&self, d: Vector<L>) -> BentLevel<L> {
        let (none, one) = (L::splat(0.0), L::splat(1.0));
        match self.body.kind {
            Kind::HalfSpace => BentLevel {
                level: self.level + d.z,
                gradient: Vector { x: none, y: none, z: one },
                second: Vector { x: none, y: none, z: none },
            },
            Kind::PowerOfTwo(times) => {
                let x = self.origin + d;
                let mut difference = times_each(d, x + self.origin);
                let mut second = Vector { x: one, y: one, z: one };
                if times > 1 {
                    let mut power = times_each(x, x);
                    difference = times_each(difference, power + self.powers[0]);
                    second = power;
                    if times > 2 {
                        power = times_each(power, power);
                        difference = times_each(difference, power + self.powers[1]);
                        second = times_each(second, power);
                        for k in 3..times as usize {
                            power = times_each(power, power);
                            difference = times_each(difference, power + Vector::splat(self.body.origin_powers[k - 1]));
                            second = times_each(second, power);
                        }
                    }
                }
                let difference = (difference.x + difference.y + difference.z) * self.inverse_exponent;
                BentLevel { level: self.level + difference, gradient: times_each(second, x), second }
            }
            // Not here, as the type says.
            Kind::Nested(..) if !ANY => {
                BentLevel { level: none, gradient: Vector::default(), second: Vector::default() }
            }
            Kind::Nested(n1, n2) => {
                let mut columns = [[0.0; 4]; 4];
                for place in 0..L::N {
                    let (value, gradient) = nested(d.lane(place), self.body.origin, n1, n2);
                    columns[0][place] = self.body.level + value;
                    for (column, part) in columns[1..].iter_mut().zip(gradient.to_array()) {
                        column[place] = part;
                    }
                }
                BentLevel {
                    level: L::load(&columns[0]),
                    gradient: Vector::load(&columns[1..]),
                    second: Vector { x: none, y: none, z: none },
                }
            }
        }
    }

    /// The length of the gradient in the outer frame, from that in the body's.
    #[inline(always)]
    pub fn steepness(&self, gradient: Vector<L>) -> L {
        let outer = times_each(gradient, Vector::splat(self.body.inverse_axes));
        outer.dot(outer).sqrt()
    }
}

/// A level, its gradient in the body's frame, and the second derivatives along the body's axes, over n1 and over n1 - 1; none where
/// exponents are no powers of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct BentLevel<L> {
    pub level: L,
    pub gradient: Vector<L>,
    pub second: Vector<L>,
}

#[inline(always)]
pub(super) fn times_each<L: Lanes>(a: Vector<L>, b: Vector<L>) -> Vector<L> {
    Vector { x: a.x * b.x, y: a.y * b.y, z: a.z * b.z }
}

/// A level less that at the origin, and its gradient, for any exponents, both over n1.
fn nested(d: DVec3, o: DVec3, n1: f64, n2: f64) -> (f64, DVec3) {
    let x = o + d;
    let (size, from) = (x.abs(), o.abs());
    // Signs that differ leave nothing to cancel.
    let change = DVec3::new(d.x * x.x.signum(), d.y * x.y.signum(), d.z * x.z.signum());
    let same = DVec3::select((x * o).cmpge(DVec3::ZERO), change, size - from);
    let section_origin = from.x.powf(n2) + from.y.powf(n2);
    let growth = power_growth(from.x, same.x, size.x, n2) + power_growth(from.y, same.y, size.y, n2);
    let (px, py, pz) = (size.x.powf(n2 - 1.0), size.y.powf(n2 - 1.0), size.z.powf(n1 - 1.0));
    let section = px * size.x + py * size.y;
    let (raised, lift) = if n1 == n2 {
        (growth, 1.0)
    } else {
        let ratio = n1 / n2;
        let lift = if section > 0.0 { section.powf(ratio - 1.0) } else { 0.0 };
        (power_growth(section_origin, growth, section, ratio), lift)
    };
    let value = (raised + power_growth(from.z, same.z, size.z, n1)) / n1;
    (value, DVec3::new(lift * px, lift * py, pz).copysign(x))
}

/// `to`^n - `from`^n, with `change` = `to` - `from` known better than the difference of the two.
fn power_growth(from: f64, change: f64, to: f64, n: f64) -> f64 {
    let share = change / from;
    if share.abs() < 0.5 { from.powf(n) * (n * share.ln_1p()).exp_m1() } else { to.powf(n) - from.powf(n) }
}
