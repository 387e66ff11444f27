//! Reads a table back: named columns of numbers.
//!
//! A table may belong to a run that still goes on or that was killed: what follows the last line end is no whole row and is
//! left out.

use crate::file_error::FileError;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A table could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no table of numbers.
    #[error("{}, line {line}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name as the file has it, with the unit at its end, as in `potential_J`.
    pub name: String,
    /// Its numbers in that unit, one for each row.
    pub values: Vec<f64>,
}

/// A table that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
}

/// The rows of a table, read one after another: of a long table one row is in memory.
#[derive(Debug)]
pub struct TableRows {
    path: PathBuf,
    file: BufReader<File>,
    names: Vec<String>,
    line: Vec<u8>,
    n_lines: usize,
    /// Bytes read.
    place: u64,
    row: Vec<f64>,
}

impl TableRows {
    /// Opens a table and reads its header.
    pub fn open(path: &Path) -> Result<TableRows, TableError> {
        let failed = || FileError::of("read", path);
        let mut file = BufReader::new(File::open(path).map_err(failed())?);
        let (mut line, mut n_lines) = (Vec::new(), 0);
        // A quoted name may hold line ends: the header goes on as long as a quote is open.
        let is_open = |line: &[u8]| line.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
        while n_lines == 0 || is_open(&line) {
            if file.read_until(b'\n', &mut line).map_err(failed())? == 0 {
                break;
            }
            n_lines += 1;
        }
        let header = std::str::from_utf8(&line).map_err(|_| not_text(path, 1))?;
        // The header is written in one piece; a file without it has nothing to tell.
        let header = header.strip_suffix('\n').filter(|_| !is_open(&line));
        let names = header.map(header_names).unwrap_or_default();
        let place = line.len() as u64;
        Ok(TableRows { path: path.to_owned(), file, names, line, n_lines, place, row: Vec::new() })
    }

    /// Where the next row begins [bytes].
    pub(super) fn place(&self) -> u64 {
        self.place
    }

    /// Names of the columns, in the order of the file; none if the header is not whole.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The numbers of the next whole row, one for each column; `None` at the end. After a damaged row the next call
    /// goes on with the one behind it.
    pub fn next_row(&mut self) -> Result<Option<&[f64]>, TableError> {
        self.line.clear();
        let read = self.file.read_until(b'\n', &mut self.line).map_err(FileError::of("read", &self.path))?;
        if read == 0 {
            return Ok(None);
        }
        self.n_lines += 1;
        self.place += read as u64;
        let line = self.n_lines;
        if self.line.pop() != Some(b'\n') {
            return Ok(None);
        }
        let damaged = |what: String| TableError::Damaged { path: self.path.clone(), line, what };
        let text = std::str::from_utf8(&self.line).map_err(|_| not_text(&self.path, line))?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        let n_found = text.split(',').count();
        if n_found != self.names.len() {
            return Err(damaged(format!("{n_found} numbers for {} columns", self.names.len())));
        }
        self.row.clear();
        for field in text.split(',') {
            self.row.push(field.trim().parse().map_err(|_| damaged(format!("`{field}` is no number")))?);
        }
        Ok(Some(&self.row))
    }
}

fn not_text(path: &Path, line: usize) -> TableError {
    TableError::Damaged { path: path.to_owned(), line, what: "this is not text".to_owned() }
}

impl Table {
    /// Reads a table.
    pub fn read(path: &Path) -> Result<Table, TableError> {
        let mut rows = TableRows::open(path)?;
        let mut columns: Vec<Column> =
            rows.names().iter().map(|name| Column { name: name.clone(), values: Vec::new() }).collect();
        while let Some(row) = rows.next_row()? {
            columns.iter_mut().zip(row).for_each(|(column, &value)| column.values.push(value));
        }
        Ok(Table { columns })
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The numbers of a column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|column| column.name == name).map(|column| column.values.as_slice())
    }

    /// Number of whole rows.
    pub fn n_rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

/// Names of a header by RFC 4180: what stands in quotes may hold commas, line ends and doubled quotes.
fn header_names(header: &str) -> Vec<String> {
    let (mut names, mut name, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = header.strip_suffix('\r').unwrap_or(header).chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                name.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => names.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    names.push(name);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TableWriter;
    use std::fs;

    #[test]
    fn what_is_written_reads_back_at_every_length() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("probe.csv");
        let names = ["time_s", "step", "force on \"lid\",\nabove_force_x_N", "temperature_m2_per_s2"];
        let rows = [[0.5, 1.0, -1e-9, f64::NAN], [1.0, 2.0, f64::INFINITY, 0.1 + 0.2]];
        let mut writer = TableWriter::create(&path, &names).unwrap();
        let mut lengths = vec![writer.flush_and_sync().unwrap()];
        for row in &rows {
            writer.row(row).unwrap();
            lengths.push(writer.flush_and_sync().unwrap());
        }
        let bytes = fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let table = Table::read(&path).unwrap();
            let n_whole = lengths.iter().filter(|&&whole| whole <= length as u64).count();
            assert_eq!(table.n_rows(), n_whole.saturating_sub(1));
            if n_whole > 0 {
                let found: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
                assert_eq!(found, names);
            }
            for (place, row) in rows.iter().take(n_whole.saturating_sub(1)).enumerate() {
                let found: Vec<u64> = table.columns().iter().map(|column| column.values[place].to_bits()).collect();
                assert_eq!(found, row.map(f64::to_bits));
            }
        }
        let table = Table::read(&path).unwrap();
        assert_eq!(table.column("step"), Some(&[1.0, 2.0][..]));
        assert_eq!(table.column("steps"), None);
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("series.csv");
        let check = |content: &[u8], expected: &str| {
            fs::write(&path, content).unwrap();
            let message = Table::read(&path).unwrap_err().to_string();
            assert!(message.contains("series.csv") && message.contains(expected), "{message}");
        };
        check(b"a,b\n1,2\n3\n", "line 3: 1 numbers for 2 columns");
        check(b"a,b\n1,x\n", "line 2: `x` is no number");
        check(b"a,b\n1,\xff\n", "line 2: this is not text");
        check(b"\xff\n", "line 1: this is not text");
        assert!(matches!(Table::read(&directory.path().join("absent.csv")), Err(TableError::File(_))));
    }
}
