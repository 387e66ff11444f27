//! `tumble run --compare-solvers`: one scene by two solvers, and how the results differ.

use crate::arguments::RunArguments;
use crate::check::told;
use crate::failure::Failure;
use crate::figures::number;
use crate::run::{default_directory, run_scene};
use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::Path;
use tumble_engine::model::Solver;
use tumble_io::atomic_file;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectory;
use tumble_io::scene::{for_solver, parse};
use tumble_io::table::{Table, TableWriter};
use tumble_pictures::chart::{Axis, Chart, Series};

/// Runs a scene by two solvers and tells how they differ.
pub fn compare_solvers(arguments: &RunArguments) -> Result<(), Failure> {
    let solvers = chosen(&arguments.compare_solvers)?;
    let quiet = arguments.manner.quiet;
    let path = &arguments.scene;
    let text = fs::read_to_string(path).map_err(FileError::of("read", path))?;
    let root = arguments.out.clone().unwrap_or_else(|| default_directory(path));
    for solver in solvers {
        let (text, left_out) = for_solver(&text, solver);
        if !quiet && !left_out.is_empty() {
            let _ = writeln!(
                stderr(),
                "left out for `{}`, which does not know them: {}",
                solver.name(),
                left_out.join(", ")
            );
        }
        let scene = parse(&text, &path.display().to_string(), path.parent().unwrap_or(Path::new("")), &arguments.set);
        let scene = told(scene.map_err(Into::into), quiet)?;
        fs::create_dir_all(&root).map_err(FileError::of("create", &root))?;
        run_scene(arguments, scene, &root.join(solver.name()))?;
    }
    let runs = [Outcome::read(&root, solvers[0])?, Outcome::read(&root, solvers[1])?];
    let comparison = Comparison::of(&runs);
    comparison.write(&root, &runs)?;
    if !quiet {
        write!(stdout(), "{}", comparison.in_words(&root, &runs))?;
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<[Solver; 2], Failure> {
    let known = || Solver::ALL.map(|solver| format!("`{}`", solver.name())).join(", ");
    let find = |name: &String| {
        let found = Solver::ALL.into_iter().find(|solver| solver.name() == name);
        found.ok_or_else(|| {
            Failure::input(format!("there is no solver `{name}`; --compare-solvers takes two of {}", known()))
        })
    };
    match names {
        [one, other] if one != other => Ok([find(one)?, find(other)?]),
        _ => Err(Failure::input(format!("--compare-solvers takes two of {}, with a comma between them", known()))),
    }
}

/// What a run left.
struct Outcome {
    solver: Solver,
    series: Table,
    seconds: f64,
}

impl Outcome {
    fn read(root: &Path, solver: Solver) -> Result<Outcome, Failure> {
        let directory = RunDirectory::open(&root.join(solver.name()))?;
        let report = directory.read_report()?;
        let series = Table::read(&directory.series_path()).map_err(|error| Failure::Machine(error.into()))?;
        Ok(Outcome { solver, series, seconds: report.cpu_seconds.unwrap_or(report.wall_seconds) })
    }

    fn column(&self, name: &str) -> Option<&[f64]> {
        self.series.column(name)
    }

    /// A sum of columns at times, between rows along straight lines.
    fn at(&self, quantity: &Quantity, times: &[f64]) -> Vec<f64> {
        let own = self.column("time_s").unwrap_or_default();
        let columns: Vec<&[f64]> = quantity.columns.iter().filter_map(|name| self.column(name)).collect();
        let value = |row: usize| columns.iter().map(|column| column[row]).sum::<f64>();
        times
            .iter()
            .map(|&time| {
                let after = own.partition_point(|&t| t < time).min(own.len().saturating_sub(1));
                let before = after.saturating_sub(1);
                let span = own[after] - own[before];
                let share = if span > 0.0 { ((time - own[before]) / span).clamp(0.0, 1.0) } else { 1.0 };
                value(before) + share * (value(after) - value(before))
            })
            .collect()
    }
}

/// What is compared: a sum of columns of series.csv.
struct Quantity {
    name: &'static str,
    columns: &'static [&'static str],
    unit: &'static str,
}

const QUANTITIES: [Quantity; 5] = [
    Quantity { name: "kinetic energy of translation", columns: &["kinetic_translation_J"], unit: "J" },
    Quantity { name: "kinetic energy of rotation", columns: &["kinetic_rotation_J"], unit: "J" },
    Quantity { name: "potential energy", columns: &["potential_J"], unit: "J" },
    Quantity {
        name: "energy lost",
        columns: &[
            "lost_normal_dashpot_J",
            "lost_tangential_dashpot_J",
            "lost_slip_J",
            "lost_rolling_J",
            "lost_contact_end_J",
            "lost_stiffness_change_J",
            "lost_drag_J",
        ],
        unit: "J",
    },
    Quantity { name: "work of walls and edges", columns: &["wall_work_J"], unit: "J" },
];

/// Two runs at the same times.
struct Comparison {
    times: Vec<f64>,
    /// Both values of each quantity at each time.
    values: Vec<[Vec<f64>; 2]>,
}

impl Comparison {
    fn of(runs: &[Outcome; 2]) -> Comparison {
        let last = runs.iter().filter_map(|run| run.column("time_s")?.last().copied()).fold(f64::INFINITY, f64::min);
        let times: Vec<f64> =
            runs[0].column("time_s").unwrap_or_default().iter().copied().filter(|&time| time <= last).collect();
        let values = QUANTITIES.iter().map(|quantity| [0, 1].map(|k| runs[k].at(quantity, &times))).collect();
        Comparison { times, values }
    }

    /// Difference of a quantity at each time, over its largest size in either run.
    fn relative(&self, quantity: usize) -> Vec<f64> {
        let [one, other] = &self.values[quantity];
        let scale = one.iter().chain(other).fold(0.0, |largest: f64, value| largest.max(value.abs()));
        one.iter().zip(other).map(|(a, b)| if scale > 0.0 { (b - a) / scale } else { 0.0 }).collect()
    }

    fn write(&self, root: &Path, runs: &[Outcome; 2]) -> Result<(), Failure> {
        let [one, other] = [runs[0].solver.name(), runs[1].solver.name()];
        let mut columns = vec!["time_s".to_owned()];
        for quantity in &QUANTITIES {
            let name = quantity.name.replace(' ', "_");
            columns.extend([one, other].map(|solver| format!("{name}_{solver}_{}", quantity.unit)));
        }
        let mut table = TableWriter::create(&root.join("comparison.csv"), &columns)?;
        for (row, &time) in self.times.iter().enumerate() {
            let values = self.values.iter().flat_map(|[a, b]| [a[row], b[row]]);
            table.row(&std::iter::once(time).chain(values).collect::<Vec<f64>>())?;
        }
        table.flush()?;
        let of_both = |place: usize| {
            let named = |solver: &str| format!("{}, {solver}", QUANTITIES[place].name);
            [
                Series::line(&named(one), &self.times, &self.values[place][0]),
                Series::line(&named(other), &self.times, &self.values[place][1]),
            ]
        };
        let energies = Chart {
            title: format!("{one} and {other}"),
            x: Axis::new("time", "s"),
            y: Axis::new("energy", "J").from_zero(),
            series: [0, 3].into_iter().flat_map(of_both).collect(),
            note: String::new(),
        };
        let differences = Chart {
            title: format!("{other} less {one}"),
            x: Axis::new("time", "s"),
            y: Axis::new("difference over the largest value", ""),
            series: (0..QUANTITIES.len())
                .map(|place| Series::line(QUANTITIES[place].name, &self.times, &self.relative(place)))
                .collect(),
            note: String::new(),
        };
        for (name, chart) in [("comparison-energies.svg", energies), ("comparison-differences.svg", differences)] {
            atomic_file::replace_with(&root.join(name), chart.to_svg().as_bytes())?;
        }
        Ok(())
    }

    fn in_words(&self, root: &Path, runs: &[Outcome; 2]) -> String {
        let [one, other] = [runs[0].solver.name(), runs[1].solver.name()];
        let mut lines = vec![
            format!("{one} and {other} compared, at t = {} s", number(self.times.last().copied().unwrap_or(0.0))),
            format!("  {:<32} {one:>14} {other:>14} {:>12} {:>12}", "", "difference", "at most"),
        ];
        for (place, quantity) in QUANTITIES.iter().enumerate() {
            let [a, b] = &self.values[place];
            let relative = self.relative(place);
            let largest = relative.iter().fold(0.0, |largest: f64, difference| largest.max(difference.abs()));
            let (Some(a), Some(b), Some(last)) = (a.last(), b.last(), relative.last()) else { continue };
            if largest == 0.0 && *a == 0.0 && *b == 0.0 {
                continue;
            }
            let name = format!("{} [{}]", quantity.name, quantity.unit);
            let per_cent = |ratio: f64| format!("{:.2} %", 100.0 * ratio);
            lines.push(format!(
                "  {name:<32} {:>14} {:>14} {:>12} {:>12}",
                format!("{a:.4e}"),
                format!("{b:.4e}"),
                per_cent(*last),
                per_cent(largest)
            ));
        }
        let cost = |run: &Outcome| format!("{:.3} s", run.seconds);
        lines.push(format!("  {:<32} {:>14} {:>14}", "processor time", cost(&runs[0]), cost(&runs[1])));
        lines.push("differences are over the largest value of either run".to_owned());
        lines.push(format!("table and plots:  {}", root.join("comparison*").display()));
        lines.join("\n") + "\n"
    }
}
