//! The depth of two cores that overlap: the expanding polytope algorithm (van den Bergen, 2001) with pruning.
//!
//! P is a polytope with corners in M. The least distance L of its face planes from the origin is a lower bound of the
//! depth min h; h at any direction is an upper bound U. The face that gives L is expanded by the support point along its
//! normal until L meets U. For polyhedra that happens after finitely many steps, exactly. Distances are signed, so the
//! first tetrahedron need not hold the origin.
//!
//! For curved bodies L creeps towards U. Three things shorten that:
//! - the second-order search of [`super::polish`] gives U to rounding from a coarse start;
//! - on the plane n . n* = 1 the function h is convex, so that at a stationary direction n* every direction within an
//!   angle r has h >= U cos r: faces whose normals lie in that cap need no expansion. r is chosen so that the loss
//!   U r^2 / 2 stays below the tolerance;
//! - a ring of support points at the rim of the cap puts the faces next to it beyond U at once.
//!
//! Where a continuum of directions is equally deep (a ball in the middle of a cylinder) the bounds cannot close by any
//! number of steps. When they are within [`tolerance::TIED_DEPTH`] of the depth and the best direction is stationary, the
//! second-order search is begun from every face that is still open (up to 64), and the best minimum is the answer: its
//! own value is exact, but that it is the least of all is then proven to that fraction of the depth only. Bounds that stay
//! wider are reported.

use super::body::{Apex, Pair, Vertex};
use super::hull::Hull;
use super::polish::{Minimum, polish};
use super::simplex::Simplex;
use crate::tolerance;
use glam::DVec3;

const MAX_ITERATIONS: usize = 400;
/// After so many steps the bounds are taken to be unable to close.
const PATIENCE: usize = 120;
const MAX_CAPS: usize = 16;
const RING: usize = 6;
/// Multiplies the size: a corner nearer to the span of the others is better replaced.
const NEARLY_FLAT: f64 = 1e-6;
/// How many faces are searched from when the bounds cannot close.
const MAX_LEFT: usize = 64;

/// The global minimum of h, or the best found and how far its value may be off.
pub(super) fn depth(
    pair: &Pair,
    simplex: &Simplex,
    start: DVec3,
    seed: Option<Minimum>,
) -> Result<Minimum, (Minimum, f64)> {
    let exact = tolerance::EXACT * pair.size;
    if !pair.is_curved
        && let Some(minimum) = at_first_face(pair, simplex)
    {
        return Ok(minimum);
    }
    let mut hull = match first_tetrahedron(pair, simplex) {
        Ok(corners) => Hull::new(corners, pair.size, pair.is_curved),
        Err(flat) => return Ok(flat),
    };
    let mut search = Caps { list: [(DVec3::ZERO, 2.0); MAX_CAPS], len: 0 };
    let mut best = Minimum { normal: start, value: f64::INFINITY, a: DVec3::ZERO, b: DVec3::ZERO, closed: false };
    if pair.is_curved {
        let minimum = match seed {
            Some(minimum) if minimum.closed => minimum,
            _ => polish(pair, start, simplex.vertices(), f64::INFINITY),
        };
        best = minimum;
        search.cover(pair, &mut hull, &minimum, best.value);
    }
    let certified = if pair.is_curved { tolerance::CERTIFIED * pair.size } else { exact };
    let mut floor = f64::INFINITY;
    for iteration in 0..MAX_ITERATIONS {
        let Some((face, lower)) = hull.nearest() else { break };
        if lower >= best.value - certified {
            break;
        }
        if iteration > PATIENCE && best.closed && best.value - lower <= tolerance::TIED_DEPTH * best.value {
            break;
        }
        let n = hull.normal(face);
        if search.holds(n) {
            hull.dismiss(face);
            continue;
        }
        let found = pair.support(n);
        let value = found.w.dot(n);
        let corners = hull.corners(face);
        // Rounding must not put a sample in the place of a proven minimum.
        let is_lower = value < best.value - exact;
        let is_face = value - lower <= exact;
        if is_lower || (is_face && value < best.value) {
            let (a, b) = if is_face { weighted(&corners, n) } else { (found.a, found.b) };
            best = Minimum { normal: n, value, a, b, closed: is_face };
        }
        if is_face {
            hull.dismiss(face);
            continue;
        }
        // A direction that is less deep than any before, or a well resolved one far from what is known, has a minimum of
        // its own near it.
        let is_new = is_lower || (value - lower <= 0.1 * best.value && search.is_far(n));
        if pair.is_curved && is_new && search.len < MAX_CAPS {
            let minimum = polish(pair, n, &[found, corners[0], corners[1], corners[2]], f64::INFINITY);
            if minimum.value < best.value {
                best = minimum;
            }
            if minimum.closed && !search.holds(minimum.normal) {
                search.cover(pair, &mut hull, &minimum, best.value);
                if !hull.is_alive(face) {
                    continue;
                }
                if search.holds(n) {
                    hull.dismiss(face);
                    continue;
                }
            }
        }
        if !hull.insert(face, found) {
            // The point is a corner already, or rounding spoils the hull: the plane of a sliver is not to be trusted.
            let minimum = polish(pair, n, &[found, corners[0], corners[1], corners[2]], f64::INFINITY);
            if minimum.value < best.value {
                best = minimum;
            }
            if !minimum.closed {
                floor = floor.min(lower);
            }
            hull.dismiss(face);
        }
    }
    // Directions that tie: what the bounds leave open is searched from every face that is left.
    let mut n_left = 0;
    while n_left < MAX_LEFT && pair.is_curved {
        let Some((face, lower)) = hull.nearest() else { break };
        if lower >= best.value - certified || best.value - lower > tolerance::TIED_DEPTH * best.value {
            break;
        }
        floor = floor.min(lower);
        let minimum = polish(pair, hull.normal(face), &hull.corners(face), f64::INFINITY);
        if minimum.value < best.value - exact || (minimum.closed && minimum.value < best.value) {
            best = minimum;
        }
        hull.dismiss(face);
        n_left += 1;
    }
    // Two smooth cores have points with opposite normals there, found as well as rounding lets.
    if !best.closed
        && let Some(Apex { normal, value, a, b }) = pair.settled(best.normal)
        && value <= best.value + exact
    {
        best = Minimum { normal, value, a, b, closed: true };
    }
    if !best.closed {
        // The value is known from a sample, its witness points from the polytope under it.
        if let Some(corners) = hull.pierced(best.normal) {
            (best.a, best.b) = weighted(&corners, best.normal);
        }
    }
    let lower = hull.nearest().map_or(f64::INFINITY, |(_, lower)| lower).min(floor);
    let bound = best.value - lower;
    let tied = if best.closed { tolerance::TIED_DEPTH * best.value } else { 0.0 };
    let accepted = tied.max(tolerance::CERTIFIED * pair.size);
    if bound <= accepted { Ok(best) } else { Err((best, bound)) }
}

