//! Which triangles share which edges and vertices. An edge may have any number of triangles.

/// The neighbourhood of every edge and vertex.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Adjacency {
    /// Edge numbers of each triangle: from corner k to corner (k + 1) mod 3.
    edges: Vec<[u32; 3]>,
    /// Triangles of edge e: `edge_triangles[edge_starts[e]..edge_starts[e + 1]]`.
    edge_starts: Vec<u32>,
    edge_triangles: Vec<u32>,
    /// Triangles of vertex v, likewise.
    vertex_starts: Vec<u32>,
    vertex_triangles: Vec<u32>,
}

impl Adjacency {
    /// The neighbourhoods of a list of triangles. Edges are numbered in the order of their vertices.
    pub fn new(triangles: &[[u32; 3]], n_vertices: usize) -> Adjacency {
        let mut sides: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], triangle as u32, k));
            }
        }
        sides.sort_unstable();
        let mut edges = vec![[0; 3]; triangles.len()];
        let mut edge_starts = Vec::new();
        let mut edge_triangles = Vec::with_capacity(sides.len());
        for (index, (ends, triangle, k)) in sides.iter().enumerate() {
            if index == 0 || sides[index - 1].0 != *ends {
                edge_starts.push(index as u32);
            }
            edges[*triangle as usize][*k] = edge_starts.len() as u32 - 1;
            edge_triangles.push(*triangle);
        }
        edge_starts.push(sides.len() as u32);

        let mut corners: Vec<(u32, u32)> = triangles
            .iter()
            .zip(0..)
            .flat_map(|(corners, triangle)| corners.map(|corner| (corner, triangle)))
            .collect();
        corners.sort_unstable();
        let mut vertex_starts = vec![0; n_vertices + 1];
        for (corner, _) in &corners {
            vertex_starts[*corner as usize + 1] += 1;
        }
        for vertex in 0..n_vertices {
            vertex_starts[vertex + 1] += vertex_starts[vertex];
        }
        let vertex_triangles = corners.into_iter().map(|(_, triangle)| triangle).collect();
        Adjacency { edges, edge_starts, edge_triangles, vertex_starts, vertex_triangles }
    }

    pub fn n_edges(&self) -> usize {
        self.edge_starts.len() - 1
    }

    /// The number of the edge from corner k of a triangle to the next.
    pub fn edge_of(&self, triangle: u32, k: usize) -> u32 {
        self.edges[triangle as usize][k]
    }

    pub fn triangles_at_edge(&self, edge: u32) -> &[u32] {
        let edge = edge as usize;
        &self.edge_triangles[self.edge_starts[edge] as usize..self.edge_starts[edge + 1] as usize]
    }

    pub fn triangles_at_vertex(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.vertex_triangles[self.vertex_starts[vertex] as usize..self.vertex_starts[vertex + 1] as usize]
    }

    /// Whether every edge has two triangles that run through it in opposite directions.
    pub fn is_closed(&self, triangles: &[[u32; 3]]) -> bool {
        let runs_upwards = |triangle: u32, edge: u32| {
            let corners = triangles[triangle as usize];
            self.edges[triangle as usize]
                .iter()
                .position(|&e| e == edge)
                .is_some_and(|k| corners[k] < corners[(k + 1) % 3])
        };
        (0..self.n_edges() as u32).all(|edge| match self.triangles_at_edge(edge) {
            &[a, b] => runs_upwards(a, edge) != runs_upwards(b, edge),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_triangles_on_one_edge() {
        let adjacency = Adjacency::new(&[[0, 1, 2], [1, 0, 3], [4, 0, 1]], 5);
        assert_eq!(adjacency.n_edges(), 7);
        let shared = adjacency.edge_of(0, 0);
        assert_eq!(adjacency.triangles_at_edge(shared), [0, 1, 2]);
        assert_eq!((adjacency.edge_of(1, 0), adjacency.edge_of(2, 1)), (shared, shared));
        assert_eq!(adjacency.triangles_at_vertex(0), [0, 1, 2]);
        assert_eq!(adjacency.triangles_at_vertex(3), [1]);
    }

    #[test]
    fn closed_means_consistently_wound() {
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert!(Adjacency::new(&tetrahedron, 4).is_closed(&tetrahedron));
        let mut turned = tetrahedron;
        turned[0] = [0, 1, 2];
        assert!(!Adjacency::new(&turned, 4).is_closed(&turned));
    }
}
