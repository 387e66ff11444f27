//! A local minimum of the support function h of M over unit directions, to second order.
//!
//! Near a minimum h is the largest of a few smooth pieces h_i with points w_i = grad h_i. With y in the tangent plane of
//! the present direction n, each step solves
//!
//!   min over y of  max_i w_i . (n + y) + y^T W y / 2,    W = sum_i l_i H_i - h,
//!
//! where l_i are the multipliers (weights) of the active pieces and -h is the curvature of the unit sphere itself: the
//! minimax form of sequential quadratic programming (Han, 1981). One, two or three pieces are active in a plane. At the
//! solution sum_i l_i w_i = h n: the weighted points are the witness points. For bodies apart h < 0 and the minimum is
//! the only one; for overlapping ones it is one of several.
//!
//! The step converges quadratically once the right pieces are known and their curvature is bounded. Where it is not
//! (flat spots of superquadrics, the middle of a cap) a step can overshoot; the points of the step before then stay in
//! the model as fixed points of M, which makes it a cutting-plane method. It may still fail to close: the answer says so
//! and the caller goes on with its own search.

use super::body::{Apex, Pair, Vertex};
use crate::tolerance;
use glam::{DVec2, DVec3};

/// A local minimum of h.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum {
    /// Unit direction.
    pub(super) normal: DVec3,
    /// h there.
    pub(super) value: f64,
    /// Weighted point of a.
    pub(super) a: DVec3,
    /// Weighted point of b.
    pub(super) b: DVec3,
    /// Whether the weighted points prove a stationary value.
    pub(super) closed: bool,
}

const N_PIECES: usize = 7;
const MAX_STEPS: usize = 14;

#[derive(Clone, Copy, Default)]
struct Piece {
    vertex: Vertex,
    /// A fixed point of M and no longer a smooth piece.
    frozen: bool,
    /// Tangential part of the point in the present frame.
    t: DVec2,
    /// Height of the point along the present direction.
    v: f64,
    /// Second derivative in the present frame: xx, xy, yy.
    curvature: [f64; 3],
}

#[derive(Clone, Copy)]
struct Step {
    y: DVec2,
    active: [usize; 3],
    weights: [f64; 3],
    len: usize,
}

/// Searches from a direction; `known` are points of M whose pieces are likely to be active.
pub(super) fn polish(pair: &Pair, start: DVec3, known: &[Vertex]) -> Minimum {
    if let Some(Apex { normal, value, a, b }) = pair.apex(start) {
        return Minimum { normal, value, a, b, closed: true };
    }
    let mut pieces = [Piece::default(); N_PIECES];
    let mut len = 0;
    for vertex in known {
        insert(&mut pieces, &mut len, *vertex, false);
    }
    let value_tolerance = tolerance::EXACT * pair.size;
    let residual_tolerance = tolerance::STATIONARY * pair.size;
    let mut n = start;
    let mut best = Minimum { normal: n, value: f64::INFINITY, a: DVec3::ZERO, b: DVec3::ZERO, closed: false };
    let mut active = Step { y: DVec2::ZERO, active: [0; 3], weights: [1.0, 0.0, 0.0], len: 0 };
    for _ in 0..MAX_STEPS {
        let found = pair.support(n);
        let value = found.w.dot(n);
        if value > best.value && pair.is_curved {
            // Overshot: keep the points the step began from.
            for slot in 0..active.len {
                let vertex = pieces[active.active[slot]].vertex;
                insert(&mut pieces, &mut len, vertex, true);
            }
        }
        insert(&mut pieces, &mut len, found, false);
        let (e1, e2) = n.any_orthonormal_pair();
        for piece in &mut pieces[..len] {
            let mut curvature = [0.0; 3];
            if !piece.frozen {
                let (vertex, terms) = pair.piece(n, piece.vertex.pieces);
                piece.vertex = vertex;
                if pair.is_curved {
                    for (weight, direction) in terms {
                        let (x, y) = (direction.dot(e1), direction.dot(e2));
                        curvature[0] += weight * x * x;
                        curvature[1] += weight * x * y;
                        curvature[2] += weight * y * y;
                    }
                }
            }
            piece.curvature = curvature;
            piece.t = DVec2::new(piece.vertex.w.dot(e1), piece.vertex.w.dot(e2));
            piece.v = piece.vertex.w.dot(n);
        }
        let solved = solve(&pieces[..len], value, value_tolerance);
        let better = value < best.value;
        let Some(step) = solved else {
            if better {
                let Vertex { a, b, .. } = found;
                best = Minimum { normal: n, value, a, b, closed: false };
            }
            // No stationary point in sight: go downhill a little and learn more pieces.
            let top = DVec2::new(found.w.dot(e1), found.w.dot(e2));
            let length = top.length();
            if length <= residual_tolerance {
                return best;
            }
            let y = top * (-0.1 / length);
            active.len = 0;
            n = (n + e1 * y.x + e2 * y.y).normalize();
            continue;
        };
        let (mut a, mut b, mut height) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for slot in 0..step.len {
            let piece = &pieces[step.active[slot]];
            a += piece.vertex.a * step.weights[slot];
            b += piece.vertex.b * step.weights[slot];
            height += piece.v * step.weights[slot];
        }
        let candidate = Minimum { normal: n, value, a, b, closed: false };
        let tangential = (a - b) - n * height;
        let closed = value - height <= value_tolerance && tangential.length() <= residual_tolerance;
        if closed {
            return Minimum { closed, ..candidate };
        }
        if better {
            best = candidate;
        }
        active = step;
        n = (n + e1 * step.y.x + e2 * step.y.y).normalize();
    }
    best
}

