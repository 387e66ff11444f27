use super::*;
use crate::raster::rasterise;
use resvg::usvg::roxmltree::{Document, Node};

fn chart(series: Vec<Series>) -> Chart {
    Chart {
        title: "Energies".to_owned(),
        x: Axis::new("time", "s"),
        y: Axis::new("energy", "J"),
        series,
        note: String::new(),
    }
}

fn with_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node| node.attribute("class").is_some_and(|found| found.split(' ').any(|one| one == class));
    document.descendants().filter(has).collect()
}

fn number(node: &Node, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// Boxes of all texts of a chart: left, right, top, bottom. Texts that are turned are left out.
fn text_boxes(document: &Document) -> Vec<([f64; 4], String)> {
    let texts = document.descendants().filter(|node| node.has_tag_name("text") && !node.has_attribute("transform"));
    texts
        .map(|node| {
            let (words, size) = (node.text().unwrap_or("").to_owned(), number(&node, "font-size"));
            let (x, y, width) = (number(&node, "x"), number(&node, "y"), text_width(&words, size));
            let left = match node.attribute("text-anchor") {
                Some("middle") => x - 0.5 * width,
                Some("end") => x - width,
                _ => x,
            };
            ([left, left + width, y - 0.75 * size, y + 0.2 * size], words)
        })
        .collect()
}

/// No text leaves the picture or runs into another one.
fn assert_legible(svg: &str) {
    let document = Document::parse(svg).unwrap();
    let root = document.root_element();
    let (width, height) = (number(&root, "width"), number(&root, "height"));
    let boxes = text_boxes(&document);
    for (place, ([left, right, top, bottom], words)) in boxes.iter().enumerate() {
        assert!(*left >= 0.0 && *right <= width && *top >= 0.0 && *bottom <= height, "{words} is cut off");
        for ([l, r, t, b], others) in &boxes[..place] {
            assert!(right <= l || r <= left || bottom <= t || b <= top, "{words} runs into {others}");
        }
    }
}

#[test]
fn awkward_numbers_have_legible_charts() {
    let time: Vec<f64> = (0..50).map(|i| f64::from(i) * 0.01).collect();
    let line = |f: fn(f64) -> f64| Series::line("n", &time, &time.iter().map(|&t| f(t)).collect::<Vec<_>>());
    let all: Vec<(&str, Series)> = vec![
        ("empty", Series::line("n", &[], &[])),
        ("one", Series::line("n", &[0.3], &[5e-8])),
        ("constant", line(|_| 3.25)),
        ("zero", line(|_| 0.0)),
        ("gap", line(|t| if (0.2..0.3).contains(&t) { f64::NAN } else { t })),
        ("nothing", line(|_| f64::NAN)),
        ("endless", line(|t| 1.0 / (t - 0.25).abs().floor())),
        ("huge", line(|t| t * 1e307)),
        ("tiny", line(|t| t * 1e-300)),
        ("negative", line(|t| -1e6 * t)),
        ("far", line(|t| 1e6 + t)),
    ];
    for (name, series) in all {
        for axis in [Axis::new("energy", "J"), Axis::new("energy", "").from_zero(), Axis::new("r", "").logarithmic()] {
            let chart = Chart { y: axis, ..chart(vec![series.clone()]) };
            let svg = chart.to_svg();
            assert_legible(&svg);
            let picture = rasterise(&svg, 360).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(picture.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255), "{name}");
        }
    }
}

#[test]
fn a_chart_without_numbers_says_so() {
    let svg = chart(vec![Series::line("n", &[0.0, 1.0], &[f64::NAN, f64::NAN])]).to_svg();
    assert!(svg.contains(">no data<"));
    assert!(!chart(vec![Series::line("n", &[0.0], &[1.0])]).to_svg().contains("no data"));
}

