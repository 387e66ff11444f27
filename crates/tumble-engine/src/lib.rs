//! The physics of Tumble: what a run is made of ([`Model`], [`State`]), how it moves ([`Simulation`]) and what can be
//! read off it ([`observe`]). No files, no printing.
//!
//! Units are SI throughout; signs are those of [`tumble_geometry::contact`].

pub mod boundary;
pub mod broad;
pub mod error;
pub mod law;
pub mod model;
pub mod observe;
pub mod particles;
pub mod random;
pub mod region;
pub mod state;

pub use error::EngineError;
pub use model::Model;
pub use particles::Particles;
pub use state::State;
