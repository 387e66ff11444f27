//! Profiles: solid fraction, bulk density, mean velocity and granular temperature in slices of a box.
//!
//! A grain counts in every slice that it reaches into, with the part of its volume that lies there (as in
//! [`super::packing`]); its velocity is that of its centre. So the slice means are continuous in the grains' positions
//! and the slices add up to the box: bulk density times volume to the mass inside, and with the mean velocity to its
//! momentum. The granular temperature is T = <(v - u)^2> / 3 with the same weights. Rotation does not enter.
//!
//! In a periodic domain the images of grains count. Cost: one partial volume for each grain and slice that meet.

use super::{clip, packing};
use crate::region::Region;
use crate::{Model, State};
use glam::DVec3;

/// What one slice holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Coordinate of the middle of the slice along the axis [m].
    pub centre: f64,
    /// Number of grains with their centres in the slice.
    pub n_grains: usize,
    /// Volume of the grains in the slice over its volume [1].
    pub solid_fraction: f64,
    /// Mass of the grains in the slice over its volume [kg/m^3].
    pub bulk_density: f64,
    /// Mean velocity by mass [m/s]; NaN in an empty slice.
    pub mean_velocity: DVec3,
    /// Granular temperature: a third of the mean square of the velocity beyond the mean [m^2/s^2]; NaN in an empty
    /// slice.
    pub temperature: f64,
}

/// Sums of one slice.
#[derive(Clone, Copy, Default)]
struct Sums {
    n_grains: usize,
    volume: f64,
    mass: f64,
    mean: DVec3,
    square: f64,
}

impl Sums {
    /// Adds a part of a grain; mean and central moment as in West (1979), Commun. ACM 22:532.
    fn add(&mut self, volume: f64, mass: f64, velocity: DVec3) {
        self.volume += volume;
        self.mass += mass;
        let before = velocity - self.mean;
        self.mean += before * (mass / self.mass);
        self.square += mass * before.dot(velocity - self.mean);
    }
}

