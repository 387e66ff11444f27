//! The derivative cascade: the gap's second derivative is a quadratic, between whose roots the first derivative is
//! monotone, between whose roots the gap is. So every root is alone in a bracket, and none can be missed.

use super::{Flight, NEVER, uniform_balls_meet};
use glam::DVec3;

/// The gap as a difference of squares, sign * (|flight|^2 - reach^2): a quartic in time.
pub(super) struct Squares {
    pub flight: Flight,
    pub square_reach: f64,
    /// 1 for what is met from outside, -1 for what is met from inside.
    pub sign: f64,
}

impl Squares {
    /// Gap and slope. From the vectors, not from the coefficients of the quartic: the gap at the root is up to a hundred
    /// times as near to nothing.
    #[inline]
    fn gap(&self, time: f64) -> (f64, f64) {
        let (offset, velocity) = self.flight.at(time);
        (self.sign * (offset.length_squared() - self.square_reach), self.sign * 2.0 * offset.dot(velocity))
    }

    /// Slope and curvature of the gap.
    #[inline]
    fn slope(&self, time: f64) -> (f64, f64) {
        let (offset, velocity) = self.flight.at(time);
        let curvature = velocity.length_squared() + offset.dot(self.flight.acceleration);
        (self.sign * 2.0 * offset.dot(velocity), self.sign * 2.0 * curvature)
    }

    /// The first event before the horizon, which is finite.
    pub fn first_event(&self, horizon: f64) -> f64 {
        let Flight { offset, velocity, acceleration } = self.flight;
        if acceleration == DVec3::ZERO && self.sign > 0.0 {
            let time = uniform_balls_meet(offset, velocity, self.square_reach);
            return if time <= horizon { time } else { NEVER };
        }
        let mut left = (0.0, self.gap(0.0));
        if left.1.0 <= 0.0 && left.1.1 < 0.0 {
            return 0.0;
        }
        // f'' / (2 sign) = v^2 + r.a + 3 v.a t + (3/2) a^2 t^2.
        let inflections = roots_of_quadratic(
            velocity.length_squared() + offset.dot(acceleration),
            3.0 * velocity.dot(acceleration),
            1.5 * acceleration.length_squared(),
        );
        for end in [inflections[0], inflections[1], horizon] {
            if end <= left.0 || end > horizon || end.is_nan() {
                continue;
            }
            let right = (end, self.gap(end));
            let event = self.event_in_segment(left, right);
            if event < NEVER {
                return event;
            }
            left = right;
        }
        NEVER
    }

    /// The event in a segment in which the slope is monotone.
    fn event_in_segment(&self, left: (f64, (f64, f64)), right: (f64, (f64, f64))) -> f64 {
        let (start, (gap_start, slope_start)) = left;
        let (end, (gap_end, slope_end)) = right;
        // Gaps that are smaller than this are rounding.
        let noise = f64::EPSILON * self.square_reach;
        if slope_start < 0.0 {
            if gap_start <= 0.0 {
                return start;
            }
            let (lowest, gap_lowest) = if slope_end > 0.0 {
                let lowest = newton(start, end, 0.5 * (start + end), 0.0, |t| {
                    let (slope, curvature) = self.slope(t);
                    (-slope, -curvature)
                });
                (lowest, self.gap(lowest).0)
            } else {
                (end, gap_end)
            };
            if gap_lowest < 0.0 {
                // Newton's method goes to the root without overshooting from the side where gap and curvature have one
                // sign.
                let first = if slope_end > slope_start { start } else { lowest };
                return newton(start, lowest, first, noise, |t| self.gap(t));
            }
        } else if slope_end < 0.0 {
            // A slope of nothing is that of the top itself: the slope falls.
            let falls = |t| self.slope(t);
            let highest = if slope_start > 0.0 { newton(start, end, 0.5 * (start + end), 0.0, falls) } else { start };
            if self.gap(highest).0 <= 0.0 {
                return highest;
            }
            if gap_end < 0.0 {
                return newton(highest, end, end, noise, |t| self.gap(t));
            }
        }
        NEVER
    }
}

/// The real roots of c + b t + a t^2 in ascending order, NaN where there are none.
fn roots_of_quadratic(c: f64, b: f64, a: f64) -> [f64; 2] {
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 || discriminant.is_nan() {
        return [f64::NAN; 2];
    }
    let q = -0.5 * (b + discriminant.sqrt().copysign(b));
    let roots = [q / a, c / q];
    if roots[0] > roots[1] { [roots[1], roots[0]] } else { roots }
}

/// Newton's method between a place where a function is positive, `positive`, and a later one where it is negative, kept
/// between them by bisection. It ends where the next step is lost in rounding, or where the value is no more than `noise`.
pub(super) fn newton(positive: f64, negative: f64, first: f64, noise: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (positive, negative);
    let mut at = first;
    let mut last_step = high - low;
    // A step is at least halved every other time: a bracket of any width is closed in fewer steps.
    for _ in 0..200 {
        let (value, slope) = f(at);
        if value.abs() <= noise {
            return at;
        }
        if value > 0.0 {
            low = at;
        } else {
            high = at;
        }
        let step = -value / slope;
        let next = at + step;
        let newton_serves = next > low && next < high && step.abs() < 0.5 * last_step;
        let next = if newton_serves { next } else { 0.5 * (low + high) };
        last_step = (next - at).abs();
        if last_step <= f64::EPSILON * at.abs() || next <= low || next >= high {
            return next;
        }
        at = next;
    }
    at
}
