//! The way of a rigid body that nothing pushes: a parabola, and free rotation.

use super::shaped::Turn;
use crate::integrator::rotation::Moments;
use glam::DVec3;
use tumble_geometry::Pose;
use tumble_geometry::impact::Way;

/// A body in free flight from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct FreeWay {
    position: DVec3,
    velocity: DVec3,
    /// Acceleration [m/s^2].
    bend: DVec3,
    turn: Turn,
    /// What of the angular velocity stays as it is, and a bound on what is added to it in changing directions [rad/s]: together they carry
    /// all that can be seen of the body.
    steady_spin: DVec3,
    other_spin: f64,
    /// A bound on the acceleration of a point at a distance of one from the centre [1/s^2].
    whirl: f64,
}

impl FreeWay {
    /// A body turned on by a time after that of its clock [s].
    pub fn new(position: DVec3, velocity: DVec3, bend: DVec3, turn: &Turn, after: f64) -> FreeWay {
        let momentum = turn.angular_momentum;
        let (steady_spin, other_spin, whirl) = match turn.moments {
            Moments::Isotropic(moment) => (momentum / moment, 0.0, (momentum / moment).length_squared()),
            Moments::Symmetric { axis, along, across } => {
                // The axis goes around the angular momentum, and the body about its axis beside that.
                let steady = momentum / across;
                let own = ((turn.orientation * axis).dot(momentum) * (1.0 / along - 1.0 / across)).abs();
                if turn.is_revolved && axis == DVec3::Z {
                    (steady, 0.0, steady.length_squared())
                } else {
                    let all = steady.length() + own;
                    (steady, own, all * all + steady.length() * own)
                }
            }
            Moments::Asymmetric(moments) => {
                let most = turn.moments.fastest_spin(turn.orientation, momentum);
                (DVec3::ZERO, most, most * most + momentum.length() * most / moments.min_element())
            }
        };
        let orientation = turn.moments.fly(turn.orientation, momentum, after);
        FreeWay { position, velocity, bend, turn: Turn { orientation, ..*turn }, steady_spin, other_spin, whirl }
    }

    /// The same way from a later moment on [s].
    pub fn later(&self, time: f64) -> FreeWay {
        let pose = self.pose(time);
        let turn = Turn { orientation: pose.orientation, ..self.turn };
        FreeWay { position: pose.position, velocity: self.velocity + self.bend * time, turn, ..*self }
    }
}

impl Way for FreeWay {
    fn pose(&self, parameter: f64) -> Pose {
        Pose {
            position: self.position + (self.velocity + self.bend * (0.5 * parameter)) * parameter,
            orientation: self.turn.moments.fly(self.turn.orientation, self.turn.angular_momentum, parameter),
        }
    }

    fn carries(&self, parameter: f64, point: DVec3) -> DVec3 {
        let Pose { position, orientation } = self.pose(parameter);
        let spin = self.turn.moments.angular_velocity(orientation, self.turn.angular_momentum);
        self.velocity + self.bend * parameter + spin.cross(point - position)
    }

    fn fastest(&self, direction: DVec3, from: f64, to: f64, radius: f64) -> f64 {
        // A parabola is fastest at an end; a point turns fastest where it is farthest from the axis.
        let bend = self.bend.dot(direction);
        let turning = self.steady_spin.cross(direction).length() + self.other_spin;
        self.velocity.dot(direction) + (bend * from).max(bend * to) + turning * radius
    }

    fn fastest_at_all(&self, from: f64, to: f64, radius: f64) -> f64 {
        let speed = |parameter: f64| (self.velocity + self.bend * parameter).length();
        speed(from).max(speed(to)) + (self.steady_spin.length() + self.other_spin) * radius
    }

    fn acceleration(&self, radius: f64) -> f64 {
        self.bend.length() + self.whirl * radius
    }

    fn spin(&self, parameter: f64) -> DVec3 {
        self.turn.moments.angular_velocity(self.pose(parameter).orientation, self.turn.angular_momentum)
    }
}
