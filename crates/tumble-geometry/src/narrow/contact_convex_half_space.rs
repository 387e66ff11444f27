//! A convex shape and the half-space z <= 0.
//!
//! The separation is the height of the shape's lowest point, in closed form for every shape, and the normal is -z. There
//! is always one contact, feature 0. A face or edge that lies flat on the plane is met in its middle (see
//! placed_shape.rs); the separation is that of the lowest point all the same, so it has no jump.

use super::placed_shape::PlacedShape;
use crate::{Pose, Superquadric, SurfaceContact};
use glam::DVec3;

/// Appends the contact of a convex shape with everything at z <= 0, if its separation is at most `margin`.
pub(super) fn contact_convex_half_space(body: &PlacedShape, margin: f64, out: &mut Vec<SurfaceContact>) {
    if body.centre.z - body.radius > margin {
        return;
    }
    let separation = body.support(DVec3::NEG_Z).z;
    if separation <= margin {
        let middle = body.patch(DVec3::NEG_Z).middle;
        let point = DVec3::new(middle.x, middle.y, 0.0);
        out.push(SurfaceContact::new(0, DVec3::NEG_Z, separation, point));
    }
}

/// The same for a superquadric, which is met in its one lowest point.
#[inline]
pub(super) fn contact_superquadric_half_space(
    body: &Superquadric,
    pose: &Pose,
    margin: f64,
    out: &mut Vec<SurfaceContact>,
) {
    let lowest = pose.transform_point(body.support(pose.inverse_transform_vector(DVec3::NEG_Z)));
    if lowest.z <= margin {
        out.push(SurfaceContact::new(0, DVec3::NEG_Z, lowest.z, DVec3::new(lowest.x, lowest.y, 0.0)));
    }
}
