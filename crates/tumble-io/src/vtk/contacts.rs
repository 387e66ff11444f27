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
    poly_data(state, contacts).map_err(FileError::of("write", path))?.write(path)
}

fn poly_data(state: &State, contacts: &[ContactRecord]) -> io::Result<PolyData> {
    let id_of = |index: usize| match state.particles.id.get(index) {
        Some(&id) => Ok(i64::from(id)),
        None => {
            let what = format!("a contact of particle {index} of {}", state.particles.len());
            Err(io::Error::new(io::ErrorKind::InvalidInput, what))
        }
    };
    let id_a: Vec<i64> = contacts.iter().map(|contact| id_of(contact.a)).collect::<io::Result<_>>()?;
    let id_b: Vec<i64> = contacts
        .iter()
        .map(|contact| match contact.partner {
            Partner::Particle(index) => id_of(index),
            Partner::Wall(index) => Ok(-1 - index as i64),
        })
        .collect::<io::Result<_>>()?;
    let points: Vec<_> = contacts.iter().map(|contact| contact.point).collect();
    let mut file = PolyData::of_vertices(&points)?;
    file.field("TimeValue", state.time())?;
    file.field("step", state.step)?;
    file.point_data("normal", contacts.iter().map(|contact| contact.normal.to_array()))?;
    file.point_data("force", contacts.iter().map(|contact| contact.force.to_array()))?;
    file.point_data("overlap", contacts.iter().map(|contact| [contact.overlap]))?;
    file.point_data("id_a", id_a.into_iter().map(|id| [id]))?;
    file.point_data("id_b", id_b.into_iter().map(|id| [id]))?;
    Ok(file)
}
