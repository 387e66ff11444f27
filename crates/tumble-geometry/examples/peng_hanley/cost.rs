//! What a question costs.

use crate::bodies::{Round, even_hull, posed, regular_solids};
use std::hint::black_box;
use std::time::Instant;
use tumble_geometry::narrow::{ContactMethod, contact_by};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::peng_hanley::{Ending, PengHanley, contact_peng_hanley};
use tumble_geometry::{Pose, Shape, Superquadric};

const METHODS: [ContactMethod; 3] =
    [ContactMethod::PENG_HANLEY, ContactMethod::PENG_HANLEY_GUARDED, ContactMethod::Exact];

/// Times a question is asked in a round.
const REPEATS: u32 = 20;

/// Asks by a method whether two bodies touch: as contacts need it, and no more. The published chart has its verdict and contact; what it leaves
/// open the exact method answers, which is part of the cost.
fn ask(method: ContactMethod, a: &Shape, b: &Shape, pose: &Pose) {
    let _ = black_box(match method.peng_hanley() {
        Some(version) => match contact_peng_hanley(a, b, pose, version) {
            Some(found) if found.ending.verdict() != tumble_geometry::peng_hanley::Verdict::Open => found.contact,
            _ => contact_by(ContactMethod::Exact, a, b, pose, None, 0.0).ok().flatten(),
        },
        None => contact_by(method, a, b, pose, None, 0.0).ok().flatten(),
    });
}

/// Nanoseconds of a question by each method, the least of some rounds in turn.
fn times(a: &Shape, b: &Shape, pose: &Pose, rounds: usize) -> [f64; 3] {
    let mut least = [f64::INFINITY; 3];
    for _ in 0..rounds {
        for (best, method) in least.iter_mut().zip(METHODS) {
            let start = Instant::now();
            for _ in 0..REPEATS {
                ask(method, black_box(a), black_box(b), black_box(pose));
            }
            *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(REPEATS));
        }
    }
    least
}

/// Figure 12: unit balls with their centres anywhere in the box around a solid, but for those inside.
pub fn by_case(n: usize, rounds: usize) {
    println!("solid,case,method,share,nanoseconds");
    for (name, polyhedron) in regular_solids() {
        let half_edge = 1.0 + polyhedron.bounding_radius();
        let a = Shape::Polyhedron(polyhedron);
        let b = Shape::Superquadric(Superquadric { semi_axes: tumble_geometry::DVec3::ONE, n1: 2.0, n2: 2.0 });
        let mut sequence = Sequence::new(4);
        let mut found: Vec<(String, [f64; 3])> = Vec::new();
        for _ in 0..n {
            let pose = Pose::from_position(sequence.point_in_cube(half_edge));
            let Some(ending) = contact_peng_hanley(&a, &b, &pose, PengHanley::AsPublished).map(|f| f.ending) else {
                continue;
            };
            if ending != Ending::CentreInside {
                let case = ending.case().map_or_else(|| ending.name().to_string(), |case| case.to_string());
                found.push((case, times(&a, &b, &pose, rounds)));
            }
        }
        let mut cases: Vec<String> = found.iter().map(|(case, _)| case.clone()).collect();
        cases.sort_unstable();
        cases.dedup();
        for case in cases {
            for (k, method) in METHODS.into_iter().enumerate() {
                let mut of_case: Vec<f64> = found.iter().filter(|f| f.0 == case).map(|f| f.1[k]).collect();
                of_case.sort_unstable_by(f64::total_cmp);
                // The accumulated curve in steps of five per cent.
                for step in 0..=20 {
                    let place = (step * (of_case.len() - 1)).div_ceil(20);
                    println!(
                        "{name},{case},{},{:.2},{:.1}",
                        method.name(),
                        f64::from(step as u32) / 20.0,
                        of_case[place]
                    );
                }
            }
        }
    }
}

/// Pairs a hundredth of the size apart or deep.
fn near_pairs(n_faces: usize, exponent: f64, n: usize) -> Vec<(Shape, Shape, Pose)> {
    let a = Shape::Polyhedron(even_hull(n_faces));
    let mut sequence = Sequence::new(5);
    (0..n)
        .map(|k| {
            let body = Superquadric { n1: exponent, n2: exponent, ..Round::Ellipsoid.draw(&mut sequence) };
            let b = Shape::Superquadric(body);
            let pose = posed(&a, &b, if k % 2 == 0 { 0.01 } else { -0.01 }, &mut sequence);
            (a.clone(), b, pose)
        })
        .collect()
}

/// Growth with the number of faces.
pub fn by_faces(n: usize, rounds: usize) {
    println!("faces,exponent,method,mean_nanoseconds");
    for exponent in [2.0, 5.0] {
        for n_faces in [4, 8, 16, 32, 64, 128, 256, 500] {
            let pairs = near_pairs(n_faces, exponent, n);
            let mut sums = [0.0; 3];
            for (a, b, pose) in &pairs {
                for (sum, time) in sums.iter_mut().zip(times(a, b, pose, rounds)) {
                    *sum += time;
                }
            }
            for (method, sum) in METHODS.into_iter().zip(sums) {
                println!("{n_faces},{exponent},{},{:.1}", method.name(), sum / n as f64);
            }
        }
    }
}

/// Asks for callgrind, 100 pairs that many times; whether there is such a method.
pub fn count(name: &str, n_faces: usize, exponent: f64, n: usize) -> bool {
    let Some(method) = METHODS.into_iter().find(|method| method.name() == name) else { return false };
    let pairs = near_pairs(n_faces, exponent, 100);
    for _ in 0..n {
        for (a, b, pose) in &pairs {
            ask(method, a, b, pose);
        }
    }
    true
}
