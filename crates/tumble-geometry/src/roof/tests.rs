use super::*;

/// Every edge is known at both ends, with the planes that its ends have in common.
fn assert_sound<const N: usize>(corners: &[RoofCorner<N>]) {
    for (index, corner) in corners.iter().enumerate() {
        for (slot, edge) in corner.edges.iter().enumerate() {
            let (other, slot) = (&corners[edge.corner()], Slot::new(slot));
            assert_eq!(other.hand, -edge.parity::<N>() * corner.hand);
            let back = other.edges[edge.slot(slot).index()];
            assert_eq!((back.corner(), back.slot(edge.slot(slot))), (index, slot));
            for k in (0..N).map(Slot::new).filter(|&k| k != slot) {
                assert_eq!(other.plane(edge.slot(k).index()), corner.plane(k.index()));
                assert_eq!(back.slot(edge.slot(k)), k);
            }
        }
    }
}

fn box_planes(half: [f64; 3]) -> impl Iterator<Item = ([f64; 4], f64)> {
    (0..6).map(move |k| {
        let mut normal = [0.0, 0.0, 0.0, 1.0];
        normal[k / 2] = if k % 2 == 0 { 1.0 } else { -1.0 };
        (normal, half[k / 2])
    })
}

#[test]
fn the_ground_of_a_roof_is_the_body_under_it() {
    // A pyramid of five sides: its tip is three corners in one place.
    let sides = (0..5).map(|k| {
        let (sine, cosine) = (std::f64::consts::TAU / 5.0 * f64::from(k)).sin_cos();
        let normal = DVec3::new(cosine, sine, 0.8).normalize();
        ([normal.x, normal.y, normal.z, 1.0], 0.5)
    });
    let planes = sides.chain([([0.0, 0.0, -1.0, 1.0], 0.3)]);
    let roof = roof_over::<4>(planes, 3.0);
    let body = ground::ground(&roof);
    assert_eq!(body.len(), 5 + 3);
    assert_sound(&body);
    let on_ground: Vec<_> = roof.iter().filter(|corner| corner.lies_on(GROUND)).collect();
    for (corner, above) in body.iter().zip(on_ground) {
        assert_eq!(corner.point(), above.point());
        assert!((0..3).all(|slot| above.lies_on(corner.plane(slot)) && corner.plane(slot) != GROUND));
    }
}

#[test]
fn the_simplex_has_its_planes_at_the_radius() {
    let corners: Vec<_> = around::<4>(2.0).collect();
    assert_sound(&corners);
    assert_sound(&around::<3>(2.0).collect::<Vec<_>>());
    let middle: f64 = corners[..4].iter().map(|corner| corner.point()).sum::<DVec3>().length();
    assert!(middle < 1e-14);
    for corner in &corners[..4] {
        assert!((corner.point().length() - 6.0).abs() < 1e-14 && corner.depth() == 0.0);
    }
    assert_eq!(corners[4].place, [0.0, 0.0, 0.0, 2.0]);
}

#[test]
fn a_box_has_the_roof_of_a_house() {
    // Eight corners on the ground and four of the flat ridge, where the two sides that are nearest meet.
    let corners = roof_over(box_planes([3.0, 2.0, 1.0]), 4.0);
    assert_sound(&corners);
    assert_eq!(corners.len(), 12);
    let ridge: Vec<_> = corners.iter().filter(|corner| !corner.lies_on(GROUND)).collect();
    assert_eq!(ridge.len(), 4);
    for corner in ridge {
        let [x, y, z, depth] = corner.place;
        let off = [x.abs() - 2.0, y.abs() - 1.0, z, depth - 1.0];
        assert!(off.iter().all(|off| off.abs() < 1e-14), "{corner:?}");
    }
    assert!(corners.iter().all(|corner| (0..4).all(|slot| corner.plane(slot) <= 6)));
}

#[test]
fn planes_in_one_place_leave_all_edges_known() {
    // The same cube again and again, to rounding: every sign is a matter of chance.
    let mut random = crate::oracle::Sequence::new(7);
    for _ in 0..2000 {
        let planes: Vec<_> = (0..4)
            .flat_map(|_| box_planes([1.0; 3]))
            .map(|(normal, offset)| (normal, offset + random.between(-2e-16, 2e-16)))
            .collect();
        let corners = roof_over(planes.into_iter(), 2.0);
        assert_sound(&corners);
        for corner in &corners {
            assert!(corner.place.iter().all(|x| x.abs() < 1.0 + 1e-14), "{corner:?}");
        }
    }
}
