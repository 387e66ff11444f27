//! Triangle meshes.

mod adjacency;
mod corners;
mod images;
mod tree;

use crate::narrow::{NearestOnTriangle, TriangleFeature, nearest_on_triangle};
use crate::ray::{common, slab};
use crate::{Aabb, GeometryError, Pose, tolerance};
use adjacency::Adjacency;
use corners::{Corner, corners_of};
use glam::DVec3;
use images::Images;
use tree::Tree;

/// Triangles with shared corners: a thin shell that grains meet from either side. It need not be closed, and the
/// winding of the triangles does not matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Corners [m], each place once.
    vertices: Vec<DVec3>,
    /// Three corner numbers each.
    triangles: Vec<[u32; 3]>,
    /// Unit normals of the triangles, by the right-hand rule.
    normals: Vec<DVec3>,
    /// Which triangles share which edges and vertices.
    adjacency: Adjacency,
    /// Boxes around groups of triangles.
    tree: Tree,
    /// Largest coordinate [m]: what rounding errors are measured in.
    length_scale: f64,
    /// What is around every vertex.
    kinds: Box<[Corner]>,
    /// What is known besides if some of it is images of the rest.
    images: Option<Box<Images>>,
}

impl Mesh {
    /// A mesh from its vertices [m] and the three vertex numbers of each triangle. Vertices at exactly the same place
    /// are made one, so that triangles listed with corners of their own (an STL file) know their neighbours; triangles
    /// keep their numbers.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Mesh, GeometryError> {
        if triangles.is_empty() {
            return Err(GeometryError::MeshEmpty);
        }
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            let DVec3 { x, y, z } = vertices[vertex];
            return Err(GeometryError::MeshVertexNotFinite { vertex, x, y, z });
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&corner| corner as usize >= vertices.len()) {
                return Err(GeometryError::MeshVertexMissing { triangle, vertex, n_vertices: vertices.len() });
            }
        }
        // A triangle has at most three edges of its own and there are at most as many vertices as corners.
        if triangles.len() > u32::MAX as usize / 7 {
            let (n_triangles, n_vertices) = (triangles.len(), vertices.len());
            return Err(GeometryError::MeshTooLarge { n_triangles, n_vertices });
        }
        let (vertices, triangles) = weld(&vertices, &triangles);
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| vertices[corner as usize]);
        let mut normals = Vec::with_capacity(triangles.len());
        for (index, triangle) in triangles.iter().enumerate() {
            match unit_normal(corners(triangle)) {
                Some(normal) => normals.push(normal),
                None => return Err(GeometryError::MeshTriangleDegenerate { triangle: index }),
            }
        }
        let boxes: Vec<Aabb> = triangles.iter().map(|triangle| Aabb::of_points(corners(triangle))).collect();
        let adjacency = Adjacency::new(&triangles, vertices.len());
        let length_scale = vertices.iter().fold(0.0_f64, |largest, v| largest.max(v.abs().max_element()));
        let kinds = corners_of(&vertices, &triangles, &normals, &adjacency).into_boxed_slice();
        Ok(Mesh { tree: Tree::new(&boxes), adjacency, normals, vertices, triangles, length_scale, kinds, images: None })
    }

    /// Corners [m], each place once, those that no triangle uses left out.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Three corner numbers each, in the order in which the triangles were given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// How many edges there are; an edge that several triangles share is one.
    pub fn n_edges(&self) -> usize {
        self.adjacency.n_edges()
    }

    /// The places of a triangle's corners [m].
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|corner| self.vertices[corner as usize])
    }

    /// Unit normal of a triangle, by the right-hand rule.
    pub fn normal(&self, triangle: u32) -> DVec3 {
        self.normals[triangle as usize]
    }

    /// Area of one side of all triangles [m^2].
    pub fn area(&self) -> f64 {
        (0..self.triangles.len() as u32)
            .map(|triangle| {
                let [a, b, c] = self.corners(triangle);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum()
    }

    /// Whether the triangles close a body: every edge has two triangles that run through it in opposite directions.
    pub fn is_closed(&self) -> bool {
        self.adjacency.is_closed(&self.triangles)
    }

    /// Volume enclosed by a closed mesh [m^3], positive when the normals point outwards; `None` for an open one.
    pub fn enclosed_volume(&self) -> Option<f64> {
        // Taken about a vertex, so that a body far from the origin loses no digits.
        let origin = self.vertices[0];
        self.is_closed().then(|| {
            (0..self.triangles.len() as u32)
                .map(|triangle| {
                    let [a, b, c] = self.corners(triangle).map(|corner| corner - origin);
                    a.dot(b.cross(c)) / 6.0
                })
                .sum()
        })
    }

    /// Bounds in a pose.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        Aabb::of_points(self.vertices.iter().map(|&vertex| pose.transform_point(vertex)))
    }

    /// Appends the numbers of all triangles whose boxes meet a box in the mesh's frame (touching counts).
    pub fn triangles_near(&self, bounds: &Aabb, out: &mut Vec<u32>) {
        self.tree.visit(|candidate| candidate.overlaps(bounds), |triangle| out.push(triangle));
    }

    /// Calls `found` with every triangle whose box a whole line meets.
    pub(crate) fn visit_along(&self, origin: DVec3, direction: DVec3, found: impl FnMut(u32)) {
        // Rounding must not lose a line that runs within a flat box.
        let margin = tolerance::ROUNDING * self.length_scale;
        let met = |bounds: &Aabb| {
            let bounds = bounds.grown(margin);
            let along = |axis: usize| slab(origin[axis], direction[axis], bounds.lower[axis], bounds.upper[axis]);
            let (Some(x), Some(y), Some(z)) = (along(0), along(1), along(2)) else { return false };
            common(x, y).and_then(|both| common(both, z)).is_some()
        };
        self.tree.visit(met, found);
    }

    /// Calls `found` with every triangle whose box comes within `reach` of a point.
    pub(crate) fn visit_within(&self, point: DVec3, reach: f64, found: impl FnMut(u32)) {
        let reach_squared = reach * reach;
        let near = |candidate: &Aabb| {
            let outside = (candidate.lower - point).max(point - candidate.upper).max(DVec3::ZERO);
            outside.length_squared() <= reach_squared
        };
        if reach >= 0.0 {
            self.tree.visit(near, found);
        }
    }

    /// The point of a triangle nearest to a point, with the stable number of the feature it lies on: triangles first,
    /// then edges, then vertices.
    pub(crate) fn nearest(&self, triangle: u32, point: DVec3) -> (u32, NearestOnTriangle) {
        let nearest = nearest_on_triangle(self.corners(triangle), self.normals[triangle as usize], point);
        let feature = match nearest.feature {
            TriangleFeature::Face => triangle,
            TriangleFeature::Edge(k) => self.edge_feature(triangle, k),
            TriangleFeature::Vertex(k) => self.vertex_feature(triangle, k),
        };
        (feature, nearest)
    }

    /// The feature number of a triangle's edge from corner k to the next.
    pub(crate) fn edge_feature(&self, triangle: u32, k: usize) -> u32 {
        self.triangles.len() as u32 + self.adjacency.edge_of(triangle, k)
    }

    /// The feature number of a triangle's corner k.
    pub(crate) fn vertex_feature(&self, triangle: u32, k: usize) -> u32 {
        (self.triangles.len() + self.adjacency.n_edges()) as u32 + self.triangles[triangle as usize][k]
    }

    /// How many feature numbers there are.
    pub(crate) fn n_features(&self) -> u32 {
        (self.triangles.len() + self.adjacency.n_edges() + self.vertices.len()) as u32
    }

    /// Whether a triangle's corner k is sharp: a body can touch it and nothing else.
    pub(crate) fn is_sharp(&self, triangle: u32, k: usize) -> bool {
        self.kinds[self.triangles[triangle as usize][k] as usize] == Corner::Sharp
    }

    /// Whether a triangle is in the middle of flat ground: all that shares a corner with it is in its plane, and goes on there.
    pub(crate) fn is_flat(&self, triangle: u32) -> bool {
        self.triangles[triangle as usize].iter().all(|&corner| self.kinds[corner as usize] == Corner::Flat)
    }

    /// The triangles that share a feature.
    pub(crate) fn triangles_at(&self, feature: u32) -> &[u32] {
        let n_triangles = self.triangles.len() as u32;
        let n_edges = self.adjacency.n_edges() as u32;
        if feature < n_triangles {
            &[]
        } else if feature < n_triangles + n_edges {
            self.adjacency.triangles_at_edge(feature - n_triangles)
        } else {
            self.adjacency.triangles_at_vertex(feature - n_triangles - n_edges)
        }
    }

    /// Whether two features have a corner in common.
    pub(crate) fn have_common_corner(&self, a: u32, b: u32) -> bool {
        let is_common = |corner: &u32| self.corners_of(b).any(|other| other == *corner);
        self.corners_of(a).any(|corner| is_common(&corner))
    }

    /// The numbers of a feature's corners.
    pub(crate) fn corners_of(&self, feature: u32) -> impl Iterator<Item = u32> {
        let all: [Option<u32>; 3] = if self.is_face(feature) {
            self.triangles[feature as usize].map(Some)
        } else {
            let around = self.triangles_at(feature);
            let first = around.first().copied();
            let named = |k: usize| {
                let triangle = first?;
                let corner = self.triangles[triangle as usize][k];
                let before = self.edge_feature(triangle, (k + 2) % 3);
                let is_its_own =
                    [self.edge_feature(triangle, k), before, self.vertex_feature(triangle, k)].contains(&feature);
                is_its_own.then_some(corner)
            };
            [0, 1, 2].map(named)
        };
        all.into_iter().flatten()
    }

    /// Whether a feature number stands for a face.
    pub fn is_face(&self, feature: u32) -> bool {
        (feature as usize) < self.triangles.len()
    }

    /// Whether it stands among images of itself.
    pub(crate) fn has_images(&self) -> bool {
        self.images.is_some()
    }

    /// Largest coordinate [m].
    pub(crate) fn length_scale(&self) -> f64 {
        self.length_scale
    }
}

