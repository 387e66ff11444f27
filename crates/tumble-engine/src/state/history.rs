//! The contact history: what touching contacts remember from one step to the next, and what the last step left for whoever
//! looks at them.
//!
//! One type serves all contacts, of grains and of walls, of spheres and of shapes. Its numbers stand in columns, one for each
//! quantity, cut into chunks of four contacts: a law that takes four contacts at a time reads and writes them as they are.
//! Groups of columns that a kind of contact has no use for are left out.

use bytemuck::{Pod, Zeroable};
use glam::{DQuat, DVec3};

/// Which contact: a pair, and which of its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactKey {
    /// Id of grain a, the one the force acts on.
    pub a: u32,
    /// Id of grain b, or the place of a wall in the model.
    pub b: u32,
    /// Which point of the pair.
    pub point: PointKey,
}

/// Which point of a pair that can touch in several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct PointKey {
    /// Which part of a and of b.
    pub parts: [u16; 2],
    /// Which feature: that of a wall's surface, or which point of two parts that touch in several.
    pub feature: u32,
}

/// Which groups of columns a history has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// Where the contact is: it cannot be told from the centres of two grains.
    pub place: bool,
    /// A rolling spring.
    pub rolling: bool,
    /// A patch with a twisting spring.
    pub patch: bool,
    /// Which point it is: two bodies can touch in several.
    pub point: bool,
}

impl Groups {
    /// Elastic part of the friction force, three columns.
    pub const TANGENTIAL_FORCE: usize = 0;
    /// Tangential stiffness.
    pub const TANGENTIAL_STIFFNESS: usize = 3;
    /// Force of the normal dashpot.
    pub const NORMAL_DASHPOT_FORCE: usize = 4;
    /// Power of the tangential dashpot.
    pub const TANGENTIAL_POWER: usize = 5;
    /// Force on a, three columns.
    pub const FORCE: usize = 6;
    /// Normal, three columns.
    pub const NORMAL: usize = 9;
    /// From a's centre to the contact point, three columns.
    pub const ARM: usize = 12;
    /// Depth.
    pub const DEPTH: usize = 15;
    /// Energy of the normal spring.
    pub const NORMAL_ENERGY: usize = 16;

    /// Couple on a, three columns.
    #[inline(always)]
    pub const fn couple(self) -> usize {
        if self.place { 17 } else { 9 }
    }

    /// Rolling torque, three columns.
    #[inline(always)]
    pub const fn rolling_torque(self) -> usize {
        self.couple() + 3
    }

    /// Torque, stiffness, twisting dashpot, the three columns of the friction dashpot of a patch, and the depth that the law had.
    #[inline(always)]
    pub const fn patch(self) -> usize {
        self.rolling_torque() + if self.rolling { 3 } else { 0 }
    }

    /// The last of these.
    #[inline(always)]
    pub const fn law_depth(self) -> usize {
        self.patch() + 6
    }

    /// How many columns there are.
    #[inline(always)]
    pub const fn width(self) -> usize {
        if self.patch {
            self.patch() + 7
        } else if self.rolling {
            self.patch()
        } else {
            self.couple()
        }
    }
}

/// All that is known of one contact from the last step; what its history has no columns for is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactMemory {
    /// Elastic part of the friction force on a [N].
    pub tangential_force: DVec3,
    /// Tangential stiffness [N/m]; 0: the contact is new.
    pub tangential_stiffness: f64,
    /// Force of the normal dashpot [N], positive when it pushes apart.
    pub normal_dashpot_force: f64,
    /// Power of the tangential dashpot [W]; where friction was at its limit, minus the power foreseen for the next step.
    pub tangential_power: f64,
    /// Force on a [N].
    pub force: DVec3,
    /// Unit normal, from a to b.
    pub normal: DVec3,
    /// From the centre of a to the contact point [m].
    pub arm: DVec3,
    /// Depth of the overlap [m].
    pub depth: f64,
    /// Energy of the normal spring [J].
    pub normal_energy: f64,
    /// Couple on a besides the moment of the force [N m].
    pub couple: DVec3,
    /// Elastic rolling torque on a [N m].
    pub rolling_torque: DVec3,
    /// What the patch remembers.
    pub patch: PatchMemory,
}

