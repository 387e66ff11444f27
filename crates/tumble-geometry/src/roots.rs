//! Real roots of polynomials up to the fourth degree, without dividing by a leading coefficient that vanishes.
//!
//! Three ways, each given coefficients in ascending order, a0 + a1 x + ... + a4 x^4:
//!
//! - [`real_roots`]: the method of Lin and Bairstow, its roots polished by Newton's method. Where it does not converge, or
//!   where rounding could decide whether a pair of roots is real, the third way decides.
//! - [`real_roots_closed_form`]: Ferrari's solution, polished, with the same way out.
//! - [`real_roots_bracketed`]: each root between two neighbouring zeros of the derivative, which are found in the same
//!   way. Bounded work, no starting value, nothing to converge. It is the judge of the other two.
//!
//! All work on a polynomial scaled by powers of two, in the coefficients and in x, so that neither very large nor very
//! small numbers over- or underflow; roots of magnitude above 1 are those of the reversed polynomial, so that a vanishing
//! leading coefficient is a root that goes to infinity, and no special case.
//!
//! Answers are distinct real roots in ascending order. Two roots so close that rounding of the coefficients can join
//! them, or part them into a complex pair, are given as one or as two near it; their place is then known to the square
//! root of the rounding error only, which no method can better.
//!
//! References: Feng, Han and Owen, *Comput. Methods Appl. Mech. Engrg.* 315 (2017) 632, appendix 4; Press et al., *Numerical
//! Recipes*, section 9.5.

mod bracketed;
mod closed_form;
mod lin_bairstow;
mod scaled;

pub use lin_bairstow::{LinBairstow, lin_bairstow};

use scaled::Scaled;

/// Up to four distinct real roots in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RealRoots {
    values: [f64; 4],
    count: usize,
}

impl RealRoots {
    /// The roots in ascending order.
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    /// Takes a root in at its place. A fifth root is one too many and is left out.
    fn insert(&mut self, root: f64) {
        if self.count == self.values.len() || !root.is_finite() {
            return;
        }
        let place = self.as_slice().partition_point(|&other| other < root);
        self.values.copy_within(place..self.count, place + 1);
        self.values[place] = root;
        self.count += 1;
    }
}

impl FromIterator<f64> for RealRoots {
    fn from_iter<I: IntoIterator<Item = f64>>(roots: I) -> RealRoots {
        let mut sorted = RealRoots::default();
        for root in roots {
            sorted.insert(root);
        }
        sorted
    }
}

/// A way of solving a quartic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuarticBy {
    /// [`real_roots`].
    #[default]
    LinBairstow,
    /// [`real_roots_closed_form`].
    ClosedForm,
    /// [`real_roots_bracketed`].
    Bracketed,
}

impl QuarticBy {
    /// Every way, the default first.
    pub const ALL: [QuarticBy; 3] = [QuarticBy::LinBairstow, QuarticBy::ClosedForm, QuarticBy::Bracketed];

    /// Its name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            QuarticBy::LinBairstow => "lin-bairstow",
            QuarticBy::ClosedForm => "closed-form",
            QuarticBy::Bracketed => "bracketed",
        }
    }

    /// What it does, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            QuarticBy::LinBairstow => "a quadratic factor by Newton's method, as the paper proposes",
            QuarticBy::ClosedForm => "Ferrari's formula, its roots polished",
            QuarticBy::Bracketed => {
                "each root between two zeros of the derivative; what the other two end with where in doubt"
            }
        }
    }

    /// The real roots of a0 + a1 x + ... + a4 x^4.
    pub fn real_roots(self, coefficients: [f64; 5]) -> RealRoots {
        match self {
            QuarticBy::LinBairstow => real_roots(coefficients),
            QuarticBy::ClosedForm => real_roots_closed_form(coefficients),
            QuarticBy::Bracketed => real_roots_bracketed(coefficients),
        }
    }
}

/// The real roots of a0 + a1 x + ... + a4 x^4 by the method of Lin and Bairstow.
pub fn real_roots(coefficients: [f64; 5]) -> RealRoots {
    solve(coefficients, lin_bairstow::real_roots)
}

