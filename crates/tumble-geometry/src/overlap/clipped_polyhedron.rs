//! A convex polyhedron cut by planes, one after the other, with the owner of each face kept.
//!
//! Every vertex is inside or outside a plane, nothing between, and every cut edge gets one new vertex that both of its
//! faces share. In each face the walk leaves the kept side at one cut and returns at the next; read backwards, these
//! steps join the cuts of all faces into closed loops, the caps. So the surface stays closed whatever rounding does to
//! the signs: faces that lie in the plane, edges of length zero and slivers need no case of their own, they only give
//! faces without area. A vertex within [`crate::tolerance::ON_PLANE`] of the size above a plane counts as inside: a face
//! of b that lies in a face of a is not cut, and the area is counted once, as a's.
//!
//! Integrals are sums over tetrahedra from a vertex of the region (Gauss's theorem, exact for polynomials). With
//! vertices good to 1e-16 of the size, a region of thickness t has its volume to about 1e-16 size / t of itself.
//!
//! Valid for convex bodies. Nothing is allocated once the lists have grown.

use super::OverlapRegion;
use crate::Polyhedron;
use glam::DVec3;

/// Which body a part of the region's surface belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    A,
    B,
}

#[derive(Clone, Copy, Debug)]
struct FaceRange {
    start: u32,
    end: u32,
    owner: Owner,
}

/// A cut edge: its ends in the old numbering, lower first, and the new vertex on it.
#[derive(Clone, Copy, Debug)]
struct Cut {
    ends: [u32; 2],
    vertex: u32,
}

const NONE: u32 = u32::MAX;

/// A convex polyhedron that is being cut.
#[derive(Clone, Debug, Default)]
pub(super) struct ClippedPolyhedron {
    vertices: Vec<DVec3>,
    corners: Vec<u32>,
    faces: Vec<FaceRange>,
    next_vertices: Vec<DVec3>,
    next_corners: Vec<u32>,
    next_faces: Vec<FaceRange>,
    heights: Vec<f64>,
    renumbered: Vec<u32>,
    cuts: Vec<Cut>,
    /// For each cut, the cut after it around the cap.
    successors: Vec<u32>,
    /// Of the polyhedron that one begins with: for each vertex whether it has been seen, or its number; vertices still to be
    /// looked at; for each face whether it has been seen; those that were.
    numbers: Vec<u32>,
    inside: Vec<u32>,
    is_seen: Vec<bool>,
    near_faces: Vec<u32>,
}

/// Marks a vertex that has been seen and has no number yet.
const SEEN: u32 = NONE - 1;

impl ClippedPolyhedron {
    /// Begins with all faces of a polyhedron that a cut at `normal . x <= offset` (in the polyhedron's own frame) leaves something of,
    /// their vertices taken somewhere by `place`. That cut must come next: it closes the surface. The vertices on its inner side hang
    /// together by edges, so that only those and their faces are looked at.
    pub fn start_inside(
        &mut self,
        polyhedron: &Polyhedron,
        owner: Owner,
        (normal, offset): (DVec3, f64),
        tolerance: f64,
        place: impl Fn(DVec3) -> DVec3,
    ) {
        let (vertices, faces, web) = (polyhedron.vertices(), polyhedron.faces(), polyhedron.web());
        self.vertices.clear();
        self.corners.clear();
        self.faces.clear();
        self.near_faces.clear();
        self.inside.clear();
        let is_inside = |vertex: u32| normal.dot(vertices[vertex as usize]) - offset <= tolerance;
        let lowest = polyhedron.support_vertex(-normal) as u32;
        if !is_inside(lowest) {
            return;
        }
        self.numbers.clear();
        self.numbers.resize(vertices.len(), NONE);
        self.is_seen.clear();
        self.is_seen.resize(faces.len(), false);
        self.numbers[lowest as usize] = SEEN;
        self.inside.push(lowest);
        let mut next = 0;
        while let Some(&vertex) = self.inside.get(next) {
            next += 1;
            for spoke in web.spokes(vertex) {
                let rib = &web.ribs[spoke.edge as usize];
                for face in rib.faces {
                    if !std::mem::replace(&mut self.is_seen[face as usize], true) {
                        self.near_faces.push(face);
                    }
                }
                let other = if rib.ends[0] == vertex { rib.ends[1] } else { rib.ends[0] };
                if self.numbers[other as usize] == NONE && is_inside(other) {
                    self.numbers[other as usize] = SEEN;
                    self.inside.push(other);
                }
            }
        }
        // In the polyhedron's own order: where the walk began does not matter.
        self.near_faces.sort_unstable();
        for &face in &self.near_faces {
            let start = self.corners.len() as u32;
            for &vertex in &faces[face as usize].vertices {
                let number = &mut self.numbers[vertex as usize];
                if *number >= SEEN {
                    *number = self.vertices.len() as u32;
                    self.vertices.push(place(vertices[vertex as usize]));
                }
                self.corners.push(*number);
            }
            self.faces.push(FaceRange { start, end: self.corners.len() as u32, owner });
        }
    }

    /// What is left: its vertices. A cut keeps their order and adds new ones behind.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// How many of the first `n` vertices before the last cut it has kept.
    pub fn n_kept_of(&self, n: usize) -> usize {
        self.renumbered.iter().take(n).filter(|&&number| number != NONE).count()
    }

