//! Pictures compared with references, and what the caster must keep to.
//!
//! References are small PNGs in `reference/`. To make them anew after a change that is meant, run these tests with
//! `TUMBLE_WRITE_REFERENCES=1` and look at every picture.

mod portraits;
mod references;
mod samples;
mod soundness;
