//! When grains in flight meet the walls of a scene.
//!
//! Half-spaces that rest or move steadily have closed forms, those that swing a search with a bound on the curvature of the gap,
//! and straight tubes the quartic. All other surfaces and motions are met by conservative advancement, and so are all walls by bodies that
//! are no balls.

#[cfg(test)]
mod tests;

use super::flock::{Flier, NextWall, Walls};
use super::free_way::FreeWay;
use super::shaped::{self, Turning};
use crate::boundary::wall::{Motion, Wall};
use crate::boundary::wall_images::WallImages;
use crate::hard::event_time::{
    Flight, NEVER, Search, bairstow, ball_meets_cylinder, ball_meets_plane, ball_meets_tube, first_of_bounded,
};
use crate::hard::wall_boxes::WallBoxes;
use crate::model::{EventTimes, Model};
use glam::DVec3;
use std::cell::RefCell;
use std::f64::consts::TAU;
use tumble_geometry::impact::{Impact, Steady, Way, impact_surface};
use tumble_geometry::{Pose, Shape, Surface, SurfaceContact, contact_surface};

/// Balls closer to a wall than this, relative to their radius, are at contact where no formula says so.
const WITHIN: f64 = 1e-12;

/// The walls of a model over a step.
pub struct SceneWalls<'a> {
    model: &'a Model,
    images: &'a WallImages,
    boxes: &'a WallBoxes,
    /// When the step begins [s].
    begins: f64,
    length: f64,
    work: RefCell<(Vec<SurfaceContact>, Vec<DVec3>)>,
}

/// The way of a wall from a time of the run on.
struct WallWay<'a> {
    wall: &'a Wall,
    from: f64,
    shift: DVec3,
    /// Whether it goes on as it does for the whole step.
    is_steady: bool,
}

impl Way for WallWay<'_> {
    fn pose(&self, parameter: f64) -> Pose {
        let mut pose = self.wall.placed(self.from + parameter).pose;
        pose.position += self.shift;
        pose
    }

    fn carries(&self, parameter: f64, point: DVec3) -> DVec3 {
        self.wall.placed(self.from + parameter).velocity_at(point - self.shift)
    }

    fn fastest(&self, direction: DVec3, from: f64, to: f64, radius: f64) -> f64 {
        if self.wall.motion.turns() {
            self.fastest_at_all(from, to, radius)
        } else {
            self.wall.motion.fastest_drift_along(direction)
        }
    }

    fn fastest_at_all(&self, _: f64, _: f64, radius: f64) -> f64 {
        let from = self.wall.pose.position;
        self.wall
            .motion
            .largest_speed(|point, axis| [axis.cross(from - point).length() + radius, (from - point).length() + radius])
    }

    fn acceleration(&self, radius: f64) -> f64 {
        if !self.is_steady {
            return f64::INFINITY;
        }
        self.wall.motion.largest_acceleration(&self.wall.pose, radius)
    }

    fn spin(&self, parameter: f64) -> DVec3 {
        self.wall.placed(self.from + parameter).angular_velocity
    }
}

