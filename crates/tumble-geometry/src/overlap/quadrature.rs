//! The region that two convex bodies share, by rays from a point inside: for every pair with a curved surface.
//!
//! From a point c inside, the region is star shaped. With a linear map L that makes it round, points are c + t L d, d on
//! the unit sphere, and
//!
//! V = det L int t^3/3 dw,  int x dV = det L int t^4/4 L d dw,  n dA = det L t^2 n / (n . L d) dw.
//!
//! The unit sphere is taken in half-planes of constant azimuth. In each the bounds of the region and the angles where
//! they change are found to rounding (`half_plane`); over the azimuth see `azimuth`. The surface must close,
//! S_a + S_b = 0 and G_a + G_b = 0, and the error estimate says how well it does: if not within the tolerance,
//! everything is done again more finely, and if that does not help either, the answer says so.
//!
//! Valid for all convex shapes, also a half-space with one of them, from lenses of a thickness of 1e-7 of the size (where
//! rounding, 1e-16 of the size, begins to show) to one body inside the other. Known to fail: a feature of a smooth pair
//! (no corner on two planes) that is seen from c under less than about 5 degrees can be overlooked, with an error of about
//! its own volume and area.

mod azimuth;
mod centre;
mod corners;
mod curved;
mod half_plane;
mod pieces;
mod rules;
mod sums;
mod superquadric_norm;

use super::clipped_polyhedron::Owner;
use super::{OverlapRegion, Unresolved};
use crate::{Contact, Pose, Shape};
use azimuth::{Azimuth, Task};
use centre::Slab;
use glam::DVec3;
use half_plane::Fineness;
use pieces::Pieces;
pub(super) use rules::{GAUSS_7, KRONROD_15};

/// Lists that are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct RayWorkspace {
    pieces: Pieces,
    azimuth: Azimuth,
}

/// The region shared by convex shapes a and b whose contact is known.
pub(super) fn overlap_by_rays(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    contact: &Contact,
    tolerance: f64,
    workspace: &mut RayWorkspace,
) -> Result<Option<OverlapRegion>, Unresolved> {
    let (radius_a, radius_b) = (a.solid_radius(), b.solid_radius());
    let slab = Slab {
        middle: 0.5 * (contact.point_a + contact.point_b),
        normal: contact.normal,
        thickness: -contact.separation,
        reach: 2.0 * radius_a.min(radius_b),
    };
    let place = |pieces: &mut Pieces, origin: DVec3| {
        pieces.clear();
        pieces.add(a, Owner::A, &Pose::IDENTITY, origin) && pieces.add(b, Owner::B, pose_ab, origin)
    };
    let smaller = if radius_a <= radius_b { (DVec3::ZERO, radius_a) } else { (pose_ab.position, radius_b) };
    region(place, &slab, smaller, tolerance, workspace)
}

/// The part of a convex shape in the half-space z <= 0; its lowest point is known.
pub(super) fn half_space_by_rays(
    shape: &Shape,
    pose: &Pose,
    tolerance: f64,
    workspace: &mut RayWorkspace,
) -> Result<Option<OverlapRegion>, Unresolved> {
    let end = |direction: DVec3| pose.transform_point(shape.support(pose.inverse_transform_vector(direction)));
    let (lowest, highest) = (end(DVec3::NEG_Z), end(DVec3::Z));
    let top = highest.z.min(0.0);
    if lowest.z >= 0.0 {
        return Ok(None);
    }
    let slab = Slab {
        middle: DVec3::new(lowest.x, lowest.y, 0.5 * (lowest.z + top)),
        normal: DVec3::NEG_Z,
        thickness: top - lowest.z,
        reach: 2.0 * shape.solid_radius(),
    };
    let place = |pieces: &mut Pieces, origin: DVec3| {
        pieces.clear();
        pieces.add_half_space(Owner::B, origin);
        pieces.add(shape, Owner::A, pose, origin)
    };
    region(place, &slab, (pose.position, shape.solid_radius()), tolerance, workspace)
}

/// The region within constraints that `place` sets about an origin. `smaller` is a ball that holds it.
fn region(
    place: impl Fn(&mut Pieces, DVec3) -> bool,
    slab: &Slab,
    smaller: (DVec3, f64),
    tolerance: f64,
    workspace: &mut RayWorkspace,
) -> Result<Option<OverlapRegion>, Unresolved> {
    if slab.thickness.is_nan() || slab.thickness <= 0.0 {
        return Ok(None);
    }
    let RayWorkspace { pieces, azimuth } = workspace;
    if !place(pieces, slab.middle) {
        return Ok(None);
    }
    let local = Slab { middle: DVec3::ZERO, ..*slab };
    let whole = Slab { middle: smaller.0 - slab.middle, thickness: 2.0 * smaller.1, reach: smaller.1, ..*slab };
    // The slab is tight if the witness points are good. The smaller body's ball holds the region in any case.
    let inside = centre::point_inside(pieces, &local).or_else(|| centre::point_inside(pieces, &whole));
    let Some(inside) = inside else {
        // A contact is good to about 1e-9 of the size; below that there may be nothing to find.
        let is_sure = slab.thickness > crate::tolerance::CERTIFIED * slab.reach;
        return if is_sure { Err(Unresolved { best: None, relative_error: 1.0 }) } else { Ok(None) };
    };
    let again = |pieces: &mut Pieces, origin: DVec3| {
        place(pieces, origin);
    };
    let Some(frame) = centre::round_frame(pieces, again, slab.middle + inside, slab.normal) else {
        return Err(Unresolved { best: None, relative_error: 1.0 });
    };
    centre::drop_far_planes(&mut pieces.planes, &frame.map);
    let length = frame.map.x_axis.length().max(frame.map.y_axis.length()).max(frame.map.z_axis.length());
    let mut fineness = Fineness::for_tolerance(tolerance);
    let mut best: Option<(OverlapRegion, f64)> = None;
    for _ in 0..3 {
        azimuth.breaks.clear();
        corners::corners(pieces, &frame.map, &mut azimuth.breaks);
        azimuth.sort_breaks(fineness.same_azimuth);
        let task = Task { pieces, map: &frame.map, fineness, tolerance: 0.5 * tolerance, length };
        let (sums, estimate) = azimuth.integrate(&task);
        let error = estimate.max(sums.leak(length));
        let determinant = frame.map.determinant().abs();
        let vector_area = 0.5 * determinant * (sums.vector_area[0] - sums.vector_area[1]);
        let first_moment = 0.5 * determinant * (sums.first_moment[0] - sums.first_moment[1]);
        let found = OverlapRegion {
            volume: determinant * sums.volume,
            centroid: frame.origin + sums.moment / sums.volume,
            surface_area: determinant * sums.area,
            vector_area,
            first_moment: first_moment + frame.origin.cross(vector_area),
        };
        let is_sound = found.volume > 0.0 && found.volume.is_finite() && error.is_finite();
        if is_sound && best.is_none_or(|(_, least)| error < least) {
            best = Some((found, error));
        }
        if is_sound && error <= tolerance {
            break;
        }
        fineness = fineness.refined();
    }
    match best {
        Some((found, error)) if error <= tolerance => Ok(Some(found)),
        Some((found, error)) => Err(Unresolved { best: Some(found), relative_error: error }),
        None => Err(Unresolved { best: None, relative_error: 1.0 }),
    }
}
