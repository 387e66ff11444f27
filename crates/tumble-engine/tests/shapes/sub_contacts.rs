//! Sub-contacts in runs: what acts is the patch with its shares; momentum, symmetry and the way back are kept, and energy on planes; between bodies it is kept as
//! far as the figures here say.

use crate::collisions::{self, CONTACT_TIME, collision, through};
use crate::samples::{
    STIFFNESS, cuboid, depth_law, each_on_one_thread, elastic, grain, model, overlapping, pairs_for, planar,
    sub_contacts_law, tetrahedron, with_grains,
};
use crate::support::{hertz, interaction, plane, residual, run, wall};
use crate::symmetry;
use glam::{DQuat, DVec3};
use tumble_engine::boundary::wall::Motion;
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{ContactEnd, Law, MindlinTangential};
use tumble_engine::model::Limits;
use tumble_engine::random::Random;
use tumble_engine::{Model, Simulation};
use tumble_geometry::narrow::{contact, contact_patch};
use tumble_geometry::surface::Mesh;
use tumble_geometry::{Pose, Shape, Surface};

#[test]
fn names_places_and_axes_do_not_matter_by_sub_contacts() {
    symmetry::check("sub-contacts", sub_contacts_law());
}

#[test]
fn colliding_shapes_keep_momentum_and_angular_momentum_by_sub_contacts() {
    collisions::check_momenta("sub-contacts", sub_contacts_law());
}

#[test]
fn a_collision_run_backwards_returns_to_its_start_by_sub_contacts() {
    collisions::check_way_back("sub-contacts", sub_contacts_law());
}

/// Force, torque, energy and depth are those of springs at the corners of the patch, each with its share.
#[test]
fn what_acts_are_springs_at_the_corners_of_the_patch() {
    let by_hertz = Law { faces: sub_contacts_law().faces, ..hertz(MindlinTangential::Rescaled, ContactEnd::Clamped) };
    for (law, power) in [(sub_contacts_law(), 1.0), (by_hertz, 1.5)] {
        for (name, shapes) in pairs_for(&law) {
            let model = model(&shapes, law, elastic(), 1e-4);
            let mut random = Random::from_seed(3);
            for _ in 0..10 {
                let (poses, wrench) = overlapping(&model, 0.02, &mut random);
                let own = [0, 1].map(|k| &model.species[k].shape);
                if own.iter().any(|shape| shape.parts().count() > 1) {
                    continue;
                }
                let pose_ab = poses[0].relative(&poses[1]);
                let found = contact(own[0], own[1], &pose_ab).unwrap();
                let patch = contact_patch(own[0], own[1], &pose_ab, found.normal).unwrap();
                let depth = |separation: f64| (-separation).max(0.0);
                let (mut force, mut torque, mut energy) = (DVec3::ZERO, DVec3::ZERO, 0.0);
                for corner in &patch.corners {
                    let push = -patch.normal * (corner.share * depth(corner.separation).powf(power));
                    force += push;
                    torque += corner.point.cross(push);
                    energy += corner.share * depth(corner.separation).powf(power + 1.0) / (power + 1.0);
                }
                // The stiffness, by the ratio; that of the linear law is known.
                let stiffness = wrench.force.length() / force.length();
                let world = |v: DVec3| poses[0].transform_vector(v) * stiffness;
                assert!(power > 1.0 || (stiffness / STIFFNESS - 1.0).abs() < 1e-9, "{name}: {stiffness}");
                assert!((wrench.force - world(force)).length() < 1e-9 * wrench.force.length(), "{name}");
                assert!((wrench.torque_a - world(torque)).length() < 1e-9 * wrench.force.length(), "{name}");
                assert!((wrench.energy - stiffness * energy).abs() < 1e-9 * wrench.energy, "{name}");
                assert!((wrench.depth + found.separation).abs() < 1e-12, "{name}");
            }
        }
    }
}

