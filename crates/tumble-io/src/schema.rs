//! The keys of a scene file, declared once.
//!
//! The reader, its messages and suggestions, the JSON schema for editors and the key reference of the book all come
//! from the declarations in [`SCENE`]. The reader cannot ask for a key that is not declared, and a test holds that
//! every declared key is read.

mod json;
mod keys;
mod markdown;

pub use json::json_schema;
pub use keys::SCENE;
pub(crate) use keys::*;
pub use markdown::markdown_reference;

use crate::units::Dimension;

/// A table of the scene file.
#[derive(Debug)]
pub struct TableSpec {
    /// Its name in the reference, unlike that of any other table.
    pub name: &'static str,
    /// What it is for, in a sentence.
    pub doc: &'static str,
    /// Its keys.
    pub fields: &'static [FieldSpec],
    /// Keys of which only one may be there.
    pub alternatives: &'static [Alternatives],
}

/// Keys of which only one may be there.
#[derive(Debug)]
pub struct Alternatives {
    /// The keys.
    pub keys: &'static [&'static str],
    /// Whether one of them must be there.
    pub required: bool,
}

/// A key.
#[derive(Debug)]
pub struct FieldSpec {
    /// The key.
    pub key: &'static str,
    /// What may stand there.
    pub kind: Kind,
    /// Whether it must be there, and what holds if it is not.
    pub presence: Presence,
    /// What it means, in a sentence.
    pub doc: &'static str,
    /// A value as one would write it in TOML.
    pub example: &'static str,
}

/// Whether a key must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Required,
    /// No; the text says what holds without it.
    Optional(&'static str),
    /// It is one of the table's [`Alternatives`].
    Alternative,
}

