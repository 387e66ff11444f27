//! Which body is called a, where the world's origin is and how its axes lie do not matter.

use crate::samples::{elastic, for_each_conserving_law, has_exact_region, model, orientation, overlapping, pairs_for};
use glam::{DQuat, DVec3};
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{Law, LawKind};
use tumble_engine::random::Random;
use tumble_geometry::narrow::YieldingBody;
use tumble_geometry::tolerance::REGION;
use tumble_geometry::{Pose, Shape};

for_each_conserving_law!(names_places_and_axes_do_not_matter, check);

/// How far the answers may differ, over the force: rounding, but for regions that are found to a tolerance, for
/// superquadrics, whose flat spots leave the place of the witness point open to a small root of rounding, and for bodies that give
/// way, whose arcs are up to 1e7 times as large as they are.
fn bound(law: &Law, shapes: &[Shape; 2]) -> f64 {
    let has_flat_spots = |shape: &Shape| matches!(shape, Shape::Superquadric(s) if s.n1 > 2.0 || s.n2 > 2.0);
    let is_nearly_a_box = |shape: &Shape| matches!(shape, Shape::Superquadric(s) if s.n1.max(s.n2) > 4.0);
    let gives_way = |shape: &Shape| shape.parts().any(|(part, _)| YieldingBody::new(part).yields());
    match law.kind {
        LawKind::Volume { .. } if !has_exact_region(shapes) => 10.0 * REGION,
        // The root is the smaller the flatter they are.
        _ if shapes.iter().any(is_nearly_a_box) => 1e-8,
        _ if shapes.iter().any(has_flat_spots) => 1e-9,
        _ if shapes.iter().any(gives_way) => 1e-9,
        _ => 1e-12,
    }
}

pub(crate) fn check(law_name: &str, law: Law) {
    check_pairs(law_name, law, pairs_for(&law));
}

pub(crate) fn check_pairs(law_name: &str, law: Law, pairs: Vec<(String, [Shape; 2])>) {
    let (mut largest, mut largest_moved): (f64, f64) = (0.0, 0.0);
    for (seed, (name, shapes)) in pairs.into_iter().enumerate() {
        let bound = bound(&law, &shapes);
        let model = model(&shapes, law, elastic(), 1e-4);
        let mut random = Random::from_seed(40 + seed as u64);
        for _ in 0..5 {
            let (poses, wrench) = overlapping(&model, 0.03, &mut random);
            let size = wrench.force.length();
            let compare = |what: &str, found: [DVec3; 2], energy: f64, bound: f64, largest: &mut f64| {
                let [force, torque] = found;
                let error = ((force - wrench.force).length().max((torque - wrench.torque_a).length()) / size)
                    .max((energy / wrench.energy - 1.0).abs());
                *largest = largest.max(error);
                assert!(error < bound, "{law_name}: {name}: {what}: {error:.1e}");
            };
            let other = elastic_wrench(&model, [1, 0], [poses[1], poses[0]]);
            compare("swapped", [-other.force, other.torque_b], other.energy, bound, &mut largest);
            let turn = if model.planar { DQuat::from_rotation_z(1.0) } else { orientation(&model, &mut random) };
            let turned = elastic_wrench(&model, [0, 1], poses.map(|p| Pose::new(DVec3::ZERO, turn).compose(&p)));
            let back = turn.conjugate();
            compare("turned", [back * turned.force, back * turned.torque_a], turned.energy, bound, &mut largest);
            let shift = if model.planar { DVec3::new(600.0, 800.0, 0.0) } else { DVec3::new(600.0, 800.0, -300.0) };
            let moved = elastic_wrench(&model, [0, 1], poses.map(|p| Pose::new(p.position + shift, p.orientation)));
            // The places themselves are rounded to 1e-13 there, some 4e-12 of the depth.
            let bound = bound.max(3e-11);
            compare("moved", [moved.force, moved.torque_a], moved.energy, bound, &mut largest_moved);
        }
    }
    println!("{law_name}: largest difference {largest:.1e}, moved by a thousand sizes {largest_moved:.1e}");
}
