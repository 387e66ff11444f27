//! Random convex rocks: so many corners, proportions and a roundness.
//!
//! 1. Points are drawn evenly in a ball until their hull has the corners asked for. A point outside the hull becomes a corner
//!    and covers none, one or several others, so the number of corners never grows by more than one: none is passed over.
//!    This is the sharp rock, stretched so that a cube just holds it.
//! 2. Its corners are taken to a ball, of the sharp rock's volume, in [`STEPS`] steps. Each takes every corner c of the
//!    hull P to (1 - w) c + w R u, where u is a unit vector among the normals of P at c, the middle of them. Along u no point of
//!    (1 - w) P + w R B, B the unit ball, is as far as this one, so it is a corner of the new hull: none is lost. With
//!    (1 - w)^STEPS = 1 - roundness the sharp rock's corners are left with the share 1 - roundness of their weight.
//!    At roundness 0 nothing is done. At 1 all corners lie on the ball, and a step is one of Lloyd's (1982): corners on a ball go
//!    to the middles of their Voronoi cells, which spreads them evenly.
//! 3. The rock is stretched along its axes so that the box around it has the proportions asked for, and scaled to its size.
//!    A stretch loses no corner.
//!
//! Rocks so thin that the largest ball about their centre is below [`COMPACT`] of the ball of their volume are drawn anew, as
//! are those whose corners are lost to rounding. If no draw will do, that is an error.

use super::{Polyhedron, Shape};
use crate::Aabb;
use crate::error::GeometryError;
use crate::shape::construct::positive;
use glam::DVec3;

/// Most corners of a rock.
pub const MOST_ROCK_VERTICES: usize = 200;
/// Steps in which corners are rounded.
const STEPS: u32 = 8;
/// Least radius of the largest ball about the centre, over that of the ball of the same volume [1], before the stretch.
const COMPACT: f64 = 0.4;
/// A point is a new corner if it is as far outside the hull, and from other corners, as this share of their mean distance [1].
const CLEAR: f64 = 0.05;
/// How many rocks, and how many points in all, are drawn before it is given up.
const ATTEMPTS: usize = 200;
const MOST_DRAWS: usize = 1_000_000;

/// What a random rock is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rock {
    /// How many vertices it has.
    pub n_vertices: usize,
    /// Lengths of the box around it along x, y and z; only their ratios count [1].
    pub aspect: DVec3,
    /// How round it is [1]: 0 for sharp, 1 for corners on an ellipsoid, evenly spread.
    pub roundness: f64,
    /// Radius of the ball of the same volume [m].
    pub radius: f64,
}

impl Rock {
    /// The rock that follows from a source of random numbers, even between 0 and 1. Its centre of mass is the origin.
    pub fn draw(&self, unit: &mut dyn FnMut() -> f64) -> Result<Shape, GeometryError> {
        self.check()?;
        let n_draws = &mut 0;
        for _ in 0..ATTEMPTS {
            if let Some(sharp) = self.sharp(unit, n_draws)
                && let Some(rounded) = self.rounded(sharp)
                && let Some(rock) = self.stretched(&rounded)
            {
                return Ok(Shape::Polyhedron(rock));
            }
        }
        Err(GeometryError::RandomFormNotFound { of: "rock", n_corners: self.n_vertices, n_draws: *n_draws })
    }

    fn check(&self) -> Result<(), GeometryError> {
        positive("size of the rock", self.radius)?;
        for length in self.aspect.to_array() {
            positive("aspect of the rock", length)?;
        }
        check_roundness("roundness of the rock", self.roundness)?;
        if (4..=MOST_ROCK_VERTICES).contains(&self.n_vertices) {
            return Ok(());
        }
        let (quantity, value) = ("the number of vertices of the rock", self.n_vertices as f64);
        Err(GeometryError::RandomForm { quantity, value, allowed: "between 4 and 200" })
    }

