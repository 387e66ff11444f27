//! The iteration for two smooth bodies: points of both surfaces with opposite normals on one line with them. Equations and proof are
//! at the head of [`super`].

use crate::shape::Level;
use crate::{Contact, Pose, Superquadric, tolerance};
use glam::{DMat2, DMat3, DVec2, DVec3};

/// Where the iteration ended.
pub(crate) enum Settled {
    /// A direction proves that the bodies are farther apart than the limit.
    Beyond,
    /// The gap is stationary.
    At(Contact),
    /// It did not settle.
    Lost,
}

/// Steps of the iteration, at most. A guess from the last step of a run takes two or three.
const MOST_STEPS: usize = 40;

/// Sine of the angle between normals that agree: a few hundred roundings.
const SAME_NORMAL: f64 = 1e-13;

/// The longest step, in half axes.
const LONGEST_STEP: f64 = 0.5;

/// A step of this many half axes over the larger exponent is the last: it leaves half of its square times that of the exponent, less
/// than [`SAME_NORMAL`].
const LAST_STEP: f64 = 3e-7;

/// The angle between the normals that flat sides may leave of a system without a solution [rad].
const LEFT: f64 = 5e-11;

/// A step of this many half axes over the larger exponent leaves the curvatures as they are, nearly: those behind may be taken with the
/// curvatures where it began.
const SHORT_STEP: f64 = 1e-2;

/// By how much the system changes with such a step, in half axes over the larger exponent.
const CHANGE: f64 = 4.0;

/// Such steps at most, and by how much each is shorter than the last.
const MOST_SHORT_STEPS: usize = 5;
const SHORTER_BY: f64 = 0.1;

/// A step that makes the rest larger is taken again with this part of its length.
const SHORTER: f64 = 0.25;

/// The largest exponent of the first of ever less round bodies, and by how much it grows.
const FIRST_EXPONENT: f64 = 3.0;
const GROWTH: f64 = 1.5;

/// A determinant over the square of a matrix below which one direction is flat, and the part of what is wanted that may be along it.
const FLAT_ALONG_ONE: f64 = 1e-12;
const ASKED_ALONG_FLAT: f64 = 1e-4;

/// Multiplies the unit of a matrix squared: a determinant that is smaller is none.
const SINGULAR: f64 = 1e-60;

/// Multiplies the unit of a matrix: what makes a singular one regular.
const NEARLY: f64 = 1e-30;

/// The last step that was taken.
struct Last {
    /// Points of a and of b, each in its own frame, where it began.
    at: [DVec3; 2],
    moves: [DVec3; 2],
    share: f64,
    /// What was left to do: square of the angle between the normals and of what is off their line, over the size.
    rest: f64,
}

impl Last {
    fn ahead(&self) -> [DVec3; 2] {
        std::array::from_fn(|k| self.at[k] + self.moves[k] * self.share)
    }
}

