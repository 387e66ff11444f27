//! The search for a local maximum of the gap of two bodies of revolution, from a given direction.
//!
//! The directions fall into pieces: where each body is farthest with one ring the gap is smooth, and the search is
//! Newton's on the sphere; where a body is farthest with its straight side, the normal keeps to a circle about its axis and
//! one angle is left; where both are, or with a cap, nothing is left. A piece is left when the points of the two bodies,
//! seen along the normal, say that the gap rises beside it: their least difference is the steepest ascent.
//!
//! With W from a's farthest point to b's, t_k = axis x n / s the tangent of ring k, A_k = rho_k / s_k:
//!
//!   gradient = W - (n . W) n,     - Hessian = A_1 t_1 t_1' + A_2 t_2 t_2' + (n . W + margins) 1.
//!
//! Known to fail: from a bad direction it may end at a maximum that is not the largest, or wander; [`super::certify`]
//! tells, and the general algorithm takes over.

use super::Pair;
use super::profile::{Facing, Second, Side};
use crate::tolerance;
use glam::{DVec2, DVec3};

/// A direction at which the gap is stationary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stationary {
    /// Unit normal, from a to b.
    pub normal: DVec3,
    /// The gap along it [m].
    pub gap: f64,
    /// A point of a and one of b, farthest along and against the normal, whose difference is the gap times the normal.
    pub points: [DVec3; 2],
    /// How each body stands to the normal.
    pub facings: [Facing; 2],
}

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ascent {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// At a stationary direction.
    Stationary(Stationary),
    /// Nowhere: the direction reached.
    Stuck(DVec3),
}

/// Steps after which a search is given up. Most need three to six.
const MOST_STEPS: usize = 16;

/// Longest step [rad]: beyond it the tangent plane is no picture of the sphere.
const LONGEST_STEP: f64 = 0.6;

/// Multiplies the radial component of a direction. A step this small [rad] is the last: what is left after it is its
/// square, some 1e-12: so little that a force along it has no torque about either axis.
pub(super) const LAST_STEP: f64 = 1e-6;

/// What is tried before a search follows the gap: sides and caps whose normals are near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// Difference of axial components below which a side is tried.
    pub side: f64,
    /// Radial component of a direction below which a cap is tried.
    pub cap: f64,
}

/// Radial component of a direction below which it is that of a cap, and by how much it is then moved off [rad].
const ON_POLE: f64 = 1e-6;
const BESIDE_POLE: f64 = 0.1;

/// Sine of the angle between two axes below which they are parallel: the common perpendicular has lost its digits, and the
/// sides differ in height by no more over their whole length.
const PARALLEL: f64 = 2e-11;

/// With which part of itself a body is farthest: a ring, or the side between it and the next.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    ring: usize,
    side: bool,
}

/// What a body shows along a normal.
#[derive(Clone, Copy)]
struct View {
    facing: Facing,
    /// Tangent of its rings.
    tangent: DVec3,
    /// Farthest point, margin left out: of the ring; of the ring below the side, or the same.
    upper: DVec3,
    lower: DVec3,
    margin: f64,
    /// rho / s of its ring.
    curvature: f64,
}

impl View {
    #[inline(always)]
    fn new(side: &impl Side, piece: Piece, normal: DVec3) -> View {
        let facing = side.facing(normal);
        let ring = side.profile().ring(piece.ring);
        let upper = side.core_point(ring, facing.radial);
        let lower =
            if piece.side { side.core_point(side.profile().ring(piece.ring + 1), facing.radial) } else { upper };
        View {
            facing,
            tangent: side.tangent(facing.radial),
            upper,
            lower,
            margin: ring.margin,
            curvature: ring.radius * facing.per_s,
        }
    }

    /// A fraction of the way down the side.
    #[inline]
    fn point(&self, fraction: f64) -> DVec3 {
        self.upper + (self.lower - self.upper) * fraction
    }

    #[inline]
    fn is_side(&self) -> bool {
        self.lower != self.upper
    }
}

