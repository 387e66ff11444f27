//! The shapes of grains at their true sizes, made once for each species and radius.

use crate::model::{Species, SpeciesIndex};
use glam::DVec3;
use std::collections::BTreeMap;
use tumble_geometry::Shape;

/// How far a grain that is not a sphere keeps from others, over half of its smallest width: twice as far as runs let flat
/// ends and straight sides bulge ([`tumble_geometry::narrow::BULGE`]), so that no grain begins with a contact.
const GAP: f64 = 1e-3;

/// Directions in which the inner radius is looked for.
const DIRECTIONS: u32 = 100;

/// Of the least reach in those directions so much counts, since there may be a lesser one in between.
const INNER_SHARE: f64 = 0.85;

/// A shape at the size of some grain.
#[derive(Debug)]
pub(super) struct SizedShape {
    /// The shape.
    pub(super) shape: Shape,
    /// How far it keeps from others [m].
    pub(super) gap: f64,
    /// Radius of a ball about the centre that is inside [m]: grains whose inner balls meet need not be looked at closely.
    pub(super) inner_radius: f64,
}

/// The shapes of all grains that are not spheres.
#[derive(Debug)]
pub(super) struct SizedShapes<'a> {
    species: &'a [Species],
    entries: Vec<SizedShape>,
    places: BTreeMap<(SpeciesIndex, u64), u32>,
    /// The last one asked for: mostly it is the same.
    last: Option<((SpeciesIndex, u64), u32)>,
}

impl<'a> SizedShapes<'a> {
    pub(super) fn new(species: &'a [Species]) -> SizedShapes<'a> {
        SizedShapes { species, entries: Vec::new(), places: BTreeMap::new(), last: None }
    }

    /// The place of the shape of grains of a species and bounding radius [m]; `None` for spheres.
    pub(super) fn place_of(&mut self, species: SpeciesIndex, radius: f64) -> Option<u32> {
        let kind = &self.species[species as usize];
        if matches!(kind.shape, Shape::Sphere(_)) {
            return None;
        }
        let key = (species, radius.to_bits());
        if let Some((_, place)) = self.last.filter(|(last, _)| *last == key) {
            return Some(place);
        }
        let entries = &mut self.entries;
        let place = *self.places.entry(key).or_insert_with(|| {
            entries.push(SizedShape::new(kind, radius));
            entries.len() as u32 - 1
        });
        self.last = Some((key, place));
        Some(place)
    }

    /// The shape at a place.
    #[inline]
    pub(super) fn get(&self, place: u32) -> &SizedShape {
        &self.entries[place as usize]
    }
}

impl SizedShape {
    fn new(species: &Species, radius: f64) -> SizedShape {
        let scale = radius / species.shape.bounding_radius();
        let shape = species.shape.scaled(scale);
        let inner_radius = inner_radius(&shape);
        SizedShape { shape, gap: GAP * 0.5 * species.smallest_width * scale, inner_radius }
    }
}

/// Radius of a ball about the centre that is inside a shape [m], or nearly so; 0 for clumps, which may be hollow there.
fn inner_radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Clump(_) => 0.0,
        Shape::Disc(disc) => disc.radius,
        Shape::Polygon(_) => INNER_SHARE * least_reach(shape, 0.0),
        _ => INNER_SHARE * least_reach(shape, 1.0),
    }
}

/// The least reach of a shape over directions on a spiral around the sphere [m], or around the circle if z is left out.
fn least_reach(shape: &Shape, across: f64) -> f64 {
    let golden_angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let reaches = (0..DIRECTIONS).map(|k| {
        let z = across * (1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(DIRECTIONS));
        let (sine, cosine) = (golden_angle * f64::from(k)).sin_cos();
        let around = (1.0 - z * z).sqrt();
        let direction = DVec3::new(around * cosine, around * sine, z);
        shape.support(direction).dot(direction)
    });
    reaches.fold(f64::INFINITY, f64::min).max(0.0)
}
