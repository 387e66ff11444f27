//! The candidate lists: how far they reach, how long they last, and that nothing is forgotten when they change.

use crate::support::{ball, bead, hertz, interaction, linear, listed, plane, planned, run, spheres, wall};
use glam::DVec3;
use tumble_engine::boundary::insertion::{Plan, SizeDistribution};
use tumble_engine::boundary::wall::Motion;
use tumble_engine::law::{ContactEnd, MindlinTangential};
use tumble_engine::model::TimeStep;
use tumble_engine::region::Region;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Mesh, Pose, Surface};

#[test]
fn one_large_grain_at_the_start_does_not_set_the_skin_of_a_stream_of_small_ones() {
    let small = 1e-3;
    let region = Region::Box { lower: DVec3::new(0.2, 0.2, 0.2), upper: DVec3::new(0.4, 0.4, 0.4) };
    let stream = Plan::Stream { region, rate: 1e4, start: 0.0, count: Some(1000) };
    let model = Model {
        insertions: vec![
            listed(vec![ball(100.0 * small, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)]),
            planned(stream, SizeDistribution::Fixed(small)),
        ],
        ..spheres(linear(5e4, ContactEnd::Clamped), bead(1e7), interaction(0.6, 0.5), TimeStep::Fixed(1e-5))
    };
    let skin = Simulation::new(model).unwrap().state().solver.soft().skin;
    // A fifth of the mean radius of the smaller ones.
    let expected = 0.2 * small;
    assert!((skin / expected - 1.0).abs() < 1e-12, "{skin} instead of {expected}");
}

#[test]
fn a_grain_that_leaves_a_wall_takes_no_memory_of_others_with_it() {
    // Two balls are shoved along a floor, and one of them is thrown up and leaves it. The skin is less than a step's
    // travel, so the first list without the thrown one is also the first in which it does not touch. The other one must
    // go on as if it were alone.
    let radius = 0.01;
    let sliding = |y: f64| ball(radius, DVec3::new(0.0, y, radius - 1e-5), DVec3::X * 0.01, DVec3::ZERO);
    let mut thrown = sliding(-0.1);
    thrown.velocity = DVec3::Z * 0.4;
    let spring_after = |grains| {
        let model = Model {
            walls: vec![plane(DVec3::ZERO, DVec3::Z)],
            insertions: vec![listed(grains)],
            skin: Some(1e-9),
            ..spheres(
                hertz(MindlinTangential::Rescaled, ContactEnd::Clamped),
                bead(1e7),
                interaction(0.6, 0.5),
                TimeStep::Fixed(1e-5),
            )
        };
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, 10);
        let state = simulation.state();
        let history = &state.solver.soft().contacts[0].balls_at_walls;
        let last = history.pairs.iter().position(|pair| pair[0] + 1 == state.next_id).unwrap();
        (history.len(), history.get(last).tangential_force)
    };
    let alone = spring_after(vec![sliding(0.1)]);
    assert!(alone.1.x < 0.0);
    assert_eq!(spring_after(vec![thrown, sliding(0.1)]), alone);
}

#[test]
fn a_small_stirrer_in_a_large_space_does_not_have_the_lists_built_at_every_step() {
    // A blade of 2 cm that turns; grains lie around it, and one a metre away. Where that one is, the blade's frame moves
    // fifty times as fast as the blade.
    let blade = Mesh::new(
        vec![DVec3::new(-0.02, 0.0, 0.0), DVec3::new(0.02, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.02)],
        vec![[0, 1, 2]],
    )
    .unwrap();
    let turning = Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Z, speed: 50.0, start: 0.0, stop: f64::INFINITY };
    let radius = 5e-3;
    let at_rest = |x: DVec3| ball(radius, x, DVec3::ZERO, DVec3::ZERO);
    let model = Model {
        walls: vec![wall("blade", Surface::Mesh(blade), Pose::IDENTITY, turning)],
        insertions: vec![listed(vec![at_rest(DVec3::new(0.04, 0.0, 0.0)), at_rest(DVec3::new(1.0, 0.0, 0.0))])],
        ..spheres(linear(5e4, ContactEnd::Clamped), bead(1e7), interaction(0.6, 0.5), TimeStep::Fixed(1e-5))
    };
    let mut simulation = Simulation::new(model).unwrap();
    let n_steps = 500;
    run(&mut simulation, n_steps);
    // A corner of the blade's box, sqrt 2 times 2 cm from the axis at most, moves a skin of 1 mm in 70 steps at least; its
    // tips do in 100.
    let builds = simulation.state().solver.soft().reference.builds;
    assert!((1 + n_steps / 101..=1 + n_steps / 70).contains(&builds), "{builds} builds in {n_steps} steps");
}
