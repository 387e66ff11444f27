//! Which corners, edges and faces of a polyhedron are next to each other, for walks over its surface; and a ball inside it.

use super::polyhedron::{Edge, Face};
use crate::tolerance;
use glam::DVec3;

/// An edge as a corner sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spoke {
    /// Unit vector from this corner to the other.
    pub along: DVec3,
    /// The number of the edge.
    pub edge: u32,
}

/// An edge as its two faces see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rib {
    /// Its ends, as in [`Edge`].
    pub ends: [u32; 2],
    /// The face on the left and that on the right.
    pub faces: [u32; 2],
    /// From the first end to the second [m].
    pub along: DVec3,
    /// Unit vectors across the edge into the left face and into the right one.
    pub inward: [DVec3; 2],
    /// Sine of an angle. Along a direction that makes more than this with both faces, and has both below it, all corners but the
    /// ends are lower by more than what lies flat: see the function of that name.
    pub goes_down: f64,
}

/// An edge as one face sees it: the points x of the face have `inward . x >= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Side {
    /// Unit vector across the edge into the face.
    pub inward: DVec3,
    /// Distance of the edge from the origin along it [m].
    pub offset: f64,
    /// The number of the edge.
    pub edge: u32,
}

/// A corner of a face, and the side of it that begins there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FaceCorner {
    /// The vertex.
    pub vertex: u32,
    /// The face on the other side.
    pub across: u32,
    /// Which of the corners of that face the same edge begins at there.
    pub place: u32,
}

/// What is next to what.
#[derive(Debug, PartialEq)]
pub(crate) struct Web {
    spokes: Vec<Spoke>,
    /// Where the spokes of each corner begin, and where the last end.
    first_spoke: Vec<u32>,
    sides: Vec<Side>,
    /// Where the sides of each face begin, and where the last end.
    first_side: Vec<u32>,
    corners: Vec<FaceCorner>,
    /// Where the corners of each face begin, and where the last end.
    first_corner: Vec<u32>,
    /// All edges, numbered as those of the polyhedron.
    pub ribs: Vec<Rib>,
    /// Sine of an angle. An edge that goes down along a direction at no less than this from the farthest corner leads to one
    /// that is lower by more than what lies flat.
    pub goes_down: f64,
    /// Centre of a ball within the polyhedron [m].
    pub inner_centre: DVec3,
    /// Its radius [m].
    pub inner_radius: f64,
    /// The normals of the faces over their distances from that centre [1/m]: the corners of the polar body. Empty if the centre is
    /// not inside.
    poles: Vec<DVec3>,
}

impl Web {
    /// That of a polyhedron with these corners, faces and edges.
    pub fn new(vertices: &[DVec3], faces: &[Face], edges: &[Edge]) -> Web {
        let place = |v: u32| vertices[v as usize];
        let normal = |f: u32| faces[f as usize].normal;
        let mut ribs: Vec<Rib> = edges
            .iter()
            .map(|edge| {
                let along = place(edge.vertices[1]) - place(edge.vertices[0]);
                let inward = [normal(edge.left).cross(along), along.cross(normal(edge.right))];
                Rib {
                    ends: edge.vertices,
                    faces: [edge.left, edge.right],
                    along,
                    inward: inward.map(DVec3::normalize_or_zero),
                    goes_down: f64::INFINITY,
                }
            })
            .collect();
        let mut spokes_of: Vec<Vec<Spoke>> = vec![Vec::new(); vertices.len()];
        let mut sides_of: Vec<Vec<Side>> = vec![Vec::new(); faces.len()];
        let corner = |&vertex: &u32| FaceCorner { vertex, across: 0, place: 0 };
        let mut corners_of: Vec<Vec<FaceCorner>> =
            faces.iter().map(|face| face.vertices.iter().map(corner).collect()).collect();
        for (edge, rib) in (0..).zip(&ribs) {
            let along = rib.along.normalize_or_zero();
            spokes_of[rib.ends[0] as usize].push(Spoke { along, edge });
            spokes_of[rib.ends[1] as usize].push(Spoke { along: -along, edge });
            for (face, inward) in rib.faces.into_iter().zip(rib.inward) {
                let offset = 0.5 * inward.dot(place(rib.ends[0]) + place(rib.ends[1]));
                sides_of[face as usize].push(Side { inward, offset, edge });
            }
            let places = [0, 1].map(|k| {
                let vertices = &faces[rib.faces[k] as usize].vertices;
                vertices.iter().position(|&vertex| vertex == rib.ends[k]).unwrap_or(0)
            });
            for k in [0, 1] {
                let corner = &mut corners_of[rib.faces[k] as usize][places[k]];
                (corner.across, corner.place) = (rib.faces[1 - k], places[1 - k] as u32);
            }
        }
        let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let ball = |centre: DVec3| {
            let radius = faces.iter().map(|face| face.offset - face.normal.dot(centre)).fold(f64::INFINITY, f64::min);
            (centre, radius.max(0.0))
        };
        // Bodies mostly have their centre of mass at the origin.
        let (of_middle, of_origin) = (ball(middle), ball(DVec3::ZERO));
        let (inner_centre, inner_radius) = if of_origin.1 > of_middle.1 { of_origin } else { of_middle };
        let shortest = ribs.iter().map(|rib| rib.along.length()).fold(f64::INFINITY, f64::min);
        let radius = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let corner_goes_down = tolerance::LIES_FLAT * radius / shortest;
        let next_to = |v: u32| {
            let other = move |rib: &Rib| if rib.ends[0] == v { rib.ends[1] } else { rib.ends[0] };
            spokes_of[v as usize].iter().map(|spoke| spoke.edge as usize).map(move |edge| (edge, other))
        };
        let flat = tolerance::LIES_FLAT * radius;
        let down: Vec<f64> = ribs
            .iter()
            .map(|rib| {
                let others = rib.ends.into_iter().flat_map(next_to).map(|(edge, other)| other(&ribs[edge]));
                let others = others.filter(|v| !rib.ends.contains(v)).map(place);
                goes_down(rib.faces.map(|face| &faces[face as usize]), others, flat)
            })
            .collect();
        ribs.iter_mut().zip(down).for_each(|(rib, down)| rib.goes_down = down);
        let pole = |face: &Face| face.normal / (face.offset - face.normal.dot(inner_centre));
        let poles = if inner_radius > 0.0 { faces.iter().map(pole).collect() } else { Vec::new() };
        let (spokes, first_spoke) = in_a_row(&spokes_of);
        let (sides, first_side) = in_a_row(&sides_of);
        let (corners, first_corner) = in_a_row(&corners_of);
        let goes_down = corner_goes_down;
        Web {
            spokes,
            first_spoke,
            sides,
            first_side,
            corners,
            first_corner,
            ribs,
            goes_down,
            inner_centre,
            inner_radius,
            poles,
        }
    }

