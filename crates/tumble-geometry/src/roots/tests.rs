use super::*;
use crate::oracle::Sequence;

type Method = fn([f64; 5]) -> RealRoots;
const METHODS: [(&str, Method); 3] =
    [("Lin-Bairstow", real_roots), ("closed form", real_roots_closed_form), ("bracketed", real_roots_bracketed)];

/// The coefficients of a product of two quadratics.
fn product(p: [f64; 3], q: [f64; 3]) -> [f64; 5] {
    let mut c = [0.0; 5];
    for (i, a) in p.iter().enumerate() {
        for (j, b) in q.iter().enumerate() {
            c[i + j] += a * b;
        }
    }
    c
}

/// (x - p)(x - q).
fn real_pair(p: f64, q: f64) -> [f64; 3] {
    [p * q, -(p + q), 1.0]
}

/// How far a root of rounded coefficients may be off: rounding of the value over the slope.
fn shift(c: &[f64; 5], root: f64) -> f64 {
    let (_, slope, size) = value_slope_size(c, root);
    40.0 * f64::EPSILON * size / slope.abs() + 1e-15 * root.abs()
}

/// Holds an answer to the roots that went into the coefficients.
fn check(name: &str, c: [f64; 5], known: &[f64], found: &RealRoots) {
    assert_eq!(found.as_slice().len(), known.len(), "{name}: {c:?} known {known:?} found {found:?}");
    for (known, found) in known.iter().zip(found.as_slice()) {
        let allowed = shift(&c, *known);
        assert!((known - found).abs() <= allowed, "{name}: {c:?}: {known} is not {found} within {allowed:e}");
    }
}

#[test]
fn roots_that_were_put_in_come_out() {
    let mut sequence = Sequence::new(41);
    let mut n_in_doubt = 0;
    for round in 0..100_000 {
        let scale = sequence.between_in_ratio(1e-20, 1e20);
        let leading = sequence.between_in_ratio(1e-30, 1e30);
        let mut pair = |is_real: bool| {
            let (p, q) = (scale * sequence.between(-1.0, 1.0), scale * sequence.between(-1.0, 1.0));
            if is_real { (real_pair(p, q), vec![p, q]) } else { ([p * p + q * q, -2.0 * p, 1.0], Vec::new()) }
        };
        let ((first, mut known), (second, others)) = (pair(round % 3 > 0), pair(round % 3 > 1));
        known.extend(others);
        known.sort_by(f64::total_cmp);
        let c = product(first, second).map(|a| a * leading);
        // Roots that the rounding of the coefficients can join are the matter of the next tests.
        let is_in_doubt = known.windows(2).any(|w| w[1] - w[0] < 100.0 * (shift(&c, w[0]) + shift(&c, w[1])))
            || (round % 3 < 2 && second[0] * 4.0 - second[1] * second[1] < 1e-9 * scale * scale)
            || (round % 3 < 1 && first[0] * 4.0 - first[1] * first[1] < 1e-9 * scale * scale);
        if is_in_doubt {
            n_in_doubt += 1;
            continue;
        }
        for (name, method) in METHODS {
            check(name, c, &known, &method(c));
        }
    }
    assert!(n_in_doubt < 500, "{n_in_doubt}");
}

#[test]
fn the_three_methods_agree_on_random_coefficients() {
    let mut sequence = Sequence::new(42);
    for _ in 0..100_000 {
        let c: [f64; 5] = std::array::from_fn(|_| {
            let magnitude = sequence.between_in_ratio(1e-3, 1e3);
            if sequence.unit() < 0.5 { magnitude } else { -magnitude }
        });
        let judge = real_roots_bracketed(c);
        for (name, method) in METHODS {
            check(name, c, judge.as_slice(), &method(c));
        }
        // Complex roots come in pairs.
        assert!(judge.as_slice().len().is_multiple_of(2), "{c:?}");
    }
}