/// Searches from a unit direction.
pub(super) fn ascend<A: Side>(pair: &Pair<A>, start: DVec3, near: Near, limit: f64) -> Ascent {
    let mut pieces = [piece_near(&pair.a, start, near.side), piece_near(&pair.b, start, near.side)];
    let mut normal = settle(pair, &mut pieces, start);
    let mut tried_caps = false;
    for _ in 0..MOST_STEPS {
        let a = View::new(&pair.a, pieces[0], normal);
        let b = View::new(&pair.b, pieces[1], normal);
        let core_gap = normal.dot(b.upper - a.upper);
        // The ring that was chosen need not be the farthest one.
        if core_gap - a.margin - b.margin > limit && pair.gap_facing(normal, &[a.facing, b.facing]) > limit {
            return Ascent::Beyond;
        }
        if !tried_caps && (a.facing.s < near.cap || b.facing.s < near.cap) {
            tried_caps = true;
            let of_a = (a.facing.s < near.cap).then(|| pole_of_a(pair, a.facing.u > 0.0)).flatten();
            let of_b = || (b.facing.s < near.cap).then(|| pole_of_b(pair, b.facing.u > 0.0)).flatten();
            if let Some(found) = of_a.or_else(of_b) {
                return if found.gap > limit { Ascent::Beyond } else { Ascent::Stationary(found) };
            }
            if let Some(moved) = off_the_pole(pair, &a, &b, normal) {
                normal = moved;
                pieces = [piece_near(&pair.a, normal, 0.0), piece_near(&pair.b, normal, 0.0)];
                continue;
            }
        }
        // The nearest points of what the two bodies show, seen along the normal, tell which sides to leave.
        let (fractions, crossing) = nearest(normal, &a, &b, pieces);
        if crossing {
            return Ascent::Stationary(stationary(pair, pieces, normal, DVec3::ZERO, fractions, [&a, &b]));
        }
        let released = [
            pieces[0].side && leave(&mut pieces[0], fractions[0]),
            pieces[1].side && leave(&mut pieces[1], fractions[1]),
        ];
        let step = match (pieces[0].side, pieces[1].side) {
            (true, true) => return Ascent::Stuck(normal),
            (true, false) => around(&pair.a, &a, &b, b.upper),
            (false, true) => around(&pair.b, &b, &a, pair.b.centre - a.upper),
            (false, false) => {
                let w = b.point(fractions[1]) - a.point(fractions[0]);
                freely(normal, &a, &b, w - normal * normal.dot(w), core_gap)
            }
        };
        let last = LAST_STEP * a.facing.s.min(b.facing.s);
        if released == [false; 2]
            && step.length_squared() <= last * last
            && (pieces[0].side || crossed(&pair.a, &a, pieces[0], step).is_none())
            && (pieces[1].side || crossed(&pair.b, &b, pieces[1], step).is_none())
        {
            return Ascent::Stationary(stationary(pair, pieces, normal, step, fractions, [&a, &b]));
        }
        normal = advance(pair, &mut pieces, normal, [&a, &b], step, released);
    }
    Ascent::Stuck(normal)
}

/// Leaves a side if the nearest point is its end, and tells whether it did.
#[inline]
fn leave(piece: &mut Piece, fraction: f64) -> bool {
    let at_end = fraction <= 0.0 || fraction >= 1.0;
    if at_end {
        *piece = Piece { ring: piece.ring + usize::from(fraction > 0.0), side: false };
    }
    at_end
}

