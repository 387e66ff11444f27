//! `tumble export`: a moment of a run as tables.

use crate::arguments::ExportArguments;
use crate::failure::Failure;
use crate::figures::{counted, list, number};
use std::io::{Write, stdout};
use tumble_io::run_directory::RunDirectory;
use tumble_io::state_tables;
use tumble_run::snapshot;

/// Writes the tables and says what is in them.
pub fn export(arguments: &ExportArguments) -> Result<(), Failure> {
    let simulation = snapshot(&arguments.directory, arguments.time)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => RunDirectory::open(&arguments.directory)?.export_path(),
    };
    let written = state_tables::write(&out, &simulation)?;
    let mut entries =
        vec![("moment", format!("t = {} s, step {}", number(simulation.time()), simulation.state().step))];
    for (name, rows) in written {
        entries.push((name, counted(rows as u64, "row")));
    }
    entries.push(("in", out.display().to_string()));
    writeln!(stdout(), "{}", list(&entries).trim_end())?;
    Ok(())
}
