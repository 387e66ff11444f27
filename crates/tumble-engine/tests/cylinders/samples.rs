//! Cylinders of the ratios and sizes that the tests take. What has the same name in the tests of all shapes takes its place in
//! the modules that are shared with them.

#[path = "../shapes/samples.rs"]
mod shapes;

pub use shapes::*;

use crate::support::linear;
use tumble_engine::Model;
use tumble_engine::contacts::ElasticWrench;
use tumble_engine::law::{ContactEnd, Law, LawKind, VolumeExponent};
use tumble_engine::random::Random;
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Cylinder, Pose, Shape};

/// Diameter of the cylinders of a tenth of a metre or so [m].
pub const DIAMETER: f64 = 0.1;

/// A cylinder of a diameter [m] and a ratio of height to diameter.
pub fn cylinder(diameter: f64, ratio: f64) -> Shape {
    Shape::Cylinder(Cylinder { radius: 0.5 * diameter, half_height: 0.5 * ratio * diameter })
}

/// The volume law for bodies of about [`DIAMETER`], with its usual exponent, as in runs.
pub fn stiff_volume_law(normal_stiffness: f64) -> Law {
    let kind = LawKind::Volume {
        normal_stiffness,
        tangential_ratio: 2.0 / 7.0,
        exponent: VolumeExponent::ThreeHalves,
        length: Some(DIAMETER),
        region_tolerance: LAW_REGION,
    };
    Law { kind, ..linear(normal_stiffness, ContactEnd::Clamped) }
}

/// Pairs of ratios of height to diameter: alike, and mixed.
const RATIOS: [[f64; 2]; 9] = [
    [0.025, 0.025],
    [0.5, 0.5],
    [1.0, 1.0],
    [5.0, 5.0],
    [50.0, 50.0],
    [0.025, 5.0],
    [0.025, 50.0],
    [0.5, 5.0],
    [1.0, 50.0],
];

/// Pairs of cylinders with bounding balls of a radius of 0.6 m.
pub fn every_pair() -> impl Iterator<Item = (String, [Shape; 2])> {
    RATIOS.into_iter().map(|[a, b]| {
        let shape = |ratio: f64| cylinder(1.2 / ratio.hypot(1.0), ratio);
        (format!("H/D {a} - {b}"), [shape(a), shape(b)])
    })
}

/// The same pairs for every law.
pub fn pairs_for(_: &Law) -> Vec<(String, [Shape; 2])> {
    every_pair().collect()
}

/// Smallest width of the grains [m].
pub fn thinnest(model: &Model) -> f64 {
    model.species.iter().map(|species| species.smallest_width).fold(f64::INFINITY, f64::min)
}

/// Poses of two grains that overlap by a share of their smallest width; and what they do there.
pub fn overlapping(model: &Model, share: f64, random: &mut Random) -> ([Pose; 2], ElasticWrench) {
    shapes::overlapping(model, share * thinnest(model), random)
}

/// Poses at which the gradient of the depth law is looked at, over all pairs.
pub const N_GRADIENT_POSES: usize = 900;

/// How far a body is moved and turned around a closed loop [m, rad].
pub fn loop_size(model: &Model) -> f64 {
    0.01 * thinnest(model)
}
