//! Discs and polygons among themselves, and against a half-space that stands upright on their plane: the region they
//! share in the plane, exact in closed form, and the prism made of it.
//!
//! The region's boundary is a closed curve of straight pieces and of arcs. Its area is that of the polygon of their ends
//! plus that of a circular segment beyond each arc: only positive terms, taken about a corner of the region itself, so
//! that a thin sliver keeps its digits but for the rounding of its corners (1e-16 of the size of the bodies). The
//! derivatives follow from the ends alone. With t the tangent and n the outward normal along a's part of the boundary,
//! counter-clockwise, n ds = (dy, -dx), so that for a piece from p to q, straight or not,
//!
//! S = integral of n ds = (q_y - p_y, p_x - q_x),  G = integral of x cross n ds = (|p|^2 - |q|^2) / 2.
//!
//! The solid region is a prism. Its thickness is that of the thinner body, and all that is out of the plane is ignored;
//! volume = area times thickness, and the surface is that of the prism: twice the area plus perimeter times thickness.
//! Valid for poses in the plane ([`PlanarPose::of`]).

mod circular_segment;
mod clip_polygon;
mod disc_disc;
mod disc_polygon;

pub use clip_polygon::{overlap_half_plane_polygon, overlap_polygon_polygon};
pub use disc_disc::{overlap_disc_disc, overlap_disc_half_plane};
pub use disc_polygon::overlap_disc_polygon;

use super::OverlapRegion;
use crate::{PlanarPose, Pose, Shape, tolerance};
use circular_segment::CircularSegment;
use glam::{DVec2, DVec3};

/// The region that two bodies share in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarRegion {
    /// Area [m^2].
    pub area: f64,
    /// Centre of area [m].
    pub centroid: DVec2,
    /// Length of the whole boundary [m].
    pub perimeter: f64,
    /// Integral of a's outward normal along the part of a's boundary in b [m]. Moving a by dx changes the area by
    /// `vector_length . dx`; b's is the opposite.
    pub vector_length: DVec2,
    /// Integral of x cross normal along that part, about the origin of the frame of the answer [m^2]. Turning a by dw,
    /// counter-clockwise, about that origin changes the area by `first_moment * dw`; b's is the opposite.
    pub first_moment: f64,
}

impl PlanarRegion {
    /// A region bounded by one body alone: its derivatives are zero.
    fn whole(area: f64, centroid: DVec2, perimeter: f64) -> PlanarRegion {
        PlanarRegion { area, centroid, perimeter, vector_length: DVec2::ZERO, first_moment: 0.0 }
    }

    /// A whole disc.
    fn disc(radius: f64, centre: DVec2) -> PlanarRegion {
        let circle = CircularSegment { radius, angle: std::f64::consts::TAU };
        PlanarRegion::whole(circle.area(), centre, circle.arc_length())
    }

    /// The same region with a and b exchanged: the normals along the whole boundary add up to nothing.
    pub fn swapped(&self) -> PlanarRegion {
        PlanarRegion { vector_length: -self.vector_length, first_moment: -self.first_moment, ..*self }
    }

    /// The region taken to the frame in which its own frame has this pose.
    pub fn transformed(&self, pose: &PlanarPose) -> PlanarRegion {
        let vector_length = pose.transform_vector(self.vector_length);
        PlanarRegion {
            centroid: pose.transform_point(self.centroid),
            vector_length,
            first_moment: self.first_moment + pose.position.perp_dot(vector_length),
            ..*self
        }
    }

    /// The prism over this region.
    pub fn solid(&self, half_thickness: f64) -> OverlapRegion {
        let thickness = 2.0 * half_thickness;
        OverlapRegion {
            volume: self.area * thickness,
            centroid: self.centroid.extend(0.0),
            surface_area: 2.0 * self.area + self.perimeter * thickness,
            vector_area: (self.vector_length * thickness).extend(0.0),
            first_moment: DVec3::Z * (self.first_moment * thickness),
        }
    }
}

/// A region in the making: pieces of area about a reference point.
struct RegionSum {
    reference: DVec2,
    area: f64,
    /// First moment of the area about the reference.
    moment: DVec2,
    perimeter: f64,
}

impl RegionSum {
    fn about(reference: DVec2) -> RegionSum {
        RegionSum { reference, area: 0.0, moment: DVec2::ZERO, perimeter: 0.0 }
    }

    /// Adds the triangle between the reference and a straight piece. A convex region has no negative ones; where rounding
    /// makes one, it is nothing, so that the centre of a sliver stays in it.
    fn add_triangle(&mut self, from: DVec2, to: DVec2) {
        let (from, to) = (from - self.reference, to - self.reference);
        let area = (0.5 * from.perp_dot(to)).max(0.0);
        self.area += area;
        self.moment += area / 3.0 * (from + to);
    }

