//! Two bodies that collide, elastic and without friction: energy comes back as the step is refined; momentum always;
//! and the way back is the way there.

use crate::samples::{
    depth_law, direction, each_on_one_thread, elastic, every_pair, for_each_conserving_law, grain, has_exact_region,
    in_runs, model, orientation, pairs_for, volume_law, with_grains,
};
use crate::support::{interaction, on_threads};
use glam::DVec3;
use tumble_engine::law::{InteractionProperties, Law, LawKind, VolumeExponent};
use tumble_engine::random::Random;
use tumble_engine::{Model, Particles, Simulation};
use tumble_geometry::{Pose, Shape};

/// Speed at which the bodies meet [m/s]: a few per cent of overlap with the stiffness of the samples.
const SPEED: f64 = 1.0;

/// A contact lasts about this long [s].
pub const CONTACT_TIME: f64 = 0.02;

/// Two bodies on their way to each other, with spin.
pub fn collision(shapes: &[Shape; 2], law: Law, properties: InteractionProperties, dt: f64, seed: u64) -> Model {
    let mut random = Random::from_seed(seed);
    let model = model(shapes, law, properties, dt);
    let towards = direction(&model, &mut random);
    let reach: f64 = shapes.iter().map(|shape| shape.bounding_radius()).sum();
    let aside = direction(&model, &mut random).reject_from(towards) * (0.3 * reach * random.unit());
    let spin = |random: &mut Random| {
        let spin = random.direction() * (SPEED * random.unit());
        if model.planar { DVec3::Z * spin.z } else { spin }
    };
    let poses = [DVec3::ZERO, towards * (1.02 * reach) + aside]
        .map(|position| Pose::new(position, orientation(&model, &mut random)));
    let grains = vec![
        grain(&model, 0, poses[0], towards * (0.5 * SPEED), spin(&mut random)),
        grain(&model, 1, poses[1], -towards * (0.5 * SPEED), spin(&mut random)),
    ];
    with_grains(model, grains)
}

/// Runs until the bodies have met and are surely apart; `None` if they miss each other.
pub fn through(model: Model) -> Option<Simulation> {
    let mut simulation = Simulation::new(model).unwrap();
    let dt = simulation.state().time_step;
    let mut met = false;
    for _ in 0..(3.0 / dt) as usize {
        simulation.step().unwrap();
        met |= simulation.n_contacts() > 0;
        let p = &simulation.state().particles;
        let (apart, going) = (p.position[1] - p.position[0], p.velocity[1] - p.velocity[0]);
        if apart.dot(going) > 0.0 && apart.length() > p.radius[0] + p.radius[1] {
            break;
        }
    }
    met.then_some(simulation)
}

/// Relative changes of energy over collisions of all pairs.
fn energy_errors(law: Law, pairs: &[(String, [Shape; 2])], dt: f64, n_seeds: u64) -> Vec<f64> {
    let cases: Vec<([Shape; 2], u64)> =
        pairs.iter().flat_map(|(_, shapes)| (0..n_seeds).map(|s| (shapes.clone(), s))).collect();
    let errors = each_on_one_thread(&cases, |(shapes, seed)| {
        let model = collision(shapes, law, elastic(), dt, *seed);
        let before = Simulation::new(model.clone()).unwrap().energies().total();
        let simulation = through(model)?;
        (simulation.n_contacts() == 0).then(|| simulation.energies().total() / before - 1.0)
    });
    errors.into_iter().flatten().collect()
}

for_each_conserving_law!(the_energy_of_collisions_comes_back_as_the_step_is_refined, check_energy);

pub(crate) fn check_energy(name: &str, law: Law) {
    if matches!(law.kind, LawKind::Volume { exponent: VolumeExponent::ThreeHalves, .. }) {
        // Regions of curved bodies take long.
        check_convergence(name, law, &pairs_for(&law), 1, &[30.0, 60.0]);
    } else {
        check_convergence(name, law, &pairs_for(&law), 3, &REFINEMENTS);
    }
}

/// Steps in the time that a contact lasts.
const REFINEMENTS: [f64; 3] = [50.0, 100.0, 200.0];

pub(crate) fn check_convergence(
    name: &str,
    law: Law,
    pairs: &[(String, [Shape; 2])],
    n_seeds: u64,
    refinements: &[f64],
) {
    let mut before = f64::INFINITY;
    for &steps in refinements {
        let mut errors = energy_errors(law, pairs, CONTACT_TIME / steps, n_seeds);
        let n = errors.len();
        let rms = (errors.iter().map(|e| e * e).sum::<f64>() / n as f64).sqrt();
        let mean = errors.iter().sum::<f64>() / n as f64;
        errors.iter_mut().for_each(|e| *e = e.abs());
        errors.sort_by(f64::total_cmp);
        let p95 = errors[n * 95 / 100];
        println!(
            "{name}, t_c/{steps}: {n} collisions, rms {rms:.1e}, mean {mean:+.1e}, p95 {p95:.1e}, worst {:.1e}",
            errors[n - 1]
        );
        assert!(p95 < 0.5 * before, "{name}: {before:.2e} -> {p95:.2e} at t_c/{steps}");
        before = p95;
    }
}

