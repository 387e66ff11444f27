//! What a viewer must know besides the frames: the grains' shapes, the walls, the domain.

use crate::box_faces::faces_of_boxes;
use serde::{Deserialize, Serialize};
use tumble_engine::Model;
use tumble_engine::model::Edge;
use tumble_geometry::{Part, Pose, Shape, Surface};

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
    /// Whether the frames hold the contacts. Without, a frame that has none tells nothing.
    #[serde(default)]
    pub contacts: bool,
}

/// A kind of grain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpeciesMetadata {
    /// The name it has in the scene.
    pub name: String,
    /// The shape at scale 1, in the frame of a frame's positions and orientations: at its centre of mass and along its
    /// principal axes.
    pub shape: ShapeMetadata,
    /// The frame in which the scene gives the shape, seen from that one.
    #[serde(default)]
    pub given_frame: FrameMetadata,
    /// Radius of the ball that holds the shape at scale 1 [m].
    pub bounding_radius: f64,
}

/// A place and a turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameMetadata {
    /// Position of the origin [m].
    pub position: [f64; 3],
    /// Unit quaternion x, y, z, w.
    pub orientation: [f64; 4],
}

impl Default for FrameMetadata {
    fn default() -> FrameMetadata {
        FrameMetadata::of(&Pose::IDENTITY)
    }
}

impl FrameMetadata {
    fn of(pose: &Pose) -> FrameMetadata {
        FrameMetadata { position: pose.position.to_array(), orientation: pose.orientation.to_array() }
    }
}

/// A shape at scale 1. Axes are local z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeMetadata {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A cylinder with flat ends, its middle at the origin.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Whole height [m].
        height: f64,
    },
    /// A cylinder with round ends, its middle at the origin.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length from tip to tip [m].
        length: f64,
    },
    /// A cone cut off flat at both ends.
    Cone {
        /// Radius of the lower end [m].
        lower_radius: f64,
        /// Radius of the upper end [m].
        upper_radius: f64,
        /// Height of the lower end above the origin, which is the centre of mass; below zero [m].
        lower_z: f64,
        /// Height of the upper end above the origin [m].
        upper_z: f64,
    },
    /// A cylindrical band with a cap of a ball on each end, its middle at the origin.
    Tablet {
        /// Radius of the band [m].
        radius: f64,
        /// Height of the band, without the domes [m].
        band_height: f64,
        /// Height of each dome [m].
        dome_height: f64,
    },
    /// The points with (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 <= 1.
    Superquadric {
        /// The half axes a, b, c [m].
        half_axes: [f64; 3],
        /// Exponent between z and the section across it [1].
        n1: f64,
        /// Exponent within that section [1].
        n2: f64,
    },
    /// A convex polyhedron.
    Polyhedron {
        /// Corners [m].
        vertices: Vec<[f64; 3]>,
        /// Faces as lists of corner numbers, counter-clockwise seen from outside.
        faces: Vec<Vec<u32>>,
    },
    /// A disc of the planar mode.
    Disc {
        /// Radius [m].
        radius: f64,
        /// Whole thickness [m].
        thickness: f64,
    },
    /// A convex polygon of the planar mode.
    Polygon {
        /// Corners, counter-clockwise [m].
        corners: Vec<[f64; 2]>,
        /// Whole thickness [m].
        thickness: f64,
    },
    /// Convex parts held together.
    Clump {
        /// The parts.
        parts: Vec<PartMetadata>,
    },
}

/// A part of a clump.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartMetadata {
    /// Its shape in its own frame.
    pub shape: ShapeMetadata,
    /// That frame in the clump.
    pub frame: FrameMetadata,
}

impl ShapeMetadata {
    fn of(shape: &Shape) -> ShapeMetadata {
        match shape {
            Shape::Sphere(sphere) => ShapeMetadata::Sphere { radius: sphere.radius },
            Shape::Cylinder(c) => ShapeMetadata::Cylinder { radius: c.radius, height: 2.0 * c.half_height },
            Shape::Capsule(c) => ShapeMetadata::Capsule { radius: c.radius, length: 2.0 * (c.half_height + c.radius) },
            Shape::TruncatedCone(c) => ShapeMetadata::Cone {
                lower_radius: c.lower_radius,
                upper_radius: c.upper_radius,
                lower_z: c.lower_z(),
                upper_z: c.upper_z(),
            },
            Shape::Tablet(t) => {
                ShapeMetadata::Tablet { radius: t.radius, band_height: 2.0 * t.half_height, dome_height: t.dome_height }
            }
            Shape::Superquadric(s) => {
                ShapeMetadata::Superquadric { half_axes: s.semi_axes.to_array(), n1: s.n1, n2: s.n2 }
            }
            Shape::Polyhedron(p) => ShapeMetadata::Polyhedron {
                vertices: p.vertices().iter().map(|v| v.to_array()).collect(),
                faces: p.faces().iter().map(|face| face.vertices.clone()).collect(),
            },
            Shape::Disc(d) => ShapeMetadata::Disc { radius: d.radius, thickness: 2.0 * d.half_thickness },
            Shape::Polygon(p) => ShapeMetadata::Polygon {
                corners: p.corners().iter().map(|c| c.to_array()).collect(),
                thickness: 2.0 * p.half_thickness(),
            },
            Shape::Clump(clump) => {
                let part = |part: &Part| PartMetadata {
                    shape: ShapeMetadata::of(&part.shape),
                    frame: FrameMetadata::of(&part.pose),
                };
                ShapeMetadata::Clump { parts: clump.parts().iter().map(part).collect() }
            }
        }
    }
}

/// A wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallMetadata {
    /// The name it has in the scene.
    pub name: String,
    /// Its surface in its own frame.
    pub surface: SurfaceMetadata,
    /// If it is the face of a box, half its widths along local x and y [m], each `None` (null) where the box is open at both
    /// ends. For pictures alone: grains meet the whole half-space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_widths: Option<[Option<f64>; 2]>,
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
    /// The description of a run whose frames hold the contacts.
    pub fn of(model: &Model, title: &str, tumble_version: &str) -> TrajectoryMetadata {
        let species = model.species.iter().map(|species| SpeciesMetadata {
            name: species.name.clone(),
            shape: ShapeMetadata::of(&species.shape),
            given_frame: FrameMetadata::of(&species.given_frame),
            bounding_radius: species.shape.bounding_radius(),
        });
        let walls = model.walls.iter().zip(faces_of_boxes(model)).map(|(wall, half_widths)| WallMetadata {
            name: wall.name.clone(),
            half_widths,
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
            contacts: true,
        }
    }
}
