//! The growing polytope of the depth search: triangles with neighbours, each with its plane's signed distance.
//!
//! A point is added by walking outwards from a face that sees it over all faces that do (the silhouette walk of van den
//! Bergen, 2001), which keeps the visible part connected. The walk changes nothing until the rim it found is known to be
//! one closed loop; otherwise the point is refused and the polytope stays as it was.

use super::body::Vertex;
use crate::tolerance;
use glam::DVec3;

/// More faces than this are never built.
const MAX_FACES: usize = 4000;

#[derive(Clone, Copy)]
struct Face {
    corners: [u32; 3],
    /// The face across the edge from corner k to corner k + 1.
    neighbours: [u32; 3],
    normal: DVec3,
    offset: f64,
    /// In which walk it was last seen.
    stamp: u32,
    alive: bool,
}

pub(super) struct Hull {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// Distance of each face's plane; infinite once the face is gone or need not be looked at.
    keys: Vec<f64>,
    stamp: u32,
    visible: Vec<u32>,
    rim: Vec<(u32, u32)>,
    stack: Vec<(u32, u32)>,
    slack: f64,
    /// A point inside.
    middle: DVec3,
}

impl Hull {
    pub(super) fn new(corners: [Vertex; 4], size: f64, is_curved: bool) -> Hull {
        // The polytopes of polyhedra stay small, and small pieces of memory are faster to get.
        let n_vertices = if is_curved { 48 } else { 12 };
        let mut hull = Hull {
            vertices: Vec::with_capacity(n_vertices),
            faces: Vec::with_capacity(n_vertices * 3 / 2),
            keys: Vec::with_capacity(n_vertices * 2),
            stamp: 0,
            visible: Vec::with_capacity(16),
            rim: Vec::with_capacity(16),
            stack: Vec::with_capacity(16),
            slack: tolerance::POLYTOPE_COPLANAR * size,
            middle: (corners[0].w + corners[1].w + corners[2].w + corners[3].w) / 4.0,
        };
        hull.vertices.extend(corners);
        let w = corners.map(|c| c.w);
        let volume = (w[1] - w[0]).cross(w[2] - w[0]).dot(w[3] - w[0]);
        // Outward faces: corner 3 is below 0 1 2 if the volume is negative.
        let order = if volume < 0.0 { [0, 1, 2, 3] } else { [0, 2, 1, 3] };
        let [a, b, c, d] = order;
        let loops = [[a, b, c], [b, a, d], [c, b, d], [a, c, d]];
        let neighbours = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        for (corners, neighbours) in loops.into_iter().zip(neighbours) {
            hull.add_face(corners, neighbours);
        }
        hull
    }

    fn add_face(&mut self, corners: [u32; 3], neighbours: [u32; 3]) {
        let [p, q, r] = corners.map(|k| self.vertices[k as usize].w);
        let (u, v) = (q - p, r - p);
        let cross = u.cross(v);
        let length = cross.length();
        let longest = u.length_squared().max(v.length_squared());
        let normal = cross / length;
        let offset = (normal.dot(p) + normal.dot(q) + normal.dot(r)) / 3.0;
        let (normal, offset, key) = if length > 1e-12 * longest && normal.dot(self.middle) < offset {
            (normal, offset, offset)
        } else {
            // A sliver has no plane of its own, or one that rounding turned over: it borrows that of the face across its
            // first edge.
            let lender = &self.faces[neighbours[0] as usize];
            (lender.normal, lender.offset, f64::INFINITY)
        };
        self.faces.push(Face { corners, neighbours, normal, offset, stamp: 0, alive: true });
        self.keys.push(key);
    }

    /// The face whose plane is nearest to the origin and its signed distance.
    pub(super) fn nearest(&self) -> Option<(usize, f64)> {
        let mut best = (0, f64::INFINITY);
        for (index, key) in self.keys.iter().enumerate() {
            if *key < best.1 {
                best = (index, *key);
            }
        }
        (best.1 < f64::INFINITY).then_some(best)
    }

    pub(super) fn normal(&self, face: usize) -> DVec3 {
        self.faces[face].normal
    }

    pub(super) fn corners(&self, face: usize) -> [Vertex; 3] {
        self.faces[face].corners.map(|k| self.vertices[k as usize])
    }

    pub(super) fn is_alive(&self, face: usize) -> bool {
        self.faces[face].alive
    }

