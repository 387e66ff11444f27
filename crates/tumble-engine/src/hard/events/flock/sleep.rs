//! Falling asleep and waking.
//!
//! What meets something at rest, a wall or a sleeper, slower than the speed of the rule falls asleep if it would go on slower than that and
//! gravity is in the convex cone of the normals of what is near it and at rest or slow: so it would stay there without friction. To go on
//! sleeping only walls and sleepers count; two who lean on each other can so fall asleep one after the other. A sleeper that is hit faster
//! is woken, and with it all who are no longer held without it.

use super::{Bodies, Flier, Flock, Happened, Laws, Neighbourhood, Partner, Walls, in_laboratory};
use crate::hard::collision_rule::{CollidingBall, Collision, CollisionRule, Impulse, Moving, collide_balls};
use crate::hard::events::balls::{colliding, hop};
use crate::hard::events::sleepers::bears;
use crate::hard::queue::EventList;
use glam::DVec3;

/// What rests on something and does not sleep parts from it at least at this share of the speed of the rule, and slower impacts lose
/// nothing.
pub const HOP: f64 = 0.1;
/// Whose last collisions came at once after each other, so many of them, is wedged between sleepers and does not fall asleep, and wakes them though it hits them
/// slowly, down to this share of the speed.
const WEDGED: u16 = 8;
const GENTLE: f64 = 0.01;
/// With so many of them it is stuck, and if it is slow it falls asleep where it is; unless it is held then, it wakes with the next step.
const STUCK: u16 = 64;

impl<Q: EventList, N: Neighbourhood, B: Bodies> Flock<Q, N, B> {
    /// Wakes all whom nothing holds at the beginning of a step, for grains and walls may have gone.
    pub(super) fn wake_unsupported<W: Walls>(&mut self, laws: &Laws<W>) {
        if self.bodies.sleepers().is_none() {
            return;
        }
        for grain in 0..self.fliers.len() as u32 {
            if self.loses_hold(grain, laws) {
                self.wake(grain, 0.0);
                self.wake_those_on(grain, 0.0, laws);
            }
        }
    }

    /// Lets a grain meet one that sleeps.
    pub(super) fn collide_with_sleeper<W: Walls>(
        &mut self,
        grain: u32,
        other: u32,
        asleep: u32,
        now: f64,
        laws: &Laws<W>,
    ) -> Option<Happened> {
        let speed = self.bodies.sleepers()?.speed();
        let [a, b] = [self.fliers[grain as usize], self.fliers[other as usize]];
        let apart = self.space.nearest(b.position - a.position);
        let normal = apart / apart.length();
        let is_first = asleep == other;
        let (flier, into) = if is_first { (grain, normal) } else { (other, -normal) };
        let wakes_at = if self.bulk[flier as usize].streak >= WEDGED { GENTLE * speed } else { speed };
        if (a.velocity - b.velocity).dot(normal) >= wakes_at {
            self.wake(asleep, now);
            let happened = self.collide_in_flight(grain, other, now, laws);
            for woken in self.wake_those_on(asleep, now, laws) {
                self.coming[woken as usize].count += 1;
                self.look_ahead(woken, now, laws);
            }
            return happened;
        }
        let rule = laws.rule(self.bulk[grain as usize].material, self.bulk[other as usize].material);
        let (mut collision, kept_from_collapse) = self.meet_what_rests(flier, into, rule, now, laws)?;
        if !is_first {
            collision.after.swap(0, 1);
            collision.impulse.on_a = -collision.impulse.on_a;
        }
        let place = in_laboratory(&a, laws.gravity).position + normal * a.radius;
        let partner = Partner::Grain(other, -apart);
        Some(Happened { time: now, grain, partner, normal, place, collision, kept_from_collapse })
    }

