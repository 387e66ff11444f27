//! What a contact answer says, and THE place where its signs are written down.
//!
//! - The unit normal points from a to b.
//! - The separation is the largest gap over all directions: positive, the bodies are apart by that distance; negative,
//!   they overlap and its size is the shortest translation that takes them apart.
//! - `point_a` lies on a, `point_b` on b, and `point_b - point_a = separation * normal`.
//! - Moving b by `-separation * normal` makes the bodies just touch.

use glam::DVec3;

/// The contact between two bodies a and b, apart or overlapping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Unit normal, from a to b.
    pub normal: DVec3,
    /// Signed distance [m]: gap > 0, penetration < 0.
    pub separation: f64,
    /// Witness point on a.
    pub point_a: DVec3,
    /// Witness point on b.
    pub point_b: DVec3,
}

impl Contact {
    /// What a question without a limit would answer for bodies infinitely far apart.
    pub const NOWHERE: Contact =
        Contact { normal: DVec3::X, separation: f64::INFINITY, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
}

/// A contact that could not be found to the tolerance of [`crate::tolerance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotConverged {
    /// The best that was found. Its verdict and separation may be wrong by `bound`.
    pub best: Contact,
    /// How far the separation may be off [m].
    pub bound: f64,
}
