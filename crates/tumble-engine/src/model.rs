//! Everything about a run that never changes while it runs.

mod builder;
mod hard_settings;

pub use builder::ModelBuilder;
pub use hard_settings::{CollapseRule, EventQueue, EventTimes, HardSettings, NeighbourSearch, RestitutionModel};

use crate::boundary::insertion::Insertion;
use crate::boundary::wall::Wall;
use crate::broad::BroadPhase;
use crate::crossings::CountingPlane;
use crate::groups::Group;
use crate::integrator::rotation::Moments;
use crate::law::{InteractionProperties, Law};
use crate::state::FormerGravity;
use crate::{Particles, State};
use glam::DVec3;
use tumble_geometry::{Pose, Shape};

/// The whole of a run's parameters. A run cannot edit it; all that changes is the [`crate::State`].
#[derive(Clone, Debug)]
pub struct Model {
    /// Materials; `MaterialIndex` counts into this list.
    pub materials: Vec<Material>,
    /// Properties of the contact between materials i and j, at `i * materials.len() + j`; symmetric.
    pub interactions: Vec<InteractionProperties>,
    /// How grains are moved.
    pub solver: Solver,
    /// Settings of the hard solvers.
    pub hard: HardSettings,
    /// The contact law, the same for grains and walls.
    pub law: Law,
    /// Kinds of grain: a shape made of a material.
    pub species: Vec<Species>,
    /// What grains meet besides each other.
    pub walls: Vec<Wall>,
    /// Acceleration of gravity [m/s^2].
    pub gravity: DVec3,
    /// Time in which it goes over from what it was before [s]; 0: at once.
    pub gravity_ramp: f64,
    /// Whether grains move in the x-y plane only: they neither leave it nor tilt out of it.
    pub planar: bool,
    /// The simulated space and what happens at its edge.
    pub domain: Domain,
    /// Rate of a simple shear imposed by the periodic edges across y, after Lees and Edwards: the mean velocity is `shear_rate` y along
    /// x [1/s]; 0: none. Hard solvers only.
    pub shear_rate: f64,
    /// Rate of a global drag on velocity and spin, force = -drag * mass * velocity [1/s]; 0 switches it off.
    pub drag: f64,
    /// How grains come into the run.
    pub insertions: Vec<Insertion>,
    /// How candidate pairs are found.
    pub broad_phase: BroadPhase,
    /// Extra distance up to which pairs are listed, so that the list lasts several steps [m]; `None` chooses it.
    pub skin: Option<f64>,
    /// How long a step is.
    pub time_step: TimeStep,
    /// Whether the orientations of spheres are followed in runs of spheres alone. No contact asks for them, and following
    /// them costs a tenth of a step.
    pub turn_spheres: bool,
    /// Seed of all random numbers of the run.
    pub seed: u64,
    /// Planes through which grains are counted.
    pub planes: Vec<CountingPlane>,
    /// Groups of grains that probes speak of.
    pub groups: Vec<Group>,
    /// What is taken as a sign that the run has become unstable.
    pub limits: Limits,
}

/// How grains are moved from one moment to the next. Each solver steps the same state; outputs, probes and checkpoints need not
/// know which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// Springs and dashpots at the contacts, in steps of time.
    #[default]
    Soft,
    /// Collisions that take no time, in steps of time: grains that overlap and approach collide.
    HardStepped,
    /// Collisions that take no time, one after the other, each at its own moment.
    HardEvents,
}

impl Solver {
    /// Every solver, the default first.
    pub const ALL: [Solver; 3] = [Solver::Soft, Solver::HardStepped, Solver::HardEvents];

    /// Its name in scenes.
    pub const fn name(self) -> &'static str {
        match self {
            Solver::Soft => "soft",
            Solver::HardStepped => "hard-stepped",
            Solver::HardEvents => "hard-events",
        }
    }

    /// What it does, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            Solver::Soft => "springs and dashpots at the contacts, in steps of time",
            Solver::HardStepped => "collisions that take no time, in steps of time",
            Solver::HardEvents => "collisions that take no time, one after the other",
        }
    }

    /// Whether its collisions take no time.
    pub const fn is_hard(self) -> bool {
        !matches!(self, Solver::Soft)
    }
}

/// Place of a material in [`Model::materials`].
pub type MaterialIndex = u16;
/// Place of a species in [`Model::species`].
pub type SpeciesIndex = u16;

/// What a grain or wall is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name it has in the scene.
    pub name: String,
    /// Mass density [kg/m^3].
    pub density: f64,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Poisson's ratio [1], between -1 and 0.5.
    pub poisson_ratio: f64,
}

