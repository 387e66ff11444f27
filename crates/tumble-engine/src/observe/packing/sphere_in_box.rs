//! Volume of a sphere inside an axis-aligned box, in closed form.
//!
//! The box is an alternating sum of corners {x >= a, y >= b, z >= c}, one for each choice of a lower or upper face on
//! each axis. For the unit ball and a, b, c >= 0 the divergence theorem gives
//!
//! V = (S - a A_x - b A_y - c A_z) / 3,
//!
//! with A_x the flat area on the plane x = a and S the area of the spherical part. The latter follows from
//! Gauss-Bonnet: the sphere's curvature, the turning along the small circles and the turning at their corners make 2 pi,
//!
//! S = 2 pi - sum of psi - a phi_x - b phi_y - c phi_z,   cos psi_xy = -a b / sqrt((1 - a^2) (1 - b^2)),
//!
//! where phi_x is the angle that the arc on the circle x = a spans about its own centre. A plane behind the centre is
//! mirrored: {x >= a} is everything without the mirror image of {x >= -a}. The same quantity is worked out along
//! another way by Freireich, Kodam & Wassgren (2010), AIChE J. 56:3036.
//!
//! Valid for every position and size. The error is a few 1e-16 of the sphere's volume, so the answer loses relative
//! accuracy when the box is far smaller than the sphere and its surface runs through it.

use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Volume of the part of a sphere that lies in a box [m^3].
pub(super) fn sphere_in_box(centre: DVec3, radius: f64, lower: DVec3, upper: DVec3) -> f64 {
    let (low, high) = ((lower - centre) / radius, (upper - centre) / radius);
    if (low.cmpge(DVec3::ONE) | high.cmple(DVec3::NEG_ONE) | high.cmple(low)).any() {
        return 0.0;
    }
    // All corners inside: the farthest one decides.
    if low.abs().max(high.abs()).length_squared() <= 1.0 {
        let edges = upper - lower;
        return edges.x * edges.y * edges.z;
    }
    let [x, y, z] = [0, 1, 2].map(|axis| planes(low[axis], high[axis]));
    let mut volume = 0.0;
    for &(sign_x, a) in x.iter().flatten() {
        for &(sign_y, b) in y.iter().flatten() {
            for &(sign_z, c) in z.iter().flatten() {
                volume += sign_x * sign_y * sign_z * corner(a, b, c);
            }
        }
    }
    volume.max(0.0) * radius.powi(3)
}

/// One axis of the alternating sum: signs and planes; no plane where the whole ball lies beyond it.
fn planes(low: f64, high: f64) -> [Option<(f64, Option<f64>)>; 2] {
    [Some((1.0, (low > -1.0).then_some(low))), (high < 1.0).then_some((-1.0, Some(high)))]
}

/// Volume of the unit ball beyond up to three planes at right angles.
fn corner(a: Option<f64>, b: Option<f64>, c: Option<f64>) -> f64 {
    match (a, b, c) {
        (None, None, None) => 4.0 / 3.0 * PI,
        (Some(a), None, None) | (None, Some(a), None) | (None, None, Some(a)) => beyond_one(a),
        (Some(a), Some(b), None) | (Some(a), None, Some(b)) | (None, Some(a), Some(b)) => beyond_two(a, b),
        (Some(a), Some(b), Some(c)) => beyond_three(a, b, c),
    }
}

/// Volume with x >= a.
fn beyond_one(a: f64) -> f64 {
    PI / 3.0 * (1.0 - a) * (1.0 - a) * (2.0 + a)
}

/// Volume with x >= a, y >= b.
fn beyond_two(a: f64, b: f64) -> f64 {
    if a < 0.0 {
        return beyond_one(b) - beyond_two(-a, b);
    }
    if b < 0.0 {
        return beyond_one(a) - beyond_two(a, -b);
    }
    let edge = 1.0 - a * a - b * b;
    if edge <= 0.0 {
        return 0.0;
    }
    // Half the length of the edge x = a, y = b. Used wherever it occurs, so that its rounding cancels; atan2 instead
    // of acos keeps the small angles of a nearly vanishing part.
    let w = edge.sqrt();
    let (phi_x, phi_y) = (2.0 * w.atan2(b), 2.0 * w.atan2(a));
    let psi = w.atan2(-a * b);
    let area_x = 0.5 * (1.0 - a * a) * phi_x - b * w;
    let area_y = 0.5 * (1.0 - b * b) * phi_y - a * w;
    let spherical = TAU - 2.0 * psi - a * phi_x - b * phi_y;
    (spherical - a * area_x - b * area_y) / 3.0
}

