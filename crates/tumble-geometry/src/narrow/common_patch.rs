//! The middle of what two bodies touch with: the common part of the face, edge or corner of a that is farthest along the
//! normal and of that of b which is farthest against it, both seen along the normal.
//!
//! The largest gap fixes the normal and the depth; where a face or two edges are equally far, it leaves the witness
//! points free within this common part. Any of them is right for a body that does not turn; the middle is what lets a
//! box rest on another.

use super::placed_shape::Patch;
use crate::tolerance;
use glam::{DVec2, DVec3};

/// Most corners of a common part: two polygons of sixteen.
const MOST: usize = 40;

/// Corners of a convex polygon, a line or a point in a plane, in order.
#[derive(Clone, Copy)]
pub(crate) struct Flat {
    corners: [DVec2; MOST],
    len: usize,
}

impl Flat {
    /// As many of the corners as there is room for.
    pub(crate) fn new(corners: impl Iterator<Item = DVec2>) -> Flat {
        let mut flat = Flat { corners: [DVec2::ZERO; MOST], len: 0 };
        corners.for_each(|corner| flat.push(corner));
        flat
    }

    fn push(&mut self, corner: DVec2) {
        if self.len < MOST {
            self.corners[self.len] = corner;
            self.len += 1;
        }
    }

    pub(crate) fn corners(&self) -> &[DVec2] {
        &self.corners[..self.len]
    }

    /// Twice the area; positive if the corners run counter-clockwise.
    fn doubled_area(&self) -> f64 {
        let c = self.corners();
        (1..self.len.saturating_sub(1)).map(|k| (c[k] - c[0]).perp_dot(c[k + 1] - c[0])).sum()
    }

    /// The part within a polygon.
    pub(crate) fn clipped(mut self, polygon: &Flat, slack: f64) -> Flat {
        let sign = polygon.doubled_area().signum();
        for k in 0..polygon.len {
            let start = polygon.corners[k];
            let edge = (polygon.corners[(k + 1) % polygon.len] - start) * sign;
            let inward = edge.perp().normalize_or_zero();
            let height = |p: DVec2| (p - start).dot(inward) + slack;
            let mut kept = Flat::new(std::iter::empty());
            for (i, &p) in self.corners().iter().enumerate() {
                let q = self.corners[(i + 1) % self.len];
                let (hp, hq) = (height(p), height(q));
                if hp >= 0.0 {
                    kept.push(p);
                }
                if (hp < 0.0) != (hq < 0.0) {
                    kept.push(p + (q - p) * (hp / (hp - hq)));
                }
            }
            self = kept;
        }
        self
    }

    /// Centroid of a polygon, middle of a line.
    pub(crate) fn middle(&self) -> Option<DVec2> {
        let c = self.corners();
        let first = *c.first()?;
        let longest = c.iter().map(|p| p.distance(first)).fold(0.0, f64::max);
        let area = self.doubled_area();
        if area.abs() <= tolerance::LIES_FLAT * longest * longest {
            // A line: half way between the ends.
            let end = c.iter().copied().max_by(|p, q| p.distance(first).total_cmp(&q.distance(first)))?;
            let other = c.iter().copied().max_by(|p, q| p.distance(end).total_cmp(&q.distance(end)))?;
            return Some(0.5 * (end + other));
        }
        let moment: DVec2 = (1..self.len - 1)
            .map(|k| (c[k] + c[k + 1] + first) * ((c[k] - first).perp_dot(c[k + 1] - first) / 3.0))
            .sum();
        Some(moment / area)
    }
}

/// The middle of the common part of two flat patches seen along a normal, on a's patch; `None` where rounding leaves none.
/// `size` is that of the bodies.
pub(super) fn common_middle(a: &Patch, b: &Patch, normal: DVec3, size: f64) -> Option<DVec3> {
    let origin = a.middle;
    let (x, y) = normal.any_orthonormal_pair();
    let flat =
        |patch: &Patch| Flat::new(patch.corners().iter().map(|c| DVec2::new(x.dot(*c - origin), y.dot(*c - origin))));
    let (flat_a, flat_b) = (flat(a), flat(b));
    let slack = tolerance::LIES_FLAT * size;
    let middle = match (flat_a.len, flat_b.len) {
        (2, 2) => crossing(flat_a.corners(), flat_b.corners()),
        (2, _) => flat_a.clipped(&flat_b, slack).middle(),
        _ => flat_b.clipped(&flat_a, slack).middle(),
    }?;
    Some(origin + x * middle.x + y * middle.y)
}

/// The point two lines share, or the middle of it if they lie along each other.
fn crossing(a: &[DVec2], b: &[DVec2]) -> Option<DVec2> {
    let (along_a, along_b) = (a[1] - a[0], b[1] - b[0]);
    let sine = along_a.perp_dot(along_b);
    if sine.abs() > tolerance::LIES_FLAT * along_a.length() * along_b.length() {
        let t = (b[0] - a[0]).perp_dot(along_b) / sine;
        return Some(a[0] + along_a * t.clamp(0.0, 1.0));
    }
    let place = |p: DVec2| (p - a[0]).dot(along_a) / along_a.length_squared();
    let (p, q) = (place(b[0]), place(b[1]));
    let (low, high) = (p.min(q).max(0.0), p.max(q).min(1.0));
    (low <= high + tolerance::LIES_FLAT).then(|| a[0] + along_a * (0.5 * (low + high)))
}
