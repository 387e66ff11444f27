//! One step of the soft solver.

use crate::boundary::insertion::{Insertion, due};
use crate::boundary::periodic::{unwrapped, wrap};
use crate::broad::spatial_order;
use crate::contacts::Order;
use crate::model::Edge;
use crate::observe::Partner;
use crate::simulation::Simulation;
use crate::state::{InserterState, Reference, WallState};
use crate::{EngineError, Model, Particles, State, health, integrator};
use tumble_geometry::Aabb;

/// Streams insert, and edges remove, every so many steps: a change of the grains costs a new candidate list.
const EXCHANGE_EVERY: u64 = 50;
/// The run's health is looked at every so many steps.
const HEALTH_EVERY: u64 = 64;
/// The grains are sorted at every so many builds of the lists: they diffuse slowly.
const SORT_EVERY: u64 = 16;

/// Makes a bound on a way hold whatever rounding does to it.
const ROUNDED_UP: f64 = 1.0 + 1e-9;

/// One step, from one moment at which positions and velocities are known to the next.
pub(crate) fn step(sim: &mut Simulation) -> Result<(), EngineError> {
    if sim.state.step.is_multiple_of(EXCHANGE_EVERY) {
        exchange(sim)?;
    }
    let dt = sim.state.time_step;
    let state = &mut sim.state;
    let bodies = &mut sim.lists.bodies.rows;
    let (fastest, drag_first) =
        integrator::kick_and_drift(&sim.model, &mut state.particles, bodies, dt, sim.lists.instructions);
    state.step += 1;
    state.advance_time(dt);
    let time = state.time;
    let before: Vec<WallState> = state.walls.clone();
    for (wall, wall_state) in sim.model.walls.iter().zip(&mut state.walls) {
        wall.advance(wall_state, time, dt);
    }
    if outlived(sim, fastest * dt) {
        rebuild(sim)?;
    } else {
        sim.lists.refresh(&sim.model, &sim.state);
    }
    sim.summary = sim.lists.evaluate(&sim.model, &mut sim.state, &sim.table, dt, fastest);
    let drag_second = integrator::kick(&sim.model, &mut sim.state.particles, dt, sim.lists.instructions);

    let ledger = &mut sim.state.ledger;
    let losses = &sim.summary.losses;
    ledger.normal_dashpot += losses.normal_dashpot;
    ledger.tangential_dashpot += losses.tangential_dashpot;
    ledger.slip += losses.slip;
    ledger.rolling += losses.rolling;
    ledger.contact_end += losses.contact_end;
    ledger.stiffness_change += losses.stiffness_change;
    ledger.drag += drag_first + drag_second;
    for (wall, before) in sim.state.walls.iter().zip(&before) {
        // Loads are those on the wall, so the work on the grains has the other sign. Those of the last step act where the
        // wall was then, and their torque is about where its origin was then.
        let work = before.force.dot(wall.velocity_at(before.pose.position))
            + wall.force.dot(wall.velocity)
            + (before.torque + wall.torque).dot(wall.angular_velocity);
        ledger.wall_work -= 0.5 * dt * work;
    }
    if let Some(unsettled) = sim.summary.unsettled {
        return Err(health::unsettled(sim, &unsettled));
    }
    if sim.state.step.is_multiple_of(HEALTH_EVERY) || sim.summary.deep.is_some() {
        let kinetic = health::check(sim)?;
        let ledger = &mut sim.state.ledger;
        ledger.scale = ledger.scale.max(kinetic + ledger.lost().max(0.0) + ledger.wall_work.abs());
    }
    // The whole ledger costs a pass over all contacts, so it is read more rarely.
    if sim.state.step.is_multiple_of(16 * HEALTH_EVERY) {
        health::check_energy(sim)?;
    }
    Ok(())
}

/// Brings in what is due and takes out what has left. Leaves the lists valid.
fn exchange(sim: &mut Simulation) -> Result<(), EngineError> {
    let leaving = leavers(sim);
    let any_leaves = leaving.iter().any(|&leaves| leaves);
    let time = sim.state.time;
    let is_due = |(plan, inserter): (&Insertion, &InserterState)| due(&plan.plan, time) > inserter.inserted;
    let streams = sim.model.insertions.iter().zip(&sim.state.inserters).any(is_due);
    if !any_leaves && !streams {
        return Ok(());
    }
    if any_leaves {
        remove(sim, &leaving);
    }
    let came = streams && sim.insert_from_streams(time);
    if any_leaves || came {
        rebuild(sim)?;
    }
    Ok(())
}

fn leavers(sim: &Simulation) -> Vec<bool> {
    let domain = &sim.model.domain;
    if !domain.edges.contains(&Edge::Remove) {
        return Vec::new();
    }
    // A grain whose place is not a number has not left: it stays until the health check reports it.
    let outside = |x: &glam::DVec3| {
        x.is_finite()
            && (0..3).any(|k| domain.edges[k] == Edge::Remove && (x[k] < domain.lower[k] || x[k] > domain.upper[k]))
    };
    sim.state.particles.position.iter().map(outside).collect()
}

