//! Principal axes of a tensor of inertia, and shapes brought to them.
//!
//! Jacobi's method (1846): each off-diagonal element in turn is made zero by a turn of at most 45 degrees in its plane.
//! It converges quadratically, keeps the axes right-handed, and turns no more than it must: a tensor that is diagonal to
//! within the tolerance is left alone, so that a cube stays aligned with its axes and equal moments keep the axes given.

use super::MassProperties;
use crate::shape::{Clump, Part, Polygon, Polyhedron};
use crate::tolerance::{PRINCIPAL, PRINCIPAL_OF_UNION};
use crate::{Pose, Shape};
use glam::{DMat3, DQuat, DVec2, DVec3};

impl Shape {
    /// The shape in a frame at its centre of volume and along its principal axes; its former frame, seen from the new
    /// one; and its mass properties in the new one.
    ///
    /// A shape that is centred and principal already, to rounding, is given back as it is. A polygon is turned about z
    /// only, so that it stays in its plane.
    pub fn to_principal_frame(&self) -> (Shape, Pose, MassProperties) {
        let properties = self.mass_properties();
        match self {
            // Centred and principal by construction.
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Disc(_) => (self.clone(), Pose::IDENTITY, properties),
            Shape::Polyhedron(polyhedron) => {
                let frame = principal_frame(&properties, polyhedron.bounding_radius(), PRINCIPAL);
                let moved = moved_polyhedron(polyhedron, &frame);
                let principal = MassProperties::principal(properties.volume, moved.mass_properties().moments());
                (Shape::Polyhedron(moved), frame, principal)
            }
            Shape::Polygon(polygon) => {
                let flat = MassProperties { inertia: without_tilt(properties.inertia), ..properties };
                let frame = principal_frame(&flat, polygon.solid().bounding_radius(), PRINCIPAL);
                let moved = moved_polygon(polygon, &frame);
                let principal = MassProperties::principal(properties.volume, moved.solid().mass_properties().moments());
                (Shape::Polygon(moved), frame, principal)
            }
            Shape::Clump(clump) => {
                let tolerance = if clump.is_overlapping() { PRINCIPAL_OF_UNION } else { PRINCIPAL };
                let frame = principal_frame(&properties, clump.bounding_radius(), tolerance);
                let principal = MassProperties::principal(properties.volume, properties.transformed(&frame).moments());
                let moved = if frame == Pose::IDENTITY {
                    clump.parts().to_vec()
                } else {
                    let moved = |part: &Part| Part { shape: part.shape.clone(), pose: frame.compose(&part.pose) };
                    clump.parts().iter().map(moved).collect()
                };
                (Shape::Clump(Clump::with_properties(moved, principal, clump.is_overlapping())), frame, principal)
            }
        }
    }
}

/// The body's frame, seen from the principal one. A centre or an axis that is right to within the tolerance (times the
/// size, or the largest moment) is kept.
fn principal_frame(properties: &MassProperties, size: f64, tolerance: f64) -> Pose {
    let centre =
        if properties.centroid.abs().max_element() <= tolerance * size { DVec3::ZERO } else { properties.centroid };
    let to_former = principal_axes(&properties.inertia, tolerance);
    let orientation = to_former.conjugate();
    Pose::new(orientation * -centre, orientation)
}

/// The turn whose axes diagonalise a symmetric tensor.
fn principal_axes(inertia: &DMat3, tolerance: f64) -> DQuat {
    // Quadratic convergence: from 45 degrees five sweeps reach rounding, twelve are never needed.
    const MOST_SWEEPS: usize = 12;
    let mut tensor = *inertia;
    let mut turn = DQuat::IDENTITY;
    let largest = tensor.x_axis.x.max(tensor.y_axis.y).max(tensor.z_axis.z);
    let is_kept = |t: &DMat3| t.x_axis.y.abs().max(t.y_axis.z.abs()).max(t.z_axis.x.abs()) <= tolerance * largest;
    for _ in 0..MOST_SWEEPS {
        if is_kept(&tensor) {
            break;
        }
        for (p, axis) in [(0, DVec3::Z), (1, DVec3::X), (2, DVec3::Y)] {
            let q = (p + 1) % 3;
            let off = tensor.col(p)[q];
            // Elements that vanish to rounding stay, or equal moments would turn the axes at will.
            if off.abs() <= f64::EPSILON * largest {
                continue;
            }
            let slope = (tensor.col(q)[q] - tensor.col(p)[p]) / (2.0 * off);
            let tangent = slope.signum() / (slope.abs() + (slope * slope + 1.0).sqrt());
            turn = (turn * DQuat::from_axis_angle(axis, -tangent.atan())).normalize();
            // From the given tensor each time, so that roundings do not add up.
            let axes = DMat3::from_quat(turn);
            tensor = axes.transpose() * *inertia * axes;
        }
    }
    turn
}

fn without_tilt(inertia: DMat3) -> DMat3 {
    let (x, y) = (inertia.x_axis, inertia.y_axis);
    DMat3::from_cols(DVec3::new(x.x, x.y, 0.0), DVec3::new(y.x, y.y, 0.0), DVec3::new(0.0, 0.0, inertia.z_axis.z))
}

fn moved_polyhedron(polyhedron: &Polyhedron, frame: &Pose) -> Polyhedron {
    if *frame == Pose::IDENTITY {
        return polyhedron.clone();
    }
    let vertices = polyhedron.vertices().iter().map(|v| frame.transform_point(*v)).collect();
    Polyhedron::from_trusted_faces(vertices, polyhedron.faces().iter().map(|face| face.vertices.clone()).collect())
}

fn moved_polygon(polygon: &Polygon, frame: &Pose) -> Polygon {
    if *frame == Pose::IDENTITY {
        return polygon.clone();
    }
    let moved = |c: &DVec2| frame.transform_point(DVec3::new(c.x, c.y, 0.0)).truncate();
    Polygon::from_trusted_corners(polygon.corners().iter().map(moved).collect(), polygon.half_thickness())
}
