//! The energy of a body that slides over the corners of a profile has no steps, and its force is the slope of it (potential.rs).

use crate::potential::{Depth, Meeting, bodies};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{ContactBody, Pose, Revolved, Surface};

/// A wall of revolution whose profile has hollow corners between pieces that turn little.
pub struct JointedRoom {
    pub name: String,
    pub surface: Surface,
    /// How far beyond the wall a place (distance from the axis, height) is.
    beyond: Box<dyn Fn(f64, f64) -> f64>,
    /// A place near the wall by a number from 0 to 1, and the direction into the wall, both in the half-plane.
    place: Box<dyn Fn(f64) -> [f64; 4]>,
}

fn jointed_room(
    name: &str,
    profile: Vec<[f64; 2]>,
    beyond: impl Fn(f64, f64) -> f64 + 'static,
    place: impl Fn(f64) -> [f64; 4] + 'static,
) -> JointedRoom {
    let surface = Surface::Revolved(Revolved::new(profile).unwrap());
    JointedRoom { name: name.to_owned(), surface, beyond: Box::new(beyond), place: Box::new(place) }
}

/// A dished end of radius 4, up to 60 degrees from its middle.
fn dished_end(n_pieces: u32) -> JointedRoom {
    let corner = |k: u32| {
        let angle = PI / 3.0 * f64::from(k) / f64::from(n_pieces);
        [4.0 * angle.sin(), 4.0 * (1.0 - angle.cos())]
    };
    // Over the middle too.
    let place = |t: f64| {
        let (sine, cosine) = ((t - 0.3) * PI / 5.0).sin_cos();
        [4.0 * sine, 4.0 * (1.0 - cosine), sine, -cosine]
    };
    let beyond = |rho: f64, z: f64| rho.hypot(z - 4.0) - 4.0;
    let name = format!("dished end in {n_pieces} pieces");
    jointed_room(&name, (0..=n_pieces).map(corner).collect(), beyond, place)
}

pub fn jointed_rooms() -> Vec<JointedRoom> {
    let mut rooms = Vec::new();
    for slope in [0.02, 0.04, 0.1, 0.3] {
        let profile = vec![[4.0 - 4.0 * slope, -6.0], [4.0, -2.0], [4.0, 2.0], [4.0 - 4.0 * slope, 6.0]];
        let beyond = move |rho: f64, z: f64| rho - 4.0 + slope * (z.abs() - 2.0).max(0.0);
        let place = |t: f64| [4.0, 1.0 + 2.0 * t, 1.0, 0.0];
        rooms.push(jointed_room(&format!("tube joined to cones of {slope}"), profile, beyond, place));
    }
    for n_pieces in [20, 6] {
        rooms.push(dished_end(n_pieces));
    }
    let on = |profile: &[[f64; 2]], rho: f64| {
        let pieces = profile.windows(2).map(|ends| {
            let slope = (ends[1][1] - ends[0][1]) / (ends[1][0] - ends[0][0]);
            ends[0][1] + slope * (rho - ends[0][0])
        });
        pieces.fold(f64::MIN, f64::max)
    };
    let dish = vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.12], [3.0, 0.45], [3.7, 1.0]];
    let valley = vec![[0.5, 0.6], [2.0, 0.2], [4.0, 0.0], [6.0, 0.2], [8.0, 0.7]];
    for (name, profile, from, to) in [("dish with a flat middle", dish, -1.0, 2.5), ("valley", valley, 2.5, 5.5)] {
        let floor = profile.clone();
        let beyond = move |rho: f64, z: f64| on(&floor, rho) - z;
        let place = move |t: f64| [from + (to - from) * t, 0.2, 0.0, -1.0];
        rooms.push(jointed_room(name, profile, beyond, place));
    }
    rooms
}

