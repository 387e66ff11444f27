//! Replaces a file as a whole or not at all.
//!
//! The new content goes to a temporary file in the same directory, is forced to the disk, and only then takes the
//! name. A crash, a kill or a full disk at any moment leaves the old file as it was. The temporary's name depends on
//! the file's name alone, so what a killed process leaves behind is overwritten by the next attempt instead of piling
//! up. Known limit: two processes that replace the same file at once would share the temporary; a run directory is
//! locked against that ([`crate::run_directory`]).
//!
//! A link stays a link: the file it leads to is replaced. What is no file (a device, a pipe) is written to as it is.

use crate::file_error::FileError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How the name of a temporary ends.
const TEMPORARY_SUFFIX: &str = ".partial";

/// Replaces the file at `path` by what `fill` writes. On an error the old file is untouched and the temporary gone;
/// the one exception is a failure to force the directory to the disk, which comes after the new file has its name.
pub fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), FileError> {
    let target = if path.is_symlink() { fs::canonicalize(path).ok() } else { None };
    let path = target.as_deref().unwrap_or(path);
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return write_into(path, fill).map_err(FileError::of("write", path));
    }
    let temporary = temporary_path(path).map_err(FileError::of("write", path))?;
    let guard = RemoveOnDrop(&temporary);
    write_and_sync(&temporary, fill)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(FileError::of("write", path))?;
    std::mem::forget(guard);
    sync_directory_of(path).map_err(FileError::of("write", path))
}

/// Replaces the file at `path` by the given bytes.
pub fn replace_with(path: &Path, content: &[u8]) -> Result<(), FileError> {
    replace(path, |file| file.write_all(content))
}

/// Removes the temporaries that killed processes left in a directory.
pub fn remove_leftovers(directory: &Path) -> Result<(), FileError> {
    for entry in fs::read_dir(directory).map_err(FileError::of("read", directory))? {
        let entry = entry.map_err(FileError::of("read", directory))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(TEMPORARY_SUFFIX) {
            fs::remove_file(entry.path()).map_err(FileError::of("remove", &entry.path()))?;
        }
    }
    Ok(())
}

/// Forces the names in the directory of `path` to the disk: a new, renamed or removed file survives a power cut only
/// after this.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    // Only Unix can open a directory as a file; elsewhere the file system orders a rename by itself.
    if cfg!(unix) {
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        File::open(parent)?.sync_all()?;
    }
    Ok(())
}

fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a file name"))?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(TEMPORARY_SUFFIX);
    Ok(path.with_file_name(temporary))
}

fn write_into(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, File::options().write(true).open(path)?);
    fill(&mut writer)?;
    writer.flush()
}

fn write_and_sync(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, File::create(path)?);
    if let Err(error) = fill(&mut writer) {
        // Dropping the writer would try to write the rest to a file that is about to go.
        let _ = writer.into_parts();
        return Err(error);
    }
    writer.into_inner().map_err(|error| error.into_error())?.sync_all()
}

struct RemoveOnDrop<'a>(&'a Path);

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        // The error that led here is the one worth telling; a leftover is overwritten by the next attempt.
        let _ = fs::remove_file(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn new_content_takes_the_place_of_the_old() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        replace_with(&path, b"one").unwrap();
        replace_with(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names_in(directory.path()), ["run.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        use std::os::unix::fs::FileTypeExt;
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        replace_with(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace_with(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        // By a link, so that a failure of this test could replace the link only.
        let device = directory.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        replace_with(&device, b"gone").unwrap();
        assert!(device.is_symlink() && fs::metadata(&device).unwrap().file_type().is_char_device());
        assert_eq!(names_in(directory.path()), ["device", "file", "link"]);
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_no_temporary() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        replace_with(&path, b"old").unwrap();
        let error = replace(&path, |file| {
            file.write_all(&vec![7; 1 << 20])?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(error.is_disk_full());
        let message = error.to_string();
        assert!(message.contains("run.json") && message.contains("the disk is full"), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(directory.path()), ["run.json"]);
    }

    #[test]
    fn a_panic_while_writing_leaves_no_temporary() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        let outcome = std::panic::catch_unwind(|| replace(&path, |_| panic!("on purpose")));
        assert!(outcome.is_err());
        assert!(names_in(directory.path()).is_empty());
    }

    #[test]
    fn errors_name_the_path() {
        let error = replace_with(Path::new("/nonexistent-directory/run.json"), b"x").unwrap_err();
        assert!(error.to_string().starts_with("cannot write /nonexistent-directory/run.json: "), "{error}");
        assert!(replace_with(Path::new("/"), b"x").unwrap_err().to_string().contains("file name"));
    }

    #[test]
    fn a_leftover_of_a_killed_process_is_overwritten_or_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        fs::write(directory.path().join(".run.json.partial"), vec![1; 100]).unwrap();
        replace_with(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::write(directory.path().join(".run.json.partial"), b"half").unwrap();
        remove_leftovers(directory.path()).unwrap();
        assert_eq!(names_in(directory.path()), ["run.json"]);
    }
}
