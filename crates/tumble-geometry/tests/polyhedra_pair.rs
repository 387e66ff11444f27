//! Two polyhedra: against all faces and pairs of edges, against the general pair, from any guess, either way round, at every
//! scale; at random, and where faces and edges are parallel, shared or coincide.

use glam::{DQuat, DVec3};
use tumble_geometry::narrow::{self, contact_general};
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::{Contact, Polyhedron, Pose, Shape};

/// Multiplies the size and what a pose adds to it: how far a separation may be off. The hulls of `benchmarks/pairs` need a
/// thousandth of it; needles and thin plates that touch along parallel edges are the worst, as they have the least room for a direction.
const EXACT: f64 = 1e-11;

fn points_on_a_ball(random: &mut Sequence, n: usize) -> Vec<DVec3> {
    (0..n).map(|_| random.direction()).collect()
}

fn prism(n: usize, height: f64) -> Vec<DVec3> {
    let corner = |k: usize, z: f64| {
        let (sine, cosine) = (k as f64 * std::f64::consts::TAU / n as f64).sin_cos();
        DVec3::new(cosine, sine, z)
    };
    (0..n).flat_map(|k| [corner(k, -0.5 * height), corner(k, 0.5 * height)]).collect()
}

fn bipyramid(n: usize, height: f64) -> Vec<DVec3> {
    let mut points = prism(n, 0.0);
    points.dedup();
    points.extend([DVec3::Z * height, DVec3::NEG_Z * height]);
    points
}

/// Bodies of all sorts: blunt and sharp, with four to more than two hundred corners, needles and plates, also far from
/// their origin.
fn bodies(random: &mut Sequence) -> Vec<Shape> {
    let mut all: Vec<Vec<DVec3>> = Vec::new();
    for n in [4, 5, 6, 8, 12, 20, 20, 50, 100, 220] {
        all.push(points_on_a_ball(random, n));
    }
    all.push([[1., 1., 1.], [1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.]].map(DVec3::from).to_vec());
    all.push([DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z].to_vec());
    for n in [3, 5, 6, 12, 40] {
        all.push(prism(n, 1.3));
        all.push(bipyramid(n, 0.7));
    }
    all.push(prism(4, 2f64.sqrt()));
    let plain = all.clone();
    for stretch in [DVec3::new(1.0, 0.3, 0.3), DVec3::new(1.0, 1.0, 0.02), DVec3::new(1.0, 0.004, 0.003)] {
        all.extend(plain.iter().step_by(2).map(|points| points.iter().map(|p| *p * stretch).collect()));
    }
    let shifted: Vec<DVec3> = plain[5].iter().map(|p| *p + DVec3::new(0.4, -2.0, 0.7)).collect();
    all.push(shifted);
    all.iter().map(|points| Shape::polyhedron(points).unwrap()).collect()
}

fn corners(shape: &Shape) -> &[DVec3] {
    polyhedron(shape).vertices()
}

fn polyhedron(shape: &Shape) -> &Polyhedron {
    let Shape::Polyhedron(polyhedron) = shape else { unreachable!() };
    polyhedron
}

fn pick<'a, T>(random: &mut Sequence, list: &'a [T]) -> &'a T {
    &list[(random.unit() * list.len() as f64) as usize]
}

fn tilt(random: &mut Sequence) -> DQuat {
    let angle = if random.unit() < 0.5 { 0.0 } else { random.between_in_ratio(1e-16, 1e-2) };
    DQuat::from_axis_angle(random.direction(), angle)
}

/// A pose of b: anywhere, nearly touching, with a face on a face, an edge along an edge, a corner on a corner, concentric, coincident.
fn pose(random: &mut Sequence, a: &Shape, b: &Shape, case: usize) -> Pose {
    let reach = a.bounding_radius() + b.bounding_radius();
    let offset = match (random.unit() * 3.0) as u32 {
        0 => 0.0,
        1 => random.between_in_ratio(1e-14, 1e-2) * reach,
        _ => -random.between_in_ratio(1e-14, 1e-1) * reach,
    };
    match case % 8 {
        0 => Pose::new(random.direction() * (reach * random.unit()), random.orientation()),
        1 => Pose::new(random.direction() * (0.2 * reach * random.unit()), random.orientation()),
        2 | 3 => {
            let orientation = random.orientation();
            touching(a, b, orientation, random.direction(), offset)
        }
        // A face on a face.
        4 => {
            let normal = pick(random, polyhedron(a).faces()).normal;
            let other = pick(random, polyhedron(b).faces()).normal;
            let spin = DQuat::from_axis_angle(normal, random.between(0.0, 7.0));
            let turn = (tilt(random) * spin * DQuat::from_rotation_arc(other, -normal)).normalize();
            let mut pose = touching(a, b, turn, normal, offset);
            pose.position += random.direction().cross(normal) * (0.3 * reach * random.unit());
            pose
        }
        // An edge along an edge, which may lie on each other.
        5 => {
            let ends = |shape: &Shape, random: &mut Sequence| {
                pick(random, polyhedron(shape).edges()).vertices.map(|v| corners(shape)[v as usize])
            };
            let ([p, q], [r, s]) = (ends(a, random), ends(b, random));
            let turn = DQuat::from_rotation_arc((s - r).normalize(), (q - p).normalize());
            let spin = DQuat::from_axis_angle((q - p).normalize(), random.between(0.0, 7.0));
            let turn = (tilt(random) * spin * turn).normalize();
            let slide = if random.unit() < 0.5 { 0.0 } else { random.between(-1.0, 1.0) };
            Pose::new(p + (q - p) * slide - turn * r, turn)
        }
        // A corner on a corner, or on the middle of an edge.
        6 => {
            let (p, q, r) = (*pick(random, corners(a)), *pick(random, corners(a)), *pick(random, corners(b)));
            let turn = if random.unit() < 0.5 { tilt(random).normalize() } else { random.orientation() };
            let on = if random.unit() < 0.5 { p } else { 0.5 * (p + q) };
            Pose::new(on - turn * r, turn)
        }
        // Concentric or nearly.
        _ => Pose::new(random.direction() * offset.max(0.0), tilt(random).normalize()),
    }
}