/// A box over the middle of a large one keeps its whole face for a patch: force and torque are the gradient of the energy.
#[test]
fn on_a_large_face_force_and_torque_are_the_gradient_of_the_energy() {
    let shapes = [cuboid(10.0, 10.0, 10.0), cuboid(1.0, 0.8, 0.6)];
    let model = model(&shapes, sub_contacts_law(), elastic(), 1e-4);
    let mut random = Random::from_seed(8);
    let (mut worst, mut n): (f64, usize) = (0.0, 0);
    for k in 0..100 {
        // From flat to tilted by half a radian, so that one to four corners bear.
        let turn = DQuat::from_scaled_axis(random.direction() * (0.5 * (f64::from(k) / 100.0).powi(4)));
        let lowest = shapes[1].support(turn.inverse() * DVec3::NEG_Z);
        let pose = |motion: DVec3, tilt: DVec3| {
            Pose::new(DVec3::Z * (4.98 - (turn * lowest).z) + motion, DQuat::from_scaled_axis(tilt) * turn)
        };
        let at = |motion: DVec3, tilt: DVec3| elastic_wrench(&model, [0, 1], [Pose::IDENTITY, pose(motion, tilt)]);
        let wrench = at(DVec3::ZERO, DVec3::ZERO);
        let h = 1e-5;
        let slope = |motion: DVec3, tilt: DVec3| {
            let energy = |k: f64| at(motion * (k * h), tilt * (k * h)).energy;
            (energy(-2.0) - 8.0 * energy(-1.0) + 8.0 * energy(1.0) - energy(2.0)) / (12.0 * h)
        };
        for axis in DVec3::AXES {
            let force = (slope(axis, DVec3::ZERO) - wrench.force.dot(axis)).abs();
            let torque = (slope(DVec3::ZERO, axis) + wrench.torque_b.dot(axis)).abs();
            worst = worst.max(force.max(torque) / wrench.force.length());
        }
        n += 1;
    }
    println!("{n} poses on a large face: worst {worst:.1e}");
    assert!(worst < 1e-6, "{worst}");
}

/// How far force and torque are from the gradient between bodies of a size, over the force: told, and held to what was measured.
#[test]
fn between_bodies_force_and_torque_are_near_the_gradient_of_the_energy() {
    for (name, shapes) in pairs_for(&sub_contacts_law()) {
        let model = model(&shapes, sub_contacts_law(), elastic(), 1e-4);
        let mut random = Random::from_seed(21);
        let mut errors: Vec<f64> = (0..200)
            .map(|_| {
                let (poses, wrench) = overlapping(&model, 0.01, &mut random);
                let h = 1e-6;
                let energy = |motion: DVec3| {
                    let moved = Pose::new(poses[1].position + motion, poses[1].orientation);
                    elastic_wrench(&model, [0, 1], [poses[0], moved]).energy
                };
                let axes: &[DVec3] = if model.planar { &[DVec3::X, DVec3::Y] } else { &DVec3::AXES };
                let slope = |axis: DVec3| (energy(axis * h) - energy(axis * -h)) / (2.0 * h);
                let off = |axis: &DVec3| (slope(*axis) - wrench.force.dot(*axis)).abs();
                axes.iter().map(off).fold(0.0, f64::max) / wrench.force.length()
            })
            .collect();
        errors.sort_by(f64::total_cmp);
        let (median, ninth) = (errors[100], errors[180]);
        println!("{name}: force off the gradient by {median:.1e} in the median, {ninth:.1e} in nine of ten cases");
        assert!(median < 0.1, "{name}: {median}");
    }
}

fn without_limits(model: Model) -> Model {
    Model { limits: Limits { energy: f64::INFINITY, ..model.limits }, ..model }
}

