//! Volume and depth of the regions that polyhedra share: slopes against differences, symmetries, closed forms, values of an
//! independent program, degenerate poses.

mod closed_forms;
mod degenerate;
mod polygons;
mod slopes;
mod values;

use glam::{DQuat, DVec3};
use tumble_geometry::narrow;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::overlap::{self, DepthMoments, Slope, Workspace, depth_moments_half_space};
use tumble_geometry::{Polyhedron, Pose, Shape};

/// With the contact that the pair table finds, as runs ask.
fn depth_moments(a: &Shape, b: &Shape, pose_ab: &Pose, workspace: &mut Workspace) -> Option<DepthMoments> {
    let contact = narrow::contact(a, b, pose_ab).unwrap_or_else(|unsure| unsure.best);
    overlap::depth_moments(a, b, pose_ab, &contact, workspace)
}

fn cube(edge: f64) -> Shape {
    Shape::cuboid(DVec3::splat(edge)).unwrap()
}

fn hull(points: &[DVec3]) -> Shape {
    Shape::Polyhedron(Polyhedron::from_points(points).unwrap())
}

fn octahedron(radius: f64) -> Shape {
    hull(&[DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z].map(|v| v * radius))
}

/// Shapes with corners of three faces and of more, equal faces and parallel ones, and none of these.
fn samples() -> Vec<Shape> {
    let mut random = Sequence::new(11);
    let mut cloud = |n: usize| hull(&(0..n).map(|_| random.direction() * 0.8).collect::<Vec<_>>());
    vec![
        cube(1.0),
        Shape::cuboid(DVec3::new(1.0, 1.4, 0.7)).unwrap(),
        octahedron(0.8),
        hull(
            &[
                DVec3::new(1.0, 1.0, 1.0),
                DVec3::new(1.0, -1.0, -1.0),
                DVec3::new(-1.0, 1.0, -1.0),
                DVec3::new(-1.0, -1.0, 1.0),
            ]
            .map(|v| v * 0.6),
        ),
        // A roof with a sharp ridge: two corners of two steep faces.
        hull(&[
            DVec3::new(-0.7, -0.5, 0.0),
            DVec3::new(0.7, -0.5, 0.0),
            DVec3::new(-0.7, 0.5, 0.0),
            DVec3::new(0.7, 0.5, 0.0),
            DVec3::new(-0.4, 0.0, 0.6),
            DVec3::new(0.4, 0.0, 0.6),
        ]),
        cloud(10),
        cloud(20),
    ]
}

fn pairs() -> impl Iterator<Item = (usize, Shape, Shape)> {
    let all = samples();
    let n = all.len();
    (0..n * n).map(move |k| (k, all[k / n].clone(), all[k % n].clone()))
}

/// b moved until it overlaps a by a share of the depth it had at a random place: from all of it to a thousandth.
fn overlapping(a: &Shape, b: &Shape, random: &mut Sequence) -> Option<Pose> {
    let reach = a.bounding_radius().min(b.bounding_radius());
    let orientation = random.orientation();
    let start = Pose::new(random.direction() * random.between(0.05, 1.2) * reach, orientation);
    let contact = narrow::contact(a, b, &start).unwrap_or_else(|unsure| unsure.best);
    let keep = random.between_in_ratio(1e-3, 1.0);
    (contact.separation < 0.0)
        .then(|| Pose::new(start.position - contact.normal * contact.separation * (1.0 - keep), orientation))
}

/// Moves a pose by a step (dx, dw) about the origin.
fn moved(pose: &Pose, shift: DVec3, turn: DVec3) -> Pose {
    let q = DQuat::from_scaled_axis(turn);
    Pose::new(q * pose.position + shift, (q * pose.orientation).normalize())
}

/// The largest difference of two answers, each number relative to the region's own scales: volume, area of a cube of that
/// volume, depth.
fn difference(x: &DepthMoments, y: &DepthMoments, size: f64) -> f64 {
    let (area, depth) = (y.volume / y.mean_depth(), y.mean_depth());
    let slope = |x: &Slope, y: &Slope, scale: f64| {
        ((x.shift - y.shift).length() / scale).max((x.turn - y.turn).length() / (scale * size))
    };
    [
        (x.volume - y.volume).abs() / y.volume,
        (x.depth_integral - y.depth_integral).abs() / y.depth_integral,
        (x.centre - y.centre).length() / size,
        slope(&x.volume_slope, &y.volume_slope, area),
        slope(&x.depth_slope, &y.depth_slope, area * depth),
        slope(&x.mean_depth_slope(), &y.mean_depth_slope(), 1.0),
    ]
    .into_iter()
    .fold(0.0, f64::max)
}
