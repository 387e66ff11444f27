//! The same picture for any number of threads, true distances, and no harm from odd grains.

use crate::samples::{camera, drum, heap, one, plane, shapes, stage};
use glam::{DQuat, DVec2, DVec3};
use tumble_geometry::{Pose, Shape};
use tumble_pictures::cast::{
    Background, Bodies, Camera, CameraPlan, Direction, Grain, Quality, Section, Stage, Wall, Walls, cast, depths,
};

#[test]
fn any_number_of_threads_gives_the_same_picture() {
    let (shapes, grains) = heap(200, 11);
    let stage = stage(&shapes, &grains, vec![plane(DVec3::Z, DVec3::new(0.0, 0.0, -6.0))], Section::new(DVec3::X, 2.0));
    let camera = camera(&stage, 120, 90, &CameraPlan::default());
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| cast(&stage, &camera, Quality::Normal, Background::Sky))
    };
    let one = with(1);
    assert!(one == with(2) && one == with(3));
}

/// A box of glass around a heap.
fn glass_box(half_width: f64) -> Vec<Wall> {
    [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z].map(|normal| plane(normal, -half_width * normal)).to_vec()
}

/// Whether a pixel is within a distance of an edge of a wall, in pixels.
fn is_near_an_edge(camera: &Camera, edges: &[[DVec3; 2]], pixel: DVec2, reach: f64) -> bool {
    edges.iter().any(|&[a, b]| {
        let (Some((p, _)), Some((q, _))) = (camera.project(a), camera.project(b)) else { return false };
        let share = ((pixel - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        pixel.distance(p + share * (q - p)) < reach
    })
}

#[test]
fn colours_behind_glass_are_those_without_walls() {
    let (shapes, grains) = heap(80, 21);
    let behind = stage(&shapes, &grains, glass_box(5.5), None);
    let bare = Stage { walls: Walls::new(Vec::new(), &behind.bodies.bounds()), ..behind.clone() };
    let (width, height) = (200, 150);
    let camera = camera(&behind, width, height, &CameraPlan::default());
    let picture = |stage: &Stage| cast(stage, &camera, Quality::Normal, Background::Sky);
    let (with, without) = (picture(&behind), picture(&bare));
    const FINE: usize = 8;
    let fine = self::camera(&behind, FINE as u32 * width, FINE as u32 * height, &CameraPlan::default());
    let fine_depths = depths(&behind, &fine);
    let (columns, mut n_compared) = (width as usize, 0);
    for pixel in 0..columns * height as usize {
        let (row, column) = (pixel / columns, pixel % columns);
        let is_at_rim = row == 0 || column == 0 || row + 1 == height as usize || column + 1 == columns;
        // Where a grain ends, be it at a gap narrower than a pixel, the picture rightly shows some of the wall beside it.
        let is_grain =
            |k: usize| fine_depths[(FINE * row + k / FINE) * FINE * columns + FINE * column + k % FINE].is_finite();
        if is_at_rim || !(0..FINE * FINE).all(is_grain) {
            continue;
        }
        let middle = DVec2::new(column as f64 + 0.5, row as f64 + 0.5);
        if is_near_an_edge(&camera, behind.walls.outlines(), middle, 2.0) {
            continue;
        }
        for channel in 4 * pixel..4 * pixel + 3 {
            let (a, b) = (with.rgba[channel], without.rgba[channel]);
            assert!(a.abs_diff(b) <= 3, "pixel {column}, {row}: {a} behind glass, {b} without");
        }
        n_compared += 1;
    }
    assert!(n_compared > 3000, "{n_compared}");
}

#[test]
fn flat_grains_of_one_colour_can_be_told_apart() {
    let disc = [Shape::disc(1.0, 0.5).unwrap()];
    // Two that overlap by a tenth of their radius.
    let grains = [-0.95, 0.95].map(|x| Grain { shape: 0, scale: 1.0, pose: Pose::new(DVec3::X * x, DQuat::IDENTITY) });
    let mut flat = stage(&disc, &grains, Vec::new(), None);
    flat.colours = vec![flat.colours[0]; 2];
    let plan = CameraPlan { direction: Direction::Top, is_orthographic: true, ..CameraPlan::default() };
    let camera = camera(&flat, 160, 96, &plan);
    let darkest_between = |stage: &Stage| {
        let picture = cast(stage, &camera, Quality::Normal, Background::White);
        // Along the line from centre to centre.
        (60..100).map(|x| picture.rgba[4 * (48 * 160 + x) + 2]).min().unwrap()
    };
    let without = darkest_between(&flat);
    flat.has_grain_outlines = true;
    assert!(u32::from(darkest_between(&flat)) * 5 < 4 * u32::from(without), "{without}");
}

#[test]
fn a_section_draws_the_edge_of_the_wall_it_cuts() {
    let (shapes, grains) = heap(1, 3);
    let section = Section::new(-DVec3::Y, 0.0);
    let cut = stage(&shapes, &grains, vec![drum()], section);
    let cuts = cut.walls.cuts(&section.unwrap());
    // The mantle is cut along two lines, the closed end along one.
    assert!(cuts.len() >= 3 && cuts.iter().flatten().all(|point| point.y.abs() < 1e-9), "{cuts:?}");
}

#[test]
fn ghosts_are_seen_and_hide_nothing() {
    let (shapes, grains) = heap(3, 5);
    let (_, others) = heap(20, 6);
    let bare = stage(&shapes, &grains, Vec::new(), None);
    let camera = camera(&stage(&shapes, &others, Vec::new(), None), 64, 48, &CameraPlan::default());
    let mut haunted = bare.clone();
    haunted.ghosts = Some(Bodies::new(&shapes, &others));
    let picture = |stage| cast(stage, &camera, Quality::Draft, Background::White);
    let (with, without) = (picture(&haunted), picture(&bare));
    let differ = with.rgba.chunks(4).zip(without.rgba.chunks(4)).filter(|(a, b)| a != b).count();
    assert!(differ > 300, "{differ}");
    // What a ghost lets through is at least half of what is behind it: nothing white becomes darker than its colour does.
    let darkest = |picture: &tumble_pictures::Pixels| picture.rgba.chunks(4).map(|p| p[0]).min();
    assert!(darkest(&with) >= darkest(&without).map(|value| value / 2));
    assert_eq!(depths(&haunted, &camera), depths(&bare, &camera));
}

/// The nearest way into any grain by the definition, each asked by itself.
fn nearest(shapes: &[Shape], grains: &[Grain], origin: DVec3, direction: DVec3) -> f64 {
    let distance = |grain: &Grain| {
        let shape = shapes[grain.shape].scaled(grain.scale);
        let entry =
            shape.entry(grain.pose.inverse_transform_point(origin), grain.pose.inverse_transform_vector(direction));
        entry.map_or(f64::INFINITY, |entry| entry.distance)
    };
    grains.iter().map(distance).fold(f64::INFINITY, f64::min)
}

#[test]
fn distances_are_those_of_the_shapes_themselves() {
    let (shapes, grains) = heap(60, 3);
    let stage = stage(&shapes, &grains, Vec::new(), None);
    for is_orthographic in [false, true] {
        let camera = camera(&stage, 64, 48, &CameraPlan { is_orthographic, ..CameraPlan::default() });
        let found = depths(&stage, &camera);
        let mut n_met = 0;
        for (pixel, distance) in found.iter().enumerate() {
            let ray = camera.ray((pixel % 64) as f64 + 0.5, (pixel / 64) as f64 + 0.5);
            let right = nearest(&shapes, &grains, ray.origin, ray.direction);
            // A ray that grazes a body may be said to miss it by either.
            let agrees = distance == &right || (distance - right).abs() < 1e-9 * right;
            assert!(agrees, "pixel {pixel}: {distance} where {right} is right");
            n_met += usize::from(right.is_finite());
        }
        assert!(n_met > 500, "{n_met}");
    }
}

#[test]
fn a_section_shows_the_inside_at_its_plane() {
    for (name, shape) in shapes() {
        let section = Section::new(-DVec3::Y, 0.0).unwrap();
        let stage = one(&shape, Some(section));
        let camera = camera(
            &stage,
            80,
            60,
            &CameraPlan { direction: tumble_pictures::cast::Direction::Front, ..CameraPlan::default() },
        );
        let mut n_cut = 0;
        for (pixel, distance) in depths(&stage, &camera).into_iter().enumerate().filter(|(_, d)| d.is_finite()) {
            let point = camera.ray((pixel % 80) as f64 + 0.5, (pixel / 80) as f64 + 0.5).at(distance);
            assert!(point.y > -1e-9, "{name}: {point}");
            n_cut += usize::from(point.y.abs() < 1e-9);
        }
        assert!(n_cut > 100, "{name}: {n_cut}");
    }
}

#[test]
fn odd_grains_do_no_harm() {
    let ball = [Shape::sphere(1.0).unwrap()];
    let at = |position: DVec3, scale: f64| Grain { shape: 0, scale, pose: Pose::new(position, DQuat::IDENTITY) };
    let odd = [
        at(DVec3::NAN, 1.0),
        at(DVec3::new(f64::INFINITY, 0.0, 0.0), 1.0),
        at(DVec3::ZERO, 0.0),
        at(DVec3::ZERO, f64::NAN),
        Grain { shape: 9, ..at(DVec3::ZERO, 1.0) },
        Grain { pose: Pose::new(DVec3::ZERO, DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)), ..at(DVec3::ZERO, 1.0) },
    ];
    let stage_of = |grains: &[Grain]| stage(&ball, grains, Vec::new(), None);
    let empty = stage_of(&odd);
    assert!(empty.bodies.is_empty());
    let picture =
        cast(&empty, &camera(&empty, 32, 24, &CameraPlan::default()), Quality::Draft, Background::Transparent);
    assert!(picture.rgba.chunks_exact(4).all(|pixel| pixel[3] == 0));
    // Two grains in one place, and a camera inside a grain.
    let twice = stage_of(&[at(DVec3::ZERO, 1.0), at(DVec3::ZERO, 1.0)]);
    let plan = CameraPlan {
        direction: tumble_pictures::cast::Direction::From(DVec3::new(0.0, 0.1, 0.0)),
        ..CameraPlan::default()
    };
    cast(&twice, &camera(&twice, 32, 24, &plan), Quality::Normal, Background::Sky);
}

#[test]
fn a_tiny_scene_far_away_looks_like_a_large_one_near_by() {
    let (shapes, grains) = heap(40, 7);
    let small = 1e-5;
    let offset = DVec3::new(0.3, -0.2, 0.1);
    let moved: Vec<Grain> = grains
        .iter()
        .map(|g| Grain {
            scale: g.scale * small,
            pose: Pose::new(g.pose.position * small + offset, g.pose.orientation),
            ..*g
        })
        .collect();
    let near = stage(&shapes, &grains, Vec::new(), None);
    let mut far = stage(&shapes, &moved, Vec::new(), None);
    far.grain_size *= small;
    let [a, b] =
        [&near, &far].map(|s| cast(s, &camera(s, 80, 60, &CameraPlan::default()), Quality::Normal, Background::Sky));
    let differing = a.rgba.iter().zip(&b.rgba).filter(|(a, b)| a.abs_diff(**b) > 8).count();
    // Rays at edges may fall on either side.
    assert!(differing < a.rgba.len() / 100, "{differing} of {}", a.rgba.len());
}
