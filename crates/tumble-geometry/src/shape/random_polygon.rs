//! Random convex polygons of the planar mode, made as [`super::rock`] makes rocks: points are drawn in a disc until their hull
//! has the corners asked for, the corners are taken to a circle by the same steps, and the polygon is stretched and scaled.

use super::rock::check_roundness;
use super::{Polygon, Shape};
use crate::error::GeometryError;
use crate::shape::construct::positive;
use glam::DVec2;

/// Most corners of a random polygon.
pub const MOST_POLYGON_CORNERS: usize = 60;
/// As for rocks: steps of rounding, least inner radius, least clearance, attempts and draws.
const STEPS: u32 = 8;
const COMPACT: f64 = 0.4;
const CLEAR: f64 = 0.05;
const ATTEMPTS: usize = 200;
const MOST_DRAWS: usize = 1_000_000;

/// What a random polygon is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomPolygon {
    /// How many corners it has.
    pub n_corners: usize,
    /// Lengths of the rectangle around it along x and y; only their ratio counts [1].
    pub aspect: DVec2,
    /// How round it is [1]: 0 for sharp, 1 for corners on an ellipse, evenly spread.
    pub roundness: f64,
    /// Radius of the disc of the same area [m].
    pub radius: f64,
    /// Thickness across the plane [m].
    pub thickness: f64,
}

impl RandomPolygon {
    /// The polygon that follows from a source of random numbers, even between 0 and 1. Its centre of mass is the origin.
    pub fn draw(&self, unit: &mut dyn FnMut() -> f64) -> Result<Shape, GeometryError> {
        let half_thickness = 0.5 * positive("polygon thickness", self.thickness)?;
        self.check()?;
        let n_draws = &mut 0;
        for _ in 0..ATTEMPTS {
            if let Some(sharp) = self.sharp(unit, n_draws)
                && let Some(polygon) = self.stretched(&self.rounded(sharp))
            {
                return Ok(Shape::Polygon(Polygon::from_trusted_corners(polygon, half_thickness)));
            }
        }
        Err(GeometryError::RandomFormNotFound { of: "polygon", n_corners: self.n_corners, n_draws: *n_draws })
    }

    fn check(&self) -> Result<(), GeometryError> {
        positive("size of the polygon", self.radius)?;
        positive("aspect of the polygon", self.aspect.x)?;
        positive("aspect of the polygon", self.aspect.y)?;
        check_roundness("roundness of the polygon", self.roundness)?;
        if (3..=MOST_POLYGON_CORNERS).contains(&self.n_corners) {
            return Ok(());
        }
        let (quantity, value) = ("the number of corners of the polygon", self.n_corners as f64);
        Err(GeometryError::RandomForm { quantity, value, allowed: "between 3 and 60" })
    }

    /// Corners counter-clockwise, stretched to a square; `None` if they are thin.
    fn sharp(&self, unit: &mut dyn FnMut() -> f64, n_draws: &mut usize) -> Option<Vec<DVec2>> {
        let clear = CLEAR * std::f64::consts::TAU / self.n_corners as f64;
        let mut ring: Vec<DVec2> = Vec::new();
        while *n_draws < MOST_DRAWS {
            if ring.len() == self.n_corners {
                let square = stretched_to(&ring, DVec2::splat(2.0));
                let (area, centre) = area_and_centre(&square);
                let inner =
                    sides(&square).map(|(from, along)| along.perp_dot(centre - from)).fold(f64::INFINITY, f64::min);
                return (inner >= COMPACT * radius_of_disc(area)).then_some(square);
            }
            let point = DVec2::new(2.0 * unit() - 1.0, 2.0 * unit() - 1.0);
            *n_draws += 1;
            if point.length_squared() <= 1.0 && ring.iter().all(|c| c.distance(point) >= clear) {
                add(&mut ring, point, clear * clear);
            }
        }
        None
    }

    fn rounded(&self, mut ring: Vec<DVec2>) -> Vec<DVec2> {
        let weight = 1.0 - (1.0 - self.roundness).powf(1.0 / f64::from(STEPS));
        let (area, mut centre) = area_and_centre(&ring);
        let radius = radius_of_disc(area);
        for _ in 0..if weight > 0.0 { STEPS } else { 0 } {
            let normals: Vec<DVec2> = sides(&ring).map(|(_, along)| -along.perp()).collect();
            ring = (0..ring.len())
                .map(|k| {
                    // Half way between the normals of the two sides at a corner.
                    let middle = (normals[k] + normals[(k + ring.len() - 1) % ring.len()]).normalize();
                    (1.0 - weight) * (ring[k] - centre) + weight * radius * middle
                })
                .collect();
            centre = DVec2::ZERO;
        }
        ring
    }

    /// The proportions and the size asked for, the centre of mass at the origin; `None` if a corner was lost to rounding.
    fn stretched(&self, ring: &[DVec2]) -> Option<Vec<DVec2>> {
        let ring = stretched_to(ring, self.aspect / self.aspect.max_element());
        let (area, centre) = area_and_centre(&ring);
        let scale = self.radius / radius_of_disc(area);
        let ring: Vec<DVec2> = ring.into_iter().map(|c| scale * (c - centre)).collect();
        crate::hull::convex_polygon(&ring).ok().filter(|ring| ring.len() == self.n_corners)
    }
}

