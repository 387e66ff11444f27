//! Ctrl-C and a friendly kill: the first asks the run to stop after its step, the second ends it at once.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Begins to listen for SIGINT, SIGTERM and SIGHUP.
pub fn listen() -> Result<(), Failure> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::Machine(anyhow::Error::new(error).context("cannot listen for Ctrl-C")))
}

/// Whether the user wants the run to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
