//! `tumble report`: a run on one page.

use crate::arguments::ReportArguments;
use crate::failure::Failure;
use std::io::{Write, stdout};
use std::path::Path;
use tumble_io::atomic_file;
use tumble_io::file_error::FileError;
use tumble_io::run_directory::RunDirectory;
use tumble_pictures::page::Page;

/// Writes the page of a run.
pub fn report(arguments: &ReportArguments) -> Result<(), Failure> {
    let directory = RunDirectory::open(&arguments.directory)?;
    let path = arguments.output.clone().unwrap_or_else(|| directory.page_path());
    write(&directory, &path)?;
    writeln!(stdout(), "{}", path.display())?;
    Ok(())
}

/// Writes the page into the run's directory, whatever else happens there.
pub fn write_beside_run(directory: &RunDirectory) -> Result<(), FileError> {
    write(directory, &directory.page_path())
}

fn write(directory: &RunDirectory, path: &Path) -> Result<(), FileError> {
    atomic_file::replace_with(path, Page::of(directory).to_html().as_bytes())
}
