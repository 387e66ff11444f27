//! The trajectory: a compact stream of frames that a viewer can play while the run goes on.
//!
//! One file: a header with a description of the grains and walls as JSON, then frames one after another. A frame
//! stands alone (nothing is coded as a difference to another), carries its own lengths and checksums, and is small:
//! positions in single precision relative to the frame's middle, orientations in 16 bits a component, contacts with point, force
//! and overlap in single precision. The layout is
//! written down byte by byte in docs/formats.md. Good for looking, not for restarting: single precision holds places
//! to 6e-8 of the scene's half-width, orientations to 3e-5 rad.

mod frame;
mod metadata;
mod reader;
mod to_geometry;

pub use frame::{ContactPartner, ContactRecord, TrajectoryFrame};
pub use metadata::{
    DomainMetadata, FrameMetadata, PartMetadata, ShapeMetadata, SpeciesMetadata, SurfaceMetadata, TrajectoryMetadata,
    WallMetadata,
};
pub use reader::{FrameEntry, Growth, Tail, TrajectoryError, TrajectoryReader};

use crate::append_file::{AppendError, AppendFile, OldDamage};
use crate::file_error::FileError;
use frame::FrameFormat;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use tumble_engine::State;
use tumble_engine::observe;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every trajectory.
const MAGIC: [u8; 8] = *b"TUMBLETR";

/// Whether a file begins as every trajectory does, of whatever format; it may be damaged further on.
pub fn is_trajectory(path: &Path) -> Result<bool, FileError> {
    let mut beginning = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut beginning));
    file.map_err(FileError::of("read", path))?;
    Ok(beginning == MAGIC)
}

/// The format this code writes. It reads format 1 too, whose frames have neither spins nor contacts.
const FORMAT_VERSION: u32 = 2;
/// Length of the file header before the description [bytes].
const FILE_HEADER_LENGTH: u64 = 32;

/// Length and checksum of the description in a file header, if the header is one of a format that can be read.
enum FileHeader {
    Known { format: FrameFormat, metadata_length: u64, metadata_checksum: u64 },
    Foreign,
    OtherFormat(u32),
}

fn file_header(metadata: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(FILE_HEADER_LENGTH as usize + metadata.len());
    header.extend(MAGIC);
    header.extend(FORMAT_VERSION.to_le_bytes());
    header.extend(0u32.to_le_bytes());
    header.extend((metadata.len() as u64).to_le_bytes());
    header.extend(xxh3_64(metadata).to_le_bytes());
    header.extend(metadata);
    header
}

fn parse_file_header(bytes: &[u8]) -> FileHeader {
    let word = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let (Some(version), Some(metadata_length), Some(metadata_checksum)) = (word(8), word(16), word(24)) else {
        return FileHeader::Foreign;
    };
    // The four bytes after the version are zero.
    let format = match u32::try_from(version) {
        _ if bytes[..8] != MAGIC => return FileHeader::Foreign,
        Ok(FORMAT_VERSION) => FrameFormat::SpinsAndContacts,
        Ok(1) => FrameFormat::Motion,
        Ok(other) => return FileHeader::OtherFormat(other),
        Err(_) => return FileHeader::Foreign,
    };
    FileHeader::Known { format, metadata_length, metadata_checksum }
}

/// Writes a trajectory, frame by frame; [`TrajectoryReader`] has an example.
#[derive(Debug)]
pub struct TrajectoryWriter {
    file: AppendFile,
}

impl TrajectoryWriter {
    /// Begins a trajectory, replacing what was there, and writes its header.
    pub fn create(path: &Path, metadata: &TrajectoryMetadata) -> Result<TrajectoryWriter, FileError> {
        let metadata = serde_json::to_vec(metadata).map_err(|error| FileError::of("write", path)(error.into()))?;
        let mut file = AppendFile::create(path)?;
        file.append(&file_header(&metadata))?;
        file.flush()?;
        Ok(TrajectoryWriter { file })
    }

