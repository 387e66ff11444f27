//! One way from a pair to a force, for grains and walls, spheres and shapes, steps and observers.
//!
//! ```text
//! neighbour list -> near pairs -> find: contact points -> respond: the law -> deliver: forces, loads
//!                                   ^                        |
//!                                   +--- contact history <---+---> what observers read
//! ```
//!
//! The grains are cut into blocks ([`block_size`]). A block evaluates all contacts of its grains with grains of higher
//! index and with walls; what falls on its own grains is added at once, what falls on grains of other blocks is fetched by
//! those afterwards, block by block (`contacts/mail.rs`). So each grain's force is summed in an order that depends on the blocks alone,
//! and the bits are the same for any number of threads.
//!
//! What contacts remember, and what the last step left in them, is [`crate::state::SoftState::contacts`]. Observers read it there
//! ([`records`]): no second search.

mod at_rest;
mod attach;
mod balls;
mod blended;
mod block_work;
mod bodies;
mod build;
mod conveyors;
mod found;
mod local_curvature;
mod mail;
mod meeting;
mod near;
pub mod records;
mod respond;
mod respond_shapes;
mod revolutions;
mod shape_table;
mod shapes;
mod sub_contacts;
mod tangent_plane;
mod walls;

use crate::boundary::wall_images::WallImages;
use crate::broad::Candidates;
use crate::law::{LawTable, Losses};
use crate::model::Model;
use crate::observe::Partner;
use crate::state::{BlockContacts, ContactHistory, State};
pub use at_rest::{ElasticWrench, elastic_wrench};
use block_work::BlockWork;
pub use bodies::{Bodies, Body};
use bodies::{Frame, WallImage, effective_radius};
pub(crate) use build::Order;
use conveyors::Surfaces;
use found::Found;
use glam::DVec3;
use mail::{Outbox, Senders};
use near::{NearShapes, Odometer};
use rayon::prelude::*;
use respond::{Answers, Touch, ending};
use shape_table::{ShapeTable, SizedShape};
use shapes::ShapesRoom;
use std::cell::RefCell;
use std::ops::AddAssign;
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::lanes::{Instructions, Row, head};
use tumble_geometry::narrow::MeshPatch;
use tumble_geometry::overlap::Workspace;
use tumble_geometry::tolerance::LAW_REGION;
use walls::{WallFrame, WallsRoom};

/// Most grains in a block.
pub const LARGEST_BLOCK: usize = 512;

/// Grains with shapes are cut into so many blocks at least, if these do not get smaller than [`SMALLEST_BLOCK`] by it.
const BLOCKS_OF_SHAPES: usize = 32;

/// Fewest grains in a block but for the last one.
const SMALLEST_BLOCK: usize = 32;

/// Grains in a block. It follows from the model and the number of grains, and is part of the definition of a run's bits: another size
/// sums forces in another order. Contacts of shapes are so much work that a few hundred grains are enough for many threads; spheres
/// are so little that large blocks, of which few contacts lead to others, are faster.
pub fn block_size(model: &Model, n_grains: usize) -> usize {
    if model.species.iter().all(|species| species.shape.is_ball()) {
        return LARGEST_BLOCK;
    }
    n_grains.div_ceil(BLOCKS_OF_SHAPES).clamp(SMALLEST_BLOCK, LARGEST_BLOCK)
}

/// So many bodies and what belongs to them are always near the processor, in its cache.
const BODIES_NEARBY: usize = 20_000;

/// Force and torque, in rows of four numbers of which the last is not used.
#[derive(Clone, Copy, Debug, Default)]
struct Wrench {
    force: Row,
    torque: Row,
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
    /// Overlap over the smallest half width of the two [1].
    pub relative_overlap: f64,
}

