//! The columns of `series.csv`, thinned to what a small plot can show. Memory does not grow with the table.

use serde::Serialize;
use std::path::Path;
use tumble_io::table::{TableError, TableRows};

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

/// Reads the columns of a table, at most [`MOST_ROWS`] rows evenly chosen. A row that cannot be read is left out, and so
/// is one without its line end, which may be half written.
pub(crate) fn read(path: &Path) -> Result<Vec<Column>, String> {
    let mut table = TableRows::open(path).map_err(|error| error.to_string())?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut every = 1usize;
    let mut number = 0usize;
    loop {
        let row = match table.next_row() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            // The next row may be sound.
            Err(TableError::Damaged { .. }) => continue,
            Err(error @ TableError::File(_)) => return Err(error.to_string()),
        };
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
                rows.push(row.to_vec());
            }
        }
        number += 1;
    }
    let column = |(place, name): (usize, &String)| Column {
        name: name.clone(),
        values: rows.iter().map(|row| row[place]).collect(),
    };
    Ok(table.names().iter().enumerate().map(column).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::io::Write as _;

    fn columns(content: &[u8]) -> Vec<Column> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        read(file.path()).unwrap()
    }

    #[test]
    fn columns_are_read() {
        let columns = columns(b"time_s,\"a, b\"\n0,1\n0.5,NaN\n1,2e-3\n");
        assert_eq!(columns[0], Column { name: "time_s".to_owned(), values: vec![0.0, 0.5, 1.0] });
        assert_eq!(columns[1].name, "a, b");
        assert!(columns[1].values[1].is_nan() && columns[1].values[2] == 2e-3);
    }

    #[test]
    fn a_row_is_left_out_until_its_line_end_is_there() {
        let whole = b"time_s,b\n1,2\n1.5,2.37\n";
        let first = whole.len() - b"1.5,2.37\n".len();
        for length in first..whole.len() {
            assert_eq!(columns(&whole[..length])[1].values, [2.0], "{length} bytes");
        }
        assert_eq!(columns(whole)[1].values, [2.0, 2.37]);
    }

    #[test]
    fn a_long_table_is_thinned_evenly() {
        let mut text = "time_s,step\n".to_owned();
        (0..5000).for_each(|row| writeln!(text, "{row},{row}").unwrap());
        let expected: Vec<f64> = (0..5000).step_by(8).map(f64::from).collect();
        assert_eq!(columns(text.as_bytes())[0].values, expected);
    }

    #[test]
    fn damaged_tables_give_what_they_have() {
        assert_eq!(columns(b""), []);
        assert_eq!(columns(b"time_s\n\xff\xfe\n3\n4,5\nx\n6\n")[0].values, [3.0, 6.0]);
        assert!(read(Path::new("absent.csv")).unwrap_err().starts_with("cannot read absent.csv"));
    }
}
