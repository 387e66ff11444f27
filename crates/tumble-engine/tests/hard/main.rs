//! Hard particles: collisions that take no time.

mod bodies;
mod events;
mod sleep;
mod stepped;
mod support;
