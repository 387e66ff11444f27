//! How walls move. A motion is a sum of parts: turns, each about an axis that stands still, and displacements, which carry along what
//! has been turned; and at most one part that goes by the load on the wall.

use super::course::Course;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use std::slice;
use tumble_geometry::Pose;

/// How a wall moves.
#[derive(Clone, Debug, PartialEq)]
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
    /// Along a direction as far as a course says.
    Slide {
        /// Unit direction.
        direction: DVec3,
        /// How far [m].
        course: Course,
    },
    /// About a fixed axis as far as a course says.
    Turn {
        /// A point of the axis [m].
        point: DVec3,
        /// Unit direction of the axis.
        axis: DVec3,
        /// How far [rad], positive by the right-hand rule.
        course: Course,
    },
    /// Moved along a direction until the grains press back with a wanted force.
    Servo {
        /// Unit direction in which the wall presses on the grains.
        direction: DVec3,
        /// Force to press with at the start [N].
        from: f64,
        /// Force to press with after the ramp [N].
        force: f64,
        /// How long the force takes to change [s].
        ramp: f64,
        /// When it begins [s].
        start: f64,
        /// Largest speed [m/s].
        max_speed: f64,
        /// Speed for each newton that is missing [m/(s N)].
        gain: f64,
    },
    /// Pushed along a line by grains and gravity, as a body with a mass.
    Free {
        /// Unit direction of the line.
        direction: DVec3,
        /// Mass [kg].
        mass: f64,
        /// Force along the direction besides [N].
        push: f64,
    },
    /// Several together: none of them is itself a sum, and at most one is a servo or free.
    Sum(Vec<Motion>),
}

/// How a wall is and moves at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub pose: Pose,
    /// Velocity of the pose's origin [m/s].
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

impl Placed {
    /// Velocity of the wall's material at a point [m/s].
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.position)
    }
}

impl Motion {
    /// The motions that add up to it.
    pub fn parts(&self) -> &[Motion] {
        match self {
            Motion::Sum(parts) => parts,
            Motion::Fixed => &[],
            single => slice::from_ref(single),
        }
    }

    /// The part that goes by the load on the wall, if there is one.
    pub fn driven(&self) -> Option<&Motion> {
        self.parts().iter().find(|part| matches!(part, Motion::Servo { .. } | Motion::Free { .. }))
    }

    /// Direction and mass [kg], if the wall is pushed as a body with a mass.
    pub fn free(&self) -> Option<(DVec3, f64)> {
        match self.driven() {
            Some(&Motion::Free { direction, mass, .. }) => Some((direction, mass)),
            _ => None,
        }
    }

    /// The same motion, begun later by a time [s].
    pub fn delayed(&self, by: f64) -> Motion {
        let mut delayed = self.clone();
        match &mut delayed {
            Motion::Fixed | Motion::Free { .. } => {}
            Motion::Translate { start, stop, .. }
            | Motion::Rotate { start, stop, .. }
            | Motion::Vibrate { start, stop, .. } => {
                *start += by;
                *stop += by;
            }
            Motion::Slide { course, .. } | Motion::Turn { course, .. } => course.delay(by),
            Motion::Servo { start, .. } => *start += by,
            Motion::Sum(parts) => parts.iter_mut().for_each(|part| *part = part.delayed(by)),
        }
        delayed
    }

    /// Point and direction of the axis that one part turns about.
    pub(crate) fn turns_about(&self) -> Option<(DVec3, DVec3)> {
        match *self {
            Motion::Rotate { point, axis, .. } | Motion::Turn { point, axis, .. } => Some((point, axis)),
            _ => None,
        }
    }

    /// How far one part has turned at a time [rad].
    fn angle(&self, time: f64) -> f64 {
        match self {
            Motion::Rotate { speed, start, stop, .. } => speed * (time.clamp(*start, *stop) - start),
            Motion::Turn { course, .. } => course.value(time),
            _ => 0.0,
        }
    }