/// Two bodies, seen from a.
pub(crate) struct Pair<'a> {
    a: &'a Superquadric,
    b: &'a Superquadric,
    turn: DMat3,
    shift: DVec3,
    /// The larger half axis of both: what tolerances multiply.
    size: f64,
    /// Sum of the radii of balls that roll inside both [m].
    round: f64,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(a: &'a Superquadric, b: &'a Superquadric, pose_ab: &Pose) -> Pair<'a> {
        Pair::placed(a, b, DMat3::from_quat(pose_ab.orientation), pose_ab.position)
    }

    /// b turned and shifted.
    pub(crate) fn placed(a: &'a Superquadric, b: &'a Superquadric, turn: DMat3, shift: DVec3) -> Pair<'a> {
        let size = a.semi_axes.max_element().max(b.semi_axes.max_element());
        Pair { a, b, turn, shift, size, round: a.rolling_radius() + b.rolling_radius() }
    }

    pub(crate) fn centre_line(&self) -> DVec3 {
        if self.shift.length() > tolerance::COINCIDENT * self.size { self.shift.normalize() } else { DVec3::X }
    }

    /// Whether the answer of an iteration is the contact: see the head of the file.
    pub(crate) fn proves(&self, contact: &Contact) -> bool {
        -contact.separation <= self.round
    }

    /// Whether a short step leaves the system nearly as it is. Deep overlaps may make it nearly singular, and the curvature has no limit at a
    /// pole with n1 below n2.
    #[inline]
    fn is_steady(&self, gap: f64) -> bool {
        -gap <= 0.5 * self.round && self.a.n1 >= self.a.n2 && self.b.n1 >= self.b.n2
    }

    /// A direction near the normal, from that of rounder bodies with the same half axes: their exponents grow step by step to those of
    /// these. Where blunt faces and sharp edges mislead the iteration, each body has a normal near that of the last.
    pub(crate) fn continued(&self, start: DVec3) -> DVec3 {
        let sharpest = [self.a.n1, self.a.n2, self.b.n1, self.b.n2].into_iter().fold(2.0, f64::max);
        let (mut direction, mut most) = (start, FIRST_EXPONENT);
        while most < sharpest {
            let rounder = |body: &Superquadric| Superquadric { n1: body.n1.min(most), n2: body.n2.min(most), ..*body };
            let (a, b) = (rounder(self.a), rounder(self.b));
            if let Settled::At(contact) = (Pair { a: &a, b: &b, ..*self }).settle(direction, f64::INFINITY) {
                direction = contact.normal;
            }
            most *= GROWTH;
        }
        direction
    }

    /// Points with opposite normals on one line with them, from a unit direction. From near by two short steps do; from elsewhere by
    /// whole steps, and where these do not settle by steps that leave less to do.
    #[inline]
    pub(crate) fn settle(&self, start: DVec3, limit: f64) -> Settled {
        let back = self.turn.transpose();
        let ((p, level_a), (q, level_b)) = (self.a.farthest(start), self.b.farthest(back * -start));
        let across = self.turn * q + self.shift - p;
        if start.dot(across) > limit {
            return Settled::Beyond;
        }
        let near = match self.polish(start, [p, q], across, [&level_a, &level_b]) {
            Ok(contact) => return Settled::At(contact),
            Err(near) => near,
        };
        match self.iterate(near, false) {
            Settled::Lost => self.iterate([p, q], true),
            settled => settled,
        }
    }

    /// The same from points near those of a and of b, seen from a.
    #[inline]
    pub(crate) fn settle_near(&self, [p, q]: [DVec3; 2]) -> Settled {
        self.iterate([p, self.turn.transpose() * (q - self.shift)], false)
    }

    /// The same from the points that are farthest along a direction and against it. Their normals are known, so that the first step asks for
    /// no other; those behind it take the curvatures from where it began, and a rest that falls by more than tenfold each time. Otherwise
    /// where to go on from.
    #[inline]
    fn polish(&self, n: DVec3, [p, q]: [DVec3; 2], across: DVec3, levels: [&Level; 2]) -> Result<Contact, [DVec3; 2]> {
        let Pair { a, b, ref turn, size, .. } = *self;
        let sharpest = a.n1.max(a.n2).max(b.n1.max(b.n2));
        let plane = TangentPlane::new(n, turn, levels, n.dot(across), size);
        let step = plane.step(DVec2::ZERO, plane.seen(across));
        let length = self.half_axes(&step.moves);
        let is_steady = self.is_steady(plane.gap);
        if length * sharpest <= LAST_STEP && step.rest <= LEFT {
            return Ok(plane.contact_after(&step, turn, p, [n, n], across));
        }
        let share = if length > LONGEST_STEP { LONGEST_STEP / length } else { 1.0 };
        let near = [p + step.moves[0] * share, q + step.moves[1] * share];
        if is_steady && length * sharpest <= SHORT_STEP {
            self.finish(&plane, near, length, sharpest)
        } else {
            Err(near)
        }
    }

    /// The last steps, with the curvatures from where a short one of a length began that led near; or where to go on from.
    #[inline(always)]
    fn finish(
        &self,
        plane: &TangentPlane,
        mut near: [DVec3; 2],
        mut length: f64,
        sharpest: f64,
    ) -> Result<Contact, [DVec3; 2]> {
        let Pair { a, b, ref turn, shift, size, .. } = *self;
        let change = CHANGE * length * sharpest;
        for _ in 0..MOST_SHORT_STEPS {
            let ((p, u), (q, v)) = (a.normal_on_surface(near[0]), b.normal_on_surface(near[1]));
            let across = *turn * q + shift - p;
            let v = -(*turn * v);
            let turned = plane.seen(v - u);
            // By the gap that there is now: by that of the plane the search would end beside the line.
            let wanted = plane.seen(across - u * u.dot(across));
            if turned.length_squared() <= SAME_NORMAL * SAME_NORMAL
                && wanted.length_squared() <= (tolerance::STATIONARY * size).powi(2)
            {
                return Ok(at_gap(p, across, (u + v).normalize()));
            }
            let last = length;
            let step = plane.step(turned, wanted);
            length = self.half_axes(&step.moves);
            // What is left is shorter than this step by as much as the system has changed.
            if length * sharpest * change.max(2.0 * length / last) <= SAME_NORMAL && step.rest <= LEFT {
                return Ok(plane.contact_after(&step, turn, p, [u, v], across));
            }
            if length.is_nan() || length > SHORTER_BY * last {
                break;
            }
            near = [p + step.moves[0], q + step.moves[1]];
        }
        Err(near)
    }

    /// The longer of two moves, in half axes.
    #[inline]
    fn half_axes(&self, moves: &[DVec3; 2]) -> f64 {
        (moves[0] / self.a.semi_axes).abs().max((moves[1] / self.b.semi_axes).abs()).max_element()
    }

    #[inline]
    fn iterate(&self, at: [DVec3; 2], careful: bool) -> Settled {
        let Pair { a, b, ref turn, shift, size, .. } = *self;
        let sharpest = a.n1.max(a.n2).max(b.n1.max(b.n2));
        let [mut near_a, mut near_b] = at;
        let mut last = Last { at, moves: [DVec3::ZERO; 2], share: 0.0, rest: f64::INFINITY };
        for _ in 0..MOST_STEPS {
            let ((p, level_a), (q, level_b)) = (a.on_surface(near_a), b.on_surface(near_b));
            let (u, v) = (level_a.gradient, -(*turn * level_b.gradient));
            let across = *turn * q + shift - p;
            let Some(n) = (u + v).try_normalize() else { return Settled::Lost };
            let gap = n.dot(across);
            let plane = TangentPlane::new(n, turn, [&level_a, &level_b], gap, size);
            let (off, turned) = (plane.seen(across), plane.seen(v - u));
            if turned.length_squared() <= SAME_NORMAL * SAME_NORMAL
                && off.length_squared() <= (tolerance::STATIONARY * size).powi(2)
            {
                return Settled::At(at_gap(p, across, n));
            }
            if careful {
                let rest = turned.length_squared() + off.length_squared() / (size * size);
                if rest > last.rest || rest.is_nan() {
                    last.share *= SHORTER;
                    [near_a, near_b] = last.ahead();
                    continue;
                }
                last.rest = rest;
            }
            // u is half of the turn away from n.
            let step = plane.step(turned, off + 0.5 * gap * turned);
            let longest = self.half_axes(&step.moves);
            let is_steady = self.is_steady(gap);
            if longest * sharpest <= LAST_STEP && step.rest <= LEFT {
                return Settled::At(plane.contact_after(&step, turn, p, [u, v], across));
            }
            let share = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
            last = Last { at: [p, q], moves: step.moves, share, ..last };
            [near_a, near_b] = last.ahead();
            if !careful && is_steady && longest * sharpest <= SHORT_STEP {
                match self.finish(&plane, [near_a, near_b], longest, sharpest) {
                    Ok(contact) => return Settled::At(contact),
                    Err(near) => [near_a, near_b] = near,
                }
            }
        }
        Settled::Lost
    }
}

