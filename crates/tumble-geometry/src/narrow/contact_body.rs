//! A body as contacts see it, decided once and the same against every partner and wall: its shape, and by how much its flat
//! ends and straight sides bulge.
//!
//! Where a flat end lies on a face, the largest gap leaves the point of the contact free, and with the least tilt it jumps
//! from one rim to the other. A crown takes that away: every flat end becomes the dome of a large ball and every straight
//! side an arc of a large circle, between the same rims, each bulging by the crown times half of the smaller of height and
//! diameter. The surface is then off by no more than that, its normals turn without a jump, and so does the point.
//!
//! The contact is that of the bodies with their crowns in every case: two bodies of revolution by their profiles
//! ([`super::revolution`]), else by support functions ([`super::general`]); walls by the farthest points. Without a crown
//! the answers are those of the shapes themselves, bit for bit.
//!
//! Bodies of revolution alone have a crown: cylinders, capsules, cones and tablets with a band. Boxes and polyhedra keep
//! their faces, planar shapes meet in their plane. A cone so flat (or a tablet with domes so nearly half-balls) that side
//! and end would bulge into each other stays as it is.

use super::contact_clump::{PlacedPart, contact_parts};
use super::contact_smooth::contact_smooth_again;
use super::contact_within;
use super::convex::Convex;
use super::general::contact_convex;
use super::method::{ContactMethod, contact_by};
use super::pair_table::{PairAlgorithm, algorithm};
use super::revolution::crowned::measures;
use super::revolution::{Bulging, Farthest, Revolution, contact_bulging};
use super::yielding::Radii;
use crate::contact::NotConverged;
use crate::lanes::Row;
use crate::{Aabb, Contact, Pose, Shape};
use glam::DVec3;

/// The crown that runs give to bodies of revolution unless told otherwise: large against the roundness that rounding and a
/// step of a run leave, and a twentieth of the overlap at which a run is told to be too soft.
pub const DEFAULT_CROWN: f64 = 5e-4;

/// One minus the cosine of the angle to a face's normal below which a direction is that of the face.
const ON_FACE: f64 = 1e-12;

/// The largest crown. The dome of a cube-like cylinder then rises by 23 degrees at its rim.
pub const LARGEST_CROWN: f64 = 0.1;

/// A body as contacts see it: a shape, and by how much its flat ends and straight sides bulge.
#[derive(Clone, Debug)]
pub struct ContactBody {
    shape: Shape,
    crown: f64,
    surface: BodySurface,
    bulge: f64,
    bounding_radius: f64,
}

/// What is met.
#[derive(Clone, Debug)]
enum BodySurface {
    /// The shape itself, and its profile if it is a body of revolution.
    Plain(Option<Revolution>),
    /// The shape with a crown.
    Crowned(Box<Bulging>),
    /// The parts of a clump.
    Parts(Vec<(ContactBody, Pose)>),
}

impl ContactBody {
    /// A shape with a crown: the bulge of flat ends and straight sides over half of the smaller width, at most
    /// [`LARGEST_CROWN`]. Zero leaves the shape as it is, and so does what is not a number above zero. Each part of a clump
    /// has the crown for itself. Shapes without flat ends or straight sides of revolution, and planar shapes, have none.
    pub fn new(shape: &Shape, crown: f64) -> ContactBody {
        let crown = if crown > 0.0 { crown.min(LARGEST_CROWN) } else { 0.0 };
        let is_planar = shape.kind().is_planar();
        let bulging = if is_planar { None } else { Bulging::new(shape, crown) };
        ContactBody::with_surface(shape, crown, bulging)
    }

    /// A convex shape that bulges by a length [m].
    pub(super) fn bulging(shape: &Shape, bulge: f64) -> ContactBody {
        let bulging = if shape.kind().is_planar() { None } else { Bulging::by_length(shape, bulge) };
        ContactBody::with_surface(shape, 0.0, bulging)
    }

