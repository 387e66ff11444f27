use super::*;
use crate::contact;
use crate::oracle::{Sequence, distance_to_segment, sample_shapes};
use glam::DQuat;
use std::f64::consts::FRAC_PI_4;

fn cube() -> Shape {
    Shape::cuboid(DVec3::ONE).unwrap()
}

fn is_near(a: DMat3, b: DMat3) -> bool {
    (a - b).to_cols_array().iter().all(|x| x.abs() < 1e-12)
}

#[test]
fn a_square_on_a_corner_of_a_square_shares_a_rectangle() {
    let (cube, pose) = (cube(), Pose::from_position(DVec3::new(0.25, 0.5, 0.99)));
    let patch = contact_patch(&cube, &cube, &pose, DVec3::Z).unwrap();
    assert!((patch.area - 0.75 * 0.5).abs() < 1e-12);
    assert!((patch.centroid() - DVec3::new(0.125, 0.25, 0.495)).length() < 1e-12);
    let expected = DVec3::new(0.5 * 0.75f64.powi(3) / 12.0, 0.75 * 0.5f64.powi(3) / 12.0, 0.0);
    assert!(is_near(patch.second_moments(), DMat3::from_diagonal(expected)), "{patch:?}");
    let count = |is: fn(&PatchFeature) -> bool| patch.corners.iter().filter(|c| is(&c.feature)).count();
    assert_eq!(count(|f| matches!(f, PatchFeature::VertexOfA(_))), 1);
    assert_eq!(count(|f| matches!(f, PatchFeature::VertexOfB(_))), 1);
    assert_eq!(count(|f| matches!(f, PatchFeature::Edges(..))), 2);
    let vertices = cube.as_polyhedron().unwrap().vertices();
    let on_edge =
        |[p, q]: [u32; 2], point: DVec3| distance_to_segment(vertices[p as usize], vertices[q as usize], point);
    for corner in &patch.corners {
        assert!((corner.separation + 0.01).abs() < 1e-12 && (corner.share - 0.25).abs() < 1e-12, "{corner:?}");
        let [on_a, on_b] = [corner.point + DVec3::Z * 0.005, corner.point - DVec3::Z * 0.005];
        let own_b = pose.inverse_transform_point(on_b);
        let off = match corner.feature {
            PatchFeature::VertexOfA(v) => vertices[v as usize].distance(on_a),
            PatchFeature::VertexOfB(v) => vertices[v as usize].distance(own_b),
            PatchFeature::Edges(a, b) => on_edge(a, on_a).max(on_edge(b, own_b)),
        };
        assert!(off < 1e-12, "{corner:?}");
    }
}

#[test]
fn turned_squares_share_an_octagon_and_all_is_the_same_either_way_round() {
    let cube = cube();
    let pose = Pose::new(DVec3::new(0.0, 0.0, 0.99), DQuat::from_rotation_z(FRAC_PI_4));
    let patch = contact_patch(&cube, &cube, &pose, DVec3::Z).unwrap();
    assert_eq!(patch.corners.len(), 8);
    assert!(patch.corners.iter().all(|corner| matches!(corner.feature, PatchFeature::Edges(..))));
    assert!(patch.corners.iter().all(|corner| (corner.share - 0.125).abs() < 1e-12));
    assert!((patch.area - 2.0 * (2f64.sqrt() - 1.0)).abs() < 1e-12);
    let back = pose.relative(&Pose::IDENTITY);
    let other = contact_patch(&cube, &cube, &back, back.transform_vector(DVec3::NEG_Z)).unwrap();
    assert!((other.area - patch.area).abs() < 1e-12);
    assert!((pose.transform_point(other.centroid()) - patch.centroid()).length() < 1e-12);
}

#[test]
fn a_face_within_another_and_one_exactly_on_another_are_whole() {
    let (cube, small) = (cube(), Shape::cuboid(DVec3::splat(0.4)).unwrap());
    for (b, size, height) in [(&small, 0.4, 0.69), (&cube, 1.0, 0.99)] {
        let pose = Pose::from_position(DVec3::Z * height);
        for (a, b, pose, normal) in
            [(&cube, b, pose, DVec3::Z), (b, &cube, pose.relative(&Pose::IDENTITY), DVec3::NEG_Z)]
        {
            let patch = contact_patch(a, b, &pose, normal).unwrap();
            assert_eq!(patch.corners.len(), 4);
            assert!((patch.area - size * size).abs() < 1e-12, "{patch:?}");
            let moment = f64::powi(size, 4) / 12.0;
            assert!(is_near(patch.second_moments(), DMat3::from_diagonal(DVec3::new(moment, moment, 0.0))));
        }
    }
}

#[test]
fn a_tilted_box_keeps_its_patch_and_lifts_corner_by_corner() {
    let (floor, cube) = (Shape::cuboid(DVec3::splat(10.0)).unwrap(), cube());
    for tilt in [0.0_f64, 1e-3, 0.02, 0.4, 0.78] {
        let turn = DQuat::from_rotation_y(tilt);
        let lowest = turn * DVec3::new(0.5, 0.0, -0.5);
        let pose = Pose::new(DVec3::Z * (4.99 - lowest.z), turn);
        let patch = contact_patch(&floor, &cube, &pose, DVec3::Z).unwrap();
        assert_eq!(patch.corners.len(), 4);
        let beyond = contact_patch_beyond_plane(&cube, turn.inverse() * DVec3::NEG_Z, pose.position.z - 5.0).unwrap();
        for patch in [&patch, &beyond] {
            assert!((patch.depth() - 0.01).abs() < 1e-12 && (patch.area - tilt.cos()).abs() < 1e-12);
            let lifted = patch.corners.iter().filter(|corner| corner.separation > -0.01 + 1e-9);
            assert_eq!(lifted.clone().count(), if tilt > 0.0 { 2 } else { 0 });
            assert!(lifted.clone().all(|corner| (corner.separation - (tilt.sin() - 0.01)).abs() < 1e-12));
            assert!(patch.corners.iter().all(|corner| (corner.share - 0.25).abs() < 1e-12));
        }
    }
}

