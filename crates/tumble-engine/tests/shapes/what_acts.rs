//! What a run reports is what acted: the contacts it shows, summed over a grain, are the force and torque that the step gave
//! to it, those of walls their loads, and the energy it shows is that of the law; for every pair of shapes, walls, law,
//! method, periodic and planar.

use crate::samples::{depth_law, grain, model, planar, solids, sub_contacts_law, volume_law};
use crate::support::{GRAVITY, closed_box, hertz, interaction, linear, listed, plane, residual, run, wall};
use glam::{DQuat, DVec3};
use tumble_engine::boundary::insertion::Plan;
use tumble_engine::boundary::periodic::nearest_image;
use tumble_engine::boundary::wall::Motion;
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{ContactEnd, Faces, InteractionProperties, Law, MindlinTangential, VolumeExponent};
use tumble_engine::model::{Domain, Edge, Limits};
use tumble_engine::observe::Partner;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::narrow::ContactMethod;
use tumble_geometry::{Cylinder, Mesh, Pose, Revolved, Shape, Surface, Tablet};

/// Damped, with friction.
const ROUGH: InteractionProperties =
    InteractionProperties { restitution: 0.6, friction: 0.4, rolling_friction: 0.0, tangential_restitution: 0.0 };

/// Rounding of a few dozen forces that are summed in another order, over the largest of them.
const ROUNDING: f64 = 1e-12;

/// Holds what is reported against what acted. Returns how many contacts there were between grains and with walls.
fn check(what: &str, simulation: &Simulation) -> [usize; 2] {
    let (model, state) = (simulation.model(), simulation.state());
    let p = &state.particles;
    let mut grains = vec![(DVec3::ZERO, DVec3::ZERO); p.len()];
    let mut walls = vec![(DVec3::ZERO, DVec3::ZERO); state.walls.len()];
    let (mut largest_force, mut largest_torque, mut counts) = (0f64, 0f64, [0, 0]);
    for contact in simulation.contacts() {
        let arm = contact.point - p.position[contact.a];
        grains[contact.a].0 += contact.force;
        grains[contact.a].1 += arm.cross(contact.force) + contact.couple;
        largest_force = largest_force.max(contact.force.length());
        largest_torque = largest_torque.max(contact.force.length() * arm.length());
        match contact.partner {
            Partner::Particle(b) => {
                let arm = arm - contact.branch;
                grains[b].0 -= contact.force;
                grains[b].1 -= arm.cross(contact.force) + contact.couple;
                counts[0] += 1;
            }
            Partner::Wall(w) => {
                let arm = contact.point - state.walls[w].pose.position - image_of(simulation, contact.a, w);
                walls[w].0 -= contact.force;
                walls[w].1 -= arm.cross(contact.force) + contact.couple;
                largest_torque = largest_torque.max(contact.force.length() * arm.length());
                counts[1] += 1;
            }
        }
    }
    for (i, &(force, torque)) in grains.iter().enumerate() {
        // What pushes out of the plane is taken up by it.
        let (force, torque) = if model.planar { (force.with_z(0.0), DVec3::Z * torque.z) } else { (force, torque) };
        let (wrong_force, wrong_torque) = ((force - p.force[i]).length(), (torque - p.torque[i]).length());
        assert!(wrong_force <= ROUNDING * largest_force, "{what}: grain {i}: {force} is not {}", p.force[i]);
        assert!(wrong_torque <= ROUNDING * largest_torque, "{what}: grain {i}: {torque} is not {}", p.torque[i]);
    }
    for (w, (&(force, torque), state)) in walls.iter().zip(&state.walls).enumerate() {
        assert!((force - state.force).length() <= ROUNDING * largest_force, "{what}: wall {w}");
        assert!((torque - state.torque).length() <= ROUNDING * largest_torque, "{what}: wall {w}");
    }
    assert_eq!(counts.iter().sum::<usize>(), simulation.n_contacts(), "{what}");
    counts
}

