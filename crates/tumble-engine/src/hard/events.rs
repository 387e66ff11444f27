//! The event-driven hard solver: collisions one after the other, each at its own moment, and free flight between them.
//!
//! A step is an interval after which the run can be looked at, and nothing else: within it each ball has its own clock, and at its
//! end all are brought to the same time. Neighbour lists and coming events are made anew at its beginning, so that they
//! follow from the state: a run that is resumed has the same bits. Steps that are short against the time between two
//! collisions of a grain are slow.

mod all;
mod balls;
mod cells;
mod flock;
mod free_way;
mod grid;
mod lists;
mod shaped;
mod sleepers;
mod space;
mod walls;

use super::images::PeriodicCell;
use super::rules::{CollisionRules, moment_of_ball};
use super::sizes::SizedShapes;
use super::wall_boxes::WallBoxes;
use super::{
    CollisionPartner, CollisionRecord, add_mean_flow, add_to_totals, advance_clock, exchange, note_what_is_in_play,
    refuse_unhealthy, refused_sleep,
};
use crate::boundary::wall_images::WallImages;
use crate::broad::spatial_order;
use crate::contacts::Unsettled;
use crate::hard::queue::{BoundedQueue, EventList, SortedList};
use crate::integrator::turned;
use crate::model::{CollapseRule, EventQueue, MaterialIndex, NeighbourSearch};
use crate::state::{EventState, SolverState};
use crate::{EngineError, Model, Particles, State, health, observe};
use all::Everyone;
use balls::Balls;
use cells::Cells;
use flock::{
    AgainstCollapse, Bodies, Bulk, Flier, Flock, HOP, Happened, Laws, Lost, Neighbourhood, Partner, Stopped, Tally,
};
use glam::DVec3;
use lists::Lists;
use shaped::Shaped;
use sleepers::{Sleepers, SleepingBalls};
use space::Space;
use std::f64::consts::PI;
use tumble_geometry::Pose;
use tumble_geometry::narrow::contact_within;
use walls::SceneWalls;

/// Streams insert, and edges remove, every so many steps.
const EXCHANGE_EVERY: u64 = 1;
/// The run's health is looked at, and grains are sorted, every so many steps.
const HEALTH_EVERY: u64 = 64;
const SORT_EVERY: u64 = 16;
/// The contact time of the rule against inelastic collapse, if none is given, in steps.
const CONTACT_TIME: f64 = 1e-5;
/// Solid fraction below which cells serve better than lists of neighbours. (Measured: equally well at 0.1.)
const DILUTE: f64 = 0.08;
/// Overlap of balls at the start, relative to their distance at contact, that is taken for rounding [1].
const ALLOWED_OVERLAP: f64 = 1e-9;

/// What the event-driven solver works with beside the state. All of it follows from model and state.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    rules: CollisionRules,
    walls: WallImages,
    boxes: WallBoxes,
    shapes: SizedShapes,
    wall_materials: Vec<MaterialIndex>,
    /// Collisions of the last step, if they are to be told.
    pub log: Vec<CollisionRecord>,
}

impl Events {
    /// Begins with grains and walls in their places.
    pub fn begin(model: &Model, state: &mut State) -> Result<Events, EngineError> {
        add_mean_flow(model, state);
        let last_collision = vec![f64::NEG_INFINITY; state.particles.len()];
        let asleep = vec![0; last_collision.len()];
        state.solver = SolverState::Events(EventState { last_collision, asleep, ..EventState::default() });
        bring_back(model, state);
        refuse_overlaps(model, state)?;
        Ok(Events::resume(model))
    }

    /// Goes on from a state that fits the model.
    pub fn resume(model: &Model) -> Events {
        Events {
            rules: CollisionRules::new(model),
            walls: WallImages::new(model),
            boxes: WallBoxes::new(model),
            shapes: SizedShapes::default(),
            wall_materials: model.walls.iter().map(|wall| wall.material).collect(),
            log: Vec::new(),
        }
    }

