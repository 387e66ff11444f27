//! A run: model, state, and the steps between.

use crate::boundary::insertion::{self, Plan, Watch, overlap_faults};
use crate::contacts::records::Visitor;
use crate::contacts::{BLOCK, ContactLists, Order, StepSummary};
use crate::law::LawTable;
use crate::model::{Model, Solver, TimeStep};
use crate::observe::{ContactRecord, ElasticEnergy, Energies, Partner};
use crate::random::Random;
use crate::soft::{self, ReferenceBounds};
use crate::state::{BlockContacts, InserterState, State};
use crate::time_step::{self, Choice};
use crate::{EngineError, health};
use std::ops::ControlFlow;
use tumble_geometry::lanes::Instructions;
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::{Pose, Shape, SurfaceContact};

/// A run in progress: a model, its state, and the steps between.
///
/// ```
/// use glam::DVec3;
/// use tumble_engine::{Material, Model, Simulation};
/// use tumble_geometry::{Shape, Sphere};
///
/// let mut builder = Model::builder();
/// let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
/// let glass = builder.material(glass);
/// let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// builder.gravity(DVec3::ZERO).grain(bead, DVec3::ZERO).grain(bead, DVec3::X * 0.0099);
/// builder.max_overlap(0.03);
/// let model = builder.build()?;
/// let mut simulation = Simulation::new(model.clone())?;
/// assert_eq!(simulation.contacts().len(), 1);
/// for _ in 0..100 {
///     simulation.step()?;
/// }
/// // The two push each other apart, and no momentum comes of it.
/// let velocity = &simulation.state().particles.velocity;
/// assert!(velocity[0].x < 0.0 && (velocity[0] + velocity[1]).length() < 1e-15);
///
/// // A saved state goes on to the same bits.
/// let mut again = Simulation::resume(model, simulation.state().clone())?;
/// simulation.step()?;
/// again.step()?;
/// assert_eq!(simulation.state_hash(), again.state_hash());
/// # Ok::<(), tumble_engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) table: LawTable,
    pub(crate) lists: ContactLists,
    pub(crate) summary: StepSummary,
    /// How far grains have moved since the lists were built, and where walls can meet them.
    pub(crate) reference_bounds: ReferenceBounds,
    time_step_reason: String,
}

impl Simulation {
    /// Starts a run: chooses the time step, puts in the grains of the start, and works out the first forces.
    pub fn new(model: Model) -> Result<Simulation, EngineError> {
        Simulation::new_watched(model, &mut |_| ControlFlow::Continue(()))
    }

    /// The same as [`Simulation::new`]; `watch` is told how far the random fills have come, and its answer `Break` ends the
    /// start with [`EngineError::Stopped`]. It changes nothing else.
    pub fn new_watched(model: Model, watch: &mut Watch) -> Result<Simulation, EngineError> {
        let choice = resolve_time_step(&model);
        if !(choice.time_step.is_finite() && choice.time_step > 0.0) {
            return Err(EngineError::Model(format!(
                "the time step is {} s; it must be above zero ({})",
                choice.time_step, choice.reason
            )));
        }
        let state = State {
            time_step: choice.time_step,
            walls: model.walls.iter().map(|w| w.initial_state()).collect(),
            inserters: vec![InserterState::default(); model.insertions.len()],
            random: Random::from_seed(model.seed).state,
            ..State::default()
        };
        let mut sim = Simulation {
            table: LawTable::new(&model),
            reference_bounds: ReferenceBounds::new(&model, &state),
            model,
            state,
            lists: ContactLists::default(),
            summary: StepSummary::default(),
            time_step_reason: choice.reason,
        };
        sim.insert_initial(watch)?;
        let allowed = sim.allowed_overlap();
        sim.state.skin = sim.model.skin.unwrap_or_else(|| sim.automatic_skin());
        soft::rebuild(&mut sim)?;
        sim.summary = sim.lists.evaluate(&sim.model, &mut sim.state, &sim.table, 0.0, 0.0);
        if let Some(allowed) = allowed {
            sim.check_overlaps(allowed)?;
        }
        let energies = sim.energies();
        sim.state.ledger.initial = energies.total();
        sim.state.ledger.scale = energies.kinetic();
        Ok(sim)
    }

    /// Goes on from a saved state, exactly as if the run had never stopped.
    pub fn resume(model: Model, state: State) -> Result<Simulation, EngineError> {
        check_fit(&model, &state)?;
        let mut sim = Simulation {
            table: LawTable::new(&model),
            time_step_reason: resolve_time_step(&model).reason,
            reference_bounds: ReferenceBounds::new(&model, &state),
            model,
            state,
            lists: ContactLists::default(),
            summary: StepSummary::default(),
        };
        sim.summary.n_contacts = sim.state.n_contacts().iter().sum();
        sim.lists.build(&sim.model, &mut sim.state, &sim.table, Order::Kept)?;
        Ok(sim)
    }

