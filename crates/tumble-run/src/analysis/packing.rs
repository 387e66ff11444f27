//! How densely a bed is packed, by height, and how its grains lie around each other.

use super::fit::mean_with_error;
use super::grains::{self, Frame};
use super::{Analysis, Answer, Shown, named};
use crate::{DVec3, Model, State};
use std::f64::consts::PI;

/// Shares of a bed's height between which its mean packing is taken: neither at the ground nor at its surface.
pub const CORE: [f64; 2] = [0.2, 0.8];
/// Distances up to which pairs of grains are counted, in mean diameters: the first for which there are enough grains.
const REACHES: [f64; 3] = [5.0, 4.0, 2.5];
/// Classes of distance in a mean diameter.
const CLASSES: usize = 20;
/// So many grains at least must have their neighbourhood inside.
const LEAST_CENTRES: usize = 30;

/// The packing fraction by height.
pub fn packing(model: &Model, state: &State) -> Result<Analysis, String> {
    let frame = Frame::of(model, state)?;
    let slices = frame.fractions(model, state)?;
    let core = in_core(&slices, frame.height());
    if core.len() < 2 {
        return Err("the bed is too low: a mean packing fraction wants two slices between its ground and its surface"
            .to_owned());
    }
    Ok(Analysis {
        title: "Packing fraction".to_owned(),
        answers: vec![
            Answer::fitted("packing fraction", mean_with_error(&core), ""),
            Answer::counted("height of the bed", frame.height(), "m"),
            Answer::counted("slices", core.len() as f64, ""),
        ],
        columns: named(&["height_m", "packing_fraction"]),
        rows: slices.into_iter().map(Vec::from).collect(),
        shown: Shown::lines(0, &[1]),
        note: format!(
            "Slices of an upright cylinder two mean diameters away from the sides (of all of a periodic cell); mean and standard error \
             of those between {:.0} and {:.0} % of the height, below which 95 of 100 grains lie.",
            100.0 * CORE[0],
            100.0 * CORE[1]
        ),
    })
}

/// Packing fractions of the slices in the core of a bed of a height.
pub fn in_core(slices: &[[f64; 2]], height: f64) -> Vec<f64> {
    let is_in = |at: f64| at > CORE[0] * height && at < CORE[1] * height;
    slices.iter().filter(|slice| is_in(slice[0])).map(|slice| slice[1]).collect()
}

/// How many grains have their centres at a distance from that of another, against as many at random: the pair distribution g(r).
pub fn pair_distribution(model: &Model, state: &State) -> Result<Analysis, String> {
    let places = &state.particles.position;
    if places.len() < LEAST_CENTRES {
        return Err(format!("{} grains are too few for a pair distribution", places.len()));
    }
    let size = grains::mean_diameter(model, &state.particles);
    let (reach, centres) = centres(model, places, size)?;
    let classes = (reach * CLASSES as f64) as usize;
    let width = size / CLASSES as f64;
    // Counted twice, for two halves of the centres: their difference is the error.
    let mut counts = vec![[0_u32; 2]; classes];
    let periods = model.domain.periods();
    for (number, &centre) in centres.iter().enumerate() {
        for (other, &place) in places.iter().enumerate() {
            let mut apart = place - places[centre];
            for (axis, period) in periods.iter().enumerate() {
                if let Some(period) = period {
                    apart[axis] -= period * (apart[axis] / period).round();
                }
            }
            // Classes around the multiples of their width: grains that touch are all in one.
            let class = (apart.length() / width + 0.5) as usize;
            if other != centre && class < classes {
                counts[class][number % 2] += 1;
            }
        }
    }
    let n = centres.len() as f64;
    // Of a shell: in the plane a ring.
    let measure = |r: f64| if model.planar { PI * r * r } else { 4.0 / 3.0 * PI * r.powi(3) };
    let within: f64 = counts.iter().flatten().map(|&count| f64::from(count)).sum();
    let density = (within / n + 1.0) / measure((classes as f64 - 0.5) * width);
    let rows: Vec<Vec<f64>> = counts
        .iter()
        .enumerate()
        .map(|(class, halves)| {
            let (inner, outer) = ((class as f64 - 0.5).max(0.0) * width, (class as f64 + 0.5) * width);
            let expected = density * (measure(outer) - measure(inner));
            let [a, b] = halves.map(|count| 2.0 * f64::from(count) / (n * expected));
            vec![class as f64 * width, class as f64 * width / size, 0.5 * (a + b), 0.5 * (a - b).abs()]
        })
        .collect();
    let highest = (0..classes).max_by(|&a, &b| rows[a][2].total_cmp(&rows[b][2])).unwrap_or(0);
    // The first shell ends at the lowest place between one and a half diameters and two.
    let shell = (0..classes).filter(|&class| rows[class][1] > 1.1 && rows[class][1] < 1.7);
    let shell = shell.min_by(|&a, &b| rows[a][2].total_cmp(&rows[b][2])).unwrap_or(highest);
    let neighbours = (0..2)
        .map(|half| (0..=shell).map(|class| 2.0 * f64::from(counts[class][half]) / n).sum())
        .collect::<Vec<f64>>();
    Ok(Analysis {
        title: "Pair distribution".to_owned(),
        answers: vec![
            Answer::fitted("height of the peak", (rows[highest][2], rows[highest][3]), ""),
            Answer::fitted("peak at", (rows[highest][0], 0.5 * width), "m"),
            Answer::counted("first shell ends at", rows[shell][0], "m"),
            Answer::fitted("neighbours in it", mean_with_error(&neighbours), ""),
            Answer::counted("mean diameter", size, "m"),
            Answer::counted("grains in the middle", n, ""),
        ],
        columns: named(&["distance_m", "distance_over_diameter", "pair_distribution", "pair_distribution_error"]),
        rows,
        shown: Shown::lines(1, &[2]),
        note: format!(
            "Around grains that are {reach} mean diameters away from the sides; 1 is as many as the mean density within that \
             distance has. The errors are from two halves of these grains."
        ),
    })
}

