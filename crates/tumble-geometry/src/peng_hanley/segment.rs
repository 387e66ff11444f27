//! The least value of a convex function on a segment.
//!
//! The slope along the segment is bracketed, and its zero is sought by false position in the Illinois form, halved where that
//! is slow. The tangents at both ends of the bracket bound the least value from below, and the search ends where that bound has met
//! the best value. Valid for every convex function with a gradient; 0.5 of the bracket is kept at worst every third step.
//!
//! Reference: Dowell and Jarratt, *A modified regula falsi method*, BIT 11 (1971) 168.

use crate::tolerance::ROUNDING;
use glam::DVec3;

/// Halvings of a segment that leave nothing but rounding, and the steps between them.
const MOST_STEPS: usize = 160;

/// Where on the segment from `start` to `end` a convex function is least, from 0 to 1, and its value there. The function gives its
/// value, of the order of one, and its gradient.
pub fn least_on_segment(function: impl Fn(DVec3) -> (f64, DVec3), start: DVec3, end: DVec3) -> (f64, f64) {
    let along = end - start;
    let at = |t: f64| {
        let (value, gradient) = function(if t == 1.0 { end } else { start + along * t });
        (t, value, gradient.dot(along))
    };
    let (mut low, mut high) = (at(0.0), at(1.0));
    if low.2 >= 0.0 {
        return (0.0, low.1);
    }
    if high.2 <= 0.0 {
        return (1.0, high.1);
    }
    let mut best = if low.1 <= high.1 { low } else { high };
    // The slopes as false position sees them: halved on the side that stays.
    let (mut left, mut right) = (low.2, high.2);
    for step in 1..=MOST_STEPS {
        let width = high.0 - low.0;
        let crossing = (high.1 - low.1 - high.2 * width) / (low.2 - high.2);
        let bound = low.1 + low.2 * crossing.clamp(0.0, width);
        if best.1 - bound <= ROUNDING * best.1.abs().max(1.0) {
            break;
        }
        let middle = low.0 + 0.5 * width;
        let secant = low.0 - left * width / (right - left);
        let t = if step % 3 == 0 || !(secant > low.0 && secant < high.0) { middle } else { secant };
        if t <= low.0 || t >= high.0 {
            break;
        }
        let found = at(t);
        if found.1 < best.1 {
            best = found;
        }
        if found.2 < 0.0 {
            (low, left, right) = (found, found.2, 0.5 * right);
        } else if found.2 > 0.0 {
            (high, right, left) = (found, found.2, 0.5 * left);
        } else {
            break;
        }
    }
    (best.0, best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Superquadric;
    use crate::oracle::Sequence;

    #[test]
    fn no_point_of_a_segment_has_less() {
        let mut sequence = Sequence::new(4);
        for _ in 0..2000 {
            let semi_axes = DVec3::new(1.0, sequence.between_in_ratio(0.1, 1.0), sequence.between_in_ratio(0.1, 1.0));
            let (n1, n2) = (sequence.between(2.0, 20.0), sequence.between(2.0, 20.0));
            let body = Superquadric { semi_axes, n1, n2 };
            let (start, end) = (sequence.point_in_cube(2.0), sequence.point_in_cube(2.0));
            let (share, least) = least_on_segment(|x| body.gauge(x), start, end);
            assert!((0.0..=1.0).contains(&share));
            let value = |t: f64| body.gauge(start + (end - start) * t).0;
            assert!((value(share) - least).abs() < 1e-13 * least.max(1.0));
            for k in 0..=400 {
                let t = k as f64 / 400.0;
                assert!(value(t) >= least - 1e-13, "{body:?} {start} {end}: {least} at {share}, {} at {t}", value(t));
            }
        }
    }
}
