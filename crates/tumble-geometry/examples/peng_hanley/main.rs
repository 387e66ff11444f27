//! The results of Peng and Hanley, and how their method fares beyond them. Writes tables as CSV to standard output:
//!
//! - `spheres N`: their table 1. N unit balls around a cube of edge 2, counted by case, against volumes and the exact distance;
//! - `solids N M`: the five regular solids with spheres, ellipsoids and superquadrics, N of each by the three methods, the first M of them held
//!   against a search that shares nothing with them;
//! - `cost N R`: their figure 12. What one question costs by case, for the five solids and three methods: the least of R rounds;
//! - `faces N R`: the same for hulls of up to 500 faces, at a distance where it matters;
//! - `failures N`: wrong verdicts of the chart for kinds of bodies and numbers of faces.
//!
//! `validation/peng-hanley/run` drives it. `count METHOD FACES N` asks N questions and prints nothing: for callgrind.

mod bodies;
mod cost;
mod verdicts;

use std::process::ExitCode;

const USAGE: &str =
    "usage: peng_hanley spheres N | solids N M | cost N R | faces N R | failures N | count METHOD FACES EXPONENT N";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).and_then(|text| text.parse::<usize>().ok());
    match (arguments.first().map(String::as_str), number(1), number(2)) {
        (Some("spheres"), Some(n), _) => verdicts::spheres(n),
        (Some("solids"), Some(n), Some(m)) => verdicts::solids(n, m),
        (Some("cost"), Some(n), Some(rounds)) => cost::by_case(n, rounds),
        (Some("faces"), Some(n), Some(rounds)) => cost::by_faces(n, rounds),
        (Some("failures"), Some(n), _) => verdicts::failures(n),
        (Some("count"), _, Some(n_faces)) => {
            if !cost::count(&arguments[1], n_faces, number(3).unwrap_or(2) as f64, number(4).unwrap_or(1)) {
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
