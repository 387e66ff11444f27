//! Regions whose depth has a formula.

use super::*;

/// A box with edges x, y >= z: the integral over t of what is deeper than t, (x - 2t)(y - 2t)(z - 2t), up to z / 2.
fn of_box(x: f64, y: f64, z: f64) -> f64 {
    x * y * z * z / 4.0 - (x + y) * z.powi(3) / 12.0 + z.powi(4) / 24.0
}

fn assert_near(x: f64, y: f64, limit: f64, tag: &str) {
    assert!((x - y).abs() <= limit * y.abs(), "{tag}: {x} is not {y}");
}

#[test]
fn parallel_faces_share_a_slab() {
    let mut workspace = Workspace::default();
    let a = cube(1.0);
    for depth in [1e-9, 1e-6, 1e-3, 0.01, 0.02, 0.1, 0.5, 0.9] {
        // Wider, equal, and shifted so that the patch is 0.8 by 0.9: its sides belong to a, to both, to each.
        for (b, shift, x, y) in [
            (cube(1.4), DVec3::new(0.05, -0.02, 0.0), 1.0, 1.0),
            (cube(1.0), DVec3::ZERO, 1.0, 1.0),
            (cube(1.0), DVec3::new(0.2, 0.1, 0.0), 0.8, 0.9),
        ] {
            let half = b.support(DVec3::X).x;
            let pose = Pose::from_position(shift + DVec3::Z * (0.5 + half - depth));
            let found = depth_moments(&a, &b, &pose, &mut workspace).unwrap();
            let limit = 1e-15 / depth + 1e-12;
            let [p, q, r] = {
                let mut edges = [x, y, depth];
                edges.sort_by(f64::total_cmp);
                edges
            };
            let tag = format!("depth {depth}, patch {x} by {y}");
            assert_near(found.volume, x * y * depth, limit, &tag);
            assert_near(found.depth_integral, of_box(r, q, p), limit, &tag);
            assert_near(found.volume_slope.shift.z, x * y, limit, &tag);
            if depth <= 0.8 {
                // The roof over the slab rises from its rims: half of the slab without the rims' cells.
                let cell = 0.5 * (x * y * depth - (x + y) * depth * depth / 2.0 + depth.powi(3) / 3.0);
                assert_near(found.depth_slope.shift.z, cell, limit, &tag);
            }
            if x == 1.0 && b.bounding_radius() > 1.0 {
                let thin = depth - 2.0 / 3.0 * depth * depth + depth.powi(3) / 6.0;
                assert_near(found.mean_depth(), thin, limit, &tag);
                assert_near(
                    found.mean_depth_slope().shift.z,
                    1.0 - 4.0 / 3.0 * depth + depth * depth / 2.0,
                    limit,
                    &tag,
                );
                assert!(found.mean_depth_slope().turn.length() < limit + 1e-12, "{tag}: {found:?}");
                assert_near(found.patch_area(), depth / thin, limit, &tag);
            }
        }
    }
}

#[test]
fn an_edge_in_a_plane_cuts_off_a_wedge() {
    // A prism of length 1 over a right triangle of depth d: legs sqrt(2) d, area d^2, radius of the inscribed circle
    // r = (sqrt(2) - 1) d. What is deeper than t is the triangle shrunk by 1 - t / r, times 1 - 2t.
    let mut workspace = Workspace::default();
    let orientation = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    for depth in [1e-6, 1e-3, 0.1, 0.5] {
        let pose = Pose::new(DVec3::new(0.2, 0.1, 0.5_f64.sqrt() - depth), orientation);
        let found = depth_moments_half_space(&cube(1.0), &pose, &mut workspace).unwrap();
        let (area, r) = (depth * depth, (2f64.sqrt() - 1.0) * depth);
        let limit = 1e-14 / depth + 1e-12;
        assert_near(found.volume, area, limit, "volume");
        assert_near(found.depth_integral, area * (r / 3.0 - r * r / 6.0), limit, "integral");
        assert_near(-found.volume_slope.shift.z, 2.0 * depth, limit, "section");
    }
}

