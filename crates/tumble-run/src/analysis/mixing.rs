//! How well two kinds of grain are mixed, and where each of them gathers.
//!
//! Lacey, *Developments in the theory of particle mixing*, J. Appl. Chem. 4 (1954) 257: M = (s0^2 - s^2) / (s0^2 - sr^2), with s^2 the
//! variance of the share of one kind among cells, s0^2 = p (1 - p) that of grains that are apart and sr^2 that of grains at random. The
//! cells are weighted by their grains; then at random s^2 has the mean p (1 - p) (K - 1) / (N - 1) for K cells with N grains together.

use super::fit::{mean_of_series, median};
use super::grains::{self, Frame};
use super::{Analysis, Answer, Shown};
use crate::{DVec3, Model, State};
use std::collections::HashMap;

/// Side of a cell in mean diameters: a cell holds about twenty grains.
const CELL: f64 = 2.5;
/// Fewer cells than this tell nothing of a variance.
const LEAST_CELLS: usize = 8;

/// Lacey's index and its standard error, which is that of leaving out one cell after the other.
fn lacey(cells: &[[f64; 2]]) -> Option<(f64, f64)> {
    let index = |sums: [f64; 4]| {
        // Cells, grains, grains of the kind, and the sum of their squares over the grains of their cell.
        let [cells, all, marked, squares] = sums;
        let share = marked / all;
        let apart = share * (1.0 - share);
        let found = squares / all - share * share;
        let random = apart * (cells - 1.0) / (all - 1.0);
        (apart - found) / (apart - random)
    };
    let add = |sums: [f64; 4], &[all, marked]: &[f64; 2], sign: f64| {
        [sums[0] + sign, sums[1] + sign * all, sums[2] + sign * marked, sums[3] + sign * marked * marked / all]
    };
    let sums = cells.iter().fold([0.0; 4], |sums, cell| add(sums, cell, 1.0));
    if cells.len() < LEAST_CELLS || sums[2] <= 0.0 || sums[2] >= sums[1] {
        return None;
    }
    let n = cells.len() as f64;
    let without: Vec<f64> = cells.iter().map(|cell| index(add(sums, cell, -1.0))).filter(|m| m.is_finite()).collect();
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let variance = without.iter().map(|m| (m - mean).powi(2)).sum::<f64>() * (n - 1.0) / n;
    Some((index(sums), variance.sqrt()))
}

/// Grains and marked grains of each cell that has some, by side length [m].
fn cells(places: &[DVec3], is_marked: &[bool], side: f64) -> Vec<[f64; 2]> {
    let lower = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let upper = places.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    // Whole cells over the width, so that none is cut off at the far end.
    let counts = ((upper - lower) / side).round().max(DVec3::ONE);
    let widths = ((upper - lower) / counts).max(DVec3::splat(f64::MIN_POSITIVE));
    let mut found: HashMap<[u64; 3], [f64; 2]> = HashMap::new();
    for (place, &marked) in places.iter().zip(is_marked) {
        let cell = ((*place - lower) / widths).floor().min(counts - 1.0).max(DVec3::ZERO);
        let entry = found.entry(cell.to_array().map(|c| c as u64)).or_default();
        entry[0] += 1.0;
        entry[1] += f64::from(u8::from(marked));
    }
    // In an order that no hash decides.
    let mut sorted: Vec<_> = found.into_iter().collect();
    sorted.sort_unstable_by_key(|(cell, _)| *cell);
    sorted.into_iter().map(|(_, counts)| counts).collect()
}

/// How much more often a marked grain is farther along than one that is not, than the other way round: 1 if all marked grains lie
/// beyond all others, -1 if all lie before, 0 if neither (Cliff's delta, from the ranks of Mann and Whitney), and its standard error
/// among grains at random.
pub(super) fn ranks(values: &[f64], is_marked: &[bool]) -> (f64, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let marked = is_marked.iter().filter(|&&marked| marked).count() as f64;
    let (n, others) = (values.len() as f64, values.len() as f64 - marked);
    let mut rank_sum = 0.0;
    let mut start = 0;
    while start < order.len() {
        // Equal values share their ranks.
        let end = (start..order.len()).find(|&k| values[order[k]] > values[order[start]]).unwrap_or(order.len());
        let rank = 0.5 * (start + end - 1) as f64 + 1.0;
        rank_sum += rank * order[start..end].iter().filter(|&&grain| is_marked[grain]).count() as f64;
        start = end;
    }
    let above = rank_sum - 0.5 * marked * (marked + 1.0);
    (2.0 * above / (marked * others) - 1.0, ((n + 1.0) / (3.0 * marked * others)).sqrt())
}

/// Which grains are marked.
pub enum Marks {
    /// Those of a kind, by its place in the model.
    Kind(u16),
    /// Those that were in the upper half along an axis at the first frame, by their ids.
    Ids(HashMap<u32, bool>),
}

