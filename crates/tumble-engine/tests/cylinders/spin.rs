//! Without friction nothing turns a cylinder about its own axis: per contact, of every kind, and over a run.

use crate::samples::{DIAMETER, cylinder, elastic, grain, model, stiff_volume_law, with_grains};
use crate::support::{GRAVITY, closed_box, interaction, linear, on_threads, run, wall};
use glam::{DQuat, DVec3};
use tumble_engine::boundary::wall::{Motion, Wall};
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{ContactEnd, Faces, Law};
use tumble_engine::model::Limits;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::narrow::DEFAULT_CROWN;
use tumble_geometry::{Mesh, Pose, Revolved, Shape, Sphere, Surface};

const R: f64 = 0.5 * DIAMETER;

fn depth_law() -> Law {
    linear(1e5, ContactEnd::Clamped)
}

fn volume_law() -> Law {
    stiff_volume_law(1e6)
}

/// How two cylinders can meet.
#[derive(Clone, Copy, Debug)]
enum Kind {
    CrossedSides,
    ParallelSides,
    RimOnCap,
    RimOnSide,
    RimOnRim,
    OffsetBases,
    Sphere,
}

const KINDS: [Kind; 7] = [
    Kind::CrossedSides,
    Kind::ParallelSides,
    Kind::RimOnCap,
    Kind::RimOnSide,
    Kind::RimOnRim,
    Kind::OffsetBases,
    Kind::Sphere,
];

/// A pose of b, of the same radius as a at the origin, in which they meet in one way to a depth.
fn pose_of(kind: Kind, half_heights: [f64; 2], depth: f64, random: &mut Random) -> Pose {
    let [h_a, h_b] = half_heights;
    let around = DQuat::from_rotation_z(random.between(0.0, 6.3));
    let own = DQuat::from_rotation_z(random.between(0.0, 6.3));
    // With its lowest rim point (seen along -direction) at a place.
    let with_rim_at = |place: DVec3, orientation: DQuat, direction: DVec3| {
        let local = Shape::Cylinder(tumble_geometry::Cylinder { radius: R, half_height: h_b });
        Pose::new(place - orientation * local.support(orientation.inverse() * -direction), orientation)
    };
    let pose = match kind {
        Kind::CrossedSides => Pose::new(
            DVec3::new(2.0 * R - depth, 0.3 * h_b * random.unit(), 0.3 * h_a * random.unit()),
            DQuat::from_rotation_x(random.between(0.2, 2.9)),
        ),
        Kind::ParallelSides => Pose::from_position(DVec3::new(2.0 * R - depth, 0.0, 0.5 * h_a * random.unit())),
        Kind::OffsetBases => Pose::from_position(DVec3::new(R * random.unit(), 0.0, h_a + h_b - depth)),
        Kind::RimOnCap => {
            let place = DVec3::new(0.5 * R * random.unit(), 0.3 * R, h_a - depth);
            with_rim_at(place, DQuat::from_rotation_y(random.between(0.3, 1.2)), DVec3::Z)
        }
        Kind::RimOnSide => {
            let place = DVec3::new(R - depth, 0.0, 0.5 * h_a * random.unit());
            let turn =
                DQuat::from_rotation_x(random.between(0.3, 1.2)) * DQuat::from_rotation_y(random.between(0.3, 1.2));
            with_rim_at(place, turn, DVec3::X)
        }
        Kind::RimOnRim => {
            let place = DVec3::new(R - depth, 0.0, h_a - depth);
            let turn =
                DQuat::from_rotation_x(random.between(0.3, 1.2)) * DQuat::from_rotation_y(random.between(0.3, 1.2));
            with_rim_at(place, turn, DVec3::new(0.7, 0.0, 0.7))
        }
        Kind::Sphere => Pose::from_position(DVec3::new(2.0 * R - depth, 0.0, h_a * random.between(0.0, 1.2))),
    };
    let placed = Pose::new(around * pose.position, around * pose.orientation);
    Pose::new(placed.position, placed.orientation * own)
}

