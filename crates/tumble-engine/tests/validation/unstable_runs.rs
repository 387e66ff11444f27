//! What cannot go well ends with an error that says why, never with a panic or with numbers that are none.

use crate::support::{GRAIN, GRAVITY, ball, bead, closed_box, hertz, interaction, linear, listed, random_gas, spheres};
use glam::DVec3;
use tumble_engine::boundary::insertion::{ListedGrain, Plan};
use tumble_engine::law::{ContactEnd, Law, LawKind, MindlinTangential};
use tumble_engine::model::{Domain, Edge, Limits, Species, TimeStep};
use tumble_engine::random::Random;
use tumble_engine::{EngineError, Model, Simulation};
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::{Clump, Cylinder, Part, Pose, Shape};

fn laws() -> [Law; 2] {
    [linear(5e4, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)]
}

fn automatic() -> TimeStep {
    TimeStep::Automatic { safety: 1.0, speed: None }
}

fn gas(law: Law, time_step: TimeStep) -> Model {
    Model {
        gravity: GRAVITY,
        walls: closed_box(DVec3::ZERO, DVec3::splat(0.11)),
        insertions: vec![listed(random_gas(0.01, DVec3::splat(1e-3), [5, 5, 5], 1.0, 3))],
        ..spheres(law, bead(1e7), interaction(0.6, 0.5), time_step)
    }
}

#[test]
fn a_step_a_hundred_times_too_long_is_noticed_soon() {
    for law in laws() {
        let recommended = Simulation::new(gas(law, automatic())).unwrap().state().time_step;
        for factor in [100.0, 1000.0, 1e6] {
            let mut simulation = Simulation::new(gas(law, TimeStep::Fixed(factor * recommended))).unwrap();
            let error = (0..500).find_map(|_| simulation.step().err());
            match error {
                Some(EngineError::Unstable { step, what, .. }) => {
                    println!("{factor}: step {step}: {what}");
                    assert!(step <= 300 && what.contains("grain ") && what.contains("shorter time step"), "{what}");
                    assert!(!what.contains("not to blame"), "{what}");
                }
                other => panic!("{law:?}, {factor} times: {other:?}"),
            }
            let particles = &simulation.state().particles;
            assert!(particles.position.iter().all(|x| x.is_finite()), "the numbers were lost before the error");
        }
    }
}

/// Why a run ends within so many steps.
fn end_of(model: Model, n_steps: u64) -> String {
    let mut simulation = Simulation::new(model).unwrap();
    let error = (0..n_steps).find_map(|_| simulation.step().err());
    match error {
        Some(EngineError::Unstable { step, what, .. }) => {
            println!("step {step}: {what}");
            what
        }
        other => panic!("{other:?} after {} steps", simulation.state().step),
    }
}

#[test]
fn a_step_that_does_not_follow_a_contact_is_named_with_the_contact() {
    for law in laws() {
        let choice = Simulation::new(gas(law, automatic())).unwrap().state().time_step;
        let what = end_of(gas(law, TimeStep::Fixed(20.0 * choice)), 20_000);
        assert!(what.contains("is too long: the contact of ball against"), "{what}");
        assert!(what.ends_with("Use a shorter time step (step = \"auto\" chooses one)."), "{what}");
    }
}

#[test]
fn a_contact_that_is_too_soft_is_named_with_the_stiffness_that_would_do() {
    for law in [linear(2.0, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)] {
        let soft = Model {
            gravity: GRAVITY,
            walls: closed_box(DVec3::ZERO, DVec3::splat(0.11)),
            insertions: vec![listed(random_gas(0.01, DVec3::splat(1e-3), [5, 5, 5], 1.0, 3))],
            ..spheres(law, bead(2e3), interaction(0.6, 0.5), automatic())
        };
        let what = end_of(soft, 20_000);
        assert!(what.contains("of the smallest half width (limit 0.5)"), "{what}");
        assert!(what.contains("The step is not to blame") && what.contains("is too soft for its load"), "{what}");
        let advice = match law.kind {
            LawKind::Linear { .. } => "raise the stiffness of the law (2.0e0 N/m now, about ",
            _ => "raise the Young's modulus of bead (2.0e3 Pa now, about ",
        };
        assert!(what.contains(advice), "{what}");
    }
}

