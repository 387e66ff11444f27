//! How long fills take and how far they come. Nothing is asserted of times: machines differ.

use crate::samples::{compact, cube_of, filled, of_unit_volume, rods};
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

#[test]
#[ignore = "measures"]
fn fractions_that_are_reached() {
    for (name, shape) in compact().iter().chain(&rods()) {
        let shape = of_unit_volume(shape);
        for fraction in [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4] {
            let begin = Instant::now();
            let result = Simulation::new(filled(&shape, cube_of(1000.0 / fraction), Amount::Count(1000)));
            let seconds = begin.elapsed().as_secs_f64();
            match result {
                Ok(_) => println!("{name:14} {fraction:.2} in {seconds:7.3} s"),
                Err(error) => {
                    println!("{name:14} {fraction:.2} in {seconds:7.3} s: {error}");
                    break;
                }
            }
        }
    }
}

#[test]
#[ignore = "measures"]
fn the_time_grows_as_the_number() {
    let ball = of_unit_volume(&Shape::sphere(1.0).unwrap());
    let few = seconds(&ball, 100_000, 0.3, 3);
    let many = seconds(&ball, 1_000_000, 0.3, 2);
    println!("spheres to 0.3: 100,000 in {few:.2} s, 1,000,000 in {many:.2} s, {:.1} times as long", many / few);
    let cube = &compact()[0].1;
    for n_grains in [1_000, 10_000, 50_000] {
        println!("cubes to 0.25: {n_grains} in {:.2} s", seconds(cube, n_grains, 0.25, 2));
    }
}
