//! Two discs: a lens made of two circular segments, or the smaller disc when it lies inside the larger. The heights of
//! the segments are those of the caps of two balls, and the penetration is found with the same care (see
//! `overlap_sphere_sphere`), so a thin lens keeps its digits. And a disc and a half-plane: one segment.

use super::{CircularSegment, PlanarRegion, RegionSum};
use crate::overlap::overlap_sphere_sphere::penetration;
use glam::DVec2;

/// The region shared by a disc about the origin and one about `centre_b`; `None` when they share no area.
pub fn overlap_disc_disc(radius_a: f64, radius_b: f64, centre_b: DVec2) -> Option<PlanarRegion> {
    let distance = centre_b.length();
    if distance <= (radius_a - radius_b).abs() {
        let inner = if radius_a <= radius_b { DVec2::ZERO } else { centre_b };
        return Some(PlanarRegion::disc(radius_a.min(radius_b), inner));
    }
    let penetration = penetration(radius_a, radius_b, centre_b.extend(0.0), distance);
    if penetration <= 0.0 {
        return None;
    }
    let direction = centre_b / distance;
    let share = |own: f64, other: f64| (0.5 * penetration * ((distance + (other - own)) / distance)).min(2.0 * own);
    let height_a = share(radius_a, radius_b);
    let half_chord = (height_a * (2.0 * radius_a - height_a)).sqrt();
    let middle = direction * (radius_a - height_a);
    let (lower, upper) = (middle - half_chord * direction.perp(), middle + half_chord * direction.perp());
    let mut sum = RegionSum::about(middle);
    let segment_a = CircularSegment::of_height(radius_a, height_a);
    let segment_b = CircularSegment::of_height(radius_b, share(radius_b, radius_a));
    sum.add_segment(&segment_a, DVec2::ZERO, lower, upper);
    sum.add_segment(&segment_b, centre_b, upper, lower);
    // The first moment of an arc about its own centre is zero.
    sum.finish(2.0 * half_chord * direction, 0.0)
}

/// The part of a disc about the origin at n . x <= -height, n being a unit vector and height that of the disc's centre
/// over the line; `None` when there is none.
pub fn overlap_disc_half_plane(radius: f64, normal: DVec2, height: f64) -> Option<PlanarRegion> {
    let depth = radius - height;
    if depth <= 0.0 {
        return None;
    }
    if depth >= 2.0 * radius {
        return Some(PlanarRegion::disc(radius, DVec2::ZERO));
    }
    let segment = CircularSegment::of_height(radius, depth);
    let half_chord = (depth * (2.0 * radius - depth)).sqrt();
    let mut region = PlanarRegion::whole(
        segment.area(),
        -normal * (segment.moment() / segment.area()),
        segment.arc_length() + 2.0 * half_chord,
    );
    region.vector_length = -2.0 * half_chord * normal;
    Some(region)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn apart_touching_and_contained() {
        assert_eq!(overlap_disc_disc(1.0, 2.0, DVec2::X * 3.5), None);
        assert_eq!(overlap_disc_disc(1.0, 2.0, DVec2::X * 3.0), None);
        for centre in [DVec2::ZERO, DVec2::Y * 0.5, DVec2::Y] {
            assert_eq!(overlap_disc_disc(2.0, 1.0, centre), Some(PlanarRegion::disc(1.0, centre)));
            assert_eq!(overlap_disc_disc(1.0, 2.0, centre), Some(PlanarRegion::disc(1.0, DVec2::ZERO)));
        }
    }

    #[test]
    fn equal_discs_through_each_others_centres() {
        let region = overlap_disc_disc(1.0, 1.0, DVec2::Y).unwrap();
        assert!((region.area - (2.0 * PI / 3.0 - 0.75f64.sqrt())).abs() < 1e-15);
        assert!((region.perimeter - 4.0 * PI / 3.0).abs() < 2e-15);
        assert!((region.centroid - DVec2::Y * 0.5).length() < 1e-15);
        assert!((region.vector_length - DVec2::Y * 3f64.sqrt()).length() < 1e-15);
    }

    #[test]
    fn thin_lenses_keep_their_digits() {
        // Each half has half the penetration for its height, exactly.
        for power in 4..50 {
            let penetration = 0.5f64.powi(power);
            let region = overlap_disc_disc(1.0, 1.0, DVec2::X * (2.0 - penetration)).unwrap();
            let expected = 2.0 * CircularSegment::of_height(1.0, 0.5 * penetration).area();
            assert!((region.area / expected - 1.0).abs() < 1e-14, "{penetration}");
        }
    }

    #[test]
    fn a_large_disc_is_like_a_half_plane() {
        let normal = DVec2::new(0.6, 0.8);
        let cap = overlap_disc_half_plane(1.0, normal, 0.3).unwrap();
        let lens = overlap_disc_disc(1.0, 1e6, -normal * (1e6 + 0.3)).unwrap();
        assert!((lens.area / cap.area - 1.0).abs() < 3e-6);
        assert!((lens.centroid - cap.centroid).length() < 3e-6);
        assert!((lens.perimeter / cap.perimeter - 1.0).abs() < 3e-6);
        assert!((lens.vector_length - cap.vector_length).length() < 3e-6);
        assert_eq!(overlap_disc_half_plane(1.0, normal, 1.0), None);
        assert_eq!(overlap_disc_half_plane(1.0, normal, -1.0), Some(PlanarRegion::disc(1.0, DVec2::ZERO)));
    }
}
