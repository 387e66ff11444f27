//! Pictures as pixels, and as PNG files.

/// A picture: rows from the top, each from the left, four bytes a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Red, green, blue and opacity of each pixel, 0 to 255; colours are not multiplied by the opacity.
    pub rgba: Vec<u8>,
}

/// A picture could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// Its width or height is of no use, or both together are too large.
    #[error(
        "a picture of {width} x {height} pixels cannot be made; each must be from 1 to {}, and there are {} million pixels at most",
        Pixels::LARGEST,
        Pixels::MOST / 1_000_000
    )]
    Size {
        /// Number of columns.
        width: u32,
        /// Number of rows.
        height: u32,
    },
    /// A drawing is not an SVG that can be drawn.
    #[error("cannot draw the SVG: {0}")]
    Svg(String),
    /// The pixels could not be encoded.
    #[error("cannot encode the PNG: {0}")]
    Png(#[from] png::EncodingError),
}

impl Pixels {
    /// Largest width and height.
    pub const LARGEST: u32 = 16_384;
    /// Most pixels of a picture. Casting keeps some 140 bytes of each.
    pub const MOST: u64 = 64_000_000;

    /// Whether a picture of this width and height has more pixels than can be kept in memory.
    pub fn are_too_many(width: u32, height: u32) -> bool {
        u64::from(width) * u64::from(height) > Pixels::MOST
    }

    /// A picture in one colour.
    pub fn filled(width: u32, height: u32, colour: [u8; 4]) -> Result<Pixels, PictureError> {
        let is_right = |n: u32| (1..=Pixels::LARGEST).contains(&n);
        if !(is_right(width) && is_right(height)) || Pixels::are_too_many(width, height) {
            return Err(PictureError::Size { width, height });
        }
        Ok(Pixels { width, height, rgba: colour.repeat(width as usize * height as usize) })
    }

    /// Lays another picture of any size over this one, its upper left corner at a column and row of this one; what is outside is
    /// cut off.
    pub fn lay_over(&mut self, picture: &Pixels, column: i64, row: i64) {
        for y in 0..i64::from(picture.height) {
            for x in 0..i64::from(picture.width) {
                let (to_x, to_y) = (x + column, y + row);
                if !(0..i64::from(self.width)).contains(&to_x) || !(0..i64::from(self.height)).contains(&to_y) {
                    continue;
                }
                let from = 4 * (y * i64::from(picture.width) + x) as usize;
                let to = 4 * (to_y * i64::from(self.width) + to_x) as usize;
                let (Some(above), Some(below)) = (picture.rgba.get(from..from + 4), self.rgba.get_mut(to..to + 4))
                else {
                    return;
                };
                blend(below, above);
            }
        }
    }

    /// Brings what is within a rectangle (left, top, right, bottom) nearer to a colour for each row, by a share that falls to
    /// nothing at the rim. Without a colour it becomes transparent.
    pub(crate) fn fade(
        &mut self,
        [left, top, right, bottom]: [f64; 4],
        share: f32,
        colour: impl Fn(u32) -> Option<[u8; 3]>,
    ) {
        let rim = 0.12 * (bottom - top).min(right - left).max(1.0);
        let places = |low: f64, high: f64, end: u32| low.max(0.0) as u32..(high.max(0.0).ceil() as u32).min(end);
        for row in places(top, bottom, self.height) {
            let to = colour(row);
            for column in places(left, right, self.width) {
                let (x, y) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
                let inside = (x - left).min(right - x).min(y - top).min(bottom - y) / rim;
                let share = share * inside.clamp(0.0, 1.0) as f32;
                let start = 4 * (row as usize * self.width as usize + column as usize);
                let Some(pixel) = self.rgba.get_mut(start..start + 4) else { return };
                match to {
                    Some(to) => {
                        for (channel, to) in pixel.iter_mut().zip(to) {
                            *channel =
                                (f32::from(*channel) + share * (f32::from(to) - f32::from(*channel))).round() as u8;
                        }
                    }
                    None => pixel[3] = (f32::from(pixel[3]) * (1.0 - share)).round() as u8,
                }
            }
        }
    }

