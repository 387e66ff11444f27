//! From two bodies to their contact. Which algorithm serves is decided in one place, [`pair_table`]; here it is called.

mod are_apart;
mod blend;
pub(crate) mod common_patch;
pub(crate) mod contact_body;
mod contact_clump;
mod contact_convex_half_space;
mod contact_convex_mesh;
mod contact_convex_point;
mod contact_convex_revolved;
mod contact_convex_surface;
mod contact_cuboids;
mod contact_measured_surface;
mod contact_patch;
mod contact_planar;
mod contact_polyhedra;
mod contact_polyhedron_superquadric;
mod contact_smooth;
mod contact_sphere_cuboid;
mod contact_sphere_half_space;
mod contact_sphere_mesh;
mod contact_sphere_revolved;
mod contact_sphere_sphere;
mod convex;
mod direction_fan;
mod face_passes;
mod face_reach;
mod farthest_on_rim;
mod general;
mod inside_revolved;
mod keep_crossed;
mod knots;
mod line_of_action;
mod measured_turns;
mod merge_contacts;
mod mesh_passes;
mod mesh_patch;
mod method;
mod nearest_on_triangle;
mod pair_table;
pub(crate) mod placed_shape;
mod profile_passes;
mod profile_runs;
mod revolution;
mod ring_corner;
mod run_vertices;
mod stationary_reaches;
mod yielding;

pub use are_apart::are_apart;
pub use contact_body::{
    ContactBody, DEFAULT_CROWN, LARGEST_CROWN, contact_bodies, contact_bodies_again, contact_bodies_by,
};
pub use contact_clump::contact_clump;
pub use contact_convex_surface::{contact_body_surface, contact_surface};
pub use contact_measured_surface::{contact_mean_depth_surface, contact_measured_surface};
pub(crate) use contact_patch::PatchWorkspace;
pub use contact_patch::{
    ContactPatch, PatchCorner, PatchFeature, contact_patch, contact_patch_beyond_plane, contact_patch_beyond_plane_in,
    contact_patch_in, has_patch,
};
pub use contact_planar::{PlanarContact, contact_disc_polygon, contact_planar, contact_polygon_polygon};
pub use contact_sphere_half_space::contact_sphere_half_space;
pub use contact_sphere_mesh::contact_sphere_mesh;
pub use contact_sphere_revolved::contact_sphere_revolved;
pub use contact_sphere_sphere::contact_sphere_sphere;
pub use general::contact_general;
pub use mesh_patch::MeshPatch;
pub use method::{ContactMethod, contact_by};
pub use nearest_on_triangle::{NearestOnTriangle, TriangleFeature, nearest_on_triangle};
pub use pair_table::{
    Description, PairAlgorithm, PairEntry, SurfaceAlgorithm, algorithm, pair_table, surface_algorithm,
};
pub use placed_shape::{BeyondPlane, Measured};
pub use revolution::{Revolution, contact_revolution, crowned, warm};
pub use yielding::{GROWTH, Yielded, YieldedSurface, YieldingBody, contact_yielding, contact_yielding_surface};

use crate::contact::NotConverged;
use crate::shape::Cuboid;
use crate::{Contact, Pose, Shape};
use contact_cuboids::contact_cuboids;
use contact_polyhedra::contact_polyhedra;
use contact_polyhedron_superquadric::contact_polyhedron_superquadric;
use contact_smooth::contact_smooth;
use contact_sphere_cuboid::{contact_cuboid_sphere, contact_sphere_cuboid, contact_sphere_cuboid_within};
use glam::DVec3;

/// The contact between shapes a and b, apart or overlapping. `pose_ab` is b seen from a; the answer is in a's frame.
///
/// A clump is not convex: its contact is that of the pair of parts with the least separation. For bodies apart that is
/// the distance; for overlapping ones it is the depth of the deepest pair of parts.
///
/// ```
/// use tumble_geometry::{DVec3, Pose, Shape, Sphere, contact};
///
/// let ball = Shape::Sphere(Sphere { radius: 1.0 });
/// let found = contact(&ball, &ball, &Pose::from_position(DVec3::X * 1.5))?;
/// assert!((found.separation + 0.5).abs() < 1e-12);
/// assert!((found.normal - DVec3::X).length() < 1e-12);
/// # Ok::<(), tumble_geometry::contact::NotConverged>(())
/// ```
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
    let some = |contact: Option<Contact>| contact.unwrap_or(Contact::NOWHERE);
    // A warm contact of polyhedra costs little more than the way to the table either.
    if let (Shape::Polyhedron(first), Shape::Polyhedron(second)) = (a, b)
        && (first.cuboid().is_none() || second.cuboid().is_none())
    {
        return contact_polyhedra(a, b, [first, second], pose_ab, guess, f64::INFINITY).map(some);
    }
    contact_within(a, b, pose_ab, guess, f64::INFINITY).map(some)
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
    let within = |contact: Contact| (contact.separation <= limit).then_some(contact);
    match algorithm(a.kind(), b.kind()) {
        PairAlgorithm::Spheres => {
            Ok(within(contact_sphere_sphere(a.bounding_radius(), b.bounding_radius(), pose_ab.position)))
        }
        PairAlgorithm::SphereAndPolyhedron => contact_sphere_polyhedron(a, b, pose_ab, guess, limit),
        PairAlgorithm::Polyhedra => match (a, b) {
            (Shape::Polyhedron(first), Shape::Polyhedron(second)) => match (first.cuboid(), second.cuboid()) {
                (Some(first), Some(second)) => contact_cuboids(a, b, [first, second], pose_ab, limit),
                _ => contact_polyhedra(a, b, [first, second], pose_ab, guess, limit),
            },
            _ => contact_general(a, b, pose_ab, guess, limit),
        },
        PairAlgorithm::PolyhedronAndSuperquadric => contact_polyhedron_superquadric(a, b, pose_ab, guess, limit),
        // Planar bodies lifted or tilted out of their plane are solids.
        PairAlgorithm::Discs | PairAlgorithm::PlanarCorners => contact_planar(a, b, pose_ab)
            .map_or_else(|| contact_general(a, b, pose_ab, guess, limit), |contact| Ok(within(contact))),
        PairAlgorithm::Revolution => contact_revolution(a, b, pose_ab, guess, limit),
        PairAlgorithm::Smooth => contact_smooth(a, b, pose_ab, guess, limit),
        PairAlgorithm::General => contact_general(a, b, pose_ab, guess, limit),
        PairAlgorithm::Parts => contact_clump(a, b, pose_ab, guess, limit),
    }
}

/// A shape as a box, if it is one.
#[inline]
fn as_cuboid(shape: &Shape) -> Option<&Cuboid> {
    if let Shape::Polyhedron(polyhedron) = shape { polyhedron.cuboid() } else { None }
}

/// A ball and a polyhedron, either way round.
fn contact_sphere_polyhedron(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    match (as_cuboid(a), as_cuboid(b)) {
        (None, Some(cuboid)) => Ok(contact_sphere_cuboid_within(a.bounding_radius(), cuboid, pose_ab, limit)),
        (Some(cuboid), None) => Ok(contact_cuboid_sphere(cuboid, pose_ab.position, b.bounding_radius(), limit)),
        _ => contact_general(a, b, pose_ab, guess, limit),
    }
}
