//! Random bodies and poses.

use glam::DVec3;
use tumble_geometry::oracle::Sequence;
use tumble_geometry::{Polyhedron, Pose, Shape, Superquadric, contact};

/// The hull of some points, within the given aspect ratio.
pub fn hull(sequence: &mut Sequence, n_points: usize, aspect: f64) -> Polyhedron {
    loop {
        let stretch = DVec3::new(1.0, sequence.between_in_ratio(1.0 / aspect, 1.0), 1.0 / aspect.sqrt());
        let points: Vec<DVec3> = (0..n_points).map(|_| sequence.direction() * stretch).collect();
        if let Ok(polyhedron) = Polyhedron::from_points(&points) {
            return polyhedron;
        }
    }
}

/// Exponents up to 20, in a third of the cases 2; half axes within the given aspect ratio.
pub fn superquadric(sequence: &mut Sequence, aspect: f64) -> Superquadric {
    let exponent = |sequence: &mut Sequence| if sequence.unit() < 0.33 { 2.0 } else { sequence.between(2.0, 20.0) };
    let (n1, n2) = (exponent(sequence), exponent(sequence));
    let axis = |sequence: &mut Sequence| sequence.between_in_ratio(1.0 / aspect, 1.0);
    let semi_axes = DVec3::new(axis(sequence), axis(sequence), axis(sequence));
    Superquadric { semi_axes, n1, n2 }
}

/// Two bodies in a random pose whose separation is nearly a given one.
pub fn posed(a: &Shape, b: &Shape, separation: f64, sequence: &mut Sequence) -> Pose {
    let (direction, orientation) = (sequence.direction(), sequence.orientation());
    let mut distance = 1.1 * (a.bounding_radius() + b.bounding_radius());
    let mut normal = direction;
    // By as much as it is apart b can come nearer: from outside, until it touches.
    for _ in 0..200 {
        let found = contact(a, b, &Pose::new(direction * distance, orientation)).unwrap();
        normal = found.normal;
        distance -= found.separation;
        if found.separation.abs() < 1e-13 {
            break;
        }
    }
    Pose::new(direction * distance + normal * separation, orientation)
}
