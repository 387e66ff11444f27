//! Every pair of kinds.

use crate::definition::*;
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_geometry::narrow::{
    ContactMethod, contact_bodies, contact_bodies_by, contact_by, contact_surface, contact_within,
};
use tumble_geometry::oracle::{self, Sequence, sample_shapes};
use tumble_geometry::{Contact, ContactBody, DEFAULT_CROWN, Mesh, Pose, Revolved, Surface};

/// Walls of every kind, of size about three.
fn walls() -> Vec<Surface> {
    let (vertices, triangles) = oracle::cube_triangles(1.5);
    vec![
        Surface::HalfSpace,
        Surface::Revolved(Revolved::closed_cylinder(1.5, 1.2, true, true).unwrap()),
        Surface::Revolved(Revolved::cone(0.0, 2.0, 1.0).unwrap()),
        Surface::Mesh(Mesh::new(vertices, triangles).unwrap()),
    ]
}

#[test]
fn without_a_crown_the_answers_are_those_of_the_shapes() {
    let mut sequence = Sequence::new(12);
    let shapes = sample_shapes(4);
    let walls = walls();
    for a in &shapes {
        let body_a = ContactBody::new(a, 0.0);
        for b in &shapes {
            let body_b = ContactBody::new(b, 0.0);
            let pose = sequence.pose(1.2);
            let guess = Some(sequence.direction());
            assert_eq!(contact_bodies(&body_a, &body_b, &pose, guess, 0.5), contact_within(a, b, &pose, guess, 0.5));
            for method in ContactMethod::ALL {
                let found = contact_bodies_by(method, &body_a, &body_b, &pose, None, 0.5);
                assert_eq!(found, contact_by(method, a, b, &pose, None, 0.5));
            }
        }
        for wall in &walls {
            let pose = sequence.pose(1.5);
            let mut expected = Vec::new();
            contact_surface(a, wall, &pose, 0.1, &mut expected);
            assert_eq!(contacts(&body_a, wall, &pose, 0.1), expected);
        }
    }
}

/// Partners of every kind: those with a crown, and the others.
fn partners() -> Vec<ContactBody> {
    let bodies = crowned_shapes().into_iter().chain(sample_shapes(5));
    bodies.map(|shape| ContactBody::new(&shape, DEFAULT_CROWN)).collect()
}

/// A pose of a body next to another: apart, overlapping a little, and any. Aligned every other time, up to a hair.
fn pose_of(sequence: &mut Sequence, case: usize, a: &ContactBody, b: &ContactBody) -> Pose {
    let hair = DQuat::from_scaled_axis(sequence.direction() * sequence.between_in_ratio(1e-6, 1e-2));
    let orientation = match case % 4 {
        0 | 1 => sequence.orientation(),
        2 => hair,
        _ => hair * DQuat::from_rotation_x(FRAC_PI_2),
    };
    let direction = match (case / 4) % 3 {
        0 => DVec3::Z,
        1 => DVec3::X,
        _ => sequence.direction(),
    };
    let turned = Pose::new(DVec3::ZERO, orientation);
    let touching = -a.gap_along(b, &turned, direction);
    let depth = [0.1, -1e-3, -1e-2, -0.2][case % 4] * a.bounding_radius().min(b.bounding_radius());
    let aside = 0.3 * a.bounding_radius() * sequence.between(-1.0, 1.0);
    Pose::new(direction * (touching + depth) + direction.any_orthonormal_vector() * aside, orientation)
}

fn is_clump(body: &ContactBody) -> bool {
    !body.parts().is_empty()
}

/// What an answer must be: consistent, and no direction has a larger gap.
fn assert_defined(a: &ContactBody, b: &ContactBody, pose: &Pose, contact: &Contact, context: &str) {
    let (first, second) = (Definition::of(a), Definition::of(b));
    let two = TwoDefinitions { a: &first, b: &second, pose };
    let size = a.bounding_radius().max(b.bounding_radius());
    let Contact { normal, separation, point_a, point_b } = *contact;
    assert!((normal.length() - 1.0).abs() < 1e-12, "{context}: {contact:?}");
    assert!((point_b - point_a - normal * separation).length() < 1e-12 * size, "{context}: {contact:?}");
    let gap = two.gap(normal);
    assert!((gap - separation).abs() <= AGREE * size, "{context}: {gap} along the normal of {contact:?}");
    let (largest, direction) = two.largest_gap(&[normal]);
    assert!(largest <= separation + AGREE * size, "{context}: {largest} along {direction:?}, not {contact:?}");
    // The witness points are points of the bodies.
    for (definition, point) in [(&first, point_a), (&second, pose.inverse_transform_point(point_b))] {
        let mut sequence = Sequence::new(1);
        for _ in 0..50 {
            let n = sequence.direction();
            assert!(n.dot(point) <= definition.reach(n) + 2e-6 * size, "{context}: {point:?} is outside: {contact:?}");
        }
    }
}

