//! The same scene in metres, millimetres and micrometres gives the same dimensionless answer.
//!
//! Lengths are multiplied by s, times by sqrt(s), the modulus (or stiffness over length) by s; density and gravity stay.
//! Then all of overlap / radius, Froude number and damping ratio are the same. If s is an even power of two, every
//! multiplication is exact and the bits are the same too.

use crate::support::{GRAVITY, bead, closed_box, hertz, linear, listed, random_gas, run, spheres};
use glam::DVec3;
use tumble_engine::law::{ContactEnd, InteractionProperties, MindlinTangential};
use tumble_engine::model::TimeStep;
use tumble_engine::{Model, Simulation};

fn scene(hertzian: bool, s: f64) -> Model {
    let root = s.sqrt();
    let radius = 0.01;
    let mut grains = random_gas(radius, DVec3::splat(1e-3), [5, 5, 5], 1.0, 9);
    for grain in &mut grains {
        grain.radius *= s;
        grain.position *= s;
        grain.velocity *= root;
        grain.angular_velocity /= root;
    }
    let law = if hertzian {
        hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)
    } else {
        // Stiffness goes as modulus times length.
        linear(5e4 * s * s, ContactEnd::Clamped)
    };
    let properties =
        InteractionProperties { restitution: 0.6, friction: 0.5, rolling_friction: 0.05, tangential_restitution: 0.0 };
    Model {
        gravity: GRAVITY,
        walls: closed_box(DVec3::ZERO, DVec3::splat(0.11 * s)),
        insertions: vec![listed(grains)],
        skin: Some(0.2 * radius * s),
        ..spheres(law, bead(1e7 * s), properties, TimeStep::Fixed(2f64.powi(-15) * root))
    }
}

fn after(hertzian: bool, s: f64, n_steps: u64) -> Simulation {
    let mut simulation = Simulation::new(scene(hertzian, s)).unwrap();
    run(&mut simulation, n_steps);
    simulation
}

#[test]
fn scaling_by_powers_of_two_keeps_every_bit() {
    for hertzian in [false, true] {
        let metres = after(hertzian, 1.0, 3000);
        println!("{} contacts", metres.n_contacts());
        assert!(metres.n_contacts() > 50);
        for exponent in [-20, -10, 10] {
            let (s, root) = (2f64.powi(exponent), 2f64.powi(exponent / 2));
            let scaled = after(hertzian, s, 3000);
            let (a, b) = (&metres.state().particles, &scaled.state().particles);
            assert_eq!(a.id, b.id);
            for i in 0..a.len() {
                assert_eq!(a.position[i] * s, b.position[i], "hertz {hertzian}, 2^{exponent}, grain {i}");
                assert_eq!(a.velocity[i] * root, b.velocity[i], "hertz {hertzian}, 2^{exponent}, grain {i}");
                assert_eq!(a.angular_velocity[i], b.angular_velocity[i] * root);
            }
        }
    }
}

#[test]
fn millimetres_and_micrometres_agree_with_metres_to_rounding() {
    for hertzian in [false, true] {
        // Short, because collisions amplify rounding errors.
        let metres = after(hertzian, 1.0, 800);
        assert!(metres.n_contacts() > 10);
        for s in [1e-3, 1e-6] {
            let scaled = after(hertzian, s, 800);
            let (a, b) = (&metres.state().particles, &scaled.state().particles);
            let mut worst: f64 = 0.0;
            for i in 0..a.len() {
                let j = b.id.iter().position(|&id| id == a.id[i]).unwrap();
                worst = worst.max((a.position[i] - b.position[j] / s).length() / a.radius[i]);
            }
            println!("hertz {hertzian}, {s}: {worst:.2e} of a radius");
            assert!(worst < 1e-9, "hertz {hertzian}, {s}: {worst}");
        }
    }
}
