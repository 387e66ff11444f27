//! One side of a lens in its scaled frame, and where rays across the lens end: at the rim, and on either side.

use super::body::Body;
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

/// Rays of one side: points are start + radius along + height up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rays<L> {
    start: Vector<L>,
    along: Vector<L>,
    up: Vector<L>,
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

impl Side<'_> {
    #[inline(always)]
    pub fn rays<L: Lanes>(&self, cosine: L, sine: L) -> Rays<L> {
        Rays {
            start: Vector::splat(self.start),
            along: Vector::splat(self.first) * cosine + Vector::splat(self.second) * sine,
            up: Vector::splat(self.up),
        }
    }

    #[inline(always)]
    fn around<L: Lanes>(&self, cosine: L, sine: L) -> Vector<L> {
        Vector::splat(self.second) * cosine - Vector::splat(self.first) * sine
    }

    /// The height of the side, by Newton's method from a guess, to a step of at most `enough`. `towards` is 1 for the upper side and
    /// -1 for the lower one. The level is convex, so that after the first step each goes the same way and none overshoots.
    #[inline(always)]
    pub fn height<L: Lanes>(
        &self,
        rays: &Rays<L>,
        radius: L,
        guess: L,
        towards: f64,
        enough: f64,
    ) -> Option<Reached<L>> {
        let foot = rays.start + rays.along * radius;
        let mut height = guess;
        for _ in 0..MOST_STEPS {
            let (level, gradient) = self.body.level(foot + rays.up * height);
            let rise = gradient.dot(rays.up);
            let step = level / rise;
            height = height - step;
            if all::<L>(L::splat(enough).at_least(absolute(step))) {
                let upwards = rise * L::splat(towards);
                let slope = -gradient.dot(rays.along) / rise;
                return all::<L>(upwards.greater(L::splat(0.0))).then_some(Reached { height, slope, gradient, rise });
            }
        }
        None
    }

    /// Area of the surface over that of its shadow, where it was reached.
    #[inline(always)]
    pub fn stretch<L: Lanes>(&self, reached: &Reached<L>, [towards, thickness]: [f64; 2]) -> L {
        self.body.steepness(reached.gradient) * L::splat(towards * thickness) / reached.rise
    }

    /// The height of the side in the middle of the shadow and how it changes along both axes, from a guess.
    pub fn above_start(&self, guess: f64) -> Option<(f64, [f64; 2])> {
        let (start, up) = (Vector::<f64>::splat(self.start), Vector::<f64>::splat(self.up));
        let mut height = guess;
        for _ in 0..MOST_STEPS {
            let (level, gradient) = self.body.level::<f64>(start + up * height);
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

    /// The largest step of Newton's method after which height and slope are good to a tolerance: slope and stretch are those before the
    /// step.
    pub fn small_step(&self, tolerance: f64) -> f64 {
        (0.3 * tolerance / self.body.bend(self.up)).min(0.1)
    }
}

/// The rim of a lens, where both levels vanish, on four rays, by Newton's method in radius and height from a guess; to a relative step
/// of `enough`. The two sides are convex, so that after the first step no point is inside of either.
#[inline(always)]
pub(super) fn rim<L: Lanes>([a, b]: &[Side; 2], cosine: L, sine: L, guess: [L; 2], enough: f64) -> Option<OnRim<L>> {
    let (rays_a, rays_b) = (a.rays(cosine, sine), b.rays(cosine, sine));
    let [mut radius, mut height] = guess;
    for _ in 0..MOST_STEPS {
        let (level_a, gradient_a) = a.body.level(rays_a.start + rays_a.along * radius + rays_a.up * height);
        let (level_b, gradient_b) = b.body.level(rays_b.start + rays_b.along * radius + rays_b.up * height);
        let (out_a, up_a) = (gradient_a.dot(rays_a.along), gradient_a.dot(rays_a.up));
        let (out_b, up_b) = (gradient_b.dot(rays_b.along), gradient_b.dot(rays_b.up));
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
