//! How far a run has come: a live bar on a terminal, else a plain line every few seconds.

use crate::figures::{count, duration, number};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};
use tumble_engine::{Simulation, State};
use tumble_run::Stop;

/// Between two looks of the live bar.
const LIVE_INTERVAL: Duration = Duration::from_millis(250);
/// Between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);
/// Weight of the newest step rate in the running mean: half of it is from the last three seconds of a live bar.
const SMOOTHING: f64 = 0.06;

/// Shows how far a run has come.
#[derive(Debug)]
pub struct Progress {
    manner: Manner,
    end_step: u64,
    end_time: f64,
    last_look: Instant,
    last_step: u64,
    /// Steps a second, smoothed; `None` before the first look.
    rate: Option<f64>,
}

#[derive(Debug)]
enum Manner {
    Silent,
    Live(ProgressBar),
    Plain,
}

impl Progress {
    /// Begins at a step of a run that ends at another. A quiet one shows nothing.
    pub fn new(quiet: bool, step: u64, end_step: u64, end_time: f64) -> Progress {
        let manner = if quiet {
            Manner::Silent
        } else if stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(end_step), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}\n{prefix}") {
                bar.set_style(style);
            }
            bar.set_position(step);
            Manner::Live(bar)
        } else {
            Manner::Plain
        };
        Progress { manner, end_step, end_time, last_look: Instant::now(), last_step: step, rate: None }
    }

    /// Called after every step; shows something when it is time to.
    pub fn stepped(&mut self, simulation: &Simulation) {
        let interval = match self.manner {
            Manner::Silent => return,
            Manner::Live(_) => LIVE_INTERVAL,
            Manner::Plain => PLAIN_INTERVAL,
        };
        let elapsed = self.last_look.elapsed();
        if elapsed < interval {
            return;
        }
        let step = simulation.state().step;
        let newest = (step - self.last_step) as f64 / elapsed.as_secs_f64();
        let weight = if matches!(self.manner, Manner::Live(_)) { SMOOTHING } else { 0.5 };
        let rate = self.rate.map_or(newest, |rate| rate + weight * (newest - rate));
        self.rate = Some(rate);
        self.last_look = Instant::now();
        self.last_step = step;
        let (progress, figures) = self.lines(simulation, rate);
        match &self.manner {
            Manner::Silent => {}
            Manner::Live(bar) => {
                bar.set_position(step);
                bar.set_message(progress);
                bar.set_prefix(figures);
            }
            Manner::Plain => {
                // A run does not stop because nobody watches it.
                let _ = writeln!(stderr(), "{progress}  {figures}");
            }
        }
    }

    /// Says something that stays.
    pub fn say(&self, line: &str) {
        match &self.manner {
            Manner::Silent => {}
            Manner::Live(bar) => bar.println(line),
            Manner::Plain => drop(writeln!(stderr(), "{line}")),
        }
    }

    /// Takes note that steps are of another length now.
    pub fn steps_are(&mut self, state: &State) {
        let stop = Stop { time: self.end_time, kinetic_energy: None, after: 0.0 };
        self.end_step = state.step.saturating_add(stop.steps_left(state));
        if let Manner::Live(bar) = &self.manner {
            bar.set_length(self.end_step);
        }
    }

    /// How far and how long still; and how things stand. Each fits a line of 80 columns, with the bar before the first.
    fn lines(&self, simulation: &Simulation, rate: f64) -> (String, String) {
        let step = simulation.state().step;
        let left = self.end_step.saturating_sub(step) as f64 / rate;
        let progress = format!(
            "{:3.0} %  t = {} of {} s  {} left",
            100.0 * step as f64 / self.end_step.max(1) as f64,
            number(simulation.time()),
            number(self.end_time),
            duration(left)
        );
        let figures = format!(
            "{} steps/s  {} grains  {} contacts  kinetic {} J",
            number(rate),
            count(simulation.state().particles.len() as u64),
            count(simulation.n_contacts() as u64),
            number(simulation.kinetic_energy()),
        );
        (progress, figures)
    }

    /// Takes the bar away, so that other text can follow.
    pub fn finish(&self) {
        if let Manner::Live(bar) = &self.manner {
            bar.finish_and_clear();
        }
    }
}
