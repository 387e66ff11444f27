//! The region that two bodies share: its volume, its centroid, the area of its surface, and how the volume changes when
//! one of them moves.
//!
//! Closed forms for balls, cutting for polyhedra, slices for cylinders, lenses for superquadrics, rays for all other pairs of convex
//! shapes.

mod clipped_polyhedron;
mod crossed_edges;
mod depth_moments;
mod lens;
mod one_face;
mod overlap_cylinders;
mod overlap_ellipsoid_half_space;
mod overlap_polyhedra;
mod overlap_revolved_half_space;
mod overlap_sphere_half_space;
mod overlap_sphere_sphere;
mod planar;
mod quadrature;
mod region_of_part;
mod shared_part;
mod spherical_cap;
mod spin_free;

pub(crate) use depth_moments::depth_moments_beyond_plane;
pub use depth_moments::{DepthMoments, MOST_FACES, Slope, depth_moments, depth_moments_half_space, has_depth_moments};
pub use overlap_sphere_half_space::overlap_sphere_half_space;
pub use overlap_sphere_sphere::overlap_sphere_sphere;
pub use planar::{
    PlanarRegion, overlap_disc_disc, overlap_disc_half_plane, overlap_disc_polygon, overlap_half_plane_polygon,
    overlap_planar, overlap_planar_half_space, overlap_polygon_polygon,
};

use crate::narrow::PatchWorkspace;
use crate::{Contact, Pose, Shape, narrow};
use depth_moments::RoofWorkspace;
use glam::DVec3;
use lens::{Accuracy, LensWorkspace, lens_half_space, overlap_lens};
use overlap_cylinders::overlap_cylinders;
use overlap_ellipsoid_half_space::overlap_ellipsoid_half_space;
use overlap_polyhedra::{PolyhedraWorkspace, overlap_polyhedra, overlap_polyhedron_half_space};
use overlap_revolved_half_space::{
    overlap_capsule_half_space, overlap_cone_half_space, overlap_cylinder_half_space, overlap_tablet_half_space,
};
use quadrature::{RayWorkspace, half_space_by_rays, overlap_by_rays};
use spherical_cap::SphericalCap;
use std::f64::consts::PI;

/// The region that two bodies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapRegion {
    /// Volume [m^3].
    pub volume: f64,
    /// Centre of volume [m].
    pub centroid: DVec3,
    /// Area of the whole surface [m^2]; not a number where it was left out ([`Workspace::surface_area`]).
    pub surface_area: f64,
    /// Vector area of a's part of the surface: the integral of a's outward normal over the part of a's surface in b
    /// [m^2]. It points from a to b. Moving a by dx changes the volume by `vector_area . dx`; b's is the opposite.
    pub vector_area: DVec3,
    /// First moment of that part: the integral of x cross normal, about the origin of the frame of the answer [m^3].
    /// Turning a by dw about that origin changes the volume by `first_moment . dw`; b's is the opposite.
    pub first_moment: DVec3,
}

impl OverlapRegion {
    /// A whole ball.
    fn ball(radius: f64, centroid: DVec3) -> OverlapRegion {
        OverlapRegion {
            volume: 4.0 / 3.0 * PI * radius.powi(3),
            centroid,
            surface_area: 4.0 * PI * radius * radius,
            vector_area: DVec3::ZERO,
            first_moment: DVec3::ZERO,
        }
    }

    /// The region taken to the frame in which its own frame has this pose.
    pub fn transformed(&self, pose: &Pose) -> OverlapRegion {
        let vector_area = pose.transform_vector(self.vector_area);
        OverlapRegion {
            centroid: pose.transform_point(self.centroid),
            vector_area,
            first_moment: pose.transform_vector(self.first_moment) + pose.position.cross(vector_area),
            ..*self
        }
    }
}

/// A region that was not found to the tolerance asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unresolved {
    /// The best that was found.
    pub best: Option<OverlapRegion>,
    /// Estimate of its relative error [1].
    pub relative_error: f64,
}

/// Lists that the calculation of regions uses again and again, and how accurate it is to be. Keep one for each thread:
/// once its lists have grown, nothing is allocated.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Relative error allowed in volume, areas and moments where they come from quadrature [1].
    pub tolerance: f64,
    /// Whether the area of the surface is wanted. No law asks for it: without it ellipsoids on planes and lenses cost less.
    pub surface_area: bool,
    polyhedra: PolyhedraWorkspace,
    lens: LensWorkspace,
    rays: RayWorkspace,
    roofs: RoofWorkspace,
    pub(crate) patches: PatchWorkspace,
}

