//! Boxes at rest: on an incline, about to topple, in a stack.

use crate::samples::{cuboid, grain, model, with_grains};
use crate::support::{GRAVITY, interaction, on_threads, plane, residual, run};
use glam::{DQuat, DVec3};
use tumble_engine::law::shaped::VolumeLaw;
use tumble_engine::law::{ContactEnd, Law, LawKind, RollingModel, VolumeExponent};
use tumble_engine::model::TimeStep;
use tumble_engine::{Model, Simulation};
use tumble_geometry::tolerance::{LAW_REGION, REGION};
use tumble_geometry::{Pose, Shape};

const EDGE: f64 = 0.1;

/// The volume law for boxes of about a decimetre.
fn law(normal_stiffness: f64, exponent: VolumeExponent) -> Law {
    let kind = LawKind::Volume {
        normal_stiffness,
        tangential_ratio: 2.0 / 7.0,
        exponent,
        length: Some(EDGE),
        region_tolerance: REGION,
    };
    Law { kind, end: ContactEnd::Clamped, rolling: RollingModel::Spring, ..Law::default() }
}

/// A box on a plane tilted about y by an angle (it is the gravity that tilts), sunk in by its weight.
fn on_incline(shape: Shape, size: DVec3, stiffness: f64, friction: f64, angle: f64, dt: f64) -> Simulation {
    let gravity = DQuat::from_rotation_y(-angle) * GRAVITY;
    let model = Model {
        gravity,
        walls: vec![plane(DVec3::ZERO, DVec3::Z)],
        ..model(&[shape], law(stiffness, VolumeExponent::ThreeHalves), interaction(0.05, friction), dt)
    };
    let (area, weight) = (size.x * size.y, 2500.0 * size.element_product() * -gravity.z);
    // The volume for which w'(V) A = weight.
    let law = VolumeLaw::new(stiffness, EDGE, VolumeExponent::ThreeHalves, 0.0);
    let volume_under = |area: f64| {
        let (mut low, mut high) = (0.0, EDGE.powi(3));
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if law.pressure(middle) * area < weight { low = middle } else { high = middle }
        }
        high
    };
    let depth = volume_under(area) / area;
    // Tilted gravity presses on a strip along the lower edge whose middle is below the centre; if that is narrower than the
    // base, the box leans onto it.
    let strip = 2.0 * (0.5 * size.x - 0.5 * size.z * angle.tan());
    let place = if strip > 0.0 && strip < 0.5 * size.x {
        let edge_depth = 2.0 * volume_under(strip * size.y) / (strip * size.y);
        let tilt = edge_depth / strip;
        let height = 0.5 * (size.x * tilt.sin() + size.z * tilt.cos()) - edge_depth;
        Pose::new(DVec3::Z * height, DQuat::from_rotation_y(tilt))
    } else {
        Pose::from_position(DVec3::Z * (0.5 * size.z - depth))
    };
    let placed = grain(&model, 0, place, DVec3::ZERO, DVec3::ZERO);
    Simulation::new(with_grains(model, vec![placed])).unwrap()
}

#[test]
fn a_box_on_an_incline_stays_or_slides() {
    on_threads(1, || {
        let (friction, dt): (f64, f64) = (0.5, 1e-5);
        // Flat enough not to topple.
        let size = DVec3::new(EDGE, EDGE, 0.4 * EDGE);
        let shape = || cuboid(size.x, size.y, size.z);
        let limit = friction.atan();
        let mut simulation = on_incline(shape(), size, 1e6, friction, limit - 0.5_f64.to_radians(), dt);
        run(&mut simulation, 20_000);
        let before = simulation.state().particles.position[0];
        run(&mut simulation, 20_000);
        let crept = simulation.state().particles.position[0].distance(before);
        println!("half a degree below the limit it crept {crept:.1e} m in {} s", 20_000.0 * dt);
        assert!(crept < 1e-6 * EDGE, "{crept}");

        let angle = limit + 5_f64.to_radians();
        let mut simulation = on_incline(shape(), size, 1e6, friction, angle, dt);
        run(&mut simulation, 5_000);
        let speed = simulation.state().particles.velocity[0].x;
        run(&mut simulation, 10_000);
        let found = (simulation.state().particles.velocity[0].x - speed).abs() / (10_000.0 * dt);
        let expected = 9.81 * (angle.sin() - friction * angle.cos());
        println!("five degrees above it slides at {found:.4} m/s^2, theory {expected:.4}");
        assert!((found / expected - 1.0).abs() < 0.01);
        assert!(residual(&simulation) < 1e-3);
    });
}

