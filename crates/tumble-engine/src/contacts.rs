//! One way from a pair to a force, for grains and walls, spheres and shapes, steps and observers.
//!
//! ```text
//! neighbour list -> near pairs -> find: contact points -> respond: the law -> deliver: forces, loads
//!                                   ^                        |
//!                                   +--- contact history <---+---> what observers read
//! ```
//!
//! The grains are cut into blocks of fixed size. A block evaluates all contacts of its grains with grains of higher
//! index and with walls; what falls on its own grains is added at once, what falls on grains of other blocks is fetched by
//! those afterwards, block by block (`contacts/mail.rs`). So each grain's force is summed in an order that depends on the blocks alone,
//! and the bits are the same for any number of threads.
//!
//! What contacts remember, and what the last step left in them, is [`crate::state::SoftState::contacts`]. Observers read it there
//! ([`records`]): no second search.

mod at_rest;
mod attach;
mod balls;
mod bodies;
mod found;
mod mail;
mod near;
pub mod records;
mod respond;
mod revolutions;
mod shape_table;
mod shapes;
mod tangent_plane;
mod walls;

use crate::EngineError;
use crate::boundary::periodic::Ghosts;
use crate::boundary::wall_images::WallImages;
use crate::broad::{Balls, Candidates, TooManyPairs, find_candidates};
use crate::law::{LawTable, Losses};
use crate::model::Model;
use crate::observe::Partner;
use crate::state::{BlockContacts, ContactHistory, ContactKey, State};
pub use at_rest::{ElasticWrench, elastic_wrench};
use balls::RespondBalls;
pub use bodies::{Bodies, Body};
use bodies::{Frame, WallImage, effective_radius};
use found::{Found, go_on};
use glam::DVec3;
use mail::{Outbox, Senders};
use near::{NearShapes, Odometer};
use rayon::prelude::*;
use respond::{Answers, Forces, Touch, ending, respond};
use shape_table::{ShapeTable, SizedShape};
use shapes::{RespondShapes, ShapesRoom};
use std::cell::RefCell;
use std::ops::AddAssign;
use tumble_geometry::lanes::{Instructions, Kernel, Lanes, Row, head};
use tumble_geometry::narrow::MeshPatch;
use tumble_geometry::overlap::Workspace;
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Shape, Surface};
use walls::{WallFrame, WallsRoom};

/// Grains in a block. Part of the definition of a run's bits: another size sums forces in another order.
pub const BLOCK: usize = 512;

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
    /// Overlap over the smaller half-width [1].
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
            workspace: Workspace::with_tolerance(LAW_REGION),
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
    n_walls: usize,
    /// `None` if all grains are spheres and the law goes by depth.
    shapes: Option<&'a ShapeTable>,
    table: &'a LawTable,
    dt: f64,
    overlap_limit: f64,
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
        ending(self.table, bodies.map(|body| &self.bodies[body]), effective, &memory, self.dt, losses);
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
    blocks: Vec<Block>,
    senders: Senders,
    /// Lost in contacts of pairs that moved apart by more than the skin in the step in which the lists were built, and
    /// so have no place to end in.
    parted: Losses<f64>,
    /// Which instructions of the processor are used; all give the same bits.
    pub instructions: Instructions,
}

/// Whether contacts keep their order in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// They are those of this very list: a run goes on from a saved state.
    Kept,
    /// They are sorted as the pairs are: the list is new.
    New,
}

impl ContactLists {
    /// No lists yet.
    pub(crate) fn new(model: &Model) -> ContactLists {
        ContactLists { walls: WallImages::new(model), ..ContactLists::default() }
    }

