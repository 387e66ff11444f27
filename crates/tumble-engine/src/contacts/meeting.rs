//! How two bodies touch, as the laws are told: whatever found it.

use super::found::Found;
use super::respond::Touch;
use crate::law::{Faces, LawTable};
use crate::state::PointKey;
use glam::DVec3;
use tumble_geometry::lanes::{Row, row};
use tumble_geometry::narrow::Yielded;
use tumble_geometry::overlap::{DepthMoments, Slope, Workspace, depth_moments};
use tumble_geometry::{Contact, OverlapRegion, Pose, Shape};

/// Where and how two bodies touch, in a frame with the world's axes and its origin at the centre of a.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Unit normal, from a to b.
    pub(super) normal: DVec3,
    /// From a's centre to the contact point [m].
    pub(super) arm: DVec3,
    /// By how much the two have gone into each other [m]: the minimum-translation depth, or what is nearest to it.
    pub(super) depth: f64,
    /// The law's overlap: a depth, or V/|S| [m].
    pub(super) overlap: f64,
    /// See [`Found::region`].
    pub(super) region: Row,
}

impl Meeting {
    /// Under a depth law.
    #[inline]
    pub(super) fn by_depth(normal: DVec3, arm: DVec3, depth: f64) -> Meeting {
        Meeting { normal, arm, depth, overlap: depth, region: row(DVec3::ZERO, 1.0) }
    }

    /// Under a depth law of the mean depth of what two bodies with faces share, in the frame of the moments; `None` if one is all
    /// inside the other.
    ///
    /// With the energy f(d) of the mean depth d and its slope g, the force is f' |g| along g/|g|, as
    /// [`crate::law::Coefficients::with_factor`] has it.
    /// The overlap d / |g| is that by which a face, an edge or a corner has gone into the other.
    pub(super) fn by_mean_depth(moments: &DepthMoments) -> Option<Meeting> {
        let Slope { shift, turn } = moments.mean_depth_slope();
        let steepness = shift.length();
        if !(steepness > 0.0 && moments.volume > 0.0) {
            return None;
        }
        let (normal, overlap) = (shift / steepness, moments.mean_depth() / steepness);
        let on_line = shift.cross(turn) / (steepness * steepness);
        let point = on_line + normal * normal.dot(moments.centre - on_line);
        Some(Meeting {
            normal,
            arm: point,
            depth: overlap,
            overlap,
            region: row(DVec3::new(turn.dot(normal) / steepness, moments.patch_radius(), 0.0), steepness),
        })
    }

    /// Of two bodies with faces under a depth law, in a's frame, as the law meets them.
    #[inline]
    pub(super) fn by_faces(
        shapes: [&Shape; 2],
        pose_ab: &Pose,
        contact: &Contact,
        table: &LawTable,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        match table.faces {
            Faces::MeanDepth => {
                Meeting::by_mean_depth(&depth_moments(shapes[0], shapes[1], pose_ab, contact, workspace)?)
            }
            Faces::SubContacts { .. } => {
                Some(Meeting::by_sub_contacts(shapes, pose_ab, contact, table.hertz, workspace))
            }
            Faces::DeepestPoint { .. } => {
                let middle = 0.5 * (contact.point_a + contact.point_b);
                Some(Meeting::by_depth(contact.normal, middle, -contact.separation))
            }
        }
    }

    /// Under the volume law; `None` if the region is too thin to have an area. The region is seen from an origin at `origin`
    /// from a's centre, turned to the world's axes.
    pub(super) fn by_volume(region: &OverlapRegion, origin: DVec3, depth: f64) -> Option<Meeting> {
        let (s, g) = (region.vector_area, region.first_moment);
        let area = s.length();
        if !(area > 0.0 && region.volume > 0.0) {
            return None;
        }
        let normal = s / area;
        let on_line = s.cross(g) / (area * area);
        let point = on_line + normal * normal.dot(region.centroid - on_line);
        let (pitch, patch_radius) = (g.dot(normal) / area, (area / std::f64::consts::PI).sqrt());
        Some(Meeting {
            normal,
            arm: origin + point,
            depth,
            overlap: region.volume / area,
            region: row(DVec3::new(pitch, patch_radius, region.volume), area),
        })
    }

    /// Under the law of pressure, in the frame of the moments: the same as under the volume law, with the integral of the depth in the
    /// place of the volume.
    pub(super) fn by_depths(moments: &DepthMoments, depth: f64) -> Option<Meeting> {
        let meeting = Meeting::by_volume(&depths_as_region(moments), DVec3::ZERO, depth)?;
        let [pitch, _, integral, change] = meeting.region.to_array();
        Some(Meeting { region: row(DVec3::new(pitch, moments.patch_radius(), integral), change), ..meeting })
    }

    /// Under a depth law of bodies that give way, with the normal and the contact point as they are to be.
    pub(super) fn by_yielding(normal: DVec3, arm: DVec3, yielded: &Yielded) -> Meeting {
        let Yielded { contact, slope, flat_depth, patch_radius } = *yielded;
        let region = row(DVec3::new(0.0, patch_radius, 0.0), slope);
        Meeting { normal, arm, depth: flat_depth, overlap: -contact.separation / slope, region }
    }

    /// The same seen from a's centre along the world's axes, if its own origin is at `origin` from there and its axes are turned so.
    #[inline]
    pub(super) fn placed(&self, origin: DVec3, turned: impl Fn(DVec3) -> DVec3) -> Meeting {
        Meeting { normal: turned(self.normal), arm: origin + turned(self.arm), ..*self }
    }

    /// The same as a contact that was found.
    #[inline]
    pub(super) fn found(&self, touch: Touch, parts: [u16; 2], feature: u32, old: u32) -> Found {
        Found {
            touch,
            point: PointKey { parts, feature },
            old,
            normal: row(self.normal, -self.depth),
            arm: row(self.arm, self.overlap),
            region: self.region,
        }
    }
}

/// The integral of a region's depth in the place of its volume.
pub(super) fn depths_as_region(moments: &DepthMoments) -> OverlapRegion {
    OverlapRegion {
        volume: moments.depth_integral,
        centroid: moments.centre,
        surface_area: 0.0,
        vector_area: moments.depth_slope.shift,
        first_moment: moments.depth_slope.turn,
    }
}
