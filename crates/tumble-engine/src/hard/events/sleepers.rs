//! Balls of which some sleep: they hang where they fell asleep until something wakes them.
//!
//! In the frame that falls with the others a sleeper is accelerated upwards, so that its meeting with a flier is that of two balls of
//! which one is accelerated. Sleepers meet neither each other nor walls.

use super::balls::{Balls, sooner};
use super::flock::{Bodies, Bulk, Flier, LOOKS_AROUND, Laws, Meeting, Neighbourhood, NextWall, Pair, Sky, Walls};
use super::space::Space;
use crate::hard::event_time::{Flight, balls_meet};
use crate::{Model, Particles};
use glam::{DMat3, DVec3};

/// A direction is in a cone if no more than this is left of it, or missing [1].
const IN_CONE: f64 = 1e-9;

/// Who sleeps, and where.
#[derive(Clone, Debug)]
pub struct Sleepers {
    /// Where each grain sleeps, seen from the ground [m]; `None` for those awake.
    held: Vec<Option<DVec3>>,
    speed: f64,
    within: f64,
    gravity: DVec3,
    /// When the step ends [s].
    end: f64,
    /// How many fell asleep in this step, and how many were woken.
    pub n_fallen: u64,
    pub n_woken: u64,
}

impl Sleepers {
    /// Those who sleep at the beginning of a step of a length [s], where grains fall asleep below a speed.
    pub fn new(asleep: &[u8], positions: &[DVec3], speed: f64, gravity: DVec3, end: f64) -> Sleepers {
        let held = asleep.iter().zip(positions).map(|(&asleep, &position)| (asleep != 0).then_some(position)).collect();
        let within = speed * speed / gravity.length();
        Sleepers { held, speed, within, gravity, end, n_fallen: 0, n_woken: 0 }
    }

    /// Below which speed grains fall asleep [m/s].
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// How far from a grain what bears it may be [m]: twice as far as it rises at that speed.
    pub fn within(&self) -> f64 {
        self.within
    }

    /// Which way is down.
    pub fn down(&self) -> DVec3 {
        self.gravity.normalize()
    }

    #[inline]
    pub fn is_asleep(&self, grain: u32) -> bool {
        self.held[grain as usize].is_some()
    }

    /// Where a grain sleeps [m].
    #[inline]
    pub fn place(&self, grain: u32) -> Option<DVec3> {
        self.held[grain as usize]
    }

    /// Whether one of two sleeps, and which; `None` if none does. Two sleepers never meet.
    #[inline]
    pub fn one_of(&self, grain: u32, other: u32) -> Option<u32> {
        [grain, other].into_iter().find(|&one| self.is_asleep(one))
    }

    /// Where a sleeper is and how fast in the frame that falls, at a time of the step.
    #[inline]
    fn seen(&self, place: DVec3, now: f64) -> (DVec3, DVec3) {
        (place - self.gravity * (0.5 * now * now), -self.gravity * now)
    }

    /// Brings a grain to a time of the step, if it sleeps.
    #[inline]
    pub fn bring_to(&self, grain: u32, flier: &mut Flier, now: f64) -> bool {
        let Some(place) = self.held[grain as usize] else { return false };
        (flier.position, flier.velocity) = self.seen(place, now);
        flier.time = now;
        true
    }

    /// For how long a grain's neighbours are all whom it can meet [s].
    pub fn lasts<N: Neighbourhood>(&self, near: &N, grain: u32, own: &Flier) -> f64 {
        if !self.is_asleep(grain) {
            return near.lasts(grain, own.position, own.velocity);
        }
        // It rises along a line, ever faster.
        let pull = self.gravity.length();
        let way = near.lasts(grain, own.position, -self.down());
        if way <= 0.0 || way == f64::INFINITY {
            return way;
        }
        let speed = pull * own.time;
        2.0 * way / (speed + (speed * speed + 2.0 * pull * way).sqrt())
    }

    /// Lets a grain look around anew, if it sleeps.
    pub fn renew<N: Neighbourhood>(
        &mut self,
        near: &mut N,
        space: &Space,
        grain: u32,
        flier: &mut Flier,
        image: &mut [i32; 3],
    ) -> bool {
        let Some(place) = self.held[grain as usize] else { return false };
        // At the beginning of a step it rests, but it goes upwards.
        let mut rising = Flier { velocity: -self.down(), ..*flier };
        near.renew(grain, &mut rising, image);
        // Through edges of a periodic cell whole periods are gone.
        let periods = (rising.position - flier.position)
            * space.period.map(|period| if period > 0.0 { 1.0 / period } else { 0.0 });
        self.held[grain as usize] = Some(place + space.period * periods.round());
        self.bring_to(grain, flier, flier.time);
        true
    }

    /// Lets a grain fall asleep at a place seen from the ground [m].
    pub fn fall(&mut self, grain: u32, place: DVec3) {
        self.held[grain as usize] = Some(place);
        self.n_fallen += 1;
    }

    /// Wakes a grain that sleeps and has been brought to the present.
    pub fn wake(&mut self, grain: u32) {
        self.held[grain as usize] = None;
        self.n_woken += 1;
    }
}

