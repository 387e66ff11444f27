//! Hard particles: collisions that take no time.

mod stepped;
mod support;
