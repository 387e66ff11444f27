//! The law for bodies of any shape: one contact, or under a depth law four side by side.
//!
//! The springs, dashpots and friction are those of [`super::evaluate`]; what differs is where the normal force comes from and
//! that a contact has a width.
//!
//! - Depth law (linear or Hertz-Mindlin): the overlap is the minimum-translation depth, the force acts on the line through
//!   the witness points. It is the gradient of an energy that is continuous, but whose force jumps where the deepest
//!   feature changes; energy is conserved to first order in the step.
//! - Volume law: the energy is w(V) = K l^3 / m (V / l^3)^m of the shared volume V (with m = 3/2 quadratic in V for the smallest
//!   volumes, see `LINEAR_BELOW`), and force and torque are its gradient: with
//!   the vector area S and first moment G of a's surface in b, a force w' |S| along the normal S/|S| on the line
//!   (S x G) / |S|^2, and a couple w' (G . n) about it. K is such that two faces sharing an area l^2 have the stiffness
//!   that was asked for at a depth of l / 100.
//!   In terms of the equivalent depth V/|S| and the stiffness k = w' |S|^2 / V this looks like a linear spring, and a dashpot
//!   z sqrt(2 m_c) w' |S| / sqrt(w) on (dV/dt)/|S| gives the restitution that was asked for, at every speed and for every
//!   feature: for any energy U of one variable, y = sqrt(2 U) and a time scale ds = F / y dt make it the linear contact.
//!   It presses evenly: a face that is all in contact bears no moment, until a lean of depth over half width lifts an edge
//!   off. A grain on its end rests at that lean, not upright.
//!
//! Damping uses the effective mass of the contact with its lever arms, 1/m_c = sum over bodies of
//! 1/m + t . I^-1 t, t = r x n + pitch n, where pitch = (G . n)/|S| is the couple over the force.
//!
//! Twisting: a spring about the normal of stiffness k_t r^2 / 2, limited to 2/3 friction times the normal force times r, for a
//! contact patch of radius r.

use super::evaluate::{Kinematics, Losses, Memory, evaluate};
use super::{Coefficients, LawTable, VolumeExponent};
use tumble_geometry::lanes::{Lanes, Vector};
use tumble_geometry::tolerance::LAW_REGION;

/// Volume over the reference volume below which the pressure of exponent 3/2 goes over from the root of the volume to the volume
/// itself [1]. With the root alone two faces are the stiffer the less they press, without bound: whatever the step, what
/// presses lightly enough would chatter. So they become at most 133 times as stiff as they are at a depth of l / 100, which the
/// automatic step, a hundredth of the contact time there, still follows in nine steps a contact.
const LINEAR_BELOW: f64 = 1e-6;

/// Most of Newton's steps to a volume.
const MOST_STEPS: usize = 100;

/// The volume law of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeLaw {
    /// Pressure at the reference volume, K [Pa].
    pub pressure: f64,
    /// The reference volume l^3 [m^3].
    pub reference: f64,
    /// The exponent m.
    pub exponent: VolumeExponent,
    /// Relative error allowed in volumes and areas of curved bodies [1].
    pub region_tolerance: f64,
}

impl VolumeLaw {
    /// The law that gives two faces of area `length`^2 a stiffness [N/m] at a depth of a hundredth of `length` [m].
    pub fn new(normal_stiffness: f64, length: f64, exponent: VolumeExponent, region_tolerance: f64) -> VolumeLaw {
        let pressure = normal_stiffness / length * 0.01_f64.powf(2.0 - exponent.value());
        VolumeLaw { pressure, reference: length.powi(3), exponent, region_tolerance }
    }

    /// The law of pressure as one of the integral M of the depth, in the place of the volume: w(M) = 2 kappa M, for a stiffness over
    /// area kappa [Pa/m]. Regions are exact.
    pub fn of_depths(stiffness_per_area: f64) -> VolumeLaw {
        let pressure = 2.0 * stiffness_per_area;
        VolumeLaw { pressure, reference: 1.0, exponent: VolumeExponent::One, region_tolerance: LAW_REGION }
    }

