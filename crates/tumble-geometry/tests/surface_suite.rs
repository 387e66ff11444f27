//! The suite that every shape passes against every surface: the definition, symmetry, scale, continuity, no ghosts.

use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;
use tumble_geometry::narrow::{self, contact_surface};
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::{
    Capsule, Clump, Cylinder, Disc, Mesh, Part, Polygon, Polyhedron, Pose, Revolved, Shape, Sphere, Superquadric,
    Surface, SurfaceContact, TruncatedCone,
};

/// A box of half edges h.
fn cuboid(h: DVec3) -> Polyhedron {
    let (vertices, _) = oracle::cube_triangles(1.0);
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Polyhedron::from_trusted_faces(vertices.iter().map(|v| *v * h).collect(), faces.map(|f| f.to_vec()).to_vec())
}

fn tetrahedron() -> Polyhedron {
    let vertices = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(DVec3::from);
    let faces = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    Polyhedron::from_trusted_faces(vertices.map(|v| v * 0.5).to_vec(), faces.map(|f| f.to_vec()).to_vec())
}

/// Every convex shape, of size about one; a further shape joins by a line.
fn convex_shapes() -> Vec<Shape> {
    let semi_axes = DVec3::new(0.5, 0.7, 0.9);
    vec![
        Shape::Sphere(Sphere { radius: 0.8 }),
        Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.5 }),
        Shape::Cylinder(Cylinder { radius: 0.1, half_height: 1.0 }),
        Shape::Cylinder(Cylinder { radius: 0.9, half_height: 0.05 }),
        Shape::Capsule(Capsule { radius: 0.3, half_height: 0.6 }),
        Shape::TruncatedCone(TruncatedCone { lower_radius: 0.7, upper_radius: 0.3, height: 0.9 }),
        Shape::TruncatedCone(TruncatedCone { lower_radius: 0.0, upper_radius: 0.6, height: 1.2 }),
        Shape::Superquadric(Superquadric { semi_axes, n1: 2.0, n2: 2.0 }),
        Shape::Superquadric(Superquadric { semi_axes, n1: 6.0, n2: 4.0 }),
        Shape::Superquadric(Superquadric { semi_axes, n1: 2.0, n2: 12.0 }),
        Shape::Polyhedron(cuboid(semi_axes)),
        Shape::Polyhedron(cuboid(DVec3::new(0.9, 0.6, 0.05))),
        Shape::Polyhedron(tetrahedron()),
        Shape::Disc(Disc { radius: 0.8, half_thickness: 0.2 }),
        Shape::Polygon(Polygon::from_trusted_corners(
            [[0.8, 0.0], [0.1, 0.7], [-0.6, 0.3], [-0.3, -0.6]].map(DVec2::from).to_vec(),
            0.2,
        )),
    ]
}

/// The convex shapes and a clump of three of them.
fn all_shapes() -> Vec<Shape> {
    let mut shapes = convex_shapes();
    let part = |shape: &Shape, place: DVec3, turn: f64| Part {
        shape: shape.scaled(0.5),
        pose: Pose::new(place, DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), turn)),
    };
    let parts = vec![
        part(&shapes[0], DVec3::new(0.3, 0.0, 0.1), 0.0),
        part(&shapes[10], DVec3::new(-0.3, 0.1, 0.0), 0.7),
        part(&shapes[4], DVec3::new(0.0, 0.2, -0.3), 1.9),
    ];
    shapes.push(Shape::Clump(Clump::from_trusted_parts(parts)));
    shapes
}

fn contacts(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64) -> Vec<SurfaceContact> {
    let mut out = Vec::new();
    contact_surface(shape, surface, pose, margin, &mut out);
    out
}

fn least(found: &[SurfaceContact]) -> f64 {
    found.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min)
}

fn tube(radius: f64, half_length: f64) -> Surface {
    Surface::Revolved(Revolved::tube(radius, half_length).unwrap())
}

fn closed_drum(radius: f64, half_length: f64) -> Surface {
    Surface::Revolved(Revolved::closed_cylinder(radius, half_length, true, true).unwrap())
}

/// A square floor at z = 0 of n by n squares of the given edge, each cut along one diagonal or the other.
fn floor(n: u32, edge: f64, pose: &Pose) -> Surface {
    let place = |i: u32| (i as f64 - 0.5 * n as f64) * edge;
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(place(i), place(j), 0.0)));
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let triangles = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    Surface::Mesh(Mesh::new(vertices.map(|v| pose.transform_point(v)).collect(), triangles.collect()).unwrap())
}

