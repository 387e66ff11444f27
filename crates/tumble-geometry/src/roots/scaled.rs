//! A polynomial scaled by powers of two, which round nothing.

/// a0 + a1 x + ... up to a factor, with x = y 2^exponent and y of magnitude about 1.
pub(super) struct Scaled {
    /// Coefficients of the powers of y; the largest magnitude is between 1 and 2, the lowest is not zero.
    pub coefficients: [f64; 5],
    /// x = y 2^exponent.
    pub exponent: i32,
    /// Whether x = 0 was a root that is taken out.
    pub has_root_zero: bool,
}

impl Scaled {
    /// `None` for a polynomial that has no roots or that all numbers solve, and for numbers that are not finite.
    pub fn new(coefficients: [f64; 5]) -> Option<Scaled> {
        if coefficients.iter().any(|a| !a.is_finite()) {
            return None;
        }
        let lowest = coefficients.iter().position(|&a| a != 0.0)?;
        let highest = coefficients.iter().rposition(|&a| a != 0.0)?;
        let magnitude = |index: usize| coefficients[index].abs().log2().floor() as i32;
        // The geometric mean of the magnitudes of the roots becomes about 1.
        let exponent = match (highest - lowest) as i32 {
            0 => 0,
            degree => (magnitude(lowest) - magnitude(highest)) / degree,
        };
        let power = |index: usize| (index - lowest) as i32 * exponent;
        let largest = (lowest..=highest)
            .filter(|&index| coefficients[index] != 0.0)
            .map(|index| magnitude(index) + power(index))
            .max()?;
        let mut scaled = [0.0; 5];
        for index in lowest..=highest {
            scaled[index - lowest] = times_power_of_two(coefficients[index], power(index) - largest);
        }
        Some(Scaled { coefficients: scaled, exponent, has_root_zero: lowest > 0 })
    }
}

/// Two polynomials that between them have the roots of one, if these fall into two groups whose magnitudes differ by more
/// than 2^64: at the roots of either group the terms of the other are then below rounding.
///
/// For each m the roots of a_m x^m and all lower terms are about (|a_i| / |a_m|)^(1/(m - i)) at most, those of a_m x^m and
/// all higher ones about (|a_m| / |a_j|)^(1/(j - m)) at least.
pub(super) fn split(coefficients: &[f64; 5]) -> Option<([f64; 5], [f64; 5])> {
    const FAR: f64 = 64.0;
    let magnitude = coefficients.map(|a| a.abs().log2());
    let present = |index: &usize| coefficients[*index] != 0.0;
    let slope = |i: usize, j: usize| (magnitude[i] - magnitude[j]) / (j - i) as f64;
    (1..4).filter(present).find_map(|m| {
        let near = (0..m).filter(present).map(|i| slope(i, m)).reduce(f64::max)?;
        let far = (m + 1..5).filter(present).map(|j| slope(m, j)).reduce(f64::min)?;
        let take =
            |from: usize, to: usize| std::array::from_fn(|k| if k + from <= to { coefficients[k + from] } else { 0.0 });
        (far - near > FAR).then(|| (take(0, m), take(m, 4)))
    })
}

/// x 2^n, also where 2^n alone would over- or underflow.
pub(super) fn times_power_of_two(x: f64, n: i32) -> f64 {
    let part = |n: i32| 2f64.powi(n.clamp(-1000, 1000));
    let (half, rest) = (n / 2, n - n / 2);
    x * part(half) * part(rest)
}
