//! Agreement with the definition: dense sampling of the body, solid bodies of the same form, planes, balls.

use crate::samples::*;
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;
use tumble_geometry::narrow;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Capsule, Cylinder, Disc, Pose, Revolved, Shape, Superquadric, Surface, Tablet, TruncatedCone};

#[test]
fn the_lowest_point_meets_a_half_space() {
    let mut random = Sequence::new(1);
    for shape in convex_shapes() {
        for case in 0..200 {
            let pose = random.pose(1.0);
            let found = contacts(&shape, &Surface::HalfSpace, &pose, f64::INFINITY);
            assert_eq!((found.len(), found[0].feature, found[0].normal), (1, 0, DVec3::NEG_Z));
            let lowest = least_over_surface(&shape, &pose, |p| p.z);
            assert!((found[0].separation - lowest).abs() < 1e-9, "{} case {case}: {found:?} {lowest}", shape.name());
            assert_sound(&found, &shape, &pose, shape.name());
        }
    }
}

#[test]
fn what_lies_flat_on_a_plane_is_met_in_its_middle() {
    let turned = DQuat::from_rotation_x(0.5 * PI);
    let upright = DQuat::IDENTITY;
    for tilt in [0.0, 1e-16, 1e-11, -1e-10] {
        let hair = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), tilt);
        for (shape, orientation) in [
            (Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.7, 0.9))), upright),
            (Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.7, 0.9))), DQuat::from_rotation_y(0.3)),
            (Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.5 }), upright),
            (Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.5 }), turned),
            (Shape::Capsule(Capsule { radius: 0.6, half_height: 0.5 }), turned),
            (Shape::TruncatedCone(TruncatedCone { lower_radius: 0.7, upper_radius: 0.3, height: 0.9 }), upright),
            (Shape::Tablet(Tablet { radius: 0.6, half_height: 0.5, dome_height: 0.3 }), turned),
            (Shape::Disc(Disc { radius: 0.8, half_thickness: 0.2 }), turned),
        ] {
            let pose = Pose::new(DVec3::new(2.0, -1.0, 0.4), hair * orientation);
            let found = contacts(&shape, &Surface::HalfSpace, &pose, f64::INFINITY);
            let mut expected = DVec3::new(2.0, -1.0, 0.0);
            if orientation == DQuat::from_rotation_y(0.3) {
                expected = found[0].point;
                expected.y = -1.0;
            }
            assert!((found[0].point - expected).length() < 1e-9, "{} tilt {tilt}: {found:?}", shape.name());
        }
    }
}

#[test]
fn inside_a_drum_the_deepest_point_of_the_body_decides() {
    let mut random = Sequence::new(2);
    let (radius, half_length) = (2.5, 2.0);
    let drum = closed_drum(radius, half_length);
    // A point's signed distance from the wall, seen from inside: exact for points inside and for points beyond one wall.
    let inside = |p: DVec3| (radius - p.truncate().length()).min(half_length - p.z.abs());
    for shape in convex_shapes() {
        for case in 0..60 {
            let pose = random.pose(1.3);
            let expected = least_over_surface(&shape, &pose, inside);
            let found = contacts(&shape, &drum, &pose, f64::INFINITY);
            // Far walls are met too at an infinite margin; none can be nearer than the nearest.
            assert!((least(&found) - expected).abs() < 2e-9, "{} case {case}: {expected} {found:?}", shape.name());
            assert_sound(&found, &shape, &pose, shape.name());
        }
    }
}

#[test]
fn inside_a_cone_the_deepest_point_of_the_body_decides() {
    let mut random = Sequence::new(3);
    let cone = Surface::Revolved(Revolved::cone(0.0, 12.0, 9.0).unwrap());
    let normal = DVec2::new(18.0, -12.0).normalize();
    let inside = |p: DVec3| -normal.dot(DVec2::new(p.truncate().length(), p.z + 9.0));
    for shape in convex_shapes() {
        for case in 0..60 {
            let mut pose = random.pose(1.5);
            pose.position.z += -3.0;
            let expected = least_over_surface(&shape, &pose, inside);
            let found = contacts(&shape, &cone, &pose, f64::INFINITY);
            assert!((least(&found) - expected).abs() < 2e-9, "{} case {case}: {expected} {found:?}", shape.name());
            assert_sound(&found, &shape, &pose, shape.name());
        }
    }
}

