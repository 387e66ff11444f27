//! Faces, sides and edges at rest, with answers that are known without us, under every law that claims faces and at the automatic step.

use crate::samples::{SUB_CONTACTS, cuboid, grain, model, with_grains};
use crate::support::{GRAVITY, interaction, linear, on_threads, plane, residual};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_engine::boundary::conveyor::Conveyor;
use tumble_engine::boundary::insertion::ListedGrain;
use tumble_engine::boundary::wall::Wall;
use tumble_engine::law::{ContactEnd, Law, LawKind};
use tumble_engine::model::TimeStep;
use tumble_engine::{Model, Simulation};
use tumble_geometry::{Cylinder, Polyhedron, Pose, Shape, TruncatedCone};

const EDGE: f64 = 0.1;

/// Drag with which what is put down does not rock over its edges [1/s].
const GENTLY: f64 = 20.0;

/// The laws that claim faces: the default, linear springs of 1e7 N/m, the same by sub-contacts, and a bed of springs as stiff on a face of a
/// square decimetre.
fn laws() -> [(&'static str, Law); 4] {
    laws_with_pressure(1e9)
}

/// The same with a stiffness over area for where edges bear all of the load, which are softer under a bed of springs [Pa/m].
fn laws_with_pressure(stiffness_per_area: f64) -> [(&'static str, Law); 4] {
    let pressure = LawKind::Pressure { stiffness_per_area, tangential_ratio: 2.0 / 7.0 };
    [
        ("Hertz", Law::default()),
        ("linear", linear(1e7, ContactEnd::Clamped)),
        ("linear, sub-contacts", Law { faces: SUB_CONTACTS, ..linear(1e7, ContactEnd::Clamped) }),
        ("pressure", Law { kind: pressure, ..Law::default() }),
    ]
}

/// Those by sub-contacts.
fn by_sub_contacts() -> [(&'static str, Law); 2] {
    [("Hertz, sub-contacts", Law { faces: SUB_CONTACTS, ..Law::default() }), laws()[2]]
}

/// A scene on a floor, under gravity that may be tilted, at the automatic step.
struct Scene {
    shapes: Vec<Shape>,
    law: Law,
    restitution: f64,
    friction: f64,
    gravity: DVec3,
    drag: f64,
    /// Young's modulus, which matters under the law of Hertz alone [Pa].
    young: f64,
}

impl Scene {
    fn new(shape: Shape, law: Law) -> Scene {
        Scene { shapes: vec![shape], law, restitution: 0.2, friction: 0.5, gravity: GRAVITY, drag: 0.0, young: 1e9 }
    }

    fn start(&self, place: impl Fn(&Model) -> Vec<ListedGrain>) -> Simulation {
        let mut model = Model {
            gravity: self.gravity,
            walls: vec![plane(DVec3::ZERO, DVec3::Z)],
            time_step: TimeStep::Automatic { safety: 1.0, speed: Some(0.5) },
            drag: self.drag,
            ..model(&self.shapes, self.law, interaction(self.restitution, self.friction), 1.0)
        };
        model.materials[0].young_modulus = self.young;
        let grains = place(&model);
        Simulation::new(with_grains(model, grains)).unwrap()
    }
}

/// A grain whose shape, in the frame in which it was given, has this pose.
fn resting(model: &Model, pose: Pose) -> ListedGrain {
    let own_in_given = model.species[0].given_frame.relative(&Pose::IDENTITY);
    grain(model, 0, pose.compose(&own_in_given), DVec3::ZERO, DVec3::ZERO)
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time {
        simulation.step().unwrap();
    }
}

/// Places by ids.
fn places(simulation: &Simulation) -> Vec<DVec3> {
    let p = &simulation.state().particles;
    let mut places = vec![DVec3::ZERO; p.len()];
    p.id.iter().zip(&p.position).for_each(|(&id, &place)| places[id as usize] = place);
    places
}

fn largest_move(before: &[DVec3], after: &[DVec3]) -> f64 {
    before.iter().zip(after).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn ten_cubes_on_each_other_rest() {
    check_tower(&laws());
}

fn check_tower(laws: &[(&str, Law)]) {
    on_threads(1, || {
        for &(name, law) in laws {
            let scene = Scene { drag: 20.0, ..Scene::new(cuboid(EDGE, EDGE, EDGE), law) };
            let mut simulation = scene.start(|model| {
                let uneven = |k: usize| 0.003 * EDGE * ((k * 7 % 3) as f64 - 1.0);
                let place = |k: usize| DVec3::new(uneven(k), uneven(k + 1), EDGE * (0.5 + k as f64));
                (0..10).map(|k| resting(model, Pose::from_position(place(k)))).collect()
            });
            run_to(&mut simulation, 1.0);
            let before = places(&simulation);
            run_to(&mut simulation, 1.3);
            let drift = largest_move(&before, &places(&simulation)) / EDGE;
            let weight = simulation.state().particles.mass[0] * 9.81;
            let kinetic = simulation.kinetic_energy() / (weight * EDGE);
            let base = -simulation.state().walls[0].force.z / (10.0 * weight);
            let residual = residual(&simulation);
            println!(
                "{name}: drift {drift:.1e} edges, kinetic energy {kinetic:.1e} m g edge, base {base:.9}, residual {residual:.1e}"
            );
            assert!(drift < 1e-6 && kinetic < 1e-10 && (base - 1.0).abs() < 1e-6 && residual < 1e-3, "{name}");
        }
    });
}

/// A flat box on a table that is tilted so far.
fn on_table(law: Law, size: DVec3, friction: f64, angle: f64, drag: f64) -> Simulation {
    let gravity = DQuat::from_rotation_y(-angle) * GRAVITY;
    let scene = Scene { gravity, friction, drag, ..Scene::new(cuboid(size.x, size.y, size.z), law) };
    scene.start(|model| vec![resting(model, Pose::from_position(DVec3::Z * (0.5 * size.z)))])
}

#[test]
fn a_cube_at_nine_tenths_of_the_friction_angle_rests() {
    check_slope(&laws());
}

fn check_slope(laws: &[(&str, Law)]) {
    on_threads(1, || {
        for &(name, law) in laws {
            let friction: f64 = 0.5;
            let mut simulation = on_table(law, DVec3::splat(EDGE), friction, (0.9 * friction).atan(), 0.0);
            run_to(&mut simulation, 0.4);
            let before = places(&simulation);
            run_to(&mut simulation, 0.5);
            let crept = largest_move(&before, &places(&simulation)) / EDGE;
            println!("{name}: crept by {crept:.1e} edges");
            assert!(crept < 1e-9 && residual(&simulation) < 1e-3, "{name}: {crept}");
        }
    });
}

#[test]
fn a_box_on_a_tilting_table_slides_at_its_friction_and_topples_at_its_angle() {
    check_sliding(&laws());
    // Half a degree from the limit a strip of a fiftieth of the base bears all.
    on_threads(1, || check_toppling(&laws()[..2]));
}

fn check_sliding(laws: &[(&str, Law)]) {
    on_threads(1, || {
        for &(name, law) in laws {
            let flat = DVec3::new(EDGE, EDGE, 0.2 * EDGE);
            let speed = |share: f64| {
                let mut simulation = on_table(law, flat, 0.5, (share * 0.5_f64).atan(), 0.0);
                run_to(&mut simulation, 0.3);
                let before = simulation.state().particles.velocity[0].x;
                run_to(&mut simulation, 0.5);
                simulation.state().particles.velocity[0].x - before
            };
            let (below, above) = (speed(0.995), speed(1.005));
            let slope = (1.005 * 0.5_f64).atan();
            let expected = 9.81 * (slope.sin() - 0.5 * slope.cos()) * 0.2;
            println!(
                "{name}: at 0.995 of friction it gains {below:.1e} m/s, at 1.005 {above:.4e} m/s, theory {expected:.4e} m/s"
            );
            // Friction is right to 1e-4 of the weight.
            assert!(below.abs() < 1e-9 && (above - expected).abs() < 1e-4 * 9.81 * 0.2, "{name}");
        }
    });
}

fn check_toppling(laws: &[(&str, Law)]) {
    for &(name, law) in laws {
        let tall = DVec3::new(0.5 * EDGE, EDGE, EDGE);
        let limit = 0.5_f64.atan();
        for (offset, topples) in [(-0.5_f64, false), (0.5, true)] {
            // Put down gently: the weight comes all at once.
            let mut simulation = on_table(law, tall, 1.0, limit + offset.to_radians(), GENTLY);
            run_to(&mut simulation, 1.0);
            let axis = simulation.state().particles.orientation[0] * DVec3::Z;
            let tilt = axis.angle_between(DVec3::Z).to_degrees();
            println!("{name}, {offset:+} degrees from the limit: tilted by {tilt:.3} degrees");
            assert_eq!(tilt > 0.5, topples, "{name}, {offset:+} degrees: tilted by {tilt}");
        }
    }
}

#[test]
fn blocks_overhang_as_far_as_they_can_and_no_farther() {
    on_threads(1, || check_overhang(&laws()[..2]));
}

/// Edges bear all of the load in both, and under a bed of springs they are soft.
#[test]
#[ignore = "minutes: so stiff a bed of springs wants short steps"]
fn under_a_stiff_bed_of_springs_boxes_topple_and_overhang_as_they_must() {
    on_threads(1, || {
        check_toppling(&laws_with_pressure(1e11)[3..]);
        check_overhang(&laws_with_pressure(1e10)[3..]);
    });
}

fn check_overhang(laws: &[(&str, Law)]) {
    for &(name, law) in laws {
        for (share, stands) in [(0.98, true), (1.02, false)] {
            let scene = Scene { friction: 0.8, drag: GENTLY, ..Scene::new(cuboid(2.0 * EDGE, EDGE, 0.5 * EDGE), law) };
            let mut simulation = scene.start(|model| {
                // From the top down each lies over the edge of the next by half a length over its number.
                let overhang = |from_top: usize| share * EDGE / from_top as f64;
                let x = |layer: usize| (1..=layer).map(|k| overhang(4 - k)).sum::<f64>();
                let place = |layer: usize| DVec3::new(x(layer), 0.0, 0.5 * EDGE * (0.5 + layer as f64));
                (0..4).map(|layer| resting(model, Pose::from_position(place(layer)))).collect()
            });
            run_to(&mut simulation, 1.0);
            let sunk = 0.5 * EDGE * 3.5 - places(&simulation)[3].z;
            println!("{name}: at {share} of the largest overhang the top sinks by {sunk:.1e} m");
            assert_eq!(sunk < 0.05 * EDGE, stands, "{name}, {share}: {sunk}");
        }
    }
}

#[test]
fn a_wall_of_bricks_stands() {
    check_bricks(&laws());
}

fn check_bricks(laws: &[(&str, Law)]) {
    on_threads(1, || {
        for &(name, law) in laws {
            let scene = Scene { friction: 0.6, drag: 5.0, ..Scene::new(cuboid(2.0 * EDGE, EDGE, 0.6 * EDGE), law) };
            let mut simulation = scene.start(|model| {
                let row = |layer: usize| {
                    let shift = if layer.is_multiple_of(2) { 0.0 } else { EDGE };
                    (0..3 - layer % 2).map(move |k| {
                        let x = shift + 2.002 * EDGE * k as f64;
                        Pose::from_position(DVec3::new(x, 0.0, 0.6 * EDGE * (0.5 + layer as f64)))
                    })
                };
                (0..6).flat_map(row).map(|pose| resting(model, pose)).collect()
            });
            run_to(&mut simulation, 0.25);
            let before = places(&simulation);
            run_to(&mut simulation, 0.3);
            let drift = largest_move(&before, &places(&simulation)) / EDGE;
            println!("{name}: a wall of {} bricks drifts by {drift:.1e} edges in 0.05 s", before.len());
            assert!(drift < 1e-5 && residual(&simulation) < 1e-3, "{name}: {drift}");
        }
    });
}

/// A stone of an arch of this inner and outer radius, between two angles to either side of its middle, seen from there.
fn voussoir(inner: f64, outer: f64, half_angle: f64) -> Shape {
    let depth = 0.2;
    let corner = |radius: f64, side: f64, y: f64| {
        let (sine, cosine) = (side * half_angle).sin_cos();
        DVec3::new(radius * sine, y, radius * cosine - 0.5 * (inner + outer))
    };
    let mut points = Vec::new();
    for y in [-0.5 * depth, 0.5 * depth] {
        for (radius, side) in [(inner, -1.0), (inner, 1.0), (outer, 1.0), (outer, -1.0)] {
            points.push(corner(radius, side, y));
        }
    }
    Shape::Polyhedron(Polyhedron::from_points(&points).unwrap())
}

fn build_an_arch(name: &str, law: Law, n: usize, thickness: f64, time: f64) -> f64 {
    // Over the mean radius, which is 1 m.
    let half_angle = FRAC_PI_2 / n as f64;
    let shape = voussoir(1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness, half_angle);
    // Stone. Ten times as soft it would sag by more than it is too thick when its weight comes all at once.
    let scene = Scene { friction: 0.9, drag: 5.0, young: 2e10, ..Scene::new(shape, law) };
    let mut simulation = scene.start(|model| {
        let pose = |k: usize| {
            let turn = DQuat::from_rotation_y(half_angle * (2 * k + 1) as f64 - FRAC_PI_2);
            Pose::new(turn * DVec3::Z, turn)
        };
        (0..n).map(|k| resting(model, pose(k))).collect()
    });
    let before = places(&simulation)[n / 2].z;
    run_to(&mut simulation, time);
    let sunk = before - places(&simulation)[n / 2].z;
    println!(
        "{name}: an arch of {n} stones, thickness {thickness} over its radius, sinks by {sunk:.1e} of it in {time} s"
    );
    sunk
}

#[test]
fn an_arch_stands_if_it_is_thick_enough() {
    check_arch(&laws()[..2], 15, 1.0);
}

fn check_arch(laws: &[(&str, Law)], n: usize, time: f64) {
    on_threads(1, || {
        for &(name, law) in laws {
            for (thickness, stands) in [(0.12, true), (0.095, false)] {
                let sunk = build_an_arch(name, law, n, thickness, time);
                assert_eq!(sunk < 0.01, stands, "{name}, {thickness}: {sunk}");
            }
        }
    });
}

#[test]
#[ignore = "minutes: an_arch_stands_if_it_is_thick_enough with more stones and under every law"]
fn an_arch_of_many_stones_stands_if_it_is_thick_enough() {
    check_arch(&laws_with_pressure(1e11), 19, 3.0);
}

/// What of the laws above is tried with others only, for its time.
#[test]
#[ignore = "minutes: every test of faces by sub-contacts, under the law of Hertz too"]
fn by_sub_contacts_faces_and_edges_do_what_they_must() {
    let laws = by_sub_contacts();
    check_tower(&laws);
    check_slope(&laws);
    check_sliding(&laws);
    check_bricks(&laws);
    on_threads(1, || {
        check_toppling(&laws);
        check_overhang(&laws);
    });
    check_arch(&laws, 15, 1.0);
    check_domino(&laws);
}

#[test]
fn a_falling_domino_is_a_rigid_pendulum() {
    check_domino(&laws_with_pressure(3e11));
}

fn check_domino(laws: &[(&str, Law)]) {
    on_threads(1, || {
        for &(name, law) in laws {
            let size = DVec3::new(0.008, 0.024, 0.048);
            let half_diagonal = 0.5 * size.x.hypot(size.z);
            let balance = (size.x / size.z).atan();
            let start = balance + 5_f64.to_radians();
            let scene = Scene { friction: 1.0, ..Scene::new(cuboid(size.x, size.y, size.z), law) };
            let mut simulation = scene.start(|model| {
                let turn = DQuat::from_rotation_y(start);
                let lowest = turn * DVec3::new(0.5 * size.x, 0.0, -0.5 * size.z);
                vec![resting(model, Pose::new(DVec3::Z * -lowest.z, turn))]
            });
            let tilt = |simulation: &Simulation| {
                (simulation.state().particles.orientation[0] * DVec3::Z).angle_between(DVec3::Z)
            };
            let reach = |simulation: &mut Simulation, angle: f64| {
                while tilt(simulation) < angle {
                    simulation.step().unwrap();
                }
                simulation.time()
            };
            let (from, to) = (25_f64.to_radians(), 45_f64.to_radians());
            let found = -reach(&mut simulation, from) + reach(&mut simulation, to);
            // The energy gives the angular velocity at each angle of the half diagonal from the vertical.
            let square = half_diagonal * half_diagonal * 4.0 / 3.0;
            let rate = |angle: f64| {
                let fall = (start - balance).cos() - (angle - balance).cos();
                (2.0 * 9.81 * half_diagonal * fall / square).sqrt()
            };
            let n = 20_000;
            let step = (to - from) / f64::from(n);
            let expected: f64 = (0..n).map(|k| step / rate(from + (f64::from(k) + 0.5) * step)).sum();
            println!("{name}: from 25 to 45 degrees in {found:.6} s, a rigid pendulum in {expected:.6} s");
            assert!((found / expected - 1.0).abs() < 0.01, "{name}: {found} {expected}");
        }
    });
}

fn cylinder(diameter: f64, height: f64) -> Shape {
    Shape::Cylinder(Cylinder { radius: 0.5 * diameter, half_height: 0.5 * height })
}

/// The laws that cylinders can have.
fn depth_laws(stiffness: f64) -> [(&'static str, Law); 2] {
    [("Hertz", Law::default()), ("linear", linear(stiffness, ContactEnd::Clamped))]
}

fn watch_a_tower_of_cylinders(time: f64) {
    on_threads(2, || {
        for (name, law) in depth_laws(1e5) {
            let size = 0.01;
            let scene = Scene { drag: 5.0, ..Scene::new(cylinder(size, size), law) };
            let mut simulation = scene.start(|model| {
                let uneven = |k: usize| 0.004 * size * ((k * 7 % 3) as f64 - 1.0);
                let place = |k: usize| DVec3::new(uneven(k), 0.0, size * (0.5 + k as f64));
                (0..60).map(|k| resting(model, Pose::from_position(place(k)))).collect()
            });
            let before = places(&simulation);
            run_to(&mut simulation, time);
            let after = places(&simulation);
            let aside = before.iter().zip(&after).map(|(a, b)| (*a - *b).truncate().length());
            let aside = aside.fold(0.0, f64::max) / size;
            let residual = residual(&simulation);
            println!(
                "{name}: sixty cylinders move aside by {aside:.1e} of their size in {time} s, residual {residual:.1e}"
            );
            assert!(aside < 0.01 && residual < 1e-3, "{name}: {aside}");
        }
    });
}

#[test]
fn sixty_cylinders_stand_on_each_other() {
    watch_a_tower_of_cylinders(0.2);
}

#[test]
#[ignore = "a minute or more: the full length of sixty_cylinders_stand_on_each_other"]
fn sixty_cylinders_stand_on_each_other_for_five_seconds() {
    watch_a_tower_of_cylinders(5.0);
}

#[test]
fn three_logs_stand_at_a_friction_of_0_271_and_fall_at_0_265() {
    on_threads(1, || {
        for (name, law) in depth_laws(1e6) {
            for (friction, stands) in [(0.271, true), (0.265, false)] {
                let radius = 0.05;
                let scene = Scene { friction, ..Scene::new(cylinder(2.0 * radius, 0.2), law) };
                let mut simulation = scene.start(|model| {
                    let turn = DQuat::from_rotation_x(FRAC_PI_2);
                    let places = [[-1.0, 1.0], [1.0, 1.0], [0.0, 1.0 + 3_f64.sqrt()]];
                    let log = |[x, z]: [f64; 2]| Pose::new(DVec3::new(x, 0.0, z) * radius, turn);
                    places.map(|place| resting(model, log(place))).to_vec()
                });
                let before = places(&simulation)[2].z;
                run_to(&mut simulation, 0.8);
                let sunk = (before - places(&simulation)[2].z) / radius;
                println!("{name}: at a friction of {friction} the upper log sinks by {sunk:.1e} radii");
                assert_eq!(sunk < 0.01, stands, "{name}, {friction}: {sunk}");
            }
        }
    });
}

#[test]
fn a_tablet_spun_on_its_end_slows_as_an_even_disc() {
    on_threads(1, || {
        for (name, law) in depth_laws(1e5) {
            let (radius, friction) = (0.0055, 0.4);
            let scene = Scene { friction, ..Scene::new(cylinder(2.0 * radius, radius), law) };
            let mut simulation = scene.start(|model| {
                vec![grain(model, 0, Pose::from_position(DVec3::Z * (0.5 * radius)), DVec3::ZERO, DVec3::Z * 100.0)]
            });
            run_to(&mut simulation, 0.02);
            let (before, from) = (simulation.state().particles.angular_velocity[0].z, simulation.time());
            run_to(&mut simulation, 0.06);
            let slowed = (before - simulation.state().particles.angular_velocity[0].z) / (simulation.time() - from);
            let expected = 4.0 / 3.0 * friction * 9.81 / radius;
            println!("{name}: slows by {slowed:.1} rad/s^2, an even disc by {expected:.1}");
            assert!((slowed / expected - 1.0).abs() < 0.01, "{name}: {slowed}");
        }
    });
}

/// A cone that rolls on its side about its tip, on a plane that is tilted a little, swings as a pendulum.
#[test]
fn a_cone_rolling_on_its_side_swings_as_a_pendulum() {
    on_threads(1, || {
        for (name, law) in depth_laws(1e6) {
            let (height, radius, tilt): (f64, f64, f64) = (0.1, 0.04, 0.15);
            let shape = Shape::TruncatedCone(TruncatedCone { lower_radius: radius, upper_radius: 0.0, height });
            let half_angle = (radius / height).atan();
            let gravity = DQuat::from_rotation_y(-tilt) * GRAVITY;
            let scene = Scene { friction: 1.0, gravity, ..Scene::new(shape.clone(), law) };
            let swing = 0.2;
            let mut simulation = scene.start(|model| {
                // The side lies along x, the tip at the origin; then it is swung aside.
                let turn = DQuat::from_rotation_z(swing) * DQuat::from_rotation_y(-(FRAC_PI_2 + half_angle));
                let tip = shape.support(DVec3::Z);
                vec![resting(model, Pose::new(-(turn * tip), turn))]
            });
            let angle = |simulation: &Simulation| {
                let axis = simulation.state().particles.orientation[0] * DVec3::NEG_Z;
                DVec2::new(axis.x, axis.y).to_angle()
            };
            let cosine = half_angle.cos();
            let expected =
                2.0 * PI * (height * (1.0 + 5.0 * cosine * cosine) / (5.0 * 9.81 * cosine * tilt.sin())).sqrt();
            let (mut crossings, mut before, mut largest) = (Vec::new(), swing, 0.0_f64);
            while simulation.time() < 2.6 * expected {
                simulation.step().unwrap();
                let now = angle(&simulation);
                if before * now < 0.0 {
                    crossings.push(simulation.time());
                }
                if simulation.time() > 1.6 * expected {
                    largest = largest.max(now.abs());
                }
                before = now;
            }
            let found = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
            println!(
                "{name}: period {found:.4} s, theory {expected:.4} s; a swing of {swing} is {largest:.4} after two periods"
            );
            assert!((found / expected - 1.0).abs() < 0.02 && (0.15..0.205).contains(&largest), "{name}");
        }
    });
}

#[test]
fn a_block_on_a_belt_slides_until_it_is_as_fast_and_the_belt_pays_for_both() {
    let (belt, friction) = (0.8, 0.4);
    for (name, law) in laws() {
        for speeds in [DVec3::X * belt, DVec3::new(0.6, -0.8, 0.0) * belt] {
            let scene = Scene { friction, ..Scene::new(cuboid(EDGE, EDGE, 0.5 * EDGE), law) };
            let mut model = Model {
                gravity: GRAVITY,
                walls: vec![Wall {
                    conveyor: Some(Conveyor { velocity: speeds, ..Conveyor::default() }),
                    ..plane(DVec3::ZERO, DVec3::Z)
                }],
                time_step: TimeStep::Automatic { safety: 1.0, speed: Some(0.5) },
                ..crate::samples::model(&scene.shapes, law, interaction(scene.restitution, friction), 1.0)
            };
            model.materials[0].young_modulus = scene.young;
            let rests = Pose::from_position(DVec3::Z * (0.25 * EDGE));
            let grains = vec![grain(&model, 0, rests, DVec3::ZERO, DVec3::ZERO)];
            let mut simulation = Simulation::new(with_grains(model, grains)).unwrap();
            // It slides for V / (mu g) = 0.204 s; before that the belt has given mu m g V t.
            let mass = simulation.state().particles.mass[0];
            on_threads(1, || {
                while simulation.time() < 0.1 {
                    simulation.step().unwrap();
                }
                let (given, time) = (simulation.state().ledger.wall_work, simulation.time());
                let expected = friction * mass * 9.81 * belt * time;
                assert!((given / expected - 1.0).abs() < 0.01, "{name}: {given} J instead of {expected}");
                while simulation.time() < 0.3 {
                    simulation.step().unwrap();
                }
            });
            let (state, ledger) = (simulation.state(), &simulation.state().ledger);
            let moved = state.particles.velocity[0];
            assert!((moved - speeds).length() < 1e-3 * belt, "{name}: {moved}");
            // Half of the belt's work is lost by friction: mu m g times the slip, V^2 / (2 mu g).
            let whole = mass * belt * belt;
            assert!((ledger.wall_work / whole - 1.0).abs() < 0.01, "{name}: {} of {whole}", ledger.wall_work);
            let rubbed = ledger.slip + ledger.tangential_dashpot;
            assert!((rubbed / (0.5 * whole) - 1.0).abs() < 0.01, "{name}: {rubbed} of {whole}");
            assert!(residual(&simulation) < 1e-3, "{name}: {}", residual(&simulation));
        }
    }
}
