//! Shapes from what a user gives: every number is checked, and an error names the quantity and its value.

use super::{
    Capsule, Clump, Cylinder, Disc, Part, Polygon, Polyhedron, Shape, Sphere, Superquadric, Tablet, TruncatedCone,
};
use crate::error::GeometryError;
use crate::hull::convex_polygon;
use crate::{HullReport, MassProperties, Pose};
use glam::{DVec2, DVec3};

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Result<Shape, GeometryError> {
        Ok(Shape::Sphere(Sphere { radius: positive("sphere radius", radius)? }))
    }

    /// A cylinder with flat ends.
    pub fn cylinder(radius: f64, height: f64) -> Result<Shape, GeometryError> {
        let radius = positive("cylinder radius", radius)?;
        Ok(Shape::Cylinder(Cylinder { radius, half_height: 0.5 * positive("cylinder height", height)? }))
    }

    /// A cylinder with round ends; `height` is that of the part with straight sides, and may be zero.
    pub fn capsule(radius: f64, height: f64) -> Result<Shape, GeometryError> {
        let radius = positive("capsule radius", radius)?;
        Ok(Shape::Capsule(Capsule { radius, half_height: 0.5 * zero_or_more("capsule height", height)? }))
    }

    /// A truncated cone; one of the radii may be zero.
    pub fn truncated_cone(lower_radius: f64, upper_radius: f64, height: f64) -> Result<Shape, GeometryError> {
        let lower_radius = zero_or_more("lower radius of the cone", lower_radius)?;
        let upper_radius = zero_or_more("upper radius of the cone", upper_radius)?;
        if lower_radius == 0.0 && upper_radius == 0.0 {
            return Err(GeometryError::ConeWithoutRadius);
        }
        let height = positive("cone height", height)?;
        Ok(Shape::TruncatedCone(TruncatedCone { lower_radius, upper_radius, height }))
    }

    /// A cylindrical band with a spherical cap on each end. `thickness` is that of the whole from tip to tip. Domes without
    /// height make a cylinder; domes are at most half-balls, and together no higher than the whole.
    pub fn tablet(radius: f64, thickness: f64, dome_height: f64) -> Result<Shape, GeometryError> {
        let radius = positive("tablet radius", radius)?;
        let thickness = positive("tablet height", thickness)?;
        let dome_height = zero_or_more("dome of the tablet", dome_height)?;
        if dome_height > radius {
            return Err(GeometryError::TabletDomeTooRound { dome_height, radius });
        }
        if 2.0 * dome_height > thickness {
            return Err(GeometryError::TabletDomesTooHigh { dome_height, thickness });
        }
        if dome_height == 0.0 {
            return Ok(Shape::Cylinder(Cylinder { radius, half_height: 0.5 * thickness }));
        }
        Ok(Shape::Tablet(Tablet { radius, half_height: 0.5 * thickness - dome_height, dome_height }))
    }

    /// A superquadric with half axes and exponents n1 (between z and the x-y section) and n2 (within the section).
    pub fn superquadric(semi_axes: DVec3, n1: f64, n2: f64) -> Result<Shape, GeometryError> {
        positive("half axis a (x) of the superquadric", semi_axes.x)?;
        positive("half axis b (y) of the superquadric", semi_axes.y)?;
        positive("half axis c (z) of the superquadric", semi_axes.z)?;
        for (exponent, value) in [("n1", n1), ("n2", n2)] {
            if !(value >= 2.0 && value.is_finite()) {
                return Err(GeometryError::SuperquadricExponent { exponent, value });
            }
        }
        Ok(Shape::Superquadric(Superquadric { semi_axes, n1, n2 }))
    }

    /// The convex hull of points: see [`crate::hull`].
    pub fn polyhedron(points: &[DVec3]) -> Result<Shape, GeometryError> {
        Polyhedron::from_points(points).map(Shape::Polyhedron)
    }

    /// A polyhedron from its faces: see [`Polyhedron::from_faces`].
    pub fn polyhedron_from_faces(vertices: &[DVec3], faces: &[Vec<u32>]) -> Result<Shape, GeometryError> {
        Polyhedron::from_faces(vertices, faces).map(Shape::Polyhedron)
    }

    /// The convex hull of a triangle mesh, and how much volume the hull added.
    pub fn polyhedron_from_mesh(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
    ) -> Result<(Shape, HullReport), GeometryError> {
        let (polyhedron, report) = crate::hull::hull_of_mesh(vertices, triangles)?;
        Ok((Shape::Polyhedron(polyhedron), report))
    }

    /// A box about the origin with the given edges.
    pub fn cuboid(edges: DVec3) -> Result<Shape, GeometryError> {
        positive("first edge of the box", edges.x)?;
        positive("second edge of the box", edges.y)?;
        positive("third edge of the box", edges.z)?;
        Shape::polyhedron(&crate::Aabb { lower: -0.5 * edges, upper: 0.5 * edges }.corners())
    }

    /// A disc of the planar mode.
    pub fn disc(radius: f64, thickness: f64) -> Result<Shape, GeometryError> {
        let radius = positive("disc radius", radius)?;
        Ok(Shape::Disc(Disc { radius, half_thickness: 0.5 * positive("disc thickness", thickness)? }))
    }

    /// A convex polygon of the planar mode, its corners in any order.
    pub fn polygon(corners: &[DVec2], thickness: f64) -> Result<Shape, GeometryError> {
        let half_thickness = 0.5 * positive("polygon thickness", thickness)?;
        Ok(Shape::Polygon(Polygon::from_trusted_corners(convex_polygon(corners)?, half_thickness)))
    }

    /// Convex parts that stand for a body whose mass properties are known: theirs are replaced by its own.
    pub fn clump_with_mass(parts: Vec<Part>, properties: MassProperties) -> Result<Shape, GeometryError> {
        match Shape::clump(parts)? {
            Shape::Clump(clump) => Ok(Shape::Clump(Clump::with_properties(clump.parts().to_vec(), properties, false))),
            other => Ok(other),
        }
    }

    /// Convex parts held together. Orientations need not be of unit length, but not zero.
    pub fn clump(parts: Vec<Part>) -> Result<Shape, GeometryError> {
        if parts.is_empty() {
            return Err(GeometryError::ClumpEmpty);
        }
        let checked = |(index, part): (usize, Part)| {
            let Pose { position, orientation } = part.pose;
            if matches!(part.shape, Shape::Clump(_)) {
                return Err(GeometryError::ClumpNested { part: index });
            }
            let length = orientation.length();
            if !position.is_finite() || !length.is_finite() || length == 0.0 {
                return Err(GeometryError::ClumpPose { part: index });
            }
            // A quaternion of unit length to rounding is kept, so that parts stay exactly where they were put.
            let is_unit = (length - 1.0).abs() <= 4.0 * f64::EPSILON;
            let orientation = if is_unit { orientation } else { orientation.normalize() };
            Ok(Part { shape: part.shape, pose: Pose::new(position, orientation) })
        };
        let parts = parts.into_iter().enumerate().map(checked).collect::<Result<Vec<_>, _>>()?;
        Ok(Shape::Clump(Clump::from_trusted_parts(parts)))
    }
}

