//! What holds for planar pairs of every kind: the definition, swap, rigid motion, scale, the gradient of the area,
//! degenerate places, and a hundred thousand pairs without a number that is none.

use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use tumble_geometry::narrow::{self, contact_polygon_polygon};
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{self, overlap_disc_polygon, overlap_planar, overlap_polygon_polygon};
use tumble_geometry::{Contact, Disc, OverlapRegion, PlanarPose, Polygon, Pose, Shape};

/// Metres, from a micrometre to a kilometre.
const SCALES: [f64; 4] = [1e-6, 1e-3, 1.0, 1e3];

fn disc(radius: f64) -> Shape {
    Shape::Disc(Disc { radius, half_thickness: 0.4 })
}

fn polygon(corners: Vec<DVec2>) -> Shape {
    Shape::Polygon(Polygon::from_trusted_corners(corners, 0.3))
}

/// A convex polygon: corners of an ellipse at increasing angles, off the local origin.
fn random_polygon(random: &mut Sequence) -> Shape {
    let n_corners = 3 + (random.unit() * 7.0) as usize;
    let (long, short) = (random.between(0.5, 1.0), random.between_in_ratio(0.02, 1.0));
    let offset = random.point_in_cube(0.2).truncate();
    let corners = (0..n_corners).map(|k| {
        let angle = TAU * (k as f64 + 0.8 * random.unit()) / n_corners as f64;
        offset + DVec2::new(long * angle.cos(), short * angle.sin())
    });
    polygon(corners.collect())
}

fn random_shape(random: &mut Sequence) -> Shape {
    if random.unit() < 0.35 { disc(random.between_in_ratio(0.05, 1.0)) } else { random_polygon(random) }
}

fn random_pose(random: &mut Sequence, reach: f64) -> Pose {
    let position = random.point_in_cube(reach).truncate().extend(0.0);
    Pose::new(position, DQuat::from_rotation_z(random.between(-PI, PI)))
}

fn random_pair(random: &mut Sequence) -> (Shape, Shape, Pose) {
    (random_shape(random), random_shape(random), random_pose(random, 1.6))
}

fn size(a: &Shape, b: &Shape) -> f64 {
    a.bounding_radius().max(b.bounding_radius())
}

fn contact(a: &Shape, b: &Shape, pose: &Pose) -> Contact {
    narrow::contact(a, b, pose).unwrap()
}

fn inverse(pose: &Pose) -> Pose {
    pose.relative(&Pose::IDENTITY)
}

/// Moves a body in the plane: along by `dx`, and about the outer origin by `angle`.
fn moved(pose: &Pose, dx: DVec2, angle: f64) -> Pose {
    let turn = Pose::new(dx.extend(0.0), DQuat::from_rotation_z(angle));
    turn.compose(pose)
}

/// Farthest a planar body reaches along a direction.
fn reach(shape: &Shape, direction: DVec2) -> f64 {
    match shape {
        Shape::Disc(disc) => disc.radius,
        Shape::Polygon(polygon) => polygon.corners().iter().map(|c| c.dot(direction)).fold(f64::NEG_INFINITY, f64::max),
        other => panic!("{}", other.name()),
    }
}

fn gap_along(a: &Shape, b: &Shape, pose: &Pose, direction: DVec2) -> f64 {
    let local = pose.inverse_transform_vector(-direction.extend(0.0)).truncate();
    pose.position.truncate().dot(direction) - reach(a, direction) - reach(b, local)
}

