//! How grains come into a run: lists, lattices, random fills and streams.
//!
//! A grain is never put where it overlaps another or a wall (a list may allow a small overlap): fills and streams look at
//! the shapes themselves, lattices at the balls around them. A count that is asked for is met exactly, or the error says
//! how far it came and what to do.

mod ball_grid;
mod carried;
mod fill;
mod lattice;
mod list;
mod placer;
mod shares;
mod size_distribution;
mod sized_shapes;
mod stream;
#[cfg(test)]
mod tests;

pub use carried::{CarriedContacts, Handover};
pub(crate) use list::overlap_faults;
pub use size_distribution::{SizeDistribution, shares_by_number_from_mass};
pub use stream::due;

use crate::model::{Domain, Model, Species, SpeciesIndex};
use crate::random::Random;
use crate::region::Region;
use crate::state::InserterState;
use crate::{EngineError, Particles};
use glam::{DQuat, DVec3};
use placer::Turning;
use std::f64::consts::TAU;
use std::ops::ControlFlow;
use tumble_geometry::{Pose, Shape, Sphere};

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
    /// Whether it is switched on.
    pub active: bool,
}

/// When, where and how many.
#[derive(Clone, Debug)]
pub enum Plan {
    /// At the start, exactly these.
    List {
        /// The grains.
        grains: GrainList,
        /// Largest overlap to accept, as a fraction of the smallest half width of the two [1].
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
        /// How many in all; `None`: it goes on as long as the run.
        count: Option<u64>,
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

/// A grain about to come into the run.
pub type NewGrain = ListedGrain;

/// Grains of a list, as many as there may be: where all of them rest and none is turned, that is not kept for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainList {
    position: Vec<DVec3>,
    radius: Vec<f64>,
    species: Vec<SpeciesIndex>,
    /// Orientation, velocity and angular velocity of each; empty if there are none.
    motion: Vec<(DQuat, DVec3, DVec3)>,
    /// What grains of another run bring along; `None` for any others.
    carried: Option<Box<CarriedContacts>>,
}

impl From<Vec<ListedGrain>> for GrainList {
    fn from(grains: Vec<ListedGrain>) -> GrainList {
        let motion = |grain: &ListedGrain| (grain.orientation, grain.velocity, grain.angular_velocity);
        let all_rest = grains.iter().all(|grain| motion(grain) == (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO));
        GrainList {
            position: grains.iter().map(|grain| grain.position).collect(),
            radius: grains.iter().map(|grain| grain.radius).collect(),
            species: grains.iter().map(|grain| grain.species).collect(),
            motion: if all_rest { Vec::new() } else { grains.iter().map(motion).collect() },
            carried: None,
        }
    }
}

impl GrainList {
    /// Grains that another run has left, with their contacts. Those they bring along may be as deep as they are.
    pub fn of_run(grains: Vec<ListedGrain>, contacts: CarriedContacts) -> GrainList {
        GrainList { carried: Some(Box::new(contacts)), ..GrainList::from(grains) }
    }

    /// What they bring along from another run; `None` if they are not from one.
    pub fn carried(&self) -> Option<&CarriedContacts> {
        self.carried.as_deref()
    }

    /// The same, to be changed.
    pub fn carried_mut(&mut self) -> Option<&mut CarriedContacts> {
        self.carried.as_deref_mut()
    }

    /// The species of the grain in a place.
    pub fn species_of(&self, place: usize) -> SpeciesIndex {
        self.species[place]
    }