/// What a search found after a last step so small that its square does not count. The points move with the normal: a
/// ring's by rho / s along its tangent.
#[inline(always)]
fn stationary<A: Side>(
    pair: &Pair<A>,
    pieces: [Piece; 2],
    from: DVec3,
    step: DVec3,
    fractions: [f64; 2],
    [a, b]: [&View; 2],
) -> Stationary {
    let normal = match pieces {
        // The side of a cone keeps the normal to a small circle, which the step leaves.
        [piece @ Piece { side: true, .. }, Piece { side: false, .. }] => turned(&pair.a, piece, a, step),
        [Piece { side: false, .. }, piece @ Piece { side: true, .. }] => turned(&pair.b, piece, b, step),
        _ => {
            let longer = from + step;
            longer * (1.5 - 0.5 * longer.length_squared())
        }
    };
    let facings = [a.facing, b.facing];
    // To first order the slope; the points of the two bodies are on one line along the new normal.
    let w = b.point(fractions[1]) - a.point(fractions[0]);
    let gap = pair.gap_facing(from, &facings) + 0.5 * w.dot(step);
    let points = if a.is_side() {
        let point = b.point(fractions[1]) - b.tangent * (b.curvature * b.tangent.dot(step)) - normal * b.margin;
        [point - normal * gap, point]
    } else {
        let point = a.upper + a.tangent * (a.curvature * a.tangent.dot(step)) + normal * a.margin;
        [point, point + normal * gap]
    };
    Stationary { normal, gap, points, facings }
}

/// A direction beside a pole, where the tangents of rings have no direction: towards the other body's point. A dome needs none.
fn off_the_pole<A: Side>(pair: &Pair<A>, a: &View, b: &View, normal: DVec3) -> Option<DVec3> {
    let offset = if a.facing.s < ON_POLE && a.curvature != 0.0 {
        pair.a.across(b.upper)
    } else if b.facing.s < ON_POLE && b.curvature != 0.0 {
        pair.b.across(pair.b.centre - a.upper)
    } else {
        return None;
    };
    Some((normal + offset.try_normalize()? * BESIDE_POLE).normalize())
}

/// The piece of a body for a direction: a side if it is near.
#[inline]
fn piece_near(side: &impl Side, normal: DVec3, near: f64) -> Piece {
    let u = side.axial(normal);
    let profile = side.profile();
    for k in 0..profile.n_rings - 1 {
        let turn = profile.turn(k);
        if (u - turn.u).abs() <= near && turn.length > 0.0 {
            return Piece { ring: k, side: true };
        }
    }
    Piece { ring: profile.ring_at(u), side: false }
}

/// Puts a normal onto the circles of the sides that are held.
#[inline]
fn settle<A: Side>(pair: &Pair<A>, pieces: &mut [Piece; 2], normal: DVec3) -> DVec3 {
    match (pieces[0].side, pieces[1].side) {
        (false, false) => normal,
        (true, false) => onto_side(&pair.a, pieces[0], normal),
        (false, true) => onto_side(&pair.b, pieces[1], normal),
        (true, true) => between_sides(pair, *pieces, normal).unwrap_or_else(|| {
            pieces[1].side = false;
            onto_side(&pair.a, pieces[0], normal)
        }),
    }
}

#[inline]
fn onto_side(side: &impl Side, piece: Piece, normal: DVec3) -> DVec3 {
    let facing = side.facing(normal);
    side.normal(side.profile().turn(piece.ring).u, facing.radial)
}

/// The normal of both bodies' sides that is nearest to a direction.
pub(super) fn between<A: Side>(pair: &Pair<A>, turns: [f64; 2], towards: DVec3) -> Option<DVec3> {
    let (x, y) = (pair.a.axis(), pair.b.axis);
    let across = x.cross(y);
    let square = across.length_squared();
    if square < PARALLEL * PARALLEL {
        return None;
    }
    let (alpha, beta) = (turns[0], -turns[1]);
    if alpha == 0.0 && beta == 0.0 {
        return Some(across * (1.0 / square.sqrt()).copysign(across.dot(towards)));
    }
    let cosine = x.dot(y);
    let in_plane = x * ((alpha - beta * cosine) / square) + y * ((beta - alpha * cosine) / square);
    let left = 1.0 - in_plane.length_squared();
    if left <= 0.0 {
        return None;
    }
    Some((in_plane + across * (left / square).sqrt().copysign(across.dot(towards))).normalize())
}

#[inline]
fn between_sides<A: Side>(pair: &Pair<A>, pieces: [Piece; 2], towards: DVec3) -> Option<DVec3> {
    between(pair, [pair.a.profile().turn(pieces[0].ring).u, pair.b.profile.turn(pieces[1].ring).u], towards)
}

