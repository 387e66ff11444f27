//! Discs and polygons among themselves: contact in their common x-y plane.
//!
//! The separation is the largest of gap(n) over the directions n IN THE PLANE (see [`crate::contact`]); thickness gives
//! such bodies mass, not contact, and everything out of the plane is ignored: a disc 1 mm thick and one 2 mm thick meet
//! as two circles. The answers are in the plane z = 0 of a's frame. All are closed forms or complete enumerations, so
//! there is nothing that could fail to converge.
//!
//! Valid for poses in the plane ([`PlanarPose::of`]). Bodies tilted or lifted out of it are solids, a flat cylinder and
//! a prism, and are left to the pair table.

mod disc_polygon;
mod polygon_polygon;

pub use disc_polygon::contact_disc_polygon;
pub use polygon_polygon::contact_polygon_polygon;

use super::contact_sphere_sphere;
use crate::{Contact, PlanarPose, Pose, Shape};
use glam::DVec2;

/// A contact in the plane; signs as in [`crate::contact`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarContact {
    /// Unit normal, from a to b.
    pub normal: DVec2,
    /// Signed distance [m]: gap > 0, penetration < 0.
    pub separation: f64,
    /// Witness point on a.
    pub point_a: DVec2,
    /// Witness point on b.
    pub point_b: DVec2,
}

impl PlanarContact {
    /// The contact of two points apart: a at the first, b at the second.
    fn between(point_a: DVec2, point_b: DVec2) -> PlanarContact {
        let distance = point_a.distance(point_b);
        let normal = if distance > 0.0 { (point_b - point_a) / distance } else { DVec2::X };
        PlanarContact { normal, separation: distance, point_a, point_b }
    }

    /// The same contact with a and b exchanged, in the same frame.
    pub fn swapped(&self) -> PlanarContact {
        PlanarContact { normal: -self.normal, point_a: self.point_b, point_b: self.point_a, ..*self }
    }

    /// The contact taken to the frame in which its own frame has this pose.
    pub fn transformed(&self, pose: &PlanarPose) -> PlanarContact {
        PlanarContact {
            normal: pose.transform_vector(self.normal),
            separation: self.separation,
            point_a: pose.transform_point(self.point_a),
            point_b: pose.transform_point(self.point_b),
        }
    }

    /// The contact in space, at z = 0.
    pub fn in_space(&self) -> Contact {
        Contact {
            normal: self.normal.extend(0.0),
            separation: self.separation,
            point_a: self.point_a.extend(0.0),
            point_b: self.point_b.extend(0.0),
        }
    }
}

/// The contact of two planar bodies; `None` when one is not planar or `pose_ab` is not in the plane. `pose_ab` is b seen
/// from a; the answer is in a's frame.
pub fn contact_planar(a: &Shape, b: &Shape, pose_ab: &Pose) -> Option<Contact> {
    if !(a.kind().is_planar() && b.kind().is_planar()) {
        return None;
    }
    let pose = PlanarPose::of(pose_ab, a.bounding_radius().max(b.bounding_radius()))?;
    match (a, b) {
        (Shape::Disc(a), Shape::Disc(b)) => Some(contact_sphere_sphere(a.radius, b.radius, pose.position.extend(0.0))),
        (Shape::Disc(a), Shape::Polygon(b)) => {
            let centre = pose.inverse_transform_point(DVec2::ZERO);
            Some(contact_disc_polygon(a.radius, b.corners(), centre).transformed(&pose).in_space())
        }
        (Shape::Polygon(a), Shape::Disc(b)) => {
            Some(contact_disc_polygon(b.radius, a.corners(), pose.position).swapped().in_space())
        }
        (Shape::Polygon(a), Shape::Polygon(b)) => {
            Some(contact_polygon_polygon(a.corners(), b.corners(), &pose).in_space())
        }
        _ => None,
    }
}

/// The sides of a polygon: each with its first corner, its unit direction, its length and its outward unit
/// normal. Sides without length, which have no direction, are left out.
fn sides(corners: &[DVec2]) -> impl Iterator<Item = Side> + '_ {
    let ends = corners.iter().cycle().skip(1);
    corners.iter().zip(ends).filter_map(|(&start, &end)| {
        let length = (end - start).length();
        (length > 0.0).then(|| {
            let tangent = (end - start) / length;
            Side { start, tangent, length, normal: -tangent.perp() }
        })
    })
}

/// One side of a polygon.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// First corner [m].
    start: DVec2,
    /// Unit direction, counter-clockwise around the polygon.
    tangent: DVec2,
    /// Length [m].
    length: f64,
    /// Outward unit normal.
    normal: DVec2,
}
