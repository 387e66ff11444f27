//! Volume, centre and moments of inertia at unit density.

mod principal;
mod union;

pub(crate) use union::union_of_parts;

use crate::Pose;
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

    /// The diagonal of the tensor of inertia [m^5]: the principal moments, if the frame is principal.
    pub fn moments(&self) -> DVec3 {
        DVec3::new(self.inertia.x_axis.x, self.inertia.y_axis.y, self.inertia.z_axis.z)
    }

    /// The same body, seen from the frame in which its own has this pose.
    pub fn transformed(&self, pose: &Pose) -> MassProperties {
        let turn = DMat3::from_quat(pose.orientation);
        MassProperties {
            volume: self.volume,
            centroid: pose.transform_point(self.centroid),
            inertia: turn * self.inertia * turn.transpose(),
        }
    }

    /// The same body, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> MassProperties {
        MassProperties {
            volume: self.volume * factor.powi(3),
            centroid: self.centroid * factor,
            inertia: self.inertia * factor.powi(5),
        }
    }
}

#[cfg(test)]
mod tests;
