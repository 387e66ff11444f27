//! All that a run leaves in its directory.

use crate::account::{Account, Identity, report};
use crate::course::{Course, stage_number};
use crate::outputs::Outputs;
use crate::run::{AT_REST, End, Moment, Origin};
use crate::schedule::Schedule;
use crate::{RunError, VERSION};
use tumble_engine::error::UnsettledPair;
use tumble_engine::{EngineError, Simulation};
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::contact_query::question;
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::{RunReport, RunStatus, WorkedOn};
use tumble_io::scene::OutputPlan;

/// The directory of a run and the files that grow in it.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) directory: RunDirectory,
    pub(crate) outputs: Outputs,
    /// What is written and how often.
    pub(crate) output: OutputPlan,
    /// When something is written.
    pub(crate) schedule: Schedule,
    /// What does not change.
    pub(crate) identity: Identity,
    /// What the run has cost.
    pub(crate) account: Account,
    /// Fingerprint of the scene and its inputs.
    pub(crate) scene_hash: u64,
    /// When the newest checkpoint was written.
    pub(crate) last_checkpoint: Option<Moment>,
}

impl Records {
    /// Stores the scene with its inputs and begins all files.
    pub(crate) fn create(
        directory: RunDirectory,
        origin: Origin,
        end_time: f64,
        simulation: &Simulation,
        course: Option<&Course>,
    ) -> Result<Records, RunError> {
        for input in &origin.input_files {
            directory.store_input(&input.as_written, &input.bytes)?;
        }
        directory.store_scene(&origin.text)?;
        Ok(Records {
            outputs: Outputs::create(&directory, &origin.output, &origin.title, simulation, stage_number(course))?,
            schedule: Schedule::from_start(&origin.output),
            directory,
            identity: Identity {
                title: origin.title,
                scene: origin.name,
                threads: rayon::current_num_threads(),
                end_time,
                versions: vec![WorkedOn { version: VERSION.to_owned(), ..WorkedOn::default() }],
                damage: Vec::new(),
                until: None,
            },
            output: origin.output,
            account: Account::new(simulation),
            scene_hash: origin.fingerprint,
            last_checkpoint: None,
        })
    }

    /// Writes what is due.
    pub(crate) fn write_due(&mut self, simulation: &Simulation, course: Option<&Course>) -> Result<(), RunError> {
        let stage = stage_number(course);
        if let Some(sample) = self.outputs.write_due(&self.schedule, simulation, &self.account, stage)? {
            self.account.saw(&sample);
        }
        Ok(())
    }

    /// Writes a checkpoint and the report that belongs to it, unless this moment has one already.
    pub(crate) fn write_checkpoint(
        &mut self,
        simulation: &mut Simulation,
        course: Option<&Course>,
        at_rest: bool,
    ) -> Result<(), RunError> {
        let now = Moment::of(simulation.state());
        if self.last_checkpoint == Some(now) {
            return Ok(());
        }
        simulation.check_health()?;
        let mut extra = CheckpointExtra::of(simulation.model(), VERSION, self.scene_hash);
        self.outputs.note(&mut extra)?;
        self.account.note(&mut extra);
        extra.set_counter(AT_REST, u64::from(at_rest));
        if let Some(course) = course {
            course.note(&mut extra);
        }
        self.directory.write_checkpoint(simulation.state(), &extra)?;
        self.last_checkpoint = Some(now);
        self.write_report(simulation, course, RunStatus::Running, None)?;
        Ok(())
    }

    /// Writes the report.
    pub(crate) fn write_report(
        &mut self,
        simulation: &mut Simulation,
        course: Option<&Course>,
        status: RunStatus,
        message: Option<String>,
    ) -> Result<RunReport, RunError> {
        let report = report(&self.identity, &self.account, simulation, course, status, message);
        self.directory.write_report(&report)?;
        Ok(report)
    }

    /// Leaves the directory as the end of the run wants it. First the checkpoint, then what is off the regular grid:
    /// a run that is taken further drops that again.
    pub(crate) fn conclude(
        &mut self,
        end: End,
        simulation: &mut Simulation,
        course: Option<&Course>,
        at_rest: bool,
    ) -> Result<(), RunError> {
        self.write_checkpoint(simulation, course, at_rest)?;
        if end == End::Interrupted {
            self.write_report(simulation, course, RunStatus::Interrupted, None)?;
            return Ok(());
        }
        if let Some(sample) = self.outputs.write_last(simulation, &self.output, &self.account, stage_number(course))? {
            self.account.saw(&sample);
        }
        let message = match course {
            _ if end == End::AtRest => Some("the kinetic energy fell below its bound".to_owned()),
            course => course.map(Course::last_words),
        };
        self.write_report(simulation, course, RunStatus::Finished, message)?;
        Ok(())
    }

    /// Writes down the contact that a run failed at, so that it can be asked for again.
    pub(crate) fn keep_question(&self, mut error: EngineError) -> EngineError {
        if let EngineError::Unsettled { pair: Some(pair), what, .. } = &mut error {
            let UnsettledPair { shapes: [a, b], poses: [pose_a, pose_b] } = pair.as_ref();
            let path = self.directory.root().join("unsettled.jsonl");
            let line = question("unsettled", [a, b], [pose_a, pose_b]);
            if line.is_some_and(|line| std::fs::write(&path, line + "\n").is_ok()) {
                what.push_str(&format!(" (ask again: tumble contact {})", path.display()));
            }
        }
        error
    }

    /// Says in the report why the run could not go on, and beside the error what is left of it.
    pub(crate) fn broken(&mut self, why: RunError, simulation: &mut Simulation, course: Option<&Course>) -> RunError {
        // The disk may be full; what counts then is the error itself.
        let _ = self.write_report(simulation, course, RunStatus::Failed, Some(why.to_string()));
        let checkpoint = self.last_checkpoint.map(|m| (self.directory.checkpoint_path(m.step), m.time));
        RunError::Broken { why: Box::new(why), checkpoint }
    }
}
