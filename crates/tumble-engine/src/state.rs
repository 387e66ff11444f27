//! All that changes in a run. A restart is a `State`.

mod hard;
mod history;

pub use hard::{CollisionTotals, EventState, SteppedState};
pub(crate) use history::room_for;
pub use history::{BlockContacts, ContactHistory, ContactKey, ContactMemory, Groups, PatchMemory, PointKey};

use crate::Particles;
use crate::crossings::{Crossed, Departed};
use crate::groups::Members;
use crate::model::Solver;
use crate::particles::FieldWriter;
use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use glam::DVec3;
use std::convert::Infallible;
use tumble_geometry::Pose;
use xxhash_rust::xxh3::Xxh3;

/// All that changes in a run.
///
/// ```
/// use tumble_engine::State;
///
/// let mut state = State { time_step: 1e-6, ..State::default() };
/// for _ in 0..1000 {
///     state.advance_time(state.time_step);
/// }
/// assert_eq!(state.time, 1000.0 * 1e-6);
/// // Equal bits have equal hashes.
/// assert_eq!(state.hash(), state.clone().hash());
/// assert_ne!(state.hash(), State::default().hash());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Steps done.
    pub step: u64,
    /// Simulated time [s]; [`State::advance_time`] moves it on.
    pub time: f64,
    /// What rounding took from the time [s]; the next advance gives it back.
    pub time_remainder: f64,
    /// Length of a step [s]: how far one call of [`crate::Simulation::step`] moves the time on. Whoever plans what happens
    /// between steps needs it, whatever the solver does within one.
    pub time_step: f64,
    /// The grains.
    pub particles: Particles,
    /// The walls' places, velocities and loads.
    pub walls: Vec<WallState>,
    /// How far each insertion has come.
    pub inserters: Vec<InserterState>,
    /// State of the random numbers.
    pub random: [u64; 4],
    /// Grains that left through an edge so far.
    pub n_removed: u64,
    /// Their mass [kg].
    pub removed_mass: f64,
    /// What left through edges so far, by species.
    pub departed: Vec<Departed>,
    /// What went through each plane of [`crate::Model::planes`] so far: by species, plane after plane.
    pub crossed: Vec<Crossed>,
    /// Who belongs to each of [`crate::Model::groups`] that goes by a moment.
    pub groups: Vec<Members>,
    /// The id the next grain gets.
    pub next_id: u32,
    /// Energy that came, went and was lost so far.
    pub ledger: Ledger,
    /// What gravity was before it was last changed.
    pub former_gravity: FormerGravity,
    /// What only the solver asks for.
    pub solver: SolverState,
}

/// What one solver keeps from step to step and no other needs.
#[derive(Clone, Debug, PartialEq)]
pub enum SolverState {
    /// Of [`Solver::Soft`].
    Soft(SoftState),
    /// Of [`Solver::HardStepped`].
    Stepped(SteppedState),
    /// Of [`Solver::HardEvents`].
    Events(EventState),
}

impl Default for SolverState {
    fn default() -> SolverState {
        SolverState::Soft(SoftState::default())
    }
}

impl SolverState {
    /// Whose state it is.
    pub fn solver(&self) -> Solver {
        match self {
            SolverState::Soft(_) => Solver::Soft,
            SolverState::Stepped(_) => Solver::HardStepped,
            SolverState::Events(_) => Solver::HardEvents,
        }
    }

    /// That of the soft solver, of whose runs alone it may be asked.
    pub fn soft(&self) -> &SoftState {
        let SolverState::Soft(soft) = self else { unreachable!("a run of the soft solver has its state") };
        soft
    }

    /// The same, to be changed.
    pub(crate) fn soft_mut(&mut self) -> &mut SoftState {
        let SolverState::Soft(soft) = self else { unreachable!("a run of the soft solver has its state") };
        soft
    }

    /// That of the stepped hard solver, of whose runs alone it may be asked.
    pub(crate) fn stepped_mut(&mut self) -> &mut SteppedState {
        let SolverState::Stepped(stepped) = self else { unreachable!("a stepped run has its state") };
        stepped
    }

    /// That of the event-driven solver, of whose runs alone it may be asked.
    pub(crate) fn events_mut(&mut self) -> &mut EventState {
        let SolverState::Events(events) = self else { unreachable!("an event-driven run has its state") };
        events
    }

    /// That of the event-driven solver; `None` in runs of another.
    pub fn events(&self) -> Option<&EventState> {
        if let SolverState::Events(events) = self { Some(events) } else { None }
    }

    /// The same, to be added to.
    pub(crate) fn collisions_mut(&mut self) -> Option<&mut CollisionTotals> {
        match self {
            SolverState::Soft(_) => None,
            SolverState::Stepped(SteppedState { totals, .. }) | SolverState::Events(EventState { totals, .. }) => {
                Some(totals)
            }
        }
    }