#[test]
fn a_leading_coefficient_may_vanish() {
    let mut sequence = Sequence::new(43);
    for round in 0..2000 {
        let near = [sequence.between(-2.0, -0.5), sequence.between(0.5, 2.0)];
        // From far beyond the others down to nothing at all.
        let a4 = 10f64.powi(-(round % 320));
        for second in [[sequence.between(1.0, 2.0), sequence.between(-1.0, 1.0), a4], [1.0, a4, 0.0]] {
            let c = product(real_pair(near[0], near[1]), second);
            for (name, method) in METHODS {
                let found = method(c);
                for root in near {
                    let error = found.as_slice().iter().map(|x| (x - root).abs()).fold(f64::INFINITY, f64::min);
                    assert!(error <= shift(&c, root), "{name} {c:?} {root} {found:?}");
                }
            }
        }
    }
    for (name, method) in METHODS {
        assert_eq!(method([-6.0, 3.0, 0.0, 0.0, 0.0]).as_slice(), [2.0], "{name}");
        assert_eq!(method([-4.0, 0.0, 1.0, 0.0, 0.0]).as_slice(), [-2.0, 2.0], "{name}");
        assert_eq!(method([4.0, 0.0, 1.0, 0.0, 0.0]).as_slice(), [0.0; 0], "{name}");
        assert_eq!(method([0.0, 0.0, 0.0, 0.0, 3.0]).as_slice(), [0.0], "{name}");
        assert_eq!(method([0.0, -1.0, 0.0, 1.0, 0.0]).as_slice(), [-1.0, 0.0, 1.0], "{name}");
        assert_eq!(method([0.0; 5]).as_slice(), [0.0; 0], "{name}");
        assert_eq!(method([1.0, 0.0, 0.0, 0.0, 0.0]).as_slice(), [0.0; 0], "{name}");
        assert_eq!(method([f64::NAN, 0.0, 1.0, 0.0, 0.0]).as_slice(), [0.0; 0], "{name}");
    }
}

#[test]
fn a_tangency_is_a_root() {
    let mut sequence = Sequence::new(44);
    let (mut n_found, mut n_cases) = (0, 0);
    for _ in 0..10_000 {
        // Small whole numbers over a power of two: the coefficients are exact and the double root is one.
        let mut whole = || (sequence.between(-64.0, 64.0)).round() / 16.0;
        let (double, p, q) = (whole(), whole(), whole());
        let c = product(real_pair(double, double), [p * p + q * q, -2.0 * p, 1.0]);
        if q == 0.0 {
            continue;
        }
        n_cases += 1;
        for (name, method) in METHODS {
            let found = method(c);
            assert!(!found.as_slice().is_empty(), "{name}: {c:?} misses {double}");
            for root in found.as_slice() {
                // The square root of rounding, with the curvature there.
                let (_, _, size) = value_slope_size(&c, double);
                let curvature = (double - p) * (double - p) + q * q;
                let allowed = (64.0 * f64::EPSILON * size / curvature).sqrt() + 1e-14;
                assert!((root - double).abs() <= allowed, "{name}: {c:?} {root} {double} {allowed:e}");
            }
        }
        n_found += 1;
    }
    assert_eq!(n_found, n_cases);
}

#[test]
fn biquadratics_and_multiple_roots() {
    for (name, method) in METHODS {
        for (c, known) in [
            ([4.0, 0.0, -5.0, 0.0, 1.0], vec![-2.0, -1.0, 1.0, 2.0]),
            ([-4.0, 0.0, 3.0, 0.0, 1.0], vec![-1.0, 1.0]),
            ([1.0, 0.0, -2.0, 0.0, 1.0], vec![-1.0, 1.0]),
            ([1.0, -4.0, 6.0, -4.0, 1.0], vec![1.0]),
            ([0.0, 0.0, 2.0, -3.0, 1.0], vec![0.0, 1.0, 2.0]),
            ([16.0, 0.0, 0.0, 0.0, -1.0], vec![-2.0, 2.0]),
        ] {
            let found = method(c);
            for root in &known {
                let nearest = found.as_slice().iter().map(|x| (x - root).abs()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-3 * f64::EPSILON.powf(0.25) + 2e-4, "{name} {c:?} {found:?}");
            }
            for x in found.as_slice() {
                assert!(known.iter().any(|root| (x - root).abs() < 3e-4), "{name} {c:?} {found:?}");
            }
        }
    }
}

