//! The suite that every cell of the pair tables passes: agreement with the slow definition, swap symmetry, rigid motion,
//! scale, degenerate poses, continuity along a slow slide.

mod pairs;
mod spheres;
mod walls;
