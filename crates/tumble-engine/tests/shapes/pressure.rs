//! The law of pressure through the gates that the other laws go through, with the shapes that it knows.

use crate::samples::pressure_law;
use crate::{closed_loop, collisions, damped, gradient, symmetry};

#[test]
fn force_and_torque_are_the_gradient_of_the_energy_under_the_law_of_pressure() {
    gradient::check("pressure", pressure_law());
}

#[test]
fn work_around_a_closed_loop_vanishes_under_the_law_of_pressure() {
    closed_loop::check("pressure", pressure_law());
}

#[test]
fn names_places_and_axes_do_not_matter_under_the_law_of_pressure() {
    symmetry::check("pressure", pressure_law());
}

#[test]
fn damped_shapes_never_gain_energy_under_the_law_of_pressure() {
    damped::check("pressure", pressure_law());
}

#[test]
fn the_energy_of_collisions_comes_back_as_the_step_is_refined_under_the_law_of_pressure() {
    collisions::check_energy("pressure", pressure_law());
}

#[test]
fn colliding_shapes_keep_momentum_and_angular_momentum_under_the_law_of_pressure() {
    collisions::check_momenta("pressure", pressure_law());
}

#[test]
fn a_collision_run_backwards_returns_to_its_start_under_the_law_of_pressure() {
    collisions::check_way_back("pressure", pressure_law());
}
