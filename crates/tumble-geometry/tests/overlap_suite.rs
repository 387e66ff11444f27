//! The suite for overlap regions: the volume's change against vector area and first moment, swap, rigid motion, scale,
//! degenerate poses, and no panic over many random pairs. A further shape joins by one line in `samples`.

use glam::{DQuat, DVec2, DVec3};
use tumble_geometry::narrow;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{Unresolved, Workspace, depth_moments, overlap_from, overlap_half_space_from};
use tumble_geometry::{
    Capsule, Contact, Cylinder, Disc, OverlapRegion, Polygon, Polyhedron, Pose, Shape, Sphere, Superquadric, Tablet,
    TruncatedCone,
};

/// Every convex shape, each of a size of about one.
fn samples() -> Vec<Shape> {
    vec![
        Shape::Sphere(Sphere { radius: 0.8 }),
        Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.7 }),
        Shape::Capsule(Capsule { radius: 0.5, half_height: 0.6 }),
        Shape::TruncatedCone(TruncatedCone { lower_radius: 0.9, upper_radius: 0.3, height: 1.2 }),
        Shape::Tablet(Tablet { radius: 0.8, half_height: 0.2, dome_height: 0.3 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(0.9, 0.7, 0.6), n1: 2.0, n2: 2.0 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(0.8, 0.7, 0.6), n1: 3.0, n2: 4.0 }),
        Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.6, 0.7))),
        Shape::Polyhedron(tetrahedron()),
        Shape::Disc(Disc { radius: 0.7, half_thickness: 0.4 }),
        Shape::Polygon(Polygon::from_trusted_corners(
            vec![DVec2::new(-0.8, -0.5), DVec2::new(0.7, -0.6), DVec2::new(0.1, 0.9)],
            0.5,
        )),
    ]
}

fn cuboid(half: DVec3) -> Polyhedron {
    let side = |bit: usize, k: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8).map(|k| half * DVec3::new(side(0, k), side(1, k), side(2, k))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Polyhedron::from_trusted_faces(vertices, faces.iter().map(|f| f.to_vec()).collect())
}

fn tetrahedron() -> Polyhedron {
    let vertices = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
        .map(|[x, y, z]| 0.7 * DVec3::new(f64::from(x), f64::from(y), f64::from(z)));
    let faces = vec![vec![0, 1, 2], vec![0, 3, 1], vec![0, 2, 3], vec![1, 3, 2]];
    Polyhedron::from_trusted_faces(vertices.to_vec(), faces)
}

fn contact(a: &Shape, b: &Shape, pose: &Pose) -> Contact {
    narrow::contact(a, b, pose).unwrap_or_else(|unsure| unsure.best)
}

type Answer = Result<Option<OverlapRegion>, Unresolved>;

fn region(a: &Shape, b: &Shape, pose: &Pose, workspace: &mut Workspace) -> Answer {
    overlap_from(a, b, pose, &contact(a, b, pose), workspace)
}

/// b moved until it overlaps a by a share of the depth it had at a random place.
fn overlapping(a: &Shape, b: &Shape, random: &mut Sequence) -> Option<(Pose, Contact)> {
    let reach = a.bounding_radius().min(b.bounding_radius());
    let orientation = random.orientation();
    let start = Pose::new(random.direction() * random.between(0.05, 1.2) * reach, orientation);
    let deep = contact(a, b, &start);
    if deep.separation >= 0.0 {
        return None;
    }
    // From whole depth to a thousandth of it.
    let keep = random.between_in_ratio(1e-3, 1.0);
    let pose = Pose::new(start.position - deep.normal * deep.separation * (1.0 - keep), orientation);
    let contact = contact(a, b, &pose);
    (contact.separation < 0.0).then_some((pose, contact))
}

/// Steps of a difference, as shares of the region's thickness.
const STEPS: [f64; 3] = [3e-2, 3e-3, 3e-4];

/// Moves a pose by a step (dx, dw) about the origin.
fn moved(pose: &Pose, shift: DVec3, turn: DVec3) -> Pose {
    let q = DQuat::from_scaled_axis(turn);
    Pose::new(q * pose.position + shift, (q * pose.orientation).normalize())
}

