//! The contact history in a checkpoint: for each of its four lists how many contacts every block has, their keys and their
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
        let Groups { place, rolling, patch } = groups;
        writer
            .section(&format!("soft.contacts.{name}.groups"), &[u8::from(place), u8::from(rolling), u8::from(patch)])?;
        writer.section(&format!("soft.contacts.{name}.counts"), &counts)?;
        let (keys, columns) = (histories().map(|h| &h.keys[..]), histories().map(|h| &h.columns[..]));
        writer.section_of_parts(&format!("soft.contacts.{name}.keys"), keys)?;
        writer.section_of_parts(&format!("soft.contacts.{name}.columns"), columns)?;
    }
    Ok(())
}

pub(super) fn decode(reader: &mut ContainerReader) -> Result<Vec<BlockContacts>, CheckpointError> {
    let mut blocks: Vec<BlockContacts> = Vec::new();
    for (list, name) in LISTS.iter().enumerate() {
        let groups = match reader.section::<u8>(&format!("soft.contacts.{name}.groups"))?[..] {
            [place, rolling, patch] => Groups { place: place > 0, rolling: rolling > 0, patch: patch > 0 },
            _ => return Err(reader.inconsistent(format!("soft.contacts.{name} have no three groups of columns"))),
        };
        let counts: Vec<u64> = reader.section(&format!("soft.contacts.{name}.counts"))?;
        let mut keys = reader.section(&format!("soft.contacts.{name}.keys"))?.into_iter();
        let mut columns = reader.section(&format!("soft.contacts.{name}.columns"))?.into_iter();
        if list == 0 {
            blocks.resize_with(counts.len(), BlockContacts::default);
        }
        let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
        let n_columns: u64 = if total == Some(keys.len() as u64) {
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
                keys: keys.by_ref().take(count).collect(),
                columns: columns.by_ref().take(count.div_ceil(4) * groups.width()).collect(),
            };
        }
    }
    Ok(blocks)
}
