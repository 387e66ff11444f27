//! How steep a heap is that stands free on the ground, and how high it is everywhere.

use super::fit::{Line, mean_with_error};
use super::grains::Frame;
use super::{Analysis, Answer, Shown, grains, named};
use crate::{DVec3, Model, State};
use std::f64::consts::TAU;

/// Directions in which the slope of a heap is looked at.
const SECTORS: usize = 12;
/// Shares of a heap's height between which its slope is taken: neither at its tip nor at its foot.
const SLOPE: [f64; 2] = [0.2, 0.8];
/// Fewer grains than this are no heap.
const LEAST_GRAINS: usize = 50;

/// How steep a heap is that stands free on the ground.
pub fn repose(model: &Model, state: &State) -> Result<Analysis, String> {
    let up = grains::up(model, state)?;
    slope_of_heap(&state.particles.position, &grains::half_heights(model, state, up), up)
}

/// The slope of grains in a heap whose up is known.
fn slope_of_heap(positions: &[DVec3], radii: &[f64], up: DVec3) -> Result<Analysis, String> {
    if positions.len() < LEAST_GRAINS {
        return Err(format!("{} grains are no heap", positions.len()));
    }
    let n = positions.len() as f64;
    let mean_radius = radii.iter().sum::<f64>() / n;
    let flat = |place: DVec3| place - up * up.dot(place);
    let centre = positions.iter().map(|&place| flat(place)).sum::<DVec3>() / n;
    let (first, second) = up.any_orthonormal_pair();
    let ground = positions.iter().zip(radii).map(|(p, r)| up.dot(*p) - r).fold(f64::INFINITY, f64::min);
    let widest = positions.iter().map(|&place| (flat(place) - centre).length()).fold(0.0, f64::max);
    let width = 2.0 * mean_radius;
    let n_rings = (widest / width) as usize + 1;
    // The highest point in each ring of each sector.
    let mut tops = vec![vec![0.0_f64; n_rings]; SECTORS];
    for (&place, &radius) in positions.iter().zip(radii) {
        let out = flat(place) - centre;
        let sector = (out.dot(second).atan2(out.dot(first)).rem_euclid(TAU) / TAU * SECTORS as f64) as usize;
        let ring = ((out.length() / width) as usize).min(n_rings - 1);
        let top = &mut tops[sector.min(SECTORS - 1)][ring];
        *top = top.max(up.dot(place) + radius - ground);
    }
    let peak = tops.iter().flatten().copied().fold(0.0, f64::max);
    let middle = |ring: usize| (ring as f64 + 0.5) * width;
    let mut angles = Vec::new();
    for sector in &tops {
        let on_slope: Vec<(f64, f64)> = (0..n_rings)
            .map(|ring| (middle(ring), sector[ring]))
            .filter(|&(_, top)| top > SLOPE[0] * peak && top < SLOPE[1] * peak)
            .collect();
        if on_slope.len() >= 3 {
            let (r, h): (Vec<f64>, Vec<f64>) = on_slope.into_iter().unzip();
            angles.push((-Line::through(&r, &h).slope).atan().to_degrees());
        }
    }
    if angles.len() < SECTORS / 2 {
        return Err("the heap has no slope of three rings of grains: it is too small or too flat".to_owned());
    }
    let angle = mean_with_error(&angles);
    let rows = (0..n_rings)
        .map(|ring| {
            let there: Vec<f64> = tops.iter().map(|sector| sector[ring]).filter(|&top| top > 0.0).collect();
            let (height, spread) = if there.is_empty() { (0.0, 0.0) } else { mean_with_error(&there) };
            vec![middle(ring), height, spread]
        })
        .collect();
    Ok(Analysis {
        title: "Angle of repose".to_owned(),
        answers: vec![
            Answer::fitted("angle", angle, "degrees"),
            Answer::counted("height", peak, "m"),
            Answer::counted("radius", widest, "m"),
        ],
        columns: named(&["radius_m", "height_m", "height_error_m"]),
        rows,
        shown: Shown::lines(0, &[1]),
        note: format!(
            "Lines through the highest points of rings two radii wide, between {:.0} and {:.0} % of the height, in {SECTORS} \
             directions around the centre; mean and standard error of these.",
            100.0 * SLOPE[0],
            100.0 * SLOPE[1]
        ),
    })
}

