//! A disc and a convex polygon.
//!
//! With c the centre and p the polygon, gap(n) = n.c - h_p(n) - r. Its maximum lies at the normal of a side, or, with the
//! centre outside, at the direction from the nearest corner to the centre. Both kinds of candidate are evaluated through
//! gap(n) itself, which is a safe bound for any n: a direction spoilt by rounding (centre on a corner) can lose but never
//! win. Exact, about 1e-16 of the size. At ties (centre at equal distance from two sides) the first side wins.

use super::{PlanarContact, sides};
use glam::DVec2;

/// The contact between a disc (a) and a polygon (b) with at least three corners, in the polygon's frame.
pub fn contact_disc_polygon(radius: f64, corners: &[DVec2], centre: DVec2) -> PlanarContact {
    let mut height = f64::NEG_INFINITY;
    let mut outward = DVec2::X;
    for side in sides(corners) {
        let candidate = side.normal.dot(centre - side.start);
        if candidate > height {
            (height, outward) = (candidate, side.normal);
        }
    }
    let mut foot = centre - height * outward;
    if height > 0.0 {
        let from_corner = |corner: &DVec2| (centre - *corner).length_squared();
        let nearest = corners.iter().min_by(|x, y| from_corner(x).total_cmp(&from_corner(y)));
        if let Some(&corner) = nearest {
            let distance = (centre - corner).length();
            let direction = (centre - corner) / distance;
            let highest = corners.iter().map(|other| direction.dot(*other - corner)).fold(0.0, f64::max);
            if distance - highest > height {
                (height, outward, foot) = (distance - highest, direction, corner);
            }
        }
    }
    PlanarContact { normal: -outward, separation: height - radius, point_a: centre - radius * outward, point_b: foot }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec2; 4] =
        [DVec2::new(-1.0, -1.0), DVec2::new(1.0, -1.0), DVec2::new(1.0, 1.0), DVec2::new(-1.0, 1.0)];

    #[test]
    fn beside_a_side_beyond_a_corner_and_inside() {
        let beside = contact_disc_polygon(0.5, &SQUARE, DVec2::new(2.0, 0.3));
        assert_eq!((beside.separation, beside.normal), (0.5, DVec2::NEG_X));
        assert_eq!((beside.point_a, beside.point_b), (DVec2::new(1.5, 0.3), DVec2::new(1.0, 0.3)));
        // 3, 4, 5 from the corner.
        let beyond = contact_disc_polygon(0.5, &SQUARE, DVec2::new(4.0, 5.0));
        assert!((beyond.separation - 4.5).abs() < 1e-15 && (beyond.normal - DVec2::new(-0.6, -0.8)).length() < 1e-15);
        assert_eq!(beyond.point_b, DVec2::new(1.0, 1.0));
        let inside = contact_disc_polygon(0.5, &SQUARE, DVec2::new(0.1, -0.7));
        assert!((inside.separation + 0.8).abs() < 1e-15);
        assert_eq!(inside.normal, DVec2::Y);
        assert!((inside.point_b - DVec2::new(0.1, -1.0)).length() < 1e-15);
    }

    #[test]
    fn a_centre_on_a_corner_has_a_depth_of_the_radius() {
        for offset in [DVec2::ZERO, DVec2::splat(1e-17), DVec2::new(1e-200, -1e-300), DVec2::new(1e-15, 2e-15)] {
            let contact = contact_disc_polygon(0.5, &SQUARE, DVec2::ONE + offset);
            assert!((contact.separation + 0.5).abs() < 1e-14, "{contact:?}");
            assert!((contact.normal.length() - 1.0).abs() < 1e-15);
            // A direction that supports the corner.
            assert!(contact.normal.x <= 0.0 && contact.normal.y <= 0.0);
        }
    }
}