/// Separation of a grain from a solid body at the origin, and the normal in the solid's frame.
fn gap_to(shape: &Shape, solid: &Shape, pose: &Pose) -> (f64, DVec3) {
    let contact = narrow::contact(shape, solid, &pose.relative(&Pose::IDENTITY)).unwrap();
    (contact.separation, pose.transform_vector(contact.normal))
}

#[test]
fn outside_a_closed_drum_the_answer_is_that_of_a_solid_cylinder() {
    let (radius, half_length) = (0.7, 0.9);
    let drum = closed_drum(radius, half_length);
    let solid = Shape::Cylinder(Cylinder { radius, half_height: half_length });
    assert_answers_as_a_solid(&drum, &solid, Sequence::new(4), |_| f64::INFINITY);
}

#[test]
fn outside_a_mesh_of_a_cube_the_answer_is_that_of_a_solid_cube() {
    let solid = Shape::Polyhedron(cuboid(DVec3::splat(0.8)));
    // Not infinite: every corner of the far side would be asked of the general pair.
    assert_answers_as_a_solid(&cube_mesh(0.8), &solid, Sequence::new(5), |gap| gap.max(0.0) + 0.01);
}

/// Shapes outside the surface of a solid: the gap is that to the solid, and where they overlap a little, the shallowest way
/// out is among the contacts. `within` says how far to look, given the gap.
fn assert_answers_as_a_solid(surface: &Surface, solid: &Shape, mut random: Sequence, within: impl Fn(f64) -> f64) {
    let mut n_overlapping = 0;
    for shape in convex_shapes() {
        for case in 0..40 {
            let mut pose = random.pose(1.0);
            pose.position += pose.position.normalize() * random.between(0.5, 1.2);
            let (expected, direction) = gap_to(&shape, solid, &pose);
            let found = contacts(&shape, surface, &pose, within(expected));
            assert_sound(&found, &shape, &pose, shape.name());
            if expected > 0.0 {
                assert!(
                    (least(&found) - expected).abs() < 1e-8,
                    "{} case {case}: {expected} {direction} {found:?}",
                    shape.name()
                );
            } else if expected > -0.1 {
                n_overlapping += 1;
                let nearest = found.iter().map(|c| (c.separation - expected).abs()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-8, "{} case {case}: {expected} {direction} {found:?}", shape.name());
            }
        }
    }
    assert!(n_overlapping > 50, "{n_overlapping}");
}

#[test]
fn inside_a_mesh_of_a_box_every_wall_is_a_plane() {
    let mut random = Sequence::new(6);
    let mesh = cube_mesh(1.0);
    for shape in convex_shapes() {
        for case in 0..100 {
            let pose = random.pose(0.4);
            let found = contacts(&shape, &mesh, &pose, 0.05);
            assert_sound(&found, &shape, &pose, shape.name());
            let mut n_expected = 0;
            for normal in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
                let local = pose.inverse_transform_vector(normal);
                let farthest = pose.transform_point(shape.support(local));
                let separation = 1.0 - normal.dot(farthest);
                // A point in front of this wall but behind another has its foot beside this one.
                let aside = (farthest - normal * farthest.dot(normal)).abs().max_element() > 1.0;
                if separation > 0.05 || (separation > 0.0 && aside) {
                    continue;
                }
                n_expected += 1;
                let on_wall = found.iter().find(|c| (c.normal - normal).length() < 1e-12);
                assert!(
                    on_wall.is_some_and(|c| (c.separation - separation).abs() < 1e-12),
                    "{} case {case}: {separation} {found:?}",
                    shape.name()
                );
            }
            assert_eq!(found.len(), n_expected, "{} case {case}: {found:?}", shape.name());
        }
    }
}

