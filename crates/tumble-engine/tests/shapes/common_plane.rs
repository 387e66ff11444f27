//! The common plane in runs: the depth law with its gap, point and normal. Momentum is kept, bits are, and energy is not.

use crate::collisions::{CONTACT_TIME, collision, through};
use crate::samples::{cuboid, depth_law, each_on_one_thread, elastic, model, planar, tetrahedron};
use crate::support::{interaction, on_threads, residual};
use glam::{DQuat, DVec3};
use tumble_engine::contacts::elastic_wrench;
use tumble_engine::law::{Faces, Law};
use tumble_engine::model::Limits;
use tumble_engine::{Model, Particles, Simulation};
use tumble_geometry::common_plane::PlaneSearches;
use tumble_geometry::narrow::{ContactMethod, contact_by};
use tumble_geometry::{Pose, Shape};

fn law(contact_method: ContactMethod) -> Law {
    Law { contact_method, ..depth_law() }
}

/// Pairs of space, and of the plane.
fn pairs() -> Vec<(&'static str, [Shape; 2])> {
    let (cube, tetrahedron) = (cuboid(1.0, 0.8, 0.6), tetrahedron(0.7));
    let polygon = planar()[1].1.clone();
    vec![
        ("boxes", [cube.clone(), cube.clone()]),
        ("box and tetrahedron", [cube, tetrahedron]),
        ("polygons", [polygon.clone(), polygon]),
    ]
}

fn without_limits(model: Model) -> Model {
    Model { limits: Limits { energy: f64::INFINITY, ..model.limits }, ..model }
}

fn momenta(p: &Particles) -> (DVec3, DVec3) {
    (0..p.len()).fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), i| {
        let momentum = p.velocity[i] * p.mass[i];
        (linear + momentum, angular + p.position[i].cross(momentum) + p.spin_momentum(i))
    })
}

#[test]
fn collisions_by_a_common_plane_keep_momentum_and_have_a_ledger() {
    for method in [ContactMethod::CUNDALL, ContactMethod::LIU] {
        for (name, shapes) in pairs() {
            let seeds: Vec<u64> = (0..4).collect();
            let results = each_on_one_thread(&seeds, |&seed| {
                let properties = interaction(0.6, 0.4);
                let model = without_limits(collision(&shapes, law(method), properties, CONTACT_TIME / 100.0, seed));
                let (linear, angular) = momenta(&Simulation::new(model.clone()).unwrap().state().particles);
                let end = through(model)?;
                let p = &end.state().particles;
                let (now_linear, now_angular) = momenta(p);
                let change = (now_linear - linear).length().max((now_angular - angular).length()) / p.mass[0];
                Some((change, residual(&end)))
            });
            let results: Vec<(f64, f64)> = results.into_iter().flatten().collect();
            let worst = |pick: fn(&(f64, f64)) -> f64| results.iter().map(pick).fold(0.0, f64::max);
            println!(
                "{}, {name}: {} collisions, momentum off by {:.1e} m v, residual of the ledger {:.1e} at most",
                method.name(),
                results.len(),
                worst(|r| r.0),
                worst(|r| r.1)
            );
            assert!(results.len() >= 2 && worst(|r| r.0) < 1e-12, "{name}");
            // What the ledger cannot explain is told, and less than all that there was.
            assert!(results.iter().all(|r| r.1.is_finite()) && worst(|r| r.1) < 1.0, "{name}");
        }
    }
}

