//! Changes of the model between two steps: gates open, gravity turns, a law or a material becomes another, streams begin and end.
//!
//! Each model never changes; a run goes from one to the next. Grains, walls and insertions stay the same ones, in the same
//! order: a wall that is not there yet, or no longer, is one that is not [present](crate::Wall::present). What the change
//! itself does to the energy is booked as [`changed`](crate::state::Ledger::changed), so that the ledger closes across it.
//!
//! Times of motions and streams count from the moment at which they were given or switched on. That moment is in the state,
//! so that a restart knows it: [`placed`] turns a model as it is written into one with times of the run.

use crate::boundary::insertion::{self, Plan};
use crate::boundary::wall_images::WallImages;
use crate::law::LawTable;
use crate::observe::Partner;
use crate::random::Random;
use crate::simulation::{
    Simulation, brought_along, check_fit, clear_of_walls, pairs_of, resolve_time_step, with_wall_in_the_way,
};
use crate::state::{BlockContacts, FormerGravity, SolverState};
use crate::{EngineError, Model, Motion, State};
use glam::DVec3;
use std::ops::ControlFlow;

/// A wall that appears may touch grains by so much, as a fraction of half their smallest width [1]: more would throw them away.
const TOUCHING: f64 = 0.05;

/// A model with times of the run: motions begin where and when they were given.
pub(crate) fn placed(mut model: Model, state: &State) -> Model {
    for (wall, now) in model.walls.iter_mut().zip(&state.walls) {
        wall.motion = wall.motion.delayed(now.motion_time);
        wall.pose = now.motion_pose;
    }
    model
}

/// The motions of a model as they are written.
pub(crate) fn motions(model: &Model) -> Vec<Motion> {
    model.walls.iter().map(|wall| wall.motion.clone()).collect()
}

