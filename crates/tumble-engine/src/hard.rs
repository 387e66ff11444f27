//! Hard particles: bodies that do not give way and meet for no time at all. What both solvers of them stand on.
//!
//! After Wassgren's lecture on hard particles, stepped in time or driven by events.

pub mod collision_rule;
pub mod event_time;
pub(crate) mod events;
mod images;
pub mod queue;
mod rules;
mod sizes;
pub(crate) mod stepped;
mod wall_boxes;

use crate::boundary::wall::{Motion, advance_walls};
use crate::boundary::wall_images::WallImages;
use crate::integrator::turned;
use crate::model::{CollapseRule, Edge, Model, Solver};
use crate::observe::{ElasticEnergy, Energies, Partner};
use crate::simulation::{insert_from_streams, leavers, remove_grains, streams_are_due};
use crate::time_step::{Choice, largest_speed, smallest_widths};
use crate::{EngineError, Particles, State};
use collision_rule::Impulse;
use glam::DVec3;
use images::PeriodicCell;
use rayon::prelude::*;
use tumble_geometry::Shape;

/// How far above what bears it a grain may fall asleep, over the smallest width [1].
const LARGEST_HOP: f64 = 0.02;

/// A collision, as whoever drives a run is told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionRecord {
    /// When [s].
    pub time: f64,
    /// Id of grain a.
    pub a: u32,
    /// Id of the other grain, or number of the wall.
    pub partner: CollisionPartner,
    /// Where [m].
    pub point: DVec3,
    /// Unit normal, from a to its partner.
    pub normal: DVec3,
    /// Impulse on a [N s].
    pub impulse: DVec3,
    /// Speed of approach [m/s].
    pub approach: f64,
    /// Energy lost [J].
    pub lost: f64,
    /// Whether the surfaces slid on each other throughout.
    pub slides: bool,
}

/// What a grain collided with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollisionPartner {
    /// The grain of this id.
    Grain(u32),
    /// The wall of this number.
    Wall(u32),
}

impl CollisionRecord {
    fn new(
        time: f64,
        particles: &Particles,
        a: usize,
        partner: Partner,
        [point, normal]: [DVec3; 2],
        impulse: &Impulse,
    ) -> CollisionRecord {
        CollisionRecord {
            time,
            a: particles.id[a],
            partner: match partner {
                Partner::Particle(b) => CollisionPartner::Grain(particles.id[b]),
                Partner::Wall(wall) => CollisionPartner::Wall(wall as u32),
            },
            point,
            normal,
            impulse: impulse.on_a,
            approach: impulse.approach,
            lost: impulse.normal_loss + impulse.tangential_loss,
            slides: impulse.slides,
        }
    }
}

/// What a model asks for that its solver cannot do, if anything: names the key and the solver.
pub fn refused(model: &Model) -> Option<String> {
    let solver = model.solver;
    let cannot = |what: &str| Some(format!("{what}, which the solver `{}` cannot do", solver.name()));
    if !solver.is_hard() {
        return if model.shear_rate != 0.0 { cannot("`domain.shear_rate` shears the periodic cell") } else { None };
    }
    for wall in &model.walls {
        match wall.motion.driven() {
            Some(Motion::Servo { .. }) => {
                return cannot(&format!("the wall `{}` moves until grains press on it with a force", wall.name));
            }
            Some(_) => return cannot(&format!("the wall `{}` is pushed as a body with a mass", wall.name)),
            None => {}
        }
    }
    if model.interactions.iter().any(|pair| pair.rolling_friction > 0.0) {
        return cannot("`rolling_friction` acts at contacts that last");
    }
    if solver == Solver::HardEvents && model.drag != 0.0 {
        return cannot("`engine.drag` bends the flight of grains");
    }
    if let Some(reason) = refused_sleep(model) {
        return Some(reason);
    }
    if model.shear_rate != 0.0 {
        if model.domain.edges[0] != Edge::Periodic || model.domain.edges[1] != Edge::Periodic {
            return Some("`domain.shear_rate` wants periodic edges along x and y".to_owned());
        }
        if !model.walls.is_empty() || model.gravity != DVec3::ZERO {
            return Some("`domain.shear_rate` wants a cell without walls and gravity".to_owned());
        }
    }
    None
}

