use super::*;
use crate::narrow;
use crate::oracle::Sequence;
use crate::overlap::quadrature::{RayWorkspace, overlap_by_rays};
use crate::{Contact, Shape};
use glam::DQuat;
use std::f64::consts::{FRAC_PI_2, PI};

const FINE: f64 = 1e-10;

fn cylinder(radius: f64, half_height: f64) -> Cylinder {
    Cylinder { radius, half_height }
}

/// Of volume 8 and a ratio of height to diameter.
fn of_ratio(ratio: f64) -> Cylinder {
    let radius = (4.0 / (PI * ratio)).cbrt();
    cylinder(radius, radius * ratio)
}

fn contact(a: &Cylinder, b: &Cylinder, pose: &Pose) -> Contact {
    narrow::contact(&Shape::Cylinder(*a), &Shape::Cylinder(*b), pose).unwrap_or_else(|unsure| unsure.best)
}

fn found(a: &Cylinder, b: &Cylinder, pose: &Pose) -> OverlapRegion {
    overlap_cylinders(a, b, pose, FINE).unwrap().unwrap()
}

/// The largest relative difference of two regions: volume, surface area, vector area, first moment, centroid.
fn difference(x: &OverlapRegion, y: &OverlapRegion, size: f64) -> f64 {
    let area = y.surface_area;
    [
        (x.volume - y.volume).abs() / y.volume,
        (x.surface_area - area).abs() / area,
        (x.vector_area - y.vector_area).length() / area,
        (x.first_moment - y.first_moment).length() / (area * size),
        (x.centroid - y.centroid).length() / size,
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

/// A random overlapping pair, from deep to a depth of 1e-4 of the size.
fn random_pair(random: &mut Sequence) -> Option<(Cylinder, Cylinder, Pose, Contact)> {
    let [a, b] = [(); 2].map(|()| of_ratio(random.between_in_ratio(0.025, 50.0)));
    let reach = a.radius.hypot(a.half_height) + b.radius.hypot(b.half_height);
    let orientation = random.orientation();
    let start = Pose::new(random.direction() * (reach * random.unit()), orientation);
    let deep = contact(&a, &b, &start);
    if deep.separation >= 0.0 {
        return None;
    }
    let keep = random.between_in_ratio(1e-4, 1.0);
    let pose = Pose::new(start.position - deep.normal * deep.separation * (1.0 - keep), orientation);
    let contact = contact(&a, &b, &pose);
    (contact.separation < 0.0).then_some((a, b, pose, contact))
}

#[test]
fn crossed_cylinders_share_steinmetz_body() {
    for (radius, turn) in [(1.0, 0.0), (0.3, 1.1)] {
        let long = cylinder(radius, 5.0 * radius);
        let pose = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(turn) * DQuat::from_rotation_x(FRAC_PI_2));
        let region = found(&long, &long, &pose);
        assert!((region.volume / (16.0 / 3.0 * radius.powi(3)) - 1.0).abs() < 1e-13, "{region:?}");
        assert!((region.surface_area / (16.0 * radius * radius) - 1.0).abs() < 1e-13, "{region:?}");
        assert!(region.centroid.length() < 1e-14);
    }
}

/// Not a random pose: nearly or just parallel, perpendicular, coaxial, flush, contained, with offsets of all sizes.
fn degenerate_pair(random: &mut Sequence) -> (Cylinder, Cylinder, Pose) {
    let a = of_ratio(random.between_in_ratio(0.025, 50.0));
    let b = match (random.unit() * 3.0) as u32 {
        0 => a,
        1 => cylinder(a.radius, a.half_height * random.between_in_ratio(0.1, 10.0)),
        _ => of_ratio(random.between_in_ratio(0.025, 50.0)),
    };
    let angle = match (random.unit() * 4.0) as u32 {
        0 => 0.0,
        1 => FRAC_PI_2,
        2 => FRAC_PI_2 + random.between_in_ratio(1e-17, 1e-2),
        _ => random.between_in_ratio(1e-17, 1e-2),
    };
    let tilt = DQuat::from_axis_angle(DVec3::X, angle) * DQuat::from_rotation_z(random.between(0.0, 6.3));
    let mut length = |scale: f64| match (random.unit() * 4.0) as u32 {
        0 => 0.0,
        1 => scale,
        2 => scale * (1.0 - random.between_in_ratio(1e-9, 1e-1)),
        _ => scale * random.between_in_ratio(1e-16, 1.0),
    };
    let position = DVec3::new(
        length(a.radius + b.radius),
        length(a.radius + b.half_height.min(b.radius)),
        length(a.half_height + b.half_height),
    );
    (a, b, Pose::new(position, tilt))
}

fn swapped(a: &Cylinder, b: &Cylinder, pose: &Pose) -> Option<OverlapRegion> {
    let back = pose.relative(&Pose::IDENTITY);
    let other = best(overlap_cylinders(b, a, &back, FINE))?.transformed(pose);
    Some(OverlapRegion { vector_area: -other.vector_area, first_moment: -other.first_moment, ..other })
}

fn best(answer: Result<Option<OverlapRegion>, Unresolved>) -> Option<OverlapRegion> {
    answer.unwrap_or_else(|unresolved| unresolved.best)
}

/// What a pose is rounded by, in a region's own thickness.
fn rounding(region: &OverlapRegion, size: f64) -> f64 {
    f64::EPSILON * size * region.surface_area / region.volume
}

#[test]
fn swapping_the_cylinders_changes_signs_only() {
    let mut random = Sequence::new(2);
    let mut worst: f64 = 0.0;
    for _ in 0..3_000 {
        let Some((a, b, pose, _)) = random_pair(&mut random) else { continue };
        let region = found(&a, &b, &pose);
        let other = swapped(&a, &b, &pose).unwrap();
        let size = a.radius.hypot(a.half_height).max(b.radius.hypot(b.half_height));
        let error = difference(&other, &region, size);
        let allowed = 1e-13 + 50.0 * rounding(&region, size);
        worst = worst.max(error / allowed);
        assert!(error < allowed, "{error:e} of {allowed:e}: {a:?} {b:?} {pose:?}");
    }
    println!("worst {worst} of what is allowed");
}

#[test]
fn degenerate_poses_are_answered() {
    let mut random = Sequence::new(3);
    let (mut n_regions, mut worst): (u32, f64) = (0, 0.0);
    for _ in 0..20_000 {
        let (a, b, pose) = degenerate_pair(&mut random);
        let size = a.radius.hypot(a.half_height).max(b.radius.hypot(b.half_height));
        match overlap_cylinders(&a, &b, &pose, FINE) {
            Err(unsure) => panic!("{unsure:?}: {a:?} {b:?} {pose:?}"),
            Ok(None) => {
                let separation = contact(&a, &b, &pose).separation;
                assert!(separation > -1e-9 * size, "{separation}: {a:?} {b:?} {pose:?}");
            }
            Ok(Some(region)) => {
                // Of thinner ones next to nothing is known.
                if rounding(&region, size) > 1e-6 {
                    continue;
                }
                n_regions += 1;
                let other = swapped(&a, &b, &pose).unwrap();
                let area_error = (other.surface_area / region.surface_area - 1.0).abs();
                let error = (other.volume / region.volume - 1.0)
                    .abs()
                    .max((other.centroid - region.centroid).length() / size)
                    // Strips where both sides nearly coincide belong to the one or the other.
                    .max(area_error / (CLOSE_ENDS / 1e-12));
                let allowed = 1e-12 + 100.0 * rounding(&region, size);
                worst = worst.max(error / allowed);
                assert!(error < allowed, "{error:e} of {allowed:e}: {a:?} {b:?} {pose:?}\n{region:?}\n{other:?}");
                assert!(region.volume <= a.volume().min(b.volume()) * (1.0 + 1e-12));
            }
        }
    }
    println!("{n_regions} regions, worst {worst} of what is allowed");
    assert!(n_regions > 8_000);
}

#[test]
fn neither_axis_feels_a_torque() {
    let mut random = Sequence::new(4);
    let mut worst: f64 = 0.0;
    for k in 0..6_000 {
        let (a, b, pose) = if k % 2 == 0 {
            degenerate_pair(&mut random)
        } else {
            let Some((a, b, pose, _)) = random_pair(&mut random) else { continue };
            (a, b, pose)
        };
        // However coarse.
        let Some(region) = best(overlap_cylinders(&a, &b, &pose, 1e-4)) else { continue };
        let size = a.radius.hypot(a.half_height).max(b.radius.hypot(b.half_height));
        let about_b = region.first_moment - pose.position.cross(region.vector_area);
        let torques = [region.first_moment.z, about_b.dot(pose.orientation * DVec3::Z)];
        let error = torques.map(f64::abs).into_iter().fold(0.0, f64::max) / (region.surface_area * size);
        worst = worst.max(error);
        assert!(error < 1e-13, "{error:e} {torques:?} {a:?} {b:?} {pose:?} {region:?}");
    }
    println!("largest torque {worst:.1e} of area times size");
}

#[test]
fn aligned_cylinders_have_their_closed_forms() {
    let can = cylinder(1.0, 1.5);
    // One within the other, on one axis and askew.
    for (position, angle) in [(DVec3::ZERO, 0.0), (DVec3::new(0.1, 0.05, 0.2), 0.4), (DVec3::Z * 0.5, FRAC_PI_2)] {
        let inner = cylinder(0.3, 0.4);
        let pose = Pose::new(position, DQuat::from_rotation_y(angle));
        for region in [found(&can, &inner, &pose), swapped(&can, &inner, &pose).unwrap()] {
            assert!((region.volume / inner.volume() - 1.0).abs() < 1e-14, "{region:?}");
            assert!((region.surface_area / (2.0 * PI * 0.3 * (0.3 + 0.8)) - 1.0).abs() < 1e-14, "{region:?}");
            assert!((region.centroid - position).length() < 1e-14);
            assert!(region.vector_area.length() < 1e-14 && region.first_moment.length() < 1e-14, "{region:?}");
        }
    }
    // Depths that the sizes can be told from without rounding.
    for depth in [0.25, 2f64.powi(-20), 2f64.powi(-30)] {
        let known = 10.0 * f64::EPSILON / depth;
        let on_end = found(&can, &can, &Pose::from_position(DVec3::Z * (3.0 - depth)));
        assert!((on_end.volume / (PI * depth) - 1.0).abs() < 1e-13 + known, "{depth}: {on_end:?}");
        assert!((on_end.vector_area - PI * DVec3::Z).length() < 1e-13, "{depth}: {on_end:?}");
        assert!((on_end.surface_area / (2.0 * PI * (1.0 + depth)) - 1.0).abs() < 1e-13, "{depth}: {on_end:?}");
        let beside = found(&can, &can, &Pose::from_position(DVec3::X * (2.0 - depth)));
        let half_angle = 2.0 * (0.25 * depth).sqrt().asin();
        let h = 0.5 * depth;
        let segment = if h < 1e-2 {
            4.0 / 3.0 * h * (2.0 * h).sqrt() * (1.0 - 3.0 / 20.0 * h - 3.0 / 224.0 * h * h)
        } else {
            half_angle - half_angle.sin() * half_angle.cos()
        };
        let chord = 2.0 * half_angle.sin();
        assert!((beside.volume / (2.0 * segment * 3.0) - 1.0).abs() < 1e-12 + known, "{depth}: {beside:?}");
        assert!(
            (beside.vector_area - 3.0 * chord * DVec3::X).length() < (1e-12 + known) * chord,
            "{depth}: {beside:?}"
        );
        let crossed = Pose::new(DVec3::X * (2.0 - depth), DQuat::from_rotation_x(FRAC_PI_2));
        let crossed = found(&can, &can, &crossed);
        if depth < 1e-3 {
            assert!((crossed.volume / (PI * depth * depth) - 1.0).abs() < depth + 1e-12 + known, "{crossed:?}");
            assert!((crossed.vector_area / (2.0 * PI * depth) - DVec3::X).length() < depth + 1e-12 + known);
        }
    }
}

#[test]
fn nearly_parallel_axes_lose_no_digits() {
    let (a, b) = (cylinder(1.0, 2.0), cylinder(0.8, 1.5));
    for position in [DVec3::new(1.6, 0.2, 0.3), DVec3::new(0.1, 0.1, 3.4), DVec3::new(0.0, 0.0, 3.45), DVec3::ZERO] {
        let straight = found(&a, &b, &Pose::from_position(position));
        for turn in [DVec3::X, DVec3::new(0.6, 0.8, 0.0), DVec3::new(-0.3, 0.4, 0.866)] {
            for angle in [1e-18, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8] {
                let pose = Pose::new(position, DQuat::from_scaled_axis(turn * angle));
                let error = difference(&found(&a, &b, &pose), &straight, 2.0);
                // Where both caps lie in one plane the first moment jumps.
                assert!(error < 1e-12 + 10.0 * angle, "{position} {turn} {angle}: {error:e}");
            }
        }
    }
}

/// The volume's differences over the six motions of b, five points each.
#[test]
fn the_volume_changes_as_vector_area_and_first_moment_say() {
    let mut random = Sequence::new(5);
    let (mut n_pairs, mut n_kinks) = (0, 0);
    while n_pairs < 400 {
        let Some((a, b, pose, _)) = random_pair(&mut random) else { continue };
        n_pairs += 1;
        let region = found(&a, &b, &pose);
        let size = a.radius.hypot(a.half_height).max(b.radius.hypot(b.half_height));
        let step = 3e-3 * region.volume / region.surface_area;
        let mut worst: f64 = 0.0;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for (shift, turn, expected) in [
                (axis, DVec3::ZERO, -region.vector_area.dot(axis)),
                (DVec3::ZERO, axis / size, -region.first_moment.dot(axis) / size),
            ] {
                let volume = |h: f64| {
                    let q = DQuat::from_scaled_axis(turn * h);
                    let moved = Pose::new(q * pose.position + shift * h, (q * pose.orientation).normalize());
                    found(&a, &b, &moved).volume
                };
                let slope = |h: f64| (volume(h) - volume(-h)) / (2.0 * h);
                let found = (4.0 * slope(step) - slope(2.0 * step)) / 3.0;
                worst = worst.max((found - expected).abs() / region.surface_area);
            }
        }
        // Rounding of the volume over the step, and the fourth power of the step.
        if worst > 1e-9 + 300.0 * rounding(&region, size) {
            n_kinks += 1;
            println!("{worst:e} {a:?} {b:?} {pose:?}");
        }
    }
    println!("{n_kinks} of {n_pairs} where a feature comes or goes within a step");
    assert!(n_kinks <= n_pairs / 50);
}