impl Simulation {
    /// Goes on with another model: the same grains, walls and insertions, of which gravity, drag, law, materials besides their
    /// density, the walls' motions and presence and what is inserted may be others. The length of a step is that of the new
    /// model. What was a state of the old one is a state of the new: a restart from here on is one with the new model.
    ///
    /// ```
    /// use glam::DVec3;
    /// use tumble_engine::{Model, Simulation};
    /// # use tumble_engine::model::Material;
    /// # use tumble_geometry::{Pose, Shape, Sphere, Surface};
    /// # let mut builder = Model::builder();
    /// # let glass = builder.material(Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 });
    /// # let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
    /// # builder.grain(bead, DVec3::Z * 0.005).wall("floor", Surface::HalfSpace, Pose::IDENTITY, glass);
    /// let closed = builder.build()?;
    /// let mut open = closed.clone();
    /// open.walls[0].present = false;
    /// let mut simulation = Simulation::new(closed)?;
    /// simulation.step()?;
    /// simulation.change(open)?;
    /// while simulation.time() < 0.1 {
    ///     simulation.step()?;
    /// }
    /// assert!(simulation.state().particles.position[0].z < -0.04);
    /// # Ok::<(), tumble_engine::EngineError>(())
    /// ```
    pub fn change(&mut self, next: Model) -> Result<(), EngineError> {
        check_same_world(&self.model, &next)?;
        let same_law = self.model.law == next.law && LawTable::new(&self.model).rolling == LawTable::new(&next).rolling;
        check_fit(&next, &self.state, same_law)?;
        let before = self.energies().total();
        let choice = resolve_time_step(&next)?;
        let state = &mut self.state;
        state.time_step = choice.time_step;
        if next.gravity != self.model.gravity {
            let acceleration = self.model.gravity_at(state);
            state.former_gravity = FormerGravity { acceleration, until: state.time };
        }
        let appearing: Vec<bool> =
            self.model.walls.iter().zip(&next.walls).map(|(old, new)| new.present && !old.present).collect();
        for (index, (wall, now)) in next.walls.iter().zip(&mut state.walls).enumerate() {
            let before = &self.model.walls[index];
            // Those that move as one do so also while they are not there.
            let comes_or_goes = wall.present != before.present && wall.group.is_none();
            if wall.motion != self.motions[index] || wall.group != before.group || comes_or_goes {
                (now.motion_pose, now.motion_time) = (now.pose, state.time);
                (now.velocity, now.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
                (now.travel, now.travel_speed) = (0.0, 0.0);
            }
            now.present = wall.present;
        }
        if !same_law {
            keep_springs(&next, state);
        }
        self.motions = motions(&next);
        let model = placed(next, state);
        let first_id = state.next_id;
        let (inserted, contacts) = insert_now(&self.model, &model, state)?;
        let brought = pairs_of(&contacts);
        if let SolverState::Soft(soft) = &mut state.solver {
            soft.contacts.extend(contacts);
        }
        self.solving.change(&model, state)?;
        self.model = model;
        self.time_step_reason = choice.reason;
        self.check_appearing(&appearing)?;
        if let Some(allowed) = self.allowed_overlap() {
            self.check_overlaps(allowed, &brought, first_id)?;
        }
        let after = self.energies().total();
        self.state.ledger.inserted += inserted;
        self.state.ledger.changed += after - before - inserted;
        Ok(())
    }

    /// Refuses walls that appear where grains are.
    fn check_appearing(&self, appearing: &[bool]) -> Result<(), EngineError> {
        let (mut deepest, mut n_grains) = (None, 0);
        self.visit_contacts(&mut |contact, _| {
            let Partner::Wall(wall) = contact.partner else { return };
            let depth = contact.overlap / self.model.half_width(&self.state.particles, contact.a);
            if appearing[wall] && depth > TOUCHING {
                n_grains += 1;
                if deepest.is_none_or(|(_, _, deepest)| depth > deepest) {
                    deepest = Some((wall, contact.a, depth));
                }
            }
        });
        let p = &self.state.particles;
        for (wall, _) in self.model.walls.iter().enumerate().filter(|(wall, _)| appearing[*wall]) {
            let fills = |&grain: &usize| self.model.walls[wall].fills(&self.state.walls[wall].pose, p.position[grain]);
            if let Some(grain) = (0..p.len()).find(fills) {
                return Err(EngineError::Model(format!(
                    "the wall `{}` appears where grains are: grain {} is inside; move the wall in instead, or let it appear where \
                     nothing is",
                    self.model.walls[wall].name,
                    p.id[grain] + 1
                )));
            }
        }
        let Some((wall, grain, depth)) = deepest else { return Ok(()) };
        Err(EngineError::Model(format!(
            "the wall `{}` appears where grains are: {n_grains} contacts, the deepest with grain {}, {:.1} % of its half width (at most \
             {} %): move the wall in instead, or let it appear where nothing is",
            self.model.walls[wall].name,
            self.state.particles.id[grain] + 1,
            100.0 * depth,
            100.0 * TOUCHING
        )))
    }
}

/// Under another law contacts go on with the springs they had, as far as it has them and keeps them in the same list. The
/// stiffness that they had goes with them, so that what becomes of their energy is booked as that of a stiffness that changes.
fn keep_springs(next: &Model, state: &mut State) {
    let State { particles: p, solver, next_id, .. } = state;
    let SolverState::Soft(soft) = solver else { return };
    let table = LawTable::new(next);
    let place = p.index_by_id(*next_id);
    let is_ball = |id: u32| {
        let grain = place[id as usize];
        grain != u32::MAX
            && table.volume.is_none()
            && next.species[usize::from(p.species[grain as usize])].shape.is_ball()
    };
    let are_balls = |list: usize, [a, b]: [u32; 2]| is_ball(a) && (BlockContacts::is_at_walls(list) || is_ball(b));
    for block in &mut soft.contacts {
        *block = block.under_law(&table, are_balls, |_, key| key);
    }
}

/// What cannot change in a run.
fn check_same_world(old: &Model, new: &Model) -> Result<(), EngineError> {
    let densities = |model: &Model| model.materials.iter().map(|material| material.density).collect::<Vec<_>>();
    let other = if old.solver != new.solver {
        "solver"
    } else if old.domain != new.domain || old.shear_rate != new.shear_rate {
        "domain"
    } else if old.planar != new.planar {
        "planar mode"
    } else if old.species != new.species {
        "kinds of grain"
    } else if old.planes != new.planes {
        "planes through which grains are counted"
    } else if old.groups != new.groups {
        "groups of grains"
    } else if densities(old) != densities(new) {
        "densities of the materials"
    } else {
        return Ok(());
    };
    Err(EngineError::Model(format!("a run cannot change its {other}")))
}

/// Brings in the grains of insertions that are switched on now; streams begin to count. Returns the energy they bring [J], and
/// their contacts, whose energy is not in it.
fn insert_now(old: &Model, model: &Model, state: &mut State) -> Result<(f64, Vec<BlockContacts>), EngineError> {
    let walls = WallImages::new(model);
    let mut random = Random { state: state.random };
    let (mut energy, mut contacts) = (0.0, Vec::new());
    for (index, insertion) in model.insertions.iter().enumerate() {
        if !insertion.active || old.insertions[index].active {
            continue;
        }
        let inserter = &mut state.inserters[index];
        (inserter.since, inserter.before) = (state.time, inserter.inserted);
        if matches!(insertion.plan, Plan::Stream { .. }) {
            continue;
        }
        let grains = {
            let clear = clear_of_walls(model, state, &walls);
            let placed =
                insertion::initial_grains(model, insertion, &state.particles, &clear, &mut random, &mut |_| {
                    ControlFlow::Continue(())
                });
            placed.map_err(|error| with_wall_in_the_way(error, model, state, &walls, insertion))?
        };
        state.inserters[index].inserted += grains.len() as u64;
        contacts.extend(brought_along(model, insertion, state.next_id));
        for grain in &grains {
            state.particles.push(model, state.next_id, grain);
            state.next_id += 1;
            let i = state.particles.len() - 1;
            let p = &state.particles;
            energy += p.kinetic_energy(i) - p.mass[i] * model.gravity_at(state).dot(p.position[i]);
        }
    }
    state.random = random.state;
    Ok((energy, contacts))
}
