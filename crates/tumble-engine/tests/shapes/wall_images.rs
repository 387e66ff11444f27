//! Walls go on through periodic edges: a floor or a tube one period long has no seam, and a blade that reaches through an edge does
//! what it does in the middle.

use crate::samples::{cuboid, depth_law, elastic, grain, model, volume_law, with_grains};
use crate::support::{GRAVITY, interaction, on_threads, plane, residual, run, wall};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_engine::boundary::periodic::unwrapped;
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::law::{InteractionProperties, Law, VolumeExponent};
use tumble_engine::model::{Domain, Edge};
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Cylinder, Mesh, Pose, Revolved, Shape, Sphere, Surface};

/// Length of the domain along x and y [m].
const PERIOD: f64 = 5.0;

/// Damped, with friction.
const ROUGH: InteractionProperties =
    InteractionProperties { restitution: 0.6, friction: 0.6, rolling_friction: 0.0, tangential_restitution: 0.0 };

fn periodic(axes: [bool; 3]) -> Domain {
    let edges = axes.map(|is_periodic| if is_periodic { Edge::Periodic } else { Edge::Open });
    Domain { lower: DVec3::ZERO, upper: DVec3::splat(PERIOD), edges }
}

/// A floor at z = 0 one period long and wide from a corner, of n by n squares cut in half.
fn floor(n: u32, corner: DVec3, motion: Motion) -> Wall {
    let edge = PERIOD / f64::from(n);
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(f64::from(i), f64::from(j), 0.0) * edge));
    let at = |i: u32, j: u32| i * (n + 1) + j;
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles = squares
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]);
    let mesh = Mesh::new(vertices.collect(), triangles.collect()).unwrap();
    wall("floor", Surface::Mesh(mesh), Pose::from_position(corner), motion)
}

/// A ball, a box on its face, a rod on its side and on its end: each with its height and orientation.
fn bodies() -> Vec<(&'static str, Shape, f64, DQuat)> {
    let rod = Shape::Cylinder(Cylinder { radius: 0.4, half_height: 0.5 });
    vec![
        ("ball", Shape::Sphere(Sphere { radius: 0.5 }), 0.5, DQuat::IDENTITY),
        ("box", cuboid(0.8, 0.8, 0.8), 0.4, DQuat::from_rotation_z(0.3)),
        ("lying rod", rod.clone(), 0.4, DQuat::from_rotation_z(0.2) * DQuat::from_rotation_y(FRAC_PI_2)),
        ("standing rod", rod, 0.5, DQuat::IDENTITY),
    ]
}

/// Where a grain would be without edges, and its velocities.
fn motion(simulation: &Simulation) -> [DVec3; 3] {
    let p = &simulation.state().particles;
    let place = unwrapped(&simulation.model().domain, p.position[0], p.image[0]);
    [place, p.velocity[0], p.angular_velocity[0]]
}

/// Runs two models side by side; how far their motions differ at most, and whether the first went through an edge.
fn compare(models: [Model; 2], n_steps: u64) -> (f64, bool) {
    on_threads(1, || {
        let [mut a, mut b] = models.map(|model| Simulation::new(model).unwrap());
        let mut largest = 0f64;
        for _ in 0..n_steps {
            run(&mut a, 1);
            run(&mut b, 1);
            assert_eq!(a.n_contacts(), b.n_contacts(), "at {}", motion(&a)[0]);
            let apart = motion(&a).iter().zip(&motion(&b)).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
            largest = largest.max(apart);
        }
        (largest, a.state().particles.image[0] != [0; 3])
    })
}

/// A body on a floor that is a mesh, or on a plane, thrown over the edge of the domain.
#[expect(clippy::too_many_arguments, reason = "a body, the ground, the law and how it begins")]
fn on_floor(
    shape: &Shape,
    height: f64,
    turn: DQuat,
    ground: Wall,
    law: Law,
    properties: InteractionProperties,
    velocity: DVec3,
    gravity: DVec3,
) -> Model {
    let model = model(std::slice::from_ref(shape), law, properties, 2e-4);
    let start = Pose::new(DVec3::new(PERIOD - 0.3, PERIOD - 0.2, height - 1e-3), turn);
    let grains = vec![grain(&model, 0, start, velocity, DVec3::ZERO)];
    Model { walls: vec![ground], gravity, domain: periodic([true, true, false]), ..with_grains(model, grains) }
}

#[test]
fn what_slides_over_the_seam_of_a_mesh_floor_one_period_long_goes_on_as_over_a_plane() {
    for (law_name, law) in [("depth", depth_law()), ("volume", volume_law(VolumeExponent::Two))] {
        for (name, shape, height, turn) in bodies() {
            for (n, corner) in [(1, DVec3::ZERO), (3, DVec3::new(-0.4 * PERIOD, 0.3 * PERIOD, 0.0))] {
                let on = |ground: Wall| {
                    let velocity = DVec3::new(2.0, 1.5, 0.0);
                    on_floor(&shape, height, turn, ground, law, elastic(), velocity, GRAVITY)
                };
                let models = [on(floor(n, corner, Motion::Fixed)), on(plane(DVec3::ZERO, DVec3::Z))];
                let (apart, crossed) = compare(models, 2000);
                println!("{law_name}, {name}, {n} squares: {apart:.1e}");
                assert!(crossed && apart < 1e-9, "{law_name}, {name}, {n} squares: {apart}");
            }
        }
    }
}

