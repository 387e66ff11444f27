//! What the command line does while a run goes on: it shows the progress, listens for Ctrl-C and passes on what is told.

use crate::interrupt;
use crate::progress::Progress;
use std::io::{Write, stderr};
use tumble_engine::Simulation;
use tumble_io::run_report::StageReport;
use tumble_run::{Notice, Run, Watcher};

/// Watches a run for the user.
#[derive(Debug)]
pub struct Onlooker {
    progress: Option<Progress>,
    quiet: bool,
}

impl Onlooker {
    /// One of a run that is not there yet.
    pub fn before_start(quiet: bool) -> Onlooker {
        Onlooker { progress: None, quiet }
    }

    /// One of a run.
    pub fn of(run: &Run, quiet: bool) -> Onlooker {
        let (step, to_go) = (run.state().step, run.stop().steps_left(run.state()));
        let progress = Progress::new(quiet, step, step.saturating_add(to_go), run.stop().time);
        Onlooker { progress: Some(progress), quiet }
    }

    /// Takes the bar away, so that other text can follow.
    pub fn finish(&self) {
        if let Some(progress) = &self.progress {
            progress.finish();
        }
    }
}

impl Watcher for Onlooker {
    fn stepped(&mut self, simulation: &Simulation) {
        if let Some(progress) = &mut self.progress {
            progress.stepped(simulation);
        }
    }

    fn entered(&mut self, stages: &[StageReport], simulation: &Simulation) {
        if self.quiet {
            return;
        }
        if let [.., before, now] = stages {
            let line = format!("stage `{}`: {}; now `{}`", before.name, before.in_words(), now.name);
            match &self.progress {
                Some(progress) => progress.say(&line),
                None => drop(writeln!(stderr(), "{line}")),
            }
        }
        if let Some(progress) = &mut self.progress {
            progress.steps_are(simulation.state());
        }
    }

    fn wants_stop(&mut self) -> bool {
        interrupt::requested()
    }

    fn notice(&mut self, notice: &Notice) {
        if !self.quiet {
            let _ = writeln!(stderr(), "warning: {notice}");
        }
    }
}
