//! Packing fraction: the volume of the grains inside a region over the region's volume.
//!
//! Grains that the region's surface cuts count with the part that lies inside, worked out by closed forms (box, ball)
//! or by quadrature to 1e-12 of the grain (cylinder). That is for spheres. Of any other grain that the surface cuts, the
//! points of a grid in its own frame are counted: how many of those inside the grain lie in the region. That is good to
//! about 1 % of a grain and without a trend, so that the sum over a hundred cut grains is good to about 0.1 % of one. In
//! a periodic domain the images of a grain count as well.
//!
//! The volume that two overlapping grains share is counted twice. Soft grains overlap by a small share of their size,
//! and the mass in the region is that of both, so the fraction belongs to the mass.

mod sphere_in_ball;
mod sphere_in_box;
mod sphere_in_cylinder;

use super::clip;
use crate::region::Region;
use crate::{Model, State};
use glam::DVec3;
use tumble_geometry::{Aabb, Pose, Shape};

/// Volume of a grain of a species, enlarged by a scale, that lies in a region [m^3].
pub fn volume_in_region(shape: &Shape, scale: f64, pose: &Pose, region: &Region) -> f64 {
    match shape {
        Shape::Sphere(sphere) => sphere_in_region(pose.position, sphere.radius * scale, region),
        _ => shape.volume() * scale.powi(3) * share_in_region(shape, scale, pose, region),
    }
}

/// Points of the grid along each side of a shape's bounds.
const GRID: usize = 12;

/// The share of a grain's volume that lies in a region.
fn share_in_region(shape: &Shape, scale: f64, pose: &Pose, region: &Region) -> f64 {
    let reach = shape.solid_radius() * scale;
    if region.inset(reach).is_some_and(|inner| clip::holds(&inner, pose.position)) {
        return 1.0;
    }
    if !clip::bounds(region).overlaps(&Aabb::of_ball(pose.position, reach)) {
        return 0.0;
    }
    let bounds = shape.bounds(&Pose::IDENTITY);
    let step = bounds.extent() / GRID as f64;
    let (mut n_inside, mut n_common) = (0_u32, 0_u32);
    for k in 0..GRID * GRID * GRID {
        let place = [k % GRID, k / GRID % GRID, k / (GRID * GRID)].map(|i| i as f64 + 0.5);
        let local = bounds.lower + step * DVec3::from_array(place);
        if shape.contains(local) {
            n_inside += 1;
            n_common += u32::from(clip::holds(region, pose.transform_point(local * scale)));
        }
    }
    // A shape too thin for the grid is where its centre is.
    if n_inside == 0 {
        return if clip::holds(region, pose.position) { 1.0 } else { 0.0 };
    }
    f64::from(n_common) / f64::from(n_inside)
}

/// Volume of a sphere that lies in a region [m^3].
fn sphere_in_region(centre: DVec3, radius: f64, region: &Region) -> f64 {
    match *region {
        Region::Box { lower, upper } => sphere_in_box::sphere_in_box(centre, radius, lower, upper),
        Region::Cylinder { from, to, radius: cylinder_radius } => {
            sphere_in_cylinder::sphere_in_cylinder(centre, radius, from, to, cylinder_radius)
        }
        Region::Ball { centre: ball_centre, radius: ball_radius } => {
            sphere_in_ball::sphere_in_ball(centre, radius, ball_centre, ball_radius)
        }
    }
}

/// Volume of all grains and their periodic images that lies in a region [m^3].
pub fn solid_volume(model: &Model, state: &State, region: &Region) -> f64 {
    let bounds = clip::bounds(region);
    let mut sum = 0.0;
    for grain in 0..state.particles.len() {
        for_each_image_of_grain(model, state, grain, &bounds, |shape, scale, pose| {
            sum += volume_in_region(shape, scale, pose, region);
        });
    }
    sum
}

/// Packing fraction: volume of the grains in a region over its volume [1]; NaN for a region without volume.
pub fn packing_fraction(model: &Model, state: &State, region: &Region) -> f64 {
    solid_volume(model, state, region) / clip::volume(region)
}

