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

/// A cut edge: its ends, lower first, and the new vertex on it.
#[derive(Clone, Copy, Debug)]
struct Cut {
    ends: [u32; 2],
    vertex: u32,
}

const NONE: u32 = u32::MAX;

/// Where a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// On the inner side of all planes so far.
    Inside,
    /// Beyond the plane that is being cut with.
    Beyond,
    /// Cut away.
    Gone,
}

/// A mark on a vertex or a face of the polyhedron that one begins with, of the run that it says: marks of earlier ones are none.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    run: u32,
    value: u32,
}

/// A convex polyhedron that is being cut. What is cut away stays in the lists of vertices and corners, where no face names it any
/// more, so that a cut rewrites the faces that it meets and no others.
#[derive(Clone, Debug, Default)]
pub(super) struct ClippedPolyhedron {
    vertices: Vec<DVec3>,
    sides: Vec<Side>,
    corners: Vec<u32>,
    faces: Vec<FaceRange>,
    heights: Vec<f64>,
    cuts: Vec<Cut>,
    /// For each cut, the cut after it around the cap.
    successors: Vec<u32>,
    /// Of the polyhedron that one begins with: the number of this beginning; for each vertex whether it has been seen, or its number;
    /// vertices still to be looked at; for each face whether it has been seen; those that were.
    run: u32,
    numbers: Vec<Mark>,
    inside: Vec<u32>,
    faces_seen: Vec<Mark>,
    near_faces: Vec<u32>,
}

/// Marks a vertex that has been seen and has no number yet.
const SEEN: u32 = NONE - 1;

impl ClippedPolyhedron {
    fn clear(&mut self) {
        self.vertices.clear();
        self.sides.clear();
        self.corners.clear();
        self.faces.clear();
    }

    /// Makes all marks those of an earlier run, with room for a polyhedron.
    fn begin_run(&mut self, n_vertices: usize, n_faces: usize) {
        if self.run == u32::MAX {
            self.numbers.clear();
            self.faces_seen.clear();
            self.run = 0;
        }
        self.run += 1;
        self.numbers.resize(n_vertices.max(self.numbers.len()), Mark::default());
        self.faces_seen.resize(n_faces.max(self.faces_seen.len()), Mark::default());
    }

