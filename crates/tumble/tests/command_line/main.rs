//! The command line as a user meets it: the binary, its files and its exit codes.

mod answers;
mod contact;
mod damage;
mod hard_particles;
mod losses;
mod overlaps;
mod packings;
mod plane_searches;
mod plots;
mod render;
mod resume;
mod slips;
mod small_commands;
mod stages;
mod view;
mod workshop;
