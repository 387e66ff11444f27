//! One frame: a header of fixed length that tells all lengths and carries two checksums, then a compressed payload.

use glam::{DQuat, DVec3, Quat, Vec3};
use std::io::{self, Read};
use tumble_engine::observe::{self, Partner};
use tumble_engine::{Particles, State};
use tumble_geometry::Pose;
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of every frame.
pub(super) const MARKER: [u8; 4] = *b"TFRM";
/// Length of a frame's header [bytes].
pub(super) const HEADER_LENGTH: usize = 88;
/// zstd's default: faster than a disk, and higher levels gain little on floating-point numbers.
const COMPRESSION_LEVEL: i32 = 3;
/// The number that stands for a quaternion component of 1.
const QUATERNION_UNIT: f64 = 32767.0;
/// Bytes of a wall's pose: 7 doubles.
const WALL_BYTES: u64 = 56;
/// Bytes of a particle in format 1: id 4, scale 4, position 12, velocity 12, orientation 8, species 2.
const PARTICLE_BYTES: u64 = 42;
/// Bytes that format 2 adds to a particle: angular velocity 12.
const SPIN_BYTES: u64 = 12;
/// Bytes of a contact: grain 4, partner 4, point 12, force 12, overlap 4, kind of partner 1.
const CONTACT_BYTES: u64 = 37;
/// A payload is at most this many times as long as what it is packed into. The names of the grains all differ, which
/// costs about a byte a grain however well the rest packs; with 20 contacts a grain has 800 bytes.
const MOST_PACKING: u64 = 1000;
/// Length of a payload that may be packed into anything [bytes]: walls in one place have nothing that differs.
const PACKED_FREELY: u64 = 1 << 20;
/// Orientation of a wall that is not there.
const NOT_THERE: [f64; 4] = [0.0; 4];
/// What stands for a grain as the partner in a contact.
const PARTNER_GRAIN: u8 = 0;
/// What stands for a wall as the partner in a contact.
const PARTNER_WALL: u8 = 1;

/// What the frames of a file hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameFormat {
    /// Format 1: neither spins nor contacts.
    Motion,
    /// Format 2.
    SpinsAndContacts,
}

/// What a frame's header says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameHeader {
    pub(super) n_contacts: u32,
    pub(super) compressed_length: u64,
    pub(super) payload_length: u64,
    pub(super) step: u64,
    pub(super) time: f64,
    pub(super) n_particles: u32,
    pub(super) n_walls: u32,
    pub(super) origin: DVec3,
    pub(super) payload_checksum: u64,
}

impl FrameHeader {
    pub(super) fn to_bytes(self) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MARKER);
        put(4, &self.n_contacts.to_le_bytes());
        put(8, &self.compressed_length.to_le_bytes());
        put(16, &self.payload_length.to_le_bytes());
        put(24, &self.step.to_le_bytes());
        put(32, &self.time.to_le_bytes());
        put(40, &self.n_particles.to_le_bytes());
        put(44, &self.n_walls.to_le_bytes());
        put(48, &self.origin.x.to_le_bytes());
        put(56, &self.origin.y.to_le_bytes());
        put(64, &self.origin.z.to_le_bytes());
        put(72, &self.payload_checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[..80]);
        bytes[80..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header back; the error says what is wrong with it.
    pub(super) fn from_bytes(bytes: &[u8; HEADER_LENGTH], format: FrameFormat) -> Result<FrameHeader, &'static str> {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        if bytes[..4] != MARKER {
            return Err("no frame begins where one should");
        }
        if word(80) != xxh3_64(&bytes[..80]) {
            return Err("the header of a frame does not fit its checksum");
        }
        let header = FrameHeader {
            n_contacts: (word(0) >> 32) as u32,
            compressed_length: word(8),
            payload_length: word(16),
            step: word(24),
            time: f64::from_bits(word(32)),
            n_particles: word(40) as u32,
            n_walls: (word(40) >> 32) as u32,
            origin: DVec3::new(f64::from_bits(word(48)), f64::from_bits(word(56)), f64::from_bits(word(64))),
            payload_checksum: word(72),
        };
        if format == FrameFormat::Motion && header.n_contacts != 0 {
            return Err("the header of a frame of format 1 tells of contacts");
        }
        if header.payload_length != payload_length(format, header.n_particles, header.n_walls, header.n_contacts) {
            return Err("the lengths in the header of a frame contradict each other");
        }
        Ok(header)
    }
}

