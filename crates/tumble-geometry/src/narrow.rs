//! THE pair tables: shape against shape, and shape against surface. Each is one exhaustive match without a wildcard
//! arm, so a new shape or surface does not compile until every pair is decided.

mod common_patch;
mod contact_clump;
mod contact_convex_half_space;
mod contact_convex_mesh;
mod contact_convex_point;
mod contact_convex_revolved;
mod contact_convex_surface;
mod contact_cuboids;
mod contact_planar;
mod contact_sphere_cuboid;
mod contact_sphere_half_space;
mod contact_sphere_mesh;
mod contact_sphere_revolved;
mod contact_sphere_sphere;
mod direction_fan;
mod farthest_on_rim;
mod general;
mod keep_crossed;
mod line_of_action;
mod merge_contacts;
mod method;
mod nearest_on_triangle;
mod placed_shape;
mod revolution;
mod ring_corner;

pub use contact_clump::contact_clump;
pub use contact_convex_surface::contact_surface;
pub use contact_planar::{PlanarContact, contact_disc_polygon, contact_planar, contact_polygon_polygon};
pub use contact_sphere_half_space::contact_sphere_half_space;
pub use contact_sphere_mesh::contact_sphere_mesh;
pub use contact_sphere_revolved::contact_sphere_revolved;
pub use contact_sphere_sphere::contact_sphere_sphere;
pub use general::contact_general;
pub use method::{ContactMethod, contact_by};
pub use nearest_on_triangle::{NearestOnTriangle, TriangleFeature, nearest_on_triangle};
pub use revolution::{BULGE, Revolution, contact_revolution, crowned, warm};

use crate::contact::NotConverged;
use crate::{Contact, Pose, Shape, ShapeKind, SurfaceKind};
use contact_cuboids::contact_cuboids;
use contact_sphere_cuboid::{contact_cuboid_sphere, contact_sphere_cuboid, contact_sphere_cuboid_within};
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
    // Balls are asked for most often, and their formulas cost less than the way to the table.
    if let Shape::Sphere(ball) = a {
        match b {
            Shape::Sphere(b) => return Ok(contact_sphere_sphere(ball.radius, b.radius, pose_ab.position)),
            Shape::Polyhedron(b) => {
                if let Some(contact) =
                    b.cuboid().and_then(|cuboid| contact_sphere_cuboid(ball.radius, cuboid, pose_ab, f64::INFINITY))
                {
                    return Ok(contact);
                }
            }
            _ => {}
        }
    }
    // Nothing is farther apart than infinity, so that there is an answer.
    contact_within(a, b, pose_ab, guess, f64::INFINITY).map(|contact| contact.unwrap_or(Contact::NOWHERE))
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
        (Shape::Disc(_) | Shape::Polygon(_), Shape::Disc(_) | Shape::Polygon(_)) => contact_planar(a, b, pose_ab)
            .map_or_else(
                || contact_general(a, b, pose_ab, guess, limit),
                |contact| Ok((contact.separation <= limit).then_some(contact)),
            ),
        (
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Disc(_),
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Disc(_),
        ) => contact_revolution(a, b, pose_ab, guess, limit),
        (Shape::Polyhedron(first), Shape::Polyhedron(second)) => match (first.cuboid(), second.cuboid()) {
            (Some(first), Some(second)) => contact_cuboids(a, b, [first, second], pose_ab, limit),
            _ => contact_general(a, b, pose_ab, guess, limit),
        },
        (Shape::Sphere(sphere), Shape::Polyhedron(polyhedron)) => match polyhedron.cuboid() {
            Some(cuboid) => Ok(contact_sphere_cuboid_within(sphere.radius, cuboid, pose_ab, limit)),
            None => contact_general(a, b, pose_ab, guess, limit),
        },
        (Shape::Polyhedron(polyhedron), Shape::Sphere(sphere)) => match polyhedron.cuboid() {
            Some(cuboid) => Ok(contact_cuboid_sphere(cuboid, pose_ab.position, sphere.radius, limit)),
            None => contact_general(a, b, pose_ab, guess, limit),
        },
        (
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_),
            Shape::Sphere(_)
            | Shape::Cylinder(_)
            | Shape::Capsule(_)
            | Shape::TruncatedCone(_)
            | Shape::Tablet(_)
            | Shape::Superquadric(_)
            | Shape::Polyhedron(_)
            | Shape::Disc(_)
            | Shape::Polygon(_),
        ) => contact_general(a, b, pose_ab, guess, limit),
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