/// Calls back with the shape, scale and pose of each periodic image of a grain that may reach into some bounds.
pub(super) fn for_each_image_of_grain(
    model: &Model,
    state: &State,
    grain: usize,
    bounds: &Aabb,
    mut visit: impl FnMut(&Shape, f64, &Pose),
) {
    let particles = &state.particles;
    let shape = &model.species[particles.species[grain] as usize].shape;
    let scale = particles.scale[grain];
    let pose = Pose::new(particles.position[grain], particles.orientation[grain]);
    let ball = Aabb::of_ball(pose.position, shape.bounding_radius() * scale);
    clip::for_each_image(&model.domain, &ball, bounds, |shift| {
        visit(shape, scale, &Pose::new(pose.position + shift, pose.orientation));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Domain, Edge};
    use crate::observe::fixture;
    use crate::random::Random;
    use std::f64::consts::PI;

    fn periodic_cell(edge: f64) -> Domain {
        Domain { lower: DVec3::ZERO, upper: DVec3::splat(edge), edges: [Edge::Periodic; 3] }
    }

    #[test]
    fn face_centred_cubic_packing_fills_its_known_share() {
        // Four spheres of radius sqrt(2)/4 in a unit cell, one of them on the corner, three on faces.
        let mut model = fixture::model();
        model.domain = periodic_cell(1.0);
        let sites = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
        let state = fixture::state(&sites.map(|x| (x, 2f64.sqrt() / 4.0)));
        let densest = PI / (3.0 * 2f64.sqrt());
        let cell = Region::Box { lower: DVec3::ZERO, upper: DVec3::ONE };
        assert!((packing_fraction(&model, &state, &cell) - densest).abs() < 1e-14);
        // A cell's worth of the crystal holds the same volume wherever it is taken from.
        let shift = DVec3::new(0.123, 0.456, 0.789);
        let shifted = Region::Box { lower: shift, upper: shift + 1.0 };
        assert!((packing_fraction(&model, &state, &shifted) - densest).abs() < 1e-14);
    }

    #[test]
    fn boxes_that_tile_a_cell_share_out_all_of_its_grains() {
        let mut model = fixture::model();
        model.domain = periodic_cell(2.0);
        let mut random = Random::from_seed(41);
        let grains: Vec<_> = (0..300)
            .map(|_| {
                let x = DVec3::from_array(std::array::from_fn(|_| random.between(0.0, 2.0)));
                (x, random.between(0.02, 0.3))
            })
            .collect();
        let state = fixture::state(&grains);
        let all: f64 = grains.iter().map(|(_, r)| 4.0 / 3.0 * PI * r.powi(3)).sum();
        let cuts = [0.0, 0.31, 0.5, 1.0, 1.77, 2.0];
        let mut sum = 0.0;
        for x in cuts.windows(2) {
            for y in cuts.windows(2) {
                for z in cuts.windows(2) {
                    let lower = DVec3::new(x[0], y[0], z[0]);
                    sum += solid_volume(&model, &state, &Region::Box { lower, upper: DVec3::new(x[1], y[1], z[1]) });
                }
            }
        }
        assert!((sum / all - 1.0).abs() < 1e-12, "{sum} {all}");
    }

    #[test]
    fn every_region_matches_random_points() {
        let model = fixture::model();
        let mut random = Random::from_seed(42);
        let grains: Vec<_> =
            (0..20).map(|_| (random.direction() * random.between(0.0, 1.0), random.between(0.1, 0.3))).collect();
        let state = fixture::state(&grains);
        let regions = [
            Region::Box { lower: DVec3::new(-0.5, -0.6, -0.4), upper: DVec3::new(0.5, 0.3, 0.7) },
            Region::Cylinder { from: DVec3::new(-0.6, -0.1, -0.5), to: DVec3::new(0.4, 0.4, 0.5), radius: 0.45 },
            Region::Ball { centre: DVec3::new(0.1, 0.0, -0.1), radius: 0.6 },
        ];
        for region in regions {
            let bounds = clip::bounds(&region);
            let (n, mut sum, mut square) = (200_000, 0.0, 0.0);
            for _ in 0..n {
                let p = bounds.lower + bounds.extent() * DVec3::new(random.unit(), random.unit(), random.unit());
                if clip::holds(&region, p) {
                    // Overlaps count for both grains, as they do in the packing fraction.
                    let k = grains.iter().filter(|(x, r)| x.distance(p) < *r).count() as f64;
                    sum += k;
                    square += k * k;
                }
            }
            let box_volume = bounds.extent().x * bounds.extent().y * bounds.extent().z;
            let (mean, n) = (sum / n as f64, n as f64);
            let standard_error = ((square / n - mean * mean) / n).sqrt();
            let exact = solid_volume(&model, &state, &region) / box_volume;
            assert!(exact > 0.05 && (mean - exact).abs() < 4.0 * standard_error, "{region:?} {mean} {exact}");
        }
    }

    #[test]
    fn a_ball_region_does_not_see_a_rotation_and_none_sees_a_translation() {
        let model = fixture::model();
        let mut random = Random::from_seed(43);
        let grains: Vec<_> = (0..50).map(|_| (random.direction() * random.unit(), random.between(0.05, 0.2))).collect();
        let ball = Region::Ball { centre: DVec3::ZERO, radius: 0.7 };
        let reference = packing_fraction(&model, &fixture::state(&grains), &ball);
        let turn = random.orientation();
        let turned: Vec<_> = grains.iter().map(|&(x, r)| (turn * x, r)).collect();
        assert!((packing_fraction(&model, &fixture::state(&turned), &ball) - reference).abs() < 1e-14);

        let shift = DVec3::new(3.0, -2.0, 5.0);
        let moved: Vec<_> = grains.iter().map(|&(x, r)| (x + shift, r)).collect();
        let (from, to, lower, upper) =
            (DVec3::new(-0.5, 0.0, 0.1), DVec3::new(0.4, 0.3, 0.2), DVec3::splat(-0.4), DVec3::splat(0.6));
        for (here, there) in [
            (ball, Region::Ball { centre: shift, radius: 0.7 }),
            (Region::Box { lower, upper }, Region::Box { lower: lower + shift, upper: upper + shift }),
            (
                Region::Cylinder { from, to, radius: 0.5 },
                Region::Cylinder { from: from + shift, to: to + shift, radius: 0.5 },
            ),
        ] {
            let difference = packing_fraction(&model, &fixture::state(&moved), &there)
                - packing_fraction(&model, &fixture::state(&grains), &here);
            // The shifted coordinates are rounded at 5 instead of 0.5.
            assert!(difference.abs() < 1e-12, "{here:?} {difference}");
        }
    }
}
