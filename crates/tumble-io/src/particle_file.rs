//! Grains from a table: CSV with a header.
//!
//! Columns `x`, `y`, `z` are wanted; `radius` or `diameter`, `qw`, `qx`, `qy`, `qz`, `vx`, `vy`, `vz`, `wx`, `wy`,
//! `wz` and `species` (or `shape`) may be there; `id` is ignored. Columns of one vector come together. Numbers are SI.

use crate::diagnostic::nearest;
use glam::{DQuat, DVec3};
use std::ops::Range;

/// One row of a table of grains.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleRow {
    /// Line of the file, counted from 1.
    pub line: usize,
    /// Bytes of the row in the file.
    pub span: Range<usize>,
    /// Position of the centre [m].
    pub position: DVec3,
    /// Radius [m], if the table has one.
    pub radius: Option<f64>,
    /// Orientation, if the table has one.
    pub orientation: Option<DQuat>,
    /// Velocity [m/s], if the table has one.
    pub velocity: Option<DVec3>,
    /// Angular velocity [rad/s], if the table has one.
    pub angular_velocity: Option<DVec3>,
    /// Kind of grain, if the table has one.
    pub species: Option<String>,
}

/// What is wrong with a table of grains.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {what}", if column.is_empty() { String::new() } else { format!(", column {column:?}") })]
pub struct ParticleFileError {
    /// Line, counted from 1.
    pub line: usize,
    /// Name of the column; empty where it is about the whole line.
    pub column: String,
    /// What was found.
    pub what: String,
    /// What would be right.
    pub expected: String,
    /// Bytes of the file that it is about.
    pub span: Range<usize>,
}

/// The known columns.
const COLUMNS: [&str; 18] = [
    "x", "y", "z", "radius", "diameter", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", "species",
    "shape", "id",
];
const ID: usize = 17;
/// Columns that only make sense together.
const GROUPS: [Range<usize>; 4] = [0..3, 5..9, 9..12, 12..15];
/// More errors than this are not listed: a wrong file would give one for each line.
const MOST_ERRORS: usize = 10;

