//! Grains as they are: their surfaces as triangles.
//!
//! Each kind of grain is cut into triangles once, at scale 1; a file holds a copy for each grain where it is now. Curved
//! surfaces become flats with corners on the true surface. The copies are drawn when the file is written and not kept.

use super::poly_data::PolyData;
use crate::file_error::FileError;
use glam::DVec3;
use std::io;
use std::path::Path;
use tumble_engine::{Model, Particles, State};
use tumble_geometry::Pose;

/// Flats around a curved surface: the flats lie inside it by at most 0.5 % of the radius, and a bed of a thousand grains
/// stays a file of a few megabytes.
const N_AROUND: usize = 32;

/// Writes the surfaces of all grains as triangles, with the `id` and `species` of the grain each belongs to.
pub fn write_surfaces(path: &Path, model: &Model, state: &State) -> Result<(), FileError> {
    let Particles { id, species, scale, position, orientation, .. } = &state.particles;
    let meshes: Vec<(Vec<DVec3>, Vec<[u32; 3]>)> =
        model.species.iter().map(|species| species.shape.surface(N_AROUND)).collect();
    if let Some(stranger) = species.iter().find(|&&s| usize::from(s) >= meshes.len()) {
        let what = format!("a particle of species {stranger} of {}", meshes.len());
        return Err(FileError::of("write", path)(io::Error::new(io::ErrorKind::InvalidInput, what)));
    }
    let mesh_of = |grain: usize| &meshes[usize::from(species[grain])];
    let n_points: usize = (0..id.len()).map(|grain| mesh_of(grain).0.len()).sum();
    let n_triangles: usize = (0..id.len()).map(|grain| mesh_of(grain).1.len()).sum();
    let points = (0..id.len()).flat_map(|grain| {
        let (pose, scale) = (Pose::new(position[grain], orientation[grain]), scale[grain]);
        mesh_of(grain).0.iter().map(move |&vertex| pose.transform_point(scale * vertex))
    });
    let triangles = (0..id.len())
        .scan(0, |first, grain| {
            let start = *first;
            *first += mesh_of(grain).0.len() as i64;
            Some((start, grain))
        })
        .flat_map(|(start, grain)| {
            mesh_of(grain).1.iter().map(move |corners| corners.map(|corner| start + i64::from(corner)))
        });
    let grain_of = || (0..id.len()).flat_map(|grain| mesh_of(grain).1.iter().map(move |_| grain));
    let mut file = PolyData::of_triangles(n_points, points, n_triangles, triangles);
    file.field("TimeValue", state.time);
    file.field("step", state.step);
    file.cell_data_of("id", n_triangles, grain_of().map(|grain| id[grain]));
    file.cell_data_of("species", n_triangles, grain_of().map(|grain| species[grain]));
    file.write(path)
}