    /// The pressure w'(V) [Pa].
    #[inline(always)]
    pub fn pressure<L: Lanes>(&self, volume: L) -> L {
        let relative = volume / L::splat(self.reference);
        let growth = match self.exponent {
            VolumeExponent::One => L::splat(1.0),
            VolumeExponent::ThreeHalves => {
                let shifted = relative + L::splat(LINEAR_BELOW);
                relative * (relative + L::splat(4.0 / 3.0 * LINEAR_BELOW)) / (shifted * shifted.sqrt())
            }
            VolumeExponent::Two => relative,
        };
        L::splat(self.pressure) * growth
    }

    /// The energy w(V) [J].
    #[inline(always)]
    pub fn energy<L: Lanes>(&self, volume: L) -> L {
        let relative = volume / L::splat(self.reference);
        let growth = match self.exponent {
            VolumeExponent::One => L::splat(1.0),
            VolumeExponent::ThreeHalves => relative / (relative + L::splat(LINEAR_BELOW)).sqrt(),
            VolumeExponent::Two => relative,
        };
        L::splat(self.pressure) * growth * volume / L::splat(self.exponent.value())
    }

    /// The volume that has an energy [m^3], from one that is no smaller: the energy is convex, so that Newton's steps come from above.
    pub fn volume_of(&self, energy: f64, largest: f64) -> f64 {
        let mut volume = largest;
        for _ in 0..MOST_STEPS {
            let next = volume - (self.energy(volume) - energy) / self.pressure(volume);
            if next >= volume || next <= 0.0 || next.is_nan() {
                break;
            }
            volume = next;
        }
        volume
    }
}

/// What the law needs to know of a contact between bodies of any shape.
#[derive(Clone, Copy, Debug)]
pub struct ShapedContact<L> {
    /// As for spheres; under the volume law the overlap is V/|S|, and the velocity along the normal is (dV/dt)/|S|.
    pub kinematics: Kinematics<L>,
    /// Couple about the normal over the normal force [m].
    pub pitch: L,
    /// Radius of the contact patch [m].
    pub patch_radius: L,
    /// Moment of inertia of the relative twist about the normal [kg m^2].
    pub twist_inertia: L,
    /// Relative velocity at the contact point of the last step, where the dashpots' last forces acted [m/s]; not used for a
    /// new contact.
    pub velocity_before: Vector<L>,
    /// The same along the normal of the last step [m/s].
    pub approach_before: L,
    /// Under a depth law, how fast the depth grows with the way that the bodies go into each other [1]
    /// ([`Coefficients::with_factor`]).
    pub slope: L,
    /// How fast the contact point is set moving across the normal by a unit normal force, its couple included [1/kg].
    pub sideways: L,
    /// How fast a unit force in that direction sets it moving that way [1/kg].
    pub sideways_compliance: L,
    /// Under the volume law, the shared volume [m^3] and the size of its vector area [m^2].
    pub volume: L,
    /// See `volume`.
    pub area: L,
}

/// What the patch of a contact remembers: see [`PatchMemory`].
#[derive(Clone, Copy, Debug)]
pub struct Patch<L> {
    /// Elastic torque on a about the normal [N m].
    pub torque: L,
    /// Its stiffness in the last step [N m]; 0: there was none.
    pub stiffness: L,
    /// What the twisting dashpot took from the torque on a in the last step [N m].
    pub twist_dashpot: L,
    /// What the friction dashpot took from the force on a in the last step [N].
    pub dashpot: Vector<L>,
}

impl<L: Lanes> Default for Patch<L> {
    #[inline(always)]
    fn default() -> Patch<L> {
        let zero = L::default();
        Patch { torque: zero, stiffness: zero, twist_dashpot: zero, dashpot: Vector::default() }
    }
}

impl<L: Lanes> Patch<L> {
    /// What patches remember, from their columns in a history.
    #[inline(always)]
    pub fn load(columns: &[[f64; 4]]) -> Patch<L> {
        Patch {
            torque: L::load(&columns[0]),
            stiffness: L::load(&columns[1]),
            twist_dashpot: L::load(&columns[2]),
            dashpot: Vector::load(&columns[3..]),
        }
    }

    /// Keeps it there.
    #[inline(always)]
    pub fn store(&self, columns: &mut [[f64; 4]]) {
        self.torque.store(&mut columns[0]);
        self.stiffness.store(&mut columns[1]);
        self.twist_dashpot.store(&mut columns[2]);
        self.dashpot.store(&mut columns[3..]);
    }
}

