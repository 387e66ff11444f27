//! Coordination number: how many contacts a grain has.
//!
//! A contact between two grains counts for both, one with a wall for the grain. Each record counts once: a grain that
//! touches a mesh at two features has two contacts with it, one that touches its own periodic image has two.
//!
//! A rattler here is a grain with fewer than two contacts, walls included: it cannot be held in place even with
//! friction. Without friction four are needed; that share follows from [`coordination_numbers`].

use super::{ContactRecord, Partner};

/// Number of contacts of each grain, walls included.
pub fn coordination_numbers(n_particles: usize, contacts: &[ContactRecord]) -> Vec<u32> {
    let mut numbers = vec![0; n_particles];
    for contact in contacts {
        numbers[contact.a] += 1;
        if let Partner::Particle(b) = contact.partner {
            numbers[b] += 1;
        }
    }
    numbers
}

/// Summary of the coordination numbers of a set of grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordination {
    /// Mean number of contacts a grain, walls included [1]; NaN without grains.
    pub mean: f64,
    /// Mean number of contacts with other grains [1]; NaN without grains.
    pub mean_without_walls: f64,
    /// Share of the grains with fewer than two contacts, walls included [1]; NaN without grains.
    pub rattler_share: f64,
}

/// Means over all grains.
pub fn coordination(n_particles: usize, contacts: &[ContactRecord]) -> Coordination {
    let numbers = coordination_numbers(n_particles, contacts);
    let n_pairs = contacts.iter().filter(|c| matches!(c.partner, Partner::Particle(_))).count();
    let n_on_walls = contacts.len() - n_pairs;
    let n_rattlers = numbers.iter().filter(|&&z| z < 2).count();
    let n = n_particles as f64;
    Coordination {
        mean: (2 * n_pairs + n_on_walls) as f64 / n,
        mean_without_walls: (2 * n_pairs) as f64 / n,
        rattler_share: n_rattlers as f64 / n,
    }
}

/// Means over the grains of a group, whoever they touch.
pub(super) fn coordination_of(members: &[bool], contacts: &[ContactRecord]) -> Coordination {
    let numbers = coordination_numbers(members.len(), contacts);
    let of_members = || numbers.iter().zip(members).filter(|(_, is_member)| **is_member).map(|(&z, _)| z);
    let n_on_walls = contacts.iter().filter(|c| matches!(c.partner, Partner::Wall(_)) && members[c.a]).count();
    let (n, all) = (of_members().count() as f64, of_members().map(f64::from).sum::<f64>());
    Coordination {
        mean: all / n,
        mean_without_walls: (all - n_on_walls as f64) / n,
        rattler_share: of_members().filter(|&z| z < 2).count() as f64 / n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::fixture;
    use glam::DVec3;

    #[test]
    fn a_pair_counts_for_both_and_a_wall_for_the_grain() {
        let state = fixture::state(&[0.0, 1.9, 3.8, 9.0].map(|x| (DVec3::X * x, 1.0)));
        let step = DVec3::X * 1.9;
        let contacts = [
            fixture::pair(&state, 0, 1, step, -step),
            fixture::pair(&state, 1, 2, step, -step),
            fixture::on_wall(&state, 2, 0, DVec3::X * 0.9, -step),
        ];
        assert_eq!(coordination_numbers(4, &contacts), [1, 2, 2, 0]);
        let summary = coordination(4, &contacts);
        assert_eq!(summary, Coordination { mean: 1.25, mean_without_walls: 1.0, rattler_share: 0.5 });
    }

    #[test]
    fn without_grains_there_is_no_mean() {
        let summary = coordination(0, &[]);
        assert!(summary.mean.is_nan() && summary.mean_without_walls.is_nan() && summary.rattler_share.is_nan());
    }
}
