//! The pictures on the page: the first, the middle and the last frame, seen from the same place.

use crate::cast::Quality;
use crate::figures::quantity;
use crate::portrait::{Look, Portraitist, SettingSearch};
use tumble_io::run_directory::RunDirectory;
use tumble_io::trajectory::TrajectoryReader;

/// Width and height of a picture. Small, since a page is made after each run.
const SIZE: (u32, u32) = (480, 360);

/// A picture of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What is to be seen.
    pub caption: String,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// The picture as a PNG file.
    pub png: Vec<u8>,
}

/// Pictures of the first, the middle and the last frame of a run, and what could not be shown and why. No pictures if it has
/// no trajectory or no grains; frames that are damaged are passed over.
pub fn pictures_of(directory: &RunDirectory) -> (Vec<Picture>, Vec<String>) {
    let mut problems = Vec::new();
    let pictures = if directory.trajectory_path().exists() { draw(directory, &mut problems) } else { Ok(Vec::new()) };
    let pictures = pictures.map_err(|why| problems.push(why)).unwrap_or_default();
    (pictures, problems)
}

fn draw(directory: &RunDirectory, problems: &mut Vec<String>) -> Result<Vec<Picture>, String> {
    let mut reader = TrajectoryReader::open(&directory.trajectory_path()).map_err(|error| error.to_string())?;
    problems.extend(reader.tail_in_words());
    let n_frames = reader.frames().len();
    let mut places = vec![0, n_frames / 2, n_frames.saturating_sub(1)];
    places.dedup();
    let mut frames = Vec::new();
    for place in places.into_iter().take(n_frames) {
        match reader.read_frame(place) {
            Ok(frame) if frame.id.is_empty() => {}
            Ok(frame) => frames.push(frame),
            Err(error) => problems.push(error.to_string()),
        }
    }
    if frames.is_empty() {
        return Ok(Vec::new());
    }
    let look = Look {
        width: SIZE.0,
        height: SIZE.1,
        // The page shows them smaller than they are, which smooths what few rays leave rough.
        quality: Quality::Draft,
        ..Look::default()
    };
    let painter = Portraitist::new(reader.metadata(), reader.has_spins(), look).map_err(|error| error.to_string())?;
    let mut search = SettingSearch::default();
    for frame in &frames {
        painter.look_at(frame, &mut search).map_err(|error| error.to_string())?;
    }
    let setting = painter.setting(&search);
    let mut pictures = Vec::new();
    for frame in &frames {
        let pixels = painter.portrait(frame, &setting).map_err(|error| error.to_string())?;
        pictures.push(Picture {
            caption: format!("t = {}", quantity(frame.time, "s")),
            width: pixels.width,
            height: pixels.height,
            png: pixels.to_png().map_err(|error| error.to_string())?,
        });
    }
    Ok(pictures)
}
