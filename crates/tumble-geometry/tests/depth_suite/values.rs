//! Values of programs that have nothing in common with the code.
//!
//! The first are of `mean_depth_law.py` and `pressure_law.py`, which find each cell as the intersection of half-spaces by
//! linear programming and qhull (SciPy 1.17), with stiffness k = 1 of U = k (mean depth)^2 / 2 and kappa = 1 of U = 2 kappa M. Their hulls
//! are joggled by some 1e-9, so they are good to about 1e-8.

use super::*;

struct Value {
    name: &'static str,
    a: Shape,
    b: Shape,
    position: [f64; 3],
    turn: [f64; 3],
    volume: f64,
    mean_depth: f64,
    by_mean_depth: [[f64; 3]; 2],
    foundation: f64,
    by_foundation: [[f64; 3]; 2],
}

fn values() -> Vec<Value> {
    let points = |points: [[f64; 3]; 10]| hull(&points.map(DVec3::from_array));
    let (a, b) = (
        points([
            [2.041, -2.556, 0.418],
            [-0.568, -0.453, -0.216],
            [-2.02, -0.232, -0.865],
            [3.323, 0.226, -0.353],
            [-0.281, -0.668, -1.055],
            [-0.391, 0.482, -0.239],
            [0.958, -0.2, 0.024],
            [1.546, 0.545, -0.505],
            [-0.183, 0.541, 1.935],
            [-0.27, -0.244, 1.002],
        ]),
        points([
            [-0.886, -0.292, 0.883],
            [0.58, 0.092, 0.67],
            [-2.828, 1.021, -0.96],
            [-1.669, 0.276, 0.701],
            [-0.445, -1.076, 0.026],
            [-0.053, 1.406, 0.747],
            [0.194, 1.112, -0.206],
            [-0.926, 0.584, 0.583],
            [-0.215, -0.783, 0.229],
            [-2.494, 0.69, 0.491],
        ]),
    );
    let (small, large) = (cube(1.0), cube(1.4));
    vec![
        Value {
            name: "hulls",
            a: a.clone(),
            b: b.clone(),
            position: [0.9, 0.4, 0.2],
            turn: [0.1, 0.2, 0.05],
            volume: 1.078847644158325,
            mean_depth: 0.4645486027505001,
            by_mean_depth: [
                [0.0009007815542106529, -0.17327677342168793, 0.004077883021621899],
                [0.11040053511704384, -0.0006394010066411117, -0.048423901216130084],
            ],
            foundation: 0.2505885828372093,
            by_foundation: [
                [0.04326589805159961, -0.6660025699097328, -0.0028893952078950236],
                [0.4170080101007024, 0.03283516304335088, -0.16253620694629042],
            ],
        },
        Value {
            name: "hulls, farther apart",
            a,
            b,
            position: [1.8, 0.9, 0.5],
            turn: [0.1, 0.2, 0.05],
            volume: 0.17754189422332023,
            mean_depth: 0.2305745952768746,
            by_mean_depth: [
                [-0.026143489993438174, -0.07461302242984144, -0.027691039183444947],
                [0.04337786451016214, 0.01780574682481944, -0.08690776244236192],
            ],
            foundation: 0.02046832520261587,
            by_foundation: [
                [-0.034532048073260525, -0.10864990335334475, -0.03948160961592486],
                [0.06666681871026188, 0.024421283015457755, -0.10518459920658463],
            ],
        },
        Value {
            name: "cubes, face",
            a: small.clone(),
            b: large.clone(),
            position: [0.1, 0.05, 1.15],
            turn: [0.01, 0.02, 0.005],
            volume: 0.04866979126901357,
            mean_depth: 0.047805685556310075,
            by_mean_depth: [
                [-0.0008797360171239501, 0.0004371221457044642, -0.0439247444228925],
                [0.0011274488553189319, 0.002268656551617518, -4.037491443132095e-09],
            ],
            foundation: 0.0011633463687488541,
            by_foundation: [
                [-0.0009265510373821131, 0.0004603835351532625, -0.046262193112006356],
                [0.0004665551890613753, 0.0009387653591570533, -2.0552353082885265e-09],
            ],
        },
        Value {
            name: "cubes, corner",
            a: small.clone(),
            b: large.clone(),
            position: [0.0, 0.05, 1.3],
            turn: [0.5, 0.6, 0.2],
            volume: 0.05772630620355344,
            mean_depth: 0.14585784462768045,
            by_mean_depth: [
                [3.286426150926724e-05, 0.001098167959956249, -0.05561369265681709],
                [0.00027714905775442784, 0.00816584328260426, 0.00016852140997535985],
            ],
            foundation: 0.004209917300583902,
            by_foundation: [
                [-3.251423675538952e-07, -9.749065128476074e-05, -0.04263514785682575],
                [0.00014934432086610543, 0.0036299674766722676, -1.4517450032742825e-05],
            ],
        },
        Value {
            name: "cubes, edge",
            a: small,
            b: large,
            position: [0.9, 0.05, 1.0],
            turn: [0.0, 0.78, 0.3],
            volume: 0.0047966046217006435,
            mean_depth: 0.046185013847372725,
            by_mean_depth: [
                [-0.01279590899287407, -0.002039489679670976, -0.013179811199368986],
                [-0.004967429945622974, 0.00017433981774745214, 0.0047957604473609],
            ],
            foundation: 0.00011076562543680811,
            by_foundation: [
                [-0.0026399661886819907, -0.0004207738426004419, -0.0027191703191170465],
                [-0.00042437490928264965, 3.21379723922531e-05, 0.0004070405542135028],
            ],
        },
    ]
}

