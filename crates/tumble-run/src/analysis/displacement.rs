//! How far grains wander: mean square displacement and diffusion.

use super::fit::{Line, mean_with_error};
use super::{Analysis, Answer, Shown, named};
use crate::{DVec3, Model, State};
use std::collections::HashMap;

/// Groups of grains whose results give the error.
const GROUPS: usize = 8;
/// Lags of time that are looked at: at most.
const MOST_LAGS: usize = 60;
/// Shares of the longest lag between which the line of diffusion is fitted.
const FITTED: [f64; 2] = [0.25, 1.0];
/// Fewer frames than this tell nothing.
const LEAST_FRAMES: usize = 8;

/// Paths of the grains that are in every frame, through periodic edges, without the motion of all together.
fn paths(model: &Model, frames: &[State]) -> Result<Vec<Vec<DVec3>>, String> {
    let mut tables: Vec<HashMap<u32, usize>> = Vec::new();
    for state in frames {
        tables.push(state.particles.id.iter().enumerate().map(|(place, &id)| (id, place)).collect());
    }
    let mut ids: Vec<u32> = frames[0].particles.id.clone();
    ids.retain(|id| tables.iter().all(|table| table.contains_key(id)));
    ids.sort_unstable();
    if ids.len() < GROUPS {
        return Err(format!("only {} grains are in every frame", ids.len()));
    }
    let periods = model.domain.periods();
    let mut paths: Vec<Vec<DVec3>> = Vec::with_capacity(ids.len());
    for id in &ids {
        let mut path: Vec<DVec3> = Vec::with_capacity(frames.len());
        for (state, table) in frames.iter().zip(&tables) {
            let mut place = state.particles.position[table[id]];
            if let Some(&last) = path.last() {
                for (axis, period) in periods.iter().enumerate() {
                    if let Some(period) = period {
                        place[axis] -= period * ((place[axis] - last[axis]) / period).round();
                        if (place[axis] - last[axis]).abs() > 0.4 * period {
                            return Err("grains go through almost half a period from frame to frame: a shorter \
                                        `output.trajectory` tells where they went"
                                .to_owned());
                        }
                    }
                }
            }
            path.push(place);
        }
        paths.push(path);
    }
    for frame in 0..frames.len() {
        let middle = paths.iter().map(|path| path[frame]).sum::<DVec3>() / ids.len() as f64;
        paths.iter_mut().for_each(|path| path[frame] -= middle);
    }
    Ok(paths)
}

/// The longest stretch of frames with the same time from one to the next: stages begin with frames of their own.
fn evenly_spaced(frames: &[State]) -> &[State] {
    let apart = |place: usize| frames[place + 1].time - frames[place].time;
    let (mut best, mut start) = (0..frames.len().min(1), 0);
    for end in 1..frames.len() {
        if end > start + 1 && (apart(end - 1) / apart(start) - 1.0).abs() > 0.05 {
            start = end - 1;
        }
        if end + 1 - start > best.len() {
            best = start..end + 1;
        }
    }
    &frames[best]
}

