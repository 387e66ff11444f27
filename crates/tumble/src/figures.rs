//! Numbers as people read them.

use std::fmt::Write as _;
pub use tumble_io::figures::{count, counted, number};

/// A stretch of time by the clock: `850 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown".to_owned();
    }
    if seconds < 0.9995 {
        return format!("{:.0} ms", seconds * 1e3);
    }
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        3600..86400 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} d {} h", whole / 86400, whole % 86400 / 3600),
    }
}

/// An amount of memory: `12 KiB`, `1.4 MiB`.
pub fn bytes(n: f64) -> String {
    let mut n = n;
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if n < 1000.0 {
            break;
        }
        n /= 1024.0;
        unit = larger;
    }
    if n < 9.95 && unit != "B" { format!("{n:.1} {unit}") } else { format!("{n:.0} {unit}") }
}

/// Rows as text, each column as wide as its widest entry.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (entry, width) in row.iter().zip(&widths) {
            // Writing to a String cannot fail.
            let _ = write!(line, "{entry:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Names and what stands behind them, indented and aligned. A text of several lines keeps to its column.
pub fn list(entries: &[(&str, String)]) -> String {
    let width = entries.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in entries {
        for (place, line) in value.lines().enumerate() {
            let shown = if place == 0 { name } else { "" };
            let _ = writeln!(text, "  {shown:width$}  {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_amounts_read_well() {
        assert_eq!(duration(0.0123), "12 ms");
        assert_eq!(duration(0.9999), "1.0 s");
        assert_eq!(duration(59.7), "1 min 0 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(7500.0), "2 h 5 min");
        assert_eq!(duration(f64::INFINITY), "unknown");
        assert_eq!(bytes(100.0), "100 B");
        assert_eq!(bytes(2048.0), "2.0 KiB");
        assert_eq!(bytes(1.5 * 1024.0 * 1024.0 * 1024.0), "1.5 GiB");
    }

    #[test]
    fn columns_line_up() {
        let rows = [["a", "bb"], ["ccc", "d"]].map(|row| row.map(String::from));
        assert_eq!(columns(&rows), "a    bb\nccc  d\n");
        assert_eq!(list(&[("x", "1\n2".into()), ("long", "3".into())]), "  x     1\n        2\n  long  3\n");
    }
}
