//! Answers from what a run leaves: how fast it ran out, how steep its heap is, how its forces are spread. Each comes with the numbers
//! it was taken from and, where something was fitted, with a standard error.

use crate::{DVec3, Simulation};
use std::f64::consts::TAU;
use tumble_io::Table;

/// A number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it is.
    pub name: &'static str,
    /// The number, in its unit.
    pub value: f64,
    /// Its standard error, where it was fitted.
    pub error: Option<f64>,
    /// Unit; empty for a plain number.
    pub unit: &'static str,
}

/// What was found, and in which numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// What it is about.
    pub title: &'static str,
    /// The answers, the main one first.
    pub answers: Vec<Answer>,
    /// Names of the columns, with units.
    pub columns: Vec<&'static str>,
    /// The numbers that the answers were taken from, row by row.
    pub rows: Vec<Vec<f64>>,
    /// How it was found, in a sentence.
    pub note: String,
}

/// Shares of what left between which a discharge is steady: not while it begins, and not when the last layers slide.
const STEADY: [f64; 2] = [0.1, 0.7];
/// Parts in which a fit is made once more, for its error.
const PARTS: usize = 4;
/// Directions in which the slope of a heap is looked at.
const SECTORS: usize = 12;
/// Shares of a heap's height between which its slope is taken: neither at its tip nor at its foot.
const SLOPE: [f64; 2] = [0.2, 0.8];
/// Classes of force.
const CLASSES: usize = 40;

/// How fast grains left, from the time series of a run.
///
/// ```
/// use tumble_io::{Table, TableWriter};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("series.csv");
/// let mut writer = TableWriter::create(&path, &["time_s", "removed", "removed_kg"])?;
/// for row in 0..200 {
///     let time = 0.01 * f64::from(row);
///     writer.row(&[time, (50.0 * time).floor(), 0.2 * (time - 0.5).max(0.0)])?;
/// }
/// writer.flush()?;
/// let found = tumble_run::analysis::discharge(&Table::read(&path)?).unwrap();
/// assert!((found.answers[0].value - 0.2).abs() < 1e-9);
/// # Ok::<(), tumble_io::table::TableError>(())
/// ```
pub fn discharge(series: &Table) -> Result<Analysis, String> {
    let column = |name: &str| series.column(name).ok_or_else(|| format!("series.csv has no column `{name}`"));
    let (time, number, mass) = (column("time_s")?, column("removed")?, column("removed_kg")?);
    let total = mass.last().copied().unwrap_or(0.0);
    if total <= 0.0 {
        return Err("no grain has left the run: `domain.edges` takes them out with \"remove\"".to_owned());
    }
    let steady: Vec<usize> =
        (0..time.len()).filter(|&row| (STEADY[0] * total..=STEADY[1] * total).contains(&mass[row])).collect();
    if steady.len() < 2 * PARTS {
        let wanted = "a shorter `output.interval` gives more";
        return Err(format!("only {} rows of series.csv are from the steady part; {wanted}", steady.len()));
    }
    let of = |values: &[f64]| steady.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let (times, masses, numbers) = (of(time), of(mass), of(number));
    let rate = |values: &[f64]| fitted_with_error(&times, values);
    let (mass_rate, number_rate) = (rate(&masses), rate(&numbers));
    let first = (0..time.len()).find(|&row| mass[row] > 0.0).unwrap_or(0);
    let answers = vec![
        Answer { name: "mass rate", value: mass_rate.0, error: Some(mass_rate.1), unit: "kg/s" },
        Answer { name: "grains a second", value: number_rate.0, error: Some(number_rate.1), unit: "1/s" },
        Answer { name: "mass that left", value: total, error: None, unit: "kg" },
        Answer { name: "first grain left at", value: time[first], error: None, unit: "s" },
        Answer { name: "steady from", value: times[0], error: None, unit: "s" },
        Answer { name: "steady until", value: times[times.len() - 1], error: None, unit: "s" },
    ];
    Ok(Analysis {
        title: "Discharge",
        answers,
        columns: vec!["time_s", "removed", "removed_kg"],
        rows: (0..time.len()).map(|row| vec![time[row], number[row], mass[row]]).collect(),
        note: format!(
            "A line through the rows in which {:.0} to {:.0} % of what left had left; the error from lines through its {PARTS} parts.",
            100.0 * STEADY[0],
            100.0 * STEADY[1]
        ),
    })
}

/// How steep a heap is that stands free on the ground.
pub fn repose(simulation: &Simulation) -> Result<Analysis, String> {
    let (model, state) = (simulation.model(), simulation.state());
    let gravity = model.gravity_at(state);
    if gravity == DVec3::ZERO {
        return Err("without gravity there is no heap".to_owned());
    }
    slope_of_heap(&state.particles.position, &state.particles.radius, -gravity.normalize())
}

