//! Where a planar body is and how it is turned: what is left of a [`Pose`] in the x-y plane.

use crate::{Pose, tolerance};
use glam::{DQuat, DVec2};

/// A rigid placement in the plane: a local point p goes to `rotation p + position`, the product being that of complex
/// numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarPose {
    /// Position of the local origin [m].
    pub position: DVec2,
    /// Cosine and sine of the angle by which the body is turned, counter-clockwise.
    pub rotation: DVec2,
}

impl PlanarPose {
    /// A placement from its position and an angle [rad], counter-clockwise.
    pub fn from_angle(position: DVec2, angle: f64) -> PlanarPose {
        PlanarPose { position, rotation: DVec2::from_angle(angle) }
    }

    /// The planar part of a pose that lies in the plane; `None` when it is tilted or lifted out of it by more than
    /// [`tolerance::IN_PLANE`]. `size` is that of the bodies [m].
    pub fn of(pose: &Pose, size: f64) -> Option<PlanarPose> {
        let DQuat { x, y, z, w } = pose.orientation;
        let tilt = x.abs().max(y.abs());
        if tilt > tolerance::IN_PLANE || pose.position.z.abs() > tolerance::IN_PLANE * size {
            return None;
        }
        // The square of w + i z is cos + i sin of the whole angle; the division mends its length.
        let rotation = DVec2::new(w * w - z * z, 2.0 * w * z);
        Some(PlanarPose { position: pose.position.truncate(), rotation: rotation / rotation.length() })
    }

    /// Takes a local point to the outer frame.
    pub fn transform_point(&self, local: DVec2) -> DVec2 {
        self.rotation.rotate(local) + self.position
    }

    /// Takes an outer point to the local frame.
    pub fn inverse_transform_point(&self, outer: DVec2) -> DVec2 {
        self.inverse_transform_vector(outer - self.position)
    }

    /// Takes a local direction to the outer frame.
    pub fn transform_vector(&self, local: DVec2) -> DVec2 {
        self.rotation.rotate(local)
    }

    /// Takes an outer direction to the local frame.
    pub fn inverse_transform_vector(&self, outer: DVec2) -> DVec2 {
        DVec2::new(self.rotation.x, -self.rotation.y).rotate(outer)
    }

    /// The outer frame seen from the body.
    pub fn inverse(&self) -> PlanarPose {
        PlanarPose {
            position: -self.inverse_transform_vector(self.position),
            rotation: DVec2::new(self.rotation.x, -self.rotation.y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn a_pose_in_the_plane_keeps_what_it_does_to_points() {
        for k in 0..40 {
            let angle = -7.0 + 0.35 * k as f64;
            let pose = Pose::new(DVec3::new(0.3, -2.0, 0.0), DQuat::from_rotation_z(angle));
            let planar = PlanarPose::of(&pose, 1.0).unwrap();
            let point = DVec3::new(0.8, -0.6, 0.0);
            let moved = planar.transform_point(point.truncate());
            assert!((pose.transform_point(point).truncate() - moved).length() < 1e-15, "{angle}");
            assert!((planar.inverse_transform_point(moved) - point.truncate()).length() < 2e-15, "{angle}");
            assert!((planar.inverse().transform_point(moved) - point.truncate()).length() < 2e-15, "{angle}");
            assert!((PlanarPose::from_angle(planar.position, angle).rotation - planar.rotation).length() < 1e-15);
        }
    }

    #[test]
    fn a_tilted_or_lifted_pose_is_not_in_the_plane() {
        assert_eq!(PlanarPose::of(&Pose::from_position(DVec3::Z * 1e-6), 1.0), None);
        assert!(PlanarPose::of(&Pose::from_position(DVec3::Z * 1e-6), 1e7).is_some());
        assert_eq!(PlanarPose::of(&Pose::new(DVec3::X, DQuat::from_rotation_x(1e-6)), 1.0), None);
    }
}
