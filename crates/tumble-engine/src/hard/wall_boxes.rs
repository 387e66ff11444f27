//! Boxes around walls, by which most grains are known to be far from most of them.

use crate::Model;
use glam::DVec3;
use tumble_geometry::{Aabb, Pose};

/// The box around each wall, in its own frame.
#[derive(Clone, Debug)]
pub(crate) struct WallBoxes(Vec<Option<Aabb>>);

impl WallBoxes {
    /// None for half-spaces, which have no end, nor in periodic domains, where walls have images.
    pub fn new(model: &Model) -> WallBoxes {
        let has_images = model.domain.periods().iter().any(Option::is_some);
        let around = |wall: &crate::boundary::wall::Wall| wall.surface.bounds(&Pose::IDENTITY).filter(|_| !has_images);
        WallBoxes(model.walls.iter().map(around).collect())
    }

    /// Whether a point is farther than a distance from a wall in a pose; it may be where it is not told.
    #[inline]
    pub fn is_beyond(&self, wall: usize, pose: &Pose, point: DVec3, distance: f64) -> bool {
        self.0[wall].as_ref().is_some_and(|around| {
            let seen = pose.inverse_transform_point(point);
            (seen - seen.clamp(around.lower, around.upper)).length_squared() > distance * distance
        })
    }
}
