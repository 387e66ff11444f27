//! What contacts and regions of superquadrics cost, counted by callgrind: the difference of two numbers of repetitions.
//!
//! `cargo build --release --example lens_cost`, then `valgrind --tool=callgrind target/release/examples/lens_cost <case>
//! <repetitions> [contact]`; without arguments it lists the cases and how many of their regions are lenses within reach of a run's
//! tolerance. With `contact` the contact is found instead, from the normal of a moment ago, to compare.

use glam::{DQuat, DVec3};
use std::hint::black_box;
use tumble_geometry::narrow::{ContactMethod, contact_bodies_by};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{Workspace, overlap_from, overlap_half_space_from};
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Contact, ContactBody, Pose, Shape, Superquadric};

const N_POSES: usize = 50;
const DEPTHS: [f64; 4] = [1e-4, 1e-3, 1e-2, 5e-2];

struct Case {
    name: String,
    a: Shape,
    /// A half-space if there is none.
    b: Option<Shape>,
    /// Depth over the smallest half axis.
    depth: f64,
}

fn cases() -> Vec<Case> {
    let superquadric = |x: f64, y: f64, z: f64, n: f64| {
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(x, y, z), n1: n, n2: n })
    };
    let mut cases = Vec::new();
    for depth in DEPTHS {
        let spheroids = [superquadric(0.8, 0.8, 0.5, 2.0), superquadric(0.6, 0.6, 0.9, 2.0)];
        let triaxial = [superquadric(0.8, 0.7, 0.6, 2.0), superquadric(0.9, 0.5, 0.7, 2.0)];
        let fours = [superquadric(0.8, 0.7, 0.6, 4.0), superquadric(0.9, 0.5, 0.7, 4.0)];
        let eights = [superquadric(0.8, 0.7, 0.6, 8.0), superquadric(0.9, 0.5, 0.7, 8.0)];
        let pairs = [("spheroids", spheroids), ("ellipsoids", triaxial), ("fours", fours), ("eights", eights)];
        for (name, [a, b]) in pairs {
            cases.push(Case { name: format!("{name}-{depth:e}"), a: a.clone(), b: Some(b), depth });
            if name == "fours" || name == "eights" {
                cases.push(Case { name: format!("{name}-plane-{depth:e}"), a, b: None, depth });
            }
        }
    }
    cases
}

/// Poses of a depth in which the bodies are turned anyhow, and the contact that a run has found before it asks.
fn questions(case: &Case) -> Vec<(Pose, Contact)> {
    let mut random = Sequence::new(17);
    let depth = 0.5 * case.depth;
    let mut question = || {
        let (orientation, normal) = (random.orientation(), random.direction());
        match &case.b {
            Some(b) => {
                let point_a = case.a.support(normal);
                let point_b = point_a - normal * depth;
                let position = point_b - orientation * b.support(orientation.inverse() * -normal);
                (Pose::new(position, orientation), Contact { normal, separation: -depth, point_a, point_b })
            }
            None => {
                let lowest = (orientation * case.a.support(orientation.inverse() * DVec3::NEG_Z)).z;
                let pose = Pose::new(DVec3::Z * (-lowest - depth), orientation);
                (pose, Contact { normal: DVec3::NEG_Z, separation: -depth, ..Contact::NOWHERE })
            }
        }
    };
    (0..N_POSES).map(|_| question()).collect()
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut workspace = Workspace::with_tolerance(LAW_REGION);
    if words.is_empty() {
        for case in cases() {
            let mut n = 0;
            for (pose, contact) in questions(&case) {
                let found = match &case.b {
                    Some(b) => overlap_from(&case.a, b, &pose, &contact, &mut workspace),
                    None => overlap_half_space_from(&case.a, &pose, &mut workspace),
                };
                n += usize::from(found.is_ok());
            }
            println!("{:<24} {n} of {N_POSES} to the tolerance", case.name);
        }
        return;
    }
    let repetitions: usize = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    let Some(case) = cases().into_iter().find(|case| case.name == words[0]) else {
        eprintln!("no such case: without arguments the cases are listed");
        return;
    };
    let questions = questions(&case);
    let bodies = [Some(&case.a), case.b.as_ref()].map(|shape| shape.map(|shape| ContactBody::new(shape, 0.0)));
    for _ in 0..repetitions {
        for (pose, contact) in &questions {
            match (&bodies, words.get(2)) {
                ([Some(a), Some(b)], Some(_)) => {
                    // The body has turned a little since then.
                    let guess = DQuat::from_rotation_x(1e-4) * contact.normal;
                    let method = ContactMethod::Exact;
                    let _ = black_box(contact_bodies_by(method, a, b, pose, Some(guess), f64::INFINITY));
                }
                ([Some(_), Some(_)], None) => {
                    let Some(b) = &case.b else { continue };
                    let _ = black_box(overlap_from(&case.a, b, pose, contact, &mut workspace));
                }
                _ => {
                    let _ = black_box(overlap_half_space_from(&case.a, pose, &mut workspace));
                }
            }
        }
    }
}
