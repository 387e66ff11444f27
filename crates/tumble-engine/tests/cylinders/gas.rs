//! An elastic gas of cylinders without friction: energy stays, spin about the axes stays to rounding, and the energy of the
//! other five motions becomes equal.

use crate::samples::{DIAMETER, cylinder, elastic, grain, model, stiff_volume_law, with_grains};
use crate::support::{closed_box, linear};
use glam::DVec3;
use tumble_engine::law::{ContactEnd, Law};
use tumble_engine::model::Limits;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::Pose;

/// Ratios of height to diameter.
const RATIOS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// Grains on a lattice in a box: moving, turning about their axes, not tumbling yet.
fn gas(law: Law, n_a_side: u32, dt: f64) -> Model {
    // The same volume for all.
    let shapes = RATIOS.map(|ratio| cylinder(DIAMETER / ratio.cbrt(), ratio));
    let spacing = 2.8 * DIAMETER;
    let size = spacing * f64::from(n_a_side);
    let limits = Limits { overlap: 2.0, travel: 1.0, ..Limits::default() };
    let model =
        Model { limits, walls: closed_box(DVec3::ZERO, DVec3::splat(size)), ..model(&shapes, law, elastic(), dt) };
    let mut random = Random::from_seed(5);
    let grains = (0..n_a_side.pow(3))
        .map(|k| {
            let cell = DVec3::new(
                f64::from(k % n_a_side),
                f64::from(k / n_a_side % n_a_side),
                f64::from(k / n_a_side / n_a_side),
            );
            let pose = Pose::new((cell + 0.5) * spacing, random.orientation());
            let spin = pose.orientation * DVec3::Z * random.between(5.0, 20.0);
            grain(&model, (k % 4) as u16, pose, random.direction() * random.between(0.5, 1.5), spin)
        })
        .collect();
    with_grains(model, grains)
}

/// Spins about the axes by id.
fn axial_spins(simulation: &Simulation) -> Vec<f64> {
    let p = &simulation.state().particles;
    let mut spins: Vec<(u32, f64)> =
        (0..p.len()).map(|k| (p.id[k], p.angular_velocity[k].dot(p.orientation[k] * DVec3::Z))).collect();
    spins.sort_by_key(|(id, _)| *id);
    spins.into_iter().map(|(_, spin)| spin).collect()
}

/// Energy per motion: of the three of translation and of the two of tumbling.
fn per_motion(simulation: &Simulation) -> (f64, f64) {
    let p = &simulation.state().particles;
    let (mut translation, mut tumbling) = (0.0, 0.0);
    for k in 0..p.len() {
        let (axis, spin) = (p.orientation[k] * DVec3::Z, p.angular_velocity[k]);
        translation += 0.5 * p.mass[k] * p.velocity[k].length_squared();
        // What is left of the energy of rotation besides the spin about the axis.
        let axial = spin.dot(axis) * axis;
        tumbling += 0.5 * p.spin_momentum(k).dot(spin - axial);
    }
    (translation / 3.0, tumbling / 2.0)
}

/// Bounds of the change of axial spins (under the depth law as good as the witness points) and of the ratio of the energies
/// of tumbling and translation from one.
fn check(name: &str, law: Law, n_a_side: u32, dt: f64, n_steps: u64, [axial_bound, allowed_ratio]: [f64; 2]) {
    let mut simulation = Simulation::new(gas(law, n_a_side, dt)).unwrap();
    let start = simulation.energies().total();
    let spins = axial_spins(&simulation);
    let every = n_steps / 100;
    let mut energies = Vec::new();
    let mut motions = (0.0, 0.0);
    for k in 0..100 {
        for _ in 0..every {
            simulation.step().unwrap();
        }
        energies.push(simulation.energies().total() / start - 1.0);
        if k >= 50 {
            let now = per_motion(&simulation);
            motions = (motions.0 + now.0, motions.1 + now.1);
        }
    }
    let largest = energies.iter().fold(0.0, |largest: f64, e| largest.max(e.abs()));
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let trend = mean(&energies[75..]) - mean(&energies[..25]);
    let change = axial_spins(&simulation).iter().zip(&spins).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    let ratio = motions.1 / motions.0;
    println!(
        "{name}: {} grains, {n_steps} steps, energy off by {largest:.1e} (trend {trend:+.1e}), axial spin by {change:.1e}, \
         tumbling over translation {ratio:.3}",
        spins.len()
    );
    assert!(largest < 1e-3, "{name}: {largest:.1e}");
    assert!(trend.abs() < 5e-4, "{name}: {trend:.1e}");
    assert!(change < axial_bound, "{name}: {change:.1e}");
    assert!((ratio - 1.0).abs() < allowed_ratio, "{name}: {ratio}");
}

#[test]
fn a_gas_of_cylinders_keeps_energy_and_axial_spin_under_the_depth_law() {
    check("depth", linear(2e5, ContactEnd::Clamped), 4, 2e-5, 20_000, [1e-6, 1.0]);
}

#[test]
fn a_gas_of_cylinders_keeps_energy_and_axial_spin_under_the_volume_law() {
    check("volume", stiff_volume_law(2e7), 4, 2e-5, 20_000, [1e-9, 1.0]);
}

/// `cargo test -p tumble-engine --test cylinders -- --ignored --nocapture million_steps_of_gas`
#[test]
#[ignore = "minutes: 216 cylinders, a million steps, equipartition within 3 %"]
fn a_million_steps_of_gas_under_the_depth_law() {
    check("depth", linear(2e5, ContactEnd::Clamped), 6, 2e-5, 1_000_000, [1e-5, 0.03]);
}

/// See above.
#[test]
#[ignore = "minutes: 216 cylinders, a million steps, equipartition within 3 %"]
fn a_million_steps_of_gas_under_the_volume_law() {
    check("volume", stiff_volume_law(2e7), 6, 2e-5, 1_000_000, [1e-9, 0.03]);
}
