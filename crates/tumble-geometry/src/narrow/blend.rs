//! Contacts of one body with one surface that go over into each other.
//!
//! A contact is a place where the depth is largest all around. Two such places can come together: the two ends of a rod
//! that lies in a tube, the two sides of a shallow groove. If each had the energy f(depth) up to then and both together had it
//! once from then on, energy would jump. So what they have in common is taken off: the least deep place on the way
//! from one to the other, the pass, counts negative,
//!
//!   U = sum over contacts f(depth) - sum over passes f(depth).
//!
//! Where two contacts become one, the pass has the depth of the lesser one and the two cancel; where the pass is not
//! through the surface at all, both count fully. This is the sum of the lives of the parts that the body's overlap with the
//! surface falls into as the depth is counted down (zeroth persistent homology, after the elder rule; Edelsbrunner and Harer,
//! *Computational Topology*, 2010), which changes no faster than the depths do (Cohen-Steiner, Edelsbrunner and Harer, *Stability
//! of persistence diagrams*, 2007). The depths of contacts and passes are stationary in the place, so that each one's gradient
//! is that of its depth with the place held still, and the force is the sum of all.
//!
//! Two contacts can be joined by several passes; the deepest counts. Which of the two a pass is taken off is free as far as
//! energy goes. Each gets the part by which its normal is nearer to the pass's: then what it keeps is a force along nearly its own
//! normal, which grows from nothing as it parts from the other, and two equal ends bear equal parts. Of a group that is joined
//! already every contact bears the part that it has left.

use crate::SurfaceContact;
use glam::DVec3;

/// The least deep place on the way between two contacts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// Places of the two among the contacts.
    pub between: [usize; 2],
    /// Where it is, as if it were a contact.
    pub at: SurfaceContact,
    /// Where two places that are equally deep make the pass only together, the other one; the weights of both sum to one.
    pub beside: Option<SurfaceContact>,
}

/// In the place of a contact that a pass joins: what is taken off is all of the other's.
pub(super) const NOTHING: usize = usize::MAX;

impl Pass {
    pub fn new(between: [usize; 2], at: SurfaceContact) -> Pass {
        Pass { between, at, beside: None }
    }

    fn normal(&self) -> DVec3 {
        self.beside.map_or(self.at.normal, |other| self.at.weight * self.at.normal + other.weight * other.normal)
    }
}

