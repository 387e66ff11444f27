//! The restitution that is asked for comes out: both laws, both ends of a contact, every restitution, every speed.

use crate::support::{ball, bead, hertz, impact, interaction, linear, listed, spheres};
use glam::DVec3;
use std::f64::consts::PI;
use tumble_engine::Model;
use tumble_engine::law::{ContactEnd, Law, MindlinTangential, damping_ratio};
use tumble_engine::model::TimeStep;

const RADIUS: f64 = 0.01;
const STIFFNESS: f64 = 1e5;
const MODULUS: f64 = 1e9;

/// Effective mass of two of the spheres [kg].
fn effective_mass() -> f64 {
    0.5 * 2500.0 * 4.0 / 3.0 * PI * RADIUS.powi(3)
}

/// Restitution of a head-on meeting of two equal spheres; the first touch falls at a given part of a step.
fn measured(law: Law, asked: f64, speed: f64, time_step: f64, phase: f64) -> f64 {
    let velocity = DVec3::X * (0.5 * speed);
    let place = DVec3::X * (RADIUS + (3.0 + phase) * velocity.x * time_step);
    let grains = vec![ball(RADIUS, -place, velocity, DVec3::ZERO), ball(RADIUS, place, -velocity, DVec3::ZERO)];
    let after = impact(Model {
        insertions: vec![listed(grains)],
        ..spheres(law, bead(MODULUS), interaction(asked, 0.0), TimeStep::Fixed(time_step))
    });
    -after.velocity.x / velocity.x
}

/// The worst error over the phases of the first touch.
fn worst_error(law: Law, asked: f64, speed: f64, time_step: f64) -> f64 {
    let error = |k: u32| (measured(law, asked, speed, time_step, f64::from(k) / 32.0) - asked).abs();
    (0..32).map(error).fold(0.0, f64::max)
}

/// What the jumps of a linear dashpot's force can cost at so many steps a contact. The force c v comes in at touch, and
/// goes out at the end unless it is clamped, up to a step too early or too late: each time the speed is wrong by a part
/// c dt / m = 2 z sqrt(k / m) dt.
fn jumps(asked: f64, end: ContactEnd, n_steps: f64) -> f64 {
    let n_jumps = if end == ContactEnd::Open { 2.0 } else { 1.0 };
    n_jumps * asked * 2.0 * damping_ratio(asked, end) * PI / n_steps
}

#[test]
fn linear_restitution_is_as_asked_at_any_speed() {
    let contact_time = PI * (effective_mass() / STIFFNESS).sqrt();
    for end in [ContactEnd::Clamped, ContactEnd::Open] {
        for asked in [0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
            let errors =
                [0.01, 0.1, 1.0].map(|speed| worst_error(linear(STIFFNESS, end), asked, speed, contact_time / 200.0));
            println!("linear {end:?} {asked}: {errors:?}");
            for error in errors {
                assert!(error <= jumps(asked, end, 200.0) + 1e-6, "{end:?} {asked}: {error}");
                assert!(asked < 0.9 || error <= 1e-3, "{end:?} {asked}: {error}");
            }
        }
    }
}

#[test]
fn linear_restitution_converges_with_the_step() {
    let contact_time = PI * (effective_mass() / STIFFNESS).sqrt();
    for asked in [0.5, 0.9] {
        let law = linear(STIFFNESS, ContactEnd::Open);
        let steps = [50.0, 100.0, 200.0, 400.0];
        let errors = steps.map(|n| worst_error(law, asked, 0.1, contact_time / n));
        println!("linear {asked}: {errors:?}");
        for (error, n) in errors.into_iter().zip(steps) {
            assert!(error <= jumps(asked, ContactEnd::Open, n), "{asked} at {n}: {error}");
        }
        // First order over eight times: the phase of the contact's end comes in at single halvings.
        assert!(errors[3] < errors[0] / 5.0, "{asked}: {errors:?}");
    }
}

#[test]
fn hertz_restitution_is_as_asked_at_any_speed() {
    let modulus = 0.5 * MODULUS / (1.0 - 0.25_f64.powi(2));
    for end in [ContactEnd::Clamped, ContactEnd::Open] {
        for asked in [0.1, 0.3, 0.5, 0.7, 0.9, 1.0] {
            let errors = [0.01, 0.1, 1.0].map(|speed| {
                let contact_time =
                    2.868 * (effective_mass().powi(2) / (0.5 * RADIUS * modulus.powi(2) * speed)).powf(0.2);
                worst_error(hertz(MindlinTangential::Rescaled, end), asked, speed, contact_time / 400.0)
            });
            println!("hertz {end:?} {asked}: {errors:?}");
            for error in errors {
                assert!(error <= 1e-3, "{end:?} {asked}: {error}");
            }
        }
    }
}
