use super::super::revolution::crowned::{CrownedCylinders, follow};
use super::*;
use crate::oracle::Sequence;
use glam::DQuat;

fn shapes() -> Vec<(&'static str, Shape)> {
    vec![
        ("sphere", Shape::sphere(0.5).unwrap()),
        ("cylinder", Shape::cylinder(0.5, 1.2).unwrap()),
        ("disc", Shape::cylinder(0.6, 0.2).unwrap()),
        ("capsule", Shape::Capsule(crate::Capsule { radius: 0.3, half_height: 0.4 })),
        ("box", Shape::cuboid(DVec3::new(0.8, 1.0, 0.6)).unwrap()),
    ]
}

fn depth(a: &YieldingBody, b: &YieldingBody, pose: &Pose) -> Yielded {
    contact_yielding(ContactMethod::Exact, a, b, pose, None, 0.0).unwrap()
}

#[test]
fn the_depth_changes_as_its_slope_says() {
    let mut random = Sequence::new(11);
    let shapes = shapes();
    for (name_a, shape_a) in &shapes {
        for (name_b, shape_b) in &shapes {
            let (a, b) = (YieldingBody::new(shape_a), YieldingBody::new(shape_b));
            let mut errors: Vec<f64> = Vec::new();
            while errors.len() < 20 {
                let turn = DQuat::from_axis_angle(unit(&mut random), random.between(0.0, 3.0));
                let mut pose = Pose::new(unit(&mut random) * 0.9, turn);
                let flat = contact_bodies_by(ContactMethod::Exact, a.flat(), b.flat(), &pose, None, f64::INFINITY);
                let flat = flat.unwrap().unwrap();
                pose.position += flat.normal * (-flat.separation - 0.02);
                let found = depth(&a, &b, &pose);
                let Contact { normal, separation, point_a, point_b } = found.contact;
                if separation >= 0.0 {
                    continue;
                }
                assert!(-separation <= found.flat_depth + 1e-12, "{name_a} {name_b}: {found:?}");
                let h = 1e-5;
                let at = |pose: &Pose| -depth(&a, &b, pose).contact.separation;
                let moved = |by: DVec3| at(&Pose::new(pose.position + by, pose.orientation));
                let turned = |by: DVec3| at(&Pose::new(pose.position, DQuat::from_scaled_axis(by) * pose.orientation));
                let along = |of: &dyn Fn(DVec3) -> f64| {
                    DVec3::from_array(DVec3::AXES.map(|axis| (of(-axis * h) - of(axis * h)) / (2.0 * h)))
                };
                let arm = 0.5 * (point_a + point_b) - pose.position;
                errors.push((along(&moved) - normal * found.slope).length());
                errors.push((along(&turned) - arm.cross(normal) * found.slope).length());
            }
            errors.sort_by(f64::total_cmp);
            // Of central differences across a change of features, where the second derivative jumps, a few are off in proportion to h.
            let (most, largest) = (errors[errors.len() * 9 / 10], errors[errors.len() - 1]);
            assert!(most < 1e-6 && largest < 1e-3, "{name_a} {name_b}: {most:e}, {largest:e}");
        }
    }
}

fn unit(random: &mut Sequence) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| random.between(-1.0, 1.0))).normalize_or(DVec3::X)
}

#[test]
fn ends_resist_rocking_as_a_bed_of_springs_whatever_the_load() {
    let (radius, half_height) = (0.5, 0.6);
    let body = YieldingBody::new(&Shape::cylinder(radius, 2.0 * half_height).unwrap());
    // k / 2 depth^2 grows by (k r^2 / 2) tilt^2 / 2 as the one turns about the middle of its end.
    for deep in [1e-2, 1e-3, 1e-4] {
        let tilt = 0.1 * deep / radius;
        let turn = DQuat::from_rotation_x(tilt);
        let middle = DVec3::Z * (half_height - deep);
        let pose = Pose::new(middle + turn * DVec3::Z * half_height, turn);
        let found = -depth(&body, &body, &pose).contact.separation;
        let stiffness = (found * found - deep * deep) / (tilt * tilt * radius * radius);
        // The bulge at no depth is a hundredth of that at the least of these.
        assert!((stiffness - 0.5).abs() < 0.02, "{deep}: {stiffness}");
    }
}

