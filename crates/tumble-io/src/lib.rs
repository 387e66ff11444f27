//! Files of Tumble: scenes.
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod scene;
pub mod schema;
pub mod units;
