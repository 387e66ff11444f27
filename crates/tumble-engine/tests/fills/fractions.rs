//! How much of a region shapes fill, and that they keep apart from each other, from walls and from the region's surface.

use crate::samples::{compact, cube_of, filled, of_unit_volume, rods};
use crate::support::{closed_box, on_threads};
use glam::{DVec2, DVec3};
use tumble_engine::boundary::insertion::{Amount, SizeDistribution};
use tumble_engine::model::{Domain, Edge, Species};
use tumble_engine::random::Random;
use tumble_engine::region::Region;
use tumble_engine::{Model, Simulation};
use tumble_geometry::narrow::contact_general;
use tumble_geometry::{Part, Pose, Shape};

/// The shapes to fill with, and the solid fraction each must reach.
fn wanted() -> Vec<(&'static str, Shape, f64)> {
    let compact = compact().into_iter().map(|(name, shape)| (name, shape, 0.25));
    compact.chain(rods().into_iter().map(|(name, shape)| (name, shape, 0.1))).collect()
}

/// The grains of a run: shapes at their sizes, and poses.
fn grains(simulation: &Simulation) -> Vec<(Shape, Pose)> {
    let p = &simulation.state().particles;
    let shape = |i: usize| simulation.model().species[p.species[i] as usize].shape.scaled(p.scale[i]);
    (0..p.len()).map(|i| (shape(i), Pose::new(p.position[i], p.orientation[i]))).collect()
}

fn parts(shape: &Shape) -> Vec<Part> {
    match shape {
        Shape::Clump(clump) => clump.parts().to_vec(),
        convex => vec![Part { shape: convex.clone(), pose: Pose::IDENTITY }],
    }
}

/// The least separation of any two grains, through periodic edges too, by support functions alone [m].
fn least_separation(grains: &[(Shape, Pose)], domain: &Domain) -> f64 {
    let periods = domain.periods();
    let mut least = f64::INFINITY;
    for (k, (a, pose_a)) in grains.iter().enumerate() {
        for (b, pose_b) in &grains[k + 1..] {
            let mut offset = pose_b.position - pose_a.position;
            for axis in 0..3 {
                if let Some(period) = periods[axis] {
                    offset[axis] -= period * (offset[axis] / period).round();
                }
            }
            if offset.length() > a.solid_radius() + b.solid_radius() {
                continue;
            }
            let pose_ab = Pose::new(DVec3::ZERO, pose_a.orientation).relative(&Pose::new(offset, pose_b.orientation));
            for part_a in parts(a) {
                for part_b in parts(b) {
                    let pose = part_a.pose.relative(&pose_ab.compose(&part_b.pose));
                    let found = contact_general(&part_a.shape, &part_b.shape, &pose, None, f64::INFINITY);
                    least = least
                        .min(found.map_or_else(|open| open.best.separation - open.bound, |c| c.unwrap().separation));
                }
            }
        }
    }
    least
}

/// Whether all grains lie in a region, by points of their surfaces.
fn all_inside(grains: &[(Shape, Pose)], region: &Region) -> bool {
    let mut random = Random::from_seed(9);
    grains
        .iter()
        .all(|(shape, pose)| (0..200).all(|_| region.contains(pose.transform_point(shape.support(random.direction())))))
}

/// Fills a region at least up to a fraction, with all that must hold of it.
fn check_fill(name: &str, model: Model, region: &Region, fraction: f64) {
    let simulation = Simulation::new(model).unwrap_or_else(|error| panic!("{name}: {error}"));
    let grains = grains(&simulation);
    let solid: f64 = grains.iter().map(|(shape, _)| shape.volume()).sum();
    assert!(solid / region.volume() > fraction - 1e-9, "{name}: {}", solid / region.volume());
    let least = least_separation(&grains, &simulation.model().domain);
    assert!(least > 0.0, "{name}: {least}");
    assert!(all_inside(&grains, region), "{name}");
    assert_eq!(simulation.n_contacts(), 0, "{name}");
}

#[test]
fn every_shape_fills_a_box_with_walls_as_much_as_it_must() {
    for (name, shape, fraction) in wanted() {
        let region = cube_of(200.0 / fraction);
        let Region::Box { lower, upper } = region else { panic!("no box") };
        let model = filled(&of_unit_volume(&shape), region, Amount::Count(200));
        check_fill(name, Model { walls: closed_box(lower, upper), ..model }, &region, fraction);
    }
}

#[test]
fn every_shape_fills_a_cylinder_and_a_ball_as_much_as_it_must() {
    for (name, shape, fraction) in wanted() {
        let volume = 400.0 / fraction;
        let radius = (volume / std::f64::consts::TAU).cbrt();
        let tilted = DVec3::new(0.48, 0.6, 0.64) * radius;
        let ball = (volume * 0.75 / std::f64::consts::PI).cbrt();
        for region in [
            Region::Cylinder { from: -tilted, to: tilted, radius },
            Region::Ball { centre: DVec3::new(1.0, 2.0, 3.0), radius: ball },
        ] {
            check_fill(name, filled(&of_unit_volume(&shape), region, Amount::Count(400)), &region, fraction);
        }
    }
}