    fn with_surface(shape: &Shape, crown: f64, bulging: Option<Bulging>) -> ContactBody {
        let is_planar = shape.kind().is_planar();
        let (surface, bulge, bounding_radius) = match (shape, bulging) {
            (Shape::Clump(clump), _) => {
                let part = |part: &crate::Part| (ContactBody::new(&part.shape, crown), part.pose);
                let parts: Vec<(ContactBody, Pose)> = clump.parts().iter().map(part).collect();
                let bulge = parts.iter().map(|(part, _)| part.bulge).fold(0.0, f64::max);
                let reach = |(part, pose): &(ContactBody, Pose)| pose.position.length() + part.bounding_radius;
                // Without a crown a clump knows better.
                let crowned = parts.iter().map(reach).fold(0.0, f64::max);
                let radius = if bulge > 0.0 { crowned } else { shape.bounding_radius() };
                (BodySurface::Parts(parts), bulge, radius)
            }
            (_, Some(bulging)) => (BodySurface::Crowned(Box::new(bulging)), bulging.bulge(), bulging.bounding_radius()),
            (_, None) => {
                let revolution = if is_planar { None } else { Revolution::of(shape) };
                (BodySurface::Plain(revolution), 0.0, shape.bounding_radius())
            }
        };
        let crown = if bulge > 0.0 { crown } else { 0.0 };
        ContactBody { shape: shape.clone(), crown, surface, bulge, bounding_radius }
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The bulge over half of the smaller width; zero if nothing bulges.
    pub fn crown(&self) -> f64 {
        self.crown
    }

    /// By how much flat ends and straight sides bulge [m]; of a clump's parts the largest.
    pub fn bulge(&self) -> f64 {
        self.bulge
    }

    /// Radius of a ball about the local origin that holds the body as it is met [m]. For planar shapes the ball's equator.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// The body as others of revolution about their local z axes meet it, with its crown; `None` for all others, among them
    /// planar shapes, which meet in their plane only.
    pub fn revolution(&self) -> Option<&Revolution> {
        match &self.surface {
            BodySurface::Plain(revolution) => revolution.as_ref(),
            BodySurface::Crowned(bulging) => Some(bulging.revolution()),
            BodySurface::Parts(_) => None,
        }
    }

    /// The row that [`super::crowned::CrownedCylinders`] wants to know of a crowned cylinder; `None` for all others.
    pub fn cylinder_measures(&self) -> Option<Row> {
        match (&self.shape, &self.surface) {
            (Shape::Cylinder(c), BodySurface::Crowned(_)) => {
                Some(measures(c.radius, c.half_height, [self.bulge, self.bulge]))
            }
            _ => None,
        }
    }

    /// The parts of a clump and where they are; empty for all other shapes.
    pub fn parts(&self) -> &[(ContactBody, Pose)] {
        match &self.surface {
            BodySurface::Parts(parts) => parts,
            BodySurface::Plain(_) | BodySurface::Crowned(_) => &[],
        }
    }

    /// The point that is farthest along a local unit direction [m]. For a clump, of its convex hull.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match &self.surface {
            BodySurface::Plain(_) => self.shape.support(direction),
            BodySurface::Crowned(bulging) => bulging.support(direction),
            BodySurface::Parts(parts) => {
                let points = parts
                    .iter()
                    .map(|(part, pose)| pose.transform_point(part.support(pose.inverse_transform_vector(direction))));
                points.max_by(|p, q| p.dot(direction).total_cmp(&q.dot(direction))).unwrap_or(DVec3::ZERO)
            }
        }
    }

    /// Where what bulges is farthest along a local unit direction.
    pub(super) fn farthest(&self, direction: DVec3) -> Farthest {
        match &self.surface {
            BodySurface::Crowned(bulging) => bulging.farthest(direction),
            BodySurface::Plain(_) | BodySurface::Parts(_) => {
                Farthest { point: self.support(direction), ..Farthest::default() }
            }
        }
    }

    /// Axial components of the normals at which one piece of what bulges gives way to the next.
    pub(super) fn turns(&self) -> Vec<f64> {
        match &self.surface {
            BodySurface::Crowned(bulging) => bulging.turns().collect(),
            BodySurface::Plain(_) | BodySurface::Parts(_) => Vec::new(),
        }
    }

    /// How its surface is curved where what bulges is farthest along a local unit direction; `None` if it is on a rim.
    pub(super) fn radii_at(&self, farthest: &Farthest, direction: DVec3) -> Option<Radii> {
        let Farthest { point, meridian, around, tangent, per_bulge } = *farthest;
        // A dome over a flat end is as curved around as along.
        let is_end = per_bulge > 0.0 && direction.z.abs() > 0.5 && (around - meridian).abs() < 1e-6 * meridian;
        let rim = self.shape.support(DVec3::new(1e-9, 0.0, direction.z.signum())).truncate().length();
        let face = if is_end { rim.max(point.truncate().length()) } else { f64::INFINITY };
        (meridian > 0.0).then_some(Radii::Round { meridian, around, tangent, face })
    }

    /// How its surface is curved where it is farthest along a local unit direction; `None` if that is not known.
    pub(super) fn radii(&self, direction: DVec3) -> Option<Radii> {
        match (&self.surface, &self.shape) {
            (BodySurface::Crowned(bulging), _) => self.radii_at(&bulging.farthest(direction), direction),
            (_, Shape::Sphere(sphere)) => {
                let radius = sphere.radius;
                let tangent = direction.any_orthonormal_vector();
                Some(Radii::Round { meridian: radius, around: radius, tangent, face: f64::INFINITY })
            }
            (_, Shape::Polyhedron(polyhedron)) => {
                let is_face = polyhedron.faces().iter().any(|face| face.normal.dot(direction) > 1.0 - ON_FACE);
                is_face.then_some(Radii::Flat)
            }
            _ => None,
        }
    }

    /// How far the body reaches along a local unit direction from its local origin [m].
    #[inline]
    pub fn reach_along(&self, direction: DVec3) -> f64 {
        // Boxes have no crown, and a formula.
        if let Shape::Polyhedron(polyhedron) = &self.shape
            && let Some(cuboid) = polyhedron.cuboid()
        {
            return cuboid.reach_along(direction);
        }
        if let Shape::Superquadric(superquadric) = &self.shape {
            return superquadric.reach(direction);
        }
        self.support(direction).dot(direction)
    }

    /// At least [`ContactBody::reach_along`], where that is to be had for less.
    #[inline]
    pub fn reach_at_most(&self, direction: DVec3) -> f64 {
        if let Shape::Superquadric(superquadric) = &self.shape {
            return superquadric.reach_at_most(direction);
        }
        self.reach_along(direction)
    }

    /// The gap to another body along a unit direction in this one's frame [m]: least of the other minus largest of this one.
    pub fn gap_along(&self, other: &ContactBody, pose_ab: &Pose, direction: DVec3) -> f64 {
        let own = self.support(direction);
        let others = pose_ab.transform_point(other.support(pose_ab.inverse_transform_vector(-direction)));
        (others - own).dot(direction)
    }

    /// Tight axis-aligned bounds of the body in a pose, as it is met.
    pub fn bounds(&self, pose: &Pose) -> Aabb {
        match &self.surface {
            BodySurface::Plain(_) => self.shape.bounds(pose),
            BodySurface::Crowned(bulging) => {
                let reach = |direction: DVec3| {
                    let local = pose.inverse_transform_vector(direction);
                    bulging.support(local).dot(local)
                };
                Aabb {
                    lower: pose.position - DVec3::new(reach(-DVec3::X), reach(-DVec3::Y), reach(-DVec3::Z)),
                    upper: pose.position + DVec3::new(reach(DVec3::X), reach(DVec3::Y), reach(DVec3::Z)),
                }
            }
            BodySurface::Parts(parts) => {
                parts.iter().fold(Aabb::EMPTY, |bounds, (part, place)| bounds.join(&part.bounds(&pose.compose(place))))
            }
        }
    }

    /// What convex algorithms are given; a clump is taken by its parts before.
    pub(super) fn convex(&self) -> Convex<'_> {
        let bulging = if let BodySurface::Crowned(bulging) = &self.surface { Some(&**bulging) } else { None };
        Convex { shape: &self.shape, bulging }
    }
}

