//! Reads walls that only the planar mode has: lines and arcs.
//!
//! They are strips of triangles that stand upright on the plane, an arc finely divided (see `tumble_geometry::surface`); an arc that
//! goes all the way round is an exact tube.

use super::planar::Plane;
use super::reader::Reader;
use super::walls::Geometry;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use tumble_geometry::surface::corners_of_arc;
use tumble_geometry::{GeometryError, Mesh, Pose, Revolved, Surface};

/// An arc this close to a whole turn is one [rad]: what the rounding of degrees leaves.
const WHOLE_TURN: f64 = 1e-9;

/// Strips reach so many times as far to both sides of the plane as the largest grain does, so that no grain meets their rims.
const DEPTH: f64 = 2.0;

/// Reads a line. `reach` is how far the largest grain reaches from its centre [m].
pub(crate) fn line(reader: &Reader, plane: Plane, reach: f64) -> Option<Geometry> {
    let (from, to) = (reader.vector("from"), reader.vector("to"));
    let (from, to) = (from?, to?);
    check_planar(reader, plane, "a line")?;
    plane.check_along(reader, "from", from);
    plane.check_along(reader, "to", to);
    if from == to {
        reader.report_at("to", "the line has no length", "it must end elsewhere than it begins");
        return None;
    }
    let (centre, half) = (0.5 * (from + to), 0.5 * (to - from).truncate());
    strip(reader, Mesh::upright(&[-half, half], DEPTH * reach), centre)
}

/// Reads an arc.
pub(crate) fn arc(reader: &Reader, plane: Plane, reach: f64) -> Option<Geometry> {
    let (centre, radius) = (reader.vector("centre"), reader.quantity("radius"));
    let from = reader.quantity("from").unwrap_or(0.0);
    let to = reader.quantity("to").unwrap_or(from + TAU);
    let (centre, radius) = (centre?, radius?);
    check_planar(reader, plane, "an arc")?;
    plane.check_along(reader, "centre", centre);
    if to <= from || to - from > TAU + WHOLE_TURN {
        let degrees =
            |angle: f64| format!("{:.6}", angle.to_degrees()).trim_end_matches('0').trim_end_matches('.').to_string();
        reader.report_at(
            if reader.has("to") { "to" } else { "from" },
            format!("the arc goes from {} to {} degrees", degrees(from), degrees(to)),
            "it goes counter-clockwise: `to` must be more than `from`, by a whole turn at most",
        );
        return None;
    }
    if to - from > TAU - WHOLE_TURN {
        return match Revolved::closed_cylinder(radius, DEPTH * reach, false, false) {
            Ok(tube) => Some(upright(Surface::Revolved(tube), centre)),
            Err(error) => refused(reader, &error),
        };
    }
    let corners: Vec<DVec2> = corners_of_arc(radius, from, to);
    strip(reader, Mesh::upright(&corners, DEPTH * reach), centre)
}

fn check_planar(reader: &Reader, plane: Plane, what: &str) -> Option<()> {
    if !plane.is_on {
        reader.report_here(
            format!("{what} belongs to the planar mode"),
            "add planar = true to the scene, or use a `plane`, a `cylinder` or a `mesh`",
        );
    }
    plane.is_on.then_some(())
}

fn strip(reader: &Reader, mesh: Result<Mesh, GeometryError>, centre: DVec3) -> Option<Geometry> {
    match mesh {
        Ok(mesh) => Some(upright(Surface::Mesh(mesh), centre)),
        Err(error) => refused(reader, &error),
    }
}

fn refused(reader: &Reader, error: &GeometryError) -> Option<Geometry> {
    reader.report_here(error.to_string(), "this wall cannot be built");
    None
}

fn upright(surface: Surface, centre: DVec3) -> Geometry {
    Geometry::new(vec![(None, surface, Pose::from_position(centre))], centre, Some(DVec3::Z))
}
