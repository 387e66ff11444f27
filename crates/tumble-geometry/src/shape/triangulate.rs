//! A shape's surface as triangles, for display: closed, outwards, with sharp edges kept.
//!
//! Bodies of revolution turn their profile about z; polyhedra cut their faces into fans; spheres and superquadrics
//! project the grid of a cube from their centre, which for a box-like superquadric puts the grid on its flat sides.
//! Vertices lie on the surface, so the enclosed volume is a little too small, by about 1 / n^2.

use super::Shape;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

/// Vertices and triangles, counter-clockwise seen from outside.
type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

impl Shape {
    /// The surface as vertices [m] and triangles that are counter-clockwise seen from outside, with about `n` segments
    /// around (at least 3, at most 4096). Watertight: each edge belongs to two triangles. A clump's parts follow each other, each closed.
    pub fn surface(&self, n: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let n = n.clamp(3, 4096);
        match self {
            Shape::Sphere(s) => projected_cube(n, |direction| direction * s.radius),
            Shape::Cylinder(c) => {
                let (r, h) = (c.radius, c.half_height);
                revolved(&[DVec2::new(0.0, -h), DVec2::new(r, -h), DVec2::new(r, h), DVec2::new(0.0, h)], n)
            }
            Shape::Capsule(c) => {
                let n_steps = n.div_ceil(4);
                let arc = |k: usize| {
                    let angle = FRAC_PI_2 * k as f64 / n_steps as f64;
                    DVec2::new(c.radius * angle.sin(), c.radius * angle.cos() + c.half_height)
                };
                // From the south pole to the equator, and from there to the north pole; a pole is exactly on the axis.
                let south = (0..=n_steps).map(|k| DVec2::new(arc(k).x, -arc(k).y));
                let north = (0..=n_steps).rev().map(arc);
                let mut profile: Vec<DVec2> = south.chain(north).collect();
                profile.dedup();
                revolved(&profile, n)
            }
            Shape::TruncatedCone(c) => {
                let (low, high) = (c.lower_z(), c.upper_z());
                let ends = [(0.0, low), (c.lower_radius, low), (c.upper_radius, high), (0.0, high)];
                let mut profile = ends.map(DVec2::from).to_vec();
                profile.dedup();
                revolved(&profile, n)
            }
            Shape::Tablet(t) => {
                let widest = (t.radius / t.dome_radius()).min(1.0).asin();
                let n_steps = n.div_ceil(4);
                let arc = |k: usize| {
                    if k == n_steps {
                        return DVec2::new(t.radius, t.half_height);
                    }
                    let (sine, cosine) = (widest * k as f64 / n_steps as f64).sin_cos();
                    let point = t.support(DVec3::new(sine, 0.0, cosine));
                    DVec2::new(point.x, point.z)
                };
                let south = (0..=n_steps).map(|k| DVec2::new(arc(k).x, -arc(k).y));
                let north = (0..=n_steps).rev().map(arc);
                let mut profile: Vec<DVec2> = south.chain(north).collect();
                profile.dedup();
                revolved(&profile, n)
            }
            Shape::Superquadric(s) => projected_cube(n, |direction| {
                let point = s.semi_axes * direction;
                point / s.gauge(point).0
            }),
            Shape::Polyhedron(p) => fans(p),
            Shape::Disc(d) => Shape::Cylinder(d.solid()).surface(n),
            Shape::Polygon(p) => fans(p.solid()),
            Shape::Clump(c) => {
                let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
                for part in c.parts() {
                    let (points, pieces) = part.shape.surface(n);
                    let begin = vertices.len() as u32;
                    vertices.extend(points.into_iter().map(|p| part.pose.transform_point(p)));
                    triangles.extend(pieces.into_iter().map(|t| t.map(|v| v + begin)));
                }
                (vertices, triangles)
            }
        }
    }
}

/// A profile (distance from the axis, z), from the lower end of the axis to the upper, turned about z.
fn revolved(profile: &[DVec2], n: usize) -> Triangles {
    let mut vertices = Vec::new();
    let rings: Vec<(u32, bool)> = profile
        .iter()
        .map(|corner| {
            let begin = vertices.len() as u32;
            let is_pole = corner.x <= 0.0;
            let n_points = if is_pole { 1 } else { n };
            vertices.extend((0..n_points).map(|k| {
                let across = corner.x * DVec2::from_angle(TAU * k as f64 / n as f64);
                DVec3::new(across.x, across.y, corner.y)
            }));
            (begin, is_pole)
        })
        .collect();
    let mut triangles = Vec::new();
    for pair in rings.windows(2) {
        let [(lower, lower_is_pole), (upper, upper_is_pole)] = [pair[0], pair[1]];
        for k in 0..n as u32 {
            let next = (k + 1) % n as u32;
            if !lower_is_pole {
                let top = if upper_is_pole { upper } else { upper + next };
                triangles.push([lower + k, lower + next, top]);
            }
            if !upper_is_pole {
                let bottom = if lower_is_pole { lower } else { lower + k };
                triangles.push([bottom, upper + next, upper + k]);
            }
        }
    }
    (vertices, triangles)
}

/// The grid of a cube, each point's direction taken to the surface.
fn projected_cube(n: usize, surface: impl Fn(DVec3) -> DVec3) -> Triangles {
    // Even, so that grid lines run through the ends of the axes.
    let m = 2 * n.div_ceil(8) as i32;
    let mut numbers: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut number = |place: [i32; 3]| {
        *numbers.entry(place).or_insert_with(|| {
            // Equal angles rather than equal lengths, so that triangles are of like size.
            let [x, y, z] = place.map(|k| (FRAC_PI_4 * f64::from(k) / f64::from(m)).tan());
            vertices.push(surface(DVec3::new(x, y, z).normalize()));
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [-m, m] {
            for i in (-m..m).step_by(2) {
                for j in (-m..m).step_by(2) {
                    let mut at = |i: i32, j: i32| {
                        let mut place = [0; 3];
                        place[axis] = side;
                        place[(axis + 1) % 3] = i;
                        place[(axis + 2) % 3] = j;
                        number(place)
                    };
                    let [a, b, c, d] = [at(i, j), at(i + 2, j), at(i + 2, j + 2), at(i, j + 2)];
                    triangles.extend(if side > 0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
                }
            }
        }
    }
    (vertices, triangles)
}

/// Each face as a fan.
fn fans(polyhedron: &super::Polyhedron) -> Triangles {
    let fan = |face: &super::Face| {
        let first = face.vertices[0];
        face.vertices.windows(2).skip(1).map(move |pair| [first, pair[0], pair[1]]).collect::<Vec<_>>()
    };
    (polyhedron.vertices().to_vec(), polyhedron.faces().iter().flat_map(fan).collect())
}
