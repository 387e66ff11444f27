//! Two balls: a lens made of two spherical caps, or the smaller ball when it lies inside the larger.
//!
//! With distance d and penetration p = r_a + r_b - d the caps have heights h_a = p (d + r_b - r_a) / (2 d) and
//! h_b = p (d + r_a - r_b) / (2 d), h_a + h_b = p. Volume and area are the sums of the caps' volumes and curved areas.
//!
//! A thin lens has p far below the radii, and r_a + r_b - d would lose as many digits. It is computed as
//! ((r_a + r_b)^2 - |d|^2) / (r_a + r_b + |d|) with the numerator in twice the working precision (products by fused
//! multiply-add, sums compensated as by Ogita, Rump and Oishi, 2005), so that volume and area are good to a few 1e-16 of
//! themselves for the radii and centre given. Valid for all balls.

use super::{OverlapRegion, SphericalCap};
use glam::DVec3;

/// The region shared by a ball about the origin and one about `centre_b`; `None` when they share no volume.
pub fn overlap_sphere_sphere(radius_a: f64, radius_b: f64, centre_b: DVec3) -> Option<OverlapRegion> {
    let distance = centre_b.length();
    if distance <= (radius_a - radius_b).abs() {
        let inner = if radius_a <= radius_b { DVec3::ZERO } else { centre_b };
        return Some(OverlapRegion::ball(radius_a.min(radius_b), inner));
    }
    let penetration = penetration(radius_a, radius_b, centre_b, distance);
    if penetration <= 0.0 {
        return None;
    }
    let share = |own: f64, other: f64| (0.5 * penetration * ((distance + (other - own)) / distance)).min(2.0 * own);
    let cap_a = SphericalCap { radius: radius_a, height: share(radius_a, radius_b) };
    let cap_b = SphericalCap { radius: radius_b, height: share(radius_b, radius_a) };
    let volume = cap_a.volume() + cap_b.volume();
    // Measured from the plane of the common circle: a's cap lies beyond it, b's before it.
    let moment = cap_a.volume() * cap_a.centroid_height() - cap_b.volume() * cap_b.centroid_height();
    let along = (radius_a - cap_a.height) + moment / volume;
    Some(OverlapRegion {
        volume,
        centroid: centre_b * (along / distance),
        surface_area: cap_a.curved_area() + cap_b.curved_area(),
        vector_area: centre_b * (cap_a.base_area() / distance),
        first_moment: DVec3::ZERO,
    })
}

/// `radius_a + radius_b - distance`, good to a few 1e-16 of itself.
pub(super) fn penetration(radius_a: f64, radius_b: f64, centre_b: DVec3, distance: f64) -> f64 {
    let (sum, sum_error) = two_sum(radius_a, radius_b);
    let (mut total, mut error) = two_product(sum, sum);
    error += 2.0 * sum * sum_error;
    for x in centre_b.to_array() {
        let (square, square_error) = two_product(x, x);
        let (next, rounding) = two_sum(total, -square);
        total = next;
        error += rounding - square_error;
    }
    (total + error) / (sum + distance)
}

/// a + b, and what rounding took from it (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// a * b, and what rounding took from it.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use std::f64::consts::PI;

    #[test]
    fn apart_touching_and_contained() {
        assert_eq!(overlap_sphere_sphere(1.0, 2.0, DVec3::X * 3.5), None);
        assert_eq!(overlap_sphere_sphere(1.0, 2.0, DVec3::X * 3.0), None);
        for centre in [DVec3::ZERO, DVec3::Y * 0.5, DVec3::Y] {
            let region = overlap_sphere_sphere(2.0, 1.0, centre).unwrap();
            assert_eq!(region, OverlapRegion::ball(1.0, centre));
            assert_eq!(overlap_sphere_sphere(1.0, 2.0, centre).unwrap(), OverlapRegion::ball(1.0, DVec3::ZERO));
        }
        assert_eq!(overlap_sphere_sphere(1.0, 1.0, DVec3::ZERO).unwrap(), OverlapRegion::ball(1.0, DVec3::ZERO));
    }

    #[test]
    fn equal_balls_through_each_others_centres() {
        let region = overlap_sphere_sphere(1.0, 1.0, DVec3::Z).unwrap();
        assert!((region.volume - 5.0 / 12.0 * PI).abs() < 1e-15);
        assert!((region.surface_area - 2.0 * PI).abs() < 1e-14);
        assert!((region.centroid - DVec3::Z * 0.5).length() < 1e-16);
    }

    #[test]
    fn agrees_with_a_sum_over_slices() {
        for (radius_a, radius_b, distance) in
            [(1.0_f64, 0.7_f64, 1.6_f64), (1.0, 0.7, 0.8), (1.0, 0.7, 0.31), (0.2, 3.0, 3.1), (5.0, 0.5, 4.6)]
        {
            let squared = |x: f64| (radius_a * radius_a - x * x).min(radius_b * radius_b - (x - distance).powi(2));
            let (volume, middle) =
                oracle::sum_of_discs(squared, (distance - radius_b).max(-radius_a), radius_a.min(distance + radius_b));
            let direction = DVec3::new(1.0, -2.0, 2.0) / 3.0;
            let region = overlap_sphere_sphere(radius_a, radius_b, direction * distance).unwrap();
            assert!((region.volume / volume - 1.0).abs() < 1e-9, "{distance}: {} {volume}", region.volume);
            assert!((region.centroid - direction * middle).length() < 1e-9, "{distance}");
        }
    }

    #[test]
    fn thin_lenses_keep_their_digits() {
        // Powers of two are exact, so the penetration is known exactly: pi r h^2 (1 - h / (3 r)) for each half.
        for power in 4..50 {
            let penetration = 0.5_f64.powi(power);
            let region = overlap_sphere_sphere(1.0, 1.0, DVec3::X * (2.0 - penetration)).unwrap();
            let height = 0.5 * penetration;
            let expected = 2.0 * PI * height * height * (1.0 - height / 3.0);
            assert!((region.volume / expected - 1.0).abs() < 1e-14, "{penetration}");
            assert!((region.surface_area / (4.0 * PI * height) - 1.0).abs() < 1e-14, "{penetration}");
        }
    }

    #[test]
    fn thin_lenses_in_oblique_directions_keep_their_digits() {
        // (2, 3, 6) has length 7 exactly, so radii 3.5 touch; halving the excess of one radius stays exact.
        for power in 4..45 {
            let excess = 0.5_f64.powi(power);
            let region = overlap_sphere_sphere(3.5, 3.5 + excess, DVec3::new(2.0, 3.0, 6.0)).unwrap();
            let height_a = excess * (7.0 + excess) / 14.0;
            let height_b = excess * (7.0 - excess) / 14.0;
            let cap = |r: f64, h: f64| PI * h * h * (r - h / 3.0);
            let expected = cap(3.5, height_a) + cap(3.5 + excess, height_b);
            assert!((region.volume / expected - 1.0).abs() < 1e-14, "{excess}");
        }
    }
}
