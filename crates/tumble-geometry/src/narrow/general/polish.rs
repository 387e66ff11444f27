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
//! (flat spots of superquadrics, the middle of a cap) or a piece is not known yet, a step can end higher than it began. It
//! is then not taken; the point of M found there joins the model, as a new piece or as a fixed point of a known one, which
//! makes it a cutting-plane method. It may still fail to close: the answer says so
//! and the caller goes on with its own search.

use super::body::{Apex, Pair, PairFacing, Vertex};
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
const MAX_STEPS: usize = 20;

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

/// The model around a direction.
struct Model<'p, 'a> {
    pair: &'p Pair<'a>,
    n: DVec3,
    e1: DVec3,
    e2: DVec3,
    facing: PairFacing,
    /// h at the direction.
    value: f64,
    pieces: [Piece; N_PIECES],
    len: usize,
}

impl<'p, 'a> Model<'p, 'a> {
    fn new(pair: &'p Pair<'a>, n: DVec3, known: &[Vertex]) -> Model<'p, 'a> {
        let (e1, e2) = n.any_orthonormal_pair();
        let facing = pair.facing(n, e1, e2);
        let found = pair.point(&facing, facing.farthest);
        let value = found.w.dot(n);
        let mut model = Model { pair, n, e1, e2, facing, value, pieces: [Piece::default(); N_PIECES], len: 0 };
        model.insert(found, false);
        for vertex in known {
            model.insert(*vertex, false);
        }
        model
    }

    fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.len]
    }

    /// The weighted points of a step at the present direction, how far their height is below h, and how far they are from
    /// the line of the direction.
    fn weighted(&self, step: &Step) -> (Minimum, f64, f64) {
        let (mut a, mut b, mut height) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (index, weight) in step.active.into_iter().zip(step.weights).take(step.len) {
            let piece = &self.pieces[index];
            a += piece.vertex.a * weight;
            b += piece.vertex.b * weight;
            height += piece.v * weight;
        }
        let residual = (a - b - self.n * height).length();
        (Minimum { normal: self.n, value: self.value, a, b, closed: false }, self.value - height, residual)
    }

    /// Moves to a direction whose faces and farthest point are known.
    fn move_to(&mut self, n: DVec3, e1: DVec3, e2: DVec3, facing: PairFacing, found: Vertex, value: f64) {
        (self.n, self.e1, self.e2, self.facing, self.value) = (n, e1, e2, facing, value);
        for k in 0..self.len {
            self.evaluate(k);
        }
        self.insert(found, false);
    }

    fn evaluate(&mut self, k: usize) {
        let piece = &mut self.pieces[k];
        if !piece.frozen && self.pair.is_curved {
            piece.curvature = self.pair.curvature(&self.facing, piece.vertex.pieces);
            piece.vertex = self.pair.point(&self.facing, piece.vertex.pieces);
        }
        piece.t = DVec2::new(piece.vertex.w.dot(self.e1), piece.vertex.w.dot(self.e2));
        piece.v = piece.vertex.w.dot(self.n);
    }

    /// Adds a point unless it is known already. A full list gives up the point that is lowest.
    fn insert(&mut self, vertex: Vertex, frozen: bool) -> bool {
        let known = self.pieces().iter().any(|p| {
            if frozen { p.frozen && p.vertex.w == vertex.w } else { !p.frozen && p.vertex.pieces == vertex.pieces }
        });
        if known {
            return false;
        }
        let place = if self.len < N_PIECES {
            self.len += 1;
            self.len - 1
        } else {
            (0..self.len).min_by(|i, j| self.pieces[*i].v.total_cmp(&self.pieces[*j].v)).unwrap_or(0)
        };
        self.pieces[place] = Piece { vertex, frozen, ..Piece::default() };
        self.evaluate(place);
        true
    }
}