/// What a contact between bodies of any shape does.
#[derive(Clone, Copy, Debug)]
pub struct ShapedResponse<L> {
    /// Force on a [N]; b feels the opposite.
    pub force: Vector<L>,
    /// Couple on a besides the moment of the force at the contact point [N m]; b feels the opposite.
    pub couple: Vector<L>,
    /// What the contact will remember.
    pub memory: Memory<L>,
    /// What its patch will remember.
    pub patch: Patch<L>,
    /// Energy of the normal spring [J].
    pub normal_energy: L,
}

/// Evaluates contacts side by side after a step of length `dt`; with `dt = 0` it only looks. Energy lost in the step is added to
/// `losses`.
#[inline(always)]
pub fn evaluate_shaped<L: Lanes, const HERTZ: bool>(
    table: &LawTable,
    coefficients: &Coefficients<L>,
    contact: &ShapedContact<L>,
    memory: &Memory<L>,
    patch: &Patch<L>,
    dt: f64,
    losses: &mut Losses<L>,
) -> ShapedResponse<L> {
    let Some(law) = table.volume else {
        let local = coefficients.with_factor::<HERTZ>(contact.slope);
        return evaluate_patch::<L, HERTZ>(table, &local, contact, memory, patch, dt, losses);
    };
    let (volume, area) = (contact.volume, contact.area);
    let stiffness = law.pressure(volume) * area * area / volume;
    // The dashpot grows without bound towards V = 0 for exponents below 2, if slowly. Where a step begins or ends there by
    // chance must not matter: it is taken where the contact is after half a step.
    let approach = contact.kinematics.relative_velocity.dot(contact.kinematics.normal);
    let passed = volume.max(L::splat(0.5 * dt) * approach.max(-approach) * area);
    let heavier = heavier_by_friction(contact, coefficients.friction);
    let root_mass = (contact.kinematics.effective_mass * heavier).sqrt();
    let critical = law.pressure(passed) * area * (L::splat(2.0) / law.energy(passed)).sqrt();
    let wanted = coefficients.damping_ratio * critical;
    // The dashpot is told the velocity of half a step ago, which makes it stronger than it is meant to be.
    let lag = L::splat(0.25 * dt) * wanted / root_mass;
    let followed = wanted * ((L::splat(1.0) + lag * lag).sqrt() - lag);
    let local = Coefficients {
        normal_stiffness: stiffness,
        normal_damping: followed * heavier.sqrt() * first_step(contact, memory, approach, dt),
        ..*coefficients
    };
    let response = evaluate_patch::<L, false>(table, &local, contact, memory, patch, dt, losses);
    ShapedResponse { normal_energy: law.energy(volume), ..response }
}

/// By how much friction that holds makes a contact heavier [1]. A corner beside the centre of its body evades sideways when it is
/// pressed, unless friction holds it: a force across of `sideways` over `sideways_compliance` of the normal one, or of
/// `friction` if that is less, takes from the approach what that sideways motion had given.
#[inline(always)]
fn heavier_by_friction<L: Lanes>(contact: &ShapedContact<L>, friction: L) -> L {
    let (sideways, one) = (contact.sideways, L::splat(1.0));
    let held = (sideways / contact.sideways_compliance).min(friction);
    one / (one - held * sideways * contact.kinematics.effective_mass)
}

/// By how much the dashpot of a new contact counts in its first step [1]; 1 for others. Its kick stands for the half step before
/// and the half step after, and the contact began somewhere in the step before: it counts for as long as there was one. Without
/// this the restitution would depend on where in a step a contact happens to begin.
#[inline(always)]
fn first_step<L: Lanes>(contact: &ShapedContact<L>, memory: &Memory<L>, approach: L, dt: f64) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let way = approach * L::splat(dt);
    let comes = way.greater(zero);
    let ago = (contact.kinematics.overlap / L::select(comes, way, one)).min(one);
    let share = L::select(comes, L::splat(0.5) + ago, one);
    L::select(memory.tangential_stiffness.greater(zero), one, share)
}

