//! A ball and the half-space z <= 0: a spherical cap of height r - z, or the whole ball when z <= -r.
//!
//! The height is one rounded subtraction, so volume and areas are good to a few 1e-16 of themselves for the radius and
//! centre given, however thin the cap.

use super::{OverlapRegion, SphericalCap};
use glam::DVec3;

/// The part of a ball at z <= 0; `None` when there is none.
pub fn overlap_sphere_half_space(radius: f64, centre: DVec3) -> Option<OverlapRegion> {
    let height = radius - centre.z;
    if height <= 0.0 {
        return None;
    }
    if height >= 2.0 * radius {
        return Some(OverlapRegion::ball(radius, centre));
    }
    let cap = SphericalCap { radius, height };
    Some(OverlapRegion {
        volume: cap.volume(),
        centroid: DVec3::new(centre.x, centre.y, -cap.centroid_height()),
        surface_area: cap.curved_area() + cap.base_area(),
        vector_area: DVec3::NEG_Z * cap.base_area(),
        first_moment: centre.cross(DVec3::NEG_Z * cap.base_area()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use std::f64::consts::PI;

    #[test]
    fn apart_touching_half_and_whole() {
        assert_eq!(overlap_sphere_half_space(1.0, DVec3::Z * 1.5), None);
        assert_eq!(overlap_sphere_half_space(1.0, DVec3::Z), None);
        let half = overlap_sphere_half_space(2.0, DVec3::new(3.0, 4.0, 0.0)).unwrap();
        assert!((half.volume - 16.0 / 3.0 * PI).abs() < 1e-14 * half.volume);
        assert!((half.surface_area - 12.0 * PI).abs() < 1e-14 * half.surface_area);
        assert!((half.centroid - DVec3::new(3.0, 4.0, -0.75)).length() < 1e-15);
        for z in [-2.0, -9.0] {
            let whole = overlap_sphere_half_space(2.0, DVec3::new(3.0, 4.0, z)).unwrap();
            assert_eq!(whole.centroid, DVec3::new(3.0, 4.0, z));
            assert!((whole.volume - 32.0 / 3.0 * PI).abs() < 1e-14 * whole.volume);
        }
    }

    #[test]
    fn agrees_with_a_sum_over_slices() {
        for z in [-1.2, -0.4, 0.0, 0.7, 1.2] {
            let radius: f64 = 1.3;
            let (volume, middle) = oracle::sum_of_discs(|x| radius * radius - (x - z) * (x - z), z - radius, 0.0);
            let region = overlap_sphere_half_space(radius, DVec3::new(0.0, 0.0, z)).unwrap();
            assert!((region.volume / volume - 1.0).abs() < 1e-9, "{z}");
            assert!((region.centroid.z - middle).abs() < 1e-9, "{z}");
        }
    }

    #[test]
    fn thin_caps_keep_their_digits() {
        // r = 1 and h a power of two: pi h^2 (3 - h) / 3 with nothing rounded on the way in.
        for power in 1..50 {
            let height = 0.5_f64.powi(power);
            let region = overlap_sphere_half_space(1.0, DVec3::Z * (1.0 - height)).unwrap();
            let expected = PI * height * height * (1.0 - height / 3.0);
            assert!((region.volume / expected - 1.0).abs() < 1e-15, "{height}");
            assert!((region.centroid.z / -(height / 3.0) - 1.0).abs() < height / 6.0, "{height}");
        }
    }
}
