//! A run from its first step, or from a checkpoint, to its end.

use crate::failure::Failure;
use crate::figures::number;
use crate::interrupt;
use crate::outputs::Outputs;
use crate::page;
use crate::progress::Progress;
use crate::report::{self, Account, Identity};
use crate::schedule::{Schedule, Stop};
use std::io::{Write, stderr, stdout};
use tumble_engine::error::UnsettledPair;
use tumble_engine::{EngineError, Simulation};
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::contact_query::question;
use tumble_io::run_directory::RunDirectory;
use tumble_io::run_report::{RunReport, RunStatus};

/// A run with its files.
#[derive(Debug)]
pub struct Session {
    /// Where the run writes.
    pub directory: RunDirectory,
    /// The run.
    pub simulation: Simulation,
    /// Its growing files.
    pub outputs: Outputs,
    /// When it writes.
    pub schedule: Schedule,
    /// When it ends.
    pub stop: Stop,
    /// What does not change.
    pub identity: Identity,
    /// What it has cost.
    pub account: Account,
    /// Fingerprint of the scene and its inputs.
    pub scene_hash: u64,
    /// Step of the newest checkpoint.
    pub last_checkpoint: Option<u64>,
    /// Whether the run is shown on one page at its end.
    pub has_page: bool,
    /// Whether nothing but errors is printed.
    pub quiet: bool,
}

/// How a run came to stand still.
enum End {
    Time,
    AtRest,
    Interrupted,
}

impl Session {
    /// Writes the moment at which a new run begins.
    pub fn write_first(&mut self) -> Result<(), Failure> {
        self.write_due()?;
        self.write_checkpoint()
    }

    /// Runs to the end and says how it went.
    pub fn run(mut self) -> Result<(), Failure> {
        let end_step = self.stop.step(self.simulation.state().time_step);
        if !self.quiet {
            let header = report::header(&self.identity, &self.simulation, end_step, self.directory.root());
            // A run does not stop because nobody reads what it prints.
            let _ = writeln!(stdout(), "{header}");
        }
        self.write_report(RunStatus::Running, None)?;
        let step = self.simulation.state().step;
        let mut progress = Progress::new(self.quiet, step, end_step, self.identity.end_time);
        let ended = self.advance(end_step, &mut progress).and_then(|end| self.conclude(end));
        progress.finish();
        match ended {
            Ok(end) => self.tell(end),
            Err(failure) => Err(self.fail(failure)),
        }
    }

    /// Steps until the run ends or is stopped. What is due at the present step has been written already.
    fn advance(&mut self, end_step: u64, progress: &mut Progress) -> Result<End, Failure> {
        loop {
            let step = self.simulation.state().step;
            if step >= end_step {
                return Ok(End::Time);
            }
            if self.is_at_rest() {
                return Ok(End::AtRest);
            }
            if interrupt::requested() {
                return Ok(End::Interrupted);
            }
            let next = self.schedule.next_after(step).min(end_step);
            while self.simulation.state().step < next && !interrupt::requested() {
                if let Err(error) = self.simulation.step() {
                    return Err(self.keep_question(error).into());
                }
                self.account.stepped(&self.simulation);
                progress.stepped(&self.simulation);
            }
            self.write_due()?;
            let step = self.simulation.state().step;
            if self.schedule.checkpoints.is_some_and(|every| every.is_due(step)) {
                self.write_checkpoint()?;
            }
        }
    }

    /// Whether the kinetic energy ends the run here. It is looked at on a grid of steps of its own, and not while grains
    /// are still to come: an empty box is at rest too.
    fn is_at_rest(&self) -> bool {
        let (Some(bound), Some(every)) = (self.stop.kinetic_energy, self.schedule.energy) else { return false };
        let state = self.simulation.state();
        state.step > 0
            && every.is_due(state.step)
            && state.time() >= self.stop.after
            && report::streams_are_done(self.simulation.model(), state)
            && self.simulation.kinetic_energy() < bound
    }

    fn write_due(&mut self) -> Result<(), Failure> {
        if let Some(sample) = self.outputs.write_due(&self.schedule, &self.simulation)? {
            self.account.saw(sample.overlap);
        }
        Ok(())
    }