impl Workspace {
    /// A workspace for laws, with the relative error allowed [1].
    pub fn for_laws(tolerance: f64) -> Workspace {
        Workspace { surface_area: false, ..Workspace::with_tolerance(tolerance) }
    }

    /// A workspace with its own tolerance, the relative error allowed [1].
    pub fn with_tolerance(tolerance: f64) -> Workspace {
        Workspace {
            tolerance,
            surface_area: true,
            polyhedra: PolyhedraWorkspace::default(),
            lens: LensWorkspace::default(),
            rays: RayWorkspace::default(),
            roofs: RoofWorkspace::default(),
            patches: PatchWorkspace::default(),
        }
    }
}

impl Workspace {
    fn accuracy(&self) -> Accuracy {
        Accuracy { tolerance: self.tolerance, surface_area: self.surface_area }
    }
}

impl Default for Workspace {
    fn default() -> Workspace {
        Workspace::with_tolerance(crate::tolerance::REGION)
    }
}

/// The region that convex shapes a and b share; `None` when they share no volume. `pose_ab` is b seen from a; the answer
/// is in a's frame.
///
/// For a clump the answer is `None`: its parts may overlap each other, so that the sum over pairs of parts would count
/// volume twice. Ask for each pair of parts.
///
/// A region that did not reach [`crate::tolerance::REGION`] is an error, which has the best that was found.
///
/// ```
/// use tumble_geometry::{DVec3, Pose, Shape, overlap};
///
/// let cube = Shape::cuboid(DVec3::ONE)?;
/// let region = overlap(&cube, &cube, &Pose::from_position(DVec3::X * 0.75)).unwrap().unwrap();
/// assert!((region.volume - 0.25).abs() < 1e-12);
/// assert!((region.centroid - DVec3::X * 0.375).length() < 1e-12);
/// // Moving a towards b adds as much volume as the faces have area.
/// assert!((region.vector_area - DVec3::X).length() < 1e-12);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn overlap(a: &Shape, b: &Shape, pose_ab: &Pose) -> Result<Option<OverlapRegion>, Unresolved> {
    let contact = if needs_contact(a, b) {
        match narrow::contact(a, b, pose_ab) {
            Ok(contact) => contact,
            Err(unsure) => unsure.best,
        }
    } else {
        UNUSED
    };
    overlap_from(a, b, pose_ab, &contact, &mut Workspace::default())
}

/// The same as [`overlap`] for a pair whose contact is known, with the lists of a workspace and to its tolerance.
pub fn overlap_from(
    a: &Shape,
    b: &Shape,
    pose_ab: &Pose,
    contact: &Contact,
    workspace: &mut Workspace,
) -> Result<Option<OverlapRegion>, Unresolved> {
    match (a, b) {
        (Shape::Sphere(a), Shape::Sphere(b)) => Ok(overlap_sphere_sphere(a.radius, b.radius, pose_ab.position)),
        (Shape::Clump(_), _) | (_, Shape::Clump(_)) => Ok(None),
        (Shape::Disc(_) | Shape::Polygon(_), Shape::Disc(_) | Shape::Polygon(_))
            if planar::in_one_plane(a, b, pose_ab) =>
        {
            Ok(overlap_planar(a, b, pose_ab).map(|(region, half_thickness)| region.solid(half_thickness)))
        }
        (a, b) => {
            if let (Some(a), Some(b)) = (a.as_polyhedron(), b.as_polyhedron()) {
                return Ok(overlap_polyhedra(a, b, pose_ab, contact.normal, &mut workspace.polyhedra));
            }
            if let (Some(a), Some(b)) = (a.as_cylinder(), b.as_cylinder()) {
                return overlap_cylinders(&a, &b, pose_ab, workspace.tolerance);
            }
            let spin_free = |region| spin_free::spin_free(a, b, pose_ab, region);
            if let Some(found) = overlap_lens(a, b, pose_ab, contact, workspace.accuracy(), &mut workspace.lens) {
                return Ok(Some(spin_free(found)));
            }
            if let Some(frame) = one_face::only_face_met(a, contact.normal, b, pose_ab) {
                return behind_face(b, &frame.relative(pose_ab), &frame, -1.0, workspace);
            }
            let pose_ba = pose_ab.relative(&Pose::IDENTITY);
            let towards_a = -pose_ab.inverse_transform_vector(contact.normal);
            if let Some(frame) = one_face::only_face_met(b, towards_a, a, &pose_ba) {
                return behind_face(a, &frame.relative(&pose_ba), &pose_ab.compose(&frame), 1.0, workspace);
            }
            match overlap_by_rays(a, b, pose_ab, contact, workspace.tolerance, &mut workspace.rays) {
                Ok(found) => Ok(found.map(spin_free)),
                Err(Unresolved { best, relative_error }) => {
                    Err(Unresolved { best: best.map(spin_free), relative_error })
                }
            }
        }
    }
}