/// Which points of what two bodies show come nearest to each other, seen along the normal: fractions of the way down their
/// sides, and whether two sides cross.
#[inline(always)]
fn nearest(normal: DVec3, a: &View, b: &View, pieces: [Piece; 2]) -> ([f64; 2], bool) {
    let flat = |v: DVec3| v - normal * normal.dot(v);
    let on_side = |view: &View, point: DVec3| {
        let along = flat(view.lower - view.upper);
        (along.dot(point - view.upper) / along.length_squared()).clamp(0.0, 1.0)
    };
    match (pieces[0].side, pieces[1].side) {
        (false, false) => ([0.0; 2], false),
        (true, false) => ([on_side(a, b.upper), 0.0], false),
        (false, true) => ([0.0, on_side(b, a.upper)], false),
        (true, true) => {
            let (along_a, along_b, offset) = (a.lower - a.upper, b.lower - b.upper, b.upper - a.upper);
            let across = normal.cross(offset);
            let sine = normal.dot(along_a.cross(along_b));
            let (s, t) = (across.dot(along_b) / sine, across.dot(along_a) / sine);
            if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                return ([s, t], true);
            }
            // Not within both: the nearest points (Ericson 2005, section 5.1.9).
            let s = if s.is_nan() { 0.5 } else { s.clamp(0.0, 1.0) };
            let t = on_side(b, a.upper + along_a * s);
            (if t > 0.0 && t < 1.0 { [s, t] } else { [on_side(a, b.upper + along_b * t), t] }, false)
        }
    }
}

/// A step around the axis of a body whose side is held; `beyond` from its centre to the other's point, from a to b.
#[inline(always)]
fn around<S: Side>(_: &S, view: &View, other: &View, beyond: DVec3) -> DVec3 {
    // Along n = sign (u axis + s e), with dn = sign s t: the held body's reach does not change.
    let s = view.facing.s;
    let slope = S::SIGN * s * view.tangent.dot(beyond);
    let turn = other.tangent.dot(view.tangent);
    let bend = S::SIGN * s * view.facing.radial.dot(beyond) + s * s * other.curvature * turn * turn;
    let angle = if bend > 0.0 { slope / bend } else { LONGEST_STEP.copysign(slope) };
    view.tangent * (S::SIGN * s * angle.clamp(-LONGEST_STEP, LONGEST_STEP))
}

/// A step in both angles.
#[inline(always)]
fn freely(normal: DVec3, a: &View, b: &View, slope: DVec3, core_gap: f64) -> DVec3 {
    let e1 = a.tangent;
    let e2 = normal.cross(e1);
    let gradient = DVec2::new(slope.dot(e1), slope.dot(e2));
    let turn = DVec2::new(b.tangent.dot(e1), b.tangent.dot(e2));
    let xx = a.curvature + b.curvature * turn.x * turn.x + core_gap;
    let xy = b.curvature * turn.x * turn.y;
    let yy = b.curvature * turn.y * turn.y + core_gap;
    let determinant = xx * yy - xy * xy;
    let mut step = if determinant > 0.0 && xx + yy > 0.0 {
        DVec2::new(yy * gradient.x - xy * gradient.y, xx * gradient.y - xy * gradient.x) * (1.0 / determinant)
    } else {
        uphill(gradient, xx, xy, yy)
    };
    let length = step.length();
    if length > LONGEST_STEP {
        step *= LONGEST_STEP / length;
    }
    e1 * step.x + e2 * step.y
}

