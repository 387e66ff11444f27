//! THE pair tables: shape against shape, and shape against surface. Each is one exhaustive match without a wildcard
//! arm, so a new shape or surface does not compile until every pair is decided.

mod contact_clump;
mod contact_sphere_half_space;
mod contact_sphere_mesh;
mod contact_sphere_revolved;
mod contact_sphere_sphere;
mod general;
mod merge_contacts;
mod nearest_on_triangle;

pub use contact_clump::contact_clump;
pub use contact_sphere_half_space::contact_sphere_half_space;
pub use contact_sphere_mesh::contact_sphere_mesh;
pub use contact_sphere_revolved::contact_sphere_revolved;
pub use contact_sphere_sphere::contact_sphere_sphere;
pub use general::contact_general;
pub use nearest_on_triangle::{NearestOnTriangle, TriangleFeature, nearest_on_triangle};

use crate::contact::NotConverged;
use crate::{Contact, Pose, Shape, ShapeKind, Surface, SurfaceContact, SurfaceKind};
use glam::DVec3;

/// The contact between shapes a and b, apart or overlapping. `pose_ab` is b seen from a; the answer is in a's frame.
///
/// A clump is not convex: its contact is that of the pair of parts with the least separation. For bodies apart that is
/// the distance; for overlapping ones it is the depth of the deepest pair of parts.
pub fn contact(a: &Shape, b: &Shape, pose_ab: &Pose) -> Result<Contact, NotConverged> {
    contact_from(a, b, pose_ab, None)
}

/// The same as [`contact`], begun from a direction that is thought to be near the normal (that of the last step): faster
/// if it is, and right even if it is not. The direction need not be of unit length and is in a's frame.
pub fn contact_from(a: &Shape, b: &Shape, pose_ab: &Pose, guess: Option<DVec3>) -> Result<Contact, NotConverged> {
    // Nothing is farther apart than infinity, so that there is an answer.
    let nowhere = Contact { normal: DVec3::X, separation: f64::INFINITY, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
    contact_within(a, b, pose_ab, guess, f64::INFINITY).map(|contact| contact.unwrap_or(nowhere))
}

/// The same as [`contact_from`] for those who need no contact beyond a separation: `None` as soon as the bodies are known
/// to be farther apart than `limit`, which one direction can prove. A separation of `limit` exactly may go either way.
pub fn contact_within(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => {
            let contact = contact_sphere_sphere(a.radius, b.radius, pose_ab.position);
            Ok((contact.separation <= limit).then_some(contact))
        }
        (Shape::Clump(_), _) | (_, Shape::Clump(_)) => contact_clump(a, b, pose_ab, guess, limit),
        // Planar shapes among themselves, as the solids they are.
        (Shape::Disc(_) | Shape::Polygon(_), Shape::Disc(_) | Shape::Polygon(_)) => {
            contact_general(a, b, pose_ab, guess, limit)
        }
        (
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_),
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_),
        ) => contact_general(a, b, pose_ab, guess, limit),
    }
}

/// Appends every contact of a grain with a surface whose separation is at most `margin`: one for each local minimum of
/// the distance, in the order of their features. Minima with nearly parallel normals
/// ([`crate::tolerance::SAME_NORMAL`]) are one contact.
///
/// `pose` is the GRAIN seen from the SURFACE, and the answers are in the SURFACE's frame. It is that way round because
/// a surface may be large: a grain is brought to it, not the other way. To take an answer to the frame in which the
/// surface was placed, use [`SurfaceContact::transformed`].
pub fn contact_surface(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64, out: &mut Vec<SurfaceContact>) {
    match shape {
        Shape::Sphere(sphere) => surface.contacts_with_sphere(pose.position, sphere.radius, margin, out),
        _ => {
            let lowest = pose.transform_point(shape.support(pose.inverse_transform_vector(-DVec3::Z)));
            if matches!(surface, Surface::HalfSpace) && lowest.z <= margin {
                let point = DVec3::new(lowest.x, lowest.y, 0.0);
                out.push(SurfaceContact { feature: 0, normal: -DVec3::Z, separation: lowest.z, point });
            }
        }
    }
}

