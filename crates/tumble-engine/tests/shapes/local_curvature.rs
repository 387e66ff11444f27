//! Hertz's law with the curvatures where bodies touch: against the closed form of elliptic contact, with elliptic integrals by quadrature,
//! and that it has an energy.

use crate::gradient;
use crate::samples::{elastic, grain, model, with_grains};
use crate::support::{GRAIN, interaction, plane, run, spheres};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{Curvature, Law, LawKind, MindlinTangential};
use tumble_engine::model::{Material, Species, TimeStep};
use tumble_engine::random::Random;
use tumble_engine::time_step::automatic;
use tumble_engine::{Model, Simulation};
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::{Pose, Shape, Sphere, Superquadric};

pub fn local_law() -> Law {
    let kind = LawKind::HertzMindlin { tangential: MindlinTangential::Rescaled, curvature: Curvature::Local };
    Law { kind, ..Law::default() }
}

fn superquadric(axes: [f64; 3], n1: f64, n2: f64) -> Shape {
    Shape::Superquadric(Superquadric { semi_axes: DVec3::from_array(axes), n1, n2 })
}

fn smooth_pairs() -> Vec<(String, [Shape; 2])> {
    let ball = Shape::Sphere(Sphere { radius: 0.5 });
    let egg = superquadric([0.6, 0.45, 0.35], 2.0, 2.0);
    let lentil = superquadric([0.5, 0.5, 0.25], 2.0, 2.0);
    let cobble = superquadric([0.5, 0.4, 0.45], 4.0, 4.0);
    let die = superquadric([0.5, 0.45, 0.4], 8.0, 8.0);
    let pill = superquadric([0.4, 0.4, 0.5], 8.0, 2.0);
    let pair = |name: &str, a: &Shape, b: &Shape| (name.to_owned(), [a.clone(), b.clone()]);
    vec![
        pair("ball - ball", &ball, &ball),
        pair("ball - egg", &ball, &egg),
        pair("egg - egg", &egg, &egg),
        pair("egg - lentil", &egg, &lentil),
        pair("cobble - egg", &cobble, &egg),
        pair("cobble - cobble", &cobble, &cobble),
        pair("die - egg", &die, &egg),
        pair("pill - cobble", &pill, &cobble),
    ]
}

/// K and E of a parameter by the midpoint rule.
fn elliptic_integrals(m: f64) -> (f64, f64) {
    const N: usize = 4_000;
    let root = |k: usize| (1.0 - m * ((k as f64 + 0.5) * PI / (2 * N) as f64).sin().powi(2)).sqrt();
    let sum = |f: &dyn Fn(f64) -> f64| (0..N).map(|k| f(root(k))).sum::<f64>() * PI / (2 * N) as f64;
    (sum(&|root| 1.0 / root), sum(&|root| root))
}

/// Hertz's force over E* at a depth, for a gap A x^2 + B y^2, by bisection for the ratio of the axes: Johnson (1985), 4.24 to 4.32.
fn hertz_force([low, high]: [f64; 2], depth: f64) -> f64 {
    let gap_ratio = |beta: f64| {
        let (k, e) = elliptic_integrals(1.0 - beta * beta);
        (k - e) / (e / (beta * beta) - k)
    };
    let (mut less, mut more) = (1e-3, 1.0 - 1e-9);
    for _ in 0..60 {
        let middle = 0.5 * (less + more);
        if gap_ratio(middle) < low / high { less = middle } else { more = middle }
    }
    let beta = 0.5 * (less + more);
    let (k, e) = elliptic_integrals(1.0 - beta * beta);
    // depth = p0 b K / E*, A + B = p0 E / (E* b), F = 2/3 pi p0 a b.
    let b = (depth * e / (k * (low + high))).sqrt();
    2.0 / 3.0 * PI * (depth / (b * k)) * (b / beta) * b
}

/// E* of two bodies of the samples' material.
fn modulus(model: &Model) -> f64 {
    let material = &model.materials[0];
    material.young_modulus / (2.0 * (1.0 - material.poisson_ratio * material.poisson_ratio))
}

