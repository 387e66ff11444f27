//! Contact questions with known answers: Tumble's checked, and timed against parry and coal. See README.md beside it.
#![forbid(unsafe_code)]

mod coal;
mod compare;
mod instructions;
mod judge;
mod known_pairs;
mod method_table;
mod methods;
#[cfg(feature = "parry")]
mod rival;
#[cfg(not(feature = "parry"))]
#[path = "no_rival.rs"]
mod rival;
mod separating_axes;
mod sets;
mod solver;

use sets::Set;
use solver::{Question, Solver};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: tumble-pairs-benchmark [--check | --instructions | --methods [--share S]] [--set PART] [--rounds N] [--coal PROGRAM]

  (nothing)       time and check: a table of all sets, Tumble against parry
  --check         correctness of Tumble only; exit status 1 if an answer is bad or a separation is off by more than
                  1e-8 of the size
  --instructions  instructions a question, counted by Valgrind, instead of time
  --methods       methods for two polyhedra against each other: accuracy, failures, iterations, time; the table is written into
                  the book
  --share S       with --methods: only so much of the pairs, 0 to 1; the book is left alone
  --set PART      only sets whose name contains PART
  --rounds N      rounds of which the fastest counts (default 7)
  --coal PROGRAM  against coal as well: PROGRAM is what benchmarks/pairs/coal/build made and printed the path of";

/// Largest error of a separation over the size that `--check` lets pass.
const LARGEST_ERROR: f64 = 1e-8;

struct Options {
    check: bool,
    instructions: bool,
    methods: bool,
    /// Of the pairs of the methods [1].
    share: f64,
    part: String,
    rounds: usize,
    /// The program that asks coal.
    coal: Option<PathBuf>,
    /// For Valgrind: one solver, this many passes over the set of exactly this name, no output.
    count: Option<(Solver, usize)>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        check: false,
        instructions: false,
        methods: false,
        share: 1.0,
        part: String::new(),
        rounds: 7,
        coal: None,
        count: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
        let number = |text: String| text.parse::<usize>().map_err(|error| format!("{text}: {error}\n{USAGE}"));
        match argument.as_str() {
            "--check" => options.check = true,
            "--instructions" => options.instructions = true,
            "--methods" => options.methods = true,
            "--share" => {
                let text = value()?;
                let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
                options.share = share.ok_or_else(|| format!("--share {text}: not between 0 and 1\n{USAGE}"))?;
            }
            "--set" => options.part = value()?,
            "--rounds" => options.rounds = number(value()?)?.max(1),
            "--coal" => options.coal = Some(PathBuf::from(value()?)),
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
    if !options.check && options.count.is_none() && cfg!(not(feature = "parry")) {
        return Err("this program was built without parry, which the tables compare with: \
                    cargo run --release -p tumble-pairs-benchmark --features parry"
            .to_string());
    }
    if options.methods {
        return methods::table(options.rounds, options.share, options.coal.as_deref()).map(|()| true);
    }
    let sets = sets::read(&options.part)?;
    if sets.is_empty() {
        return Err(format!("no set's name contains `{}`", options.part));
    }
    if let Some((solver, passes)) = options.count {
        // The name of one set may be part of another's.
        for set in sets.iter().filter(|set| set.name == options.part) {
            let question = Question::new(set)?;
            (0..passes).for_each(|_| question.pass(solver));
        }
        Ok(true)
    } else if options.check {
        check(&sets)
    } else if options.instructions {
        instructions::table(&sets, options.coal.as_deref()).map(|()| true)
    } else {
        compare::table(&sets, options.rounds, options.coal.as_deref()).map(|()| true)
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
