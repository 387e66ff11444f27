//! Reads files that a user names, and none that might never end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Scenes are written by people: longer ones are something else [bytes].
pub const LONGEST_SCENE: u64 = 64 << 20;
/// Meshes and tables of grains may be long [bytes].
pub const LONGEST_INPUT: u64 = 8 << 30;

/// Whether a path leads to a file that has an end; a pipe or a device has none.
pub fn check_has_an_end(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?;
    if kind.is_file() {
        return Ok(());
    }
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let what = "it is a pipe or a device, which may never end: write what it gives to a file first";
    Err(io::Error::new(io::ErrorKind::Unsupported, what))
}

/// Reads a file of at most so many bytes.
///
/// ```
/// use std::path::Path;
/// use tumble_io::bounded_read::read;
///
/// let directory = tempfile::tempdir().unwrap();
/// let path = directory.path().join("a");
/// std::fs::write(&path, "four").unwrap();
/// assert_eq!(read(&path, 4).unwrap(), b"four");
/// assert!(read(&path, 3).unwrap_err().to_string().contains("more than 3 bytes"));
/// ```
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    check_has_an_end(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::Unsupported, format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}
