//! Directions that depend on one angle, and where along them the reach of a convex body is stationary.
//!
//! n(t) = w + u cos t + v sin t, with u and v square to each other and of equal length. A body's reach
//! D(t) = max of n(t) . (x - o) over its points x has the derivative n'(t) . (x(t) - o), x(t) the farthest point. So the
//! reach is largest or least where that product changes its sign, and no derivative of the shape is needed. The normals
//! of a cone or tube about z are such a family, and so are those of an edge and of a point of a ring.
//!
//! The sign change is bracketed and closed in on by regula falsi (Illinois; Dowell and Jarratt, 1971) with bisection
//! where that stalls. Where the farthest point jumps (the reach is least at a kink: an edge of the body lies across) the
//! two points themselves say where they tie, n . (x_a - x_b) = 0, which is found in a few steps.
//!
//! Known limit: of two maxima closer together than the spacing of the first samples only one is found.

use super::placed_shape::PlacedShape;
use glam::DVec3;
use std::f64::consts::PI;

/// Enough halvings to bring any bracket down to rounding.
const MOST_STEPS: usize = 80;

/// Intervals in which the least reach of a body around the origin is looked for.
const N_INTERVALS: usize = 6;

/// A family of directions.
#[derive(Clone, Copy)]
pub(super) struct DirectionFan {
    /// The part that all have.
    pub constant: DVec3,
    /// The part that goes with the cosine.
    pub cosine: DVec3,
    /// The part that goes with the sine.
    pub sine: DVec3,
    /// Where reaches are measured from [m].
    pub origin: DVec3,
}

/// A direction of a family, and the point of a body farthest along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extreme {
    /// Angle of the family [rad].
    pub angle: f64,
    /// The direction.
    pub direction: DVec3,
    /// Derivative of the direction by the angle, or a multiple of it.
    pub slope: DVec3,
    /// The farthest point [m].
    pub point: DVec3,
    /// How far the body reaches there [m].
    pub height: f64,
    /// What changes sign where the reach is stationary [m].
    pub value: f64,
}

impl DirectionFan {
    /// The direction at an angle, and its derivative.
    #[inline]
    pub fn at(&self, angle: f64) -> (DVec3, DVec3) {
        let (sine, cosine) = angle.sin_cos();
        (self.constant + self.cosine * cosine + self.sine * sine, self.sine * cosine - self.cosine * sine)
    }

    /// The direction at an angle and the body's farthest point along it; the value is the derivative of the reach.
    #[inline]
    pub fn extreme(&self, angle: f64, support: impl Fn(DVec3) -> DVec3) -> Extreme {
        let (direction, slope) = self.at(angle);
        let point = support(direction);
        let offset = point - self.origin;
        Extreme { angle, direction, slope, point, height: direction.dot(offset), value: slope.dot(offset) }
    }

    /// Where the body reaches least over the angles from `low` to `high` (less than a half turn). Apart from the origin
    /// a body has one such place; around it several, among which the least is found as far as sampling tells them apart.
    pub fn least_reach(&self, body: &PlacedShape, low: f64, high: f64, small: f64) -> Extreme {
        let evaluate = |angle: f64| {
            let extreme = self.extreme(angle, |direction| body.support_beyond(direction, direction.dot(self.origin)));
            Extreme { value: -extreme.value, ..extreme }
        };
        // What is measured of a body changes smoothly.
        let kink = body.measured.is_none();
        let least_between = |first: Extreme, last: Extreme| {
            if first.value > 0.0 && last.value < 0.0 {
                return close_in(evaluate, first, last, kink, small);
            }
            let end = if last.height < first.height { last } else { first };
            // Where the farthest point at one end would fall behind its own reach before the other end, there may be less between: next to
            // where the farthest points of both ends tie.
            let own = |at: &Extreme, point: DVec3| at.slope.dot(point - self.origin);
            let may_dip = if last.value < 0.0 {
                own(&last, first.point) < 0.0
            } else {
                first.value > 0.0 && own(&first, last.point) > 0.0
            };
            let jump = first.point - last.point;
            let (gain, loss) = (first.direction.dot(jump), last.direction.dot(jump));
            if !may_dip || gain <= 0.0 || loss >= 0.0 {
                return end;
            }
            let tie = evaluate(first.angle + (last.angle - first.angle) * (gain / (gain - loss)));
            let (from, to) = if tie.value > 0.0 { (tie, last) } else { (first, tie) };
            let middle = evaluate(0.5 * (from.angle + to.angle));
            let dip = match (from.value > 0.0, middle.value > 0.0, to.value < 0.0) {
                (true, false, _) => close_in(evaluate, from, middle, kink, small),
                (_, true, true) => close_in(evaluate, middle, to, kink, small),
                _ => tie,
            };
            if dip.height < end.height { dip } else { end }
        };
        let mut before = evaluate(low);
        let mut best = least_between(before, evaluate(high));
        if best.height <= 0.0 {
            return best;
        }
        for k in 1..=N_INTERVALS {
            let after = evaluate(low + (high - low) * (k as f64 / N_INTERVALS as f64));
            let candidate = least_between(before, after);
            if candidate.height < best.height {
                best = candidate;
            }
            before = after;
        }
        best
    }

