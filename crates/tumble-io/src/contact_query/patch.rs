//! The patch of a contact in an answer: what two flat faces press on each other with.

use super::bodies::{Body, Placed};
use glam::DVec3;
use serde::Serialize;
use tumble_geometry::narrow::{ContactPatch, PatchFeature, contact_patch, contact_patch_beyond_plane, has_patch};
use tumble_geometry::{Pose, Shape};

/// What the two faces that look at each other have in common, seen along the normal, in world coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatchAnswer {
    /// Its corners in order round it; the two ends of a line in the plane.
    pub corners: Vec<PatchCornerAnswer>,
    /// Area; of planar bodies the length.
    pub area: f64,
    /// Centroid, half way between the faces.
    pub centroid: Vec<f64>,
    /// Integral of (x - centroid) (x - centroid)^T over it, row by row.
    pub second_moments: Vec<Vec<f64>>,
}

/// A corner of a patch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatchCornerAnswer {
    /// Where it is, half way between the faces.
    pub point: Vec<f64>,
    /// Signed distance of the faces there along the normal: gap > 0, penetration < 0.
    pub separation: f64,
    /// Its share of the patch; all add up to one.
    pub share: f64,
    /// What of A it lies on; null for a half-space.
    pub a: Option<FeatureAnswer>,
    /// What of B it lies on; null for a half-space.
    pub b: Option<FeatureAnswer>,
}

/// A feature of a body, by the numbers of the question's vertices from zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureAnswer {
    /// A vertex.
    Vertex(usize),
    /// An edge, or a side of a polygon, by its ends.
    Edge([usize; 2]),
    /// A face by its corners, counter-clockwise seen from outside.
    Face(Vec<usize>),
}

/// The patch along a contact's normal, in world coordinates; `None` where the faces do not lie over each other, or why there can be none.
pub(super) fn patch_of(a: &Placed, b: &Placed, normal: DVec3) -> Result<Option<PatchAnswer>, String> {
    for (name, body) in [("A", a), ("B", b)] {
        if let Body::Shape(shape) = &body.body
            && !has_patch(shape)
        {
            return Err(format!(
                "{name} is a {}: a patch is what flat faces share, of polyhedra, polygons and half-spaces; ask without it",
                shape.kind().name()
            ));
        }
    }
    // Seen from the first of the two that is no half-space.
    let (first, patch) = match (&a.body, &b.body) {
        (Body::Shape(shape_a), Body::Shape(shape_b)) => {
            let own = a.pose.inverse_transform_vector(normal);
            (a, contact_patch(shape_a, shape_b, &a.pose.relative(&b.pose), own))
        }
        (Body::Shape(shape), Body::HalfSpace) => (a, beyond(shape, &a.pose, &b.pose)),
        (Body::HalfSpace, Body::Shape(shape)) => (b, beyond(shape, &b.pose, &a.pose)),
        (Body::HalfSpace, Body::HalfSpace) => return Ok(None),
    };
    Ok(patch.map(|patch| answer(&patch, a, b, &first.pose)))
}

/// That of a shape beyond a half-space, in the shape's frame.
fn beyond(shape: &Shape, pose: &Pose, plane: &Pose) -> Option<ContactPatch> {
    let direction = pose.inverse_transform_vector(plane.transform_vector(DVec3::NEG_Z));
    contact_patch_beyond_plane(shape, direction, direction.dot(pose.inverse_transform_point(plane.position)))
}

fn answer(patch: &ContactPatch, a: &Placed, b: &Placed, frame: &Pose) -> PatchAnswer {
    let n = if a.is_planar() { 2 } else { 3 };
    let components = |v: DVec3| v.to_array()[..n].to_vec();
    // A patch with a half-space names it b, whichever of the two it is.
    let is_turned = matches!(a.body, Body::HalfSpace);
    let corners = patch.corners.iter().map(|corner| {
        let (first, second) = if is_turned { (b, a) } else { (a, b) };
        let (of_first, of_second) = features(patch, corner.feature, first, second);
        let (of_a, of_b) = if is_turned { (of_second, of_first) } else { (of_first, of_second) };
        PatchCornerAnswer {
            point: components(frame.transform_point(corner.point)),
            separation: corner.separation,
            share: corner.share,
            a: of_a,
            b: of_b,
        }
    });
    let turn = glam::DMat3::from_quat(frame.orientation);
    let moments = turn * patch.second_moments() * turn.transpose();
    PatchAnswer {
        corners: corners.collect(),
        area: patch.area,
        centroid: components(frame.transform_point(patch.centroid())),
        second_moments: (0..n).map(|k| components(moments.row(k))).collect(),
    }
}

/// What of each body a corner lies on.
fn features(
    patch: &ContactPatch,
    feature: PatchFeature,
    first: &Placed,
    second: &Placed,
) -> (Option<FeatureAnswer>, Option<FeatureAnswer>) {
    let vertex = |body: &Placed, v: u32| Some(FeatureAnswer::Vertex(body.number(v)));
    let edge = |body: &Placed, ends: [u32; 2]| Some(FeatureAnswer::Edge(ends.map(|v| body.number(v))));
    match feature {
        PatchFeature::VertexOfA(v) => (vertex(first, v), patch.faces.1.and_then(|face| second.face(face))),
        PatchFeature::VertexOfB(v) => (first.face(patch.faces.0), vertex(second, v)),
        PatchFeature::Edges(of_first, of_second) => (edge(first, of_first), edge(second, of_second)),
    }
}

impl Placed {
    /// The number in the question of a vertex of the shape, whose own numbers are those of its hull.
    fn number(&self, vertex: u32) -> usize {
        let place = match &self.body {
            Body::Shape(Shape::Polygon(polygon)) => polygon.corners()[vertex as usize].extend(0.0),
            Body::Shape(Shape::Polyhedron(polyhedron)) => polyhedron.vertices()[vertex as usize],
            Body::Shape(_) | Body::HalfSpace => return vertex as usize,
        };
        let away = |k: &usize| self.vertices[*k].distance_squared(place);
        (0..self.vertices.len()).min_by(|x, y| away(x).total_cmp(&away(y))).unwrap_or(vertex as usize)
    }

    /// A face of the shape, or a side in the plane.
    fn face(&self, face: u32) -> Option<FeatureAnswer> {
        match &self.body {
            Body::Shape(Shape::Polygon(polygon)) => {
                let next = (face + 1) % polygon.corners().len() as u32;
                Some(FeatureAnswer::Edge([face, next].map(|v| self.number(v))))
            }
            Body::Shape(Shape::Polyhedron(polyhedron)) => {
                let ring = &polyhedron.faces()[face as usize].vertices;
                Some(FeatureAnswer::Face(ring.iter().map(|&v| self.number(v)).collect()))
            }
            Body::Shape(_) | Body::HalfSpace => None,
        }
    }
}
