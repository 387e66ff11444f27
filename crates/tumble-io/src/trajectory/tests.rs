use super::*;
use glam::{DQuat, DVec3, Vec3};
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use tumble_engine::observe::Partner;
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
            WallMetadata { name: "floor".to_owned(), surface: SurfaceMetadata::HalfSpace, half_widths: None },
            WallMetadata {
                name: "drum".to_owned(),
                surface: SurfaceMetadata::Revolved { profile: vec![[0.5, -1.0], [0.5, 1.0]] },
                half_widths: Some([None, Some(0.5)]),
            },
        ],
        domain: DomainMetadata { lower: [None, Some(-1.0), None], upper: [None; 3], periodic: [false, true, false] },
        contacts: true,
    }
}

/// Grains in a box of one metre that lies a hundred kilometres from the origin of coordinates.
fn sample_state(step: u64, n: usize) -> State {
    let mut random = Random::from_seed(SEED + step);
    let middle = DVec3::new(1e5, -1e5, 3.0);
    let mut state = State { step, time: step as f64 * 1e-5, time_step: 1e-5, ..State::default() };
    for i in 0..n {
        let mut vector = || DVec3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5));
        let particles = &mut state.particles;
        particles.id.push(i as u32 * 3);
        particles.species.push(i as u16 % 5);
        particles.scale.push(0.01 + 0.001 * i as f64);
        particles.position.push(middle + vector());
        particles.velocity.push(20.0 * vector());
        particles.angular_velocity.push(300.0 * vector());
        particles.orientation.push(random.orientation());
    }
    state.walls =
        vec![WallState::at_rest(Pose::new(DVec3::new(0.1, 0.2, step as f64), DQuat::from_rotation_x(0.3))); 2];
    state
}

/// Every grain touches the next one, and every second one a wall.
fn sample_contacts(state: &State) -> Vec<observe::ContactRecord> {
    let mut random = Random::from_seed(SEED ^ state.step);
    let mut contact = |a: usize, partner| {
        let mut vector = || DVec3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), random.between(-0.5, 0.5));
        let (point, force) = (state.particles.position[a] + 0.01 * vector(), 5.0 * vector());
        observe::ContactRecord {
            a,
            partner,
            point,
            normal: DVec3::X,
            overlap: 1e-5,
            branch: DVec3::X,
            force,
            couple: DVec3::ZERO,
        }
    };
    let n = state.particles.len();
    let mut contacts: Vec<_> = (1..n).map(|b| contact(b - 1, Partner::Particle(b))).collect();
    contacts.extend((0..n).step_by(2).map(|a| contact(a, Partner::Wall(a / 2 % 2))));
    contacts
}

/// Offsets are at most half a metre: single precision rounds them by at most 2^-25 of that; 1.5e-11 is what the
/// subtraction rounds 100 km by.
fn assert_at(frame: &TrajectoryFrame, found: Vec3, right: DVec3) {
    let error = (frame.origin + found.as_dvec3() - right).abs().max_element();
    assert!(error <= 0.5 * 2f64.powi(-24) + 3e-11, "{error}");
}

fn assert_shows(frame: &TrajectoryFrame, state: &State) {
    let contacts = sample_contacts(state);
    assert_eq!(frame.contacts.len(), contacts.len());
    for (found, right) in frame.contacts.iter().zip(&contacts) {
        assert_eq!(found.a as usize, right.a);
        let partner = match found.b {
            ContactPartner::Grain(b) => Partner::Particle(b as usize),
            ContactPartner::Wall(b) => Partner::Wall(b as usize),
        };
        assert_eq!(partner, right.partner);
        assert_eq!(found.force, right.force.as_vec3());
        assert_eq!(found.overlap, right.overlap as f32);
        assert_at(frame, found.point, right.point);
    }
    assert_moves(frame, state);
    let spins: Vec<Vec3> = state.particles.angular_velocity.iter().map(|spin| spin.as_vec3()).collect();
    assert_eq!(frame.angular_velocity, spins);
}

