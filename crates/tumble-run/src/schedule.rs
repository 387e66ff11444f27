//! When something is written: at whole multiples of an interval of simulated time.
//!
//! What is due at the k-th multiple of its interval is done at the first step whose time is not before it. Which of them
//! are done follows from the time alone, so a resumed run has the same moments as one that never stopped, whatever the
//! length of its steps.

use tumble_engine::State;
use tumble_io::scene::{OutputPlan, StopPlan};

/// What misses its moment by less than this fraction of a step is on time: 1 ms is a hundred steps of 10 us, though
/// neither number is exact in binary.
const SLACK: f64 = 1e-6;

/// The time of a state, with the slack that is given to what is due [s].
fn lenient_time(state: &State) -> f64 {
    // Rounding of the time itself grows with the time, not with the step.
    state.time + SLACK * state.time_step + 4.0 * f64::EPSILON * state.time
}

/// The whole multiples of an interval, time 0 included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Time between two of them [s].
    interval: f64,
    /// Number of the first that is not done.
    next: u64,
}

impl Moments {
    /// All of them, for a run that begins.
    pub fn from_start(interval: f64) -> Moments {
        Moments { interval, next: 0 }
    }

    /// Those after a state, for a run that has done all that was due by then.
    pub fn after(interval: f64, state: &State) -> Moments {
        let mut moments = Moments::from_start(interval);
        moments.pass(state);
        moments
    }

    /// The first that is not done [s].
    pub fn next_time(&self) -> f64 {
        // Not 0 times an interval that may be infinite.
        if self.next == 0 { 0.0 } else { self.next as f64 * self.interval }
    }

    /// Whether one of them has come.
    pub fn are_due(&self, state: &State) -> bool {
        self.next_time() <= lenient_time(state)
    }

    /// Marks all that have come as done.
    pub fn pass(&mut self, state: &State) {
        if !self.are_due(state) {
            return;
        }
        // The quotient may be rounded across a whole number; what counts is how the multiple compares, as above.
        self.next = (lenient_time(state) / self.interval) as u64;
        for _ in 0..2 {
            if self.are_due(state) {
                self.next = self.next.saturating_add(1);
            }
        }
    }
}

/// What a run does besides stepping, and when.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Rows of the time series.
    pub series: Moments,
    /// Frames for ParaView.
    pub frames: Option<Moments>,
    /// Frames of the trajectory.
    pub trajectory: Option<Moments>,
    /// Checkpoints.
    pub checkpoints: Option<Moments>,
    /// Rows of each probe.
    pub probes: Vec<Moments>,
}

impl Schedule {
    /// The schedule of a run or a stage that begins: its first moment is in every file.
    pub fn from_start(plan: &OutputPlan) -> Schedule {
        Schedule::of(plan, Moments::from_start)
    }

    /// The schedule of a run that goes on from a state.
    pub fn after(plan: &OutputPlan, state: &State) -> Schedule {
        Schedule::of(plan, |interval| Moments::after(interval, state))
    }

    fn of(plan: &OutputPlan, moments: impl Fn(f64) -> Moments) -> Schedule {
        Schedule {
            series: moments(plan.series_interval),
            frames: plan.frame_interval.filter(|_| plan.vtk).map(&moments),
            trajectory: plan.trajectory_interval.map(&moments),
            checkpoints: plan.checkpoint_interval.map(&moments),
            probes: plan.probes.iter().map(|probe| moments(probe.interval)).collect(),
        }
    }

    /// Whether there is nothing to do at a state.
    pub fn is_idle(&self, state: &State) -> bool {
        let optional = [self.frames, self.trajectory, self.checkpoints];
        let mut all = optional.into_iter().flatten().chain(self.probes.iter().copied()).chain([self.series]);
        !all.any(|moments| moments.are_due(state))
    }

    /// Marks everything that was due at a state as done.
    pub fn pass(&mut self, state: &State) {
        let Schedule { series, frames, trajectory, checkpoints, probes } = self;
        let optional = [frames, trajectory, checkpoints].into_iter().flatten();
        optional.chain(probes).chain([series]).for_each(|moments| moments.pass(state));
    }
}

/// When the run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Simulated time at which it ends in any case [s].
    pub time: f64,
    /// Kinetic energy below which it ends earlier [J].
    pub kinetic_energy: Option<f64>,
    /// Time before which the kinetic energy does not end it [s].
    pub after: f64,
}

impl Stop {
    /// As the scene says, or at another time, which then is the only condition.
    pub fn new(plan: &StopPlan, until: Option<f64>) -> Stop {
        match until {
            None => Stop { time: plan.time, kinetic_energy: plan.kinetic_energy, after: plan.after },
            Some(time) => Stop { time, kinetic_energy: None, after: 0.0 },
        }
    }

    /// Whether the time has come.
    pub fn has_come(&self, state: &State) -> bool {
        self.time <= lenient_time(state)
    }

