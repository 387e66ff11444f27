//! The container of a checkpoint: a guarded header, named sections of equal elements, a checksum over them all.
//!
//! The layout is written down byte by byte in docs/formats.md. Sections are compressed in pieces of about 1 MiB, so
//! that neither writing nor reading holds more than one piece beside the data itself, however large the file.

use super::CheckpointError;
use crate::file_error::FileError;
use bytemuck::Pod;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The first bytes of every checkpoint.
pub(super) const MAGIC: [u8; 8] = *b"TUMBLECP";
/// The format this code writes and reads. Raise it with every change of a section's name, order or element.
pub(super) const FORMAT_VERSION: u32 = 9;
/// Length of the header [bytes]: the same in every version of the format, so that any version can be named.
pub(super) const HEADER_LENGTH: usize = 32;
/// Length of the checksum at the end [bytes].
pub(super) const CHECKSUM_LENGTH: usize = 16;
/// Written in the machine's own byte order, as the arrays are.
const BYTE_ORDER_MARKER: u32 = 0x0102_0304;
/// Length of a piece before compression [bytes].
const PIECE_LENGTH: usize = 1 << 20;
/// zstd's default: faster than a disk, and higher levels gain little on floating-point numbers.
const COMPRESSION_LEVEL: i32 = 3;
/// Longest name of a section [bytes].
const MAX_NAME_LENGTH: usize = 255;

fn header(format_version: u32, total_length: u64) -> [u8; HEADER_LENGTH] {
    let mut header = [0; HEADER_LENGTH];
    header[0..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&format_version.to_le_bytes());
    header[12..16].copy_from_slice(&BYTE_ORDER_MARKER.to_ne_bytes());
    header[16..24].copy_from_slice(&total_length.to_le_bytes());
    let checksum = xxh3_64(&header[0..24]);
    header[24..32].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Number of elements of a section in one piece.
fn elements_in_a_piece(element_size: usize) -> usize {
    (PIECE_LENGTH / element_size).max(1)
}

/// Writes a container from its header to its checksum.
pub(super) struct ContainerWriter<W: Write + Seek> {
    inner: W,
    start: u64,
    body_length: u64,
    checksum: Xxh3,
    compressor: zstd::bulk::Compressor<'static>,
    format_version: u32,
}

impl<W: Write + Seek> ContainerWriter<W> {
    /// Leaves room for the header, whose length field is known only at the end.
    pub(super) fn begin(inner: W) -> io::Result<Self> {
        Self::begin_version(inner, FORMAT_VERSION)
    }

    /// As [`Self::begin`], for a file that claims another version of the format.
    pub(super) fn begin_version(mut inner: W, format_version: u32) -> io::Result<Self> {
        let start = inner.stream_position()?;
        inner.write_all(&[0; HEADER_LENGTH])?;
        let compressor = zstd::bulk::Compressor::new(COMPRESSION_LEVEL)?;
        Ok(ContainerWriter { inner, start, body_length: 0, checksum: Xxh3::new(), compressor, format_version })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.body_length += bytes.len() as u64;
        self.inner.write_all(bytes)
    }

    /// Writes one section.
    pub(super) fn section<T: Pod>(&mut self, name: &str, elements: &[T]) -> io::Result<()> {
        self.title::<T>(name, elements.len())?;
        for piece in elements.chunks(elements_in_a_piece(size_of::<T>())) {
            self.piece(piece)?;
        }
        Ok(())
    }

    /// Writes one section whose elements stand in several places, without a copy of them all.
    pub(super) fn section_of_parts<'p, T: Pod>(
        &mut self,
        name: &str,
        parts: impl Iterator<Item = &'p [T]> + Clone,
    ) -> io::Result<()> {
        self.title::<T>(name, parts.clone().map(<[T]>::len).sum())?;
        let full = elements_in_a_piece(size_of::<T>());
        let mut piece = Vec::with_capacity(full);
        for mut part in parts {
            while !part.is_empty() {
                let (head, tail) = part.split_at(part.len().min(full - piece.len()));
                piece.extend_from_slice(head);
                part = tail;
                if piece.len() == full {
                    self.piece(&piece)?;
                    piece.clear();
                }
            }
        }
        if piece.is_empty() { Ok(()) } else { self.piece(&piece) }
    }

    fn title<T>(&mut self, name: &str, n_elements: usize) -> io::Result<()> {
        debug_assert!(name.len() <= MAX_NAME_LENGTH);
        self.put(&(name.len() as u16).to_le_bytes())?;
        self.put(name.as_bytes())?;
        self.put(&(size_of::<T>() as u32).to_le_bytes())?;
        self.put(&(n_elements as u64).to_le_bytes())
    }

    fn piece<T: Pod>(&mut self, elements: &[T]) -> io::Result<()> {
        let compressed = self.compressor.compress(bytemuck::cast_slice(elements))?;
        self.put(&(compressed.len() as u32).to_le_bytes())?;
        self.put(&compressed)
    }

    /// Writes the checksum and, with the length now known, the header.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let checksum = self.checksum.digest128();
        self.inner.write_all(&checksum.to_le_bytes())?;
        let total_length = HEADER_LENGTH as u64 + self.body_length + CHECKSUM_LENGTH as u64;
        self.inner.seek(SeekFrom::Start(self.start))?;
        self.inner.write_all(&header(self.format_version, total_length))?;
        self.inner.seek(SeekFrom::Start(self.start + total_length))?;
        Ok(())
    }
}

