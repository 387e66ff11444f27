//! The growing files of a run: time series, probes, frames, trajectory.
//!
//! A checkpoint remembers how long each of them was; a resumed run cuts them back to that and writes on.

use crate::failure::Failure;
use crate::schedule::Schedule;
use crate::series::Sample;
use tumble_engine::Simulation;
use tumble_engine::observe::Probe;
use tumble_engine::observe::coordination::coordination_numbers;
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::run_directory::RunDirectory;
use tumble_io::scene::OutputPlan;
use tumble_io::table::TableWriter;
use tumble_io::trajectory::{TrajectoryMetadata, TrajectoryWriter};
use tumble_io::vtk::{FrameContents, FrameSeries};

const SERIES: &str = "series.csv";
const TRAJECTORY: &str = "trajectory.tumble";
const FRAMES: &str = "frames";

/// The growing files of a run.
#[derive(Debug)]
pub struct Outputs {
    series: TableWriter,
    probes: Vec<(Probe, TableWriter)>,
    frames: Option<FrameSeries>,
    trajectory: Option<TrajectoryWriter>,
    trajectory_contacts: bool,
}

/// What is written at one moment.
#[derive(Clone, Debug)]
struct Due {
    series: bool,
    probes: Vec<bool>,
    frames: bool,
    trajectory: bool,
}

impl Due {
    fn at(schedule: &Schedule, step: u64) -> Due {
        Due {
            series: schedule.series.is_due(step),
            probes: schedule.probes.iter().map(|every| every.is_due(step)).collect(),
            frames: schedule.frames.is_some_and(|every| every.is_due(step)),
            trajectory: schedule.trajectory.is_some_and(|every| every.is_due(step)),
        }
    }

    /// What the schedule leaves out at this step though it is wanted at all.
    fn left_out_at(schedule: &Schedule, step: u64) -> Due {
        let due = Due::at(schedule, step);
        Due {
            series: !due.series,
            probes: due.probes.iter().map(|due| !due).collect(),
            frames: schedule.frames.is_some() && !due.frames,
            trajectory: schedule.trajectory.is_some() && !due.trajectory,
        }
    }

    fn any(&self) -> bool {
        self.series || self.frames || self.trajectory || self.probes.contains(&true)
    }
}

/// What frames hold.
fn contents(plan: &OutputPlan) -> FrameContents {
    FrameContents { contacts: plan.contacts, surfaces: plan.surfaces }
}

impl Outputs {
    /// Begins all files of a new run.
    pub fn create(
        directory: &RunDirectory,
        plan: &OutputPlan,
        title: &str,
        simulation: &Simulation,
    ) -> Result<Outputs, Failure> {
        let model = simulation.model();
        let mut probes = Vec::new();
        for planned in &plan.probes {
            let path = directory.probe_path(&planned.probe.name);
            probes.push((planned.probe.clone(), TableWriter::create(&path, &planned.probe.columns(model))?));
        }
        let metadata = TrajectoryMetadata {
            contacts: plan.trajectory_contacts,
            ..TrajectoryMetadata::of(model, title, env!("CARGO_PKG_VERSION"))
        };
        Ok(Outputs {
            series: TableWriter::create(&directory.series_path(), &Sample::of(simulation).columns())?,
            probes,
            frames: match plan.frame_interval {
                Some(_) if plan.vtk => Some(FrameSeries::create(&directory.frames_path(), contents(plan))?),
                _ => None,
            },
            trajectory: match plan.trajectory_interval {
                Some(_) => Some(TrajectoryWriter::create(&directory.trajectory_path(), &metadata)?),
                None => None,
            },
            trajectory_contacts: plan.trajectory_contacts,
        })
    }

