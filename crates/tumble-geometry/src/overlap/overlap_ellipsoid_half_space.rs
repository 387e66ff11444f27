//! An ellipsoid and the half-space z <= 0: the linear map that makes the ellipsoid a ball of radius 1 leaves the
//! half-space one, so volume, centroid and section are those of a spherical cap.
//!
//! With x = p + M u, the plane is m . u = -p.z, m = M^T z, and the cap's height is t = 1 - p.z / |m|. Areas in planes
//! across z grow by det M / |m|. Good to a few 1e-16 over t. The area of the curved part has no closed form: it is the
//! integral of det M |M^-T u| over the unit cap, by Gauss's rule in height and the trapezoidal rule around.

use super::quadrature::GAUSS_7;
use super::{OverlapRegion, SphericalCap};
use crate::Pose;
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};

/// The part of an ellipsoid at z <= 0; `None` when there is none. Nearly all that it costs is the surface area.
pub(super) fn overlap_ellipsoid_half_space(
    semi_axes: DVec3,
    pose: &Pose,
    with_surface_area: bool,
) -> Option<OverlapRegion> {
    let turn = DMat3::from_quat(pose.orientation);
    // The half-space's normal in the ball's frame.
    let rise = semi_axes * (turn.transpose() * DVec3::Z);
    let reach = rise.length();
    let height = (reach - pose.position.z) / reach;
    if height.is_nan() || height <= 0.0 {
        return None;
    }
    let height = height.min(2.0);
    let cap = SphericalCap { radius: 1.0, height };
    let down = -rise / reach;
    let growth = semi_axes.element_product();
    let place = |distance: f64| pose.position + turn * (semi_axes * (down * distance));
    let base = if height < 2.0 { cap.base_area() * growth / reach } else { 0.0 };
    let vector_area = DVec3::NEG_Z * base;
    Some(OverlapRegion {
        volume: if height < 2.0 { cap.volume() * growth } else { 4.0 / 3.0 * PI * growth },
        centroid: if height < 2.0 { place(1.0 - height + cap.centroid_height()) } else { pose.position },
        surface_area: if with_surface_area { base + growth * curved_area(semi_axes, down, height) } else { f64::NAN },
        vector_area,
        first_moment: place(1.0 - height).cross(vector_area),
    })
}

/// The integral of |u / semi_axes| over a cap of the unit ball.
fn curved_area(semi_axes: DVec3, pole: DVec3, height: f64) -> f64 {
    // A thin cap is nearly of one slope; a thick one has all the ellipsoid's slopes around it.
    let n_around = if height > 0.1 { 64 } else { 16 };
    let (x, y) = pole.any_orthonormal_pair();
    let [pole, x, y] = [pole, x, y].map(|v| v / semi_axes);
    // More than a half-ball is wide enough for a panel of its own.
    let n_panels = if height > 0.5 { 4 } else { 1 };
    let half = 0.5 * height / n_panels as f64;
    let mut sum = 0.0;
    for panel in 0..n_panels {
        for (node, weight, _) in GAUSS_7 {
            let below = half * (2 * panel + 1) as f64 + half * node;
            let (along, across) = (1.0 - below, (below * (2.0 - below)).max(0.0).sqrt());
            for k in 0..n_around {
                let (s, c) = (TAU / f64::from(n_around) * f64::from(k)).sin_cos();
                sum += weight * (along * pole + across * (c * x + s * y)).length();
            }
        }
    }
    sum * half * TAU / f64::from(n_around)
}
