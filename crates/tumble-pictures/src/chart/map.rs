//! Charts of a quantity over two axes: coloured squares with a colour bar.

use super::axis::Ruler;
use super::{
    Axis, EDGE, Frame, INK, NOTE_SIZE, PLOT_HEIGHT, TEXT_SIZE, TITLE_SIZE, WIDTH, draw_axes, shortened, wrapped,
};
use crate::colour::ColourMap;
use crate::colour::space::text_of_linear;
use crate::svg::{Svg, text_width};

/// Slices of the colour bar.
const SLICES: usize = 48;
/// Width of the colour bar.
const BAR: f64 = 16.0;

/// A chart of a quantity over two axes.
///
/// ```
/// use tumble_pictures::chart::{Axis, Map};
///
/// let map = Map {
///     title: "A slope".into(),
///     x: Axis::new("x", "m"),
///     y: Axis::new("y", "m"),
///     value: Axis::new("height", "m"),
///     cells: (0..100).map(|k| [f64::from(k % 10), f64::from(k / 10), f64::from(k % 10)]).collect(),
///     width: 1.0,
///     note: String::new(),
/// };
/// assert!(map.to_svg().contains("height [m]"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What it shows.
    pub title: String,
    /// The axis across.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// The quantity.
    pub value: Axis,
    /// Middles of the squares and the quantity there; where it is NaN there is none.
    pub cells: Vec<[f64; 3]>,
    /// Side of a square.
    pub width: f64,
    /// A remark beneath; may be empty.
    pub note: String,
}

impl Map {
    /// The chart as an SVG document.
    pub fn to_svg(&self) -> String {
        let half = 0.5 * self.width;
        let ends = |axis: usize| self.cells.iter().flat_map(move |cell| [cell[axis] - half, cell[axis] + half]);
        let x = Ruler::new(&self.x, ends(0), 7, true);
        let y = Ruler::new(&self.y, ends(1), 5, true);
        let value = Ruler::new(&self.value, self.cells.iter().map(|cell| cell[2]), 5, true);
        let widest =
            |ruler: &Ruler| ruler.ticks.iter().map(|(_, label)| text_width(label, TEXT_SIZE)).fold(0.0, f64::max);
        let left = EDGE + 1.5 * TEXT_SIZE + widest(&y) + 8.0;
        let beside = BAR + 30.0 + widest(&value) + 2.2 * TEXT_SIZE;
        let top = EDGE + TITLE_SIZE + 15.0;
        let room = WIDTH - left - 2.0 * EDGE - beside;
        // As wide as its height makes it, so that squares are squares, if there is room.
        let extent = |axis: usize| {
            let (low, high) = ends(axis)
                .filter(|end| end.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            high - low
        };
        let natural = PLOT_HEIGHT * extent(0) / extent(1);
        let width = if natural.is_finite() { natural.clamp(0.25 * room, room) } else { room };
        let frame = Frame { left, top, width };
        let notes = wrapped(&self.note, NOTE_SIZE, WIDTH - left - EDGE);
        let beneath = top + PLOT_HEIGHT + 3.6 * TEXT_SIZE;
        let height = beneath + notes.len() as f64 * 1.4 * NOTE_SIZE + EDGE;
        let mut svg = Svg::new(WIDTH, height);
        svg.title(&self.title);
        let paper = svg.element("rect").with("class", "paper").with("width", WIDTH).with("height", height);
        paper.with("fill", "#ffffff").end();
        let title = shortened(&self.title, TITLE_SIZE, WIDTH - 2.0 * EDGE);
        svg.text(EDGE, EDGE + TITLE_SIZE, TITLE_SIZE).with("class", "ink").with("fill", INK).write(&title);
        draw_axes(&mut svg, &frame, &x, &y);
        let colour = |place: f64| text_of_linear(ColourMap::Viridis.at(place));
        for cell in &self.cells {
            let places =
                [x.place(cell[0] - half), x.place(cell[0] + half), y.place(cell[1] - half), y.place(cell[1] + half)];
            let ([Some(west), Some(east), Some(south), Some(north)], Some(at)) = (places, value.place(cell[2])) else {
                continue;
            };
            let square = svg.element("rect").with("x", frame.across(west)).with("y", frame.up(north));
            let square = square.with("width", frame.across(east) - frame.across(west));
            square.with("height", frame.up(south) - frame.up(north)).with("fill", colour(at).as_str()).end();
        }
        self.draw_bar(&mut svg, &frame, &value);
        for (row, line) in notes.iter().enumerate() {
            let y = beneath + (row as f64 + 0.6) * 1.4 * NOTE_SIZE;
            svg.text(left, y, NOTE_SIZE).with("class", "ink").with("fill", "#555555").write(line);
        }
        svg.finish()
    }

    fn draw_bar(&self, svg: &mut Svg, frame: &Frame, value: &Ruler) {
        let left = frame.across(1.0) + 22.0;
        for slice in 0..SLICES {
            let share = |slice: usize| slice as f64 / SLICES as f64;
            let piece = svg.element("rect").with("x", left).with("y", frame.up(share(slice + 1))).with("width", BAR);
            // A little higher than its share, so that no line shows between two of them.
            let piece = piece.with("height", PLOT_HEIGHT / SLICES as f64 + 0.5);
            let colour = text_of_linear(ColourMap::Viridis.at((slice as f64 + 0.5) / SLICES as f64));
            piece.with("fill", colour.as_str()).end();
        }
        for (place, label) in &value.ticks {
            let text = svg.text(left + BAR + 6.0, frame.up(*place) + 0.35 * TEXT_SIZE, TEXT_SIZE);
            text.with("class", "ink").with("fill", INK).write(label);
        }
        let widest = value.ticks.iter().map(|(_, label)| text_width(label, TEXT_SIZE)).fold(0.0, f64::max);
        let (middle, beside) = (frame.up(0.5), left + BAR + 6.0 + widest + 1.5 * TEXT_SIZE);
        let text = svg.text(0.0, 0.0, TEXT_SIZE).with("text-anchor", "middle");
        let text = text.with("transform", format!("translate({beside:.2} {middle:.2}) rotate(-90)"));
        text.with("class", "ink").with("fill", INK).write(&value.title);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_with_a_value_is_a_square_within_the_axes() {
        let mut map = Map {
            title: "Heights".into(),
            x: Axis::new("x", "m"),
            y: Axis::new("y", "m"),
            value: Axis::new("height", "m"),
            cells: vec![[0.0, 0.0, 1.0], [1.0, 0.0, f64::NAN], [0.0, 1.0, 2.0], [1.0, 1.0, 3.0]],
            width: 1.0,
            note: "Cells.".into(),
        };
        let svg = map.to_svg();
        // The lowest is the map's first colour and the highest its last.
        for (place, n) in [(0.0, 1), (1.0, 1)] {
            let fill = format!("fill=\"{}\"", text_of_linear(ColourMap::Viridis.at(place)));
            assert_eq!(svg.matches(&fill).count(), n, "{svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 3 + SLICES + 2, "{svg}");
        map.cells.clear();
        assert!(map.to_svg().contains("</svg>"));
        map.cells = vec![[0.0, 0.0, f64::NAN]];
        assert!(!map.to_svg().contains("NaN"));
    }
}
