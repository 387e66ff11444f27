//! The smallest positive root of the quartic by Bairstow's method, as in Wassgren's lecture on hard particles, to compare
//! with. It is the lecture's program but for three things: the constant coefficient of the second factor is not -a0 / s,
//! which is 0/0 for a root at zero; a vanishing leading coefficient is taken out before; and the number of new beginnings
//! is bounded, because at grazes there is no end to them.
//!
//! As the lecture says: what is taken is the smallest positive root, whether the bodies approach there or not. After a
//! collision that is often the collision itself; and for bodies that overlap it is where they part.

use super::{Flight, NEVER};
use crate::random::Random;

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bairstow {
    /// The smallest positive root [s].
    pub time: f64,
    /// Whether the method converged; otherwise there is no root.
    pub converged: bool,
}

/// Largest change of a factor's coefficients in the last iteration, in units of time: absolute, as in the lecture.
const TOLERANCE: f64 = 1e-12;
/// Iterations after which the lecture begins anew with random numbers.
const MOST_ITERATIONS: usize = 1000;
/// How often it may.
const MOST_BEGINNINGS: usize = 20;

/// The smallest positive root of |flight|^2 = reach^2, begun from an estimate of it.
pub fn bairstow(flight: &Flight, reach: f64, estimate: f64) -> Bairstow {
    let Flight { offset, velocity, acceleration } = *flight;
    let a = [
        offset.length_squared() - reach * reach,
        2.0 * offset.dot(velocity),
        velocity.length_squared() + offset.dot(acceleration),
        velocity.dot(acceleration),
        0.25 * acceleration.length_squared(),
    ];
    let smallest = |roots: [f64; 2]| roots.into_iter().filter(|t| *t > 0.0).fold(NEVER, f64::min);
    if a[4] == 0.0 {
        return Bairstow { time: smallest(quadratic(a[0], a[1], a[2])), converged: true };
    }
    let mut random = Random::from_seed(1);
    let (mut r, mut s) = if estimate > 0.0 { (2.0 * estimate, -estimate * estimate) } else { (1.0, 1.0) };
    for _ in 0..MOST_BEGINNINGS {
        for _ in 0..MOST_ITERATIONS {
            let b4 = a[4];
            let b3 = a[3] + r * b4;
            let b2 = a[2] + r * b3 + s * b4;
            let b1 = a[1] + r * b2 + s * b3;
            let b0 = a[0] + r * b1 + s * b2;
            let c4 = b4;
            let c3 = b3 + r * c4;
            let c2 = b2 + r * c3 + s * c4;
            let c1 = b1 + r * c2 + s * c3;
            let denominator = c2 * c2 - c1 * c3;
            if denominator == 0.0 {
                break;
            }
            let change_r = (b0 * c3 - b1 * c2) / denominator;
            let change_s = (b1 * c1 - b0 * c2) / denominator;
            r += change_r;
            s += change_s;
            if change_r.abs() <= TOLERANCE && change_s.abs() <= TOLERANCE {
                let first = quadratic(-s, -r, 1.0);
                let n1 = a[3] + a[4] * r;
                let second = quadratic(a[2] + r * n1 + s * a[4], n1, a[4]);
                return Bairstow { time: smallest(first).min(smallest(second)), converged: true };
            }
            if !(r.is_finite() && s.is_finite()) {
                break;
            }
        }
        r = random.between(-250.0, 250.0);
        s = random.between(-250.0, 250.0);
    }
    Bairstow { time: NEVER, converged: false }
}

/// The real roots of a0 + a1 t + a2 t^2, NaN where there are none, as in the lecture.
fn quadratic(a0: f64, a1: f64, a2: f64) -> [f64; 2] {
    if a2 == 0.0 {
        return if a1 == 0.0 { [f64::NAN; 2] } else { [-a0 / a1; 2] };
    }
    let discriminant = a1 * a1 - 4.0 * a2 * a0;
    if discriminant < 0.0 {
        return [f64::NAN; 2];
    }
    if a1 == 0.0 {
        let root = (-a0 / a2).sqrt();
        return [root, -root];
    }
    let q = -0.5 * (a1 + discriminant.sqrt().copysign(a1));
    [q / a2, a0 / q]
}
