use super::*;
use glam::{DQuat, DVec3, Vec3};
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use tumble_engine::random::Random;
use tumble_engine::state::WallState;
use tumble_geometry::{Pose, Shape};

const SEED: u64 = 424_242;

fn sample_metadata() -> TrajectoryMetadata {
    TrajectoryMetadata {
        title: "a \"drum\" with grüns".to_owned(),
        tumble_version: "0.1.0".to_owned(),
        species: vec![SpeciesMetadata {
            name: "glass".to_owned(),
            shape: ShapeMetadata::Sphere { radius: 1.0 },
            given_frame: FrameMetadata::default(),
            bounding_radius: 1.0,
        }],
        walls: vec![
            WallMetadata { name: "floor".to_owned(), surface: SurfaceMetadata::HalfSpace },
            WallMetadata {
                name: "drum".to_owned(),
                surface: SurfaceMetadata::Revolved { profile: vec![[0.5, -1.0], [0.5, 1.0]] },
            },
        ],
        domain: DomainMetadata { lower: [None, Some(-1.0), None], upper: [None; 3], periodic: [false, true, false] },
    }
}

/// Grains in a box of one metre that lies a hundred kilometres from the origin of coordinates.
fn sample_state(step: u64, n: usize) -> State {
    let mut random = Random::from_seed(SEED + step);
    let middle = DVec3::new(1e5, -1e5, 3.0);
    let mut state = State { step, time_step: 1e-5, ..State::default() };
    for i in 0..n {
        let mut vector = || DVec3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5));
        let particles = &mut state.particles;
        particles.id.push(i as u32 * 3);
        particles.species.push(i as u16 % 5);
        particles.scale.push(0.01 + 0.001 * i as f64);
        particles.position.push(middle + vector());
        particles.velocity.push(20.0 * vector());
        particles.orientation.push(random.orientation());
    }
    state.walls = vec![
        WallState {
            pose: Pose::new(DVec3::new(0.1, 0.2, step as f64), DQuat::from_rotation_x(0.3)),
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        };
        2
    ];
    state
}

fn assert_shows(frame: &TrajectoryFrame, state: &State) {
    let particles = &state.particles;
    assert_eq!((frame.step, frame.time), (state.step, state.time()));
    assert_eq!(frame.id, particles.id);
    assert_eq!(frame.species, particles.species);
    assert_eq!(frame.wall_poses, state.walls.iter().map(|wall| wall.pose).collect::<Vec<_>>());
    assert_eq!(frame.position.len(), particles.len());
    for i in 0..particles.len() {
        assert_eq!(frame.scale[i], particles.scale[i] as f32);
        assert_eq!(frame.velocity[i], particles.velocity[i].as_vec3());
        // Offsets are at most half a metre: single precision rounds them by at most 2^-25 of that; 1.5e-11 is what the
        // subtraction rounds 100 km by.
        let error = (frame.origin + frame.position[i].as_dvec3() - particles.position[i]).abs().max_element();
        assert!(error <= 0.5 * 2f64.powi(-24) + 3e-11, "{error}");
        // Each component is rounded by at most half of 1/32767, so the quaternion by at most twice that, and the
        // angle is twice the quaternion's. (Not `angle_between`: the arc cosine of almost 1 loses half the digits.)
        let (found, right) = (frame.orientation[i].as_dquat(), particles.orientation[i]);
        let angle = 2.0 * (found - right).length().min((found + right).length());
        assert!(angle <= 2.0 * 2.0 * 0.5 / 32767.0 + 1e-6, "{angle}");
    }
}

fn write_sample(path: &Path, sizes: &[usize]) -> Vec<u64> {
    let mut writer = TrajectoryWriter::create(path, &sample_metadata()).unwrap();
    let mut offsets = vec![writer.offset()];
    for (i, &n) in sizes.iter().enumerate() {
        writer.write_frame(&sample_state(10 * i as u64, n)).unwrap();
        offsets.push(writer.flush_and_sync().unwrap());
    }
    offsets
}

#[test]
fn frames_read_back_in_any_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let sizes = [3, 0, 500, 1];
    let offsets = write_sample(&path, &sizes);
    let mut reader = TrajectoryReader::open(&path).unwrap();
    assert_eq!(reader.metadata(), &sample_metadata());
    assert_eq!(reader.tail(), None);
    assert_eq!(reader.frames().len(), sizes.len());
    for i in [2, 0, 3, 1] {
        let state = sample_state(10 * i as u64, sizes[i]);
        let entry = reader.frames()[i];
        assert_eq!((entry.offset, entry.n_particles as usize), (offsets[i], sizes[i]));
        assert_eq!((entry.step, entry.time), (state.step, state.time()));
        assert_shows(&reader.read_frame(i).unwrap(), &state);
    }
    let message = reader.read_frame(4).unwrap_err().to_string();
    assert!(message.contains("has 4 frames; there is no frame 4"), "{message}");
}

