//! What a question costs by the published methods and by the exact one, counted by callgrind: the difference of two numbers of
//! repetitions.
//!
//! `cargo build --release -p tumble-geometry --example feng_cost`, then `valgrind --tool=callgrind
//! target/release/examples/feng_cost <case> <method> <repetitions>`, the method as `tumble contact --method` has it; without
//! arguments it lists the cases, and times each method on each, in turns.
//!
//! A case is two hundred random pairs that overlap by 0.2 % to 5 % of their smallest half width, as in a run.

use std::hint::black_box;
use std::time::Instant;
use tumble_geometry::narrow::{self, ContactMethod, contact_by};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Pose, Shape};

const N_PAIRS: usize = 200;

struct Case {
    name: &'static str,
    a: Shape,
    b: Shape,
}

fn cases() -> Vec<Case> {
    let cylinder = |ratio: f64| {
        let radius = 1.0 / (1.0 + ratio * ratio).sqrt();
        Shape::cylinder(radius, 2.0 * ratio * radius).expect("a size")
    };
    let alike = |name, shape: Shape| Case { name, a: shape.clone(), b: shape };
    vec![
        alike("disc", cylinder(0.1)),
        alike("tablet", cylinder(0.5)),
        alike("even", cylinder(1.0)),
        alike("rod", cylinder(5.0)),
        Case { name: "disc_rod", a: cylinder(0.1), b: cylinder(5.0) },
    ]
}

/// Poses at which the two overlap as in a run.
fn poses(case: &Case) -> Vec<Pose> {
    let mut random = Sequence::new(17);
    let separation = |pose: &Pose| {
        let found = narrow::contact(&case.a, &case.b, pose);
        found.map_or_else(|unsure| unsure.best.separation, |contact| contact.separation)
    };
    let width = [&case.a, &case.b].map(|s| s.solid_radius()).into_iter().fold(f64::INFINITY, f64::min);
    let mut poses = Vec::with_capacity(N_PAIRS);
    while poses.len() < N_PAIRS {
        let (towards, orientation) = (random.direction(), random.orientation());
        let depth = width * random.between_in_ratio(0.002, 0.05);
        let (mut near, mut far) = (0.0, 2.5);
        for _ in 0..40 {
            let middle = 0.5 * (near + far);
            if separation(&Pose::new(towards * middle, orientation)) < -depth { near = middle } else { far = middle }
        }
        poses.push(Pose::new(towards * near, orientation));
    }
    poses
}

fn ask(case: &Case, method: ContactMethod, pose: &Pose) {
    let _ = black_box(contact_by(method, &case.a, &case.b, black_box(pose), None, f64::INFINITY));
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |case: &Case| arguments.first().is_none_or(|name| name == case.name);
    for case in cases().iter().filter(|case| wanted(case)) {
        let poses = poses(case);
        if let [_, name, n] = arguments.as_slice() {
            let n: usize = n.parse().expect("a number of repetitions");
            let method = ContactMethod::ALL.into_iter().find(|m| m.name() == name).expect("a method");
            for k in 0..n {
                ask(case, method, &poses[k % N_PAIRS]);
            }
            continue;
        }
        let mut best = ContactMethod::ALL.map(|_| f64::INFINITY);
        for _ in 0..9 {
            for (best, method) in best.iter_mut().zip(ContactMethod::ALL) {
                let start = Instant::now();
                poses.iter().for_each(|pose| ask(case, method, pose));
                *best = best.min(start.elapsed().as_secs_f64() / N_PAIRS as f64);
            }
        }
        print!("{}:", case.name);
        for (best, method) in best.iter().zip(ContactMethod::ALL) {
            print!("  {} {:.1} us", method.name(), 1e6 * best);
        }
        println!();
    }
}
