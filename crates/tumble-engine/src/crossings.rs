//! Grains that go through planes: how many and how much, each way, by kind.
//!
//! A grain goes through where its centre changes sides of the plane within a step, in the direction of the normal or against it.
//! Of a plane with an extent, the point where the straight way of the step goes through must lie in it. A centre that is exactly on
//! the plane counts as beyond it, so that who stops there and goes on is counted once, and who turns back is not counted at all in
//! the sum of both ways. Periodic images of the plane count as the plane, and a grain that re-enters on the other side has gone
//! through nothing.
//!
//! What is before a step is in the state, and what was counted too: a restart counts on.

use crate::model::Model;
use crate::{Particles, State};
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use rayon::prelude::*;

/// So many grains are looked at together.
const CHUNK: usize = 4096;

/// A plane, or a part of one, through which grains are counted.
#[derive(Clone, Debug, PartialEq)]
pub struct CountingPlane {
    /// The name it has in the scene.
    pub name: String,
    /// A point of it; of a part its centre [m].
    pub point: DVec3,
    /// Unit normal: what goes its way is counted forward.
    pub normal: DVec3,
    /// How far it reaches.
    pub extent: Extent,
}

/// How far a plane reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// Without an end.
    Whole,
    /// To a distance from its point [m].
    Disc {
        /// The distance [m].
        radius: f64,
    },
    /// Half a side to each side of its point.
    Rectangle {
        /// Unit direction of the first side, in the plane.
        along: DVec3,
        /// Half of the sides, the first and the one across it [m].
        half_sides: [f64; 2],
    },
}

/// What has gone through a plane, of one species.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Crossed {
    /// Grains that went along the normal.
    pub n_forward: u64,
    /// Grains that went against it.
    pub n_backward: u64,
    /// Mass of the former [kg].
    pub mass_forward: f64,
    /// Mass of the latter [kg].
    pub mass_backward: f64,
}

impl std::ops::AddAssign for Crossed {
    fn add_assign(&mut self, other: Crossed) {
        self.n_forward += other.n_forward;
        self.n_backward += other.n_backward;
        self.mass_forward += other.mass_forward;
        self.mass_backward += other.mass_backward;
    }
}

/// Grains of one species that have left through edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Departed {
    /// How many.
    pub n: u64,
    /// Their mass [kg].
    pub mass: f64,
}

impl CountingPlane {
    /// Whether the plane makes sense in a space; if not, what would be right.
    pub fn check(&self, model: &Model) -> Result<(), String> {
        if !(self.point.is_finite() && self.normal.is_normalized()) {
            return Err("a plane wants a finite point and a unit normal".to_owned());
        }
        if model.shear_rate != 0.0 {
            return Err("grains are not counted in a cell that `domain.shear_rate` shears: its images slide".to_owned());
        }
        let (reach, is_right) = match self.extent {
            Extent::Whole => return Ok(()),
            Extent::Disc { radius } => (radius, radius > 0.0),
            Extent::Rectangle { along, half_sides: [a, b] } => {
                (a.hypot(b), a > 0.0 && b > 0.0 && along.is_normalized() && along.dot(self.normal).abs() < 1e-9)
            }
        };
        if !(is_right && reach.is_finite()) {
            return Err("the extent of a plane must be positive and finite, its sides in the plane".to_owned());
        }
        let narrowest = model.domain.periods().into_iter().flatten().fold(f64::INFINITY, f64::min);
        if 2.0 * reach > narrowest * 2f64.sqrt() * (1.0 + 1e-9) {
            return Err(format!(
                "it is {} m across, more than fits into a period of {narrowest} m: leave its extent out for the whole plane",
                2.0 * reach
            ));
        }
        Ok(())
    }

    /// Whether a point of the plane is within its extent, seen from its centre.
    fn holds(&self, offset: DVec3) -> bool {
        match self.extent {
            Extent::Whole => true,
            Extent::Disc { radius } => offset.length_squared() < radius * radius,
            Extent::Rectangle { along, half_sides: [a, b] } => {
                let (u, v) = (offset.dot(along), offset.dot(self.normal.cross(along)));
                // Half open, so that planes side by side share no point.
                (-a..a).contains(&u) && (-b..b).contains(&v)
            }
        }
    }

