//! Contacts as points.

use super::poly_data::PolyData;
use crate::file_error::FileError;
use std::io;
use std::path::Path;
use tumble_engine::State;
use tumble_engine::observe::{ContactRecord, Partner};

/// Writes the contacts as vertices at the contact points: `normal` (unit, from a to b), `force` on a [N], `overlap`
/// [m], and the grains' ids `id_a` and `id_b`; for a wall, `id_b` is -1 minus the wall's place in the scene.
pub fn write_contacts(path: &Path, state: &State, contacts: &[ContactRecord]) -> Result<(), FileError> {
    let n = state.particles.len();
    let grains = |contact: &ContactRecord| match contact.partner {
        Partner::Particle(b) => [contact.a, b],
        Partner::Wall(_) => [contact.a, contact.a],
    };
    if let Some(stranger) = contacts.iter().flat_map(grains).find(|&index| index >= n) {
        let what = format!("a contact of particle {stranger} of {n}");
        return Err(FileError::of("write", path)(io::Error::new(io::ErrorKind::InvalidInput, what)));
    }
    let id = |index: usize| i64::from(state.particles.id[index]);
    let mut file = PolyData::of_vertices(contacts.iter().map(|contact| contact.point));
    file.field("TimeValue", state.time);
    file.field("step", state.step);
    file.point_data("normal", contacts.iter().map(|contact| contact.normal.to_array()));
    file.point_data("force", contacts.iter().map(|contact| contact.force.to_array()));
    file.point_data("overlap", contacts.iter().map(|contact| [contact.overlap]));
    file.point_data("id_a", contacts.iter().map(|contact| [id(contact.a)]));
    let id_of_partner = |contact: &ContactRecord| match contact.partner {
        Partner::Particle(index) => [id(index)],
        Partner::Wall(index) => [-1 - index as i64],
    };
    file.point_data("id_b", contacts.iter().map(id_of_partner));
    file.write(path)
}
