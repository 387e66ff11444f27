//! The general convex pair over random and degenerate pairs of every solid shape: no panic, no NaN, no endless loop, an
//! answer that is consistent with itself and with slow references, the same whichever way round and at every scale.

use glam::{DQuat, DVec3};
use tumble_geometry::contact::NotConverged;
use tumble_geometry::narrow::{self, contact_general};
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::{
    Capsule, Contact, Cylinder, Disc, Polygon, Polyhedron, Pose, Shape, Sphere, Superquadric, Tablet, TruncatedCone,
};

const N_KINDS: usize = 9;

fn contact(a: &Shape, b: &Shape, pose: &Pose) -> Result<Contact, NotConverged> {
    contact_from(a, b, pose, None)
}

fn contact_from(a: &Shape, b: &Shape, pose: &Pose, guess: Option<DVec3>) -> Result<Contact, NotConverged> {
    contact_within(a, b, pose, guess, f64::INFINITY).map(Option::unwrap)
}

/// The pair table, but with planar shapes as solids even among themselves, where the table has them meet in their plane.
fn contact_within(
    a: &Shape,
    b: &Shape,
    pose: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    if a.kind().is_planar() && b.kind().is_planar() {
        contact_general(a, b, pose, guess, limit)
    } else {
        narrow::contact_within(a, b, pose, guess, limit)
    }
}

fn prism(n: u32, radius: f64, half_height: f64) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let corner = |k: u32, z: f64| {
        let (sine, cosine) = (k as f64 * std::f64::consts::TAU / n as f64).sin_cos();
        DVec3::new(radius * cosine, radius * sine, z)
    };
    let vertices = (0..n).map(|k| corner(k, -half_height)).chain((0..n).map(|k| corner(k, half_height))).collect();
    let mut faces: Vec<Vec<u32>> = vec![(0..n).rev().collect(), (n..2 * n).collect()];
    faces.extend((0..n).map(|k| vec![k, (k + 1) % n, (k + 1) % n + n, k + n]));
    (vertices, faces)
}

fn bipyramid(n: u32, radius: f64, half_height: f64) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let (ring, _) = prism(n, radius, 0.0);
    let mut vertices = ring[..n as usize].to_vec();
    vertices.extend([DVec3::new(0.0, 0.0, half_height), DVec3::new(0.0, 0.0, -half_height)]);
    let mut faces: Vec<Vec<u32>> = (0..n).map(|k| vec![k, (k + 1) % n, n]).collect();
    faces.extend((0..n).map(|k| vec![(k + 1) % n, k, n + 1]));
    (vertices, faces)
}

fn tetrahedron() -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let vertices = [[1., 1., 1.], [1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.]].map(DVec3::from).to_vec();
    (vertices, vec![vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]])
}

/// A shape of about unit size: equant, a needle, a plate, blunt and sharp.
fn random_shape(random: &mut Sequence, kind: usize) -> Shape {
    let ratio = random.between_in_ratio(0.025, 50.0);
    // The longer of radius and half height is 1.
    let (radius, half_height) = (1f64.min(1.0 / ratio), 1f64.min(ratio));
    match kind {
        0 => Shape::Sphere(Sphere { radius: random.between_in_ratio(0.05, 1.0) }),
        1 => Shape::Cylinder(Cylinder { radius, half_height }),
        2 => Shape::Capsule(Capsule { radius: random.between_in_ratio(0.02, 1.0), half_height: random.unit() }),
        3 => {
            let upper_radius = if random.unit() < 0.3 { 0.0 } else { radius * random.unit() };
            Shape::TruncatedCone(TruncatedCone { lower_radius: radius, upper_radius, height: half_height })
        }
        4 => {
            let mut axis = || random.between_in_ratio(0.1, 1.0);
            let semi_axes = DVec3::new(axis(), axis(), axis());
            let mut exponent = || if random.unit() < 0.3 { 2.0 } else { random.between(2.0, 20.0) };
            Shape::Superquadric(Superquadric { semi_axes, n1: exponent(), n2: exponent() })
        }
        5 => {
            let n = 3 + (random.unit() * 8.0) as u32;
            let (vertices, faces) = match (random.unit() * 3.0) as u32 {
                0 => prism(n, radius, half_height),
                1 => bipyramid(n, radius, half_height),
                _ => tetrahedron(),
            };
            let stretch = DVec3::new(1.0, random.between_in_ratio(0.3, 1.0), random.between_in_ratio(0.3, 1.0));
            let vertices = vertices.into_iter().map(|v| v * stretch).collect();
            Shape::Polyhedron(Polyhedron::from_trusted_faces(vertices, faces))
        }
        6 => Shape::Disc(Disc { radius, half_thickness: half_height }),
        7 => {
            let n = 3 + (random.unit() * 5.0) as u32;
            let corners = prism(n, radius, 0.0).0[..n as usize].iter().map(|c| c.truncate()).collect();
            Shape::Polygon(Polygon::from_trusted_corners(corners, half_height))
        }
        // Domes from hardly any to half-balls; also without a band.
        _ => {
            let dome_height = radius * if random.unit() < 0.2 { 1.0 } else { random.between_in_ratio(1e-3, 1.0) };
            let half_height = if random.unit() < 0.2 { 0.0 } else { half_height };
            Shape::Tablet(Tablet { radius, half_height, dome_height })
        }
    }
}

