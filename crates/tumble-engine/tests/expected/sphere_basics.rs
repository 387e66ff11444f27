//! Motions of one sphere with textbook answers: a bouncing ball, a ball that slides until it rolls, a ball on an incline,
//! and the straight lines of oblique impacts.
//!
//! Sources: rigid-body mechanics; the impact lines are those of Walton's three-parameter model, with the coefficients that
//! Foerster, Louge, Chang & Allia (1994), Phys. Fluids 6:1108, measured. Those coefficients are quoted from the
//! literature at second hand: look them up before quoting them in public.

/// Relative tolerance of times, speeds and distances below [1]: soft contacts last a finite time and give way by a finite
/// overlap, both a few thousandths of the motion at the usual stiffness.
pub const TOLERANCE: f64 = 5e-3;

/// Height of the n-th bounce of a ball that was dropped from a height at rest [m].
pub fn bounce_height(height: f64, restitution: f64, n: i32) -> f64 {
    height * restitution.powi(2 * n)
}

/// Time at which a dropped ball stops bouncing [s].
pub fn bouncing_time(height: f64, restitution: f64, gravity: f64) -> f64 {
    (2.0 * height / gravity).sqrt() * (1.0 + restitution) / (1.0 - restitution)
}

/// A sphere that starts to slide without spin on a rough plane and ends rolling.
#[derive(Clone, Copy, Debug)]
pub struct SlidingToRolling {
    /// When it begins to roll [s].
    pub time: f64,
    /// Its speed from then on [m/s].
    pub speed: f64,
    /// How far it has come by then [m].
    pub distance: f64,
    /// Share of the kinetic energy that is left [1].
    pub energy_share: f64,
}

/// What becomes of a sphere that starts to slide at a speed.
pub fn sliding_to_rolling(speed: f64, friction: f64, gravity: f64) -> SlidingToRolling {
    SlidingToRolling {
        time: 2.0 * speed / (7.0 * friction * gravity),
        speed: 5.0 * speed / 7.0,
        distance: 12.0 * speed * speed / (49.0 * friction * gravity),
        energy_share: 5.0 / 7.0,
    }
}

/// Linear and angular acceleration of a sphere let go on an incline.
#[derive(Clone, Copy, Debug)]
pub struct InclineMotion {
    /// Whether it rolls without sliding: tan(angle) <= 3.5 friction.
    pub rolls: bool,
    /// Acceleration down the incline [m/s^2].
    pub acceleration: f64,
    /// Angular acceleration [rad/s^2].
    pub angular_acceleration: f64,
}

/// A sphere on an incline (angle in radians).
pub fn on_incline(angle: f64, friction: f64, radius: f64, gravity: f64) -> InclineMotion {
    if angle.tan() <= 3.5 * friction {
        let acceleration = 5.0 / 7.0 * gravity * angle.sin();
        InclineMotion { rolls: true, acceleration, angular_acceleration: acceleration / radius }
    } else {
        InclineMotion {
            rolls: false,
            acceleration: gravity * (angle.sin() - friction * angle.cos()),
            angular_acceleration: 2.5 * friction * gravity * angle.cos() / radius,
        }
    }
}

/// Coefficients of an oblique impact in Walton's model.
#[derive(Clone, Copy, Debug)]
pub struct ImpactCoefficients {
    /// What the spheres are made of.
    pub name: &'static str,
    /// Normal restitution [1].
    pub restitution: f64,
    /// Friction [1].
    pub friction: f64,
    /// Tangential restitution of sticking impacts [1].
    pub rotational_restitution: f64,
}

/// Soda-lime glass and cellulose acetate spheres (Foerster et al. 1994).
pub const FOERSTER: [ImpactCoefficients; 2] = [
    ImpactCoefficients { name: "soda-lime glass", restitution: 0.97, friction: 0.092, rotational_restitution: 0.44 },
    ImpactCoefficients { name: "cellulose acetate", restitution: 0.87, friction: 0.25, rotational_restitution: 0.43 },
];

impl ImpactCoefficients {
    /// Tangential over normal velocity of the contact point after the impact, from the same before [1]: slope 1 and the
    /// intercept -3.5 friction (1 + restitution) when sliding, slope -rotational_restitution when sticking.
    pub fn ratio_after(&self, ratio_before: f64) -> f64 {
        let slid = ratio_before - 3.5 * self.friction * (1.0 + self.restitution);
        let stuck = -self.rotational_restitution * ratio_before;
        // Friction takes as much as it can and no more than sticking needs.
        slid.max(stuck)
    }
}
