//! The frames of a run: numbered files for grains, contacts, walls and surfaces, and an index in time for each.

use super::{write_contacts, write_particles, write_pvd, write_surfaces, write_walls};
use crate::append_file::AppendError;
use crate::atomic_file;
use crate::file_error::FileError;
use std::fs;
use std::path::{Path, PathBuf};
use tumble_engine::observe::ContactRecord;
use tumble_engine::{Model, State};

/// The series in a frames directory; each has an index of the same name.
const SERIES: [&str; 4] = ["particles", "contacts", "walls", "surfaces"];

/// What a frame holds besides the grains and the walls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameContents {
    /// Whether it has a file with the contacts.
    pub contacts: bool,
    /// Whether it has a file with the surfaces of the grains.
    pub surfaces: bool,
}

/// Writes the frames of a run into a directory and keeps their indices.
#[derive(Debug)]
pub struct FrameSeries {
    directory: PathBuf,
    contents: FrameContents,
    times: Vec<f64>,
}

impl FrameSeries {
    /// Begins a series in a directory, which is made if it is not there.
    pub fn create(directory: &Path, contents: FrameContents) -> Result<FrameSeries, FileError> {
        fs::create_dir_all(directory).map_err(FileError::of("create", directory))?;
        Ok(FrameSeries { directory: directory.to_owned(), contents, times: Vec::new() })
    }

    /// Goes on with a series after its first `n_frames` frames and removes the later ones, which the run will write
    /// again.
    pub fn append_after(directory: &Path, contents: FrameContents, n_frames: u64) -> Result<FrameSeries, AppendError> {
        let index = directory.join("particles.pvd");
        let mut times = match fs::read_to_string(&index) {
            Ok(text) => times_in_index(&text),
            // A run that has written no frame yet has no index.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(FileError::of("read", &index)(error).into()),
        };
        if (times.len() as u64) < n_frames {
            let what = format!("it lists {} frames, but {n_frames} were written before the checkpoint", times.len());
            return Err(AppendError::Differs { path: index, what });
        }
        times.truncate(n_frames as usize);
        let series = FrameSeries { directory: directory.to_owned(), contents, times };
        fs::create_dir_all(directory).map_err(FileError::of("create", directory))?;
        atomic_file::remove_leftovers(directory)?;
        // The indices go back first: an interruption then leaves unlisted frames, never listed ones that are gone.
        for name in SERIES {
            if directory.join(format!("{name}.pvd")).exists() {
                series.write_index(name)?;
            }
        }
        series.remove_later_frames()?;
        Ok(series)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is no frame yet.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Writes a frame: the grains with the number of contacts of each, what else it holds, and the walls if there are
    /// any.
    pub fn write(
        &mut self,
        model: &Model,
        state: &State,
        coordination: &[u32],
        contacts: &[ContactRecord],
    ) -> Result<(), FileError> {
        let number = self.times.len();
        let path = |series: &str| self.directory.join(frame_name(series, number));
        write_particles(&path("particles"), model, state, coordination)?;
        if self.contents.contacts {
            write_contacts(&path("contacts"), state, contacts)?;
        }
        if self.contents.surfaces {
            write_surfaces(&path("surfaces"), model, state)?;
        }
        if !model.walls.is_empty() {
            write_walls(&path("walls"), model, state)?;
        }
        self.times.push(state.time());
        if !model.walls.is_empty() {
            self.write_index("walls")?;
        }
        for (series, is_there) in [("contacts", self.contents.contacts), ("surfaces", self.contents.surfaces)] {
            if is_there {
                self.write_index(series)?;
            }
        }
        // Last, for a resumed run counts on this one: what it lists is listed by the others too.
        self.write_index("particles")
    }

    fn write_index(&self, series: &str) -> Result<(), FileError> {
        let frames: Vec<(f64, String)> =
            self.times.iter().enumerate().map(|(number, &time)| (time, frame_name(series, number))).collect();
        write_pvd(&self.directory.join(format!("{series}.pvd")), &frames)
    }

    fn remove_later_frames(&self) -> Result<(), FileError> {
        for entry in fs::read_dir(&self.directory).map_err(FileError::of("read", &self.directory))? {
            let entry = entry.map_err(FileError::of("read", &self.directory))?;
            let name = entry.file_name();
            let is_later = number_in_name(&name.to_string_lossy()).is_some_and(|number| number >= self.times.len());
            if is_later {
                fs::remove_file(entry.path()).map_err(FileError::of("remove", &entry.path()))?;
            }
        }
        Ok(())
    }
}

fn frame_name(series: &str, number: usize) -> String {
    format!("{series}-{number:06}.vtp")
}

/// The number in the name of a frame; `None` for files that are not frames.
fn number_in_name(name: &str) -> Option<usize> {
    let (series, number) = name.strip_suffix(".vtp")?.split_once('-')?;
    SERIES.contains(&series).then(|| number.parse().ok())?
}

/// The times of an index that [`write_pvd`] wrote.
fn times_in_index(text: &str) -> Vec<f64> {
    text.lines().filter_map(|line| line.strip_prefix("<DataSet timestep=\"")?.split_once('"')?.0.parse().ok()).collect()
}
