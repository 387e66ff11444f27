//! The space that grains fly through: periodic along some axes, its images perhaps sliding over each other.

#[cfg(test)]
mod tests;

use glam::DVec3;

/// The periodic cell, with the clock of a step.
#[derive(Clone, Copy, Debug)]
pub struct Space {
    /// Smallest coordinates of the periodic cell [m]; of no meaning along other axes.
    pub lower: DVec3,
    /// Period along each axis [m]; 0 where there is none.
    pub period: DVec3,
    /// One over it [1/m]; 0 where there is none.
    per_period: DVec3,
    /// How fast the cell above slides along x [m/s].
    pub slide: f64,
    /// How far it has slid when the step begins [m].
    slid: f64,
}

/// Added to a number and taken off again, it leaves the nearest integer.
const ROUNDS: f64 = 1.5 * (1u64 << 52) as f64;

impl Space {
    /// With periods [m] along some axes; the cell above slides along x at a speed [m/s] and has slid by some way [m].
    pub fn new(lower: DVec3, periods: [Option<f64>; 3], slide: f64, slid: f64) -> Space {
        let period = DVec3::from_array(periods.map(|period| period.unwrap_or(0.0)));
        let per_period = DVec3::from_array(periods.map(|period| period.map_or(0.0, f64::recip)));
        Space { lower, period, per_period, slide, slid }
    }

    /// Along which axes it is periodic.
    pub fn is_periodic(&self) -> [bool; 3] {
        [0, 1, 2].map(|axis| self.period[axis] > 0.0)
    }

    /// Periods in an offset, rounded.
    #[inline]
    fn periods_in(&self, offset: DVec3) -> DVec3 {
        offset * self.per_period + DVec3::splat(ROUNDS) - DVec3::splat(ROUNDS)
    }

    /// The nearest image of what is at an offset, where images do not slide.
    #[inline]
    pub fn nearest(&self, offset: DVec3) -> DVec3 {
        offset - self.period * self.periods_in(offset)
    }

    /// The nearest image, and its velocity, of what is at an offset and has a relative velocity, at a time of the step; and whether it
    /// is an image that slides.
    #[inline]
    pub fn nearest_sliding(&self, mut offset: DVec3, mut velocity: DVec3, time: f64) -> (DVec3, DVec3, bool) {
        let above = self.periods_in(offset).y;
        if above != 0.0 {
            offset.x -= above * (self.slid + self.slide * time);
            velocity.x -= above * self.slide;
        }
        (self.nearest(offset), velocity, above != 0.0)
    }

    /// Brings a place back into the cell; counts the periods taken off in `image` and changes the velocity where images slide.
    pub fn bring_back(&self, position: &mut DVec3, velocity: &mut DVec3, image: &mut [i32; 3], time: f64) {
        for axis in [1, 0, 2] {
            let (period, inside) = (self.period[axis], position[axis] - self.lower[axis]);
            if period == 0.0 || (inside >= 0.0 && inside < period) {
                continue;
            }
            let crossings = (inside / period).floor();
            self.go_through(axis, crossings, position, velocity, image, time);
        }
    }

    /// Takes what went through an edge so many times back to the other side.
    pub fn go_through(
        &self,
        axis: usize,
        crossings: f64,
        position: &mut DVec3,
        velocity: &mut DVec3,
        image: &mut [i32; 3],
        time: f64,
    ) {
        position[axis] -= crossings * self.period[axis];
        image[axis] += crossings as i32;
        if axis == 1 && self.slide != 0.0 {
            position.x -= crossings * (self.slid + self.slide * time);
            velocity.x -= crossings * self.slide;
        }
    }
}
