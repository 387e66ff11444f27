//! The largest overlaps of a run, the first sign of a stiffness or time step that does not fit the load.

use super::{ContactRecord, Partner};
use crate::law::LawKind;
use crate::model::{Material, SpeciesIndex};
use crate::{Model, State};

/// Above this overlap over the smallest half width of the two bodies, grains are softer than what they stand for [1]: they pack
/// more densely, touch for longer and rub against more neighbours, in proportion to the overlap. In shear, stresses are off by
/// some 2.5 % where overlaps are a hundredth of a diameter; here they are two and a half of these.
pub const NOTICEABLE: f64 = 0.05;

/// An overlap, with the names of those who overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Overlap [m].
    pub length: f64,
    /// Overlap over the smallest half width of the two; against a wall, of the grain [1].
    pub ratio: f64,
    /// Id of the grain.
    pub grain: u32,
    /// What it overlaps with.
    pub partner: OverlapPartner,
    /// Of which kinds they are.
    pub between: Between,
}

/// What a grain overlaps with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapPartner {
    /// Id of another grain.
    Particle(u32),
    /// Index of a wall.
    Wall(usize),
}

/// A kind of grain, and what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Two kinds of grain.
    Grains(SpeciesIndex, SpeciesIndex),
    /// A kind of grain and the index of a wall.
    Wall(SpeciesIndex, usize),
}

impl Overlap {
    /// The overlap of a contact.
    pub fn of(model: &Model, state: &State, contact: &ContactRecord) -> Overlap {
        let p = &state.particles;
        let own = model.half_width(p, contact.a);
        let (smallest, partner) = match contact.partner {
            Partner::Particle(b) => (own.min(model.half_width(p, b)), OverlapPartner::Particle(p.id[b])),
            Partner::Wall(wall) => (own, OverlapPartner::Wall(wall)),
        };
        Overlap {
            length: contact.overlap,
            ratio: contact.overlap / smallest,
            grain: p.id[contact.a],
            partner,
            between: Between::of(state, contact.a, contact.partner),
        }
    }
}

impl Between {
    /// The kinds of a grain and of what it touches.
    pub fn of(state: &State, a: usize, partner: Partner) -> Between {
        let species = &state.particles.species;
        match partner {
            Partner::Particle(b) => Between::Grains(species[a], species[b]),
            Partner::Wall(wall) => Between::Wall(species[a], wall),
        }
    }

    /// Their names, as in "bead against wall floor".
    pub fn in_words(&self, model: &Model) -> String {
        let name = |species: SpeciesIndex| &model.species[species as usize].name;
        match *self {
            Between::Grains(a, b) => format!("{} against {}", name(a), name(b)),
            Between::Wall(a, wall) => format!("{} against wall {}", name(a), model.walls[wall].name),
        }
    }

    /// How to make the contact stiffer, as in "raise the Young's modulus of glass (4.0e7 Pa now, about 7.5e7 Pa would do)". The figure
    /// is for an overlap that should be so many times smaller, if grains are thrown at each other; under a steady load less does.
    pub fn stiffer(&self, model: &Model, times: f64) -> String {
        let would_do = |now: f64, wanted: f64, unit: &str| {
            let wanted =
                if wanted.is_finite() { format!(", about {wanted:.1e} {unit} would do") } else { String::new() };
            format!("({now:.1e} {unit} now{wanted})")
        };
        match model.law.kind {
            // Energy goes with k overlap^2.
            LawKind::Linear { normal_stiffness: k, .. } => {
                format!("raise the stiffness of the law {}", would_do(k, k * times.powi(2), "N/m"))
            }
            LawKind::Volume { normal_stiffness: k, .. } => {
                format!("raise the stiffness of the law ({k:.1e} N/m now)")
            }
            LawKind::Pressure { stiffness_per_area: k, .. } => {
                format!("raise the stiffness of the law {}", would_do(k, k * times.powi(2), "Pa/m"))
            }
            // Energy goes with E overlap^(5/2).
            LawKind::HertzMindlin { .. } => {
                let material =
                    |species: SpeciesIndex| &model.materials[model.species[species as usize].material as usize];
                let (a, b) = match *self {
                    Between::Grains(a, b) => (material(a), material(b)),
                    Between::Wall(a, wall) => (material(a), &model.materials[model.walls[wall].material as usize]),
                };
                let softer: &Material = if b.young_modulus < a.young_modulus { b } else { a };
                let now = softer.young_modulus;
                format!("raise the Young's modulus of {} {}", softer.name, would_do(now, now * times.powf(2.5), "Pa"))
            }
        }
    }

