//! The point of a triangle nearest to a given point, and which part of the triangle it is.
//!
//! The plane regions that belong to each corner and edge are tested in turn (Ericson, Real-Time Collision Detection,
//! 2005, section 5.1.5). For the face the distance is taken to the plane, which keeps its accuracy when the point
//! comes close. Valid for triangles with area; a sliver's nearest point is as uncertain as its normal.

use glam::DVec3;

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriangleFeature {
    /// The inside.
    Face,
    /// The edge from corner k to corner (k + 1) mod 3.
    Edge(usize),
    /// Corner k.
    Vertex(usize),
}

/// The nearest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestOnTriangle {
    /// Which part it lies on.
    pub feature: TriangleFeature,
    /// The point.
    pub point: DVec3,
    /// Its distance from the given point [m].
    pub distance: f64,
}

/// The point of the triangle `corners`, whose unit normal is `normal`, nearest to `p`.
pub fn nearest_on_triangle([a, b, c]: [DVec3; 3], normal: DVec3, p: DVec3) -> NearestOnTriangle {
    let away = |feature, point: DVec3| NearestOnTriangle { feature, point, distance: (p - point).length() };
    let (ab, ac) = (b - a, c - a);
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return away(TriangleFeature::Vertex(0), a);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return away(TriangleFeature::Vertex(1), b);
    }
    let weight_c = d1 * d4 - d3 * d2;
    if weight_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return away(TriangleFeature::Edge(0), a + ab * (d1 / (d1 - d3)));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return away(TriangleFeature::Vertex(2), c);
    }
    let weight_b = d5 * d2 - d1 * d6;
    if weight_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return away(TriangleFeature::Edge(2), a + ac * (d2 / (d2 - d6)));
    }
    let weight_a = d3 * d6 - d5 * d4;
    if weight_a <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return away(TriangleFeature::Edge(1), b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))));
    }
    // The corner that is nearest makes the height above the plane least uncertain.
    let nearest_corner = if ap.length_squared() <= bp.length_squared().min(cp.length_squared()) {
        ap
    } else if bp.length_squared() <= cp.length_squared() {
        bp
    } else {
        cp
    };
    let height = normal.dot(nearest_corner);
    NearestOnTriangle { feature: TriangleFeature::Face, point: p - normal * height, distance: height.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{self, Sequence};

    #[test]
    fn agrees_with_plane_and_three_segments() {
        let mut random = Sequence::new(7);
        let mut seen = [0; 3];
        for case in 0..20_000 {
            let corners: [DVec3; 3] = std::array::from_fn(|_| random.point_in_cube(1.0));
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
            let p = random.point_in_cube(2.0);
            let nearest = nearest_on_triangle(corners, normal, p);
            let expected = oracle::distance_to_triangle(corners, p);
            assert!((nearest.distance - expected).abs() < 1e-12, "case {case}: {nearest:?} {expected}");
            assert!((nearest.point.distance(p) - nearest.distance).abs() < 1e-12, "case {case}");
            seen[match nearest.feature {
                TriangleFeature::Face => 0,
                TriangleFeature::Edge(_) => 1,
                TriangleFeature::Vertex(_) => 2,
            }] += 1;
        }
        assert!(seen.iter().all(|&n| n > 500), "{seen:?}");
    }

    #[test]
    fn names_the_feature() {
        let corners = [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let feature = |x, y| nearest_on_triangle(corners, DVec3::Z, DVec3::new(x, y, 1.0)).feature;
        assert_eq!(feature(1.0, 1.0), TriangleFeature::Face);
        assert_eq!(feature(1.0, -1.0), TriangleFeature::Edge(0));
        assert_eq!(feature(3.0, 3.0), TriangleFeature::Edge(1));
        assert_eq!(feature(-1.0, 1.0), TriangleFeature::Edge(2));
        assert_eq!(feature(-1.0, -1.0), TriangleFeature::Vertex(0));
        assert_eq!(feature(7.0, -1.0), TriangleFeature::Vertex(1));
        assert_eq!(feature(-1.0, 7.0), TriangleFeature::Vertex(2));
    }
}
