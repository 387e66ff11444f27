//! The list of pairs that are awake misses no contact: in a fast gas of long, flat and round grains every pair that overlaps
//! is found, step after step, and no other.

use crate::samples::{DIAMETER, cylinder, elastic, grain, model, stiff_volume_law, with_grains};
use crate::support::{closed_box, linear};
use glam::DVec3;
use std::collections::BTreeSet;
use tumble_engine::Simulation;
use tumble_engine::law::{ContactEnd, Law};
use tumble_engine::model::Limits;
use tumble_engine::observe::Partner;
use tumble_engine::random::Random;
use tumble_geometry::narrow::contact;
use tumble_geometry::{Polyhedron, Pose, Shape, Sphere};

/// Multiplies the diameter. A pair that overlaps or is apart by less may be told either way.
const ROUNDING: f64 = 1e-9;

fn shapes() -> Vec<Shape> {
    let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - 0.5;
    let corners: Vec<DVec3> = (0..8).map(|k| corner(k) * DVec3::new(0.2, 0.5, 1.0) * DIAMETER).collect();
    vec![
        cylinder(0.2 * DIAMETER, 8.0),
        cylinder(1.4 * DIAMETER, 0.1),
        cylinder(DIAMETER, 1.0),
        Shape::Sphere(Sphere { radius: 0.4 * DIAMETER }),
        Shape::Polyhedron(Polyhedron::from_points(&corners).unwrap()),
    ]
}

/// Runs a gas and compares the touching pairs with all pairs that overlap, every so many steps.
fn check(law: Law, n_steps: u64, every: u64) {
    let (shapes, n_a_side) = (shapes(), 3u32);
    let spacing = 1.9 * DIAMETER;
    let limits = Limits { overlap: 10.0, travel: 10.0, energy: f64::INFINITY, ..Limits::default() };
    let size = DVec3::splat(spacing * f64::from(n_a_side));
    let model =
        tumble_engine::Model { limits, walls: closed_box(DVec3::ZERO, size), ..model(&shapes, law, elastic(), 2e-5) };
    let mut random = Random::from_seed(7);
    let grains = (0..n_a_side.pow(3))
        .map(|k| {
            let cell = [k % n_a_side, k / n_a_side % n_a_side, k / n_a_side / n_a_side].map(f64::from);
            let pose = Pose::new((DVec3::from(cell) + 0.5) * spacing, random.orientation());
            let velocity = random.direction() * random.between(1.0, 4.0);
            grain(&model, (k % shapes.len() as u32) as u16, pose, velocity, random.direction() * 20.0)
        })
        .collect();
    let mut simulation = Simulation::new(with_grains(model, grains)).unwrap();
    let mut n_seen = 0;
    for step in 1..=n_steps {
        simulation.step().unwrap();
        if !step.is_multiple_of(every) {
            continue;
        }
        let records = simulation.contacts();
        let pairs = records.iter().filter_map(|record| match record.partner {
            Partner::Particle(b) => Some((record.a.min(b), record.a.max(b))),
            Partner::Wall(_) => None,
        });
        let touching: BTreeSet<(usize, usize)> = pairs.collect();
        let p = &simulation.state().particles;
        let placed = |k: usize| (&shapes[p.species[k] as usize], Pose::new(p.position[k], p.orientation[k]));
        for a in 0..p.len() {
            for b in a + 1..p.len() {
                let ((shape_a, pose_a), (shape_b, pose_b)) = (placed(a), placed(b));
                let separation = contact(shape_a, shape_b, &pose_a.relative(&pose_b)).unwrap().separation;
                let found = touching.contains(&(a, b));
                n_seen += usize::from(found);
                assert!(
                    found == (separation < 0.0) || separation.abs() < ROUNDING * DIAMETER,
                    "step {step}: {a} and {b} are {separation} apart; found: {found}"
                );
            }
        }
    }
    // The gas must be one in which grains meet.
    assert!(n_seen > 100, "{n_seen}");
}

#[test]
fn every_pair_that_overlaps_is_found_under_the_depth_law() {
    check(linear(1e5, ContactEnd::Clamped), 4000, 5);
}

#[test]
fn every_pair_that_overlaps_is_found_under_the_volume_law() {
    check(stiff_volume_law(2e6), 4000, 5);
}