    /// How many grains there are.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The grain in a place.
    pub fn get(&self, place: usize) -> ListedGrain {
        let at_rest = (DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        let (orientation, velocity, angular_velocity) = self.motion.get(place).copied().unwrap_or(at_rest);
        ListedGrain {
            species: self.species[place],
            radius: self.radius[place],
            position: self.position[place],
            orientation,
            velocity,
            angular_velocity,
        }
    }

    /// All grains.
    pub fn iter(&self) -> impl Iterator<Item = ListedGrain> {
        (0..self.len()).map(|place| self.get(place))
    }
}

/// Whether a shape in a pose is farther than a distance [m] from every wall.
pub type ClearOfWalls<'a> = dyn Fn(&Shape, &Pose, f64) -> bool + Sync + 'a;

/// How far a fill has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placing<'a> {
    /// The name that the insertion has in the scene.
    pub insertion: &'a str,
    /// Grains that have found their place.
    pub n_placed: u64,
    /// Grains that were asked for.
    pub n_wanted: u64,
}

/// Whoever is told how far a fill has come, every few hundred attempts. The answer `Break` ends the fill.
pub type Watch<'a> = dyn FnMut(&Placing) -> ControlFlow<()> + 'a;

/// Why there are no grains.
#[derive(Debug)]
enum Halt {
    /// They could not be placed as asked.
    Fault(String),
    /// Whoever watched did not want any more.
    Stopped,
}

impl From<String> for Halt {
    fn from(fault: String) -> Halt {
        Halt::Fault(fault)
    }
}

/// The grains that a list, lattice or fill brings in at the start of a run; none for a stream, which is only checked.
///
/// `existing` are the grains already there; `watch` is told how far a fill has come and can stop it.
pub fn initial_grains(
    model: &Model,
    insertion: &Insertion,
    existing: &Particles,
    clear_of_walls: &ClearOfWalls,
    random: &mut Random,
    watch: &mut Watch,
) -> Result<Vec<NewGrain>, EngineError> {
    let surroundings = Surroundings::new(model, existing, clear_of_walls);
    initial_grains_among(&surroundings, insertion, random, watch).map_err(|halt| match halt {
        Halt::Fault(what) => insertion.error(&what),
        Halt::Stopped => EngineError::Stopped,
    })
}

/// The grains that a stream brings in at a time: those due and not yet inserted, as far as there is room. The others
/// wait, in order, and are tried again at the next call. None for other plans. The plan must have been through
/// [`initial_grains`], which refuses what cannot be drawn or has no room in the region.
pub fn stream_grains(
    model: &Model,
    insertion: &Insertion,
    inserter: &mut InserterState,
    time: f64,
    existing: &Particles,
    clear_of_walls: &ClearOfWalls,
    random: &mut Random,
) -> Vec<NewGrain> {
    let surroundings = Surroundings::new(model, existing, clear_of_walls);
    stream::grains(&surroundings, insertion, inserter, time, random)
}

/// What new grains must fit into.
struct Surroundings<'a> {
    domain: &'a Domain,
    species: &'a [Species],
    gravity: DVec3,
    planar: bool,
    /// Whether nobody looks at contacts once the grains are in place: collisions take no time.
    is_hard: bool,
    seed: u64,
    existing: &'a Particles,
    clear_of_walls: &'a ClearOfWalls<'a>,
}

impl<'a> Surroundings<'a> {
    fn new(model: &'a Model, existing: &'a Particles, clear_of_walls: &'a ClearOfWalls<'a>) -> Self {
        Surroundings {
            domain: &model.domain,
            species: &model.species,
            gravity: model.gravity,
            planar: model.planar,
            is_hard: model.solver.is_hard(),
            seed: model.seed,
            existing,
            clear_of_walls,
        }
    }

    /// Volume of a grain [m^3].
    fn volume(&self, species: SpeciesIndex, radius: f64) -> f64 {
        let species = &self.species[species as usize];
        species.volume * (radius / species.shape.bounding_radius()).powi(3)
    }
}

/// Whether a ball touches no wall.
fn ball_is_clear(clear_of_walls: &ClearOfWalls, centre: DVec3, radius: f64) -> bool {
    clear_of_walls(&Shape::Sphere(Sphere { radius }), &Pose::from_position(centre), 0.0)
}

fn random_orientation(is_planar: bool, random: &mut Random) -> DQuat {
    if is_planar { DQuat::from_rotation_z(random.between(0.0, TAU)) } else { random.orientation() }
}

fn initial_grains_among(
    surroundings: &Surroundings,
    insertion: &Insertion,
    random: &mut Random,
    watch: &mut Watch,
) -> Result<Vec<NewGrain>, Halt> {
    insertion.check(surroundings.species.len())?;
    match &insertion.plan {
        Plan::List { grains, max_overlap } => Ok(list::grains(surroundings, grains, *max_overlap)?),
        Plan::Lattice { region, lattice, spacing, count } => {
            Ok(lattice::grains(surroundings, insertion, region, *lattice, *spacing, *count, random)?)
        }
        Plan::Fill { region, amount } => fill::grains(surroundings, insertion, region, *amount, random, watch),
        Plan::Stream { region, .. } => {
            let mut placer = placer::Placer::empty(surroundings);
            for &(species, share) in &insertion.species {
                let body = placer.body(species, insertion.largest_radius(species));
                if share > 0.0 {
                    placer.check_fit(region, &body, insertion.orientation)?;
                }
            }
            Ok(Vec::new())
        }
    }
}

