//! The law itself: force, couple, new memory and losses of one contact.
//!
//! Normal: k_n S overlap + c_n sqrt(m S) approach, never negative if clamped. Friction: an elastic force that grows by
//! -k_t S v_t dt, turns with the contact, is scaled down when its stiffness falls, and together with its dashpot is
//! limited to friction times the normal force (the clamped one, dashpot included). Rolling: an elastic torque that
//! grows by -k_r (rolling rate) dt, limited to rolling friction times R* times the normal force, with a dashpot below
//! the limit (Ai et al. 2011, model C).
//!
//! Energy: work is booked by the trapezoidal rule over the step that just ended, because this is what the kicks of
//! velocity Verlet do. The normal dashpot keeps its last force for this. The friction dashpot, a small term, keeps its
//! last power and takes the mean of old and new for the product of old force and new velocity.

use super::{Coefficients, LawTable};
use crate::state::History;
use glam::DVec3;

/// What the law needs to know of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics {
    /// Unit normal, from a to b.
    pub normal: DVec3,
    /// Overlap [m], positive.
    pub overlap: f64,
    /// Velocity of a relative to b at the contact point [m/s].
    pub relative_velocity: DVec3,
    /// Angular velocity of a relative to b [rad/s].
    pub relative_spin: DVec3,
    /// Mean angular velocity about the normal [rad/s].
    pub mean_twist: f64,
    /// Effective mass of the contact [kg].
    pub effective_mass: f64,
    /// Effective radius of the contact [m].
    pub effective_radius: f64,
}

/// What a contact remembers, with its rolling part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Springs and dashpots of the last step.
    pub history: History,
    /// Elastic rolling torque on a [N m].
    pub rolling_torque: DVec3,
}

/// Energy lost in one step [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// In the normal dashpot.
    pub normal_dashpot: f64,
    /// In the friction dashpot.
    pub tangential_dashpot: f64,
    /// By slip.
    pub slip: f64,
    /// By rolling resistance.
    pub rolling: f64,
    /// Because a spring's stiffness changed under load.
    pub stiffness_change: f64,
    /// Elastic energy left when a contact ended.
    pub contact_end: f64,
}

impl std::ops::AddAssign for Losses {
    #[inline(always)]
    fn add_assign(&mut self, other: Losses) {
        self.normal_dashpot += other.normal_dashpot;
        self.tangential_dashpot += other.tangential_dashpot;
        self.slip += other.slip;
        self.rolling += other.rolling;
        self.stiffness_change += other.stiffness_change;
        self.contact_end += other.contact_end;
    }
}

/// What a contact does.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// Force on a [N]; b feels the opposite.
    pub force: DVec3,
    /// Couple on a, besides the moment of the force [N m]; b feels the opposite.
    pub couple: DVec3,
    /// What the contact will remember.
    pub memory: Memory,
    /// Energy of the normal spring [J].
    pub normal_energy: f64,
    /// Energy of the friction spring [J].
    pub tangential_energy: f64,
    /// Energy of the rolling spring [J].
    pub rolling_energy: f64,
}

