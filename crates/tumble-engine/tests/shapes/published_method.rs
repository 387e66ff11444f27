//! The published method for two cylinders, run with the law that its readers would take from it: the depth law with the
//! published overlap at the published point along the published normal. What it keeps, and what it costs.

use crate::collisions::{CONTACT_TIME, collision, through};
use crate::samples::{depth_law, each_on_one_thread, elastic};
use glam::DVec3;
use tumble_engine::law::Law;
use tumble_engine::model::Limits;
use tumble_engine::{Model, Particles, Simulation};
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::{Cylinder, Shape};

fn cylinder(radius: f64, half_height: f64) -> Shape {
    Shape::Cylinder(Cylinder { radius, half_height })
}

/// Tablets, rods, and one of each.
fn pairs() -> Vec<(String, [Shape; 2])> {
    let (tablet, rod) = (cylinder(0.5, 0.25), cylinder(0.2, 0.6));
    vec![
        ("tablets".into(), [tablet.clone(), tablet.clone()]),
        ("rods".into(), [rod.clone(), rod.clone()]),
        ("tablet and rod".into(), [tablet, rod]),
    ]
}

fn law(contact_method: ContactMethod) -> Law {
    Law { contact_method, ..depth_law() }
}

/// A collision of a pair, however much energy it makes or loses.
fn without_limits(shapes: &[Shape; 2], method: ContactMethod, steps: f64, seed: u64) -> Model {
    let model = collision(shapes, law(method), elastic(), CONTACT_TIME / steps, seed);
    Model { limits: Limits { energy: f64::INFINITY, ..model.limits }, ..model }
}

/// Relative changes of energy over elastic collisions.
fn energy_errors(method: ContactMethod, steps: f64, n_seeds: u64) -> Vec<f64> {
    let cases: Vec<([Shape; 2], u64)> =
        pairs().into_iter().flat_map(|(_, shapes)| (0..n_seeds).map(move |seed| (shapes.clone(), seed))).collect();
    let errors = each_on_one_thread(&cases, |(shapes, seed)| {
        let model = without_limits(shapes, method, steps, *seed);
        let before = Simulation::new(model.clone()).unwrap().energies().total();
        let end = through(model)?;
        (end.n_contacts() == 0).then(|| end.energies().total() / before - 1.0)
    });
    errors.into_iter().flatten().collect()
}

/// Angular momentum of each grain about its own axis.
fn axial_spins(p: &Particles) -> Vec<f64> {
    (0..p.len()).map(|i| p.spin_momentum(i).dot(p.orientation[i] * DVec3::Z)).collect()
}

#[test]
fn the_published_normal_leaves_the_spin_about_the_axes_alone() {
    for method in ContactMethod::ALL {
        let cases: Vec<([Shape; 2], u64)> =
            pairs().into_iter().flat_map(|(_, shapes)| (0..5).map(move |seed| (shapes.clone(), seed))).collect();
        let changes = each_on_one_thread(&cases, |(shapes, seed)| {
            let model = without_limits(shapes, method, 50.0, *seed);
            let start = Simulation::new(model.clone()).unwrap();
            let before = axial_spins(&start.state().particles);
            let end = through(model)?;
            let p = &end.state().particles;
            // Over what a contact force would do at a lever of the radius.
            let scale = p.mass[0] * p.radius[0];
            Some(
                axial_spins(p).iter().zip(before).map(|(now, before)| (now - before).abs() / scale).fold(0.0, f64::max),
            )
        });
        let changes: Vec<f64> = changes.into_iter().flatten().collect();
        let worst = changes.iter().copied().fold(0.0, f64::max);
        println!("{}: {} collisions, spin changed by {worst:.1e} at most", method.name(), changes.len());
        assert!(changes.len() >= 10 && worst < 1e-9, "{}: {worst:e}", method.name());
    }
}

#[test]
fn the_published_methods_make_and_lose_energy_at_any_step() {
    const N_SEEDS: u64 = 5;
    let rms = |method: ContactMethod, steps: f64| {
        let errors = energy_errors(method, steps, N_SEEDS);
        let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let worst = errors.iter().map(|e| e.abs()).fold(0.0, f64::max);
        println!(
            "{}, t_c/{steps}: {} elastic collisions, energy off by {rms:.1e} rms, {mean:+.1e} on average, {worst:.1e} at \
             worst",
            method.name(),
            errors.len()
        );
        rms
    };
    let exact = [100.0, 400.0].map(|steps| rms(ContactMethod::Exact, steps));
    assert!(exact[1] < 0.5 * exact[0], "{exact:?}");
    for method in [ContactMethod::FENG_LAYERED, ContactMethod::FENG_EDGE] {
        let published = [100.0, 400.0].map(|steps| rms(method, steps));
        assert!(published[1] > 0.5 * published[0], "{method:?} {published:?}");
        assert!(published[1] > 30.0 * exact[1], "{method:?} {published:?} {exact:?}");
    }
}
