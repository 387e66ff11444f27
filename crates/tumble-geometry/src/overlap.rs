//! The region that two bodies share: its volume, its centroid and the area of its surface.

mod overlap_sphere_half_space;
mod overlap_sphere_sphere;
mod spherical_cap;

pub use overlap_sphere_half_space::overlap_sphere_half_space;
pub use overlap_sphere_sphere::overlap_sphere_sphere;

use crate::{Pose, Shape};
use glam::DVec3;
use spherical_cap::SphericalCap;
use std::f64::consts::PI;

/// The region that two bodies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapRegion {
    /// Volume [m^3].
    pub volume: f64,
    /// Centre of volume [m].
    pub centroid: DVec3,
    /// Area of the whole surface [m^2].
    pub surface_area: f64,
}

impl OverlapRegion {
    /// A whole ball.
    fn ball(radius: f64, centroid: DVec3) -> OverlapRegion {
        OverlapRegion { volume: 4.0 / 3.0 * PI * radius.powi(3), centroid, surface_area: 4.0 * PI * radius * radius }
    }

    /// The region taken to the frame in which its own frame has this pose.
    pub fn transformed(&self, pose: &Pose) -> OverlapRegion {
        OverlapRegion { centroid: pose.transform_point(self.centroid), ..*self }
    }
}

/// The region that shapes a and b share; `None` when they share no volume. `pose_ab` is b seen from a; the answer is in
/// a's frame.
pub fn overlap(a: &Shape, b: &Shape, pose_ab: &Pose) -> Option<OverlapRegion> {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => overlap_sphere_sphere(a.radius, b.radius, pose_ab.position),
    }
}

/// The part of a shape in the half-space z <= 0; `None` when there is none. `pose` is the shape seen from the
/// half-space, and the answer is in the half-space's frame. Other surfaces are thin shells and share no volume with
/// anything.
pub fn overlap_half_space(shape: &Shape, pose: &Pose) -> Option<OverlapRegion> {
    match shape {
        Shape::Sphere(sphere) => overlap_sphere_half_space(sphere.radius, pose.position),
    }
}
