//! THE pair tables: which algorithm finds the contact of two shapes, and of a shape and a surface. One exhaustive function
//! each, without a wildcard arm for what meets whom, so a new shape or surface does not compile until every pair is decided.
//! The dispatch in [`super`], `tumble pairs`, the book and the shared tests all come from here.

use crate::ShapeKind::{
    Capsule, Clump, Cylinder, Disc, Polygon, Polyhedron, Sphere, Superquadric, Tablet, TruncatedCone,
};
use crate::{ShapeKind, SurfaceKind};

/// How the contact of two shapes is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairAlgorithm {
    /// Two balls.
    Spheres,
    /// A ball and a polyhedron, which may be a box.
    SphereAndPolyhedron,
    /// Two polyhedra, which may be boxes.
    Polyhedra,
    /// A polyhedron and a superquadric.
    PolyhedronAndSuperquadric,
    /// Two discs in their plane.
    Discs,
    /// Planar shapes with corners, in their plane.
    PlanarCorners,
    /// Two bodies of revolution.
    Revolution,
    /// Two superquadrics, or one and a ball.
    Smooth,
    /// Any two convex bodies.
    General,
    /// A clump with anything.
    Parts,
}

/// How the contacts of a shape with a surface are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceAlgorithm {
    /// A ball and a half-space.
    SphereHalfSpace,
    /// A ball and a surface of revolution.
    SphereRevolved,
    /// A ball and a mesh.
    SphereMesh,
    /// A convex body and a half-space.
    LowestPoint,
    /// A body with round ends in a surface of revolution.
    RoundEnds,
    /// A body with rims in a surface of revolution.
    Rims,
    /// A body with domed ends in a surface of revolution.
    Domes,
    /// A body with corners in a surface of revolution.
    Vertices,
    /// Any convex body in a surface of revolution.
    Azimuths,
    /// A convex body and a mesh.
    MeshFeatures,
    /// The parts of a clump and a half-space.
    PartsHalfSpace,
    /// The parts of a clump and a shell.
    PartsShell,
}

/// An algorithm for people to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// How the contact is found, in a few words.
    pub words: &'static str,
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

impl PairAlgorithm {
    /// What it does.
    pub const fn description(self) -> Description {
        let (words, yields) = match self {
            PairAlgorithm::Spheres | PairAlgorithm::Discs => ("closed form", CONTACT_AND_REGION),
            PairAlgorithm::SphereAndPolyhedron => {
                ("closed form for a box, otherwise support functions", CONTACT_AND_REGION)
            }
            PairAlgorithm::Polyhedra => {
                ("fifteen axes for two boxes, otherwise a walk over features, with a proof", CONTACT_AND_REGION)
            }
            PairAlgorithm::PolyhedronAndSuperquadric => {
                ("a walk over faces, edges and vertices, with a proof", CONTACT_AND_REGION)
            }
            PairAlgorithm::PlanarCorners => ("all sides and corners in the plane", CONTACT_AND_REGION),
            PairAlgorithm::Revolution => ("pieces of the gap of two profiles, with a proof", CONTACT_AND_REGION),
            PairAlgorithm::Smooth => {
                ("points with opposite normals, with a proof; deep: support functions", CONTACT_AND_REGION)
            }
            PairAlgorithm::General => {
                ("support functions: distance (GJK), depth (expanding polytope)", CONTACT_AND_REGION)
            }
            PairAlgorithm::Parts => ("deepest pair of parts", CONTACT),
        };
        Description { words, contacts: "one", yields }
    }
}

