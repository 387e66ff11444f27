//! The largest overlaps of a run, the first sign of a stiffness or time step that does not fit the load.

use super::{ContactRecord, Partner};
use crate::State;

/// An overlap, with the names of those who overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Overlap [m].
    pub length: f64,
    /// Overlap over the radius of the smaller grain; against a wall, of the grain [1].
    pub ratio: f64,
    /// Id of the grain.
    pub grain: u32,
    /// What it overlaps with.
    pub partner: OverlapPartner,
}

/// What a grain overlaps with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapPartner {
    /// Id of another grain.
    Particle(u32),
    /// Index of a wall.
    Wall(usize),
}

/// The contact with the largest overlap in metres; the first of equals, `None` without contacts.
pub fn largest_overlap(state: &State, contacts: &[ContactRecord]) -> Option<Overlap> {
    largest(state, contacts, |overlap| overlap.length)
}

/// The contact with the largest overlap relative to the smaller radius; the first of equals, `None` without contacts.
pub fn largest_relative_overlap(state: &State, contacts: &[ContactRecord]) -> Option<Overlap> {
    largest(state, contacts, |overlap| overlap.ratio)
}

fn largest(state: &State, contacts: &[ContactRecord], size: impl Fn(&Overlap) -> f64) -> Option<Overlap> {
    let mut found: Option<Overlap> = None;
    for contact in contacts {
        let overlap = overlap_of(state, contact);
        if found.as_ref().is_none_or(|largest| size(&overlap) > size(largest)) {
            found = Some(overlap);
        }
    }
    found
}

fn overlap_of(state: &State, contact: &ContactRecord) -> Overlap {
    let particles = &state.particles;
    let own = particles.radius[contact.a];
    let (smaller, partner) = match contact.partner {
        Partner::Particle(b) => (own.min(particles.radius[b]), OverlapPartner::Particle(particles.id[b])),
        Partner::Wall(wall) => (own, OverlapPartner::Wall(wall)),
    };
    Overlap { length: contact.overlap, ratio: contact.overlap / smaller, grain: particles.id[contact.a], partner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::fixture;
    use glam::DVec3;

    #[test]
    fn the_longest_overlap_need_not_be_the_deepest() {
        // Two large grains overlap by 0.1, a small one by 0.0625 with a large one and by 0.03125 with a wall.
        let state = fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X * 1.9, 1.0), (DVec3::Y * 1.0625, 0.125)]);
        let force = DVec3::ZERO;
        let contacts = [
            fixture::on_wall(&state, 2, 4, DVec3::Y * (0.125 - 0.03125), force),
            fixture::pair(&state, 0, 1, DVec3::X * 1.9, force),
            fixture::pair(&state, 0, 2, DVec3::Y * 1.0625, force),
        ];
        let longest = largest_overlap(&state, &contacts).unwrap();
        assert_eq!((longest.grain, longest.partner), (100, OverlapPartner::Particle(101)));
        assert!((longest.length - 0.1).abs() < 1e-15 && (longest.ratio - 0.1).abs() < 1e-15);
        let deepest = largest_relative_overlap(&state, &contacts).unwrap();
        assert_eq!((deepest.grain, deepest.partner), (100, OverlapPartner::Particle(102)));
        assert_eq!((deepest.length, deepest.ratio), (0.0625, 0.5));
        let wall = largest_overlap(&state, &contacts[..1]).unwrap();
        assert_eq!((wall.grain, wall.partner, wall.ratio), (102, OverlapPartner::Wall(4), 0.25));
        assert_eq!(largest_overlap(&state, &[]), None);
    }
}
