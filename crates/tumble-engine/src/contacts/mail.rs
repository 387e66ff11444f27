//! Forces on grains of other blocks.
//!
//! A block sums what its contacts do to bodies of other blocks, images among them, in places of its own. Afterwards each
//! block fetches what the others have for its grains, block by block: the order depends on the blocks alone, and so the bits do
//! not depend on the number of threads.

use super::{BLOCK, Wrench};
use glam::DVec3;
use rayon::prelude::*;
use tumble_geometry::lanes::head;

/// What one block has for others.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// Bodies of other blocks that pairs of this one can have, ascending.
    bodies: Vec<u32>,
    /// The grain that each of these is or is an image of, with its place among the bodies, by grain.
    letters: Vec<(u32, u32)>,
    /// What falls on them.
    pub(super) wrench: Vec<Wrench>,
}

impl Outbox {
    /// For a block that begins at a grain and has these partners.
    pub(super) fn new(first: usize, n: usize, partners: &[u32], n_owned: usize, ghost_owners: &[u32]) -> Outbox {
        let is_own = |body: &u32| (first..first + n).contains(&(*body as usize));
        let mut bodies: Vec<u32> = partners.iter().copied().filter(|body| !is_own(body)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let owner = |body: u32| if (body as usize) < n_owned { body } else { ghost_owners[body as usize - n_owned] };
        let mut letters: Vec<(u32, u32)> = bodies.iter().zip(0..).map(|(&body, place)| (owner(body), place)).collect();
        letters.sort_unstable();
        let wrench = vec![Wrench::default(); bodies.len()];
        Outbox { bodies, letters, wrench }
    }

    /// Where a block of `n` grains from `first` on sums what falls on a body: its own grains first, then these.
    pub(super) fn target(&self, first: usize, n: usize, body: u32) -> u32 {
        let local = (body as usize).wrapping_sub(first);
        if local < n { local as u32 } else { (n + self.bodies.partition_point(|&other| other < body)) as u32 }
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.bodies.len()
    }
}

/// For each block the others that may have something for it, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Senders(Vec<Vec<u32>>);

impl Senders {
    pub(super) fn of<'o>(outboxes: impl Iterator<Item = &'o Outbox>, n_blocks: usize) -> Senders {
        let mut senders = vec![Vec::new(); n_blocks];
        for (block, outbox) in outboxes.enumerate() {
            let mut last = usize::MAX;
            for &(grain, _) in &outbox.letters {
                let to = grain as usize / BLOCK;
                if to != last {
                    senders[to].push(block as u32);
                    last = to;
                }
            }
        }
        Senders(senders)
    }

    /// Adds to all grains what other blocks have for them.
    pub(super) fn deliver<'o>(
        &self,
        outbox: impl Fn(u32) -> &'o Outbox + Sync,
        force: &mut [DVec3],
        torque: &mut [DVec3],
    ) {
        let chunks = force.par_chunks_mut(BLOCK).zip(torque.par_chunks_mut(BLOCK));
        self.0.par_iter().zip(chunks).enumerate().for_each(|(block, (senders, (force, torque)))| {
            let first = (block * BLOCK) as u32;
            for &sender in senders {
                let outbox = outbox(sender);
                let begin = outbox.letters.partition_point(|&(grain, _)| grain < first);
                for &(grain, place) in &outbox.letters[begin..] {
                    let Some(force) = force.get_mut((grain - first) as usize) else { break };
                    let wrench = &outbox.wrench[place as usize];
                    *force += head(wrench.force);
                    torque[(grain - first) as usize] += head(wrench.torque);
                }
            }
        });
    }
}
