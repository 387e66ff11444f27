//! Walls that go by the load on them, or are moved in several ways at once, against what is known without us.

use crate::support::{
    GRAVITY, assert_close, ball, bead, interaction, linear, listed, plane, residual, run, spheres, wall,
};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use tumble_engine::boundary::course::{Course, CourseTable};
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::law::ContactEnd;
use tumble_engine::model::{Domain, Edge, TimeStep};
use tumble_engine::observe::walls::{total_wall_load, wall_loads};
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Mesh, Pose, Revolved, Surface};

const RADIUS: f64 = 0.01;
const STIFFNESS: f64 = 1e4;

/// Spheres with linear springs, a restitution and a friction.
fn scene(restitution: f64, friction: f64, time_step: f64) -> Model {
    let law = linear(STIFFNESS, ContactEnd::Clamped);
    spheres(law, bead(1e7), interaction(restitution, friction), TimeStep::Fixed(time_step))
}

fn mass_of_ball() -> f64 {
    2500.0 * 2.0 / 3.0 * TAU * RADIUS.powi(3)
}

fn lid(height: f64, motion: Motion) -> Wall {
    Wall { name: "lid".into(), motion, ..plane(DVec3::Z * height, DVec3::NEG_Z) }
}

fn plate(centre: DVec3, half: f64, turn: DQuat, motion: Motion) -> Wall {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let mesh = Mesh::new(corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    wall("plate", Surface::Mesh(mesh), Pose::new(centre, turn), motion)
}

fn servo(from: f64, force: f64, ramp: f64, start: f64) -> Motion {
    Motion::Servo { direction: DVec3::NEG_Z, from, force, ramp, start, max_speed: 0.05, gain: 1e-2 }
}

/// The same run, stopped in its middle and gone on from the state, has the same bits.
fn same_bits_after_a_resume(model: &Model, n_steps: u64) {
    let mut whole = Simulation::new(model.clone()).unwrap();
    run(&mut whole, n_steps / 2);
    let mut resumed = Simulation::resume(model.clone(), whole.state().clone()).unwrap();
    run(&mut whole, n_steps / 2);
    run(&mut resumed, n_steps / 2);
    assert_eq!(whole.state_hash(), resumed.state_hash());
}

#[test]
fn a_lid_compresses_a_column_to_its_weight() {
    let (n, lid_mass, push) = (3, 0.05, -1.5);
    let direction = DVec3::Z;
    // Without friction a column buckles unless it is held.
    let sides = [DVec3::X, DVec3::Y].map(|way| [way, -way]).into_iter().flatten().map(|way| plane(-way * RADIUS, way));
    let model = Model {
        gravity: GRAVITY,
        walls: vec![
            plane(DVec3::ZERO, DVec3::Z),
            lid(f64::from(2 * n) * RADIUS, Motion::Free { direction, mass: lid_mass, push }),
        ]
        .into_iter()
        .chain(sides)
        .collect(),
        insertions: vec![listed(
            (0..n)
                .map(|k| ball(RADIUS, DVec3::Z * (f64::from(2 * k + 1) * RADIUS), DVec3::ZERO, DVec3::ZERO))
                .collect(),
        )],
        ..scene(0.05, 0.0, 2e-6)
    };
    same_bits_after_a_resume(&model, 400);
    let mut simulation = Simulation::new(model).unwrap();
    let mut worst: f64 = 0.0;
    for _ in 0..100 {
        run(&mut simulation, 3000);
        worst = worst.max(residual(&simulation));
    }
    let pressed = lid_mass * 9.81 - push;
    let load = wall_loads(simulation.state())[1];
    assert_close(load.force.z, pressed, 1e-6, "load on the lid");
    // Each contact bears the lid and the balls above it.
    let sunk: f64 = (0..=n).map(|above| (pressed + f64::from(above) * mass_of_ball() * 9.81) / STIFFNESS).sum();
    assert_close(-simulation.state().walls[1].travel, sunk, 1e-6, "way of the lid");
    assert!(worst < 1e-5, "the ledger is off by {worst}");
}

#[test]
fn a_ball_and_a_free_plate_share_their_momentum() {
    for plate_mass in [0.2, 5.0].map(|ratio| ratio * mass_of_ball()) {
        let (restitution, speed) = (0.7, 0.5);
        let model = Model {
            walls: vec![plate(
                DVec3::ZERO,
                0.1,
                DQuat::IDENTITY,
                Motion::Free { direction: DVec3::Z, mass: plate_mass, push: 0.0 },
            )],
            insertions: vec![listed(vec![ball(
                RADIUS,
                DVec3::new(0.003, 0.002, 1.01 * RADIUS),
                DVec3::NEG_Z * speed,
                DVec3::ZERO,
            )])],
            ..scene(restitution, 0.0, 1e-6)
        };
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, 20_000);
        assert_eq!(simulation.n_contacts(), 0);
        let common = -speed * mass_of_ball() / (mass_of_ball() + plate_mass);
        let apart = restitution * speed;
        let (of_ball, of_plate) =
            (simulation.state().particles.velocity[0].z, simulation.state().walls[0].travel_speed);
        let expected = common + apart * plate_mass / (mass_of_ball() + plate_mass);
        assert_close(of_ball, expected, 2e-3, "velocity of the ball");
        assert_close(of_ball - of_plate, apart, 1e-3, "how fast they part");
        let momentum = mass_of_ball() * of_ball + plate_mass * of_plate;
        assert_close(momentum, -mass_of_ball() * speed, 1e-12, "momentum");
        assert!(residual(&simulation) < 1e-5, "{}", residual(&simulation));
    }
}

