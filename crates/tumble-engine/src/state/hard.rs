//! What the hard solvers keep from step to step.

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use glam::DVec3;
use xxhash_rust::xxh3::Xxh3;

/// Collisions added up since [`crate::model::HardSettings::average_after`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct CollisionTotals {
    /// Time over which they were added up [s].
    pub time: f64,
    /// Collisions of two grains.
    pub n_pairs: u64,
    /// Collisions of a grain with a wall.
    pub n_walls: u64,
    /// Sum over collisions of two grains of (place of a - place of b) x impulse on a, row by row [J s]. Over volume and time it is the
    /// collisional stress, pressure positive.
    pub collisional: [f64; 9],
    /// Integral over time of the sum over grains of m c x c, row by row [J s], with c the velocity beside the mean flow. Over volume and
    /// time it is the kinetic stress.
    pub kinetic: [f64; 9],
    /// Integral over time of the number of grains [s].
    pub grains: f64,
    /// Sum of the overlaps at collisions of two grains, each over the smaller of their smallest widths [1].
    pub overlaps: f64,
    /// The largest of them [1].
    pub largest_overlap: f64,
    /// Collisions in which the rule against inelastic collapse took part.
    pub n_collapsing: u64,
    /// Events that were taken from the queue and no longer held.
    pub n_stale: u64,
    /// Events of the neighbour search: a grain crossed into another cell, or left the reach of its list.
    pub n_transfers: u64,
}

impl CollisionTotals {
    /// Collisions, those of grains with walls included.
    pub fn n_collisions(&self) -> u64 {
        self.n_pairs + self.n_walls
    }

    /// Adds a collision of two grains: from b to a [m], impulse on a [N s].
    #[inline]
    pub(crate) fn add_pair(&mut self, from_b: DVec3, impulse: DVec3) {
        self.n_pairs += 1;
        for row in 0..3 {
            for column in 0..3 {
                self.collisional[3 * row + column] += from_b[row] * impulse[column];
            }
        }
    }

    /// Adds what grains with these masses and velocities beside the mean flow carry for a time [s].
    pub(crate) fn add_flight(&mut self, grains: impl Iterator<Item = (f64, DVec3)>, time: f64) {
        let (mut sums, mut n) = ([0.0; 6], 0.0);
        for (mass, c) in grains {
            let parts = [c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.y * c.z, c.z * c.x];
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += mass * part);
            n += 1.0;
        }
        let [xx, yy, zz, xy, yz, zx] = sums;
        let tensor = [xx, xy, zx, xy, yy, yz, zx, yz, zz];
        self.kinetic.iter_mut().zip(tensor).for_each(|(sum, part)| *sum += part * time);
        self.grains += n * time;
        self.time += time;
    }
}

/// What the stepped hard solver keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SteppedState {
    /// Collisions so far.
    pub totals: CollisionTotals,
    /// Skin of the candidate lists [m], fixed when the run began.
    pub skin: f64,
    /// Places of the grains, in their present order, when the candidate lists were built [m]; the lists are a function of these.
    pub reference: Vec<DVec3>,
    /// Time at which that was [s]: where images of sheared edges were.
    pub reference_time: f64,
    /// How often the lists were built.
    pub builds: u64,
}

impl SteppedState {
    pub(super) fn update(&self, hasher: &mut Xxh3) {
        let SteppedState { totals, skin, reference, reference_time, builds } = self;
        hasher.update(bytes_of(totals));
        hasher.update(cast_slice(&[*skin, *reference_time]));
        hasher.update(cast_slice(reference));
        hasher.update(bytes_of(builds));
    }
}

/// What the event-driven solver keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventState {
    /// Collisions so far.
    pub totals: CollisionTotals,
    /// When each grain last collided [s], in the present order; minus infinity: never.
    pub last_collision: Vec<f64>,
    /// Which grains sleep, in the present order: 1 for those that do, 0 for others.
    pub asleep: Vec<u8>,
    /// How often a grain has fallen asleep.
    pub n_fallen_asleep: u64,
    /// How often one was woken.
    pub n_woken: u64,
}

impl EventState {
    pub(super) fn update(&self, hasher: &mut Xxh3) {
        let EventState { totals, last_collision, asleep, n_fallen_asleep, n_woken } = self;
        hasher.update(bytes_of(totals));
        hasher.update(cast_slice(last_collision));
        hasher.update(asleep);
        hasher.update(cast_slice(&[*n_fallen_asleep, *n_woken]));
    }

    /// As many as there are grains, those who came last awake.
    pub(crate) fn resize(&mut self, n_grains: usize) {
        self.last_collision.resize(n_grains, f64::NEG_INFINITY);
        self.asleep.resize(n_grains, 0);
    }

    /// Lets some go.
    pub(crate) fn remove(&mut self, leaving: &[bool]) {
        let mut leaves = leaving.iter();
        self.last_collision.retain(|_| !leaves.next().is_some_and(|&leaves| leaves));
        let mut leaves = leaving.iter();
        self.asleep.retain(|_| !leaves.next().is_some_and(|&leaves| leaves));
    }

    /// Brings those of grains into another order.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        self.last_collision = order.iter().map(|&grain| self.last_collision[grain as usize]).collect();
        self.asleep = order.iter().map(|&grain| self.asleep[grain as usize]).collect();
    }

    /// How many grains sleep.
    pub fn n_asleep(&self) -> u64 {
        self.asleep.iter().map(|&asleep| u64::from(asleep)).sum()
    }
}
