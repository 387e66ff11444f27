//! The curved constraints of a convex body: the surfaces that are not planes.
//!
//! Every convex shape is a set of planes and at most one curved surface: a ball, the side of a cylinder or cone, an
//! ellipsoid (all of them quadrics, x.Mx - 2 q.x + k <= 0), a capsule or tablet (three quadrics, joined smoothly
//! or at a sharp rim), or a superquadric (a norm, N(x - p) <= 1). Each is asked for by rays from the origin, which lies inside: where a ray
//! leaves, and which part of a straight line in a half-plane is inside.
//!
//! A half-plane through the polar axis is spanned by two vectors E and N: its directions are D = s E + c N with
//! (s, c) = (sin, cos) of the polar angle. A point of the half-plane is D / g with g = 1 / distance, so a line is a
//! linear function g(s, c), and "inside a quadric" is the sign of a quadratic form in (s, c): nothing is singular at
//! infinity.

use super::superquadric_norm::SuperquadricNorm;
use glam::{DMat3, DVec3};

/// x.Mx - 2 q.x + k <= 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quadric {
    pub matrix: DMat3,
    pub vector: DVec3,
    pub constant: f64,
}

/// A quadric cut by a half-plane: the coefficients of D.MD and q.D as forms in (s, c).
#[derive(Clone, Copy, Debug)]
pub(super) struct Conic {
    ss: f64,
    sc: f64,
    cc: f64,
    s: f64,
    c: f64,
    constant: f64,
}

/// A curved surface of one body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Curved {
    Quadric(Quadric),
    /// Side, upper end, lower end; the axis, and the height of the seams above the origin along it, as well as that of the
    /// centres of the round ends.
    RoundEnded {
        quadrics: [Quadric; 3],
        axis: DVec3,
        seams: [f64; 2],
        centres: [f64; 2],
    },
    Superquadric(SuperquadricNorm),
}

/// A curved surface cut by a half-plane.
#[derive(Clone, Copy, Debug)]
pub(super) enum Section {
    Conic(Conic),
    RoundEnded {
        conics: [Conic; 3],
        /// Axis . E and axis . N.
        axis: [f64; 2],
        seams: [f64; 2],
        is_sharp: bool,
    },
    Superquadric {
        norm: SuperquadricNorm,
        /// E and N in the norm's frame.
        local: [DVec3; 2],
    },
}

/// A line in a half-plane between two directions: points D / g with D = from + share (to - from) and g linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    pub from: [f64; 2],
    pub to: [f64; 2],
    /// 1 / distance at both ends (for the unscaled directions).
    pub inverse: [f64; 2],
}

impl Quadric {
    /// All points within `radius` of a centre.
    pub fn ball(centre: DVec3, radius: f64) -> Quadric {
        let distance = centre.length();
        Quadric { matrix: DMat3::IDENTITY, vector: centre, constant: (distance - radius) * (distance + radius) }
    }

    /// The inside of an endless cone about a line through `point` along the unit vector `axis`: at height z over the
    /// point the radius is `radius + slope z`. Slope zero is a cylinder.
    pub fn cone(point: DVec3, axis: DVec3, radius: f64, slope: f64) -> Quadric {
        let across = point - axis * axis.dot(point);
        let distance = across.length();
        // Radius at the height of the origin.
        let here = radius - slope * axis.dot(point);
        Quadric {
            matrix: DMat3::IDENTITY - outer(axis, axis) * (1.0 + slope * slope),
            vector: across + axis * (slope * here),
            constant: (distance - here) * (distance + here),
        }
    }

    /// An ellipsoid: `turn` takes its own frame to the outer one.
    pub fn ellipsoid(centre: DVec3, turn: &DMat3, semi_axes: DVec3) -> Quadric {
        let scale = semi_axes.min_element();
        let ratios = DVec3::splat(scale) / semi_axes;
        let matrix = *turn * DMat3::from_diagonal(ratios * ratios) * turn.transpose();
        let level = (ratios * (turn.transpose() * centre)).length();
        Quadric { matrix, vector: matrix * centre, constant: (level - scale) * (level + scale) }
    }

