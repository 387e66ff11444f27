//! What can be read off a run without changing it.

pub mod probe;

pub use probe::{Probe, ProbeQuantity};

use glam::DVec3;

/// One touching contact as an observer sees it: evaluated from the state, with nothing committed.
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
    /// Energy of the normal spring [J].
    pub normal_energy: f64,
    /// Energy of the friction spring [J].
    pub tangential_energy: f64,
    /// Energy of the rolling spring [J].
    pub rolling_energy: f64,
}

/// What a grain touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// Index of another grain.
    Particle(usize),
    /// Index of a wall.
    Wall(usize),
}
