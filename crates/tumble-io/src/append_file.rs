//! A file that only grows, and that a resumed run cuts back to where its checkpoint left it.
//!
//! A killed run has usually written on after its last checkpoint. The checkpoint remembers how long each growing file
//! was; going on from there drops what came later, so the resumed run writes it again, once. For that to hold, a
//! checkpoint is written after the growing files have been forced to the disk, never before. After a failed write the
//! end of the file is unknown: the way on is to open it anew at the checkpoint's length.

use crate::file_error::FileError;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Something is wrong with what a run wrote earlier, though it can go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}; {consequence}", path.display())]
pub struct OldDamage {
    /// The file or directory.
    pub path: PathBuf,
    /// What is wrong.
    pub what: String,
    /// What becomes of it.
    pub consequence: String,
}

impl OldDamage {
    pub(crate) fn new(path: &Path, what: impl Into<String>, consequence: impl Into<String>) -> OldDamage {
        OldDamage { path: path.to_owned(), what: what.into(), consequence: consequence.into() }
    }
}

/// A growing file could not be continued.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// What is in the file is not what the run would have written there.
    #[error("{} cannot be continued: {what}", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// The difference.
        what: String,
    },
}

/// A growing file.
#[derive(Debug)]
pub(crate) struct AppendFile {
    path: PathBuf,
    writer: BufWriter<File>,
    offset: u64,
}

impl AppendFile {
    /// Begins an empty file, replacing what was there.
    pub(crate) fn create(path: &Path) -> Result<AppendFile, FileError> {
        let file = File::create(path).map_err(FileError::of("create", path))?;
        Ok(AppendFile { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, file), offset: 0 })
    }

    /// Opens a file to go on with; `None` if there is none. Nothing is changed before [`Self::cut`].
    pub(crate) fn open(path: &Path) -> Result<Option<AppendFile>, FileError> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(FileError::of("open", path))?,
        };
        let offset = file.metadata().map_err(FileError::of("read", path))?.len();
        Ok(Some(AppendFile { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, file), offset }))
    }

    /// Reads from a place in the opened file, as many bytes as there are up to the buffer's length.
    pub(crate) fn read_at(&mut self, place: u64, buffer: &mut Vec<u8>, length: u64) -> Result<(), FileError> {
        buffer.clear();
        let file = self.writer.get_mut();
        file.seek(SeekFrom::Start(place))
            .and_then(|_| file.take(length).read_to_end(buffer))
            .map_err(FileError::of("read", &self.path))?;
        Ok(())
    }

    /// The opened file, to read from.
    pub(crate) fn file(&mut self) -> &mut File {
        self.writer.get_mut()
    }

    /// Drops what follows the first `offset` bytes and stands there.
    pub(crate) fn cut(&mut self, offset: u64) -> Result<(), FileError> {
        self.offset = offset;
        let file = self.writer.get_mut();
        file.set_len(offset)
            .and_then(|()| file.seek(SeekFrom::Start(offset)))
            .map_err(FileError::of("write", &self.path))?;
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file with all that was appended [bytes].
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends bytes; they may wait in memory.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.writer.write_all(bytes).map_err(FileError::of("write", &self.path))?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Hands all that waits in memory to the operating system, so that other programs see it.
    pub(crate) fn flush(&mut self) -> Result<(), FileError> {
        self.writer.flush().map_err(FileError::of("write", &self.path))
    }

    /// Forces all that was appended to the disk and returns the length [bytes].
    pub(crate) fn flush_and_sync(&mut self) -> Result<u64, FileError> {
        self.flush()?;
        self.writer.get_ref().sync_all().map_err(FileError::of("write", &self.path))?;
        Ok(self.offset)
    }
}
