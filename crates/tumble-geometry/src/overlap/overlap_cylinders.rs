//! The region that two flat-ended cylinders share, by slices across the common perpendicular of their axes.
//!
//! With x along the common perpendicular, z along the axis of a and y across both, a plane x = const cuts each cylinder in
//! a rectangle whose centre and half length do not depend on x and whose half width is
//!
//! w_a(x) = sqrt(r_a^2 - x^2),   w_b(x) = sqrt(r_b^2 - (x - d)^2),
//!
//! d the distance of the axes, so that
//!
//! V = int A(x) dx,   A = area of (rectangle of a and rectangle of b).
//!
//! The common polygon keeps its kind between known places (`breaks`) and has corners that are linear in the two widths
//! there. The widths end like square roots. Let p and q be the distances from x to where the two of them end on the
//! nearer side; with v = (sqrt p + sqrt q) / 2 and D = |p - q|,
//!
//! sqrt p, sqrt q = v -+ D / (4 v),
//!
//! so that both are smooth in v however close to each other they end, and Gauss's rule in v converges fast. A width that
//! bounds no polygon of the piece does not matter. Each piece is taken from its ends to its middle.
//!
//! Vector area and first moment come from the same polygons: an edge of length l on a side of a carries
//! n dA = (x / w_a, n_y, n_z) l dx, an edge on an end of a (0, n_y, n_z) l dx. What a and b give must be opposite. For
//! the parts across x it is so in each slice, to rounding. The parts along x, S_x = int n_x dA and M = int (y, z) n_x dA,
//! close as well as the integral is good; their leak is the estimate of the error, and half of it goes to either side.
//! Neither body can be turned about its own axis by the other: two linear conditions for (S_x, M), which the answer
//! fulfils to rounding however coarse the rule.
//!
//! Valid for every pose: for parallel axes any perpendicular will do, and nearly parallel ones lose no digits because
//! the sine of their angle is never a difference. What is lost is what the pose itself does not know: a region of a
//! thickness t is known to 1e-16 of the size over t. Feng, Han and Owen, Comput. Methods Appl. Mech. Engrg. 315 (2017)
//! 632, use slices across one axis instead, whose areas need the roots of a quartic each.

mod breaks;
mod slice;
mod wrench;

use super::{OverlapRegion, Unresolved};
use crate::{Cylinder, Pose};
use breaks::Breaks;
use glam::DVec3;
use slice::Sums;

/// Two cylinders in the frame of the slices: origin at the centre of a, x along the common perpendicular of the axes,
/// z along the axis of a.
struct Pair {
    /// Radii of a and b.
    radius: [f64; 2],
    /// Half heights of a and b.
    half_height: [f64; 2],
    /// Centre of b.
    centre: DVec3,
    /// The axis of b is (0, sine, cosine).
    cosine: f64,
    sine: f64,
}

/// Sine of an angle. Axes at a smaller one are parallel: over any length it moves nothing by more than rounding.
const PARALLEL: f64 = 1e-17;

impl Pair {
    /// The pair and the axes of its frame, seen from a.
    fn new(a: &Cylinder, b: &Cylinder, pose_ab: &Pose) -> (Pair, [DVec3; 3]) {
        let q = pose_ab.orientation;
        // The axis of b, either way along it. Each component is as good as the small numbers it is made of.
        let up = DVec3::new(
            2.0 * (q.x * q.z + q.w * q.y),
            2.0 * (q.y * q.z - q.w * q.x),
            (q.w * q.w + q.z * q.z) - (q.x * q.x + q.y * q.y),
        );
        let up = if up.z < 0.0 { -up } else { up };
        let (sine, centre) = (up.truncate().length(), pose_ab.position);
        let (sine, cosine, y) = if sine > PARALLEL {
            let length = sine.hypot(up.z);
            (sine / length, up.z / length, DVec3::new(up.x / sine, up.y / sine, 0.0))
        } else {
            // Across the way from one axis to the other.
            let offset = centre.truncate().length();
            let y = if offset > 0.0 { DVec3::new(-centre.y, centre.x, 0.0) / offset } else { DVec3::Y };
            (0.0, 1.0, y)
        };
        let x = DVec3::new(y.y, -y.x, 0.0);
        let pair = Pair {
            radius: [a.radius, b.radius],
            half_height: [a.half_height, b.half_height],
            centre: DVec3::new(x.dot(centre), y.dot(centre), centre.z),
            cosine,
            sine,
        };
        (pair, [x, y, DVec3::Z])
    }