impl Marks {
    fn of(&self, state: &State, grain: usize) -> Option<bool> {
        match self {
            Marks::Kind(kind) => Some(state.particles.species[grain] == *kind),
            Marks::Ids(ids) => ids.get(&state.particles.id[grain]).copied(),
        }
    }
}

/// The mixtures to look at, each with its name: of the kinds, or of the halves that the grains began in.
pub fn mixtures(
    model: &Model,
    last: &State,
    first: Option<&State>,
    kind: Option<&str>,
) -> Result<Vec<(String, Marks)>, String> {
    let n_kinds = model.species.len();
    let mut counts = vec![0_usize; n_kinds];
    last.particles.species.iter().for_each(|&species| counts[species as usize] += 1);
    let names: Vec<&str> = model.species.iter().map(|species| species.name.as_str()).collect();
    let there: Vec<usize> = (0..n_kinds).filter(|&kind| counts[kind] > 0).collect();
    if let Some(kind) = kind {
        let place = names.iter().position(|name| *name == kind);
        let place = place.ok_or_else(|| format!("there is no kind `{kind}`; there are: {}", names.join(", ")))?;
        if there == [place] || !there.contains(&place) {
            return Err(format!("no grains of `{kind}` are among others at this moment"));
        }
        return Ok(vec![(format!("`{kind}` among the others"), Marks::Kind(place as u16))]);
    }
    if there.len() >= 2 {
        let (a, b) = (there[0], there[1]);
        let name = if there.len() == 2 {
            format!("`{}` and `{}`", names[a], names[b])
        } else {
            format!("`{}` among the others", names[a])
        };
        return Ok(vec![(name, Marks::Kind(a as u16))]);
    }
    let Some(first) = first else {
        let made = "`output.trajectory = \"10 ms\"` makes the frames that tell where the grains began";
        return Err(format!("all grains are of one kind; {made}"));
    };
    let grains = &first.particles;
    Ok((0..if model.planar { 2 } else { 3 })
        .map(|axis| {
            let mut along: Vec<f64> = grains.position.iter().map(|place| place[axis]).collect();
            let middle = median(&mut along);
            let is_beyond = |grain: usize| (grains.id[grain], grains.position[grain][axis] > middle);
            let name = format!("halves along {} at the first frame", ["x", "y", "z"][axis]);
            (name, Marks::Ids((0..grains.len()).map(is_beyond).collect()))
        })
        .collect())
}

/// Lacey's index of a state.
pub fn index(model: &Model, state: &State, marks: &Marks) -> Option<(f64, f64)> {
    let (places, is_marked, _) = marked(state, marks);
    let side = CELL * grains::mean_diameter(model, &state.particles);
    lacey(&cells(&places, &is_marked, side))
}

fn marked(state: &State, marks: &Marks) -> (Vec<DVec3>, Vec<bool>, Vec<usize>) {
    let known: Vec<(usize, bool)> =
        (0..state.particles.len()).filter_map(|grain| Some((grain, marks.of(state, grain)?))).collect();
    let places = known.iter().map(|&(grain, _)| state.particles.position[grain]).collect();
    (places, known.iter().map(|&(_, marked)| marked).collect(), known.iter().map(|&(grain, _)| grain).collect())
}

