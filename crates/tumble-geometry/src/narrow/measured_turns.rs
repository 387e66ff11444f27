//! The azimuths about a wall's axis at which what is measured of a body beyond the wall's planes is largest or least: part of
//! contact_convex_revolved.rs.
//!
//! A measure costs far more than a farthest point, but it is smooth and comes with its slope over the azimuth. So between two azimuths a cubic
//! with the depths and slopes at both says what to expect. In the middle it is held against the truth; where the two differ by more
//! than it takes to tell how often the slope changes its sign, the interval is halved. Where nothing is beyond the wall's planes, the
//! farthest points alone say so.
//!
//! Known limit: what is beyond the planes only between two azimuths closer than a hundredth of a first interval is not seen.

use super::contact_convex_revolved::{Question, Wall};
use super::direction_fan::{Extreme, close_in};
use super::inside_revolved::{MOST_SAMPLES, leave_out_rounding};
use super::stationary_reaches::Turn;
use std::f64::consts::PI;

/// First intervals: fewest, and how wide [rad] unless that makes them too many.
const FEWEST_INTERVALS: usize = 6;
const SPACING: f64 = 0.06;

/// Most halvings of an interval: of one that is told by a cubic in the end, of one at an end of what is beyond, and of one around a rod.
const N_HALVINGS: usize = 7;
const N_HALVINGS_AT_END: usize = 3;
const N_HALVINGS_AROUND: usize = 1;

/// A slope is not told if it is off by more, over the largest nearby.
const UNTOLD: f64 = 0.25;

/// What is seen at an azimuth: depth and place, with the value telling which way the depth grows.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub extreme: Extreme,
    /// How fast the depth grows with the azimuth [m]; `None` where what is looked at is not the depth along one family of normals.
    pub rise: Option<f64>,
}

impl Look {
    fn angle(&self) -> f64 {
        self.extreme.angle
    }

    fn depth(&self) -> f64 {
        self.extreme.height
    }
}

struct Search<'a, L, B> {
    look: L,
    bound: B,
    small: f64,
    turns: &'a mut Vec<Turn>,
}

impl Question<'_> {
    /// What of the body is beyond a wall's plane at an azimuth; the height is the depth.
    pub(super) fn look_at_wall(&self, wall: &Wall, angle: f64) -> Look {
        let (direction, slope) = wall.fan.at(angle);
        let found = self.body.measured_beyond(direction, wall.toward.dot(wall.segment.start));
        let value = slope.dot(found.point);
        let extreme = Extreme { angle, direction, slope, point: found.point, height: found.depth, value };
        Look { extreme, rise: Some(found.slope * value) }
    }

    /// What is met from minus to plus an azimuth. `bound` is no less than any depth between two azimuths at which nothing is beyond.
    pub(super) fn measured_turns(
        &self,
        half_arc: f64,
        look: impl Fn(f64) -> Look,
        bound: impl Fn(&Extreme, &Extreme) -> f64,
    ) -> Vec<Turn> {
        let mut turns = Vec::new();
        let is_closed = half_arc >= PI;
        let n = ((2.0 * half_arc / SPACING) as usize).clamp(FEWEST_INTERVALS, MOST_SAMPLES);
        let mut search = Search { look, bound, small: self.small, turns: &mut turns };
        let first = (search.look)(-half_arc);
        let mut last = first;
        for k in 1..=n {
            let angle = half_arc * (2.0 * k as f64 / n as f64 - 1.0);
            // After a whole turn it is where it began, whatever rounding says.
            let next = if is_closed && k == n {
                Look { extreme: Extreme { angle, ..first.extreme }, ..first }
            } else {
                (search.look)(angle)
            };
            search.look_into(&last, &next, N_HALVINGS);
            last = next;
        }
        let heights = turns.iter().map(|turn| match turn {
            Turn::Largest(extreme) | Turn::Least(extreme) => extreme.height,
            Turn::Gap(_) => 0.0,
        });
        let negligible = self.negligible(heights.fold(0.0, f64::max));
        leave_out_rounding(&mut turns, is_closed, negligible);
        turns
    }
}

