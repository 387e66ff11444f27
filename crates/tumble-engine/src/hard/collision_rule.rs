//! What two hard bodies do to each other when they meet: an impulse at the contact point, at once.
//!
//! Three numbers say what kind of collision it is (Walton 1993): the normal restitution e, the tangential restitution
//! beta0 of surfaces that stick, and Coulomb's friction mu, which bounds the tangential impulse. With the unit normal n
//! from a to b and g the velocity of a's contact point as seen from b's, an impulse J on a (and -J on b) changes g by W J,
//!
//!   W = sum over both bodies of 1/m + \[r x\] I^-1 \[r x\]^T,   r from the centre to the contact point.
//!
//! Two impulses span all collisions that are considered (Chatterjee and Ruina 1998): P1 = -n g_n / W_nn, which brings the
//! approach to rest without friction, and P2, which then brings to rest what is left, so that W (P1 + P2) = -g. The
//! collision is
//!
//!   J = (1 + e) P1 + k P2,   k = 1 + beta0, or less so that |J_t| <= mu J_n.
//!
//! For spheres P1 is along the normal and P2 across it, and this is Walton's rule:
//! J_n = (1 + e) m* g_n and J_t = min((1 + beta0) |g_t| / (1/m* + R_a^2/I_a + R_b^2/I_b), mu J_n).
//! For other bodies normal and tangential motion are coupled, and prescribing g'_t = -beta0 g_t as well as g'_n = -e g_n
//! could create energy (Kane's paradox). This cannot: n . W P2 = 0, so that W P1 and W P2 are perpendicular in the metric of
//! the kinetic energy, g W^-1 g / 2, and their parts of it become e^2 and (1 - k)^2 of what they were. Neither grows for
//! 0 <= e <= 1 and 0 <= k <= 2, whatever the friction; g'_n = -e g_n holds exactly; and beta0 acts on the sliding that is
//! left when the approach has come to rest. The loss is
//!
//!   (1 - e^2) g_n^2 / (2 W_nn)  +  k (2 - k) s . P2 / 2,   s = -W P2.
//!
//! References: Walton, in Roco (ed.), *Particulate Two-Phase Flow* (1993), ch. 25; Foerster, Louge, Chang and Allia,
//! *Phys. Fluids* 6 (1994) 1108; Chatterjee and Ruina, *J. Appl. Mech.* 65 (1998) 939.

mod restitution;
#[cfg(test)]
mod tests;

pub use restitution::Restitution;

use glam::{DMat3, DVec3};

/// What a collision of two materials is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionRule {
    /// How much of the speed of approach they part with.
    pub restitution: Restitution,
    /// Tangential restitution beta0 of surfaces that stick [1], from -1, no tangential impulse at all, over 0, sliding that
    /// comes to rest, to 1, sliding that is reversed.
    pub tangential_restitution: f64,
    /// Coulomb's coefficient of friction mu [1]; infinity: surfaces always stick.
    pub friction: f64,
}

impl CollisionRule {
    /// Loses nothing and turns nothing.
    pub const SMOOTH_ELASTIC: CollisionRule =
        CollisionRule { restitution: Restitution::Constant(1.0), tangential_restitution: -1.0, friction: 0.0 };

    /// Whether grains that meet by this rule never turn each other.
    pub fn is_smooth(&self) -> bool {
        self.friction == 0.0 || self.tangential_restitution == -1.0
    }
}

/// A body as a collision sees it: a grain, or a wall, which nothing moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollidingBody {
    /// Velocity of the centre [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
    /// One over the mass [1/kg]; 0 for a wall.
    pub per_mass: f64,
    /// Inverse of the inertia tensor about the centre, in the world frame [1/(kg m^2)]; zero for what nothing turns.
    pub per_inertia: DMat3,
    /// From the centre to the contact point [m].
    pub arm: DVec3,
}