/// Takes a step, but not beyond a side.
#[inline]
fn advance<A: Side>(
    pair: &Pair<A>,
    pieces: &mut [Piece; 2],
    normal: DVec3,
    [a, b]: [&View; 2],
    step: DVec3,
    released: [bool; 2],
) -> DVec3 {
    if pieces[0].side {
        let next = turned(&pair.a, pieces[0], a, step);
        return cross_side(pair, &pair.b, 1, pieces, normal, next);
    }
    if pieces[1].side {
        let next = turned(&pair.b, pieces[1], b, step);
        return cross_side(pair, &pair.a, 0, pieces, normal, next);
    }
    let step = step * before_pole::<A>(a, step).min(before_pole::<Second>(b, step));
    let next = (normal + step).normalize();
    // The nearer of the sides that are crossed is where the step ends.
    let (crossed_a, crossed_b) = (crossed(&pair.a, a, pieces[0], step), crossed(&pair.b, b, pieces[1], step));
    let (k, fraction, turn) = match (crossed_a, crossed_b) {
        (None, None) => return next,
        (Some((part, turn)), None) => (0, part, turn),
        (None, Some((part, turn))) => (1, part, turn),
        (Some(a), Some(b)) => {
            if a.0 <= b.0 {
                (0, a.0, a.1)
            } else {
                (1, b.0, b.1)
            }
        }
    };
    let at = (normal + step * fraction).normalize();
    let length = if k == 0 { pair.a.profile().turn(turn).length } else { pair.b.profile.turn(turn).length };
    if length == 0.0 {
        // The rings meet in a point: the search goes on with the other one.
        pieces[k].ring = if pieces[k].ring == turn { turn + 1 } else { turn };
        return at;
    }
    pieces[k] = Piece { ring: turn, side: true };
    if released[k] && fraction == 0.0 {
        // Released and back at once: the way up is along the side.
        let along =
            if k == 0 { around(&pair.a, a, b, b.upper) } else { around(&pair.b, b, a, pair.b.centre - a.upper) };
        return advance(pair, pieces, normal, [a, b], along, [false; 2]);
    }
    if k == 0 { onto_side(&pair.a, pieces[0], at) } else { onto_side(&pair.b, pieces[1], at) }
}

/// The normal after a step around the axis of a body.
#[inline]
fn turned<S: Side>(side: &S, piece: Piece, view: &View, step: DVec3) -> DVec3 {
    let radial = (view.facing.radial * view.facing.s + step * S::SIGN).normalize();
    side.normal(side.profile().turn(piece.ring).u, radial)
}

/// The part of a step that stays on this side of a body's axis: beyond it the ring's other side is farthest.
#[inline]
fn before_pole<S: Side>(view: &View, step: DVec3) -> f64 {
    const MOST: f64 = 0.7;
    let inward = -S::SIGN * step.dot(view.facing.radial);
    let room = MOST * view.facing.s;
    if inward > room { room / inward } else { 1.0 }
}

/// Where on a step from a normal a body's side is met: the part of the step, and which side.
#[inline]
fn crossed<S: Side>(side: &S, view: &View, piece: Piece, step: DVec3) -> Option<(f64, usize)> {
    let profile = side.profile();
    let (u, rise, square) = (view.facing.u, S::SIGN * step.dot(side.axis()), step.length_squared());
    let to = (u + rise) / (1.0 + square).sqrt();
    let ring = piece.ring;
    let turn = if to > u && ring > 0 && to > profile.turn(ring - 1).u {
        ring - 1
    } else if to < u && ring + 1 < profile.n_rings && to < profile.turn(ring).u {
        ring
    } else {
        return None;
    };
    // u + f rise = t sqrt(1 + f^2 square): a quadratic in f. Near a pole u changes with the square of the way.
    let t = profile.turn(turn).u;
    let (a, b, c) = (rise * rise - t * t * square, u * rise, u * u - t * t);
    let root = (b * b - a * c).max(0.0).sqrt();
    let q = -(b + root.copysign(b));
    let on_way = |f: f64| (0.0..=1.0).contains(&f) && (u + f * rise) * t >= 0.0;
    let (one, other) = (q / a, c / q);
    let fraction = match (on_way(one), on_way(other)) {
        (true, true) => one.min(other),
        (true, false) => one,
        (false, true) => other,
        // At the turn already, up to rounding.
        (false, false) => 0.0,
    };
    Some((fraction, turn))
}

