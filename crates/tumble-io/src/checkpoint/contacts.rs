//! The contact history in a checkpoint: for each of its four lists how many contacts every block has, their pairs, points and
//! columns.

use super::CheckpointError;
use super::container::{ContainerReader, ContainerWriter};
use std::io::{self, Seek, Write};
use tumble_engine::state::{BlockContacts, ContactHistory, Groups};

/// Names of the lists, in the order of [`BlockContacts::lists`].
const LISTS: [&str; 4] = ["balls", "balls_at_walls", "shapes", "shapes_at_walls"];

pub(super) fn encode<W: Write + Seek>(writer: &mut ContainerWriter<W>, blocks: &[BlockContacts]) -> io::Result<()> {
    for (list, name) in LISTS.iter().enumerate() {
        let histories = || blocks.iter().map(|block| block.lists()[list]);
        let groups = histories().next().map_or_else(Groups::default, |history| history.groups);
        let counts: Vec<u64> = histories().map(|history| history.len() as u64).collect();
        let Groups { place, rolling, patch, point } = groups;
        writer.section(&format!("soft.contacts.{name}.groups"), &[place, rolling, patch, point].map(u8::from))?;
        writer.section(&format!("soft.contacts.{name}.counts"), &counts)?;
        writer.section_of_parts(&format!("soft.contacts.{name}.pairs"), histories().map(|h| &h.pairs[..]))?;
        writer.section_of_parts(&format!("soft.contacts.{name}.points"), histories().map(|h| &h.points[..]))?;
        writer.section_of_parts(&format!("soft.contacts.{name}.columns"), histories().map(|h| &h.columns[..]))?;
    }
    Ok(())
}

pub(super) fn decode(reader: &mut ContainerReader) -> Result<Vec<BlockContacts>, CheckpointError> {
    let mut blocks: Vec<BlockContacts> = Vec::new();
    for (list, name) in LISTS.iter().enumerate() {
        let groups = match reader.section::<u8>(&format!("soft.contacts.{name}.groups"))?[..] {
            [place, rolling, patch, point] => {
                Groups { place: place > 0, rolling: rolling > 0, patch: patch > 0, point: point > 0 }
            }
            _ => return Err(reader.inconsistent(format!("soft.contacts.{name} have no four groups of columns"))),
        };
        let counts: Vec<u64> = reader.section(&format!("soft.contacts.{name}.counts"))?;
        let mut pairs = reader.section(&format!("soft.contacts.{name}.pairs"))?.into_iter();
        let mut points = reader.section(&format!("soft.contacts.{name}.points"))?.into_iter();
        let mut columns = reader.section(&format!("soft.contacts.{name}.columns"))?.into_iter();
        if list == 0 {
            blocks.resize_with(counts.len(), BlockContacts::default);
        }
        let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        let n_points = if groups.point { pairs.len() } else { 0 };
        let n_columns: u64 = if total == Some(pairs.len() as u64) && points.len() == n_points {
            counts.iter().map(|count| count.div_ceil(4) * groups.width() as u64).sum()
        } else {
            u64::MAX
        };
        if counts.len() != blocks.len() || n_columns != columns.len() as u64 {
            return Err(reader.inconsistent(format!("soft.contacts.{name} do not have as many numbers as contacts")));
        }
        for (block, &count) in blocks.iter_mut().zip(&counts) {
            let count = count as usize;
            *block.lists_mut()[list] = ContactHistory {
                groups,
                pairs: pairs.by_ref().take(count).collect(),
                points: points.by_ref().take(if groups.point { count } else { 0 }).collect(),
                columns: columns.by_ref().take(count.div_ceil(4) * groups.width()).collect(),
            };
        }
    }
    Ok(blocks)
}