    /// Where the ray along `direction` leaves.
    #[inline]
    pub fn exit(&self, direction: DVec3) -> f64 {
        leave(direction.dot(self.matrix * direction), self.vector.dot(direction), self.constant)
    }

    /// Outward normal at a point of the surface, of any length.
    #[inline]
    pub fn gradient(&self, point: DVec3) -> DVec3 {
        self.matrix * point - self.vector
    }

    /// Below zero inside; the size is about the distance to the surface near it.
    pub fn depth(&self, point: DVec3) -> (f64, DVec3) {
        let gradient = self.gradient(point);
        let value = point.dot(self.matrix * point) - 2.0 * self.vector.dot(point) + self.constant;
        let slope = gradient.length();
        // Not the distance far from the surface, but a bound on it by less: value = slope d + d.Md / 2 along the way.
        let root = (slope * slope + value.abs()).sqrt();
        (if slope + root > 0.0 { value / (slope + root) } else { value }, gradient)
    }

    pub fn section(&self, e: DVec3, n: DVec3) -> Conic {
        let me = self.matrix * e;
        let mn = self.matrix * n;
        Conic {
            ss: e.dot(me),
            sc: n.dot(me),
            cc: n.dot(mn),
            s: self.vector.dot(e),
            c: self.vector.dot(n),
            constant: self.constant,
        }
    }
}

/// The smallest positive root of a t^2 - 2 b t + k = 0 for k < 0; infinity when there is none.
#[inline]
fn leave(a: f64, b: f64, k: f64) -> f64 {
    let discriminant = b * b - a * k;
    if discriminant < 0.0 {
        return f64::INFINITY;
    }
    let root = discriminant.sqrt();
    if b > 0.0 && a > 0.0 {
        (b + root) / a
    } else if root - b > 0.0 {
        -k / (root - b)
    } else {
        f64::INFINITY
    }
}

impl Conic {
    #[inline]
    pub fn exit(&self, s: f64, c: f64) -> f64 {
        leave((self.ss * s + 2.0 * self.sc * c) * s + self.cc * c * c, self.s * s + self.c * c, self.constant)
    }

    /// Polar form of the quadratic form a - 2 b g + k g^2 at two directions with their inverse distances.
    #[inline]
    fn polar(&self, d: [f64; 2], g: f64, e: [f64; 2], h: f64) -> f64 {
        let a = self.ss * d[0] * e[0] + self.sc * (d[0] * e[1] + d[1] * e[0]) + self.cc * d[1] * e[1];
        let (b, f) = (self.s * d[0] + self.c * d[1], self.s * e[0] + self.c * e[1]);
        a - b * h - f * g + self.constant * g * h
    }

    /// The part of a chord inside.
    fn inside(&self, chord: &Chord) -> Option<[f64; 2]> {
        let first = self.polar(chord.from, chord.inverse[0], chord.from, chord.inverse[0]);
        let last = self.polar(chord.to, chord.inverse[1], chord.to, chord.inverse[1]);
        let mixed = self.polar(chord.from, chord.inverse[0], chord.to, chord.inverse[1]);
        // first (1-x)^2 + 2 mixed x (1-x) + last x^2 <= 0
        let a = first - 2.0 * mixed + last;
        let b = mixed - first;
        if first <= 0.0 && last <= 0.0 {
            return Some([0.0, 1.0]);
        }
        let discriminant = b * b - a * first;
        if discriminant < 0.0 {
            return None;
        }
        let root = discriminant.sqrt();
        // Where the form rises through zero, and where it falls: each without cancellation.
        let rising = if b > 0.0 { -first / (b + root) } else { (root - b) / a };
        let falling = if b < 0.0 { first / (root - b) } else { (-b - root) / a };
        if first <= 0.0 {
            Some([0.0, rising.clamp(0.0, 1.0)])
        } else if last <= 0.0 {
            Some([falling.clamp(0.0, 1.0), 1.0])
        } else if a > 0.0 && b < 0.0 && a + b > 0.0 {
            // Both ends outside and the lowest value between them.
            Some([falling.clamp(0.0, 1.0), rising.clamp(0.0, 1.0)])
        } else {
            None
        }
    }
}

