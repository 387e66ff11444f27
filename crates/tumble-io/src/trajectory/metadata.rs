//! What a viewer must know besides the frames: the grains' shapes, the walls, the domain.

use serde::{Deserialize, Serialize};
use tumble_engine::Model;
use tumble_engine::model::Edge;
use tumble_geometry::{Shape, Surface};

/// Description of a trajectory, stored as JSON in its header. Unknown keys are to be ignored by readers, so that keys
/// can be added without a new format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrajectoryMetadata {
    /// Title of the run.
    pub title: String,
    /// Version of Tumble that began the trajectory.
    pub tumble_version: String,
    /// Kinds of grain; a frame's species numbers count into this list.
    pub species: Vec<SpeciesMetadata>,
    /// The walls, in the order of a frame's wall poses.
    pub walls: Vec<WallMetadata>,
    /// The simulated space.
    pub domain: DomainMetadata,
}

/// A kind of grain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeciesMetadata {
    /// The name it has in the scene.
    pub name: String,
    /// The shape at scale 1.
    pub shape: ShapeMetadata,
    /// Radius of the ball that holds the shape at scale 1 [m].
    pub bounding_radius: f64,
}

/// A shape at scale 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeMetadata {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
}

/// A wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallMetadata {
    /// The name it has in the scene.
    pub name: String,
    /// Its surface in its own frame.
    pub surface: SurfaceMetadata,
}

/// A surface in its own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceMetadata {
    /// Solid below local z = 0.
    HalfSpace,
    /// A polyline turned about the local z axis.
    Revolved {
        /// Corners: distance from the axis, height along it [m].
        profile: Vec<[f64; 2]>,
    },
    /// Triangles.
    Mesh {
        /// Corners [m].
        vertices: Vec<[f64; 3]>,
        /// Three corner numbers each.
        triangles: Vec<[u32; 3]>,
    },
}

/// The simulated space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DomainMetadata {
    /// Smallest coordinates [m]; `None` (null) where the space is unbounded.
    pub lower: [Option<f64>; 3],
    /// Largest coordinates [m]; `None` (null) where the space is unbounded.
    pub upper: [Option<f64>; 3],
    /// Whether each axis is periodic.
    pub periodic: [bool; 3],
}

impl TrajectoryMetadata {
    /// The description of a run.
    pub fn of(model: &Model, title: &str, tumble_version: &str) -> TrajectoryMetadata {
        let species = model.species.iter().map(|species| SpeciesMetadata {
            name: species.name.clone(),
            shape: match &species.shape {
                Shape::Sphere(sphere) => ShapeMetadata::Sphere { radius: sphere.radius },
                other => ShapeMetadata::Sphere { radius: other.bounding_radius() },
            },
            bounding_radius: species.shape.bounding_radius(),
        });
        let walls = model.walls.iter().map(|wall| WallMetadata {
            name: wall.name.clone(),
            surface: match &wall.surface {
                Surface::HalfSpace => SurfaceMetadata::HalfSpace,
                Surface::Revolved(revolved) => SurfaceMetadata::Revolved { profile: revolved.profile().to_vec() },
                Surface::Mesh(mesh) => SurfaceMetadata::Mesh {
                    vertices: mesh.vertices().iter().map(|v| v.to_array()).collect(),
                    triangles: mesh.triangles().to_vec(),
                },
            },
        });
        let finite = |bound: [f64; 3]| bound.map(|b| b.is_finite().then_some(b));
        TrajectoryMetadata {
            title: title.to_owned(),
            tumble_version: tumble_version.to_owned(),
            species: species.collect(),
            walls: walls.collect(),
            domain: DomainMetadata {
                lower: finite(model.domain.lower.to_array()),
                upper: finite(model.domain.upper.to_array()),
                periodic: model.domain.edges.map(|edge| edge == Edge::Periodic),
            },
        }
    }
}
