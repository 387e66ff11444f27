//! Hertz's contact of two smooth surfaces: from their curvatures to the ellipse in which they touch and to how stiff they are.
//!
//! Near the contact the gap between the undeformed surfaces is A x^2 + B y^2, A <= B, where 2 A and 2 B are the eigenvalues of the sum of the
//! two shape operators in the tangent plane. Hertz (1882; Johnson 1985, section 4.2) has an ellipse of half axes a >= b, with beta = b/a
//! and the complete elliptic integrals K, E and D = (K - E) / m of the parameter m = 1 - beta^2:
//!
//!   A / B = beta^2 D / (K - D),   b^2 (A + B) K / E = depth,   F = 4/3 E* sqrt(R) depth^(3/2),   R = pi^2 E / (4 beta^2 K^3 (A + B)).
//!
//! So one length R stands for both curvatures: two spheres have that of their radii. The integrals come from the arithmetic-geometric mean,
//! to rounding; no difference of nearly equal numbers is formed, whatever beta.
//!
//! How R changes with the curvatures follows without derivatives of the integrals. At a given depth the elastic energy is the
//! largest value of (depth - gap) integrated with the pressure, less half of the work of the pressure, over all
//! pressures: so its slope by A is minus the integral of x^2 times the pressure, F a^2 / 5, and that of ln R is -a^2 / depth.

use std::f64::consts::PI;

/// The ellipse of a contact of smooth surfaces, over its depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HertzEllipse {
    /// The radius R that the contact would have of spheres as stiff [m].
    pub radius: f64,
    /// The longer half axis squared over the depth, a^2 / depth [m], along the smaller of the two curvatures.
    pub long: f64,
    /// The shorter one squared over the depth, b^2 / depth [m].
    pub short: f64,
}

impl HertzEllipse {
    /// That of two surfaces whose curvatures add up to these, the smaller first, both above zero [1/m].
    #[inline]
    pub fn new([low, high]: [f64; 2]) -> HertzEllipse {
        let (beta, k, d) = axis_ratio(low / high);
        let e = (k - d) + beta * beta * d;
        let sum = 0.5 * (low + high);
        let short = e / (k * sum);
        let long = short / (beta * beta);
        HertzEllipse { radius: 0.25 * PI * PI * long / (k * k), long, short }
    }
}

/// The ratio of the half axes for a ratio A / B, with the integrals K and D that belong to it.
fn axis_ratio(ratio: f64) -> (f64, f64, f64) {
    const MOST_STEPS: usize = 30;
    // beta goes about as the ratio to the power 2/pi.
    let mut beta = if ratio < 1.0 { (ratio * ratio * ratio * ratio * ratio).sqrt().sqrt().sqrt() } else { 1.0 };
    let (mut k, mut d) = integrals(beta);
    for _ in 0..MOST_STEPS {
        let b = k - d;
        let off = beta * beta * d / (b * ratio);
        if (off - 1.0).abs() <= 4.0 * f64::EPSILON || beta >= 1.0 && off <= 1.0 {
            break;
        }
        // Newton's step for the logarithms, which go nearly in proportion: by 3/2 for circles, by up to 2 for long ellipses.
        let m = 1.0 - beta * beta;
        let slope = if m < 0.02 {
            1.5
        } else {
            let d_slope = (beta * d - b / beta) / m;
            2.0 + beta * (d_slope / d + (b / beta + d_slope) / b)
        };
        let step = 2.0 * (off - 1.0) / ((off + 1.0) * slope);
        beta = (beta * (2.0 - step) / (2.0 + step)).min(1.0);
        (k, d) = integrals(beta);
    }
    (beta, k, d)
}

