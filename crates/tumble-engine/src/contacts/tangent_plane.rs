//! The part of a grain beyond a wall, for the volume law: the wall is a half-space whose plane touches it.
//!
//! For a surface of revolution there is one such plane at every angle around the axis. w(V) is a function of the pose alone
//! only if the pose says which: it is the one whose V is largest. V is then continuous, and since it is stationary in the
//! angle, force and torque are its gradient as if the plane stood still (the envelope theorem). It is stationary where the
//! line of force meets the axis.
//!
//! The search looks at the depth, which costs little, at some angles around the deepest point, and from each peak of it goes to
//! the angle with a stationary V by the secant rule. Planes more than a right angle away belong to another contact. Measured in
//! a drum three times as wide as the grain, as changes of energy over m g R: 2e-6 for smooth grains and tetrahedra and 8e-4
//! for a box, where planes at the deepest points make a tenth for smooth grains and half of it for the others.
//!
//! Known limits: V is that of the half-space, which is more than what is really beyond a curved wall; a grain that reaches the
//! wall with two corners is held by the one with the larger V and rocks between them; a wall's corner between two pieces of
//! its profile is met by the plane at the deepest point, which conserves energy over each piece only. On a mesh the planes are those whose
//! V is stationary over the normals of its edges and corners (walls.rs).

use super::meeting::depths_as_region;
use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_geometry::overlap::{OverlapRegion, Workspace, depth_moments_half_space, overlap_half_space_from};
use tumble_geometry::tolerance::LIES_FLAT;
use tumble_geometry::{Pose, Shape, SurfaceContact};

/// Angles at which the depth is looked at, on either side of the deepest point.
const N_LOOKS: i32 = 16;
/// Most steps of the secant rule.
const MOST_STEPS: usize = 8;

/// Of contacts with one piece of a surface of revolution, less than a right angle apart, leaves the deepest: one turning plane
/// serves them all.
pub(super) fn keep_one_around_axis(found: &mut Vec<SurfaceContact>, axis: DVec3) {
    found.sort_by(|a, b| a.separation.total_cmp(&b.separation).then(a.feature.cmp(&b.feature)));
    let mut n_kept = 0;
    for k in 0..found.len() {
        let normal = found[k].normal;
        let along = normal.dot(axis);
        let is_met = found[..n_kept].iter().any(|other| {
            let other_along = other.normal.dot(axis);
            (other_along - along).abs() <= LIES_FLAT && normal.dot(other.normal) > along * other_along
        });
        if !is_met {
            found.swap(n_kept, k);
            n_kept += 1;
        }
    }
    found.truncate(n_kept);
    found.sort_unstable_by_key(|contact| contact.feature);
}

/// A convex part of a grain where it is.
pub(super) struct PlacedPart<'a> {
    /// Its shape.
    pub(super) shape: &'a Shape,
    /// Where it is in the world.
    pub(super) pose: Pose,
    /// Whether V is the integral of the depth, and not the volume.
    pub(super) by_depths: bool,
}

/// A plane at one angle, what is beyond it, and how far the line of force passes the axis [m].
struct Candidate {
    angle: f64,
    region: OverlapRegion,
    miss: f64,
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

    /// The part beyond that plane around an axis through an origin whose V is largest, near a contact.
    pub(super) fn beyond_turning_plane(
        &self,
        contact: &SurfaceContact,
        origin: DVec3,
        axis: DVec3,
        workspace: &mut Workspace,
    ) -> Option<OverlapRegion> {
        let touched = contact.point - origin;
        let radial = contact.normal.reject_from_normalized(axis);
        // The end of a drum is the same plane all around.
        if radial.length() < LIES_FLAT {
            return self.beyond_plane(contact.point, contact.normal, origin, workspace);
        }
        let radial = radial.normalize();
        let across = axis.cross(radial);
        // Below what the region itself is known to, so that the search adds nothing to its error.
        let accepted = 0.1 * workspace.tolerance;
        let mut at = |angle: f64| {
            let turn = DQuat::from_axis_angle(axis, angle);
            let region = self.beyond_plane(origin + turn * touched, turn * contact.normal, origin, workspace)?;
            let s = region.vector_area;
            let miss = (turn * across).dot(s.cross(region.first_moment)) / s.length_squared();
            Some(Candidate { angle, region, miss })
        };
        let distance = touched.dot(radial);
        if distance <= 0.0 {
            // From outside V is least where the plane faces the grain, and there is one such place.
            return Some(stationary(at(0.0)?, distance, accepted, &mut at).region);
        }
        let mut best: Option<Candidate> = None;
        for start in self.peaks(contact, origin, axis, radial) {
            let Some(first) = at(start) else { continue };
            let found = stationary(first, distance, accepted, &mut at);
            if best.as_ref().is_none_or(|best| found.region.volume > best.region.volume) {
                best = Some(found);
            }
        }
        best.map(|best| best.region)
    }

