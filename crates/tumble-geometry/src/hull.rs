//! The convex hull of points, as a polyhedron with whole faces.
//!
//! Three steps. (1) An incremental hull of triangles (Quickhull: Barber, Dobkin and Huhdanpaa, 1996) whose every
//! decision is an exact predicate (Shewchuk, 1997), so that no input, however coplanar, collinear or thin, breaks its
//! topology. (2) Vertices within rounding of each other become one. (3) Triangles that share a plane to within rounding
//! become one face, and vertices that then lie within a face or on an edge are dropped.
//!
//! Steps 2 and 3 move the surface by at most about [`COPLANAR`] of the largest coordinate. The result is checked: closed,
//! V - E + F = 2, every vertex under every face. Points without a volume (thinner than [`FLAT`] of the largest
//! coordinate) are refused, since rounding alone would decide what their hull is. Where rounding joins what does not
//! fit together, the step is repeated with a larger tolerance; if that fails too, the points are refused.

mod merge;
mod mesh;
mod polygon;
mod triangles;

pub use mesh::{HullReport, hull_of_mesh};
pub use polygon::convex_polygon;

use crate::Polyhedron;
use crate::error::{Flatness, GeometryError};
use crate::shape::Face;
use crate::tolerance::{COPLANAR, FLAT};
use glam::DVec3;
use triangles::{Simplex, first_simplex, triangle_hull};

/// The convex hull of points: the vertices in the order of the points, the faces in the order of their least vertices.
pub fn convex_hull(points: &[DVec3]) -> Result<Polyhedron, GeometryError> {
    let largest = check_points(points)?;
    // A power of two takes the coordinates to about 1 without rounding, so that no product over- or underflows.
    let scale = 2f64.powi(-(largest.log2().floor() as i32).clamp(-1000, 1000));
    let scaled: Vec<DVec3> = points.iter().map(|p| *p * scale).collect();
    let size = largest * scale;
    let mut kept: Vec<u32> = (0..points.len() as u32).collect();
    let mut facets;
    loop {
        facets = hull_with_volume(&scaled, &kept, size, scale)?;
        let near = near_duplicates(&scaled, &facets, COPLANAR * size);
        let mut hull_vertices: Vec<u32> = facets.iter().flatten().copied().collect();
        hull_vertices.sort_unstable();
        hull_vertices.dedup();
        if near.is_empty() {
            break;
        }
        hull_vertices.retain(|v| near.binary_search(v).is_err());
        kept = hull_vertices;
    }
    for tolerance in [1.0, 8.0, 64.0].map(|factor| factor * COPLANAR * size) {
        if let Some(faces) = merge::merged_faces(&scaled, &facets, tolerance)
            && let Some(polyhedron) = checked(points, faces, 4.0 * tolerance / scale)
        {
            return Ok(polyhedron);
        }
    }
    Err(GeometryError::HullNotFound { n_points: points.len() })
}

/// Refuses too few points and numbers that are not finite; the largest coordinate otherwise.
fn check_points(points: &[DVec3]) -> Result<f64, GeometryError> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        let DVec3 { x, y, z } = points[index];
        return Err(GeometryError::PointNotFinite { point: index, x, y, z });
    }
    if points.len() < 4 || points.len() > u32::MAX as usize {
        return Err(GeometryError::HullPointCount { n_points: points.len() });
    }
    let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    if largest < f64::MIN_POSITIVE {
        return Err(GeometryError::HullWithoutVolume { flatness: Flatness::Point, thickness: 0.0, size: largest });
    }
    Ok(largest)
}

/// The exact hull of some of the points, if it is thick enough to be meant.
fn hull_with_volume(points: &[DVec3], kept: &[u32], size: f64, scale: f64) -> Result<Vec<[u32; 3]>, GeometryError> {
    let flat = |flatness, thickness: f64| GeometryError::HullWithoutVolume {
        flatness,
        thickness: thickness / scale,
        size: size / scale,
    };
    match first_simplex(points, kept, FLAT * size) {
        Simplex::Solid(corners) => Ok(triangle_hull(points, kept, corners)),
        Simplex::Point(length) => Err(flat(Flatness::Point, length)),
        Simplex::Line(width) => Err(flat(Flatness::Line, width)),
        Simplex::Plane(thickness) => Err(flat(Flatness::Plane, thickness)),
    }
}

/// Hull vertices at the end of an edge that is shorter than the tolerance and whose other end stays, in ascending order.
fn near_duplicates(points: &[DVec3], facets: &[[u32; 3]], tolerance: f64) -> Vec<u32> {
    let mut short: Vec<[u32; 2]> = facets
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .filter(|&[a, b]| a < b && points[a as usize].distance(points[b as usize]) <= tolerance)
        .collect();
    short.sort_unstable();
    let mut is_dropped = vec![false; points.len()];
    for [a, b] in short {
        // In ascending order of a, so that whether it stays is known.
        if !is_dropped[a as usize] {
            is_dropped[b as usize] = true;
        }
    }
    (0..points.len() as u32).filter(|&v| is_dropped[v as usize]).collect()
}

/// The polyhedron of some faces, its vertices numbered anew, if it is closed, convex within the tolerance and has the
/// topology of a ball.
fn checked(points: &[DVec3], faces: Vec<Vec<u32>>, tolerance: f64) -> Option<Polyhedron> {
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let mut faces: Vec<Vec<u32>> = faces
        .into_iter()
        .map(|face| {
            let mut face: Vec<u32> =
                face.iter().filter_map(|v| used.binary_search(v).ok()).map(|place| place as u32).collect();
            let least = face.iter().enumerate().min_by_key(|(_, v)| **v).map_or(0, |(place, _)| place);
            face.rotate_left(least);
            face
        })
        .collect();
    faces.sort_unstable();
    let n_corners: usize = faces.iter().map(Vec::len).sum();
    let vertices: Vec<DVec3> = used.iter().map(|&v| points[v as usize]).collect();
    let polyhedron = Polyhedron::from_trusted_faces(vertices, faces);
    let (n_vertices, n_edges, n_faces) =
        (polyhedron.vertices().len(), polyhedron.edges().len(), polyhedron.faces().len());
    let is_closed = 2 * n_edges == n_corners && n_vertices + n_faces == n_edges + 2;
    // A closed surface that is convex along every edge is convex.
    let is_under = |vertices: &[u32], face: &Face| {
        vertices.iter().all(|&v| polyhedron.vertices()[v as usize].dot(face.normal) - face.offset <= tolerance)
    };
    let face = |index: u32| &polyhedron.faces()[index as usize];
    let is_convex = polyhedron.faces().iter().all(|face| face.normal.is_finite() && is_under(&face.vertices, face))
        && polyhedron.edges().iter().all(|edge| {
            let (left, right) = (face(edge.left), face(edge.right));
            is_under(&left.vertices, right) && is_under(&right.vertices, left)
        });
    (is_closed && is_convex).then_some(polyhedron)
}

#[cfg(test)]
mod tests;
