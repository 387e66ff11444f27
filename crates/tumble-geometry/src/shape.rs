//! The closed list of grain shapes.

mod capsule;
mod climb;
mod clump;
mod construct;
mod cuboid;
mod cylinder;
mod extent;
mod farthest_vertices;
mod local_surface;
mod planar;
mod polyhedron;
mod questions;
mod random_polygon;
mod reaching_planes;
mod rock;
mod solids;
mod sphere;
mod superquadric;
mod tablet;
mod triangulate;
mod truncated_cone;
mod web;

pub use capsule::Capsule;
pub use clump::{Clump, Part};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use planar::{Disc, Polygon};
pub use polyhedron::{Edge, Face, Polyhedron};
pub use random_polygon::{MOST_POLYGON_CORNERS, RandomPolygon};
pub(crate) use reaching_planes::BoxToReach;
pub use rock::{MOST_ROCK_VERTICES, Rock};
pub use solids::{MOST_SIDES, circumradius_over_side, regular_corners};
pub use sphere::Sphere;
pub(crate) use superquadric::raised;
pub use superquadric::{Level, Superquadric};
pub use tablet::Tablet;
pub use truncated_cone::TruncatedCone;
pub(crate) use web::{Rib, Web};

use crate::mass::MassProperties;
use crate::{Aabb, Pose};
use glam::DVec3;

/// Every shape a grain can have. Each `match` over it is exhaustive, so a new shape does not compile until every
/// question about it is answered.
///
/// ```
/// use tumble_geometry::{DVec3, Pose, Shape};
///
/// let rod = Shape::cylinder(0.5, 4.0)?;
/// let brick = Shape::cuboid(DVec3::new(1.0, 2.0, 3.0))?;
/// assert!((brick.volume() - 6.0).abs() < 1e-12);
/// assert_eq!(rod.support(DVec3::Z).z, 2.0);
/// assert_eq!(rod.bounds(&Pose::from_position(DVec3::X)).upper.x, 1.5);
/// assert!(Shape::sphere(-1.0).is_err());
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball about the local origin.
    Sphere(Sphere),
    /// A cylinder with flat ends.
    Cylinder(Cylinder),
    /// A cylinder with round ends.
    Capsule(Capsule),
    /// A cone, cut off or not.
    TruncatedCone(TruncatedCone),
    /// A cylinder with domed ends.
    Tablet(Tablet),
    /// A superquadric: ellipsoids, rounded boxes and cylinders.
    Superquadric(Superquadric),
    /// A convex polyhedron.
    Polyhedron(Polyhedron),
    /// A disc of the planar mode.
    Disc(Disc),
    /// A convex polygon of the planar mode.
    Polygon(Polygon),
    /// Convex parts held together; the only shape that need not be convex.
    Clump(Clump),
}

/// Which shape, without its lengths: the rows and columns of the pair tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShapeKind {
    /// [`Shape::Sphere`].
    Sphere,
    /// [`Shape::Cylinder`].
    Cylinder,
    /// [`Shape::Capsule`].
    Capsule,
    /// [`Shape::TruncatedCone`].
    TruncatedCone,
    /// [`Shape::Tablet`].
    Tablet,
    /// [`Shape::Superquadric`].
    Superquadric,
    /// [`Shape::Polyhedron`].
    Polyhedron,
    /// [`Shape::Disc`].
    Disc,
    /// [`Shape::Polygon`].
    Polygon,
    /// [`Shape::Clump`].
    Clump,
}

impl ShapeKind {
    /// Every kind, in the order of the tables.
    pub const ALL: [ShapeKind; 10] = [
        ShapeKind::Sphere,
        ShapeKind::Cylinder,
        ShapeKind::Capsule,
        ShapeKind::TruncatedCone,
        ShapeKind::Tablet,
        ShapeKind::Superquadric,
        ShapeKind::Polyhedron,
        ShapeKind::Disc,
        ShapeKind::Polygon,
        ShapeKind::Clump,
    ];

    /// The shape's name in scene files, tables and messages.
    pub fn name(self) -> &'static str {
        match self {
            ShapeKind::Sphere => "sphere",
            ShapeKind::Cylinder => "cylinder",
            ShapeKind::Capsule => "capsule",
            ShapeKind::TruncatedCone => "cone",
            ShapeKind::Tablet => "tablet",
            ShapeKind::Superquadric => "superquadric",
            ShapeKind::Polyhedron => "polyhedron",
            ShapeKind::Disc => "disc",
            ShapeKind::Polygon => "polygon",
            ShapeKind::Clump => "clump",
        }
    }

    /// Whether the shape belongs to the planar mode.
    pub fn is_planar(self) -> bool {
        matches!(self, ShapeKind::Disc | ShapeKind::Polygon)
    }
}

impl Shape {
    /// Which shape it is.
    pub fn kind(&self) -> ShapeKind {
        match self {
            Shape::Sphere(_) => ShapeKind::Sphere,
            Shape::Cylinder(_) => ShapeKind::Cylinder,
            Shape::Capsule(_) => ShapeKind::Capsule,
            Shape::TruncatedCone(_) => ShapeKind::TruncatedCone,
            Shape::Tablet(_) => ShapeKind::Tablet,
            Shape::Superquadric(_) => ShapeKind::Superquadric,
            Shape::Polyhedron(_) => ShapeKind::Polyhedron,
            Shape::Disc(_) => ShapeKind::Disc,
            Shape::Polygon(_) => ShapeKind::Polygon,
            Shape::Clump(_) => ShapeKind::Clump,
        }
    }