fn cube_mesh(half_edge: f64) -> Surface {
    let (vertices, triangles) = oracle::cube_triangles(half_edge);
    Surface::Mesh(Mesh::new(vertices, triangles).unwrap())
}

/// The least of a function of the body's surface points: many support points, then ever smaller steps of the direction
/// from the best of them. Good to about 1e-9 for smooth shapes and exact where the least is at a vertex.
fn least_over_surface(shape: &Shape, pose: &Pose, function: impl Fn(DVec3) -> f64) -> f64 {
    const N_DIRECTIONS: usize = 4000;
    let value =
        |direction: DVec3| function(pose.transform_point(shape.support(pose.inverse_transform_vector(direction))));
    let mut tried: Vec<(f64, DVec3)> = (0..N_DIRECTIONS)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / N_DIRECTIONS as f64;
            let rho = (1.0 - z * z).sqrt();
            let (sine, cosine) = (PI * (3.0 - 5f64.sqrt()) * k as f64).sin_cos();
            DVec3::new(rho * cosine, rho * sine, z)
        })
        .map(|direction| (value(direction), direction))
        .collect();
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = f64::INFINITY;
    for &(start, direction) in tried.iter().take(12) {
        let mut best = (start, direction);
        let mut step = 0.05;
        while step > 1e-8 {
            let (u, v) = best.1.any_orthonormal_pair();
            let around = [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|offset| (best.1 + step * offset).normalize());
            match around.map(|d| (value(d), d)).into_iter().min_by(|x, y| x.0.total_cmp(&y.0)) {
                Some(candidate) if candidate.0 < best.0 => best = candidate,
                _ => step *= 0.5,
            }
        }
        least = least.min(best.0);
    }
    least
}

/// What every answer must be: unit normals, distinct features in order, a point on the grain that is no farther out than
/// the grain reaches.
fn assert_sound(found: &[SurfaceContact], shape: &Shape, pose: &Pose, what: &str) {
    let size = shape.bounding_radius();
    for contact in found {
        assert!(contact.separation.is_finite() && contact.point.is_finite(), "{what}: {contact:?}");
        assert!((contact.normal.length() - 1.0).abs() < 1e-9, "{what}: {contact:?}");
        let local = pose.inverse_transform_vector(contact.normal);
        let reach = contact.normal.dot(pose.position) + shape.support(local).dot(local);
        let level = contact.normal.dot(contact.point_on_grain());
        assert!(level <= reach + 1e-8 * size, "{what}: {contact:?} {level} {reach}");
        if !matches!(shape, Shape::Clump(_)) {
            assert!(level >= reach - 1e-8 * size, "{what}: {contact:?} {level} {reach}");
        }
    }
    assert!(found.windows(2).all(|pair| pair[0].feature < pair[1].feature), "{what}: {found:?}");
}

#[test]
fn the_lowest_point_meets_a_half_space() {
    let mut random = Sequence::new(1);
    for shape in convex_shapes() {
        for case in 0..200 {
            let pose = random.pose(1.0);
            let found = contacts(&shape, &Surface::HalfSpace, &pose, f64::INFINITY);
            assert_eq!((found.len(), found[0].feature, found[0].normal), (1, 0, DVec3::NEG_Z));
            let lowest = least_over_surface(&shape, &pose, |p| p.z);
            assert!((found[0].separation - lowest).abs() < 1e-9, "case {case}: {found:?} {lowest}");
            assert_sound(&found, &shape, &pose, shape.name());
        }
    }
}

