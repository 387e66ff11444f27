use super::*;
use crate::oracle::{Sequence, box_of, regular_polygon, regular_tetrahedron, sample_shapes};
use crate::shape::{Capsule, Part, Polyhedron, Superquadric, TruncatedCone};
use crate::{Cylinder, Shape, Sphere};
use std::f64::consts::PI;

fn off_by(a: f64, b: f64) -> f64 {
    (a / b - 1.0).abs()
}

#[test]
fn superquadrics_have_the_published_volumes_and_moments() {
    let cases = [
        ([1.0, 1.5, 0.7], 8.0, 8.0, 7.89253538, [6.74600065, 3.66844561, 8.00164310]),
        ([1.0, 1.0, 2.0], 8.0, 2.0, 12.06712119, [17.98158289, 17.98158289, 5.84885420]),
        ([1.0, 0.8, 0.6], 4.0, 3.0, 2.96462623, [0.78412998, 1.06060998, 1.25952000]),
        ([1.0, 1.0, 1.0], 20.0, 20.0, 7.91048056, [5.20300278, 5.20300278, 5.20300278]),
    ];
    for (semi_axes, n1, n2, volume, moments) in cases {
        let shape = Superquadric { semi_axes: semi_axes.into(), n1, n2 };
        assert!(off_by(shape.volume(), volume) < 5e-9, "{shape:?}: {}", shape.volume());
        let off = (shape.inertia() / DVec3::from(moments) - 1.0).abs().max_element();
        assert!(off < 1e-8, "{shape:?}: {}", shape.inertia());
    }
}

#[test]
fn superquadrics_end_in_ellipsoid_box_and_cylinder() {
    let semi_axes = DVec3::new(0.7, 1.1, 1.9);
    let squares = semi_axes * semi_axes;
    let sums = DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
    let ellipsoid = Superquadric { semi_axes, n1: 2.0, n2: 2.0 };
    let volume = 4.0 / 3.0 * PI * semi_axes.element_product();
    // The Beta functions go through logarithms of size ten.
    assert!(off_by(ellipsoid.volume(), volume) < 1e-13);
    assert!((ellipsoid.inertia() / (volume * sums / 5.0) - 1.0).abs().max_element() < 1e-13);
    let box_like = Superquadric { semi_axes, n1: 1e6, n2: 1e6 };
    let volume = 8.0 * semi_axes.element_product();
    assert!(off_by(box_like.volume(), volume) < 1e-10);
    assert!((box_like.inertia() / (volume * sums / 3.0) - 1.0).abs().max_element() < 1e-10);
    let can = Superquadric { semi_axes: DVec3::new(1.0, 1.0, 2.0), n1: 1e6, n2: 2.0 };
    let cylinder = Cylinder { radius: 1.0, half_height: 2.0 };
    assert!(off_by(can.volume(), cylinder.volume()) < 1e-5);
    assert!((can.inertia() / cylinder.inertia() - 1.0).abs().max_element() < 1e-5);
}

/// Mass properties of any shape by midpoint sums over chords: obvious and slow.
fn by_chords(shape: &Shape, n: usize) -> MassProperties {
    let bounds = shape.bounds(&Pose::IDENTITY);
    let step = bounds.extent() / n as f64;
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for k in 0..n * n {
        let (i, j) = (k % n, k / n);
        let (x, y) = (bounds.lower.x + (i as f64 + 0.5) * step.x, bounds.lower.y + (j as f64 + 0.5) * step.y);
        let Some((from, to)) = shape.chord(DVec3::new(x, y, 0.0), DVec3::Z) else { continue };
        let weight = step.x * step.y;
        let (m0, m1, m2) = (to - from, (to * to - from * from) / 2.0, (to.powi(3) - from.powi(3)) / 3.0);
        volume += weight * m0;
        first += weight * DVec3::new(x * m0, y * m0, m1);
        second += weight
            * DMat3::from_cols(
                DVec3::new(x * x * m0, x * y * m0, x * m1),
                DVec3::new(x * y * m0, y * y * m0, y * m1),
                DVec3::new(x * m1, y * m1, m2),
            );
    }
    let centroid = first / volume;
    let square = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let second = second - square(centroid) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    MassProperties { volume, centroid, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - second }
}

fn assert_close(a: &MassProperties, b: &MassProperties, size: f64, tolerance: f64, name: &str) {
    assert!(off_by(a.volume, b.volume) < tolerance, "{name}: volume {} and {}", a.volume, b.volume);
    let off = (a.centroid - b.centroid).abs().max_element() / size;
    assert!(off < tolerance, "{name}: centre {} and {}", a.centroid, b.centroid);
    for k in 0..3 {
        let off = (a.inertia.col(k) - b.inertia.col(k)).abs().max_element() / (a.volume * size * size);
        assert!(off < tolerance, "{name}: inertia {} and {}", a.inertia, b.inertia);
    }
}