/// Volume with x >= a, y >= b, z >= c.
fn beyond_three(a: f64, b: f64, c: f64) -> f64 {
    if a < 0.0 {
        return beyond_two(b, c) - beyond_three(-a, b, c);
    }
    if b < 0.0 {
        return beyond_two(a, c) - beyond_three(a, -b, c);
    }
    if c < 0.0 {
        return beyond_two(a, b) - beyond_three(a, b, -c);
    }
    if a * a + b * b + c * c >= 1.0 {
        return 0.0;
    }
    // Where the three edges meet the sphere.
    let x = (1.0 - b * b - c * c).sqrt();
    let y = (1.0 - a * a - c * c).sqrt();
    let z = (1.0 - a * a - b * b).sqrt();
    let phi_x = z.atan2(b) - c.atan2(y);
    let phi_y = x.atan2(c) - a.atan2(z);
    let phi_z = y.atan2(a) - b.atan2(x);
    let area_x = 0.5 * ((1.0 - a * a) * phi_x - b * (z - c) - c * (y - b));
    let area_y = 0.5 * ((1.0 - b * b) * phi_y - c * (x - a) - a * (z - c));
    let area_z = 0.5 * ((1.0 - c * c) * phi_z - a * (y - b) - b * (x - a));
    let turning = z.atan2(-a * b) + x.atan2(-b * c) + y.atan2(-c * a);
    let spherical = TAU - turning - a * phi_x - b * phi_y - c * phi_z;
    (spherical - a * area_x - b * area_y - c * area_z) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The same by slices: the area of disc and rectangle, integrated by the midpoint rule.
    fn by_slices(centre: DVec3, radius: f64, lower: DVec3, upper: DVec3, n_slices: usize) -> f64 {
        let (z0, z1) = ((lower.z - centre.z).max(-radius), (upper.z - centre.z).min(radius));
        if z1 <= z0 {
            return 0.0;
        }
        let dz = (z1 - z0) / n_slices as f64;
        (0..n_slices)
            .map(|k| {
                let z = z0 + (k as f64 + 0.5) * dz;
                let disc = (radius * radius - z * z).sqrt();
                disc_and_rectangle(disc, lower - centre, upper - centre) * dz
            })
            .sum()
    }

    /// Area by the antiderivative of the chord: integral over x of the clipped height, split where it changes form.
    fn disc_and_rectangle(r: f64, lower: DVec3, upper: DVec3) -> f64 {
        let mut breaks = vec![-r, r, lower.x, upper.x];
        for y in [lower.y, upper.y] {
            if y.abs() < r {
                let x = (r * r - y * y).sqrt();
                breaks.extend([-x, x]);
            }
        }
        let (x0, x1) = (lower.x.max(-r), upper.x.min(r));
        breaks.retain(|&x| x0 <= x && x <= x1);
        breaks.sort_by(f64::total_cmp);
        let chord = |x: f64| 0.5 * (x * (r * r - x * x).max(0.0).sqrt() + r * r * (x / r).clamp(-1.0, 1.0).asin());
        let mut area = 0.0;
        for pair in breaks.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let middle = 0.5 * (a + b);
            let half = (r * r - middle * middle).max(0.0).sqrt();
            if half <= lower.y || -half >= upper.y {
                continue;
            }
            area += if upper.y < half { upper.y * (b - a) } else { chord(b) - chord(a) };
            area -= if lower.y > -half { lower.y * (b - a) } else { -(chord(b) - chord(a)) };
        }
        area
    }

    #[test]
    fn matches_slices_of_disc_and_rectangle() {
        let mut random = Random::from_seed(21);
        for _ in 0..60 {
            let mut point = |size: f64| DVec3::from_array(std::array::from_fn(|_| random.between(-size, size)));
            let (p, q) = (point(1.2), point(1.2));
            let (lower, upper, centre) = (p.min(q), p.max(q), point(0.5));
            let exact = sphere_in_box(centre, 0.8, lower, upper);
            let sliced = by_slices(centre, 0.8, lower, upper, 20_000);
            // The midpoint rule with 20,000 slices is good to about 1e-7 of the sphere where the slice area has the
            // vertical tangents of a square root; this is a check of the formula, the next tests are of its accuracy.
            assert!((exact - sliced).abs() < 1e-7, "{exact} {sliced} {lower} {upper} {centre}");
        }
    }

    #[test]
    fn known_parts_come_out_exactly() {
        let whole = 4.0 / 3.0 * PI;
        let far = DVec3::splat(2.0);
        assert_eq!(sphere_in_box(DVec3::ZERO, 1.0, -far, far), whole);
        assert_eq!(sphere_in_box(DVec3::ZERO, 1.0, far, 2.0 * far), 0.0);
        for (cut, share) in [(DVec3::X, 2.0), (DVec3::new(1.0, 1.0, 0.0), 4.0), (DVec3::ONE, 8.0)] {
            let part = sphere_in_box(DVec3::ZERO, 1.0, -far * (DVec3::ONE - cut), far);
            assert!((part * share / whole - 1.0).abs() < 4e-16, "{part}");
        }
        // A cap of height h = 0.25: pi h^2 (3 - h) / 3.
        let cap = sphere_in_box(DVec3::ZERO, 1.0, DVec3::new(-2.0, -2.0, 0.75), far);
        assert!((cap - PI * 0.0625 * 2.75 / 3.0).abs() < 1e-16);
        // A box inside the sphere, and one that holds a sphere touching all its faces.
        let small = sphere_in_box(DVec3::ZERO, 1.0, DVec3::splat(-0.5), DVec3::splat(0.5));
        assert_eq!(small, 1.0);
        assert_eq!(sphere_in_box(DVec3::ZERO, 1.0, DVec3::NEG_ONE, DVec3::ONE), whole);
    }

    #[test]
    fn tiles_of_a_sphere_add_up_to_it() {
        let mut random = Random::from_seed(22);
        for round in 0..50 {
            // Irregular cuts through the sphere on each axis; every third round a cut goes through the centre.
            let cuts: [Vec<f64>; 3] = std::array::from_fn(|axis| {
                let mut cuts: Vec<f64> = (0..1 + axis).map(|_| random.between(-1.1, 1.1)).collect();
                if round % 3 == 0 {
                    cuts.push(0.0);
                }
                cuts.extend([-2.0, 2.0]);
                cuts.sort_by(f64::total_cmp);
                cuts
            });
            let mut sum = 0.0;
            for x in cuts[0].windows(2) {
                for y in cuts[1].windows(2) {
                    for z in cuts[2].windows(2) {
                        let lower = DVec3::new(x[0], y[0], z[0]);
                        let part = sphere_in_box(DVec3::ZERO, 1.0, lower, DVec3::new(x[1], y[1], z[1]));
                        assert!(part >= 0.0);
                        sum += part;
                    }
                }
            }
            assert!((sum - 4.0 / 3.0 * PI).abs() < 1e-13, "{sum}");
        }
    }

    #[test]
    fn grows_continuously_where_a_corner_enters_the_sphere() {
        // Near the surface the part beyond a corner at depth h is a small pyramid under the tangent plane,
        // h^3 / (6 n_x n_y n_z), with a relative error of order h.
        let n = DVec3::new(0.48, 0.6, 0.64);
        for h in [1e-2, 1e-3, 1e-4] {
            let apex = n * (1.0 - h);
            let part = sphere_in_box(DVec3::ZERO, 1.0, apex, DVec3::splat(2.0));
            let pyramid = h.powi(3) / (6.0 * n.x * n.y * n.z);
            assert!((part - pyramid).abs() < 5.0 * h * pyramid + 1e-15, "{h} {part} {pyramid}");
        }
        assert_eq!(sphere_in_box(DVec3::ZERO, 1.0, n * (1.0 + 1e-12), DVec3::splat(2.0)), 0.0);
    }

    #[test]
    fn scales_with_the_cube_of_the_length_and_ignores_where_it_is() {
        let (lower, upper) = (DVec3::new(-0.3, -0.9, 0.2), DVec3::new(0.7, 0.4, 3.0));
        let unit = sphere_in_box(DVec3::ZERO, 1.0, lower, upper);
        for scale in [1e-6, 1e-3, 1e3] {
            let shift = DVec3::new(1.0, -2.0, 0.5) * scale;
            let part = sphere_in_box(shift, scale, lower * scale + shift, upper * scale + shift);
            assert!((part / scale.powi(3) - unit).abs() < 1e-14 * unit);
        }
    }
}