/// Reads the sections of a container whose header and checksum have been found right.
pub(super) struct ContainerReader {
    path: PathBuf,
    body: io::Take<BufReader<Box<dyn Source>>>,
}

/// Where the bytes of a container come from.
trait Source: Read + Seek {}

impl<T: Read + Seek> Source for T {}

impl ContainerReader {
    /// Opens a container, checks its header, its length and its checksum, and stands before the first section.
    pub(super) fn open(path: &Path) -> Result<ContainerReader, CheckpointError> {
        let failed = || FileError::of("read", path);
        let file = File::open(path).map_err(failed())?;
        let present = file.metadata().map_err(failed())?.len();
        ContainerReader::of(path, Box::new(file), present)
    }

    /// The same for bytes in memory, which messages call by a path.
    pub(super) fn in_memory(path: &Path, bytes: Vec<u8>) -> Result<ContainerReader, CheckpointError> {
        let present = bytes.len() as u64;
        ContainerReader::of(path, Box::new(Cursor::new(bytes)), present)
    }

    fn of(path: &Path, source: Box<dyn Source>, present: u64) -> Result<ContainerReader, CheckpointError> {
        let failed = || FileError::of("read", path);
        let mut file = BufReader::with_capacity(1 << 16, source);
        let total = checked_total_length(path, &mut file, present)?;

        let body_length = total - (HEADER_LENGTH + CHECKSUM_LENGTH) as u64;
        let mut checksum = Xxh3::new();
        let mut left = body_length;
        let mut buffer = vec![0; 1 << 16];
        while left > 0 {
            let n = left.min(buffer.len() as u64) as usize;
            file.read_exact(&mut buffer[..n]).map_err(failed())?;
            checksum.update(&buffer[..n]);
            left -= n as u64;
        }
        let mut stored = [0; CHECKSUM_LENGTH];
        file.read_exact(&mut stored).map_err(failed())?;
        if checksum.digest128().to_le_bytes() != stored {
            return Err(CheckpointError::Corrupted { path: path.to_owned() });
        }
        file.seek(SeekFrom::Start(HEADER_LENGTH as u64)).map_err(failed())?;
        Ok(ContainerReader { path: path.to_owned(), body: file.take(body_length) })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The sections contradict each other or what this version expects.
    pub(super) fn inconsistent(&self, what: impl Into<String>) -> CheckpointError {
        CheckpointError::Inconsistent { path: self.path.clone(), what: what.into() }
    }

    fn get(&mut self, section: &str, buffer: &mut [u8]) -> Result<(), CheckpointError> {
        self.body.read_exact(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.inconsistent(format!("section `{section}` is missing or incomplete")),
            _ => FileError::of("read", &self.path)(error).into(),
        })
    }

