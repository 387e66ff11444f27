//! Two convex polyhedra, and a convex polyhedron in a half-space: exact, by cutting one body with the planes of the
//! other.
//!
//! Bodies that meet at an edge of each share a tetrahedron ([`crossed_edges`]). Otherwise bodies of few faces keep parts of themselves that mostly have the form of the region already ([`SharedPart`]). Of others
//! ([`ClippedPolyhedron`]) the first plane is that of a face of the other that looks at the body: what lies beyond it hangs together, and only that is taken
//! up. Each corner of what is left is then asked whether it is inside the other; if not, the face through which one gets there from the
//! inside is the next plane. A corner that is inside stays, so that each is asked once, and only faces that cut something are used:
//! how many others the bodies have hardly matters.
//!
//! Valid for all convex polyhedra. The region of a pair that only touches has no volume and is `None`.

use super::OverlapRegion;
use super::clipped_polyhedron::{ClippedPolyhedron, Owner};
use super::crossed_edges::crossed_edges;
use super::region_of_part::region_of_part;
use super::shared_part::{SharedPart, first_cutter};
use crate::roof::{Corners, MOST_NEAR, RoofPlane};
use crate::tolerance::ON_PLANE;
use crate::{Polyhedron, Pose};
use glam::{DMat3, DVec3};

/// Lists for regions of polyhedra.
#[derive(Clone, Debug, Default)]
pub(super) struct PolyhedraWorkspace {
    part: SharedPart<3>,
    visited: Vec<u8>,
    clipped: ClippedPolyhedron,
}

/// Whether a polyhedron keeps parts of itself.
fn keeps_parts(polyhedron: &Polyhedron) -> bool {
    polyhedron.faces().len() <= MOST_NEAR && !Corners::<3>::corners(polyhedron.whole_part()).is_empty()
}

/// The region shared by polyhedra a and b; `None` when they share no volume. `pose_ab` is b seen from a, `normal` a direction from a
/// to b along which they overlap little; the answer is in a's frame.
pub(super) fn overlap_polyhedra(
    a: &Polyhedron,
    b: &Polyhedron,
    pose_ab: &Pose,
    normal: DVec3,
    workspace: &mut PolyhedraWorkspace,
) -> Option<OverlapRegion> {
    if let Some(found) = crossed_edges([a, b], normal, pose_ab).and_then(|shared| shared.region()) {
        return Some(found);
    }
    if keeps_parts(a) && keeps_parts(b) {
        by_parts(a, b, pose_ab, normal, workspace)
    } else {
        by_clipping(a, b, pose_ab, normal, &mut workspace.clipped)
    }
}

/// The same for bodies of few faces.
fn by_parts(
    a: &Polyhedron,
    b: &Polyhedron,
    pose_ab: &Pose,
    normal: DVec3,
    PolyhedraWorkspace { part, visited, .. }: &mut PolyhedraWorkspace,
) -> Option<OverlapRegion> {
    let tolerance = ON_PLANE * (a.bounding_radius() + b.bounding_radius());
    let pose_ba = pose_ab.relative(&Pose::IDENTITY);
    let (is_a_cut, first) = first_cutter([a, b], normal, &pose_ba);
    if is_a_cut {
        part.take_shared([a, b], first, pose_ab, tolerance)?;
        return region_of_part(part, a.faces(), visited);
    }
    part.take_shared([b, a], first, &pose_ba, tolerance)?;
    let found = region_of_part(part, b.faces(), visited)?.transformed(pose_ab);
    Some(OverlapRegion { vector_area: -found.vector_area, first_moment: -found.first_moment, ..found })
}

/// The same for bodies of many faces.
fn by_clipping(
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
    PolyhedraWorkspace { part, visited, clipped }: &mut PolyhedraWorkspace,
) -> Option<OverlapRegion> {
    let turn = DMat3::from_quat(pose.orientation);
    let tolerance = ON_PLANE * polyhedron.bounding_radius();
    let own = (turn.transpose() * DVec3::Z, -pose.position.z);
    if keeps_parts(polyhedron) {
        let plane = RoofPlane { normal: own.0, offset: own.1 };
        part.take_behind(polyhedron, plane, tolerance)?;
        return region_of_part(part, polyhedron.faces(), visited).map(|found| found.transformed(pose));
    }
    clipped.start_inside(polyhedron, Owner::A, own, tolerance, |v| turn * v + pose.position);
    clipped.region()
}

