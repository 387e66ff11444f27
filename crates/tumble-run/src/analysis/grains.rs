//! The grains at a moment as analyses look at them: which way is up, how wide and high their bed is, which part of it is far from
//! its sides.

use crate::{DVec3, Model, Particles, State};
use std::f64::consts::PI;
use tumble_engine::observe::packing::packing_fraction;
use tumble_engine::region::Region;
use tumble_io::trajectory::TrajectoryFrame;

/// Mean diameters of a grain that are left out beside the walls.
const MARGIN: f64 = 2.0;
/// Slices of a bed: at most.
const MOST_SLICES: f64 = 60.0;
/// Share of the grains whose tops lie below the height of a bed: single ones on it do not count.
const BELOW_THE_TOP: f64 = 0.95;

/// Against gravity.
pub fn up(model: &Model, state: &State) -> Result<DVec3, String> {
    let gravity = model.gravity_at(state);
    if gravity == DVec3::ZERO {
        return Err("without gravity nothing is above".to_owned());
    }
    Ok(-gravity.normalize())
}

/// How far each grain reaches up from its centre [m].
pub fn half_heights(model: &Model, state: &State, up: DVec3) -> Vec<f64> {
    let grains = &state.particles;
    (0..grains.len())
        .map(|grain| {
            let shape = &model.species[grains.species[grain] as usize].shape;
            let local = grains.orientation[grain].inverse() * up;
            shape.support(local).dot(local) * grains.scale[grain]
        })
        .collect()
}

/// Diameter of the ball of a grain's volume; of a grain of the plane that of its bounding circle [m].
pub fn diameter(model: &Model, grains: &Particles, grain: usize) -> f64 {
    let species = &model.species[grains.species[grain] as usize];
    let scale = grains.scale[grain];
    if model.planar {
        2.0 * species.shape.bounding_radius() * scale
    } else {
        (6.0 * species.volume / PI).cbrt() * scale
    }
}

/// The mean diameter of all grains [m].
pub fn mean_diameter(model: &Model, grains: &Particles) -> f64 {
    (0..grains.len()).map(|grain| diameter(model, grains, grain)).sum::<f64>() / grains.len() as f64
}

/// The grains of a frame of a trajectory, with the time and no more that a state has.
pub fn state_of(model: &Model, frame: &TrajectoryFrame) -> Result<State, String> {
    let n = frame.id.len();
    if frame.species.iter().any(|&species| species as usize >= model.species.len()) {
        return Err("a frame of the trajectory has a kind of grain that the scene does not have".to_owned());
    }
    let scale: Vec<f64> = frame.scale.iter().map(|&scale| f64::from(scale)).collect();
    let of = |grain: usize| &model.species[frame.species[grain] as usize];
    let particles = Particles {
        id: frame.id.clone(),
        species: frame.species.clone(),
        radius: (0..n).map(|grain| of(grain).shape.bounding_radius() * scale[grain]).collect(),
        mass: (0..n)
            .map(|grain| {
                let species = of(grain);
                model.materials[species.material as usize].density * species.volume * scale[grain].powi(3)
            })
            .collect(),
        position: frame.position.iter().map(|place| frame.origin + place.as_dvec3()).collect(),
        velocity: frame.velocity.iter().map(|velocity| velocity.as_dvec3()).collect(),
        orientation: frame.orientation.iter().map(|turn| turn.as_dquat().normalize()).collect(),
        angular_velocity: frame.angular_velocity.iter().map(|spin| spin.as_dvec3()).collect(),
        scale,
        ..Particles::default()
    };
    Ok(State { step: frame.step, time: frame.time, particles, ..State::default() })
}

/// The grains of a moment, seen with up as the third axis.
pub struct Frame {
    /// Unit vectors along the ground, and up.
    pub axes: [DVec3; 3],
    /// Centres along these axes [m].
    pub places: Vec<DVec3>,
    /// How far each grain reaches up from its centre [m].
    pub half_heights: Vec<f64>,
    /// The smallest coordinates that any grain reaches [m].
    pub lower: DVec3,
    /// The largest coordinates that any grain reaches [m].
    pub upper: DVec3,
    /// Below this the tops of 95 of 100 grains lie [m].
    pub top: f64,
    /// Mean diameter of a grain [m].
    pub mean_diameter: f64,
}

impl Frame {
    /// Of a state with gravity and grains.
    pub fn of(model: &Model, state: &State) -> Result<Frame, String> {
        if state.particles.is_empty() {
            return Err("no grains are left at this moment".to_owned());
        }
        let up = up(model, state)?;
        // Along the axes of the scene where up is one of them.
        let axis = DVec3::AXES.into_iter().position(|axis| axis.dot(up).abs() > 1.0 - 1e-9);
        let (first, second) = match axis {
            Some(axis) => {
                let others = [[1, 2], [0, 2], [0, 1]][axis];
                (DVec3::AXES[others[0]], DVec3::AXES[others[1]])
            }
            None => up.any_orthonormal_pair(),
        };
        let axes = [first, second, up];
        let places: Vec<DVec3> =
            state.particles.position.iter().map(|&place| DVec3::from_array(axes.map(|axis| axis.dot(place)))).collect();
        let reach = axes.map(|axis| [half_heights(model, state, -axis), half_heights(model, state, axis)]);
        let ends =
            |end: usize, fold: fn(f64, f64) -> f64, start: f64, sign: f64| {
                DVec3::from_array([0, 1, 2].map(|axis| {
                    places.iter().zip(&reach[axis][end]).map(|(p, r)| p[axis] + sign * r).fold(start, fold)
                }))
            };
        let (lower, upper) = (ends(0, f64::min, f64::INFINITY, -1.0), ends(1, f64::max, f64::NEG_INFINITY, 1.0));
        let [_, _, [_, half_heights]] = reach;
        let mut tops: Vec<f64> = places.iter().zip(&half_heights).map(|(place, half)| place.z + half).collect();
        let top = super::fit::quantile(&mut tops, BELOW_THE_TOP);
        Ok(Frame {
            axes,
            places,
            half_heights,
            lower,
            upper,
            top,
            mean_diameter: mean_diameter(model, &state.particles),
        })
    }

