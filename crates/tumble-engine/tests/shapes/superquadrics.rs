//! The gates for superquadrics from round to nearly a box, with each other and with polyhedra; and that nothing turns those of revolution about
//! their own axes. Those with an ellipsoid and one of exponents 4 and 3 are in the tables of every shape.

use crate::local_curvature::local_law;
use crate::samples::{cuboid, depth_law, elastic, grain, model, overlapping, tetrahedron, volume_law, with_grains};
use crate::support::{closed_box, hertz, interaction, on_threads, run};
use crate::{closed_loop, collisions, damped, gradient, symmetry};
use glam::DVec3;
use tumble_engine::law::{ContactEnd, Law, LawKind, MindlinTangential, VolumeExponent};
use tumble_engine::model::{Limits, TimeStep};
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::tolerance::LAW_REGION;
use tumble_geometry::{Shape, Sphere};

fn superquadric(axes: [f64; 3], n1: f64, n2: f64) -> Shape {
    Shape::superquadric(DVec3::from_array(axes), n1, n2).unwrap()
}

/// Superquadrics of exponents 2 to 8 with themselves and in turn, and each with a polyhedron.
fn pairs() -> Vec<(String, [Shape; 2])> {
    let bodies = [(2.0, 2.0), (4.0, 4.0), (8.0, 8.0), (2.0, 8.0)]
        .map(|(n1, n2)| (format!("({n1}, {n2})"), superquadric([0.5, 0.4, 0.45], n1, n2)));
    let polyhedra = [("box", cuboid(1.0, 0.8, 0.6)), ("tetrahedron", tetrahedron(0.7))];
    let mut pairs = Vec::new();
    for (k, (name, shape)) in bodies.iter().enumerate() {
        let (next, other) = &bodies[(k + 1) % bodies.len()];
        pairs.push((format!("{name} - {name}"), [shape.clone(), shape.clone()]));
        pairs.push((format!("{name} - {next}"), [shape.clone(), other.clone()]));
        let (solid, polyhedron) = &polyhedra[k % 2];
        pairs.push((format!("{name} - {solid}"), [shape.clone(), polyhedron.clone()]));
    }
    pairs
}

#[test]
fn force_and_torque_are_the_gradient_of_the_energy() {
    gradient::check_poses("depth", depth_law(), pairs(), 30);
}

#[test]
fn work_around_a_closed_loop_vanishes() {
    closed_loop::check_pairs("depth", depth_law(), pairs());
}

#[test]
fn the_energy_of_collisions_comes_back_as_the_step_is_refined() {
    collisions::check_convergence("depth", depth_law(), &pairs(), 4, &[50.0, 100.0, 200.0]);
}

#[test]
fn names_places_and_axes_do_not_matter() {
    symmetry::check_pairs("depth", depth_law(), pairs());
}

#[test]
fn a_collision_run_backwards_returns_to_its_start() {
    collisions::check_way_back_of("depth", depth_law(), &pairs());
}

#[test]
fn damped_superquadrics_never_gain_energy() {
    damped::check_pairs("depth", depth_law(), &pairs());
}

