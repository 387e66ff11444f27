//! The law itself: force, couple, new memory and losses of one contact, or of four side by side.
//!
//! Normal: k_n S overlap + c_n sqrt(m S) approach, never negative if clamped. Friction: an elastic force that grows by
//! -k_t S v_t dt, turns with the contact, is scaled down when its stiffness falls, and is limited to friction times the
//! normal force (the clamped one, dashpot included); its dashpot acts while the contact sticks. Rolling: an elastic torque that
//! grows by -k_r (rolling rate) dt, with a dashpot below the limit, rolling friction times R* times the normal force (Ai et
//! al. 2011, model C, except that the sum of spring and dashpot is limited too: a grain that lands rolling fast would
//! otherwise be stopped by a dashpot many times stronger than the friction that was asked for).
//!
//! Energy: work is booked by the trapezoidal rule over the step that just ended, because this is what the kicks of
//! velocity Verlet do, and the old forces are taken as they acted, neither turned nor scaled down. The normal dashpot keeps its
//! last force for this. The friction dashpot keeps its last power: the work of its old force at the new velocity is the geometric
//! mean of old and new power as long as the contact slides in one direction.
//!
//! What velocity Verlet keeps is not the energy itself but, with a spring of tangent stiffness k, that plus
//! dt^2 / 12 (k v^2 - F^2 / 2m) (backward error analysis: Hairer, Lubich and Wanner 2006, chapter IX). This is the same where nothing
//! touches, and a force F_d against the velocity v takes F_d v (1 + k dt^2 / 6m) from it, not F_d v: so the normal dashpot's
//! work is booked. A friction spring grows by increments, of which the trapezoidal rule gives the work exactly.
//!
//! There are next to no branches on the contact's state, so that four contacts can go through in four lanes.

use super::LawTable;
use super::coefficients::Coefficients;
use crate::state::Groups;
use glam::DVec3;
use tumble_geometry::lanes::{Lanes, Vector};

/// What the law needs to know of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<L> {
    /// Unit normal, from a to b.
    pub normal: Vector<L>,
    /// Overlap [m], positive.
    pub overlap: L,
    /// Velocity of a relative to b at the contact point [m/s].
    pub relative_velocity: Vector<L>,
    /// Angular velocity of a relative to b [rad/s].
    pub relative_spin: Vector<L>,
    /// Mean angular velocity about the normal [rad/s].
    pub mean_twist: L,
    /// Effective mass of the contact [kg].
    pub effective_mass: L,
    /// Effective radius of the contact [m].
    pub effective_radius: L,
}

/// What a contact remembers from one step to the next.
#[derive(Clone, Copy, Debug)]
pub struct Memory<L> {
    /// Elastic part of the friction force on a [N].
    pub tangential_force: Vector<L>,
    /// Tangential stiffness of the last step [N/m]; 0: the contact is new.
    pub tangential_stiffness: L,
    /// Force of the normal dashpot in the last step [N].
    pub normal_dashpot_force: L,
    /// Power of the tangential dashpot in the last step [W]; where friction was at its limit, minus the power foreseen for
    /// the next step.
    pub tangential_power: L,
    /// Elastic rolling torque on a [N m].
    pub rolling_torque: Vector<L>,
}

impl<L: Lanes> Default for Memory<L> {
    #[inline(always)]
    fn default() -> Memory<L> {
        Memory {
            tangential_force: Vector::default(),
            tangential_stiffness: L::default(),
            normal_dashpot_force: L::default(),
            tangential_power: L::default(),
            rolling_torque: Vector::default(),
        }
    }
}

impl<L: Lanes> Memory<L> {
    /// What contacts remember, from the columns of a history.
    #[inline(always)]
    pub fn load(columns: &[[f64; 4]], groups: Groups) -> Memory<L> {
        Memory {
            tangential_force: Vector::load(&columns[Groups::TANGENTIAL_FORCE..]),
            tangential_stiffness: L::load(&columns[Groups::TANGENTIAL_STIFFNESS]),
            normal_dashpot_force: L::load(&columns[Groups::NORMAL_DASHPOT_FORCE]),
            tangential_power: L::load(&columns[Groups::TANGENTIAL_POWER]),
            rolling_torque: if groups.rolling {
                Vector::load(&columns[groups.rolling_torque()..])
            } else {
                Vector::default()
            },
        }
    }

