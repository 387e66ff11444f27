//! A body that meets only one flat face of another: the region is then the part of it behind the face's plane, for which
//! there are better ways than for two bodies.
//!
//! With H the half-space of a face of A, and B cut by H inside all other constraints of A, A and B share just B cut by H.
//! How far B cut by H reaches along n is bounded by duality: with z the outward normal of H and z <= 0 in it,
//!
//! max n . x <= h_B(n - k z) for every k >= 0,
//!
//! with equality at the best k, which the cutting planes of this convex function of k find. A bound that holds proves
//! that the constraint does not matter; where none is found in a few steps the answer is "not known", so that a wrong yes
//! is impossible.

use crate::{Polyhedron, Pose, Shape};
use glam::{DQuat, DVec3};

/// The face of a shape whose normal is nearest to a direction.
struct FlatFace {
    normal: DVec3,
    offset: f64,
}

/// The frame (in a shape's own) of the face that faces `direction`, if the other body, in `pose`, meets no other part of
/// the surface.
pub(super) fn only_face_met(shape: &Shape, direction: DVec3, other: &Shape, pose: &Pose) -> Option<Pose> {
    match shape {
        Shape::Polyhedron(solid) => only_face_of_polyhedron(solid, direction, other, pose),
        Shape::Polygon(polygon) => only_face_of_polyhedron(polygon.solid(), direction, other, pose),
        Shape::Cylinder(c) => only_end(direction, [c.half_height, c.half_height], [c.radius, c.radius], other, pose),
        Shape::Disc(disc) => {
            let c = disc.solid();
            only_end(direction, [c.half_height, c.half_height], [c.radius, c.radius], other, pose)
        }
        Shape::TruncatedCone(c) => {
            only_end(direction, [-c.lower_z(), c.upper_z()], [c.lower_radius, c.upper_radius], other, pose)
        }
        Shape::Sphere(_) | Shape::Capsule(_) | Shape::Tablet(_) | Shape::Superquadric(_) | Shape::Clump(_) => None,
    }
}

/// Faces are looked at only if they face the other body as much as this (a cosine).
const FACING: f64 = 0.7;

fn frame(face: &FlatFace) -> Pose {
    Pose::new(face.normal * face.offset, DQuat::from_rotation_arc(DVec3::Z, face.normal))
}

fn only_face_of_polyhedron(solid: &Polyhedron, direction: DVec3, other: &Shape, pose: &Pose) -> Option<Pose> {
    let faces = solid.faces();
    let facing = |k: &usize| faces[*k].normal.dot(direction);
    let best = (0..faces.len()).max_by(|x, y| facing(x).total_cmp(&facing(y)))?;
    if facing(&best) < FACING {
        return None;
    }
    let face = FlatFace { normal: faces[best].normal, offset: faces[best].offset };
    let body = CutBody { shape: other, pose, face: &face };
    let is_inside = |k: usize| k == best || body.is_below(faces[k].normal, faces[k].offset);
    (0..faces.len()).all(is_inside).then(|| frame(&face))
}

/// One of the ends of a body of revolution, given the distances of the lower and upper end and their radii.
fn only_end(direction: DVec3, offsets: [f64; 2], radii: [f64; 2], other: &Shape, pose: &Pose) -> Option<Pose> {
    const N_AROUND: usize = 8;
    if direction.z.abs() < FACING {
        return None;
    }
    let (own, far) = if direction.z > 0.0 { (1, 0) } else { (0, 1) };
    let face = FlatFace { normal: DVec3::Z * direction.z.signum(), offset: offsets[own] };
    let body = CutBody { shape: other, pose, face: &face };
    // How deep the other body reaches, and the radius there.
    let lowest = body.support(-face.normal);
    let reach = face.offset - face.normal.dot(lowest);
    let height = offsets[0] + offsets[1];
    if reach.is_nan() || reach >= height {
        return None;
    }
    let radius = radii[own].min(radii[own] + (radii[far] - radii[own]) * (reach / height).max(0.0));
    // An octagon that holds the cut body, one side of it across the way to the deepest point, within the circle.
    let inner = radius * (std::f64::consts::PI / N_AROUND as f64).cos();
    let first = lowest.y.atan2(lowest.x);
    let is_inside = |k: usize| {
        let (y, x) = (first + std::f64::consts::TAU / N_AROUND as f64 * k as f64).sin_cos();
        body.is_below(DVec3::new(x, y, 0.0), inner)
    };
    (0..N_AROUND).all(is_inside).then(|| frame(&face))
}

/// A body in a pose, cut by the half-space of a face.
struct CutBody<'a> {
    shape: &'a Shape,
    pose: &'a Pose,
    face: &'a FlatFace,
}

impl CutBody<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.pose.transform_point(self.shape.support(self.pose.inverse_transform_vector(direction)))
    }

    /// Whether all of the cut body is known to have `normal . x <= offset`.
    fn is_below(&self, normal: DVec3, offset: f64) -> bool {
        const N_STEPS: usize = 10;
        // Bounds of the best k, with the point of support at each: its height over the face is the slope there.
        let mut lower: Option<(f64, f64)> = None;
        let mut upper: Option<(f64, f64)> = None;
        // A shallow region is met nearly from below.
        let mut k = 8.0;
        for _ in 0..N_STEPS {
            let point = self.support(normal - k * self.face.normal);
            let height = self.face.normal.dot(point) - self.face.offset;
            let along = normal.dot(point) - offset;
            if along - k * height <= 0.0 {
                return true;
            }
            if height <= 0.0 {
                // A point of the cut body beyond the plane.
                if along > 0.0 {
                    return false;
                }
                upper = Some((along, height));
            } else {
                lower = Some((along, height));
            }
            // Where the two tangents, along - k height, meet; or farther on the open side.
            let next = match (lower, upper) {
                (Some(l), Some(u)) => (l.0 - u.0) / (l.1 - u.1),
                (Some(_), None) => 8.0 * k,
                (None, _) => k / 8.0,
            };
            if !next.is_finite() || next == k {
                return false;
            }
            k = next;
        }
        false
    }
}
