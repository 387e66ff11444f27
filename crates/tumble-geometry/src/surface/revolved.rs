//! A polyline turned about an axis.

use crate::{Aabb, Pose};

/// The thin shell swept by a polyline (radius, height) about the local z axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Revolved {
    /// Corners of the profile, (distance from the axis, height along it) [m]; at least two, no distance negative.
    profile: Vec<[f64; 2]>,
}

impl Revolved {
    /// Bounds in a pose.
    pub fn bounds(&self, _pose: &Pose) -> Aabb {
        Aabb::EMPTY
    }
}
