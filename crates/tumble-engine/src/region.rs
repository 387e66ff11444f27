//! Parts of space that are named in a scene: where grains come in, where something is measured.

use glam::DVec3;

/// A part of space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// An axis-aligned box.
    Box {
        /// Smallest coordinates [m].
        lower: DVec3,
        /// Largest coordinates [m].
        upper: DVec3,
    },
    /// A flat-ended cylinder around the segment between two points.
    Cylinder {
        /// Centre of one end [m].
        from: DVec3,
        /// Centre of the other end [m].
        to: DVec3,
        /// Radius [m].
        radius: f64,
    },
    /// A ball.
    Ball {
        /// Centre [m].
        centre: DVec3,
        /// Radius [m].
        radius: f64,
    },
}
