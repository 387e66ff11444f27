//! Regions of superquadrics, ellipsoids among them, against closed forms, over depths of a billionth to half of the size, exponents of 2
//! to 20 and aspects of 1 to 10: two balls, balls stretched, caps cut across an axis; and the slope of the volume, swap and scale.

use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_geometry::narrow;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{Unresolved, Workspace, overlap_from, overlap_half_space_from, overlap_sphere_sphere};
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Contact, OverlapRegion, Pose, Shape, Superquadric};

fn superquadric(semi_axes: DVec3, n1: f64, n2: f64) -> Shape {
    Shape::Superquadric(Superquadric { semi_axes, n1, n2 })
}

/// b placed so that it overlaps a by a depth along a direction, and that contact.
fn placed(a: &Shape, b: &Shape, orientation: DQuat, normal: DVec3, depth: f64) -> (Pose, Contact) {
    let point_a = a.support(normal);
    let point_b = point_a - normal * depth;
    let position = point_b - orientation * b.support(orientation.inverse() * -normal);
    (Pose::new(position, orientation), Contact { normal, separation: -depth, point_a, point_b })
}

fn region(a: &Shape, b: &Shape, pose: &Pose, contact: &Contact, workspace: &mut Workspace) -> OverlapRegion {
    overlap_from(a, b, pose, contact, workspace).unwrap().unwrap()
}

/// Two ellipsoids of the same proportions and directions are two balls under a linear map, and so is what they share.
#[test]
fn ellipsoids_that_are_stretched_balls_share_a_stretched_lens() {
    let mut random = Sequence::new(31);
    for tolerance in [1e-4, 1e-7] {
        let mut workspace = Workspace::with_tolerance(tolerance);
        for axes in [DVec3::ONE, DVec3::new(1.0, 0.9, 0.7), DVec3::new(1.0, 0.3, 0.1), DVec3::new(10.0, 1.0, 1.0)] {
            for depth in [1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5] {
                let (direction, radius) = (random.direction(), random.between(0.3, 1.5));
                let depth = depth * radius.min(1.0);
                // The balls, and what they share.
                let centre = direction * (1.0 + radius - depth);
                let lens = overlap_sphere_sphere(1.0, radius, centre).unwrap();
                let (a, b) = (superquadric(axes, 2.0, 2.0), superquadric(axes * radius, 2.0, 2.0));
                let pose = Pose::from_position(centre * axes);
                let contact = narrow::contact(&a, &b, &pose).unwrap();
                let found = region(&a, &b, &pose, &contact, &mut workspace);
                let determinant = axes.element_product();
                let volume = lens.volume * determinant;
                let vector_area = lens.vector_area * determinant / axes;
                // A place rounded to 1e-16 of the size changes the depth by as much.
                let allowed = tolerance + 1e-15 * axes.max_element() / axes.min_element() / depth;
                let off = (found.volume / volume - 1.0).abs();
                assert!(off < allowed, "{axes} {depth}: volume off by {off:e}");
                let off = (found.vector_area - vector_area).length() / vector_area.length();
                assert!(off < allowed, "{axes} {depth}: vector area off by {off:e}");
                // The force of the balls' lens goes through the middle of its rim, and a linear map leaves it there.
                let distance = centre.length();
                let to_rim = (distance * distance + 1.0 - radius * radius) / (2.0 * distance);
                let first_moment = (direction * to_rim * axes).cross(vector_area);
                let off = (found.first_moment - first_moment).length() / vector_area.length();
                assert!(off < allowed * axes.max_element(), "{axes} {depth}: first moment off by {off:e}");
                let off = (found.centroid - lens.centroid * axes).length() / axes.max_element();
                assert!(off < allowed, "{axes} {depth}: centroid off by {off:e}");
            }
        }
    }
}

/// Volume and section of the cap of a superquadric of half axes 1 that is cut across its z by a plane at the depth below its top.
fn cap(n1: f64, n2: f64, depth: f64) -> (f64, f64) {
    // Sections are superellipses: the unit one's area by Simpson's rule in an angle, and scaled by (1 - z^n1)^(2/n1).
    let n = 4000;
    let simpson = |f: &dyn Fn(f64) -> f64, end: f64| {
        let h = end / f64::from(n);
        let weight = |k: i32| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
        (0..=n).map(|k| weight(k) * f(h * f64::from(k))).sum::<f64>() * h / 3.0
    };
    let unit = 4.0
        * simpson(
            &|angle| {
                let (s, c) = angle.sin_cos();
                0.5 * (s.abs().powf(n2) + c.abs().powf(n2)).powf(-2.0 / n2)
            },
            PI / 2.0,
        );
    let section = |below: f64| unit * (-(n1 * (-below).ln_1p()).exp_m1()).powf(2.0 / n1);
    // below = depth y^p makes the root at the top smooth.
    let p = n1.max(4.0);
    let volume = simpson(&|y| section(depth * y.powf(p)) * depth * p * y.powf(p - 1.0), 1.0);
    (volume, section(depth))
}

