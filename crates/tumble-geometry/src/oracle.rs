//! Slow, obvious references for tests. Nothing here is clever, and nothing here is used by a simulation.

use crate::shape::Edge;
use crate::{
    Capsule, Clump, Cylinder, Disc, Part, Polygon, Polyhedron, Pose, Shape, Sphere, Superquadric, Tablet, TruncatedCone,
};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;

/// Reproducible pseudo-random numbers for tests (SplitMix64: Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub struct Sequence {
    state: u64,
}

impl Sequence {
    /// The sequence that belongs to a seed.
    pub fn new(seed: u64) -> Sequence {
        Sequence { state: seed }
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * self.unit()
    }

    /// Between two positive numbers, with equal chances for equal ratios.
    pub fn between_in_ratio(&mut self, lower: f64, upper: f64) -> f64 {
        lower * (upper / lower).powf(self.unit())
    }

    /// Uniform in the cube of the given half edge about the origin.
    pub fn point_in_cube(&mut self, half_edge: f64) -> DVec3 {
        DVec3::new(
            self.between(-half_edge, half_edge),
            self.between(-half_edge, half_edge),
            self.between(-half_edge, half_edge),
        )
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> DVec3 {
        let z = self.between(-1.0, 1.0);
        let (sine, cosine) = self.between(0.0, 2.0 * PI).sin_cos();
        let rho = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(rho * cosine, rho * sine, z)
    }

    /// Uniform over all orientations (Shoemake, 1992).
    pub fn orientation(&mut self) -> DQuat {
        let u = self.unit();
        let (a, b) = (self.between(0.0, 2.0 * PI), self.between(0.0, 2.0 * PI));
        let (p, q) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(p * a.sin(), p * a.cos(), q * b.sin(), q * b.cos()).normalize()
    }

    /// A pose within a cube, any way up.
    pub fn pose(&mut self, half_edge: f64) -> Pose {
        let position = self.point_in_cube(half_edge);
        Pose::new(position, self.orientation())
    }
}

/// The gap between two bodies along a unit direction: least of b minus largest of a. b seen from a by `pose_ab`.
pub fn gap_along(a: &Shape, b: &Shape, pose_ab: &Pose, direction: DVec3) -> f64 {
    let farthest_of_a = a.support(direction);
    let farthest_of_b = pose_ab.transform_point(b.support(pose_ab.inverse_transform_vector(-direction)));
    (farthest_of_b - farthest_of_a).dot(direction)
}

/// The largest gap over all directions, and its direction, found by trying: many directions spread over the sphere,
/// then ever smaller steps around the best. This is the definition of the separation. Where the best direction lies
/// on a ridge (a side or an edge) the steps can stall, 1e-3 of the size off at worst; elsewhere it is good to about 1e-12.
pub fn largest_gap(a: &Shape, b: &Shape, pose_ab: &Pose) -> (f64, DVec3) {
    const N_DIRECTIONS: usize = 20_000;
    let golden_angle = PI * (3.0 - 5f64.sqrt());
    let spread = (0..N_DIRECTIONS).map(|k| {
        let z = 1.0 - (2 * k + 1) as f64 / N_DIRECTIONS as f64;
        let rho = (1.0 - z * z).sqrt();
        let (sine, cosine) = (golden_angle * k as f64).sin_cos();
        DVec3::new(rho * cosine, rho * sine, z)
    });
    let mut best = (f64::NEG_INFINITY, DVec3::X);
    for direction in spread {
        let gap = gap_along(a, b, pose_ab, direction);
        if gap > best.0 {
            best = (gap, direction);
        }
    }
    let mut step = 0.02;
    while step > 1e-9 {
        let (u, v) = best.1.any_orthonormal_pair();
        let around = [u, -u, v, -v].map(|offset| (best.1 + step * offset).normalize());
        let gaps = around.map(|direction| (gap_along(a, b, pose_ab, direction), direction));
        match gaps.into_iter().max_by(|x, y| x.0.total_cmp(&y.0)) {
            Some(candidate) if candidate.0 > best.0 => best = candidate,
            _ => step *= 0.5,
        }
    }
    best
}

/// The separation of two overlapping polyhedra: the largest gap over the normals of all faces of both and the cross
/// products of all their edges, which is exact (the separating axis theorem). For polyhedra apart it is a lower bound.
pub fn separating_axis_gap(a: &Polyhedron, b: &Polyhedron, pose_ab: &Pose) -> f64 {
    let (shape_a, shape_b) = (Shape::Polyhedron(a.clone()), Shape::Polyhedron(b.clone()));
    let mut largest = f64::NEG_INFINITY;
    let mut attempt = |direction: DVec3| {
        if let Some(n) = direction.try_normalize() {
            largest = largest.max(gap_along(&shape_a, &shape_b, pose_ab, n));
        }
    };
    for face in a.faces() {
        attempt(face.normal);
    }
    for face in b.faces() {
        attempt(-pose_ab.transform_vector(face.normal));
    }
    let along = |p: &Polyhedron, edge: &Edge| {
        let [from, to] = edge.vertices.map(|v| p.vertices()[v as usize]);
        (to - from).normalize()
    };
    for edge_a in a.edges() {
        for edge_b in b.edges() {
            let cross = along(a, edge_a).cross(pose_ab.transform_vector(along(b, edge_b)));
            // Nearly parallel edges have no direction of their own that their faces lack.
            if cross.length() > 1e-7 {
                attempt(cross);
                attempt(-cross);
            }
        }
    }
    largest
}

/// Distance of a point from a segment.
pub fn distance_to_segment(start: DVec3, end: DVec3, p: DVec3) -> f64 {
    let t = (p - start).dot(end - start) / (end - start).length_squared();
    (start + (end - start) * t.clamp(0.0, 1.0)).distance(p)
}

/// Distance of a point from a triangle: to the plane if its foot lies inside all three sides, otherwise to the nearest
/// side.
pub fn distance_to_triangle(corners: [DVec3; 3], p: DVec3) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a).normalize();
    let sides = [(a, b), (b, c), (c, a)];
    if sides.iter().all(|(start, end)| normal.cross(*end - *start).dot(p - *start) >= 0.0) {
        return normal.dot(p - a).abs();
    }
    sides.iter().map(|(start, end)| distance_to_segment(*start, *end, p)).fold(f64::INFINITY, f64::min)
}

