//! What overlap regions of shallow contacts cost, how wrong they are, and how far vector area and first moment are from
//! the slope of the volume, for each pair of shapes and each tolerance:
//!
//! `cargo run --release --example region_cost [-- <tolerance> ... <part of a pair's name> ...]`

use glam::{DQuat, DVec3};
use std::hint::black_box;
use std::time::Instant;
use tumble_geometry::narrow;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{Unresolved, Workspace, overlap_from, overlap_half_space_from};
use tumble_geometry::{
    Capsule, Contact, Cylinder, OverlapRegion, Polyhedron, Pose, Shape, Sphere, Superquadric, Tablet, TruncatedCone,
};

const N_POSES: usize = 24;

fn samples() -> Vec<(&'static str, Shape)> {
    let superquadric = |x: f64, y: f64, z: f64, n1: f64, n2: f64| {
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(x, y, z), n1, n2 })
    };
    vec![
        ("sphere", Shape::Sphere(Sphere { radius: 0.8 })),
        ("cylinder", Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.7 })),
        ("capsule", Shape::Capsule(Capsule { radius: 0.5, half_height: 0.6 })),
        ("cone", Shape::TruncatedCone(TruncatedCone { lower_radius: 0.9, upper_radius: 0.3, height: 1.2 })),
        ("tablet", Shape::Tablet(Tablet { radius: 0.8, half_height: 0.2, dome_height: 0.3 })),
        ("ellipsoid", superquadric(0.9, 0.7, 0.6, 2.0, 2.0)),
        ("superq 4 4", superquadric(0.8, 0.7, 0.6, 4.0, 4.0)),
        ("superq 3 4", superquadric(0.8, 0.7, 0.6, 3.0, 4.0)),
        ("box", Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.6, 0.7)))),
        ("tetrahedron", Shape::Polyhedron(tetrahedron())),
    ]
}

fn cuboid(half: DVec3) -> Polyhedron {
    let side = |bit: usize, k: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8).map(|k| half * DVec3::new(side(0, k), side(1, k), side(2, k))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Polyhedron::from_trusted_faces(vertices, faces.iter().map(|f| f.to_vec()).collect())
}

fn tetrahedron() -> Polyhedron {
    let vertices = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
        .map(|[x, y, z]| 0.7 * DVec3::new(f64::from(x), f64::from(y), f64::from(z)));
    let faces = vec![vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]];
    Polyhedron::from_trusted_faces(vertices.to_vec(), faces)
}

type Answer = Result<Option<OverlapRegion>, Unresolved>;

/// A pair, or a shape and a half-space.
enum Case<'a> {
    Pair(&'a Shape, &'a Shape),
    HalfSpace(&'a Shape),
}

impl Case<'_> {
    fn contact(&self, pose: &Pose) -> Contact {
        match self {
            Case::Pair(a, b) => narrow::contact(a, b, pose).unwrap_or_else(|unsure| unsure.best),
            Case::HalfSpace(shape) => {
                let down = pose.inverse_transform_vector(DVec3::NEG_Z);
                let lowest = pose.transform_point(shape.support(down));
                let separation = lowest.z;
                let point_b = DVec3::new(lowest.x, lowest.y, 0.0);
                Contact { normal: DVec3::NEG_Z, separation, point_a: lowest, point_b }
            }
        }
    }

    fn region(&self, pose: &Pose, contact: &Contact, workspace: &mut Workspace) -> Answer {
        match self {
            Case::Pair(a, b) => overlap_from(a, b, pose, contact, workspace),
            Case::HalfSpace(shape) => overlap_half_space_from(shape, pose, workspace),
        }
    }

    /// Poses with a depth of 1e-4 to 3e-2 of the size.
    fn poses(&self, random: &mut Sequence) -> Vec<(Pose, Contact)> {
        let mut poses = Vec::new();
        while poses.len() < N_POSES {
            let orientation = random.orientation();
            let start = Pose::new(random.direction(), orientation);
            let contact = self.contact(&start);
            let depth = random.between_in_ratio(1e-4, 3e-2);
            // The body that moves is b of a pair, a of a shape and a half-space.
            let away = match self {
                Case::Pair(..) => contact.normal,
                Case::HalfSpace(_) => -contact.normal,
            };
            let pose = Pose::new(start.position - away * (contact.separation + depth), orientation);
            let contact = self.contact(&pose);
            if contact.separation < -0.5e-4 && contact.separation > -4e-2 {
                poses.push((pose, contact));
            }
        }
        poses
    }
}

