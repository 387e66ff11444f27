//! How much of the sun and of the sky a point sees.
//!
//! The sky is seen along rays spread like the cosine from the normal, as long as a grain and a half; one that meets
//! something counts by how far it came. Pixel k of a block of 16 takes every 16th point, from the k-th, of one even
//! sequence (the R2 sequence of Roberts, 2018), so that a block together has an even set.

use super::light::Light;
use super::tree::Ray;
use super::{Quality, Sample, Seen, Stage};
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Length of the rays to the sky, in diameters of a grain.
const SKY_REACH: f64 = 1.6;
/// Pixels whose normals differ by less than acos of this share their light.
const SHARED_COSINE: f64 = 0.9;

/// A block of 16 pixels, all with different patterns, about a pixel.
pub(super) const BLOCK: std::ops::RangeInclusive<isize> = -1..=2;
/// A pixel with its neighbours.
pub(super) const NEIGHBOURS: std::ops::RangeInclusive<isize> = -1..=1;

/// Shares of the sun and of the sky that a point sees, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Visibility {
    pub(super) sun: f32,
    pub(super) sky: f32,
}

/// Place of a pixel's pattern: neighbours have patterns far apart (Bayer's matrix).
const PATTERNS: [u32; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// A point of an even sequence in the unit square.
fn spread(number: u32) -> (f64, f64) {
    let place = f64::from(number) + 0.5;
    ((place * 0.754_877_666_246_692_7).fract(), (place * 0.569_840_290_998_053_2).fract())
}

/// Point k of n spread evenly over a pixel.
pub(super) fn even_point(k: u32, n: u32) -> (f64, f64) {
    let (x, _) = spread(k);
    (x, (f64::from(k) + 0.5) / f64::from(n))
}

/// The visibility of every pixel, each by its own pattern.
pub(super) fn cast(
    stage: &Stage,
    light: &Light,
    columns: usize,
    samples: &[Sample],
    quality: Quality,
) -> Vec<Visibility> {
    let mut seen = Vec::with_capacity(samples.len());
    (0..samples.len())
        .into_par_iter()
        .with_min_len(128)
        .map(|pixel| {
            let pattern = PATTERNS[(pixel / columns) % 4 * 4 + (pixel % columns) % 4];
            at(stage, light, &samples[pixel], pattern, quality)
        })
        .collect_into_vec(&mut seen);
    seen
}

/// The visibility of one sample by one pattern.
pub(super) fn at(stage: &Stage, light: &Light, sample: &Sample, pattern: u32, quality: Quality) -> Visibility {
    let body = match sample.seen {
        Seen::Grain { body, .. } => body,
        Seen::Wall { .. } => super::NO_BODY,
        // Faces of a section are drawn flat.
        Seen::Nothing | Seen::Cut { .. } => return Visibility { sun: 1.0, sky: 1.0 },
    };
    let section = stage.section.as_ref();
    // A body is not in its own way, so only what rounding does to other surfaces must be kept clear of.
    let origin = sample.point + sample.normal * (1e-6 * stage.grain_size);
    let sun_rays = quality.sun_rays();
    let mut n_lit = 0;
    for k in 0..sun_rays {
        let (u, v) = spread(16 * k + pattern);
        let direction = light.sun_direction(u, v);
        let is_lit =
            sample.normal.dot(direction) > 0.0 && !stage.bodies.is_blocked(&Ray::new(origin, direction), section, body);
        n_lit += u32::from(is_lit);
    }
    let (first, second) = sample.normal.any_orthonormal_pair();
    let reach = SKY_REACH * stage.grain_size;
    let sky_rays = quality.sky_rays();
    let mut open = 0.0;
    for k in 0..sky_rays {
        let (u, v) = spread(16 * k + pattern);
        let (sine, cosine) = (TAU * v).sin_cos();
        let along: DVec3 = u.sqrt() * (cosine * first + sine * second) + (1.0 - u).sqrt() * sample.normal;
        let hit = stage.bodies.nearest(&Ray::new(origin, along.normalize()), reach, section, body);
        open += hit.map_or(1.0, |hit| hit.distance / reach);
    }
    Visibility { sun: n_lit as f32 / sun_rays as f32, sky: (open / f64::from(sky_rays)) as f32 }
}

/// Averages over the pixels around each that show the same piece of surface.
pub(super) fn smooth(
    columns: usize,
    samples: &[Sample],
    seen: &[Visibility],
    window: std::ops::RangeInclusive<isize>,
) -> Vec<Visibility> {
    let rows = samples.len().checked_div(columns).unwrap_or(0);
    let mut averaged = Vec::with_capacity(seen.len());
    (0..samples.len())
        .into_par_iter()
        .with_min_len(256)
        .map(|pixel| {
            let here = &samples[pixel];
            if matches!(here.seen, Seen::Nothing | Seen::Cut { .. }) {
                return seen[pixel];
            }
            let (row, column) = ((pixel / columns) as isize, (pixel % columns) as isize);
            let (mut sun, mut sky, mut count) = (0.0, 0.0, 0.0);
            for near_row in window.clone().map(|d| row + d).filter(|r| (0..rows as isize).contains(r)) {
                for near_column in window.clone().map(|d| column + d).filter(|c| (0..columns as isize).contains(c)) {
                    let near = near_row as usize * columns + near_column as usize;
                    if here.is_alike(&samples[near], SHARED_COSINE) {
                        sun += seen[near].sun;
                        sky += seen[near].sky;
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 { Visibility { sun: sun / count, sky: sky / count } } else { seen[pixel] }
        })
        .collect_into_vec(&mut averaged);
    averaged
}