/// Regions of directions that are known to hold nothing less deep.
struct Caps {
    list: [(DVec3, f64); MAX_CAPS],
    len: usize,
}

impl Caps {
    fn holds(&self, n: DVec3) -> bool {
        self.list[..self.len].iter().any(|(centre, cosine)| n.dot(*centre) >= *cosine)
    }

    /// Whether a direction is far from every stationary one, as far as different minima usually are.
    fn is_far(&self, n: DVec3) -> bool {
        const FAR: f64 = 0.95;
        self.list[..self.len].iter().all(|(centre, _)| n.dot(*centre) < FAR)
    }

    /// Adds the cap of a stationary direction and puts the support points of its middle and rim into the hull.
    fn cover(&mut self, pair: &Pair, hull: &mut Hull, minimum: &Minimum, depth: f64) {
        hull.insert_anywhere(pair.support(minimum.normal));
        if !minimum.closed || self.len >= MAX_CAPS || minimum.value <= 0.0 {
            return;
        }
        let loss = tolerance::CERTIFIED * pair.size + (minimum.value - depth).max(0.0);
        let angle = (2.0 * loss / minimum.value).sqrt().clamp(1e-5, 0.3);
        let (sine, cosine) = angle.sin_cos();
        self.list[self.len] = (minimum.normal, cosine);
        self.len += 1;
        let (e1, e2) = minimum.normal.any_orthonormal_pair();
        for k in 0..RING {
            let (s, c) = (k as f64 * std::f64::consts::TAU / RING as f64).sin_cos();
            let n = minimum.normal * cosine + (e1 * c + e2 * s) * sine;
            hull.insert_anywhere(pair.support(n));
        }
    }
}

