//! How far a body reaches through the planes of a mesh's triangles, and which of them it meets.
//!
//! A triangle is met if the foot of the body's farthest point along its normal lies in it. Where another triangle turns towards
//! the body, a point behind both can have its foot on neither. There a triangle goes on beyond the common edge, as far as there are
//! triangles behind which the point is. If the one over which the point is turns little and is met by its own farthest point,
//! the former adds nothing to it (face_passes.rs).

use super::placed_shape::PlacedShape;
use crate::surface::Mesh;
use crate::{SurfaceContact, tolerance};
use glam::DVec3;

/// Angle [rad] between triangles up to which contacts with them go over into each other. Faces of a curve that is cut up turn
/// by less from one to the next; those of a corner by more, and each of them bears a body on its own as a plane does. Nothing
/// depends on the value but how stiff a groove is: whatever a mesh is, its energy has no steps.
pub(super) const GOES_OVER: f64 = 0.5;

/// Most triangles over which a point is sought.
const MOST_WALKED: usize = 32;

/// How far a body reaches through the plane of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceReach {
    pub triangle: u32,
    /// Unit normal, away from the body's centre.
    pub normal: DVec3,
    pub separation: f64,
    /// The farthest point, or the middle of what lies flat [m].
    pub farthest: DVec3,
}

/// What is beyond an edge of a triangle, seen by a body on one side of it.
pub(super) enum Beyond {
    /// Nothing, or what turns away.
    Nothing,
    /// A triangle in the same plane.
    Flat(u32),
    /// One that turns towards the body.
    Hollow(u32),
}

impl FaceReach {
    /// `None` if the body is farther from the plane than `margin`.
    pub fn new(mesh: &Mesh, triangle: u32, body: &PlacedShape, margin: f64) -> Option<FaceReach> {
        let normal = away_from(mesh, triangle, body.centre);
        let level = normal.dot(mesh.corners(triangle)[0]);
        let separation = level - normal.dot(body.support_beyond(normal, level));
        (separation <= margin).then(|| {
            let farthest = body.patch_beyond(normal, level).middle;
            FaceReach { triangle, normal, separation, farthest }
        })
    }

    pub fn contact(&self) -> SurfaceContact {
        let point = self.farthest + self.normal * self.separation;
        SurfaceContact::new(self.triangle, self.normal, self.separation, point)
    }

    /// Whether the body, with its centre there, meets the triangle, among all whose planes it reaches through, in their order.
    pub fn is_met(&self, mesh: &Mesh, centre: DVec3, all: &[FaceReach], foot_tolerance: f64) -> bool {
        let outside = |triangle: u32, point: DVec3| most_beyond(mesh, triangle, point, foot_tolerance);
        let Some(mut edge) = outside(self.triangle, self.farthest) else { return true };
        if self.separation > 0.0 {
            return false;
        }
        let (mut triangle, mut normal, mut goes_over) = (self.triangle, self.normal, true);
        for step in 0..MOST_WALKED {
            let next = match beyond(mesh, triangle, edge, normal) {
                Beyond::Hollow(next) => next,
                // Whoever is in the same plane meets it.
                Beyond::Flat(next) if step > 0 => next,
                Beyond::Flat(_) | Beyond::Nothing => return false,
            };
            let next_normal = away_from(mesh, next, centre);
            goes_over &= next_normal.dot(normal) >= GOES_OVER.cos();
            (triangle, normal) = (next, next_normal);
            match outside(triangle, self.farthest) {
                Some(next_edge) => edge = next_edge,
                None => {
                    let meets_itself = |place: usize| outside(triangle, all[place].farthest).is_none();
                    let other = all.binary_search_by_key(&triangle, |face| face.triangle).ok();
                    return !(goes_over && other.is_some_and(meets_itself));
                }
            }
        }
        true
    }
}

/// Unit normal of a triangle that leads away from the side that a point is on.
pub(super) fn away_from(mesh: &Mesh, triangle: u32, point: DVec3) -> DVec3 {
    let normal = mesh.normal(triangle);
    if normal.dot(point - mesh.corners(triangle)[0]) < 0.0 { normal } else { -normal }
}

/// The edge of a triangle that a point is farthest beyond, if its foot does not lie in the triangle or within a distance of it.
fn most_beyond(mesh: &Mesh, triangle: u32, point: DVec3, distance: f64) -> Option<usize> {
    let (corners, normal) = (mesh.corners(triangle), mesh.normal(triangle));
    let beyond = |k: usize| {
        let (start, end) = (corners[k], corners[(k + 1) % 3]);
        let inward = normal.cross(end - start);
        -inward.dot(point - start) / inward.length()
    };
    let (edge, most) = (0..3).map(|k| (k, beyond(k))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most > distance).then_some(edge)
}

/// Whether the foot of a point lies in a triangle, or within a distance of it.
pub(super) fn is_inside(mesh: &Mesh, triangle: u32, point: DVec3, distance: f64) -> bool {
    most_beyond(mesh, triangle, point, distance).is_none()
}

/// What is beyond an edge, for a body before the side that a normal leads away from.
pub(super) fn beyond(mesh: &Mesh, triangle: u32, k: usize, normal: DVec3) -> Beyond {
    let start = mesh.corners(triangle)[k];
    let flat = tolerance::DEGENERATE_TRIANGLE.max(tolerance::FLAT_EDGE);
    // How far each of the others rises, as a sine.
    let rise = |other: u32| {
        let slope = |corner: DVec3| normal.dot(start - corner) / corner.distance(start).max(f64::MIN_POSITIVE);
        mesh.corners(other).map(slope).into_iter().fold(0.0, |most: f64, s| if s.abs() > most.abs() { s } else { most })
    };
    let others = mesh.triangles_at(mesh.edge_feature(triangle, k)).iter().filter(|&&other| other != triangle);
    let Some((other, rise)) = others.map(|&other| (other, rise(other))).max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Beyond::Nothing;
    };
    if rise > flat {
        Beyond::Hollow(other)
    } else if rise >= -flat {
        Beyond::Flat(other)
    } else {
        Beyond::Nothing
    }
}