    /// Goes on with all files where a checkpoint left them.
    pub fn append_after(
        directory: &RunDirectory,
        plan: &OutputPlan,
        simulation: &Simulation,
        checkpoint: &CheckpointExtra,
    ) -> Result<Outputs, Failure> {
        let model = simulation.model();
        let counter = |name: &str| {
            checkpoint.counter(name).ok_or_else(|| {
                Failure::input(format!(
                    "the checkpoint does not say how long {name} was: it was not written by `tumble run`"
                ))
            })
        };
        let mut probes = Vec::new();
        for planned in &plan.probes {
            let offset = counter(&probe_counter(&planned.probe))?;
            let path = directory.probe_path(&planned.probe.name);
            let table = TableWriter::append_after(&path, &planned.probe.columns(model), offset)?;
            probes.push((planned.probe.clone(), table));
        }
        let columns = Sample::of(simulation).columns();
        Ok(Outputs {
            series: TableWriter::append_after(&directory.series_path(), &columns, counter(SERIES)?)?,
            probes,
            frames: match plan.frame_interval {
                Some(_) if plan.vtk => {
                    let n_frames = counter(FRAMES)?;
                    Some(FrameSeries::append_after(&directory.frames_path(), contents(plan), n_frames)?)
                }
                _ => None,
            },
            trajectory: match plan.trajectory_interval {
                Some(_) => Some(TrajectoryWriter::append_after(&directory.trajectory_path(), counter(TRAJECTORY)?)?),
                None => None,
            },
            trajectory_contacts: plan.trajectory_contacts,
        })
    }

    /// Writes what the schedule asks for at this step. Returns the sample if the time series got a row.
    pub fn write_due(&mut self, schedule: &Schedule, simulation: &Simulation) -> Result<Option<Sample>, Failure> {
        self.write(&Due::at(schedule, simulation.state().step), simulation)
    }

    /// Writes the last moment of a run to every file that has not got it. This comes after the last checkpoint, so that
    /// a run that is taken further drops it again and ends up with the regular moments alone.
    pub fn write_last(&mut self, schedule: &Schedule, simulation: &Simulation) -> Result<Option<Sample>, Failure> {
        self.write(&Due::left_out_at(schedule, simulation.state().step), simulation)
    }

    fn write(&mut self, due: &Due, simulation: &Simulation) -> Result<Option<Sample>, Failure> {
        if !due.any() {
            return Ok(None);
        }
        let (model, state) = (simulation.model(), simulation.state());
        let mut sample = None;
        if due.series {
            let now = Sample::of(simulation);
            self.series.row(&now.row())?;
            self.series.flush()?;
            sample = Some(now);
        }
        let wants_contacts = (due.frames && self.frames.is_some())
            || (due.trajectory && self.trajectory.is_some() && self.trajectory_contacts)
            || due.probes.contains(&true);
        let contacts = if wants_contacts { simulation.contacts() } else { Vec::new() };
        for ((probe, table), due) in self.probes.iter_mut().zip(&due.probes) {
            if *due {
                for row in probe.rows(model, state, &contacts) {
                    table.row(&row)?;
                }
                table.flush()?;
            }
        }
        if let Some(frames) = self.frames.as_mut().filter(|_| due.frames) {
            let coordination = coordination_numbers(state.particles.len(), &contacts);
            frames.write(model, state, &coordination, &contacts)?;
        }
        if let Some(trajectory) = self.trajectory.as_mut().filter(|_| due.trajectory) {
            trajectory.write_frame(state, if self.trajectory_contacts { &contacts } else { &[] })?;
        }
        Ok(sample)
    }

    /// Forces everything to the disk and notes for a checkpoint how far each file has come.
    pub fn note(&mut self, extra: &mut CheckpointExtra) -> Result<(), Failure> {
        extra.set_counter(SERIES, self.series.flush_and_sync()?);
        for (probe, table) in &mut self.probes {
            extra.set_counter(&probe_counter(probe), table.flush_and_sync()?);
        }
        if let Some(frames) = &self.frames {
            extra.set_counter(FRAMES, frames.len() as u64);
        }
        if let Some(trajectory) = &mut self.trajectory {
            extra.set_counter(TRAJECTORY, trajectory.flush_and_sync()?);
        }
        Ok(())
    }
}

fn probe_counter(probe: &Probe) -> String {
    format!("probes/{}.csv", probe.name)
}
