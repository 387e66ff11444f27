//! Pictures made of lines and text, as SVG.
