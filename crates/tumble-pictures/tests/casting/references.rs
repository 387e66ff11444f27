//! Pictures as they should be.

use crate::samples::{camera, drum, heap, one, plane, shapes, stage, trough};
use glam::{DQuat, DVec3};
use std::path::PathBuf;
use tumble_geometry::{Pose, Shape};
use tumble_pictures::Pixels;
use tumble_pictures::cast::{Background, CameraPlan, Direction, Grain, Quality, Section, Stage, cast};

/// Mean difference of a channel that is allowed, of 255. On one machine a picture has the same bits always; elsewhere
/// powers and roots may be rounded otherwise and tip a ray over an edge.
const MEAN_ALLOWED: f64 = 0.25;
/// Largest difference of a channel that is allowed, of 255: two of the nine rays of a pixel at an edge.
const LARGEST_ALLOWED: u8 = 64;

fn check(name: &str, picture: &Pixels) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(format!("{name}.png"));
    if std::env::var_os("TUMBLE_WRITE_REFERENCES").is_some() {
        std::fs::write(&path, picture.to_png().unwrap()).unwrap();
        return;
    }
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut right = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut right).unwrap();
    assert_eq!((info.width, info.height), (picture.width, picture.height), "{name}");
    let channels = info.color_type.samples();
    let found = picture.rgba.chunks_exact(4).flat_map(|pixel| pixel[..channels].to_vec());
    let (mut sum, mut largest) = (0_u64, 0);
    for (a, b) in found.zip(&right) {
        sum += u64::from(a.abs_diff(*b));
        largest = largest.max(a.abs_diff(*b));
    }
    let mean = sum as f64 / right.len() as f64;
    assert!(mean <= MEAN_ALLOWED && largest <= LARGEST_ALLOWED, "{name}: mean difference {mean}, largest {largest}");
}

fn picture(stage: &Stage) -> Pixels {
    cast(stage, &camera(stage, 160, 120, &CameraPlan::default()), Quality::Normal, Background::Sky)
}

#[test]
fn every_shape_looks_as_it_should() {
    for (name, shape) in shapes() {
        check(name, &picture(&one(&shape, None)));
    }
}

#[test]
fn every_shape_is_cut_as_it_should_be() {
    let section = Section::new(DVec3::new(0.3, -1.0, 0.0), 0.15);
    for (name, shape) in shapes() {
        check(&format!("{name}-section"), &picture(&one(&shape, section)));
    }
}

#[test]
fn walls_can_be_seen_into() {
    let (shapes, _) = heap(1, 1);
    let grain = |k: usize| {
        let place = DVec3::new((k % 3) as f64 - 1.0, (k / 3 % 2) as f64 * 1.2 - 0.6, 0.4 + (k / 6) as f64 * 0.9);
        Grain {
            shape: k,
            scale: 0.5,
            pose: Pose::new(place, DQuat::from_euler(glam::EulerRot::XYZ, k as f64, 1.0, 0.5)),
        }
    };
    let grains: Vec<Grain> = (0..shapes.len()).map(grain).collect();
    let sides = [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y].map(|normal| plane(normal, -2.0 * normal));
    let planes: Vec<_> = sides.into_iter().chain([plane(DVec3::Z, DVec3::ZERO)]).collect();
    let section = Section::new(-DVec3::Y, 0.3);
    for (name, walls) in [("walls-box", planes), ("walls-drum", vec![drum()]), ("walls-mesh", vec![trough()])] {
        check(name, &picture(&stage(&shapes, &grains, walls.clone(), None)));
        check(&format!("{name}-section"), &picture(&stage(&shapes, &grains, walls, section)));
    }
}

/// Flat grains of one kind that touch, with dark rims, in a cell that repeats itself.
#[test]
fn planar_grains_of_one_kind_do_not_merge_and_the_cell_is_drawn() {
    let shapes = [Shape::disc(1.0, 0.5).unwrap()];
    let grain = |k: usize| {
        let place = DVec3::new(2.0 * (k % 4) as f64 + (k / 4 % 2) as f64, 3_f64.sqrt() * (k / 4) as f64, 0.0);
        Grain { shape: 0, scale: 1.02, pose: Pose::new(place, DQuat::IDENTITY) }
    };
    let grains: Vec<Grain> = (0..12).map(grain).collect();
    let mut planar = stage(&shapes, &grains, Vec::new(), None);
    planar.colours = vec![planar.colours[0]; grains.len()];
    planar.has_grain_outlines = true;
    let corners = [(-1.0, -1.0), (8.0, -1.0), (8.0, 4.5), (-1.0, 4.5)].map(|(x, y)| DVec3::new(x, y, 0.0));
    planar.cell = (0..4).map(|k| [corners[k], corners[(k + 1) % 4]]).collect();
    let plan = CameraPlan { direction: Direction::Top, is_orthographic: true, ..CameraPlan::default() };
    check("planar-cell", &cast(&planar, &camera(&planar, 160, 120, &plan), Quality::Normal, Background::Sky));
}

#[test]
fn backgrounds_and_cameras() {
    let (_, shape) = &shapes()[3];
    let stage = one(shape, None);
    for background in Background::ALL {
        let plan = CameraPlan { is_orthographic: background == Background::White, ..CameraPlan::default() };
        let picture = cast(&stage, &camera(&stage, 160, 120, &plan), Quality::Draft, background);
        check(&format!("background-{}", background.name()), &picture);
    }
}
