//! Balls that sleep where they come to lie, in event-driven runs.

use crate::support::{grain, grains_of, hard, residual, run_to};
use glam::{DQuat, DVec3};
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::hard::refused;
use tumble_engine::model::{CollapseRule, EventQueue, HardSettings, NeighbourSearch, Solver};
use tumble_engine::random::Random;
use tumble_engine::{ModelBuilder, Simulation, TimeStep};
use tumble_geometry::{Cylinder, Mesh, Pose, Shape, Surface};

const EVENTS: Solver = Solver::HardEvents;
const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn sleeping(speed: f64) -> HardSettings {
    HardSettings { collapse: CollapseRule::Sleep { speed }, log: true, ..HardSettings::default() }
}

/// How many fell asleep, were woken, and sleep.
fn slept(simulation: &Simulation) -> [u64; 3] {
    let events = simulation.state().solver.events().unwrap();
    [events.n_fallen_asleep, events.n_woken, events.n_asleep()]
}

fn rooms(builder: &mut ModelBuilder, half: f64) {
    for (name, axis) in
        [("left", DVec3::X), ("right", -DVec3::X), ("front", DVec3::Y), ("back", -DVec3::Y), ("floor", DVec3::Z)]
    {
        let pose = Pose::new(axis * -half, DQuat::from_rotation_arc(DVec3::Z, axis));
        builder.wall(name, Surface::HalfSpace, pose, 0);
    }
}

/// Six a side, dropped into a box of half-spaces without a lid.
fn bed(settings: HardSettings) -> ModelBuilder {
    let mut builder = grains_of(&Shape::sphere(0.005).unwrap(), EVENTS, settings, hard(0.6, 0.2, 0.2));
    builder.gravity(GRAVITY).time_step(TimeStep::Fixed(0.01));
    rooms(&mut builder, 0.04);
    let mut random = Random::from_seed(3);
    for k in 0..216 {
        let cell = DVec3::new((k % 6) as f64, (k / 6 % 6) as f64, (k / 36) as f64);
        let place = (cell - DVec3::new(2.5, 2.5, 2.0)) * 0.0125;
        let velocity = DVec3::new(random.normal(), random.normal(), random.normal()) * 0.1;
        builder.listed_grain(grain(place, velocity, DVec3::ZERO, 0.005 * (0.9 + 0.1 * random.unit())));
    }
    builder
}

/// The largest overlap of two grains or of one and a wall of the bed, over the diameter.
fn deepest(simulation: &Simulation) -> f64 {
    let p = &simulation.state().particles;
    let mut deepest: f64 = 0.0;
    for i in 0..p.len() {
        let x = p.position[i];
        for gap in [0.04 - x.x.abs(), 0.04 - x.y.abs(), 0.04 + x.z] {
            deepest = deepest.max((p.radius[i] - gap) / 0.01);
        }
        for j in 0..i {
            deepest = deepest.max((p.radius[i] + p.radius[j] - (p.position[j] - x).length()) / 0.01);
        }
    }
    deepest
}

#[test]
fn a_dropped_ball_sleeps_when_its_bounces_have_added_up() {
    let fall = (2.0f64 / 9.81).sqrt();
    for (restitution, speed) in [(0.5, 1e-3), (0.9, 1e-3), (0.8, 0.02)] {
        let mut builder =
            grains_of(&Shape::sphere(0.01).unwrap(), EVENTS, sleeping(speed), hard(restitution, 0.0, -1.0));
        builder.gravity(GRAVITY).wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
        builder.grain(0, DVec3::Z * 1.01).time_step(TimeStep::Fixed(0.05));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        let end = fall * (1.0 + restitution) / (1.0 - restitution);
        let mut last = 0.0;
        while simulation.time() < end + 0.2 {
            simulation.step().unwrap();
            last = simulation.collisions().last().map_or(last, |record| record.time);
        }
        // What was left of the bounces when one was slower than the speed.
        let left = 2.0 * speed / 9.81 / (1.0 - restitution);
        assert!(last <= end && end - last <= left, "{last} {end} {left}");
        assert_eq!(slept(&simulation), [1, 0, 1]);
        let p = &simulation.state().particles;
        assert!((p.position[0].z - 0.01).abs() < 1e-14, "{}", p.position[0].z - 0.01);
        assert_eq!((p.velocity[0], p.angular_velocity[0]), (DVec3::ZERO, DVec3::ZERO));
        assert!(residual(&simulation) < 1e-13, "{}", residual(&simulation));
    }
}

