//! The directory of a run: what is where, who may write in it, and which checkpoint to continue from.
//!
//! ```text
//! DIR/
//!   scene.toml             the scene as it was run
//!   inputs/                copies of the files the scene names, and index.json that tells which is which
//!   run.json               the report
//!   series.csv             the time series
//!   collisions.csv         every collision, if a run of hard particles was asked for them
//!   probes/NAME.csv        one table for each measurement
//!   frames/                frames for ParaView: *.vtp, particles.pvd, contacts.pvd, walls.pvd
//!   trajectory.tumble      frames for a viewer
//!   checkpoints/           step-NNNNNNNNNNNN.checkpoint, the newest two
//!   report.html            the run on one page: pictures, plots, numbers
//!   plots/                 what `tumble plot` drew
//!   analysis/, export/     what `tumble analyse` answered and `tumble export` wrote
//!   run.lock               held by the process that writes
//!   run.starting           there until the first checkpoint is
//! ```

use crate::atomic_file;
use crate::checkpoint::{self, CheckpointError, CheckpointExtra};
use crate::file_error::FileError;
use crate::run_report::RunReport;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tumble_engine::State;

const SCENE: &str = "scene.toml";
const INPUTS: &str = "inputs";
const INPUT_INDEX: &str = "index.json";
const REPORT: &str = "run.json";
const SERIES: &str = "series.csv";
const COLLISIONS: &str = "collisions.csv";
const PROBES: &str = "probes";
const FRAMES: &str = "frames";
/// Name of the frames for a viewer, in the directory of a run.
pub const TRAJECTORY: &str = "trajectory.tumble";
const CHECKPOINTS: &str = "checkpoints";
const PAGE: &str = "report.html";
const PLOTS: &str = "plots";
const ANALYSIS: &str = "analysis";
const EXPORT: &str = "export";
const LOCK: &str = "run.lock";
const STARTING: &str = "run.starting";
/// Everything a run writes, except the lock and the mark of a start.
const CONTENTS: [&str; 13] =
    [SCENE, INPUTS, SERIES, COLLISIONS, PROBES, FRAMES, TRAJECTORY, CHECKPOINTS, PAGE, PLOTS, ANALYSIS, EXPORT, REPORT];

/// How many checkpoints are kept: should the newest turn out damaged, there is one more.
const N_KEPT_CHECKPOINTS: usize = 2;

/// A run directory could not be made, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum RunDirectoryError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is a run already.
    #[error(
        "{} already holds a run: continue it with `tumble resume`, choose another directory, or ask for it to be overwritten",
        path.display()
    )]
    HoldsRun {
        /// The directory.
        path: PathBuf,
    },
    /// There is something that is not of a run and would be replaced.
    #[error("{} exists and is not part of a run, but a run would replace it: choose another directory", path.display())]
    Occupied {
        /// What is there.
        path: PathBuf,
    },
    /// Another process is at work.
    #[error("another Tumble process is writing in {}: wait for it to end", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// There is no directory.
    #[error("there is no directory {}", path.display())]
    Absent {
        /// The directory.
        path: PathBuf,
    },
    /// There is no run.
    #[error("{} holds no Tumble run: neither run.json nor run.lock is there", path.display())]
    NoRun {
        /// The directory.
        path: PathBuf,
    },
    /// A run was to begin, but was stopped before it had a checkpoint.
    #[error(
        "{} holds no run: one was stopped there before its first checkpoint, or is starting now. Start it anew with \
         `tumble run`, which may take the directory",
        path.display()
    )]
    NeverBegan {
        /// The directory.
        path: PathBuf,
    },
    /// The run cannot be continued from anywhere.
    #[error(
        "{} holds no checkpoint to go on from{}. Nothing was changed. To run its scene anew, into another directory: \
         tumble run {} --out DIRECTORY",
        path.display(),
        listed(damaged),
        path.join(SCENE).display()
    )]
    NoCheckpoint {
        /// The directory.
        path: PathBuf,
        /// Checkpoints that are there but damaged.
        damaged: Vec<CheckpointError>,
    },
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A file of the run does not say what it should.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

fn listed(errors: &[CheckpointError]) -> String {
    errors.iter().map(|error| format!("; {error}")).collect()
}

/// The directory of a run.
#[derive(Debug)]
pub struct RunDirectory {
    root: PathBuf,
    /// Held while the run writes; `None` when the directory was opened for reading.
    _lock: Option<File>,
}