/// Puts after each of `contacts[first..]` what it bears of the passes, and leaves it in the order of features. The order of
/// the passes does not matter. A contact no deeper than its pass by more than `negligible` is none.
pub(super) fn blend(contacts: &mut Vec<SurfaceContact>, first: usize, passes: &mut Vec<Pass>, negligible: f64) {
    passes.retain(|pass| pass.at.separation < 0.0);
    if passes.is_empty() {
        contacts[first..].sort_unstable_by_key(|contact| contact.feature);
        return;
    }
    passes.sort_by(|a, b| a.at.separation.total_cmp(&b.at.separation).then(a.between.cmp(&b.between)));
    let alone: Vec<SurfaceContact> = contacts[first..].to_vec();
    // One more for nothing.
    let nothing = alone.len();
    let mut group: Vec<usize> = (0..=nothing).collect();
    let mut left = vec![1.0; alone.len()];
    let mut parts: Vec<(usize, SurfaceContact)> = Vec::new();
    let mut is_none = vec![false; alone.len()];
    for pass in passes.iter() {
        let [a, b] = pass.between.map(|contact| group[contact.min(nothing)]);
        if a == b {
            continue;
        }
        // Of two as deep as each other and their pass that with the lower feature stays.
        let lesser = pass.between.into_iter().filter(|contact| *contact != NOTHING).max_by(|&one, &other| {
            let order = alone[one].separation.total_cmp(&alone[other].separation);
            order.then(alone[one].feature.cmp(&alone[other].feature))
        });
        if let Some(lesser) = lesser
            && left[lesser] == 1.0
            && pass.at.separation - alone[lesser].separation <= negligible
        {
            (is_none[lesser], left[lesser]) = (true, 0.0);
            let (lesser, other) = if lesser == pass.between[0] { (a, b) } else { (b, a) };
            group.iter_mut().filter(|g| **g == lesser).for_each(|g| *g = other);
            continue;
        }
        let members = |of: usize| group[..nothing].iter().enumerate().filter(move |(_, g)| **g == of).map(|(k, _)| k);
        let middle = |of: usize| members(of).map(|k| left[k] * alone[k].normal).sum::<DVec3>();
        let [from_a, from_b] = [a, b].map(|of| middle(of).distance(pass.normal()));
        let part_a = match group[nothing] {
            // What is joined to nothing has nothing left.
            of if of == a => 0.0,
            of if of == b => 1.0,
            _ if from_a + from_b > 0.0 => from_b / (from_a + from_b),
            _ => 0.5,
        };
        let mut keeps: Vec<(usize, f64)> = Vec::with_capacity(alone.len());
        for (of, part) in [(a, part_a), (b, 1.0 - part_a)] {
            for k in members(of) {
                for at in [Some(pass.at), pass.beside].into_iter().flatten() {
                    let weight = -part * left[k] * at.weight;
                    parts.push((k, SurfaceContact { weight, feature: alone[k].feature, ..at }));
                }
                keeps.push((k, (1.0 - part) * left[k]));
            }
        }
        for (k, rest) in keeps {
            left[k] = rest;
        }
        group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
    }
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by_key(|&k| alone[k].feature);
    contacts.truncate(first);
    for k in order.into_iter().filter(|&k| !is_none[k]) {
        contacts.push(alone[k]);
        contacts.extend(parts.iter().filter(|(of, part)| *of == k && part.weight < 0.0).map(|(_, part)| *part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(feature: u32, angle: f64, depth: f64) -> SurfaceContact {
        SurfaceContact::new(feature, DVec3::new(angle.sin(), 0.0, -angle.cos()), -depth, DVec3::ZERO)
    }

    fn pass(between: [usize; 2], angle: f64, depth: f64) -> Pass {
        Pass::new(between, contact(0, angle, depth))
    }

    fn energy(contacts: &[SurfaceContact]) -> f64 {
        contacts.iter().map(|c| c.weight * c.separation.min(0.0).powi(2)).sum()
    }

    #[test]
    fn two_contacts_bear_their_pass_by_how_near_it_is() {
        let mut contacts = vec![contact(7, 0.1, 3.0), contact(4, -0.1, 2.0)];
        blend(&mut contacts, 0, &mut vec![pass([0, 1], -0.05, 1.0)], 0.0);
        assert_eq!(contacts.iter().map(|c| c.feature).collect::<Vec<_>>(), [4, 4, 7, 7]);
        assert!((contacts[1].weight + 0.75).abs() < 1e-3 && (contacts[3].weight + 0.25).abs() < 1e-3);
        assert!((energy(&contacts) - (9.0 + 4.0 - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn a_pass_that_is_not_through_the_surface_takes_nothing() {
        let mut contacts = vec![contact(1, 0.1, 3.0), contact(2, -0.1, 2.0)];
        blend(&mut contacts, 0, &mut vec![pass([0, 1], 0.0, -0.5)], 0.0);
        assert_eq!(contacts.len(), 2);
    }

    #[test]
    fn a_contact_as_deep_as_its_pass_is_none() {
        let mut contacts = vec![contact(1, 0.1, 3.0), contact(2, -0.1, 2.0)];
        blend(&mut contacts, 0, &mut vec![pass([0, 1], -0.1, 2.0 - 1e-9)], 1e-8);
        assert_eq!(contacts, [contact(1, 0.1, 3.0)]);
    }

    #[test]
    fn a_pass_to_nothing_is_taken_off_whatever_is_joined_to_it() {
        let mut contacts = vec![contact(1, 0.1, 3.0), contact(2, -0.1, 2.0)];
        blend(&mut contacts, 0, &mut vec![pass([0, NOTHING], 0.0, 1.5), pass([0, 1], 0.0, 1.0)], 0.0);
        assert!((energy(&contacts) - (9.0 + 4.0 - 2.25 - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn two_places_that_are_one_pass_count_by_their_weights() {
        let mut contacts = vec![contact(1, 0.1, 3.0), contact(2, -0.1, 2.0)];
        let at = SurfaceContact { weight: 0.25, ..contact(0, 0.05, 1.0) };
        let beside = Some(SurfaceContact { weight: 0.75, ..contact(0, -0.05, 1.0) });
        blend(&mut contacts, 0, &mut vec![Pass { between: [0, 1], at, beside }], 0.0);
        assert_eq!(contacts.len(), 6);
        assert!((energy(&contacts) - (9.0 + 4.0 - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn of_the_passes_around_a_ring_the_least_deep_is_no_pass() {
        let mut contacts = vec![contact(1, -0.1, 3.0), contact(2, 0.0, 2.0), contact(3, 0.1, 2.5)];
        let mut passes = vec![pass([2, 0], 0.0, 0.5), pass([0, 1], -0.05, 1.0), pass([1, 2], 0.05, 1.5)];
        blend(&mut contacts, 0, &mut passes, 0.0);
        assert!((energy(&contacts) - (9.0 + 4.0 + 6.25 - 1.0 - 2.25)).abs() < 1e-12);
        // Whatever is left of a contact pushes: its passes weigh no more than itself.
        for feature in 1..=3 {
            let left: f64 = contacts.iter().filter(|c| c.feature == feature).map(|c| c.weight).sum();
            assert!((0.0..=1.0).contains(&left), "{left}");
        }
    }
}