    /// The part of the angles from `low` to `high` whose directions lead away from a centre: n . (origin - centre) > 0.
    pub fn away_from(&self, centre: DVec3, low: f64, high: f64) -> Option<(f64, f64)> {
        let offset = self.origin - centre;
        let angle = self.sine.dot(offset).atan2(self.cosine.dot(offset));
        let middle = 0.5 * (low + high);
        // The same angle, within a half turn of the middle.
        let angle = middle + (angle - middle + PI).rem_euclid(2.0 * PI) - PI;
        let (low, high) = (low.max(angle - 0.5 * PI), high.min(angle + 0.5 * PI));
        (low <= high).then_some((low, high))
    }
}

/// Closes in on a change of `value` from positive (or zero) at `first` to negative at `last`, down to `small` or to
/// rounding of the angle. `kink` says that the value is minus the derivative of a reach, whose farthest point
/// may jump where it is least. The answer's point is interpolated to value zero where the farthest point jumps.
pub(super) fn close_in(
    mut evaluate: impl FnMut(f64) -> Extreme,
    mut first: Extreme,
    mut last: Extreme,
    kink: bool,
    small: f64,
) -> Extreme {
    let mut weight = (first.value, last.value);
    let mut side = 0;
    let mut stalled = false;
    let mut tries_tie = true;
    for _ in 0..MOST_STEPS {
        if first.value.abs() <= small {
            return first;
        }
        if last.value.abs() <= small {
            return last;
        }
        let width = last.angle - first.angle;
        if width <= 4.0 * f64::EPSILON * (first.angle.abs() + last.angle.abs()).max(f64::MIN_POSITIVE) {
            break;
        }
        let jump = first.point - last.point;
        let (gain, loss) = (first.direction.dot(jump), last.direction.dot(jump));
        let fraction = if !stalled {
            weight.0 / (weight.0 - weight.1)
        } else if kink && tries_tie && gain > 0.0 && loss < 0.0 {
            gain / (gain - loss)
        } else {
            0.5
        };
        tries_tie = !(stalled && tries_tie) || width < 1e-3;
        let middle = evaluate((first.angle + width * fraction).clamp(first.angle, last.angle));
        if kink && stalled {
            let farther = |point: DVec3| middle.direction.dot(middle.point - point);
            // Nothing reaches farther than the two points, they reach equally far, and they lie on either side.
            let ties = farther(first.point).abs() <= small && farther(last.point).abs() <= small;
            let here = |point: DVec3| middle.value - middle.slope.dot(point - middle.point);
            let (one, other) = (here(first.point), here(last.point));
            if ties && one >= 0.0 && other <= 0.0 {
                return between(middle, (first.point, one), (last.point, other));
            }
        }
        let worst = first.value.abs().min(last.value.abs());
        stalled = middle.value.abs() > 0.5 * worst;
        if middle.value >= 0.0 {
            (first, weight.0) = (middle, middle.value);
            weight.1 = if side == 1 { 0.5 * weight.1 } else { last.value };
            side = 1;
        } else {
            (last, weight.1) = (middle, middle.value);
            weight.0 = if side == -1 { 0.5 * weight.0 } else { first.value };
            side = -1;
        }
    }
    let nearer = if first.value.abs() <= last.value.abs() { first } else { last };
    between(nearer, (first.point, first.value), (last.point, last.value))
}

/// A direction, with the point of the line between two points where the value is zero.
fn between(middle: Extreme, first: (DVec3, f64), last: (DVec3, f64)) -> Extreme {
    let fraction = first.1 / (first.1 - last.1);
    let point =
        if fraction.is_finite() { first.0 + (last.0 - first.0) * fraction.clamp(0.0, 1.0) } else { middle.point };
    Extreme { point, value: 0.0, ..middle }
}
