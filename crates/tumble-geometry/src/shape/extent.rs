//! How thin a shape is, and how far it reaches.

use super::{Polyhedron, Shape};
use glam::DVec3;

/// More edges than this, and the width of a polyhedron is bounded by a ball inside it.
const MOST_EDGES: usize = 4000;

impl Shape {
    /// The smallest width over all directions [m]: how far apart two parallel planes must be to let the shape between
    /// them. For planar shapes over the directions of their plane, in which they meet. For a clump, that of its thinnest
    /// part. Exact, except for polyhedra of more than 4000 edges, for which it is the diameter of a ball inside.
    pub fn smallest_width(&self) -> f64 {
        match self {
            Shape::Sphere(s) => 2.0 * s.radius,
            Shape::Cylinder(c) => 2.0 * c.radius.min(c.half_height),
            Shape::Capsule(c) => 2.0 * c.radius,
            Shape::TruncatedCone(c) => {
                // A body of revolution is as wide as its section through the axis, and a polygon is thinnest across one
                // of its sides: the ends, or a slanting side and the far corner of the larger end.
                let larger = c.lower_radius.max(c.upper_radius);
                let slant = c.height.hypot(c.lower_radius - c.upper_radius);
                c.height.min(2.0 * larger * c.height / slant)
            }
            // Between its two ends the reach over the angle from the axis has no minimum: it falls and falls, or rises first.
            Shape::Tablet(t) => 2.0 * t.radius.min(t.half_thickness()),
            // Exponents of 2 or more bulge beyond the ellipsoid, which touches at the ends of the axes.
            Shape::Superquadric(s) => 2.0 * s.semi_axes.min_element(),
            Shape::Polyhedron(p) => polyhedron_width(p),
            Shape::Disc(d) => 2.0 * d.radius,
            Shape::Polygon(p) => {
                let corners = p.corners();
                let across = |k: usize| {
                    let side = (corners[(k + 1) % corners.len()] - corners[k]).normalize();
                    corners.iter().map(|c| side.perp_dot(*c - corners[k])).fold(0.0, f64::max)
                };
                (0..corners.len()).map(across).fold(f64::INFINITY, f64::min)
            }
            Shape::Clump(c) => c.parts().iter().map(|p| p.shape.smallest_width()).fold(f64::INFINITY, f64::min),
        }
    }

    /// Largest distance of the shape from a local point [m]. Exact, except for superquadrics, for which it is an upper
    /// bound.
    pub fn farthest_from(&self, point: DVec3) -> f64 {
        let rho = point.x.hypot(point.y);
        // The farthest point of a body of revolution lies in the plane of the axis and the point, opposite to it.
        let from_rim = |radius: f64, z: f64| (rho + radius).hypot(z - point.z);
        match self {
            Shape::Sphere(s) => point.length() + s.radius,
            Shape::Cylinder(c) => from_rim(c.radius, -c.half_height).max(from_rim(c.radius, c.half_height)),
            Shape::Capsule(c) => rho.hypot(point.z.abs() + c.half_height) + c.radius,
            Shape::TruncatedCone(c) => from_rim(c.lower_radius, c.lower_z()).max(from_rim(c.upper_radius, c.upper_z())),
            Shape::Tablet(t) => {
                let rims = from_rim(t.radius, -t.half_height).max(from_rim(t.radius, t.half_height));
                // The farthest point of a ball lies beyond its centre; it counts if it lies on the dome.
                let from_dome = |side: f64| {
                    let beyond = DVec3::new(rho, 0.0, side * t.dome_centre() - point.z);
                    let is_on_dome = t.faces_dome(beyond, side > 0.0);
                    if is_on_dome { beyond.length() + t.dome_radius() } else { 0.0 }
                };
                rims.max(from_dome(1.0)).max(from_dome(-1.0))
            }
            Shape::Superquadric(s) => {
                // |x - p|^2 = |x|^2 - 2 x.p + |p|^2, each term at its largest; or the farthest corner of the box.
                let apart = s.bounding_radius().powi(2) + 2.0 * s.support(-point).dot(-point) + point.length_squared();
                apart.sqrt().min((point.abs() + s.semi_axes).length())
            }
            Shape::Polyhedron(p) => p.vertices().iter().map(|v| v.distance(point)).fold(0.0, f64::max),
            Shape::Disc(d) => Shape::Cylinder(d.solid()).farthest_from(point),
            Shape::Polygon(p) => p.solid().vertices().iter().map(|v| v.distance(point)).fold(0.0, f64::max),
            Shape::Clump(c) => c
                .parts()
                .iter()
                .map(|part| part.shape.farthest_from(part.pose.inverse_transform_point(point)))
                .fold(0.0, f64::max),
        }
    }
}

/// A polyhedron is thinnest across a face, or across two edges whose common normal supports both.
fn polyhedron_width(p: &Polyhedron) -> f64 {
    let extent = |normal: DVec3| (p.support(normal) - p.support(-normal)).dot(normal);
    let mut width = p.faces().iter().map(|face| extent(face.normal)).fold(f64::INFINITY, f64::min);
    if p.edges().len() > MOST_EDGES {
        let centre = p.mass_properties().centroid;
        let radius = p.faces().iter().map(|face| face.offset - face.normal.dot(centre)).fold(f64::INFINITY, f64::min);
        return width.min(2.0 * radius);
    }
    let edges: Vec<(DVec3, DVec3, DVec3, DVec3)> = p
        .edges()
        .iter()
        .map(|edge| {
            let [from, to] = edge.vertices.map(|v| p.vertices()[v as usize]);
            let normal = |face: u32| p.faces()[face as usize].normal;
            (from, to - from, normal(edge.right), normal(edge.left))
        })
        .collect();
    for (k, (start, along, right, left)) in edges.iter().enumerate() {
        // The normals that an edge supports run from its right face to its left, turning about the edge.
        for (other_start, other_along, other_right, other_left) in &edges[k + 1..] {
            let Some(normal) = along.cross(*other_along).try_normalize() else { continue };
            let distance = (*start - *other_start).dot(normal);
            let (normal, distance) = if distance < 0.0 { (-normal, -distance) } else { (normal, distance) };
            if distance < width && is_between(normal, *right, *left) && is_between(-normal, *other_right, *other_left) {
                width = distance;
            }
        }
    }
    width
}

/// Whether a normal lies on the arc between two others in whose plane it is; the ends count.
fn is_between(normal: DVec3, p: DVec3, q: DVec3) -> bool {
    let turn = p.cross(q);
    p.cross(normal).dot(turn) >= 0.0 && normal.cross(q).dot(turn) >= 0.0 && normal.dot(p + q) > 0.0
}