/// Central differences of the volume, Richardson's extrapolation over two steps, against S and G. b is moved, so the
/// signs are opposite. Returns the worst difference relative to the area and the area times the size.
fn gradient_error(
    volume: &mut impl FnMut(DVec3, DVec3) -> Option<f64>,
    region: &OverlapRegion,
    step: f64,
    size: f64,
) -> Option<f64> {
    let mut worst: f64 = 0.0;
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        for (direction, expected, scale) in [
            ((axis, DVec3::ZERO), region.vector_area.dot(axis), region.surface_area),
            ((DVec3::ZERO, axis / size), region.first_moment.dot(axis) / size, region.surface_area),
        ] {
            let mut slope = |h: f64| {
                let forth = volume(direction.0 * h, direction.1 * h)?;
                let back = volume(direction.0 * -h, direction.1 * -h)?;
                Some((forth - back) / (2.0 * h))
            };
            let (coarse, fine) = (slope(step)?, slope(0.5 * step)?);
            let extrapolated = fine + (fine - coarse) / 3.0;
            worst = worst.max((extrapolated + expected).abs() / scale);
        }
    }
    Some(worst)
}

/// Every unordered pair of samples.
fn pairs() -> impl Iterator<Item = (usize, Shape, Shape)> {
    let all = samples();
    let n = all.len();
    (0..n * n).filter(move |k| k / n <= k % n).map(move |k| (k, all[k / n].clone(), all[k % n].clone()))
}

/// How many poses a pair gets: what is exact costs nothing.
fn n_poses(a: &Shape, b: &Shape) -> usize {
    let flat = |shape: &Shape| matches!(shape, Shape::Polyhedron(_) | Shape::Polygon(_));
    let slow = |shape: &Shape| matches!(shape, Shape::Superquadric(s) if s.n1 != 2.0 || s.n2 != 2.0);
    if flat(a) && flat(b) {
        400
    } else if slow(a) || slow(b) {
        2
    } else {
        12
    }
}

#[test]
fn volume_changes_as_vector_area_and_first_moment_say() {
    // A tighter tolerance than the usual, so that differences over small steps have digits left.
    let mut workspace = Workspace::with_tolerance(1e-9);
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(k as u64);
        for pose_index in 0..n_poses(&a, &b).div_ceil(4) {
            let Some((pose, contact)) = overlapping(&a, &b, &mut random) else { continue };
            let found = overlap_from(&a, &b, &pose, &contact, &mut workspace);
            let Some(found) = found.unwrap_or_else(|unresolved| unresolved.best) else {
                panic!("{a:?} {b:?} {pose:?}")
            };
            let (thickness, size) = (found.volume / found.surface_area, a.bounding_radius());
            let mut volume =
                |shift: DVec3, turn: DVec3| match region(&a, &b, &moved(&pose, shift, turn), &mut workspace) {
                    Ok(region) => region.map(|region| region.volume),
                    Err(unresolved) => unresolved.best.map(|region| region.volume),
                };
            // Where a feature comes into reach within a step, only a smaller step sees the slope; the smallest has the
            // least digits.
            let is_slope = |step: f64| {
                gradient_error(&mut volume, &found, step * thickness, size).is_some_and(|error| error < 1e-6)
            };
            assert!(STEPS.into_iter().any(is_slope), "{} {} pose {pose_index}: {contact:?}", a.name(), b.name());
        }
    }
}