/// The answer, if the face of the simplex nearest to the origin is part of the surface of M already: mostly so for polyhedra
/// that overlap a little, which then need no polytope. `None` where it is not, and for a simplex that is nearly flat.
fn at_first_face(pair: &Pair, simplex: &Simplex) -> Option<Minimum> {
    let flat = NEARLY_FLAT * pair.size;
    let [a, b, c, d] = simplex.vertices;
    if simplex.len < 4 {
        return None;
    }
    let middle = 0.25 * (a.w + b.w + c.w + d.w);
    let mut nearest: Option<(f64, DVec3, [Vertex; 3])> = None;
    for [p, q, r] in [[&a, &b, &c], [&a, &b, &d], [&a, &c, &d], [&b, &c, &d]] {
        let cross = (q.w - p.w).cross(r.w - p.w);
        let length = cross.length();
        if length <= flat * pair.size {
            return None;
        }
        let normal = cross * (1.0 / length);
        let height = normal.dot(p.w);
        let above = height - normal.dot(middle);
        if above.abs() <= flat {
            return None;
        }
        let offset = if above > 0.0 { height } else { -height };
        if nearest.as_ref().is_none_or(|n| offset < n.0) {
            let (normal, corners) = if above > 0.0 { (normal, [*p, *q, *r]) } else { (-normal, [*p, *r, *q]) };
            nearest = Some((offset, normal, corners));
        }
    }
    let (offset, normal, corners) = nearest?;
    let value = pair.support(normal).w.dot(normal);
    (value - offset <= tolerance::EXACT * pair.size).then(|| {
        let (a, b) = weighted(&corners, normal);
        Minimum { normal, value, a, b, closed: true }
    })
}

/// The points of both bodies over the foot of the origin on a face.
fn weighted(corners: &[Vertex; 3], n: DVec3) -> (DVec3, DVec3) {
    let foot = n * n.dot(corners[0].w);
    let [p, q, r] = corners.map(|c| c.w - foot);
    let areas = [n.dot(q.cross(r)), n.dot(r.cross(p)), n.dot(p.cross(q))].map(|x: f64| x.max(0.0));
    let sum: f64 = areas.iter().sum();
    if sum <= 0.0 {
        return (corners[0].a, corners[0].b);
    }
    let blend = |pick: fn(&Vertex) -> DVec3| {
        (pick(&corners[0]) * areas[0] + pick(&corners[1]) * areas[1] + pick(&corners[2]) * areas[2]) / sum
    };
    (blend(|c| c.a), blend(|c| c.b))
}

/// Four points of M that span a volume, or the answer if M is flat or the origin is on its surface.
fn first_tetrahedron(pair: &Pair, simplex: &Simplex) -> Result<[Vertex; 4], Minimum> {
    let flat = tolerance::POLYTOPE_FLAT * pair.size;
    let (a, b) = simplex.witnesses();
    let mut corners = [simplex.vertices[0]; 4];
    let mut len = 1;
    let distance_to_span = |corners: &[Vertex; 4], len: usize, w: DVec3| {
        let d = w - corners[0].w;
        match len {
            1 => d.length(),
            2 => d.reject_from((corners[1].w - corners[0].w).normalize()).length(),
            _ => {
                let normal = (corners[1].w - corners[0].w).cross(corners[2].w - corners[0].w);
                d.dot(normal.normalize_or_zero()).abs()
            }
        }
    };
    for vertex in &simplex.vertices()[1..] {
        if distance_to_span(&corners, len, vertex.w) > NEARLY_FLAT * pair.size {
            corners[len] = *vertex;
            len += 1;
        }
    }
    while len < 4 {
        let (x, y) = match len {
            1 => (DVec3::X, DVec3::Y),
            2 => (corners[1].w - corners[0].w).normalize().any_orthonormal_pair(),
            _ => {
                let normal = (corners[1].w - corners[0].w).cross(corners[2].w - corners[0].w).normalize();
                (normal, normal)
            }
        };
        let z = if len == 1 { DVec3::Z } else { x };
        let mut widest: Option<(f64, Vertex)> = None;
        let mut lowest: Option<(f64, DVec3)> = None;
        for n in [x, -x, y, -y, z, -z] {
            let found = pair.support(n);
            let height = found.w.dot(n);
            let away = distance_to_span(&corners, len, found.w);
            if widest.as_ref().is_none_or(|w| away > w.0) {
                widest = Some((away, found));
            }
            if lowest.as_ref().is_none_or(|l| height < l.0) {
                lowest = Some((height, n));
            }
        }
        match (widest, lowest) {
            (Some((away, vertex)), _) if away > flat => {
                corners[len] = vertex;
                len += 1;
            }
            (_, Some((value, normal))) => return Err(Minimum { normal, value, a, b, closed: true }),
            _ => return Ok(corners),
        }
    }
    Ok(corners)
}
