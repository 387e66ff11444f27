//! A polyhedron and a superquadric by the method of Peng and Hanley: as published, and guarded.
//!
//! The deepest point X of the superquadric below the plane of a face is its support point (`chart`). Above the plane it proves
//! the bodies apart; below all faces it is a common point. Otherwise the search goes on with the face that X is highest above, and
//! where it comes back to the face before, the edge between the two decides: they touch where the least F on the edge is no more than zero
//! (`segment`). Six cases end it, three of them without a contact:
//!
//! | case | ending | |
//! |---|---|---|
//! | 1 | `initial-face-positive` | X is above the face that looks most towards the superquadric |
//! | 2 | `initial-face` | X is below that face and all others |
//! | 3 | `maximal-face-positive` | X is above a face of the search |
//! | 4 | `maximal-face` | X is below that face and those next to it |
//! | 5 | `search-and-return-apart` | the edge between the last two faces misses the superquadric |
//! | 6 | `edge`, `vertex` | it does not; the contact point is on the edge, or at its end |
//!
//! The contact plane of a face is the face, (10); of an edge it has the mean of both faces' normals, (11); of a vertex the
//! mean of the edges that meet there, (12). The overlap is that of the superquadric with that plane.
//!
//! What the chart does not say has an ending of its own, and the exact answer: `centre-inside` (counted as case 8 in the paper, and not in
//! its chart), `no-common-edge` (the last two faces share none), `search-cap` (nothing in the chart forbids circles).
//!
//! **How it fails.** Case 4 looks at neighbours only, so that it finds contacts that are none; case 5 takes one edge that misses for
//! a proof; the overlap of edges and vertices does not vanish at first touch, by up to 0.29 and 0.42 of a sphere's radius for a cube. The
//! book's page has the rates.
//!
//! **Guarded** ([`PengHanley::Guarded`]): every point is held against all faces; an edge that misses counts only if the gradient of F at its
//! least point is the normal of a plane between the bodies; all else is left to [`crate::narrow::contact`] (ending `exact`). So no verdict is
//! wrong: cases 1, 3 and 5 have a plane between the bodies, 2, 4 and 6 a common point. The normal of an edge or vertex is the
//! gradient of F, and the overlap vanishes at first touch.
//!
//! The misprints of the paper, and what was taken in their place, are in the book.
//!
//! Reference: Peng and Hanley, *Contact detection between convex polyhedra and superquadrics in discrete element codes*, Powder
//! Technology 356 (2019) 11.

mod chart;
mod segment;

use chart::Bodies;
pub use segment::least_on_segment;

use crate::{Contact, Pose, Shape, ShapeKind, Superquadric};
use glam::DVec3;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PengHanley {
    /// The flow chart with its misprints put right.
    AsPublished,
    /// The same with every verdict proven, or left to the exact method.
    Guarded,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Case 1: the deepest point is above the initial face.
    InitialFacePositive,
    /// Case 2: it is below all faces.
    InitialFace,
    /// Case 3: the deepest point is above a face of the search.
    MaximalFacePositive,
    /// Case 4: it is below all faces that are looked at.
    MaximalFace,
    /// Case 5: the edge between two faces misses the superquadric.
    SearchAndReturnApart,
    /// Case 6, within the edge.
    Edge,
    /// Case 6, at an end of the edge.
    Vertex,
    /// Counted as case 8: the centre of the superquadric is inside the polyhedron.
    CentreInside,
    /// The faces of the search share no edge.
    NoCommonEdge,
    /// The search did not end by itself.
    SearchCap,
    /// Guarded: left to the exact method.
    Exact,
}

/// What an ending says of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They share a point.
    Contact,
    /// They do not.
    Apart,
    /// Nothing: the exact answer stands in.
    Open,
}

impl Ending {
    /// All of them, in the order of the cases.
    pub const ALL: [Ending; 11] = [
        Ending::InitialFacePositive,
        Ending::InitialFace,
        Ending::MaximalFacePositive,
        Ending::MaximalFace,
        Ending::SearchAndReturnApart,
        Ending::Edge,
        Ending::Vertex,
        Ending::CentreInside,
        Ending::NoCommonEdge,
        Ending::SearchCap,
        Ending::Exact,
    ];

