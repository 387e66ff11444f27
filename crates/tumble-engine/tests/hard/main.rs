//! Hard particles: collisions that take no time.

mod events;
mod stepped;
mod support;
