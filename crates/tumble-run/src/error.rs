//! Why a run could not begin, go on or be resumed.

use std::path::PathBuf;
use tumble_engine::EngineError;
use tumble_io::append_file::AppendError;
use tumble_io::checkpoint::CheckpointError;
use tumble_io::figures::number;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectoryError;
use tumble_io::scene::SceneError;

/// Why a run could not begin, go on or be resumed. Every message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The scene cannot be run; the report inside has every mistake with its line.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The physics cannot go on.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The directory of the run.
    #[error(transparent)]
    Directory(#[from] RunDirectoryError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A file that grows.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Another file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A checkpoint belongs to another scene.
    #[error(
        "{} does not belong to {scene}: the scene or one of its inputs was changed since. Undo the change, or start a new \
         run with `tumble run`",
        checkpoint.display()
    )]
    OtherScene {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// The scene, as messages call it.
        scene: String,
    },
    /// There is no checkpoint so early.
    #[error(
        "there is no checkpoint at or before t = {} s{}",
        number(*.time),
        first.map_or_else(String::new, |first| format!(": the first is at {} s", number(first)))
    )]
    NoMoment {
        /// The time that was asked for [s].
        time: f64,
        /// Time of the first checkpoint [s], if there is one.
        first: Option<f64>,
    },
    /// A checkpoint does not say how long a file was.
    #[error("the checkpoint does not say how long {file} was: it was not written by `tumble run`")]
    NotOfARun {
        /// The file.
        file: String,
    },
    /// The run has come exactly as far as was asked.
    #[error("the run has come to t = {} s already: there is nothing to do", number(*.time))]
    NothingToDo {
        /// Simulated time [s].
        time: f64,
    },
    /// The run has come farther than was asked.
    #[error("the run has come to t = {} s already: --until {} is before that", number(*.time), number(*.until))]
    Beyond {
        /// Simulated time [s].
        time: f64,
        /// The time that was asked for [s].
        until: f64,
    },
    /// Files are begun before the first step or not at all.
    #[error("the run is at step {step}: a run is recorded from its first step on")]
    NotAtStart {
        /// Steps done.
        step: u64,
    },
    /// What has no scene cannot be resumed, so it is not recorded.
    #[error("the run was made from a model: without a scene it could not be resumed, so it is not recorded")]
    NoScene,
    /// The run writes its files already.
    #[error("the run is recorded in {} already", directory.display())]
    Recorded {
        /// Where.
        directory: PathBuf,
    },
    /// An interval that is none.
    #[error("an observer's interval is {interval} s; it must be above zero")]
    Interval {
        /// The interval [s].
        interval: f64,
    },
    /// The run could not go on; its report says so too.
    #[error("{why}\n{}", what_is_left(checkpoint))]
    Broken {
        /// Why.
        why: Box<RunError>,
        /// The last good checkpoint and its time [s].
        checkpoint: Option<(PathBuf, f64)>,
    },
}

fn what_is_left(checkpoint: &Option<(PathBuf, f64)>) -> String {
    match checkpoint {
        None => "no checkpoint was written".to_owned(),
        Some((path, time)) => format!("the last good checkpoint is {} (t = {} s)", path.display(), number(*time)),
    }
}