#[test]
fn cells_by_linear_programming_have_the_same_volumes() {
    let mut workspace = Workspace::default();
    for value in values() {
        let turn = DQuat::from_scaled_axis(DVec3::from_array(value.turn));
        let pose = Pose::new(DVec3::from_array(value.position), turn);
        let found = depth_moments(&value.a, &value.b, &pose, &mut workspace).unwrap();
        let near = |x: f64, y: f64, scale: f64| assert!((x - y).abs() < 2e-8 * scale, "{}: {x} {y}", value.name);
        near(found.volume, value.volume, value.volume);
        near(found.mean_depth(), value.mean_depth, value.mean_depth);
        near(2.0 * found.depth_integral, value.foundation, value.foundation);
        let law = found.mean_depth_slope().times(-found.mean_depth());
        let bed = found.depth_slope.times(-2.0);
        for (slope, [shift, turn]) in [(law, value.by_mean_depth), (bed, value.by_foundation)] {
            let scale = DVec3::from_array(shift).length();
            for (x, y) in [(slope.shift, shift), (slope.turn, turn)] {
                x.to_array().into_iter().zip(y).for_each(|(x, y)| near(x, y, scale));
            }
        }
    }
}

/// The distance from the surface of what two polyhedra share, negative outside.
fn depth_at(point: DVec3, a: &Polyhedron, b: &Polyhedron, pose: &Pose) -> f64 {
    let local = pose.inverse_transform_point(point);
    let of_a = a.faces().iter().map(|face| face.offset - face.normal.dot(point));
    let of_b = b.faces().iter().map(|face| face.offset - face.normal.dot(local));
    of_a.chain(of_b).fold(f64::INFINITY, f64::min)
}

#[test]
fn sums_of_the_distance_over_a_grid_of_points_agree() {
    // The distance is continuous, so the midpoint rule converges with the square of the step, 1/160 of the box here.
    let mut workspace = Workspace::default();
    for value in values() {
        let turn = DQuat::from_scaled_axis(DVec3::from_array(value.turn));
        let pose = Pose::new(DVec3::from_array(value.position), turn);
        let found = depth_moments(&value.a, &value.b, &pose, &mut workspace).unwrap();
        let (Some(a), Some(b)) = (value.a.as_polyhedron(), value.b.as_polyhedron()) else { panic!("{}", value.name) };
        let bounds = |side: DVec3| {
            let of_b = pose.transform_point(b.support(pose.inverse_transform_vector(side))).dot(side);
            a.support(side).dot(side).min(of_b)
        };
        let upper = DVec3::new(bounds(DVec3::X), bounds(DVec3::Y), bounds(DVec3::Z));
        let lower = -DVec3::new(bounds(DVec3::NEG_X), bounds(DVec3::NEG_Y), bounds(DVec3::NEG_Z));
        const N: usize = 160;
        let step = (upper - lower) / N as f64;
        let (mut volume, mut integral) = (0.0, 0.0);
        for k in 0..N * N * N {
            let place = DVec3::new((k % N) as f64 + 0.5, (k / N % N) as f64 + 0.5, (k / (N * N)) as f64 + 0.5);
            let depth = depth_at(lower + step * place, a, b, &pose);
            if depth > 0.0 {
                volume += step.element_product();
                integral += depth * step.element_product();
            }
        }
        assert!((volume / found.volume - 1.0).abs() < 5e-3, "{}: {volume} {}", value.name, found.volume);
        assert!((integral / found.depth_integral - 1.0).abs() < 5e-3, "{}: {integral}", value.name);
    }
}