    /// The corners of the face that the ray from the origin along a direction leaves through.
    pub(super) fn pierced(&self, n: DVec3) -> Option<[Vertex; 3]> {
        let mut best = (f64::NEG_INFINITY, None);
        for face in self.faces.iter().filter(|face| face.alive && face.normal.dot(n) > 0.0) {
            let corners = face.corners.map(|k| self.vertices[k as usize]);
            let [p, q, r] = corners.map(|c| c.w);
            let sides = [n.dot(q.cross(r)), n.dot(r.cross(p)), n.dot(p.cross(q))];
            let sum: f64 = sides.iter().sum();
            let inside = sides.iter().fold(f64::INFINITY, |least, side| least.min(*side)) / sum;
            if sum > 0.0 && inside > best.0 {
                best = (inside, Some(corners));
            }
        }
        best.1
    }

    /// Takes a face out of the search but not out of the polytope.
    pub(super) fn dismiss(&mut self, face: usize) {
        self.keys[face] = f64::INFINITY;
    }

    /// Adds a point if it lies outside.
    pub(super) fn insert_anywhere(&mut self, vertex: Vertex) {
        let mut farthest = (0, self.slack);
        for (index, face) in self.faces.iter().enumerate() {
            if face.alive {
                let height = face.normal.dot(vertex.w) - face.offset;
                if height > farthest.1 {
                    farthest = (index, height);
                }
            }
        }
        if farthest.1 > self.slack {
            self.insert(farthest.0, vertex);
        }
    }

    /// Adds a point that a face sees. False, and nothing changes, if it is a corner of the face or the rim of what it
    /// sees is not one loop.
    pub(super) fn insert(&mut self, start: usize, vertex: Vertex) -> bool {
        if self.faces.len() >= MAX_FACES {
            return false;
        }
        let w = vertex.w;
        if self.faces[start].corners.iter().any(|k| self.vertices[*k as usize].w == w) {
            return false;
        }
        // Rounding of a small face's plane can leave an island in what the point sees. Counting faces as seen that are
        // nearly so joins it.
        let slack = self.slack;
        let rim_closes =
            self.walk(start, w, slack) || self.walk(start, w, -100.0 * slack) || self.walk(start, w, -1e4 * slack);
        if !rim_closes {
            return false;
        }
        let n = self.rim.len();
        let apex = self.vertices.len() as u32;
        self.vertices.push(vertex);
        let first = self.faces.len() as u32;
        for k in 0..n {
            let (face, edge) = self.rim[k];
            let corners = self.faces[face as usize].corners;
            let outer = self.faces[face as usize].neighbours[edge as usize];
            let (from, to) = (corners[edge as usize], corners[(edge as usize + 1) % 3]);
            let (count, k) = (n as u32, k as u32);
            let neighbours = [outer, first + (k + 1) % count, first + (k + count - 1) % count];
            self.add_face([from, to, apex], neighbours);
            let back = &mut self.faces[outer as usize];
            for slot in 0..3 {
                if back.corners[slot] == to && back.corners[(slot + 1) % 3] == from {
                    back.neighbours[slot] = first + k;
                }
            }
        }
        for index in 0..self.visible.len() {
            let face = self.visible[index] as usize;
            self.faces[face].alive = false;
            self.keys[face] = f64::INFINITY;
        }
        true
    }

    /// Finds the faces that see a point and the rim around them. False if the rim is not one loop.
    fn walk(&mut self, start: usize, w: DVec3, slack: f64) -> bool {
        self.stamp += 1;
        let stamp = self.stamp;
        self.visible.clear();
        self.rim.clear();
        self.stack.clear();
        self.faces[start].stamp = stamp;
        self.visible.push(start as u32);
        for edge in [2, 1, 0] {
            self.stack.push((start as u32, edge));
        }
        // Each entry is an edge of a visible face; the face across it is visible too or the edge is on the rim.
        while let Some((face, edge)) = self.stack.pop() {
            let Face { corners, neighbours, .. } = self.faces[face as usize];
            let (other, to) = (neighbours[edge as usize], corners[(edge as usize + 1) % 3]);
            let across = &mut self.faces[other as usize];
            if across.stamp == stamp {
                continue;
            }
            if across.normal.dot(w) - across.offset > slack {
                across.stamp = stamp;
                self.visible.push(other);
                // The neighbour runs through the edge the other way.
                let entry = across.corners.iter().position(|k| *k == to).unwrap_or(0) as u32;
                self.stack.push((other, (entry + 2) % 3));
                self.stack.push((other, (entry + 1) % 3));
            } else {
                self.rim.push((face, edge));
            }
        }
        let n = self.rim.len();
        let ends = |k: usize| {
            let (face, edge) = self.rim[k % n];
            let corners = self.faces[face as usize].corners;
            (corners[edge as usize], corners[(edge as usize + 1) % 3])
        };
        n >= 3 && (0..n).all(|k| ends(k).1 == ends(k + 1).0)
    }
}
