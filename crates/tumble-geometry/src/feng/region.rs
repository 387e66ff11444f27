//! Where the common region of two cylinders lies along the first axis.
//!
//! Seen along the common perpendicular, the region is the part of the two rectangles' intersection (a convex polygon in y
//! and z of the first frame) in which the cylinders reach each other along x:
//!
//!   sqrt(r1^2 - y^2) + sqrt(r2^2 - w^2) >= |d|,   w = cos(alpha) (y - Y) - sin(alpha) (z - Z).
//!
//! The left side is concave, so that its largest value over the polygon, at the feet of the common perpendicular or on the
//! polygon's edge, decides whether the cylinders overlap at all, and the region's ends along z are one zero each of a
//! monotone function. The published method searches for these ends layer by layer.

use super::FourParameterFrame;
use super::slice::{Slice, SlicePlane};
use crate::Cylinder;
use crate::roots::QuarticBy;
use glam::{DVec2, DVec3};

/// Two cylinders in their frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub frame: FourParameterFrame,
    pub first: Cylinder,
    pub second: Cylinder,
    /// How the quartics of slices are solved.
    pub quartic_by: QuarticBy,
}

/// The region's ends along the first axis.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// Lowest point, in the first frame.
    pub lowest: DVec3,
    /// Highest point, in the first frame.
    pub highest: DVec3,
    /// Heights between the two where the outline of the shadow bends.
    pub bends: Vec<f64>,
}

impl Pair {
    /// The pair seen from the second cylinder.
    pub fn swapped(&self) -> Pair {
        Pair { frame: self.frame.swapped(), first: self.second, second: self.first, ..*self }
    }

    /// The slice of the region at a height of the first cylinder.
    pub fn slice(&self, z: f64) -> Option<Slice> {
        SlicePlane::new(self, z).cut()
    }

    /// The region's ends; `None` if there is no region.
    pub fn extent(&self) -> Option<Extent> {
        let polygon = self.shadow();
        let heights = || polygon.iter().map(|p| p.y);
        let (bottom, top) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        if polygon.len() < 3 || top <= bottom {
            return None;
        }
        let at = |z: f64| SlicePlane::new(self, z).deepest().filter(|(_, reach)| *reach > 0.0).map(|(y, _)| (y, z));
        // The deepest place may be an end of the polygon, where rounding can leave no slice: a step inwards has one.
        let deepest = self.deepest(&polygon)?;
        let inwards = 0.5 * (bottom + top) - deepest;
        let start = (0..=50).rev().map(|k| deepest + inwards * 2f64.powi(-k)).find(|z| at(*z).is_some())?;
        let peak = |end: f64| {
            // From a height that has a slice towards one that has none.
            let (mut inside, mut outside) = (start, end);
            let mut found = at(end);
            if found.is_none() {
                for _ in 0..60 {
                    let z = 0.5 * (inside + outside);
                    match at(z) {
                        Some(point) => (inside, found) = (z, Some(point)),
                        None => outside = z,
                    }
                }
            }
            found.map(|(y, z)| SlicePlane::new(self, z).middle(y))
        };
        let (lowest, highest) = (peak(bottom)?, peak(top)?);
        let mut bends: Vec<f64> = heights().filter(|z| *z > lowest.z && *z < highest.z).collect();
        bends.sort_by(f64::total_cmp);
        bends.dedup();
        (highest.z > lowest.z).then_some(Extent { lowest, highest, bends })
    }

    /// The intersection of the two rectangles in the plane of y and z of the first frame.
    fn shadow(&self) -> Vec<DVec2> {
        let Pair { frame, first, second, .. } = self;
        let (r, h) = (first.radius, first.half_height);
        let mut polygon = vec![DVec2::new(-r, -h), DVec2::new(r, -h), DVec2::new(r, h), DVec2::new(-r, h)];
        let centre = DVec2::new(frame.centre_12.y, frame.centre_12.z);
        let (across, along) = (DVec2::new(frame.cosine, -frame.sine), DVec2::new(frame.sine, frame.cosine));
        for (normal, reach) in [
            (across, second.radius),
            (-across, second.radius),
            (along, second.half_height),
            (-along, second.half_height),
        ] {
            polygon = clipped(&polygon, normal, normal.dot(centre) + reach);
        }
        polygon
    }

    /// A height at which the cylinders reach each other along x, that of their largest reach over the polygon.
    fn deepest(&self, polygon: &[DVec2]) -> Option<f64> {
        let frame = &self.frame;
        if frame.has_feet_within(self.first.half_height, self.second.half_height) {
            return (frame.distance.abs() < self.first.radius + self.second.radius).then(|| frame.offset_1());
        }
        let centre = frame.centre_12;
        let reach_and_slope = |p: DVec2, along: DVec2| {
            let width = |radius: f64, w: f64, dw: f64| {
                let half = ((radius - w) * (radius + w)).max(0.0).sqrt();
                (half, if w == 0.0 || dw == 0.0 { 0.0 } else { -w * dw / half })
            };
            let (c, s) = (frame.cosine, frame.sine);
            let (a, da) = width(self.first.radius, p.x, along.x);
            let (b, db) =
                width(self.second.radius, c * (p.x - centre.y) - s * (p.y - centre.z), c * along.x - s * along.y);
            (a + b - frame.distance.abs(), da + db)
        };
        let mut best = (0.0, None);
        for (index, &from) in polygon.iter().enumerate() {
            let along = polygon[(index + 1) % polygon.len()] - from;
            let (mut lower, mut upper) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (lower + upper);
                if reach_and_slope(from + along * middle, along).1 > 0.0 {
                    lower = middle;
                } else {
                    upper = middle;
                }
            }
            let p = from + along * (0.5 * (lower + upper));
            let (reach, _) = reach_and_slope(p, along);
            if reach > best.0 {
                best = (reach, Some(p.y));
            }
        }
        best.1
    }
}

/// What of a convex polygon lies below a line.
fn clipped(polygon: &[DVec2], normal: DVec2, offset: f64) -> Vec<DVec2> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (index, &p) in polygon.iter().enumerate() {
        let q = polygon[(index + 1) % polygon.len()];
        let (above_p, above_q) = (normal.dot(p) - offset, normal.dot(q) - offset);
        if above_p <= 0.0 {
            kept.push(p);
        }
        if (above_p < 0.0 && above_q > 0.0) || (above_p > 0.0 && above_q < 0.0) {
            kept.push(p + (q - p) * (above_p / (above_p - above_q)));
        }
    }
    kept
}