pub(super) fn positive(quantity: &'static str, value: f64) -> Result<f64, GeometryError> {
    let is_length = value > 0.0 && value.is_finite();
    if is_length { Ok(value) } else { Err(GeometryError::LengthNotPositive { quantity, value }) }
}

pub(super) fn zero_or_more(quantity: &'static str, value: f64) -> Result<f64, GeometryError> {
    let is_length = value >= 0.0 && value.is_finite();
    if is_length { Ok(value) } else { Err(GeometryError::LengthNegative { quantity, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn every_bad_number_is_refused_by_name_and_value() {
        let ball = Shape::sphere(1.0).unwrap();
        let at = |position, orientation| Part { shape: ball.clone(), pose: Pose::new(position, orientation) };
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = [
                (Shape::sphere(bad), "sphere radius"),
                (Shape::cylinder(bad, 1.0), "cylinder radius"),
                (Shape::cylinder(1.0, bad), "cylinder height"),
                (Shape::capsule(bad, 1.0), "capsule radius"),
                (Shape::truncated_cone(1.0, 1.0, bad), "cone height"),
                (Shape::tablet(bad, 1.0, 0.1), "tablet radius"),
                (Shape::tablet(1.0, bad, 0.1), "tablet height"),
                (Shape::superquadric(DVec3::new(1.0, bad, 1.0), 2.0, 2.0), "half axis b"),
                (Shape::superquadric(DVec3::ONE, bad, 2.0), "n1 of the superquadric"),
                (Shape::superquadric(DVec3::ONE, 2.0, bad), "n2 of the superquadric"),
                (Shape::disc(bad, 1.0), "disc radius"),
                (Shape::disc(1.0, bad), "disc thickness"),
                (Shape::polygon(&[DVec2::ZERO, DVec2::X, DVec2::Y], bad), "polygon thickness"),
                (Shape::cuboid(DVec3::new(1.0, 1.0, bad)), "third edge"),
            ];
            for (answer, words) in refused {
                let message = answer.unwrap_err().to_string();
                assert!(message.contains(words) && message.contains(&bad.to_string()), "{message}");
            }
        }
        assert!(Shape::superquadric(DVec3::ONE, 1.9, 2.0).unwrap_err().to_string().contains("1.9"));
        assert!(Shape::capsule(1.0, -0.5).is_err() && Shape::capsule(1.0, 0.0).is_ok());
        assert!(Shape::truncated_cone(-1.0, 1.0, 1.0).is_err() && Shape::truncated_cone(0.0, 1.0, 1.0).is_ok());
        assert_eq!(Shape::truncated_cone(0.0, 0.0, 1.0), Err(GeometryError::ConeWithoutRadius));
        assert!(Shape::tablet(1.0, 1.0, -0.1).unwrap_err().to_string().contains("dome of the tablet"));
        assert!(Shape::tablet(1.0, 3.0, 1.1).unwrap_err().to_string().contains("at most a half-ball"));
        assert!(Shape::tablet(1.0, 1.0, 0.6).unwrap_err().to_string().contains("no room"));
        assert_eq!(Shape::tablet(1.0, 0.5, 0.0), Shape::cylinder(1.0, 0.5));
        assert_eq!(
            Shape::tablet(1.0, 0.5, 0.25),
            Ok(Shape::Tablet(Tablet { radius: 1.0, half_height: 0.0, dome_height: 0.25 }))
        );
        assert_eq!(Shape::clump(vec![]), Err(GeometryError::ClumpEmpty));
        let clump = Shape::clump(vec![at(DVec3::ZERO, DQuat::IDENTITY)]).unwrap();
        let nested = vec![at(DVec3::ZERO, DQuat::IDENTITY), Part { shape: clump, pose: Pose::IDENTITY }];
        assert_eq!(Shape::clump(nested), Err(GeometryError::ClumpNested { part: 1 }));
        assert!(Shape::clump(vec![at(DVec3::NAN, DQuat::IDENTITY)]).is_err());
        assert!(Shape::clump(vec![at(DVec3::X, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0))]).is_err());
    }

    #[test]
    fn heights_and_edges_are_whole_not_half() {
        assert!((Shape::cylinder(1.0, 2.0).unwrap().volume() / (2.0 * std::f64::consts::PI) - 1.0).abs() < 1e-15);
        assert!((Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap().volume() - 6.0).abs() < 1e-14);
        let square = [DVec2::ZERO, DVec2::ONE, DVec2::X, DVec2::Y];
        assert!((Shape::polygon(&square, 3.0).unwrap().volume() - 3.0).abs() < 1e-14);
        assert!((Shape::disc(1.0, 3.0).unwrap().volume() / (3.0 * std::f64::consts::PI) - 1.0).abs() < 1e-15);
    }
}
