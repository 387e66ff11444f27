//! The suite that every shape passes against every surface. A further shape joins by a line in samples.rs.

mod definition;
mod measured;
mod motion;
mod places;
mod potential;
mod profile_corners;
mod profile_ends;
mod samples;
