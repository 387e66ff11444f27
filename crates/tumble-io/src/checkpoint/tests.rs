use super::container::{CHECKSUM_LENGTH, FORMAT_VERSION, HEADER_LENGTH, MAGIC};
use super::*;
use std::fs;
use std::io::{Cursor, SeekFrom};
use tumble_engine::contacts::LARGEST_BLOCK;
use tumble_engine::random::Random;
use tumble_engine::state::BlockContacts;

const SEED: u64 = 20_240_601;

/// Elements of any kind, filled with numbers of which no two agree.
fn filled<T: Pod>(random: &mut Random, count: usize) -> Vec<T> {
    let mut elements = vec![T::zeroed(); count];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
    bytes.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&random.between(-1e3, 1e3).to_ne_bytes()));
    elements
}

/// Grains whose every field is filled so.
struct Filled<'a> {
    random: &'a mut Random,
    n: usize,
}

impl FieldReader for Filled<'_> {
    type Error = CheckpointError;

    fn read<T: Pod>(&mut self, _: &'static str) -> Result<Vec<T>, CheckpointError> {
        Ok(filled(self.random, self.n))
    }
}

/// A state in which no two numbers agree, with the awkward ones among them.
fn sample_state(n: usize) -> State {
    let mut random = Random::from_seed(SEED);
    let random = &mut random;
    let mut scale = filled::<f64>(random, n);
    let awkward = [-0.0, f64::MIN_POSITIVE / 3.0, f64::INFINITY, f64::from_bits(0x7ff8_dead_beef_0001), f64::MAX];
    scale.iter_mut().zip(awkward).for_each(|(slot, value)| *slot = value);
    State {
        step: (1 << 40) + 7,
        time: 1_374_389.5,
        time_remainder: -3.5e-11,
        time_step: 1.25e-6,
        particles: Particles {
            id: (0..n as u32).map(|i| i * 7 % 1000).collect(),
            species: (0..n).map(|i| (i % 65_536) as u16).collect(),
            scale,
            image: (0..n as i32).map(|i| [i, -i, i32::MIN + i]).collect(),
            ..Particles::read_fields(&mut Filled { random, n }).unwrap()
        },
        walls: filled(random, 2).iter().map(wall_from_numbers).collect(),
        inserters: filled(random, 2),
        random: [1, u64::MAX, 3, 4],
        n_removed: 11,
        removed_mass: 0.7,
        departed: filled(random, 3),
        crossed: filled(random, 6),
        groups: [0, 4, 3].map(|count| Members { is_known: count != 3, ids: filled(random, count) }).to_vec(),
        next_id: u32::MAX,
        ledger: filled(random, 1)[0],
        former_gravity: filled(random, 1)[0],
        solver: SolverState::Soft(SoftState {
            skin: 0.3e-3,
            contacts: sample_contacts(random, n),
            reference: Reference {
                builds: 9,
                positions: filled(random, n),
                wall_poses: filled(random, 2).iter().map(pose_from_numbers).collect(),
            },
        }),
    }
}

/// Some contacts of every kind, the blocks unevenly filled.
fn sample_contacts(random: &mut Random, n: usize) -> Vec<BlockContacts> {
    (0..n.div_ceil(LARGEST_BLOCK))
        .map(|block| {
            let mut contacts = BlockContacts::new(n.is_multiple_of(2));
            for (list, history) in contacts.lists_mut().into_iter().enumerate() {
                let count = (n + 3 * list + block) % 11;
                history.pairs = filled(random, count);
                history.points = filled(random, if history.groups.point { count } else { 0 });
                history.columns = filled(random, count.div_ceil(4) * history.groups.width());
            }
            contacts
        })
        .collect()
}

