//! `tumble analyse`: answers from what runs left.

use crate::arguments::AnalyseArguments;
use crate::failure::Failure;
use crate::figures::{list, number};
use crate::plot::png;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use tumble_io::run_directory::RunDirectory;
use tumble_io::{FileError, TableWriter, atomic_file, scene};
use tumble_pictures::chart::{Axis, Chart, Map, Mark, Series};
use tumble_run::analysis::{Analysis, Answer, Evidence, Question, Shown, Wishes, beverloo};

/// The name of the question that goes to several runs together.
const BEVERLOO: &str = "beverloo";

/// What was typed, told apart: words that name a question are questions, the others are directories.
struct Asked {
    directories: Vec<PathBuf>,
    questions: Vec<Question>,
    is_beverloo: bool,
}

impl Asked {
    fn of(words: &[PathBuf]) -> Result<Asked, Failure> {
        let mut asked = Asked { directories: Vec::new(), questions: Vec::new(), is_beverloo: false };
        for word in words {
            match Question::ALL.into_iter().find(|question| Path::new(question.name()) == word.as_path()) {
                Some(question) => asked.questions.push(question),
                None if word.as_path() == Path::new(BEVERLOO) => asked.is_beverloo = true,
                None => asked.directories.push(word.clone()),
            }
        }
        if asked.directories.is_empty() {
            return Err(Failure::input("the directory of a run is wanted before the questions".to_owned()));
        }
        Ok(asked)
    }

    fn is_all(&self) -> bool {
        self.questions.is_empty() && !self.is_beverloo
    }
}

/// Answers the questions, prints the answers and writes them with the numbers they come from.
pub fn analyse(arguments: &AnalyseArguments) -> Result<(), Failure> {
    let asked = Asked::of(&arguments.words).map_err(|failure| with_known_questions(failure, &arguments.words))?;
    let wishes = Wishes {
        time: arguments.time,
        from: arguments.from,
        until: arguments.until,
        kind: arguments.kind.clone(),
        wall: arguments.wall.clone(),
    };
    let runs = asked.directories.iter().map(|root| {
        if !root.exists() && root.components().count() == 1 {
            let known: Vec<&str> = Question::ALL.iter().map(|question| question.name()).chain([BEVERLOO]).collect();
            return Err(Failure::input(format!(
                "`{}` is neither a directory nor a question; the questions are {}",
                root.display(),
                known.join(", ")
            )));
        }
        Ok(Evidence::of(root, &wishes)?)
    });
    let runs: Vec<Evidence> = runs.collect::<Result<_, Failure>>()?;
    if arguments.opening.len() > 1 && arguments.opening.len() != runs.len() {
        return Err(Failure::input(format!("{} openings are given for {} runs", arguments.opening.len(), runs.len())));
    }
    let by = sweep_values(arguments, &asked.directories)?;
    let questions = if asked.is_all() { Question::ALL.to_vec() } else { asked.questions.clone() };
    let mut refused = Vec::new();
    let mut n_answered = 0;
    let common = arguments.out.clone().unwrap_or_else(|| match &runs[..] {
        [run] => run.directory().analysis_path(),
        _ => PathBuf::from("analysis"),
    });
    for question in questions {
        let mut found = Vec::new();
        for (run, root) in runs.iter().zip(&asked.directories) {
            match question.answer(run, &wishes) {
                Ok(analysis) => found.push(analysis),
                Err(why) if runs.len() == 1 => refused.push(format!("{}: {why}", question.name())),
                Err(why) => refused.push(format!("{} of {}: {why}", question.name(), root.display())),
            }
        }
        if found.len() < runs.len() {
            continue;
        }
        n_answered += 1;
        if let [found] = &found[..] {
            write(&common, question.name(), found)?;
            writeln!(stdout(), "{}\n{}", found.title, entries(found).trim_end())?;
            continue;
        }
        for (run, found) in runs.iter().zip(&found) {
            write(&run.directory().analysis_path(), question.name(), found)?;
        }
        write_several(&common, question.name(), &asked.directories, &by, &found)?;
        writeln!(stdout(), "{}\n{}", found[0].title, one_by_one(&asked.directories, &by, &found).trim_end())?;
    }
    if asked.is_beverloo {
        let opening = |place: usize| arguments.opening.get(place).or(arguments.opening.first()).copied();
        let flows = runs.iter().zip(&asked.directories).enumerate().map(|(place, (run, root))| {
            run.outflow(opening(place))
                .map_err(|why| Failure::input(format!("{BEVERLOO} of {}: {why}", root.display())))
        });
        let flows = flows.collect::<Result<Vec<_>, Failure>>()?;
        match beverloo(&flows) {
            Ok(found) => {
                write(&common, BEVERLOO, &found)?;
                writeln!(stdout(), "{}\n{}", found.title, entries(&found).trim_end())?;
                n_answered += 1;
            }
            Err(why) => refused.push(format!("{BEVERLOO}: {why}")),
        }
    }
    // What was not asked for by name may well have no answer.
    if n_answered == 0 || !asked.is_all() && !refused.is_empty() {
        return Err(Failure::input(refused.join("\n")));
    }
    for why in refused {
        let _ = writeln!(stderr(), "no {why}");
    }
    writeln!(stdout(), "tables and plots in {}", common.display())?;
    Ok(())
}

