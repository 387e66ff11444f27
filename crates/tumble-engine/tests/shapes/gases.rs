//! Elastic gases of one shape in a box at the automatic time step: how far the energy is off after many collisions. What a law
//! must come to for every shape is a thousandth over 200 collisions a grain.

use crate::local_curvature::local_law;
use crate::samples::{
    cuboid, depth_law, each_on_one_thread, elastic, grain, in_runs, model, pressure_law, solids, volume_law,
    with_grains,
};
use crate::support::{closed_box, elastic_gas, hertz, wall};
use glam::DVec3;
use std::f64::consts::SQRT_2;
use tumble_engine::Model;
use tumble_engine::boundary::wall::Motion;
use tumble_engine::law::{ContactEnd, Law, MindlinTangential, VolumeExponent};
use tumble_engine::model::TimeStep;
use tumble_engine::random::Random;
use tumble_geometry::{Pose, Revolved, Shape, Surface};

const LINEAR: &str = "linear";
const HERTZ: &str = "Hertz";
const VOLUME: &str = "volume, exponent 3/2";
const SQUARED_VOLUME: &str = "volume, exponent 2";
const PRESSURE: &str = "pressure";
const LOCAL_HERTZ: &str = "Hertz, local curvatures";

fn law(name: &str) -> Law {
    match name {
        LINEAR => depth_law(),
        HERTZ => hertz(MindlinTangential::Rescaled, ContactEnd::Clamped),
        PRESSURE => pressure_law(),
        LOCAL_HERTZ => local_law(),
        SQUARED_VOLUME => in_runs(volume_law(VolumeExponent::Two)),
        _ => in_runs(volume_law(VolumeExponent::ThreeHalves)),
    }
}

/// What a gas is in.
#[derive(Clone, Copy, Debug)]
enum Container {
    Box,
    Drum,
}

/// Grains on a lattice of bounding balls that nearly touch, at random orientations and with random velocities and spins.
fn gas(shape: &Shape, law: Law, n_a_side: u32, container: Container) -> Model {
    let size = shape.bounding_radius();
    let spacing = 2.02 * size;
    let side = f64::from(n_a_side) * spacing;
    let mut model = model(std::slice::from_ref(shape), law, elastic(), 1.0);
    model.walls = match container {
        Container::Box => closed_box(DVec3::ZERO, DVec3::splat(side)),
        Container::Drum => {
            let drum = Revolved::closed_cylinder(0.5 * side * SQRT_2, 0.5 * side, true, true).unwrap();
            vec![wall("drum", Surface::Revolved(drum), Pose::from_position(DVec3::splat(0.5 * side)), Motion::Fixed)]
        }
    };
    model.time_step = TimeStep::Automatic { safety: 1.0, speed: None };
    model.materials[0].young_modulus = 2e8;
    let mut random = Random::from_seed(11);
    let cells = (0..n_a_side.pow(3)).map(|k| [k % n_a_side, k / n_a_side % n_a_side, k / n_a_side.pow(2)]);
    let grains = cells.map(|[x, y, z]| {
        let centre = (DVec3::new(f64::from(x), f64::from(y), f64::from(z)) + 0.5) * spacing;
        let pose = Pose::new(centre, random.orientation());
        grain(&model, 0, pose, random.direction() * random.unit(), random.direction() * (random.unit() / size))
    });
    let grains = grains.collect();
    with_grains(model, grains)
}

