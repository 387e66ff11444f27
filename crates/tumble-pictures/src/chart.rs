//! Charts as SVG: lines, points and steps over two axes, and maps of coloured squares.
//!
//! Dark on white, at the size of a column in a report. Every element has a class (`paper`, `ink`, `faint`, `line`, `c0` to `c6`, `o0` to `o8`), so that a
//! page that shows the chart can give it other colours; without such a page the attributes hold. The colours of the series are those of
//! Okabe and Ito (2008), which people with any kind of colour vision can tell apart; beyond seven series, dashes help.

mod axis;
mod map;
mod thin;

pub use axis::{Axis, Scale};
pub use map::Map;

use crate::colour::ColourMap;
use crate::colour::space::text_of_linear;
use crate::svg::{Svg, text_width};
use axis::Ruler;
use thin::thin;

/// Colours of the series.
pub const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5f5f5f"];
/// Steps of the order of things that follow each other, from 0 to this.
const LAST_STEP: f64 = 8.0;
const DASHES: [&str; 3] = ["", "7 4", "2 3"];

const WIDTH: f64 = 720.0;
const PLOT_HEIGHT: f64 = 270.0;
const EDGE: f64 = 14.0;
const TITLE_SIZE: f64 = 16.0;
const TEXT_SIZE: f64 = 13.0;
const NOTE_SIZE: f64 = 11.5;
const INK: &str = "#222222";
const FAINT: &str = "#dddddd";

/// How numbers are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line through the points, broken where one is missing; a point that stands alone is a dot.
    Line,
    /// Steps: each point is a left edge and the height up to the next point's.
    Steps,
}

/// Numbers with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What they are, for the legend.
    pub name: String,
    /// The numbers, pairs of x and y in the units of the axes.
    pub points: Vec<[f64; 2]>,
    /// How they are drawn.
    pub mark: Mark,
    /// In which colour; `None`: that of the series' place in the chart.
    pub paint: Option<Paint>,
}

/// A colour that does not depend on what else is in the chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// The colour of a number, with dashes beyond the last: the same thing looks the same in every chart.
    Number(usize),
    /// For things that follow each other, as moments do: from the first, 0, to the last, 1.
    Order(f64),
}

impl Series {
    /// A line through pairs.
    pub fn line(name: &str, x: &[f64], y: &[f64]) -> Series {
        let points = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
        Series { name: name.to_owned(), points, mark: Mark::Line, paint: None }
    }

    /// The same in a colour that does not depend on what else is in the chart.
    pub fn painted(self, paint: Paint) -> Series {
        Series { paint: Some(paint), ..self }
    }

    fn ink(&self, number: usize) -> Ink {
        match self.paint.unwrap_or(Paint::Number(number)) {
            Paint::Number(number) => Ink {
                class: format!("c{}", number % COLOURS.len()),
                colour: COLOURS[number % COLOURS.len()].to_owned(),
                dashes: DASHES[number / COLOURS.len() % DASHES.len()],
            },
            Paint::Order(share) => {
                let step = (share.clamp(0.0, 1.0) * LAST_STEP).round();
                // The palest end of the map would be lost on white.
                let colour = text_of_linear(ColourMap::Viridis.at(0.85 * step / LAST_STEP));
                Ink { class: format!("o{step}"), colour, dashes: "" }
            }
        }
    }
}

/// How a series looks: its class, for pages that have colours of their own, its colour and its dashes.
struct Ink {
    class: String,
    colour: String,
    dashes: &'static str,
}

/// A chart.
///
/// ```
/// use tumble_pictures::chart::{Axis, Chart, Series};
///
/// let chart = Chart {
///     title: "A ball falls".into(),
///     x: Axis::new("time", "s"),
///     y: Axis::new("height", "m").from_zero(),
///     series: vec![Series::line("ball", &[0.0, 0.1, 0.2], &[1.0, 0.951, 0.804])],
///     note: String::new(),
/// };
/// let svg = chart.to_svg();
/// assert!(svg.starts_with("<svg") && svg.contains("A ball falls"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The axis across.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// What is drawn. The legend names them if there is more than one.
    pub series: Vec<Series>,
    /// A remark beneath; may be empty.
    pub note: String,
}

/// The rectangle between the axes.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
}

impl Frame {
    fn across(&self, place: f64) -> f64 {
        self.left + place * self.width
    }

    fn up(&self, place: f64) -> f64 {
        self.top + (1.0 - place) * PLOT_HEIGHT
    }
}

