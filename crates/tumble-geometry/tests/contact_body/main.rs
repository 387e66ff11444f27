//! Bodies with a crown, against their definition, with every kind of partner and of wall.

mod definition;
mod pairs;
mod surface;
mod tilt;
mod walls;