/// A mistyped question is taken for a directory: says which questions there are.
fn with_known_questions(failure: Failure, words: &[PathBuf]) -> Failure {
    if words.is_empty() {
        failure
    } else {
        Failure::input("name the directory of a run too, as in `tumble analyse RUN discharge`")
    }
}

/// The values of the keys that differ from run to run: a column for each.
struct Sweep {
    key: String,
    values: Vec<f64>,
}

fn sweep_values(arguments: &AnalyseArguments, directories: &[PathBuf]) -> Result<Vec<Sweep>, Failure> {
    let mut sweeps = Vec::new();
    for key in &arguments.by {
        let mut values = Vec::new();
        for root in directories {
            let text = RunDirectory::open(root)?.load_scene()?;
            let value = scene::number_at(&text, key);
            values.push(
                value.ok_or_else(|| {
                    Failure::input(format!("the scene of {} has no number at `{key}`", root.display()))
                })?,
            );
        }
        sweeps.push(Sweep { key: key.clone(), values });
    }
    Ok(sweeps)
}

fn in_words(answer: &Answer) -> String {
    let error = answer.error.map_or_else(String::new, |error| format!(" +- {}", number(error)));
    format!("{}{error} {}", number(answer.value), answer.unit).trim_end().to_owned()
}

fn entries(found: &Analysis) -> String {
    let entries: Vec<(&str, String)> = found.answers.iter().map(|a| (a.name.as_str(), in_words(a))).collect();
    list(&entries)
}

/// The main answer of each run.
fn one_by_one(directories: &[PathBuf], by: &[Sweep], found: &[Analysis]) -> String {
    let names: Vec<String> = directories
        .iter()
        .enumerate()
        .map(|(run, root)| {
            let mut name = root.display().to_string();
            for sweep in by {
                // Writing to a String cannot fail.
                let _ = write!(name, "  {} = {}", sweep.key, number(sweep.values[run]));
            }
            name
        })
        .collect();
    let entries: Vec<(&str, String)> = names
        .iter()
        .zip(found)
        .map(|(name, found)| {
            (name.as_str(), found.answers.first().map_or_else(String::new, |a| format!("{} {}", a.name, in_words(a))))
        })
        .collect();
    list(&entries)
}

fn answers_as_json(found: &Analysis) -> Vec<Value> {
    let of = |a: &Answer| json!({ "name": a.name, "value": a.value, "standard_error": a.error, "unit": a.unit });
    found.answers.iter().map(of).collect()
}

/// Writes table, answers and plot of one run under a name.
fn write(out: &Path, name: &str, found: &Analysis) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(FileError::of("create", out))?;
    let path = out.join(name);
    let mut table = TableWriter::create(&path.with_extension("csv"), &found.columns)?;
    for row in &found.rows {
        table.row(row)?;
    }
    table.flush()?;
    let answers = json!({ "title": found.title, "answers": answers_as_json(found), "how": found.note });
    atomic_file::replace_with(&path.with_extension("json"), format!("{answers:#}\n").as_bytes())?;
    draw(&path, &chart_of(found))
}

fn draw(path: &Path, svg: &str) -> Result<(), Failure> {
    atomic_file::replace_with(&path.with_extension("svg"), svg.as_bytes())?;
    atomic_file::replace_with(&path.with_extension("png"), &png(svg, 1440)?)?;
    Ok(())
}

/// What a column's name says: in words, and its unit.
fn axis_of(column: &str) -> Axis {
    let units = [
        ("_kg_per_s", "kg/s"),
        ("_kg_per_m3", "kg/m^3"),
        ("_degrees", "degrees"),
        ("_m2", "m^2"),
        ("_Pa", "Pa"),
        ("_kg", "kg"),
        ("_m", "m"),
        ("_s", "s"),
        ("_N", "N"),
    ];
    let found = units.into_iter().find_map(|(ending, unit)| Some((column.strip_suffix(ending)?, unit)));
    let (label, unit) = found.unwrap_or((column, ""));
    Axis::new(&label.replace('_', " "), unit)
}