#[test]
fn every_convex_shape_agrees_with_a_sum_over_chords() {
    for shape in sample_shapes(1).into_iter().filter(|s| !matches!(s, Shape::Clump(_))) {
        // Two hundred chords each way: 1e-3 at slanting sides.
        let size = shape.bounds(&Pose::IDENTITY).extent().length();
        assert_close(&shape.mass_properties(), &by_chords(&shape, 200), size, 2e-3, &format!("{shape:?}"));
    }
}

#[test]
fn bodies_of_revolution_meet_their_limits() {
    let cone = TruncatedCone { lower_radius: 1.0, upper_radius: 1.0, height: 3.0 };
    let cylinder = Cylinder { radius: 1.0, half_height: 1.5 };
    assert!((cone.inertia() / cylinder.inertia() - 1.0).abs().max_element() < 1e-14);
    let (r, h) = (0.7, 2.0);
    for (lower_radius, upper_radius) in [(r, 0.0), (0.0, r)] {
        let cone = TruncatedCone { lower_radius, upper_radius, height: h };
        let mass = PI * r * r * h / 3.0;
        assert!(off_by(cone.volume(), mass) < 1e-15);
        let across = 3.0 / 80.0 * mass * (4.0 * r * r + h * h);
        assert!((cone.inertia() / DVec3::new(across, across, 0.3 * mass * r * r) - 1.0).abs().max_element() < 1e-14);
    }
    let ball = Sphere { radius: 0.6 };
    let capsule = Capsule { radius: 0.6, half_height: 0.0 };
    assert!(off_by(capsule.volume(), ball.volume()) < 1e-15);
    assert!((capsule.inertia() / ball.inertia() - 1.0).abs().max_element() < 1e-15);
    // A stretched capsule against its tube and two half-balls, moved apart by the parallel-axis theorem.
    let (r, h) = (0.6, 1.3);
    let capsule = Capsule { radius: r, half_height: h };
    let half_ball = 2.0 / 3.0 * PI * r.powi(3);
    let own = half_ball * (0.4 - 9.0 / 64.0) * r * r;
    let tube = Cylinder { radius: r, half_height: h };
    let across = tube.inertia().x + 2.0 * (own + half_ball * (h + 0.375 * r).powi(2));
    assert!(off_by(capsule.inertia().x, across) < 1e-14);
}

#[test]
fn boxes_and_tetrahedra_are_exact_in_any_place_and_far_from_the_origin() {
    let half = DVec3::new(0.5, 0.9, 1.6);
    let volume = 8.0 * half.element_product();
    let squares = half * half;
    let expected = volume / 3.0 * DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
    let cuboid = box_of(half).mass_properties();
    assert!(off_by(cuboid.volume, volume) < 1e-15);
    assert!((cuboid.moments() / expected - 1.0).abs().max_element() < 1e-14);
    let edge = 1.7;
    let tetrahedron = regular_tetrahedron(edge).mass_properties();
    assert!(off_by(tetrahedron.volume, edge.powi(3) / 72f64.sqrt()) < 1e-14);
    assert!((tetrahedron.moments() / (tetrahedron.volume * edge * edge / 20.0) - 1.0).abs().max_element() < 1e-14);

    let mut sequence = Sequence::new(5);
    for (shape, own) in [(box_of(half), cuboid), (regular_tetrahedron(edge), tetrahedron)] {
        for (reach, tolerance) in [(0.5, 1e-13), (1e3, 1e-10)] {
            for _ in 0..200 {
                let pose = sequence.pose(reach * edge);
                let moved = Polyhedron::from_trusted_faces(
                    shape.vertices().iter().map(|v| pose.transform_point(*v)).collect(),
                    shape.faces().iter().map(|f| f.vertices.clone()).collect(),
                );
                let found = moved.mass_properties();
                assert_close(&found, &own.transformed(&pose), edge, tolerance, "moved");
            }
        }
    }
}

#[test]
fn planar_shapes_weigh_by_their_thickness() {
    let hexagon = Shape::polygon(&regular_polygon(6, 2.0), 0.5).unwrap();
    let properties = hexagon.mass_properties();
    let area = 1.5 * 3f64.sqrt() * 4.0;
    assert!(off_by(properties.volume, 0.5 * area) < 1e-14);
    // A regular hexagon of side a: polar moment 5 sqrt(3) / 8 a^4.
    assert!(off_by(properties.inertia.z_axis.z, 0.5 * 5.0 * 3f64.sqrt() / 8.0 * 16.0) < 1e-14);
    let disc = Shape::disc(2.0, 0.5).unwrap().mass_properties();
    assert!(off_by(disc.inertia.z_axis.z, 0.5 * PI * 16.0 / 2.0) < 1e-14);
}

