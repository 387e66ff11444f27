//! The slopes are those of volume, depth and mean depth; and what they must be by symmetry.

use super::*;
use tumble_geometry::Contact;

/// Steps of a difference, as shares of the mean depth.
const STEPS: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];

/// Central differences, extrapolated over two steps, of volume, integral and mean depth, when a is moved, against the slopes.
/// Relative to area, area times depth, and one.
fn slope_error(at: &mut dyn FnMut(DVec3, DVec3) -> Option<DepthMoments>, step: f64, size: f64) -> Option<f64> {
    let found = at(DVec3::ZERO, DVec3::ZERO)?;
    let area = found.volume / found.mean_depth();
    let mut worst: f64 = 0.0;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for (shift, turn) in [(axis, DVec3::ZERO), (DVec3::ZERO, axis / size)] {
            let mut slope = |h: f64| {
                let (forth, back) = (at(shift * h, turn * h)?, at(shift * -h, turn * -h)?);
                let numbers = |m: &DepthMoments| [m.volume, m.depth_integral, m.mean_depth()];
                let (forth, back) = (numbers(&forth), numbers(&back));
                Some([0, 1, 2].map(|k| (forth[k] - back[k]) / (2.0 * h)))
            };
            let (coarse, fine) = (slope(step)?, slope(0.5 * step)?);
            let expected = [found.volume_slope, found.depth_slope, found.mean_depth_slope()];
            let scales = [area, area * found.mean_depth(), 1.0];
            for k in 0..3 {
                let extrapolated = fine[k] + (fine[k] - coarse[k]) / 3.0;
                let expected = expected[k].shift.dot(shift) + expected[k].turn.dot(turn);
                worst = worst.max((extrapolated - expected).abs() / scales[k]);
            }
        }
    }
    Some(worst)
}

/// Where a feature comes into reach within a step, only a smaller step sees the slope; the smallest has the least digits.
fn assert_slopes(at: &mut dyn FnMut(DVec3, DVec3) -> Option<DepthMoments>, size: f64, limit: f64, tag: &str) {
    let depth = at(DVec3::ZERO, DVec3::ZERO).unwrap_or_else(|| panic!("{tag}: nothing found")).mean_depth();
    let errors = STEPS.map(|step| slope_error(at, step * depth, size).unwrap_or(f64::INFINITY));
    assert!(errors.iter().any(|&error| error < limit), "{tag}: {errors:?} at depth {depth:e}");
}

/// Moves a, which stays where it is in its own frame: b moves the other way.
fn of_pair<'a>(
    a: &'a Shape,
    b: &'a Shape,
    pose: &'a Pose,
    workspace: &'a mut Workspace,
) -> impl FnMut(DVec3, DVec3) -> Option<DepthMoments> + 'a {
    |shift, turn| {
        let step = Pose::new(shift, DQuat::from_scaled_axis(turn));
        depth_moments(a, b, &step.relative(pose), workspace)
    }
}

#[test]
fn volume_and_depth_change_as_the_slopes_say() {
    let mut workspace = Workspace::default();
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(k as u64);
        for pose_index in 0..40 {
            let Some(pose) = overlapping(&a, &b, &mut random) else { continue };
            let tag = format!("pair {k}, pose {pose_index}");
            assert_slopes(&mut of_pair(&a, &b, &pose, &mut workspace), 1.0, 1e-6, &tag);
        }
    }
}