/// Shares add up to one and have their centre in the centroid, the deepest corner is as deep as the contact, and the area is that of the
/// common part; for contacts of every kind.
#[test]
fn every_contact_of_polyhedra_has_a_patch_with_its_depth() {
    let shapes: Vec<Shape> = sample_shapes(7).into_iter().filter(has_patch).collect();
    let (mut sequence, mut n) = (Sequence::new(17), 0);
    for a in &shapes {
        for b in shapes.iter().filter(|b| a.is_planar() == b.is_planar()) {
            for _ in 0..60 {
                let pose = sequence.pose(1.2);
                let pose = if a.is_planar() {
                    Pose::new(pose.position.with_z(0.0), DQuat::from_rotation_z(sequence.between(0.0, 6.0)))
                } else {
                    pose
                };
                let Ok(found) = contact(a, b, &pose) else { continue };
                if found.separation >= 0.0 {
                    continue;
                }
                n += 1;
                let patch = contact_patch(a, b, &pose, found.normal).unwrap();
                let size = a.bounding_radius().max(b.bounding_radius());
                assert!((patch.depth() + found.separation).abs() < 1e-9 * size, "{found:?} {patch:?}");
                let sum: f64 = patch.corners.iter().map(|corner| corner.share).sum();
                assert!((sum - 1.0).abs() < 1e-9 && patch.corners.iter().all(|corner| corner.share > -1e-9));
                assert!(patch.area > 0.0 && patch.second_moments().is_finite());
            }
        }
    }
    assert!(n > 100, "{n}");
}

#[test]
fn shares_do_not_jump_where_a_corner_comes_or_goes() {
    let (cube, turn) = (cube(), DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(0.01));
    // The power mean of the depths as one cube slides over a corner of the other: corners come and go, it does not jump.
    let mean = |x: f64| {
        let pose = Pose::new(DVec3::new(x, 0.7 * x, 0.99), turn);
        let patch = contact_patch(&cube, &cube, &pose, DVec3::Z).unwrap();
        let depth = |corner: &PatchCorner| (-corner.separation).max(0.0);
        (patch.corners.iter().map(|corner| corner.share * depth(corner).powi(2)).sum::<f64>(), patch.corners.len())
    };
    let (mut numbers, mut steepest) = (std::collections::BTreeSet::new(), 0.0_f64);
    let n = 20_000;
    for k in 0..n {
        let ((before, count), (after, _)) =
            (mean(0.8 * f64::from(k) / f64::from(n)), mean(0.8 * f64::from(k + 1) / f64::from(n)));
        numbers.insert(count);
        steepest = steepest.max((after - before).abs());
    }
    assert!(numbers.len() > 2, "{numbers:?}");
    assert!(steepest < 20.0 * 1e-4 / f64::from(n), "{steepest:e}");
}

#[test]
fn sides_of_polygons_share_a_line() {
    let square = |size: f64| {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|c| DVec2::from_array(c) * (0.5 * size));
        Shape::polygon(&corners, 1.0).unwrap()
    };
    let (a, b) = (square(1.0), square(0.5));
    // The smaller one over the end of the larger, tilted by a little.
    let pose = Pose::new(DVec3::new(0.4, 0.74, 0.0), DQuat::from_rotation_z(0.01));
    let patch = contact_patch(&a, &b, &pose, DVec3::Y).unwrap();
    let [left, right] = patch.corners[..] else { panic!("{patch:?}") };
    assert_eq!(patch.faces, (2, Some(0)));
    assert_eq!((left.feature, right.feature), (PatchFeature::VertexOfB(0), PatchFeature::VertexOfA(2)));
    let (sine, cosine) = 0.01_f64.sin_cos();
    let corner = DVec2::new(0.4 - 0.25 * cosine + 0.25 * sine, 0.74 - 0.25 * sine - 0.25 * cosine);
    assert!((left.point.truncate() - DVec2::new(corner.x, 0.5 * (0.5 + corner.y))).length() < 1e-12);
    assert!((left.separation - (corner.y - 0.5)).abs() < 1e-12 && (left.share, right.share) == (0.5, 0.5));
    assert!((right.separation - left.separation - (0.5 - corner.x) * 0.01_f64.tan()).abs() < 1e-12);
    let length = 0.5 - corner.x;
    let moments = patch.second_moments();
    assert!((patch.area - length).abs() < 1e-12 && (moments.x_axis.x - length.powi(3) / 12.0).abs() < 1e-12);
    let beyond = contact_patch_beyond_plane(&a, DVec3::NEG_Y, 0.49).unwrap();
    let [left, right] = beyond.corners[..] else { panic!("{beyond:?}") };
    assert_eq!(
        (beyond.faces, left.feature, right.feature),
        ((0, None), PatchFeature::VertexOfA(1), PatchFeature::VertexOfA(0))
    );
    assert!((left.separation + 0.01).abs() < 1e-12 && (beyond.area - 1.0).abs() < 1e-12);
}