/// Takes grains out and books their energy, and that of their contacts.
fn remove(sim: &mut Simulation, leaving: &[bool]) {
    let p = &sim.state.particles;
    let ledger = &mut sim.state.ledger;
    for i in (0..p.len()).filter(|&i| leaving[i]) {
        let place = unwrapped(&sim.model.domain, p.position[i], p.image[i]);
        ledger.removed += p.kinetic_energy(i) - p.mass[i] * sim.model.gravity.dot(place);
        sim.state.n_removed += 1;
    }
    let mut lost = 0.0;
    sim.lists.visit(&sim.state, &sim.table, &mut |record, energy| {
        let partner_leaves = matches!(record.partner, Partner::Particle(b) if leaving[b]);
        if leaving[record.a] || partner_leaves {
            lost += energy.total();
        }
    });
    sim.state.ledger.contact_end += lost;
    let keep: Vec<bool> = leaving.iter().map(|leaves| !leaves).collect();
    sim.state.particles.retain(&keep);
}

/// Whether the lists may miss pairs, now that no grain has moved farther than a distance in this step [m]. Pairs were listed up
/// to a gap of `skin`; two grains can close it if each moves half of it, a grain and a wall if together they move all of it.
fn outlived(sim: &mut Simulation, farthest_in_step: f64) -> bool {
    let skin = sim.state.skin;
    let has = |sim: &Simulation| {
        let moved = sim.reference_bounds.moved;
        2.0 * moved > skin || walls_moved_beyond(sim, skin - moved)
    };
    // All ways added up are a bound that costs nothing; where it does not do, how far they came decides.
    sim.reference_bounds.moved += farthest_in_step * ROUNDED_UP;
    has(sim) && {
        sim.reference_bounds.moved = integrator::farthest(&sim.state);
        has(sim)
    }
}

/// Makes the candidate lists anew around the present positions.
pub(crate) fn rebuild(sim: &mut Simulation) -> Result<(), EngineError> {
    let state = &mut sim.state;
    let Particles { position, image, .. } = &mut state.particles;
    for (position, image) in position.iter_mut().zip(image) {
        wrap(&sim.model.domain, position, image);
    }
    if state.reference.builds.is_multiple_of(SORT_EVERY) {
        let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
        let order = spatial_order(&state.particles.position, 2.0 * largest + state.skin);
        state.particles.reorder(&order);
    }
    state.reference.builds += 1;
    state.reference.positions.clone_from(&state.particles.position);
    state.reference.wall_poses = state.walls.iter().map(|w| w.pose).collect();
    sim.reference_bounds = ReferenceBounds::new(&sim.model, state);
    sim.lists.build(&sim.model, &mut sim.state, &sim.table, Order::New)
}

/// How far grains have moved since the lists were built, and where walls can meet them before they are built again.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceBounds {
    /// No grain has moved farther since the lists were built [m].
    moved: f64,
    /// The space that grains can reach.
    grains: Aabb,
    /// Each wall when the lists were built; `None` if it has no bounds.
    walls: Vec<Option<Aabb>>,
}

impl ReferenceBounds {
    pub(crate) fn new(model: &Model, state: &State) -> ReferenceBounds {
        let Reference { positions, wall_poses, .. } = &state.reference;
        let largest = state.particles.radius.iter().copied().fold(0.0, f64::max);
        ReferenceBounds {
            moved: integrator::farthest(state),
            grains: Aabb::of_points(positions.iter().copied()).grown(largest + state.skin),
            walls: model.walls.iter().zip(wall_poses).map(|(wall, pose)| wall.surface.bounds(pose)).collect(),
        }
    }
}

/// Whether some wall's surface has moved farther than a distance [m] since the lists were built, where grains can be.
fn walls_moved_beyond(sim: &Simulation, distance: f64) -> bool {
    let ReferenceBounds { grains, walls, .. } = &sim.reference_bounds;
    sim.model.walls.iter().enumerate().any(|(index, wall)| {
        let before = wall.surface.canonical_pose(&sim.state.reference.wall_poses[index]);
        let now = wall.surface.canonical_pose(&sim.state.walls[index].pose);
        let moved_beyond = |space: &Aabb| {
            // The displacement is an affine function of place, so its largest value is at a corner.
            space.corners().iter().any(|&corner| {
                let moved = now.transform_point(before.inverse_transform_point(corner)) - corner;
                moved.length() > distance
            })
        };
        // What turns moves fastest far from its axis: a small wall may not reach there, a large one may meet no grain
        // there. (A rigid motion moves the place where a point was as far as the place where it is.)
        before != now && moved_beyond(grains) && walls[index].as_ref().is_none_or(moved_beyond)
    })
}
