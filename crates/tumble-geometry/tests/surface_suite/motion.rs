//! How answers change when bodies and surfaces move, turn and grow; and a campaign of odd poses.

use crate::samples::*;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Mesh, Pose, Revolved, Shape, Surface};

fn surfaces() -> Vec<Surface> {
    let revolved = |profile: &[[f64; 2]]| Surface::Revolved(Revolved::new(profile.to_vec()).unwrap());
    vec![
        Surface::HalfSpace,
        tube(1.5, 1.0),
        closed_drum(2.0, 1.5),
        revolved(&[[0.0, -1.0], [0.7, -0.4], [1.0, 0.3], [0.5, 0.8]]),
        revolved(&[[0.6, -0.5], [1.2, -0.5], [1.2, 0.5], [0.6, 0.5], [0.6, -0.5]]),
        revolved(&[[0.0, 0.0], [2.0, 0.0]]),
        tube(0.1, 2.0),
        cube_mesh(1.3),
        floor(3, 0.7, &Pose::IDENTITY),
    ]
}

/// The surface with all lengths multiplied by a factor.
fn scaled(surface: &Surface, factor: f64) -> Surface {
    match surface {
        Surface::HalfSpace => Surface::HalfSpace,
        Surface::Revolved(r) => {
            Surface::Revolved(Revolved::new(r.profile().iter().map(|c| c.map(|x| x * factor)).collect()).unwrap())
        }
        Surface::Mesh(m) => {
            let vertices = m.vertices().iter().map(|v| *v * factor).collect();
            Surface::Mesh(Mesh::new(vertices, m.triangles().to_vec()).unwrap())
        }
    }
}

#[test]
fn turning_about_the_axis_of_a_drum_turns_the_answer() {
    let mut random = Sequence::new(11);
    for surface in surfaces().iter().filter(|s| matches!(s, Surface::Revolved(_))) {
        for shape in all_shapes() {
            for case in 0..25 {
                let pose = random.pose(1.2);
                let turn = DQuat::from_rotation_z(random.between(0.0, 2.0 * PI));
                let turned = Pose::new(turn * pose.position, turn * pose.orientation);
                let found = contacts(&shape, surface, &pose, 0.1);
                let other = contacts(&shape, surface, &turned, 0.1);
                assert_eq!(found.len(), other.len(), "{} {case}: {found:?} {other:?}", shape.name());
                for (one, other) in found.iter().zip(&other) {
                    assert_eq!(one.feature, other.feature, "{} {case}: {one:?} {other:?}", shape.name());
                    assert!(
                        (one.separation - other.separation).abs() < 1e-9,
                        "{} {case}: {one:?} {other:?}",
                        shape.name()
                    );
                    assert!(
                        (turn * one.normal - other.normal).length() < 1e-6,
                        "{} {case}: {one:?} {other:?}",
                        shape.name()
                    );
                }
            }
        }
    }
}

#[test]
fn the_answer_grows_with_the_lengths() {
    let mut random = Sequence::new(12);
    for surface in surfaces() {
        for scale in [1e-6, 1e-3, 1e3] {
            let large = scaled(&surface, scale);
            for shape in all_shapes() {
                for case in 0..6 {
                    let pose = random.pose(1.2);
                    let found = contacts(&shape, &surface, &pose, 0.1);
                    let grown = Pose::new(pose.position * scale, pose.orientation);
                    let other = contacts(&shape.scaled(scale), &large, &grown, 0.1 * scale);
                    assert_eq!(found.len(), other.len(), "{} {case} {scale}: {found:?} {other:?}", shape.name());
                    for (one, other) in found.iter().zip(&other) {
                        assert_eq!(one.feature, other.feature);
                        assert!((one.separation - other.separation / scale).abs() < 1e-9, "{} {case}", shape.name());
                        assert!((one.normal - other.normal).length() < 1e-6, "{} {case}", shape.name());
                    }
                }
            }
        }
    }
}

/// Greatest change of the depth of the deepest contact over steps of a path, no contact counting as depth zero; and the
/// pose after it.
fn greatest_jump(shape: &Shape, surface: &Surface, path: impl Fn(f64) -> Pose, n_steps: usize) -> (f64, Pose) {
    let depth = |k: usize| {
        let found = contacts(shape, surface, &path(k as f64 / n_steps as f64), 0.0);
        found.iter().map(|c| -c.separation).fold(0.0, f64::max)
    };
    let mut before = depth(0);
    let mut jump = (0.0, path(0.0));
    for k in 1..=n_steps {
        let now = depth(k);
        if (now - before).abs() > jump.0 {
            jump = ((now - before).abs(), path(k as f64 / n_steps as f64));
        }
        before = now;
    }
    jump
}

