//! A body with flat faces and a surface, under a law of the mean depth.
//!
//! Against a plane such a body is as deep as what of it lies beyond the plane is on average. On a mesh a contact is where this depth is
//! stationary over the normals of a part of it, and so is a pass, as with the depth of the farthest point
//! (contact_convex_mesh.rs): the line in which the depth grows takes the place of that point. So a cube that lies over
//! a seam or across a shallow groove has no step in its energy either.

use super::contact_convex_surface::contact_convex_surface;
use super::convex::Convex;
use super::placed_shape::PlacedShape;
use super::yielding::YieldedSurface;
use crate::overlap::{Slope, Workspace, depth_moments_beyond_plane};
use crate::{Pose, Shape, Surface, SurfaceContact};
use glam::DVec3;
use std::cell::RefCell;

/// Appends every contact with a surface that overlaps of a body with flat faces only, whose depth is the mean one of what of it lies beyond a plane
/// ([`DepthMoments::mean_depth`](crate::overlap::DepthMoments::mean_depth)). `flat_depth` is that by which a face, an edge or a
/// corner has gone into the surface.
pub fn contact_mean_depth_surface(
    shape: &Shape,
    surface: &Surface,
    pose: &Pose,
    workspace: &mut Workspace,
    room: &mut Vec<SurfaceContact>,
    out: &mut Vec<YieldedSurface>,
) {
    room.clear();
    let workspace = RefCell::new(workspace);
    let pressed = |direction: DVec3, distance: f64| {
        let moments = depth_moments_beyond_plane(shape, direction, distance, &mut workspace.borrow_mut())?;
        let Slope { shift, turn } = moments.mean_depth_slope();
        let steepness = shift.length();
        // The line in which the depth grows.
        let on_line = shift.cross(turn) / (steepness * steepness);
        (steepness > 0.0 && moments.volume > 0.0).then_some((moments, steepness, on_line))
    };
    let measured = |direction: DVec3, distance: f64| {
        let (moments, _, on_line) = pressed(direction, distance)?;
        Some((moments.mean_depth(), on_line))
    };
    let mut placed = PlacedShape::new(Convex::from(shape), pose);
    placed.measured = Some(&measured);
    contact_convex_surface(&placed, surface, 0.0, room);
    room.retain(|contact| contact.separation < 0.0);
    out.extend(room.iter().map(|contact| {
        let direction = pose.inverse_transform_vector(contact.normal);
        let distance = contact.normal.dot(contact.point - pose.position);
        pressed(direction, distance).map_or_else(
            || YieldedSurface::rigid(*contact),
            |(moments, slope, _)| YieldedSurface {
                contact: *contact,
                slope,
                flat_depth: -contact.separation / slope,
                patch_radius: moments.patch_radius(),
            },
        )
    }));
}
