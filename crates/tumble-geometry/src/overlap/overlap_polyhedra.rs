//! Two convex polyhedra, and a convex polyhedron in a half-space: exact, by cutting one body with the planes of the
//! other ([`ClippedPolyhedron`](super::clipped_polyhedron::ClippedPolyhedron)).
//!
//! The first plane is that of a face of the other that looks at the body: what lies beyond it hangs together, and only that is taken
//! up. Each corner of what is left is then asked whether it is inside the other; if not, the face through which one gets there from the
//! inside is the next plane. A corner that is inside stays, so that each is asked once, and only faces that cut something are used:
//! how many others the bodies have hardly matters.
//!
//! Valid for all convex polyhedra. The region of a pair that only touches has no volume and is `None`.

use super::OverlapRegion;
use super::clipped_polyhedron::{ClippedPolyhedron, Owner};
use crate::tolerance::ON_PLANE;
use crate::{Polyhedron, Pose};
use glam::{DMat3, DVec3};

/// The region shared by polyhedra a and b; `None` when they share no volume. `pose_ab` is b seen from a, `normal` a direction from a
/// to b along which they overlap little; the answer is in a's frame.
pub(super) fn overlap_polyhedra(
    a: &Polyhedron,
    b: &Polyhedron,
    pose_ab: &Pose,
    normal: DVec3,
    clipped: &mut ClippedPolyhedron,
) -> Option<OverlapRegion> {
    let turn = DMat3::from_quat(pose_ab.orientation);
    let (to_a, to_b) =
        (|point: DVec3| turn * point + pose_ab.position, |point: DVec3| turn.transpose() * (point - pose_ab.position));
    let tolerance = ON_PLANE * (a.bounding_radius() + b.bounding_radius());
    if a.vertices().len() >= b.vertices().len() {
        let placed = |face: usize| {
            let face = &b.faces()[face];
            let normal = turn * face.normal;
            (normal, face.offset + normal.dot(pose_ab.position))
        };
        let first = b.facing(turn.transpose() * -normal);
        clipped.start_inside(a, Owner::A, placed(first), tolerance, |v| v);
        cut_by_faces(b, first, placed, to_b, tolerance, Owner::B, clipped);
    } else {
        let placed = |face: usize| (a.faces()[face].normal, a.faces()[face].offset);
        let first = a.facing(normal);
        let (normal, offset) = placed(first);
        let own = (turn.transpose() * normal, offset - normal.dot(pose_ab.position));
        clipped.start_inside(b, Owner::B, own, tolerance, to_a);
        cut_by_faces(a, first, placed, |point| point, tolerance, Owner::A, clipped);
    }
    clipped.region()
}

/// The part of a polyhedron at z <= 0; `None` when there is none. The answer is in the half-space's frame.
pub(super) fn overlap_polyhedron_half_space(
    polyhedron: &Polyhedron,
    pose: &Pose,
    clipped: &mut ClippedPolyhedron,
) -> Option<OverlapRegion> {
    let turn = DMat3::from_quat(pose.orientation);
    let tolerance = ON_PLANE * polyhedron.bounding_radius();
    let own = (turn.transpose() * DVec3::Z, -pose.position.z);
    clipped.start_inside(polyhedron, Owner::A, own, tolerance, |v| turn * v + pose.position);
    clipped.cut(DVec3::Z, 0.0, tolerance, Owner::B);
    clipped.region()
}

/// Cuts what was begun with inside the `first` face of the cutter by all its faces that reach it.
fn cut_by_faces(
    cutter: &Polyhedron,
    first: usize,
    placed: impl Fn(usize) -> (DVec3, f64),
    own: impl Fn(DVec3) -> DVec3,
    tolerance: f64,
    owner: Owner,
    clipped: &mut ClippedPolyhedron,
) {
    let (normal, offset) = placed(first);
    clipped.cut(normal, offset, tolerance, owner);
    let mut place = 0;
    let mut face = first;
    while let Some((vertex, next)) = clipped.vertex_from(place) {
        face = beyond(cutter, own(vertex), face);
        let (normal, offset) = placed(face);
        let height = normal.dot(vertex) - offset;
        if height <= tolerance || height.is_nan() {
            place = next;
        } else {
            clipped.cut(normal, offset, tolerance, owner);
        }
    }
}

/// The face that a point is beyond if it is beyond any.
#[inline]
fn beyond(polyhedron: &Polyhedron, point: DVec3, from: usize) -> usize {
    let found = polyhedron.web().face_towards(point, from as u32).map(|face| face as usize);
    found.unwrap_or_else(|| {
        let height = |face: usize| polyhedron.faces()[face].normal.dot(point) - polyhedron.faces()[face].offset;
        (0..polyhedron.faces().len()).max_by(|&x, &y| height(x).total_cmp(&height(y))).unwrap_or(from)
    })
}