    /// Builds the lists from the reference in the state, and lets them go on with the contacts kept there.
    pub(crate) fn build(
        &mut self,
        model: &Model,
        state: &mut State,
        table: &LawTable,
        order: Order,
    ) -> Result<(), EngineError> {
        // What the old lists hold is of no more use, and the search needs the room.
        (self.candidates, self.blocks) = (Candidates::default(), Vec::new());
        let (particles, soft) = (&state.particles, state.solver.soft());
        let only_spheres = model.species.iter().all(|s| matches!(s.shape, Shape::Sphere(_)));
        self.shapes = if only_spheres && table.volume.is_none() {
            None
        } else {
            let mut shapes = self.shapes.take().unwrap_or_default();
            shapes.update(model, particles);
            Some(shapes)
        };
        self.smallest_half_width = match &self.shapes {
            Some(shapes) => shapes.smallest_half_width(),
            None => particles.radius.iter().copied().fold(f64::INFINITY, f64::min),
        };
        // Surfaces as they are met may reach a little beyond the shape.
        let reach: Vec<f64> = match &self.shapes {
            Some(shapes) => (0..particles.len()).map(|grain| shapes.get(grain).reach).collect(),
            None => Vec::new(),
        };
        let radii = if reach.is_empty() { &particles.radius } else { &reach };
        let skin = soft.skin + table.range;
        let ghosts = Ghosts::find(&model.domain, &soft.reference.positions, radii, skin)?;
        let find = |positions: &[DVec3], radii: &[f64], ids: &[u32]| {
            let balls = Balls { positions, radii, ids, n_owned: particles.len() };
            find_candidates(model.broad_phase, &balls, skin).map_err(|TooManyPairs { n_pairs }| {
                EngineError::Model(format!(
                    "{n_pairs} pairs of grains are nearer to each other than the skin of {:.6e} m, and lists end at 2^32; \
                     use a thinner skin",
                    soft.skin
                ))
            })
        };
        self.candidates = if ghosts.is_empty() {
            find(&soft.reference.positions, radii, &particles.id)?
        } else {
            let mut positions = soft.reference.positions.clone();
            let (mut radii, mut ids) = (radii.clone(), particles.id.clone());
            for (grain, shift) in ghosts.sources() {
                positions.push(positions[grain] + shift);
                radii.push(radii[grain]);
                ids.push(ids[grain]);
            }
            find(&positions, &radii, &ids)?
        };
        let wall_images = self.find_wall_candidates(model, state, radii);
        self.bodies.build(model, state, ghosts, wall_images, self.shapes.as_ref(), self.instructions);
        self.wake.clear();
        if self.shapes.is_some() {
            self.wake.resize(self.candidates.partner.len(), 0.0);
        }
        let has_meshes = model.walls.iter().any(|wall| matches!(wall.surface, Surface::Mesh(_)));
        self.make_blocks(model.walls.len(), has_meshes);
        self.attach(model, state, table, order);
        Ok(())
    }

