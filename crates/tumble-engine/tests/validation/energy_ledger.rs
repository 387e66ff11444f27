//! The energy ledger closes at the automatic time step, whatever moves, comes, leaves or rubs.

use crate::support::{
    GRAVITY, ball, bead, closed_box, hertz, linear, listed, plane, planned, random_gas, residual, run, spheres, wall,
};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_engine::boundary::insertion::{Plan, SizeDistribution};
use tumble_engine::boundary::wall::Motion;
use tumble_engine::law::{ContactEnd, InteractionProperties, Law, MindlinTangential, RollingModel};
use tumble_engine::model::{Domain, Edge, TimeStep};
use tumble_engine::region::Region;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Mesh, Pose, Revolved, Surface};

const RADIUS: f64 = 0.01;
/// The most that the ledger may leave unexplained, of the energy in play.
const RESIDUAL: f64 = 1e-3;

fn laws() -> [Law; 2] {
    [linear(5e4, ContactEnd::Clamped), hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)]
}

fn rubbing() -> InteractionProperties {
    InteractionProperties { restitution: 0.6, friction: 0.5, rolling_friction: 0.0, tangential_restitution: 0.0 }
}

fn automatic() -> TimeStep {
    TimeStep::Automatic { safety: 1.0, speed: None }
}

/// Runs a model for a time, and holds the residual against the bound all along.
fn check(model: Model, duration: f64, what: &str) -> Simulation {
    let mut simulation = Simulation::new(model).unwrap();
    let n_steps = (duration / simulation.state().time_step).ceil() as u64;
    let mut worst: f64 = 0.0;
    for _ in 0..20 {
        run(&mut simulation, n_steps / 20);
        worst = worst.max(residual(&simulation));
    }
    let energies = simulation.energies();
    let ledger = simulation.state().ledger;
    println!("{what}: {n_steps} steps, worst residual {worst:.2e}, {} contacts", simulation.n_contacts());
    println!("    imbalance {:.3e} of {energies:?}\n    {ledger:?}", ledger.imbalance(&energies));
    assert!(worst <= RESIDUAL, "{what}: residual {worst}");
    simulation
}

fn gas_in_box(law: Law, properties: InteractionProperties) -> Model {
    let side = 0.13;
    Model {
        gravity: GRAVITY,
        walls: closed_box(DVec3::ZERO, DVec3::splat(side)),
        insertions: vec![listed(random_gas(RADIUS, DVec3::splat(1e-3), [6, 6, 6], 1.0, 3))],
        ..spheres(law, bead(1e7), properties, automatic())
    }
}

#[test]
fn grains_in_a_box() {
    for law in laws() {
        check(gas_in_box(law, rubbing()), 0.3, "box");
    }
}

#[test]
fn every_variant_of_the_law() {
    for end in [ContactEnd::Clamped, ContactEnd::Open] {
        for law in
            [linear(5e4, end), hertz(MindlinTangential::Rescaled, end), hertz(MindlinTangential::Incremental, end)]
        {
            for restitution in [0.2, 0.9] {
                let properties = InteractionProperties { restitution, ..rubbing() };
                check(gas_in_box(law, properties), 0.1, &format!("{law:?}, e = {restitution}"));
            }
        }
    }
}

#[test]
fn contacts_that_end_farther_apart_than_the_skin() {
    // At every step some pair or grain and wall that touched are not listed any more.
    for end in [ContactEnd::Clamped, ContactEnd::Open] {
        for law in [linear(5e4, end), hertz(MindlinTangential::Rescaled, end)] {
            let properties = InteractionProperties { restitution: 0.9, ..rubbing() };
            check(Model { skin: Some(1e-9), ..gas_in_box(law, properties) }, 0.05, "thin skin");
        }
    }
}

#[test]
fn rolling_resistance() {
    for law in laws() {
        for rolling in [RollingModel::SpringDashpot { damping: 0.3 }, RollingModel::Spring] {
            let properties = InteractionProperties { rolling_friction: 0.1, ..rubbing() };
            let simulation = check(gas_in_box(Law { rolling, ..law }, properties), 0.2, &format!("{rolling:?}"));
            assert!(simulation.state().ledger.rolling > 0.0);
        }
    }
}

#[test]
fn drag() {
    for law in laws() {
        let simulation = check(Model { drag: 2.0, ..gas_in_box(law, rubbing()) }, 0.2, "drag");
        assert!(simulation.state().ledger.drag > 0.05 * simulation.state().ledger.scale);
    }
}