impl CollidingBody {
    /// A wall whose surface moves at a velocity where it is met.
    pub fn wall(velocity: DVec3) -> CollidingBody {
        CollidingBody {
            velocity,
            angular_velocity: DVec3::ZERO,
            per_mass: 0.0,
            per_inertia: DMat3::ZERO,
            arm: DVec3::ZERO,
        }
    }

    /// Velocity of the body at the contact point [m/s].
    pub(super) fn surface_velocity(&self) -> DVec3 {
        self.velocity + self.angular_velocity.cross(self.arm)
    }

    /// By how much an impulse of one at the contact point changes the velocity there [m/s].
    pub(super) fn answer(&self, impulse: DVec3) -> DVec3 {
        impulse * self.per_mass + (self.per_inertia * self.arm.cross(impulse)).cross(self.arm)
    }

    /// Velocity and angular velocity after an impulse at the contact point.
    pub(super) fn after(&self, impulse: DVec3) -> Moving {
        Moving {
            velocity: self.velocity + impulse * self.per_mass,
            angular_velocity: self.angular_velocity + self.per_inertia * self.arm.cross(impulse),
        }
    }
}

/// A sphere, or a disc of the plane, as a collision sees it: the same as a [`CollidingBody`] whose contact point is on the
/// line of centres and whose moments are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollidingBall {
    /// Velocity of the centre [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
    /// One over the mass [1/kg]; 0 for a wall.
    pub per_mass: f64,
    /// One over the moment of inertia [1/(kg m^2)]; 0 for a wall.
    pub per_inertia: f64,
    /// Distance of the contact point from the centre [m].
    pub radius: f64,
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Velocity of the centre [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub angular_velocity: DVec3,
}

/// What a collision did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// How both bodies move afterwards.
    pub after: [Moving; 2],
    /// Impulse on a; that on b is its opposite.
    pub impulse: Impulse,
}

/// The impulse of a collision, and what it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impulse {
    /// The impulse on a [N s].
    pub on_a: DVec3,
    /// Speed at which the surfaces approached [m/s].
    pub approach: f64,
    /// Kinetic energy lost to normal restitution [J].
    pub normal_loss: f64,
    /// Kinetic energy lost to tangential restitution and friction [J].
    pub tangential_loss: f64,
    /// Whether friction was too small for the surfaces to stick.
    pub slides: bool,
}

/// How an approach comes to rest: the two impulses of a collision.
struct Rest {
    /// Speed of approach [m/s].
    approach: f64,
    /// W_nn, by how much a normal impulse of one changes the speed of approach [1/kg].
    normal_answer: f64,
    /// Sliding that is left when the approach has come to rest without friction [m/s].
    sliding: DVec3,
    /// The impulse that brings this sliding to rest, its sign changed [N s].
    sticking: DVec3,
    /// Its normal component.
    sticking_normal: f64,
}

