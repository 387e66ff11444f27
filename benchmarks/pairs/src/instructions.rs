//! Instructions a question, counted by Valgrind: they do not depend on load. The program runs itself, each solver and set
//! once with one pass and once with three; the difference is two passes without starting up. The program that asks coal is
//! counted in the same way.

use crate::coal::{self, Asked};
use crate::sets::Set;
use crate::solver::Solver;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Prints the counts of every set and solver, and of coal if its program is given.
pub fn table(sets: &[Set], coal: Option<&Path>) -> Result<(), String> {
    print!("{:18}", "");
    Solver::ALL.iter().for_each(|solver| print!(" {:>14}", solver.name()));
    if coal.is_some() {
        Asked::ALL.iter().for_each(|asked| print!(" {:>14}", format!("coal-{}", asked.name())));
    }
    println!();
    for set in sets {
        print!("{:18}", set.name);
        for solver in Solver::ALL {
            print_count(set, |passes| count(&set.name, solver, passes))?;
        }
        if let Some(program) = coal {
            for asked in Asked::ALL {
                print_count(set, |passes| count_coal(program, set, asked, passes))?;
            }
        }
        println!();
    }
    Ok(())
}

/// Instructions of a run; `None` if Valgrind met one that it does not know.
type Count = Result<Option<f64>, String>;

fn print_count(set: &Set, count: impl Fn(usize) -> Count) -> Result<(), String> {
    match (count(3)?, count(1)?) {
        (Some(three), Some(one)) => print!(" {:14.0}", (three - one) / (2 * set.pairs.len()) as f64),
        _ => print!(" {:>14}", "not known"),
    }
    Ok(())
}

fn count(set: &str, solver: Solver, passes: usize) -> Count {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let passes = passes.to_string();
    let arguments = ["--set", set, "--count", solver.name(), &passes];
    instructions(program.as_os_str(), &arguments, "")
}

fn count_coal(program: &Path, set: &Set, asked: Asked, passes: usize) -> Count {
    let input = coal::description(set) + &coal::order(asked, 0..set.pairs.len(), passes);
    instructions(program.as_os_str(), &[], &input)
}

/// Instructions of a whole run of a program.
fn instructions(program: &OsStr, arguments: &[&str], input: &str) -> Count {
    let failed = |error: std::io::Error| format!("valgrind: {error}");
    let mut child = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    // The pipe is dropped after the last word, which ends the input. A program that stops reading fails, and what it says
    // of that says more than the broken pipe.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stderr);
    // Valgrind 3.19 does not know one way of moving eight bytes, which the compiler uses where it happens to suit.
    if text.contains("unhandled instruction") {
        return Ok(None);
    }
    let collected = text.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    collected.filter(|_| output.status.success()).map(Some).ok_or_else(|| format!("valgrind gave no count:\n{text}"))
}
