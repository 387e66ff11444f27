//! From a trajectory's description back to geometry.
//!
//! Numbers are checked as those of a scene are: a file may come from anywhere.

use super::{FrameMetadata, ShapeMetadata, SurfaceMetadata};
use glam::{DQuat, DVec2, DVec3};
use tumble_geometry::{GeometryError, Mesh, Part, Pose, Revolved, Shape, Surface};

impl FrameMetadata {
    /// The place and turn as a pose.
    pub fn to_pose(&self) -> Pose {
        Pose::new(DVec3::from_array(self.position), DQuat::from_array(self.orientation))
    }
}

impl ShapeMetadata {
    /// The shape at scale 1.
    pub fn to_shape(&self) -> Result<Shape, GeometryError> {
        match self {
            ShapeMetadata::Sphere { radius } => Shape::sphere(*radius),
            ShapeMetadata::Cylinder { radius, height } => Shape::cylinder(*radius, *height),
            // A capsule without straight sides is as long as it is wide, to rounding.
            ShapeMetadata::Capsule { radius, length } => {
                let straight = length - 2.0 * radius;
                Shape::capsule(*radius, if straight.abs() <= f64::EPSILON * length { 0.0 } else { straight })
            }
            ShapeMetadata::Cone { lower_radius, upper_radius, lower_z, upper_z } => {
                Shape::truncated_cone(*lower_radius, *upper_radius, upper_z - lower_z)
            }
            ShapeMetadata::Tablet { radius, band_height, dome_height } => {
                Shape::tablet(*radius, band_height + 2.0 * dome_height, *dome_height)
            }
            ShapeMetadata::Superquadric { half_axes, n1, n2 } => {
                Shape::superquadric(DVec3::from_array(*half_axes), *n1, *n2)
            }
            ShapeMetadata::Polyhedron { vertices, faces } => {
                let vertices: Vec<DVec3> = vertices.iter().map(|&vertex| DVec3::from_array(vertex)).collect();
                Shape::polyhedron_from_faces(&vertices, faces)
            }
            ShapeMetadata::Disc { radius, thickness } => Shape::disc(*radius, *thickness),
            ShapeMetadata::Polygon { corners, thickness } => {
                let corners: Vec<DVec2> = corners.iter().map(|&corner| DVec2::from_array(corner)).collect();
                Shape::polygon(&corners, *thickness)
            }
            ShapeMetadata::Clump { parts } => {
                let parts =
                    parts.iter().map(|part| Ok(Part { shape: part.shape.to_shape()?, pose: part.frame.to_pose() }));
                Shape::clump(parts.collect::<Result<_, GeometryError>>()?)
            }
        }
    }
}

impl SurfaceMetadata {
    /// The surface in its own frame.
    pub fn to_surface(&self) -> Result<Surface, GeometryError> {
        Ok(match self {
            SurfaceMetadata::HalfSpace => Surface::HalfSpace,
            SurfaceMetadata::Revolved { profile } => Surface::Revolved(Revolved::new(profile.clone())?),
            SurfaceMetadata::Mesh { vertices, triangles } => {
                let vertices = vertices.iter().map(|&vertex| DVec3::from_array(vertex)).collect();
                Surface::Mesh(Mesh::new(vertices, triangles.clone())?)
            }
        })
    }
}
