//! A run that is shown: its trajectory, opened and watched, and what the page is told of it.

use crate::series::{self, Column};
use serde::Serialize;
use std::path::PathBuf;
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::RunStatus;
use tumble_io::trajectory::{
    FrameEntry, Growth, TrajectoryError, TrajectoryFrame, TrajectoryMetadata, TrajectoryReader,
};

/// What is to be shown as one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownRun {
    /// What the page calls it.
    pub name: String,
    /// The file of its frames; it may be missing or begin later.
    pub trajectory: PathBuf,
    /// The directory of the run, if there is one: it holds the report and the time series.
    pub directory: Option<PathBuf>,
}

/// What the page is told whenever something changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    /// What the page calls it.
    pub(crate) name: String,
    /// Title of the run, if its trajectory tells one.
    pub(crate) title: Option<String>,
    /// How it stands: running, finished, interrupted, failed, or none if there is no report.
    pub(crate) status: Option<RunStatus>,
    /// Why it stands so.
    pub(crate) message: Option<String>,
    /// Simulated time at which it ends [s].
    pub(crate) end_time: Option<f64>,
    /// Number of whole frames.
    pub(crate) n_frames: usize,
    /// Counts how often the trajectory was begun anew: what the page knows of frames is stale when it changes.
    pub(crate) generation: u32,
    /// Names the server that says this. Another one in the same place counts its generations anew, so a page that hears
    /// another name knows nothing.
    pub(crate) instance: String,
    /// What is missing or damaged, in sentences.
    pub(crate) missing: Vec<String>,
}

/// Columns of the index.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Index {
    /// Number of the first frame in the columns.
    pub(crate) from: usize,
    /// See [`Summary::generation`].
    pub(crate) generation: u32,
    /// Steps done.
    pub(crate) step: Vec<u64>,
    /// Simulated times [s].
    pub(crate) time: Vec<f64>,
    /// Numbers of grains.
    pub(crate) grains: Vec<u32>,
    /// Numbers of contacts.
    pub(crate) contacts: Vec<u32>,
}

/// A run that is shown.
#[derive(Debug)]
pub(crate) struct Run {
    shown: ShownRun,
    reader: Result<TrajectoryReader, TrajectoryError>,
    generation: u32,
    instance: String,
}

impl Run {
    /// Opens a run for the server of a name: see [`Summary::instance`].
    pub(crate) fn open(shown: ShownRun, instance: String) -> Run {
        let reader = TrajectoryReader::open(&shown.trajectory);
        Run { shown, reader, generation: 0, instance }
    }

    /// Looks whether the trajectory has grown, has been begun anew, or can be read at last.
    pub(crate) fn refresh(&mut self) {
        match &mut self.reader {
            Ok(reader) => match reader.refresh() {
                Ok(Growth::None | Growth::Frames) => {}
                Ok(Growth::Replaced) => self.generation += 1,
                // It is gone or damaged at its beginning; what was known of it is no longer true.
                Err(error) => {
                    self.reader = Err(error);
                    self.generation += 1;
                }
            },
            Err(_) => {
                self.reader = TrajectoryReader::open(&self.shown.trajectory);
                if self.reader.is_ok() {
                    self.generation += 1;
                }
            }
        }
    }

    pub(crate) fn description(&self) -> Result<&TrajectoryMetadata, String> {
        self.reader.as_ref().map(TrajectoryReader::metadata).map_err(ToString::to_string)
    }

    pub(crate) fn summary(&self) -> Summary {
        let report =
            self.shown.directory.as_ref().map(|root| RunDirectory::open(root).and_then(|run| run.read_report()));
        let mut missing = Vec::new();
        let mut status = None;
        let mut message = None;
        let mut end_time = None;
        match report {
            Some(Ok(report)) => {
                status = Some(report.status);
                message = report.message;
                end_time = Some(report.end_time).filter(|time| time.is_finite());
            }
            Some(Err(error)) => missing.push(format!("There is no report: {error}.")),
            None => {}
        }
        let mut n_frames = 0;
        match &self.reader {
            Ok(reader) => {
                n_frames = reader.frames().len();
                if n_frames == 0 {
                    missing.push("The trajectory has no whole frame yet.".to_owned());
                }
                // The frame that a run is writing is no damage.
                let being_written =
                    |reason: &str| status == Some(RunStatus::Running) && reason.starts_with("the file ends");
                if let Some(tail) = reader.tail().filter(|tail| !being_written(tail.reason)) {
                    let after =
                        n_frames.checked_sub(1).map_or_else(String::new, |last| format!(", after frame {last},"));
                    missing.push(format!(
                        "The last {} bytes of the trajectory{after} cannot be shown: {}.",
                        tail.length, tail.reason
                    ));
                }
            }
            Err(error) => missing.push(format!("There are no frames: {error}.")),
        }
        Summary {
            name: self.shown.name.clone(),
            title: self.reader.as_ref().ok().map(|reader| reader.metadata().title.clone()),
            status,
            message,
            end_time,
            n_frames,
            generation: self.generation,
            instance: self.instance.clone(),
            missing,
        }
    }

    /// The index from a frame on.
    pub(crate) fn index(&self, from: usize) -> Index {
        let frames: &[FrameEntry] = self.reader.as_ref().map_or(&[], |reader| reader.frames());
        let mut index = Index { from, generation: self.generation, ..Index::default() };
        for entry in frames.iter().skip(from) {
            index.step.push(entry.step);
            index.time.push(entry.time);
            index.grains.push(entry.n_particles);
            index.contacts.push(entry.n_contacts);
        }
        index
    }

    /// One frame.
    pub(crate) fn frame(&mut self, number: usize) -> Result<TrajectoryFrame, TrajectoryError> {
        match &mut self.reader {
            Ok(reader) => reader.read_frame(number),
            Err(_) => {
                Err(TrajectoryError::NoSuchFrame { path: self.shown.trajectory.clone(), index: number, n_frames: 0 })
            }
        }
    }

    /// What is shown.
    pub(crate) fn shown(&self) -> &ShownRun {
        &self.shown
    }
}

impl ShownRun {
    /// The columns of the time series; none if there is no directory.
    pub(crate) fn series(&self) -> Result<Vec<Column>, String> {
        let Some(root) = &self.directory else { return Ok(Vec::new()) };
        let directory = RunDirectory::open(root).map_err(|error| error.to_string())?;
        series::read(&directory.series_path())
    }
}