/// The checkpoint to continue from.
#[derive(Debug)]
pub struct FoundCheckpoint {
    /// The file.
    pub path: PathBuf,
    /// The state.
    pub state: State,
    /// What was stored beside it.
    pub extra: CheckpointExtra,
    /// Newer checkpoints that were passed over because they are damaged.
    pub damaged: Vec<CheckpointError>,
}

impl RunDirectory {
    /// Makes a directory for a new run and takes its lock. A directory that holds a run already is refused, or with
    /// `overwrite` cleared of that run; files that are not of a run are never touched.
    ///
    /// Until [`Self::has_begun`] is told that the run can be resumed, the directory counts as one without a run: a start
    /// that is cut off leaves nothing that stands in the way of the next.
    pub fn create(root: &Path, overwrite: bool) -> Result<RunDirectory, RunDirectoryError> {
        fs::create_dir_all(root).map_err(FileError::of("create", root))?;
        let cut_off = is_cut_off(root);
        let found = holds_run(root);
        if found && !cut_off && !overwrite {
            return Err(RunDirectoryError::HoldsRun { path: root.to_owned() });
        }
        if !found && let Some(name) = CONTENTS.iter().find(|name| exists(&root.join(name))) {
            return Err(RunDirectoryError::Occupied { path: root.join(name) });
        }
        // The lock comes before the clearing: a run that is still being written is not taken away from its writer.
        let lock = lock(root)?;
        // The mark comes before the clearing too: of a run that is half cleared nothing can be resumed.
        let mark = root.join(STARTING);
        File::create(&mark).map_err(FileError::of("create", &mark))?;
        if found {
            clear(root)?;
        }
        for name in [INPUTS, PROBES, FRAMES, CHECKPOINTS] {
            let path = root.join(name);
            fs::create_dir(&path).map_err(FileError::of("create", &path))?;
        }
        let directory = RunDirectory { root: root.to_owned(), _lock: Some(lock) };
        directory.write_input_index(&[])?;
        Ok(directory)
    }

    /// Marks the run as one that can be resumed: its scene, its inputs and its first checkpoint are there.
    pub fn has_begun(&self) -> Result<(), RunDirectoryError> {
        let mark = self.root.join(STARTING);
        Ok(fs::remove_file(&mark).map_err(FileError::of("remove", &mark))?)
    }

    /// Opens the directory of a run for reading.
    pub fn open(root: &Path) -> Result<RunDirectory, RunDirectoryError> {
        if !root.exists() {
            return Err(RunDirectoryError::Absent { path: root.to_owned() });
        }
        if !holds_run(root) {
            return Err(RunDirectoryError::NoRun { path: root.to_owned() });
        }
        if is_cut_off(root) {
            return Err(RunDirectoryError::NeverBegan { path: root.to_owned() });
        }
        Ok(RunDirectory { root: root.to_owned(), _lock: None })
    }

