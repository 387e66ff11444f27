//! A convex body as the algorithms see it: its shape, and how its flat ends and straight sides bulge, if they do.

use super::revolution::Bulging;
use crate::Shape;
use glam::DVec3;

/// A convex shape, as it is or with a crown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convex<'a> {
    /// The shape; never a clump.
    pub shape: &'a Shape,
    /// Its surface, where that is not the shape's own.
    pub bulging: Option<&'a Bulging>,
}

impl<'a> From<&'a Shape> for Convex<'a> {
    /// The shape as it is.
    fn from(shape: &'a Shape) -> Convex<'a> {
        Convex { shape, bulging: None }
    }
}

impl Convex<'_> {
    /// Radius of a ball about the origin that holds it [m]; that of planar shapes leaves out their thickness.
    pub fn bounding_radius(&self) -> f64 {
        self.bulging.map_or_else(|| self.shape.bounding_radius(), Bulging::bounding_radius)
    }

    /// The same with the thickness of planar shapes.
    pub fn solid_radius(&self) -> f64 {
        self.bulging.map_or_else(|| self.shape.solid_radius(), Bulging::bounding_radius)
    }

    /// By how much it bulges [m].
    pub fn bulge(&self) -> f64 {
        self.bulging.map_or(0.0, Bulging::bulge)
    }

    /// The point that is farthest along a local unit direction.
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self.bulging {
            None => self.shape.support(direction),
            Some(bulging) => bulging.support(direction),
        }
    }
}
