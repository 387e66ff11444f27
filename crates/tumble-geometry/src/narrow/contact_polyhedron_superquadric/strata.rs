//! The least f of all directions, where bodies overlap and no short proof holds: all strata, cut up until nothing is left.
//!
//! The directions in which a vertex v is farthest are cut into triangles, one for each of its edges: the two normals of the edge's faces
//! and the mean of all at the vertex. On a triangle f(n) = n . p(n) with p(n) = v - c + s(n), a point of the difference body M; and every point p of M
//! bounds f from below, f(x) >= p . x. For x = sum l_i d_i of the corners d_i, l_i >= 0, sum l_i = 1, is |x| <= 1, so that
//!
//!   f(x / |x|) >= f(x) >= min_i p . d_i    wherever that is above zero,
//!
//! for any p between the three points of the corners: that for which the three products are equal, if there is one, else the best of one or
//! of two of them. A triangle whose bound is no less than the best value known holds nothing better. Others are halved across their longest
//! side. The bound is off by the square of a triangle's size where the surface is curved, and by as much across its flat sides, whose points are
//! among the three: so the triangles that stay are those about the minima, some tens for each halving.
//!
//! Triangles are cut until nothing can be less deep by more than [`TIED`] of the depth. What is better is followed to its local minimum, and so is what is left
//! beside the best one that nearly ties with it. What ends by itself is complete: faces, edges and vertices are corners, sides and insides of
//! the triangles.
//!
//! Reference: the bound is that of the expanding polytope (van den Bergen, 2001), on triangles that respect the strata.

use super::walk::{Pair, Stop};
use glam::DVec3;

/// Multiplies the depth. Lower bound of what is left when the search ends. All that is found is a local minimum to rounding.
const TIED: f64 = 1e-3;

/// Cosine of the angle to the best direction within which what nearly ties with it is the same minimum.
const SAME: f64 = 0.999;

/// How many directions that nearly tie are followed.
const MOST_TIES: usize = 16;

/// Triangles looked at before the search is given up.
const MOST_TRIANGLES: usize = 400_000;

/// A spherical triangle of directions of one vertex.
#[derive(Clone, Copy)]
struct Triangle {
    corners: [DVec3; 3],
    /// Points of M farthest along the corners [m].
    points: [DVec3; 3],
}

impl Triangle {
    /// What f is at least.
    fn bound(&self) -> f64 {
        let height = |point: DVec3| self.corners.map(|corner| corner.dot(point));
        let rows = self.points.map(height);
        let least = |row: [f64; 3]| row[0].min(row[1]).min(row[2]);
        let mut best = rows.map(least).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let between = |weights: [f64; 3]| {
            let sum: f64 = weights.iter().sum();
            let row = std::array::from_fn(|i| (0..3).map(|j| weights[j] / sum * rows[j][i]).sum());
            least(row)
        };
        // Two of the points, at heights that two corners see alike.
        for (j, k) in [(0, 1), (1, 2), (2, 0)] {
            for (i, l) in [(0, 1), (1, 2), (2, 0)] {
                let (x, y) = (rows[j][i] - rows[j][l], rows[k][i] - rows[k][l]);
                if x * y < 0.0 {
                    let mut weights = [0.0; 3];
                    (weights[j], weights[k]) = (y.abs(), x.abs());
                    best = best.max(between(weights));
                }
            }
        }
        // All three, at one height for all corners.
        let (u, w) = (self.corners[1] - self.corners[0], self.corners[2] - self.corners[0]);
        let flat = self.points.map(|point| (u.dot(point), w.dot(point)));
        let cross = |j: usize, k: usize| flat[j].0 * flat[k].1 - flat[j].1 * flat[k].0;
        let weights = [cross(1, 2), cross(2, 0), cross(0, 1)];
        if weights.iter().all(|x| *x > 0.0) || weights.iter().all(|x| *x < 0.0) {
            best = best.max(between(weights));
        }
        best
    }

    /// The corner where f is least, and its value.
    fn lowest(&self) -> (DVec3, f64) {
        let value = |k: usize| (self.corners[k], self.corners[k].dot(self.points[k]));
        (1..3).map(value).fold(value(0), |best, next| if next.1 < best.1 { next } else { best })
    }

    /// The number of the longest side's first corner.
    fn longest(&self) -> usize {
        let side = |k: usize| self.corners[k].distance_squared(self.corners[(k + 1) % 3]);
        (0..3).fold(0, |best, k| if side(k) > side(best) { k } else { best })
    }
}

/// Where f is least of all directions, from a local minimum at which the bodies overlap; or the best that was found and how far the depth may
/// be off. `settle` goes from a direction to a local minimum near it.
pub(super) fn least_of_all(
    pair: &Pair,
    start: Stop,
    settle: impl Fn(DVec3) -> Option<Stop>,
) -> Result<Stop, (Stop, f64)> {
    let (polyhedron, round) = (pair.polyhedron, pair.round);
    let web = polyhedron.web();
    let mut best = start;
    let improve = |n: DVec3, best: &mut Stop| {
        if let Some(stop) = settle(n).filter(|stop| stop.gap > best.gap) {
            *best = stop;
        }
    };
    let of_faces: Vec<DVec3> = polyhedron.faces().iter().map(|face| round.farthest(face.normal)).collect();
    let mut stack: Vec<Triangle> = Vec::new();
    let (mut n_looked_at, mut n_ties) = (0, 0);
    for (base, vertex) in polyhedron.vertices().iter().map(|v| *v - round.centre).zip(0..) {
        let normal = |face: u32| polyhedron.faces()[face as usize].normal;
        let spokes = web.spokes(vertex);
        let sum: DVec3 = spokes.iter().flat_map(|spoke| web.ribs[spoke.edge as usize].faces).map(normal).sum();
        let middle = sum.normalize_or(DVec3::X);
        let of_middle = base + round.farthest(middle);
        stack.extend(spokes.iter().map(|spoke| {
            let [left, right] = web.ribs[spoke.edge as usize].faces;
            let points = [of_middle, base + of_faces[left as usize], base + of_faces[right as usize]];
            Triangle { corners: [middle, normal(left), normal(right)], points }
        }));
        while let Some(triangle) = stack.pop() {
            n_looked_at += 1;
            let (corner, value) = triangle.lowest();
            if value < -best.gap * (1.0 - 1e-9) {
                improve(corner, &mut best);
            }
            let depth = -best.gap;
            let bound = triangle.bound();
            if bound >= depth * (1.0 - TIED) {
                if value < depth * (1.0 + TIED) && corner.dot(best.normal) < SAME && n_ties < MOST_TIES {
                    n_ties += 1;
                    improve(corner, &mut best);
                }
                continue;
            }
            if n_looked_at > MOST_TRIANGLES {
                let lowest = stack.iter().map(Triangle::bound).fold(bound, f64::min);
                return Err((best, depth - lowest));
            }
            let first = triangle.longest();
            let second = (first + 1) % 3;
            let corner = (triangle.corners[first] + triangle.corners[second]).normalize_or(triangle.corners[first]);
            let point = base + round.farthest(corner);
            stack.extend([first, second].map(|replaced| {
                let mut half = triangle;
                (half.corners[replaced], half.points[replaced]) = (corner, point);
                half
            }));
        }
    }
    Ok(best)
}
