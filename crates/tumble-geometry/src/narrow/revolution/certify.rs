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
//!   holds if the two radii add up to delta. This settles sides and caps.
//! - The disc of the body through the point, of radius rho about the axis, gives k >= rho y^2 / 2 with y the component of n
//!   along the tangent t of its rim. With lambda the smaller eigenvalue of rho_a t_a t_a' + rho_b t_b t_b' the sum is at
//!   least lambda (1 - cos(theta)) (1 + cos(theta)) / 2: enough but for directions near -n0, where the whole widths of
//!   the bodies count. This settles rims that cross.

use super::Pair;
use super::ascend::Stationary;
use super::profile::Side;
use crate::tolerance;
use glam::DVec3;

/// The disc of a body through its point.
#[derive(Clone, Copy, Default)]
struct Disc {
    radius: f64,
    tangent: DVec3,
    /// Width of the body along the normal [m].
    width: f64,
}

/// Adds the radius of a ball inside a body and tells whether that is enough; if not, gives the disc through its point.
#[inline(always)]
fn add<S: Side>(side: &S, found: &Stationary, k: usize, balls: &mut f64, needed: f64, disc: &mut Disc) -> bool {
    let (place, facing) = (found.points[k] - side.centre(), &found.facings[k]);
    let z = place.dot(side.axis());
    // Normal and point share a half-plane through the axis; on a cap it is the point's.
    let across = side.across(place);
    let rho = across.length();
    let profile = side.profile();
    *balls += profile.ball_within(rho, z, [facing.s, facing.u]);
    if *balls >= needed {
        return true;
    }
    let tangent = side.tangent(across) / rho.max(f64::MIN_POSITIVE);
    *disc =
        Disc { radius: rho, tangent, width: profile.reach(facing.u, facing.s) + profile.reach(-facing.u, facing.s) };
    false
}

/// Whether a stationary direction is known to have the largest gap. For bodies apart, it always has.
#[inline(always)]
pub(super) fn is_best(pair: &Pair, found: &Stationary) -> bool {
    if found.gap >= 0.0 {
        return true;
    }
    let depth = -found.gap;
    // Where nothing is left of a margin for rounding, either side of a tie is as good.
    let needed = depth * (1.0 - tolerance::EXACT);
    let mut balls = 0.0;
    let mut discs = [Disc::default(); 2];
    if add(&pair.a, found, 0, &mut balls, needed, &mut discs[0])
        || add(&pair.b, found, 1, &mut balls, needed, &mut discs[1])
    {
        return true;
    }
    let [a, b] = &discs;
    let widths = a.width + b.width;
    let sizes = pair.a.0.bounding_radius + pair.b.profile.bounding_radius;
    let cosine = a.tangent.dot(b.tangent);
    // The smaller eigenvalue, from trace and determinant without cancellation.
    let trace = a.radius + b.radius;
    let determinant = a.radius * b.radius * (1.0 - cosine * cosine).max(0.0);
    let root = (trace * trace - 4.0 * determinant).max(0.0).sqrt();
    let lambda = 2.0 * determinant / (trace + root);
    if lambda <= depth {
        return false;
    }
    // Directions with 1 + cos(theta) below 2 delta / lambda are left; they are within 2 sqrt(delta / lambda) of -n0.
    widths - 4.0 * sizes * (depth / lambda).sqrt() >= 2.0 * depth
}