    /// The edges at a corner.
    #[inline]
    pub fn spokes(&self, vertex: u32) -> &[Spoke] {
        &self.spokes[self.first_spoke[vertex as usize] as usize..self.first_spoke[vertex as usize + 1] as usize]
    }

    /// The face through which a ray from the inner centre to a point leaves, or would if it went on: from a face on, by the corners of
    /// the polar body. These are next to each other where faces are, so that whoever climbs does not stop below the top. `None`
    /// if the centre is not inside.
    #[inline]
    pub fn face_towards(&self, point: DVec3, from: u32) -> Option<u32> {
        let along = point - self.inner_centre;
        (!self.poles.is_empty()).then(|| self.highest_face(from, |face| self.poles[face as usize].dot(along)))
    }

    /// The face with the largest of some values, from a face on. The values must be heights of the corners of a polar body, along any
    /// direction, so that there is one top.
    #[inline]
    pub fn highest_face(&self, from: u32, height: impl Fn(u32) -> f64) -> u32 {
        let (mut best, mut top) = (from, height(from));
        loop {
            let here = best;
            for corner in self.corners(here) {
                let higher = height(corner.across);
                if higher > top {
                    (best, top) = (corner.across, higher);
                }
            }
            if best == here {
                return best;
            }
        }
    }

    /// The corners of a face, counter-clockwise seen from outside.
    #[inline]
    pub fn corners(&self, face: u32) -> &[FaceCorner] {
        &self.corners[self.first_corner[face as usize] as usize..self.first_corner[face as usize + 1] as usize]
    }

    /// The edges of a face.
    #[inline]
    pub fn sides(&self, face: u32) -> &[Side] {
        &self.sides[self.first_side[face as usize] as usize..self.first_side[face as usize + 1] as usize]
    }
}

/// Sine of the angle with each of its faces beyond which a direction has nothing flat but an edge.
///
/// With n = p n_left + q n_right a corner that is lower than the faces' planes by x and y is lower along n by p x + q y, at least
/// the smaller of p and q times the larger of x and y. The vector across the edge into the right face has the product -p sin t
/// with n, with the angle t between the faces' normals, so that p is no less than that product's size; and the same for q. Where all corners next to
/// the ends are lower than something, all others are.
fn goes_down(faces: [&Face; 2], others: impl Iterator<Item = DVec3>, flat: f64) -> f64 {
    let below = |corner: DVec3| faces.map(|face| face.offset - face.normal.dot(corner)).into_iter().fold(0.0, f64::max);
    flat / others.map(below).fold(f64::INFINITY, f64::min)
}

/// Lists one after the other, and where each begins.
fn in_a_row<T: Clone>(lists: &[Vec<T>]) -> (Vec<T>, Vec<u32>) {
    let mut first = vec![0];
    let mut all = Vec::new();
    for list in lists {
        all.extend_from_slice(list);
        first.push(all.len() as u32);
    }
    (all, first)
}