    /// Where the axis of a or b passes, along x.
    fn axis(&self, body: usize) -> f64 {
        if body == 0 { 0.0 } else { self.centre.x }
    }

    /// Where the width of a or b ends, on either side.
    fn end(&self, body: usize, side: f64) -> f64 {
        self.axis(body) + side * self.radius[body]
    }

    /// The farther reach of the two bodies.
    fn size(&self) -> f64 {
        let reach = |k: usize| self.radius[k].hypot(self.half_height[k]);
        reach(0).max(reach(1))
    }

    /// Where both cylinders have a width.
    fn range(&self) -> [f64; 2] {
        [self.end(0, -1.0).max(self.end(1, -1.0)), self.end(0, 1.0).min(self.end(1, 1.0))]
    }

    /// Which sides bound the slice in the middle of a piece, if there is anything in it.
    fn sides_met(&self, [from, to]: [f64; 2]) -> Option<[bool; 2]> {
        let middle = 0.5 * (from + to);
        let width = |k: usize| ((self.end(k, 1.0) - middle) * (middle - self.end(k, -1.0))).max(0.0).sqrt();
        slice::sides_met(self, [width(0), width(1)])
    }

    /// The integrals over a piece without breaks, with so many Gauss rules of so many nodes to each part.
    fn integrate(&self, piece: [f64; 2], rule: &Rule, sums: &mut Sums) {
        let Some(sides_met) = self.sides_met(piece) else { return };
        let length = piece[1] - piece[0];
        let [left, right] = [Side::new(self, -1.0, piece[0], sides_met), Side::new(self, 1.0, piece[1], sides_met)];
        // Far from where the widths end, one side is enough.
        if left.nearest() >= 0.5 * length {
            right.integrate(self, length, rule, sums);
        } else if right.nearest() >= 0.5 * length {
            left.integrate(self, length, rule, sums);
        } else {
            left.integrate(self, 0.5 * length, rule, sums);
            right.integrate(self, 0.5 * length, rule, sums);
        }
    }
}

/// Multiplies the size over the thickness of a region: the leak that rounding makes, with some room.
const ROUNDING: f64 = 1e-14;

/// The leak that is left where the widths end within rounding of each other [1]: the root of rounding, over the share that
/// the strip there has of the surface.
const CLOSE_ENDS: f64 = 1e-8;

/// How finely to integrate: Gauss's rule, and how often to use it side by side.
struct Rule {
    nodes: &'static [(f64, f64)],
    n_parts: u32,
    /// Relative error of a region whose leak is small by symmetry only and does not tell.
    surely: f64,
}

/// Rules of rising cost. Of random pairs of heights of 0.025 to 50 diameters one in a hundred leaks by 5e-9 with the first,
/// 8e-13 with the second; the third and the fourth are for the few whose widths end close to each other.
const RULES: [Rule; 4] = [
    Rule { nodes: &slice::GAUSS_8, n_parts: 1, surely: 1e-5 },
    Rule { nodes: &slice::GAUSS_16, n_parts: 1, surely: 1e-8 },
    Rule { nodes: &slice::GAUSS_16, n_parts: 2, surely: 1e-11 },
    Rule { nodes: &slice::GAUSS_16, n_parts: 6, surely: 1e-13 },
];

/// One end of a piece, and where the widths end beyond it.
struct Side {
    /// 1 for the right end, -1 for the left.
    sign: f64,
    /// Distances from the end of the piece to the ends of the widths of a and b.
    beyond: [f64; 2],
    /// The same for the widths that matter; twice the one if it is only one.
    regular: [f64; 2],
}

impl Side {
    fn new(pair: &Pair, sign: f64, place: f64, sides_met: [bool; 2]) -> Side {
        // Just zero where a width ends: its root would make 1e-8 of rounding.
        let beyond = [0, 1].map(|k| (sign * (pair.end(k, sign) - place)).max(0.0));
        let regular = match sides_met {
            [true, false] => [beyond[0]; 2],
            [false, true] => [beyond[1]; 2],
            _ => beyond,
        };
        Side { sign, beyond, regular }
    }

