//! Solids with hollows: an L, a cross, a ring and a bowl.

use super::*;
use std::f64::consts::TAU;

type Triangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// A polygon of the x-z plane, drawn out along y. `triangles` are those of the polygon.
fn drawn_out(corners: &[[f64; 2]], triangles: &[[u32; 3]], depth: f64) -> Triangles {
    let n = corners.len() as u32;
    let vertices = [0.0, depth].iter().flat_map(|&y| corners.iter().map(move |&[x, z]| DVec3::new(x, y, z))).collect();
    let mut faces = Vec::new();
    for &[a, b, c] in triangles {
        faces.extend([[a, b, c], [c + n, b + n, a + n]]);
    }
    for k in 0..n {
        let next = (k + 1) % n;
        faces.extend([[k, k + n, next + n], [k, next + n, next]]);
    }
    (vertices, faces)
}

fn l_shape() -> Triangles {
    let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
    drawn_out(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]], 1.0)
}

fn cross() -> Triangles {
    let corners = [
        [1.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [3.0, 1.0],
        [3.0, 2.0],
        [2.0, 2.0],
        [2.0, 3.0],
        [1.0, 3.0],
        [1.0, 2.0],
        [0.0, 2.0],
        [0.0, 1.0],
        [1.0, 1.0],
    ];
    let triangles = [
        [11, 0, 1],
        [11, 1, 2],
        [2, 3, 4],
        [2, 4, 5],
        [8, 5, 6],
        [8, 6, 7],
        [10, 11, 8],
        [10, 8, 9],
        [11, 2, 5],
        [11, 5, 8],
    ];
    drawn_out(&corners, &triangles, 1.0)
}

/// A closed profile in the (rho, z) plane, counter-clockwise, turned about z.
fn turned(profile: &[[f64; 2]], n_around: u32) -> Triangles {
    let n = profile.len() as u32;
    let mut vertices = Vec::new();
    for k in 0..n_around {
        let (sine, cosine) = (TAU * f64::from(k) / f64::from(n_around)).sin_cos();
        vertices.extend(profile.iter().map(|&[rho, z]| DVec3::new(rho * cosine, rho * sine, z)));
    }
    let mut triangles = Vec::new();
    for k in 0..n_around {
        let (here, there) = (k * n, (k + 1) % n_around * n);
        for p in 0..n {
            let q = (p + 1) % n;
            triangles.extend([[here + p, there + p, there + q], [here + p, there + q, here + q]]);
        }
    }
    (vertices, triangles)
}

/// A ring of radius 2 and of a round section of radius 0.5.
fn ring() -> Triangles {
    let section: Vec<[f64; 2]> =
        (0..12).map(|k| (TAU * f64::from(k) / 12.0).sin_cos()).map(|(s, c)| [2.0 + 0.5 * c, 0.5 * s]).collect();
    turned(&section, 32)
}

/// A bowl: the lower half of a thick shell, with a small hole at its bottom so that it is a turned profile.
fn bowl() -> Triangles {
    let angle = |k: i32, n: i32| -TAU / 4.0 * (0.97 * f64::from(k) / f64::from(n));
    let outside = (0..=8).rev().map(|k| angle(k, 8).sin_cos()).map(|(s, c)| [c, s]);
    let inside = (0..=8).map(|k| angle(k, 8).sin_cos()).map(|(s, c)| [0.8 * c, 0.8 * s]);
    turned(&outside.chain(inside).collect::<Vec<_>>(), 24)
}

/// How many parts there are, and the volume of their union over that of the solid less one.
fn cut(triangles: Triangles, most_parts: usize) -> (usize, f64) {
    let solid = Solid::new(triangles.0, triangles.1).unwrap_or_else(|error| panic!("{error}"));
    let found = convex_parts(&solid, most_parts).unwrap();
    // The parts cover the solid: every corner and every middle of a triangle is in one of them.
    let clump = Shape::clump(found.parts.clone()).unwrap();
    let centre = solid.mass_properties().centroid;
    for triangle in 0..solid.mesh().triangles().len() as u32 {
        let corners = solid.mesh().corners(triangle);
        let middle = corners.iter().sum::<DVec3>() / 3.0;
        for point in [corners[0], middle, middle - 1e-3 * solid.mesh().normal(triangle)] {
            let inner = found.parts.iter().any(|part| {
                let own = part.pose.inverse_transform_point(point);
                let Shape::Polyhedron(hull) = &part.shape else { panic!() };
                hull.faces().iter().all(|face| face.normal.dot(own) - face.offset < 1e-9)
            });
            assert!(inner, "{point}, from {centre}");
        }
    }
    let union = clump.mass_properties().volume / solid.mass_properties().volume - 1.0;
    assert!(union <= found.added_volume + 1e-4, "{union} {}", found.added_volume);
    (found.parts.len(), union)
}

#[test]
fn what_planes_can_part_is_cut_exactly() {
    let (n_parts, added) = cut(l_shape(), 8);
    assert_eq!(n_parts, 2);
    assert!(added.abs() < 1e-9, "{added}");
    // Three would do; halves that are alike are preferred to an arm and the rest.
    let (n_parts, added) = cut(cross(), 8);
    assert_eq!(n_parts, 4);
    assert!(added.abs() < 1e-9, "{added}");
    // A convex solid is one part, however many are allowed.
    let cube = drawn_out(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], &[[0, 1, 2], [0, 2, 3]], 1.0);
    assert_eq!(cut(cube, 8).0, 1);
}

#[test]
fn hulls_of_more_parts_add_less() {
    let mut last = f64::INFINITY;
    for most in [1, 4, 8] {
        let (n_parts, added) = cut(ring(), most);
        println!("ring, {most}: {n_parts} parts add {:.2} %", 100.0 * added);
        assert!(n_parts <= most && added < last, "{n_parts} {added} after {last}");
        last = added;
    }
    assert!(last < 0.12, "{last}");
}

#[test]
#[ignore = "minutes: the table of the book"]
fn rings_and_bowls_in_many_parts() {
    for (name, triangles) in [("L", l_shape()), ("cross", cross()), ("ring", ring()), ("bowl", bowl())] {
        for most in [1, 4, 8, 16, 32] {
            let (n_parts, added) = cut(triangles.clone(), most);
            println!("{name}, {most}: {n_parts} parts add {:.2} %", 100.0 * added);
        }
    }
}
