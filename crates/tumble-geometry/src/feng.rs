//! The published method of Feng, Han and Owen for two flat-ended cylinders, with every formula corrected, and its layers for
//! capsules, cones and tablets too.
//!
//! 1. A frame of four parameters in which both axes are perpendicular to x ([`FourParameterFrame`]).
//! 2. Stage one: three checks that tell many pairs apart ([`non_overlap_checks`]).
//! 3. Stage two: the common region as layers or as the hull of edges ([`Representation`]), which gives volume, centroid,
//!    surface area and bounding box, and from the box an overlap, equations (21) and (22).
//! 4. The contact point is the centroid of the region, the normal that of the contact normal theorem
//!    ([`contact_normal`]). For an interior contact (the common perpendicular passes through both cylinders) the normal is
//!    the common perpendicular and the overlap r1 + r2 - |d|.
//!
//! What it is for: to compare with. Depth, normal and witness points of [`crate::narrow::contact`] are exact; here
//! - the overlap is not a depth: it is up to twice the smallest extent of the region, and depends on which cylinder leads;
//! - the normal at a centroid is up to a right angle off the direction of the shortest translation;
//! - the normal of an interior contact is not that direction either unless the cylinders are long;
//! - none of them is the gradient of anything, so that forces made of them do not conserve energy.
//!
//! What holds: the verdict (overlap or not), the region's volume, centroid and area as the layers become many, and that
//! the line of force meets both axes.
//!
//! The cylinder that leads is the one of larger radius, then of larger height, then the one whose centre is nearer to the
//! foot of the common perpendicular, so that exchanging the two mirrors the answer.
//!
//! Reference: Feng, Han and Owen, *A generic contact detection framework for cylindrical particles in discrete element
//! modelling*, Comput. Methods Appl. Mech. Engrg. 315 (2017) 632.

mod drum;
mod edge;
mod ellipse_distance;
mod frame;
mod gauss;
mod layered;
mod options;
mod region;
mod revolved;
mod round_body;
mod round_slice;
mod slice;
mod stage_one;
mod theorems;

pub use ellipse_distance::{Ellipse, NearestBy};
pub use frame::FourParameterFrame;
pub use layered::{FengRegion, Layers};
pub use options::{FengChoices, FengOptions, OverlapMeasure, RefusedChoice, Representation};
pub use stage_one::{ApartBy, Verdict, non_overlap_checks, non_overlap_checks_as_published};
pub use theorems::{
    Axis, contact_normal, contact_normal_forms, contact_normal_line, contact_point_line, normal_in_plane,
};

use crate::{Contact, Cylinder, Pose, Shape, ShapeKind};
use edge::edge_region;
use glam::DVec3;
use layered::layered_region;
use region::Pair;
use revolved::RoundPair;

/// The contact of two overlapping cylinders as the published method has it, in a's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FengContact {
    /// Overlap [m]: equation (21) or (22), r1 + r2 - |d| for an interior contact.
    pub overlap: f64,
    /// Unit normal, from a to b.
    pub normal: DVec3,
    /// Contact point [m].
    pub point: DVec3,
    /// Volume of the region [m^3].
    pub volume: f64,
    /// Centre of volume of the region [m].
    pub centroid: DVec3,
    /// Area of the region's surface [m^2].
    pub surface_area: f64,
    /// The region in the frame of the leading cylinder.
    pub region: FengRegion,
    /// The four-parameter frame; its first cylinder leads.
    pub frame: FourParameterFrame,
    /// Whether b leads.
    pub is_led_by_b: bool,
    /// Whether the common perpendicular of the axes passes through both cylinders.
    pub is_interior: bool,
}

impl FengContact {
    /// The same in the terms of all other contacts. The overlap stands in for the depth, which it is not.
    pub fn to_contact(&self) -> Contact {
        Line { overlap: self.overlap, normal: self.normal, point: self.point }.to_contact()
    }
}

