//! What the planar mode asks of the rest of a scene: everything happens in the x-y plane.
//!
//! Grains are discs and polygons, they move along x and y and turn about z only, and walls stand across the plane. What
//! would push a grain out of the plane, or tilt it, is refused here rather than silently left out by the engine.

use super::reader::Reader;
use glam::{DQuat, DVec3};
use tumble_geometry::ShapeKind;

/// A component of a unit vector or quaternion below this is rounding.
const ROUNDING: f64 = 1e-12;

/// Whether a scene is planar. Its checks pass everything when it is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub is_on: bool,
}

impl Plane {
    /// Reads the scene's `planar`.
    pub fn read(scene: &Reader) -> Plane {
        Plane { is_on: scene.flag("planar").unwrap_or(false) }
    }

    /// Gravity of a scene that does not say it [m/s^2].
    pub fn default_gravity(self) -> DVec3 {
        if self.is_on { DVec3::new(0.0, -9.81, 0.0) } else { DVec3::new(0.0, 0.0, -9.81) }
    }

    /// Refuses solids in the planar mode, and planar shapes outside it.
    pub fn check_shape(self, reader: &Reader, kind: ShapeKind) {
        let name = kind.name();
        match (self.is_on, kind.is_planar()) {
            (true, false) => reader.report_at(
                "shape",
                format!("a {name} is a solid, and the scene is planar"),
                "name a shape that is a `disc` or a `polygon`",
            ),
            (false, true) => reader.report_at(
                "shape",
                format!("a {name} belongs to the planar mode"),
                "add planar = true to the scene, or name a solid such as a `cylinder`",
            ),
            (true, true) | (false, false) => {}
        }
    }

    /// Refuses a vector that leaves the plane.
    pub fn check_along(self, reader: &Reader, key: &'static str, vector: DVec3) {
        if self.is_on && vector.z != 0.0 {
            reader.report_at(
                key,
                format!("its third component is {}, which leaves the plane", vector.z),
                "the scene is planar: it must be 0",
            );
        }
    }

    /// Refuses a direction that leaves the plane.
    pub fn check_direction(self, reader: &Reader, key: &'static str, direction: DVec3) {
        if self.is_on && direction.z.abs() > ROUNDING {
            reader.report_at(
                key,
                "the direction leaves the plane",
                "the scene is planar: its third component must be 0",
            );
        }
    }

    /// Refuses an axis or an angular velocity that tilts grains or walls out of the plane.
    pub fn check_about(self, reader: &Reader, key: &'static str, axis: DVec3) {
        if self.is_on && axis.x.abs().max(axis.y.abs()) > ROUNDING * axis.length() {
            reader.report_at(key, "this turns out of the plane", "the scene is planar: only turns about z stay in it");
        }
    }

    /// Refuses a cylinder that does not stand across the plane.
    pub fn check_upright(self, reader: &Reader, key: &'static str, axis: DVec3) {
        if self.is_on && axis.x.abs().max(axis.y.abs()) > ROUNDING * axis.length() {
            reader.report_at(key, "the cylinder is not along z", "the scene is planar: it must stand across the plane");
        }
    }

    /// Refuses an orientation that tilts out of the plane.
    pub fn check_turn(self, reader: &Reader, key: &'static str, orientation: DQuat) {
        if self.is_on && is_tilted(orientation) {
            reader.report_at(key, "this tilts out of the plane", "the scene is planar: only turns about z stay in it");
        }
    }

    /// What is wrong in the plane with a grain of a table, in words.
    pub fn fault_of_grain(
        self,
        position: DVec3,
        orientation: DQuat,
        velocity: DVec3,
        angular_velocity: DVec3,
    ) -> Option<String> {
        if !self.is_on {
            return None;
        }
        if position.z != 0.0 {
            return Some(format!("the grain is at z = {} m, out of the plane", position.z));
        }
        if velocity.z != 0.0 {
            return Some(format!("its velocity leaves the plane: vz = {} m/s", velocity.z));
        }
        if angular_velocity.x != 0.0 || angular_velocity.y != 0.0 {
            return Some("its angular velocity is not about z".to_string());
        }
        is_tilted(orientation).then(|| "its orientation is not a turn about z".to_string())
    }
}

fn is_tilted(orientation: DQuat) -> bool {
    orientation.x.abs().max(orientation.y.abs()) > ROUNDING
}
