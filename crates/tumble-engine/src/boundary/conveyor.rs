//! Surfaces that move along themselves: belts, rollers, screws of one thread. The wall stays where it is; what touches it is dragged.
//!
//! The surface has the velocity v + w x (r - p), given in the wall's own frame, without its part along the normal of a contact: so the
//! flat parts of a mesh, the side of a tube and the rim of a plate push nobody. Friction sees it, and its power is the belt's work.

use glam::DVec3;
use tumble_geometry::Pose;

/// How a wall's surface moves along itself, in the wall's own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conveyor {
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s].
    pub spin: DVec3,
    /// A place on the axis of the spin [m].
    pub point: DVec3,
}

impl Conveyor {
    /// Velocity of the surface of a wall in a pose at a point of the world, along the surface whose normal is given [m/s].
    pub fn along(&self, pose: &Pose, point: DVec3, normal: DVec3) -> DVec3 {
        let own = pose.inverse_transform_point(point);
        let velocity = pose.transform_vector(self.velocity + self.spin.cross(own - self.point));
        velocity - normal * normal.dot(velocity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_surface_moves_along_itself_and_turns_with_its_wall() {
        let belt = Conveyor { velocity: DVec3::new(2.0, 0.0, 0.5), ..Conveyor::default() };
        let quarter = Pose::new(DVec3::ONE, DQuat::from_rotation_z(0.5 * std::f64::consts::PI));
        let found = belt.along(&quarter, DVec3::new(3.0, 1.0, 0.0), DVec3::Z);
        assert!((found - DVec3::new(0.0, 2.0, 0.0)).length() < 1e-15, "{found}");
        let roller = Conveyor { spin: DVec3::Y * 3.0, point: DVec3::Z, ..Conveyor::default() };
        let found = roller.along(&Pose::IDENTITY, DVec3::new(0.0, 5.0, 1.5), DVec3::Z);
        assert!((found - DVec3::X * 1.5).length() < 1e-15, "{found}");
    }
}
