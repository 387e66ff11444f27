//! From the integrals to the answer: vector area and first moment that turn neither cylinder about its own axis.
//!
//! What the two patches give along x differs by the error of the integral, D = (S_x, M_y, M_z) of a plus that of b. The
//! mean of both, K, is corrected by the least C with which both axes are free of torque,
//!
//! v_1 . (K + C) = int x n_y dA,                                   v_1 = (0, 1, 0)
//! v_2 . (K + C) = cos int (x - d) n_y dA - sin int (x - d) n_z dA,   v_2 = (sin z_b - cos y_b, cos, -sin),
//!
//! in (S_x, M_y, M_z), the centre of b at (d, y_b, z_b). For axes that are parallel and in one plane across x, v_1 = v_2 and
//! the region is its own mirror image, so that both hold by themselves.

use super::slice::Sums;
use super::{OverlapRegion, Pair};
use glam::DVec3;

/// Length of v_1 - v_2 below which the two conditions count as one. Their difference is then rounding.
const SAME: f64 = 1e-8;

/// The region, and the relative leak of its surface.
pub(super) fn region(pair: &Pair, sums: &Sums) -> (OverlapRegion, f64) {
    let [s_y, s_z] = sums.across;
    let [lever_y, lever_z] = sums.lever;
    let [a, b] = sums.along;
    let [s_x, m_y, m_z] = [0, 1, 2].map(|k| 0.5 * (a[k] - b[k]));
    let centroid = DVec3::from_array(sums.moment) / sums.volume;

    // Lengths in units of the size, so that the three unknowns are alike.
    let size = pair.size();
    let (c, s, d) = (pair.cosine, pair.sine, pair.centre.x);
    let first = DVec3::Y;
    let second = DVec3::new((s * pair.centre.z - c * pair.centre.y) / size, c, -s);
    let known = DVec3::new(s_x * size, m_y, m_z);
    let missing_first = lever_y - first.dot(known);
    let missing_second = c * (lever_y - d * s_y) - s * (lever_z - d * s_z) - second.dot(known);
    let (sum, difference) = (0.5 * (first + second), 0.5 * (first - second));
    let along_sum = 0.5 * (missing_first + missing_second) / sum.length_squared();
    let across = difference - sum * (difference.dot(sum) / sum.length_squared());
    let left = 0.5 * (missing_first - missing_second) - along_sum * difference.dot(sum);
    let correction = along_sum * sum + across * (left / (across.length_squared() + SAME * SAME));
    let DVec3 { x: s_x, y: m_y, z: m_z } = known + correction;
    let s_x = s_x / size;

    let leak = DVec3::from_array([0, 1, 2].map(|k| a[k] + b[k]));
    let moment_leak = (leak.y - leak.x * centroid.y).hypot(leak.z - leak.x * centroid.z);
    let leak = leak.x.abs().max(moment_leak / size) / sums.surface_area;
    let region = OverlapRegion {
        volume: sums.volume,
        centroid,
        surface_area: sums.surface_area,
        vector_area: DVec3::new(s_x, s_y, s_z),
        first_moment: DVec3::new(sums.twist, m_z - lever_z, lever_y - m_y),
    };
    (region, leak)
}
