//! Profiles: quantities over the place along an axis, at a few moments.

use super::{PlotKind, Plots};
use crate::chart::{Axis, Chart, Paint, Series};
use crate::figures::quantity;
use std::ops::Range;
use tumble_io::table::Table;

/// Moments that are drawn, the first and the last among them.
const MOST_MOMENTS: usize = 5;

/// Adds the plots of all profiles.
pub(super) fn plot(tables: &[(String, Table)], plots: &mut Plots) {
    let mut is_empty = true;
    for (name, table) in tables {
        let Some(axis) = ["x", "y", "z"].into_iter().find(|axis| table.column(&format!("{axis}_m")).is_some()) else {
            continue;
        };
        is_empty = false;
        let moments = moments(table.column("step").unwrap_or_default());
        if moments.is_empty() {
            plots.miss(PlotKind::Profiles, format!("profile `{name}` has no rows yet"), false);
            continue;
        }
        plot_one(name, axis, table, &moments, plots);
    }
    if is_empty {
        plots.miss(
            PlotKind::Profiles,
            "no probe of the scene measures one; add `profile = { region = { box = ... }, axis = \"z\" }` to `output.probes`"
                .to_owned(),
            true,
        );
    }
}

/// The rows of each moment. A last moment that is not whole, because the run is writing it or was killed, is left out.
fn moments(step: &[f64]) -> Vec<Range<usize>> {
    let mut moments = Vec::new();
    let mut begin = 0;
    for group in step.chunk_by(|a, b| a == b) {
        moments.push(begin..begin + group.len());
        begin += group.len();
    }
    let whole = moments.first().map_or(0, Range::len);
    moments.retain(|rows| rows.len() == whole);
    moments
}

/// A few places of many, the first and the last among them.
fn spread(n: usize) -> Vec<usize> {
    let kept = n.min(MOST_MOMENTS);
    let mut places: Vec<usize> = (0..kept).map(|k| if kept < 2 { n - 1 } else { k * (n - 1) / (kept - 1) }).collect();
    places.dedup();
    places
}

fn plot_one(name: &str, axis: &str, table: &Table, moments: &[Range<usize>], plots: &mut Plots) {
    let Some(time) = table.column("time_s") else {
        plots.miss(PlotKind::Profiles, format!("profile `{name}` has no column `time_s`"), false);
        return;
    };
    let place = table.column(&format!("{axis}_m")).unwrap_or_default();
    let at = |rows: &Range<usize>| {
        let time = time.get(rows.start).copied().unwrap_or(f64::NAN);
        format!("t = {}", quantity(time, "s"))
    };
    let line = |label: &str, rows: &Range<usize>, values: &[f64]| {
        Series::line(label, &place[rows.clone()], &values[rows.clone()])
    };
    let across = || Axis::new(axis, "m");
    for (column, quantity_name, file, y) in [
        ("solid_fraction", "Solid fraction", "solid-fraction", Axis::new("solid fraction", "").from_zero()),
        ("order_parameter", "Order of the axes", "order", Axis::new("order parameter", "")),
        (
            "temperature_m2_per_s2",
            "Granular temperature",
            "temperature",
            Axis::new("temperature", "m^2/s^2").from_zero(),
        ),
    ] {
        let Some(values) = table.column(column) else { continue };
        let chosen = spread(moments.len());
        let last_of_all = moments.len().saturating_sub(1).max(1) as f64;
        let lines = chosen
            .into_iter()
            .map(|k| line(&at(&moments[k]), &moments[k], values).painted(Paint::Order(k as f64 / last_of_all)));
        let chart = Chart {
            title: format!("{quantity_name} along {axis} ({name})"),
            x: across(),
            y,
            series: lines.collect(),
            note: String::new(),
        };
        plots.add(PlotKind::Profiles, &format!("profile-{name}-{file}"), chart);
    }
    let Some(last) = moments.last() else { return };
    let velocities = ["x", "y", "z"]
        .iter()
        .filter_map(|component| Some(line(component, last, table.column(&format!("velocity_{component}_m_per_s"))?)));
    let velocities: Vec<Series> = velocities.collect();
    if velocities.is_empty() {
        return;
    }
    let chart = Chart {
        title: format!("Mean velocity along {axis} at {} ({name})", at(last)),
        x: across(),
        y: Axis::new("velocity", "m/s"),
        series: velocities,
        note: String::new(),
    };
    plots.add(PlotKind::Profiles, &format!("profile-{name}-velocity"), chart);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_are_not_whole_are_left_out() {
        assert_eq!(moments(&[0.0, 0.0, 10.0, 10.0, 20.0]), [0..2, 2..4]);
        assert_eq!(moments(&[0.0, 0.0]), std::slice::from_ref(&(0..2)));
        assert!(moments(&[]).is_empty());
    }

    #[test]
    fn the_first_and_last_moment_are_among_those_drawn() {
        assert_eq!(spread(0), Vec::<usize>::new());
        assert_eq!(spread(1), [0]);
        assert_eq!(spread(3), [0, 1, 2]);
        assert_eq!(spread(101), [0, 25, 50, 75, 100]);
    }
}
