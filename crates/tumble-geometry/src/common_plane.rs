//! The common plane: the classical method of Cundall, and the improved one of Liu, for polygons and polyhedra.
//!
//! A plane is laid between two bodies and tilted until the gap along its normal is as large as it gets ([`Block`] has the
//! distances, `search` the tilting). Its normal is that of the contact, the gap the separation. Cundall's contact point
//! is the reference point of the plane, half way between the two nearest vertices; Liu's goes by what touches the plane
//! ([`ContactKind`]), and a second condition ends the search.
//!
//! What it is for: to compare with. [`crate::narrow::contact`] finds the largest gap; here
//! - the search stalls on ridges of the gap: with four directions of tilt the depth of polyhedra is off by more than 1 % in half
//!   of all pairs, and one pair in four or five that are apart is said to overlap. With sixteen directions it is one in forty;
//! - bodies that overlap have many local maxima, and the one above the starting plane is not always the largest;
//! - the gap is never larger than the true one: bodies that overlap are never said to be apart;
//! - the answer depends on which body is a, but for polygons, where the tilts to either side are the same.
//!
//! The line of the centroids is where every search begins: the answer is a function of the pose alone, and the guesses that
//! runs have are not used.
//!
//! The classical contact point: the paper's figure of it is not explained, and can also be read as the point where the
//! line of the centroids meets the plane. Half way between the nearest vertices is Cundall's reference point (1988), and what
//! the paper keeps for two corners, equation (3).
//!
//! References: Cundall, *Formulation of a three-dimensional distinct element model, part I*, Int. J. Rock Mech. Min. Sci. 25
//! (1988) 107; Liu, *an improved contact detection algorithm based on the common-plane concept* (see the book's page on the
//! common plane for what was wrong in print).

mod distance;
mod options;
mod point;
mod search;
mod tally;

pub use distance::Block;
pub use options::{
    CommonPlaneChoices, CommonPlaneOptions, EndBy, FacePoint, RefusedPlaneChoice, SearchDirections, Version,
};
pub use point::ContactKind;
pub use search::{EndedBy, MOST_ITERATIONS};
pub use tally::PlaneSearches;

use crate::{Contact, PlanarPose, Pose, Shape, ShapeKind, tolerance};
use glam::DVec3;
use point::Touching;
use search::search;

/// The contact of two bodies by a common plane, apart or overlapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonPlaneContact {
    /// The same in the terms of all other contacts, in a's frame. The contact point is half way between its two points.
    pub contact: Contact,
    /// What touches the plane.
    pub kind: ContactKind,
    /// Whether the edges or faces that touch it share a point, seen along the normal. Where they do not, the plane is not that of
    /// the largest gap, and the contact point is the reference point.
    pub has_common_point: bool,
    /// How often the plane was tilted.
    pub iterations: usize,
    /// What ended the search.
    pub ended_by: EndedBy,
    /// How far the separation may be off by the angle at the end [m], if the search did not converge.
    pub bound: f64,
}

/// Whether there is a common plane for two kinds of shapes: two polygons, or two polyhedra.
pub fn has_common_plane(a: ShapeKind, b: ShapeKind) -> bool {
    matches!((a, b), (ShapeKind::Polygon, ShapeKind::Polygon) | (ShapeKind::Polyhedron, ShapeKind::Polyhedron))
}

/// The contact of two polygons or two polyhedra by a common plane; `None` for all other shapes, and for polygons that are not in
/// one plane. `pose_ab` is b seen from a.
///
/// ```
/// use tumble_geometry::common_plane::{CommonPlaneOptions, ContactKind, contact_common_plane};
/// use tumble_geometry::{DVec3, Pose, Shape};
///
/// let cube = Shape::cuboid(DVec3::splat(2.0))?;
/// let pose = Pose::from_position(DVec3::Z * 1.9);
/// let found = contact_common_plane(&cube, &cube, &pose, &CommonPlaneOptions::LIU).unwrap();
/// assert_eq!(found.kind, ContactKind::FaceFace);
/// assert!((found.contact.separation + 0.1).abs() < 1e-5);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn contact_common_plane(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    options: &CommonPlaneOptions,
) -> Option<CommonPlaneContact> {
    if !has_common_plane(a.kind(), b.kind()) {
        return None;
    }
    let (a, b) = (Block::of(a)?, Block::of(b)?);
    let centroids = [a.centroid(), b.centroid()];
    let size = a.radius_about(centroids[0]).max(b.radius_about(centroids[1]));
    let is_planar = matches!(a, Block::Polygon(_));
    if is_planar {
        PlanarPose::of(pose_ab, size)?;
    }
    let between = pose_ab.transform_point(centroids[1]) - centroids[0];
    let between = if is_planar { between.truncate().extend(0.0) } else { between };
    let start = if between.length() > tolerance::COINCIDENT * size { between.normalize() } else { DVec3::X };

    let farthest = |normal: DVec3| {
        let local = pose_ab.inverse_transform_vector(-normal);
        [a.farthest(normal), pose_ab.transform_point(b.farthest(local))]
    };
    let gap = |normal: DVec3| {
        let [p1, p2] = farthest(normal);
        normal.dot(p2 - p1)
    };
    let plane = search(start, is_planar, size, options, gap);

    let normal = plane.normal;
    // Two tilts by the limit can be between the plane and one that an edge or a face lies in.
    let slack = (2.0 * options.angle_limit + tolerance::LIES_FLAT) * size;
    let part_a = a.nearest_part(normal, slack);
    let part_b = b.nearest_part(pose_ab.inverse_transform_vector(-normal), slack).map(|p| pose_ab.transform_point(p));
    let touching =
        Touching { vertices: farthest(normal), parts: [&part_a, &part_b], normal, gap: plane.gap, slack, size };
    let point = match options.version {
        Version::Cundall => Some(touching.reference()),
        Version::Liu => touching.point(options.face_point),
    };
    let middle = point.unwrap_or_else(|| touching.reference());
    let half = 0.5 * plane.gap * normal;
    Some(CommonPlaneContact {
        contact: Contact { normal, separation: plane.gap, point_a: middle - half, point_b: middle + half },
        kind: ContactKind::of(&part_a, &part_b),
        has_common_point: point.is_some(),
        iterations: plane.iterations,
        ended_by: plane.ended_by,
        bound: if plane.ended_by == EndedBy::Cap { plane.angle * size } else { 0.0 },
    })
}
