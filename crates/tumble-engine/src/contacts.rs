//! From candidate pairs to forces: the loop in which a run spends its time.
//!
//! The grains are cut into blocks of fixed size. A block evaluates all contacts of its grains with grains of higher
//! index and with walls; what falls on its own grains is added at once, what falls on grains of other blocks is put
//! into the block's outbox and added afterwards, block by block. So each grain's force is summed in an order that
//! depends on the blocks alone, and the bits are the same for any number of threads.
//!
//! Each candidate pair has one slot for its memory. Slots are filled from, and collected into, lists keyed by grain
//! ids ([`State::pair_contacts`], [`State::wall_contacts`]) whenever the candidate list changes or a run is saved.

mod at_rest;
mod memory;
mod near;
mod pairs;
pub mod records;
mod revolutions;
mod shape_table;
mod shaped;
mod tangent_plane;
mod walls;

use crate::boundary::periodic::Ghosts;
use crate::broad::{Balls, Candidates, TooManyPairs, find_candidates};
use crate::law::{Coefficients, LawTable, Losses};
use crate::model::{MaterialIndex, Model};
use crate::observe::Partner;
use crate::state::{History, State};
use crate::{EngineError, Particles};
pub use at_rest::{ElasticWrench, elastic_wrench};
use glam::{DQuat, DVec3};
use near::{NearPair, Odometer};
use rayon::prelude::*;
use revolutions::{TwoRevolutions, axis_of};
use shape_table::{ShapeTable, SizedShape};
use shaped::{LiveShapedContact, ShapedPair, ShapedTouch};
use std::cell::RefCell;
use std::ops::AddAssign;
use tumble_geometry::lanes::{head, row, tail, vector_row};
use tumble_geometry::overlap::Workspace;
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Shape, SurfaceContact};
use walls::{LiveWallContact, WallFrame};
use wide::f64x4;

/// Grains in a block. Part of the definition of a run's bits: another size sums forces in another order.
pub const BLOCK: usize = 512;

/// What the contact loop needs of a grain, side by side in memory, in rows of four numbers.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Position and radius [m].
    place: f64x4,
    /// Velocity [m/s] and mass [kg].
    motion: f64x4,
    /// Angular velocity [rad/s] and the place of the material.
    spin: f64x4,
}

impl Body {
    fn of(model: &Model, particles: &Particles, index: usize) -> Body {
        let material = model.species[particles.species[index] as usize].material;
        Body {
            place: row(particles.position[index], particles.radius[index]),
            motion: row(particles.velocity[index], particles.mass[index]),
            spin: row(particles.angular_velocity[index], f64::from(material)),
        }
    }

    /// Puts the grain somewhere else, moving otherwise.
    #[inline(always)]
    pub fn set(&mut self, position: DVec3, velocity: DVec3, angular_velocity: DVec3) {
        self.place = row(position, self.radius());
        self.motion = row(velocity, self.mass());
        self.spin = row(angular_velocity, tail(self.spin));
    }

    fn position(&self) -> DVec3 {
        head(self.place)
    }

    fn radius(&self) -> f64 {
        tail(self.place)
    }

    fn velocity(&self) -> DVec3 {
        head(self.motion)
    }

    fn mass(&self) -> f64 {
        tail(self.motion)
    }

    fn angular_velocity(&self) -> DVec3 {
        head(self.spin)
    }

    fn material(&self) -> MaterialIndex {
        tail(self.spin) as MaterialIndex
    }
}

/// Force and torque for a grain of another block.
#[derive(Clone, Copy, Debug)]
struct Parcel {
    target: u32,
    force: DVec3,
    torque: DVec3,
}

/// Force and torque, in rows of four numbers of which the last is not used.
#[derive(Clone, Copy, Debug, Default)]
struct Wrench {
    force: f64x4,
    torque: f64x4,
}

impl AddAssign for Wrench {
    #[inline(always)]
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// A contact whose overlap is beyond the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepContact {
    /// Index of the grain.
    pub a: usize,
    /// What it touches.
    pub partner: Partner,
    /// Overlap over the smaller radius [1].
    pub relative_overlap: f64,
}