/// An orientation with axes along axes, or nearly.
fn aligned(random: &mut Sequence) -> DQuat {
    let mut quarter = || f64::floor(4.0 * random.unit()) * std::f64::consts::FRAC_PI_2;
    let turned = DQuat::from_euler(glam::EulerRot::XYZ, quarter(), quarter(), quarter());
    let tilt = if random.unit() < 0.5 { 0.0 } else { random.between_in_ratio(1e-12, 1e-3) };
    (DQuat::from_axis_angle(random.direction(), tilt) * turned).normalize()
}

/// A pair and b's pose: anything, deep, nearly touching, aligned, concentric, contained, coaxial.
fn random_pair(random: &mut Sequence, case: usize) -> (Shape, Shape, Pose) {
    let kinds = [(random.unit() * N_KINDS as f64) as usize, (random.unit() * N_KINDS as f64) as usize];
    let a = random_shape(random, kinds[0]);
    let b = random_shape(random, kinds[1]);
    let ratio = if random.unit() < 0.3 { random.between_in_ratio(0.02, 50.0) } else { 1.0 };
    let b = b.scaled(ratio);
    let reach = a.bounding_radius() + b.bounding_radius();
    let pose = match case % 8 {
        0 | 1 => Pose::new(random.direction() * (reach * random.unit()), random.orientation()),
        2 => Pose::new(random.direction() * (reach * 0.2 * random.unit()), random.orientation()),
        3 => near_touch(random, &a, &b, false),
        4 => near_touch(random, &a, &b, true),
        5 => Pose::new(DVec3::ZERO, if random.unit() < 0.5 { aligned(random) } else { random.orientation() }),
        6 => {
            let axis = DVec3::AXES[(random.unit() * 3.0) as usize];
            Pose::new(axis * (reach * random.between(-1.2, 1.2)), aligned(random))
        }
        _ => Pose::new(random.point_in_cube(0.3 * reach), aligned(random)),
    };
    (a, b, pose)
}

/// Brings b along a line until the gap along that line is a small positive or negative number, or zero.
fn near_touch(random: &mut Sequence, a: &Shape, b: &Shape, is_aligned: bool) -> Pose {
    let orientation = if is_aligned { aligned(random) } else { random.orientation() };
    let direction = if is_aligned { DVec3::AXES[(random.unit() * 3.0) as usize] } else { random.direction() };
    let start = Pose::new(DVec3::ZERO, orientation);
    let gap = oracle::gap_along(a, b, &start, direction);
    let size = a.bounding_radius().max(b.bounding_radius());
    let offset = match (random.unit() * 3.0) as u32 {
        0 => 0.0,
        1 => random.between_in_ratio(1e-12, 1e-2) * size,
        _ => -random.between_in_ratio(1e-12, 1e-2) * size,
    };
    Pose::new(direction * (offset - gap), orientation)
}

fn size(a: &Shape, b: &Shape) -> f64 {
    a.bounding_radius().max(b.bounding_radius())
}