#[test]
fn a_turning_drum() {
    for law in laws() {
        let drum = Surface::Revolved(Revolved::closed_cylinder(0.1, 0.04, true, true).unwrap());
        let lying = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(FRAC_PI_2));
        let motion = Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Y, speed: 6.0, start: 0.0, stop: f64::INFINITY };
        let model = Model {
            gravity: GRAVITY,
            walls: vec![wall("drum", drum, lying, motion)],
            insertions: vec![listed(random_gas(RADIUS, DVec3::new(-0.065, -0.03, -0.06), [6, 3, 5], 0.5, 4))],
            ..spheres(law, bead(1e7), rubbing(), automatic())
        };
        let simulation = check(model, 1.0, "drum");
        assert!(simulation.state().ledger.wall_work > 0.0);
    }
}

#[test]
fn a_vibrating_floor() {
    for law in laws() {
        let motion = Motion::Vibrate { amplitude: DVec3::Z * 2e-3, frequency: 30.0, start: 0.05, stop: f64::INFINITY };
        let mut model = gas_in_box(law, rubbing());
        model.walls[4].motion = motion;
        let simulation = check(model, 0.5, "vibrating floor");
        assert!(simulation.state().ledger.wall_work > 0.0);
    }
}

#[test]
fn a_servo_wall_that_holds_its_force() {
    for law in laws() {
        let force = 20.0;
        let mut model = gas_in_box(law, rubbing());
        model.walls[5].motion =
            Motion::Servo { direction: -DVec3::Z, from: 0.0, force, ramp: 0.0, start: 0.0, max_speed: 0.3, gain: 5e-3 };
        let mut simulation = check(model, 0.7, "servo wall");
        let mut pressed = 0.0;
        for _ in 0..1000 {
            run(&mut simulation, 1);
            pressed += simulation.state().walls[5].force.z / 1000.0;
        }
        println!("    pressed with {pressed} N, lid at {}", simulation.state().walls[5].pose.position.z);
        assert!((pressed - force).abs() < 0.05 * force, "the grains press with {pressed} N instead of {force} N");
    }
}

#[test]
fn grains_that_stream_in_and_fall_out() {
    for law in laws() {
        let lower = DVec3::new(-0.2, -0.2, -0.1);
        let region = Region::Box { lower: DVec3::new(-0.03, -0.03, 0.1), upper: DVec3::new(0.03, 0.03, 0.2) };
        let stream = Plan::Stream { region, rate: 400.0, start: 0.02, count: Some(250) };
        let mut source = planned(stream, SizeDistribution::Uniform { low: 0.006, high: RADIUS });
        source.velocity = DVec3::new(0.0, 0.0, -0.5);
        source.velocity_spread = 0.1;
        source.angular_velocity = DVec3::X * 10.0;
        let slope = plane(DVec3::ZERO, DVec3::new(0.4, 0.1, 1.0));
        let model = Model {
            gravity: GRAVITY,
            domain: Domain { lower, upper: DVec3::splat(0.3), edges: [Edge::Remove; 3] },
            walls: vec![slope],
            insertions: vec![source],
            ..spheres(law, bead(1e7), rubbing(), automatic())
        };
        let simulation = check(model, 1.0, "stream");
        let state = simulation.state();
        println!("    {} grains, {} left", state.particles.len(), state.n_removed);
        assert!(state.n_removed > 50 && state.inserters[0].inserted > 200);
    }
}

#[test]
fn a_periodic_chute() {
    for law in laws() {
        let side = 0.1;
        let angle: f64 = 0.45;
        let model = Model {
            gravity: DVec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81,
            domain: Domain {
                lower: DVec3::new(0.0, 0.0, -1.0),
                upper: DVec3::new(side, side, 1.0),
                edges: [Edge::Periodic, Edge::Periodic, Edge::Remove],
            },
            walls: vec![plane(DVec3::ZERO, DVec3::Z)],
            insertions: vec![listed(random_gas(RADIUS * 0.95, DVec3::new(0.0, 0.0, 0.001), [5, 5, 6], 0.3, 5))],
            ..spheres(law, bead(1e7), rubbing(), automatic())
        };
        let simulation = check(model, 1.0, "chute");
        assert!(simulation.state().particles.image.iter().any(|image| image[0] > 1), "nothing went round");
    }
}

