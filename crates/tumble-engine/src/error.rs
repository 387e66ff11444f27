//! What can go wrong in a run.

use tumble_geometry::{Pose, Shape};

/// Two convex grains, or parts of grains, whose contact was not found: all that is needed to ask for it again.
#[derive(Clone, Debug, PartialEq)]
pub struct UnsettledPair {
    /// Shapes at their sizes.
    pub shapes: [Shape; 2],
    /// Where they were.
    pub poses: [Pose; 2],
}

/// What can go wrong in a run. Every message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The model contradicts itself.
    #[error("{0}")]
    Model(String),
    /// Grains could not be placed as asked.
    #[error("{0}")]
    Insertion(String),
    /// Whoever watched the grains being placed did not want any more.
    #[error("stopped while grains were being placed")]
    Stopped,
    /// The run has become unstable.
    #[error("the run became unstable at step {step} (t = {time:.6e} s): {what}")]
    Unstable {
        /// Step at which it was noticed.
        step: u64,
        /// Simulated time [s].
        time: f64,
        /// What gave it away, which grains, and what to change.
        what: String,
    },
    /// A contact could not be found to its tolerance.
    #[error("at step {step} (t = {time:.6e} s) the contact of {what} was not found: it may be off by {bound:.3e} m")]
    Unsettled {
        /// Step at which it happened.
        step: u64,
        /// Simulated time [s].
        time: f64,
        /// Which grains, their shapes and places.
        what: String,
        /// How far the separation may be off [m].
        bound: f64,
        /// The two shapes and where they were; `None` where the partner is a wall.
        pair: Option<Box<UnsettledPair>>,
    },
    /// A saved state does not fit the model.
    #[error("the saved state does not fit this scene: {0}")]
    State(String),
}
