//! `tumble render`: pictures and films of a run.

pub mod options;
mod output;

use crate::arguments::RenderArguments;
use crate::failure::Failure;
use crate::figures::{counted, duration};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use options::FrameChoice;
use output::Output;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tumble_io::trajectory::{TrajectoryError, TrajectoryReader};
use tumble_pictures::Pixels;
use tumble_pictures::portrait::{PortraitError, Portraitist, Setting, SettingSearch};

/// Most frames that are looked at to find what all frames of a film share.
const MOST_LOOKED_AT: usize = 24;

/// Draws a picture or a film.
pub fn render(arguments: &RenderArguments) -> Result<(), Failure> {
    let look = options::look(arguments)?;
    let path = trajectory_of(&arguments.directory)?;
    let mut reader = TrajectoryReader::open(&path)?;
    let (frames, damage) = chosen_frames(arguments, &path, &mut reader)?;
    let output_path = arguments.output.clone().unwrap_or_else(|| default_output(&arguments.directory));
    let output = Output::of(&output_path, frames.len() > 1 || arguments.frame == FrameChoice::All, arguments.fps)?;
    let painter = Portraitist::new(reader.metadata(), reader.has_spins(), look)?;
    options::check_walls(arguments, painter.scenery())?;
    let start = Instant::now();
    let drawn = crate::run::with_threads(arguments.manner, || {
        let mut film = Film {
            reader: &mut reader,
            frames: &frames,
            painter: &painter,
            setting: None,
            size: arguments.size,
            complaints: damage.iter().map(|error| format!("{error}; an earlier one is shown")).collect(),
        };
        let setting = film.find_setting()?;
        film.complaints.extend(setting.complaint().map(str::to_owned));
        film.setting = Some(setting);
        let bar = progress(arguments.manner.quiet, frames.len());
        let drawn = output.write(&mut film, |done| bar.set_position(done as u64));
        bar.finish_and_clear();
        drawn.map(|n| (n, film.complaints))
    });
    let (n_drawn, complaints) = drawn?;
    // Nobody may be there to hear a warning; the picture is there all the same.
    for complaint in &complaints {
        let _ = writeln!(stderr(), "warning: {complaint}");
    }
    if let Some(tail) = reader.tail_in_words() {
        let _ = writeln!(stderr(), "warning: {tail}");
    }
    if !arguments.manner.quiet {
        let what = if n_drawn == 1 { "1 picture".to_owned() } else { counted(n_drawn as u64, "frame") };
        writeln!(stdout(), "{}: {what} in {}", output_path.display(), duration(start.elapsed().as_secs_f64()))?;
    }
    Ok(())
}

/// The trajectory of a run's directory, or the file itself.
fn trajectory_of(path: &Path) -> Result<PathBuf, Failure> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let directory = tumble_io::run_directory::RunDirectory::open(path)?;
    let trajectory = directory.trajectory_path();
    if trajectory.is_file() {
        return Ok(trajectory);
    }
    Err(Failure::input(format!(
        "{} holds no trajectory, so there is nothing to draw: the scene key `output.trajectory` turns it on, as in \
         `trajectory = \"10 ms\"`",
        path.display()
    )))
}

/// A picture named after a run's directory or its trajectory, in the directory where one stands.
fn default_output(path: &Path) -> PathBuf {
    // A directory's name has no ending: what follows a point belongs to it, as in `case.5`.
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    PathBuf::from(format!("{}.png", name.map_or("picture".into(), |name| name.to_string_lossy())))
}

/// The frames to draw, and what is wrong with newer ones than the last that can be read.
fn chosen_frames(
    arguments: &RenderArguments,
    path: &Path,
    reader: &mut TrajectoryReader,
) -> Result<(Vec<usize>, Vec<TrajectoryError>), Failure> {
    let n_frames = reader.frames().len();
    if n_frames == 0 {
        let why = reader.tail().map_or("the run wrote none", |tail| tail.reason);
        return Err(Failure::input(format!("{} has no whole frame: {why}", path.display())));
    }
    match arguments.frame {
        FrameChoice::Last => match reader.newest_readable(n_frames - 1)? {
            Some((frame, damage)) => Ok((vec![frame], damage)),
            None => Err(Failure::input(format!("{}: none of its {n_frames} frames can be read", path.display()))),
        },
        FrameChoice::All => Ok(((0..n_frames).step_by(arguments.every as usize).collect(), Vec::new())),
        FrameChoice::Number(frame) if frame < n_frames => Ok((vec![frame], Vec::new())),
        FrameChoice::Number(frame) => Err(Failure::input(format!(
            "there is no frame {frame}: {} has {}, numbered from 0 to {}",
            path.display(),
            counted(n_frames as u64, "frame"),
            n_frames - 1
        ))),
    }
}

fn progress(quiet: bool, n_frames: usize) -> ProgressBar {
    if quiet || n_frames < 2 || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(n_frames as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} frame {pos} of {len}  {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// The frames to be drawn, one at a time: a trajectory may be larger than the memory.
struct Film<'a> {
    reader: &'a mut TrajectoryReader,
    frames: &'a [usize],
    painter: &'a Portraitist,
    setting: Option<Setting>,
    /// Width and height of the pictures.
    size: (u32, u32),
    /// Frames that could not be read.
    complaints: Vec<String>,
}

impl Film<'_> {
    fn find_setting(&mut self) -> Result<Setting, Failure> {
        let mut search = SettingSearch::default();
        search.know_times(self.frames.iter().map(|&frame| self.reader.frames()[frame].time));
        let mut damage = None;
        let step = self.frames.len().div_ceil(MOST_LOOKED_AT);
        let last = self.frames.len() - 1;
        let looked_at = (0..last).step_by(step).chain([last]);
        for place in looked_at {
            match self.reader.read_frame(self.frames[place]) {
                Ok(frame) => self.painter.look_at(&frame, &mut search)?,
                Err(error @ TrajectoryError::Frame { .. }) => damage = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        match damage {
            Some(error) if search.is_empty() && self.frames.len() == 1 => Err(error.into()),
            _ => Ok(self.painter.setting(&search)),
        }
    }

    /// The picture of one of the frames; `None` if the frame is damaged.
    fn draw(&mut self, place: usize) -> Result<Option<Pixels>, Failure> {
        let frame = match self.reader.read_frame(self.frames[place]) {
            Ok(frame) => frame,
            Err(error @ TrajectoryError::Frame { .. }) => {
                self.complaints.push(format!("{error}; it is left out"));
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        match &self.setting {
            Some(setting) => Ok(Some(self.painter.portrait(&frame, setting)?)),
            None => Ok(None),
        }
    }
}

impl From<TrajectoryError> for Failure {
    fn from(error: TrajectoryError) -> Failure {
        match error {
            TrajectoryError::File(error) => error.into(),
            other => Failure::Input(other.into()),
        }
    }
}

impl From<PortraitError> for Failure {
    fn from(error: PortraitError) -> Failure {
        Failure::Input(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_named_after_the_whole_name_of_a_directory() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("case.5");
        std::fs::create_dir(&directory).unwrap();
        assert_eq!(default_output(&directory), Path::new("case.5.png"));
        assert_eq!(default_output(&directory.join("trajectory.tumble")), Path::new("trajectory.png"));
        assert_eq!(default_output(Path::new("..")), Path::new("picture.png"));
    }
}
