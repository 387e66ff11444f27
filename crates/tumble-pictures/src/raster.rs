//! SVG to pixels, with one font of our own.