#[test]
fn lines_go_through_their_points() {
    let svg = chart(vec![Series::line("n", &[0.0, 1.0, 2.0], &[0.0, 10.0, 5.0])]).to_svg();
    let document = Document::parse(&svg).unwrap();
    let outline = with_class(&document, "outline")[0];
    let (left, top) = (number(&outline, "x"), number(&outline, "y"));
    let (width, height) = (number(&outline, "width"), number(&outline, "height"));
    let line = with_class(&document, "line")[0];
    let points: Vec<[f64; 2]> = line
        .attribute("points")
        .unwrap()
        .split(' ')
        .map(|pair| {
            let (x, y) = pair.split_once(',').unwrap();
            [x.parse().unwrap(), y.parse().unwrap()]
        })
        .collect();
    let expected = [[left, top + height], [left + 0.5 * width, top], [left + width, top + 0.5 * height]];
    for (found, right) in points.iter().zip(expected) {
        // Places have two decimals.
        assert!((found[0] - right[0]).abs() < 0.011 && (found[1] - right[1]).abs() < 0.011, "{points:?}");
    }
}

#[test]
fn gaps_break_a_line_and_lone_points_are_dots() {
    let nan = f64::NAN;
    let svg = chart(vec![Series::line("n", &[0.0, 1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, nan, 3.0, nan])]).to_svg();
    let document = Document::parse(&svg).unwrap();
    assert_eq!(with_class(&document, "line").len(), 1);
    assert_eq!(with_class(&document, "dot").len(), 1);
}

#[test]
fn long_names_and_many_series_stay_inside() {
    let name = |i: usize| format!("probe {i} with a <rather> long & winding name");
    let mut series: Vec<Series> = (0..16).map(|i| Series::line(&name(i), &[0.0, 1.0], &[0.0, i as f64])).collect();
    series[3].name = "W".repeat(300);
    let mut chart = chart(series);
    chart.title = "a title that goes on ".repeat(20);
    chart.note = "a remark that goes on ".repeat(20);
    chart.x.label = "x".repeat(300);
    let svg = chart.to_svg();
    assert_legible(&svg);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(with_class(&document, "line").len(), 32);
    assert!(svg.contains("stroke-dasharray"));
}

#[test]
fn steps_stand_on_zero_and_have_the_area_of_their_counts() {
    let points = vec![[0.0, 2.0], [1.0, 4.0], [2.0, 0.0]];
    let steps = Series { name: "n".to_owned(), points, mark: Mark::Steps, paint: None };
    let svg = Chart { y: Axis::new("grains", "").from_zero(), ..chart(vec![steps]) }.to_svg();
    let document = Document::parse(&svg).unwrap();
    let outline = with_class(&document, "outline")[0];
    let (top, height) = (number(&outline, "y"), number(&outline, "height"));
    let bars = with_class(&document, "bar")[0].attribute("points").unwrap().to_owned();
    let heights: Vec<f64> = bars
        .split(' ')
        .map(|pair| (top + height - pair.split_once(',').unwrap().1.parse::<f64>().unwrap()) / height)
        .collect();
    let expected = [0.0, 0.5, 0.5, 1.0, 1.0, 0.0];
    assert!(heights.iter().zip(expected).all(|(found, right)| (found - right).abs() < 1e-3), "{heights:?}");
}

#[test]
fn an_energy_keeps_its_colour_whichever_others_are_there() {
    let line = |name: &str, number: usize| Series::line(name, &[0.0, 1.0], &[1.0, 2.0]).painted(Paint::Number(number));
    let chart = |series: Vec<Series>| Chart {
        title: String::new(),
        x: Axis::new("time", "s"),
        y: Axis::new("energy", "J"),
        series,
        note: String::new(),
    };
    let alone = chart(vec![line("lost", 5)]).to_svg();
    let among = chart(vec![line("kinetic", 0), line("lost", 5)]).to_svg();
    assert!(alone.contains("line c5") && among.contains("line c5") && among.contains("line c0"), "{among}");
}

#[test]
fn moments_that_follow_each_other_have_colours_that_do() {
    let lines = (0..5).map(|k| {
        Series::line(&format!("t{k}"), &[0.0, 1.0], &[f64::from(k), 2.0]).painted(Paint::Order(f64::from(k) / 4.0))
    });
    let chart = Chart {
        title: String::new(),
        x: Axis::new("z", "m"),
        y: Axis::new("fraction", ""),
        series: lines.collect(),
        note: String::new(),
    };
    let svg = chart.to_svg();
    let places: Vec<usize> = ["line o0", "line o2", "line o4", "line o6", "line o8"]
        .iter()
        .map(|class| svg.rfind(class).unwrap_or_else(|| panic!("no {class} in {svg}")))
        .collect();
    assert!(places.is_sorted());
    // The first of viridis is dark violet.
    assert!(svg.contains("#440154"));
}