#[test]
fn caps_of_superquadrics_have_their_volume_and_section() {
    let mut workspace = Workspace::default();
    let mut random = Sequence::new(32);
    for (n1, n2) in [(2.0, 2.0), (3.0, 3.0), (4.0, 4.0), (8.0, 8.0), (20.0, 20.0), (4.0, 2.0), (2.0, 4.0), (8.0, 2.0)] {
        for axes in [DVec3::ONE, DVec3::new(1.0, 0.7, 0.4), DVec3::new(0.2, 0.1, 1.0)] {
            for depth in [1e-9, 1e-7, 1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5] {
                let (volume, section) = cap(n1, n2, depth);
                // Turned about z, and upside down.
                let spin = DQuat::from_rotation_x(PI) * DQuat::from_rotation_z(random.between(0.0, 6.0));
                let pose = Pose::new(DVec3::Z * axes.z * (1.0 - depth), spin);
                let shape = superquadric(axes, n1, n2);
                let found = overlap_half_space_from(&shape, &pose, &mut workspace).unwrap().unwrap();
                let allowed = 1e-6 + 1e-15 / depth;
                let off = (found.volume / (volume * axes.element_product()) - 1.0).abs();
                assert!(off < allowed, "{n1} {n2} {axes} {depth}: volume off by {off:e}");
                let off = (-found.vector_area.z / (section * axes.x * axes.y) - 1.0).abs();
                assert!(off < allowed, "{n1} {n2} {axes} {depth}: section off by {off:e}");
            }
        }
    }
}

/// Shapes of all exponents and aspects, in pairs.
fn pairs() -> Vec<[Shape; 2]> {
    let mut pairs = Vec::new();
    for (n1, n2) in [(2.0, 2.0), (4.0, 4.0), (8.0, 8.0), (3.0, 3.0), (20.0, 20.0), (4.0, 2.0), (3.0, 4.0)] {
        for axes in [[DVec3::new(0.8, 0.7, 0.6), DVec3::new(0.9, 0.5, 0.7)], [DVec3::new(1.0, 0.3, 0.1), DVec3::ONE]] {
            pairs.push(axes.map(|axes| superquadric(axes, n1, n2)));
        }
    }
    pairs
}

#[test]
fn volumes_of_lenses_change_as_their_vector_area_and_first_moment_say() {
    let mut workspace = Workspace::with_tolerance(1e-9);
    for (k, [a, b]) in pairs().into_iter().enumerate() {
        let mut random = Sequence::new(500 + k as u64);
        for depth in [1e-4, 3e-3, 2e-2] {
            let (pose, contact) = placed(&a, &b, random.orientation(), random.direction(), depth);
            let Ok(Some(found)) = overlap_from(&a, &b, &pose, &contact, &mut workspace) else {
                // Over the seams of odd exponents and the edges of large ones even rays do not reach this tolerance.
                assert!(k >= 6, "{a:?} {b:?} at {depth}: no region");
                continue;
            };
            // Steps of a hundredth of the thickness: the five-point rule errs by the fourth power.
            let step = 0.01 * found.volume / found.surface_area;
            let mut volume = |shift: DVec3, turn: DVec3| {
                let turn = DQuat::from_scaled_axis(turn);
                let pose = Pose::new(turn * pose.position + shift, turn * pose.orientation);
                // Any point inside and any direction near the normal will do.
                overlap_from(&a, &b, &pose, &contact, &mut workspace)
                    .unwrap_or_else(|unresolved| unresolved.best)
                    .unwrap()
                    .volume
            };
            let area = found.vector_area.length();
            for axis in DVec3::AXES {
                for (shift, turn, expected) in [
                    (axis, DVec3::ZERO, -found.vector_area.dot(axis)),
                    (DVec3::ZERO, axis, -found.first_moment.dot(axis)),
                ] {
                    let mut at = |k: f64| volume(shift * (k * step), turn * (k * step));
                    let slope = (at(-2.0) - 8.0 * at(-1.0) + 8.0 * at(1.0) - at(2.0)) / (12.0 * step);
                    let off = (slope - expected).abs() / area;
                    assert!(off < 2e-6, "{a:?} {b:?} at {depth}: slope off by {off:e}");
                }
            }
        }
    }
}