#[test]
fn a_servo_ramps_its_force_from_when_it_starts() {
    let (start, ramp, from, force) = (0.02, 0.2, 2.0, 10.0);
    // The dashpots of ball and wall ask for less than 0.14.
    let gain = 0.05;
    let motion = Motion::Servo { direction: DVec3::NEG_Z, from, force, ramp, start, max_speed: 0.05, gain };
    let model = Model {
        walls: vec![plane(DVec3::ZERO, DVec3::Z), lid(2.0 * RADIUS, motion)],
        insertions: vec![listed(vec![ball(RADIUS, DVec3::Z * RADIUS, DVec3::ZERO, DVec3::ZERO)])],
        ..scene(0.3, 0.3, 2e-6)
    };
    same_bits_after_a_resume(&model, 30_000);
    let mut simulation = Simulation::new(model).unwrap();
    while simulation.time() < 0.3 {
        run(&mut simulation, 500);
        let (time, pressed) = (simulation.time(), wall_loads(simulation.state())[1].force.z);
        if time < start {
            assert_eq!(simulation.state().walls[1].travel, 0.0);
        } else if time > start + 0.04 && !(start + ramp - 1e-9..start + ramp + 0.04).contains(&time) {
            // It follows at a speed of gain times what is missing, against two springs in a row.
            let rate = if time < start + ramp { (force - from) / ramp } else { 0.0 };
            let wanted = from + rate * (time - start) + if rate == 0.0 { force - from } else { 0.0 };
            let lag = rate / (gain * 0.5 * STIFFNESS);
            assert!((pressed - (wanted - lag)).abs() < 2e-3 * force, "{pressed} N at {time} s, wanted {wanted}");
        }
    }
    assert_close(wall_loads(simulation.state())[1].force.z, force, 1e-3, "force at last");
}

