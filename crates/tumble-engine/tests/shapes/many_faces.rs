//! Stones with many small faces under the volume law: the automatic step goes by what they share, not by plates as wide as they are.

use crate::collisions::{collision, through};
use crate::samples::{cuboid, elastic, volume_law};
use glam::DVec3;
use tumble_engine::law::VolumeExponent;
use tumble_engine::{Model, Simulation, TimeStep};
use tumble_geometry::{Polyhedron, Shape};

/// The hull of points spread over an ellipsoid.
fn stone(n: usize) -> Shape {
    let golden_angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let points: Vec<DVec3> = (0..n)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / n as f64;
            let (sine, cosine) = (golden_angle * k as f64).sin_cos();
            let rho = (1.0 - z * z).sqrt();
            DVec3::new(0.55 * rho * cosine, 0.45 * rho * sine, 0.5 * z)
        })
        .collect();
    Shape::Polyhedron(Polyhedron::from_points(&points).unwrap())
}

fn by_automatic_step(shape: &Shape, exponent: VolumeExponent, seed: u64) -> Model {
    let model = collision(&[shape.clone(), shape.clone()], volume_law(exponent), elastic(), 1.0, seed);
    Model { time_step: TimeStep::Automatic { safety: 1.0, speed: Some(1.0) }, ..model }
}

#[test]
fn stones_of_many_small_faces_are_no_plates() {
    for exponent in [VolumeExponent::ThreeHalves, VolumeExponent::Two] {
        let step = |shape: &Shape| Simulation::new(by_automatic_step(shape, exponent, 1)).unwrap().state().time_step;
        let stone = stone(400);
        // A cube of about the same volume.
        let cube = cuboid(0.8, 0.8, 0.8);
        let longer = step(&stone) / step(&cube);
        assert!(longer > 2.0, "{exponent:?}: {longer} times the step of a cube");
        let mut n_met = 0;
        for seed in 0..6 {
            let model = by_automatic_step(&stone, exponent, seed);
            let before = Simulation::new(model.clone()).unwrap().energies().total();
            let Some(simulation) = through(model) else { continue };
            n_met += 1;
            let change = simulation.energies().total() / before - 1.0;
            assert!(simulation.n_contacts() == 0 && change.abs() < 1e-3, "{exponent:?}, {seed}: {change:e}");
        }
        assert!(n_met >= 3, "{n_met} met");
    }
}
