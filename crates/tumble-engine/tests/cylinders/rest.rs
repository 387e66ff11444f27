//! Cylinders come to rest: on a side, on an end, in a stack, in a pyramid, in a pile. At rest the kinetic energy is nothing
//! and nothing creeps.

use crate::samples::{DIAMETER, cylinder, grain, model, stiff_volume_law, with_grains};
use crate::support::{GRAVITY, closed_box, interaction, linear, on_threads, plane, run};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_engine::boundary::wall::Wall;
use tumble_engine::law::{ContactEnd, Law};
use tumble_engine::model::Limits;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Pose, Shape};

const R: f64 = 0.5 * DIAMETER;

/// Without drag: the contacts alone take the energy.
fn scene(shapes: &[Shape], law: Law, walls: Vec<Wall>, poses: &[(u16, Pose)], dt: f64) -> Model {
    let limits = Limits { overlap: 2.0, ..Limits::default() };
    let model = Model { gravity: GRAVITY, walls, limits, ..model(shapes, law, interaction(0.2, 0.5), dt) };
    let grains = poses.iter().map(|(k, pose)| grain(&model, *k, *pose, DVec3::ZERO, DVec3::ZERO)).collect();
    with_grains(model, grains)
}

/// Lets a scene settle, then watches it: kinetic energy over m g L of one grain, and the farthest drift over L.
fn watch(name: &str, model: Model, n_settling: u64, n_steps: u64, kinetic_bound: f64, drift_bound: f64) {
    on_threads(1, || {
        let dt = match model.time_step {
            tumble_engine::model::TimeStep::Fixed(dt) => dt,
            tumble_engine::model::TimeStep::Automatic { .. } => f64::NAN,
        };
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, n_settling);
        let before = by_id(&simulation);
        run(&mut simulation, n_steps);
        let drift = by_id(&simulation).iter().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max) / DIAMETER;
        let weight = simulation.state().particles.mass[0] * 9.81;
        let kinetic = simulation.kinetic_energy() / (weight * DIAMETER);
        println!(
            "{name}: after {:.2} s kinetic energy {kinetic:.1e} m g L, drift {drift:.1e} L in {:.2} s, {} contacts",
            n_settling as f64 * dt,
            n_steps as f64 * dt,
            simulation.n_contacts()
        );
        assert!(kinetic < kinetic_bound, "{name}: {kinetic:.1e}");
        assert!(drift < drift_bound, "{name}: {drift:.1e}");
    });
}

fn by_id(simulation: &Simulation) -> Vec<DVec3> {
    let p = &simulation.state().particles;
    let mut places: Vec<(u32, DVec3)> = p.id.iter().copied().zip(p.position.iter().copied()).collect();
    places.sort_by_key(|(id, _)| *id);
    places.into_iter().map(|(_, place)| place).collect()
}

/// Takes the energy of rolling, which no contact does [1/s].
const DRAG: f64 = 3.0;

fn floor() -> Vec<Wall> {
    vec![plane(DVec3::ZERO, DVec3::Z)]
}

fn lying() -> DQuat {
    DQuat::from_rotation_x(FRAC_PI_2)
}

