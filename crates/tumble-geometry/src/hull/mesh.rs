//! The hull of a triangle mesh, and how much volume it adds.

use crate::{GeometryError, Polyhedron};
use glam::DVec3;

/// What taking the hull of a mesh did to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullReport {
    /// Volume enclosed by the mesh [m^3]; without meaning unless the mesh is closed.
    pub mesh_volume: f64,
    /// Volume of the hull [m^3].
    pub hull_volume: f64,
    /// Whether every edge of the mesh is shared by two triangles that run along it in opposite ways. Vertices with equal
    /// coordinates are one.
    pub is_closed: bool,
    /// How many different vertices the mesh has.
    pub n_mesh_vertices: usize,
    /// How many of them are vertices of the hull.
    pub n_hull_vertices: usize,
}

impl HullReport {
    /// The volume that the hull added, over that of the mesh [1]; `None` if the mesh is not closed and has no volume.
    pub fn added_volume(&self) -> Option<f64> {
        (self.is_closed && self.mesh_volume > 0.0).then(|| self.hull_volume / self.mesh_volume - 1.0)
    }
}

/// The convex hull of a triangle mesh, and what it did to the mesh. Triangles may be listed with equal vertices
/// repeated; the volume does not depend on whether they run clockwise or counter-clockwise as long as all do the same.
pub fn hull_of_mesh(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(Polyhedron, HullReport), GeometryError> {
    if triangles.is_empty() {
        return Err(GeometryError::MeshEmpty);
    }
    for (index, triangle) in triangles.iter().enumerate() {
        if let Some(&vertex) = triangle.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(GeometryError::MeshVertexMissing { triangle: index, vertex, n_vertices: vertices.len() });
        }
    }
    let mut used: Vec<DVec3> = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
    // Adding zero makes -0 and 0 one number in the order of bits.
    let key = |p: &DVec3| (*p + DVec3::ZERO).to_array();
    let order = |p: &DVec3, q: &DVec3| {
        let (p, q) = (key(p), key(q));
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
    };
    used.sort_by(order);
    used.dedup_by(|p, q| order(p, q).is_eq());
    let hull = Polyhedron::from_points(&used)?;
    let welded: Vec<[usize; 3]> = triangles
        .iter()
        .map(|t| t.map(|v| used.binary_search_by(|p| order(p, &vertices[v as usize])).unwrap_or(0)))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    // Signed tetrahedra from a point near the mesh, so that nothing cancels.
    let base = used[0];
    let mesh_volume: f64 = welded
        .iter()
        .map(|&[a, b, c]| (used[a] - base).dot((used[b] - base).cross(used[c] - base)) / 6.0)
        .sum::<f64>()
        .abs();
    let report = HullReport {
        mesh_volume,
        hull_volume: hull.mass_properties().volume,
        is_closed: is_closed(&welded),
        n_mesh_vertices: used.len(),
        n_hull_vertices: hull.vertices().len(),
    };
    Ok((hull, report))
}

fn is_closed(triangles: &[[usize; 3]]) -> bool {
    let mut there: Vec<[usize; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let mut back: Vec<[usize; 2]> = there.iter().map(|&[from, to]| [to, from]).collect();
    there.sort_unstable();
    back.sort_unstable();
    !there.is_empty() && there == back
}
