//! The stepped hard solver.

use crate::support::{gas_of_discs, gas_of_spheres, grain, grains_of, hard, momentum, residual, run_to};
use glam::DVec3;
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::model::{HardSettings, Limits, Solver};
use tumble_engine::observe::collisions::CollisionAverages;
use tumble_engine::{DQuat, Simulation, TimeStep};
use tumble_geometry::{Pose, Shape, Surface};

const STEPPED: Solver = Solver::HardStepped;

fn settings() -> HardSettings {
    HardSettings::default()
}

#[test]
fn walton_s_two_collisions_come_out_as_computed() {
    // Equal spheres, e = 0.9, mu = 0.3, beta0 = 0.4: one sticks, one slides.
    for (velocity, after_a, after_b, spin) in [
        (DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.05, 0.8, 0.0), DVec3::new(0.95, 0.2, 0.0), -1.0),
        (DVec3::new(1.0, 3.0, 0.0), DVec3::new(0.05, 2.715, 0.0), DVec3::new(0.95, 0.285, 0.0), -1.425),
    ] {
        let mut builder = grains_of(&Shape::sphere(0.5).unwrap(), STEPPED, settings(), hard(0.9, 0.3, 0.4));
        // A millionth of an overlap, so that the arms of the impulse are the radii to as much.
        builder.listed_grain(grain(DVec3::ZERO, velocity, DVec3::ZERO, 0.5));
        builder.listed_grain(grain(DVec3::X * (1.0 - 1e-9), DVec3::ZERO, DVec3::ZERO, 0.5));
        builder.time_step(TimeStep::Fixed(1e-6));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        simulation.step().unwrap();
        let p = &simulation.state().particles;
        assert!((p.velocity[0] - after_a).length() < 1e-8, "{}", p.velocity[0]);
        assert!((p.velocity[1] - after_b).length() < 1e-8, "{}", p.velocity[1]);
        for i in 0..2 {
            assert!((p.angular_velocity[i] - DVec3::Z * spin).length() < 1e-8, "{}", p.angular_velocity[i]);
        }
        assert!(residual(&simulation) < 1e-14);
    }
}

#[test]
fn a_ball_bounces_to_e_squared_of_its_height_and_comes_to_rest_on_the_floor() {
    let mut builder = grains_of(&Shape::sphere(0.01).unwrap(), STEPPED, settings(), hard(0.8, 0.3, 0.0));
    builder.gravity(DVec3::NEG_Z * 9.81).wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
    builder.grain(0, DVec3::Z * 0.21);
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    let (mut apex, mut last) = (Vec::new(), 0.0);
    while simulation.time() < 1.0 {
        let before = simulation.state().particles.velocity[0].z;
        simulation.step().unwrap();
        let p = &simulation.state().particles;
        if before > 0.0 && p.velocity[0].z <= 0.0 {
            apex.push(p.position[0].z - 0.01);
        }
        last = p.position[0].z;
    }
    for (bounce, height) in apex.iter().take(3).enumerate() {
        let expected = 0.2 * 0.64f64.powi(bounce as i32 + 1);
        assert!((height / expected - 1.0).abs() < 0.01, "bounce {bounce}: {height} m, expected {expected} m");
    }
    // The sum of all bounces ends after t0 (1 + e) / (1 - e) = 1.82 s.
    run_to(&mut simulation, 3.0);
    let settled = simulation.state().particles.position[0].z;
    let force = simulation.state().walls[0].force.z;
    run_to(&mut simulation, 5.0);
    let place = simulation.state().particles.position[0].z;
    // What is left are hops of the order of g dt^2 / (1 - e)^2, 4e-7 m here.
    assert!((place - settled).abs() < 4e-7 && place < last, "{settled} m, then {place} m");
    assert!((0.01 - place) / 0.02 < 0.005, "it lies at {place} m");
    assert!(force <= 0.0);
    assert!(residual(&simulation) < 1e-12, "{}", residual(&simulation));
}

