//! The layered representation of the common region: a stack of slices along the first axis.
//!
//! Volume and moments are sums over layers, each with the area of the slice in its middle. Layers are thinner towards the
//! ends of the region and wherever its shadow bends, since there the slices change fast: between two such heights
//! z = z_m - z_h cos(t) with layers of equal t, equally many in each stretch, so that nothing jumps where a stretch comes or
//! goes. With a tolerance in place of a number, the layers are the nodes of Gauss's
//! rule in t, halved where the volume has not settled.
//!
//! The caps count by their own slices, those of the second cylinder in its own frame. Valid for all angles, parallel axes
//! included. The error of the volume falls with the square of the number of layers.
//!
//! Feng, Han and Owen (2017), section 3.3; equations (19) and (20) are wrong in print.

use super::gauss;
use super::region::{Extent, Pair};
use super::slice::Slice;
use crate::Aabb;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// How many layers the common region is cut into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layers {
    /// This many between any two heights where the outline of the region's shadow bends.
    Count(usize),
    /// As many as it takes until the volume changes by no more than this part of it.
    Tolerance(f64),
}

/// The common region as a representation of it has it, in the frame of the leading cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FengRegion {
    /// Volume [m^3].
    pub volume: f64,
    /// Centre of volume [m].
    pub centroid: DVec3,
    /// Area of the whole surface [m^2].
    pub surface_area: f64,
    /// Bounding box along the axes of the four-parameter frame.
    pub bounds: Aabb,
    /// Least and largest distance from the leading cylinder's axis [m].
    pub radial_range: (f64, f64),
    /// Layers, or points of edges, that the region was made of.
    pub n_parts: usize,
}

/// Sums over layers.
#[derive(Clone, Copy, Default)]
struct Sums {
    volume: f64,
    moment: DVec3,
    side_area: f64,
}

impl std::ops::Add for Sums {
    type Output = Sums;
    fn add(self, other: Sums) -> Sums {
        Sums {
            volume: self.volume + other.volume,
            moment: self.moment + other.moment,
            side_area: self.side_area + other.side_area,
        }
    }
}

/// The stack as it grows.
struct Stack<'a> {
    slice: &'a dyn Fn(f64) -> Option<Slice>,
    lower: DVec2,
    upper: DVec2,
    radial_range: (f64, f64),
    n_layers: usize,
}

impl Stack<'_> {
    /// A layer of the given thickness with the slice at z.
    fn layer(&mut self, z: f64, thickness: f64) -> Sums {
        self.n_layers += 1;
        let Some(slice) = (self.slice)(z) else { return Sums::default() };
        self.take_bounds(&slice);
        Sums {
            volume: slice.area * thickness,
            moment: DVec3::new(slice.moment.x, slice.moment.y, slice.area * z) * thickness,
            side_area: slice.side_area_rate * thickness,
        }
    }

    fn take_bounds(&mut self, slice: &Slice) {
        self.lower = self.lower.min(slice.lower);
        self.upper = self.upper.max(slice.upper);
        let (least, largest) = self.radial_range;
        self.radial_range = (least.min(slice.least_radius), largest.max(slice.largest_radius));
    }

    /// Layers of equal t between two heights.
    fn equal(&mut self, from: f64, to: f64, n: usize) -> Sums {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let t = |k: f64| PI * k / n as f64;
        (0..n).fold(Sums::default(), |sums, k| {
            let (lower, upper) = (t(k as f64).cos(), t(k as f64 + 1.0).cos());
            sums + self.layer(middle - half * t(k as f64 + 0.5).cos(), half * (lower - upper))
        })
    }

    /// Gauss's layers over a range of t.
    fn gauss(&mut self, middle: f64, half: f64, from: f64, to: f64) -> Sums {
        gauss::nodes(from, to).fold(Sums::default(), |sums, (t, weight)| {
            sums + self.layer(middle - half * t.cos(), half * t.sin() * weight)
        })
    }

    /// The same, halved until the volume settles within `allowed` or the range has been halved often enough.
    fn settled(
        &mut self,
        (middle, half): (f64, f64),
        from: f64,
        to: f64,
        whole: Sums,
        allowed: f64,
        depth: u32,
    ) -> Sums {
        let centre = 0.5 * (from + to);
        let (left, right) = (self.gauss(middle, half, from, centre), self.gauss(middle, half, centre, to));
        let halves = left + right;
        if depth == 0 || (halves.volume - whole.volume).abs() <= allowed {
            return halves;
        }
        self.settled((middle, half), from, centre, left, 0.5 * allowed, depth - 1)
            + self.settled((middle, half), centre, to, right, 0.5 * allowed, depth - 1)
    }
}

