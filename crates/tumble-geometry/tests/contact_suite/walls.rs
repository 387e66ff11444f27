//! Every kind of shape with every kind of surface.

use glam::{DQuat, DVec3};
use tumble_geometry::narrow::contact_surface;
use tumble_geometry::oracle::{self, Sequence, sample_shapes};
use tumble_geometry::{Mesh, Pose, Revolved, Shape, ShapeKind, Surface, SurfaceContact, SurfaceKind};

/// What a separation from a wall may be off, for bodies of size about 0.5.
const AGREE: f64 = 1e-8;

/// How far inside a room a point is.
type Depth = fn(DVec3) -> f64;

/// One room of each kind of surface, of size about 2, and how far inside it a point is.
fn rooms() -> Vec<(Surface, Depth)> {
    let (vertices, triangles) = oracle::cube_triangles(2.0);
    let rooms: Vec<(Surface, Depth)> = vec![
        (Surface::HalfSpace, |p| p.z),
        (Surface::Revolved(Revolved::closed_cylinder(2.0, 1.8, true, true).unwrap()), |p| {
            (2.0 - p.truncate().length()).min(1.8 - p.z.abs())
        }),
        (Surface::Mesh(Mesh::new(vertices, triangles).unwrap()), |p| 2.0 - p.abs().max_element()),
    ];
    let kinds: Vec<SurfaceKind> = rooms.iter().map(|(surface, _)| surface.kind()).collect();
    assert_eq!(kinds, SurfaceKind::ALL);
    rooms
}

fn scaled(surface: &Surface, scale: f64) -> Surface {
    match surface {
        Surface::HalfSpace => Surface::HalfSpace,
        Surface::Revolved(revolved) => {
            let profile = revolved.profile().iter().map(|corner| corner.map(|x| x * scale));
            Surface::Revolved(Revolved::new(profile.collect()).unwrap())
        }
        Surface::Mesh(mesh) => {
            let vertices = mesh.vertices().iter().map(|vertex| *vertex * scale);
            Surface::Mesh(Mesh::new(vertices.collect(), mesh.triangles().to_vec()).unwrap())
        }
    }
}

/// Two shapes of every kind, small enough for the rooms.
fn shapes() -> Vec<Shape> {
    let samples = sample_shapes(23);
    let of_kind = |kind: ShapeKind| {
        let found: Vec<Shape> = samples.iter().filter(|shape| shape.kind() == kind).take(2).cloned().collect();
        assert!(!found.is_empty(), "no {kind:?} among the samples");
        found
    };
    ShapeKind::ALL.into_iter().flat_map(of_kind).map(|shape| shape.scaled(0.5 / shape.solid_radius())).collect()
}

fn contacts(shape: &Shape, surface: &Surface, pose: &Pose, margin: f64) -> Vec<SurfaceContact> {
    let mut found = Vec::new();
    contact_surface(shape, surface, pose, margin, &mut found);
    found
}

fn deepest(found: &[SurfaceContact]) -> f64 {
    found.iter().map(|contact| contact.separation).fold(f64::INFINITY, f64::min)
}

/// Any pose in a room; every fourth one aligned.
fn pose_in(sequence: &mut Sequence, case: usize) -> Pose {
    let orientation = if case.is_multiple_of(4) { DQuat::IDENTITY } else { sequence.orientation() };
    let place = sequence.point_in_cube(1.6);
    Pose::new(DVec3::new(place.x, place.y, if case.is_multiple_of(3) { 1.4 } else { place.z }), orientation)
}

#[test]
fn no_point_of_a_body_is_deeper_than_its_deepest_contact() {
    let mut sequence = Sequence::new(51);
    for shape in shapes() {
        for (surface, depth) in rooms() {
            for case in 0..16 {
                let pose = pose_in(&mut sequence, case);
                let found = contacts(&shape, &surface, &pose, f64::INFINITY);
                let context = format!("{shape:?} {} {pose:?}: {found:?}", surface.name());
                // Bodies through the wall are met from the side of their centres.
                if depth(pose.position) <= 0.1 {
                    continue;
                }
                let least = deepest(&found);
                for _ in 0..200 {
                    let point = pose.transform_point(shape.support(sequence.direction()));
                    assert!(depth(point) >= least - AGREE, "{context}");
                }
                for contact in &found {
                    assert!((contact.normal.length() - 1.0).abs() < 1e-9, "{context}");
                    let reached = shape.parts().any(|(part, place)| {
                        let local = pose.compose(&place).inverse_transform_vector(contact.normal);
                        let point = pose.compose(&place).transform_point(part.support(local));
                        let off = contact.normal.dot(contact.point - point) - contact.separation;
                        // Of a polyhedron every corner can be met by itself.
                        let vertices = part.as_polyhedron().map_or(&[][..], |polyhedron| polyhedron.vertices());
                        let on_grain = pose.compose(&place).inverse_transform_point(contact.point_on_grain());
                        let is_planar = part.is_planar();
                        off.abs() <= AGREE
                            || vertices.iter().any(|vertex| {
                                let offset = on_grain - vertex;
                                if is_planar { offset.with_z(0.0) } else { offset }.length() <= AGREE
                            })
                    });
                    assert!(reached, "{contact:?} {context}");
                }
                let point = found.iter().min_by(|x, y| x.separation.total_cmp(&y.separation)).map(|c| c.point);
                assert!(point.is_some_and(|point| depth(point).abs() <= 2.0 * AGREE || least < 0.0), "{context}");
            }
        }
    }
}