    /// Keeps what lies at `normal . x <= offset`. The new face gets the owner. Vertices up to `tolerance` above count as
    /// inside.
    pub fn cut(&mut self, normal: DVec3, offset: f64, tolerance: f64, owner: Owner) {
        self.heights.clear();
        let mut highest = f64::NEG_INFINITY;
        let mut lowest = f64::INFINITY;
        for v in &self.vertices {
            let height = normal.dot(*v) - offset;
            highest = highest.max(height);
            lowest = lowest.min(height);
            self.heights.push(height);
        }
        if highest <= tolerance {
            return;
        }
        if lowest > tolerance {
            self.renumbered.clear();
            self.vertices.clear();
            self.corners.clear();
            self.faces.clear();
            return;
        }
        self.next_vertices.clear();
        self.next_corners.clear();
        self.next_faces.clear();
        self.cuts.clear();
        self.successors.clear();
        self.renumbered.clear();
        for (v, &height) in self.vertices.iter().zip(&self.heights) {
            if height <= tolerance {
                self.renumbered.push(self.next_vertices.len() as u32);
                self.next_vertices.push(*v);
            } else {
                self.renumbered.push(NONE);
            }
        }
        for index in 0..self.faces.len() {
            self.cut_face(self.faces[index]);
        }
        self.close(owner);
        std::mem::swap(&mut self.vertices, &mut self.next_vertices);
        std::mem::swap(&mut self.corners, &mut self.next_corners);
        std::mem::swap(&mut self.faces, &mut self.next_faces);
    }

    fn cut_face(&mut self, face: FaceRange) {
        let start = self.next_corners.len();
        let (from, to) = (face.start as usize, face.end as usize);
        let mut last_exit = NONE;
        let mut first_entry = NONE;
        let mut previous = self.corners[to - 1];
        for place in from..to {
            let current = self.corners[place];
            let (was_inside, is_inside) =
                (self.renumbered[previous as usize] != NONE, self.renumbered[current as usize] != NONE);
            if was_inside != is_inside {
                let cut = self.cut_edge(previous, current);
                self.next_corners.push(self.cuts[cut as usize].vertex);
                if was_inside {
                    last_exit = cut;
                } else if last_exit == NONE {
                    first_entry = cut;
                } else {
                    self.successors[cut as usize] = last_exit;
                    last_exit = NONE;
                }
            }
            if is_inside {
                self.next_corners.push(self.renumbered[current as usize]);
            }
            previous = current;
        }
        if first_entry != NONE {
            self.successors[first_entry as usize] = last_exit;
        }
        let end = self.next_corners.len();
        if end - start >= 3 {
            self.next_faces.push(FaceRange { start: start as u32, end: end as u32, owner: face.owner });
        } else {
            self.next_corners.truncate(start);
        }
    }

    /// The cut of the edge between two old vertices, made when it is met first.
    fn cut_edge(&mut self, v: u32, w: u32) -> u32 {
        let ends = [v.min(w), v.max(w)];
        if let Some(place) = self.cuts.iter().rposition(|cut| cut.ends == ends) {
            return place as u32;
        }
        let [p, q] = ends.map(|end| self.vertices[end as usize]);
        let [hp, hq] = ends.map(|end| self.heights[end as usize]);
        let share = (hp / (hp - hq)).clamp(0.0, 1.0);
        self.cuts.push(Cut { ends, vertex: self.next_vertices.len() as u32 });
        self.successors.push(NONE);
        self.next_vertices.push(p + (q - p) * share);
        self.cuts.len() as u32 - 1
    }

    /// Joins the cuts to caps.
    fn close(&mut self, owner: Owner) {
        for first in 0..self.cuts.len() {
            let start = self.next_corners.len();
            let mut cut = first as u32;
            // Each cut is left behind without a successor, so every loop ends.
            while let Some(&next) = self.successors.get(cut as usize) {
                if next == NONE {
                    break;
                }
                self.next_corners.push(self.cuts[cut as usize].vertex);
                self.successors[cut as usize] = NONE;
                cut = next;
            }
            if self.next_corners.len() - start >= 3 {
                let end = self.next_corners.len() as u32;
                self.next_faces.push(FaceRange { start: start as u32, end, owner });
            } else {
                self.next_corners.truncate(start);
            }
        }
    }

    /// Volume, centroid, areas and moments of what is left; `None` when it has no volume.
    pub fn region(&self) -> Option<OverlapRegion> {
        let origin = *self.vertices.first()?;
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        let (mut surface_area, mut vector_area, mut first_moment) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for face in &self.faces {
            let corners = &self.corners[face.start as usize..face.end as usize];
            let corner = |k: usize| self.vertices[corners[k] as usize] - origin;
            let p = corner(0);
            let mut q = corner(1);
            let mut face_area = DVec3::ZERO;
            for k in 2..corners.len() {
                let r = corner(k);
                // Twice the area of the triangle, six times the volume of the tetrahedron.
                let area = (q - p).cross(r - p);
                let tetrahedron = p.dot(area);
                let sum = p + q + r;
                volume += tetrahedron;
                moment += tetrahedron * sum;
                face_area += area;
                if face.owner == Owner::A {
                    first_moment += sum.cross(area);
                }
                q = r;
            }
            surface_area += face_area.length();
            if face.owner == Owner::A {
                vector_area += face_area;
            }
        }
        if volume.is_nan() || volume <= 0.0 {
            return None;
        }
        let vector_area = 0.5 * vector_area;
        Some(OverlapRegion {
            volume: volume / 6.0,
            centroid: origin + moment / (4.0 * volume),
            surface_area: 0.5 * surface_area,
            vector_area,
            first_moment: first_moment / 6.0 + origin.cross(vector_area),
        })
    }
}
