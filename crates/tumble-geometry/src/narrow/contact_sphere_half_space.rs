//! A ball and the half-space z <= 0.
//!
//! Separation z - r, normal -z: exact everywhere, also for a ball deep inside. There is always one contact, feature 0.

use crate::SurfaceContact;
use glam::DVec3;

/// Appends the contact of a ball with everything at z <= 0, if its separation is at most `margin`.
#[inline]
pub fn contact_sphere_half_space(centre: DVec3, radius: f64, margin: f64, out: &mut Vec<SurfaceContact>) {
    let separation = centre.z - radius;
    if separation <= margin {
        out.push(SurfaceContact::new(0, DVec3::NEG_Z, separation, DVec3::new(centre.x, centre.y, 0.0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margin_decides_what_is_reported() {
        let mut out = Vec::new();
        contact_sphere_half_space(DVec3::new(1.0, 2.0, 1.5), 1.0, 0.4, &mut out);
        assert!(out.is_empty());
        contact_sphere_half_space(DVec3::new(1.0, 2.0, 1.5), 1.0, 0.5, &mut out);
        assert_eq!(out.len(), 1);
        assert_eq!(out[0].separation, 0.5);
        assert_eq!(out[0].point, DVec3::new(1.0, 2.0, 0.0));
        assert_eq!(out[0].point_on_grain(), DVec3::new(1.0, 2.0, 0.5));
    }

    #[test]
    fn a_ball_inside_is_pushed_out_the_way_it_came() {
        let mut out = Vec::new();
        contact_sphere_half_space(DVec3::new(0.0, 0.0, -7.0), 1.0, 0.0, &mut out);
        assert_eq!(out[0].separation, -8.0);
        assert_eq!(out[0].normal, DVec3::NEG_Z);
    }
}