impl Insertion {
    /// Whether the plan can be carried out at all; if not, what would be right. `n_species` is the length of
    /// [`Model::species`].
    pub fn check(&self, n_species: usize) -> Result<(), String> {
        let positive = |what: &str, value: f64| {
            if value > 0.0 { Ok(()) } else { Err(format!("{what} is {value}; it must be positive")) }
        };
        if let Plan::List { grains, max_overlap } = &self.plan {
            if !(0.0..=1.0).contains(max_overlap) {
                return Err(format!("the largest overlap is {max_overlap}; it must lie between 0 and 1"));
            }
            return list::check(grains, n_species);
        }
        let shares = self.species.iter().map(|(_, share)| *share);
        if !shares.clone().all(|share| share >= 0.0 && share.is_finite()) || shares.sum::<f64>() <= 0.0 {
            return Err("the shares of the species must not be negative, and one must be positive".to_string());
        }
        if let Some((species, _)) = self.species.iter().find(|(species, _)| usize::from(*species) >= n_species) {
            return Err(format!("species number {species} does not exist; there are {n_species}"));
        }
        self.size.check()?;
        if let SizeDistribution::OfSpecies { sizes, .. } = &self.size
            && sizes.len() != self.species.len()
        {
            return Err(format!("of {} species {} have sizes; each wants its own", self.species.len(), sizes.len()));
        }
        if !self.velocity.is_finite() || !self.angular_velocity.is_finite() || !self.velocity_spread.is_finite() {
            return Err("the velocity, its spread and the angular velocity must be finite".to_string());
        }
        match &self.plan {
            Plan::List { .. } => Ok(()),
            Plan::Lattice { region, spacing, .. } => {
                region.check()?;
                spacing.map_or(Ok(()), |spacing| positive("the spacing of the lattice", spacing))
            }
            Plan::Fill { region, amount } => {
                region.check()?;
                match amount {
                    Amount::Fraction(fraction) if !(*fraction > 0.0 && *fraction < 1.0) => {
                        Err(format!("the solid fraction is {fraction}; it must lie between 0 and 1"))
                    }
                    _ => Ok(()),
                }
            }
            Plan::Stream { region, rate, start, .. } => {
                region.check()?;
                positive("the rate of the stream", *rate)?;
                if start.is_finite() {
                    Ok(())
                } else {
                    Err(format!("the stream starts at {start} s; it must be finite"))
                }
            }
        }
    }

    fn error(&self, what: &str) -> EngineError {
        EngineError::Insertion(format!("insertion \"{}\": {what}", self.name))
    }

    /// The radius of a grain of a species [m].
    fn draw_radius(&self, species: SpeciesIndex, random: &mut Random) -> f64 {
        self.sizes_of(species).draw(random)
    }

    /// The smallest radius of a grain of a species [m].
    pub fn smallest_radius(&self, species: SpeciesIndex) -> f64 {
        self.sizes_of(species).smallest()
    }

    /// The largest radius of a grain of a species [m].
    fn largest_radius(&self, species: SpeciesIndex) -> f64 {
        self.sizes_of(species).largest()
    }

    /// The sizes of a species: its own, if sizes go with species.
    pub fn sizes_of(&self, species: SpeciesIndex) -> &SizeDistribution {
        let SizeDistribution::OfSpecies { sizes, .. } = &self.size else { return &self.size };
        let place = self.species.iter().position(|&(other, _)| other == species);
        place.and_then(|place| sizes.get(place)).unwrap_or(&self.size)
    }

    /// The orientation of a new grain.
    fn draw_orientation(&self, is_planar: bool, random: &mut Random) -> DQuat {
        self.orientation.unwrap_or_else(|| random_orientation(is_planar, random))
    }

    /// How a new grain may be turned to fit.
    fn turning(&self, is_planar: bool) -> Turning {
        match self.orientation {
            Some(_) => Turning::None,
            None if is_planar => Turning::AboutZ,
            None => Turning::Free,
        }
    }

    /// A grain at a pose, with the velocity of this insertion.
    fn grain(&self, species: SpeciesIndex, radius: f64, pose: &Pose, is_planar: bool, random: &mut Random) -> NewGrain {
        let spread = self.velocity_spread.abs();
        let mut jitter = || if spread > 0.0 { random.between(-spread, spread) } else { 0.0 };
        let across = if is_planar { 0.0 } else { 1.0 };
        let velocity = self.velocity + DVec3::new(jitter(), jitter(), across * jitter());
        NewGrain {
            species,
            radius,
            position: pose.position,
            orientation: pose.orientation,
            velocity,
            angular_velocity: self.angular_velocity,
        }
    }
}