/// Mean square displacement over the lag of time, and the diffusion coefficient.
pub fn displacement(model: &Model, frames: &[State]) -> Result<Analysis, String> {
    let frames = evenly_spaced(frames);
    if frames.len() < LEAST_FRAMES {
        let made = "a shorter `output.trajectory` makes more";
        return Err(format!("only {} evenly spaced frames of the trajectory have grains; {made}", frames.len()));
    }
    let paths = paths(model, frames)?;
    let n = frames.len();
    let interval = (frames[n - 1].time - frames[0].time) / (n - 1) as f64;
    // Half of all frames, so that every lag has many beginnings.
    let longest = n / 2;
    let every = longest.div_ceil(MOST_LAGS);
    let lags: Vec<usize> = (1..=longest).filter(|lag| lag % every == 0).collect();
    let axes = if model.planar { 2 } else { 3 };
    // Means of the squares along each axis, for each group.
    let mut squares = vec![[DVec3::ZERO; GROUPS]; lags.len()];
    for (square, &lag) in squares.iter_mut().zip(&lags) {
        let mut counts = [0.0; GROUPS];
        for (number, path) in paths.iter().enumerate() {
            let group = number % GROUPS;
            for start in 0..n - lag {
                let moved = path[start + lag] - path[start];
                square[group] += moved * moved;
                counts[group] += 1.0;
            }
        }
        square.iter_mut().zip(counts).for_each(|(square, count)| *square /= count);
    }
    let times: Vec<f64> = lags.iter().map(|&lag| lag as f64 * interval).collect();
    let last = times[times.len() - 1];
    let fitted: Vec<usize> =
        (0..lags.len()).filter(|&k| times[k] >= FITTED[0] * last && times[k] <= FITTED[1] * last).collect();
    if fitted.len() < 2 {
        return Err("too few frames to fit a line through the mean squares".to_owned());
    }
    let of = |values: &dyn Fn(usize) -> f64| -> Vec<f64> { fitted.iter().map(|&k| values(k)).collect() };
    let lag_times = of(&|k| times[k]);
    let by_group = |what: &dyn Fn(usize, usize) -> f64| -> (f64, f64) {
        let slopes: Vec<f64> =
            (0..GROUPS).map(|group| Line::through(&lag_times, &of(&|k| what(k, group))).slope).collect();
        mean_with_error(&slopes)
    };
    let total = |square: DVec3| square.to_array()[..axes].iter().sum::<f64>();
    let halved = |(slope, error): (f64, f64), by: f64| (slope / by, error / by);
    let mut answers = vec![Answer::fitted(
        "diffusion coefficient",
        halved(by_group(&|k, group| total(squares[k][group])), 2.0 * axes as f64),
        "m^2/s",
    )];
    for axis in 0..axes {
        let found = by_group(&|k, group| squares[k][group][axis]);
        answers.push(Answer::fitted(&format!("along {}", ["x", "y", "z"][axis]), halved(found, 2.0), "m^2/s"));
    }
    // 1 for diffusion, 2 for free flight, below 1 for grains that are caught.
    let exponents: Vec<f64> = (0..GROUPS)
        .map(|group| {
            let (x, y) = (of(&|k| times[k].ln()), of(&|k| total(squares[k][group]).max(f64::MIN_POSITIVE).ln()));
            Line::through(&x, &y).slope
        })
        .collect();
    answers.push(Answer::fitted("exponent of time", mean_with_error(&exponents), ""));
    answers.push(Answer::counted("grains followed", paths.len() as f64, ""));
    answers.push(Answer::counted("from", frames[0].time, "s"));
    answers.push(Answer::counted("until", frames[n - 1].time, "s"));
    let rows = (0..lags.len()).map(|k| {
        let totals: Vec<f64> = squares[k].iter().map(|&square| total(square)).collect();
        let mean = squares[k].iter().copied().sum::<DVec3>() / GROUPS as f64;
        let (all, error) = mean_with_error(&totals);
        vec![times[k], all, error, mean.x, mean.y, mean.z]
    });
    Ok(Analysis {
        title: "Mean square displacement".to_owned(),
        answers,
        columns: named(&["lag_s", "mean_square_displacement_m2", "error_m2", "along_x_m2", "along_y_m2", "along_z_m2"]),
        rows: rows.collect(),
        shown: Shown::Lines { x: 0, y: vec![1, 3, 4, 5][..=axes].to_vec(), is_logarithmic: [true, true] },
        note: format!(
            "Over all beginnings of a lag, without the motion of all grains together. Lines through lags from {:.0} % of the longest on; \
             errors from {GROUPS} groups of grains. Where the exponent is not near 1, it is no diffusion and its coefficient means little.",
            100.0 * FITTED[0]
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::grains::sample;
    use crate::{Domain, Edge};
    use tumble_engine::random::Random;

    fn walk(step: impl Fn(&mut Random, usize) -> DVec3, wraps: bool) -> (Model, Vec<State>) {
        let mut model = sample::model(0.5);
        if wraps {
            let edges = [Edge::Periodic; 3];
            model.domain = Domain { lower: DVec3::splat(-5.0), upper: DVec3::splat(5.0), edges };
        }
        let mut random = Random::from_seed(9);
        let mut places = vec![DVec3::ZERO; 400];
        let mut frames = Vec::new();
        for frame in 0..120 {
            let shown: Vec<DVec3> =
                places.iter().map(|p| if wraps { *p - 10.0 * (*p / 10.0).round() } else { *p }).collect();
            let mut state = sample::state(&shown, 1.0);
            state.time = 0.1 * f64::from(frame);
            frames.push(state);
            for (grain, place) in places.iter_mut().enumerate() {
                *place += step(&mut random, grain);
            }
        }
        (model, frames)
    }

    #[test]
    fn a_random_walk_through_periodic_edges_has_its_diffusion() {
        let (model, frames) =
            walk(|random, _| DVec3::new(random.normal(), random.normal(), random.normal()) * 0.3, true);
        let found = displacement(&model, &frames).unwrap();
        // Each axis gains 0.09 m^2 in 0.1 s: D = 0.45 m^2/s.
        let answer = &found.answers[0];
        let error = answer.error.unwrap();
        assert!((answer.value - 0.45).abs() < 4.0 * error && error < 0.05, "{answer:?}");
        let exponent = found.answers.iter().find(|answer| answer.name == "exponent of time").unwrap();
        assert!((exponent.value - 1.0).abs() < 0.1, "{exponent:?}");
    }

    #[test]
    fn free_flight_has_the_exponent_two_and_a_common_motion_is_none() {
        let direction = |grain: usize| DVec3::new((grain % 7) as f64 - 3.0, (grain % 5) as f64 - 2.0, 0.0);
        let (model, frames) = walk(move |_, grain| direction(grain) * 0.01 + DVec3::Y, false);
        let found = displacement(&model, &frames).unwrap();
        let exponent = found.answers.iter().find(|answer| answer.name == "exponent of time").unwrap();
        assert!((exponent.value - 2.0).abs() < 1e-9);
        let (model, frames) = walk(|_, _| DVec3::Y, false);
        assert!(displacement(&model, &frames).unwrap().answers[0].value.abs() < 1e-9);
        assert!(displacement(&model, &frames[..3]).unwrap_err().contains("only 3 evenly spaced frames"));
        // Frames of another stage, closer together, are left out.
        let mut mixed = frames.clone();
        (0..6).for_each(|k| mixed.push(State { time: 11.9 + 0.01 * f64::from(k + 1), ..frames[0].clone() }));
        assert_eq!(evenly_spaced(&mixed).len(), 120);
        assert_eq!(evenly_spaced(&frames[..1]).len(), 1);
    }
}