impl<'a> SceneWalls<'a> {
    /// The walls over a step that begins at a time of the run [s] and has a length [s].
    pub fn new(
        model: &'a Model,
        images: &'a WallImages,
        boxes: &'a WallBoxes,
        begins: f64,
        length: f64,
    ) -> SceneWalls<'a> {
        SceneWalls { model, images, boxes, begins, length, work: RefCell::default() }
    }

    /// Whether a motion goes on without jumps for the whole step.
    fn is_steady(&self, motion: &Motion) -> bool {
        !motion.may_jump_within(self.begins, self.begins + self.length)
    }

    /// When a ball meets a half-space; `None` if there is no formula.
    fn half_space(&self, wall: &Wall, ball: &Flier, until: f64) -> Option<Search> {
        let now = self.begins + ball.time;
        let at = wall.placed(now);
        let normal = at.pose.orientation * DVec3::Z;
        let gap = normal.dot(ball.position - at.pose.position) - ball.radius;
        let (speed, acceleration) = (normal.dot(ball.velocity - at.velocity), normal.dot(self.model.gravity));
        match wall.motion {
            Motion::Fixed => {}
            Motion::Translate { .. } => {
                if !self.is_steady(&wall.motion) {
                    return None;
                }
            }
            Motion::Rotate { axis, speed, .. } => {
                // Turned about its own normal it stays what it is.
                if speed != 0.0 && axis.dot(normal).abs() < 1.0 - 1e-15 {
                    return None;
                }
            }
            Motion::Vibrate { amplitude, frequency, start, stop } => {
                if !self.is_steady(&wall.motion) {
                    return None;
                }
                if now >= start && now < stop {
                    let (along, rate) = (normal.dot(amplitude), TAU * frequency);
                    let curvature = acceleration.abs() + along.abs() * rate * rate;
                    let phase = rate * (now - start);
                    let place = along * phase.sin();
                    let swing = |t: f64| {
                        let (sine, cosine) = (phase + rate * t).sin_cos();
                        let own = normal.dot(ball.velocity);
                        (
                            gap + t * (own + 0.5 * acceleration * t) - (along * sine - place),
                            own + acceleration * t - along * rate * cosine,
                        )
                    };
                    let sizes = normal.dot(ball.position).abs() + normal.dot(at.pose.position).abs() + along.abs();
                    let tolerance = 8.0 * f64::EPSILON * (ball.radius + sizes);
                    return Some(first_of_bounded(curvature, tolerance, until - ball.time, swing));
                }
            }
            _ => return None,
        }
        let time = ball_meets_plane(gap, speed, acceleration);
        Some(if time < NEVER { Search::Meets(time) } else { Search::NotBefore(until - ball.time) })
    }

    /// When a ball meets a straight tube, if it does so between its ends and before the horizon; `None` if there is no formula.
    fn tube(&self, wall: &Wall, surface: &Surface, ball: &Flier, until: f64) -> Option<Search> {
        let Surface::Revolved(revolved) = surface else { return None };
        let &[[radius, lower], [other, upper]] = revolved.profile() else { return None };
        let axis = wall.pose.orientation * DVec3::Z;
        let rests = match wall.motion {
            Motion::Fixed => true,
            Motion::Rotate { point, axis: about, .. } => {
                let off = wall.pose.position - point;
                about.dot(axis).abs() > 1.0 - 1e-15 && about.cross(off).length() < 1e-15 * radius
            }
            _ => false,
        };
        if radius != other || !rests {
            return None;
        }
        let flight = Flight {
            offset: ball.position - wall.pose.position,
            velocity: ball.velocity,
            acceleration: self.model.gravity,
        };
        let horizon = until - ball.time;
        let across = flight.across(axis);
        let inside = across.offset.length() < radius;
        let reach = if inside { radius - ball.radius } else { radius + ball.radius };
        if reach <= 0.0 {
            return None;
        }
        let time = match (self.model.hard.event_times, inside) {
            (EventTimes::Cascade, true) => ball_meets_tube(&flight, axis, reach, horizon),
            (EventTimes::Cascade, false) => ball_meets_cylinder(&flight, axis, reach, horizon),
            (EventTimes::Bairstow, _) => {
                let found = bairstow(&across, reach, reach / across.velocity.length());
                if found.converged && found.time <= horizon { found.time } else { NEVER }
            }
        };
        // All along between the ends: a parabola is farthest at its ends or where it turns.
        let end = time.min(horizon);
        let (speed, bend) = (axis.dot(ball.velocity), axis.dot(self.model.gravity));
        let turns = if bend != 0.0 { (-speed / bend).clamp(0.0, end) } else { 0.0 };
        let (low, high) = (lower.min(upper), lower.max(upper));
        let between = [0.0, turns, end].into_iter().all(|t| (low..=high).contains(&axis.dot(flight.at(t).0)));
        between.then_some(if time < NEVER { Search::Meets(time) } else { Search::NotBefore(horizon) })
    }

    /// When a ball meets a wall or an image of it, by looking ever more closely.
    fn advance_ball(&self, index: usize, ball: &Flier, until: f64) -> Search {
        let Ok(shape) = Shape::sphere(ball.radius) else { return Search::NotBefore(until - ball.time) };
        let way = Steady {
            start: Pose::from_position(ball.position),
            shift: ball.velocity,
            bend: self.model.gravity,
            turn: DVec3::ZERO,
        };
        self.advance(index, ball, (&shape, &way), until, WITHIN * ball.radius)
    }

    /// When a body on its way meets a wall or an image of it, by looking ever more closely.
    fn advance(&self, index: usize, ball: &Flier, body: (&Shape, &impl Way), until: f64, within: f64) -> Search {
        let wall = &self.model.walls[index];
        let surface = self.images.surface(self.model, index);
        let horizon = until - ball.time;
        let (shape, way) = body;
        let now = self.begins + ball.time;
        let mut work = self.work.borrow_mut();
        let shifts = &mut work.1;
        let bounds = self.images.bounds(self.model, index, &wall.placed(now).pose);
        let travel = way.fastest_at_all(0.0, horizon, 0.0) * horizon + wall.largest_speed() * horizon;
        self.images.near(index, bounds.as_ref(), ball.position, ball.radius + travel, shifts);
        let mut soonest = Search::NotBefore(horizon);
        for &shift in shifts.iter() {
            let of_wall = WallWay { wall, from: now, shift, is_steady: self.is_steady(&wall.motion) };
            let found = impact_surface(shape, way, surface, &of_wall, horizon, within);
            let time = |search: &Search| match *search {
                Search::Meets(time) | Search::NotBefore(time) => time,
            };
            let found = match found {
                Impact::At { parameter, .. } => Search::Meets(parameter),
                Impact::NotBefore(parameter) => Search::NotBefore(parameter),
            };
            if time(&found) < time(&soonest) || (time(&found) == time(&soonest) && matches!(found, Search::Meets(_))) {
                soonest = found;
            }
        }
        soonest
    }

    /// Whether a ball cannot meet a wall before a time.
    fn is_out_of_reach(&self, index: usize, ball: &Flier, until: f64) -> bool {
        let (wall, time) = (&self.model.walls[index], until - ball.time);
        let speed = ball.velocity.length() + 0.5 * self.model.gravity.length() * time + wall.largest_speed();
        let pose = wall.placed(self.begins + ball.time).pose;
        self.boxes.is_beyond(index, &pose, ball.position, ball.radius * (1.0 + 1e-6) + speed * time)
    }

    /// When a body inside a ball meets a wall.
    fn body_meets(&self, index: usize, ball: &Flier, body: &Turning, until: f64) -> Search {
        let wall = &self.model.walls[index];
        let way = FreeWay::new(ball.position, ball.velocity, self.model.gravity, body.turn, 0.0);
        let within = shaped::WITHIN * ball.radius;
        // Not before the ball around it does, where there is a formula for that.
        if self.images.surface(self.model, index) == &Surface::HalfSpace {
            let at = wall.placed(self.begins + ball.time);
            let gap = (at.pose.orientation * DVec3::Z).dot(ball.position - at.pose.position) - ball.radius;
            if gap > 0.0 {
                match self.half_space(wall, ball, until) {
                    Some(Search::Meets(time)) if ball.time + time < until => {
                        let later = way.later(time);
                        let there = Flier { time: ball.time + time, position: later.pose(0.0).position, ..*ball };
                        return match self.advance(index, &there, (body.shape, &later), until, within) {
                            Search::Meets(after) => Search::Meets(time + after),
                            Search::NotBefore(after) => Search::NotBefore(time + after),
                        };
                    }
                    Some(Search::Meets(_)) => return Search::NotBefore(until - ball.time),
                    Some(not_before) => return not_before,
                    None => {}
                }
            }
        }
        self.advance(index, ball, (body.shape, &way), until, within)
    }

    /// The first of what is met or has to be looked at again, wall by wall.
    fn first_of_all(&self, ball: &Flier, until: f64, meets: impl Fn(usize, f64) -> Search) -> NextWall {
        let mut next = NextWall::Nothing;
        let mut until = until;
        for index in (0..self.model.walls.len()).filter(|&index| self.model.walls[index].present) {
            if until <= ball.time {
                // What is due now is due; a wall that is met as well is met after it.
                until = ball.time;
            }
            if self.is_out_of_reach(index, ball, until) {
                continue;
            }
            match meets(index, until) {
                Search::Meets(time) if ball.time + time < until => {
                    until = ball.time + time;
                    next = NextWall::Meets(until, index as u32);
                }
                Search::NotBefore(time) if ball.time + time < until => {
                    until = ball.time + time;
                    next = NextWall::LookAgain(until);
                }
                Search::Meets(_) | Search::NotBefore(_) => {}
            }
        }
        next
    }

    /// How fast the surface of a wall moves along itself at a point whose normal is given [m/s].
    fn conveyed(&self, index: usize, pose: &Pose, point: DVec3, normal: DVec3) -> DVec3 {
        self.model.walls[index].conveyor.map_or(DVec3::ZERO, |conveyor| conveyor.along(pose, point, normal))
    }

    /// Of all places at contact that which is approached fastest: what contacts tell of each image of a wall, seen from it, and how fast
    /// a point of the body moves. Normal into the wall, velocity of its surface, point.
    fn fastest_met(
        &self,
        index: usize,
        ball: &Flier,
        contacts_at: impl Fn(&Pose, &mut Vec<SurfaceContact>),
        carries: impl Fn(DVec3) -> DVec3,
    ) -> Option<(f64, [DVec3; 3])> {
        let at = self.model.walls[index].placed(self.begins + ball.time);
        let mut work = self.work.borrow_mut();
        let (contacts, shifts) = &mut *work;
        let bounds = self.images.bounds(self.model, index, &at.pose);
        self.images.near(index, bounds.as_ref(), ball.position, 2.0 * ball.radius, shifts);
        let mut fastest: Option<(f64, [DVec3; 3])> = None;
        for &shift in shifts.iter() {
            contacts.clear();
            let pose = Pose { position: at.pose.position + shift, ..at.pose };
            contacts_at(&pose, contacts);
            for contact in contacts.iter().filter(|contact| !contact.is_pass()) {
                let contact = contact.transformed(&pose);
                let velocity =
                    at.velocity_at(contact.point - shift) + self.conveyed(index, &pose, contact.point, contact.normal);
                let approach = (carries(contact.point) - velocity).dot(contact.normal);
                if fastest.is_none_or(|(other, _)| approach > other) {
                    fastest = Some((approach, [contact.normal, velocity, contact.point]));
                }
            }
        }
        fastest
    }
}