/// The definition of the separation by trying: many directions, then ever finer ones around the best few.
fn largest_gap(a: &Shape, b: &Shape, pose: &Pose) -> f64 {
    const N: usize = 2000;
    let at = |angle: f64| gap_along(a, b, pose, DVec2::from_angle(angle));
    let mut tried: Vec<(f64, f64)> = (0..N).map(|k| TAU * k as f64 / N as f64).map(|t| (at(t), t)).collect();
    tried.sort_by(|x, y| y.0.total_cmp(&x.0));
    let refined = tried[..40].iter().map(|&(mut gap, mut angle)| {
        let mut step = TAU / N as f64;
        while step > 1e-15 {
            match [angle - step, angle + step].map(|t| (at(t), t)).into_iter().max_by(|x, y| x.0.total_cmp(&y.0)) {
                Some(better) if better.0 > gap => (gap, angle) = better,
                _ => step *= 0.5,
            }
        }
        gap
    });
    refined.fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn the_separation_is_the_largest_gap_in_the_plane() {
    let mut random = Sequence::new(1);
    for case in 0..500 {
        let (a, b, pose) = random_pair(&mut random);
        let found = contact(&a, &b, &pose);
        let size = size(&a, &b);
        let expected = largest_gap(&a, &b, &pose);
        assert!((found.separation - expected).abs() < 1e-13 * size, "{case}: {} {expected}", found.separation);
        // The normal reaches it, and the points lie on both lines of support.
        let normal = found.normal.truncate();
        assert!((gap_along(&a, &b, &pose, normal) - expected).abs() < 1e-13 * size, "{case}");
        assert!((found.point_a.truncate().dot(normal) - reach(&a, normal)).abs() < 1e-13 * size, "{case}");
        assert!((found.point_b - found.point_a - found.separation * found.normal).length() < 1e-14 * size, "{case}");
    }
}

#[test]
fn swapping_the_bodies_turns_the_answer_round() {
    let mut random = Sequence::new(2);
    for case in 0..20_000 {
        let (a, b, pose) = random_pair(&mut random);
        let (one, other) = (contact(&a, &b, &pose), contact(&b, &a, &inverse(&pose)));
        let size = size(&a, &b);
        // Positions are rounded to a share of the distance, which may be many sizes.
        let rounding = 1e-14 * (size + pose.position.length());
        assert!((one.separation - other.separation).abs() < rounding, "{case}");
        // Where two directions tie within rounding the other may come out; it must then be as good.
        let normal = -pose.transform_vector(other.normal);
        if (one.normal - normal).length() > 1e-12 {
            assert!((gap_along(&a, &b, &pose, normal.truncate()) - one.separation).abs() < 1e-13 * size, "{case}");
        } else {
            assert!((one.point_a - pose.transform_point(other.point_b)).length() < 1e-11 * size, "{case}");
        }
        let regions = (overlap::overlap(&a, &b, &pose).unwrap(), overlap::overlap(&b, &a, &inverse(&pose)).unwrap());
        if one.separation < -1e-12 * size {
            let (one, other) = (regions.0.unwrap(), regions.1.unwrap().transformed(&pose));
            assert!((one.volume - other.volume).abs() < 1e-14 * size * size, "{case}");
            assert!((one.surface_area - other.surface_area).abs() < 1e-6 * size * size, "{case}");
            assert!((one.vector_area + other.vector_area).length() < 1e-7 * size, "{case}");
            assert!((one.first_moment + other.first_moment).length() < 1e-7 * size * size, "{case}");
            if one.volume > 1e-6 {
                assert!((one.centroid - other.centroid).length() < 1e-8 * size, "{case}");
                assert!((one.vector_area + other.vector_area).length() < 1e-11 * size, "{case}");
            }
        } else if one.separation > 1e-12 * size {
            assert_eq!(regions, (None, None), "{case}");
        }
    }
}

#[test]
fn moving_both_bodies_moves_the_answer() {
    let mut random = Sequence::new(3);
    for case in 0..5000 {
        let (a, b, pose) = random_pair(&mut random);
        let world_a = random_pose(&mut random, 3.0);
        let world_b = world_a.compose(&pose);
        let (one, other) = (contact(&a, &b, &pose), contact(&a, &b, &world_a.relative(&world_b)));
        assert!((one.separation - other.separation).abs() < 1e-14, "{case}");
        assert_eq!(other.normal.z, 0.0);
    }
}

#[test]
fn the_unit_of_length_does_not_matter() {
    let mut random = Sequence::new(4);
    for case in 0..2000 {
        let (a, b, pose) = random_pair(&mut random);
        let (one, region) = (contact(&a, &b, &pose), overlap::overlap(&a, &b, &pose).unwrap());
        for scale in SCALES {
            let (a, b) = (a.scaled(scale), b.scaled(scale));
            let pose = Pose::new(pose.position * scale, pose.orientation);
            let other = contact(&a, &b, &pose);
            assert!((other.separation / scale - one.separation).abs() < 1e-14, "{case} {scale}");
            if let (Some(one), Some(other)) = (region, overlap::overlap(&a, &b, &pose).unwrap()) {
                assert!((other.volume / scale.powi(3) - one.volume).abs() < 1e-14, "{case} {scale}");
            }
        }
    }
}

/// The change of the volume by moving and turning a and nothing else, from five-point differences.
fn assert_gradient(at: &dyn Fn(DVec2, f64) -> Option<OverlapRegion>, tag: &str) {
    let region = at(DVec2::ZERO, 0.0).unwrap();
    let volume = |dx: DVec2, angle: f64| at(dx, angle).map_or(0.0, |region| region.volume);
    let h = 1e-5;
    let slope = |dx: DVec2, angle: f64| (volume(h * dx, h * angle) - volume(-h * dx, -h * angle)) / (2.0 * h);
    let gradient = DVec3::new(slope(DVec2::X, 0.0), slope(DVec2::Y, 0.0), slope(DVec2::ZERO, 1.0));
    let expected = DVec3::new(region.vector_area.x, region.vector_area.y, region.first_moment.z);
    assert!((gradient - expected).length() < 1e-6, "{tag}: {gradient} {expected}");
}

/// Whether the area is smooth enough about this place for differences of 1e-5: nothing begins or ends to touch there. The
/// second derivative of a lens grows without bound as it closes, and jumps where a corner enters or a side lines up.
fn is_smooth(at: &dyn Fn(DVec2, f64) -> Option<OverlapRegion>) -> bool {
    let (h, Some(middle)) = (4e-5, at(DVec2::ZERO, 0.0)) else { return false };
    [(DVec2::X, 0.0), (DVec2::Y, 0.0), (DVec2::ZERO, 1.0)].into_iter().all(|(dx, angle)| {
        let (before, after) = (at(-h * dx, -h * angle), at(h * dx, h * angle));
        let (Some(before), Some(after)) = (before, after) else { return false };
        let bend = |f: &dyn Fn(&OverlapRegion) -> f64| (f(&before) - 2.0 * f(&middle) + f(&after)).abs();
        bend(&|r| r.vector_area.x) + bend(&|r| r.vector_area.y) + bend(&|r| r.first_moment.z) < 1e-7
    })
}

#[test]
fn vector_area_and_first_moment_are_the_gradient_of_the_volume() {
    let mut random = Sequence::new(5);
    let mut n_checked = 0;
    for case in 0..10_000 {
        let (a, b, pose) = random_pair(&mut random);
        // Moving a is moving b the other way, seen from a: the answer is wanted in the frame of where a was.
        let at = |dx: DVec2, angle: f64| {
            let new_a = moved(&Pose::IDENTITY, dx, angle);
            overlap::overlap(&a, &b, &new_a.relative(&pose)).unwrap()
        };
        if is_smooth(&at) {
            assert_gradient(&at, &format!("{case} {} {}", a.name(), b.name()));
            n_checked += 1;
        }
    }
    assert!(n_checked > 1500, "{n_checked}");
}

/// A planar shape seen from a half-space whose normal lies in the shape's plane.
fn upright(position: DVec2, angle: f64) -> Pose {
    // Shape x to wall x, shape y to wall z.
    let stand = DQuat::from_rotation_x(0.5 * PI);
    Pose::new(DVec3::new(position.x, 0.7, position.y), stand * DQuat::from_rotation_z(angle))
}

#[test]
fn a_half_space_cuts_as_a_large_rectangle_does() {
    let mut random = Sequence::new(6);
    let wide = [(-50.0, -100.0), (50.0, -100.0), (50.0, 0.0), (-50.0, 0.0)].map(DVec2::from);
    let mut n_checked = 0;
    for case in 0..2000 {
        let shape = random_shape(&mut random);
        let (position, angle) = (random.point_in_cube(0.9).truncate(), random.between(-PI, PI));
        let pose = upright(position, angle);
        let cut = overlap::overlap_half_space(&shape, &pose).unwrap();
        let in_plane = Pose::new(position.extend(0.0), DQuat::from_rotation_z(angle));
        let block = Shape::Polygon(Polygon::from_trusted_corners(wide.to_vec(), 1.0));
        let expected = overlap::overlap(&shape, &block, &inverse(&in_plane)).unwrap().map(|r| r.transformed(&in_plane));
        assert_eq!(cut.is_some(), expected.is_some(), "{case}");
        let (Some(cut), Some(expected)) = (cut, expected) else { continue };
        n_checked += 1;
        let upright = |v: DVec3| DVec3::new(v.x, 0.0, v.y);
        assert!((cut.volume - expected.volume).abs() < 1e-12, "{case}");
        assert!((cut.surface_area - expected.surface_area).abs() < 1e-5, "{case}");
        assert!((cut.vector_area - upright(expected.vector_area)).length() < 1e-6, "{case}");
        // The shape's own plane is y = 0.7 here.
        let moment = DVec3::new(0.0, -expected.first_moment.z, 0.0) + (0.7 * DVec3::Y).cross(cut.vector_area);
        assert!((cut.first_moment - moment).length() < 1e-6, "{case} {cut:?} {expected:?}");
        if cut.volume > 1e-6 {
            assert!((cut.centroid - upright(expected.centroid) - 0.7 * DVec3::Y).length() < 1e-7, "{case}");
        }
    }
    assert!(n_checked > 800, "{n_checked}");
}

#[test]
fn the_part_in_a_half_space_changes_by_its_vector_area() {
    let mut random = Sequence::new(7);
    let mut n_checked = 0;
    for case in 0..1000 {
        let shape = random_shape(&mut random);
        let (position, angle) = (random.point_in_cube(0.8).truncate(), random.between(-PI, PI));
        let at = |dx: DVec2, turn: f64| {
            let place = moved(&Pose::new(position.extend(0.0), DQuat::from_rotation_z(angle)), dx, turn);
            let region =
                overlap::overlap_half_space(&shape, &upright(place.position.truncate(), angle + turn)).unwrap()?;
            // Back from x-z to x-y; a turn from x to y is one from x to z, about -y.
            let (s, g) = (region.vector_area, region.first_moment);
            Some(OverlapRegion {
                vector_area: DVec3::new(s.x, s.z, 0.0),
                first_moment: DVec3::new(0.0, 0.0, -g.y),
                ..region
            })
        };
        if is_smooth(&at) {
            assert_gradient(&at, &format!("{case} {}", shape.name()));
            n_checked += 1;
        }
    }
    assert!(n_checked > 300, "{n_checked}");
}

#[test]
fn a_disc_is_the_limit_of_polygons() {
    let mut random = Sequence::new(8);
    const N: usize = 2000;
    for case in 0..300 {
        let Shape::Polygon(polygon) = random_polygon(&mut random) else { unreachable!() };
        let (radius, centre) = (random.between_in_ratio(0.1, 1.5), random.point_in_cube(1.2).truncate());
        let round: Vec<DVec2> = (0..N).map(|k| radius * DVec2::from_angle(TAU * k as f64 / N as f64)).collect();
        let pose = PlanarPose::from_angle(centre, 0.0).inverse();
        let by_corners = overlap_polygon_polygon(&round, polygon.corners(), &pose);
        let by_circle = overlap_disc_polygon(radius, polygon.corners(), centre);
        let (one, other) = (by_circle.map_or(0.0, |r| r.area), by_corners.map_or(0.0, |r| r.area));
        // The inscribed polygon lacks 2 pi^2 / (3 N^2) of the disc's area at most: 1.6e-6.
        assert!((one - other).abs() < 2e-6 * PI * radius * radius, "{case}: {one} {other}");
        let contact = contact_polygon_polygon(&round, polygon.corners(), &pose);
        let exact = narrow::contact_disc_polygon(radius, polygon.corners(), centre);
        // It lies within the disc by r pi^2 / (2 N^2).
        assert!((contact.separation - exact.separation).abs() < 2e-6 * radius, "{case}");
    }
}

/// Places where something coincides: a regular polygon or a disc against the same, on a grid of special offsets.
fn degenerate_pairs() -> Vec<(Shape, Shape, Pose)> {
    let regular = |n: usize, radius: f64| {
        polygon((0..n).map(|k| radius * DVec2::from_angle(TAU * k as f64 / n as f64)).collect())
    };
    let square = polygon([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(DVec2::from).to_vec());
    let needle = polygon([(-1.0, 0.0), (0.0, -1e-6), (1.0, 0.0), (0.0, 1e-6)].map(DVec2::from).to_vec());
    let shapes =
        [disc(1.0), disc(2f64.sqrt()), disc(0.5), regular(3, 1.0), regular(6, 1.0), regular(8, 0.5), square, needle];
    let mut pairs = Vec::new();
    for a in &shapes {
        for b in &shapes {
            for x in [0.0, 0.5, 1.0, 1.5, 2.0, 1.0 + 2f64.sqrt(), 3.0] {
                for y in [0.0, 0.5, 1.0, 2.0] {
                    for angle in [0.0, PI / 6.0, PI / 4.0, PI / 3.0, PI / 2.0, PI] {
                        for hair in [0.0, 1e-16, -1e-15, 1e-12, -1e-9] {
                            let position = DVec3::new(x + hair, y - hair, 0.0);
                            pairs.push((
                                a.clone(),
                                b.clone(),
                                Pose::new(position, DQuat::from_rotation_z(angle + hair)),
                            ));
                        }
                    }
                }
            }
        }
    }
    pairs
}

fn assert_sound(a: &Shape, b: &Shape, pose: &Pose) {
    let found = contact(a, b, pose);
    let size = size(a, b);
    let tag = || format!("{} {} {pose:?}: {found:?}", a.name(), b.name());
    assert!((found.normal.length() - 1.0).abs() < 1e-14 && found.normal.z == 0.0, "{}", tag());
    assert!(found.separation.is_finite() && found.point_a.is_finite() && found.point_b.is_finite(), "{}", tag());
    let gap = gap_along(a, b, pose, found.normal.truncate());
    assert!((gap - found.separation).abs() < 1e-12 * size, "{} {gap}", tag());
    assert!((found.point_b - found.point_a - found.separation * found.normal).length() < 1e-14 * size, "{}", tag());
    let region = overlap_planar(a, b, pose).map(|(region, _)| region);
    if found.separation.abs() > 1e-9 * size {
        assert_eq!(region.is_some(), found.separation < 0.0, "{} {region:?}", tag());
    }
    if let Some(region) = region {
        assert!(region.area > 0.0 && region.centroid.is_finite() && region.first_moment.is_finite(), "{}", tag());
        assert!(region.vector_length.is_finite() && region.perimeter.is_finite(), "{} {region:?}", tag());
        let thickness = |shape: &Shape| if matches!(shape, Shape::Disc(_)) { 0.8 } else { 0.6 };
        let smaller = (a.volume() / thickness(a)).min(b.volume() / thickness(b));
        assert!(region.area <= smaller * (1.0 + 1e-12) + 1e-14, "{} {region:?}", tag());
        // Nothing of this area has less boundary than a disc, and nothing in a disc of the size has more than it.
        assert!(region.perimeter >= (2.0 * (PI * region.area).sqrt()) * (1.0 - 1e-6), "{} {region:?}", tag());
        assert!(region.perimeter <= TAU * size * (1.0 + 1e-12), "{} {region:?}", tag());
        // Its centre lies in both bodies.
        let within = |shape: &Shape, point: DVec2| match shape {
            Shape::Disc(disc) => point.length() <= disc.radius + 1e-9 * size,
            _ => (0..64)
                .map(|k| DVec2::from_angle(TAU * k as f64 / 64.0))
                .all(|n| point.dot(n) <= reach(shape, n) + 1e-9 * size),
        };
        let seen_from_b = pose.inverse_transform_point(region.centroid.extend(0.0)).truncate();
        assert!(within(a, region.centroid) && within(b, seen_from_b), "{} {region:?}", tag());
    }
}

#[test]
fn degenerate_places_have_sound_answers() {
    for (a, b, pose) in degenerate_pairs() {
        assert_sound(&a, &b, &pose);
    }
}

#[test]
fn a_hundred_thousand_pairs_have_sound_answers() {
    let mut random = Sequence::new(9);
    let shapes: Vec<Shape> = (0..200).map(|_| random_shape(&mut random)).collect();
    for _ in 0..100_000 {
        let mut pick = || &shapes[(random.unit() * shapes.len() as f64) as usize];
        let (a, b) = (pick(), pick());
        assert_sound(a, b, &random_pose(&mut random, 1.6));
    }
}

#[test]
fn bodies_out_of_the_plane_are_left_to_the_solids() {
    let lifted = Pose::from_position(DVec3::new(0.5, 0.0, 0.1));
    assert_eq!(narrow::contact_planar(&disc(1.0), &disc(1.0), &lifted), None);
    assert_eq!(overlap_planar(&disc(1.0), &disc(1.0), &lifted), None);
}

#[test]
fn the_thinner_body_gives_the_thickness() {
    let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(DVec2::from).to_vec();
    let [thin, thick] = [0.1, 0.25].map(|h| Shape::Polygon(Polygon::from_trusted_corners(square.clone(), h)));
    let pose = Pose::from_position(DVec3::X * 1.5);
    for (a, b) in [(&thin, &thick), (&thick, &thin)] {
        let region = overlap::overlap(a, b, &pose).unwrap().unwrap();
        // 0.5 by 2 by 0.2.
        assert!((region.volume - 0.2).abs() < 1e-15);
        assert!((region.surface_area - (2.0 + 5.0 * 0.2)).abs() < 1e-14);
        assert!((region.vector_area - DVec3::X * 0.4).length() < 1e-15);
    }
}
