//! A ball and a mesh of triangles.
//!
//! Every triangle near the ball has one nearest point, on its face, an edge or a corner. The foot of the perpendicular
//! on a face is a local minimum of the distance to the mesh and always counts. A point on an edge or a vertex counts
//! only if it is the nearest point of every triangle that shares the edge or vertex; otherwise the distance falls
//! along one of them. So a ball on a flat floor has one contact however the floor is divided, a ball in a groove has
//! two, and a ball on a convex edge has one, counted once.
//!
//! Contacts whose points rounding cannot tell apart are one: see merge_contacts.rs. Those that the ball covers the mesh between go
//! over into each other: see mesh_passes.rs. So a finely divided curve holds a ball as the curve does, and there is no step
//! in its energy where it comes into a groove, however shallow. The nearest point of the whole mesh always counts, so no
//! contact is lost to rounding and the least separation is the true distance.
//!
//! Features: triangles in the order given, then edges, then vertices. They are stable in the mesh's frame; a ball that
//! rolls over a seam goes from one feature to the next.
//!
//! Known limit: of a ring of places that hang together all around, as in a hole, the deepest counts and not the far side.

use super::blend::blend;
use super::merge_contacts::merge_same_points;
use super::mesh_passes::passes_on_mesh;
use crate::surface::Mesh;
use crate::{SurfaceContact, tolerance};
use glam::DVec3;

/// Appends every contact of a ball with the mesh whose separation is at most `margin`, all in the mesh's frame.
pub fn contact_sphere_mesh(mesh: &Mesh, centre: DVec3, radius: f64, margin: f64, out: &mut Vec<SurfaceContact>) {
    let first = out.len();
    mesh.visit_within(centre, radius + margin, |triangle| {
        look_at(mesh, triangle, centre, radius, margin, first, out);
    });
    thin_out(mesh, centre, radius, first, out, |show| mesh.visit_within(centre, radius, show));
}

/// Appends the contact of a ball with the nearest point of a triangle if it is within `margin` and new in `out[first..]`.
#[inline]
pub(super) fn look_at(
    mesh: &Mesh,
    triangle: u32,
    centre: DVec3,
    radius: f64,
    margin: f64,
    first: usize,
    out: &mut Vec<SurfaceContact>,
) {
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
    out.push(SurfaceContact::new(feature, normal, separation, nearest.point));
}

/// Leaves of the nearest points of triangles in `out[first..]` the contacts, with their passes. `visit` shows the triangles that
/// the ball reaches.
pub(super) fn thin_out(
    mesh: &Mesh,
    centre: DVec3,
    radius: f64,
    first: usize,
    out: &mut Vec<SurfaceContact>,
    visit: impl FnOnce(&mut dyn FnMut(u32)),
) {
    if out.len() == first {
        return;
    }
    let same_point = tolerance::SAME_POINT * (mesh.length_scale() + radius);
    keep_local_minima(mesh, centre, same_point, first, out);
    mesh.leave_out_buried(out, first);
    merge_same_points(out, first, 2.0 * same_point);
    if out[first..].iter().filter(|contact| contact.separation < 0.0).count() > 1 {
        let mut passes = passes_on_mesh(mesh, centre, radius, 2.0 * same_point, &out[first..], visit);
        blend(out, first, &mut passes, same_point);
    }
    mesh.name_features(&mut out[first..]);
}