fn payload_length(format: FrameFormat, n_particles: u32, n_walls: u32, n_contacts: u32) -> u64 {
    let (n_particles, n_walls, n_contacts) = (u64::from(n_particles), u64::from(n_walls), u64::from(n_contacts));
    let motion = n_walls * WALL_BYTES + n_particles * PARTICLE_BYTES;
    match format {
        FrameFormat::Motion => motion,
        FrameFormat::SpinsAndContacts => motion + n_particles * SPIN_BYTES + n_contacts * CONTACT_BYTES,
    }
}

/// A frame as read back, in the order of the particles when it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryFrame {
    /// Steps done.
    pub step: u64,
    /// Simulated time [s].
    pub time: f64,
    /// The point to which positions are relative [m].
    pub origin: DVec3,
    /// Poses of the walls, in the order of the description; `None` for one that is not there.
    pub wall_poses: Vec<Option<Pose>>,
    /// Names of the grains.
    pub id: Vec<u32>,
    /// Sizes relative to the species' shape [1].
    pub scale: Vec<f32>,
    /// Positions of the centres relative to the origin [m].
    pub position: Vec<Vec3>,
    /// Velocities of the centres [m/s].
    pub velocity: Vec<Vec3>,
    /// Angular velocities in the world frame [rad/s]; zeros if the file has format 1, which does not keep them.
    pub angular_velocity: Vec<Vec3>,
    /// Orientations, from the body frame to the world.
    pub orientation: Vec<Quat>,
    /// Places in the description's list of species.
    pub species: Vec<u16>,
    /// Touching contacts; none if the description says that the file has no contacts.
    pub contacts: Vec<ContactRecord>,
}

/// A touching contact. Its places are those of a grain or wall that is in the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRecord {
    /// The grain: its place in the frame's arrays.
    pub a: u32,
    /// What it touches.
    pub b: ContactPartner,
    /// Contact point relative to the frame's origin [m].
    pub point: Vec3,
    /// Force on a [N].
    pub force: Vec3,
    /// Overlap [m].
    pub overlap: f32,
}

/// What a grain touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactPartner {
    /// A grain, by its place in the frame's arrays.
    Grain(u32),
    /// A wall, by its place in the frame's wall poses.
    Wall(u32),
}

/// The middle of the particles' centres: single-precision offsets from it are as exact as they can be.
fn middle(positions: &[DVec3]) -> DVec3 {
    let finite = || positions.iter().filter(|p| p.is_finite());
    let lower = finite().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let upper = finite().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    let middle = 0.5 * lower + 0.5 * upper;
    if middle.is_finite() { middle } else { DVec3::ZERO }
}

/// The four components (x, y, z, w) as fractions of 32767.
fn pack_orientation(orientation: DQuat) -> [i16; 4] {
    // `as` takes a number outside the range to its end and NaN to zero.
    orientation.to_array().map(|component| (component * QUATERNION_UNIT).round() as i16)
}

fn unpack_orientation(packed: [i16; 4]) -> Quat {
    let orientation = DQuat::from_array(packed.map(|component| f64::from(component) / QUATERNION_UNIT));
    // Four zeros come of a frame that holds no valid orientation.
    if orientation.length_squared() > 0.0 { orientation.normalize().as_quat() } else { Quat::IDENTITY }
}

