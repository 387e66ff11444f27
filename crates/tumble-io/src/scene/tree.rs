//! The scene as a tree of values that know where they were written, with overrides laid over it.
//!
//! A value from the scene points into the scene's text, a value from an override into the override, so that a message
//! shows what the user wrote and where.

use crate::diagnostic::{Diagnostic, Location, Severity};
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A value and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub at: Location,
    pub value: Value,
}

/// What TOML can say.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    /// An integer, or `None` if it does not fit 64 bits.
    Integer(Option<i64>),
    Float(f64),
    Flag(bool),
    Date(String),
    Array(Vec<Node>),
    Table(Table),
}

/// Entries in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// A key, where it was written, and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_at: Location,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key == key)
    }
}

impl Value {
    /// What kind of value it is, with an article.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a text",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::Date(_) => "a date",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The value as one would read it aloud in a message.
    pub fn shown(&self) -> String {
        match self {
            Value::Text(text) => format!("{text:?}"),
            Value::Integer(Some(number)) => number.to_string(),
            Value::Integer(None) => "an integer that does not fit 64 bits".into(),
            Value::Float(number) => number.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::Date(date) => format!("the date {date}"),
            Value::Array(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".into(),
        }
    }

    /// The same, with the kind of value behind it where the value does not say it.
    pub fn shown_with_kind(&self) -> String {
        let shown = self.shown();
        if shown.starts_with("a ") || shown.starts_with("an ") || shown.starts_with("the ") {
            shown
        } else {
            format!("{shown}, {}", self.kind())
        }
    }
}

/// Reads a text; everything that is wrong with its syntax is in the second part.
pub(crate) fn parse_tree(text: &str, source: usize) -> (Table, Vec<Diagnostic>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let diagnostics = errors
        .iter()
        .map(|error| {
            let span = error.span().unwrap_or(0..0);
            Diagnostic {
                severity: Severity::Error,
                key: String::new(),
                message: format!(
                    "this is not valid TOML: {}",
                    error.message().lines().next().unwrap_or("syntax error")
                ),
                at: Some(Location { source, span }),
                expected: error.message().lines().skip(1).collect::<Vec<_>>().join("; "),
                help: None,
                also: None,
            }
        })
        .collect();
    (convert_table(table.get_ref(), source), diagnostics)
}

fn convert_table(table: &DeTable<'_>, source: usize) -> Table {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_at: Location { source, span: key.span() },
            node: convert(value.get_ref(), value.span(), source),
        })
        .collect();
    entries.sort_by_key(|e| e.key_at.span.start);
    Table { entries }
}

fn convert(value: &DeValue<'_>, span: Range<usize>, source: usize) -> Node {
    let value = match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()),
        // "1e400" overflows to infinity here; the reader refuses infinities.
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| convert(item.get_ref(), item.span(), source)).collect())
        }
        DeValue::Table(table) => Value::Table(convert_table(table, source)),
    };
    Node { at: Location { source, span }, value }
}