/// A contact that was not found to the tolerance it should have been.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsettled {
    /// Index of the grain.
    pub a: usize,
    /// What it was looked for with.
    pub partner: Partner,
    /// Which part of each.
    pub parts: [u32; 2],
    /// How far the separation may be off [m].
    pub bound: f64,
}

/// Room to work in, one for each thread: what is in it means nothing from one block to the next.
#[derive(Debug)]
struct Scratch {
    /// Force and torque of the block's grains, while they are summed.
    wrench: Vec<Wrench>,
    touching: Vec<pairs::Touch>,
    /// Pairs whose bounding balls touch: bodies of revolution under a depth law, and others that are not both plain spheres.
    revolutions: Vec<ShapedTouch>,
    shaped: Vec<ShapedTouch>,
    room: revolutions::Room,
    previous_shaped: Vec<LiveShapedContact>,
    previous_wall_contacts: Vec<LiveWallContact>,
    workspace: Workspace,
    found: Vec<SurfaceContact>,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            wrench: Vec::new(),
            touching: Vec::new(),
            shaped: Vec::new(),
            revolutions: Vec::new(),
            room: revolutions::Room::default(),
            previous_shaped: Vec::new(),
            previous_wall_contacts: Vec::new(),
            workspace: Workspace::with_tolerance(LAW_REGION),
            found: Vec::new(),
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A block's own memory and what it found in the last step.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Grains of the block that have walls nearby, or touched one in the last step.
    near_walls: Vec<u32>,
    wall_contacts: Vec<LiveWallContact>,
    /// Pairs that can touch before the odometer reads `near_until`; empty unless there are shapes.
    near: Vec<NearPair>,
    near_until: f64,
    /// In the order of slots and parts.
    shaped_contacts: Vec<LiveShapedContact>,
    outbox: Vec<Parcel>,
    losses: Losses<f64>,
    n_contacts: usize,
    /// Force and torque on each wall about the origin of its pose.
    wall_loads: Vec<(DVec3, DVec3)>,
    deep: Option<DeepContact>,
    unsettled: Option<Unsettled>,
}

/// What all blocks found in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepSummary {
    /// Energy lost.
    pub losses: Losses<f64>,
    /// Touching contacts.
    pub n_contacts: usize,
    /// The first contact beyond the overlap limit.
    pub deep: Option<DeepContact>,
    /// The first contact that was not found well enough.
    pub unsettled: Option<Unsettled>,
}

/// What every block reads.
struct Context<'a> {
    bodies: &'a [Body],
    start: &'a [u32],
    partner: &'a [u32],
    ghost_owner: &'a [u32],
    n_owned: usize,
    wall_start: &'a [u32],
    wall_candidate: &'a [u32],
    walls: &'a [WallFrame<'a>],
    /// `None` if all grains are spheres and the law goes by depth.
    shapes: Option<&'a ShapeTable>,
    orientations: &'a [DQuat],
    /// The z axes of the grains, in rows.
    axes: &'a [f64x4],
    odometer: Odometer,
    table: &'a LawTable,
    dt: f64,
    overlap_limit: f64,
}

impl Context<'_> {
    /// The owned grain behind a body.
    fn owner(&self, body: u32) -> u32 {
        if (body as usize) < self.n_owned { body } else { self.ghost_owner[body as usize - self.n_owned] }
    }
}

impl<'a> Context<'a> {
    /// The shape of a grain that takes the general path to walls; `None` for a plain sphere.
    fn general_shape(&self, grain: usize) -> Option<&'a SizedShape> {
        self.shapes.map(|shapes| shapes.get(grain)).filter(|shape| self.table.volume.is_some() || !shape.is_ball)
    }

    /// A grain and a body, if both are bodies of revolution.
    #[inline]
    fn two_revolutions(&self, grain: usize, partner: u32) -> Option<TwoRevolutions<'a>> {
        let owner = self.owner(partner) as usize;
        let shapes = self.shapes?;
        TwoRevolutions::new(
            [shapes.get(grain), shapes.get(owner)],
            [head(self.axes[grain]), head(self.axes[owner])],
            self.bodies[partner as usize].position() - self.bodies[grain].position(),
        )
    }

    /// A grain and a body, as bodies of any shape. There must be shapes.
    fn shaped_pair(&self, grain: usize, partner: u32) -> Option<ShapedPair<'a>> {
        let owner = self.owner(partner) as usize;
        let shapes = self.shapes?;
        Some(ShapedPair::new(
            [&self.bodies[grain], &self.bodies[partner as usize]],
            [self.orientations[grain], self.orientations[owner]],
            [shapes.get(grain), shapes.get(owner)],
        ))
    }
}