/// How many contacts a grain that is not a ball can have with a shell.
const EACH_MINIMUM: &str = "one for each local minimum of distance";

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
        (ShapeKind::Disc, ShapeKind::Disc) => entry("closed form", "one", CONTACT_AND_REGION),
        (ShapeKind::Disc, ShapeKind::Polygon) | (ShapeKind::Polygon, ShapeKind::Disc) => {
            entry("all sides and corners in the plane", "one", CONTACT_AND_REGION)
        }
        (ShapeKind::Polygon, ShapeKind::Polygon) => {
            entry("all sides and corners in the plane", "one", CONTACT_AND_REGION)
        }
        (ShapeKind::Clump, _) | (_, ShapeKind::Clump) => entry("deepest pair of parts", "one", CONTACT),
        (ShapeKind::Sphere, ShapeKind::Polyhedron) | (ShapeKind::Polyhedron, ShapeKind::Sphere) => {
            entry("closed form for a box, otherwise support functions", "one", CONTACT_AND_REGION)
        }
        (ShapeKind::Polyhedron, ShapeKind::Polyhedron) => {
            entry("fifteen axes for two boxes, otherwise support functions", "one", CONTACT_AND_REGION)
        }
        (
            ShapeKind::Sphere
            | ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Tablet
            | ShapeKind::Disc,
            ShapeKind::Sphere
            | ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Tablet
            | ShapeKind::Disc,
        ) => entry("pieces of the gap of two profiles, with a proof", "one", CONTACT_AND_REGION),
        (
            ShapeKind::Sphere
            | ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Tablet
            | ShapeKind::Superquadric
            | ShapeKind::Polyhedron
            | ShapeKind::Disc
            | ShapeKind::Polygon,
            ShapeKind::Sphere
            | ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Tablet
            | ShapeKind::Superquadric
            | ShapeKind::Polyhedron
            | ShapeKind::Disc
            | ShapeKind::Polygon,
        ) => entry("support functions: distance (GJK), depth (expanding polytope)", "one", CONTACT_AND_REGION),
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
    match b {
        SurfaceKind::HalfSpace => match a {
            ShapeKind::Sphere => entry("closed form", "one", CONTACT_AND_REGION),
            ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Tablet
            | ShapeKind::Superquadric
            | ShapeKind::Polyhedron
            | ShapeKind::Disc
            | ShapeKind::Polygon => entry("lowest point, or middle of what lies flat", "one", CONTACT_AND_REGION),
            ShapeKind::Clump => entry("that of each part", "one for each part", SHELL_CONTACT),
        },
        SurfaceKind::Revolved => match a {
            ShapeKind::Sphere => entry("nearest points in the meridian plane", EACH_MINIMUM, SHELL_CONTACT),
            ShapeKind::Capsule => entry("round ends; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT),
            ShapeKind::Cylinder | ShapeKind::TruncatedCone | ShapeKind::Disc => {
                entry("stationary points of the rims; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT)
            }
            ShapeKind::Tablet => {
                entry("stationary points of the domed ends; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT)
            }
            ShapeKind::Polyhedron | ShapeKind::Polygon => {
                entry("vertices; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT)
            }
            ShapeKind::Superquadric => entry("stationary reach over the azimuth", EACH_MINIMUM, SHELL_CONTACT),
            ShapeKind::Clump => entry("that of each part", "those of each part", SHELL_CONTACT),
        },
        SurfaceKind::Mesh => match a {
            ShapeKind::Sphere => entry("nearest points of triangles in a box tree", EACH_MINIMUM, SHELL_CONTACT),
            ShapeKind::Cylinder
            | ShapeKind::Capsule
            | ShapeKind::TruncatedCone
            | ShapeKind::Tablet
            | ShapeKind::Superquadric
            | ShapeKind::Polyhedron
            | ShapeKind::Disc
            | ShapeKind::Polygon => {
                entry("faces, edges and corners, each within its own normals", EACH_MINIMUM, SHELL_CONTACT)
            }
            ShapeKind::Clump => entry("that of each part", "those of each part", SHELL_CONTACT),
        },
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
    use crate::{Sphere, Surface};

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