#[test]
fn a_column_of_balls_rests_on_the_floor_and_weighs_what_it_weighs() {
    let hard_settings = HardSettings { sweeps: 20, ..settings() };
    let mut builder = grains_of(&Shape::sphere(0.01).unwrap(), STEPPED, hard_settings, hard(0.5, 0.3, 0.0));
    builder.gravity(DVec3::NEG_Z * 9.81).wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
    for k in 0..5 {
        builder.grain(0, DVec3::Z * (0.01 + 0.0201 * k as f64));
    }
    builder.time_step(TimeStep::Fixed(2e-5));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    run_to(&mut simulation, 1.0);
    let heights = |simulation: &Simulation| {
        let mut heights: Vec<f64> = simulation.state().particles.position.iter().map(|x| x.z).collect();
        heights.sort_by(f64::total_cmp);
        heights
    };
    let before = heights(&simulation);
    let mut impulse = 0.0;
    let n_steps = 25_000;
    for _ in 0..n_steps {
        simulation.step().unwrap();
        impulse += simulation.state().walls[0].force.z;
    }
    for (k, (then, now)) in before.iter().zip(heights(&simulation)).enumerate() {
        assert!((now - then).abs() < 1e-6, "ball {k} went from {then} m to {now} m");
        assert!((now - (0.01 + 0.02 * k as f64)).abs() < 1e-4, "ball {k} at {now} m");
    }
    let weight: f64 = simulation.state().particles.mass.iter().sum::<f64>() * 9.81;
    assert!((impulse / n_steps as f64 / -weight - 1.0).abs() < 1e-3, "{impulse}");
    // Little was ever in play: places rounded in 75,000 steps weigh as much.
    assert!(residual(&simulation) < 1e-8, "{}", residual(&simulation));
}

#[test]
fn an_elastic_gas_keeps_energy_and_momentum_and_has_its_pressure() {
    let builder = gas_of_spheres(4, 0.3, STEPPED, settings(), hard(1.0, 0.0, -1.0));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    let energy = simulation.kinetic_energy();
    run_to(&mut simulation, 4.0);
    assert!((simulation.kinetic_energy() / energy - 1.0).abs() < 1e-12);
    assert!(momentum(&simulation).length() < 1e-12 * 256.0);
    let (model, state) = (simulation.model(), simulation.state());
    let averages = CollisionAverages::of(model, state, state.solver.collisions().unwrap());
    let trace = |stress: [f64; 9]| stress[0] + stress[4] + stress[8];
    let ratio = 1.0 + trace(averages.collisional_stress.unwrap()) / trace(averages.kinetic_stress.unwrap());
    // Kolafa's equation of state and its rate of collisions; 256 spheres over 40 collisions each, and mean overlaps below 0.2 %.
    assert!((averages.temperature - 1.0).abs() < 1e-9, "{}", averages.temperature);
    assert!(averages.mean_overlap < 0.002, "{}", averages.mean_overlap);
    assert!((ratio / 3.98426 - 1.0).abs() < 0.03, "{ratio}");
    assert!((averages.rate / 10.1021 - 1.0).abs() < 0.03, "{}", averages.rate);
}

#[test]
fn sheared_discs_reach_the_temperature_and_stress_of_an_event_driven_run() {
    // Solid fraction 0.5, e = 0.9: T* 2.28, collisional xx 3.551, yy 3.456, -xy 0.9927, kinetic xx 1.172, yy 1.108, -xy 0.2489 over
    // the density of the grains, for 400 discs. Steps of 0.002 have collisional stresses some 2 to 4 % lower.
    let average = HardSettings { average_after: 10.0, ..settings() };
    let mut builder = gas_of_discs(20, 0.5, STEPPED, average, 0.9);
    builder.shear_rate(1.0).time_step(TimeStep::Fixed(0.002));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    run_to(&mut simulation, 60.0);
    let (model, state) = (simulation.model(), simulation.state());
    let averages = CollisionAverages::of(model, state, state.solver.collisions().unwrap());
    assert!((averages.temperature / 2.28 - 1.0).abs() < 0.06, "{averages:?}");
    // Discs of diameter and mass 1 have the density 1 here: their volume is 1.
    let [kinetic, collisional] = [averages.kinetic_stress.unwrap(), averages.collisional_stress.unwrap()];
    for (stress, place, expected) in [
        (&kinetic, 0, 1.172),
        (&kinetic, 4, 1.108),
        (&kinetic, 1, -0.2489),
        (&collisional, 0, 3.551),
        (&collisional, 4, 3.456),
        (&collisional, 1, -0.9927),
    ] {
        // The grains' density is their mass over their volume, pi/4 deep by a thickness of 4/pi.
        assert!(
            (stress[place] / expected - 1.0).abs() < 0.1,
            "{place}: {} for {expected}; {averages:?}",
            stress[place]
        );
    }
    assert!(residual(&simulation) < 1e-9, "{}", residual(&simulation));
}

