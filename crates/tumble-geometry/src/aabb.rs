//! Axis-aligned boxes.

use glam::DVec3;

/// An axis-aligned box; empty when a lower bound exceeds its upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates [m].
    pub lower: DVec3,
    /// Largest coordinates [m].
    pub upper: DVec3,
}

impl Aabb {
    /// The box that contains nothing: joining it with another gives the other.
    pub const EMPTY: Aabb = Aabb { lower: DVec3::INFINITY, upper: DVec3::NEG_INFINITY };

    /// The box of a ball.
    pub fn of_ball(centre: DVec3, radius: f64) -> Aabb {
        Aabb { lower: centre - radius, upper: centre + radius }
    }

    /// The smallest box around some points.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Aabb {
        points
            .into_iter()
            .fold(Aabb::EMPTY, |bounds, p| Aabb { lower: bounds.lower.min(p), upper: bounds.upper.max(p) })
    }

    /// The smallest box around both.
    pub fn join(&self, other: &Aabb) -> Aabb {
        Aabb { lower: self.lower.min(other.lower), upper: self.upper.max(other.upper) }
    }

    /// The box grown by a margin on every side.
    pub fn grown(&self, margin: f64) -> Aabb {
        Aabb { lower: self.lower - margin, upper: self.upper + margin }
    }

    /// Whether the boxes share a point (touching counts).
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.lower.cmple(other.upper).all() && other.lower.cmple(self.upper).all()
    }

    /// Whether a point lies inside (on the boundary counts).
    pub fn contains(&self, point: DVec3) -> bool {
        self.lower.cmple(point).all() && point.cmple(self.upper).all()
    }

    /// Edge lengths [m].
    pub fn extent(&self) -> DVec3 {
        self.upper - self.lower
    }

    /// The eight corners.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f64, high: f64| if i >> bit & 1 == 0 { low } else { high };
            DVec3::new(
                pick(0, self.lower.x, self.upper.x),
                pick(1, self.lower.y, self.upper.y),
                pick(2, self.lower.z, self.upper.z),
            )
        })
    }
}
