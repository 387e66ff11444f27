//! The list of candidate pairs and how blocks of parallel work are put together into it.

use super::Balls;
use rayon::prelude::*;

/// Candidate pairs: for each owned grain a, its partners in ascending order.
///
/// Partner b is either an owned grain with b > a, or a ghost with a larger id; so that each pair of grains stands here
/// once, whether the ghosts are periodic images or grains that others own. A grain is never paired with its own image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Partners of a are `partner[start[a] as usize..start[a + 1] as usize]`.
    pub start: Vec<u32>,
    /// All partners.
    pub partner: Vec<u32>,
}

impl Candidates {
    /// Partners of grain a, in ascending order.
    pub fn of(&self, a: usize) -> &[u32] {
        &self.partner[self.start[a] as usize..self.start[a + 1] as usize]
    }

    /// How many pairs there are.
    pub fn n_pairs(&self) -> usize {
        self.partner.len()
    }

    /// Turns the lengths of the rows, standing in `start[a + 1]`, into where they start, and returns their sum.
    fn accumulate_lengths(&mut self) -> Result<usize, TooManyPairs> {
        let mut total = 0u64;
        for start in &mut self.start {
            total += u64::from(*start);
            // The lengths themselves are below 2^32; only their sum can be too large.
            *start = total as u32;
        }
        if total <= u64::from(u32::MAX) { Ok(total as usize) } else { Err(TooManyPairs { n_pairs: total }) }
    }
}

/// More candidate pairs than a list can hold: 2^32 or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyPairs {
    /// How many there are.
    pub n_pairs: u64,
}

/// Grains in a block of parallel work. Fixed, so that the result does not depend on the number of threads.
pub(super) const BLOCK: usize = 1024;

/// Rows found in parallel, block by block.
#[derive(Debug, Default)]
pub(super) struct RowBlocks {
    partners: Vec<Vec<u32>>,
}

impl RowBlocks {
    /// Fills the candidates: `row(a, partners)` appends the partners of a, in any order.
    pub(super) fn collect(
        &mut self,
        n_owned: usize,
        candidates: &mut Candidates,
        row: impl Fn(u32, &mut Vec<u32>) + Sync,
    ) -> Result<(), TooManyPairs> {
        candidates.start.clear();
        candidates.start.resize(n_owned + 1, 0);
        candidates.partner.clear();
        self.partners.resize_with(n_owned.div_ceil(BLOCK), Vec::new);
        let lengths = candidates.start[1..].par_chunks_mut(BLOCK);
        self.partners.par_iter_mut().zip(lengths).enumerate().for_each(|(block, (partners, lengths))| {
            partners.clear();
            for (place, length) in lengths.iter_mut().enumerate() {
                let begin = partners.len();
                row((block * BLOCK + place) as u32, partners);
                partners[begin..].sort_unstable();
                *length = (partners.len() - begin) as u32;
            }
        });
        let total = candidates.accumulate_lengths()?;
        candidates.partner.reserve_exact(total);
        for partners in self.partners.drain(..) {
            candidates.partner.extend_from_slice(&partners);
        }
        Ok(())
    }
}

/// Pairs found in parallel, block by block, in no particular order and under either grain.
#[derive(Debug, Default)]
pub(super) struct PairBlocks {
    pairs: Vec<Vec<[u32; 2]>>,
}

impl PairBlocks {
    /// Fills the candidates: `search(i, pairs)` appends the pairs [a, b], b belonging to the row of a, that the i-th
    /// of `n` searches finds. No pair may be found twice.
    pub(super) fn collect(
        &mut self,
        n: usize,
        balls: &Balls,
        candidates: &mut Candidates,
        search: impl Fn(usize, &mut Vec<[u32; 2]>) + Sync,
    ) -> Result<(), TooManyPairs> {
        self.pairs.resize_with(n.div_ceil(BLOCK), Vec::new);
        self.pairs.par_iter_mut().enumerate().for_each(|(block, pairs)| {
            pairs.clear();
            for i in block * BLOCK..n.min((block + 1) * BLOCK) {
                search(i, pairs);
            }
        });

        let n_owned = balls.n_owned;
        candidates.start.clear();
        candidates.start.resize(n_owned + 1, 0);
        for &[a, _] in self.pairs.iter().flatten() {
            candidates.start[a as usize + 1] += 1;
        }
        let total = candidates.accumulate_lengths()?;
        candidates.partner.clear();
        candidates.partner.resize(total, 0);
        // start[a] serves as the cursor of row a, ends where row a + 1 begins, and is put back afterwards.
        for &[a, b] in self.pairs.iter().flatten() {
            let cursor = &mut candidates.start[a as usize];
            candidates.partner[*cursor as usize] = b;
            *cursor += 1;
        }
        candidates.start.copy_within(0..n_owned, 1);
        candidates.start[0] = 0;
        sort_rows(&candidates.start, &mut candidates.partner);
        Ok(())
    }
}

/// Sorts every row, halving the list until the pieces are small enough for one thread.
fn sort_rows(start: &[u32], partner: &mut [u32]) {
    let n_rows = start.len() - 1;
    if n_rows > BLOCK {
        let half = n_rows / 2;
        let (left, right) = partner.split_at_mut((start[half] - start[0]) as usize);
        rayon::join(|| sort_rows(&start[..=half], left), || sort_rows(&start[half..], right));
        return;
    }
    for row in start.windows(2) {
        partner[(row[0] - start[0]) as usize..(row[1] - start[0]) as usize].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pairs_than_a_list_holds_are_counted_and_refused() {
        let mut candidates = Candidates { start: vec![0, u32::MAX - 1, 1], partner: Vec::new() };
        assert_eq!(candidates.accumulate_lengths(), Ok(u32::MAX as usize));
        let mut candidates = Candidates { start: vec![0, u32::MAX - 1, 1, u32::MAX], partner: Vec::new() };
        assert_eq!(candidates.accumulate_lengths(), Err(TooManyPairs { n_pairs: 2 * u64::from(u32::MAX) }));
    }
}
