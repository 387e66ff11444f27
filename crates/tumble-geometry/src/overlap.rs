//! The region that two bodies share: its volume, its centroid and the area of its surface.

mod overlap_sphere_half_space;
mod overlap_sphere_sphere;
mod planar;
mod spherical_cap;

pub use overlap_sphere_half_space::overlap_sphere_half_space;
pub use overlap_sphere_sphere::overlap_sphere_sphere;
pub use planar::{
    PlanarRegion, overlap_disc_disc, overlap_disc_half_plane, overlap_disc_polygon, overlap_half_plane_polygon,
    overlap_planar, overlap_planar_half_space, overlap_polygon_polygon,
};

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
    /// Vector area of a's part of the surface: the integral of a's outward normal over the part of a's surface in b
    /// [m^2]. It points from a to b. Moving a by dx changes the volume by `vector_area . dx`; b's is the opposite.
    pub vector_area: DVec3,
    /// First moment of that part: the integral of x cross normal, about the origin of the frame of the answer [m^3].
    /// Turning a by dw about that origin changes the volume by `first_moment . dw`; b's is the opposite.
    pub first_moment: DVec3,
}

impl OverlapRegion {
    /// A whole ball.
    fn ball(radius: f64, centroid: DVec3) -> OverlapRegion {
        OverlapRegion {
            volume: 4.0 / 3.0 * PI * radius.powi(3),
            centroid,
            surface_area: 4.0 * PI * radius * radius,
            vector_area: DVec3::ZERO,
            first_moment: DVec3::ZERO,
        }
    }

    /// The region taken to the frame in which its own frame has this pose.
    pub fn transformed(&self, pose: &Pose) -> OverlapRegion {
        let vector_area = pose.transform_vector(self.vector_area);
        OverlapRegion {
            centroid: pose.transform_point(self.centroid),
            vector_area,
            first_moment: pose.transform_vector(self.first_moment) + pose.position.cross(vector_area),
            ..*self
        }
    }
}

/// The region that shapes a and b share; `None` when they share no volume. `pose_ab` is b seen from a; the answer is in
/// a's frame.
pub fn overlap(a: &Shape, b: &Shape, pose_ab: &Pose) -> Option<OverlapRegion> {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => overlap_sphere_sphere(a.radius, b.radius, pose_ab.position),
        (Shape::Disc(_) | Shape::Polygon(_), Shape::Disc(_) | Shape::Polygon(_))
            if planar::in_one_plane(a, b, pose_ab) =>
        {
            overlap_planar(a, b, pose_ab).map(|(region, half_thickness)| region.solid(half_thickness))
        }
        _ => None,
    }
}

/// The part of a shape in the half-space z <= 0; `None` when there is none. `pose` is the shape seen from the
/// half-space, and the answer is in the half-space's frame. Other surfaces are thin shells and share no volume with
/// anything.
pub fn overlap_half_space(shape: &Shape, pose: &Pose) -> Option<OverlapRegion> {
    match shape {
        Shape::Sphere(sphere) => overlap_sphere_half_space(sphere.radius, pose.position),
        Shape::Disc(_) | Shape::Polygon(_) if planar::half_space_is_upright(shape, pose) => {
            overlap_planar_half_space(shape, pose)
        }
        _ => None,
    }
}
