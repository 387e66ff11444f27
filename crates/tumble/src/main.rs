//! The command line of Tumble. See [`arguments`] for what can be typed.
#![forbid(unsafe_code)]

mod analyse;
mod arguments;
mod browser;
mod check;
mod compare;
mod contact;
mod export;
mod failure;
mod figures;
mod info;
mod interrupt;
mod new;
mod onlooker;
mod page;
mod pairs;
mod placing;
mod plot;
mod progress;
mod render;
mod report;
mod run;
mod schema;
mod view;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use failure::Failure;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments::without_filler(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help that was asked for is no error; a wrong option is the user's input like any other.
            let _ = error.print();
            return ExitCode::from(u8::from(error.use_stderr()));
        }
    };
    let done = match arguments.command {
        Command::New(arguments) => new::new(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Run(arguments) if !arguments.compare_solvers.is_empty() => compare::compare_solvers(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Resume(arguments) => run::resume(&arguments),
        Command::View(arguments) => view::view(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Analyse(arguments) => analyse::analyse(&arguments),
        Command::Report(arguments) => page::report(&arguments),
        Command::Render(arguments) => render::render(&arguments),
        Command::Contact(arguments) => contact::contact(&arguments),
        Command::Pairs(arguments) => pairs::pairs(&arguments),
        Command::Schema(arguments) => schema::schema(&arguments),
        Command::Completions(arguments) => completions(arguments.shell),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                // If nobody hears the error, the exit code still tells.
                let _ = writeln!(std::io::stderr(), "error: {message}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "tumble", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}