#[test]
fn elastic_bodies_of_any_shape_keep_energy_momentum_and_share_what_they_have() {
    for shape in [Shape::cuboid(DVec3::splat(0.8)).unwrap(), Shape::cylinder(0.4, 1.0).unwrap()] {
        let mut builder = grains_of(&shape, STEPPED, settings(), hard(1.0, 0.0, -1.0));
        builder.domain(crate::support::periodic(DVec3::splat(6.0), false)).time_step(TimeStep::Fixed(0.005));
        let mut random = tumble_engine::random::Random::from_seed(3);
        for (k, velocity) in crate::support::thermal_velocities(64, false, &mut random).into_iter().enumerate() {
            let place = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64) * 1.5 + DVec3::splat(0.75);
            let mut one = grain(place, velocity, DVec3::ZERO, shape.bounding_radius());
            one.orientation = DQuat::from_euler(glam::EulerRot::XYZ, k as f64, 2.0 * k as f64, 0.0);
            builder.listed_grain(one);
        }
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        let energy = simulation.kinetic_energy();
        run_to(&mut simulation, 5.0);
        let (mut translation, mut rotation, mut n) = (0.0, 0.0, 0.0);
        while simulation.time() < 40.0 {
            simulation.step().unwrap();
            if simulation.state().step.is_multiple_of(100) {
                let energies = simulation.energies();
                (translation, rotation, n) =
                    (translation + energies.translation, rotation + energies.rotation, n + 1.0);
            }
        }
        assert!((simulation.kinetic_energy() / energy - 1.0).abs() < 1e-10, "{shape:?}");
        assert!(momentum(&simulation).length() < 1e-10);
        assert!(residual(&simulation) < 1e-10);
        // A cylinder without friction keeps its spin about its own axis: two ways to turn, three to go; a box has three of each.
        let expected = if matches!(shape, Shape::Cylinder(_)) { 2.0 / 3.0 } else { 1.0 };
        assert!((rotation / translation / expected - 1.0).abs() < 0.1, "{shape:?}: {} {n}", rotation / translation);
    }
}

#[test]
fn the_same_bits_on_any_number_of_threads_and_after_a_resume() {
    let make = || {
        let mut builder = gas_of_discs(20, 0.4, STEPPED, settings(), 0.8);
        builder.shear_rate(0.5).time_step(TimeStep::Fixed(0.005));
        Simulation::new(builder.build().unwrap()).unwrap()
    };
    let hash_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = make();
            (0..500).for_each(|_| simulation.step().unwrap());
            simulation.state_hash()
        })
    };
    let one = hash_on(1);
    assert_eq!(one, hash_on(3));
    let mut simulation = make();
    (0..237).for_each(|_| simulation.step().unwrap());
    let mut again = Simulation::resume(simulation.model().clone(), simulation.state().clone()).unwrap();
    (237..500).for_each(|_| again.step().unwrap());
    assert_eq!(one, again.state_hash());
}

#[test]
fn every_broad_phase_gives_the_same_bits() {
    use tumble_engine::broad::BroadPhase;
    let hash = |phase: BroadPhase| {
        let mut builder = gas_of_spheres(3, 0.2, STEPPED, settings(), hard(0.9, 0.2, 0.3));
        builder.broad_phase(phase).time_step(TimeStep::Fixed(0.004));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        (0..300).for_each(|_| simulation.step().unwrap());
        assert!(simulation.state().solver.collisions().unwrap().n_pairs > 50);
        simulation.state_hash()
    };
    let all_pairs = hash(BroadPhase::AllPairs);
    for phase in [BroadPhase::Cells, BroadPhase::MultilevelCells, BroadPhase::SweepAndPrune] {
        assert_eq!(all_pairs, hash(phase), "{phase:?}");
    }
}

