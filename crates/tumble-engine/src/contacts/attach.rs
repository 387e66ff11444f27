//! From the contacts kept in the state, known by ids, to the lists of the blocks.
//!
//! Each block of before tells where its contacts go, and each block of now gathers what comes to it; both in parallel, in an
//! order that depends on the blocks alone. This is done for some blocks at a time, and blocks of before are let go as soon as
//! nothing more comes from them, for with many grains the contacts are the larger part of all there is.

use super::bodies::{Body, effective};
use super::respond::{Touch, ending};
use super::{Block, ContactLists, Order};
use crate::Particles;
use crate::boundary::periodic::nearest_image;
use crate::law::{LawTable, Losses};
use crate::model::Model;
use crate::state::{BlockContacts, ContactHistory, ContactKey, PointKey, State, room_for};
use rayon::prelude::*;
use std::cmp::Reverse;
use tumble_geometry::lanes::row;

/// For each thread, so many blocks gather their contacts before the blocks of before that are done with are let go.
const BLOCKS_AT_ONCE: usize = 8;

/// A contact that goes on.
#[derive(Clone, Copy)]
struct Going {
    /// The block it goes to.
    block: u32,
    /// Where its pair stands in the candidate list; of a wall, which one.
    near: u32,
    /// Its place in the list of its kind in the block it comes from.
    contact: u32,
    /// Whether a and b are exchanged: sorting the grains has put b first.
    exchanged: bool,
}

/// A contact that has arrived: its bodies here, and where it comes from.
struct Arriving<'h> {
    touch: Touch,
    key: ContactKey,
    from: &'h ContactHistory,
    contact: usize,
    exchanged: bool,
}

/// What becomes of the contacts of a block of before.
struct Leaving {
    /// Those that go on, for each list, by the blocks they go to.
    going: [Vec<Going>; 4],
    /// What is lost in those that do not.
    lost: Losses<f64>,
}

/// The blocks that the contacts of a block of before can go to.
struct Reach {
    first: u32,
    last: u32,
}

/// All that is needed to tell where contacts go.
struct Attaching<'a> {
    lists: &'a ContactLists,
    model: &'a Model,
    particles: &'a Particles,
    table: &'a LawTable,
    /// The place of each id.
    place: Vec<u32>,
    dt: f64,
    order: Order,
}

impl ContactLists {
    /// Gives the contacts of the state to the blocks that their grains are in now, and ends those whose grains are too far
    /// apart to be listed or are gone.
    pub(super) fn attach(&mut self, model: &Model, state: &mut State, table: &LawTable, order: Order) {
        let mut before = std::mem::take(&mut state.solver.soft_mut().contacts);
        let mut blocks = std::mem::take(&mut self.blocks);
        let place = state.particles.index_by_id(state.next_id);
        let particles = &state.particles;
        let attaching = Attaching { lists: self, model, particles, table, place, dt: state.time_step, order };
        let reach: Vec<Reach> = before.par_iter().map(|contacts| attaching.reach(contacts)).collect();
        let by_reach = |key: fn(&Reach) -> u32| {
            let mut sources: Vec<usize> = (0..before.len()).collect();
            sources.sort_unstable_by_key(|&source| Reverse(key(&reach[source])));
            sources
        };
        // The blocks of before by where their contacts begin to go to, and by where that ends: what comes first is last.
        let (mut to_open, mut to_close) = (by_reach(|reach| reach.first), by_reach(|reach| reach.last));
        let mut leaving: Vec<Option<Leaving>> = before.iter().map(|_| None).collect();
        let mut lost = vec![Losses::default(); before.len()];
        let mut after = Vec::with_capacity(blocks.len());
        let at_once = BLOCKS_AT_ONCE * rayon::current_num_threads();
        for (wave, blocks) in blocks.chunks_mut(at_once).enumerate() {
            let first = wave * at_once;
            let end = (first + blocks.len()) as u32;
            let opened: Vec<usize> =
                std::iter::from_fn(|| to_open.pop_if(|source| reach[*source].first < end)).collect();
            let opened: Vec<(usize, Leaving)> =
                opened.into_par_iter().map(|source| (source, attaching.leave(&before[source]))).collect();
            for (source, opened) in opened {
                lost[source] = opened.lost;
                leaving[source] = Some(opened);
            }
            let sources: Vec<usize> = (0..before.len()).filter(|&source| leaving[source].is_some()).collect();
            let arrived: Vec<BlockContacts> = blocks
                .par_iter_mut()
                .enumerate()
                .map(|(k, block)| attaching.arrive(first + k, block, &sources, &leaving, &before))
                .collect();
            after.extend(arrived);
            while let Some(source) = to_close.pop_if(|source| reach[*source].last < end) {
                (before[source], leaving[source]) = (BlockContacts::default(), None);
            }
        }
        let lost = lost.into_iter().fold(Losses::default(), |mut sum, lost| {
            sum += lost;
            sum
        });
        self.blocks = blocks;
        self.parted += lost;
        state.solver.soft_mut().contacts = after;
    }
}

