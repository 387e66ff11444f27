//! The contact point: the classical one, and Liu's by what touches the common plane.
//!
//! P1 and P2 are the vertices nearest to the plane, n its normal from body 1 to body 2, F = (P1 + P2)/2 its reference point.
//! All points are on the plane, half way between the bodies.
//!
//! | kind | point | equations |
//! |---|---|---|
//! | corner-corner | (P1 + P2)/2 | (3) |
//! | corner of 1 with edge or face | P1 + gap n/2 | (1), (4) |
//! | edge or face with corner of 2 | P2 - gap n/2 | (2), (5) |
//! | edge-edge | where they cross, seen along n; of parallel ones the middle of what they share | (7), (8) |
//! | edge-face | the middle of what the face leaves of the edge | (9) to (15) |
//! | face-face | the centroid of what they share; or the mean of where their outlines cross | ; (16), (17) |
//!
//! Edges and faces are seen along n: v' = v - (n . (v - F)) n (6), in two coordinates about F.

use super::FacePoint;
use crate::narrow::common_patch::Flat;
use crate::narrow::placed_shape::Patch;
use crate::tolerance;
use glam::{DVec2, DVec3};

/// What touches the common plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// A corner on either side.
    CornerCorner,
    /// A corner and an edge.
    CornerEdge,
    /// A corner and a face.
    CornerFace,
    /// Two edges, crossed or parallel.
    EdgeEdge,
    /// An edge and a face.
    EdgeFace,
    /// Two faces.
    FaceFace,
}

impl ContactKind {
    /// All, from corners to faces. Polygons have those without a face.
    pub const ALL: [ContactKind; 6] = [
        ContactKind::CornerCorner,
        ContactKind::CornerEdge,
        ContactKind::CornerFace,
        ContactKind::EdgeEdge,
        ContactKind::EdgeFace,
        ContactKind::FaceFace,
    ];

    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            ContactKind::CornerCorner => "corner-corner",
            ContactKind::CornerEdge => "corner-edge",
            ContactKind::CornerFace => "corner-face",
            ContactKind::EdgeEdge => "edge-edge",
            ContactKind::EdgeFace => "edge-face",
            ContactKind::FaceFace => "face-face",
        }
    }

    pub(super) fn of(a: &Patch, b: &Patch) -> ContactKind {
        let n = [a.corners().len(), b.corners().len()].map(|n| n.min(3));
        match (n[0].min(n[1]), n[0].max(n[1])) {
            (..=1, ..=1) => ContactKind::CornerCorner,
            (..=1, 2) => ContactKind::CornerEdge,
            (..=1, _) => ContactKind::CornerFace,
            (_, ..=2) => ContactKind::EdgeEdge,
            (2, _) => ContactKind::EdgeFace,
            _ => ContactKind::FaceFace,
        }
    }
}

/// A common plane with what touches it on either side.
pub(super) struct Touching<'a> {
    /// The vertex nearest to the plane, of each body.
    pub vertices: [DVec3; 2],
    /// The corner, edge or face nearest to it.
    pub parts: [&'a Patch; 2],
    pub normal: DVec3,
    pub gap: f64,
    /// How far what touches may be off the plane [m].
    pub slack: f64,
    pub size: f64,
}

impl Touching<'_> {
    /// The reference point, which is the classical contact point: half way between the nearest vertices.
    pub fn reference(&self) -> DVec3 {
        0.5 * (self.vertices[0] + self.vertices[1])
    }

    /// Liu's contact point; `None` if the two edges or faces share no point, seen along the normal.
    pub fn point(&self, face_point: FacePoint) -> Option<DVec3> {
        let [p1, p2] = self.vertices;
        let to_plane = 0.5 * self.gap * self.normal;
        let [n1, n2] = self.parts.map(|part| part.corners().len());
        match (n1, n2) {
            (..=1, ..=1) => return Some(self.reference()),
            (..=1, _) => return Some(p1 + to_plane),
            (_, ..=1) => return Some(p2 - to_plane),
            _ => {}
        }
        let (x, y) = self.normal.any_orthonormal_pair();
        let origin = self.reference();
        let seen =
            |part: &Patch| Flat::new(part.corners().iter().map(|c| DVec2::new(x.dot(*c - origin), y.dot(*c - origin))));
        let [a, b] = self.parts.map(seen);
        let hair = tolerance::LIES_FLAT * self.size;
        let shared = || if n1 == 2 { a.clipped(&b, hair).middle() } else { b.clipped(&a, hair).middle() };
        let middle = match (n1, n2, face_point) {
            (2, 2, _) => common_to_edges(a.corners(), b.corners(), self.slack),
            (2, _, _) | (_, 2, _) | (_, _, FacePoint::Centroid) => shared(),
            (_, _, FacePoint::Crossings) => mean_crossing(a.corners(), b.corners(), hair).or_else(shared),
        }?;
        Some(origin + x * middle.x + y * middle.y)
    }
}

/// Where two lines cross, or the middle of what parallel ones share; those no farther apart than `slack` are on one line.
fn common_to_edges(a: &[DVec2], b: &[DVec2], slack: f64) -> Option<DVec2> {
    let along = a[1] - a[0];
    let across = along.perp_dot(b[1] - b[0]);
    if across.abs() > tolerance::LIES_FLAT * along.length() * (b[1] - b[0]).length() {
        return crossing([a[0], a[1]], [b[0], b[1]], tolerance::LIES_FLAT);
    }
    let length = along.length();
    if along.perp_dot(b[0] - a[0]).abs() > slack * length {
        return None;
    }
    let place = |p: DVec2| (p - a[0]).dot(along) / (length * length);
    let (p, q) = (place(b[0]), place(b[1]));
    let (low, high) = (p.min(q).max(0.0), p.max(q).min(1.0));
    (low <= high + tolerance::LIES_FLAT).then(|| a[0] + along * (0.5 * (low + high)))
}

/// The point that two lines have in common; `None` of parallel ones, and of those that end before.
fn crossing(a: [DVec2; 2], b: [DVec2; 2], beyond: f64) -> Option<DVec2> {
    let (along_a, along_b) = (a[1] - a[0], b[1] - b[0]);
    let across = along_a.perp_dot(along_b);
    let t = (b[0] - a[0]).perp_dot(along_b) / across;
    let u = (b[0] - a[0]).perp_dot(along_a) / across;
    let range = -beyond..=1.0 + beyond;
    (range.contains(&t) && range.contains(&u)).then(|| a[0] + along_a * t)
}

/// Equations (16) and (17): the mean of the points in which the outlines of two polygons cross; `None` if there are fewer than
/// two. Points nearer to each other than `same` are one.
fn mean_crossing(a: &[DVec2], b: &[DVec2], same: f64) -> Option<DVec2> {
    let side = |corners: &[DVec2], k: usize| [corners[k], corners[(k + 1) % corners.len()]];
    let mut found: Vec<DVec2> = Vec::new();
    for i in 0..a.len() {
        for j in 0..b.len() {
            if let Some(point) = crossing(side(a, i), side(b, j), 0.0)
                && found.iter().all(|other| other.distance(point) > same)
            {
                found.push(point);
            }
        }
    }
    (found.len() > 1).then(|| found.iter().sum::<DVec2>() / found.len() as f64)
}