    /// Collisions added up; `None` where contacts take time.
    pub fn collisions(&self) -> Option<&CollisionTotals> {
        match self {
            SolverState::Soft(_) => None,
            SolverState::Stepped(SteppedState { totals, .. }) | SolverState::Events(EventState { totals, .. }) => {
                Some(totals)
            }
        }
    }
}

/// What the soft solver keeps from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoftState {
    /// Skin of the candidate lists [m], fixed when the run began.
    pub skin: f64,
    /// What the touching contacts remember and what the last step left in them, for each block of
    /// [`crate::contacts::block_size`] grains.
    pub contacts: Vec<BlockContacts>,
    /// Where everything was when the candidate lists were last built. The lists are a function of this, so a
    /// restarted run has the same lists, in the same order, as one that was never interrupted.
    pub reference: Reference,
}

impl SoftState {
    fn n_contacts(&self) -> [usize; 2] {
        let lists = || self.contacts.iter().flat_map(|contacts| contacts.lists().into_iter().enumerate());
        let count = |at_walls: bool| {
            let of = lists().filter(|(list, _)| BlockContacts::is_at_walls(*list) == at_walls);
            of.map(|(_, history)| history.len()).sum()
        };
        [count(true), count(false)]
    }

    fn update(&self, hasher: &mut Xxh3) {
        let SoftState { skin, contacts, reference } = self;
        hasher.update(bytes_of(skin));
        for history in contacts.iter().flat_map(BlockContacts::lists) {
            hasher.update(cast_slice(&history.pairs));
            hasher.update(cast_slice(&history.points));
            hasher.update(cast_slice(&history.columns));
        }
        let Reference { builds, positions, wall_poses } = reference;
        hasher.update(bytes_of(builds));
        hasher.update(cast_slice(positions));
        for pose in wall_poses {
            hasher.update(bytes_of(&pose.position));
            hasher.update(bytes_of(&pose.orientation));
        }
    }
}

impl State {
    /// Moves the time on by a duration [s], not below zero. Time and remainder together are the sum of all durations:
    /// steps of one length come out at their number times the length, rounded once, however many they are.
    pub fn advance_time(&mut self, duration: f64) {
        // The error of a sum of two numbers is itself a number (Knuth, The Art of Computer Programming 2, 4.2.2).
        let sum = self.time + duration;
        let part = sum - self.time;
        let error = (self.time - (sum - part)) + (duration - part) + self.time_remainder;
        self.time = sum + error;
        self.time_remainder = error - (self.time - sum);
    }

    /// How many contacts touch, with walls and without.
    pub fn n_contacts(&self) -> [usize; 2] {
        match &self.solver {
            SolverState::Soft(soft) => soft.n_contacts(),
            SolverState::Stepped(_) | SolverState::Events(_) => [0, 0],
        }
    }

    /// A fingerprint of all of it: equal for equal bits.
    pub fn hash(&self) -> u64 {
        let State {
            step,
            time,
            time_remainder,
            time_step,
            particles,
            walls,
            inserters,
            random,
            n_removed,
            removed_mass,
            departed,
            crossed,
            groups,
            next_id,
            ledger,
            former_gravity,
            solver,
        } = self;
        let mut hasher = Xxh3::new();
        hasher.update(bytes_of(step));
        hasher.update(cast_slice(&[*time, *time_remainder, *time_step]));
        let Ok(()) = particles.write_fields(&mut hasher);
        for wall in walls {
            let &WallState {
                pose,
                velocity,
                angular_velocity,
                force,
                torque,
                motion_pose,
                motion_time,
                travel,
                travel_speed,
                conveyor_power,
                present,
            } = wall;
            for pose in [pose, motion_pose] {
                hasher.update(bytes_of(&pose.position));
                hasher.update(bytes_of(&pose.orientation));
            }
            hasher.update(bytes_of(&motion_time));
            hasher.update(&[u8::from(present)]);
            hasher.update(cast_slice(&[velocity, angular_velocity, force, torque]));
            let beyond = [travel, travel_speed, conveyor_power];
            // Nothing new for those who do without.
            if beyond != [0.0; 3] {
                hasher.update(cast_slice(&beyond));
            }
        }
        hasher.update(cast_slice(inserters));
        hasher.update(bytes_of(random));
        hasher.update(bytes_of(n_removed));
        hasher.update(bytes_of(removed_mass));
        hasher.update(cast_slice(departed));
        hasher.update(cast_slice(crossed));
        for Members { is_known, ids } in groups {
            hasher.update(&[u8::from(*is_known)]);
            hasher.update(cast_slice(ids));
        }
        hasher.update(bytes_of(next_id));
        hasher.update(bytes_of(ledger));
        hasher.update(bytes_of(former_gravity));
        hasher.update(solver.solver().name().as_bytes());
        match solver {
            SolverState::Soft(soft) => soft.update(&mut hasher),
            SolverState::Stepped(stepped) => stepped.update(&mut hasher),
            SolverState::Events(events) => events.update(&mut hasher),
        }
        hasher.digest()
    }
}