/// How high the grains reach over every place of the ground.
pub fn height_map(model: &Model, state: &State) -> Result<Analysis, String> {
    let frame = Frame::of(model, state)?;
    let width = 2.0 * frame.mean_diameter;
    let [n_first, n_second] = [0, 1].map(|axis| (frame.extent()[axis] / width).ceil().max(1.0) as usize);
    let mut tops = vec![f64::NAN; n_first * n_second];
    for (place, reach) in frame.places.iter().zip(&frame.half_heights) {
        let cell = |axis: usize, n: usize| (((place[axis] - frame.lower[axis]) / width) as usize).min(n - 1);
        let top = &mut tops[cell(0, n_first) + n_first * cell(1, n_second)];
        *top = top.max(place.z + reach - frame.lower.z);
    }
    let there: Vec<f64> = tops.iter().copied().filter(|top| top.is_finite()).collect();
    let (mean, error) = mean_with_error(&there);
    let roughness = (there.iter().map(|top| (top - mean).powi(2)).sum::<f64>() / there.len() as f64).sqrt();
    let middle = |axis: usize, cell: usize| frame.lower[axis] + (cell as f64 + 0.5) * width;
    let rows = (0..tops.len()).map(|k| vec![middle(0, k % n_first), middle(1, k / n_first), tops[k]]).collect();
    let [first, second] = frame.names();
    Ok(Analysis {
        title: "Height map".to_owned(),
        answers: vec![
            Answer::fitted("mean height", (mean, error), "m"),
            Answer::counted("highest", there.iter().copied().fold(0.0, f64::max), "m"),
            Answer::counted("lowest", there.iter().copied().fold(f64::INFINITY, f64::min), "m"),
            Answer::counted("standard deviation", roughness, "m"),
            Answer::counted("area covered", there.len() as f64 * width * width, "m^2"),
            Answer::counted("volume beneath", mean * there.len() as f64 * width * width, "m^3"),
        ],
        columns: vec![format!("{first}_m"), format!("{second}_m"), "height_m".to_owned()],
        rows,
        shown: Shown::Map { x: 0, y: 1, value: 2, width },
        note: "The highest point of the grains in square cells two mean diameters wide, above the lowest point of all; cells without \
               grains are NaN."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Balls of radius 1 on a square grid, stacked up to a cone of a slope around a place, with some noise.
    fn cone(slope: f64, up: DVec3) -> Vec<DVec3> {
        let (first, second) = up.any_orthonormal_pair();
        let mut balls = Vec::new();
        let half = 40;
        for i in -half..=half {
            for j in -half..=half {
                let (x, y) = (2.0 * f64::from(i), 2.0 * f64::from(j));
                let top = 40.0 - slope * x.hypot(y);
                for k in 0..(0.5 * top).max(0.0) as u32 {
                    balls.push(first * (x + 30.0) + second * (y - 7.0) + up * (2.0 * f64::from(k) + 1.0));
                }
                // The last one at the height of the cone itself.
                if top > 2.0 {
                    balls.push(first * (x + 30.0) + second * (y - 7.0) + up * (top - 1.0));
                }
            }
        }
        balls
    }

    #[test]
    fn the_slope_of_a_cone_is_found_whichever_way_is_up() {
        for up in [DVec3::Z, DVec3::Y, DVec3::new(1.0, -2.0, 0.5).normalize()] {
            for degrees in [20.0_f64, 30.0, 40.0] {
                let balls = cone(degrees.to_radians().tan(), up);
                let found = slope_of_heap(&balls, &vec![1.0; balls.len()], up).unwrap();
                let Answer { value, error, .. } = found.answers[0].clone();
                assert!((value - degrees).abs() < 1.0, "{value} for {degrees}");
                assert!(error.is_some_and(|error| error < 1.0));
            }
        }
        assert!(slope_of_heap(&[DVec3::ZERO; 10], &[1.0; 10], DVec3::Z).is_err());
        // A layer has no slope.
        let layer: Vec<DVec3> = (0..400).map(|i| DVec3::new(f64::from(i % 20), f64::from(i / 20), 0.0)).collect();
        assert!(slope_of_heap(&layer, &[0.5; 400], DVec3::Z).is_err());
    }

    #[test]
    fn a_height_map_has_the_heights_and_the_volume_of_a_wedge() {
        let (model, balls) = (grains::sample::model(0.5), |turn: glam::DQuat| {
            let mut balls = Vec::new();
            for i in 0..20 {
                for j in 0..10 {
                    for k in 0..=i {
                        balls.push(turn * DVec3::new(f64::from(i), f64::from(j), f64::from(k)));
                    }
                }
            }
            balls
        });
        let state = grains::sample::state(&balls(glam::DQuat::IDENTITY), 1.0);
        let found = height_map(&model, &state).unwrap();
        let value = |name: &str| found.answers.iter().find(|answer| answer.name == name).unwrap().value;
        assert!((value("highest") - 20.0).abs() < 1e-12 && (value("lowest") - 2.0).abs() < 1e-12);
        // Ten columns of two by two, each as high as the higher of its two: (2 + 4 + ... + 20) / 10.
        assert!((value("mean height") - 11.0).abs() < 1e-12);
        assert!((value("volume beneath") - 11.0 * 200.0).abs() < 1e-9 && value("area covered") == 200.0);
        assert_eq!(found.rows.len(), 50);
        assert_eq!(found.columns, ["x_m", "y_m", "height_m"]);
    }
}
