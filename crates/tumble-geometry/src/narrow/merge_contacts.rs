//! Makes contacts of one body with one surface that are the same contact into one.
//!
//! Contacts whose points rounding cannot tell apart are one: that of the lower feature, so that a face goes before its
//! edges. Other contacts are left to blend.rs. But where a shape lies flat over an open end of a profile, or over a corner that juts out, the
//! sharp ring there is no contact besides that with the piece: of a ring and what has nearly its normal the deepest is kept.

use crate::{SurfaceContact, tolerance};
use glam::DVec3;

/// Thins out `contacts[first..]` and leaves it in the order of features. `same_point` is the distance below which two
/// points are one.
pub(super) fn merge_same_points(contacts: &mut Vec<SurfaceContact>, first: usize, same_point: f64) {
    // One contact is by far the most frequent number.
    if contacts.len() - first < 2 {
        return;
    }
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
    keep_first_of_each(contacts, first, |a, b| a.point.distance(b.point) <= same_point);
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

/// Makes contacts one that are parts of one: those that `are_joined` and whose depths do not differ by more than `tie`, as where a
/// body lies flat along an edge that is cut up. It is in the middle of their points; but what lies on a sharp edge or corner
/// gives way to what lies on a face, which is already in the middle of what is flat there.
pub(super) fn merge_ties(
    contacts: &mut Vec<SurfaceContact>,
    first: usize,
    tie: f64,
    is_face: impl Fn(&SurfaceContact) -> bool,
    are_joined: impl Fn(&SurfaceContact, &SurfaceContact) -> bool,
) {
    if contacts.len() - first < 2 {
        return;
    }
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
    let all = contacts.split_off(first);
    let mut group: Vec<usize> = (0..all.len()).collect();
    for (k, contact) in all.iter().enumerate() {
        for other in 0..k {
            let is_tied = (contact.separation - all[other].separation).abs() <= tie;
            if group[k] != group[other] && is_tied && are_joined(contact, &all[other]) {
                let (from, to) = (group[k].max(group[other]), group[k].min(group[other]));
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    for (k, contact) in all.iter().enumerate().filter(|(k, _)| group[*k] == *k) {
        let members = || all.iter().zip(&group).filter(|(_, g)| **g == k).map(|(member, _)| member);
        let any_face = members().find(|member| is_face(member));
        let merged = any_face.copied().unwrap_or_else(|| {
            let (n, sum) = members().fold((0.0, DVec3::ZERO), |(n, sum), member| (n + 1.0, sum + member.point));
            let middle = sum / n;
            let point = middle + contact.normal * contact.normal.dot(contact.point - middle);
            if n > 1.0 { SurfaceContact { point, ..*contact } } else { *contact }
        });
        contacts.push(merged);
    }
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
}

/// Makes contacts of a shape one. Contacts with nearly parallel normals that are equally deep (to `tie`) are one in
/// the middle of their points, on the tangent plane of the deepest; but what lies on a sharp edge or corner gives way to
/// what lies on a face, which is already in the middle of what is flat there.
///
/// A body that bulges has its contact without jumps where it lies on a plane. On a wall that is curved it touches with both
/// ends, and if these are one contact its point must not jump from one end to the other when the body tilts: what is less
/// deep by no more than the bulge counts the less the less deep it is. Contacts of which neither is with something sharp are left to blend.rs.
pub(super) fn merge_shaped_contacts(
    contacts: &mut Vec<SurfaceContact>,
    first: usize,
    same_point: f64,
    tie: f64,
    bulge: f64,
    is_sharp: impl Fn(&SurfaceContact) -> bool,
) {
    if !contacts[first..].iter().any(&is_sharp) || contacts.len() - first < 2 {
        return;
    }
    let are_faces = |a: &SurfaceContact, b: &SurfaceContact| !is_sharp(a) && !is_sharp(b);
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
    keep_first_of_each(contacts, first, |a, b| {
        a.point.distance(b.point) <= same_point
            && (a.normal - b.normal).length() <= tolerance::SAME_NORMAL
            && !are_faces(a, b)
    });
    contacts[first..].sort_unstable_by(|a, b| a.separation.total_cmp(&b.separation).then(a.feature.cmp(&b.feature)));
    let mut n_kept = first;
    let mut index = first;
    while index < contacts.len() {
        let deepest = contacts[index];
        let is_same = |c: &SurfaceContact| {
            c.feature == deepest.feature
                || (c.normal - deepest.normal).length() <= tolerance::SAME_NORMAL && !are_faces(c, &deepest)
        };
        if contacts[first..n_kept].iter().any(is_same) {
            index += 1;
            continue;
        }
        let same = || contacts[index..].iter().filter(|c| is_same(c));
        let is_tied = |c: &SurfaceContact| c.separation - deepest.separation <= tie;
        let any_face = same().any(|c| is_tied(c) && !is_sharp(c));
        let counts = |c: &SurfaceContact| !(any_face && is_sharp(c));
        let weight = |c: &SurfaceContact| match (is_tied(c), is_sharp(c) == is_sharp(&deepest)) {
            (true, _) => f64::from(u8::from(counts(c))),
            (false, true) if bulge > 0.0 => (1.0 - (c.separation - deepest.separation) / bulge).max(0.0),
            (false, _) => 0.0,
        };
        let (n, sum) = same().fold((0.0, DVec3::ZERO), |(n, sum), c| (n + weight(c), sum + weight(c) * c.point));
        // The lowest feature of those that tie: the order of depths is that of rounding.
        let tied = same().filter(|c| is_tied(c) && counts(c));
        let mut merged = tied.min_by_key(|c| c.feature).copied().unwrap_or(deepest);
        if n > 1.0 {
            let middle = sum / n;
            merged.point = middle + merged.normal * merged.normal.dot(merged.point - middle);
        }
        contacts[n_kept] = merged;
        n_kept += 1;
        index += 1;
    }
    contacts.truncate(n_kept);
    contacts[first..].sort_unstable_by_key(|contact| contact.feature);
}
