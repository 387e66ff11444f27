//! Spheres, and discs of the plane, in flight: when they meet has a closed form.

use super::flock::{
    Bodies, Bulk, Flier, LOOKS_AGAIN, LOOKS_AROUND, Laws, Meeting, Neighbourhood, NextWall, Pair, Sky, Walls,
};
use crate::hard::collision_rule::{CollidingBall, Collision, Impulse, Moving, collide_balls};
use crate::hard::rules::set_motion;
use crate::{Model, Particles};
use glam::DVec3;

/// All grains are balls. How these are turned is no part of it.
pub struct Balls;

impl Bodies for Balls {
    const TURN: bool = false;

    #[inline]
    fn turn(&mut self, _: u32, _: f64) {}

    #[inline]
    fn first<N: Neighbourhood>(&mut self, sky: &Sky<N>, grain: u32, now: f64, mut soonest: f64) -> (f64, u32) {
        let own = sky.fliers[grain as usize];
        let mut partner = LOOKS_AROUND;
        sky.near.each(grain, |other| {
            let flier = &sky.fliers[other as usize];
            let apart = flier.position + flier.velocity * (now - flier.time) - own.position;
            let relative = flier.velocity - own.velocity;
            let reach = own.radius + flier.radius;
            let mut meet = |apart: DVec3, relative: DVec3| {
                if let Some(time) = sooner(apart, relative, reach * reach, soonest)
                    && (time < soonest || other < partner)
                {
                    (soonest, partner) = (time, other);
                }
            };
            if sky.space.slide == 0.0 {
                meet(sky.space.nearest(apart), relative);
                return;
            }
            let (apart, relative, slides) = sky.space.nearest_sliding(apart, relative, now);
            meet(apart, relative);
            if slides {
                // The images beside the nearest one come by as well, and after a whole period those beside them.
                meet(apart - DVec3::X * sky.space.period.x, relative);
                meet(apart + DVec3::X * sky.space.period.x, relative);
                if relative.x.abs() * soonest > sky.space.period.x {
                    (soonest, partner) = (sky.space.period.x / relative.x.abs(), LOOKS_AGAIN);
                }
            }
        });
        (soonest, partner)
    }

    #[inline]
    fn next_wall<W: Walls>(&self, walls: &W, _: u32, flier: &Flier, until: f64) -> NextWall {
        walls.next(flier, until)
    }

    #[inline]
    fn collide<W>(&mut self, laws: &Laws<W>, pair: &Pair) -> Option<Meeting> {
        let ([a, b], [bulk_a, bulk_b]) = (&pair.fliers, &pair.bulk);
        let normal = pair.apart / pair.apart.length();
        let last = bulk_a.last_collision.max(bulk_b.last_collision);
        let own = laws.rule(bulk_a.material, bulk_b.material);
        let (rule, kept_from_collapse) = laws.against_collapse(own, pair.now - last, -pair.relative.dot(normal));
        let (of_a, of_b) = (colliding(DVec3::ZERO, bulk_a, a.radius), colliding(pair.relative, bulk_b, b.radius));
        let collision = collide_balls(&rule, normal, &of_a, &of_b)?;
        Some(Meeting { normal, arm: normal * a.radius, collision, kept_from_collapse })
    }

    fn collide_with_wall<W: Walls>(
        &mut self,
        laws: &Laws<W>,
        _: u32,
        flier: &Flier,
        bulk: &Bulk,
        wall: u32,
    ) -> Option<(Meeting, DVec3)> {
        collide_ball_with_wall(laws, flier, bulk, wall)
    }

    fn land(&self, model: &Model, particles: &mut Particles, grain: usize, spin: DVec3) {
        let velocity = particles.velocity[grain];
        set_motion(model, particles, grain, &Moving { velocity, angular_velocity: spin });
    }
}

/// Lets a ball collide with a wall, and tells the velocity of the wall there.
pub(super) fn collide_ball_with_wall<W: Walls>(
    laws: &Laws<W>,
    flier: &Flier,
    bulk: &Bulk,
    wall: u32,
) -> Option<(Meeting, DVec3)> {
    let (normal, velocity) = laws.walls.meet(wall, flier);
    let approach = (flier.velocity - velocity).dot(normal);
    let own = laws.rule(bulk.material, laws.wall_materials[wall as usize]);
    let (rule, kept) = laws.against_collapse(own, flier.time - bulk.last_collision, approach);
    let still = CollidingBall { velocity, angular_velocity: DVec3::ZERO, per_mass: 0.0, per_inertia: 0.0, radius: 0.0 };
    let ball = colliding(flier.velocity, bulk, flier.radius);
    let (collision, kept_from_collapse) = match collide_balls(&rule, normal, &ball, &still) {
        Some(collision) => (collision, kept),
        // It rests there.
        None => (hop(laws.hop(normal)?, normal, approach, &ball, &still)?, true),
    };
    Some((Meeting { normal, arm: normal * flier.radius, collision, kept_from_collapse }, velocity))
}

/// What lies on a wall is made to part from it at a speed.
pub(super) fn hop(
    speed: f64,
    normal: DVec3,
    approach: f64,
    ball: &CollidingBall,
    wall: &CollidingBall,
) -> Option<Collision> {
    let change = speed + approach;
    if change <= 0.0 {
        return None;
    }
    let moving = |of: &CollidingBall, change: DVec3| Moving {
        velocity: of.velocity + change,
        angular_velocity: of.angular_velocity,
    };
    let impulse = Impulse {
        on_a: normal * (-change / ball.per_mass),
        approach: 0.0,
        normal_loss: -0.5 * (speed * speed - approach * approach) / ball.per_mass,
        tangential_loss: 0.0,
        slides: false,
    };
    Some(Collision { after: [moving(ball, normal * -change), moving(wall, DVec3::ZERO)], impulse })
}

/// When two balls meet, if it is no later than something else: as [`crate::hard::event_time::uniform_balls_meet`], with a way out
/// before the root.
#[inline(always)]
pub(super) fn sooner(apart: DVec3, relative: DVec3, square_reach: f64, soonest: f64) -> Option<f64> {
    let closing = apart.dot(relative);
    if closing >= 0.0 {
        return None;
    }
    let gap = apart.length_squared() - square_reach;
    if gap <= 0.0 {
        return Some(0.0);
    }
    // The root is no larger than -closing.
    if gap > -2.0 * closing * soonest {
        return None;
    }
    let discriminant = closing * closing - relative.length_squared() * gap;
    if discriminant <= 0.0 {
        return None;
    }
    let time = gap / (discriminant.sqrt() - closing);
    (time <= soonest).then_some(time)
}

pub(super) fn colliding(velocity: DVec3, bulk: &Bulk, radius: f64) -> CollidingBall {
    CollidingBall {
        velocity,
        angular_velocity: bulk.spin,
        per_mass: bulk.per_mass,
        per_inertia: bulk.per_inertia,
        radius,
    }
}
