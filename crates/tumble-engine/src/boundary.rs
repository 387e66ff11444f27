//! What bounds the grains: walls, periodic edges, insertion and removal.

pub mod conveyor;
pub mod course;
pub mod insertion;
pub mod motion;
pub mod periodic;
pub mod wall;
pub mod wall_images;
