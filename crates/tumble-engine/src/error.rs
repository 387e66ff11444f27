//! What can go wrong in a run.

/// What can go wrong in a run. Every message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The model contradicts itself.
    #[error("{0}")]
    Model(String),
    /// Grains could not be placed as asked.
    #[error("{0}")]
    Insertion(String),
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
    /// A saved state does not fit the model.
    #[error("the saved state does not fit this scene: {0}")]
    State(String),
}