impl<L: Fn(f64) -> Look, B: Fn(&Extreme, &Extreme) -> f64> Search<'_, L, B> {
    fn gap(&mut self, angle: f64) {
        if !matches!(self.turns.last(), Some(Turn::Gap(_))) {
            self.turns.push(Turn::Gap(angle));
        }
    }

    fn look_into(&mut self, first: &Look, last: &Look, n_left: usize) {
        let middle = 0.5 * (first.angle() + last.angle());
        let n_beyond = usize::from(first.depth() > 0.0) + usize::from(last.depth() > 0.0);
        if n_beyond == 0 && (n_left == 0 || (self.bound)(&first.extreme, &last.extreme) < 0.0) {
            self.gap(middle);
            return;
        }
        let is_cubic = first.rise.is_some() && last.rise.is_some();
        let n_left = match (n_beyond, is_cubic) {
            (2, false) => n_left.min(N_HALVINGS_AROUND),
            (1, _) => n_left.min(N_HALVINGS_AT_END),
            _ => n_left,
        };
        if n_left == 0 {
            self.look_between(first, last);
            return;
        }
        let middle = (self.look)(middle);
        match self.is_told(first, &middle, last) {
            Some(true) => {
                for (from, to) in [(first, &middle), (&middle, last)] {
                    match turning(from, to) {
                        Some((angle, slope)) if is_across(slope, from, to) => {
                            let between = (self.look)(angle);
                            self.look_between(from, &between);
                            self.look_between(&between, to);
                        }
                        _ => self.look_between(from, to),
                    }
                }
            }
            _ => {
                self.look_into(first, &middle, n_left - 1);
                self.look_into(&middle, last, n_left - 1);
            }
        }
    }

    /// Whether cubics tell how often the slope changes its sign in either half; `None` if there is none.
    fn is_told(&self, first: &Look, middle: &Look, last: &Look) -> Option<bool> {
        if [first, middle, last].iter().any(|look| look.depth() <= 0.0) {
            return None;
        }
        let slopes = [first.rise?, middle.rise?, last.rise?];
        let width = last.angle() - first.angle();
        let told = 1.5 * (last.depth() - first.depth()) / width - 0.25 * (slopes[0] + slopes[2]);
        let height = 0.5 * (first.depth() + last.depth()) + 0.125 * width * (slopes[0] - slopes[2]);
        let off = (slopes[1] - told).abs().max(4.0 * (middle.depth() - height).abs() / width);
        let steepest = slopes.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
        let is_clear = |from: &Look, to: &Look| turning(from, to).is_none_or(|(_, slope)| slope.abs() > 2.0 * off);
        let is_rounding = steepest <= 1e-12 * middle.depth();
        Some(is_rounding || (off <= UNTOLD * steepest && is_clear(first, middle) && is_clear(middle, last)))
    }

    /// One change of sign.
    fn look_between(&mut self, first: &Look, last: &Look) {
        if first.depth() <= 0.0 {
            self.gap(first.angle());
        }
        let (a, b) = (first.extreme, last.extreme);
        if a.value >= 0.0 && b.value < 0.0 {
            let found = close_in(|angle| (self.look)(angle).extreme, a, b, false, self.small);
            self.turns.push(Turn::Largest(found));
        } else if a.value < 0.0 && b.value >= 0.0 && first.depth() > 0.0 && last.depth() > 0.0 {
            let found = close_in(|angle| turned((self.look)(angle).extreme), turned(a), turned(b), false, self.small);
            self.turns.push(Turn::Least(found));
        }
        if last.depth() <= 0.0 {
            self.gap(last.angle());
        }
    }
}

/// Where the slope of the cubic between two looks is largest or least, and that slope, if that is between them.
fn turning(from: &Look, to: &Look) -> Option<(f64, f64)> {
    let (a, b) = (from.rise?, to.rise?);
    let width = to.angle() - from.angle();
    let bend = 6.0 * ((to.depth() - from.depth()) / width - 0.5 * (a + b));
    let t = 0.5 + 0.5 * (b - a) / bend;
    let slope = a + (b - a) * t + bend * t * (1.0 - t);
    (t > 0.0 && t < 1.0).then_some((from.angle() + width * t, slope))
}

/// Whether a slope between two has the other sign than both.
fn is_across(slope: f64, from: &Look, to: &Look) -> bool {
    from.extreme.value * slope < 0.0 && to.extreme.value * slope < 0.0
}

/// With the slope downwards.
fn turned(extreme: Extreme) -> Extreme {
    Extreme { value: -extreme.value, ..extreme }
}