/// A contact as it is kept: both places and the kind of the partner.
fn places(contact: &observe::ContactRecord, n_particles: u32, n_walls: u32) -> io::Result<(u32, u32, u8)> {
    let within = |place: usize, n: u32| u32::try_from(place).ok().filter(|&place| place < n);
    let a = within(contact.a, n_particles);
    let (b, kind) = match contact.partner {
        Partner::Particle(b) => (within(b, n_particles), PARTNER_GRAIN),
        Partner::Wall(b) => (within(b, n_walls), PARTNER_WALL),
    };
    a.zip(b).map(|(a, b)| (a, b, kind)).ok_or_else(|| {
        let what = format!("a contact of grain {} with {:?}, which is not there", contact.a, contact.partner);
        io::Error::new(io::ErrorKind::InvalidInput, what)
    })
}

/// A whole frame, header and payload.
pub(super) fn encode(state: &State, contacts: &[observe::ContactRecord]) -> io::Result<Vec<u8>> {
    let Particles { id, species, scale, position, velocity, angular_velocity, orientation, .. } = &state.particles;
    let too_many = |_| io::Error::new(io::ErrorKind::InvalidInput, "more than 4294967295 particles, walls or contacts");
    let n_particles = u32::try_from(id.len()).map_err(too_many)?;
    let n_walls = u32::try_from(state.walls.len()).map_err(too_many)?;
    let n_contacts = u32::try_from(contacts.len()).map_err(too_many)?;
    let places: Vec<_> =
        contacts.iter().map(|contact| places(contact, n_particles, n_walls)).collect::<io::Result<_>>()?;
    let origin = middle(position);

    let right_length = payload_length(FrameFormat::SpinsAndContacts, n_particles, n_walls, n_contacts);
    let mut payload = Vec::with_capacity(right_length as usize);
    for wall in &state.walls {
        let orientation = if wall.present { wall.pose.orientation.to_array() } else { NOT_THERE };
        let numbers = wall.pose.position.to_array().into_iter().chain(orientation);
        numbers.for_each(|number| payload.extend(number.to_le_bytes()));
    }
    id.iter().for_each(|id| payload.extend(id.to_le_bytes()));
    scale.iter().for_each(|&scale| payload.extend((scale as f32).to_le_bytes()));
    let push_vector = |payload: &mut Vec<u8>, vector: DVec3| {
        vector.as_vec3().to_array().into_iter().for_each(|component| payload.extend(component.to_le_bytes()));
    };
    position.iter().for_each(|&place| push_vector(&mut payload, place - origin));
    velocity.iter().chain(angular_velocity).for_each(|&vector| push_vector(&mut payload, vector));
    for &orientation in orientation {
        pack_orientation(orientation).into_iter().for_each(|component| payload.extend(component.to_le_bytes()));
    }
    places.iter().for_each(|(a, _, _)| payload.extend(a.to_le_bytes()));
    places.iter().for_each(|(_, b, _)| payload.extend(b.to_le_bytes()));
    contacts.iter().for_each(|contact| push_vector(&mut payload, contact.point - origin));
    contacts.iter().for_each(|contact| push_vector(&mut payload, contact.force));
    contacts.iter().for_each(|contact| payload.extend((contact.overlap as f32).to_le_bytes()));
    // What is shorter than four bytes comes last, so that all before it is aligned.
    species.iter().for_each(|species| payload.extend(species.to_le_bytes()));
    payload.extend(places.iter().map(|(_, _, kind)| kind));

    let compressed = zstd::bulk::compress(&payload, COMPRESSION_LEVEL)?;
    let header = FrameHeader {
        n_contacts,
        compressed_length: compressed.len() as u64,
        payload_length: payload.len() as u64,
        step: state.step,
        time: state.time,
        n_particles,
        n_walls,
        origin,
        payload_checksum: xxh3_64(&compressed),
    };
    if header.payload_length != right_length {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the particles' fields have different lengths"));
    }
    let mut frame = header.to_bytes().to_vec();
    frame.extend(compressed);
    Ok(frame)
}

