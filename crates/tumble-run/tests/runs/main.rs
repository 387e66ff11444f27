//! Runs as a library: recorded and resumed, in stages, begun from other runs.

mod from_run;
mod recorded;
mod sensors;
mod stages;