fn check_torques(name: &str, law: Law, bound: f64) {
    let mut random = Random::from_seed(3);
    for kind in KINDS {
        let (mut worst, mut n): (f64, u32) = (0.0, 0);
        for (ratio_a, ratio_b) in [(0.5, 0.5), (1.0, 1.0), (5.0, 5.0), (0.025, 5.0), (1.0, 10.0)] {
            let other = match kind {
                Kind::Sphere => Shape::Sphere(Sphere { radius: R }),
                _ => cylinder(DIAMETER, ratio_b),
            };
            let model = model(&[cylinder(DIAMETER, ratio_a), other], law, elastic(), 1e-5);
            for _ in 0..40 {
                let depth = R * random.between(1e-4, 1e-2) * f64::min(ratio_a, 1.0);
                let half_heights = [ratio_a * R, ratio_b * R];
                let turn = random.orientation();
                let pose = pose_of(kind, half_heights, depth, &mut random);
                let poses = [Pose::IDENTITY, pose].map(|pose| Pose::new(DVec3::ZERO, turn).compose(&pose));
                let wrench = elastic_wrench(&model, [0, 1], poses);
                let scale = wrench.force.length() * R;
                if scale == 0.0 {
                    continue;
                }
                n += 1;
                let about = |torque: DVec3, pose: &Pose| torque.dot(pose.orientation * DVec3::Z).abs() / scale;
                worst = worst.max(about(wrench.torque_a, &poses[0]));
                if !matches!(kind, Kind::Sphere) {
                    worst = worst.max(about(wrench.torque_b, &poses[1]));
                }
            }
        }
        println!("{name}: {kind:?}: {n} poses, largest torque about an axis {worst:.1e} of F R");
        assert!(n >= 100, "{name}: {kind:?}: only {n} poses touch");
        assert!(worst < bound, "{name}: {kind:?}: {worst:.1e}");
    }
}

#[test]
fn no_contact_turns_a_cylinder_about_its_axis_under_the_depth_law() {
    // The side of a body that gives way is an arc up to 1e7 times as large as the body, from whose centre the search tells the
    // point: rounding times that. With a crown of a fixed size the arc is up to 1e5 times as large.
    check_torques("depth", depth_law(), 1e-9);
    let crowned = Faces::DeepestPoint { crown: DEFAULT_CROWN };
    check_torques("depth, crowned", Law { faces: crowned, ..depth_law() }, 1e-10);
    check_torques("depth, flat", Law { faces: Faces::DeepestPoint { crown: 0.0 }, ..depth_law() }, 1e-12);
}

#[test]
fn no_contact_turns_a_cylinder_about_its_axis_under_the_volume_law() {
    check_torques("volume", volume_law(), 1e-12);
}

/// Cylinders that spin about their axes and a ball, without friction, damped so that they come to press on each other and
/// on what holds them.
fn spinning(law: Law, walls: Vec<Wall>, dt: f64) -> Model {
    let shapes = [
        cylinder(DIAMETER, 1.0),
        cylinder(DIAMETER, 0.3),
        cylinder(0.6 * DIAMETER, 3.0),
        Shape::Sphere(Sphere { radius: R }),
    ];
    let model = Model {
        gravity: GRAVITY,
        walls,
        limits: Limits { overlap: 2.0, travel: 1.0, ..Limits::default() },
        ..model(&shapes, law, interaction(0.5, 0.0), dt)
    };
    let mut random = Random::from_seed(8);
    let grains = (0..4)
        .map(|k| {
            let pose = Pose::new(DVec3::new(0.0, 0.0, DIAMETER * (0.2 + 1.6 * f64::from(k))), random.orientation());
            grain(&model, k as u16, pose, random.direction() * 0.1, pose.orientation * DVec3::Z * SPIN)
        })
        .collect();
    with_grains(model, grains)
}

/// Spin about the axis [rad/s].
const SPIN: f64 = 100.0;

