//! The region of two polyhedra of which an edge crosses an edge: a tetrahedron.
//!
//! An edge of a goes into b through one of the two faces at an edge of b and leaves it through the other; the edge of b does so
//! with the faces at that of a. The wedges of the two edges share the tetrahedron between these four points. If each point lies in the
//! face, not only in the plane, that it was found on, all four belong to both bodies, which are convex and so share all of the tetrahedron;
//! and they share no more, since each lies in its wedge. No other vertex, edge or face needs to be looked at.
//!
//! Most contacts of stones that rest are of this kind or have a corner in a face. Where it is found to be something else, which costs little,
//! the region is cut out plane by plane ([`super::shared_part`]). Near the change from one to the other both give the same numbers, but for rounding.

use super::OverlapRegion;
use crate::shape::Rib;
use crate::{Polyhedron, Pose};
use glam::{DMat3, DVec3};

/// A tetrahedron that two bodies share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tetrahedron {
    /// Its vertices [m].
    pub vertices: [DVec3; 4],
    /// The outward unit normals of the facets opposite to them. The first two are faces of a, the others of b.
    pub normals: [DVec3; 4],
}

/// The other three of four.
pub(super) const OTHERS: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// The region of two polyhedra if it is that of two edges that cross. `normal` is the direction from a to b along which they
/// overlap least, or nearly so: both edges are level along it. `pose_ab` is b seen from a, whose frame the answer is in.
#[inline]
pub(super) fn crossed_edges([a, b]: [&Polyhedron; 2], normal: DVec3, pose_ab: &Pose) -> Option<Tetrahedron> {
    let turn = DMat3::from_quat(pose_ab.orientation);
    let (edge_a, edge_b) = (level_edge(a, normal)?, level_edge(b, turn.transpose() * -normal)?);
    let (rib_a, rib_b) = (&a.web().ribs[edge_a], &b.web().ribs[edge_b]);
    let planes_a = rib_a.faces.map(|face| {
        let face = &a.faces()[face as usize];
        (face.normal, face.offset)
    });
    let planes_b = rib_b.faces.map(|face| {
        let face = &b.faces()[face as usize];
        let normal = turn * face.normal;
        (normal, face.offset + normal.dot(pose_ab.position))
    });
    let ends = |solid: &Polyhedron, rib: &Rib| rib.ends.map(|vertex| solid.vertices()[vertex as usize]);
    let on_b = crossings(ends(a, rib_a), planes_b)?;
    let on_a = crossings(ends(b, rib_b).map(|end| turn * end + pose_ab.position), planes_a)?;
    let to_b = |point: DVec3| turn.transpose() * (point - pose_ab.position);
    let are_in_faces = (0..2).all(|k| {
        is_in_face(b, rib_b.faces[k], edge_b, to_b(on_b[k])) && is_in_face(a, rib_a.faces[k], edge_a, on_a[k])
    });
    // The edge of a lies on both faces of a, and so the vertex opposite to one of these is that of the other edge on the other face.
    are_in_faces.then_some(Tetrahedron {
        vertices: [on_a[1], on_a[0], on_b[1], on_b[0]],
        normals: [planes_a[0].0, planes_a[1].0, planes_b[0].0, planes_b[1].0],
    })
}

/// Of the edges at the vertex that is farthest along a direction, the one that is most across it.
#[inline]
fn level_edge(solid: &Polyhedron, direction: DVec3) -> Option<usize> {
    let vertex = solid.support_vertex(direction) as u32;
    let (mut level, mut steepness) = (None, f64::INFINITY);
    for spoke in solid.web().spokes(vertex) {
        let steep = spoke.along.dot(direction).abs();
        if steep < steepness {
            (level, steepness) = (Some(spoke.edge as usize), steep);
        }
    }
    level
}

/// Where an edge goes through each of two planes, if it goes in through one of them and out through the other.
#[inline]
fn crossings([start, end]: [DVec3; 2], planes: [(DVec3, f64); 2]) -> Option<[DVec3; 2]> {
    let heights = planes.map(|(normal, offset)| [start, end].map(|point| normal.dot(point) - offset));
    let is_outside = heights.map(|of_plane| of_plane.map(|height| height > 0.0));
    // What is not a number is on neither side, and crosses nothing.
    let (in_through, out_through) = match is_outside {
        [[true, false], [false, true]] => (0, 1),
        [[false, true], [true, false]] => (1, 0),
        _ => return None,
    };
    let shares = heights.map(|[start, end]| start / (start - end));
    (shares[in_through] < shares[out_through]).then(|| shares.map(|share| start + (end - start) * share))
}

/// Whether a point of a face's plane lies in the face, given an edge of it beyond which the point is not.
#[inline]
fn is_in_face(solid: &Polyhedron, face: u32, edge: usize, point: DVec3) -> bool {
    solid.web().sides(face).iter().all(|side| side.edge as usize == edge || side.inward.dot(point) >= side.offset)
}

impl Tetrahedron {
    /// Twice the area of each facet [m^2].
    #[inline]
    pub fn twice_areas(&self) -> [f64; 4] {
        std::array::from_fn(|facet| {
            let [p, q, r] = OTHERS[facet].map(|vertex| self.vertices[vertex]);
            (q - p).cross(r - p).dot(self.normals[facet]).abs()
        })
    }

    /// Six times its volume [m^3].
    #[inline]
    pub fn six_volumes(&self) -> f64 {
        let [p, q, r, s] = self.vertices;
        (q - p).cross(r - p).dot(s - p).abs()
    }

    /// Volume, centroid, areas and moments; `None` when it has no volume.
    pub fn region(&self) -> Option<OverlapRegion> {
        let (areas, volume) = (self.twice_areas(), self.six_volumes() / 6.0);
        if volume.is_nan() || volume <= 0.0 {
            return None;
        }
        let sum: DVec3 = self.vertices.iter().sum();
        let of_facet = |facet: usize| (0.5 * areas[facet]) * self.normals[facet];
        let moment = |facet: usize| ((sum - self.vertices[facet]) / 3.0).cross(of_facet(facet));
        Some(OverlapRegion {
            volume,
            centroid: 0.25 * sum,
            surface_area: 0.5 * areas.iter().sum::<f64>(),
            vector_area: of_facet(0) + of_facet(1),
            first_moment: moment(0) + moment(1),
        })
    }
}
