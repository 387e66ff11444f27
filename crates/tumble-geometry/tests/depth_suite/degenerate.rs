//! Faces in one plane, bodies on top of each other, corners of many faces, regions like needles; and no jumps anywhere.

use super::*;

#[test]
fn equal_cubes_on_top_of_each_other_are_the_cube() {
    let mut workspace = Workspace::default();
    let cube = cube(1.0);
    let quarter = std::f64::consts::FRAC_PI_2;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE.normalize()] {
        for turns in 0..4 {
            let angle = if axis.z == 1.0 || axis.x == 1.0 || axis.y == 1.0 { quarter } else { 4.0 / 3.0 * quarter };
            let pose = Pose::new(DVec3::ZERO, DQuat::from_axis_angle(axis, angle * f64::from(turns)));
            let found = depth_moments(&cube, &cube, &pose, &mut workspace).unwrap();
            assert!((found.volume - 1.0).abs() < 1e-13, "{axis} {turns}: {found:?}");
            assert!((found.depth_integral - 0.125).abs() < 1e-14, "{axis} {turns}: {found:?}");
            assert!(found.centre.length() < 1e-13, "{axis} {turns}: {found:?}");
        }
    }
}

#[test]
fn a_body_with_itself_is_the_body() {
    let mut workspace = Workspace::default();
    for (k, shape) in samples().into_iter().enumerate() {
        let mut random = Sequence::new(k as u64);
        let alone = depth_moments(&shape, &cube(20.0), &Pose::IDENTITY, &mut workspace).unwrap();
        for _ in 0..200 {
            // Noise as small as rounding, or as the tolerance, so that every sign is a matter of chance.
            let size = random.between_in_ratio(1e-17, 1e-14);
            let noise = random.point_in_cube(size);
            let turn = DQuat::from_scaled_axis(random.point_in_cube(size));
            let found = depth_moments(&shape, &shape, &Pose::new(noise, turn), &mut workspace).unwrap();
            assert!((found.volume / alone.volume - 1.0).abs() < 1e-13, "shape {k}: {found:?}");
            assert!((found.depth_integral / alone.depth_integral - 1.0).abs() < 1e-13, "shape {k}: {found:?}");
        }
    }
}

#[test]
fn stacks_that_are_flush_but_for_rounding_are_slabs() {
    let mut workspace = Workspace::default();
    let cube = cube(1.0);
    let mut random = Sequence::new(17);
    let quarter = std::f64::consts::FRAC_PI_2;
    for _ in 0..20_000 {
        let depth = random.between_in_ratio(1e-6, 0.3);
        let size = random.between_in_ratio(1e-17, 1e-13);
        let quarters = DQuat::from_rotation_z(quarter * (4.0 * random.unit()).floor());
        let turn = DQuat::from_scaled_axis(random.point_in_cube(size));
        let pose = Pose::new(DVec3::Z * (1.0 - depth) + random.point_in_cube(size), turn * quarters);
        let found = depth_moments(&cube, &cube, &pose, &mut workspace).unwrap();
        let limit = (1e-14 + 10.0 * size) / depth + 1e-12;
        let slab = depth - 2.0 / 3.0 * depth.powi(2) + depth.powi(3) / 6.0;
        assert!((found.volume / depth - 1.0).abs() < limit, "{pose:?}: {found:?}");
        assert!((found.mean_depth() / slab - 1.0).abs() < limit, "{pose:?}: {found:?}");
        assert!((found.volume_slope.shift.z - 1.0).abs() < limit, "{pose:?}: {found:?}");
        let cell = 0.5 * (depth - depth.powi(2) + depth.powi(3) / 3.0);
        assert!((found.depth_slope.shift.z / cell - 1.0).abs() < limit, "{pose:?}: {found:?}");
    }
}

#[test]
fn touching_is_no_region() {
    let mut workspace = Workspace::default();
    let cube = cube(1.0);
    for turns in 0..4 {
        let orientation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2 * f64::from(turns));
        for shift in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE, DVec3::new(1.0, 0.3, 0.2)] {
            let found = depth_moments(&cube, &cube, &Pose::new(shift, orientation), &mut workspace);
            assert!(found.is_none_or(|found| found.volume < 1e-15), "{shift}: {found:?}");
            let found = depth_moments(&cube, &cube, &Pose::new(shift * 1.5, orientation), &mut workspace);
            assert_eq!(found, None);
        }
        let above = Pose::new(DVec3::Z * 0.6, orientation);
        assert_eq!(depth_moments_half_space(&cube, &above, &mut workspace), None);
    }
    assert_eq!(depth_moments(&cube, &cube, &Pose::from_position(DVec3::NAN), &mut workspace), None);
    assert_eq!(depth_moments(&cube, &Shape::sphere(1.0).unwrap(), &Pose::IDENTITY, &mut workspace), None);
}

#[test]
fn needles_keep_their_digits() {
    // Depths down to 1e-9 of the size on a face that leans by up to ten times the depth.
    let mut workspace = Workspace::default();
    let (a, b) = (cube(1.0), cube(1.0));
    let mut random = Sequence::new(5);
    for _ in 0..2000 {
        let depth = random.between_in_ratio(1e-9, 1e-3);
        let turn =
            DQuat::from_scaled_axis(DVec3::new(random.between(-10.0, 10.0), random.between(-10.0, 10.0), 0.0) * depth);
        let twist = DQuat::from_rotation_z(random.between(0.0, 7.0));
        let pose =
            Pose::new(DVec3::new(random.between(-0.9, 0.9), random.between(-0.9, 0.9), 1.0 - depth), turn * twist);
        let Some(found) = depth_moments(&a, &b, &pose, &mut workspace) else { continue };
        let limit = 1e-14 / found.mean_depth();
        let swapped = depth_moments(&b, &a, &pose.relative(&Pose::IDENTITY), &mut workspace).unwrap();
        let error = difference(&swapped.transformed(&pose).swapped(), &found, 1.0);
        assert!(error < limit, "{pose:?}: {error:e}, allowed {limit:e}");
        // The depth is some length between nothing and the deepest corner's.
        assert!(found.mean_depth() < 20.0 * depth, "{pose:?}: {found:?}");
    }
}