/// The four-parameter frame of two cylinders, the leading one first, and whether that is b. `pose_ab` is b seen from a.
pub fn leading_frame(a: &Cylinder, b: &Cylinder, pose_ab: &Pose) -> (FourParameterFrame, bool) {
    let size = a.radius.max(a.half_height).max(b.radius).max(b.half_height);
    let frame =
        FourParameterFrame::new(DVec3::ZERO, DVec3::Z, pose_ab.position, pose_ab.transform_vector(DVec3::Z), size);
    let by_shape = b.radius.total_cmp(&a.radius).then(b.half_height.total_cmp(&a.half_height));
    // |s1| and |s2| are these over the sine.
    let by_place = frame.centre_21.y.abs().total_cmp(&frame.centre_12.y.abs());
    let is_led_by_b = by_shape.then(by_place).is_gt();
    (if is_led_by_b { frame.swapped() } else { frame }, is_led_by_b)
}

/// The contact of two cylinders by the published method; `None` if they do not overlap. `pose_ab` is b seen from a.
pub fn contact_feng(a: &Cylinder, b: &Cylinder, pose_ab: &Pose, options: &FengOptions) -> Option<FengContact> {
    Led::of_cylinders(a, b, pose_ab, options)?.contact(options)
}

/// Whether the published method is one for two shapes: cylinders, and with layers capsules, cones and tablets too.
pub fn serves(options: &FengOptions, a: ShapeKind, b: ShapeKind) -> bool {
    let is_cylinder = |kind: ShapeKind| kind == ShapeKind::Cylinder;
    let is_sliced = |kind: ShapeKind| {
        matches!(kind, ShapeKind::Cylinder | ShapeKind::Capsule | ShapeKind::TruncatedCone | ShapeKind::Tablet)
    };
    match options.representation {
        Representation::Layered(_) => is_sliced(a) && is_sliced(b),
        Representation::Edge { .. } => is_cylinder(a) && is_cylinder(b),
    }
}

/// The contact of two shapes by the published method; `None` if they do not overlap, or it does not serve them.
pub fn contact_feng_shapes(a: &Shape, b: &Shape, pose_ab: &Pose, options: &FengOptions) -> Option<FengContact> {
    Led::of_shapes(a, b, pose_ab, options)?.contact(options)
}

/// The same without the region, which an interior contact has no need of.
pub fn contact_line_feng(a: &Shape, b: &Shape, pose_ab: &Pose, options: &FengOptions) -> Option<Contact> {
    let led = Led::of_shapes(a, b, pose_ab, options)?;
    let line = match led.interior_line() {
        Some(line) => line,
        None => led.line_at_centroid(&led.region(options)?, options),
    };
    Some(Line { normal: led.direction_from_a(line.normal), ..line }.to_contact())
}

/// Where the force acts, and along what.
struct Line {
    overlap: f64,
    normal: DVec3,
    point: DVec3,
}

impl Line {
    fn to_contact(&self) -> Contact {
        let half = 0.5 * self.overlap * self.normal;
        Contact {
            normal: self.normal,
            separation: -self.overlap,
            point_a: self.point + half,
            point_b: self.point - half,
        }
    }
}

/// Two bodies in their frame.
enum Bodies {
    Cylinders(Pair),
    Round(RoundPair),
}

/// Two bodies that stage one does not tell apart.
struct Led {
    bodies: Bodies,
    is_led_by_b: bool,
    /// Of an interior contact the radii of both.
    interior: Option<[f64; 2]>,
}

impl Led {
    fn of_cylinders(a: &Cylinder, b: &Cylinder, pose_ab: &Pose, options: &FengOptions) -> Option<Led> {
        let (frame, is_led_by_b) = leading_frame(a, b, pose_ab);
        let (first, second) = if is_led_by_b { (*b, *a) } else { (*a, *b) };
        let pair = Pair { frame, first, second, quartic_by: options.quartic_by };
        let interior = match non_overlap_checks(&frame, &first, &second, options.nearest_by) {
            Verdict::Apart(_) => return None,
            Verdict::InteriorContact => Some([first.radius, second.radius]),
            Verdict::Perhaps => None,
        };
        Some(Led { bodies: Bodies::Cylinders(pair), is_led_by_b, interior })
    }

    fn of_shapes(a: &Shape, b: &Shape, pose_ab: &Pose, options: &FengOptions) -> Option<Led> {
        if let (Shape::Cylinder(a), Shape::Cylinder(b)) = (a, b) {
            return Led::of_cylinders(a, b, pose_ab, options);
        }
        if !serves(options, a.kind(), b.kind()) {
            return None;
        }
        let (pair, is_led_by_b) = RoundPair::new(a, b, pose_ab, options)?;
        let interior = pair.interior_radii();
        Some(Led { bodies: Bodies::Round(pair), is_led_by_b, interior })
    }

