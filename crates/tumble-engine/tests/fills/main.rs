//! Random fills of every shape. Each module is named after what it shows. Figures are printed:
//! `cargo test --release -p tumble-engine --test fills -- --ignored --nocapture --test-threads 1`.

#[path = "../validation/support.rs"]
#[allow(dead_code, reason = "shared with the tests of spheres")]
mod support;

mod cost;
mod fractions;
mod samples;
mod watching;
