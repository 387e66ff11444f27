//! A polyline turned about an axis.

use crate::{Aabb, GeometryError, Pose, tolerance};
use glam::{DVec2, DVec3};

/// The thin shell swept by a polyline (distance from the axis, height) about the local z axis. Grains meet it from
/// either side. A polyline whose last corner equals its first is closed: a ring.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolved {
    /// Corners of the profile, (distance from the axis, height along it) [m]; at least two, no distance negative.
    profile: Vec<[f64; 2]>,
    /// The segments between successive corners.
    segments: Vec<ProfileSegment>,
    /// Whether the last corner is the first one again.
    closed: bool,
    /// Largest coordinate of the profile [m]: what rounding errors are measured in.
    length_scale: f64,
    /// Smallest distance of the profile from the axis [m].
    inner_radius: f64,
}

/// A segment of a profile, in the half-plane (distance from the axis, height).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ProfileSegment {
    /// First corner [m].
    pub start: DVec2,
    /// Last corner [m].
    pub end: DVec2,
    /// Unit vector from start to end.
    pub direction: DVec2,
    /// Unit vector to the left of the direction.
    pub normal: DVec2,
    /// Distance from start to end [m].
    pub length: f64,
    /// Smallest distance from the axis [m].
    pub inner_radius: f64,
}

impl ProfileSegment {
    /// Square of the least distance of a place of the half-plane [m^2]: nothing of the surface that the segment sweeps is
    /// nearer.
    #[inline]
    pub fn distance_squared(&self, place: DVec2) -> f64 {
        let offset = place - self.start;
        let along = offset.dot(self.direction).clamp(0.0, self.length);
        (offset - self.direction * along).length_squared()
    }
}

impl Revolved {
    /// The shell swept by a profile of corners (distance from the axis, height along it) [m].
    pub fn new(profile: Vec<[f64; 2]>) -> Result<Revolved, GeometryError> {
        if profile.len() < 2 {
            return Err(GeometryError::ProfileTooShort { n_corners: profile.len() });
        }
        for (corner, &[rho, z]) in profile.iter().enumerate() {
            if !(rho.is_finite() && z.is_finite()) {
                return Err(GeometryError::ProfileNotFinite { corner, rho, z });
            }
            if rho < 0.0 {
                return Err(GeometryError::ProfileNegativeRadius { corner, rho });
            }
        }
        let mut segments: Vec<ProfileSegment> = Vec::with_capacity(profile.len() - 1);
        for (segment, ends) in profile.windows(2).enumerate() {
            let (start, end) = (DVec2::from(ends[0]), DVec2::from(ends[1]));
            let length = (end - start).length();
            if length == 0.0 {
                return Err(GeometryError::ProfileSegmentWithoutLength { segment });
            }
            if start.x == 0.0 && end.x == 0.0 {
                return Err(GeometryError::ProfileSegmentOnAxis { segment });
            }
            let direction = (end - start) / length;
            let inner_radius = start.x.min(end.x);
            segments.push(ProfileSegment { start, end, direction, normal: direction.perp(), length, inner_radius });
        }
        for (index, pair) in segments.windows(2).enumerate() {
            let (before, after) = (pair[0].direction, pair[1].direction);
            if before.dot(after) < 0.0 && before.perp_dot(after).abs() < tolerance::DEGENERATE_TRIANGLE {
                return Err(GeometryError::ProfileTurnsBack { corner: index + 1 });
            }
        }
        let closed = profile.len() > 3 && profile.first() == profile.last();
        let length_scale = profile.iter().flatten().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let inner_radius = profile.iter().fold(f64::INFINITY, |smallest, corner| smallest.min(corner[0]));
        Ok(Revolved { profile, segments, closed, length_scale, inner_radius })
    }

    /// A straight tube, open at both ends, from -`half_length` to `half_length` along z.
    pub fn tube(radius: f64, half_length: f64) -> Result<Revolved, GeometryError> {
        Revolved::closed_cylinder(radius, half_length, false, false)
    }

    /// A tube with a flat end at the bottom (-z), the top (+z), both or neither.
    pub fn closed_cylinder(radius: f64, half_length: f64, bottom: bool, top: bool) -> Result<Revolved, GeometryError> {
        positive("radius", radius)?;
        positive("half length", half_length)?;
        let mut profile = Vec::with_capacity(4);
        if bottom {
            profile.push([0.0, -half_length]);
        }
        profile.push([radius, -half_length]);
        profile.push([radius, half_length]);
        if top {
            profile.push([0.0, half_length]);
        }
        Revolved::new(profile)
    }

