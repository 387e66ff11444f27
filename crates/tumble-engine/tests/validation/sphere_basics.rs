//! Motions of one sphere with textbook answers: bouncing, sliding until it rolls, inclines, rolling resistance.

use crate::expected::sphere_basics::{TOLERANCE, bounce_height, bouncing_time, on_incline, sliding_to_rolling};
use crate::support::{
    GRAVITY, assert_close, ball, bead, hertz, interaction, linear, listed, on_threads, plane, residual, run, spheres,
};
use glam::DVec3;
use tumble_engine::law::{ContactEnd, InteractionProperties, Law, MindlinTangential, RollingModel};
use tumble_engine::model::TimeStep;
use tumble_engine::{Model, Simulation};

const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

fn both_laws() -> [Law; 2] {
    [linear(1e5, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)]
}

/// A ball that touches a plane z = 0, pressed in as deep as its weight (along z) asks for, under a gravity that may be
/// tilted.
fn resting(law: Law, properties: InteractionProperties, gravity: DVec3, velocity: DVec3) -> Simulation {
    let model = |height: f64| Model {
        gravity,
        walls: vec![plane(DVec3::ZERO, DVec3::Z)],
        insertions: vec![listed(vec![ball(RADIUS, DVec3::Z * height, velocity, DVec3::ZERO)])],
        ..spheres(law, bead(1e8), properties, TimeStep::Fixed(5e-6))
    };
    // The depth at which the contact carries the weight, by bisection on the engine's own force.
    let (mut low, mut high) = (0.999 * RADIUS, RADIUS);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let still = Model {
            insertions: vec![listed(vec![ball(RADIUS, DVec3::Z * middle, DVec3::ZERO, DVec3::ZERO)])],
            ..model(middle)
        };
        let simulation = Simulation::new(still).unwrap();
        let particles = &simulation.state().particles;
        if particles.force[0].z > -gravity.z * particles.mass[0] { low = middle } else { high = middle }
    }
    Simulation::new(model(0.5 * (low + high))).unwrap()
}

#[test]
fn a_dropped_ball_bounces_to_the_heights_of_its_restitution() {
    let (height, restitution) = (0.2, 0.8);
    // Stiff: the ball's weight, which the impact is compared without, is nothing against the contact's forces.
    for law in [linear(1e6, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)] {
        on_threads(1, || {
            let start = ball(RADIUS, DVec3::Z * (RADIUS + height), DVec3::ZERO, DVec3::ZERO);
            let model = Model {
                gravity: GRAVITY,
                walls: vec![plane(DVec3::ZERO, DVec3::Z)],
                insertions: vec![listed(vec![start])],
                // A three-hundredth of the contact time: the jump of the linear dashpot costs up to 1.4e-3 of the speed.
                ..spheres(law, bead(1e9), interaction(restitution, 0.0), TimeStep::Fixed(1e-6))
            };
            let mut simulation = Simulation::new(model).unwrap();
            let expected = bouncing_time(height, restitution, G);
            let (mut apexes, mut last_speed, mut last_free) = (Vec::new(), -1.0, 0.0);
            while simulation.time() < 1.05 * expected {
                simulation.step().unwrap();
                let particles = &simulation.state().particles;
                let speed = particles.velocity[0].z;
                if simulation.n_contacts() == 0 {
                    last_free = simulation.time();
                    if last_speed > 0.0 && speed <= 0.0 {
                        apexes.push(particles.position[0].z - RADIUS);
                    }
                }
                last_speed = speed;
            }
            for (n, &apex) in apexes.iter().take(4).enumerate() {
                let figure = bounce_height(height, restitution, n as i32 + 1);
                assert_close(apex, figure, TOLERANCE, &format!("bounce {}", n + 1));
            }
            println!("{law:?}: stops at {last_free} ({expected}), heights {:?}", &apexes[..4]);
            assert_close(last_free, expected, TOLERANCE, "time of the last bounce");
            assert!(residual(&simulation) < 1e-3);
        });
    }
}

#[test]
fn a_sliding_ball_ends_rolling_at_five_sevenths_of_its_speed() {
    let (speed, friction) = (0.5, 0.3);
    let expected = sliding_to_rolling(speed, friction, G);
    for law in both_laws() {
        on_threads(1, || {
            let mut simulation = resting(law, interaction(0.5, friction), GRAVITY, DVec3::X * speed);
            let kinetic = simulation.kinetic_energy();
            let contact_speed = |s: &Simulation| {
                let particles = &s.state().particles;
                particles.velocity[0].x - RADIUS * particles.angular_velocity[0].y
            };
            while contact_speed(&simulation) > 1e-3 * speed {
                simulation.step().unwrap();
            }
            let (time, distance) = (simulation.time(), simulation.state().particles.position[0].x);
            run(&mut simulation, 4000);
            let particles = &simulation.state().particles;
            println!("{law:?}: {time} {distance} {} ({expected:?})", particles.velocity[0].x);
            assert_close(time, expected.time, TOLERANCE, "time");
            assert_close(distance, expected.distance, TOLERANCE, "distance");
            assert_close(particles.velocity[0].x, expected.speed, TOLERANCE, "speed");
            assert_close(simulation.kinetic_energy() / kinetic, expected.energy_share, TOLERANCE, "energy");
            assert!(residual(&simulation) < 1e-3);
        });
    }
}

