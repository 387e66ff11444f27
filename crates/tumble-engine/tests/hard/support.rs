//! Models of hard particles, and what the tests read off a run.

use glam::{DQuat, DVec3};
use tumble_engine::model::{Domain, Edge, HardSettings, Material, ModelBuilder, Solver};
use tumble_engine::random::Random;
use tumble_engine::{InteractionProperties, ListedGrain, Model, Simulation};
use tumble_geometry::{Disc, Shape};

/// What hard bodies do to each other.
pub fn hard(restitution: f64, friction: f64, tangential_restitution: f64) -> InteractionProperties {
    InteractionProperties { restitution, friction, rolling_friction: 0.0, tangential_restitution }
}

/// Grains of one shape and unit density in empty space, without gravity; walls are of the same material.
pub fn grains_of(shape: &Shape, solver: Solver, settings: HardSettings, pair: InteractionProperties) -> ModelBuilder {
    let mut builder = Model::builder();
    let stuff = Material { name: "stuff".into(), density: 1.0, young_modulus: 1.0, poisson_ratio: 0.3 };
    let stuff = builder.material(stuff);
    builder.species("grain", shape, stuff);
    builder.solver(solver, settings).gravity(DVec3::ZERO).interaction(stuff, stuff, pair).max_overlap(0.5);
    builder
}

/// A grain of the one kind, of its own size.
pub fn grain(position: DVec3, velocity: DVec3, angular_velocity: DVec3, radius: f64) -> ListedGrain {
    ListedGrain { species: 0, radius, position, orientation: DQuat::IDENTITY, velocity, angular_velocity }
}

/// A periodic cell from the origin.
pub fn periodic(lengths: DVec3, planar: bool) -> Domain {
    let along_z = if planar { Edge::Open } else { Edge::Periodic };
    Domain { lower: DVec3::ZERO, upper: lengths, edges: [Edge::Periodic, Edge::Periodic, along_z] }
}

/// A disc of diameter 1 and unit mass, if its density is 1.
pub fn unit_disc() -> Shape {
    Shape::Disc(Disc { radius: 0.5, half_thickness: 2.0 / std::f64::consts::PI })
}

/// Velocities of a temperature of 1, without a mean.
pub fn thermal_velocities(n: usize, planar: bool, random: &mut Random) -> Vec<DVec3> {
    let mut velocities: Vec<DVec3> = (0..n)
        .map(|_| {
            let v = DVec3::new(random.normal(), random.normal(), random.normal());
            if planar { v.with_z(0.0) } else { v }
        })
        .collect();
    let mean = velocities.iter().sum::<DVec3>() / n as f64;
    velocities.iter_mut().for_each(|v| *v -= mean);
    let dimensions = if planar { 2.0 } else { 3.0 };
    let square = velocities.iter().map(|v| v.length_squared()).sum::<f64>() / (n as f64 * dimensions);
    velocities.iter_mut().for_each(|v| *v /= square.sqrt());
    velocities
}

/// Discs of diameter 1 and mass 1 on a lattice in a square periodic cell at a solid fraction, with a temperature of 1.
pub fn gas_of_discs(
    n_a_side: usize,
    fraction: f64,
    solver: Solver,
    settings: HardSettings,
    restitution: f64,
) -> ModelBuilder {
    let n = n_a_side * n_a_side;
    let length = (n as f64 * std::f64::consts::PI / 4.0 / fraction).sqrt();
    let mut builder = grains_of(&unit_disc(), solver, settings, hard(restitution, 0.0, -1.0));
    builder.planar(true).domain(periodic(DVec3::new(length, length, 1.0), true));
    let velocities = thermal_velocities(n, true, &mut Random::from_seed(5));
    for (k, velocity) in velocities.into_iter().enumerate() {
        let place = DVec3::new((k % n_a_side) as f64 + 0.5, (k / n_a_side) as f64 + 0.5, 0.0);
        builder.listed_grain(grain(place * (length / n_a_side as f64), velocity, DVec3::ZERO, 0.5));
    }
    builder
}

/// Spheres of diameter 1 and mass 1 on a face-centred lattice of 4 k^3 in a cubic periodic cell at a solid fraction, with a temperature
/// of 1.
pub fn gas_of_spheres(
    k: usize,
    fraction: f64,
    solver: Solver,
    settings: HardSettings,
    pair: InteractionProperties,
) -> ModelBuilder {
    let n = 4 * k * k * k;
    let length = (n as f64 * std::f64::consts::PI / 6.0 / fraction).cbrt();
    let mut builder = Model::builder();
    let stuff =
        Material { name: "stuff".into(), density: 6.0 / std::f64::consts::PI, young_modulus: 1.0, poisson_ratio: 0.3 };
    let stuff = builder.material(stuff);
    builder.species("ball", &Shape::sphere(0.5).unwrap(), stuff);
    builder.solver(solver, settings).gravity(DVec3::ZERO).interaction(stuff, stuff, pair);
    builder.domain(periodic(DVec3::splat(length), false));
    let velocities = thermal_velocities(n, false, &mut Random::from_seed(7));
    let corners = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.0, 0.5, 0.5), DVec3::new(0.5, 0.0, 0.5)];
    for (place, velocity) in velocities.into_iter().enumerate() {
        let (cell, corner) = (place / 4, corners[place % 4]);
        let cell = DVec3::new((cell % k) as f64, (cell / k % k) as f64, (cell / (k * k)) as f64);
        let position = (cell + corner + DVec3::splat(0.25)) * (length / k as f64);
        builder.listed_grain(grain(position, velocity, DVec3::ZERO, 0.5));
    }
    builder
}

/// Sum of the momenta [kg m/s].
pub fn momentum(simulation: &Simulation) -> DVec3 {
    let p = &simulation.state().particles;
    (0..p.len()).map(|i| p.velocity[i] * p.mass[i]).sum()
}

/// Steps up to a time [s].
pub fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time - 1e-9 * simulation.state().time_step {
        simulation.step().unwrap();
    }
}

/// What the ledger leaves unexplained over what was in play.
pub fn residual(simulation: &Simulation) -> f64 {
    simulation.state().ledger.residual(&simulation.energies())
}
