//! Every shape answers every question about itself in the same way: its support point, bounds, rays and membership fit
//! together. All shapes come from one list, so that a further shape joins by one line there.

use glam::DVec3;
use tumble_geometry::oracle::{Sequence, sample_shapes};
use tumble_geometry::{Pose, Shape};

/// Multiplies the size of a shape: what a few dozen roundings may add up to.
const ROUNDING: f64 = 1e-14;

fn shapes() -> Vec<(u64, Shape)> {
    (1..=3).flat_map(|seed| sample_shapes(seed).into_iter().map(move |shape| (seed, shape))).collect()
}

fn convex_shapes() -> Vec<(u64, Shape)> {
    shapes().into_iter().filter(|(_, shape)| !matches!(shape, Shape::Clump(_))).collect()
}

/// A size that counts a planar shape's thickness too.
fn size(shape: &Shape) -> f64 {
    shape.bounds(&Pose::IDENTITY).extent().length()
}

/// A point inside: a random mean of support points.
fn point_inside(shape: &Shape, sequence: &mut Sequence) -> DVec3 {
    let weights = [(); 6].map(|()| sequence.unit());
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| *w / total * shape.support(sequence.direction())).sum()
}

#[test]
fn a_ray_leaves_on_the_surface_and_the_normal_there_supports_the_shape() {
    let mut sequence = Sequence::new(11);
    for (seed, shape) in convex_shapes() {
        let size = size(&shape);
        for _ in 0..2000 {
            let origin = point_inside(&shape, &mut sequence);
            let direction = sequence.direction();
            let exit = shape.exit(origin, direction);
            let name = format!("{shape:?} of seed {seed}, from {origin} along {direction}: {exit:?}");
            assert!(exit.distance.is_finite() && exit.distance >= 0.0, "{name}");
            assert!((exit.normal.length() - 1.0).abs() < 1e-14, "{name}");
            assert!(exit.normal.dot(direction) > -1e-12, "{name}");
            let point = origin + exit.distance * direction;
            // On the surface: inside to rounding, and the plane through the point with the normal there holds the shape.
            let height = shape.support(exit.normal).dot(exit.normal) - point.dot(exit.normal);
            assert!(height.abs() < 30.0 * ROUNDING * size, "the normal leaves {height} of the shape above: {name}");
        }
    }
}

#[test]
fn a_ray_from_the_surface_outwards_leaves_at_once_and_inwards_on_the_far_side() {
    let mut sequence = Sequence::new(12);
    for (seed, shape) in convex_shapes() {
        let size = size(&shape);
        for _ in 0..500 {
            let origin = point_inside(&shape, &mut sequence);
            let first = shape.exit(origin, sequence.direction());
            let surface = origin + shape.exit(origin, first.normal).distance * first.normal;
            let normal = shape.exit(origin, first.normal).normal;
            let mut outwards = sequence.direction();
            if outwards.dot(normal) < 0.0 {
                outwards = -outwards;
            }
            if outwards.dot(normal) < 0.01 {
                continue;
            }
            let name = format!("{shape:?} of seed {seed}, from {surface} along {outwards}");
            let out = shape.exit(surface, outwards).distance;
            assert!(out < 1e-12 * size, "{name}: {out}");
            let inwards = shape.exit(surface, -outwards).distance;
            match shape.chord(surface, -outwards) {
                Some((entry, exit)) => {
                    // A far slender end is crossed at a small angle, which magnifies rounding.
                    assert!(entry.abs() < 1e-12 * size, "{name}: {entry}");
                    assert!((exit - inwards).abs() < 1e-11 * size, "{name}: {exit} and {inwards}");
                }
                None => assert!(inwards < 1e-6 * size, "{name}: missed, but {inwards} long"),
            }
        }
    }
}

