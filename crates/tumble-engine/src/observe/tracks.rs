//! Single grains and sums over grains: where they are and how they move.

use crate::boundary::periodic::unwrapped;
use crate::{Model, State};
use glam::DVec3;

/// Names of the columns of a path, after time and step.
pub(super) const TRACK: [&str; 19] = [
    "grain",
    "x_m",
    "y_m",
    "z_m",
    "velocity_x_m_per_s",
    "velocity_y_m_per_s",
    "velocity_z_m_per_s",
    "qw",
    "qx",
    "qy",
    "qz",
    "spin_x_rad_per_s",
    "spin_y_rad_per_s",
    "spin_z_rad_per_s",
    "force_x_N",
    "force_y_N",
    "force_z_N",
    "kinetic_J",
    "kind",
];

/// One row for each grain in the order of ids: places as if the domain had no edges.
pub(super) fn track(model: &Model, state: &State) -> Vec<[f64; TRACK.len()]> {
    let p = &state.particles;
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_unstable_by_key(|&grain| p.id[grain]);
    let row = |grain: usize| {
        let mut row = [0.0; TRACK.len()];
        row[0] = f64::from(p.id[grain]);
        let place = unwrapped(&model.domain, p.position[grain], p.image[grain]);
        place.write_to_slice(&mut row[1..]);
        p.velocity[grain].write_to_slice(&mut row[4..]);
        let species = &model.species[usize::from(p.species[grain])];
        let q = p.orientation[grain] * species.given_frame.orientation;
        row[7..11].copy_from_slice(&[q.w, q.x, q.y, q.z]);
        p.angular_velocity[grain].write_to_slice(&mut row[11..]);
        p.force[grain].write_to_slice(&mut row[14..]);
        row[17] = p.kinetic_energy(grain);
        row[18] = f64::from(p.species[grain]);
        row
    };
    order.into_iter().map(row).collect()
}

/// Names of the columns of sums over grains, after time and step.
pub(super) const MOTION: [&str; 11] = [
    "grains",
    "mass_kg",
    "x_m",
    "y_m",
    "z_m",
    "velocity_x_m_per_s",
    "velocity_y_m_per_s",
    "velocity_z_m_per_s",
    "kinetic_translation_J",
    "kinetic_rotation_J",
    "temperature_m2_per_s2",
];

/// Number, mass, centre of mass (as if the domain had no edges), mean velocity, kinetic energies, and a third of the variance of the
/// velocity by mass.
pub(super) fn motion(model: &Model, state: &State) -> [f64; MOTION.len()] {
    let p = &state.particles;
    let (mut mass, mut centre, mut velocity, mut square) = (0.0, DVec3::ZERO, DVec3::ZERO, 0.0);
    let (mut kinetic, mut rotation) = (0.0, 0.0);
    for grain in 0..p.len() {
        // Mean and variance in one pass, without cancellation (West 1979).
        let m = p.mass[grain];
        mass += m;
        centre += (unwrapped(&model.domain, p.position[grain], p.image[grain]) - centre) * (m / mass);
        let before = p.velocity[grain] - velocity;
        velocity += before * (m / mass);
        square += m * before.dot(p.velocity[grain] - velocity);
        rotation += p.rotation_energy(grain);
        kinetic += 0.5 * m * p.velocity[grain].length_squared();
    }
    if p.is_empty() {
        (centre, velocity, square) = (DVec3::NAN, DVec3::NAN, f64::NAN);
    }
    let mut row = [0.0; MOTION.len()];
    row[..2].copy_from_slice(&[p.len() as f64, mass]);
    centre.write_to_slice(&mut row[2..]);
    velocity.write_to_slice(&mut row[5..]);
    row[8..].copy_from_slice(&[kinetic, rotation, square / (3.0 * mass)]);
    row
}