    /// Keeps it there.
    #[inline(always)]
    pub fn store(&self, columns: &mut [[f64; 4]], groups: Groups) {
        self.tangential_force.store(&mut columns[Groups::TANGENTIAL_FORCE..]);
        self.tangential_stiffness.store(&mut columns[Groups::TANGENTIAL_STIFFNESS]);
        self.normal_dashpot_force.store(&mut columns[Groups::NORMAL_DASHPOT_FORCE]);
        self.tangential_power.store(&mut columns[Groups::TANGENTIAL_POWER]);
        if groups.rolling {
            self.rolling_torque.store(&mut columns[groups.rolling_torque()..]);
        }
    }
}

/// Energy lost [J].
#[derive(Clone, Copy, Debug)]
pub struct Losses<L> {
    /// In the normal dashpot.
    pub normal_dashpot: L,
    /// In the friction dashpot.
    pub tangential_dashpot: L,
    /// By slip.
    pub slip: L,
    /// By rolling resistance.
    pub rolling: L,
    /// Because a spring's stiffness changed under load.
    pub stiffness_change: L,
    /// Elastic energy left when a contact ended.
    pub contact_end: L,
}

impl<L: Lanes> Default for Losses<L> {
    #[inline(always)]
    fn default() -> Losses<L> {
        let zero = L::default();
        Losses {
            normal_dashpot: zero,
            tangential_dashpot: zero,
            slip: zero,
            rolling: zero,
            stiffness_change: zero,
            contact_end: zero,
        }
    }
}

impl<L: Lanes> std::ops::AddAssign for Losses<L> {
    #[inline(always)]
    fn add_assign(&mut self, other: Losses<L>) {
        self.normal_dashpot += other.normal_dashpot;
        self.tangential_dashpot += other.tangential_dashpot;
        self.slip += other.slip;
        self.rolling += other.rolling;
        self.stiffness_change += other.stiffness_change;
        self.contact_end += other.contact_end;
    }
}

impl<L: Lanes> Losses<L> {
    /// Where a mask is true.
    #[inline(always)]
    pub fn only(self, mask: L::Mask) -> Losses<L> {
        Losses {
            normal_dashpot: self.normal_dashpot.only(mask),
            tangential_dashpot: self.tangential_dashpot.only(mask),
            slip: self.slip.only(mask),
            rolling: self.rolling.only(mask),
            stiffness_change: self.stiffness_change.only(mask),
            contact_end: self.contact_end.only(mask),
        }
    }

    /// Where a mask is true, others elsewhere.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: &Losses<L>, no: &Losses<L>) -> Losses<L> {
        Losses {
            normal_dashpot: L::select(mask, yes.normal_dashpot, no.normal_dashpot),
            tangential_dashpot: L::select(mask, yes.tangential_dashpot, no.tangential_dashpot),
            slip: L::select(mask, yes.slip, no.slip),
            rolling: L::select(mask, yes.rolling, no.rolling),
            stiffness_change: L::select(mask, yes.stiffness_change, no.stiffness_change),
            contact_end: L::select(mask, yes.contact_end, no.contact_end),
        }
    }

    /// All lanes together.
    #[inline(always)]
    pub fn sum(self) -> Losses<f64> {
        Losses {
            normal_dashpot: self.normal_dashpot.sum(),
            tangential_dashpot: self.tangential_dashpot.sum(),
            slip: self.slip.sum(),
            rolling: self.rolling.sum(),
            stiffness_change: self.stiffness_change.sum(),
            contact_end: self.contact_end.sum(),
        }
    }
}

/// What a contact does.
#[derive(Clone, Copy, Debug)]
pub struct Response<L> {
    /// Force on a [N]; b feels the opposite.
    pub force: Vector<L>,
    /// Couple on a, besides the moment of the force [N m]; b feels the opposite.
    pub couple: Vector<L>,
    /// What the contact will remember.
    pub memory: Memory<L>,
    /// Energy of the normal spring [J].
    pub normal_energy: L,
}

