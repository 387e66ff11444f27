//! Grains as points.

use super::poly_data::PolyData;
use crate::file_error::FileError;
use std::io;
use std::path::Path;
use tumble_engine::{Particles, State};

/// Writes the grains as vertices with all that a picture or a measurement needs: `id`, `species`, `radius` [m] (true
/// size, of the bounding ball), `mass` [kg], `orientation` (w, x, y, z, the order of VTK's own glyph mapper),
/// `velocity` [m/s], `angular_velocity` [rad/s] and `coordination`, the number of contacts of each grain.
pub fn write_particles(path: &Path, state: &State, coordination: &[u32]) -> Result<(), FileError> {
    let Particles { id, species, radius, mass, position, velocity, orientation, angular_velocity, .. } =
        &state.particles;
    if coordination.len() != id.len() {
        let what = format!("{} coordination numbers for {} particles", coordination.len(), id.len());
        return Err(FileError::of("write", path)(io::Error::new(io::ErrorKind::InvalidInput, what)));
    }
    let mut file = PolyData::of_vertices(position.iter().copied());
    file.field("TimeValue", state.time());
    file.field("step", state.step);
    file.point_data("id", id.iter().map(|&id| [id]));
    file.point_data("species", species.iter().map(|&species| [species]));
    file.point_data("radius", radius.iter().map(|&radius| [radius]));
    file.point_data("mass", mass.iter().map(|&mass| [mass]));
    let components = ["w", "x", "y", "z"];
    file.named_point_data("orientation", components, orientation.iter().map(|q| [q.w, q.x, q.y, q.z]));
    file.point_data("velocity", velocity.iter().map(|v| v.to_array()));
    file.point_data("angular_velocity", angular_velocity.iter().map(|v| v.to_array()));
    file.point_data("coordination", coordination.iter().map(|&number| [number]));
    file.write(path)
}
