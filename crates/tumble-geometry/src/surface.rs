//! Surfaces that grains meet but that are not grains: half-spaces, surfaces of revolution and triangle meshes.
//!
//! A half-space is solid on one side. The others are thin shells: a grain meets them from either side, so one drum
//! serves grains inside it and a rod grains around it.

mod crossings;
mod mesh;
mod revolved;
mod upright;

pub use crossings::Crossing;
pub use mesh::Mesh;
pub(crate) use revolved::ProfileSegment;
pub use revolved::Revolved;
pub use upright::{SAGITTA, corners_of_arc};

use crate::narrow::{contact_sphere_half_space, contact_sphere_mesh, contact_sphere_revolved};
use crate::{Aabb, Pose};
use glam::{DVec2, DVec3};

/// Every surface a wall can have, in its own frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// Everything with local z <= 0 is solid; the outward normal is local +z.
    HalfSpace,
    /// A polyline turned about the local z axis: tubes, cones, discs, closed drums, rods.
    Revolved(Revolved),
    /// Triangles.
    Mesh(Mesh),
}

/// One place where a grain a meets a surface b. Signs as in [`crate::contact`]: the normal points from the grain into
/// the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Which part of the surface is met (a face, edge or vertex of a mesh, a segment of a profile): stable in the
    /// surface's own frame, so that contact history can be matched from step to step.
    pub feature: u32,
    /// Unit normal, from the grain into the wall.
    pub normal: DVec3,
    /// Signed distance [m]: gap > 0, penetration < 0.
    pub separation: f64,
    /// Witness point on the surface.
    pub point: DVec3,
    /// How its energy counts: 1 for a contact. Below zero for a pass, which comes right after the contact that it belongs
    /// to and has its feature.
    ///
    /// A pass is the least deep place on the way from one contact to another, if the grain is through the surface there
    /// too. What two contacts have in common up to there must not count twice, so their energy is f(depth of the one) +
    /// f(depth of the other) - f(depth of the pass), f the energy of a depth, and the force is its gradient. It has no
    /// jump where the two become one. Each of the two bears a part of the pass; the weights of a pass sum to -1.
    pub weight: f64,
}

impl SurfaceContact {
    /// A contact.
    #[inline]
    pub fn new(feature: u32, normal: DVec3, separation: f64, point: DVec3) -> SurfaceContact {
        SurfaceContact { feature, normal, separation, point, weight: 1.0 }
    }

    /// Whether it is a pass, part of the contact before it.
    #[inline]
    pub fn is_pass(&self) -> bool {
        self.weight < 0.0
    }

    /// Witness point on the grain: `point - separation * normal`.
    pub fn point_on_grain(&self) -> DVec3 {
        self.point - self.separation * self.normal
    }

    /// The contact taken from the surface's frame to the frame in which the surface has this pose.
    pub fn transformed(&self, pose: &Pose) -> SurfaceContact {
        SurfaceContact { normal: pose.transform_vector(self.normal), point: pose.transform_point(self.point), ..*self }
    }
}

/// Which surface, without its lengths: the columns of the pair table of shapes and surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SurfaceKind {
    /// [`Surface::HalfSpace`].
    HalfSpace,
    /// [`Surface::Revolved`].
    Revolved,
    /// [`Surface::Mesh`].
    Mesh,
}

impl SurfaceKind {
    /// Every kind, in the order of the tables.
    pub const ALL: [SurfaceKind; 3] = [SurfaceKind::HalfSpace, SurfaceKind::Revolved, SurfaceKind::Mesh];

    /// The surface's name in tables and messages.
    pub fn name(self) -> &'static str {
        match self {
            SurfaceKind::HalfSpace => "half-space",
            SurfaceKind::Revolved => "surface of revolution",
            SurfaceKind::Mesh => "triangle mesh",
        }
    }
}

