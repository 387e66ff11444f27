//! How the axes of grains lie: the order parameter about a direction, in slices.
//!
//! With t the angle between a grain's own z axis (in the frame in which its shape is given) and the axis of the slices,
//! S = <(3 cos^2 t - 1) / 2> over the grains with their centres in a slice: 1 if all lie along the axis, -1/2 if all lie
//! across it, 0 if they lie at random (de Gennes and Prost, *The physics of liquid crystals*, 1993). It says something of
//! bodies that have an axis, as cylinders do.

use super::clip;
use crate::region::Region;
use crate::{Model, State};
use glam::DVec3;

/// What one slice holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlignedSlice {
    /// Coordinate of the middle of the slice along the axis [m].
    pub centre: f64,
    /// Number of grains with their centres in the slice.
    pub n_grains: usize,
    /// Order parameter [1]; NaN in an empty slice.
    pub order: f64,
}

/// Slices of a box across an axis (0, 1, 2 for x, y, z), from its lower to its upper face. No slices asked for or an axis
/// beyond 2 give none.
pub fn alignment(
    model: &Model,
    state: &State,
    lower: DVec3,
    upper: DVec3,
    axis: usize,
    n_slices: usize,
) -> Vec<AlignedSlice> {
    if axis > 2 || n_slices == 0 {
        return Vec::new();
    }
    let region = Region::Box { lower, upper };
    let width = (upper[axis] - lower[axis]) / n_slices as f64;
    let mut sums = vec![(0_usize, 0.0); n_slices];
    let particles = &state.particles;
    for (grain, &position) in particles.position.iter().enumerate() {
        if !clip::holds(&region, position) {
            continue;
        }
        let given = model.species[particles.species[grain] as usize].given_frame.orientation;
        let cosine = (particles.orientation[grain] * (given * DVec3::Z))[axis];
        let slice = (((position[axis] - lower[axis]) / width) as usize).min(n_slices - 1);
        sums[slice].0 += 1;
        sums[slice].1 += 1.5 * cosine * cosine - 0.5;
    }
    let slice = |(k, (n_grains, sum)): (usize, (usize, f64))| AlignedSlice {
        centre: lower[axis] + (k as f64 + 0.5) * width,
        n_grains,
        order: sum / n_grains as f64,
    };
    sums.into_iter().enumerate().map(slice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::fixture;
    use crate::random::Random;
    use glam::DQuat;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn upright_lying_and_random_axes_have_their_orders() {
        let model = fixture::model();
        let mut random = Random::from_seed(3);
        let grains: Vec<_> = (0..30_000).map(|k| (DVec3::Z * (f64::from(k % 3) + 0.5), 0.1)).collect();
        let mut state = fixture::state(&grains);
        state.particles.orientation = (0..30_000)
            .map(|k| match k % 3 {
                0 => DQuat::from_rotation_z(random.unit()),
                1 => DQuat::from_rotation_z(random.unit()) * DQuat::from_rotation_x(FRAC_PI_2),
                _ => random.orientation(),
            })
            .collect();
        let (lower, upper) = (DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, 1.0, 4.0));
        let found = alignment(&model, &state, lower, upper, 2, 4);
        assert!((found[0].order - 1.0).abs() < 1e-12 && (found[1].order + 0.5).abs() < 1e-12, "{found:?}");
        // The variance of P2 over the sphere is 1/5: this is five deviations of the mean of 10,000.
        assert!(found[2].order.abs() < 5.0 * (0.2_f64 / 10_000.0).sqrt(), "{found:?}");
        assert!(found[3].order.is_nan() && found[3].n_grains == 0 && found[2].n_grains == 10_000);
        assert_eq!(found[1].centre, 1.5);
    }
}
