//! Models built in a line or two, and what the tests read off a run.

use glam::{DQuat, DVec3};
use std::collections::BTreeSet;
use tumble_engine::boundary::insertion::{Insertion, ListedGrain, Plan, SizeDistribution};
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::broad::BroadPhase;
use tumble_engine::law::{ContactEnd, Curvature, InteractionProperties, Law, LawKind, MindlinTangential};
use tumble_engine::model::{Domain, HardSettings, Limits, Material, Solver, Species, TimeStep};
use tumble_engine::observe::Partner;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Pose, Shape, Sphere, Surface};

/// Place of the grains' material in every model here.
pub const GRAIN: u16 = 0;
/// Place of the walls' material.
pub const WALL: u16 = 1;

/// Acceleration of gravity, downwards [m/s^2].
pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Hertz-Mindlin with a friction spring.
pub fn hertz(tangential: MindlinTangential, end: ContactEnd) -> Law {
    Law { kind: LawKind::HertzMindlin { tangential, curvature: Curvature::Body }, end, ..Law::default() }
}

/// Linear springs, the tangential one with 2/7 of the normal stiffness.
pub fn linear(normal_stiffness: f64, end: ContactEnd) -> Law {
    let kind = LawKind::Linear { normal_stiffness, tangential_ratio: 2.0 / 7.0 };
    Law { kind, end, ..Law::default() }
}

/// A contact without rolling resistance.
pub fn interaction(restitution: f64, friction: f64) -> InteractionProperties {
    InteractionProperties { restitution, friction, rolling_friction: 0.0, tangential_restitution: 0.0 }
}

/// Something like soft glass beads.
pub fn bead(young_modulus: f64) -> Material {
    Material { name: "bead".to_string(), density: 2500.0, young_modulus, poisson_ratio: 0.25 }
}

