//! The soft solver: springs and dashpots at the contacts, in steps of time.

use crate::boundary::insertion::Plan;
use crate::boundary::periodic::{unwrapped, wrap};
use crate::boundary::wall::{advance_walls, kick_walls};
use crate::broad::spatial_order;
use crate::contacts::records::Visitor;
use crate::contacts::{ContactLists, Order, StepSummary};
use crate::health::Patient;
use crate::law::{LawTable, Losses};
use crate::observe::{ElasticEnergy, Energies, Partner, free_walls};
use crate::simulation::{insert_from_streams, leavers, remove_grains, streams_are_due};
use crate::state::{BlockContacts, Reference, SoftState, SolverState, WallState};
use crate::{EngineError, Model, Motion, Particles, State, health, integrator};
use glam::DVec3;
use tumble_geometry::Aabb;

/// Streams insert, and edges remove, every so many steps: a change of the grains costs a new candidate list.
const EXCHANGE_EVERY: u64 = 50;
/// The run's health is looked at every so many steps.
const HEALTH_EVERY: u64 = 64;
/// The grains are sorted at every so many builds of the lists: they diffuse slowly.
const SORT_EVERY: u64 = 16;

/// Makes a bound on a way hold whatever rounding does to it.
const ROUNDED_UP: f64 = 1.0 + 1e-9;

/// What the soft solver works with beside the state. All of it follows from model and state.
#[derive(Clone, Debug)]
pub(crate) struct Soft {
    pub table: LawTable,
    pub lists: ContactLists,
    pub summary: StepSummary,
    /// How far grains have moved since the lists were built, and where walls can meet them.
    reference_bounds: ReferenceBounds,
}

impl Soft {
    /// Begins with grains and walls in their places, and the contacts that grains bring along: gives the state what the soft
    /// solver keeps in it, and works out the first forces.
    pub fn begin(model: &Model, state: &mut State, contacts: Vec<BlockContacts>) -> Result<Soft, EngineError> {
        let skin = model.skin.unwrap_or_else(|| automatic_skin(model, state));
        state.solver = SolverState::Soft(SoftState { skin, contacts, ..SoftState::default() });
        let mut soft = Soft::without_lists(model, state);
        soft.rebuild(model, state)?;
        soft.summary = soft.lists.evaluate(model, state, &soft.table, 0.0, &[]);
        Ok(soft)
    }

    /// Goes on from a state that fits the model.
    pub fn resume(model: &Model, state: &mut State) -> Result<Soft, EngineError> {
        let mut soft = Soft::without_lists(model, state);
        soft.summary.n_contacts = state.n_contacts().iter().sum();
        soft.lists.build(model, state, &soft.table, Order::Kept)?;
        Ok(soft)
    }

    /// Goes on from a state of another model: contacts that both have keep their springs.
    pub fn change(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        let instructions = self.lists.instructions;
        *self = Soft::without_lists(model, state);
        self.lists.instructions = instructions;
        self.rebuild(model, state)?;
        // What contacts lose in this is a part of what the change does to the energy.
        self.summary =
            StepSummary { losses: Losses::default(), ..self.lists.evaluate(model, state, &self.table, 0.0, &[]) };
        Ok(())
    }

    fn without_lists(model: &Model, state: &State) -> Soft {
        Soft {
            table: LawTable::new(model),
            lists: ContactLists::new(model),
            summary: StepSummary::default(),
            reference_bounds: ReferenceBounds::new(model, state),
        }
    }

    /// Shows every touching contact as the last step left it, with the energy in its springs.
    pub fn visit(&self, state: &State, show: &mut Visitor) {
        self.lists.visit(state, &self.table, show);
    }