#[test]
fn crossed_ellipsoids_press_on_each_other_as_hertz_has_it() {
    let shape = superquadric([0.6, 0.45, 0.35], 2.0, 2.0);
    let model = model(&[shape.clone(), shape], local_law(), elastic(), 1e-4);
    // At the end of an axis c the curvatures of an ellipsoid are c/a^2 and c/b^2.
    let (ka, kb) = (0.35 / 0.36, 0.35 / 0.2025);
    for angle in [0.0_f64, 0.3, 0.8, PI / 2.0] {
        // The sum of both operators, one turned by the angle: its eigenvalues.
        let half = (kb - ka) * angle.cos();
        let sums = [ka + kb - half, ka + kb + half];
        for depth in [1e-5, 1e-3] {
            let pose = Pose::new(DVec3::Z * (0.7 - depth), DQuat::from_rotation_z(angle));
            let wrench = elastic_wrench(&model, [0, 1], [Pose::IDENTITY, pose]);
            let expected = modulus(&model) * hertz_force(sums.map(|k| 0.5 * k), depth);
            assert!((wrench.force.length() / expected - 1.0).abs() < 2e-7, "{angle} {depth}");
            // At a right angle nothing turns them; between they turn to where they are softest.
            let turned = wrench.torque_b.z.abs() / (wrench.force.length() * depth);
            assert!(if angle == 0.3 || angle == 0.8 { turned > 1e-3 } else { turned < 1e-9 }, "{angle}: {turned}");
        }
    }
}

