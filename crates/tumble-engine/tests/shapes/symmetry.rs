//! Which body is called a, where the world's origin is and how its axes lie do not matter.

use crate::samples::{all_pairs, elastic, for_each_conserving_law, model, orientation, overlapping};
use glam::{DQuat, DVec3};
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{Law, LawKind};
use tumble_engine::random::Random;
use tumble_geometry::Pose;
use tumble_geometry::tolerance::REGION;

for_each_conserving_law!(names_places_and_axes_do_not_matter, check);

fn check(law_name: &str, law: Law) {
    let mut largest: f64 = 0.0;
    // Regions of curved bodies are found to their tolerance; the force is their area times the pressure.
    let bound = if matches!(law.kind, LawKind::Volume { .. }) { 10.0 * REGION } else { 1e-10 };
    for (seed, (name, shapes)) in all_pairs().into_iter().enumerate() {
        let model = model(&shapes, law, elastic(), 1e-4);
        let mut random = Random::from_seed(40 + seed as u64);
        for _ in 0..5 {
            let (poses, wrench) = overlapping(&model, 0.03, &mut random);
            let size = wrench.force.length();
            let mut compare = |what: &str, force: DVec3, torque: DVec3, energy: f64| {
                let error = ((force - wrench.force).length().max((torque - wrench.torque_a).length()) / size)
                    .max((energy / wrench.energy - 1.0).abs());
                largest = largest.max(error);
                assert!(error < bound, "{law_name}: {name}: {what}: {error:.1e}");
            };
            let other = elastic_wrench(&model, [1, 0], [poses[1], poses[0]]);
            compare("swapped", -other.force, other.torque_b, other.energy);
            let turn = if model.planar { DQuat::from_rotation_z(1.0) } else { orientation(&model, &mut random) };
            let turned = elastic_wrench(&model, [0, 1], poses.map(|p| Pose::new(DVec3::ZERO, turn).compose(&p)));
            let back = turn.conjugate();
            compare("turned", back * turned.force, back * turned.torque_a, turned.energy);
            let shift = if model.planar { DVec3::new(600.0, 800.0, 0.0) } else { DVec3::new(600.0, 800.0, -300.0) };
            let moved = elastic_wrench(&model, [0, 1], poses.map(|p| Pose::new(p.position + shift, p.orientation)));
            compare("moved by a thousand sizes", moved.force, moved.torque_a, moved.energy);
        }
    }
    println!("{law_name}: largest difference {largest:.1e}");
}