    fn nearest(&self) -> f64 {
        self.regular[0].min(self.regular[1])
    }

    /// Integrates from this end over a length.
    fn integrate(&self, pair: &Pair, length: f64, rule: &Rule, sums: &mut Sums) {
        let nearest = self.nearest();
        let quarter = 0.25 * (self.regular[0] - self.regular[1]).abs();
        // From the nearest of the ends that matter to those of a and b.
        let farther = self.beyond.map(|beyond| beyond - nearest);
        let parameter = |far: f64| 0.5 * self.regular.map(|beyond| (beyond + far).sqrt()).iter().sum::<f64>();
        let (from, to) = (parameter(0.0), parameter(length));
        let half = 0.5 * (to - from) / f64::from(rule.n_parts);
        for part in 0..rule.n_parts {
            let middle = from + f64::from(2 * part + 1) * half;
            for &(node, weight) in rule.nodes {
                for node in [-node, node] {
                    let v = middle + half * node;
                    let shift = quarter / v;
                    let root = v - shift;
                    let growth = 2.0 * root * (1.0 + shift / v) * half * weight;
                    let squares = farther.map(|farther| (root * root + farther).max(0.0));
                    self.add(pair, squares, growth, sums);
                }
            }
        }
    }

    /// Adds a slice, given its distances from the ends of the widths.
    fn add(&self, pair: &Pair, inside: [f64; 2], weight: f64, sums: &mut Sums) {
        let width = |k: usize| (inside[k] * (2.0 * pair.radius[k] - inside[k])).max(0.0).sqrt();
        let from_axis = |k: usize| self.sign * (pair.radius[k] - inside[k]);
        sums.add(pair, [width(0), width(1)], [from_axis(0), from_axis(1)], weight);
    }
}

/// The region that two cylinders share; `None` when they share no volume. `pose_ab` is b seen from a, and the answer is in
/// a's frame. `tolerance` is the relative error allowed.
pub(super) fn overlap_cylinders(
    a: &Cylinder,
    b: &Cylinder,
    pose_ab: &Pose,
    tolerance: f64,
) -> Result<Option<OverlapRegion>, Unresolved> {
    let (pair, axes) = Pair::new(a, b, pose_ab);
    let range = pair.range();
    // Thinner than rounding is nothing; what is not a number ends here too.
    let thickness = range[1] - range[0];
    if thickness.is_nan() || thickness <= 4.0 * f64::EPSILON * (range[0].abs() + range[1].abs()) {
        return Ok(None);
    }
    let breaks = Breaks::new(&pair, range);
    let mut best: Option<(OverlapRegion, f64)> = None;
    let mut allowed = tolerance;
    let first = RULES.iter().position(|rule| rule.surely <= tolerance).unwrap_or(RULES.len() - 1);
    for rule in &RULES[first..] {
        let mut sums = Sums::default();
        breaks.pieces().for_each(|piece| pair.integrate(piece, rule, &mut sums));
        if sums.volume.is_nan() || sums.volume <= 0.0 {
            break;
        }
        let (region, leak) = wrench::region(&pair, &sums);
        if best.is_none_or(|(_, least)| leak < least) {
            best = Some((region, leak));
        }
        // No rule makes up for what the pose itself does not know.
        let rounding = ROUNDING * pair.size() * region.surface_area / region.volume;
        allowed = tolerance.max(rounding).max(CLOSE_ENDS);
        // The leak is not all of the error, and a jump from one rule to the next should not be felt.
        if leak <= rounding.max(0.1 * tolerance) {
            break;
        }
    }
    let turned = |v: DVec3| v.x * axes[0] + v.y * axes[1] + v.z * axes[2];
    let placed = |found: OverlapRegion| OverlapRegion {
        centroid: turned(found.centroid),
        vector_area: turned(found.vector_area),
        first_moment: turned(found.first_moment),
        ..found
    };
    match best {
        Some((region, leak)) if leak <= allowed => Ok(Some(placed(region))),
        Some((region, leak)) => Err(Unresolved { best: Some(placed(region)), relative_error: leak }),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests;
