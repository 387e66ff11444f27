//! The passes between places of a mesh that a shape reaches farthest through (blend.rs): part of contact_convex_mesh.rs.
//!
//! The depth of a body along a normal n, measured from an edge, is that against the plane across n through the edge. From one
//! triangle at the edge to the other n turns, and the depth goes from that of the one to that of the other. On the way it
//! may fall: over a groove two places of a ball reach deep and none between them. So triangles hang together over the edges
//! between them down to the least depth over the normals of the edge, and two contacts are joined by the edge over which they hang together
//! deepest, be there many triangles between them. The least depth is stationary, or that of one of the triangles, so that its gradient is that
//! of the depth with the normal held still. How a flat piece is divided does not matter: over its seams the depth is that of the piece.
//!
//! Triangles that turn by more than [`GOES_OVER`] do not hang together.

use super::blend::Pass;
use super::direction_fan::DirectionFan;
use super::face_reach::{FaceReach, GOES_OVER};
use super::placed_shape::PlacedShape;
use crate::SurfaceContact;
use crate::surface::Mesh;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A place over which two of what is counted here hang together: triangles first, then contacts.
struct Joint {
    /// How deep, or no more than that if the place is not known.
    depth: f64,
    place: Option<Place>,
    /// Number of the edge or contact, so that the order of equal depths is always the same.
    name: u32,
    between: [usize; 2],
}

#[derive(Clone, Copy)]
struct Place {
    normal: DVec3,
    point: DVec3,
}

impl Joint {
    /// What comes first is larger: the deeper, then what is not known yet, then the lower number.
    fn order(&self, other: &Joint) -> Ordering {
        let by_name = || (other.name, other.between).cmp(&(self.name, self.between));
        let is_known = |joint: &Joint| joint.place.is_some();
        self.depth.total_cmp(&other.depth).then(is_known(other).cmp(&is_known(self))).then_with(by_name)
    }
}

impl Ord for Joint {
    fn cmp(&self, other: &Joint) -> Ordering {
        self.order(other)
    }
}

impl PartialOrd for Joint {
    fn partial_cmp(&self, other: &Joint) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Joint {
    fn eq(&self, other: &Joint) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Joint {}

/// The passes between contacts, of which there are at least two. `faces` are the triangles whose planes the body reaches through,
/// in order.
///
/// Triangles hang together no deeper than the less deep of them is. So the edge between them is looked at only when its turn comes by
/// that, and not at all if they hang together already or all contacts do.
pub(super) fn passes_between_faces(
    mesh: &Mesh,
    body: &PlacedShape,
    faces: &[FaceReach],
    small: f64,
    contacts: &[SurfaceContact],
) -> Vec<Pass> {
    let place = |triangle: u32| faces.binary_search_by_key(&triangle, |face| face.triangle).ok();
    let mut joints: BinaryHeap<Joint> = BinaryHeap::new();
    let mut n_apart = 0;
    for (number, contact) in contacts.iter().enumerate().filter(|(_, contact)| contact.separation < 0.0) {
        let own = [contact.feature];
        let around = if mesh.is_face(contact.feature) { &own } else { mesh.triangles_at(contact.feature) };
        let joint = |face: usize| Joint {
            depth: -contact.separation,
            place: Some(Place { normal: contact.normal, point: contact.point }),
            name: contact.feature,
            between: [face, faces.len() + number],
        };
        let before = joints.len();
        joints.extend(around.iter().filter_map(|&triangle| place(triangle)).map(joint));
        n_apart += usize::from(joints.len() > before);
    }
    for (index, face) in faces.iter().enumerate().filter(|(_, face)| face.separation < 0.0) {
        for k in 0..3 {
            let name = mesh.edge_feature(face.triangle, k);
            for other in mesh.triangles_at(name).iter().filter(|&&other| other > face.triangle) {
                let Some(beyond) = place(*other).filter(|&beyond| faces[beyond].separation < 0.0) else { continue };
                let goes_over = face.normal.dot(faces[beyond].normal) >= GOES_OVER.cos();
                if goes_over {
                    let depth = -face.separation.max(faces[beyond].separation);
                    joints.push(Joint { depth, place: None, name, between: [index, beyond] });
                }
            }
        }
    }
    let mut group: Vec<usize> = (0..faces.len() + contacts.len()).collect();
    // The contact of each group, the deepest.
    let mut contact_of: Vec<Option<usize>> = (0..group.len()).map(|k| k.checked_sub(faces.len())).collect();
    let mut passes = Vec::new();
    while let Some(joint) = joints.pop() {
        if n_apart < 2 {
            break;
        }
        let [a, b] = joint.between.map(|which| group[which]);
        if a == b {
            continue;
        }
        let Some(Place { normal, point }) = joint.place else {
            let [one, other] = joint.between.map(|which| &faces[which]);
            if let Some([start, end]) = edge_of(mesh, one.triangle, joint.name) {
                let (depth, normal, point) = least_over_edge(body, [one, other], start, end - start, small);
                if depth > 0.0 {
                    joints.push(Joint { depth, place: Some(Place { normal, point }), ..joint });
                }
            }
            continue;
        };
        contact_of[a] = match (contact_of[a], contact_of[b]) {
            (Some(one), Some(other)) => {
                let at = SurfaceContact::new(0, normal, -joint.depth, point);
                passes.push(Pass::new([one, other], at));
                n_apart -= 1;
                Some(if contacts[other].separation < contacts[one].separation { other } else { one })
            }
            (one, other) => one.or(other),
        };
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
    }
    passes
}

/// The ends of an edge of a triangle, by its number.
fn edge_of(mesh: &Mesh, triangle: u32, name: u32) -> Option<[DVec3; 2]> {
    let k = (0..3).find(|&k| mesh.edge_feature(triangle, k) == name)?;
    Some([k, (k + 1) % 3].map(|corner| mesh.corners(triangle)[corner]))
}

/// The least depth over the normals of an edge from one triangle at it to the other, with its normal and the point on the plane.
fn least_over_edge(
    body: &PlacedShape,
    faces: [&FaceReach; 2],
    start: DVec3,
    edge: DVec3,
    small: f64,
) -> (f64, DVec3, DVec3) {
    let [first, last] = faces.map(|face| face.normal);
    let (cosine, along) = (first.dot(last), edge.normalize_or_zero());
    let [one, other] = faces.map(|face| (-face.separation, face.normal, face.contact().point));
    let least_of_two = if other.0 < one.0 { other } else { one };
    let across = along.cross(first);
    let sine = if across.dot(last) < 0.0 { -across } else { across };
    let angle = sine.dot(last).atan2(cosine);
    if angle <= 0.0 {
        return least_of_two;
    }
    let fan = DirectionFan { constant: DVec3::ZERO, cosine: first, sine, origin: start };
    if body.measured.is_some() {
        // The side on which less comes to be beyond a plane that turns about the edge, away from either triangle.
        for (end, loses, own) in [(0.0, -1.0, one), (angle, 1.0, other)] {
            let (normal, slope) = fan.at(end);
            if let Some([behind]) = body.reaches_beyond(normal, normal.dot(start), start, [slope * loses])
                && behind <= 0.0
            {
                return own;
            }
        }
    }
    let least = fan.least_reach(body, 0.0, angle, small);
    let depth = least.direction.dot(least.point - start);
    if depth >= least_of_two.0 {
        return least_of_two;
    }
    (depth, least.direction, least.point - least.direction * depth)
}
