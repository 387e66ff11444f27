//! Cylinders of the ratios and sizes that the tests take, besides what is shared with the tests of all shapes.

#[path = "../shapes/samples.rs"]
mod shapes;

pub use shapes::*;

use crate::support::linear;
use tumble_engine::law::{ContactEnd, Law, LawKind, VolumeExponent};
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Cylinder, Shape};

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