/// What the patch of a contact of shapes remembers: its twisting spring, and where friction's dashpot left off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatchMemory {
    /// Elastic torque on a about the normal [N m].
    pub torque: f64,
    /// Its stiffness [N m]; 0: there was none.
    pub stiffness: f64,
    /// What the twisting dashpot took from the torque on a [N m].
    pub twist_dashpot: f64,
    /// What the friction dashpot took from the force on a [N].
    pub dashpot: DVec3,
    /// The depth that the law had [m]: by how much bodies that give way had done so. The next search begins with it.
    pub law_depth: f64,
}

/// A vector from three columns.
fn vector(columns: &[[f64; 4]], lane: usize) -> DVec3 {
    DVec3::new(columns[0][lane], columns[1][lane], columns[2][lane])
}

impl ContactMemory {
    /// The contact in a lane of a chunk of columns.
    pub fn of(columns: &[[f64; 4]], lane: usize, groups: Groups) -> ContactMemory {
        let number = |column: usize| columns[column][lane];
        let vector = |column: usize| vector(&columns[column..], lane);
        let mut memory = ContactMemory {
            tangential_force: vector(Groups::TANGENTIAL_FORCE),
            tangential_stiffness: number(Groups::TANGENTIAL_STIFFNESS),
            normal_dashpot_force: number(Groups::NORMAL_DASHPOT_FORCE),
            tangential_power: number(Groups::TANGENTIAL_POWER),
            force: vector(Groups::FORCE),
            ..ContactMemory::default()
        };
        if groups.place {
            memory.normal = vector(Groups::NORMAL);
            memory.arm = vector(Groups::ARM);
            memory.depth = number(Groups::DEPTH);
            memory.normal_energy = number(Groups::NORMAL_ENERGY);
        }
        if groups.rolling || groups.patch {
            memory.couple = vector(groups.couple());
        }
        if groups.rolling {
            memory.rolling_torque = vector(groups.rolling_torque());
        }
        if groups.patch {
            let first = groups.patch();
            memory.patch = PatchMemory {
                torque: number(first),
                stiffness: number(first + 1),
                twist_dashpot: number(first + 2),
                dashpot: vector(first + 3),
                law_depth: number(groups.law_depth()),
            };
        }
        memory
    }

    /// The same contact, turned with both of its bodies.
    pub fn turned(&self, turn: DQuat) -> ContactMemory {
        ContactMemory {
            tangential_force: turn * self.tangential_force,
            force: turn * self.force,
            normal: turn * self.normal,
            arm: turn * self.arm,
            couple: turn * self.couple,
            rolling_torque: turn * self.rolling_torque,
            patch: PatchMemory { dashpot: turn * self.patch.dashpot, ..self.patch },
            ..*self
        }
    }

    /// The same contact with a and b exchanged. `offset` goes from a's centre to b's [m].
    pub fn exchanged(&self, offset: DVec3) -> ContactMemory {
        ContactMemory {
            tangential_force: -self.tangential_force,
            force: -self.force,
            normal: -self.normal,
            arm: self.arm - offset,
            couple: -self.couple,
            rolling_torque: -self.rolling_torque,
            // A torque about the normal keeps its sign: both turn round.
            patch: PatchMemory { dashpot: -self.patch.dashpot, ..self.patch },
            ..*self
        }
    }
}

/// The contacts of one kind in a block of grains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactHistory {
    /// Which columns there are.
    pub groups: Groups,
    /// The pairs of the contacts, a and b as in [`ContactKey`], in order.
    pub pairs: Vec<[u32; 2]>,
    /// Which points of them; empty if the groups have none.
    pub points: Vec<PointKey>,
    /// Chunks of as many columns as the groups have, of four contacts each; in the last chunk zero beyond the last contact.
    pub columns: Vec<[f64; 4]>,
}

impl ContactHistory {
    /// An empty one.
    pub fn new(groups: Groups) -> ContactHistory {
        ContactHistory { groups, ..ContactHistory::default() }
    }

    /// How many contacts there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether there are as many numbers as contacts need.
    pub fn is_whole(&self) -> bool {
        self.points.len() == if self.groups.point { self.len() } else { 0 }
            && self.columns.len() == self.len().div_ceil(4) * self.groups.width()
    }

