//! The growing files of a run: time series, probes, frames, trajectory.
//!
//! A checkpoint remembers how long each of them was; a resumed run cuts them back to that and writes on.

use crate::account::Account;
use crate::schedule::Schedule;
use crate::series::Sample;
use crate::{RunError, VERSION};
use tumble_engine::hard::{CollisionPartner, CollisionRecord};
use tumble_engine::observe::Probe;
use tumble_engine::observe::coordination::coordination_numbers;
use tumble_engine::{Model, Simulation, State};
use tumble_io::append_file::OldDamage;
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::run_directory::RunDirectory;
use tumble_io::scene::OutputPlan;
use tumble_io::table::TableWriter;
use tumble_io::trajectory::{TrajectoryMetadata, TrajectoryWriter};
use tumble_io::vtk::{FrameContents, FrameSeries};

const SERIES: &str = "series.csv";
const COLLISIONS: &str = "collisions.csv";
const TRAJECTORY: &str = "trajectory.tumble";
const FRAMES: &str = "frames";

/// The growing files of a run.
#[derive(Debug)]
pub(crate) struct Outputs {
    series: TableWriter,
    /// Every collision, if the scene asks for them.
    collisions: Option<TableWriter>,
    probes: Vec<ProbeTable>,
    frames: Option<FrameSeries>,
    trajectory: Option<TrajectoryWriter>,
    trajectory_contacts: bool,
    written: Written,
}

/// A measurement, its table, and what it keeps from row to row.
#[derive(Debug)]
struct ProbeTable {
    probe: Probe,
    table: TableWriter,
    before: Vec<f64>,
}

/// The step at which each file got its newest moment; `None` if it has none.
#[derive(Clone, Debug)]
struct Written {
    series: Option<u64>,
    probes: Vec<Option<u64>>,
    frames: Option<u64>,
    trajectory: Option<u64>,
}

/// Share of the interval between frames within which a frame at the end of a run counts as the last regular one.
const BESIDE: f64 = 0.05;

/// What is written at one moment.
#[derive(Clone, Debug)]
struct Due {
    series: bool,
    probes: Vec<bool>,
    frames: bool,
    trajectory: bool,
}

impl Due {
    fn at(schedule: &Schedule, state: &State) -> Due {
        Due {
            series: schedule.series.are_due(state),
            probes: schedule.probes.iter().map(|moments| moments.are_due(state)).collect(),
            frames: schedule.frames.is_some_and(|moments| moments.are_due(state)),
            trajectory: schedule.trajectory.is_some_and(|moments| moments.are_due(state)),
        }
    }

