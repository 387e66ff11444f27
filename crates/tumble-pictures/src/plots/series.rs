//! Plots over time, from `series.csv` and from the measurements that have one row a moment.

use super::{PlotKind, Plots};
use crate::chart::{Axis, Chart, Paint, Series};
use crate::figures::quantity;
use tumble_engine::observe::contact_kinds::CONTACT_KINDS;
use tumble_io::table::Table;

/// The sum of columns, row by row; `None` if the table has none of them.
fn sum(table: &Table, is_wanted: impl Fn(&str) -> bool) -> Option<Vec<f64>> {
    let mut wanted = table.columns().iter().filter(|column| is_wanted(&column.name)).peekable();
    wanted.peek()?;
    let mut sum = vec![0.0; table.n_rows()];
    for column in wanted {
        sum.iter_mut().zip(&column.values).for_each(|(sum, value)| *sum += value);
    }
    Some(sum)
}

fn time_axis() -> Axis {
    Axis::new("time", "s")
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().filter(|value| value.is_finite()).fold(0.0, |most, value| value.abs().max(most))
}

/// Adds the plots of the time series.
pub(super) fn plot(table: &Table, plots: &mut Plots) {
    let Some(time) = table.column("time_s").filter(|time| !time.is_empty()) else {
        for kind in [PlotKind::Energies, PlotKind::Residual, PlotKind::Contacts, PlotKind::Overlap, PlotKind::Grains] {
            plots.miss(kind, "series.csv has no rows yet".to_owned(), false);
        }
        return;
    };
    let energies = energies(table, time);
    if energies.is_empty() {
        plots.miss(PlotKind::Energies, "series.csv has no columns of energies".to_owned(), false);
    } else {
        let chart = Chart {
            title: "Energies".to_owned(),
            x: time_axis(),
            y: Axis::new("energy", "J"),
            series: energies,
            note: "The total is kinetic, potential and elastic. Potential energy is zero at the origin of coordinates. What was lost and what the walls did count from the start."
                .to_owned(),
        };
        plots.add(PlotKind::Energies, "energies", chart);
    }
    residual(table, time, plots);
    let mut single =
        |kind, name: &str, column: &str, title: &str, label: &str, is_count: bool| match table.column(column) {
            Some(values) => {
                let chart = Chart {
                    title: title.to_owned(),
                    x: time_axis(),
                    y: if is_count { Axis::new(label, "").counting() } else { Axis::new(label, "").from_zero() },
                    series: vec![Series::line(label, time, values)],
                    note: String::new(),
                };
                plots.add(kind, name, chart);
            }
            None => plots.miss(kind, format!("series.csv has no column `{column}`"), false),
        };
    single(PlotKind::Contacts, "number-of-contacts", "contacts", "Contacts", "touching contacts", true);
    single(PlotKind::Contacts, "coordination", "coordination", "Coordination", "contacts a grain", false);
    match table.column("largest_relative_overlap") {
        Some(values) => {
            let percent: Vec<f64> = values.iter().map(|value| 100.0 * value).collect();
            let deepest = table.column("largest_overlap_m").map_or(f64::NAN, largest);
            let chart = Chart {
                title: "Largest overlap".to_owned(),
                x: time_axis(),
                y: Axis::new("overlap over the smallest half width", "%").from_zero(),
                series: vec![Series::line("overlap", time, &percent)],
                note: format!("The deepest overlap at any of these moments was {}.", quantity(deepest, "m")),
            };
            plots.add(PlotKind::Overlap, "overlap", chart);
        }
        None => {
            plots.miss(PlotKind::Overlap, "series.csv has no column `largest_relative_overlap`".to_owned(), false);
        }
    }
    iterations(table, time, plots);
    grains(table, time, plots);
}

/// Iterations of searches for common planes, between each two rows; a run has them that finds contacts so.
fn iterations(table: &Table, time: &[f64], plots: &mut Plots) {
    let column = |name| table.column(name);
    let (Some(searches), Some(iterations), Some(most)) =
        (column("plane_searches"), column("plane_iterations"), column("plane_most_iterations"))
    else {
        return;
    };
    let grown = |counts: &[f64]| -> Vec<f64> { counts.windows(2).map(|pair| pair[1] - pair[0]).collect() };
    let mean: Vec<f64> = grown(iterations).iter().zip(grown(searches)).map(|(all, n)| all / n).collect();
    let chart = Chart {
        title: "Iterations of searches for common planes".to_owned(),
        x: time_axis(),
        y: Axis::new("iterations of a search", "").from_zero(),
        series: vec![
            Series::line("mean since the last moment", &time[1..], &mean),
            Series::line("most so far", time, most),
        ],
        note: String::new(),
    };
    plots.add(PlotKind::Contacts, "iterations", chart);
}

/// The energies that are not zero all the time; kinetic energy always.
fn energies(table: &Table, time: &[f64]) -> Vec<Series> {
    let is = |wanted: &'static str| move |name: &str| name == wanted;
    let sums = [
        ("kinetic, moving", sum(table, is("kinetic_translation_J"))),
        ("kinetic, turning", sum(table, is("kinetic_rotation_J"))),
        ("potential", sum(table, is("potential_J"))),
        ("elastic", sum(table, |name| name.starts_with("elastic_") && name.ends_with("_J"))),
        (
            "total",
            sum(table, |name| {
                let is_held = |start: &str| name.starts_with(start);
                name.ends_with("_J") && (is_held("kinetic_") || is_held("elastic_") || name == "potential_J")
            }),
        ),
        ("lost", sum(table, |name| name.starts_with("lost_") && name.ends_with("_J"))),
        ("work of walls", sum(table, is("wall_work_J"))),
        ("brought by changes", sum(table, is("changed_J"))),
        ("inserted", sum(table, is("inserted_J"))),
        ("removed", sum(table, is("removed_J"))),
    ];
    let mut lines = Vec::new();
    for (place, (name, values)) in sums.into_iter().enumerate() {
        let Some(values) = values else { continue };
        if place == 0 || largest(&values) > 0.0 {
            // The colour goes with the energy, whichever others are there.
            lines.push(Series::line(name, time, &values).painted(Paint::Number(place)));
        }
    }
    lines
}

