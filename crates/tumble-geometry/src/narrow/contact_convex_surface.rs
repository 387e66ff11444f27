//! A grain of any shape and a surface: which algorithm serves, and how the contacts of a clump's parts are told apart.

use super::contact_convex_half_space::contact_convex_half_space;
use super::contact_convex_mesh::contact_convex_mesh;
use super::contact_convex_revolved::{all_features, contact_convex_revolved};
use super::line_of_action::onto_axis;
use super::placed_shape::PlacedShape;
use crate::{Pose, Shape, Surface, SurfaceContact};

/// Appends every contact of a grain with a surface whose separation is at most `margin`: one for each local minimum of
/// the distance, in the order of their features. Minima with nearly parallel normals
/// ([`crate::tolerance::SAME_NORMAL`]) are one contact: the deepest, or the middle of those that are equally deep.
///
/// `pose` is the GRAIN seen from the SURFACE, and the answers are in the SURFACE's frame. It is that way round because
/// a surface may be large: a grain is brought to it, not the other way. To take an answer to the frame in which the
/// surface was placed, use [`SurfaceContact::transformed`].
///
/// The witness point and the normal define the surface's tangent half-space at the contact: all x with
/// `normal . (x - point) >= 0`. The grain reaches `-separation` deep into it. What lies flat on a surface is met in its
/// middle.
///
/// A clump has the contacts of each of its parts. The feature of part k is k times the number of features that one part
/// can have with the surface, plus that of the part by itself (modulo 2^32).
pub fn contact_surface(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64, out: &mut Vec<SurfaceContact>) {
    match shape {
        Shape::Sphere(sphere) => surface.contacts_with_sphere(pose.position, sphere.radius, margin, out),
        Shape::Clump(clump) => {
            let stride = match surface {
                Surface::HalfSpace => 1,
                Surface::Revolved(revolved) => all_features(revolved),
                Surface::Mesh(mesh) => mesh.n_features(),
            };
            for (index, part) in (0..).zip(clump.parts()) {
                let first = out.len();
                contact_surface(&part.shape, surface, &pose.compose(&part.pose), margin, out);
                for contact in &mut out[first..] {
                    contact.feature = contact.feature.wrapping_add(stride.wrapping_mul(index));
                }
            }
        }
        Shape::Cylinder(_)
        | Shape::Capsule(_)
        | Shape::TruncatedCone(_)
        | Shape::Tablet(_)
        | Shape::Superquadric(_)
        | Shape::Polyhedron(_)
        | Shape::Disc(_)
        | Shape::Polygon(_) => {
            let body = PlacedShape::new(shape, pose);
            let first = out.len();
            match surface {
                Surface::HalfSpace => contact_convex_half_space(&body, margin, out),
                Surface::Revolved(revolved) => contact_convex_revolved(revolved, &body, margin, out),
                Surface::Mesh(mesh) => contact_convex_mesh(mesh, &body, margin, out),
            }
            for contact in &mut out[first..] {
                contact.point = onto_axis(contact.point, contact.normal, &body);
            }
        }
    }
}
