//! Force and torque are the gradient of the energy: central differences of U over the six motions of one body.

use crate::samples::{
    N_GRADIENT_POSES, depth_law, elastic, every_pair, for_each_conserving_law, has_exact_region, model, overlapping,
    pairs_for, volume_law,
};
use glam::{DQuat, DVec3};
use rayon::prelude::*;
use tumble_engine::Model;
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{Law, LawKind, VolumeExponent};
use tumble_engine::random::Random;
use tumble_geometry::{Pose, Shape};

/// Half widths of the differences, as parts of the depth; the better answer counts. With the five-point rule the error is
/// the fourth power of the width times a number of order one, or of 1e2 where the crown of a long rod bends within the
/// depth; rounding of U is enlarged by the inverse of the width, and for a crowned body it is that of an arc up to 1e5 times
/// as large: 1e-8 of U for the thinnest discs.
const STEPS: [f64; 2] = [1e-2, 2e-3];

/// The largest difference between force or torque and the differences of U, over the size of the force.
fn error_at(model: &Model, poses: [Pose; 2], wrench: &tumble_engine::contacts::ElasticWrench) -> f64 {
    STEPS.map(|step| error_with(model, poses, wrench, step * wrench.depth)).into_iter().fold(f64::INFINITY, f64::min)
}

fn error_with(model: &Model, poses: [Pose; 2], wrench: &tumble_engine::contacts::ElasticWrench, h: f64) -> f64 {
    let energy = |motion: DVec3, turn: DVec3| {
        let pose = Pose::new(poses[1].position + motion, DQuat::from_scaled_axis(turn) * poses[1].orientation);
        elastic_wrench(model, [0, 1], [poses[0], pose]).energy
    };
    let slope = |motion: DVec3, turn: DVec3| {
        let at = |k: f64| energy(motion * (k * h), turn * (k * h));
        (at(-2.0) - 8.0 * at(-1.0) + 8.0 * at(1.0) - at(2.0)) / (12.0 * h)
    };
    let axes: &[DVec3] = if model.planar { &[DVec3::X, DVec3::Y] } else { &DVec3::AXES };
    let turns: &[DVec3] = if model.planar { &[DVec3::Z] } else { &DVec3::AXES };
    // The energy falls along the force on b.
    let forces = axes.iter().map(|&axis| (slope(axis, DVec3::ZERO) - wrench.force.dot(axis)).abs());
    let torques = turns.iter().map(|&axis| (slope(DVec3::ZERO, axis) + wrench.torque_b.dot(axis)).abs());
    forces.chain(torques).fold(0.0, f64::max) / wrench.force.length()
}

/// Errors at random poses of one pair, sorted.
fn errors(shapes: &[Shape; 2], law: Law, n_poses: usize, seed: u64) -> Vec<f64> {
    let model = model(shapes, law, elastic(), 1e-4);
    let mut errors: Vec<f64> = (0..n_poses)
        .into_par_iter()
        .filter_map(|k| {
            let mut random = Random::from_seed(seed * 1_000_003 + k as u64);
            let depth = 0.01 * (1.0 + 4.0 * random.unit());
            let (poses, wrench) = overlapping(&model, depth, &mut random);
            (wrench.force.length() > 0.0).then(|| error_at(&model, poses, &wrench))
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

for_each_conserving_law!(force_and_torque_are_the_gradient_of_the_energy, check);

/// Fewer poses where regions take long.
pub(crate) fn check(law_name: &str, law: Law) {
    let pairs = pairs_for(&law);
    let n_poses = match law.kind {
        LawKind::Linear { .. } | LawKind::HertzMindlin { .. } => N_GRADIENT_POSES.div_ceil(pairs.len()),
        LawKind::Volume { exponent: VolumeExponent::ThreeHalves, .. } => 12,
        LawKind::Volume { .. } | LawKind::Pressure { .. } => 40,
    };
    check_poses(law_name, law, pairs, n_poses);
}

pub(crate) fn check_poses(law_name: &str, law: Law, pairs: Vec<(String, [Shape; 2])>, n_poses: usize) {
    let mut worst = (0.0, String::new());
    let (mut n, mut n_switches) = (0, 0);
    for (seed, (name, shapes)) in pairs.into_iter().enumerate() {
        let errors = errors(&shapes, law, n_poses, seed as u64);
        // Where the deepest feature, or the order of smoothness of V, changes within the width of the differences, they
        // say nothing; such poses are rare, and told by their number.
        let (smooth, switches) = errors.split_at(errors.partition_point(|&e| e < 1e-6));
        println!(
            "{law_name}: {name}: {} poses, median {:.1e}, largest {:.1e}, {} at a switch (largest {:.1e})",
            errors.len(),
            errors[errors.len() / 2],
            smooth.last().copied().unwrap_or(f64::NAN),
            switches.len(),
            switches.last().copied().unwrap_or(0.0),
        );
        n += errors.len();
        n_switches += switches.len();
        let median = errors[errors.len() / 2];
        if median > worst.0 {
            worst = (median, name.clone());
        }
        assert!(switches.len() * 10 <= errors.len(), "{law_name}: {name}: {switches:?}");
    }
    println!("{law_name}: {n} poses, {n_switches} at a switch; worst median {:.1e} ({})", worst.0, worst.1);
}

/// Ten thousand poses for every pair.
#[test]
#[ignore = "minutes: the full size under the depth law"]
fn the_gradient_at_ten_thousand_poses_a_pair_under_the_depth_law() {
    check_poses("depth", depth_law(), every_pair().collect(), 10_000);
}

/// Ten thousand poses for every pair whose region is exact.
#[test]
#[ignore = "minutes: the full size for exact regions"]
fn the_gradient_at_ten_thousand_poses_a_pair_with_an_exact_region() {
    for exponent in [VolumeExponent::One, VolumeExponent::ThreeHalves, VolumeExponent::Two] {
        let exact = every_pair().filter(|(_, shapes)| has_exact_region(shapes)).collect();
        check_poses("volume", volume_law(exponent), exact, 10_000);
    }
}

/// Ten thousand poses over all pairs.
#[test]
#[ignore = "many minutes: all pairs under the volume law"]
fn the_gradient_at_ten_thousand_poses_under_the_volume_law() {
    check_poses("volume, 3/2", volume_law(VolumeExponent::ThreeHalves), every_pair().collect(), 145);
}