/// Elastic cylinders or cubes in a box, stopped as soon as a hundredth of their energy comes from nowhere.
fn elastic_shapes(shape: &Shape, law: Law, time_step: TimeStep) -> Model {
    let mut random = Random::from_seed(5);
    let side = 0.03;
    let cells = (0..27).map(|k| DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)));
    let grains = cells.map(|cell| ListedGrain {
        orientation: random.orientation(),
        ..ball(shape.bounding_radius(), (cell + 0.5) * side, random.direction(), DVec3::ZERO)
    });
    Model {
        walls: closed_box(DVec3::ZERO, DVec3::splat(3.0 * side)),
        insertions: vec![listed(grains.collect())],
        species: vec![Species::new("grain", shape, GRAIN)],
        limits: Limits { energy: 0.011, ..Limits::default() },
        ..spheres(law, bead(1e7), interaction(1.0, 0.0), time_step)
    }
}

#[test]
fn a_law_that_makes_energy_is_named_with_the_shapes_that_it_does_not_suit() {
    let cylinder = Shape::Cylinder(Cylinder { radius: 0.008, half_height: 0.008 });
    let published = Law { contact_method: ContactMethod::FENG_LAYERED, ..linear(2e4, ContactEnd::Clamped) };
    let what = end_of(elastic_shapes(&cylinder, published, automatic()), 100_000);
    assert!(what.contains("more energy than it should") && what.contains("The step is not to blame"), "{what}");
    assert!(what.contains("the published contact method") && what.contains("contact_method = \"exact\""), "{what}");
}

/// At the automatic step, under the law of Hertz too, whose contacts are the stiffer the deeper a method takes them to be; for grains of one
/// part and of several.
#[test]
fn a_published_method_that_makes_energy_was_taken_for_a_long_step() {
    let cube = Shape::cuboid(DVec3::splat(0.012)).unwrap();
    let pair = Shape::Clump(Clump::from_trusted_parts(
        [-0.004, 0.004]
            .map(|x| Part {
                shape: Shape::cuboid(DVec3::splat(0.008)).unwrap(),
                pose: Pose::from_position(DVec3::X * x),
            })
            .to_vec(),
    ));
    let stiff = linear(2e4, ContactEnd::Clamped);
    let by_hertz = hertz(MindlinTangential::Rescaled, ContactEnd::Clamped);
    for (law, method, shape) in [
        (stiff, ContactMethod::LIU, &cube),
        (by_hertz, ContactMethod::LIU, &cube),
        (by_hertz, ContactMethod::CUNDALL, &cube),
        (stiff, ContactMethod::LIU, &pair),
    ] {
        let law = Law { contact_method: method, ..law };
        let what = end_of(elastic_shapes(shape, law, automatic()), 100_000);
        assert!(what.contains("more energy than it should"), "{what}");
        let named = format!("the published contact method \"{}\"", method.name());
        assert!(what.contains(&named) && what.contains("Take contact_method = \"exact\""), "{what}");
        assert!(!what.contains("safety factor") && !what.contains("shorter"), "{what}");
    }
}

/// Two cubes that a common plane drove apart touch nothing when the energy is looked at.
#[test]
fn a_published_method_was_not_named_once_its_grains_had_flown_apart() {
    let cube = Shape::cuboid(DVec3::splat(0.012)).unwrap();
    let law = Law { contact_method: ContactMethod::LIU, ..linear(2e4, ContactEnd::Clamped) };
    let mut n_stopped = 0;
    for seed in 0..12 {
        let mut random = Random::from_seed(seed);
        let grains = [-1.0, 1.0].map(|side| ListedGrain {
            orientation: random.orientation(),
            ..ball(cube.bounding_radius(), DVec3::X * (0.012 * side), DVec3::X * -side, DVec3::ZERO)
        });
        let model = Model {
            walls: Vec::new(),
            insertions: vec![listed(grains.to_vec())],
            ..elastic_shapes(&cube, law, automatic())
        };
        let mut simulation = Simulation::new(model).unwrap();
        if let Some(error) = (0..20_000).find_map(|_| simulation.step().err()) {
            let what = error.to_string();
            println!("seed {seed}, {} contacts: {what}", simulation.n_contacts());
            assert!(what.contains("the published contact method \"liu\"") && !what.contains("safety factor"), "{what}");
            n_stopped += usize::from(simulation.n_contacts() == 0);
        }
    }
    assert!(n_stopped >= 2, "{n_stopped} were stopped while nothing touched");
}

