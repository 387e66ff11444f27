//! Reads groups of grains.

use super::names::Names;
use super::particles::Kinds;
use super::planar::Plane;
use super::reader::Reader;
use super::regions::read_region;
use crate::diagnostic::Location;
use tumble_engine::groups::Group;
use tumble_engine::model::SpeciesIndex;

/// The groups in the order of their names, and their names.
pub(crate) fn read_groups(scene: &Reader, kinds: &Kinds) -> (Vec<Group>, Names) {
    let (mut groups, mut names) = (Vec::new(), Names::new("group"));
    for (name, reader) in scene.tables("groups") {
        names.add(name, &reader.path, reader.at);
        let species = reader.names("particles").map(|names| {
            let resolve =
                |(name, at, path): &(&str, &Location, String)| kinds.names.resolve(scene.context, name, at, path);
            let found = names.iter().filter_map(resolve).flat_map(|kind| kinds.species[kind].clone());
            let mut species: Vec<SpeciesIndex> = found.map(|species| species as SpeciesIndex).collect();
            species.sort_unstable();
            species
        });
        let ids = reader.quantities("ids").map(|ids| {
            if let Some(wrong) = ids.iter().find(|id| id.fract() != 0.0 || **id > f64::from(u32::MAX)) {
                reader.report_at(
                    "ids",
                    format!("found {wrong}"),
                    "ids are whole numbers, from 0 in the order in which grains come",
                );
            }
            let mut ids: Vec<u32> = ids.iter().map(|&id| id as u32).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        });
        let region = if reader.has("region") { read_region(&reader, Plane { is_on: false }) } else { None };
        let at = reader.quantity("at");
        for (key, is_empty) in [
            ("particles", species.as_ref().is_some_and(Vec::is_empty)),
            ("ids", ids.as_ref().is_some_and(Vec::is_empty)),
        ] {
            if is_empty && !scene.context.has_errors() {
                reader.report_at(key, "the list is empty: nobody is in the group", "leave it out for all");
            }
        }
        if !["particles", "ids", "region"].iter().any(|key| reader.has(key)) && at.is_none() {
            reader.report_here(
                "all grains are in this group",
                "say of which `particles`, with which `ids`, or in which `region`",
            );
        }
        groups.push(Group { name: name.to_owned(), species, ids, region, at });
    }
    (groups, names)
}