/// Takes a point up as a corner if it is outside the ring by more than a distance, and drops the corners that it covers.
fn add(ring: &mut Vec<DVec2>, point: DVec2, clear: f64) {
    if ring.len() < 3 {
        ring.push(point);
        if let [a, b, c] = ring[..]
            && (b - a).perp_dot(c - a) < 0.0
        {
            ring.swap(1, 2);
        }
        return;
    }
    let is_seen: Vec<bool> = sides(ring).map(|(from, along)| along.perp_dot(point - from) < 0.0).collect();
    if sides(ring).all(|(from, along)| along.perp_dot(point - from) > -clear) {
        return;
    }
    // The sides that the point sees are one run; it goes between the ends of that.
    let n = ring.len();
    let Some(first) = (0..n).find(|&k| is_seen[k] && !is_seen[(k + n - 1) % n]) else { return };
    ring.rotate_left(first);
    let n_seen = (0..n).take_while(|k| is_seen[(first + k) % n]).count();
    ring.splice(1..n_seen, [point]);
}

/// The sides of a ring: where each begins, and its unit direction.
fn sides(ring: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    (0..ring.len()).map(|k| (ring[k], (ring[(k + 1) % ring.len()] - ring[k]).normalize()))
}

fn stretched_to(ring: &[DVec2], lengths: DVec2) -> Vec<DVec2> {
    let lower = ring.iter().fold(DVec2::INFINITY, |least, c| least.min(*c));
    let upper = ring.iter().fold(DVec2::NEG_INFINITY, |most, c| most.max(*c));
    let (stretch, middle) = (lengths / (upper - lower), 0.5 * (lower + upper));
    ring.iter().map(|c| stretch * (*c - middle)).collect()
}

fn area_and_centre(ring: &[DVec2]) -> (f64, DVec2) {
    let base = ring[0];
    let (mut area, mut first) = (0.0, DVec2::ZERO);
    for k in 1..ring.len() - 1 {
        let (a, b) = (ring[k] - base, ring[k + 1] - base);
        let part = 0.5 * a.perp_dot(b);
        area += part;
        first += part / 3.0 * (a + b);
    }
    (area, base + first / area)
}

fn radius_of_disc(area: f64) -> f64 {
    (area / std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;

    fn drawn(polygon: &RandomPolygon, seed: u64) -> Vec<DVec2> {
        let mut sequence = Sequence::new(seed);
        match polygon.draw(&mut || sequence.unit()) {
            Ok(Shape::Polygon(polygon)) => polygon.corners().to_vec(),
            other => panic!("{polygon:?}, seed {seed}: {other:?}"),
        }
    }

    #[test]
    fn a_polygon_has_the_corners_the_proportions_and_the_size_asked_for() {
        for n_corners in [3, 4, 5, 6, 8, 12, 30, 60] {
            for roundness in [0.0, 0.3, 1.0] {
                for (seed, aspect) in [DVec2::ONE, DVec2::new(2.0, 1.0), DVec2::new(1.0, 5.0)].into_iter().enumerate() {
                    let form = RandomPolygon { n_corners, aspect, roundness, radius: 2e-3, thickness: 1e-3 };
                    let ring = drawn(&form, 10 * n_corners as u64 + seed as u64);
                    assert_eq!(ring.len(), n_corners);
                    let (area, centre) = area_and_centre(&ring);
                    assert!((radius_of_disc(area) / 2e-3 - 1.0).abs() < 1e-12 && centre.length() < 1e-14);
                    let lower = ring.iter().fold(DVec2::INFINITY, |least, c| least.min(*c));
                    let upper = ring.iter().fold(DVec2::NEG_INFINITY, |most, c| most.max(*c));
                    let ratios = (upper - lower) / aspect;
                    assert!((ratios.x / ratios.y - 1.0).abs() < 1e-12, "{ratios}");
                }
            }
        }
    }

    #[test]
    fn roundness_takes_corners_to_the_circle_and_spreads_them() {
        for n_corners in [5, 10, 30] {
            let mut last = 0.0;
            for roundness in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let form = RandomPolygon { n_corners, aspect: DVec2::ONE, roundness, radius: 1.0, thickness: 1.0 };
                // Circumference of the circle of the same area over that of the polygon.
                let circularity = (0..20).map(|seed| {
                    let ring = drawn(&form, seed);
                    let around: f64 = (0..n_corners).map(|k| ring[k].distance(ring[(k + 1) % n_corners])).sum();
                    std::f64::consts::TAU / around / 20.0
                });
                let mean: f64 = circularity.sum();
                println!("{n_corners} corners, roundness {roundness}: circularity {mean:.3}");
                assert!(mean > last, "{n_corners} {roundness}: {mean}, before {last}");
                last = mean;
            }
            // That of the regular polygon is the largest there is.
            let half_angle = std::f64::consts::PI / n_corners as f64;
            assert!(last > 0.985 * (half_angle / half_angle.tan()).sqrt(), "{n_corners}: {last}");
        }
    }

    #[test]
    fn bad_numbers_are_refused_by_name_and_value() {
        let good = RandomPolygon { n_corners: 12, aspect: DVec2::ONE, roundness: 0.5, radius: 1.0, thickness: 1.0 };
        let message = |polygon: RandomPolygon| polygon.draw(&mut || 0.5).unwrap_err().to_string();
        assert!(message(RandomPolygon { n_corners: 2, ..good }).contains("corners of the polygon is 2"));
        assert!(message(RandomPolygon { n_corners: 61, ..good }).contains("is 61; it must be between 3 and 60"));
        assert!(message(RandomPolygon { roundness: -0.1, ..good }).contains("roundness of the polygon is -0.1"));
        assert!(
            message(RandomPolygon { aspect: DVec2::new(1.0, -2.0), ..good }).contains("aspect of the polygon is -2")
        );
        assert!(message(RandomPolygon { radius: 0.0, ..good }).contains("size of the polygon is 0"));
        assert!(message(RandomPolygon { thickness: 0.0, ..good }).contains("polygon thickness is 0"));
        assert!(message(good).contains("no polygon with 12 corners was found"));
    }
}
