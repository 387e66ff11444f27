//! A scene that begins with what another run has left, in the place of its own grains: `tumble run SCENE --from DIR`.
//!
//! The scene is written anew: a source `run` is added, and those that fill it at the start are switched off. What was done can
//! so be read in the scene that is kept with the run.

use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::Location;
use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike};

/// Sources that bring their grains at the start.
const OF_THE_START: [&str; 4] = ["lattice", "fill", "file", "run"];
/// Name of the source that is added.
const NAME: &str = "from";

/// Lays it over the tree that is read; `at` is where the directory was named. Returns the name of the source that is added.
pub(crate) fn apply_to_tree(scene: &mut Table, directory: &str, at: &Location) -> String {
    let name = free_name(scene);
    let entry = |key: &str, value: Value| Entry {
        key: key.to_owned(),
        key_at: at.clone(),
        node: Node { at: at.clone(), value },
    };
    let run = Table {
        entries: vec![entry("directory", Value::Text(directory.to_owned())), entry("walls", Value::Flag(true))],
    };
    let added = Table { entries: vec![entry("name", Value::Text(name.clone())), entry("run", Value::Table(run))] };
    let added = Node { at: at.clone(), value: Value::Table(added) };
    let Some(insert) = scene.entries.iter_mut().find(|entry| entry.key == "insert") else {
        scene.entries.push(entry("insert", Value::Array(vec![added])));
        return name;
    };
    // What is no list is reported when it is read.
    let Value::Array(sources) = &mut insert.node.value else { return name };
    for source in sources.iter_mut() {
        if let Value::Table(table) = &mut source.value
            && OF_THE_START.iter().any(|key| table.get(key).is_some())
        {
            table.entries.retain(|entry| entry.key != "active");
            table.entries.push(entry("active", Value::Flag(false)));
        }
    }
    sources.push(added);
    name
}

/// A name that no source has: a run that began from another may be the next one's scene.
fn free_name(scene: &Table) -> String {
    let Some(Value::Array(sources)) = scene.get("insert").map(|entry| &entry.node.value) else {
        return NAME.to_owned();
    };
    let is_taken = |name: &String| {
        sources.iter().any(|source| match &source.value {
            Value::Table(table) => {
                matches!(&table.get("name").map(|entry| &entry.node.value), Some(Value::Text(taken)) if taken == name)
            }
            _ => false,
        })
    };
    let names = std::iter::once(NAME.to_owned()).chain((2..).map(|number| format!("{NAME} {number}")));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}

/// Writes the same into the text.
pub(crate) fn apply_to_text(document: &mut DocumentMut, directory: &str, name: &str) {
    let mut run = InlineTable::new();
    run.insert("directory", directory.into());
    run.insert("walls", true.into());
    let switch_off = |source: &mut dyn TableLike| {
        if OF_THE_START.iter().any(|key| source.contains_key(key)) {
            source.insert("active", Item::Value(false.into()));
        }
    };
    let insert = document.entry("insert").or_insert_with(|| Item::Value(Array::new().into()));
    match insert {
        Item::ArrayOfTables(sources) => {
            sources.iter_mut().for_each(|source| switch_off(source));
            let mut added = toml_edit::Table::new();
            added.insert("name", Item::Value(name.into()));
            added.insert("run", Item::Value(run.into()));
            sources.push(added);
        }
        Item::Value(toml_edit::Value::Array(sources)) => {
            sources.iter_mut().filter_map(|source| source.as_inline_table_mut()).for_each(|source| switch_off(source));
            let mut added = InlineTable::new();
            added.insert("name", name.into());
            added.insert("run", run.into());
            sources.push(added);
        }
        _ => {}
    }
}
