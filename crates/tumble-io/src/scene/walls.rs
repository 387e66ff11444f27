//! Reads walls and their motions.

use super::files::Files;
use super::materials::Materials;
use super::names::Names;
use super::planar::Plane;
use super::planar_walls::{arc, line};
use super::reader::Reader;
use super::regions::{read_axis, read_box};
use crate::mesh_file::read_mesh;
use crate::schema::FACES;
use glam::{DQuat, DVec3};
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::model::MaterialIndex;
use tumble_geometry::{Mesh, Pose, Revolved, Surface};

/// One surface of a wall: a suffix for its name, the surface and its pose.
pub(crate) type Part = (Option<&'static str>, Surface, Pose);

/// What a wall's table gave: its surfaces, and the centre and axis that its motion takes when none are said.
pub(crate) struct Geometry {
    pub parts: Vec<Part>,
    pub centre: DVec3,
    pub axis: Option<DVec3>,
}

/// Reads the walls. `reach` is how far the largest grain reaches from its centre [m].
pub(crate) fn read_walls(
    scene: &Reader,
    materials: &Materials,
    plane: Plane,
    reach: f64,
    files: &mut Files,
) -> Vec<Wall> {
    let mut names = Names::new("wall");
    let mut walls = Vec::new();
    for (number, (_, reader)) in scene.tables("walls").into_iter().enumerate() {
        let name = reader.text("name").map_or_else(|| format!("wall{}", number + 1), String::from);
        let place = reader.place("name").unwrap_or(reader.at);
        names.add_new(scene.context, &name, &reader.key_path("name"), place);
        let present = reader.flag("present").unwrap_or(true);
        let material = materials.names.of_table(&reader, "material").unwrap_or(0) as MaterialIndex;
        let geometry = read_geometry(&reader, plane, reach, files);
        let (centre, axis) = geometry.as_ref().map_or((DVec3::ZERO, Some(DVec3::Z)), |g| (g.centre, g.axis));
        let motion = match reader.table("motion") {
            Some(table) => read_motion(&table, centre, axis, plane),
            None => Some(Motion::Fixed),
        };
        let (Some(geometry), Some(motion)) = (geometry, motion) else { continue };
        if geometry.parts.len() > 1 && matches!(motion, Motion::Servo { .. }) {
            reader.report_at(
                "motion",
                "a servo moves a single surface, and this box has several",
                "make the pressing side a `plane` of its own",
            );
        }
        for (suffix, surface, pose) in geometry.parts {
            let name = suffix.map_or_else(|| name.clone(), |s| format!("{name}.{s}"));
            walls.push(Wall { name, surface, pose, material, motion, present });
        }
    }
    walls
}

fn read_geometry(reader: &Reader, plane: Plane, reach: f64, files: &mut Files) -> Option<Geometry> {
    for key in ["cone", "mesh"] {
        if plane.is_on && reader.has(key) {
            reader.report_at(
                key,
                format!("a {key} does not stand straight across the plane"),
                "the scene is planar: use planes, boxes, lines, arcs, and cylinders along z",
            );
        }
    }
    let read = [
        reader.table("plane").and_then(|t| half_space(&t, plane)),
        reader.table("box").and_then(|t| box_walls(&t, plane)),
        reader.table("cylinder").and_then(|t| cylinder(&t, plane)),
        reader.table("cone").and_then(|t| cone(&t)),
        reader.table("mesh").and_then(|t| mesh(&t, files)),
        reader.table("line").and_then(|t| line(&t, plane, reach)),
        reader.table("arc").and_then(|t| arc(&t, plane, reach)),
    ];
    read.into_iter().flatten().next()
}

fn plane_pose(point: DVec3, normal: DVec3) -> Pose {
    Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, normal))
}

fn half_space(reader: &Reader, plane: Plane) -> Option<Geometry> {
    let (point, normal) = (reader.vector("point"), reader.direction("normal"));
    let (point, normal) = (point?, normal?);
    plane.check_direction(reader, "normal", normal);
    let parts = vec![(None, Surface::HalfSpace, plane_pose(point, normal))];
    Some(Geometry { parts, centre: point, axis: None })
}

fn box_walls(reader: &Reader, plane: Plane) -> Option<Geometry> {
    let (corners, open) = (read_box(reader, plane), reader.words("open").unwrap_or_default());
    let (lower, upper) = corners?;
    let centre = 0.5 * (lower + upper);
    let mut parts = Vec::new();
    // In the plane there is no bottom and no top.
    let n_faces = if plane.is_on { 4 } else { 6 };
    for (face, word) in FACES.iter().enumerate().take(n_faces).filter(|(face, _)| !open.contains(face)) {
        let axis = DVec3::AXES[face / 2];
        let (normal, corner) = if face % 2 == 0 { (axis, lower) } else { (-axis, upper) };
        // The middle of the face.
        let mut point = centre;
        point[face / 2] = corner[face / 2];
        parts.push((Some(word.word), Surface::HalfSpace, plane_pose(point, normal)));
    }
    if parts.is_empty() {
        let all = if plane.is_on { "all four faces across the plane are open" } else { "all six faces are open" };
        reader.report_at("open", all, "a box wants at least one face");
        return None;
    }
    Some(Geometry { parts, centre, axis: None })
}

/// The pose of a body of revolution around the segment between two points, and half its length.
fn axis_pose(from: DVec3, to: DVec3) -> (Pose, f64, DVec3) {
    let axis = (to - from).normalize();
    (Pose::new(0.5 * (from + to), DQuat::from_rotation_arc(DVec3::Z, axis)), 0.5 * (to - from).length(), axis)
}