/// The plane across a direction, with the shape operators of both bodies in it.
struct TangentPlane {
    e: DVec3,
    f: DVec3,
    /// Both in b's frame.
    own: [DVec3; 2],
    s: DMat2,
    t: DMat2,
    /// Of the system that gives a's move, in units of one over the size.
    matrix: DMat2,
    gap: f64,
    unit: f64,
}

/// A step of the iteration.
struct Step {
    /// a's move in the tangent plane.
    x: DVec2,
    /// The moves of both, each in its own frame.
    moves: [DVec3; 2],
    /// What the normals still differ by, to first order: not zero where flat sides leave the system without a solution.
    rest: f64,
    /// How far the surfaces fall away below the moves [m].
    falls: [f64; 2],
}

impl TangentPlane {
    #[inline(always)]
    fn new(n: DVec3, turn: &DMat3, [level_a, level_b]: [&Level; 2], gap: f64, size: f64) -> TangentPlane {
        let (e, f) = n.any_orthonormal_pair();
        let back = turn.transpose();
        let own = [back * e, back * f];
        let (s, t) = (operator(level_a, e, f), operator(level_b, own[0], own[1]));
        TangentPlane { e, f, own, s, t, matrix: s + t + t * s * gap, gap, unit: 1.0 / size }
    }

