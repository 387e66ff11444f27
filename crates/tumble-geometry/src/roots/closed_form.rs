//! Ferrari's solution of the quartic.
//!
//! x = y - a3 / (4 a4) gives y^4 + p y^2 + q y + r. With m a positive root of the resolvent cubic
//! 8 m^3 + 8 p m^2 + (2 p^2 - 8 r) m - q^2 = 0 it splits into y^2 +- sqrt(2 m) y + p/2 + m -+ q / (2 sqrt(2 m)).
//!
//! The leading coefficient must not vanish beside the others, the largest root of the cubic is taken (it is the one that
//! is found best), and biquadratics (q = 0) are squares. Known to lose digits where roots differ much in magnitude or
//! nearly coincide; there [`real_roots`] gives no answer and the caller brackets.

use super::{RealRoots, quadratic, value_slope_size, without_doubt};
use std::f64::consts::PI;

/// Of the largest coefficient. A leading coefficient below it has roots beyond 1e6, and the others lose half of their
/// digits to them.
const VANISHES: f64 = 1e-8;

/// As for the quadratic factors of Lin and Bairstow.
const DISCRIMINANT: f64 = 1e-6;

/// The real roots of a scaled polynomial, unless there is doubt.
pub(super) fn real_roots(c: &[f64; 5]) -> Option<RealRoots> {
    let [a0, a1, a2, a3, a4] = *c;
    if a4 == 0.0 && a3 == 0.0 {
        let (roots, discriminant) = quadratic(a0, a1, a2);
        return match discriminant {
            d if a2 != 0.0 && d.abs() < DISCRIMINANT => None,
            d if d < 0.0 => Some(RealRoots::default()),
            _ => without_doubt(c, &roots),
        };
    }
    if a4 == 0.0 {
        return if a3.abs() < VANISHES { None } else { cubic(c) };
    }
    if a4.abs() < VANISHES {
        return None;
    }
    let (b, s) = (a3 / a4, -0.25 * a3 / a4);
    let (p, q, r) = (
        a2 / a4 - 0.375 * b * b,
        a1 / a4 - 0.5 * b * a2 / a4 + b * b * b / 8.0,
        a0 / a4 - 0.25 * b * a1 / a4 + b * b * a2 / (16.0 * a4) - 3.0 / 256.0 * b * b * b * b,
    );
    let size = p.abs().max(r.abs().sqrt());
    let mut candidates = [f64::NAN; 4];
    if q.abs() <= 4.0 * f64::EPSILON * size * size.sqrt() {
        let (squares, discriminant) = quadratic(r, p, 1.0);
        if discriminant.abs() < DISCRIMINANT {
            return None;
        }
        if discriminant > 0.0 {
            for (pair, square) in squares.into_iter().enumerate().filter(|(_, square)| *square >= 0.0) {
                candidates[2 * pair] = s + square.sqrt();
                candidates[2 * pair + 1] = s - square.sqrt();
            }
        }
        return without_doubt(c, &candidates);
    }
    let m = cubic_root(-q * q / 8.0, 0.25 * p * p - r, p, true);
    if m.is_nan() || m <= 0.0 {
        return None;
    }
    let width = (2.0 * m).sqrt();
    for (pair, sign) in [1.0, -1.0].into_iter().enumerate() {
        let (roots, discriminant) = quadratic(0.5 * p + m - sign * 0.5 * q / width, sign * width, 1.0);
        if discriminant.abs() < DISCRIMINANT {
            return None;
        }
        if discriminant > 0.0 {
            candidates[2 * pair] = s + roots[0];
            candidates[2 * pair + 1] = s + roots[1];
        }
    }
    without_doubt(c, &candidates)
}

/// The roots of a cubic: the one of largest magnitude in closed form, where nothing cancels, the others from the quadratic
/// that is left, begun at its lowest coefficient.
fn cubic(c: &[f64; 5]) -> Option<RealRoots> {
    let [a0, a1, a2, a3, _] = *c;
    let (a, b, c2) = (a0 / a3, a1 / a3, a2 / a3);
    let (q, r) = viete(a, b, c2);
    let (square, cube) = (r * r, q * q * q);
    if (square - cube).abs() < DISCRIMINANT * (square + cube.abs()) {
        return None;
    }
    let first = cubic_root(a, b, c2, c2 < 0.0);
    if square > cube {
        return without_doubt(c, &[first]);
    }
    let b0 = -a0 / first;
    let (others, discriminant) = quadratic(b0, (b0 - a1) / first, a3);
    if discriminant < DISCRIMINANT {
        return None;
    }
    without_doubt(c, &[first, others[0], others[1]])
}

/// Viete's q and r of x^3 + c x^2 + b x + a: there are three real roots if r^2 < q^3.
fn viete(a: f64, b: f64, c: f64) -> (f64, f64) {
    ((c * c - 3.0 * b) / 9.0, (2.0 * c * c * c - 9.0 * b * c + 27.0 * a) / 54.0)
}

/// The largest or the smallest real root of x^3 + c x^2 + b x + a, by Viete's angle or Cardano's radicals and two Newton
/// steps.
fn cubic_root(a: f64, b: f64, c: f64, largest: bool) -> f64 {
    let (q, r) = viete(a, b, c);
    let mut x = if r * r < q * q * q {
        let angle = (r / q.powf(1.5)).clamp(-1.0, 1.0).acos();
        let turn = if largest { 2.0 * PI } else { 0.0 };
        -2.0 * q.sqrt() * ((angle + turn) / 3.0).cos() - c / 3.0
    } else {
        let radical = -(r.abs() + (r * r - q * q * q).max(0.0).sqrt()).cbrt().copysign(r);
        let other = if radical == 0.0 { 0.0 } else { q / radical };
        radical + other - c / 3.0
    };
    for _ in 0..2 {
        let (value, slope, _) = value_slope_size(&[a, b, c, 1.0], x);
        let next = x - value / slope;
        if next.is_finite() {
            x = next;
        }
    }
    x
}
