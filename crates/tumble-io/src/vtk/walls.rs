//! Walls as polygons, so that a picture shows the container.
//!
//! Meshes are drawn as they are. A surface of revolution becomes quadrilaterals (triangles where it meets its axis)
//! with corners on the true surface, 64 around: the flats lie inside it by at most 0.12 % of the radius. A half-space
//! has no edge; it is drawn as a square below the bodies' middle, wide enough for the shadow of all grains and walls.

use super::poly_data::PolyData;
use crate::file_error::FileError;
use glam::DVec3;
use std::f64::consts::TAU;
use std::io;
use std::path::Path;
use tumble_engine::{Model, State};
use tumble_geometry::{Aabb, Pose, Surface};

/// Facets around a surface of revolution.
const N_AROUND: usize = 64;
/// Half-width of a half-space's square, as a multiple of the radius of a ball around everything else.
const SQUARE_MARGIN: f64 = 1.1;

/// Writes the walls where they are now as polygons, with the `wall` each belongs to: its place in the scene.
pub fn write_walls(path: &Path, model: &Model, state: &State) -> Result<(), FileError> {
    let drawing = drawing(model, state).map_err(FileError::of("write", path))?;
    let mut file = PolyData::of_polygons(&drawing.points, &drawing.polygons);
    file.field("TimeValue", state.time);
    file.field("step", state.step);
    file.cell_data("wall", drawing.wall_of.iter().copied());
    file.write(path)
}

/// Polygons over shared points, with the wall each polygon belongs to.
#[derive(Default)]
struct Drawing {
    points: Vec<DVec3>,
    polygons: Vec<Vec<usize>>,
    wall_of: Vec<u32>,
}

impl Drawing {
    fn add(&mut self, wall: usize, pose: &Pose, points: impl Iterator<Item = DVec3>, polygons: Vec<Vec<usize>>) {
        let first = self.points.len();
        self.points.extend(points.map(|point| pose.transform_point(point)));
        for mut polygon in polygons {
            polygon.iter_mut().for_each(|corner| *corner += first);
            self.polygons.push(polygon);
            self.wall_of.push(wall as u32);
        }
    }
}

fn drawing(model: &Model, state: &State) -> io::Result<Drawing> {
    if state.walls.len() != model.walls.len() {
        let what = format!("{} wall poses for {} walls", state.walls.len(), model.walls.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let bounds = bounds_of_all(model, state);
    let mut drawing = Drawing::default();
    for (index, (wall, now)) in model.walls.iter().zip(&state.walls).enumerate().filter(|(_, (_, now))| now.present) {
        match &wall.surface {
            Surface::HalfSpace => draw_half_space(&mut drawing, index, &now.pose, &bounds),
            Surface::Revolved(revolved) => draw_revolved(&mut drawing, index, &now.pose, revolved.profile()),
            Surface::Mesh(mesh) => {
                let triangles = mesh.triangles().iter().map(|t| t.map(|corner| corner as usize).to_vec()).collect();
                drawing.add(index, &now.pose, mesh.vertices().iter().copied(), triangles);
            }
        }
    }
    Ok(drawing)
}

/// Bounds of the grains, the bounded walls and the domain where it is bounded.
fn bounds_of_all(model: &Model, state: &State) -> Aabb {
    let grains = state.particles.position.iter().zip(&state.particles.radius);
    let mut bounds = grains.fold(Aabb::EMPTY, |bounds, (&centre, &radius)| bounds.join(&Aabb::of_ball(centre, radius)));
    for (wall, now) in model.walls.iter().zip(&state.walls) {
        if let Some(wall_bounds) = wall.surface.bounds(&now.pose) {
            bounds = bounds.join(&wall_bounds);
        }
    }
    if model.domain.lower.is_finite() && model.domain.upper.is_finite() {
        bounds = bounds.join(&Aabb { lower: model.domain.lower, upper: model.domain.upper });
    }
    bounds
}

fn draw_half_space(drawing: &mut Drawing, wall: usize, pose: &Pose, bounds: &Aabb) {
    let (centre, radius) = if bounds.lower.is_finite() && bounds.upper.is_finite() {
        (0.5 * (bounds.lower + bounds.upper), 0.5 * bounds.lower.distance(bounds.upper))
    } else {
        (pose.position, 0.0)
    };
    // Nothing to hold a shadow of: any size will do.
    let half_width = if radius > 0.0 { SQUARE_MARGIN * radius } else { 1.0 };
    let foot = pose.inverse_transform_point(centre) * DVec3::new(1.0, 1.0, 0.0);
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let points = corners.into_iter().map(|(x, y)| foot + half_width * DVec3::new(x, y, 0.0));
    drawing.add(wall, pose, points, vec![vec![0, 1, 2, 3]]);
}

fn draw_revolved(drawing: &mut Drawing, wall: usize, pose: &Pose, profile: &[[f64; 2]]) {
    // One ring of points for each corner of the profile; one point where the corner lies on the axis.
    let mut points = Vec::new();
    let rings: Vec<Vec<usize>> = profile
        .iter()
        .map(|&[distance, height]| {
            let first = points.len();
            if distance == 0.0 {
                points.push(DVec3::new(0.0, 0.0, height));
                return vec![first; N_AROUND];
            }
            points.extend((0..N_AROUND).map(|i| {
                let (sine, cosine) = (TAU * i as f64 / N_AROUND as f64).sin_cos();
                DVec3::new(distance * cosine, distance * sine, height)
            }));
            (first..first + N_AROUND).collect()
        })
        .collect();
    let mut polygons = Vec::new();
    for pair in rings.windows(2) {
        let (low, high) = (&pair[0], &pair[1]);
        for i in 0..N_AROUND {
            let next = (i + 1) % N_AROUND;
            let mut polygon = vec![low[i], low[next], high[next], high[i]];
            // At the axis two corners are one; without this the polygon would have an edge of no length.
            polygon.dedup();
            if polygon.len() > 1 && polygon.first() == polygon.last() {
                polygon.pop();
            }
            if polygon.len() > 2 {
                polygons.push(polygon);
            }
        }
    }
    drawing.add(wall, pose, points.into_iter(), polygons);
}
