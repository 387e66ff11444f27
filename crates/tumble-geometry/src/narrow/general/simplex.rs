//! The point nearest to the origin of a segment, triangle or tetrahedron, with its weights.
//!
//! Voronoi regions as in Ericson, *Real-Time Collision Detection* (2005), 5.1; the plane of a triangle is met along its
//! own normal, so that a small distance keeps its digits. A tetrahedron tests every face the origin is beyond, and all
//! four when it is nearly flat, so that a wrong sign of its volume cannot lose the nearest one.

use super::body::Vertex;
use glam::DVec3;

/// Up to four points of M.
#[derive(Clone, Copy)]
pub(super) struct Simplex {
    pub(super) vertices: [Vertex; 4],
    /// Weights of the nearest point.
    pub(super) weights: [f64; 4],
    pub(super) len: usize,
}

/// Nearest point of a face: which corners it needs, their weights, the point.
struct Nearest {
    corners: [usize; 3],
    weights: [f64; 3],
    len: usize,
    point: DVec3,
}

impl Simplex {
    pub(super) fn new(first: Vertex) -> Simplex {
        Simplex { vertices: [first; 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    pub(super) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    pub(super) fn push(&mut self, vertex: Vertex) {
        if self.len < 4 {
            self.vertices[self.len] = vertex;
            self.len += 1;
        }
    }

    /// Whether a point of M is one of the corners already.
    pub(super) fn contains(&self, w: DVec3, tolerance: f64) -> bool {
        self.vertices().iter().any(|v| (v.w - w).abs().max_element() <= tolerance)
    }

    /// The weighted points of both bodies.
    pub(super) fn witnesses(&self) -> (DVec3, DVec3) {
        let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, weight) in self.vertices().iter().zip(self.weights) {
            a += vertex.a * weight;
            b += vertex.b * weight;
        }
        (a, b)
    }

    /// Reduces the simplex to the corners that the point nearest to the origin needs and returns that point. `None` if
    /// the origin is inside a tetrahedron, which is then kept whole.
    pub(super) fn reduce(&mut self) -> Option<DVec3> {
        let w = |k: usize| self.vertices[k].w;
        let nearest = match self.len {
            1 => Nearest { corners: [0; 3], weights: [1.0, 0.0, 0.0], len: 1, point: w(0) },
            2 => nearest_on_segment([0, 1], w(0), w(1)),
            3 => nearest_on_triangle([0, 1, 2], w(0), w(1), w(2)),
            _ => {
                let (ab, ac, ad) = (w(1) - w(0), w(2) - w(0), w(3) - w(0));
                let volume = ab.cross(ac).dot(ad);
                let scale = ab.length() * ac.length() * ad.length();
                let flat = volume.abs() <= 1e-13 * scale;
                let mut best: Option<Nearest> = None;
                // The newest corner is the last: the origin is on its side of the face without it, unless all is flat.
                const FACES: [[usize; 3]; 4] = [[0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 2, 1]];
                for [i, j, k] in if flat { &FACES[..] } else { &FACES[..3] }.iter().copied() {
                    // The normal of each face points away from its opposite corner if the volume is positive.
                    let normal = (w(j) - w(i)).cross(w(k) - w(i));
                    let origin = -normal.dot(w(i));
                    if flat || volume * origin >= 0.0 {
                        let candidate = nearest_on_triangle([i, j, k], w(i), w(j), w(k));
                        if best.as_ref().is_none_or(|b| candidate.point.length_squared() < b.point.length_squared()) {
                            best = Some(candidate);
                        }
                    }
                }
                best?
            }
        };
        let Nearest { mut corners, mut weights, len, point } = nearest;
        // In rising order they can move down one after another.
        for (i, j) in [(0, 1), (1, 2), (0, 1)] {
            if j < len && corners[i] > corners[j] {
                corners.swap(i, j);
                weights.swap(i, j);
            }
        }
        for slot in 0..len {
            if corners[slot] != slot {
                self.vertices[slot] = self.vertices[corners[slot]];
            }
            self.weights[slot] = weights[slot];
        }
        self.len = len;
        Some(point)
    }
}

fn corner(index: usize, point: DVec3) -> Nearest {
    Nearest { corners: [index, 0, 0], weights: [1.0, 0.0, 0.0], len: 1, point }
}

fn edge(i: usize, j: usize, a: DVec3, b: DVec3, t: f64) -> Nearest {
    Nearest { corners: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2, point: a + (b - a) * t }
}

fn nearest_on_segment([i, j]: [usize; 2], a: DVec3, b: DVec3) -> Nearest {
    let ab = b - a;
    let along = -a.dot(ab);
    let square = ab.length_squared();
    if along <= 0.0 {
        corner(i, a)
    } else if along >= square {
        corner(j, b)
    } else {
        edge(i, j, a, b, along / square)
    }
}

fn nearest_on_triangle([i, j, k]: [usize; 3], a: DVec3, b: DVec3, c: DVec3) -> Nearest {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let square = normal.length_squared();
    if square > 1e-28 * ab.length_squared() * ac.length_squared() {
        let (d1, d2) = (-ab.dot(a), -ac.dot(a));
        if d1 <= 0.0 && d2 <= 0.0 {
            return corner(i, a);
        }
        let (d3, d4) = (-ab.dot(b), -ac.dot(b));
        if d3 >= 0.0 && d4 <= d3 {
            return corner(j, b);
        }
        let (d5, d6) = (-ab.dot(c), -ac.dot(c));
        if d6 >= 0.0 && d5 <= d6 {
            return corner(k, c);
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return edge(i, j, a, b, d1 / (d1 - d3));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return edge(i, k, a, c, d2 / (d2 - d6));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return edge(j, k, b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let sum = va + vb + vc;
        let (v, u) = (vb / sum, vc / sum);
        return Nearest {
            corners: [i, j, k],
            weights: [1.0 - u - v, v, u],
            len: 3,
            point: normal * (a.dot(normal) / square),
        };
    }
    // A sliver: its edges say all there is.
    let candidates =
        [nearest_on_segment([i, j], a, b), nearest_on_segment([j, k], b, c), nearest_on_segment([i, k], a, c)];
    let [mut best, second, third] = candidates;
    for other in [second, third] {
        if other.point.length_squared() < best.point.length_squared() {
            best = other;
        }
    }
    best
}
