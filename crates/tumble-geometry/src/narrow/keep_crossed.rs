//! Keeps those contacts of a body with a thin shell where the body really passes through the shell.
//!
//! A body reaches beyond the plane of a wall in two ways: through the wall, or past its edge. A plate that lies over the
//! top of a thin baffle reaches far beyond the baffle's plane, its far end even below the baffle's top, but is not in
//! the wall there: what it touches is the top edge. So a contact with a face, deeper than nothing, counts only if the
//! line from the body's centre to its deepest point crosses the shell.
//!
//! Beside a convex edge a deepest point may lie behind two faces at once. Then the shallower contact alone counts, as it
//! does for two convex bodies: the deeper one is dropped if the body moved out along the shallower one no longer crosses
//! the shell. In a concave corner it still does, and both count.

use crate::{SurfaceContact, tolerance};
use glam::DVec3;

/// Removes from `contacts[first..]` what is not crossed. `crosses` says whether a segment crosses the shell; contacts
/// with sharp edges and corners always count, and two contacts may both stand whatever the one does to the other.
pub(super) fn keep_crossed(
    contacts: &mut Vec<SurfaceContact>,
    first: usize,
    centre: DVec3,
    radius: f64,
    is_sharp: impl Fn(&SurfaceContact) -> bool,
    both_stand: impl Fn(&SurfaceContact, &SurfaceContact) -> bool,
    crosses: impl Fn(DVec3, DVec3) -> bool,
) {
    contacts[first..].sort_unstable_by(|a, b| b.separation.total_cmp(&a.separation).then(a.feature.cmp(&b.feature)));
    let mut n_kept = first;
    for index in first..contacts.len() {
        let candidate = contacts[index];
        let deepest = candidate.point_on_grain();
        let crosses_when_moved = |shift: DVec3| crosses(centre + shift, deepest + shift);
        // Touching is not told from crossing.
        let touches = candidate.separation >= -tolerance::LIES_FLAT * radius;
        let counts = touches
            || is_sharp(&candidate)
            || (crosses_when_moved(DVec3::ZERO)
                && contacts[first..n_kept].iter().all(|shallower| {
                    let depth = -shallower.separation;
                    depth <= 0.0
                        || both_stand(shallower, &candidate)
                        || crosses_when_moved(shallower.normal * -(depth + tolerance::LIES_FLAT * radius))
                }));
        if counts {
            contacts[n_kept] = candidate;
            n_kept += 1;
        }
    }
    contacts.truncate(n_kept);
}
