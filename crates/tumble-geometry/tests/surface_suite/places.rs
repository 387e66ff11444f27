//! Where bodies touch in poses that can be worked out by hand.

use crate::samples::*;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_geometry::{Capsule, Clump, Cylinder, Mesh, Part, Pose, Revolved, Shape, Sphere, Surface};

/// Turned about x so that local z lies along y: across a drum whose axis is z.
fn across() -> DQuat {
    DQuat::from_rotation_x(0.5 * PI)
}

#[test]
fn a_rod_across_a_drum_touches_with_both_ends() {
    let drum = tube(5.0, 4.0);
    let rod = Shape::Cylinder(Cylinder { radius: 0.1, half_height: 1.0 });
    // The lower edge of the end is at (x + r, h).
    let x = (25.0_f64 - 1.0).sqrt() - 0.1;
    for depth in [1e-3, 1e-6] {
        let pose = Pose::new(DVec3::new(x + depth, 0.0, 0.5), across());
        let found = contacts(&rod, &drum, &pose, 0.0);
        assert_eq!(found.len(), 2, "{found:?}");
        for contact in &found {
            assert!((contact.separation - (5.0 - (x + depth + 0.1).hypot(1.0))).abs() < 1e-12);
            assert!((contact.point.z - 0.5).abs() < 1e-9 && (contact.point.y.abs() - 1.0).abs() < 1e-3);
        }
        assert!(found[0].point.y * found[1].point.y < 0.0);
        // The other end is another feature, and stays so when the rod moves a little and turns about its own axis.
        let moved = Pose::new(pose.position + DVec3::new(0.0, 1e-3, 0.2), across() * DQuat::from_rotation_z(0.1));
        let again = contacts(&rod, &drum, &moved, 0.0);
        let features = |c: &[tumble_geometry::SurfaceContact]| c.iter().map(|c| c.feature).collect::<Vec<_>>();
        if depth == 1e-3 {
            assert_eq!(features(&found), features(&again));
        }
    }
}

#[test]
fn what_lies_along_a_drum_is_met_in_its_middle() {
    let drum = tube(5.0, 4.0);
    for shape in [
        Shape::Cylinder(Cylinder { radius: 0.1, half_height: 1.0 }),
        Shape::Capsule(Capsule { radius: 0.1, half_height: 1.0 }),
    ] {
        for z in [-0.5, 0.7] {
            let pose = Pose::new(DVec3::new(4.901, 0.0, z), DQuat::IDENTITY);
            let found = contacts(&shape, &drum, &pose, 0.0);
            assert_eq!(found.len(), 1, "{}: {found:?}", shape.name());
            assert!((found[0].point - DVec3::new(5.0, 0.0, z)).length() < 1e-6, "{}: {found:?}", shape.name());
            assert!((found[0].normal - DVec3::X).length() < 1e-6);
        }
        // Half of it sticks out of the drum's end: the middle of the other half.
        let pose = Pose::new(DVec3::new(4.901, 0.0, 4.0), DQuat::IDENTITY);
        let found = contacts(&shape, &drum, &pose, 0.0);
        assert!((found[0].point - DVec3::new(5.0, 0.0, 3.5)).length() < 1e-6, "{}: {found:?}", shape.name());
        assert_eq!(found.len(), 1, "{}: {found:?}", shape.name());
    }
}

#[test]
fn a_box_in_a_drum_stands_on_its_corners() {
    let drum = closed_drum(5.0, 4.0);
    let half = DVec3::new(0.5, 1.0, 0.75);
    let shape = Shape::Polyhedron(cuboid(half));
    let x = 24f64.sqrt() - 0.5 + 1e-3;
    let pose = Pose::new(DVec3::new(x, 0.0, -3.26), DQuat::IDENTITY);
    let found = contacts(&shape, &drum, &pose, 0.0);
    // Two corners on the end alone, two beyond the end and the side, two beyond the side alone.
    assert_eq!(found.len(), 6, "{found:?}");
    for contact in &found {
        let corner = contact.point_on_grain() - pose.position;
        assert!((corner.abs() - half).length() < 1e-12, "{contact:?}");
        let beyond = [corner.x + x, corner.y].map(|c| c * c).iter().sum::<f64>().sqrt() - 5.0;
        let (aside, below) = (beyond.max(0.0), if corner.z < 0.0 { 0.01 } else { 0.0 });
        assert!((contact.separation + aside.hypot(below)).abs() < 1e-12, "{contact:?}");
        assert!((contact.normal.z + below / aside.hypot(below)).abs() < 1e-9, "{contact:?}");
    }
}

