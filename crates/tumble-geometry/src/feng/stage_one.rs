//! Stage one: three checks that tell many pairs apart at little cost.
//!
//! 1. The axes are farther apart than the radii together: apart. The feet of the common perpendicular lie in both
//!    cylinders: in contact (an interior contact).
//! 2. The shadows along the common perpendicular are rectangles. If these are apart, so are the cylinders. Decided with
//!    separating axes: clipping one outline against the other would miss a rectangle inside the other.
//! 3. The shadow of one cylinder along the axis of the other is an ellipse drawn along y. If it keeps away from the circle
//!    of the other, the cylinders are apart. Its distance from the origin is convex and even in the place along y, so that
//!    the base with the smaller |y| decides. Asked both ways round.
//!
//! Feng, Han and Owen (2017), section 3.1, corrected: the ellipse is filled, its centre is that of the base, and what is
//! compared with the radius is the root. A pair that passes all three may still be apart; stage two finds out. "Apart" is
//! never wrong beyond rounding.

use super::FourParameterFrame;
use super::ellipse_distance::{Ellipse, NearestBy};
use crate::Cylinder;

/// What told a pair apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApartBy {
    /// The distance between the axes.
    Axes,
    /// The shadows along the common perpendicular.
    Profiles,
    /// A base of the second cylinder against the side of the first.
    BaseOfSecond,
    /// A base of the first cylinder against the side of the second.
    BaseOfFirst,
}

/// What stage one knows of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cylinders do not touch.
    Apart(ApartBy),
    /// They overlap, and the common perpendicular of their axes passes through both.
    InteriorContact,
    /// Not decided.
    Perhaps,
}

/// The three checks in order.
pub fn non_overlap_checks(frame: &FourParameterFrame, first: &Cylinder, second: &Cylinder, by: NearestBy) -> Verdict {
    checks(frame, first, second, |ellipse| ellipse.distance(by))
}

/// The three checks with the third as printed, on the edge of the ellipse. It tells overlapping pairs apart; here only so
/// that it can be counted how many.
pub fn non_overlap_checks_as_published(frame: &FourParameterFrame, first: &Cylinder, second: &Cylinder) -> Verdict {
    checks(frame, first, second, |ellipse| ellipse.edge_distance(NearestBy::Newton))
}

fn checks(
    frame: &FourParameterFrame,
    first: &Cylinder,
    second: &Cylinder,
    distance: impl Fn(&Ellipse) -> f64,
) -> Verdict {
    if frame.distance.abs() >= first.radius + second.radius {
        return Verdict::Apart(ApartBy::Axes);
    }
    if frame.has_feet_within(first.half_height, second.half_height) {
        return Verdict::InteriorContact;
    }
    if !profiles_overlap(frame, first, second) {
        return Verdict::Apart(ApartBy::Profiles);
    }
    if base_keeps_away(frame, first, second, &distance) {
        return Verdict::Apart(ApartBy::BaseOfSecond);
    }
    if base_keeps_away(&frame.swapped(), second, first, &distance) {
        return Verdict::Apart(ApartBy::BaseOfFirst);
    }
    Verdict::Perhaps
}

/// Whether the rectangles in the plane of y and z of the first frame overlap.
fn profiles_overlap(frame: &FourParameterFrame, first: &Cylinder, second: &Cylinder) -> bool {
    let (c, s) = (frame.cosine, frame.sine);
    [(1.0, 0.0), (0.0, 1.0), (c, -s), (s, c)].into_iter().all(|(p, q)| {
        let reach_1 = first.radius * f64::abs(p) + first.half_height * f64::abs(q);
        let reach_2 = second.radius * f64::abs(p * c - q * s) + second.half_height * f64::abs(p * s + q * c);
        (p * frame.centre_12.y + q * frame.centre_12.z).abs() < reach_1 + reach_2
    })
}

/// Whether the nearer base of the second cylinder, and so all of it, keeps away from the side of the first.
fn base_keeps_away(
    frame: &FourParameterFrame,
    first: &Cylinder,
    second: &Cylinder,
    distance: impl Fn(&Ellipse) -> f64,
) -> bool {
    let y = frame.centre_12.y.abs() - second.half_height * frame.sine;
    // Otherwise the shadow of the second axis crosses y = 0, and step one has compared all there is.
    if y < 0.0 {
        return false;
    }
    let nearer_base =
        Ellipse { x: frame.distance, y, half_axis_x: second.radius, half_axis_y: second.radius * frame.cosine };
    distance(&nearer_base) >= first.radius
}
