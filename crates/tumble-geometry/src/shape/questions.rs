//! What a shape is, for those who need not know which shape it is. A further shape answers here, and nowhere else.

use super::{Cylinder, Polyhedron, Shape, Superquadric};
use crate::Pose;
use glam::DVec3;

impl Shape {
    /// Whether it is a ball about its origin.
    pub fn is_ball(&self) -> bool {
        matches!(self, Shape::Sphere(_))
    }

    /// Whether it belongs to the planar mode.
    pub fn is_planar(&self) -> bool {
        self.kind().is_planar()
    }

    /// Whether it is convex: all but clumps.
    pub fn is_convex(&self) -> bool {
        !matches!(self, Shape::Clump(_))
    }

    /// Half of the thickness of a planar shape [m].
    pub fn half_thickness(&self) -> Option<f64> {
        match self {
            Shape::Disc(disc) => Some(disc.half_thickness),
            Shape::Polygon(polygon) => Some(polygon.half_thickness()),
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Clump(_) => None,
        }
    }

    /// The shape as a superquadric, if it is one: a ball is that of equal half axes and exponents of 2.
    pub fn as_smooth(&self) -> Option<Superquadric> {
        match self {
            Shape::Superquadric(superquadric) => Some(*superquadric),
            Shape::Sphere(ball) => Some(Superquadric { semi_axes: DVec3::splat(ball.radius), n1: 2.0, n2: 2.0 }),
            Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_)
            | Shape::Clump(_) => None,
        }
    }

    /// The shape as a polyhedron, if it is one: that of a polygon is a prism.
    pub fn as_polyhedron(&self) -> Option<&Polyhedron> {
        match self {
            Shape::Polyhedron(polyhedron) => Some(polyhedron),
            Shape::Polygon(polygon) => Some(polygon.solid()),
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Disc(_)
            | Shape::Clump(_) => None,
        }
    }

    /// The shape as a cylinder, if it is one: a disc is a flat one.
    pub fn as_cylinder(&self) -> Option<Cylinder> {
        match self {
            Shape::Cylinder(cylinder) => Some(*cylinder),
            Shape::Disc(disc) => Some(disc.solid()),
            Shape::Sphere(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Polygon(_)
            | Shape::Clump(_) => None,
        }
    }

    /// Radius of the widest circle of a body of revolution about its own z axis [m]. None for what is round about no axis,
    /// or about every one. A superquadric may be round but is not known as such here.
    pub fn radius_about_axis(&self) -> Option<f64> {
        match self {
            Shape::Cylinder(cylinder) => Some(cylinder.radius),
            Shape::Disc(disc) => Some(disc.radius),
            Shape::TruncatedCone(cone) => Some(cone.lower_radius.max(cone.upper_radius)),
            Shape::Capsule(capsule) => Some(capsule.radius),
            Shape::Tablet(tablet) => Some(tablet.radius),
            Shape::Sphere(_) | Shape::Superquadric(_) | Shape::Polyhedron(_) | Shape::Polygon(_) | Shape::Clump(_) => {
                None
            }
        }
    }

    /// Radius and local height [m] of the circles that bound flat ends, the lower first, if the body is their hull.
    pub fn rims(&self) -> Option<[(f64, f64); 2]> {
        let upright = |c: Cylinder| [(c.radius, -c.half_height), (c.radius, c.half_height)];
        match self {
            Shape::Cylinder(cylinder) => Some(upright(*cylinder)),
            Shape::Disc(disc) => Some(upright(disc.solid())),
            Shape::TruncatedCone(cone) => {
                Some([(cone.lower_radius, cone.lower_z()), (cone.upper_radius, cone.upper_z())])
            }
            Shape::Sphere(_)
            | Shape::Capsule(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Polygon(_)
            | Shape::Clump(_) => None,
        }
    }

    /// Whether it has faces or straight sides that can lie flat on others of its kind. A disc is round in its plane.
    pub fn lies_flat(&self) -> bool {
        match self {
            Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Polyhedron(_)
            | Shape::Polygon(_) => true,
            Shape::Sphere(_) | Shape::Superquadric(_) | Shape::Disc(_) => false,
            Shape::Clump(clump) => clump.parts().iter().any(|part| part.shape.lies_flat()),
        }
    }

    /// Its convex parts and where they are: those of a clump, or the shape itself.
    pub fn parts(&self) -> impl Iterator<Item = (&Shape, Pose)> + Clone {
        let parts = if let Shape::Clump(clump) = self { clump.parts() } else { &[] };
        let whole = self.is_convex().then_some((self, Pose::IDENTITY));
        parts.iter().map(|part| (&part.shape, part.pose)).chain(whole)
    }
}