/// The part of all arrays that a block writes.
struct BlockArrays<'a> {
    first: usize,
    force: &'a mut [DVec3],
    torque: &'a mut [DVec3],
    history: &'a mut [History],
    rolling: &'a mut [DVec3],
    /// Where the odometer will stand when a pair can touch; empty unless there are shapes.
    wake: &'a mut [f64],
}

/// Candidate lists, the memory of contacts, and the images: all that can be made anew from model and state.
#[derive(Clone, Debug, Default)]
pub struct ContactLists {
    /// Owned grains, then ghosts.
    pub bodies: Vec<Body>,
    ghosts: Ghosts,
    candidates: Candidates,
    /// Empty if no two plain spheres can meet.
    history: Vec<History>,
    /// Empty unless some pair resists rolling.
    rolling: Vec<DVec3>,
    /// The z axes of the grains, in rows; empty unless there are shapes.
    axes: Vec<f64x4>,
    /// Where the odometer will stand when a pair can touch; empty unless there are shapes.
    wake: Vec<f64>,
    odometer: Odometer,
    /// `None` if all grains are spheres and the law goes by depth.
    shapes: Option<ShapeTable>,
    wall_start: Vec<u32>,
    wall_candidate: Vec<u32>,
    blocks: Vec<Block>,
    /// Lost in contacts of pairs that moved apart by more than the skin in the step in which the lists were built, and
    /// so have no slot to end in.
    parted: Losses<f64>,
}

impl ContactLists {
    /// Builds the lists from `state.reference`, and fills the slots from the contacts kept in `state`.
    pub fn build(&mut self, model: &Model, state: &State, table: &LawTable) -> Result<(), EngineError> {
        let particles = &state.particles;
        self.ghosts = Ghosts::find(&model.domain, &state.reference.positions, &particles.radius, state.skin)?;
        let find = |positions: &[DVec3], radii: &[f64]| {
            let balls = Balls { positions, radii, ghost_owner: &self.ghosts.owner };
            find_candidates(model.broad_phase, &balls, state.skin).map_err(|TooManyPairs { n_pairs }| {
                EngineError::Model(format!(
                    "{n_pairs} pairs of grains are nearer to each other than the skin of {:.6e} m, and lists end at 2^32; \
                     use a thinner skin",
                    state.skin
                ))
            })
        };
        self.candidates = if self.ghosts.owner.is_empty() {
            find(&state.reference.positions, &particles.radius)?
        } else {
            let mut positions = state.reference.positions.clone();
            let mut radii = particles.radius.clone();
            for (&owner, &shift) in self.ghosts.owner.iter().zip(&self.ghosts.shift) {
                positions.push(positions[owner as usize] + shift);
                radii.push(radii[owner as usize]);
            }
            find(&positions, &radii)?
        };
        self.find_wall_candidates(model, state);
        self.bodies.clear();
        self.bodies.extend((0..particles.len()).map(|i| Body::of(model, particles, i)));
        for &owner in &self.ghosts.owner {
            self.bodies.push(self.bodies[owner as usize]);
        }
        self.refresh_ghosts();
        let only_spheres = model.species.iter().all(|s| matches!(s.shape, Shape::Sphere(_)));
        self.shapes = if only_spheres && table.volume.is_none() {
            None
        } else {
            let mut shapes = self.shapes.take().unwrap_or_default();
            shapes.update(model, particles);
            Some(shapes)
        };
        self.fill_slots(model, state, table);
        Ok(())
    }