    /// Lets a grain meet slowly what rests, along a normal into it, and tells whether the rule took part: it falls asleep, or it bounces,
    /// and what is slower still loses nothing.
    pub(super) fn meet_what_rests<W: Walls>(
        &mut self,
        grain: u32,
        normal: DVec3,
        rule: &CollisionRule,
        now: f64,
        laws: &Laws<W>,
    ) -> Option<(Collision, bool)> {
        let speed = self.bodies.sleepers()?.speed();
        let flier = in_laboratory(&self.fliers[grain as usize], laws.gravity);
        let bulk = self.bulk[grain as usize];
        let ball = colliding(flier.velocity, &bulk, flier.radius);
        let still = CollidingBall {
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            per_mass: 0.0,
            per_inertia: 0.0,
            radius: 0.0,
        };
        let approach = flier.velocity.dot(normal);
        let after = collide_balls(rule, normal, &ball, &still).map_or(ball.velocity, |after| after.after[0].velocity);
        let may_sleep = match bulk.streak {
            0..WEDGED => self.is_held(grain, &flier, laws, true),
            streak => streak >= STUCK,
        };
        let falls_asleep = may_sleep && after.length() < speed;
        let is_slow = approach < HOP * speed;
        let collision = if falls_asleep {
            let rest = Moving { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO };
            let of_spin = if bulk.per_inertia > 0.0 { bulk.spin.length_squared() / bulk.per_inertia } else { 0.0 };
            let impulse = Impulse {
                on_a: -flier.velocity / bulk.per_mass,
                approach,
                normal_loss: 0.5 * (flier.velocity.length_squared() / bulk.per_mass + of_spin),
                tangential_loss: 0.0,
                slides: false,
            };
            Collision { after: [rest, rest], impulse }
        } else if is_slow && normal.dot(laws.gravity) > 0.0 {
            hop(HOP * speed, normal, approach, &ball, &still)?
        } else {
            collide_balls(if is_slow { &CollisionRule::SMOOTH_ELASTIC } else { rule }, normal, &ball, &still)?
        };
        self.fliers[grain as usize].velocity += collision.impulse.on_a * bulk.per_mass;
        self.bulk[grain as usize].has_collided(now, collision.after[0].angular_velocity, self.end);
        if falls_asleep && let Some(sleepers) = self.bodies.sleepers_mut() {
            sleepers.fall(grain, flier.position);
            sleepers.bring_to(grain, &mut self.fliers[grain as usize], now);
        }
        Some((collision, falls_asleep || is_slow))
    }

    /// Whether a grain, seen from the ground at its own time, would stay where it is without friction, held by walls, sleepers and perhaps
    /// by who is slow.
    fn is_held<W: Walls>(&self, grain: u32, flier: &Flier, laws: &Laws<W>, by_slow: bool) -> bool {
        let Some(sleepers) = self.bodies.sleepers() else { return false };
        let mut below: Vec<(u32, DVec3)> = Vec::new();
        self.near.each(grain, |other| {
            let place = sleepers.place(other).or_else(|| {
                let mut awake = self.fliers[other as usize];
                awake.bring_to(flier.time);
                let awake = in_laboratory(&awake, laws.gravity);
                (by_slow && awake.velocity.length() < sleepers.speed()).then_some(awake.position)
            });
            let Some(place) = place else { return };
            let apart = self.space.nearest(place - flier.position);
            let distance = apart.length();
            if distance - (flier.radius + self.fliers[other as usize].radius) <= sleepers.within() {
                below.push((other, apart / distance));
            }
        });
        // In an order that does not depend on how neighbours are found.
        below.sort_unstable_by_key(|&(other, _)| other);
        let mut normals: Vec<DVec3> = below.into_iter().map(|(_, normal)| normal).collect();
        laws.walls.near(flier, sleepers.within(), &mut normals);
        bears(&normals, sleepers.down())
    }

    /// Whether a grain sleeps and nothing holds it any more.
    fn loses_hold<W: Walls>(&self, grain: u32, laws: &Laws<W>) -> bool {
        let place = self.bodies.sleepers().and_then(|sleepers| sleepers.place(grain));
        place.is_some_and(|place| {
            let there = Flier { position: place, velocity: DVec3::ZERO, ..self.fliers[grain as usize] };
            !self.is_held(grain, &there, laws, false)
        })
    }

    /// Wakes all who are no longer held now that a grain is awake, and tells who that is.
    fn wake_those_on<W: Walls>(&mut self, grain: u32, now: f64, laws: &Laws<W>) -> Vec<u32> {
        let (mut work, mut woken) = (vec![grain], Vec::new());
        while let Some(awake) = work.pop() {
            let mut around = Vec::new();
            self.near.each(awake, |other| around.push(other));
            around.sort_unstable();
            for other in around {
                if self.loses_hold(other, laws) {
                    self.wake(other, now);
                    woken.push(other);
                    work.push(other);
                }
            }
        }
        woken
    }

    fn wake(&mut self, grain: u32, now: f64) {
        self.bring_to(grain, now);
        if let Some(sleepers) = self.bodies.sleepers_mut() {
            sleepers.wake(grain);
        }
    }
}
