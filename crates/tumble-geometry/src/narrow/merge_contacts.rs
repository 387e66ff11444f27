//! Makes contacts of one ball with one surface that are the same contact into one.
//!
//! Contacts whose points rounding cannot tell apart are one: that of the lower feature, so that a face goes before its
//! edges. Of contacts whose normals are nearly parallel the deepest is kept. The second rule is for faces that meet in a
//! very shallow groove: a floor whose corners were rounded to single precision, a finely divided drum, a plate with two
//! sides. Without it a ball near the seam would be held by both faces at once, and the second contact would begin with
//! a jump when the overlap exceeds r theta^2 / 2, theta the angle of the groove. With it the separation stays
//! continuous and the normal turns by theta at once, which is small.

use crate::{SurfaceContact, tolerance};

/// Thins out `contacts[first..]` and leaves it in the order of features. `same_point` is the distance below which two
/// points are one.
pub(super) fn merge_contacts(contacts: &mut Vec<SurfaceContact>, first: usize, same_point: f64) {
    // One contact is by far the most frequent number.
    if contacts.len() - first < 2 {
        return;
    }
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
    keep_first_of_each(contacts, first, |a, b| a.point.distance(b.point) <= same_point);
    contacts[first..].sort_unstable_by(|a, b| a.separation.total_cmp(&b.separation).then(a.feature.cmp(&b.feature)));
    keep_first_of_each(contacts, first, |a, b| (a.normal - b.normal).length() <= tolerance::SAME_NORMAL);
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
}

/// Removes from `contacts[first..]` whatever is the same as something before it.
fn keep_first_of_each(
    contacts: &mut Vec<SurfaceContact>,
    first: usize,
    same: impl Fn(&SurfaceContact, &SurfaceContact) -> bool,
) {
    let mut n_kept = first;
    for index in first..contacts.len() {
        let candidate = contacts[index];
        if !contacts[first..n_kept].iter().any(|kept| same(kept, &candidate)) {
            contacts[n_kept] = candidate;
            n_kept += 1;
        }
    }
    contacts.truncate(n_kept);
}
