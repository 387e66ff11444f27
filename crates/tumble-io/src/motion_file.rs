//! Motions from a table: CSV with a header.
//!
//! The columns are `time` and one of `position`, `velocity`, `angle`, `angular_velocity`. Numbers are SI, or in the unit that stands
//! in brackets behind the name: `time [ms], position [mm]`.

use crate::units::{Dimension, parse_quantity};
use std::ops::Range;

/// What a table of a motion tells of each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionColumn {
    /// Place along a direction [m].
    Position,
    /// Speed along a direction [m/s].
    Velocity,
    /// Turn about an axis [rad].
    Angle,
    /// Angular speed about an axis [rad/s].
    AngularVelocity,
}

impl MotionColumn {
    const ALL: [(MotionColumn, &'static str, Dimension); 4] = [
        (MotionColumn::Position, "position", Dimension::LENGTH),
        (MotionColumn::Velocity, "velocity", Dimension::SPEED),
        (MotionColumn::Angle, "angle", Dimension::ANGLE),
        (MotionColumn::AngularVelocity, "angular_velocity", Dimension::ANGULAR_VELOCITY),
    ];

    /// Whether it tells of a turn.
    pub fn turns(self) -> bool {
        matches!(self, MotionColumn::Angle | MotionColumn::AngularVelocity)
    }
}

/// A table of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionRows {
    /// What the values are.
    pub column: MotionColumn,
    /// Times [s], ascending; at least two.
    pub times: Vec<f64>,
    /// What the column says at each.
    pub values: Vec<f64>,
}

/// What is wrong with a table of a motion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct MotionFileError {
    /// Line, counted from 1.
    pub line: usize,
    /// What was found.
    pub what: String,
    /// What would be right.
    pub expected: String,
    /// Bytes of the file that it is about.
    pub span: Range<usize>,
}

/// Reads a table of a motion.
pub fn read_motion_rows(bytes: &[u8]) -> Result<MotionRows, MotionFileError> {
    let fail = |line: usize, span: &Range<usize>, what: String, expected: &str| {
        Err(MotionFileError { line, what, expected: expected.to_owned(), span: span.clone() })
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return fail(1, &(0..0), "this is not text".into(), "a table of a motion is a CSV file in UTF-8");
    };
    let mut lines = lines_of(text).into_iter();
    let header = "the first line names the columns, such as time [s], position [mm]";
    let Some((line, span, names)) = lines.next() else {
        return fail(1, &(0..0), "the file is empty".into(), header);
    };
    let (mut time, mut told) = (None, None);
    for (place, name) in names.iter().enumerate() {
        let (name, unit) = match name.split_once('[').and_then(|(name, rest)| Some((name, rest.strip_suffix(']')?))) {
            Some((name, unit)) => (name.trim(), Some(unit.trim())),
            None => (*name, None),
        };
        let known = MotionColumn::ALL.iter().find(|(_, known, _)| *known == name);
        let dimension = match (name, known) {
            ("time", _) => Dimension::TIME,
            (_, Some((_, _, dimension))) => *dimension,
            _ => {
                let expected = "the columns are `time` and one of `position`, `velocity`, `angle`, `angular_velocity`";
                return fail(line, &span, format!("found the column {name:?}"), expected);
            }
        };
        let factor = match unit {
            None => 1.0,
            Some(unit) => match parse_quantity(&format!("1 {unit}"), dimension) {
                Ok(factor) => factor,
                Err(error) => return fail(line, &span, format!("{name:?}: {error}"), header),
            },
        };
        let twice = match known {
            Some((column, _, _)) => told.replace((*column, place, factor)).is_some(),
            None => time.replace((place, factor)).is_some(),
        };
        if twice {
            return fail(line, &span, format!("{name:?} is a column too many"), "one `time` and one other column");
        }
    }
    let (Some((time, time_factor)), Some((column, value, value_factor))) = (time, told) else {
        let expected = "wants `time` and one of `position`, `velocity`, `angle`, `angular_velocity`";
        return fail(line, &span, "a column is missing".into(), expected);
    };
    let mut rows = MotionRows { column, times: Vec::new(), values: Vec::new() };
    for (line, span, cells) in lines {
        if cells.len() != names.len() {
            let expected = format!("the header names {} columns", names.len());
            return fail(line, &span, format!("found {} values", cells.len()), &expected);
        }
        let number = |place: usize| cells[place].parse::<f64>().ok().filter(|number| number.is_finite());
        let Some(at) = number(time) else {
            return fail(line, &span, format!("found {:?} as the time", cells[time]), "a finite number");
        };
        let Some(told) = number(value) else {
            return fail(line, &span, format!("found {:?}", cells[value]), "a finite number");
        };
        let at = at * time_factor;
        if let Some(&before) = rows.times.last()
            && at <= before
        {
            let what = if at < before { "the time goes back" } else { "the time stands still" };
            let what = format!("{what}, from {before} s to {at} s");
            return fail(line, &span, what, "every row must be later than the one before");
        }
        rows.times.push(at);
        rows.values.push(told * value_factor);
    }
    match rows.times.len() {
        0 => fail(line, &span, "there is no row below the header".into(), "at least two rows"),
        1 => fail(line, &span, "there is only one row".into(), "at least two: from where, and where to"),
        _ => Ok(rows),
    }
}

/// Lines that are neither empty nor comments: number, bytes and cells.
fn lines_of(text: &str) -> Vec<(usize, Range<usize>, Vec<&str>)> {
    let mut start = 0;
    let mut found = Vec::new();
    for (number, line) in text.split('\n').enumerate() {
        let content = line.trim_end_matches('\r');
        let bare = content.trim_start_matches('\u{feff}').trim();
        if !bare.is_empty() && !bare.starts_with('#') {
            let cells = bare.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
            found.push((number + 1, start..start + content.len(), cells));
        }
        start += line.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_behind_the_names() {
        let rows = read_motion_rows(b"# a press\ntime [ms],position [mm]\n0,0\n10,2.5\n").unwrap();
        assert_eq!(rows.column, MotionColumn::Position);
        assert!((rows.times[1] - 0.01).abs() < 1e-18 && (rows.values[1] - 0.0025).abs() < 1e-18);
        let rows = read_motion_rows(b"angular_velocity [rpm], time\n30,0\n60,1\n").unwrap();
        assert_eq!((rows.column, rows.times[1]), (MotionColumn::AngularVelocity, 1.0));
        assert!((rows.values[0] - std::f64::consts::PI).abs() < 1e-12);
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_line() {
        for (text, line, what) in [
            ("", 1, "the file is empty"),
            ("time,place\n", 1, "found the column \"place\""),
            ("time\n0\n1\n", 1, "a column is missing"),
            ("time,angle,velocity\n", 1, "\"velocity\" is a column too many"),
            ("time [kg],angle\n", 1, "\"time\": "),
            ("time,angle\n", 1, "there is no row below the header"),
            ("time,angle\n0,1\n", 1, "there is only one row"),
            ("time,angle\n0,1\n\n1,nan\n", 4, "found \"nan\""),
            ("time,angle\n0,1\n1,2,3\n", 3, "found 3 values"),
            ("time,angle\n0,1\n2,2\n1,3\n", 4, "the time goes back, from 2 s to 1 s"),
            ("time,angle\n0,1\n0,2\n", 3, "the time stands still, from 0 s to 0 s"),
        ] {
            let error = read_motion_rows(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.what.starts_with(what), "{text:?}: {error}");
        }
    }
}
