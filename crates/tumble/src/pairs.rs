//! `tumble pairs`: which shapes can meet, and how their contact is found.

use crate::arguments::PairsArguments;
use crate::failure::Failure;
use serde_json::json;
use std::io::{Write, stdout};
use tumble_geometry::narrow::{ContactMethod, PairEntry, pair_table};
use tumble_geometry::{ShapeKind, SurfaceKind};

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
                "algorithm": entry.description.words,
                "contacts": entry.description.contacts,
                "yields": entry.description.yields,
                "published": if entry.b_is_surface { Vec::new() } else { published_of(entry.a, entry.b) },
            })
        })
        .collect();
    format!("{:#}\n", json!(entries))
}

/// The names of the published methods that serve two shapes.
fn published_of(a: &str, b: &str) -> Vec<&'static str> {
    let kind = |name: &str| ShapeKind::ALL.into_iter().find(|kind| kind.name() == name);
    let (Some(a), Some(b)) = (kind(a), kind(b)) else { return Vec::new() };
    let does_serve = |method: &ContactMethod| method.serves(a, b);
    ContactMethod::ALL.into_iter().filter(does_serve).map(ContactMethod::name).collect()
}

/// The pairs of unlike shapes that a method serves.
fn of_unlike_kinds(method: ContactMethod, shapes: &[&str]) -> Vec<String> {
    let pair = |a: &&str, b: &&str| published_of(a, b).contains(&method.name()).then(|| format!("{a} with {b}"));
    let pairs_of = |(k, a): (usize, &&str)| shapes[k + 1..].iter().filter_map(|b| pair(a, b)).collect::<Vec<_>>();
    shapes.iter().enumerate().flat_map(pairs_of).collect()
}

/// Two grids of letters, one for shapes and one for walls, and what the letters mean.
fn as_text(table: &[PairEntry]) -> String {
    let mut ways: Vec<&PairEntry> = Vec::new();
    let is_same = |x: &PairEntry, y: &PairEntry| x.description == y.description;
    for entry in table {
        if !ways.iter().any(|way| is_same(way, entry)) {
            ways.push(entry);
        }
    }
    let letter = |entry: &PairEntry| {
        let place = ways.iter().position(|way| is_same(way, entry)).unwrap_or(0);
        char::from(b'A' + (place % 26) as u8).to_string()
    };
    let cell = |a: &str, b: &str, is_wall: bool| {
        let named = |entry: &&PairEntry| (entry.a, entry.b) == (a, b) || !is_wall && (entry.a, entry.b) == (b, a);
        table.iter().filter(|entry| entry.b_is_surface == is_wall).find(named).map(letter).unwrap_or_default()
    };
    let shapes = ShapeKind::ALL.map(ShapeKind::name);
    let walls = SurfaceKind::ALL.map(SurfaceKind::name);
    let mut text = String::from("shape against shape\n");
    let header = |names: &[&str]| names.iter().map(|name| name.chars().take(SHORT).collect()).collect::<Vec<String>>();
    text += &grid(&header(&shapes), &shapes, &|a, b| cell(a, shapes[b], false));
    text += "\nshape against wall\n";
    text += &grid(&walls.map(String::from), &shapes, &|a, b| cell(a, walls[b], true));
    for way in &ways {
        text += &format!("\n{}  {}\n", letter(way), way.description.words);
        text += &wrapped(&format!("contacts: {}", way.description.contacts));
        text += &wrapped(&format!("gives: {}", way.description.yields.join(", ")));
    }
    text += "\npublished methods, where a scene or `--method` asks for one\n";
    for method in ContactMethod::ALL.into_iter().filter(|method| method.is_published()) {
        let is_served = |name: &&&str| published_of(name, name).contains(&method.name());
        let served: Vec<&str> = shapes.iter().filter(is_served).copied().collect();
        if served.is_empty() {
            text += &wrapped(&format!("{}: {}", method.name(), of_unlike_kinds(method, &shapes).join(", ")));
            continue;
        }
        let meets_all = |a: &&str| served.iter().all(|b| published_of(a, b).contains(&method.name()));
        let whom = if served.iter().all(meets_all) { "with each other" } else { "each with its own kind" };
        text += &wrapped(&format!("{}: {} {whom}", method.name(), served.join(", ")));
    }
    text
}

/// Letters of a name above a column: enough to tell the shapes apart, few enough for ten columns on a line.
const SHORT: usize = 5;
/// Columns of the narrowest terminal that is still common.
const LINE: usize = 80;

/// A grid with a name before each row and above each column.
fn grid(header: &[String], rows: &[&str], cell: &dyn Fn(&str, usize) -> String) -> String {
    let before = rows.iter().map(|name| name.len()).max().unwrap_or(0);
    let line = |name: &str, cells: Vec<String>| {
        let cells: String =
            cells.iter().zip(header).map(|(cell, above)| format!(" {cell:w$}", w = above.len())).collect();
        format!("  {name:before$}{}\n", cells.trim_end())
    };
    let mut text = line("", header.to_vec());
    for row in rows {
        text += &line(row, (0..header.len()).map(|column| cell(row, column)).collect());
    }
    text
}

/// A text in lines that fit a terminal, indented under its letter.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().map_or(0, |line| line.len());
        if last > 0 && last + 1 + word.len() + 3 > LINE {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| format!("   {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_a_terminal_names_every_shape_and_is_in_the_book() {
        let text = as_text(&pair_table());
        for line in text.lines() {
            assert!(line.chars().count() <= LINE, "{line}");
        }
        for kind in ShapeKind::ALL {
            assert_eq!(
                text.lines().filter(|line| line.trim_start().starts_with(&format!("{} ", kind.name()))).count(),
                2
            );
        }
        // The book shows the same.
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/theory/contact-geometry.md");
        let page = std::fs::read_to_string(book).unwrap_or_default();
        assert!(page.contains(&format!("```text\n{text}```")), "put the output of `tumble pairs` into {book}:\n{text}");
        // Names cut short must still differ.
        let mut short: Vec<&str> = ShapeKind::ALL.map(|kind| &kind.name()[..SHORT.min(kind.name().len())]).to_vec();
        short.sort_unstable();
        short.dedup();
        assert_eq!(short.len(), ShapeKind::ALL.len());
    }
}
