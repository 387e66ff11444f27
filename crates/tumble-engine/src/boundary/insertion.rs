//! How grains come into a run: lists, lattices, random fills and streams.

use crate::model::SpeciesIndex;
use crate::region::Region;
use glam::{DQuat, DVec3};

/// One source of grains.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// The name it has in the scene.
    pub name: String,
    /// When, where and how many.
    pub plan: Plan,
    /// Kinds of grain with their shares by number (not necessarily adding to 1).
    pub species: Vec<(SpeciesIndex, f64)>,
    /// Sizes, as bounding radii.
    pub size: SizeDistribution,
    /// Mean velocity of the new grains [m/s].
    pub velocity: DVec3,
    /// Half-width of a uniform spread on each velocity component [m/s].
    pub velocity_spread: f64,
    /// Angular velocity of the new grains [rad/s].
    pub angular_velocity: DVec3,
    /// Orientation of the new grains; `None`: random.
    pub orientation: Option<DQuat>,
}

/// When, where and how many.
#[derive(Clone, Debug)]
pub enum Plan {
    /// At the start, exactly these.
    List {
        /// The grains.
        grains: Vec<ListedGrain>,
        /// Largest overlap to accept, as a fraction of the smaller radius [1].
        max_overlap: f64,
    },
    /// At the start, on a lattice, layer by layer from the bottom.
    Lattice {
        /// Where.
        region: Region,
        /// Arrangement.
        lattice: Lattice,
        /// Distance between neighbours [m]; `None`: just apart for the largest size.
        spacing: Option<f64>,
        /// How many; `None`: as many as fit.
        count: Option<u64>,
    },
    /// At the start, at random places.
    Fill {
        /// Where.
        region: Region,
        /// How many, or how much.
        amount: Amount,
    },
    /// From a time on, at random places of a region, as many a second as asked.
    Stream {
        /// Where.
        region: Region,
        /// Grains a second [1/s].
        rate: f64,
        /// When it begins [s].
        start: f64,
        /// How many in all.
        count: u64,
    },
}

/// How much a random fill puts in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Number of grains.
    Count(u64),
    /// Volume of the grains over volume of the region [1].
    Fraction(f64),
}

/// Arrangement of a lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// Simple cubic.
    Cubic,
    /// Face-centred cubic.
    FaceCentred,
    /// Hexagonal layers, close packed.
    Hexagonal,
}

/// One grain of a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedGrain {
    /// Kind of grain.
    pub species: SpeciesIndex,
    /// Bounding radius [m].
    pub radius: f64,
    /// Position of the centre [m].
    pub position: DVec3,
    /// Orientation.
    pub orientation: DQuat,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
}

/// How sizes (bounding radii) are spread.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeDistribution {
    /// All the same [m].
    Fixed(f64),
    /// Uniform by number between two radii [m].
    Uniform {
        /// Smallest [m].
        low: f64,
        /// Largest [m].
        high: f64,
    },
    /// Normal by number, redrawn outside the cuts.
    Normal {
        /// Mean [m].
        mean: f64,
        /// Standard deviation [m].
        deviation: f64,
        /// Smallest [m].
        low: f64,
        /// Largest [m].
        high: f64,
    },
    /// The logarithm is normal by number, redrawn outside the cuts.
    LogNormal {
        /// Median [m].
        median: f64,
        /// Standard deviation of the natural logarithm [1].
        sigma: f64,
        /// Smallest [m].
        low: f64,
        /// Largest [m].
        high: f64,
    },
    /// Classes of fixed size with their shares.
    Table {
        /// Radii [m].
        radii: Vec<f64>,
        /// Shares by number, one for each radius, adding to 1. (Shares by mass are turned into these when read.)
        shares: Vec<f64>,
    },
}

/// A grain about to come into the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewGrain {
    /// Kind of grain.
    pub species: SpeciesIndex,
    /// Bounding radius [m].
    pub radius: f64,
    /// Position of the centre [m].
    pub position: DVec3,
    /// Orientation.
    pub orientation: DQuat,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
}
