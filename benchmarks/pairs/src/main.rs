//! Contact questions with known answers: Tumble's checked, and timed against parry. See README.md beside it.
#![forbid(unsafe_code)]

mod instructions;
mod judge;
mod rival;
mod sets;
mod solver;

use sets::Set;
use solver::{Question, Solver};
use std::process::ExitCode;

const USAGE: &str = "\
usage: tumble-pairs-benchmark [--check | --instructions] [--set PART] [--rounds N]

  (nothing)       time and check: a table of all sets, Tumble against parry
  --check         correctness of Tumble only; exit status 1 if an answer is bad or a separation is off by more than
                  1e-8 of the size
  --instructions  instructions a question, counted by Valgrind, instead of time
  --set PART      only sets whose name contains PART
  --rounds N      rounds of which the fastest counts (default 7)";

/// Largest error of a separation over the size that `--check` lets pass.
const LARGEST_ERROR: f64 = 1e-8;

struct Options {
    check: bool,
    instructions: bool,
    part: String,
    rounds: usize,
    /// For Valgrind: one solver, this many passes, no output.
    count: Option<(Solver, usize)>,
}

fn options() -> Result<Options, String> {
    let mut options = Options { check: false, instructions: false, part: String::new(), rounds: 7, count: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
        let number = |text: String| text.parse::<usize>().map_err(|error| format!("{text}: {error}\n{USAGE}"));
        match argument.as_str() {
            "--check" => options.check = true,
            "--instructions" => options.instructions = true,
            "--set" => options.part = value()?,
            "--rounds" => options.rounds = number(value()?)?.max(1),
            "--count" => {
                let name = value()?;
                let solver = Solver::ALL.into_iter().find(|solver| solver.name() == name);
                options.count = Some((solver.ok_or_else(|| format!("no solver {name}"))?, number(value()?)?));
            }
            "--help" | "-h" => return Err(USAGE.to_string()),
            other => return Err(format!("unknown option {other}\n{USAGE}")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let options = options()?;
    let sets = sets::read(&options.part)?;
    if sets.is_empty() {
        return Err(format!("no set's name contains `{}`", options.part));
    }
    if let Some((solver, passes)) = options.count {
        for set in &sets {
            let question = Question::new(set)?;
            (0..passes).for_each(|_| question.pass(solver));
        }
        Ok(true)
    } else if options.check {
        check(&sets)
    } else if options.instructions {
        instructions::table(&sets).map(|()| true)
    } else {
        compare(&sets, options.rounds).map(|()| true)
    }
}

/// Whether Tumble answers every pair of every set well, from nothing and from a warm start.
fn check(sets: &[Set]) -> Result<bool, String> {
    let (mut n_pairs, mut all_well, mut largest) = (0, true, 0f64);
    for set in sets {
        let question = Question::new(set)?;
        for solver in [Solver::Cold, Solver::Warm, Solver::Touching] {
            let tally = question.judge(solver);
            largest = largest.max(tally.largest_error);
            if tally.bad() > 0 || tally.largest_error > LARGEST_ERROR {
                all_well = false;
                println!("{} ({}): largest error {:.1e}, {tally:?}", set.name, solver.name(), tally.largest_error);
            }
        }
        n_pairs += set.pairs.len();
    }
    let verdict = if all_well { "none bad" } else { "NOT ALL GOOD" };
    println!("{n_pairs} pairs in {} sets: {verdict}, largest error {largest:.1e} of the size", sets.len());
    Ok(all_well)
}

/// The table of figures.
fn compare(sets: &[Set], rounds: usize) -> Result<(), String> {
    println!(
        "{:18} | {:^41} | {:^34} | Tumble over parry",
        "", "Tumble: distance, contact only", "parry: contact only, distance"
    );
    println!(
        "{:18} | {:>4} {:>8} {:>8} {:>8} {:>8} | {:>3} {:>4} {:>8} {:>8} {:>8} | {:>7} {:>8}",
        "set",
        "bad",
        "error",
        "cold ns",
        "warm ns",
        "cont. ns",
        "bad",
        "bad",
        "error",
        "cont. ns",
        "dist. ns",
        "contact",
        "distance"
    );
    let mut slower = [Vec::new(), Vec::new()];
    for set in sets {
        let question = Question::new(set)?;
        let [cold, warm, touching, contact, distance] = question.nanoseconds(rounds);
        let [by_cold, by_warm, by_touching, by_parry, by_distance] = Solver::ALL.map(|solver| question.judge(solver));
        println!(
            "{:18} | {:4} {:8.1e} {:8.0} {:8.0} {:8.0} | {:3} {:4} {:8.1e} {:8.0} {:8.0} | {:7.2} {:8.2}",
            set.name,
            by_cold.bad() + by_warm.bad() + by_touching.bad(),
            by_cold.largest_error.max(by_warm.largest_error),
            cold,
            warm,
            touching,
            by_parry.bad(),
            by_distance.bad(),
            by_distance.largest_error,
            contact,
            distance,
            touching / contact,
            cold / distance
        );
        for (slower, (own, rival)) in slower.iter_mut().zip([(touching, contact), (cold, distance)]) {
            if own > rival {
                slower.push(format!("{} ({:.2})", set.name, own / rival));
            }
        }
    }
    for (slower, question) in slower.iter().zip(["asked for contacts only", "asked for distances too"]) {
        let list = if slower.is_empty() { "none".to_string() } else { slower.join(", ") };
        println!("slower than parry {question}: {list}");
    }
    Ok(())
}
