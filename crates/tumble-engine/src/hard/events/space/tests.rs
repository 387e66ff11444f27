use super::*;
use crate::random::Random;

#[test]
fn the_nearest_image_is_the_nearest_of_all_and_moves_with_its_cell() {
    let mut random = Random::from_seed(1);
    let space = Space::new(DVec3::ZERO, [Some(4.0), Some(5.0), None], 3.0, 7.0);
    for _ in 0..2000 {
        let offset = DVec3::new(random.between(-4.0, 4.0), random.between(-4.9, 4.9), random.normal());
        let time = random.between(0.0, 2.0);
        let (found, velocity, slides) = space.nearest_sliding(offset, DVec3::ZERO, time);
        // Of the images that are nearest along y, the nearest along x.
        let up = if offset.y > 2.5 {
            -1.0
        } else if offset.y < -2.5 {
            1.0
        } else {
            0.0
        };
        let along = offset.x + up * (7.0 + 3.0 * time);
        let expected =
            (-10..=10).map(|k| along + 4.0 * f64::from(k)).min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        assert!((found - DVec3::new(expected, offset.y + 5.0 * up, offset.z)).length() < 1e-12, "{offset} {found}");
        assert_eq!(velocity, DVec3::X * (3.0 * up));
        assert_eq!(slides, up != 0.0);
    }
}

#[test]
fn what_is_brought_back_into_the_cell_is_where_it_was_for_everyone_else() {
    let mut random = Random::from_seed(2);
    let space = Space::new(DVec3::new(-1.0, 2.0, 0.0), [Some(4.0), Some(5.0), Some(3.0)], 3.0, 7.0);
    for _ in 0..2000 {
        let mut position = DVec3::new(random.between(-6.0, 8.0), random.between(-2.0, 11.0), random.between(-3.0, 6.0));
        let (mut velocity, mut image) = (DVec3::X, [0; 3]);
        let (time, other) = (random.unit(), DVec3::new(0.5, 4.0, 1.0));
        let before = space.nearest_sliding(position - other, velocity, time);
        space.bring_back(&mut position, &mut velocity, &mut image, time);
        let after = space.nearest_sliding(position - other, velocity, time);
        let inside = position - space.lower;
        assert!(inside.min_element() >= 0.0 && (space.period - inside).min_element() > -1e-12);
        // At half a period either image will do.
        if before.0.y.abs() < 2.4999 && before.0.x.abs() < 1.9999 && before.0.z.abs() < 1.4999 {
            assert!((before.0 - after.0).length() < 1e-12 && (before.1 - after.1).length() < 1e-14);
        }
    }
}
