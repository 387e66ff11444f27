//! From the restitution that is asked for to the damping that gives it.
//!
//! A linear contact with damping ratio z = c / (2 sqrt(k m)) rebounds with
//! - e = exp(-pi z / sqrt(1 - z^2)) if it ends when the overlap is over (z < 1), and
//! - e = exp(-phi z / sqrt(1 - z^2)), phi = atan2(2 z sqrt(1 - z^2), 2 z^2 - 1), if it ends when the force would turn to
//!   attraction (Schwager & Poeschel 2007); for z > 1, with s = sqrt(z^2 - 1),
//!   e = exp(-z / s ln((z + s) / (z - s))).
//!
//! The same two functions hold for Hertz with a dashpot alpha sqrt(m k) overlap^(1/4) and z = alpha / sqrt(5): with
//! y = overlap^(5/4) and the time scale ds = overlap^(1/4) dt, Hertz's equation of motion becomes the linear one,
//! y'' + alpha y' + (5/4) y = 0, and the force vanishes where y'' does. So no table is needed.

use super::ContactEnd;
use std::f64::consts::PI;

/// Coefficient of restitution of a contact with a damping ratio [1].
pub fn restitution(damping_ratio: f64, end: ContactEnd) -> f64 {
    let z = damping_ratio;
    match end {
        ContactEnd::Open if z >= 1.0 => 0.0,
        ContactEnd::Open => (-PI * z / (1.0 - z * z).sqrt()).exp(),
        ContactEnd::Clamped => {
            let q = 1.0 - z * z;
            let exponent = if q > 1e-8 {
                let s = q.sqrt();
                z / s * (2.0 * z * s).atan2(2.0 * z * z - 1.0)
            } else if q < -1e-8 {
                let s = (-q).sqrt();
                // (z + s) / (z - s) = (z + s)^2, because (z + s)(z - s) = 1.
                2.0 * z / s * (z + s).ln()
            } else {
                // Both branches tend to 2 at z = 1; their slope there is below 1, so the error is below 1e-8.
                2.0
            };
            (-exponent).exp()
        }
    }
}

/// Damping ratio that gives a coefficient of restitution in (0, 1].
pub fn damping_ratio(restitution_asked: f64, end: ContactEnd) -> f64 {
    match end {
        ContactEnd::Open => {
            let l = restitution_asked.ln();
            -l / (PI * PI + l * l).sqrt()
        }
        ContactEnd::Clamped => {
            // The restitution falls steadily with damping; it is about 1 / (4 z^2) for strong damping.
            let (mut low, mut high) = (0.0, 1.0);
            while restitution(high, end) > restitution_asked {
                high *= 2.0;
            }
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                if restitution(middle, end) > restitution_asked {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            // e = 1 asks for none at all, not for the last bit of the bracket.
            if restitution_asked >= 1.0 { 0.0 } else { 0.5 * (low + high) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restitution_matches_the_published_table() {
        let table = [
            (0.05, 0.85447, 0.85876),
            (0.1, 0.72925, 0.74408),
            (0.2, 0.52662, 0.57174),
            (0.3, 0.37233, 0.45098),
            (0.5, 0.16303, 0.29844),
            (0.7, 0.04599, 0.21028),
        ];
        for (z, open, clamped) in table {
            assert!((restitution(z, ContactEnd::Open) - open).abs() < 1e-5);
            assert!((restitution(z, ContactEnd::Clamped) - clamped).abs() < 1e-5);
        }
    }

    #[test]
    fn damping_ratio_gives_back_what_was_asked() {
        for end in [ContactEnd::Clamped, ContactEnd::Open] {
            for e in [0.01, 0.05, 0.1, 0.135, 0.2, 0.5, 0.9, 0.99, 0.9999] {
                let z = damping_ratio(e, end);
                assert!((restitution(z, end) - e).abs() < 2e-8, "{end:?} {e}");
            }
            assert_eq!(damping_ratio(1.0, end), 0.0);
        }
    }

    #[test]
    fn hertz_damping_for_clamped_contacts_matches_the_measured_table() {
        // alpha = sqrt(5) z; the table was measured by integrating the equation of motion.
        let table = [
            (0.95, 0.03689),
            (0.9, 0.07662),
            (0.8, 0.16626),
            (0.7, 0.27328),
            (0.6, 0.40441),
            (0.5, 0.57081),
            (0.4, 0.79270),
            (0.3, 1.1119),
            (0.2, 1.6351),
            (0.1, 2.7799),
        ];
        for (e, alpha) in table {
            let got = 5f64.sqrt() * damping_ratio(e, ContactEnd::Clamped);
            assert!((got / alpha - 1.0).abs() < 2e-4, "{e}: {got} {alpha}");
        }
    }
}
