//! Cylinders come to rest: on a side, on an end, in a stack, in a pyramid, in a pile. At rest the kinetic energy is nothing
//! and nothing creeps.

use crate::samples::{DIAMETER, cylinder, grain, model, stiff_volume_law, with_grains};
use crate::support::{GRAVITY, closed_box, interaction, linear, on_threads, plane, residual, run};
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_engine::boundary::wall::Wall;
use tumble_engine::law::shaped::VolumeLaw;
use tumble_engine::law::{ContactEnd, Law, VolumeExponent};
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
fn watch(name: &str, model: Model, n_settling: u64, n_steps: u64, kinetic_bound: f64, drift_bound: f64) -> Simulation {
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
        simulation
    })
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

/// Under a depth law, whose contact point would jump from rim to rim if faces were exactly flat: dropped askew, a rod on its
/// side, a disc on its end, one disc on another and one on two come to rest, and the energy balance stays as it was.
#[test]
fn what_lies_on_a_face_comes_to_rest_and_the_ledger_stays() {
    let law = linear(1e5, ContactEnd::Clamped);
    let askew = DQuat::from_rotation_y(0.02);
    let (rod, disc) = ([cylinder(DIAMETER, 3.0)], [cylinder(DIAMETER, 0.5)]);
    let at = |y: f64, z: f64, turn: DQuat| (0, Pose::new(DVec3::new(0.0, y * R, z * R), turn));
    let upright = DQuat::IDENTITY;
    let scene_of = |shape: &[Shape], poses: &[(u16, Pose)]| scene(shape, law, floor(), poses, 5e-5);
    let scenes = [
        ("rod on its side", scene_of(&rod, &[at(0.0, 1.1, DQuat::from_rotation_x(FRAC_PI_2 - 0.02))])),
        ("disc on its end", scene_of(&disc, &[at(0.0, 0.6, askew)])),
        ("disc on a disc", scene_of(&disc, &[at(0.0, 0.51, upright), at(0.3, 1.6, askew)])),
        ("disc on two", scene_of(&disc, &[at(-1.1, 0.51, upright), at(1.1, 0.51, upright), at(0.1, 1.6, askew)])),
    ];
    for (name, model) in scenes {
        let model = Model { drag: DRAG, ..model };
        let mut simulation = watch(name, model, 200_000, 10_000, 1e-20, 1e-9);
        let before = residual(&simulation);
        run(&mut simulation, 20_000);
        let grown = (residual(&simulation) - before).abs();
        println!("{name}: residual {before:.1e}, grown by {grown:.1e}");
        assert!(grown < 1e-10, "{name}: {grown:.1e}");
    }
}

/// In so short a time they stay exactly upright: see [`lean`].
#[test]
fn five_cylinders_stand_on_each_other() {
    watch("volume, stack", stack(5, 0.0, 4e-5), 15_000, 3_000, 1e-12, 1e-9);
}

/// On their ends, each a share of the diameter farther to one side than the one below.
fn stack(n: u32, aside: f64, dt: f64) -> Model {
    let place = |k: u32| DVec3::new(f64::from(k) * aside * DIAMETER, 0.0, R * f64::from(2 * k + 1));
    let poses: Vec<_> = (0..n).map(|k| (0, Pose::from_position(place(k)))).collect();
    scene(&[cylinder(DIAMETER, 1.0)], stiff_volume_law(STIFFNESS), floor(), &poses, dt)
}

/// Stiffness of the volume law of the stacks [N/m].
const STIFFNESS: f64 = 1e6;

/// The lean from which the end of a cylinder begins to lift off, under a load [rad]: its depth over its radius.
///
/// The volume law presses evenly, so a face that is all in contact bears no moment: the force stays in the middle of the
/// end however the body leans. A body that stands upright is a pendulum on its head. It leaves that place at the rate
/// sqrt(m g h / (I + m h^2)), h the height of its centre: 11.1/s for H = D = 0.1 m. In a stack under a load P neighbours
/// can lean against each other too, at up to sqrt(P H / I): 82/s under ten. So 1e-16 has grown to a lean in 0.5 s to 4 s.
/// How long a stack stays exactly upright is a matter of rounding, and nothing to ask of it.
///
/// Beyond this lean, 1.5e-3 under ten cylinders, a part of the end lifts off and the force moves towards the rim, by 0.06 R
/// at 1.5 times the lean. The stiffness there is about P R / (8 lean) = P * 4 m; the weights of a column of 1 m, their
/// middle at 0.5 m, ask for about P * 0.5 m. So a stack rests, with every end somewhat beyond its lean, all to one side. To
/// a straight stack all sides are alike: it goes round slowly, which as in rolling takes no energy from the contacts.
fn lean(load: f64) -> f64 {
    let law = VolumeLaw::new(STIFFNESS, DIAMETER, VolumeExponent::ThreeHalves, 0.0);
    let area = PI * R * R;
    let (mut low, mut high) = (0.0, R);
    for _ in 0..100 {
        let depth = 0.5 * (low + high);
        if law.pressure(area * depth) * area < load { low = depth } else { high = depth }
    }
    high / R
}

