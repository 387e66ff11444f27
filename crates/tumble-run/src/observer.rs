//! Functions of the caller that are called as a run goes on.

use crate::RunError;
use crate::schedule::Moments;
use std::fmt;
use tumble_engine::Simulation;

/// What is called at the moments of an interval.
pub(crate) struct Observer {
    moments: Moments,
    look: Box<dyn FnMut(&Simulation) + Send>,
}

impl Observer {
    /// One that looks at every multiple of an interval [s] from now on. At the start of a run it looks at once.
    pub(crate) fn new(
        interval: f64,
        simulation: &Simulation,
        mut look: Box<dyn FnMut(&Simulation) + Send>,
    ) -> Result<Observer, RunError> {
        if interval.is_nan() || interval <= 0.0 {
            return Err(RunError::Interval { interval });
        }
        if simulation.state().step == 0 {
            look(simulation);
        }
        Ok(Observer { moments: Moments::after(interval, simulation.state()), look })
    }

    /// Looks if it is time to.
    pub(crate) fn look(&mut self, simulation: &Simulation) {
        if self.moments.are_due(simulation.state()) {
            self.moments.pass(simulation.state());
            (self.look)(simulation);
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_struct("Observer").field("moments", &self.moments).finish_non_exhaustive()
    }
}
