//! Every unordered pair of kinds.

use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_geometry::narrow::contact;
use tumble_geometry::oracle::{self, Sequence, sample_shapes};
use tumble_geometry::{Contact, Pose, Shape, ShapeKind};

/// Multiplies the size: what the separation of curved bodies may be off.
const AGREE: f64 = 2e-9;

/// What each pair is asked: two bodies and b seen from a.
struct Case {
    a: Shape,
    b: Shape,
    pose: Pose,
}

impl Case {
    fn size(&self) -> f64 {
        self.a.solid_radius().max(self.b.solid_radius())
    }

    fn is_planar(&self) -> bool {
        self.a.is_planar() && self.b.is_planar()
    }

    fn ask(&self) -> Contact {
        contact(&self.a, &self.b, &self.pose).unwrap_or_else(|open| panic!("{} is open: {open:?}", self.name()))
    }

    fn name(&self) -> String {
        format!("{:?} {:?} {:?}", self.a, self.b, self.pose)
    }

    /// Directions in which bodies can be apart.
    fn direction(&self, sequence: &mut Sequence) -> DVec3 {
        if self.is_planar() { in_plane(sequence) } else { sequence.direction() }
    }
}

fn in_plane(sequence: &mut Sequence) -> DVec3 {
    let (sine, cosine) = sequence.between(0.0, 2.0 * PI).sin_cos();
    DVec3::new(cosine, sine, 0.0)
}

/// The samples of a kind.
fn of_kind(kind: ShapeKind, seed: u64) -> Vec<Shape> {
    let shapes: Vec<Shape> = sample_shapes(seed).into_iter().filter(|shape| shape.kind() == kind).collect();
    assert!(!shapes.is_empty(), "no {kind:?} among the samples");
    shapes
}

/// Cases of one pair of kinds: apart, touching, a little and much overlapping, b within a and in its middle; turned at
/// random, and aligned up to nothing or a hair.
fn cases_of(a: ShapeKind, b: ShapeKind, n: usize, sequence: &mut Sequence) -> Vec<Case> {
    let (first, second) = (of_kind(a, 21), of_kind(b, 22));
    let is_planar = a.is_planar() && b.is_planar();
    (0..n)
        .map(|k| {
            let (a, b) = (first[k % first.len()].clone(), second[(k / 2) % second.len()].clone());
            let b = if k % 6 == 4 { b.scaled(0.2) } else { b };
            let hair = if is_planar || k % 4 == 0 { 0.0 } else { sequence.between_in_ratio(1e-12, 1e-3) };
            let aligned = DQuat::from_scaled_axis(sequence.direction() * hair);
            let orientation = match k % 5 {
                _ if is_planar => DQuat::from_rotation_z(sequence.between(0.0, 2.0 * PI)),
                0 => aligned,
                1 => aligned * DQuat::from_rotation_x(FRAC_PI_2),
                _ => sequence.orientation(),
            };
            let direction = match k % 3 {
                _ if is_planar => in_plane(sequence),
                0 => [DVec3::X, DVec3::Y, DVec3::Z][(k / 3) % 3],
                _ => sequence.direction(),
            };
            let turned = Pose::new(DVec3::ZERO, orientation);
            let touching = -oracle::gap_along(&a, &b, &turned, direction);
            let least = a.bounding_radius().min(b.bounding_radius());
            let distance = match k % 6 {
                0 => touching + least * sequence.between(0.1, 3.0),
                1 => touching,
                2 => touching - least * sequence.between_in_ratio(1e-9, 1e-2),
                3 => touching * sequence.unit(),
                4 => 0.1 * least,
                _ => touching - 0.1 * least,
            };
            Case { a, b, pose: Pose::new(direction * distance, orientation) }
        })
        .collect()
}

/// Every pair of kinds once.
fn cells() -> impl Iterator<Item = (ShapeKind, ShapeKind)> {
    ShapeKind::ALL.into_iter().enumerate().flat_map(|(k, a)| ShapeKind::ALL[k..].iter().map(move |&b| (a, b)))
}

fn cases(n: usize, seed: u64) -> impl Iterator<Item = Case> {
    let mut sequence = Sequence::new(seed);
    cells().flat_map(move |(a, b)| cases_of(a, b, n, &mut sequence))
}

/// The largest gap that trying finds, from all round and from a start.
fn largest_gap(case: &Case, start: DVec3, sequence: &mut Sequence) -> f64 {
    let gap = |n: DVec3| oracle::gap_along(&case.a, &case.b, &case.pose, n);
    let mut tried: Vec<(f64, DVec3)> = (0..200).map(|_| case.direction(sequence)).map(|n| (gap(n), n)).collect();
    tried.sort_by(|x, y| y.0.total_cmp(&x.0));
    tried.truncate(2);
    tried.push((gap(start), start));
    let mut largest = f64::NEG_INFINITY;
    for mut here in tried {
        let (mut step, mut n_left) = (0.05, 100);
        while step > 1e-6 && n_left > 0 {
            n_left -= 1;
            let (u, v) =
                if case.is_planar() { (here.1.cross(DVec3::Z), DVec3::ZERO) } else { here.1.any_orthonormal_pair() };
            let around = [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|offset| (here.1 + step * offset).normalize());
            match around.map(|n| (gap(n), n)).into_iter().max_by(|x, y| x.0.total_cmp(&y.0)) {
                Some(candidate) if candidate.0 > here.0 + 1e-11 => here = candidate,
                _ => step *= 0.5,
            }
        }
        largest = largest.max(here.0);
    }
    largest
}