    /// Steps that are left, if they stay as long as they are.
    pub fn steps_left(&self, state: &State) -> u64 {
        // The conversion saturates: none if the time has come.
        ((self.time - lenient_time(state)) / state.time_step).ceil() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state_at(step: u64, time_step: f64) -> State {
        State { step, time: step as f64 * time_step, time_step, ..State::default() }
    }

    /// The steps at which something is done, of so many steps of one length.
    fn steps_done(interval: f64, time_step: f64, n_steps: u64) -> Vec<u64> {
        let mut moments = Moments::from_start(interval);
        let mut done = Vec::new();
        for step in 0..=n_steps {
            let state = state_at(step, time_step);
            // Where a run is interrupted does not matter.
            if step > 0 {
                assert_eq!(Moments::after(interval, &state_at(step - 1, time_step)), moments);
            }
            if moments.are_due(&state) {
                done.push(step);
            }
            moments.pass(&state);
            assert!(!moments.are_due(&state) || interval < 1e-6 * time_step, "due twice at step {step}");
        }
        done
    }

    #[test]
    fn the_first_step_that_is_not_before_a_multiple_is_due() {
        assert_eq!(steps_done(0.01, 0.003, 14), [0, 4, 7, 10, 14]);
        assert_eq!(steps_done(1.0, 0.25, 9), [0, 4, 8]);
        assert_eq!(steps_done(f64::INFINITY, 1.0, 5), [0]);
    }

    #[test]
    fn an_interval_shorter_than_a_step_is_due_at_every_step() {
        for interval in [0.4, 1e-9, 1e-300] {
            assert_eq!(steps_done(interval, 1.0, 5), [0, 1, 2, 3, 4, 5]);
        }
    }

    #[test]
    fn rounding_makes_nothing_late_or_double() {
        // Decimal intervals and steps, of which one is a whole multiple of the other: the k-th moment is at that multiple.
        for (interval, time_step, multiple) in
            [(1e-3, 1e-5, 100), (0.3, 0.1, 3), (7e-3, 1e-6, 7000), (0.1, 0.1 / 3.0, 3), (1.1e-2, 1.1e-4, 100)]
        {
            let n_steps = 200_000;
            let expected: Vec<u64> = (0..=n_steps).step_by(multiple).collect();
            assert_eq!(steps_done(interval, time_step, n_steps), expected, "{interval} s in steps of {time_step} s");
        }
        // The same after a thousand million steps.
        for multiple in [100, 7000] {
            let (interval, time_step) = (multiple as f64 * 1e-6, 1e-6);
            let first = 1_000_000_000 / multiple * multiple;
            let moments = Moments::after(interval, &state_at(first - 1, time_step));
            assert!(!moments.are_due(&state_at(first - 1, time_step)) && moments.are_due(&state_at(first, time_step)));
        }
    }

    #[test]
    fn a_step_that_changes_keeps_the_moments() {
        let (mut moments, mut state, mut done) = (Moments::from_start(0.1), State::default(), Vec::new());
        for index in 0..1000 {
            state.time_step = [0.0013, 0.0307, 0.0009][index % 3];
            state.advance_time(state.time_step);
            if moments.are_due(&state) {
                done.push(state.time);
            }
            moments.pass(&state);
        }
        let n_moments = (state.time / 0.1) as usize;
        // The moment 0 was due at the first step of these.
        assert_eq!(done.len(), n_moments + 1);
        for (number, &time) in done.iter().enumerate().skip(1) {
            let wanted = 0.1 * number as f64;
            assert!((wanted..wanted + 0.0308).contains(&time), "{time} for {wanted}");
        }
    }

    #[test]
    fn the_end_is_the_first_step_not_before_it() {
        let n_steps = |time: f64, time_step: f64| {
            let stop = Stop { time, kinetic_energy: None, after: 0.0 };
            let n = stop.steps_left(&state_at(0, time_step));
            assert!(stop.has_come(&state_at(n, time_step)) && !stop.has_come(&state_at(n - 1, time_step)));
            assert_eq!(stop.steps_left(&state_at(n, time_step)), 0);
            n
        };
        assert_eq!(n_steps(1.0, 1e-4), 10_000);
        assert_eq!(n_steps(0.3, 0.1), 3);
        assert_eq!(n_steps(0.31, 0.1), 4);
        assert_eq!(n_steps(0.3, 1.0), 1);
        assert_eq!(n_steps(1.0, 0.3), 4);
    }

    #[test]
    fn another_end_replaces_every_condition() {
        let plan = StopPlan { time: 1.0, kinetic_energy: Some(1e-6), after: 0.5 };
        assert_eq!(Stop::new(&plan, None), Stop { time: 1.0, kinetic_energy: Some(1e-6), after: 0.5 });
        assert_eq!(Stop::new(&plan, Some(3.0)), Stop { time: 3.0, kinetic_energy: None, after: 0.0 });
    }
}
