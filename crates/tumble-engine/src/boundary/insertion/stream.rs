//! Grains that come in one after the other at a given rate, at random places of a region that are free at the time.
//!
//! Which size and species the k-th grain has is a function of the seed, the insertion's name and k alone. A grain that
//! finds no room keeps its turn and its size until it does; otherwise small grains would win over large ones and the
//! sizes that come in would not be those asked for.
//!
//! Room is looked for by bounding balls first. Long rods and thin discs fill little of theirs: where balls find no room,
//! the shapes themselves are tried, a new place and orientation each time. Of many orientations those that fit in
//! between are taken, so that a crowded stream is a little more aligned with what is there than it would be by chance.

use super::placer::Placer;
use super::shares::species_of_number;
use super::{Insertion, NewGrain, Plan, Surroundings};
use crate::model::SpeciesIndex;
use crate::random::Random;
use crate::region::Region;
use crate::state::InserterState;
use glam::{DQuat, DVec3};
use tumble_geometry::narrow::contact_within;
use tumble_geometry::{Pose, Shape};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Attempts to place a grain at one call. It has another chance in the next step, when others have moved on.
const ATTEMPTS: u32 = 200;

/// Attempts by the shapes themselves.
const ATTEMPTS_BY_SHAPE: u32 = 20;

/// How far apart new grains are at least when their shapes are looked at, over the radius.
const GAP: f64 = 1e-6;

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
        let radius = size_of_number(surroundings, insertion, species, inserter.inserted);
        if let Some(position) = placer.place(region, radius, ATTEMPTS, random) {
            grains.push(insertion.grain(species, radius, position, surroundings.planar, random));
        } else if let Some(grain) =
            by_shape(surroundings, insertion, &placer, region, (species, radius), random, &grains)
        {
            placer.add(NEW, grain.position, radius);
            grains.push(grain);
        } else {
            break;
        }
        inserter.inserted += 1;
    }
    inserter.waiting = due.saturating_sub(inserter.inserted);
    grains
}

/// What the placer calls the grains of this call, which are looked for by their places.
const NEW: u32 = u32::MAX;

/// A grain at a random place and orientation at which no shape touches it, though bounding balls may.
fn by_shape(
    surroundings: &Surroundings,
    insertion: &Insertion,
    placer: &Placer,
    region: &Region,
    (species, radius): (SpeciesIndex, f64),
    random: &mut Random,
    others: &[NewGrain],
) -> Option<NewGrain> {
    let existing = surroundings.existing?;
    let shape_of = |species: SpeciesIndex, radius: f64| {
        let shape = &surroundings.species[species as usize].shape;
        shape.scaled(radius / shape.bounding_radius())
    };
    let own = shape_of(species, radius);
    let is_periodic = surroundings.domain.periods().iter().any(Option::is_some);
    if surroundings.planar || matches!(own, Shape::Sphere(_)) {
        return None;
    }
    for _ in 0..ATTEMPTS_BY_SHAPE {
        let Some(position) = placer.any_place(region, radius, random) else { continue };
        let grain = insertion.grain(species, radius, position, surroundings.planar, random);
        let touches = |other: &Shape, offset: DVec3, orientation: DQuat| {
            let pose = Pose::new(DVec3::ZERO, grain.orientation).relative(&Pose::new(-offset, orientation));
            !matches!(contact_within(&own, other, &pose, None, GAP * radius), Ok(None))
        };
        // Grains of this call have no index yet: all whose balls may touch are looked at, and across a periodic edge the
        // balls decide.
        let among_new = || {
            others.iter().any(|other| {
                let offset = position - other.position;
                let reach = radius + other.radius;
                offset.length_squared() < reach * reach
                    && touches(&shape_of(other.species, other.radius), offset, other.orientation)
            })
        };
        let is_free = placer.none_overlapping(position, radius, |name, offset| {
            let index = name as usize;
            if name == NEW {
                return is_periodic;
            }
            touches(&shape_of(existing.species[index], existing.radius[index]), offset, existing.orientation[index])
        });
        if is_free && !among_new() {
            return Some(grain);
        }
    }
    None
}

/// Size of the grain with a number, the same however often it is asked.
fn size_of_number(surroundings: &Surroundings, insertion: &Insertion, species: SpeciesIndex, number: u64) -> f64 {
    let stream = xxh3_64_with_seed(insertion.name.as_bytes(), surroundings.seed);
    insertion.draw_radius(species, &mut Random::from_seed(xxh3_64_with_seed(&number.to_le_bytes(), stream)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::insertion::SizeDistribution;
    use crate::model::Species;
    use crate::observe::fixture;

    #[test]
    fn rods_come_in_where_their_balls_have_no_room_and_touch_nothing() {
        let mut model = fixture::model();
        let rod = Shape::cylinder(0.004, 0.2).unwrap();
        model.species = vec![Species::new("rod", &rod, 0)];
        let radius = model.species[0].shape.bounding_radius();
        let region = Region::Box { lower: DVec3::ZERO, upper: DVec3::splat(0.5) };
        let insertion = Insertion {
            name: "rods".into(),
            plan: Plan::Stream { region, rate: 1e6, start: 0.0, count: Some(200) },
            species: vec![(0, 1.0)],
            size: SizeDistribution::Fixed(radius),
            velocity: DVec3::ZERO,
            velocity_spread: 0.0,
            angular_velocity: DVec3::ZERO,
            orientation: None,
        };
        let mut state = fixture::state(&[]);
        let (mut inserter, mut random) = (InserterState::default(), Random::from_seed(5));
        let mut poses: Vec<Pose> = Vec::new();
        for _ in 0..100 {
            let known = fixture::state(&poses.iter().map(|pose| (pose.position, radius)).collect::<Vec<_>>());
            state.particles = known.particles;
            state.particles.species = vec![0; poses.len()];
            state.particles.orientation = poses.iter().map(|pose| pose.orientation).collect();
            let surroundings = Surroundings::new(&model, &state.particles, &|_, _| true);
            let new = grains(&surroundings, &insertion, &mut inserter, 1.0, &mut random);
            poses.extend(new.iter().map(|grain| Pose::new(grain.position, grain.orientation)));
        }
        // The balls of some twenty would fill the box to 0.38.
        assert_eq!(poses.len(), 200);
        for (k, a) in poses.iter().enumerate() {
            for b in &poses[k + 1..] {
                assert_eq!(contact_within(&rod, &rod, &a.relative(b), None, 0.0), Ok(None));
            }
        }
    }
}
