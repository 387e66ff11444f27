//! A run: model, state, and the steps between. Which solver makes them is known to `solver.rs` alone.

use crate::boundary::insertion::{self, Insertion, Plan, Watch, overlap_faults};
use crate::boundary::periodic::unwrapped;
use crate::boundary::wall::Motion;
use crate::boundary::wall_images::WallImages;
use crate::change::{motions, placed};
use crate::contacts::block_size;
use crate::contacts::records::Visitor;
use crate::crossings::{Before, Crossed, Departed};
use crate::groups::{Members, note_members};
use crate::hard::CollisionRecord;
use crate::law::LawTable;
use crate::model::{Edge, Model, TimeStep};
use crate::observe::{ContactRecord, ElasticEnergy, Energies, Partner};
use crate::random::Random;
use crate::solver::Solving;
use crate::state::{BlockContacts, InserterState, SoftState, SolverState, State};
use crate::time_step::{self, Choice};
use crate::{EngineError, hard};
use glam::DVec3;
use std::collections::HashSet;
use std::ops::ControlFlow;
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::lanes::Instructions;
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::{Pose, Shape, Sphere, SurfaceContact};

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
    /// With times of the run.
    pub(crate) model: Model,
    /// The walls' motions as they are written, with times from when they were given.
    pub(crate) motions: Vec<Motion>,
    pub(crate) state: State,
    pub(crate) solving: Solving,
    pub(crate) time_step_reason: String,
}

impl Simulation {
    /// Starts a run: chooses the time step, puts in the grains of the start, and works out the first forces.
    pub fn new(model: Model) -> Result<Simulation, EngineError> {
        Simulation::new_watched(model, &mut |_| ControlFlow::Continue(()))
    }

    /// The same as [`Simulation::new`]; `watch` is told how far the random fills have come, and its answer `Break` ends the
    /// start with [`EngineError::Stopped`]. It changes nothing else.
    pub fn new_watched(model: Model, watch: &mut Watch) -> Result<Simulation, EngineError> {
        if let Some(refused) = hard::refused(&model) {
            return Err(EngineError::Model(refused));
        }
        for plane in &model.planes {
            plane.check(&model).map_err(|what| EngineError::Model(format!("`{}`: {what}", plane.name)))?;
        }
        let choice = resolve_time_step(&model)?;
        let mut state = State {
            time_step: choice.time_step,
            walls: model.walls.iter().map(|w| w.initial_state()).collect(),
            inserters: vec![InserterState::default(); model.insertions.len()],
            random: Random::from_seed(model.seed).state,
            departed: vec![Departed::default(); model.species.len()],
            crossed: vec![Crossed::default(); model.planes.len() * model.species.len()],
            groups: vec![Members::default(); model.groups.len()],
            ..State::default()
        };
        let contacts = insert_initial(&model, &mut state, watch)?;
        let brought = pairs_of(&contacts);
        let solving = Solving::begin(&model, &mut state, contacts)?;
        let motions = motions(&model);
        let mut sim = Simulation { model, motions, state, solving, time_step_reason: choice.reason };
        if let Some(allowed) = sim.allowed_overlap() {
            sim.check_overlaps(allowed, &brought, 0)?;
        }
        note_members(&sim.model, &mut sim.state);
        let energies = sim.energies();
        sim.state.ledger.initial = energies.total();
        sim.state.ledger.scale = energies.kinetic();
        Ok(sim)
    }

    /// Goes on from a saved state, exactly as if the run had never stopped.
    pub fn resume(model: Model, mut state: State) -> Result<Simulation, EngineError> {
        check_fit(&model, &state, true)?;
        let time_step_reason = resolve_time_step(&model)?.reason;
        let motions = motions(&model);
        let model = placed(model, &state);
        let solving = Solving::resume(&model, &mut state)?;
        Ok(Simulation { model, motions, state, solving, time_step_reason })
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
        self.solving.use_instructions(instructions);
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
        let before = (!self.model.planes.is_empty()).then(|| Before::of(&self.state));
        self.solving.step(&self.model, &mut self.state)?;
        if let Some(before) = before {
            before.count(&self.model, &mut self.state);
        }
        note_members(&self.model, &mut self.state);
        Ok(())
    }

