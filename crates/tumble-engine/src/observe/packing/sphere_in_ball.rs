//! Volume that two balls share, in closed form: a cap of each, on either side of the plane of their common circle.
//!
//! At centre distance d the caps are h_1 = (r_2 - r_1 + d) (r_1 + r_2 - d) / (2 d) and the same with 1 and 2 swapped;
//! a cap of height h has the volume pi h^2 (3 r - h) / 3. No difference of large volumes is taken, so a small sphere
//! on the edge of a huge ball is as accurate as two equal ones.

use glam::DVec3;
use std::f64::consts::PI;

/// Volume of the part of a sphere that lies in a ball [m^3].
pub(super) fn sphere_in_ball(centre: DVec3, radius: f64, ball_centre: DVec3, ball_radius: f64) -> f64 {
    let distance = centre.distance(ball_centre);
    if distance >= radius + ball_radius {
        return 0.0;
    }
    let smaller = radius.min(ball_radius);
    if distance <= (radius - ball_radius).abs() {
        return 4.0 / 3.0 * PI * smaller.powi(3);
    }
    let depth = (radius + ball_radius - distance) / (2.0 * distance);
    let cap = |own: f64, other: f64| {
        let height = (other - own + distance) * depth;
        PI / 3.0 * height * height * (3.0 * own - height)
    };
    cap(radius, ball_radius) + cap(ball_radius, radius)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equal_balls_at_one_radius_share_five_sixteenths() {
        let part = sphere_in_ball(DVec3::X, 1.0, DVec3::ZERO, 1.0);
        assert!((part - 5.0 / 12.0 * PI).abs() < 1e-15);
    }

    #[test]
    fn contained_and_apart() {
        let whole = 4.0 / 3.0 * PI;
        assert_eq!(sphere_in_ball(DVec3::X, 1.0, DVec3::ZERO, 2.0), whole);
        assert_eq!(sphere_in_ball(DVec3::X, 2.0, DVec3::ZERO, 1.0), whole);
        assert_eq!(sphere_in_ball(DVec3::X * 3.0, 1.0, DVec3::ZERO, 2.0), 0.0);
    }

    #[test]
    fn a_huge_ball_cuts_like_a_plane() {
        // A plane through the centre leaves half; the sliver between plane and ball is s^2 / (2 R) wide at
        // the distance s from the line of centres, which over the central disc makes pi / (4 R).
        let big = 1e6;
        let part = sphere_in_ball(DVec3::X * big, 1.0, DVec3::ZERO, big);
        let expected = 2.0 / 3.0 * PI - PI / (4.0 * big);
        assert!((part - expected).abs() < 1e-11, "{part} {expected}");
    }
}