/// What two bodies do to each other; `None` if their surfaces do not approach, or if nothing moves either. The normal is of
/// unit length and points from a to b.
pub fn collide(rule: &CollisionRule, normal: DVec3, a: &CollidingBody, b: &CollidingBody) -> Option<Collision> {
    let relative = a.surface_velocity() - b.surface_velocity();
    let approach = relative.dot(normal);
    if approach <= 0.0 {
        return None;
    }
    let answer = |impulse: DVec3| a.answer(impulse) + b.answer(impulse);
    let (first, second) = normal.any_orthonormal_pair();
    let (along_normal, along_first, along_second) = (answer(normal), answer(first), answer(second));
    let normal_answer = along_normal.dot(normal);
    if normal_answer <= 0.0 {
        return None;
    }
    // W in the frame of the contact: the two tangential rows, and what couples them to the normal.
    let coupling = [along_normal.dot(first), along_normal.dot(second)];
    let slide = [
        relative.dot(first) - coupling[0] * (approach / normal_answer),
        relative.dot(second) - coupling[1] * (approach / normal_answer),
    ];
    // Of the sticking impulse, n . W P2 = 0 gives the normal component; the other two follow from Schur's complement.
    let schur = [
        along_first.dot(first) - coupling[0] * coupling[0] / normal_answer,
        along_first.dot(second) - coupling[0] * coupling[1] / normal_answer,
        along_second.dot(second) - coupling[1] * coupling[1] / normal_answer,
    ];
    let determinant = schur[0] * schur[2] - schur[1] * schur[1];
    let stick = [
        (slide[0] * schur[2] - slide[1] * schur[1]) / determinant,
        (slide[1] * schur[0] - slide[0] * schur[1]) / determinant,
    ];
    let rest = Rest {
        approach,
        normal_answer,
        sliding: first * slide[0] + second * slide[1],
        sticking: first * stick[0] + second * stick[1],
        sticking_normal: -(coupling[0] * stick[0] + coupling[1] * stick[1]) / normal_answer,
    };
    let impulse = rest.impulse(rule, normal);
    Some(Collision { after: [a.after(impulse.on_a), b.after(-impulse.on_a)], impulse })
}

/// The same as [`collide`] for balls.
#[inline]
pub fn collide_balls(rule: &CollisionRule, normal: DVec3, a: &CollidingBall, b: &CollidingBall) -> Option<Collision> {
    let spin = a.angular_velocity * a.radius + b.angular_velocity * b.radius;
    let relative = a.velocity - b.velocity + spin.cross(normal);
    // A unit vector is one but for rounding, which is not even: balls meet at a distance of their radii, and roots near there
    // are rounded down more often than up. Over millions of collisions that would be seen in the energy.
    let approach = relative.dot(normal) / normal.length_squared();
    let normal_answer = a.per_mass + b.per_mass;
    if approach <= 0.0 || normal_answer <= 0.0 {
        return None;
    }
    let sliding = relative - normal * approach;
    let turning = a.radius * a.radius * a.per_inertia + b.radius * b.radius * b.per_inertia;
    let sticking = sliding / (normal_answer + turning);
    let impulse = Rest { approach, normal_answer, sliding, sticking, sticking_normal: 0.0 }.impulse(rule, normal);
    // The contact point of b is at -radius n, and so is the impulse on it.
    let twist = normal.cross(impulse.on_a);
    let after = [
        Moving {
            velocity: a.velocity + impulse.on_a * a.per_mass,
            angular_velocity: a.angular_velocity + twist * (a.radius * a.per_inertia),
        },
        Moving {
            velocity: b.velocity - impulse.on_a * b.per_mass,
            angular_velocity: b.angular_velocity + twist * (b.radius * b.per_inertia),
        },
    ];
    Some(Collision { after, impulse })
}

impl Rest {
    /// From rest to rebound.
    #[inline]
    fn impulse(&self, rule: &CollisionRule, normal: DVec3) -> Impulse {
        let restitution = rule.restitution.at(self.approach);
        let stopping = self.approach / self.normal_answer;
        let pressing = (1.0 + restitution) * stopping;
        let stick = 1.0 + rule.tangential_restitution;
        // On Coulomb's cone k |P2_t| = mu (pressing + k P2_n). A vanishing excess is inside the cone for every k.
        let across = self.sticking.length();
        let (excess, bound) = if rule.friction.is_finite() {
            (across - rule.friction * self.sticking_normal, rule.friction * pressing)
        } else {
            (-self.sticking_normal, pressing)
        };
        let slides = stick * excess > bound;
        let share = if slides { bound / excess } else { stick };
        Impulse {
            on_a: -(normal * (pressing + share * self.sticking_normal) + self.sticking * share),
            approach: self.approach,
            normal_loss: 0.5 * (1.0 - restitution * restitution) * self.approach * stopping,
            tangential_loss: 0.5 * share * (2.0 - share) * self.sliding.dot(self.sticking),
            slides,
        }
    }
}
