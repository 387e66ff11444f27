//! `tumble contact`: contact questions and answers, one JSON object a line.

use crate::arguments::ContactArguments;
use crate::failure::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::path::Path;
use tumble_io::contact_query::{Way, answer_line};
use tumble_io::file_error::FileError;

/// Answers each line as soon as it is read.
pub fn contact(arguments: &ContactArguments) -> Result<(), Failure> {
    let path = arguments.file.as_path();
    let way = Way {
        method: arguments.method.as_deref(),
        gives_way: arguments.as_run && arguments.crown.is_none(),
        crown: arguments.crown.unwrap_or(0.0),
        choices: arguments.feng.choices(),
        plane: arguments.plane.choices(),
        patch: arguments.patch,
    };
    // Told once, and not on every line.
    way.contact_method().map_err(|refused| {
        Failure::input(format!(
            "{refused}\n--overlap, --weight, --layers, --edge-points, --quartic and --nearest go with --method feng-layered or feng-edge; --start-angle, --angle-limit and --directions with cundall or liu; --gap-increment, --end and --face-point with liu"
        ))
    })?;
    if path == Path::new("-") {
        return answer(&mut stdin().lock(), path, way);
    }
    let file = File::open(path).map_err(FileError::of("open", path))?;
    answer(&mut BufReader::new(file), path, way)
}

fn answer(questions: &mut dyn BufRead, path: &Path, way: Way) -> Result<(), Failure> {
    let mut out = stdout().lock();
    let mut line = Vec::new();
    let mut any_failed = false;
    let mut is_first = true;
    loop {
        line.clear();
        if questions.read_until(b'\n', &mut line).map_err(FileError::of("read", path))? == 0 {
            break;
        }
        // Bytes that are no text become a line that is no JSON, and are answered as such.
        let text = String::from_utf8_lossy(&line);
        // Some editors and spreadsheets begin a file with a byte order mark.
        let text = if is_first { text.strip_prefix('\u{feff}').unwrap_or(&text) } else { &text };
        is_first = false;
        if text.trim().is_empty() {
            continue;
        }
        let answer = answer_line(text.trim(), way);
        any_failed |= answer.is_error();
        let mut written = answer.to_json();
        written.push('\n');
        // Standard output keeps a line no longer than its end, so whoever asks line by line gets each answer at once.
        out.write_all(written.as_bytes())?;
    }
    out.flush()?;
    // The answers themselves say what was wrong.
    if any_failed { Err(Failure::Told) } else { Ok(()) }
}
