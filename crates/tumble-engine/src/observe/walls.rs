//! What the grains do to the walls: force and torque on each, and on all together, and the power of the walls on the grains.

use crate::State;
use crate::state::WallState;
use glam::DVec3;

/// Force and torque of the grains on a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallLoad {
    /// Force of the grains on the wall [N].
    pub force: DVec3,
    /// Torque of the grains on the wall [N m], about the origin of the wall's pose; for the sum of all walls about the
    /// origin of the world.
    pub torque: DVec3,
    /// Power of the wall on the grains [W], by its motion and by that of its surface: what they take from whatever drives it.
    pub power: f64,
}

/// Load of each wall in the last step, in the order of the model.
pub fn wall_loads(state: &State) -> Vec<WallLoad> {
    let load = |wall: &WallState| {
        let power = wall.conveyor_power - (wall.force.dot(wall.velocity) + wall.torque.dot(wall.angular_velocity));
        WallLoad { force: wall.force, torque: wall.torque, power }
    };
    state.walls.iter().map(load).collect()
}

/// Sum over all walls, with the torque about the origin of the world.
pub fn total_wall_load(state: &State) -> WallLoad {
    state.walls.iter().zip(wall_loads(state)).fold(WallLoad::default(), |sum, (wall, load)| WallLoad {
        force: sum.force + load.force,
        torque: sum.torque + load.torque + wall.pose.position.cross(load.force),
        power: sum.power + load.power,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::fixture;

    #[test]
    fn the_total_torque_is_that_of_the_forces_where_they_act() {
        // Forces at points, each booked on a wall with its own origin.
        let acting = [
            (DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.5, -4.0, 1.0), DVec3::new(-1.0, 0.0, 2.0)),
            (DVec3::new(-2.0, 0.5, 1.0), DVec3::new(3.0, 1.0, -2.0), DVec3::new(0.0, 5.0, 0.5)),
        ];
        let (mut model, mut state) = (fixture::model(), fixture::state(&[]));
        for (point, force, origin) in acting {
            fixture::add_wall(&mut model, &mut state, "wall", origin, force, (point - origin).cross(force));
        }
        let total = total_wall_load(&state);
        let force: DVec3 = acting.iter().map(|a| a.1).sum();
        let torque: DVec3 = acting.iter().map(|a| a.0.cross(a.1)).sum();
        assert!((total.force - force).length() < 1e-14 && (total.torque - torque).length() < 1e-14);
        assert_eq!(wall_loads(&state)[1].force, acting[1].1);
    }
}