/// Whether what is pulled down is held without friction by surfaces whose normals are these, from it into them: whether down is in their
/// convex cone.
pub fn bears(normals: &[DVec3], down: DVec3) -> bool {
    for (i, &a) in normals.iter().enumerate() {
        let along = a.dot(down);
        if along > 0.0 && (down - a * along).length() < IN_CONE {
            return true;
        }
        for (j, &b) in normals.iter().enumerate().skip(i + 1) {
            // By least squares.
            let (cosine, beside) = (a.dot(b), b.dot(down));
            let square_sine = 1.0 - cosine * cosine;
            if square_sine > IN_CONE {
                let share_a = (along - cosine * beside) / square_sine;
                let share_b = (beside - cosine * along) / square_sine;
                if share_a >= 0.0 && share_b >= 0.0 && (down - a * share_a - b * share_b).length() < IN_CONE {
                    return true;
                }
            }
            for &c in &normals[j + 1..] {
                let determinant = a.dot(b.cross(c));
                if determinant.abs() > IN_CONE {
                    let shares = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b)).transpose() * down / determinant;
                    if shares.min_element() >= -IN_CONE {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// All grains are balls, and some of them sleep.
pub struct SleepingBalls(pub Sleepers);

impl Bodies for SleepingBalls {
    const TURN: bool = false;

    #[inline]
    fn turn(&mut self, _: u32, _: f64) {}

    fn first<N: Neighbourhood>(&mut self, sky: &Sky<N>, grain: u32, now: f64, mut soonest: f64) -> (f64, u32) {
        let own = sky.fliers[grain as usize];
        let sleepers = &self.0;
        let sleeps = sleepers.is_asleep(grain);
        let mut partner = LOOKS_AROUND;
        sky.near.each(grain, |other| {
            let flier = &sky.fliers[other as usize];
            let reach = own.radius + flier.radius;
            let place = sleepers.place(other);
            let (position, velocity) = match place {
                Some(_) if sleeps => return,
                Some(place) => sleepers.seen(place, now),
                None => (flier.position + flier.velocity * (now - flier.time), flier.velocity),
            };
            let (apart, relative) = (sky.space.nearest(position - own.position), velocity - own.velocity);
            let time = if place.is_none() && !sleeps {
                sooner(apart, relative, reach * reach, soonest)
            } else {
                let acceleration = if sleeps { sleepers.gravity } else { -sleepers.gravity };
                let horizon = soonest.min(sleepers.end - now);
                let time = balls_meet(&Flight { offset: apart, velocity: relative, acceleration }, reach, horizon);
                (time <= horizon).then_some(time)
            };
            if let Some(time) = time
                && (time < soonest || other < partner)
            {
                (soonest, partner) = (time, other);
            }
        });
        (soonest, partner)
    }

    #[inline]
    fn next_wall<W: Walls>(&self, walls: &W, grain: u32, flier: &Flier, until: f64) -> NextWall {
        if self.0.is_asleep(grain) { NextWall::Nothing } else { walls.next(flier, until) }
    }

    fn collide<W>(&mut self, laws: &Laws<W>, pair: &Pair) -> Option<Meeting> {
        Balls.collide(laws, pair)
    }

    fn collide_with_wall<W: Walls>(
        &mut self,
        laws: &Laws<W>,
        grain: u32,
        flier: &Flier,
        bulk: &Bulk,
        wall: u32,
    ) -> Option<(Meeting, DVec3)> {
        Balls.collide_with_wall(laws, grain, flier, bulk, wall)
    }

    fn land(&self, model: &Model, particles: &mut Particles, grain: usize, spin: DVec3) {
        if let Some(place) = self.0.place(grain as u32) {
            (particles.position[grain], particles.velocity[grain]) = (place, DVec3::ZERO);
        }
        Balls.land(model, particles, grain, spin);
    }

    #[inline]
    fn sleepers(&self) -> Option<&Sleepers> {
        Some(&self.0)
    }

    #[inline]
    fn sleepers_mut(&mut self) -> Option<&mut Sleepers> {
        Some(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::bears;
    use glam::DVec3;

    #[test]
    fn a_cone_of_normals_bears_what_stands_on_it_and_nothing_else() {
        let down = DVec3::NEG_Z;
        let slope = |x: f64, y: f64| DVec3::new(x, y, -1.0).normalize();
        assert!(bears(&[down], down));
        assert!(!bears(&[], down) && !bears(&[-down], down) && !bears(&[slope(1e-3, 0.0)], down));
        assert!(bears(&[slope(1.0, 0.0), slope(-0.2, 0.0)], down));
        assert!(!bears(&[slope(1.0, 0.0), slope(-0.2, 0.1)], down));
        assert!(bears(&[slope(1.0, 0.0), slope(-0.5, 0.8), slope(-0.5, -0.8)], down));
        // All on one side of it.
        assert!(!bears(&[slope(1.0, 0.0), slope(0.5, 0.8), slope(0.5, -0.8)], down));
        // A wall beside a slope that leans to it.
        assert!(bears(&[slope(1.0, 0.0), DVec3::NEG_X], down) && !bears(&[slope(1.0, 0.0), DVec3::X], down));
    }
}