#[test]
fn rods_that_cross_outside_touch_once() {
    let rod = tube(0.2, 3.0);
    let other = Shape::Cylinder(Cylinder { radius: 0.1, half_height: 1.0 });
    for (y, z, tilt) in [(0.0, 0.0, 0.0), (0.3, 1.0, 0.4), (-0.6, -2.0, -0.7)] {
        let turn = DQuat::from_rotation_x(0.5 * PI + tilt);
        let pose = Pose::new(DVec3::new(0.299, 0.0, z) + turn * DVec3::Z * y, turn);
        let found = contacts(&other, &rod, &pose, 0.0);
        assert_eq!(found.len(), 1, "{y} {z}: {found:?} {:?}", contacts(&other, &rod, &pose, 9.0));
        assert!((found[0].separation + 0.001).abs() < 1e-12);
        assert!((found[0].normal - DVec3::NEG_X).length() < 1e-9);
        assert!((found[0].point - DVec3::new(0.2, 0.0, z)).length() < 1e-8, "{found:?}");
    }
}

#[test]
fn a_wide_upright_cylinder_in_a_tube_is_held_from_both_sides() {
    let drum = tube(1.0, 5.0);
    let shape = Shape::Cylinder(Cylinder { radius: 1.01, half_height: 0.5 });
    for x in [0.0, 1e-12, 1e-3, 5e-3] {
        let found = contacts(&shape, &drum, &Pose::from_position(DVec3::new(x, 0.0, 0.0)), 0.0);
        assert_eq!(found.len(), 2, "{x}: {found:?}");
        let sum: DVec3 = found.iter().map(|c| c.normal).sum();
        assert!(sum.length() < 1e-6, "{x}: {found:?}");
        let mut depths: Vec<f64> = found.iter().map(|c| -c.separation).collect();
        depths.sort_by(f64::total_cmp);
        assert!((depths[0] - (0.01 - x)).abs() < 1e-9 && (depths[1] - (0.01 + x)).abs() < 1e-9, "{x}: {found:?}");
    }
}

#[test]
fn a_ball_shaped_body_sits_in_a_hole_on_its_rim() {
    // A plate with a round hole, and an upright capsule that sinks into it.
    let plate = Surface::Revolved(Revolved::new(vec![[0.5, 0.0], [3.0, 0.0]]).unwrap());
    let shape = Shape::Capsule(Capsule { radius: 0.8, half_height: 0.3 });
    let height = (0.8_f64.powi(2) - 0.25).sqrt() + 0.3 - 0.01;
    for x in [0.0, 1e-4, 1e-2] {
        let found = contacts(&shape, &plate, &Pose::from_position(DVec3::new(x, 0.0, height)), 0.0);
        let deepest = least(&found);
        let expected = DVec3::new(0.5 - x, 0.0, height - 0.3).length() - 0.8;
        assert!(found.is_empty() && x == 0.0 || (deepest - expected).abs() < 1e-9, "{x}: {found:?} {expected}");
    }
}

/// A thin upright wall in the plane x = 0, its top at z = 0, four triangles.
fn baffle() -> Surface {
    let vertices = [-2.0, 0.0, 2.0].iter().flat_map(|&y| [-2.0, 0.0].map(|z| DVec3::new(0.0, y, z))).collect();
    let triangles = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]];
    Surface::Mesh(Mesh::new(vertices, triangles).unwrap())
}

#[test]
fn a_plate_over_a_baffle_meets_its_top_only() {
    let wall = baffle();
    let shape = Shape::Polyhedron(cuboid(DVec3::new(1.0, 0.6, 0.05)));
    for tilt in [0.0, 0.05, -0.3, 0.6, -0.9] {
        for offset in [-0.8, -0.3, 0.0, 0.3, 0.8] {
            let turn = DQuat::from_rotation_y(tilt);
            // The plate's underside passes 0.001 below the top of the wall, `offset` along it.
            let position = turn * DVec3::new(offset, 0.0, 0.049);
            let found = contacts(&shape, &wall, &Pose::new(position, turn), 0.0);
            assert_eq!(found.len(), 1, "{tilt} {offset}: {found:?}");
            assert!((found[0].normal - turn * DVec3::NEG_Z).length() < 1e-9, "{tilt} {offset}: {found:?}");
            assert!((found[0].separation + 0.001).abs() < 1e-12);
            assert!(found[0].point.length() < 1e-9, "{tilt} {offset}: {found:?}");
        }
    }
}

