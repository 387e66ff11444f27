//! What tells a picture's colours, lengths and time: a drawing that is laid over it.

use crate::cast::grey;
use crate::colour::space::text_of_linear;
use crate::colour::{ColourMap, Linear, Ticks, scale_length};
use crate::pixels::{PictureError, Pixels};
use crate::raster::rasterise;
use crate::svg::{Svg, text_width};
use glam::DVec3;

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
        /// The part of the map that is used, as places from 0 to 1.
        part: (f64, f64),
        /// Whether only whole numbers occur.
        is_whole: bool,
        /// What grains without a number are called, if there are any.
        none: Option<&'static str>,
    },
}

/// What is laid over a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What the colours mean.
    pub scale: Scale,
    /// Simulated time, as it is written.
    pub time: String,
    /// The camera's unit vectors to the right and upwards, for the axes in the corner.
    pub axes: [DVec3; 2],
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

/// From one kind of a list to the next, in sizes of the text.
const STEP_OF_KINDS: f64 = 1.55;
/// Length of an axis in the corner, in parts of a picture 1280 wide.
const TRIAD: f64 = 38.0;

/// A square of a colour, its left end and its middle height given.
fn swatch(svg: &mut Svg, left: f64, y: f64, size: f64, colour: Linear) {
    svg.element("rect")
        .with("x", left)
        .with("y", y - 0.5 * size)
        .with("width", size)
        .with("height", size)
        .with("rx", 0.2 * size)
        .with("fill", text_of_linear(colour))
        .end();
}

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
        svg.text(margin, margin + 0.75 * size, size).with("fill", self.ink).write(&self.time_text());
        self.triad(&mut svg, self.middle_of_triad((width, height)), unit, size);
        if let Some((length, text)) = scale_length(LONGEST_BAR * width * self.pixel) {
            self.scale_bar(&mut svg, length / self.pixel, &text, (margin, height - margin), size, unit);
        }
        match &self.scale {
            Scale::None => {}
            Scale::Kinds(kinds) => self.kinds(&mut svg, kinds, width - margin, height, size),
            Scale::Numbers { title, unit: measure, map, range, part, is_whole, none } => {
                let ticks = if *is_whole { Ticks::whole(*range, 6) } else { Ticks::across(*range, 6, measure) };
                let colour = |share: f64| map.at(part.0 + share * (part.1 - part.0));
                self.colour_bar(&mut svg, title, &ticks, colour, *range, (width - margin, height), size, unit);
                if let Some(none) = none {
                    let y = 0.5 * height + 0.28 * height + 1.6 * size;
                    let left = width - margin - text_width(none, size) - 1.5 * size;
                    swatch(&mut svg, left, y, size, grey());
                    svg.text(left + 1.5 * size, y + 0.36 * size, size).with("fill", self.ink).write(none);
                }
            }
        }
        svg.finish()
    }

    fn time_text(&self) -> String {
        format!("t = {}", self.time)
    }

    /// Rectangles (left, top, right, bottom) [pixels] that what the legend says needs for itself: grains there would make
    /// it hard to read.
    pub fn grounds(&self, width: f64, height: f64) -> Vec<[f64; 4]> {
        let (size, margin, unit) = measures((width, height));
        let rim = 0.35 * size;
        let mut grounds = vec![[margin, margin, margin + text_width(&self.time_text(), size), margin + size]];
        if let Some((length, text)) = scale_length(LONGEST_BAR * width * self.pixel) {
            let length = length / self.pixel;
            let beyond = (0.5 * (text_width(&text, size) - length)).max(0.0);
            let top = height - margin - 12.0 * unit - 1.35 * size;
            grounds.push([margin - beyond, top, margin + length + beyond, height - margin]);
        }
        let half = match &self.scale {
            Scale::None => 0.0,
            Scale::Kinds(kinds) if kinds.len() > MOST_KINDS => 0.0,
            Scale::Kinds(kinds) => 0.5 * STEP_OF_KINDS * size * kinds.len() as f64,
            Scale::Numbers { .. } => 0.28 * height + 0.5 * size,
        };
        let legend_width = match &self.scale {
            Scale::Kinds(kinds) => Legend::width_of_kinds(kinds.iter().map(|(name, _)| &**name), (width, height)),
            Scale::Numbers { .. } => Legend::width_of_numbers((width, height)),
            Scale::None => 0.0,
        } - 0.5 * margin;
        let lower = if matches!(self.scale, Scale::Numbers { none: Some(_), .. }) { 2.0 * size } else { 0.0 };
        if half > 0.0 {
            grounds.push([width - legend_width, 0.5 * height - half, width - margin, 0.5 * height + half + lower]);
        }
        let (x, y) = self.middle_of_triad((width, height));
        let reach = TRIAD * unit + 0.8 * size;
        grounds.push([x - reach, y - reach, x + reach, y + reach]);
        grounds.into_iter().map(|[l, t, r, b]| [l - rim, t - rim, r + rim, b + rim]).collect()
    }

    /// The lower right corner, or left of a list of kinds that reaches down there.
    fn middle_of_triad(&self, (width, height): (f64, f64)) -> (f64, f64) {
        let (size, margin, unit) = measures((width, height));
        let inset = margin + TRIAD * unit + 0.6 * size;
        let list = match &self.scale {
            Scale::Kinds(kinds) if kinds.len() <= MOST_KINDS => {
                let bottom = 0.5 * height + 0.5 * STEP_OF_KINDS * size * kinds.len() as f64;
                let names = kinds.iter().map(|(name, _)| &**name);
                if bottom > height - 2.0 * inset { Legend::width_of_kinds(names, (width, height)) } else { 0.0 }
            }
            _ => 0.0,
        };
        (width - inset - list, height - inset)
    }

    /// The axes of space as the camera sees them.
    fn triad(&self, svg: &mut Svg, (x, y): (f64, f64), unit: f64, size: f64) {
        let [right, up] = self.axes;
        let towards = right.cross(up);
        let mut axes: Vec<(DVec3, &str, &str)> = [("x", "#c0392b"), ("y", "#2e8b57"), ("z", "#2f6fb5")]
            .iter()
            .zip(DVec3::AXES)
            .map(|(&(name, colour), axis)| (axis, name, colour))
            .collect();
        // Those that point to the viewer last, before the others.
        axes.sort_by(|a, b| a.0.dot(towards).total_cmp(&b.0.dot(towards)));
        for (axis, name, colour) in axes {
            let (across, upright) = (axis.dot(right), axis.dot(up));
            let long = across.hypot(upright);
            if long < 0.05 {
                // It points at the viewer, or away: a dot, and nothing to be said about its direction in the picture.
                svg.element("circle").with("cx", x).with("cy", y).with("r", 3.5 * unit).with("fill", colour).end();
                continue;
            }
            let (to_x, to_y) = (x + TRIAD * unit * across, y - TRIAD * unit * upright);
            let path = format!("M{x:.2} {y:.2}L{to_x:.2} {to_y:.2}");
            svg.element("path")
                .with("d", path)
                .with("stroke", colour)
                .with("stroke-width", 3.0 * unit)
                .with("stroke-linecap", "round")
                .end();
            let away = 0.55 * size / long;
            let text = svg.text(to_x + away * across, to_y - away * upright + 0.3 * size, 0.85 * size);
            text.with("text-anchor", "middle").with("fill", self.ink).write(name);
        }
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
        let step = STEP_OF_KINDS * size;
        let widest = kinds.iter().map(|(name, _)| text_width(name, size)).fold(0.0, f64::max);
        let left = right - widest - 1.5 * size;
        let top = 0.5 * (height - step * kinds.len() as f64);
        for (place, (name, colour)) in kinds.iter().enumerate() {
            let y = top + step * (place as f64 + 0.5);
            swatch(svg, left, y, size, *colour);
            svg.text(left + 1.5 * size, y + 0.36 * size, size).with("fill", self.ink).write(name);
        }
    }

    #[expect(clippy::too_many_arguments)]
    fn colour_bar(
        &self,
        svg: &mut Svg,
        title: &str,
        ticks: &Ticks,
        colour: impl Fn(f64) -> Linear,
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
            element.with("height", reach).with("fill", text_of_linear(colour(share))).end();
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
            part: (0.0, 1.0),
            is_whole: false,
            none: Some("no value"),
        };
        let axes = [DVec3::X, DVec3::Z];
        let legend = Legend { scale, time: "350 ms".to_owned(), axes, pixel: 1e-4, ink: "#000000" };
        let svg = legend.svg(1280.0, 960.0);
        // 0.2 of the width is 25.6 mm.
        for words in ["t = 350 ms", "20 mm", "speed [mm/s]", ">0<", ">100<", ">500<", "no value", ">x<", ">z<"] {
            assert!(svg.contains(words), "no {words} in {svg}");
        }
        let kinds = Scale::Kinds(vec![("pills & <tablets>".to_owned(), Linear::ONE)]);
        let svg = Legend { scale: kinds, ..legend }.svg(400.0, 300.0);
        assert!(svg.contains("pills &amp; &lt;tablets&gt;"), "{svg}");
    }

    #[test]
    fn a_legend_leaves_the_picture_free() {
        let legend = Legend {
            scale: Scale::None,
            time: "1 s".to_owned(),
            axes: [DVec3::X, DVec3::Y],
            pixel: 1e-3,
            ink: "#123456",
        };
        let pixels = legend.draw(320, 240).unwrap();
        let inked = pixels.rgba.chunks_exact(4).filter(|pixel| pixel[3] > 0).count();
        assert!(inked > 50 && inked < 320 * 240 / 20, "{inked}");
    }
}