/// How far from the axis the force acts on an end that leans by a number of times [`lean`] [m]. What is below the floor is a
/// wedge, of a section of half angle p: with a = p - sin p cos p, its area is R^2 a and its volume
/// R^3 tan(lean) (2/3 sin^3 p - a cos p). The load is in proportion to the area and the root of the volume.
fn offset(times: f64) -> f64 {
    let segment = |p: f64| p - p.sin() * p.cos();
    let times_at = |p: f64| PI.powi(3) / (segment(p).powi(2) * (2.0 / 3.0 * p.sin().powi(3) - segment(p) * p.cos()));
    let (mut low, mut high) = (FRAC_PI_2, PI);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if times_at(middle) > times { low = middle } else { high = middle }
    }
    2.0 / 3.0 * R * low.sin().powi(3) / segment(low)
}

/// How far an axis is from upright [rad].
fn leaning(simulation: &Simulation, grain: usize) -> f64 {
    (simulation.state().particles.orientation[grain] * DVec3::Z).truncate().length().asin()
}

/// It leaves its upright place as a pendulum on its head does, and stops where its end begins to lift off.
#[test]
fn a_cylinder_on_its_end_leans_by_its_depth_over_its_radius() {
    let pose = Pose::new(DVec3::Z * R, DQuat::from_rotation_x(1e-9));
    let dt = 2e-5;
    let model = scene(&[cylinder(DIAMETER, 1.0)], stiff_volume_law(STIFFNESS), floor(), &[(0, pose)], dt);
    on_threads(1, || {
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, 25_000);
        let early = leaning(&simulation, 0);
        run(&mut simulation, 10_000);
        let rate = (leaning(&simulation, 0) / early).ln() / (10_000.0 * dt);
        // I = m (R^2 / 4 + H^2 / 12) with H = 2 R.
        let expected_rate = (9.81 / R / (0.25 + 1.0 / 3.0 + 1.0)).sqrt();
        run(&mut simulation, 30_000);
        let times = leaning(&simulation, 0) / lean(simulation.state().particles.mass[0] * 9.81);
        println!("lean: rate {rate:.3} of {expected_rate:.3} 1/s, at rest {times:.4} times the depth over the radius");
        assert!((rate / expected_rate - 1.0).abs() < 1e-3);
        // A little further, so that the floor presses below its centre: 9e-4 of it.
        assert!(times > 1.0 && times < 1.002);
        assert!(simulation.kinetic_energy() < 1e-12 * simulation.state().particles.mass[0] * 9.81 * DIAMETER);
    });
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
    watch("volume, pyramid", pyramid(stiff_volume_law(1e6), 4e-5), 25_000, 3_000, 1e-12, 1e-7);
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

/// `cargo test -p tumble-engine --test cylinders -- --ignored --nocapture rests_for_ten_seconds`
#[test]
#[ignore = "minutes: the full size"]
fn a_pyramid_rests_for_ten_seconds() {
    watch("volume, pyramid", pyramid(stiff_volume_law(1e6), 2e-5), 200_000, 500_000, 1e-12, 1e-9);
}

/// Set a little to one side, so that it knows where to lean: see [`lean`]. The floor presses below the middle of its weight.
#[test]
#[ignore = "minutes: the full size"]
fn a_stack_of_ten_leans_and_rests_for_ten_seconds() {
    let n = 10;
    let model = Model { drag: DRAG, ..stack(n, 5e-3, 4e-5) };
    let simulation = watch("volume, stack", model, 375_000, 250_000, 1e-12, 1e-9);
    let p = &simulation.state().particles;
    let load = f64::from(n) * p.mass[0] * 9.81;
    let lowest = (0..p.id.len()).min_by(|&a, &b| p.position[a].z.total_cmp(&p.position[b].z)).unwrap();
    let times = leaning(&simulation, lowest) / lean(load);
    // Where the axis of the lowest meets the floor.
    let axis = p.orientation[lowest] * DVec3::Z;
    let foot = p.position[lowest] - axis * (p.position[lowest].z / axis.z);
    let middle = p.position.iter().sum::<DVec3>() / f64::from(n);
    let (found, expected) = ((middle - foot).truncate().length(), offset(times));
    println!(
        "the lowest leans by {times:.4} times its depth over its radius, weight {found:.6e} m aside of {expected:.6e}"
    );
    assert!(times > 1.0);
    // They are 3e-5 apart; the formulas are for small leans.
    assert!((found / expected - 1.0).abs() < 1e-3);
}