/// Unit normal by the right-hand rule; `None` for a triangle without area.
fn unit_normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    // Scaled, so that the squares of very small or large triangles neither vanish nor overflow.
    let longest = ab.length().max(bc.length()).max(ca.length());
    let twice_area = (ab / longest).cross(-ca / longest);
    // The height over the longest edge, as a fraction of it.
    let height = twice_area.length();
    (height > tolerance::DEGENERATE_TRIANGLE).then(|| twice_area / height)
}

/// Makes vertices at the same place one and drops those that no triangle uses. The survivors keep the order in which
/// they first appear.
fn weld(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    // Adding zero turns -0 into +0, so that both are the same place for total_cmp too.
    let place = |vertex: u32| vertices[vertex as usize] + DVec3::ZERO;
    let order = |a: &u32, b: &u32| {
        let (p, q) = (place(*a), place(*b));
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)).then(a.cmp(b))
    };
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable_by(order);
    used.dedup();
    let mut representative: Vec<u32> = vec![0; vertices.len()];
    let mut first = used[0];
    for &vertex in &used {
        if place(vertex) != place(first) {
            first = vertex;
        }
        representative[vertex as usize] = first;
    }
    let mut survivors: Vec<u32> = used.iter().copied().filter(|&v| representative[v as usize] == v).collect();
    survivors.sort_unstable();
    let mut number: Vec<u32> = vec![0; vertices.len()];
    for (new, &old) in survivors.iter().enumerate() {
        number[old as usize] = new as u32;
    }
    let welded = triangles.iter().map(|t| t.map(|corner| number[representative[corner as usize] as usize]));
    (survivors.iter().map(|&vertex| place(vertex)).collect(), welded.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{self, Sequence};
    use glam::DQuat;

    #[test]
    fn impossible_meshes_are_refused_with_their_place() {
        use GeometryError::*;
        let square = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
        let refused =
            |vertices: &Vec<DVec3>, triangles: Vec<[u32; 3]>| Mesh::new(vertices.clone(), triangles).unwrap_err();
        assert_eq!(refused(&square, vec![]), MeshEmpty);
        assert_eq!(
            refused(&square, vec![[0, 1, 2], [0, 2, 4]]),
            MeshVertexMissing { triangle: 1, vertex: 4, n_vertices: 4 }
        );
        assert_eq!(refused(&square, vec![[0, 1, 2], [0, 2, 2]]), MeshTriangleDegenerate { triangle: 1 });
        let mut line = square.clone();
        line[2] = DVec3::X * 2.0;
        assert_eq!(refused(&line, vec![[0, 1, 3], [0, 3, 2], [0, 1, 2]]), MeshTriangleDegenerate { triangle: 2 });
        let mut repeated = square.clone();
        repeated[3] = repeated[0];
        assert_eq!(refused(&repeated, vec![[0, 1, 2], [0, 2, 3]]), MeshTriangleDegenerate { triangle: 1 });
        let mut broken = square.clone();
        broken[1].y = f64::NAN;
        assert!(matches!(refused(&broken, vec![[0, 1, 2]]), MeshVertexNotFinite { vertex: 1, .. }));
    }

    #[test]
    fn degeneracy_does_not_depend_on_the_unit() {
        for scale in [1e-150, 1e-9, 1.0, 1e9, 1e150] {
            let thin = |height: f64| {
                Mesh::new(
                    [DVec3::ZERO, DVec3::X, DVec3::new(0.5, height, 0.0)].map(|v| v * scale).to_vec(),
                    vec![[0, 1, 2]],
                )
            };
            assert!(thin(1e-8).is_ok(), "{scale}");
            assert!(thin(1e-12).is_err(), "{scale}");
        }
    }

    #[test]
    fn triangles_listed_with_corners_of_their_own_are_joined() {
        let (vertices, triangles) = oracle::cube_triangles(0.5);
        let mut soup: Vec<DVec3> = triangles.iter().flatten().map(|&corner| vertices[corner as usize]).collect();
        // A zero of either sign is the same place.
        soup.push(DVec3::new(0.0, -0.0, 9.0));
        soup.push(DVec3::new(-0.0, 0.0, 9.0));
        let mut soup_triangles: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = Mesh::new(soup.clone(), soup_triangles.clone()).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.n_edges(), mesh.triangles().len()), (8, 18, 12));
        assert!(mesh.is_closed());
        soup_triangles.push([36, 0, 1]);
        soup_triangles.push([37, 1, 0]);
        assert_eq!(Mesh::new(soup, soup_triangles).unwrap().vertices().len(), 9);
    }

    #[test]
    fn measures_of_a_cube() {
        let (vertices, triangles) = oracle::cube_triangles(1.5);
        let shifted = vertices.iter().map(|v| *v + DVec3::new(100.0, -50.0, 20.0)).collect();
        let mesh = Mesh::new(shifted, triangles.clone()).unwrap();
        assert!((mesh.area() - 6.0 * 9.0).abs() < 1e-12);
        assert!((mesh.enclosed_volume().unwrap() - 27.0).abs() < 1e-12);
        let open = Mesh::new(vertices, triangles[..11].to_vec()).unwrap();
        assert_eq!(open.enclosed_volume(), None);
        let pose = Pose::new(DVec3::Z, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4));
        let bounds = open.bounds(&pose);
        assert!((bounds.upper - DVec3::new(1.5 * 2f64.sqrt(), 1.5 * 2f64.sqrt(), 2.5)).length() < 1e-14);
    }

    #[test]
    fn the_tree_finds_the_same_triangles_as_looking_at_all() {
        let mut random = Sequence::new(11);
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for t in 0..700 {
            let centre = random.point_in_cube(1.0);
            vertices.extend((0..3).map(|_| centre + random.point_in_cube(0.1)));
            triangles.push([3 * t, 3 * t + 1, 3 * t + 2]);
        }
        let mesh = Mesh::new(vertices, triangles).unwrap();
        let mut n_found = 0;
        for _ in 0..300 {
            let bounds = Aabb::of_ball(random.point_in_cube(1.2), random.between(0.0, 0.4));
            let mut found = Vec::new();
            mesh.triangles_near(&bounds, &mut found);
            found.sort_unstable();
            let expected: Vec<u32> = (0..700).filter(|&t| Aabb::of_points(mesh.corners(t)).overlaps(&bounds)).collect();
            n_found += found.len();
            assert_eq!(found, expected);
        }
        assert!(n_found > 1000);
    }
}
