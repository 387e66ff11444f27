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
            Shape::Tablet(t) => [u32::from(t.half_height < 0.01), 1, 2],
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

/// Points on the surface, spread by rays from inside.
fn surface_points(shape: &Shape, n: usize, sequence: &mut Sequence) -> Vec<DVec3> {
    (0..n)
        .map(|_| {
            let origin = point_inside(shape, sequence);
            let direction = sequence.direction();
            origin + shape.exit(origin, direction).distance * direction
        })
        .collect()
}

#[test]
fn no_point_of_the_surface_is_beyond_the_support_point_and_the_support_point_is_inside() {
    let mut sequence = Sequence::new(15);
    for (seed, shape) in convex_shapes() {
        let size = size(&shape);
        let points = surface_points(&shape, 500, &mut sequence);
        for _ in 0..200 {
            let direction = sequence.direction();
            let support = shape.support(direction);
            let name = format!("{shape:?} of seed {seed} along {direction}");
            let reach = support.dot(direction);
            for p in &points {
                assert!(p.dot(direction) <= reach + ROUNDING * size, "{name}: {p} is beyond {support}");
            }
            assert!(shape.contains(support * (1.0 - 1e-12)), "{name}: {support} is outside");
            let other = shape.support(1e-3 * direction).dot(direction);
            assert!((other - reach).abs() < ROUNDING * size, "{name}: the direction's length matters");
        }
        // Along the axes and within coordinate planes, where powers of zero and ties are.
        for k in 0..27 {
            let direction = DVec3::new(f64::from(k % 3 - 1), f64::from(k / 3 % 3 - 1), f64::from(k / 9 - 1));
            let support = shape.support(direction);
            assert!(support.is_finite(), "{shape:?} along {direction}");
            for p in &points {
                assert!(
                    p.dot(direction) <= support.dot(direction) + 2.0 * ROUNDING * size,
                    "{shape:?} along {direction}"
                );
            }
        }
    }
}

#[test]
fn bounds_hold_every_point_and_touch_the_shape_on_every_side() {
    let mut sequence = Sequence::new(16);
    for (seed, shape) in shapes() {
        let size = size(&shape);
        for _ in 0..10 {
            let pose = sequence.pose(3.0);
            let bounds = shape.bounds(&pose);
            let name = format!("{shape:?} of seed {seed} at {pose:?}: {bounds:?}");
            let (vertices, _) = shape.surface(16);
            let slack = 100.0 * ROUNDING * (size + 5.0);
            for v in &vertices {
                assert!(bounds.grown(slack).contains(pose.transform_point(*v)), "{name}: {v}");
            }
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let reach = |direction: DVec3| {
                    pose.transform_point(shape.support(pose.inverse_transform_vector(direction))).dot(direction)
                };
                assert!((reach(axis) - bounds.upper.dot(axis)).abs() < slack, "{name}");
                assert!((-reach(-axis) - bounds.lower.dot(axis)).abs() < slack, "{name}");
            }
        }
    }
}

#[test]
fn the_bounding_ball_holds_every_point_and_is_tight() {
    for (seed, shape) in shapes() {
        let (vertices, _) = shape.surface(64);
        // Planar shapes count within their plane.
        let distance = |v: &DVec3| if shape.kind().is_planar() { v.truncate().length() } else { v.length() };
        let farthest = vertices.iter().map(distance).fold(0.0, f64::max);
        let radius = shape.bounding_radius();
        let name = format!("{shape:?} of seed {seed}");
        assert!(farthest <= radius * (1.0 + 1e-14), "{name}: {farthest} beyond {radius}");
        // A superquadric as a part is bounded, not solved; its grid misses the sharpest corner by a little.
        let slack = if matches!(shape, Shape::Clump(_)) { 0.15 } else { 0.02 };
        assert!(radius <= farthest * (1.0 + slack), "{name}: {radius} for {farthest}");
    }
}

