//! SVG to pixels, with one font of our own.

use crate::font;
pub use crate::pixels::{PictureError, Pixels};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Draws an SVG document so wide, as high as its shape asks for. What it leaves empty stays transparent. Text is in the embedded
/// font whatever family it names; nothing outside the document is read.
pub fn rasterise(svg: &str, width_px: u32) -> Result<Pixels, PictureError> {
    let mut options = Options { fontdb: font::database(), font_family: font::FAMILY.to_owned(), ..Options::default() };
    // Pictures may come from text that others wrote: it must not make us open files.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    let tree = Tree::from_str(svg, &options).map_err(|error| PictureError::Svg(error.to_string()))?;
    let scale = width_px as f32 / tree.size().width();
    let height_px = (tree.size().height() * scale).round().max(1.0) as u32;
    let mut pixels = Pixels::filled(width_px, height_px, [0; 4])?;
    let wrong_size = PictureError::Size { width: width_px, height: height_px };
    let mut pixmap = Pixmap::new(width_px, height_px).ok_or(wrong_size)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    for (to, from) in pixels.rgba.chunks_exact_mut(4).zip(pixmap.pixels()) {
        let colour = from.demultiply();
        to.copy_from_slice(&[colour.red(), colour.green(), colour.blue(), colour.alpha()]);
    }
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::{Svg, text_width};

    #[test]
    fn shapes_come_out_where_they_are() {
        let mut svg = Svg::new(10.0, 5.0);
        svg.element("rect").with("x", 5.0).with("width", 5.0).with("height", 5.0).with("fill", "#ff0000").end();
        let picture = rasterise(&svg.finish(), 20).unwrap();
        assert_eq!((picture.width, picture.height), (20, 10));
        assert_eq!(picture.rgba[..4], [0; 4]);
        assert_eq!(picture.rgba[4 * 19..4 * 20], [255, 0, 0, 255]);
    }

    #[test]
    fn text_is_drawn_in_our_font_and_as_wide_as_measured() {
        let words = "Wände 0.25 µm · 10⁻⁶ λ";
        for family in ["DejaVu Sans", "No Such Font", "monospace"] {
            let mut svg = Svg::new(400.0, 40.0);
            svg.text(10.0, 30.0, 20.0).with("font-family", family).write(words);
            let picture = rasterise(&svg.finish(), 400).unwrap();
            let inked = |x: &usize| (0..40).any(|y| picture.rgba[4 * (y * 400 + x) + 3] > 40);
            let (first, last) = ((0..400).find(inked).unwrap(), (0..400).rfind(inked).unwrap());
            let width = (last + 1 - first) as f64;
            // Up to a bearing of a tenth of the size on either side, and kerning.
            assert!((width - text_width(words, 20.0)).abs() < 5.0, "{family}: {width}");
        }
    }

    #[test]
    fn every_sign_that_labels_use_is_in_the_font() {
        for sign in "0123456789⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂·×µμ°−–…αβγδθλρσφω≤≥≈→äöüßéñÅŁ".chars()
        {
            assert!(crate::font::has(sign), "{sign}");
        }
    }

    #[test]
    fn what_is_no_drawing_is_refused_and_no_file_is_opened() {
        for broken in ["", "no xml", "<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"1\"/>"] {
            assert!(matches!(rasterise(broken, 10), Err(PictureError::Svg(_))), "{broken}");
        }
        let document = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">\
                        <image href=\"/etc/passwd\" width=\"9\" height=\"9\"/></svg>";
        assert!(rasterise(document, 9).unwrap().rgba.iter().all(|&byte| byte == 0));
        assert!(matches!(rasterise(document, 0), Err(PictureError::Size { .. })));
        assert!(matches!(rasterise(document, 100_000), Err(PictureError::Size { .. })));
    }
}
