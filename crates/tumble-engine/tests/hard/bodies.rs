//! Bodies of any shape in the event-driven solver.

use crate::support::{grain, grains_of, hard, momentum, periodic, residual, run_to, thermal_velocities};
use glam::{DQuat, DVec2, DVec3, EulerRot};
use tumble_engine::hard::CollisionRecord;
use tumble_engine::model::{CollapseRule, Domain, Edge, HardSettings, Material, ModelBuilder, NeighbourSearch, Solver};
use tumble_engine::random::Random;
use tumble_engine::{ListedGrain, Model, Simulation, TimeStep};
use tumble_geometry::narrow::contact_within;
use tumble_geometry::{Pose, Revolved, Shape, Surface};

const EVENTS: Solver = Solver::HardEvents;

fn settings() -> HardSettings {
    HardSettings { log: true, ..HardSettings::default() }
}

/// A body of the one kind, at its own size.
fn body(shape: &Shape, position: DVec3, orientation: DQuat, velocity: DVec3) -> ListedGrain {
    ListedGrain { orientation, ..grain(position, velocity, DVec3::ZERO, shape.bounding_radius()) }
}

/// One body dropped on a floor at a speed of 1, turned about y, and its first collision.
fn dropped(shape: &Shape, tilt: f64, restitution: f64) -> (CollisionRecord, Simulation) {
    let mut builder = grains_of(shape, EVENTS, settings(), hard(restitution, 0.0, -1.0));
    builder.wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
    let turn = DQuat::from_rotation_y(tilt);
    let lowest = (turn * shape.support(turn.conjugate() * DVec3::NEG_Z)).z;
    // It gets there after 0.01 and is looked at a moment later.
    builder.listed_grain(body(shape, DVec3::Z * (0.01 - lowest), turn, DVec3::NEG_Z));
    builder.time_step(TimeStep::Fixed(0.0101));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    simulation.step().unwrap();
    assert_eq!(simulation.collisions().len(), 1, "{shape:?} at {tilt}");
    (simulation.collisions()[0], simulation)
}

#[test]
fn tilted_cylinders_and_cubes_come_off_a_floor_as_computed() {
    // Against the normal of the floor by an angle, lever a of the lowest point: V'/V = (1 + e) / (1 + m a^2 / I) - 1,
    // w' = (1 + e) V (m a / I) / (1 + m a^2 / I).
    for restitution in [1.0, 0.7] {
        for degrees in [10.0f64, 15.0, 30.0, 40.0, 60.0, 75.0] {
            let tilt = degrees.to_radians();
            let mut cases = vec![(Shape::cuboid(DVec3::ONE).unwrap(), 0.5 * (tilt.cos() - tilt.sin()), 1.0 / 6.0)];
            for slenderness in [0.5, 1.0, 2.0, 5.0] {
                let (r, height) = (0.5, slenderness);
                let lever = r * tilt.cos() - 0.5 * height * tilt.sin();
                cases.push((Shape::cylinder(r, height).unwrap(), lever, (3.0 * r * r + height * height) / 12.0));
            }
            for (shape, lever, inertia) in cases {
                let (record, simulation) = dropped(&shape, tilt, restitution);
                let share = 1.0 + lever * lever / inertia;
                let p = &simulation.state().particles;
                let expected = (1.0 + restitution) / share - 1.0;
                assert!(
                    (p.velocity[0].z - expected).abs() < 1e-7,
                    "{shape:?} {degrees}: {} {expected}",
                    p.velocity[0].z
                );
                let spin = (1.0 + restitution) * lever / inertia / share;
                assert!((p.angular_velocity[0].y.abs() - spin.abs()).abs() < 1e-7, "{shape:?} {degrees}: {spin}");
                assert!((record.time - 0.01).abs() < 2e-8 && record.approach == 1.0, "{record:?}");
                assert!(residual(&simulation) < 1e-12);
            }
        }
    }
    // The table of the edge impacts of a cylinder as high as wide, and of a cube.
    let of = |shape: &Shape, degrees: f64| dropped(shape, degrees.to_radians(), 1.0).1.state().particles.velocity[0].z;
    assert!((of(&Shape::cylinder(0.5, 1.0).unwrap(), 30.0) - 0.6265).abs() < 5e-5);
    assert!((of(&Shape::cuboid(DVec3::ONE).unwrap(), 20.0) - 0.3022).abs() < 5e-5);
}

