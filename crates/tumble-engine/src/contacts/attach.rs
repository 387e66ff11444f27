//! From the contacts kept in the state, known by ids, to the lists of the blocks.
//!
//! First each block of before tells where its contacts go, then each block of now gathers what comes to it; both in parallel,
//! in an order that depends on the blocks alone. Blocks of before are let go as soon as nothing more comes from them, for with
//! many grains the contacts are the larger part of all there is.

use super::bodies::effective_radius;
use super::respond::{Touch, ending};
use super::{BLOCK, Block, ContactLists, Order};
use crate::boundary::periodic::nearest_image;
use crate::law::{LawTable, Losses};
use crate::model::Model;
use crate::state::{BlockContacts, ContactHistory, ContactKey, State};
use rayon::prelude::*;
use std::cmp::Reverse;
use tumble_geometry::lanes::row;

/// So many blocks gather their contacts before the blocks of before that are done with are let go.
const BLOCKS_AT_ONCE: usize = 64;

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
    /// The last block that something goes to.
    last: Option<u32>,
}

/// All that is needed to tell where contacts go.
struct Attaching<'a> {
    lists: &'a ContactLists,
    model: &'a Model,
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
        let attaching = Attaching { lists: self, model, table, place, dt: state.time_step, order };
        let leaving: Vec<Leaving> = before.par_iter().map(|contacts| attaching.leave(contacts)).collect();
        // For each block those that something comes from, ascending.
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        for (source, leaving) in leaving.iter().enumerate() {
            for going in leaving.going.iter().flatten() {
                let sources = &mut sources[going.block as usize];
                if sources.last() != Some(&(source as u32)) {
                    sources.push(source as u32);
                }
            }
        }
        // Which blocks of before can be let go next: those that are done with first are last.
        let mut done: Vec<usize> = (0..before.len()).collect();
        done.sort_unstable_by_key(|&source| Reverse(leaving[source].last));
        let mut after = Vec::with_capacity(blocks.len());
        for (wave, blocks) in blocks.chunks_mut(BLOCKS_AT_ONCE).enumerate() {
            let first = wave * BLOCKS_AT_ONCE;
            let sources = &sources[first..];
            let arrived: Vec<BlockContacts> = blocks
                .par_iter_mut()
                .zip(sources)
                .enumerate()
                .map(|(k, (block, sources))| attaching.arrive(first + k, block, sources, &leaving, &before))
                .collect();
            after.extend(arrived);
            let end = (first + blocks.len()) as u32;
            while let Some(source) = done.pop_if(|source| leaving[*source].last.is_none_or(|last| last < end)) {
                before[source] = BlockContacts::default();
            }
        }
        let lost = leaving.iter().fold(Losses::default(), |mut lost, leaving| {
            lost += leaving.lost;
            lost
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
        let last = going.iter().filter_map(|going| going.last()).map(|going| going.block).max();
        Leaving { going, lost, last }
    }

    fn at_wall(&self, history: &ContactHistory, contact: usize) -> Option<Going> {
        let key = history.keys[contact];
        let grain = self.place[key.a as usize];
        let block = grain / BLOCK as u32;
        (grain != u32::MAX).then_some(Going { block, near: key.b, contact: contact as u32, exchanged: false })
    }

    fn pair(&self, history: &ContactHistory, contact: usize, lost: &mut Losses<f64>) -> Option<Going> {
        let key = history.keys[contact];
        let [a, b] = [key.a, key.b].map(|id| self.place[id as usize]);
        if a == u32::MAX || b == u32::MAX {
            return None;
        }
        let going = |block: u32, near: u32, exchanged: bool| Going {
            block: block / BLOCK as u32,
            near,
            contact: contact as u32,
            exchanged,
        };
        if let Some(slot) = self.slot(a, key.b) {
            return Some(going(a, slot, false));
        }
        if let Some(slot) = self.slot(b, key.a) {
            return Some(going(b, slot, true));
        }
        let (rows, frames) = (&self.lists.bodies.rows, &self.lists.bodies.frames);
        let (body_a, mut body_b) = (rows[a as usize], rows[b as usize]);
        let offset = body_b.position() - body_a.position();
        let nearest = nearest_image(&self.model.domain, offset);
        body_b.place += row(nearest - offset, 0.0);
        let effective = effective_radius(rows, frames, [a as usize, b as usize]);
        let mut memory = history.get(contact);
        if !history.groups.place {
            memory.normal = nearest.normalize_or_zero();
            memory.arm = memory.normal * body_a.radius();
        }
        ending(self.table, [&body_a, &body_b], effective, &memory, self.dt, lost);
        None
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
        sources: &[u32],
        leaving: &[Leaving],
        before: &[BlockContacts],
    ) -> BlockContacts {
        let mut contacts = BlockContacts::new(self.table.rolling);
        let first = index * BLOCK;
        let mut arriving: Vec<Arriving> = Vec::new();
        for list in 0..4 {
            arriving.clear();
            for &source in sources {
                let going = &leaving[source as usize].going[list];
                let begin = going.partition_point(|going| (going.block as usize) < index);
                let history = before[source as usize].lists()[list];
                let here = going[begin..].iter().take_while(|going| going.block as usize == index);
                arriving.extend(here.map(|going| self.arriving(first, block, history, going, list)));
            }
            if self.order == Order::New {
                arriving.sort_unstable_by_key(|Arriving { touch, key, .. }| {
                    let grain = if BlockContacts::is_at_walls(list) { touch.a } else { 0 };
                    (grain, touch.near, key.parts, key.feature)
                });
            }
            let touches = block.touches_mut(list);
            touches.reserve_exact(arriving.len());
            touches.extend(arriving.iter().map(|arriving| arriving.touch));
            let history = &mut *contacts.lists_mut()[list];
            history.reserve_exact(arriving.len());
            for Arriving { touch, key, from, contact, exchanged } in &arriving {
                if *exchanged {
                    let [a, b] = [first + touch.a as usize, touch.b as usize].map(|body| &self.lists.bodies.rows[body]);
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
        let mut key = from.keys[contact as usize];
        if exchanged {
            key = ContactKey { a: key.b, b: key.a, parts: [key.parts[1], key.parts[0]], ..key };
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
