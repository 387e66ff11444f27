//! One side of a lens in its scaled frame, and where rays across the lens end: at the rim, and on either side.
//!
//! A side is at the root of the level along a vertical line. Seen from a place near it the level is c + b x + a x^2 and what is of the
//! third order, so that its root is 2 q / (1 + sqrt(1 - 4 a q / b)) away, q = -c / b being Newton's step: Euler's method, exact for
//! ellipsoids from anywhere. What is left is the third derivative over six times the first, times the cube of the step. In thin
//! lenses, where a line passes little of the bodies' curvature, one look does (`within`).

use super::body::{BentLevel, Body, BodyInLanes, times_each};
use crate::lanes::{Lanes, Vector};
use glam::DVec3;

/// Most steps to the rim or to a side before a lens is given up. From a neighbour it takes two or three; over flat spots of a
/// superquadric the first rim is approached by one over the exponent of the way a step.
const MOST_STEPS: usize = 40;

/// A body, and the frame of the lens seen from it: points are start + x first + y second + z up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'b> {
    pub body: &'b Body,
    pub start: DVec3,
    pub first: DVec3,
    pub second: DVec3,
    pub up: DVec3,
}

/// The same in lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideInLanes<'b, L, const ANY: bool> {
    body: BodyInLanes<'b, L, ANY>,
    start: Vector<L>,
    first: Vector<L>,
    second: Vector<L>,
    up: Vector<L>,
    /// The way up times the exponent less one: what second derivatives are weighted with.
    bending: Vector<L>,
}

/// Rays of one side: points are start + radius along + height up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rays<L> {
    along: Vector<L>,
    /// Products, axis by axis, of what is upwards with what is upwards and with what is along the ray, times the exponent less one.
    up_up: Vector<L>,
    up_along: Vector<L>,
}

/// The height of a side on rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached<L> {
    pub height: L,
    /// Change of the height with the radius.
    pub slope: L,
    /// Gradient of the level in the body's frame, and its part upwards.
    gradient: Vector<L>,
    rise: L,
}

/// From how far away one look at the level finds a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Within {
    /// Newton's step from there, in the unit of heights.
    pub step: f64,
    /// Whether the gradient at the side is wanted, and not where it was looked at.
    pub with_gradient: bool,
}

/// Where four rays meet the rim.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnRim<L> {
    pub radius: L,
    pub height: L,
    /// How both change with the angle.
    pub radius_change: L,
    pub height_change: L,
    /// How the heights of the sides change with the radius.
    pub slopes: [L; 2],
}

impl<'b> Side<'b> {
    #[inline(always)]
    pub fn in_lanes<L: Lanes, const ANY: bool>(&self) -> SideInLanes<'b, L, ANY> {
        SideInLanes {
            body: self.body.in_lanes(),
            start: Vector::splat(self.start),
            first: Vector::splat(self.first),
            second: Vector::splat(self.second),
            up: Vector::splat(self.up),
            bending: Vector::splat(self.up * self.body.bending()),
        }
    }

    /// The height of the side in the middle of the shadow and how it changes along both axes, from a guess.
    pub fn above_start(&self, guess: f64) -> Option<(f64, [f64; 2])> {
        let (start, up) = (Vector::<f64>::splat(self.start), Vector::<f64>::splat(self.up));
        let body = self.body.in_lanes::<f64, true>();
        let mut height = guess;
        for _ in 0..MOST_STEPS {
            let BentLevel { level, gradient, .. } = body.level(start + up * height);
            let rise = gradient.dot(up);
            let step = level / rise;
            height -= step;
            if step.abs() <= 1e-4 {
                let slope = |axis: DVec3| -DVec3::from(gradient).dot(axis) / rise;
                return Some((height, [slope(self.first), slope(self.second)]));
            }
        }
        None
    }

    /// From how far away one look finds height and slope to a tolerance. With u the way up in half axes, w that across or u if it is longer,
    /// and n the exponent, the height is off by (n - 1) (n - 2) / 6 u^2 times the cube of the step, and the slope by (n - 1) (n - 2) / 2 u w
    /// times its square, about. Where there are no second derivatives it is n u / 2 times the square, and n w / 2 times the step.
    pub fn within(&self, tolerance: f64, with_gradient: bool) -> Within {
        let (n, up) = (self.body.exponent(), self.up.abs().max_element());
        let step = if self.body.is_quadratic() {
            f64::INFINITY
        } else if self.body.bending() > 0.0 {
            let wide = self.first.abs().max(self.second.abs()).max_element().max(up);
            (2.0 * tolerance / ((n - 1.0) * (n - 2.0) * up * wide)).sqrt().min(0.3)
        } else {
            (0.3 * tolerance / (n * up)).min(0.1)
        };
        Within { step, with_gradient }
    }

    /// The power, 3 to 6, that the height of the side goes by at the far end of a ray, if the square goes before: a guess.
    pub fn likely_power(&self) -> u8 {
        (self.body.exponent() as u8).clamp(3, 6)
    }
}

