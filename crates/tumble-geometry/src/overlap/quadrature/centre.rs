//! A point well inside the region, and the linear map after which the region is round.
//!
//! Two steps. First any point inside: the middle of the witness points of the contact if it serves, else the ellipsoid
//! method (Shor 1977, Yudin and Nemirovski 1976): the region lies in an ellipsoid, a constraint that the centre violates
//! cuts it in half, and the smallest ellipsoid about the half goes on. The volume falls by a factor of at least
//! e^(1/8) a step, whatever the shape of the region. Then rays in 26 directions give the centroid and the second moments;
//! the centroid is the new origin and the root of the moments the new map, until the moments are nearly those of a ball.
//! After that the region, being convex, lies between balls of radius sqrt(5/3)/sqrt(5) and sqrt(15)/sqrt(5) or so
//! (Kannan, Lovasz and Simonovits 1995), however thin it was.

use super::pieces::{Pieces, Plane};
use glam::{DMat3, DVec3};

/// A region's own frame: points are `origin + map * x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub origin: DVec3,
    /// Its third column is the polar axis.
    pub map: DMat3,
}

/// A slab that holds the region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub middle: DVec3,
    pub normal: DVec3,
    pub thickness: f64,
    /// How far from the middle the region can reach across the normal.
    pub reach: f64,
}

const N_ELLIPSOIDS: usize = 400;

/// A point inside all constraints; `None` when there is none that rounding would not hide.
pub(super) fn point_inside(pieces: &Pieces, slab: &Slab) -> Option<DVec3> {
    let start = slab.middle;
    let (depth, _) = pieces.depth(start);
    if depth < -0.1 * slab.thickness {
        return Some(start);
    }
    let mut best = (depth, start);
    // Semi-axes sqrt(2) of the slab's half extents: a cylinder's smallest ellipsoid is within that.
    let across = 2.0 * slab.reach * slab.reach;
    let along = 0.5 * slab.thickness * slab.thickness;
    let mut shape = DMat3::IDENTITY * across + super::curved::outer(slab.normal, slab.normal) * (along - across);
    let mut centre = start;
    let mut left = N_ELLIPSOIDS;
    while left > 0 {
        left -= 1;
        let (value, gradient) = pieces.depth(centre);
        if value < best.0 {
            best = (value, centre);
            if value < 0.0 {
                // Inside: a few steps more, towards the middle.
                left = left.min(12);
            }
        }
        let push = shape * gradient;
        let width = gradient.dot(push);
        if width.is_nan() || width <= 0.0 {
            break;
        }
        let step = push / width.sqrt();
        centre -= step / 4.0;
        // n^2 / (n^2 - 1) and 2 / (n + 1) for n = 3.
        shape = (shape - super::curved::outer(step, step) * 0.5) * (9.0 / 8.0);
    }
    (best.0 < 0.0).then_some(best.1)
}

/// Directions of a cube's faces, edges and corners, one of each opposite pair, with Lebedev's weights (degree 7).
const DIRECTIONS: [([f64; 3], f64); 13] = {
    const E: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const C: f64 = 0.577_350_269_189_625_8;
    const A1: f64 = 1.0 / 21.0;
    const A2: f64 = 4.0 / 105.0;
    const A3: f64 = 9.0 / 280.0;
    [
        ([0.0, 0.0, 1.0], A1),
        ([1.0, 0.0, 0.0], A1),
        ([0.0, 1.0, 0.0], A1),
        ([0.0, E, E], A2),
        ([0.0, E, -E], A2),
        ([E, 0.0, E], A2),
        ([E, 0.0, -E], A2),
        ([E, E, 0.0], A2),
        ([E, -E, 0.0], A2),
        ([C, C, C], A3),
        ([C, C, -C], A3),
        ([C, -C, C], A3),
        ([C, -C, -C], A3),
    ]
};

