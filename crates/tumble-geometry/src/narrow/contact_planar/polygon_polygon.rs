//! Two convex polygons.
//!
//! The boundary of the Minkowski difference b - a is made of sides, each parallel to a side of a or of b, and of corners,
//! each the difference of two corners. So the largest gap lies at the outward normal of a side of a, at the inward normal
//! of a side of b, or, for bodies apart, at the direction between the two nearest corners. All sides are tried; if the
//! best of them does not prove itself (the other body's nearest corner does not fall on it), the nearest corners too.
//! Every candidate is judged by its gap over all corners, a safe bound for any direction, so that one spoilt by rounding
//! cannot win. Exact, about 1e-16 of the size. At ties the first side of a wins.
//!
//! Sides that lie on each other touch along a segment; the witness points are those of its middle. Cost: sides times
//! corners, which for the polygons of grains is less than the search that would avoid it.

use super::{PlanarContact, Side, sides};
use crate::{PlanarPose, tolerance};
use glam::DVec2;

/// The contact between polygons a and b with at least three corners each; `pose_ab` is b seen from a, and the answer is
/// in a's frame.
pub fn contact_polygon_polygon(a: &[DVec2], b: &[DVec2], pose_ab: &PlanarPose) -> PlanarContact {
    let pose_ba = pose_ab.inverse();
    let size = [a, b].into_iter().flatten().map(|corner| corner.length_squared()).fold(0.0, f64::max).sqrt();
    let on_a = best_side(a, b, pose_ab);
    let on_b = best_side(b, a, &pose_ba);
    let (best, proven) = match (on_a, on_b) {
        (Some(x), Some(y)) if x.gap >= y.gap => (x.witnesses(b, pose_ab, size), x.proven),
        (_, Some(y)) => (y.witnesses(a, &pose_ba, size).swapped().transformed(pose_ab), y.proven),
        (Some(x), None) => (x.witnesses(b, pose_ab, size), x.proven),
        // Only for polygons without a single side.
        (None, None) => (PlanarContact::between(DVec2::ZERO, pose_ab.position), false),
    };
    // Below this the bodies overlap, whatever the rounding, and only the sides count.
    if proven || best.separation < -tolerance::SAME_HEIGHT * size {
        return best;
    }
    match nearest_corners(a, b, pose_ab) {
        Some(corners) if corners.separation > best.separation => corners,
        _ => best,
    }
}

/// The side of a polygon beyond which the other lies farthest, or least deep.
struct BestSide {
    side: Side,
    /// Gap along the side's normal [m].
    gap: f64,
    /// Number of the other's corner nearest to the side.
    corner: usize,
    /// Whether that corner falls on the side: then no direction has a larger gap if this one is positive.
    proven: bool,
}

/// The side of `of` with the largest gap; `pose` is `other` seen from `of`.
fn best_side(of: &[DVec2], other: &[DVec2], pose: &PlanarPose) -> Option<BestSide> {
    let mut best: Option<BestSide> = None;
    for side in sides(of) {
        let floor = best.as_ref().map_or(f64::NEG_INFINITY, |found| found.gap);
        let local = pose.inverse_transform_vector(side.normal);
        let offset = side.normal.dot(pose.position - side.start);
        let (mut gap, mut lowest) = (f64::INFINITY, 0);
        for (index, corner) in other.iter().enumerate() {
            let height = local.dot(*corner) + offset;
            if height < gap {
                (gap, lowest) = (height, index);
                if gap <= floor {
                    break;
                }
            }
        }
        if gap > floor && gap.is_finite() {
            best = Some(BestSide { side, gap, corner: lowest, proven: false });
        }
    }
    if let Some(found) = &mut best {
        let along = found.side.tangent.dot(pose.transform_point(other[found.corner]) - found.side.start);
        found.proven = (0.0..=found.side.length).contains(&along);
    }
    best
}

impl BestSide {
    /// The contact along this side's normal, with the polygon of the side as a.
    fn witnesses(&self, other: &[DVec2], pose: &PlanarPose, size: f64) -> PlanarContact {
        let Side { start, tangent, length, normal, .. } = self.side;
        let at = |index: usize| {
            let offset = pose.transform_point(other[index % other.len()]) - start;
            (tangent.dot(offset), normal.dot(offset))
        };
        // What of the other lies on its line of support: a corner, or a side if a neighbour is as near.
        let (along, lowest) = at(self.corner);
        let (mut from, mut to) = (along, along);
        for neighbour in [self.corner + 1, self.corner + other.len() - 1] {
            let (along, height) = at(neighbour);
            if height - lowest <= tolerance::SAME_HEIGHT * size {
                (from, to) = (from.min(along), to.max(along));
            }
        }
        // They share a segment of that line. Should rounding leave none, its ends have changed places by a hair.
        let middle = 0.5 * (from.max(0.0) + to.min(length));
        let point_a = start + middle.clamp(0.0, length) * tangent;
        PlanarContact { normal, separation: self.gap, point_a, point_b: point_a + self.gap * normal }
    }
}

