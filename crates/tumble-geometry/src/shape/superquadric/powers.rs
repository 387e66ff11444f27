//! Powers and roots of numbers of zero or more, of products, square roots and polynomials alone: the same bits on every machine,
//! which the power function of a platform does not promise, and fewer instructions for the exponents that are used most.
//!
//! - Whole exponents: repeated squares. Roots of the orders 2, 4 and 8: square roots.
//! - Third and seventh roots, which the support of the exponents 4 and 8 asks for: a third or seventh of the bits, which is right
//!   to 4 %, and three steps of Halley's iteration y <- y ((k-1) y^k + (k+1) x) / ((k+1) y^k + (k-1) x), each with (k^2 - 1) / 12
//!   times the cube of the error of the last.
//! - All others: 2^(p log2 x). With x = 2^e m and s = (m - 1) / (m + 1), log2 m = 2 atanh(s) / ln 2 by its series, as |s| < 0.172;
//!   2^f by that of the exponential, as |f| <= 1/2. The relative error is about that of rounding p log2 x, a few 1e-15 at most for what is
//!   asked here.
//!
//! Valid for normal numbers; what is below their range counts as zero.

use std::f64::consts::{LN_2, SQRT_2};

/// 1 / ln 2, twice.
const TWO_OVER_LN_2: f64 = 2.0 / LN_2;

/// Adding and taking it away again rounds to a whole number.
const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;

