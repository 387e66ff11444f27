//! How far a run is in its stages: which it is in, since when, and what ended those before.

use crate::account::streams_have_come;
use crate::schedule::{Moments, Stop};
use tumble_engine::{DVec3, Model, Simulation, State};
use tumble_io::checkpoint::CheckpointExtra;
use tumble_io::figures::number;
use tumble_io::run_report::StageReport;
use tumble_io::scene::{Condition, Held, OutputPlan, Stage};

/// Conditions are looked at every so many steps.
const LOOK_EVERY: f64 = 100.0;

/// Names of the counters that a checkpoint keeps.
const CURRENT: &str = "stage";
const HOLDS_SINCE: &str = "stage_holds_since";
const OVER: &str = "stages_over";

/// What ended a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Time,
    /// The condition of this number.
    Condition(usize),
}

/// The stages of a run.
#[derive(Debug)]
pub(crate) struct Course {
    stages: Vec<Stage>,
    /// When each that has begun did [s].
    began: Vec<f64>,
    /// What ended each that has ended.
    ended: Vec<Why>,
    /// Since when a condition holds [s].
    holds_since: Option<f64>,
    /// When conditions are looked at.
    looks: Moments,
    /// Whether the run goes on when its last stage has ended.
    outlives_stages: bool,
}

impl Course {
    /// At the beginning of a run; `None` for one without stages.
    pub(crate) fn new(stages: Vec<Stage>, state: &State) -> Option<Course> {
        (!stages.is_empty()).then(|| Course {
            stages,
            began: vec![state.time],
            ended: Vec::new(),
            holds_since: None,
            looks: looks(state),
            outlives_stages: false,
        })
    }

    /// Which stage a checkpoint is in.
    pub(crate) fn stage_of(extra: &CheckpointExtra) -> usize {
        extra.counter(CURRENT).unwrap_or(0) as usize
    }

    /// Goes on from a checkpoint. A run that was asked to go on until a time does so after its last stage too.
    pub(crate) fn resumed(stages: Vec<Stage>, extra: &CheckpointExtra, state: &State, until: bool) -> Option<Course> {
        let mut course = Course::new(stages, state)?;
        let counter = |name: String| extra.counter(&name).unwrap_or(0);
        let current = Course::stage_of(extra).min(course.stages.len() - 1);
        course.began = (0..=current).map(|stage| f64::from_bits(counter(began_counter(stage)))).collect();
        let n_ended = current + usize::from(extra.counter(OVER) == Some(1));
        course.ended = (0..n_ended)
            .map(|stage| match counter(ended_counter(stage)) {
                0 => Why::Time,
                condition => Why::Condition(condition as usize - 1),
            })
            .collect();
        course.holds_since = extra.counter(HOLDS_SINCE).map(f64::from_bits);
        course.outlives_stages = until;
        Some(course)
    }

    /// Notes all of it for a checkpoint.
    pub(crate) fn note(&self, extra: &mut CheckpointExtra) {
        extra.set_counter(CURRENT, self.current() as u64);
        for (stage, began) in self.began.iter().enumerate() {
            extra.set_counter(&began_counter(stage), began.to_bits());
        }
        for (stage, why) in self.ended.iter().enumerate() {
            let number = match why {
                Why::Time => 0,
                Why::Condition(condition) => *condition as u64 + 1,
            };
            extra.set_counter(&ended_counter(stage), number);
        }
        if let Some(since) = self.holds_since {
            extra.set_counter(HOLDS_SINCE, since.to_bits());
        }
        extra.set_counter(OVER, u64::from(self.ended.len() == self.stages.len()));
    }

    /// The stage it is in, counted from 0.
    pub(crate) fn current(&self) -> usize {
        self.began.len() - 1
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.stages.len()
    }

    /// Name of the stage it is in.
    pub(crate) fn name(&self) -> &str {
        &self.stages[self.current()].name
    }

    /// Whether the last stage has ended, and the run with it.
    pub(crate) fn is_over(&self) -> bool {
        !self.outlives_stages && self.ended.len() == self.stages.len()
    }