/// What every answer must be, whatever the truth: finite, of unit normal, with points that belong to it.
fn assert_consistent(a: &Shape, b: &Shape, pose: &Pose, found: &Contact, label: &str) {
    let Contact { normal, separation, point_a, point_b } = *found;
    let size = size(a, b) + pose.position.length();
    assert!(normal.is_finite() && separation.is_finite() && point_a.is_finite() && point_b.is_finite(), "{label}");
    assert!((normal.length() - 1.0).abs() < 1e-12, "{label}");
    assert!((point_b - point_a - normal * separation).length() < 1e-12 * size, "{label}");
    let gap = oracle::gap_along(a, b, pose, normal);
    assert!((gap - separation).abs() < 1e-11 * size, "{label}: gap {gap}, separation {separation}");
    // The points lie in the supporting planes.
    let height = a.support(normal).dot(normal);
    assert!((point_a.dot(normal) - height).abs() < 1e-6 * size, "{label}: {height} {}", point_a.dot(normal));
}

fn run(seed: u64, n_pairs: usize) -> usize {
    let mut random = Sequence::new(seed);
    let mut n_open = 0;
    for case in 0..n_pairs {
        let (a, b, pose) = random_pair(&mut random, case);
        let scale = [1.0, 1e-6, 1e3, 1e-3][case / 8 % 4];
        let (a, b) = (a.scaled(scale), b.scaled(scale));
        let pose = Pose::new(pose.position * scale, pose.orientation);
        let label = format!("case {case} {a:?} {b:?} {pose:?}");
        match contact(&a, &b, &pose) {
            Ok(found) => assert_consistent(&a, &b, &pose, &found, &label),
            Err(open) => {
                n_open += 1;
                println!("open by {:.1e}: {}", open.bound / size(&a, &b), &label[..label.len().min(400)]);
                assert!(open.bound.is_finite(), "{label}");
                assert_consistent(&a, &b, &pose, &open.best, &label);
            }
        }
    }
    n_open
}

#[test]
fn random_and_degenerate_pairs_are_answered() {
    assert_eq!(run(1, 20_000), 0);
}

#[test]
#[ignore = "a minute or more: the full million"]
fn a_million_random_and_degenerate_pairs_are_answered() {
    // Some of the nearly coaxial ones (axes parallel up to 1e-10, so that all directions around them nearly tie) do not
    // close, and say so: 48 when this was written.
    assert!(run(2, 1_000_000) <= 50);
}

/// The largest gap that a search by trying finds: directions spread over the sphere, then ever smaller steps around the
/// best few of them. Anything it finds is a true gap, so that it can only be too small.
fn largest_gap_tried(a: &Shape, b: &Shape, pose: &Pose) -> f64 {
    const N_DIRECTIONS: usize = 2_000;
    let golden_angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut tried: Vec<(f64, DVec3)> = (0..N_DIRECTIONS)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / N_DIRECTIONS as f64;
            let (sine, cosine) = (golden_angle * k as f64).sin_cos();
            let n = DVec3::new((1.0 - z * z).sqrt() * cosine, (1.0 - z * z).sqrt() * sine, z);
            (oracle::gap_along(a, b, pose, n), n)
        })
        .collect();
    tried.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut starts: Vec<(f64, DVec3)> = Vec::new();
    for candidate in tried {
        if starts.len() < 4 && starts.iter().all(|s| s.1.dot(candidate.1) < 0.98) {
            starts.push(candidate);
        }
    }
    let mut largest = f64::NEG_INFINITY;
    for mut best in starts {
        let mut step = 0.05;
        for _ in 0..80 {
            let (u, v) = best.1.any_orthonormal_pair();
            let around = [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|offset| {
                let n = (best.1 + step * offset).normalize();
                (oracle::gap_along(a, b, pose, n), n)
            });
            match around.into_iter().max_by(|x, y| x.0.total_cmp(&y.0)) {
                Some(candidate) if candidate.0 > best.0 => best = candidate,
                _ => step *= 0.5,
            }
        }
        largest = largest.max(best.0);
    }
    largest
}

