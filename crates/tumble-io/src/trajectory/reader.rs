//! Reads a trajectory: an index from the frames' headers first, payloads only on demand.

use super::frame::{self, FrameFormat, FrameHeader, HEADER_LENGTH};
use super::{FILE_HEADER_LENGTH, FORMAT_VERSION, FileHeader, TrajectoryFrame, TrajectoryMetadata, parse_file_header};
use crate::file_error::FileError;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use xxhash_rust::xxh3::xxh3_64;

/// A trajectory could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TrajectoryError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is something else.
    #[error("{} is not a Tumble trajectory", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file has another format.
    #[error("{} has trajectory format {found}, this Tumble reads formats 1 to {FORMAT_VERSION}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
    },
    /// The description at the beginning is damaged.
    #[error("{} is damaged: {what}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A frame is damaged.
    #[error("{}, frame {index} is damaged: {what}", path.display())]
    Frame {
        /// The file.
        path: PathBuf,
        /// Number of the frame, from 0.
        index: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// There is no such frame.
    #[error("{} has {n_frames} frames; there is no frame {index}", path.display())]
    NoSuchFrame {
        /// The file.
        path: PathBuf,
        /// Number of the frame asked for, from 0.
        index: usize,
        /// Number of frames.
        n_frames: usize,
    },
}

/// What the index knows of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameEntry {
    /// Where the frame begins [bytes].
    pub offset: u64,
    /// Steps done.
    pub step: u64,
    /// Simulated time [s].
    pub time: f64,
    /// Number of particles.
    pub n_particles: u32,
    /// Number of contacts.
    pub n_contacts: u32,
    header: FrameHeader,
}

impl FrameEntry {
    /// Where the frame ends [bytes].
    fn end(&self) -> u64 {
        self.offset + HEADER_LENGTH as u64 + self.header.compressed_length
    }
}

/// The end of a file that holds no whole frame: a frame that is being written, or that a killed run left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Where it begins, which is where the last whole frame ends [bytes].
    pub offset: u64,
    /// Its length [bytes].
    pub length: u64,
    /// Why it is not read as frames.
    pub reason: &'static str,
}

/// What has become of a trajectory since it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Nothing that concerns whole frames.
    None,
    /// There are more frames after those that were known.
    Frames,
    /// It was begun anew or cut back: nothing that was known of its frames holds.
    Replaced,
}

/// An opened trajectory.
///
/// ```
/// use tumble_io::trajectory::{TrajectoryMetadata, TrajectoryReader, TrajectoryWriter};
/// # use tumble_engine::{DVec3, Material, Model, Simulation};
/// # use tumble_geometry::{Shape, Sphere};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("trajectory.tumble");
/// # let mut builder = Model::builder();
/// # let glass = Material { name: "glass".into(), density: 2500.0, young_modulus: 5e6, poisson_ratio: 0.25 };
/// # let glass = builder.material(glass);
/// # let bead = builder.species("bead", &Shape::Sphere(Sphere { radius: 0.005 }), glass);
/// # builder.grain(bead, DVec3::ZERO).grain(bead, DVec3::X * 0.00999);
/// # let simulation = Simulation::new(builder.build().unwrap()).unwrap();
///
/// let metadata = TrajectoryMetadata::of(simulation.model(), "two beads", "0.1.0");
/// let mut writer = TrajectoryWriter::create(&path, &metadata)?;
/// writer.write_frame(simulation.state(), &simulation.contacts())?;
///
/// let mut reader = TrajectoryReader::open(&path)?;
/// assert_eq!(reader.metadata().title, "two beads");
/// assert_eq!(reader.frames().len(), 1);
/// let frame = reader.read_frame(0)?;
/// assert_eq!((frame.position.len(), frame.contacts.len()), (2, 1));
/// # Ok::<(), tumble_io::trajectory::TrajectoryError>(())
/// ```
#[derive(Debug)]
pub struct TrajectoryReader {
    path: PathBuf,
    file: File,
    /// The file's length and the time of its last change when it was last looked at.
    seen: (u64, Option<SystemTime>),
    /// The first bytes of the file, which no other run has.
    beginning: Vec<u8>,
    format: FrameFormat,
    metadata: TrajectoryMetadata,
    frames: Vec<FrameEntry>,
    tail: Option<Tail>,
}

