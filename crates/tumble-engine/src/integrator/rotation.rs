//! Free rotation of a rigid body over a time h, for bodies whose moments of inertia are not all equal.
//!
//! What is kept is the angular momentum L in the world frame, which free motion does not change at all; a drift turns the
//! orientation q only.
//! - Two equal moments I1 about an axis e with moment I3: exact,
//!   q <- exp(h L / I1) q exp(h (l . e) (1/I3 - 1/I1) e), with l = q^-1 L.
//! - Three different moments: the symplectic splitting of Dullweber, Leimkuhler and McLachlan (1997, also NO_SQUISH of
//!   Miller et al. 2002), R_z(h/2) R_y(h/2) R_x(h) R_y(h/2) R_z(h/2), where R_k turns the body about its own axis k by
//!   h l_k / I_k. Second order, time reversible; the energy error stays bounded, about 0.1 (w h)^2.
//!
//! With L kept in the world frame its error does not grow with the number of steps.
//!
//! A flight from one collision to the next is no step, and as long as it happens to be: there the splitting gives way to the
//! Taylor series of q and of the angular velocity w in the body frame, from q' = q w / 2 and I w' = (I w) x w, which ends at rounding.

use super::turned;
use glam::{DQuat, DVec3};

/// Moments closer to each other than this fraction are equal: their difference is the rounding of mass properties. At this
/// difference the tennis-racket motion takes 1e10 turns to show.
const EQUAL_MOMENTS: f64 = 1e-10;

/// Principal moments of inertia, sorted into the ways a body can turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moments {
    /// All equal [kg m^2].
    Isotropic(f64),
    /// Two equal.
    Symmetric {
        /// The axis of symmetry, of unit length, in the body frame.
        axis: DVec3,
        /// About it [kg m^2].
        along: f64,
        /// About any axis across it [kg m^2].
        across: f64,
    },
    /// Three different ones [kg m^2].
    Asymmetric(DVec3),
}

impl Moments {
    /// From three moments about the body's own axes [kg m^2].
    pub fn new(moments: DVec3) -> Moments {
        let equal = |a: f64, b: f64| (a - b).abs() <= EQUAL_MOMENTS * a.abs().max(b.abs());
        let DVec3 { x, y, z } = moments;
        match (equal(x, y), equal(y, z), equal(z, x)) {
            (true, true, _) | (true, _, true) | (_, true, true) => Moments::Isotropic((x + y + z) / 3.0),
            (true, false, false) => Moments::Symmetric { axis: DVec3::Z, along: z, across: 0.5 * (x + y) },
            (false, true, false) => Moments::Symmetric { axis: DVec3::X, along: x, across: 0.5 * (y + z) },
            (false, false, true) => Moments::Symmetric { axis: DVec3::Y, along: y, across: 0.5 * (z + x) },
            (false, false, false) => Moments::Asymmetric(moments),
        }
    }

    /// The moments about the three axes of the body [kg m^2].
    pub fn about_axes(&self) -> DVec3 {
        match *self {
            Moments::Isotropic(moment) => DVec3::splat(moment),
            Moments::Symmetric { axis, along, across } => DVec3::splat(across) * (DVec3::ONE - axis) + axis * along,
            Moments::Asymmetric(moments) => moments,
        }
    }

    /// Angular velocity in the world frame [rad/s] of a body with an angular momentum in the world frame [kg m^2/s].
    #[inline(always)]
    pub fn angular_velocity(&self, orientation: DQuat, angular_momentum: DVec3) -> DVec3 {
        match *self {
            Moments::Isotropic(moment) => angular_momentum / moment,
            Moments::Symmetric { axis, along, across } => {
                let axis = orientation * axis;
                let per_across = 1.0 / across;
                angular_momentum * per_across + axis * (axis.dot(angular_momentum) * (1.0 / along - per_across))
            }
            Moments::Asymmetric(moments) => orientation * ((orientation.conjugate() * angular_momentum) / moments),
        }
    }

    /// Angular momentum in the world frame [kg m^2/s] of a body with an angular velocity in the world frame [rad/s].
    #[inline]
    pub fn angular_momentum(&self, orientation: DQuat, angular_velocity: DVec3) -> DVec3 {
        orientation * ((orientation.conjugate() * angular_velocity) * self.about_axes())
    }

    /// The orientation after turning freely for a time `h` [s].
    #[inline(always)]
    pub fn drift(&self, orientation: DQuat, angular_momentum: DVec3, h: f64) -> DQuat {
        match *self {
            Moments::Isotropic(moment) => turned(orientation, angular_momentum * (h / moment)),
            Moments::Symmetric { axis, along, across } => {
                let spin = (orientation * axis).dot(angular_momentum) * (1.0 / along - 1.0 / across);
                turned(turned_about_own(orientation, axis * (h * spin)), angular_momentum * (h / across))
            }
            Moments::Asymmetric(moments) => {
                let mut q = orientation;
                for (axis, part) in [(2, 0.5), (1, 0.5), (0, 1.0), (1, 0.5), (2, 0.5)] {
                    // The component about an axis is not changed by turning about it.
                    let own = (q.conjugate() * angular_momentum)[axis];
                    q = turned_about_own(q, DVec3::AXES[axis] * (part * h * own / moments[axis]));
                }
                q
            }
        }
    }

