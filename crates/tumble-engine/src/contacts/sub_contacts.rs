//! Sub-contacts (Cundall, 1988): two bodies with faces press on each other at the corners of their patch, with springs that share the
//! stiffness of the contact.
//!
//! The patch is what the two faces that look at each other have in common, seen along the contact's normal
//! ([`tumble_geometry::narrow::ContactPatch`]). A corner with the share s of it and the depth d has the energy s f(d), and pushes with s f'(d) along the
//! normal; one that has lifted off does nothing. All push along one normal, so that they are one force through their centre of pressure:
//! in terms of the depth D with f(D) = sum s f(d) the contact of any depth law ([`super::blended`]), with one friction spring and one
//! patch that resists twisting. Shares add up to one, so that two faces have the stiffness of the law; a square resists rocking by k w^2 / 4
//! about its middle, whatever the load.
//!
//! Force and torque are the gradient of the energy on a plane while one face bears, and to the order of the tilt between two bodies: that shares
//! and the corners where edges cross move is left out. Where another face comes to look at the other body, or the normal changes
//! from one body's face to the other's, the energy steps by a part of k d^2.

use super::blended::{Spring, joined};
use super::meeting::Meeting;
use glam::DVec3;
use tumble_geometry::lanes::row;
use tumble_geometry::narrow::{ContactPatch, contact_patch_beyond_plane_in, contact_patch_in};
use tumble_geometry::overlap::Workspace;
use tumble_geometry::{Contact, Pose, Shape};

impl Meeting {
    /// Of two bodies with faces, in a's frame: at the corners of their patch, or at the deepest point where rounding leaves none.
    pub(super) fn by_sub_contacts(
        [a, b]: [&Shape; 2],
        pose_ab: &Pose,
        contact: &Contact,
        hertz: bool,
        workspace: &mut Workspace,
    ) -> Meeting {
        let patch = contact_patch_in(a, b, pose_ab, contact.normal, workspace);
        let meeting = patch.and_then(|patch| of_patch(patch, hertz));
        let middle = 0.5 * (contact.point_a + contact.point_b);
        meeting.map_or_else(
            || Meeting::by_depth(contact.normal, middle, -contact.separation),
            |meeting| Meeting { depth: -contact.separation, ..meeting },
        )
    }

    /// Of a body with faces beyond a plane at a distance from its origin along a unit direction, in its own frame; `None` if nothing of it is.
    pub(super) fn by_sub_contacts_beyond_plane(
        shape: &Shape,
        direction: DVec3,
        distance: f64,
        hertz: bool,
        workspace: &mut Workspace,
    ) -> Option<Meeting> {
        if let Some(patch) = contact_patch_beyond_plane_in(shape, direction, distance, workspace) {
            return of_patch(patch, hertz);
        }
        let farthest = shape.support(direction);
        let depth = direction.dot(farthest) - distance;
        (depth > 0.0).then(|| Meeting::by_depth(direction, farthest - direction * (0.5 * depth), depth))
    }
}

/// The corners of a patch as one contact, in its frame; `None` if all have lifted off.
#[inline]
fn of_patch(patch: &ContactPatch, hertz: bool) -> Option<Meeting> {
    let springs = patch.corners.iter().map(|corner| Spring {
        weight: corner.share,
        depth: -corner.separation,
        slope: 1.0,
        normal: patch.normal,
        point: corner.point,
    });
    // As high as what presses: corners of a tilted face that have lifted off are not where friction acts.
    let (mut pressed, mut weight) = (DVec3::ZERO, 0.0);
    for corner in &patch.corners {
        let own = corner.share * (-corner.separation).max(0.0);
        (pressed, weight) = (pressed + corner.point * own, weight + own);
    }
    if weight <= 0.0 {
        return None;
    }
    let meeting = joined(springs, hertz, pressed / weight)?;
    let [_, _, _, factor] = meeting.region.to_array();
    // Along one normal there is no couple about it.
    let region = row(DVec3::new(0.0, patch.radius(), 0.0), factor);
    Some(Meeting { normal: patch.normal, depth: patch.depth(), region, ..meeting })
}