#[test]
fn walls_that_move_as_one_press_with_one_force_together() {
    // Two plates side by side press on two balls, of which one is higher.
    let mut walls = vec![plane(DVec3::ZERO, DVec3::Z)];
    for (x, group) in [(0.0, Some(1)), (0.05, Some(1))] {
        let plate = plate(DVec3::new(x, 0.0, 2.0 * RADIUS), 0.02, DQuat::IDENTITY, servo(0.0, 8.0, 0.0, 0.0));
        walls.push(Wall { group, ..plate });
    }
    let model = Model {
        walls,
        insertions: vec![listed(vec![
            ball(RADIUS, DVec3::Z * RADIUS, DVec3::ZERO, DVec3::ZERO),
            ball(0.99 * RADIUS, DVec3::new(0.05, 0.0, 0.99 * RADIUS), DVec3::ZERO, DVec3::ZERO),
        ])],
        ..scene(0.3, 0.3, 2e-6)
    };
    let mut simulation = Simulation::new(model).unwrap();
    run(&mut simulation, 150_000);
    let loads = wall_loads(simulation.state());
    assert_close(loads[1].force.z + loads[2].force.z, 8.0, 1e-3, "both together");
    // The lower ball is sunk in by 2 % of a radius less.
    assert_close(loads[1].force.z - loads[2].force.z, 0.5 * STIFFNESS * 0.02 * RADIUS, 1e-3, "their difference");
    assert_eq!(simulation.state().walls[1].travel.to_bits(), simulation.state().walls[2].travel.to_bits());
}

#[test]
fn a_sheared_bed_keeps_its_load() {
    // Balls on a lattice between a floor with ribs of balls' size and a lid that slides.
    let side = 8.4 * RADIUS;
    let mut grains = Vec::new();
    for layer in 0..5 {
        for k in 0..16 {
            let shift = 0.5 * f64::from(layer % 2);
            let [x, y] = [f64::from(k % 4), f64::from(k / 4)].map(|place| (place + 0.25 + shift) * 2.1 * RADIUS);
            let radius = RADIUS * (0.9 + 0.1 * f64::from((7 * k + 3 * layer) % 5) / 5.0);
            grains.push(ball(
                radius,
                DVec3::new(x, y, (1.05 + 1.75 * f64::from(layer)) * RADIUS),
                DVec3::ZERO,
                DVec3::ZERO,
            ));
        }
    }
    let shear = Motion::Slide {
        direction: DVec3::X,
        course: Course::Ramp { from: 0.0, to: 0.1, over: 0.1, start: 0.1, stop: f64::INFINITY },
    };
    let force = 20.0;
    let press =
        Motion::Servo { direction: DVec3::NEG_Z, from: 0.0, force, ramp: 0.0, start: 0.0, max_speed: 0.2, gain: 1e-2 };
    let model = Model {
        gravity: GRAVITY,
        domain: Domain {
            lower: DVec3::new(0.0, 0.0, -1.0),
            upper: DVec3::new(side, side, 1.0),
            edges: [Edge::Periodic, Edge::Periodic, Edge::Open],
        },
        walls: vec![plane(DVec3::ZERO, DVec3::Z), lid(10.5 * RADIUS, Motion::Sum(vec![shear, press]))],
        insertions: vec![listed(grains)],
        ..scene(0.3, 0.6, 2e-5)
    };
    same_bits_after_a_resume(&model, 400);
    let mut simulation = Simulation::new(model).unwrap();
    run(&mut simulation, 20_000);
    let work = simulation.state().ledger.wall_work;
    let (mut pressed, mut dragged, mut given, mut n) = (0.0, 0.0, 0.0, 0);
    let mut before = simulation.state().walls[1].force;
    while n < 20_000 {
        run(&mut simulation, 1);
        let lid = simulation.state().walls[1];
        given -= 0.5 * 2e-5 * (before + lid.force).dot(lid.velocity);
        before = lid.force;
        (pressed, dragged, n) = (pressed + lid.force.z, dragged + lid.force.x, n + 1);
    }
    let (pressed, dragged) = (pressed / f64::from(n), dragged / f64::from(n));
    assert!((pressed - force).abs() < 0.01 * force, "the load is {pressed} N");
    assert!(-dragged > 0.1 * force && -dragged < 0.61 * force, "the lid is held by {dragged} N");
    assert_close(simulation.state().ledger.wall_work - work, given, 1e-6, "force times speed");
    assert!(residual(&simulation) < 1e-3, "{}", residual(&simulation));
}

