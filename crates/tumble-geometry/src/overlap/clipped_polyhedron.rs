//! A convex polyhedron cut by planes, one after the other, with the owner of each face kept.
//!
//! Every vertex is inside or beyond a plane, nothing between. Vertices beyond it hang together, so that a cut goes from one of them to its
//! neighbours and does not look at the rest; every edge from an inside vertex to one beyond gets one new vertex that both of its
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

const NONE: u32 = u32::MAX;

/// An edge as one of its faces runs along it.
#[derive(Clone, Copy, Debug)]
struct HalfEdge {
    /// The vertex that it begins at.
    vertex: u32,
    /// The one after it around the face.
    next: u32,
    /// The same edge as the face on the other side runs along it.
    twin: u32,
    face: u32,
}

#[derive(Clone, Copy, Debug)]
struct Face {
    /// One of its half-edges, or none if it was cut away.
    edge: u32,
    owner: Owner,
}

/// Where a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// On the inner side of all planes so far.
    Inside,
    /// Beyond the plane that is being cut with, or cut away.
    Beyond,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    place: DVec3,
    /// Of an inside one: a half-edge that begins there.
    edge: u32,
    side: Side,
}

/// A mark on a vertex or a face of the polyhedron that one begins with, of the run that it says: marks of earlier ones are none.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    run: u32,
    value: u32,
}

/// A convex polyhedron that is being cut. What is cut away stays in the lists, where nothing names it any more.
#[derive(Clone, Debug, Default)]
pub(super) struct ClippedPolyhedron {
    vertices: Vec<Vertex>,
    edges: Vec<HalfEdge>,
    faces: Vec<Face>,
    /// Of a cut: the vertices beyond; the half-edges by which faces leave the inner side; which half-edge of the cap begins at the
    /// new vertex on each of them.
    beyond: Vec<u32>,
    exits: Vec<u32>,
    cap: Vec<u32>,
    /// Of the polyhedron that one begins with: the number of this beginning; the vertices inside, for each vertex its number among all that were taken; the
    /// faces that have one of the former, for each face where its half-edges begin.
    run: u32,
    inside: Vec<u32>,
    numbers: Vec<Mark>,
    near_faces: Vec<u32>,
    first_edges: Vec<Mark>,
}

impl ClippedPolyhedron {
    /// Makes all lists empty and all marks those of an earlier run, with room for a polyhedron.
    fn begin_run(&mut self, n_vertices: usize, n_faces: usize) {
        self.vertices.clear();
        self.edges.clear();
        self.faces.clear();
        self.inside.clear();
        self.near_faces.clear();
        if self.run == u32::MAX {
            self.numbers.clear();
            self.first_edges.clear();
            self.run = 0;
        }
        self.run += 1;
        self.numbers.resize(n_vertices.max(self.numbers.len()), Mark::default());
        self.first_edges.resize(n_faces.max(self.first_edges.len()), Mark::default());
    }

    /// Begins with what of a polyhedron lies at `normal . x <= offset` in its own frame, taken to another frame by `place`. The vertices on the inner
    /// side hang together by edges, so that only those and their faces are looked at. The new face gets the other owner.
    pub fn start_inside(
        &mut self,
        polyhedron: &Polyhedron,
        owner: Owner,
        (normal, offset): (DVec3, f64),
        tolerance: f64,
        place: impl Fn(DVec3) -> DVec3,
    ) {
        let (vertices, web) = (polyhedron.vertices(), polyhedron.web());
        self.begin_run(vertices.len(), polyhedron.faces().len());
        let run = self.run;
        let side = |vertex: u32| {
            // What is not a number is beyond.
            if normal.dot(vertices[vertex as usize]) - offset <= tolerance { Side::Inside } else { Side::Beyond }
        };
        let lowest = polyhedron.support_vertex(-normal) as u32;
        if side(lowest) == Side::Beyond {
            return;
        }
        self.take(lowest, vertices, Side::Inside);
        let mut next = 0;
        while let Some(&vertex) = self.inside.get(next) {
            next += 1;
            for spoke in web.spokes(vertex) {
                let rib = &web.ribs[spoke.edge as usize];
                // The faces on the left of all edges that leave a vertex are all faces around it.
                let face = rib.faces[usize::from(rib.ends[0] != vertex)];
                if self.first_edges[face as usize].run == run {
                    continue;
                }
                let (first, number) = (self.edges.len() as u32, self.faces.len() as u32);
                self.first_edges[face as usize] = Mark { run, value: first };
                self.near_faces.push(face);
                let mut edge = first;
                for corner in web.corners(face) {
                    if self.numbers[corner.vertex as usize].run != run {
                        self.take(corner.vertex, vertices, side(corner.vertex));
                    }
                    edge += 1;
                    let vertex = self.numbers[corner.vertex as usize].value;
                    self.edges.push(HalfEdge { vertex, next: edge, twin: NONE, face: number });
                }
                self.edges[edge as usize - 1].next = first;
                self.faces.push(Face { edge: first, owner });
            }
        }
        self.join(polyhedron);
        self.exits.clear();
        for (index, edge) in (0..).zip(&self.edges) {
            let end = self.edges[edge.next as usize].vertex;
            match [edge.vertex, end].map(|vertex| self.vertices[vertex as usize].side) {
                [Side::Inside, Side::Inside] => {}
                [Side::Inside, Side::Beyond] => self.exits.push(index),
                [Side::Beyond, _] => self.faces[edge.face as usize].edge = NONE,
            }
        }
        self.close(|vertex| normal.dot(vertex) - offset, if owner == Owner::A { Owner::B } else { Owner::A });
        for vertex in self.vertices.iter_mut().filter(|vertex| vertex.side == Side::Inside) {
            vertex.place = place(vertex.place);
        }
    }