#[test]
fn what_lies_flat_on_a_plane_is_met_in_its_middle() {
    let turned = DQuat::from_rotation_x(0.5 * PI);
    let upright = DQuat::IDENTITY;
    for tilt in [0.0, 1e-16, 1e-11, -1e-10] {
        let hair = DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), tilt);
        for (shape, orientation) in [
            (Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.7, 0.9))), upright),
            (Shape::Polyhedron(cuboid(DVec3::new(0.5, 0.7, 0.9))), DQuat::from_rotation_y(0.3)),
            (Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.5 }), upright),
            (Shape::Cylinder(Cylinder { radius: 0.6, half_height: 0.5 }), turned),
            (Shape::Capsule(Capsule { radius: 0.6, half_height: 0.5 }), turned),
            (Shape::TruncatedCone(TruncatedCone { lower_radius: 0.7, upper_radius: 0.3, height: 0.9 }), upright),
            (Shape::Disc(Disc { radius: 0.8, half_thickness: 0.2 }), turned),
        ] {
            let pose = Pose::new(DVec3::new(2.0, -1.0, 0.4), hair * orientation);
            let found = contacts(&shape, &Surface::HalfSpace, &pose, f64::INFINITY);
            let mut expected = DVec3::new(2.0, -1.0, 0.0);
            if orientation == DQuat::from_rotation_y(0.3) {
                expected = found[0].point;
                expected.y = -1.0;
            }
            assert!((found[0].point - expected).length() < 1e-9, "{} tilt {tilt}: {found:?}", shape.name());
        }
    }
}

#[test]
fn inside_a_drum_the_deepest_point_of_the_body_decides() {
    let mut random = Sequence::new(2);
    let (radius, half_length) = (2.5, 2.0);
    let drum = closed_drum(radius, half_length);
    // A point's signed distance from the wall, seen from inside: exact for points inside and for points beyond one wall.
    let inside = |p: DVec3| (radius - p.truncate().length()).min(half_length - p.z.abs());
    for shape in convex_shapes() {
        for case in 0..60 {
            let pose = random.pose(1.3);
            let expected = least_over_surface(&shape, &pose, inside);
            let found = contacts(&shape, &drum, &pose, f64::INFINITY);
            // Far walls are met too at an infinite margin; none can be nearer than the nearest.
            assert!((least(&found) - expected).abs() < 2e-9, "{} case {case}: {expected} {found:?}", shape.name());
            assert_sound(&found, &shape, &pose, shape.name());
        }
    }
}

#[test]
fn inside_a_cone_the_deepest_point_of_the_body_decides() {
    let mut random = Sequence::new(3);
    let cone = Surface::Revolved(Revolved::cone(0.0, 12.0, 9.0).unwrap());
    let normal = DVec2::new(18.0, -12.0).normalize();
    let inside = |p: DVec3| -normal.dot(DVec2::new(p.truncate().length(), p.z + 9.0));
    for shape in convex_shapes() {
        for case in 0..60 {
            let mut pose = random.pose(1.5);
            pose.position.z += -3.0;
            let expected = least_over_surface(&shape, &pose, inside);
            let found = contacts(&shape, &cone, &pose, f64::INFINITY);
            assert!((least(&found) - expected).abs() < 2e-9, "{} case {case}: {expected} {found:?}", shape.name());
            assert_sound(&found, &shape, &pose, shape.name());
        }
    }
}

/// Separation of a grain from a solid body at the origin, and the normal in the solid's frame.
fn gap_to(shape: &Shape, solid: &Shape, pose: &Pose) -> (f64, DVec3) {
    let contact = narrow::contact(shape, solid, &pose.relative(&Pose::IDENTITY)).unwrap();
    (contact.separation, pose.transform_vector(contact.normal))
}

#[test]
fn outside_a_closed_drum_the_answer_is_that_of_a_solid_cylinder() {
    let mut random = Sequence::new(4);
    let (radius, half_length) = (0.7, 0.9);
    let drum = closed_drum(radius, half_length);
    let solid = Shape::Cylinder(Cylinder { radius, half_height: half_length });
    let mut n_overlapping = 0;
    for shape in convex_shapes() {
        for case in 0..40 {
            let mut pose = random.pose(1.0);
            pose.position += pose.position.normalize() * random.between(0.5, 1.2);
            let (expected, direction) = gap_to(&shape, &solid, &pose);
            let found = contacts(&shape, &drum, &pose, f64::INFINITY);
            assert_sound(&found, &shape, &pose, shape.name());
            if expected > 0.0 {
                assert!(
                    (least(&found) - expected).abs() < 1e-8,
                    "{} case {case}: {expected} {direction} {found:?}",
                    shape.name()
                );
            } else if expected > -0.1 {
                // Overlapping a little: the shallowest way out is among them.
                n_overlapping += 1;
                let nearest = found.iter().map(|c| (c.separation - expected).abs()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-8, "{} case {case}: {expected} {direction} {found:?}", shape.name());
            }
        }
    }
    assert!(n_overlapping > 50, "{n_overlapping}");
}

