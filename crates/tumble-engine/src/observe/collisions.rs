//! What collisions that take no time add up to: their rate, and the stress that they and the flight of grains between them carry.
//!
//! stress = (1 / (V t)) (sum over collisions of (x_a - x_b) (x) J + integral over t of the sum over grains of m c (x) c)
//!
//! with J the impulse on a and c the velocity beside the mean flow, so that pressure is positive. All are averages since the time from
//! which on the run adds up ([`crate::model::HardSettings::average_after`]).

use super::probe::tensor_columns;
use crate::model::{Model, SpeciesIndex};
use crate::state::CollisionTotals;
use crate::{Particles, State};
use tumble_geometry::Shape;

/// Averages over the collisions of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionAverages {
    /// Collisions a grain takes part in, a second [1/s]; one of two grains counts for both.
    pub rate: f64,
    /// Granular temperature: mean square of one component of the velocity beside the mean flow [m^2/s^2], weighted by mass.
    pub temperature: f64,
    /// Stress that flight carries, row by row [Pa]; `None` where the domain has no volume.
    pub kinetic_stress: Option<[f64; 9]>,
    /// Stress that collisions carry, row by row [Pa].
    pub collisional_stress: Option<[f64; 9]>,
    /// Mean overlap at collisions over the smallest widths [1].
    pub mean_overlap: f64,
}

impl CollisionAverages {
    /// Of totals that were added up over some time; all zero before.
    pub fn of(model: &Model, state: &State, totals: &CollisionTotals) -> CollisionAverages {
        let over = |sum: f64, whole: f64| if whole > 0.0 { sum / whole } else { 0.0 };
        let n_grains = over(totals.grains, totals.time);
        let mean_mass = over(state.particles.mass.iter().sum(), state.particles.len() as f64);
        let dimensions = if model.planar { 2.0 } else { 3.0 };
        let trace = totals.kinetic[0] + totals.kinetic[4] + totals.kinetic[8];
        let volume = cell_volume(model, &state.particles);
        let stress = |sums: &[f64; 9]| volume.map(|volume| sums.map(|sum| over(sum, volume * totals.time)));
        CollisionAverages {
            rate: over(2.0 * totals.n_pairs as f64 + totals.n_walls as f64, n_grains * totals.time),
            temperature: over(trace, dimensions * mean_mass * totals.grains),
            kinetic_stress: stress(&totals.kinetic),
            collisional_stress: stress(&totals.collisional),
            mean_overlap: over(totals.overlaps, totals.n_pairs as f64),
        }
    }
}

/// Volume of the domain [m^3], in the planar mode as thick as its first grain; `None` where it has no end.
pub fn cell_volume(model: &Model, particles: &Particles) -> Option<f64> {
    let extent = model.domain.upper - model.domain.lower;
    let depth = if model.planar {
        let half = |species: SpeciesIndex| match &model.species[species as usize].shape {
            Shape::Disc(disc) => disc.half_thickness,
            Shape::Polygon(polygon) => polygon.half_thickness(),
            _ => 0.5,
        };
        particles.species.first().map_or(1.0, |&species| 2.0 * half(species) * particles.scale[0])
    } else {
        extent.z
    };
    has_volume(model).then_some(extent.x * extent.y * depth)
}

fn has_volume(model: &Model) -> bool {
    let extent = model.domain.upper - model.domain.lower;
    extent.x.is_finite() && extent.y.is_finite() && (model.planar || extent.z.is_finite())
}

/// Names of the columns, with their units.
pub(super) fn columns(model: &Model) -> Vec<String> {
    let mut names: Vec<String> = [
        "measured_s",
        "pair_collisions",
        "wall_collisions",
        "collisions_a_grain_per_s",
        "mean_free_time_s",
        "temperature_m2_per_s2",
        "mean_overlap",
        "largest_overlap",
    ]
    .map(String::from)
    .into();
    if has_volume(model) {
        names.extend(tensor_columns("stress", "_kinetic_Pa"));
        names.extend(tensor_columns("stress", "_collisional_Pa"));
        names.push("pressure_Pa".to_owned());
        names.push("pressure_over_kinetic".to_owned());
    }
    names
}

/// The row.
pub(super) fn row(model: &Model, state: &State) -> Vec<f64> {
    let totals = state.solver.collisions().copied().unwrap_or_default();
    let averages = CollisionAverages::of(model, state, &totals);
    let mut row = vec![
        totals.time,
        totals.n_pairs as f64,
        totals.n_walls as f64,
        averages.rate,
        if averages.rate > 0.0 { 1.0 / averages.rate } else { 0.0 },
        averages.temperature,
        averages.mean_overlap,
        totals.largest_overlap,
    ];
    if let (Some(kinetic), Some(collisional)) = (averages.kinetic_stress, averages.collisional_stress) {
        row.extend(kinetic);
        row.extend(collisional);
        // In the plane there are two directions to press in.
        let dimensions = if model.planar { 2.0 } else { 3.0 };
        let trace = |stress: &[f64; 9]| (stress[0] + stress[4] + stress[8]) / dimensions;
        let pressure = trace(&kinetic) + trace(&collisional);
        row.push(pressure);
        row.push(if trace(&kinetic) > 0.0 { pressure / trace(&kinetic) } else { 0.0 });
    }
    row
}
