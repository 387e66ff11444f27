//! The five regular polyhedra.

use glam::DVec3;

/// How many faces each has; a place in this list is its number below.
pub(crate) const FACES_OF_REGULAR: [u64; 5] = [4, 6, 8, 12, 20];

/// Distance of a vertex from the middle over the length of an edge.
pub(crate) fn circumradius_over_edge(kind: usize) -> f64 {
    let root = f64::sqrt;
    match kind {
        0 => root(3.0 / 8.0),
        1 => root(3.0) / 2.0,
        2 => root(0.5),
        3 => root(3.0) * (1.0 + root(5.0)) / 4.0,
        _ => root(10.0 + 2.0 * root(5.0)) / 4.0,
    }
}

/// The vertices of the one with that number, at distance 1 from the middle.
pub(crate) fn regular_vertices(kind: usize) -> Vec<DVec3> {
    let golden = (1.0 + 5.0f64.sqrt()) / 2.0;
    let signs = [-1.0, 1.0];
    let cube = || signs.iter().flat_map(|&x| signs.iter().flat_map(move |&y| [-1.0, 1.0].map(|z| DVec3::new(x, y, z))));
    // The three rectangles with corners (0, +-p, +-q), turned through the axes.
    let rectangles = |p: f64, q: f64| {
        signs.iter().flat_map(move |&s| {
            [-1.0, 1.0].into_iter().flat_map(move |t| {
                let (p, q) = (s * p, t * q);
                [DVec3::new(0.0, p, q), DVec3::new(p, q, 0.0), DVec3::new(q, 0.0, p)]
            })
        })
    };
    let points: Vec<DVec3> = match kind {
        // Every other corner of a cube.
        0 => cube().filter(|v| v.element_product() > 0.0).collect(),
        1 => cube().collect(),
        2 => DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).collect(),
        3 => cube().chain(rectangles(1.0 / golden, golden)).collect(),
        _ => rectangles(1.0, golden).collect(),
    };
    points.into_iter().map(DVec3::normalize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_and_edges_are_those_of_the_regular_polyhedra() {
        // Vertices and edges by Euler's formula from faces of 3, 4, 3, 5, 3 corners.
        for (kind, (n_vertices, n_edges)) in [(4, 6), (8, 12), (6, 12), (20, 30), (12, 30)].into_iter().enumerate() {
            let vertices = regular_vertices(kind);
            assert_eq!(vertices.len(), n_vertices);
            let mut lengths = Vec::new();
            for (i, a) in vertices.iter().enumerate() {
                assert!((a.length() - 1.0).abs() < 1e-15);
                lengths.extend(vertices[i + 1..].iter().map(|b| a.distance(*b)));
            }
            let edge = 1.0 / circumradius_over_edge(kind);
            assert!(lengths.iter().all(|length| *length > edge - 1e-14), "{kind}");
            assert_eq!(lengths.iter().filter(|length| (**length - edge).abs() < 1e-14).count(), n_edges, "{kind}");
        }
    }
}