    /// Goes on with a trajectory after its first `offset` bytes and drops the rest. One that is gone is begun anew, and one
    /// whose frames cannot be followed up to the offset goes on after the last that can; either is told. The frames'
    /// headers are read, not what is in them.
    pub fn append_after(
        path: &Path,
        metadata: &TrajectoryMetadata,
        offset: u64,
    ) -> Result<(TrajectoryWriter, Option<OldDamage>), AppendError> {
        let anew = |what: String| -> Result<(TrajectoryWriter, Option<OldDamage>), AppendError> {
            let damage = OldDamage::new(path, what, "a new one begins here, without the earlier frames");
            Ok((TrajectoryWriter::create(path, metadata)?, Some(damage)))
        };
        let Some(mut file) = AppendFile::open(path)? else { return anew("it is gone".to_owned()) };
        let length = file.offset();
        let differs = |what: String| AppendError::Differs { path: path.to_owned(), what };
        let other_format = |found: u32| format!("it has format {found}, this Tumble writes format {FORMAT_VERSION}");
        let mut beginning = Vec::new();
        file.read_at(0, &mut beginning, FILE_HEADER_LENGTH)?;
        let first = match parse_file_header(&beginning) {
            FileHeader::Foreign
                if length < FILE_HEADER_LENGTH && MAGIC.starts_with(beginning.get(..8).unwrap_or(&beginning)) =>
            {
                return anew(format!("it has {length} bytes, not even its header"));
            }
            FileHeader::Foreign => return Err(differs("it is not a Tumble trajectory".to_owned())),
            FileHeader::OtherFormat(found) => return Err(differs(other_format(found))),
            FileHeader::Known { format: FrameFormat::Motion, .. } => return Err(differs(other_format(1))),
            FileHeader::Known { metadata_length, .. }
                if offset < metadata_length.saturating_add(FILE_HEADER_LENGTH) =>
            {
                return Err(differs(format!("the checkpoint's place, {offset} bytes, is inside its header")));
            }
            FileHeader::Known { metadata_length, .. } => metadata_length + FILE_HEADER_LENGTH,
        };
        if length < first {
            return anew(format!("it has {length} bytes, not even its description"));
        }
        let (frames, tail) = reader::scan(file.file(), FrameFormat::SpinsAndContacts, first, length.min(offset))
            .map_err(FileError::of("read", path))?;
        let n_frames = frames.len();
        let damage = if let Some(tail) = tail {
            let what = format!("after {n_frames} whole frames, at byte {}, {}", tail.offset, tail.reason);
            Some(OldDamage::new(path, what, "it goes on after these, and what cannot be read is dropped"))
        } else if length < offset {
            let what = format!("it has {length} bytes, but had {offset} when the checkpoint was taken");
            Some(OldDamage::new(path, what, format!("it goes on after the {n_frames} frames that are there")))
        } else {
            None
        };
        file.cut(tail.map_or(length.min(offset), |tail| tail.offset))?;
        Ok((TrajectoryWriter { file }, damage))
    }

    /// Appends the state and its contacts as a frame and hands it to the operating system, so that a viewer sees whole
    /// frames. No contacts are given if the description says that there are none.
    pub fn write_frame(&mut self, state: &State, contacts: &[observe::ContactRecord]) -> Result<(), FileError> {
        let frame =
            frame::encode(state, contacts).map_err(|what: io::Error| FileError::of("write", self.file.path())(what))?;
        self.file.append(&frame)?;
        self.file.flush()
    }

    /// Length of the trajectory so far [bytes].
    pub fn offset(&self) -> u64 {
        self.file.offset()
    }

    /// Forces the frames to the disk and returns the trajectory's length [bytes], to be kept in a checkpoint.
    pub fn flush_and_sync(&mut self) -> Result<u64, FileError> {
        self.file.flush_and_sync()
    }
}

#[cfg(test)]
mod tests;