fn sample_extra() -> CheckpointExtra {
    let mut extra = CheckpointExtra {
        tumble_version: "0.1.0".to_owned(),
        scene_hash: 0xfedc_ba98_7654_3210,
        counters: vec![("series.csv".to_owned(), u64::MAX)],
        world: Some(World {
            kinds: vec![KindOfGrain {
                name: "bead".to_owned(),
                shape: "sphere".to_owned(),
                figures: [4.0, 1.5, 1.5, 1.5, 2.0],
            }],
            walls: vec!["floor".to_owned()],
            periodic: [None, Some([-0.5, 0.25]), None],
        }),
    };
    extra.set_counter("frames", 3);
    extra.set_counter("frames", 4);
    extra
}

fn encoded(state: &State, extra: &CheckpointExtra) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(Cursor::new(&mut bytes), state, extra).unwrap();
    bytes
}

#[test]
fn every_bit_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    for n in [0, 1, 5, 200] {
        let (state, extra) = (sample_state(n), sample_extra());
        write(&path, &state, &extra).unwrap();
        let (state_back, extra_back) = read(&path).unwrap();
        assert_eq!(extra_back, extra);
        assert_eq!(read_moment(&path).unwrap(), (state.step, state.time));
        // Not `==`: it would let -0.0 pass for 0.0 and fail on NaN. The encoding is injective, so equal bytes mean
        // equal bits.
        assert_eq!(encoded(&state_back, &extra), encoded(&state, &extra));
        assert_eq!(fs::read(&path).unwrap(), encoded(&state, &extra));
        assert_eq!(state_back.particles.position, state.particles.position);
        assert_eq!(state_back.walls, state.walls);
        assert_eq!(state_back.ledger, state.ledger);
        assert_eq!(state_back.solver, state.solver);
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&state_back.particles.scale), bits(&state.particles.scale));
    }
    assert_eq!(sample_extra().counter("frames"), Some(4));
    assert_eq!(sample_extra().counter("rows"), None);
}

#[test]
fn sections_longer_than_a_piece_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    // 60,000 positions are 1.4 MB: two pieces, the second one not full.
    let state = sample_state(60_000);
    write(&path, &state, &sample_extra()).unwrap();
    let (back, _) = read(&path).unwrap();
    assert_eq!(back.particles.position, state.particles.position);
    assert_eq!(back.particles.orientation, state.particles.orientation);
    assert_eq!(back.solver, state.solver);
}

#[test]
fn every_truncation_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let bytes = encoded(&sample_state(2), &sample_extra());
    fs::write(&path, &bytes).unwrap();
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    for length in (0..bytes.len()).rev() {
        file.set_len(length as u64).unwrap();
        match read(&path) {
            Err(CheckpointError::Truncated { present, total, .. }) => {
                assert_eq!(present, length as u64);
                assert_eq!(total, (length >= HEADER_LENGTH).then_some(bytes.len() as u64));
            }
            other => panic!("{length} bytes: {other:?}"),
        }
    }
    fs::write(&path, &bytes[..100]).unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains(&format!("100 of {} bytes", bytes.len())), "{message}");
}

#[test]
fn every_flipped_byte_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let bytes = encoded(&sample_state(2), &sample_extra());
    fs::write(&path, &bytes).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut put = |place: usize, byte: u8| {
        file.seek(SeekFrom::Start(place as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    };
    for (place, &byte) in bytes.iter().enumerate() {
        // All bits, and one bit.
        for mask in [0xff, 1 << (place % 8)] {
            put(place, byte ^ mask);
            match read(&path) {
                Err(CheckpointError::Foreign { .. }) => assert!(place < MAGIC.len()),
                Err(CheckpointError::Corrupted { .. }) => assert!(place >= MAGIC.len()),
                other => panic!("byte {place}: {other:?}"),
            }
        }
        put(place, byte);
    }
    read(&path).unwrap();
}

/// Damage behind a right checksum, as a faulty writer would make it: whatever comes of it, it is no panic and no huge
/// allocation.
#[test]
fn flipped_bytes_behind_a_right_checksum_do_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let bytes = encoded(&sample_state(1), &CheckpointExtra::default());
    let body = HEADER_LENGTH..bytes.len() - CHECKSUM_LENGTH;
    fs::write(&path, &bytes).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    let mut n_refused = 0;
    for place in body.clone() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0xff;
        let checksum = xxhash_rust::xxh3::xxh3_128(&damaged[body.clone()]);
        damaged[body.end..].copy_from_slice(&checksum.to_le_bytes());
        // Into the same file: thousands of new ones would keep the disk busy.
        file.rewind().unwrap();
        file.write_all(&damaged).unwrap();
        match read(&path) {
            // A flip in the stored numbers gives other numbers: nothing contradicts them.
            Ok(_) => {}
            Err(CheckpointError::Inconsistent { .. } | CheckpointError::UnknownSolver { .. }) => n_refused += 1,
            Err(other) => panic!("byte {place}: {other}"),
        }
    }
    assert!(n_refused > body.len() / 4, "only {n_refused} of {} refused", body.len());
}

