//! The shapes of the grains at their true sizes, made once for each species and scale.

use crate::Particles;
use crate::model::{Model, SpeciesIndex};
use std::collections::BTreeMap;
use tumble_geometry::Shape;

/// A shape at the size of some grain.
#[derive(Clone, Debug)]
pub(crate) struct SizedShape {
    pub shape: Shape,
    /// Whether it is a sphere, or a disc of the plane.
    pub is_round: bool,
    /// Half of the smallest width [m].
    pub half_width: f64,
}

/// The shapes of all grains.
#[derive(Clone, Debug, Default)]
pub(crate) struct SizedShapes {
    entries: Vec<SizedShape>,
    places: BTreeMap<(SpeciesIndex, u64), u32>,
    of: Vec<u32>,
}

impl SizedShapes {
    /// Looks up the shape of every grain; new ones are made.
    pub fn update(&mut self, model: &Model, particles: &Particles) {
        self.of.clear();
        for (grain, (&species, &scale)) in particles.species.iter().zip(&particles.scale).enumerate() {
            let entries = &mut self.entries;
            let place = *self.places.entry((species, scale.to_bits())).or_insert_with(|| {
                let shape = model.species[species as usize].shape.scaled(scale);
                let is_round = matches!(shape, Shape::Sphere(_) | Shape::Disc(_));
                entries.push(SizedShape { shape, is_round, half_width: model.half_width(particles, grain) });
                entries.len() as u32 - 1
            });
            self.of.push(place);
        }
    }

    /// Whether all are spheres, or discs of the plane.
    pub fn are_round(&self) -> bool {
        self.entries.iter().all(|entry| entry.is_round)
    }

    /// The shape of a grain.
    #[inline]
    pub fn get(&self, grain: usize) -> &SizedShape {
        &self.entries[self.of[grain] as usize]
    }
}