/// Cuts what was begun with inside the `first` face of the cutter by all its other faces that reach it.
fn cut_by_faces(
    cutter: &Polyhedron,
    first: usize,
    placed: impl Fn(usize) -> (DVec3, f64),
    own: impl Fn(DVec3) -> DVec3,
    tolerance: f64,
    owner: Owner,
    clipped: &mut ClippedPolyhedron,
) {
    let mut next = 0;
    let mut face = first;
    while let Some((place, vertex)) = clipped.vertex_from(next) {
        face = beyond(cutter, own(place), face);
        let (normal, offset) = placed(face);
        let height = normal.dot(place) - offset;
        if height > tolerance {
            clipped.cut(vertex, (normal, offset), tolerance, owner);
        }
        next = vertex + 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;
    use crate::{Shape, narrow};

    fn solids(random: &mut Sequence) -> Vec<Shape> {
        let hull = |n: usize, random: &mut Sequence| {
            let points: Vec<DVec3> = (0..n).map(|_| random.direction() * DVec3::new(1.0, 0.7, 0.8)).collect();
            Polyhedron::from_points(&points).ok().map(Shape::Polyhedron)
        };
        let boxes = [DVec3::ONE, DVec3::new(2.0, 0.3, 0.1)].map(|size| Shape::cuboid(size).unwrap());
        let hulls: Vec<Shape> = [4, 5, 6, 8, 12, 20, 40, 60, 250].into_iter().filter_map(|n| hull(n, random)).collect();
        boxes.into_iter().chain(hulls).collect()
    }

    /// From parts that bodies keep, from edges that cross, and face by face: ways that have nothing in common but the planes.
    #[test]
    fn parts_crossed_edges_and_clipping_give_the_same_regions() {
        let mut random = Sequence::new(15);
        let solids = solids(&mut random);
        let mut workspace = PolyhedraWorkspace::default();
        let (mut n_regions, mut n_crossed) = (0, 0);
        for shape_a in &solids {
            for shape_b in &solids {
                let (Shape::Polyhedron(a), Shape::Polyhedron(b)) = (shape_a, shape_b) else { continue };
                for k in 0..12 {
                    let start = Pose::new(random.direction(), random.orientation());
                    let contact = narrow::contact(shape_a, shape_b, &start).unwrap();
                    let depth = random.between_in_ratio(1e-4, 0.3);
                    let position = start.position - contact.normal * (contact.separation + depth);
                    let pose = Pose::new(position, start.orientation);
                    // Any direction gives the same answer.
                    let normal = if k % 4 == 0 { random.direction() } else { contact.normal };
                    let crossed = crossed_edges([a, b], normal, &pose);
                    n_crossed += usize::from(crossed.is_some());
                    let found = match crossed {
                        Some(crossed) if k % 2 == 1 => crossed.region(),
                        _ => by_parts(a, b, &pose, normal, &mut workspace),
                    };
                    let clipped = by_clipping(a, b, &pose, contact.normal, &mut workspace.clipped);
                    let (Some(found), Some(clipped)) = (found, clipped) else {
                        assert!(found.is_none() && clipped.is_none(), "{found:?} {clipped:?}");
                        continue;
                    };
                    n_regions += 1;
                    let area = clipped.surface_area;
                    let off = [
                        (found.volume / clipped.volume - 1.0).abs(),
                        (found.centroid - clipped.centroid).length(),
                        (found.surface_area / area - 1.0).abs(),
                        (found.vector_area - clipped.vector_area).length() / area,
                        (found.first_moment - clipped.first_moment).length() / area,
                    ];
                    assert!(off.iter().all(|off| *off < 1e-9), "{off:?} at {pose:?}: {found:?} {clipped:?}");
                }
            }
        }
        assert!(n_regions > 1000 && n_crossed > 100, "{n_regions} {n_crossed}");
    }
}
