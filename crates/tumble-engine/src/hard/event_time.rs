//! When bodies in flight meet.
//!
//! An event is not a root. With f the gap, positive apart, it is the earliest moment from now on at which
//!
//!   f <= 0 and f' < 0: at or inside contact, and approaching
//!
//! (Bannerman, Strobl, Formella and Poeschel, *Comput. Part. Mech.* 1 (2014) 191). A pair that has just collided parts, and is
//! not found again though rounding leaves it inside; a pair that overlaps and approaches is found at once, so that no
//! overlap grows; and one that parts inside contact and turns back there is found where it turns. Who looks for the
//! smallest positive root of f instead misses the last two and finds the first again.
//!
//! Times are from now [s]; [`NEVER`] where there is no event. A pair that rests, f = f' = 0 with an acceleration towards
//! each other, meets now, at no speed: this is the end of infinitely many collisions in a finite time, and whoever asks
//! has to know what to do.

mod bairstow;
mod bounded;
mod cascade;
#[cfg(test)]
mod tests;

pub use bairstow::{Bairstow, bairstow};
pub use bounded::{Search, first_of_bounded};

use cascade::Squares;
use glam::DVec3;

/// No event, whatever happens.
pub const NEVER: f64 = f64::INFINITY;

/// The motion of a body's centre as seen from another's, or from a wall: offset + velocity t + acceleration t^2 / 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// Where it is now [m].
    pub offset: DVec3,
    /// How fast it is now [m/s].
    pub velocity: DVec3,
    /// How that changes [m/s^2].
    pub acceleration: DVec3,
}

impl Flight {
    /// Offset and velocity at a time.
    #[inline]
    pub fn at(&self, time: f64) -> (DVec3, DVec3) {
        (
            self.offset + (self.velocity + self.acceleration * (0.5 * time)) * time,
            self.velocity + self.acceleration * time,
        )
    }

    /// The part across an axis of unit length.
    pub fn across(&self, axis: DVec3) -> Flight {
        let across = |v: DVec3| v - axis * axis.dot(v);
        Flight { offset: across(self.offset), velocity: across(self.velocity), acceleration: across(self.acceleration) }
    }

    /// Whether it stays farther away than `reach` for a time, whichever way it goes.
    #[inline]
    fn stays_away(&self, reach: f64, horizon: f64) -> bool {
        let way = (self.velocity.length() + 0.5 * self.acceleration.length() * horizon) * horizon;
        // A little more than the way, because all of this is rounded.
        let near = (reach + way) * (1.0 + 1e-14);
        self.offset.length_squared() > near * near
    }
}

/// When two balls whose relative velocity does not change meet. `square_reach` is the square of the sum of their radii.
#[inline]
pub fn uniform_balls_meet(offset: DVec3, velocity: DVec3, square_reach: f64) -> f64 {
    let closing = offset.dot(velocity);
    if closing >= 0.0 {
        return NEVER;
    }
    let gap = offset.length_squared() - square_reach;
    if gap <= 0.0 {
        return 0.0;
    }
    let discriminant = closing * closing - velocity.length_squared() * gap;
    // Not (-closing - root) / v^2, which cancels.
    if discriminant > 0.0 { gap / (discriminant.sqrt() - closing) } else { NEVER }
}

/// When two balls come within `reach`, the sum of their radii, of each other; nothing after the horizon is looked for.
#[inline]
pub fn balls_meet(flight: &Flight, reach: f64, horizon: f64) -> f64 {
    if flight.acceleration == DVec3::ZERO {
        let time = uniform_balls_meet(flight.offset, flight.velocity, reach * reach);
        return if time <= horizon { time } else { NEVER };
    }
    if flight.stays_away(reach, horizon) {
        return NEVER;
    }
    Squares { flight: *flight, square_reach: reach * reach, sign: 1.0 }.first_event(horizon)
}

/// When a ball meets a cylinder without ends from outside. The flight is from a point of the axis, `reach` the sum of both
/// radii.
pub fn ball_meets_cylinder(flight: &Flight, axis: DVec3, reach: f64, horizon: f64) -> f64 {
    balls_meet(&flight.across(axis), reach, horizon)
}

/// When a ball inside a cylinder without ends meets it. The flight is from a point of the axis, `reach` the radius of the
/// cylinder less that of the ball.
pub fn ball_meets_tube(flight: &Flight, axis: DVec3, reach: f64, horizon: f64) -> f64 {
    let across = flight.across(axis);
    // The way out is long and the way off the axis is short: nothing within a straight and unhurried reach.
    let way = (across.velocity.length() + 0.5 * across.acceleration.length() * horizon) * horizon;
    if (across.offset.length() + way) * (1.0 + 1e-14) < reach {
        return NEVER;
    }
    Squares { flight: across, square_reach: reach * reach, sign: -1.0 }.first_event(horizon)
}

/// When a ball meets a plane that moves at a constant velocity, or a centre the face of a cell. `gap` is how far the ball's
/// surface is in front of it [m], `speed` how that changes [m/s] and `acceleration` how that does [m/s^2].
#[inline]
pub fn ball_meets_plane(gap: f64, speed: f64, acceleration: f64) -> f64 {
    if speed < 0.0 {
        if gap <= 0.0 {
            return 0.0;
        }
        let discriminant = speed * speed - 2.0 * acceleration * gap;
        // A flight that is turned back before it gets there, or as it does.
        return if discriminant > 0.0 || acceleration <= 0.0 {
            2.0 * gap / (discriminant.sqrt() - speed)
        } else {
            NEVER
        };
    }
    if acceleration >= 0.0 {
        return NEVER;
    }
    // It rises and falls back: to the plane, or from where it turns if that is inside.
    let discriminant = speed * speed - 2.0 * acceleration * gap;
    (speed + discriminant.max(0.0).sqrt()) / -acceleration
}
