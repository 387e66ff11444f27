//! Grains as points.

use super::poly_data::PolyData;
use crate::file_error::FileError;
use glam::{DMat3, DQuat};
use std::io;
use std::path::Path;
use tumble_engine::{Model, Particles, State};
use tumble_geometry::ShapeKind;

/// The number of a shape in files. It stays what it is when further shapes come.
fn shape_number(kind: ShapeKind) -> u8 {
    match kind {
        ShapeKind::Sphere => 0,
        ShapeKind::Cylinder => 1,
        ShapeKind::Capsule => 2,
        ShapeKind::TruncatedCone => 3,
        ShapeKind::Superquadric => 4,
        ShapeKind::Polyhedron => 5,
        ShapeKind::Disc => 6,
        ShapeKind::Polygon => 7,
        ShapeKind::Clump => 8,
        ShapeKind::Tablet => 9,
    }
}

/// Writes the grains as vertices with all that a picture or a measurement needs: `id`, `species`, `shape` (its place in
/// the list of shapes), `radius` [m] (true size, of the bounding ball), `mass` [kg], `orientation` (w, x, y, z, the
/// order of VTK's own glyph mapper) and `axes` [m], both of the frame in which the scene gives the shape, `velocity`
/// [m/s], `angular_velocity` [rad/s] and `coordination`, the number of contacts of each grain.
///
/// `axes` are that frame's three unit vectors times the radius, one after the other: a tensor whose columns VTK's tensor
/// glyph takes as its axes when it does not extract eigenvalues.
pub fn write_particles(path: &Path, model: &Model, state: &State, coordination: &[u32]) -> Result<(), FileError> {
    let Particles { id, species, radius, mass, position, velocity, orientation, angular_velocity, .. } =
        &state.particles;
    let refuse = |what: String| Err(FileError::of("write", path)(io::Error::new(io::ErrorKind::InvalidInput, what)));
    if coordination.len() != id.len() {
        return refuse(format!("{} coordination numbers for {} particles", coordination.len(), id.len()));
    }
    if let Some(stranger) = species.iter().find(|&&s| usize::from(s) >= model.species.len()) {
        return refuse(format!("a particle of species {stranger} of {}", model.species.len()));
    }
    let kinds: Vec<(u8, DQuat)> = model
        .species
        .iter()
        .map(|species| (shape_number(species.shape.kind()), species.given_frame.orientation))
        .collect();
    let given = || orientation.iter().zip(species).map(|(&q, &s)| q * kinds[usize::from(s)].1);
    let mut file = PolyData::of_vertices(position.iter().copied());
    file.field("TimeValue", state.time);
    file.field("step", state.step);
    file.point_data("id", id.iter().map(|&id| [id]));
    file.point_data("species", species.iter().map(|&species| [species]));
    file.point_data("shape", species.iter().map(|&s| [kinds[usize::from(s)].0]));
    file.point_data("radius", radius.iter().map(|&radius| [radius]));
    file.point_data("mass", mass.iter().map(|&mass| [mass]));
    let components = ["w", "x", "y", "z"];
    file.named_point_data("orientation", components, given().map(|q| [q.w, q.x, q.y, q.z]));
    let axes = given().zip(radius).map(|(q, &radius)| (DMat3::from_quat(q) * radius).to_cols_array());
    file.point_data("axes", axes);
    file.point_data("velocity", velocity.iter().map(|v| v.to_array()));
    file.point_data("angular_velocity", angular_velocity.iter().map(|v| v.to_array()));
    file.point_data("coordination", coordination.iter().map(|&number| [number]));
    file.write(path)
}
