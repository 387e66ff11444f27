//! What holds for every answer of a common plane, right or wrong.

use crate::rates::{pairs, posed, random_polygon};
use glam::{DQuat, DVec2, DVec3};
use tumble_geometry::common_plane::{
    CommonPlaneContact, CommonPlaneOptions, EndBy, EndedBy, MOST_ITERATIONS, SearchDirections, contact_common_plane,
    has_common_plane,
};
use tumble_geometry::narrow::{ContactMethod, contact_by};
use tumble_geometry::oracle::{Sequence, box_of, sample_shapes};
use tumble_geometry::{Pose, Shape};

const LIU: CommonPlaneOptions = CommonPlaneOptions::LIU;

fn scaled(shape: &Shape, factor: f64) -> Shape {
    match shape {
        Shape::Polyhedron(polyhedron) => Shape::Polyhedron(polyhedron.scaled(factor)),
        Shape::Polygon(polygon) => Shape::Polygon(polygon.scaled(factor)),
        other => other.clone(),
    }
}

/// Poses near touching, of all pairs of bodies and of polygons.
fn cases(n: usize, seed: u64) -> Vec<(Shape, Shape, Pose, f64)> {
    let mut sequence = Sequence::new(seed);
    let mut cases = Vec::new();
    for _ in 0..n {
        let mut shapes: Vec<(Shape, Shape)> = pairs().into_iter().map(|(_, a, b)| (a, b)).collect();
        shapes.push((random_polygon(&mut sequence), random_polygon(&mut sequence)));
        for (a, b) in shapes {
            let separation = sequence.between_in_ratio(1e-3, 0.2) * if sequence.unit() < 0.5 { 1.0 } else { -1.0 };
            let (pose, truth) = posed(&a, &b, separation, &mut sequence);
            cases.push((a, b, pose, truth));
        }
    }
    cases
}

fn check(found: &CommonPlaneContact) {
    let contact = &found.contact;
    assert!(contact.normal.is_normalized() && contact.separation.is_finite(), "{found:?}");
    let across = contact.point_b - contact.point_a - contact.separation * contact.normal;
    assert!(across.length() < 1e-12, "{found:?}");
    assert!(found.iterations >= 1 && found.iterations <= MOST_ITERATIONS, "{found:?}");
    assert_eq!(found.ended_by == EndedBy::Cap, found.bound > 0.0, "{found:?}");
}