#[test]
fn tilted_cubes_on_face_edge_and_corner_have_their_slopes() {
    let mut workspace = Workspace::default();
    let (a, b) = (cube(1.6), cube(1.0));
    let up = |direction: DVec3| DQuat::from_rotation_arc(direction.normalize(), DVec3::NEG_Z);
    let tilt = |angle: f64| DQuat::from_scaled_axis(DVec3::new(0.6, -0.8, 0.1) * angle);
    for (name, orientation) in [
        ("face", DQuat::IDENTITY),
        ("edge", up(DVec3::new(1.0, 0.0, -1.0))),
        ("corner", up(DVec3::new(1.0, 1.0, -1.0))),
    ] {
        for depth in [1e-4, 1e-3, 1e-2, 0.1, 0.3] {
            for angle in [0.3 * depth, 0.1, 0.37] {
                let orientation = tilt(angle) * orientation;
                let bottom = (orientation * b.support(orientation.inverse() * DVec3::NEG_Z)).z;
                let pose = Pose::new(DVec3::new(0.13, 0.07, 0.8 - bottom - depth), orientation);
                let tag = format!("{name}, depth {depth}, angle {angle}");
                assert_slopes(&mut of_pair(&a, &b, &pose, &mut workspace), 1.0, 1e-6, &tag);
            }
        }
    }
}

#[test]
fn what_is_in_a_half_space_changes_as_the_slopes_say() {
    let mut workspace = Workspace::default();
    for (k, shape) in samples().into_iter().enumerate() {
        let mut random = Sequence::new(500 + k as u64);
        for _ in 0..40 {
            let orientation = random.orientation();
            let lowest = (orientation * shape.support(orientation.inverse() * DVec3::NEG_Z)).z;
            let depth = random.between_in_ratio(1e-3, 1.0) * -lowest;
            let pose = Pose::new(DVec3::new(0.3, -0.2, -lowest - depth), orientation);
            let mut at = |shift: DVec3, turn: DVec3| {
                depth_moments_half_space(&shape, &moved(&pose, shift, turn), &mut workspace)
            };
            assert_slopes(&mut at, 1.0, 1e-6, &format!("shape {k}, depth {depth}"));
            // The plane is one facet: all goes straight up, and nothing turns about that.
            let found = at(DVec3::ZERO, DVec3::ZERO).unwrap();
            for slope in [found.volume_slope, found.depth_slope] {
                assert!(slope.shift.truncate().length() < 1e-12 && slope.turn.z.abs() < 1e-12 && slope.shift.z < 0.0);
            }
        }
    }
}

#[test]
fn a_half_space_is_a_large_box() {
    let mut workspace = Workspace::default();
    let ground = Shape::cuboid(DVec3::new(20.0, 20.0, 20.0)).unwrap();
    for (k, shape) in samples().into_iter().enumerate() {
        let mut random = Sequence::new(700 + k as u64);
        for _ in 0..40 {
            let orientation = random.orientation();
            let lowest = (orientation * shape.support(orientation.inverse() * DVec3::NEG_Z)).z;
            let pose = Pose::new(DVec3::new(0.3, -0.2, -lowest - random.between_in_ratio(1e-3, 0.5)), orientation);
            let on_plane = depth_moments_half_space(&shape, &pose, &mut workspace).unwrap();
            let on_box = depth_moments(
                &ground,
                &shape,
                &Pose::new(pose.position + DVec3::Z * 10.0, orientation),
                &mut workspace,
            );
            let on_box = on_box.unwrap().swapped().transformed(&Pose::from_position(DVec3::Z * -10.0));
            let error = difference(&on_box, &on_plane, 1.0);
            assert!(error < 1e-10, "shape {k}: {error:e}");
        }
    }
}