/// The same once it is known how stiff the contacts are.
#[inline(always)]
fn evaluate_patch<L: Lanes, const HERTZ: bool>(
    table: &LawTable,
    coefficients: &Coefficients<L>,
    contact: &ShapedContact<L>,
    memory: &Memory<L>,
    patch: &Patch<L>,
    dt: f64,
    losses: &mut Losses<L>,
) -> ShapedResponse<L> {
    let (zero, half, half_dt) = (L::splat(0.0), L::splat(0.5), L::splat(0.5 * dt));
    let mut lost = Losses::default();
    let response = evaluate::<L, HERTZ, false>(table, coefficients, &contact.kinematics, memory, dt, &mut lost);
    let (normal, velocity) = (contact.kinematics.normal, contact.kinematics.relative_velocity);
    let normal_force = zero - response.force.dot(normal);
    // The last forces of the dashpots still acted over the first half of the step, at their own point: their work is
    // booked there, which matters when the contact point jumps.
    let approach = velocity.dot(normal);
    lost.normal_dashpot += half_dt * memory.normal_dashpot_force * (contact.approach_before - approach);
    let dashpot = response.memory.tangential_force - (response.force + normal * normal_force);
    // So did the friction spring, while its new force and energy follow from the velocity at the new point.
    let moved = velocity - contact.velocity_before;
    let is_old = memory.tangential_stiffness.greater(zero);
    lost.stiffness_change += (half_dt * memory.tangential_force.dot(moved)).only(is_old);
    lost.tangential_dashpot = half_dt * (patch.dashpot.dot(contact.velocity_before) + dashpot.dot(velocity));
    let twisting = Twisting {
        stiffness: half * response.memory.tangential_stiffness * contact.patch_radius * contact.patch_radius,
        limit: L::splat(2.0 / 3.0) * coefficients.friction * normal_force.max(zero) * contact.patch_radius,
        damping_ratio: coefficients.damping_ratio,
        inertia: contact.twist_inertia,
        rate: contact.kinematics.relative_spin.dot(normal),
    };
    let (twist, torque) = twisting.evaluate(patch, dt, &mut lost);
    *losses += lost;
    ShapedResponse {
        force: response.force,
        couple: normal * (torque - contact.pitch * normal_force),
        // The power is for spheres, which book their dashpot by it.
        memory: Memory { tangential_power: zero, ..response.memory },
        patch: Patch { dashpot, ..twist },
        normal_energy: response.normal_energy,
    }
}

/// The twisting spring of a contact.
struct Twisting<L> {
    stiffness: L,
    limit: L,
    damping_ratio: L,
    inertia: L,
    rate: L,
}

impl<L: Lanes> Twisting<L> {
    /// Its new memory, and the torque on a about the normal with the dashpot.
    #[inline(always)]
    fn evaluate(&self, old: &Patch<L>, dt: f64, losses: &mut Losses<L>) -> (Patch<L>, L) {
        let Twisting { stiffness, limit, rate, .. } = *self;
        let (zero, one, half) = (L::splat(0.0), L::splat(1.0), L::splat(0.5));
        let half_dt = L::splat(0.5 * dt);
        losses.tangential_dashpot += half_dt * rate * old.twist_dashpot;
        let acts = stiffness.greater(zero);
        // Where there is no spring any more, what the old one held is lost.
        let had = old.stiffness.greater(zero);
        let held = half * old.torque * old.torque / L::select(had, old.stiffness, one);
        losses.contact_end += (held - half_dt * rate * old.torque).only(had).except(acts);
        let compliance = (one / L::select(acts, stiffness, one)).only(acts);
        // As with friction under Hertz: the torque is kept when stiffness rises and scaled down with it when it falls.
        let change = stiffness / L::select(had, old.stiffness, L::select(acts, stiffness, one));
        let kept = change.min(one);
        let spring = old.torque * kept;
        losses.stiffness_change += (half * old.torque * old.torque * (change - kept * kept) * compliance
            - half_dt * rate * (old.torque - spring))
            .only(acts);
        let trial = spring - stiffness * rate * L::splat(dt);
        // At the limit the spring slips and the dashpot rests; below it their sum is limited too.
        let at_limit = L::select(trial.greater(zero), limit, zero - limit);
        let slips = trial.max(zero - trial).greater(limit);
        losses.slip += (half * (spring + at_limit) * (trial - at_limit) * compliance).only(slips);
        let damping = L::splat(2.0) * self.damping_ratio * (stiffness * self.inertia).sqrt();
        let damped = (trial - damping * rate).max(zero - limit).min(limit);
        let torque = L::select(slips, at_limit, damped).only(acts);
        let held = L::select(slips, at_limit, trial).only(acts);
        let twist_dashpot = held - torque;
        losses.tangential_dashpot += half_dt * rate * twist_dashpot;
        let patch = Patch { torque: held, stiffness: stiffness.only(acts), twist_dashpot, dashpot: old.dashpot };
        (patch, torque)
    }
}
