//! The integrals of a region about the origin of its rays.

use crate::overlap::clipped_polyhedron::Owner;
use glam::DVec3;

/// Volume, moments and areas, or parts of them. The factor of the linear map (its determinant) is left out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub volume: f64,
    /// Integral of x over the volume.
    pub moment: DVec3,
    pub area: f64,
    /// Integral of the outward normal over each body's part of the surface: a's, b's.
    pub vector_area: [DVec3; 2],
    /// Integral of x cross normal over each body's part.
    pub first_moment: [DVec3; 2],
}

impl Sums {
    #[inline]
    pub fn add(&mut self, other: &Sums, weight: f64) {
        self.volume += weight * other.volume;
        self.moment += weight * other.moment;
        self.area += weight * other.area;
        for body in 0..2 {
            self.vector_area[body] += weight * other.vector_area[body];
            self.first_moment[body] += weight * other.first_moment[body];
        }
    }

    /// Adds the cone over a flat part at distance `depth` along its normal, given the cone's volume and moment: the part
    /// has area 3 volume / depth and its own moment is 4 / depth of the cone's.
    #[inline]
    pub fn add_flat(&mut self, volume: f64, moment: DVec3, normal: DVec3, depth: f64, owner: Owner) {
        self.volume += volume;
        self.moment += moment;
        let area = 3.0 * volume / depth;
        self.area += area;
        let body = usize::from(owner == Owner::B);
        self.vector_area[body] += normal * area;
        self.first_moment[body] += (moment * (4.0 / depth)).cross(normal);
    }

    /// Adds the cone over a small curved part at `point = t * direction`: the cone of solid angle dw has volume
    /// t^3 dw / 3, and the part the area t^2 dw / (normal . direction). `weight` is t^2 dw.
    #[inline]
    pub fn add_curved(&mut self, weight: f64, t: f64, direction: DVec3, point: DVec3, gradient: DVec3, owner: Owner) {
        self.volume += weight * t / 3.0;
        self.moment += (0.25 * weight * t) * point;
        let oriented = gradient * (weight / gradient.dot(direction));
        self.area += oriented.length();
        let body = usize::from(owner == Owner::B);
        self.vector_area[body] += oriented;
        self.first_moment[body] += point.cross(oriented);
    }

    /// The largest difference to another estimate, relative to the whole region's `scale`.
    pub fn difference(&self, other: &Sums, scale: &Scale) -> f64 {
        let mut worst = (self.volume - other.volume).abs() / scale.volume;
        worst = worst.max((self.moment - other.moment).length() / (scale.volume * scale.length));
        worst = worst.max((self.area - other.area).abs() / scale.area);
        for body in 0..2 {
            worst = worst.max((self.vector_area[body] - other.vector_area[body]).length() / scale.area);
            let turn = (self.first_moment[body] - other.first_moment[body]).length();
            worst = worst.max(turn / (scale.area * scale.length));
        }
        worst
    }

    /// How far the surface is from being closed, relative to its area: zero for the exact integrals.
    pub fn leak(&self, length: f64) -> f64 {
        let open = (self.vector_area[0] + self.vector_area[1]).length();
        let turn = (self.first_moment[0] + self.first_moment[1]).length();
        (open / self.area).max(turn / (self.area * length))
    }
}

/// What errors are measured against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub volume: f64,
    pub area: f64,
    pub length: f64,
}