#[test]
fn the_depth_does_not_depend_on_where_a_search_begins() {
    let mut random = Sequence::new(12);
    let shapes = [Shape::cylinder(0.4, 0.7).unwrap(), Shape::cylinder(0.7, 0.2).unwrap()];
    let [a, b] = shapes.map(|shape| YieldingBody::new(&shape));
    let rows = [&a, &b].map(|body| body.cylinder_measures().unwrap());
    let (mut n_proven, mut n) = (0, 0);
    for k in 0..1000 {
        let turn = DQuat::from_axis_angle(unit(&mut random), random.between(0.0, 3.0));
        let mut pose = Pose::new(unit(&mut random) * 0.9, turn);
        let flat = contact_bodies_by(ContactMethod::Exact, a.flat(), b.flat(), &pose, None, f64::INFINITY);
        let flat = flat.unwrap().unwrap();
        pose.position += flat.normal * (-flat.separation - random.between(0.001, 0.04));
        let found = depth(&a, &b, &pose);
        let Contact { normal, separation, .. } = found.contact;
        if separation >= 0.0 {
            continue;
        }
        let off = |other: f64, slope: f64, turned: DVec3| {
            (other - separation).abs() + (slope - found.slope).abs() + (turned - normal).length()
        };
        for start in [-0.5 * separation, -1.2 * separation] {
            let guess = (normal + unit(&mut random) * 1e-3).normalize();
            let other = contact_yielding(ContactMethod::Exact, &a, &b, &pose, Some(guess), start).unwrap();
            let wrong = off(other.contact.separation, other.slope, other.contact.normal);
            assert!(wrong < 1e-8, "pose {k}: {found:?} {other:?}");
            // The same in a lane.
            let axes = [DVec3::Z, turn * DVec3::Z];
            let [in_a, in_b] = [0, 1].map(|k| CrownedCylinders::<f64>::gather(axes[k].into(), |_| rows[k]));
            let (lane, proven) = follow(&in_a, &in_b, pose.position.into(), guess.into(), start, GROWTH);
            n += 1;
            if proven {
                n_proven += 1;
                let wrong = off(lane.contacts.separation, lane.slope, lane.contacts.normal.into());
                assert!(wrong < 1e-8, "pose {k}: {found:?} {lane:?}");
                assert!((lane.flat_depth - found.flat_depth).abs() < 1e-8, "pose {k}: {found:?} {lane:?}");
            }
        }
    }
    assert!(n > 1500 && n_proven * 10 > n * 6, "{n_proven} of {n}");
}

#[test]
fn a_cylinder_meets_a_half_space_as_the_bodies_that_it_bulges_to_do() {
    let mut random = Sequence::new(5);
    let mut n = 0;
    for k in 0..400 {
        let (radius, height) = (random.between(0.2, 1.0), random.between(0.1, 2.0));
        let body = YieldingBody::new(&Shape::cylinder(radius, height).unwrap());
        // Faces, sides and rims, nearly on them and anyhow.
        let tilt = [0.0, 1e-6, 1e-3, 0.3, 1.0][k % 5];
        let lies = if k % 2 == 0 { DQuat::IDENTITY } else { DQuat::from_rotation_x(0.5 * std::f64::consts::PI) };
        let turn = DQuat::from_axis_angle(unit(&mut random), tilt) * lies;
        let direction = turn.inverse() * DVec3::NEG_Z;
        let deep = [1e-7, 1e-4, 2e-2][k % 3] * radius;
        let pose = Pose::new(DVec3::Z * (body.flat().support(direction).dot(direction) - deep), turn);
        let mut found = Vec::new();
        contact_yielding_surface(&body, &Surface::HalfSpace, &pose, &mut Vec::new(), &mut found);
        let seen = |depth: f64| {
            let bulges = ContactBody::bulging(body.flat().shape(), body.bulge(depth));
            (bulges.support(direction).dot(direction) - pose.position.z - bulges.bulge(), bulges)
        };
        let [found] = found[..] else {
            assert!(seen(0.0).0 <= 0.0, "pose {k}");
            continue;
        };
        n += 1;
        let depth = -found.contact.separation;
        let (again, bulges) = seen(depth);
        assert!((again - depth).abs() < 1e-8 * depth + 1e-15, "pose {k}: {again:e} for {found:?}");
        let more = 1e-4 * depth;
        let steep = 1.0 - (seen(depth + more).0 - seen(depth - more).0) / (2.0 * more);
        assert!((found.slope * steep - 1.0).abs() < 1e-3, "pose {k}: {steep} for {found:?}");
        assert!((found.flat_depth - deep).abs() < 1e-9 * radius, "pose {k}: {deep:e} for {found:?}");
        let patch = patch_radius(depth, DVec3::NEG_Z, [bulges.radii(direction), Some(Radii::Flat)]);
        assert!((found.patch_radius - patch).abs() < 1e-6 * radius, "pose {k}: {patch} for {found:?}");
        let point = pose.transform_point(bulges.support(direction));
        let apart = (found.contact.point - point).truncate().length();
        assert!(apart < 1e-6 * radius, "pose {k}: {apart:e} for {found:?}");
    }
    assert!(n > 250, "{n}");
}