    /// The picture as a PNG file. A picture without transparency is written without opacity.
    pub fn to_png(&self) -> Result<Vec<u8>, PictureError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        let is_opaque = self.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(if is_opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        if is_opaque {
            let rgb: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            writer.write_image_data(&rgb)?;
        } else {
            writer.write_image_data(&self.rgba)?;
        }
        writer.finish()?;
        Ok(file)
    }
}

/// Porter and Duff's "over", both colours not multiplied by their opacity.
fn blend(below: &mut [u8], above: &[u8]) {
    let (over, under) = (f32::from(above[3]) / 255.0, f32::from(below[3]) / 255.0);
    let opacity = over + under * (1.0 - over);
    if opacity <= 0.0 {
        return;
    }
    for k in 0..3 {
        let mixed = (f32::from(above[k]) * over + f32::from(below[k]) * under * (1.0 - over)) / opacity;
        below[k] = mixed.round() as u8;
    }
    below[3] = (255.0 * opacity).round() as u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(file: &[u8]) -> (png::ColorType, u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        (info.color_type, info.width, info.height, bytes)
    }

    #[test]
    fn a_png_reads_back_with_and_without_opacity() {
        let mut picture = Pixels::filled(3, 2, [10, 20, 30, 255]).unwrap();
        assert_eq!(read_back(&picture.to_png().unwrap()), (png::ColorType::Rgb, 3, 2, [10, 20, 30].repeat(6)));
        picture.rgba[3] = 7;
        assert_eq!(read_back(&picture.to_png().unwrap()), (png::ColorType::Rgba, 3, 2, picture.rgba.clone()));
    }

    #[test]
    fn what_is_written_over_grains_gets_a_ground() {
        let mut picture = Pixels::filled(40, 20, [200, 0, 0, 255]).unwrap();
        picture.fade([10.0, 5.0, 30.0, 15.0], 0.8, |_| Some([0, 100, 200]));
        let at = |x: usize, y: usize| picture.rgba[4 * (40 * y + x)..][..4].to_vec();
        assert_eq!(at(20, 10), [40, 80, 160, 255]);
        assert_eq!((at(9, 10), at(20, 16)), (vec![200, 0, 0, 255], vec![200, 0, 0, 255]));
        let mut picture = Pixels::filled(40, 20, [200, 0, 0, 255]).unwrap();
        // Reaches beyond the picture and has nothing behind it.
        picture.fade([-10.0, -5.0, 90.0, 45.0], 0.8, |_| None);
        assert_eq!(picture.rgba[4 * (40 * 10 + 20)..][..4], [200, 0, 0, 51]);
    }

    #[test]
    fn sizes_without_sense_are_refused() {
        for (width, height) in [(0, 1), (1, 0), (Pixels::LARGEST + 1, 1), (Pixels::LARGEST, Pixels::LARGEST)] {
            assert!(Pixels::filled(width, height, [0; 4]).is_err());
        }
        let message = Pixels::filled(0, 5, [0; 4]).unwrap_err().to_string();
        assert!(message.contains("0 x 5") && message.contains("16384") && message.contains("64 million"), "{message}");
    }

    #[test]
    fn a_picture_laid_over_another_is_cut_at_its_edges() {
        let mut picture = Pixels::filled(2, 2, [0, 0, 0, 255]).unwrap();
        let half = Pixels::filled(2, 2, [255, 0, 0, 128]).unwrap();
        picture.lay_over(&half, 1, -1);
        assert_eq!(picture.rgba[..4], [0, 0, 0, 255]);
        assert_eq!(picture.rgba[4..8], [128, 0, 0, 255]);
        assert_eq!(picture.rgba[8..], [0, 0, 0, 255, 0, 0, 0, 255]);
        let mut empty = Pixels::filled(1, 1, [0; 4]).unwrap();
        empty.lay_over(&half, 0, 0);
        assert_eq!(empty.rgba, [255, 0, 0, 128]);
    }
}