#[test]
fn outside_a_mesh_of_a_cube_the_answer_is_that_of_a_solid_cube() {
    let mut random = Sequence::new(5);
    let mesh = cube_mesh(0.8);
    let solid = Shape::Polyhedron(cuboid(DVec3::splat(0.8)));
    let mut n_overlapping = 0;
    for shape in convex_shapes() {
        for case in 0..40 {
            let mut pose = random.pose(1.0);
            pose.position += pose.position.normalize() * random.between(0.5, 1.2);
            let (expected, direction) = gap_to(&shape, &solid, &pose);
            // Not infinite: every corner of the far side would be asked of the general pair.
            let found = contacts(&shape, &mesh, &pose, expected.max(0.0) + 0.01);
            assert_sound(&found, &shape, &pose, shape.name());
            if expected > 0.0 {
                assert!(
                    (least(&found) - expected).abs() < 1e-8,
                    "{} case {case}: {expected} {direction} {found:?}",
                    shape.name()
                );
            } else if expected > -0.1 {
                n_overlapping += 1;
                let nearest = found.iter().map(|c| (c.separation - expected).abs()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-8, "{} case {case}: {expected} {direction} {found:?}", shape.name());
            }
        }
    }
    assert!(n_overlapping > 50, "{n_overlapping}");
}

#[test]
fn inside_a_mesh_of_a_box_every_wall_is_a_plane() {
    let mut random = Sequence::new(6);
    let mesh = cube_mesh(1.0);
    for shape in convex_shapes() {
        for case in 0..100 {
            let pose = random.pose(0.4);
            let found = contacts(&shape, &mesh, &pose, 0.05);
            assert_sound(&found, &shape, &pose, shape.name());
            let mut n_expected = 0;
            for normal in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
                let local = pose.inverse_transform_vector(normal);
                let farthest = pose.transform_point(shape.support(local));
                let separation = 1.0 - normal.dot(farthest);
                // A point that is outside another wall as well has its foot beside this one.
                if separation > 0.05 || (farthest - normal * farthest.dot(normal)).abs().max_element() > 1.0 {
                    continue;
                }
                n_expected += 1;
                let on_wall = found.iter().find(|c| (c.normal - normal).length() < 1e-12);
                assert!(
                    on_wall.is_some_and(|c| (c.separation - separation).abs() < 1e-12),
                    "{} case {case}: {separation} {found:?}",
                    shape.name()
                );
            }
            assert_eq!(found.len(), n_expected, "{} case {case}: {found:?}", shape.name());
        }
    }
}

#[test]
fn a_divided_floor_is_a_plane() {
    let mut random = Sequence::new(7);
    let mut poses = vec![Pose::IDENTITY];
    poses.extend((0..4).map(|_| random.pose(3.0)));
    for floor_pose in poses {
        let mesh = floor(12, 0.5, &floor_pose);
        for shape in convex_shapes() {
            let upright = Pose::new(DVec3::Z * 0.3, DQuat::IDENTITY);
            let mut bodies = vec![upright];
            bodies.extend((0..6).map(|_| Pose::new(DVec3::Z * 0.3, random.orientation())));
            for body in bodies {
                for step in 0..40 {
                    let at = DVec3::new(-1.0 + 0.05 * step as f64, 0.021 * step as f64 - 0.5, 0.0);
                    let on_floor = Pose::new(body.position + at, body.orientation);
                    let plane = contacts(&shape, &Surface::HalfSpace, &on_floor, 0.15);
                    let found = contacts(&shape, &mesh, &floor_pose.compose(&on_floor), 0.15);
                    assert_eq!(found.len(), plane.len(), "{}: {found:?} {plane:?}", shape.name());
                    for (one, other) in found.iter().zip(&plane) {
                        let expected = other.transformed(&floor_pose);
                        assert!((one.separation - expected.separation).abs() < 1e-12, "{}", shape.name());
                        assert!((one.normal - expected.normal).length() < 1e-12, "{}", shape.name());
                        // A superquadric's point is ill-conditioned; its height is not.
                        if !matches!(shape, Shape::Superquadric(_)) {
                            assert!(
                                (one.point - expected.point).length() < 1e-7,
                                "{}: {one:?} {expected:?}",
                                shape.name()
                            );
                        }
                    }
                }
            }
        }
    }
}