fn axial_spin(simulation: &Simulation, species: u16) -> f64 {
    let p = &simulation.state().particles;
    let k = p.species.iter().position(|&s| s == species).unwrap();
    p.angular_velocity[k].dot(p.orientation[k] * DVec3::Z)
}

/// Walls of every kind around the place where the grains fall: planes, a tube with flat ends, a cone with its tip below, and
/// triangles with edges and a corner that point at the grains.
fn containers() -> [(&'static str, Vec<Wall>); 4] {
    let size = 0.9 * DIAMETER;
    let top = 20.0 * size;
    let fixed = |name: &str, surface: Surface, height: f64| {
        vec![wall(name, surface, Pose::from_position(DVec3::Z * height), Motion::Fixed)]
    };
    let drum = Revolved::closed_cylinder(1.2 * DIAMETER, 6.0 * DIAMETER, true, true).unwrap();
    let funnel = Revolved::new(vec![[0.0, -2.0 * size], [1.3 * size, 0.0], [1.3 * size, top]]).unwrap();
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let ring = |z: f64| corners.map(|[x, y]| DVec3::new(size * x, size * y, z));
    let tip = DVec3::new(0.1 * size, -0.2 * size, -0.6 * size);
    let vertices = [ring(-size), ring(top)].concat().into_iter().chain([tip]).collect();
    let triangles = (0..4)
        .flat_map(|k| [[k, (k + 1) % 4, 8], [k, (k + 1) % 4, k + 4], [(k + 1) % 4, (k + 1) % 4 + 4, k + 4]])
        .collect();
    [
        ("box", closed_box(DVec3::splat(-size), DVec3::new(size, size, top))),
        ("drum", fixed("drum", Surface::Revolved(drum), 5.0 * DIAMETER)),
        ("funnel", fixed("funnel", Surface::Revolved(funnel), 0.0)),
        ("mesh", fixed("mesh", Surface::Mesh(Mesh::new(vertices, triangles).unwrap()), 0.0)),
    ]
}

/// A million steps may change the spin by 1e-9, fewer by as much less.
fn check_run(name: &str, law: Law, dt: f64, n_steps: u64) {
    for (place, walls) in containers() {
        on_threads(1, || {
            let mut simulation = Simulation::new(spinning(law, walls, dt)).unwrap();
            let mut n_contacts = 0;
            for _ in 0..n_steps / 100 {
                run(&mut simulation, 100);
                n_contacts += simulation.n_contacts();
            }
            for species in 0..3 {
                let change = (axial_spin(&simulation, species) / SPIN - 1.0).abs();
                println!(
                    "{name}, {place}: {n_steps} steps, {:.1} contacts on average, spin of {species} changed by {change:.1e}",
                    n_contacts as f64 / (n_steps / 100) as f64
                );
                assert!(change < 1e-15 * n_steps as f64, "{name}, {place}: {change:.1e}");
            }
            assert!(n_contacts as u64 * 100 > n_steps, "{name}: hardly any contact");
        });
    }
}

#[test]
fn spin_about_the_axis_is_kept_under_the_depth_law() {
    check_run("depth", depth_law(), 5e-5, 20_000);
}

#[test]
fn spin_about_the_axis_is_kept_under_the_volume_law() {
    // Balls meet cylinders in regions found by rays, which take long.
    check_run("volume", volume_law(), 4e-5, 10_000);
}

/// `cargo test -p tumble-engine --test cylinders -- --ignored --nocapture over_a_million_steps`
#[test]
#[ignore = "two minutes: a million steps in each container"]
fn spin_about_the_axis_is_kept_over_a_million_steps_under_the_depth_law() {
    check_run("depth", depth_law(), 5e-5, 1_000_000);
}

/// See above.
#[test]
#[ignore = "ten minutes: a million steps in each container"]
fn spin_about_the_axis_is_kept_over_a_million_steps_under_the_volume_law() {
    check_run("volume", volume_law(), 4e-5, 1_000_000);
}
