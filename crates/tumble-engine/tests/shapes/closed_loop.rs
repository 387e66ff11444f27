//! A body moved around a closed path in contact with another comes back with the work it was given: the sum of
//! F . dx + T . dw around the loop vanishes as the path is refined.

use crate::samples::{elastic, for_each_conserving_law, has_exact_region, loop_size, model, overlapping, pairs_for};
use glam::{DQuat, DVec3};
use rayon::prelude::*;
use std::f64::consts::TAU;
use tumble_engine::Model;
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{Law, LawKind};
use tumble_engine::random::Random;
use tumble_geometry::tolerance::REGION;
use tumble_geometry::{Pose, Shape};

/// Work around a loop of n steps over the largest energy on it.
fn loop_work(model: &Model, start: [Pose; 2], amplitude: f64, phases: [f64; 6], n_steps: usize) -> f64 {
    let pose = |k: usize| {
        let angle = TAU * k as f64 / n_steps as f64;
        // Starts and ends where it began, and is no there-and-back.
        let wave = |i: usize| amplitude * ((angle + phases[i]).sin() - phases[i].sin());
        let (mut motion, mut turn) = (DVec3::new(wave(0), wave(1), wave(2)), DVec3::new(wave(3), wave(4), wave(5)));
        if model.planar {
            (motion.z, turn) = (0.0, DVec3::Z * turn.z);
        }
        Pose::new(start[1].position + motion, DQuat::from_scaled_axis(turn) * start[1].orientation)
    };
    let at = |pose: &Pose| elastic_wrench(model, [0, 1], [start[0], *pose]);
    let (mut work, mut largest): (f64, f64) = (0.0, 0.0);
    let mut before = (pose(0), at(&pose(0)));
    for k in 1..=n_steps {
        let now = pose(k % n_steps);
        let wrench = at(&now);
        let motion = now.position - before.0.position;
        let turn = (now.orientation * before.0.orientation.conjugate()).to_scaled_axis();
        let turn = if turn.length() > TAU / 2.0 { turn - turn.normalize() * TAU } else { turn };
        // Force on b is the opposite of that on a.
        work += 0.5 * (-(wrench.force + before.1.force).dot(motion) + (wrench.torque_b + before.1.torque_b).dot(turn));
        largest = largest.max(wrench.energy);
        before = (now, wrench);
    }
    work.abs() / largest
}

for_each_conserving_law!(work_around_a_closed_loop_vanishes, check);

pub(crate) fn check(law_name: &str, law: Law) {
    check_pairs(law_name, law, pairs_for(&law));
}

pub(crate) fn check_pairs(law_name: &str, law: Law, pairs: Vec<(String, [Shape; 2])>) {
    let results: Vec<(String, f64, f64)> = pairs
        .into_par_iter()
        .enumerate()
        .map(|(seed, (name, shapes))| {
            let model = model(&shapes, law, elastic(), 1e-4);
            let mut random = Random::from_seed(100 + seed as u64);
            let (start, _) = overlapping(&model, 0.03, &mut random);
            let phases = std::array::from_fn(|_| random.between(0.0, TAU));
            let numbers = match law.kind {
                LawKind::Volume { .. } if has_exact_region(&shapes) => [200, 800],
                // Regions of other bodies take long.
                LawKind::Volume { .. } => [50, 200],
                LawKind::Pressure { .. } => [200, 800],
                // Where a body with a vertex or an edge is met by its deepest point, the force jumps as that changes: first order
                // in the step.
                LawKind::Linear { .. } | LawKind::HertzMindlin { .. } => [200, 3_200],
            };
            let [coarse, fine] = numbers.map(|n| loop_work(&model, start, loop_size(&model), phases, n));
            (name, coarse, fine)
        })
        .collect();
    for (name, coarse, fine) in &results {
        println!("{law_name}: {name}: {coarse:.1e} with coarse steps, {fine:.1e} with fine ones");
        assert!(*fine < 1e-3, "{law_name}: {name}: {fine}");
    }
    let sum = |pick: fn(&(String, f64, f64)) -> f64| results.iter().map(pick).sum::<f64>();
    let (coarse, fine) = (sum(|r| r.1), sum(|r| r.2));
    println!("{law_name}: mean {:.1e} -> {:.1e}", coarse / results.len() as f64, fine / results.len() as f64);
    // At least four times finer: at least four times less, where force jumps leave first order.
    // Below the tolerance of the regions there is nothing left to fall.
    let floor = if matches!(law.kind, LawKind::Volume { .. }) { REGION * results.len() as f64 } else { 0.0 };
    assert!(fine < (0.25 * coarse).max(floor), "{law_name}: {coarse} -> {fine}");
}
