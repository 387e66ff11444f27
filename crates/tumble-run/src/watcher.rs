//! What the caller of a run supplies: eyes for its progress, a wish to stop, ears for its messages.

use tumble_engine::Simulation;
use tumble_io::append_file::OldDamage;
use tumble_io::checkpoint::CheckpointError;
use tumble_io::run_report::StageReport;

/// Watches a run. All of it may be left out; `()` watches nothing.
///
/// ```
/// use tumble_run::{Run, Simulation, Watcher};
///
/// struct Counting(u64);
///
/// impl Watcher for Counting {
///     fn stepped(&mut self, _: &Simulation) {
///         self.0 += 1;
///     }
///
///     fn wants_stop(&mut self) -> bool {
///         self.0 == 3
///     }
/// }
///
/// # let scene = "materials.glass = { preset = 'glass' }
/// #     particles.bead = { diameter = '5 mm' }
/// #     insert = [{ fill = { region = { ball = { centre = [0, 0, 0], radius = '2 cm' } }, count = 5 } }]
/// #     time = { end = '1 s', step = '1 ms' }";
/// let mut run = Run::from_text(scene)?;
/// run.run(&mut Counting(0))?;
/// assert_eq!(run.state().step, 3);
/// # Ok::<(), tumble_run::RunError>(())
/// ```
pub trait Watcher {
    /// A step was done.
    fn stepped(&mut self, _simulation: &Simulation) {}

    /// A stage has begun: the last of these; the one before it has ended.
    fn entered(&mut self, _stages: &[StageReport], _simulation: &Simulation) {}

    /// Whether the run is to stop before its next step. It can be resumed.
    fn wants_stop(&mut self) -> bool {
        false
    }

    /// There is something that the user should know.
    fn notice(&mut self, _notice: &Notice) {}
}

impl Watcher for () {}

/// What a user should know, though the run goes on. Every message says what becomes of it.
#[derive(Debug, thiserror::Error)]
pub enum Notice {
    /// A checkpoint was passed over.
    #[error("{0}; going back to an earlier checkpoint")]
    Checkpoint(CheckpointError),
    /// Something is missing or damaged of what the run wrote earlier.
    #[error(transparent)]
    OldDamage(OldDamage),
    /// Another version wrote the checkpoint.
    #[error("the run was begun by Tumble {theirs}; Tumble {ours} may give other bits")]
    OtherVersion {
        /// The version that wrote it.
        theirs: String,
        /// This version.
        ours: &'static str,
    },
}