#[test]
fn the_deepest_contact_has_no_jumps_inside_a_drum() {
    // Across the drum, close to the wall and the end, turning all the while. The fastest point moves at most 3.5 m per
    // unit of the path (1.5 by sliding, 2 by turning).
    const N_STEPS: usize = 4000;
    let drum = closed_drum(2.5, 2.0);
    for shape in convex_shapes() {
        for seed in 0..3 {
            let mut random = Sequence::new(100 + seed);
            let (start, axis) = (random.orientation(), random.direction());
            let angle = random.between(0.0, 2.0 * PI);
            let path = |t: f64| {
                let (sine, cosine) = (angle + 0.6 * t).sin_cos();
                let position = DVec3::new(1.9 * cosine, 1.9 * sine, 1.0 + 0.5 * t);
                Pose::new(position, DQuat::from_axis_angle(axis, 1.5 * t) * start)
            };
            let jump = greatest_jump(&shape, &drum, path, N_STEPS);
            assert!(
                jump.0 < 3.5 / N_STEPS as f64,
                "{} {seed}: {jump:?} {:?}",
                shape.name(),
                contacts(&shape, &drum, &jump.1, 0.0)
            );
        }
    }
}

#[test]
fn the_deepest_contact_has_no_large_jumps_over_the_edge_of_a_table() {
    // Down to 0.02 deep over a convex edge, turning a little. A switch from face to edge may change the depth, but by
    // no more than the depth itself.
    const N_STEPS: usize = 2000;
    let mesh = cube_mesh(3.0);
    let drum = closed_drum(3.0, 3.0);
    for surface in [&mesh, &drum] {
        for shape in convex_shapes() {
            for seed in 0..3 {
                let mut random = Sequence::new(200 + seed);
                let (start, axis) = (random.orientation(), random.direction());
                let path = |t: f64| {
                    let orientation = DQuat::from_axis_angle(axis, 0.3 * t) * start;
                    let local = orientation.inverse() * DVec3::NEG_Z;
                    let height = -shape.support(local).dot(local).abs();
                    Pose::new(DVec3::new(2.0 + 2.0 * t, 0.3, 3.0 - height - 0.02), orientation)
                };
                let jump = greatest_jump(&shape, surface, path, N_STEPS);
                assert!(
                    jump.0 < 0.02,
                    "{} {seed}: {jump:?} {:?}",
                    shape.name(),
                    contacts(&shape, surface, &jump.1, 0.0)
                );
            }
        }
    }
}

#[test]
fn odd_poses_give_sound_answers() {
    let mut random = Sequence::new(13);
    let shapes = all_shapes();
    let surfaces = surfaces();
    let mut n_contacts = 0;
    for case in 0..60_000 {
        let shape = &shapes[case % shapes.len()];
        let surface = &surfaces[(case / shapes.len()) % surfaces.len()];
        let snap = |x: f64| (x * 2.0).round() / 2.0;
        let mut pose = random.pose(1.6);
        if random.unit() < 0.5 {
            pose.position = pose.position.map(snap);
        }
        if random.unit() < 0.5 {
            let turns = [DQuat::IDENTITY, DQuat::from_rotation_x(0.5 * PI), DQuat::from_rotation_y(0.25 * PI)];
            pose.orientation = turns[(random.unit() * 3.0) as usize];
            if random.unit() < 0.5 {
                let tiny = random.between_in_ratio(1e-17, 1e-6);
                pose.orientation = DQuat::from_axis_angle(random.direction(), tiny) * pose.orientation;
            }
        }
        let scale = random.between_in_ratio(0.05, 2.0);
        let shape = shape.scaled(scale);
        let found = contacts(&shape, surface, &pose, if case % 2 == 0 { 0.0 } else { 0.1 });
        assert_sound(&found, &shape, &pose, &format!("case {case} {} {pose:?}", shape.name()));
        n_contacts += found.len();
    }
    assert!(n_contacts > 20_000, "{n_contacts}");
}

#[test]
fn numbers_without_end_give_no_answer_and_no_panic() {
    for surface in surfaces() {
        // Balls have their own path, which does not look at its numbers.
        for shape in convex_shapes().into_iter().filter(|s| !matches!(s, Shape::Sphere(_))) {
            for bad in [f64::NAN, f64::INFINITY, 1e300] {
                let pose = Pose::from_position(DVec3::new(bad, 0.0, 1.0));
                let found = contacts(&shape, &surface, &pose, 0.1);
                assert!(found.iter().all(|c| !c.separation.is_nan()), "{}: {found:?}", shape.name());
            }
        }
    }
}