    /// Marks a vertex or a face as seen; whether it was not.
    fn is_new(marks: &mut [Mark], run: u32, place: u32) -> bool {
        let mark = &mut marks[place as usize];
        let is_new = mark.run != run;
        if is_new {
            *mark = Mark { run, value: SEEN };
        }
        is_new
    }

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
        self.clear();
        self.near_faces.clear();
        self.inside.clear();
        let is_inside = |vertex: u32| normal.dot(vertices[vertex as usize]) - offset <= tolerance;
        let lowest = polyhedron.support_vertex(-normal) as u32;
        if !is_inside(lowest) {
            return;
        }
        self.begin_run(vertices.len(), faces.len());
        let run = self.run;
        ClippedPolyhedron::is_new(&mut self.numbers, run, lowest);
        self.inside.push(lowest);
        let mut next = 0;
        while let Some(&vertex) = self.inside.get(next) {
            next += 1;
            for spoke in web.spokes(vertex) {
                let rib = &web.ribs[spoke.edge as usize];
                for face in rib.faces {
                    if ClippedPolyhedron::is_new(&mut self.faces_seen, run, face) {
                        self.near_faces.push(face);
                    }
                }
                let other = if rib.ends[0] == vertex { rib.ends[1] } else { rib.ends[0] };
                if self.numbers[other as usize].run != run && is_inside(other) {
                    ClippedPolyhedron::is_new(&mut self.numbers, run, other);
                    self.inside.push(other);
                }
            }
        }
        // In the polyhedron's own order: where the walk began does not matter.
        self.near_faces.sort_unstable();
        for &face in &self.near_faces {
            let start = self.corners.len() as u32;
            for &vertex in &faces[face as usize].vertices {
                let mark = &mut self.numbers[vertex as usize];
                if mark.run != run || mark.value == SEEN {
                    *mark = Mark { run, value: self.vertices.len() as u32 };
                    self.vertices.push(place(vertices[vertex as usize]));
                }
                self.corners.push(mark.value);
            }
            self.faces.push(FaceRange { start, end: self.corners.len() as u32, owner });
        }
        self.sides.resize(self.vertices.len(), Side::Inside);
    }

    /// The first vertex from a place on that has not been cut away, and the place after it. A cut adds new ones behind.
    pub fn vertex_from(&self, place: usize) -> Option<(DVec3, usize)> {
        let next = place + self.sides.get(place..)?.iter().position(|side| *side != Side::Gone)?;
        Some((self.vertices[next], next + 1))
    }

    /// Keeps what lies at `normal . x <= offset`. The new face gets the owner. Vertices up to `tolerance` above count as
    /// inside.
    pub fn cut(&mut self, normal: DVec3, offset: f64, tolerance: f64, owner: Owner) {
        self.heights.clear();
        let (mut n_inside, mut n_beyond) = (0, 0);
        for (vertex, side) in self.vertices.iter().zip(&mut self.sides) {
            let height = normal.dot(*vertex) - offset;
            self.heights.push(height);
            if *side != Side::Gone {
                // What is not a number is beyond.
                let is_inside = height <= tolerance;
                *side = if is_inside { Side::Inside } else { Side::Beyond };
                n_inside += usize::from(is_inside);
                n_beyond += usize::from(!is_inside);
            }
        }
        if n_beyond == 0 {
            return;
        }
        if n_inside == 0 {
            self.clear();
            return;
        }
        self.cuts.clear();
        self.successors.clear();
        let mut n_kept = 0;
        for index in 0..self.faces.len() {
            let face = self.faces[index];
            let corners = &self.corners[face.start as usize..face.end as usize];
            let n_out = corners.iter().filter(|&&corner| self.sides[corner as usize] == Side::Beyond).count();
            let kept = if n_out == 0 {
                Some(face)
            } else if n_out < corners.len() {
                self.cut_face(face)
            } else {
                None
            };
            if let Some(face) = kept {
                self.faces[n_kept] = face;
                n_kept += 1;
            }
        }
        self.faces.truncate(n_kept);
        self.close(owner);
        for side in &mut self.sides {
            if *side == Side::Beyond {
                *side = Side::Gone;
            }
        }
    }

    /// What the cut leaves of a face that it goes through, written anew.
    fn cut_face(&mut self, face: FaceRange) -> Option<FaceRange> {
        let start = self.corners.len();
        let (from, to) = (face.start as usize, face.end as usize);
        let mut last_exit = NONE;
        let mut first_entry = NONE;
        let mut previous = self.corners[to - 1];
        let mut was_inside = self.sides[previous as usize] == Side::Inside;
        for place in from..to {
            let current = self.corners[place];
            let is_inside = self.sides[current as usize] == Side::Inside;
            if was_inside != is_inside {
                let cut = self.cut_edge(previous, current);
                self.corners.push(self.cuts[cut as usize].vertex);
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
                self.corners.push(current);
            }
            (previous, was_inside) = (current, is_inside);
        }
        if first_entry != NONE {
            self.successors[first_entry as usize] = last_exit;
        }
        let end = self.corners.len();
        if end - start < 3 {
            self.corners.truncate(start);
            return None;
        }
        Some(FaceRange { start: start as u32, end: end as u32, owner: face.owner })
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
        self.cuts.push(Cut { ends, vertex: self.vertices.len() as u32 });
        self.successors.push(NONE);
        self.vertices.push(p + (q - p) * share);
        self.sides.push(Side::Inside);
        self.cuts.len() as u32 - 1
    }

    /// Joins the cuts to caps.
    fn close(&mut self, owner: Owner) {
        for first in 0..self.cuts.len() {
            let start = self.corners.len();
            let mut cut = first as u32;
            // Each cut is left behind without a successor, so every loop ends.
            while let Some(&next) = self.successors.get(cut as usize) {
                if next == NONE {
                    break;
                }
                self.corners.push(self.cuts[cut as usize].vertex);
                self.successors[cut as usize] = NONE;
                cut = next;
            }
            if self.corners.len() - start >= 3 {
                let end = self.corners.len() as u32;
                self.faces.push(FaceRange { start: start as u32, end, owner });
            } else {
                self.corners.truncate(start);
            }
        }
    }

    /// Volume, centroid, areas and moments of what is left; `None` when it has no volume.
    pub fn region(&self) -> Option<OverlapRegion> {
        let origin = self.vertices[self.corners[self.faces.first()?.start as usize] as usize];
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
