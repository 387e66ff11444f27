//! A body as a lens sees it: by how much its level differs from that at a point nearby.
//!
//! The level of a superquadric is (|x|^n2 + |y|^n2)^(n1/n2) + |z|^n1 - 1 with coordinates over the half axes: below zero inside, and
//! convex. Near a contact it is far smaller than its terms, so that it is written as the level at the lens's origin and the rest,
//! x^n - o^n, by products of sums: x^2 - o^2 = (x - o)(x + o), x^4 - o^4 = (x^2 - o^2)(x^2 + o^2) and so on. Nothing then cancels, and
//! rounding of the level at the origin is the same for all: it moves the body by 1e-16 of its size.

use crate::lanes::{Lanes, Vector};
use crate::{Pose, Superquadric};
use glam::{DMat3, DVec3};

/// A body that a lens can have on one of its sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    kind: Kind,
    /// The lens's origin in the body's frame, coordinates over the half axes [1].
    origin: DVec3,
    /// Level at the origin, over n1 as all levels here [1].
    level: f64,
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
        let times = (1..=6).find(|&times| n == f64::from(1u32 << times) && n == shape.n2);
        let kind = times.map_or(Kind::Nested(shape.n1, shape.n2), Kind::PowerOfTwo);
        let level = match kind {
            Kind::PowerOfTwo(times) => {
                let mut powers = local * local;
                for _ in 1..times {
                    powers *= powers;
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
        Body { kind, origin: local, level, to_local, inverse_axes, inverse_exponent: 1.0 / n }
    }

    /// The half-space z <= 0.
    pub fn half_space(origin: DVec3) -> Body {
        Body {
            kind: Kind::HalfSpace,
            origin,
            level: origin.z,
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

    /// Whether its surface has flat spots or is not smooth, so that few directions could overlook something.
    pub fn is_uneven(&self) -> bool {
        !matches!(self.kind, Kind::HalfSpace | Kind::PowerOfTwo(1))
    }

    /// A vector of the outer frame in the body's.
    #[inline(always)]
    pub fn local(&self, outer: DVec3) -> DVec3 {
        self.to_local * outer
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
        DVec3::from(self.level::<f64>(Vector::splat(DVec3::ZERO)).1).dot(along)
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

    /// The level and its gradient in the body's frame, both over n1, at displacements from the origin.
    #[inline(always)]
    pub fn level<L: Lanes>(&self, displacement: Vector<L>) -> (L, Vector<L>) {
        match self.kind {
            Kind::HalfSpace => {
                (L::splat(self.level) + displacement.z, Vector { x: L::splat(0.0), y: L::splat(0.0), z: L::splat(1.0) })
            }
            Kind::PowerOfTwo(times) => {
                let (dx, gx) = power_of_two(displacement.x, self.origin.x, times);
                let (dy, gy) = power_of_two(displacement.y, self.origin.y, times);
                let (dz, gz) = power_of_two(displacement.z, self.origin.z, times);
                let difference = (dx + dy + dz) * L::splat(self.inverse_exponent);
                (L::splat(self.level) + difference, Vector { x: gx, y: gy, z: gz })
            }
            Kind::Nested(n1, n2) => {
                let mut columns = [[0.0; 4]; 4];
                for place in 0..L::N {
                    let (value, gradient) = nested(displacement.lane(place), self.origin, n1, n2);
                    columns[0][place] = self.level + value;
                    for (column, part) in columns[1..].iter_mut().zip(gradient.to_array()) {
                        column[place] = part;
                    }
                }
                (L::load(&columns[0]), Vector::load(&columns[1..]))
            }
        }
    }

    /// A bound of half of the second derivative of the level along a vector of the body's frame, over the first.
    pub fn bend(&self, along: DVec3) -> f64 {
        let exponent = match self.kind {
            Kind::HalfSpace => return 0.0,
            Kind::PowerOfTwo(times) => f64::from(1u32 << times),
            Kind::Nested(n1, n2) => n1.max(n2),
        };
        exponent * along.abs().max_element()
    }

    /// The length of the gradient in the outer frame, from that in the body's.
    #[inline(always)]
    pub fn steepness<L: Lanes>(&self, gradient: Vector<L>) -> L {
        let scale = Vector::<L>::splat(self.inverse_axes);
        let outer = Vector { x: gradient.x * scale.x, y: gradient.y * scale.y, z: gradient.z * scale.z };
        outer.dot(outer).sqrt()
    }
}

/// x^n - o^n and x^(n - 1), x = o + d, n = 2 to the power `times`.
#[inline(always)]
fn power_of_two<L: Lanes>(d: L, o: f64, times: u32) -> (L, L) {
    let (mut of_origin, origin) = (o, L::splat(o));
    let x = origin + d;
    let (mut power, mut difference, mut slope) = (x, d * (x + origin), x);
    for _ in 1..times {
        power = power * power;
        of_origin *= of_origin;
        difference = difference * (power + L::splat(of_origin));
        slope = slope * power;
    }
    (difference, slope)
}

/// The same as a level less that at the origin, and its gradient, for any exponents, both over n1.
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
