//! Overrides: `--set time.step=1e-5` lays a value over the scene.
//!
//! A path goes through tables by key and through lists by number (from 0) or by the `name` of an entry. The value is
//! TOML; what is not TOML is taken as a text, so that `--set time.step=10 us` needs no second pair of quotes.
//! Each override is applied twice: to the tree that is read, where its value points at the override itself so that
//! messages can show it, and to the text that is kept with the run, where comments and layout survive.

use super::tree::{Entry, Node, Table, Value, parse_tree};
use crate::diagnostic::{Diagnostic, Location, Severity};
use crate::units::{Dimension, UnitError, parse_quantity};
use toml_edit::{DocumentMut, Item, TableLike};

/// A parsed override.
pub(crate) struct Override {
    path: Vec<String>,
    /// Where the path was written.
    path_at: Location,
    node: Node,
    /// The value in TOML.
    value: toml_edit::Value,
}

fn error(source: usize, span: std::ops::Range<usize>, message: String, expected: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic {
        severity: Severity::Error,
        key: String::new(),
        message,
        at: Some(Location { source, span }),
        expected: expected.to_string(),
        help: None,
        also: None,
    })
}

/// Reads an override; `source` is its place in the list of sources.
pub(crate) fn parse_override(text: &str, source: usize) -> Result<Override, Box<Diagnostic>> {
    let whole = 0..text.len();
    let form = "an override has the form key.path=value, such as time.step=1e-5";
    let Some(equals) = text.find('=') else {
        return Err(error(source, whole, format!("the override {text:?} has no `=`"), form));
    };
    let (key_text, value_text) = (&text[..equals], text[equals + 1..].trim());
    let (keys, wrong) = parse_tree(&format!("{key_text} = 0"), source);
    if !wrong.is_empty() || key_text.contains('\n') {
        return Err(error(source, 0..equals, format!("{key_text:?} is not a path of keys"), form));
    }
    if value_text.is_empty() {
        return Err(error(source, whole, format!("the override {text:?} has no value"), form));
    }
    let mut path = Vec::new();
    let mut table = &keys;
    while let [entry] = table.entries.as_slice() {
        path.push(entry.key.clone());
        match &entry.node.value {
            Value::Table(inner) => table = inner,
            _ => break,
        }
    }
    let start = text.len() - text[equals + 1..].trim_start().len();
    let span = start..start + value_text.len();
    let value = match value_text.parse::<toml_edit::Value>() {
        Ok(value) => value,
        // What begins like a list, table or quoted text was meant to be one.
        Err(e) if value_text.starts_with(['[', '{', '"', '\'']) => {
            let first = e.message().lines().next().unwrap_or("syntax error").to_string();
            return Err(error(source, span, format!("{value_text:?} is not valid TOML: {first}"), form));
        }
        Err(_) => toml_edit::Value::from(value_text),
    };
    // Read back from the TOML text, so that tree and text hold the same value to the last bit.
    let (tree, _) = parse_tree(&format!("v = {}", value.to_string().trim()), source);
    let mut node = tree
        .entries
        .into_iter()
        .next()
        .map(|e| e.node)
        .ok_or_else(|| error(source, span.clone(), format!("{value_text:?} cannot be read as a value"), form))?;
    point_to(&mut node, &Location { source, span });
    let path_at = Location { source, span: 0..key_text.trim_end().len() };
    Ok(Override { path, path_at, node, value })
}

/// Makes every part of a value point to one place.
fn point_to(node: &mut Node, at: &Location) {
    node.at = at.clone();
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|i| point_to(i, at)),
        Value::Table(table) => {
            for entry in &mut table.entries {
                entry.key_at = at.clone();
                point_to(&mut entry.node, at);
            }
        }
        _ => {}
    }
}

/// The place in a list that a path segment means: a number, or the `name` of an entry.
fn place_in_list(segment: &str, names: &[Option<String>]) -> Option<usize> {
    segment
        .parse::<usize>()
        .ok()
        .filter(|&i| i < names.len())
        .or_else(|| names.iter().position(|n| n.as_deref() == Some(segment)))
}

impl Override {
    /// Lays the value over the tree.
    pub fn apply_to_tree(&self, scene: &mut Table) -> Result<(), Box<Diagnostic>> {
        lay_over(scene, &self.path, &self.path_at, &self.node)
    }

