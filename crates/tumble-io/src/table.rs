//! Time series as comma-separated values: one header line, one row of numbers a sample.
//!
//! Numbers are written with the fewest digits that read back to the same bits, whole numbers without a point, very
//! small and large ones with an exponent. Names with commas, quotes or line breaks are quoted (RFC 4180).

mod reader;

pub use reader::{Column, Table, TableError, TableRows};

use crate::append_file::{AppendError, AppendFile, OldDamage};
use crate::file_error::FileError;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// A growing table.
///
/// ```
/// use tumble_io::{Table, TableWriter};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("series.csv");
///
/// let mut writer = TableWriter::create(&path, &["time_s", "height_m"])?;
/// writer.row(&[0.0, 1.0])?;
/// writer.row(&[0.1, 0.95])?;
/// writer.flush()?;
/// let table = Table::read(&path)?;
/// assert_eq!(table.column("height_m"), Some(&[1.0, 0.95][..]));
/// # Ok::<(), tumble_io::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct TableWriter {
    file: AppendFile,
    n_columns: usize,
    line: String,
}

impl TableWriter {
    /// Begins a table, replacing what was there, and writes its header.
    pub fn create<S: AsRef<str>>(path: &Path, columns: &[S]) -> Result<TableWriter, FileError> {
        let mut file = AppendFile::create(path)?;
        file.append(header_line(columns).as_bytes())?;
        file.flush()?;
        Ok(TableWriter { file, n_columns: columns.len(), line: String::new() })
    }

    /// Goes on with a table after its first `offset` bytes and drops the rest. The header must be the one that
    /// [`Self::create`] would write, and the offset must be the end of a row. A table that is gone is begun anew, one that
    /// is shorter goes on after its whole rows, and rows that are none stay; each of these is told.
    pub fn append_after<S: AsRef<str>>(
        path: &Path,
        columns: &[S],
        offset: u64,
    ) -> Result<(TableWriter, Option<OldDamage>), AppendError> {
        let Some(mut file) = AppendFile::open(path)? else {
            let damage = OldDamage::new(path, "it is gone", "a new one begins here, without the earlier rows");
            return Ok((TableWriter::create(path, columns)?, Some(damage)));
        };
        let length = file.offset();
        let differs = |what: String| AppendError::Differs { path: path.to_owned(), what };
        let header = header_line(columns);
        let mut found = Vec::new();
        // More than the header, so that the message can show all of another one.
        file.read_at(0, &mut found, header.len() as u64 + 4096)?;
        if length < header.len() as u64 && header.as_bytes().starts_with(&found) {
            let what = format!("it has {length} bytes, not even its header");
            let damage = OldDamage::new(path, what, "a new one begins here, without the earlier rows");
            return Ok((TableWriter::create(path, columns)?, Some(damage)));
        }
        if !found.starts_with(header.as_bytes()) {
            let found = String::from_utf8_lossy(&found);
            let found = found.lines().next().unwrap_or("");
            return Err(differs(format!("its header is `{found}` where `{}` is right", header.trim_end())));
        }
        if offset < header.len() as u64 {
            return Err(differs(format!("the checkpoint's place, {offset} bytes, is inside its header")));
        }
        let end = if length < offset {
            end_of_last_line(&mut file, length)?
        } else {
            file.read_at(offset - 1, &mut found, 1)?;
            if found != b"\n" {
                return Err(differs(format!("the checkpoint's place, {offset} bytes, is inside a row")));
            }
            offset
        };
        let damage = if length < offset {
            let what = format!("it has {length} bytes, but had {offset} when the checkpoint was taken");
            Some(OldDamage::new(path, what, "it goes on after its whole rows, and the lost ones stay missing"))
        } else {
            first_bad_row(path, end)?.map(|what| OldDamage::new(path, what, "it stays as it is, and new rows follow"))
        };
        file.cut(end)?;
        Ok((TableWriter { file, n_columns: columns.len(), line: String::new() }, damage))
    }

    /// Appends a row; it may wait in memory.
    pub fn row(&mut self, values: &[f64]) -> Result<(), FileError> {
        if values.len() != self.n_columns {
            let what = format!("a row of {} numbers for {} columns", values.len(), self.n_columns);
            return Err(FileError::of("write", self.file.path())(io::Error::new(io::ErrorKind::InvalidInput, what)));
        }
        self.line.clear();
        for (column, &value) in values.iter().enumerate() {
            if column > 0 {
                self.line.push(',');
            }
            push_number(&mut self.line, value);
        }
        self.line.push('\n');
        self.file.append(self.line.as_bytes())
    }