#[test]
fn what_lies_on_a_slope_across_the_seam_holds_and_rolls_as_on_a_plane() {
    // Gravity leans by 20 degrees.
    let gravity = DQuat::from_rotation_y(-20f64.to_radians()) * GRAVITY;
    let properties = InteractionProperties { rolling_friction: 0.5, ..ROUGH };
    for (name, shape, height, turn) in bodies() {
        for (properties, velocity) in [(ROUGH, DVec3::ZERO), (properties, DVec3::ZERO), (ROUGH, DVec3::X * 2.0)] {
            let on = |ground: Wall| on_floor(&shape, height, turn, ground, depth_law(), properties, velocity, gravity);
            let ground = floor(2, DVec3::ZERO, Motion::Fixed);
            let (apart, _) = compare([on(ground), on(plane(DVec3::ZERO, DVec3::Z))], 4000);
            println!("{name}: {apart:.1e}");
            assert!(apart < 1e-7, "{name}: {apart}");
        }
    }
}

#[test]
fn a_belt_one_period_long_carries_as_a_plane_does_and_its_work_is_booked() {
    let velocity = DVec3::new(-6.0, 2.0, 0.0);
    let belt = Motion::Translate { velocity, start: 0.0, stop: f64::INFINITY };
    for (name, shape, height, turn) in bodies() {
        let on = |ground| on_floor(&shape, height, turn, ground, depth_law(), ROUGH, DVec3::ZERO, GRAVITY);
        let ground = Wall { motion: belt.clone(), ..plane(DVec3::ZERO, DVec3::Z) };
        let (apart, crossed) = compare([on(floor(2, DVec3::ZERO, belt.clone())), on(ground)], 9000);
        println!("{name}: {apart:.1e}");
        assert!(crossed && apart < 1e-7, "{name}: {apart}");
        let mut simulation = Simulation::new(on(floor(2, DVec3::ZERO, belt.clone()))).unwrap();
        run(&mut simulation, 6000);
        assert!(residual(&simulation) < 1e-3, "{name}: {}", residual(&simulation));
    }
}

#[test]
fn a_tube_one_period_long_has_no_ends() {
    for (law_name, law) in [("depth", depth_law()), ("volume", volume_law(VolumeExponent::Two))] {
        for (name, shape, height, turn) in bodies() {
            let lies_along = DQuat::from_rotation_x(FRAC_PI_2);
            let (height, turn) = if name == "lying rod" { (height, lies_along) } else { (height, turn) };
            let inside = |length: f64, is_periodic: bool| {
                let model = model(std::slice::from_ref(&shape), law, ROUGH, 2e-4);
                let start = Pose::new(DVec3::new(0.0, PERIOD - 0.3, height + 0.1 - 1.5), turn);
                let grains = vec![grain(&model, 0, start, DVec3::new(0.3, 2.0, 0.0), DVec3::ZERO)];
                let tube = Surface::Revolved(Revolved::tube(1.5, 0.5 * length).unwrap());
                let pose = Pose::new(DVec3::Y * (0.5 * PERIOD), lies_along);
                let axis = DVec3::Y;
                let turning = Motion::Rotate { point: DVec3::ZERO, axis, speed: 1.0, start: 0.0, stop: f64::INFINITY };
                let walls = vec![wall("tube", tube, pose, turning)];
                Model {
                    walls,
                    gravity: GRAVITY,
                    domain: periodic([false, is_periodic, false]),
                    ..with_grains(model, grains)
                }
            };
            let (apart, crossed) = compare([inside(PERIOD, true), inside(5.0 * PERIOD, false)], 1500);
            println!("{law_name}, {name}: {apart:.1e}");
            assert!(crossed && apart < 1e-6, "{law_name}, {name}: {apart}");
        }
    }
}

/// A blade that turns and strikes what is in its way, all of it somewhere in the domain.
fn struck(shape: &Shape, at: DVec3, axis: DVec3) -> Model {
    let wrapped = |x: DVec3| DVec3::new(x.x.rem_euclid(PERIOD), x.y.rem_euclid(PERIOD), x.z);
    let model = model(std::slice::from_ref(shape), depth_law(), ROUGH, 1e-4);
    let turned = Pose::new(wrapped(at + DVec3::new(1.2, -0.75, 0.1)), DQuat::from_rotation_z(0.2));
    let other = Pose::new(wrapped(at + DVec3::new(-1.2, 0.75, -0.1)), DQuat::from_rotation_x(0.2));
    let grains = [turned, other].map(|pose| grain(&model, 0, pose, DVec3::ZERO, DVec3::ZERO));
    let corners = [[-1.5, 0.0, -0.6], [1.5, 0.0, -0.6], [1.5, 0.0, 0.6], [-1.5, 0.0, 0.6]].map(DVec3::from_array);
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let turning = Motion::Rotate { point: at, axis, speed: 1.5, start: 0.0, stop: f64::INFINITY };
    let walls = vec![wall("blade", Surface::Mesh(mesh), Pose::from_position(at), turning)];
    Model { walls, domain: periodic([true, true, false]), ..with_grains(model, grains.to_vec()) }
}

