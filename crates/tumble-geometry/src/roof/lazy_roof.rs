//! The roofs over a body, kept with the body.

use super::{CutLists, GROUND, RoofCorner, RoofPlane, cut, roof_over};
use crate::shape::Face;
use glam::DVec3;
use std::sync::OnceLock;

/// The number of a plane that is put behind a face or a vertex for [`LazyRoof::near`] and [`LazyRoof::near_vertex`].
pub(crate) const BEHIND: u16 = u16::MAX - 16;

/// Most faces of a body that keeps a roof near each, and near each of its vertices.
const MOST_NEAR: usize = 128;

/// How far behind a face or a vertex what is near it ends, as a share of how far the body goes behind it.
const NEAR: f64 = 0.1;

/// The roofs over a body and over parts of it, made when they are asked for first. They follow from the body and so have no part
/// in comparisons.
#[derive(Debug, Default)]
pub(crate) struct LazyRoof {
    whole: OnceLock<Vec<RoofCorner<4>>>,
    near: Roofs,
    near_vertices: Roofs,
}

/// A list of roofs, each made when it is asked for first.
type Roofs = OnceLock<Box<[OnceLock<Vec<RoofCorner<4>>>]>>;

/// One of `n` roofs, made if it is not there yet; `None` for bodies of many faces.
#[inline]
fn kept<'a>(
    roofs: &'a Roofs,
    index: usize,
    n: usize,
    faces: &[Face],
    make: impl FnOnce() -> Vec<RoofCorner<4>>,
) -> Option<&'a [RoofCorner<4>]> {
    if faces.len() > MOST_NEAR {
        return None;
    }
    let roofs = roofs.get_or_init(|| (0..n).map(|_| OnceLock::new()).collect());
    Some(roofs.get(index)?.get_or_init(make))
}

impl PartialEq for LazyRoof {
    fn eq(&self, _: &LazyRoof) -> bool {
        true
    }
}

impl LazyRoof {
    /// The roof over a polyhedron.
    #[inline]
    pub fn whole(&self, vertices: &[DVec3], faces: &[Face], bounding_radius: f64) -> &[RoofCorner<4>] {
        self.whole.get_or_init(|| {
            let planes = faces.iter().map(|face| (face.normal.extend(1.0).to_array(), face.offset));
            let mut corners = roof_over(planes, bounding_radius);
            // The corners on the ground are vertices: without the rounding of all the cuts.
            for corner in corners.iter_mut().filter(|corner| corner.lies_on(GROUND)) {
                let point = corner.point();
                let nearer = |a: &&DVec3, b: &&DVec3| a.distance_squared(point).total_cmp(&b.distance_squared(point));
                if let Some(vertex) = vertices.iter().min_by(nearer) {
                    corner.place = vertex.extend(0.0).to_array();
                }
            }
            corners
        })
    }

    /// The roof over the part of a polyhedron near one of its faces, which ends at the plane [`BEHIND`]: all that a shallow region
    /// has to do with, and for a box the form of a slab already. `None` for bodies of many faces.
    #[inline]
    pub fn near(
        &self,
        index: usize,
        vertices: &[DVec3],
        faces: &[Face],
        bounding_radius: f64,
    ) -> Option<&[RoofCorner<4>]> {
        kept(&self.near, index, faces.len(), faces, || {
            self.behind(faces[index].normal, faces[index].offset, vertices, faces, bounding_radius)
        })
    }

    /// The same over the part near one of its vertices.
    #[inline]
    pub fn near_vertex(
        &self,
        index: usize,
        vertices: &[DVec3],
        faces: &[Face],
        bounding_radius: f64,
    ) -> Option<&[RoofCorner<4>]> {
        kept(&self.near_vertices, index, vertices.len(), faces, || {
            let around = faces.iter().filter(|face| face.vertices.contains(&(index as u32)));
            let outward = around.map(|face| face.normal).sum::<DVec3>().normalize();
            self.behind(outward, outward.dot(vertices[index]), vertices, faces, bounding_radius)
        })
    }

    /// The roof over the part of a polyhedron behind a plane that touches it, given by its outward normal and its offset.
    fn behind(
        &self,
        normal: DVec3,
        offset: f64,
        vertices: &[DVec3],
        faces: &[Face],
        bounding_radius: f64,
    ) -> Vec<RoofCorner<4>> {
        let depth = vertices.iter().map(|vertex| offset - normal.dot(*vertex)).fold(0.0, f64::max);
        let behind = RoofPlane { normal: -normal, offset: NEAR * depth - offset };
        let mut part = self.whole(vertices, faces, bounding_radius).to_vec();
        cut(&mut part, behind.lifted(), BEHIND, 0.0, &mut CutLists::default());
        part
    }
}
