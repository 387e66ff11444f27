//! The part of a ball beyond a plane.
//!
//! With radius r and height h, 0 <= h <= 2 r: volume pi h^2 (3 r - h) / 3, curved area 2 pi r h, base area
//! pi h (2 r - h), centroid h (4 r - h) / (4 (3 r - h)) above the base. Written in h, not in the distance of the plane
//! from the centre, so that a thin cap loses no digits: only positive terms of the same size are combined.

use std::f64::consts::PI;

/// A cap of a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SphericalCap {
    /// Radius of the ball [m].
    pub radius: f64,
    /// Height of the cap [m].
    pub height: f64,
}

impl SphericalCap {
    /// Volume [m^3].
    pub fn volume(&self) -> f64 {
        PI / 3.0 * self.height * self.height * (3.0 * self.radius - self.height)
    }

    /// Area of the curved part [m^2].
    pub fn curved_area(&self) -> f64 {
        2.0 * PI * self.radius * self.height
    }

    /// Area of the flat part [m^2].
    pub fn base_area(&self) -> f64 {
        PI * self.height * (2.0 * self.radius - self.height)
    }

    /// Height of the centroid above the flat part [m].
    pub fn centroid_height(&self) -> f64 {
        0.25 * self.height * (4.0 * self.radius - self.height) / (3.0 * self.radius - self.height)
    }
}