    /// Whether the run is still sound. Steps look by themselves, but not all of them; a checkpoint may fall between.
    pub fn check_health(&self) -> Result<(), EngineError> {
        self.solving.check_health(&self.model, &self.state)
    }

    /// Touching contacts, walls included, in the last step.
    pub fn n_contacts(&self) -> usize {
        self.solving.n_contacts()
    }

    /// Collisions of the last step, if [`crate::model::HardSettings::log`] asks for them.
    pub fn collisions(&self) -> &[CollisionRecord] {
        self.solving.collisions()
    }

    /// Searches for common planes in the last step and what they took; `None` unless [`crate::law::Law::contact_method`] is one
    /// of these. They follow from the poses: not from the threads, nor from a restart.
    pub fn plane_searches(&self) -> Option<PlaneSearches> {
        self.solving.plane_searches()
    }

    /// Shows every touching contact as it is now, with the energy in its springs, one after the other: in a large run
    /// they take as much memory together as half of the state.
    pub fn visit_contacts(&self, show: &mut Visitor) {
        self.solving.visit(&self.state, show);
    }

    /// All touching contacts as they are now.
    pub fn contacts(&self) -> Vec<ContactRecord> {
        let mut records = Vec::with_capacity(self.n_contacts());
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

    /// The overlap that lists of grains allow which are looked at when all are in place: those of shaped grains, and of another
    /// run; `None` if there are none.
    pub(crate) fn allowed_overlap(&self) -> Option<f64> {
        let only_balls = self.model.species.iter().all(|species| species.shape.is_ball());
        let allowed = self.model.insertions.iter().filter_map(|insertion| match &insertion.plan {
            Plan::List { grains, max_overlap } => (!only_balls || grains.carried().is_some()).then_some(*max_overlap),
            Plan::Lattice { .. } | Plan::Fill { .. } | Plan::Stream { .. } => None,
        });
        allowed.reduce(f64::max)
    }

    /// Refuses grains that were put into each other or into walls. Of contacts that grains brought along, and of those of grains
    /// that were there before an id, nothing is said.
    pub(crate) fn check_overlaps(
        &self,
        allowed: f64,
        brought: &HashSet<BroughtPair>,
        first_id: u32,
    ) -> Result<(), EngineError> {
        let p = &self.state.particles;
        let half_width = |i: usize| self.model.half_width(p, i);
        let mut overlaps = Vec::new();
        self.visit_contacts(&mut |contact, _| {
            let a = p.id[contact.a];
            let (pair, newest) = match contact.partner {
                Partner::Particle(b) => ((a.min(p.id[b]), a.max(p.id[b]), false), a.max(p.id[b])),
                Partner::Wall(wall) => ((a, wall as u32, true), a),
            };
            if newest < first_id || brought.contains(&pair) {
                return;
            }
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
}

/// The ids of two grains, the smaller first, or that of a grain and the number of a wall: then the last is true.
pub(crate) type BroughtPair = (u32, u32, bool);

/// The pairs of contacts.
pub(crate) fn pairs_of(blocks: &[BlockContacts]) -> HashSet<BroughtPair> {
    let lists = blocks.iter().flat_map(|block| block.lists().into_iter().enumerate());
    let pairs = lists.flat_map(|(list, history)| {
        let at_wall = BlockContacts::is_at_walls(list);
        history.pairs.iter().map(move |&[a, b]| if at_wall { (a, b, true) } else { (a.min(b), a.max(b), false) })
    });
    pairs.collect()
}

/// Puts in the grains of the start. Returns the contacts that they bring along.
fn insert_initial(model: &Model, state: &mut State, watch: &mut Watch) -> Result<Vec<BlockContacts>, EngineError> {
    let mut contacts = Vec::new();
    let walls = WallImages::new(model);
    let mut random = Random { state: state.random };
    for (index, insertion) in model.insertions.iter().enumerate().filter(|(_, insertion)| insertion.active) {
        let grains = {
            let clear = clear_of_walls(model, state, &walls);
            let placed = insertion::initial_grains(model, insertion, &state.particles, &clear, &mut random, watch);
            placed.map_err(|error| with_wall_in_the_way(error, model, state, &walls, insertion))?
        };
        state.inserters[index].inserted += grains.len() as u64;
        state.particles.reserve(grains.len());
        contacts.extend(brought_along(model, insertion, state.next_id));
        for grain in &grains {
            state.particles.push(model, state.next_id, grain);
            state.next_id += 1;
        }
    }
    state.random = random.state;
    Ok(contacts)
}

/// The contacts that the grains of an insertion bring along if they get ids from a first one on.
pub(crate) fn brought_along(model: &Model, insertion: &Insertion, first_id: u32) -> Vec<BlockContacts> {
    let Plan::List { grains, .. } = &insertion.plan else { return Vec::new() };
    grains.carried().map(|carried| carried.of_grains(model, grains, first_id)).unwrap_or_default()
}

/// Places in a region that are looked at to find out what is in the way.
const LOOKED_AT: u32 = 400;
/// Share of these that a wall must take for it to be named.
const TAKEN: f64 = 0.9;

/// An error of an insertion that found no room, with the wall that takes the room, if there is one: a region behind a wall has none.
pub(crate) fn with_wall_in_the_way(
    error: EngineError,
    model: &Model,
    state: &State,
    images: &WallImages,
    insertion: &Insertion,
) -> EngineError {
    let (EngineError::Insertion(what), Plan::Fill { region, .. } | Plan::Lattice { region, .. }) =
        (&error, &insertion.plan)
    else {
        return error;
    };
    let mut random = Random::from_seed(1);
    let places: Vec<DVec3> = (0..LOOKED_AT).map(|_| region.sample(&mut random)).collect();
    let radius = insertion.size.smallest();
    let taken = |wall: usize, radius: f64| {
        let ball = Shape::Sphere(Sphere { radius });
        let is_taken = |&&place: &&DVec3| !is_clear_of_wall(model, state, images, wall, &ball, place);
        places.iter().filter(is_taken).count() as f64 / f64::from(LOOKED_AT)
    };
    let present = (0..model.walls.len()).filter(|&wall| state.walls[wall].present);
    let most = present.map(|wall| (wall, taken(wall, radius))).max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((wall, share)) = most.filter(|(_, share)| *share > TAKEN) else { return error };
    let name = &model.walls[wall].name;
    // A point has no width: where it touches the wall, it is behind it.
    let told = if taken(wall, 1e-9 * radius) > TAKEN {
        format!(
            "the region lies behind wall `{name}`, in what is solid: a plane is solid on the side from which its normal points away"
        )
    } else {
        format!(
            "wall `{name}` is nearer than a grain's radius to {:.0} % of the region: grains of this size do not fit there",
            100.0 * share
        )
    };
    EngineError::Insertion(format!("{what}. Note that {told}"))
}

/// Whether a ball at a place touches neither a wall nor its images.
fn is_clear_of_wall(
    model: &Model,
    state: &State,
    images: &WallImages,
    wall: usize,
    ball: &Shape,
    place: DVec3,
) -> bool {
    let pose = state.walls[wall].pose;
    let (mut found, mut shifts): (Vec<SurfaceContact>, Vec<DVec3>) = (Vec::new(), Vec::new());
    let bounds = images.bounds(model, wall, &pose);
    images.near(wall, bounds.as_ref(), place, ball.bounding_radius(), &mut shifts);
    shifts.iter().all(|&shift| {
        let seen = pose.relative(&Pose::from_position(place - shift));
        contact_surface(ball, images.surface(model, wall), &seen, 0.0, &mut found);
        found.is_empty()
    })
}

/// Which grains have left through an edge; empty if none can.
pub(crate) fn leavers(model: &Model, state: &State) -> Vec<bool> {
    let domain = &model.domain;
    if !domain.edges.contains(&Edge::Remove) {
        return Vec::new();
    }
    // A grain whose place is not a number has not left: it stays until the health check reports it.
    let outside = |x: &glam::DVec3| {
        x.is_finite()
            && (0..3).any(|k| domain.edges[k] == Edge::Remove && (x[k] < domain.lower[k] || x[k] > domain.upper[k]))
    };
    state.particles.position.iter().map(outside).collect()
}

/// Takes grains out and books their energy; that of their contacts is the solver's to book.
pub(crate) fn remove_grains(model: &Model, state: &mut State, leaving: &[bool]) {
    let (p, gravity) = (&state.particles, model.gravity_at(state));
    for i in (0..p.len()).filter(|&i| leaving[i]) {
        let place = unwrapped(&model.domain, p.position[i], p.image[i]);
        state.ledger.removed += p.kinetic_energy(i) - p.mass[i] * gravity.dot(place);
        state.n_removed += 1;
        state.removed_mass += p.mass[i];
        let departed = &mut state.departed[usize::from(p.species[i])];
        departed.n += 1;
        departed.mass += p.mass[i];
    }
    let keep: Vec<bool> = leaving.iter().map(|leaves| !leaves).collect();
    state.particles.retain(&keep);
}

/// Whether a stream owes grains now.
pub(crate) fn streams_are_due(model: &Model, state: &State) -> bool {
    let is_due =
        |(plan, inserter): (&Insertion, &InserterState)| insertion::due(plan, inserter, state.time) > inserter.inserted;
    model.insertions.iter().zip(&state.inserters).any(is_due)
}

/// Brings in what the streams owe at a time; whether anything came.
pub(crate) fn insert_from_streams(model: &Model, state: &mut State, walls: &WallImages, time: f64) -> bool {
    let mut random = Random { state: state.random };
    let gravity = model.gravity_at(state);
    let mut came = false;
    for (index, insertion) in model.insertions.iter().enumerate() {
        let mut inserter = state.inserters[index];
        let grains = {
            let clear = clear_of_walls(model, state, walls);
            insertion::stream_grains(model, insertion, &mut inserter, time, &state.particles, &clear, &mut random)
        };
        state.inserters[index] = inserter;
        came |= !grains.is_empty();
        for grain in &grains {
            let p = &mut state.particles;
            p.push(model, state.next_id, grain);
            state.next_id += 1;
            let i = p.len() - 1;
            state.ledger.inserted += p.kinetic_energy(i) - p.mass[i] * gravity.dot(p.position[i]);
        }
    }
    state.random = random.state;
    came
}

pub(crate) fn resolve_time_step(model: &Model) -> Result<Choice, EngineError> {
    let choice = match model.time_step {
        TimeStep::Fixed(time_step) => Choice { time_step, reason: "set in the scene".to_string() },
        TimeStep::Automatic { safety, speed } if model.solver.is_hard() => hard::automatic_step(model, safety, speed),
        TimeStep::Automatic { safety, speed } => time_step::automatic(model, safety, speed),
    };
    if !(choice.time_step.is_finite() && choice.time_step > 0.0) {
        let Choice { time_step, reason } = choice;
        return Err(EngineError::Model(format!("the time step is {time_step} s; it must be above zero ({reason})")));
    }
    Ok(choice)
}

/// A test whether a shape is farther than a distance from all walls and their images.
pub(crate) fn clear_of_walls<'a>(
    model: &'a Model,
    state: &'a State,
    images: &'a WallImages,
) -> impl Fn(&Shape, &Pose, f64) -> bool + 'a {
    let poses: Vec<Pose> = state.walls.iter().map(|w| w.pose).collect();
    let bounds: Vec<_> = (0..poses.len()).map(|wall| images.bounds(model, wall, &poses[wall])).collect();
    move |shape, placed, distance| {
        let (mut found, mut shifts): (Vec<SurfaceContact>, Vec<DVec3>) = (Vec::new(), Vec::new());
        poses.iter().enumerate().all(|(wall, pose)| {
            if model.walls[wall].present && model.walls[wall].fills(pose, placed.position) {
                return false;
            }
            let reach = shape.bounding_radius() + distance;
            images.near(wall, bounds[wall].as_ref(), placed.position, reach, &mut shifts);
            shifts.iter().all(|&shift| {
                let seen = pose.relative(&Pose::new(placed.position - shift, placed.orientation));
                contact_surface(shape, images.surface(model, wall), &seen, distance, &mut found);
                found.is_empty()
            })
        })
    }
}

/// A saved state must belong to its model, and its contacts to the law of it unless they are of another.
pub(crate) fn check_fit(model: &Model, state: &State, of_this_law: bool) -> Result<(), EngineError> {
    let fail = |what: String| Err(EngineError::State(what));
    let (theirs, ours) = (state.solver.solver(), model.solver);
    if theirs != ours {
        return fail(format!("it is of the solver `{}`, the scene has `{}`", theirs.name(), ours.name()));
    }
    if state.walls.len() != model.walls.len() {
        return fail(format!("it has {} walls, the scene {}", state.walls.len(), model.walls.len()));
    }
    if state.inserters.len() != model.insertions.len() {
        return fail(format!("it has {} insertions, the scene {}", state.inserters.len(), model.insertions.len()));
    }
    if let Some(&species) = state.particles.species.iter().find(|&&s| s as usize >= model.species.len()) {
        return fail(format!("it has a grain of species number {species}, the scene has {}", model.species.len()));
    }
    let n_crossed = model.planes.len() * model.species.len();
    if state.departed.len() != model.species.len() || state.crossed.len() != n_crossed {
        return fail("its counts are of other kinds of grain, or of other planes".to_string());
    }
    if state.groups.len() != model.groups.len() {
        return fail(format!("it has {} groups of grains, the scene {}", state.groups.len(), model.groups.len()));
    }
    if state.particles.id.iter().any(|&id| id >= state.next_id) {
        return fail("it names grains that do not exist".to_string());
    }
    if !(state.time_step > 0.0 && state.time_step.is_finite()) {
        return fail(format!("its time step is {} s", state.time_step));
    }
    if !(state.time >= 0.0 && state.time.is_finite() && state.time_remainder.is_finite()) {
        return fail(format!("its time is {} s", state.time));
    }
    match &state.solver {
        SolverState::Soft(soft) => check_fit_soft(model, state, soft, of_this_law),
        SolverState::Stepped(stepped) => {
            if stepped.reference.len() != state.particles.len() {
                return fail("its lists do not belong to its grains".to_string());
            }
            if !(stepped.skin >= 0.0 && stepped.reference_time.is_finite()) {
                return fail(format!("its skin is {} m, of {} s", stepped.skin, stepped.reference_time));
            }
            Ok(())
        }
        SolverState::Events(events) => {
            if events.last_collision.len() != state.particles.len() || events.asleep.len() != state.particles.len() {
                return fail("its collisions do not belong to its grains".to_string());
            }
            Ok(())
        }
    }
}

fn check_fit_soft(model: &Model, state: &State, soft: &SoftState, of_this_law: bool) -> Result<(), EngineError> {
    let n = state.particles.len();
    let fail = |what: &str| Err(EngineError::State(what.to_string()));
    if soft.reference.positions.len() != n || soft.reference.wall_poses.len() != model.walls.len() {
        return fail("its lists do not belong to its grains and walls");
    }
    let known = |id: u32| id < state.next_id;
    let mut lists = soft.contacts.iter().flat_map(|contacts| contacts.lists().into_iter().enumerate());
    let ids_fit = lists.all(|(list, history)| {
        let at_walls = BlockContacts::is_at_walls(list);
        let knows = |b: u32| if at_walls { (b as usize) < model.walls.len() } else { known(b) };
        history.pairs.iter().all(|&[a, b]| known(a) && knows(b))
    });
    if !ids_fit {
        return fail("its contacts name grains or walls that do not exist");
    }
    let empty = BlockContacts::new(LawTable::new(model).rolling);
    let contacts_fit = |contacts: &BlockContacts| {
        let mut lists = contacts.lists().into_iter().zip(empty.lists());
        lists.all(|(history, empty)| history.groups == empty.groups && history.is_whole())
    };
    if of_this_law
        && (soft.contacts.len() != n.div_ceil(block_size(model, n)) || !soft.contacts.iter().all(contacts_fit))
    {
        return fail("its contacts do not belong to its grains or to the law of the scene");
    }
    if soft.skin.is_nan() || soft.skin < 0.0 {
        return Err(EngineError::State(format!("its skin is {} m", soft.skin)));
    }
    Ok(())
}
