//! Grains that another run has left: which of them come along, where to, and the contacts between them.
//!
//! A contact goes on where both of its bodies come along, with the springs it had: its history is turned with the grains, and
//! bears their places in the list until they have ids of their own. Across a periodic edge of the other run, the partner is in
//! the next copy, or in the same one where the edge is periodic here too. What does not touch here is left out when the lists
//! of contacts are made.

use super::{GrainList, ListedGrain};
use crate::boundary::periodic::nearest_image;
use crate::law::LawTable;
use crate::model::{Domain, Edge, Model, SpeciesIndex};
use crate::region::Region;
use crate::state::{BlockContacts, ContactHistory, ContactKey, SolverState, State};
use glam::{DQuat, DVec3};

/// Contacts that the grains of a list bring along, by places in the list and walls in the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarriedContacts {
    blocks: Vec<BlockContacts>,
}

/// What of a state comes along, and where to.
#[derive(Clone, Debug)]
pub struct Handover<'a> {
    /// The species here of each species there; `None`: there is none.
    pub species: &'a [Option<SpeciesIndex>],
    /// The space there.
    pub from: Domain,
    /// The space here.
    pub to: &'a Domain,
    /// Of which grains, by their centres; `None`: of all.
    pub region: Option<Region>,
    /// How they are turned about the origin.
    pub turn: DQuat,
    /// How far they are moved after that [m].
    pub shift: DVec3,
    /// How many stand side by side along each axis, before they are turned.
    pub copies: [u32; 3],
    /// From one copy to the next along each axis [m].
    pub spacing: DVec3,
    /// Whether they come without their velocities.
    pub at_rest: bool,
}

impl Handover<'_> {
    /// The grains in the order of their ids, copy by copy, with their contacts. A grain of a kind that is not here is an error:
    /// the number that its species has there.
    pub fn grains(&self, state: &State) -> Result<GrainList, SpeciesIndex> {
        let p = &state.particles;
        let comes = |&grain: &usize| self.region.is_none_or(|region| region.contains(p.position[grain]));
        let mut chosen: Vec<usize> = (0..p.len()).filter(comes).collect();
        chosen.sort_unstable_by_key(|&grain| p.id[grain]);
        let mut grains = Vec::with_capacity(chosen.len() * self.n_copies());
        for copy in self.all_copies() {
            for &grain in &chosen {
                let there = p.species[grain];
                let species = self.species.get(usize::from(there)).copied().flatten().ok_or(there)?;
                let moved = |vector: DVec3| if self.at_rest { DVec3::ZERO } else { self.turn * vector };
                grains.push(ListedGrain {
                    species,
                    radius: p.radius[grain],
                    position: self.turn * (p.position[grain] + self.offset(copy)) + self.shift,
                    orientation: self.turn * p.orientation[grain],
                    velocity: moved(p.velocity[grain]),
                    angular_velocity: moved(p.angular_velocity[grain]),
                });
            }
        }
        let contacts = match &state.solver {
            SolverState::Soft(soft) => self.contacts(state, &soft.contacts, &chosen),
            SolverState::Stepped(_) | SolverState::Events(_) => CarriedContacts::default(),
        };
        Ok(GrainList::of_run(grains, contacts))
    }

    fn n_copies(&self) -> usize {
        self.copies.iter().map(|&n| n as usize).product()
    }

    fn all_copies(&self) -> impl Iterator<Item = [u32; 3]> {
        let [nx, ny, nz] = self.copies;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    }

    fn number_of(&self, [x, y, z]: [u32; 3]) -> usize {
        let [nx, ny, _] = self.copies;
        x as usize + nx as usize * (y as usize + ny as usize * z as usize)
    }

    fn offset(&self, [x, y, z]: [u32; 3]) -> DVec3 {
        DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * self.spacing
    }

    fn contacts(&self, state: &State, blocks: &[BlockContacts], chosen: &[usize]) -> CarriedContacts {
        let mut place = vec![u32::MAX; state.next_id as usize];
        let mut index = vec![0; state.next_id as usize];
        for (k, &grain) in chosen.iter().enumerate() {
            let id = state.particles.id[grain] as usize;
            (place[id], index[id]) = (k as u32, grain);
        }
        let images = |a: u32, b: u32| {
            let [at_a, at_b] = [a, b].map(|id| state.particles.position[index[id as usize]]);
            self.images_between(at_b - at_a)
        };
        let mut carried = Vec::new();
        for copy in self.all_copies() {
            let here = |id: u32, copy: [u32; 3]| (self.number_of(copy) * chosen.len()) as u32 + place[id as usize];
            for block in blocks {
                let mut taken = BlockContacts::default();
                for (list, (from, to)) in block.lists().into_iter().zip(taken.lists_mut()).enumerate() {
                    *to = ContactHistory::new(from.groups);
                    for contact in 0..from.len() {
                        let ContactKey { a, b, point } = from.key(contact);
                        if place[a as usize] == u32::MAX {
                            continue;
                        }
                        let partner = if BlockContacts::is_at_walls(list) {
                            b
                        } else if place[b as usize] == u32::MAX {
                            continue;
                        } else {
                            let Some(other) = self.copy_beside(copy, images(a, b)) else { continue };
                            here(b, other)
                        };
                        let key = ContactKey { a: here(a, copy), b: partner, point };
                        to.push(key, &from.get(contact).turned(self.turn));
                    }
                }
                carried.push(taken);
            }
        }
        CarriedContacts { blocks: carried }
    }

    /// Through how many periods along each axis the partner at an offset is met.
    fn images_between(&self, offset: DVec3) -> [i64; 3] {
        let through = nearest_image(&self.from, offset) - offset;
        let periods = self.from.periods();
        std::array::from_fn(|k| periods[k].map_or(0, |period| (through[k] / period).round() as i64))
    }

    /// The copy in which a grain of a copy meets its partner; `None` if there is none.
    fn copy_beside(&self, copy: [u32; 3], images: [i64; 3]) -> Option<[u32; 3]> {
        let mut other = copy;
        for axis in 0..3 {
            if images[axis] == 0 {
                continue;
            }
            let n = i64::from(self.copies[axis]);
            let (period, length) = (self.from.periods()[axis]?, self.spacing[axis] * n as f64);
            let as_long = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
            if !as_long(self.spacing[axis], period) {
                return None;
            }
            let beside = i64::from(copy[axis]) + images[axis];
            let closes = self.turn == DQuat::IDENTITY
                && self.to.edges[axis] == Edge::Periodic
                && as_long(length, self.to.upper[axis] - self.to.lower[axis]);
            other[axis] = match beside {
                inside if (0..n).contains(&inside) => inside as u32,
                outside if closes => outside.rem_euclid(n) as u32,
                _ => return None,
            };
        }
        Some(other)
    }
}

