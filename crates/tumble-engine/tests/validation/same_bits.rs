//! A run has the same bits on any number of threads, with any instructions and broad phase, and after any number of interruptions.

use crate::support::{GRAVITY, ball, bead, hertz, listed, on_threads, plane, planned, random_gas, run, spheres, wall};
use glam::{DQuat, DVec3};
use tumble_engine::boundary::insertion::{Plan, SizeDistribution};
use tumble_engine::boundary::wall::Motion;
use tumble_engine::broad::BroadPhase;
use tumble_engine::law::{ContactEnd, InteractionProperties, MindlinTangential};
use tumble_engine::model::{Domain, Edge, TimeStep};
use tumble_engine::region::Region;
use tumble_engine::{Model, Simulation};
use tumble_geometry::lanes::Instructions;
use tumble_geometry::{Mesh, Pose, Surface};

/// Everything at once: several blocks of grains, a stream, periodic and removing edges, a turning mesh, a vibrating
/// floor, rolling resistance.
fn busy() -> Model {
    let radius = 0.005;
    let (lower, upper) = (DVec3::new(0.0, 0.0, -0.05), DVec3::new(0.12, 0.12, 0.3));
    let region = Region::Box { lower: DVec3::new(0.01, 0.01, 0.2), upper: DVec3::new(0.11, 0.11, 0.28) };
    let stream = Plan::Stream { region, rate: 5000.0, start: 0.0, count: Some(200) };
    let mut source = planned(stream, SizeDistribution::Uniform { low: 0.003, high: radius });
    source.velocity = DVec3::new(0.1, 0.0, -1.0);
    source.velocity_spread = 0.2;
    source.orientation = None;
    let mut floor = plane(DVec3::ZERO, DVec3::new(0.2, 0.0, 1.0));
    floor.motion = Motion::Vibrate { amplitude: DVec3::Z * 1e-3, frequency: 50.0, start: 0.0, stop: f64::INFINITY };
    let paddle = Mesh::new(
        vec![DVec3::new(-0.03, -0.01, 0.0), DVec3::new(0.03, -0.01, 0.0), DVec3::new(0.0, 0.03, 0.01)],
        vec![[0, 1, 2]],
    )
    .unwrap();
    let centre = DVec3::new(0.06, 0.06, 0.06);
    let turning = Motion::Rotate { point: centre, axis: DVec3::X, speed: 20.0, start: 0.0, stop: f64::INFINITY };
    let paddle = wall("paddle", Surface::Mesh(paddle), Pose::new(centre, DQuat::IDENTITY), turning);
    let properties =
        InteractionProperties { restitution: 0.5, friction: 0.4, rolling_friction: 0.05, tangential_restitution: 0.0 };
    let mut grains = random_gas(radius, DVec3::new(0.0, 0.0, 0.001), [11, 11, 10], 0.5, 11);
    // Clear of the floor and of the paddle; all fall, and some fly out at the top.
    grains.retain(|grain| grain.position.z > 0.008 && (grain.position - centre).length() > 0.04);
    for grain in &mut grains {
        grain.velocity.z -= 2.0;
    }
    grains.extend([0.02, 0.04, 0.06, 0.08].map(|x| ball(radius, DVec3::new(x, 0.06, 0.29), DVec3::Z * 2.0, DVec3::X)));
    Model {
        gravity: GRAVITY + DVec3::X,
        domain: Domain { lower, upper, edges: [Edge::Periodic, Edge::Periodic, Edge::Remove] },
        walls: vec![floor, paddle],
        insertions: vec![listed(grains), source],
        skin: Some(0.1 * radius),
        ..spheres(
            hertz(MindlinTangential::Rescaled, ContactEnd::Clamped),
            bead(1e7),
            properties,
            TimeStep::Automatic { safety: 1.0, speed: Some(3.0) },
        )
    }
}

const STEPS: u64 = 1000;

fn hash_after(model: Model, n_threads: usize) -> u64 {
    on_threads(n_threads, || {
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, STEPS);
        simulation.state_hash()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let one = hash_after(busy(), 1);
    for n_threads in [2, 3, 8] {
        assert_eq!(hash_after(busy(), n_threads), one, "{n_threads} threads");
    }
}

#[test]
fn any_instructions_give_the_same_bits() {
    let best = hash_after(busy(), 1);
    let mut simulation = Simulation::new(busy()).unwrap();
    simulation.use_instructions(Instructions::PORTABLE);
    run(&mut simulation, STEPS);
    assert_eq!(simulation.state_hash(), best, "without {}", Instructions::best().name());
}

#[test]
fn any_broad_phase_gives_the_same_bits() {
    let auto = hash_after(busy(), 2);
    for broad_phase in [BroadPhase::AllPairs, BroadPhase::Cells, BroadPhase::MultilevelCells, BroadPhase::SweepAndPrune]
    {
        assert_eq!(hash_after(Model { broad_phase, ..busy() }, 2), auto, "{broad_phase:?}");
    }
}

#[test]
fn the_busy_run_is_busy() {
    let mut simulation = Simulation::new(busy()).unwrap();
    let n_first = simulation.state().particles.len() as u64;
    run(&mut simulation, STEPS);
    let state = simulation.state();
    let [at_walls, at_pairs] = state.n_contacts();
    println!(
        "{} grains, {} pairs, {} at walls, {} removed, {} inserted, {} builds",
        state.particles.len(),
        at_pairs,
        at_walls,
        state.n_removed,
        state.inserters[1].inserted,
        state.solver.soft().reference.builds
    );
    // Sorting comes every 16 builds; the grains fill more than one block of 512.
    assert!(state.solver.soft().reference.builds > 40 && state.particles.len() > 600 && n_first > 600);
    assert!(at_pairs > 200 && at_walls > 20);
    assert!(state.inserters[1].inserted > 50 && state.n_removed > 2);
    let mut at_walls = state.solver.soft().contacts.iter().flat_map(|contacts| &contacts.balls_at_walls.pairs);
    assert!(at_walls.any(|pair| pair[1] == 1), "the paddle met nothing");
    assert!(state.particles.image.iter().any(|image| image[0] != 0 || image[1] != 0), "nothing went round");
}

#[test]
fn a_run_that_was_saved_and_resumed_has_the_same_bits() {
    let mut whole = Simulation::new(busy()).unwrap();
    run(&mut whole, STEPS);
    let mut first = Simulation::new(busy()).unwrap();
    run(&mut first, STEPS / 2);
    let saved = first.state().clone();
    let mut second = Simulation::resume(busy(), saved).unwrap();
    assert_eq!(second.n_contacts(), first.n_contacts(), "what is known of the last step");
    run(&mut second, STEPS - STEPS / 2);
    assert_eq!(second.state_hash(), whole.state_hash());
}

#[test]
fn a_run_resumed_at_every_seventh_step_has_the_same_bits() {
    let mut whole = Simulation::new(busy()).unwrap();
    let mut broken = Simulation::new(busy()).unwrap();
    for part in 0..60 {
        run(&mut whole, 7);
        run(&mut broken, 7);
        let saved = broken.state().clone();
        broken = Simulation::resume(busy(), saved).unwrap();
        assert_eq!(broken.state_hash(), whole.state_hash(), "after {part} parts");
    }
}

#[test]
fn looking_at_a_run_does_not_change_it() {
    let mut watched = Simulation::new(busy()).unwrap();
    for _ in 0..STEPS / 10 {
        run(&mut watched, 10);
        let _ = (watched.contacts(), watched.energies(), watched.state_hash());
    }
    assert_eq!(watched.state_hash(), hash_after(busy(), 2));
}