/// The complete elliptic integrals K and D of the parameter 1 - beta^2, for beta in (0, 1].
fn integrals(beta: f64) -> (f64, f64) {
    // Both means, half of their difference of before c, 2^(n-1) c^2 over m, and one half plus the sum of the latter, which is D over K.
    let (mut mean, mut root, mut half) = (0.5 * (1.0 + beta), beta.sqrt(), 0.5 * (1.0 - beta));
    let mut term = 0.25 * (1.0 - beta) / (1.0 + beta);
    let mut sum = 0.5 + term;
    while half > 1e-9 * mean {
        (mean, root) = (0.5 * (mean + root), (mean * root).sqrt());
        term *= half * half / (8.0 * mean * mean);
        half = half * half / (4.0 * mean);
        sum += term;
    }
    let k = PI / (mean + root);
    (k, k * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K and E by the midpoint rule over a whole period, which converges faster than any power.
    fn by_quadrature(m: f64) -> (f64, f64) {
        const N: usize = 20_000;
        let root = |k: usize| (1.0 - m * ((k as f64 + 0.5) * PI / (2 * N) as f64).sin().powi(2)).sqrt();
        let mean = |f: &dyn Fn(f64) -> f64| (0..N).map(|k| f(root(k))).sum::<f64>() / N as f64;
        (PI / 2.0 * mean(&|root| 1.0 / root), PI / 2.0 * mean(&|root| root))
    }

    #[test]
    fn integrals_are_those_of_the_quadrature() {
        for beta in [1.0, 0.999, 0.9, 0.5, 0.1, 0.01] {
            let m = 1.0 - beta * beta;
            let ((k, d), (expected, e)) = (integrals(beta), by_quadrature(m));
            assert!((k / expected - 1.0).abs() < 1e-13, "{beta}");
            assert!(((k - m * d) / e - 1.0).abs() < 1e-13, "{beta}: {} {e}", k - m * d);
        }
    }

    #[test]
    fn equal_curvatures_are_those_of_spheres() {
        let ellipse = HertzEllipse::new([8.0, 8.0]);
        for (got, expected) in [(ellipse.radius, 0.125), (ellipse.long, 0.125), (ellipse.short, 0.125)] {
            assert!((got / expected - 1.0).abs() < 1e-14, "{ellipse:?}");
        }
    }

    #[test]
    fn the_ellipse_solves_equations_of_hertz() {
        for ratio in [0.999_999, 0.99, 0.9, 0.5, 0.1, 1e-2, 1e-4, 1e-6] {
            let high = 3.0;
            let HertzEllipse { radius, long, short } = HertzEllipse::new([ratio * high, high]);
            let beta = (short / long).sqrt();
            let m = 1.0 - beta * beta;
            // Far out the quadrature needs too many points.
            if beta < 1e-3 {
                assert!((axis_ratio(ratio).0 / beta - 1.0).abs() < 1e-14);
                continue;
            }
            let (k, e) = by_quadrature(m);
            // Johnson's 4.26 and 4.27 with p0 = 3 F / (2 pi a b), a unit depth and E* = 1. The differences lose as many digits as m does.
            let [a, b] = [long, short].map(f64::sqrt);
            let force = 4.0 / 3.0 * radius.sqrt();
            let p0 = 1.5 * force / (PI * a * b);
            let checks = [
                (p0 * b / (m * a * a) * (k - e), 0.5 * ratio * high),
                (p0 * b / (m * a * a) * (e / (beta * beta) - k), 0.5 * high),
                (p0 * b * k, 1.0),
            ];
            for (got, expected) in checks {
                assert!((got / expected - 1.0).abs() < 1e-12 / m, "{ratio}: {got} {expected}");
            }
        }
    }

    #[test]
    fn the_radius_changes_with_the_curvatures_by_the_axes() {
        for [low, high] in [[1.0, 1.2], [0.3, 2.0], [1e-3, 1.0]] {
            let ellipse = HertzEllipse::new([low, high]);
            let slope = |change: [f64; 2]| {
                let at = |k: f64| HertzEllipse::new([low + k * change[0], high + k * change[1]]).radius.ln();
                (at(1.0) - at(-1.0)) / (2.0 * (change[0] + change[1]))
            };
            // The curvatures are 2 A and 2 B.
            assert!((slope([1e-5 * low, 0.0]) / (-0.5 * ellipse.long) - 1.0).abs() < 1e-8, "{low} {high}");
            assert!((slope([0.0, 1e-5 * high]) / (-0.5 * ellipse.short) - 1.0).abs() < 1e-8, "{low} {high}");
        }
    }
}