/// The laws under which nothing may turn a body of revolution about its axis.
fn laws() -> [(&'static str, Law); 3] {
    let mut volume = volume_law(VolumeExponent::ThreeHalves);
    if let LawKind::Volume { region_tolerance, .. } = &mut volume.kind {
        *region_tolerance = LAW_REGION;
    }
    [("depth", depth_law()), ("Hertz", hertz(MindlinTangential::Rescaled, ContactEnd::Clamped)), ("volume", volume)]
}

/// Bodies of revolution among superquadrics, about z.
fn revolved() -> [(&'static str, Shape); 4] {
    [
        ("spheroid", superquadric([0.5, 0.5, 0.3], 2.0, 2.0)),
        ("long spheroid", superquadric([0.3, 0.3, 0.7], 2.0, 2.0)),
        ("exponent 4", superquadric([0.4, 0.4, 0.5], 4.0, 2.0)),
        ("exponent 8", superquadric([0.5, 0.5, 0.3], 8.0, 2.0)),
    ]
}

#[test]
fn no_contact_turns_a_superquadric_of_revolution_about_its_axis() {
    let partners = [
        Shape::Sphere(Sphere { radius: 0.4 }),
        superquadric([0.6, 0.45, 0.35], 2.0, 2.0),
        superquadric([0.5, 0.4, 0.45], 4.0, 4.0),
        cuboid(1.0, 0.8, 0.6),
    ];
    let mut faults = Vec::new();
    for (law_name, law) in laws() {
        let (n_poses, partners) = if law_name == "volume" { (3, &partners[..2]) } else { (40, &partners[..]) };
        for (name, shape) in revolved() {
            for partner in partners {
                let mut worst: f64 = 0.0;
                let model = model(&[shape.clone(), partner.clone()], law, elastic(), 1e-4);
                let mut random = Random::from_seed(7);
                for _ in 0..n_poses {
                    let (poses, wrench) = overlapping(&model, 0.01, &mut random);
                    let axis = poses[0].orientation * DVec3::Z;
                    worst =
                        worst.max(wrench.torque_a.dot(axis).abs() / (wrench.force.length() * shape.bounding_radius()));
                }
                let what = format!("{law_name}: {name} on a {}", partner.name());
                println!("{what}: largest torque about the axis {worst:.1e} of F R");
                // The search over the strata of a polyhedron ends when the depth is settled, at a normal that is off by more.
                let bound = if partner.as_polyhedron().is_some() { 1e-9 } else { 1e-12 };
                if worst >= bound {
                    faults.push(format!("{what}: {worst:.1e}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Under local curvatures the change of the stiffness turns bodies too, but none of revolution about its axis: as far as the
/// differences that tell it.
#[test]
fn local_curvatures_turn_nothing_about_its_axis() {
    for (name, shape) in revolved() {
        let partner = superquadric([0.6, 0.45, 0.35], 2.0, 2.0);
        let model = model(&[shape.clone(), partner], local_law(), elastic(), 1e-4);
        let mut random = Random::from_seed(8);
        for _ in 0..40 {
            let (poses, wrench) = overlapping(&model, 0.01, &mut random);
            let about = wrench.torque_a.dot(poses[0].orientation * DVec3::Z).abs();
            assert!(about < 1e-9 * wrench.force.length() * shape.bounding_radius(), "{name}: {about:.1e}");
        }
    }
}

/// Grains that spin about their axes bounce between smooth walls and each other: the spins are what they were.
#[test]
fn spins_about_axes_of_revolution_are_kept_over_a_run() {
    for (name, shape) in revolved() {
        let base = model(std::slice::from_ref(&shape), depth_law(), interaction(0.7, 0.0), 1.0);
        let shaken = Model {
            walls: closed_box(DVec3::ZERO, DVec3::new(3.2, 1.6, 1.6)),
            gravity: DVec3::new(1.0, -2.0, -9.81),
            time_step: TimeStep::Automatic { safety: 1.0, speed: Some(5.0) },
            limits: Limits { overlap: 2.0, ..Limits::default() },
            ..base
        };
        let mut random = Random::from_seed(9);
        let grains = [0.8, 2.4].map(|x| {
            let pose = tumble_geometry::Pose::new(DVec3::new(x, 0.8, 0.8), random.orientation());
            let spin = pose.orientation * DVec3::Z * 20.0 + random.direction();
            grain(&shaken, 0, pose, random.direction(), spin)
        });
        let mut simulation = Simulation::new(with_grains(shaken, grains.to_vec())).unwrap();
        let spins = |simulation: &Simulation| {
            let p = &simulation.state().particles;
            let spin = |id: u32| {
                let k = p.id.iter().position(|&other| other == id).unwrap();
                p.angular_velocity[k].dot(p.orientation[k] * DVec3::Z)
            };
            [spin(0), spin(1)]
        };
        let before = spins(&simulation);
        let mut met = 0;
        on_threads(1, || {
            for _ in 0..2_000 {
                run(&mut simulation, 10);
                met += simulation.n_contacts();
            }
        });
        let after = spins(&simulation);
        let change = before.iter().zip(after).map(|(b, a)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        println!("{name}: spin off by {change:.1e}, {met} contacts seen");
        assert!(met > 500 && change < 1e-9, "{name}: {change:.1e}, {met}");
    }
}