#[test]
fn a_poured_bed_comes_to_sleep_without_overlap_and_for_fewer_collisions() {
    let mut simulation = Simulation::new(bed(sleeping(0.01)).build().unwrap()).unwrap();
    for _ in 0..25 {
        (0..6).for_each(|_| simulation.step().unwrap());
        assert!(deepest(&simulation) < 1e-12, "{}", deepest(&simulation));
    }
    let [fallen, woken, asleep] = slept(&simulation);
    assert_eq!(fallen - woken, asleep);
    assert_eq!(asleep, 216);
    assert!(residual(&simulation) < 1e-11, "{}", residual(&simulation));
    // They stay where they are, to the last bit, and nothing collides any more.
    let before = simulation.state().clone();
    run_to(&mut simulation, 1.6);
    let (was, now) = (&before.particles, &simulation.state().particles);
    for (i, id) in now.id.iter().enumerate() {
        let then = was.id.iter().position(|other| other == id).unwrap();
        assert_eq!(now.position[i], was.position[then]);
    }
    let totals = simulation.state().solver.collisions().unwrap();
    assert_eq!(totals.n_collisions(), before.solver.collisions().unwrap().n_collisions());
    let mut other = Simulation::new(
        bed(HardSettings { collapse: CollapseRule::ContactTime { duration: Some(1e-3) }, ..HardSettings::default() })
            .build()
            .unwrap(),
    )
    .unwrap();
    run_to(&mut other, 1.6);
    let others = other.state().solver.collisions().unwrap();
    assert!(2 * totals.n_collisions() < others.n_collisions(), "{} {}", totals.n_collisions(), others.n_collisions());
}

#[test]
fn sleepers_are_the_same_by_both_queues_and_after_a_resume_and_by_every_search() {
    let make = |settings: HardSettings| Simulation::new(bed(settings).build().unwrap()).unwrap();
    let mut simulation = make(sleeping(0.01));
    (0..30).for_each(|_| simulation.step().unwrap());
    let [fallen, woken, asleep] = slept(&simulation);
    assert!(asleep > 20 && woken > 0, "{fallen} {woken} {asleep}");
    let mut by_list = make(HardSettings { queue: EventQueue::SortedList, ..sleeping(0.01) });
    (0..30).for_each(|_| by_list.step().unwrap());
    assert_eq!(simulation.state_hash(), by_list.state_hash());
    let mut first = make(sleeping(0.01));
    (0..23).for_each(|_| first.step().unwrap());
    let mut again = Simulation::resume(first.model().clone(), first.state().clone()).unwrap();
    (23..30).for_each(|_| again.step().unwrap());
    assert_eq!(simulation.state_hash(), again.state_hash());
    // The same collisions by every search until chaos has made rounding large.
    let few = |neighbours: NeighbourSearch| {
        let settings = HardSettings { neighbours, ..sleeping(0.01) };
        let mut builder = grains_of(&Shape::sphere(0.005).unwrap(), EVENTS, settings, hard(0.4, 0.2, 0.2));
        builder.gravity(GRAVITY).time_step(TimeStep::Fixed(0.01));
        rooms(&mut builder, 0.02);
        for k in 0..9 {
            let place = DVec3::new(f64::from(k % 3) - 1.0, f64::from(k / 3) - 1.0, 0.05 * f64::from(k)) * 0.0133;
            builder.listed_grain(grain(place, DVec3::ZERO, DVec3::ZERO, 0.005));
        }
        builder.listed_grain(grain(DVec3::new(0.006, 0.0063, 0.02), DVec3::ZERO, DVec3::ZERO, 0.005));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        let mut all = Vec::new();
        for _ in 0..60 {
            simulation.step().unwrap();
            all.extend_from_slice(simulation.collisions());
        }
        (all, slept(&simulation))
    };
    let (expected, slept) = few(NeighbourSearch::AllPairs);
    assert!(slept[2] >= 9 && expected.len() > 100, "{slept:?} {}", expected.len());
    for neighbours in [NeighbourSearch::Cells, NeighbourSearch::Lists] {
        let (found, also_slept) = few(neighbours);
        assert!(also_slept[2] >= 9, "{neighbours:?} {also_slept:?}");
        for (one, other) in found.iter().zip(&expected).take(100) {
            assert!((one.time - other.time).abs() < 1e-7, "{neighbours:?}: {one:?} {other:?}");
            assert_eq!((one.a, one.partner), (other.a, other.partner), "{neighbours:?}");
        }
    }
}

#[test]
fn all_wake_when_the_floor_goes() {
    let mut simulation = Simulation::new(bed(sleeping(0.01)).build().unwrap()).unwrap();
    run_to(&mut simulation, 1.5);
    let [fallen, woken, asleep] = slept(&simulation);
    let state = simulation.state().clone();
    let p = &state.particles;
    let lowest = (0..p.len()).min_by(|&a, &b| p.position[a].z.total_cmp(&p.position[b].z)).unwrap();
    let low = (p.id[lowest], p.position[lowest]);
    let mut next = simulation.model().clone();
    // The floor goes.
    next.walls[4].present = false;
    let mut open = Simulation::resume(simulation.model().clone(), state.clone()).unwrap();
    open.change(next).unwrap();
    (0..2).for_each(|_| open.step().unwrap());
    assert_eq!(slept(&open)[2], 0, "{:?}", slept(&open));
    assert_eq!(slept(&open)[0], fallen);
    assert!(slept(&open)[1] == woken + asleep);
    let dropped = (0..open.state().particles.len()).find(|&i| open.state().particles.id[i] == low.0).unwrap();
    assert!(open.state().particles.position[dropped].z < low.1.z - 1e-3);
}