    /// Points drawn in a ball until their hull has the vertices asked for, then stretched to a cube; `None` if it is thin.
    fn sharp(&self, unit: &mut dyn FnMut() -> f64, n_draws: &mut usize) -> Option<Polyhedron> {
        let clear = CLEAR * (4.0 * std::f64::consts::PI / self.n_vertices as f64).sqrt();
        // The hull of m points has about 3.4 sqrt(m) vertices: half of the points that it takes are looked at together.
        let n_together = (0.04 * (self.n_vertices as f64).powi(2)).max(4.0) as usize;
        let mut points: Vec<DVec3> = Vec::new();
        let mut hull: Option<Polyhedron> = None;
        while *n_draws < MOST_DRAWS {
            if let Some(hull) = hull.as_ref().filter(|hull| hull.vertices().len() >= self.n_vertices) {
                return if hull.vertices().len() == self.n_vertices { compact(hull) } else { None };
            }
            let point = point_in_ball(unit);
            *n_draws += 1;
            if points.iter().any(|p| p.distance_squared(point) < clear * clear) {
                continue;
            }
            let is_outside =
                |hull: &Polyhedron| hull.faces().iter().any(|f| f.normal.dot(point) > f.offset + clear * clear);
            if hull.as_ref().is_some_and(|hull| !is_outside(hull)) {
                continue;
            }
            points.push(point);
            if hull.is_some() || points.len() == n_together {
                let larger = Polyhedron::from_points(&points).ok()?;
                points = larger.vertices().to_vec();
                hull = Some(larger);
            }
        }
        None
    }

    /// The rock with its corners rounded; `None` if a corner was lost to rounding.
    fn rounded(&self, sharp: Polyhedron) -> Option<Polyhedron> {
        let weight = 1.0 - (1.0 - self.roundness).powf(1.0 / f64::from(STEPS));
        let properties = sharp.mass_properties();
        let radius = radius_of_ball(properties.volume);
        let mut rock = sharp;
        let mut centre = properties.centroid;
        for _ in 0..if weight > 0.0 { STEPS } else { 0 } {
            let ball = middle_normals(&rock);
            let points: Vec<DVec3> = rock
                .vertices()
                .iter()
                .zip(ball)
                .map(|(v, u)| (1.0 - weight) * (*v - centre) + weight * radius * u)
                .collect();
            rock = Polyhedron::from_points(&points).ok()?;
            centre = DVec3::ZERO;
            if rock.vertices().len() != self.n_vertices {
                return None;
            }
        }
        Some(rock)
    }

    /// The rock with the proportions and the size asked for, its centre of mass at the origin; `None` if a corner was lost.
    fn stretched(&self, rock: &Polyhedron) -> Option<Polyhedron> {
        let rock = stretched_to(rock.vertices(), self.aspect / self.aspect.max_element())?;
        let properties = rock.mass_properties();
        let scale = self.radius / radius_of_ball(properties.volume);
        let points: Vec<DVec3> = rock.vertices().iter().map(|v| scale * (*v - properties.centroid)).collect();
        Polyhedron::from_points(&points).ok().filter(|rock| rock.vertices().len() == self.n_vertices)
    }
}

pub(super) fn check_roundness(quantity: &'static str, value: f64) -> Result<(), GeometryError> {
    let is_share = (0.0..=1.0).contains(&value);
    if is_share { Ok(()) } else { Err(GeometryError::RandomForm { quantity, value, allowed: "between 0 and 1" }) }
}

fn radius_of_ball(volume: f64) -> f64 {
    (0.75 / std::f64::consts::PI * volume).cbrt()
}

/// The rock in a cube that just holds it; `None` if it is thin.
fn compact(hull: &Polyhedron) -> Option<Polyhedron> {
    let cube = stretched_to(hull.vertices(), DVec3::splat(2.0))?;
    let properties = cube.mass_properties();
    let inner = cube.faces().iter().map(|f| f.offset - f.normal.dot(properties.centroid));
    let is_compact = inner.fold(f64::INFINITY, f64::min) >= COMPACT * radius_of_ball(properties.volume);
    is_compact.then_some(cube)
}