impl Attaching<'_> {
    /// Where the contacts of a block of before go.
    fn leave(&self, contacts: &BlockContacts) -> Leaving {
        let mut lost = Losses::default();
        let mut going: [Vec<Going>; 4] = Default::default();
        for (list, going) in going.iter_mut().enumerate() {
            let history = contacts.lists()[list];
            going.reserve_exact(history.len());
            for contact in 0..history.len() {
                going.extend(if BlockContacts::is_at_walls(list) {
                    self.at_wall(history, contact)
                } else {
                    self.pair(history, contact, &mut lost)
                });
            }
            going.sort_by_key(|going| going.block);
        }
        Leaving { going, lost }
    }

    /// Where the contacts of a block of before can go: to the block of one grain or of the other.
    fn reach(&self, contacts: &BlockContacts) -> Reach {
        // Of a block whose grains are all gone nothing goes anywhere.
        let mut reach = Reach { first: u32::MAX, last: 0 };
        for (list, history) in contacts.lists().into_iter().enumerate() {
            let n_grains = if BlockContacts::is_at_walls(list) { 1 } else { 2 };
            let ids = history.pairs.iter().flat_map(|pair| &pair[..n_grains]);
            for place in ids.map(|&id| self.place[id as usize]).filter(|&place| place != u32::MAX) {
                let block = place / self.lists.block_size as u32;
                reach = Reach { first: reach.first.min(block), last: reach.last.max(block) };
            }
        }
        reach
    }

    fn at_wall(&self, history: &ContactHistory, contact: usize) -> Option<Going> {
        let [a, wall] = history.pairs[contact];
        let grain = self.place[a as usize];
        let block = grain / self.lists.block_size as u32;
        (grain != u32::MAX).then_some(Going { block, near: wall, contact: contact as u32, exchanged: false })
    }

    fn pair(&self, history: &ContactHistory, contact: usize, lost: &mut Losses<f64>) -> Option<Going> {
        let ids = history.pairs[contact];
        let [a, b] = ids.map(|id| self.place[id as usize]);
        if a == u32::MAX || b == u32::MAX {
            return None;
        }
        let going = |block: u32, near: u32, exchanged: bool| Going {
            block: block / self.lists.block_size as u32,
            near,
            contact: contact as u32,
            exchanged,
        };
        if let Some(slot) = self.slot(a, ids[1]) {
            return Some(going(a, slot, false));
        }
        if let Some(slot) = self.slot(b, ids[0]) {
            return Some(going(b, slot, true));
        }
        let [body_a, mut body_b] = [a, b].map(|grain| self.body(grain));
        let offset = body_b.position() - body_a.position();
        let nearest = nearest_image(&self.model.domain, offset);
        body_b.place += row(nearest - offset, 0.0);
        let effective = effective([a, b].map(|grain| match &self.lists.shapes {
            Some(shapes) => shapes.get(grain as usize).contact_radius,
            None => self.particles.radius[grain as usize],
        }));
        let mut memory = history.get(contact);
        if !history.groups.place {
            memory.normal = nearest.normalize_or_zero();
            memory.arm = memory.normal * body_a.radius();
        }
        ending(self.table, [&body_a, &body_b], effective, &memory, glam::DVec3::ZERO, self.dt, lost);
        None
    }

    /// A grain or an image of one.
    fn body(&self, index: u32) -> Body {
        self.lists.bodies.grain(self.model, self.particles, self.lists.shapes.as_ref(), index as usize)
    }

    /// The image of a wall that a grain is near now.
    fn wall_image(&self, grain: u32, wall: u32) -> u32 {
        let lists = self.lists;
        let near = lists.wall_start[grain as usize] as usize..lists.wall_start[grain as usize + 1] as usize;
        let mut images = lists.wall_candidate[near].iter().copied();
        images.find(|&image| lists.bodies.wall_images[image as usize].wall == wall).unwrap_or(wall)
    }

    /// Where a grain is listed with one of another id.
    fn slot(&self, grain: u32, id: u32) -> Option<u32> {
        let (candidates, ids) = (&self.lists.candidates, &self.lists.bodies.ids);
        let mut row = candidates.start[grain as usize]..candidates.start[grain as usize + 1];
        row.find(|&slot| ids[candidates.partner[slot as usize] as usize] == id)
    }

    /// Gathers the contacts of a block, and tells which of its grains have walls nearby.
    fn arrive(
        &self,
        index: usize,
        block: &mut Block,
        sources: &[usize],
        leaving: &[Option<Leaving>],
        before: &[BlockContacts],
    ) -> BlockContacts {
        let mut contacts = BlockContacts::new(self.table.rolling);
        let first = index * self.lists.block_size;
        let mut arriving: Vec<Arriving> = Vec::new();
        for list in 0..4 {
            arriving.clear();
            for &source in sources {
                let Some(Leaving { going, .. }) = &leaving[source] else { continue };
                let going = &going[list];
                let begin = going.partition_point(|going| (going.block as usize) < index);
                let history = before[source].lists()[list];
                let here = going[begin..].iter().take_while(|going| going.block as usize == index);
                arriving.extend(here.map(|going| self.arriving(first, block, history, going, list)));
            }
            if self.order == Order::New {
                arriving.sort_unstable_by_key(|Arriving { touch, key, .. }| {
                    let grain = if BlockContacts::is_at_walls(list) { touch.a } else { 0 };
                    (grain, touch.near, key.point)
                });
            }
            let touches = block.touches_mut(list);
            touches.reserve_exact(room_for(arriving.len()));
            touches.extend(arriving.iter().map(|arriving| arriving.touch));
            let history = &mut *contacts.lists_mut()[list];
            history.reserve(arriving.len());
            for Arriving { touch, key, from, contact, exchanged } in &arriving {
                if *exchanged {
                    let [a, b] = [first as u32 + touch.a, touch.b].map(|body| self.body(body));
                    // What is kept is the force on a, who was b.
                    history.push(*key, &from.get(*contact).exchanged(a.position() - b.position()));
                } else {
                    history.push_from(*key, from, *contact);
                }
            }
        }
        let touches = block.balls_at_walls.iter().chain(&block.shapes_at_walls);
        let mut remembered = vec![false; block.n_grains];
        touches.for_each(|touch| remembered[touch.a as usize] = true);
        // A grain that was thrown beyond the skin in one step still has contacts to end.
        let near = |local: &u32| {
            let grain = first + *local as usize;
            self.lists.wall_start[grain + 1] > self.lists.wall_start[grain] || remembered[*local as usize]
        };
        block.near_walls = (0..block.n_grains as u32).filter(near).collect();
        contacts
    }

    fn arriving<'h>(
        &self,
        first: usize,
        block: &Block,
        from: &'h ContactHistory,
        going: &Going,
        list: usize,
    ) -> Arriving<'h> {
        let &Going { near, contact, exchanged, .. } = going;
        let mut key = from.key(contact as usize);
        if exchanged {
            let ContactKey { a, b, point: PointKey { parts: [part_a, part_b], feature } } = key;
            key = ContactKey { a: b, b: a, point: PointKey { parts: [part_b, part_a], feature } };
        }
        let a = self.place[key.a as usize] - first as u32;
        let (b, target) = if BlockContacts::is_at_walls(list) {
            (self.lists.bodies.first_wall() as u32 + self.wall_image(first as u32 + a, near), block.wall_target(near))
        } else {
            let partner = self.lists.candidates.partner[near as usize];
            (partner, block.mail.target(first, block.n_grains, partner))
        };
        Arriving { touch: Touch { a, b, target, near }, key, from, contact: contact as usize, exchanged }
    }
}