#[test]
fn where_a_body_that_bulges_is_farthest_follows_from_the_one_that_does_not() {
    let mut random = Sequence::new(3);
    let tablet = |dome_height: f64| Shape::Tablet(crate::Tablet { radius: 0.5, half_height: 0.2, dome_height });
    let cone = Shape::truncated_cone(0.5, 0.2, 0.7).unwrap();
    let others = [("cone", cone), ("tablet", tablet(0.2)), ("half-balls", tablet(0.5)), ("flat domes", tablet(1e-3))];
    for (name, shape) in shapes().into_iter().chain(others).filter(|(name, _)| !["sphere", "box"].contains(name)) {
        let body = YieldingBody::new(&shape);
        for k in 0..2000 {
            let bulge = body.bulge(body.flat().bounding_radius() * 10f64.powf(random.between(-7.0, -1.0)));
            // Anywhere, and near where pieces meet.
            let mut direction = unit(&mut random);
            if k % 2 == 0 {
                let mut turns = Vec::new();
                body.turns(bulge, |turn| turns.push(turn));
                let u: f64 = (turns[k / 2 % turns.len()] + random.between(-1e-3, 1e-3)).clamp(-1.0, 1.0);
                direction = (direction.truncate().normalize() * (1.0 - u * u).sqrt()).extend(u);
            }
            let expected = ContactBody::bulging(&shape, bulge).farthest(direction);
            let found = body.farthest(bulge, direction);
            let reaches = [found.point, expected.point].map(|point| point.dot(direction));
            assert!((reaches[0] - reaches[1]).abs() < 1e-14, "{name}, {bulge:e}: {found:?} {expected:?}");
            // Where pieces meet the point of either may be taken.
            let apart = (found.point - expected.point).length();
            assert!(
                apart < 1e-8 && (found.per_bulge - expected.per_bulge).abs() < 1e-6,
                "{name}: {found:?} {expected:?}"
            );
        }
    }
}

/// How many of the contacts of two cylinders are followed in lanes after they have turned by an angle, of those that touch.
fn followed(half_height: f64, deep: f64, angle: f64) -> (usize, usize) {
    let mut random = Sequence::new(7);
    let body = YieldingBody::new(&Shape::cylinder(1.0, 2.0 * half_height).unwrap());
    let row = body.cylinder_measures().unwrap();
    let (mut n, mut n_proven) = (0, 0);
    while n < 400 {
        let turn = DQuat::from_axis_angle(unit(&mut random), random.between(0.0, 3.0));
        let mut pose = Pose::new(unit(&mut random) * DVec3::new(1.0, 1.0, half_height), turn);
        let flat = contact_bodies_by(ContactMethod::Exact, body.flat(), body.flat(), &pose, None, f64::INFINITY);
        let flat = flat.unwrap().unwrap();
        pose.position += flat.normal * (-flat.separation - deep);
        let before = depth(&body, &body, &pose);
        if before.contact.separation >= 0.0 {
            continue;
        }
        // About the contact point, so that they go on touching.
        let point = 0.5 * (before.contact.point_a + before.contact.point_b);
        let by = DQuat::from_axis_angle(unit(&mut random), angle);
        let pose = Pose::new(point + by * (pose.position - point), by * pose.orientation);
        let after = depth(&body, &body, &pose);
        if after.contact.separation >= 0.0 {
            continue;
        }
        n += 1;
        let axes = [DVec3::Z, pose.orientation * DVec3::Z];
        let [in_a, in_b] = axes.map(|axis| CrownedCylinders::<f64>::gather(axis.into(), |_| row));
        let Contact { normal, separation, .. } = before.contact;
        let (lane, proven) = follow(&in_a, &in_b, pose.position.into(), normal.into(), -separation, GROWTH);
        if proven {
            n_proven += 1;
            assert!(
                (lane.contacts.separation - after.contact.separation).abs() < 1e-7 * deep,
                "{before:?} {after:?} {lane:?}"
            );
        }
    }
    (n_proven, n)
}

#[test]
fn contacts_of_cylinders_are_followed_however_they_turn_in_a_step() {
    for half_height in [0.1, 1.0, 10.0, 50.0] {
        for deep in [1e-2, 1e-4, 1e-6] {
            for angle in [1e-6, 1e-5, 1e-4, 1e-3] {
                let (n_proven, n) = followed(half_height, deep, angle);
                let name = format!("half height {half_height}, depth {deep:e}, angle {angle:e}");
                assert!(n_proven * 100 > n * 93, "{name}: {n_proven} of {n}");
            }
        }
    }
}