/// Unpacks a payload; the error says what is wrong with it.
pub(super) fn decode(
    header: &FrameHeader,
    format: FrameFormat,
    compressed: &[u8],
) -> Result<TrajectoryFrame, &'static str> {
    if xxh3_64(compressed) != header.payload_checksum {
        return Err("its payload does not fit its checksum");
    }
    const UNPACKING: &str = "its payload does not unpack to its length";
    // A few bytes can unpack to any number of zeros, so that memory grows only with what is in the file.
    if header.payload_length > PACKED_FREELY.saturating_add(MOST_PACKING.saturating_mul(compressed.len() as u64)) {
        return Err("its payload is longer than what it is packed into can hold");
    }
    // No more is unpacked than the header promises, and no memory is taken before it is unpacked.
    let mut payload = Vec::new();
    zstd::stream::read::Decoder::new(compressed)
        .and_then(|decoder| decoder.take(header.payload_length.saturating_add(1)).read_to_end(&mut payload))
        .map_err(|_| UNPACKING)?;
    if payload.len() as u64 != header.payload_length {
        return Err(UNPACKING);
    }

    let mut fields = Fields(&payload);
    let (n, n_walls, n_contacts) = (header.n_particles as usize, header.n_walls as usize, header.n_contacts as usize);
    // The order of the fields is that of the payload.
    let mut frame = TrajectoryFrame {
        step: header.step,
        time: header.time,
        origin: header.origin,
        wall_poses: (0..n_walls)
            .map(|_| {
                let [px, py, pz, x, y, z, w] = fields.next(f64::from_le_bytes);
                let pose = Pose::new(DVec3::new(px, py, pz), DQuat::from_xyzw(x, y, z, w));
                ([x, y, z, w] != NOT_THERE).then_some(pose)
            })
            .collect(),
        id: fields.numbers(n, u32::from_le_bytes),
        scale: fields.numbers(n, f32::from_le_bytes),
        position: fields.vectors(n),
        velocity: fields.vectors(n),
        angular_velocity: match format {
            FrameFormat::Motion => vec![Vec3::ZERO; n],
            FrameFormat::SpinsAndContacts => fields.vectors(n),
        },
        orientation: (0..n).map(|_| unpack_orientation(fields.next(i16::from_le_bytes))).collect(),
        species: Vec::new(),
        contacts: Vec::new(),
    };
    let (a, b) = (fields.numbers(n_contacts, u32::from_le_bytes), fields.numbers(n_contacts, u32::from_le_bytes));
    let (point, force) = (fields.vectors(n_contacts), fields.vectors(n_contacts));
    let overlap = fields.numbers(n_contacts, f32::from_le_bytes);
    frame.species = fields.numbers(n, u16::from_le_bytes);
    let kind = fields.numbers(n_contacts, u8::from_le_bytes);
    let contact = |i: usize| {
        let b = match (kind[i], b[i]) {
            (PARTNER_GRAIN, grain) if grain < header.n_particles => ContactPartner::Grain(grain),
            (PARTNER_WALL, wall) if wall < header.n_walls => ContactPartner::Wall(wall),
            _ => return None,
        };
        let (a, point, force, overlap) = (a[i], point[i], force[i], overlap[i]);
        (a < header.n_particles).then_some(ContactRecord { a, b, point, force, overlap })
    };
    frame.contacts = (0..n_contacts)
        .map(contact)
        .collect::<Option<_>>()
        .ok_or("one of its contacts is with a grain or wall that is not there")?;
    Ok(frame)
}

/// Walks through a payload whose length has been checked.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn next<const BYTES: usize, const COUNT: usize, T>(&mut self, read: fn([u8; BYTES]) -> T) -> [T; COUNT] {
        std::array::from_fn(|_| {
            let (value, rest) = self.0.split_at(BYTES);
            self.0 = rest;
            let mut bytes = [0; BYTES];
            bytes.copy_from_slice(value);
            read(bytes)
        })
    }
    fn numbers<const BYTES: usize, T>(&mut self, count: usize, read: fn([u8; BYTES]) -> T) -> Vec<T> {
        (0..count)
            .map(|_| {
                let [number] = self.next(read);
                number
            })
            .collect()
    }

    fn vectors(&mut self, count: usize) -> Vec<Vec3> {
        (0..count).map(|_| Vec3::from_array(self.next(f32::from_le_bytes))).collect()
    }
}
