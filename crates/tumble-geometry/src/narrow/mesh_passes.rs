//! The passes between places of a mesh that are nearest to a ball (blend.rs): part of contact_sphere_mesh.rs.
//!
//! A ball that shrinks loses the triangles of a mesh one after the other. Those that it still reaches hang together over the
//! edges and corners that it still reaches, since what it covers of a triangle is convex. So parts of the mesh that the ball
//! covers part and end in the order of the distances of triangles, edges and corners, and two contacts are joined by the edge or
//! corner over which their parts hang together longest. What does not begin a part of its own, as a triangle whose nearest point
//! is on the edge of a nearer one, has its edge as near as itself, and leaves nothing. It does not matter how the mesh is
//! divided.
//!
//! Triangles that meet without a common edge, because they were listed with corners that differ, are joined where the point of a
//! contact of the one lies on the other.

use super::blend::Pass;
use crate::SurfaceContact;
use crate::surface::Mesh;
use glam::DVec3;

/// A place over which two triangles hang together.
struct Joint {
    distance: f64,
    /// Number of the edge, corner or contact, so that the order of equal distances is always the same.
    name: u32,
    triangles: [usize; 2],
    point: DVec3,
}

/// The passes between contacts of a ball, of which there are at least two. `visit` shows the triangles within its reach.
pub(super) fn passes_on_mesh(
    mesh: &Mesh,
    centre: DVec3,
    radius: f64,
    same_point: f64,
    contacts: &[SurfaceContact],
    visit: impl FnOnce(&mut dyn FnMut(u32)),
) -> Vec<Pass> {
    let mut triangles: Vec<u32> = Vec::new();
    visit(&mut |triangle| {
        if mesh.nearest(triangle, centre).1.distance < radius {
            triangles.push(triangle);
        }
    });
    triangles.sort_unstable();
    let place = |triangle: u32| triangles.binary_search(&triangle).ok();
    let mut joints: Vec<Joint> = Vec::new();
    for (index, &triangle) in triangles.iter().enumerate() {
        let corners = mesh.corners(triangle);
        for k in 0..3 {
            let (start, end) = (corners[k], corners[(k + 1) % 3]);
            let along = end - start;
            let fraction = ((centre - start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let ends =
                [(mesh.edge_feature(triangle, k), start + along * fraction), (mesh.vertex_feature(triangle, k), start)];
            for (name, point) in ends {
                let distance = point.distance(centre);
                let others = mesh.triangles_at(name);
                // Each is looked at once, with the first of its triangles: if it is within reach, all of them are.
                if distance < radius && others.first() == Some(&triangle) {
                    let others = others[1..].iter().filter_map(|&other| place(other));
                    joints.extend(others.map(|other| Joint { distance, name, triangles: [index, other], point }));
                }
            }
        }
    }
    // The contact that each triangle belongs to, if its nearest point is one.
    let mut contact_of: Vec<Option<usize>> = triangles
        .iter()
        .map(|&triangle| {
            let (feature, nearest) = mesh.nearest(triangle, centre);
            let is_it = |c: &SurfaceContact| c.feature == feature || c.point.distance(nearest.point) <= same_point;
            contacts.iter().position(is_it)
        })
        .collect();
    for (contact, found) in contacts.iter().enumerate() {
        let Some(own) = contact_of.iter().position(|of| *of == Some(contact)) else { continue };
        for (index, &triangle) in triangles.iter().enumerate() {
            if index != own && mesh.nearest(triangle, found.point).1.distance <= same_point {
                let distance = found.separation + radius;
                joints.push(Joint { distance, name: found.feature, triangles: [own, index], point: found.point });
            }
        }
    }
    joints.sort_by(|a, b| a.distance.total_cmp(&b.distance).then((a.name, a.triangles).cmp(&(b.name, b.triangles))));
    let mut group: Vec<usize> = (0..triangles.len()).collect();
    let mut passes = Vec::new();
    for joint in &joints {
        let [a, b] = joint.triangles.map(|triangle| group[triangle]);
        if a == b {
            continue;
        }
        if let (Some(one), Some(other)) = (contact_of[a], contact_of[b])
            && one != other
        {
            let normal = (joint.point - centre) / joint.distance;
            let at = SurfaceContact::new(0, normal, joint.distance - radius, joint.point);
            passes.push(Pass::new([one, other], at));
        }
        // The deepest contact stands for all that hangs together.
        let deeper = match (contact_of[a], contact_of[b]) {
            (Some(one), Some(other)) => {
                Some(if contacts[other].separation < contacts[one].separation { other } else { one })
            }
            (one, other) => one.or(other),
        };
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
        contact_of[a] = deeper;
    }
    passes
}