impl Curved {
    /// Where the ray along `direction` leaves.
    pub fn exit(&self, direction: DVec3, relative_tolerance: f64) -> f64 {
        match self {
            Curved::Quadric(quadric) => quadric.exit(direction),
            Curved::RoundEnded { quadrics, axis, seams, .. } => {
                let t = quadrics[0].exit(direction);
                let height = axis.dot(direction) * t;
                if height > seams[0] || (t.is_infinite() && axis.dot(direction) > 0.0) {
                    quadrics[1].exit(direction)
                } else if height < seams[1] || t.is_infinite() {
                    quadrics[2].exit(direction)
                } else {
                    t
                }
            }
            Curved::Superquadric(norm) => norm.exit(norm.turned(direction), 0.0, relative_tolerance),
        }
    }

    /// Outward normal at a point of the surface, of any length.
    #[inline]
    pub fn gradient(&self, point: DVec3) -> DVec3 {
        match self {
            Curved::Quadric(quadric) => quadric.gradient(point),
            Curved::RoundEnded { quadrics, axis, seams, .. } => {
                let height = axis.dot(point);
                if height > seams[0] {
                    quadrics[1].gradient(point)
                } else if height < seams[1] {
                    quadrics[2].gradient(point)
                } else {
                    quadrics[0].gradient(point)
                }
            }
            Curved::Superquadric(norm) => norm.gradient(point),
        }
    }

    /// Below zero inside, about the distance near the surface; and a gradient.
    pub fn depth(&self, point: DVec3) -> (f64, DVec3) {
        match self {
            Curved::Quadric(quadric) => quadric.depth(point),
            Curved::RoundEnded { quadrics, axis, centres, .. } => {
                // Each end as a ball dragged inwards along the axis: together with the side, convex constraints.
                let height = axis.dot(point);
                let mut deepest = quadrics[0].depth(point);
                for (end, is_beyond) in [(1, height > centres[0]), (2, height < centres[1])] {
                    if is_beyond {
                        let found = quadrics[end].depth(point);
                        deepest = if found.0 > deepest.0 { found } else { deepest };
                    }
                }
                deepest
            }
            Curved::Superquadric(norm) => norm.depth(point),
        }
    }

    /// The cut with the half-plane spanned by E and N.
    pub fn section(&self, e: DVec3, n: DVec3) -> Section {
        match self {
            Curved::Quadric(quadric) => Section::Conic(quadric.section(e, n)),
            Curved::RoundEnded { quadrics, axis, seams, centres } => Section::RoundEnded {
                conics: quadrics.map(|quadric| quadric.section(e, n)),
                axis: [axis.dot(e), axis.dot(n)],
                seams: *seams,
                is_sharp: seams != centres,
            },
            Curved::Superquadric(norm) => {
                Section::Superquadric { norm: *norm, local: [norm.turned(e), norm.turned(n)] }
            }
        }
    }
}

impl Section {
    /// Whether the surface is smooth along the whole section.
    pub fn is_one_piece(&self) -> bool {
        match self {
            Section::Conic(_) => true,
            Section::RoundEnded { .. } => false,
            Section::Superquadric { norm, .. } => norm.seams == 0,
        }
    }

    /// Distance at which the ray leaves, and the piece of the surface: a set of bits. `hint` is a distance that is thought
    /// to be near, `last_step` the relative size of the last step of an iteration.
    #[inline]
    pub fn exit(&self, s: f64, c: f64, hint: f64, last_step: f64) -> (f64, u8) {
        match self {
            Section::Conic(conic) => (conic.exit(s, c), 0),
            Section::RoundEnded { conics, axis, seams, .. } => {
                let t = conics[0].exit(s, c);
                let along = axis[0] * s + axis[1] * c;
                let height = along * t;
                if height > seams[0] || (t.is_infinite() && along > 0.0) {
                    (conics[1].exit(s, c), 1)
                } else if height < seams[1] || t.is_infinite() {
                    (conics[2].exit(s, c), 2)
                } else {
                    (t, 0)
                }
            }
            Section::Superquadric { norm, local } => {
                let direction = s * local[0] + c * local[1];
                let t = norm.exit(direction, hint, last_step);
                (t, norm.piece(t * direction - norm.centre))
            }
        }
    }