#[test]
fn regions_of_shapes_in_a_half_space_change_as_they_say() {
    let mut workspace = Workspace::with_tolerance(1e-9);
    for (k, shape) in samples().into_iter().enumerate() {
        let mut random = Sequence::new(1000 + k as u64);
        for _ in 0..6 {
            let orientation = random.orientation();
            let lowest = (orientation * shape.support(orientation.inverse() * DVec3::NEG_Z)).z;
            let depth = random.between_in_ratio(1e-3, 1.0) * -lowest;
            let pose = Pose::new(DVec3::new(0.3, -0.2, -lowest - depth), orientation);
            let mut region_at = |pose: &Pose| {
                overlap_half_space_from(&shape, pose, &mut workspace).unwrap_or_else(|unresolved| unresolved.best)
            };
            let found = region_at(&pose).unwrap();
            let thickness = found.volume / found.surface_area;
            // The shape is a here: moving it has the sign of its own vector area.
            let opposite =
                OverlapRegion { vector_area: -found.vector_area, first_moment: -found.first_moment, ..found };
            let mut volume =
                |shift: DVec3, turn: DVec3| region_at(&moved(&pose, shift, turn)).map(|region| region.volume);
            let is_slope =
                |step: f64| gradient_error(&mut volume, &opposite, step * thickness, 1.0).is_some_and(|e| e < 1e-6);
            assert!(STEPS.into_iter().any(is_slope), "{}: depth {depth}", shape.name());
            // The flat part of the surface is the section: straight up, and its lever has no part along z.
            assert!(found.vector_area.truncate().length() < 1e-6 * found.surface_area);
            assert!(found.vector_area.z <= 0.0 && found.first_moment.z.abs() < 1e-6 * found.surface_area);
        }
    }
}

#[test]
fn the_usual_tolerance_is_kept() {
    let (mut usual, mut tight) = (Workspace::default(), Workspace::with_tolerance(1e-9));
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(2000 + k as u64);
        for _ in 0..n_poses(&a, &b) {
            let Some((pose, contact)) = overlapping(&a, &b, &mut random) else { continue };
            let best = |answer: Answer| answer.unwrap_or_else(|unresolved| unresolved.best).unwrap();
            let found = best(overlap_from(&a, &b, &pose, &contact, &mut usual));
            let truth = best(overlap_from(&a, &b, &pose, &contact, &mut tight));
            // Ten times the tolerance: what a law's force may be off by.
            let error = difference(&found, &truth, a.bounding_radius());
            assert!(error < 1e-6, "{} {}: {error:e} {contact:?} {pose:?}", a.name(), b.name());
        }
    }
}

/// The largest relative difference of two regions.
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

#[test]
fn swapping_turning_shifting_and_scaling_change_nothing_else() {
    let mut workspace = Workspace::default();
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(3000 + k as u64);
        for _ in 0..n_poses(&a, &b).min(4) {
            let Some((pose, contact)) = overlapping(&a, &b, &mut random) else { continue };
            let mut allowed = 1e-6_f64;
            let mut get = |a: &Shape, b: &Shape, pose: &Pose, contact: &Contact| {
                overlap_from(a, b, pose, contact, &mut workspace)
                    .unwrap_or_else(|unresolved| {
                        allowed = allowed.max(10.0 * unresolved.relative_error);
                        unresolved.best
                    })
                    .unwrap()
            };
            let size = a.bounding_radius().max(b.bounding_radius());
            let found = get(&a, &b, &pose, &contact);
            let back = pose.relative(&Pose::IDENTITY);
            let swapped_contact = Contact {
                normal: -back.transform_vector(contact.normal),
                separation: contact.separation,
                point_a: back.transform_point(contact.point_b),
                point_b: back.transform_point(contact.point_a),
            };
            let other = get(&b, &a, &back, &swapped_contact).transformed(&pose);
            let opposite =
                OverlapRegion { vector_area: -other.vector_area, first_moment: -other.first_moment, ..other };
            let scale = 1e-3;
            let small_pose = Pose::new(pose.position * scale, pose.orientation);
            let small_contact = Contact {
                separation: contact.separation * scale,
                point_a: contact.point_a * scale,
                point_b: contact.point_b * scale,
                ..contact
            };
            let small = get(&a.scaled(scale), &b.scaled(scale), &small_pose, &small_contact);
            let grown = OverlapRegion {
                volume: small.volume / scale.powi(3),
                centroid: small.centroid / scale,
                surface_area: small.surface_area / scale.powi(2),
                vector_area: small.vector_area / scale.powi(2),
                first_moment: small.first_moment / scale.powi(3),
            };
            for other in [opposite, grown] {
                let error = difference(&other, &found, size);
                assert!(error < allowed, "{} {}: {error:e} {contact:?}", a.name(), b.name());
            }
        }
    }
}