    /// One step, from one moment at which positions and velocities are known to the next.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        if state.step.is_multiple_of(EXCHANGE_EVERY) {
            self.exchange(model, state)?;
        }
        let dt = state.time_step;
        let bodies = &mut self.lists.bodies.rows;
        let (fastest, drag_first) = integrator::kick_and_drift(model, state, bodies, dt, self.lists.instructions);
        let gravity_before = model.gravity_at(state);
        state.step += 1;
        state.advance_time(dt);
        let time = state.time;
        let before: Vec<WallState> = state.walls.clone();
        advance_walls(&model.walls, &mut state.walls, gravity_before, time, dt);
        let fastest_of_all = fastest.iter().copied().fold(0.0, f64::max);
        if self.outlived(model, state, fastest_of_all * dt) {
            self.rebuild(model, state)?;
        } else {
            self.lists.refresh(model, state);
        }
        self.summary = self.lists.evaluate(model, state, &self.table, dt, &fastest);
        self.lists.book_conveyors(model, state);
        let drag_second = integrator::kick(model, state, dt, self.lists.instructions);
        let travels: Vec<f64> = state.walls.iter().map(|wall| wall.travel_speed).collect();
        let gravity = model.gravity_at(state);
        kick_walls(&model.walls, &mut state.walls, gravity, dt);
        state.ledger.changed += energy_of_gravity(model, state, model.gravity_at(state) - gravity_before);

        let ledger = &mut state.ledger;
        let losses = &self.summary.losses;
        ledger.normal_dashpot += losses.normal_dashpot;
        ledger.tangential_dashpot += losses.tangential_dashpot;
        ledger.slip += losses.slip;
        ledger.rolling += losses.rolling;
        ledger.contact_end += losses.contact_end;
        ledger.stiffness_change += losses.stiffness_change;
        ledger.drag += drag_first + drag_second;
        for (index, (wall, before)) in state.walls.iter().zip(&before).enumerate() {
            // Loads are those on the wall, so the work on the grains has the other sign. Those of the last step act where the
            // wall was then, and their torque is about where its origin was then.
            let work = before.force.dot(wall.velocity_at(before.pose.position))
                + wall.force.dot(wall.velocity)
                + (before.torque + wall.torque).dot(wall.angular_velocity)
                - (before.conveyor_power + wall.conveyor_power);
            ledger.wall_work -= 0.5 * dt * work;
            if let Some(&Motion::Free { direction, push, .. }) = model.walls[index].motion.driven() {
                // What grains and a free wall give each other stays in the run; what pushes it besides comes from outside.
                let borne = (before.force + wall.force).dot(direction);
                let push = if model.walls[index].leads(index) { push } else { 0.0 };
                ledger.wall_work += dt * (0.5 * borne + push) * travels[index];
            }
        }
        if let Some(unsettled) = self.summary.unsettled {
            return Err(health::unsettled(model, state, &unsettled));
        }
        if state.step.is_multiple_of(HEALTH_EVERY) || self.summary.deep.is_some() {
            let kinetic = self.check_health(model, state)?;
            let ledger = &mut state.ledger;
            ledger.scale = ledger.scale.max(kinetic + ledger.lost().max(0.0) + ledger.wall_work.abs());
        }
        // The whole ledger costs a pass over all contacts, so it is read more rarely.
        if state.step.is_multiple_of(16 * HEALTH_EVERY) {
            let mut elastic = ElasticEnergy::default();
            self.visit(state, &mut |_, energy| elastic += energy);
            let energies = Energies::of(model, state, elastic);
            health::check_energy(&self.patient(model, state, &|show| self.visit(state, show)), &energies)?;
        }
        Ok(())
    }

    /// Looks at every grain, and at a contact that is too deep. Returns the kinetic energy [J].
    pub fn check_health(&self, model: &Model, state: &State) -> Result<f64, EngineError> {
        health::check(&self.patient(model, state, &|show| self.visit(state, show)), self.summary.deep)
    }

    fn patient<'a>(&'a self, model: &'a Model, state: &'a State, visit: &'a dyn Fn(&mut Visitor)) -> Patient<'a> {
        Patient { model, state, table: &self.table, visit }
    }

    /// Brings in what is due and takes out what has left. Leaves the lists valid.
    fn exchange(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        let leaving = leavers(model, state);
        let any_leaves = leaving.iter().any(|&leaves| leaves);
        let streams = streams_are_due(model, state);
        if !any_leaves && !streams {
            return Ok(());
        }
        if any_leaves {
            self.remove(model, state, &leaving);
        }
        let came = streams && insert_from_streams(model, state, &self.lists.walls, state.time);
        if any_leaves || came {
            self.rebuild(model, state)?;
        }
        Ok(())
    }

    /// Takes grains out and books their energy, and that of their contacts.
    fn remove(&self, model: &Model, state: &mut State, leaving: &[bool]) {
        let mut lost = 0.0;
        self.visit(state, &mut |record, energy| {
            let partner_leaves = matches!(record.partner, Partner::Particle(b) if leaving[b]);
            if leaving[record.a] || partner_leaves {
                lost += energy.total();
            }
        });
        state.ledger.contact_end += lost;
        remove_grains(model, state, leaving);
    }

    /// Makes the candidate lists anew around the present positions.
    fn rebuild(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        let Particles { position, image, .. } = &mut state.particles;
        for (position, image) in position.iter_mut().zip(image) {
            wrap(&model.domain, position, image);
        }
        let soft = state.solver.soft_mut();
        if soft.reference.builds.is_multiple_of(SORT_EVERY) {
            let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
            let order = spatial_order(&state.particles.position, 2.0 * largest + soft.skin);
            state.particles.reorder(&order);
        }
        soft.reference.builds += 1;
        soft.reference.positions.clone_from(&state.particles.position);
        soft.reference.wall_poses = state.walls.iter().map(|w| w.pose).collect();
        self.reference_bounds = ReferenceBounds::new(model, state);
        self.lists.build(model, state, &self.table, Order::New)
    }

    /// Whether the lists may miss pairs, now that no grain has moved farther than a distance in this step [m]. Pairs were
    /// listed up to a gap of `skin`; two grains can close it if each moves half of it, a grain and a wall if together they move
    /// all of it.
    fn outlived(&mut self, model: &Model, state: &State, farthest_in_step: f64) -> bool {
        let skin = state.solver.soft().skin;
        let has = |moved: f64| 2.0 * moved > skin || self.walls_moved_beyond(model, state, skin - moved);
        // All ways added up are a bound that costs nothing; where it does not do, how far they came decides.
        let mut moved = self.reference_bounds.moved + farthest_in_step * ROUNDED_UP;
        let outlived = has(moved) && {
            moved = integrator::farthest(state);
            has(moved)
        };
        self.reference_bounds.moved = moved;
        outlived
    }

    /// Whether some wall's surface has moved farther than a distance [m] since the lists were built, where grains can be.
    fn walls_moved_beyond(&self, model: &Model, state: &State, distance: f64) -> bool {
        let ReferenceBounds { grains, walls, .. } = &self.reference_bounds;
        let wall_poses = &state.solver.soft().reference.wall_poses;
        // Images of walls that turn do so about axes of their own: where they are fastest says nothing of where grains are.
        let is_periodic = model.domain.periods().iter().any(Option::is_some);
        model.walls.iter().enumerate().any(|(index, wall)| {
            let before = wall.surface.canonical_pose(&wall_poses[index]);
            let now = wall.surface.canonical_pose(&state.walls[index].pose);
            let moved_beyond = |space: &Aabb| {
                // The displacement is an affine function of place, so its largest value is at a corner.
                space.corners().iter().any(|&corner| {
                    let moved = now.transform_point(before.inverse_transform_point(corner)) - corner;
                    moved.length() > distance
                })
            };
            // What turns moves fastest far from its axis: a small wall may not reach there, a large one may meet no grain
            // there. (A rigid motion moves the place where a point was as far as the place where it is.)
            before != now
                && ((is_periodic && walls[index].is_some()) || moved_beyond(grains))
                && walls[index].as_ref().is_none_or(moved_beyond)
        })
    }
}

