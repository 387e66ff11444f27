//! How long fills take: ratios, for machines differ.

use crate::samples::{cube_of, filled, of_unit_volume};
use std::time::Instant;
use tumble_engine::Simulation;
use tumble_engine::boundary::insertion::Amount;
use tumble_geometry::Shape;

/// Seconds that the start of a run takes, the least of some.
fn seconds(shape: &Shape, n_grains: u64, fraction: f64, n_runs: u32) -> f64 {
    let once = || {
        let model = filled(shape, cube_of(n_grains as f64 / fraction), Amount::Count(n_grains));
        let begin = Instant::now();
        let simulation = Simulation::new(model).unwrap();
        assert_eq!(simulation.state().particles.len() as u64, n_grains);
        begin.elapsed().as_secs_f64()
    };
    (0..n_runs).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Ten times as many grains, with what they need of memory, take at most twelve times as long.
#[test]
#[ignore = "a minute"]
fn the_time_of_a_fill_grows_as_the_number_of_grains() {
    let ball = of_unit_volume(&Shape::sphere(1.0).unwrap());
    let few = seconds(&ball, 100_000, 0.3, 3);
    let many = seconds(&ball, 1_000_000, 0.3, 2);
    println!("spheres to 0.3: 100,000 in {few:.2} s, 1,000,000 in {many:.2} s, {:.1} times as long", many / few);
    assert!(many <= 12.0 * few, "{:.1} times as long", many / few);
}