    /// Writes the value into the text. Paths that lead nowhere have been refused by [`Override::apply_to_tree`].
    pub fn apply_to_text(&self, document: &mut DocumentMut) {
        let Some((last, before)) = self.path.split_last() else { return };
        let mut segments = before.iter().peekable();
        let mut table: &mut dyn TableLike = document.as_table_mut();
        let mut inline = false;
        while let Some(segment) = segments.next() {
            let item = table.entry(segment).or_insert_with(|| {
                if inline {
                    Item::Value(toml_edit::Value::InlineTable(toml_edit::InlineTable::new()))
                } else {
                    let mut new = toml_edit::Table::new();
                    // Without keys of its own it needs no header line.
                    new.set_implicit(true);
                    Item::Table(new)
                }
            });
            let names = names_in_list(item);
            let place = match &names {
                Some(names) => match segments.next().and_then(|s| place_in_list(s, names)) {
                    Some(place) => Some(place),
                    None => return,
                },
                None => None,
            };
            inline |= item.is_value();
            let Some(next) = enter(item, place) else { return };
            table = next;
        }
        match table.get_mut(last) {
            Some(item) => *item = Item::Value(self.value.clone()),
            None => {
                table.insert(last, Item::Value(self.value.clone()));
            }
        }
    }
}

/// The number at a path of a scene's text, in SI units: what `--set` would lay a value over. `None` if there is none.
///
/// ```
/// let text = "walls = [{ name = 'cone', cone = { from = '0 0 1 cm', to = '0 0 5 cm', radius_from = '12 mm', radius_to = '3 cm' } }]";
/// assert_eq!(tumble_io::scene::number_at(text, "walls.cone.cone.radius_from"), Some(0.012));
/// assert_eq!(tumble_io::scene::number_at(text, "walls.cone.cone.height"), None);
/// ```
pub fn number_at(text: &str, path: &str) -> Option<f64> {
    let (tree, wrong) = parse_tree(text, 0);
    let parsed = parse_override(&format!("{path}=0"), 1).ok().filter(|_| wrong.is_empty())?;
    let (first, rest) = parsed.path.split_first()?;
    let mut value = &tree.get(first)?.node.value;
    for segment in rest {
        value = match value {
            Value::Table(table) => &table.get(segment)?.node.value,
            Value::Array(items) => {
                let names: Vec<_> = items.iter().map(name_of).collect();
                &items[place_in_list(segment, &names)?].value
            }
            _ => return None,
        };
    }
    match value {
        Value::Integer(number) => number.map(|number| number as f64),
        Value::Float(number) => Some(*number),
        // A quantity tells its own dimension.
        Value::Text(text) => match parse_quantity(text, Dimension::NUMBER) {
            Ok(number) => Some(number),
            Err(UnitError::WrongDimension { found, .. }) => parse_quantity(text, found).ok(),
            Err(_) => None,
        },
        _ => None,
    }
}

/// Lays a value over a tree at a path, which was written at a place. Tables that are not there are made.
pub(crate) fn lay_over(
    scene: &mut Table,
    path: &[String],
    path_at: &Location,
    node: &Node,
) -> Result<(), Box<Diagnostic>> {
    let Some((last, before)) = path.split_last() else { return Ok(()) };
    let mut table = scene;
    let mut segments = before.iter();
    while let Some(segment) = segments.next() {
        let index = match table.entries.iter().position(|e| &e.key == segment) {
            Some(index) => index,
            None => {
                let node = Node { at: node.at.clone(), value: Value::Table(Table::default()) };
                table.entries.push(Entry { key: segment.clone(), key_at: path_at.clone(), node });
                table.entries.len() - 1
            }
        };
        let mut inner = &mut table.entries[index].node;
        if let Value::Array(items) = &inner.value {
            let names: Vec<_> = items.iter().map(name_of).collect();
            let Some(wanted) = segments.next() else {
                let what = format!("`{segment}` is a list: say which entry, as in {segment}.0.{last}");
                return Err(error(path_at.source, path_at.span.clone(), what, "no entry of the list is meant"));
            };
            let Some(place) = place_in_list(wanted, &names) else {
                let what = format!("the list `{segment}` has no entry {wanted:?}");
                let known: Vec<_> = names.iter().flatten().map(|n| format!("{n:?}")).collect();
                let named = if known.is_empty() { String::new() } else { format!(": {}", known.join(", ")) };
                let expected = format!("it has {} entries, counted from 0{named}", names.len());
                return Err(error(path_at.source, path_at.span.clone(), what, &expected));
            };
            let Value::Array(items) = &mut inner.value else { return Ok(()) };
            inner = &mut items[place];
        }
        match &mut inner.value {
            Value::Table(next) => table = next,
            other => {
                let what = format!("`{segment}` is {}, so it has no key `{last}`", other.kind());
                return Err(error(path_at.source, path_at.span.clone(), what, "this path leads nowhere"));
            }
        }
    }
    match table.entries.iter_mut().find(|e| &e.key == last) {
        Some(entry) => entry.node = node.clone(),
        None => {
            table.entries.push(Entry { key: last.clone(), key_at: path_at.clone(), node: node.clone() });
        }
    }
    Ok(())
}