#[test]
fn huge_and_small_numbers_scale() {
    for (name, method) in METHODS {
        for power in [-250, -60, 0, 60, 250] {
            let unit = 2f64.powi(power);
            let c = product(real_pair(1.0, -3.0), real_pair(0.25, 7.0)).map(|a| a * unit);
            assert_eq!(method(c).as_slice(), method(c.map(|a| a / unit)).as_slice(), "{name} {power}");
            check(name, c, &[-3.0, 0.25, 1.0, 7.0], &method(c));
        }
        for length in [1e-60, 1e60] {
            let known = [-3.0, 0.25, 1.0, 7.0].map(|x| x * length);
            let c = product(real_pair(known[2], known[0]), real_pair(known[1], known[3]));
            check(name, c, &known, &method(c));
        }
    }
}

/// The quartic of a circle about the origin and an ellipse with axes along x and y: appendix 2 of Feng, Han and Owen,
/// corrected.
fn circle_and_ellipse(r: f64, a: f64, b: f64, x0: f64, y0: f64) -> [f64; 5] {
    let ratio = b * b / (a * a);
    let (alpha, beta, tau) = (ratio - 1.0, -2.0 * x0 * ratio, 2.0 * y0);
    let gamma = ratio * x0 * x0 + r * r + y0 * y0 - b * b;
    [
        gamma * gamma - r * r * tau * tau,
        2.0 * beta * gamma,
        beta * beta + 2.0 * alpha * gamma + tau * tau,
        2.0 * alpha * beta,
        alpha * alpha,
    ]
}

#[test]
fn circles_and_ellipses_meet_where_both_are() {
    let mut sequence = Sequence::new(45);
    let (mut n_open, mut steps) = (0, Vec::new());
    const N_PAIRS: usize = 20_000;
    for round in 0..N_PAIRS {
        let (r, a) = (sequence.between(0.5, 1.5), sequence.between(0.5, 1.5));
        // Every fourth ellipse is nearly round: there the leading coefficient vanishes.
        let b = if round % 4 == 0 {
            a * (1.0 + 10f64.powf(sequence.between(-16.0, -2.0)))
        } else {
            sequence.between(0.5, 3.0)
        };
        let (x0, y0) = (sequence.between(-2.0, 2.0), sequence.between(-2.0, 2.0));
        let c = circle_and_ellipse(r, a, b, x0, y0);
        let found = lin_bairstow(&c, [-0.5 * r * r, 0.0], 200);
        n_open += usize::from(!found.has_converged);
        steps.push(found.n_steps);
        // Count the crossings on the circle itself.
        let value = |angle: f64| {
            let (x, y) = (r * angle.cos() - x0, r * angle.sin() - y0);
            x * x / (a * a) + y * y / (b * b) - 1.0
        };
        const N_ANGLES: usize = 720;
        let angle = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / N_ANGLES as f64;
        let n_crossings = (0..N_ANGLES).filter(|&k| (value(angle(k)) < 0.0) != (value(angle(k + 1)) < 0.0)).count();
        // A root x belongs to the crossing y = (alpha x^2 + beta x + gamma) / tau.
        let ratio = b * b / (a * a);
        let gamma = ratio * x0 * x0 + r * r + y0 * y0 - b * b;
        for (name, method) in METHODS {
            let roots = method(c);
            let on_both = |x: &&f64| {
                let y = ((ratio - 1.0) * **x * **x - 2.0 * x0 * ratio * **x + gamma) / (2.0 * y0);
                ((*x * *x + y * y).sqrt() - r).abs() < 1e-5
            };
            let n_found = roots.as_slice().iter().filter(on_both).count();
            assert!(n_found >= n_crossings, "{name}: {n_found} of {n_crossings}, {c:?} {roots:?}");
        }
    }
    steps.sort_unstable();
    println!(
        "Lin-Bairstow from (0, -r^2/2): {n_open} of {N_PAIRS} not converged in 200 steps; steps median {}, p95 {}",
        steps[N_PAIRS / 2],
        steps[N_PAIRS * 95 / 100]
    );
    assert!(n_open > 0, "the case that needs a way out does not occur");
    assert!(n_open < N_PAIRS / 10);
}