/// How well grains are mixed at a moment, where each kind gathers, and how the mixing went over the frames.
///
/// The axis is that of a vessel that turns, a point and a direction; without one the upright line through the middle.
pub fn mixing(
    model: &Model,
    last: &State,
    frames: &[State],
    kind: Option<&str>,
    axis: Option<(DVec3, DVec3)>,
) -> Result<Analysis, String> {
    let mixtures = mixtures(model, last, frames.first(), kind)?;
    let mut answers = Vec::new();
    let mut names = vec!["time_s".to_owned()];
    let mut rows: Vec<Vec<f64>> = frames.iter().map(|state| vec![state.time]).collect();
    if rows.last().is_none_or(|row| row[0] < last.time) {
        rows.push(vec![last.time]);
    }
    for (number, (name, marks)) in mixtures.iter().enumerate() {
        let Some(found) = index(model, last, marks) else {
            return Err(format!(
                "too few grains to tell how {name} are mixed: {LEAST_CELLS} cells of {CELL} mean diameters are wanted"
            ));
        };
        answers.push(Answer::fitted(&format!("Lacey index of {name}"), found, ""));
        names.push(if mixtures.len() == 1 {
            "lacey_index".to_owned()
        } else {
            format!("lacey_index_{}", ["x", "y", "z"][number])
        });
        for (row, state) in rows.iter_mut().zip(frames.iter().chain([last])) {
            row.push(index(model, state, marks).map_or(f64::NAN, |found| found.0));
        }
    }
    if let [(_, marks @ Marks::Kind(first))] = &mixtures[..] {
        let frame = Frame::of(model, last)?;
        let (places, is_marked, grains) = marked(last, marks);
        let who = &model.species[*first as usize].name;
        let heights: Vec<f64> = grains.iter().map(|&grain| frame.places[grain].z).collect();
        answers.push(Answer::fitted(&format!("`{who}` above the others"), ranks(&heights, &is_marked), ""));
        let middle = places.iter().copied().sum::<DVec3>() / places.len() as f64;
        let direction = axis.map_or(frame.axes[2], |(_, direction)| direction);
        let radii: Vec<f64> = places.iter().map(|&place| (place - middle).reject_from(direction).length()).collect();
        answers.push(Answer::fitted(&format!("`{who}` outside the others"), ranks(&radii, &is_marked), ""));
        if axis.is_some() {
            let along: Vec<f64> = places.iter().map(|&place| (place - middle).dot(direction).abs()).collect();
            answers.push(Answer::fitted(&format!("`{who}` near the ends of the axis"), ranks(&along, &is_marked), ""));
        }
    }
    if rows.len() >= 16 {
        // What it keeps to once it has come there.
        let late: Vec<f64> = rows[3 * rows.len() / 4..].iter().map(|row| row[1]).filter(|m| m.is_finite()).collect();
        let (mean, error) = mean_of_series(&late);
        answers.push(Answer::fitted("the first index over the last quarter of the frames", (mean, error), ""));
    }
    let shown = Shown::lines(0, &(1..names.len()).collect::<Vec<usize>>());
    Ok(Analysis {
        title: "Mixing and segregation".to_owned(),
        answers,
        columns: names,
        rows,
        shown,
        note: format!(
            "Lacey's index by number among cubes of {CELL} mean diameters: 0 apart, 1 as at random; its error from leaving out one cell \
             after the other. Above, outside, near the ends: 1 if all are, -1 if none is, 0 if it makes no difference, by ranks; the error \
             is that of grains at random. Outside means farther from the axis through the centre of all grains, along that of a vessel \
             that turns, else upright."
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::grains::sample;
    use tumble_engine::random::Random;

    fn lattice(n: i32) -> Vec<DVec3> {
        let at = |k: i32| DVec3::new(f64::from(k % n), f64::from(k / n % n), f64::from(k / (n * n)));
        (0..n * n * n).map(at).collect()
    }

    fn value(found: &Analysis, name: &str) -> (f64, f64) {
        let answer = found.answers.iter().find(|answer| answer.name.contains(name)).unwrap();
        (answer.value, answer.error.unwrap())
    }

    #[test]
    fn grains_apart_at_random_and_in_order_have_the_index_of_theory() {
        let model = sample::model(0.5);
        // Twelve cells of 2.5 along each edge.
        let mut state = sample::state(&lattice(30), 1.0);
        let n = state.particles.len();
        for grain in 0..n {
            state.particles.species[grain] = u16::from(state.particles.position[grain].z > 14.6);
        }
        let apart = mixing(&model, &state, &[], None, None).unwrap();
        assert!(value(&apart, "Lacey").0.abs() < 1e-9, "{:?}", apart.answers);
        // All of the first kind lie below, and none is farther out.
        assert_eq!(value(&apart, "above").0, -1.0);
        assert!(value(&apart, "outside").0.abs() < 1e-9);
        let mut random = Random::from_seed(5);
        for grain in 0..n {
            state.particles.species[grain] = u16::from(random.unit() < 0.3);
        }
        let mixed = mixing(&model, &state, &[], Some("dark"), None).unwrap();
        let (index, error) = value(&mixed, "Lacey");
        assert!((index - 1.0).abs() < 4.0 * error && error < 0.01, "{index} {error}");
        let (above, error) = value(&mixed, "above");
        assert!(above.abs() < 4.0 * error && error < 0.02);
        assert!(mixing(&model, &state, &[], Some("green"), None).unwrap_err().contains("light, dark"));
    }

    #[test]
    fn ranks_are_those_of_the_textbook() {
        // Marked 2 and 5 against 1, 3, 3: of six pairs 2 > 1, and 5 > all: 4 above, 2 below.
        let (delta, error) = ranks(&[2.0, 1.0, 3.0, 5.0, 3.0], &[true, false, false, true, false]);
        assert!((delta - 2.0 / 6.0).abs() < 1e-15);
        assert!((error - (6.0_f64 / 18.0).sqrt()).abs() < 1e-15);
        assert_eq!(ranks(&[1.0, 1.0, 1.0], &[true, false, false]).0, 0.0);
    }

    #[test]
    fn one_kind_is_told_by_where_it_began() {
        let model = sample::model(0.5);
        let before = sample::state(&lattice(12), 1.0);
        let mut after = before.clone();
        after.time = 1.0;
        // Left and right are exchanged for every other layer: mixed along x, as it was along z.
        for place in &mut after.particles.position {
            if place.y as i32 % 2 == 0 {
                place.x = 11.0 - place.x;
            }
        }
        let found = mixing(&model, &after, std::slice::from_ref(&before), None, None).unwrap();
        assert!(value(&found, "halves along x").0 > 0.9, "{:?}", found.answers);
        assert!(value(&found, "halves along z").0 < 0.1);
        assert_eq!(found.rows.len(), 2);
        assert!(mixing(&model, &after, &[], None, None).unwrap_err().contains("output.trajectory"));
    }
}