#[test]
fn a_step_that_is_none_is_refused() {
    for time_step in [0.0, -1e-5, f64::NAN, f64::INFINITY] {
        let error = Simulation::new(gas(laws()[0], TimeStep::Fixed(time_step))).unwrap_err();
        assert!(matches!(error, EngineError::Model(_)) && error.to_string().contains("time step"), "{error}");
    }
}

fn pair(law: Law, distance: f64, max_overlap: f64) -> Model {
    let grains = [0.0, distance].map(|x| ball(0.01, DVec3::X * x, DVec3::ZERO, DVec3::ZERO)).to_vec();
    let mut insertion = listed(Vec::new());
    insertion.plan = Plan::List { grains: grains.into(), max_overlap };
    Model { insertions: vec![insertion], ..spheres(law, bead(1e7), interaction(0.6, 0.5), TimeStep::Fixed(1e-6)) }
}

#[test]
fn grains_at_the_same_place_are_refused() {
    for law in laws() {
        let error = Simulation::new(pair(law, 0.0, 0.01)).unwrap_err().to_string();
        println!("{error}");
        assert!(error.contains("overlap"), "{error}");
        // Even where any overlap is allowed, the run says that it cannot go on.
        for distance in [0.0, 1e-300, 1e-200, 1e-12, 0.0101] {
            let failed = match Simulation::new(pair(law, distance, 1.0)) {
                Err(error) => Some(error),
                Ok(mut simulation) => (0..100).find_map(|_| simulation.step().err()),
            };
            let error = failed.expect("two grains at one place are no run").to_string();
            println!("{error}");
            assert!(error.contains("overlap"), "{error}");
        }
    }
}

#[test]
fn numbers_that_are_none_are_refused_with_the_grain() {
    let good = ball(0.01, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    for bad in [
        ball(0.01, DVec3::splat(1.0), DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ZERO),
        ball(0.01, DVec3::new(0.0, f64::INFINITY, 0.0), DVec3::ZERO, DVec3::ZERO),
        ball(0.01, DVec3::splat(1.0), DVec3::ZERO, DVec3::new(0.0, 0.0, f64::NAN)),
        ball(f64::NAN, DVec3::splat(1.0), DVec3::ZERO, DVec3::ZERO),
        ball(-0.01, DVec3::splat(1.0), DVec3::ZERO, DVec3::ZERO),
    ] {
        let model = Model {
            insertions: vec![listed(vec![good, bad])],
            ..spheres(laws()[0], bead(1e7), interaction(0.6, 0.5), TimeStep::Fixed(1e-5))
        };
        let error = Simulation::new(model).unwrap_err();
        assert!(matches!(error, EngineError::Insertion(_)) && error.to_string().contains("grain 2"), "{error}");
    }
}

#[test]
fn a_state_of_another_scene_is_refused() {
    let model = gas(laws()[0], TimeStep::Fixed(1e-5));
    let saved = Simulation::new(model.clone()).unwrap().state().clone();
    let error = Simulation::resume(Model { walls: Vec::new(), ..model.clone() }, saved.clone()).unwrap_err();
    assert!(matches!(error, EngineError::State(_)) && error.to_string().contains("walls"), "{error}");
    let error = Simulation::resume(Model { species: Vec::new(), ..model }, saved).unwrap_err();
    assert!(matches!(error, EngineError::State(_)) && error.to_string().contains("species"), "{error}");
}

#[test]
fn a_grain_without_a_place_does_not_slip_out_through_a_removing_edge() {
    let model = Model {
        domain: Domain { lower: DVec3::splat(-1.0), upper: DVec3::splat(1.0), edges: [Edge::Remove; 3] },
        ..gas(laws()[0], TimeStep::Fixed(1e-5))
    };
    for place in [f64::NAN, f64::INFINITY] {
        let mut saved = Simulation::new(model.clone()).unwrap().state().clone();
        let id = saved.particles.id[7];
        saved.particles.position[7].x = place;
        let mut simulation = Simulation::resume(model.clone(), saved).unwrap();
        let error = (0..200).find_map(|_| simulation.step().err()).expect("the lost place went unnoticed").to_string();
        assert!(error.contains(&format!("grain {id} ")) && error.contains("not a number"), "{error}");
        assert_eq!(simulation.state().n_removed, 0);
    }
}