    /// How far the grains reach along each axis [m].
    pub fn extent(&self) -> DVec3 {
        self.upper - self.lower
    }

    /// Names of the two axes along the ground.
    pub fn names(&self) -> [&'static str; 2] {
        let names = ["x", "y", "z"];
        let of = |axis: DVec3, other: &'static str| {
            DVec3::AXES.into_iter().position(|known| known == axis).map_or(other, |place| names[place])
        };
        [of(self.axes[0], "first"), of(self.axes[1], "second")]
    }

    /// What of the bed is looked at between two heights above its lowest point: an upright cylinder around its middle that keeps
    /// clear of its sides, or all of a cell that is periodic along the ground.
    pub fn inner(&self, model: &Model, heights: [f64; 2]) -> Result<Region, String> {
        let periods = model.domain.periods();
        let along = |axis: DVec3| DVec3::AXES.into_iter().position(|known| known.dot(axis).abs() > 1.0 - 1e-9);
        let height = |height: f64| self.lower.z + height;
        if let [Some(first), Some(second), Some(third)] = self.axes.map(along)
            && periods[first].is_some()
            && periods[second].is_some()
        {
            let (mut lower, mut upper) = (model.domain.lower, model.domain.upper);
            let ends = heights.map(|h| height(h) * self.axes[2][third]);
            (lower[third], upper[third]) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            return Ok(Region::Box { lower, upper });
        }
        let half = 0.5 * self.extent();
        // A bed that is flat along one axis, as between two plates or in the plane, is looked at over all of that width.
        let radius = half.x.min(half.y) - MARGIN * self.mean_diameter;
        if radius < self.mean_diameter {
            return self.middle_slab(half, heights);
        }
        let middle = 0.5 * (self.lower + self.upper);
        let centre = self.axes[0] * middle.x + self.axes[1] * middle.y;
        Ok(Region::Cylinder {
            from: centre + self.axes[2] * height(heights[0]),
            to: centre + self.axes[2] * height(heights[1]),
            radius,
        })
    }

    /// The whole width of a bed along its narrower side, and what keeps clear of the ends of its wider side.
    fn middle_slab(&self, half: DVec3, heights: [f64; 2]) -> Result<Region, String> {
        let wide = if half.x > half.y { 0 } else { 1 };
        let margin = MARGIN * self.mean_diameter;
        let is_along = |axis: DVec3| DVec3::AXES.contains(&axis.abs());
        if half[wide] - margin < 2.0 * self.mean_diameter || !self.axes.iter().all(|&axis| is_along(axis)) {
            return Err(format!(
                "the bed is too narrow: nothing of it is {MARGIN} mean diameters ({:.3e} m each) away from its sides",
                self.mean_diameter
            ));
        }
        let (mut lower, mut upper) = (self.lower, self.upper);
        lower[wide] += margin;
        upper[wide] -= margin;
        (lower.z, upper.z) = (self.lower.z + heights[0], self.lower.z + heights[1]);
        let place = |local: DVec3| self.axes[0] * local.x + self.axes[1] * local.y + self.axes[2] * local.z;
        let (a, b) = (place(lower), place(upper));
        Ok(Region::Box { lower: a.min(b), upper: a.max(b) })
    }

    /// Heights of the middles of slices of the bed above its lowest point, and the packing fraction in each, away from the sides.
    pub fn fractions(&self, model: &Model, state: &State) -> Result<Vec<[f64; 2]>, String> {
        let height = self.top - self.lower.z;
        let n_slices = (height / self.mean_diameter).clamp(1.0, MOST_SLICES).floor();
        let width = height / n_slices;
        (0..n_slices as usize)
            .map(|slice| {
                let bottom = slice as f64 * width;
                let region = self.inner(model, [bottom, bottom + width])?;
                Ok([bottom + 0.5 * width, packing_fraction(model, state, &region)])
            })
            .collect()
    }

    /// Height of the bed [m].
    pub fn height(&self) -> f64 {
        self.top - self.lower.z
    }
}

/// Models and states of balls for tests.
#[cfg(test)]
pub(super) mod sample {
    use super::*;
    use crate::{Material, Shape, Sphere};
    use glam::DQuat;

    /// Two kinds of ball of one radius, under gravity.
    pub fn model(radius: f64) -> Model {
        let mut builder = Model::builder();
        let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
        let glass = builder.material(glass);
        for name in ["light", "dark"] {
            builder.species(name, &Shape::Sphere(Sphere { radius }), glass);
        }
        builder.gravity(DVec3::new(0.0, 0.0, -9.81));
        builder.build().unwrap()
    }

    /// Balls of the first kind at places, of a size relative to the model's.
    pub fn state(places: &[DVec3], scale: f64) -> State {
        let n = places.len();
        let particles = Particles {
            id: (0..n as u32).collect(),
            species: vec![0; n],
            scale: vec![scale; n],
            radius: vec![scale; n],
            mass: vec![1.0; n],
            position: places.to_vec(),
            velocity: vec![DVec3::ZERO; n],
            orientation: vec![DQuat::IDENTITY; n],
            angular_velocity: vec![DVec3::ZERO; n],
            ..Particles::default()
        };
        State { particles, ..State::default() }
    }
}
