//! A contact with a wall and the passes that are taken off it, as one contact.
//!
//! Where contacts of a grain with a wall go over into each other, what they have in common is taken off each in part
//! ([`SurfaceContact::weight`]): of f(depth), the energy, and of f'(depth) times the wrench of a unit force there. What is left is
//! one wrench and one energy. In terms of the depth d that has this energy by itself the force is f'(d) times a factor g, the
//! size of the gradient of d, which is that of a spring with the overlap d / g and g^2 times the stiffness (g^(5/2) under the law
//! of Hertz): so the springs, dashpots and friction of any contact answer it. The force acts along nearly the contact's own normal.
//! Its line need not be that of one point, so that there is a couple about it too.
//!
//! The corners of a patch (`sub_contacts.rs`) become one contact in the same way, with their shares for weights.

use super::meeting::Meeting;
use crate::law::shaped::VolumeLaw;
use glam::DVec3;
use tumble_geometry::SurfaceContact;
use tumble_geometry::lanes::{row, tail};

/// Splits what was found into contacts with their passes.
pub(super) fn with_passes(found: &[SurfaceContact]) -> impl Iterator<Item = &[SurfaceContact]> {
    found.chunk_by(|_, next| next.is_pass())
}

/// A contact with its passes, seen from a place; `None` if nothing is left of it. `slope` says of each how fast its depth grows with
/// the way into the wall.
#[inline]
pub(super) fn blended(
    contact: &[SurfaceContact],
    slope: impl Fn(usize) -> f64,
    hertz: bool,
    origin: DVec3,
) -> Option<Meeting> {
    let first = contact.first()?;
    let middle = |contact: &SurfaceContact| 0.5 * (contact.point_on_grain() + contact.point) - origin;
    if contact.len() == 1 {
        let (depth, slope) = (-first.separation, slope(0));
        let (overlap, region) = (depth / slope, row(DVec3::ZERO, slope));
        return Some(Meeting { normal: first.normal, arm: middle(first), depth, overlap, region });
    }
    let springs = contact.iter().enumerate().map(|(k, part)| Spring {
        weight: part.weight,
        depth: -part.separation,
        slope: slope(k),
        normal: part.normal,
        point: middle(part),
    });
    Some(Meeting { depth: -first.separation, ..joined(springs, hertz, middle(first))? })
}

/// One of the springs of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spring {
    /// By how much of it there is [1]; below zero it is taken off.
    pub(super) weight: f64,
    /// How far it is pressed [m].
    pub(super) depth: f64,
    /// How fast that grows with the way into the other body [1].
    pub(super) slope: f64,
    /// Unit normal, from a to b.
    pub(super) normal: DVec3,
    /// A point of the line in which it acts, from a's centre [m].
    pub(super) point: DVec3,
}

/// Springs as one contact: the depth that has their energy by itself, and their wrench. Its point is as high along the normal as `beside`. `None` if
/// nothing is left of them.
#[inline]
pub(super) fn joined(springs: impl Iterator<Item = Spring>, hertz: bool, beside: DVec3) -> Option<Meeting> {
    // Depth to the power of the force, and of the energy.
    let powers =
        |depth: f64| if hertz { (depth * depth.sqrt(), depth * depth * depth.sqrt()) } else { (depth, depth * depth) };
    let (mut force, mut torque, mut energy) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for spring in springs {
        let (steepness, height) = powers(spring.depth.max(0.0));
        let push = spring.normal * (spring.weight * steepness * spring.slope);
        force += push;
        torque += spring.point.cross(push);
        energy += spring.weight * height;
    }
    let size = force.length();
    if !(size > 0.0 && energy > 0.0) {
        return None;
    }
    let depth = if hertz { energy.powf(0.4) } else { energy.sqrt() };
    let factor = size / powers(depth).0;
    let normal = force / size;
    let on_line = force.cross(torque) / (size * size);
    let arm = on_line + normal * normal.dot(beside - on_line);
    let region = row(DVec3::new(torque.dot(normal) / size, 0.0, 0.0), factor);
    Some(Meeting { normal, arm, depth, overlap: depth / factor, region })
}

/// Meetings under a depth law with their weights as one, the contact's first.
pub(super) fn blended_depths(parts: &[(f64, Meeting)], hertz: bool) -> Option<Meeting> {
    let (_, first) = parts.first()?;
    if parts.len() == 1 {
        return Some(*first);
    }
    let springs = parts.iter().map(|(weight, part)| {
        let slope = tail(part.region);
        Spring { weight: *weight, depth: part.overlap * slope, slope, normal: part.normal, point: part.arm }
    });
    let meeting = joined(springs, hertz, first.arm)?;
    let ([pitch, _, _, factor], [_, patch_radius, _, _]) = (meeting.region.to_array(), first.region.to_array());
    Some(Meeting { depth: first.depth, region: row(DVec3::new(pitch, patch_radius, 0.0), factor), ..meeting })
}