    /// Angles around the axis, from the contact's, at which the part reaches farthest beyond the turning plane.
    fn peaks(&self, contact: &SurfaceContact, origin: DVec3, axis: DVec3, radial: DVec3) -> Vec<f64> {
        let across = axis.cross(radial);
        let along = contact.normal.dot(axis);
        let outward = contact.normal.dot(radial);
        let to_local = self.pose.orientation.conjugate();
        let farthest = |angle: f64| {
            let (sine, cosine) = angle.sin_cos();
            let normal = axis * along + (radial * cosine + across * sine) * outward;
            let point = self.pose.position + self.pose.orientation * self.shape.support(to_local * normal) - origin;
            (normal.dot(point), point)
        };
        // The part is seen from the axis under this angle, which is also the farthest that peaks are apart.
        let centre = (self.pose.position - origin).reject_from_normalized(axis).length();
        let radius = self.shape.bounding_radius();
        let range = if centre > radius { (2.0 * (radius / centre).asin()).min(FRAC_PI_2) } else { FRAC_PI_2 };
        let angle_of = |k: i32| range * f64::from(k) / f64::from(N_LOOKS);
        let heights: Vec<f64> = (-N_LOOKS..=N_LOOKS).map(|k| farthest(angle_of(k)).0).collect();
        let mut peaks = vec![0.0];
        for k in -N_LOOKS + 1..N_LOOKS {
            let place = (k + N_LOOKS) as usize;
            if heights[place] < heights[place - 1] || heights[place] <= heights[place + 1] {
                continue;
            }
            // The point that is farthest is farthest of all where the plane faces it.
            let mut angle = angle_of(k);
            for _ in 0..2 {
                let point = farthest(angle).1;
                angle = point.dot(across).atan2(point.dot(radial));
            }
            // Far less than the distance of two looks: the same corner, found twice.
            let is_new = peaks.iter().all(|peak: &f64| (peak - angle).abs() > 1e-3 * range);
            if is_new && angle.abs() <= FRAC_PI_2 {
                peaks.push(angle);
            }
        }
        peaks
    }
}

/// From a plane to the one nearby whose V is stationary; the first where that leads nowhere.
fn stationary(
    first: Candidate,
    distance: f64,
    accepted: f64,
    at: &mut impl FnMut(f64) -> Option<Candidate>,
) -> Candidate {
    let accepted = accepted * (first.region.vector_area.length() / PI).sqrt();
    if first.miss.abs() <= accepted || distance == 0.0 {
        return first;
    }
    let (mut before, mut miss_before) = (first.angle, first.miss);
    let mut angle = before + miss_before / distance;
    for _ in 0..MOST_STEPS {
        // Beyond a radian the secant has left the peak that it began at.
        if angle.is_nan() || (angle - first.angle).abs() > 1.0 {
            break;
        }
        let Some(found) = at(angle) else { break };
        if found.miss.abs() <= accepted {
            let is_better = (found.region.volume - first.region.volume) * distance >= 0.0;
            return if is_better { found } else { first };
        }
        let next = angle - found.miss * (angle - before) / (found.miss - miss_before);
        (before, miss_before, angle) = (angle, found.miss, next);
    }
    first
}