/// Evenly distributed in the unit ball.
fn point_in_ball(unit: &mut dyn FnMut() -> f64) -> DVec3 {
    loop {
        let mut coordinate = || 2.0 * unit() - 1.0;
        let point = DVec3::new(coordinate(), coordinate(), coordinate());
        if point.length_squared() <= 1.0 {
            return point;
        }
    }
}

/// The hull of points that are stretched along the axes so that a box of these lengths just holds them.
fn stretched_to(points: &[DVec3], lengths: DVec3) -> Option<Polyhedron> {
    let bounds = Aabb::of_points(points.iter().copied());
    let stretch = lengths / bounds.extent();
    let middle = 0.5 * (bounds.lower + bounds.upper);
    let points: Vec<DVec3> = points.iter().map(|p| stretch * (*p - middle)).collect();
    Polyhedron::from_points(&points).ok()
}

/// For each vertex a unit vector among the normals there: the middle of the spherical polygon of the normals of its faces.
fn middle_normals(rock: &Polyhedron) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; rock.vertices().len()];
    for face in rock.faces() {
        for &vertex in &face.vertices {
            sums[vertex as usize] += face.normal;
        }
    }
    let mut middles = vec![DVec3::ZERO; sums.len()];
    for edge in rock.edges() {
        let [left, right] = [edge.left, edge.right].map(|face| rock.faces()[face as usize].normal);
        for vertex in edge.vertices {
            let inner = sums[vertex as usize].normalize();
            let area = (left - inner).cross(right - inner).length();
            middles[vertex as usize] += area * (inner + left + right);
        }
    }
    middles.into_iter().map(DVec3::normalize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Sequence;

    fn drawn(rock: &Rock, seed: u64) -> Polyhedron {
        let mut sequence = Sequence::new(seed);
        match rock.draw(&mut || sequence.unit()) {
            Ok(Shape::Polyhedron(polyhedron)) => polyhedron,
            other => panic!("{rock:?}, seed {seed}: {other:?}"),
        }
    }

    /// Surface of the ball of the same volume over that of the rock: Wadell's sphericity.
    fn sphericity(rock: &Polyhedron) -> f64 {
        let area: f64 = (rock.faces().iter())
            .map(|face| {
                let corner = |k: usize| rock.vertices()[face.vertices[k] as usize];
                let fan =
                    (1..face.vertices.len() - 1).map(|k| (corner(k) - corner(0)).cross(corner(k + 1) - corner(0)));
                0.5 * fan.sum::<DVec3>().length()
            })
            .sum();
        4.0 * std::f64::consts::PI * radius_of_ball(rock.mass_properties().volume).powi(2) / area
    }

    #[test]
    fn a_rock_has_the_vertices_the_proportions_and_the_size_asked_for() {
        let mut seed = 0;
        for n_vertices in [4, 5, 6, 7, 8, 10, 13, 20, 50, 200] {
            for roundness in [0.0, 0.3, 0.7, 1.0] {
                for aspect in [DVec3::ONE, DVec3::new(3.0, 2.0, 1.0), DVec3::new(1.0, 1.0, 0.1)] {
                    seed += 1;
                    let rock = drawn(&Rock { n_vertices, aspect, roundness, radius: 2.5e-3 }, seed);
                    assert_eq!(rock.vertices().len(), n_vertices);
                    let extent = Aabb::of_points(rock.vertices().iter().copied()).extent();
                    let ratios = extent / aspect;
                    assert!(ratios.max_element() / ratios.min_element() < 1.0 + 1e-12, "{extent} for {aspect}");
                    let properties = rock.mass_properties();
                    assert!((radius_of_ball(properties.volume) / 2.5e-3 - 1.0).abs() < 1e-12);
                    assert!(properties.centroid.length() < 1e-12 * extent.max_element());
                    // Every vertex is a corner that one can see, and faces have a width.
                    let shortest = rock.edges().iter().map(|e| {
                        let [a, b] = e.vertices.map(|v| rock.vertices()[v as usize]);
                        a.distance(b)
                    });
                    assert!(shortest.fold(f64::INFINITY, f64::min) > 1e-4 * extent.max_element());
                }
            }
        }
    }

    #[test]
    fn roundness_takes_corners_to_the_ellipsoid_and_makes_rocks_rounder() {
        let n = 20;
        for n_vertices in [8, 20, 60] {
            let mut last = (0.0, f64::INFINITY);
            for (k, roundness) in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().enumerate() {
                let (mut round, mut spread) = (0.0, 0.0);
                for seed in 0..n {
                    let rock = Rock { n_vertices, aspect: DVec3::ONE, roundness, radius: 1.0 };
                    let mut sequence = Sequence::new(seed);
                    let mut rounded = None;
                    while rounded.is_none() {
                        let sharp = rock.sharp(&mut || sequence.unit(), &mut 0);
                        rounded = sharp.and_then(|sharp| rock.rounded(sharp));
                    }
                    let rounded = rounded.unwrap();
                    // About the middle of the ball, which is the centre of the sharp rock.
                    let middle = if roundness == 0.0 { rounded.mass_properties().centroid } else { DVec3::ZERO };
                    let distances: Vec<f64> = rounded.vertices().iter().map(|v| v.distance(middle)).collect();
                    let (least, most) =
                        distances.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), d| (a.min(*d), b.max(*d)));
                    spread += (most / least - 1.0) / n as f64;
                    round += sphericity(&drawn(&rock, seed)) / n as f64;
                }
                println!("{n_vertices} vertices, roundness {roundness}: sphericity {round:.3}, spread {spread:.4}");
                assert!(
                    round > last.0 && spread < last.1,
                    "{n_vertices} {roundness}: {round} {spread}, before {last:?}"
                );
                if k == 4 {
                    assert!(spread < 1e-12, "{spread}");
                }
                last = (round, spread);
            }
            // Evenly spread: near the largest sphericity that so many vertices allow (a cube has 0.806, a ball 1).
            let most = [(8, 0.75), (20, 0.88), (60, 0.955)].into_iter().find(|m| m.0 == n_vertices).unwrap().1;
            assert!(last.0 > most, "{n_vertices}: {}", last.0);
        }
    }

    #[test]
    fn the_same_numbers_make_the_same_rock_and_others_another() {
        let rock = Rock { n_vertices: 15, aspect: DVec3::new(1.5, 1.2, 1.0), roundness: 0.4, radius: 1.0 };
        assert_eq!(drawn(&rock, 7), drawn(&rock, 7));
        assert_ne!(drawn(&rock, 7).vertices(), drawn(&rock, 8).vertices());
    }

    #[test]
    fn bad_numbers_are_refused_by_name_and_value() {
        let good = Rock { n_vertices: 12, aspect: DVec3::ONE, roundness: 0.5, radius: 1.0 };
        let message = |rock: Rock| rock.draw(&mut || 0.5).unwrap_err().to_string();
        assert!(message(Rock { n_vertices: 3, ..good }).contains("vertices of the rock is 3"));
        assert!(message(Rock { n_vertices: 201, ..good }).contains("is 201; it must be between 4 and 200"));
        assert!(message(Rock { roundness: 1.1, ..good }).contains("roundness of the rock is 1.1"));
        assert!(message(Rock { roundness: f64::NAN, ..good }).contains("roundness of the rock is NaN"));
        assert!(message(Rock { aspect: DVec3::new(1.0, 0.0, 1.0), ..good }).contains("aspect of the rock is 0"));
        assert!(message(Rock { radius: -1.0, ..good }).contains("size of the rock is -1"));
        // Numbers that are no random ones find no rock, and end.
        assert!(message(good).contains("no rock with 12 corners was found"));
    }
}