/// The slope of balls in a heap whose up is known.
fn slope_of_heap(positions: &[DVec3], radii: &[f64], up: DVec3) -> Result<Analysis, String> {
    if positions.len() < 50 {
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
            angles.push((-fitted(&r, &h).0).atan().to_degrees());
        }
    }
    if angles.len() < SECTORS / 2 {
        return Err("the heap has no slope of three rings of grains: it is too small or too flat".to_owned());
    }
    let (angle, error) = mean_with_error(&angles);
    let rows = (0..n_rings)
        .map(|ring| {
            let there: Vec<f64> = tops.iter().map(|sector| sector[ring]).filter(|&top| top > 0.0).collect();
            let (height, spread) = if there.is_empty() { (0.0, 0.0) } else { mean_with_error(&there) };
            vec![middle(ring), height, spread]
        })
        .collect();
    Ok(Analysis {
        title: "Angle of repose",
        answers: vec![
            Answer { name: "angle", value: angle, error: Some(error), unit: "degrees" },
            Answer { name: "height", value: peak, error: None, unit: "m" },
            Answer { name: "radius", value: widest, error: None, unit: "m" },
        ],
        columns: vec!["radius_m", "height_m", "height_error_m"],
        rows,
        note: format!(
            "Lines through the highest points of rings two radii wide, between {:.0} and {:.0} % of the height, in {SECTORS} \
             directions around the centre; mean and standard error of these.",
            100.0 * SLOPE[0],
            100.0 * SLOPE[1]
        ),
    })
}

/// How the forces at the contacts of a run are spread.
pub fn forces(simulation: &Simulation) -> Result<Analysis, String> {
    let mut forces: Vec<f64> = simulation.contacts().iter().map(|contact| contact.force.length()).collect();
    if forces.is_empty() {
        return Err("nothing touches at this moment".to_owned());
    }
    forces.sort_unstable_by(f64::total_cmp);
    let (mean, error) = mean_with_error(&forces);
    let largest = forces[forces.len() - 1];
    if mean == 0.0 {
        return Err("no contact carries a force at this moment".to_owned());
    }
    let n = forces.len() as f64;
    let squares: f64 = forces.iter().map(|force| force * force).sum();
    let width = largest / mean / CLASSES as f64;
    let mut counts = [0_u32; CLASSES];
    for force in &forces {
        counts[((force / mean / width) as usize).min(CLASSES - 1)] += 1;
    }
    let rows = counts
        .iter()
        .enumerate()
        .map(|(class, &count)| vec![(class as f64 + 0.5) * width, f64::from(count) / (n * width), f64::from(count)]);
    Ok(Analysis {
        title: "Contact forces",
        answers: vec![
            Answer { name: "mean force", value: mean, error: Some(error), unit: "N" },
            Answer { name: "largest force", value: largest, error: None, unit: "N" },
            Answer {
                name: "share above the mean",
                value: forces.iter().filter(|&&force| force > mean).count() as f64 / n,
                error: None,
                unit: "",
            },
            // 1 if all are equal, 1/n if one carries all.
            Answer { name: "participation", value: (mean * n).powi(2) / (n * squares), error: None, unit: "" },
            Answer { name: "contacts", value: n, error: None, unit: "" },
        ],
        columns: vec!["force_over_mean", "probability_density", "contacts"],
        rows: rows.collect(),
        note: "Lengths of the forces of all contacts, with walls too.".to_owned(),
    })
}

/// Slope and height at zero of the line through points, by least squares.
fn fitted(x: &[f64], y: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        above += (x - mean_x) * (y - mean_y);
        below += (x - mean_x) * (x - mean_x);
    }
    let slope = above / below;
    (slope, mean_y - slope * mean_x)
}

/// The slope of a line through points, and its standard error from the slopes of its parts: neighbouring points of a series are
/// not independent, so that what they scatter by would make it too small.
fn fitted_with_error(x: &[f64], y: &[f64]) -> (f64, f64) {
    let part = x.len() / PARTS;
    let slopes: Vec<f64> =
        (0..PARTS).map(|k| fitted(&x[k * part..(k + 1) * part], &y[k * part..(k + 1) * part]).0).collect();
    (fitted(x, y).0, mean_with_error(&slopes).1)
}

/// Mean and its standard error.
fn mean_with_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
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
                let Answer { value, error, .. } = found.answers[0];
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
    fn lines_and_their_errors_are_those_of_the_textbook() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 - 0.5 * x).collect();
        let (slope, height) = fitted(&x, &y);
        assert!((slope + 0.5).abs() < 1e-12 && (height - 3.0).abs() < 1e-12);
        assert!(fitted_with_error(&x, &y).1 < 1e-12);
        let (mean, error) = mean_with_error(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(mean, 2.5);
        assert!((error - (5.0_f64 / 3.0).sqrt() / 2.0).abs() < 1e-15);
    }
}