/// What format 1 keeps too.
fn assert_moves(frame: &TrajectoryFrame, state: &State) {
    let particles = &state.particles;
    assert_eq!((frame.step, frame.time), (state.step, state.time));
    assert_eq!(frame.id, particles.id);
    assert_eq!(frame.species, particles.species);
    assert_eq!(frame.wall_poses, state.walls.iter().map(|wall| wall.present.then_some(wall.pose)).collect::<Vec<_>>());
    assert_eq!(frame.position.len(), particles.len());
    for i in 0..particles.len() {
        assert_eq!(frame.scale[i], particles.scale[i] as f32);
        assert_eq!(frame.velocity[i], particles.velocity[i].as_vec3());
        assert_at(frame, frame.position[i], particles.position[i]);
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
        let state = sample_state(10 * i as u64, n);
        writer.write_frame(&state, &sample_contacts(&state)).unwrap();
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
    assert!(reader.has_spins());
    assert_eq!(reader.tail(), None);
    assert_eq!(reader.frames().len(), sizes.len());
    for i in [2, 0, 3, 1] {
        let state = sample_state(10 * i as u64, sizes[i]);
        let entry = reader.frames()[i];
        assert_eq!((entry.offset, entry.n_particles as usize), (offsets[i], sizes[i]));
        assert_eq!(entry.n_contacts as usize, sample_contacts(&state).len());
        assert_eq!((entry.step, entry.time), (state.step, state.time));
        assert_shows(&reader.read_frame(i).unwrap(), &state);
    }
    let message = reader.read_frame(4).unwrap_err().to_string();
    assert!(message.contains("has 4 frames; there is no frame 4"), "{message}");
}

#[test]
fn a_reader_keeps_up_with_a_growing_file_and_notices_another() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let offsets = write_sample(&path, &[2, 4, 3]);
    let bytes = fs::read(&path).unwrap();
    let whole = TrajectoryReader::open(&path).unwrap().frames().to_vec();
    fs::write(&path, &bytes[..offsets[0] as usize]).unwrap();
    let mut reader = TrajectoryReader::open(&path).unwrap();
    assert_eq!(reader.refresh().unwrap(), Growth::None);
    // It grows a few bytes at a time, as when frames are written while a viewer looks.
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    for piece in bytes[offsets[0] as usize..].chunks(97) {
        let known = reader.frames().len();
        file.write_all(piece).unwrap();
        let growth = reader.refresh().unwrap();
        let length = fs::metadata(&path).unwrap().len();
        let n_whole = offsets[1..].iter().filter(|&&offset| offset <= length).count();
        assert_eq!(reader.frames(), &whole[..n_whole]);
        assert_eq!(growth, if n_whole > known { Growth::Frames } else { Growth::None });
        let left = length - offsets[n_whole];
        assert_eq!(reader.tail().map_or(0, |tail| tail.length), left);
    }
    assert_shows(&reader.read_frame(2).unwrap(), &sample_state(20, 3));

    // A resumed run cuts it back to a checkpoint and goes on.
    file.set_len(offsets[1]).unwrap();
    assert_eq!(reader.refresh().unwrap(), Growth::Replaced);
    assert_eq!(reader.frames(), &whole[..1]);
    // Another run in the same place, with the same description.
    fs::remove_file(&path).unwrap();
    assert!(reader.refresh().is_err());
    assert_eq!(reader.frames().len(), 1, "after an error the reader is as it was");
    write_sample(&path, &[7, 1]);
    assert_eq!(reader.refresh().unwrap(), Growth::Replaced);
    assert_shows(&reader.read_frame(0).unwrap(), &sample_state(0, 7));
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
    let (mut writer, damage) = TrajectoryWriter::append_after(&resumed, &sample_metadata(), offsets[2]).unwrap();
    assert_eq!(damage, None);
    for (i, &n) in sizes.iter().enumerate().skip(2) {
        let state = sample_state(10 * i as u64, n);
        writer.write_frame(&state, &sample_contacts(&state)).unwrap();
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
        let message = TrajectoryWriter::append_after(&path, &sample_metadata(), offset).unwrap_err().to_string();
        assert!(message.contains("trajectory.tumble") && message.contains(expected), "{message}");
        assert_eq!(fs::read(&path).unwrap(), content);
    };
    check(&bytes, offsets[0] - 1, "inside its header");
    check(&[7; 500], 400, "not a Tumble trajectory");
    let mut newer = bytes.clone();
    newer[8] = 1;
    check(&newer, offsets[1], "it has format 1, this Tumble writes format 2");
    newer[8] = 3;
    check(&newer, offsets[1], "it has format 3, this Tumble writes format 2");
    let message = TrajectoryReader::open(&path).unwrap_err().to_string();
    assert!(message.contains("trajectory format 3, this Tumble reads formats 1 to 2"), "{message}");
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
        n_contacts: u32::MAX,
        compressed_length: compressed.len() as u64,
        payload_length: u64::from(u32::MAX) * (54 + 56 + 37),
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
    assert!(message.contains("frame 0 is damaged: its payload is longer than"), "{message}");
}