    /// How fast one part turns [rad/s]: on average over a time before, or right at a time.
    fn spin(&self, time: f64, over: Option<f64>) -> f64 {
        match (self, over) {
            (Motion::Rotate { speed, start, stop, .. }, Some(dt)) => {
                let elapsed = |t: f64| t.clamp(*start, *stop) - start;
                speed * (elapsed(time) - elapsed(time - dt)) / dt
            }
            (Motion::Rotate { speed, start, stop, .. }, None) if time >= *start && time < *stop => *speed,
            (Motion::Turn { course, .. }, Some(dt)) => (course.value(time) - course.value(time - dt)) / dt,
            (Motion::Turn { course, .. }, None) => course.rate(time),
            _ => 0.0,
        }
    }

    /// How far one part has moved the wall at a time [m].
    fn displacement(&self, time: f64) -> DVec3 {
        match self {
            Motion::Translate { velocity, start, stop } => *velocity * (time.clamp(*start, *stop) - start),
            Motion::Vibrate { amplitude, frequency, start, stop } => {
                *amplitude * (TAU * frequency * (time.clamp(*start, *stop) - start)).sin()
            }
            Motion::Slide { direction, course } => *direction * course.value(time),
            _ => DVec3::ZERO,
        }
    }

    /// How fast one part moves the wall [m/s]: on average over a time before, or right at a time.
    fn velocity(&self, time: f64, over: Option<f64>) -> DVec3 {
        match (self, over) {
            (Motion::Translate { velocity, start, stop }, Some(dt)) => {
                let elapsed = |t: f64| t.clamp(*start, *stop) - start;
                *velocity * ((elapsed(time) - elapsed(time - dt)) / dt)
            }
            (Motion::Vibrate { .. } | Motion::Slide { .. }, Some(dt)) => {
                (self.displacement(time) - self.displacement(time - dt)) / dt
            }
            (Motion::Translate { velocity, start, stop }, None) if time >= *start && time < *stop => *velocity,
            (Motion::Vibrate { amplitude, frequency, start, stop }, None) if time >= *start && time < *stop => {
                let rate = TAU * frequency;
                *amplitude * (rate * (rate * (time - start)).cos())
            }
            (Motion::Slide { direction, course }, None) => *direction * course.rate(time),
            _ => DVec3::ZERO,
        }
    }

    /// Where a wall is that began in a pose, but for what goes by its load; how it moves, on average over a time before or right at
    /// the time.
    pub(crate) fn placed(&self, from: Pose, time: f64, over: Option<f64>) -> Placed {
        let mut placed = Placed { pose: from, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO };
        let mut has_turned = false;
        for part in self.parts() {
            let Some((point, axis)) = part.turns_about() else { continue };
            let turn = DQuat::from_axis_angle(axis, part.angle(time));
            placed.pose.position = point + turn * (placed.pose.position - point);
            placed.pose.orientation = (turn * placed.pose.orientation).normalize();
            let spin = axis * part.spin(time, over);
            let own = spin.cross(placed.pose.position - point);
            if has_turned {
                placed.angular_velocity = spin + turn * placed.angular_velocity;
                placed.velocity = own + turn * placed.velocity;
            } else {
                (placed.angular_velocity, placed.velocity) = (spin, own);
            }
            has_turned = true;
        }
        for part in self.parts().iter().filter(|part| part.displaces()) {
            placed.pose.position += part.displacement(time);
            placed.velocity += part.velocity(time, over);
        }
        placed
    }

    fn displaces(&self) -> bool {
        matches!(self, Motion::Translate { .. } | Motion::Vibrate { .. } | Motion::Slide { .. })
    }

    /// The largest angular speed of one part [rad/s].
    fn largest_spin(&self) -> f64 {
        match self {
            Motion::Rotate { speed, .. } => speed.abs(),
            Motion::Turn { course, .. } => course.largest_rate(),
            _ => 0.0,
        }
    }

    /// The largest speed that one part gives along any direction [m/s], but for turns.
    fn largest_drift(&self) -> f64 {
        match self {
            Motion::Translate { velocity, .. } => velocity.length(),
            Motion::Vibrate { amplitude, frequency, .. } => TAU * frequency * amplitude.length(),
            Motion::Slide { course, .. } => course.largest_rate(),
            Motion::Servo { max_speed, .. } => *max_speed,
            _ => 0.0,
        }
    }

