//! The grains: one `Vec` for each field, kept spatially sorted.

use crate::boundary::insertion::NewGrain;
use crate::integrator::rotation::Moments;
use crate::model::{Model, SpeciesIndex};
use bytemuck::Pod;
use glam::{DQuat, DVec3};

/// Takes what is in each field of [`Particles`].
pub trait FieldWriter {
    /// What can go wrong.
    type Error;

    /// Takes a field: its name and its values, one a grain.
    fn write<T: Pod>(&mut self, name: &'static str, values: &[T]) -> Result<(), Self::Error>;
}

/// Gives what goes into each field of [`Particles`].
pub trait FieldReader {
    /// What can go wrong.
    type Error;

    /// Gives the field of this name: its values, one a grain.
    fn read<T: Pod>(&mut self, name: &'static str) -> Result<Vec<T>, Self::Error>;
}

/// Makes the grains from the list of their fields: all that is done to every field comes from here.
macro_rules! particles {
    ($($(#[$attribute:meta])* $field:ident: $type:ty,)*) => {
        /// All grains of a run. Every field has the same length; the order is spatial and changes, ids do not.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Particles {
            $($(#[$attribute])* pub $field: Vec<$type>,)*
        }

        /// One grain with all its fields.
        struct Particle {
            $($field: $type,)*
        }

        impl Particles {
            /// Makes room for a number of further grains.
            pub fn reserve(&mut self, n: usize) {
                $(self.$field.reserve_exact(n);)*
            }

            fn push_particle(&mut self, particle: Particle) {
                $(self.$field.push(particle.$field);)*
            }

            /// Puts the grains into a new order: the grain at `order[i]` goes to place i.
            pub fn reorder(&mut self, order: &[u32]) {
                $(self.$field = order.iter().map(|&i| self.$field[i as usize]).collect();)*
            }

            /// Keeps the grains for which `keep` is true, in their order.
            pub fn retain(&mut self, keep: &[bool]) {
                $(
                    let mut flags = keep.iter();
                    self.$field.retain(|_| flags.next().copied().unwrap_or(true));
                )*
            }

            /// Hands over every field, always in the same order.
            pub fn write_fields<W: FieldWriter>(&self, writer: &mut W) -> Result<(), W::Error> {
                $(writer.write(stringify!($field), &self.$field)?;)*
                Ok(())
            }

            /// Grains from their fields, asked for in the order in which [`Particles::write_fields`] hands them over.
            pub fn read_fields<R: FieldReader>(reader: &mut R) -> Result<Particles, R::Error> {
                Ok(Particles { $($field: reader.read(stringify!($field))?,)* })
            }
        }
    };
}

particles! {
    /// Name of the grain for the whole run; ids are given in order of insertion and never reused.
    id: u32,
    /// Place in [`crate::Model::species`].
    species: SpeciesIndex,
    /// Size relative to the species' shape [1].
    scale: f64,
    /// Radius of the bounding ball, for a sphere its radius [m].
    radius: f64,
    /// Mass [kg].
    mass: f64,
    /// Moment of inertia about the centre, if it is the same about every axis [kg m^2]; otherwise 0, and the moments
    /// follow from species and scale ([`crate::Model::moments`]).
    inertia: f64,
    /// Position of the centre [m].
    position: DVec3,
    /// Velocity of the centre [m/s].
    velocity: DVec3,
    /// Orientation, from the body frame to the world.
    orientation: DQuat,
    /// Angular velocity in the world frame [rad/s].
    angular_velocity: DVec3,
    /// Angular momentum in the world frame [kg m^2/s] of grains whose `inertia` is 0, for which it rules the angular
    /// velocity; zero for the others.
    angular_momentum: DVec3,
    /// Sum of contact forces [N]; gravity and drag are added when the grain is moved.
    force: DVec3,
    /// Sum of contact torques about the centre [N m].
    torque: DVec3,
    /// How often the grain went through each periodic edge: unwrapped position = position + image * period.
    image: [i32; 3],
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

    /// Adds a grain at the end.
    pub fn push(&mut self, model: &Model, id: u32, grain: &NewGrain) {
        let species = &model.species[grain.species as usize];
        let density = model.materials[species.material as usize].density;
        let scale = grain.radius / species.shape.bounding_radius();
        let orientation = grain.orientation.normalize();
        let (inertia, angular_momentum) = match model.moments(grain.species, scale) {
            Moments::Isotropic(moment) => (moment, DVec3::ZERO),
            moments => (0.0, moments.angular_momentum(orientation, grain.angular_velocity)),
        };
        self.push_particle(Particle {
            id,
            species: grain.species,
            scale,
            radius: grain.radius,
            mass: density * species.volume * scale.powi(3),
            inertia,
            position: grain.position,
            velocity: grain.velocity,
            orientation,
            angular_velocity: grain.angular_velocity,
            angular_momentum,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            image: [0; 3],
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
