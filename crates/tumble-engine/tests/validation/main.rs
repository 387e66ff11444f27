//! The engine as a whole, against theory and against itself. Each module is named after what it shows.

#[path = "../expected/mod.rs"]
mod expected;
mod support;

mod candidate_lists;
mod chung_ooi_impacts;
mod conveyors;
mod driven_walls;
mod energy_ledger;
mod gases;
mod momentum;
mod periodic_edges;
mod restitution;
mod same_bits;
mod same_in_all_units;
mod sphere_basics;
mod unstable_runs;
mod wall_features;