/// A hull of points on an ellipsoid, some of them on a cut across it, so that it has triangles and one large face.
fn rock(n_points: usize, axes: DVec3, random: &mut Sequence) -> Shape {
    let points: Vec<DVec3> = (0..n_points)
        .map(|_| random.direction() * axes)
        .map(|p| if p.z > 0.6 * axes.z { DVec3::new(p.x, p.y, 0.6 * axes.z) } else { p })
        .collect();
    Shape::Polyhedron(Polyhedron::from_points(&points).unwrap())
}

/// Only faces that cut something are looked for; the depth of regions comes from a cut by all of them.
#[test]
fn regions_of_polyhedra_with_few_and_many_faces_are_those_cut_by_all_faces() {
    let mut random = Sequence::new(73);
    let mut workspace = Workspace::default();
    let mut n_compared = 0;
    for round in 0..400 {
        let axes = [DVec3::ONE, DVec3::new(1.0, 0.4, 0.2), DVec3::new(0.05, 0.05, 1.0), DVec3::new(1.0, 1.0, 0.03)];
        let n_points = random.between_in_ratio(8.0, 120.0) as usize;
        let a = rock(n_points, axes[round % 4], &mut random);
        let n_points = random.between_in_ratio(8.0, 120.0) as usize;
        let b = rock(n_points, axes[round / 4 % 4], &mut random);
        let Some((pose, contact)) = overlapping(&a, &b, &mut random) else { continue };
        // Any direction will do to begin with.
        let odd = Contact { normal: random.direction(), ..contact };
        let expected = depth_moments(&a, &b, &pose, &contact, &mut workspace).unwrap();
        for start in [contact, odd] {
            let found = overlap_from(&a, &b, &pose, &start, &mut workspace).unwrap().unwrap();
            let off = (found.volume / expected.volume - 1.0).abs();
            let thickness = -contact.separation;
            assert!(off < 1e-12 / thickness.min(1.0), "{round}: {off:e}, {thickness:e} thick");
            let shift = (found.vector_area - expected.volume_slope.shift).length();
            let turn = (found.first_moment - expected.volume_slope.turn).length();
            assert!(shift < 1e-10 && turn < 1e-10, "{round}: {shift:e}, {turn:e}");
        }
        n_compared += 1;
    }
    assert!(n_compared > 200, "{n_compared}");
}

#[test]
fn a_body_inside_another_is_the_region() {
    let mut workspace = Workspace::default();
    let room = Shape::Polyhedron(cuboid(DVec3::splat(5.0)));
    let hall = Shape::Cylinder(Cylinder { radius: 5.0, half_height: 5.0 });
    for shape in samples() {
        for outer in [&room, &hall] {
            let pose = Pose::new(DVec3::new(0.3, -0.2, 0.1), DQuat::from_rotation_y(0.4));
            let found = region(outer, &shape, &pose, &mut workspace).unwrap().unwrap();
            let properties = shape.mass_properties();
            assert!((found.volume / properties.volume - 1.0).abs() < 1e-6, "{}", shape.name());
            assert!((found.centroid - pose.transform_point(properties.centroid)).length() < 1e-6, "{}", shape.name());
            assert!(found.vector_area.length() < 1e-6 * found.surface_area, "{}", shape.name());
            assert!(found.first_moment.length() < 1e-6 * found.surface_area, "{}", shape.name());
        }
    }
}