    /// A cone, open at both ends, with the given radii at -`half_length` and +`half_length` along z. One radius may be
    /// zero: the cone then ends in a point.
    pub fn cone(radius_bottom: f64, radius_top: f64, half_length: f64) -> Result<Revolved, GeometryError> {
        for (quantity, value) in [("bottom radius", radius_bottom), ("top radius", radius_top)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(GeometryError::LengthNegative { quantity, value });
            }
        }
        positive("half length", half_length)?;
        if radius_bottom == 0.0 && radius_top == 0.0 {
            return Err(GeometryError::ConeWithoutRadius);
        }
        Revolved::new(vec![[radius_bottom, -half_length], [radius_top, half_length]])
    }

    /// Corners of the profile, (distance from the axis, height along it) [m].
    pub fn profile(&self) -> &[[f64; 2]] {
        &self.profile
    }

    /// Whether the profile's last corner is its first one again.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Area of one side of the shell [m^2] (Pappus).
    pub fn area(&self) -> f64 {
        self.segments.iter().map(|s| std::f64::consts::PI * (s.start.x + s.end.x) * s.length).sum()
    }

    /// Bounds in a pose: the box of the circles that the corners sweep.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        let axis = pose.transform_vector(DVec3::Z);
        // A unit circle about the axis reaches sqrt(1 - axis_i^2) along coordinate i.
        let reach = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
        self.profile.iter().fold(Aabb::EMPTY, |bounds, &[rho, z]| {
            let centre = pose.position + axis * z;
            bounds.join(&Aabb { lower: centre - reach * rho, upper: centre + reach * rho })
        })
    }

    /// The segments between successive corners.
    pub(crate) fn segments(&self) -> &[ProfileSegment] {
        &self.segments
    }

    /// Largest coordinate of the profile [m].
    pub(crate) fn length_scale(&self) -> f64 {
        self.length_scale
    }

    /// Smallest distance of the profile from the axis [m].
    pub(crate) fn inner_radius(&self) -> f64 {
        self.inner_radius
    }
}

/// Refuses a length that is not positive and finite.
fn positive(quantity: &'static str, value: f64) -> Result<(), GeometryError> {
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(GeometryError::LengthNotPositive { quantity, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use std::f64::consts::PI;

    #[test]
    fn impossible_profiles_are_refused_with_their_place() {
        use GeometryError::*;
        let refused = |profile: &[[f64; 2]]| Revolved::new(profile.to_vec()).unwrap_err();
        assert_eq!(refused(&[]), ProfileTooShort { n_corners: 0 });
        assert_eq!(refused(&[[1.0, 0.0]]), ProfileTooShort { n_corners: 1 });
        assert!(matches!(refused(&[[1.0, 0.0], [f64::NAN, 0.0]]), ProfileNotFinite { corner: 1, .. }));
        assert!(matches!(refused(&[[1.0, f64::INFINITY], [1.0, 0.0]]), ProfileNotFinite { corner: 0, .. }));
        assert_eq!(refused(&[[1.0, 0.0], [-0.5, 1.0]]), ProfileNegativeRadius { corner: 1, rho: -0.5 });
        assert_eq!(refused(&[[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]), ProfileSegmentWithoutLength { segment: 1 });
        assert_eq!(refused(&[[1.0, 0.0], [2.0, 1.0], [1.0, 0.0]]), ProfileTurnsBack { corner: 1 });
        assert_eq!(refused(&[[0.0, 0.0], [0.0, 1.0]]), ProfileSegmentOnAxis { segment: 0 });
        assert_eq!(Revolved::tube(-1.0, 1.0).unwrap_err(), LengthNotPositive { quantity: "radius", value: -1.0 });
        assert_eq!(Revolved::tube(1.0, 0.0).unwrap_err(), LengthNotPositive { quantity: "half length", value: 0.0 });
        assert_eq!(
            Revolved::cone(-1.0, 1.0, 1.0).unwrap_err(),
            LengthNegative { quantity: "bottom radius", value: -1.0 }
        );
        assert_eq!(Revolved::cone(0.0, 0.0, 1.0).unwrap_err(), ConeWithoutRadius);
    }

    #[test]
    fn areas_of_known_bodies() {
        let closed = Revolved::closed_cylinder(2.0, 3.0, true, true).unwrap();
        assert!((closed.area() - (2.0 * PI * 4.0 + 2.0 * PI * 2.0 * 6.0)).abs() < 1e-12);
        let cone = Revolved::cone(3.0, 0.0, 2.0).unwrap();
        assert!((cone.area() - PI * 3.0 * 5.0).abs() < 1e-12);
    }

    #[test]
    fn bounds_hold_the_surface_and_touch_it() {
        let cone = Revolved::cone(1.0, 0.25, 0.8).unwrap();
        let pose = Pose::new(DVec3::new(0.3, -1.0, 2.0), DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 1.1, -0.7));
        let bounds = cone.bounds(&pose);
        let points = (0..2000).flat_map(|k| {
            let angle = k as f64 / 2000.0 * 2.0 * PI;
            cone.profile().iter().map(move |&[rho, z]| DVec3::new(rho * angle.cos(), rho * angle.sin(), z))
        });
        let sampled = Aabb::of_points(points.map(|p| pose.transform_point(p)));
        assert!(bounds.grown(1e-12).contains(sampled.lower) && bounds.grown(1e-12).contains(sampled.upper));
        // 2000 samples miss the extreme of a unit circle by at most 1 - cos(pi / 2000).
        assert!((bounds.extent() - sampled.extent()).max_element() < 4e-6);
    }
}
