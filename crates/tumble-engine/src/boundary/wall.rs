//! Walls: a surface, what it is made of, and how it moves.

use crate::model::MaterialIndex;
use crate::state::WallState;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use tumble_geometry::{Pose, Surface};

/// A wall.
#[derive(Clone, Debug)]
pub struct Wall {
    /// The name it has in the scene.
    pub name: String,
    /// Its surface, in its own frame.
    pub surface: Surface,
    /// Where it is at the start.
    pub pose: Pose,
    /// What it is made of.
    pub material: MaterialIndex,
    /// How it moves.
    pub motion: Motion,
    /// Whether it is there: grains go through a wall that is not.
    pub present: bool,
}

/// How a wall moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// It does not.
    Fixed,
    /// At a constant velocity between two times.
    Translate {
        /// Velocity [m/s].
        velocity: DVec3,
        /// When it begins [s].
        start: f64,
        /// When it ends [s]; infinity: never.
        stop: f64,
    },
    /// About a fixed axis between two times.
    Rotate {
        /// A point of the axis [m].
        point: DVec3,
        /// Unit direction of the axis.
        axis: DVec3,
        /// Angular speed [rad/s], positive by the right-hand rule.
        speed: f64,
        /// When it begins [s].
        start: f64,
        /// When it ends [s]; infinity: never.
        stop: f64,
    },
    /// To and fro: displacement = amplitude * sin(2 pi frequency (t - start)).
    Vibrate {
        /// Amplitude and direction [m].
        amplitude: DVec3,
        /// Frequency [Hz].
        frequency: f64,
        /// When it begins [s].
        start: f64,
        /// When it ends [s]; infinity: never.
        stop: f64,
    },
    /// Moved along a direction until the grains press back with a wanted force.
    Servo {
        /// Unit direction in which the wall presses on the grains.
        direction: DVec3,
        /// Force to press with [N].
        force: f64,
        /// Largest speed [m/s].
        max_speed: f64,
        /// Speed for each newton that is missing [m/(s N)].
        gain: f64,
    },
}

impl Motion {
    /// The same motion, begun later by a time [s].
    pub fn delayed(self, by: f64) -> Motion {
        let mut delayed = self;
        match &mut delayed {
            Motion::Fixed | Motion::Servo { .. } => {}
            Motion::Translate { start, stop, .. }
            | Motion::Rotate { start, stop, .. }
            | Motion::Vibrate { start, stop, .. } => {
                *start += by;
                *stop += by;
            }
        }
        delayed
    }
}

impl Wall {
    /// The wall at the start of a run.
    pub fn initial_state(&self) -> WallState {
        WallState { present: self.present, ..WallState::at_rest(self.pose) }
    }

    /// Moves the wall over the step that ends at `time`, if it is there. The velocities are those of the step's middle.
    pub fn advance(&self, state: &mut WallState, time: f64, dt: f64) {
        if !self.present {
            return;
        }
        match self.motion {
            Motion::Fixed => {}
            Motion::Translate { velocity, start, stop } => {
                let elapsed = |t: f64| t.clamp(start, stop) - start;
                state.pose.position = self.pose.position + velocity * elapsed(time);
                state.velocity = velocity * ((elapsed(time) - elapsed(time - dt)) / dt);
            }
            Motion::Rotate { point, axis, speed, start, stop } => {
                let elapsed = |t: f64| t.clamp(start, stop) - start;
                let turn = DQuat::from_axis_angle(axis, speed * elapsed(time));
                state.pose.position = point + turn * (self.pose.position - point);
                state.pose.orientation = (turn * self.pose.orientation).normalize();
                state.angular_velocity = axis * (speed * (elapsed(time) - elapsed(time - dt)) / dt);
                state.velocity = state.angular_velocity.cross(state.pose.position - point);
            }
            Motion::Vibrate { amplitude, frequency, start, stop } => {
                let displacement = |t: f64| amplitude * (TAU * frequency * (t.clamp(start, stop) - start)).sin();
                state.pose.position = self.pose.position + displacement(time);
                state.velocity = (displacement(time) - displacement(time - dt)) / dt;
            }
            Motion::Servo { direction, force, max_speed, gain } => {
                let missing = force + state.force.dot(direction);
                state.velocity = direction * (gain * missing).clamp(-max_speed, max_speed);
                state.pose.position += state.velocity * dt;
            }
        }
    }

    /// The largest speed that the motion gives to the wall [m/s]: no less than that of any point of a bounded surface, and
    /// that of the origin for one without bounds.
    pub fn largest_speed(&self) -> f64 {
        match self.motion {
            _ if !self.present => 0.0,
            Motion::Fixed => 0.0,
            Motion::Translate { velocity, .. } => velocity.length(),
            Motion::Rotate { point, axis, speed, .. } => {
                let lever = |place: DVec3| axis.cross(place - point).length();
                let bounds = self.surface.bounds(&self.pose);
                // The distance from the axis is a convex function of place, so it is largest at a corner.
                let farthest = bounds.map(|b| b.corners().map(lever).into_iter().fold(0.0, f64::max));
                speed.abs() * farthest.unwrap_or_else(|| lever(self.pose.position))
            }
            Motion::Vibrate { amplitude, frequency, .. } => TAU * frequency * amplitude.length(),
            Motion::Servo { max_speed, .. } => max_speed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::Mesh;

    #[test]
    fn the_speed_of_a_turning_mesh_is_that_of_its_points_and_not_of_its_origin() {
        // One plate half a metre from the axis, given about three origins.
        let corners = [DVec3::new(0.5, 0.0, -0.1), DVec3::new(0.6, 0.0, -0.1), DVec3::new(0.5, 0.0, 0.1)];
        for origin in [DVec3::ZERO, DVec3::X * 0.55, DVec3::new(0.0, -3.0, 2.0)] {
            let mesh = Mesh::new(corners.map(|c| c - origin).to_vec(), vec![[0, 1, 2]]).unwrap();
            let motion =
                Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Z, speed: -10.0, start: 0.0, stop: f64::INFINITY };
            let wall = Wall {
                name: "plate".to_string(),
                surface: Surface::Mesh(mesh),
                pose: Pose::from_position(origin),
                material: 0,
                motion,
                present: true,
            };
            assert!((wall.largest_speed() - 6.0).abs() < 1e-12, "{origin}: {}", wall.largest_speed());
        }
    }
}