/// Slices of a box across an axis (0, 1, 2 for x, y, z), from its lower to its upper face.
///
/// A box without volume, no slices asked for or an axis beyond 2 give no slices.
pub fn profile(model: &Model, state: &State, lower: DVec3, upper: DVec3, axis: usize, n_slices: usize) -> Vec<Slice> {
    let region = Region::Box { lower, upper };
    let volume = clip::volume(&region) / n_slices as f64;
    if !(volume > 0.0 && volume.is_finite() && axis < 3) {
        return Vec::new();
    }
    let width = (upper[axis] - lower[axis]) / n_slices as f64;
    // The last face is the box's own, without the rounding of a product.
    let face = |k: usize| if k == n_slices { upper[axis] } else { lower[axis] + k as f64 * width };
    let bounds = clip::bounds(&region);
    let mut sums = vec![Sums::default(); n_slices];
    for grain in 0..state.particles.len() {
        let (mass, velocity) = (state.particles.mass[grain], state.particles.velocity[grain]);
        packing::for_each_image_of_grain(model, state, grain, &bounds, |shape, scale, pose| {
            let whole = shape.volume() * scale.powi(3);
            let reach = shape.bounding_radius() * scale;
            let at = pose.position[axis] - lower[axis];
            // One slice more on either side covers the rounding of the division.
            let first = ((at - reach) / width - 1.0).max(0.0) as usize;
            let last = (((at + reach) / width + 1.0).max(0.0) as usize).min(n_slices - 1);
            for (k, slice) in sums.iter_mut().enumerate().take(last + 1).skip(first) {
                let (mut low, mut high) = (lower, upper);
                (low[axis], high[axis]) = (face(k), face(k + 1));
                let slice_region = Region::Box { lower: low, upper: high };
                let part = packing::volume_in_region(shape, scale, pose, &slice_region);
                if part > 0.0 {
                    slice.add(part, mass * (part / whole), velocity);
                }
                slice.n_grains += usize::from(clip::holds(&slice_region, pose.position));
            }
        });
    }
    sums.iter()
        .enumerate()
        .map(|(k, sums)| {
            let empty = sums.mass == 0.0;
            Slice {
                centre: 0.5 * (face(k) + face(k + 1)),
                n_grains: sums.n_grains,
                solid_fraction: sums.volume / volume,
                bulk_density: sums.mass / volume,
                mean_velocity: if empty { DVec3::NAN } else { sums.mean },
                temperature: if empty { f64::NAN } else { sums.square / (3.0 * sums.mass) },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Domain, Edge};
    use crate::observe::fixture;
    use crate::random::Random;
    use std::f64::consts::PI;

    #[test]
    fn slices_of_one_sphere_are_its_known_layers() {
        let mut state = fixture::state(&[(DVec3::new(0.0, 0.0, 0.5), 1.0)]);
        state.particles.velocity[0] = DVec3::new(1.0, 2.0, 3.0);
        let (lower, upper) = (DVec3::new(-2.0, -2.0, -1.0), DVec3::new(2.0, 2.0, 3.0));
        let slices = profile(&fixture::model(), &state, lower, upper, 2, 8);
        let antiderivative = |z: f64| PI * (z - z.powi(3) / 3.0);
        for (k, slice) in slices.iter().enumerate() {
            let z0 = -1.0 + 0.5 * k as f64;
            assert!((slice.centre - z0 - 0.25).abs() < 1e-15);
            let (a, b) = ((z0 - 0.5).clamp(-1.0, 1.0), (z0).clamp(-1.0, 1.0));
            let expected = (antiderivative(b) - antiderivative(a)) / (0.5 * 16.0);
            assert!((slice.solid_fraction - expected).abs() < 1e-15, "{k}");
            assert!((slice.bulk_density - expected * fixture::DENSITY).abs() < 1e-11);
            assert_eq!(slice.mean_velocity.is_nan(), expected == 0.0);
            if expected > 0.0 {
                assert!((slice.mean_velocity - state.particles.velocity[0]).length() < 1e-15);
                assert!(slice.temperature.abs() < 1e-15);
            }
        }
        // The centre lies on the face between two slices and belongs to the upper one.
        assert_eq!(slices.iter().map(|s| s.n_grains).collect::<Vec<_>>(), [0, 0, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn slices_add_up_to_mass_momentum_and_count_of_the_cell() {
        let mut model = fixture::model();
        model.domain = Domain {
            lower: DVec3::ZERO,
            upper: DVec3::new(1.0, 2.0, 1.5),
            edges: [Edge::Periodic, Edge::Periodic, Edge::Periodic],
        };
        let mut random = Random::from_seed(71);
        let grains: Vec<_> = (0..200)
            .map(|_| (DVec3::new(random.unit(), 2.0 * random.unit(), 1.5 * random.unit()), random.between(0.02, 0.2)))
            .collect();
        let mut state = fixture::state(&grains);
        state.particles.velocity.iter_mut().for_each(|v| *v = random.direction());
        let particles = &state.particles;
        let mass: f64 = particles.mass.iter().sum();
        let momentum: DVec3 = particles.mass.iter().zip(&particles.velocity).map(|(&m, &v)| m * v).sum();
        for (axis, n_slices) in [(0, 3), (1, 17), (2, 100)] {
            let slices = profile(&model, &state, model.domain.lower, model.domain.upper, axis, n_slices);
            let volume = 3.0 / n_slices as f64;
            let sum: f64 = slices.iter().map(|s| s.bulk_density * volume).sum();
            assert!((sum / mass - 1.0).abs() < 1e-9, "{axis} {sum} {mass}");
            let sum: DVec3 = slices.iter().map(|s| s.mean_velocity * (s.bulk_density * volume)).sum();
            assert!((sum - momentum).length() < 1e-9 * mass);
            assert_eq!(slices.iter().map(|s| s.n_grains).sum::<usize>(), 200);
        }
    }

    #[test]
    fn temperature_of_a_slice_is_the_variance_of_its_velocities() {
        // Grains wholly in the only slice, with a mean far above the fluctuation.
        let mut random = Random::from_seed(72);
        let grains: Vec<_> = (0..50).map(|_| (random.direction() * 0.5, random.between(0.01, 0.1))).collect();
        let mut state = fixture::state(&grains);
        let drift = DVec3::new(100.0, -50.0, 0.0);
        state.particles.velocity.iter_mut().for_each(|v| *v = drift + 0.01 * random.direction());
        let slice = profile(&fixture::model(), &state, DVec3::NEG_ONE, DVec3::ONE, 0, 1)[0];
        let (m, v) = (&state.particles.mass, &state.particles.velocity);
        let mass: f64 = m.iter().sum();
        let mean = m.iter().zip(v).map(|(&m, &v)| m * v).sum::<DVec3>() / mass;
        let square: f64 = m.iter().zip(v).map(|(&m, &v)| m * (v - mean).length_squared()).sum();
        assert!((slice.mean_velocity - mean).length() < 1e-12);
        assert!((slice.temperature / (square / (3.0 * mass)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_sliced_gives_no_slices() {
        let (model, state) = (fixture::model(), fixture::state(&[(DVec3::ZERO, 1.0)]));
        assert!(profile(&model, &state, DVec3::NEG_ONE, DVec3::ONE, 0, 0).is_empty());
        assert!(profile(&model, &state, DVec3::NEG_ONE, DVec3::ONE, 3, 1).is_empty());
        assert!(profile(&model, &state, DVec3::ONE, DVec3::NEG_ONE, 0, 1).is_empty());
    }
}