/// Removes from `out[first..]` what is not a local minimum of the distance.
fn keep_local_minima(mesh: &Mesh, centre: DVec3, same_point: f64, first: usize, out: &mut Vec<SurfaceContact>) {
    let mut least = out[first];
    let mut least_kept = f64::INFINITY;
    let mut n_kept = first;
    for index in first..out.len() {
        let candidate = out[index];
        if candidate.separation < least.separation {
            least = candidate;
        }
        let is_minimum = mesh.triangles_at(candidate.feature).iter().all(|&triangle| {
            let (_, nearest) = mesh.nearest(triangle, centre);
            nearest.point.distance(candidate.point) <= same_point
        });
        if is_minimum {
            least_kept = least_kept.min(candidate.separation);
            out[n_kept] = candidate;
            n_kept += 1;
        }
    }
    out.truncate(n_kept);
    // The nearest point of all is a minimum whatever rounding says of its neighbours.
    if least_kept > least.separation + same_point {
        out.push(least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;
    use crate::oracle::{self, Sequence};

    fn contacts(mesh: &Mesh, centre: DVec3, radius: f64, margin: f64) -> Vec<SurfaceContact> {
        let mut out = Vec::new();
        contact_sphere_mesh(mesh, centre, radius, margin, &mut out);
        out
    }

    /// A floor of n by n squares of edge 1, each cut along one diagonal or the other, in a pose.
    fn floor(n: u32, pose: &Pose) -> Mesh {
        let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(i as f64, j as f64, 0.0)));
        let vertices = vertices.map(|v| pose.transform_point(v)).collect();
        let at = |i: u32, j: u32| i * (n + 1) + j;
        let triangles = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        });
        Mesh::new(vertices, triangles.collect()).unwrap()
    }

    fn cube(half_edge: f64) -> Mesh {
        let (vertices, triangles) = oracle::cube_triangles(half_edge);
        Mesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn a_flat_floor_is_one_contact_however_it_is_divided() {
        let mut random = Sequence::new(3);
        let mut poses = vec![Pose::IDENTITY];
        poses.extend((0..20).map(|_| random.pose(5.0)));
        for (case, pose) in poses.iter().enumerate() {
            let mesh = floor(6, pose);
            // Everywhere: on faces, exactly on seams, exactly on vertices, and a hair beside them.
            for step_x in 4..=20 {
                for step_y in 4..=20 {
                    for hair in [0.0, 1e-15, 1e-12, 3e-12, 1e-9] {
                        let foot = DVec3::new(step_x as f64 / 4.0 + hair, step_y as f64 / 4.0 - hair / 3.0, 0.0);
                        for height in [0.4, -0.4, 0.2] {
                            let centre = pose.transform_point(foot + DVec3::Z * height);
                            let found = contacts(&mesh, centre, 0.45, 0.0);
                            assert_eq!(found.len(), 1, "case {case}, foot {foot}, height {height}: {found:?}");
                            assert!((found[0].separation - (height.abs() - 0.45)).abs() < 1e-14);
                            let expected = pose.transform_vector(DVec3::NEG_Z * height.signum());
                            assert!((found[0].normal - expected).length() < 1e-13);
                            assert!((found[0].point - pose.transform_point(foot)).length() < 1e-11);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_ball_in_the_plane_of_a_floor_has_a_fixed_normal() {
        let mesh = floor(3, &Pose::IDENTITY);
        for foot in [DVec3::new(1.25, 1.5, 0.0), DVec3::new(1.5, 1.5, 0.0), DVec3::new(1.0, 1.0, 0.0)] {
            let found = contacts(&mesh, foot, 0.3, 0.0);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].separation, -0.3);
            assert_eq!(found[0].normal.abs(), DVec3::Z);
        }
    }

    #[test]
    fn outside_a_cube_every_face_edge_and_corner_is_one_contact() {
        let mesh = cube(1.0);
        for x in [-1.5, -0.3, 0.3, 1.5] {
            for y in [-1.4, 0.0, 1.4] {
                for z in [-1.3, 0.2, 1.3] {
                    let centre = DVec3::new(x, y, z);
                    let nearest = centre.clamp(DVec3::NEG_ONE, DVec3::ONE);
                    let distance = centre.distance(nearest);
                    if distance == 0.0 {
                        continue;
                    }
                    let found = contacts(&mesh, centre, distance + 0.01, 0.0);
                    assert_eq!(found.len(), 1, "{centre}: {found:?}");
                    assert!((found[0].separation + 0.01).abs() < 1e-14);
                    assert!((found[0].point - nearest).length() < 1e-14);
                    assert!((found[0].normal - (nearest - centre) / distance).length() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn inside_a_cube_a_ball_touches_one_two_or_three_walls() {
        let mesh = cube(1.0);
        let n_contacts = |centre| contacts(&mesh, centre, 0.25, 0.0).len();
        assert_eq!(n_contacts(DVec3::ZERO), 0);
        assert_eq!(n_contacts(DVec3::new(0.8, 0.1, 0.2)), 1);
        assert_eq!(n_contacts(DVec3::new(0.8, -0.8, 0.2)), 2);
        assert_eq!(n_contacts(DVec3::new(0.8, -0.8, -0.8)), 3);
        assert_eq!(contacts(&mesh, DVec3::ZERO, 1.1, 0.0).len(), 6);
    }

    #[test]
    fn a_groove_is_two_contacts_and_a_ridge_is_one() {
        // Two long strips that meet along x at z = 0, both rising by `slope` to the sides.
        let strips = |slope: f64| {
            let vertices = [-10.0, 10.0]
                .iter()
                .flat_map(|&x| [DVec3::new(x, -1.0, slope), DVec3::new(x, 0.0, 0.0), DVec3::new(x, 1.0, slope)]);
            Mesh::new(vertices.collect(), vec![[0, 3, 1], [1, 3, 4], [1, 4, 5], [1, 5, 2]]).unwrap()
        };
        let radius = 0.3;
        // A ball that touches both sides of the groove has its centre at r sqrt(1 + slope^2) above the bottom.
        let centre = DVec3::new(0.37, 0.0, radius * 2f64.sqrt() - 1e-3);
        let found = contacts(&strips(1.0), centre, radius, 0.0);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].separation, found[1].separation);
        assert!((found[0].normal + found[1].normal - DVec3::NEG_Z * 2f64.sqrt()).length() < 1e-14);
        let found = contacts(&strips(-1.0), DVec3::new(0.37, 0.0, 0.29), radius, 0.0);
        assert_eq!(found.len(), 1);
        // Rounding of the foot on an edge of length 20.
        assert!((found[0].normal - DVec3::NEG_Z).length() < 1e-14);
        assert!((found[0].separation + 0.01).abs() < 1e-15);
    }

    #[test]
    fn a_floor_rounded_to_single_precision_is_one_contact() {
        let mut random = Sequence::new(13);
        let pose = random.pose(5.0);
        let exact = floor(6, &pose);
        let rounded = exact.vertices().iter().map(|v| v.as_vec3().as_dvec3()).collect();
        let mesh = Mesh::new(rounded, exact.triangles().to_vec()).unwrap();
        for step_x in 4..=20 {
            for step_y in 4..=20 {
                for _ in 0..20 {
                    // On the seams and around them, as far as the rounding reaches.
                    let foot = DVec3::new(step_x as f64 / 4.0, step_y as f64 / 4.0, 0.4) + random.point_in_cube(1e-7);
                    let found = contacts(&mesh, pose.transform_point(foot), 0.45, 0.0);
                    assert_eq!(found.len(), 1, "{foot}: {found:?}");
                    assert!((found[0].separation + 0.05).abs() < 2e-6);
                }
            }
        }
    }

    #[test]
    fn rolling_inside_a_finely_divided_drum_is_held_once() {
        const N_SIDES: u32 = 200;
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for k in 0..N_SIDES {
            let (sine, cosine) = (std::f64::consts::TAU * k as f64 / N_SIDES as f64).sin_cos();
            vertices.extend([-1.0, 1.0].map(|z| DVec3::new(cosine, sine, z)));
            let (a, b) = (2 * k, 2 * ((k + 1) % N_SIDES));
            triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        let mesh = Mesh::new(vertices, triangles).unwrap();
        let mut last = f64::NAN;
        for step in 0..20_000 {
            let (sine, cosine) = (1e-4 * step as f64).sin_cos();
            let found = contacts(&mesh, DVec3::new(0.901 * cosine, 0.901 * sine, 0.1), 0.1, 0.0);
            // A step moves the ball by 9e-5, at most pi / 200 off the direction of the wall.
            let depth = found.iter().map(|c| c.weight * c.separation.min(0.0).powi(2)).sum::<f64>().sqrt();
            let change = (depth - last).abs();
            assert!(step == 0 || change < 9e-5 * std::f64::consts::PI / 200.0 * 1.1, "step {step}: {change}");
            assert!(depth > 1e-3 && depth < 1e-3 + 1.3e-4, "step {step}: {depth}");
            last = depth;
        }
    }

    #[test]
    fn the_rim_of_an_open_sheet_is_met_from_every_side() {
        let mesh = floor(2, &Pose::IDENTITY);
        let beside = contacts(&mesh, DVec3::new(-0.1, 0.7, 0.0), 0.2, 0.0);
        assert_eq!(beside.len(), 1);
        assert_eq!(beside[0].normal, DVec3::X);
        let corner = contacts(&mesh, DVec3::new(-0.3, -0.4, 0.0), 0.6, 0.0);
        assert_eq!(corner.len(), 1);
        assert!((corner[0].separation + 0.1).abs() < 1e-15);
    }

    #[test]
    fn features_are_faces_then_edges_then_vertices() {
        let mesh = cube(1.0);
        let feature = |centre| contacts(&mesh, centre, 1.0, 0.0)[0].feature;
        assert!((0..12).contains(&feature(DVec3::new(0.1, 0.3, 1.5))));
        assert!((12..30).contains(&feature(DVec3::new(0.1, 1.4, 1.4))));
        assert!((30..38).contains(&feature(DVec3::new(1.3, 1.3, 1.3))));
    }

    #[test]
    fn a_triangle_listed_twice_is_one_contact() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 1], [1, 2, 0]]).unwrap();
        for centre in [DVec3::new(0.2, 0.2, 0.1), DVec3::new(0.5, -0.1, 0.1), DVec3::new(-0.1, -0.1, 0.1)] {
            assert_eq!(contacts(&mesh, centre, 0.3, 0.0).len(), 1);
        }
    }

    #[test]
    fn least_separation_is_the_distance_to_all_triangles() {
        let mut random = Sequence::new(5);
        // A crumpled sheet: neighbours, needles, ridges and grooves of every angle.
        let n = 12;
        let vertices: Vec<DVec3> =
            (0..n * n).map(|k| DVec3::new((k / n) as f64, (k % n) as f64, 0.0) + random.point_in_cube(0.45)).collect();
        let triangles: Vec<[u32; 3]> = (0..n - 1)
            .flat_map(|i| (0..n - 1).map(move |j| i * n + j))
            .flat_map(|k| [[k, k + n, k + n + 1], [k, k + n + 1, k + 1]])
            .collect();
        for scale in [1e-6, 1.0, 1e3] {
            let scaled = vertices.iter().map(|v| *v * scale).collect();
            let mesh = Mesh::new(scaled, triangles.clone()).unwrap();
            let mut most = 0;
            for case in 0..4000 {
                let foot = vertices[(random.unit() * vertices.len() as f64) as usize];
                let centre = (foot + random.point_in_cube(0.8)) * scale;
                let (radius, margin) = (random.between(0.05, 0.6) * scale, random.between(0.0, 0.2) * scale);
                let found = contacts(&mesh, centre, radius, margin);
                let distance = (0..triangles.len() as u32)
                    .map(|t| oracle::distance_to_triangle(mesh.corners(t), centre))
                    .fold(f64::INFINITY, f64::min);
                let least = found.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min);
                if distance - radius <= margin {
                    assert!((least - (distance - radius)).abs() < 1e-12 * scale, "case {case}: {least} {distance}");
                } else {
                    assert!(found.is_empty(), "case {case}");
                }
                most = most.max(found.len());
                for contact in &found {
                    assert!(contact.separation <= margin);
                    assert!((contact.normal.length() - 1.0).abs() < 1e-12);
                    let reached = centre + contact.normal * (contact.separation + radius);
                    assert!((reached - contact.point).length() < 1e-12 * 20.0 * scale, "case {case}");
                    let is_minimum = is_local_minimum(&mesh, centre, contact, 1e-4 * scale);
                    assert!(contact.is_pass() || is_minimum, "case {case}: {contact:?}");
                }
                assert!(found.windows(2).all(|pair| pair[1].is_pass() || pair[0].feature < pair[1].feature));
            }
            assert!(most >= 3, "some ball should sit in a hollow");
        }
    }

    /// Whether no point of the mesh within a small step of a contact is closer: sampled on every triangle that
    /// contains the contact's point.
    fn is_local_minimum(mesh: &Mesh, centre: DVec3, contact: &SurfaceContact, step: f64) -> bool {
        let distance = contact.point.distance(centre);
        (0..mesh.triangles().len() as u32).all(|triangle| {
            let corners = mesh.corners(triangle);
            if oracle::distance_to_triangle(corners, contact.point) > 1e-9 * step {
                return true;
            }
            // Towards points spread over the triangle, which is convex and contains the contact's point.
            (0..=6).flat_map(|i| (0..=6 - i).map(move |j| (i as f64 / 6.0, j as f64 / 6.0))).all(|(u, v)| {
                let target = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
                let moved = contact.point + (target - contact.point).normalize_or_zero() * step;
                moved.distance(centre) >= distance - 1e-8 * step
            })
        })
    }

    #[test]
    fn contacts_are_appended() {
        let mesh = cube(1.0);
        let mut out = Vec::new();
        contact_sphere_mesh(&mesh, DVec3::Z * 1.1, 0.2, 0.0, &mut out);
        contact_sphere_mesh(&mesh, DVec3::Z * 5.0, 0.2, 0.0, &mut out);
        contact_sphere_mesh(&mesh, DVec3::Z * 1.1, 0.2, 0.0, &mut out);
        assert_eq!(out.len(), 2);
        assert_eq!(out[0], out[1]);
    }
}
