//! Volume, centre and moments of inertia at unit density.

use glam::{DMat3, DVec3};

/// Mass properties of a body of density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume [m^3].
    pub volume: f64,
    /// Centre of volume, in the body's own frame [m].
    pub centroid: DVec3,
    /// Tensor of inertia about the centre, in the body's own frame [m^5].
    pub inertia: DMat3,
}

impl MassProperties {
    /// A body whose own frame is at its centre and along its principal axes.
    pub fn principal(volume: f64, moments: DVec3) -> MassProperties {
        MassProperties { volume, centroid: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }
}
