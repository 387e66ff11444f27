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

use super::crossed_edges::crossed_edges;
use super::shared_part::{SharedPart, first_cutter};
use super::{Workspace, planar as in_plane};
use crate::roof::RoofPlane;
use crate::tolerance::{IN_PLANE, ON_ROOF};
use crate::{Contact, PlanarPose, Polyhedron, Pose, Shape};
use glam::DVec3;
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
    roof: SharedPart<4>,
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
    let solids = [polyhedron(a)?, polyhedron(b)?];
    let crossed = crossed_edges(solids, contact.normal, pose_ab).and_then(|shared| measure::crossed(&shared));
    crossed.or_else(|| by_roofs(solids, contact.normal, pose_ab, &mut workspace.roofs))
}

/// The same by what lies under the roofs over both.
fn by_roofs(
    [a, b]: [&Polyhedron; 2],
    normal: DVec3,
    pose_ab: &Pose,
    workspace: &mut RoofWorkspace,
) -> Option<DepthMoments> {
    let pose_ba = pose_ab.relative(&Pose::IDENTITY);
    let (is_a_cut, first) = first_cutter([a, b], normal, &pose_ba);
    if is_a_cut {
        under_both([a, b], first, pose_ab, workspace)
    } else {
        let found = under_both([b, a], first, &pose_ba, workspace)?;
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
    let RoofWorkspace { roof, visited, .. } = &mut workspace.roofs;
    let plane = RoofPlane { normal: -direction, offset: -distance };
    roof.take_behind(solid, plane, ON_ROOF * solid.bounding_radius())?;
    measure::measure(&roof.corners, solid.faces(), &roof.cutters, visited)
}

/// What lies under the roof over a, cut by b's planes, given b's face that looks at a.
#[inline]
fn under_both(
    [a, b]: [&Polyhedron; 2],
    first: usize,
    pose_ab: &Pose,
    workspace: &mut RoofWorkspace,
) -> Option<DepthMoments> {
    let RoofWorkspace { roof, visited, .. } = workspace;
    roof.take_shared([a, b], first, pose_ab, ON_ROOF * (a.bounding_radius() + b.bounding_radius()))?;
    measure::measure(&roof.corners, a.faces(), &roof.cutters, visited)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow;
    use crate::oracle::Sequence;

    /// Two ways that have nothing in common but the planes; how near they come is decided by how thin the region is.
    #[test]
    fn edges_that_cross_and_roofs_give_the_same_moments() {
        let mut random = Sequence::new(21);
        let mut workspace = RoofWorkspace::default();
        let (mut n_crossed, mut n_cut) = (0, 0);
        for n in [4, 8, 20, 20, 40] {
            let mut hull = || {
                let points: Vec<DVec3> = (0..n).map(|_| random.direction()).collect();
                Shape::Polyhedron(Polyhedron::from_points(&points).unwrap())
            };
            let (a, b) = (hull(), hull());
            let solids = [a.as_polyhedron().unwrap(), b.as_polyhedron().unwrap()];
            for _ in 0..300 {
                let start = Pose::new(random.direction(), random.orientation());
                let contact = narrow::contact(&a, &b, &start).unwrap();
                let depth = random.between_in_ratio(1e-5, 0.1);
                let position = start.position - contact.normal * (contact.separation + depth);
                let pose = Pose::new(position, start.orientation);
                let Some(crossed) = crossed_edges(solids, contact.normal, &pose) else {
                    n_cut += 1;
                    continue;
                };
                n_crossed += 1;
                let found = measure::crossed(&crossed).unwrap();
                let expected = by_roofs(solids, contact.normal, &pose, &mut workspace).unwrap();
                let slope = |slope: Slope| slope.shift.length() + slope.turn.length();
                let off = [
                    found.volume / expected.volume - 1.0,
                    found.depth_integral / expected.depth_integral - 1.0,
                    (found.centre - expected.centre).length(),
                    slope(found.volume_slope.plus(&expected.volume_slope.times(-1.0))) / slope(expected.volume_slope),
                    slope(found.depth_slope.plus(&expected.depth_slope.times(-1.0))) / slope(expected.depth_slope),
                ];
                assert!(off.iter().all(|off| off.abs() < 1e-13 / depth + 1e-12), "{off:?} at {pose:?}, depth {depth}");
            }
        }
        assert!(n_crossed > 300 && n_cut > 300, "{n_crossed} {n_cut}");
    }
}
