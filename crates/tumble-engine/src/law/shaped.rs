//! The law for bodies of any shape, one contact at a time.
//!
//! The springs, dashpots and friction are those of [`super::evaluate`]; what differs is where the normal force comes from and
//! that a contact has a width.
//!
//! - Depth law (linear or Hertz-Mindlin): the overlap is the minimum-translation depth, the force acts on the line through
//!   the witness points. It is the gradient of an energy that is continuous, but whose force jumps where the deepest
//!   feature changes; energy is conserved to first order in the step.
//! - Volume law: the energy is w(V) = K l^3 / m (V / l^3)^m of the shared volume V, and force and torque are its gradient: with
//!   the vector area S and first moment G of a's surface in b, a force w' |S| along the normal S/|S| on the line
//!   (S x G) / |S|^2, and a couple w' (G . n) about it. K is such that two faces sharing an area l^2 have the stiffness
//!   that was asked for at a depth of l / 100.
//!   In terms of the equivalent depth V/|S| and the stiffness k = w' |S|^2 / V this looks like a linear spring, and its
//!   dashpot z sqrt(2 m k m_c) |S| dV/dt gives the restitution that was asked for, at every speed and for every feature.
//!
//! Damping uses the effective mass of the contact with its lever arms, 1/m_c = sum over bodies of
//! 1/m + t . I^-1 t, t = r x n + pitch n, where pitch = (G . n)/|S| is the couple over the force.
//!
//! Twisting: a spring about the normal of stiffness k_t r^2 / 2, limited to 2/3 friction times the normal force times r, for a
//! contact patch of radius r.

use super::evaluate::{Kinematics, Losses, Memory, Response, evaluate};
use super::{Coefficients, LawTable};
use crate::state::PatchMemory;
use glam::DVec3;

/// The volume law of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeLaw {
    /// Pressure at the reference volume, K [Pa].
    pub pressure: f64,
    /// The reference volume l^3 [m^3].
    pub reference: f64,
    /// The exponent m [1].
    pub exponent: f64,
    /// Relative error allowed in volumes and areas of curved bodies [1].
    pub region_tolerance: f64,
}

impl VolumeLaw {
    /// The law that gives two faces of area `length`^2 a stiffness [N/m] at a depth of a hundredth of `length` [m].
    pub fn new(normal_stiffness: f64, length: f64, exponent: f64, region_tolerance: f64) -> VolumeLaw {
        let pressure = normal_stiffness / length * 0.01_f64.powf(2.0 - exponent);
        VolumeLaw { pressure, reference: length.powi(3), exponent, region_tolerance }
    }

    /// The pressure w'(V) [Pa].
    pub fn pressure(&self, volume: f64) -> f64 {
        let relative = volume / self.reference;
        self.pressure
            * match self.exponent {
                1.0 => 1.0,
                1.5 => relative.sqrt(),
                2.0 => relative,
                m => relative.powf(m - 1.0),
            }
    }

    /// The energy w(V) [J].
    pub fn energy(&self, volume: f64) -> f64 {
        self.pressure(volume) * volume / self.exponent
    }
}

/// What the law needs to know of a contact between bodies of any shape.
#[derive(Clone, Copy, Debug)]
pub struct ShapedContact {
    /// As for spheres; under the volume law the overlap is V/|S|, and the velocity along the normal is (dV/dt)/|S|.
    pub kinematics: Kinematics<f64>,
    /// Couple about the normal over the normal force [m]; zero under a depth law.
    pub pitch: f64,
    /// Radius of the contact patch [m].
    pub patch_radius: f64,
    /// Moment of inertia of the relative twist about the normal [kg m^2].
    pub twist_inertia: f64,
    /// Relative velocity at the contact point of the last step, where the dashpots' last forces acted [m/s]; not used for a
    /// new contact.
    pub velocity_before: DVec3,
    /// The same along the normal of the last step [m/s].
    pub approach_before: f64,
    /// Shared volume [m^3] and the size of its vector area [m^2], under the volume law.
    pub volume: Option<(f64, f64)>,
}

/// What a contact between bodies of any shape does.
#[derive(Clone, Copy, Debug)]
pub struct ShapedResponse {
    /// Force on a [N]; b feels the opposite.
    pub force: DVec3,
    /// Couple on a besides the moment of the force at the contact point [N m]; b feels the opposite.
    pub couple: DVec3,
    /// What the contact will remember.
    pub memory: Memory<f64>,
    /// What its patch will remember.
    pub patch: PatchMemory,
    /// Energy of the normal spring [J].
    pub normal_energy: f64,
    /// Energy of the friction spring, sliding and twisting [J].
    pub tangential_energy: f64,
}