/// Zeros that unpack to just what the header promises, from a file a ten-thousandth as long.
#[test]
fn a_frame_that_unpacks_to_far_more_than_the_file_is_refused() {
    let n_particles = 400_000_u32;
    let payload = vec![0; 54 * n_particles as usize];
    let compressed = zstd::bulk::compress(&payload, 3).unwrap();
    assert!(compressed.len() < payload.len() / 5000);
    let header = frame::FrameHeader {
        n_contacts: 0,
        compressed_length: compressed.len() as u64,
        payload_length: payload.len() as u64,
        step: 0,
        time: 0.0,
        n_particles,
        n_walls: 0,
        origin: DVec3::ZERO,
        payload_checksum: xxh3_64(&compressed),
    };
    let found = frame::decode(&header, FrameFormat::SpinsAndContacts, &compressed);
    assert_eq!(found, Err("its payload is longer than what it is packed into can hold"));
}

/// What packs best of all that is written: grains that differ in nothing but their names, and a thousand walls in one place.
#[test]
fn grains_and_walls_that_are_all_alike_are_read() {
    let mut state = State { step: 0, time_step: 1e-5, ..State::default() };
    let n = 50_000;
    let particles = &mut state.particles;
    particles.id = (0..n as u32).collect();
    particles.species = vec![0; n];
    particles.scale = vec![1.0; n];
    (particles.position, particles.velocity) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
    (particles.angular_velocity, particles.orientation) = (vec![DVec3::ZERO; n], vec![DQuat::IDENTITY; n]);
    let wall = WallState::at_rest(Pose::IDENTITY);
    let walls = State { walls: vec![wall; 1000], step: 0, time_step: 1e-5, ..State::default() };
    for state in [&state, &walls] {
        let bytes = frame::encode(state, &[]).unwrap();
        let (header, compressed) = bytes.split_at(frame::HEADER_LENGTH);
        let header = frame::FrameHeader::from_bytes(header.try_into().unwrap(), FrameFormat::SpinsAndContacts).unwrap();
        let frame = frame::decode(&header, FrameFormat::SpinsAndContacts, compressed).unwrap();
        assert_eq!((frame.id.len(), frame.wall_poses.len()), (state.particles.len(), state.walls.len()));
    }
}

/// A frame without spins and contacts under a header of format 1, laid out as the book says.
fn frame_of_format_1(state: &State) -> Vec<u8> {
    let origin = DVec3::new(1e5, -1e5, 3.0);
    let particles = &state.particles;
    let mut payload: Vec<u8> = Vec::new();
    for wall in &state.walls {
        let numbers = wall.pose.position.to_array().into_iter().chain(wall.pose.orientation.to_array());
        numbers.for_each(|number| payload.extend(number.to_le_bytes()));
    }
    particles.id.iter().for_each(|id| payload.extend(id.to_le_bytes()));
    particles.scale.iter().for_each(|&scale| payload.extend((scale as f32).to_le_bytes()));
    for vector in particles.position.iter().map(|&p| p - origin).chain(particles.velocity.iter().copied()) {
        vector.as_vec3().to_array().iter().for_each(|component| payload.extend(component.to_le_bytes()));
    }
    for orientation in &particles.orientation {
        let packed = orientation.to_array().map(|component| (component * 32767.0).round() as i16);
        packed.iter().for_each(|component| payload.extend(component.to_le_bytes()));
    }
    particles.species.iter().for_each(|species| payload.extend(species.to_le_bytes()));
    let compressed = zstd::bulk::compress(&payload, 3).unwrap();
    let header = frame::FrameHeader {
        n_contacts: 0,
        compressed_length: compressed.len() as u64,
        payload_length: payload.len() as u64,
        step: state.step,
        time: state.time,
        n_particles: particles.len() as u32,
        n_walls: state.walls.len() as u32,
        origin,
        payload_checksum: xxh3_64(&compressed),
    };
    header.to_bytes().into_iter().chain(compressed).collect()
}