fn residual(table: &Table, time: &[f64], plots: &mut Plots) {
    let Some(values) = table.column("relative_residual") else {
        let why = "series.csv has no column `relative_residual`".to_owned();
        return plots.miss(PlotKind::Residual, why, false);
    };
    let size: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    let most = largest(&size);
    let is_zero = most == 0.0;
    let axis = Axis::new("share of the energy in play", "");
    let zeros = if size.contains(&0.0) { " Moments at which it is exactly zero are not drawn." } else { "" };
    let is_small = |value: &f64| *value > 0.0 && *value < 1e-8 * most;
    let small = if size.iter().any(is_small) { " Values below the axis stand at its end." } else { "" };
    let chart = Chart {
        title: "What the energy ledger leaves unexplained".to_owned(),
        x: time_axis(),
        // A logarithmic axis has no place for a ledger that closes exactly.
        y: if is_zero { axis.from_zero() } else { axis.logarithmic() },
        series: vec![Series::line("residual", time, &size)],
        note: if is_zero { "It closes exactly.".to_owned() } else { format!("Size of the residual.{zeros}{small}") },
    };
    plots.add(PlotKind::Residual, "ledger-residual", chart);
}

fn grains(table: &Table, time: &[f64], plots: &mut Plots) {
    let Some(now) = table.column("grains") else {
        return plots.miss(PlotKind::Grains, "series.csv has no column `grains`".to_owned(), false);
    };
    let mut series = vec![Series::line("there", time, now)];
    for (name, column) in [("came so far", "inserted"), ("left so far", "removed")] {
        // A run that begins with all its grains and keeps them has one line.
        let values = table.column(column).unwrap_or_default();
        if values.iter().zip(now).any(|(value, now)| *value > 0.0 && value != now) {
            series.push(Series::line(name, time, values));
        }
    }
    let chart = Chart {
        title: "Grains".to_owned(),
        x: time_axis(),
        y: Axis::new("grains", "").counting(),
        series,
        note: String::new(),
    };
    plots.add(PlotKind::Grains, "grains", chart);
}

/// Adds the plots of measurements that have one row a moment.
pub(super) fn plot_probes(tables: &[(String, Table)], plots: &mut Plots) {
    let with = |column: &'static str| {
        tables.iter().filter_map(move |(name, table)| Some((name, table.column("time_s")?, table.column(column)?)))
    };
    let packing: Vec<Series> =
        with("packing_fraction").map(|(name, time, values)| Series::line(name, time, values)).collect();
    if packing.is_empty() {
        plots.miss(
            PlotKind::Packing,
            "no probe of the scene measures it; add `packing_fraction = { region = ... }` to `output.probes`"
                .to_owned(),
            true,
        );
    } else {
        plots.add(
            PlotKind::Packing,
            "packing",
            over_time("Packing fraction", Axis::new("packing fraction", ""), packing),
        );
    }
    for (column, name, title, axis) in [
        ("pressure_Pa", "pressure", "Pressure", Axis::new("pressure", "Pa")),
        ("anisotropy", "anisotropy", "Anisotropy of the fabric", Axis::new("anisotropy", "").from_zero()),
    ] {
        let series: Vec<Series> = with(column).map(|(name, time, values)| Series::line(name, time, values)).collect();
        if !series.is_empty() {
            plots.add(PlotKind::Probes, name, over_time(title, axis, series));
        }
    }
    for (probe, table) in tables {
        let Some(time) = table.column("time_s") else { continue };
        // A kind of contact that never comes is not drawn.
        let kinds: Vec<Series> = CONTACT_KINDS
            .iter()
            .filter_map(|kind| Some((kind, table.column(kind)?)))
            .filter(|(_, values)| values.iter().any(|&count| count > 0.0))
            .map(|(kind, values)| Series::line(&kind.replace('_', " on "), time, values))
            .collect();
        if !kinds.is_empty() {
            let title = format!("Contacts by what touches ({probe})");
            let chart = over_time(&title, Axis::new("contacts", "").from_zero(), kinds);
            plots.add(PlotKind::Probes, &format!("contact-kinds-{probe}"), chart);
        }
        let forces: Vec<Series> = ["x", "y", "z"]
            .iter()
            .filter_map(|axis| Some(Series::line(axis, time, table.column(&format!("total_force_{axis}_N"))?)))
            .collect();
        if !forces.is_empty() {
            let title = format!("Force of the grains on all walls ({probe})");
            plots.add(
                PlotKind::Probes,
                &format!("wall-force-{probe}"),
                over_time(&title, Axis::new("force", "N"), forces),
            );
        }
    }
}

fn over_time(title: &str, y: Axis, series: Vec<Series>) -> Chart {
    // A single line is not named by a legend, so the title does it.
    let title = match &series[..] {
        [only] if !title.contains('(') => format!("{title} ({})", only.name),
        _ => title.to_owned(),
    };
    Chart { title, x: time_axis(), y, series, note: String::new() }
}