impl Chart {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let ys = || self.series.iter().flat_map(|series| series.points.iter().map(|p| p[1]));
        let xs = || self.series.iter().flat_map(|series| series.points.iter().map(|p| p[0]));
        let y = Ruler::new(&self.y, ys(), 5, false);
        let x = Ruler::new(&self.x, xs(), 7, true);
        let widest = y.ticks.iter().map(|(_, label)| text_width(label, TEXT_SIZE)).fold(0.0, f64::max);
        let left = EDGE + 1.5 * TEXT_SIZE + widest + 8.0;
        let legend = self.legend(WIDTH - left - EDGE);
        let top = EDGE + TITLE_SIZE + 15.0 + legend.height();
        let frame = Frame { left, top, width: WIDTH - left - 2.0 * EDGE };
        let notes = wrapped(&self.note, NOTE_SIZE, frame.width);
        let beneath = top + PLOT_HEIGHT + 3.6 * TEXT_SIZE;
        let height = beneath + notes.len() as f64 * 1.4 * NOTE_SIZE + EDGE;

        let mut svg = Svg::new(WIDTH, height);
        svg.title(&self.title);
        svg.element("rect")
            .with("class", "paper")
            .with("width", WIDTH)
            .with("height", height)
            .with("fill", "#ffffff")
            .end();
        let title = shortened(&self.title, TITLE_SIZE, WIDTH - 2.0 * EDGE);
        svg.text(EDGE, EDGE + TITLE_SIZE, TITLE_SIZE).with("class", "ink").with("fill", INK).write(&title);
        legend.draw(&mut svg, left, EDGE + TITLE_SIZE + 6.0);
        draw_axes(&mut svg, &frame, &x, &y);
        let mut has_ink = false;
        for (number, series) in self.series.iter().enumerate() {
            has_ink |= draw_series(&mut svg, &frame, series, number, &x, &y);
        }
        if !has_ink {
            let (middle, height) = (frame.across(0.5), frame.up(0.5));
            let text = svg.text(middle, height, TITLE_SIZE).with("text-anchor", "middle");
            text.with("class", "ink").with("fill", "#777777").write("no data");
        }
        for (row, line) in notes.iter().enumerate() {
            let y = beneath + (row as f64 + 0.6) * 1.4 * NOTE_SIZE;
            svg.text(left, y, NOTE_SIZE).with("class", "ink").with("fill", "#555555").write(line);
        }
        svg.finish()
    }

    fn legend(&self, width: f64) -> Legend {
        let mut entries = Vec::new();
        let (mut row, mut x) = (0, 0.0);
        if self.series.len() > 1 {
            for (number, series) in self.series.iter().enumerate() {
                let name = shortened(&series.name, TEXT_SIZE, width - Legend::SWATCH);
                let taken = Legend::SWATCH + text_width(&name, TEXT_SIZE);
                if x > 0.0 && x + taken > width {
                    (row, x) = (row + 1, 0.0);
                }
                entries.push((name, series.mark, series.ink(number), row, x));
                x += taken + Legend::GAP;
            }
        }
        Legend { n_rows: if entries.is_empty() { 0 } else { row + 1 }, entries }
    }
}

/// The names of the series with a piece of each: name, mark, look, row and place in the row.
struct Legend {
    entries: Vec<(String, Mark, Ink, usize, f64)>,
    n_rows: usize,
}

impl Legend {
    const SWATCH: f64 = 30.0;
    const GAP: f64 = 20.0;
    const ROW: f64 = 1.5 * TEXT_SIZE;

    fn height(&self) -> f64 {
        if self.n_rows == 0 { 0.0 } else { self.n_rows as f64 * Legend::ROW + 2.0 }
    }

    fn draw(&self, svg: &mut Svg, left: f64, top: f64) {
        for (name, mark, ink, row, x) in &self.entries {
            let (x, y) = (left + x, top + (*row as f64 + 0.55) * Legend::ROW);
            match mark {
                Mark::Line => {
                    let line = svg.element("line").with("x1", x).with("x2", x + 24.0).with("y1", y).with("y2", y);
                    stroked(line, ink, 2.2).end();
                }
                Mark::Steps => {
                    let piece = svg.element("rect").with("x", x).with("y", y - 5.0).with("width", 24.0);
                    let piece = piece.with("height", 10.0).with("class", format!("bar {}", ink.class));
                    piece.with("fill", ink.colour.as_str()).with("fill-opacity", 0.35).end();
                }
            }
            let text = svg.text(x + Legend::SWATCH, y + 0.35 * TEXT_SIZE, TEXT_SIZE);
            text.with("class", "ink").with("fill", INK).write(name);
        }
    }
}

/// A line in the colour and the dashes of a series.
fn stroked<'a>(element: crate::svg::Element<'a>, ink: &Ink, width: f64) -> crate::svg::Element<'a> {
    let element =
        element.with("class", format!("line {}", ink.class)).with("fill", "none").with("stroke", ink.colour.as_str());
    let element = element.with("stroke-width", width).with("stroke-linejoin", "round");
    match ink.dashes {
        "" => element,
        dashes => element.with("stroke-dasharray", dashes),
    }
}