#[test]
fn a_divided_floor_is_a_plane() {
    let mut random = Sequence::new(7);
    let mut poses = vec![Pose::IDENTITY];
    poses.extend((0..4).map(|_| random.pose(3.0)));
    for floor_pose in poses {
        let mesh = floor(12, 0.5, &floor_pose);
        for shape in convex_shapes() {
            let upright = Pose::new(DVec3::Z * 0.3, DQuat::IDENTITY);
            let mut bodies = vec![upright];
            bodies.extend((0..6).map(|_| Pose::new(DVec3::Z * 0.3, random.orientation())));
            for body in bodies {
                for step in 0..40 {
                    let at = DVec3::new(-1.0 + 0.05 * step as f64, 0.021 * step as f64 - 0.5, 0.0);
                    let on_floor = Pose::new(body.position + at, body.orientation);
                    let plane = contacts(&shape, &Surface::HalfSpace, &on_floor, 0.15);
                    let found = contacts(&shape, &mesh, &floor_pose.compose(&on_floor), 0.15);
                    assert_eq!(found.len(), plane.len(), "{}: {found:?} {plane:?}", shape.name());
                    for (one, other) in found.iter().zip(&plane) {
                        let expected = other.transformed(&floor_pose);
                        assert!((one.separation - expected.separation).abs() < 1e-12, "{}", shape.name());
                        assert!((one.normal - expected.normal).length() < 1e-12, "{}", shape.name());
                        // A superquadric's point is ill-conditioned; its height is not.
                        if !matches!(shape, Shape::Superquadric(_)) {
                            assert!(
                                (one.point - expected.point).length() < 1e-7,
                                "{}: {one:?} {expected:?}",
                                shape.name()
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_ball_as_a_superquadric_meets_what_a_ball_meets() {
    let mut random = Sequence::new(8);
    let radius = 0.4;
    let as_superquadric = Shape::Superquadric(Superquadric { semi_axes: DVec3::splat(radius), n1: 2.0, n2: 2.0 });
    let as_capsule = Shape::Capsule(Capsule { radius, half_height: 1e-9 });
    let revolved = |profile: &[[f64; 2]]| Surface::Revolved(Revolved::new(profile.to_vec()).unwrap());
    for (case, surface) in [
        closed_drum(1.0, 1.2),
        revolved(&[[0.0, -1.0], [0.7, -0.4], [1.0, 0.3], [0.5, 0.8]]),
        revolved(&[[0.6, -1.0], [1.2, 0.5]]),
        revolved(&[[0.6, -0.5], [1.2, -0.5], [1.2, 0.5], [0.6, 0.5], [0.6, -0.5]]),
        cube_mesh(0.9),
    ]
    .into_iter()
    .enumerate()
    {
        let mut n_contacts = 0;
        for _ in 0..400 {
            let pose = random.pose(1.4);
            let mut expected = Vec::new();
            surface.contacts_with_sphere(pose.position, radius, 0.05, &mut expected);
            expected.retain(|contact| !contact.is_pass());
            // What a ball meets on the far side is no minimum of the distance.
            if expected.iter().any(|c| c.feature % 2 == 1) && matches!(surface, Surface::Revolved(_)) {
                continue;
            }
            n_contacts += expected.len();
            for shape in [&as_superquadric, &as_capsule] {
                let mut found = contacts(shape, &surface, &pose, 0.05);
                found.retain(|contact| !contact.is_pass());
                assert_eq!(found.len(), expected.len(), "case {case}: {pose:?} {found:?} {expected:?}");
                for contact in &expected {
                    let agrees = found.iter().any(|c| {
                        (c.separation - contact.separation).abs() < 3e-9
                            && (c.normal - contact.normal).length() < 1e-7
                            && (c.point - contact.point).length() < 1e-7
                    });
                    assert!(agrees, "case {case}: {contact:?} {found:?}");
                }
            }
        }
        assert!(n_contacts > 100, "case {case}: {n_contacts}");
    }
}