#[test]
fn a_corner_in_a_plane_cuts_off_a_pyramid() {
    // What is deeper than t in a body with a ball that touches all its faces is the body shrunk by 1 - t / r: M = V r / 4, so
    // the mean depth is the radius of that ball, 3 V over the surface. Here the corner of a cube, depth d: edges
    // sqrt(3) d, V = sqrt(3) d^3 / 2, three faces of 3/2 d^2 and one of 3/2 sqrt(3) d^2.
    let mut workspace = Workspace::default();
    let orientation = DQuat::from_rotation_arc(DVec3::NEG_ONE.normalize(), DVec3::NEG_Z);
    for depth in [1e-6, 1e-3, 0.1, 0.5] {
        let pose = Pose::new(DVec3::new(0.2, 0.1, 0.75_f64.sqrt() - depth), orientation);
        let found = depth_moments_half_space(&cube(1.0), &pose, &mut workspace).unwrap();
        let limit = 1e-14 / depth + 1e-12;
        let root = 3f64.sqrt();
        assert_near(found.volume, 0.5 * root * depth.powi(3), limit, "volume");
        assert_near(found.mean_depth(), depth / (1.0 + root), limit, "depth");
        assert_near(-found.mean_depth_slope().shift.z, 1.0 / (1.0 + root), limit, "slope");
        // The corner of an octahedron, where four faces meet: a pyramid of height d over a square of sqrt(2) d: V = 2/3 d^3,
        // the surface 2 d^2 and four times sqrt(3)/2 d^2.
        let pose = Pose::new(DVec3::new(0.2, 0.1, 0.8 - depth), DQuat::from_rotation_z(0.3));
        let found = depth_moments_half_space(&octahedron(0.8), &pose, &mut workspace).unwrap();
        assert_near(found.volume, 2.0 / 3.0 * depth.powi(3), limit, "volume");
        assert_near(found.mean_depth(), depth / (1.0 + root), limit, "depth");
    }
}

#[test]
fn crossed_edges_share_a_tetrahedron() {
    // Two edges of 90 degrees at an angle alpha: a tetrahedron has a ball that touches its faces, so the mean depth is 3 V over
    // the surface, both from its corners, which are placed by hand here.
    let mut workspace = Workspace::default();
    let on_edge = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
    for depth in [1e-6, 1e-3, 0.1] {
        for alpha in [0.4, 1.0, std::f64::consts::FRAC_PI_2] {
            let (a, b) = (
                Pose::new(DVec3::ZERO, on_edge),
                Pose::new(DVec3::Z * (2f64.sqrt() - depth), DQuat::from_rotation_z(alpha) * on_edge),
            );
            let found = depth_moments(&cube(1.0), &cube(1.0), &a.relative(&b), &mut workspace).unwrap();
            // a's edge runs along y at the top, b's along (-sin, cos, 0) at the bottom, a depth lower. a's edge is in b over
            // |s sin| <= d, and b's in a over the same: two corners on each.
            let reach = depth / alpha.sin();
            let corners = [
                DVec3::Y * reach,
                DVec3::Y * -reach,
                DVec3::new(-alpha.sin(), alpha.cos(), 0.0) * reach - DVec3::Z * depth,
                DVec3::new(alpha.sin(), -alpha.cos(), 0.0) * reach - DVec3::Z * depth,
            ];
            let triangle =
                |i: usize, j: usize, k: usize| 0.5 * (corners[j] - corners[i]).cross(corners[k] - corners[i]).length();
            let surface = triangle(0, 1, 2) + triangle(0, 1, 3) + triangle(0, 2, 3) + triangle(1, 2, 3);
            let volume =
                (corners[1] - corners[0]).dot((corners[2] - corners[0]).cross(corners[3] - corners[0])).abs() / 6.0;
            let limit = 1e-14 / depth + 1e-12;
            assert_near(found.volume, volume, limit, "volume");
            assert_near(found.mean_depth(), 3.0 * volume / surface, limit, "depth");
        }
    }
}

