//! The part of a grain beyond a wall, for the laws on regions: the wall is a half-space whose plane touches it.
//!
//! A curved wall has many such planes. w(V) is a function of the pose alone only if the pose says which: contacts and the passes between them
//! are those whose V is stationary over the wall's normals (walls.rs), so that force and torque are the gradient of the energy as if the planes
//! stood still.
//!
//! Known limit: V is that of the half-space, which is more than what is really beyond a curved wall.

use super::meeting::depths_as_region;
use glam::{DQuat, DVec3};
use tumble_geometry::overlap::{OverlapRegion, Workspace, depth_moments_half_space, overlap_half_space_from};
use tumble_geometry::tolerance::LEVEL;
use tumble_geometry::{Pose, Shape};

/// A convex part of a grain where it is.
pub(super) struct PlacedPart<'a> {
    /// Its shape.
    pub(super) shape: &'a Shape,
    /// Where it is in the world.
    pub(super) pose: Pose,
    /// Whether V is the integral of the depth, and not the volume.
    pub(super) by_depths: bool,
}

impl PlacedPart<'_> {
    /// The part beyond a plane through a point, which its normal points into, seen from an origin along the world's axes. A
    /// region that missed its tolerance is used as it is.
    pub(super) fn beyond_plane(
        &self,
        point: DVec3,
        normal: DVec3,
        origin: DVec3,
        workspace: &mut Workspace,
    ) -> Option<OverlapRegion> {
        let plane = Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, -normal));
        if self.by_depths {
            let moments = depth_moments_half_space(self.shape, &plane.relative(&self.pose), workspace)?;
            return Some(depths_as_region(&moments).transformed(&Pose::new(point - origin, plane.orientation)));
        }
        let region = overlap_half_space_from(self.shape, &plane.relative(&self.pose), workspace)
            .unwrap_or_else(|unresolved| unresolved.best)?;
        Some(region.transformed(&Pose::new(point - origin, plane.orientation)))
    }

    /// How well the lines of force of such parts are known [m].
    pub(super) fn accuracy(&self, workspace: &Workspace) -> f64 {
        let by_quadrature = matches!(self.shape, Shape::Superquadric(s) if s.n1 != 2.0 || s.n2 != 2.0);
        // Below what the region itself is known to, so that a search adds nothing to its error.
        self.shape.bounding_radius() * if by_quadrature { LEVEL.max(0.1 * workspace.tolerance) } else { LEVEL }
    }
}
