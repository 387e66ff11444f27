//! What is wrong with a scene, where, and what would be right; shown with the line it is about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// A text that a message can point into: the scene, an override, a table of grains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in messages: a file name, or `--set`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// A place in one of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Place in the list of sources.
    pub source: usize,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// Line and column of a place, both counted from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Name of the source.
    pub file: String,
    /// Line.
    pub line: usize,
    /// First column.
    pub column: usize,
    /// Column after the last one; on the same line.
    pub end_column: usize,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scene cannot be run.
    Error,
    /// The scene can be run, but is perhaps not what was meant.
    Warning,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Path of the key, as `--set` takes it: `walls.0.plane.normal`. Empty for the file as a whole.
    pub key: String,
    /// What was found and why that is wrong.
    pub message: String,
    /// Where, if it is anywhere in particular.
    pub at: Option<Location>,
    /// What would be right; stands beside the marked place.
    pub expected: String,
    /// Further advice.
    pub help: Option<String>,
    /// Another place that belongs to the matter, and why.
    pub also: Option<(Location, String)>,
}

/// A list of things that are wrong, with the texts they point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The texts.
    pub sources: Vec<Source>,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// More messages than this are counted and not shown: each is looked up in the whole of its text.
const MOST_SHOWN: usize = 100;

impl Report {
    /// Line and columns of a diagnostic; `None` where it is about no place in particular.
    pub fn position(&self, diagnostic: &Diagnostic) -> Option<Position> {
        let at = diagnostic.at.as_ref()?;
        let source = self.sources.get(at.source)?;
        let start = floor_boundary(&source.text, at.span.start);
        let line_start = source.text[..start].rfind('\n').map_or(0, |n| n + 1);
        let line_end = source.text[start..].find('\n').map_or(source.text.len(), |n| start + n);
        let end = floor_boundary(&source.text, at.span.end).clamp(start, line_end.max(start));
        let column = source.text[line_start..start].chars().count() + 1;
        Some(Position {
            file: source.name.clone(),
            line: source.text[..start].matches('\n').count() + 1,
            column,
            end_column: column + source.text[start..end].chars().count(),
        })
    }

    /// The report as text: each message with the line it is about. Colour is for terminals.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let shown = self.diagnostics.iter().take(MOST_SHOWN).map(|d| self.render_one(d, &renderer));
        let mut shown: Vec<String> = shown.collect();
        if self.diagnostics.len() > MOST_SHOWN {
            shown.push(format!("and {} more", self.diagnostics.len() - MOST_SHOWN));
        }
        shown.join("\n\n")
    }

    fn render_one(&self, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = if diagnostic.key.is_empty() {
            diagnostic.message.clone()
        } else {
            format!("{}: {}", diagnostic.key, diagnostic.message)
        };
        let mut group = Group::with_title(level.primary_title(clean(&title)));
        let snippet = |at: &Location| {
            let source = self.sources.get(at.source)?;
            let start = floor_boundary(&source.text, at.span.start);
            let end = floor_boundary(&source.text, at.span.end).max(start);
            Some((Snippet::source(source.text.as_str()).path(source.name.as_str()), start..end))
        };
        match diagnostic.at.as_ref().and_then(snippet) {
            Some((shown, span)) => {
                let mark = AnnotationKind::Primary.span(span).label(clean(&diagnostic.expected));
                let mut shown = shown.annotation(mark);
                let mut elsewhere = None;
                if let (Some((also, why)), Some(at)) = (&diagnostic.also, &diagnostic.at) {
                    if also.source == at.source {
                        shown = shown.annotation(AnnotationKind::Context.span(also.span.clone()).label(clean(why)));
                    } else if let Some((other, span)) = snippet(also) {
                        elsewhere = Some(other.annotation(AnnotationKind::Context.span(span).label(clean(why))));
                    }
                }
                group = group.element(shown);
                if let Some(other) = elsewhere {
                    group = group.element(other);
                }
            }
            None if !diagnostic.expected.is_empty() => {
                group = group.element(Level::NOTE.message(clean(&diagnostic.expected)));
            }
            None => {}
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(clean(help)));
        }
        renderer.render(&[group])
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// Control characters of a user's text must not reach the terminal.
fn clean(text: &str) -> String {
    annotate_snippets::normalize_untrusted_str(text)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The known name nearest to a misspelt one, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        // A third of the letters may be wrong, and a beginning ("rest" for "restitution") counts as near.
        .filter(|(distance, candidate)| {
            *distance <= (candidate.chars().count().max(lower.chars().count()) / 3).max(1)
                && *distance < candidate.chars().count()
                || lower.len() >= 3 && (candidate.starts_with(&lower) || lower.starts_with(candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str, span: Range<usize>) -> Report {
        Report {
            sources: vec![Source { name: "scene.toml".into(), text: text.into() }],
            diagnostics: vec![Diagnostic {
                severity: Severity::Error,
                key: "a.b".into(),
                message: "found 5".into(),
                at: Some(Location { source: 0, span }),
                expected: "wants 6".into(),
                help: Some("try 6".into()),
                also: None,
            }],
        }
    }

    #[test]
    fn positions_count_characters_from_one() {
        let r = report("a = 1\nµ = \"é\" # x\n", 11..15);
        let p = r.position(&r.diagnostics[0]).unwrap();
        assert_eq!((p.line, p.column, p.end_column), (2, 5, 8));
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        for span in [0..0, 3..900, 900..901, 7..8] {
            let r = report("µµ\nµ", span);
            assert!(r.render(false).contains("a.b: found 5"));
            assert!(r.position(&r.diagnostics[0]).is_some());
        }
    }

    #[test]
    fn colour_is_only_there_when_asked_for() {
        let r = report("b = 5", 4..5);
        assert!(r.render(true).contains('\u{1b}'));
        assert!(!r.render(false).contains('\u{1b}'));
    }

    #[test]
    fn nearest_finds_slips_and_beginnings_only() {
        let known = ["restitution", "friction", "density"];
        assert_eq!(nearest("densty", known), Some("density"));
        assert_eq!(nearest("rest", known), Some("restitution"));
        assert_eq!(nearest("Friction", known), Some("friction"));
        assert_eq!(nearest("colour", known), None);
    }
}
