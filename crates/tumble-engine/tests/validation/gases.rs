//! Gases of spheres at the automatic time step: a gas that cools books all that it loses, and one that loses nothing keeps its
//! energy.

use crate::support::{
    bead, elastic_gas, hertz, interaction, linear, listed, on_threads, random_gas, residual, run, spheres,
};
use glam::DVec3;
use tumble_engine::boundary::insertion::ListedGrain;
use tumble_engine::law::{ContactEnd, Law, MindlinTangential};
use tumble_engine::model::{Domain, Edge, TimeStep};
use tumble_engine::{Model, Simulation};

const RADIUS: f64 = 0.002;

/// Stiff enough that grains overlap by a few hundredths of their radius.
fn laws() -> [(&'static str, Law); 2] {
    [("linear", linear(1e4, ContactEnd::Clamped)), ("Hertz", hertz(MindlinTangential::Rescaled, ContactEnd::Clamped))]
}

/// A gas in a periodic cell at a quarter of its volume.
fn gas(law: Law, restitution: f64, friction: f64, n_a_side: u32, seed: u64) -> Model {
    let side = 2.4 * RADIUS * f64::from(n_a_side);
    let apart = |grain: ListedGrain| ListedGrain { position: grain.position * (2.4 / 2.05), ..grain };
    let grains = random_gas(RADIUS, DVec3::ZERO, [n_a_side; 3], 1.0, seed).into_iter().map(apart).collect();
    Model {
        domain: Domain { lower: DVec3::ZERO, upper: DVec3::splat(side), edges: [Edge::Periodic; 3] },
        insertions: vec![listed(grains)],
        ..spheres(law, bead(2e7), interaction(restitution, friction), TimeStep::Automatic { safety: 1.0, speed: None })
    }
}

/// Lets a gas cool to a tenth of its energy. The largest residual of the ledger on the way.
fn cool(model: Model) -> f64 {
    on_threads(1, || {
        let mut simulation = Simulation::new(model).unwrap();
        // Spins are kept where there is no friction.
        let start = simulation.energies().translation;
        let mut worst: f64 = 0.0;
        while simulation.energies().translation > 0.1 * start {
            run(&mut simulation, 100);
            worst = worst.max(residual(&simulation));
            assert!(simulation.state().step < 1_000_000, "the gas does not cool");
        }
        println!("    {} steps", simulation.state().step);
        worst
    })
}

fn check_cooling(n_a_side: u32, restitutions: &[f64], frictions: &[f64], seeds: &[u64]) {
    for (name, law) in laws() {
        for &restitution in restitutions {
            for &friction in frictions {
                for &seed in seeds {
                    let worst = cool(gas(law, restitution, friction, n_a_side, seed));
                    println!(
                        "{name}, restitution {restitution}, friction {friction}, seed {seed}: residual {worst:.1e}"
                    );
                    assert!(
                        worst < 3e-4,
                        "{name}, restitution {restitution}, friction {friction}, seed {seed}: {worst}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_cooling_gas_of_spheres_keeps_its_ledger() {
    check_cooling(4, &[0.5, 0.9], &[0.0, 0.5], &[3]);
}

/// `cargo test -p tumble-engine --test validation -- --ignored --nocapture cooling_gases`
#[test]
#[ignore = "a minute"]
fn large_cooling_gases_of_spheres_keep_their_ledgers() {
    check_cooling(8, &[0.5, 0.7, 0.8, 0.9, 0.95], &[0.0, 0.1, 0.5], &[3, 4, 5]);
}

fn check_elastic(n_a_side: u32, seeds: &[u64]) {
    for (name, law) in laws() {
        for &seed in seeds {
            let (most, drift) = elastic_gas(gas(law, 1.0, 0.0, n_a_side, seed), 200);
            println!("{name}, seed {seed}: energy off by {most:.1e} at most, {drift:+.1e} at the end");
            assert!(most < 1e-3, "{name}, seed {seed}: {most}");
        }
    }
}

#[test]
fn an_elastic_gas_of_spheres_keeps_its_energy_for_200_collisions_a_grain() {
    check_elastic(4, &[3]);
}

/// `cargo test -p tumble-engine --test validation -- --ignored --nocapture elastic_gases`
#[test]
#[ignore = "a minute"]
fn large_elastic_gases_of_spheres_keep_their_energy() {
    check_elastic(8, &[3, 4, 5]);
}