/// Evaluates a contact after a step of length `dt`; with `dt = 0` it only looks. Energy lost in the step is added to
/// `losses`.
pub fn evaluate_shaped<const HERTZ: bool>(
    table: &LawTable,
    coefficients: &Coefficients<f64>,
    contact: &ShapedContact,
    memory: &Memory<f64>,
    patch: &PatchMemory,
    dt: f64,
    losses: &mut Losses<f64>,
) -> ShapedResponse {
    let mut lost = Losses::default();
    let (response, normal_energy): (Response<f64>, f64) = match (table.volume, contact.volume) {
        (Some(law), Some((volume, area))) => {
            let stiffness = law.pressure(volume) * area * area / volume;
            // The dashpot grows without bound towards V = 0 for exponents below 2, if slowly. Where a step begins or ends
            // there by chance must not matter: it is taken where the contact is after half a step.
            let approach = DVec3::from(contact.kinematics.relative_velocity).dot(contact.kinematics.normal.into());
            let passed = volume.max(0.5 * dt * approach.abs() * area);
            let damped_stiffness = law.pressure(passed) * area * area / passed;
            let local = Coefficients {
                normal_stiffness: stiffness,
                normal_damping: coefficients.damping_ratio * (2.0 * law.exponent * damped_stiffness).sqrt(),
                ..*coefficients
            };
            let response = evaluate::<f64, false, false>(table, &local, &contact.kinematics, memory, dt, &mut lost);
            (response, law.energy(volume))
        }
        _ => {
            let response =
                evaluate::<f64, HERTZ, false>(table, coefficients, &contact.kinematics, memory, dt, &mut lost);
            (response, response.normal_energy)
        }
    };
    let normal = DVec3::from(contact.kinematics.normal);
    let velocity = DVec3::from(contact.kinematics.relative_velocity);
    let force = DVec3::from(response.force);
    let normal_force = -force.dot(normal);
    // The last forces of the dashpots still acted over the first half of the step, at their own point: their work is
    // booked there, which matters when the contact point jumps.
    let approach = velocity.dot(normal);
    lost.normal_dashpot += 0.5 * dt * memory.normal_dashpot_force * (contact.approach_before - approach);
    let dashpot = DVec3::from(response.memory.tangential_force) - (force + normal * normal_force);
    if memory.tangential_stiffness > 0.0 {
        // So did the friction spring, while its new force and energy follow from the velocity at the new point.
        let moved = velocity - contact.velocity_before;
        lost.stiffness_change += 0.5 * dt * DVec3::from(memory.tangential_force).dot(moved);
    }
    lost.tangential_dashpot = 0.5 * dt * (patch.dashpot.dot(contact.velocity_before) + dashpot.dot(velocity));
    let stiffness = 0.5 * response.memory.tangential_stiffness * contact.patch_radius * contact.patch_radius;
    let limit = 2.0 / 3.0 * coefficients.friction * normal_force.max(0.0) * contact.patch_radius;
    let damping = 2.0 * coefficients.damping_ratio * (stiffness * contact.twist_inertia).sqrt();
    let rate = DVec3::from(contact.kinematics.relative_spin).dot(normal);
    let (twist, torque) = evaluate_twist(patch, stiffness, damping, limit, rate, dt, &mut lost);
    *losses += lost;
    let twist_energy = if twist.stiffness > 0.0 { 0.5 * twist.torque * twist.torque / twist.stiffness } else { 0.0 };
    ShapedResponse {
        force,
        couple: normal * (torque - contact.pitch * normal_force),
        // The power is for spheres, which book their dashpot by it.
        memory: Memory { tangential_power: 0.0, ..response.memory },
        patch: PatchMemory { dashpot, ..twist },
        normal_energy,
        tangential_energy: response.tangential_energy + twist_energy,
    }
}

/// The twisting spring: its new memory, and the torque on a about the normal with the dashpot.
fn evaluate_twist(
    old: &PatchMemory,
    stiffness: f64,
    damping: f64,
    limit: f64,
    rate: f64,
    dt: f64,
    losses: &mut Losses<f64>,
) -> (PatchMemory, f64) {
    if stiffness <= 0.0 {
        if old.stiffness > 0.0 {
            losses.contact_end += 0.5 * old.torque * old.torque / old.stiffness - 0.5 * dt * rate * old.torque;
            losses.tangential_dashpot += 0.5 * dt * rate * old.twist_dashpot;
        }
        return (PatchMemory::default(), 0.0);
    }
    let mut spring = old.torque;
    if old.stiffness > 0.0 {
        // As with friction under Hertz: the torque is kept when stiffness rises and scaled down with it when it falls.
        let change = stiffness / old.stiffness;
        let kept = change.min(1.0);
        spring = old.torque * kept;
        losses.stiffness_change += 0.5 * old.torque * old.torque * (change - kept * kept) / stiffness
            - 0.5 * dt * rate * (old.torque - spring);
    }
    let trial = spring - stiffness * rate * dt;
    losses.tangential_dashpot += 0.5 * dt * rate * old.twist_dashpot;
    if trial.abs() > limit {
        let torque = limit.copysign(trial);
        losses.slip += 0.5 * (spring + torque) * (trial - torque) / stiffness;
        return (PatchMemory { torque, stiffness, twist_dashpot: 0.0, ..*old }, torque);
    }
    let torque = (trial - damping * rate).clamp(-limit, limit);
    let twist_dashpot = trial - torque;
    losses.tangential_dashpot += 0.5 * dt * rate * twist_dashpot;
    (PatchMemory { torque: trial, stiffness, twist_dashpot, ..*old }, torque)
}
