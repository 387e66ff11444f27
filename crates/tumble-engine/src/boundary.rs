//! What bounds the grains: walls, periodic edges, insertion and removal.

pub mod insertion;
pub mod periodic;
pub mod wall;
pub mod wall_images;
