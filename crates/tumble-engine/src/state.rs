//! All that changes in a run. A restart is a `State`.

use crate::Particles;
use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use glam::DVec3;
use tumble_geometry::Pose;
use xxhash_rust::xxh3::Xxh3;

/// All that changes in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Steps done; the time is `step * time_step`.
    pub step: u64,
    /// Length of a step [s], fixed when the run began.
    pub time_step: f64,
    /// Skin of the candidate lists [m], fixed when the run began.
    pub skin: f64,
    /// The grains.
    pub particles: Particles,
    /// Memory of the touching pairs of spheres, in the order of the candidate list.
    pub pair_contacts: Vec<PairContact>,
    /// Memory of the touching pairs that are not both spheres, in the order of the candidate list.
    pub shaped_contacts: Vec<ShapedPairContact>,
    /// Memory of the touching grains and walls, in the order of the grains.
    pub wall_contacts: Vec<WallContact>,
    /// The walls' places, velocities and loads.
    pub walls: Vec<WallState>,
    /// How far each insertion has come.
    pub inserters: Vec<InserterState>,
    /// State of the random numbers.
    pub random: [u64; 4],
    /// Grains that left through an edge so far.
    pub n_removed: u64,
    /// The id the next grain gets.
    pub next_id: u32,
    /// Energy that came, went and was lost so far.
    pub ledger: Ledger,
    /// Where everything was when the candidate lists were last built. The lists are a function of this, so a
    /// restarted run has the same lists, in the same order, as one that was never interrupted.
    pub reference: Reference,
}

impl State {
    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// A fingerprint of all of it: equal for equal bits.
    pub fn hash(&self) -> u64 {
        let State {
            step,
            time_step,
            skin,
            particles,
            pair_contacts,
            shaped_contacts,
            wall_contacts,
            walls,
            inserters,
            random,
            n_removed,
            next_id,
            ledger,
            reference,
        } = self;
        let Particles {
            id,
            species,
            scale,
            radius,
            mass,
            inertia,
            position,
            velocity,
            orientation,
            angular_velocity,
            angular_momentum,
            force,
            torque,
            image,
        } = particles;
        let mut hasher = Xxh3::new();
        hasher.update(bytes_of(step));
        hasher.update(bytes_of(time_step));
        hasher.update(bytes_of(skin));
        hasher.update(cast_slice(id));
        hasher.update(cast_slice(species));
        hasher.update(cast_slice(scale));
        hasher.update(cast_slice(radius));
        hasher.update(cast_slice(mass));
        hasher.update(cast_slice(inertia));
        hasher.update(cast_slice(position));
        hasher.update(cast_slice(velocity));
        hasher.update(cast_slice(orientation));
        hasher.update(cast_slice(angular_velocity));
        hasher.update(cast_slice(angular_momentum));
        hasher.update(cast_slice(force));
        hasher.update(cast_slice(torque));
        hasher.update(cast_slice(image));
        hasher.update(cast_slice(pair_contacts));
        hasher.update(cast_slice(shaped_contacts));
        hasher.update(cast_slice(wall_contacts));
        for wall in walls {
            let WallState { pose, velocity, angular_velocity, force, torque } = wall;
            hasher.update(bytes_of(&pose.position));
            hasher.update(bytes_of(&pose.orientation));
            hasher.update(cast_slice(&[*velocity, *angular_velocity, *force, *torque]));
        }
        hasher.update(cast_slice(inserters));
        hasher.update(bytes_of(random));
        hasher.update(bytes_of(n_removed));
        hasher.update(bytes_of(next_id));
        hasher.update(bytes_of(ledger));
        let Reference { builds, positions, wall_poses } = reference;
        hasher.update(bytes_of(builds));
        hasher.update(cast_slice(positions));
        for pose in wall_poses {
            hasher.update(bytes_of(&pose.position));
            hasher.update(bytes_of(&pose.orientation));
        }
        hasher.digest()
    }
}

/// What a contact remembers from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct History {
    /// Elastic part of the friction force on a [N].
    pub tangential_force: DVec3,
    /// Tangential stiffness of the last step [N/m]; 0: the contact is new.
    pub tangential_stiffness: f64,
    /// Force of the normal dashpot in the last step [N], positive when it pushes apart.
    pub normal_dashpot_force: f64,
    /// Power of the tangential dashpot in the last step [W]; where friction was at its limit, minus the power foreseen for
    /// the next step.
    pub tangential_power: f64,
}

/// What a contact of shaped grains remembers besides: its twisting spring, and where friction's dashpot left off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PatchMemory {
    /// Elastic torque on a about the normal [N m].
    pub torque: f64,
    /// Its stiffness in the last step [N m]; 0: there was none.
    pub stiffness: f64,
    /// What the twisting dashpot took from the torque on a in the last step [N m].
    pub twist_dashpot: f64,
    /// What the friction dashpot took from the force on a in the last step [N].
    pub dashpot: DVec3,
}

/// A touching pair of parts, of grains of which at least one is no sphere (or of any grains under the volume law).
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ShapedPairContact {
    /// Id of grain a, the one the history's force acts on.
    pub a: u32,
    /// Id of grain b.
    pub b: u32,
    /// Which part of a.
    pub part_a: u32,
    /// Which part of b.
    pub part_b: u32,
    /// Normal of the last step, from a to b; the search for the next begins from it.
    pub normal: DVec3,
    /// From the centre of a to the contact point in the last step [m].
    pub arm: DVec3,
    /// What the contact remembers.
    pub history: History,
    /// What its patch remembers.
    pub patch: PatchMemory,
}

/// A touching pair of spheres.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PairContact {
    /// Id of grain a, the one the history's force acts on.
    pub a: u32,
    /// Id of grain b.
    pub b: u32,
    /// What the contact remembers.
    pub history: History,
    /// Elastic part of the rolling torque on a [N m].
    pub rolling_torque: DVec3,
}

/// A grain touching a wall.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct WallContact {
    /// Id of the grain.
    pub particle: u32,
    /// Place of the wall in the model.
    pub wall: u32,
    /// Feature of the wall's surface.
    pub feature: u32,
    /// Which part of the grain.
    pub part: u32,
    /// Normal of the last step, from the grain into the wall.
    pub normal: DVec3,
    /// From the centre of the grain to the contact point in the last step [m].
    pub arm: DVec3,
    /// What the contact remembers.
    pub history: History,
    /// Elastic part of the rolling torque on the grain [N m].
    pub rolling_torque: DVec3,
    /// What the contact's patch remembers.
    pub patch: PatchMemory,
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
}

impl WallState {
    /// Velocity of the wall's material at a point [m/s].
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.position)
    }
}

/// How far an insertion has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct InserterState {
    /// Grains inserted so far.
    pub inserted: u64,
    /// Grains that are due but found no room yet.
    pub waiting: u64,
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