/// The region of a shape with a body of which it meets only one face. `pose` is the shape seen from the face, `frame` the
/// face seen from a, `sign` is -1 if the face is a's.
fn behind_face(
    shape: &Shape,
    pose: &Pose,
    frame: &Pose,
    sign: f64,
    workspace: &mut Workspace,
) -> Result<Option<OverlapRegion>, Unresolved> {
    let placed = |region: OverlapRegion| {
        let region = region.transformed(frame);
        OverlapRegion { vector_area: sign * region.vector_area, first_moment: sign * region.first_moment, ..region }
    };
    match overlap_half_space_from(shape, pose, workspace) {
        Ok(found) => Ok(found.map(placed)),
        Err(Unresolved { best, relative_error }) => Err(Unresolved { best: best.map(placed), relative_error }),
    }
}

/// The part of a convex shape in the half-space z <= 0; `None` when there is none, and for a clump (see [`overlap`]).
/// `pose` is the shape seen from the half-space, and the answer is in the half-space's frame. Other surfaces are thin
/// shells and share no volume with anything.
///
/// ```
/// use std::f64::consts::PI;
/// use tumble_geometry::{Pose, Shape, overlap_half_space};
///
/// let half_a_ball = overlap_half_space(&Shape::sphere(1.0)?, &Pose::IDENTITY).unwrap().unwrap();
/// assert!((half_a_ball.volume - 2.0 / 3.0 * PI).abs() < 1e-12);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn overlap_half_space(shape: &Shape, pose: &Pose) -> Result<Option<OverlapRegion>, Unresolved> {
    overlap_half_space_from(shape, pose, &mut Workspace::default())
}

/// The same as [`overlap_half_space`] with the lists of a workspace and to its tolerance.
pub fn overlap_half_space_from(
    shape: &Shape,
    pose: &Pose,
    workspace: &mut Workspace,
) -> Result<Option<OverlapRegion>, Unresolved> {
    match shape {
        Shape::Sphere(sphere) => Ok(overlap_sphere_half_space(sphere.radius, pose.position)),
        Shape::Clump(_) => Ok(None),
        Shape::Disc(_) | Shape::Polygon(_) if planar::half_space_is_upright(shape, pose) => {
            Ok(overlap_planar_half_space(shape, pose))
        }
        Shape::Cylinder(cylinder) => Ok(overlap_cylinder_half_space(cylinder, pose)),
        Shape::Disc(disc) => Ok(overlap_cylinder_half_space(&disc.solid(), pose)),
        Shape::Capsule(capsule) => Ok(overlap_capsule_half_space(capsule, pose)),
        Shape::TruncatedCone(cone) => Ok(overlap_cone_half_space(cone, pose)),
        Shape::Tablet(tablet) => Ok(overlap_tablet_half_space(tablet, pose)),
        Shape::Superquadric(s) if s.n1 == 2.0 && s.n2 == 2.0 => {
            Ok(overlap_ellipsoid_half_space(s.semi_axes, pose, workspace.surface_area))
        }
        Shape::Superquadric(s) => match lens_half_space(s, pose, workspace.accuracy(), &mut workspace.lens) {
            Some(found) => Ok(Some(found)),
            None => half_space_by_rays(shape, pose, workspace.tolerance, &mut workspace.rays),
        },
        Shape::Polyhedron(solid) => Ok(overlap_polyhedron_half_space(solid, pose, &mut workspace.polyhedra)),
        Shape::Polygon(polygon) => Ok(overlap_polyhedron_half_space(polygon.solid(), pose, &mut workspace.polyhedra)),
    }
}

/// Whether the region is found from the contact. For other pairs [`overlap_from`] does not look at it.
fn needs_contact(a: &Shape, b: &Shape) -> bool {
    !matches!((a, b), (Shape::Sphere(_), Shape::Sphere(_)) | (Shape::Clump(_), _) | (_, Shape::Clump(_)))
        && (a.as_polyhedron().is_none() || b.as_polyhedron().is_none())
        && (a.as_cylinder().is_none() || b.as_cylinder().is_none())
}

/// Stands for a contact that is not looked at.
const UNUSED: Contact = Contact { normal: DVec3::Z, separation: 0.0, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