    /// Writes a checkpoint and the report that belongs to it, unless this step has one already.
    fn write_checkpoint(&mut self) -> Result<(), Failure> {
        let step = self.simulation.state().step;
        if self.last_checkpoint == Some(step) {
            return Ok(());
        }
        self.simulation.check_health()?;
        let mut extra = CheckpointExtra {
            tumble_version: env!("CARGO_PKG_VERSION").to_owned(),
            scene_hash: self.scene_hash,
            counters: Vec::new(),
        };
        self.outputs.note(&mut extra)?;
        self.account.note(&mut extra);
        self.directory.write_checkpoint(self.simulation.save(), &extra)?;
        self.last_checkpoint = Some(step);
        self.write_report(RunStatus::Running, None)?;
        Ok(())
    }

    fn write_report(&mut self, status: RunStatus, message: Option<String>) -> Result<RunReport, Failure> {
        let report = report::report(&self.identity, &self.account, &mut self.simulation, status, message);
        self.directory.write_report(&report)?;
        Ok(report)
    }

    /// Leaves the directory as the end of the run wants it. First the checkpoint, then what is off the regular grid:
    /// a run that is taken further drops that again.
    fn conclude(&mut self, end: End) -> Result<End, Failure> {
        self.write_checkpoint()?;
        match end {
            End::Interrupted => {
                self.write_report(RunStatus::Interrupted, None)?;
            }
            End::Time | End::AtRest => {
                if let Some(sample) = self.outputs.write_last(&self.schedule, &self.simulation)? {
                    self.account.saw(sample.overlap);
                }
                let message = matches!(end, End::AtRest).then(|| "the kinetic energy fell below its bound".to_owned());
                self.write_report(RunStatus::Finished, message)?;
            }
        }
        Ok(end)
    }

    /// Shows the run on one page. The run is done and all that it is asked for is written: if this fails, it is told and
    /// no more. Returns whether there is a page.
    fn write_page(&self) -> bool {
        if !self.has_page {
            return false;
        }
        let written = page::write_beside_run(&self.directory);
        if let Err(error) = &written
            && !self.quiet
        {
            let _ = writeln!(stderr(), "warning: the page that shows the run could not be written: {error}");
        }
        written.is_ok()
    }

    fn tell(&mut self, end: End) -> Result<(), Failure> {
        let shown = self.directory.root().display();
        let time = number(self.simulation.time());
        match end {
            End::Interrupted => {
                if !self.quiet {
                    let _ = writeln!(
                        stderr(),
                        "interrupted at t = {time} s; a checkpoint was written\ngo on:  tumble resume {shown}"
                    );
                }
                Err(Failure::Interrupted)
            }
            End::Time | End::AtRest => {
                let has_page = self.write_page();
                if !self.quiet {
                    let report = self.directory.read_report()?;
                    let title = match end {
                        End::AtRest => format!("at rest at t = {time} s"),
                        _ => "done".to_owned(),
                    };
                    let left = report::Left {
                        trajectory: self.schedule.trajectory.is_some(),
                        frames: self.schedule.frames.is_some(),
                        page: has_page,
                    };
                    let summary = report::summary(&report, self.directory.root(), left);
                    let _ = write!(stdout(), "{title}\n{summary}");
                }
                Ok(())
            }
        }
    }

    /// Writes down the contact that a run failed at, so that it can be asked for again.
    fn keep_question(&self, mut error: EngineError) -> EngineError {
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

    fn fail(&mut self, failure: Failure) -> Failure {
        let Some(message) = failure.message() else { return failure };
        let left = match self.last_checkpoint {
            None => "no checkpoint was written".to_owned(),
            Some(step) => {
                let time = number(step as f64 * self.simulation.state().time_step);
                let path = self.directory.checkpoint_path(step);
                format!("the last good checkpoint is {} (t = {time} s)", path.display())
            }
        };
        // The disk may be full; what counts then is the error itself.
        let _ = self.write_report(RunStatus::Failed, Some(message.clone()));
        let told = anyhow::anyhow!("{message}\n{left}");
        match failure {
            Failure::Machine(_) => Failure::Machine(told),
            _ => Failure::Input(told),
        }
    }
}