#[test]
fn every_pair_is_found_by_its_definition() {
    let mut sequence = Sequence::new(13);
    let partners = partners();
    let (mut n, mut n_open) = (0, 0);
    for a in partners.iter().filter(|a| a.bulge() > 0.0 && !is_clump(a)) {
        for b in partners.iter().filter(|b| !is_clump(b)) {
            for _ in 0..4 {
                let pose = pose_of(&mut sequence, n, a, b);
                let context = format!("{:?} {:?} {pose:?}", a.shape(), b.shape());
                n += 1;
                match contact_bodies(a, b, &pose, None, f64::INFINITY) {
                    Ok(Some(contact)) => assert_defined(a, b, &pose, &contact, &context),
                    Ok(None) => panic!("nothing: {context}"),
                    Err(_) => n_open += 1,
                }
            }
        }
    }
    println!("{n} asked, {n_open} open");
    assert!(n_open * 1000 <= n, "{n_open} of {n} are open");
}

#[test]
fn the_answer_is_the_same_either_way_round_and_at_every_scale() {
    let mut sequence = Sequence::new(14);
    let partners = partners();
    let mut n = 0;
    for a in partners.iter().filter(|a| a.bulge() > 0.0) {
        for b in &partners {
            for _ in 0..2 {
                let pose = pose_of(&mut sequence, n, a, b);
                n += 1;
                let context = format!("{:?} {:?} {pose:?}", a.shape(), b.shape());
                let size = a.bounding_radius().max(b.bounding_radius());
                let Ok(Some(found)) = contact_bodies(a, b, &pose, None, f64::INFINITY) else {
                    panic!("open: {context}")
                };
                let Ok(Some(swapped)) = contact_bodies(b, a, &inverse(&pose), None, f64::INFINITY) else {
                    panic!("open the other way round: {context}")
                };
                let off = (swapped.separation - found.separation).abs();
                assert!(off <= AGREE * size, "{context}: {found:?} {swapped:?}");
                for scale in [1e-6, 1e3] {
                    let [a, b] = [a, b].map(|body| ContactBody::new(&body.shape().scaled(scale), DEFAULT_CROWN));
                    let seen = Pose::new(pose.position * scale, pose.orientation);
                    let Ok(Some(scaled)) = contact_bodies(&a, &b, &seen, None, f64::INFINITY) else {
                        panic!("open at {scale}: {context}")
                    };
                    let off = (scaled.separation / scale - found.separation).abs();
                    assert!(off <= AGREE * size, "{context} at {scale}: {found:?} {scaled:?}");
                }
                // A guess changes the cost only, and a limit what is told.
                let turned = (found.normal + sequence.direction() * 0.1).normalize();
                let Ok(Some(guessed)) = contact_bodies(a, b, &pose, Some(turned), found.separation + 1e-3 * size)
                else {
                    panic!("open from a guess: {context}")
                };
                let off = (guessed.separation - found.separation).abs();
                assert!(off <= AGREE * size, "{context}: {found:?} {guessed:?}");
                let beyond = contact_bodies(a, b, &pose, None, found.separation - 1e-3 * size);
                assert_eq!(beyond, Ok(None), "{context}");
            }
        }
    }
}

#[test]
fn a_clump_has_the_contact_of_its_nearest_parts() {
    let mut sequence = Sequence::new(15);
    let partners = partners();
    let clumps: Vec<&ContactBody> = partners.iter().filter(|body| is_clump(body) && body.bulge() > 0.0).collect();
    assert!(!clumps.is_empty());
    for clump in clumps {
        for b in partners.iter().filter(|b| !is_clump(b)) {
            let pose = sequence.pose(1.5);
            let parts = clump.parts().iter().map(|(part, place)| {
                contact_bodies(part, b, &place.relative(&pose), None, f64::INFINITY).unwrap().unwrap().separation
            });
            let least = parts.fold(f64::INFINITY, f64::min);
            let found = contact_bodies(clump, b, &pose, None, f64::INFINITY).unwrap().unwrap();
            assert!((found.separation - least).abs() <= 1e-9, "{:?} {pose:?}: {found:?} {least}", b.shape());
        }
    }
}

#[test]
fn the_general_method_agrees_with_the_exact_one() {
    let mut sequence = Sequence::new(16);
    let partners = partners();
    for a in partners.iter().filter(|a| a.bulge() > 0.0 && !is_clump(a)) {
        for b in partners.iter().filter(|b| b.revolution().is_some()) {
            let pose = sequence.pose(1.0);
            let [exact, general, published] = [ContactMethod::Exact, ContactMethod::General, ContactMethod::FENG_EDGE]
                .map(|method| contact_bodies_by(method, a, b, &pose, None, f64::INFINITY).unwrap().unwrap().separation);
            assert!((exact - general).abs() <= AGREE * a.bounding_radius().max(b.bounding_radius()));
            assert_eq!(exact, published);
        }
    }
}