fn tilted(angle: f64) -> DVec3 {
    DVec3::new(angle.sin(), 0.0, -angle.cos()) * G
}

#[test]
fn a_ball_on_an_incline_rolls_or_slides() {
    let friction = 0.2;
    let limit = (3.5_f64 * friction).atan();
    for law in both_laws() {
        for angle in [0.3 * limit, 0.95 * limit, 1.05 * limit, 1.5 * limit] {
            on_threads(1, || {
                let expected = on_incline(angle, friction, RADIUS, G);
                let mut simulation = resting(law, interaction(0.5, friction), tilted(angle), DVec3::ZERO);
                run(&mut simulation, 20_000);
                let (time, particles) = (simulation.time(), &simulation.state().particles);
                let acceleration = particles.velocity[0].x / time;
                let angular = particles.angular_velocity[0].y / time;
                let slip =
                    (particles.velocity[0].x - RADIUS * particles.angular_velocity[0].y) / particles.velocity[0].x;
                println!("{angle:.3}: {acceleration} {angular} ({expected:?}), slip {slip:.1e}");
                assert_close(acceleration, expected.acceleration, TOLERANCE, "acceleration");
                assert_close(angular, expected.angular_acceleration, TOLERANCE, "angular acceleration");
                assert_eq!(slip.abs() < 2e-3, expected.rolls, "{angle}: slip {slip}");
                assert!(residual(&simulation) < 1e-3);
            });
        }
    }
}

const ROLLING_FRICTION: f64 = 0.1;

fn laws_with_rolling() -> Vec<Law> {
    both_laws()
        .into_iter()
        .flat_map(|law| {
            [RollingModel::SpringDashpot { damping: 0.3 }, RollingModel::Spring].map(|rolling| Law { rolling, ..law })
        })
        .collect()
}

fn resisting() -> InteractionProperties {
    InteractionProperties {
        restitution: 0.5,
        friction: 0.8,
        rolling_friction: ROLLING_FRICTION,
        tangential_restitution: 0.0,
    }
}

#[test]
fn rolling_resistance_holds_a_ball_up_to_its_angle() {
    let limit = ROLLING_FRICTION.atan();
    for law in laws_with_rolling() {
        for (angle, stays) in [(0.9 * limit, true), (1.1 * limit, false)] {
            on_threads(1, || {
                let mut simulation = resting(law, resisting(), tilted(angle), DVec3::ZERO);
                // The springs are wound up first.
                run(&mut simulation, 20_000);
                let (start, before) = (simulation.time(), simulation.state().particles.velocity[0].x);
                run(&mut simulation, 20_000);
                let (time, particles) = (simulation.time(), &simulation.state().particles);
                let acceleration = (particles.velocity[0].x - before) / (time - start);
                println!("{law:?} {angle:.4}: x {:.3e}, a {acceleration:.4e}", particles.position[0].x);
                if stays {
                    // It gives way until the spring holds it, and goes no further.
                    assert!(particles.position[0].x < 0.01 * RADIUS, "moved {}", particles.position[0].x);
                    assert!(particles.velocity[0].x.abs() < 1e-2 * G * angle.sin() * time);
                } else {
                    let expected = 5.0 / 7.0 * G * (angle.sin() - ROLLING_FRICTION * angle.cos());
                    assert_close(acceleration, expected, TOLERANCE, "acceleration");
                }
                assert!(residual(&simulation) < 1e-3);
            });
        }
    }
}

#[test]
fn rolling_resistance_brakes_by_five_sevenths_of_its_coefficient_times_gravity() {
    for law in laws_with_rolling() {
        on_threads(1, || {
            let speed = 0.5;
            let mut simulation = resting(law, resisting(), GRAVITY, DVec3::ZERO);
            let rolling =
                ball(RADIUS, simulation.state().particles.position[0], DVec3::X * speed, DVec3::Y * (speed / RADIUS));
            let model = Model { insertions: vec![listed(vec![rolling])], ..simulation.model().clone() };
            simulation = Simulation::new(model).unwrap();
            // The springs are wound up first.
            run(&mut simulation, 4_000);
            let (time, before) = (simulation.time(), simulation.state().particles.velocity[0].x);
            run(&mut simulation, 20_000);
            let braking = (before - simulation.state().particles.velocity[0].x) / (simulation.time() - time);
            println!("{law:?}: {braking} ({})", 5.0 / 7.0 * ROLLING_FRICTION * G);
            assert_close(braking, 5.0 / 7.0 * ROLLING_FRICTION * G, TOLERANCE, "deceleration");
            assert!(residual(&simulation) < 1e-3);
        });
    }
}
