//! The one font of all pictures, inside the program: text looks the same on every machine, fonts installed or none.

use resvg::usvg::fontdb;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};
use std::sync::{Arc, LazyLock};

/// DejaVu Sans, cut down to Latin, Greek, Cyrillic and a few signs; its licence stands beside it.
static BYTES: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");

/// The name of the font.
pub(crate) const FAMILY: &str = "DejaVu Sans";

static DATABASE: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut database = fontdb::Database::new();
    database.load_font_data(BYTES.to_vec());
    // Every family that a picture asks for is this one.
    database.set_sans_serif_family(FAMILY);
    database.set_serif_family(FAMILY);
    database.set_monospace_family(FAMILY);
    Arc::new(database)
});

/// The list of fonts for the rasteriser: this one alone.
pub(crate) fn database() -> Arc<fontdb::Database> {
    DATABASE.clone()
}

/// Width of a text over its size, kerning left out. A character that the font lacks counts as the box that stands for it.
pub(crate) fn width(text: &str) -> f64 {
    let Ok(font) = FontRef::new(BYTES) else { return 0.6 * text.chars().count() as f64 };
    let (characters, metrics) = (font.charmap(), font.glyph_metrics(Size::new(1.0), LocationRef::default()));
    let advance = |c: char| metrics.advance_width(characters.map(c).unwrap_or_default()).unwrap_or(0.6);
    text.chars().map(|c| f64::from(advance(c))).sum()
}

/// Whether the font has a character.
#[cfg(test)]
pub(crate) fn has(character: char) -> bool {
    FontRef::new(BYTES).is_ok_and(|font| font.charmap().map(character).is_some())
}