    /// Appends the polar angles at which the surface has an edge: where the half-plane meets a tablet's rims. On the plane
    /// of a rim, axis . D t = seam, the side's quadratic form is one in (s, c) alone.
    pub fn sharp_seams(&self, angles: &mut Vec<f64>) {
        let Section::RoundEnded { conics: [side, ..], axis: [e, n], seams, is_sharp: true } = self else { return };
        for seam in *seams {
            let a = side.ss * seam * seam - 2.0 * side.s * seam * e + side.constant * e * e;
            let b = side.sc * seam * seam - seam * (side.s * n + side.c * e) + side.constant * e * n;
            let c = side.cc * seam * seam - 2.0 * side.c * seam * n + side.constant * n * n;
            let discriminant = b * b - a * c;
            if discriminant < 0.0 {
                continue;
            }
            let q = -(b + discriminant.sqrt().copysign(b));
            for (s, c) in [(q, a), (c, q)] {
                let (s, c) = if s < 0.0 { (-s, -c) } else { (s, c) };
                if (e * s + n * c) * seam >= 0.0 {
                    angles.push(s.atan2(c));
                }
            }
        }
    }

    /// A function that changes its sign where the surface passes to a piece that differs in a bit.
    pub fn seam(&self, s: f64, c: f64, bit: usize, last_step: f64) -> f64 {
        match self {
            Section::Conic(_) => 0.0,
            Section::RoundEnded { conics, axis, seams, .. } => {
                let along = axis[0] * s + axis[1] * c;
                // 1 / t is finite where the side is never left.
                along - seams[bit.min(1)] / conics[0].exit(s, c)
            }
            Section::Superquadric { norm, local } => {
                let direction = s * local[0] + c * local[1];
                let t = norm.exit(direction, 0.0, last_step);
                t * direction[bit] - norm.centre[bit]
            }
        }
    }

    /// The part of a chord inside, as shares of it.
    pub fn inside(&self, chord: &Chord) -> Option<[f64; 2]> {
        match self {
            Section::Conic(conic) => conic.inside(chord),
            Section::RoundEnded { conics, axis, seams, .. } => {
                let mut found: Option<[f64; 2]> = None;
                let heights = [[seams[1], seams[0]], [seams[0], f64::INFINITY], [f64::NEG_INFINITY, seams[1]]];
                for (conic, heights) in conics.iter().zip(heights) {
                    let part = conic.inside(chord).and_then(|part| between_heights(part, chord, *axis, heights));
                    let Some(part) = part else { continue };
                    found = Some(found.map_or(part, |f| [f[0].min(part[0]), f[1].max(part[1])]));
                }
                found
            }
            Section::Superquadric { norm, local } => {
                let at = |d: [f64; 2], g: f64| d[0] * local[0] + d[1] * local[1] - g * norm.centre;
                norm.inside([at(chord.from, chord.inverse[0]), at(chord.to, chord.inverse[1])], chord.inverse)
            }
        }
    }
}

/// The share of a part of a chord whose points lie between the two heights along the axis.
fn between_heights(part: [f64; 2], chord: &Chord, axis: [f64; 2], heights: [f64; 2]) -> Option<[f64; 2]> {
    let [mut lower, mut upper] = part;
    let along = |d: [f64; 2]| axis[0] * d[0] + axis[1] * d[1];
    for (seam, sign) in [(heights[1], 1.0), (heights[0], -1.0)] {
        if seam.is_infinite() {
            continue;
        }
        let first = sign * (along(chord.from) - seam * chord.inverse[0]);
        let last = sign * (along(chord.to) - seam * chord.inverse[1]);
        if first > 0.0 && last > 0.0 {
            return None;
        }
        if first > 0.0 {
            lower = lower.max(first / (first - last));
        } else if last > 0.0 {
            upper = upper.min(first / (first - last));
        }
    }
    (lower <= upper).then_some([lower, upper])
}

/// The matrix x -> a (b . x).
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