#[test]
fn a_trajectory_of_format_1_is_read_without_spins_and_contacts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    // Format 1 did not say whether there are contacts.
    let mut description = serde_json::to_value(sample_metadata()).unwrap();
    description.as_object_mut().unwrap().remove("contacts");
    let mut bytes = file_header(&serde_json::to_vec(&description).unwrap());
    bytes[8] = 1;
    let states = [sample_state(0, 3), sample_state(10, 40)];
    states.iter().for_each(|state| bytes.extend(frame_of_format_1(state)));
    fs::write(&path, &bytes).unwrap();
    let mut reader = TrajectoryReader::open(&path).unwrap();
    assert!(!reader.metadata().contacts && !reader.has_spins());
    assert_eq!((reader.frames().len(), reader.tail()), (2, None));
    for (i, state) in states.iter().enumerate() {
        let frame = reader.read_frame(i).unwrap();
        assert_moves(&frame, state);
        assert_eq!(frame.angular_velocity, vec![Vec3::ZERO; state.particles.len()]);
        assert!(frame.contacts.is_empty());
    }
}

#[test]
fn contacts_in_a_frame_of_format_1_are_refused() {
    let mut frame = frame_of_format_1(&sample_state(0, 3));
    let mut header: [u8; frame::HEADER_LENGTH] = frame[..frame::HEADER_LENGTH].try_into().unwrap();
    assert!(frame::FrameHeader::from_bytes(&header, FrameFormat::Motion).is_ok());
    header[4] = 1;
    let checksum = xxh3_64(&header[..80]);
    header[80..].copy_from_slice(&checksum.to_le_bytes());
    let refused = frame::FrameHeader::from_bytes(&header, FrameFormat::Motion);
    assert_eq!(refused, Err("the header of a frame of format 1 tells of contacts"));
    // A file with such a frame ends before it.
    frame[..frame::HEADER_LENGTH].copy_from_slice(&header);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let mut bytes = file_header(&serde_json::to_vec(&sample_metadata()).unwrap());
    bytes[8] = 1;
    fs::write(&path, [bytes, frame].concat()).unwrap();
    let reader = TrajectoryReader::open(&path).unwrap();
    assert_eq!((reader.frames().len(), reader.tail().map(|tail| tail.reason)), (0, refused.err()));
}

#[test]
fn contacts_with_what_is_not_there_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let state = sample_state(0, 3);
    let mut writer = TrajectoryWriter::create(&path, &sample_metadata()).unwrap();
    for partner in [Partner::Particle(3), Partner::Wall(2)] {
        let mut contacts = sample_contacts(&state);
        contacts[0].partner = partner;
        let message = writer.write_frame(&state, &contacts).unwrap_err().to_string();
        assert!(message.contains("which is not there"), "{message}");
    }
    // The same in a file that somebody else wrote: the last byte of the payload is the kind of the last partner.
    let frame = frame::encode(&state, &sample_contacts(&state)).unwrap();
    let header_bytes: [u8; frame::HEADER_LENGTH] = frame[..frame::HEADER_LENGTH].try_into().unwrap();
    let header = frame::FrameHeader::from_bytes(&header_bytes, FrameFormat::SpinsAndContacts).unwrap();
    let mut payload = zstd::bulk::decompress(&frame[frame::HEADER_LENGTH..], header.payload_length as usize).unwrap();
    let decode = |payload: &[u8]| {
        let compressed = zstd::bulk::compress(payload, 3).unwrap();
        let header = frame::FrameHeader { payload_checksum: xxh3_64(&compressed), ..header };
        frame::decode(&header, FrameFormat::SpinsAndContacts, &compressed)
    };
    assert!(decode(&payload).is_ok());
    *payload.last_mut().unwrap() = 2;
    assert_eq!(decode(&payload), Err("one of its contacts is with a grain or wall that is not there"));
}