#[test]
fn a_rod_over_the_rim_of_a_cup_meets_the_rim_only() {
    let cup = Surface::Revolved(Revolved::closed_cylinder(1.0, 1.0, true, false).unwrap());
    let shape = Shape::Capsule(Capsule { radius: 0.05, half_height: 0.6 });
    for tilt in [0.3, 0.8, 1.2] {
        for offset in [-0.5, -0.2, 0.0, 0.2, 0.5] {
            let along = DVec3::new(f64::cos(tilt), 0.0, -f64::sin(tilt));
            let up = DVec3::new(along.z.abs(), 0.0, along.x);
            let rim = DVec3::new(1.0, 0.0, 1.0);
            let pose = Pose::new(rim + up * 0.049 + along * offset, DQuat::from_rotation_arc(DVec3::Z, along));
            let found = contacts(&shape, &cup, &pose, 0.0);
            assert_eq!(found.len(), 1, "{tilt} {offset}: {found:?}");
            assert!((found[0].separation + 0.001).abs() < 1e-9, "{tilt} {offset}: {found:?}");
            assert!((found[0].normal + up).length() < 1e-4 && (found[0].point - rim).length() < 1e-4);
        }
    }
}

#[test]
fn a_box_behind_two_faces_of_a_convex_edge_meets_the_shallower() {
    let mesh = cube_mesh(1.0);
    let shape = Shape::Polyhedron(cuboid(DVec3::splat(0.5)));
    // Its lower left edge is 0.01 below the top and 0.03 inside the side.
    let pose = Pose::from_position(DVec3::new(1.0 + 0.5 - 0.03, 0.0, 1.0 + 0.5 - 0.01));
    let found = contacts(&shape, &mesh, &pose, 0.0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].normal - DVec3::NEG_Z).length() < 1e-12 && (found[0].separation + 0.01).abs() < 1e-12);
}

#[test]
fn a_box_hangs_over_the_edge_of_a_table() {
    let mesh = cube_mesh(1.0);
    let shape = Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.4, 0.2)));
    for x in [0.2, 0.9, 1.0, 1.1, 1.4] {
        let found = contacts(&shape, &mesh, &Pose::from_position(DVec3::new(x, 0.0, 1.199)), 0.0);
        assert_eq!(found.len(), 1, "{x}: {found:?}");
        assert!((found[0].normal - DVec3::NEG_Z).length() < 1e-12 && (found[0].separation + 0.001).abs() < 1e-12);
        assert!((found[0].point - DVec3::new(f64::min(x, 1.0), 0.0, 1.0)).length() < 1e-8, "{x}: {found:?}");
    }
}

#[test]
fn parts_of_a_clump_have_contacts_and_features_of_their_own() {
    let ball = Shape::Sphere(Sphere { radius: 0.5 });
    let cube = Shape::Polyhedron(cuboid(DVec3::splat(0.5)));
    let part = |shape: &Shape, x: f64| Part { shape: shape.clone(), pose: Pose::from_position(DVec3::X * x) };
    let clump = Shape::Clump(Clump::from_trusted_parts(vec![part(&ball, -0.6), part(&cube, 0.5), part(&ball, 1.4)]));
    let pose = Pose::from_position(DVec3::Z * 0.49);
    for surface in [Surface::HalfSpace, floor(8, 0.7, &Pose::IDENTITY)] {
        let found = contacts(&clump, &surface, &pose, 0.0);
        assert_eq!(found.len(), 3, "{found:?}");
        for x in [-0.6, 0.5, 1.4] {
            let on_part = found.iter().find(|c| (c.point.x - x).abs() < 1e-9).unwrap();
            assert!((on_part.separation + 0.01).abs() < 1e-12);
        }
        assert!(found.windows(2).all(|pair| pair[0].feature < pair[1].feature));
    }
}