#[test]
fn what_follows_the_end_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let mut bytes = encoded(&sample_state(2), &sample_extra());
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(read(&path), Err(CheckpointError::Corrupted { .. })));
}

#[test]
fn foreign_files_are_named_as_such() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("picture.png");
    fs::write(&path, b"\x89PNG\r\n\x1a\n and so on").unwrap();
    assert!(read(&path).unwrap_err().to_string().ends_with("picture.png is not a Tumble checkpoint"));
    let error = read(&directory.path().join("absent")).unwrap_err();
    assert!(error.to_string().starts_with("cannot read") && !error.is_damage(), "{error}");
}

#[test]
fn other_formats_are_named_with_their_version() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    for (version, word) in [(FORMAT_VERSION + 1, "newer"), (FORMAT_VERSION - 1, "older")] {
        let mut bytes = Vec::new();
        ContainerWriter::begin_version(Cursor::new(&mut bytes), version).unwrap().finish().unwrap();
        fs::write(&path, &bytes).unwrap();
        let error = read(&path).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(&format!("format {version}")) && message.contains(word), "{message}");
        assert!(!error.is_damage());
    }
}

#[test]
fn another_byte_order_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let mut bytes = encoded(&sample_state(1), &sample_extra());
    bytes[12..16].reverse();
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..24]);
    bytes[24..32].copy_from_slice(&checksum.to_le_bytes());
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(read(&path), Err(CheckpointError::OtherByteOrder { .. })));
}

#[test]
fn contradicting_sections_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    let mut state = sample_state(4);
    state.particles.torque.pop();
    let message = write(&path, &state, &sample_extra()).unwrap_err().to_string();
    assert!(message.contains("`particles.torque` has 3 elements for 4 particles"), "{message}");
    assert!(!path.exists());
    fs::write(&path, encoded(&state, &sample_extra())).unwrap();
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("inconsistent: `particles.torque` has 3 elements for 4 particles"), "{message}");

    type InMemory<'a> = ContainerWriter<Cursor<&'a mut Vec<u8>>>;
    let check = |fill: &dyn Fn(&mut InMemory), expected: &str| {
        let mut bytes = Vec::new();
        let mut writer = ContainerWriter::begin(Cursor::new(&mut bytes)).unwrap();
        fill(&mut writer);
        writer.finish().unwrap();
        fs::write(&path, &bytes).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, CheckpointError::Inconsistent { .. }), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    };
    check(&|_| (), "section `extra` is missing");
    check(&|w| w.section("extra", b"{}").unwrap(), "section `extra`: missing field");
    check(&|w| w.section("extra", &[7u16]).unwrap(), "elements of section `extra` have 2 bytes where 1 are right");
    let extra = serde_json::to_vec(&sample_extra()).unwrap();
    let after_extra = |w: &mut InMemory, name: &str, scalars: &[Scalars]| {
        w.section("extra", &extra).unwrap();
        w.section(name, scalars).unwrap();
    };
    check(&|w| after_extra(w, "walls", &[]), "section `scalars` was expected, `walls` found");
    check(&|w| after_extra(w, "scalars", &[]), "section `scalars` has 0 elements instead of one");
}

