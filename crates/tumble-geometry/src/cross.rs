//! The cross product without cancellation.
//!
//! A slender triangle has two long edges that are nearly parallel; each component of their cross product is a small
//! difference of large products. Taking the rounding error of one product into account (Kahan's difference of products,
//! with a fused multiply-add) gives each component to two units in the last place. Slower than the plain product, so it
//! serves where shapes are built, not where they move.

use glam::DVec3;

/// a b - c d to two units in the last place.
fn difference_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let product = c * d;
    let error = (-c).mul_add(d, product);
    a.mul_add(b, -product) + error
}

/// The cross product, each component to two units in the last place.
pub(crate) fn accurate_cross(p: DVec3, q: DVec3) -> DVec3 {
    DVec3::new(
        difference_of_products(p.y, q.z, p.z, q.y),
        difference_of_products(p.z, q.x, p.x, q.z),
        difference_of_products(p.x, q.y, p.y, q.x),
    )
}

/// Twice the vector area of a triangle. From its two shorter edges, whose components are the least rounded.
pub(crate) fn doubled_area(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (ab, bc, ca) = (b - a, c - b, a - c);
    let (p, q, r) = (ab.length_squared(), bc.length_squared(), ca.length_squared());
    if p >= q && p >= r {
        accurate_cross(bc, ca)
    } else if q >= r {
        accurate_cross(ca, ab)
    } else {
        accurate_cross(ab, bc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_of_a_needle_is_perpendicular_to_it() {
        let mut sequence = crate::oracle::Sequence::new(1);
        for _ in 0..1000 {
            let along = sequence.direction();
            let [a, b, c] = [0.0, 0.5, 1.0].map(|t| t * along + sequence.point_in_cube(1e-9));
            let normal = doubled_area(a, b, c).normalize();
            for edge in [b - a, c - b, a - c] {
                assert!(normal.dot(edge).abs() < 1e-15, "{normal} {edge}");
            }
        }
    }
}