#[test]
fn torque_times_speed_is_the_work_of_a_drum_with_lifters() {
    let (drum_radius, half, speed) = (0.1, 0.025, TAU * 0.8);
    let turn = Motion::Turn {
        point: DVec3::ZERO,
        axis: DVec3::Y,
        course: Course::Ramp { from: 0.0, to: speed, over: 0.1, start: 0.0, stop: f64::INFINITY },
    };
    let along_y = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    let tube = Surface::Revolved(Revolved::closed_cylinder(drum_radius, half, true, true).unwrap());
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for k in 0..6 {
        let out = DQuat::from_rotation_z(TAU * f64::from(k) / 6.0) * DVec3::X;
        let first = vertices.len() as u32;
        for [reach, z] in [[0.75, -half], [1.0, -half], [1.0, half], [0.75, half]] {
            vertices.push(out * (reach * drum_radius) + DVec3::Z * z);
        }
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    let lifters = Surface::Mesh(Mesh::new(vertices, triangles).unwrap());
    let walls = [("drum", tube), ("lifters", lifters)].map(|(name, surface)| Wall {
        group: Some(0),
        ..wall(name, surface, Pose::new(DVec3::ZERO, along_y), turn.clone())
    });
    let mut grains = Vec::new();
    for k in 0..30 {
        let place = DVec3::new(f64::from(k % 5) - 2.0, f64::from(k / 5 % 2) - 0.5, f64::from(k / 10) - 1.0);
        grains.push(ball(0.9 * RADIUS, place * (2.0 * RADIUS), DVec3::ZERO, DVec3::ZERO));
    }
    let model =
        Model { gravity: GRAVITY, walls: walls.to_vec(), insertions: vec![listed(grains)], ..scene(0.5, 0.5, 1e-5) };
    same_bits_after_a_resume(&model, 400);
    let mut simulation = Simulation::new(model).unwrap();
    let (mut work, mut before) = (0.0, 0.0);
    run(&mut simulation, 30_000);
    let begun = simulation.state().ledger.wall_work;
    for k in 0..=60_000 {
        let torque = -total_wall_load(simulation.state()).torque.y;
        if k > 0 {
            work += 0.5 * (before + torque) * speed * 1e-5;
        }
        before = torque;
        if k < 60_000 {
            run(&mut simulation, 1);
        }
    }
    let booked = simulation.state().ledger.wall_work - begun;
    assert!(booked > 1e-2);
    assert_close(work, booked, 1e-6, "torque times speed");
    assert!(residual(&simulation) < 1e-3, "{}", residual(&simulation));
}

#[test]
fn motions_from_tables_and_swings_go_where_they_say() {
    let table = CourseTable::of_places(&[0.0, 0.01, 0.03], &[1.0, 1.002, 1.001], false).unwrap();
    let motion = Motion::Sum(vec![
        Motion::Slide { direction: DVec3::X, course: Course::Table { table: table.into(), start: 0.01 } },
        Motion::Turn {
            point: DVec3::ZERO,
            axis: DVec3::Z,
            course: Course::Swing { amplitude: 0.3, frequency: 20.0, phase: 0.5, start: 0.0, stop: f64::INFINITY },
        },
    ]);
    let model = Model {
        walls: vec![plate(DVec3::X * 0.2, 0.02, DQuat::IDENTITY, motion)],
        insertions: vec![listed(vec![ball(RADIUS, DVec3::X * 5.0, DVec3::ZERO, DVec3::ZERO)])],
        ..scene(0.3, 0.6, 1e-5)
    };
    let mut simulation = Simulation::new(model).unwrap();
    run(&mut simulation, 3000);
    let angle = 0.3 * ((TAU * 20.0 * simulation.time() + 0.5).sin() - 0.5f64.sin());
    let expected = DQuat::from_rotation_z(angle) * (DVec3::X * 0.2) + DVec3::X * 0.0015;
    assert!((simulation.state().walls[0].pose.position - expected).length() < 1e-12);
}