    /// Which contact it is.
    #[inline(always)]
    pub fn key(&self, contact: usize) -> ContactKey {
        let [a, b] = self.pairs[contact];
        ContactKey { a, b, point: self.point(contact) }
    }

    /// Which point of its pair it is.
    #[inline(always)]
    pub fn point(&self, contact: usize) -> PointKey {
        self.points.get(contact).copied().unwrap_or_default()
    }

    fn push_key(&mut self, key: ContactKey) {
        self.pairs.push([key.a, key.b]);
        if self.groups.point {
            self.points.push(key.point);
        }
    }

    #[inline(always)]
    fn number(&self, contact: usize, column: usize) -> f64 {
        self.columns[contact / 4 * self.groups.width() + column][contact % 4]
    }

    /// The normal of a contact, if the history has places.
    #[inline(always)]
    pub fn normal(&self, contact: usize) -> DVec3 {
        vector(&self.columns[contact / 4 * self.groups.width() + Groups::NORMAL..], contact % 4)
    }

    /// The normal of a contact, where it was as seen from a's centre, and how deep [m], if the history has places.
    #[inline(always)]
    pub fn place(&self, contact: usize) -> (DVec3, DVec3, f64) {
        let columns = &self.columns[contact / 4 * self.groups.width()..][..self.groups.width()];
        let lane = contact % 4;
        (vector(&columns[Groups::NORMAL..], lane), vector(&columns[Groups::ARM..], lane), columns[Groups::DEPTH][lane])
    }

    /// The normal of a contact and the depth that its law had [m], if the history has places and patches.
    #[inline(always)]
    pub fn normal_and_law_depth(&self, contact: usize) -> (DVec3, f64) {
        (self.normal(contact), self.number(contact, self.groups.law_depth()))
    }

    /// Whether a contact has been answered at least once.
    pub fn is_old(&self, contact: usize) -> bool {
        self.number(contact, Groups::TANGENTIAL_STIFFNESS) > 0.0
    }

    /// All that is known of a contact.
    pub fn get(&self, contact: usize) -> ContactMemory {
        ContactMemory::of(&self.columns[contact / 4 * self.groups.width()..], contact % 4, self.groups)
    }

    /// Adds a contact at the end.
    pub fn push(&mut self, key: ContactKey, memory: &ContactMemory) {
        let (contact, groups) = (self.len(), self.groups);
        self.push_empty(key);
        let columns = &mut self.columns[contact / 4 * groups.width()..];
        let lane = contact % 4;
        let mut set = |column: usize, numbers: &[f64]| {
            for (column, &number) in columns[column..].iter_mut().zip(numbers) {
                column[lane] = number;
            }
        };
        set(Groups::TANGENTIAL_FORCE, &memory.tangential_force.to_array());
        set(
            Groups::TANGENTIAL_STIFFNESS,
            &[memory.tangential_stiffness, memory.normal_dashpot_force, memory.tangential_power],
        );
        set(Groups::FORCE, &memory.force.to_array());
        if groups.place {
            set(Groups::NORMAL, &memory.normal.to_array());
            set(Groups::ARM, &memory.arm.to_array());
            set(Groups::DEPTH, &[memory.depth, memory.normal_energy]);
        }
        if groups.rolling || groups.patch {
            set(groups.couple(), &memory.couple.to_array());
        }
        if groups.rolling {
            set(groups.rolling_torque(), &memory.rolling_torque.to_array());
        }
        if groups.patch {
            let PatchMemory { torque, stiffness, twist_dashpot, dashpot, law_depth } = memory.patch;
            set(groups.patch(), &[torque, stiffness, twist_dashpot, dashpot.x, dashpot.y, dashpot.z, law_depth]);
        }
    }

    /// Makes room for so many contacts more.
    pub fn reserve(&mut self, n: usize) {
        let total = room_for(self.len() + n);
        self.pairs.reserve_exact(total - self.len());
        if self.groups.point {
            self.points.reserve_exact(total - self.len());
        }
        self.columns.reserve_exact(total.div_ceil(4) * self.groups.width() - self.columns.len());
    }