#[test]
fn a_body_inside_another_has_its_own_depth_and_no_slope() {
    let mut workspace = Workspace::default();
    for pose in [Pose::IDENTITY, Pose::new(DVec3::new(0.3, -0.2, 0.1), DQuat::from_rotation_y(0.4))] {
        let (inner, outer) = (Shape::cuboid(DVec3::new(1.0, 1.4, 0.7)).unwrap(), cube(5.0));
        for found in
            [depth_moments(&outer, &inner, &pose, &mut workspace), depth_moments(&inner, &outer, &pose, &mut workspace)]
        {
            let found = found.unwrap();
            assert_near(found.volume, 0.98, 1e-13, "volume");
            assert_near(found.depth_integral, of_box(1.4, 1.0, 0.7), 1e-13, "integral");
            for slope in [found.volume_slope, found.depth_slope] {
                assert!(slope.shift.length() < 1e-13 && slope.turn.length() < 1e-13, "{found:?}");
            }
        }
    }
    let below = Pose::from_position(DVec3::Z * -3.0);
    let found = depth_moments_half_space(&cube(1.0), &below, &mut workspace).unwrap();
    assert_near(found.depth_integral, 1.0 / 8.0, 1e-13, "integral");
    assert!(found.volume_slope.shift.length() < 1e-13 && found.depth_slope.shift.length() < 1e-13);
}

/// With U = (mean depth)^2 / 2 a face of edge 1 that leans by a small angle is turned back by 2 I / A times the angle in the limit
/// of a thin region, I / A = 1/12. To all orders in the depth d, about the middle of the face: the turn of the plane's cell is
/// (1 - d)^4 / 24 of the flat part of its roof, less J from its sides, which lean, and d |C| because the cube leans over by d at
/// the plane; that of its area is d.
#[test]
fn a_face_that_leans_is_turned_back_whatever_the_load() {
    let mut workspace = Workspace::default();
    for depth in [1e-4_f64, 0.01, 0.02, 0.1] {
        let angle = 1e-5 * depth;
        let orientation = DQuat::from_rotation_x(angle);
        let pose = Pose::new(DVec3::Z * -depth + orientation * (DVec3::Z * 0.5), orientation);
        let found = depth_moments_half_space(&cube(1.0), &pose, &mut workspace).unwrap();
        let slope = found.mean_depth_slope().times(-found.mean_depth());
        let about_face = slope.turn - (DVec3::Z * -depth).cross(slope.shift);
        let mean_depth = depth - 2.0 / 3.0 * depth.powi(2) + depth.powi(3) / 6.0;
        let sides = (depth.powi(2) / 2.0 - 2.0 / 3.0 * depth.powi(3) + depth.powi(4) / 4.0) / 4.0;
        let cell = (depth - depth.powi(2) + depth.powi(3) / 3.0) / 2.0;
        let turn = (1.0 - depth).powi(4) / 24.0 - sides + depth * cell - depth * mean_depth / 4.0;
        let stiffness = mean_depth * 4.0 / depth * turn;
        assert!((about_face.x / angle + stiffness).abs() < 1e-6, "depth {depth}: {}", about_face.x / angle);
        assert!(about_face.y.abs() < 1e-9 * angle.sqrt() && about_face.z.abs() < 1e-9 * angle.sqrt());
        let expected = [(1e-4, 0.16659), (0.01, 0.15908), (0.02, 0.15188)];
        if let Some((_, number)) = expected.iter().find(|(of, _)| *of == depth) {
            assert!((stiffness - number).abs() < 1e-5, "depth {depth}: {stiffness}");
        }
    }
}
