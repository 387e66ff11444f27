//! Films: animated GIF and WebP, one frame at a time.
//!
//! GIF has 256 colours a frame: each frame gets its own palette. WebP
//! keeps every bit of every frame: its pictures are compressed without loss, so its files are larger than those of a
//! lossy encoder.

mod palette;
mod webp;

pub use webp::WebpFilm;

use crate::pixels::Pixels;
use std::io::{self, Write};

/// A film could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// The file could not be written.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// A frame could not be encoded.
    #[error("cannot encode a frame: {0}")]
    Encoding(String),
    /// A frame has another size than the first.
    #[error("a frame of {found:?} pixels in a film of {wanted:?}")]
    Size {
        /// Width and height of the film.
        wanted: (u32, u32),
        /// Width and height of the frame.
        found: (u32, u32),
    },
}

/// An animated GIF that is being written.
pub struct GifFilm<W: Write> {
    encoder: gif::Encoder<W>,
    size: (u16, u16),
    /// Hundredths of a second for each frame, and what rounding has left over so far [s].
    period: f64,
    owed: f64,
}

impl<W: Write> GifFilm<W> {
    /// Begins a film that plays for ever.
    pub fn new(output: W, width: u32, height: u32, frames_per_second: f64) -> Result<GifFilm<W>, FilmError> {
        let side =
            |n: u32| u16::try_from(n).map_err(|_| FilmError::Encoding(format!("{n} pixels are too many for GIF")));
        let size = (side(width)?, side(height)?);
        let mut encoder = gif::Encoder::new(output, size.0, size.1, &[]).map_err(of_gif)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(of_gif)?;
        Ok(GifFilm { encoder, size, period: 1.0 / frames_per_second, owed: 0.0 })
    }

    /// Appends a frame.
    pub fn push(&mut self, picture: &Pixels) -> Result<(), FilmError> {
        let wanted = (u32::from(self.size.0), u32::from(self.size.1));
        let found = (picture.width, picture.height);
        if found != wanted {
            return Err(FilmError::Size { wanted, found });
        }
        let (palette, pixels) = palette::with_palette(&picture.rgba);
        let transparent = pixels.contains(&palette::TRANSPARENT).then_some(palette::TRANSPARENT);
        let mut frame = gif::Frame::from_palette_pixels(self.size.0, self.size.1, pixels, palette, transparent);
        // Delays are whole hundredths of a second; what rounding takes from one frame the next gets.
        self.owed += self.period;
        let hundredths = (self.owed * 100.0).round().clamp(2.0, 65535.0);
        self.owed -= hundredths / 100.0;
        frame.delay = hundredths as u16;
        frame.dispose = gif::DisposalMethod::Background;
        self.encoder.write_frame(&frame).map_err(of_gif)
    }

    /// Ends the film and gives the output back.
    pub fn finish(self) -> Result<W, FilmError> {
        self.encoder.into_inner().map_err(of_gif)
    }
}

fn of_gif(error: gif::EncodingError) -> FilmError {
    match error {
        gif::EncodingError::Io(error) => FilmError::Output(error),
        other => FilmError::Encoding(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(shade: u8) -> Pixels {
        let mut picture = Pixels::filled(20, 10, [shade, 90, 30, 255]).unwrap();
        picture.rgba[..4].copy_from_slice(&[0, 0, 255, 255]);
        picture
    }

    #[test]
    fn a_gif_reads_back_frame_by_frame_and_keeps_time() {
        let mut film = GifFilm::new(Vec::new(), 20, 10, 30.0).unwrap();
        for shade in [10, 120, 240] {
            film.push(&picture(shade)).unwrap();
        }
        assert!(matches!(film.push(&Pixels::filled(5, 5, [0; 4]).unwrap()), Err(FilmError::Size { .. })));
        let bytes = film.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (20, 10));
        let (mut shades, mut time) = (Vec::new(), 0);
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            shades.push(frame.buffer[40]);
            time += frame.delay;
            assert_eq!(frame.buffer[..4], [0, 0, 255, 255]);
        }
        assert_eq!((shades, time), (vec![10, 120, 240], 10));
    }

    #[test]
    fn an_animated_webp_reads_back_bit_by_bit() {
        let frames = [10, 120, 240].map(picture);
        let mut film = WebpFilm::new(io::Cursor::new(Vec::new()), 20, 10, 25.0).unwrap();
        for frame in &frames {
            film.push(frame).unwrap();
        }
        let bytes = film.finish().unwrap().into_inner();
        let mut decoder = image_webp::WebPDecoder::new(io::Cursor::new(bytes)).unwrap();
        assert!(decoder.is_animated() && decoder.num_frames() == 3);
        assert_eq!(decoder.dimensions(), (20, 10));
        let mut buffer = vec![0; decoder.output_buffer_size().unwrap()];
        for frame in &frames {
            assert_eq!(decoder.read_frame(&mut buffer).unwrap(), 40);
            let n = buffer.len() / 200;
            let found: Vec<u8> = buffer.chunks_exact(n).flat_map(|p| [p[0], p[1], p[2]]).collect();
            let right: Vec<u8> = frame.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
            assert_eq!(found, right);
        }
    }
}
