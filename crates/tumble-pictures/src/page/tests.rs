use super::*;
use crate::chart::{Axis, Chart, Series};
use crate::plots::{Missing, Plot, PlotKind};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use tumble_io::run_report::OverlapReport;

const NASTY: &str = "<script>alert(\"1 & 2\")</script><img src='http://example.org/x'>";

fn sample() -> Page {
    let plot = |kind: PlotKind, name: &str| Plot {
        kind,
        name: name.to_owned(),
        chart: Chart {
            title: NASTY.to_owned(),
            x: Axis::new("time", "s"),
            y: Axis::new(NASTY, "J"),
            series: vec![Series::line(NASTY, &[0.0, 1.0], &[0.0, 1.0]), Series::line("b", &[0.0, 1.0], &[1.0, 0.0])],
            note: NASTY.to_owned(),
        },
    };
    let missing = |kind, is_by_choice| Missing { kind, why: NASTY.to_owned(), is_by_choice };
    Page {
        directory: "a run's directory".to_owned(),
        report: Some(RunReport {
            status: RunStatus::Finished,
            message: Some(NASTY.to_owned()),
            title: NASTY.to_owned(),
            scene: NASTY.to_owned(),
            particles: 12_345,
            ledger: vec![("lost_slip_J".to_owned(), 1.5e-3)],
            ledger_residual_relative: f64::NAN,
            largest_overlap: OverlapReport { length: 1e-6, relative: 1e-3 },
            warnings: vec![NASTY.to_owned()],
            ..RunReport::default()
        }),
        scene: Some(format!("# {NASTY}\ntitle = \"a\"\n")),
        plots: Plots {
            plots: vec![plot(PlotKind::Energies, "energies"), plot(PlotKind::Grains, "grains")],
            missing: vec![missing(PlotKind::Packing, true), missing(PlotKind::Histograms, false)],
            damage: vec![NASTY.to_owned()],
        },
        pictures: vec![Picture { caption: NASTY.to_owned(), width: 4, height: 3, png: b"not really".to_vec() }],
        problems: vec![NASTY.to_owned()],
    }
}

/// An element of a page: its name, its attributes and the text directly in it.
type Element = (String, Vec<(String, String)>, String);

/// Every element of a page.
fn elements(html: &str) -> Vec<Element> {
    let page = html5ever::parse_document(RcDom::default(), Default::default()).one(html);
    assert_eq!(*page.errors.borrow(), Vec::<String>::new());
    let mut found = Vec::new();
    visit(&page.document, &mut found);
    found
}

fn visit(node: &Handle, found: &mut Vec<Element>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes = attrs.borrow().iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
        let children = node.children.borrow();
        let text = children.iter().filter_map(|child| match &child.data {
            NodeData::Text { contents } => Some(contents.borrow().to_string()),
            _ => None,
        });
        found.push((name.local.to_string(), attributes, text.collect()));
    }
    node.children.borrow().iter().for_each(|child| visit(child, found));
}

/// The page is valid to a browser's parser, loads nothing and runs nothing.
fn assert_stands_alone(html: &str) {
    for (name, attributes, text) in elements(html) {
        assert!(!["script", "link", "iframe", "object", "embed", "base"].contains(&name.as_str()), "{name}");
        for (attribute, value) in attributes {
            assert!(!attribute.starts_with("on"), "{attribute}");
            let loads =
                ["src", "href", "xlink:href", "srcset", "poster", "data", "action"].contains(&attribute.as_str());
            assert!(!loads || value.starts_with("data:") || value.starts_with('#'), "{attribute}={value}");
        }
        assert!(name != "style" || !(text.contains("url(") || text.contains("@import")));
    }
}

#[test]
fn a_page_is_valid_stands_alone_and_takes_no_text_for_markup() {
    let html = sample().to_html();
    assert_stands_alone(&html);
    let elements = elements(&html);
    let texts = |wanted: &str| -> Vec<&str> {
        elements.iter().filter(|(name, ..)| name == wanted).map(|(_, _, text)| text.as_str()).collect()
    };
    assert_eq!(texts("h1"), [NASTY]);
    assert_eq!(texts("title")[0], NASTY);
    assert!(texts("pre")[0].contains(NASTY));
    assert!(texts("dd").contains(&"12,345"));
    assert!(texts("pre").iter().any(|text| text.contains("tumble plot 'a run'\\''s directory'")));
    let notices = elements.iter().filter(|(_, attributes, _)| attributes.iter().any(|(_, value)| value == "notice"));
    // The message, the warning, the problem, which is also told with the plots, and the plot that should be there; not
    // the plot that nobody asked for.
    assert_eq!(notices.count(), 4);
    assert!(texts("img").len() == 1 && texts("svg").len() == 2);
    for plot in ["energies", "grains"] {
        assert!(elements.iter().any(|(name, attributes, _)| {
            name == "figure" && attributes.contains(&("id".to_owned(), plot.to_owned()))
        }));
    }
}

#[test]
fn a_run_that_left_nothing_has_a_page_that_says_so() {
    let root = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(root.path(), false).unwrap();
    let html = Page::of(&directory).to_html();
    assert_stands_alone(&html);
    assert!(html.contains("run.json") && html.contains("scene.toml") && html.contains("series.csv"), "{html}");
}

#[test]
fn a_long_scene_is_cut_at_a_line() {
    assert_eq!(beginning("ab\ncd\nef", 5), "ab");
    assert_eq!(beginning("ab\ncd\nef", 6), "ab\ncd");
    assert_eq!(beginning("ääää", 3), "ä");
    assert_eq!(beginning("short", 100), "short");
}

#[test]
fn words_are_quoted_for_the_shell() {
    assert_eq!(shell_word("out/pour-run"), "out/pour-run");
    assert_eq!(shell_word("my run"), "'my run'");
    assert_eq!(shell_word("it's"), "'it'\\''s'");
    assert_eq!(shell_word(""), "''");
}
