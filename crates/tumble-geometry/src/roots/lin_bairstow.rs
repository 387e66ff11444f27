//! The method of Lin and Bairstow: a quadratic factor by Newton's method on its coefficients.
//!
//! P(x) = (x^2 + u x + v) (b2 x^2 + b1 x + b0) + c x + d; the remainder is made zero over u and v. Nothing is divided by
//! the leading coefficient: where it vanishes, the quotient is of lower degree.
//!
//! Converges in about seven steps as a rule, linearly where the two factors share a root, and for some starts not at
//! all: Newton's method in two variables promises nothing. [`real_roots`] then gives no answer and the caller brackets.

use super::{RealRoots, quadratic, without_doubt};

/// A quadratic factor of a quartic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinBairstow {
    /// v and u of the factor x^2 + u x + v.
    pub factor: [f64; 2],
    /// b0, b1 and b2 of the quotient b2 x^2 + b1 x + b0.
    pub quotient: [f64; 3],
    /// Newton steps taken.
    pub n_steps: usize,
    /// Whether the last step was below 1e-12 of the factor's coefficients.
    pub has_converged: bool,
}

/// A quadratic factor of a0 + a1 x + ... + a4 x^4, begun from `start` (v and u).
pub fn lin_bairstow(coefficients: &[f64; 5], start: [f64; 2], largest_n_steps: usize) -> LinBairstow {
    const CONVERGED: f64 = 1e-12;
    let [a0, a1, a2, a3, a4] = *coefficients;
    let [mut v, mut u] = start;
    let quotient = |u: f64, v: f64| {
        let b1 = a3 - u * a4;
        [a2 - u * b1 - v * a4, b1, a4]
    };
    for n_steps in 1..=largest_n_steps {
        let [b0, b1, b2] = quotient(u, v);
        let (c, d) = (a1 - u * b0 - v * b1, a0 - v * b0);
        let (g, h) = (b1 - u * b2, b0 - v * b2);
        let determinant = v * g * g + h * (h - u * g);
        let (du, dv) = ((h * c - g * d) / determinant, (g * v * c - (g * u - h) * d) / determinant);
        if !(du.is_finite() && dv.is_finite()) {
            return LinBairstow { factor: [v, u], quotient: quotient(u, v), n_steps, has_converged: false };
        }
        (u, v) = (u + du, v + dv);
        // Roots are of the size of u and of the root of v.
        if du.abs() <= CONVERGED * u.abs().max(v.abs().sqrt()) && dv.abs() <= CONVERGED * v.abs().max(u * u) {
            return LinBairstow { factor: [v, u], quotient: quotient(u, v), n_steps, has_converged: true };
        }
    }
    LinBairstow { factor: [v, u], quotient: quotient(u, v), n_steps: largest_n_steps, has_converged: false }
}

/// The real roots of a scaled polynomial, unless there is doubt.
pub(super) fn real_roots(c: &[f64; 5]) -> Option<RealRoots> {
    // Nineteen in twenty starts have converged by then; the brackets cost as much as some twenty further steps.
    const N_STEPS: usize = 24;
    // A pair of roots whose discriminant is smaller than this part of its terms could be real or complex.
    const DISCRIMINANT: f64 = 1e-6;
    let found = lin_bairstow(c, [-0.5, 0.0], N_STEPS);
    if !found.has_converged {
        return None;
    }
    let [v, u] = found.factor;
    let [b0, b1, b2] = found.quotient;
    let mut candidates = [f64::NAN; 4];
    for (pair, (roots, discriminant)) in [quadratic(v, u, 1.0), quadratic(b0, b1, b2)].into_iter().enumerate() {
        if discriminant.abs() < DISCRIMINANT {
            return None;
        }
        if discriminant > 0.0 {
            candidates[2 * pair] = roots[0];
            candidates[2 * pair + 1] = roots[1];
        }
    }
    without_doubt(c, &candidates)
}