/// From a wall with bounds to that image of it that a grain meets [m]: the one in whose cell the grain was when the lists were built.
fn image_of(simulation: &Simulation, grain: usize, wall: usize) -> DVec3 {
    let (model, reference) = (simulation.model(), &simulation.state().solver.soft().reference);
    let Some(bounds) = model.walls[wall].surface.bounds(&reference.wall_poses[wall]) else { return DVec3::ZERO };
    let offset = reference.positions[grain] - 0.5 * (bounds.lower + bounds.upper);
    offset - nearest_image(&model.domain, offset)
}

/// The energy in the normal springs between grains, asked of the law pair by pair.
fn check_energy(what: &str, simulation: &Simulation, tolerance: f64) {
    let (model, p) = (simulation.model(), &simulation.state().particles);
    let (mut shown, mut pairs) = (0.0, std::collections::BTreeMap::new());
    simulation.visit_contacts(&mut |contact, energy| {
        if let Partner::Particle(b) = contact.partner {
            shown += energy.normal;
            pairs.insert((contact.a, b), contact.branch);
        }
    });
    let asked: f64 = pairs
        .iter()
        .map(|(&(a, b), &branch)| {
            let poses = [Pose::new(DVec3::ZERO, p.orientation[a]), Pose::new(branch, p.orientation[b])];
            elastic_wrench(model, [p.species[a], p.species[b]], poses).energy
        })
        .sum();
    assert!((shown - asked).abs() <= tolerance * asked, "{what}: {shown} J are shown, the law has {asked} J");
}

/// Every solid four times, thrown at each other and at walls of every kind in a closed box.
fn crowd(law: Law, properties: InteractionProperties, periodic: bool) -> Model {
    let shapes: Vec<Shape> = solids().into_iter().map(|(_, shape)| shape).collect();
    let mut model = model(&shapes, law, properties, 2e-4);
    let mut random = Random::from_seed(11);
    let (lower, upper) = (DVec3::ZERO, DVec3::new(6.0, 6.0, 6.0));
    let mut grains = Vec::new();
    for k in 0..48 {
        let cell = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64 + 0.5);
        let pose = Pose::new(cell * 1.5 + DVec3::splat(0.75), random.orientation());
        let velocity = (DVec3::new(3.0, 3.0, 2.0) - pose.position) + random.direction() - DVec3::Z * 5.0;
        grains.push(grain(&model, (k % shapes.len()) as u16, pose, velocity, random.direction() * 2.0));
    }
    model.insertions = vec![listed(grains)];
    model.gravity = GRAVITY;
    model.walls = closed_box(lower, upper);
    let sheet = [[0.0, 0.0, 0.2], [6.0, 0.0, 0.2], [6.0, 6.0, 0.6], [0.0, 6.0, 0.2]].map(DVec3::from_array);
    let sheet = Mesh::new(sheet.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let turning =
        Motion::Rotate { point: DVec3::splat(3.0), axis: DVec3::Z, speed: 1.0, start: 0.0, stop: f64::INFINITY };
    model.walls.push(wall("sheet", Surface::Mesh(sheet), Pose::IDENTITY, Motion::Fixed));
    let post = Revolved::new(vec![[0.15, 0.0], [0.1, 6.0]]).unwrap();
    model.walls.push(wall("post", Surface::Revolved(post), Pose::from_position(DVec3::new(3.0, 3.0, 0.0)), turning));
    if periodic {
        model.walls.truncate(6);
        model.walls.drain(0..2);
        model.domain = Domain { lower, upper, edges: [Edge::Periodic, Edge::Open, Edge::Open] };
    }
    model
}

/// Runs and looks so many times, every so many steps. Regions of curved bodies differ by their tolerance with the direction that they are
/// looked for from; depths by rounding.
fn watch(what: &str, model: Model, [n_looks, every]: [u64; 2], energy: f64) {
    let mut simulation = Simulation::new(model).unwrap();
    let mut most = [0, 0];
    for _ in 0..n_looks {
        run(&mut simulation, every);
        let counts = check(what, &simulation);
        check_energy(what, &simulation, energy);
        most = [most[0].max(counts[0]), most[1].max(counts[1])];
    }
    println!("{what}: at most {} contacts between grains and {} with walls", most[0], most[1]);
    assert!(most[0] >= 12 && most[1] >= 4, "{what}: {most:?}");
}

