//! What was found wrong with a scene so far.

use crate::diagnostic::{Diagnostic, Location, Severity};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What was found wrong so far, and which keys were asked for.
#[derive(Default)]
pub(crate) struct Context {
    pub diagnostics: RefCell<Vec<Diagnostic>>,
    /// (table, key) that the reader asked for.
    pub asked: RefCell<BTreeSet<(&'static str, &'static str)>>,
    /// (table, key) that were there when asked for.
    pub present: RefCell<BTreeSet<(&'static str, &'static str)>>,
}

impl Context {
    pub fn report(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Reports an error at a place.
    pub fn error(&self, key: &str, at: &Location, message: impl Into<String>, expected: impl Into<String>) {
        self.report(Diagnostic {
            severity: Severity::Error,
            key: key.to_string(),
            message: message.into(),
            at: Some(at.clone()),
            expected: expected.into(),
            help: None,
            also: None,
        });
    }

    pub fn warning(&self, key: &str, at: Option<&Location>, message: impl Into<String>, expected: impl Into<String>) {
        self.report(Diagnostic {
            severity: Severity::Warning,
            key: key.to_string(),
            message: message.into(),
            at: at.cloned(),
            expected: expected.into(),
            help: None,
            also: None,
        });
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.borrow().iter().any(|d| d.severity == Severity::Error)
    }
}