    /// The orientation after turning freely for any time `h` [s], to rounding.
    pub fn fly(&self, orientation: DQuat, angular_momentum: DVec3, h: f64) -> DQuat {
        let Moments::Asymmetric(moments) = *self else { return self.drift(orientation, angular_momentum, h) };
        let pieces = (self.fastest_spin(orientation, angular_momentum) * h.abs() / TURN).ceil().max(1.0);
        let mut turned = orientation;
        for _ in 0..pieces as u64 {
            turned = by_series(turned, angular_momentum, moments, h / pieces);
        }
        turned
    }

    /// The largest angular velocity that a body comes to when it turns freely [rad/s], or a bound on it.
    pub fn fastest_spin(&self, orientation: DQuat, angular_momentum: DVec3) -> f64 {
        let spin = self.angular_velocity(orientation, angular_momentum);
        match *self {
            Moments::Isotropic(_) | Moments::Symmetric { .. } => spin.length(),
            // All of the energy about the axis of the least moment.
            Moments::Asymmetric(moments) => (angular_momentum.dot(spin).max(0.0) / moments.min_element()).sqrt(),
        }
    }
}

/// Of a flight, one piece of the Taylor series: the angle [rad] at which it is begun anew, and how many terms it has. It converges
/// as far as the nearest pole of the elliptic functions, some pi/2 [rad] away, so what is left out is (0.25 / 1.57)^19 = 7e-16.
const TURN: f64 = 0.25;
const TERMS: usize = 19;

/// The orientation of a body with three different moments after a time `h` [s] of a fraction of a turn.
fn by_series(orientation: DQuat, angular_momentum: DVec3, moments: DVec3, h: f64) -> DQuat {
    // Coefficients in units of h: spins are angles.
    let mut spin = [DVec3::ZERO; TERMS];
    let mut turn = [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0); TERMS];
    spin[0] = (orientation.conjugate() * angular_momentum) / moments * h;
    turn[0] = orientation;
    for k in 0..TERMS - 1 {
        let (mut change, mut turned) = (DVec3::ZERO, turn[TERMS - 1]);
        for j in 0..=k {
            change += (spin[j] * moments).cross(spin[k - j]);
            let w = spin[k - j];
            turned += turn[j] * DQuat::from_xyzw(w.x, w.y, w.z, 0.0);
        }
        let next = (k + 1) as f64;
        spin[k + 1] = change / moments / next;
        turn[k + 1] = turned * (0.5 / next);
    }
    turn.iter().rev().fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, &term| sum + term).normalize()
}

/// An orientation after a turn by a rotation vector in the body frame.
#[inline(always)]
fn turned_about_own(orientation: DQuat, rotation: DVec3) -> DQuat {
    // q exp(r) = (exp(-r) q^-1)^-1.
    turned(orientation.conjugate(), -rotation).conjugate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn flights_of_any_length_keep_the_energy_and_are_what_short_steps_tend_to() {
        let mut random = Random::from_seed(4);
        for _ in 0..50 {
            // Any three masses on the axes make a body.
            let masses = DVec3::new(random.unit(), random.unit(), random.unit());
            let moments = DVec3::new(masses.y + masses.z, masses.z + masses.x, masses.x + masses.y);
            let body = Moments::new(moments);
            let start =
                DQuat::from_xyzw(random.normal(), random.normal(), random.normal(), random.normal()).normalize();
            let momentum = DVec3::new(random.normal(), random.normal(), random.normal());
            let energy = |q: DQuat| 0.5 * momentum.dot(body.angular_velocity(q, momentum));
            let mut end = start;
            for time in [0.01, 0.3, 2.0, 17.0] {
                let further = body.fly(end, momentum, time);
                assert!((energy(further) / energy(end) - 1.0).abs() < 1e-13 * (1.0 + time), "{moments} {time}");
                // There and back.
                let back = body.fly(further, momentum, -time);
                assert!((back - end).length().min((back + end).length()) < 1e-11 * (1.0 + time), "{moments} {time}");
                end = further;
            }
            let mut by_steps = start;
            let n = 20_000;
            (0..n).for_each(|_| by_steps = body.drift(by_steps, momentum, 1.0 / f64::from(n)));
            let flown = body.fly(start, momentum, 1.0);
            let scale = (momentum.length() / moments.min_element()).powi(3);
            assert!((by_steps - flown).length() < 1e-8 * (1.0 + scale), "{moments}: {by_steps} {flown}");
        }
    }
}
