//! Writes frames with known numbers into a directory, for tests/vtk/read_back.py to read with VTK itself:
//! `cargo run -p tumble-io --example write_sample_frames -- DIR`.
//!
//! Frame 0 is empty; frames 1 and 2 hold grains and contacts whose every number follows from its place in the file by
//! the rules below. The script knows the same rules. The directory `shapes` in it holds the surfaces of one grain of every shape.

use glam::{DQuat, DVec2, DVec3};
use std::error::Error;
use std::path::PathBuf;
use tumble_engine::boundary::wall::Wall;
use tumble_engine::broad::BroadPhase;
use tumble_engine::law::Law;
use tumble_engine::model::{Domain, HardSettings, Limits, Solver, Species, TimeStep};
use tumble_engine::observe::{ContactRecord, Partner};
use tumble_engine::state::WallState;
use tumble_engine::{Model, State};
use tumble_geometry::{Mesh, Part, Pose, Revolved, Shape, Surface};
use tumble_io::vtk::{FrameContents, FrameSeries};

/// Grains in each frame; enough in the last for two compressed blocks an array.
const N_PARTICLES: [usize; 3] = [0, 5, 40_000];

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from).ok_or("give the directory to write to")?;
    let model = model()?;
    let mut frames = FrameSeries::create(&directory, FrameContents { contacts: true, surfaces: false })?;
    for (frame, n) in N_PARTICLES.into_iter().enumerate() {
        let state = state(&model, frame as u64, n);
        let coordination: Vec<u32> = (0..n as u32).map(|i| i % 13).collect();
        frames.write(&model, &state, &coordination, &contacts(n))?;
    }
    // A further directory with one grain of each kind, and their surfaces.
    let contents = FrameContents { contacts: false, surfaces: true };
    let mut shapes = FrameSeries::create(&directory.join("shapes"), contents)?;
    let every_shape = Model { species: every_species()?, ..model };
    let mut state = state(&every_shape, 0, every_shape.species.len());
    state.particles.species = (0..every_shape.species.len() as u16).collect();
    shapes.write(&every_shape, &state, &vec![0; every_shape.species.len()], &[])?;
    Ok(())
}

fn model() -> Result<Model, Box<dyn Error>> {
    let tetrahedron = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let surfaces = [
        Surface::HalfSpace,
        Surface::Revolved(Revolved::closed_cylinder(0.5, 1.0, true, false)?),
        Surface::Mesh(Mesh::new(tetrahedron, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?),
    ];
    let walls = surfaces.into_iter().enumerate().map(|(index, surface)| Wall {
        name: format!("wall {index}"),
        surface,
        pose: Pose::from_position(DVec3::new(0.0, 0.0, index as f64)),
        material: 0,
        ..Wall::default()
    });
    Ok(Model {
        materials: Vec::new(),
        interactions: Vec::new(),
        law: Law::default(),
        species: species()?,
        walls: walls.collect(),
        gravity: DVec3::ZERO,
        gravity_ramp: 0.0,
        planar: false,
        domain: Domain::UNBOUNDED,
        drag: 0.0,
        insertions: Vec::new(),
        broad_phase: BroadPhase::Auto,
        skin: None,
        time_step: TimeStep::Fixed(0.25),
        solver: Solver::Soft,
        hard: HardSettings::default(),
        shear_rate: 0.0,
        turn_spheres: false,
        seed: 0,
        planes: Vec::new(),
        groups: Vec::new(),
        limits: Limits::default(),
    })
}

/// One kind for each solid shape that has one frame only, of a bounding radius of about 1.
fn species() -> Result<Vec<Species>, Box<dyn Error>> {
    let shapes = [
        Shape::sphere(1.0)?,
        Shape::cylinder(0.6, 1.6)?,
        Shape::capsule(0.5, 1.0)?,
        Shape::truncated_cone(0.6, 0.3, 1.4)?,
        Shape::superquadric(DVec3::new(0.9, 0.6, 0.5), 2.5, 4.0)?,
        Shape::superquadric(DVec3::new(0.5, 0.7, 1.0), 2.0, 2.0)?,
        Shape::sphere(0.5)?,
    ];
    Ok(shapes.iter().enumerate().map(|(index, shape)| Species::new(format!("kind {index}"), shape, 0)).collect())
}

/// These, and one kind for each other shape.
fn every_species() -> Result<Vec<Species>, Box<dyn Error>> {
    let ball = |z: f64| -> Result<Part, Box<dyn Error>> {
        Ok(Part { shape: Shape::sphere(0.4)?, pose: Pose::from_position(DVec3::new(0.0, 0.0, z)) })
    };
    let others = [
        Shape::tablet(0.7, 0.6, 0.2)?,
        Shape::cuboid(DVec3::new(1.0, 0.8, 0.6))?,
        Shape::disc(0.7, 0.4)?,
        Shape::polygon(&[DVec2::ZERO, DVec2::X, DVec2::Y], 0.5)?,
        Shape::clump(vec![ball(-0.5)?, ball(0.5)?])?,
    ];
    let mut kinds = species()?;
    kinds.extend(others.iter().enumerate().map(|(index, shape)| Species::new(format!("other {index}"), shape, 0)));
    Ok(kinds)
}

fn state(model: &Model, step: u64, n: usize) -> State {
    let mut state = State { step, time: step as f64 * 0.25, time_step: 0.25, ..State::default() };
    for i in 0..n {
        let x = i as f64;
        let particles = &mut state.particles;
        particles.id.push((n - 1 - i) as u32);
        particles.species.push((i % 7) as u16);
        particles.scale.push(1.0);
        particles.radius.push(0.1 + 0.01 * x);
        particles.mass.push(0.3 * x);
        particles.inertia.push(1.0);
        particles.position.push(DVec3::new(0.1 * x, -x, 1.0 / 3.0));
        particles.velocity.push(DVec3::new(x, 0.1, 0.7 * x));
        particles.orientation.push(DQuat::from_rotation_z(0.001 * x));
        particles.angular_velocity.push(DVec3::new(0.0, -x, 1e-300));
        particles.angular_momentum.push(DVec3::ZERO);
        particles.force.push(DVec3::ZERO);
        particles.torque.push(DVec3::ZERO);
        particles.image.push([0; 3]);
    }
    state.walls = model.walls.iter().map(|wall| WallState::at_rest(wall.pose)).collect();
    state
}

/// Each grain touches the next; the last one touches wall 2.
fn contacts(n: usize) -> Vec<ContactRecord> {
    (0..n)
        .map(|i| ContactRecord {
            a: i,
            partner: if i + 1 < n { Partner::Particle(i + 1) } else { Partner::Wall(2) },
            point: DVec3::new(0.5 * i as f64, 0.0, -1.0),
            normal: DVec3::NEG_Y,
            overlap: 1e-6 * i as f64,
            branch: DVec3::ZERO,
            force: DVec3::new(0.0, 0.1 * i as f64, 0.0),
            couple: DVec3::ZERO,
        })
        .collect()
}
