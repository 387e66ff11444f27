//! One frame: a header of fixed length that tells all lengths and carries two checksums, then a compressed payload.

use glam::{DQuat, DVec3, Quat, Vec3};
use std::io::{self, Read};
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
/// Bytes of a particle: id 4, scale 4, position 12, velocity 12, orientation 8, species 2.
const PARTICLE_BYTES: u64 = 42;

/// What a frame's header says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameHeader {
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
    pub(super) fn from_bytes(bytes: &[u8; HEADER_LENGTH]) -> Result<FrameHeader, &'static str> {
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
            compressed_length: word(8),
            payload_length: word(16),
            step: word(24),
            time: f64::from_bits(word(32)),
            n_particles: word(40) as u32,
            n_walls: (word(40) >> 32) as u32,
            origin: DVec3::new(f64::from_bits(word(48)), f64::from_bits(word(56)), f64::from_bits(word(64))),
            payload_checksum: word(72),
        };
        if header.payload_length != payload_length(header.n_particles, header.n_walls) {
            return Err("the lengths in the header of a frame contradict each other");
        }
        Ok(header)
    }
}

fn payload_length(n_particles: u32, n_walls: u32) -> u64 {
    u64::from(n_walls) * WALL_BYTES + u64::from(n_particles) * PARTICLE_BYTES
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
    /// Poses of the walls, in the order of the description.
    pub wall_poses: Vec<Pose>,
    /// Names of the grains.
    pub id: Vec<u32>,
    /// Sizes relative to the species' shape [1].
    pub scale: Vec<f32>,
    /// Positions of the centres relative to the origin [m].
    pub position: Vec<Vec3>,
    /// Velocities of the centres [m/s].
    pub velocity: Vec<Vec3>,
    /// Orientations, from the body frame to the world.
    pub orientation: Vec<Quat>,
    /// Places in the description's list of species.
    pub species: Vec<u16>,
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

/// A whole frame, header and payload.
pub(super) fn encode(state: &State) -> io::Result<Vec<u8>> {
    let Particles { id, species, scale, position, velocity, orientation, .. } = &state.particles;
    let too_many = |_| io::Error::new(io::ErrorKind::InvalidInput, "more than 4294967295 particles or walls");
    let n_particles = u32::try_from(id.len()).map_err(too_many)?;
    let n_walls = u32::try_from(state.walls.len()).map_err(too_many)?;
    let origin = middle(position);

    let mut payload = Vec::with_capacity(payload_length(n_particles, n_walls) as usize);
    for wall in &state.walls {
        let numbers = wall.pose.position.to_array().into_iter().chain(wall.pose.orientation.to_array());
        numbers.for_each(|number| payload.extend(number.to_le_bytes()));
    }
    id.iter().for_each(|id| payload.extend(id.to_le_bytes()));
    scale.iter().for_each(|&scale| payload.extend((scale as f32).to_le_bytes()));
    for vector in position.iter().map(|&p| p - origin).chain(velocity.iter().copied()) {
        vector.as_vec3().to_array().into_iter().for_each(|component| payload.extend(component.to_le_bytes()));
    }
    for &orientation in orientation {
        pack_orientation(orientation).into_iter().for_each(|component| payload.extend(component.to_le_bytes()));
    }
    species.iter().for_each(|species| payload.extend(species.to_le_bytes()));

    let compressed = zstd::bulk::compress(&payload, COMPRESSION_LEVEL)?;
    let header = FrameHeader {
        compressed_length: compressed.len() as u64,
        payload_length: payload.len() as u64,
        step: state.step,
        time: state.time(),
        n_particles,
        n_walls,
        origin,
        payload_checksum: xxh3_64(&compressed),
    };
    if header.payload_length != payload_length(n_particles, n_walls) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the particles' fields have different lengths"));
    }
    let mut frame = header.to_bytes().to_vec();
    frame.extend(compressed);
    Ok(frame)
}

/// Unpacks a payload; the error says what is wrong with it.
pub(super) fn decode(header: &FrameHeader, compressed: &[u8]) -> Result<TrajectoryFrame, &'static str> {
    if xxh3_64(compressed) != header.payload_checksum {
        return Err("its payload does not fit its checksum");
    }
    const UNPACKING: &str = "its payload does not unpack to its length";
    // Memory grows with what is really there, never with what a length promises.
    let mut payload = Vec::new();
    zstd::stream::read::Decoder::new(compressed)
        .and_then(|decoder| decoder.take(header.payload_length.saturating_add(1)).read_to_end(&mut payload))
        .map_err(|_| UNPACKING)?;
    if payload.len() as u64 != header.payload_length {
        return Err(UNPACKING);
    }

    let mut fields = Fields(&payload);
    let (n, n_walls) = (header.n_particles as usize, header.n_walls as usize);
    Ok(TrajectoryFrame {
        step: header.step,
        time: header.time,
        origin: header.origin,
        wall_poses: (0..n_walls)
            .map(|_| {
                let [px, py, pz, x, y, z, w] = fields.next(f64::from_le_bytes);
                Pose::new(DVec3::new(px, py, pz), DQuat::from_xyzw(x, y, z, w))
            })
            .collect(),
        id: (0..n).map(|_| fields.next::<4, 1, _>(u32::from_le_bytes)[0]).collect(),
        scale: (0..n).map(|_| fields.next::<4, 1, _>(f32::from_le_bytes)[0]).collect(),
        position: (0..n).map(|_| Vec3::from_array(fields.next(f32::from_le_bytes))).collect(),
        velocity: (0..n).map(|_| Vec3::from_array(fields.next(f32::from_le_bytes))).collect(),
        orientation: (0..n).map(|_| unpack_orientation(fields.next(i16::from_le_bytes))).collect(),
        species: (0..n).map(|_| fields.next::<2, 1, _>(u16::from_le_bytes)[0]).collect(),
    })
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
}