#[test]
fn swapping_turning_shifting_and_scaling_change_nothing_else() {
    let mut workspace = Workspace::default();
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(3000 + k as u64);
        for _ in 0..40 {
            let Some(pose) = overlapping(&a, &b, &mut random) else { continue };
            let found = depth_moments(&a, &b, &pose, &mut workspace).unwrap();
            let size = a.bounding_radius() + b.bounding_radius();
            // 1e-16 of the size over the depth, and some for sums.
            let limit = 1e-13 * size / found.mean_depth();
            let back = pose.relative(&Pose::IDENTITY);
            let swapped = depth_moments(&b, &a, &back, &mut workspace).unwrap().transformed(&pose).swapped();
            let error = difference(&swapped, &found, size);
            assert!(error < limit, "swapped, pair {k}: {error:e}");
            // In another frame and back.
            let frame = random.pose(1.0);
            let there = found.transformed(&frame);
            let again = there.transformed(&frame.relative(&Pose::IDENTITY));
            let error = difference(&again, &found, size);
            assert!(error < limit, "moved there and back, pair {k}: {error:e}");
            for scale in [1e-3, 1e3] {
                let small_pose = Pose::new(pose.position * scale, pose.orientation);
                let small = depth_moments(&a.scaled(scale), &b.scaled(scale), &small_pose, &mut workspace).unwrap();
                let slope = |slope: Slope, degree: i32| Slope {
                    shift: slope.shift / scale.powi(degree - 1),
                    turn: slope.turn / scale.powi(degree),
                };
                let grown = DepthMoments {
                    volume: small.volume / scale.powi(3),
                    centre: small.centre / scale,
                    depth_integral: small.depth_integral / scale.powi(4),
                    volume_slope: slope(small.volume_slope, 3),
                    depth_slope: slope(small.depth_slope, 4),
                };
                let error = difference(&grown, &found, size);
                assert!(error < limit, "scaled, pair {k}: {error:e}");
                assert!((small.mean_depth() / (scale * found.mean_depth()) - 1.0).abs() < limit);
                assert!((small.patch_radius() / (scale * found.patch_radius()) - 1.0).abs() < limit);
            }
        }
    }
}

#[test]
fn any_normal_gives_the_same_answer() {
    let mut workspace = Workspace::default();
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(6000 + k as u64);
        for _ in 0..40 {
            let Some(pose) = overlapping(&a, &b, &mut random) else { continue };
            let found = depth_moments(&a, &b, &pose, &mut workspace).unwrap();
            let contact = narrow::contact(&a, &b, &pose).unwrap_or_else(|unsure| unsure.best);
            let wrong = Contact { normal: random.direction(), ..contact };
            let other = overlap::depth_moments(&a, &b, &pose, &wrong, &mut workspace).unwrap();
            let error = difference(&other, &found, a.bounding_radius());
            assert!(error < 1e-13 * a.bounding_radius() / found.mean_depth(), "pair {k}: {error:e}");
        }
    }
}

#[test]
fn the_volume_is_that_of_the_region_that_cutting_gives() {
    let mut workspace = Workspace::default();
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(5000 + k as u64);
        for _ in 0..200 {
            let reach = (a.bounding_radius() + b.bounding_radius()) * random.unit();
            let pose = Pose::new(random.direction() * reach, random.orientation());
            let (found, region) =
                (depth_moments(&a, &b, &pose, &mut workspace), tumble_geometry::overlap(&a, &b, &pose).unwrap());
            let (Some(found), Some(region)) = (found, region) else {
                let volume = found.map_or(0.0, |found| found.volume) + region.map_or(0.0, |region| region.volume);
                assert!(volume < 1e-13, "{found:?} {region:?}");
                continue;
            };
            let limit = 1e-13 * region.surface_area;
            assert!((found.volume - region.volume).abs() < limit, "pair {k}: {found:?} {region:?}");
            assert!(
                (found.volume_slope.shift - region.vector_area).length() < limit * region.surface_area / region.volume
            );
            assert!(
                (found.volume_slope.turn - region.first_moment).length() < limit * region.surface_area / region.volume
            );
            assert!(found.depth_integral > 0.0);
            // The mean distance from the surface is at most a third of the largest, which is at most 3 V / S; and at least a
            // quarter of it.
            let radius = 3.0 * region.volume / region.surface_area;
            assert!(found.mean_depth() < 4.0 / 2.0 * radius * (1.0 + 1e-9), "pair {k}: {found:?}");
            assert!(found.mean_depth() > radius / 3.0 * (1.0 - 1e-9), "pair {k}: {found:?} {radius}");
        }
    }
}
