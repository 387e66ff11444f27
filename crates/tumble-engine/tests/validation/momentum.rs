//! What no force inside a system can change: momentum and angular momentum; and free flight.

use crate::support::{GRAVITY, ball, bead, hertz, interaction, linear, listed, on_threads, random_gas, run, spheres};
use glam::DVec3;
use tumble_engine::law::{ContactEnd, InteractionProperties, MindlinTangential};
use tumble_engine::model::TimeStep;
use tumble_engine::{Model, Particles, Simulation};

/// Momentum, and angular momentum about the origin.
fn momenta(particles: &Particles) -> (DVec3, DVec3) {
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for i in 0..particles.len() {
        let momentum = particles.velocity[i] * particles.mass[i];
        linear += momentum;
        angular += particles.position[i].cross(momentum) + particles.angular_velocity[i] * particles.inertia[i];
    }
    (linear, angular)
}

/// The same with absolute values: what rounding errors are measured in.
fn scales(particles: &Particles) -> (f64, f64) {
    let (mut linear, mut angular) = (0.0, 0.0);
    for i in 0..particles.len() {
        let momentum = particles.velocity[i].length() * particles.mass[i];
        linear += momentum;
        angular +=
            particles.position[i].length() * momentum + particles.angular_velocity[i].length() * particles.inertia[i];
    }
    (linear, angular)
}

#[test]
fn colliding_spheres_keep_momentum_and_angular_momentum() {
    let radius = 0.01;
    for law in [linear(2e4, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)] {
        // Thrown together: every grain moves towards the middle, so that all of them collide.
        let half = 0.5 * 2.05 * radius * 9.0;
        let mut grains = random_gas(radius, DVec3::splat(-half), [9, 9, 9], 0.3, 7);
        for grain in &mut grains {
            grain.velocity -= grain.position * 20.0;
        }
        let properties = InteractionProperties {
            restitution: 0.6,
            friction: 0.4,
            rolling_friction: 0.05,
            tangential_restitution: 0.0,
        };
        let model = Model {
            insertions: vec![listed(grains)],
            ..spheres(law, bead(1e7), properties, TimeStep::Automatic { safety: 1.0, speed: Some(3.0) })
        };
        let mut simulation = Simulation::new(model).unwrap();
        let (linear, angular) = momenta(&simulation.state().particles);
        let (linear_scale, angular_scale) = scales(&simulation.state().particles);
        let mut most_contacts = 0;
        for _ in 0..20 {
            run(&mut simulation, 50);
            most_contacts = most_contacts.max(simulation.n_contacts());
            let (now_linear, now_angular) = momenta(&simulation.state().particles);
            let (change, turn) = ((now_linear - linear).length(), (now_angular - angular).length());
            assert!(change <= 1e-12 * linear_scale, "momentum changed by {}", change / linear_scale);
            assert!(turn <= 1e-12 * angular_scale, "angular momentum changed by {}", turn / angular_scale);
        }
        println!("{most_contacts} contacts at most, {} grains", simulation.state().particles.len());
        assert!(most_contacts > 500, "the spheres hardly met: {most_contacts} contacts");
    }
}

#[test]
fn free_flight_is_straight_and_a_throw_is_a_parabola() {
    on_threads(1, || {
        for gravity in [DVec3::ZERO, GRAVITY] {
            let (place, velocity, spin) =
                (DVec3::new(0.3, -0.2, 1.0), DVec3::new(1.5, 0.7, 4.0), DVec3::new(20.0, -3.0, 5.0));
            let model = Model {
                gravity,
                turn_spheres: true,
                insertions: vec![listed(vec![ball(0.01, place, velocity, spin)])],
                ..spheres(linear(1e4, ContactEnd::Clamped), bead(1e7), interaction(0.5, 0.5), TimeStep::Fixed(1e-4))
            };
            let mut simulation = Simulation::new(model).unwrap();
            run(&mut simulation, 10_000);
            let (t, particles) = (simulation.time(), &simulation.state().particles);
            let expected = place + velocity * t + gravity * (0.5 * t * t);
            assert!((particles.position[0] - expected).length() <= 1e-12 * expected.length());
            assert!((particles.velocity[0] - velocity - gravity * t).length() <= 1e-12 * velocity.length());
            assert_eq!(particles.angular_velocity[0], spin);
            // A turn about a fixed axis.
            let turn = glam::DQuat::from_axis_angle(spin.normalize(), spin.length() * t);
            assert!(particles.orientation[0].dot(turn).abs() > 1.0 - 1e-12);
        }
    });
}
