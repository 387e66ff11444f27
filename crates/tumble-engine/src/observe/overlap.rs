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

impl Overlap {
    /// The overlap of a contact.
    pub fn of(state: &State, contact: &ContactRecord) -> Overlap {
        let particles = &state.particles;
        let own = particles.radius[contact.a];
        let (smaller, partner) = match contact.partner {
            Partner::Particle(b) => (own.min(particles.radius[b]), OverlapPartner::Particle(particles.id[b])),
            Partner::Wall(wall) => (own, OverlapPartner::Wall(wall)),
        };
        Overlap { length: contact.overlap, ratio: contact.overlap / smaller, grain: particles.id[contact.a], partner }
    }
}

/// The largest overlaps among the contacts that were shown; the first of equals, `None` before any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargestOverlaps {
    /// The largest in metres.
    pub longest: Option<Overlap>,
    /// The largest relative to the smaller radius.
    pub deepest: Option<Overlap>,
}

impl LargestOverlaps {
    /// Looks at a further contact.
    pub fn add(&mut self, state: &State, contact: &ContactRecord) {
        let overlap = Overlap::of(state, contact);
        if self.longest.is_none_or(|longest| overlap.length > longest.length) {
            self.longest = Some(overlap);
        }
        if self.deepest.is_none_or(|deepest| overlap.ratio > deepest.ratio) {
            self.deepest = Some(overlap);
        }
    }
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
        let largest = |contacts: &[ContactRecord]| {
            let mut largest = LargestOverlaps::default();
            contacts.iter().for_each(|contact| largest.add(&state, contact));
            largest
        };
        let longest = largest(&contacts).longest.unwrap();
        assert_eq!((longest.grain, longest.partner), (100, OverlapPartner::Particle(101)));
        assert!((longest.length - 0.1).abs() < 1e-15 && (longest.ratio - 0.1).abs() < 1e-15);
        let deepest = largest(&contacts).deepest.unwrap();
        assert_eq!((deepest.grain, deepest.partner), (100, OverlapPartner::Particle(102)));
        assert_eq!((deepest.length, deepest.ratio), (0.0625, 0.5));
        let wall = largest(&contacts[..1]).longest.unwrap();
        assert_eq!((wall.grain, wall.partner, wall.ratio), (102, OverlapPartner::Wall(4), 0.25));
        assert_eq!(largest(&[]), LargestOverlaps::default());
    }
}