    /// Adds a contact with nothing to remember.
    fn push_empty(&mut self, key: ContactKey) {
        if self.len() == self.pairs.capacity() {
            self.reserve(1);
        }
        if self.len().is_multiple_of(4) {
            self.columns.resize(self.columns.len() + self.groups.width(), [0.0; 4]);
        }
        self.push_key(key);
    }

    /// Adds a contact of another history with the same groups at the end, under a key.
    pub fn push_from(&mut self, key: ContactKey, from: &ContactHistory, old: usize) {
        let (contact, width) = (self.len(), self.groups.width());
        self.push_empty(key);
        let old_columns = &from.columns[old / 4 * width..];
        for (column, old_column) in self.columns[contact / 4 * width..].iter_mut().zip(old_columns) {
            column[contact % 4] = old_column[old % 4];
        }
    }

    /// Takes a contact out and puts the last one into its place.
    pub fn swap_remove(&mut self, contact: usize) {
        let last = self.len() - 1;
        let width = self.groups.width();
        for column in 0..width {
            self.columns[contact / 4 * width + column][contact % 4] = self.number(last, column);
            self.columns[last / 4 * width + column][last % 4] = 0.0;
        }
        self.pairs.swap_remove(contact);
        if self.groups.point {
            self.points.swap_remove(contact);
        }
        self.columns.truncate(last.div_ceil(4) * width);
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.points.clear();
        self.columns.clear();
    }

    /// Makes this the contacts with these keys: each goes on from a contact of another history, or begins anew.
    pub fn continue_from(
        &mut self,
        before: &ContactHistory,
        contacts: impl Iterator<Item = (ContactKey, Option<u32>)>,
    ) {
        self.clear();
        self.groups = before.groups;
        let width = self.groups.width();
        let new = (&NEW[..width], usize::MAX);
        let place = |old: u32| (&before.columns[old as usize / 4 * width..][..width], old as usize);
        let mut contacts = contacts.peekable();
        while contacts.peek().is_some() {
            // What each lane of the next chunk goes on from: its columns and its place.
            let mut from = [new; 4];
            for (from, (key, old)) in from.iter_mut().zip(&mut contacts) {
                self.push_key(key);
                *from = old.map_or(new, place);
            }
            let [(a, old_a), (b, old_b), (c, old_c), (d, old_d)] = from;
            if old_a.is_multiple_of(4) && [old_b, old_c, old_d] == [old_a + 1, old_a + 2, old_a + 3] {
                self.columns.extend_from_slice(a);
            } else {
                let columns = a.iter().zip(b).zip(c.iter().zip(d));
                self.columns
                    .extend(columns.map(|((a, b), (c, d))| [a[old_a % 4], b[old_b % 4], c[old_c % 4], d[old_d % 4]]));
            }
        }
    }
}

/// For how many contacts to have room where there are so many: a multiple of 32. There are many blocks, and they grow a little
/// at a time: to double the room would mostly be in vain, and where all sizes differ what one leaves fits no other.
pub(crate) fn room_for(n: usize) -> usize {
    n.next_multiple_of(32)
}

/// What a contact remembers that begins.
static NEW: [[f64; 4]; WIDEST] = [[0.0; 4]; WIDEST];

/// As many columns as a history can have.
const WIDEST: usize = Groups { place: true, rolling: true, patch: true, point: true }.width();

/// The contacts of a block of grains with grains of higher index and with walls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockContacts {
    /// Pairs of spheres under a depth law.
    pub balls: ContactHistory,
    /// Spheres at walls under a depth law.
    pub balls_at_walls: ContactHistory,
    /// All other pairs.
    pub shapes: ContactHistory,
    /// All other grains at walls.
    pub shapes_at_walls: ContactHistory,
}

impl BlockContacts {
    /// Empty lists. `rolling`: whether some pair resists rolling.
    pub fn new(rolling: bool) -> BlockContacts {
        let shapes = ContactHistory::new(Groups { place: true, rolling: false, patch: true, point: true });
        BlockContacts {
            balls: ContactHistory::new(Groups { place: false, rolling, patch: false, point: false }),
            balls_at_walls: ContactHistory::new(Groups { place: true, rolling, patch: false, point: true }),
            shapes: shapes.clone(),
            shapes_at_walls: shapes,
        }
    }

