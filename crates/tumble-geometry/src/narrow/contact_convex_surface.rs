//! A grain of any shape and a surface: which algorithm serves, and how the contacts of a clump's parts are told apart.

use super::contact_body::ContactBody;
use super::contact_convex_half_space::{contact_convex_half_space, contact_superquadric_half_space};
use super::contact_convex_mesh::contact_convex_mesh;
use super::contact_convex_revolved::{all_features, contact_convex_revolved};
use super::convex::Convex;
use super::line_of_action::onto_axis;
use super::pair_table::{SurfaceAlgorithm, surface_algorithm};
use super::placed_shape::PlacedShape;
use crate::{Pose, Shape, Surface, SurfaceContact};

/// Appends every contact of a grain with a surface whose separation is at most `margin`: one for each local minimum of
/// the distance, or inside a wall of revolution for each corner of a polyhedron, in the order of their features, each followed by
/// its passes ([`SurfaceContact::weight`]).
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
///
/// ```
/// use tumble_geometry::{DVec3, Pose, Shape, Surface, contact_surface};
///
/// let mut found = Vec::new();
/// let ball = Shape::sphere(0.5)?;
/// contact_surface(&ball, &Surface::HalfSpace, &Pose::from_position(DVec3::Z * 0.4), 0.0, &mut found);
/// assert_eq!(found.len(), 1);
/// assert!((found[0].separation + 0.1).abs() < 1e-12);
/// assert_eq!(found[0].normal, DVec3::NEG_Z);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn contact_surface(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64, out: &mut Vec<SurfaceContact>) {
    if let (Shape::Superquadric(body), Surface::HalfSpace) = (shape, surface) {
        return contact_superquadric_half_space(body, pose, margin, out);
    }
    match surface_algorithm(shape.kind(), surface.kind()) {
        SurfaceAlgorithm::SphereHalfSpace | SurfaceAlgorithm::SphereRevolved | SurfaceAlgorithm::SphereMesh => {
            surface.contacts_with_sphere(pose.position, shape.bounding_radius(), margin, out);
        }
        SurfaceAlgorithm::PartsHalfSpace | SurfaceAlgorithm::PartsShell => {
            let stride = features_of_one_part(surface);
            for (index, (part, place)) in (0..).zip(shape.parts()) {
                let first = out.len();
                contact_surface(part, surface, &pose.compose(&place), margin, out);
                tell_part(&mut out[first..], stride, index);
            }
        }
        SurfaceAlgorithm::LowestPoint
        | SurfaceAlgorithm::RoundEnds
        | SurfaceAlgorithm::Rims
        | SurfaceAlgorithm::Domes
        | SurfaceAlgorithm::Vertices
        | SurfaceAlgorithm::Azimuths
        | SurfaceAlgorithm::MeshFeatures => {
            contact_convex_surface(&PlacedShape::new(Convex::from(shape), pose), surface, margin, out);
        }
    }
}

/// The same for a body whose flat ends and straight sides may bulge. What bulges is met in its farthest point.
// Not inlined: it is where a run's geometry begins, and profiles show it.
#[inline(never)]
pub fn contact_body_surface(
    body: &ContactBody,
    surface: &Surface,
    pose: &Pose,
    margin: f64,
    found: &mut Vec<SurfaceContact>,
) {
    if body.bulge() == 0.0 {
        contact_surface(body.shape(), surface, pose, margin, found);
    } else if body.parts().is_empty() {
        contact_convex_surface(&PlacedShape::new(body.convex(), pose), surface, margin, found);
    } else {
        let stride = features_of_one_part(surface);
        for (index, (part, place)) in (0..).zip(body.parts()) {
            let first = found.len();
            contact_body_surface(part, surface, &pose.compose(place), margin, found);
            tell_part(&mut found[first..], stride, index);
        }
    }
}

/// How many features one convex part can have with a surface.
fn features_of_one_part(surface: &Surface) -> u32 {
    match surface {
        Surface::HalfSpace => 1,
        Surface::Revolved(revolved) => all_features(revolved),
        Surface::Mesh(mesh) => mesh.n_features(),
    }
}

/// Makes the features of a part's contacts differ from those of other parts.
fn tell_part(contacts: &mut [SurfaceContact], stride: u32, index: u32) {
    for contact in contacts {
        contact.feature = contact.feature.wrapping_add(stride.wrapping_mul(index));
    }
}

/// The contacts of one convex body.
pub(super) fn contact_convex_surface(
    body: &PlacedShape,
    surface: &Surface,
    margin: f64,
    out: &mut Vec<SurfaceContact>,
) {
    let first = out.len();
    match surface {
        Surface::HalfSpace => contact_convex_half_space(body, margin, out),
        Surface::Revolved(revolved) => contact_convex_revolved(revolved, body, margin, out),
        Surface::Mesh(mesh) => contact_convex_mesh(mesh, body, margin, out),
    }
    for contact in &mut out[first..] {
        contact.point = onto_axis(contact.point, contact.normal, body);
    }
}
