//! From the contacts kept in the state, known by ids, to the lists of the blocks.

use super::bodies::effective_radius;
use super::respond::{Touch, ending};
use super::{BLOCK, ContactLists, Order};
use crate::boundary::periodic::nearest_image;
use crate::law::LawTable;
use crate::model::Model;
use crate::state::{BlockContacts, ContactKey, ContactMemory, State};
use tumble_geometry::lanes::row;

/// A contact that goes on: its block, what it stands after and its parts, and what is known of it.
struct Kept {
    block: u32,
    touch: Touch,
    key: ContactKey,
    memory: ContactMemory,
}

impl ContactLists {
    /// Gives the contacts of the state to the blocks that their grains are in now, and ends those whose grains are too far
    /// apart to be listed or are gone.
    pub(super) fn attach(&mut self, model: &Model, state: &mut State, table: &LawTable, order: Order) {
        let place = state.particles.index_by_id(state.next_id);
        let before = std::mem::take(&mut state.contacts);
        state.contacts = vec![BlockContacts::new(table.rolling); self.blocks.len()];
        for list in 0..4 {
            let mut kept = Vec::new();
            for contacts in &before {
                let history = contacts.lists()[list];
                for (contact, &key) in history.keys.iter().enumerate() {
                    let memory = history.get(contact);
                    let found = if BlockContacts::is_at_walls(list) {
                        self.at_wall(key, memory, &place)
                    } else {
                        self.pair(model, state, table, key, memory, &place, list)
                    };
                    kept.extend(found);
                }
            }
            match order {
                // A block's contacts stay in their order, whatever order that is.
                Order::Kept => kept.sort_by_key(|kept| kept.block),
                Order::New => {
                    kept.sort_by_key(|kept| {
                        (
                            kept.block,
                            if list % 2 == 1 { kept.touch.a } else { 0 },
                            kept.touch.near,
                            kept.key.parts,
                            kept.key.feature,
                        )
                    });
                }
            }
            for Kept { block, touch, key, memory } in kept {
                state.contacts[block as usize].lists_mut()[list].push(key, &memory);
                let block = &mut self.blocks[block as usize];
                [&mut block.balls, &mut block.balls_at_walls, &mut block.shapes, &mut block.shapes_at_walls][list]
                    .push(touch);
            }
        }
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let first = index * BLOCK;
            let touches = block.balls_at_walls.iter().chain(&block.shapes_at_walls);
            let mut remembered = vec![false; block.n_grains];
            touches.for_each(|touch| remembered[touch.a as usize] = true);
            // A grain that was thrown beyond the skin in one step still has contacts to end.
            let near = |local: &u32| {
                let grain = first + *local as usize;
                self.wall_start[grain + 1] > self.wall_start[grain] || remembered[*local as usize]
            };
            block.near_walls = (0..block.n_grains as u32).filter(near).collect();
        }
    }

    fn at_wall(&self, key: ContactKey, memory: ContactMemory, place: &[u32]) -> Option<Kept> {
        let grain = place[key.a as usize];
        if grain == u32::MAX {
            return None;
        }
        let index = grain as usize / BLOCK;
        let block = &self.blocks[index];
        let touch = Touch {
            a: grain - (index * BLOCK) as u32,
            b: self.bodies.first_wall() as u32 + key.b,
            target: (block.n_grains + block.mail.len()) as u32 + key.b,
            near: key.b,
        };
        Some(Kept { block: index as u32, touch, key, memory })
    }

    #[expect(clippy::too_many_arguments, reason = "the run, and a contact with all that is known of it")]
    fn pair(
        &mut self,
        model: &Model,
        state: &State,
        table: &LawTable,
        mut key: ContactKey,
        mut memory: ContactMemory,
        place: &[u32],
        list: usize,
    ) -> Option<Kept> {
        let (mut a, mut b) = (place[key.a as usize], place[key.b as usize]);
        if a == u32::MAX || b == u32::MAX {
            return None;
        }
        let rows = &self.bodies.rows;
        if a > b {
            // Sorting has exchanged the two: what is kept is the force on a.
            let offset = nearest_image(&model.domain, rows[b as usize].position() - rows[a as usize].position());
            memory = memory.exchanged(offset);
            (a, b) = (b, a);
            key = ContactKey { a: key.b, b: key.a, parts: [key.parts[1], key.parts[0]], ..key };
        }
        let start = &self.candidates.start;
        let mut row_of_a = start[a as usize]..start[a as usize + 1];
        let listed = row_of_a.find(|&slot| self.bodies.ids[self.candidates.partner[slot as usize] as usize] == key.b);
        let Some(slot) = listed else {
            let (body_a, mut body_b) = (rows[a as usize], rows[b as usize]);
            let offset = body_b.position() - body_a.position();
            let nearest = nearest_image(&model.domain, offset);
            body_b.place += row(nearest - offset, 0.0);
            let effective = effective_radius(rows, &self.bodies.frames, [a as usize, b as usize]);
            if list == 0 {
                memory.normal = nearest.normalize_or_zero();
                memory.arm = memory.normal * body_a.radius();
            }
            ending(table, [&body_a, &body_b], effective, &memory, state.time_step, &mut self.parted);
            return None;
        };
        let index = a as usize / BLOCK;
        let (first, block) = (index * BLOCK, &self.blocks[index]);
        let partner = self.candidates.partner[slot as usize];
        let target = block.mail.target(first, block.n_grains, partner);
        let touch = Touch { a: a - first as u32, b: partner, target, near: slot };
        Some(Kept { block: index as u32, touch, key, memory })
    }
}
