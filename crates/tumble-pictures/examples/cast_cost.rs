//! How long a picture of 10,000 mixed shapes takes: `cargo run --release -p tumble-pictures --example cast_cost`.

use glam::DVec3;
use std::time::Instant;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Pose, Shape};
use tumble_pictures::cast::{Background, Bodies, Camera, CameraPlan, Frame, Grain, Quality, Stage, Walls, cast};
use tumble_pictures::colour::colour_of_kind;

const N: usize = 10_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shapes = [
        Shape::sphere(0.5)?,
        Shape::cylinder(0.5, 0.6)?,
        Shape::capsule(0.3, 0.6)?,
        Shape::truncated_cone(0.5, 0.25, 0.8)?,
        Shape::tablet(0.5, 0.4, 0.12)?,
        Shape::superquadric(DVec3::new(0.5, 0.5, 0.3), 2.0, 2.0)?,
        Shape::superquadric(DVec3::new(0.45, 0.45, 0.35), 3.0, 4.0)?,
        Shape::cuboid(DVec3::new(0.7, 0.8, 0.6))?,
    ];
    // A jittered lattice, as dense as poured grains.
    let mut sequence = Sequence::new(1);
    let side = (N as f64).cbrt().ceil() as usize;
    let grains: Vec<Grain> = (0..N)
        .map(|k| {
            let cell = DVec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64);
            let pose = Pose::new(0.95 * cell + sequence.point_in_cube(0.15), sequence.orientation());
            Grain { shape: k % shapes.len(), scale: sequence.between(0.9, 1.15), pose }
        })
        .collect();
    let bodies = Bodies::new(&shapes, &grains);
    let corners = bodies.bounds().corners().map(|corner| (corner, 0.0));
    let walls = Walls::new(Vec::new(), &bodies.bounds());
    let colours = (0..N).map(|k| colour_of_kind(k % shapes.len())).collect();
    let stage = Stage {
        bodies,
        colours,
        walls,
        cell: Vec::new(),
        has_grain_outlines: false,
        section: None,
        ghosts: None,
        grain_size: 1.0,
    };
    let frame = Frame { left: 0.03, right: 0.97, top: 0.03, bottom: 0.97 };
    let camera = Camera::framing(&CameraPlan::default(), 1280, 960, frame, &corners);
    for (name, quality) in [("draft", Quality::Draft), ("normal", Quality::Normal), ("fine", Quality::Fine)] {
        let start = Instant::now();
        let picture = cast(&stage, &camera, quality, Background::Sky);
        println!("{name}: {:.2} s", start.elapsed().as_secs_f64());
        if let Some(directory) = std::env::args().nth(1) {
            std::fs::write(format!("{directory}/{name}.png"), picture.to_png()?)?;
        }
    }
    Ok(())
}
