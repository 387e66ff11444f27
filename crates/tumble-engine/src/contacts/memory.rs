//! The memory of contacts: from the state, keyed by ids, into slots and lists, and back.

use super::near::Odometer;
use super::shaped::{LiveShapedContact, ShapedPair};
use super::walls::LiveWallContact;
use super::{BLOCK, Block, ContactLists, pairs};
use crate::boundary::periodic::nearest_image;
use crate::law::LawTable;
use crate::model::Model;
use crate::state::{History, PairContact, ShapedPairContact, State, WallContact};
use glam::DVec3;
use tumble_geometry::lanes::row;

impl ContactLists {
    pub(super) fn fill_slots(&mut self, model: &Model, state: &State, table: &LawTable) {
        let n_slots = self.candidates.partner.len();
        self.history.clear();
        if self.balls_meet(table) {
            self.history.resize(n_slots, History::default());
        }
        self.rolling.clear();
        if table.rolling {
            self.rolling.resize(n_slots, DVec3::ZERO);
        }
        self.odometer = Odometer::default();
        self.wake.clear();
        if self.shapes.is_some() {
            self.wake.resize(n_slots, 0.0);
        }
        self.blocks.clear();
        self.blocks.resize_with(state.particles.len().div_ceil(BLOCK), Block::default);
        let place = state.particles.index_by_id(state.next_id);
        for contact in &state.pair_contacts {
            let (mut a, mut b) = (place[contact.a as usize], place[contact.b as usize]);
            if a == u32::MAX || b == u32::MAX {
                continue;
            }
            // Sorting may have changed which of the two comes first; the memory is that of the force on a.
            let sign = if a < b { 1.0 } else { -1.0 };
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            let mut history = History { tangential_force: contact.history.tangential_force * sign, ..contact.history };
            let mut rolling_torque = contact.rolling_torque * sign;
            match self.row(a as usize).find(|&slot| self.owner(self.candidates.partner[slot]) == b) {
                Some(slot) => {
                    self.history[slot] = history;
                    if table.rolling {
                        self.rolling[slot] = rolling_torque;
                    }
                }
                None => {
                    let (body_a, mut body_b) = (self.bodies[a as usize], self.bodies[b as usize]);
                    let offset = body_b.position() - body_a.position();
                    body_b.place += row(nearest_image(&model.domain, offset) - offset, 0.0);
                    let (dt, parted) = (state.time_step, &mut self.parted);
                    pairs::end_contact(table, &body_a, &body_b, &mut history, &mut rolling_torque, dt, parted);
                }
            }
        }
        self.fill_shaped(model, state, table, &place);
        for contact in &state.wall_contacts {
            let index = place[contact.particle as usize];
            if index != u32::MAX {
                self.blocks[index as usize / BLOCK].wall_contacts.push(LiveWallContact {
                    particle: index,
                    wall: contact.wall,
                    part: contact.part,
                    feature: contact.feature,
                    normal: contact.normal,
                    arm: contact.arm,
                    history: contact.history,
                    rolling_torque: contact.rolling_torque,
                    patch: contact.patch,
                });
            }
        }
        for (index, block) in self.blocks.iter_mut().enumerate() {
            block.wall_contacts.sort_by_key(|c| (c.particle, c.wall, c.part, c.feature));
            let first = index * BLOCK;
            let last = state.particles.len().min(first + BLOCK);
            let mut remembered = block.wall_contacts.iter().map(|c| c.particle as usize).peekable();
            for grain in first..last {
                let mut is_near = self.wall_start[grain + 1] > self.wall_start[grain];
                // A grain that was thrown beyond the skin in one step still has contacts to end.
                while remembered.next_if_eq(&grain).is_some() {
                    is_near = true;
                }
                if is_near {
                    block.near_walls.push((grain - first) as u32);
                }
            }
        }
    }

    /// Whether two plain spheres can meet: their contacts have their memory in slots.
    fn balls_meet(&self, table: &LawTable) -> bool {
        self.shapes.as_ref().is_none_or(|shapes| table.volume.is_none() && shapes.has_balls())
    }

