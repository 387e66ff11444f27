//! What volume and depth of a region cost, counted by callgrind: the difference of two numbers of repetitions.
//!
//! `cargo build --release --example depth_cost`, then `valgrind --tool=callgrind target/release/examples/depth_cost <case>
//! <repetitions> [volume]`; without arguments it lists the cases and what they find. With `volume` the region of the volume law
//! is found instead, to compare.

use glam::{DQuat, DVec3};
use std::hint::black_box;
use tumble_geometry::narrow;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{
    Workspace, depth_moments, depth_moments_half_space, overlap_from, overlap_half_space_from,
};
use tumble_geometry::{Contact, Polyhedron, Pose, Shape};

struct Case {
    name: &'static str,
    a: Shape,
    /// A half-space if there is none.
    b: Option<Shape>,
    poses: Vec<Pose>,
}

/// What is asked again and again: a pose, and the contact that a run has found before it asks.
fn questions(case: &Case) -> Vec<(Pose, Contact)> {
    let contact = |pose: &Pose| match &case.b {
        Some(b) => narrow::contact(&case.a, b, pose).unwrap_or_else(|unsure| unsure.best),
        None => Contact { normal: DVec3::Z, separation: 0.0, point_a: DVec3::ZERO, point_b: DVec3::ZERO },
    };
    case.poses.iter().map(|pose| (*pose, contact(pose))).collect()
}

fn hull(n: usize, random: &mut Sequence) -> Shape {
    let points: Vec<DVec3> = (0..n).map(|_| random.direction()).collect();
    Shape::Polyhedron(Polyhedron::from_points(&points).expect("points all around"))
}

/// Poses as deep as in a bed of grains: some hundredths of the size.
fn as_deep_as(depth: f64, a: &Shape, b: &Shape, random: &mut Sequence) -> Vec<Pose> {
    (0..20)
        .map(|_| {
            let start = Pose::new(random.direction(), random.orientation());
            let contact = narrow::contact(a, b, &start).unwrap_or_else(|unsure| unsure.best);
            Pose::new(start.position - contact.normal * (contact.separation + depth), start.orientation)
        })
        .collect()
}

fn cases() -> Vec<Case> {
    let cube = |edge: f64| Shape::cuboid(DVec3::splat(edge)).expect("a size");
    let lifted =
        |depth: f64, shift: f64, turn: DQuat| vec![Pose::new(DVec3::new(shift, 0.7 * shift, 1.0 - depth), turn)];
    let tilt = DQuat::from_scaled_axis(DVec3::new(2e-3, 3e-3, 0.0));
    let twist = DQuat::from_rotation_z(0.4);
    let corner = |depth: f64| {
        let up = DQuat::from_rotation_arc(DVec3::NEG_ONE.normalize(), DVec3::NEG_Z);
        vec![Pose::new(DVec3::new(0.1, 0.05, 0.5 + 0.75_f64.sqrt() - depth), up)]
    };
    let upside_down = DQuat::from_rotation_x(std::f64::consts::PI);
    let mut random = Sequence::new(3);
    let (a, b) = (hull(20, &mut random), hull(20, &mut random));
    let hulls = as_deep_as(0.03, &a, &b, &mut random);
    let (stone_a, stone_b) = (hull(1000, &mut random), hull(1000, &mut random));
    let stones = as_deep_as(0.02, &stone_a, &stone_b, &mut random);
    let one = Some(cube(1.0));
    vec![
        Case { name: "face_within", a: cube(0.8), b: one.clone(), poses: lifted(0.11, 0.02, DQuat::IDENTITY) },
        Case { name: "face_offset", a: cube(1.0), b: one.clone(), poses: lifted(0.01, 0.02, DQuat::IDENTITY) },
        Case { name: "face_tilted", a: cube(1.0), b: one.clone(), poses: lifted(0.01, 0.02, tilt) },
        Case { name: "face_twisted", a: cube(1.0), b: one.clone(), poses: lifted(0.01, 0.02, twist * tilt) },
        Case { name: "face_flush", a: cube(1.0), b: one.clone(), poses: lifted(0.01, 0.0, DQuat::IDENTITY) },
        Case { name: "corner", a: cube(1.0), b: one, poses: corner(0.02) },
        Case { name: "face_wall", a: cube(1.0), b: None, poses: vec![Pose::new(DVec3::Z * 0.49, tilt)] },
        Case { name: "hulls_20", a: a.clone(), b: Some(b), poses: hulls },
        Case { name: "hulls_1000", a: stone_a, b: Some(stone_b), poses: stones },
        Case {
            name: "hull_20_wall",
            poses: vec![Pose::new(DVec3::Z * (a.support(DVec3::Z).z - 0.03), upside_down)],
            a,
            b: None,
        },
    ]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut workspace = Workspace::default();
    let mut other = Workspace::default();
    let mut region = |case: &Case, (pose, contact): &(Pose, Contact)| match &case.b {
        Some(b) => overlap_from(&case.a, b, pose, contact, &mut other),
        None => overlap_half_space_from(&case.a, pose, &mut other),
    };
    let mut ask = |case: &Case, (pose, contact): &(Pose, Contact)| match &case.b {
        Some(b) => depth_moments(&case.a, b, pose, contact, &mut workspace),
        None => depth_moments_half_space(&case.a, pose, &mut workspace),
    };
    let n: usize = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    for case in cases() {
        if arguments.is_empty() {
            println!("{} {:?}", case.name, ask(&case, &questions(&case)[0]));
        } else if case.name == arguments[0] {
            let questions = questions(&case);
            for k in 0..n {
                let question = black_box(&questions[k % questions.len()]);
                if arguments.len() > 2 {
                    let _ = black_box(region(&case, question));
                } else {
                    black_box(ask(&case, question));
                }
            }
        }
    }
}
