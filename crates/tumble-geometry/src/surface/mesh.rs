//! Triangle meshes.

use crate::{Aabb, Pose};
use glam::DVec3;

/// Triangles with shared corners.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Corners [m].
    vertices: Vec<DVec3>,
    /// Three corner numbers each.
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Bounds in a pose.
    pub fn bounds(&self, _pose: &Pose) -> Aabb {
        Aabb::EMPTY
    }
}
