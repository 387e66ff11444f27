//! A run as its directory has it, to be looked at or resumed.

use crate::account::{Account, Identity};
use crate::course::{Course, stage_number};
use crate::outputs::Outputs;
use crate::records::Records;
use crate::run::{AT_REST, Moment, Origin, Run};
use crate::schedule::{Schedule, Stop};
use crate::{Notice, RunError, VERSION, Watcher};
use std::collections::BTreeMap;
use std::path::Path;
use tumble_engine::{Simulation, State};
use tumble_io::checkpoint::{self, CheckpointExtra};
use tumble_io::figures::number;
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::{RunReport, RunStatus, WorkedOn};
use tumble_io::scene::{self, OutputPlan, Scene};

/// The directory of a run, taken to go on with it.
///
/// ```
/// use tumble_run::{Run, StoredRun};
/// # let directory = tempfile::tempdir().unwrap();
/// # let root = directory.path().join("run");
///
/// # let scene = "materials.glass = { preset = 'glass' }
/// #     particles.bead = { diameter = '5 mm' }
/// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
/// #     time = { end = '10 ms', step = '1 ms' }";
/// let mut run = Run::from_text(scene)?;
/// run.record_in(&root, false)?;
/// run.run(&mut ())?;
/// drop(run);
/// let mut run = StoredRun::open(&root)?.resume(Some(0.02), &mut ())?;
/// assert_eq!(run.state().step, 10);
/// run.run(&mut ())?;
/// assert_eq!(run.state().step, 20);
/// # Ok::<(), tumble_run::RunError>(())
/// ```
#[derive(Debug)]
pub struct StoredRun {
    directory: RunDirectory,
    report: Option<RunReport>,
    scene: Scene,
}

impl StoredRun {
    /// Takes the directory of a run: no other process can write there as long as this lives.
    pub fn open(root: &Path) -> Result<StoredRun, RunError> {
        let directory = RunDirectory::open_for_writing(root)?;
        let report = directory.read_report().ok();
        let scene = stored_scene(&directory, &[], None)?;
        for planned in &scene.output.probes {
            planned.probe.check(&scene.model)?;
        }
        Ok(StoredRun { directory, report, scene })
    }

    /// What the run says of itself; `None` if that is lost.
    pub fn report(&self) -> Option<&RunReport> {
        self.report.as_ref()
    }

    /// Whether the run has come to the end it was asked for.
    pub fn is_finished(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.status == RunStatus::Finished)
    }

    /// What is written and how often.
    pub fn output_plan(&self) -> &OutputPlan {
        &self.scene.output
    }

    /// Goes on from the newest good checkpoint, to the end the run was asked for or to another time [s], which then is its
    /// only end. What is missing or damaged of what the run wrote earlier is told. On an error nothing has changed, unless
    /// it is that of a file.
    pub fn resume(self, until: Option<f64>, watcher: &mut dyn Watcher) -> Result<Run, RunError> {
        let StoredRun { directory, report, scene } = self;
        let found = directory.newest_valid_checkpoint()?;
        for damage in found.damaged {
            watcher.notice(&Notice::Checkpoint(damage));
        }
        let until = until.or(report.as_ref().and_then(|report| report.until));
        let name = report.as_ref().map_or_else(|| directory.scene_path().display().to_string(), |r| r.scene.clone());
        let (model, mut origin) = Origin::of(scene, name);
        let model = origin.enter_stage(model, Course::stage_of(&found.extra));
        if found.extra.scene_hash != origin.fingerprint {
            let scene = directory.scene_path().display().to_string();
            return Err(RunError::OtherScene { checkpoint: found.path, scene });
        }
        if found.extra.tumble_version != VERSION {
            watcher.notice(&Notice::OtherVersion { theirs: found.extra.tumble_version.clone(), ours: VERSION });
        }
        let stop = Stop::new(&origin.stop, until);
        let now = Moment::of(&found.state);
        if let Some(until) = until
            && stop.has_come(&found.state)
        {
            // A run ends up to a step later than it was asked to.
            let is_there = now.time - until < found.state.time_step;
            let time = now.time;
            return Err(if is_there { RunError::NothingToDo { time } } else { RunError::Beyond { time, until } });
        }
        // A run whose report is lost was begun by who wrote the checkpoint, as far as one can tell.
        let (mut versions, mut all_damage) = report.map(|report| (report.versions, report.damage)).unwrap_or_default();
        if versions.is_empty() {
            WorkedOn::add(&mut versions, &found.extra.tumble_version, 0, 0.0);
        }
        WorkedOn::add(&mut versions, VERSION, now.step, now.time);
        let simulation = Simulation::resume(model, found.state)?;
        let stages = std::mem::take(&mut origin.stages);
        let course = Course::resumed(stages, &found.extra, simulation.state(), until.is_some());
        let stage = stage_number(course.as_ref());
        let (outputs, damage) =
            Outputs::append_after(&directory, &origin.output, &origin.title, &simulation, stage, &found.extra)?;
        for damage in damage {
            all_damage.push(format!("at t = {} s, {damage}", number(now.time)));
            watcher.notice(&Notice::OldDamage(damage));
        }
        let at_rest = stop.kinetic_energy.is_some() && found.extra.counter(AT_REST) == Some(1);
        let account = Account::of(&found.extra, &simulation);
        let records = Records {
            outputs,
            schedule: Schedule::after(&origin.output, simulation.state()),
            directory,
            identity: Identity {
                title: origin.title,
                scene: origin.name,
                threads: rayon::current_num_threads(),
                end_time: stop.time,
                versions,
                damage: all_damage,
                until,
            },
            output: origin.output,
            account,
            scene_hash: origin.fingerprint,
            last_checkpoint: Some(now),
        };
        Ok(Run::resumed(simulation, stop, records, course, at_rest))
    }
}

/// A run at its newest good checkpoint, or at the newest that is not after a time [s]: to be looked at, for nothing of it goes into
/// the directory.
pub fn snapshot(root: &Path, time: Option<f64>) -> Result<Simulation, RunError> {
    let directory = RunDirectory::open(root)?;
    let Some(time) = time else {
        let found = directory.newest_valid_checkpoint()?;
        return snapshot_of(&directory, found.state, &found.extra);
    };
    let mut first: Option<f64> = None;
    // The newest comes first.
    for (_, path) in directory.checkpoints()? {
        let (_, moment) = checkpoint::read_moment(&path)?;
        if moment <= time {
            let (state, extra) = checkpoint::read(&path)?;
            return snapshot_of(&directory, state, &extra);
        }
        first = Some(moment);
    }
    Err(RunError::NoMoment { time, first })
}

fn snapshot_of(directory: &RunDirectory, state: State, extra: &CheckpointExtra) -> Result<Simulation, RunError> {
    let (model, mut origin) = Origin::of(stored_scene(directory, &[], None)?, String::new());
    let model = origin.enter_stage(model, Course::stage_of(extra));
    Ok(Simulation::resume(model, state)?)
}

/// The scene of a run as it was stored, with the files it names.
pub(crate) fn stored_scene(
    directory: &RunDirectory,
    overrides: &[String],
    from: Option<&Path>,
) -> Result<Scene, RunError> {
    let text = directory.load_scene()?;
    let mut inputs = BTreeMap::new();
    for (path, _) in directory.inputs()? {
        let content = directory.load_input(&path)?;
        inputs.insert(path, content);
    }
    let name = directory.scene_path().display().to_string();
    Ok(scene::parse_begun_with_inputs(&text, &name, overrides, from, &inputs)?)
}
