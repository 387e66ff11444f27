use super::*;
use crate::random::Random;

/// Every pair within the shell of the places at which lists were made is in both lists, and no other.
fn check(lists: &Lists, space: &Space) {
    for a in 0..lists.places.len() {
        let mut expected: Vec<u32> = Vec::new();
        for b in (0..lists.places.len()).filter(|&b| b != a) {
            let (one, other) = (&lists.places[a], &lists.places[b]);
            let offset = other.position - one.position;
            let mut near = space.nearest(offset);
            // Of images that slide the place along x says nothing.
            if space.slide != 0.0 && (near.y - offset.y).abs() > 1e-9 {
                near.x = 0.0;
            }
            if near.length() < lists.shell * (one.radius + other.radius) {
                expected.push(b as u32);
            }
        }
        let mut found = lists.of(a as u32).to_vec();
        found.sort_unstable();
        assert_eq!(found, expected, "grain {a}");
    }
}

#[test]
fn lists_have_everyone_within_their_shell_however_often_they_are_renewed() {
    let mut random = Random::from_seed(1);
    for (periods, slide) in [
        ([Some(8.0), Some(7.0), Some(9.0)], 0.0),
        ([Some(3.2), Some(7.0), None], 0.0),
        ([None; 3], 0.0),
        ([Some(9.0), Some(8.0), Some(6.0)], 2.0),
    ] {
        let space = Space::new(DVec3::splat(-1.0), periods, slide, 0.0);
        let n = 120;
        let mut fliers: Vec<Flier> = (0..n)
            .map(|_| Flier {
                position: DVec3::new(random.between(-1.0, 2.2), random.between(-1.0, 6.0), random.between(-1.0, 5.0)),
                velocity: DVec3::ZERO,
                time: 0.0,
                radius: random.between(0.2, 0.5),
            })
            .collect();
        let positions: Vec<DVec3> = fliers.iter().map(|ball| ball.position).collect();
        let radii: Vec<f64> = fliers.iter().map(|ball| ball.radius).collect();
        let mut lists = Lists::new(&space, &positions, &radii, 1.4, 0.0);
        check(&lists, &space);
        for _ in 0..500 {
            let grain = random.next_u64() as usize % n;
            // Far enough to leave the cell, and the grid where there is no cell.
            fliers[grain].position += random.direction() * 2.0;
            lists.renew(grain as u32, &mut fliers[grain], &mut [0; 3]);
        }
        check(&lists, &space);
    }
}

#[test]
fn a_list_lasts_until_its_grain_has_moved_as_far_as_it_may() {
    let mut random = Random::from_seed(2);
    for _ in 0..1000 {
        let (moved, velocity) =
            (random.direction() * random.between(0.0, 0.99), random.direction() * random.between(0.1, 3.0));
        let time = stays_within(1.0, moved, velocity);
        assert!(((moved + velocity * time).length() - 1.0).abs() < 1e-14);
    }
    assert_eq!(stays_within(1.0, DVec3::X * 1.1, -DVec3::X), 0.0);
    assert_eq!(stays_within(1.0, DVec3::X * 0.1, DVec3::ZERO), f64::INFINITY);
}