#[test]
fn a_blade_that_reaches_through_an_edge_strikes_as_in_the_middle_with_the_same_load_and_work() {
    let middle = DVec3::new(0.5 * PERIOD, 0.5 * PERIOD, 0.0);
    for (name, shape, ..) in bodies() {
        let start = |at: DVec3| on_threads(1, || Simulation::new(struck(&shape, at, -DVec3::Z)).unwrap());
        let places = [DVec3::X * PERIOD + DVec3::Y * 2.0, DVec3::ZERO, DVec3::new(0.2, PERIOD - 0.1, 0.0)];
        let (mut inside, mut others) = (start(middle), places.map(start));
        let (mut largest_load, mut n_struck) = (0f64, 0);
        for _ in 0..400 {
            run(&mut inside, 10);
            let load = inside.state().walls[0];
            largest_load = largest_load.max(load.torque.length());
            n_struck = n_struck.max(inside.n_contacts());
            for (other, place) in others.iter_mut().zip(places) {
                run(other, 10);
                assert_eq!(inside.n_contacts(), other.n_contacts(), "{name}");
                let found = other.state().walls[0];
                let wrong = (found.force - load.force).length() + (found.torque - load.torque).length();
                // The sides of a rod that gives way are arcs up to 1e7 times as large as it is, and rounding counts as much.
                let bound = if name.ends_with("rod") { 1e-5 } else { 1e-7 };
                assert!(wrong <= bound * largest_load, "{name} at {place}: {found:?} is not {load:?}");
            }
        }
        assert!(n_struck > 0, "{name}");
        for simulation in others.iter().chain([&inside]) {
            assert!(residual(simulation) < 2e-3, "{name}: {}", residual(simulation));
            let work = [simulation, &inside].map(|s| s.state().ledger.wall_work);
            assert!(work[1] > 0.0 && (work[0] / work[1] - 1.0).abs() < 1e-7, "{name}: {work:?}");
        }
    }
}

#[test]
fn a_grain_is_not_put_into_the_image_of_a_wall() {
    let shape = Shape::Sphere(Sphere { radius: 0.5 });
    let model = model(&[shape], depth_law(), interaction(0.5, 0.5), 2e-4);
    let at = |x: f64| vec![grain(&model, 0, Pose::from_position(DVec3::new(x, 2.0, 0.0)), DVec3::ZERO, DVec3::ZERO)];
    let post = || {
        let tube = Surface::Revolved(Revolved::tube(0.3, 1.0).unwrap());
        vec![wall("post", tube, Pose::from_position(DVec3::new(0.1, 2.0, 0.0)), Motion::Fixed)]
    };
    let scene =
        |x: f64| Model { walls: post(), domain: periodic([true, false, false]), ..with_grains(model.clone(), at(x)) };
    assert!(Simulation::new(scene(PERIOD - 0.8)).is_ok());
    let refused = Simulation::new(scene(PERIOD - 0.6)).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(refused.contains("post") || refused.contains("wall"), "{refused}");
}

#[test]
fn grains_on_a_mesh_floor_across_the_edges_give_the_same_bits_on_any_threads_and_after_restarts() {
    let shapes: Vec<Shape> = bodies().into_iter().map(|(_, shape, ..)| shape).collect();
    let mut model = model(&shapes, depth_law(), ROUGH, 2e-4);
    let belt = Motion::Translate { velocity: DVec3::new(3.0, -1.0, 0.0), start: 0.0, stop: f64::INFINITY };
    let grains = (0..27).map(|k| {
        let place = DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)) * 1.6 + DVec3::splat(0.8);
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), f64::from(k));
        grain(&model, (k % 4) as u16, Pose::new(place, turn), DVec3::new(1.0, -2.0, 0.0), DVec3::ZERO)
    });
    let grains = grains.collect();
    model.gravity = GRAVITY;
    model.walls = vec![floor(3, DVec3::ZERO, belt)];
    model.domain = periodic([true, true, false]);
    let model = with_grains(model, grains);
    let hash = |n_threads: usize, restart_every: u64| {
        on_threads(n_threads, || {
            let mut simulation = Simulation::new(model.clone()).unwrap();
            for step in 0..4000 {
                if step % restart_every == restart_every - 1 {
                    simulation = Simulation::resume(model.clone(), simulation.state().clone()).unwrap();
                }
                simulation.step().unwrap();
            }
            assert!(simulation.n_contacts() >= 4, "{}", simulation.n_contacts());
            simulation.state_hash()
        })
    };
    let one = hash(1, 5000);
    assert_eq!(hash(3, 5000), one);
    assert_eq!(hash(2, 17), one);
}
