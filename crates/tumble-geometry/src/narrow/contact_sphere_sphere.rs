//! Two balls.
//!
//! With d the vector from centre to centre: normal d / |d|, separation |d| - (r_a + r_b). Exact for every pair. When
//! the centres coincide every direction is as good as any other; the answer is then +x, and the separation is
//! -(r_a + r_b), the limit of the formula. The separation of a thin contact carries the rounding of |d|, about 1e-16
//! of the size and not of the overlap.

use crate::{Contact, tolerance};
use glam::DVec3;

/// The contact between a ball of radius `radius_a` about the origin and one of radius `radius_b` about `centre_b`.
#[inline]
pub fn contact_sphere_sphere(radius_a: f64, radius_b: f64, centre_b: DVec3) -> Contact {
    let sum = radius_a + radius_b;
    let distance = centre_b.length();
    let normal = if distance > tolerance::COINCIDENT * sum { centre_b / distance } else { DVec3::X };
    Contact { normal, separation: distance - sum, point_a: normal * radius_a, point_b: centre_b - normal * radius_b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apart_touching_and_overlapping_along_an_axis() {
        for (distance, separation) in [(5.0, 2.0), (3.0, 0.0), (2.5, -0.5), (0.5, -2.5)] {
            let contact = contact_sphere_sphere(1.0, 2.0, DVec3::new(0.0, -distance, 0.0));
            assert_eq!(contact.separation, separation);
            assert_eq!(contact.normal, DVec3::NEG_Y);
            assert_eq!(contact.point_a, DVec3::new(0.0, -1.0, 0.0));
            assert_eq!(contact.point_b, DVec3::new(0.0, 2.0 - distance, 0.0));
        }
    }

    #[test]
    fn coincident_centres_have_a_fixed_direction() {
        for centre in [DVec3::ZERO, DVec3::new(1e-200, 0.0, -1e-180)] {
            let contact = contact_sphere_sphere(0.3, 0.2, centre);
            assert_eq!(contact.normal, DVec3::X);
            assert_eq!(contact.separation, -0.5);
        }
    }

    #[test]
    fn nearly_coincident_centres_keep_their_direction() {
        let direction = DVec3::new(2.0, -3.0, 6.0) / 7.0;
        for distance in [1e-20, 1e-60, 1e-95] {
            let contact = contact_sphere_sphere(1.0, 1.0, direction * distance);
            assert!((contact.normal - direction).length() < 1e-15, "{distance}");
        }
    }
}
