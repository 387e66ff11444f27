//! Flat-ended cylinders through the gates of spin, energy, rest, rolling, toppling and impact. Each module is named after
//! what it shows. Figures are printed: `cargo test -p tumble-engine --test cylinders -- --nocapture`; the full sizes run
//! with `--ignored`.

#[path = "../validation/support.rs"]
#[allow(dead_code, reason = "shared with the tests of spheres")]
mod support;

#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the tests of all shapes")]
mod samples;

mod gas;
mod impacts;
mod incline;
mod rest;
mod spin;
