//! What a body of revolution feels has no torque about its axis, and what a ball feels has none about its centre. A region
//! that was found by quadrature fulfils that as well as the quadrature is good; here it is made to, by the least change.
//! Over a million steps the difference would turn a grain that nothing can turn.

use super::OverlapRegion;
use crate::{Pose, Shape};
use glam::DVec3;

/// What cannot turn a shape.
#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    None,
    /// About its own z.
    Axis,
    Ball,
}

fn symmetry(shape: &Shape) -> Symmetry {
    // The first two semi-axes of a superquadric span circles if the exponent across them is 2.
    let is_round =
        |shape: &Shape| matches!(shape, Shape::Superquadric(s) if s.n2 == 2.0 && s.semi_axes.x == s.semi_axes.y);
    if shape.is_ball() {
        Symmetry::Ball
    } else if shape.radius_about_axis().is_some() || is_round(shape) {
        Symmetry::Axis
    } else {
        Symmetry::None
    }
}

/// Squared sine of the angle between two axes below which they count as one.
const SAME_AXIS: f64 = 1e-16;

/// The region, in a's frame, without torque about axes of symmetry.
pub(super) fn spin_free(a: &Shape, b: &Shape, pose_ab: &Pose, region: OverlapRegion) -> OverlapRegion {
    let (place, axis_b) = (pose_ab.position, pose_ab.orientation * DVec3::Z);
    let OverlapRegion { mut vector_area, mut first_moment, .. } = region;
    match (symmetry(a), symmetry(b)) {
        (Symmetry::None, Symmetry::None) => return region,
        (Symmetry::Axis, Symmetry::None) => first_moment.z = 0.0,
        (Symmetry::None, Symmetry::Axis) => {
            first_moment -= (first_moment - place.cross(vector_area)).dot(axis_b) * axis_b;
        }
        (Symmetry::Axis, Symmetry::Axis) => {
            let cosine = axis_b.z;
            let (on_a, on_b) = (-first_moment.z, -(first_moment - place.cross(vector_area)).dot(axis_b));
            let determinant = (1.0 - cosine * cosine).max(0.0) + SAME_AXIS;
            first_moment +=
                DVec3::Z * ((on_a - cosine * on_b) / determinant) + axis_b * ((on_b - cosine * on_a) / determinant);
        }
        // The force goes through a ball's centre, in the plane with the other's axis.
        (Symmetry::Ball, other) => {
            if other == Symmetry::Axis {
                vector_area = vector_area.reject_from(axis_b.cross(place));
            }
            first_moment = DVec3::ZERO;
        }
        (other, Symmetry::Ball) => {
            if other == Symmetry::Axis {
                vector_area = vector_area.reject_from(DVec3::Z.cross(place));
            }
            first_moment = place.cross(vector_area);
        }
    }
    // On one axis there is no plane, and nothing to change.
    if !(vector_area.is_finite() && first_moment.is_finite()) {
        return region;
    }
    OverlapRegion { vector_area, first_moment, ..region }
}
