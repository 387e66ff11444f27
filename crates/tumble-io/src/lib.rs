//! Files of Tumble: scenes and the files they name, outputs, checkpoints, contact questions.
#![forbid(unsafe_code)]

pub mod append_file;
pub mod atomic_file;
pub mod bounded_read;
mod box_faces;
pub mod checkpoint;
pub mod contact_query;
pub mod diagnostic;
pub mod figures;
pub mod file_error;
pub mod mesh_file;
pub mod motion_file;
pub mod particle_file;
pub mod run_directory;
pub mod run_report;
#[cfg(test)]
mod sample_model;
pub mod scene;
pub mod schema;
pub mod state_tables;
pub mod table;
pub mod trajectory;
pub mod units;
pub mod vtk;

pub use checkpoint::{CheckpointError, CheckpointExtra};
pub use contact_query::answer_line;
pub use file_error::FileError;
pub use run_directory::{RunDirectory, RunDirectoryError};
pub use run_report::{RunReport, RunStatus};
pub use scene::{OutputPlan, Scene, SceneError, StopPlan};
pub use table::{Table, TableWriter};
pub use trajectory::{TrajectoryMetadata, TrajectoryReader, TrajectoryWriter};