    fn frame(&self) -> &FourParameterFrame {
        match &self.bodies {
            Bodies::Cylinders(pair) => &pair.frame,
            Bodies::Round(pair) => &pair.frame,
        }
    }

    fn region(&self, options: &FengOptions) -> Option<FengRegion> {
        match (&self.bodies, options.representation) {
            (Bodies::Cylinders(pair), Representation::Layered(layers)) => layered_region(pair, &pair.extent()?, layers),
            (Bodies::Cylinders(pair), Representation::Edge { n_points }) => edge_region(pair, n_points.max(1)),
            (Bodies::Round(pair), Representation::Layered(layers)) => pair.region(layers),
            (Bodies::Round(_), Representation::Edge { .. }) => None,
        }
    }

    fn contact(&self, options: &FengOptions) -> Option<FengContact> {
        let region = self.region(options)?;
        let line = self.interior_line().unwrap_or_else(|| self.line_at_centroid(&region, options));
        let frame = *self.frame();
        Some(FengContact {
            overlap: line.overlap,
            normal: self.direction_from_a(line.normal),
            point: line.point,
            volume: region.volume,
            centroid: frame.to_outer(region.centroid),
            surface_area: region.surface_area,
            region,
            frame,
            is_led_by_b: self.is_led_by_b,
            is_interior: self.interior.is_some(),
        })
    }

    /// A direction from the leading body as one from a.
    fn direction_from_a(&self, from_leader: DVec3) -> DVec3 {
        if self.is_led_by_b { -from_leader } else { from_leader }
    }

    /// Of an interior contact: along the common perpendicular, from the leading body.
    fn interior_line(&self) -> Option<Line> {
        let [r1, r2] = self.interior?;
        let frame = self.frame();
        let d = frame.distance;
        let middle = 0.5 * ((-r1).max(d - r2) + r1.min(d + r2));
        Some(Line {
            overlap: r1 + r2 - d.abs(),
            normal: frame.axes_1[0] * 1f64.copysign(d),
            point: frame.to_outer(DVec3::new(middle, 0.0, frame.offset_1())),
        })
    }

    /// By theorem 1 at the centroid of the region, from the leading body.
    fn line_at_centroid(&self, region: &FengRegion, options: &FengOptions) -> Line {
        let frame = self.frame();
        let axis = |centre: DVec3, direction: DVec3| Axis { centre, direction };
        let point = frame.to_outer(region.centroid);
        let normal = contact_normal(
            &axis(frame.centre_1, frame.axes_1[2]),
            &axis(frame.centre_2, frame.axes_2[2]),
            point,
            |n| match &self.bodies {
                Bodies::Cylinders(pair) => translation_to_separate(pair, n),
                Bodies::Round(pair) => pair.translation_to_separate(n),
            },
        );
        Line { overlap: measured_overlap(region, options), normal, point }
    }
}

/// Equations (21) and (22).
fn measured_overlap(region: &FengRegion, options: &FengOptions) -> f64 {
    let extent = region.bounds.extent();
    let (least, largest) = region.radial_range;
    let inverse_square = |length: f64| 1.0 / (length * length);
    let sum = match options.measure {
        OverlapMeasure::Box => inverse_square(extent.x) + inverse_square(extent.y) + inverse_square(extent.z),
        OverlapMeasure::RadialAxial => inverse_square(largest - least) + inverse_square(extent.z),
    };
    options.factor / sum.sqrt()
}

/// How far the second cylinder must go along n to be clear of the first [m].
fn translation_to_separate(pair: &Pair, n: DVec3) -> f64 {
    let frame = &pair.frame;
    // The cross product has the sine of a small angle; the root of 1 - u^2 does not.
    let reach = |cylinder: &Cylinder, axis: DVec3| {
        cylinder.radius * axis.cross(n).length() + cylinder.half_height * axis.dot(n).abs()
    };
    reach(&pair.first, frame.axes_1[2]) + reach(&pair.second, frame.axes_2[2]) - n.dot(frame.centre_2 - frame.centre_1)
}

#[cfg(test)]
mod tests;