/// Five hundred collisions of every pair.
#[test]
#[ignore = "many minutes: the full size under the depth law"]
fn the_energy_of_five_hundred_collisions_a_pair_comes_back_under_the_depth_law() {
    check_convergence("depth", depth_law(), &every_pair().collect::<Vec<_>>(), 500, &REFINEMENTS);
}

/// Five hundred collisions of every pair whose region is exact.
#[test]
#[ignore = "minutes: the full size for exact regions"]
fn the_energy_of_five_hundred_collisions_a_pair_with_an_exact_region_comes_back() {
    let exact: Vec<_> = every_pair().filter(|(_, shapes)| has_exact_region(shapes)).collect();
    for exponent in [VolumeExponent::One, VolumeExponent::ThreeHalves, VolumeExponent::Two] {
        check_convergence("volume", volume_law(exponent), &exact, 500, &REFINEMENTS);
    }
}

/// Five collisions of every pair.
#[test]
#[ignore = "many minutes: all pairs under the volume law"]
fn the_energy_of_collisions_of_all_pairs_comes_back_under_the_volume_law() {
    let all: Vec<_> = every_pair().collect();
    check_convergence("volume, 3/2", volume_law(VolumeExponent::ThreeHalves), &all, 5, &REFINEMENTS);
}

fn momenta(p: &Particles) -> (DVec3, DVec3) {
    (0..p.len()).fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), i| {
        let momentum = p.velocity[i] * p.mass[i];
        (linear + momentum, angular + p.position[i].cross(momentum) + p.spin_momentum(i))
    })
}

for_each_conserving_law!(colliding_shapes_keep_momentum_and_angular_momentum, check_momenta);

pub(crate) fn check_momenta(name: &str, law: Law) {
    let law = in_runs(law);
    let mut largest: f64 = 0.0;
    for (pair, shapes) in pairs_for(&law) {
        let model = collision(&shapes, law, interaction(0.6, 0.4), CONTACT_TIME / 50.0, 5);
        let (linear, angular) = momenta(&Simulation::new(model.clone()).unwrap().state().particles);
        let Some(simulation) = on_threads(1, || through(model)) else { continue };
        let p = &simulation.state().particles;
        let scale = p.mass[0] * SPEED;
        let (now_linear, now_angular) = momenta(p);
        let change = (now_linear - linear).length().max((now_angular - angular).length()) / scale;
        largest = largest.max(change);
        assert!(change < 1e-12, "{name}: {pair}: {change}");
    }
    println!("largest change of momentum: {largest:.1e} of m v");
}

for_each_conserving_law!(a_collision_run_backwards_returns_to_its_start, check_way_back);

pub(crate) fn check_way_back(name: &str, law: Law) {
    check_way_back_of(name, law, &pairs_for(&law));
}

pub(crate) fn check_way_back_of(name: &str, law: Law, pairs: &[(String, [Shape; 2])]) {
    let mut law = in_runs(law);
    let mut steps = 200.0;
    if let LawKind::Volume { region_tolerance, .. } = &mut law.kind {
        // Regions are found anew on the way back, from other guesses: they must agree better than those of a run.
        *region_tolerance *= 0.1;
        // They take long. The way back is the way there at any step.
        steps = 50.0;
    }
    let results = each_on_one_thread(pairs, |(pair, shapes)| {
        let model = collision(shapes, law, elastic(), CONTACT_TIME / steps, 5);
        let start = Simulation::new(model.clone()).unwrap().state().particles.clone();
        let there = through(model.clone())?;
        let n_steps = there.state().step;
        let p = &there.state().particles;
        let back = (0..2)
            .map(|i| {
                let pose = Pose::new(p.position[i], p.orientation[i]);
                grain(&model, p.species[i], pose, -p.velocity[i], -p.angular_velocity[i])
            })
            .collect();
        let mut simulation = Simulation::new(with_grains(model, back)).unwrap();
        (0..n_steps).for_each(|_| simulation.step().unwrap());
        let end = &simulation.state().particles;
        let of = |particles: &Particles, species: u16| particles.species.iter().position(|&s| s == species).unwrap();
        let off = |species| (start.position[of(&start, species)] - end.position[of(end, species)]).length();
        Some((pair.clone(), off(0).max(off(1))))
    });
    let mut largest: f64 = 0.0;
    for (pair, off) in results.into_iter().flatten() {
        largest = largest.max(off);
        assert!(off < 1e-8, "{name}: {pair}: {off}");
    }
    println!("{name}: back to within {largest:.1e} m");
}
