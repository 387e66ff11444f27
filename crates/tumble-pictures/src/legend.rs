//! What tells a picture's colours, lengths and time: a drawing that is laid over it.

use crate::colour::space::text_of_linear;
use crate::colour::{ColourMap, Linear, Ticks, scale_length};
use crate::figures::quantity;
use crate::pixels::{PictureError, Pixels};
use crate::raster::rasterise;
use crate::svg::{Svg, text_width};

/// What the colours mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Nothing.
    None,
    /// Kinds with their colours.
    Kinds(Vec<(String, Linear)>),
    /// Numbers.
    Numbers {
        /// What they are.
        title: String,
        /// Their SI unit; empty for plain numbers.
        unit: String,
        /// The colours.
        map: ColourMap,
        /// Values at the ends.
        range: (f64, f64),
    },
}

/// What is laid over a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What the colours mean.
    pub scale: Scale,
    /// Simulated time [s].
    pub time: f64,
    /// Length of a pixel in the middle of the scene [m].
    pub pixel: f64,
    /// Colour of text and lines.
    pub ink: &'static str,
}

/// Slices of a colour bar.
const N_SLICES: usize = 120;
/// More kinds than this are not listed: the list would not fit.
const MOST_KINDS: usize = 24;
/// Longest scale bar, as a share of the picture's width.
const LONGEST_BAR: f64 = 0.2;

/// Size of text and width of the margin for a picture: they go with its smaller side, so that a picture on a page reads
/// alike at any resolution. Also the unit in which other lengths are given.
fn measures((width, height): (f64, f64)) -> (f64, f64, f64) {
    let unit = width.min(height * 4.0 / 3.0) / 1280.0;
    (22.0 * unit, 30.0 * unit, unit)
}

