//! Two smooth bodies: superquadrics, of which ellipsoids and balls are some.
//!
//! The gap along a unit direction n is stationary where the outward normals of two surface points p of a and q of b are n and -n, and
//! q - p is along n. Newton's iteration is on the *points*. As functions of the direction, support points are singular where a surface
//! is flat: at an exponent n a face turns by an angle t as its point moves by t^(1/(n-1)). As a function of the point the
//! normal is a polynomial, or as smooth as one, and has bounded derivatives everywhere.
//!
//! With tangent vectors x and y by which p and q move, S and T the shape operators (second derivative of the level function over its slope,
//! across n), u and v the normals, v of b reversed, and g the gap along n = (u + v) / |u + v|:
//!
//!   u + S x = v - T y,     q + y - p - x - g (u + S x) has no part across n.
//!
//! So (S + T + g T S) x = (v - u) + T (q - p - g u)_across, a system of two equations, and y follows. Both points go back to
//! their surfaces along the rays from the centres, on which normals do not change. No power but that of the exponent less two is
//! asked for. It ends when the normals agree to rounding, so that what is flat, whose point is hardly determined, has its gap as exactly as
//! what is round.
//!
//! **Proof.** Apart, such points are the nearest: q - p = g n with g >= 0 shows it. Overlapping by a depth d = -g, A - B holds a ball of the
//! radius R that touches its surface there from inside, R the sum of the radii of balls that roll inside a and b
//! (`rolling_radius`). Its centre is (d - R) n, so that a unit direction m has a depth of (d - R) m.n + R at least, which is d
//! or more wherever d <= R: nothing is less deep, whatever the iteration began with. Beyond that depth the general pair answers ([`super::general`]), which
//! begins with the direction found.
//!
//! It begins with the points of a moment ago, if they are known ([`contact_smooth_again`]), or with those farthest along a direction that is
//! thought to be near the normal. Where it does not settle from a guess it begins from the line of centres, then from the normals of rounder bodies
//! whose exponents grow to those of these, then from the general pair's answer.
//!
//! Valid for exponents of 2 and more; tested up to 20. Of 2,000 random, deep, nearly touching, aligned, contained and concentric pairs with
//! each other, and as many with balls, every one is answered (`smooth_pair.rs`). In a settled bed, from the normal of the last step, a contact takes
//! some 1,500 instructions for ellipsoids, 2,300 for n = 4 and 3,200 for n = 8; from its points 250, 840 and 1,400 fewer. The line of centres takes four to fifteen evaluations. Faces that are flat against each other,
//! where the iteration has a multiple root, take up to forty. Known limits: with n1 below n2 the curvature has no limit at the poles, where
//! steps may have to be shortened.
//!
//! References: Gilbert and Foo, IEEE Trans. Robotics and Automation 6 (1990) 53, for the difference body; Blaschke, *Kreis und Kugel*
//! (1916), for balls that roll inside; Barr, IEEE Computer Graphics and Applications 1 (1981) 11, for superquadrics.

mod settle;

pub(super) use settle::{Pair, Settled};

use super::convex::Convex;
use super::general::contact_convex;
use crate::contact::NotConverged;
use crate::{Contact, Pose, Shape};
use glam::DVec3;

/// The contact of two smooth bodies, begun from a direction that is thought to be near the normal. `None` as soon as they are known to
/// be farther apart than `limit`.
pub(super) fn contact_smooth(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let general = |guess| contact_convex(Convex::from(a), Convex::from(b), pose_ab, guess, limit);
    let (Some(first), Some(second)) = (a.as_smooth(), b.as_smooth()) else { return general(guess) };
    let pair = Pair::new(&first, &second, pose_ab);
    let start = guess.and_then(DVec3::try_normalize);
    let found = match known(&pair, start.unwrap_or_else(|| pair.centre_line()), limit) {
        Known::Beyond => return Ok(None),
        Known::Contact(contact) => return Ok(Some(contact)),
        Known::Deep(normal) => general(Some(normal)),
        Known::Nothing => otherwise(&pair, start.is_some(), limit, general),
    };
    // Where many directions nearly tie, bounds that do not meet from one of them may from another.
    found.or_else(|open| {
        let again = if start.is_some() { contact_smooth(a, b, pose_ab, None, limit) } else { general(None) };
        again.map_err(|other| if other.bound < open.bound { other } else { open })
    })
}

/// The same from the contact of a moment ago, whose points are nearer to those of now than the points that are farthest along its normal:
/// over a flat side these run away from a normal that has hardly turned.
#[inline]
pub(super) fn contact_smooth_again(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    last: &Contact,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    if let (Some(first), Some(second)) = (a.as_smooth(), b.as_smooth()) {
        let pair = Pair::new(&first, &second, pose_ab);
        if let Settled::At(contact) = pair.settle_near([last.point_a, last.point_b])
            && pair.proves(&contact)
        {
            return Ok((contact.separation <= limit).then_some(contact));
        }
    }
    contact_smooth(a, b, pose_ab, Some(last.normal), limit)
}

/// What is known after an iteration.
enum Known {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// The answer, and proven.
    Contact(Contact),
    /// A direction in which the depth is stationary, and too deep to be proven here.
    Deep(DVec3),
    /// Nothing for certain.
    Nothing,
}

#[inline]
fn known(pair: &Pair, start: DVec3, limit: f64) -> Known {
    match pair.settle(start, limit) {
        Settled::Beyond => Known::Beyond,
        Settled::At(contact) if contact.separation > limit => Known::Beyond,
        Settled::At(contact) if pair.proves(&contact) => Known::Contact(contact),
        Settled::At(contact) => Known::Deep(contact.normal),
        Settled::Lost => Known::Nothing,
    }
}

/// The answer where the iteration did not settle from a guess, or from the line of centres if there was none.
#[cold]
fn otherwise(
    pair: &Pair,
    had_guess: bool,
    limit: f64,
    general: impl Fn(Option<DVec3>) -> Result<Option<Contact>, NotConverged>,
) -> Result<Option<Contact>, NotConverged> {
    let centre_line = pair.centre_line();
    let starts = [had_guess.then_some(centre_line), Some(pair.continued(centre_line))];
    for start in starts.into_iter().flatten() {
        match known(pair, start, limit) {
            Known::Beyond => return Ok(None),
            Known::Contact(contact) => return Ok(Some(contact)),
            Known::Deep(normal) => return general(Some(normal)),
            Known::Nothing => {}
        }
    }
    let open = match general(None) {
        Err(open) => open,
        found => return found,
    };
    match known(pair, open.best.normal, limit) {
        Known::Beyond => Ok(None),
        Known::Contact(contact) => Ok(Some(contact)),
        Known::Deep(_) | Known::Nothing => Err(open),
    }
}
