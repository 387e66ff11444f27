//! Runs of Tumble as a library: what drives a run, when something is written, and how it is resumed. It prints nothing.
//!
//! A [`Run`] comes from a scene, from a [`Model`] or from the directory of an earlier run. It steps, measures, calls
//! observers, and, if it is told to, leaves files from which it can be resumed to the bit.
//!
//! ```
//! use tumble_run::Run;
//!
//! let mut run = Run::from_text(
//!     "materials.glass = { preset = 'glass', young = '5 MPa' }
//!      particles.bead = { diameter = '5 mm' }
//!      insert = [{ fill = { region = { box = { from = [0, 0, 0], to = '3 3 3 cm' } }, count = 20 } }]
//!      walls = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
//!      time.end = '20 ms'",
//! )?;
//! run.run(&mut ())?;
//! assert_eq!(run.state().particles.len(), 20);
//! assert!(run.energies().kinetic() > 0.0);
//! # Ok::<(), tumble_run::RunError>(())
//! ```
//!
//! What an ordinary user needs of the crates below is named here too, so that `use tumble_run::{...}` is enough.
#![forbid(unsafe_code)]

mod account;
pub mod analysis;
mod course;
pub mod error;
mod observer;
mod outputs;
mod records;
mod run;
pub mod schedule;
pub mod series;
mod slips;
mod stored_run;
mod watcher;

pub use error::RunError;
pub use run::{End, Moment, Run, load_scene, load_scene_from};
pub use schedule::{Moments, Schedule, Stop};
pub use series::Sample;
pub use slips::slips;
pub use stored_run::{StoredRun, snapshot};
pub use watcher::{Notice, Watcher};

pub use glam::{DMat3, DQuat, DVec3};
pub use tumble_engine::boundary::insertion::{Insertion, ListedGrain};
pub use tumble_engine::boundary::wall::{Motion, Wall};
pub use tumble_engine::law::{InteractionProperties, Law};
pub use tumble_engine::model::{Domain, Edge, TimeStep};
pub use tumble_engine::model::{Material, ModelBuilder, Species};
pub use tumble_engine::observe::{ContactRecord, Energies, Partner, Probe, ProbeQuantity};
pub use tumble_engine::{EngineError, Model, Particles, Simulation, State};
pub use tumble_geometry::{
    Capsule, Clump, Cylinder, Disc, Mesh, Polygon, Polyhedron, Pose, Shape, Sphere, Superquadric, Surface, Tablet,
    TruncatedCone,
};
pub use tumble_io::run_directory::RunDirectory;
pub use tumble_io::run_report::{RunReport, RunStatus};
pub use tumble_io::scene::OutputPlan;
pub use tumble_io::scene::{Scene, SceneError};

/// Version of Tumble, as reports and checkpoints name it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
