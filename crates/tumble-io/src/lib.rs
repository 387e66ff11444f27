//! Files of Tumble: scenes.
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod mesh_file;
pub mod particle_file;
pub mod scene;
pub mod schema;
pub mod units;
