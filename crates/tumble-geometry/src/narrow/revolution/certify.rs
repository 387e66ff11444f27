//! Proofs that a stationary direction of overlapping bodies has the largest gap of all.
//!
//! With delta = -gap > 0, the points p_a, p_b of a stationary direction n0 differ by delta n0. Every other direction n, at
//! an angle theta, has
//!
//!   -gap(n) = delta cos(theta) + k_a(n) + k_b(n),   k(n) = how far the body reaches along n beyond its own point >= 0,
//!
//! so that n0 is best if k_a + k_b >= delta (1 - cos(theta)) for all n. Two lower bounds of k serve:
//!
//! - A ball of radius q inside the body that touches its surface at the point gives k >= q (1 - cos(theta)). The proof
//!   holds if one body holds a ball of radius delta there, or each one of half of it. This settles sides and caps.
//! - The disc of the body through the point, of radius rho about the axis, gives k >= rho y^2 / 2 with y the component of n
//!   along the tangent t of its rim. A point on a cap that is r - rho within its rim adds (r - rho) s >= (r - rho) s^2 with
//!   s the sine of theta; one on an upright side that is e from its nearer end adds e |w| >= e w^2 with w the component along
//!   the axis: a cylinder is the sum of a disc and a segment. With lambda the smaller eigenvalue of twice the sum of
//!   these squares, k_a + k_b is at least lambda (1 - cos(theta)) (1 + cos(theta)) / 2: enough but for directions near -n0,
//!   where the whole widths of the bodies count. This settles rims that cross, and points near an edge.

use super::Pair;
use super::ascend::Stationary;
use super::profile::{Facing, Profile, Side};
use glam::DVec3;

/// Where a body touches: place of its point in a half-plane through the axis, and the way there.
struct Place {
    rho: f64,
    z: f64,
    across: DVec3,
}

#[inline(always)]
fn place(side: &impl Side, point: DVec3) -> Place {
    let from_centre = point - side.centre();
    // Normal and point share a half-plane through the axis; on a cap it is the point's.
    let across = side.across(from_centre);
    Place { rho: across.length(), z: from_centre.dot(side.axis()), across }
}

/// Whether a stationary direction is known to have the largest gap. For bodies apart, it always has.
#[inline(always)]
pub(super) fn is_best<A: Side>(pair: &Pair<A>, found: &Stationary) -> bool {
    if found.gap >= 0.0 {
        return true;
    }
    let depth = -found.gap;
    let (a, b) = (place(&pair.a, found.points[0]), place(&pair.b, found.points[1]));
    let [facing_a, facing_b] = &found.facings;
    let in_a = |q: f64| pair.a.profile().holds_ball(q, a.rho, a.z, [facing_a.s, facing_a.u]);
    let in_b = |q: f64| pair.b.profile.holds_ball(q, b.rho, b.z, [facing_b.s, facing_b.u]);
    in_a(depth) || in_b(depth) || (in_a(0.5 * depth) && in_b(0.5 * depth)) || by_squares(pair, found, &a, &b)
}

/// The proof by what each body holds about its point besides a ball.
#[inline(never)]
fn by_squares<A: Side>(pair: &Pair<A>, found: &Stationary, a: &Place, b: &Place) -> bool {
    let depth = -found.gap;
    let normal = found.normal;
    let [facing_a, facing_b] = &found.facings;
    let (e1, e2) = normal.any_orthonormal_pair();
    let mut form = Form::default();
    form.add(&pair.a, a, facing_a, normal, e1, e2);
    form.add(&pair.b, b, facing_b, normal, e1, e2);
    let lambda = form.smaller_eigenvalue();
    if lambda.is_nan() || lambda <= depth {
        return false;
    }
    let width = |profile: &Profile, f: &Facing| profile.reach(f.u, f.s) + profile.reach(-f.u, f.s);
    let widths = width(pair.a.profile(), facing_a) + width(pair.b.profile, facing_b);
    let sizes = pair.a.profile().bounding_radius + pair.b.profile.bounding_radius;
    // Directions with 1 + cos(theta) below 2 delta / lambda are left; they are within 2 sqrt(delta / lambda) of -n0.
    widths - 4.0 * sizes * (depth / lambda).sqrt() >= 2.0 * depth
}

/// A quadratic form Q in the plane across the normal: k >= Q(n) / 2.
#[derive(Default)]
struct Form {
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Form {
    /// Adds `weight` times the square along a direction.
    fn square(&mut self, weight: f64, x: f64, y: f64) {
        self.xx += weight * x * x;
        self.xy += weight * x * y;
        self.yy += weight * y * y;
    }

    /// Adds what a body holds.
    fn add(&mut self, side: &impl Side, place: &Place, facing: &Facing, normal: DVec3, e1: DVec3, e2: DVec3) {
        /// Sine of an angle: a face or side is that of the point if the normal is its own up to rounding.
        const OWN: f64 = 1e-12;
        let profile = side.profile();
        // The tangent is as long as the radius.
        let tangent = side.tangent(place.across);
        let (x, y) = (tangent.dot(e1), tangent.dot(e2));
        let per_rho = 1.0 / place.rho.max(f64::MIN_POSITIVE);
        if place.rho > 0.0 {
            self.square(per_rho, x, y);
        }
        if facing.s <= OWN
            && let Some(cap) = profile.cap(facing.u > 0.0)
        {
            let left = 2.0 * (cap.radius - place.rho).max(0.0);
            self.square(left, 1.0, 0.0);
            self.square(left, 0.0, 1.0);
        } else if facing.u.abs() <= OWN
            && let Some((upper, lower)) = profile.upright_side()
        {
            let left = 2.0 * (upper - place.z).min(place.z - lower).max(0.0);
            let along = side.axis() - normal * normal.dot(side.axis());
            self.square(left, along.dot(e1), along.dot(e2));
        }
    }

    fn smaller_eigenvalue(&self) -> f64 {
        let (mean, half) = (0.5 * (self.xx + self.yy), 0.5 * (self.xx - self.yy));
        mean - (half * half + self.xy * self.xy).sqrt()
    }
}
