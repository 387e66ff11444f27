//! Bodies of revolution: the pieces of the gap against the general algorithm, which knows nothing of them.

use glam::{DQuat, DVec3};
use tumble_geometry::narrow::{contact_from, contact_general, contact_revolution, contact_within};
use tumble_geometry::oracle::{Sequence, gap_along, largest_gap};
use tumble_geometry::{Capsule, Contact, Cylinder, Disc, Pose, Shape, Sphere, Tablet, TruncatedCone};

/// Multiplies the size. What the general algorithm promises ([`tumble_geometry::tolerance::CERTIFIED`]).
const AGREE: f64 = 1e-9;

/// Ratios of height to diameter, one for each cylinder of a pair.
const FAMILIES: [[f64; 2]; 9] = [
    [0.025, 0.025],
    [0.5, 0.5],
    [1.0, 1.0],
    [5.0, 5.0],
    [50.0, 50.0],
    [0.025, 5.0],
    [0.5, 10.0],
    [0.025, 50.0],
    [1.0, 50.0],
];

/// A cylinder of unit volume.
fn cylinder(height_to_diameter: f64) -> Shape {
    let diameter = (4.0 / (std::f64::consts::PI * height_to_diameter)).cbrt();
    Shape::Cylinder(Cylinder { radius: 0.5 * diameter, half_height: 0.5 * diameter * height_to_diameter })
}

fn size(a: &Shape, b: &Shape) -> f64 {
    a.bounding_radius().max(b.bounding_radius())
}

/// The general answer, or the best it has.
fn general(a: &Shape, b: &Shape, pose: &Pose) -> Contact {
    match contact_general(a, b, pose, None, f64::INFINITY) {
        Ok(contact) => contact.expect("there is no limit"),
        Err(open) => open.best,
    }
}

/// Checks one pair: verdict, separation, witness points, and the same from a guess and with a limit.
fn check(a: &Shape, b: &Shape, pose: &Pose, sequence: &mut Sequence) -> Contact {
    let size = size(a, b);
    let found = contact_revolution(a, b, pose, None, f64::INFINITY);
    let found = found.unwrap_or_else(|open| panic!("open by {}: {a:?} {b:?} {pose:?}", open.bound)).expect("no limit");
    let expected = general(a, b, pose);
    let context = || format!("{a:?} {b:?} {pose:?}: {found:?}, general {expected:?}");
    // The general answer may be the worse one: a larger gap is always right.
    assert!(found.separation >= expected.separation - AGREE * size, "{}", context());
    assert!((gap_along(a, b, pose, found.normal) - found.separation).abs() <= 1e-12 * size, "{}", context());
    assert!((found.normal.length() - 1.0).abs() <= 1e-12, "{}", context());
    let difference = found.point_b - found.point_a - found.normal * found.separation;
    assert!(difference.length() <= 1e-12 * size, "{}", context());
    // The points are where each body is farthest, up to what lies flat.
    let height = |shape: &Shape, direction: DVec3, point: DVec3| direction.dot(shape.support(direction) - point);
    let on_a = height(a, found.normal, found.point_a);
    let own = pose.inverse_transform_vector(-found.normal);
    let on_b = height(b, own, pose.inverse_transform_point(found.point_b));
    assert!(on_a.abs() <= 2e-9 * size && on_b.abs() <= 2e-9 * size, "off by {on_a} {on_b}: {}", context());
    for spread in [1e-6, 1e-3, 1.0] {
        let guess = found.normal + sequence.direction() * spread;
        let warm = contact_from(a, b, pose, Some(guess)).unwrap_or_else(|open| panic!("open by {}", open.bound));
        assert!((warm.separation - found.separation).abs() <= AGREE * size, "guess {guess}: {}", context());
    }
    match contact_within(a, b, pose, None, 0.0) {
        Ok(Some(touching)) => assert!((touching.separation - found.separation).abs() <= AGREE * size, "{}", context()),
        Ok(None) => assert!(found.separation > -1e-12 * size, "{}", context()),
        Err(open) => panic!("open by {}", open.bound),
    }
    found
}

/// Random pairs at all distances at which their bounding balls meet, and moved along the normal to a shallow overlap.
fn compare(a: &Shape, b: &Shape, n_pairs: usize, sequence: &mut Sequence) {
    let reach = a.bounding_radius() + b.bounding_radius();
    let thinnest = |shape: &Shape| {
        let Shape::Cylinder(c) = shape else { return shape.volume().cbrt() };
        c.radius.min(c.half_height)
    };
    let thin = thinnest(a).min(thinnest(b));
    for _ in 0..n_pairs {
        let mut pose = Pose::new(sequence.direction() * sequence.between(0.0, reach), sequence.orientation());
        let first = check(a, b, &pose, sequence);
        let depth = thin * sequence.between_in_ratio(1e-5, 0.1);
        pose.position -= first.normal * (first.separation + depth);
        check(a, b, &pose, sequence);
    }
}

#[test]
fn cylinders_agree_with_the_general_algorithm() {
    let mut sequence = Sequence::new(11);
    for [a, b] in FAMILIES {
        compare(&cylinder(a), &cylinder(b), 400, &mut sequence);
    }
}

