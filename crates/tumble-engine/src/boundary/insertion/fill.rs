//! Random sequential insertion: grains are put at random places with random orientations, the large ones first; a place
//! that is taken is drawn again. When such draws seldom succeed, grains are slid into holes near by.
//!
//! Equal spheres at plain random places can be filled up to a solid fraction of 0.384, where there is no room left for
//! another (Zhang & Torquato 2013), but long before that a draw seldom succeeds. With sliding a wide region takes 0.36
//! easily and is full between 0.38 and 0.39. In a region only a few diameters wide less fits, since no centre can be near
//! its surface. Mixed sizes go further.
//!
//! Draws are made in rounds, one for each grain that has no place yet, and go through a round block by block, so that
//! neighbours in space are neighbours in time and memory is read in its order: draws all over a region of a million grains
//! would wait for the memory most of the time. Within a block the order is that of the grains, which is by chance. What a
//! draw is depends on the seed, the round and the grain alone.

use super::placer::{Body, Placer};
use super::shares::{species_of_all, species_of_number};
use super::{Amount, Halt, Insertion, NewGrain, Placing, Surroundings, Watch};
use crate::model::SpeciesIndex;
use crate::random::Random;
use crate::region::Region;
use rayon::prelude::*;

/// A region counts as full for spheres when fewer than one in so many attempts succeed.
const ATTEMPTS: u64 = 2000;

/// The same for other shapes, which cost a hundred times as much to slide: the last per cent is not worth it.
const ATTEMPTS_BY_SHAPE: u64 = 300;

/// Grains are slid when fewer than one in so many plain attempts succeed: in thin fills the places stay uniform.
const ATTEMPTS_WITHOUT_SLIDING: u64 = 50;

/// Grains whose radii differ by no more than this factor go together.
const ALIKE: f64 = 1.1;

/// Edge of the blocks that a round goes through, in radii of the largest grain.
const BLOCK: f64 = 16.0;

/// Attempts between two reports.
const REPORT_EVERY: u64 = 256;

/// More grains than this cannot have names of their own.
pub(super) const MOST_GRAINS: u64 = u32::MAX as u64;

/// A grain that has no place yet.
#[derive(Clone, Copy, Debug)]
struct Draft {
    species: SpeciesIndex,
    radius: f64,
}

pub(super) fn grains(
    surroundings: &Surroundings,
    insertion: &Insertion,
    region: &Region,
    amount: Amount,
    random: &mut Random,
    watch: &mut Watch,
) -> Result<Vec<NewGrain>, Halt> {
    let region_volume = region.volume();
    let volume = |draft: &Draft| surroundings.volume(draft.species, draft.radius);
    let mut drafts = match amount {
        Amount::Count(count) => drafts_by_count(surroundings, insertion, count, region_volume, random)?,
        Amount::Fraction(fraction) => drafts_by_volume(surroundings, insertion, fraction * region_volume, random)
            .map_err(|fault| format!("a solid fraction of {fraction} of the region {fault}"))?,
    };
    drafts.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    let mut placer = Placer::near(surroundings, region);
    if let Some(largest) = drafts.first() {
        let body = placer.body(largest.species, largest.radius);
        placer.check_fit(region, &body, insertion.orientation)?;
    }
    let mut filler = Filler {
        placer,
        insertion,
        region,
        is_planar: surroundings.planar,
        grains: Vec::with_capacity(drafts.len()),
        n_wanted: drafts.len() as u64,
    };
    let mut rest = drafts.as_slice();
    while let Some(first) = rest.first() {
        let n_alike = rest.partition_point(|draft| draft.radius * ALIKE >= first.radius);
        let (alike, others) = rest.split_at(n_alike);
        if let Some((unplaced, n_attempts)) = filler.place_all(alike, random, watch)? {
            let reached = filler.grains.iter().map(|g| surroundings.volume(g.species, g.radius)).sum::<f64>();
            let asked = drafts.iter().map(volume).sum::<f64>();
            return Err(Halt::Fault(format!(
                "only {} of {} grains were placed, a solid fraction of {:.3} of the region, where {:.3} was asked for; the \
                 next, of radius {:.4e} m, found no room in {n_attempts} attempts. Random places fill a region that is free \
                 of walls and other grains to about 0.38 with spheres, 0.25 with compact shapes and less with long or flat \
                 ones: use a larger region or fewer grains, or a lattice (spheres up to 0.74), or a stream",
                filler.grains.len(),
                drafts.len(),
                reached / region_volume,
                asked / region_volume,
                unplaced.radius
            )));
        }
        rest = others;
    }
    Ok(filler.grains)
}

/// A fill in progress.
struct Filler<'a> {
    placer: Placer<'a>,
    insertion: &'a Insertion,
    region: &'a Region,
    is_planar: bool,
    grains: Vec<NewGrain>,
    n_wanted: u64,
}

/// A draw of a place for a grain: its block, then the grain, which is the order they are made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Draw {
    block: [i32; 3],
    grain: u32,
}

