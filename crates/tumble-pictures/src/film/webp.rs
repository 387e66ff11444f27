//! Animated WebP: a RIFF container around pictures without loss.
//!
//! After the WebP container specification: `VP8X` says that the file is animated and how large it is, `ANIM` that it plays
//! for ever, and each `ANMF` holds a duration and one picture, the very chunk that a still picture has. Lengths at the
//! beginning are filled in at the end.

use super::FilmError;
use crate::pixels::Pixels;
use image_webp::{ColorType, WebPEncoder};
use std::io::{Seek, SeekFrom, Write};

/// Largest width and height: 24 bits hold them less one; the pictures inside have 14.
const LARGEST: u32 = 16_383;

/// An animated WebP that is being written.
pub struct WebpFilm<W: Write + Seek> {
    output: W,
    size: (u32, u32),
    period: f64,
    owed: f64,
    has_opacity: bool,
}

fn three_bytes(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

impl<W: Write + Seek> WebpFilm<W> {
    /// Begins a film that plays for ever.
    pub fn new(mut output: W, width: u32, height: u32, frames_per_second: f64) -> Result<WebpFilm<W>, FilmError> {
        if !(1..=LARGEST).contains(&width) || !(1..=LARGEST).contains(&height) {
            return Err(FilmError::Encoding(format!("{width} x {height} pixels do not fit a WebP")));
        }
        output.write_all(b"RIFF\0\0\0\0WEBP")?;
        output.write_all(&header(width, height, false))?;
        output.write_all(b"ANIM")?;
        output.write_all(&6_u32.to_le_bytes())?;
        // Background colour, then how often: zero is for ever.
        output.write_all(&[0, 0, 0, 0, 0, 0])?;
        Ok(WebpFilm { output, size: (width, height), period: 1.0 / frames_per_second, owed: 0.0, has_opacity: false })
    }

    /// Appends a frame.
    pub fn push(&mut self, picture: &Pixels) -> Result<(), FilmError> {
        let found = (picture.width, picture.height);
        if found != self.size {
            return Err(FilmError::Size { wanted: self.size, found });
        }
        self.has_opacity |= picture.rgba.chunks_exact(4).any(|pixel| pixel[3] != 255);
        let mut still = Vec::new();
        WebPEncoder::new(&mut still)
            .encode(&picture.rgba, picture.width, picture.height, ColorType::Rgba8)
            .map_err(|error| FilmError::Encoding(error.to_string()))?;
        // A still picture without metadata is RIFF, length, WEBP and one chunk VP8L, which is what a frame holds.
        let chunk = still.get(12..).filter(|chunk| chunk.starts_with(b"VP8L"));
        let chunk = chunk.ok_or_else(|| FilmError::Encoding("the picture is no lossless WebP".to_owned()))?;
        self.owed += self.period;
        let milliseconds = (self.owed * 1000.0).round().clamp(1.0, 16_777_215.0);
        self.owed -= milliseconds / 1000.0;
        self.output.write_all(b"ANMF")?;
        self.output.write_all(&(16 + chunk.len() as u32).to_le_bytes())?;
        // At the left upper corner.
        self.output.write_all(&[0; 6])?;
        self.output.write_all(&three_bytes(self.size.0 - 1))?;
        self.output.write_all(&three_bytes(self.size.1 - 1))?;
        self.output.write_all(&three_bytes(milliseconds as u32))?;
        // Replaces what was there, and leaves it: every frame is whole.
        self.output.write_all(&[0b10])?;
        self.output.write_all(chunk)?;
        Ok(())
    }

    /// Ends the film and gives the output back.
    pub fn finish(mut self) -> Result<W, FilmError> {
        let length = self.output.stream_position()?;
        let length = u32::try_from(length.saturating_sub(8))
            .map_err(|_| FilmError::Encoding("a WebP cannot be larger than 4 GiB".to_owned()))?;
        self.output.seek(SeekFrom::Start(4))?;
        self.output.write_all(&length.to_le_bytes())?;
        self.output.seek(SeekFrom::Start(12))?;
        self.output.write_all(&header(self.size.0, self.size.1, self.has_opacity))?;
        self.output.seek(SeekFrom::End(0))?;
        self.output.flush()?;
        Ok(self.output)
    }
}

/// The chunk VP8X of an animated film.
fn header(width: u32, height: u32, has_opacity: bool) -> Vec<u8> {
    let mut chunk = b"VP8X".to_vec();
    chunk.extend(10_u32.to_le_bytes());
    chunk.extend([0b10 | u8::from(has_opacity) << 4, 0, 0, 0]);
    chunk.extend(three_bytes(width - 1));
    chunk.extend(three_bytes(height - 1));
    chunk
}
