//! The grains: one `Vec` for each field, kept spatially sorted.

use crate::boundary::insertion::NewGrain;
use crate::integrator::rotation::Moments;
use crate::model::{Model, SpeciesIndex};
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
    /// Moment of inertia about the centre, if it is the same about every axis [kg m^2]; otherwise 0, and the moments
    /// follow from species and scale ([`crate::Model::moments`]).
    pub inertia: Vec<f64>,
    /// Position of the centre [m].
    pub position: Vec<DVec3>,
    /// Velocity of the centre [m/s].
    pub velocity: Vec<DVec3>,
    /// Orientation, from the body frame to the world.
    pub orientation: Vec<DQuat>,
    /// Angular velocity in the world frame [rad/s].
    pub angular_velocity: Vec<DVec3>,
    /// Angular momentum in the world frame [kg m^2/s] of grains whose `inertia` is 0, for which it rules the angular
    /// velocity; zero for the others.
    pub angular_momentum: Vec<DVec3>,
    /// Sum of contact forces [N]; gravity and drag are added when the grain is moved.
    pub force: Vec<DVec3>,
    /// Sum of contact torques about the centre [N m].
    pub torque: Vec<DVec3>,
    /// How often the grain went through each periodic edge: unwrapped position = position + image * period.
    pub image: Vec<[i32; 3]>,
}

/// Does the same to every field.
macro_rules! for_each_field {
    ($particles:expr, $field:ident => $action:expr) => {{
        let Particles {
            id,
            species,
            scale,
            radius,
            mass,
            inertia,
            position,
            velocity,
            orientation,
            angular_velocity,
            angular_momentum,
            force,
            torque,
            image,
        } = $particles;
        {
            let $field = id;
            $action
        }
        {
            let $field = species;
            $action
        }
        {
            let $field = scale;
            $action
        }
        {
            let $field = radius;
            $action
        }
        {
            let $field = mass;
            $action
        }
        {
            let $field = inertia;
            $action
        }
        {
            let $field = position;
            $action
        }
        {
            let $field = velocity;
            $action
        }
        {
            let $field = orientation;
            $action
        }
        {
            let $field = angular_velocity;
            $action
        }
        {
            let $field = angular_momentum;
            $action
        }
        {
            let $field = force;
            $action
        }
        {
            let $field = torque;
            $action
        }
        {
            let $field = image;
            $action
        }
    }};
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

    /// Kinetic energy of a grain, translation and rotation [J].
    pub fn kinetic_energy(&self, index: usize) -> f64 {
        0.5 * self.mass[index] * self.velocity[index].length_squared() + self.rotation_energy(index)
    }

    /// Kinetic energy of a grain's rotation [J].
    pub fn rotation_energy(&self, index: usize) -> f64 {
        let spin = self.angular_velocity[index];
        0.5 * (self.inertia[index] * spin.length_squared() + spin.dot(self.angular_momentum[index]))
    }

    /// Angular momentum of a grain about its centre [kg m^2/s].
    pub fn spin_momentum(&self, index: usize) -> DVec3 {
        self.angular_velocity[index] * self.inertia[index] + self.angular_momentum[index]
    }

    /// Makes room for a number of further grains.
    pub fn reserve(&mut self, n: usize) {
        for_each_field!(self, field => field.reserve_exact(n));
    }

    /// Adds a grain at the end.
    pub fn push(&mut self, model: &Model, id: u32, grain: &NewGrain) {
        let species = &model.species[grain.species as usize];
        let density = model.materials[species.material as usize].density;
        let scale = grain.radius / species.shape.bounding_radius();
        self.id.push(id);
        self.species.push(grain.species);
        self.scale.push(scale);
        self.radius.push(grain.radius);
        self.mass.push(density * species.volume * scale.powi(3));
        let orientation = grain.orientation.normalize();
        let (inertia, angular_momentum) = match model.moments(grain.species, scale) {
            Moments::Isotropic(moment) => (moment, DVec3::ZERO),
            moments => (0.0, moments.angular_momentum(orientation, grain.angular_velocity)),
        };
        self.inertia.push(inertia);
        self.position.push(grain.position);
        self.velocity.push(grain.velocity);
        self.orientation.push(orientation);
        self.angular_velocity.push(grain.angular_velocity);
        self.angular_momentum.push(angular_momentum);
        self.force.push(DVec3::ZERO);
        self.torque.push(DVec3::ZERO);
        self.image.push([0; 3]);
    }

    /// Puts the grains into a new order: the grain at `order[i]` goes to place i.
    pub fn reorder(&mut self, order: &[u32]) {
        for_each_field!(self, field => *field = order.iter().map(|&i| field[i as usize]).collect());
    }

    /// Keeps the grains for which `keep` is true, in their order.
    pub fn retain(&mut self, keep: &[bool]) {
        for_each_field!(self, field => {
            let mut flags = keep.iter();
            field.retain(|_| flags.next().copied().unwrap_or(true));
        });
    }

    /// The smallest index-by-id table: place of each id below `next_id`, `u32::MAX` for grains that are gone.
    pub fn index_by_id(&self, next_id: u32) -> Vec<u32> {
        let mut table = vec![u32::MAX; next_id as usize];
        for (index, &id) in self.id.iter().enumerate() {
            table[id as usize] = index as u32;
        }
        table
    }
}