    /// Lists for every grain the walls it is near, or their images, and returns all of these.
    fn find_wall_candidates(&mut self, model: &Model, state: &State, radii: &[f64]) -> Vec<WallImage> {
        let soft = state.solver.soft();
        let poses = &soft.reference.wall_poses;
        let mut images: Vec<WallImage> =
            (0..model.walls.len() as u32).map(|wall| WallImage { wall, shift: DVec3::ZERO }).collect();
        let frames = WallFrame::all(model, &self.walls, &images, |wall| poses[wall]);
        let bounds: Vec<_> = (0..poses.len()).map(|wall| self.walls.bounds(model, wall, &poses[wall])).collect();
        let walls = &self.walls;
        // A grain's place in the block, and the image of a wall.
        let near: Vec<Vec<(u32, WallImage)>> = soft
            .reference
            .positions
            .par_chunks(BLOCK)
            .zip(radii.par_chunks(BLOCK))
            .map(|(positions, radii)| {
                let (mut near, mut found, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
                for (local, (&position, &radius)) in positions.iter().zip(radii).enumerate() {
                    for (wall, (frame, bounds)) in frames.iter().zip(&bounds).enumerate() {
                        walls.near(wall, bounds.as_ref(), position, radius + soft.skin, &mut shifts);
                        for &shift in &shifts {
                            if frame.is_near(position - shift, radius, soft.skin, &mut found) {
                                near.push((local as u32, WallImage { wall: wall as u32, shift }));
                            }
                        }
                    }
                }
                near
            })
            .collect();
        self.wall_start.clear();
        self.wall_candidate.clear();
        for (block, near) in near.iter().enumerate() {
            let mut entries = near.iter().peekable();
            for local in 0..BLOCK.min(state.particles.len() - block * BLOCK) {
                self.wall_start.push(self.wall_candidate.len() as u32);
                while let Some((_, image)) = entries.next_if(|entry| entry.0 == local as u32) {
                    let known = images.iter().position(|other| other == image).unwrap_or_else(|| {
                        images.push(*image);
                        images.len() - 1
                    });
                    self.wall_candidate.push(known as u32);
                }
            }
        }
        self.wall_start.push(self.wall_candidate.len() as u32);
        images
    }

    fn make_blocks(&mut self, n_walls: usize, has_meshes: bool) {
        let (n_owned, Candidates { start, partner }) = (self.bodies.n_owned, &self.candidates);
        let (wall_start, ghosts) = (&self.wall_start, &self.bodies.ghosts);
        self.blocks = (0..n_owned.div_ceil(BLOCK))
            .into_par_iter()
            .map(|index| {
                let first = index * BLOCK;
                let n_grains = BLOCK.min(n_owned - first);
                let partners = &partner[start[first] as usize..start[first + n_grains] as usize];
                let mail = Outbox::new(first, n_grains, partners);
                Block {
                    n_grains,
                    nearby: mail.blocks(n_owned, ghosts),
                    mail,
                    patches: match has_meshes {
                        true => vec![MeshPatch::default(); (wall_start[first + n_grains] - wall_start[first]) as usize],
                        false => Vec::new(),
                    },
                    wall_loads: vec![Wrench::default(); n_walls],
                    ..Block::default()
                }
            })
            .collect();
        self.senders = Senders::of(self.blocks.iter().map(|block| &block.mail), n_owned);
    }

    fn context<'a>(
        &'a self,
        walls: &'a [WallFrame<'a>],
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
            n_walls,
            shapes: self.shapes.as_ref(),
            table,
            dt,
            overlap_limit,
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
                with_turning = near::fastest(shapes, &state.particles);
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
            let context = self.context(&walls, model.walls.len(), table, dt, model.limits.overlap);
            let mut work = Vec::with_capacity(blocks.len());
            let mut wake = wake.as_mut_slice();
            let (mut force, mut torque) = (state.particles.force.as_mut_slice(), state.particles.torque.as_mut_slice());
            for ((index, block), contacts) in blocks.iter_mut().enumerate().zip(&mut state.solver.soft_mut().contacts) {
                let first = index * BLOCK;
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
        }
        if model.planar {
            // What pushes out of the plane or tilts is taken up by the plane.
            state.particles.force.iter_mut().for_each(|force| force.z = 0.0);
            state.particles.torque.iter_mut().for_each(|torque| *torque = DVec3::Z * torque.z);
        }
        summary
    }
}

/// All that a block does in a step.
struct BlockWork<'w, 'a> {
    context: &'w Context<'a>,
    block: &'w mut Block,
    scratch: &'w mut Scratch,
    arrays: &'w mut BlockArrays<'a>,
}

impl Kernel for BlockWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let BlockWork { context, block, scratch, arrays } = self;
        let Scratch { wrench, begun, found, room, shapes, walls, workspace } = scratch;
        block.answers = Answers::default();
        block.unsettled = None;
        if block.odometer.reading >= block.near_until {
            near::wake(context, block, arrays);
        }
        let (first, n) = (arrays.first, block.n_grains);
        let n_bodies = n + block.mail.len();
        wrench.clear();
        wrench.resize(n_bodies + context.n_walls, Wrench::default());
        let contacts = &mut *arrays.contacts;

        balls::find::<L>(context, block, &mut contacts.balls, first, begun);
        found.clear();
        if context.shapes.is_some() {
            if let Some(law) = context.table.volume {
                workspace.tolerance = law.region_tolerance;
            }
            shapes::find_awake(context, block, first, shapes);
            let ShapesRoom { by_parts, by_profiles, revolutions } = shapes;
            revolutions::find::<L>(context, by_profiles, block, &contacts.shapes, first, revolutions, found);
            shapes::find_by_parts(context, by_parts, block, &contacts.shapes, first, workspace, found);
            context.shapes_go_on(block, &mut contacts.shapes, first, found, room);
        }
        if block.near_walls.is_empty() {
            walls.clear();
        } else {
            let mut patches = std::mem::take(&mut block.patches);
            let histories = [&contacts.balls_at_walls, &contacts.shapes_at_walls];
            walls::find(context, block, histories, first, &mut patches, walls, workspace);
            block.patches = patches;
            context.walls_go_on(block, contacts, first, walls, room);
        }

        let BlockContacts { balls, balls_at_walls, shapes, shapes_at_walls } = contacts;
        let Block { answers, .. } = block;
        let mut forces = Forces { first, wrench, answers };
        let lists = [(None, &block.balls, balls), (Some(&walls.balls[..]), &block.balls_at_walls, balls_at_walls)];
        match (context.table.hertz, context.table.rolling) {
            (false, false) => respond_balls::<L, false, false>(context, lists, &mut forces),
            (false, true) => respond_balls::<L, false, true>(context, lists, &mut forces),
            (true, false) => respond_balls::<L, true, false>(context, lists, &mut forces),
            (true, true) => respond_balls::<L, true, true>(context, lists, &mut forces),
        }
        if context.shapes.is_some() {
            let lists =
                [(&found[..], &block.shapes, shapes), (&walls.shapes[..], &block.shapes_at_walls, shapes_at_walls)];
            if context.table.hertz {
                respond_shapes::<L, true>(context, lists, &mut forces);
            } else {
                respond_shapes::<L, false>(context, lists, &mut forces);
            }
        }

        if !block.answers.ended.is_empty() {
            balls::remove(block, &mut arrays.contacts.balls);
        }
        for ((wrench, force), torque) in wrench.iter().zip(arrays.force.iter_mut()).zip(arrays.torque.iter_mut()) {
            (*force, *torque) = (head(wrench.force), head(wrench.torque));
        }
        block.mail.put(&wrench[n..n_bodies]);
        block.wall_loads.copy_from_slice(&wrench[n_bodies..]);
    }
}