#[test]
fn a_ball_that_hits_a_rod_beside_its_middle_turns_it_as_computed() {
    let (rod, ball) = (Shape::cuboid(DVec3::new(0.2, 4.0, 0.3)).unwrap(), Shape::sphere(0.25).unwrap());
    for (offset, restitution) in [(0.0, 1.0), (1.1, 1.0), (1.6, 0.8)] {
        let mut builder = grains_of(&rod, EVENTS, settings(), hard(restitution, 0.0, -1.0));
        let second = builder.species("ball", &ball, 0);
        builder.listed_grain(body(&rod, DVec3::ZERO, DQuat::IDENTITY, DVec3::ZERO));
        let place = DVec3::new(-1.35, offset, 0.0);
        builder.listed_grain(ListedGrain { species: second, ..body(&ball, place, DQuat::IDENTITY, DVec3::X) });
        builder.time_step(TimeStep::Fixed(1.2));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        simulation.step().unwrap();
        assert_eq!(simulation.collisions().len(), 1);
        let p = &simulation.state().particles;
        let [of_rod, of_ball] = [0, 1].map(|id| p.id.iter().position(|&one| one == id).unwrap());
        let inertia = p.mass[of_rod] * (0.2 * 0.2 + 4.0 * 4.0) / 12.0;
        let impulse = (1.0 + restitution) / (1.0 / p.mass[of_rod] + 1.0 / p.mass[of_ball] + offset * offset / inertia);
        assert!((p.velocity[of_rod].x - impulse / p.mass[of_rod]).abs() < 1e-7, "{offset}");
        assert!((p.velocity[of_ball].x - (1.0 - impulse / p.mass[of_ball])).abs() < 1e-7, "{offset}");
        assert!((p.angular_velocity[of_rod].z + impulse * offset / inertia).abs() < 1e-7, "{offset}");
        assert!((simulation.collisions()[0].time - 1.0).abs() < 1e-7, "{}", simulation.collisions()[0].time);
        assert!(residual(&simulation) < 1e-13);
    }
}

/// Bodies of some shapes in turn on a lattice of 4 x 4 x 4 in a periodic cube, each turned in its own way.
fn gas_of(
    shapes: &[Shape],
    length: f64,
    settings: HardSettings,
    pair: tumble_engine::InteractionProperties,
) -> ModelBuilder {
    let mut builder = Model::builder();
    let stuff = Material { name: "stuff".into(), density: 1.0, young_modulus: 1.0, poisson_ratio: 0.3 };
    let stuff = builder.material(stuff);
    for (k, shape) in shapes.iter().enumerate() {
        builder.species(&format!("kind {k}"), shape, stuff);
    }
    builder.solver(EVENTS, settings).gravity(DVec3::ZERO).interaction(stuff, stuff, pair);
    builder.domain(periodic(DVec3::splat(length), false));
    let mut random = Random::from_seed(3);
    for (k, velocity) in thermal_velocities(64, false, &mut random).into_iter().enumerate() {
        let place = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64) + DVec3::splat(0.5);
        let kind = k % shapes.len();
        let turn = DQuat::from_euler(EulerRot::XYZ, k as f64, 2.0 * k as f64, 0.0);
        let one = body(&shapes[kind], place * (length / 4.0), turn, velocity);
        builder.listed_grain(ListedGrain { species: kind as u16, ..one });
    }
    builder
}

/// The deepest overlap of any two grains over the sum of the radii around them.
fn deepest(simulation: &Simulation) -> f64 {
    let (model, p) = (simulation.model(), &simulation.state().particles);
    let length = model.domain.upper.x;
    let mut deepest: f64 = 0.0;
    for a in 0..p.len() {
        for b in 0..a {
            let mut apart = p.position[b] - p.position[a];
            apart -= length * (apart / length).round();
            let reach = p.radius[a] + p.radius[b];
            if apart.length() < reach {
                let shape = |i: usize| model.species[p.species[i] as usize].shape.scaled(p.scale[i]);
                let pose_a = Pose::new(DVec3::ZERO, p.orientation[a]);
                let pose_ab = pose_a.relative(&Pose::new(apart, p.orientation[b]));
                let contact = contact_within(&shape(a), &shape(b), &pose_ab, None, 0.0).unwrap();
                deepest = deepest.max(contact.map_or(0.0, |contact| -contact.separation / reach));
            }
        }
    }
    deepest
}