#[test]
fn a_tall_box_topples_beyond_its_angle() {
    on_threads(1, || {
        let (base, height) = (0.5 * EDGE, EDGE);
        let limit = (base / height).atan();
        for (offset, topples) in [(-0.5_f64, false), (0.5, true)] {
            let angle = limit + offset.to_radians();
            // Stiff, because near the limit the whole weight rests on a strip of 2 % of the base.
            let size = DVec3::new(base, EDGE, height);
            let mut simulation = on_incline(cuboid(size.x, size.y, size.z), size, 1e10, 1.0, angle, 1e-6);
            run(&mut simulation, 300_000);
            let tilt = (simulation.state().particles.orientation[0] * DVec3::Z).angle_between(DVec3::Z).to_degrees();
            println!("{offset:+} degrees from the limit of {:.2}: tilted by {tilt:.3} degrees", limit.to_degrees());
            assert_eq!(tilt > 0.5, topples, "{offset}: {tilt}");
        }
    });
}

#[test]
fn a_stack_of_ten_cubes_rests() {
    watch_a_stack(50_000);
}

/// Watched for ten seconds.
#[test]
#[ignore = "a minute or more: the full size of a_stack_of_ten_cubes_rests"]
fn a_stack_of_ten_cubes_rests_for_ten_seconds() {
    watch_a_stack(500_000);
}

fn watch_a_stack(n_steps: u64) {
    let dt = 2e-5;
    let model = Model {
        gravity: GRAVITY,
        walls: vec![plane(DVec3::ZERO, DVec3::Z)],
        ..model(&[cuboid(EDGE, EDGE, EDGE)], law(1e6, VolumeExponent::ThreeHalves), interaction(0.2, 0.5), dt)
    };
    let cubes = (0..10)
        .map(|k| {
            let pose = Pose::from_position(DVec3::Z * (EDGE * (0.5 + k as f64)));
            grain(&model, 0, pose, DVec3::ZERO, DVec3::ZERO)
        })
        .collect();
    on_threads(1, || {
        let mut simulation = Simulation::new(with_grains(model, cubes)).unwrap();
        run(&mut simulation, 50_000);
        let before = simulation.state().particles.position.clone();
        run(&mut simulation, n_steps);
        let p = &simulation.state().particles;
        let drift = p.position.iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let weight = p.mass[0] * 9.81;
        let kinetic = simulation.kinetic_energy() / (weight * EDGE);
        let base = simulation.state().walls[0].force.z / (10.0 * weight);
        println!(
            "drift {:.1e} edges in {} s, kinetic energy {kinetic:.1e} m g edge, base force {base:+.9} of the weight",
            drift / EDGE,
            n_steps as f64 * dt
        );
        assert!(drift < 1e-6 * EDGE, "{drift}");
        assert!(kinetic < 1e-10, "{kinetic}");
        assert!((base + 1.0).abs() < 1e-6, "{base}");
    });
}

/// Seconds that a body takes to turn about its lower edge from one angle past its balance to another, in radians, released at
/// rest at a third: the energy of a rigid pendulum, integrated.
fn pendulum(rate_squared: f64, released: f64, [from, to]: [f64; 2]) -> f64 {
    const N: usize = 10_000;
    let step = (to - from) / N as f64;
    let angle = |k: usize| from + (k as f64 + 0.5) * step;
    (0..N).map(|k| step / (2.0 * rate_squared * (released.cos() - angle(k).cos())).sqrt()).sum()
}

/// An edge sinks into the floor until it bears the weight: at too low a stiffness the body turns about a place inside it, and
/// falls too soon.
#[test]
fn a_domino_falls_about_its_edge_as_a_rigid_pendulum() {
    let size = DVec3::new(8e-3, 24e-3, 48e-3);
    let lean = (size.x / size.z).atan();
    let [released, from, to] = [2_f64, 5.0, 60.0].map(f64::to_radians);
    let arm = 0.5 * size.x.hypot(size.z);
    let rate_squared = 9.81 * arm / ((size.x * size.x + size.z * size.z) / 3.0);
    let expected = pendulum(rate_squared, released, [from, to]);
    let kind = LawKind::Volume {
        normal_stiffness: 2e7,
        tangential_ratio: 2.0 / 7.0,
        exponent: VolumeExponent::ThreeHalves,
        length: None,
        region_tolerance: LAW_REGION,
    };
    on_threads(1, || {
        let model = Model {
            gravity: GRAVITY,
            walls: vec![plane(DVec3::ZERO, DVec3::Z)],
            time_step: TimeStep::Automatic { safety: 4.0, speed: None },
            ..model(
                &[cuboid(size.x, size.y, size.z)],
                Law { kind, ..law(2e7, VolumeExponent::ThreeHalves) },
                interaction(0.5, 2.0),
                1.0,
            )
        };
        let orientation = DQuat::from_rotation_y(lean + released);
        let pose = Pose::new(DVec3::Z * arm * released.cos(), orientation);
        let placed = grain(&model, 0, pose, DVec3::ZERO, DVec3::ZERO);
        let mut simulation = Simulation::new(with_grains(model, vec![placed])).unwrap();
        let mut passes = |angle: f64| loop {
            simulation.step().unwrap();
            let axis = simulation.state().particles.orientation[0] * DVec3::Z;
            if axis.x.atan2(axis.z) - lean >= angle {
                return simulation.time();
            }
        };
        let found = -passes(from) + passes(to);
        println!("{found:.4} s from 5 to 60 degrees, a rigid pendulum {expected:.4} s");
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    });
}
