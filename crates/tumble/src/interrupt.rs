//! Ctrl-C and a friendly kill. While a run is being prepared there is nothing to save, and either ends it at once. Of a run
//! that has begun the first asks to stop after the step at hand, the second ends it at once.

use crate::failure::Failure;
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};

static BEGUN: AtomicBool = AtomicBool::new(false);
static REQUESTED: AtomicBool = AtomicBool::new(false);
static LISTENING: AtomicBool = AtomicBool::new(false);

/// Begins to listen for SIGINT, SIGTERM and SIGHUP, unless that is so already.
pub fn listen() -> Result<(), Failure> {
    if LISTENING.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        let begun = BEGUN.load(Ordering::SeqCst);
        if !begun {
            let _ = writeln!(stderr(), "interrupted before the first step: nothing was written");
        }
        if REQUESTED.swap(true, Ordering::SeqCst) || !begun {
            std::process::exit(130);
        }
    })
    .map_err(|error| Failure::Machine(anyhow::Error::new(error).context("cannot listen for Ctrl-C")))
}

/// From now on there is something to save.
pub fn run_begins() {
    BEGUN.store(true, Ordering::SeqCst);
}

/// Whether the user wants the run to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
