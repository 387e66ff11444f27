//! What can be read off a run without changing it.
//!
//! Every observer is a pure function of the model, the state and the contacts as the last step left them. Sums run serially in
//! the order of the grains and contacts, so an answer has the same bits on any number of threads. The cost is that of one
//! pass over grains and contacts.

pub mod alignment;
mod clip;
pub mod collisions;
pub mod contact_kinds;
pub mod coordination;
pub mod energy;
pub mod fabric;
#[cfg(test)]
pub(crate) mod fixture;
mod flow;
pub mod kinds;
pub mod overlap;
pub mod packing;
pub mod probe;
pub mod profile;
mod selection;
pub mod stress;
mod tracks;
pub mod walls;

pub(crate) use energy::free_walls;
pub use energy::{ElasticEnergy, Energies};
pub use probe::{Probe, ProbeQuantity};

use glam::DVec3;

/// One touching contact as an observer sees it: what the last step left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRecord {
    /// Index of grain a in [`crate::Particles`].
    pub a: usize,
    /// What it touches.
    pub partner: Partner,
    /// Contact point [m].
    pub point: DVec3,
    /// Unit normal, from a to its partner.
    pub normal: DVec3,
    /// Overlap [m], positive.
    pub overlap: f64,
    /// Branch vector: from the centre of a to the centre of its partner (the nearest image), or to the contact point
    /// for a wall [m].
    pub branch: DVec3,
    /// Force on a [N].
    pub force: DVec3,
    /// Couple on a besides the moment of the force at the contact point [N m]: twisting and rolling resistance, and that of the
    /// shared volume.
    pub couple: DVec3,
}

/// What a grain touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// Index of another grain.
    Particle(usize),
    /// Index of a wall.
    Wall(usize),
}
