//! Flat-ended cylinders through the gates of spin, energy, rest, rolling, toppling and impact. Each module is named after
//! what it shows. Figures are printed: `cargo test -p tumble-engine --test cylinders -- --nocapture`; the full sizes run
//! with `--ignored`.

#[path = "../validation/support.rs"]
#[allow(dead_code, reason = "shared with the tests of spheres")]
mod support;

#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the tests of all shapes")]
mod samples;

#[path = "../shapes/closed_loop.rs"]
mod closed_loop;
mod collisions;
mod gas;
#[path = "../shapes/gradient.rs"]
mod gradient;
mod impacts;
mod incline;
mod near;
mod rest;
mod same_bits;
mod spin;