/// How far one can look [mean diameters], and the grains that have all their neighbourhood of that size inside the bed.
fn centres(model: &Model, places: &[DVec3], size: f64) -> Result<(f64, Vec<usize>), String> {
    let periods = model.domain.periods();
    let lower = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let upper = places.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let middle = 0.5 * (lower + upper);
    let axes: Vec<usize> = if model.planar { vec![0, 1] } else { vec![0, 1, 2] };
    let half = 0.5 * (upper - lower);
    for reach in REACHES {
        let away = reach * size;
        if periods.iter().flatten().any(|period| *period < 2.0 * away) {
            continue;
        }
        let is_inside = |place: DVec3| {
            let out = place - middle;
            let is_off = |axis: usize| periods[axis].is_some() || out[axis].abs() <= half[axis] - away;
            // A bed in an upright tube, cone or drum has no corners.
            let is_round = |[a, b]: [usize; 2]| {
                periods[a].is_some() || periods[b].is_some() || model.planar || {
                    let radius = half[a].max(half[b]);
                    out[a].hypot(out[b]) <= radius - away
                }
            };
            axes.iter().all(|&axis| is_off(axis)) && [[0, 1], [0, 2], [1, 2]].into_iter().any(is_round)
        };
        let found: Vec<usize> = (0..places.len()).filter(|&grain| is_inside(places[grain])).collect();
        if found.len() >= LEAST_CENTRES {
            return Ok((reach, found));
        }
    }
    Err(format!(
        "the bed is too small: fewer than {LEAST_CENTRES} grains are {} diameters away from its sides",
        REACHES[2]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, Edge};
    use tumble_engine::random::Random;

    fn value(found: &Analysis, name: &str) -> f64 {
        found.answers.iter().find(|answer| answer.name == name).unwrap().value
    }

    /// A crystal of touching balls of diameter 1: close-packed layers over squares.
    fn crystal(n: i32) -> Vec<DVec3> {
        let edge = 2.0_f64.sqrt();
        let mut places = Vec::new();
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let corner = DVec3::new(f64::from(i), f64::from(j), f64::from(k));
                    for site in
                        [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)]
                    {
                        places.push((corner + site) * edge);
                    }
                }
            }
        }
        places
    }

    #[test]
    fn a_crystal_has_its_packing_and_twelve_neighbours() {
        let model = grains::sample::model(0.5);
        let state = grains::sample::state(&crystal(9), 1.0);
        let found = packing(&model, &state).unwrap();
        let exact = PI / 18.0_f64.sqrt();
        assert!((value(&found, "packing fraction") - exact).abs() < 0.01, "{found:?}");
        let found = pair_distribution(&model, &state).unwrap();
        assert!((value(&found, "neighbours in it") - 12.0).abs() < 1e-9, "{:?}", found.answers);
        assert!((value(&found, "peak at") - 1.0).abs() < 1e-9);
        // The second shell of the crystal is at the square root of two, with six.
        let first = found.rows.iter().filter(|row| row[1] > 0.9 && row[1] < 1.2).map(|row| row[2]).fold(0.0, f64::max);
        let second = found.rows.iter().filter(|row| row[1] > 1.3 && row[1] < 1.5).map(|row| row[2]).fold(0.0, f64::max);
        assert!(second > 1.0 && second < first, "{first} {second}");
    }

    #[test]
    fn points_at_random_in_a_periodic_cell_are_not_correlated() {
        let mut model = grains::sample::model(0.5);
        model.domain = Domain { lower: DVec3::ZERO, upper: DVec3::splat(12.0), edges: [Edge::Periodic; 3] };
        let mut random = Random::from_seed(4);
        let places: Vec<DVec3> =
            (0..2000).map(|_| DVec3::new(random.unit(), random.unit(), random.unit()) * 12.0).collect();
        let found = pair_distribution(&model, &grains::sample::state(&places, 1.0)).unwrap();
        assert_eq!(value(&found, "grains in the middle"), 2000.0);
        for row in found.rows.iter().filter(|row| row[1] > 1.0) {
            assert!((row[2] - 1.0).abs() < 0.08, "{row:?}");
        }
    }
}