#[test]
fn a_margin_leaves_out_what_is_farther() {
    let mut sequence = Sequence::new(52);
    for shape in shapes() {
        for (surface, _) in rooms() {
            for case in 0..16 {
                let pose = pose_in(&mut sequence, case);
                let all = contacts(&shape, &surface, &pose, f64::INFINITY);
                let found = contacts(&shape, &surface, &pose, 0.2);
                assert!(found.iter().all(|contact| contact.separation <= 0.2));
                let (one, other) = (deepest(&all), deepest(&found));
                assert!(one > 0.2 - AGREE && found.is_empty() || (one - other).abs() <= AGREE, "{shape:?} {pose:?}");
                let in_order = |pair: &[SurfaceContact]| pair[1].is_pass() || pair[0].feature < pair[1].feature;
                assert!(found.windows(2).all(in_order), "{found:?}");
            }
        }
    }
}

#[test]
fn neither_the_unit_of_length_nor_a_turn_of_the_whole_matters() {
    let mut sequence = Sequence::new(53);
    for shape in shapes() {
        for (surface, _) in rooms() {
            for case in 0..6 {
                let pose = pose_in(&mut sequence, case);
                let one = deepest(&contacts(&shape, &surface, &pose, f64::INFINITY));
                for scale in [1e-6, 1e-3, 1e3] {
                    let moved = Pose::new(pose.position * scale, pose.orientation);
                    let found = contacts(&shape.scaled(scale), &self::scaled(&surface, scale), &moved, f64::INFINITY);
                    let other = deepest(&found) / scale;
                    assert!((one - other).abs() <= AGREE, "{shape:?} {} {pose:?} at {scale}: {other}", surface.name());
                }
                // About z all rooms but the mesh are round; the mesh turns with the body.
                let turn = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(sequence.between(0.0, 6.0)));
                let turned = match &surface {
                    Surface::Mesh(mesh) => {
                        let vertices = mesh.vertices().iter().map(|vertex| turn.transform_point(*vertex));
                        Surface::Mesh(Mesh::new(vertices.collect(), mesh.triangles().to_vec()).unwrap())
                    }
                    round => round.clone(),
                };
                let other = deepest(&contacts(&shape, &turned, &turn.compose(&pose), f64::INFINITY));
                assert!((one - other).abs() <= AGREE, "{shape:?} {} {pose:?} turned: {other}", surface.name());
            }
        }
    }
}

#[test]
fn the_deepest_contact_does_not_jump_along_a_slow_slide() {
    const N_STEPS: usize = 100;
    let mut sequence = Sequence::new(54);
    for shape in shapes() {
        for (surface, depth) in rooms() {
            // Across the room, the centre always inside.
            let (from, to) = (sequence.point_in_cube(1.2), sequence.point_in_cube(1.2));
            let lift = if surface.kind() == SurfaceKind::HalfSpace { DVec3::Z * 1.3 } else { DVec3::ZERO };
            let orientation = sequence.orientation();
            let at = |k: usize| {
                let place = from.lerp(to, k as f64 / N_STEPS as f64) + lift;
                assert!(depth(place) > 0.0);
                deepest(&contacts(&shape, &surface, &Pose::new(place, orientation), f64::INFINITY))
            };
            let step = from.distance(to) / N_STEPS as f64;
            let mut before = at(0);
            for k in 1..=N_STEPS {
                let after = at(k);
                assert!((after - before).abs() <= step + AGREE, "{shape:?} {} at {k}", surface.name());
                before = after;
            }
        }
    }
}
