//! Polygons in one plane. The values are of `mean_depth_plane.py`, which clips polygons by the bisectors of their sides.

use super::*;
use glam::DVec2;
use tumble_geometry::Polygon;

fn polygon(corners: &[[f64; 2]]) -> Shape {
    let corners = corners.iter().map(|&corner| DVec2::from_array(corner)).collect();
    Shape::Polygon(Polygon::from_trusted_corners(corners, 0.25))
}

fn square() -> Shape {
    polygon(&[[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
}

fn triangle() -> Shape {
    polygon(&[[-0.8, -0.5], [0.7, -0.6], [0.1, 0.9]])
}

fn pentagon() -> Shape {
    let corner = |k: usize| DVec2::from_angle(0.4 * std::f64::consts::PI * k as f64) * 0.5;
    polygon(&[0, 1, 2, 3, 4].map(|k| corner(k).to_array()))
}

fn at(x: f64, y: f64, angle: f64) -> Pose {
    Pose::new(DVec3::new(x, y, 0.0), DQuat::from_rotation_z(angle))
}

#[test]
fn polygons_clipped_by_bisectors_have_the_same_depth() {
    let mut workspace = Workspace::default();
    for (a, b, pose, mean_depth, shift, turn) in [
        (
            square(),
            square(),
            at(0.1, 0.95, 0.07),
            0.057146270524799966,
            [0.0009459520790833425, -0.048751802596522106],
            0.004068265314790818,
        ),
        (
            triangle(),
            square(),
            at(0.3, 0.8, 0.4),
            0.26548743119050566,
            [-0.1023200009883839, -0.08440861978300064],
            0.03752363683729405,
        ),
        (
            pentagon(),
            triangle(),
            at(0.5, 0.6, 1.1),
            0.07131975639091845,
            [-0.05337366896682439, -0.031176722702459865],
            -0.0024741222938868823,
        ),
    ] {
        let found = depth_moments(&a, &b, &pose, &mut workspace).unwrap();
        assert!((found.mean_depth() - mean_depth).abs() < 1e-14, "{}", found.mean_depth());
        let slope = found.mean_depth_slope().times(-mean_depth);
        assert!((slope.shift - DVec3::new(shift[0], shift[1], 0.0)).length() < 1e-14, "{slope:?}");
        assert!((slope.turn - DVec3::Z * turn).length() < 1e-14, "{slope:?}");
        let swapped = depth_moments(&b, &a, &pose.relative(&Pose::IDENTITY), &mut workspace).unwrap();
        let error = difference(&swapped.transformed(&pose).swapped(), &found, 1.0);
        assert!(error < 1e-12, "{error:e}");
    }
}

#[test]
fn sides_on_each_other_share_a_strip() {
    // The integral over t of (1 - 2t)(d - 2t) is d^2 / 4 - d^3 / 12; prisms of a thickness of one half.
    let mut workspace = Workspace::default();
    for depth in [1e-9, 1e-3, 0.1, 0.9] {
        for found in [
            depth_moments(&square(), &square(), &at(0.0, 1.0 - depth, 0.0), &mut workspace).unwrap(),
            depth_moments_half_space(
                &square(),
                &Pose::new(DVec3::Z * (0.5 - depth), DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)),
                &mut workspace,
            )
            .unwrap(),
        ] {
            let limit = 1e-15 / depth + 1e-12;
            assert!((found.volume / (0.5 * depth) - 1.0).abs() < limit, "{found:?}");
            assert!((found.mean_depth() / (depth - depth * depth / 3.0) - 1.0).abs() < limit, "{found:?}");
        }
    }
    assert_eq!(depth_moments(&square(), &square(), &at(0.0, 1.5, 0.3), &mut workspace), None);
    let same = depth_moments(&square(), &square(), &at(0.0, 0.0, 0.0), &mut workspace).unwrap();
    assert!((same.volume - 0.5).abs() < 1e-14 && (same.mean_depth() - 2.0 / 3.0).abs() < 1e-14);
}

#[test]
fn depth_in_the_plane_changes_as_the_slopes_say() {
    let mut workspace = Workspace::default();
    let shapes = [square(), triangle(), pentagon()];
    let mut random = Sequence::new(21);
    let mut n_tried = 0;
    while n_tried < 300 {
        let (a, b) = (&shapes[(3.0 * random.unit()) as usize], &shapes[(3.0 * random.unit()) as usize]);
        let pose = at(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(0.0, 7.0));
        let Some(found) = depth_moments(a, b, &pose, &mut workspace) else { continue };
        let slope = found.mean_depth_slope();
        let mut mean_depth = |[x, y, turn]: [f64; 3], h: f64| {
            let step = at(x * h, y * h, turn * h);
            Some(depth_moments(a, b, &step.relative(&pose), &mut workspace)?.mean_depth())
        };
        n_tried += 1;
        for (direction, expected) in
            [([1.0, 0.0, 0.0], slope.shift.x), ([0.0, 1.0, 0.0], slope.shift.y), ([0.0, 0.0, 1.0], slope.turn.z)]
        {
            // The smallest step sees the slope where a corner comes into reach, and has the least digits.
            let is_slope = |share: f64, mean_depth: &mut dyn FnMut([f64; 3], f64) -> Option<f64>| {
                let h = share * found.mean_depth();
                let mut difference =
                    |h: f64| Some((mean_depth(direction, h)? - mean_depth(direction, -h)?) / (2.0 * h));
                let (coarse, fine) = (difference(h)?, difference(0.5 * h)?);
                Some((fine + (fine - coarse) / 3.0 - expected).abs() < 1e-6)
            };
            let found_slope = [1e-1, 1e-2, 1e-3, 1e-4].into_iter().any(|h| is_slope(h, &mut mean_depth) == Some(true));
            assert!(found_slope, "{pose:?} {direction:?}: {expected}");
        }
    }
}

#[test]
fn a_polygon_with_itself_is_the_polygon() {
    let mut workspace = Workspace::default();
    let mut random = Sequence::new(23);
    for shape in [square(), triangle(), pentagon()] {
        let room = polygon(&[[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]]);
        let alone = depth_moments(&shape, &room, &Pose::IDENTITY, &mut workspace).unwrap();
        for _ in 0..5000 {
            let size = random.between_in_ratio(1e-17, 1e-14);
            let mut noise = || random.between(-size, size);
            let pose = at(noise(), noise(), noise());
            let found = depth_moments(&shape, &shape, &pose, &mut workspace).unwrap();
            assert!((found.volume / alone.volume - 1.0).abs() < 1e-12, "{pose:?}: {found:?}");
            assert!((found.depth_integral / alone.depth_integral - 1.0).abs() < 1e-12, "{pose:?}: {found:?}");
        }
    }
}