#[test]
fn a_moving_wall_does_the_work_that_the_ledger_books() {
    let mut builder = grains_of(&Shape::sphere(0.5).unwrap(), STEPPED, settings(), hard(0.7, 0.4, 0.2));
    let motion = Motion::Vibrate { amplitude: DVec3::Z * 0.1, frequency: 1.0, start: 0.0, stop: f64::INFINITY };
    let floor = Wall {
        name: "floor".into(),
        surface: Surface::HalfSpace,
        pose: Pose::IDENTITY,
        material: 0,
        motion,
        ..Wall::default()
    };
    builder.gravity(DVec3::NEG_Z * 9.81).moving_wall(floor);
    for k in 0..8 {
        builder.grain(0, DVec3::new(1.5 * k as f64, 0.3 * k as f64, 0.8 + 0.1 * k as f64));
    }
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    run_to(&mut simulation, 5.0);
    assert!(simulation.state().ledger.wall_work.abs() > 1e-3 * simulation.state().ledger.scale);
    assert!(residual(&simulation) < 1e-10, "{}", residual(&simulation));
}

#[test]
fn a_turning_plane_meets_grains_however_far_from_its_axis() {
    // At a distance of 400 radii it comes at 200 m/s, ten times the skin in one step.
    let mut builder = grains_of(&Shape::sphere(0.5).unwrap(), STEPPED, settings(), hard(1.0, 0.0, -1.0));
    let motion = Motion::Rotate { point: DVec3::ZERO, axis: DVec3::NEG_Y, speed: 1.0, start: 0.0, stop: f64::INFINITY };
    let sweeper = Wall {
        name: "sweeper".into(),
        surface: Surface::HalfSpace,
        pose: Pose::IDENTITY,
        material: 0,
        motion,
        ..Wall::default()
    };
    // The plane z = 0 turns towards z where x is above zero.
    builder.moving_wall(sweeper).grain(0, DVec3::new(200.0, 0.0, 30.0)).grain(0, DVec3::new(2.0, 0.0, 30.0));
    builder.limits(Limits { travel: 1e9, overlap: 1e9, energy: 1e9 }).time_step(TimeStep::Fixed(1e-3));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    run_to(&mut simulation, 0.2);
    let p = &simulation.state().particles;
    let (pose, normal) = (simulation.state().walls[0].pose, simulation.state().walls[0].pose.orientation * DVec3::Z);
    for (i, place) in p.position.iter().enumerate() {
        assert!(normal.dot(place - pose.position) > 0.5, "grain {} is behind it at {place}", p.id[i]);
    }
    // One hit by what comes at about 200 m/s leaves at about twice that, and the other has not been reached.
    let far = p.id.iter().position(|&id| id == 0).unwrap();
    assert!((p.velocity[far].length() / 400.0 - 1.0).abs() < 0.05, "{}", p.velocity[far]);
    assert_eq!(p.velocity[1 - far], DVec3::ZERO);
}

#[test]
fn steps_that_would_blow_up_are_refused() {
    let mut builder = gas_of_discs(10, 0.1, STEPPED, settings(), 0.9);
    builder.shear_rate(1.0).time_step(TimeStep::Fixed(0.5));
    for (limits, told) in [
        (Limits::default(), "of the smallest half width (limit 0.5)"),
        (Limits { overlap: 10.0, ..Limits::default() }, "of half its smallest width in one step (limit 0.2)"),
        (Limits { travel: 1e9, overlap: 10.0, energy: 1e9 }, "collisions add energy without bound"),
    ] {
        let mut builder = builder.clone();
        builder.limits(limits);
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        let error = (0..200).find_map(|_| simulation.step().err()).expect("it is noticed").to_string();
        assert!(error.contains(told) && error.contains("time.step"), "{error}");
    }
}

#[test]
fn what_a_solver_cannot_do_is_refused_with_both_names() {
    let mut builder = gas_of_discs(4, 0.1, Solver::Soft, settings(), 0.9);
    builder.shear_rate(1.0);
    let error = Simulation::new(builder.build().unwrap()).unwrap_err().to_string();
    assert!(error.contains("shear_rate") && error.contains("`soft`"), "{error}");
    let mut builder = gas_of_discs(4, 0.1, Solver::HardEvents, settings(), 0.9);
    builder.drag(1.0);
    let error = Simulation::new(builder.build().unwrap()).unwrap_err().to_string();
    assert!(error.contains("drag") && error.contains("`hard-events`"), "{error}");
}