/// What an elastic gas keeps, and how it shares the energy: rotation over translation, and collisions a grain.
fn shares(shapes: &[Shape], length: f64, pair: tumble_engine::InteractionProperties, end: f64) -> (f64, f64) {
    let mut builder = gas_of(shapes, length, HardSettings::default(), pair);
    builder.time_step(TimeStep::Fixed(0.1));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    let (energy, before) = (simulation.kinetic_energy(), momentum(&simulation));
    run_to(&mut simulation, 0.15 * end);
    let (mut translation, mut rotation) = (0.0, 0.0);
    while simulation.time() < end {
        simulation.step().unwrap();
        let energies = simulation.energies();
        (translation, rotation) = (translation + energies.translation, rotation + energies.rotation);
        if simulation.state().step.is_multiple_of(10) {
            assert!(deepest(&simulation) < 1e-9, "{}", deepest(&simulation));
        }
    }
    assert!((simulation.kinetic_energy() / energy - 1.0).abs() < 1e-10);
    assert!((momentum(&simulation) - before).length() < 1e-10);
    assert!(residual(&simulation) < 1e-10);
    let collisions = simulation.state().solver.collisions().unwrap().n_pairs;
    (rotation / translation, 2.0 * collisions as f64 / 64.0)
}

const SMOOTH: (f64, f64, f64) = (1.0, 0.0, -1.0);

#[test]
fn an_elastic_gas_of_cubes_shares_its_energy_evenly() {
    let (share, collisions) =
        shares(&[Shape::cuboid(DVec3::splat(0.8)).unwrap()], 6.0, hard(SMOOTH.0, SMOOTH.1, SMOOTH.2), 60.0);
    assert!(collisions > 50.0 && (share - 1.0).abs() < 0.05, "{share} after {collisions} collisions a grain");
}

#[test]
fn an_elastic_gas_of_cylinders_shares_its_energy_evenly() {
    // Without friction they keep their spin about their own axes: two ways to turn, three to go.
    let (share, collisions) =
        shares(&[Shape::cylinder(0.4, 1.0).unwrap()], 6.0, hard(SMOOTH.0, SMOOTH.1, SMOOTH.2), 60.0);
    assert!(collisions > 50.0 && (share * 1.5 - 1.0).abs() < 0.05, "{share} after {collisions} collisions a grain");
}

/// One of each kind, with three different moments among them.
fn all_kinds() -> Vec<Shape> {
    vec![
        Shape::cuboid(DVec3::new(0.5, 0.8, 1.1)).unwrap(),
        Shape::cylinder(0.4, 0.9).unwrap(),
        Shape::sphere(0.45).unwrap(),
        Shape::superquadric(DVec3::new(0.5, 0.4, 0.6), 3.0, 4.0).unwrap(),
        Shape::capsule(0.3, 0.7).unwrap(),
        Shape::tablet(0.5, 0.5, 0.1).unwrap(),
        Shape::truncated_cone(0.5, 0.2, 0.8).unwrap(),
    ]
}

#[test]
fn an_elastic_mixture_of_all_shapes_shares_its_energy_evenly() {
    let (share, collisions) = shares(&all_kinds(), 6.4, hard(1.0, 0.0, -1.0), 50.0);
    // Ten boxes and nine superquadrics have three ways to turn each, 36 bodies of revolution two, and nine spheres none that takes part;
    // all 64 have three to go, of which the mean has none.
    let expected = f64::from(19 * 3 + 36 * 2) / f64::from(63 * 3);
    assert!(
        collisions > 50.0 && (share / expected - 1.0).abs() < 0.1,
        "{share} for {expected} after {collisions} collisions a grain"
    );
}

