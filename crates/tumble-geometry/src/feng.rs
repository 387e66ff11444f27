//! The published method of Feng, Han and Owen for two flat-ended cylinders, with every formula corrected.
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

use crate::{Contact, Cylinder, Pose};
use edge::edge_region;
use glam::DVec3;
use layered::layered_region;
use region::Pair;

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
    let led = Led::new(a, b, pose_ab, options)?;
    let region = led.region(options)?;
    let line = if led.is_interior { led.interior_line() } else { led.line_at_centroid(&region, options) };
    let frame = led.pair.frame;
    Some(FengContact {
        overlap: line.overlap,
        normal: led.direction_from_a(line.normal),
        point: line.point,
        volume: region.volume,
        centroid: frame.to_outer(region.centroid),
        surface_area: region.surface_area,
        region,
        frame,
        is_led_by_b: led.is_led_by_b,
        is_interior: led.is_interior,
    })
}

/// The same without the region, which an interior contact has no need of.
pub fn contact_line_feng(a: &Cylinder, b: &Cylinder, pose_ab: &Pose, options: &FengOptions) -> Option<Contact> {
    let led = Led::new(a, b, pose_ab, options)?;
    let line = if led.is_interior { led.interior_line() } else { led.line_at_centroid(&led.region(options)?, options) };
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

/// Two cylinders that stage one does not tell apart.
struct Led {
    pair: Pair,
    is_led_by_b: bool,
    is_interior: bool,
}

impl Led {
    fn new(a: &Cylinder, b: &Cylinder, pose_ab: &Pose, options: &FengOptions) -> Option<Led> {
        let (frame, is_led_by_b) = leading_frame(a, b, pose_ab);
        let (first, second) = if is_led_by_b { (*b, *a) } else { (*a, *b) };
        let verdict = non_overlap_checks(&frame, &first, &second, options.nearest_by);
        let is_interior = verdict == Verdict::InteriorContact;
        let is_apart = matches!(verdict, Verdict::Apart(_));
        let pair = Pair { frame, first, second, quartic_by: options.quartic_by };
        (!is_apart).then_some(Led { pair, is_led_by_b, is_interior })
    }

    fn region(&self, options: &FengOptions) -> Option<FengRegion> {
        match options.representation {
            Representation::Layered(layers) => layered_region(&self.pair, &self.pair.extent()?, layers),
            Representation::Edge { n_points } => edge_region(&self.pair, n_points.max(1)),
        }
    }

    /// A direction from the leading cylinder as one from a.
    fn direction_from_a(&self, from_leader: DVec3) -> DVec3 {
        if self.is_led_by_b { -from_leader } else { from_leader }
    }

    /// Of an interior contact: along the common perpendicular, from the leading cylinder.
    fn interior_line(&self) -> Line {
        let Pair { frame, first, second, .. } = &self.pair;
        let (r1, r2, d) = (first.radius, second.radius, frame.distance);
        let middle = 0.5 * ((-r1).max(d - r2) + r1.min(d + r2));
        Line {
            overlap: r1 + r2 - d.abs(),
            normal: frame.axes_1[0] * 1f64.copysign(d),
            point: frame.to_outer(DVec3::new(middle, 0.0, frame.offset_1())),
        }
    }

    /// By theorem 1 at the centroid of the region, from the leading cylinder.
    fn line_at_centroid(&self, region: &FengRegion, options: &FengOptions) -> Line {
        let frame = &self.pair.frame;
        let axis = |centre: DVec3, direction: DVec3| Axis { centre, direction };
        let point = frame.to_outer(region.centroid);
        let normal = contact_normal(
            &axis(frame.centre_1, frame.axes_1[2]),
            &axis(frame.centre_2, frame.axes_2[2]),
            point,
            |n| translation_to_separate(&self.pair, n),
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