impl SurfaceAlgorithm {
    /// What it does.
    pub const fn description(self) -> Description {
        let (words, contacts, yields) = match self {
            SurfaceAlgorithm::SphereHalfSpace => ("closed form", "one", CONTACT_AND_REGION),
            SurfaceAlgorithm::LowestPoint => ("lowest point, or middle of what lies flat", "one", CONTACT_AND_REGION),
            SurfaceAlgorithm::SphereRevolved => ("nearest points in the meridian plane", EACH_MINIMUM, SHELL_CONTACT),
            SurfaceAlgorithm::RoundEnds => ("round ends; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT),
            SurfaceAlgorithm::Rims => {
                ("stationary points of the rims; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT)
            }
            SurfaceAlgorithm::Domes => {
                ("stationary points of the domed ends; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT)
            }
            SurfaceAlgorithm::Vertices => ("vertices; least reach around a rod", EACH_MINIMUM, SHELL_CONTACT),
            SurfaceAlgorithm::Azimuths => ("stationary reach over the azimuth", EACH_MINIMUM, SHELL_CONTACT),
            SurfaceAlgorithm::SphereMesh => ("nearest points of triangles in a box tree", EACH_MINIMUM, SHELL_CONTACT),
            SurfaceAlgorithm::MeshFeatures => {
                ("faces, edges and corners, each within its own normals", EACH_MINIMUM, SHELL_CONTACT)
            }
            SurfaceAlgorithm::PartsHalfSpace => ("that of each part", "one for each part", SHELL_CONTACT),
            SurfaceAlgorithm::PartsShell => ("that of each part", "those of each part", SHELL_CONTACT),
        };
        Description { words, contacts, yields }
    }
}

/// How the contact of two shapes is found; the same either way round.
#[inline]
pub const fn algorithm(a: ShapeKind, b: ShapeKind) -> PairAlgorithm {
    match (a, b) {
        (Clump, _) | (_, Clump) => PairAlgorithm::Parts,
        (Sphere, Sphere) => PairAlgorithm::Spheres,
        (Disc, Disc) => PairAlgorithm::Discs,
        (Disc | Polygon, Polygon) | (Polygon, Disc) => PairAlgorithm::PlanarCorners,
        (Sphere, Polyhedron) | (Polyhedron, Sphere) => PairAlgorithm::SphereAndPolyhedron,
        (Polyhedron, Polyhedron) => PairAlgorithm::Polyhedra,
        (Polyhedron, Superquadric) | (Superquadric, Polyhedron) => PairAlgorithm::PolyhedronAndSuperquadric,
        (Sphere, Cylinder | Capsule | TruncatedCone | Tablet | Disc)
        | (Cylinder | Capsule | TruncatedCone | Tablet, Sphere | Cylinder | Capsule | TruncatedCone | Tablet | Disc)
        | (Disc, Sphere | Cylinder | Capsule | TruncatedCone | Tablet) => PairAlgorithm::Revolution,
        (Superquadric, Sphere | Superquadric) | (Sphere, Superquadric) => PairAlgorithm::Smooth,
        (Superquadric, Cylinder | Capsule | TruncatedCone | Tablet | Disc | Polygon)
        | (Cylinder | Capsule | TruncatedCone | Tablet | Disc | Polygon, Superquadric)
        | (Polyhedron, Cylinder | Capsule | TruncatedCone | Tablet | Disc | Polygon)
        | (Cylinder | Capsule | TruncatedCone | Tablet | Disc | Polygon, Polyhedron)
        | (Polygon, Sphere | Cylinder | Capsule | TruncatedCone | Tablet)
        | (Sphere | Cylinder | Capsule | TruncatedCone | Tablet, Polygon) => PairAlgorithm::General,
    }
}

/// How the contacts of a shape with a surface are found.
#[inline]
pub const fn surface_algorithm(a: ShapeKind, b: SurfaceKind) -> SurfaceAlgorithm {
    match (a, b) {
        (Clump, SurfaceKind::HalfSpace) => SurfaceAlgorithm::PartsHalfSpace,
        (Clump, SurfaceKind::Revolved | SurfaceKind::Mesh) => SurfaceAlgorithm::PartsShell,
        (Sphere, SurfaceKind::HalfSpace) => SurfaceAlgorithm::SphereHalfSpace,
        (Sphere, SurfaceKind::Revolved) => SurfaceAlgorithm::SphereRevolved,
        (Sphere, SurfaceKind::Mesh) => SurfaceAlgorithm::SphereMesh,
        (
            Cylinder | Capsule | TruncatedCone | Tablet | Superquadric | Polyhedron | Disc | Polygon,
            SurfaceKind::HalfSpace,
        ) => SurfaceAlgorithm::LowestPoint,
        (Capsule, SurfaceKind::Revolved) => SurfaceAlgorithm::RoundEnds,
        (Cylinder | TruncatedCone | Disc, SurfaceKind::Revolved) => SurfaceAlgorithm::Rims,
        (Tablet, SurfaceKind::Revolved) => SurfaceAlgorithm::Domes,
        (Polyhedron | Polygon, SurfaceKind::Revolved) => SurfaceAlgorithm::Vertices,
        (Superquadric, SurfaceKind::Revolved) => SurfaceAlgorithm::Azimuths,
        (
            Cylinder | Capsule | TruncatedCone | Tablet | Superquadric | Polyhedron | Disc | Polygon,
            SurfaceKind::Mesh,
        ) => SurfaceAlgorithm::MeshFeatures,
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
    /// What the algorithm does.
    pub description: Description,
}

/// Every cell of both tables: shapes against shapes (each unordered pair once), then shapes against surfaces.
pub fn pair_table() -> Vec<PairEntry> {
    let mut table = Vec::new();
    for (index, &a) in ShapeKind::ALL.iter().enumerate() {
        for &b in &ShapeKind::ALL[index..] {
            let description = algorithm(a, b).description();
            table.push(PairEntry { a: a.name(), b: b.name(), b_is_surface: false, description });
        }
    }
    for a in ShapeKind::ALL {
        for b in SurfaceKind::ALL {
            let description = surface_algorithm(a, b).description();
            table.push(PairEntry { a: a.name(), b: b.name(), b_is_surface: true, description });
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Sphere, Surface};

    #[test]
    fn every_pair_is_in_the_table_once() {
        let table = pair_table();
        let n_shapes = ShapeKind::ALL.len();
        assert_eq!(table.len(), n_shapes * (n_shapes + 1) / 2 + n_shapes * SurfaceKind::ALL.len());
        for (i, x) in table.iter().enumerate() {
            assert!(!x.description.words.is_empty() && !x.description.yields.is_empty());
            assert!(table[i + 1..].iter().all(|y| (x.a, x.b) != (y.a, y.b)));
        }
    }

    #[test]
    fn a_pair_is_the_same_either_way_round() {
        for a in ShapeKind::ALL {
            for b in ShapeKind::ALL {
                assert_eq!(algorithm(a, b), algorithm(b, a), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn names_of_kinds_are_those_of_the_things() {
        assert_eq!(Shape::Sphere(Sphere { radius: 1.0 }).kind(), ShapeKind::ALL[0]);
        assert_eq!(Surface::HalfSpace.kind(), SurfaceKind::ALL[0]);
        assert_eq!(Surface::HalfSpace.name(), "half-space");
    }
}
