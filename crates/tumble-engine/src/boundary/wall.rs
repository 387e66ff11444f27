//! Walls: a surface, what it is made of, and how it moves.

use crate::model::MaterialIndex;
use glam::DVec3;
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
