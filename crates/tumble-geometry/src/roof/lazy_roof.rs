//! The roofs over a body and over parts of it, kept with the body.

use super::ground::ground;
use super::{CutLists, GROUND, NONE, RoofCorner, RoofPlane, cut, roof_over};
use crate::shape::{Face, Web};
use glam::DVec3;
use std::sync::OnceLock;

/// The number of the plane that is put behind a part of a body.
pub(crate) const BEHIND: u16 = u16::MAX - 16;

/// Most faces of a body that keeps the parts near each edge and vertex.
pub(crate) const MOST_NEAR: usize = 128;

/// How far behind an edge or a vertex what is near it ends at least, as a share of how far the body goes behind it.
const NEAR: f64 = 0.1;

/// It ends no sooner than at this share of the way to the vertices next to it: up to there nothing is added but
/// longer edges.
const UP_TO_THE_NEXT: f64 = 0.95;

/// How many parts are kept at a place, each [`NEXT_LEVEL`] times as deep as the one before: a shallow region is cut out of a thin one, which has few
/// corners.
const N_LEVELS: usize = 7;

/// See [`N_LEVELS`].
const NEXT_LEVEL: f64 = 0.5;

/// A part should be so many times as deep as what is cut out of it: that may be askew.
const DEEPER: f64 = 1.25;

/// Where a part of a body is: at which of its vertices, edges or faces. It ends at the plane [`BEHIND`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Near {
    Vertex(usize),
    Edge(usize),
    Face(usize),
}

/// A body or a part of it.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// The roof over it.
    roof: Vec<RoofCorner<4>>,
    /// The body under the roof.
    ground: Vec<RoofCorner<3>>,
    /// Of all of a body: for each vertex a corner of the roof and one of the body that are there, or none.
    at_vertices: Vec<[u32; 2]>,
    /// How far behind the place that it is near it ends [m].
    depth: f64,
}

impl Part {
    fn new(roof: Vec<RoofCorner<4>>, depth: f64) -> Part {
        Part { ground: ground(&roof), roof, at_vertices: Vec::new(), depth }
    }

    /// The level of the thinnest part that is deep enough for what goes so deep [m], given the deepest, which is this.
    #[inline]
    pub fn level_for(&self, depth: f64) -> usize {
        let (mut level, mut least) = (0, DEEPER * depth / NEXT_LEVEL);
        while level + 1 < N_LEVELS && self.depth >= least {
            (level, least) = (level + 1, least / NEXT_LEVEL);
        }
        level
    }
}

/// The roof over a part for four coordinates, and the part itself for three.
pub(crate) trait Corners<const N: usize> {
    fn corners(&self) -> &[RoofCorner<N>];

    /// If it is all of a body: a corner at one of the body's vertices.
    fn at_vertex(&self, vertex: usize) -> Option<usize>;
}

impl Corners<4> for Part {
    #[inline(always)]
    fn corners(&self) -> &[RoofCorner<4>] {
        &self.roof
    }

    #[inline(always)]
    fn at_vertex(&self, vertex: usize) -> Option<usize> {
        self.at_vertices.get(vertex).map(|corners| corners[0] as usize).filter(|&corner| corner < self.roof.len())
    }
}

impl Corners<3> for Part {
    #[inline(always)]
    fn corners(&self) -> &[RoofCorner<3>] {
        &self.ground
    }

    #[inline(always)]
    fn at_vertex(&self, vertex: usize) -> Option<usize> {
        self.at_vertices.get(vertex).map(|corners| corners[1] as usize).filter(|&corner| corner < self.ground.len())
    }
}

/// A body's parts, made when they are asked for first. They follow from the body and so have no part in comparisons.
#[derive(Debug, Default)]
pub(crate) struct LazyRoof {
    whole: OnceLock<Part>,
    /// Near vertices, edges and faces, at each level.
    near: [[Parts; N_LEVELS]; 3],
}

/// A list of parts, each made when it is asked for first.
type Parts = OnceLock<Box<[OnceLock<Part>]>>;

/// What a polyhedron is made of.
#[derive(Clone, Copy)]
pub(crate) struct Solid<'a> {
    pub vertices: &'a [DVec3],
    pub faces: &'a [Face],
    pub web: &'a Web,
    pub bounding_radius: f64,
}