/// A spring turns with the contact: about the normal with the bodies, and with the normal itself, at the same length. What
/// is left of it across the normal, and its length over that one's.
#[inline(always)]
fn turned_spring<L: Lanes>(spring: Vector<L>, length_squared: L, n: Vector<L>, twist: Vector<L>) -> (Vector<L>, L) {
    let twisted = spring + twist.cross(spring);
    let projected = twisted - n * n.dot(twisted);
    // The floor only keeps 0 / 0 away: a spring without force stays without.
    (projected, (length_squared / projected.dot(projected).max(L::splat(1e-200))).sqrt())
}

/// Evaluates a contact after a step of length `dt`; with `dt = 0` it only looks, and the springs come back unchanged.
/// Energy lost in the step is added to `losses`.
///
/// `HERTZ` and `ROLLING` choose the law's form when the code is compiled, so that the loop over contacts pays for
/// nothing it does not use.
#[inline(always)]
pub fn evaluate<L: Lanes, const HERTZ: bool, const ROLLING: bool>(
    table: &LawTable,
    c: &Coefficients<L>,
    k: &Kinematics<L>,
    old: &Memory<L>,
    dt: f64,
    losses: &mut Losses<L>,
) -> Response<L> {
    let step = dt;
    let (zero, one, half, half_dt, dt) =
        (L::splat(0.0), L::splat(1.0), L::splat(0.5), L::splat(0.5 * dt), L::splat(dt));
    let n = k.normal;
    let s = if HERTZ { (k.effective_radius * k.overlap).sqrt() } else { one };
    let damping_scale = if HERTZ { (k.effective_mass * s).sqrt() } else { k.effective_mass.sqrt() };

    // Normal.
    let approach = k.relative_velocity.dot(n);
    let elastic = c.normal_stiffness * s * k.overlap;
    let damped = elastic + c.normal_damping * damping_scale * approach;
    let normal_force = damped.max(L::splat(table.least_normal_force));
    let dashpot = normal_force - elastic;
    // Where the dashpot may pull, it does so without friction.
    let pressing = normal_force.max(zero);
    let tangent = if HERTZ { L::splat(1.5) * (c.normal_stiffness * s) } else { c.normal_stiffness };
    // The bound is met by no step that follows the contact, only by faces that barely touch under the volume law.
    let taken = one + (tangent * L::splat(step * step / 6.0) / k.effective_mass).min(L::splat(0.1));
    losses.normal_dashpot += half_dt * approach * (old.normal_dashpot_force + dashpot) * taken;

    let twist = n * (k.mean_twist * dt);
    let stiffness = c.tangential_stiffness * s;
    let is_old = old.tangential_stiffness.greater(zero);
    // Stiffness now over stiffness before; and the part of it that the spring forces follow.
    let change = if HERTZ { stiffness / L::select(is_old, old.tangential_stiffness, stiffness) } else { one };
    let ratio = if HERTZ { change.min(one).max(L::splat(table.least_rescaling)) } else { one };
    let before = old.tangential_force.dot(old.tangential_force);
    let (turned, factor) = turned_spring(old.tangential_force, before, n, twist);
    let whole = turned * factor;
    let spring = whole * ratio;
    // Halves and one over the stiffness are put in at the end: slip and change of stiffness both want them.
    let changed = before * (change - ratio * ratio);

    let tangential_velocity = k.relative_velocity - n * approach;
    let trial = spring - tangential_velocity * (stiffness * dt);
    let limit = c.friction * pressing;
    let slips = trial.dot(trial).greater(limit * limit);
    // Where the spring alone reaches the limit, the contact slips and its dashpot rests; elsewhere both act, and their
    // sum is limited too.
    let full_damping = c.tangential_damping * damping_scale;
    let wanted = trial - tangential_velocity * full_damping.except(slips);
    let half_compliance = half / stiffness;
    // Over the first half of the step the old force acted as it was, neither turned nor scaled down.
    let released = (old.tangential_force.dot(k.relative_velocity) - spring.dot(tangential_velocity)) * half_dt;
    losses.stiffness_change += if HERTZ { changed * half_compliance - released } else { zero - released };
    let (mut friction, mut new_spring) = (wanted, trial);
    let size = wanted.dot(wanted);
    // In a bed at rest few contacts reach their limit, so this is often skipped; and what comes after need not wait for
    // a root and a quotient.
    let limited = size.greater(limit * limit);
    if L::any(limited) {
        let cut = (limit / size.sqrt()).min(one);
        friction = wanted * cut;
        new_spring = trial * L::select(slips, cut, one);
        losses.slip += ((spring + friction).dot(trial - friction) * half_compliance).only(slips);
    }
    // Work of the dashpot: that of its old force at the new velocity over one half of the step, that of the new force over
    // the other. Where the old force was free, -c_old v_old, its power is the root of c_old v_old^2 times c_old v_new^2; where
    // the limit had cut it, the power that was foreseen stands for it, kept with a minus sign.
    let damping_before = if HERTZ { full_damping * (one / change).sqrt() } else { full_damping };
    let free = (old.tangential_power * damping_before * tangential_velocity.dot(tangential_velocity)).sqrt();
    let work_before = L::select(old.tangential_power.greater(zero), free, zero - old.tangential_power);
    let dashpot_force = new_spring - friction;
    let mut power = dashpot_force.dot(tangential_velocity);
    losses.tangential_dashpot += half_dt * (work_before + power);
    if L::any(limited) {
        // Friction moves a sphere's surface as it would a mass of 2/7 of its own.
        let next_velocity = tangential_velocity + friction * (L::splat(3.5) * dt / k.effective_mass);
        power = L::select(limited, zero - dashpot_force.dot(next_velocity).max(zero), power);
    }

    let mut couple = Vector::splat(DVec3::ZERO);
    let mut rolling_torque = couple;
    if ROLLING {
        let rate = k.relative_spin - n * k.relative_spin.dot(n);
        let radius = k.effective_radius;
        // The floor only keeps 0 / 0 away where a pair does not resist rolling.
        let rolling_stiffness = (c.rolling_stiffness * s * radius * radius).max(L::splat(1e-200));
        let before = old.rolling_torque.dot(old.rolling_torque);
        let (turned, factor) = turned_spring(old.rolling_torque, before, n, twist);
        let whole = turned * factor;
        let torque = whole * ratio;
        if HERTZ {
            losses.stiffness_change +=
                half * before * (change - ratio * ratio) / rolling_stiffness - rate.dot(whole - torque) * half_dt;
        }
        let trial = torque - rate * (rolling_stiffness * dt);
        let limit = c.rolling_friction * radius * pressing;
        let slips = trial.dot(trial).greater(limit * limit);
        // I + m R^2 = 7/5 m R^2 of a sphere that rolls on a wall. For two spheres m and R are the effective ones: equal
        // spheres that roll on each other have 1/5 m R^2, of which this is 7/8.
        let inertia = L::splat(1.4) * k.effective_mass * radius * radius;
        let damping = (L::splat(2.0) * c.rolling_damping * (inertia * rolling_stiffness).sqrt()).except(slips);
        // As in sliding: the dashpot rests where the spring alone reaches the limit, and their sum is limited too.
        let wanted = trial - rate * damping;
        let cut = (limit / wanted.dot(wanted).sqrt()).min(one);
        couple = wanted * cut;
        rolling_torque = trial * L::select(slips, cut, one);
        let slip = half * (torque + couple).dot(trial - couple) / rolling_stiffness;
        losses.rolling += slip.only(slips) + (trial - couple).dot(rate).except(slips) * dt;
    }

    Response {
        force: friction - n * normal_force,
        couple,
        memory: Memory {
            tangential_force: new_spring,
            tangential_stiffness: stiffness,
            normal_dashpot_force: dashpot,
            tangential_power: power,
            rolling_torque,
        },
        normal_energy: L::splat(if HERTZ { 0.4 } else { 0.5 }) * elastic * k.overlap,
    }
}
