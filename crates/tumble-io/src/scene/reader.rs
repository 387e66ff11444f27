//! Reads tables by their declarations and collects everything that is wrong.
//!
//! Opening a table checks its keys against the declaration: unknown ones, missing ones, alternatives. The getters
//! check one value each. A getter gives `None` both for a key that is absent and for one that is wrong; the wrong one
//! has been reported, and a scene with reports is refused as a whole, so defaults may be filled in for both.

use super::context::Context;
use super::tree::{Entry, Node, Table, Value};
use super::values::{AXIS_ANGLE, PLAIN_NUMBER, components_of, direction_of, normalised, quantity_of};
use crate::diagnostic::{Diagnostic, Location, Severity, nearest};
use crate::schema::{Bound, FieldSpec, Kind, Presence, TableSpec};
use crate::units::{Dimension, UnitError, parse_quantity};
use glam::{DQuat, DVec3};

/// So many unknown keys of a table are told one by one; whoever has more has not written a scene.
const MOST_UNKNOWN: usize = 50;

/// An open table.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    pub context: &'a Context,
    table: &'a Table,
    spec: &'static TableSpec,
    /// Path of the table; empty for the scene.
    pub path: String,
    /// Where the table was written.
    pub at: &'a Location,
    /// Keys that unknown keys were probably meant to be; they are not reported as missing.
    meant: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    /// Opens a table and checks its keys.
    pub fn open(
        context: &'a Context,
        table: &'a Table,
        spec: &'static TableSpec,
        path: String,
        at: &'a Location,
    ) -> Reader<'a> {
        let mut reader = Reader { context, table, spec, path, at, meant: Vec::new() };
        reader.check_known_keys();
        reader.check_presence();
        reader
    }

    fn check_known_keys(&mut self) {
        let unknown = self.table.entries.iter().filter(|entry| self.spec.field(&entry.key).is_none());
        for (number, entry) in unknown.clone().enumerate() {
            if number == MOST_UNKNOWN {
                let rest = unknown.count() - number;
                self.context.report(Diagnostic {
                    severity: Severity::Error,
                    key: self.path.clone(),
                    message: format!("{rest} more unknown keys"),
                    at: Some(entry.key_at.clone()),
                    expected: "is this a scene?".to_string(),
                    help: None,
                    also: None,
                });
                break;
            }
            let known = self.spec.fields.iter().map(|f| f.key);
            let expected = match nearest(&entry.key, known.clone()) {
                Some(near) => {
                    self.meant.push(near);
                    format!("did you mean `{near}`?")
                }
                None => "not a key of this table".to_string(),
            };
            let keys: Vec<_> = known.collect();
            let help = if keys.is_empty() {
                "this table has no keys: write {}".to_string()
            } else {
                format!("known keys here: {}", keys.join(", "))
            };
            self.context.report(Diagnostic {
                severity: Severity::Error,
                key: self.key_path(&entry.key),
                message: "unknown key".into(),
                at: Some(entry.key_at.clone()),
                expected,
                help: Some(help),
                also: None,
            });
        }
    }

    fn check_presence(&self) {
        for field in self.spec.fields {
            if field.presence == Presence::Required && self.table.get(field.key).is_none() {
                self.missing(field);
            }
        }
        for alternatives in self.spec.alternatives {
            let given: Vec<&Entry> = alternatives.keys.iter().filter_map(|k| self.table.get(k)).collect();
            let keys: Vec<_> = alternatives.keys.iter().map(|k| format!("`{k}`")).collect();
            match given.as_slice() {
                [] if alternatives.required && !alternatives.keys.iter().any(|k| self.meant.contains(k)) => {
                    let what = match keys.as_slice() {
                        [only] => format!("{only} is missing"),
                        several => format!("one of {} is missing", several.join(", ")),
                    };
                    self.report_here(what, self.example_of(alternatives.keys[0]));
                }
                [] | [_] => {}
                [first, second, ..] => self.context.report(Diagnostic {
                    severity: Severity::Error,
                    key: self.key_path(&second.key),
                    message: format!("`{}` and `{}` cannot both be given", first.key, second.key),
                    at: Some(second.key_at.clone()),
                    expected: format!("only one of {} may be there", keys.join(", ")),
                    help: None,
                    also: Some((first.key_at.clone(), "already given here".into())),
                }),
            }
        }
    }

    fn example_of(&self, key: &str) -> String {
        self.spec.field(key).map(|f| format!("for example {} = {}", f.key, f.example)).unwrap_or_default()
    }

    fn missing(&self, field: &FieldSpec) {
        if self.meant.contains(&field.key) {
            return;
        }
        self.report_here(format!("`{}` is missing", field.key), format!("add {} = {}", field.key, field.example));
    }

    /// Reports that a key is missing which is needed in this case only.
    pub fn report_missing(&self, key: &str) {
        if let Some(field) = self.spec.field(key) {
            self.missing(field);
        }
    }

    /// Reports an error about the table as a whole.
    pub fn report_here(&self, message: impl Into<String>, expected: impl Into<String>) {
        let mut at = self.at.clone();
        // The scene as a whole has no place of its own: its first line stands for it.
        if self.path.is_empty() {
            at.span = 0..0;
        }
        self.context.error(&self.path, &at, message, expected);
    }

    /// Reports an error about the value of a key.
    pub fn report_at(&self, key: &'static str, message: impl Into<String>, expected: impl Into<String>) {
        match self.table.get(key) {
            Some(entry) => self.context.error(&self.key_path(key), &entry.node.at, message, expected),
            None => self.report_here(message, expected),
        }
    }

    pub fn key_path(&self, key: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let key = if key.chars().all(plain) && !key.is_empty() { key.to_string() } else { format!("{key:?}") };
        if self.path.is_empty() { key } else { format!("{}.{key}", self.path) }
    }

    /// The declaration and, if it is there, the entry of a key.
    fn ask(&self, key: &'static str) -> (Option<&'static FieldSpec>, Option<&'a Entry>) {
        let field = self.spec.field(key);
        debug_assert!(field.is_some(), "{}.{key} is read but not declared", self.spec.name);
        self.context.asked.borrow_mut().insert((self.spec.name, key));
        let entry = self.table.get(key).filter(|_| field.is_some());
        if entry.is_some() {
            self.context.present.borrow_mut().insert((self.spec.name, key));
        }
        (field, entry)
    }

    /// The declared kind, the value and its path, if the key is there.
    fn value(&self, key: &'static str) -> Option<(&'static Kind, &'a Node, String)> {
        match self.ask(key) {
            (Some(field), Some(entry)) => Some((&field.kind, &entry.node, self.key_path(key))),
            _ => None,
        }
    }

    /// The entry of a key as it was written, if it is there.
    pub fn entry(&self, key: &'static str) -> Option<&'a Entry> {
        self.ask(key).1
    }

    /// All entries whose keys are declared, as they were written.
    pub fn known_entries(&self) -> Vec<&'a Entry> {
        self.spec.fields.iter().filter_map(|field| self.ask(field.key).1).collect()
    }

    /// Whether a key is there.
    pub fn has(&self, key: &'static str) -> bool {
        self.ask(key).1.is_some()
    }

    /// Where the value of a key was written.
    pub fn place(&self, key: &'static str) -> Option<&'a Location> {
        self.table.get(key).map(|e| &e.node.at)
    }

    fn wrong_kind(&self, kind: &Kind, node: &Node, path: &str) {
        let found = node.value.shown_with_kind();
        self.context.error(path, &node.at, format!("found {found}"), format!("wants {}", kind.in_words()));
    }

    /// A text, a name or a file.
    pub fn text(&self, key: &'static str) -> Option<&'a str> {
        let (kind, node, path) = self.value(key)?;
        match &node.value {
            Value::Text(text) => Some(text),
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    pub fn flag(&self, key: &'static str) -> Option<bool> {
        let (kind, node, path) = self.value(key)?;
        match node.value {
            Value::Flag(flag) => Some(flag),
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    pub fn count(&self, key: &'static str) -> Option<u64> {
        let (kind, node, path) = self.value(key)?;
        let (least, most) = if let Kind::Count { least, most } = kind { (*least, *most) } else { (0, u64::MAX) };
        match node.value {
            Value::Integer(Some(number)) if u64::try_from(number).is_ok_and(|n| (least..=most).contains(&n)) => {
                Some(number as u64)
            }
            Value::Float(number)
                if number.fract() == 0.0 && number >= least as f64 && number <= most.min(1 << 53) as f64 =>
            {
                Some(number as u64)
            }
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    /// A quantity in SI.
    pub fn quantity(&self, key: &'static str) -> Option<f64> {
        let (kind, node, path) = self.value(key)?;
        quantity_of(self.context, kind, node, &path)
    }

    /// A quantity of the second kind where the first was not meant: the dimension it has, and its SI value.
    pub fn quantity_of_either(&self, key: &'static str) -> Option<(Dimension, f64)> {
        let (kind, node, path) = self.value(key)?;
        let Kind::Either(kinds) = kind else { return None };
        if let Value::Text(text) = &node.value {
            for candidate in *kinds {
                if let Kind::Quantity(dimension, _) = candidate
                    && parse_quantity(text, *dimension).is_ok()
                {
                    return Some((*dimension, quantity_of(self.context, candidate, node, &path)?));
                }
            }
            let reason = match parse_quantity(text, Dimension::NUMBER) {
                Err(error) => error.to_string(),
                Ok(_) => format!("found {text:?}"),
            };
            self.context.error(&path, &node.at, reason, format!("wants {}", kind.in_words()));
            return None;
        }
        match kinds.first() {
            Some(first @ Kind::Quantity(dimension, _)) => {
                Some((*dimension, quantity_of(self.context, first, node, &path)?))
            }
            _ => None,
        }
    }

    pub fn quantities(&self, key: &'static str) -> Option<Vec<f64>> {
        let (kind, node, path) = self.value(key)?;
        let (Kind::Quantities(dimension, bound), Value::Array(items)) = (kind, &node.value) else {
            self.wrong_kind(kind, node, &path);
            return None;
        };
        let one = Kind::Quantity(*dimension, *bound);
        // Every item is read before any is given up, so that all mistakes are reported.
        let read: Vec<_> =
            items.iter().enumerate().map(|(i, n)| quantity_of(self.context, &one, n, &format!("{path}.{i}"))).collect();
        read.into_iter().collect()
    }

    /// A word of the declared list, or a quantity: `Ok` the word's number, `Err` the quantity.
    pub fn word_or_quantity(&self, key: &'static str) -> Option<Result<usize, f64>> {
        let (kind, node, path) = self.value(key)?;
        let Kind::Either([Kind::Word(words), quantity]) = kind else { return None };
        if let Value::Text(text) = &node.value {
            if let Some(index) = words.iter().position(|w| w.word == text) {
                return Some(Ok(index));
            }
            if matches!(parse_quantity(text, Dimension::NUMBER), Err(UnitError::NoNumber(_))) {
                self.unknown_word(words.iter().map(|w| w.word), text, kind, node, &path);
                return None;
            }
        }
        quantity_of(self.context, quantity, node, &path).map(Err)
    }

    /// The number of the word in its declared list.
    pub fn word(&self, key: &'static str) -> Option<usize> {
        let (kind, node, path) = self.value(key)?;
        self.word_of(kind, node, &path)
    }

    fn word_of(&self, kind: &Kind, node: &Node, path: &str) -> Option<usize> {
        match (kind, &node.value) {
            (Kind::Word(words), Value::Text(text)) => {
                let found = words.iter().position(|w| w.word == text);
                if found.is_none() {
                    self.unknown_word(words.iter().map(|w| w.word), text, kind, node, path);
                }
                found
            }
            _ => {
                self.wrong_kind(kind, node, path);
                None
            }
        }
    }

    fn unknown_word<'w>(&self, words: impl Iterator<Item = &'w str>, text: &str, kind: &Kind, node: &Node, path: &str) {
        let mut expected = format!("wants {}", kind.in_words());
        if let Some(near) = nearest(text, words) {
            expected = format!("did you mean {near:?}?");
        }
        self.context.report(Diagnostic {
            severity: Severity::Error,
            key: path.to_string(),
            message: format!("found {text:?}"),
            at: Some(node.at.clone()),
            help: expected.starts_with("did").then(|| format!("it wants {}", kind.in_words())),
            expected,
            also: None,
        });
    }

    pub fn words(&self, key: &'static str) -> Option<Vec<usize>> {
        let (kind, node, path) = self.value(key)?;
        let (Kind::Words(words), Value::Array(items)) = (kind, &node.value) else {
            self.wrong_kind(kind, node, &path);
            return None;
        };
        let one = Kind::Word(words);
        items.iter().enumerate().map(|(i, item)| self.word_of(&one, item, &format!("{path}.{i}"))).collect()
    }

    /// Whether a key holds a text, as opposed to a table or list.
    pub fn is_text(&self, key: &'static str) -> bool {
        matches!(self.ask(key).1.map(|e| &e.node.value), Some(Value::Text(_)))
    }

    /// Whether a key holds a table.
    pub fn is_table(&self, key: &'static str) -> bool {
        matches!(self.ask(key).1.map(|e| &e.node.value), Some(Value::Table(_)))
    }

    /// A quantity where a table is also allowed.
    pub fn quantity_not_table(&self, key: &'static str) -> Option<f64> {
        let (kind, node, path) = self.value(key)?;
        match kind {
            Kind::Either([quantity @ Kind::Quantity(..), ..]) if !matches!(node.value, Value::Array(_)) => {
                quantity_of(self.context, quantity, node, &path)
            }
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    /// A word where a table or a rotation is also allowed.
    pub fn word_not_table(&self, key: &'static str) -> Option<usize> {
        let (kind, node, path) = self.value(key)?;
        match kind {
            Kind::Either([Kind::Word(words), ..]) => {
                let Value::Text(text) = &node.value else { return None };
                let found = words.iter().position(|w| w.word == text);
                if found.is_none() {
                    self.unknown_word(words.iter().map(|w| w.word), text, kind, node, &path);
                }
                found
            }
            _ => None,
        }
    }

    pub fn vector(&self, key: &'static str) -> Option<DVec3> {
        let (kind, node, path) = self.value(key)?;
        let Kind::Vector(dimension) = kind else { return None };
        let [x, y, z] = components_of(self.context, *dimension, node, &path)?;
        Some(DVec3::new(x, y, z))
    }

    /// The points of a list; every one is read before any is given up, so that all mistakes are reported.
    pub fn points<const N: usize>(&self, key: &'static str) -> Option<Vec<[f64; N]>> {
        let (kind, node, path) = self.value(key)?;
        let (Kind::Points(dimension, _), Value::Array(items)) = (kind, &node.value) else {
            self.wrong_kind(kind, node, &path);
            return None;
        };
        let read: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(i, item)| components_of(self.context, *dimension, item, &format!("{path}.{i}")))
            .collect();
        read.into_iter().collect()
    }

    /// A unit vector.
    pub fn direction(&self, key: &'static str) -> Option<DVec3> {
        let (kind, node, path) = self.value(key)?;
        direction_of(self.context, kind, node, &path)
    }

    /// A rotation, also where a word is allowed before it.
    pub fn rotation(&self, key: &'static str) -> Option<DQuat> {
        let (kind, node, path) = self.value(key)?;
        match &node.value {
            Value::Array(items) if items.len() == 4 => {
                let q: Vec<_> = items
                    .iter()
                    .enumerate()
                    .map(|(i, n)| quantity_of(self.context, &PLAIN_NUMBER, n, &format!("{path}.{i}")))
                    .collect();
                let q: Option<Vec<f64>> = q.into_iter().collect();
                let q = q?;
                let quaternion = normalised([q[1], q[2], q[3], q[0]]);
                if quaternion.is_none() {
                    self.context.error(
                        &path,
                        &node.at,
                        "the zero quaternion is not a rotation",
                        "wants [w, x, y, z] not all zero; [1, 0, 0, 0] turns nothing",
                    );
                }
                quaternion.map(DQuat::from_array)
            }
            Value::Table(table) => {
                let reader = Reader::open(self.context, table, &AXIS_ANGLE, path, &node.at);
                let (axis, angle) = (reader.direction("axis"), reader.quantity("angle"));
                Some(DQuat::from_axis_angle(axis?, angle?))
            }
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    /// Opens the table at a key.
    pub fn table(&self, key: &'static str) -> Option<Reader<'a>> {
        let (kind, node, path) = self.value(key)?;
        let spec = match kind {
            Kind::Table(spec) => *spec,
            Kind::Either(kinds) => kinds.iter().find_map(|k| if let Kind::Table(s) = k { Some(*s) } else { None })?,
            _ => return None,
        };
        match &node.value {
            Value::Table(table) => Some(Reader::open(self.context, table, spec, path, &node.at)),
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    /// Opens the table at a key, or those of the list there; `None` if nothing is there, or something else.
    pub fn table_or_tables(&self, key: &'static str) -> Option<Vec<Reader<'a>>> {
        let (kind, node, path) = self.value(key)?;
        let Kind::Either([Kind::Table(spec), Kind::List(_)]) = kind else { return None };
        let open = |node: &'a Node, path: String| match &node.value {
            Value::Table(table) => Some(Reader::open(self.context, table, spec, path, &node.at)),
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        };
        match &node.value {
            Value::Array(items) => {
                items.iter().enumerate().map(|(i, item)| open(item, format!("{path}.{i}"))).collect()
            }
            _ => open(node, path).map(|table| vec![table]),
        }
    }

    /// Opens the tables of a list, or of a table of named tables (then with their names, in alphabetical order).
    pub fn tables(&self, key: &'static str) -> Vec<(&'a str, Reader<'a>)> {
        let Some((kind, node, path)) = self.value(key) else { return Vec::new() };
        let mut found = Vec::new();
        match (kind, &node.value) {
            (Kind::List(spec), Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    let path = format!("{path}.{i}");
                    match &item.value {
                        Value::Table(t) => found.push(("", Reader::open(self.context, t, spec, path, &item.at))),
                        _ => self.wrong_kind(&Kind::Table(spec), item, &path),
                    }
                }
            }
            (Kind::Named(spec), Value::Table(table)) => {
                // Alphabetical, so that the order of the text (and of overrides) makes no difference to the run.
                let mut entries: Vec<&Entry> = table.entries.iter().collect();
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                for entry in entries {
                    let here = Reader {
                        context: self.context,
                        table,
                        spec,
                        path: path.clone(),
                        at: &node.at,
                        meant: Vec::new(),
                    };
                    let path = here.key_path(&entry.key);
                    match &entry.node.value {
                        Value::Table(t) => {
                            let opened = Reader::open(self.context, t, spec, path, &entry.node.at);
                            found.push((entry.key.as_str(), opened));
                        }
                        _ => self.wrong_kind(&Kind::Table(spec), &entry.node, &path),
                    }
                }
            }
            _ => {
                self.wrong_kind(kind, node, &path);
                return found;
            }
        }
        let empty = match &node.value {
            Value::Array(items) => items.is_empty(),
            Value::Table(table) => table.entries.is_empty(),
            _ => false,
        };
        if empty && let Some(field) = self.spec.field(key).filter(|f| !matches!(f.presence, Presence::Optional(_))) {
            let expected = format!("wants at least one, such as {key} = {}", field.example);
            self.context.error(&path, &node.at, "found none", expected);
        }
        found
    }

    /// The names with shares at a key, where they were written, and their paths. A single name has the share 1.
    pub fn shares(&self, key: &'static str) -> Option<Vec<(&'a str, f64, &'a Location, String)>> {
        let (kind, node, path) = self.value(key)?;
        match &node.value {
            Value::Text(name) => Some(vec![(name.as_str(), 1.0, &node.at, path)]),
            Value::Table(table) if !table.entries.is_empty() => {
                let positive = Kind::Quantity(Dimension::NUMBER, Bound::POSITIVE);
                let read: Vec<_> = table
                    .entries
                    .iter()
                    .map(|e| {
                        let path = format!("{path}.{}", e.key);
                        let share = quantity_of(self.context, &positive, &e.node, &path)?;
                        Some((e.key.as_str(), share, &e.key_at, path))
                    })
                    .collect();
                let read: Option<Vec<_>> = read.into_iter().collect();
                // Alphabetical, so that the order of the text makes no difference to the run.
                read.map(|mut r| {
                    r.sort_by(|a, b| a.0.cmp(b.0));
                    r
                })
            }
            _ => {
                self.wrong_kind(kind, node, &path);
                None
            }
        }
    }

    /// The names of a list, where they were written, and their paths.
    pub fn names(&self, key: &'static str) -> Option<Vec<(&'a str, &'a Location, String)>> {
        let (kind, node, path) = self.value(key)?;
        let Value::Array(items) = &node.value else {
            self.wrong_kind(kind, node, &path);
            return None;
        };
        let name = |(number, item): (usize, &'a Node)| match &item.value {
            Value::Text(name) => Some((name.as_str(), &item.at, format!("{path}.{number}"))),
            _ => {
                self.wrong_kind(kind, item, &format!("{path}.{number}"));
                None
            }
        };
        let read: Vec<_> = items.iter().enumerate().map(name).collect();
        read.into_iter().collect()
    }

    /// Two names and where they were written.
    pub fn pair_of_names(&self, key: &'static str) -> Option<[(&'a str, &'a Location); 2]> {
        let (kind, node, path) = self.value(key)?;
        if let Value::Array(items) = &node.value
            && let [a, b] = items.as_slice()
            && let (Value::Text(a_name), Value::Text(b_name)) = (&a.value, &b.value)
        {
            return Some([(a_name, &a.at), (b_name, &b.at)]);
        }
        self.wrong_kind(kind, node, &path);
        None
    }
}
