//! What a question costs by the exact method and by the published ones, with what can be chosen of them, and how far their volumes
//! are off.
//!
//! `cargo run --release -p tumble-geometry --example feng_cost [CASE]` asks each way in turns and prints the least time a question
//! and the median error of the volume. With a case, the name of a way as printed and a number of repetitions it asks that often
//! and nothing else: callgrind counts the instructions, the difference of two numbers of repetitions.
//!
//! A case is two hundred random pairs that overlap by 0.2 % to 5 % of the ball inside the smaller, as in a run.

use std::hint::black_box;
use std::time::Instant;
use tumble_geometry::feng::{FengChoices, NearestBy, contact_feng_shapes, serves};
use tumble_geometry::narrow::{self, ContactMethod, contact_by};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::overlap;
use tumble_geometry::roots::QuarticBy;
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
        alike("capsules", Shape::capsule(0.4, 1.2).expect("a size")),
        alike("cones", Shape::truncated_cone(0.8, 0.4, 1.0).expect("a size")),
        alike("domed", Shape::tablet(0.8, 1.0, 0.25).expect("a size")),
        Case {
            name: "cone_capsule",
            a: Shape::truncated_cone(0.8, 0.4, 1.0).expect("a size"),
            b: Shape::capsule(0.4, 1.2).expect("a size"),
        },
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

/// The exact method, and the published ones with what can be chosen of them.
fn ways() -> Vec<(String, ContactMethod)> {
    let none = FengChoices::NONE;
    let (layered, edge) = (ContactMethod::FENG_LAYERED, ContactMethod::FENG_EDGE);
    let mut ways = vec![("exact".to_string(), ContactMethod::Exact)];
    let mut add = |name: String, method: ContactMethod, choices: FengChoices| {
        ways.push((name, method.with(&choices).expect("a choice of the method")));
    };
    for n in [2, 4, 8, 16, 32, 64] {
        add(format!("layers-{n}"), layered, FengChoices { n_layers: Some(n), ..none });
    }
    for n in [2, 4, 8, 16, 32] {
        add(format!("edge-points-{n}"), edge, FengChoices { n_points: Some(n), ..none });
    }
    for by in QuarticBy::ALL {
        add(format!("layers-8-{}", by.name()), layered, FengChoices { quartic_by: Some(by), ..none });
    }
    add("layers-8-nearest-quartic".into(), layered, FengChoices { nearest_by: Some(NearestBy::ALL[1]), ..none });
    ways
}

/// Median error of the volume by a way, over the exact volume.
fn error(case: &Case, method: ContactMethod, poses: &[Pose]) -> Option<f64> {
    let options = method.feng()?;
    let mut errors: Vec<f64> = poses
        .iter()
        .filter_map(|pose| {
            let exact = overlap(&case.a, &case.b, pose).ok()??.volume;
            let found = contact_feng_shapes(&case.a, &case.b, pose, &options).map_or(0.0, |contact| contact.volume);
            Some((found / exact - 1.0).abs())
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |case: &Case| arguments.first().is_none_or(|name| name == case.name);
    for case in cases().iter().filter(|case| wanted(case)) {
        let poses = poses(case);
        let does_serve =
            |method: &ContactMethod| method.feng().is_none_or(|options| serves(&options, case.a.kind(), case.b.kind()));
        let ways: Vec<_> = ways().into_iter().filter(|(_, method)| does_serve(method)).collect();
        if let [_, name, n] = arguments.as_slice() {
            let n: usize = n.parse().expect("a number of repetitions");
            let (_, method) = ways.iter().find(|(known, _)| known == name).expect("the name of a way");
            for k in 0..n {
                ask(case, *method, &poses[k % N_PAIRS]);
            }
            continue;
        }
        let mut best = vec![f64::INFINITY; ways.len()];
        for _ in 0..9 {
            for (best, (_, method)) in best.iter_mut().zip(&ways) {
                let start = Instant::now();
                poses.iter().for_each(|pose| ask(case, *method, pose));
                *best = best.min(start.elapsed().as_secs_f64() / N_PAIRS as f64);
            }
        }
        println!("{}:", case.name);
        for (best, (name, method)) in best.iter().zip(&ways) {
            let error = error(case, *method, &poses).map_or(String::new(), |error| format!("  {error:.0e}"));
            println!("  {name:28} {:7.1} us{error}", 1e6 * best);
        }
    }
}