/// The same in closed form.
pub fn real_roots_closed_form(coefficients: [f64; 5]) -> RealRoots {
    solve(coefficients, closed_form::real_roots)
}

/// The same by bracketing.
pub fn real_roots_bracketed(coefficients: [f64; 5]) -> RealRoots {
    solve(coefficients, |_| None)
}

/// Scales, takes out the root zero, asks a method, and the brackets if it gives no answer. Groups of roots that are very
/// far from each other are found one by one.
fn solve(coefficients: [f64; 5], method: impl Fn(&[f64; 5]) -> Option<RealRoots> + Copy) -> RealRoots {
    if let Some((near, far)) = scaled::split(&coefficients) {
        let (near, far) = (solve(near, method), solve(far, method));
        return near.as_slice().iter().chain(far.as_slice()).copied().collect();
    }
    let Some(Scaled { coefficients: c, exponent, has_root_zero }) = Scaled::new(coefficients) else {
        return RealRoots::default();
    };
    let roots = method(&c).unwrap_or_else(|| bracketed::real_roots(&c));
    roots
        .as_slice()
        .iter()
        .map(|&root| scaled::times_power_of_two(root, exponent))
        .chain(has_root_zero.then_some(0.0))
        .collect()
}

/// The real roots of a + b x + c x^2, the larger one first in magnitude and the other through their product, so that
/// nothing cancels and c may vanish. Also the discriminant over the sum of the magnitudes of its terms.
fn quadratic(a: f64, b: f64, c: f64) -> ([f64; 2], f64) {
    let (square, product) = (b * b, 4.0 * a * c);
    let (discriminant, size) = (square - product, square + product.abs());
    let q = -0.5 * (b + discriminant.max(0.0).sqrt().copysign(b));
    ([q / c, a / q], if size > 0.0 { discriminant / size } else { 0.0 })
}

/// Value, slope and sum of magnitudes of the terms at x, by Horner's rule.
fn value_slope_size(c: &[f64], x: f64) -> (f64, f64, f64) {
    let (mut value, mut slope, mut size) = (0.0, 0.0, 0.0);
    for &coefficient in c.iter().rev() {
        slope = slope * x + value;
        value = value * x + coefficient;
        size = size * x.abs() + coefficient.abs();
    }
    (value, slope, size)
}

/// A few Newton steps, as long as they make the value smaller.
fn polished(c: &[f64; 5], mut x: f64) -> f64 {
    let (mut value, mut slope, _) = value_slope_size(c, x);
    for _ in 0..4 {
        let next = x - value / slope;
        if !next.is_finite() {
            break;
        }
        let (next_value, next_slope, _) = value_slope_size(c, next);
        if next_value.abs() >= value.abs() {
            break;
        }
        (x, value, slope) = (next, next_value, next_slope);
    }
    x
}

/// The candidates that are real, polished, if none of them is in doubt: each is a root to rounding and none is so near to
/// another that the two could be one or a complex pair.
fn without_doubt(c: &[f64; 5], candidates: &[f64]) -> Option<RealRoots> {
    // Two roots closer than this, relative to their magnitude, move by more than 1e-16 / 1e-4 when the coefficients are
    // rounded.
    const CLOSE: f64 = 1e-4;
    // Of the sum of the magnitudes of the terms: what Horner's rule leaves of a root that is right in its last place.
    const RESIDUAL: f64 = 32.0 * f64::EPSILON;
    let mut roots = RealRoots::default();
    for &candidate in candidates {
        // A vanishing leading coefficient sends a root to infinity.
        if !candidate.is_finite() {
            continue;
        }
        let root = polished(c, candidate);
        let (value, _, size) = value_slope_size(c, root);
        if value.abs() > RESIDUAL * size {
            return None;
        }
        roots.insert(root);
    }
    let is_close = |pair: &[f64]| (pair[1] - pair[0]).abs() <= CLOSE * pair[0].abs().max(pair[1].abs());
    (!roots.as_slice().windows(2).any(is_close)).then_some(roots)
}

#[cfg(test)]
mod tests;