#[test]
fn damped_grains_never_gain_energy() {
    for law in laws() {
        let model = gas_in_box(law, rubbing());
        let mut simulation = Simulation::new(model).unwrap();
        let total = |s: &Simulation| s.energies().total();
        let start = total(&simulation);
        let (mut least, mut rise): (f64, f64) = (start, 0.0);
        for _ in 0..2000 {
            run(&mut simulation, 2);
            let now = total(&simulation);
            rise = rise.max(now - least);
            least = least.min(now);
        }
        println!("rise {:.2e} of {start}, {least} left", rise / start);
        assert!(rise <= 1e-6 * start, "the energy rose by {} of its start", rise / start);
        assert!(least < 0.8 * start);
    }
}

#[test]
fn a_single_ball_on_a_moving_plate_is_carried_along() {
    // The plate does the work that makes the ball roll: 2/7 of the plate's speed, by friction alone.
    let motion = Motion::Translate { velocity: DVec3::X * 0.5, start: 0.0, stop: f64::INFINITY };
    for law in laws() {
        let mut plate = plane(DVec3::ZERO, DVec3::Z);
        plate.motion = motion.clone();
        let model = Model {
            gravity: GRAVITY,
            walls: vec![plate],
            insertions: vec![listed(vec![ball(RADIUS, DVec3::Z * RADIUS, DVec3::ZERO, DVec3::ZERO)])],
            ..spheres(law, bead(1e7), rubbing(), automatic())
        };
        let simulation = check(model, 0.5, "moving plate");
        let speed = simulation.state().particles.velocity[0].x;
        assert!((speed / 0.5 - 2.0 / 7.0).abs() < 2e-3, "{speed}");
    }
}

#[test]
fn the_work_of_a_turning_wall_does_not_depend_on_where_its_origin_is() {
    // One tray, given once about the axis and once about a point a metre away from it.
    for law in laws() {
        let work = |origin: DVec3| {
            let corners = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)];
            let vertices = corners.map(|(x, y)| DVec3::new(x, y, -RADIUS) - origin).to_vec();
            let tray = Surface::Mesh(Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap());
            let motion =
                Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Y, speed: 3.0, start: 0.0, stop: f64::INFINITY };
            let model = Model {
                gravity: GRAVITY,
                walls: vec![wall("tray", tray, Pose::from_position(origin), motion)],
                insertions: vec![listed(vec![ball(RADIUS, DVec3::X * 0.03, DVec3::ZERO, DVec3::ZERO)])],
                ..spheres(law, bead(1e7), rubbing(), automatic())
            };
            check(model, 0.1, "tray").state().ledger.wall_work
        };
        let (near, far) = (work(DVec3::ZERO), work(DVec3::new(0.0, 0.0, 1.0)));
        // Rounding, which the ball on the tray lets grow a little.
        assert!((far / near - 1.0).abs() < 1e-8, "{far} instead of {near}");
    }
}

#[test]
fn a_grain_removed_while_its_contact_exerts_no_force_leaves_no_energy_behind() {
    // Two grains part so fast that the force is cut off at zero while they still overlap. Then one leaves the domain.
    for law in laws() {
        let distance = 1.99 * RADIUS;
        let parting =
            [-1.0, 1.0].map(|side| ball(RADIUS, DVec3::X * (0.5 * side * distance), DVec3::X * side, DVec3::ZERO));
        let domain = Domain {
            lower: DVec3::splat(-1.0),
            upper: DVec3::new(0.5 * distance + 1e-9, 1.0, 1.0),
            edges: [Edge::Remove, Edge::Open, Edge::Open],
        };
        let properties = InteractionProperties { restitution: 0.1, ..rubbing() };
        let model = Model {
            domain,
            insertions: vec![listed(parting.to_vec())],
            ..spheres(law, bead(1e7), properties, TimeStep::Fixed(5e-7))
        };
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, 50);
        assert_eq!((simulation.n_contacts(), simulation.state().particles.force[0]), (1, DVec3::ZERO));
        let elastic = simulation.energies().elastic.total();
        let imbalance = |s: &Simulation| s.state().ledger.imbalance(&s.energies());
        let before = imbalance(&simulation);
        run(&mut simulation, 1);
        assert_eq!(simulation.state().n_removed, 1);
        let after = imbalance(&simulation);
        assert!((after - before).abs() < 1e-9 * elastic, "{:e} of {elastic:e} J are gone", after - before);
    }
}
