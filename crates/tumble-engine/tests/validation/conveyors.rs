//! Surfaces that move along themselves, under all solvers, against what is known without us.

use crate::support::{
    GRAVITY, assert_close, ball, bead, hertz, interaction, linear, listed, plane, residual, run, spheres, wall,
};
use glam::{DQuat, DVec3};
use tumble_engine::boundary::conveyor::Conveyor;
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::law::{ContactEnd, Law, MindlinTangential};
use tumble_engine::model::{Solver, TimeStep};
use tumble_engine::observe::walls::wall_loads;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Mesh, Pose, Revolved, Surface};

const RADIUS: f64 = 0.01;
const BELT: f64 = 0.5;

fn laws() -> [Law; 2] {
    [hertz(MindlinTangential::Rescaled, ContactEnd::Clamped), linear(1e4, ContactEnd::Clamped)]
}

fn on_walls(law: Law, walls: Vec<Wall>, position: DVec3) -> Model {
    let step = TimeStep::Automatic { safety: 1.0, speed: Some(1.0) };
    Model {
        gravity: GRAVITY,
        walls,
        insertions: vec![listed(vec![ball(RADIUS, position, DVec3::ZERO, DVec3::ZERO)])],
        ..spheres(law, bead(1e7), interaction(0.8, 0.4), step)
    }
}

fn belt(velocity: DVec3) -> Option<Conveyor> {
    Some(Conveyor { velocity, ..Conveyor::default() })
}

/// Two flat triangles around the origin, given in a frame that is turned.
fn flat_mesh() -> Wall {
    let turn = DQuat::from_rotation_y(1.0);
    let corners = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]];
    let vertices = corners.map(|[x, y]| turn.conjugate() * DVec3::new(x, y, 0.0)).to_vec();
    let mesh = Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    wall("mesh", Surface::Mesh(mesh), Pose::new(DVec3::ZERO, turn), Motion::Fixed)
}

#[test]
fn a_ball_on_a_belt_rolls_with_two_sevenths_of_its_speed_and_the_belt_pays_for_it() {
    for law in laws() {
        for ground in [plane(DVec3::ZERO, DVec3::Z), flat_mesh()] {
            let own = ground.pose.orientation.conjugate();
            let conveyor = belt(own * (DVec3::X * BELT));
            let mut simulation =
                Simulation::new(on_walls(law, vec![Wall { conveyor, ..ground }], DVec3::Z * RADIUS)).unwrap();
            let mut given = 0.0;
            while simulation.time() < 0.3 {
                run(&mut simulation, 1);
                given += wall_loads(simulation.state())[0].power * simulation.state().time_step;
            }
            let state = simulation.state();
            let (mass, speed) = (state.particles.mass[0], state.particles.velocity[0].x);
            assert!((speed / BELT - 2.0 / 7.0).abs() < 2e-3, "{speed}");
            // Force on the ball is mass times acceleration, whatever it is, so the belt's work is m v V.
            assert_close(state.ledger.wall_work, mass * speed * BELT, 1e-3, "work of the belt");
            assert_close(given, state.ledger.wall_work, 1e-3, "power of the belt over time");
            assert_eq!(state.walls[0].pose, simulation.model().walls[0].pose);
            assert!(residual(&simulation) < 1e-5, "{}", residual(&simulation));
        }
    }
}