/// Spheres of one material in empty space, without gravity. Walls are of a second material, the same a million times
/// stiffer; all contacts have the same properties.
pub fn spheres(law: Law, material: Material, interaction: InteractionProperties, time_step: TimeStep) -> Model {
    let rigid = Material { name: "rigid".to_string(), young_modulus: 1e6 * material.young_modulus, ..material.clone() };
    Model {
        species: vec![Species::new("ball", &Shape::Sphere(Sphere { radius: 1.0 }), GRAIN)],
        materials: vec![material, rigid],
        interactions: vec![interaction; 4],
        law,
        walls: Vec::new(),
        gravity: DVec3::ZERO,
        gravity_ramp: 0.0,
        planar: false,
        domain: Domain::UNBOUNDED,
        drag: 0.0,
        insertions: Vec::new(),
        broad_phase: BroadPhase::Auto,
        skin: None,
        time_step,
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

/// A sphere.
pub fn ball(radius: f64, position: DVec3, velocity: DVec3, angular_velocity: DVec3) -> ListedGrain {
    ListedGrain { species: 0, radius, position, orientation: DQuat::IDENTITY, velocity, angular_velocity }
}

/// Grains for the start of a run, as listed.
pub fn listed(grains: Vec<ListedGrain>) -> Insertion {
    planned(Plan::List { grains: grains.into(), max_overlap: 0.01 }, SizeDistribution::Fixed(1.0))
}

/// Grains by a plan, at rest.
pub fn planned(plan: Plan, size: SizeDistribution) -> Insertion {
    Insertion {
        name: "grains".to_string(),
        plan,
        species: vec![(0, 1.0)],
        size,
        velocity: DVec3::ZERO,
        velocity_spread: 0.0,
        angular_velocity: DVec3::ZERO,
        orientation: Some(DQuat::IDENTITY),
        active: true,
    }
}

/// A wall of any surface.
pub fn wall(name: &str, surface: Surface, pose: Pose, motion: Motion) -> Wall {
    Wall { name: name.to_string(), surface, pose, material: WALL, motion, ..Wall::default() }
}

/// A fixed plane through a point, solid on the side away from its normal.
pub fn plane(point: DVec3, normal: DVec3) -> Wall {
    let pose = Pose::new(point, DQuat::from_rotation_arc(DVec3::Z, normal.normalize()));
    wall("plane", Surface::HalfSpace, pose, Motion::Fixed)
}

/// A closed box of six planes.
pub fn closed_box(lower: DVec3, upper: DVec3) -> Vec<Wall> {
    DVec3::AXES.iter().flat_map(|&axis| [plane(lower, axis), plane(upper, -axis)]).collect()
}

/// Spheres on a cubic lattice that fills a box from its lower corner, with sizes between 0.8 and 1 of the radius and
/// random velocities and spins (both up to `speed` at the surface).
pub fn random_gas(radius: f64, lower: DVec3, count: [u32; 3], speed: f64, seed: u64) -> Vec<ListedGrain> {
    let mut random = Random::from_seed(seed);
    let spacing = 2.05 * radius;
    let mut grains = Vec::new();
    for i in 0..count[0] {
        for j in 0..count[1] {
            for k in 0..count[2] {
                let cell = DVec3::new(i.into(), j.into(), k.into()) + DVec3::splat(0.5);
                let size = radius * random.between(0.8, 1.0);
                let velocity = random.direction() * (speed * random.unit());
                let spin = random.direction() * (speed * random.unit() / radius);
                grains.push(ball(size, lower + cell * spacing, velocity, spin));
            }
        }
    }
    grains
}

/// Does some steps.
pub fn run(simulation: &mut Simulation, n_steps: u64) {
    for _ in 0..n_steps {
        simulation.step().unwrap();
    }
}

/// Runs something on so many threads. Single grains go fastest on one.
pub fn on_threads<R: Send>(n_threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap().install(work)
}

/// What the energy ledger leaves unexplained, over what was in play.
pub fn residual(simulation: &Simulation) -> f64 {
    simulation.state().ledger.residual(&simulation.energies())
}

/// One grain's first impact.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    /// Velocity of grain 0 afterwards [m/s].
    pub velocity: DVec3,
    /// Its angular velocity afterwards [rad/s].
    pub angular_velocity: DVec3,
    /// Largest overlap [m].
    pub largest_overlap: f64,
    /// Largest force [N].
    pub largest_force: f64,
    /// Duration of the contact, known to a step [s].
    pub duration: f64,
}

/// Runs a model of one or two grains through their first contact.
pub fn impact(model: Model) -> Impact {
    on_threads(1, || {
        let mut simulation = Simulation::new(model).unwrap();
        while simulation.n_contacts() == 0 {
            simulation.step().unwrap();
            assert!(simulation.state().step < 10_000, "the grain met nothing");
        }
        let first = simulation.time();
        let (mut largest_overlap, mut largest_force): (f64, f64) = (0.0, 0.0);
        while simulation.n_contacts() > 0 {
            for contact in simulation.contacts() {
                largest_overlap = largest_overlap.max(contact.overlap);
                largest_force = largest_force.max(contact.force.length());
            }
            simulation.step().unwrap();
            assert!(simulation.state().step < 1_000_000, "the contact did not end");
        }
        let particles = &simulation.state().particles;
        let grain = particles.id.iter().position(|&id| id == 0).unwrap();
        Impact {
            velocity: particles.velocity[grain],
            angular_velocity: particles.angular_velocity[grain],
            largest_overlap,
            largest_force,
            duration: simulation.time() - first,
        }
    })
}

/// Fails unless two figures agree relative to the second.
pub fn assert_close(found: f64, figure: f64, relative: f64, what: &str) {
    let error = (found - figure).abs() / figure.abs();
    assert!(
        error <= relative,
        "{what}: {found} instead of {figure} (relative error {error:.2e}, allowed {relative:.1e})"
    );
}

/// Runs an elastic gas until each grain has met so many others on average (walls do not count), and tells by how much its energy is off: at most, and
/// in the mean over the last tenth.
pub fn elastic_gas(model: Model, n_collisions: usize) -> (f64, f64) {
    on_threads(1, || {
        let mut simulation = Simulation::new(model).unwrap();
        let n_grains = simulation.state().particles.len();
        let start = simulation.energies().total();
        let (mut met, mut touching) = (0, BTreeSet::new());
        let mut errors = Vec::new();
        while met * 2 < n_collisions * n_grains {
            // A contact takes twenty steps or more.
            run(&mut simulation, 10);
            let ids = &simulation.state().particles.id;
            let pairs = simulation.contacts().into_iter().filter_map(|contact| match contact.partner {
                Partner::Particle(b) => Some((ids[contact.a], ids[b])),
                Partner::Wall(_) => None,
            });
            let now: BTreeSet<(u32, u32)> = pairs.collect();
            met += now.difference(&touching).count();
            touching = now;
            errors.push(simulation.energies().total() / start - 1.0);
        }
        let last = &errors[errors.len() * 9 / 10..];
        println!("    {} steps", simulation.state().step);
        (errors.iter().fold(0.0, |most: f64, e| most.max(e.abs())), last.iter().sum::<f64>() / last.len() as f64)
    })
}
