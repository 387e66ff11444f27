//! Why a command did not do what was asked, and the exit code that says so.

use std::io;
use tumble_engine::EngineError;
use tumble_io::append_file::AppendError;
use tumble_io::checkpoint::CheckpointError;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectoryError;
use tumble_run::RunError;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The input must change: a scene, an option, a file that was named.
    Input(anyhow::Error),
    /// The machine or Tumble is at fault.
    Machine(anyhow::Error),
    /// All that there is to say has been said: the input must change.
    Told,
    /// The user stopped it; a checkpoint was written.
    Interrupted,
    /// Nobody reads the output any more, so there is nothing left to do.
    ClosedPipe,
}

impl Failure {
    /// A failure that the user can set right.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure::Input(anyhow::Error::msg(message.into()))
    }

    /// What the process ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::ClosedPipe => 0,
            Failure::Input(_) | Failure::Told => 1,
            Failure::Machine(_) => 2,
            Failure::Interrupted => 130,
        }
    }

    /// What there is to say; `None` if it has been said.
    pub fn message(&self) -> Option<String> {
        match self {
            Failure::Input(error) | Failure::Machine(error) => Some(error.to_string()),
            Failure::Told | Failure::Interrupted | Failure::ClosedPipe => None,
        }
    }
}

/// Errors of the standard output: someone may have stopped reading it.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::ClosedPipe
        } else {
            Failure::Machine(anyhow::Error::new(error).context("cannot write the output"))
        }
    }
}

/// Whether the user can set an error right, or the machine is at fault.
trait Blame {
    fn is_input(&self) -> bool;
}

/// What is not where the user said is the user's input; everything else that goes wrong with files is the machine's.
impl Blame for FileError {
    fn is_input(&self) -> bool {
        let kind = self.source.kind();
        use io::ErrorKind::{IsADirectory, NotADirectory, NotFound, Unsupported};
        // What is unsupported is a pipe or a device in the place of a file.
        matches!(kind, NotFound | IsADirectory | NotADirectory | Unsupported)
    }
}

impl Blame for AppendError {
    fn is_input(&self) -> bool {
        match self {
            AppendError::File(error) => error.is_input(),
            AppendError::Differs { .. } => true,
        }
    }
}

impl Blame for CheckpointError {
    fn is_input(&self) -> bool {
        match self {
            CheckpointError::File(error) => error.is_input(),
            _ => true,
        }
    }
}

impl Blame for RunDirectoryError {
    fn is_input(&self) -> bool {
        match self {
            RunDirectoryError::File(error) => error.is_input(),
            RunDirectoryError::Checkpoint(error) => error.is_input(),
            _ => true,
        }
    }
}

/// All of these are cured by a change of the scene, an unstable run among them.
impl Blame for EngineError {
    fn is_input(&self) -> bool {
        true
    }
}

impl Blame for RunError {
    fn is_input(&self) -> bool {
        match self {
            RunError::File(error) => error.is_input(),
            RunError::Append(error) => error.is_input(),
            RunError::Checkpoint(error) => error.is_input(),
            RunError::Directory(error) => error.is_input(),
            RunError::Broken { why, .. } => why.is_input(),
            _ => true,
        }
    }
}

impl<E: Blame + Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Failure {
        if error.is_input() { Failure::Input(error.into()) } else { Failure::Machine(error.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn exit_codes_say_whose_fault_it_is() {
        let file = |kind: io::ErrorKind| Failure::from(FileError::of("read", Path::new("x"))(kind.into()));
        assert_eq!(file(io::ErrorKind::NotFound).exit_code(), 1);
        assert_eq!(file(io::ErrorKind::StorageFull).exit_code(), 2);
        assert_eq!(file(io::ErrorKind::PermissionDenied).exit_code(), 2);
        let unstable = EngineError::Unstable { step: 3, time: 0.1, what: "grain 1 is lost".into() };
        assert_eq!(Failure::from(unstable).exit_code(), 1);
        assert_eq!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)).exit_code(), 0);
        assert_eq!(Failure::from(io::Error::from(io::ErrorKind::StorageFull)).exit_code(), 2);
        assert_eq!(Failure::Interrupted.exit_code(), 130);
    }
}
