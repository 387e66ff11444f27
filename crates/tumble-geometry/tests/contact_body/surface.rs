//! The surface itself.

use crate::definition::*;
use glam::DVec3;
use tumble_geometry::narrow::LARGEST_CROWN;
use tumble_geometry::oracle::{Sequence, sample_shapes};
use tumble_geometry::{ContactBody, Cylinder, DEFAULT_CROWN, Shape};

#[test]
fn the_surface_is_that_of_the_arcs() {
    let mut sequence = Sequence::new(11);
    for shape in crowned_shapes() {
        for (crown, scale) in [(DEFAULT_CROWN, 1.0), (1e-6, 1.0), (0.03, 1e-6), (LARGEST_CROWN, 1e3)] {
            let shape = shape.scaled(scale);
            let body = ContactBody::new(&shape, crown);
            assert!(body.crown() == crown && body.bulge() > 0.0, "{shape:?} {crown}");
            let definition = Definition::of(&body);
            let size = shape.bounding_radius();
            let mut farthest: f64 = 0.0;
            for k in 0..2000 {
                // All round, and next to the axis and square to it, where the pieces meet.
                let near = sequence.direction() * sequence.between_in_ratio(1e-9, 1e-1);
                let direction = match k % 4 {
                    0 => sequence.direction(),
                    1 => (DVec3::Z + near).normalize(),
                    2 => (DVec3::NEG_Z + near).normalize(),
                    _ => (DVec3::X + near).normalize(),
                };
                let (found, expected) = (body.support(direction), definition.support(direction));
                let (high, level) = (found.dot(direction), expected.dot(direction));
                assert!(
                    (high - level).abs() <= 1e-12 * size,
                    "{shape:?} {crown} {direction:?}: {found:?} {expected:?}"
                );
                // The point is off by no more than what rounding can turn a large arc by.
                assert!(
                    found.distance(expected) <= 1e-7 * size,
                    "{shape:?} {crown} {direction:?}: {found:?} {expected:?}"
                );
                // No more than the crown is added, and nothing is taken away.
                let more = high - shape.support(direction).dot(direction);
                assert!(more >= -1e-12 * size && more <= body.bulge() + 1e-12 * size, "{shape:?} {crown}: {more}");
                farthest = farthest.max(found.length());
            }
            assert!(farthest <= body.bounding_radius() * (1.0 + 1e-12), "{shape:?}: {farthest}");
            let pose = sequence.pose(scale);
            let bounds = body.bounds(&pose);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let reach = |n: DVec3| n.dot(pose.position) + definition.reach(pose.inverse_transform_vector(n));
                assert!((bounds.upper.dot(axis) - reach(axis)).abs() <= 1e-12 * size);
                assert!((bounds.lower.dot(axis) + reach(-axis)).abs() <= 1e-12 * size);
            }
        }
    }
}

#[test]
fn what_has_nothing_flat_and_round_has_no_crown() {
    for shape in sample_shapes(3) {
        let body = ContactBody::new(&shape, DEFAULT_CROWN);
        let has_band = matches!(&shape, Shape::Tablet(t) if t.half_height > 0.0);
        let bulges = has_band || matches!(shape, Shape::Cylinder(_) | Shape::Capsule(_) | Shape::TruncatedCone(_));
        if !matches!(shape, Shape::Clump(_)) {
            assert_eq!(body.bulge() > 0.0, bulges, "{shape:?}");
            assert_eq!(body.crown() > 0.0, bulges, "{shape:?}");
        }
    }
    let cylinder = Shape::Cylinder(Cylinder { radius: 1.0, half_height: 2.0 });
    for none in [0.0, -1.0, f64::NAN] {
        assert_eq!(ContactBody::new(&cylinder, none).bulge(), 0.0);
    }
    assert_eq!(ContactBody::new(&cylinder, 7.0).crown(), LARGEST_CROWN);
}