/// Evaluates a contact after a step of length `dt`; with `dt = 0` it only looks, and the memory comes back unchanged
/// but for the dashpots. Energy lost in the step is added to `losses`.
///
/// `HERTZ` and `ROLLING` choose the law's form when the code is compiled, so that the loop over contacts pays for
/// nothing it does not use.
#[inline(always)]
pub fn evaluate<const HERTZ: bool, const ROLLING: bool>(
    table: &LawTable,
    c: &Coefficients,
    k: &Kinematics,
    memory: &Memory,
    dt: f64,
    losses: &mut Losses,
) -> Response {
    let old = &memory.history;
    let n = k.normal;
    let s = if HERTZ { (k.effective_radius * k.overlap).sqrt() } else { 1.0 };
    let damping_scale = if HERTZ { (k.effective_mass * s).sqrt() } else { k.effective_mass.sqrt() };

    // Normal.
    let approach = k.relative_velocity.dot(n);
    let elastic = c.normal_stiffness * s * k.overlap;
    let mut normal_force = elastic + c.normal_damping * damping_scale * approach;
    if table.clamped && normal_force < 0.0 {
        normal_force = 0.0;
    }
    let dashpot = normal_force - elastic;
    losses.normal_dashpot += 0.5 * dt * approach * (old.normal_dashpot_force + dashpot);

    // The friction spring turns with the contact: about the normal with the bodies, and with the normal itself.
    let tangential_velocity = k.relative_velocity - n * approach;
    let stiffness = c.tangential_stiffness * s;
    let turn = |v: DVec3| {
        let twisted = v + n.cross(v) * (k.mean_twist * dt);
        let projected = twisted - n * n.dot(twisted);
        let (before, after) = (v.length_squared(), projected.length_squared());
        if after > 0.0 { projected * (before / after).sqrt() } else { projected }
    };
    let is_old = old.tangential_stiffness > 0.0;
    let mut spring = old.tangential_force;
    let mut ratio = 1.0;
    if is_old {
        spring = turn(spring);
        if HERTZ {
            let energy_before = spring.length_squared() / old.tangential_stiffness;
            if table.rescaled && stiffness < old.tangential_stiffness {
                ratio = stiffness / old.tangential_stiffness;
                spring *= ratio;
            }
            losses.stiffness_change += 0.5 * (energy_before - spring.length_squared() / stiffness);
        }
    }
    let trial = spring - tangential_velocity * (stiffness * dt);
    let damping = c.tangential_damping * damping_scale;
    let wanted = trial - tangential_velocity * damping;
    let limit = c.friction * normal_force;
    let wanted_squared = wanted.length_squared();
    let (friction, new_spring, tangential_power);
    if wanted_squared > limit * limit {
        friction = wanted * (limit / wanted_squared.sqrt());
        new_spring = friction;
        tangential_power = 0.0;
        losses.slip += 0.5 * (spring + friction).dot(trial - friction) / stiffness;
    } else {
        friction = wanted;
        new_spring = trial;
        tangential_power = damping * tangential_velocity.length_squared();
        let share = if is_old { 0.25 * old.tangential_power + 0.75 * tangential_power } else { 0.5 * tangential_power };
        losses.tangential_dashpot += share * dt;
    }

    let mut couple = DVec3::ZERO;
    let mut rolling_torque = DVec3::ZERO;
    let mut rolling_energy = 0.0;
    if ROLLING && c.rolling_friction > 0.0 {
        let rate = k.relative_spin - n * k.relative_spin.dot(n);
        let radius = k.effective_radius;
        let rolling_stiffness = c.rolling_stiffness * s * radius * radius;
        let mut torque = memory.rolling_torque;
        if is_old {
            torque = turn(torque);
            if HERTZ {
                let old_stiffness = rolling_stiffness * old.tangential_stiffness / stiffness;
                let energy_before = torque.length_squared() / old_stiffness;
                torque *= ratio;
                losses.stiffness_change += 0.5 * (energy_before - torque.length_squared() / rolling_stiffness);
            }
        }
        let trial = torque - rate * (rolling_stiffness * dt);
        let limit = c.rolling_friction * radius * normal_force;
        let trial_squared = trial.length_squared();
        if trial_squared > limit * limit {
            rolling_torque = trial * (limit / trial_squared.sqrt());
            couple = rolling_torque;
            losses.rolling += 0.5 * (torque + rolling_torque).dot(trial - rolling_torque) / rolling_stiffness;
        } else {
            rolling_torque = trial;
            // Spheres: I + m R^2 = 7/5 m R^2, combined over both bodies.
            let inertia = 1.4 * k.effective_mass * radius * radius;
            let damping = 2.0 * c.rolling_damping * (inertia * rolling_stiffness).sqrt();
            couple = trial - rate * damping;
            losses.rolling += damping * rate.length_squared() * dt;
        }
        rolling_energy = 0.5 * rolling_torque.length_squared() / rolling_stiffness;
    }

    Response {
        force: friction - n * normal_force,
        couple,
        memory: Memory {
            history: History {
                tangential_force: new_spring,
                tangential_stiffness: stiffness,
                normal_dashpot_force: dashpot,
                tangential_power,
            },
            rolling_torque,
        },
        normal_energy: if HERTZ { 0.4 } else { 0.5 } * elastic * k.overlap,
        tangential_energy: 0.5 * new_spring.length_squared() / stiffness,
        rolling_energy,
    }
}
