//! Where a body is and how it is turned.

use glam::{DQuat, DVec3};

/// A rigid placement: a local point p goes to `orientation * p + position`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the local origin [m].
    pub position: DVec3,
    /// Unit quaternion from the local frame to the outer one.
    pub orientation: DQuat,
}

impl Pose {
    /// The local frame is the outer frame.
    pub const IDENTITY: Pose = Pose { position: DVec3::ZERO, orientation: DQuat::IDENTITY };

    /// A placement from its position and orientation.
    #[inline]
    pub fn new(position: DVec3, orientation: DQuat) -> Pose {
        Pose { position, orientation }
    }

    /// A placement that does not turn the body.
    #[inline]
    pub fn from_position(position: DVec3) -> Pose {
        Pose { position, orientation: DQuat::IDENTITY }
    }

    /// Takes a local point to the outer frame.
    #[inline]
    pub fn transform_point(&self, local: DVec3) -> DVec3 {
        self.orientation * local + self.position
    }

    /// Takes an outer point to the local frame.
    #[inline]
    pub fn inverse_transform_point(&self, outer: DVec3) -> DVec3 {
        self.orientation.inverse() * (outer - self.position)
    }

    /// Takes a local direction to the outer frame.
    #[inline]
    pub fn transform_vector(&self, local: DVec3) -> DVec3 {
        self.orientation * local
    }

    /// Takes an outer direction to the local frame.
    #[inline]
    pub fn inverse_transform_vector(&self, outer: DVec3) -> DVec3 {
        self.orientation.inverse() * outer
    }

    /// What has the pose `inner` in this frame, as seen from the outer frame.
    #[inline]
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose { position: self.transform_point(inner.position), orientation: self.orientation * inner.orientation }
    }

    /// `other` as seen from this frame: the `pose_ab` of the pair table, with `self` as a and `other` as b.
    #[inline]
    pub fn relative(&self, other: &Pose) -> Pose {
        let inverse = self.orientation.inverse();
        Pose { position: inverse * (other.position - self.position), orientation: inverse * other.orientation }
    }
}
