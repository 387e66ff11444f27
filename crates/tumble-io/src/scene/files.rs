//! Files that a scene names: meshes and tables of grains.

use super::InputFile;
use super::reader::Reader;
use super::runs::OtherRun;
use crate::bounded_read;
use crate::diagnostic::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Where the contents of named files come from.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The disk; relative names start here.
    Disk(&'a Path),
    /// Contents by name as written in the scene.
    Memory(&'a BTreeMap<String, Vec<u8>>),
}

/// The files opened so far.
pub(crate) struct Files<'a> {
    pub(super) origin: Origin<'a>,
    opened: Vec<(String, PathBuf, Rc<Vec<u8>>)>,
    /// Moments of other runs, by the names of the files that hold them.
    pub(super) runs: Vec<(String, Rc<OtherRun>)>,
    /// A run that is looked for on the disk in any case: the scene was not yet kept with it.
    pub(super) on_disk: Option<String>,
    /// Texts that messages point into; the scene and the overrides are there already.
    pub sources: Vec<Source>,
}

impl<'a> Files<'a> {
    pub fn new(origin: Origin<'a>, sources: Vec<Source>, on_disk: Option<String>) -> Files<'a> {
        Files { origin, opened: Vec::new(), runs: Vec::new(), on_disk, sources }
    }

    /// The name of the file at a key and its contents; a file that cannot be read is reported.
    pub fn open(&mut self, reader: &Reader, key: &'static str) -> Option<(String, Rc<Vec<u8>>)> {
        let name = reader.text(key)?;
        if let Some((_, _, bytes)) = self.opened.iter().find(|f| f.0 == name) {
            return Some((name.to_string(), bytes.clone()));
        }
        let (path, read) = match self.origin {
            Origin::Disk(base) => {
                let path = base.join(name);
                let read = bounded_read::read(&path, bounded_read::LONGEST_INPUT).map_err(|e| plain_reason(&e));
                (path, read)
            }
            Origin::Memory(map) => {
                let read = map.get(name).cloned().ok_or_else(|| "it is not among the stored files".to_string());
                (PathBuf::from(name), read)
            }
        };
        match read {
            Ok(bytes) => {
                let bytes = Rc::new(bytes);
                self.opened.push((name.to_string(), path, bytes.clone()));
                Some((name.to_string(), bytes))
            }
            Err(reason) => {
                reader.report_at(
                    key,
                    format!("cannot read {name:?}: {reason}"),
                    "wants the name of a file, relative to the scene file",
                );
                None
            }
        }
    }

    /// Keeps a file that was opened elsewhere.
    pub(super) fn keep(&mut self, name: String, path: PathBuf, bytes: Vec<u8>) {
        self.opened.push((name, path, Rc::new(bytes)));
    }

    /// The place of a file's text among the sources of messages.
    pub fn as_source(&mut self, name: &str, bytes: &[u8]) -> usize {
        self.sources.push(Source { name: name.to_string(), text: String::from_utf8_lossy(bytes).into_owned() });
        self.sources.len() - 1
    }

    pub fn into_parts(self) -> (Vec<InputFile>, Vec<Source>) {
        let files = self
            .opened
            .into_iter()
            .map(|(as_written, path, bytes)| InputFile { as_written, path, bytes: Rc::unwrap_or_clone(bytes) })
            .collect();
        (files, self.sources)
    }
}

/// Why a file cannot be read, in the same words on every system where there is a word.
pub(crate) fn plain_reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a directory".into(),
        std::io::ErrorKind::InvalidData => "it is not text in UTF-8".into(),
        _ => error.to_string(),
    }
}
