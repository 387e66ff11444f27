//! The physics of Tumble: what a run is made of ([`Model`], [`State`]), how it moves ([`Simulation`]) and what can be
//! read off it ([`observe`]). No files, no printing.
//!
//! Units are SI throughout; signs are those of [`tumble_geometry::contact`].

pub mod boundary;
pub mod broad;
mod change;
pub mod contacts;
pub mod crossings;
pub mod error;
pub mod groups;
pub mod hard;
mod health;
pub mod integrator;
pub mod law;
pub mod model;
pub mod observe;
pub mod particles;
pub mod random;
pub mod region;
pub mod simulation;
mod soft;
mod solver;
pub mod state;
pub mod time_step;

pub use glam::{DMat3, DQuat, DVec3};

pub use boundary::insertion::{GrainList, Insertion, ListedGrain};
pub use boundary::wall::{Motion, Wall};
pub use contacts::{ElasticWrench, elastic_wrench};
pub use crossings::{CountingPlane, Crossed, Departed, Extent};
pub use error::EngineError;
pub use groups::{Group, Members};
pub use law::{InteractionProperties, Law};
pub use model::{Domain, Edge, Material, Model, ModelBuilder, Species, TimeStep};
pub use observe::{ContactRecord, Energies, Partner, Probe, ProbeQuantity};
pub use particles::Particles;
pub use simulation::Simulation;
pub use state::State;