/// The contact of two bodies of any kinds, with their crowns, begun from a direction that is thought to be near the normal;
/// `None` as soon as they are known to be farther apart than `limit`. All else as [`contact_within`], which answers where
/// neither has a crown.
///
/// ```
/// use tumble_geometry::{ContactBody, DEFAULT_CROWN, DVec3, Pose, Shape, contact_bodies};
///
/// let disc = Shape::cylinder(5.0, 4.0)?;
/// let above = Pose::from_position(DVec3::Z * 4.1);
/// let gap = |crown: f64| {
///     let body = ContactBody::new(&disc, crown);
///     contact_bodies(&body, &body, &above, None, f64::INFINITY).unwrap().unwrap().separation
/// };
/// assert!((gap(0.0) - 0.1).abs() < 1e-12);
/// // Ends that bulge are a little nearer to each other.
/// assert!(gap(DEFAULT_CROWN) < 0.1 && gap(DEFAULT_CROWN) > 0.09);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn contact_bodies(
    a: &ContactBody,
    b: &ContactBody,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    contact_bodies_by(ContactMethod::Exact, a, b, pose_ab, guess, limit)
}

/// The same by a method. The published ones know bodies without a crown only; others get the exact answer.
// Not inlined: it is where a run's geometry begins, and profiles show it.
#[inline(never)]
pub fn contact_bodies_by(
    method: ContactMethod,
    a: &ContactBody,
    b: &ContactBody,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    if a.bulge == 0.0 && b.bulge == 0.0 {
        // What is asked for most often goes there at once.
        if let ContactMethod::Exact = method {
            return contact_within(&a.shape, &b.shape, pose_ab, guess, limit);
        }
        return contact_by(method, &a.shape, &b.shape, pose_ab, guess, limit);
    }
    let general = || contact_convex(a.convex(), b.convex(), pose_ab, guess, limit);
    match algorithm(a.shape.kind(), b.shape.kind()) {
        PairAlgorithm::Parts => {
            let of_parts = |a: &ContactBody, b: &ContactBody, pose: &Pose, guess: Option<DVec3>, limit: f64| {
                contact_bodies_by(method, a, b, pose, guess, limit)
            };
            contact_parts(parts_of(a), parts_of(b), pose_ab, guess, limit, of_parts)
        }
        PairAlgorithm::Revolution if method != ContactMethod::General => match (a.revolution(), b.revolution()) {
            (Some(first), Some(second)) => {
                contact_bulging([first, second], a.convex(), b.convex(), pose_ab, guess, limit)
            }
            _ => general(),
        },
        // What none of which bulges has been answered.
        PairAlgorithm::Revolution
        | PairAlgorithm::General
        | PairAlgorithm::Smooth
        | PairAlgorithm::Spheres
        | PairAlgorithm::SphereAndPolyhedron
        | PairAlgorithm::Polyhedra
        | PairAlgorithm::PolyhedronAndSuperquadric
        | PairAlgorithm::Discs
        | PairAlgorithm::PlanarCorners => general(),
    }
}

