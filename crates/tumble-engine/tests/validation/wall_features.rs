//! A wall made of pieces is one wall: friction remembers across triangles and along a tube.

use crate::support::{GRAVITY, ball, bead, hertz, interaction, linear, listed, on_threads, plane, run, spheres, wall};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::law::{ContactEnd, InteractionProperties, Law, MindlinTangential};
use tumble_engine::model::TimeStep;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Mesh, Pose, Revolved, Surface};

const RADIUS: f64 = 0.01;

fn laws() -> [Law; 2] {
    [linear(5e4, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)]
}

/// A flat square in the plane z = 0, cut into triangles smaller than the ball.
fn tessellated(side: f64, n: u32) -> Wall {
    let at = |i: u32, j: u32| {
        DVec3::new(f64::from(i), f64::from(j), 0.0) * (side / f64::from(n)) - DVec3::new(0.5, 0.5, 0.0) * side
    };
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| at(i, j))).collect();
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| j * (n + 1) + i);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let mesh = Mesh::new(vertices, triangles).unwrap();
    wall("floor", Surface::Mesh(mesh), Pose::IDENTITY, Motion::Fixed)
}

#[test]
fn a_ball_on_a_tessellated_floor_moves_as_on_a_plane() {
    for law in laws() {
        let properties = InteractionProperties {
            restitution: 0.6,
            friction: 0.3,
            rolling_friction: 0.02,
            tangential_restitution: 0.0,
        };
        let on = |floor: Wall| {
            let start = ball(RADIUS, DVec3::new(-0.05, -0.03, 0.012), DVec3::new(0.4, 0.23, 0.0), DVec3::Z * 5.0);
            let model = Model {
                gravity: GRAVITY,
                walls: vec![floor],
                insertions: vec![listed(vec![start])],
                ..spheres(law, bead(1e7), properties, TimeStep::Fixed(1e-5))
            };
            on_threads(1, || {
                let mut simulation = Simulation::new(model).unwrap();
                run(&mut simulation, 20_000);
                let p = &simulation.state().particles;
                (p.position[0], p.velocity[0], p.angular_velocity[0])
            })
        };
        let (flat, cut) = (on(plane(DVec3::ZERO, DVec3::Z)), on(tessellated(0.3, 53)));
        println!("{flat:?}\n{cut:?}");
        assert!(flat.0.x > 0.0, "it crossed many triangles");
        assert!((flat.0 - cut.0).length() < 1e-9 * RADIUS);
        assert!((flat.1 - cut.1).length() < 1e-9 * flat.1.length());
        assert!((flat.2 - cut.2).length() < 1e-9 * flat.2.length());
    }
}

#[test]
fn a_ball_held_by_friction_on_a_tessellated_incline_stays() {
    // Rolling resistance and friction hold the ball; a spring that was forgotten at an edge would let it creep.
    for law in laws() {
        let properties = InteractionProperties {
            restitution: 0.3,
            friction: 0.6,
            rolling_friction: 0.3,
            tangential_restitution: 0.0,
        };
        let angle: f64 = 0.2;
        // Over a vertex of the mesh, where six triangles meet.
        let model = Model {
            gravity: DVec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81,
            walls: vec![tessellated(0.2, 40)],
            insertions: vec![listed(vec![ball(RADIUS, DVec3::Z * RADIUS, DVec3::ZERO, DVec3::ZERO)])],
            ..spheres(law, bead(1e7), properties, TimeStep::Fixed(1e-5))
        };
        on_threads(1, || {
            let mut simulation = Simulation::new(model).unwrap();
            run(&mut simulation, 50_000);
            let before = simulation.state().particles.position[0];
            run(&mut simulation, 50_000);
            let moved = (simulation.state().particles.position[0] - before).length();
            println!("{moved:e}");
            assert!(moved < 1e-6 * RADIUS, "crept by {moved} m");
        });
    }
}

#[test]
fn a_ball_rolls_to_and_fro_in_a_tube_without_slipping() {
    // In a tube of radius b lying along y a ball of radius r swings like a pendulum: for small angles
    // omega^2 = 5 g / (7 (b - r)), and it loses nothing to friction while it rolls.
    let tube_radius = 0.1;
    for law in laws() {
        let tube = Surface::Revolved(Revolved::tube(tube_radius, 0.05).unwrap());
        let lying = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(FRAC_PI_2));
        let angle: f64 = 0.1;
        let start = DVec3::new(angle.sin(), 0.0, -angle.cos()) * (tube_radius - RADIUS);
        let model = Model {
            gravity: GRAVITY,
            walls: vec![wall("tube", tube, lying, Motion::Fixed)],
            insertions: vec![listed(vec![ball(RADIUS, start, DVec3::ZERO, DVec3::ZERO)])],
            ..spheres(law, bead(1e8), interaction(0.5, 0.5), TimeStep::Fixed(1e-5))
        };
        on_threads(1, || {
            let mut simulation = Simulation::new(model).unwrap();
            let (mut crossings, mut last) = (Vec::new(), start.x);
            while crossings.len() < 9 {
                simulation.step().unwrap();
                let x = simulation.state().particles.position[0].x;
                if (x < 0.0) != (last < 0.0) {
                    crossings.push(simulation.time());
                }
                last = x;
            }
            let period = (crossings[8] - crossings[0]) / 4.0;
            let small = std::f64::consts::TAU * (7.0 * (tube_radius - RADIUS) / (5.0 * 9.81)).sqrt();
            let expected = small * (1.0 + angle * angle / 16.0);
            let p = &simulation.state().particles;
            let speed = p.velocity[0].length();
            let slip = (speed - RADIUS * p.angular_velocity[0].length()).abs() / speed;
            let lowest = (2.0 * 5.0 / 7.0 * 9.81 * (tube_radius - RADIUS) * (1.0 - angle.cos())).sqrt();
            println!(
                "period {period} ({expected}), speed {speed} ({lowest}), slip {slip:.1e}, {:?}",
                simulation.state().ledger
            );
            assert!((period / expected - 1.0).abs() < 1e-3, "{period} instead of {expected}");
            assert!(slip < 2e-3, "{slip}");
            assert!((speed / lowest - 1.0).abs() < 5e-3, "{speed} instead of {lowest}");
            assert!(p.position[0].y.abs() < 1e-9 * RADIUS && p.velocity[0].y.abs() < 1e-9);
        });
    }
}