#[test]
fn every_pair_is_answered_in_the_end() {
    let cube = Shape::Polyhedron(box_of(DVec3::ONE));
    let plate = Shape::Polyhedron(box_of(DVec3::new(1.0, 1.0, 1e-6)));
    let needle = Shape::Polyhedron(box_of(DVec3::new(1.0, 1e-6, 1e-6)));
    let right_angle = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let mut n = 0;
    for a in [&cube, &plate, &needle] {
        for b in [&cube, &plate, &needle] {
            for orientation in [DQuat::IDENTITY, right_angle, DQuat::from_rotation_y(0.5)] {
                for place in [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::ONE * 2.0, DVec3::Z * 1e-9, DVec3::Y * 1e6]
                {
                    for directions in SearchDirections::ALL {
                        for end in EndBy::ALL {
                            let options = CommonPlaneOptions { directions, end, ..LIU };
                            let pose = Pose::new(place, orientation);
                            let found = contact_common_plane(a, b, &pose, &options).unwrap();
                            assert!(found.contact.normal.is_normalized() && found.contact.separation.is_finite());
                            assert!(found.contact.point_a.is_finite() && found.iterations <= MOST_ITERATIONS);
                            n += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(n, 972);
    for (a, b, pose, _) in cases(30, 3) {
        for options in [LIU, CommonPlaneOptions::CUNDALL, CommonPlaneOptions { end: EndBy::Either, ..LIU }] {
            check(&contact_common_plane(&a, &b, &pose, &options).unwrap());
        }
    }
}

/// Bits are kept where lengths are multiplied by a power of two; by other factors rounding can send a search another way.
#[test]
fn the_answer_scales_with_the_bodies() {
    let (mut n_other, mut n) = (0, 0);
    for (a, b, pose, _) in cases(20, 4) {
        let found = contact_common_plane(&a, &b, &pose, &LIU).unwrap();
        for (factor, is_exact) in [(2f64.powi(-20), true), (1024.0, true), (1e-6, false), (1e3, false)] {
            let moved = Pose::new(pose.position * factor, pose.orientation);
            let other = contact_common_plane(&scaled(&a, factor), &scaled(&b, factor), &moved, &LIU).unwrap();
            if is_exact {
                assert_eq!(other.contact.normal, found.contact.normal);
                assert_eq!(other.contact.separation, found.contact.separation * factor);
                assert_eq!(other.contact.point_a, found.contact.point_a * factor);
                assert_eq!((other.kind, other.iterations), (found.kind, found.iterations));
            } else {
                n += 1;
                n_other += usize::from((other.contact.separation / factor - found.contact.separation).abs() > 1e-5);
            }
        }
    }
    println!("{n_other} of {n} searches went another way");
    assert!(n == 280 && n_other <= n / 100);
}

#[test]
fn the_answer_moves_with_the_bodies() {
    let mut sequence = Sequence::new(5);
    let (mut n_other, mut n) = (0, 0);
    for (a, b, pose, _) in cases(40, 6) {
        let place = if a.is_planar() {
            Pose::new(DVec3::new(3.0, -2.0, 0.0), DQuat::from_rotation_z(sequence.between(0.0, 6.0)))
        } else {
            sequence.pose(10.0)
        };
        let seen = place.relative(&place.compose(&pose));
        let found = contact_common_plane(&a, &b, &pose, &LIU).unwrap();
        let other = contact_common_plane(&a, &b, &seen, &LIU).unwrap();
        n += 1;
        n_other += usize::from((other.contact.separation - found.contact.separation).abs() > 1e-5);
    }
    println!("{n_other} of {n} searches went another way");
    assert!(n == 280 && n_other <= n / 100);
}

/// Polygons do not mind which of them is a. Polyhedra do where the search stalls, since the axes of its tilts belong to a.
#[test]
fn polygons_can_be_exchanged_and_polyhedra_where_the_search_does_not_stall() {
    let (mut n_different, mut n_right, mut n) = (0, 0, 0);
    for (a, b, pose, truth) in cases(60, 7) {
        let found = contact_common_plane(&a, &b, &pose, &LIU).unwrap();
        let back = pose.relative(&Pose::IDENTITY);
        let swapped = contact_common_plane(&b, &a, &back, &LIU).unwrap();
        let normal = -pose.transform_vector(swapped.contact.normal);
        let middle = |c: &CommonPlaneContact| 0.5 * (c.contact.point_a + c.contact.point_b);
        let off = (found.contact.separation - swapped.contact.separation).abs();
        let are_right = [&found, &swapped].iter().all(|f| truth - f.contact.separation < 1e-4 * truth.abs());
        if a.is_planar() {
            assert!(off < 1e-5 && normal.angle_between(found.contact.normal) < 1e-5, "{found:?} {swapped:?}");
            let apart = middle(&found).distance(pose.transform_point(middle(&swapped)));
            assert!(apart < 1e-5 && found.kind == swapped.kind, "{found:?} {swapped:?}");
            continue;
        }
        n += 1;
        n_different += usize::from(off > 0.01 * truth.abs());
        if are_right {
            n_right += 1;
            assert!(off < 2e-4 * truth.abs());
        }
    }
    println!("of {n} polyhedra {n_different} depend on the order, {n_right} are right either way");
    assert!(n == 360 && n_right > n / 8 && n_different > 2 * n / 5 && n_different < 3 * n / 4);
}

#[test]
fn other_pairs_are_answered_exactly() {
    let mut sequence = Sequence::new(8);
    let shapes = sample_shapes(9);
    for a in &shapes {
        for b in &shapes {
            let is_clump = |shape: &Shape| matches!(shape, Shape::Clump(_));
            if has_common_plane(a.kind(), b.kind()) || is_clump(a) || is_clump(b) {
                continue;
            }
            let pose = sequence.pose(1.2);
            assert!(contact_common_plane(a, b, &pose, &LIU).is_none());
            let ask = |method| contact_by(method, a, b, &pose, None, f64::INFINITY);
            assert_eq!(ask(ContactMethod::LIU), ask(ContactMethod::Exact));
        }
    }
    // Polygons that are not in one plane are prisms.
    let square =
        Shape::polygon(&[DVec2::NEG_ONE, DVec2::new(1.0, -1.0), DVec2::ONE, DVec2::new(-1.0, 1.0)], 1.0).unwrap();
    assert!(contact_common_plane(&square, &square, &Pose::from_position(DVec3::Z), &LIU).is_none());
}