fn revolved(
    reader: &Reader,
    shell: Result<Revolved, tumble_geometry::GeometryError>,
    pose: Pose,
    axis: DVec3,
) -> Option<Geometry> {
    match shell {
        Ok(shell) => {
            let parts = vec![(None, Surface::Revolved(shell), pose)];
            Some(Geometry { parts, centre: pose.position, axis: Some(axis) })
        }
        Err(error) => {
            reader.report_here(error.to_string(), "this surface cannot be built");
            None
        }
    }
}

fn cylinder(reader: &Reader, plane: Plane) -> Option<Geometry> {
    let (ends, radius, word) = (read_axis(reader), reader.quantity("radius"), reader.word("ends").unwrap_or(0));
    let ((from, to), radius) = (ends?, radius?);
    let (pose, half_length, axis) = axis_pose(from, to);
    if plane.is_on {
        plane.check_upright(reader, "to", axis);
        if word != 0 {
            reader.report_at("ends", "the ends of a cylinder along z are parallel to the plane", "leave them open");
        }
        if !(from.z.min(to.z) < 0.0 && from.z.max(to.z) > 0.0) {
            reader.report_at(
                "to",
                "the cylinder does not cross the plane z = 0",
                "it must reach from below to above it",
            );
        }
    }
    let (bottom, top) = [(false, false), (true, true), (true, false), (false, true)][word];
    revolved(reader, Revolved::closed_cylinder(radius, half_length, bottom, top), pose, axis)
}

fn cone(reader: &Reader) -> Option<Geometry> {
    let read = (read_axis(reader), reader.quantity("radius_from"), reader.quantity("radius_to"));
    let ((from, to), radius_from, radius_to) = (read.0?, read.1?, read.2?);
    if radius_from == 0.0 && radius_to == 0.0 {
        reader.report_at("radius_to", "both radii are zero", "at least one must be above 0");
        return None;
    }
    let (pose, half_length, axis) = axis_pose(from, to);
    revolved(reader, Revolved::cone(radius_from, radius_to, half_length), pose, axis)
}

fn mesh(reader: &Reader, files: &mut Files) -> Option<Geometry> {
    let scale = reader.quantity("scale").unwrap_or(1.0);
    let position = reader.vector("position").unwrap_or(DVec3::ZERO);
    let rotation = reader.rotation("rotation").unwrap_or(DQuat::IDENTITY);
    let (name, bytes) = files.open(reader, "file")?;
    let file = match read_mesh(&name, &bytes) {
        Ok(file) => file,
        Err(error) => {
            reader.report_at("file", format!("{name}: {error}"), "this file cannot be read as a mesh");
            return None;
        }
    };
    if file.n_degenerate > 0 {
        reader.context.warning(
            &reader.key_path("file"),
            reader.place("file"),
            format!("{} triangles of {name} have no area", file.n_degenerate),
            "they are left out",
        );
    }
    let vertices = file.vertices.iter().map(|v| *v * scale).collect();
    match Mesh::new(vertices, file.triangles) {
        Ok(mesh) => {
            let parts = vec![(None, Surface::Mesh(mesh), Pose::new(position, rotation))];
            Some(Geometry { parts, centre: position, axis: None })
        }
        Err(error) => {
            reader.report_at("file", format!("{name}: {error}"), "no wall can be made of this mesh");
            None
        }
    }
}

/// When a motion begins and ends.
fn interval(reader: &Reader) -> Option<(f64, f64)> {
    let (start, stop) = (reader.quantity("start").unwrap_or(0.0), reader.quantity("stop").unwrap_or(f64::INFINITY));
    if start >= stop {
        let expected = "`stop` must be later than `start`";
        reader.report_at("stop", format!("the motion goes from {start} s to {stop} s"), expected);
        return None;
    }
    Some((start, stop))
}

fn read_motion(reader: &Reader, centre: DVec3, own_axis: Option<DVec3>, plane: Plane) -> Option<Motion> {
    if let Some(t) = reader.table("translate") {
        let (velocity, times) = (t.vector("velocity"), interval(&t));
        let (start, stop) = times?;
        let velocity = velocity?;
        plane.check_along(&t, "velocity", velocity);
        return Some(Motion::Translate { velocity, start, stop });
    }
    if let Some(t) = reader.table("rotate") {
        let (speed, axis, times) = (t.quantity("speed"), t.direction("axis"), interval(&t));
        let point = t.vector("point").unwrap_or(centre);
        if axis.is_none() && own_axis.is_none() && !t.has("axis") {
            t.report_here("`axis` is missing", "this wall has no axis of its own: add axis = [0, 0, 1]");
        }
        let (start, stop) = times?;
        let axis = axis.or(own_axis)?;
        plane.check_about(&t, "axis", axis);
        return Some(Motion::Rotate { point, axis, speed: speed?, start, stop });
    }
    if let Some(t) = reader.table("vibrate") {
        let (amplitude, frequency, times) = (t.vector("amplitude"), t.quantity("frequency"), interval(&t));
        let (start, stop) = times?;
        let amplitude = amplitude?;
        plane.check_along(&t, "amplitude", amplitude);
        return Some(Motion::Vibrate { amplitude, frequency: frequency?, start, stop });
    }
    if reader.table("fixed").is_some() {
        return Some(Motion::Fixed);
    }
    let t = reader.table("servo")?;
    let read = (t.direction("direction"), t.quantity("force"), t.quantity("max_speed"), t.quantity("gain"));
    let (direction, force, max_speed) = (read.0?, read.1?, read.2?);
    plane.check_direction(&t, "direction", direction);
    Some(Motion::Servo { direction, force, max_speed, gain: read.3.unwrap_or(max_speed / force) })
}
