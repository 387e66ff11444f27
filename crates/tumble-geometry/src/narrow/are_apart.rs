//! Whether two shapes are apart, for those who ask nothing else: where shapes overlap deeply this is many times as fast as
//! to find how deep.

use super::contact_within;
use super::general::are_apart_general;
use super::pair_table::{PairAlgorithm, algorithm};
use crate::{Part, Pose, Shape};

/// Whether two shapes are farther apart than a distance [m]. Where that cannot be told, they are not.
pub fn are_apart(a: &Shape, b: &Shape, pose_ab: &Pose, distance: f64) -> bool {
    match (a, b) {
        (Shape::Clump(clump), _) => clump.parts().iter().all(|part| {
            is_far(part, b, pose_ab, distance) || are_apart(&part.shape, b, &part.pose.relative(pose_ab), distance)
        }),
        (_, Shape::Clump(clump)) => {
            clump.parts().iter().all(|part| are_apart(a, &part.shape, &pose_ab.compose(&part.pose), distance))
        }
        _ if goes_by_support(a, b) => are_apart_general(a, b, pose_ab, distance),
        // All others have formulas that find the contact as fast.
        _ => matches!(contact_within(a, b, pose_ab, None, distance), Ok(None)),
    }
}

/// Whether the bounding balls of a part and a shape tell that they are farther apart than a distance.
fn is_far(part: &Part, other: &Shape, pose: &Pose, distance: f64) -> bool {
    let reach = part.shape.solid_radius() + other.solid_radius() + distance;
    pose.position.distance_squared(part.pose.position) > reach * reach
}

/// Whether the contact of two convex shapes is found by support functions alone, the depth by an expanding polytope.
fn goes_by_support(a: &Shape, b: &Shape) -> bool {
    let has_formulas = |shape: &Shape| match shape {
        Shape::Polyhedron(polyhedron) => polyhedron.cuboid().is_some(),
        _ => true,
    };
    match algorithm(a.kind(), b.kind()) {
        PairAlgorithm::General | PairAlgorithm::PolyhedronAndSuperquadric | PairAlgorithm::Smooth => true,
        PairAlgorithm::SphereAndPolyhedron | PairAlgorithm::Polyhedra => !(has_formulas(a) && has_formulas(b)),
        PairAlgorithm::Spheres
        | PairAlgorithm::Discs
        | PairAlgorithm::PlanarCorners
        | PairAlgorithm::Revolution
        | PairAlgorithm::Parts => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    #[test]
    fn all_pairs_of_shapes_agree_with_their_contacts() {
        let tetrahedron =
            [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(DVec3::from_array);
        let cuboid = Shape::cuboid(DVec3::new(1.0, 0.7, 1.3)).unwrap();
        let part = |x: f64| Part { shape: cuboid.clone(), pose: Pose::from_position(DVec3::X * x) };
        let shapes = [
            Shape::sphere(0.8).unwrap(),
            Shape::cylinder(0.5, 1.6).unwrap(),
            Shape::truncated_cone(0.7, 0.1, 1.2).unwrap(),
            Shape::superquadric(DVec3::new(0.5, 0.9, 0.7), 3.0, 4.0).unwrap(),
            Shape::polyhedron(&tetrahedron).unwrap(),
            cuboid.clone(),
            Shape::clump(vec![part(0.0), part(1.2)]).unwrap(),
        ];
        // Places and orientations all over, without chance.
        let spread = |k: u32, step: f64| (f64::from(k) * step).fract() - 0.5;
        let (mut n_apart, mut n_near) = (0, 0);
        for (a, b) in shapes.iter().flat_map(|a| shapes.iter().map(move |b| (a, b))) {
            for k in 0..200 {
                let position = 5.0 * DVec3::new(spread(k, 0.754877), spread(k, 0.569840), spread(k, 0.430159));
                let turn = 6.0 * DVec3::new(spread(k, 0.618034), spread(k, 0.324718), spread(k, 0.220744));
                let pose = Pose::new(position, DQuat::from_scaled_axis(turn));
                let separation = crate::narrow::contact(a, b, &pose).unwrap().separation;
                for distance in [0.0, 0.1] {
                    let apart = are_apart(a, b, &pose, distance);
                    assert_eq!(apart, separation > distance, "{a:?} {b:?} {pose:?}: {separation}");
                    n_apart += u32::from(apart);
                    n_near += u32::from(!apart);
                }
            }
        }
        assert!(n_apart > 2000 && n_near > 2000, "{n_apart} {n_near}");
    }
}