fn chart_of(found: &Analysis) -> String {
    let column = |place: usize| found.rows.iter().map(|row| row[place]).collect::<Vec<f64>>();
    match &found.shown {
        Shown::Lines { x, y, is_logarithmic } => {
            let scaled = |axis: Axis, is_logarithmic: bool| if is_logarithmic { axis.logarithmic() } else { axis };
            let upwards = axis_of(&found.columns[y[0]]);
            let upwards = if is_logarithmic[1] { upwards } else { upwards.from_zero() };
            let series =
                y.iter().map(|&place| Series::line(&axis_of(&found.columns[place]).label, &column(*x), &column(place)));
            let chart = Chart {
                title: found.title.clone(),
                x: scaled(axis_of(&found.columns[*x]), is_logarithmic[0]),
                y: scaled(upwards, is_logarithmic[1]),
                series: series.collect(),
                note: found.note.clone(),
            };
            chart.to_svg()
        }
        Shown::Map { x, y, value, width } => {
            let map = Map {
                title: found.title.clone(),
                x: axis_of(&found.columns[*x]),
                y: axis_of(&found.columns[*y]),
                value: axis_of(&found.columns[*value]),
                cells: found.rows.iter().map(|row| [row[*x], row[*y], row[*value]]).collect(),
                width: *width,
                note: found.note.clone(),
            };
            map.to_svg()
        }
    }
}

/// Writes the answers of several runs as one table, and the main one over the first key that differs.
fn write_several(
    out: &Path,
    name: &str,
    directories: &[PathBuf],
    by: &[Sweep],
    found: &[Analysis],
) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(FileError::of("create", out))?;
    let path = out.join(name);
    // Answers that all runs have; an answer may be missing where a run had too little for it.
    let common: Vec<&str> = found[0]
        .answers
        .iter()
        .map(|answer| answer.name.as_str())
        .filter(|name| found.iter().all(|found| found.answers.iter().any(|answer| answer.name == *name)))
        .collect();
    let of = |found: &Analysis, name: &str| found.answers.iter().find(|answer| answer.name == name).cloned();
    let mut header = vec!["run".to_owned()];
    header.extend(by.iter().map(|sweep| sweep.key.clone()));
    for name in &common {
        let unit = of(&found[0], name).map_or("", |answer| answer.unit);
        header.push(if unit.is_empty() { (*name).to_owned() } else { format!("{name} [{unit}]") });
        header.push(format!("{name} error"));
    }
    let cell = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    let mut csv = header.iter().map(|name| cell(name)).collect::<Vec<String>>().join(",") + "\n";
    for (run, analysis) in found.iter().enumerate() {
        let mut row = vec![cell(&directories[run].display().to_string())];
        row.extend(by.iter().map(|sweep| sweep.values[run].to_string()));
        for name in &common {
            if let Some(answer) = of(analysis, name) {
                row.push(answer.value.to_string());
                row.push(answer.error.unwrap_or(f64::NAN).to_string());
            }
        }
        csv += &(row.join(",") + "\n");
    }
    atomic_file::replace_with(&path.with_extension("csv"), csv.as_bytes())?;
    let runs: Vec<Value> = found
        .iter()
        .enumerate()
        .map(|(run, analysis)| {
            let keys: serde_json::Map<String, Value> =
                by.iter().map(|sweep| (sweep.key.clone(), json!(sweep.values[run]))).collect();
            json!({ "run": directories[run].display().to_string(), "by": keys, "answers": answers_as_json(analysis) })
        })
        .collect();
    let whole = json!({ "title": found[0].title, "runs": runs, "how": found[0].note });
    atomic_file::replace_with(&path.with_extension("json"), format!("{whole:#}\n").as_bytes())?;
    let Some(main) = common.first() else { return Ok(()) };
    let mut points: Vec<[f64; 2]> = found
        .iter()
        .enumerate()
        .filter_map(|(run, analysis)| {
            let x = by.first().map_or(run as f64 + 1.0, |sweep| sweep.values[run]);
            Some([x, of(analysis, main)?.value])
        })
        .collect();
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let unit = of(&found[0], main).map_or("", |answer| answer.unit);
    let across = by.first().map_or_else(|| Axis::new("run", "").counting(), |sweep| Axis::new(&sweep.key, ""));
    let chart = Chart {
        title: format!("{} of {} runs", found[0].title, found.len()),
        x: across,
        y: Axis::new(main, unit).from_zero(),
        series: vec![Series { name: (*main).to_owned(), points, mark: Mark::Line, paint: None }],
        note: found[0].note.clone(),
    };
    draw(&path, &chart.to_svg())
}
