//! Sample shapes and surfaces, and what every answer must be.

use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::oracle;
use tumble_geometry::{
    Capsule, Clump, Cylinder, Disc, Mesh, Part, Polygon, Polyhedron, Pose, Revolved, Shape, Sphere, Superquadric,
    Surface, SurfaceContact, Tablet, TruncatedCone,
};

/// A box of half edges h.
pub fn cuboid(h: DVec3) -> Polyhedron {
    let (vertices, _) = oracle::cube_triangles(1.0);
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Polyhedron::from_trusted_faces(vertices.iter().map(|v| *v * h).collect(), faces.map(|f| f.to_vec()).to_vec())
}

pub fn tetrahedron() -> Polyhedron {
    let vertices = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(DVec3::from);
    let faces = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    Polyhedron::from_trusted_faces(vertices.map(|v| v * 0.5).to_vec(), faces.map(|f| f.to_vec()).to_vec())
}

/// Every convex shape, of size about one; a further shape joins by a line.
pub fn convex_shapes() -> Vec<Shape> {
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
        Shape::Tablet(Tablet { radius: 0.6, half_height: 0.15, dome_height: 0.25 }),
    ]
}

/// The convex shapes and a clump of three of them.
pub fn all_shapes() -> Vec<Shape> {
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

pub fn contacts(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64) -> Vec<SurfaceContact> {
    let mut out = Vec::new();
    contact_surface(shape, surface, pose, margin, &mut out);
    out
}

pub fn least(found: &[SurfaceContact]) -> f64 {
    found.iter().map(|c| c.separation).fold(f64::INFINITY, f64::min)
}

pub fn tube(radius: f64, half_length: f64) -> Surface {
    Surface::Revolved(Revolved::tube(radius, half_length).unwrap())
}

pub fn closed_drum(radius: f64, half_length: f64) -> Surface {
    Surface::Revolved(Revolved::closed_cylinder(radius, half_length, true, true).unwrap())
}

/// A square floor at z = 0 of n by n squares of the given edge, each cut along one diagonal or the other.
pub fn floor(n: u32, edge: f64, pose: &Pose) -> Surface {
    let place = |i: u32| (i as f64 - 0.5 * n as f64) * edge;
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(place(i), place(j), 0.0)));
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let triangles = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    });
    Surface::Mesh(Mesh::new(vertices.map(|v| pose.transform_point(v)).collect(), triangles.collect()).unwrap())
}

pub fn cube_mesh(half_edge: f64) -> Surface {
    let (vertices, triangles) = oracle::cube_triangles(half_edge);
    Surface::Mesh(Mesh::new(vertices, triangles).unwrap())
}

/// The least of a function of the body's surface points: many support points, then ever smaller steps of the direction
/// from the best of them. Good to about 1e-9 for smooth shapes and exact where the least is at a vertex. All directions that
/// a tablet's rim supports have the same point, so what lies next to it on the dome is looked for by rays from the centre.
pub fn least_over_surface(shape: &Shape, pose: &Pose, function: impl Fn(DVec3) -> f64) -> f64 {
    const N_DIRECTIONS: usize = 4000;
    let support = |direction: DVec3| shape.support(pose.inverse_transform_vector(direction));
    let value = |direction: DVec3| function(pose.transform_point(support(direction)));
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
    let mut least = (f64::INFINITY, DVec3::Z);
    for &start in tried.iter().take(12) {
        let best = least_nearby(start, 1e-8, value);
        least = if best.0 < least.0 { best } else { least };
    }
    if !matches!(shape, Shape::Tablet(_)) {
        return least.0;
    }
    let through = support(least.1).normalize();
    let along = |ray: DVec3| function(pose.transform_point(ray * shape.exit(DVec3::ZERO, ray).distance));
    least_nearby((along(through), through), 1e-10, along).0.min(least.0)
}

/// The least of a function of a direction next to a start, by steps down to a smallest one.
fn least_nearby(start: (f64, DVec3), smallest: f64, value: impl Fn(DVec3) -> f64) -> (f64, DVec3) {
    let mut best = start;
    let mut step = 0.05;
    while step > smallest {
        let (u, v) = best.1.any_orthonormal_pair();
        let around = [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|offset| (best.1 + step * offset).normalize());
        match around.map(|d| (value(d), d)).into_iter().min_by(|x, y| x.0.total_cmp(&y.0)) {
            Some(candidate) if candidate.0 < best.0 => best = candidate,
            _ => step *= 0.5,
        }
    }
    best
}

/// Corners of a polyhedron; of a polygon also the middles of its upright edges.
pub fn corners(shape: &Shape) -> Vec<DVec3> {
    let mut corners = shape.as_polyhedron().map_or(Vec::new(), |polyhedron| polyhedron.vertices().to_vec());
    if let Shape::Polygon(polygon) = shape {
        corners.extend(polygon.corners().iter().map(|corner| corner.extend(0.0)));
    }
    corners
}

/// What every answer must be: unit normals, distinct features in order, a point on the grain that is no farther out than
/// the grain reaches.
pub fn assert_sound(found: &[SurfaceContact], shape: &Shape, pose: &Pose, what: &str) {
    let size = shape.bounding_radius();
    let vertices = corners(shape);
    for contact in found {
        assert!(contact.separation.is_finite() && contact.point.is_finite(), "{what}: {contact:?}");
        assert!((contact.normal.length() - 1.0).abs() < 1e-9, "{what}: {contact:?}");
        let local = pose.inverse_transform_vector(contact.normal);
        let reach = contact.normal.dot(pose.position) + shape.support(local).dot(local);
        let level = contact.normal.dot(contact.point_on_grain());
        assert!(level <= reach + 1e-8 * size, "{what}: {contact:?} {level} {reach}");
        // Of a polyhedron every corner can be met by itself.
        let on_grain = contact.point_on_grain();
        let is_vertex = vertices.iter().any(|v| pose.transform_point(*v).distance(on_grain) <= 1e-12 * size);
        if !(matches!(shape, Shape::Clump(_)) || is_vertex) {
            assert!(level >= reach - 1e-8 * size, "{what}: {contact:?} {level} {reach}");
        }
    }
    let in_order = |pair: &[SurfaceContact]| {
        pair[0].feature < pair[1].feature || pair[1].is_pass() && pair[0].feature == pair[1].feature
    };
    assert!(found.windows(2).all(in_order), "{what}: {found:?}");
    assert!(found.first().is_none_or(|contact| !contact.is_pass()), "{what}: {found:?}");
}