/// Energy off after elastic collisions: root mean square, and in the median.
fn energy_errors(law: Law, shapes: &[Shape; 2], steps: f64) -> [f64; 2] {
    let seeds: Vec<u64> = (0..24).collect();
    let errors = each_on_one_thread(&seeds, |&seed| {
        let model = without_limits(collision(shapes, law, elastic(), CONTACT_TIME / steps, seed));
        let before = Simulation::new(model.clone()).unwrap().energies().total();
        let end = through(model)?;
        (end.n_contacts() == 0).then(|| (end.energies().total() / before - 1.0).abs())
    });
    let mut errors: Vec<f64> = errors.into_iter().flatten().collect();
    errors.sort_by(f64::total_cmp);
    assert!(errors.len() >= 8, "{}", errors.len());
    [(errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt(), errors[errors.len() / 2]]
}

#[test]
fn elastic_collisions_by_sub_contacts_are_off_by_what_the_book_says() {
    let (cube, tetrahedron, polygon) = (cuboid(1.0, 0.8, 0.6), tetrahedron(0.7), planar()[1].1.clone());
    for (name, shapes) in [
        ("boxes", [cube.clone(), cube.clone()]),
        ("box and tetrahedron", [cube, tetrahedron.clone()]),
        ("tetrahedra", [tetrahedron.clone(), tetrahedron]),
        ("polygons", [polygon.clone(), polygon]),
    ] {
        let [coarse, fine] = [50.0, 200.0].map(|steps| energy_errors(sub_contacts_law(), &shapes, steps));
        let mean_depth = energy_errors(depth_law(), &shapes, 50.0);
        println!(
            "{name}: energy off by {:.1e} rms, {:.1e} in the median at t_c/50, {:.1e} and {:.1e} at t_c/200; by mean depth {:.1e} and {:.1e}",
            coarse[0], coarse[1], fine[0], fine[1], mean_depth[0], mean_depth[1]
        );
        // Steps of the energy do not go away with the step of time.
        assert!(fine[0] < 0.1 && fine[1] < 1e-2 && mean_depth[0] < 1e-3, "{name}: {fine:?} {mean_depth:?}");
    }
}

/// The ledger tells what it cannot explain.
#[test]
fn damped_collisions_by_sub_contacts_have_a_ledger() {
    for (name, shapes) in pairs_for(&sub_contacts_law()) {
        let seeds: Vec<u64> = (0..6).collect();
        let residuals = each_on_one_thread(&seeds, |&seed| {
            let law = sub_contacts_law();
            let model = without_limits(collision(&shapes, law, interaction(0.5, 0.3), CONTACT_TIME / 200.0, seed));
            through(model).map(|end| residual(&end))
        });
        let worst = residuals.into_iter().flatten().fold(0.0, f64::max);
        println!("{name}: residual {worst:.1e} at most");
        assert!(worst < 0.2, "{name}: {worst}");
    }
}

/// A box on a plane is held as on a mesh of two triangles.
#[test]
fn a_plane_and_a_mesh_hold_alike() {
    let law = sub_contacts_law();
    let corners = [[-6.0, -6.0], [6.0, -6.0], [6.0, 6.0], [-6.0, 6.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
    let sheet = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let ends: Vec<DVec3> =
        [plane(DVec3::ZERO, DVec3::Z), wall("sheet", Surface::Mesh(sheet), Pose::IDENTITY, Motion::Fixed)]
            .into_iter()
            .map(|floor| {
                let mut model = model(&[cuboid(1.0, 0.8, 0.6)], law, interaction(0.3, 0.4), 1e-4);
                model.walls = vec![floor];
                model.gravity = DVec3::Z * -9.81;
                let pose = Pose::new(DVec3::new(0.2, 0.3, 0.7), DQuat::from_scaled_axis(DVec3::new(0.2, 0.1, 0.4)));
                let grains = vec![grain(&model, 0, pose, DVec3::X, DVec3::Y)];
                let mut simulation = Simulation::new(with_grains(model, grains)).unwrap();
                run(&mut simulation, 8000);
                println!("residual {:.1e}", residual(&simulation));
                assert!(residual(&simulation) < 1e-3);
                simulation.state().particles.position[0]
            })
            .collect();
    assert!((ends[0] - ends[1]).length() < 1e-6, "{ends:?}");
}