fn laws() -> [(&'static str, Law, f64); 2] {
    [("depth", linear(1e5, ContactEnd::Clamped), 5e-5), ("volume", stiff_volume_law(1e6), 2e-5)]
}

#[test]
fn a_cylinder_rests_on_its_side_and_on_its_end() {
    for (name, law, dt) in laws() {
        for ratio in [0.5, 1.0, 3.0] {
            let shape = [cylinder(DIAMETER, ratio)];
            let on_side = Pose::new(DVec3::Z * (1.02 * R), lying());
            watch(
                &format!("{name}, H/D {ratio}, side"),
                scene(&shape, law, floor(), &[(0, on_side)], dt),
                20_000,
                5_000,
                1e-12,
                1e-9,
            );
            let on_end = Pose::from_position(DVec3::Z * ((ratio + 0.02) * R));
            watch(
                &format!("{name}, H/D {ratio}, end"),
                scene(&shape, law, floor(), &[(0, on_end)], dt),
                20_000,
                5_000,
                1e-12,
                1e-9,
            );
        }
    }
}

/// Dropped a little askew: it rocks to rest on its end.
#[test]
fn a_tilted_cylinder_rocks_to_rest_on_its_end() {
    let shape = [cylinder(DIAMETER, 0.8)];
    let pose = Pose::new(DVec3::Z * (0.95 * R), DQuat::from_rotation_x(0.1));
    watch(
        "volume, rocking",
        scene(&shape, stiff_volume_law(1e6), floor(), &[(0, pose)], 2e-5),
        100_000,
        10_000,
        1e-12,
        1e-8,
    );
}

#[test]
fn five_cylinders_stand_on_each_other() {
    watch("volume, stack", stack(5, 4e-5), 15_000, 3_000, 1e-12, 1e-9);
}

/// On their ends.
fn stack(n: u32, dt: f64) -> Model {
    let poses: Vec<_> = (0..n).map(|k| (0, Pose::from_position(DVec3::Z * (R * f64::from(2 * k + 1))))).collect();
    scene(&[cylinder(DIAMETER, 1.0)], stiff_volume_law(1e6), floor(), &poses, dt)
}

/// Rows of three, two and one on their sides, the lowest between two walls.
fn pyramid(law: Law, dt: f64) -> Model {
    let rise = R * 3f64.sqrt();
    let mut poses = Vec::new();
    for (row, n) in [3, 2, 1].into_iter().enumerate() {
        for k in 0..n {
            let x = R * (f64::from(2 * k) - f64::from(n - 1));
            poses.push((0, Pose::new(DVec3::new(x, 0.0, R + rise * row as f64), lying())));
        }
    }
    let walls = [plane(DVec3::X * (-3.0 * R), DVec3::X), plane(DVec3::X * (3.0 * R), DVec3::NEG_X)];
    let walls = floor().into_iter().chain(walls).collect();
    Model { drag: DRAG, ..scene(&[cylinder(DIAMETER, 1.5)], law, walls, &poses, dt) }
}

#[test]
fn a_pyramid_of_lying_cylinders_rests() {
    watch("volume, pyramid", pyramid(stiff_volume_law(1e6), 4e-5), 15_000, 3_000, 1e-12, 1e-7);
}

/// Cylinders of three ratios dropped into a box.
fn pile(law: Law, n: u32, dt: f64) -> Model {
    let shapes = [cylinder(DIAMETER, 0.5), cylinder(0.8 * DIAMETER, 1.0), cylinder(0.6 * DIAMETER, 2.0)];
    let mut random = Random::from_seed(21);
    let poses: Vec<_> = (0..n)
        .map(|k| {
            let (layer, place) = (k / 4, k % 4);
            let corner = DVec3::new(f64::from(place % 2) - 0.5, f64::from(place / 2) - 0.5, f64::from(layer) + 0.7);
            ((k % 3) as u16, Pose::new(corner * (1.4 * DIAMETER), random.orientation()))
        })
        .collect();
    let size = 1.5 * DIAMETER;
    let walls = closed_box(DVec3::new(-size, -size, 0.0), DVec3::new(size, size, 40.0 * size));
    Model { drag: DRAG, ..scene(&shapes, law, walls, &poses, dt) }
}

#[test]
fn a_pile_of_cylinders_comes_to_rest() {
    // A short time: the last of the motion is still there.
    watch("volume, pile", pile(stiff_volume_law(1e6), 6, 4e-5), 30_000, 2_000, 1e-3, 1e-1);
}

/// `cargo test -p tumble-engine --test cylinders -- --ignored --nocapture larger_pile`
#[test]
#[ignore = "minutes: the whole way to rest"]
fn a_larger_pile_of_cylinders_comes_to_rest() {
    watch("volume, pile", pile(stiff_volume_law(1e6), 20, 4e-5), 300_000, 30_000, 1e-12, 1e-8);
}

/// `cargo test -p tumble-engine --test cylinders -- --ignored --nocapture rest_for_ten_seconds`
#[test]
#[ignore = "minutes: the full size"]
fn stacks_and_pyramids_rest_for_ten_seconds() {
    watch("volume, stack", stack(10, 2e-5), 50_000, 500_000, 1e-12, 1e-9);
    watch("volume, pyramid", pyramid(stiff_volume_law(1e6), 2e-5), 200_000, 300_000, 1e-12, 1e-9);
}
