//! A solid from a triangle mesh: what is none is refused, with the reason and the place.
//!
//! A mesh is a solid if (1) each edge has two triangles that run along it in opposite ways, so that the surface is closed and one
//! side of it is inside; (2) it is in one piece; (3) it encloses a volume, and its triangles run counter-clockwise seen from outside;
//! (4) no triangle passes through another. The last is asked, by exact predicates (Shewchuk 1997), of all pairs of triangles without a
//! common corner: an edge of the one that crosses the inside of the other. Triangles with a common corner that pass through each
//! other, and those that only touch, are not found.

use crate::cross::accurate_cross;
use crate::error::GeometryError;
use crate::surface::Mesh;
use crate::{Aabb, MassProperties};
use glam::{DMat3, DVec3};
use robust::{Coord3D, orient3d};

/// A volume below this share of the cube of the size is rounding [1].
const NO_VOLUME: f64 = 1e-12;

/// A closed mesh in one piece that encloses a volume.
#[derive(Clone, Debug)]
pub struct Solid {
    mesh: Mesh,
    properties: MassProperties,
}

impl Solid {
    /// The solid within a mesh, or why there is none. Vertices at exactly the same place are one.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Solid, GeometryError> {
        let mesh = Mesh::new(vertices, triangles)?;
        check_edges(&mesh)?;
        check_one_body(&mesh)?;
        let size = Aabb::of_points(mesh.vertices().iter().copied()).extent().max_element();
        let properties = mass_of_mesh(&mesh);
        if properties.volume.abs() <= NO_VOLUME * size.powi(3) {
            return Err(GeometryError::SolidWithoutVolume { volume: properties.volume, size });
        }
        if properties.volume < 0.0 {
            return Err(GeometryError::SolidInsideOut { volume: properties.volume });
        }
        check_crossings(&mesh)?;
        Ok(Solid { mesh, properties })
    }

    /// Its surface.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Volume, centre and tensor of inertia at unit density.
    pub fn mass_properties(&self) -> MassProperties {
        self.properties
    }

    /// Whether a point is inside: the solid angles of all triangles seen from it sum to a whole sphere. A point on the surface
    /// may be either.
    pub fn contains(&self, point: DVec3) -> bool {
        let seen: f64 = (0..self.mesh.triangles().len() as u32)
            .map(|triangle| {
                // Van Oosterom and Strackee (1983): tangent of half the solid angle.
                let [a, b, c] = self.mesh.corners(triangle).map(|corner| corner - point);
                let (la, lb, lc) = (a.length(), b.length(), c.length());
                let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
                2.0 * a.dot(b.cross(c)).atan2(below)
            })
            .sum();
        seen > 2.0 * std::f64::consts::PI
    }
}

fn check_edges(mesh: &Mesh) -> Result<(), GeometryError> {
    let mut sides: Vec<([u32; 2], bool)> = mesh
        .triangles()
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[from, to]| if from < to { ([from, to], true) } else { ([to, from], false) })
        .collect();
    sides.sort_unstable();
    let place = |ends: [u32; 2]| ends.map(|v| mesh.vertices()[v as usize].to_array());
    let wrong: Vec<&[([u32; 2], bool)]> = sides.chunk_by(|a, b| a.0 == b.0).filter(|chunk| chunk.len() != 2).collect();
    if let Some(first) = wrong.first() {
        let [from, to] = place(first[0].0);
        return Err(GeometryError::SolidOpen { from, to, n_triangles: first.len(), n_edges: wrong.len() });
    }
    match sides.chunk_by(|a, b| a.0 == b.0).find(|chunk| chunk[0].1 == chunk[1].1) {
        Some(chunk) => {
            let [from, to] = place(chunk[0].0);
            Err(GeometryError::SolidTurned { from, to })
        }
        None => Ok(()),
    }
}

fn check_one_body(mesh: &Mesh) -> Result<(), GeometryError> {
    // Each vertex leads to another of its body, and in the end to the first of it.
    let mut leads_to: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
    let first_of = |leads_to: &mut Vec<u32>, mut v: u32| {
        while leads_to[v as usize] != v {
            leads_to[v as usize] = leads_to[leads_to[v as usize] as usize];
            v = leads_to[v as usize];
        }
        v
    };
    for &[a, b, c] in mesh.triangles() {
        for other in [b, c] {
            let (p, q) = (first_of(&mut leads_to, a), first_of(&mut leads_to, other));
            leads_to[p.max(q) as usize] = p.min(q);
        }
    }
    let firsts: Vec<u32> = (0..leads_to.len() as u32).filter(|&v| leads_to[v as usize] == v).collect();
    match firsts[..] {
        [_, second, ..] => {
            let place = mesh.vertices()[second as usize].to_array();
            Err(GeometryError::SolidSeveralBodies { n_bodies: firsts.len(), place })
        }
        _ => Ok(()),
    }
}

/// Signed tetrahedra from a vertex, so that a body far from the origin loses no digits.
fn mass_of_mesh(mesh: &Mesh) -> MassProperties {
    let origin = mesh.vertices()[0];
    let outer_square = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let (mut volume, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for triangle in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(triangle).map(|corner| corner - origin);
        let determinant = a.dot(accurate_cross(b, c));
        let sum = a + b + c;
        volume += determinant / 6.0;
        moment += determinant / 24.0 * sum;
        let [s, p, q, r] = [sum, a, b, c].map(outer_square);
        second += (s + p + q + r) * (determinant / 120.0);
    }
    let centre = moment / volume;
    let second = second - outer_square(centre) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    MassProperties { volume, centroid: origin + centre, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - second }
}