    /// From one moment at which all grains are looked at to the next.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        self.log.clear();
        if state.step.is_multiple_of(EXCHANGE_EVERY) {
            if let (Some(leaving), _) = exchange(model, state, &self.walls) {
                state.solver.events_mut().remove(&leaving);
            }
            let n = state.particles.len();
            state.solver.events_mut().resize(n);
        }
        if state.step.is_multiple_of(SORT_EVERY) {
            let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
            let order = spatial_order(&state.particles.position, 3.0 * largest);
            state.particles.reorder(&order);
            state.solver.events_mut().reorder(&order);
        }
        match model.hard.queue {
            EventQueue::Bounded => self.choose_bodies::<BoundedQueue>(model, state)?,
            EventQueue::SortedList => self.choose_bodies::<SortedList>(model, state)?,
        }
        advance_clock(model, state);
        bring_back(model, state);
        add_to_totals(model, state, state.time_step);
        if state.step.is_multiple_of(HEALTH_EVERY) {
            self.check_health(model, state)?;
            note_what_is_in_play(model, state);
        }
        Ok(())
    }

    /// Whether the run is still sound.
    pub fn check_health(&self, model: &Model, state: &State) -> Result<(), EngineError> {
        refuse_unhealthy(model, state)
    }

    /// All that happens in a step, to balls or to bodies of any shape.
    fn choose_bodies<Q: EventList>(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        let mut shapes = std::mem::take(&mut self.shapes);
        shapes.update(model, &state.particles);
        let flown = if let CollapseRule::Sleep { speed } = model.hard.collapse {
            if let Some(reason) = refused_sleep(model) {
                return Err(EngineError::Model(reason));
            }
            let asleep = state.solver.events().map_or(&[][..], |events| &events.asleep);
            let sleepers = Sleepers::new(asleep, &state.particles.position, speed, model.gravity, state.time_step);
            self.choose_neighbours::<Q, _>(model, state, SleepingBalls(sleepers))
        } else if shapes.are_round() {
            self.choose_neighbours::<Q, _>(model, state, Balls)
        } else {
            let shaped = Shaped::new(model, &state.particles, &shapes);
            self.choose_neighbours::<Q, _>(model, state, shaped)
        };
        self.shapes = shapes;
        flown
    }

    /// The same, among the neighbours that the model asks for.
    fn choose_neighbours<Q: EventList, B: Bodies>(
        &mut self,
        model: &Model,
        state: &mut State,
        bodies: B,
    ) -> Result<(), EngineError> {
        let p = &state.particles;
        let space = space_at(model, state.time);
        let fliers: Vec<Flier> = (0..p.len())
            .map(|i| Flier { position: p.position[i], velocity: p.velocity[i], time: 0.0, radius: p.radius[i] })
            .collect();
        let fraction = solid_fraction(model, &fliers, &space);
        let margin = bodies.sleepers().map_or(0.0, Sleepers::within);
        let chosen = match model.hard.neighbours {
            NeighbourSearch::Auto if fraction < DILUTE && space.slide == 0.0 => NeighbourSearch::Cells,
            NeighbourSearch::Auto => NeighbourSearch::Lists,
            asked => asked,
        };
        match chosen {
            NeighbourSearch::AllPairs => {
                let everyone = Everyone::new(&space, &fliers);
                self.fly::<Q, _, _>(model, state, space, (fliers, bodies), everyone)
            }
            NeighbourSearch::Cells => match Cells::new(&space, &fliers, margin) {
                Some(cells) => self.fly::<Q, _, _>(model, state, space, (fliers, bodies), cells),
                // A cell too small for cells.
                None => {
                    let everyone = Everyone::new(&space, &fliers);
                    self.fly::<Q, _, _>(model, state, space, (fliers, bodies), everyone)
                }
            },
            NeighbourSearch::Auto | NeighbourSearch::Lists => {
                let shell = Lists::shell_at(fraction, model.planar);
                let lists = Lists::new(&space, &p.position, &p.radius, shell, margin);
                self.fly::<Q, _, _>(model, state, space, (fliers, bodies), lists)
            }
        }
    }

    /// All that happens in a step.
    fn fly<Q: EventList, N: Neighbourhood, B: Bodies>(
        &mut self,
        model: &Model,
        state: &mut State,
        space: Space,
        (fliers, bodies): (Vec<Flier>, B),
        near: N,
    ) -> Result<(), EngineError> {
        let (begins, dt) = (state.time, state.time_step);
        let p = &mut state.particles;
        let bulk: Vec<Bulk> = (0..p.len())
            .map(|i| Bulk {
                spin: p.angular_velocity[i],
                per_mass: 1.0 / p.mass[i],
                per_inertia: moment_of_ball(model, p, i).map_or(0.0, f64::recip),
                streak: 0,
                last_collision: state.solver.events_mut().last_collision[i] - begins,
                image: p.image[i],
                material: model.species[p.species[i] as usize].material,
            })
            .collect();
        let laws = Laws {
            walls: SceneWalls::new(model, &self.walls, &self.boxes, begins, dt),
            rules: self.rules.all(),
            n_materials: model.materials.len(),
            wall_materials: &self.wall_materials,
            against_collapse: match model.hard.collapse {
                CollapseRule::ContactTime { duration } => {
                    AgainstCollapse::Within(duration.unwrap_or(CONTACT_TIME * dt))
                }
                CollapseRule::CutOff { speed } => AgainstCollapse::Slower(speed),
                CollapseRule::Sleep { speed } => AgainstCollapse::Slower(HOP * speed),
                CollapseRule::Nothing => AgainstCollapse::Nothing,
            },
            gravity: model.gravity,
        };
        let mut flock = Flock::<Q, N, B>::new(space, (fliers, bulk, bodies), near, dt, &laws);
        for wall in &mut state.walls {
            (wall.force, wall.torque, wall.conveyor_power) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        }
        let counts = begins + 0.5 * dt >= model.hard.average_after;
        let State { walls, ledger, solver, .. } = state;
        let log = &mut self.log;
        let Particles { id: ids, orientation, angular_velocity, .. } = &mut *p;
        // Until when each ball has been turned.
        let mut turned_to = vec![0.0; if model.turn_spheres && !B::TURN { ids.len() } else { 0 }];
        let mut turn = |grain: u32, time: f64, spin: DVec3| {
            let grain = grain as usize;
            if let Some(since) = turned_to.get_mut(grain) {
                orientation[grain] = turned(orientation[grain], angular_velocity[grain] * (time - *since));
                (angular_velocity[grain], *since) = (spin, time);
            }
        };
        let flown = flock.fly(&laws, |happened: &Happened| {
            let impulse = &happened.collision.impulse;
            ledger.normal_dashpot += impulse.normal_loss;
            ledger.slip += impulse.tangential_loss;
            turn(happened.grain, happened.time, happened.collision.after[0].angular_velocity);
            if let Partner::Grain(other, _) = happened.partner {
                turn(other, happened.time, happened.collision.after[1].angular_velocity);
            }
            if let Partner::Wall(wall, velocity) = happened.partner {
                let wall_state = &mut walls[wall as usize];
                let on_wall = -impulse.on_a / dt;
                wall_state.force += on_wall;
                wall_state.torque += (happened.place - wall_state.pose.position).cross(on_wall);
                let described = &model.walls[wall as usize];
                if let Some(conveyor) = described.conveyor {
                    let pose = described.placed(begins + happened.time).pose;
                    let conveyed = conveyor.along(&pose, happened.place, happened.normal);
                    wall_state.conveyor_power -= on_wall.dot(conveyed);
                }
                ledger.wall_work += impulse.on_a.dot(velocity);
            }
            if let Some(totals) = solver.collisions_mut().filter(|_| counts) {
                match happened.partner {
                    Partner::Grain(_, from_partner) => totals.add_pair(from_partner, impulse.on_a),
                    Partner::Wall(..) => totals.n_walls += 1,
                }
                totals.n_collapsing += u64::from(happened.kept_from_collapse);
            }
            if model.hard.log {
                log.push(record(happened, begins, ids));
            }
        });
        for grain in 0..flock.fliers.len() as u32 {
            turn(grain, dt, flock.bulk[grain as usize].spin);
        }
        let Tally { n_stale, n_renewed, slide_gain } = flock.tally;
        ledger.wall_work += slide_gain;
        if let Some(totals) = solver.collisions_mut().filter(|_| counts) {
            totals.n_stale += n_stale;
            totals.n_transfers += n_renewed;
        }
        match flown {
            Ok(()) => {}
            Err(Stopped::Collapsed { time, grain }) => {
                return Err(EngineError::Unstable {
                    step: state.step,
                    time: begins + time,
                    what: format!(
                        "collisions come ever faster, and time stands still: an inelastic collapse, in which grain {} takes part; give \
                         `hard.collapse` a rule against it, or a longer contact time",
                        p.id[grain as usize]
                    ),
                });
            }
            Err(Stopped::Lost(Lost { grains: [a, b], bound })) => {
                let partner = observe::Partner::Particle(b as usize);
                return Err(health::unsettled(
                    model,
                    state,
                    &Unsettled { a: a as usize, partner, parts: [0, 0], bound },
                ));
            }
        }
        if let Some(sleepers) = flock.bodies.sleepers() {
            let events = state.solver.events_mut();
            events.n_fallen_asleep += sleepers.n_fallen;
            events.n_woken += sleepers.n_woken;
        }
        // From the frame that falls to the ground.
        let (fallen, faster) = (model.gravity * (0.5 * dt * dt), model.gravity * dt);
        for i in 0..p.len() {
            p.position[i] = flock.fliers[i].position + fallen;
            p.velocity[i] = flock.fliers[i].velocity + faster;
            if model.planar {
                p.velocity[i].z = 0.0;
            }
            p.image[i] = flock.bulk[i].image;
            let events = state.solver.events_mut();
            events.last_collision[i] = begins + flock.bulk[i].last_collision;
            events.asleep[i] = flock.bodies.sleepers().map_or(0, |sleepers| u8::from(sleepers.is_asleep(i as u32)));
            flock.bodies.land(model, p, i, flock.bulk[i].spin);
        }
        Ok(())
    }
}

