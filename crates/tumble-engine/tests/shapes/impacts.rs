//! Rigid impact of a cube that falls on its edge, against the formula for a stiff contact: with lever
//! a = (edge/2) (cos t - sin t), I = m edge^2 / 6,  V'/V = (1 + e) / (1 + m a^2 / I) - 1 and
//! w' edge / V = (1 + e) (m a edge / I) / (1 + m a^2 / I).

use crate::samples::{cuboid, grain, model, volume_law, with_grains};
use crate::support::{assert_close, impact, interaction, linear, plane};
use glam::{DQuat, DVec3};
use tumble_engine::Model;
use tumble_engine::law::{ContactEnd, Law, LawKind, VolumeExponent};
use tumble_geometry::Pose;
use tumble_geometry::tolerance::REGION;

/// Tilt in degrees, e, V'/V and w' edge / V: the table of the theory.
const TABLE: [(f64, f64, f64, f64); 10] = [
    (10.0, 1.0, 0.0066, 2.4494),
    (20.0, 1.0, 0.3022, 2.3349),
    (30.0, 1.0, 0.6653, 1.8287),
    (40.0, 1.0, 0.9554, 0.7231),
    (45.0, 1.0, 1.0, 0.0),
    (10.0, 0.7, -0.1444, 2.0820),
    (20.0, 0.7, 0.1069, 1.9847),
    (30.0, 0.7, 0.4155, 1.5544),
    (40.0, 0.7, 0.6621, 0.6146),
    (45.0, 0.7, 0.7, 0.0),
];

const EDGE: f64 = 0.1;
const SPEED: f64 = 1.0;

/// A cube on its way down to a plane, turned about y by the tilt: velocity up and spin after the impact.
fn edge_impact(law: Law, tilt: f64, restitution: f64, dt: f64) -> (f64, f64) {
    let cube = model(&[cuboid(EDGE, EDGE, EDGE)], law, interaction(restitution, 0.0), dt);
    let (sine, cosine) = tilt.to_radians().sin_cos();
    // Height of the centre over the lowest edge, and a little more.
    let height = 0.5 * EDGE * (sine + cosine) + 1e-6;
    let pose = Pose::new(DVec3::Z * height, DQuat::from_rotation_y(tilt.to_radians()));
    let falling = grain(&cube, 0, pose, DVec3::NEG_Z * SPEED, DVec3::ZERO);
    let found = impact(with_grains(Model { walls: vec![plane(DVec3::ZERO, DVec3::Z)], ..cube }, vec![falling]));
    (found.velocity.z / SPEED, found.angular_velocity.y.abs() * EDGE / SPEED)
}

fn check(name: &str, law: Law, dt: f64) {
    for (tilt, restitution, velocity, spin) in TABLE {
        let (found_velocity, found_spin) = edge_impact(law, tilt, restitution, dt);
        println!(
            "{name}, {tilt} degrees, e = {restitution}: {found_velocity:.4} | {found_spin:.4}, theory {velocity} | {spin}"
        );
        // Half a per cent of the speeds in play: the relative velocity before for V', the largest spin for w'.
        assert!((found_velocity - velocity).abs() < 0.005, "{name} {tilt} {restitution}: {found_velocity}");
        assert!((found_spin - spin).abs() < 0.005 * 2.4494, "{name} {tilt} {restitution}: {found_spin}");
    }
}

#[test]
fn a_cube_rebounds_from_its_edge_as_a_rigid_body_under_the_depth_law() {
    // Contact time of 2.5 kg on 1e9 N/m, over 400.
    check("depth", linear(1e9, ContactEnd::Clamped), 4e-7);
}

#[test]
fn a_cube_rebounds_from_its_edge_as_a_rigid_body_under_the_volume_law() {
    {
        // An edge meets the plane with little volume: the face's stiffness is a thousand times higher.
        let kind = LawKind::Volume {
            normal_stiffness: 1e12,
            tangential_ratio: 2.0 / 7.0,
            exponent: VolumeExponent::ThreeHalves,
            length: Some(EDGE),
            region_tolerance: REGION,
        };
        check("volume", Law { kind, ..volume_law(VolumeExponent::ThreeHalves) }, 2e-7);
    }
}

/// A corner exactly below the centre: V' = e V and no spin.
#[test]
fn a_cube_rebounds_from_its_corner_without_spin() {
    for restitution in [1.0, 0.6] {
        let law = linear(1e9, ContactEnd::Clamped);
        let cube = model(&[cuboid(EDGE, EDGE, EDGE)], law, interaction(restitution, 0.0), 1e-7);
        let corner = DVec3::ONE.normalize();
        let pose =
            Pose::new(DVec3::Z * (EDGE * 0.75_f64.sqrt() + 1e-6), DQuat::from_rotation_arc(corner, DVec3::NEG_Z));
        let falling = grain(&cube, 0, pose, DVec3::NEG_Z * SPEED, DVec3::ZERO);
        let found = impact(with_grains(Model { walls: vec![plane(DVec3::ZERO, DVec3::Z)], ..cube }, vec![falling]));
        assert_close(found.velocity.z / SPEED, restitution, 2e-3, "rebound from a corner");
        assert!(found.angular_velocity.length() * EDGE / SPEED < 1e-6);
    }
}
