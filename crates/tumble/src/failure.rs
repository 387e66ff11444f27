//! Why a command did not do what was asked, and the exit code that says so.

use std::io;
use tumble_engine::EngineError;
use tumble_io::append_file::AppendError;
use tumble_io::checkpoint::CheckpointError;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectoryError;

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

/// What is not where the user said is the user's input; everything else that goes wrong with files is the machine's.
fn is_input(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory)
}

fn sorted(is_input: bool, error: impl Into<anyhow::Error>) -> Failure {
    if is_input { Failure::Input(error.into()) } else { Failure::Machine(error.into()) }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        sorted(is_input(&error.source), error)
    }
}

impl From<AppendError> for Failure {
    fn from(error: AppendError) -> Failure {
        let input = match &error {
            AppendError::File(file) => is_input(&file.source),
            AppendError::Shorter { .. } | AppendError::Differs { .. } => true,
        };
        sorted(input, error)
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Failure {
        let input = match &error {
            CheckpointError::File(file) => is_input(&file.source),
            _ => true,
        };
        sorted(input, error)
    }
}

impl From<RunDirectoryError> for Failure {
    fn from(error: RunDirectoryError) -> Failure {
        match error {
            RunDirectoryError::File(error) => error.into(),
            RunDirectoryError::Checkpoint(error) => error.into(),
            other => Failure::Input(other.into()),
        }
    }
}

/// All of these are cured by a change of the scene, an unstable run among them.
impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Input(error.into())
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
