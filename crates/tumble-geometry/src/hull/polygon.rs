//! The convex polygon of corners in any order.

use crate::error::GeometryError;
use crate::tolerance::{COPLANAR, FLAT};
use glam::DVec2;
use robust::{Coord, orient2d};

/// The corners of a convex polygon, counter-clockwise, from corners in any order: the hull (Andrew's monotone chain,
/// 1979, on exact predicates), beginning with the first corner that is given. Corners in line with two others are left
/// out; a corner inside the hull is an error, since it would change nothing and is surely a mistake.
pub fn convex_polygon(corners: &[DVec2]) -> Result<Vec<DVec2>, GeometryError> {
    if let Some(corner) = corners.iter().position(|c| !c.is_finite()) {
        let DVec2 { x, y } = corners[corner];
        return Err(GeometryError::CornerNotFinite { corner, x, y });
    }
    if corners.len() < 3 {
        return Err(GeometryError::PolygonTooFewCorners { n_corners: corners.len() });
    }
    let size = corners.iter().map(|c| c.abs().max_element()).fold(0.0, f64::max);
    let tolerance = COPLANAR * size;
    let mut order: Vec<usize> = (0..corners.len()).collect();
    order.sort_by(|&p, &q| {
        let (a, b) = (corners[p], corners[q]);
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(p.cmp(&q))
    });
    let mut ring = half_chain(corners, order.iter().copied());
    ring.extend(half_chain(corners, order.iter().rev().copied()));
    drop_in_line(corners, &mut ring, tolerance);
    let start = ring.iter().enumerate().min_by_key(|(_, c)| **c).map_or(0, |(place, _)| place);
    ring.rotate_left(start);
    let polygon: Vec<DVec2> = ring.iter().map(|&c| corners[c]).collect();
    let sides: Vec<(DVec2, DVec2)> = (0..polygon.len())
        .map(|k| (polygon[k], (polygon[(k + 1) % polygon.len()] - polygon[k]).normalize_or_zero()))
        .collect();
    // How far a point is inside: its least distance from a side's line.
    let depth = |p: DVec2| sides.iter().map(|(base, along)| along.perp_dot(p - *base)).fold(f64::INFINITY, f64::min);
    // A polygon that is as thin as rounding has no area worth the name.
    let width = sides
        .iter()
        .map(|(base, along)| polygon.iter().map(|p| along.perp_dot(*p - *base)).fold(0.0, f64::max))
        .fold(f64::INFINITY, f64::min);
    if polygon.len() < 3 || width <= FLAT * size {
        return Err(GeometryError::PolygonWithoutArea { width: if width.is_finite() { width } else { 0.0 } });
    }
    for (corner, &p) in corners.iter().enumerate() {
        let depth = depth(p);
        if depth > 4.0 * tolerance {
            return Err(GeometryError::CornerInside { corner, x: p.x, y: p.y, depth });
        }
    }
    Ok(polygon)
}

/// One side of the hull, without its last point.
fn half_chain(corners: &[DVec2], order: impl Iterator<Item = usize>) -> Vec<usize> {
    let coordinates = |k: usize| Coord { x: corners[k].x, y: corners[k].y };
    let mut chain: Vec<usize> = Vec::new();
    for next in order {
        while let [.., a, b] = chain[..]
            && orient2d(coordinates(a), coordinates(b), coordinates(next)) <= 0.0
        {
            chain.pop();
        }
        chain.push(next);
    }
    chain.pop();
    chain
}

/// Takes out corners in line with their neighbours, to within a tolerance, and near duplicates.
fn drop_in_line(corners: &[DVec2], ring: &mut Vec<usize>, tolerance: f64) {
    let mut k = 0;
    let mut n_kept_in_a_row = 0;
    while ring.len() > 2 && n_kept_in_a_row < ring.len() {
        let n = ring.len();
        k %= n;
        let (before, at, after) = (corners[ring[(k + n - 1) % n]], corners[ring[k]], corners[ring[(k + 1) % n]]);
        let off = (after - before).normalize_or_zero().perp_dot(at - before).abs();
        if off <= tolerance || at.distance(before) <= tolerance {
            ring.remove(k);
            n_kept_in_a_row = 0;
        } else {
            k += 1;
            n_kept_in_a_row += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Sequence, regular_polygon};

    #[test]
    fn corners_in_any_order_make_the_same_polygon() {
        let mut sequence = Sequence::new(1);
        for n in [3, 4, 5, 12] {
            let ring = regular_polygon(n, 2.0);
            assert_eq!(convex_polygon(&ring).unwrap(), ring);
            for _ in 0..20 {
                let mut shuffled = ring.clone();
                for k in (1..n).rev() {
                    shuffled.swap(k, (sequence.unit() * (k + 1) as f64) as usize);
                }
                let place = ring.iter().position(|c| *c == shuffled[0]).unwrap();
                let mut expected = ring.clone();
                expected.rotate_left(place);
                assert_eq!(convex_polygon(&shuffled).unwrap(), expected);
            }
        }
    }

    #[test]
    fn corners_on_sides_are_dropped_and_corners_inside_refused() {
        let square = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let mut sequence = Sequence::new(2);
        for _ in 0..100 {
            let turn = DVec2::from_angle(sequence.between(0.0, 7.0));
            let scale = sequence.between_in_ratio(1e-9, 1e6);
            let place = |c: DVec2| scale * turn.rotate(c);
            let t = sequence.unit();
            let with_side: Vec<DVec2> =
                square.iter().copied().chain([DVec2::new(1.0, t), DVec2::new(t, 0.0), DVec2::X]).map(place).collect();
            assert_eq!(convex_polygon(&with_side).unwrap(), square.map(place));
            let with_inside: Vec<DVec2> = square.iter().copied().chain([DVec2::splat(0.5)]).map(place).collect();
            match convex_polygon(&with_inside) {
                Err(GeometryError::CornerInside { corner: 4, depth, .. }) => {
                    assert!((depth / scale - 0.5).abs() < 1e-12);
                }
                other => panic!("{other:?}"),
            }
            let flat: Vec<DVec2> = [0.0, 1.0, 2.0, 3.0].map(|x| place(DVec2::new(x, 2.0 * x))).to_vec();
            assert!(matches!(convex_polygon(&flat), Err(GeometryError::PolygonWithoutArea { .. })));
        }
        assert!(matches!(convex_polygon(&square[..2]), Err(GeometryError::PolygonTooFewCorners { n_corners: 2 })));
        assert!(matches!(convex_polygon(&[DVec2::ONE; 4]), Err(GeometryError::PolygonWithoutArea { .. })));
        assert!(matches!(
            convex_polygon(&[DVec2::ZERO, DVec2::X, DVec2::new(0.0, f64::NAN)]),
            Err(GeometryError::CornerNotFinite { corner: 2, .. })
        ));
    }
}