    /// The points of the plane and of its images that grains of the periodic cell can come by.
    fn images(&self, model: &Model) -> Vec<DVec3> {
        let mut points = vec![self.point];
        for (axis, period) in model.domain.periods().into_iter().enumerate() {
            let Some(period) = period else { continue };
            // Moved along itself, a plane without an end is itself.
            if self.extent == Extent::Whole && self.normal[axis].abs() < 1e-12 {
                continue;
            }
            let beside: Vec<DVec3> = points
                .iter()
                .flat_map(|&point| [-1.0, 0.0, 1.0].map(|n| point + DVec3::AXES[axis] * (n * period)))
                .collect();
            points = beside;
        }
        if self.extent == Extent::Whole {
            // Images of an oblique plane can coincide.
            let scale = points.iter().map(|p| p.dot(self.normal).abs()).fold(1e-300, f64::max);
            points.sort_by(|a, b| a.dot(self.normal).total_cmp(&b.dot(self.normal)));
            points.dedup_by(|a, b| (a.dot(self.normal) - b.dot(self.normal)).abs() < 1e-9 * scale);
        }
        points
    }
}

/// Where grains were when a step began.
#[derive(Debug)]
pub(crate) struct Before {
    ids: Vec<u32>,
    positions: Vec<DVec3>,
    images: Vec<[i32; 3]>,
}

impl Before {
    pub fn of(state: &State) -> Before {
        let Particles { id, position, image, .. } = &state.particles;
        Before { ids: id.clone(), positions: position.clone(), images: image.clone() }
    }

    /// Counts what has gone through the planes of a model in the step that has ended.
    pub fn count(&self, model: &Model, state: &mut State) {
        let planes: Vec<(&CountingPlane, Vec<DVec3>)> =
            model.planes.iter().map(|plane| (plane, plane.images(model))).collect();
        let place = (self.ids != state.particles.id).then(|| {
            let mut place = vec![u32::MAX; state.next_id as usize];
            self.ids.iter().enumerate().for_each(|(index, &id)| place[id as usize] = index as u32);
            place
        });
        let (p, dt, n_species) = (&state.particles, state.time_step, model.species.len());
        let periods = model.domain.periods().map(|period| period.unwrap_or(0.0));
        let counted: Vec<Vec<(usize, Crossed)>> = (0..p.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut counted = Vec::new();
                for grain in chunk * CHUNK..p.len().min((chunk + 1) * CHUNK) {
                    let was = place.as_ref().map_or(grain as u32, |place| place[p.id[grain] as usize]);
                    let now = p.position[grain];
                    let (from, to) = if was == u32::MAX {
                        // It has come in in this step.
                        (now - p.velocity[grain] * dt, now)
                    } else {
                        let (from, image) = (self.positions[was as usize], self.images[was as usize]);
                        let through = |axis: usize| f64::from(p.image[grain][axis] - image[axis]) * periods[axis];
                        (from, now + DVec3::new(through(0), through(1), through(2)))
                    };
                    for (number, (plane, points)) in planes.iter().enumerate() {
                        for point in points {
                            let (before, after) = ((from - point).dot(plane.normal), (to - point).dot(plane.normal));
                            if (before < 0.0) == (after < 0.0) {
                                continue;
                            }
                            let at = from.lerp(to, before / (before - after)) - point;
                            if !plane.holds(at - plane.normal * at.dot(plane.normal)) {
                                continue;
                            }
                            let mass = p.mass[grain];
                            let crossed = if before < 0.0 {
                                Crossed { n_forward: 1, mass_forward: mass, ..Crossed::default() }
                            } else {
                                Crossed { n_backward: 1, mass_backward: mass, ..Crossed::default() }
                            };
                            counted.push((number * n_species + usize::from(p.species[grain]), crossed));
                        }
                    }
                }
                counted
            })
            .collect();
        // In the order of the grains, whatever the number of threads.
        for (place, crossed) in counted.into_iter().flatten() {
            state.crossed[place] += crossed;
        }
    }
}