    /// The shape's name in scene files, tables and messages.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Radius of the smallest ball about the local origin that holds the shape [m]. For planar shapes the ball's
    /// equator: thickness does not count, because they meet in the plane.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Shape::Sphere(s) => s.radius,
            Shape::Cylinder(c) => c.radius.hypot(c.half_height),
            Shape::Capsule(c) => c.radius + c.half_height,
            Shape::TruncatedCone(c) => c.lower_radius.hypot(c.lower_z()).max(c.upper_radius.hypot(c.upper_z())),
            Shape::Tablet(t) => t.radius.hypot(t.half_height).max(t.half_thickness()),
            Shape::Superquadric(s) => s.bounding_radius(),
            Shape::Polyhedron(p) => p.bounding_radius(),
            Shape::Disc(d) => d.radius,
            Shape::Polygon(p) => p.corners().iter().map(|c| c.length()).fold(0.0, f64::max),
            Shape::Clump(c) => c.bounding_radius(),
        }
    }

    /// Volume, centre and tensor of inertia at unit density. A clump's are found once and kept.
    ///
    /// ```
    /// use tumble_geometry::{DVec3, Shape};
    ///
    /// let brick = Shape::cuboid(DVec3::new(1.0, 2.0, 3.0))?.mass_properties();
    /// assert!((brick.volume - 6.0).abs() < 1e-12 && brick.centroid.length() < 1e-12);
    /// // m (b^2 + c^2) / 12 about each axis, at unit density.
    /// assert!((brick.moments() - DVec3::new(6.5, 5.0, 2.5)).length() < 1e-12);
    /// # Ok::<(), tumble_geometry::GeometryError>(())
    /// ```
    pub fn mass_properties(&self) -> MassProperties {
        match self {
            Shape::Sphere(s) => MassProperties::principal(s.volume(), s.inertia()),
            Shape::Cylinder(c) => MassProperties::principal(c.volume(), c.inertia()),
            Shape::Capsule(c) => MassProperties::principal(c.volume(), c.inertia()),
            Shape::TruncatedCone(c) => MassProperties::principal(c.volume(), c.inertia()),
            Shape::Tablet(t) => MassProperties::principal(t.volume(), t.inertia()),
            Shape::Superquadric(s) => MassProperties::principal(s.volume(), s.inertia()),
            Shape::Polyhedron(p) => p.mass_properties(),
            Shape::Disc(d) => MassProperties::principal(d.solid().volume(), d.solid().inertia()),
            Shape::Polygon(p) => p.solid().mass_properties(),
            Shape::Clump(c) => c.mass_properties(),
        }
    }

    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        self.mass_properties().volume
    }

    /// Radius of a ball about the local origin that holds the solid [m]. The bounding radius of planar shapes leaves out their
    /// thickness.
    pub fn solid_radius(&self) -> f64 {
        if let Some(polyhedron) = self.as_polyhedron() {
            return polyhedron.bounding_radius();
        }
        self.half_thickness().map_or_else(|| self.bounding_radius(), |half| self.bounding_radius().hypot(half))
    }

    /// Tight axis-aligned bounds of the shape in a pose.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        match self {
            Shape::Sphere(s) => Aabb::of_ball(pose.position, s.radius),
            Shape::Clump(c) => c.parts().iter().fold(Aabb::EMPTY, |bounds, part| {
                let outer =
                    Pose::new(pose.transform_point(part.pose.position), pose.orientation * part.pose.orientation);
                bounds.join(&part.shape.bounds(&outer))
            }),
            Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_) => {
                let reach = |direction: DVec3| {
                    let local = pose.inverse_transform_vector(direction);
                    self.support(local).dot(local)
                };
                Aabb {
                    lower: pose.position - DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z)),
                    upper: pose.position + DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z)),
                }
            }
        }
    }

    /// The point of the shape that is farthest along a local direction (unit length not needed). For a clump, of its
    /// convex hull.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Shape::Sphere(s) => s.support(direction),
            Shape::Cylinder(c) => c.support(direction),
            Shape::Capsule(c) => c.support(direction),
            Shape::TruncatedCone(c) => c.support(direction),
            Shape::Tablet(t) => t.support(direction),
            Shape::Superquadric(s) => s.support(direction),
            Shape::Polyhedron(p) => p.support(direction),
            Shape::Disc(d) => d.solid().support(direction),
            Shape::Polygon(p) => p.solid().support(direction),
            Shape::Clump(c) => c.support(direction),
        }
    }

    /// The same shape, all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Shape {
        match self {
            Shape::Sphere(s) => Shape::Sphere(Sphere { radius: s.radius * factor }),
            Shape::Cylinder(c) => {
                Shape::Cylinder(Cylinder { radius: c.radius * factor, half_height: c.half_height * factor })
            }
            Shape::Capsule(c) => {
                Shape::Capsule(Capsule { radius: c.radius * factor, half_height: c.half_height * factor })
            }
            Shape::TruncatedCone(c) => Shape::TruncatedCone(TruncatedCone {
                lower_radius: c.lower_radius * factor,
                upper_radius: c.upper_radius * factor,
                height: c.height * factor,
            }),
            Shape::Tablet(t) => Shape::Tablet(Tablet {
                radius: t.radius * factor,
                half_height: t.half_height * factor,
                dome_height: t.dome_height * factor,
            }),
            Shape::Superquadric(s) => Shape::Superquadric(Superquadric { semi_axes: s.semi_axes * factor, ..*s }),
            Shape::Polyhedron(p) => Shape::Polyhedron(p.scaled(factor)),
            Shape::Disc(d) => {
                Shape::Disc(Disc { radius: d.radius * factor, half_thickness: d.half_thickness * factor })
            }
            Shape::Polygon(p) => Shape::Polygon(p.scaled(factor)),
            Shape::Clump(c) => Shape::Clump(c.scaled(factor)),
        }
    }
}
