//! Reads walls with edges of their own: plates, discs, solid boxes and lifters.
//!
//! A plate is two triangles, a box twelve, so that they are met as meshes are, over their edges without a step; a disc is a surface of
//! revolution.

use super::reader::Reader;
use super::regions::{read_axis, read_box};
use super::walls::{Geometry, plane_pose};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::TAU;
use tumble_geometry::{GeometryError, Mesh, Pose, Revolved, Surface};

/// Twice as many triangles are no lifters any more.
const MOST_LIFTERS: u64 = 10_000;

/// Reads a rectangle.
pub(crate) fn plate(reader: &Reader) -> Option<Geometry> {
    let (centre, normal) = (reader.vector("centre"), reader.direction("normal"));
    let (size, along) = (reader.quantities("size"), reader.direction("along"));
    let (centre, normal, size) = (centre?, normal?, size?);
    let &[length, width] = size.as_slice() else {
        reader.report_at("size", format!("found {} lengths", size.len()), "wants two: length and width");
        return None;
    };
    let along = match along {
        Some(along) => along,
        // Level where there is a choice, as x is for a plate that lies flat.
        None if normal.truncate().length() < 1e-9 => DVec3::X,
        None => DVec3::Z.cross(normal),
    };
    let length_axis = (along - normal * normal.dot(along)).normalize_or_zero();
    if length_axis == DVec3::ZERO || normal.dot(along).abs() > 1e-6 {
        reader.report_at("along", "it does not lie in the plate", "a direction at right angles to `normal`");
        return None;
    }
    let (x, y) = (0.5 * length, 0.5 * width);
    let corners = [[-x, -y], [x, -y], [x, y], [-x, y]].map(|[x, y]| DVec3::new(x, y, 0.0));
    let turn = DQuat::from_mat3(&DMat3::from_cols(length_axis, normal.cross(length_axis), normal)).normalize();
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
    let mut geometry = of_mesh(reader, mesh, Pose::new(centre, turn), centre, None)?;
    (geometry.area, geometry.flat) = (Some(length * width), true);
    Some(geometry)
}

/// Reads a disc, or a ring.
pub(crate) fn disc(reader: &Reader) -> Option<Geometry> {
    let (centre, normal) = (reader.vector("centre"), reader.direction("normal"));
    let (radius, hole) = (reader.quantity("radius"), reader.quantity("hole").unwrap_or(0.0));
    let (centre, normal, radius) = (centre?, normal?, radius?);
    if hole >= radius {
        reader.report_at("hole", "the hole is as large as the disc", "it must be smaller than `radius`");
        return None;
    }
    match Revolved::new(vec![[hole, 0.0], [radius, 0.0]]) {
        Ok(disc) => Some(Geometry {
            parts: vec![(None, Surface::Revolved(disc), plane_pose(centre, normal))],
            centre,
            axis: Some(normal),
            area: Some(0.5 * TAU * (radius * radius - hole * hole)),
            flat: true,
            filled: false,
        }),
        Err(error) => refused(reader, &error),
    }
}

/// Reads a box that is solid inside.
pub(crate) fn solid_box(reader: &Reader) -> Option<Geometry> {
    let (corners, turn) = (read_box(reader, super::planar::Plane { is_on: false }), reader.rotation("rotation"));
    let (lower, upper) = corners?;
    let centre = 0.5 * (lower + upper);
    let mut triangles = Triangles::default();
    triangles.add_box(0.5 * (lower - upper), 0.5 * (upper - lower), |corner| corner);
    let pose = Pose::new(centre, turn.unwrap_or(DQuat::IDENTITY));
    let mut geometry = of_mesh(reader, triangles.mesh(), pose, centre, None)?;
    geometry.filled = true;
    Some(geometry)
}

/// Reads lifters: plates or bars around an axis, inside a drum.
pub(crate) fn lifters(reader: &Reader) -> Option<Geometry> {
    let (ends, radius, height) = (read_axis(reader), reader.quantity("radius"), reader.quantity("height"));
    let (count, thickness) = (reader.count("count"), reader.quantity("thickness").unwrap_or(0.0));
    let (at, lean) = (reader.quantity("at").unwrap_or(0.0), reader.quantity("lean").unwrap_or(0.0));
    let ((from, to), radius, height, count) = (ends?, radius?, height?, count?);
    if count > MOST_LIFTERS {
        reader.report_at("count", format!("found {count}"), format!("at most {MOST_LIFTERS}"));
        return None;
    }
    if height >= radius {
        reader.report_at("height", "the lifters reach the axis", "it must be smaller than `radius`");
        return None;
    }
    let axis = (to - from).normalize();
    let turn = DQuat::from_rotation_arc(DVec3::Z, axis);
    let half = 0.5 * (to - from).length();
    let mut triangles = Triangles::default();
    for number in 0..count {
        let around = DQuat::from_rotation_z(at + TAU * number as f64 / count as f64);
        let foot = DVec3::X * radius;
        let leaning = DQuat::from_rotation_z(lean);
        let place = |own: DVec3| around * (foot + leaning * own);
        if thickness > 0.0 {
            let side = 0.5 * thickness;
            triangles.add_box(DVec3::new(-height, -side, -half), DVec3::new(0.0, side, half), place);
        } else {
            let corners = [[-height, -half], [0.0, -half], [0.0, half], [-height, half]];
            triangles.add_face(corners.map(|[x, z]| place(DVec3::new(x, 0.0, z))));
        }
    }
    let centre = 0.5 * (from + to);
    of_mesh(reader, triangles.mesh(), Pose::new(centre, turn), centre, Some(axis))
}

#[derive(Default)]
struct Triangles {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Triangles {
    fn add_face(&mut self, corners: [DVec3; 4]) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(corners);
        self.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }

    /// A box between two corners, outside out, each corner put where `place` says.
    fn add_box(&mut self, lower: DVec3, upper: DVec3, place: impl Fn(DVec3) -> DVec3) {
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for (end, [first, second]) in [(upper[axis], [u, v]), (lower[axis], [v, u])] {
                let corner = |a: f64, b: f64| {
                    let mut corner = DVec3::ZERO;
                    (corner[axis], corner[first], corner[second]) = (end, a, b);
                    place(corner)
                };
                let ([a, b], [c, d]) = ([lower[first], upper[first]], [lower[second], upper[second]]);
                self.add_face([corner(a, c), corner(b, c), corner(b, d), corner(a, d)]);
            }
        }
    }

    fn mesh(self) -> Result<Mesh, GeometryError> {
        Mesh::new(self.vertices, self.triangles)
    }
}

fn of_mesh(
    reader: &Reader,
    mesh: Result<Mesh, GeometryError>,
    pose: Pose,
    centre: DVec3,
    axis: Option<DVec3>,
) -> Option<Geometry> {
    match mesh {
        Ok(mesh) => Some(Geometry {
            parts: vec![(None, Surface::Mesh(mesh), pose)],
            centre,
            axis,
            area: None,
            flat: false,
            filled: false,
        }),
        Err(error) => refused(reader, &error),
    }
}

fn refused(reader: &Reader, error: &GeometryError) -> Option<Geometry> {
    reader.report_here(error.to_string(), "this wall cannot be built");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_closed_and_outside_out() {
        let mut triangles = Triangles::default();
        triangles.add_box(DVec3::new(-1.0, -2.0, -3.0), DVec3::new(1.0, 2.0, 3.0), |corner| corner);
        let mesh = triangles.mesh().unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        assert_eq!(mesh.enclosed_volume(), Some(48.0));
    }
}