/// Contacts of one kind: where they were found, their bodies and their history.
type ContactList<'a, F> = (F, &'a Vec<Touch>, &'a mut ContactHistory);

#[inline(always)]
fn respond_balls<L: Lanes, const HERTZ: bool, const ROLLING: bool>(
    context: &Context,
    lists: [ContactList<Option<&[Found]>>; 2],
    forces: &mut Forces,
) {
    for (found, touches, history) in lists {
        respond::<L>(context, &RespondBalls::<HERTZ, ROLLING> { found }, touches, history, forces);
    }
}

#[inline(always)]
fn respond_shapes<L: Lanes, const HERTZ: bool>(
    context: &Context,
    lists: [ContactList<&[Found]>; 2],
    forces: &mut Forces,
) {
    for (found, touches, history) in lists {
        respond::<L>(context, &RespondShapes::<HERTZ> { found }, touches, history, forces);
    }
}

impl Context<'_> {
    /// Lets pairs of shapes go on with the contacts that were found.
    fn shapes_go_on(
        &self,
        block: &mut Block,
        history: &mut ContactHistory,
        first: usize,
        found: &mut [Found],
        room: &mut found::Room,
    ) {
        // Those of bodies of revolution and those found part by part stand one after the other.
        if !found.is_sorted_by_key(|found| found.touch.near) {
            found.sort_by_key(|found| (found.touch.near, found.parts, found.feature));
        }
        let key = |found: &Found| ContactKey {
            a: self.ids[first + found.touch.a as usize],
            b: self.ids[found.touch.b as usize],
            parts: found.parts,
            feature: found.feature,
        };
        let losses = &mut block.answers.losses;
        go_on(history, &mut block.shapes, found, room, key, |touch, history, contact| {
            self.end_placed(first, touch, history, contact, losses);
        });
    }

    /// Lets grains at walls go on with the contacts that were found.
    fn walls_go_on(
        &self,
        block: &mut Block,
        contacts: &mut BlockContacts,
        first: usize,
        walls: &WallsRoom,
        room: &mut found::Room,
    ) {
        let Block { balls_at_walls, shapes_at_walls, answers, .. } = block;
        let lists = [
            (&mut contacts.balls_at_walls, balls_at_walls, &walls.balls),
            (&mut contacts.shapes_at_walls, shapes_at_walls, &walls.shapes),
        ];
        let key = |found: &Found| ContactKey {
            a: self.ids[first + found.touch.a as usize],
            b: found.touch.near,
            parts: found.parts,
            feature: found.feature,
        };
        for (history, touches, found) in lists {
            go_on(history, touches, found, room, key, |touch, history, contact| {
                self.end_placed(first, touch, history, contact, &mut answers.losses);
            });
        }
    }
}