fn name_of(node: &Node) -> Option<String> {
    match &node.value {
        Value::Table(table) => match &table.get("name")?.node.value {
            Value::Text(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The `name` of every entry, if the item is a list.
fn names_in_list(item: &Item) -> Option<Vec<Option<String>>> {
    match item {
        Item::ArrayOfTables(tables) => {
            Some(tables.iter().map(|t| t.get("name").and_then(Item::as_str).map(String::from)).collect())
        }
        Item::Value(toml_edit::Value::Array(values)) => Some(
            values
                .iter()
                .map(|v| v.as_inline_table()?.get("name").and_then(|n| n.as_str()).map(String::from))
                .collect(),
        ),
        _ => None,
    }
}

/// The table of an item, or of one entry of a list.
fn enter(item: &mut Item, place: Option<usize>) -> Option<&mut dyn TableLike> {
    match (item, place) {
        (Item::ArrayOfTables(tables), Some(place)) => tables.get_mut(place).map(|t| t as &mut dyn TableLike),
        (Item::Value(toml_edit::Value::Array(values)), Some(place)) => {
            values.get_mut(place)?.as_inline_table_mut().map(|t| t as &mut dyn TableLike)
        }
        (item, None) => item.as_table_like_mut(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree without places, for comparing.
    fn shape(table: &Table) -> String {
        fn value(v: &Value) -> String {
            match v {
                Value::Table(t) => shape(t),
                Value::Array(items) => {
                    format!("[{}]", items.iter().map(|i| value(&i.value)).collect::<Vec<_>>().join(","))
                }
                other => format!("{other:?}"),
            }
        }
        let mut entries: Vec<_> = table.entries.iter().map(|e| format!("{}={}", e.key, value(&e.node.value))).collect();
        entries.sort();
        format!("{{{}}}", entries.join(","))
    }

    #[test]
    fn tree_and_text_agree() {
        let text = "# a comment\nseed = 1\ntime.end = 2 # dotted\n[materials.glass]\nyoung = \"5 MPa\"\n\
                    [[walls]]\nname = \"floor\"\nplane = { point = [0, 0, 0], normal = [0, 0, 1] }\n\
                    [[walls]]\n[walls.box]\nfrom = 0\n[output]\nprobes = [{ name = \"a\", stress = { bins = 1 } }]\n";
        for settings in [
            &["seed=7"][..],
            &["time.step=1e-5", "time.end=0x10"],
            &["time.step=10 us", "title=two words"],
            &["gravity=[0, 0, -1.6]", "materials.glass.young=1e9"],
            &["materials.new.density=2", "materials.new.young=3", "engine.skin=1"],
            &["walls.0.plane.normal=[1,0,0]", "walls.floor.material=\"glass\"", "walls.1.box.to=5"],
            &["output.probes.a.stress.bins=7", "output.probes.0.interval=2", "output.vtk=false"],
            &["walls=[]", "domain={ from = [0,0,0], edges = { x = \"periodic\" } }", "domain.edges.y=open"],
            &["\"a b\".c=1", "law.linear.stiffness=1", "law.linear.tangential_ratio=0.5"],
            &["time={ end = 1 }", "materials.glass={ preset = \"glass\" }", "output.probes=[]"],
        ] {
            let (mut tree, wrong) = parse_tree(text, 0);
            assert!(wrong.is_empty());
            let mut document: DocumentMut = text.parse().unwrap();
            for setting in settings {
                let parsed = parse_override(setting, 1).unwrap_or_else(|e| panic!("{setting}: {e:?}"));
                parsed.apply_to_tree(&mut tree).unwrap_or_else(|e| panic!("{setting}: {e:?}"));
                parsed.apply_to_text(&mut document);
            }
            let written = document.to_string();
            let (again, wrong) = parse_tree(&written, 0);
            assert!(wrong.is_empty(), "{settings:?} gave\n{written}\n{wrong:?}");
            assert_eq!(shape(&again), shape(&tree), "{settings:?} gave\n{written}");
            assert!(written.contains("# a comment"));
        }
    }

    #[test]
    fn what_cannot_be_set_is_refused() {
        for setting in ["seed", "=5", "seed=", "a..b=1", "a b=1", "gravity=[0,0", "x=\"abc", "a\nb=1", ""] {
            assert!(parse_override(setting, 1).is_err(), "{setting:?} was read");
        }
        for setting in ["walls.5.name=1", "walls.name=1", "walls.roof.name=1", "seed.x=1", "seed.x.y=1"] {
            let (mut tree, _) = parse_tree("seed = 1\n[[walls]]\nname = \"floor\"\n", 0);
            let parsed = parse_override(setting, 1).unwrap();
            assert!(parsed.apply_to_tree(&mut tree).is_err(), "{setting:?} was applied");
        }
    }
}