/// The region of two cylinders as a stack of layers; `None` if no layer has an area.
pub(super) fn layered_region(pair: &Pair, extent: &Extent, layers: Layers) -> Option<FengRegion> {
    let is_cap = [extent.lowest.z, extent.highest.z].map(|z| z.abs() >= pair.first.half_height);
    let swapped = pair.swapped();
    let half_height = swapped.first.half_height;
    let caps = [-half_height, half_height].into_iter().filter_map(|z| swapped.slice(z)).map(|slice| slice.area);
    stacked_region(&|z| pair.slice(z), extent, layers, is_cap, caps.sum::<f64>())
}

/// The region of any two bodies by their slices; `None` if no layer has an area. Also wanted is whether its ends are caps of the
/// first body, and the area of those of the second.
pub(super) fn stacked_region(
    slice: &dyn Fn(f64) -> Option<Slice>,
    extent: &Extent,
    layers: Layers,
    is_cap: [bool; 2],
    caps_of_second: f64,
) -> Option<FengRegion> {
    // 2^10 ranges of eight layers are finer than any bend in the area that is left.
    const LARGEST_DEPTH: u32 = 10;
    let (bottom, top) = (extent.lowest.z, extent.highest.z);
    let heights: Vec<f64> = [bottom].into_iter().chain(extent.bends.iter().copied()).chain([top]).collect();
    let mut stack = Stack {
        slice,
        lower: DVec2::INFINITY,
        upper: DVec2::NEG_INFINITY,
        radial_range: (f64::INFINITY, 0.0),
        n_layers: 0,
    };
    let mut sums = Sums::default();
    match layers {
        Layers::Count(count) => {
            for stretch in heights.windows(2) {
                sums = sums + stack.equal(stretch[0], stretch[1], count.max(1));
            }
        }
        Layers::Tolerance(tolerance) => {
            let first: Vec<Sums> = heights
                .windows(2)
                .map(|stretch| stack.gauss(0.5 * (stretch[0] + stretch[1]), 0.5 * (stretch[1] - stretch[0]), 0.0, PI))
                .collect();
            let allowed = tolerance * first.iter().map(|sums| sums.volume).sum::<f64>() / heights.len() as f64;
            for (stretch, whole) in heights.windows(2).zip(first) {
                let place = (0.5 * (stretch[0] + stretch[1]), 0.5 * (stretch[1] - stretch[0]));
                sums = sums + stack.settled(place, 0.0, PI, whole, allowed, LARGEST_DEPTH);
            }
        }
    }
    let mut caps = 0.0;
    for (z, _) in [bottom, top].into_iter().zip(is_cap).filter(|(_, is_cap)| *is_cap) {
        let Some(cap) = slice(z) else { continue };
        stack.take_bounds(&cap);
        caps += cap.area;
    }
    caps += caps_of_second;
    for peak in [extent.lowest, extent.highest] {
        stack.lower = stack.lower.min(peak.truncate());
        stack.upper = stack.upper.max(peak.truncate());
    }
    (sums.volume > 0.0).then(|| FengRegion {
        volume: sums.volume,
        centroid: sums.moment / sums.volume,
        surface_area: sums.side_area + caps,
        bounds: Aabb { lower: stack.lower.extend(bottom), upper: stack.upper.extend(top) },
        radial_range: stack.radial_range,
        n_parts: stack.n_layers,
    })
}
