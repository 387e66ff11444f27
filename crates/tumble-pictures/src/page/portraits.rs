//! The pictures on the page: the first, the middle and the last frame, seen from the same place.

use crate::cast::Quality;
use crate::chart::quantity;
use crate::colour::Field;
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

/// Pictures of the first, the middle and the last frame of a run. None if it has no trajectory or no grains; frames that are damaged
/// are passed over, and if nothing is left the error says why.
pub fn pictures_of(directory: &RunDirectory) -> Result<Vec<Picture>, String> {
    if !directory.trajectory_path().exists() {
        return Ok(Vec::new());
    }
    let mut reader = TrajectoryReader::open(&directory.trajectory_path()).map_err(|error| error.to_string())?;
    let n_frames = reader.frames().len();
    let mut places = vec![0, n_frames / 2, n_frames.saturating_sub(1)];
    places.dedup();
    let (mut frames, mut damage) = (Vec::new(), None);
    for place in places.into_iter().take(n_frames) {
        match reader.read_frame(place) {
            Ok(frame) if frame.id.is_empty() => {}
            Ok(frame) => frames.push(frame),
            Err(error) => damage = Some(error.to_string()),
        }
    }
    if frames.is_empty() {
        return damage.map_or(Ok(Vec::new()), Err);
    }
    let look = Look {
        width: SIZE.0,
        height: SIZE.1,
        colour: if reader.metadata().species.len() > 1 { Field::Species } else { Field::Speed },
        // The page shows them smaller than they are, which smooths what few rays leave rough.
        quality: Quality::Draft,
        ..Look::default()
    };
    let painter = Portraitist::new(reader.metadata(), look).map_err(|error| error.to_string())?;
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
