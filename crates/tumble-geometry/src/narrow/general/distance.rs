//! The nearest points of two cores that are apart: the algorithm of Gilbert, Johnson and Keerthi (1988) on M = A - B.
//!
//! v is the point of a simplex of M nearest to the origin and n = -v / |v|. The distance lies between -h(n), because
//! any direction gives a safe bound, and |v|, because v is a point of M. The search ends when the bounds meet. On curved
//! bodies they close slowly, so that now and then the second-order search of [`super::polish`] is tried from n; its
//! weighted points close the same bounds at once.

use super::body::Pair;
use super::polish::{Minimum, polish};
use super::simplex::Simplex;
use crate::tolerance;
use glam::DVec3;

/// What the search for the distance found.
pub(super) enum Search {
    /// The cores are farther apart than the limit.
    Beyond,
    /// The cores are apart or touch; the value of the minimum is minus their distance.
    Apart(Minimum),
    /// The cores share a point, and the simplex holds the origin: the best direction met on the way, and a local minimum if
    /// one was found.
    Inside(DVec3, Option<Minimum>),
    /// The bounds did not close: the best answer.
    Open(Minimum),
}

const MAX_ITERATIONS: usize = 128;
/// Steps after which the simplex knows enough pieces for the second-order search to pay off.
const FIRST_POLISH: usize = 3;

/// Searches for the distance with a simplex of the point of M that is farthest along a first direction from a to b. Stops
/// when it is known to exceed the limit.
pub(super) fn distance(pair: &Pair, guess: DVec3, limit: f64, simplex: &mut Simplex) -> Search {
    let exact = tolerance::EXACT * pair.size;
    let mut n = guess;
    let mut best_n = n;
    let mut v = simplex.vertices[0].w;
    let mut lowest = v.dot(n);
    if -lowest > limit {
        return Search::Beyond;
    }
    let mut next_polish = FIRST_POLISH;
    let mut local: Option<Minimum> = None;
    for iteration in 0..MAX_ITERATIONS {
        let length = v.length();
        if length <= exact {
            break;
        }
        n = v * (-1.0 / length);
        let found = pair.support(n);
        let height = found.w.dot(n);
        if height < lowest {
            lowest = height;
            best_n = n;
            if -lowest > limit {
                return Search::Beyond;
            }
        }
        if length + height <= exact {
            let (a, b) = simplex.witnesses();
            return Search::Apart(Minimum { normal: n, value: height, a, b, closed: true });
        }
        let stalled = simplex.contains(found.w, 0.0);
        if stalled || (pair.is_curved && iteration >= next_polish) {
            next_polish = 2 * iteration + 2;
            let mut known = [found; 4];
            known[..simplex.len.min(4)].copy_from_slice(simplex.vertices());
            let minimum = polish(pair, n, &known, limit);
            if -minimum.value > limit {
                return Search::Beyond;
            }
            if minimum.closed && minimum.value <= 0.0 {
                return Search::Apart(minimum);
            }
            if minimum.value < lowest {
                lowest = minimum.value;
                best_n = minimum.normal;
            }
            local = Some(minimum);
            if stalled {
                break;
            }
        }
        simplex.push(found);
        let Some(nearest) = simplex.reduce() else {
            return Search::Inside(best_n, local);
        };
        let is_no_nearer = nearest.length_squared() >= length * length;
        v = nearest;
        if is_no_nearer {
            break;
        }
    }
    let length = v.length();
    let bound = length + lowest;
    if length <= exact && lowest > exact {
        return Search::Inside(best_n, local);
    }
    let (a, b) = simplex.witnesses();
    let best = Minimum { normal: best_n, value: lowest, a, b, closed: bound <= tolerance::CERTIFIED * pair.size };
    if best.closed {
        return Search::Apart(best);
    }
    // One more try from where the search stands.
    let minimum = polish(pair, best_n, simplex.vertices(), f64::INFINITY);
    if minimum.closed && minimum.value <= 0.0 {
        return Search::Apart(minimum);
    }
    if lowest > 0.0 { Search::Inside(best_n, local) } else { Search::Open(best) }
}