/// No direction anywhere may have a larger gap than the answer; that is the definition.
fn exceeded(seed: u64, n_pairs: usize) -> usize {
    let mut random = Sequence::new(seed);
    let mut n_wrong = 0;
    for case in 0..n_pairs {
        let (a, b, pose) = random_pair(&mut random, case);
        // An answer that does not close may be off by its bound; any other by nothing that matters.
        let (found, allowed) = match contact(&a, &b, &pose) {
            Ok(found) => (found, 1e-8 * size(&a, &b)),
            Err(open) => (open.best, open.bound),
        };
        let gap = largest_gap_tried(&a, &b, &pose);
        if gap > found.separation + allowed {
            n_wrong += 1;
            println!("case {case}: {:.9e} but {gap:.9e} {a:?} {b:?} {pose:?}", found.separation);
        }
    }
    n_wrong
}

#[test]
fn no_direction_has_a_larger_gap() {
    assert_eq!(exceeded(3, 1_500), 0);
}

#[test]
#[ignore = "many minutes: a hundred thousand slow references"]
fn no_direction_has_a_larger_gap_in_a_hundred_thousand() {
    assert_eq!(exceeded(4, 100_000), 0);
}

#[test]
fn polyhedra_agree_with_the_separating_axes() {
    let mut random = Sequence::new(5);
    let mut n_overlapping = 0;
    for case in 0..3_000 {
        let (a, b) = (random_shape(&mut random, 5), random_shape(&mut random, 5));
        let reach = a.bounding_radius() + b.bounding_radius();
        let orientation = if case % 3 == 0 { aligned(&mut random) } else { random.orientation() };
        let pose = Pose::new(random.direction() * (0.6 * reach * random.unit()), orientation);
        let (Shape::Polyhedron(p), Shape::Polyhedron(q)) = (&a, &b) else { unreachable!() };
        let exact = oracle::separating_axis_gap(p, q, &pose);
        let found = contact(&a, &b, &pose).unwrap();
        if exact < 0.0 {
            n_overlapping += 1;
            assert!((found.separation - exact).abs() < 1e-12, "case {case}: {} {exact}", found.separation);
        } else {
            assert!(found.separation >= exact - 1e-12, "case {case}: {} {exact}", found.separation);
        }
    }
    assert!(n_overlapping > 1_000);
}

#[test]
fn the_answer_is_the_same_either_way_round_and_at_every_scale() {
    let mut random = Sequence::new(6);
    for case in 0..4_000 {
        let (a, b, pose) = random_pair(&mut random, case);
        let size = size(&a, &b);
        let one = contact(&a, &b, &pose).unwrap().separation;
        let other = contact(&b, &a, &pose.relative(&Pose::IDENTITY)).unwrap().separation;
        assert!((one - other).abs() < 2e-9 * size, "case {case}: {one} {other}");
        for scale in [1e-6, 1e3] {
            let moved = Pose::new(pose.position * scale, pose.orientation);
            let scaled = contact(&a.scaled(scale), &b.scaled(scale), &moved).unwrap().separation / scale;
            assert!((one - scaled).abs() < 2e-9 * size, "case {case}: {one} {scaled}");
        }
        let again = contact(&a, &b, &pose).unwrap();
        assert_eq!(again.separation.to_bits(), one.to_bits());
    }
}

#[test]
fn any_guess_gives_the_same_answer() {
    let mut random = Sequence::new(9);
    for case in 0..4_000 {
        let (a, b, pose) = random_pair(&mut random, case);
        let size = size(&a, &b);
        let cold = contact(&a, &b, &pose).unwrap();
        let guesses = [random.direction(), -cold.normal, cold.normal + 1e-3 * random.direction(), DVec3::ZERO];
        for guess in guesses {
            let warm = contact_from(&a, &b, &pose, Some(guess)).unwrap();
            assert!((warm.separation - cold.separation).abs() < 2e-9 * size, "case {case}: {warm:?} {cold:?}");
        }
        // A limit below zero holds for bodies that overlap too.
        let limit = cold.separation - 1e-3 * size;
        assert_eq!(contact_within(&a, &b, &pose, None, limit).unwrap(), None, "case {case}");
        let within = contact_within(&a, &b, &pose, None, cold.separation + 1e-3 * size).unwrap();
        assert_eq!(within.map(|c| c.separation.to_bits()), Some(cold.separation.to_bits()), "case {case}");
    }
}