#[test]
fn a_truncated_tail_is_told_and_the_rest_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let offsets = write_sample(&path, &[2, 4]);
    let bytes = fs::read(&path).unwrap();
    // Cut in place: thousands of new files would keep the disk busy.
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    assert_eq!(bytes.len() as u64, offsets[2]);
    for length in (offsets[0]..offsets[2]).rev() {
        file.set_len(length).unwrap();
        let mut reader = TrajectoryReader::open(&path).unwrap();
        let whole = offsets[1..].iter().filter(|&&offset| offset <= length).count();
        assert_eq!(reader.frames().len(), whole);
        let tail = reader.tail().map(|tail| (tail.offset, tail.length));
        let left = length - offsets[whole];
        assert_eq!(tail, (left > 0).then_some((offsets[whole], left)));
        if whole > 0 {
            assert_shows(&reader.read_frame(0).unwrap(), &sample_state(0, 2));
        }
    }
    for length in (0..offsets[0]).rev() {
        file.set_len(length).unwrap();
        assert!(TrajectoryReader::open(&path).is_err());
    }
}

#[test]
fn no_flipped_byte_goes_unnoticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    write_sample(&path, &[2, 1]);
    let bytes = fs::read(&path).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut put = |place: usize, byte: u8| {
        file.seek(SeekFrom::Start(place as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    for (place, &byte) in bytes.iter().enumerate() {
        put(place, byte ^ 0x55);
        let noticed = match TrajectoryReader::open(&path) {
            Err(_) => true,
            Ok(mut reader) => reader.tail().is_some() || (0..2).any(|i| reader.read_frame(i).is_err()),
        };
        assert!(noticed, "byte {place}");
        put(place, byte);
    }
}

#[test]
fn a_resumed_trajectory_is_the_uninterrupted_one() {
    let directory = tempfile::tempdir().unwrap();
    let (whole, resumed) = (directory.path().join("whole"), directory.path().join("resumed"));
    let sizes = [5, 6, 7, 8];
    let offsets = write_sample(&whole, &sizes);
    write_sample(&resumed, &sizes[..3]);
    let mut writer = TrajectoryWriter::append_after(&resumed, offsets[2]).unwrap();
    for (i, &n) in sizes.iter().enumerate().skip(2) {
        writer.write_frame(&sample_state(10 * i as u64, n)).unwrap();
    }
    assert_eq!(writer.flush_and_sync().unwrap(), offsets[4]);
    assert_eq!(fs::read(&resumed).unwrap(), fs::read(&whole).unwrap());
}

#[test]
fn what_is_not_this_trajectory_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let offsets = write_sample(&path, &[2]);
    let bytes = fs::read(&path).unwrap();
    let check = |content: &[u8], offset: u64, expected: &str| {
        fs::write(&path, content).unwrap();
        let message = TrajectoryWriter::append_after(&path, offset).unwrap_err().to_string();
        assert!(message.contains("trajectory.tumble") && message.contains(expected), "{message}");
        assert_eq!(fs::read(&path).unwrap(), content);
    };
    check(&bytes, offsets[1] + 1, "part of it was lost");
    check(&bytes, offsets[0] - 1, "inside its header");
    check(&[7; 500], 400, "not a Tumble trajectory");
    let mut newer = bytes.clone();
    newer[8] = 2;
    check(&newer, offsets[1], "format 2");
    let message = TrajectoryReader::open(&path).unwrap_err().to_string();
    assert!(message.contains("trajectory format 2, this Tumble reads format 1"), "{message}");
    fs::write(&path, "time,step\n").unwrap();
    assert!(matches!(TrajectoryReader::open(&path), Err(TrajectoryError::Foreign { .. })));
}

/// Lengths that promise more than there is must not become memory.
#[test]
fn a_frame_that_promises_too_much_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    write_sample(&path, &[]);
    let compressed = zstd::bulk::compress(&[0; 100], 3).unwrap();
    let header = frame::FrameHeader {
        compressed_length: compressed.len() as u64,
        payload_length: u64::from(u32::MAX) * (42 + 56),
        step: 0,
        time: 0.0,
        n_particles: u32::MAX,
        n_walls: u32::MAX,
        origin: DVec3::ZERO,
        payload_checksum: xxh3_64(&compressed),
    };
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend(header.to_bytes());
    bytes.extend(compressed);
    fs::write(&path, &bytes).unwrap();
    let mut reader = TrajectoryReader::open(&path).unwrap();
    assert_eq!(reader.frames().len(), 1);
    let message = reader.read_frame(0).unwrap_err().to_string();
    assert!(message.contains("frame 0 is damaged: its payload does not unpack to its length"), "{message}");
}