    /// Makes the rows visible to other programs.
    pub fn flush(&mut self) -> Result<(), FileError> {
        self.file.flush()
    }

    /// Forces the rows to the disk and returns the table's length [bytes], to be kept in a checkpoint.
    pub fn flush_and_sync(&mut self) -> Result<u64, FileError> {
        self.file.flush_and_sync()
    }
}

/// Where the last whole line of a file of a length [bytes] ends.
fn end_of_last_line(file: &mut AppendFile, length: u64) -> Result<u64, FileError> {
    const PIECE: u64 = 4096;
    let (mut end, mut piece) = (length, Vec::new());
    while end > 0 {
        let start = end.saturating_sub(PIECE);
        file.read_at(start, &mut piece, end - start)?;
        if let Some(place) = piece.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// What is wrong with the first row that is none, of those before a place [bytes].
fn first_bad_row(path: &Path, end: u64) -> Result<Option<String>, FileError> {
    let in_words = |error: TableError| match error {
        TableError::File(error) => Err(error),
        TableError::Damaged { line, what, .. } => Ok(Some(format!("line {line}: {what}"))),
    };
    let mut rows = match TableRows::open(path) {
        Ok(rows) => rows,
        Err(error) => return in_words(error),
    };
    while rows.place() < end {
        match rows.next_row() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => return in_words(error),
        }
    }
    Ok(None)
}

fn header_line<S: AsRef<str>>(columns: &[S]) -> String {
    columns.iter().map(|name| quoted(name.as_ref())).collect::<Vec<_>>().join(",") + "\n"
}

/// A name as a cell.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() }
}