/// Volume and centroid of a pile of discs along x whose squared radius is given, by the midpoint rule on 200 000 slices.
/// Good to about 1e-10 of the volume where the squared radius is piecewise smooth.
pub fn sum_of_discs(radius_squared: impl Fn(f64) -> f64, from: f64, to: f64) -> (f64, f64) {
    const N_SLICES: usize = 200_000;
    let thickness = (to - from) / N_SLICES as f64;
    let (mut volume, mut moment) = (0.0, 0.0);
    for k in 0..N_SLICES {
        let x = from + (k as f64 + 0.5) * thickness;
        let slice = PI * radius_squared(x).max(0.0) * thickness;
        volume += slice;
        moment += slice * x;
    }
    (volume, moment / volume)
}

/// The twelve triangles of a cube about the origin, normals outwards.
pub fn cube_triangles(half_edge: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let side = |bit: usize, k: usize| if k >> bit & 1 == 0 { -half_edge } else { half_edge };
    let vertices = (0..8).map(|k| DVec3::new(side(0, k), side(1, k), side(2, k))).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (vertices, triangles)
}

/// One list of shapes for every test that goes through all of them: each kind several times, round and slender, smooth
/// and sharp, of size about 1, with lengths that depend on the seed. A further shape joins every test by one line here.
pub fn sample_shapes(seed: u64) -> Vec<Shape> {
    let mut sequence = Sequence::new(seed);
    let mut length = || sequence.between_in_ratio(0.3, 2.0);
    let cube = box_of(DVec3::ONE);
    let slab = box_of(DVec3::new(length(), length(), 0.02));
    let mut convex = vec![
        Shape::Sphere(Sphere { radius: length() }),
        Shape::Cylinder(Cylinder { radius: length(), half_height: length() }),
        Shape::Cylinder(Cylinder { radius: length(), half_height: 0.02 }),
        Shape::Cylinder(Cylinder { radius: 0.03, half_height: length() }),
        Shape::Capsule(Capsule { radius: length(), half_height: length() }),
        Shape::Capsule(Capsule { radius: 0.03, half_height: length() }),
        Shape::TruncatedCone(TruncatedCone { lower_radius: length(), upper_radius: length(), height: length() }),
        Shape::TruncatedCone(TruncatedCone { lower_radius: length(), upper_radius: 0.0, height: length() }),
        Shape::TruncatedCone(TruncatedCone { lower_radius: 0.0, upper_radius: length(), height: 0.2 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(length(), length(), length()), n1: 2.0, n2: 2.0 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(length(), length(), length()), n1: 2.5, n2: 4.0 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(length(), length(), length()), n1: 8.0, n2: 2.0 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(length(), length(), 0.05), n1: 3.0, n2: 20.0 }),
        Shape::Superquadric(Superquadric { semi_axes: DVec3::new(0.1, 0.1, length()), n1: 20.0, n2: 20.0 }),
        Shape::Polyhedron(cube.scaled(length())),
        Shape::Polyhedron(slab),
        Shape::Polyhedron(regular_tetrahedron(length())),
        Shape::Disc(Disc { radius: length(), half_thickness: length() }),
        Shape::Polygon(Polygon::from_trusted_corners(regular_polygon(5, length()), length())),
        Shape::Polygon(Polygon::from_trusted_corners(regular_polygon(3, length()), 0.05)),
    ];
    // Irregular hulls, brought to their own centres and axes.
    for n_points in [6, 30] {
        let cloud: Vec<DVec3> = (0..n_points).map(|_| sequence.direction() * sequence.between(0.8, 1.2)).collect();
        convex.extend(Shape::polyhedron(&cloud).ok().map(|hull| hull.to_principal_frame().0));
    }
    convex.extend([
        Shape::Tablet(Tablet { radius: 0.8, half_height: 0.2, dome_height: 0.3 }),
        Shape::Tablet(Tablet { radius: 0.3, half_height: 0.7, dome_height: 0.25 }),
        Shape::Tablet(Tablet { radius: 1.1, half_height: 0.0, dome_height: 0.15 }),
    ]);
    let ball = |radius: f64, x: f64| Part {
        shape: Shape::Sphere(Sphere { radius }),
        pose: Pose::from_position(DVec3::new(x, 0.0, 0.0)),
    };
    let mut clumps = vec![Clump::from_trusted_parts(vec![ball(0.5, -0.3), ball(0.4, 0.4)])];
    let mixed = convex.iter().step_by(5).map(|shape| Part { shape: shape.clone(), pose: sequence.pose(0.5) }).collect();
    clumps.push(Clump::from_trusted_parts(mixed));
    convex.into_iter().chain(clumps.into_iter().map(Shape::Clump)).collect()
}