    /// What an overlap as deep as this says, and what to do about it; `None` if it is not worth a word.
    pub fn warning(&self, model: &Model, ratio: f64) -> Option<String> {
        (ratio > NOTICEABLE).then(|| {
            format!(
                "overlaps reached {:.1} % of the smallest half width ({}). Above {:.0} % grains are so soft that they pack, flow \
                 and rebound differently from hard ones: {}",
                100.0 * ratio,
                self.in_words(model),
                100.0 * NOTICEABLE,
                self.stiffer(model, ratio / NOTICEABLE)
            )
        })
    }
}

/// The largest overlaps among the contacts that were shown; the first of equals, `None` before any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargestOverlaps {
    /// The largest in metres.
    pub longest: Option<Overlap>,
    /// The largest relative to the smallest half width.
    pub deepest: Option<Overlap>,
}

impl LargestOverlaps {
    /// Looks at a further contact.
    pub fn add(&mut self, model: &Model, state: &State, contact: &ContactRecord) {
        let overlap = Overlap::of(model, state, contact);
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
    use crate::law::Law;
    use crate::model::Species;
    use crate::observe::fixture;
    use glam::DVec3;
    use tumble_geometry::{Cylinder, Shape};

    #[test]
    fn the_longest_overlap_need_not_be_the_deepest() {
        // Two large grains overlap by 0.1, a small one by 0.0625 with a large one and by 0.03125 with a wall.
        let state = fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X * 1.9, 1.0), (DVec3::Y * 1.0625, 0.125)]);
        let (model, force) = (fixture::model(), DVec3::ZERO);
        let contacts = [
            fixture::on_wall(&state, 2, 4, DVec3::Y * (0.125 - 0.03125), force),
            fixture::pair(&state, 0, 1, DVec3::X * 1.9, force),
            fixture::pair(&state, 0, 2, DVec3::Y * 1.0625, force),
        ];
        let largest = |contacts: &[ContactRecord]| {
            let mut largest = LargestOverlaps::default();
            contacts.iter().for_each(|contact| largest.add(&model, &state, contact));
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

    #[test]
    fn the_overlap_of_a_plate_is_over_its_half_thickness() {
        let mut model = fixture::model();
        let plate = Shape::Cylinder(Cylinder { radius: 1.0, half_height: 0.05 });
        model.species.push(Species::new("plate", &plate, 0));
        let mut state = fixture::state(&[(DVec3::ZERO, 1.0), (DVec3::X * 1.996, 1.0)]);
        state.particles.species[1] = 1;
        let contact = fixture::pair(&state, 0, 1, DVec3::X * 1.996, DVec3::ZERO);
        let overlap = Overlap::of(&model, &state, &contact);
        assert!((overlap.ratio - 0.004 / 0.05).abs() < 1e-12, "{overlap:?}");
        assert_eq!(overlap.between, Between::Grains(0, 1));
    }

    #[test]
    fn a_deep_overlap_is_told_with_the_stiffness_that_would_do() {
        let (mut model, mut state) = (fixture::model(), fixture::state(&[]));
        fixture::add_wall(&mut model, &mut state, "floor", DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let between = Between::Wall(0, 0);
        assert_eq!(between.warning(&model, 0.05), None);
        let warning = between.warning(&model, 0.1).unwrap();
        assert!(warning.contains("10.0 % of the smallest half width (grain against wall floor)"), "{warning}");
        assert!(
            warning.ends_with("raise the stiffness of the law (1.0e5 N/m now, about 4.0e5 N/m would do)"),
            "{warning}"
        );
        model.law = Law::default();
        let warning = between.warning(&model, 0.1).unwrap();
        assert!(
            warning.ends_with("raise the Young's modulus of stone (1.0e9 Pa now, about 5.7e9 Pa would do)"),
            "{warning}"
        );
    }
}