#[test]
fn a_fast_ball_wakes_what_it_hits_and_a_slow_one_meets_it_as_a_wall() {
    let run = |place: DVec3, velocity: DVec3, end: f64| {
        let mut builder = grains_of(&Shape::sphere(0.01).unwrap(), EVENTS, sleeping(0.01), hard(1.0, 0.0, -1.0));
        builder.gravity(GRAVITY).wall("floor", Surface::HalfSpace, Pose::IDENTITY, 0);
        builder.listed_grain(grain(DVec3::Z * 0.01, DVec3::ZERO, DVec3::ZERO, 0.01));
        builder.listed_grain(grain(place, velocity, DVec3::ZERO, 0.01)).time_step(TimeStep::Fixed(1.5e-3));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        run_to(&mut simulation, end);
        assert!(residual(&simulation) < 1e-12, "{}", residual(&simulation));
        let p = &simulation.state().particles;
        let first = usize::from(p.id[0] != 0);
        (slept(&simulation), p.position[first], [p.velocity[first], p.velocity[1 - first]])
    };
    // Level with it after a millisecond, when it is hit.
    let place = DVec3::new(-0.021, 0.0, 0.01 + 0.5 * 9.81e-6);
    let (slept, _, [hit, hitter]) = run(place, DVec3::X, 1.5e-3);
    assert_eq!(slept, [1, 1, 0]);
    assert!((hit.x - 1.0).abs() < 1e-5 && hitter.x.abs() < 1e-5, "{hit} {hitter}");
    // Laid down on its side, it glides off.
    let place = DVec3::new(0.012, 0.0, 0.01 + 0.016 + 1e-7);
    let (slept, place, [_, other]) = run(place, DVec3::ZERO, 0.06);
    assert_eq!((slept, place), ([1, 0, 1], DVec3::Z * 0.01));
    assert!(other.x > 0.1, "{other}");
}

#[test]
fn sleep_is_refused_by_name_where_it_cannot_be() {
    let with = |change: &dyn Fn(&mut ModelBuilder), shape: &Shape| -> Option<String> {
        let mut builder = grains_of(shape, EVENTS, sleeping(0.01), hard(0.5, 0.0, -1.0));
        builder.gravity(GRAVITY).grain(0, DVec3::Z);
        change(&mut builder);
        refused(&builder.build().unwrap())
    };
    let ball = Shape::sphere(0.01).unwrap();
    assert_eq!(with(&|_| {}, &ball), None);
    let moving = Motion::Translate { velocity: DVec3::X, start: 0.0, stop: 1.0 };
    let wall = Wall { name: "lift".into(), motion: moving, ..Wall::default() };
    let said =
        |found: Option<String>, words: &str| assert!(found.as_ref().is_some_and(|it| it.contains(words)), "{found:?}");
    said(with(&|builder| _ = builder.moving_wall(wall.clone()), &ball), "`lift` moves");
    said(with(&|builder| _ = builder.gravity(DVec3::ZERO), &ball), "no gravity");
    said(with(&|_| {}, &Shape::Cylinder(Cylinder { radius: 0.01, half_height: 0.01 })), "`grain` is neither");
    said(with(&|_| {}, &Shape::sphere(1e-5).unwrap()), "give a lower speed");
}

#[test]
fn balls_sleep_on_triangles_as_on_planes() {
    let heights = |surface: Surface, pose: Pose| {
        let mut builder = grains_of(&Shape::sphere(0.01).unwrap(), EVENTS, sleeping(0.01), hard(0.5, 0.0, -1.0));
        builder.gravity(GRAVITY).wall("floor", surface, pose, 0).time_step(TimeStep::Fixed(0.02));
        builder.grain(0, DVec3::new(0.1, 0.03, 0.05)).grain(0, DVec3::new(-0.1, 0.03, 0.08));
        let mut simulation = Simulation::new(builder.build().unwrap()).unwrap();
        run_to(&mut simulation, 1.0);
        assert_eq!(slept(&simulation)[2], 2, "{:?}", slept(&simulation));
        simulation.state().particles.position.clone()
    };
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
    let floor = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let (on_plane, on_mesh) =
        (heights(Surface::HalfSpace, Pose::IDENTITY), heights(Surface::Mesh(floor), Pose::IDENTITY));
    for (one, other) in on_plane.iter().zip(&on_mesh) {
        assert!((*one - *other).length() < 1e-9, "{one} {other}");
    }
}
