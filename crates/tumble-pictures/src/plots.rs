//! The plots of a run: what its tables and its last frame tell.
//!
//! A run may still go on, may have been killed, or may have left something out: what is there is drawn, and what is not is named together
//! with the key of the scene that makes it.

mod histogram;
mod profiles;
mod series;

use crate::chart::Chart;
use tumble_io::run_directory::RunDirectory;
use tumble_io::table::{Table, TableError};
use tumble_io::trajectory::TrajectoryReader;

/// A kind of plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Energies over time.
    Energies,
    /// What the energy ledger leaves unexplained, over time.
    Residual,
    /// Contacts and coordination over time.
    Contacts,
    /// Largest overlap over time.
    Overlap,
    /// Packing fraction over time.
    Packing,
    /// Number of grains over time.
    Grains,
    /// Other measurements over time: pressure, anisotropy, loads on walls.
    Probes,
    /// Profiles along an axis.
    Profiles,
    /// Histograms of the last frame.
    Histograms,
}

impl PlotKind {
    /// Every kind, in the order of a report.
    pub const ALL: [PlotKind; 9] = [
        PlotKind::Energies,
        PlotKind::Residual,
        PlotKind::Contacts,
        PlotKind::Overlap,
        PlotKind::Packing,
        PlotKind::Grains,
        PlotKind::Probes,
        PlotKind::Profiles,
        PlotKind::Histograms,
    ];

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PlotKind::Energies => "energies",
            PlotKind::Residual => "residual",
            PlotKind::Contacts => "contacts",
            PlotKind::Overlap => "overlap",
            PlotKind::Packing => "packing",
            PlotKind::Grains => "grains",
            PlotKind::Probes => "probes",
            PlotKind::Profiles => "profiles",
            PlotKind::Histograms => "histograms",
        }
    }
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Its kind.
    pub kind: PlotKind,
    /// What it is called, fit for a file name.
    pub name: String,
    /// The chart.
    pub chart: Chart,
}

/// A plot that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its kind.
    pub kind: PlotKind,
    /// What is not there and what would make it.
    pub why: String,
    /// Whether the scene asked for nothing of the kind, so that nobody will wonder.
    pub is_by_choice: bool,
}

/// The plots of a run.
///
/// ```
/// use tumble_io::{RunDirectory, TableWriter};
/// use tumble_pictures::plots::Plots;
/// # let directory = tempfile::tempdir().unwrap();
/// # let root = directory.path().join("run");
///
/// let directory = RunDirectory::create(&root, false)?;
/// let mut series = TableWriter::create(&directory.series_path(), &["time_s", "grains"]).unwrap();
/// series.row(&[0.0, 5.0]).unwrap();
/// series.row(&[0.1, 7.0]).unwrap();
/// series.flush().unwrap();
/// let plots = Plots::of(&directory);
/// assert_eq!(plots.plots[0].name, "grains");
/// // What is not there is named with the key of the scene that makes it.
/// assert!(plots.missing.iter().any(|missing| missing.why.contains("output.trajectory")));
/// # Ok::<(), tumble_io::RunDirectoryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plots {
    /// Those that could be made.
    pub plots: Vec<Plot>,
    /// Those that could not.
    pub missing: Vec<Missing>,
    /// What of the run is damaged or cut off, so that the plots do not show it.
    pub damage: Vec<String>,
}

impl Plots {
    /// All plots of a run.
    pub fn of(directory: &RunDirectory) -> Plots {
        let mut plots = Plots::default();
        match Table::read(&directory.series_path()) {
            Ok(table) => series::plot(&table, &mut plots),
            Err(error) => {
                let why = read_failure(&error, "the time series");
                for kind in
                    [PlotKind::Energies, PlotKind::Residual, PlotKind::Contacts, PlotKind::Overlap, PlotKind::Grains]
                {
                    plots.miss(kind, why.clone(), false);
                }
            }
        }
        plots.add_probes(directory);
        match TrajectoryReader::open(&directory.trajectory_path()) {
            Ok(mut reader) => histogram::plot(&mut reader, &mut plots),
            Err(_) if !directory.trajectory_path().exists() => plots.miss(
                PlotKind::Histograms,
                "the run has no trajectory; set `output.trajectory` to a time such as \"10 ms\"".to_owned(),
                true,
            ),
            Err(error) => plots.miss(PlotKind::Histograms, error.to_string(), false),
        }
        let order = |kind: PlotKind| PlotKind::ALL.iter().position(|&other| other == kind);
        plots.plots.sort_by_key(|plot| order(plot.kind));
        plots
    }

    fn add_probes(&mut self, directory: &RunDirectory) {
        let mut tables = Vec::new();
        match directory.probes() {
            Ok(found) => {
                for (name, path) in found {
                    match Table::read(&path) {
                        Ok(table) => tables.push((name, table)),
                        Err(error) => self.miss(PlotKind::Probes, read_failure(&error, "a measurement"), false),
                    }
                }
            }
            Err(error) => self.miss(PlotKind::Probes, error.to_string(), false),
        }
        series::plot_probes(&tables, self);
        profiles::plot(&tables, self);
    }

    fn add(&mut self, kind: PlotKind, name: &str, chart: Chart) {
        self.plots.push(Plot { kind, name: file_name(name), chart });
    }

    fn miss(&mut self, kind: PlotKind, why: String, is_by_choice: bool) {
        self.missing.push(Missing { kind, why, is_by_choice });
    }
}

fn read_failure(error: &TableError, what: &str) -> String {
    match error {
        TableError::File(error) => format!("{what} cannot be read: {error}"),
        TableError::Damaged { .. } => format!("{what} is damaged: {error}"),
    }
}

/// A name with nothing but letters, digits, hyphens, underscores and points.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests;