#[test]
fn numbers_that_are_none_are_written_without_harm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let mut state = sample_state(0, 3);
    state.particles.position[1] = DVec3::NAN;
    state.particles.orientation[2] = DQuat::from_xyzw(f64::NAN, f64::NAN, 0.0, 0.0);
    let mut writer = TrajectoryWriter::create(&path, &sample_metadata()).unwrap();
    writer.write_frame(&state).unwrap();
    let frame = TrajectoryReader::open(&path).unwrap().read_frame(0).unwrap();
    assert!(frame.position[1].is_nan() && frame.position[0].is_finite());
    assert_eq!(frame.orientation[2], glam::Quat::IDENTITY);
    assert!(frame.position[0].distance(Vec3::ZERO) < 1.0);
}

#[test]
fn the_description_tells_shapes_walls_and_domain() {
    use tumble_engine::boundary::wall::{Motion, Wall};
    use tumble_geometry::{Mesh, Revolved, Surface};
    let wall = |name: &str, surface| Wall {
        name: name.to_owned(),
        surface,
        pose: Pose::IDENTITY,
        material: 0,
        motion: Motion::Fixed,
    };
    let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let mut model = crate::sample_model::model(vec![
        wall("floor", Surface::HalfSpace),
        wall("tube", Surface::Revolved(Revolved::tube(0.5, 1.0).unwrap())),
        wall("flap", Surface::Mesh(mesh)),
    ]);
    model.domain.lower.x = -2.0;
    let value = serde_json::to_value(TrajectoryMetadata::of(&model, "drum", "0.1.0")).unwrap();
    let expected = serde_json::json!({
        "title": "drum",
        "tumble_version": "0.1.0",
        "species": [{
            "name": "bead",
            "shape": { "sphere": { "radius": 1.0 } },
            "given_frame": { "position": [0.0, 0.0, 0.0], "orientation": [0.0, 0.0, 0.0, 1.0] },
            "bounding_radius": 1.0,
        }],
        "walls": [
            { "name": "floor", "surface": "half_space" },
            { "name": "tube", "surface": { "revolved": { "profile": [[0.5, -1.0], [0.5, 1.0]] } } },
            { "name": "flap", "surface": { "mesh": {
                "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "triangles": [[0, 1, 2]] } } },
        ],
        "domain": { "lower": [-2.0, null, null], "upper": [null, null, null], "periodic": [false, false, false] },
    });
    assert_eq!(value, expected);
}

#[test]
fn every_shape_of_a_scene_is_described_in_full() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenes/good");
    let mut kinds = std::collections::BTreeSet::new();
    for name in ["shapes.toml", "planar.toml"] {
        let model = crate::scene::load(&path.join(name), &[]).unwrap().model;
        let described = TrajectoryMetadata::of(&model, "", "");
        let text = serde_json::to_string(&described).unwrap();
        assert_eq!(serde_json::from_str::<TrajectoryMetadata>(&text).unwrap(), described);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (species, described) in model.species.iter().zip(json["species"].as_array().unwrap()) {
            let shape = described["shape"].as_object().unwrap();
            assert_eq!(shape.len(), 1);
            let kind = species.shape.name();
            let lengths = &shape[kind];
            match &species.shape {
                Shape::Capsule(c) => {
                    assert!((lengths["length"].as_f64().unwrap() - 2.0 * (c.half_height + c.radius)).abs() < 1e-15)
                }
                Shape::Polyhedron(p) => {
                    assert_eq!(lengths["faces"].as_array().unwrap().len(), p.faces().len());
                    assert_eq!(lengths["vertices"].as_array().unwrap().len(), p.vertices().len());
                }
                Shape::Clump(c) => assert_eq!(lengths["parts"].as_array().unwrap().len(), c.parts().len()),
                _ => {}
            }
            kinds.insert(species.shape.kind());
        }
    }
    assert_eq!(kinds.len(), tumble_geometry::ShapeKind::ALL.len());
}
