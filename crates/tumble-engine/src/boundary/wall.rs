//! Walls: a surface, what it is made of, and how it moves.

use super::conveyor::Conveyor;
pub use super::motion::Motion;
use super::motion::Placed;
use crate::model::MaterialIndex;
use crate::state::WallState;
use glam::DVec3;
use tumble_geometry::{Pose, Surface};

/// A wall. The default is a floor through the origin.
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
    /// The first wall of those that move as one, itself one of them: what drives them goes by the load on all. They have one motion,
    /// and go on with it while they are not there.
    pub group: Option<usize>,
    /// How its surface moves along itself.
    pub conveyor: Option<Conveyor>,
    /// Whether the bounds of its surface, in its own frame, are filled: no grain is put inside.
    pub filled: bool,
    /// Whether it is there: grains go through a wall that is not.
    pub present: bool,
}

impl Default for Wall {
    fn default() -> Wall {
        Wall {
            name: String::new(),
            surface: Surface::HalfSpace,
            pose: Pose::IDENTITY,
            material: 0,
            motion: Motion::Fixed,
            group: None,
            conveyor: None,
            filled: false,
            present: true,
        }
    }
}

/// Moves all walls over the step that ends at a time. `gravity` acts on those that are free.
pub(crate) fn advance_walls(walls: &[Wall], states: &mut [WallState], gravity: DVec3, time: f64, dt: f64) {
    for index in 0..walls.len() {
        let wall = &walls[index];
        // Those that move as one do so by what they have borne together in the last step.
        let load = wall.motion.driven().map_or(DVec3::ZERO, |_| load_of_group(walls, states, index));
        wall.advance(&mut states[index], load, gravity, time, dt);
    }
}

/// The second half of a step for walls that are free: the forces that act now go on.
pub(crate) fn kick_walls(walls: &[Wall], states: &mut [WallState], gravity: DVec3, dt: f64) {
    for index in 0..walls.len() {
        let wall = &walls[index];
        if wall.rests_absent() || wall.motion.free().is_none() {
            continue;
        }
        let acceleration = wall.pushed(load_of_group(walls, states, index), gravity).unwrap_or(0.0);
        states[index].travel_speed += 0.5 * dt * acceleration;
    }
}

/// The force of the grains on all walls that move as one with a wall [N].
fn load_of_group(walls: &[Wall], states: &[WallState], index: usize) -> DVec3 {
    match walls[index].group {
        None => states[index].force,
        Some(group) => {
            let members = walls.iter().zip(states).filter(|(wall, _)| wall.group == Some(group));
            members.map(|(_, state)| state.force).sum()
        }
    }
}

impl Wall {
    /// The wall at the start of a run.
    pub fn initial_state(&self) -> WallState {
        WallState { present: self.present, ..WallState::at_rest(self.pose) }
    }

    /// Whether it is the wall, of those that move as one, by which what belongs to all is counted.
    pub fn leads(&self, index: usize) -> bool {
        self.group.is_none_or(|first| first == index)
    }

    /// Where it is at a time of the run and how it moves then, but for what goes by its load.
    pub(crate) fn placed(&self, time: f64) -> Placed {
        self.motion.placed(self.pose, time, None)
    }

    /// Whether it stays where it is because it is not there; what moves with others goes on.
    fn rests_absent(&self) -> bool {
        !self.present && self.group.is_none()
    }

    /// How fast it would speed up along its line [m/s^2], if it is free.
    fn pushed(&self, load: DVec3, gravity: DVec3) -> Option<f64> {
        let Some(&Motion::Free { direction, mass, push }) = self.motion.driven() else { return None };
        Some((load.dot(direction) + push) / mass + gravity.dot(direction))
    }

    /// Moves the wall over the step that ends at `time`, if it is there. The velocities are those of the step's middle.
    fn advance(&self, state: &mut WallState, load: DVec3, gravity: DVec3, time: f64, dt: f64) {
        if self.motion.parts().is_empty() || self.rests_absent() {
            return;
        }
        let Placed { pose, velocity, angular_velocity } = self.motion.placed(self.pose, time, Some(dt));
        (state.pose, state.velocity, state.angular_velocity) = (pose, velocity, angular_velocity);
        let Some(&(Motion::Servo { direction, .. } | Motion::Free { direction, .. })) = self.motion.driven() else {
            return;
        };
        state.travel_speed = match self.motion.driven() {
            Some(&Motion::Servo { from, force, ramp, start, max_speed, gain, .. }) => {
                let elapsed = time - start;
                let wanted = if elapsed < ramp { from + (force - from) * (elapsed / ramp) } else { force };
                let speed = (gain * (wanted + load.dot(direction))).clamp(-max_speed, max_speed);
                if elapsed > 0.0 { speed } else { 0.0 }
            }
            _ => state.travel_speed + 0.5 * dt * self.pushed(load, gravity).unwrap_or(0.0),
        };
        state.travel += state.travel_speed * dt;
        state.velocity += direction * state.travel_speed;
        state.pose.position += direction * state.travel;
    }

    /// The largest speed that the motion gives to the wall [m/s]: no less than that of any point of a bounded surface, and
    /// that of the origin for one without bounds.
    pub fn largest_speed(&self) -> f64 {
        if !self.present {
            return 0.0;
        }
        self.motion.largest_speed(|point, axis| {
            let across = |place: DVec3| axis.cross(place - point).length();
            let away = |place: DVec3| (place - point).length();
            match self.surface.bounds(&self.pose).map(|bounds| bounds.corners()) {
                // The distance from the axis is a convex function of place, so it is largest at a corner.
                Some(corners) => {
                    [corners.map(across), corners.map(away)].map(|levers| levers.into_iter().fold(0.0, f64::max))
                }
                None => [across(self.pose.position), away(self.pose.position)],
            }
        })
    }

    /// The largest speed of its surface along itself [m/s], of one without bounds at its origin.
    pub fn conveyor_speed(&self) -> f64 {
        let Some(Conveyor { velocity, spin, point }) = self.conveyor else { return 0.0 };
        let lever = |place: DVec3| spin.cross(place - point).length();
        let farthest = match self.surface.bounds(&Pose::IDENTITY) {
            Some(bounds) => bounds.corners().map(lever).into_iter().fold(0.0, f64::max),
            None => lever(DVec3::ZERO),
        };
        velocity.length() + farthest
    }

    /// Whether a point is inside what it fills.
    pub(crate) fn fills(&self, pose: &Pose, point: DVec3) -> bool {
        let own = pose.inverse_transform_point(point);
        self.filled
            && self
                .surface
                .bounds(&Pose::IDENTITY)
                .is_some_and(|bounds| own.cmpge(bounds.lower).all() && own.cmple(bounds.upper).all())
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
                ..Wall::default()
            };
            assert!((wall.largest_speed() - 6.0).abs() < 1e-12, "{origin}: {}", wall.largest_speed());
        }
    }
}