#[test]
fn a_belt_is_as_good_as_a_plane_that_moves_along_itself() {
    for law in laws() {
        let run_on = |ground: Wall| {
            let mut simulation = Simulation::new(on_walls(law, vec![ground], DVec3::Z * (1.3 * RADIUS))).unwrap();
            while simulation.time() < 0.3 {
                run(&mut simulation, 1);
            }
            let state = simulation.state();
            let ledger = [state.ledger.wall_work, state.ledger.slip, state.ledger.tangential_dashpot];
            (state.particles.position[0], state.particles.angular_velocity[0], ledger)
        };
        let velocity = DVec3::new(0.4, -0.3, 0.0);
        let ground = plane(DVec3::ZERO, DVec3::Z);
        let moved =
            run_on(Wall { motion: Motion::Translate { velocity, start: 0.0, stop: f64::INFINITY }, ..ground.clone() });
        let belted = run_on(Wall { conveyor: belt(velocity), ..ground });
        assert!((moved.0 - belted.0).length() < 1e-9 * RADIUS, "{} {}", moved.0, belted.0);
        assert!((moved.1 - belted.1).length() < 1e-7, "{} {}", moved.1, belted.1);
        for (one, other) in moved.2.into_iter().zip(belted.2) {
            assert!((one - other).abs() < 1e-6 * moved.2[0], "{:?} {:?}", moved.2, belted.2);
        }
    }
}

#[test]
fn a_tube_whose_surface_goes_round_is_a_drum_and_one_that_goes_along_conveys() {
    let lies = DQuat::from_rotation_arc(DVec3::Z, DVec3::X);
    let tube = || {
        let surface = Surface::Revolved(Revolved::tube(5.0 * RADIUS, 10.0).unwrap());
        wall("tube", surface, Pose::new(DVec3::ZERO, lies), Motion::Fixed)
    };
    let bottom = DVec3::NEG_Z * (4.0 * RADIUS);
    for law in laws() {
        let run_in = |tube: Wall| {
            let mut simulation = Simulation::new(on_walls(law, vec![tube], bottom)).unwrap();
            while simulation.time() < 0.2 {
                run(&mut simulation, 1);
            }
            assert!(residual(&simulation) < 1e-3, "{}", residual(&simulation));
            simulation
        };
        let spin = 6.0;
        let drum = Motion::Rotate { point: DVec3::ZERO, axis: DVec3::X, speed: spin, start: 0.0, stop: f64::INFINITY };
        let turned = run_in(Wall { motion: drum, ..tube() });
        let around = Conveyor { spin: DVec3::Z * spin, ..Conveyor::default() };
        let driven = run_in(Wall { conveyor: Some(around), ..tube() });
        let [one, other] = [&turned, &driven].map(|s| (s.state().particles.position[0], s.state().ledger.wall_work));
        assert!((one.0 - other.0).length() < 1e-4 * RADIUS, "{} {}", one.0, other.0);
        assert_close(other.1, one.1, 1e-3, "work");
        let along = run_in(Wall { conveyor: belt(DVec3::Z * BELT), ..tube() });
        let speed = along.state().particles.velocity[0].x;
        assert!((speed / BELT - 2.0 / 7.0).abs() < 2e-3, "{speed}");
    }
}

#[test]
fn hard_grains_are_conveyed_and_their_ledger_closes() {
    for solver in [Solver::HardStepped, Solver::HardEvents] {
        for ground in [plane(DVec3::ZERO, DVec3::Z), flat_mesh()] {
            let own = ground.pose.orientation.conjugate();
            let conveyor = belt(own * DVec3::new(BELT, 0.0, 0.0));
            let model = Model {
                solver,
                time_step: TimeStep::Fixed(1e-4),
                ..on_walls(laws()[1], vec![Wall { conveyor, ..ground }], DVec3::Z * (1.5 * RADIUS))
            };
            let mut simulation = Simulation::new(model).unwrap();
            let mut given = 0.0;
            // It comes to rest on the belt after 0.29 s.
            while simulation.time() < 0.25 {
                run(&mut simulation, 1);
                given += wall_loads(simulation.state())[0].power * simulation.state().time_step;
            }
            let state = simulation.state();
            let speed = state.particles.velocity[0].x;
            assert!((speed / BELT - 2.0 / 7.0).abs() < 1e-3, "{solver:?}: {speed}");
            assert_close(given, state.ledger.wall_work, 1e-9, "power of the belt over time");
            assert_close(state.ledger.wall_work, state.particles.mass[0] * speed * BELT, 1e-6, "work of the belt");
            assert!(residual(&simulation) < 1e-9, "{}", residual(&simulation));
        }
    }
}