/// Appends the shortest text that reads back to the same number.
pub(crate) fn push_number(line: &mut String, value: f64) {
    let size = value.abs();
    // Plain digits between these bounds are no longer than the form with an exponent by more than a few zeros, and
    // below 1e15 every digit of a whole number is significant.
    let plain = size == 0.0 || (1e-4..1e15).contains(&size) || !value.is_finite();
    // Writing to a String cannot fail.
    let _ = if plain { write!(line, "{value}") } else { write!(line, "{value:e}") };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const COLUMNS: [&str; 3] = ["time", "step", "energy"];

    #[test]
    fn numbers_are_short_and_read_back_to_the_same_bits() {
        let check = |value: f64, expected: &str| {
            let mut text = String::new();
            push_number(&mut text, value);
            assert_eq!(text, expected);
        };
        check(0.0, "0");
        check(-0.0, "-0");
        check(3.0, "3");
        check(0.1, "0.1");
        check(123_456_789_012.0, "123456789012");
        check(9_007_199_254_740_993.0, "9.007199254740992e15");
        check(1.25e-6, "1.25e-6");
        check(-6.02e23, "-6.02e23");
        check(f64::NAN, "NaN");
        check(f64::NEG_INFINITY, "-inf");

        let mut random = tumble_engine::random::Random::from_seed(5);
        for _ in 0..10_000 {
            let value = f64::from_bits(random.next_u64());
            let mut text = String::new();
            push_number(&mut text, value);
            let back: f64 = text.parse().unwrap();
            assert!(back.to_bits() == value.to_bits() || value.is_nan() && back.is_nan(), "{text}");
        }
    }

    #[test]
    fn an_outside_reader_finds_the_columns_and_rows() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("probe.csv");
        let columns = ["time", "force on \"lid\", z"];
        let mut table = TableWriter::create(&path, &columns).unwrap();
        table.row(&[0.5, -1e-9]).unwrap();
        let length = table.flush_and_sync().unwrap();
        assert_eq!(length, fs::metadata(&path).unwrap().len());
        let mut reader = csv::Reader::from_path(&path).unwrap();
        assert_eq!(reader.headers().unwrap(), columns.as_slice());
        let rows: Vec<(f64, f64)> = reader.deserialize().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows, [(0.5, -1e-9)]);
    }

    #[test]
    fn a_resumed_table_has_every_row_once() {
        let directory = tempfile::tempdir().unwrap();
        let (whole, resumed) = (directory.path().join("whole.csv"), directory.path().join("resumed.csv"));
        let row = |i: u32| [f64::from(i) * 0.1, f64::from(i), 1.0 / f64::from(i + 1)];
        let mut table = TableWriter::create(&whole, &COLUMNS).unwrap();
        (0..10).for_each(|i| table.row(&row(i)).unwrap());
        table.flush_and_sync().unwrap();

        let mut table = TableWriter::create(&resumed, &COLUMNS).unwrap();
        (0..4).for_each(|i| table.row(&row(i)).unwrap());
        let offset = table.flush_and_sync().unwrap();
        (4..7).for_each(|i| table.row(&row(i)).unwrap());
        drop(table);
        // A kill in the middle of a row.
        let mut bytes = fs::read(&resumed).unwrap();
        bytes.truncate(bytes.len() - 3);
        fs::write(&resumed, &bytes).unwrap();

        let (mut table, damage) = TableWriter::append_after(&resumed, &COLUMNS, offset).unwrap();
        assert_eq!(damage, None);
        (4..10).for_each(|i| table.row(&row(i)).unwrap());
        table.flush_and_sync().unwrap();
        assert_eq!(fs::read_to_string(&resumed).unwrap(), fs::read_to_string(&whole).unwrap());
    }

    #[test]
    fn a_table_that_is_not_the_run_s_own_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("series.csv");
        let mut table = TableWriter::create(&path, &COLUMNS).unwrap();
        table.row(&[1.0, 2.0, 3.0]).unwrap();
        let offset = table.flush_and_sync().unwrap();
        let before = fs::read(&path).unwrap();
        let check = |columns: &[&str], offset: u64, expected: &str| {
            let message = TableWriter::append_after(&path, columns, offset).unwrap_err().to_string();
            assert!(message.contains("series.csv") && message.contains(expected), "{message}");
            assert_eq!(fs::read(&path).unwrap(), before);
        };
        check(&["time", "step"], offset, "its header is `time,step,energy` where `time,step` is right");
        check(&["time", "step", "energies"], offset, "`time,step,energy` where `time,step,energies` is right");
        check(&COLUMNS, offset - 1, "inside a row");
        check(&COLUMNS, 3, "inside its header");
    }

    #[test]
    fn a_damaged_table_goes_on_and_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("series.csv");
        let go_on = |text: Option<&str>, offset: u64| {
            match text {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let (mut table, damage) = TableWriter::append_after(&path, &COLUMNS, offset).unwrap();
            table.row(&[7.0, 8.0, 9.0]).unwrap();
            assert_eq!(table.flush_and_sync().unwrap(), fs::metadata(&path).unwrap().len());
            (fs::read_to_string(&path).unwrap(), damage.map(|damage| damage.to_string()).unwrap_or_default())
        };
        let check = |text: Option<&str>, offset: u64, expected: &str, told: &str| {
            let (found, damage) = go_on(text, offset);
            assert_eq!(found, expected);
            assert!(damage.contains("series.csv: ") && damage.contains(told), "{damage}");
        };
        let (header, new) = ("time,step,energy\n", "7,8,9\n");
        let rows = format!("{header}1,2,3\n4,5,6\n");
        assert_eq!(go_on(Some(&rows), 29), (format!("{rows}{new}"), String::new()));
        check(None, 29, &format!("{header}{new}"), "it is gone; a new one begins here");
        check(Some("time,st"), 29, &format!("{header}{new}"), "not even its header");
        check(Some(""), 29, &format!("{header}{new}"), "not even its header");
        check(Some(&rows[..26]), 29, &format!("{header}1,2,3\n{new}"), "it has 26 bytes, but had 29");
        check(Some(header), 29, &format!("{header}{new}"), "the lost ones stay missing");
        let odd = rows.replace("1,2,3", "1,x,3");
        check(Some(&odd), 29, &format!("{odd}{new}"), "line 2: `x` is no number; it stays as it is");
        // What is wrong after the checkpoint's place is written anew.
        assert_eq!(go_on(Some(&(rows.clone() + "1,x")), 29), (format!("{rows}{new}"), String::new()));
    }

    #[test]
    fn a_row_of_the_wrong_length_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("series.csv");
        let mut table = TableWriter::create(&path, &COLUMNS).unwrap();
        let message = table.row(&[1.0]).unwrap_err().to_string();
        assert!(message.contains("series.csv: a row of 1 numbers for 3 columns"), "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let error = TableWriter::create(Path::new("/dev/full"), &COLUMNS).unwrap_err();
        assert!(error.is_disk_full());
        let message = error.to_string();
        assert!(message.starts_with("cannot write /dev/full: No space left on device"), "{message}");
        assert!(message.contains("the disk is full"), "{message}");
    }
}