/// What may stand at a key.
#[derive(Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// true or false.
    Flag,
    /// A whole number.
    Count {
        /// The smallest one.
        least: u64,
        /// The largest one.
        most: u64,
    },
    /// A number (SI) or a text with a unit.
    Quantity(Dimension, Bound),
    /// A list of quantities.
    Quantities(Dimension, Bound),
    /// Three quantities, `["1 cm", 0, 0]`, or a text with three numbers and a unit, `"1 0 0 cm"`.
    Vector(Dimension),
    /// A list of points, each of so many quantities (2 or 3), as in `[[0, 0], ["1 cm", 0]]`; of three also as texts.
    Points(Dimension, usize),
    /// Three numbers, not all zero; only their direction counts.
    Direction,
    /// A quaternion `[w, x, y, z]`, or `{ axis = [0, 0, 1], angle = "30 deg" }`.
    Rotation,
    /// One of some words.
    Word(&'static [Word]),
    /// A list of some words.
    Words(&'static [Word]),
    /// The name of something declared elsewhere in the scene: a material, a shape, a kind of grain.
    Name(&'static str),
    /// Two such names.
    PairOfNames(&'static str),
    /// A list of such names.
    Names(&'static str),
    /// Such a name, or a table of names with shares: `{ sand = 0.9, gravel = 0.1 }`.
    Shares(&'static str),
    /// The name of a file, relative to the scene file.
    File,
    /// A table.
    Table(&'static TableSpec),
    /// A table of tables, each under a name of the user's choice.
    Named(&'static TableSpec),
    /// A list of tables.
    List(&'static TableSpec),
    /// Any of these.
    Either(&'static [Kind]),
}

/// A word that may stand at a key.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub word: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// Which numbers make sense, and why others do not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Smallest number.
    pub low: f64,
    /// Whether the smallest number itself is allowed.
    pub low_included: bool,
    /// Largest number.
    pub high: f64,
    /// Whether the largest number itself is allowed.
    pub high_included: bool,
    /// Why numbers outside make no sense; may be empty where that is plain.
    pub reason: &'static str,
}

impl Bound {
    /// Any number.
    pub const ANY: Bound =
        Bound { low: f64::NEG_INFINITY, low_included: false, high: f64::INFINITY, high_included: false, reason: "" };
    /// Above zero.
    pub const POSITIVE: Bound = Bound { low: 0.0, ..Bound::ANY };
    /// Zero or above.
    pub const NOT_NEGATIVE: Bound = Bound { low: 0.0, low_included: true, ..Bound::ANY };

    /// The same bound with a reason.
    pub const fn because(self, reason: &'static str) -> Bound {
        Bound { reason, ..self }
    }

    /// Whether a number is allowed.
    pub fn allows(&self, x: f64) -> bool {
        (x > self.low || self.low_included && x == self.low) && (x < self.high || self.high_included && x == self.high)
    }

    /// The bound in words; empty where everything is allowed.
    pub fn in_words(&self) -> String {
        let low = match (self.low == f64::NEG_INFINITY, self.low_included) {
            (true, _) => None,
            (false, true) => Some(format!("at least {}", self.low)),
            (false, false) => Some(format!("above {}", self.low)),
        };
        let high = match (self.high == f64::INFINITY, self.high_included) {
            (true, _) => None,
            (false, true) => Some(format!("at most {}", self.high)),
            (false, false) => Some(format!("below {}", self.high)),
        };
        [low, high].into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

impl Kind {
    /// What is wanted, in words with an example, for messages and the reference.
    pub fn in_words(&self) -> String {
        match self {
            Kind::Text => "a text".into(),
            Kind::Flag => "true or false".into(),
            Kind::Count { least, most } if *most == i64::MAX as u64 => format!("a whole number, at least {least}"),
            Kind::Count { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Quantity(dimension, bound) => {
                with_bound(format!("{} such as {}", dimension.in_words(), quoted(*dimension)), bound)
            }
            Kind::Quantities(dimension, bound) => {
                with_bound(format!("a list, each {} such as {}", dimension.in_words(), quoted(*dimension)), bound)
            }
            Kind::Vector(dimension) => components_in_words(*dimension, 3),
            Kind::Points(dimension, n) => format!("a list of points, each of {}", components_in_words(*dimension, *n)),
            Kind::Direction => "a direction such as [0, 0, 1]".into(),
            Kind::Rotation => {
                "a quaternion [w, x, y, z] or an axis and angle such as { axis = [0, 0, 1], angle = \"30 deg\" }".into()
            }
            Kind::Word(words) => one_of(words),
            Kind::Words(words) => format!("a list of words, each {}", one_of(words)),
            Kind::Name(what) => format!("the name of a {what}"),
            Kind::PairOfNames(what) => format!("two names of a {what}, as in [\"a\", \"b\"]"),
            Kind::Names(what) => format!("a list of names of a {what}, such as [\"a\", \"b\"]"),
            Kind::Shares(what) => format!("the name of a {what}, or several with shares as in {{ a = 0.9, b = 0.1 }}"),
            Kind::File => "a file name".into(),
            Kind::Table(spec) => format!("a table with {}", spec.keys_in_words()),
            Kind::Named(_) => "a table of named tables".into(),
            Kind::List(spec) => format!("a list of tables, each with {}", spec.keys_in_words()),
            Kind::Either(kinds) => kinds.iter().map(Kind::in_words).collect::<Vec<_>>().join(", or "),
        }
    }
}

impl TableSpec {
    /// The declaration of a key.
    pub fn field(&self, key: &str) -> Option<&'static FieldSpec> {
        self.fields.iter().find(|f| f.key == key)
    }

    /// The first few keys, for messages.
    fn keys_in_words(&self) -> String {
        let keys: Vec<_> = self.fields.iter().map(|f| format!("`{}`", f.key)).collect();
        match keys.as_slice() {
            [] => "no keys".into(),
            [only] => only.clone(),
            [first, second] => format!("{first} and {second}"),
            [first, second, third] => format!("{first}, {second} and {third}"),
            [first, second, third, ..] => format!("{first}, {second}, {third} ..."),
        }
    }

    /// Every table below this one, itself first, each once.
    pub fn all_tables(&'static self) -> Vec<&'static TableSpec> {
        let mut found: Vec<&'static TableSpec> = vec![self];
        let mut next = 0;
        while next < found.len() {
            for field in found[next].fields {
                field.kind.collect_tables(&mut found);
            }
            next += 1;
        }
        found
    }
}

impl Kind {
    fn collect_tables(&self, found: &mut Vec<&'static TableSpec>) {
        match self {
            Kind::Table(spec) | Kind::Named(spec) | Kind::List(spec) if !found.iter().any(|f| f.name == spec.name) => {
                found.push(spec);
            }
            Kind::Either(kinds) => kinds.iter().for_each(|k| k.collect_tables(found)),
            _ => {}
        }
    }
}

fn with_bound(words: String, bound: &Bound) -> String {
    match bound.in_words() {
        limits if limits.is_empty() => words,
        limits => format!("{words}, {limits}"),
    }
}

/// A vector of so many components, in words.
pub(crate) fn components_in_words(dimension: Dimension, n: usize) -> String {
    let n = if n == 2 { "two" } else { "three" };
    format!("{n} components, each {} such as {}", dimension.in_words(), quoted(dimension))
}

/// An example quantity: in quotes, unless it is a plain number.
fn quoted(dimension: Dimension) -> String {
    if dimension == Dimension::NUMBER { dimension.example() } else { format!("{:?}", dimension.example()) }
}

fn one_of(words: &[Word]) -> String {
    let words: Vec<_> = words.iter().map(|w| format!("{:?}", w.word)).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn declarations_are_consistent() {
        let mut names = BTreeSet::new();
        for table in SCENE.all_tables() {
            assert!(names.insert(table.name), "two tables are called {}", table.name);
            let mut keys = BTreeSet::new();
            for field in table.fields {
                assert!(keys.insert(field.key), "{}.{} is declared twice", table.name, field.key);
                assert!(field.doc.ends_with('.'), "{}.{}: {:?}", table.name, field.key, field.doc);
                let example = format!("x = {}", field.example);
                toml::from_str::<toml::Table>(&example).unwrap_or_else(|e| panic!("{example}: {e}"));
                let alternative = table.alternatives.iter().filter(|a| a.keys.contains(&field.key)).count();
                let expected = usize::from(field.presence == Presence::Alternative);
                assert_eq!(alternative, expected, "{}.{}", table.name, field.key);
            }
            for key in table.alternatives.iter().flat_map(|a| a.keys) {
                assert!(keys.contains(key), "{}: the alternative {key} is not declared", table.name);
            }
        }
    }

    #[test]
    fn bounds_say_what_they_allow() {
        let restitution = Bound { low: 0.0, low_included: false, high: 1.0, high_included: true, reason: "" };
        assert!(!restitution.allows(0.0) && restitution.allows(1.0) && !restitution.allows(1.1));
        assert!(!restitution.allows(f64::NAN) && !Bound::ANY.allows(f64::NAN) && !Bound::ANY.allows(f64::INFINITY));
        assert_eq!(restitution.in_words(), "above 0 and at most 1");
        assert_eq!(Bound::ANY.in_words(), "");
    }
}
