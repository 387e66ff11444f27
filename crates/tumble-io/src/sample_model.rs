//! Small models for the tests of this crate.

use glam::DVec3;
use tumble_engine::Model;
use tumble_engine::boundary::wall::Wall;
use tumble_engine::broad::BroadPhase;
use tumble_engine::law::{InteractionProperties, Law};
use tumble_engine::model::{Domain, HardSettings, Limits, Material, Solver, Species, TimeStep};
use tumble_geometry::{Shape, Sphere};

/// One kind of sphere, one material, and these walls.
pub(crate) fn model(walls: Vec<Wall>) -> Model {
    Model {
        materials: vec![Material {
            name: "glass".to_owned(),
            density: 2500.0,
            young_modulus: 7e10,
            poisson_ratio: 0.2,
        }],
        interactions: vec![InteractionProperties {
            restitution: 0.9,
            friction: 0.3,
            rolling_friction: 0.0,
            tangential_restitution: 0.0,
        }],
        law: Law::default(),
        species: vec![Species::new("bead", &Shape::Sphere(Sphere { radius: 1.0 }), 0)],
        walls,
        gravity: DVec3::new(0.0, 0.0, -9.81),
        gravity_ramp: 0.0,
        planar: false,
        domain: Domain::UNBOUNDED,
        drag: 0.0,
        insertions: Vec::new(),
        broad_phase: BroadPhase::Auto,
        skin: None,
        time_step: TimeStep::Fixed(1e-5),
        solver: Solver::Soft,
        hard: HardSettings::default(),
        shear_rate: 0.0,
        turn_spheres: false,
        seed: 1,
        planes: Vec::new(),
        groups: Vec::new(),
        limits: Limits::default(),
    }
}
