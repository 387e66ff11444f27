//! What searches for common planes cost, counted.

use super::{CommonPlaneContact, EndedBy};
use std::ops::AddAssign;

/// A number of searches for common planes and what they took. The sum does not depend on the order in which it is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneSearches {
    /// Searches.
    pub n_searches: u64,
    /// Iterations of all of them together.
    pub n_iterations: u64,
    /// Iterations of the longest one.
    pub most_iterations: u64,
    /// Searches that were cut short at [`super::MOST_ITERATIONS`].
    pub n_cut_short: u64,
}

impl PlaneSearches {
    /// Counts a search.
    #[inline]
    pub fn count(&mut self, found: &CommonPlaneContact) {
        let iterations = found.iterations as u64;
        *self += PlaneSearches {
            n_searches: 1,
            n_iterations: iterations,
            most_iterations: iterations,
            n_cut_short: u64::from(found.ended_by == EndedBy::Cap),
        };
    }

    /// Iterations of a search on average; `None` if there was none.
    pub fn mean_iterations(&self) -> Option<f64> {
        (self.n_searches > 0).then(|| self.n_iterations as f64 / self.n_searches as f64)
    }
}

impl AddAssign for PlaneSearches {
    fn add_assign(&mut self, other: PlaneSearches) {
        self.n_searches += other.n_searches;
        self.n_iterations += other.n_iterations;
        self.most_iterations = self.most_iterations.max(other.most_iterations);
        self.n_cut_short += other.n_cut_short;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common_plane::{CommonPlaneOptions, MOST_ITERATIONS, contact_common_plane};
    use crate::oracle::Sequence;
    use crate::{DVec3, Shape};

    #[test]
    fn searches_add_up_in_any_order() {
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        let mut sequence = Sequence::new(7);
        let found: Vec<CommonPlaneContact> = (0..300)
            .map(|_| contact_common_plane(&cube, &cube, &sequence.pose(1.2), &CommonPlaneOptions::CUNDALL).unwrap())
            .collect();
        let mut all = PlaneSearches::default();
        found.iter().for_each(|found| all.count(found));
        let iterations = || found.iter().map(|found| found.iterations as u64);
        assert_eq!((all.n_searches, all.n_iterations), (300, iterations().sum()));
        assert_eq!(all.most_iterations, iterations().max().unwrap());
        let cut = iterations().filter(|&n| n == MOST_ITERATIONS as u64).count() as u64;
        assert_eq!(all.n_cut_short, cut);
        assert!((all.mean_iterations().unwrap() - all.n_iterations as f64 / 300.0).abs() < 1e-12);
        // In parts, the last first.
        let mut parts = [PlaneSearches::default(); 3];
        found.iter().enumerate().for_each(|(k, found)| parts[k % 3].count(found));
        let mut sum = PlaneSearches::default();
        parts.into_iter().rev().for_each(|part| sum += part);
        assert_eq!(sum, all);
        assert_eq!(PlaneSearches::default().mean_iterations(), None);
    }
}