impl Walls for SceneWalls<'_> {
    fn next(&self, ball: &Flier, until: f64) -> NextWall {
        self.first_of_all(ball, until, |index, until| {
            let (wall, surface) = (&self.model.walls[index], self.images.surface(self.model, index));
            let formula = match surface {
                Surface::HalfSpace => self.half_space(wall, ball, until),
                Surface::Revolved(_) => self.tube(wall, surface, ball, until),
                Surface::Mesh(_) => None,
            };
            formula.unwrap_or_else(|| self.advance_ball(index, ball, until))
        })
    }

    fn meet(&self, wall: u32, ball: &Flier) -> (DVec3, DVec3) {
        let index = wall as usize;
        if self.model.walls[index].surface == Surface::HalfSpace {
            let at = self.model.walls[index].placed(self.begins + ball.time);
            let normal = at.pose.orientation * DVec3::NEG_Z;
            let point = ball.position + normal * ball.radius;
            return (normal, at.velocity_at(point) + self.conveyed(index, &at.pose, point, normal));
        }
        let surface = self.images.surface(self.model, index);
        let contacts = |pose: &Pose, contacts: &mut Vec<SurfaceContact>| {
            let seen = pose.inverse_transform_point(ball.position);
            surface.contacts_with_sphere(seen, ball.radius, 1e-6 * ball.radius, contacts);
        };
        let fastest = self.fastest_met(index, ball, contacts, |_| ball.velocity);
        fastest.map_or((DVec3::X, ball.velocity), |(_, [normal, velocity, _])| (normal, velocity))
    }

    fn near(&self, ball: &Flier, within: f64, normals: &mut Vec<DVec3>) {
        for index in (0..self.model.walls.len()).filter(|&index| self.model.walls[index].present) {
            let wall = &self.model.walls[index];
            let at = wall.placed(self.begins + ball.time);
            if self.boxes.is_beyond(index, &at.pose, ball.position, ball.radius * (1.0 + 1e-6) + within) {
                continue;
            }
            if wall.surface == Surface::HalfSpace {
                let normal = at.pose.orientation * DVec3::Z;
                if normal.dot(ball.position - at.pose.position) - ball.radius <= within {
                    normals.push(-normal);
                }
                continue;
            }
            let surface = self.images.surface(self.model, index);
            let mut work = self.work.borrow_mut();
            let (contacts, shifts) = &mut *work;
            let bounds = self.images.bounds(self.model, index, &at.pose);
            self.images.near(index, bounds.as_ref(), ball.position, 2.0 * ball.radius, shifts);
            for &shift in shifts.iter() {
                contacts.clear();
                let pose = Pose { position: at.pose.position + shift, ..at.pose };
                let seen = pose.inverse_transform_point(ball.position);
                surface.contacts_with_sphere(seen, ball.radius, within, contacts);
                let touching = contacts.iter().filter(|contact| !contact.is_pass() && contact.separation <= within);
                normals.extend(touching.map(|contact| pose.transform_vector(contact.normal)));
            }
        }
    }

    fn next_of_body(&self, ball: &Flier, body: &Turning, until: f64) -> NextWall {
        self.first_of_all(ball, until, |index, until| self.body_meets(index, ball, body, until))
    }

    fn meet_body(&self, wall: u32, ball: &Flier, body: &Turning) -> Option<(DVec3, DVec3, DVec3)> {
        let index = wall as usize;
        let surface = self.images.surface(self.model, index);
        let (pose, spin) = (Pose::new(ball.position, body.turn.orientation), body.turn.spin());
        let contacts = |of_wall: &Pose, contacts: &mut Vec<SurfaceContact>| {
            contact_surface(
                body.shape,
                surface,
                &of_wall.relative(&pose),
                4.0 * shaped::WITHIN * ball.radius,
                contacts,
            );
        };
        let carries = |point: DVec3| ball.velocity + spin.cross(point - ball.position);
        let (approach, [normal, velocity, point]) = self.fastest_met(index, ball, contacts, carries)?;
        (approach > 0.0).then_some((normal, velocity, point))
    }
}