impl FieldWriter for Xxh3 {
    type Error = Infallible;

    fn write<T: Pod>(&mut self, _: &'static str, values: &[T]) -> Result<(), Infallible> {
        self.update(cast_slice(values));
        Ok(())
    }
}

/// A wall in motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallState {
    /// Where the wall is.
    pub pose: Pose,
    /// Velocity of the pose's origin [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
    /// Force of the grains on the wall in the last step [N].
    pub force: DVec3,
    /// Torque of the grains on the wall about the pose's origin in the last step [N m].
    pub torque: DVec3,
    /// Where the wall was when its present motion was given to it.
    pub motion_pose: Pose,
    /// When that was [s]; the times of a motion count from there.
    pub motion_time: f64,
    /// How far a servo, or who pushes it, has moved the wall since then along the direction of that motion [m].
    pub travel: f64,
    /// How fast [m/s]: of a wall that is free at the end of the step, of a servo in its middle.
    pub travel_speed: f64,
    /// Power of the motion of the surface along itself on the grains in the last step [W].
    pub conveyor_power: f64,
    /// Whether the wall is there, as the model says: for who sees the state alone.
    pub present: bool,
}

impl WallState {
    /// A wall at rest, under no load.
    pub fn at_rest(pose: Pose) -> WallState {
        WallState {
            pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            motion_pose: pose,
            motion_time: 0.0,
            travel: 0.0,
            travel_speed: 0.0,
            conveyor_power: 0.0,
            present: true,
        }
    }

    /// Velocity of the wall's material at a point [m/s].
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.position)
    }
}

/// What gravity was before it was last changed. It goes over into the present one in [`crate::Model::gravity_ramp`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct FormerGravity {
    /// Acceleration [m/s^2].
    pub acceleration: DVec3,
    /// Until when it was so [s].
    pub until: f64,
}

/// How far an insertion has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct InserterState {
    /// Grains inserted so far.
    pub inserted: u64,
    /// Grains that are due but found no room yet.
    pub waiting: u64,
    /// Those of them that had been inserted when it was last switched on.
    pub before: u64,
    /// When that was [s]; the times of a stream count from there.
    pub since: f64,
}

/// Energy that came, went and was lost since the run began [J]. Losses and gains are positive in the sense of
/// their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Ledger {
    /// Energy of the start: kinetic, potential and elastic.
    pub initial: f64,
    /// Lost in normal dashpots.
    pub normal_dashpot: f64,
    /// Lost in tangential dashpots.
    pub tangential_dashpot: f64,
    /// Lost by slip.
    pub slip: f64,
    /// Lost by rolling resistance.
    pub rolling: f64,
    /// Elastic energy left in contacts that ended.
    pub contact_end: f64,
    /// Elastic tangential energy lost (or, if negative, gained) because the tangential stiffness changed under load, or the
    /// contact point of shaped grains moved.
    pub stiffness_change: f64,
    /// Lost to global drag.
    pub drag: f64,
    /// Work of moving walls on the grains.
    pub wall_work: f64,
    /// Brought in by changes of the model: of gravity, laws and materials, by walls that come and go.
    pub changed: f64,
    /// Kinetic and potential energy of inserted grains.
    pub inserted: f64,
    /// Kinetic and potential energy of removed grains.
    pub removed: f64,
    /// Most that was in play whenever the run's health was looked at (kinetic energy, losses and work), the scale of the
    /// residual.
    pub scale: f64,
}

/// Where everything was when the candidate lists were last built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reference {
    /// How often the lists were built; every so many builds the grains are sorted again.
    pub builds: u64,
    /// Positions of the grains, in their present order [m].
    pub positions: Vec<DVec3>,
    /// Poses of the walls.
    pub wall_poses: Vec<Pose>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_steps_end_where_they_should() {
        let mut state = State::default();
        for _ in 0..10_000_000 {
            state.advance_time(1e-6);
        }
        assert!((state.time - 10.0).abs() <= 1e-12, "{}", state.time);
    }

    #[test]
    fn steps_of_one_length_are_their_number_times_the_length_to_the_bit() {
        for time_step in [1e-6, 8.097e-6, 0.1, 1.0 / 3.0, 1e-9, 0.25] {
            let mut state = State::default();
            for n in 1..=100_000_u32 {
                state.advance_time(time_step);
                assert_eq!(state.time, f64::from(n) * time_step, "{n} steps of {time_step} s");
            }
        }
    }

    #[test]
    fn steps_of_many_lengths_lose_nothing() {
        // Their exact sum: a million times 1 s + 2^-40 s + 2^-60 s.
        let mut state = State::default();
        for _ in 0..1_000_000 {
            for power in [0, -40, -60] {
                state.advance_time(2f64.powi(power));
            }
        }
        let small = 1e6 * (2f64.powi(-40) + 2f64.powi(-60));
        assert_eq!(state.time, 1e6 + small);
        assert_eq!((state.time - 1e6) + state.time_remainder, small);
    }
}