#[test]
fn a_mixture_with_friction_keeps_momentum_and_the_ledger() {
    let mut builder = gas_of(&all_kinds(), 6.4, settings(), hard(0.9, 0.4, 0.3));
    builder.time_step(TimeStep::Fixed(0.1));
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    let (energy, before) = (simulation.kinetic_energy(), momentum(&simulation));
    let (mut sliding, mut sticking) = (0, 0);
    while simulation.time() < 5.0 {
        simulation.step().unwrap();
        let slid = simulation.collisions().iter().filter(|record| record.slides).count();
        (sliding, sticking) = (sliding + slid, sticking + simulation.collisions().len() - slid);
    }
    assert!(sliding > 30 && sticking > 30, "{sliding} {sticking}");
    assert!(simulation.kinetic_energy() < 0.8 * energy && deepest(&simulation) < 1e-9);
    assert!((momentum(&simulation) - before).length() < 1e-11);
    assert!(residual(&simulation) < 1e-12, "{}", residual(&simulation));
}

#[test]
fn polygons_and_discs_of_the_plane_keep_their_energy_and_share_it() {
    let square: Vec<DVec2> = [(0.4, 0.4), (-0.4, 0.4), (-0.4, -0.4), (0.4, -0.4)].map(DVec2::from).to_vec();
    let (square, disc) = (Shape::polygon(&square, 1.0).unwrap(), crate::support::unit_disc());
    let mut builder = grains_of(&square, EVENTS, HardSettings::default(), hard(1.0, 0.0, -1.0));
    let second = builder.species("disc", &disc, 0);
    builder.planar(true).domain(periodic(DVec3::new(11.0, 11.0, 1.0), true)).time_step(TimeStep::Fixed(0.2));
    let velocities = thermal_velocities(49, true, &mut Random::from_seed(2));
    for (k, velocity) in velocities.into_iter().enumerate() {
        let place = DVec3::new((k % 7) as f64 + 0.5, (k / 7) as f64 + 0.5, 0.0) * (11.0 / 7.0);
        let (shape, species) = if k % 4 == 0 { (&disc, second) } else { (&square, 0) };
        let one = body(shape, place, DQuat::from_rotation_z(k as f64), velocity);
        builder.listed_grain(ListedGrain { species, ..one });
    }
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    let (energy, before) = (simulation.kinetic_energy(), momentum(&simulation));
    let (mut translation, mut rotation) = (0.0, 0.0);
    while simulation.time() < 120.0 {
        simulation.step().unwrap();
        if simulation.time() > 15.0 {
            let energies = simulation.energies();
            (translation, rotation) = (translation + energies.translation, rotation + energies.rotation);
        }
    }
    assert!((simulation.kinetic_energy() / energy - 1.0).abs() < 1e-10);
    assert!((momentum(&simulation) - before).length() < 1e-10);
    // Of the 36 squares each has one way to turn, of all 49 grains each two to go, of which the mean has none.
    let share = rotation / translation / (36.0 / 96.0);
    assert!((share - 1.0).abs() < 0.1, "{share}");
}

#[test]
fn bodies_in_a_closed_drum_under_gravity_keep_their_energy_and_stay_inside() {
    let shapes = all_kinds();
    let mut builder = gas_of(&shapes, 6.4, HardSettings::default(), hard(1.0, 0.0, -1.0));
    let open = Domain { lower: DVec3::ZERO, upper: DVec3::splat(6.4), edges: [Edge::Open; 3] };
    builder.domain(open).gravity(DVec3::NEG_Z).time_step(TimeStep::Fixed(0.1));
    let drum = Surface::Revolved(Revolved::closed_cylinder(5.0, 4.0, true, true).unwrap());
    builder.wall("drum", drum, Pose::from_position(DVec3::splat(3.2)), 0);
    let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
    run_to(&mut simulation, 6.0);
    let totals = simulation.state().solver.collisions().unwrap();
    assert!(totals.n_walls > 100 && totals.n_pairs > 100, "{totals:?}");
    for place in &simulation.state().particles.position {
        assert!((place - DVec3::splat(3.2)).truncate().length() < 5.0 && (place.z - 3.2).abs() < 4.0, "{place}");
    }
    assert!(residual(&simulation) < 1e-10, "{}", residual(&simulation));
}

