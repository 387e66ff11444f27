//! Frames for ParaView and everything else built on VTK: PolyData files (`.vtp`) and their index in time (`.pvd`).
//!
//! Numbers keep their full precision. Each file is complete before it takes its name, so a program that watches the
//! directory never sees half a frame.

mod contacts;
mod frame_series;
mod particles;
mod poly_data;
mod surfaces;
mod walls;

pub use contacts::write_contacts;
pub use frame_series::{FrameContents, FrameSeries};
pub use particles::write_particles;
pub use surfaces::write_surfaces;
pub use walls::write_walls;

use crate::atomic_file;
use crate::file_error::FileError;
use std::fmt::Write as _;
use std::path::Path;

/// Writes the index of a series of frames: simulated time [s] and file, relative to the index.
pub fn write_pvd(path: &Path, frames: &[(f64, String)]) -> Result<(), FileError> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in frames {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>", escaped(file));
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    atomic_file::replace_with(path, text.as_bytes())
}

/// Text as it may stand between quotes in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