#[test]
fn a_checkpoint_of_another_solver_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    // As a Tumble with another solver would write it: all that runs have in common, and then what only that solver knows.
    let mut bytes = Vec::new();
    let mut writer = ContainerWriter::begin(Cursor::new(&mut bytes)).unwrap();
    encode_common(&mut writer, &sample_state(2), &sample_extra()).unwrap();
    writer.section("solver", b"implicit").unwrap();
    writer.section("implicit.multipliers", &[1.0, 2.0]).unwrap();
    writer.finish().unwrap();
    fs::write(&path, &bytes).unwrap();
    let error = read(&path).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("a.checkpoint is of a run with the solver `implicit`"), "{message}");
    assert!(message.contains("this Tumble does not know (it has `soft`, `hard-stepped`, `hard-events`)"), "{message}");
    // The file is sound, and an earlier one would be of the same solver.
    assert!(!error.is_damage());
}

/// A disk that has room for so many bytes and no more.
struct FullAfter<W> {
    inner: W,
    left: usize,
}

impl<W: Write> Write for FullAfter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        let n = self.inner.write(&bytes[..bytes.len().min(self.left)])?;
        self.left -= n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Seek> Seek for FullAfter<W> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.inner.seek(place)
    }
}

#[test]
fn a_full_disk_loses_no_earlier_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    write(&path, &sample_state(3), &sample_extra()).unwrap();
    let before = fs::read(&path).unwrap();
    let later = State { step: 99, ..sample_state(50) };
    let needed = encoded(&later, &sample_extra()).len();
    for room in (0..needed).step_by(97) {
        let error =
            atomic_file::replace(&path, |file| encode(FullAfter { inner: file, left: room }, &later, &sample_extra()))
                .unwrap_err();
        assert!(error.is_disk_full());
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "a temporary was left behind");
    }
    assert_eq!(read(&path).unwrap().0.step, sample_state(3).step);
}

/// Pins the layout to the format's version: if this fails, raise `FORMAT_VERSION`, and only then change the list.
#[test]
fn the_layout_belongs_to_the_format_version() {
    let mut state = sample_state(2);
    state.particles.scale = vec![1.0, 2.0];
    let bytes = encoded(&state, &sample_extra());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.checkpoint");
    fs::write(&path, &bytes).unwrap();
    let mut reader = ContainerReader::open(&path).unwrap();
    let layout = reader.layout().unwrap();
    let listed: Vec<String> = layout.iter().map(|(name, size)| format!("{name} {size}")).collect();
    assert_eq!(FORMAT_VERSION, 9);
    assert_eq!(
        listed.join(", "),
        "extra 1, scalars 88, particles.id 4, particles.species 2, particles.scale 8, particles.radius 8, \
         particles.mass 8, particles.inertia 8, particles.position 24, particles.velocity 24, \
         particles.orientation 32, particles.angular_velocity 24, particles.angular_momentum 24, particles.force 24, \
         particles.torque 24, particles.image 12, walls 248, inserters 32, departed 16, crossed 32, groups.known 1, groups.counts 8, groups.ids 4, ledger 104, former_gravity 32, solver 1, soft.skin 8, \
         soft.contacts.balls.groups 1, soft.contacts.balls.counts 8, soft.contacts.balls.pairs 8, soft.contacts.balls.points 8, \
         soft.contacts.balls.columns 32, \
         soft.contacts.balls_at_walls.groups 1, soft.contacts.balls_at_walls.counts 8, soft.contacts.balls_at_walls.pairs 8, soft.contacts.balls_at_walls.points 8, \
         soft.contacts.balls_at_walls.columns 32, \
         soft.contacts.shapes.groups 1, soft.contacts.shapes.counts 8, soft.contacts.shapes.pairs 8, soft.contacts.shapes.points 8, \
         soft.contacts.shapes.columns 32, \
         soft.contacts.shapes_at_walls.groups 1, soft.contacts.shapes_at_walls.counts 8, soft.contacts.shapes_at_walls.pairs 8, soft.contacts.shapes_at_walls.points 8, \
         soft.contacts.shapes_at_walls.columns 32, \
         soft.reference.builds 8, soft.reference.positions 24, soft.reference.wall_poses 56"
    );
}
