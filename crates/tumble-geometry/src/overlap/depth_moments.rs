//! How deep the region is that two bodies share, on average, and how that changes when one of them moves.
//!
//! With P the region, V its volume and M = integral over P of the distance from P's surface, 4 M / V is a depth: that of a thin
//! slab, 4/3 of the radius of the circle inscribed in a long wedge, the radius of the ball inscribed in a tetrahedron. M changes
//! with the planes around P as V does: where a facet of P moves outwards by dh, V grows by its area times dh and M by the volume
//! of its cell, the points of P that are nearest to it, times dh. All this follows from the roof over P (`roof.rs`): the roof
//! over one body is cut by the planes of the other.
//!
//! Exact for convex polyhedra but for rounding: corners are good to 1e-16 of the size of the bodies, so a region of
//! thickness d has its numbers to about 1e-16 size / d of themselves.

mod measure;
mod planar;

use super::{Workspace, planar as in_plane};
use crate::roof::{BEHIND, Cut, CutLists, RoofCorner, RoofPlane, cut};
use crate::tolerance::{IN_PLANE, ON_ROOF};
use crate::{Contact, PlanarPose, Polyhedron, Pose, Shape};
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// How a number changes when body a moves: by `shift . dx + turn . dw` for a step dx and a turn dw about the origin of the
/// frame of the answer. When b moves by as much instead, it changes by the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slope {
    /// Change for a step [of the number, over m].
    pub shift: DVec3,
    /// Change for a turn about the origin [of the number].
    pub turn: DVec3,
}

impl Slope {
    /// The slope of the number times a factor.
    #[inline]
    pub fn times(&self, factor: f64) -> Slope {
        Slope { shift: self.shift * factor, turn: self.turn * factor }
    }

    /// The slope of the sum of two numbers.
    #[inline]
    pub fn plus(&self, other: &Slope) -> Slope {
        Slope { shift: self.shift + other.shift, turn: self.turn + other.turn }
    }

    /// The slope in the frame in which its own frame has this pose.
    #[inline]
    pub fn transformed(&self, pose: &Pose) -> Slope {
        let shift = pose.transform_vector(self.shift);
        Slope { shift, turn: pose.transform_vector(self.turn) + pose.position.cross(shift) }
    }
}

/// Volume and depth of the region that two bodies share.
///
/// With the energy U = f(mean depth) of two bodies, what acts on a is -f' times [`DepthMoments::mean_depth_slope`], and on b
/// the opposite. With that of an elastic foundation, U = 2 kappa times [`DepthMoments::depth_integral`], it is -2 kappa times
/// [`DepthMoments::depth_slope`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthMoments {
    /// Volume [m^3].
    pub volume: f64,
    /// The middle of where the bodies press on each other: of the points of the region that are as far from a's surface as from
    /// b's, weighted with that distance. The deepest point if one body is inside the other [m].
    pub centre: DVec3,
    /// Integral of the distance from the region's surface over the region [m^4].
    pub depth_integral: f64,
    /// How the volume changes: sums over a's facets of normal times area, and of the moment of that about the origin.
    pub volume_slope: Slope,
    /// How the integral of the depth changes: the same sums with the volumes of the facets' cells for areas, and the centres of
    /// the cells.
    pub depth_slope: Slope,
}

impl DepthMoments {
    /// Four times the mean distance of the region's points from its surface: the thickness of a thin slab [m].
    #[inline]
    pub fn mean_depth(&self) -> f64 {
        4.0 * self.depth_integral / self.volume
    }

    /// How the mean depth changes when a moves.
    #[inline]
    pub fn mean_depth_slope(&self) -> Slope {
        let scale = 4.0 / self.volume;
        self.depth_slope.times(scale).plus(&self.volume_slope.times(-scale * self.depth_integral / self.volume))
    }

    /// The area of a slab of this volume and depth [m^2].
    #[inline]
    pub fn patch_area(&self) -> f64 {
        self.volume / self.mean_depth()
    }

    /// The radius of a round patch of this area [m].
    #[inline]
    pub fn patch_radius(&self) -> f64 {
        (self.patch_area() / PI).sqrt()
    }

    /// The same with a and b exchanged: the surface is closed, so b's part of it has the opposite sums.
    #[inline]
    pub fn swapped(&self) -> DepthMoments {
        DepthMoments { volume_slope: self.volume_slope.times(-1.0), depth_slope: self.depth_slope.times(-1.0), ..*self }
    }

    /// The same taken to the frame in which its own frame has this pose.
    #[inline]
    pub fn transformed(&self, pose: &Pose) -> DepthMoments {
        DepthMoments {
            centre: pose.transform_point(self.centre),
            volume_slope: self.volume_slope.transformed(pose),
            depth_slope: self.depth_slope.transformed(pose),
            ..*self
        }
    }
}

