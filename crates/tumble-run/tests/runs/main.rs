//! Runs as a library: recorded and resumed, in stages, begun from other runs.

mod from_run;
mod groups;
mod recorded;
mod sensors;
mod stages;