/// One cell of the pair tables, for people to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairEntry {
    /// Name of the shape a.
    pub a: &'static str,
    /// Name of the shape or surface b.
    pub b: &'static str,
    /// Whether b is a surface (a wall) and not a shape (a grain).
    pub b_is_surface: bool,
    /// How the contact is found, in a few words.
    pub algorithm: &'static str,
    /// How many contacts one pair can have.
    pub contacts: &'static str,
    /// What an answer holds.
    pub yields: &'static [&'static str],
}

/// What a pair of convex bodies yields when the common region is known too.
const CONTACT_AND_REGION: &[&str] =
    &["overlap", "separation", "normal", "points", "volume", "centroid", "surface area"];

/// What a pair yields whose common region is not known here.
const CONTACT: &[&str] = &["overlap", "separation", "normal", "points"];

/// What a contact with a thin shell yields: a shell encloses nothing, so there is no common region.
const SHELL_CONTACT: &[&str] = &["overlap", "separation", "normal", "points", "feature"];

/// How a pair of shapes is handled.
pub fn pair_entry(a: ShapeKind, b: ShapeKind) -> PairEntry {
    let entry = |algorithm, contacts, yields| PairEntry {
        a: a.name(),
        b: b.name(),
        b_is_surface: false,
        algorithm,
        contacts,
        yields,
    };
    match (a, b) {
        (ShapeKind::Sphere, ShapeKind::Sphere) => entry("closed form", "one", CONTACT_AND_REGION),
        (ShapeKind::Clump, _) | (_, ShapeKind::Clump) => entry("deepest pair of parts", "one", CONTACT),
        (
            ShapeKind::Sphere
            | ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Superquadric
            | ShapeKind::Polyhedron
            | ShapeKind::Disc
            | ShapeKind::Polygon,
            ShapeKind::Sphere
            | ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Superquadric
            | ShapeKind::Polyhedron
            | ShapeKind::Disc
            | ShapeKind::Polygon,
        ) => entry("support functions: distance (GJK), depth (expanding polytope)", "one", CONTACT),
    }
}

/// How a shape and a surface are handled.
pub fn surface_pair_entry(a: ShapeKind, b: SurfaceKind) -> PairEntry {
    let entry = |algorithm, contacts, yields| PairEntry {
        a: a.name(),
        b: b.name(),
        b_is_surface: true,
        algorithm,
        contacts,
        yields,
    };
    match (a, b) {
        (ShapeKind::Sphere, SurfaceKind::HalfSpace) => entry("closed form", "one", CONTACT_AND_REGION),
        (ShapeKind::Sphere, SurfaceKind::Revolved) => {
            entry("nearest points in the meridian plane", "one for each local minimum of distance", SHELL_CONTACT)
        }
        (ShapeKind::Sphere, SurfaceKind::Mesh) => {
            entry("nearest points of triangles in a box tree", "one for each local minimum of distance", SHELL_CONTACT)
        }
        _ => entry("support points", "one", SHELL_CONTACT),
    }
}

/// Every cell of both tables: shapes against shapes (each unordered pair once), then shapes against surfaces.
pub fn pair_table() -> Vec<PairEntry> {
    let mut table = Vec::new();
    for (index, &a) in ShapeKind::ALL.iter().enumerate() {
        for &b in &ShapeKind::ALL[index..] {
            table.push(pair_entry(a, b));
        }
    }
    for a in ShapeKind::ALL {
        for b in SurfaceKind::ALL {
            table.push(surface_pair_entry(a, b));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sphere;

    #[test]
    fn every_pair_is_in_the_table_once() {
        let table = pair_table();
        let n_shapes = ShapeKind::ALL.len();
        assert_eq!(table.len(), n_shapes * (n_shapes + 1) / 2 + n_shapes * SurfaceKind::ALL.len());
        for (i, x) in table.iter().enumerate() {
            assert!(!x.algorithm.is_empty() && !x.yields.is_empty());
            assert!(table[i + 1..].iter().all(|y| (x.a, x.b) != (y.a, y.b)));
        }
    }

    #[test]
    fn names_of_kinds_are_those_of_the_things() {
        assert_eq!(Shape::Sphere(Sphere { radius: 1.0 }).kind(), ShapeKind::ALL[0]);
        assert_eq!(Surface::HalfSpace.kind(), SurfaceKind::ALL[0]);
        assert_eq!(Surface::HalfSpace.name(), "half-space");
    }
}