    fn find_wall_candidates(&mut self, model: &Model, state: &State) {
        let frames = WallFrame::all(model, &state.walls, Some(&state.reference.wall_poses));
        let near: Vec<Vec<u32>> = state
            .reference
            .positions
            .par_chunks(BLOCK)
            .zip(state.particles.radius.par_chunks(BLOCK))
            .map(|(positions, radii)| {
                // Pairs of a grain's place in the block and a wall, flattened.
                let (mut near, mut found) = (Vec::new(), Vec::new());
                for (local, (&position, &radius)) in positions.iter().zip(radii).enumerate() {
                    for (index, frame) in frames.iter().enumerate() {
                        if frame.is_near(position, radius, state.skin, &mut found) {
                            near.extend([local as u32, index as u32]);
                        }
                    }
                }
                near
            })
            .collect();
        self.wall_start.clear();
        self.wall_candidate.clear();
        for (block, near) in near.iter().enumerate() {
            let mut entries = near.chunks_exact(2).peekable();
            for local in 0..BLOCK.min(state.particles.len() - block * BLOCK) {
                self.wall_start.push(self.wall_candidate.len() as u32);
                while let Some(entry) = entries.next_if(|entry| entry[0] == local as u32) {
                    self.wall_candidate.push(entry[1]);
                }
            }
        }
        self.wall_start.push(self.wall_candidate.len() as u32);
    }

    fn row(&self, a: usize) -> std::ops::Range<usize> {
        self.candidates.start[a] as usize..self.candidates.start[a + 1] as usize
    }

    /// The grain in whose row a slot is.
    fn grain_of_slot(&self, slot: u32) -> usize {
        self.candidates.start.partition_point(|&start| start <= slot) - 1
    }

    fn n_owned(&self) -> usize {
        self.bodies.len() - self.ghosts.owner.len()
    }

    /// The owned grain behind a body.
    fn owner(&self, body: u32) -> u32 {
        let n_owned = self.n_owned();
        if (body as usize) < n_owned { body } else { self.ghosts.owner[body as usize - n_owned] }
    }

    /// Copies the owned grains to their images.
    pub fn refresh_ghosts(&mut self) {
        let n_owned = self.n_owned();
        let (owned, images) = self.bodies.split_at_mut(n_owned);
        for ((image, &owner), &shift) in images.iter_mut().zip(&self.ghosts.owner).zip(&self.ghosts.shift) {
            *image = owned[owner as usize];
            image.place += row(shift, 0.0);
        }
    }

    /// Evaluates every contact over a step of length `dt`, commits the memory, and sets the forces and torques of the
    /// grains and the loads of the walls.
    pub fn evaluate(&mut self, model: &Model, state: &mut State, table: &LawTable, dt: f64) -> StepSummary {
        let evaluate = match (table.hertz, table.rolling) {
            (false, false) => evaluate_block::<false, false>,
            (false, true) => evaluate_block::<false, true>,
            (true, false) => evaluate_block::<true, false>,
            (true, true) => evaluate_block::<true, true>,
        };
        if let Some(shapes) = &self.shapes {
            self.odometer.count(shapes, &state.particles, dt);
            state
                .particles
                .orientation
                .par_iter()
                .with_min_len(BLOCK)
                .map(|&q| vector_row(axis_of(q)))
                .collect_into_vec(&mut self.axes);
        }
        let n_owned = self.n_owned();
        let context = Context {
            bodies: &self.bodies,
            start: &self.candidates.start,
            partner: &self.candidates.partner,
            ghost_owner: &self.ghosts.owner,
            n_owned,
            wall_start: &self.wall_start,
            wall_candidate: &self.wall_candidate,
            walls: &WallFrame::all(model, &state.walls, None),
            shapes: self.shapes.as_ref(),
            orientations: &state.particles.orientation,
            axes: &self.axes,
            odometer: self.odometer,
            table,
            dt,
            overlap_limit: model.limits.overlap,
        };
        let mut work = Vec::with_capacity(self.blocks.len());
        let (mut history, mut rolling) = (self.history.as_mut_slice(), self.rolling.as_mut_slice());
        let mut wake = self.wake.as_mut_slice();
        let (mut force, mut torque) = (state.particles.force.as_mut_slice(), state.particles.torque.as_mut_slice());
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let first = index * BLOCK;
            let n = BLOCK.min(n_owned - first);
            let n_slots = (context.start[first + n] - context.start[first]) as usize;
            let arrays = BlockArrays {
                first,
                force: force.split_off_mut(..n).unwrap_or_default(),
                torque: torque.split_off_mut(..n).unwrap_or_default(),
                history: history.split_off_mut(..n_slots).unwrap_or_default(),
                rolling: rolling.split_off_mut(..n_slots).unwrap_or_default(),
                wake: wake.split_off_mut(..n_slots).unwrap_or_default(),
            };
            work.push((block, arrays));
        }
        work.into_par_iter().for_each(|(block, mut arrays)| {
            SCRATCH.with_borrow_mut(|scratch| evaluate(&context, block, scratch, &mut arrays));
        });