fn touching(a: &Shape, b: &Shape, orientation: DQuat, direction: DVec3, offset: f64) -> Pose {
    let gap = oracle::gap_along(a, b, &Pose::new(DVec3::ZERO, orientation), direction);
    Pose::new(direction * (offset - gap), orientation)
}

fn contact_from(a: &Shape, b: &Shape, pose: &Pose, guess: Option<DVec3>) -> Contact {
    narrow::contact_from(a, b, pose, guess).unwrap_or_else(|open| panic!("{open:?} {guess:?} {a:?} {b:?} {pose:?}"))
}

/// Checks an answer by what it says itself: any direction is a bound, and points of both bodies prove a distance.
fn check(a: &Shape, b: &Shape, pose: &Pose, found: &Contact, share: f64, label: &dyn Fn() -> String) {
    let Contact { normal, separation, point_a, point_b } = *found;
    let size = a.bounding_radius().max(b.bounding_radius());
    let exact = share * (size + pose.position.length());
    assert!(separation.is_finite() && point_a.is_finite() && point_b.is_finite(), "{}", label());
    assert!((normal.length() - 1.0).abs() < 1e-12, "{}", label());
    assert!((point_b - point_a - normal * separation).length() <= exact, "{}", label());
    let gap = oracle::gap_along(a, b, pose, normal);
    // Points close together give their direction with the rounding of their places over their distance.
    let rounding = if separation > 0.0 { 1e-15 * size * size / separation.max(1e-13 * size) } else { 0.0 };
    assert!((gap - separation).abs() <= exact + rounding, "{}: {gap} {found:?}", label());
    // Bodies that touch to rounding may be met in the middle of what touches, as overlapping ones are.
    if separation > 1e-13 * size {
        let is_on =
            |p: &Polyhedron, point: DVec3| p.faces().iter().all(|face| face.normal.dot(point) <= face.offset + exact);
        assert!(is_on(polyhedron(a), point_a), "{}: {found:?}", label());
        assert!(is_on(polyhedron(b), pose.inverse_transform_point(point_b)), "{}: {found:?}", label());
    } else {
        // In the supporting planes, or flat to 1e-9 on them.
        let height = a.support(normal).dot(normal);
        assert!((point_a.dot(normal) - height).abs() <= 1e-8 * size, "{}: {found:?}", label());
    }
}

/// Asks for many pairs, each cold, warm, either way round and of the general pair. Separations may be off by a share of the size.
/// Gives how many overlap.
fn run(seed: u64, n_pairs: usize, share: f64) -> usize {
    let mut random = Sequence::new(seed);
    let bodies = bodies(&mut random);
    let mut n_overlapping = 0;
    for case in 0..n_pairs {
        if case % 100_000 == 99_999 {
            println!("{} pairs", case + 1);
        }
        let a = pick(&mut random, &bodies);
        let b = if random.unit() < 0.1 { a } else { pick(&mut random, &bodies) };
        let pose = pose(&mut random, a, b, case);
        let label = || format!("case {case} {a:?} {b:?} {pose:?}");
        let size = a.bounding_radius().max(b.bounding_radius());
        let exact = share * (size + pose.position.length());
        let found = contact_from(a, b, &pose, None);
        check(a, b, &pose, &found, share, &label);
        n_overlapping += usize::from(found.separation < 0.0);
        let other = contact_from(b, a, &pose.relative(&Pose::IDENTITY), None);
        assert!((other.separation - found.separation).abs() <= exact, "{}: {found:?} {other:?}", label());
        if let Ok(Some(general)) = contact_general(a, b, &pose, None, f64::INFINITY) {
            // Its own tolerance is a thousand times as large where it meets pieces that coincide.
            assert!(found.separation >= general.separation - exact, "{}: {found:?} {general:?}", label());
        }
        for guess in [found.normal, found.normal + 1e-3 * random.direction(), random.direction(), -found.normal] {
            let warm = contact_from(a, b, &pose, Some(guess));
            assert!((warm.separation - found.separation).abs() <= exact, "{}: {found:?} {warm:?}", label());
            check(a, b, &pose, &warm, share, &label);
        }
    }
    n_overlapping
}