/// A million pairs for each family: `cargo nextest run --release -p tumble-geometry --run-ignored only a_million`.
#[test]
#[ignore = "four minutes"]
fn a_million_pairs_of_cylinders_agree_with_the_general_algorithm() {
    for (index, [a, b]) in FAMILIES.into_iter().enumerate() {
        let mut sequence = Sequence::new(100 + index as u64);
        compare(&cylinder(a), &cylinder(b), 500_000, &mut sequence);
    }
}

/// Every kind of body of revolution, several proportions of each.
fn bodies() -> Vec<Shape> {
    let cone =
        |lower_radius, upper_radius, height| Shape::TruncatedCone(TruncatedCone { lower_radius, upper_radius, height });
    vec![
        Shape::Sphere(Sphere { radius: 0.6 }),
        cylinder(0.3),
        cylinder(3.0),
        Shape::Capsule(Capsule { radius: 0.4, half_height: 0.7 }),
        Shape::Capsule(Capsule { radius: 0.1, half_height: 1.5 }),
        cone(0.8, 0.3, 0.9),
        cone(0.0, 0.5, 1.5),
        cone(1.2, 1.1, 0.1),
        Shape::Disc(Disc { radius: 0.7, half_thickness: 0.2 }),
        Shape::Tablet(Tablet { radius: 0.8, half_height: 0.2, dome_height: 0.25 }),
        Shape::Tablet(Tablet { radius: 0.7, half_height: 0.0, dome_height: 0.1 }),
        Shape::Tablet(Tablet { radius: 0.4, half_height: 0.6, dome_height: 0.4 }),
    ]
}

#[test]
fn all_bodies_of_revolution_agree_with_the_general_algorithm() {
    let mut sequence = Sequence::new(12);
    let bodies = bodies();
    for (index, a) in bodies.iter().enumerate() {
        for b in &bodies[index..] {
            compare(a, b, 40, &mut sequence);
        }
    }
}

/// Angles between axes that ought to be parallel or square to each other [rad].
const TILTS: [f64; 8] = [0.0, 1e-15, 1e-12, 1e-10, 1e-9, 1e-7, 1e-5, 1e-3];

#[test]
fn aligned_tilted_and_coaxial_pairs_are_right() {
    let mut sequence = Sequence::new(13);
    let mut shapes: Vec<Shape> = [0.025, 0.5, 1.0, 5.0, 50.0].map(cylinder).to_vec();
    shapes.extend(bodies());
    for (index, a) in shapes.iter().enumerate() {
        for b in &shapes[index..] {
            let reach = a.bounding_radius() + b.bounding_radius();
            for _ in 0..2 {
                let tilt = TILTS[sequence.between(0.0, TILTS.len() as f64) as usize];
                let base = match sequence.between(0.0, 3.0) as usize {
                    0 => DQuat::IDENTITY,
                    1 => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
                    _ => DQuat::from_rotation_y(std::f64::consts::PI),
                };
                let orientation = DQuat::from_axis_angle(sequence.direction(), tilt) * base;
                // Along an axis, in a plane of two axes, or anywhere.
                let mut position = sequence.direction() * sequence.between(0.2, 0.9) * reach;
                match sequence.between(0.0, 3.0) as usize {
                    0 => position = DVec3::new(0.0, 0.0, position.z),
                    1 => position.x = 0.0,
                    _ => {}
                }
                let mut pose = Pose::new(position, orientation);
                let first = general(a, b, &pose);
                let depth = 1e-3 * a.volume().min(b.volume()).cbrt();
                pose.position -= first.normal * (first.separation + depth);
                let context = format!("{a:?} {b:?} {pose:?} tilt {tilt}");
                let found = match contact_revolution(a, b, &pose, None, f64::INFINITY) {
                    Ok(found) => found.expect("no limit"),
                    Err(open) => panic!("open by {}: {context}", open.bound),
                };
                let (gap, direction) = largest_gap(a, b, &pose);
                assert!(
                    found.separation >= gap - 1e-10 * size(a, b),
                    "{context}: {found:?}, but {gap} along {direction}"
                );
                assert!(
                    (gap_along(a, b, &pose, found.normal) - found.separation).abs() <= 1e-12 * size(a, b),
                    "{context}"
                );
            }
        }
    }
}

#[test]
fn bodies_in_the_middle_of_each_other_are_right() {
    let mut shapes: Vec<Shape> = [0.025, 0.5, 1.0, 5.0, 50.0].map(cylinder).to_vec();
    shapes.extend(bodies());
    let mut sequence = Sequence::new(14);
    for a in &shapes {
        for b in &shapes {
            for orientation in [DQuat::IDENTITY, sequence.orientation()] {
                for position in [DVec3::ZERO, DVec3::Z * 0.1, DVec3::X * 0.1] {
                    let pose = Pose::new(position, orientation);
                    let expected = general(a, b, &pose);
                    let found = match contact_revolution(a, b, &pose, None, f64::INFINITY) {
                        Ok(found) => found.expect("no limit"),
                        Err(open) => open.best,
                    };
                    let size = size(a, b);
                    // Where directions tie, the general algorithm vouches for a hundredth of the depth.
                    let slack = 0.01 * expected.separation.abs() + 1e-9 * size;
                    assert!(found.separation >= expected.separation - slack, "{a:?} {b:?} {pose:?}");
                    assert!(found.point_a.is_finite() && found.point_b.is_finite(), "{a:?} {b:?} {pose:?}");
                    assert!((gap_along(a, b, &pose, found.normal) - found.separation).abs() <= 1e-12 * size);
                }
            }
        }
    }
}
