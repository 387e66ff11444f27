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
}

/// An orientation after a turn by a rotation vector in the body frame.
#[inline(always)]
fn turned_about_own(orientation: DQuat, rotation: DVec3) -> DQuat {
    // q exp(r) = (exp(-r) q^-1)^-1.
    turned(orientation.conjugate(), -rotation).conjugate()
}
