//! Runs with shapes give the same bits for any number of threads, with any instructions and after a restart at any step.

use crate::samples::SUB_CONTACTS;
use crate::settling::{depth, scene, volume};
use crate::support::{closed_box, on_threads, run};
use glam::DVec3;
use tumble_engine::contacts::block_size;
use tumble_engine::law::Law;
use tumble_engine::model::{Domain, Edge};
use tumble_engine::region::Region;
use tumble_engine::{Model, Simulation};
use tumble_geometry::lanes::Instructions;

/// A crowd of all shapes thrown about, in more than one block of grains if it is large.
fn crowd(law: Law, n_grains: u64, edge: f64) -> Model {
    let (lower, upper) = (DVec3::ZERO, DVec3::splat(edge));
    let mut model = scene(law, closed_box(lower, upper), Region::Box { lower, upper }, n_grains);
    model.insertions[0].velocity_spread = 2.0;
    model
}

fn check(model: Model, n_steps: u64, restart_every: u64, least_contacts: usize) {
    let hash = |n_threads: usize| {
        on_threads(n_threads, || {
            let mut simulation = Simulation::new(model.clone()).unwrap();
            run(&mut simulation, n_steps);
            (simulation.state().hash(), simulation.state().n_contacts()[1])
        })
    };
    let (one, n_contacts) = hash(1);
    println!("{} contacts of shapes after {n_steps} steps", n_contacts);
    assert!(n_contacts >= least_contacts, "{n_contacts}");
    for n_threads in [2, 3] {
        assert_eq!(hash(n_threads).0, one, "{n_threads} threads");
    }
    let mut simulation = Simulation::new(model.clone()).unwrap();
    for step in 0..n_steps {
        if step % restart_every == restart_every - 1 {
            let state = simulation.state().clone();
            simulation = Simulation::resume(model.clone(), state).unwrap();
        }
        simulation.step().unwrap();
    }
    assert_eq!(simulation.state().hash(), one, "after restarts");
}

#[test]
fn any_instructions_give_shapes_the_same_bits() {
    let hash = |instructions: Instructions| {
        let mut simulation = Simulation::new(crowd(depth(), 700, 0.17)).unwrap();
        simulation.use_instructions(instructions);
        run(&mut simulation, 1500);
        (simulation.state().hash(), simulation.state().n_contacts()[1])
    };
    let portable = hash(Instructions::PORTABLE);
    assert!(portable.1 >= 20, "{} contacts", portable.1);
    assert_eq!(hash(Instructions::best()), portable, "with {}", Instructions::best().name());
}

#[test]
fn shapes_give_the_same_bits_on_any_threads_and_after_restarts_under_the_depth_law() {
    check(crowd(depth(), 700, 0.17), 1500, 7, 20);
}

#[test]
fn shapes_give_the_same_bits_on_any_threads_and_after_restarts_by_sub_contacts() {
    check(crowd(Law { faces: SUB_CONTACTS, ..depth() }, 700, 0.17), 1500, 7, 20);
}

#[test]
fn shapes_give_the_same_bits_on_any_threads_and_after_restarts_under_the_volume_law() {
    check(crowd(volume(), 60, 0.07), 1500, 7, 3);
}

/// Blocks of shapes get smaller with the number of grains, so that contacts change theirs.
#[test]
fn shapes_give_the_same_bits_while_grains_leave_and_blocks_get_smaller() {
    let n_grains = 1100;
    let mut model = crowd(depth(), n_grains, 0.19);
    // The outermost begin at the edges.
    let (lower, upper) = (DVec3::splat(0.0059), DVec3::splat(0.19 - 0.0059));
    model.walls.clear();
    model.insertions[0].velocity_spread = 4.0;
    model.limits.overlap = 20.0;
    model.domain = Domain { lower, upper, edges: [Edge::Remove; 3] };
    let sizes = |n_steps: u64| {
        let mut simulation = Simulation::new(model.clone()).unwrap();
        run(&mut simulation, n_steps);
        let n_left = simulation.state().particles.len();
        (n_left, block_size(&model, n_left))
    };
    assert_eq!(sizes(0), (n_grains as usize, 35));
    let (n_left, size) = sizes(200);
    assert!(n_left > 300 && size < 35, "{n_left} left, {size} a block");
    check(model, 200, 7, 5);
}
