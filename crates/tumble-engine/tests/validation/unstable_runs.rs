//! What cannot go well ends with an error that says why, never with a panic or with numbers that are none.

use crate::support::{GRAVITY, ball, bead, closed_box, hertz, interaction, linear, listed, random_gas, spheres};
use glam::DVec3;
use tumble_engine::boundary::insertion::Plan;
use tumble_engine::law::{ContactEnd, Law, MindlinTangential};
use tumble_engine::model::{Domain, Edge, TimeStep};
use tumble_engine::{EngineError, Model, Simulation};

fn laws() -> [Law; 2] {
    [linear(5e4, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)]
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
        let recommended =
            Simulation::new(gas(law, TimeStep::Automatic { safety: 1.0, speed: None })).unwrap().state().time_step;
        for factor in [100.0, 1000.0, 1e6] {
            let mut simulation = Simulation::new(gas(law, TimeStep::Fixed(factor * recommended))).unwrap();
            let error = (0..500).find_map(|_| simulation.step().err());
            match error {
                Some(EngineError::Unstable { step, what, .. }) => {
                    println!("{factor}: step {step}: {what}");
                    assert!(step <= 300 && what.contains("grain ") && what.contains("shorter time step"), "{what}");
                }
                other => panic!("{law:?}, {factor} times: {other:?}"),
            }
            let particles = &simulation.state().particles;
            assert!(particles.position.iter().all(|x| x.is_finite()), "the numbers were lost before the error");
        }
    }
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