#[test]
fn the_answer_is_proven_the_same_from_any_guess_and_that_of_the_general_pair() {
    assert!(run(1, 20_000, EXACT) > 5_000);
}

/// Of a hundred thousand pairs that touch along edges parallel to rounding a few are left to the general pair, whose bounds
/// count as met within 1e-9 of the size.
#[test]
#[ignore = "a quarter of an hour"]
fn ten_million_pairs_are_answered() {
    assert!(run(2, 10_000_000, 1e-9) > 2_000_000);
}

/// No face and no pair of edges has a larger gap.
#[test]
fn overlapping_polyhedra_agree_with_all_faces_and_edges() {
    let mut random = Sequence::new(3);
    let bodies = bodies(&mut random);
    let small: Vec<&Shape> = bodies.iter().filter(|shape| polyhedron(shape).edges().len() < 70).collect();
    let mut n_overlapping = 0;
    for case in 0..1_500 {
        let (a, b) = (*pick(&mut random, &small), *pick(&mut random, &small));
        let pose = pose(&mut random, a, b, case);
        let exact = EXACT * (a.bounding_radius().max(b.bounding_radius()) + pose.position.length());
        let best = oracle::separating_axis_gap(polyhedron(a), polyhedron(b), &pose);
        let found = contact_from(a, b, &pose, None);
        assert!(found.separation >= best - exact, "case {case} {a:?} {b:?} {pose:?}: {best} {found:?}");
        n_overlapping += usize::from(found.separation < 0.0);
    }
    assert!(n_overlapping > 500, "{n_overlapping}");
}

#[test]
fn small_and_large_bodies_meet_in_the_same_way() {
    let mut random = Sequence::new(4);
    let bodies = bodies(&mut random);
    for case in 0..2_000 {
        let (a, b) = (pick(&mut random, &bodies), pick(&mut random, &bodies));
        let pose = pose(&mut random, a, b, case);
        let exact = EXACT * (a.bounding_radius().max(b.bounding_radius()) + pose.position.length());
        let found = contact_from(a, b, &pose, None);
        for scale in [1e-6, 1e-3, 1e3] {
            let moved = Pose::new(pose.position * scale, pose.orientation);
            let scaled = contact_from(&a.scaled(scale), &b.scaled(scale), &moved, None);
            let off = (scaled.separation / scale - found.separation).abs();
            assert!(off <= exact, "case {case} {scale}: {found:?} {scaled:?} {a:?} {b:?} {pose:?}");
        }
    }
}

#[test]
fn bodies_beyond_a_limit_have_no_contact() {
    let mut random = Sequence::new(5);
    let bodies = bodies(&mut random);
    for case in 0..5_000 {
        let (a, b) = (pick(&mut random, &bodies), pick(&mut random, &bodies));
        let pose = pose(&mut random, a, b, case);
        let size = a.bounding_radius().max(b.bounding_radius());
        let found = contact_from(a, b, &pose, None);
        for guess in [None, Some(found.normal), Some(random.direction())] {
            let within = |limit: f64| narrow::contact_within(a, b, &pose, guess, limit).unwrap();
            assert_eq!(within(found.separation - 1e-6 * size), None, "case {case} {a:?} {b:?} {pose:?} {guess:?}");
            let near = within(found.separation + 1e-6 * size).map(|contact| contact.separation - found.separation);
            assert!(near.is_some_and(|off| off.abs() <= 2.0 * EXACT * (size + pose.position.length())), "case {case}");
        }
    }
}

/// Where faces lie on each other the points are in the middle of what they share, from any guess.
#[test]
fn flat_contacts_are_met_in_the_middle() {
    let hexagon = Shape::polyhedron(&prism(6, 1.0)).unwrap();
    let triangle = Shape::polyhedron(&prism(3, 1.0)).unwrap();
    for gap in [-1e-2, -1e-4, -1e-7] {
        // The triangle's middle stays over the hexagon, which holds all of it.
        let turn = DQuat::from_rotation_z(0.2);
        let small = triangle.scaled(0.5);
        let pose = Pose::new(DVec3::new(0.1, 0.05, 0.75 + gap), turn);
        for guess in [None, Some(DVec3::Z), Some(DVec3::new(0.3, 0.1, 1.0)), Some(DVec3::new(1e-4, 0.0, 1.0))] {
            let found = contact_from(&hexagon, &small, &pose, guess);
            assert!((found.separation - gap).abs() < 1e-14, "{found:?}");
            assert!((found.point_a - DVec3::new(0.1, 0.05, 0.5)).length() < 1e-8, "{gap} {guess:?} {found:?}");
        }
    }
}
