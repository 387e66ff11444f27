//! Grains of every shape settle in a box and in a turning drum, under either law, and the ledger closes.

use crate::samples::{solids, volume_law};
use crate::support::{GRAVITY, ball, bead, closed_box, interaction, linear, listed, planned, residual, spheres, wall};
use glam::{DQuat, DVec3};
use tumble_engine::boundary::insertion::{Amount, Insertion, ListedGrain, Plan, SizeDistribution};
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::law::{ContactEnd, Law, LawKind, VolumeExponent};
use tumble_engine::model::{Limits, Species, TimeStep};
use tumble_engine::random::Random;
use tumble_engine::region::Region;
use tumble_engine::{Model, Simulation};
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Pose, Revolved, Surface};

/// Radius of the grains' bounding balls [m].
const RADIUS: f64 = 0.006;

pub fn depth() -> Law {
    linear(3e3, ContactEnd::Clamped)
}

pub fn volume() -> Law {
    volume_with(5e3)
}

/// With a stiffness [N/m].
fn volume_with(normal_stiffness: f64) -> Law {
    let kind = LawKind::Volume {
        normal_stiffness,
        tangential_ratio: 2.0 / 7.0,
        exponent: VolumeExponent::ThreeHalves,
        length: None,
        region_tolerance: LAW_REGION,
    };
    Law { kind, ..volume_law(VolumeExponent::ThreeHalves) }
}

/// All the shapes at random in a region, falling.
pub fn scene(law: Law, walls: Vec<Wall>, region: Region, n_grains: u64) -> Model {
    // The automatic step of the volume law is for faces that meet at the depth of a hundredth; grains that land on edges and
    // corners are much softer, and a step three times as long is still a thirtieth of a contact of faces.
    let safety = if matches!(law.kind, LawKind::Volume { .. }) { 3.0 } else { 1.0 };
    let shapes = solids();
    let species =
        shapes.iter().map(|(name, shape)| Species::new(*name, &shape.scaled(RADIUS / shape.bounding_radius()), 0));
    let plan = Plan::Fill { region, amount: Amount::Count(n_grains) };
    let insertion = Insertion {
        species: (0..shapes.len() as u16).map(|k| (k, 1.0)).collect(),
        orientation: None,
        ..planned(plan, SizeDistribution::Fixed(RADIUS))
    };
    Model {
        species: species.collect(),
        gravity: GRAVITY,
        walls,
        insertions: vec![insertion],
        seed: 11,
        // Overlaps are measured against half the smallest width, which is little for a thin disc that lands on its edge.
        limits: Limits { overlap: 2.0, ..Limits::default() },
        ..spheres(law, bead(1e7), interaction(0.4, 0.4), TimeStep::Automatic { safety, speed: Some(1.0) })
    }
}

/// Runs for a time [s]; returns the kinetic energy over its largest, and the residual.
fn settle(model: Model, time: f64) -> (f64, f64) {
    let mut simulation = Simulation::new(model).unwrap();
    let n_steps = (time / simulation.state().time_step) as u64;
    let mut most: f64 = 0.0;
    for step in 0..n_steps {
        simulation.step().unwrap();
        if step % 50 == 0 {
            most = most.max(simulation.kinetic_energy());
        }
    }
    println!(
        "{} grains, {n_steps} steps of {:.2e} s, {} contacts, kinetic energy {:.1e} of its largest, residual {:.1e}",
        simulation.state().particles.len(),
        simulation.state().time_step,
        simulation.n_contacts(),
        simulation.kinetic_energy() / most,
        residual(&simulation)
    );
    let lowest = simulation.state().particles.position.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > -5.0 * RADIUS, "a grain fell through the wall: {lowest}");
    (simulation.kinetic_energy() / most, residual(&simulation))
}

/// Grains from below a height `top` [m].
fn in_a_box(law: Law, n_grains: u64, top: f64, time: f64, settled: f64) {
    let upper = DVec3::new(0.05, 0.05, 0.3);
    let region = Region::Box { lower: DVec3::ZERO, upper: DVec3::new(0.05, 0.05, top) };
    let mut model = scene(law, closed_box(DVec3::ZERO, upper), region, n_grains);
    model.interactions.iter_mut().for_each(|interaction| interaction.restitution = 0.2);
    let (kinetic, residual) = settle(model, time);
    assert!(kinetic < settled, "the grains did not settle: {kinetic}");
    assert!(residual < 1e-3, "{residual}");
}

