//! Instructions a question, counted by Valgrind: they do not depend on load. The program runs itself, each solver and set
//! once with one pass and once with three; the difference is two passes without starting up.

use crate::sets::Set;
use crate::solver::Solver;
use std::process::Command;

/// Prints the counts of every set and solver.
pub fn table(sets: &[Set]) -> Result<(), String> {
    print!("{:18}", "");
    Solver::ALL.iter().for_each(|solver| print!(" {:>14}", solver.name()));
    println!();
    for set in sets {
        print!("{:18}", set.name);
        for solver in Solver::ALL {
            let more = count(&set.name, solver, 3)? - count(&set.name, solver, 1)?;
            print!(" {:14.0}", more / (2 * set.pairs.len()) as f64);
        }
        println!();
    }
    Ok(())
}

fn count(set: &str, solver: Solver, passes: usize) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--set", set, "--count", solver.name(), &passes.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    collected.ok_or_else(|| format!("valgrind gave no count:\n{text}"))
}