    /// The largest speed that displacements give along a direction [m/s], but for turns.
    pub(crate) fn fastest_drift_along(&self, direction: DVec3) -> f64 {
        let along = |part: &Motion| match part {
            Motion::Translate { velocity, .. } => velocity.dot(direction).max(0.0),
            Motion::Vibrate { amplitude, frequency, .. } => TAU * frequency * amplitude.dot(direction).abs(),
            Motion::Slide { direction: own, course } => course.largest_rate() * own.dot(direction).abs(),
            _ => 0.0,
        };
        self.parts().iter().map(along).sum()
    }

    /// Whether it turns at all.
    pub(crate) fn turns(&self) -> bool {
        self.parts().iter().any(|part| part.turns_about().is_some())
    }

    /// The largest speed of places of which each is so far from an axis [m] as `levers` says for the first turn: across the axis,
    /// and from a point of it.
    pub(crate) fn largest_speed(&self, levers: impl Fn(DVec3, DVec3) -> [f64; 2]) -> f64 {
        let mut speed = 0.0;
        let mut before: Option<(DVec3, f64)> = None;
        for part in self.parts() {
            let Some((point, axis)) = part.turns_about() else {
                speed += part.largest_drift();
                continue;
            };
            let [across, away] = match before {
                None => levers(point, axis),
                // What an earlier turn has moved stays as far from a point of its axis as it was.
                Some((earlier, away)) => [away + (point - earlier).length(); 2],
            };
            before = Some((point, away));
            speed += part.largest_spin() * across;
        }
        speed
    }

    /// The largest acceleration of points that the wall carries within a distance of its origin [m/s^2], but for jumps of speed; the
    /// wall was in a pose at first.
    pub(crate) fn largest_acceleration(&self, from: &Pose, radius: f64) -> f64 {
        let mut drift = 0.0;
        let (mut spins, mut changes, mut reach): (f64, f64, f64) = (0.0, 0.0, 0.0);
        let (mut n_turns, mut single): (usize, f64) = (0, 0.0);
        let mut before: Option<(DVec3, f64)> = None;
        for part in self.parts() {
            match part {
                Motion::Vibrate { amplitude, frequency, .. } => {
                    drift += amplitude.length() * (TAU * frequency).powi(2);
                }
                Motion::Slide { course, .. } => drift += course.largest_change(),
                _ => {}
            }
            let Some((point, axis)) = part.turns_about() else { continue };
            let away = match before {
                None => (from.position - point).length() + radius,
                Some((earlier, away)) => away + (point - earlier).length(),
            };
            before = Some((point, away));
            let change = if let Motion::Turn { course, .. } = part { course.largest_change() } else { 0.0 };
            let lever = axis.cross(from.position - point).length() + radius;
            single = part.largest_spin() * (part.largest_spin() * lever) + change * lever;
            (spins, changes, reach) = (spins + part.largest_spin(), changes + change, reach.max(away));
            n_turns += 1;
        }
        // Of several turns the velocity is the sum of w x (r - p), each w and p turned by the later ones, and its change is bounded by
        // (sum of the changes of w + 3 (sum of w)^2) times the farthest way from a p.
        let turning = if n_turns > 1 { reach * (changes + 3.0 * spins * spins) } else { single };
        drift + turning
    }