impl Surface {
    /// Which surface it is.
    pub fn kind(&self) -> SurfaceKind {
        match self {
            Surface::HalfSpace => SurfaceKind::HalfSpace,
            Surface::Revolved(_) => SurfaceKind::Revolved,
            Surface::Mesh(_) => SurfaceKind::Mesh,
        }
    }

    /// The surface's name in tables and messages.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Appends every contact of a ball with the surface whose separation is at most `margin` (one for each local
    /// minimum of the distance), with their passes, in the order of their features. The centre is given, and the answers are, in the
    /// surface's frame. The fast path of [`crate::narrow::contact_surface`]: but for passes it allocates nothing once `out` has grown.
    pub fn contacts_with_sphere(&self, centre: DVec3, radius: f64, margin: f64, out: &mut Vec<SurfaceContact>) {
        match self {
            Surface::HalfSpace => contact_sphere_half_space(centre, radius, margin, out),
            Surface::Revolved(revolved) => contact_sphere_revolved(revolved, centre, radius, margin, out),
            Surface::Mesh(mesh) => contact_sphere_mesh(mesh, centre, radius, margin, out),
        }
    }

    /// Whether a point of the surface's frame is within a distance [m] of what is solid of it, at a quick look: `true` wherever it
    /// is, and always for a mesh, which has a tree of its own to ask.
    #[inline]
    pub fn may_be_within(&self, point: DVec3, distance: f64) -> bool {
        match self {
            Surface::HalfSpace => point.z <= distance,
            Surface::Revolved(revolved) => {
                let place = DVec2::new(point.truncate().length(), point.z);
                distance >= 0.0 && revolved.segments().iter().any(|s| s.distance_squared(place) <= distance * distance)
            }
            Surface::Mesh(_) => true,
        }
    }

    /// Bounds in a pose; `None` for what has no bounds.
    pub fn bounds(&self, pose: &Pose) -> Option<Aabb> {
        match self {
            Surface::HalfSpace => None,
            Surface::Revolved(r) => Some(r.bounds(pose)),
            Surface::Mesh(m) => Some(m.bounds(pose)),
        }
    }

    /// The pose stripped of motions that do not change the surface as a set: sliding a plane along itself, turning a
    /// body of revolution about its axis. A drum that turns has not moved.
    pub fn canonical_pose(&self, pose: &Pose) -> Pose {
        use glam::DQuat;
        match self {
            Surface::HalfSpace => {
                let normal = pose.orientation * DVec3::Z;
                Pose {
                    position: normal * normal.dot(pose.position),
                    orientation: DQuat::from_rotation_arc(DVec3::Z, normal),
                }
            }
            Surface::Revolved(_) => {
                let axis = pose.orientation * DVec3::Z;
                Pose { position: pose.position, orientation: DQuat::from_rotation_arc(DVec3::Z, axis) }
            }
            Surface::Mesh(_) => *pose,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Revolved, Surface};
    use crate::oracle::Sequence;

    #[test]
    fn what_may_be_within_reach_is_what_a_ball_touches() {
        let hourglass = Revolved::new(vec![[2.0, -1.5], [0.4, 0.0], [2.0, 1.5]]).unwrap();
        let drum = Revolved::closed_cylinder(1.5, 1.0, true, false).unwrap();
        let surfaces = [Surface::HalfSpace, Surface::Revolved(hourglass), Surface::Revolved(drum)];
        let mut sequence = Sequence::new(94);
        let mut found = Vec::new();
        for surface in &surfaces {
            let mut n_touching = 0;
            for k in 0..2000 {
                let (centre, radius) = (sequence.point_in_cube(2.5), sequence.between(0.1, 0.8));
                found.clear();
                surface.contacts_with_sphere(centre, radius, 0.0, &mut found);
                n_touching += usize::from(!found.is_empty());
                let may = surface.may_be_within(centre, radius);
                assert_eq!(may, !found.is_empty(), "{}, ball {k} at {centre}, radius {radius}", surface.name());
            }
            assert!(n_touching > 300 && n_touching < 1700, "{n_touching} of 2000 touch");
        }
    }
}