    /// The lists: pairs of spheres, spheres at walls, pairs of shapes, shapes at walls.
    pub fn lists(&self) -> [&ContactHistory; 4] {
        [&self.balls, &self.balls_at_walls, &self.shapes, &self.shapes_at_walls]
    }

    /// The same, to be changed.
    pub fn lists_mut(&mut self) -> [&mut ContactHistory; 4] {
        [&mut self.balls, &mut self.balls_at_walls, &mut self.shapes, &mut self.shapes_at_walls]
    }

    /// Whether a list of [`BlockContacts::lists`] is one of contacts with walls.
    pub const fn is_at_walls(list: usize) -> bool {
        list % 2 == 1
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.lists().iter().map(|list| list.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(seed: f64) -> ContactMemory {
        let v = |k: f64| DVec3::new(seed + k, seed - k, seed * k);
        ContactMemory {
            tangential_force: v(1.0),
            tangential_stiffness: seed,
            normal_dashpot_force: 2.0 * seed,
            tangential_power: 3.0 * seed,
            force: v(2.0),
            normal: v(3.0),
            arm: v(4.0),
            depth: 5.0 * seed,
            normal_energy: 6.0 * seed,
            couple: v(5.0),
            rolling_torque: v(6.0),
            patch: PatchMemory {
                torque: 7.0 * seed,
                stiffness: 8.0,
                twist_dashpot: 9.0,
                dashpot: v(7.0),
                law_depth: seed,
            },
        }
    }

    /// What of a memory a history with some groups keeps.
    fn kept(groups: Groups, memory: ContactMemory) -> ContactMemory {
        let mut kept = memory;
        if !groups.place {
            (kept.normal, kept.arm, kept.depth, kept.normal_energy) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
        }
        if !(groups.rolling || groups.patch) {
            kept.couple = DVec3::ZERO;
        }
        if !groups.rolling {
            kept.rolling_torque = DVec3::ZERO;
        }
        if !groups.patch {
            kept.patch = PatchMemory::default();
        }
        kept
    }

    #[test]
    fn every_group_keeps_what_it_is_given_whatever_comes_and_goes() {
        for bits in 0..16 {
            let [place, rolling, patch, point] = [1, 2, 4, 8].map(|bit| bits & bit > 0);
            let groups = Groups { place, rolling, patch, point };
            let point = |feature: u32| match point {
                true => PointKey { parts: [7, 8], feature },
                false => PointKey::default(),
            };
            let mut history = ContactHistory::new(groups);
            let mut expected: Vec<(u32, ContactMemory)> = Vec::new();
            for a in 0..11 {
                history.push(ContactKey { a, b: 0, point: point(a) }, &memory(f64::from(a)));
                expected.push((a, memory(f64::from(a))));
                if a % 3 == 2 {
                    history.swap_remove(a as usize / 3);
                    expected.swap_remove(a as usize / 3);
                }
                assert!(history.is_whole());
            }
            for (place, (a, memory)) in expected.iter().enumerate() {
                let key = ContactKey { a: *a, b: 0, point: point(*a) };
                assert_eq!((history.key(place), history.get(place)), (key, kept(groups, *memory)));
            }
            let mut next = ContactHistory::default();
            // Lanes that come from anywhere, and a chunk that stays as it is.
            let orders: [&[Option<u32>]; 2] = [
                &[Some(3), None, Some(0), Some(1), Some(2)],
                &[Some(0), Some(1), Some(2), Some(3), None, Some(4), Some(5), Some(6), Some(7)],
            ];
            for order in orders {
                let key = |b: u32| ContactKey { a: 0, b, point: point(b) };
                next.continue_from(&history, (0..).map(key).zip(order.iter().copied()));
                assert!(next.is_whole());
                for (place, old) in order.iter().enumerate() {
                    let expected = old.map_or_else(ContactMemory::default, |old| history.get(old as usize));
                    assert_eq!((next.key(place), next.get(place)), (key(place as u32), expected));
                }
            }
        }
    }

    #[test]
    fn a_contact_exchanged_twice_is_itself() {
        let (m, offset) = (memory(0.5), DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(m.exchanged(offset).exchanged(-offset), m);
    }
}
