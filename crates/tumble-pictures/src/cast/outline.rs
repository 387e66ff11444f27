//! Lines in a picture, with smooth edges, hidden by what stands before them.

use super::camera::Camera;
use super::section::Section;
use glam::{DVec2, DVec3};

/// How much of each pixel is covered by lines, 0 to 1.
///
/// A pixel's share is that of a band of the line's width around its middle; of several lines the largest counts, so that
/// joints are no darker than the rest. A pixel whose own surface lies before the line hides it.
pub fn coverage(
    camera: &Camera,
    segments: &[[DVec3; 2]],
    section: Option<&Section>,
    width: f64,
    surface: impl Fn(usize) -> f64,
) -> Vec<f32> {
    let (columns, rows) = camera.size();
    let mut covered = vec![0.0_f32; columns as usize * rows as usize];
    for &segment in segments {
        let kept = section.map_or(Some(segment), |section| section.clip(segment));
        let Some([a, b]) = kept.and_then(|kept| camera.clip(kept)) else { continue };
        let (Some((p, from)), Some((q, to))) = (camera.project(a), camera.project(b)) else { continue };
        let reach = 0.5 * width + 0.5;
        let size = DVec2::new(f64::from(columns), f64::from(rows));
        let low = (p.min(q) - reach).max(DVec2::ZERO);
        let high = (p.max(q) + reach).min(size - 1.0);
        if !(low.cmple(high).all()) {
            continue;
        }
        let along = q - p;
        let length_squared = along.length_squared();
        let rows_met = low.y as usize..=high.y as usize;
        for row in rows_met {
            // Where the band meets this row, so that a long slanting line does not scan its whole box.
            let (mut first, mut last) = (low.x, high.x);
            if along.y.abs() > 1e-9 {
                let at = |y: f64| p.x + along.x * ((y - p.y) / along.y);
                let (x, other) = (at(row as f64 - reach), at(row as f64 + 1.0 + reach));
                let slack = reach * (1.0 + (along.x / along.y).abs());
                first = first.max(x.min(other) - slack);
                last = last.min(x.max(other) + slack);
            }
            if !(first <= last) {
                continue;
            }
            for column in first.max(0.0) as usize..=last as usize {
                let centre = DVec2::new(column as f64 + 0.5, row as f64 + 0.5);
                let share =
                    if length_squared > 0.0 { ((centre - p).dot(along) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
                let distance = (centre - (p + share * along)).length();
                let cover = (reach - distance).clamp(0.0, 1.0).min(width) as f32;
                let pixel = row * columns as usize + column;
                // A thousandth keeps a line on a surface from being hidden by it.
                let depth = camera.between(from, to, share);
                if cover > covered[pixel] && depth * 0.999 <= surface(pixel) {
                    covered[pixel] = cover;
                }
            }
        }
    }
    covered
}