fn in_a_drum(law: Law, n_grains: u64, time: f64) {
    let (radius, length) = (0.045, 0.06);
    let drum = Surface::Revolved(Revolved::closed_cylinder(radius, 0.5 * length, true, true).unwrap());
    // Lying along y, turning once in four seconds.
    let pose = Pose::new(DVec3::new(0.0, 0.0, radius), DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let turning = Motion::Rotate {
        point: pose.position,
        axis: DVec3::Y,
        speed: std::f64::consts::FRAC_PI_2,
        start: 0.0,
        stop: f64::INFINITY,
    };
    let region = Region::Box { lower: DVec3::new(-0.04, -0.028, 0.008), upper: DVec3::new(0.04, 0.028, 0.06) };
    let (_, residual) = settle(scene(law, vec![wall("drum", drum, pose, turning)], region, n_grains), time);
    assert!(residual < 1e-3, "{residual}");
}

#[test]
fn all_shapes_settle_in_a_box_under_the_depth_law() {
    in_a_box(depth(), 22, 0.08, 0.3, 1e-2);
}

#[test]
fn all_shapes_settle_in_a_box_under_the_volume_law() {
    // Regions of curved grains take long: few grains that fall a little way, softer and so with longer steps; when the test
    // ends the last ones still rock.
    in_a_box(volume_with(1.25e3), 8, 0.026, 0.12, 5e-2);
}

#[test]
fn all_shapes_tumble_in_a_drum_under_the_depth_law() {
    in_a_drum(depth(), 22, 0.2);
}

#[test]
fn all_shapes_tumble_in_a_drum_under_the_volume_law() {
    in_a_drum(volume(), 11, 0.1);
}

/// A drum three times as wide as the grains, in which a plane at their deepest point alone would not conserve energy.
#[test]
fn elastic_grains_keep_their_energy_in_a_narrow_drum_under_the_volume_law() {
    let (radius, length) = (3.0 * RADIUS, 0.06);
    let drum = Surface::Revolved(Revolved::closed_cylinder(radius, 0.5 * length, true, true).unwrap());
    let pose = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    let names = ["cylinder", "capsule", "cone", "ellipsoid", "box", "tetrahedron", "box and rod"];
    for (name, shape) in solids().into_iter().filter(|(name, _)| names.contains(name)) {
        let shape = shape.scaled(RADIUS / shape.bounding_radius());
        let region = Region::Ball { centre: DVec3::new(0.3 * RADIUS, 0.0, 0.3 * RADIUS), radius: 1.2 * RADIUS };
        let walls = vec![wall("drum", drum.clone(), pose, Motion::Fixed)];
        let mut model = scene(volume(), walls, region, 1);
        model.species = vec![Species::new(name, &shape, 0)];
        // One start for each shape, whatever a fill makes of the seed.
        let mut random = Random::from_seed(11);
        let place = region.inset(RADIUS).unwrap().sample(&mut random);
        let velocity = DVec3::ZERO;
        let grain = ListedGrain { orientation: random.orientation(), ..ball(RADIUS, place, velocity, DVec3::ZERO) };
        model.insertions = vec![listed(vec![grain])];
        model.interactions.iter_mut().for_each(|i| (i.restitution, i.friction) = (1.0, 0.0));
        model.time_step = TimeStep::Automatic { safety: 1.0, speed: Some(1.0) };
        let mut simulation = Simulation::new(model).unwrap();
        let fall = simulation.state().particles.mass[0] * 9.81 * radius;
        let start = simulation.energies().total();
        let n_steps = (0.3 / simulation.state().time_step) as u64;
        let (mut largest, mut n_touching): (f64, u64) = (0.0, 0);
        for _ in 0..n_steps {
            simulation.step().unwrap();
            n_touching += u64::from(simulation.n_contacts() > 0);
            largest = largest.max((simulation.energies().total() - start).abs() / fall);
        }
        println!("{name}: {n_steps} steps, {n_touching} in contact, energy off by at most {largest:.1e} of m g R");
        assert!(n_touching > 1_000, "{name}: {n_touching}");
        // Two edges of a box that reach the wall at once make V turn sharply from one to the other.
        assert!(largest < if name == "box" { 1e-3 } else { 1e-5 }, "{name}: {largest:.1e}");
    }
}

/// The whole way to rest: many minutes.
#[test]
#[ignore = "the full size of all_shapes_settle_in_a_box_under_the_volume_law"]
fn all_shapes_come_to_rest_in_a_box_under_the_volume_law() {
    in_a_box(volume(), 22, 0.08, 0.6, 1e-3);
}