/// Runs a gas of each shape under each law and holds its energy against a bound: at the end, in the mean over a tenth of the run. (On
/// the way the energy swings while a contact lasts, which shows where there are few grains.)
fn check(
    laws: &[&'static str],
    shapes: &[(&'static str, Shape)],
    container: Container,
    n_a_side: u32,
    n_collisions: usize,
    bound: f64,
) {
    let cases: Vec<(&str, &str, &Shape)> =
        laws.iter().flat_map(|&law| shapes.iter().map(move |(name, shape)| (law, *name, shape))).collect();
    let drifts = each_on_one_thread(&cases, |(law_name, name, shape)| {
        let (most, drift) = elastic_gas(gas(shape, law(law_name), n_a_side, container), n_collisions);
        // At once: the full sizes take long, and one wants to see them come.
        println!("{law_name}, {name}: energy off by {most:.1e} at most, {drift:+.1e} at the end");
        drift
    });
    let mut faults = Vec::new();
    for ((law, name, _), drift) in cases.iter().zip(drifts) {
        if drift.abs() > bound {
            faults.push(format!("{law}, {name}: {drift:+.1e}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

fn cylinder_and_cube() -> [(&'static str, Shape); 2] {
    let (_, cylinder) = solids().into_iter().find(|(name, _)| *name == "cylinder").unwrap();
    [("cylinder", cylinder), ("cube", cuboid(0.8, 0.8, 0.8))]
}

#[test]
fn elastic_gases_of_cylinders_and_cubes_keep_their_energy_to_a_thousandth() {
    check(&[LINEAR, HERTZ], &cylinder_and_cube(), Container::Box, 2, 20, 1e-3);
}

#[test]
fn elastic_gases_of_cylinders_and_cubes_keep_their_energy_to_a_thousandth_in_a_drum() {
    check(&[LINEAR, HERTZ], &cylinder_and_cube(), Container::Drum, 2, 20, 1e-3);
}

/// Superquadrics with flat sides and sharp edges, and one whose curvature jumps at its poles.
fn superquadrics() -> [(&'static str, Shape); 4] {
    [("exponents 2 and 8", 2.0, 8.0), ("exponent 4", 4.0, 4.0), ("exponent 8", 8.0, 8.0), ("exponent 20", 20.0, 20.0)]
        .map(|(name, n1, n2)| (name, Shape::superquadric(DVec3::new(0.4, 0.5, 0.7), n1, n2).unwrap()))
}

#[test]
fn elastic_gases_of_superquadrics_keep_their_energy_to_a_thousandth() {
    check(&[LINEAR], &superquadrics(), Container::Box, 2, 10, 1e-3);
}

/// Ellipsoids, and superquadrics with flat places and sharp edges: their stiffness changes as they roll over each other.
#[test]
fn elastic_gases_under_local_curvatures_keep_their_energy_to_a_thousandth() {
    let shapes = [("ellipsoid", 2.0), ("exponent 4", 4.0), ("exponent 8", 8.0)]
        .map(|(name, n)| (name, Shape::superquadric(DVec3::new(0.4, 0.5, 0.7), n, n).unwrap()));
    check(&[LOCAL_HERTZ], &shapes, Container::Box, 2, 10, 1e-3);
}

/// `cargo test --release -p tumble-engine --test shapes -- --ignored --nocapture elastic_gases_of_superquadrics`
#[test]
#[ignore = "minutes"]
fn elastic_gases_of_superquadrics_keep_their_energy_for_200_collisions_a_grain() {
    check(&[LINEAR, HERTZ], &superquadrics(), Container::Box, 3, 200, 1e-3);
}

#[test]
#[ignore = "minutes"]
fn elastic_gases_of_every_shape_keep_their_energy_in_a_drum() {
    check(&[LINEAR, HERTZ], &solids(), Container::Drum, 3, 200, 1e-3);
}

/// `cargo test -p tumble-engine --test shapes -- --ignored --nocapture elastic_gases_of_every_shape`
#[test]
#[ignore = "minutes"]
fn elastic_gases_of_every_shape_keep_their_energy_under_the_linear_law() {
    check(&[LINEAR], &solids(), Container::Box, 3, 200, 1e-3);
}

#[test]
#[ignore = "minutes"]
fn elastic_gases_of_every_shape_keep_their_energy_under_the_law_of_hertz() {
    check(&[HERTZ], &solids(), Container::Box, 3, 200, 1e-3);
}

/// All but superquadrics, whose regions take long.
fn with_fast_regions() -> Vec<(&'static str, Shape)> {
    solids().into_iter().filter(|(_, shape)| !matches!(shape, Shape::Superquadric(_))).collect()
}

#[test]
fn elastic_gases_of_cylinders_and_cubes_keep_their_energy_under_the_volume_law() {
    check(&[VOLUME, SQUARED_VOLUME], &cylinder_and_cube(), Container::Box, 2, 4, 1e-3);
}

/// Few grains, so that it can be waited for; the steps of faces under this law are short.
#[test]
#[ignore = "minutes"]
fn elastic_gases_of_eight_grains_of_every_shape_keep_their_energy_under_the_volume_law() {
    check(&[VOLUME, SQUARED_VOLUME], &with_fast_regions(), Container::Box, 2, 40, 1e-3);
}

#[test]
#[ignore = "many minutes"]
fn elastic_gases_of_every_shape_keep_their_energy_under_the_volume_law() {
    check(&[VOLUME], &with_fast_regions(), Container::Box, 3, 200, 1e-3);
}

#[test]
#[ignore = "many minutes"]
fn elastic_gases_of_every_shape_keep_their_energy_under_the_volume_law_with_exponent_2() {
    check(&[SQUARED_VOLUME], &with_fast_regions(), Container::Box, 3, 200, 1e-3);
}

#[test]
#[ignore = "many minutes"]
fn elastic_gases_of_every_shape_with_faces_keep_their_energy_under_the_law_of_pressure() {
    let with_faces = solids().into_iter().filter(|(_, shape)| shape.as_polyhedron().is_some()).collect::<Vec<_>>();
    check(&[PRESSURE], &with_faces, Container::Box, 3, 200, 1e-3);
}
