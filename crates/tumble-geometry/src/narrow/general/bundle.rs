//! A local minimum of the support function h of M over unit directions, by the planes of points of M alone.
//!
//! Every point w of M bounds h from below: h(n + y) >= w . n + w . y for y across n. With the points that are known, each step goes to
//! the least of the largest of these planes and mu |y|^2 / 2, and the point of M found there joins them (a proximal bundle
//! method). By duality the least is where a mean of the points has the largest value of
//!
//!   mean height - |mean part across n|^2 / (2 mu);
//!
//! no more than three points are in it. When its height is h and its part across n vanishes, that mean is the witness of a stationary
//! direction. No curvature is asked for, so that it closes where the second-order search ([`super::polish`]) is misled: over the flat sides
//! of large exponents, where these and rims of another body tie all around an axis. It takes many more steps.
//!
//! Reference: Kiwiel, *Methods of Descent for Nondifferentiable Optimization* (1985).

use super::body::{Pair, Vertex};
use super::polish::Minimum;
use crate::tolerance;
use glam::{DVec2, DVec3};

const MOST_STEPS: usize = 300;
const MOST_PLANES: usize = 14;
/// The length of the first step [rad].
const FIRST_STEP: f64 = 0.02;
/// A step that gains this part of what the planes say is taken.
const GAINED: f64 = 0.1;

#[derive(Clone, Copy)]
struct Plane {
    vertex: Vertex,
    height: f64,
    across: DVec2,
}

/// A mean of some planes.
#[derive(Clone, Copy)]
struct Mean {
    of: [usize; 3],
    weights: [f64; 3],
    height: f64,
    across: DVec2,
}

impl Mean {
    fn new(planes: &[Plane], of: [usize; 3], weights: [f64; 3]) -> Mean {
        let (mut height, mut across) = (0.0, DVec2::ZERO);
        for (plane, weight) in of.into_iter().zip(weights) {
            height += planes[plane].height * weight;
            across += planes[plane].across * weight;
        }
        Mean { of, weights, height, across }
    }

    fn value(&self, mu: f64) -> f64 {
        self.height - self.across.length_squared() / (2.0 * mu)
    }
}

/// The mean with the largest value.
fn best_mean(planes: &[Plane], mu: f64) -> Mean {
    let mut best = Mean::new(planes, [0; 3], [1.0, 0.0, 0.0]);
    let mut try_mean = |mean: Mean| {
        if mean.value(mu) > best.value(mu) {
            best = mean;
        }
    };
    for (i, p) in planes.iter().enumerate() {
        try_mean(Mean::new(planes, [i; 3], [1.0, 0.0, 0.0]));
        for (j, q) in planes[..i].iter().enumerate() {
            let apart = p.across - q.across;
            let share = ((p.height - q.height) * mu - q.across.dot(apart)) / apart.length_squared();
            if share > 0.0 && share < 1.0 {
                try_mean(Mean::new(planes, [i, j, j], [share, 1.0 - share, 0.0]));
            }
            for (k, r) in planes[..j].iter().enumerate() {
                let (u, v) = (p.across - r.across, q.across - r.across);
                let determinant = u.perp_dot(v);
                // The point whose heights over p, q and r are level, by Cramer's rule, and what mean leads there.
                let (f, g) = (p.height - r.height, q.height - r.height);
                let target = DVec2::new(f * v.y - g * u.y, g * u.x - f * v.x) * (mu / determinant) - r.across;
                let (x, y) = (target.perp_dot(v) / determinant, u.perp_dot(target) / determinant);
                if x > 0.0 && y > 0.0 && x + y < 1.0 {
                    try_mean(Mean::new(planes, [i, j, k], [x, y, 1.0 - x - y]));
                }
            }
        }
    }
    best
}

/// Searches from a direction, with points of M that are known.
#[cold]
pub(super) fn close(pair: &Pair, start: DVec3, known: &[Vertex]) -> Minimum {
    let loose = 0.2 * tolerance::CERTIFIED * pair.size;
    let mut normal = start;
    let first = pair.support(normal);
    let mut value = first.w.dot(normal);
    let mut planes: Vec<Plane> = Vec::with_capacity(MOST_PLANES + known.len());
    let plane = |vertex: Vertex| Plane { vertex, height: 0.0, across: DVec2::ZERO };
    planes.push(plane(first));
    planes.extend(known.iter().copied().map(plane));
    let mut mu = f64::NAN;
    let mut best = Minimum { normal, value, a: first.a, b: first.b, closed: false };
    for _ in 0..MOST_STEPS {
        let (e1, e2) = normal.any_orthonormal_pair();
        for plane in &mut planes {
            let w = plane.vertex.w;
            (plane.height, plane.across) = (w.dot(normal), DVec2::new(w.dot(e1), w.dot(e2)));
        }
        if mu.is_nan() {
            mu = (planes[0].across.length() / FIRST_STEP).max(1e-3 * pair.size);
        }
        let mean = best_mean(&planes, mu);
        let (spread, residual) = (value - mean.height, mean.across.length());
        if spread <= loose && residual <= loose {
            let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
            for (plane, weight) in mean.of.into_iter().zip(mean.weights) {
                a += planes[plane].vertex.a * weight;
                b += planes[plane].vertex.b * weight;
            }
            best = Minimum { normal, value, a, b, closed: true };
            if spread <= tolerance::EXACT * pair.size && residual <= tolerance::STATIONARY * pair.size {
                return best;
            }
        }
        let y = mean.across * (-1.0 / mu);
        let promised = value - mean.value(mu);
        let there = (normal + e1 * y.x + e2 * y.y).normalize();
        let found = pair.support(there);
        let value_there = found.w.dot(there);
        if planes.len() >= MOST_PLANES {
            // What is far below the others there is given up, but for those of the mean.
            let height = |k: usize| planes[k].height + planes[k].across.dot(y);
            let lowest =
                (0..planes.len()).filter(|k| !mean.of.contains(k)).min_by(|i, j| height(*i).total_cmp(&height(*j)));
            planes.swap_remove(lowest.unwrap_or(0));
        }
        planes.push(plane(found));
        // Near the end gains are rounding, and the planes know better.
        let exact = tolerance::EXACT * pair.size;
        let is_end = promised <= exact && value_there <= value + exact;
        if is_end || value_there <= value - GAINED * promised {
            if value_there <= value - 0.5 * promised {
                mu *= 0.5;
            }
            (normal, value) = (there, value_there);
        } else if value_there > value + promised {
            mu *= 2.0;
        }
    }
    if best.closed && best.value <= value + loose { best } else { Minimum { normal, value, closed: false, ..best } }
}