impl CarriedContacts {
    /// Gives walls other numbers; contacts with walls that have none are left out.
    pub fn renumber_walls(&mut self, number: impl Fn(u32) -> Option<u32>) {
        for block in &mut self.blocks {
            for (list, history) in block.lists_mut().into_iter().enumerate() {
                if !BlockContacts::is_at_walls(list) {
                    continue;
                }
                let before = std::mem::replace(history, ContactHistory::new(history.groups));
                for contact in 0..before.len() {
                    let key = before.key(contact);
                    if let Some(b) = number(key.b) {
                        history.push(ContactKey { b, ..key }, &before.get(contact));
                    }
                }
            }
        }
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(BlockContacts::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The contacts of grains that got ids from a first one on, as the soft solver keeps them.
    pub(crate) fn of_grains(&self, model: &Model, grains: &GrainList, first_id: u32) -> Vec<BlockContacts> {
        let table = LawTable::new(model);
        let is_ball = |place: u32| {
            let species = grains.species_of(place as usize);
            table.volume.is_none() && model.species[usize::from(species)].shape.is_ball()
        };
        self.blocks
            .iter()
            .map(|block| {
                block.under_law(
                    &table,
                    |list, [a, b]| is_ball(a) && (BlockContacts::is_at_walls(list) || is_ball(b)),
                    |list, key| {
                        let b = if BlockContacts::is_at_walls(list) { key.b } else { first_id + key.b };
                        ContactKey { a: first_id + key.a, b, ..key }
                    },
                )
            })
            .collect()
    }
}

impl BlockContacts {
    /// The same contacts with what another law remembers of them, under keys made anew. Left out are those that it keeps in
    /// another list: `are_balls` tells whether a pair, by its old keys, is one of spheres that meet as such.
    pub(crate) fn under_law(
        &self,
        table: &LawTable,
        are_balls: impl Fn(usize, [u32; 2]) -> bool,
        rename: impl Fn(usize, ContactKey) -> ContactKey,
    ) -> BlockContacts {
        let mut after = BlockContacts::new(table.rolling);
        for (list, (from, to)) in self.lists().into_iter().zip(after.lists_mut()).enumerate() {
            for contact in 0..from.len() {
                let key = from.key(contact);
                if are_balls(list, [key.a, key.b]) == (list < 2) {
                    to.push(rename(list, key), &from.get(contact));
                }
            }
        }
        after
    }
}