/// The frame in which the region is round, from a point inside. `place` sets the constraints about an origin.
pub(super) fn round_frame(
    pieces: &mut Pieces,
    place: impl Fn(&mut Pieces, DVec3),
    inside: DVec3,
    normal: DVec3,
) -> Option<Frame> {
    let mut origin = inside;
    place(pieces, origin);
    let (u, v) = normal.any_orthonormal_pair();
    let widths = [u, v, normal].map(|axis| {
        let (forth, back) = (pieces.exit(axis, 1e-3).0, pieces.exit(-axis, 1e-3).0);
        0.5 * (forth + back)
    });
    let mut map = DMat3::from_cols(u * widths[0], v * widths[1], normal * widths[2]);
    let mut best_axis = DVec3::Z;
    for _ in 0..12 {
        let (mut volume, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let mut best_margin = -1.0;
        for (direction, weight) in DIRECTIONS {
            let direction = DVec3::from_array(direction);
            let mut margin = f64::INFINITY;
            for d in [direction, -direction] {
                let (t, room) = pieces.exit(map * d, 1e-3);
                if !(t.is_finite() && t > 0.0) {
                    return None;
                }
                margin = margin.min(room);
                let cube = weight * t * t * t;
                volume += cube / 3.0;
                moment += d * (cube * t / 4.0);
                second += super::curved::outer(d, d) * (cube * t * t / 5.0);
            }
            // The polar axis of the frame so far stays unless another is clearly better.
            let margin = margin.min(1.0) * if direction.z == 1.0 { 1.5 } else { 1.0 };
            if margin > best_margin {
                (best_margin, best_axis) = (margin, direction);
            }
        }
        let centroid = moment / volume;
        let covariance = second * (1.0 / volume) - super::curved::outer(centroid, centroid);
        let (values, vectors) = symmetric_eigen(covariance);
        // Few rays see a long region badly; no step may do more than this.
        let radii = values.map(|value| (5.0 * value).clamp(0.04, 25.0).sqrt());
        let is_round = radii.iter().all(|r| (0.6..1.6).contains(r)) && centroid.length() < 0.25;
        if is_round {
            break;
        }
        // A centroid from few rays of a long region may lie outside; half of the way to it is safer and enough.
        let mut step = centroid;
        for _ in 0..8 {
            if pieces.depth(map * step).0 < 0.0 {
                break;
            }
            step *= 0.5;
        }
        let moved = origin + map * step;
        if pieces.depth(map * step).0 < 0.0 {
            origin = moved;
        }
        // Keeps the frame's axes where they are; only the lengths and shears of the map change.
        let stretch = vectors * DMat3::from_diagonal(DVec3::from_array(radii)) * vectors.transpose();
        map *= stretch;
        place(pieces, origin);
    }
    let (x, y) = best_axis.any_orthonormal_pair();
    Some(Frame { origin, map: map * DMat3::from_cols(x, y, best_axis) })
}

/// Leaves out the planes that cannot reach the region. In its round frame a convex region ends within sqrt(15/5) of its
/// centroid; the few rays give centroid and lengths to some tens of per cent, hence the factor.
pub(super) fn drop_far_planes(planes: &mut Vec<Plane>, map: &DMat3) {
    const REACH: f64 = 5.0;
    let transposed = map.transpose();
    planes.retain(|plane| plane.is_kept || plane.depth < REACH * (transposed * plane.normal).length());
}

/// Eigenvalues and eigenvectors of a symmetric matrix (Jacobi's rotations).
fn symmetric_eigen(matrix: DMat3) -> ([f64; 3], DMat3) {
    let mut m = matrix.to_cols_array_2d();
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..6 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off: f64 = m[p][q];
            if off == 0.0 {
                continue;
            }
            let half = 0.5 * (m[q][q] - m[p][p]) / off;
            let t = half.signum() / (half.abs() + (half * half + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut m {
                let (a, b) = (row[p], row[q]);
                row[p] = c * a - s * b;
                row[q] = s * a + c * b;
            }
            let (a, b) = (DVec3::from_array(m[p]), DVec3::from_array(m[q]));
            m[p] = (c * a - s * b).to_array();
            m[q] = (s * a + c * b).to_array();
            for row in &mut v {
                let (a, b) = (row[p], row[q]);
                row[p] = c * a - s * b;
                row[q] = s * a + c * b;
            }
        }
    }
    let column = |k: usize| DVec3::new(v[0][k], v[1][k], v[2][k]);
    ([m[0][0], m[1][1], m[2][2]], DMat3::from_cols(column(0), column(1), column(2)))
}