    /// Opens the directory of a run to continue it: takes its lock and removes half-written files.
    pub fn open_for_writing(root: &Path) -> Result<RunDirectory, RunDirectoryError> {
        RunDirectory::open(root)?;
        let lock = lock(root)?;
        for directory in [root.to_owned(), root.join(INPUTS), root.join(FRAMES), root.join(CHECKPOINTS)] {
            if directory.is_dir() {
                atomic_file::remove_leftovers(&directory)?;
            }
        }
        Ok(RunDirectory { root: root.to_owned(), _lock: Some(lock) })
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the run is shown on one page.
    pub fn page_path(&self) -> PathBuf {
        self.root.join(PAGE)
    }

    /// Where answers go.
    pub fn analysis_path(&self) -> PathBuf {
        self.root.join(ANALYSIS)
    }

    /// Where tables of a moment go.
    pub fn export_path(&self) -> PathBuf {
        self.root.join(EXPORT)
    }

    /// Where plots are drawn.
    pub fn plots_path(&self) -> PathBuf {
        self.root.join(PLOTS)
    }

    /// The scene as it was run.
    pub fn scene_path(&self) -> PathBuf {
        self.root.join(SCENE)
    }

    /// The report.
    pub fn report_path(&self) -> PathBuf {
        self.root.join(REPORT)
    }

    /// The time series.
    pub fn series_path(&self) -> PathBuf {
        self.root.join(SERIES)
    }

    /// The log of collisions.
    pub fn collisions_path(&self) -> PathBuf {
        self.root.join(COLLISIONS)
    }

    /// The table of a measurement.
    pub fn probe_path(&self, name: &str) -> PathBuf {
        self.root.join(PROBES).join(format!("{}.csv", plain_name(name)))
    }

    /// The tables of all measurements that are there, by name: name and file.
    pub fn probes(&self) -> Result<Vec<(String, PathBuf)>, RunDirectoryError> {
        let directory = self.root.join(PROBES);
        let mut found = Vec::new();
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            entries => entries.map_err(FileError::of("read", &directory))?,
        };
        for entry in entries {
            let path = entry.map_err(FileError::of("read", &directory))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".csv"));
            if let Some(name) = name.map(str::to_owned) {
                found.push((name, path));
            }
        }
        found.sort();
        Ok(found)
    }

    /// The frames for ParaView.
    pub fn frames_path(&self) -> PathBuf {
        self.root.join(FRAMES)
    }

    /// The frames for a viewer.
    pub fn trajectory_path(&self) -> PathBuf {
        self.root.join(TRAJECTORY)
    }

    /// The checkpoint of a step.
    pub fn checkpoint_path(&self, step: u64) -> PathBuf {
        self.root.join(CHECKPOINTS).join(format!("step-{step:012}.checkpoint"))
    }

    /// Keeps the text of the scene.
    pub fn store_scene(&self, text: &str) -> Result<(), RunDirectoryError> {
        Ok(atomic_file::replace_with(&self.scene_path(), text.as_bytes())?)
    }

    /// The text of the scene.
    pub fn load_scene(&self) -> Result<String, RunDirectoryError> {
        let path = self.scene_path();
        Ok(fs::read_to_string(&path).map_err(FileError::of("read", &path))?)
    }

    /// Keeps the content of a file that the scene names, under the path as it is written in the scene. Returns the
    /// copy.
    pub fn store_input(&self, path_in_scene: &str, content: &[u8]) -> Result<PathBuf, RunDirectoryError> {
        let mut index = self.input_index()?;
        let number = index.iter().position(|(known, _)| known == path_in_scene).unwrap_or(index.len());
        let file_name = Path::new(path_in_scene).file_name().unwrap_or_default();
        let name = format!("{number:03}-{}", plain_name(&file_name.to_string_lossy()));
        let copy = self.root.join(INPUTS).join(&name);
        atomic_file::replace_with(&copy, content)?;
        if number == index.len() {
            index.push((path_in_scene.to_owned(), name));
            self.write_input_index(&index)?;
        }
        Ok(copy)
    }

    /// The content of a file that the scene names, by the path as it is written in the scene.
    pub fn load_input(&self, path_in_scene: &str) -> Result<Vec<u8>, RunDirectoryError> {
        let copy = self.inputs()?.into_iter().find(|(known, _)| known == path_in_scene).map(|(_, copy)| copy);
        let copy = copy.ok_or_else(|| RunDirectoryError::Damaged {
            path: self.input_index_path(),
            what: format!("it knows no copy of `{path_in_scene}`"),
        })?;
        Ok(fs::read(&copy).map_err(FileError::of("read", &copy))?)
    }

    /// The copies of the files that the scene names: the path as written in the scene, and the copy.
    pub fn inputs(&self) -> Result<Vec<(String, PathBuf)>, RunDirectoryError> {
        let directory = self.root.join(INPUTS);
        Ok(self.input_index()?.into_iter().map(|(path, name)| (path, directory.join(name))).collect())
    }

    fn input_index_path(&self) -> PathBuf {
        self.root.join(INPUTS).join(INPUT_INDEX)
    }

    fn input_index(&self) -> Result<Vec<(String, String)>, RunDirectoryError> {
        let path = self.input_index_path();
        let text = fs::read(&path).map_err(FileError::of("read", &path))?;
        let index: Vec<(String, String)> = serde_json::from_slice(&text)
            .map_err(|error| RunDirectoryError::Damaged { path: path.clone(), what: error.to_string() })?;
        // A copy lies in the directory of the copies, whatever an edited index says.
        match index.iter().find(|(_, name)| name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.')) {
            Some((_, name)) => {
                Err(RunDirectoryError::Damaged { path, what: format!("`{name}` is not the name of a copy") })
            }
            None => Ok(index),
        }
    }

    fn write_input_index(&self, index: &[(String, String)]) -> Result<(), FileError> {
        let path = self.input_index_path();
        atomic_file::replace(&path, |file| Ok(serde_json::to_writer_pretty(file, index)?))
    }

    /// Writes the report, all of it or nothing.
    pub fn write_report(&self, report: &RunReport) -> Result<(), RunDirectoryError> {
        let path = self.report_path();
        Ok(atomic_file::replace(&path, |file| {
            serde_json::to_writer_pretty(&mut *file, report)?;
            io::Write::write_all(file, b"\n")
        })?)
    }

    /// Reads the report.
    pub fn read_report(&self) -> Result<RunReport, RunDirectoryError> {
        let path = self.report_path();
        let text = fs::read(&path).map_err(FileError::of("read", &path))?;
        serde_json::from_slice(&text).map_err(|error| RunDirectoryError::Damaged { path, what: error.to_string() })
    }

    /// Writes a checkpoint; once it is safely on disk, removes all but it and the one before it. Checkpoints of later
    /// steps go too: they are damaged, or of a future that the run, taken up at an earlier step, has left.
    pub fn write_checkpoint(&self, state: &State, extra: &CheckpointExtra) -> Result<PathBuf, RunDirectoryError> {
        let path = self.checkpoint_path(state.step);
        checkpoint::write(&path, state, extra)?;
        let checkpoints = self.checkpoints()?;
        let later = checkpoints.iter().filter(|(step, _)| *step > state.step);
        let older = checkpoints.iter().filter(|(step, _)| *step < state.step).skip(N_KEPT_CHECKPOINTS - 1);
        for (_, path) in later.chain(older) {
            fs::remove_file(path).map_err(FileError::of("remove", path))?;
        }
        Ok(path)
    }

    /// The checkpoints with their steps, newest first.
    pub fn checkpoints(&self) -> Result<Vec<(u64, PathBuf)>, RunDirectoryError> {
        let directory = self.root.join(CHECKPOINTS);
        let mut checkpoints = Vec::new();
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(checkpoints),
            Err(error) => return Err(FileError::of("read", &directory)(error).into()),
        };
        for entry in entries {
            let entry = entry.map_err(FileError::of("read", &directory))?;
            if let Some(step) = step_in_name(&entry.file_name().to_string_lossy()) {
                checkpoints.push((step, entry.path()));
            }
        }
        checkpoints.sort_by(|a, b| b.cmp(a));
        Ok(checkpoints)
    }

    /// The newest checkpoint that is whole. Damaged ones are passed over and told; one that another version of Tumble
    /// wrote, or that may not be read, is an error, for going back behind it would throw good work away.
    pub fn newest_valid_checkpoint(&self) -> Result<FoundCheckpoint, RunDirectoryError> {
        let mut damaged = Vec::new();
        for (_, path) in self.checkpoints()? {
            match checkpoint::read(&path) {
                Ok((state, extra)) => return Ok(FoundCheckpoint { path, state, extra, damaged }),
                Err(error) if error.is_damage() => damaged.push(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(RunDirectoryError::NoCheckpoint { path: self.root.clone(), damaged })
    }
}

fn exists(path: &Path) -> bool {
    // Not `Path::exists`: a link that leads nowhere is something too.
    path.symlink_metadata().is_ok()
}

fn holds_run(root: &Path) -> bool {
    exists(&root.join(REPORT)) || exists(&root.join(LOCK))
}

/// Whether a run began in a directory and did not come to its first checkpoint: its mark is still there, or there is
/// nothing but its lock.
fn is_cut_off(root: &Path) -> bool {
    exists(&root.join(STARTING)) || exists(&root.join(LOCK)) && !CONTENTS.iter().any(|name| exists(&root.join(name)))
}

fn clear(root: &Path) -> Result<(), FileError> {
    for path in CONTENTS.iter().map(|name| root.join(name)).filter(|path| exists(path)) {
        let is_directory = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let removed = if is_directory { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(FileError::of("remove", &path))?;
    }
    atomic_file::remove_leftovers(root)
}

fn lock(root: &Path) -> Result<File, RunDirectoryError> {
    let path = root.join(LOCK);
    let file =
        File::options().create(true).truncate(false).write(true).open(&path).map_err(FileError::of("create", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunDirectoryError::InUse { path: root.to_owned() }),
        // Some network file systems know no locks; the run is better done without than not at all.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The step in the name of a checkpoint; `None` for other files.
fn step_in_name(name: &str) -> Option<u64> {
    name.strip_prefix("step-")?.strip_suffix(".checkpoint")?.parse().ok()
}

/// A name with nothing in it that a file system could take amiss; different names stay different.
fn plain_name(name: &str) -> String {
    let mut plain = String::new();
    for (place, character) in name.char_indices() {
        let harmless =
            character.is_alphanumeric() || matches!(character, '-' | '_' | ' ') || character == '.' && place > 0;
        if harmless {
            plain.push(character);
        } else {
            let mut bytes = [0; 4];
            character.encode_utf8(&mut bytes).bytes().for_each(|byte| plain.push_str(&format!("%{byte:02X}")));
        }
    }
    plain
}

#[cfg(test)]
mod tests;