/// Searches from a direction; `known` are points of M whose pieces are likely to be active. Stops, unfinished, where h is
/// below minus the limit.
pub(super) fn polish(pair: &Pair, start: DVec3, known: &[Vertex], limit: f64) -> Minimum {
    if let Some(Apex { normal, value, a, b }) = pair.settled(start) {
        return Minimum { normal, value, a, b, closed: true };
    }
    let start = pair.in_symmetry_plane(start).unwrap_or(start);
    let value_tolerance = tolerance::EXACT * pair.size;
    let residual_tolerance = tolerance::STATIONARY * pair.size;
    let mut model = Model::new(pair, start, known);
    if let Some(Apex { normal, value, a, b }) = pair.apex(start)
        && value <= model.value
    {
        return Minimum { normal, value, a, b, closed: true };
    }
    let mut best = Minimum { normal: start, value: model.value, a: DVec3::ZERO, b: DVec3::ZERO, closed: false };
    let mut last = None;
    for _ in 0..MAX_STEPS {
        let y = match solve_again(model.pieces(), last, value_tolerance) {
            Some(step) => {
                last = Some(step);
                let (minimum, spread, residual) = model.weighted(&step);
                best = minimum;
                if spread <= value_tolerance && residual <= residual_tolerance {
                    return Minimum { closed: true, ..best };
                }
                shortened(step.y)
            }
            None => {
                // No stationary point in sight: go downhill a little and learn more pieces.
                let top = model
                    .pieces()
                    .iter()
                    .fold(Piece::default(), |top, p| if top.t == DVec2::ZERO || p.v > top.v { *p } else { top });
                best = Minimum { normal: model.n, value: model.value, a: top.vertex.a, b: top.vertex.b, closed: false };
                if top.t.length() <= residual_tolerance {
                    return best;
                }
                top.t * (-DOWNHILL / top.t.length())
            }
        };
        let n = (model.n + model.e1 * y.x + model.e2 * y.y).normalize();
        let (e1, e2) = n.any_orthonormal_pair();
        let facing = pair.facing(n, e1, e2);
        let found = pair.point(&facing, facing.farthest);
        let value = found.w.dot(n);
        if -value > limit {
            return Minimum { normal: n, value, a: found.a, b: found.b, closed: false };
        }
        if value <= model.value + 0.1 * value_tolerance {
            model.move_to(n, e1, e2, facing, found, value);
        } else if !model.insert(found, false) && !model.insert(found, true) {
            // Overshot, and nothing was learnt.
            break;
        }
    }
    // Good enough when nothing better comes: pieces that differ by less than this over the whole body, such as those of
    // axes that are parallel up to 1e-10, need not all be level.
    let loose_tolerance = 0.2 * tolerance::CERTIFIED * pair.size;
    if let Some(step) = solve(model.pieces(), loose_tolerance) {
        let (minimum, spread, residual) = model.weighted(&step);
        if spread <= loose_tolerance && residual <= loose_tolerance {
            return Minimum { closed: true, ..minimum };
        }
    }
    best
}

/// The stationary point of the quadratic model, tried first with the pieces that were active in the last step.
fn solve_again(pieces: &[Piece], last: Option<Step>, slack: f64) -> Option<Step> {
    let again = last.and_then(|Step { active: [i, j, k], len, .. }| match len {
        1 => solve_one(pieces, i),
        2 => solve_two(pieces, i, j),
        _ => solve_three(pieces, i, j, k),
    });
    again.filter(|step| is_highest(pieces, step, slack)).or_else(|| solve(pieces, slack))
}

/// The stationary point of the quadratic model: the set of active pieces whose weights are all positive and above which
/// no other piece rises.
fn solve(pieces: &[Piece], slack: f64) -> Option<Step> {
    let n = pieces.len();
    for i in 0..n {
        if let Some(step) = solve_one(pieces, i)
            && is_highest(pieces, &step, slack)
        {
            return Some(step);
        }
    }
    for i in 0..n {
        for j in i + 1..n {
            if let Some(step) = solve_two(pieces, i, j)
                && is_highest(pieces, &step, slack)
            {
                return Some(step);
            }
        }
    }
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                if let Some(step) = solve_three(pieces, i, j, k)
                    && is_highest(pieces, &step, slack)
                {
                    return Some(step);
                }
            }
        }
    }
    None
}

/// Multiplies the largest curvature. One that is smaller is taken as zero: the rounding of where curvatures of the bodies
/// and of the sphere cancel, some 1e-16, and a margin.
const NEUTRAL: f64 = 1e-12;