/// Energy off after elastic collisions, root mean square over the energy.
fn energy_error(method: ContactMethod, shapes: &[Shape; 2], steps: f64) -> f64 {
    let seeds: Vec<u64> = (0..8).collect();
    let errors = each_on_one_thread(&seeds, |&seed| {
        let model = without_limits(collision(shapes, law(method), elastic(), CONTACT_TIME / steps, seed));
        let before = Simulation::new(model.clone()).unwrap().energies().total();
        let end = through(model)?;
        (end.n_contacts() == 0).then(|| end.energies().total() / before - 1.0)
    });
    let errors: Vec<f64> = errors.into_iter().flatten().collect();
    assert!(errors.len() >= 4);
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

#[test]
fn polyhedra_by_a_common_plane_make_and_lose_energy_at_any_step() {
    let [(_, boxes), _, (_, polygons)] = pairs().try_into().unwrap();
    let errors = |method: ContactMethod, shapes: &[Shape; 2]| {
        let errors = [50.0, 200.0].map(|steps| energy_error(method, shapes, steps));
        println!("{}: energy off by {:.1e} at t_c/50, {:.1e} at t_c/200, rms", method.name(), errors[0], errors[1]);
        errors
    };
    let exact = errors(ContactMethod::Exact, &boxes);
    let liu = errors(ContactMethod::LIU, &boxes);
    assert!(liu[1] > 0.2 * liu[0] && liu[1] > 0.1 && liu[1] > 1000.0 * exact[1], "{liu:?} {exact:?}");
    // Polygons have no ridge to stall on.
    let in_plane = errors(ContactMethod::LIU, &polygons);
    assert!(in_plane[1] < 0.1 * liu[1], "{in_plane:?} {liu:?}");
}

/// What acts is the plane's depth at the plane's point, and not the mean depth of faces.
#[test]
fn the_depth_law_takes_gap_point_and_normal_of_the_plane() {
    for method in [ContactMethod::CUNDALL, ContactMethod::LIU] {
        assert_eq!(law(method).acting_faces(), Faces::DeepestPoint { crown: 0.0 });
        for (name, shapes) in pairs() {
            let is_planar = shapes[0].is_planar();
            let model = model(&shapes, law(method), elastic(), 1e-4);
            let turn = if is_planar { DQuat::from_rotation_z(0.4) } else { DQuat::from_rotation_x(0.4) };
            let poses = [Pose::IDENTITY, Pose::new(DVec3::new(0.7, 0.1, if is_planar { 0.0 } else { 0.1 }), turn)];
            // Species keep their shapes in their principal frames.
            let own = [0, 1].map(|k| &model.species[k].shape);
            let found = contact_by(method, own[0], own[1], &poses[1], None, f64::INFINITY).unwrap().unwrap();
            assert!(found.separation < 0.0, "{name}");
            let wrench = elastic_wrench(&model, [0, 1], poses);
            assert!((wrench.depth + found.separation).abs() < 1e-12, "{name} {wrench:?} {found:?}");
            let force = crate::samples::STIFFNESS * found.separation * found.normal;
            assert!((wrench.force - force).length() < 1e-9 * force.length(), "{name} {wrench:?} {force}");
            let middle = 0.5 * (found.point_a + found.point_b);
            assert!((wrench.torque_a - middle.cross(force)).length() < 1e-9 * force.length(), "{name}");
        }
    }
}

/// The plane is found from the line of the centroids each time: what a run remembers of pairs apart must not hide a contact
/// that the method would see, or the bits would depend on when a run was taken up again.
#[test]
fn runs_by_a_common_plane_give_the_same_bits_on_any_threads_and_after_restarts() {
    for (name, shapes) in pairs() {
        let is_planar = shapes[0].is_planar();
        let mut model = without_limits(model(&shapes, law(ContactMethod::LIU), interaction(0.5, 0.3), 2e-4));
        let n = if is_planar { [5, 5, 1] } else { [3, 3, 3] };
        let mut grains = Vec::new();
        for k in 0..n[0] * n[1] * n[2] {
            let cell = DVec3::new((k % n[0]) as f64, (k / n[0] % n[1]) as f64, (k / (n[0] * n[1])) as f64);
            // Farther apart than the boxes are long.
            let (place, middle) = (1.5 * cell, 0.75 * DVec3::new(n[0] as f64, n[1] as f64, n[2] as f64));
            let middle = if is_planar { middle.with_z(0.0) } else { middle };
            let turn = if is_planar { DQuat::from_rotation_z(k as f64) } else { DQuat::from_scaled_axis(cell + 0.1) };
            let pose = Pose::new(place, turn);
            let spin = if is_planar { DVec3::Z } else { cell };
            grains.push(crate::samples::grain(&model, (k % 2) as u16, pose, 2.0 * (middle - place), spin));
        }
        model = crate::samples::with_grains(model, grains);
        const N_STEPS: u64 = 1000;
        let hash = |n_threads: usize| {
            on_threads(n_threads, || {
                let mut simulation = Simulation::new(model.clone()).unwrap();
                let mut searches = PlaneSearches::default();
                for _ in 0..N_STEPS {
                    simulation.step().unwrap();
                    searches += simulation.plane_searches().unwrap();
                }
                (simulation.state().hash(), searches, simulation.state().n_contacts()[1], residual(&simulation))
            })
        };
        let (one, searches, n_contacts, residual) = hash(1);
        println!("{name}: {n_contacts} contacts at the end, residual {residual:.1e}, {searches:?}");
        assert!(n_contacts > 3, "{name}: {n_contacts}");
        // The angle is halved seventeen times at least.
        assert!(searches.n_searches > N_STEPS && searches.mean_iterations().unwrap() > 17.0, "{name}: {searches:?}");
        let two = hash(2);
        assert_eq!((two.0, two.1), (one, searches), "{name}");
        let (mut simulation, mut counted) = (Simulation::new(model.clone()).unwrap(), PlaneSearches::default());
        for step in 0..N_STEPS {
            if step % 7 == 6 {
                let state = simulation.state().clone();
                simulation = Simulation::resume(model.clone(), state).unwrap();
            }
            simulation.step().unwrap();
            counted += simulation.plane_searches().unwrap();
        }
        assert_eq!((simulation.state().hash(), counted), (one, searches), "{name}: after restarts");
    }
}

/// Each pair whose bounding balls touch is searched once a step; other methods and other pairs count nothing.
#[test]
fn a_run_counts_the_searches_for_common_planes_of_its_steps() {
    let boxes = &pairs()[0].1;
    let apart = [Pose::IDENTITY, Pose::from_position(DVec3::X * 1.2)];
    let searches = |method: ContactMethod| {
        let model = model(boxes, law(method), elastic(), 1e-6);
        let grains = (0..2).map(|k| crate::samples::grain(&model, 0, apart[k], DVec3::ZERO, DVec3::ZERO)).collect();
        let mut simulation = Simulation::new(crate::samples::with_grains(model, grains)).unwrap();
        simulation.step().unwrap();
        simulation.plane_searches()
    };
    for method in [ContactMethod::CUNDALL, ContactMethod::LIU] {
        let counted = searches(method).unwrap();
        let own = &model(boxes, law(method), elastic(), 1e-6).species[0].shape;
        let found = method.plane_between(own, own, &apart[1]).unwrap();
        assert_eq!(counted.n_searches, 1);
        assert_eq!((counted.n_iterations, counted.most_iterations), (found.iterations as u64, found.iterations as u64));
    }
    assert_eq!(searches(ContactMethod::Exact), None);
    assert_eq!(searches(ContactMethod::FENG_LAYERED), None);
}