impl Filler<'_> {
    /// Finds places for grains of about one size; if the region is full, a grain for which there is none, and in how many
    /// attempts fewer than one found room.
    fn place_all(
        &mut self,
        drafts: &[Draft],
        random: &mut Random,
        watch: &mut Watch,
    ) -> Result<Option<(Draft, u64)>, Halt> {
        let largest = drafts.first().map_or(0.0, |draft| draft.radius);
        let bodies: Vec<Body> = drafts.iter().map(|draft| self.placer.body(draft.species, draft.radius)).collect();
        let are_spheres = bodies.iter().all(Body::is_sphere);
        let mut waiting: Vec<u32> = (0..drafts.len() as u32).collect();
        let mut turning = None;
        let (mut n_attempts, mut n_placed, mut n_unreported) = (0, 0, 0);
        while let Some(&first) = waiting.first() {
            let seed = random.next_u64();
            // Small numbers one after the other: seeds of streams that have nothing to do with each other.
            let stream = |grain: u32| Random::from_seed(seed.wrapping_add(u64::from(grain)));
            let placer = &self.placer;
            let mut draws: Vec<Draw> = waiting
                .par_iter()
                .map(|&grain| {
                    let place = placer.sample(self.region, &bodies[grain as usize], &mut stream(grain));
                    // The conversion saturates.
                    let block = (place / (BLOCK * largest)).to_array().map(|coordinate| coordinate.floor() as i32);
                    Draw { block, grain }
                })
                .collect();
            draws.par_sort_unstable();
            waiting.clear();
            for Draw { grain, .. } in draws {
                let (draft, body, mut random) = (&drafts[grain as usize], &bodies[grain as usize], stream(grain));
                n_attempts += 1;
                if let Some(pose) = self.placer.attempt(self.region, body, self.insertion, turning, &mut random) {
                    n_placed += 1;
                    self.placer.take(body, &pose);
                    let grain = self.insertion.grain(draft.species, draft.radius, &pose, self.is_planar, &mut random);
                    self.grains.push(grain);
                } else {
                    waiting.push(grain);
                }
                n_unreported += 1;
                if n_unreported == REPORT_EVERY {
                    n_unreported = 0;
                    let placing = Placing {
                        insertion: &self.insertion.name,
                        n_placed: self.grains.len() as u64,
                        n_wanted: self.n_wanted,
                    };
                    if watch(&placing).is_break() {
                        return Err(Halt::Stopped);
                    }
                }
            }
            let patience = match turning {
                None => ATTEMPTS_WITHOUT_SLIDING,
                Some(_) if are_spheres => ATTEMPTS,
                Some(_) => ATTEMPTS_BY_SHAPE,
            };
            if n_attempts >= patience {
                if n_placed * patience < n_attempts {
                    if turning.is_some() {
                        return Ok(Some((drafts[first as usize], patience)));
                    }
                    turning = Some(self.insertion.turning(self.is_planar));
                }
                (n_attempts, n_placed) = (0, 0);
            }
        }
        Ok(None)
    }
}

fn drafts_by_count(
    surroundings: &Surroundings,
    insertion: &Insertion,
    count: u64,
    region_volume: f64,
    random: &mut Random,
) -> Result<Vec<Draft>, String> {
    // Before memory is taken for them: even the smallest would not all fit.
    let smallest = insertion.species.iter().filter(|(_, share)| *share > 0.0);
    let smallest = smallest.map(|&(species, _)| surroundings.volume(species, insertion.smallest_radius(species)));
    let least = smallest.fold(f64::INFINITY, f64::min) * count as f64;
    if count > MOST_GRAINS {
        return Err(format!("{count} grains were asked for; a run can have {MOST_GRAINS} at most"));
    }
    if least > region_volume {
        return Err(format!(
            "{count} grains take at least {least:.4e} m^3, but the region has only {region_volume:.4e} m^3; use a larger \
             region or fewer grains"
        ));
    }
    let species = species_of_all(&insertion.species, count as usize, random);
    Ok(species.into_iter().map(|species| Draft { species, radius: insertion.draw_radius(species, random) }).collect())
}

/// Draws grains until their volume is as near the target as it gets.
fn drafts_by_volume(
    surroundings: &Surroundings,
    insertion: &Insertion,
    target: f64,
    random: &mut Random,
) -> Result<Vec<Draft>, String> {
    let mut drafts = Vec::new();
    let mut left = target;
    while left > 0.0 {
        let species = species_of_number(&insertion.species, drafts.len() as u64);
        let radius = insertion.draw_radius(species, random);
        let volume = surroundings.volume(species, radius);
        if drafts.len() as u64 == MOST_GRAINS || volume * MOST_GRAINS as f64 <= left {
            return Err(format!("takes more than {MOST_GRAINS} grains; make it smaller or the grains larger"));
        }
        if volume > 2.0 * left {
            break;
        }
        drafts.push(Draft { species, radius });
        left -= volume;
    }
    if drafts.is_empty() {
        return Err("is less than half a grain; make the region larger or ask for a count".to_string());
    }
    Ok(drafts)
}