/// Coefficients of atanh(s) / s in powers of s^2: 1 / (2 k + 1).
const INVERSE_TANGENT: [f64; 12] = {
    let mut series = [0.0; 12];
    let mut k = 0;
    while k < 12 {
        series[k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    series
};

/// Coefficients of the exponential: 1 / k!.
const EXPONENTIAL: [f64; 15] = {
    let mut series = [1.0; 15];
    let mut k = 1;
    while k < 15 {
        series[k] = series[k - 1] / k as f64;
        k += 1;
    }
    series
};

/// x to the power p, for x >= 0 and p not 0.
pub(super) fn power(x: f64, p: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return if p > 0.0 { 0.0 } else { f64::INFINITY };
    }
    exp2(p * log2(x))
}

/// The binary logarithm of a normal number above zero.
fn log2(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if m > SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let sum = INVERSE_TANGENT.iter().rev().fold(0.0, |sum, coefficient| sum * z + coefficient);
    exponent as f64 + TWO_OVER_LN_2 * s * sum
}

/// 2 to the power t.
fn exp2(t: f64) -> f64 {
    if t < -1022.0 {
        return 0.0;
    }
    if t > 1023.0 {
        return f64::INFINITY;
    }
    let whole = (t + ROUNDER) - ROUNDER;
    let f = (t - whole) * LN_2;
    let sum = EXPONENTIAL.iter().rev().fold(0.0, |sum, coefficient| sum * f + coefficient);
    sum * f64::from_bits(((whole as i64 + 1023) as u64) << 52)
}

/// x to a whole power.
#[inline]
fn whole_power(x: f64, n: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, x, n);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

/// The largest exponent that is raised by products.
const LARGEST_WHOLE: f64 = 64.0;

/// x^n, for x >= 0 and n >= 0.
#[inline]
pub(crate) fn raised(x: f64, n: f64) -> f64 {
    if n == 2.0 {
        return x * x;
    }
    if n == 6.0 {
        let cube = x * x * x;
        return cube * cube;
    }
    if n == 0.0 {
        return 1.0;
    }
    raised_by_any(x, n)
}

/// The same for those that are not in use most.
#[inline(never)]
fn raised_by_any(x: f64, n: f64) -> f64 {
    if n <= LARGEST_WHOLE && n.fract() == 0.0 { whole_power(x, n as u32) } else { power(x, n) }
}

/// The root x^(1/n), for x >= 0.
#[inline]
pub(super) fn root(x: f64, n: f64) -> f64 {
    if n == 2.0 {
        x.sqrt()
    } else if n == 4.0 {
        x.sqrt().sqrt()
    } else if n == 8.0 {
        x.sqrt().sqrt().sqrt()
    } else {
        power(x, 1.0 / n)
    }
}

/// The root x^(1/(n-1)), for x >= 0 and n >= 2.
#[inline]
pub(super) fn lowered_root(x: f64, n: f64) -> f64 {
    if n == 2.0 {
        x
    } else if n == 4.0 {
        odd_root::<3>(x)
    } else if n == 8.0 {
        odd_root::<7>(x)
    } else if n == 3.0 {
        x.sqrt()
    } else {
        power(x, 1.0 / (n - 1.0))
    }
}

/// The third or seventh root.
#[inline]
fn odd_root<const K: u64>(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 0.0;
    }
    // Of directions the largest component always is.
    if x == 1.0 {
        return 1.0;
    }
    let k = K as f64;
    // The bits are 2^52 times 1023 plus the logarithm, less 0 to 0.086.
    let shift = ((1.0 - 1.0 / k) * (1023.0 - 0.043) * (1u64 << 52) as f64) as u64;
    let mut y = f64::from_bits(x.to_bits() / K + shift);
    for _ in 0..3 {
        let cube = y * y * y;
        let raised = if K == 3 { cube } else { cube * cube * y };
        y *= ((k - 1.0) * raised + (k + 1.0) * x) / ((k + 1.0) * raised + (k - 1.0) * x);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from 1e-12 to 1e3, evenly in their logarithm.
    fn samples() -> impl Iterator<Item = f64> {
        (0..20_000).map(|k| 10f64.powf(-12.0 + 15.0 * f64::from(k) / 20_000.0))
    }

    #[test]
    fn powers_are_right_to_a_few_roundings() {
        for p in [0.05, 1.0 / 7.0, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.7, 19.0, -0.75, -2.0] {
            for x in samples() {
                let (found, truth) = (power(x, p), x.powf(p));
                let allowed = f64::EPSILON * (2.0 + 1.5 * (p * x.log2()).abs());
                assert!((found - truth).abs() <= allowed * truth, "{x}^{p}: {found} for {truth}");
            }
        }
    }

    #[test]
    fn roots_and_whole_powers_are_right_to_a_few_roundings() {
        for x in samples() {
            for n in [2.0, 2.5, 3.0, 4.0, 5.0, 8.0, 20.0] {
                let (found, truth) = (lowered_root(x, n), x.powf(1.0 / (n - 1.0)));
                let allowed = f64::EPSILON * (3.0 + 1.5 * x.log2().abs() / (n - 1.0));
                let allowed = if n == 4.0 || n == 8.0 { 4.0 * f64::EPSILON } else { allowed };
                assert!((found - truth).abs() <= allowed * truth, "{n}: {x}: {found} for {truth}");
                let (found, truth) = (root(x, n), x.powf(1.0 / n));
                let allowed = f64::EPSILON * (3.0 + 1.5 * x.log2().abs() / n);
                assert!((found - truth).abs() <= allowed * truth, "{n}: {x}: {found} for {truth}");
                let (found, truth) = (raised(x, n), x.powf(n));
                let allowed = f64::EPSILON * if n.fract() == 0.0 { n } else { 2.0 + 1.5 * n * x.log2().abs() };
                assert!((found - truth).abs() <= allowed * truth, "{x}^{n}: {found} for {truth}");
            }
        }
    }

    #[test]
    fn nothing_and_what_is_below_the_range_are_nothing() {
        for n in [2.5, 3.0, 4.0, 8.0, 20.0] {
            assert_eq!([raised(0.0, n), root(0.0, n), lowered_root(0.0, n)], [0.0; 3]);
        }
        assert_eq!(power(1e-300, 20.0), 0.0);
        assert_eq!((power(1.0, 0.3), raised(3.0, 0.0), power(0.0, -1.0)), (1.0, 1.0, f64::INFINITY));
    }
}
