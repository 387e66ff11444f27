//! `tumble pairs`: which shapes can meet, and how their contact is found.

use crate::arguments::PairsArguments;
use crate::failure::Failure;
use serde_json::json;
use std::io::{Write, stdout};
use tumble_geometry::narrow::{PairEntry, pair_table};

/// Prints the table of pairs.
pub fn pairs(arguments: &PairsArguments) -> Result<(), Failure> {
    let table = pair_table();
    let text = if arguments.json { as_json(&table) } else { as_text(&table) };
    Ok(stdout().write_all(text.as_bytes())?)
}

fn as_json(table: &[PairEntry]) -> String {
    let entries: Vec<_> = table
        .iter()
        .map(|entry| {
            json!({
                "a": entry.a,
                "b": entry.b,
                "b_is_wall": entry.b_is_surface,
                "algorithm": entry.algorithm,
                "contacts": entry.contacts,
                "yields": entry.yields,
            })
        })
        .collect();
    format!("{:#}\n", json!(entries))
}

fn as_text(table: &[PairEntry]) -> String {
    let mut rows = vec![["a", "b", "algorithm", "contacts", "yields"].map(String::from)];
    rows.extend(table.iter().map(|entry| {
        let b = if entry.b_is_surface { format!("{} wall", entry.b) } else { entry.b.to_owned() };
        [entry.a.to_owned(), b, entry.algorithm.to_owned(), entry.contacts.to_owned(), entry.yields.join(", ")]
    }));
    crate::figures::columns(&rows)
}
