//! A face at rest that tilts slowly: its contact point moves and does not jump.

use crate::definition::*;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_geometry::narrow::contact_bodies;
use tumble_geometry::oracle;
use tumble_geometry::{
    Clump, ContactBody, Cylinder, DEFAULT_CROWN, Mesh, Part, Pose, Revolved, Shape, Superquadric, Surface,
};

/// What a body of revolution rests on: a partner or a wall with a top that is at z = 0 near the z axis.
enum Ground {
    Body(ContactBody, Pose),
    Wall(Surface, Pose),
}

impl Ground {
    /// The point of the contact, or the middle of the forces of those with a wall under a linear law.
    fn point(&self, body: &ContactBody, pose: &Pose) -> DVec3 {
        match self {
            Ground::Body(other, place) => {
                let contact = contact_bodies(body, other, &pose.relative(place), None, f64::INFINITY).unwrap().unwrap();
                assert!(contact.separation < 0.0, "{contact:?}");
                pose.transform_point(0.5 * (contact.point_a + contact.point_b))
            }
            Ground::Wall(surface, place) => {
                let found = contacts(body, surface, &place.relative(pose), 0.0);
                let force: f64 = found.iter().map(|c| -c.weight * c.separation).sum();
                let moment: DVec3 = found.iter().map(|c| -c.weight * c.separation * c.point).sum();
                place.transform_point(moment / force)
            }
        }
    }
}

/// Grounds that are flat.
fn flat_grounds() -> Vec<(&'static str, Ground)> {
    let below = |depth: f64| Pose::from_position(DVec3::new(0.0, 0.0, -depth));
    let floor = |x: f64| [[-x, -x, 0.0], [x, -x, 0.0], [x, x, 0.0], [-x, x, 0.0]].map(DVec3::from).to_vec();
    let mesh = Mesh::new(floor(3.0), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let drum = Revolved::closed_cylinder(4.0, 2.0, true, true).unwrap();
    let slab = Shape::Polyhedron(oracle::box_of(DVec3::new(2.0, 2.0, 0.3)));
    let clump = Clump::from_trusted_parts(vec![
        Part { shape: slab.clone(), pose: Pose::IDENTITY },
        Part { shape: Shape::Cylinder(Cylinder { radius: 0.1, half_height: 0.2 }), pose: Pose::IDENTITY },
    ]);
    let cylinder = Shape::Cylinder(Cylinder { radius: 0.8, half_height: 0.4 });
    let rounded = Shape::Superquadric(Superquadric { semi_axes: DVec3::new(2.0, 2.0, 0.5), n1: 8.0, n2: 4.0 });
    let body = |shape: &Shape, depth: f64| Ground::Body(ContactBody::new(shape, DEFAULT_CROWN), below(depth));
    vec![
        ("half-space", Ground::Wall(Surface::HalfSpace, Pose::IDENTITY)),
        ("mesh", Ground::Wall(Surface::Mesh(mesh), Pose::IDENTITY)),
        ("floor of a drum", Ground::Wall(Surface::Revolved(drum), below(-2.0))),
        ("box", body(&slab, 0.3)),
        ("clump", body(&Shape::Clump(clump), 0.3)),
        ("cylinder", body(&cylinder, 0.4 + 2e-4)),
        ("superquadric", body(&rounded, 0.5)),
    ]
}

/// The largest change of the contact point in a step of a slow tilt about a horizontal axis, from one side to the other.
fn largest_change(ground: &Ground, body: &ContactBody, upright: DQuat, height: f64, step: f64) -> f64 {
    let axis = DVec3::new(0.8, 0.6, 0.0);
    let mut largest: f64 = 0.0;
    let mut before: Option<DVec3> = None;
    for k in -400..=400 {
        let pose = Pose::new(DVec3::Z * height, DQuat::from_axis_angle(axis, step * f64::from(k)) * upright);
        let point = ground.point(body, &pose);
        if let Some(before) = before {
            largest = largest.max(before.distance(point));
        }
        before = Some(point);
    }
    largest
}

#[test]
fn the_contact_of_a_face_at_rest_moves_with_its_tilt_and_does_not_jump() {
    const STEP: f64 = 1e-5;
    let shape = Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.5 });
    for (name, ground) in flat_grounds() {
        let lying = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(FRAC_PI_2);
        for (way, upright, height, half_chord) in [("end", DQuat::IDENTITY, 0.5, 0.6), ("side", lying, 0.6, 0.5)] {
            let height = height - 2e-3;
            let crowned = ContactBody::new(&shape, DEFAULT_CROWN);
            let bulge = crowned.bulge();
            let arc = (half_chord * half_chord + bulge * bulge) / (2.0 * bulge);
            let change = largest_change(&ground, &crowned, upright, height, STEP);
            assert!(change <= 1.5 * arc * STEP, "{way} on {name}: {change} is more than {}", arc * STEP);
            // The flat cylinder goes from one rim to the other at once, but not on what is round itself.
            if name != "superquadric" && name != "cylinder" {
                let flat = ContactBody::new(&shape, 0.0);
                let jump = largest_change(&ground, &flat, upright, height, STEP);
                assert!(jump > 0.3 * half_chord, "{way} on {name}: {jump}");
            }
        }
    }
}

#[test]
fn the_contact_in_a_drum_moves_with_the_tilt_and_does_not_jump() {
    const STEP: f64 = 1e-5;
    let shape = Shape::Cylinder(Cylinder { radius: 0.1, half_height: 0.1 });
    let body = ContactBody::new(&shape, DEFAULT_CROWN);
    // A drum about x, so wide that both ends of a face that lies in it go over into each other.
    let drum = Surface::Revolved(Revolved::tube(10.0, 2.0).unwrap());
    let place = Pose::new(DVec3::Z * 10.0, DQuat::from_rotation_y(FRAC_PI_2));
    let ground = Ground::Wall(drum, place);
    let bulge = body.bulge();
    let arc = (0.01 + bulge * bulge) / (2.0 * bulge);
    for (way, upright) in [
        ("end", DQuat::IDENTITY),
        ("side along the drum", DQuat::from_rotation_y(FRAC_PI_2)),
        ("side across the drum", DQuat::from_rotation_x(FRAC_PI_2)),
        ("side askew", DQuat::from_rotation_z(0.3) * DQuat::from_rotation_y(FRAC_PI_2)),
    ] {
        let change = largest_change(&ground, &body, upright, 0.1 - 1e-3, STEP);
        // From one end to the other while they differ in depth by the bulge: eight times as fast as on a plane.
        assert!(change <= 9.0 * arc * STEP, "{way}: {change} is more than {}", arc * STEP);
        assert!(change < 0.1 * shape.bounding_radius(), "{way}: {change}");
    }
}
