//! The grains: one `Vec` for each field, kept spatially sorted.

use crate::model::SpeciesIndex;
use glam::{DQuat, DVec3};

/// All grains of a run. Every field has the same length; the order is spatial and changes, ids do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// Name of the grain for the whole run; ids are given in order of insertion and never reused.
    pub id: Vec<u32>,
    /// Place in [`crate::Model::species`].
    pub species: Vec<SpeciesIndex>,
    /// Size relative to the species' shape [1].
    pub scale: Vec<f64>,
    /// Radius of the bounding ball, for a sphere its radius [m].
    pub radius: Vec<f64>,
    /// Mass [kg].
    pub mass: Vec<f64>,
    /// Moment of inertia about the centre [kg m^2].
    pub inertia: Vec<f64>,
    /// Position of the centre [m].
    pub position: Vec<DVec3>,
    /// Velocity of the centre [m/s].
    pub velocity: Vec<DVec3>,
    /// Orientation, from the body frame to the world.
    pub orientation: Vec<DQuat>,
    /// Angular velocity in the world frame [rad/s].
    pub angular_velocity: Vec<DVec3>,
    /// Sum of contact forces [N]; gravity and drag are added when the grain is moved.
    pub force: Vec<DVec3>,
    /// Sum of contact torques about the centre [N m].
    pub torque: Vec<DVec3>,
    /// How often the grain went through each periodic edge: unwrapped position = position + image * period.
    pub image: Vec<[i32; 3]>,
}

impl Particles {
    /// How many grains there are.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }
}
