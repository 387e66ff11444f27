//! Every kind of wall.

use crate::definition::*;
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_geometry::narrow::contact_bodies;
use tumble_geometry::oracle::{self, Sequence};
use tumble_geometry::{ContactBody, Cylinder, DEFAULT_CROWN, Mesh, Pose, Revolved, Shape, Surface, SurfaceContact};

/// The least of a function over the surface of a crowned body: points of all its arcs all round, then ever smaller steps.
fn least_over_surface(body: &ContactBody, pose: &Pose, function: impl Fn(DVec3) -> f64) -> f64 {
    const N_ALONG: usize = 12;
    const N_AROUND: usize = 48;
    let arcs = arcs(body.shape(), body.crown());
    let value = |arc: &ThreePoints, t: f64, angle: f64| {
        let [start, middle, end] = arc.0;
        // A parabola is that arc to 1e-7 of its bulge at most only where it is flat, so the point is put onto the circle.
        let up = (middle - 0.5 * (start + end)).normalize_or_zero();
        let (half, bulge) = (0.5 * start.distance(end), middle.distance(0.5 * (start + end)));
        let place = if bulge == 0.0 {
            start.lerp(end, 0.5 + 0.5 * t)
        } else {
            let (radius, turn) = ((half * half + bulge * bulge) / (2.0 * bulge), 2.0 * (bulge / half).atan() * t);
            let along = (end - start).normalize();
            middle + along * (radius * turn.sin()) - up * (2.0 * radius * (0.5 * turn).sin().powi(2))
        };
        function(pose.transform_point((DVec2::from_angle(angle) * place.x).extend(place.y)))
    };
    let mut least = f64::INFINITY;
    for arc in &arcs {
        let mut tried = Vec::new();
        for k in 0..=N_ALONG {
            for m in 0..N_AROUND {
                let (t, angle) = (2.0 * k as f64 / N_ALONG as f64 - 1.0, 2.0 * PI * m as f64 / N_AROUND as f64);
                tried.push((value(arc, t, angle), t, angle));
            }
        }
        tried.sort_by(|x, y| x.0.total_cmp(&y.0));
        for &(start, t, angle) in tried.iter().take(3) {
            let (mut best, mut t, mut angle, mut step) = (start, t, angle, 0.1);
            while step > 1e-9 {
                let around = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
                    .map(|(p, q): (f64, f64)| ((t + step * p).clamp(-1.0, 1.0), angle + step * q));
                let tried = around.map(|(t, angle)| (value(arc, t, angle), t, angle));
                match tried.into_iter().min_by(|x, y| x.0.total_cmp(&y.0)) {
                    Some(candidate) if candidate.0 < best - 1e-13 => (best, t, angle) = candidate,
                    _ => step *= 0.5,
                }
            }
            least = least.min(best);
        }
    }
    least
}

fn crowned_bodies() -> Vec<ContactBody> {
    crowned_shapes().iter().map(|shape| ContactBody::new(shape, DEFAULT_CROWN)).collect()
}

/// A turn that is any, or nearly along or across z.
fn turn_of(sequence: &mut Sequence, case: usize) -> DQuat {
    let hair = DQuat::from_scaled_axis(sequence.direction() * sequence.between_in_ratio(1e-6, 1e-2));
    match case % 3 {
        0 => sequence.orientation(),
        1 => hair,
        _ => DQuat::from_rotation_z(sequence.between(0.0, 6.3)) * hair * DQuat::from_rotation_x(FRAC_PI_2),
    }
}

fn deepest(found: &[SurfaceContact]) -> f64 {
    found.iter().map(|contact| contact.separation).fold(f64::INFINITY, f64::min)
}

/// What every answer of a wall must be: a point of the body, as deep as it says.
fn assert_sound(found: &[SurfaceContact], body: &ContactBody, pose: &Pose, context: &str) {
    let definition = Definition::of(body);
    for contact in found {
        let local = pose.inverse_transform_vector(contact.normal);
        let reach = contact.normal.dot(pose.position) + definition.reach(local);
        let level = contact.normal.dot(contact.point) - contact.separation;
        assert!((level - reach).abs() <= 1e-9, "{context}: {contact:?}");
        let point = pose.inverse_transform_point(contact.point_on_grain());
        assert!(point.distance(definition.support(local)) <= 1e-5, "{context}: {contact:?}");
    }
}

