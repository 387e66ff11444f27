//! Which method finds the contact of two shapes.
//!
//! The exact ones agree wherever both answer. The published ones are for comparison: their overlap stands in for the depth
//! and their normal for the direction of the shortest translation, which they are not ([`crate::feng`]).

use super::contact_clump::{contact_parts, parts_of};
use super::{contact_general, contact_within};
use crate::contact::NotConverged;
use crate::feng::{FengOptions, contact_line_feng};
use crate::{Contact, Pose, Shape};
use glam::DVec3;

/// A way of finding the contact of two shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactMethod {
    /// The algorithm of the pair table.
    #[default]
    Exact,
    /// Support functions alone, one algorithm for all convex shapes.
    General,
    /// Two cylinders by the published method with layers; other pairs as [`ContactMethod::Exact`].
    FengLayered,
    /// Two cylinders by the published method with edges; other pairs as [`ContactMethod::Exact`].
    FengEdge,
}

impl ContactMethod {
    /// Every method, the default first.
    pub const ALL: [ContactMethod; 4] =
        [ContactMethod::Exact, ContactMethod::General, ContactMethod::FengLayered, ContactMethod::FengEdge];

    /// Its name in scenes, on the command line and in answers.
    pub const fn name(self) -> &'static str {
        match self {
            ContactMethod::Exact => "exact",
            ContactMethod::General => "general",
            ContactMethod::FengLayered => "feng-layered",
            ContactMethod::FengEdge => "feng-edge",
        }
    }

    /// What it does, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            ContactMethod::Exact => "the algorithm of the pair table (see `tumble pairs`)",
            ContactMethod::General => "support points alone, one algorithm for all convex shapes",
            ContactMethod::FengLayered => "two cylinders by Feng, Han & Owen with layers; other pairs as `exact`",
            ContactMethod::FengEdge => "two cylinders by Feng, Han & Owen with edges; other pairs as `exact`",
        }
    }

    /// What the published method is to do; `None` for the methods that are not it.
    pub const fn published(self) -> Option<FengOptions> {
        match self {
            ContactMethod::Exact | ContactMethod::General => None,
            ContactMethod::FengLayered => Some(FengOptions::LAYERED),
            ContactMethod::FengEdge => Some(FengOptions::EDGE),
        }
    }
}

/// The contact of two shapes by a method; `None` as soon as they are known to be farther apart than `limit`. All else as
/// [`contact_within`]. The published method says nothing of bodies apart; these get the exact answer.
pub fn contact_by(
    method: ContactMethod,
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    // Planar bodies have no depth across their plane, where the general method would look for it.
    if method == ContactMethod::Exact || (a.is_planar() && b.is_planar()) {
        return contact_within(a, b, pose_ab, guess, limit);
    }
    if !(a.is_convex() && b.is_convex()) {
        return contact_parts(parts_of(a), parts_of(b), pose_ab, guess, limit, |a, b, pose, guess, limit| {
            contact_by(method, a, b, pose, guess, limit)
        });
    }
    if method == ContactMethod::General {
        return contact_general(a, b, pose_ab, guess, limit);
    }
    let (Some(options), Shape::Cylinder(first), Shape::Cylinder(second)) = (method.published(), a, b) else {
        return contact_within(a, b, pose_ab, guess, limit);
    };
    if let Some(contact) = contact_line_feng(first, second, pose_ab, &options) {
        return Ok(Some(contact).filter(|contact| contact.separation <= limit));
    }
    // Where the published method sees no overlap there is none, whatever the depth is.
    let apart = |contact: Contact| {
        if contact.separation < 0.0 {
            Contact { separation: 0.0, point_b: contact.point_a, ..contact }
        } else {
            contact
        }
    };
    let found = contact_within(a, b, pose_ab, guess, limit);
    found.map(|contact| contact.map(apart)).map_err(|unsure| NotConverged { best: apart(unsure.best), ..unsure })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Sequence, sample_shapes};

    #[test]
    fn names_are_told_apart() {
        for (index, method) in ContactMethod::ALL.into_iter().enumerate() {
            assert!(ContactMethod::ALL[index + 1..].iter().all(|other| other.name() != method.name()));
        }
        assert_eq!(ContactMethod::default(), ContactMethod::ALL[0]);
    }

    #[test]
    fn every_method_keeps_the_conventions_for_every_pair() {
        let shapes: Vec<Shape> = sample_shapes(5).into_iter().filter(|shape| !shape.kind().is_planar()).collect();
        let mut sequence = Sequence::new(81);
        for a in &shapes {
            for b in &shapes {
                let pose = sequence.pose(1.2);
                let exact = contact_by(ContactMethod::Exact, a, b, &pose, None, f64::INFINITY);
                for method in ContactMethod::ALL {
                    let found = contact_by(method, a, b, &pose, None, f64::INFINITY);
                    let (Ok(Some(exact)), Ok(Some(found))) = (exact, found) else { continue };
                    let gap = found.point_b - found.point_a - found.separation * found.normal;
                    assert!(gap.length() < 1e-12, "{method:?} {found:?}");
                    assert_eq!(found.separation < 0.0, exact.separation < 0.0, "{method:?} {found:?} {exact:?}");
                    let is_published = method.published().is_some()
                        && [a, b].iter().all(|s| matches!(s, Shape::Cylinder(_) | Shape::Clump(_)));
                    if !is_published || exact.separation > 0.0 {
                        assert!((found.separation - exact.separation).abs() < 1e-8, "{method:?} {found:?} {exact:?}");
                    }
                    if exact.separation > 0.1 {
                        let beyond = contact_by(method, a, b, &pose, None, exact.separation - 0.1);
                        assert!(beyond.is_ok_and(|found| found.is_none()), "{method:?}");
                    }
                }
            }
        }
    }
}