fn draw_axes(svg: &mut Svg, frame: &Frame, x: &Ruler, y: &Ruler) {
    let (bottom, right) = (frame.up(0.0), frame.across(1.0));
    let grid = |svg: &mut Svg, [x1, y1, x2, y2]: [f64; 4]| {
        let line =
            svg.element("line").with("class", "faint").with("x1", x1).with("y1", y1).with("x2", x2).with("y2", y2);
        line.with("stroke", FAINT).with("stroke-width", 1.0).end();
    };
    for (place, label) in &y.ticks {
        let height = frame.up(*place);
        grid(svg, [frame.left, height, right, height]);
        let text = svg.text(frame.left - 7.0, height + 0.35 * TEXT_SIZE, TEXT_SIZE).with("text-anchor", "end");
        text.with("class", "ink").with("fill", INK).write(label);
    }
    // Labels that would touch the one before them are left out.
    let mut free_from = f64::NEG_INFINITY;
    for (place, label) in &x.ticks {
        let across = frame.across(*place);
        grid(svg, [across, frame.top, across, bottom]);
        let half = 0.5 * text_width(label, TEXT_SIZE);
        if across - half < free_from {
            continue;
        }
        free_from = across + half + 8.0;
        let text = svg.text(across, bottom + 1.45 * TEXT_SIZE, TEXT_SIZE).with("text-anchor", "middle");
        text.with("class", "ink").with("fill", INK).write(label);
    }
    let outline = svg.element("rect").with("class", "outline").with("x", frame.left).with("y", frame.top);
    let outline = outline.with("width", frame.width).with("height", PLOT_HEIGHT).with("fill", "none");
    outline.with("stroke", "#888888").with("stroke-width", 1.0).end();
    let title = shortened(&x.title, TEXT_SIZE, frame.width);
    let text = svg.text(frame.across(0.5), bottom + 2.9 * TEXT_SIZE, TEXT_SIZE).with("text-anchor", "middle");
    text.with("class", "ink").with("fill", INK).write(&title);
    let title = shortened(&y.title, TEXT_SIZE, PLOT_HEIGHT + TITLE_SIZE);
    let (middle, beside) = (frame.up(0.5), EDGE + 0.5 * TEXT_SIZE);
    let text = svg.text(0.0, 0.0, TEXT_SIZE).with("text-anchor", "middle");
    let text = text.with("transform", format!("translate({beside:.2} {middle:.2}) rotate(-90)"));
    text.with("class", "ink").with("fill", INK).write(&title);
}

/// Draws a series and says whether there was anything to draw.
fn draw_series(svg: &mut Svg, frame: &Frame, series: &Series, number: usize, x: &Ruler, y: &Ruler) -> bool {
    let place = |&[px, py]: &[f64; 2]| Some([frame.across(x.place(px)?), frame.up(y.place(py)?)]);
    let ink = series.ink(number);
    match series.mark {
        Mark::Line => {
            let placed: Vec<Option<[f64; 2]>> = series.points.iter().map(place).collect();
            let mut has_ink = false;
            for stretch in placed.split(Option::is_none) {
                let points: Vec<[f64; 2]> = stretch.iter().copied().flatten().collect();
                match points[..] {
                    [] => continue,
                    [[x, y]] => {
                        let dot = svg.element("circle").with("class", format!("dot {}", ink.class)).with("cx", x);
                        dot.with("cy", y).with("r", 3.0).with("fill", ink.colour.as_str()).end();
                    }
                    _ => {
                        let points = thin(&points);
                        stroked(svg.element("polyline").with("points", &points[..]), &ink, 1.8).end();
                    }
                }
                has_ink = true;
            }
            has_ink
        }
        Mark::Steps => {
            let mut outline = Vec::new();
            for pair in series.points.windows(2) {
                let (Some([left, height]), Some([right, _])) = (place(&pair[0]), place(&[pair[1][0], pair[0][1]]))
                else {
                    continue;
                };
                outline.extend([[left, height], [right, height]]);
            }
            let (Some(&[first, _]), Some(&[last, _])) = (outline.first(), outline.last()) else { return false };
            let base = frame.up(y.place(0.0).unwrap_or(0.0).clamp(0.0, 1.0));
            outline.insert(0, [first, base]);
            outline.push([last, base]);
            let steps = svg.element("polygon").with("points", &outline[..]);
            let steps = steps
                .with("class", format!("bar {}", ink.class))
                .with("fill", ink.colour.as_str())
                .with("fill-opacity", 0.35);
            steps.with("stroke", ink.colour.as_str()).with("stroke-width", 1.2).end();
            true
        }
    }
}

/// A text that is too wide ends in dots.
fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        kept.push(character);
        if text_width(&kept, size) + text_width("…", size) > width {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

/// A text in lines that are no wider than a width, unless a word alone is.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(shortened(word, size, width)),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