    /// Looks whether the stage ends at this moment. If another follows, what changes in it is returned.
    pub(crate) fn look(&mut self, simulation: &Simulation, output: &OutputPlan) -> Option<(Model, OutputPlan)> {
        if self.ended.len() == self.stages.len() {
            return None;
        }
        let why = self.end_of_stage(simulation, output)?;
        self.ended.push(why);
        let following = self.current() + 1;
        let next = self.stages.get_mut(following)?;
        let change = next.change.take();
        self.began.push(simulation.state().time);
        self.holds_since = None;
        change
    }

    /// Takes note that what changes has changed.
    pub(crate) fn entered(&mut self, state: &State) {
        self.looks = looks(state);
    }

    fn end_of_stage(&mut self, simulation: &Simulation, output: &OutputPlan) -> Option<Why> {
        let state = simulation.state();
        let current = self.current();
        let (end, began) = (&self.stages[current].end, self.began[current]);
        let is_due = self.looks.are_due(state);
        if is_due {
            self.looks.pass(state);
            let is_passed = |condition: &Condition| condition.bound.is_passed(value(condition, simulation, output));
            let held = match streams_have_come(simulation.model(), state) {
                true => end.conditions.iter().position(is_passed),
                false => None,
            };
            let Some(condition) = held else {
                self.holds_since = None;
                return self.time_is_over(state);
            };
            let since = *self.holds_since.get_or_insert(state.time);
            let held_long = Stop { time: since + end.hold, kinetic_energy: None, after: 0.0 }.has_come(state);
            // The first moment of a stage is that of its changes: nothing has happened in it yet.
            if held_long && state.time > began {
                return Some(Why::Condition(condition));
            }
        }
        self.time_is_over(state)
    }

    fn time_is_over(&self, state: &State) -> Option<Why> {
        let current = self.current();
        let time = self.began[current] + self.stages[current].end.time?;
        Stop { time, kinetic_energy: None, after: 0.0 }.has_come(state).then_some(Why::Time)
    }

    /// What `run.json` says of the stages.
    pub(crate) fn report(&self, now: f64) -> Vec<StageReport> {
        self.stages
            .iter()
            .enumerate()
            .take(self.began.len())
            .map(|(index, stage)| StageReport {
                name: stage.name.clone(),
                began: self.began[index],
                ended: match self.began.get(index + 1) {
                    Some(&next) => Some(next),
                    None => self.ended.get(index).map(|_| now),
                },
                why: self.ended.get(index).map(|why| in_words(*why, stage)),
            })
            .collect()
    }

    /// Why the run ended where it did, in words.
    pub(crate) fn last_words(&self) -> String {
        let stage = &self.stages[self.current()];
        match self.ended.get(self.current()) {
            Some(why) => format!("the last stage, `{}`, ended: {}", stage.name, in_words(*why, stage)),
            None => {
                let (number, all) = (self.current() + 1, self.stages.len());
                format!("the time of the run was over in stage `{}`, {number} of {all}", stage.name)
            }
        }
    }
}

/// The number of the stage a run is in, from 1; `None` for a run without stages.
pub(crate) fn stage_number(course: Option<&Course>) -> Option<u64> {
    course.map(|course| course.current() as u64 + 1)
}

fn began_counter(stage: usize) -> String {
    format!("stage_began.{stage}")
}

fn ended_counter(stage: usize) -> String {
    format!("stage_ended.{stage}")
}

fn looks(state: &State) -> Moments {
    Moments::after(LOOK_EVERY * state.time_step, state)
}

fn value(condition: &Condition, simulation: &Simulation, output: &OutputPlan) -> f64 {
    let (model, state) = (simulation.model(), simulation.state());
    match &condition.held {
        Held::KineticEnergy => simulation.kinetic_energy(),
        Held::Force { faces, .. } => faces.iter().map(|&wall| state.walls[wall].force).sum::<DVec3>().length(),
        Held::Grains => state.particles.len() as f64,
        Held::Probe { probe, column, .. } => {
            let rows = output.probes[*probe].probe.rows(model, state, &simulation.contacts());
            // A probe that measures nothing, for nothing is there, passes no bound.
            rows.first().map_or(f64::NAN, |row| row[*column])
        }
    }
}

fn in_words(why: Why, stage: &Stage) -> String {
    let Why::Condition(condition) = why else {
        let time = number(stage.end.time.unwrap_or(f64::INFINITY));
        return match stage.end.conditions.as_slice() {
            [] => format!("after {time} s"),
            _ => format!("after {time} s, before what it waited for"),
        };
    };
    stage.end.conditions[condition].in_words()
}
