//! A body and a surface, under a law that measures otherwise than by the farthest point how deep the body is.
//!
//! Against a plane a body may be as deep as what of it lies beyond the plane is on average, or count by the volume of that. On a mesh or a wall of
//! revolution a contact is where this measure is stationary over the normals of a part of it, and so is a pass, as with the depth of the
//! farthest point (contact_convex_mesh.rs, contact_convex_revolved.rs): the line in which the measure grows takes the place of that point. So a
//! cube that lies over a seam or across a shallow groove, or turns in a tube, has no step in its energy under such a law either.

use super::contact_convex_surface::contact_convex_surface;
use super::convex::Convex;
use super::placed_shape::{BeyondPlane, Measure, Measured, PlacedShape};
use super::yielding::YieldedSurface;
use crate::overlap::{DepthMoments, Slope, Workspace, depth_moments_beyond_plane};
use crate::{Pose, Shape, Surface, SurfaceContact, tolerance};
use glam::DVec3;
use std::cell::RefCell;

/// Planes that are looked for among the last that were asked about.
const MOST_KEPT: usize = 8;

/// A plane that was asked about, and the answer.
struct Asked {
    direction: DVec3,
    distance: f64,
    answer: Option<BeyondPlane>,
}

/// Appends every contact of a convex body with a surface that overlap, with its passes, where something is measured of what of the
/// body lies beyond a plane: `measure` is given the plane's unit normal, which leads away from the body, and its distance from the origin,
/// in the body's frame, and answers with the measure as a length that grows with it and is no more than the depth of the farthest point [m];
/// `None` if nothing is beyond the plane. The lines in which it grows are known to `accuracy` [m]. The separation of the answers is minus that
/// length.
pub fn contact_measured_surface(
    shape: &Shape,
    surface: &Surface,
    pose: &Pose,
    measure: &Measured,
    accuracy: f64,
    out: &mut Vec<SurfaceContact>,
) {
    let rounding = tolerance::EXACT * shape.bounding_radius();
    // Most triangles of a mesh lie in few planes.
    let asked: RefCell<Vec<Asked>> = RefCell::default();
    let measured = |direction: DVec3, distance: f64| {
        let is_same = |other: &&Asked| {
            (other.distance - distance).abs() <= rounding && other.direction.distance(direction) <= tolerance::EXACT
        };
        let known = asked.borrow().iter().rev().take(MOST_KEPT).find(is_same).map(|other| other.answer);
        known.unwrap_or_else(|| {
            let answer = measure(direction, distance);
            asked.borrow_mut().push(Asked { direction, distance, answer });
            answer
        })
    };
    let mut placed = PlacedShape::new(Convex::from(shape), pose);
    placed.measured = Some(Measure { of: &measured, accuracy });
    let first = out.len();
    contact_convex_surface(&placed, surface, 0.0, out);
    let mut index = 0;
    out.retain(|contact| {
        index += 1;
        index <= first || contact.separation < 0.0
    });
}

/// Appends every contact with a surface that overlaps of a body with flat faces only, whose depth is the mean one of what of it
/// lies beyond a plane ([`DepthMoments::mean_depth`]). `flat_depth` is that by which a face, an edge or a corner has gone into the
/// surface.
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
        let slope = moments.mean_depth_slope();
        (moments.volume > 0.0 && slope.shift.length() > 0.0).then_some((moments, slope))
    };
    let measure = |direction: DVec3, distance: f64| {
        let (moments, Slope { shift, turn }) = pressed(direction, distance)?;
        let point = shift.cross(turn) / shift.length_squared();
        Some(BeyondPlane { depth: moments.mean_depth(), slope: shift.length(), point })
    };
    contact_measured_surface(shape, surface, pose, &measure, tolerance::LEVEL * shape.bounding_radius(), room);
    out.extend(room.iter().map(|contact| {
        let direction = pose.inverse_transform_vector(contact.normal);
        let distance = contact.normal.dot(contact.point - pose.position);
        let of_plane = |(moments, Slope { shift, .. }): (DepthMoments, Slope)| {
            let slope = shift.length();
            let flat_depth = -contact.separation / slope;
            YieldedSurface { contact: *contact, slope, flat_depth, patch_radius: moments.patch_radius() }
        };
        pressed(direction, distance).map_or_else(|| YieldedSurface::rigid(*contact), of_plane)
    }));
}