    /// Fills the blocks' lists of contacts of shaped grains.
    fn fill_shaped(&mut self, model: &Model, state: &State, table: &LawTable, place: &[u32]) {
        for contact in &state.shaped_contacts {
            let (mut a, mut b) = (place[contact.a as usize], place[contact.b as usize]);
            if a == u32::MAX || b == u32::MAX {
                continue;
            }
            let ShapedPairContact { mut part_a, mut part_b, mut normal, mut arm, mut history, patch, .. } = *contact;
            if a > b {
                // Sorting has exchanged the two: the memory is that of the force on a. The patch is the same from either side.
                let offset = self.bodies[b as usize].position() - self.bodies[a as usize].position();
                arm -= nearest_image(&model.domain, offset);
                (a, b, part_a, part_b, normal) = (b, a, part_b, part_a, -normal);
                history.tangential_force = -history.tangential_force;
            }
            let mut live = LiveShapedContact { slot: 0, part_a, part_b, normal, arm, history, patch };
            match self.row(a as usize).find(|&slot| self.owner(self.candidates.partner[slot]) == b) {
                Some(slot) => {
                    live.slot = slot as u32;
                    self.blocks[a as usize / BLOCK].shaped_contacts.push(live);
                }
                None => {
                    let (body_a, mut body_b) = (self.bodies[a as usize], self.bodies[b as usize]);
                    let offset = body_b.position() - body_a.position();
                    body_b.place += row(nearest_image(&model.domain, offset) - offset, 0.0);
                    let Some(shapes) = &self.shapes else { continue };
                    let (dt, orientation) = (state.time_step, &state.particles.orientation);
                    ShapedPair::new(
                        [&body_a, &body_b],
                        [orientation[a as usize], orientation[b as usize]],
                        [shapes.get(a as usize), shapes.get(b as usize)],
                    )
                    .end(
                        table,
                        (body_a.material(), body_b.material()),
                        &mut live,
                        dt,
                        &mut self.parted,
                    );
                }
            }
        }
        for block in &mut self.blocks {
            block.shaped_contacts.sort_by_key(|c| (c.slot, c.part_a, c.part_b));
        }
    }

    /// Writes the memory of all touching contacts into the state, keyed by ids.
    pub fn collect(&self, state: &mut State) {
        let id = &state.particles.id;
        state.pair_contacts.clear();
        let n_touching = self.history.iter().filter(|h| h.tangential_stiffness > 0.0).count();
        state.pair_contacts.reserve_exact(n_touching);
        let n_grains = if n_touching == 0 { 0 } else { self.candidates.start.len().saturating_sub(1) };
        for a in 0..n_grains {
            for slot in self.row(a) {
                if self.history[slot].tangential_stiffness > 0.0 {
                    state.pair_contacts.push(PairContact {
                        a: id[a],
                        b: id[self.owner(self.candidates.partner[slot]) as usize],
                        history: self.history[slot],
                        rolling_torque: self.rolling.get(slot).copied().unwrap_or_default(),
                    });
                }
            }
        }
        state.shaped_contacts.clear();
        for contact in self.blocks.iter().flat_map(|block| &block.shaped_contacts) {
            let LiveShapedContact { slot, part_a, part_b, normal, arm, history, patch } = *contact;
            let a = self.grain_of_slot(slot);
            let b = self.owner(self.candidates.partner[slot as usize]) as usize;
            state.shaped_contacts.push(ShapedPairContact {
                a: id[a],
                b: id[b],
                part_a,
                part_b,
                normal,
                arm,
                history,
                patch,
            });
        }
        state.wall_contacts.clear();
        for contact in self.blocks.iter().flat_map(|block| &block.wall_contacts) {
            state.wall_contacts.push(WallContact {
                particle: id[contact.particle as usize],
                wall: contact.wall,
                feature: contact.feature,
                part: contact.part,
                normal: contact.normal,
                arm: contact.arm,
                history: contact.history,
                rolling_torque: contact.rolling_torque,
                patch: contact.patch,
            });
        }
    }
}
