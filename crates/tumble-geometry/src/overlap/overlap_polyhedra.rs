//! Two convex polyhedra, and a convex polyhedron in a half-space: exact, by cutting one body with the planes of the
//! other ([`ClippedPolyhedron`](super::clipped_polyhedron::ClippedPolyhedron)).
//!
//! The body with more vertices is the one that is cut. The first plane is the one that leaves least of it; after that cut
//! little is left, and most of the other planes miss it, which costs one pass over a few vertices each.
//!
//! Valid for all convex polyhedra. The region of a pair that only touches has no volume and is `None`.

use super::OverlapRegion;
use super::clipped_polyhedron::{ClippedPolyhedron, Owner};
use crate::tolerance::ON_PLANE;
use crate::{Polyhedron, Pose};
use glam::{DMat3, DVec3};

/// The region shared by polyhedra a and b; `None` when they share no volume. `pose_ab` is b seen from a; the answer is in
/// a's frame.
pub(super) fn overlap_polyhedra(
    a: &Polyhedron,
    b: &Polyhedron,
    pose_ab: &Pose,
    clipped: &mut ClippedPolyhedron,
) -> Option<OverlapRegion> {
    let turn = DMat3::from_quat(pose_ab.orientation);
    let tolerance = ON_PLANE * (a.bounding_radius() + b.bounding_radius());
    if a.vertices().len() >= b.vertices().len() {
        clipped.start(a, Owner::A, |v| v);
        let place = |normal: DVec3, offset: f64| {
            let normal = turn * normal;
            (normal, offset + normal.dot(pose_ab.position))
        };
        cut_by_all_faces(b, place, tolerance, Owner::B, clipped);
        clipped.region()
    } else {
        clipped.start(b, Owner::B, |v| turn * v + pose_ab.position);
        cut_by_all_faces(a, |normal, offset| (normal, offset), tolerance, Owner::A, clipped);
        clipped.region()
    }
}

/// The part of a polyhedron at z <= 0; `None` when there is none. The answer is in the half-space's frame.
pub(super) fn overlap_polyhedron_half_space(
    polyhedron: &Polyhedron,
    pose: &Pose,
    clipped: &mut ClippedPolyhedron,
) -> Option<OverlapRegion> {
    let turn = DMat3::from_quat(pose.orientation);
    clipped.start(polyhedron, Owner::A, |v| turn * v + pose.position);
    clipped.cut(DVec3::Z, 0.0, ON_PLANE * polyhedron.bounding_radius(), Owner::B);
    clipped.region()
}

fn cut_by_all_faces(
    cutter: &Polyhedron,
    place: impl Fn(DVec3, f64) -> (DVec3, f64),
    tolerance: f64,
    owner: Owner,
    clipped: &mut ClippedPolyhedron,
) {
    let middle = clipped.middle();
    let mut first = (f64::NEG_INFINITY, 0);
    for (index, face) in cutter.faces().iter().enumerate() {
        let (normal, offset) = place(face.normal, face.offset);
        let height = normal.dot(middle) - offset;
        if height > first.0 {
            first = (height, index);
        }
    }
    let others = (0..cutter.faces().len()).filter(|&index| index != first.1);
    for index in std::iter::once(first.1).chain(others) {
        let Some(face) = cutter.faces().get(index) else { continue };
        let (normal, offset) = place(face.normal, face.offset);
        clipped.cut(normal, offset, tolerance, owner);
        if clipped.is_empty() {
            return;
        }
    }
}
