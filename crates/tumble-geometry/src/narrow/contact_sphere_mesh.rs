//! A ball and a mesh of triangles.
//!
//! Every triangle near the ball has one nearest point, on its face, an edge or a corner. The foot of the perpendicular
//! on a face is a local minimum of the distance to the mesh and always counts. A point on an edge or a vertex counts
//! only if it is the nearest point of every triangle that shares the edge or vertex; otherwise the distance falls
//! along one of them. So a ball on a flat floor has one contact however the floor is divided, a ball in a groove has
//! two, and a ball on a convex edge has one, counted once.
//!
//! Two points closer than rounding can tell apart are one contact, that of the lower feature: on the seam of two
//! coplanar triangles rounding may make it the face of both. The nearest point of the whole mesh always counts, so no
//! contact is lost to rounding and the least separation is the true distance.
//!
//! Features: triangles in the order given, then edges, then vertices. They are stable in the mesh's frame; a ball that
//! rolls over a seam goes from one feature to the next.
//!
//! Known to fail: two faces that meet in a very shallow groove, their normals an angle theta apart. Near the groove a
//! ball is held by both, in nearly the same direction, and if its overlap exceeds r theta^2 / 2 the second contact
//! begins with a jump. Round walls are therefore better made as surfaces of revolution than divided finely.

use crate::surface::Mesh;
use crate::{SurfaceContact, tolerance};
use glam::DVec3;

/// Appends every contact of a ball with the mesh whose separation is at most `margin`, all in the mesh's frame.
pub fn contact_sphere_mesh(mesh: &Mesh, centre: DVec3, radius: f64, margin: f64, out: &mut Vec<SurfaceContact>) {
    let first = out.len();
    mesh.visit_within(centre, radius + margin, |triangle| {
        let (feature, nearest) = mesh.nearest(triangle, centre);
        let separation = nearest.distance - radius;
        if separation > margin || out[first..].iter().any(|found| found.feature == feature) {
            return;
        }
        let face_normal = mesh.normal(triangle);
        let normal = if mesh.is_face(feature) {
            // More accurate than the difference of two points that may nearly coincide.
            let corner = mesh.corners(triangle)[0];
            if face_normal.dot(centre - corner) < 0.0 { face_normal } else { -face_normal }
        } else if nearest.distance > tolerance::COINCIDENT * mesh.length_scale() {
            (nearest.point - centre) / nearest.distance
        } else {
            -face_normal
        };
        out.push(SurfaceContact { feature, normal, separation, point: nearest.point });
    });
    if out.len() == first {
        return;
    }
    out[first..].sort_unstable_by_key(|contact| contact.feature);
    keep_local_minima(mesh, centre, radius, first, out);
}

/// Removes from `out[first..]` what is not a local minimum of the distance, and what repeats a point.
fn keep_local_minima(mesh: &Mesh, centre: DVec3, radius: f64, first: usize, out: &mut Vec<SurfaceContact>) {
    let same_point = tolerance::SAME_POINT * (mesh.length_scale() + radius);
    let least = out[first..].iter().fold(f64::INFINITY, |least, contact| least.min(contact.separation));
    let mut least_seen = false;
    let mut n_kept = first;
    for index in first..out.len() {
        let candidate = out[index];
        let is_least = candidate.separation == least && !least_seen;
        least_seen |= is_least;
        let is_minimum = is_least
            || mesh.triangles_at(candidate.feature).iter().all(|&triangle| {
                let (_, nearest) = mesh.nearest(triangle, centre);
                nearest.point.distance(candidate.point) <= same_point
            });
        let is_new = out[first..n_kept].iter().all(|kept| kept.point.distance(candidate.point) > 2.0 * same_point);
        if is_minimum && is_new {
            out[n_kept] = candidate;
            n_kept += 1;
        }
    }
    out.truncate(n_kept);
}