impl Material {
    /// Shear modulus [Pa].
    pub fn shear_modulus(&self) -> f64 {
        self.young_modulus / (2.0 * (1.0 + self.poisson_ratio))
    }
}

/// A kind of grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Species {
    /// The name it has in the scene.
    pub name: String,
    /// The shape at scale 1, its own frame at its centre and along its principal axes. Its bounding radius is 1 m for
    /// shapes whose size comes from a distribution.
    pub shape: Shape,
    /// What it is made of.
    pub material: MaterialIndex,
    /// The frame in which the shape was given, seen from the shape's own.
    pub given_frame: Pose,
    /// Volume at scale 1 [m^3].
    pub volume: f64,
    /// Principal moments of inertia at scale 1 and unit density [m^5].
    pub moments: DVec3,
    /// Smallest width at scale 1 [m]: a disc's thickness, a rod's diameter.
    pub smallest_width: f64,
}

impl Species {
    /// A kind of grain from a shape in any frame.
    pub fn new(name: impl Into<String>, shape: &Shape, material: MaterialIndex) -> Species {
        let (shape, given_frame, properties) = shape.to_principal_frame();
        let moments = properties.inertia;
        Species {
            name: name.into(),
            smallest_width: shape.smallest_width(),
            shape,
            material,
            given_frame,
            volume: properties.volume,
            moments: DVec3::new(moments.x_axis.x, moments.y_axis.y, moments.z_axis.z),
        }
    }
}

/// The simulated space.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Smallest coordinates [m]; minus infinity where the space is unbounded.
    pub lower: DVec3,
    /// Largest coordinates [m]; infinity where the space is unbounded.
    pub upper: DVec3,
    /// What happens at the two edges of each axis.
    pub edges: [Edge; 3],
}

impl Domain {
    /// Space without an end.
    pub const UNBOUNDED: Domain = Domain { lower: DVec3::NEG_INFINITY, upper: DVec3::INFINITY, edges: [Edge::Open; 3] };

    /// The period along each axis [m]; `None` where the axis is not periodic.
    pub fn periods(&self) -> [Option<f64>; 3] {
        std::array::from_fn(|axis| (self.edges[axis] == Edge::Periodic).then(|| self.upper[axis] - self.lower[axis]))
    }
}

/// What happens to a grain whose centre crosses an edge of the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Nothing: it flies on.
    Open,
    /// It leaves the run; its energy is booked as removed.
    Remove,
    /// It comes in again at the other side.
    Periodic,
}

/// How long a step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeStep {
    /// As long as asked [s].
    Fixed(f64),
    /// Chosen from stiffness, mass and speed, multiplied by a safety factor (1 = the recommended step).
    Automatic {
        /// Factor on the recommended step [1].
        safety: f64,
        /// Largest relative speed to expect [m/s]; `None` estimates it from the scene.
        speed: Option<f64>,
    },
}

/// Bounds that a healthy run does not reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest overlap, as a fraction of half the smaller grain's smallest width, a sphere's radius [1].
    pub overlap: f64,
    /// Largest distance a grain's surface may move in one step, as a fraction of half its smallest width [1].
    pub travel: f64,
    /// Largest residual of the energy ledger, as a fraction of the energy that went through the run [1].
    pub energy: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { overlap: 0.5, travel: 0.2, energy: 0.1 }
    }
}

impl Model {
    /// Acceleration of gravity at the moment of a state [m/s^2].
    pub fn gravity_at(&self, state: &State) -> DVec3 {
        let FormerGravity { acceleration, until } = state.former_gravity;
        let passed = state.time - until;
        if passed < self.gravity_ramp {
            acceleration.lerp(self.gravity, passed / self.gravity_ramp)
        } else {
            self.gravity
        }
    }

    /// Moments of inertia of a grain of a species at a scale.
    pub fn moments(&self, species: SpeciesIndex, scale: f64) -> Moments {
        let species = &self.species[species as usize];
        let density = self.materials[species.material as usize].density;
        Moments::new(species.moments * (density * scale.powi(5)))
    }

    /// Half of a grain's smallest width [m]: a sphere's radius, half of a plate's thickness. Overlaps are measured by it.
    pub fn half_width(&self, particles: &Particles, grain: usize) -> f64 {
        0.5 * self.species[particles.species[grain] as usize].smallest_width * particles.scale[grain]
    }

    /// Contact properties of two materials.
    pub fn interaction(&self, a: MaterialIndex, b: MaterialIndex) -> &InteractionProperties {
        &self.interactions[a as usize * self.materials.len() + b as usize]
    }
}
