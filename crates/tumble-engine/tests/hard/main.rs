//! Hard particles: collisions that take no time.

mod bodies;
mod events;
mod stepped;
mod support;