    /// What never changes.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What changes: all that a restart needs, at any moment between two steps.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Steps with these instructions from now on, and not with the best that the processor has. It changes how long a step
    /// takes, and no bit.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.lists.instructions = instructions;
    }

    /// Why the time step is as long as it is.
    pub fn time_step_reason(&self) -> &str {
        &self.time_step_reason
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Does one step.
    pub fn step(&mut self) -> Result<(), EngineError> {
        match self.model.solver {
            Solver::Soft => soft::step(self),
        }
    }

    /// Whether the run is still sound. Steps look by themselves, but not all of them; a checkpoint may fall between.
    pub fn check_health(&self) -> Result<(), EngineError> {
        health::check(self).map(drop)
    }

    /// Touching contacts, walls included, in the last step.
    pub fn n_contacts(&self) -> usize {
        self.summary.n_contacts
    }

    /// Shows every touching contact as it is now, with the energy in its springs, one after the other: in a large run
    /// they take as much memory together as half of the state.
    pub fn visit_contacts(&self, show: &mut Visitor) {
        self.lists.visit(&self.state, &self.table, show);
    }

    /// All touching contacts as they are now.
    pub fn contacts(&self) -> Vec<ContactRecord> {
        let mut records = Vec::with_capacity(self.summary.n_contacts);
        self.visit_contacts(&mut |record, _| records.push(*record));
        records
    }

    /// All energies as they are now.
    pub fn energies(&self) -> Energies {
        let mut elastic = ElasticEnergy::default();
        self.visit_contacts(&mut |_, energy| elastic += energy);
        Energies::of(&self.model, &self.state, elastic)
    }

    /// Kinetic energy [J].
    pub fn kinetic_energy(&self) -> f64 {
        Energies::of(&self.model, &self.state, ElasticEnergy::default()).kinetic()
    }

    /// A fingerprint of the whole state: equal for equal bits.
    pub fn state_hash(&self) -> u64 {
        self.state.hash()
    }

    fn automatic_skin(&self) -> f64 {
        // A fifth of the mean radius: long enough for tens of steps in a flowing bed, short enough to list few pairs
        // that do not touch. Of the grains that are there and those that each stream will bring, the smallest decide:
        // a skin as wide as small grains would list nearly all pairs of them.
        let radii = &self.state.particles.radius;
        let present = (!radii.is_empty()).then(|| radii.iter().sum::<f64>() / radii.len() as f64);
        let streams = self.model.insertions.iter().filter(|i| matches!(i.plan, Plan::Stream { .. }));
        let smallest = present.into_iter().chain(streams.map(|i| i.size.mean())).reduce(f64::min);
        0.2 * smallest.unwrap_or(0.0)
    }

    /// The overlap that lists of shaped grains allow; `None` if there are none, or none are shaped.
    fn allowed_overlap(&self) -> Option<f64> {
        let only_balls = self.model.species.iter().all(|species| species.shape.is_ball());
        let allowed = self.model.insertions.iter().filter_map(|insertion| match insertion.plan {
            Plan::List { max_overlap, .. } => Some(max_overlap),
            Plan::Lattice { .. } | Plan::Fill { .. } | Plan::Stream { .. } => None,
        });
        if only_balls { None } else { allowed.reduce(f64::max) }
    }

    /// Refuses grains that were put into each other or into walls.
    fn check_overlaps(&self, allowed: f64) -> Result<(), EngineError> {
        let p = &self.state.particles;
        let half_width = |i: usize| 0.5 * self.model.species[p.species[i] as usize].smallest_width * p.scale[i];
        let mut overlaps = Vec::new();
        self.visit_contacts(&mut |contact, _| {
            let (other, width) = match contact.partner {
                Partner::Particle(b) => (format!("grain {}", p.id[b] + 1), half_width(b)),
                Partner::Wall(w) => (format!("wall {}", self.model.walls[w].name), f64::INFINITY),
            };
            let width = width.min(half_width(contact.a));
            overlaps.push((p.id[contact.a] + 1, other, contact.overlap, contact.overlap / width));
        });
        match overlap_faults(&overlaps, allowed) {
            Some(fault) => Err(EngineError::Insertion(fault)),
            None => Ok(()),
        }
    }

    fn insert_initial(&mut self, watch: &mut Watch) -> Result<(), EngineError> {
        let mut random = Random { state: self.state.random };
        for index in 0..self.model.insertions.len() {
            let grains = {
                let clear = clear_of_walls(&self.model, &self.state);
                let insertion = &self.model.insertions[index];
                insertion::initial_grains(&self.model, insertion, &self.state.particles, &clear, &mut random, watch)?
            };
            self.state.inserters[index].inserted += grains.len() as u64;
            self.state.particles.reserve(grains.len());
            for grain in &grains {
                self.state.particles.push(&self.model, self.state.next_id, grain);
                self.state.next_id += 1;
            }
        }
        self.state.random = random.state;
        Ok(())
    }

    /// Brings in what the streams owe at a time; whether anything came.
    pub(crate) fn insert_from_streams(&mut self, time: f64) -> bool {
        let mut random = Random { state: self.state.random };
        let mut came = false;
        for index in 0..self.model.insertions.len() {
            let mut inserter = self.state.inserters[index];
            let grains = {
                let clear = clear_of_walls(&self.model, &self.state);
                let insertion = &self.model.insertions[index];
                insertion::stream_grains(
                    &self.model,
                    insertion,
                    &mut inserter,
                    time,
                    &self.state.particles,
                    &clear,
                    &mut random,
                )
            };
            self.state.inserters[index] = inserter;
            came |= !grains.is_empty();
            for grain in &grains {
                let p = &mut self.state.particles;
                p.push(&self.model, self.state.next_id, grain);
                self.state.next_id += 1;
                let i = p.len() - 1;
                self.state.ledger.inserted += p.kinetic_energy(i) - p.mass[i] * self.model.gravity.dot(p.position[i]);
            }
        }
        self.state.random = random.state;
        came
    }
}