fn ball(radius: f64, position: DVec3) -> Part {
    Part { shape: Shape::sphere(radius).unwrap(), pose: Pose::from_position(position) }
}

#[test]
fn two_overlapping_balls_share_their_lens_once() {
    let mut sequence = Sequence::new(6);
    let mut worst: f64 = 0.0;
    for _ in 0..40 {
        let (p, q) = (sequence.between(0.3, 1.0), sequence.between(0.3, 1.0));
        let d = sequence.between((p - q).abs(), p + q);
        let axis = sequence.direction();
        let start = sequence.point_in_cube(2.0);
        let clump = Shape::clump(vec![ball(p, start), ball(q, start + d * axis)]).unwrap();
        let lens = PI * (p + q - d).powi(2) * (d * d + 2.0 * d * (p + q) - 3.0 * (p - q).powi(2)) / (12.0 * d);
        let exact = 4.0 / 3.0 * PI * (p.powi(3) + q.powi(3)) - lens;
        let properties = clump.mass_properties();
        worst = worst.max(off_by(properties.volume, exact));
        // Along the axis the union is a pile of discs.
        let radius_squared = |x: f64| (p * p - x * x).max(q * q - (x - d).powi(2));
        let (_, centre) = crate::oracle::sum_of_discs(radius_squared, -p, (d + q).max(p));
        let off = (properties.centroid - start - centre * axis).length();
        assert!(off < 3e-6 * (p + d + q), "{off}");
    }
    assert!(worst < 3e-6, "{worst:e}");
}

#[test]
fn parts_apart_are_exact_and_parts_within_parts_count_nothing() {
    let apart =
        Shape::clump(vec![ball(1.0, DVec3::new(-1.0, 0.0, 0.0)), ball(1.0, DVec3::new(1.0, 0.0, 0.0))]).unwrap();
    let properties = apart.mass_properties();
    let one = 4.0 / 3.0 * PI;
    assert!(off_by(properties.volume, 2.0 * one) < 1e-15);
    let moments = 2.0 * one * DVec3::new(0.4, 1.4, 1.4);
    assert!((properties.moments() / moments - 1.0).abs().max_element() < 1e-14);
    let within = Shape::clump(vec![ball(0.2, DVec3::new(0.3, 0.1, 0.2)), ball(1.0, DVec3::ZERO)]).unwrap();
    assert!(off_by(within.volume(), one) < 1e-9, "{}", within.volume());
    let copies = Shape::clump(vec![ball(1.0, DVec3::ZERO); 3]).unwrap();
    assert!(off_by(copies.volume(), one) < 1e-9, "{}", copies.volume());
}

#[test]
fn a_box_cut_into_overlapping_boxes_weighs_as_a_box() {
    let mut sequence = Sequence::new(7);
    for _ in 0..5 {
        let pose = sequence.pose(1.0);
        let piece = |x: f64| Part {
            shape: Shape::cuboid(DVec3::new(1.0, 0.6, 0.4)).unwrap(),
            pose: pose.compose(&Pose::from_position(DVec3::new(x, 0.0, 0.0))),
        };
        let clump = Shape::clump(vec![piece(-0.3), piece(0.0), piece(0.3)]).unwrap();
        let whole = Shape::cuboid(DVec3::new(1.6, 0.6, 0.4)).unwrap().mass_properties().transformed(&pose);
        assert_close(&clump.mass_properties(), &whole, 1.6, 1e-5, "boxes");
    }
}

