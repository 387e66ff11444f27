//! Names that one part of a scene gives and another refers to.

use super::context::Context;
use super::reader::Reader;
use crate::diagnostic::{Diagnostic, Location, Severity, nearest};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Names of one kind of thing, with their places in the model and in the text.
pub(crate) struct Names {
    what: &'static str,
    list: Vec<(String, String, Location)>,
    used: RefCell<BTreeSet<usize>>,
}

impl Names {
    pub fn new(what: &'static str) -> Names {
        Names { what, list: Vec::new(), used: RefCell::default() }
    }

    pub fn add(&mut self, name: &str, path: &str, at: &Location) {
        self.list.push((name.to_string(), path.to_string(), at.clone()));
    }

    /// Adds a name that must be new, and reports it if it is not.
    pub fn add_new(&mut self, context: &Context, name: &str, path: &str, at: &Location) {
        if let Some((_, _, before)) = self.list.iter().find(|n| n.0 == name) {
            context.report(Diagnostic {
                severity: Severity::Error,
                key: path.to_string(),
                message: format!("the name {name:?} is already taken"),
                at: Some(at.clone()),
                expected: format!("each {} wants a name of its own", self.what),
                help: None,
                also: Some((before.clone(), "taken here".into())),
            });
        }
        self.add(name, path, at);
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The place of a name; an unknown one is reported with the nearest known one.
    pub fn resolve(&self, context: &Context, name: &str, at: &Location, path: &str) -> Option<usize> {
        let found = self.list.iter().position(|n| n.0 == name);
        match found {
            Some(index) => {
                self.used.borrow_mut().insert(index);
            }
            None => {
                let known: Vec<&str> = self.list.iter().map(|n| n.0.as_str()).collect();
                let expected = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None if known.is_empty() => format!("no {} is declared", self.what),
                    None => format!("known: {}", known.join(", ")),
                };
                context.error(path, at, format!("there is no {} called {name:?}", self.what), expected);
            }
        }
        found
    }

    /// The thing that a table refers to by a key, or the only one there is.
    pub fn of_table(&self, reader: &Reader, key: &'static str) -> Option<usize> {
        if let Some(name) = reader.text(key) {
            return self.resolve(reader.context, name, reader.place(key)?, &reader.key_path(key));
        }
        if !reader.has(key) {
            return self.only(reader, key);
        }
        None
    }

    /// The only thing there is; if there are several, the missing key is reported.
    pub fn only(&self, reader: &Reader, key: &str) -> Option<usize> {
        match self.len() {
            1 => {
                self.used.borrow_mut().insert(0);
                Some(0)
            }
            // That there is none at all is reported where they are read.
            0 => None,
            _ => {
                let known: Vec<_> = self.list.iter().map(|n| format!("{:?}", n.0)).collect();
                let what = self.what;
                reader.report_here(
                    format!("`{key}` is missing"),
                    format!("there are several, so say which {what}: {}", known.join(" or ")),
                );
                None
            }
        }
    }

    pub fn mark_used(&self, index: usize) {
        self.used.borrow_mut().insert(index);
    }

    /// Warns of names that nothing refers to.
    pub fn warn_of_unused(&self, context: &Context) {
        for (index, (name, path, at)) in self.list.iter().enumerate() {
            if !self.used.borrow().contains(&index) {
                context.warning(
                    path,
                    Some(at),
                    format!("the {} {name:?} is not used", self.what),
                    "nothing refers to it",
                );
            }
        }
    }
}