/// A body that turns and slides over the wall of a room, by a seed, about as deep as that in its deepest place.
pub fn inside_room(body: &ContactBody, room: &JointedRoom, seed: u64) -> impl Fn(f64) -> Pose + use<> {
    let mut random = Sequence::new(400 + seed);
    let (start, axis) = (random.orientation(), random.direction());
    let begin = [random.unit(), random.between(0.0, 0.6)];
    let start = if seed.is_multiple_of(2) { start } else { DQuat::from_rotation_z(2.0 * PI * begin[0]) };
    let least = DVec3::AXES.iter().map(|&axis| body.reach_along(axis)).fold(0.5, f64::min);
    let depth = f64::min([0.003, 0.01, 0.03][seed as usize % 3], least / 6.0);
    let turned = move |t: f64| DQuat::from_axis_angle(axis, 1.2 * t) * start;
    let place = |t: f64| {
        let orientation = turned(t);
        let azimuth = 2.0 * PI * (begin[0] + 0.1 * t);
        let outward = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let [rho, z, along, up] = (room.place)(begin[1] + 0.4 * t);
        let (place, normal) = (outward * rho + DVec3::Z * z, outward * along + DVec3::Z * up);
        let (u, v) = normal.any_orthonormal_pair();
        let directions =
            (0..81).map(|k| normal + u * (f64::from(k % 9 - 4) * 0.12) + v * (f64::from(k / 9 - 4) * 0.12));
        let points: Vec<DVec3> =
            directions.map(|d| orientation * body.support(orientation.inverse() * d.normalize())).collect();
        let mut position = place - normal * body.reach_along(orientation.inverse() * normal);
        for _ in 0..8 {
            let deepest = points.iter().map(|&point| {
                let point = position + point;
                (room.beyond)(point.truncate().length(), point.z)
            });
            position -= normal * (deepest.fold(f64::MIN, f64::max) - depth);
        }
        position
    };
    // Straight on between some places: those found here are as rough as the directions that were tried.
    const N_PLACES: usize = 40;
    let places: Vec<DVec3> = (0..=N_PLACES + 1).map(|k| place(k as f64 / N_PLACES as f64)).collect();
    move |t: f64| {
        let (k, part) = ((t * N_PLACES as f64) as usize, (t * N_PLACES as f64).fract());
        Pose::new(places[k].lerp(places[k + 1], part), turned(t))
    }
}

/// Every body in every such room by its farthest point. A polyhedron that goes over from vertices to the one contact with a hill has a step.
fn for_each_in_a_jointed_room(mut check: impl FnMut(&JointedRoom, &str, Meeting)) {
    for room in jointed_rooms() {
        for (name, body) in bodies() {
            if room.name != "valley" || body.shape().as_polyhedron().is_none() {
                check(&room, name, Meeting { body: &body, surface: &room.surface, depth: Depth::Farthest });
            }
        }
    }
}

#[test]
fn bodies_of_every_shape_that_slide_over_the_corners_of_a_profile_have_no_steps_in_their_energy() {
    let mut n_off = 0;
    let mut most = 0.0_f64;
    for_each_in_a_jointed_room(|room, name, meeting| {
        let mut worst = (0.0, 0, 0.0);
        for seed in 0..6 {
            let (jump, at) = meeting.largest_jump(inside_room(meeting.body, room, seed), 120);
            worst = if jump > worst.0 { (jump, seed, at) } else { worst };
        }
        most = most.max(worst.0);
        if worst.0 > 1e-9 {
            println!("{name} in a {}: {worst:?}", room.name);
            n_off += 1;
        }
    });
    println!("{most:.1e}");
    assert_eq!(n_off, 0);
}

#[test]
fn force_and_torque_of_bodies_over_the_corners_of_a_profile_are_the_slope_of_their_energy() {
    for_each_in_a_jointed_room(|room, name, meeting| {
        let mut random = Sequence::new(9);
        let mut errors: Vec<f64> = (0..24)
            .map(|k| inside_room(meeting.body, room, k % 6)(random.between(0.05, 0.95)))
            .filter(|pose| meeting.energy(pose) > 1e-7)
            .map(|pose| [1e-4, 1e-5].map(|h| meeting.gradient_error(&pose, h)).into_iter().fold(f64::MAX, f64::min))
            .collect();
        errors.sort_by(f64::total_cmp);
        let n_off = errors.iter().filter(|e| **e > 1e-5).count();
        let what = format!("{name} in a {}", room.name);
        println!("{what}: median {:.1e}, {n_off} of {} at a switch", errors[errors.len() / 2], errors.len());
        assert!(errors.len() >= 12 && n_off <= errors.len() / 5, "{what}: {errors:?}");
    });
}

#[test]
fn bodies_in_a_finely_divided_dished_end_are_held_however_finely_it_is_divided() {
    let [finer, fine] = [360, 240].map(dished_end);
    for (name, body) in bodies() {
        for seed in [0, 2, 4] {
            let path = inside_room(&body, &finer, seed);
            for k in 1..20 {
                let pose = path(f64::from(k) / 20.0);
                let [a, b] = [&finer, &fine].map(|room| {
                    Meeting { body: &body, surface: &room.surface, depth: Depth::Farthest }.energy(&pose).sqrt()
                });
                // The facets stand off the round wall by 1e-5, and a rim can lie along twenty of them.
                assert!((a - b).abs() < 3e-4, "{name}, {seed}, {k}: {a:e} {b:e}");
            }
        }
    }
}
