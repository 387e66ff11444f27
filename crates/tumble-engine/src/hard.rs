//! Hard particles: bodies that do not give way and meet for no time at all. What both solvers of them stand on.

pub mod collision_rule;
pub mod event_time;
