//! The search for the common plane: tilt it, keep the best, halve the angle when none is better.
//!
//! The plane begins half way between the bodies with the line of their centroids as its normal. An iteration tilts it by the
//! angle in each of the directions. The tilt with the largest gap is kept if that is larger than the gap so far by more
//! than rounding; otherwise the angle is halved. Where it ends depends on the axes of the tilts, which are published as any two
//! in the plane; here they are of a frame that is fixed to the first body ([`OUTER_FRAME`]), so that moving or turning both bodies
//! together changes nothing.
//!
//! It climbs on a function with ridges. Where none of the few directions runs along the ridge every tilt lowers the gap, at
//! any angle, and the search ends there: a stall. In the plane there is one direction to either side and no such stall; what is
//! left there are the several local maxima of bodies that overlap.

use super::{CommonPlaneOptions, EndBy, Version};
use crate::tolerance;
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;

/// The most iterations. About one pair in a hundred takes more: there the plane creeps along a ridge in steps that were
/// halved before, and would go on for ten thousands of them.
pub const MOST_ITERATIONS: usize = 1000;

/// A frame at no particular attitude to that of the first body. The axes about which a plane is tilted are published as any two
/// in the plane; taken along the edges of a box, which lie along the axes of its own frame, they would run along its ridges, and
/// the stalls of cubes would be halved.
const OUTER_FRAME: DMat3 = DMat3::from_cols_array(&[
    1.0 / 9.0,
    4.0 / 9.0,
    8.0 / 9.0,
    8.0 / 9.0,
    -4.0 / 9.0,
    1.0 / 9.0,
    -4.0 / 9.0,
    -7.0 / 9.0,
    4.0 / 9.0,
]);

/// What ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The angle.
    Angle,
    /// The growth of the gap.
    Increment,
    /// Both of them.
    Both,
    /// The number of iterations: it did not converge.
    Cap,
}

impl EndedBy {
    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            EndedBy::Angle => "angle",
            EndedBy::Increment => "increment",
            EndedBy::Both => "both",
            EndedBy::Cap => "cap",
        }
    }
}

/// Where a search ended.
pub(super) struct Plane {
    pub normal: DVec3,
    pub gap: f64,
    pub iterations: usize,
    pub ended_by: EndedBy,
    /// The angle at the end [rad].
    pub angle: f64,
}

/// Climbs on the gap from a unit normal. `size` is that of the bodies [m].
pub(super) fn search(
    start: DVec3,
    is_planar: bool,
    size: f64,
    options: &CommonPlaneOptions,
    gap: impl Fn(DVec3) -> f64,
) -> Plane {
    let rounding = tolerance::EXACT * size;
    let n_directions = options.directions.count();
    let mut plane =
        Plane { normal: start, gap: gap(start), iterations: 0, ended_by: EndedBy::Cap, angle: options.start_angle };
    while plane.iterations < MOST_ITERATIONS {
        plane.iterations += 1;
        let (sine, cosine) = plane.angle.sin_cos();
        let mut best = (plane.gap, plane.normal);
        let mut attempt = |tangent: DVec3| {
            let tilted = (plane.normal * cosine + tangent * sine).normalize();
            let wider = gap(tilted);
            if wider > best.0 {
                best = (wider, tilted);
            }
        };
        if is_planar {
            let side = DVec3::Z.cross(plane.normal);
            attempt(side);
            attempt(-side);
        } else {
            let (x, y) = (OUTER_FRAME.transpose() * plane.normal).normalize().any_orthonormal_pair();
            let (x, y) = (OUTER_FRAME * x, OUTER_FRAME * y);
            for k in 0..n_directions {
                let (along_y, along_x) = (TAU * k as f64 / n_directions as f64).sin_cos();
                attempt(x * along_x + y * along_y);
            }
        }
        let growth = best.0 - plane.gap;
        let grows = growth > rounding;
        if grows {
            (plane.gap, plane.normal) = best;
        } else {
            plane.angle *= 0.5;
        }
        let by_angle = plane.angle < options.angle_limit;
        // A tilt that was no better has not changed the gap at all: it says that the angle is too large, not that the gap
        // has ceased to grow.
        let by_increment = grows && growth < options.gap_increment * size;
        let ended_by = match (options.version, options.end) {
            (Version::Cundall, _) if by_angle => EndedBy::Angle,
            // The angle is halved only where the gap has ceased to grow, so that the second condition holds too.
            (Version::Liu, EndBy::Both) if by_angle && !grows => EndedBy::Both,
            (Version::Liu, EndBy::Either) if by_angle => EndedBy::Angle,
            (Version::Liu, EndBy::Either) if by_increment => EndedBy::Increment,
            _ => continue,
        };
        plane.ended_by = ended_by;
        break;
    }
    plane
}