    /// Adds what lies between an arc, counter-clockwise about `centre` from one point to another, and its chord.
    fn add_segment(&mut self, segment: &CircularSegment, centre: DVec2, from: DVec2, to: DVec2) {
        let outward = -(to - from).perp().normalize_or_zero();
        let area = segment.area();
        // A short arc is placed by its chord, a long one by its centre: the direction of a chord of 1e-16 is noise, and
        // so it decides about nothing.
        let place = if segment.angle < std::f64::consts::PI {
            from.midpoint(to) + segment.centroid_height() * outward
        } else {
            centre + segment.moment() / area * outward
        };
        self.area += area;
        self.moment += area * (place - self.reference);
        self.perimeter += segment.arc_length();
    }

    fn finish(&self, vector_length: DVec2, first_moment: f64) -> Option<PlanarRegion> {
        (self.area > 0.0).then(|| PlanarRegion {
            area: self.area,
            centroid: self.reference + self.moment / self.area,
            perimeter: self.perimeter,
            vector_length,
            first_moment,
        })
    }
}

/// The integral of the outward normal along a counter-clockwise piece of boundary, straight or not.
fn vector_length(from: DVec2, to: DVec2) -> DVec2 {
    -(to - from).perp()
}

/// The integral of x cross normal along such a piece, about the origin.
fn first_moment(from: DVec2, to: DVec2) -> f64 {
    -0.5 * (to - from).dot(to + from)
}

/// Whether two shapes are planar and in one plane, so that [`overlap_planar`] is for them.
pub(super) fn in_one_plane(a: &Shape, b: &Shape, pose_ab: &Pose) -> bool {
    a.kind().is_planar()
        && b.kind().is_planar()
        && PlanarPose::of(pose_ab, a.bounding_radius().max(b.bounding_radius())).is_some()
}

/// The region that two planar shapes share, and half its thickness; `None` when they share no area or are not in one
/// plane. `pose_ab` is b seen from a; the answer is in a's frame.
pub fn overlap_planar(a: &Shape, b: &Shape, pose_ab: &Pose) -> Option<(PlanarRegion, f64)> {
    let pose = PlanarPose::of(pose_ab, a.bounding_radius().max(b.bounding_radius()))?;
    match (a, b) {
        (Shape::Disc(a), Shape::Disc(b)) => {
            let region = overlap_disc_disc(a.radius, b.radius, pose.position)?;
            Some((region, a.half_thickness.min(b.half_thickness)))
        }
        (Shape::Disc(a), Shape::Polygon(b)) => {
            let region = overlap_disc_polygon(a.radius, b.corners(), pose.inverse_transform_point(DVec2::ZERO))?;
            Some((region.transformed(&pose), a.half_thickness.min(b.half_thickness())))
        }
        (Shape::Polygon(a), Shape::Disc(b)) => {
            let region = overlap_disc_polygon(b.radius, a.corners(), pose.position)?;
            Some((region.swapped(), a.half_thickness().min(b.half_thickness)))
        }
        (Shape::Polygon(a), Shape::Polygon(b)) => {
            let region = overlap_polygon_polygon(a.corners(), b.corners(), &pose)?;
            Some((region, a.half_thickness().min(b.half_thickness())))
        }
        _ => None,
    }
}

/// Whether a shape is planar and the half-space stands upright on its plane, so that [`overlap_planar_half_space`] is for
/// them.
pub(super) fn half_space_is_upright(shape: &Shape, pose: &Pose) -> bool {
    shape.kind().is_planar() && pose.inverse_transform_vector(DVec3::Z).z.abs() <= tolerance::IN_PLANE
}

/// The part of a planar shape in the half-space z <= 0, the normal of which lies in the shape's plane; `None` when there
/// is none. `pose` is the shape seen from the half-space, and the answer is in the half-space's frame.
pub fn overlap_planar_half_space(shape: &Shape, pose: &Pose) -> Option<OverlapRegion> {
    let normal = pose.inverse_transform_vector(DVec3::Z).truncate().normalize_or_zero();
    let height = pose.position.z;
    let solid = match shape {
        Shape::Disc(disc) => overlap_disc_half_plane(disc.radius, normal, height)?.solid(disc.half_thickness),
        Shape::Polygon(polygon) => {
            overlap_half_plane_polygon(polygon.corners(), normal, height)?.solid(polygon.half_thickness())
        }
        _ => return None,
    };
    Some(solid.transformed(pose))
}
