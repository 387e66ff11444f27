//! Layers of any two of cylinder, capsule, cone and tablet: what the published method is for bodies of revolution.
//!
//! The four-parameter frame, the slices at constant z1, the overlap of the region's extents and the theorem on the normal
//! need axes and slices alone. Stage one is that of the cylinders around the bodies. An interior contact is one whose common perpendicular
//! meets both bodies where their sides are parallel to their axes, so that it is perpendicular to both; cones have none.
//!
//! Where the region lies along the first axis is found as for two cylinders: half the widths of the bodies along x, less the
//! distance of the axes, is concave over the plane of y and z, and so is its largest value over y at each z.

use super::layered::{FengRegion, Layers, stacked_region};
use super::region::Extent;
use super::round_body::RoundBody;
use super::round_slice::RoundPlane;
use super::slice::Slice;
use super::{FengOptions, FourParameterFrame, Verdict, non_overlap_checks};
use crate::roots::QuarticBy;
use crate::{Cylinder, Pose, Shape};
use glam::DVec3;

/// Two bodies of revolution in their frame.
#[derive(Clone, Debug)]
pub(super) struct RoundPair {
    pub frame: FourParameterFrame,
    pub first: RoundBody,
    pub second: RoundBody,
    pub quartic_by: QuarticBy,
}

impl RoundPair {
    /// The pair with the leading body first, and whether that is b; `None` if stage one tells the two apart, or one of them
    /// is no body of revolution that is known here.
    pub fn new(a: &Shape, b: &Shape, pose_ab: &Pose, options: &FengOptions) -> Option<(RoundPair, bool)> {
        let (a, b) = (RoundBody::of(a)?, RoundBody::of(b)?);
        let size = [&a, &b].map(|body| body.radius.max(body.half_height)).into_iter().fold(0.0, f64::max);
        let axis = pose_ab.transform_vector(DVec3::Z);
        let centre = pose_ab.transform_point(DVec3::Z * b.middle);
        let frame = FourParameterFrame::new(DVec3::Z * a.middle, DVec3::Z, centre, axis, size);
        // The frame has reversed the second axis if the two point against each other.
        let b = if axis.z < 0.0 { b.reversed() } else { b };
        let by_shape = b.radius.total_cmp(&a.radius).then(b.half_height.total_cmp(&a.half_height));
        let by_place = frame.centre_21.y.abs().total_cmp(&frame.centre_12.y.abs());
        let is_led_by_b = by_shape.then(by_place).is_gt();
        let quartic_by = options.quartic_by;
        let pair = if is_led_by_b {
            RoundPair { frame: frame.swapped(), first: b, second: a, quartic_by }
        } else {
            RoundPair { frame, first: a, second: b, quartic_by }
        };
        let around = |body: &RoundBody| Cylinder { radius: body.radius, half_height: body.half_height };
        let verdict = non_overlap_checks(&pair.frame, &around(&pair.first), &around(&pair.second), options.nearest_by);
        (!matches!(verdict, Verdict::Apart(_))).then_some((pair, is_led_by_b))
    }

    fn swapped(&self) -> RoundPair {
        RoundPair {
            frame: self.frame.swapped(),
            first: self.second.clone(),
            second: self.first.clone(),
            quartic_by: self.quartic_by,
        }
    }

    /// The radii of both where the common perpendicular meets them, of an interior contact.
    pub fn interior_radii(&self) -> Option<[f64; 2]> {
        let r1 = self.first.straight_radius_at(self.frame.offset_1())?;
        let r2 = self.second.straight_radius_at(self.frame.offset_2())?;
        (self.frame.distance.abs() < r1 + r2).then_some([r1, r2])
    }

    /// How far the second body must go along n to be clear of the first [m].
    pub fn translation_to_separate(&self, n: DVec3) -> f64 {
        let frame = &self.frame;
        let reach = |body: &RoundBody, axis: DVec3, n: DVec3| body.reach(axis.dot(n), axis.cross(n).length());
        reach(&self.first, frame.axes_1[2], n) + reach(&self.second, frame.axes_2[2], -n)
            - n.dot(frame.centre_2 - frame.centre_1)
    }

    fn slice(&self, z: f64) -> Option<Slice> {
        RoundPlane::new(self, z).cut()
    }

    /// The region as a stack of layers; `None` if there is none.
    pub fn region(&self, layers: Layers) -> Option<FengRegion> {
        let extent = self.extent()?;
        let is_cap = [extent.lowest.z <= -self.first.half_height, extent.highest.z >= self.first.half_height];
        let is_cap = [is_cap[0] && self.first.is_flat[0], is_cap[1] && self.first.is_flat[1]];
        let swapped = self.swapped();
        let ends = [-self.second.half_height, self.second.half_height].into_iter().zip(self.second.is_flat);
        let caps = ends.filter(|(_, is_flat)| *is_flat).filter_map(|(z, _)| swapped.slice(z)).map(|slice| slice.area);
        stacked_region(&|z| self.slice(z), &extent, layers, is_cap, caps.sum::<f64>())
    }

    /// The region's ends along the first axis, and the heights between where either body's outline bends.
    pub fn extent(&self) -> Option<Extent> {
        let (c, s, height) = (self.frame.cosine, self.frame.sine, self.frame.centre_12.z);
        let bottom = (height - self.second.reach(-c, s)).max(-self.first.half_height);
        let top = (height + self.second.reach(c, s)).min(self.first.half_height);
        if bottom >= top {
            return None;
        }
        let start = self.height_with_overlap(bottom, top)?;
        let peak = |end: f64| {
            let (mut inside, mut outside) = (start, end);
            if RoundPlane::new(self, end).has_overlap() {
                inside = end;
            } else {
                for _ in 0..52 {
                    let z = 0.5 * (inside + outside);
                    if RoundPlane::new(self, z).has_overlap() { inside = z } else { outside = z }
                }
            }
            let plane = RoundPlane::new(self, inside);
            plane.middle(plane.deepest().0)
        };
        let (lowest, highest) = (peak(bottom), peak(top));
        let rims = self.second.joints().flat_map(|v| {
            let across = s * self.second.radius_at(v);
            [height + c * v - across, height + c * v + across]
        });
        let mut bends: Vec<f64> = self.first.joints().chain(rims).filter(|z| *z > lowest.z && *z < highest.z).collect();
        bends.sort_by(f64::total_cmp);
        bends.dedup();
        (highest.z > lowest.z).then_some(Extent { lowest, highest, bends })
    }

    /// A height at which the bodies overlap along x: the golden section towards the largest overlap, until there is one.
    fn height_with_overlap(&self, bottom: f64, top: f64) -> Option<f64> {
        const SHARE: f64 = 0.618_033_988_749_894_9;
        let overlap = |z: f64| RoundPlane::new(self, z).deepest().1;
        let (mut from, mut to) = (bottom, top);
        let mut inner = [to - SHARE * (to - from), from + SHARE * (to - from)];
        let mut found = inner.map(overlap);
        // As many as take the range to rounding.
        for _ in 0..76 {
            if let Some(k) = (0..2).find(|k| found[*k] > 0.0) {
                return Some(inner[k]);
            }
            if found[0] > found[1] {
                (to, inner[1], found[1]) = (inner[1], inner[0], found[0]);
                inner[0] = to - SHARE * (to - from);
                found[0] = overlap(inner[0]);
            } else {
                (from, inner[0], found[0]) = (inner[0], inner[1], found[1]);
                inner[1] = from + SHARE * (to - from);
                found[1] = overlap(inner[1]);
            }
        }
        None
    }
}
