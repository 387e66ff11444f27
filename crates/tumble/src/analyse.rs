//! `tumble analyse`: answers from what a run left.

use crate::arguments::{AnalyseArguments, Question};
use crate::failure::Failure;
use crate::figures::{list, number};
use crate::plot::png;
use serde_json::json;
use std::io::{Write, stderr, stdout};
use std::path::Path;
use tumble_io::run_directory::RunDirectory;
use tumble_io::{FileError, Table, TableWriter, atomic_file};
use tumble_pictures::chart::{Axis, Chart, Series};
use tumble_run::analysis::{self, Analysis, Answer};
use tumble_run::snapshot;

/// Answers the questions, prints the answers and writes them with the numbers they come from.
pub fn analyse(arguments: &AnalyseArguments) -> Result<(), Failure> {
    let directory = RunDirectory::open(&arguments.directory)?;
    let out = arguments.out.clone().unwrap_or_else(|| directory.analysis_path());
    let is_all = arguments.questions.is_empty();
    let questions = if is_all { Question::ALL.to_vec() } else { arguments.questions.clone() };
    let mut refused = Vec::new();
    let mut n_answered = 0;
    for question in questions {
        let found = match question {
            Question::Discharge => {
                let series = Table::read(&directory.series_path());
                series.map_err(|error| error.to_string()).and_then(|series| analysis::discharge(&series))
            }
            Question::Repose => analysis::repose(&snapshot(&arguments.directory, arguments.time)?),
            Question::Forces => analysis::forces(&snapshot(&arguments.directory, arguments.time)?),
        };
        match found {
            Ok(found) => {
                std::fs::create_dir_all(&out).map_err(FileError::of("create", &out))?;
                write(&out.join(question.name()), &found)?;
                let entries: Vec<(&str, String)> = found.answers.iter().map(|a| (a.name, in_words(a))).collect();
                writeln!(stdout(), "{}\n{}", found.title, list(&entries).trim_end())?;
                n_answered += 1;
            }
            Err(why) => refused.push(format!("{}: {why}", question.name())),
        }
    }
    // What was not asked for by name may well have no answer.
    if n_answered == 0 || !is_all && !refused.is_empty() {
        return Err(Failure::input(refused.join("\n")));
    }
    for why in refused {
        let _ = writeln!(stderr(), "no {why}");
    }
    writeln!(stdout(), "tables and plots in {}", out.display())?;
    Ok(())
}

fn in_words(answer: &Answer) -> String {
    let error = answer.error.map_or_else(String::new, |error| format!(" +- {}", number(error)));
    format!("{}{error} {}", number(answer.value), answer.unit).trim_end().to_owned()
}

/// Writes table, answers and plot under a name.
fn write(path: &Path, found: &Analysis) -> Result<(), Failure> {
    let mut table = TableWriter::create(&path.with_extension("csv"), &found.columns)?;
    for row in &found.rows {
        table.row(row)?;
    }
    table.flush()?;
    let answers: Vec<_> = found
        .answers
        .iter()
        .map(|a| json!({ "name": a.name, "value": a.value, "standard_error": a.error, "unit": a.unit }))
        .collect();
    let answers = json!({ "title": found.title, "answers": answers, "how": found.note });
    atomic_file::replace_with(&path.with_extension("json"), format!("{answers:#}\n").as_bytes())?;
    let column = |place: usize| found.rows.iter().map(|row| row[place]).collect::<Vec<f64>>();
    let axis = |place: usize| {
        let name = found.columns[place];
        let (label, unit) = match name.rsplit_once('_') {
            Some((label, unit @ ("s" | "m" | "kg"))) => (label, unit),
            _ => (name, ""),
        };
        Axis::new(&label.replace('_', " "), unit)
    };
    // The main number of each table is its second column, of a discharge the mass.
    let shown = if found.columns[2] == "removed_kg" { 2 } else { 1 };
    let chart = Chart {
        title: found.title.to_owned(),
        x: axis(0),
        y: axis(shown).from_zero(),
        series: vec![Series::line(found.columns[shown], &column(0), &column(shown))],
        note: found.note.clone(),
    };
    let svg = chart.to_svg();
    atomic_file::replace_with(&path.with_extension("svg"), svg.as_bytes())?;
    atomic_file::replace_with(&path.with_extension("png"), &png(&svg, 1440)?)?;
    Ok(())
}
