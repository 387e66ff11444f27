//! Pure geometry of grains: shapes, poses, contacts and overlap regions.
//!
//! Nothing here knows of mass, force, time, files or threads. Lengths carry no unit; every answer scales with them.
//! The sign conventions of all contact answers are written down once, in [`mod@contact`].
#![forbid(unsafe_code)]

pub mod aabb;
pub mod common_plane;
pub mod contact;
pub mod convex_parts;
mod cross;
pub mod error;
pub mod feng;
pub mod hull;
pub mod impact;
pub mod mass;
pub mod midway;
pub mod narrow;
pub mod oracle;
pub mod overlap;
pub mod peng_hanley;
pub mod planar_pose;
pub mod pose;
pub mod ray;
mod roof;
pub mod roots;
pub mod shape;
pub mod solid;
pub mod surface;
pub mod tolerance;

pub use glam::{DMat3, DQuat, DVec3};

pub use aabb::Aabb;
pub use contact::Contact;
pub use convex_parts::{ConvexParts, convex_parts};
pub use error::GeometryError;
pub use hull::{HullReport, convex_hull, hull_of_mesh};
pub use mass::MassProperties;
pub use narrow::{ContactBody, DEFAULT_CROWN, contact, contact_bodies, contact_surface};
pub use overlap::{OverlapRegion, overlap, overlap_half_space};
pub use planar_pose::PlanarPose;
pub use pose::Pose;
pub use ray::Exit;
pub use shape::{
    Capsule, Clump, Cylinder, Disc, Part, Polygon, Polyhedron, RandomPolygon, Rock, Shape, ShapeKind, Sphere,
    Superquadric, Tablet, TruncatedCone,
};
pub use solid::Solid;
pub use surface::{Crossing, Mesh, Revolved, Surface, SurfaceContact, SurfaceKind};
pub use tumble_lanes as lanes;