/// Multiplies the largest curvature. A negative one beyond this means that a piece has no minimum near.
const SADDLE: f64 = 1e-7;

/// Length of a step [rad] where the model has no minimum.
const DOWNHILL: f64 = 0.1;

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

fn solve_one(pieces: &[Piece], i: usize) -> Option<Step> {
    let p = &pieces[i];
    let (mut xx, xy, mut yy) = (p.curvature[0] - p.v, p.curvature[1], p.curvature[2] - p.v);
    // Where directions tie (a ball on the axis of a body of revolution) one eigenvalue is zero: a little stiffness keeps
    // the step along the tie short. A negative one means that there is no minimum.
    let (mean, spread) = (0.5 * (xx + yy), (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt());
    let (lower, upper) = (mean - spread, mean + spread);
    if lower < -SADDLE * upper || upper <= 0.0 {
        return None;
    }
    if lower < NEUTRAL * upper {
        let added = (NEUTRAL * upper).max(-lower) - lower;
        xx += added;
        yy += added;
    }
    let determinant = xx * yy - xy * xy;
    let y = DVec2::new(xy * p.t.y - yy * p.t.x, xy * p.t.x - xx * p.t.y) / determinant;
    Some(Step { y, active: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1 })
}

fn solve_two(pieces: &[Piece], i: usize, j: usize) -> Option<Step> {
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
    let value = weight * p.v + (1.0 - weight) * q.v;
    let curvature: [f64; 3] =
        std::array::from_fn(|k| weight * p.curvature[k] + (1.0 - weight) * q.curvature[k] - [value, 0.0, value][k]);
    let apply = |y: DVec2| DVec2::new(curvature[0] * y.x + curvature[1] * y.y, curvature[1] * y.x + curvature[2] * y.y);
    let stiffness = along.dot(apply(along));
    let least = NEUTRAL * (curvature[0].abs() + curvature[2].abs() + value.abs());
    if least <= 0.0 {
        return None;
    }
    // Where the ridge bends the wrong way the same step still leads downhill.
    let shift = along.dot(p.t + apply(across)) / stiffness.abs().max(least);
    let y = across - along * shift.clamp(-LONGEST_STEP, LONGEST_STEP);
    let weight = -(q.t + apply(shortened(y))).dot(ridge) / square;
    if !(-1e-9..=1.0 + 1e-9).contains(&weight) {
        return None;
    }
    let weight = weight.clamp(0.0, 1.0);
    Some(Step { y, active: [i, j, 0], weights: [weight, 1.0 - weight, 0.0], len: 2 })
}

fn solve_three(pieces: &[Piece], i: usize, j: usize, k: usize) -> Option<Step> {
    let (p, q, r) = (&pieces[i], &pieces[j], &pieces[k]);
    let (u, v) = (p.t - r.t, q.t - r.t);
    let determinant = u.perp_dot(v);
    if determinant.abs() <= 1e-13 * u.length() * v.length() {
        return None;
    }
    let (f, g) = (r.v - p.v, r.v - q.v);
    let y = DVec2::new(f * v.y - g * u.y, g * u.x - f * v.x) / determinant;
    let weights_for = |target: DVec2| {
        let (x, z) = (target.perp_dot(v) / determinant, u.perp_dot(target) / determinant);
        [x, z, 1.0 - x - z]
    };
    let first = weights_for(-r.t).map(|w| w.clamp(0.0, 1.0));
    let value = first[0] * p.v + first[1] * q.v + first[2] * r.v;
    let curvature: [f64; 3] = std::array::from_fn(|c| {
        first[0] * p.curvature[c] + first[1] * q.curvature[c] + first[2] * r.curvature[c] - [value, 0.0, value][c]
    });
    let near = shortened(y);
    let turned =
        DVec2::new(curvature[0] * near.x + curvature[1] * near.y, curvature[1] * near.x + curvature[2] * near.y);
    let weights = weights_for(-r.t - turned);
    if weights.iter().any(|w| *w < -1e-9) {
        return None;
    }
    let sum: f64 = weights.iter().map(|w| w.max(0.0)).sum();
    Some(Step { y, active: [i, j, k], weights: weights.map(|w| w.max(0.0) / sum), len: 3 })
}