#[test]
fn equal_balls_and_round_superquadrics_are_spheres() {
    let [ball, round] = [Shape::Sphere(Sphere { radius: 0.5 }), superquadric([0.5; 3], 2.0, 2.0)];
    let model = model(&[ball, round], local_law(), elastic(), 1e-4);
    let depth: f64 = 1e-3;
    let expected = 4.0 / 3.0 * modulus(&model) * (0.25 * depth).sqrt() * depth;
    let mut random = Random::from_seed(2);
    for pair in [[0, 0], [0, 1], [1, 1]] {
        let poses =
            [Pose::new(DVec3::ZERO, random.orientation()), Pose::new(DVec3::X * (1.0 - depth), random.orientation())];
        let wrench = elastic_wrench(&model, pair, poses);
        assert!((wrench.force - DVec3::NEG_X * expected).length() < 1e-9 * expected, "{pair:?} {wrench:?} {expected}");
        assert!((wrench.energy / (0.4 * expected * depth) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn force_and_torque_are_the_gradient_of_the_energy() {
    gradient::check_poses("Hertz, local curvatures", local_law(), smooth_pairs(), 60);
}

/// The stiffest contact decides the step: that of the flattest places.
#[test]
fn the_automatic_step_knows_the_flattest_places() {
    let lentil = superquadric([0.5, 0.5, 0.25], 2.0, 2.0);
    let step = |law: Law| {
        let model = model(std::slice::from_ref(&lentil), law, elastic(), 1e-4);
        let grains = vec![grain(&model, 0, Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO)];
        automatic(&with_grains(model, grains), 1.0, Some(10.0))
    };
    let (local, body) = (step(local_law()), step(Law::default()));
    assert!(body.reason.contains("Hertz contact time"), "{}", body.reason);
    // Radii of curvature of 1 m where they are flattest, and the ball of the same volume.
    let radii = [0.5, 0.5 * 0.0625_f64.cbrt()];
    let expected = (radii[1] / radii[0]).powf(0.2);
    assert!((local.time_step / body.time_step / expected - 1.0).abs() < 1e-9, "{local:?} {body:?}");
}

#[test]
fn what_has_no_one_curvature_is_refused() {
    let refused = |shape: &Shape, law: Law| {
        let mut builder = Model::builder();
        let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
        let material = builder.material(glass);
        let kind = builder.species("grain", shape, material);
        builder.grain(kind, DVec3::ZERO);
        builder.law(law);
        builder.build().err().map(|error| error.to_string())
    };
    let squarish = superquadric([0.5; 3], 2.0, 8.0);
    assert!(refused(&squarish, local_law()).is_some_and(|message| message.contains("no one curvature at its poles")));
    assert_eq!(refused(&squarish, Law::default()), None);
    let round = superquadric([0.5; 3], 8.0, 8.0);
    assert_eq!(refused(&round, local_law()), None);
    let midway = Law { contact_method: ContactMethod::Midway, ..local_law() };
    assert!(refused(&round, midway).is_some_and(|message| message.contains("not with the method \"midway\"")));
}

/// A model of one grain over a rigid floor.
fn over_floor(shape: &Shape, restitution: f64, time_step: TimeStep) -> Model {
    let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 1e9, poisson_ratio: 0.25 };
    let base = spheres(local_law(), glass, interaction(restitution, 0.0), time_step);
    Model {
        species: vec![Species::new("grain", shape, GRAIN)],
        walls: vec![plane(DVec3::ZERO, DVec3::Z)],
        gravity: DVec3::NEG_Z * 9.81,
        ..base
    }
}

/// An ellipsoid that lies on its flattest side sinks in as far as its weight presses it.
#[test]
fn an_ellipsoid_rests_on_a_plane_as_deep_as_hertz_has_it() {
    let axes = [0.6, 0.45, 0.35];
    let shape = superquadric(axes, 2.0, 2.0);
    let model = over_floor(&shape, 0.2, TimeStep::Automatic { safety: 1.0, speed: Some(0.05) });
    let upright = Pose::from_position(DVec3::Z * 0.35);
    let start = grain(&model, 0, upright, DVec3::ZERO, DVec3::ZERO);
    let material = model.materials[0].clone();
    let mut simulation = Simulation::new(with_grains(model, vec![start])).unwrap();
    while simulation.time() < 0.5 {
        run(&mut simulation, 100);
    }
    let depth = 0.35 - simulation.state().particles.position[0].z;
    let rigid = material.young_modulus * 1e6;
    let compliance = (1.0 - material.poisson_ratio.powi(2)) * (1.0 / material.young_modulus + 1.0 / rigid);
    let weight = 9.81 * material.density * 4.0 / 3.0 * PI * axes.iter().product::<f64>();
    let [low, high] = [0.5 * 0.35 / 0.36, 0.5 * 0.35 / 0.2025];
    let force = hertz_force([low, high], depth) / compliance;
    assert!((force / weight - 1.0).abs() < 1e-6, "{force} {weight}");
}

/// A grain that rolls and bounces on a plane: walls have the same energy as pairs.
#[test]
fn bounces_on_a_plane_keep_the_energy_better_with_shorter_steps() {
    for shape in [superquadric([0.6, 0.45, 0.35], 2.0, 2.0), superquadric([0.5, 0.4, 0.45], 4.0, 4.0)] {
        let error = |safety: f64| {
            let model = over_floor(&shape, 1.0, TimeStep::Automatic { safety, speed: Some(2.0) });
            let pose = Pose::new(DVec3::Z * 0.7, DQuat::from_euler(glam::EulerRot::XYZ, 0.5, 0.3, 0.0));
            let start = grain(&model, 0, pose, DVec3::NEG_Z * 0.5, DVec3::new(0.3, -0.5, 1.0));
            let mut simulation = Simulation::new(with_grains(model, vec![start])).unwrap();
            let first = simulation.energies().total();
            let mut largest: f64 = 0.0;
            while simulation.time() < 2.0 {
                run(&mut simulation, 5);
                // In a contact the energy of a step swings; what it has cost shows after it.
                if simulation.n_contacts() == 0 {
                    largest = largest.max((simulation.energies().total() / first - 1.0).abs());
                }
            }
            largest
        };
        let errors = [error(1.0), error(0.25)];
        println!("{shape:?}: {errors:?}");
        assert!(errors[0] < 1e-3 && errors[1] < 0.2 * errors[0], "{shape:?}: {errors:?}");
    }
}