#[test]
fn no_two_parallel_planes_are_closer_than_the_smallest_width_and_some_are_as_close() {
    let mut sequence = Sequence::new(17);
    for (seed, shape) in convex_shapes() {
        let width = |direction: DVec3| (shape.support(direction) - shape.support(-direction)).dot(direction);
        let turned = |sequence: &mut Sequence| {
            let direction = sequence.direction();
            if shape.kind().is_planar() { DVec3::new(direction.x, direction.y, 0.0).normalize() } else { direction }
        };
        let mut best = (f64::INFINITY, DVec3::X);
        for _ in 0..4000 {
            let direction = turned(&mut sequence);
            if width(direction) < best.0 {
                best = (width(direction), direction);
            }
        }
        // Downhill from the best in ever smaller steps.
        let mut step = 0.1;
        while step > 1e-7 {
            let next = (0..60)
                .map(|_| (best.1 + step * turned(&mut sequence)).normalize())
                .map(|direction| (width(direction), direction))
                .fold(best, |a, b| if b.0 < a.0 { b } else { a });
            if next.0 < best.0 {
                best = next;
            } else {
                step *= 0.5;
            }
        }
        let smallest = shape.smallest_width();
        let name = format!("{shape:?} of seed {seed}: {smallest}, found {}", best.0);
        assert!(best.0 >= smallest * (1.0 - 1e-12), "{name}");
        // The search itself crawls along the creases of sharp superquadrics.
        assert!(best.0 <= smallest * (1.0 + 5e-3), "{name}");
    }
}

#[test]
fn the_displayed_surface_is_closed_outwards_and_its_volume_converges() {
    for (seed, shape) in shapes() {
        let parts = match &shape {
            Shape::Clump(clump) => clump.parts().iter().map(|p| p.shape.volume()).sum(),
            _ => shape.volume(),
        };
        let size = size(&shape);
        let mut errors = Vec::new();
        for n in [3, 16, 32, 64] {
            let (vertices, triangles) = shape.surface(n);
            let name = format!("{shape:?} of seed {seed}, {n} segments");
            let mut there: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
            let mut back: Vec<[u32; 2]> = there.iter().map(|&[a, b]| [b, a]).collect();
            there.sort_unstable();
            back.sort_unstable();
            assert_eq!(there, back, "{name}");
            assert!(there.windows(2).all(|pair| pair[0] != pair[1]), "{name}: an edge twice");
            let mut is_used = vec![false; vertices.len()];
            triangles.iter().flatten().for_each(|&v| is_used[v as usize] = true);
            assert!(is_used.iter().all(|&used| used), "{name}: a vertex without a triangle");
            let volume: f64 = triangles
                .iter()
                .map(|t| t.map(|v| vertices[v as usize]))
                .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
                .sum();
            errors.push(1.0 - volume / parts);
            for v in &vertices {
                let near = shape.contains(*v * (1.0 - 1e-12)) || matches!(shape, Shape::Clump(_));
                assert!(near && v.is_finite() && v.length() < size, "{name}: {v} is off the surface");
            }
        }
        let name = format!("{shape:?} of seed {seed}: {errors:?}");
        assert!(errors.iter().all(|e| *e > -1e-12), "larger than the shape: {name}");
        // Second order: a quarter with twice the segments; a sharply rounded box comes to it late.
        assert!(errors[3] < 0.4 * errors[2] + 1e-12 && errors[3] < 0.01, "{name}");
    }
}

#[test]
fn a_scaled_shape_answers_with_scaled_lengths() {
    let mut sequence = Sequence::new(18);
    for (_, shape) in shapes() {
        for factor in [1e-6, 0.5, 1e3] {
            let scaled = shape.scaled(factor);
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-11;
            assert!(close(scaled.volume(), shape.volume() * factor.powi(3)), "{shape:?}");
            assert!(close(scaled.bounding_radius(), shape.bounding_radius() * factor), "{shape:?}");
            assert!(close(scaled.smallest_width(), shape.smallest_width() * factor), "{shape:?}");
            let direction = sequence.direction();
            let reach = |shape: &Shape| shape.support(direction).dot(direction);
            assert!(close(reach(&scaled), reach(&shape) * factor), "{shape:?}");
            let own = shape.mass_properties().inertia * factor.powi(5);
            let difference = scaled.mass_properties().inertia - own;
            let largest = own.x_axis.x.max(own.y_axis.y).max(own.z_axis.z);
            for k in 0..3 {
                assert!(difference.col(k).abs().max_element() < 1e-10 * largest, "{shape:?}");
            }
        }
    }
}