    /// The paper's number of the case; `None` for what it does not count.
    pub const fn case(self) -> Option<u32> {
        match self {
            Ending::InitialFacePositive => Some(1),
            Ending::InitialFace => Some(2),
            Ending::MaximalFacePositive => Some(3),
            Ending::MaximalFace => Some(4),
            Ending::SearchAndReturnApart => Some(5),
            Ending::Edge | Ending::Vertex => Some(6),
            Ending::CentreInside => Some(8),
            Ending::NoCommonEdge | Ending::SearchCap | Ending::Exact => None,
        }
    }

    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::InitialFacePositive => "initial-face-positive",
            Ending::InitialFace => "initial-face",
            Ending::MaximalFacePositive => "maximal-face-positive",
            Ending::MaximalFace => "maximal-face",
            Ending::SearchAndReturnApart => "search-and-return-apart",
            Ending::Edge => "edge",
            Ending::Vertex => "vertex",
            Ending::CentreInside => "centre-inside",
            Ending::NoCommonEdge => "no-common-edge",
            Ending::SearchCap => "search-cap",
            Ending::Exact => "exact",
        }
    }

    /// What it says of the bodies.
    pub const fn verdict(self) -> Verdict {
        match self {
            Ending::InitialFacePositive | Ending::MaximalFacePositive | Ending::SearchAndReturnApart => Verdict::Apart,
            Ending::InitialFace | Ending::MaximalFace | Ending::Edge | Ending::Vertex => Verdict::Contact,
            Ending::CentreInside | Ending::NoCommonEdge | Ending::SearchCap | Ending::Exact => Verdict::Open,
        }
    }
}

/// What was found of a polyhedron and a superquadric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PengHanleyContact {
    /// How the search ended.
    pub ending: Ending,
    /// How often it went from one face to another.
    pub face_switches: usize,
    /// The contact in a's frame, where the ending is one; its overlap is that with the contact plane.
    pub contact: Option<Contact>,
}

/// Whether the method serves two kinds of shapes: a polyhedron with a superquadric, or with a sphere, which is one.
pub fn has_cases(a: ShapeKind, b: ShapeKind) -> bool {
    let is_round = |kind: ShapeKind| matches!(kind, ShapeKind::Superquadric | ShapeKind::Sphere);
    a == ShapeKind::Polyhedron && is_round(b) || is_round(a) && b == ShapeKind::Polyhedron
}

/// A superquadric, or a sphere as one.
fn as_superquadric(shape: &Shape) -> Option<Superquadric> {
    match shape {
        Shape::Superquadric(superquadric) => Some(*superquadric),
        Shape::Sphere(ball) => Some(Superquadric { semi_axes: DVec3::splat(ball.radius), n1: 2.0, n2: 2.0 }),
        _ => None,
    }
}

/// A polyhedron and a superquadric by the method of Peng and Hanley; `None` for all other shapes. `pose_ab` is b seen from a.
///
/// ```
/// use tumble_geometry::peng_hanley::{Ending, PengHanley, contact_peng_hanley};
/// use tumble_geometry::{DVec3, Pose, Shape, Sphere};
///
/// let cube = Shape::cuboid(DVec3::splat(2.0))?;
/// let ball = Shape::Sphere(Sphere { radius: 1.0 });
/// let beside = Pose::from_position(DVec3::new(1.6, 1.7, 0.2));
/// let found = contact_peng_hanley(&cube, &ball, &beside, PengHanley::AsPublished).unwrap();
/// assert_eq!((found.ending, found.ending.case()), (Ending::Edge, Some(6)));
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn contact_peng_hanley(a: &Shape, b: &Shape, pose_ab: &Pose, version: PengHanley) -> Option<PengHanleyContact> {
    match (a, b) {
        (Shape::Polyhedron(polyhedron), _) => {
            let round = as_superquadric(b)?;
            Some(chart::search(&Bodies::new(polyhedron, &round, pose_ab), version))
        }
        (_, Shape::Polyhedron(polyhedron)) => {
            let round = as_superquadric(a)?;
            let pose = pose_ab.relative(&Pose::IDENTITY);
            let found = chart::search(&Bodies::new(polyhedron, &round, &pose), version);
            let turned = |contact: Contact| Contact {
                normal: -pose_ab.transform_vector(contact.normal),
                separation: contact.separation,
                point_a: pose_ab.transform_point(contact.point_b),
                point_b: pose_ab.transform_point(contact.point_a),
            };
            Some(PengHanleyContact { contact: found.contact.map(turned), ..found })
        }
        _ => None,
    }
}