fn check_crossings(mesh: &Mesh) -> Result<(), GeometryError> {
    let mut near = Vec::new();
    for one in 0..mesh.triangles().len() as u32 {
        near.clear();
        let corners = mesh.corners(one);
        mesh.triangles_near(&Aabb::of_points(corners), &mut near);
        near.sort_unstable();
        for &other in near.iter().filter(|&&other| other != one) {
            let ours = mesh.triangles()[one as usize];
            if ours.iter().any(|v| mesh.triangles()[other as usize].contains(v)) {
                continue;
            }
            let theirs = mesh.corners(other);
            for k in 0..3 {
                let (start, end) = (corners[k], corners[(k + 1) % 3]);
                if crosses(start, end, theirs) {
                    let place = crossing(start, end, theirs).to_array();
                    return Err(GeometryError::SolidCrossesItself {
                        triangles: [one.min(other), one.max(other)],
                        place,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Whether a segment crosses the inside of a triangle, not only its rim or by an end.
fn crosses(start: DVec3, end: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let at = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    let side = |p: DVec3, q: DVec3, r: DVec3, s: DVec3| orient3d(at(p), at(q), at(r), at(s));
    if side(a, b, c, start) * side(a, b, c, end) >= 0.0 {
        return false;
    }
    let sides = [side(start, end, a, b), side(start, end, b, c), side(start, end, c, a)];
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}

fn crossing(start: DVec3, end: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let normal = (b - a).cross(c - a);
    let (before, after) = (normal.dot(start - a), normal.dot(end - a));
    start + (end - start) * (before / (before - after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    /// A box, its triangles counter-clockwise seen from outside.
    fn cuboid(lower: DVec3, upper: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let vertices = (0..8)
            .map(|k| {
                let pick = |bit: usize, axis: usize| if k >> bit & 1 == 0 { lower[axis] } else { upper[axis] };
                DVec3::new(pick(0, 0), pick(1, 1), pick(2, 2))
            })
            .collect();
        let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        (vertices, squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
    }

    fn joined(parts: &[(Vec<DVec3>, Vec<[u32; 3]>)]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (v, t) in parts {
            let first = vertices.len() as u32;
            vertices.extend(v);
            triangles.extend(t.iter().map(|t| t.map(|k| k + first)));
        }
        (vertices, triangles)
    }

    #[test]
    fn a_box_is_a_solid_with_the_mass_of_a_box() {
        let (lower, upper) = (DVec3::new(10.0, 20.0, 30.0), DVec3::new(11.0, 22.0, 33.0));
        let (vertices, triangles) = cuboid(lower, upper);
        let solid = Solid::new(vertices, triangles).unwrap();
        let Shape::Polyhedron(hull) = Shape::polyhedron(solid.mesh().vertices()).unwrap() else { panic!() };
        let (found, expected) = (solid.mass_properties(), hull.mass_properties());
        assert!((found.volume - 6.0).abs() < 1e-12 && found.centroid.distance(expected.centroid) < 1e-12);
        assert!((found.inertia - expected.inertia).to_cols_array().iter().all(|x| x.abs() < 1e-11));
        assert!(solid.contains(DVec3::new(10.1, 21.9, 31.0)) && !solid.contains(DVec3::new(9.9, 21.0, 31.0)));
    }

    #[test]
    fn what_is_no_solid_is_refused_with_the_place() {
        let (vertices, triangles) = cuboid(DVec3::ZERO, DVec3::ONE);
        let refused =
            |vertices: &[DVec3], triangles: &[[u32; 3]]| Solid::new(vertices.to_vec(), triangles.to_vec()).unwrap_err();
        // A lid that is missing: its diagonal is no edge any more, its four sides are open.
        let open = refused(&vertices, &[&triangles[..2], &triangles[4..]].concat());
        let GeometryError::SolidOpen { from, to, n_triangles: 1, n_edges: 4 } = open else { panic!("{open:?}") };
        assert!(from[2] == 1.0 && to[2] == 1.0, "{open}");
        // A fin: an edge with three triangles.
        let mut fin = (vertices.clone(), triangles.clone());
        fin.0.push(DVec3::new(2.0, 2.0, 2.0));
        fin.1.push([0, 1, 8]);
        assert!(matches!(refused(&fin.0, &fin.1), GeometryError::SolidOpen { n_edges: 3, .. }));
        let mut turned = triangles.clone();
        turned[3].swap(0, 1);
        assert!(matches!(refused(&vertices, &turned), GeometryError::SolidTurned { .. }));
        let inside_out: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
        let GeometryError::SolidInsideOut { volume } = refused(&vertices, &inside_out) else { panic!() };
        assert!((volume + 1.0).abs() < 1e-15);
        let (apart, of_two) =
            joined(&[(vertices.clone(), triangles.clone()), cuboid(DVec3::splat(2.0), DVec3::splat(3.0))]);
        let several = refused(&apart, &of_two);
        assert_eq!(several, GeometryError::SolidSeveralBodies { n_bodies: 2, place: [2.0; 3] });
        // A flat pillow: two triangles back to back.
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(matches!(refused(&flat, &[[0, 1, 2], [1, 0, 2]]), GeometryError::SolidWithoutVolume { .. }));
        // A corner that is pushed through the opposite faces.
        let mut pushed = vertices.clone();
        pushed[7] = DVec3::new(0.4, 0.5, -0.5);
        let crossing = refused(&pushed, &triangles);
        let GeometryError::SolidCrossesItself { place, .. } = crossing else { panic!("{crossing:?}") };
        assert!(place[2].abs() < 1e-12, "{crossing}");
        assert!(crossing.to_string().contains("pass through each other"), "{crossing}");
    }
}
