//! The closed list of grain shapes.

mod sphere;

pub use sphere::Sphere;

use crate::{Aabb, Pose};
use glam::DVec3;

/// Every shape a grain can have. Each `match` over it is exhaustive, so a new shape does not compile until every
/// question about it is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball about the local origin.
    Sphere(Sphere),
}

/// Which shape, without its lengths: the rows and columns of the pair tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShapeKind {
    /// [`Shape::Sphere`].
    Sphere,
}

impl ShapeKind {
    /// Every kind, in the order of the tables.
    pub const ALL: [ShapeKind; 1] = [ShapeKind::Sphere];

    /// The shape's name in scene files, tables and messages.
    pub fn name(self) -> &'static str {
        match self {
            ShapeKind::Sphere => "sphere",
        }
    }
}

impl Shape {
    /// Which shape it is.
    pub fn kind(&self) -> ShapeKind {
        match self {
            Shape::Sphere(_) => ShapeKind::Sphere,
        }
    }

    /// The shape's name in scene files, tables and messages.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Radius of the smallest ball about the local origin that holds the shape [m].
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Shape::Sphere(s) => s.radius,
        }
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        match self {
            Shape::Sphere(s) => s.volume(),
        }
    }

    /// Principal moments of inertia about the centre at unit density [m^5].
    pub fn inertia(&self) -> DVec3 {
        match self {
            Shape::Sphere(s) => s.inertia(),
        }
    }

    /// Tight axis-aligned bounds of the shape in a pose.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        match self {
            Shape::Sphere(s) => Aabb::of_ball(pose.position, s.radius),
        }
    }

    /// The point of the shape that is farthest along a local direction (unit length not needed).
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Shape::Sphere(s) => s.support(direction),
        }
    }

    /// The same shape, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Shape {
        match self {
            Shape::Sphere(s) => Shape::Sphere(Sphere { radius: s.radius * factor }),
        }
    }
}
