//! A run of cylinders gives the same bits with any instructions.

use crate::samples::{DIAMETER, cylinder, grain, model, with_grains};
use crate::support::{closed_box, interaction, linear, run};
use glam::{DQuat, DVec3};
use tumble_engine::law::ContactEnd;
use tumble_engine::model::Limits;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::Pose;
use tumble_geometry::lanes::Instructions;

const N_A_SIDE: u32 = 9;

/// Cylinders side by side that all fly to the middle of a box.
fn crush() -> Model {
    let shapes = [cylinder(DIAMETER, 1.0), cylinder(DIAMETER, 0.5)];
    let spacing = 1.3 * DIAMETER;
    let size = DVec3::splat(spacing * f64::from(N_A_SIDE));
    let limits = Limits { overlap: 2.0, travel: 1.0, energy: f64::INFINITY };
    let law = linear(1e6, ContactEnd::Clamped);
    let model =
        Model { limits, walls: closed_box(DVec3::ZERO, size), ..model(&shapes, law, interaction(0.5, 0.5), 5e-5) };
    let mut random = Random::from_seed(9);
    let grains = (0..N_A_SIDE.pow(3))
        .map(|k| {
            let cell = [k % N_A_SIDE, k / N_A_SIDE % N_A_SIDE, k / N_A_SIDE / N_A_SIDE].map(f64::from);
            let position = (DVec3::from(cell) + 0.5) * spacing;
            let pose = Pose::new(position, DQuat::from_scaled_axis(random.direction() * 0.1));
            grain(&model, (k % 2) as u16, pose, (0.5 * size - position) * 20.0, random.direction())
        })
        .collect();
    with_grains(model, grains)
}

#[test]
fn any_instructions_give_cylinders_the_same_bits() {
    let hash = |instructions: Instructions| {
        let mut simulation = Simulation::new(crush()).unwrap();
        simulation.use_instructions(instructions);
        run(&mut simulation, 600);
        (simulation.state_hash(), simulation.n_contacts())
    };
    let portable = hash(Instructions::PORTABLE);
    // In two blocks of grains, so that many go side by side in fours.
    assert!(portable.1 > 100, "{} contacts", portable.1);
    assert_eq!(hash(Instructions::best()), portable, "with {}", Instructions::best().name());
}
