//! Forces on grains of other blocks, and on ghosts.
//!
//! A block sums what its contacts do to bodies of other blocks, ghosts among them, in places of its own. Afterwards each
//! block fetches what the others have for its grains, block by block, and what fell on ghosts goes back to where they came
//! from: the order depends on the blocks alone, and so the bits do not depend on the number of threads.

use super::Wrench;
use crate::boundary::periodic::Ghosts;
use crate::state::room_for;
use glam::DVec3;
use rayon::prelude::*;
use tumble_geometry::lanes::head;

/// What one block has for others.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    /// Bodies of other blocks that pairs of this one can have, ascending.
    bodies: Vec<u32>,
    /// Force and torque on each.
    wrench: Vec<[DVec3; 2]>,
}

impl Outbox {
    /// For a block that begins at a grain and has these partners.
    pub(super) fn new(first: usize, n: usize, partners: &[u32]) -> Outbox {
        let is_own = |body: &u32| (first..first + n).contains(&(*body as usize));
        let mut bodies: Vec<u32> = partners.iter().copied().filter(|body| !is_own(body)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies.shrink_to(room_for(bodies.len()));
        let mut wrench = Vec::with_capacity(room_for(bodies.len()));
        wrench.resize(bodies.len(), [DVec3::ZERO; 2]);
        Outbox { bodies, wrench }
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

    /// The blocks of a size that these bodies are in, or the grains that they are images of.
    pub(super) fn blocks(&self, n_owned: usize, ghosts: &Ghosts, block_size: usize) -> Vec<u32> {
        let block = |&body: &u32| (ghosts.grain_of(n_owned, body as usize) / block_size) as u32;
        let mut blocks: Vec<u32> = self.bodies.iter().map(block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks.shrink_to_fit();
        blocks
    }

    /// Takes what was summed.
    #[inline(always)]
    pub(super) fn put(&mut self, sums: &[Wrench]) {
        for (wrench, sum) in self.wrench.iter_mut().zip(sums) {
            *wrench = [head(sum.force), head(sum.torque)];
        }
    }

    /// What it has for the bodies from one on.
    fn from(&self, first: usize) -> impl Iterator<Item = (usize, &[DVec3; 2])> {
        let begin = self.bodies.partition_point(|&body| (body as usize) < first);
        self.bodies[begin..].iter().map(|&body| body as usize).zip(&self.wrench[begin..])
    }
}

/// For each block the others that may have something for it, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Senders {
    of_blocks: Vec<Vec<u32>>,
    block_size: usize,
}

impl Senders {
    pub(super) fn of<'o>(outboxes: impl Iterator<Item = &'o Outbox>, n_owned: usize, block_size: usize) -> Senders {
        let mut of_blocks = vec![Vec::new(); n_owned.div_ceil(block_size)];
        for (block, outbox) in outboxes.enumerate() {
            let mut last = usize::MAX;
            for &body in outbox.bodies.iter().take_while(|&&body| (body as usize) < n_owned) {
                let to = body as usize / block_size;
                if to != last {
                    of_blocks[to].push(block as u32);
                    last = to;
                }
            }
        }
        Senders { of_blocks, block_size }
    }

    /// Adds to all grains what other blocks have for them and for their images.
    pub(super) fn deliver<'o>(
        &self,
        outbox: impl Fn(usize) -> &'o Outbox + Sync,
        ghosts: &Ghosts,
        force: &mut [DVec3],
        torque: &mut [DVec3],
    ) {
        let (n_owned, block_size) = (force.len(), self.block_size);
        let chunks = force.par_chunks_mut(block_size).zip(torque.par_chunks_mut(block_size));
        self.of_blocks.par_iter().zip(chunks).enumerate().for_each(|(block, (senders, (force, torque)))| {
            let first = block * block_size;
            for &sender in senders {
                for (body, wrench) in outbox(sender as usize).from(first) {
                    let Some(force) = force.get_mut(body - first) else { break };
                    *force += wrench[0];
                    torque[body - first] += wrench[1];
                }
            }
        });
        if ghosts.is_empty() {
            return;
        }
        for block in 0..self.of_blocks.len() {
            for (body, wrench) in outbox(block).from(n_owned) {
                let grain = ghosts.grain_of(n_owned, body);
                force[grain] += wrench[0];
                torque[grain] += wrench[1];
            }
        }
    }
}