/// Flat sides on flat sides, edges and corners, and walls: rims that are polygons with round corners take the most directions.
#[test]
fn regions_of_flat_sides_keep_the_tolerance_of_a_run() {
    let (mut coarse, mut fine) = (Workspace::for_laws(LAW_REGION), Workspace::with_tolerance(1e-9));
    let mut random = Sequence::new(33);
    for case in 0..300 {
        let n = [4.0, 8.0][case % 2];
        let [a, b] = [DVec3::new(0.8, 0.7, 0.6), DVec3::new(0.9, 0.5, 0.7)].map(|axes| superquadric(axes, n, n));
        let tilt = random.direction() * random.between_in_ratio(1e-4, 0.5);
        let normal = (DVec3::AXES[case % 3] + tilt).normalize();
        let turned = DQuat::from_axis_angle(normal, random.between(0.0, 3.0));
        let flat = turned * DQuat::from_axis_angle(random.direction(), random.between_in_ratio(1e-4, 0.5));
        let orientation = if case % 4 < 2 { flat.normalize() } else { random.orientation() };
        let depth = random.between_in_ratio(1e-4, 1e-2);
        let (pose, contact) = placed(&a, &b, orientation, normal, depth);
        let two = |workspace: &mut Workspace| overlap_from(&a, &b, &pose, &contact, workspace);
        let lowest = -(orientation * a.support(orientation.inverse() * DVec3::NEG_Z)).z;
        let sunk = Pose::new(DVec3::Z * (lowest - depth), orientation);
        let wall = |workspace: &mut Workspace| overlap_half_space_from(&a, &sunk, workspace);
        let best = |found: Result<Option<OverlapRegion>, Unresolved>| match found {
            Ok(region) => region.unwrap(),
            Err(unresolved) => unresolved.best.unwrap(),
        };
        for (what, found, good) in [
            ("two", best(two(&mut coarse)), best(two(&mut fine))),
            ("wall", best(wall(&mut coarse)), best(wall(&mut fine))),
        ] {
            let area = good.vector_area.length();
            let off = [
                (found.volume / good.volume - 1.0).abs(),
                (found.vector_area - good.vector_area).length() / area,
                (found.first_moment - good.first_moment).length() / area,
                (found.centroid - good.centroid).length(),
            ];
            assert!(off.iter().all(|off| *off < LAW_REGION), "case {case}, {what}, {n} at {depth}: off by {off:?}");
        }
    }
}

/// From a's frame to another, with the sign of a.
fn difference(x: &OverlapRegion, y: &OverlapRegion, size: f64) -> f64 {
    let area = y.vector_area.length();
    [
        (x.volume - y.volume).abs() / y.volume,
        (x.surface_area - y.surface_area).abs() / y.surface_area,
        (x.vector_area - y.vector_area).length() / area,
        (x.first_moment - y.first_moment).length() / (area * size),
        (x.centroid - y.centroid).length() / size,
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

#[test]
fn lenses_do_not_depend_on_names_size_turn_or_on_where_the_search_begins() {
    let mut workspace = Workspace::default();
    for (k, [a, b]) in pairs().into_iter().enumerate() {
        let mut random = Sequence::new(700 + k as u64);
        for depth in [1e-5, 1e-3, 2e-2] {
            let (pose, contact) = placed(&a, &b, random.orientation(), random.direction(), depth);
            let found = region(&a, &b, &pose, &contact, &mut workspace);
            let allowed = 1e-6 + 1e-14 / depth;

            let back = pose.relative(&Pose::IDENTITY);
            let swapped = Contact {
                normal: -back.transform_vector(contact.normal),
                separation: contact.separation,
                point_a: back.transform_point(contact.point_b),
                point_b: back.transform_point(contact.point_a),
            };
            let other = region(&b, &a, &back, &swapped, &mut workspace).transformed(&pose);
            let opposite =
                OverlapRegion { vector_area: -other.vector_area, first_moment: -other.first_moment, ..other };
            let off = difference(&opposite, &found, 1.0);
            assert!(off < allowed, "{a:?} {b:?} at {depth}: swapped, off by {off:e}");

            // A power of two changes no bit.
            let scale = 1.0 / 1024.0;
            let small = Contact {
                separation: contact.separation * scale,
                point_a: contact.point_a * scale,
                point_b: contact.point_b * scale,
                ..contact
            };
            let small_pose = Pose::new(pose.position * scale, pose.orientation);
            let small = region(&a.scaled(scale), &b.scaled(scale), &small_pose, &small, &mut workspace);
            assert_eq!(small.volume, found.volume * scale.powi(3), "{a:?} {b:?} at {depth}");
            assert_eq!(small.vector_area, found.vector_area * scale.powi(2), "{a:?} {b:?} at {depth}");

            // Another point inside and another direction.
            let tilt = DQuat::from_scaled_axis(random.direction() * 0.02 * depth.sqrt());
            let aside = random.direction() * (0.05 * depth);
            let beside = Contact {
                normal: (tilt * contact.normal).normalize(),
                point_a: contact.point_a + aside,
                point_b: contact.point_b + aside,
                ..contact
            };
            let off = difference(&region(&a, &b, &pose, &beside, &mut workspace), &found, 1.0);
            assert!(off < allowed, "{a:?} {b:?} at {depth}: from beside, off by {off:e}");
        }
    }
}