    #[inline]
    fn seen(&self, vector: DVec3) -> DVec2 {
        DVec2::new(self.e.dot(vector), self.f.dot(vector))
    }

    /// The step where the normals differ by `turned` and the second point is `wanted` off the line of the first.
    #[inline(always)]
    fn step(&self, turned: DVec2, wanted: DVec2) -> Step {
        let TangentPlane { e, f, own, s, t, matrix, gap, unit } = self;
        // What is flat on both sides is met half way.
        let half_way = 0.5 * wanted;
        let x = half_way + solved(matrix, turned + *t * wanted - *matrix * half_way, *unit);
        let bent = *s * x;
        let y = x + bent * *gap - wanted;
        let bent_b = *t * y;
        let rest = (turned - bent - bent_b).abs().max_element();
        let falls = [0.5 * x.dot(bent), 0.5 * y.dot(bent_b)];
        Step { x, moves: [*e * x.x + *f * x.y, own[0] * y.x + own[1] * y.y], rest, falls }
    }

    /// The contact after the last step, to second order: from a's point before it and from there to b's point, with a's normal at the one and
    /// b's, turned round, at the other.
    #[inline]
    fn contact_after(&self, step: &Step, turn: &DMat3, point: DVec3, [u, v]: [DVec3; 2], across: DVec3) -> Contact {
        let Step { x, moves, falls, .. } = *step;
        let by = self.s * x;
        // The plane is across neither normal, and may be that of some steps ago: only what is level with a surface is a move over it.
        let move_a = moves[0] - u * u.dot(moves[0]);
        let move_b = *turn * moves[1];
        let move_b = move_b - v * v.dot(move_b);
        let normal = (u + self.e * by.x + self.f * by.y).normalize();
        let across = across + move_b - move_a + normal * (falls[0] + falls[1]);
        at_gap(point + move_a - normal * falls[0], across, normal)
    }
}

/// The contact at a point of a, from there to that of b, and along a normal; what is off its line is shared between both points.
#[inline]
fn at_gap(point: DVec3, across: DVec3, normal: DVec3) -> Contact {
    let separation = normal.dot(across);
    let point_a = point + 0.5 * (across - normal * separation);
    Contact { normal, separation, point_a, point_b: point_a + normal * separation }
}

/// The shape operator in a plane.
#[inline]
fn operator(level: &Level, e: DVec3, f: DVec3) -> DMat2 {
    let (along_e, along_f) = (level.diagonal * e, level.diagonal * f);
    let mut entries = [along_e.dot(e), along_e.dot(f), along_f.dot(f)];
    // With one exponent it is zero.
    if level.xy != 0.0 {
        let mixed = [2.0 * e.x * e.y, e.x * f.y + e.y * f.x, 2.0 * f.x * f.y];
        for (entry, mixed) in entries.iter_mut().zip(mixed) {
            *entry += level.xy * mixed;
        }
    }
    DMat2::from_cols_array(&[entries[0], entries[1], entries[1], entries[2]])
}

/// What solves a system of two equations. Where its matrix is singular, against a unit of its elements, it is made regular: what is flat
/// on both sides then moves as far as a step may.
#[inline]
fn solved(matrix: &DMat2, right: DVec2, unit: f64) -> DVec2 {
    let [a, c, b, d] = matrix.to_cols_array();
    let determinant = a * d - b * c;
    let square = a * a + b * b + c * c + d * d;
    if determinant.abs() <= FLAT_ALONG_ONE * square {
        // Along the flat direction nothing may be asked for: the shortest solution.
        let shortest = DVec2::new(a * right.x + c * right.y, b * right.x + d * right.y) / square;
        if (*matrix * shortest - right).length_squared() <= ASKED_ALONG_FLAT * ASKED_ALONG_FLAT * right.length_squared()
        {
            return shortest;
        }
    }
    if determinant.abs() > SINGULAR * unit * unit {
        return DVec2::new(d * right.x - b * right.y, a * right.y - c * right.x) / determinant;
    }
    let (a, d) = (a + NEARLY * unit, d + NEARLY * unit);
    let determinant = (a * d - b * c).max(SINGULAR * unit * unit);
    DVec2::new(d * right.x - b * right.y, a * right.y - c * right.x) / determinant
}