    /// Whether the speed may jump between two times.
    pub(crate) fn may_jump_within(&self, from: f64, to: f64) -> bool {
        let within = |time: f64| time > from && time < to;
        self.parts().iter().any(|part| match part {
            Motion::Translate { start, stop, .. }
            | Motion::Rotate { start, stop, .. }
            | Motion::Vibrate { start, stop, .. } => within(*start) || within(*stop),
            Motion::Slide { course, .. } | Motion::Turn { course, .. } => course.may_jump_within(from, to),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Motion> {
        let turn = |point: DVec3, axis: DVec3, speed: f64| Motion::Rotate {
            point,
            axis: axis.normalize(),
            speed,
            start: 0.1,
            stop: f64::INFINITY,
        };
        let swing = Course::Swing { amplitude: 0.4, frequency: 1.1, phase: 0.3, start: 0.0, stop: f64::INFINITY };
        let ramp = Course::Ramp { from: 0.0, to: 2.0, over: 0.7, start: 0.2, stop: f64::INFINITY };
        let vibrate = Motion::Vibrate { amplitude: DVec3::Z * 0.02, frequency: 3.0, start: 0.0, stop: f64::INFINITY };
        let translate = Motion::Translate { velocity: DVec3::new(0.3, -0.2, 0.1), start: 0.0, stop: 5.0 };
        let planet = vec![turn(DVec3::X, DVec3::Z, 5.0), turn(DVec3::ZERO, DVec3::new(0.1, 0.2, 1.0), -2.0)];
        vec![
            Motion::Sum(planet.clone()),
            Motion::Sum([planet, vec![vibrate.clone(), translate.clone()]].concat()),
            Motion::Turn { point: DVec3::Y, axis: DVec3::X, course: swing.clone() },
            Motion::Sum(vec![
                Motion::Turn { point: DVec3::Y, axis: DVec3::X, course: ramp },
                Motion::Slide { direction: DVec3::Y, course: swing },
                vibrate,
            ]),
            translate,
        ]
    }

    #[test]
    fn every_motion_is_as_fast_as_it_gets_on_and_no_faster_than_it_says() {
        let from = Pose::new(DVec3::new(0.5, -0.2, 0.3), DQuat::from_rotation_x(0.7));
        let radius = 0.4;
        let own: Vec<DVec3> =
            [DVec3::X, DVec3::Y, DVec3::NEG_Z, DVec3::new(0.6, 0.0, 0.8)].map(|p| p * radius).to_vec();
        for motion in samples() {
            let (mut fastest, mut sharpest): (f64, f64) = (0.0, 0.0);
            for k in 0..2000 {
                let (time, h) = (0.5003 + f64::from(k) * 1e-3, 1e-5);
                let at = |t: f64| motion.placed(from, t, None);
                let (before, now, after) = (at(time - h), at(time), at(time + h));
                let mean = motion.placed(from, time + h, Some(2.0 * h));
                for &point in &own {
                    let place = |placed: &Placed| placed.pose.transform_point(point);
                    let moved = (place(&after) - place(&before)) / (2.0 * h);
                    let said = now.velocity_at(place(&now));
                    assert!((moved - said).length() < 1e-6, "{motion:?} at {time}: {moved} against {said}");
                    let (on_average, there) = (mean.velocity_at(place(&after)), place(&now));
                    assert!((on_average - now.velocity_at(there)).length() < 5e-3, "{motion:?}: {on_average}");
                    let change = (after.velocity_at(place(&after)) - before.velocity_at(place(&before))) / (2.0 * h);
                    (fastest, sharpest) = (fastest.max(said.length()), sharpest.max(change.length()));
                }
            }
            let levers = |point: DVec3, axis: DVec3| {
                let away = from.position - point;
                [axis.cross(away).length() + radius, away.length() + radius]
            };
            let bounds = [motion.largest_speed(levers), motion.largest_acceleration(&from, radius)];
            assert!(fastest <= bounds[0] * (1.0 + 1e-9), "{motion:?}: {fastest} m/s, said {}", bounds[0]);
            assert!(sharpest <= bounds[1] * (1.0 + 1e-3) + 1e-9, "{motion:?}: {sharpest} m/s2, said {}", bounds[1]);
        }
    }

    #[test]
    fn displacements_carry_turns_along_in_whatever_order_they_are_written() {
        let turn = Motion::Rotate { point: DVec3::ZERO, axis: DVec3::Z, speed: 3.0, start: 0.0, stop: 9.0 };
        let shift = Motion::Translate { velocity: DVec3::X, start: 0.0, stop: 9.0 };
        let from = Pose::from_position(DVec3::Y);
        let placed = |parts: [&Motion; 2]| Motion::Sum(parts.map(Motion::clone).to_vec()).placed(from, 1.0, None);
        let expected = DVec3::X + DQuat::from_rotation_z(3.0) * DVec3::Y;
        assert_eq!(placed([&turn, &shift]), placed([&shift, &turn]));
        assert!((placed([&turn, &shift]).pose.position - expected).length() < 1e-15);
    }
}