/// The same under the volume law, of meetings with their weights, the contact's first. What is left of the energy w(V) and of w'(V)
/// times the wrench of each is that of one volume and one area.
pub(super) fn blended_volumes(parts: &[(f64, Meeting)], law: &VolumeLaw) -> Option<Meeting> {
    let (_, first) = parts.first()?;
    if parts.len() == 1 {
        return Some(*first);
    }
    let (mut force, mut torque, mut energy, mut largest) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0_f64);
    for (weight, part) in parts {
        let [pitch, _, volume, area] = part.region.to_array();
        let push = part.normal * (weight * law.pressure(volume) * area);
        force += push;
        torque += part.arm.cross(push) + push * pitch;
        energy += weight * law.energy(volume);
        largest = largest.max(volume);
    }
    let size = force.length();
    if !(size > 0.0 && energy > 0.0) {
        return None;
    }
    let volume = law.volume_of(energy, largest);
    let normal = force / size;
    let on_line = force.cross(torque) / (size * size);
    let arm = on_line + normal * normal.dot(first.arm - on_line);
    let area = size / law.pressure(volume);
    let [_, patch_radius, _, _] = first.region.to_array();
    let region = row(DVec3::new(torque.dot(normal) / size, patch_radius, volume), area);
    Some(Meeting { normal, arm, depth: first.depth, overlap: volume / area, region })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::lanes::head;

    fn place(angle: f64, depth: f64, weight: f64) -> SurfaceContact {
        let normal = DVec3::new(angle.sin(), 0.0, -angle.cos());
        SurfaceContact { weight, ..SurfaceContact::new(0, normal, -depth, normal * 2.0 + DVec3::Y * angle) }
    }

    #[test]
    fn a_contact_and_its_passes_have_their_energy_and_wrench_under_either_law() {
        let parts = [place(0.1, 0.03, 1.0), place(0.02, 0.01, -0.4), place(0.15, 0.02, -0.3)];
        for (hertz, power) in [(false, 2.0), (true, 2.5)] {
            let met = blended(&parts, |_| 1.0, hertz, DVec3::ZERO).unwrap();
            let (pitch, factor) = (head(met.region).x, tail(met.region));
            // With a stiffness of one the law makes of it: stiffness factor^power, overlap to power - 1.
            let force = factor.powf(power) * met.overlap.powf(power - 1.0);
            let energy = factor.powf(power) * met.overlap.powf(power);
            let expected: f64 = parts.iter().map(|p| p.weight * (-p.separation).powf(power)).sum();
            assert!((energy - expected).abs() < 1e-12 * expected);
            let push = |p: &SurfaceContact| p.normal * (p.weight * (-p.separation).powf(power - 1.0));
            let sum: DVec3 = parts.iter().map(push).sum();
            assert!((met.normal * force - sum).length() < 1e-12 * force);
            let torque: DVec3 = parts.iter().map(|p| (p.point - 0.5 * p.separation * p.normal).cross(push(p))).sum();
            let found = met.arm.cross(met.normal * force) + met.normal * (pitch * force);
            assert!((found - torque).length() < 1e-12 * force);
            assert_eq!(met.depth, 0.03);
        }
    }

    #[test]
    fn a_region_and_its_passes_have_their_energy_and_wrench_under_each_volume_law() {
        use crate::law::VolumeExponent::{One, ThreeHalves, Two};
        let part = |angle: f64, volume: f64, area: f64| Meeting {
            normal: DVec3::new(angle.sin(), 0.0, -angle.cos()),
            arm: DVec3::new(0.1, angle, -1.0),
            depth: volume / area,
            overlap: volume / area,
            region: row(DVec3::new(0.01, 0.1, volume), area),
        };
        let parts = [(1.0, part(0.1, 0.03, 0.5)), (-0.4, part(0.02, 0.01, 0.3)), (-0.3, part(0.15, 0.02, 0.4))];
        for exponent in [One, ThreeHalves, Two] {
            let law = VolumeLaw::new(3.0, 2.0, exponent, 1e-6);
            let met = blended_volumes(&parts, &law).unwrap();
            let [pitch, _, volume, area] = met.region.to_array();
            let expected: f64 = parts.iter().map(|(w, p)| w * law.energy(p.region.to_array()[2])).sum();
            assert!((law.energy(volume) - expected).abs() < 1e-12 * expected, "{exponent:?}");
            let push = |(w, p): &(f64, Meeting)| {
                let [_, _, volume, area] = p.region.to_array();
                p.normal * (w * law.pressure(volume) * area)
            };
            let force = met.normal * (law.pressure(volume) * area);
            let sum: DVec3 = parts.iter().map(push).sum();
            assert!((force - sum).length() < 1e-12 * sum.length());
            let torque: DVec3 = parts.iter().map(|part| part.1.arm.cross(push(part)) + push(part) * 0.01).sum();
            assert!((met.arm.cross(force) + force * pitch - torque).length() < 1e-12 * sum.length());
        }
    }

    #[test]
    fn nothing_is_left_of_a_contact_that_is_its_own_pass() {
        assert!(blended(&[place(0.1, 0.03, 1.0), place(0.1, 0.03, -1.0)], |_| 1.0, false, DVec3::ZERO).is_none());
    }
}