#[test]
fn a_cube_that_lands_flat_comes_to_rest_on_its_face_and_weighs_what_it_weighs() {
    let cube = Shape::cuboid(DVec3::splat(0.02)).unwrap();
    for tilt in [0.0, 0.01] {
        let collapse = CollapseRule::ContactTime { duration: Some(1e-4) };
        let mut builder = grains_of(&cube, EVENTS, HardSettings { collapse, ..settings() }, hard(0.5, 0.3, 0.0));
        builder.gravity(DVec3::NEG_Z * 9.81).wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
        let turn = DQuat::from_rotation_x(tilt) * DQuat::from_rotation_y(0.7 * tilt);
        builder.listed_grain(body(&cube, DVec3::Z * 0.03, turn, DVec3::ZERO)).time_step(TimeStep::Fixed(0.01));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        run_to(&mut simulation, 0.6);
        let mut weight = 0.0;
        for _ in 0..20 {
            simulation.step().unwrap();
            weight -= simulation.state().walls[0].force.z / 20.0;
        }
        let p = &simulation.state().particles;
        assert!((p.position[0].z - 0.01).abs() < 1e-6, "{}", p.position[0].z);
        assert!((p.orientation[0] * DVec3::Z - DVec3::Z).length() < 1e-4, "{}", p.orientation[0]);
        assert!((weight / (9.81 * p.mass[0]) - 1.0).abs() < 0.02, "{}", weight / (9.81 * p.mass[0]));
        assert!(simulation.state().solver.collisions().unwrap().n_collapsing > 100);
        assert!(residual(&simulation) < 1e-8, "{}", residual(&simulation));
    }
}

#[test]
fn bodies_have_the_same_bits_on_any_number_of_threads_and_after_a_resume() {
    let make = || {
        let mut builder = gas_of(&all_kinds(), 6.4, HardSettings::default(), hard(0.9, 0.3, 0.2));
        builder.time_step(TimeStep::Fixed(0.1));
        Simulation::new(builder.build().unwrap()).unwrap()
    };
    let hash_on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = make();
            (0..20).for_each(|_| simulation.step().unwrap());
            assert!(simulation.state().solver.collisions().unwrap().n_pairs > 100);
            simulation.state_hash()
        })
    };
    let one = hash_on(1);
    assert_eq!(one, hash_on(3));
    let mut simulation = make();
    (0..7).for_each(|_| simulation.step().unwrap());
    let mut again = Simulation::resume(simulation.model().clone(), simulation.state().clone()).unwrap();
    (7..20).for_each(|_| again.step().unwrap());
    assert_eq!(one, again.state_hash());
}

#[test]
fn all_neighbour_searches_find_the_same_collisions_of_bodies() {
    let run = |neighbours: NeighbourSearch| {
        let settings = HardSettings { neighbours, ..settings() };
        let mut builder = gas_of(&all_kinds(), 6.4, settings, hard(0.9, 0.3, 0.2));
        builder.time_step(TimeStep::Fixed(0.1));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        let mut all = Vec::new();
        for _ in 0..15 {
            simulation.step().unwrap();
            all.extend_from_slice(simulation.collisions());
        }
        all
    };
    let expected = run(NeighbourSearch::AllPairs);
    assert!(expected.len() > 40, "{}", expected.len());
    for neighbours in [NeighbourSearch::Lists, NeighbourSearch::Cells] {
        // Until rounding has grown: collisions of the same pairs at the same times.
        for (a, b) in expected.iter().zip(run(neighbours)).take(40) {
            assert!((a.time - b.time).abs() < 1e-6, "{neighbours:?}: {a:?} {b:?}");
            assert_eq!(a.a.min(partner(a)), b.a.min(partner(&b)));
        }
    }
}

fn partner(record: &CollisionRecord) -> u32 {
    match record.partner {
        tumble_engine::hard::CollisionPartner::Grain(other) => other,
        tumble_engine::hard::CollisionPartner::Wall(_) => u32::MAX,
    }
}
