//! The columns of `series.csv`, thinned to what a small plot can show. Memory does not grow with the table.

use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A plot a few hundred pixels wide shows no more.
const MOST_ROWS: usize = 1024;

/// A column of a time series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Column {
    /// Its name, with its unit.
    pub(crate) name: String,
    /// Its numbers; those that are not finite become null.
    pub(crate) values: Vec<f64>,
}

/// Reads the columns of a table, at most [`MOST_ROWS`] rows evenly chosen. A row that cannot be read is left out: the
/// last one may be half written.
pub(crate) fn read(path: &Path) -> Result<Vec<Column>, String> {
    let told = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", path.display());
    let file = File::open(path).map_err(|error| told(&error))?;
    columns(file).map_err(|error| told(&error))
}

fn columns(table: impl Read) -> Result<Vec<Column>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(table);
    let names = reader.headers()?.clone();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut every = 1usize;
    let mut record = csv::StringRecord::new();
    let mut number = 0usize;
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            // Bytes that are no text; the next row may be sound.
            Err(error) if !error.is_io_error() => continue,
            Err(error) => return Err(error),
        }
        let row: Option<Vec<f64>> = record.iter().map(|field| field.trim().parse().ok()).collect();
        let Some(row) = row.filter(|row| row.len() == names.len()) else { continue };
        if number.is_multiple_of(every) {
            if rows.len() == MOST_ROWS {
                let mut keep = false;
                rows.retain(|_| {
                    keep = !keep;
                    keep
                });
                every *= 2;
            }
            if number.is_multiple_of(every) {
                rows.push(row);
            }
        }
        number += 1;
    }
    let column = |(place, name): (usize, &str)| Column {
        name: name.to_owned(),
        values: rows.iter().map(|row| row[place]).collect(),
    };
    Ok(names.iter().enumerate().map(column).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    #[test]
    fn columns_are_read_and_a_half_written_row_is_left_out() {
        let columns = columns(&b"time_s,\"a, b\"\n0,1\n0.5,NaN\n1,2e-3\n1.5,"[..]).unwrap();
        assert_eq!(columns[0], Column { name: "time_s".to_owned(), values: vec![0.0, 0.5, 1.0] });
        assert_eq!(columns[1].name, "a, b");
        assert!(columns[1].values[1].is_nan() && columns[1].values[2] == 2e-3);
    }

    #[test]
    fn a_long_table_is_thinned_evenly() {
        let mut text = "time_s,step\n".to_owned();
        (0..5000).for_each(|row| writeln!(text, "{row},{row}").unwrap());
        let columns = columns(text.as_bytes()).unwrap();
        let expected: Vec<f64> = (0..5000).step_by(8).map(f64::from).collect();
        assert_eq!(columns[0].values, expected);
    }

    #[test]
    fn damaged_tables_give_what_they_have() {
        assert_eq!(columns(&b""[..]).unwrap(), []);
        assert_eq!(columns(&b"time_s\n\xff\xfe\n3\n"[..]).unwrap()[0].values, [3.0]);
        assert!(read(Path::new("absent.csv")).unwrap_err().starts_with("cannot read absent.csv"));
    }
}
