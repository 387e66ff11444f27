//! Which steps something is written at: multiples of a number of steps that is fixed when the run begins.
//!
//! Counting steps instead of comparing times gives a resumed run the same moments as one that never stopped.

use tumble_io::scene::{OutputPlan, StopPlan};

/// The kinetic energy is held against its bound at every so many steps, whatever is written.
const ENERGY_EVERY: u64 = 100;

/// Every so many steps, step 0 included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every(u64);

impl Every {
    /// The number of steps nearest to an interval [s], at least one.
    pub fn interval(interval: f64, time_step: f64) -> Every {
        Every(((interval / time_step).round() as u64).max(1))
    }

    /// Whether a step is one of them.
    pub fn is_due(self, step: u64) -> bool {
        step.is_multiple_of(self.0)
    }

    /// The first of them after a step.
    pub fn next_after(self, step: u64) -> u64 {
        (step / self.0 + 1).saturating_mul(self.0)
    }
}

/// The steps at which a run does something besides stepping.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Rows of the time series.
    pub series: Every,
    /// Frames for ParaView.
    pub frames: Option<Every>,
    /// Frames of the trajectory.
    pub trajectory: Option<Every>,
    /// Checkpoints.
    pub checkpoints: Option<Every>,
    /// Rows of each probe.
    pub probes: Vec<Every>,
    /// Looks at the kinetic energy.
    pub energy: Option<Every>,
}

impl Schedule {
    /// The schedule of a scene at a time step [s].
    pub fn new(plan: &OutputPlan, stop: &Stop, time_step: f64) -> Schedule {
        let every = |interval: f64| Every::interval(interval, time_step);
        Schedule {
            series: every(plan.series_interval),
            frames: plan.frame_interval.filter(|_| plan.vtk).map(every),
            trajectory: plan.trajectory_interval.map(every),
            checkpoints: plan.checkpoint_interval.map(every),
            probes: plan.probes.iter().map(|probe| every(probe.interval)).collect(),
            energy: stop.kinetic_energy.map(|_| Every(ENERGY_EVERY)),
        }
    }

    /// The next step at which there is something to do.
    pub fn next_after(&self, step: u64) -> u64 {
        let optional = [self.frames, self.trajectory, self.checkpoints, self.energy];
        let all = optional.into_iter().flatten().chain(self.probes.iter().copied()).chain([self.series]);
        all.map(|every| every.next_after(step)).min().unwrap_or(u64::MAX)
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

    /// The first step that is not before the end.
    pub fn step(&self, time_step: f64) -> u64 {
        let steps = self.time / time_step;
        // 1 s in steps of 0.1 ms is 10000 steps, though the quotient may come out a little larger.
        let nearest = steps.round();
        let close = (steps - nearest).abs() <= 1e-9 * nearest.max(1.0);
        (if close { nearest } else { steps.ceil() }) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_due() {
        let every = Every::interval(0.01, 0.003);
        assert_eq!(every, Every(3));
        assert!(every.is_due(0) && every.is_due(6) && !every.is_due(7));
        assert_eq!(every.next_after(0), 3);
        assert_eq!(every.next_after(6), 9);
        assert_eq!(Every::interval(1e-9, 1.0), Every(1));
        assert_eq!(Every::interval(f64::INFINITY, 1.0).next_after(5), u64::MAX);
    }

    #[test]
    fn the_end_is_the_first_step_not_before_it() {
        let stop = |time: f64| Stop { time, kinetic_energy: None, after: 0.0 };
        assert_eq!(stop(1.0).step(1e-4), 10_000);
        assert_eq!(stop(0.3).step(0.1), 3);
        assert_eq!(stop(0.31).step(0.1), 4);
        assert_eq!(stop(0.3).step(1.0), 1);
        assert_eq!(stop(1.0).step(0.3), 4);
    }

    #[test]
    fn another_end_replaces_every_condition() {
        let plan = StopPlan { time: 1.0, kinetic_energy: Some(1e-6), after: 0.5 };
        assert_eq!(Stop::new(&plan, None), Stop { time: 1.0, kinetic_energy: Some(1e-6), after: 0.5 });
        assert_eq!(Stop::new(&plan, Some(3.0)), Stop { time: 3.0, kinetic_energy: None, after: 0.0 });
    }
}
