//! The server of Tumble's viewer: a page, served on loopback, that plays runs.
//!
//! The server reads what runs leave and never writes; it shares nothing with a run that is going on but the file that
//! the run appends frames to, so watching cannot change or hold up what is watched. It keeps the index of each
//! trajectory (a few dozen bytes a frame) and at most a few frames that are on their way to the page.
//!
//! | request | answer |
//! |---|---|
//! | `/`, `/viewer.js`, `/viewer.css`, `/viewer.svg` | the page, from inside the binary |
//! | `/api/runs` | the runs: name, status, number of frames, what is missing |
//! | `/api/runs/R/description` | shapes, walls and domain, as in the trajectory's header |
//! | `/api/runs/R/frames?from=N` | step, time, number of grains and contacts of each frame from N on |
//! | `/api/runs/R/frames/N` | one frame, in the layout of [`wire`] |
//! | `/api/runs/R/frames/N/contacts` | its contacts, in the layout of [`wire`] |
//! | `/api/runs/R/series` | the columns of the time series, thinned to what a small plot can show |
//! | `/api/live` | a WebSocket that tells of a run whenever something of it changes |
//!
//! Runs and frames are named by numbers. No text of a request ever becomes part of a path.
#![forbid(unsafe_code)]

mod assets;
mod connections;
mod guard;
mod kinds;
mod live;
mod routes;
mod run;
mod series;
mod server;
pub mod wire;

pub use run::ShownRun;
pub use server::{Options, Server, ViewerError};