/// The numbers that must not jump, each over its own scale.
fn numbers(found: &DepthMoments) -> [f64; 8] {
    let slope = found.mean_depth_slope();
    let (shift, turn) = (slope.shift, slope.turn);
    [found.volume, found.mean_depth(), shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
}

/// Where b is, by a parameter.
type Path = Box<dyn Fn(f64) -> Pose>;

/// The largest change of a number between neighbours on a path.
fn largest_jump(path: &dyn Fn(f64) -> Pose, [from, to]: [f64; 2], n: usize, a: &Shape, b: &Shape) -> [f64; 8] {
    let mut workspace = Workspace::default();
    let mut largest = [0.0_f64; 8];
    let mut previous: Option<[f64; 8]> = None;
    for k in 0..=n {
        let pose = path(from + (to - from) * k as f64 / n as f64);
        let found = numbers(&depth_moments(a, b, &pose, &mut workspace).unwrap());
        if let Some(previous) = previous {
            for i in 0..8 {
                largest[i] = largest[i].max((found[i] - previous[i]).abs());
            }
        }
        previous = Some(found);
    }
    largest
}

#[test]
fn nothing_jumps_where_facets_come_and_go() {
    // A cube slides over the edge of another, leaning and twisted a little; another turns from its face to its edge; an
    // octahedron's corner, where four faces meet, passes over an edge. A jump would stay as the steps get finer: all must fall
    // as the step does, to a tenth with a hundredth of it.
    let lean = DQuat::from_scaled_axis(DVec3::new(3e-3, 2e-3, 0.3));
    let paths: [(&str, Shape, Shape, Path, [f64; 2]); 4] = [
        (
            "slides",
            cube(1.0),
            cube(0.8),
            Box::new(move |x| Pose::new(DVec3::new(x, 0.21, 0.9 - 0.02), lean)),
            [-0.2, 0.7],
        ),
        (
            "turns",
            cube(1.0),
            cube(0.8),
            Box::new(|x| Pose::new(DVec3::new(0.1, 0.05, 0.88), DQuat::from_scaled_axis(DVec3::new(x, 0.3 * x, 0.2)))),
            [0.001, 0.8],
        ),
        (
            "corner of four faces",
            cube(1.0),
            octahedron(0.7),
            Box::new(|x| Pose::new(DVec3::new(x, 0.1, 1.2 - 0.04), DQuat::from_rotation_x(0.1))),
            [0.2, 0.5],
        ),
        (
            "sinks",
            cube(1.0),
            cube(1.0),
            Box::new(|x| Pose::new(DVec3::new(0.11, 0.07, x), DQuat::from_scaled_axis(DVec3::new(0.02, 0.03, 0.01)))),
            [0.95, 0.1],
        ),
    ];
    for (name, a, b, path, range) in paths {
        let coarse = largest_jump(&path, range, 300, &a, &b);
        let fine = largest_jump(&path, range, 30_000, &a, &b);
        for i in 0..8 {
            assert!(fine[i] < 0.1 * coarse[i] + 1e-10, "{name}, number {i}: {} {}", coarse[i], fine[i]);
        }
    }
}

#[test]
fn flush_sides_are_the_limit_of_almost_flush_ones() {
    // Two equal cubes, one on the other: coplanar sides belong to either. What they share, and how deep, does not depend on it;
    // the slope across has a kink there, of the order of the depth squared.
    let mut workspace = Workspace::default();
    let cube = cube(1.0);
    for depth in [1e-3, 1e-2] {
        let at = |x: f64, workspace: &mut Workspace| {
            depth_moments(&cube, &cube, &Pose::from_position(DVec3::new(x, 0.0, 1.0 - depth)), workspace).unwrap()
        };
        let flush = at(0.0, &mut workspace);
        for x in [1e-17, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9] {
            for x in [x, -x] {
                let found = at(x, &mut workspace);
                assert!((found.mean_depth() - flush.mean_depth()).abs() < 1e-14 + 10.0 * depth * x.abs());
                let (slope, limit) = (found.mean_depth_slope(), flush.mean_depth_slope());
                assert!((slope.shift.z - limit.shift.z).abs() < 1e-11 + 10.0 * x.abs(), "{x}: {slope:?} {limit:?}");
                assert!(slope.shift.truncate().length() < 2.0 * depth * depth, "{x}: {slope:?}");
            }
        }
    }
}

#[test]
fn many_random_pairs_give_sound_answers() {
    let mut workspace = Workspace::default();
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(4000 + k as u64);
        for _ in 0..2000 {
            let reach = (a.bounding_radius() + b.bounding_radius()) * random.unit();
            let pose = Pose::new(random.direction() * reach, random.orientation());
            let Some(found) = depth_moments(&a, &b, &pose, &mut workspace) else { continue };
            let smaller = a.volume().min(b.volume());
            assert!(found.volume > 0.0 && found.volume < smaller * (1.0 + 1e-12), "{pose:?}: {found:?}");
            assert!(found.mean_depth() > 0.0 && found.mean_depth() < a.bounding_radius(), "{pose:?}: {found:?}");
            // A step of one cannot change a depth by more than about one.
            let slope = found.mean_depth_slope();
            assert!(slope.shift.length() < 4.0 / 3.0 && slope.turn.is_finite(), "{pose:?}: {found:?}");
        }
    }
}
