//! Events of gaps that are not polynomials, such as those to walls that swing or turn: from a bound on the curvature.
//!
//! With |f''| <= M, f(t + h) >= f + f' h - M h^2 / 2: nothing is met before that parabola reaches zero, which is Newton's
//! step where the gap closes steadily and half of it at worst where it does not.

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Search {
    /// The bodies meet at this time from now [s].
    Meets(f64),
    /// They do not meet before this time [s], which is the horizon unless the search took too many steps; then it has to be
    /// asked again from there.
    NotBefore(f64),
}

/// Steps after which a search is given up for the moment.
const MOST_STEPS: usize = 10_000;

/// The first event before the horizon of a gap, given with its slope by `gap`, whose second derivative is never larger than
/// `curvature` in size. A gap below `tolerance`, which is above what rounding makes of a gap, counts as closed; a turn inside contact by
/// less may go unseen.
pub fn first_of_bounded(curvature: f64, tolerance: f64, horizon: f64, gap: impl Fn(f64) -> (f64, f64)) -> Search {
    // Over this time a gap that turns changes by less than the tolerance.
    let least = (2.0 * tolerance / curvature.max(f64::MIN_POSITIVE)).sqrt();
    let mut time = 0.0;
    for _ in 0..MOST_STEPS {
        let (value, slope) = gap(time);
        if slope < 0.0 && value <= tolerance {
            return Search::Meets(time);
        }
        let step = if value > tolerance {
            let root = (slope * slope + 2.0 * curvature * value).sqrt();
            if slope < 0.0 { 2.0 * value / (root - slope) } else { (slope + root) / curvature }
        } else {
            // At or inside contact and parting: nothing happens before the slope can have turned.
            slope / curvature
        };
        // A gap that closes is stepped to as it is: a longer step would go beyond.
        let next = time + if slope < 0.0 { step } else { step.max(least) };
        if slope < 0.0 && next <= time {
            // What is left of it is rounding.
            return Search::Meets(time);
        }
        time = next;
        if time >= horizon {
            return Search::NotBefore(horizon);
        }
    }
    Search::NotBefore(time)
}