/// A step uphill where the gap has no maximum near: the curvatures are taken as if they bent the other way.
#[cold]
fn uphill(gradient: DVec2, xx: f64, xy: f64, yy: f64) -> DVec2 {
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let spread = (half * half + xy * xy).sqrt();
    let axis = if spread > 0.0 {
        let doubled = DVec2::new(half, xy) / spread;
        // Half the angle of (cos 2t, sin 2t).
        if doubled.x >= 0.0 {
            DVec2::new(1.0 + doubled.x, doubled.y).normalize()
        } else {
            DVec2::new(doubled.y, 1.0 - doubled.x).normalize()
        }
    } else {
        DVec2::X
    };
    let (along, across) = (gradient.dot(axis), gradient.dot(axis.perp()));
    let least = 1e-3 * (mean.abs() + spread);
    axis * (along / (mean + spread).abs().max(least)) + axis.perp() * (across / (mean - spread).abs().max(least))
}

/// Ends a step of one body's side where the other's is crossed.
#[inline]
fn cross_side<A: Side>(
    pair: &Pair<A>,
    other: &impl Side,
    which: usize,
    pieces: &mut [Piece; 2],
    normal: DVec3,
    next: DVec3,
) -> DVec3 {
    let own = pieces[which].ring;
    let ring = other.profile().ring_at(other.axial(next));
    if ring == own {
        return next;
    }
    // The side next to the ring it was.
    let turn = if ring > own { own } else { own - 1 };
    if other.profile().turn(turn).length > 0.0 {
        let mut both = *pieces;
        both[which] = Piece { ring: turn, side: true };
        if let Some(found) = between_sides(pair, both, normal + next) {
            *pieces = both;
            return found;
        }
    }
    pieces[which].ring = ring;
    next
}

/// The direction along a's axis, if b's farthest point against it lies over the cap.
fn pole_of_a<A: Side>(pair: &Pair<A>, top: bool) -> Option<Stationary> {
    let (normal, own, facings) = pole(&pair.a, &pair.b, top)?;
    let gap = pair.gap_facing(normal, &facings);
    Some(Stationary { normal, gap, points: [own, own + normal * gap], facings })
}

/// The direction along b's axis, if a's farthest point lies over the cap.
fn pole_of_b<A: Side>(pair: &Pair<A>, top: bool) -> Option<Stationary> {
    let (normal, own, [b, a]) = pole(&pair.b, &pair.a, top)?;
    let facings = [a, b];
    let gap = pair.gap_facing(normal, &facings);
    Some(Stationary { normal, gap, points: [own - normal * gap, own], facings })
}

/// The normal of a cap, the point of it under the other body's farthest point, and how both stand to the normal.
fn pole<S: Side>(side: &S, other: &impl Side, top: bool) -> Option<(DVec3, DVec3, [Facing; 2])> {
    let cap = side.profile().cap(top)?;
    let up = if top { 1.0 } else { -1.0 };
    let normal = side.axis() * (up * S::SIGN);
    let facing = other.facing(normal);
    let profile = other.profile();
    let flat = tolerance::LEVEL * profile.bounding_radius;
    let ring = profile.ring(profile.ring_at(facing.u));
    let centre = side.centre() + side.axis() * cap.z;
    let place = if ring.radius > 0.0 && 2.0 * ring.radius * facing.s <= flat {
        // A cap against a cap: the point of the other that is nearest to this one's middle.
        let offset = side.across(other.centre() + other.axis() * ring.z - centre);
        offset * (1.0 - ring.radius / offset.length().max(ring.radius))
    } else if let Some(k) = profile.side_near(facing.u, flat) {
        let upper = other.core_point(profile.ring(k), facing.radial);
        let along = other.core_point(profile.ring(k + 1), facing.radial) - upper;
        side.across(upper + along * (along.dot(centre - upper) / along.length_squared()).clamp(0.0, 1.0) - centre)
    } else {
        side.across(other.core_point(ring, facing.radial) - centre)
    };
    if place.length_squared() > cap.radius * cap.radius {
        return None;
    }
    let own = Facing { u: up, s: 0.0, per_s: f64::INFINITY, radial: side.axis().any_orthonormal_vector() };
    Some((normal, centre + place, [own, facing]))
}