impl TrajectoryReader {
    /// Opens a trajectory and lists its frames without reading their payloads.
    pub fn open(path: &Path) -> Result<TrajectoryReader, TrajectoryError> {
        let failed = || FileError::of("read", path);
        let mut file = File::open(path).map_err(failed())?;
        let seen = looked_at(&file).map_err(failed())?;
        let beginning = read_beginning(&mut file).map_err(failed())?;
        let (format, metadata, first) = read_metadata(path, &mut file, &beginning)?;
        let (frames, tail) = scan(&mut file, format, first, seen.0).map_err(failed())?;
        Ok(TrajectoryReader { path: path.to_owned(), file, seen, beginning, format, metadata, frames, tail })
    }

    /// Looks at the file again and lists the frames that have come since, reading no others. It is opened anew by its
    /// name, so that another file in its place is noticed. After an error the reader is as it was.
    pub fn refresh(&mut self) -> Result<Growth, TrajectoryError> {
        let failed = || FileError::of("read", &self.path);
        let mut file = File::open(&self.path).map_err(failed())?;
        let seen = looked_at(&file).map_err(failed())?;
        if seen == self.seen {
            return Ok(Growth::None);
        }
        if !self.goes_on_in(&mut file, seen.0).map_err(failed())? {
            *self = TrajectoryReader::open(&self.path)?;
            return Ok(Growth::Replaced);
        }
        let end = self.frames.last().map_or(FILE_HEADER_LENGTH + self.metadata_length(), |last| last.end());
        let (new, tail) = scan(&mut file, self.format, end, seen.0).map_err(failed())?;
        let growth = if new.is_empty() { Growth::None } else { Growth::Frames };
        self.frames.extend(new);
        (self.file, self.seen, self.tail) = (file, seen, tail);
        Ok(growth)
    }

    /// Whether a file begins with all the frames that are known.
    fn goes_on_in(&self, file: &mut File, length: u64) -> io::Result<bool> {
        if read_beginning(file)? != self.beginning {
            return Ok(false);
        }
        let Some(last) = self.frames.last() else { return Ok(true) };
        if length < last.end() {
            return Ok(false);
        }
        let mut bytes = [0; HEADER_LENGTH];
        file.seek(SeekFrom::Start(last.offset))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes == last.header.to_bytes())
    }

    fn metadata_length(&self) -> u64 {
        match parse_file_header(&self.beginning) {
            FileHeader::Known { metadata_length, .. } => metadata_length,
            FileHeader::Foreign | FileHeader::OtherFormat(_) => 0,
        }
    }

    /// The description of the grains and walls.
    pub fn metadata(&self) -> &TrajectoryMetadata {
        &self.metadata
    }

    /// Whether the frames hold angular velocities: those of format 1 do not.
    pub fn has_spins(&self) -> bool {
        match self.format {
            FrameFormat::Motion => false,
            FrameFormat::SpinsAndContacts => true,
        }
    }

    /// The frames, in the order in which they were written.
    pub fn frames(&self) -> &[FrameEntry] {
        &self.frames
    }

    /// What follows the last whole frame, if anything does.
    pub fn tail(&self) -> Option<Tail> {
        self.tail
    }

    /// What follows the last whole frame, in words for those who look at the frames.
    pub fn tail_in_words(&self) -> Option<String> {
        let tail = self.tail?;
        let n_frames = self.frames.len();
        let ending = if n_frames == 1 { "" } else { "s" };
        Some(format!(
            "{}: {} after {n_frames} whole frame{ending}; the last {} bytes are not shown",
            self.path.display(),
            tail.reason,
            tail.length
        ))
    }

    /// The number of the newest frame at or before one that can be read, and what is wrong with those after it; `None` if
    /// none can be read.
    pub fn newest_readable(&mut self, last: usize) -> Result<Option<(usize, Vec<TrajectoryError>)>, TrajectoryError> {
        let mut damage = Vec::new();
        for index in (0..self.frames.len().min(last.saturating_add(1))).rev() {
            match self.read_frame(index) {
                Ok(_) => return Ok(Some((index, damage))),
                Err(error @ TrajectoryError::Frame { .. }) => damage.push(error),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Reads one frame.
    pub fn read_frame(&mut self, index: usize) -> Result<TrajectoryFrame, TrajectoryError> {
        let Some(entry) = self.frames.get(index) else {
            let (path, n_frames) = (self.path.clone(), self.frames.len());
            return Err(TrajectoryError::NoSuchFrame { path, index, n_frames });
        };
        let mut compressed = Vec::new();
        let file = &mut self.file;
        file.seek(SeekFrom::Start(entry.offset + HEADER_LENGTH as u64))
            .and_then(|_| file.take(entry.header.compressed_length).read_to_end(&mut compressed))
            .map_err(FileError::of("read", &self.path))?;
        frame::decode(&entry.header, self.format, &compressed).map_err(|what| TrajectoryError::Frame {
            path: self.path.clone(),
            index,
            what,
        })
    }
}

/// Length of a file and the time of its last change, where the system keeps it.
fn looked_at(file: &File) -> io::Result<(u64, Option<SystemTime>)> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified().ok()))
}

