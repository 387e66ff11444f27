//! Volume, centroid, area and slopes of a region that was cut out as a body with three planes at each corner ([`SharedPart`]).
//!
//! Facets are rings of corners that lie on one plane, whose normal is known: a facet's area is that seen along it, with the sign that follows
//! from the hands of its corners, so that whatever rounding turned over is made up for by its neighbours. With A the area of a facet, F its
//! first moment and h its distance from a corner of the region, all from that corner,
//!
//! V = sum of h A / 3,  V c = sum of h F / 4.
//!
//! What a's surface adds to the slopes is the opposite of what b's adds, because the surface is closed: the sums go over the second body, of which
//! there are fewer facets.

use super::OverlapRegion;
use super::shared_part::SharedPart;
use crate::roof::{RoofPlane, Slot, Walk};
use crate::shape::Face;
use glam::DVec3;

/// For each slot the mark of the facet on its plane, which lies between the edges along the other two.
const MARKS: [u8; 3] = [8, 2, 1];

/// Measures what was cut out of the body with these faces, which is a; `None` when it has no volume. `visited` is a list to use.
pub(super) fn region_of_part(part: &SharedPart<3>, faces: &[Face], visited: &mut Vec<u8>) -> Option<OverlapRegion> {
    let corners = &part.corners[..];
    let origin = corners.first()?.point();
    visited.clear();
    visited.resize(corners.len(), 0);
    let (mut volume, mut moment, mut surface_area) = (0.0, DVec3::ZERO, 0.0);
    let (mut vector_area, mut first_moment) = (DVec3::ZERO, DVec3::ZERO);
    for (start, corner) in corners.iter().enumerate() {
        for (slot, mark) in MARKS.into_iter().enumerate() {
            if visited[start] & mark != 0 {
                continue;
            }
            let number = usize::from(corner.plane(slot));
            let cutter: Option<&RoofPlane> = part.cutters.get(number.wrapping_sub(faces.len() + 1));
            let normal = cutter.map_or_else(|| faces[number - 1].normal, |plane| plane.normal);
            // Twice the area, and six times the first moment: triangles from this corner to the sides that do not meet it.
            let mut walk = Walk::new(corners, start, [Slot::new((slot + 1) % 3), Slot::new((slot + 2) % 3)]);
            let mut next = || {
                let (corner, index, mark) = walk.next()?;
                visited[index] |= mark;
                Some(corner.point())
            };
            let p = corner.point();
            let Some(q) = next() else { continue };
            let mut q = q - p;
            let (mut area, mut moment_of_facet) = (0.0, DVec3::ZERO);
            while let Some(r) = next() {
                let r = r - p;
                let twice = q.cross(r).dot(normal);
                area += twice;
                moment_of_facet += twice * (q + r);
                q = r;
            }
            let p = p - origin;
            let area = corner.hand * area;
            let moment_of_facet = corner.hand * moment_of_facet + 3.0 * area * p;
            let height = normal.dot(p);
            volume += height * area;
            moment += height * moment_of_facet;
            surface_area += area;
            if cutter.is_some() {
                vector_area += area * normal;
                first_moment += moment_of_facet.cross(normal);
            }
        }
    }
    // Which hand is which, the volume tells. Not a number is no volume either.
    let hand = 1f64.copysign(volume);
    if volume.is_nan() || volume == 0.0 {
        return None;
    }
    let vector_area = vector_area * (-0.5 * hand);
    Some(OverlapRegion {
        volume: hand * volume / 6.0,
        centroid: origin + moment / (4.0 * volume),
        surface_area: 0.5 * hand * surface_area,
        vector_area,
        first_moment: first_moment * (-hand / 6.0) + origin.cross(vector_area),
    })
}
