//! What a solver answers, and the one place where it is asked which solver there is.

use crate::contacts::records::Visitor;
use crate::hard::CollisionRecord;
use crate::hard::events::Events;
use crate::hard::stepped::Stepped;
use crate::model::{Model, Solver};
use crate::soft::Soft;
use crate::state::BlockContacts;
use crate::{EngineError, State};
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::lanes::Instructions;

/// What the solver of a run works with beside the state. All of it follows from model and state, and is not saved.
#[derive(Clone, Debug)]
pub(crate) enum Solving {
    Soft(Box<Soft>),
    Stepped(Stepped),
    Events(Events),
}

impl Solving {
    /// Begins with grains and walls in their places, and gives the state what the solver keeps in it. Contacts that grains bring
    /// along go on where contacts last.
    pub fn begin(model: &Model, state: &mut State, contacts: Vec<BlockContacts>) -> Result<Solving, EngineError> {
        Ok(match model.solver {
            Solver::Soft => Solving::Soft(Box::new(Soft::begin(model, state, contacts)?)),
            Solver::HardStepped => Solving::Stepped(Stepped::begin(model, state)?),
            Solver::HardEvents => Solving::Events(Events::begin(model, state)?),
        })
    }

    /// Goes on from a state that fits the model.
    pub fn resume(model: &Model, state: &mut State) -> Result<Solving, EngineError> {
        Ok(match model.solver {
            Solver::Soft => Solving::Soft(Box::new(Soft::resume(model, state)?)),
            Solver::HardStepped => Solving::Stepped(Stepped::resume(model, state)?),
            Solver::HardEvents => Solving::Events(Events::resume(model)),
        })
    }

    /// Goes on from a state of another model that fits this one, and of which all contacts may be others.
    pub fn change(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        match self {
            Solving::Soft(soft) => soft.change(model, state),
            Solving::Stepped(stepped) => stepped.change(model, state),
            Solving::Events(events) => {
                *events = Events::resume(model);
                let n_grains = state.particles.len();
                state.solver.events_mut().resize(n_grains);
                Ok(())
            }
        }
    }

    /// Takes the state from one moment to the next.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<(), EngineError> {
        match self {
            Solving::Soft(soft) => soft.step(model, state),
            Solving::Stepped(stepped) => stepped.step(model, state),
            Solving::Events(events) => events.step(model, state),
        }
    }

    /// Shows every touching contact as it is now, with the energy in it.
    pub fn visit(&self, state: &State, show: &mut Visitor) {
        match self {
            Solving::Soft(soft) => soft.visit(state, show),
            // Nothing touches for longer than a moment.
            Solving::Stepped(_) | Solving::Events(_) => {}
        }
    }

    /// Touching contacts, walls included, in the last step.
    pub fn n_contacts(&self) -> usize {
        match self {
            Solving::Soft(soft) => soft.summary.n_contacts,
            Solving::Stepped(_) | Solving::Events(_) => 0,
        }
    }

    /// Searches for common planes in the last step; `None` unless contacts are found by these.
    pub fn plane_searches(&self) -> Option<PlaneSearches> {
        match self {
            Solving::Soft(soft) => soft.table.contact_method.common_plane().map(|_| soft.summary.searches),
            Solving::Stepped(_) | Solving::Events(_) => None,
        }
    }

    /// Collisions of the last step, if the model asks for them.
    pub fn collisions(&self) -> &[CollisionRecord] {
        match self {
            Solving::Soft(_) => &[],
            Solving::Stepped(stepped) => &stepped.log,
            Solving::Events(events) => &events.log,
        }
    }

    /// Whether the run is still sound.
    pub fn check_health(&self, model: &Model, state: &State) -> Result<(), EngineError> {
        match self {
            Solving::Soft(soft) => soft.check_health(model, state).map(drop),
            Solving::Stepped(stepped) => stepped.check_health(model, state),
            Solving::Events(events) => events.check_health(model, state),
        }
    }

    /// Steps with these instructions from now on.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        match self {
            Solving::Soft(soft) => soft.lists.instructions = instructions,
            // Their work is not in lanes.
            Solving::Stepped(_) | Solving::Events(_) => {}
        }
    }
}