#[test]
fn numbers_that_are_none_are_written_without_harm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trajectory.tumble");
    let mut state = sample_state(0, 3);
    state.particles.position[1] = DVec3::NAN;
    state.particles.orientation[2] = DQuat::from_xyzw(f64::NAN, f64::NAN, 0.0, 0.0);
    let mut writer = TrajectoryWriter::create(&path, &sample_metadata()).unwrap();
    let mut contacts = sample_contacts(&sample_state(0, 3));
    contacts[0].force = DVec3::splat(f64::INFINITY);
    writer.write_frame(&state, &contacts).unwrap();
    let frame = TrajectoryReader::open(&path).unwrap().read_frame(0).unwrap();
    assert!(frame.position[1].is_nan() && frame.position[0].is_finite());
    assert_eq!(frame.orientation[2], glam::Quat::IDENTITY);
    assert!(frame.contacts[0].force.x.is_infinite() && frame.contacts[1].force.is_finite());
    assert!(frame.position[0].distance(Vec3::ZERO) < 1.0);
}

#[test]
fn the_description_tells_shapes_walls_and_domain() {
    use tumble_engine::boundary::wall::Wall;
    use tumble_geometry::{Mesh, Revolved, Surface};
    let wall = |name: &str, surface| Wall {
        name: name.to_owned(),
        surface,
        pose: Pose::IDENTITY,
        material: 0,
        ..Wall::default()
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
        "contacts": true,
    });
    assert_eq!(value, expected);
}

/// Vertices and faces may get other numbers, and half of a doubled length plus another may round: the support points
/// are those of the shape all the same.
fn assert_same_shape(found: &Shape, right: &Shape) {
    assert_eq!(found.kind(), right.kind());
    let mut random = Random::from_seed(SEED);
    for _ in 0..200 {
        let direction = random.orientation() * DVec3::Z;
        let error = (found.support(direction) - right.support(direction)).dot(direction).abs();
        assert!(error <= 8.0 * f64::EPSILON * right.bounding_radius(), "{}: {error}", right.name());
    }
    assert!((found.volume() / right.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn lengths_that_no_shape_has_are_refused() {
    let refused = |shape: ShapeMetadata| assert!(shape.to_shape().is_err(), "{shape:?}");
    refused(ShapeMetadata::Sphere { radius: -1.0 });
    refused(ShapeMetadata::Capsule { radius: 1.0, length: 1.0 });
    refused(ShapeMetadata::Tablet { radius: 1.0, band_height: -0.1, dome_height: 0.5 });
    refused(ShapeMetadata::Tablet { radius: 1.0, band_height: 1.0, dome_height: 1.5 });
    refused(ShapeMetadata::Polyhedron { vertices: vec![[0.0; 3]], faces: vec![vec![0, 1, 2]] });
    refused(ShapeMetadata::Clump { parts: Vec::new() });
    assert!(SurfaceMetadata::Revolved { profile: vec![[1.0, 0.0]] }.to_surface().is_err());
    assert!(SurfaceMetadata::Mesh { vertices: Vec::new(), triangles: vec![[0, 1, 2]] }.to_surface().is_err());
    let ball = ShapeMetadata::Capsule { radius: 0.1, length: 0.2 };
    assert!((ball.to_shape().unwrap().volume() / (4.0 / 3.0 * std::f64::consts::PI * 1e-3) - 1.0).abs() < 1e-12);
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
        for (species, described) in model.species.iter().zip(&described.species) {
            assert_same_shape(&described.shape.to_shape().unwrap(), &species.shape);
        }
        for (wall, described) in model.walls.iter().zip(&described.walls) {
            assert_eq!(described.surface.to_surface().unwrap(), wall.surface);
        }
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