#[test]
fn walls_of_every_kind_meet_the_definition() {
    let mut sequence = Sequence::new(17);
    let drum = Surface::Revolved(Revolved::closed_cylinder(2.5, 2.0, true, true).unwrap());
    let in_drum = |p: DVec3| (2.5 - p.truncate().length()).min(2.0 - p.z.abs());
    let cone = Surface::Revolved(Revolved::cone(0.0, 12.0, 9.0).unwrap());
    let normal = DVec2::new(18.0, -12.0).normalize();
    let in_cone = |p: DVec3| -normal.dot(DVec2::new(p.truncate().length(), p.z + 9.0));
    let (vertices, triangles) = oracle::cube_triangles(2.5);
    let cube = Surface::Mesh(Mesh::new(vertices, triangles).unwrap());
    let in_cube = |p: DVec3| 2.5 - p.abs().max_element();
    for body in crowned_bodies() {
        for case in 0..12 {
            let turn = turn_of(&mut sequence, case);
            let place = sequence.point_in_cube(1.2);
            let pose = Pose::new(place, turn);
            let low = Pose::new(place - DVec3::Z * 3.0, turn);
            let context = |wall: &str| format!("{wall}: {:?} {pose:?}", body.shape());
            let plane = contacts(&body, &Surface::HalfSpace, &pose, f64::INFINITY);
            let expected = least_over_surface(&body, &pose, |p| p.z);
            assert!((deepest(&plane) - expected).abs() <= 1e-9, "{} {plane:?} {expected}", context("plane"));
            for (name, wall, pose, inside) in [
                ("drum", &drum, &pose, &in_drum as &dyn Fn(DVec3) -> f64),
                ("cone", &cone, &low, &in_cone),
                ("cube", &cube, &pose, &in_cube),
            ] {
                let found = contacts(&body, wall, pose, f64::INFINITY);
                let expected = least_over_surface(&body, pose, inside);
                assert!((deepest(&found) - expected).abs() <= AGREE, "{} {found:?} {expected}", context(name));
                assert_sound(&found, &body, pose, &context(name));
            }
        }
    }
}

#[test]
fn solids_as_walls_are_met_as_solids() {
    let mut sequence = Sequence::new(18);
    let drum = Surface::Revolved(Revolved::closed_cylinder(0.7, 0.9, true, true).unwrap());
    let solid_drum = ContactBody::new(&Shape::Cylinder(Cylinder { radius: 0.7, half_height: 0.9 }), 0.0);
    let (vertices, triangles) = oracle::cube_triangles(0.8);
    let cube = Surface::Mesh(Mesh::new(vertices, triangles).unwrap());
    let solid_cube = ContactBody::new(&Shape::Polyhedron(oracle::box_of(DVec3::splat(0.8))), 0.0);
    let mut n = 0;
    for body in crowned_bodies() {
        for case in 0..40 {
            for (wall, solid) in [(&drum, &solid_drum), (&cube, &solid_cube)] {
                let turn = turn_of(&mut sequence, case);
                let pose = Pose::new(sequence.direction() * sequence.between(1.0, 2.5), turn);
                let contact = contact_bodies(&body, solid, &inverse(&pose), None, f64::INFINITY).unwrap().unwrap();
                if contact.separation <= 0.0 {
                    continue;
                }
                n += 1;
                let found = contacts(&body, wall, &pose, f64::INFINITY);
                let off = (deepest(&found) - contact.separation).abs();
                assert!(off <= 4.0 * AGREE, "{:?} {pose:?}: {found:?} {contact:?}", body.shape());
                assert_sound(&found, &body, &pose, "solid");
            }
        }
    }
    assert!(n > 300, "{n}");
}
