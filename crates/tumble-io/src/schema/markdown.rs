//! The keys as a reference in Markdown.

use super::{FieldSpec, Kind, Presence, SCENE, TableSpec, Word};
use std::fmt::Write;

/// The key reference: one section a table, one row a key.
pub fn markdown_reference() -> String {
    let mut text = String::from("# Keys of a scene file\n\n");
    text.push_str(
        "Quantities are numbers in SI units or texts with a unit (`\"5 mm\"`). \
         Vectors are lists of three quantities, or a text with three numbers and one unit (`\"1 2 3 cm\"`).\n",
    );
    for table in SCENE.all_tables() {
        section(&mut text, table);
    }
    text
}

// Writing to a String cannot fail, so the results of `write!` are of no interest here.
fn section(text: &mut String, table: &TableSpec) {
    let _ = write!(text, "\n## {}\n\n{}\n", table.name, table.doc);
    for alternatives in table.alternatives {
        let keys: Vec<_> = alternatives.keys.iter().map(|k| format!("`{k}`")).collect();
        let how = if alternatives.required { "Exactly one" } else { "At most one" };
        let _ = write!(text, "\n{how} of {} may be given.\n", keys.join(", "));
    }
    if table.fields.is_empty() {
        text.push_str("\nIt has no keys.\n");
        return;
    }
    text.push_str("\n| key | value | without it | meaning | example |\n|---|---|---|---|---|\n");
    for field in table.fields {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | `{}` |",
            field.key,
            cell(&value_text(field)),
            cell(match field.presence {
                Presence::Required => "required",
                Presence::Optional(default) => default,
                Presence::Alternative => "",
            }),
            cell(field.doc),
            cell(field.example),
        );
    }
    for field in table.fields {
        words_of(&field.kind, &mut |words| {
            let _ = write!(text, "\nWords of `{}`:\n\n", field.key);
            for word in words {
                let _ = writeln!(text, "- `{:?}`: {}", word.word, word.doc);
            }
        });
    }
}

fn words_of(kind: &Kind, found: &mut dyn FnMut(&'static [Word])) {
    match kind {
        Kind::Word(words) | Kind::Words(words) => found(words),
        Kind::Either(kinds) => kinds.iter().for_each(|k| words_of(k, found)),
        _ => {}
    }
}

fn value_text(field: &FieldSpec) -> String {
    fn of(kind: &Kind) -> String {
        let link = |spec: &TableSpec| format!("[{}](#{})", spec.name, spec.name);
        match kind {
            Kind::Table(spec) => link(spec),
            Kind::Named(spec) => format!("{} by name", link(spec)),
            Kind::List(spec) => format!("list of {}", link(spec)),
            Kind::Either(kinds) => kinds.iter().map(of).collect::<Vec<_>>().join(" or "),
            other => other.in_words(),
        }
    }
    of(&field.kind)
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_row() {
        let text = markdown_reference();
        for table in SCENE.all_tables() {
            let section = text.split(&format!("\n## {}\n", table.name)).nth(1).expect("a section");
            let section = section.split("\n## ").next().unwrap();
            for field in table.fields {
                assert!(section.contains(&format!("| `{}` |", field.key)), "{}.{}", table.name, field.key);
            }
        }
    }
}