/// Brings all grains back into the periodic cell.
fn bring_back(model: &Model, state: &mut State) {
    let cell = PeriodicCell::of(model);
    for grain in 0..state.particles.len() {
        state.ledger.wall_work += cell.bring_back(&mut state.particles, grain, state.time);
    }
}

/// The periodic cell in a step that begins at a time [s].
fn space_at(model: &Model, time: f64) -> Space {
    let slide =
        if model.shear_rate == 0.0 { 0.0 } else { model.shear_rate * (model.domain.upper.y - model.domain.lower.y) };
    Space::new(model.domain.lower, model.domain.periods(), slide, slide * time)
}

/// Refuses balls that overlap at the start: no collision could have left them there.
fn refuse_overlaps(model: &Model, state: &State) -> Result<(), EngineError> {
    let (p, space) = (&state.particles, space_at(model, state.time));
    let largest = p.radius.iter().copied().fold(0.0, f64::max);
    for (axis, period) in model.domain.periods().into_iter().enumerate() {
        // Two images of one grain must not be near another, and cells that slide need a third between them.
        let least = largest * if axis == 1 && model.shear_rate != 0.0 { 7.0 } else { 4.5 };
        if let Some(period) = period.filter(|&period| period <= least) {
            return Err(EngineError::Model(format!(
                "the periodic domain is {period:.6e} m long along {}, but grains of radius {largest:.6e} m need more than {least:.6e} m; \
                 make the domain longer or the grains smaller",
                ["x", "y", "z"][axis],
            )));
        }
    }
    let lists = Lists::new(&space, &p.position, &p.radius, 1.01, 0.0);
    let mut shapes = SizedShapes::default();
    shapes.update(model, p);
    let (mut worst, mut count) = ((0.0, 0, 0), 0);
    for a in 0..p.len() as u32 {
        for &b in lists.of(a).iter().filter(|&&b| b > a) {
            let (a, b) = (a as usize, b as usize);
            let (offset, _, _) = space.nearest_sliding(p.position[b] - p.position[a], DVec3::ZERO, 0.0);
            let reach = p.radius[a] + p.radius[b];
            let mut overlap = 1.0 - offset.length() / reach;
            let (sized_a, sized_b) = (shapes.get(a), shapes.get(b));
            if overlap > ALLOWED_OVERLAP && !(sized_a.is_round && sized_b.is_round) {
                let pose_a = Pose::new(DVec3::ZERO, p.orientation[a]);
                let pose_ab = pose_a.relative(&Pose::new(offset, p.orientation[b]));
                let found = contact_within(&sized_a.shape, &sized_b.shape, &pose_ab, None, 0.0);
                let contact = found.map_err(|bad| {
                    let partner = observe::Partner::Particle(b);
                    health::unsettled(model, state, &Unsettled { a, partner, parts: [0, 0], bound: bad.bound })
                })?;
                overlap = contact.map_or(0.0, |contact| -contact.separation / reach);
            }
            if overlap > ALLOWED_OVERLAP {
                count += 1;
                if overlap > worst.0 {
                    worst = (overlap, p.id[a], p.id[b]);
                }
            }
        }
    }
    if count == 0 {
        return Ok(());
    }
    Err(EngineError::Model(format!(
        "{count} pairs of grains overlap at the start, which hard grains cannot: grains {} and {} by {:.2e} of the radii around them; \
         give them more room, or let the solver `soft` push them apart first",
        worst.1, worst.2, worst.0
    )))
}

