//! Pictures of Tumble's runs: grains by ray casting, charts, a report. Gives bytes of pictures; prints nothing.
#![forbid(unsafe_code)]

pub mod cast;
pub mod chart;
pub mod colour;
pub mod figures;
pub mod film;
mod font;
pub mod legend;
pub mod page;
pub mod pixels;
pub mod plots;
pub mod portrait;
pub mod raster;
pub mod svg;

pub use pixels::{PictureError, Pixels};