#[test]
fn shapes_fill_a_periodic_box_through_its_edges() {
    for (name, shape, fraction) in wanted() {
        let region = cube_of(300.0 / fraction);
        let Region::Box { lower, upper } = region else { panic!("no box") };
        let domain = Domain { lower, upper, edges: [Edge::Periodic; 3] };
        let model = Model { domain, ..filled(&of_unit_volume(&shape), region, Amount::Count(300)) };
        let simulation = Simulation::new(model).unwrap_or_else(|error| panic!("{name}: {error}"));
        let grains = grains(&simulation);
        let least = least_separation(&grains, &simulation.model().domain);
        assert!(least > 0.0, "{name}: {least}");
        assert_eq!(simulation.n_contacts(), 0, "{name}");
        // Some reach through an edge.
        let through = grains.iter().filter(|(shape, pose)| {
            let bounds = shape.bounds(pose);
            !(lower.cmple(bounds.lower).all() && bounds.upper.cmple(upper).all())
        });
        assert!(through.count() > 30, "{name}");
    }
}

#[test]
fn mixed_shapes_and_sizes_fill_a_box_and_the_orientations_are_random() {
    let shapes: Vec<Shape> =
        wanted().into_iter().map(|(_, shape, _)| shape).chain([Shape::sphere(0.6).unwrap()]).collect();
    let region = cube_of(400.0);
    let mut model = filled(&shapes[0], region, Amount::Fraction(0.22));
    model.species = shapes.iter().map(|shape| Species::new("grain", shape, 0)).collect();
    model.insertions[0].species = (0..shapes.len() as u16).map(|k| (k, 1.0)).collect();
    model.insertions[0].size = SizeDistribution::Uniform { low: 0.5, high: 0.9 };
    let simulation = Simulation::new(model).unwrap();
    let grains = grains(&simulation);
    let least = least_separation(&grains, &Domain::UNBOUNDED);
    assert!(least > 0.0 && all_inside(&grains, &region), "{least}");
    // The mean of the axes' components squared is a third, within four standard errors.
    let n = grains.len() as f64;
    let error = (4.0 / 45.0 / n).sqrt();
    for axis in DVec3::AXES {
        let mean = grains.iter().map(|(_, pose)| (pose.orientation * DVec3::Z).dot(axis).powi(2)).sum::<f64>() / n;
        assert!((mean - 1.0 / 3.0).abs() < 4.0 * error, "{mean} of {n}");
    }
}

#[test]
fn rods_fill_a_box_shallower_than_they_are_long() {
    let rod = Shape::cylinder(0.5, 5.0).unwrap();
    let region = Region::Box { lower: DVec3::ZERO, upper: DVec3::new(20.0, 20.0, 2.0) };
    check_fill("rod", filled(&rod, region, Amount::Count(24)), &region, 0.1);
}

#[test]
fn polygons_fill_a_planar_box() {
    let corners = [[0.6, -0.4], [0.6, 0.4], [-0.6, 0.4], [-0.6, -0.4]].map(DVec2::from_array);
    let brick = Shape::polygon(&corners, 0.3).unwrap();
    let region = Region::Box { lower: DVec3::new(0.0, 0.0, -1.0), upper: DVec3::new(16.0, 16.0, 1.0) };
    let model = Model { planar: true, ..filled(&brick, region, Amount::Count(120)) };
    // Their areas are 0.45 of that of the box.
    let simulation = Simulation::new(model).unwrap();
    let grains = grains(&simulation);
    assert!(least_separation(&grains, &Domain::UNBOUNDED) > 0.0);
    assert!(
        grains.iter().all(|(_, pose)| pose.position.z == 0.0 && pose.orientation.x == 0.0 && pose.orientation.y == 0.0)
    );
    assert!(all_inside(&grains, &region));
}

#[test]
fn any_number_of_threads_places_the_same_grains() {
    for (name, shape, fraction) in wanted() {
        let place = || {
            let region = cube_of(150.0 / fraction);
            Simulation::new(filled(&of_unit_volume(&shape), region, Amount::Count(150)))
                .unwrap()
                .state()
                .particles
                .clone()
        };
        assert_eq!(on_threads(1, place), on_threads(2, place), "{name}");
    }
}

#[test]
fn a_fill_with_too_many_shapes_says_how_far_it_came() {
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let message = Simulation::new(filled(&cube, cube_of(200.0), Amount::Count(110))).unwrap_err().to_string();
    for text in ["of 110 grains", "a solid fraction of 0.", "0.550 was asked", "larger region"] {
        assert!(message.contains(text), "{text}: {message}");
    }
    let too_long = Shape::cylinder(0.1, 20.0).unwrap();
    let message = Simulation::new(filled(&too_long, cube_of(200.0), Amount::Count(1))).unwrap_err().to_string();
    assert!(message.contains("does not fit into the region"), "{message}");
}