fn best(answer: Answer) -> Option<OverlapRegion> {
    answer.unwrap_or_else(|unresolved| unresolved.best)
}

fn difference(x: &OverlapRegion, y: &OverlapRegion) -> f64 {
    let area = y.vector_area.length();
    [
        (x.volume - y.volume).abs() / y.volume,
        (x.vector_area - y.vector_area).length() / area,
        (x.first_moment - y.first_moment).length() / area,
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// Central differences of the volume that is given against the vector area and first moment that are given, over steps
/// of a twentieth of the thickness, relative to the area: the worst of the three shifts and the three turns.
fn slope_error(case: &Case, pose: &Pose, found: &OverlapRegion, workspace: &mut Workspace) -> Option<f64> {
    let step = 0.05 * found.volume / found.surface_area;
    let sign = match case {
        Case::Pair(..) => -1.0,
        Case::HalfSpace(_) => 1.0,
    };
    let mut worst: f64 = 0.0;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for (shift, turn, expected) in
            [(axis, DVec3::ZERO, found.vector_area.dot(axis)), (DVec3::ZERO, axis, found.first_moment.dot(axis))]
        {
            let mut volume = |h: f64| {
                let q = DQuat::from_scaled_axis(turn * h);
                let moved = Pose::new(q * pose.position + shift * h, (q * pose.orientation).normalize());
                best(case.region(&moved, &case.contact(&moved), workspace)).map(|region| region.volume)
            };
            let slope = |far: f64, near: f64, h: f64| (far - near) / (2.0 * h);
            let coarse = slope(volume(step)?, volume(-step)?, step);
            let fine = slope(volume(0.5 * step)?, volume(-0.5 * step)?, 0.5 * step);
            let extrapolated = fine + (fine - coarse) / 3.0;
            worst = worst.max((extrapolated - sign * expected).abs() / found.vector_area.length());
        }
    }
    Some(worst)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut tolerances: Vec<f64> = words.iter().filter_map(|text| text.parse().ok()).collect();
    let wanted: Vec<&String> = words.iter().filter(|text| text.parse::<f64>().is_err()).collect();
    if tolerances.is_empty() {
        tolerances = vec![1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
    }
    print!("{:<28}", "pair");
    for tolerance in &tolerances {
        print!(" | {tolerance:>7.0e}: us   error   slope");
    }
    println!();
    let shapes = samples();
    let mut tight = Workspace::with_tolerance(1e-9);
    for i in 0..shapes.len() {
        for j in i..=shapes.len() {
            let is_flat = |k: usize| shapes.get(k).is_none_or(|(name, _)| ["box", "tetrahedron"].contains(name));
            if is_flat(i) && is_flat(j) {
                continue;
            }
            let (name_a, a) = &shapes[i];
            let (name_b, case) = match shapes.get(j) {
                Some((name, b)) => (*name, Case::Pair(a, b)),
                None => ("half-space", Case::HalfSpace(a)),
            };
            let name = format!("{name_a} {name_b}");
            if !wanted.iter().all(|word| name.contains(word.as_str())) {
                continue;
            }
            print!("{name:<28}");
            let mut random = Sequence::new((i * 100 + j) as u64);
            let poses = case.poses(&mut random);
            let truth: Vec<_> =
                poses.iter().map(|(pose, contact)| best(case.region(pose, contact, &mut tight))).collect();
            for &tolerance in &tolerances {
                let mut workspace = Workspace::with_tolerance(tolerance);
                let mut worst: f64 = 0.0;
                let mut slopes = Vec::new();
                for ((pose, contact), truth) in poses.iter().zip(&truth) {
                    let found = best(case.region(pose, contact, &mut workspace));
                    if let (Some(found), Some(truth)) = (found, truth) {
                        worst = worst.max(difference(&found, truth));
                        slopes.extend(slope_error(&case, pose, &found, &mut workspace));
                    }
                }
                slopes.sort_by(f64::total_cmp);
                let middle = slopes.get(slopes.len() / 2).copied().unwrap_or(f64::NAN);
                // The least of several times for each pose: what the machine does besides does not count.
                let mut total = 0.0;
                for (pose, contact) in &poses {
                    let mut least = f64::INFINITY;
                    for _ in 0..5 {
                        let start = Instant::now();
                        let _ = black_box(case.region(pose, contact, &mut workspace));
                        least = least.min(start.elapsed().as_secs_f64());
                    }
                    total += least;
                }
                let each = total / poses.len() as f64;
                print!(" | {:>11.1} {worst:>7.0e} {middle:>7.0e}", 1e6 * each);
            }
            println!();
        }
    }
}
