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

/// A step that makes the rest larger is taken again with this part of its length.
const SHORTER: f64 = 0.25;

/// The largest exponent of the first of ever less round bodies, and by how much it grows.
const FIRST_EXPONENT: f64 = 3.0;
const GROWTH: f64 = 1.5;

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
}

impl<'a> Pair<'a> {
    pub(crate) fn new(a: &'a Superquadric, b: &'a Superquadric, pose_ab: &Pose) -> Pair<'a> {
        Pair::placed(a, b, DMat3::from_quat(pose_ab.orientation), pose_ab.position)
    }

    /// b turned and shifted.
    pub(crate) fn placed(a: &'a Superquadric, b: &'a Superquadric, turn: DMat3, shift: DVec3) -> Pair<'a> {
        let size = a.semi_axes.max_element().max(b.semi_axes.max_element());
        Pair { a, b, turn, shift, size }
    }

    pub(crate) fn centre_line(&self) -> DVec3 {
        if self.shift.length() > tolerance::COINCIDENT * self.size { self.shift.normalize() } else { DVec3::X }
    }

    /// Whether the answer of an iteration is the contact: see the head of the file.
    pub(crate) fn proves(&self, contact: &Contact) -> bool {
        contact.separation >= 0.0 || -contact.separation <= self.a.rolling_radius() + self.b.rolling_radius()
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

    /// Points with opposite normals on one line with them, from a unit direction: by whole steps first, and where these do not
    /// settle by steps that leave less to do.
    #[inline]
    pub(crate) fn settle(&self, start: DVec3, limit: f64) -> Settled {
        let at = [self.a.support(start), self.b.support(self.turn.transpose() * -start)];
        if start.dot(self.turn * at[1] + self.shift - at[0]) > limit {
            return Settled::Beyond;
        }
        match self.iterate(at, false) {
            Settled::Lost => self.iterate(at, true),
            settled => settled,
        }
    }

    #[inline]
    fn iterate(&self, at: [DVec3; 2], careful: bool) -> Settled {
        let Pair { a, b, ref turn, shift, size } = *self;
        let back = turn.transpose();
        let sharpest = a.n1.max(a.n2).max(b.n1.max(b.n2));
        let [mut near_a, mut near_b] = at;
        let mut last = Last { at, moves: [DVec3::ZERO; 2], share: 0.0, rest: f64::INFINITY };
        for _ in 0..MOST_STEPS {
            let ((p, level_a), (q, level_b)) = (a.on_surface(near_a), b.on_surface(near_b));
            let (u, v) = (level_a.gradient, -(*turn * level_b.gradient));
            let across = *turn * q + shift - p;
            let Some(n) = (u + v).try_normalize() else { return Settled::Lost };
            let gap = n.dot(across);
            let (e, f) = n.any_orthonormal_pair();
            let off = DVec2::new(e.dot(across), f.dot(across));
            let turned = DVec2::new(e.dot(v - u), f.dot(v - u));
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
            let (e_b, f_b) = (back * e, back * f);
            let (s, t) = (operator(&level_a, e, f), operator(&level_b, e_b, f_b));
            // u is half of the turn away from n. What is flat on both sides is met half way.
            let wanted = off + 0.5 * gap * turned;
            let matrix = s + t + t * s * gap;
            let half_way = 0.5 * wanted;
            let x = half_way + solved(&matrix, turned + t * wanted - matrix * half_way, 1.0 / size);
            let y = x + s * x * gap - wanted;
            let moves = [e * x.x + f * x.y, e_b * y.x + f_b * y.y];
            let longest = (moves[0] / a.semi_axes).abs().max((moves[1] / b.semi_axes).abs()).max_element();
            if longest * sharpest <= LAST_STEP {
                let turn_by = s * x - 0.5 * turned;
                let normal = (n + e * turn_by.x + f * turn_by.y).normalize();
                let across = across + *turn * moves[1] - moves[0];
                return Settled::At(at_gap(p + moves[0], across, normal));
            }
            let share = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
            last = Last { at: [p, q], moves, share, ..last };
            [near_a, near_b] = last.ahead();
        }
        Settled::Lost
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
    let mixed = level.along(e, f);
    DMat2::from_cols_array(&[level.along(e, e), mixed, mixed, level.along(f, f)])
}

/// What solves a system of two equations. Where its matrix is singular, against a unit of its elements, it is made regular: what is flat
/// on both sides then moves as far as a step may.
#[inline]
fn solved(matrix: &DMat2, right: DVec2, unit: f64) -> DVec2 {
    let [a, c, b, d] = matrix.to_cols_array();
    let determinant = a * d - b * c;
    if determinant.abs() > SINGULAR * unit * unit {
        return DVec2::new(d * right.x - b * right.y, a * right.y - c * right.x) / determinant;
    }
    let (a, d) = (a + NEARLY * unit, d + NEARLY * unit);
    let determinant = (a * d - b * c).max(SINGULAR * unit * unit);
    DVec2::new(d * right.x - b * right.y, a * right.y - c * right.x) / determinant
}