/// A run that begins with the grains of another where they are, at rest.
fn begun_from(simulation: &Simulation) -> Simulation {
    let (model, p) = (simulation.model(), &simulation.state().particles);
    let grains = (0..p.len())
        .map(|i| grain(model, p.species[i], Pose::new(p.position[i], p.orientation[i]), DVec3::ZERO, DVec3::ZERO))
        .collect();
    let mut insertion = listed(grains);
    if let Plan::List { max_overlap, .. } = &mut insertion.plan {
        *max_overlap = 0.2;
    }
    Simulation::new(Model { insertions: vec![insertion], ..model.clone() }).unwrap()
}

#[test]
fn under_a_linear_law_with_walls_of_every_kind() {
    watch("linear", crowd(depth_law(), ROUGH, false), [60, 40], 1e-9);
}

#[test]
fn under_the_law_of_hertz_with_rolling_resistance_and_periodic_edges() {
    let law = hertz(MindlinTangential::Rescaled, ContactEnd::Clamped);
    let mut model = crowd(law, InteractionProperties { rolling_friction: 0.1, ..ROUGH }, true);
    for material in &mut model.materials {
        material.young_modulus = 3e7;
    }
    watch("Hertz", model, [60, 40], 1e-9);
}

#[test]
fn on_a_mesh_floor_one_period_long_that_turns_through_the_edges() {
    let mut model = crowd(depth_law(), ROUGH, true);
    let corners = [[-6.0, 0.0, 0.3], [0.0, 0.0, 0.3], [0.0, 6.0, 0.3], [-6.0, 6.0, 0.3]].map(DVec3::from_array);
    let sheet = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    // It rocks about an axis along the period, and its origin is off it.
    let rocking =
        Motion::Rotate { point: DVec3::splat(3.0), axis: DVec3::X, speed: 0.2, start: 0.0, stop: f64::INFINITY };
    let pose = Pose::from_position(DVec3::new(4.0, 0.0, 0.0));
    model.walls.push(wall("sheet", Surface::Mesh(sheet), pose, rocking));
    watch("sheet", model, [60, 40], 1e-9);
}

#[test]
fn under_the_volume_law() {
    // Thin grains are soft under this law: at these speeds they go deep into walls, and through a mesh.
    let mut model = crowd(volume_law(VolumeExponent::Two), ROUGH, false);
    model.walls.retain(|wall| wall.name != "sheet");
    model.limits.overlap = 20.0;
    // Until the crowd is close: a step costs a thousand times as much then as before they touch, for the regions of curved grains.
    watch("volume", model, [24, 50], 1e-5);
}

#[test]
fn by_every_method_and_with_any_crown() {
    for contact_method in ContactMethod::ALL {
        let mut model = crowd(Law { contact_method, ..depth_law() }, ROUGH, false);
        if contact_method.is_published() {
            // Whatever overlaps such a method claims and whatever energy it makes: what is reported is what acted.
            model.limits = Limits { overlap: f64::INFINITY, travel: f64::INFINITY, energy: f64::INFINITY };
        }
        watch(contact_method.name(), model, [12, 160], 1e-6);
    }
    for crown in [0.0, 0.02] {
        for faces in [Faces::DeepestPoint { crown }, Faces::SubContacts { crown }] {
            watch(&format!("{faces:?}"), crowd(Law { faces, ..depth_law() }, ROUGH, false), [12, 160], 1e-6);
        }
    }
}

#[test]
fn in_the_plane() {
    let shapes: Vec<Shape> = planar().into_iter().map(|(_, shape)| shape).collect();
    for law in [depth_law(), sub_contacts_law(), volume_law(VolumeExponent::Two)] {
        let mut model = model(&shapes, law, ROUGH, 2e-4);
        let mut random = Random::from_seed(5);
        let grains = (0..30)
            .map(|k| {
                let place = DVec3::new((k % 6) as f64, (k / 6) as f64, 0.0) * 1.1 + DVec3::new(0.7, 0.7, 0.0);
                let turn = DQuat::from_rotation_z(random.between(0.0, 6.0));
                let velocity = (DVec3::new(3.0, 3.0, 0.0) - place) - DVec3::Y * 4.0;
                grain(&model, (k % 2) as u16, Pose::new(place, turn), velocity, DVec3::Z * random.unit())
            })
            .collect();
        model.insertions = vec![listed(grains)];
        model.gravity = DVec3::new(0.0, -9.81, 0.0);
        model.walls =
            vec![plane(DVec3::ZERO, DVec3::Y), plane(DVec3::ZERO, DVec3::X), plane(DVec3::X * 7.0, -DVec3::X)];
        watch("planar", model, [40, 40], 1e-9);
    }
}