#[test]
fn a_chord_agrees_with_exits_both_ways_and_with_membership() {
    let mut sequence = Sequence::new(13);
    for (seed, shape) in shapes() {
        let size = size(&shape);
        let (mut n_hits, mut n_misses) = (0, 0);
        for _ in 0..2000 {
            let origin = sequence.point_in_cube(0.4 * size);
            let direction = sequence.direction();
            let name = format!("{shape:?} of seed {seed}, from {origin} along {direction}");
            let chord = shape.chord(origin, direction);
            if let Some((entry, exit)) = chord {
                n_hits += 1;
                assert!(entry <= exit, "{name}: {entry} to {exit}");
                if shape.contains(origin) && !matches!(shape, Shape::Clump(_)) {
                    let ahead = shape.exit(origin, direction).distance;
                    let behind = shape.exit(origin, -direction).distance;
                    assert!((ahead - exit).abs() < 1e-12 * size, "{name}: {ahead} {exit}");
                    assert!((behind + entry).abs() < 1e-12 * size, "{name}: {behind} {entry}");
                }
            } else {
                n_misses += 1;
            }
            // Samples along the line are inside exactly between entry and exit.
            for k in -10..=10 {
                let t = f64::from(k) / 10.0 * size;
                let is_inside = shape.contains(origin + t * direction);
                let is_on_chord = chord.is_some_and(|(entry, exit)| entry <= t && t <= exit);
                let is_close = chord.is_some_and(|(entry, exit)| (t - entry).abs().min((t - exit).abs()) < 1e-9 * size);
                if matches!(shape, Shape::Clump(_)) {
                    assert!(is_on_chord || is_close || !is_inside, "{name} at {t}");
                } else {
                    assert!(is_inside == is_on_chord || is_close, "{name} at {t}: {is_inside}, chord {chord:?}");
                }
            }
        }
        assert!(n_hits > 10 && n_misses > 10, "{shape:?}: {n_hits} hits, {n_misses} misses");
    }
}

#[test]
fn a_ray_through_a_clump_stays_inside_until_it_leaves() {
    let mut sequence = Sequence::new(14);
    for (_, shape) in shapes().into_iter().filter(|(_, shape)| matches!(shape, Shape::Clump(_))) {
        let size = size(&shape);
        for _ in 0..500 {
            let origin = sequence.point_in_cube(0.4 * size);
            if !shape.contains(origin) {
                continue;
            }
            let direction = sequence.direction();
            let exit = shape.exit(origin, direction);
            for k in 0..20 {
                let t = exit.distance * (f64::from(k) + 0.5) / 20.0;
                assert!(shape.contains(origin + t * direction), "{shape:?} from {origin} along {direction} at {t}");
            }
            assert!(!shape.contains(origin + (exit.distance + 1e-9 * size) * direction));
        }
    }
}

#[test]
fn the_pieces_of_a_surface_have_their_numbers() {
    let pieces = |shape: &Shape| {
        [DVec3::X, DVec3::Z, -DVec3::Z].map(|direction| shape.exit(DVec3::new(0.0, 0.0, 0.01), direction).piece)
    };
    for (_, shape) in convex_shapes() {
        let expected = match &shape {
            Shape::Sphere(_) | Shape::Superquadric(_) => [0, 0, 0],
            Shape::Cylinder(_) | Shape::Capsule(_) | Shape::Disc(_) => [0, 1, 2],
            Shape::TruncatedCone(c) => [0, u32::from(c.upper_radius > 0.0), if c.lower_radius > 0.0 { 2 } else { 0 }],
            Shape::Polyhedron(_) | Shape::Polygon(_) | Shape::Clump(_) => {
                for direction in [DVec3::X, DVec3::Z, -DVec3::Z] {
                    let exit = shape.exit(DVec3::new(0.0, 0.0, 0.01), direction);
                    let faces = match &shape {
                        Shape::Polygon(p) => p.solid().faces(),
                        Shape::Polyhedron(p) => p.faces(),
                        _ => continue,
                    };
                    assert_eq!(faces[exit.piece as usize].normal, exit.normal);
                }
                continue;
            }
        };
        assert_eq!(pieces(&shape), expected, "{shape:?}");
    }
}
