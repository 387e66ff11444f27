//! Grains that come in one after the other at a given rate, at random places of a region that are free at the time.
//!
//! Which size and species the k-th grain has is a function of the seed, the insertion's name and k alone. A grain that
//! finds no room keeps its turn and its size until it does; otherwise small grains would win over large ones and the
//! sizes that come in would not be those asked for.
//!
//! Room is looked for by bounding balls first. Long rods and thin discs fill little of theirs: where balls find no room,
//! the shapes themselves are tried, a new place and orientation each time. Of many orientations those that fit in
//! between are taken, so that a crowded stream is a little more aligned with what is there than it would be by chance.
//!
//! Where balls would leave most of the region empty, as with rods in a container not much wider than they are long, the
//! shapes come first, so that grains come from all of the region and not from its middle alone.

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
const ATTEMPTS_BY_SHAPE: u32 = 60;

/// Balls come first if their centres can take this share of the region.
const WIDE: f64 = 0.5;

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
        let balls_first = placer.share_of_centres(region, radius) >= WIDE;
        let mut found = None;
        for by_balls in [balls_first, !balls_first] {
            found = if by_balls {
                let place = placer.place(region, radius, ATTEMPTS, random);
                place.map(|place| insertion.grain(species, radius, place, surroundings.planar, random))
            } else {
                let grain = by_shape(surroundings, insertion, &placer, region, (species, radius), random, &grains);
                grain.inspect(|grain| placer.add(NEW, grain.position, radius))
            };
            if found.is_some() {
                break;
            }
        }
        let Some(grain) = found else { break };
        grains.push(grain);
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
        let place = region.sample(random);
        let position = placer.wrapped(place);
        let grain = insertion.grain(species, radius, position, surroundings.planar, random);
        if !placer.admits(region, &own, &Pose::new(place, grain.orientation), radius) {
            continue;
        }
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

    /// Lets up to 200 rods of 4 mm by 200 mm come in at once, in a hundred calls.
    fn rods_in(region: Region, clear_of_walls: &dyn Fn(&Shape, &Pose) -> bool) -> (Shape, Vec<Pose>) {
        let mut model = fixture::model();
        let rod = Shape::cylinder(0.004, 0.2).unwrap();
        model.species = vec![Species::new("rod", &rod, 0)];
        let radius = model.species[0].shape.bounding_radius();
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
            let surroundings = Surroundings::new(&model, &state.particles, clear_of_walls);
            let new = grains(&surroundings, &insertion, &mut inserter, 1.0, &mut random);
            poses.extend(new.iter().map(|grain| Pose::new(grain.position, grain.orientation)));
        }
        (rod, poses)
    }

    fn none_touches(rod: &Shape, poses: &[Pose]) -> bool {
        let apart = |a: &Pose, b: &Pose| contact_within(rod, rod, &a.relative(b), None, 0.0) == Ok(None);
        poses.iter().enumerate().all(|(k, a)| poses[k + 1..].iter().all(|b| apart(a, b)))
    }

    #[test]
    fn rods_come_in_where_their_balls_have_no_room_and_touch_nothing() {
        let region = Region::Box { lower: DVec3::ZERO, upper: DVec3::splat(0.5) };
        let (rod, poses) = rods_in(region, &|_, _| true);
        // The balls of some twenty would fill the box to 0.38.
        assert_eq!(poses.len(), 200);
        assert!(none_touches(&rod, &poses));
    }

    #[test]
    fn rods_come_from_all_of_a_region_little_wider_than_they_are_long() {
        // Above a floor. The balls alone would have their centres within 2 cm of the axis.
        let region = Region::Cylinder { from: DVec3::ZERO, to: 2.0 * DVec3::Z, radius: 0.12 };
        let ends = |pose: &Pose| [-0.1, 0.1].map(|z| pose.transform_point(DVec3::Z * z));
        let is_clear = |_: &Shape, pose: &Pose| ends(pose).iter().all(|end| end.z >= 0.2);
        let (rod, poses) = rods_in(region, &is_clear);
        assert_eq!(poses.len(), 200);
        assert!(none_touches(&rod, &poses));
        assert!(poses.iter().all(|pose| ends(pose).iter().all(|end| region.contains(*end) && end.z >= 0.2)));
        let far_out = poses.iter().filter(|pose| pose.position.truncate().length() > 0.06).count();
        // A quarter of the region is within 6 cm of the axis.
        assert!(far_out > 60, "{far_out} of 200 are far from the axis");
    }
}
