//! Which vertices of a mesh are sharp: a body can touch them and nothing else; and which are in the middle of flat ground.
//!
//! A vertex has normals of its own if some direction makes an angle of less than 90 degrees with every edge there. In
//! the middle of a flat or hollow region none does, nor on a straight edge. The directions that do fill a cone, bounded
//! by rays square to two edges; the sum of those rays lies inside it.

use super::Adjacency;
use crate::tolerance;
use glam::DVec3;

/// Edges at a vertex beyond which it is simply taken as sharp: to find out costs the cube of their number, and a wrong
/// yes costs a little work in each question but never a wrong answer.
const MANY_EDGES: usize = 64;

/// What is around a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corner {
    /// A body can touch it and nothing else.
    Sharp,
    /// All triangles there are in one plane, and no edge there is a rim or a fold.
    Flat,
    /// Neither.
    Other,
}

/// For every vertex what is around it.
pub(super) fn corners_of(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    normals: &[DVec3],
    adjacency: &Adjacency,
) -> Vec<Corner> {
    let kind = |(vertex, is_sharp): (u32, bool)| {
        if is_sharp {
            Corner::Sharp
        } else if is_flat(vertex, vertices, triangles, normals, adjacency) {
            Corner::Flat
        } else {
            Corner::Other
        }
    };
    (0..).zip(sharp_vertices(vertices, triangles, adjacency)).map(kind).collect()
}

/// Whether all triangles at a vertex are in one plane, and each edge there has one of them on either side.
fn is_flat(vertex: u32, vertices: &[DVec3], triangles: &[[u32; 3]], normals: &[DVec3], adjacency: &Adjacency) -> bool {
    let around = adjacency.triangles_at_vertex(vertex);
    let Some(&first) = around.first() else { return false };
    let normal = normals[first as usize];
    around.iter().all(|&triangle| {
        let corners = triangles[triangle as usize];
        normal.cross(normals[triangle as usize]).length() <= tolerance::FLAT_EDGE
            && (0..3).filter(|&k| corners[k] == vertex || corners[(k + 1) % 3] == vertex).all(|k| {
                let &[a, b] = adjacency.triangles_at_edge(adjacency.edge_of(triangle, k)) else { return false };
                let (start, end) = (vertices[corners[k] as usize], vertices[corners[(k + 1) % 3] as usize]);
                let across = normal.cross(end - start);
                let side = |triangle: u32| {
                    let off =
                        triangles[triangle as usize].iter().find(|c| **c != corners[k] && **c != corners[(k + 1) % 3]);
                    off.map_or(0.0, |&corner| across.dot(vertices[corner as usize] - start))
                };
                side(a) * side(b) < 0.0
            })
    })
}

/// For every vertex, whether it is sharp.
fn sharp_vertices(vertices: &[DVec3], triangles: &[[u32; 3]], adjacency: &Adjacency) -> Vec<bool> {
    let mut directions = Vec::new();
    let mut is_sharp = Vec::with_capacity(vertices.len());
    for (vertex, &place) in vertices.iter().enumerate() {
        directions.clear();
        for &triangle in adjacency.triangles_at_vertex(vertex as u32) {
            for &corner in triangles[triangle as usize].iter().filter(|&&corner| corner as usize != vertex) {
                let direction = (vertices[corner as usize] - place).normalize_or_zero();
                if !directions.contains(&direction) {
                    directions.push(direction);
                }
            }
        }
        is_sharp.push(directions.len() > MANY_EDGES || leaves_room(&directions));
    }
    is_sharp
}

/// Whether some direction makes an angle of less than 90 degrees with all of these.
fn leaves_room(directions: &[DVec3]) -> bool {
    let inside = |n: DVec3, least: f64| directions.iter().all(|d| n.dot(*d) >= least);
    let sum: DVec3 = directions.iter().sum();
    if inside(sum.normalize_or_zero(), tolerance::FLAT_EDGE) {
        return true;
    }
    let mut rays = DVec3::ZERO;
    for (k, d) in directions.iter().enumerate() {
        for other in &directions[k + 1..] {
            let ray = d.cross(*other).normalize_or_zero();
            for ray in [ray, -ray] {
                if inside(ray, -tolerance::FLAT_EDGE) {
                    rays += ray;
                }
            }
        }
    }
    inside(rays.normalize_or_zero(), tolerance::FLAT_EDGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_at_corners_but_not_on_flats_edges_and_saddles() {
        let flat = [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y];
        assert!(!leaves_room(&flat));
        // A saddle, and a straight ridge: room only for directions square to the ridge.
        assert!(!leaves_room(&[
            DVec3::new(1.0, 0.0, 0.3),
            DVec3::new(0.0, 1.0, -0.3),
            DVec3::new(-1.0, 0.0, 0.3),
            DVec3::new(0.0, -1.0, -0.3)
        ]));
        assert!(!leaves_room(&[DVec3::X, DVec3::NEG_X, DVec3::new(0.0, 0.6, -0.8), DVec3::new(0.0, -0.6, -0.8)]));
        assert!(leaves_room(&[DVec3::X, DVec3::Y, DVec3::Z]));
        assert!(leaves_room(&[DVec3::X, DVec3::Y]));
        assert!(leaves_room(&flat.map(|d| (d - 1e-3 * DVec3::Z).normalize())));
        // A thin pyramid whose edges are crowded on one side.
        let crowd = [0.0_f64, 0.1, 0.2, 0.3, 0.4, 3.4].map(|t| DVec3::new(t.cos(), t.sin(), -0.2).normalize());
        assert!(leaves_room(&crowd));
    }
}
