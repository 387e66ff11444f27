//! Collisions a second of an elastic gas of hard spheres in a periodic cube, by the event-driven solver on one thread:
//!
//! `cargo run --release -p tumble-engine --example hard_gas_speed -- 7 0.3 100`
//!
//! for 4 k^3 spheres, their solid fraction and collisions a sphere; `benchmarks/hard/run.py` runs it at all sizes. Time is that of the processor where the system tells it (Linux), and
//! that of the clock elsewhere; neighbour lists and all bookkeeping of a run are in it.

use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use std::time::Instant;
use tumble_engine::model::{Domain, Edge, HardSettings, Solver};
use tumble_engine::random::Random;
use tumble_engine::{InteractionProperties, ListedGrain, Material, Model, Simulation};
use tumble_geometry::Shape;

/// Seconds of this thread on a processor, or by the clock.
fn seconds(since: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|line| line.split(' ').next().and_then(|first| first.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| since.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

fn main() {
    let arguments: Vec<f64> = std::env::args().skip(1).map(|word| word.parse().expect("numbers")).collect();
    let &[k, fraction, collisions] = arguments.as_slice() else {
        panic!("tell k for 4 k^3 spheres, the solid fraction, and collisions a sphere");
    };
    let k = k as usize;
    let n = 4 * k * k * k;
    let length = (n as f64 * PI / 6.0 / fraction).cbrt();
    let mut builder = Model::builder();
    let stuff = Material { name: "stuff".into(), density: 6.0 / PI, young_modulus: 1.0, poisson_ratio: 0.3 };
    let stuff = builder.material(stuff);
    builder.species("ball", &Shape::sphere(0.5).expect("a sphere"), stuff);
    let smooth =
        InteractionProperties { restitution: 1.0, friction: 0.0, rolling_friction: 0.0, tangential_restitution: -1.0 };
    builder.solver(Solver::HardEvents, HardSettings::default()).gravity(DVec3::ZERO).interaction(stuff, stuff, smooth);
    builder.domain(Domain { lower: DVec3::ZERO, upper: DVec3::splat(length), edges: [Edge::Periodic; 3] });
    let mut random = Random::from_seed(1);
    let corners = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.0, 0.5, 0.5), DVec3::new(0.5, 0.0, 0.5)];
    for place in 0..n {
        let (cell, corner) = (place / 4, corners[place % 4]);
        let cell = DVec3::new((cell % k) as f64, (cell / k % k) as f64, (cell / (k * k)) as f64);
        builder.listed_grain(ListedGrain {
            species: 0,
            radius: 0.5,
            position: (cell + corner + DVec3::splat(0.25)) * (length / k as f64),
            orientation: DQuat::IDENTITY,
            velocity: DVec3::new(random.normal(), random.normal(), random.normal()),
            angular_velocity: DVec3::ZERO,
        });
    }
    let mut simulation = Simulation::new(builder.build().expect("a model")).expect("a start");
    let collided = |simulation: &Simulation| simulation.state().solver.collisions().map_or(0, |totals| totals.n_pairs);
    let run_to = |simulation: &mut Simulation, a_sphere: f64| {
        while (collided(simulation) as f64) < a_sphere * n as f64 / 2.0 {
            simulation.step().expect("a step");
        }
    };
    let clock = Instant::now();
    // Off the lattice first.
    run_to(&mut simulation, 0.2 * collisions);
    let (before, start) = (collided(&simulation), seconds(clock));
    // Steps may be longer than that.
    run_to(&mut simulation, 2.0 * before as f64 / n as f64 + collisions);
    let (after, end) = (collided(&simulation), seconds(clock));
    let totals = simulation.state().solver.collisions().copied().unwrap_or_default();
    let share = |count: u64| count as f64 / totals.n_pairs as f64;
    println!(
        "{n} spheres, fraction {fraction}: {:.3e} collisions a second over {} of {}; {:.2} stale events and {:.2} renewed neighbours a collision",
        (after - before) as f64 / (end - start),
        after - before,
        after,
        share(totals.n_stale),
        share(totals.n_transfers)
    );
}