/// A box about the origin with the given half edges.
pub fn box_of(half_edges: DVec3) -> Polyhedron {
    let (vertices, _) = cube_triangles(1.0);
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    Polyhedron::from_trusted_faces(
        vertices.into_iter().map(|v| v * half_edges).collect(),
        faces.map(|face| face.to_vec()).to_vec(),
    )
}

/// A regular tetrahedron about the origin with the given edge.
pub fn regular_tetrahedron(edge: f64) -> Polyhedron {
    let unit = edge / 8f64.sqrt();
    let vertices = [DVec3::new(1.0, 1.0, 1.0), DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0)]
        .into_iter()
        .chain([DVec3::new(-1.0, -1.0, 1.0)])
        .map(|v| v * unit)
        .collect();
    Polyhedron::from_trusted_faces(vertices, vec![vec![0, 1, 2], vec![0, 2, 3], vec![0, 3, 1], vec![1, 3, 2]])
}

/// The corners of a regular polygon about the origin, counter-clockwise.
pub fn regular_polygon(n_corners: usize, radius: f64) -> Vec<DVec2> {
    let angle = |k: usize| 2.0 * PI * k as f64 / n_corners as f64;
    (0..n_corners).map(|k| radius * DVec2::from_angle(angle(k))).collect()
}
