//! Grains that come in one after the other at a given rate, at random places of a region that are free at the time.
//!
//! Which size and species the k-th grain has is a function of the seed, the insertion's name and k alone. A grain that
//! finds no room keeps its turn and its size until it does; otherwise small grains would win over large ones and the
//! sizes that come in would not be those asked for.
//!
//! Room is looked for as in a fill: a random place and orientation each time, and after some vain attempts the grain is
//! slid into a hole near by. Of many orientations those that fit in between are taken, so that a crowded stream is a little
//! more aligned with what is there than it would be by chance.

use super::placer::Placer;
use super::shares::species_of_number;
use super::{Insertion, NewGrain, Plan, Surroundings};
use crate::model::SpeciesIndex;
use crate::random::Random;
use crate::state::InserterState;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Attempts to place a grain at one call. It has another chance in the next step, when others have moved on.
const ATTEMPTS: u32 = 100;

/// Attempts before the grain is slid.
const ATTEMPTS_WITHOUT_SLIDING: u32 = 50;

/// How many grains an insertion should have brought in by a time: floor(rate (t - start)) of a stream since it was switched
/// on, `count` at most, and what had come before; 0 for other plans, and for what is switched off.
pub fn due(insertion: &Insertion, inserter: &InserterState, time: f64) -> u64 {
    match insertion.plan {
        // The conversion saturates: nothing before the start.
        Plan::Stream { rate, start, count, .. } if insertion.active => {
            let own = ((rate * (time - inserter.since - start)).floor() as u64).min(count.unwrap_or(u64::MAX));
            own.saturating_add(inserter.before)
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
    let due = due(insertion, inserter, time);
    inserter.waiting = due.saturating_sub(inserter.inserted);
    if inserter.waiting == 0 {
        return Vec::new();
    }
    let mut placer = Placer::near(surroundings, region);
    let mut grains = Vec::new();
    while inserter.inserted < due {
        let species = species_of_number(&insertion.species, inserter.inserted);
        let radius = size_of_number(surroundings, insertion, species, inserter.inserted);
        let body = placer.body(species, radius);
        let pose = (0..ATTEMPTS).find_map(|attempt| {
            let turning = insertion.turning(surroundings.planar);
            let sliding = (attempt >= ATTEMPTS_WITHOUT_SLIDING).then_some(turning);
            placer.attempt(region, &body, insertion, sliding, random)
        });
        let Some(pose) = pose else { break };
        placer.take(&body, &pose);
        grains.push(insertion.grain(species, radius, &pose, surroundings.planar, random));
        inserter.inserted += 1;
    }
    inserter.waiting = due.saturating_sub(inserter.inserted);
    grains
}

/// Size of the grain with a number, the same however often it is asked.
fn size_of_number(surroundings: &Surroundings, insertion: &Insertion, species: SpeciesIndex, number: u64) -> f64 {
    let stream = xxh3_64_with_seed(insertion.name.as_bytes(), surroundings.seed);
    insertion.draw_radius(species, &mut Random::from_seed(xxh3_64_with_seed(&number.to_le_bytes(), stream)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::insertion::{ClearOfWalls, SizeDistribution};
    use crate::model::Species;
    use crate::observe::fixture;
    use crate::region::Region;
    use glam::DVec3;
    use tumble_geometry::narrow::contact_within;
    use tumble_geometry::{Pose, Shape};

    /// Lets up to 200 rods of 4 mm by 200 mm come in at once, in a hundred calls.
    fn rods_in(region: Region, clear_of_walls: &ClearOfWalls) -> (Shape, Vec<Pose>) {
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
            active: true,
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
        let (rod, poses) = rods_in(region, &|_, _, _| true);
        // The balls of some twenty would fill the box to 0.38.
        assert_eq!(poses.len(), 200);
        assert!(none_touches(&rod, &poses));
    }

    #[test]
    fn rods_come_from_all_of_a_region_little_wider_than_they_are_long() {
        // Above a floor. The balls alone would have their centres within 2 cm of the axis.
        let region = Region::Cylinder { from: DVec3::ZERO, to: 2.0 * DVec3::Z, radius: 0.12 };
        let ends = |pose: &Pose| [-0.1, 0.1].map(|z| pose.transform_point(DVec3::Z * z));
        let is_clear = |_: &Shape, pose: &Pose, _: f64| ends(pose).iter().all(|end| end.z >= 0.2);
        let (rod, poses) = rods_in(region, &is_clear);
        assert_eq!(poses.len(), 200);
        assert!(none_touches(&rod, &poses));
        assert!(poses.iter().all(|pose| ends(pose).iter().all(|end| region.contains(*end) && end.z >= 0.2)));
        let far_out = poses.iter().filter(|pose| pose.position.truncate().length() > 0.06).count();
        // A quarter of the region is within 6 cm of the axis.
        assert!(far_out > 60, "{far_out} of 200 are far from the axis");
    }
}
