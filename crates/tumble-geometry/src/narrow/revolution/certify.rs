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
//!   along the tangent t of its rim. With lambda the smaller eigenvalue of rho_a t_a t_a' + rho_b t_b t_b' the sum is at
//!   least lambda (1 - cos(theta)) (1 + cos(theta)) / 2: enough but for directions near -n0, where the whole widths of
//!   the bodies count. This settles rims that cross.

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
    in_a(depth) || in_b(depth) || (in_a(0.5 * depth) && in_b(0.5 * depth)) || rims_cross(pair, found, &a, &b)
}

/// The proof by two discs.
#[inline(never)]
fn rims_cross<A: Side>(pair: &Pair<A>, found: &Stationary, a: &Place, b: &Place) -> bool {
    let depth = -found.gap;
    let [facing_a, facing_b] = &found.facings;
    let width = |profile: &Profile, f: &Facing| profile.reach(f.u, f.s) + profile.reach(-f.u, f.s);
    let widths = width(pair.a.profile(), facing_a) + width(pair.b.profile, facing_b);
    let sizes = pair.a.profile().bounding_radius + pair.b.profile.bounding_radius;
    // The tangents, each as long as its radius.
    let (tangent_a, tangent_b) = (pair.a.tangent(a.across), pair.b.tangent(b.across));
    // The smaller eigenvalue, from trace and determinant without cancellation.
    let trace = a.rho + b.rho;
    let product = a.rho * b.rho;
    let overlap = tangent_a.dot(tangent_b);
    let determinant = (product * product - overlap * overlap).max(0.0) / product.max(f64::MIN_POSITIVE);
    let root = (trace * trace - 4.0 * determinant).max(0.0).sqrt();
    let lambda = 2.0 * determinant / (trace + root);
    if lambda <= depth {
        return false;
    }
    // Directions with 1 + cos(theta) below 2 delta / lambda are left; they are within 2 sqrt(delta / lambda) of -n0.
    widths - 4.0 * sizes * (depth / lambda).sqrt() >= 2.0 * depth
}
