//! The frames of a run: numbered files for grains, contacts, walls and surfaces, and an index in time for each.

use super::{write_contacts, write_particles, write_pvd, write_surfaces, write_walls};
use crate::append_file::OldDamage;
use crate::atomic_file;
use crate::file_error::FileError;
use crate::table::quoted;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tumble_engine::observe::ContactRecord;
use tumble_engine::{Model, State};

/// The series in a frames directory; each has an index of the same name.
const SERIES: [&str; 4] = ["particles", "contacts", "walls", "surfaces"];
/// Place of the grains in it.
const PARTICLES: usize = 0;

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
    /// Number of the next frame.
    n_frames: usize,
    /// What each index lists: numbers of frames and their times [s].
    listed: [Vec<(usize, f64)>; SERIES.len()],
}

impl FrameSeries {
    /// Begins a series in a directory, which is made if it is not there.
    pub fn create(directory: &Path, contents: FrameContents) -> Result<FrameSeries, FileError> {
        fs::create_dir_all(directory).map_err(FileError::of("create", directory))?;
        Ok(FrameSeries { directory: directory.to_owned(), contents, n_frames: 0, listed: Default::default() })
    }

    /// Goes on with a series after its first `n_frames` frames and removes the later ones, which the run will write
    /// again. The indices list what is there: frames that are gone or not whole are told and left out.
    pub fn append_after(
        directory: &Path,
        contents: FrameContents,
        n_frames: u64,
    ) -> Result<(FrameSeries, Option<OldDamage>), FileError> {
        fs::create_dir_all(directory).map_err(FileError::of("create", directory))?;
        let n_frames = n_frames as usize;
        // All indices have the times of the same frames, so one that is left is enough.
        let mut times = BTreeMap::new();
        for name in SERIES {
            let index = directory.join(format!("{name}.pvd"));
            match fs::read(&index) {
                Ok(text) => times.extend(entries_of_index(&String::from_utf8_lossy(&text))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(FileError::of("read", &index)(error)),
            }
        }
        let mut series = FrameSeries { n_frames, ..FrameSeries::create(directory, contents)? };
        for (name, listed) in SERIES.iter().zip(&mut series.listed) {
            for (&number, &time) in times.range(..n_frames) {
                if is_whole(&directory.join(frame_name(name, number)))? {
                    listed.push((number, time));
                }
            }
        }
        let n_left = series.listed[PARTICLES].len();
        let damage = (n_left < n_frames).then(|| {
            let what = format!("of {n_frames} frames, {} are gone or not whole", n_frames - n_left);
            OldDamage::new(directory, what, "new ones follow, and the indices list those that are there")
        });
        atomic_file::remove_leftovers(directory)?;
        // The indices go back first: an interruption then leaves unlisted frames, never listed ones that are gone.
        for (name, listed) in SERIES.iter().zip(&series.listed) {
            if !listed.is_empty() || directory.join(format!("{name}.pvd")).exists() {
                series.write_index(name)?;
            }
        }
        series.remove_later_frames()?;
        Ok((series, damage))
    }

    /// Number of frames that were written, those that are gone among them.
    pub fn len(&self) -> usize {
        self.n_frames
    }

    /// Whether no frame has been written yet.
    pub fn is_empty(&self) -> bool {
        self.n_frames == 0
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
        let number = self.n_frames;
        if number == 0 {
            self.write_species(model)?;
        }
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
        let is_there = [true, self.contents.contacts, !model.walls.is_empty(), self.contents.surfaces];
        self.n_frames += 1;
        for (listed, _) in self.listed.iter_mut().zip(is_there).filter(|(_, is_there)| *is_there) {
            listed.push((number, state.time));
        }
        // The grains last: what their index lists is listed by the others too.
        for (name, _) in SERIES.iter().zip(is_there).filter(|(_, is_there)| *is_there).rev() {
            self.write_index(name)?;
        }
        Ok(())
    }

    /// Lists the names of the kinds of grain, by which frames know them as numbers.
    fn write_species(&self, model: &Model) -> Result<(), FileError> {
        let names = model.species.iter().enumerate();
        let rows: String = names.map(|(number, species)| format!("{number},{}\n", quoted(&species.name))).collect();
        atomic_file::replace(&self.directory.join("species.csv"), |file| write!(file, "species,name\n{rows}"))
    }

    fn write_index(&self, series: &str) -> Result<(), FileError> {
        let listed = SERIES.iter().zip(&self.listed).find(|(name, _)| **name == series).map(|(_, listed)| listed);
        let frames: Vec<(f64, String)> =
            listed.into_iter().flatten().map(|&(number, time)| (time, frame_name(series, number))).collect();
        write_pvd(&self.directory.join(format!("{series}.pvd")), &frames)
    }

    fn remove_later_frames(&self) -> Result<(), FileError> {
        for entry in fs::read_dir(&self.directory).map_err(FileError::of("read", &self.directory))? {
            let entry = entry.map_err(FileError::of("read", &self.directory))?;
            let name = entry.file_name();
            let is_later = number_in_name(&name.to_string_lossy()).is_some_and(|number| number >= self.n_frames);
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

/// Numbers of the frames and their times [s] in an index that [`write_pvd`] wrote.
fn entries_of_index(text: &str) -> impl Iterator<Item = (usize, f64)> {
    text.lines().filter_map(|line| {
        let (time, rest) = line.strip_prefix("<DataSet timestep=\"")?.split_once('"')?;
        let (_, file) = rest.split_once("file=\"")?;
        Some((number_in_name(file.split_once('"')?.0)?, time.parse().ok()?))
    })
}

/// Whether a frame is there and has its end.
fn is_whole(path: &Path) -> Result<bool, FileError> {
    const END: &[u8] = b"</VTKFile>\n";
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened.map_err(FileError::of("read", path))?,
    };
    let length = file.metadata().map_err(FileError::of("read", path))?.len();
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(END.len() as u64)))
        .and_then(|_| file.read_to_end(&mut end))
        .map_err(FileError::of("read", path))?;
    Ok(end == END)
}
