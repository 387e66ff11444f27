//! How a frame travels to the page: plain little-endian arrays, which a script can lay views over without a copy.
//!
//! A frame:
//!
//! | at | what |
//! |---|---|
//! | 0 | `TVF1` |
//! | 4 | number of grains n, u32 |
//! | 8 | number of walls w, u32 |
//! | 12 | number of contacts, which travel on their own, u32 |
//! | 16 | step, u64 |
//! | 24 | time \[s\], f64 |
//! | 32 | origin, to which positions are relative \[m\], 3 f64 |
//! | 56 | nothing yet, 8 bytes |
//! | 64 | w wall poses: position \[m\] and unit quaternion x y z w, 7 f64 each |
//! | then | n ids, u32 |
//! | then | n sizes relative to the species' shape, f32 |
//! | then | n positions relative to the origin \[m\], 3 f32 each |
//! | then | n velocities \[m/s\], 3 f32 each |
//! | then | n angular velocities \[rad/s\], 3 f32 each |
//! | then | n unit quaternions x y z w in units of 1/32767, 4 i16 each |
//! | then | n species, u16 |
//!
//! Its contacts:
//!
//! | at | what |
//! |---|---|
//! | 0 | `TVC1` |
//! | 4 | number of contacts c, u32 |
//! | 8 | c places of the grain in the frame's arrays, u32 |
//! | then | c places of the partner: of a grain, or of a wall plus 2^31, u32 |
//! | then | c contact points relative to the frame's origin \[m\], 3 f32 each |
//! | then | c forces on the first grain \[N\], 3 f32 each |
//! | then | c overlaps \[m\], f32 |

use tumble_io::trajectory::{ContactPartner, ContactRecord, TrajectoryFrame};

/// The first bytes of a frame.
pub const FRAME_MARKER: [u8; 4] = *b"TVF1";
/// The first bytes of contacts.
pub const CONTACTS_MARKER: [u8; 4] = *b"TVC1";
/// Length of what stands before a frame's walls [bytes].
pub const FRAME_HEADER_LENGTH: usize = 64;
/// Added to the place of a wall, to tell it from that of a grain.
pub const WALL: u32 = 1 << 31;

/// The number that stands for a quaternion component of 1.
const QUATERNION_UNIT: f32 = 32767.0;
/// Bytes of a wall's pose.
const WALL_BYTES: usize = 56;
/// Bytes of a grain.
const GRAIN_BYTES: usize = 54;
/// Bytes of a contact.
const CONTACT_BYTES: usize = 36;