/// A contact that was not found to the tolerance it should have been, though it was asked for twice.
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
    /// Force and torque on the block's grains, on those of others, and on walls, while they are summed.
    wrench: Vec<Wrench>,
    begun: Vec<u32>,
    found: Vec<Found>,
    room: found::Room,
    shapes: ShapesRoom,
    walls: WallsRoom,
    workspace: Workspace,
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch {
            wrench: Vec::new(),
            begun: Vec::new(),
            found: Vec::new(),
            room: found::Room::default(),
            shapes: ShapesRoom::default(),
            walls: WallsRoom::default(),
            workspace: Workspace::for_laws(LAW_REGION),
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// What a block knows besides the history of its contacts, and what it found in the last step.
#[derive(Clone, Debug, Default)]
struct Block {
    /// How many grains it has.
    n_grains: usize,
    /// How far its grains and those nearby have come, and the blocks that these are in.
    odometer: Odometer,
    nearby: Vec<u32>,
    /// Pairs that can touch before the odometer reads `near_until`: spheres that do not touch yet, and, in the order of the
    /// candidates, all other pairs.
    near_balls: Vec<Touch>,
    near_shapes: Vec<NearShapes>,
    near_until: f64,
    /// Grains of the block that have walls nearby, or touched one in the last step.
    near_walls: Vec<u32>,
    /// If there are meshes, for every grain and wall nearby, in the order of the candidates, the triangles around the grain. They
    /// save work and change nothing.
    patches: Vec<MeshPatch>,
    /// The bodies of the contacts in the four lists of the history.
    balls: Vec<Touch>,
    balls_at_walls: Vec<Touch>,
    shapes: Vec<Touch>,
    shapes_at_walls: Vec<Touch>,
    mail: Outbox,
    answers: Answers,
    /// Force and torque on each wall about the origin of its pose.
    wall_loads: Vec<Wrench>,
    unsettled: Option<Unsettled>,
    /// Searches for common planes in the last step.
    searches: PlaneSearches,
}

impl Block {
    /// Where it sums what falls on a wall: after its own grains and those of others.
    fn wall_target(&self, wall: u32) -> u32 {
        (self.n_grains + self.mail.len()) as u32 + wall
    }

    /// The bodies of the contacts of one of [`BlockContacts::lists`].
    fn touches(&self, list: usize) -> &Vec<Touch> {
        [&self.balls, &self.balls_at_walls, &self.shapes, &self.shapes_at_walls][list]
    }

    fn touches_mut(&mut self, list: usize) -> &mut Vec<Touch> {
        [&mut self.balls, &mut self.balls_at_walls, &mut self.shapes, &mut self.shapes_at_walls][list]
    }
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
    /// Searches for common planes; none unless the contact method is one of these.
    pub searches: PlaneSearches,
}

/// What every block reads.
struct Context<'a> {
    bodies: &'a [Body],
    frames: &'a [Frame],
    ids: &'a [u32],
    first_wall: usize,
    /// All of these, to ask what they are.
    all: &'a Bodies,
    start: &'a [u32],
    partner: &'a [u32],
    wall_start: &'a [u32],
    wall_candidate: &'a [u32],
    /// Walls and their images.
    walls: &'a [WallFrame<'a>],
    wall_images: &'a [WallImage],
    /// How the surfaces of walls and their images move along themselves; empty if none does.
    conveyors: &'a Surfaces,
    n_walls: usize,
    /// `None` if all grains are spheres and the law goes by depth.
    shapes: Option<&'a ShapeTable>,
    table: &'a LawTable,
    dt: f64,
    overlap_limit: f64,
    /// Whether bodies are so many that they are asked for ahead of their contacts.
    fetches_ahead: bool,
}

impl<'a> Context<'a> {
    /// The shape of a grain that is no sphere under a depth law.
    fn general_shape(&self, grain: usize) -> Option<&'a SizedShape> {
        self.shapes.map(|shapes| shapes.get(grain)).filter(|shape| self.table.volume.is_some() || !shape.is_ball)
    }

    /// Books what is left in a contact that ended, whose place is known.
    fn end_placed(
        &self,
        first: usize,
        touch: &Touch,
        history: &ContactHistory,
        contact: usize,
        losses: &mut Losses<f64>,
    ) {
        let bodies = [first + touch.a as usize, touch.b as usize];
        let effective = effective_radius(self.bodies, self.frames, bodies);
        let memory = history.get(contact);
        let place = self.bodies[bodies[0]].position() + memory.arm;
        let conveyed = self.conveyors.along(bodies[1], self.first_wall, place, memory.normal);
        let bodies = bodies.map(|body| &self.bodies[body]);
        ending(self.table, bodies, effective, &memory, conveyed, self.dt, losses);
    }
}

/// The part of all arrays that a block writes.
struct BlockArrays<'a> {
    first: usize,
    force: &'a mut [DVec3],
    torque: &'a mut [DVec3],
    contacts: &'a mut BlockContacts,
    /// Where the odometer will stand when a pair can touch; empty unless there are shapes.
    wake: &'a mut [f64],
}

/// Neighbour lists, images, and where contacts stand: all that can be made anew from model and state.
#[derive(Clone, Debug, Default)]
pub struct ContactLists {
    /// Owned grains, images, walls.
    pub bodies: Bodies,
    candidates: Candidates,
    /// Where the odometer will stand when a pair can touch; empty unless there are shapes.
    wake: Vec<f64>,
    smallest_half_width: f64,
    /// `None` if all grains are spheres and the law goes by depth.
    shapes: Option<ShapeTable>,
    /// Walls as they are met in a periodic domain.
    pub(crate) walls: WallImages,
    /// Which walls, or images of them, each grain is near.
    wall_start: Vec<u32>,
    wall_candidate: Vec<u32>,
    block_size: usize,
    blocks: Vec<Block>,
    senders: Senders,
    /// Lost in contacts of pairs that moved apart by more than the skin in the step in which the lists were built, and
    /// so have no place to end in.
    parted: Losses<f64>,
    /// Which instructions of the processor are used; all give the same bits.
    pub instructions: Instructions,
}

impl ContactLists {
    /// No lists yet.
    pub(crate) fn new(model: &Model) -> ContactLists {
        ContactLists { walls: WallImages::new(model), ..ContactLists::default() }
    }