/// What a change of gravity within the last step does to the potential energy [J]. The mean of where grains were and are is
/// where the kicks of before and after it balance.
fn energy_of_gravity(model: &Model, state: &State, change: DVec3) -> f64 {
    if change == DVec3::ZERO {
        return 0.0;
    }
    let p = &state.particles;
    let middle =
        |i: usize| unwrapped(&model.domain, p.position[i], p.image[i]) - p.velocity[i] * (0.5 * state.time_step);
    let of_walls = free_walls(model, state)
        .map(|(wall, direction, mass)| {
            mass * change.dot(direction) * (wall.travel - 0.5 * state.time_step * wall.travel_speed)
        })
        .sum::<f64>();
    -(0..p.len()).map(|i| p.mass[i] * change.dot(middle(i))).sum::<f64>() - of_walls
}

fn automatic_skin(model: &Model, state: &State) -> f64 {
    // A fifth of the mean radius: long enough for tens of steps in a flowing bed, short enough to list few pairs
    // that do not touch. Of the grains that are there and those that each stream will bring, the smallest decide:
    // a skin as wide as small grains would list nearly all pairs of them.
    let radii = &state.particles.radius;
    let present = (!radii.is_empty()).then(|| radii.iter().sum::<f64>() / radii.len() as f64);
    let streams = model.insertions.iter().filter(|i| matches!(i.plan, Plan::Stream { .. }));
    let smallest = present.into_iter().chain(streams.map(|i| i.size.mean())).reduce(f64::min);
    0.2 * smallest.unwrap_or(0.0)
}

/// How far grains have moved since the lists were built, and where walls can meet them before they are built again.
#[derive(Clone, Debug)]
struct ReferenceBounds {
    /// No grain has moved farther since the lists were built [m].
    moved: f64,
    /// The space that grains can reach.
    grains: Aabb,
    /// Each wall when the lists were built; `None` if it has no bounds.
    walls: Vec<Option<Aabb>>,
}

impl ReferenceBounds {
    fn new(model: &Model, state: &State) -> ReferenceBounds {
        let SoftState { skin, reference: Reference { positions, wall_poses, .. }, .. } = state.solver.soft();
        let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
        ReferenceBounds {
            moved: integrator::farthest(state),
            grains: Aabb::of_points(positions.iter().copied()).grown(largest + skin),
            walls: model.walls.iter().zip(wall_poses).map(|(wall, pose)| wall.surface.bounds(pose)).collect(),
        }
    }
}
