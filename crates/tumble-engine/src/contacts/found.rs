//! Contacts as they were found in a step, and how they go on from those of the last.

use super::near::NONE;
use super::respond::Touch;
use crate::state::{ContactHistory, ContactKey, PointKey};
use tumble_geometry::lanes::{Row, head};

/// Normals of one wall that differ by less than this belong to one contact that moved to a neighbouring feature: a
/// grain that rolls from triangle to triangle keeps its friction spring. cos 45 degrees: less than the right angle
/// between two walls of a corner, more than the facets of any sensible tessellation.
const SAME_CONTACT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A contact that was found: one point of a pair of bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) touch: Touch,
    /// Which point of the two.
    pub(super) point: PointKey,
    /// The contact of the last step that it goes on from, or [`NONE`].
    pub(super) old: u32,
    /// Unit normal from a to b, and the separation [m].
    pub(super) normal: Row,
    /// From a's centre to the contact point [m]; and the law's overlap, the depth or V/|S| [m].
    pub(super) arm: Row,
    /// Couple over force [m] and radius of the patch [m], or zero where that follows from the depth; under the volume law volume [m^3] and
    /// area [m^2] of the region, under a depth law the radius of the contact [m], or zero where that
    /// follows from the bodies' sizes, and how fast the depth grows with the way that the bodies go into each
    /// other [1].
    pub(super) region: Row,
}

/// Makes a history that of the contacts found; `end` is called for each of the last step that does not go on.
pub(super) fn go_on(
    history: &mut ContactHistory,
    touches: &mut Vec<Touch>,
    found: &[Found],
    room: &mut Room,
    key: impl Fn(&Found) -> ContactKey,
    mut end: impl FnMut(&Touch, &ContactHistory, usize),
) {
    let n_old = history.len();
    let same = found.len() == n_old && found.iter().zip(0..).all(|(found, place)| found.old == place);
    if !same {
        room.goes_on.clear();
        room.goes_on.resize(n_old, false);
        for found in found.iter().filter(|found| found.old != NONE) {
            room.goes_on[found.old as usize] = true;
        }
        for (old, _) in room.goes_on.iter().enumerate().filter(|(_, goes_on)| !**goes_on) {
            end(&touches[old], history, old);
        }
        let contacts = found.iter().map(|found| (key(found), (found.old != NONE).then_some(found.old)));
        room.history.continue_from(history, contacts);
        std::mem::swap(history, &mut room.history);
        touches.clear();
        touches.extend(found.iter().map(|found| found.touch));
        return;
    }
    for (found, (touch, point)) in found.iter().zip(touches.iter_mut().zip(&mut history.points)) {
        *touch = found.touch;
        // A contact that moved on to a neighbouring feature goes on under that.
        point.feature = found.point.feature;
    }
}

/// Room to work in.
#[derive(Debug, Default)]
pub(super) struct Room {
    goes_on: Vec<bool>,
    history: ContactHistory,
}

/// Lets the contacts that a grain has with a wall go on from those of the last step: each from the one with its feature, or
/// else from a nearby one that is no longer met. `old`: the places of the grain's old contacts in the history.
pub(super) fn inherit(found: &mut [Found], history: &ContactHistory, old: std::ops::Range<usize>) {
    for k in 0..found.len() {
        let Found { touch, point, normal, .. } = found[k];
        let is_of = |o: &usize| history.points[*o].parts[0] == point.parts[0] && history.pairs[*o][1] == touch.near;
        let same = old.clone().find(|o| is_of(o) && history.points[*o] == point);
        let heir = same.or_else(|| {
            old.clone().find(|o| {
                is_of(o)
                    && history.is_old(*o)
                    && history.normal(*o).dot(head(normal)) > SAME_CONTACT
                    && found
                        .iter()
                        .all(|c| c.old != *o as u32 && (c.touch.near, c.point) != (touch.near, history.points[*o]))
            })
        });
        found[k].old = heir.map_or(NONE, |o| o as u32);
    }
}