#[test]
fn the_answer_agrees_with_the_definition() {
    let mut sequence = Sequence::new(31);
    for case in cases(12, 41) {
        let found = case.ask();
        let Contact { normal, separation, point_a, point_b } = found;
        let size = case.size();
        assert!((normal.length() - 1.0).abs() < 1e-12, "{}: {found:?}", case.name());
        assert!((point_b - point_a - separation * normal).length() < 1e-12 * size, "{}: {found:?}", case.name());
        if case.a.is_convex() && case.b.is_convex() {
            let gap = oracle::gap_along(&case.a, &case.b, &case.pose, normal);
            assert!((gap - separation).abs() <= AGREE * size, "{}: {gap} along {found:?}", case.name());
            let largest = largest_gap(&case, normal, &mut sequence);
            assert!(largest <= separation + AGREE * size, "{}: {largest}, not {found:?}", case.name());
            // Moving b by -separation along the normal makes the bodies touch.
            let place = case.pose.position - separation * normal;
            let moved = Case { pose: Pose::new(place, case.pose.orientation), ..case };
            assert!(moved.ask().separation.abs() <= AGREE * size, "{}: {:?}", moved.name(), moved.ask());
        } else {
            let pairs = case.a.parts().flat_map(|a| case.b.parts().map(move |b| (a, b)));
            let least = pairs
                .map(|((a, place_a), (b, place_b))| {
                    contact(a, b, &place_a.relative(&case.pose.compose(&place_b))).unwrap().separation
                })
                .fold(f64::INFINITY, f64::min);
            assert!((separation - least).abs() <= AGREE * size, "{}: {found:?} {least}", case.name());
        }
    }
}

#[test]
fn swapping_the_bodies_turns_the_answer_round() {
    for case in cases(10, 42) {
        let swapped = Case { a: case.b.clone(), b: case.a.clone(), pose: case.pose.relative(&Pose::IDENTITY) };
        let (one, other) = (case.ask(), swapped.ask());
        assert!((one.separation - other.separation).abs() <= AGREE * case.size(), "{}: {one:?} {other:?}", case.name());
        // The other's normal is as good, if not the same where several tie.
        let turned = -case.pose.transform_vector(other.normal);
        if case.a.is_convex() && case.b.is_convex() {
            let gap = oracle::gap_along(&case.a, &case.b, &case.pose, turned);
            assert!((gap - one.separation).abs() <= AGREE * case.size(), "{}: {one:?} {other:?}", case.name());
        }
    }
}

#[test]
fn moving_both_bodies_moves_the_answer() {
    let mut sequence = Sequence::new(33);
    for case in cases(10, 43) {
        let world_a = if case.is_planar() {
            Pose::new(in_plane(&mut sequence), DQuat::from_rotation_z(sequence.between(0.0, 6.0)))
        } else {
            sequence.pose(2.0)
        };
        let moved = Case { pose: world_a.relative(&world_a.compose(&case.pose)), a: case.a.clone(), b: case.b.clone() };
        let (one, other) = (case.ask().separation, moved.ask().separation);
        assert!((one - other).abs() <= AGREE * case.size(), "{}: {one} {other}", case.name());
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    for case in cases(6, 44) {
        let one = case.ask().separation;
        // From a micrometre to a kilometre.
        for scale in [1e-6, 1e-3, 1e3] {
            let pose = Pose::new(case.pose.position * scale, case.pose.orientation);
            let scaled = Case { a: case.a.scaled(scale), b: case.b.scaled(scale), pose };
            let other = scaled.ask().separation / scale;
            assert!((one - other).abs() <= AGREE * case.size(), "{} at {scale}: {one} {other}", case.name());
        }
    }
}

#[test]
fn nothing_jumps_along_a_slow_slide() {
    const N_STEPS: usize = 150;
    let mut sequence = Sequence::new(35);
    for (a, b) in cells() {
        for case in cases_of(a, b, 3, &mut sequence) {
            // b passes by a, or through it, from one side to the other.
            let (along, aside) = (case.direction(&mut sequence), case.direction(&mut sequence));
            let length = 4.0 * case.size();
            let at = |k: usize| {
                let x = length * (k as f64 / N_STEPS as f64 - 0.5);
                let place = along * x + aside * (0.3 * case.size());
                let pose = Pose::new(place, case.pose.orientation);
                Case { a: case.a.clone(), b: case.b.clone(), pose }.ask().separation
            };
            let step = length / N_STEPS as f64;
            let mut before = at(0);
            for k in 1..=N_STEPS {
                let after = at(k);
                assert!((after - before).abs() <= step + AGREE * case.size(), "{} at {k}", case.name());
                before = after;
            }
        }
    }
}