    fn get_bytes<const N: usize>(&mut self, section: &str) -> Result<[u8; N], CheckpointError> {
        let mut bytes = [0; N];
        self.get(section, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads the next section, which must have this name and elements of this size. Memory grows with what is really
    /// there, never with what a damaged length promises.
    pub(super) fn section<T: Pod>(&mut self, name: &str) -> Result<Vec<T>, CheckpointError> {
        let name_length = usize::from(u16::from_le_bytes(self.get_bytes(name)?));
        if name_length > MAX_NAME_LENGTH {
            return Err(
                self.inconsistent(format!("section `{name}` was expected, a name of {name_length} bytes found"))
            );
        }
        let mut found = vec![0; name_length];
        self.get(name, &mut found)?;
        if found != name.as_bytes() {
            let found = String::from_utf8_lossy(&found).into_owned();
            return Err(self.inconsistent(format!("section `{name}` was expected, `{found}` found")));
        }
        let element_size = u32::from_le_bytes(self.get_bytes(name)?) as usize;
        if element_size != size_of::<T>() {
            return Err(self.inconsistent(format!(
                "elements of section `{name}` have {element_size} bytes where {} are right",
                size_of::<T>()
            )));
        }
        let n_elements = u64::from_le_bytes(self.get_bytes(name)?);
        self.elements(name, n_elements)
    }

    fn elements<T: Pod>(&mut self, name: &str, n_elements: u64) -> Result<Vec<T>, CheckpointError> {
        let mut decompressor = zstd::bulk::Decompressor::new().map_err(FileError::of("read", &self.path))?;
        let in_a_piece = elements_in_a_piece(size_of::<T>());
        let mut elements = Vec::new();
        let mut compressed = Vec::new();
        let mut left = n_elements;
        while left > 0 {
            let n = left.min(in_a_piece as u64) as usize;
            let compressed_length = u32::from_le_bytes(self.get_bytes(name)?) as usize;
            if compressed_length > zstd::zstd_safe::compress_bound(n * size_of::<T>()) {
                return Err(self.inconsistent(format!("a piece of section `{name}` is too long")));
            }
            compressed.resize(compressed_length, 0);
            self.get(name, &mut compressed)?;
            let filled = elements.len();
            elements.resize(filled + n, T::zeroed());
            let target: &mut [u8] = bytemuck::cast_slice_mut(&mut elements[filled..]);
            match decompressor.decompress_to_buffer(&compressed, target) {
                Ok(length) if length == n * size_of::<T>() => {}
                _ => return Err(self.inconsistent(format!("section `{name}` does not unpack to its length"))),
            }
            left -= n as u64;
        }
        Ok(elements)
    }

    /// Reads a section of exactly one element.
    pub(super) fn single<T: Pod>(&mut self, name: &str) -> Result<T, CheckpointError> {
        match self.section(name)?[..] {
            [element] => Ok(element),
            ref other => {
                Err(self.inconsistent(format!("section `{name}` has {} elements instead of one", other.len())))
            }
        }
    }

    /// Makes sure that nothing is left.
    pub(super) fn finish(&mut self) -> Result<(), CheckpointError> {
        match self.body.limit() {
            0 => Ok(()),
            left => Err(self.inconsistent(format!("{left} bytes follow the last section"))),
        }
    }
}

/// Checks the header against the file's length and returns the length it tells.
fn checked_total_length(path: &Path, file: &mut impl Read, present: u64) -> Result<u64, CheckpointError> {
    let path_buf = || path.to_owned();
    let mut header = Vec::with_capacity(HEADER_LENGTH);
    file.take(HEADER_LENGTH as u64).read_to_end(&mut header).map_err(FileError::of("read", path))?;
    let beginning = &header[..header.len().min(MAGIC.len())];
    if beginning != &MAGIC[..beginning.len()] {
        return Err(CheckpointError::Foreign { path: path_buf() });
    }
    let Ok(header) = <[u8; HEADER_LENGTH]>::try_from(header) else {
        return Err(CheckpointError::Truncated { path: path_buf(), present, total: None });
    };
    let field_u32 = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let field_u64 = |at: usize| u64::from(field_u32(at)) | u64::from(field_u32(at + 4)) << 32;
    if field_u64(24) != xxh3_64(&header[..24]) {
        return Err(CheckpointError::Corrupted { path: path_buf() });
    }
    let found = field_u32(8);
    if found > FORMAT_VERSION {
        return Err(CheckpointError::NewerFormat { path: path_buf(), found, known: FORMAT_VERSION });
    }
    if found < FORMAT_VERSION {
        return Err(CheckpointError::OlderFormat { path: path_buf(), found, known: FORMAT_VERSION });
    }
    if header[12..16] != BYTE_ORDER_MARKER.to_ne_bytes() {
        return Err(CheckpointError::OtherByteOrder { path: path_buf() });
    }
    let total = field_u64(16);
    if present < total {
        return Err(CheckpointError::Truncated { path: path_buf(), present, total: Some(total) });
    }
    if present > total || total < (HEADER_LENGTH + CHECKSUM_LENGTH) as u64 {
        return Err(CheckpointError::Corrupted { path: path_buf() });
    }
    Ok(total)
}

#[cfg(test)]
impl ContainerReader {
    /// Names and element sizes [bytes] of all sections, for the test that pins them.
    pub(super) fn layout(&mut self) -> Result<Vec<(String, usize)>, CheckpointError> {
        let mut layout = Vec::new();
        while self.body.limit() > 0 {
            let mut name = vec![0; usize::from(u16::from_le_bytes(self.get_bytes("?")?))];
            self.get("?", &mut name)?;
            let element_size = u32::from_le_bytes(self.get_bytes("?")?) as usize;
            let mut left = u64::from_le_bytes(self.get_bytes("?")?);
            while left > 0 {
                left -= left.min(elements_in_a_piece(element_size) as u64);
                let mut piece = vec![0; u32::from_le_bytes(self.get_bytes("?")?) as usize];
                self.get("?", &mut piece)?;
            }
            layout.push((String::from_utf8_lossy(&name).into_owned(), element_size));
        }
        Ok(layout)
    }
}