        let mut summary = StepSummary { losses: std::mem::take(&mut self.parted), ..StepSummary::default() };
        for wall in &mut state.walls {
            (wall.force, wall.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        for block in &self.blocks {
            for parcel in &block.outbox {
                state.particles.force[parcel.target as usize] += parcel.force;
                state.particles.torque[parcel.target as usize] += parcel.torque;
            }
            for (wall, &(force, torque)) in state.walls.iter_mut().zip(&block.wall_loads) {
                wall.force += force;
                wall.torque += torque;
            }
            summary.losses += block.losses;
            summary.n_contacts += block.n_contacts;
            summary.deep = summary.deep.or(block.deep);
            summary.unsettled = summary.unsettled.or(block.unsettled);
        }
        if model.planar {
            // What pushes out of the plane or tilts is taken up by the plane.
            state.particles.force.iter_mut().for_each(|force| force.z = 0.0);
            state.particles.torque.iter_mut().for_each(|torque| *torque = DVec3::Z * torque.z);
        }
        summary
    }
}

fn evaluate_block<const HERTZ: bool, const ROLLING: bool>(
    context: &Context,
    block: &mut Block,
    scratch: &mut Scratch,
    arrays: &mut BlockArrays,
) {
    block.outbox.clear();
    block.losses = Losses::default();
    block.deep = None;
    if let Some(law) = context.table.volume {
        scratch.workspace.tolerance = law.region_tolerance;
    }
    block.unsettled = None;
    if context.shapes.is_none() {
        pairs::find_touching(context, block, scratch, arrays);
    } else {
        if context.odometer.reading >= block.near_until {
            near::wake(context, block, arrays);
        }
        pairs::find_touching_near(context, block, scratch, arrays);
    }
    pairs::evaluate_touching::<HERTZ, ROLLING>(context, block, scratch, arrays);
    if context.shapes.is_some() {
        shaped::evaluate_shaped_pairs::<HERTZ>(context, block, scratch, arrays);
    }
    walls::evaluate_walls::<HERTZ, ROLLING>(context, block, scratch, arrays.first);
    for ((wrench, force), torque) in scratch.wrench.iter().zip(arrays.force.iter_mut()).zip(arrays.torque.iter_mut()) {
        (*force, *torque) = (head(wrench.force), head(wrench.torque));
    }
}

/// How two bodies that touched a step ago move apart.
struct Parting {
    effective_radius: f64,
    /// From a to b.
    normal: DVec3,
    /// Velocity and angular velocity of a relative to b.
    velocity: DVec3,
    spin: DVec3,
}

/// Books what is left in a contact that ended in this step, and forgets it: its forces still worked over half of the
/// step, and what the springs hold after that is lost.
fn forget(
    c: &Coefficients<f64>,
    parting: &Parting,
    history: &mut History,
    rolling_torque: &mut DVec3,
    dt: f64,
    losses: &mut Losses<f64>,
) {
    losses.normal_dashpot += 0.5 * dt * parting.velocity.dot(parting.normal) * history.normal_dashpot_force;
    losses.tangential_dashpot += 0.5 * dt * history.tangential_power.abs();
    losses.contact_end += 0.5 * history.tangential_force.length_squared() / history.tangential_stiffness
        - 0.5 * dt * history.tangential_force.dot(parting.velocity);
    if c.rolling_friction > 0.0 {
        let stiffness = c.rolling_stiffness * parting.effective_radius.powi(2) * history.tangential_stiffness
            / c.tangential_stiffness;
        losses.contact_end +=
            0.5 * rolling_torque.length_squared() / stiffness - 0.5 * dt * rolling_torque.dot(parting.spin);
    }
    *history = History::default();
    *rolling_torque = DVec3::ZERO;
}
