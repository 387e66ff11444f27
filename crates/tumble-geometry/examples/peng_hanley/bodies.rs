//! The bodies, and where they are put.

use tumble_geometry::oracle::{Sequence, box_of};
use tumble_geometry::{DVec3, Polyhedron, Pose, Shape, Superquadric, contact};

/// The regular solids of edge 2.
pub fn regular_solids() -> Vec<(&'static str, Polyhedron)> {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let signs = [-1.0, 1.0];
    let mut tetrahedron = Vec::new();
    let mut octahedron = Vec::new();
    let mut icosahedron = Vec::new();
    let mut dodecahedron = Vec::new();
    for x in signs {
        octahedron.extend([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * x * 2f64.sqrt()));
        for y in signs {
            tetrahedron.push(DVec3::new(x, y, x * y) / 2f64.sqrt());
            let turned = |a: f64, b: f64| [DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)];
            icosahedron.extend(turned(x, y * golden));
            dodecahedron.extend(turned(x, y * golden * golden));
            dodecahedron.extend(signs.map(|z| DVec3::new(x, y, z) * golden));
        }
    }
    let hull = |points: &[DVec3]| Polyhedron::from_points(points).expect("corners of a solid");
    vec![
        ("tetrahedron", hull(&tetrahedron)),
        ("cube", box_of(DVec3::ONE)),
        ("octahedron", hull(&octahedron)),
        ("dodecahedron", hull(&dodecahedron)),
        ("icosahedron", hull(&icosahedron)),
    ]
}

/// The hull of random points of a ball, stretched along x.
pub fn hull(sequence: &mut Sequence, n_points: usize, stretch: f64) -> Polyhedron {
    loop {
        let along = DVec3::new(stretch, 1.0, 1.0);
        let points: Vec<DVec3> = (0..n_points).map(|_| sequence.direction() * along).collect();
        if let Ok(polyhedron) = Polyhedron::from_points(&points) {
            return polyhedron;
        }
    }
}

/// The hull of so many points spread evenly, for 2 n - 4 faces.
pub fn even_hull(n_faces: usize) -> Polyhedron {
    let n = n_faces.div_ceil(2) + 2;
    let point = |k: usize| {
        let (z, angle) = (1.0 - (2 * k + 1) as f64 / n as f64, 2.399_963 * k as f64);
        (DVec3::new(angle.cos(), angle.sin(), 0.0) * (1.0 - z * z).sqrt()).with_z(z)
    };
    Polyhedron::from_points(&(0..n).map(point).collect::<Vec<_>>()).expect("points of a ball")
}

/// A kind of superquadric.
#[derive(Clone, Copy, PartialEq)]
pub enum Round {
    Sphere,
    Ellipsoid,
    /// Exponents from 2 to 20.
    Blocky,
    /// The same, three to five times as long as wide.
    Prolate,
}

impl Round {
    pub fn name(self) -> &'static str {
        match self {
            Round::Sphere => "sphere",
            Round::Ellipsoid => "ellipsoid",
            Round::Blocky => "superquadric",
            Round::Prolate => "prolate superquadric",
        }
    }

    pub fn draw(self, sequence: &mut Sequence) -> Superquadric {
        let mut exponent =
            || if self == Round::Sphere || self == Round::Ellipsoid { 2.0 } else { sequence.between(2.0, 20.0) };
        let (n1, n2) = (exponent(), exponent());
        let semi_axes = match self {
            Round::Sphere => DVec3::ONE,
            Round::Ellipsoid | Round::Blocky => {
                DVec3::new(1.0, sequence.between_in_ratio(0.33, 1.0), sequence.between_in_ratio(0.33, 1.0))
            }
            Round::Prolate => {
                let width = sequence.between(0.2, 0.33);
                DVec3::new(width, width, 1.0)
            }
        };
        Superquadric { semi_axes, n1, n2 }
    }
}

/// Two bodies in a random pose a given distance apart, or as deep, or nearly.
pub fn posed(a: &Shape, b: &Shape, separation: f64, sequence: &mut Sequence) -> Pose {
    let (direction, orientation) = (sequence.direction(), sequence.orientation());
    let mut distance = 1.1 * (a.bounding_radius() + b.bounding_radius());
    let mut normal = direction;
    // By as much as it is apart b can come nearer: from outside, until it touches.
    for _ in 0..200 {
        let Ok(found) = contact(a, b, &Pose::new(direction * distance, orientation)) else { break };
        normal = found.normal;
        distance -= found.separation;
        if found.separation.abs() < 1e-13 {
            break;
        }
    }
    Pose::new(direction * distance + normal * separation, orientation)
}