/// The header of a file, or as much of it as there is.
fn read_beginning(file: &mut File) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(FILE_HEADER_LENGTH).read_to_end(&mut beginning)?;
    Ok(beginning)
}

/// Reads the description of a file that stands at the end of its header.
fn read_metadata(
    path: &Path,
    file: &mut File,
    beginning: &[u8],
) -> Result<(FrameFormat, TrajectoryMetadata, u64), TrajectoryError> {
    let path_buf = || path.to_owned();
    let damaged = |what: String| TrajectoryError::Header { path: path.to_owned(), what };
    let mut bytes = Vec::new();
    match parse_file_header(beginning) {
        FileHeader::Foreign => Err(TrajectoryError::Foreign { path: path_buf() }),
        FileHeader::OtherFormat(found) => Err(TrajectoryError::OtherFormat { path: path_buf(), found }),
        FileHeader::Known { format, metadata_length, metadata_checksum } => {
            file.take(metadata_length).read_to_end(&mut bytes).map_err(FileError::of("read", path))?;
            if bytes.len() as u64 != metadata_length || xxh3_64(&bytes) != metadata_checksum {
                return Err(damaged("its description does not fit its checksum".to_owned()));
            }
            let metadata =
                serde_json::from_slice(&bytes).map_err(|error| damaged(format!("its description: {error}")))?;
            Ok((format, metadata, FILE_HEADER_LENGTH + metadata_length))
        }
    }
}

/// The frames between two places of a file [bytes], and what follows the last whole one.
pub(super) fn scan(
    file: &mut File,
    format: FrameFormat,
    first: u64,
    length: u64,
) -> io::Result<(Vec<FrameEntry>, Option<Tail>)> {
    let mut frames = Vec::new();
    let mut offset = first;
    while offset < length {
        let left = length - offset;
        let tail = |reason| Some(Tail { offset, length: left, reason });
        if left < HEADER_LENGTH as u64 {
            return Ok((frames, tail("the file ends inside the header of a frame")));
        }
        let mut bytes = [0; HEADER_LENGTH];
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut bytes)?;
        let header = match FrameHeader::from_bytes(&bytes, format) {
            Ok(header) => header,
            Err(reason) => return Ok((frames, tail(reason))),
        };
        if left - (HEADER_LENGTH as u64) < header.compressed_length {
            return Ok((frames, tail("the file ends inside a frame")));
        }
        frames.push(FrameEntry {
            offset,
            step: header.step,
            time: header.time,
            n_particles: header.n_particles,
            n_contacts: header.n_contacts,
            header,
        });
        offset = offset.saturating_add(HEADER_LENGTH as u64).saturating_add(header.compressed_length);
    }
    Ok((frames, None))
}