#[test]
fn many_overlapping_parts_agree_with_a_sum_over_a_grid_of_points() {
    let mut sequence = Sequence::new(8);
    let parts: Vec<Part> = (0..12).map(|_| ball(sequence.between(0.2, 0.5), sequence.point_in_cube(0.5))).collect();
    let shapes = [
        Shape::clump(parts).unwrap(),
        sample_shapes(3).pop().unwrap(),
        Shape::clump(vec![
            Part { shape: Shape::cylinder(0.1, 3.0).unwrap(), pose: sequence.pose(0.1) },
            Part { shape: Shape::cylinder(1.0, 0.1).unwrap(), pose: sequence.pose(0.1) },
            Part { shape: Shape::superquadric(DVec3::new(0.5, 0.4, 0.9), 4.0, 6.0).unwrap(), pose: sequence.pose(0.3) },
        ])
        .unwrap(),
    ];
    for shape in shapes {
        let Shape::Clump(clump) = &shape else { panic!() };
        // Chords of the union along z: the parts' chords joined.
        let n = 450;
        let bounds = shape.bounds(&Pose::IDENTITY);
        let step = bounds.extent() / n as f64;
        let (mut volume, mut first) = (0.0, DVec3::ZERO);
        for k in 0..n * n {
            let x = bounds.lower.x + ((k % n) as f64 + 0.5) * step.x;
            let y = bounds.lower.y + ((k / n) as f64 + 0.5) * step.y;
            let mut chords: Vec<(f64, f64)> = clump
                .parts()
                .iter()
                .filter_map(|part| {
                    let start = part.pose.inverse_transform_point(DVec3::new(x, y, 0.0));
                    part.shape.chord(start, part.pose.inverse_transform_vector(DVec3::Z))
                })
                .collect();
            chords.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut end = f64::NEG_INFINITY;
            for (from, to) in chords {
                let from = from.max(end);
                if to > from {
                    volume += to - from;
                    first += DVec3::new(x * (to - from), y * (to - from), 0.5 * (to * to - from * from));
                    end = to;
                }
            }
        }
        let properties = shape.mass_properties();
        let centre = first / volume;
        let volume = volume * step.x * step.y;
        // The grid itself is good to about 5e-5 here.
        assert!(off_by(properties.volume, volume) < 1e-4, "{} {volume}", properties.volume);
        assert!(
            properties.centroid.distance(centre) < 1e-4 * shape.bounding_radius(),
            "{} {centre}",
            properties.centroid
        );
    }
}

#[test]
fn a_centred_cube_keeps_its_frame_and_a_moved_one_gets_its_own() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let (same, pose, _) = cube.to_principal_frame();
    assert_eq!((same, pose), (cube.clone(), Pose::IDENTITY));
    let Shape::Polyhedron(body) = &cube else { panic!() };
    let mut sequence = Sequence::new(9);
    // Equal moments: wherever the cube stands, its axes are kept.
    for _ in 0..50 {
        let shift = sequence.point_in_cube(3.0);
        let moved = Shape::polyhedron(&body.vertices().iter().map(|v| *v + shift).collect::<Vec<_>>()).unwrap();
        let (_, pose, properties) = moved.to_principal_frame();
        assert_eq!(pose.orientation, glam::DQuat::IDENTITY);
        assert!((pose.position + shift).length() < 1e-14);
        assert!((properties.moments() * 6.0 - 1.0).abs().max_element() < 1e-13);
    }
}

#[test]
fn in_the_principal_frame_the_tensor_is_diagonal_and_the_pose_leads_there() {
    let mut sequence = Sequence::new(10);
    for round in 0..200 {
        let pose = sequence.pose(2.0);
        let shape = match round % 4 {
            0 => {
                let half =
                    DVec3::new(sequence.between(0.2, 1.0), sequence.between(0.2, 1.0), sequence.between(0.2, 1.0));
                Shape::polyhedron(&box_of(half).vertices().iter().map(|v| pose.transform_point(*v)).collect::<Vec<_>>())
                    .unwrap()
            }
            1 => Shape::polyhedron(&(0..20).map(|_| sequence.point_in_cube(1.0)).collect::<Vec<_>>()).unwrap(),
            2 => {
                let corners: Vec<glam::DVec2> = (0..3).map(|_| sequence.point_in_cube(1.0).truncate()).collect();
                Shape::polygon(&corners, sequence.between(0.1, 3.0)).unwrap()
            }
            _ => Shape::clump(vec![
                ball(0.3, pose.transform_point(DVec3::X)),
                ball(0.4, pose.transform_point(-DVec3::X)),
                ball(0.5, pose.transform_point(DVec3::Y)),
            ])
            .unwrap(),
        };
        let before = shape.mass_properties();
        let (moved, frame, properties) = shape.to_principal_frame();
        let size = shape.bounding_radius();
        assert_close(&before.transformed(&frame), &properties, size, 1e-12, &format!("{shape:?}"));
        assert_close(&moved.mass_properties(), &properties, size, 1e-12, &format!("{shape:?}"));
        assert_eq!(properties.centroid, DVec3::ZERO);
        assert_eq!(properties.inertia, DMat3::from_diagonal(properties.moments()));
        // The pose is the former frame seen from the new one: support points agree.
        for _ in 0..10 {
            let direction = sequence.direction();
            let new = moved.support(frame.transform_vector(direction));
            let old = frame.transform_point(shape.support(direction));
            assert!((new - old).dot(frame.transform_vector(direction)).abs() < 1e-13 * size);
        }
        if matches!(shape, Shape::Polygon(_)) {
            assert!((frame.orientation * DVec3::Z - DVec3::Z).length() < 1e-15);
        }
        // Nothing is left to do.
        assert_eq!(moved.to_principal_frame().1, Pose::IDENTITY);
    }
}
