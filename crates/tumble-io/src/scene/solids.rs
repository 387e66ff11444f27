//! Reads solids with names: box, regular polyhedron, prism, pyramid, wedge; and the regular polygon.

use super::reader::Reader;
use super::regular::{FACES_OF_REGULAR, circumradius_over_edge, regular_vertices};
use super::shapes::{built, lengths_of};
use glam::DVec3;
use tumble_geometry::Shape;
use tumble_geometry::shape::circumradius_over_side;

/// Reads one of the solids; `None` if there is none, or if it is wrong, which has been reported.
pub(crate) fn read_solid(reader: &Reader) -> Option<Shape> {
    if let Some(cuboid) = reader.table("box") {
        return built(&cuboid, Shape::cuboid(lengths_of(&cuboid, "size")?));
    }
    if let Some(regular) = reader.table("regular") {
        return read_regular(&regular);
    }
    if let Some(prism) = reader.table("prism") {
        let (ring, height) = (read_ring(&prism), prism.quantity("height"));
        let (n_sides, radius) = ring?;
        return built(&prism, Shape::prism(n_sides, radius, height?));
    }
    if let Some(pyramid) = reader.table("pyramid") {
        let (ring, height) = (read_ring(&pyramid), pyramid.quantity("height"));
        let upper = pyramid.quantity("upper_radius");
        let (n_sides, radius) = ring?;
        return built(&pyramid, Shape::pyramid(n_sides, radius, upper.unwrap_or(0.0), height?));
    }
    let wedge = reader.table("wedge")?;
    built(&wedge, Shape::wedge(lengths_of(&wedge, "size")?))
}

/// Reads a regular polygon of the planar mode.
pub(crate) fn read_regular_polygon(reader: &Reader) -> Option<Shape> {
    let (ring, thickness) = (read_ring(reader), reader.quantity("thickness"));
    let (n_sides, radius) = ring?;
    built(reader, Shape::regular_polygon(n_sides, radius, thickness?))
}

/// Number of sides and circumradius of a regular polygon.
fn read_ring(reader: &Reader) -> Option<(u32, f64)> {
    let (sides, edge, radius) = (reader.count("sides"), reader.quantity("edge"), reader.quantity("radius"));
    let n_sides = u32::try_from(sides?).ok()?;
    Some((n_sides, radius.or(edge.map(|edge| edge * circumradius_over_side(n_sides)))?))
}

fn read_regular(regular: &Reader) -> Option<Shape> {
    let (faces, edge, radius) = (regular.count("faces"), regular.quantity("edge"), regular.quantity("radius"));
    let faces = faces?;
    let Some(kind) = FACES_OF_REGULAR.iter().position(|&n| n == faces) else {
        regular.report_at(
            "faces",
            format!("there is no regular polyhedron with {faces} faces"),
            "wants 4, 6, 8, 12 or 20",
        );
        return None;
    };
    let radius = radius.or(edge.map(|edge| edge * circumradius_over_edge(kind)))?;
    let vertices: Vec<DVec3> = regular_vertices(kind).into_iter().map(|v| v * radius).collect();
    built(regular, Shape::polyhedron(&vertices))
}
