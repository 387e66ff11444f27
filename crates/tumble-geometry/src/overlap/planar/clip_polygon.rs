//! Two convex polygons, or one and a half-plane: the first is cut by each line of the second in turn (Sutherland and
//! Hodgman, 1974), and every side of what is left remembers whose boundary it lies on. Exact for convex polygons, but for
//! the rounding of the corners. Corners on a line belong to the inside; where sides of both bodies lie on each other, the
//! common piece counts as a's, and the derivative is the one-sided one.

use super::{PlanarRegion, RegionSum, first_moment, vector_length};
use crate::PlanarPose;
use glam::DVec2;

/// A corner of the region and the side that begins there.
#[derive(Clone, Copy, Debug)]
struct Corner {
    place: DVec2,
    /// Whether the side that begins here lies on a's boundary, not on b's.
    on_a: bool,
}

/// The region shared by polygons a and b; `None` when they share no area. `pose_ab` is b seen from a, and the answer is
/// in a's frame.
pub fn overlap_polygon_polygon(a: &[DVec2], b: &[DVec2], pose_ab: &PlanarPose) -> Option<PlanarRegion> {
    let mut corners = whole(a, b.len());
    let mut spare = Vec::with_capacity(a.len() + b.len());
    for (index, start) in b.iter().enumerate() {
        let side = b[(index + 1) % b.len()] - *start;
        let normal = pose_ab.transform_vector(-side.perp());
        cut(&corners, pose_ab.transform_point(*start), normal, &mut spare);
        std::mem::swap(&mut corners, &mut spare);
        if corners.is_empty() {
            return None;
        }
    }
    measure(&corners)
}

/// The part of a polygon (a) at n . x <= -height, n being a unit vector and height that of the local origin over the line;
/// `None` when there is none.
pub fn overlap_half_plane_polygon(corners: &[DVec2], normal: DVec2, height: f64) -> Option<PlanarRegion> {
    let mut inside = Vec::with_capacity(corners.len() + 1);
    cut(&whole(corners, 1), -height * normal, normal, &mut inside);
    measure(&inside)
}

/// A polygon on its own boundary, with room for corners to come.
fn whole(corners: &[DVec2], room: usize) -> Vec<Corner> {
    let mut whole = Vec::with_capacity(corners.len() + room);
    whole.extend(corners.iter().map(|place| Corner { place: *place, on_a: true }));
    whole
}

/// What of a convex polygon lies behind the line through `start` with the outward normal `normal`, of any length.
fn cut(corners: &[Corner], start: DVec2, normal: DVec2, inside: &mut Vec<Corner>) {
    inside.clear();
    let height = |corner: &Corner| normal.dot(corner.place - start);
    for (index, corner) in corners.iter().enumerate() {
        let next = &corners[(index + 1) % corners.len()];
        let (here, there) = (height(corner), height(next));
        let crossing = || corner.place + here / (here - there) * (next.place - corner.place);
        if here < 0.0 || (here == 0.0 && there <= 0.0) {
            inside.push(*corner);
            if here < 0.0 && there > 0.0 {
                inside.push(Corner { place: crossing(), on_a: false });
            }
        } else if here == 0.0 {
            // The polygon leaves here; the line goes on.
            inside.push(Corner { on_a: false, ..*corner });
        } else if there < 0.0 {
            inside.push(Corner { place: crossing(), ..*corner });
        }
    }
}

fn measure(corners: &[Corner]) -> Option<PlanarRegion> {
    let mut sum = RegionSum::about(corners.first()?.place);
    let (mut vector, mut moment) = (DVec2::ZERO, 0.0);
    for (index, corner) in corners.iter().enumerate() {
        let (from, to) = (corner.place, corners[(index + 1) % corners.len()].place);
        sum.add_triangle(from, to);
        sum.perimeter += from.distance(to);
        if corner.on_a {
            vector += vector_length(from, to);
            moment += first_moment(from, to);
        }
    }
    sum.finish(vector, moment)
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
    fn squares_side_by_side_share_a_rectangle() {
        let region = overlap_polygon_polygon(&SQUARE, &SQUARE, &at(1.5, 0.5, 0.0)).unwrap();
        assert!((region.area - 0.75).abs() < 1e-15 && (region.perimeter - 4.0).abs() < 1e-15);
        assert!((region.centroid - DVec2::new(0.75, 0.25)).length() < 1e-15);
        assert!((region.vector_length - DVec2::new(1.5, 0.5)).length() < 1e-15);
        // The right side from -0.5 to 1 and the top from 0.5 to 1: -(1 - 0.25) / 2 and +(1 - 0.25) / 2.
        assert!(region.first_moment.abs() < 1e-15);
        assert_eq!(overlap_polygon_polygon(&SQUARE, &SQUARE, &at(2.5, 0.5, 0.0)), None);
        assert_eq!(overlap_polygon_polygon(&SQUARE, &SQUARE, &at(2.0, 0.5, 0.0)), None);
    }

    #[test]
    fn an_octagon_and_a_square_within_a_square() {
        let region = overlap_polygon_polygon(&SQUARE, &SQUARE, &at(0.0, 0.0, std::f64::consts::FRAC_PI_4)).unwrap();
        assert!((region.area - 8.0 * (2f64.sqrt() - 1.0)).abs() < 1e-14);
        assert!(region.vector_length.length() < 1e-14 && region.first_moment.abs() < 1e-14);
        let small = SQUARE.map(|corner| corner * 0.25);
        for (a, b, centre) in [(SQUARE, small, DVec2::new(0.3, 0.2)), (small, SQUARE, DVec2::ZERO)] {
            let region = overlap_polygon_polygon(&a, &b, &at(0.3, 0.2, 0.4)).unwrap();
            assert!((region.area - 0.25).abs() < 1e-15 && (region.perimeter - 2.0).abs() < 1e-14);
            assert!((region.centroid - centre).length() < 1e-15, "{region:?}");
            assert!(region.vector_length.length() < 1e-15);
        }
    }

    #[test]
    fn identical_squares_share_the_square() {
        let region = overlap_polygon_polygon(&SQUARE, &SQUARE, &at(0.0, 0.0, 0.0)).unwrap();
        assert_eq!((region.area, region.perimeter, region.centroid), (4.0, 8.0, DVec2::ZERO));
    }

    #[test]
    fn a_half_plane_cuts_a_strip() {
        let region = overlap_half_plane_polygon(&SQUARE, DVec2::Y, 0.75).unwrap();
        assert!((region.area - 0.5).abs() < 1e-15 && (region.perimeter - 4.5).abs() < 1e-15);
        assert!((region.centroid - DVec2::new(0.0, -0.875)).length() < 1e-15);
        assert!((region.vector_length - DVec2::new(0.0, -2.0)).length() < 1e-15);
        assert_eq!(overlap_half_plane_polygon(&SQUARE, DVec2::Y, 1.0), None);
        assert_eq!(overlap_half_plane_polygon(&SQUARE, DVec2::Y, -1.0).unwrap().area, 4.0);
    }
}