impl PartialEq for LazyRoof {
    fn eq(&self, _: &LazyRoof) -> bool {
        true
    }
}

impl LazyRoof {
    /// All of a polyhedron.
    #[inline]
    pub fn whole(&self, solid: Solid) -> &Part {
        self.whole.get_or_init(|| {
            let planes = solid.faces.iter().map(|face| (face.normal.extend(1.0).to_array(), face.offset));
            let mut corners = roof_over(planes, solid.bounding_radius);
            // The corners on the ground are vertices: without the rounding of all the cuts.
            let mut at_vertices = vec![[NONE; 2]; solid.vertices.len()];
            let on_ground = corners.iter_mut().enumerate().filter(|(_, corner)| corner.lies_on(GROUND));
            for (n_before, (index, corner)) in on_ground.enumerate() {
                let point = corner.point();
                let distance = |vertex: &DVec3| vertex.distance_squared(point);
                let nearer = |a: &(usize, &DVec3), b: &(usize, &DVec3)| distance(a.1).total_cmp(&distance(b.1));
                if let Some((vertex, place)) = solid.vertices.iter().enumerate().min_by(nearer) {
                    corner.place = place.extend(0.0).to_array();
                    at_vertices[vertex] = [index as u32, n_before as u32];
                }
            }
            Part { at_vertices, ..Part::new(corners, f64::INFINITY) }
        })
    }

    /// A part of a polyhedron: all that a shallow region has to do with, and the form of it already where the plane that it is cut by takes
    /// the place of that [`BEHIND`]. `None` for bodies of many faces. The level 0 is the deepest part.
    #[inline]
    pub fn near(&self, near: Near, level: usize, solid: Solid) -> Option<&Part> {
        if solid.faces.len() > MOST_NEAR {
            return None;
        }
        let (kind, n, index) = match near {
            Near::Vertex(index) => (0, solid.vertices.len(), index),
            Near::Edge(index) => (1, solid.web.ribs.len(), index),
            Near::Face(index) => (2, solid.faces.len(), index),
        };
        let parts = self.near[kind].get(level)?.get_or_init(|| (0..n).map(|_| OnceLock::new()).collect());
        Some(parts.get(index)?.get_or_init(|| self.behind(near, level, solid)))
    }

    #[cold]
    fn behind(&self, near: Near, level: usize, solid: Solid) -> Part {
        let Solid { vertices, faces, web, .. } = solid;
        let place = |vertex: u32| vertices[vertex as usize];
        let normal = |face: u32| faces[face as usize].normal;
        let (sum, own): (DVec3, &[u32]) = match near {
            Near::Edge(index) => (web.ribs[index].faces.map(normal).into_iter().sum(), &web.ribs[index].ends),
            Near::Vertex(index) => {
                let ribs = web.spokes(index as u32).iter().map(|spoke| &web.ribs[spoke.edge as usize]);
                (ribs.flat_map(|rib| rib.faces.map(normal)).sum(), &[index as u32])
            }
            Near::Face(index) => (faces[index].normal, &faces[index].vertices),
        };
        // Of all that it is near, the highest touches the plane; but for rounding all of it does.
        let outward = sum.normalize_or(DVec3::Z);
        let offset = own.iter().map(|&vertex| outward.dot(place(vertex))).fold(f64::NEG_INFINITY, f64::max);
        let depth_of = |vertex: DVec3| offset - outward.dot(vertex);
        let whole_depth = vertices.iter().copied().map(depth_of).fold(0.0, f64::max);
        let spokes = own.iter().flat_map(|&vertex| web.spokes(vertex));
        let ends = spokes.flat_map(|spoke| web.ribs[spoke.edge as usize].ends);
        let next = ends.filter(|end| !own.contains(end));
        let next_depth = next.map(|vertex| depth_of(place(vertex))).fold(f64::INFINITY, f64::min);
        let depth = (NEAR * whole_depth).max(UP_TO_THE_NEXT * next_depth) * NEXT_LEVEL.powi(level as i32);
        let plane = RoofPlane { normal: -outward, offset: depth - offset };
        let Part { roof, .. } = self.whole(solid);
        let mut part = roof.clone();
        cut(&mut part, plane.lifted(), BEHIND, 0.0, &mut CutLists::default());
        Part::new(part, depth)
    }
}