/// Adds a point unless its piece is known already. A full list gives up the point that is lowest.
fn insert(pieces: &mut [Piece; N_PIECES], len: &mut usize, vertex: Vertex, frozen: bool) {
    let known = pieces[..*len].iter().any(|p| {
        if frozen { p.frozen && p.vertex.w == vertex.w } else { !p.frozen && p.vertex.pieces == vertex.pieces }
    });
    if known {
        return;
    }
    let piece = Piece { vertex, frozen, ..Piece::default() };
    if *len < N_PIECES {
        pieces[*len] = piece;
        *len += 1;
        return;
    }
    let lowest = (0..*len).min_by(|i, j| pieces[*i].v.total_cmp(&pieces[*j].v)).unwrap_or(0);
    pieces[lowest] = piece;
}

/// The stationary point of the quadratic model: the set of active pieces whose weights are all positive and above which
/// no other piece rises.
fn solve(pieces: &[Piece], value: f64, slack: f64) -> Option<Step> {
    let n = pieces.len();
    for i in 0..n {
        if let Some(step) = solve_one(pieces, i, value)
            && is_highest(pieces, &step, slack)
        {
            return Some(step);
        }
    }
    for i in 0..n {
        for j in i + 1..n {
            if let Some(step) = solve_two(pieces, i, j, value)
                && is_highest(pieces, &step, slack)
            {
                return Some(step);
            }
        }
    }
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                if let Some(step) = solve_three(pieces, i, j, k, value)
                    && is_highest(pieces, &step, slack)
                {
                    return Some(step);
                }
            }
        }
    }
    None
}

/// Steps longer than this leave the region in which the tangent plane stands for the sphere.
const LONGEST_STEP: f64 = 0.7;

fn is_highest(pieces: &[Piece], step: &Step, slack: f64) -> bool {
    let first = &pieces[step.active[0]];
    let height = first.v + first.t.dot(step.y);
    let limit = height + slack + 1e-14 * first.v.abs();
    pieces.iter().all(|p| p.v + p.t.dot(step.y) <= limit)
}

fn shortened(y: DVec2) -> DVec2 {
    let length = y.length();
    if length > LONGEST_STEP { y * (LONGEST_STEP / length) } else { y }
}

fn solve_one(pieces: &[Piece], i: usize, value: f64) -> Option<Step> {
    let p = &pieces[i];
    let (xx, xy, yy) = (p.curvature[0] - value, p.curvature[1], p.curvature[2] - value);
    let determinant = xx * yy - xy * xy;
    let scale = xx.abs().max(yy.abs());
    if xx <= 0.0 || yy <= 0.0 || determinant <= 1e-14 * scale * scale {
        return None;
    }
    let y = DVec2::new(xy * p.t.y - yy * p.t.x, xy * p.t.x - xx * p.t.y) / determinant;
    Some(Step { y: shortened(y), active: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1 })
}

fn solve_two(pieces: &[Piece], i: usize, j: usize, value: f64) -> Option<Step> {
    let (p, q) = (&pieces[i], &pieces[j]);
    let ridge = p.t - q.t;
    let square = ridge.length_squared();
    if square <= 0.0 {
        return None;
    }
    // Across the ridge the two pieces stay level; along it the curvature decides.
    let across = ridge * ((q.v - p.v) / square);
    let along = ridge.perp() / square.sqrt();
    let weight = (-q.t.dot(ridge) / square).clamp(0.0, 1.0);
    let curvature: [f64; 3] =
        std::array::from_fn(|k| weight * p.curvature[k] + (1.0 - weight) * q.curvature[k] - [value, 0.0, value][k]);
    let apply = |y: DVec2| DVec2::new(curvature[0] * y.x + curvature[1] * y.y, curvature[1] * y.x + curvature[2] * y.y);
    let stiffness = along.dot(apply(along));
    if stiffness <= 0.0 {
        return None;
    }
    let y = across - along * (along.dot(p.t + apply(across)) / stiffness);
    let y = shortened(y);
    let weight = -(q.t + apply(y)).dot(ridge) / square;
    if !(-1e-9..=1.0 + 1e-9).contains(&weight) {
        return None;
    }
    let weight = weight.clamp(0.0, 1.0);
    Some(Step { y, active: [i, j, 0], weights: [weight, 1.0 - weight, 0.0], len: 2 })
}

fn solve_three(pieces: &[Piece], i: usize, j: usize, k: usize, value: f64) -> Option<Step> {
    let (p, q, r) = (&pieces[i], &pieces[j], &pieces[k]);
    let (u, v) = (p.t - r.t, q.t - r.t);
    let determinant = u.perp_dot(v);
    if determinant.abs() <= 1e-13 * u.length() * v.length() {
        return None;
    }
    let (f, g) = (r.v - p.v, r.v - q.v);
    let y = DVec2::new(f * v.y - g * u.y, g * u.x - f * v.x) / determinant;
    let y = shortened(y);
    let weights_for = |target: DVec2| {
        let (x, z) = (target.perp_dot(v) / determinant, u.perp_dot(target) / determinant);
        [x, z, 1.0 - x - z]
    };
    let first = weights_for(-r.t).map(|w| w.clamp(0.0, 1.0));
    let curvature: [f64; 3] = std::array::from_fn(|c| {
        first[0] * p.curvature[c] + first[1] * q.curvature[c] + first[2] * r.curvature[c] - [value, 0.0, value][c]
    });
    let turned = DVec2::new(curvature[0] * y.x + curvature[1] * y.y, curvature[1] * y.x + curvature[2] * y.y);
    let weights = weights_for(-r.t - turned);
    if weights.iter().any(|w| *w < -1e-9) {
        return None;
    }
    let sum: f64 = weights.iter().map(|w| w.max(0.0)).sum();
    Some(Step { y, active: [i, j, k], weights: weights.map(|w| w.max(0.0) / sum), len: 3 })
}
