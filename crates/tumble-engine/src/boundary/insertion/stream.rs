//! Grains that come in one after the other at a given rate, at random places of a region that are free at the time.
//!
//! Which size and species the k-th grain has is a function of the seed, the insertion's name and k alone. A grain that
//! finds no room keeps its turn and its size until it does; otherwise small grains would win over large ones and the
//! sizes that come in would not be those asked for.

use super::placer::Placer;
use super::shares::species_of_number;
use super::{Insertion, NewGrain, Plan, Surroundings};
use crate::random::Random;
use crate::state::InserterState;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Attempts to place a grain at one call. It has another chance in the next step, when others have moved on.
const ATTEMPTS: u32 = 200;

/// How many grains a plan should have brought in by a time: floor(rate (t - start)) of a stream, `count` at most; 0 for
/// other plans.
pub fn due(plan: &Plan, time: f64) -> u64 {
    match *plan {
        // The conversion saturates: nothing before the start.
        Plan::Stream { rate, start, count, .. } => {
            ((rate * (time - start)).floor() as u64).min(count.unwrap_or(u64::MAX))
        }
        _ => 0,
    }
}

pub(super) fn grains(
    surroundings: &Surroundings,
    insertion: &Insertion,
    inserter: &mut InserterState,
    time: f64,
    random: &mut Random,
) -> Vec<NewGrain> {
    let Plan::Stream { region, .. } = &insertion.plan else { return Vec::new() };
    let due = due(&insertion.plan, time);
    inserter.waiting = due.saturating_sub(inserter.inserted);
    if inserter.waiting == 0 {
        return Vec::new();
    }
    let mut placer = Placer::near(surroundings, region);
    let mut grains = Vec::new();
    while inserter.inserted < due {
        let species = species_of_number(&insertion.species, inserter.inserted);
        let radius = size_of_number(surroundings, insertion, inserter.inserted);
        let Some(position) = placer.place(region, radius, ATTEMPTS, random) else { break };
        grains.push(insertion.grain(species, radius, position, surroundings.planar, random));
        inserter.inserted += 1;
    }
    inserter.waiting = due.saturating_sub(inserter.inserted);
    grains
}

/// Size of the grain with a number, the same however often it is asked.
fn size_of_number(surroundings: &Surroundings, insertion: &Insertion, number: u64) -> f64 {
    let stream = xxh3_64_with_seed(insertion.name.as_bytes(), surroundings.seed);
    insertion.size.draw(&mut Random::from_seed(xxh3_64_with_seed(&number.to_le_bytes(), stream)))
}