/// The contact along the line between the two nearest corners; `None` when they coincide.
fn nearest_corners(a: &[DVec2], b: &[DVec2], pose_ab: &PlanarPose) -> Option<PlanarContact> {
    let mut nearest = (f64::INFINITY, DVec2::ZERO, DVec2::ZERO);
    for corner_b in b.iter().map(|corner| pose_ab.transform_point(*corner)) {
        for &corner_a in a {
            let distance = (corner_b - corner_a).length_squared();
            if distance < nearest.0 {
                nearest = (distance, corner_a, corner_b);
            }
        }
    }
    let (_, point_a, point_b) = nearest;
    if point_a.distance(point_b) == 0.0 {
        return None;
    }
    let contact = PlanarContact::between(point_a, point_b);
    let PlanarContact { normal, separation, .. } = contact;
    let highest_of_a = a.iter().map(|corner| normal.dot(*corner - point_a)).fold(0.0, f64::max);
    let lowest_of_b = b.iter().map(|corner| normal.dot(pose_ab.transform_point(*corner) - point_b)).fold(0.0, f64::min);
    Some(PlanarContact { separation: separation + (lowest_of_b - highest_of_a), ..contact })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec2; 4] =
        [DVec2::new(-1.0, -1.0), DVec2::new(1.0, -1.0), DVec2::new(1.0, 1.0), DVec2::new(-1.0, 1.0)];

    fn at(x: f64, y: f64, angle: f64) -> PlanarPose {
        PlanarPose::from_angle(DVec2::new(x, y), angle)
    }

    #[test]
    fn sides_on_each_other_meet_in_the_middle_of_what_they_share() {
        for x in [1.9, 2.0, 2.5] {
            let contact = contact_polygon_polygon(&SQUARE, &SQUARE, &at(x, 0.6, 0.0));
            assert!((contact.separation - (x - 2.0)).abs() < 1e-15);
            assert_eq!(contact.normal, DVec2::X);
            assert!((contact.point_a - DVec2::new(1.0, 0.3)).length() < 1e-15);
            assert!((contact.point_b - DVec2::new(x - 1.0, 0.3)).length() < 1e-15);
        }
    }

    #[test]
    fn corners_that_face_each_other_are_as_far_apart_as_they_are() {
        let contact = contact_polygon_polygon(&SQUARE, &SQUARE, &at(5.0, 6.0, 0.0));
        assert!((contact.separation - 5.0).abs() < 1e-15);
        assert!((contact.normal - DVec2::new(0.6, 0.8)).length() < 1e-15);
        assert_eq!((contact.point_a, contact.point_b), (DVec2::ONE, DVec2::new(4.0, 5.0)));
    }

    #[test]
    fn a_corner_in_a_side() {
        let corner = 2f64.sqrt();
        let contact = contact_polygon_polygon(&SQUARE, &SQUARE, &at(2.3, 0.2, std::f64::consts::FRAC_PI_4));
        assert!((contact.separation - (1.3 - corner)).abs() < 1e-15, "{contact:?}");
        assert!((contact.point_b - DVec2::new(2.3 - corner, 0.2)).length() < 1e-15);
        assert!((contact.point_a - DVec2::new(1.0, 0.2)).length() < 1e-15);
    }

    #[test]
    fn corners_on_each_other_touch() {
        for angle in [0.0, 1.0, std::f64::consts::FRAC_PI_4] {
            let pose = PlanarPose::from_angle(DVec2::ZERO, angle);
            let pose = PlanarPose { position: DVec2::ONE - pose.transform_vector(SQUARE[0]), ..pose };
            let contact = contact_polygon_polygon(&SQUARE, &SQUARE, &pose);
            // Turned by 1 rad the corner reaches into the square.
            if angle != 1.0 {
                assert!(contact.separation.abs() < 1e-15, "{contact:?}");
            }
            assert!((contact.normal.length() - 1.0).abs() < 1e-15);
        }
    }
}
