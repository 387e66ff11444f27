//! Roots between neighbouring zeros of the derivative.
//!
//! Between two zeros of its derivative a polynomial is monotone, so that a change of sign brackets one root. The zeros of
//! the derivative are found in the same way, down to degree one. Only [-1, 1] is searched; roots beyond are the inverses
//! of the roots of the reversed polynomial.
//!
//! A value at a zero of the derivative that is no larger than its own rounding error is a double root there.

use super::{RealRoots, value_slope_size};

/// Of the sum of the magnitudes of the terms: the rounding error of Horner's rule for degree four, twice over.
const ZERO: f64 = 16.0 * f64::EPSILON;

/// Roots of both searches this close to each other, at magnitude 1, are one.
const SAME: f64 = 1e-12;

/// The real roots of a scaled polynomial.
pub(super) fn real_roots(c: &[f64; 5]) -> RealRoots {
    let inner = in_unit_interval(c, 4);
    let reversed: [f64; 5] = std::array::from_fn(|k| c[4 - k]);
    let outer = in_unit_interval(&reversed, 4);
    let is_new = |root: &f64| inner.as_slice().iter().all(|other| (other - root).abs() > SAME);
    let inverses = outer.as_slice().iter().filter(|inverse| **inverse != 0.0).map(|inverse| 1.0 / inverse);
    inner.as_slice().iter().copied().chain(inverses.filter(is_new)).collect()
}

/// The roots in [-1, 1] of the polynomial of the lowest `degree` + 1 coefficients.
fn in_unit_interval(c: &[f64; 5], degree: usize) -> RealRoots {
    let terms = &c[..=degree];
    if degree == 1 {
        return (terms[1] != 0.0).then(|| -terms[0] / terms[1]).filter(|root| root.abs() <= 1.0).into_iter().collect();
    }
    let derivative: [f64; 5] = std::array::from_fn(|k| if k < degree { (k + 1) as f64 * c[k + 1] } else { 0.0 });
    let turning = in_unit_interval(&derivative, degree - 1);
    let mut roots = RealRoots::default();
    // Where the last stretch began, and the value there if it was not zero.
    let mut last: Option<(f64, Option<f64>)> = None;
    for &x in [-1.0].iter().chain(turning.as_slice()).chain(&[1.0]) {
        let (value, _, size) = value_slope_size(terms, x);
        let value = (value.abs() > ZERO * size).then_some(value);
        match (last, value) {
            (_, None) => roots.insert(x),
            (Some((from, Some(before))), Some(value)) if (before < 0.0) != (value < 0.0) => {
                roots.insert(between(terms, from, x, before));
            }
            _ => {}
        }
        last = Some((x, value));
    }
    roots
}

/// The root in a bracket: Newton's method, halving the bracket where a step leaves it or gains little.
fn between(c: &[f64], mut lower: f64, mut upper: f64, value_at_lower: f64) -> f64 {
    let is_lower = |value: f64| (value < 0.0) == (value_at_lower < 0.0);
    let mut x = 0.5 * (lower + upper);
    let mut last_step = upper - lower;
    // Two halvings for every bit of the widest bracket; Newton's method takes far fewer.
    for _ in 0..200 {
        let (value, slope, _) = value_slope_size(c, x);
        if value == 0.0 {
            return x;
        }
        if is_lower(value) {
            lower = x;
        } else {
            upper = x;
        }
        let newton = x - value / slope;
        let next = if newton > lower && newton < upper && (newton - x).abs() <= 0.5 * last_step {
            newton
        } else {
            0.5 * (lower + upper)
        };
        last_step = (next - x).abs();
        if next == x || last_step <= f64::EPSILON * next.abs() {
            return next;
        }
        x = next;
    }
    x
}
