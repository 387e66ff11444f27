//! The error of a file operation: what was attempted, on which path, and why it failed.

use std::io;
use std::path::{Path, PathBuf};

/// A file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
pub struct FileError {
    /// What was attempted, as in "cannot ... FILE": `read`, `write`, `create`.
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What the operating system said.
    pub source: io::Error,
}

impl FileError {
    /// Turns an operating system's error into one that names the attempt and the path.
    pub fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        move |source| FileError { action, path: path.to_owned(), source }
    }

    /// Whether there is no room left, by the disk or by a quota.
    pub fn is_disk_full(&self) -> bool {
        is_disk_full(&self.source)
    }
}

fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn advice(error: &io::Error) -> &'static str {
    if is_disk_full(error) {
        "; the disk is full: make room and try again (a run goes on from its last checkpoint)"
    } else {
        ""
    }
}
