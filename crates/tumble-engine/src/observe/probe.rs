//! Measurements that a scene asks for: each gives named columns and one row of numbers a sample (profiles: several).

use crate::region::Region;

/// A measurement with the name of its output file.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The name it has in the scene; its table is called after it.
    pub name: String,
    /// What is measured.
    pub quantity: ProbeQuantity,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeQuantity {
    /// Mean number of contacts a grain, with and without walls, and the share of grains with fewer than two.
    Coordination,
    /// Volume of the grains inside a region over its volume.
    PackingFraction {
        /// Where.
        region: Region,
    },
    /// Stress tensor in a region, contact and kinetic parts.
    Stress {
        /// Where.
        region: Region,
    },
    /// Fabric tensor of the contacts whose points lie in a region (`None`: all).
    Fabric {
        /// Where.
        region: Option<Region>,
    },
    /// Solid fraction, bulk density and mean velocity in slices of a box along an axis.
    Profile {
        /// The box that is sliced.
        region: Region,
        /// Axis of the slices: 0, 1, 2 for x, y, z.
        axis: usize,
        /// Number of slices.
        bins: usize,
    },
    /// Force and torque of the grains on every wall.
    WallLoads,
}