/// Discs 10 mm wide and 5 mm high, one on the other, on a plane.
fn two_discs(stiffness: f64) -> Model {
    let disc = Shape::Cylinder(Cylinder { radius: 5e-3, half_height: 2.5e-3 });
    let law = linear(stiffness, ContactEnd::Clamped);
    let mut model = model(&[disc], law, interaction(0.3, 0.5), 2e-6);
    let at = |z: f64| Pose::from_position(DVec3::Z * z);
    let grains = [2.51e-3, 7.53e-3].map(|z| grain(&model, 0, at(z), DVec3::ZERO, DVec3::ZERO));
    model.insertions = vec![listed(grains.to_vec())];
    model.gravity = GRAVITY;
    model.walls = vec![plane(DVec3::ZERO, DVec3::Z)];
    model
}

#[test]
fn a_disc_that_rests_on_another_is_reported_with_its_weight_and_not_with_half_of_it_or_none() {
    for stiffness in [2e3, 8e3] {
        let mut simulation = Simulation::new(two_discs(stiffness)).unwrap();
        run(&mut simulation, 100_000);
        let weight = simulation.state().particles.mass[0] * 9.81;
        let contacts = simulation.contacts();
        assert_eq!(contacts.len(), 2, "{contacts:?}");
        for contact in contacts {
            let held = if matches!(contact.partner, Partner::Wall(_)) { 2.0 * weight } else { weight };
            let shown = contact.force.z.abs();
            assert!((shown / held - 1.0).abs() < 1e-3, "{stiffness} N/m: {shown} N where {held} N are held");
        }
        assert!(residual(&simulation) < 1e-3, "{stiffness} N/m: residual {}", residual(&simulation));
    }
}

#[test]
fn every_contact_of_settled_tablets_is_reported() {
    let tablet = Shape::Tablet(Tablet { radius: 5e-3, half_height: 1.5e-3, dome_height: 1e-3 });
    let mut model = model(&[tablet], linear(5e3, ContactEnd::Clamped), interaction(0.4, 0.4), 5e-6);
    let mut random = Random::from_seed(2);
    let grains = (0..64)
        .map(|k| {
            let place = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64) * 11e-3 + DVec3::splat(7e-3);
            grain(&model, 0, Pose::new(place, random.orientation()), DVec3::ZERO, DVec3::ZERO)
        })
        .collect();
    model.insertions = vec![listed(grains)];
    model.gravity = GRAVITY;
    model.walls = closed_box(DVec3::ZERO, DVec3::new(0.047, 0.047, 0.2));
    let mut simulation = Simulation::new(model).unwrap();
    run(&mut simulation, 60_000);
    let counts = check("tablets", &simulation);
    println!("tablets: {counts:?} contacts, residual {:.1e}", residual(&simulation));
    assert!(counts[0] > 80, "{counts:?}");
    assert!(residual(&simulation) < 1e-3, "residual {}", residual(&simulation));
    let lift: f64 = simulation.state().walls[4].force.z;
    let weight: f64 = simulation.state().particles.mass.iter().sum::<f64>() * 9.81;
    assert!((lift / weight + 1.0).abs() < 0.2, "the floor bears {lift} N of {weight} N");

    // Those that touch when a run begins are there before its first step, and what is in their springs is in the ledger.
    let mut begun = begun_from(&simulation);
    assert_eq!(check("tablets that touch at the start", &begun), counts);
    run(&mut begun, 2_000);
    assert!(residual(&begun) < 1e-3, "residual {} of a run that began with contacts", residual(&begun));
}
