//! Small models and states for the observers' tests.

use crate::boundary::wall::Wall;
use crate::broad::BroadPhase;
use crate::law::{ContactEnd, InteractionProperties, Law, LawKind, RollingModel};
use crate::model::{Domain, HardSettings, Limits, Material, Solver, Species, TimeStep};
use crate::observe::{ContactRecord, Partner};
use crate::state::WallState;
use crate::{Model, Particles, State};
use glam::{DQuat, DVec3};
use tumble_geometry::{Pose, Shape, Sphere, Surface};

/// Density of the only material [kg/m^3].
pub(super) const DENSITY: f64 = 2000.0;

/// Spheres of one material in unbounded space.
pub(crate) fn model() -> Model {
    Model {
        materials: vec![Material { name: "stone".into(), density: DENSITY, young_modulus: 1e9, poisson_ratio: 0.25 }],
        interactions: vec![InteractionProperties {
            restitution: 0.5,
            friction: 0.5,
            rolling_friction: 0.0,
            tangential_restitution: 0.0,
        }],
        law: Law {
            kind: LawKind::Linear { normal_stiffness: 1e5, tangential_ratio: 2.0 / 7.0 },
            end: ContactEnd::Clamped,
            rolling: RollingModel::Spring,
            ..Law::default()
        },
        species: vec![Species::new("grain", &Shape::Sphere(Sphere { radius: 1.0 }), 0)],
        walls: vec![],
        gravity: DVec3::ZERO,
        gravity_ramp: 0.0,
        planar: false,
        domain: Domain::UNBOUNDED,
        drag: 0.0,
        insertions: vec![],
        broad_phase: BroadPhase::AllPairs,
        skin: None,
        time_step: TimeStep::Fixed(1e-4),
        solver: Solver::Soft,
        hard: HardSettings::default(),
        shear_rate: 0.0,
        turn_spheres: false,
        seed: 1,
        planes: vec![],
        groups: vec![],
        limits: Limits::default(),
    }
}

/// Grains at rest, from centres and radii.
pub(crate) fn state(grains: &[(DVec3, f64)]) -> State {
    let n = grains.len();
    let volume = |r: f64| Sphere { radius: r }.volume();
    let particles = Particles {
        // Ids differ from indices, as they do in a sorted run.
        id: (0..n as u32).map(|i| 100 + i).collect(),
        species: vec![0; n],
        scale: grains.iter().map(|g| g.1).collect(),
        radius: grains.iter().map(|g| g.1).collect(),
        mass: grains.iter().map(|g| DENSITY * volume(g.1)).collect(),
        inertia: grains.iter().map(|g| 0.4 * DENSITY * volume(g.1) * g.1 * g.1).collect(),
        position: grains.iter().map(|g| g.0).collect(),
        velocity: vec![DVec3::ZERO; n],
        orientation: vec![DQuat::IDENTITY; n],
        angular_velocity: vec![DVec3::ZERO; n],
        angular_momentum: vec![DVec3::ZERO; n],
        force: vec![DVec3::ZERO; n],
        torque: vec![DVec3::ZERO; n],
        image: vec![[0; 3]; n],
    };
    State { step: 7, time: 7.0 * 1e-4, time_step: 1e-4, particles, ..State::default() }
}

/// A pressed contact between two grains whose centres are a branch vector apart, with a force on a.
pub(super) fn pair(state: &State, a: usize, b: usize, branch: DVec3, force: DVec3) -> ContactRecord {
    let (x, r) = (&state.particles.position, &state.particles.radius);
    let normal = branch.normalize();
    ContactRecord {
        a,
        partner: Partner::Particle(b),
        point: x[a] + normal * r[a],
        normal,
        overlap: r[a] + r[b] - branch.length(),
        branch,
        force,
        couple: DVec3::ZERO,
    }
}

/// A grain pressed against a wall: the vector from its centre to the contact point and the force on it.
pub(super) fn on_wall(state: &State, a: usize, wall: usize, branch: DVec3, force: DVec3) -> ContactRecord {
    let x = state.particles.position[a];
    let overlap = state.particles.radius[a] - branch.length();
    ContactRecord { partner: Partner::Wall(wall), point: x + branch, overlap, ..pair(state, a, a, branch, force) }
}

/// Adds a wall at a place, with a load.
pub(super) fn add_wall(model: &mut Model, state: &mut State, name: &str, at: DVec3, force: DVec3, torque: DVec3) {
    let pose = Pose::from_position(at);
    model.walls.push(Wall { name: name.into(), surface: Surface::HalfSpace, pose, material: 0, ..Wall::default() });
    state.walls.push(WallState { force, torque, ..model.walls[model.walls.len() - 1].initial_state() });
}