impl Legend {
    /// Width that a list of kinds takes at the right of a picture of a width and height [pixels].
    pub fn width_of_kinds<'a>(names: impl Iterator<Item = &'a str>, picture: (f64, f64)) -> f64 {
        let (size, margin, _) = measures(picture);
        names.map(|name| text_width(name, size)).fold(0.0, f64::max) + 1.5 * size + 1.5 * margin
    }

    /// Width that a colour bar takes at the right of a picture of a width and height [pixels].
    pub fn width_of_numbers(picture: (f64, f64)) -> f64 {
        let (size, margin, unit) = measures(picture);
        1.5 * size + text_width("0000", size) + 36.0 * unit + 1.5 * margin
    }

    /// The drawing as pixels, transparent where there is nothing.
    pub fn draw(&self, width: u32, height: u32) -> Result<Pixels, PictureError> {
        rasterise(&self.svg(f64::from(width), f64::from(height)), width)
    }

    /// The drawing.
    pub fn svg(&self, width: f64, height: f64) -> String {
        let mut svg = Svg::new(width, height);
        let (size, margin, unit) = measures((width, height));
        let time = format!("t = {}", quantity(self.time, "s"));
        svg.text(margin, margin + 0.75 * size, size).with("fill", self.ink).write(&time);
        if let Some((length, text)) = scale_length(LONGEST_BAR * width * self.pixel) {
            self.scale_bar(&mut svg, length / self.pixel, &text, (margin, height - margin), size, unit);
        }
        match &self.scale {
            Scale::None => {}
            Scale::Kinds(kinds) => self.kinds(&mut svg, kinds, width - margin, height, size),
            Scale::Numbers { title, unit: measure, map, range } => {
                let ticks = Ticks::across(*range, 6, measure);
                self.colour_bar(&mut svg, title, &ticks, *map, *range, (width - margin, height), size, unit);
            }
        }
        svg.finish()
    }

    fn scale_bar(&self, svg: &mut Svg, length: f64, text: &str, (x, y): (f64, f64), size: f64, unit: f64) {
        let (thickness, tip) = (2.5 * unit, 6.0 * unit);
        let path = format!("M{:.2} {:.2}V{:.2}H{:.2}V{:.2}", x, y - 2.0 * tip, y - tip, x + length, y - 2.0 * tip);
        svg.element("path")
            .with("d", path)
            .with("fill", "none")
            .with("stroke", self.ink)
            .with("stroke-width", thickness)
            .end();
        let text_y = y - 2.0 * tip - 0.35 * size;
        svg.text(x + 0.5 * length, text_y, size).with("text-anchor", "middle").with("fill", self.ink).write(text);
    }

    fn kinds(&self, svg: &mut Svg, kinds: &[(String, Linear)], right: f64, height: f64, size: f64) {
        if kinds.len() > MOST_KINDS {
            return;
        }
        let step = 1.55 * size;
        let widest = kinds.iter().map(|(name, _)| text_width(name, size)).fold(0.0, f64::max);
        let left = right - widest - 1.5 * size;
        let top = 0.5 * (height - step * kinds.len() as f64);
        for (place, (name, colour)) in kinds.iter().enumerate() {
            let y = top + step * (place as f64 + 0.5);
            svg.element("rect")
                .with("x", left)
                .with("y", y - 0.5 * size)
                .with("width", size)
                .with("height", size)
                .with("rx", 0.2 * size)
                .with("fill", text_of_linear(*colour))
                .end();
            svg.text(left + 1.5 * size, y + 0.36 * size, size).with("fill", self.ink).write(name);
        }
    }

    #[expect(clippy::too_many_arguments)]
    fn colour_bar(
        &self,
        svg: &mut Svg,
        title: &str,
        ticks: &Ticks,
        map: ColourMap,
        (low, high): (f64, f64),
        (right, height): (f64, f64),
        size: f64,
        unit: f64,
    ) {
        let widest = ticks.marks.iter().map(|(_, text)| text_width(text, size)).fold(0.0, f64::max);
        let (bar_width, bar_height) = (24.0 * unit, 0.56 * height);
        let (gap, tick) = (6.0 * unit, 6.0 * unit);
        // From the right: the title, upright; the numbers; the bar.
        let title_x = right - 0.25 * size;
        let left = title_x - 1.25 * size - widest - gap - tick - bar_width;
        let top = 0.5 * (height - bar_height);
        for slice in 0..N_SLICES {
            let share = (slice as f64 + 0.5) / N_SLICES as f64;
            let thick = bar_height / N_SLICES as f64;
            let y = top + bar_height - thick * (slice + 1) as f64;
            // Each reaches under the next, so that no seam shows.
            let reach = if slice == 0 { thick } else { 1.6 * thick };
            let element = svg.element("rect").with("x", left).with("y", y).with("width", bar_width);
            element.with("height", reach).with("fill", text_of_linear(map.at(share))).end();
        }
        svg.element("rect")
            .with("x", left)
            .with("y", top)
            .with("width", bar_width)
            .with("height", bar_height)
            .with("fill", "none")
            .with("stroke", self.ink)
            .with("stroke-width", 1.2 * unit)
            .end();
        for (value, text) in &ticks.marks {
            let y = top + bar_height * (1.0 - (value - low) / (high - low));
            let path = format!("M{:.2} {y:.2}h{tick:.2}", left + bar_width);
            svg.element("path").with("d", path).with("stroke", self.ink).with("stroke-width", 1.5 * unit).end();
            let x = left + bar_width + tick + gap;
            svg.text(x, y + 0.36 * size, size).with("fill", self.ink).write(text);
        }
        let words = if ticks.unit.is_empty() { title.to_owned() } else { format!("{title} [{}]", ticks.unit) };
        let turn = format!("rotate(-90 {title_x:.2} {:.2})", 0.5 * height);
        let text = svg.text(title_x, 0.5 * height, size).with("text-anchor", "middle").with("transform", turn);
        text.with("fill", self.ink).write(&words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_says_what_where_and_when() {
        let scale = Scale::Numbers {
            title: "speed".to_owned(),
            unit: "m/s".to_owned(),
            map: ColourMap::Viridis,
            range: (0.0, 0.5),
        };
        let legend = Legend { scale, time: 0.35, pixel: 1e-4, ink: "#000000" };
        let svg = legend.svg(1280.0, 960.0);
        // 0.2 of the width is 25.6 mm.
        for words in ["t = 350 ms", "20 mm", "speed [mm/s]", ">0<", ">100<", ">500<"] {
            assert!(svg.contains(words), "no {words} in {svg}");
        }
        let kinds = Scale::Kinds(vec![("pills & <tablets>".to_owned(), Linear::ONE)]);
        let svg = Legend { scale: kinds, ..legend }.svg(400.0, 300.0);
        assert!(svg.contains("pills &amp; &lt;tablets&gt;"), "{svg}");
    }

    #[test]
    fn a_legend_leaves_the_picture_free() {
        let legend = Legend { scale: Scale::None, time: 1.0, pixel: 1e-3, ink: "#123456" };
        let pixels = legend.draw(320, 240).unwrap();
        let inked = pixels.rgba.chunks_exact(4).filter(|pixel| pixel[3] > 0).count();
        assert!(inked > 50 && inked < 320 * 240 / 20, "{inked}");
    }
}