/// The same as [`contact_bodies_by`] from the contact of a moment ago.
#[inline]
pub fn contact_bodies_again(
    method: ContactMethod,
    a: &ContactBody,
    b: &ContactBody,
    pose_ab: &Pose,
    last: &Contact,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    if method == ContactMethod::Exact && algorithm(a.shape.kind(), b.shape.kind()) == PairAlgorithm::Smooth {
        return contact_smooth_again(&a.shape, &b.shape, pose_ab, last, limit);
    }
    contact_bodies_by(method, a, b, pose_ab, Some(last.normal), limit)
}

/// The parts of a clump, or the body itself.
fn parts_of(body: &ContactBody) -> impl Iterator<Item = PlacedPart<&ContactBody>> + Clone {
    let whole = body.parts().is_empty().then(|| (body, body.convex().solid_radius(), Pose::IDENTITY));
    body.parts().iter().map(|(part, pose)| (part, part.convex().solid_radius(), *pose)).chain(whole)
}

/// The contact of two convex bodies, the first of which may bulge, as [`contact_within`].
pub(super) fn contact_of_convex(
    a: Convex,
    b: Convex,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    match (a.bulging, Revolution::of(b.shape)) {
        (None, _) => contact_within(a.shape, b.shape, pose_ab, guess, limit),
        (Some(first), Some(second)) => contact_bulging([first.revolution(), &second], a, b, pose_ab, guess, limit),
        (Some(_), None) => contact_convex(a, b, pose_ab, guess, limit),
    }
}
