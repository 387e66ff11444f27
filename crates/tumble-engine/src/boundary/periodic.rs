//! Periodic edges by ghosts: images of grains near one edge, shifted by the period, stand after the owned grains with all
//! fields and the ids of their grains, so that neither broad phase nor finder nor law ever hear of periodicity. Only here is
//! known which grain an image is of: whoever fills ghosts also takes back what falls on them.
//!
//! A pair of grains meets through one image at most as long as each period exceeds twice the reach of a pair; this is
//! checked when the ghosts are made.

use crate::EngineError;
use crate::model::Domain;
use glam::DVec3;

/// The images of a run.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    /// The grain each ghost is an image of.
    owner: Vec<u32>,
    /// From the grain to its image [m].
    shift: Vec<DVec3>,
}

impl Ghosts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// The place of the grain that each ghost is an image of, and the shift from there [m].
    pub fn sources(&self) -> impl Iterator<Item = (usize, DVec3)> {
        self.owner.iter().map(|&owner| owner as usize).zip(self.shift.iter().copied())
    }

    /// The grain that a body is, owned or ghost.
    pub fn grain_of(&self, n_owned: usize, body: usize) -> usize {
        body.checked_sub(n_owned).map_or(body, |ghost| self.owner[ghost] as usize)
    }

    /// From the grain that a ghost is an image of to the ghost [m].
    pub fn shift_of(&self, n_owned: usize, ghost: usize) -> DVec3 {
        self.shift[ghost - n_owned]
    }

    /// The images that can touch an owned grain: those within `radius + largest_radius + skin` of the domain.
    pub fn find(domain: &Domain, positions: &[DVec3], radii: &[f64], skin: f64) -> Result<Ghosts, EngineError> {
        let periods = domain.periods();
        let mut ghosts = Ghosts::default();
        if periods.iter().all(Option::is_none) {
            return Ok(ghosts);
        }
        let largest = radii.iter().copied().fold(0.0, f64::max);
        for (axis, period) in periods.iter().enumerate() {
            let least = 2.0 * (2.0 * largest + skin);
            if let Some(length) = period
                && *length <= least
            {
                return Err(EngineError::Model(format!(
                    "the periodic domain is {length:.6e} m long along {}, but grains of radius {largest:.6e} m with a \
                     skin of {skin:.6e} m need more than {least:.6e} m; make the domain longer or the grains smaller",
                    ["x", "y", "z"][axis],
                )));
            }
        }
        for (index, (&position, &radius)) in positions.iter().zip(radii).enumerate() {
            let reach = radius + largest + skin;
            let mut shifts = [[0.0; 3]; 3];
            let mut n_shifts = [1; 3];
            for axis in 0..3 {
                let Some(length) = periods[axis] else { continue };
                if position[axis] - domain.lower[axis] <= reach {
                    shifts[axis][n_shifts[axis]] = length;
                    n_shifts[axis] += 1;
                }
                if domain.upper[axis] - position[axis] <= reach {
                    shifts[axis][n_shifts[axis]] = -length;
                    n_shifts[axis] += 1;
                }
            }
            for i in 0..n_shifts[0] {
                for j in 0..n_shifts[1] {
                    for k in 0..n_shifts[2] {
                        if i + j + k > 0 {
                            ghosts.owner.push(index as u32);
                            ghosts.shift.push(DVec3::new(shifts[0][i], shifts[1][j], shifts[2][k]));
                        }
                    }
                }
            }
        }
        Ok(ghosts)
    }
}

/// Brings a position back into the periodic domain and counts the crossings.
pub fn wrap(domain: &Domain, position: &mut DVec3, image: &mut [i32; 3]) {
    for (axis, period) in domain.periods().into_iter().enumerate() {
        let Some(length) = period else { continue };
        let crossings = ((position[axis] - domain.lower[axis]) / length).floor();
        if crossings != 0.0 {
            position[axis] -= crossings * length;
            image[axis] += crossings as i32;
        }
    }
}

/// The shortest of all vectors that lead from a grain to an image of another [m], from any of them.
pub fn nearest_image(domain: &Domain, mut offset: DVec3) -> DVec3 {
    for (axis, period) in domain.periods().into_iter().enumerate() {
        if let Some(length) = period {
            offset[axis] -= length * (offset[axis] / length).round();
        }
    }
    offset
}

/// The position a grain would have had the domain no edges [m].
pub fn unwrapped(domain: &Domain, position: DVec3, image: [i32; 3]) -> DVec3 {
    let mut result = position;
    for (axis, period) in domain.periods().into_iter().enumerate() {
        if let Some(length) = period {
            result[axis] += image[axis] as f64 * length;
        }
    }
    result
}
