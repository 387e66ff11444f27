//! Reads shapes from mesh files: the hull of the points, and solids cut into convex parts.

use super::files::Files;
use super::reader::Reader;
use crate::mesh_file::{MeshFile, read_mesh};
use glam::DVec3;
use tumble_geometry::{GeometryError, Shape, Solid, convex_parts, hull_of_mesh};

/// A mesh whose hull has more than this share of volume above its own [1] is not what the grain will look like.
const VOLUME_WORTH_A_WARNING: f64 = 1e-3;

/// How many parts a solid is cut into at most, unless the scene says.
const PARTS: usize = 16;

/// The name and the triangles of the file at a key; what cannot be read has been reported.
fn read_triangles(reader: &Reader, key: &'static str, files: &mut Files) -> Option<(String, MeshFile)> {
    let (name, bytes) = files.open(reader, key)?;
    match read_mesh(&name, &bytes) {
        Ok(file) => Some((name, file)),
        Err(error) => {
            reader.report_at(key, format!("{name}: {error}"), "this file cannot be read as a mesh");
            None
        }
    }
}

/// Reads a solid from a file, as convex parts or as its hull.
pub(crate) fn read_mesh_solid(reader: &Reader, files: &mut Files) -> Option<Shape> {
    let scale = reader.quantity("scale").unwrap_or(1.0);
    let parts = reader.word_or_quantity("parts").unwrap_or(Err(PARTS as f64));
    let (name, file) = read_triangles(reader, "file", files)?;
    if let Err(number) = parts
        && number.fract() != 0.0
    {
        reader.report_at("parts", format!("found {number}"), "wants a whole number, or \"hull\"");
        return None;
    }
    // In units of the file, so that the place of a fault can be found in it.
    let solid = match Solid::new(file.vertices, file.triangles) {
        Ok(solid) => solid,
        Err(error) => {
            let left_out = match file.n_degenerate {
                0 => String::new(),
                n => format!(" ({n} triangles without area were left out)"),
            };
            reader.report_at("file", format!("{name}: {error}{left_out}"), "this mesh is not a solid: mend the file");
            return None;
        }
    };
    let n_parts = parts.map_or_else(|number| number as usize, |_| 1);
    let found = convex_parts(&solid, n_parts);
    let built = found.and_then(|found| {
        let hull = || Ok::<Shape, GeometryError>(Shape::polyhedron(solid.mesh().vertices())?.scaled(scale));
        let is_convex = found.added_volume <= VOLUME_WORTH_A_WARNING && found.parts.len() == 1;
        let shape = if parts.is_ok() || is_convex {
            hull()?
        } else {
            Shape::clump_with_mass(found.parts.clone(), solid.mass_properties())?.scaled(scale)
        };
        Ok((shape, found))
    });
    match built {
        Ok((shape, found)) => {
            if found.added_volume > VOLUME_WORTH_A_WARNING {
                let percent = 100.0 * found.added_volume;
                let (message, expected) = match parts {
                    Ok(_) => (
                        format!("the convex hull of {name} has {percent:.1} % more volume than the mesh"),
                        "a number of `parts` keeps hollows",
                    ),
                    Err(_) => (
                        format!(
                            "the {} convex parts of {name} have up to {percent:.1} % more volume than the mesh",
                            found.parts.len()
                        ),
                        "more `parts` come nearer; mass and inertia are those of the mesh",
                    ),
                };
                reader.context.warning(&reader.key_path("file"), reader.place("file"), message, expected);
            }
            Some(shape)
        }
        Err(error) => {
            reader.report_at("file", format!("{name}: {error}"), "no grain can be made of this mesh");
            None
        }
    }
}

/// Reads the hull of the points of a mesh, which need not be a solid.
pub(crate) fn read_mesh_hull(reader: &Reader, scale: f64, files: &mut Files) -> Option<Shape> {
    let (name, file) = read_triangles(reader, "mesh", files)?;
    let vertices: Vec<DVec3> = file.vertices.iter().map(|v| *v * scale).collect();
    let (polyhedron, report) = match hull_of_mesh(&vertices, &file.triangles) {
        Ok(built) => built,
        Err(error) => {
            reader.report_at("mesh", format!("{name}: {error}"), "no grain can be made of this mesh");
            return None;
        }
    };
    let warn = |message: String, expected: &str| {
        reader.context.warning(&reader.key_path("mesh"), reader.place("mesh"), message, expected);
    };
    match report.added_volume() {
        None => warn(
            format!("{name} is not a closed surface"),
            "the grain is the convex hull of its points; how much that adds cannot be said",
        ),
        Some(added) if added > VOLUME_WORTH_A_WARNING => warn(
            format!("the convex hull of {name} has {:.1} % more volume than the mesh", 100.0 * added),
            "the hull is taken; the shape `mesh` cuts a solid into convex parts and keeps its hollows",
        ),
        Some(_) => {}
    }
    Some(Shape::Polyhedron(polyhedron))
}