/// Lists for the depth of regions.
#[derive(Clone, Debug, Default)]
pub(super) struct RoofWorkspace {
    roof: Vec<RoofCorner<4>>,
    lists: CutLists<4>,
    cutters: Vec<RoofPlane>,
    visited: Vec<u8>,
    planar: planar::PlanarRoofWorkspace,
}

/// Most faces of a shape that [`depth_moments`] answers for. The roof over such a body is made once, in a number of steps
/// that grows with the square of that number.
pub const MOST_FACES: usize = 4_000;

/// Whether [`depth_moments`] answers for this shape: it has flat faces only, and not more than [`MOST_FACES`].
pub fn has_depth_moments(shape: &Shape) -> bool {
    polyhedron(shape).is_some()
}

fn polyhedron(shape: &Shape) -> Option<&Polyhedron> {
    shape.as_polyhedron().filter(|polyhedron| polyhedron.faces().len() <= MOST_FACES)
}

/// Volume and depth of the region that shapes a and b share; `None` when they share no volume, and for shapes that
/// [`has_depth_moments`] does not name. `pose_ab` is b seen from a; the answer is in a's frame. The contact tells where to begin:
/// another normal takes longer and gives the same answer. Polygons in one plane are deep in the plane only.
///
/// ```
/// use tumble_geometry::overlap::{Workspace, depth_moments};
/// use tumble_geometry::{DVec3, Pose, Shape, contact};
///
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let pose = Pose::from_position(DVec3::Z * 0.99);
/// let contact = contact(&cube, &cube, &pose).unwrap();
/// let found = depth_moments(&cube, &cube, &pose, &contact, &mut Workspace::default()).unwrap();
/// assert!((found.volume - 0.01).abs() < 1e-14);
/// // A slab of depth d and edge 1: its rims are nearer to the sides.
/// let d: f64 = 0.01;
/// assert!((found.mean_depth() - d * (1.0 - 2.0 / 3.0 * d + 1.0 / 6.0 * d * d)).abs() < 1e-14);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn depth_moments(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    contact: &Contact,
    workspace: &mut Workspace,
) -> Option<DepthMoments> {
    if let (Shape::Polygon(polygon_a), Shape::Polygon(polygon_b)) = (a, b)
        && let sizes = [a.bounding_radius(), b.bounding_radius()]
        && let Some(pose) = PlanarPose::of(pose_ab, sizes[0].max(sizes[1]))
    {
        return planar::polygons(polygon_a, polygon_b, &pose, sizes, &mut workspace.roofs.planar);
    }
    let (solid_a, solid_b) = (polyhedron(a)?, polyhedron(b)?);
    let (normal, pose_ba) = (contact.normal, pose_ab.relative(&Pose::IDENTITY));
    let normal_b = pose_ba.transform_vector(-normal);
    let (of_a, of_b) = (solid_a.facing(normal), solid_b.facing(normal_b));
    let cosines = [solid_a.faces()[of_a].normal.dot(normal), solid_b.faces()[of_b].normal.dot(normal_b)];
    // What lies on a face of the other is cut by this face first: then little is left, and most of the others miss it.
    if cosines[1] >= cosines[0] {
        under_both([solid_a, solid_b], [of_a, of_b], pose_ab, &mut workspace.roofs)
    } else {
        let found = under_both([solid_b, solid_a], [of_b, of_a], &pose_ba, &mut workspace.roofs)?;
        Some(found.transformed(pose_ab).swapped())
    }
}

/// The same for the part of a shape, which is a, in the half-space z <= 0. `pose` is the shape seen from the half-space, and
/// the answer is in the half-space's frame.
pub fn depth_moments_half_space(shape: &Shape, pose: &Pose, workspace: &mut Workspace) -> Option<DepthMoments> {
    if let Shape::Polygon(polygon) = shape
        && in_plane::half_space_is_upright(shape, pose)
    {
        return planar::polygon_half_space(polygon, pose, shape.bounding_radius(), &mut workspace.roofs.planar);
    }
    let found =
        depth_moments_beyond_plane(shape, pose.inverse_transform_vector(DVec3::NEG_Z), pose.position.z, workspace)?;
    Some(found.transformed(pose))
}

