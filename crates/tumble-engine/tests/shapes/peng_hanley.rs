//! The cases of Peng and Hanley in runs: the depth law with their overlap, point and normal. Momentum is kept and bits are; energy is by
//! `exact` alone.

use crate::collisions::{CONTACT_TIME, collision, through};
use crate::samples::{cuboid, depth_law, each_on_one_thread, elastic};
use crate::support::on_threads;
use glam::DVec3;
use tumble_engine::law::Law;
use tumble_engine::model::Limits;
use tumble_engine::{Model, Simulation};
use tumble_geometry::Shape;
use tumble_geometry::narrow::ContactMethod;

fn shapes() -> [Shape; 2] {
    [cuboid(1.0, 0.8, 0.6), Shape::superquadric(DVec3::new(0.6, 0.5, 0.4), 3.0, 4.0).unwrap()]
}

fn between(method: ContactMethod, steps: f64, seed: u64) -> Model {
    let law = Law { contact_method: method, ..depth_law() };
    let model = collision(&shapes(), law, elastic(), CONTACT_TIME / steps, seed);
    Model { limits: Limits { energy: f64::INFINITY, ..model.limits }, ..model }
}

#[test]
fn collisions_by_the_cases_of_peng_and_hanley_keep_momentum() {
    for method in [ContactMethod::PENG_HANLEY, ContactMethod::PENG_HANLEY_GUARDED, ContactMethod::Exact] {
        let seeds: Vec<u64> = (0..6).collect();
        let results = each_on_one_thread(&seeds, |&seed| {
            let model = between(method, 100.0, seed);
            let start = Simulation::new(model.clone()).unwrap();
            let momentum = |simulation: &Simulation| {
                let p = &simulation.state().particles;
                (0..p.len()).map(|i| p.velocity[i] * p.mass[i]).sum::<DVec3>()
            };
            let (before, energy) = (momentum(&start), start.energies().total());
            let mass = start.state().particles.mass[0];
            let end = through(model)?;
            Some(((momentum(&end) - before).length() / mass, (end.energies().total() / energy - 1.0).abs()))
        });
        let results: Vec<(f64, f64)> = results.into_iter().flatten().collect();
        let worst = |pick: fn(&(f64, f64)) -> f64| results.iter().map(pick).fold(0.0, f64::max);
        println!("{}: momentum off by {:.1e}, energy by {:.1e}", method.name(), worst(|r| r.0), worst(|r| r.1));
        assert!(results.len() >= 3 && worst(|r| r.0) < 1e-12);
        if method == ContactMethod::Exact {
            assert!(worst(|r| r.1) < 1e-3);
        }
    }
}

#[test]
fn runs_by_the_cases_of_peng_and_hanley_have_the_same_bits_on_any_threads() {
    for method in [ContactMethod::PENG_HANLEY, ContactMethod::PENG_HANLEY_GUARDED] {
        let ends = [1, 2].map(|n_threads| {
            on_threads(n_threads, || through(between(method, 50.0, 3)).map(|end| end.state().particles.clone()))
        });
        assert!(ends[0].is_some() && ends[0] == ends[1]);
    }
}