impl<L: Lanes, const ANY: bool> SideInLanes<'_, L, ANY> {
    #[inline(always)]
    pub fn rays(&self, cosine: L, sine: L) -> Rays<L> {
        let along = self.along(cosine, sine);
        Rays { along, up_up: times_each(self.bending, self.up), up_along: times_each(self.bending, along) }
    }

    #[inline(always)]
    fn along(&self, cosine: L, sine: L) -> Vector<L> {
        self.first * cosine + self.second * sine
    }

    #[inline(always)]
    fn around(&self, cosine: L, sine: L) -> Vector<L> {
        self.second * cosine - self.first * sine
    }

    /// The height of the side from a guess. `towards` is 1 for the upper side and -1 for the lower one. Newton's steps lead to where one
    /// of Euler's does: the level is convex, so that after the first step each goes the same way and none overshoots.
    #[inline(always)]
    pub fn height(&self, rays: &Rays<L>, radius: L, guess: L, towards: f64, within: Within) -> Option<Reached<L>> {
        let foot = self.start + rays.along * radius;
        if self.body.is_half_space() {
            return Some(self.on_plane(rays, foot));
        }
        let mut height = guess;
        for _ in 0..MOST_STEPS {
            let BentLevel { level, gradient, second } = self.body.level(foot + self.up * height);
            let rise = gradient.dot(self.up);
            let newton = level / rise;
            if all::<L>(L::splat(within.step).at_least(absolute(newton))) {
                let bend = second.dot(rays.up_up);
                let (one, two) = (L::splat(1.0), L::splat(2.0));
                let root = (one - two * bend * newton / rise).sqrt();
                let down = two * newton / (one + root);
                // The gradient at the side, to second order.
                let rise = rise - bend * down;
                let run = gradient.dot(rays.along) - second.dot(rays.up_along) * down;
                let gradient =
                    if within.with_gradient { gradient - times_each(second, self.bending) * down } else { gradient };
                let upwards = rise * L::splat(towards);
                let reached = Reached { height: height - down, slope: -run / rise, gradient, rise };
                return all::<L>(upwards.greater(L::splat(0.0))).then_some(reached);
            }
            height = height - newton;
        }
        None
    }

    /// The height of a plane above a foot.
    #[inline(always)]
    fn on_plane(&self, rays: &Rays<L>, foot: Vector<L>) -> Reached<L> {
        let BentLevel { level, gradient, .. } = self.body.level(foot);
        let down = L::splat(1.0) / self.up.z;
        Reached { height: -level * down, slope: -rays.along.z * down, gradient, rise: self.up.z }
    }

    /// Area of the surface over that of its shadow, where it was reached.
    #[inline(always)]
    pub fn stretch(&self, reached: &Reached<L>, [towards, thickness]: [f64; 2]) -> L {
        self.body.steepness(reached.gradient) * L::splat(towards * thickness) / reached.rise
    }
}

/// The rim of a lens, where both levels vanish, on four rays, by Newton's method in radius and height from a guess; to a relative step
/// of `enough`. The two sides are convex, so that after the first step no point is inside of either.
#[inline(always)]
pub(super) fn rim<L: Lanes, const ANY: bool>(
    [a, b]: &[SideInLanes<L, ANY>; 2],
    cosine: L,
    sine: L,
    guess: [L; 2],
    enough: f64,
) -> Option<OnRim<L>> {
    let (along_a, along_b) = (a.along(cosine, sine), b.along(cosine, sine));
    let [mut radius, mut height] = guess;
    for _ in 0..MOST_STEPS {
        let at_a = a.body.level(a.start + along_a * radius + a.up * height);
        let at_b = b.body.level(b.start + along_b * radius + b.up * height);
        let (level_a, gradient_a) = (at_a.level, at_a.gradient);
        let (level_b, gradient_b) = (at_b.level, at_b.gradient);
        let (out_a, up_a) = (gradient_a.dot(along_a), gradient_a.dot(a.up));
        let (out_b, up_b) = (gradient_b.dot(along_b), gradient_b.dot(b.up));
        let inverse = L::splat(1.0) / (out_a * up_b - up_a * out_b);
        let outwards = (level_b * up_a - level_a * up_b) * inverse;
        let upwards = (out_b * level_a - out_a * level_b) * inverse;
        let moved = radius + outwards;
        if all::<L>((radius * L::splat(enough)).at_least(absolute(outwards))) {
            let around_a = radius * gradient_a.dot(a.around(cosine, sine));
            let around_b = radius * gradient_b.dot(b.around(cosine, sine));
            let is_graph = L::both(up_a.greater(L::splat(0.0)), L::splat(0.0).greater(up_b));
            return all::<L>(is_graph).then_some(OnRim {
                radius: moved,
                height: height + upwards,
                radius_change: (around_b * up_a - around_a * up_b) * inverse,
                height_change: (out_b * around_a - out_a * around_b) * inverse,
                slopes: [-out_a / up_a, -out_b / up_b],
            });
        }
        radius = moved.max(radius * L::splat(0.3)).min(radius * L::splat(3.0));
        height += upwards;
    }
    None
}

#[inline(always)]
fn all<L: Lanes>(mask: L::Mask) -> bool {
    !L::any(L::not(mask))
}

#[inline(always)]
fn absolute<L: Lanes>(x: L) -> L {
    x.max(-x)
}
