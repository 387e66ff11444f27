//! Images of grains across periodic edges, which may slide over each other.
//!
//! With a shear rate the images across y move along x at `shear_rate` times the period across y, as Lees and Edwards have it: the
//! cell above is the same cell in a frame that moves with the mean flow there. A grain that leaves through the upper edge comes in at
//! the lower one, as far behind along x as the cells have slid, and slower by their relative speed.

use crate::boundary::periodic::wrap;
use crate::model::{Domain, Model};
use crate::{EngineError, Particles};
use glam::{DVec3, IVec3};

/// The periodic cell and how its images slide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeriodicCell<'a> {
    pub domain: &'a Domain,
    /// [1/s]
    pub shear_rate: f64,
}

impl PeriodicCell<'_> {
    pub fn of(model: &Model) -> PeriodicCell<'_> {
        PeriodicCell { domain: &model.domain, shear_rate: model.shear_rate }
    }

    /// From a grain to one of its images at a time [m].
    pub fn shift(&self, image: IVec3, time: f64) -> DVec3 {
        let periods = self.domain.periods();
        let mut shift = DVec3::ZERO;
        for axis in 0..3 {
            if let Some(period) = periods[axis] {
                shift[axis] = f64::from(image[axis]) * period;
            }
        }
        shift.x += self.image_speed() * f64::from(image.y) * time;
        shift
    }

    /// Velocity of an image beside that of its grain [m/s].
    pub fn velocity(&self, image: IVec3) -> DVec3 {
        DVec3::X * (self.image_speed() * f64::from(image.y))
    }

    /// How fast the cell above slides [m/s].
    fn image_speed(&self) -> f64 {
        if self.shear_rate == 0.0 { 0.0 } else { self.shear_rate * (self.domain.upper.y - self.domain.lower.y) }
    }

    /// Velocity of the mean flow at a place [m/s].
    pub fn mean_flow(&self, place: DVec3) -> DVec3 {
        if self.shear_rate == 0.0 {
            return DVec3::ZERO;
        }
        DVec3::X * (self.shear_rate * (place.y - 0.5 * (self.domain.lower.y + self.domain.upper.y)))
    }

    /// Brings a grain back into the cell. Returns by how much its kinetic energy grew, for across sheared edges its velocity changes [J].
    pub fn bring_back(&self, particles: &mut Particles, grain: usize, time: f64) -> f64 {
        let mut gained = 0.0;
        let place = &mut particles.position[grain];
        if self.shear_rate != 0.0 {
            let period = self.domain.upper.y - self.domain.lower.y;
            let crossings = ((place.y - self.domain.lower.y) / period).floor();
            if crossings != 0.0 {
                place.x -= crossings * self.image_speed() * time;
                let velocity = &mut particles.velocity[grain];
                let before = velocity.x;
                velocity.x -= crossings * self.image_speed();
                gained = 0.5 * particles.mass[grain] * (velocity.x - before) * (velocity.x + before);
            }
        }
        wrap(self.domain, place, &mut particles.image[grain]);
        gained
    }
}

/// The images of grains that can come near the cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    /// The grain that each is of, and how many periods it is away.
    pub list: Vec<(u32, IVec3)>,
}

impl Images {
    /// Those within a radius, the largest radius and a skin of the cell at a time [s].
    pub fn find(
        cell: &PeriodicCell,
        positions: &[DVec3],
        radii: &[f64],
        skin: f64,
        time: f64,
    ) -> Result<Images, EngineError> {
        let periods = cell.domain.periods();
        let mut images = Images::default();
        if periods.iter().all(Option::is_none) {
            return Ok(images);
        }
        let largest = radii.iter().copied().fold(0.0, f64::max);
        let least = 2.0 * (2.0 * largest + skin);
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            if let Some(period) = periods[axis]
                && period <= least
            {
                return Err(EngineError::Model(format!(
                    "the periodic domain is {period:.6e} m long along {name}, but grains of radius {largest:.6e} m with a skin of \
                     {skin:.6e} m need more than {least:.6e} m; make the domain longer or the grains smaller"
                )));
            }
        }
        for (grain, (&position, &radius)) in positions.iter().zip(radii).enumerate() {
            let reach = radius + largest + skin;
            // Periods by which a coordinate comes into the cell or near it.
            let range = |axis: usize, place: f64| match periods[axis] {
                None => 0..=0,
                Some(period) => {
                    let first = ((cell.domain.lower[axis] - reach - place) / period).ceil();
                    let last = ((cell.domain.upper[axis] + reach - place) / period).floor();
                    first as i32..=last as i32
                }
            };
            for y in range(1, position.y) {
                let along_x = position.x + cell.shift(IVec3::new(0, y, 0), time).x;
                for x in range(0, along_x) {
                    for z in range(2, position.z) {
                        let image = IVec3::new(x, y, z);
                        if image != IVec3::ZERO {
                            images.list.push((grain as u32, image));
                        }
                    }
                }
            }
        }
        Ok(images)
    }
}