fn check_against_rays(n_pairs: usize) {
    let mut random = Sequence::new(1);
    let mut rays = RayWorkspace::default();
    let mut errors = Vec::new();
    let mut n_unsure = 0;
    while errors.len() + n_unsure < n_pairs {
        let Some((a, b, pose, contact)) = random_pair(&mut random) else { continue };
        let region = found(&a, &b, &pose);
        let (shape_a, shape_b) = (Shape::Cylinder(a), Shape::Cylinder(b));
        match overlap_by_rays(&shape_a, &shape_b, &pose, &contact, 1e-7, &mut rays) {
            Ok(Some(other)) => errors.push(difference(&region, &other, a.radius.hypot(a.half_height))),
            _ => n_unsure += 1,
        }
    }
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| errors[((errors.len() - 1) as f64 * share) as usize];
    println!(
        "{n_pairs} pairs, of {n_unsure} the rays were not sure; median {:.1e}, 99 % {:.1e}, worst {:.1e}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    assert!(n_unsure < n_pairs / 10);
    assert!(at(0.5) < 1e-8 && at(0.99) < 1e-6, "{} {}", at(0.5), at(0.99));
}

#[test]
fn slices_agree_with_rays() {
    check_against_rays(1_000);
}

/// `cargo nextest run -p tumble-geometry --run-ignored only slices_agree_with_rays_over_ten_thousand_pairs`
#[test]
#[ignore = "the full size of slices_agree_with_rays"]
fn slices_agree_with_rays_over_ten_thousand_pairs() {
    check_against_rays(10_000);
}
