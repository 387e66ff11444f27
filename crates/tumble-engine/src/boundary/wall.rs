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

impl Wall {
    /// The wall at the start of a run.
    pub fn initial_state(&self) -> WallState {
        WallState {
            pose: self.pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        }
    }

    /// Moves the wall over the step that ends at `time`. The velocities are those of the step's middle.
    pub fn advance(&self, state: &mut WallState, time: f64, dt: f64) {
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

    /// The largest speed the motion gives to points of the wall within `reach` of its origin [m/s].
    pub fn largest_speed(&self, reach: f64) -> f64 {
        match self.motion {
            Motion::Fixed => 0.0,
            Motion::Translate { velocity, .. } => velocity.length(),
            Motion::Rotate { point, speed, .. } => speed.abs() * ((self.pose.position - point).length() + reach),
            Motion::Vibrate { amplitude, frequency, .. } => TAU * frequency * amplitude.length(),
            Motion::Servo { max_speed, .. } => max_speed,
        }
    }
}