/// The same for the part of a shape beyond a plane at a distance from its origin along a unit direction, in the shape's frame. A
/// polygon is deep in its plane only if the plane is upright on that.
pub(crate) fn depth_moments_beyond_plane(
    shape: &Shape,
    direction: DVec3,
    distance: f64,
    workspace: &mut Workspace,
) -> Option<DepthMoments> {
    if let Shape::Polygon(polygon) = shape
        && direction.z.abs() <= IN_PLANE
    {
        return planar::polygon_beyond_line(
            polygon,
            direction,
            distance,
            shape.bounding_radius(),
            &mut workspace.roofs.planar,
        );
    }
    let solid = polyhedron(shape)?;
    let RoofWorkspace { roof, lists, cutters, visited, .. } = &mut workspace.roofs;
    let plane = RoofPlane { normal: -direction, offset: -distance };
    cutters.clear();
    cutters.push(plane);
    first_cut(solid, solid.facing(direction), plane, ON_ROOF * solid.bounding_radius(), roof, lists)?;
    measure::measure(roof, solid.faces(), cutters, visited)
}

/// Writes the roof over what of a body lies behind a plane, if any does. It is near one of its vertices if it is small, and near one of
/// its faces if it is shallow.
#[inline]
fn first_cut(
    solid: &Polyhedron,
    face: usize,
    plane: RoofPlane,
    tolerance: f64,
    roof: &mut Vec<RoofCorner<4>>,
    lists: &mut CutLists<4>,
) -> Option<()> {
    let number = (solid.faces().len() + 1) as u16;
    // What is left of the roof near a vertex is whole if the plane parts it from where that roof ends.
    let is_parted = |corner: &RoofCorner<4>| !corner.lies_on(BEHIND) || plane.height(corner) > tolerance;
    if let Some(near) = solid.roof_near_vertex(solid.support_vertex(-plane.normal))
        && near.iter().all(is_parted)
    {
        roof.clear();
        roof.extend_from_slice(near);
        return (cut(roof, plane.lifted(), number, tolerance, lists) == Cut::Something).then_some(());
    }
    if let Some(near) = solid.roof_near(face) {
        roof.clear();
        roof.extend_from_slice(near);
        if cut(roof, plane.lifted(), number, tolerance, lists) == Cut::Something
            && !roof.iter().any(|corner| corner.lies_on(BEHIND))
        {
            return Some(());
        }
    }
    roof.clear();
    roof.extend_from_slice(solid.roof());
    (cut(roof, plane.lifted(), number, tolerance, lists) != Cut::Nothing).then_some(())
}

/// What lies under the roof over a, cut by b's planes. Of each the face that looks at the other is given.
fn under_both(
    [a, b]: [&Polyhedron; 2],
    [of_a, of_b]: [usize; 2],
    pose_ab: &Pose,
    workspace: &mut RoofWorkspace,
) -> Option<DepthMoments> {
    let RoofWorkspace { roof, lists, cutters, visited, .. } = workspace;
    let turn = DMat3::from_quat(pose_ab.orientation);
    let placed = |index: usize| {
        let face = &b.faces()[index];
        let normal = turn * face.normal;
        RoofPlane { normal, offset: face.offset + normal.dot(pose_ab.position) }
    };
    let seen_from_b = |point: DVec3| turn.transpose() * (point - pose_ab.position);
    let tolerance = ON_ROOF * (a.bounding_radius() + b.bounding_radius());
    cutters.clear();
    cutters.push(placed(of_b));
    first_cut(a, of_a, cutters[0], tolerance, roof, lists)?;
    let bounds = Bounds::of(roof, seen_from_b);
    for (index, face) in b.faces().iter().enumerate() {
        if index == of_b || bounds.are_missed_by(face.normal, face.offset) {
            continue;
        }
        let plane = placed(index);
        let number = (a.faces().len() + 1 + cutters.len()) as u16;
        match cut(roof, plane.lifted(), number, tolerance, lists) {
            Cut::Nothing => return None,
            Cut::Everything => {}
            Cut::Something => cutters.push(plane),
        }
    }
    measure::measure(roof, a.faces(), cutters, visited)
}

/// A box around a roof along the axes of a frame, and how high the roof is.
struct Bounds {
    middle: DVec3,
    half: DVec3,
    highest: f64,
}

impl Bounds {
    #[inline(always)]
    fn of(roof: &[RoofCorner<4>], place: impl Fn(DVec3) -> DVec3) -> Bounds {
        let (mut lower, mut upper, mut highest) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
        for corner in roof {
            let point = place(corner.point());
            (lower, upper) = (lower.min(point), upper.max(point));
            highest = highest.max(corner.depth());
        }
        Bounds { middle: 0.5 * (lower + upper), half: 0.5 * (upper - lower), highest }
    }

    /// Whether a plane is too far outside to cut the roof.
    #[inline(always)]
    fn are_missed_by(&self, normal: DVec3, offset: f64) -> bool {
        normal.dot(self.middle) + normal.abs().dot(self.half) + self.highest <= offset
    }
}
