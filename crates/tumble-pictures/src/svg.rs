//! Pictures made of lines and text, as SVG.
//!
//! A small builder: it closes what it opens, writes numbers short and escapes every text, so that what it gives is well-formed
//! whatever a user called a wall. Lengths are in the picture's own unit, one pixel at its natural size; y runs downwards.

use crate::font;
use std::fmt::Write as _;

/// The font of all text. The first name is the embedded font's; the others look much the same and are as wide.
pub const FONT_FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// A picture that is being drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty picture of a width and a height.
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, body: String::new() }
    }

    /// Begins an element without content; [`Element::end`] closes it.
    pub fn element(&mut self, name: &str) -> Element<'_> {
        self.body.push('<');
        self.body.push_str(name);
        Element { body: &mut self.body }
    }

    /// What the picture shows, for those who cannot see it and for the mouse that rests on it.
    pub fn title(&mut self, text: &str) {
        self.body.push_str("<title>");
        push_escaped(&mut self.body, text);
        self.body.push_str("</title>\n");
    }

    /// Begins a text; [`TextElement::write`] gives its words.
    pub fn text(&mut self, x: f64, y: f64, size: f64) -> TextElement<'_> {
        let element = self.element("text").with("x", x).with("y", y).with("font-size", size);
        TextElement { element }
    }

    /// The SVG document.
    pub fn finish(self) -> String {
        let (width, height) = (Number(self.width), Number(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
             {height}\" font-family=\"{FONT_FAMILY}\" role=\"img\">\n{}</svg>\n",
            self.body
        )
    }
}

/// An element that is being written.
#[derive(Debug)]
pub struct Element<'a> {
    body: &'a mut String,
}

impl Element<'_> {
    /// Gives it an attribute.
    pub fn with(self, name: &str, value: impl Attribute) -> Self {
        self.body.push(' ');
        self.body.push_str(name);
        self.body.push_str("=\"");
        value.write(self.body);
        self.body.push('"');
        self
    }

    /// Closes it.
    pub fn end(self) {
        self.body.push_str("/>\n");
    }
}

/// A text that is being written.
#[derive(Debug)]
pub struct TextElement<'a> {
    element: Element<'a>,
}

impl TextElement<'_> {
    /// Gives it an attribute.
    pub fn with(self, name: &str, value: impl Attribute) -> Self {
        TextElement { element: self.element.with(name, value) }
    }

    /// Writes the words and closes it.
    pub fn write(self, words: &str) {
        let body = self.element.body;
        body.push('>');
        push_escaped(body, words);
        body.push_str("</text>\n");
    }
}

/// What can stand behind the name of an attribute.
pub trait Attribute {
    /// Appends it to the document.
    fn write(&self, body: &mut String);
}

impl Attribute for f64 {
    fn write(&self, body: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(body, "{}", Number(*self));
    }
}

impl Attribute for &str {
    fn write(&self, body: &mut String) {
        push_escaped(body, self);
    }
}

impl Attribute for String {
    fn write(&self, body: &mut String) {
        push_escaped(body, self);
    }
}

/// Points of a polyline or polygon.
impl Attribute for &[[f64; 2]] {
    fn write(&self, body: &mut String) {
        for (place, &[x, y]) in self.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            let _ = write!(body, "{gap}{},{}", Number(x), Number(y));
        }
    }
}

/// A length with two decimals, without zeros at its end: a hundredth of a pixel is more than an eye sees.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let finite = if self.0.is_finite() { self.0 } else { 0.0 };
        let text = format!("{finite:.2}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        formatter.write_str(if text == "-0" { "0" } else { text })
    }
}

/// Width of a text in the embedded font [same unit as `size`].
pub fn text_width(text: &str, size: f64) -> f64 {
    font::width(text) * size
}

/// Appends a text so that XML and HTML take it for text: the five special characters as entities, and a replacement character for those
/// that XML 1.0 does not allow.
pub fn push_escaped(body: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => body.push_str("&amp;"),
            '<' => body.push_str("&lt;"),
            '>' => body.push_str("&gt;"),
            '"' => body.push_str("&quot;"),
            '\'' => body.push_str("&#39;"),
            '\t' | '\n' | '\r' => body.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => body.push('\u{fffd}'),
            _ => body.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_escaped_and_reads_back() {
        let nasty = "<script>alert('1 & 2')</script> \"q\" \u{1} \u{ffff} µ";
        let mut svg = Svg::new(100.0, 50.0);
        svg.title(nasty);
        svg.text(1.0, 2.0, 12.0).with("fill", nasty).write(nasty);
        svg.element("line").with("x1", 1.0 / 3.0).with("points", &[[1.0, 2.0], [f64::NAN, -0.001]][..]).end();
        let document = svg.finish();
        assert!(!document.contains("<script"), "{document}");
        assert!(document.contains("x1=\"0.33\" points=\"1,2 0,0\""), "{document}");
        let tree = resvg::usvg::roxmltree::Document::parse(&document).unwrap();
        let expected = nasty.replace(['\u{1}', '\u{ffff}'], "\u{fffd}");
        let text = tree.descendants().find(|node| node.has_tag_name("text")).unwrap();
        assert_eq!(text.text(), Some(expected.as_str()));
        assert_eq!(text.attribute("fill"), Some(expected.as_str()));
    }

    #[test]
    fn texts_have_the_width_they_are_drawn_with() {
        assert_eq!(text_width("", 10.0), 0.0);
        // All digits of the font are as wide as each other, so that columns of numbers line up.
        assert_eq!(text_width("0123456789", 10.0), 10.0 * text_width("7", 10.0));
        assert!(text_width("W", 10.0) > text_width("i", 10.0));
        assert_eq!(text_width("ab", 20.0), 2.0 * text_width("ab", 10.0));
    }
}