    /// Takes up a vertex of the polyhedron that one begins with.
    #[inline]
    fn take(&mut self, vertex: u32, vertices: &[DVec3], side: Side) {
        self.numbers[vertex as usize] = Mark { run: self.run, value: self.vertices.len() as u32 };
        self.vertices.push(Vertex { place: vertices[vertex as usize], edge: NONE, side });
        if side == Side::Inside {
            self.inside.push(vertex);
        }
    }

    /// Finds the twins of all half-edges of the faces that one begins with, and a half-edge for each vertex.
    fn join(&mut self, polyhedron: &Polyhedron) {
        let corners = self.near_faces.iter().flat_map(|&face| polyhedron.web().corners(face));
        for ((index, edge), corner) in (0..).zip(&mut self.edges).zip(corners) {
            let across = self.first_edges[corner.across as usize];
            if across.run == self.run {
                edge.twin = across.value + corner.place;
            }
            self.vertices[edge.vertex as usize].edge = index;
        }
    }

    /// The first vertex from a place on that has not been cut away: where it is, and its number. A cut adds new ones behind.
    pub fn vertex_from(&self, number: usize) -> Option<(DVec3, usize)> {
        let next = number + self.vertices.get(number..)?.iter().position(|vertex| vertex.side == Side::Inside)?;
        Some((self.vertices[next].place, next))
    }

    /// Keeps what lies at `normal . x <= offset`, given the number of a vertex that does not. The new face gets the owner. Vertices up to
    /// `tolerance` above count as inside.
    pub fn cut(&mut self, vertex: usize, (normal, offset): (DVec3, f64), tolerance: f64, owner: Owner) {
        let height = |place: DVec3| normal.dot(place) - offset;
        self.exits.clear();
        self.beyond.clear();
        self.beyond.push(vertex as u32);
        self.vertices[vertex].side = Side::Beyond;
        let mut next = 0;
        while let Some(&vertex) = self.beyond.get(next) {
            next += 1;
            let first = self.vertices[vertex as usize].edge;
            let mut edge = first;
            loop {
                let HalfEdge { twin, face, .. } = self.edges[edge as usize];
                self.faces[face as usize].edge = NONE;
                let HalfEdge { vertex: number, next: following, .. } = self.edges[twin as usize];
                let other = &mut self.vertices[number as usize];
                if other.side == Side::Inside {
                    // What is not a number is beyond.
                    if height(other.place) <= tolerance {
                        self.exits.push(twin);
                    } else {
                        other.side = Side::Beyond;
                        self.beyond.push(number);
                    }
                }
                edge = following;
                if edge == first {
                    break;
                }
            }
        }
        self.close(height, owner);
    }

    /// Ends the faces that leave the inner side where they cross the plane, and joins their new edges to caps.
    fn close(&mut self, height: impl Fn(DVec3) -> f64, owner: Owner) {
        let (n_vertices, n_edges) = (self.vertices.len() as u32, self.edges.len() as u32);
        for &exit in &self.exits {
            let HalfEdge { vertex, twin, .. } = self.edges[exit as usize];
            let ends = [vertex, self.edges[twin as usize].vertex];
            let [p, q] = ends.map(|end| self.vertices[end as usize].place);
            let (below, above) = (height(p), height(q));
            let share = (below / (below - above)).clamp(0.0, 1.0);
            // The twin, by which the face on the other side comes back, begins here now.
            self.edges[twin as usize].vertex = self.vertices.len() as u32;
            self.vertices.push(Vertex { place: p + (q - p) * share, edge: twin, side: Side::Inside });
        }
        self.cap.clear();
        self.cap.resize(self.exits.len(), NONE);
        for (vertex, &exit) in (n_vertices..).zip(&self.exits) {
            let HalfEdge { next, face, .. } = self.edges[exit as usize];
            let mut entry = next;
            while self.edges[entry as usize].vertex < n_vertices {
                entry = self.edges[entry as usize].next;
            }
            let back = self.edges[entry as usize].vertex;
            let along = self.edges.len() as u32;
            self.edges[exit as usize].next = along;
            self.edges.push(HalfEdge { vertex, next: entry, twin: along + 1, face });
            self.edges.push(HalfEdge { vertex: back, next: NONE, twin: along, face: NONE });
            self.faces[face as usize].edge = exit;
            self.cap[(back - n_vertices) as usize] = along + 1;
        }
        // The edge of the cap beside an exit ends at the new vertex on it, where another one begins.
        for (k, &next) in (0..).zip(&self.cap) {
            self.edges[(n_edges + 2 * k + 1) as usize].next = next;
        }
        for &first in &self.cap {
            let face = self.faces.len() as u32;
            let mut edge = first;
            while self.edges[edge as usize].face == NONE {
                self.edges[edge as usize].face = face;
                edge = self.edges[edge as usize].next;
            }
            if edge == first && self.edges[edge as usize].face == face {
                self.faces.push(Face { edge, owner });
            }
        }
    }

    /// Volume, centroid, areas and moments of what is left; `None` when it has no volume.
    pub fn region(&self) -> Option<OverlapRegion> {
        let mut faces = self.faces.iter().filter(|face| face.edge != NONE).peekable();
        let place = |edge: u32| self.vertices[self.edges[edge as usize].vertex as usize].place;
        let origin = place(faces.peek()?.edge);
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        let (mut surface_area, mut vector_area, mut first_moment) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for face in faces {
            let next = |edge: u32| self.edges[edge as usize].next;
            let p = place(face.edge) - origin;
            let mut edge = next(face.edge);
            let mut q = place(edge) - origin;
            let mut face_area = DVec3::ZERO;
            edge = next(edge);
            while edge != face.edge {
                let r = place(edge) - origin;
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
                edge = next(edge);
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
