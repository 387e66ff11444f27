//! The table of methods as Markdown, and its place in the book.

use crate::known_pairs::GROUPS;
use crate::methods::{Method, Record};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Where the table goes, and between which lines.
const PAGE: &str = "docs/src/theory/methods-compared.md";
const BEGIN: &str = "<!-- methods: begin -->\n";
const END: &str = "<!-- methods: end -->\n";

/// The records of a family.
pub struct Column {
    /// The family.
    pub family: &'static str,
    /// By group, and in it by method.
    pub records: Vec<[Record; Method::ALL.len()]>,
}

impl Column {
    fn record(&self, group: usize, method: Method) -> &Record {
        &self.records[group][method as usize]
    }

    /// Of all groups in which bodies overlap, or of all in which they do not.
    fn sum(&self, method: Method, overlap: bool) -> Record {
        let groups = (0..GROUPS.len()).filter(|&group| GROUPS[group].overlap == overlap);
        groups.fold(Record::default(), |sum, group| sum.with(self.record(group, method)))
    }
}

const HEAD_OF_FAMILIES: &str = "\
| bodies | method | overlapping, said apart | apart, said overlapping | cut short | no answer | normal off by [deg] | depth off, over the \
size | time, overlapping | time, apart |
|---|---|---|---|---|---|---|---|---|---|
";

const HEAD_OF_GROUPS: &str = "\
| pairs | method | wrong verdicts | normal off by [deg] | separation off, over the size | iterations | time |
|---|---|---|---|---|---|---|
";

/// Both tables.
pub fn markdown(columns: &[Column], methods: &[Method]) -> String {
    let n_pairs: usize = columns.iter().flat_map(|c| &c.records).map(|by_method| by_method[0].n_pairs).sum();
    let mut text = format!("By bodies; normals and depths are of the pairs that overlap. {n_pairs} pairs in all.\n\n");
    text += HEAD_OF_FAMILIES;
    for column in columns {
        let exact = [true, false].map(|overlap| column.sum(Method::Exact, overlap).nanoseconds);
        for &method in methods {
            let [over, apart] = [true, false].map(|overlap| column.sum(method, overlap));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                column.family,
                method.name(),
                share(over.missed, over.n_pairs),
                share(apart.invented, apart.n_pairs),
                share(over.cut_short + apart.cut_short, over.n_pairs + apart.n_pairs),
                share(over.without_answer + apart.without_answer, over.n_pairs + apart.n_pairs),
                spread(&over.angles),
                spread(&over.errors),
                ratio(over.nanoseconds / exact[0]),
                ratio(apart.nanoseconds / exact[1]),
            );
        }
    }
    text += "\nBy how far the bodies are apart or overlap, over their least half width; all bodies together.\n\n";
    text += HEAD_OF_GROUPS;
    for (index, group) in GROUPS.iter().enumerate() {
        for &method in methods {
            let all = columns.iter().fold(Record::default(), |sum, column| sum.with(column.record(index, method)));
            // Every family counts as much: the mean of the logarithms.
            let logarithm = |column: &Column| {
                (column.record(index, method).nanoseconds / column.record(index, Method::Exact).nanoseconds).ln()
            };
            let time = (columns.iter().map(logarithm).sum::<f64>() / columns.len() as f64).exp();
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} |",
                group.name,
                method.name(),
                share(all.missed + all.invented, all.n_pairs),
                spread(&all.angles),
                spread(&all.errors),
                if all.iterations.is_empty() { "not told".to_string() } else { spread(&all.iterations) },
                ratio(time),
            );
        }
    }
    text
}

/// Writes the tables into the book.
pub fn put_into_book(text: &str) -> Result<(), String> {
    let path = page();
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let old = std::fs::read_to_string(&path).map_err(failed)?;
    let (before, _, after) = parts(&old).ok_or_else(|| format!("{} has no place for the table", path.display()))?;
    std::fs::write(&path, format!("{before}{BEGIN}{text}{END}{after}")).map_err(failed)
}

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE)
}

/// What is before the table, the table, and what is after it.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (table, after) = rest.split_once(END)?;
    Some((before, table, after))
}

fn share(count: usize, of: usize) -> String {
    if count == 0 { "0".to_string() } else { format!("{:.1} %", 100.0 * count as f64 / of as f64) }
}

fn ratio(value: f64) -> String {
    figure(value, 2)
}

/// Median, the value that 95 % do not exceed, and the worst.
fn spread(values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(&worst) = sorted.last() else { return "none".to_string() };
    let quantile = |share: f64| sorted[((share * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1];
    [quantile(0.5), quantile(0.95), worst].map(|value| figure(value, 2)).join(", ")
}

/// A number with so many digits that count: as people write it, or with its power of ten where it is small.
fn figure(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    if value.abs() < 1e-2 {
        return format!("{value:.0e}");
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known_pairs::families;

    #[test]
    fn figures_are_written_short() {
        assert_eq!(figure(0.0, 2), "0");
        assert_eq!(figure(3.17e-14, 2), "3e-14");
        assert_eq!(figure(0.0123, 2), "0.012");
        assert_eq!(figure(4.56, 2), "4.6");
        assert_eq!(figure(123.4, 2), "123");
        assert_eq!(spread(&[3.0, 1.0, 2.0, 0.0]), "1.0, 3.0, 3.0");
        assert_eq!(share(1, 8), "12.5 %");
    }

    /// Figures change with the machine; who is compared, on what and by which columns does not.
    #[test]
    fn the_book_has_the_tables_of_this_form() {
        let text = std::fs::read_to_string(page()).unwrap();
        let (_, table, _) = parts(&text).expect("no place for the table in the book");
        let again = "run it again: cargo run --release -p tumble-pairs-benchmark --features parry -- --methods";
        assert!(table.contains(HEAD_OF_FAMILIES) && table.contains(HEAD_OF_GROUPS), "{again}");
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ") && line.contains(" | ")).collect();
        let has_coal = table.contains(Method::Coal.name());
        let methods = Method::ALL.into_iter().filter(|&method| method != Method::Coal || has_coal);
        let labels: Vec<String> = (families().unwrap().iter().map(|family| family.name))
            .chain(GROUPS.iter().map(|group| group.name))
            .flat_map(|label| methods.clone().map(move |method| format!("| {label} | {} |", method.name())))
            .collect();
        for label in &labels {
            assert!(rows.iter().any(|row| row.starts_with(label.as_str())), "no row {label}; {again}");
        }
        assert_eq!(rows.len(), labels.len() + 2, "{again}");
    }
}