/// A frame as bytes.
pub fn frame(frame: &TrajectoryFrame) -> Vec<u8> {
    let TrajectoryFrame { id, scale, position, velocity, angular_velocity, orientation, species, .. } = frame;
    let length = FRAME_HEADER_LENGTH + frame.wall_poses.len() * WALL_BYTES + id.len() * GRAIN_BYTES;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(FRAME_MARKER);
    for count in [id.len(), frame.wall_poses.len(), frame.contacts.len()] {
        bytes.extend((count as u32).to_le_bytes());
    }
    bytes.extend(frame.step.to_le_bytes());
    bytes.extend(frame.time.to_le_bytes());
    frame.origin.to_array().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend([0; 8]);
    for pose in &frame.wall_poses {
        // A wall that is not there is all zeros.
        let (position, orientation) =
            pose.map_or(([0.0; 3], [0.0; 4]), |pose| (pose.position.to_array(), pose.orientation.to_array()));
        position.iter().chain(&orientation).for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    id.iter().for_each(|id| bytes.extend(id.to_le_bytes()));
    scale.iter().for_each(|scale| bytes.extend(scale.to_le_bytes()));
    for vector in [position, velocity, angular_velocity].into_iter().flatten() {
        vector.to_array().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    for quaternion in orientation {
        let components = quaternion.to_array().map(|component| (component * QUATERNION_UNIT).round() as i16);
        components.iter().for_each(|component| bytes.extend(component.to_le_bytes()));
    }
    species.iter().for_each(|species| bytes.extend(species.to_le_bytes()));
    bytes
}

/// Contacts as bytes.
pub fn contacts(contacts: &[ContactRecord]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + contacts.len() * CONTACT_BYTES);
    bytes.extend(CONTACTS_MARKER);
    bytes.extend((contacts.len() as u32).to_le_bytes());
    contacts.iter().for_each(|contact| bytes.extend(contact.a.to_le_bytes()));
    for contact in contacts {
        let place = match contact.b {
            ContactPartner::Grain(place) => place,
            ContactPartner::Wall(place) => place | WALL,
        };
        bytes.extend(place.to_le_bytes());
    }
    let points = contacts.iter().map(|contact| contact.point);
    for vector in points.chain(contacts.iter().map(|contact| contact.force)) {
        vector.to_array().iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    contacts.iter().for_each(|contact| bytes.extend(contact.overlap.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3, Quat, Vec3};
    use tumble_geometry::Pose;

    fn contact(a: u32, b: ContactPartner) -> ContactRecord {
        ContactRecord { a, b, point: Vec3::new(1.0, 2.0, 3.0), force: Vec3::new(-4.0, 5.0, -6.0), overlap: 0.5 }
    }

    fn sample() -> TrajectoryFrame {
        TrajectoryFrame {
            step: 7,
            time: 0.25,
            origin: DVec3::new(10.0, 20.0, 30.0),
            wall_poses: vec![Some(Pose::new(DVec3::new(0.0, 0.0, -1.0), DQuat::IDENTITY))],
            id: vec![4, 9],
            scale: vec![1.0, 1.5],
            position: vec![Vec3::X, Vec3::Y],
            velocity: vec![Vec3::Z, Vec3::NEG_X],
            angular_velocity: vec![Vec3::splat(2.0), Vec3::ZERO],
            orientation: vec![Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)],
            species: vec![0, 3],
            contacts: vec![contact(0, ContactPartner::Grain(1)), contact(1, ContactPartner::Wall(0))],
        }
    }

    fn at<const LENGTH: usize>(bytes: &[u8], place: usize) -> [u8; LENGTH] {
        bytes[place..place + LENGTH].try_into().unwrap()
    }

    #[test]
    fn a_frame_lies_where_its_layout_says() {
        let bytes = frame(&sample());
        assert_eq!(bytes.len(), 64 + 56 + 2 * 54);
        assert_eq!(bytes[..4], FRAME_MARKER);
        assert_eq!([4, 8, 12].map(|place| u32::from_le_bytes(at(&bytes, place))), [2, 1, 2]);
        assert_eq!(u64::from_le_bytes(at(&bytes, 16)), 7);
        assert_eq!(f64::from_le_bytes(at(&bytes, 24)), 0.25);
        assert_eq!(f64::from_le_bytes(at(&bytes, 48)), 30.0);
        assert_eq!(f64::from_le_bytes(at(&bytes, 64 + 16)), -1.0);
        let grains = 64 + 56;
        assert_eq!(u32::from_le_bytes(at(&bytes, grains + 4)), 9);
        assert_eq!(f32::from_le_bytes(at(&bytes, grains + 12)), 1.5);
        assert_eq!(f32::from_le_bytes(at(&bytes, grains + 16)), 1.0);
        assert_eq!(f32::from_le_bytes(at(&bytes, grains + 16 + 24 + 8)), 1.0);
        assert_eq!(f32::from_le_bytes(at(&bytes, grains + 16 + 48)), 2.0);
        assert_eq!(i16::from_le_bytes(at(&bytes, grains + 16 + 72 + 6)), 32767);
        assert_eq!(u16::from_le_bytes(at(&bytes, bytes.len() - 2)), 3);
    }

    #[test]
    fn contacts_lie_where_their_layout_says() {
        let bytes = contacts(&sample().contacts);
        assert_eq!(bytes.len(), 8 + 2 * 36);
        assert_eq!(bytes[..4], CONTACTS_MARKER);
        let words: Vec<u32> = (1..6).map(|word| u32::from_le_bytes(at(&bytes, 4 * word))).collect();
        assert_eq!(words, [2, 0, 1, 1, WALL]);
        assert_eq!(f32::from_le_bytes(at(&bytes, 24 + 8)), 3.0);
        assert_eq!(f32::from_le_bytes(at(&bytes, 24 + 24)), -4.0);
        assert_eq!(f32::from_le_bytes(at(&bytes, bytes.len() - 4)), 0.5);
    }
}