/// Why a model cannot let grains sleep, if it asks for that and cannot.
pub(crate) fn refused_sleep(model: &Model) -> Option<String> {
    let CollapseRule::Sleep { speed } = model.hard.collapse else { return None };
    let pull = model.gravity.length();
    if pull == 0.0 {
        return Some(
            "`hard.collapse.sleep` lets grains sleep on what bears their weight, but there is no gravity".to_owned(),
        );
    }
    if let Some(species) =
        model.species.iter().find(|species| !matches!(species.shape, Shape::Sphere(_) | Shape::Disc(_)))
    {
        return Some(format!(
            "`hard.collapse.sleep` lets balls sleep, spheres and discs of the plane, but `{}` is neither",
            species.name
        ));
    }
    if let Some(wall) = model.walls.iter().find(|wall| wall.motion != Motion::Fixed || wall.conveyor.is_some()) {
        let what = if wall.conveyor.is_some() { "the surface of the wall" } else { "the wall" };
        return Some(format!(
            "`hard.collapse.sleep` lets grains sleep on what rests, but {what} `{}` moves",
            wall.name
        ));
    }
    let width = smallest_widths(model).into_iter().fold(f64::INFINITY, f64::min);
    let hop = speed * speed / pull;
    (hop > LARGEST_HOP * width).then(|| {
        format!(
            "`hard.collapse.sleep` has grains sleep up to {hop:.3e} m above what bears them, the square of its speed over gravity, which is \
             more than {} % of the smallest width, {width:.3e} m: give a lower speed",
            100.0 * LARGEST_HOP
        )
    })
}

/// The automatic step of a hard solver. A stepped one goes by the overlap that it aims at, and an event-driven one looks up after each
/// travel by ten of a grain's width, which decides when outputs can be written and nothing else.
pub(crate) fn automatic_step(model: &Model, safety: f64, expected_speed: Option<f64>) -> Choice {
    let width = smallest_widths(model).into_iter().fold(f64::INFINITY, f64::min);
    // Sheared gases are a few times as fast as the flow over a grain.
    let shear = 8.0 * model.shear_rate.abs() * width;
    let speed = expected_speed.unwrap_or_else(|| largest_speed(model).max(if width.is_finite() { shear } else { 0.0 }));
    if !(speed > 0.0 && width.is_finite()) {
        return Choice { time_step: 1e-3 * safety, reason: "nothing moves in this scene".to_owned() };
    }
    let (share, what) = match model.solver {
        Solver::HardStepped => {
            // A pair that comes to overlap in a step has, on average, done so in its middle.
            let share = 2.0 * model.hard.overlap;
            (share, format!("a mean overlap of at most {} % of it at collisions", 100.0 * model.hard.overlap))
        }
        Solver::HardEvents | Solver::Soft => {
            (10.0, "a grain's travel by ten of it between looks at the run".to_owned())
        }
    };
    let mut reason = format!("smallest width {width:.3e} m, speeds up to {speed:.3} m/s: {what}");
    if safety != 1.0 {
        reason += &format!(", times the safety factor {safety}");
    }
    Choice { time_step: safety * share * width / speed, reason }
}

/// Lets those who have left the domain go and those come who are due from streams: who left, if anyone did, and whether anyone came.
fn exchange(model: &Model, state: &mut State, walls: &WallImages) -> (Option<Vec<bool>>, bool) {
    let leaving = leavers(model, state);
    let anyone_leaves = leaving.iter().any(|&leaves| leaves);
    if anyone_leaves {
        remove_grains(model, state, &leaving);
    }
    let time = state.time;
    let came = streams_are_due(model, state) && insert_from_streams(model, state, walls, time);
    (anyone_leaves.then_some(leaving), came)
}

