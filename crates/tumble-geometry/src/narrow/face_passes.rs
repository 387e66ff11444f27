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

/// A place over which two of what is counted here hang together: triangles first, then contacts.
struct Joint {
    depth: f64,
    /// Number of the edge or contact, so that the order of equal depths is always the same.
    name: u32,
    between: [usize; 2],
    normal: DVec3,
    point: DVec3,
}

/// The passes between contacts, of which there are at least two. `faces` are the triangles whose planes the body reaches through,
/// in order.
pub(super) fn passes_between_faces(
    mesh: &Mesh,
    body: &PlacedShape,
    faces: &[FaceReach],
    small: f64,
    contacts: &[SurfaceContact],
) -> Vec<Pass> {
    let place = |triangle: u32| faces.binary_search_by_key(&triangle, |face| face.triangle).ok();
    let mut joints: Vec<Joint> = Vec::new();
    for (number, contact) in contacts.iter().enumerate() {
        let own = [contact.feature];
        let around = if mesh.is_face(contact.feature) { &own } else { mesh.triangles_at(contact.feature) };
        let joint = |face: usize| Joint {
            depth: -contact.separation,
            name: contact.feature,
            between: [face, faces.len() + number],
            normal: contact.normal,
            point: contact.point,
        };
        joints.extend(around.iter().filter_map(|&triangle| place(triangle)).map(joint));
    }
    for (index, face) in faces.iter().enumerate().filter(|(_, face)| face.separation < 0.0) {
        for k in 0..3 {
            let name = mesh.edge_feature(face.triangle, k);
            for other in mesh.triangles_at(name).iter().filter(|&&other| other > face.triangle) {
                let Some(beyond) = place(*other).filter(|&beyond| faces[beyond].separation < 0.0) else { continue };
                let [start, end] = [k, (k + 1) % 3].map(|corner| mesh.corners(face.triangle)[corner]);
                if let Some((depth, normal, point)) =
                    least_over_edge(body, [face, &faces[beyond]], start, end - start, small)
                {
                    joints.push(Joint { depth, name, between: [index, beyond], normal, point });
                }
            }
        }
    }
    joints.retain(|joint| joint.depth > 0.0);
    joints.sort_by(|a, b| b.depth.total_cmp(&a.depth).then((a.name, a.between).cmp(&(b.name, b.between))));
    let mut group: Vec<usize> = (0..faces.len() + contacts.len()).collect();
    // The contact of each group, the deepest.
    let mut contact_of: Vec<Option<usize>> = (0..group.len()).map(|k| k.checked_sub(faces.len())).collect();
    let mut passes = Vec::new();
    for joint in &joints {
        let [a, b] = joint.between.map(|which| group[which]);
        if a == b {
            continue;
        }
        contact_of[a] = match (contact_of[a], contact_of[b]) {
            (Some(one), Some(other)) => {
                let at = SurfaceContact::new(0, joint.normal, -joint.depth, joint.point);
                passes.push(Pass::new([one, other], at));
                Some(if contacts[other].separation < contacts[one].separation { other } else { one })
            }
            (one, other) => one.or(other),
        };
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
    }
    passes
}

/// The least depth over the normals of an edge from one triangle at it to the other, with its normal and the point on the plane;
/// `None` if they do not hang together.
fn least_over_edge(
    body: &PlacedShape,
    faces: [&FaceReach; 2],
    start: DVec3,
    edge: DVec3,
    small: f64,
) -> Option<(f64, DVec3, DVec3)> {
    let [first, last] = faces.map(|face| face.normal);
    let (cosine, along) = (first.dot(last), edge.normalize_or_zero());
    if cosine < GOES_OVER.cos() {
        return None;
    }
    let [one, other] = faces.map(|face| (-face.separation, face.normal, face.contact().point));
    let least_of_two = if other.0 < one.0 { other } else { one };
    let across = along.cross(first);
    let sine = if across.dot(last) < 0.0 { -across } else { across };
    let angle = sine.dot(last).atan2(cosine);
    if angle <= 0.0 {
        return Some(least_of_two);
    }
    let fan = DirectionFan { constant: DVec3::ZERO, cosine: first, sine, origin: start };
    let least = fan.least_reach(body, 0.0, angle, small);
    let depth = least.direction.dot(least.point - start);
    if depth >= least_of_two.0 {
        return Some(least_of_two);
    }
    Some((depth, least.direction, least.point - least.direction * depth))
}