/// What fraction of the space that grains take up they fill.
fn solid_fraction(model: &Model, fliers: &[Flier], space: &Space) -> f64 {
    let mut lower = fliers.iter().fold(DVec3::INFINITY, |low, ball| low.min(ball.position - ball.radius));
    let mut upper = fliers.iter().fold(DVec3::NEG_INFINITY, |high, ball| high.max(ball.position + ball.radius));
    for axis in (0..3).filter(|&axis| space.is_periodic()[axis]) {
        lower[axis] = space.lower[axis];
        upper[axis] = space.lower[axis] + space.period[axis];
    }
    let extent = upper - lower;
    if model.planar {
        let area: f64 = fliers.iter().map(|ball| PI * ball.radius * ball.radius).sum();
        area / (extent.x * extent.y)
    } else {
        let volume: f64 = fliers.iter().map(|ball| 4.0 / 3.0 * PI * ball.radius.powi(3)).sum();
        volume / extent.element_product()
    }
}

fn record(happened: &Happened, begins: f64, ids: &[u32]) -> CollisionRecord {
    let impulse = &happened.collision.impulse;
    CollisionRecord {
        time: begins + happened.time,
        a: ids[happened.grain as usize],
        partner: match happened.partner {
            Partner::Grain(other, _) => CollisionPartner::Grain(ids[other as usize]),
            Partner::Wall(wall, _) => CollisionPartner::Wall(wall),
        },
        point: happened.place,
        normal: happened.normal,
        impulse: impulse.on_a,
        approach: impulse.approach,
        lost: impulse.normal_loss + impulse.tangential_loss,
        slides: impulse.slides,
    }
}