/// A step is over: clock and walls go on.
fn advance_clock(model: &Model, state: &mut State) {
    let dt = state.time_step;
    state.step += 1;
    state.advance_time(dt);
    advance_walls(&model.walls, &mut state.walls, model.gravity, state.time, dt);
}

/// Gives grains the velocity of the mean flow where they are, beside their own.
fn add_mean_flow(model: &Model, state: &mut State) {
    let cell = PeriodicCell::of(model);
    let Particles { position, velocity, .. } = &mut state.particles;
    for (velocity, &place) in velocity.iter_mut().zip(position.iter()) {
        *velocity += cell.mean_flow(place);
    }
}

/// Adds what grains carry in a step that has ended to the totals, from the time on from which these count.
fn add_to_totals(model: &Model, state: &mut State, dt: f64) {
    // Half of a step's rounding must not decide.
    if state.time - 0.5 * dt < model.hard.average_after {
        return;
    }
    let cell = PeriodicCell::of(model);
    let State { particles: p, solver, .. } = state;
    let beside = |i: usize| p.velocity[i] - cell.mean_flow(p.position[i]);
    let mass: f64 = p.mass.iter().sum();
    let mean = (0..p.len()).map(|i| beside(i) * p.mass[i]).sum::<DVec3>() / mass.max(f64::MIN_POSITIVE);
    if let Some(totals) = solver.collisions_mut() {
        totals.add_flight((0..p.len()).map(|i| (p.mass[i], beside(i) - mean)), dt);
    }
}

/// Turns all grains freely for a time [s].
fn turn_freely(model: &Model, particles: &mut Particles, time: f64) {
    let Particles { orientation, angular_velocity, angular_momentum, inertia, species, scale, .. } = particles;
    let constants = (species.par_iter(), scale.par_iter(), inertia.par_iter(), angular_momentum.par_iter());
    (orientation.par_iter_mut(), angular_velocity.par_iter_mut(), constants).into_par_iter().for_each(
        |(orientation, spin, (&species, &scale, &inertia, &momentum))| {
            if inertia > 0.0 {
                *orientation = turned(*orientation, *spin * time);
            } else {
                let moments = model.moments(species, scale);
                *orientation = moments.drift(*orientation, momentum, time);
                *spin = moments.angular_velocity(*orientation, momentum);
            }
        },
    );
}

/// Notes the most energy that was in play so far, the scale of the ledger's residual.
fn note_what_is_in_play(model: &Model, state: &mut State) {
    let energies = Energies::of(model, state, ElasticEnergy::default());
    state.ledger.scale = state.ledger.scale.max(state.ledger.in_play(&energies));
}

/// Refuses grains whose place or velocity is not a number, and energy from nowhere.
fn refuse_unhealthy(model: &Model, state: &State) -> Result<(), EngineError> {
    let p = &state.particles;
    let unstable = |what: String| Err(EngineError::Unstable { step: state.step, time: state.time, what });
    for i in 0..p.len() {
        if !(p.position[i].is_finite() && p.velocity[i].is_finite() && p.angular_velocity[i].is_finite()) {
            return unstable(format!("grain {} has a place or velocity that is not a number", p.id[i]));
        }
    }
    let energies = Energies::of(model, state, ElasticEnergy::default());
    let (gained, scale) = (state.ledger.imbalance(&energies), state.ledger.scale.max(state.ledger.in_play(&energies)));
    if gained > model.limits.energy * scale {
        return unstable(format!(
            "the run has {gained:.3e} J more energy than it should, {:.0} % of what was in play (limit {:.0} %); give a shorter \
             `time.step`",
            100.0 * gained / scale,
            100.0 * model.limits.energy
        ));
    }
    Ok(())
}