/// Reads a table of grains. All errors are given, up to ten.
pub fn read_particles(bytes: &[u8]) -> Result<Vec<ParticleRow>, Vec<ParticleFileError>> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        vec![ParticleFileError {
            line,
            column: String::new(),
            what: "this is not text".into(),
            expected: "a table of grains is a CSV file in UTF-8".into(),
            span: 0..0,
        }]
    })?;
    let mut lines = rows(text.strip_prefix('\u{feff}').unwrap_or(text), text.len()).into_iter();
    let Some((header_line, header_span, header)) = lines.next() else {
        return Err(vec![ParticleFileError {
            line: 1,
            column: String::new(),
            what: "the file is empty".into(),
            expected: "the first line names the columns, such as x,y,z,radius".into(),
            span: 0..0,
        }]);
    };
    let (place, mut errors) = read_header(header_line, &header_span, &header);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut found = Vec::new();
    for (line, span, cells) in lines {
        if cells.len() != header.len() {
            errors.push(ParticleFileError {
                line,
                column: String::new(),
                what: format!("found {} values", cells.len()),
                expected: format!("the header names {} columns", header.len()),
                span,
            });
        } else {
            match read_row(line, &span, &cells, &place) {
                Ok(row) => found.push(row),
                Err(mut wrong) => errors.append(&mut wrong),
            }
        }
        if errors.len() >= MOST_ERRORS {
            errors.truncate(MOST_ERRORS);
            break;
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

type Cell<'a> = (&'a str, Range<usize>);

/// Lines that are not empty: number, bytes, and cells with their bytes. Cells hold no commas or line feeds (numbers
/// and names do not), so quotes need only be taken off.
fn rows(text: &str, total: usize) -> Vec<(usize, Range<usize>, Vec<Cell<'_>>)> {
    let mut start = total - text.len();
    let mut found = Vec::new();
    for (i, line) in text.split('\n').enumerate() {
        let end = start + line.len();
        let content = line.trim_end_matches('\r');
        if !content.trim().is_empty() {
            let mut at = start;
            let cells = content.split(',').map(|cell| {
                let span = at..at + cell.len();
                at += cell.len() + 1;
                let trimmed = cell.trim();
                let bare = trimmed.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap_or(trimmed);
                (bare, span)
            });
            found.push((i + 1, start..start + content.len(), cells.collect()));
        }
        start = end + 1;
    }
    found
}

/// For each known column its place in the rows.
type Places = [Option<usize>; COLUMNS.len()];

fn read_header(line: usize, span: &Range<usize>, header: &[Cell<'_>]) -> (Places, Vec<ParticleFileError>) {
    let mut place: Places = [None; COLUMNS.len()];
    let mut errors = Vec::new();
    let mut fail = |column: &str, what: String, expected: String, span: &Range<usize>| {
        errors.push(ParticleFileError { line, column: column.to_string(), what, expected, span: span.clone() });
    };
    for (i, (name, span)) in header.iter().enumerate() {
        match COLUMNS.iter().position(|c| c == name) {
            Some(column) if place[column].is_some() => {
                fail(name, "this column is there twice".into(), "each column may be there once".into(), span);
            }
            Some(column) => place[column] = Some(i),
            None => {
                let expected = match nearest(name, COLUMNS) {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => format!("known columns: {}", COLUMNS.join(", ")),
                };
                fail(name, "unknown column".into(), expected, span);
            }
        }
    }
    for (a, b) in [("radius", "diameter"), ("species", "shape")] {
        let has = |name| COLUMNS.iter().position(|c| *c == name).is_some_and(|c| place[c].is_some());
        if has(a) && has(b) {
            fail(b, format!("both {a:?} and {b:?} are there"), "only one of the two may be there".into(), span);
        }
    }
    for (number, group) in GROUPS.into_iter().enumerate() {
        let given = group.clone().filter(|&c| place[c].is_some()).count();
        // The first group, the position, must be there.
        if given < group.len() && (given > 0 || number == 0) {
            for column in group.filter(|&c| place[c].is_none()) {
                let name = COLUMNS[column];
                fail(name, "this column is missing".into(), format!("add a column {name:?} to the header"), span);
            }
        }
    }
    (place, errors)
}

fn read_row(
    line: usize,
    span: &Range<usize>,
    cells: &[Cell<'_>],
    place: &Places,
) -> Result<ParticleRow, Vec<ParticleFileError>> {
    let mut errors = Vec::new();
    let mut numbers = [0.0; ID];
    let mut fail = |column: usize, cell: &Cell<'_>, what: String, expected: &str| {
        let expected = expected.to_string();
        errors.push(ParticleFileError { line, column: COLUMNS[column].into(), what, expected, span: cell.1.clone() });
    };
    let mut species = None;
    for (column, cell) in (0..ID).filter_map(|c| Some((c, &cells[place[c]?]))) {
        if COLUMNS[column] == "species" || COLUMNS[column] == "shape" {
            species = Some(cell.0.to_string());
            continue;
        }
        match cell.0.parse::<f64>() {
            Ok(x) if x.is_finite() => {
                if (column == 3 || column == 4) && x <= 0.0 {
                    fail(column, cell, format!("found {x}"), "must be above 0");
                }
                numbers[column] = x;
            }
            _ => fail(column, cell, format!("found {:?}", cell.0), "wants a finite number in SI units"),
        }
    }
    let vector = |first: usize| DVec3::new(numbers[first], numbers[first + 1], numbers[first + 2]);
    let mut orientation = None;
    if let Some(at) = place[5] {
        // A cell that could not be read left a zero behind and has its own message.
        let unit = crate::scene::normalised([numbers[6], numbers[7], numbers[8], numbers[5]]);
        if unit.is_none() && numbers[5..9] == [0.0; 4] {
            fail(5, &cells[at], "the zero quaternion is not a rotation".into(), "1,0,0,0 turns nothing");
        }
        orientation = unit.map(DQuat::from_array);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(ParticleRow {
        line,
        span: span.clone(),
        position: vector(0),
        radius: place[3].map(|_| numbers[3]).or(place[4].map(|_| numbers[4] / 2.0)),
        orientation,
        velocity: place[9].map(|_| vector(9)),
        angular_velocity: place[12].map(|_| vector(12)),
        species,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn every_column_is_read() {
        let text = "\u{feff}id, x,y,z,diameter,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,species\r\n\
                    7,1,2,3,0.5,0,0,0,2,4,5,6,7,8,9,\"sand\"\r\n\r\n8,1e-3,2,3,0.25,1,0,0,0,0,0,0,0,0,0,gravel";
        let rows = read_particles(text.as_bytes()).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].line, rows[1].line), (2, 4));
        assert_eq!(&text[rows[1].span.clone()][..6], "8,1e-3");
        assert_eq!(rows[0].position, DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(rows[0].radius, Some(0.25));
        assert_eq!(rows[0].orientation, Some(DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)));
        assert_eq!(rows[0].velocity, Some(DVec3::new(4.0, 5.0, 6.0)));
        assert_eq!(rows[0].angular_velocity, Some(DVec3::new(7.0, 8.0, 9.0)));
        assert_eq!(rows[0].species.as_deref(), Some("sand"));
        let plain = read_particles(b"x,y,z\n1,2,3\n").unwrap();
        assert_eq!((plain[0].radius, plain[0].orientation, plain[0].velocity), (None, None, None));
    }

    fn says(text: &str) -> Vec<String> {
        read_particles(text.as_bytes()).unwrap_err().iter().map(|e| format!("{e}; {}", e.expected)).collect()
    }

    #[test]
    fn errors_name_line_and_column() {
        assert_eq!(says("x,y,z,radios\n"), ["line 1, column \"radios\": unknown column; did you mean \"radius\"?"]);
        assert_eq!(says("x,y\n"), ["line 1, column \"z\": this column is missing; add a column \"z\" to the header"]);
        assert_eq!(
            says("x,y,z,qw\n"),
            ["qx", "qy", "qz"]
                .map(|q| format!("line 1, column {q:?}: this column is missing; add a column {q:?} to the header"))
        );
        assert_eq!(
            says("x,y,z,radius\n1,2,nan,1\n1,2,3\n1,2,3,-1\n"),
            [
                "line 2, column \"z\": found \"nan\"; wants a finite number in SI units",
                "line 3: found 3 values; the header names 4 columns",
                "line 4, column \"radius\": found -1; must be above 0",
            ]
        );
        assert_eq!(
            says("x,y,z,qw,qx,qy,qz\n1,2,3,0,0,0,0\n"),
            ["line 2, column \"qw\": the zero quaternion is not a rotation; 1,0,0,0 turns nothing"]
        );
        assert_eq!(says("x,y,z,x\n").len(), 1);
        assert_eq!(says("x,y,z,radius,diameter\n").len(), 1);
        assert_eq!(says("").len(), 1);
        assert_eq!(says(&format!("x,y,z\n{}", "a,b,c\n".repeat(100))).len(), MOST_ERRORS);
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_it_panic(text in "[xyzrq,.0-9\"\n\r -]{0,200}", bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = read_particles(text.as_bytes());
            let _ = read_particles(format!("x,y,z\n{text}").as_bytes());
            let _ = read_particles(&bytes);
        }
    }
}
