//! All places around an axis where the reach of a body is largest or least.
//!
//! The slope of the reach is looked at in order of the angle, at samples between which it is smooth. Where it changes its sign
//! there is a largest or least reach between. Between two samples it can also come near zero and turn back, and where two
//! contacts part from one it does so from rounding on. So the places where the slope itself is largest or least are looked for
//! first, from its own slope at the ends and in the middle of an interval, and between those there is one change of sign or none.
//!
//! For a body of revolution in a tube this misses nothing: with the axial component u of the normal, which is monotonic between
//! the samples, the radius of curvature of the body as the tube sees it is A + B e_z^2 / (1 - u^2)^(3/2) on each piece of its
//! surface (a dome has B = 0, a rim A = 0), e_z the component of its axis along the tube, and the slope of the slope is that less
//! the reach.
//!
//! Known limit: a slope that is largest and least more than twice between two samples.

use super::direction_fan::{Extreme, close_in};

/// Halvings on the way to where a slope is largest or least. The reach there depends on the square of what is left.
const N_HALVINGS: usize = 28;

/// Over this part of an interval the slope is taken for a straight line.
const STRAIGHT: f64 = 1e-5;

/// What is met in order of the angle.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    /// A largest reach.
    Largest(Extreme),
    /// A least reach.
    Least(Extreme),
    /// Angles at which the reach is too small to matter, about this one.
    Gap(f64),
}

/// The reach of a body along a family of directions.
pub(super) struct Reaches<E, B> {
    /// The farthest point at an angle; its value is the slope of the reach.
    pub evaluate: E,
    /// What the reach cannot exceed between two angles, unless it is as large at one of them.
    pub bound: B,
    /// Reaches below this do not matter [m].
    pub needed: f64,
    /// Slopes below this are rounding [m].
    pub small: f64,
    /// Whether the reach is that along one direction, so that it is least where two farthest points tie.
    pub ties: bool,
}

impl<E: Fn(f64) -> Extreme, B: Fn(&Extreme, &Extreme) -> f64> Reaches<E, B> {
    /// Appends what is met over sampled angles in ascending order, the first of which is `start`. If the last is `start`
    /// again after a whole turn, `is_closed`.
    pub fn turns(&self, start: f64, angles: &[f64], is_closed: bool, turns: &mut Vec<Turn>) {
        let first = (self.evaluate)(start);
        let mut last = first;
        for (k, &angle) in angles.iter().enumerate() {
            // After a whole turn the slope has the sign that it began with, whatever rounding says.
            let is_start = is_closed && k + 1 == angles.len();
            let next = if is_start { Extreme { angle, ..first } } else { (self.evaluate)(angle) };
            if last.height.max(next.height).max((self.bound)(&last, &next)) >= self.needed {
                self.look_into(&last, &next, turns);
            } else if !matches!(turns.last(), Some(Turn::Gap(_))) {
                turns.push(Turn::Gap(0.5 * (last.angle + next.angle)));
            }
            last = next;
        }
    }

    /// Goes from one place where the slope is largest or least to the next.
    fn look_into(&self, first: &Extreme, last: &Extreme, turns: &mut Vec<Turn>) {
        let width = last.angle - first.angle;
        let beside = STRAIGHT * width;
        let rise = |a: &Extreme, b: &Extreme| b.value - a.value;
        if beside <= 1e-12 {
            self.look_between(first, last, turns);
            return;
        }
        let middle = 0.5 * (first.angle + last.angle);
        let near = [first.angle + beside, middle - 0.5 * beside, middle + 0.5 * beside, last.angle - beside];
        let near = near.map(|angle| (self.evaluate)(angle));
        let rises = [rise(first, &near[0]), rise(&near[1], &near[2]), rise(&near[3], last)];
        let places = [first.angle + 0.5 * beside, middle, last.angle - 0.5 * beside];
        let mut before = *first;
        for k in 0..2 {
            if (rises[k] > 0.0) == (rises[k + 1] > 0.0) {
                continue;
            }
            let (mut low, mut high) = (places[k], places[k + 1]);
            let mut turn = (self.evaluate)(0.5 * (low + high));
            for _ in 0..N_HALVINGS {
                let after = (self.evaluate)(turn.angle + beside);
                if (rise(&turn, &after) > 0.0) == (rises[k] > 0.0) {
                    low = turn.angle;
                } else {
                    high = turn.angle;
                }
                turn = (self.evaluate)(0.5 * (low + high));
            }
            self.look_between(&before, &turn, turns);
            before = turn;
        }
        self.look_between(&before, last, turns);
    }

    /// One change of sign.
    fn look_between(&self, first: &Extreme, last: &Extreme, turns: &mut Vec<Turn>) {
        if first.value >= 0.0 && last.value < 0.0 {
            turns.push(Turn::Largest(close_in(&self.evaluate, *first, *last, false, self.small)));
        } else if first.value < 0.0 && last.value >= 0.0 {
            let fall = |angle: f64| turned(&(self.evaluate)(angle));
            turns.push(Turn::Least(close_in(fall, turned(first), turned(last), self.ties, self.small)));
        }
    }
}

/// With the slope downwards.
fn turned(extreme: &Extreme) -> Extreme {
    Extreme { value: -extreme.value, ..*extreme }
}