fn resolve_time_step(model: &Model) -> Choice {
    match model.time_step {
        TimeStep::Fixed(time_step) => Choice { time_step, reason: "set in the scene".to_string() },
        TimeStep::Automatic { safety, speed } => time_step::automatic(model, safety, speed),
    }
}

/// A test whether a shape is farther than a distance from all walls.
fn clear_of_walls<'a>(model: &'a Model, state: &'a State) -> impl Fn(&Shape, &Pose, f64) -> bool + 'a {
    let poses: Vec<Pose> = state.walls.iter().map(|w| w.pose).collect();
    move |shape, placed, distance| {
        let mut found: Vec<SurfaceContact> = Vec::new();
        model.walls.iter().zip(&poses).all(|(wall, pose)| {
            contact_surface(shape, &wall.surface, &pose.relative(placed), distance, &mut found);
            found.is_empty()
        })
    }
}

/// A saved state must belong to its model.
fn check_fit(model: &Model, state: &State) -> Result<(), EngineError> {
    let n = state.particles.len();
    let fail = |what: String| Err(EngineError::State(what));
    if state.walls.len() != model.walls.len() || state.reference.wall_poses.len() != model.walls.len() {
        return fail(format!("it has {} walls, the scene {}", state.walls.len(), model.walls.len()));
    }
    if state.inserters.len() != model.insertions.len() {
        return fail(format!("it has {} insertions, the scene {}", state.inserters.len(), model.insertions.len()));
    }
    if state.reference.positions.len() != n {
        return fail("its lists do not belong to its grains".to_string());
    }
    if let Some(&species) = state.particles.species.iter().find(|&&s| s as usize >= model.species.len()) {
        return fail(format!("it has a grain of species number {species}, the scene has {}", model.species.len()));
    }
    let known = |id: u32| id < state.next_id;
    let ids_fit = state.particles.id.iter().all(|&id| known(id))
        && state.contacts.iter().flat_map(|contacts| contacts.lists().into_iter().enumerate()).all(
            |(list, history)| {
                let at_walls = BlockContacts::is_at_walls(list);
                let knows = |b: u32| if at_walls { (b as usize) < model.walls.len() } else { known(b) };
                history.keys.iter().all(|key| known(key.a) && knows(key.b))
            },
        );
    if !ids_fit {
        return fail("it names grains or walls that do not exist".to_string());
    }
    let empty = BlockContacts::new(LawTable::new(model).rolling);
    let contacts_fit = |contacts: &BlockContacts| {
        let mut lists = contacts.lists().into_iter().zip(empty.lists());
        lists.all(|(history, empty)| history.groups == empty.groups && history.is_whole())
    };
    if state.contacts.len() != n.div_ceil(BLOCK) || !state.contacts.iter().all(contacts_fit) {
        return fail("its contacts do not belong to its grains or to the law of the scene".to_string());
    }
    if !(state.time_step > 0.0 && state.time_step.is_finite() && state.skin >= 0.0) {
        return fail(format!("its time step is {} s and its skin {} m", state.time_step, state.skin));
    }
    if !(state.time >= 0.0 && state.time.is_finite() && state.time_remainder.is_finite()) {
        return fail(format!("its time is {} s", state.time));
    }
    Ok(())
}
