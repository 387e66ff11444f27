//! Reads walls.

use super::files::Files;
use super::finite_walls::{disc, lifters, plate, solid_box};
use super::materials::Materials;
use super::motions::{Around, Moves, read_conveyor, read_motion};
use super::names::Names;
use super::planar::Plane;
use super::planar_walls::{arc, line};
use super::reader::Reader;
use super::regions::{read_axis, read_box};
use crate::diagnostic::nearest;
use crate::mesh_file::read_mesh;
use crate::schema::FACES;
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use std::ops::Range;
use tumble_engine::boundary::conveyor::Conveyor;
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
    /// Area of one side [m^2], where a press means that.
    pub area: Option<f64>,
    /// Whether every part of it is flat, with its own z axis as the normal.
    pub flat: bool,
    /// Whether it is solid inside.
    pub filled: bool,
}

impl Geometry {
    /// Surfaces about a centre.
    pub fn new(parts: Vec<Part>, centre: DVec3, axis: Option<DVec3>) -> Geometry {
        Geometry { parts, centre, axis, area: None, flat: false, filled: false }
    }
}

/// A wall that moves with another: which of the walls read so far are its surfaces, and whom it moves with, as it is written.
struct Follower<'r> {
    walls: Range<usize>,
    reader: Reader<'r>,
    leader: String,
}

/// Reads the walls. `reach` is how far the largest grain reaches from its centre [m], `end` when the run ends [s] if that is known.
pub(crate) fn read_walls(
    scene: &Reader,
    materials: &Materials,
    plane: Plane,
    reach: f64,
    end: Option<f64>,
    files: &mut Files,
) -> Vec<Wall> {
    let mut names = Names::new("wall");
    let mut walls: Vec<Wall> = Vec::new();
    // By name: the first and last of its surfaces, and whether it moves by itself.
    let mut known: BTreeMap<String, (Range<usize>, bool)> = BTreeMap::new();
    let mut followers = Vec::new();
    for (number, (_, reader)) in scene.tables("walls").into_iter().enumerate() {
        let name = reader.text("name").map_or_else(|| format!("wall{}", number + 1), String::from);
        let place = reader.place("name").unwrap_or(reader.at);
        names.add_new(scene.context, &name, &reader.key_path("name"), place);
        let present = reader.flag("present").unwrap_or(true);
        let material = materials.names.of_table(&reader, "material").unwrap_or(0) as MaterialIndex;
        let Some(geometry) = read_geometry(&reader, plane, reach, files) else {
            // Its motion is read nevertheless, so that all mistakes are reported.
            let nowhere = Geometry::new(Vec::new(), DVec3::ZERO, Some(DVec3::Z));
            read_motion(&reader, &mut Around { geometry: &nowhere, plane, end, files });
            known.insert(name, (0..0, true));
            continue;
        };
        let moves = read_motion(&reader, &mut Around { geometry: &geometry, plane, end, files });
        let conveyor = read_conveyor(&reader, &geometry, plane);
        let own = walls.len()..walls.len() + geometry.parts.len();
        known.insert(name.clone(), (own.clone(), !matches!(moves, Some(Moves::With(_)))));
        let motion = match moves {
            Some(Moves::Itself(motion)) => motion,
            Some(Moves::With(leader)) => {
                followers.push(Follower { walls: own, reader, leader });
                Motion::Fixed
            }
            None => Motion::Fixed,
        };
        for (suffix, surface, pose) in geometry.parts {
            let conveyor = conveyor.map(|conveyor| Conveyor {
                velocity: pose.inverse_transform_vector(conveyor.velocity),
                spin: pose.inverse_transform_vector(conveyor.spin),
                point: pose.inverse_transform_point(conveyor.point),
            });
            walls.push(Wall {
                name: suffix.map_or_else(|| name.clone(), |s| format!("{name}.{s}")),
                surface,
                pose,
                material,
                motion: motion.clone(),
                group: None,
                conveyor,
                filled: geometry.filled,
                present,
            });
        }
    }
    for Follower { walls: own, reader, leader } in followers {
        let Some((led, leads)) = known.get(&leader) else {
            let expected = match nearest(&leader, known.keys().map(String::as_str)) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "the name of another wall".to_owned(),
            };
            reader.report_at("motion", format!("there is no wall {leader:?} to move with"), expected);
            continue;
        };
        if !leads || led.start == own.start {
            let message = format!("the wall {leader:?} has no motion of its own");
            reader.report_at("motion", message, "name the wall that all of them move with");
            continue;
        }
        let Some(first) = walls.get(led.start) else { continue };
        let (motion, group) = (first.motion.clone(), Some(led.start));
        for index in led.clone().chain(own) {
            (walls[index].motion, walls[index].group) = (motion.clone(), group);
        }
    }
    walls
}

fn read_geometry(reader: &Reader, plane: Plane, reach: f64, files: &mut Files) -> Option<Geometry> {
    for key in ["cone", "mesh", "plate", "disc", "solid_box", "lifters"] {
        if plane.is_on && reader.has(key) {
            reader.report_at(
                key,
                format!("`{key}` does not stand straight across the plane"),
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
        reader.table("plate").and_then(|t| plate(&t)),
        reader.table("disc").and_then(|t| disc(&t)),
        reader.table("solid_box").and_then(|t| solid_box(&t)),
        reader.table("lifters").and_then(|t| lifters(&t)),
        reader.table("line").and_then(|t| line(&t, plane, reach)),
        reader.table("arc").and_then(|t| arc(&t, plane, reach)),
    ];
    read.into_iter().flatten().next()
}

pub(super) fn plane_pose(point: DVec3, normal: DVec3) -> Pose {
    Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, normal))
}

fn half_space(reader: &Reader, plane: Plane) -> Option<Geometry> {
    let (point, normal) = (reader.vector("point"), reader.direction("normal"));
    let (point, normal) = (point?, normal?);
    plane.check_direction(reader, "normal", normal);
    let parts = vec![(None, Surface::HalfSpace, plane_pose(point, normal))];
    Some(Geometry { flat: true, ..Geometry::new(parts, point, None) })
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
    Some(Geometry::new(parts, centre, None))
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
            Some(Geometry::new(parts, pose.position, Some(axis)))
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
            Some(Geometry::new(parts, position, None))
        }
        Err(error) => {
            reader.report_at("file", format!("{name}: {error}"), "no wall can be made of this mesh");
            None
        }
    }
}