#[test]
fn coplanar_faces_are_counted_once() {
    let mut workspace = Workspace::default();
    let cube = Shape::Polyhedron(cuboid(DVec3::splat(0.5)));
    // The same cube twice; half of it; a quarter turn, which rounds; touching faces, edges and corners.
    let same = region(&cube, &cube, &Pose::IDENTITY, &mut workspace).unwrap().unwrap();
    assert!((same.volume - 1.0).abs() < 1e-14 && (same.surface_area - 6.0).abs() < 1e-13);
    for turn in [0.0, 0.5, 1.0, 1.5] {
        let orientation = DQuat::from_rotation_z(turn * std::f64::consts::PI);
        for (shift, volume, area) in [
            (DVec3::X * 0.5, 0.5, 4.0),
            (DVec3::new(0.5, 0.5, 0.0), 0.25, 2.5),
            (DVec3::Z * (1.0 - 1e-6), 1e-6, 2.0 + 4e-6),
        ] {
            let found = region(&cube, &cube, &Pose::new(shift, orientation), &mut workspace).unwrap().unwrap();
            assert!((found.volume / volume - 1.0).abs() < 1e-9, "{shift}: {found:?}");
            assert!((found.surface_area / area - 1.0).abs() < 1e-9, "{shift}: {found:?}");
        }
        for shift in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE] {
            let found = region(&cube, &cube, &Pose::new(shift, orientation), &mut workspace).unwrap();
            assert!(found.is_none_or(|found| found.volume < 1e-13), "{shift}: {found:?}");
        }
    }
}

#[test]
fn aligned_cylinders_have_their_closed_forms() {
    let mut workspace = Workspace::default();
    let can = Shape::Cylinder(Cylinder { radius: 1.0, half_height: 1.0 });
    // Stacked on one axis: a disc of the depth's thickness. Side by side: a lens between the circles, over the height.
    for depth in [1e-5, 1e-3, 0.5] {
        let stacked = region(&can, &can, &Pose::from_position(DVec3::Z * (2.0 - depth)), &mut workspace);
        let stacked = stacked.unwrap().unwrap();
        assert!((stacked.volume / (std::f64::consts::PI * depth) - 1.0).abs() < 1e-6, "{depth}: {stacked:?}");
        assert!((stacked.vector_area - DVec3::Z * std::f64::consts::PI).length() < 1e-5, "{depth}: {stacked:?}");
        let beside = region(&can, &can, &Pose::from_position(DVec3::X * (2.0 - depth)), &mut workspace);
        let beside = beside.unwrap().unwrap();
        // Half a lens is a segment of height h: acos(1-h) - (1-h) sqrt(2h-h^2), by its series for small h.
        let h = 0.5 * depth;
        let segment = if h < 1e-2 {
            4.0 / 3.0 * h * (2.0 * h).sqrt() * (1.0 - 3.0 / 20.0 * h - 3.0 / 224.0 * h * h)
        } else {
            (1.0 - h).acos() - (1.0 - h) * (2.0 * h - h * h).sqrt()
        };
        assert!((beside.volume / (4.0 * segment) - 1.0).abs() < 1e-6, "{depth}: {beside:?} {}", 4.0 * segment);
    }
}

#[test]
fn many_random_pairs_give_sound_answers() {
    // Flat-faced pairs are cheap: most of the pairs. No answer may be unsound, whatever the pose.
    let mut workspace = Workspace::with_tolerance(1e-5);
    for (k, a, b) in pairs() {
        let mut random = Sequence::new(4000 + k as u64);
        let n = match n_poses(&a, &b) {
            400 => 5000,
            2 => 3,
            _ => 40,
        };
        for _ in 0..n {
            let reach = (a.bounding_radius() + b.bounding_radius()) * random.unit();
            let pose = Pose::new(random.direction() * reach, random.orientation());
            let answer = region(&a, &b, &pose, &mut workspace);
            let Some(found) = answer.unwrap_or_else(|unresolved| unresolved.best) else { continue };
            let smaller = a.volume().min(b.volume());
            assert!(found.volume > 0.0 && found.volume < smaller * (1.0 + 1e-4), "{pose:?}: {found:?}");
            assert!(found.centroid.is_finite() && found.first_moment.is_finite(), "{pose:?}: {found:?}");
            assert!(found.vector_area.length() <= 0.5 * found.surface_area * (1.0 + 1e-4), "{pose:?}: {found:?}");
            // The thickness of planar shapes, half of which is 0.5 at most here, is not in their bounding radius.
            assert!(found.centroid.length() < a.bounding_radius().hypot(0.5), "{pose:?}: {found:?}");
        }
    }
}
