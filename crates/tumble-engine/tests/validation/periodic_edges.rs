//! Periodic edges cannot be seen: a pair that meets across one behaves as in the middle.

use crate::support::{ball, bead, hertz, listed, on_threads, random_gas, residual, run, spheres};
use glam::DVec3;
use tumble_engine::boundary::periodic::unwrapped;
use tumble_engine::law::{ContactEnd, InteractionProperties, MindlinTangential};
use tumble_engine::model::{Domain, Edge, TimeStep};
use tumble_engine::{Model, Simulation};

const SIDE: f64 = 0.2;

fn cell(grains: Vec<tumble_engine::boundary::insertion::ListedGrain>) -> Model {
    Model {
        domain: Domain { lower: DVec3::ZERO, upper: DVec3::splat(SIDE), edges: [Edge::Periodic; 3] },
        insertions: vec![listed(grains)],
        ..spheres(
            hertz(MindlinTangential::Rescaled, ContactEnd::Clamped),
            bead(1e7),
            InteractionProperties {
                restitution: 0.7,
                friction: 0.4,
                rolling_friction: 0.05,
                tangential_restitution: 0.0,
            },
            TimeStep::Fixed(1e-5),
        )
    }
}

/// Two grains that meet off-centre, spinning, at a place.
fn meeting_at(place: DVec3) -> Simulation {
    let offset = DVec3::new(0.012, 0.004, -0.003);
    let velocity = DVec3::new(0.5, 0.1, 0.0);
    let wrapped = |x: DVec3| x - (x / SIDE).floor() * SIDE;
    Simulation::new(cell(vec![
        ball(0.01, wrapped(place - offset), velocity, DVec3::new(0.0, 30.0, 10.0)),
        ball(0.008, wrapped(place + offset), -velocity, DVec3::new(20.0, 0.0, -5.0)),
    ]))
    .unwrap()
}

#[test]
fn a_pair_across_an_edge_behaves_as_one_in_the_middle() {
    on_threads(1, || {
        let mut middle = meeting_at(DVec3::splat(0.5 * SIDE));
        let edges = [
            DVec3::new(0.0, 0.1, 0.1),
            DVec3::new(0.1, 0.1, 0.0),
            DVec3::new(0.0, 0.0, 0.1),
            DVec3::ZERO,
            DVec3::new(SIDE - 0.005, 0.003, SIDE - 0.001),
        ];
        let mut others = edges.map(meeting_at);
        let mut met = false;
        for _ in 0..200 {
            run(&mut middle, 10);
            met |= middle.n_contacts() > 0;
            let by_id = |s: &Simulation, id: u32| s.state().particles.id.iter().position(|&i| i == id).unwrap();
            for (other, place) in others.iter_mut().zip(edges) {
                run(other, 10);
                for id in [0, 1] {
                    let (i, j) = (by_id(&middle, id), by_id(other, id));
                    let (a, b) = (&middle.state().particles, &other.state().particles);
                    // Coordinates are rounded to 1e-17 of the cell; the contact's forces make the most of it.
                    let speed = (a.velocity[i] - b.velocity[j]).length();
                    let spin = (a.angular_velocity[i] - b.angular_velocity[j]).length() * 0.01;
                    assert!(speed < 1e-11 && spin < 1e-11, "at {place}: {speed} {spin}");
                    let moved = |s: &Simulation, k: usize| {
                        let p = &s.state().particles;
                        unwrapped(&s.model().domain, p.position[k], p.image[k])
                    };
                    let apart = moved(&middle, i) - moved(other, j) - (DVec3::splat(0.5 * SIDE) - place);
                    let whole = (apart / SIDE).round() * SIDE;
                    assert!((apart - whole).length() < 1e-13, "at {place}: {apart}");
                }
            }
        }
        assert!(met && middle.n_contacts() == 0);
    });
}

#[test]
fn a_gas_in_a_periodic_cell_keeps_its_momentum_and_closes_its_ledger() {
    let grains = random_gas(0.0097, DVec3::ZERO, [10, 10, 10], 1.0, 21);
    let mut simulation = Simulation::new(cell(grains)).unwrap();
    let momentum = |s: &Simulation| {
        let p = &s.state().particles;
        (0..p.len()).map(|i| p.velocity[i] * p.mass[i]).sum::<DVec3>()
    };
    let p = &simulation.state().particles;
    let scale: f64 = (0..p.len()).map(|i| p.velocity[i].length() * p.mass[i]).sum();
    let before = momentum(&simulation);
    run(&mut simulation, 2000);
    let change = (momentum(&simulation) - before).length() / scale;
    println!("momentum {change:.1e}, residual {:.1e}", residual(&simulation));
    assert!(change < 1e-12, "{change}");
    assert!(residual(&simulation) < 1e-3);
}

#[test]
fn going_round_is_counted() {
    on_threads(1, || {
        let velocity = DVec3::new(3.0, -2.0, 0.5);
        let start = DVec3::new(0.05, 0.1, 0.15);
        let mut simulation = Simulation::new(cell(vec![ball(0.01, start, velocity, DVec3::ZERO)])).unwrap();
        run(&mut simulation, 100_000);
        let p = &simulation.state().particles;
        let domain = &simulation.model().domain;
        let place = unwrapped(domain, p.position[0], p.image[0]);
        let expected = start + velocity * simulation.time();
        // A hundred thousand sums, each rounded to 1e-17 of the cell, and fifteen turns.
        assert!((place - expected).length() < 1e-10, "{place} {expected}");
        // The list lasts half a skin beyond the edge.
        assert!(p.image[0][0] == 15 && p.image[0][1] <= -9 && p.image[0][2] == 3, "{:?}", p.image[0]);
    });
}

#[test]
fn gravity_along_a_periodic_axis_is_booked_over_all_turns() {
    on_threads(1, || {
        let model = Model {
            gravity: DVec3::new(4.0, 0.0, 0.0),
            ..cell(vec![ball(0.01, DVec3::splat(0.1), DVec3::ZERO, DVec3::ZERO)])
        };
        let mut simulation = Simulation::new(model).unwrap();
        run(&mut simulation, 100_000);
        let p = &simulation.state().particles;
        assert!((p.velocity[0].x - 4.0).abs() < 1e-9 && p.image[0][0] >= 9);
        let energies = simulation.energies();
        println!("{} {}", simulation.state().ledger.imbalance(&energies), energies.kinetic());
        assert!(simulation.state().ledger.imbalance(&energies).abs() < 1e-10 * energies.kinetic());
    });
}
