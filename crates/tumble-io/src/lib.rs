//! Files.

pub mod append_file;
pub mod atomic_file;
pub mod checkpoint;
pub mod contact_query;
pub mod file_error;
pub mod run_directory;
pub mod run_report;
#[cfg(test)]
mod sample_model;
pub mod table;
pub mod trajectory;
pub mod vtk;