    /// What has not got this moment yet. A frame that would stand right beside the last regular one is left out: it shows the same, and
    /// would end a film with a jump in its time.
    fn missing(written: &Written, plan: &OutputPlan, state: &State) -> Due {
        let is_missing = |step: Option<u64>| step != Some(state.step);
        let is_apart = |step: Option<u64>, interval: Option<f64>| match (step, interval) {
            (Some(step), Some(interval)) => {
                let regular = (state.time / interval).floor() * interval;
                let shown = state.time - state.step.saturating_sub(step) as f64 * state.time_step;
                // At the first multiple nothing has happened yet.
                regular <= 0.0 || state.time - regular > BESIDE * interval || shown < regular - 0.5 * state.time_step
            }
            _ => true,
        };
        Due {
            series: is_missing(written.series),
            probes: written.probes.iter().copied().map(is_missing).collect(),
            frames: is_missing(written.frames) && is_apart(written.frames, plan.frame_interval),
            trajectory: is_missing(written.trajectory) && is_apart(written.trajectory, plan.trajectory_interval),
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

/// What the trajectory says of the run.
fn metadata(plan: &OutputPlan, title: &str, model: &Model) -> TrajectoryMetadata {
    TrajectoryMetadata { contacts: plan.trajectory_contacts, ..TrajectoryMetadata::of(model, title, VERSION) }
}

impl Outputs {
    /// Begins all files of a new run.
    pub(crate) fn create(
        directory: &RunDirectory,
        plan: &OutputPlan,
        title: &str,
        simulation: &Simulation,
        stage: Option<u64>,
    ) -> Result<Outputs, RunError> {
        let model = simulation.model();
        let mut probes = Vec::new();
        for planned in &plan.probes {
            let path = directory.probe_path(&planned.probe.name);
            let table = TableWriter::create(&path, &planned.probe.columns(model))?;
            probes.push(ProbeTable { probe: planned.probe.clone(), table, before: Vec::new() });
        }
        let metadata = metadata(plan, title, model);
        Ok(Outputs {
            series: TableWriter::create(
                &directory.series_path(),
                &Sample::of(simulation, simulation.plane_searches(), stage).columns(),
            )?,
            collisions: match model.hard.log {
                true => Some(TableWriter::create(&directory.collisions_path(), &COLLISION_COLUMNS)?),
                false => None,
            },
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
            written: Written { series: None, probes: vec![None; plan.probes.len()], frames: None, trajectory: None },
        })
    }

    /// Goes on with all files where a checkpoint left them, and says what is missing or damaged of them.
    pub(crate) fn append_after(
        directory: &RunDirectory,
        plan: &OutputPlan,
        title: &str,
        simulation: &Simulation,
        stage: Option<u64>,
        checkpoint: &CheckpointExtra,
    ) -> Result<(Outputs, Vec<OldDamage>), RunError> {
        let mut damage = Vec::new();
        let model = simulation.model();
        let counter =
            |name: &str| checkpoint.counter(name).ok_or_else(|| RunError::NotOfARun { file: name.to_owned() });
        let mut probes = Vec::new();
        for planned in &plan.probes {
            let offset = counter(&probe_counter(&planned.probe))?;
            let path = directory.probe_path(&planned.probe.name);
            let (table, lost) = TableWriter::append_after(&path, &planned.probe.columns(model), offset)?;
            damage.extend(lost);
            let kept = (0..).map_while(|place| checkpoint.counter(&before_counter(&planned.probe, place)));
            let before = kept.map(f64::from_bits).collect();
            probes.push(ProbeTable { probe: planned.probe.clone(), table, before });
        }
        let columns = Sample::of(simulation, simulation.plane_searches(), stage).columns();
        let names: Vec<String> = plan.probes.iter().map(|planned| probe_counter(&planned.probe)).collect();
        let (series, lost) = TableWriter::append_after(&directory.series_path(), &columns, counter(SERIES)?)?;
        damage.extend(lost);
        let mut collisions = None;
        if model.hard.log {
            let path = directory.collisions_path();
            let (table, lost) = TableWriter::append_after(&path, &COLLISION_COLUMNS, counter(COLLISIONS)?)?;
            collisions = Some(table);
            damage.extend(lost);
        }
        let mut frames = None;
        if plan.frame_interval.is_some() && plan.vtk {
            let (series, lost) = FrameSeries::append_after(&directory.frames_path(), contents(plan), counter(FRAMES)?)?;
            frames = Some(series);
            damage.extend(lost);
        }
        let mut trajectory = None;
        if plan.trajectory_interval.is_some() {
            let metadata = metadata(plan, title, model);
            let (writer, lost) =
                TrajectoryWriter::append_after(&directory.trajectory_path(), &metadata, counter(TRAJECTORY)?)?;
            trajectory = Some(writer);
            damage.extend(lost);
        }
        let outputs = Outputs {
            series,
            collisions,
            probes,
            frames,
            trajectory,
            trajectory_contacts: plan.trajectory_contacts,
            written: Written {
                series: checkpoint.counter(&last_step_of(SERIES)),
                probes: names.iter().map(|name| checkpoint.counter(&last_step_of(name))).collect(),
                frames: checkpoint.counter(&last_step_of(FRAMES)),
                trajectory: checkpoint.counter(&last_step_of(TRAJECTORY)),
            },
        };
        Ok((outputs, damage))
    }

    /// Writes the collisions of the last step, if they are asked for.
    pub(crate) fn log_collisions(&mut self, simulation: &Simulation) -> Result<(), RunError> {
        if let Some(table) = &mut self.collisions {
            for collision in simulation.collisions() {
                table.row(&collision_row(collision))?;
            }
        }
        Ok(())
    }

    /// Writes what the schedule asks for at this moment. Returns the sample if the time series got a row.
    pub(crate) fn write_due(
        &mut self,
        schedule: &Schedule,
        simulation: &Simulation,
        account: &Account,
        stage: Option<u64>,
    ) -> Result<Option<Sample>, RunError> {
        self.write(&Due::at(schedule, simulation.state()), simulation, account, stage)
    }

    /// Writes the last moment of a run to every file that has not got it. This comes after the last checkpoint, so that
    /// a run that is taken further drops it again and ends up with the regular moments alone.
    pub(crate) fn write_last(
        &mut self,
        simulation: &Simulation,
        plan: &OutputPlan,
        account: &Account,
        stage: Option<u64>,
    ) -> Result<Option<Sample>, RunError> {
        self.write(&Due::missing(&self.written, plan, simulation.state()), simulation, account, stage)
    }

    fn write(
        &mut self,
        due: &Due,
        simulation: &Simulation,
        account: &Account,
        stage: Option<u64>,
    ) -> Result<Option<Sample>, RunError> {
        if !due.any() {
            return Ok(None);
        }
        let (model, state) = (simulation.model(), simulation.state());
        let mut sample = None;
        if due.series {
            let now = Sample::of(simulation, account.plane_searches, stage);
            self.series.row(&now.row())?;
            self.series.flush()?;
            self.written.series = Some(state.step);
            sample = Some(now);
        }
        let wants_contacts = (due.frames && self.frames.is_some())
            || (due.trajectory && self.trajectory.is_some() && self.trajectory_contacts)
            || due.probes.contains(&true);
        let contacts = if wants_contacts { simulation.contacts() } else { Vec::new() };
        for ((table, due), written) in self.probes.iter_mut().zip(&due.probes).zip(&mut self.written.probes) {
            if *due {
                let ProbeTable { probe, table, before } = table;
                for row in probe.rows_after(model, state, &contacts, before) {
                    table.row(&row)?;
                }
                table.flush()?;
                *written = Some(state.step);
            }
        }
        if let Some(frames) = self.frames.as_mut().filter(|_| due.frames) {
            let coordination = coordination_numbers(state.particles.len(), &contacts);
            frames.write(model, state, &coordination, &contacts)?;
            self.written.frames = Some(state.step);
        }
        if let Some(trajectory) = self.trajectory.as_mut().filter(|_| due.trajectory) {
            trajectory.write_frame(state, if self.trajectory_contacts { &contacts } else { &[] })?;
            self.written.trajectory = Some(state.step);
        }
        Ok(sample)
    }

    /// Forces everything to the disk and notes for a checkpoint how far each file has come.
    pub(crate) fn note(&mut self, extra: &mut CheckpointExtra) -> Result<(), RunError> {
        extra.set_counter(SERIES, self.series.flush_and_sync()?);
        for ProbeTable { probe, table, before } in &mut self.probes {
            extra.set_counter(&probe_counter(probe), table.flush_and_sync()?);
            for (place, number) in before.iter().enumerate() {
                extra.set_counter(&before_counter(probe, place), number.to_bits());
            }
        }
        if let Some(collisions) = &mut self.collisions {
            extra.set_counter(COLLISIONS, collisions.flush_and_sync()?);
        }
        if let Some(frames) = &self.frames {
            extra.set_counter(FRAMES, frames.len() as u64);
        }
        if let Some(trajectory) = &mut self.trajectory {
            extra.set_counter(TRAJECTORY, trajectory.flush_and_sync()?);
        }
        let Written { series, probes, frames, trajectory } = &self.written;
        let mut note = |name: &str, step: &Option<u64>| {
            if let Some(step) = step {
                extra.set_counter(&last_step_of(name), *step);
            }
        };
        note(SERIES, series);
        self.probes.iter().zip(probes).for_each(|(table, step)| note(&probe_counter(&table.probe), step));
        note(FRAMES, frames);
        note(TRAJECTORY, trajectory);
        Ok(())
    }
}

/// Columns of the log of collisions. The partner is a grain's id, or a wall's number, from 0 in the order of the scene, in the column
/// after it; the other of the two is -1. `slides` is 1 where friction was too small for the surfaces to stick, and 0 elsewhere.
const COLLISION_COLUMNS: [&str; 16] = [
    "time_s",
    "grain",
    "other_grain",
    "wall",
    "x_m",
    "y_m",
    "z_m",
    "normal_x",
    "normal_y",
    "normal_z",
    "impulse_x_N_s",
    "impulse_y_N_s",
    "impulse_z_N_s",
    "approach_m_per_s",
    "lost_J",
    "slides",
];

fn collision_row(collision: &CollisionRecord) -> [f64; COLLISION_COLUMNS.len()] {
    let CollisionRecord { time, a, partner, point, normal, impulse, approach, lost, slides } = *collision;
    let (other, wall) = match partner {
        CollisionPartner::Grain(id) => (f64::from(id), -1.0),
        CollisionPartner::Wall(wall) => (-1.0, f64::from(wall)),
    };
    let mut row = [0.0; COLLISION_COLUMNS.len()];
    row[..4].copy_from_slice(&[time, f64::from(a), other, wall]);
    for (place, vector) in [point, normal, impulse].into_iter().enumerate() {
        vector.write_to_slice(&mut row[4 + 3 * place..]);
    }
    row[13..].copy_from_slice(&[approach, lost, f64::from(slides)]);
    row
}

/// Name of the counter of the step at which a file got its newest moment.
fn last_step_of(name: &str) -> String {
    format!("last step of {name}")
}

/// Name of the counter of a number that a probe keeps from row to row.
fn before_counter(probe: &Probe, place: usize) -> String {
    format!("{} before {place}", probe_counter(probe))
}

fn probe_counter(probe: &Probe) -> String {
    format!("probes/{}.csv", probe.name)
}