    fn context<'a>(
        &'a self,
        walls: &'a [WallFrame<'a>],
        conveyors: &'a Surfaces,
        n_walls: usize,
        table: &'a LawTable,
        dt: f64,
        overlap_limit: f64,
    ) -> Context<'a> {
        Context {
            bodies: &self.bodies.rows,
            frames: &self.bodies.frames,
            ids: &self.bodies.ids,
            first_wall: self.bodies.first_wall(),
            all: &self.bodies,
            start: &self.candidates.start,
            partner: &self.candidates.partner,
            wall_start: &self.wall_start,
            wall_candidate: &self.wall_candidate,
            walls,
            wall_images: &self.bodies.wall_images,
            conveyors,
            n_walls,
            shapes: self.shapes.as_ref(),
            table,
            dt,
            overlap_limit,
            fetches_ahead: self.bodies.rows.len() > BODIES_NEARBY,
        }
    }

    /// Brings images, walls and what else is derived from the grains to where they are now.
    pub fn refresh(&mut self, model: &Model, state: &State) {
        self.bodies.refresh(model, &state.walls, &state.particles, self.shapes.as_ref(), self.instructions);
    }

    /// Evaluates every contact over a step of length `dt`, commits what they remember, and sets the forces and torques of the
    /// grains and the loads of the walls. `fastest` is the largest speed of a grain's centre in the step in each block [m/s]; empty if
    /// none has moved.
    pub fn evaluate(
        &mut self,
        model: &Model,
        state: &mut State,
        table: &LawTable,
        dt: f64,
        fastest: &[f64],
    ) -> StepSummary {
        let with_turning;
        let speeds = match &self.shapes {
            // A sphere's surface goes where its centre goes.
            None => fastest,
            Some(shapes) => {
                with_turning = near::fastest(shapes, &state.particles, self.block_size);
                &with_turning
            }
        };
        if dt > 0.0 {
            for (block, &own) in self.blocks.iter_mut().zip(speeds) {
                let other = block.nearby.iter().fold(own, |fastest, &nearby| fastest.max(speeds[nearby as usize]));
                block.odometer.count(own + other, self.smallest_half_width, dt);
            }
        }
        let mut blocks = std::mem::take(&mut self.blocks);
        let mut wake = std::mem::take(&mut self.wake);
        {
            let poses = |wall: usize| state.walls[wall].pose;
            let walls = WallFrame::all(model, &self.walls, &self.bodies.wall_images, poses);
            let conveyors = Surfaces::of(model, &self.bodies.wall_images, &state.walls);
            let context = self.context(&walls, &conveyors, model.walls.len(), table, dt, model.limits.overlap);
            let mut work = Vec::with_capacity(blocks.len());
            let mut wake = wake.as_mut_slice();
            let (mut force, mut torque) = (state.particles.force.as_mut_slice(), state.particles.torque.as_mut_slice());
            for ((index, block), contacts) in blocks.iter_mut().enumerate().zip(&mut state.solver.soft_mut().contacts) {
                let first = index * self.block_size;
                let n = block.n_grains;
                let n_slots = (context.start[first + n] - context.start[first]) as usize;
                let arrays = BlockArrays {
                    first,
                    force: force.split_off_mut(..n).unwrap_or_default(),
                    torque: torque.split_off_mut(..n).unwrap_or_default(),
                    contacts,
                    wake: wake.split_off_mut(..n_slots).unwrap_or_default(),
                };
                work.push((block, arrays));
            }
            let (context, instructions) = (&context, self.instructions);
            work.into_par_iter().for_each(|(block, mut arrays)| {
                SCRATCH.with_borrow_mut(|scratch| {
                    instructions.run(BlockWork { context, block, scratch, arrays: &mut arrays });
                });
            });
        }
        (self.blocks, self.wake) = (blocks, wake);
        let blocks = &self.blocks;
        let (force, torque) = (&mut state.particles.force, &mut state.particles.torque);
        self.senders.deliver(|block| &blocks[block].mail, &self.bodies.ghosts, force, torque);

        let mut summary = StepSummary { losses: std::mem::take(&mut self.parted), ..StepSummary::default() };
        for wall in &mut state.walls {
            (wall.force, wall.torque) = (DVec3::ZERO, DVec3::ZERO);
        }
        for block in &self.blocks {
            for (wall, load) in state.walls.iter_mut().zip(&block.wall_loads) {
                wall.force += head(load.force);
                wall.torque += head(load.torque);
            }
            let Answers { losses, n_contacts, deep, .. } = block.answers;
            summary.losses += losses;
            summary.n_contacts += n_contacts;
            summary.deep = summary.deep.or(deep);
            summary.unsettled = summary.unsettled.or(block.unsettled);
            summary.searches += block.searches;
        }
        if model.planar {
            // What pushes out of the plane or tilts is taken up by the plane.
            state.particles.force.iter_mut().for_each(|force| force.z = 0.0);
            state.particles.torque.iter_mut().for_each(|torque| *torque = DVec3::Z * torque.z);
        }
        summary
    }
}
