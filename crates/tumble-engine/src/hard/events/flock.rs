//! Balls in flight, and what happens to them one after the other.
//!
//! Each ball has a clock of its own: where it was when it last changed its course. Only those to whom something happens are
//! brought to the present. Each has one coming event, the first of what it can meet and of the moment at which it must look for others; when
//! the partner of a collision has changed its course since, which its counter tells, the event no longer holds and the ball
//! looks again. So of every two balls at least one has their meeting, or something earlier, as its event.
//!
//! All fly in a frame that falls with them: between themselves they move straight, and it is the walls that bend.

use super::space::Space;
use crate::hard::collision_rule::{CollidingBall, Collision, CollisionRule, Impulse, Moving, collide_balls};
use crate::hard::event_time::NEVER;
use crate::hard::queue::EventList;
use glam::DVec3;

/// A ball in flight, in the frame that falls: all that a meeting depends on, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Flier {
    /// Where it was when its clock was set [m].
    pub position: DVec3,
    /// How fast it flies since [m/s].
    pub velocity: DVec3,
    /// Its clock, from the beginning of the step [s].
    pub time: f64,
    /// Radius [m].
    pub radius: f64,
}

impl Flier {
    #[inline]
    fn bring_to(&mut self, now: f64) {
        self.position += self.velocity * (now - self.time);
        self.time = now;
    }
}

/// What of a ball only collisions ask for.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    /// Angular velocity [rad/s].
    pub spin: DVec3,
    /// One over the mass [1/kg].
    pub per_mass: f64,
    /// One over the moment of inertia [1/(kg m^2)].
    pub per_inertia: f64,
    /// When it last collided, from the beginning of the step [s].
    pub last_collision: f64,
    /// How many of its last collisions came at once after each other.
    pub streak: u16,
    /// How often it went through each periodic edge.
    pub image: [i32; 3],
    /// What it is made of.
    pub material: u16,
}

/// What a ball waits for.
#[derive(Clone, Copy, Debug)]
struct Coming {
    partner: u32,
    /// The counter of the partner when it was found.
    partner_count: u32,
    /// How often the ball itself has changed its course.
    count: u32,
}

/// The event of a ball that has to look around anew.
const LOOKS_AROUND: u32 = u32::MAX;
/// That of one that has to look ahead anew, among the same neighbours.
const LOOKS_AGAIN: u32 = u32::MAX - 1;
/// Collisions of a ball that come within this fraction of a step after each other are at once, and more of them than this in a
/// row are a collapse: elastic ones are over after a few.
const AT_ONCE: f64 = 1e-13;
const LONGEST_STREAK: u16 = 200;
/// Walls are partners from here on.
const FIRST_WALL: u32 = 1 << 31;

/// What balls meet beside each other. In the frame of the laboratory; times are from the beginning of the step.
pub trait Walls {
    /// Which wall a ball meets first from now on, and when; nothing at or after `until` is asked for.
    fn next(&self, ball: &Flier, until: f64) -> NextWall;

    /// Where a wall is met that has to be met now: unit normal into it and velocity of its surface there.
    fn meet(&self, wall: u32, ball: &Flier) -> (DVec3, DVec3);
}

/// Whom each ball can meet before it has moved too far.
pub trait Neighbourhood {
    /// Calls with everyone whom a ball can meet.
    fn each(&self, ball: u32, call: impl FnMut(u32));

    /// For how long that is all whom a ball can meet that is at a position now and flies at a velocity [s].
    fn lasts(&self, ball: u32, position: DVec3, velocity: DVec3) -> f64;

    /// Looks around anew, now that it has been as long; brings the ball back into the periodic cell if it has left it.
    fn renew(&mut self, ball: u32, flier: &mut Flier, image: &mut [i32; 3]);
}

/// What comes of walls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextWall {
    /// Nothing for as long as was asked.
    Nothing,
    /// A time from the beginning of the step [s], and a wall.
    Meets(f64, u32),
    /// Nothing before this time [s], and it has to be asked again then.
    LookAgain(f64),
}

/// A collision that has happened.
#[derive(Clone, Copy, Debug)]
pub struct Happened {
    /// When, from the beginning of the step [s].
    pub time: f64,
    /// The ball, and its partner.
    pub ball: u32,
    pub partner: Partner,
    /// Unit normal from the ball to its partner.
    pub normal: DVec3,
    /// Where, in the frame of the laboratory [m].
    pub place: DVec3,
    /// What it did.
    pub collision: Collision,
    /// Whether the rule against inelastic collapse took part.
    pub kept_from_collapse: bool,
}

/// Whom a ball collided with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Partner {
    /// A ball, and the way from it [m].
    Ball(u32, DVec3),
    /// A wall, and the velocity of its surface there [m/s].
    Wall(u32, DVec3),
}

/// What keeps collisions from coming ever faster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgainstCollapse {
    /// Collisions within this time of the last one of either are elastic [s].
    Within(f64),
    /// Collisions slower than this are elastic [m/s].
    Slower(f64),
    /// Nothing.
    Nothing,
}

/// What decides how collisions go.
pub struct Laws<'a, W> {
    pub walls: W,
    /// The rule of two materials, at `a * n_materials + b`.
    pub rules: &'a [CollisionRule],
    pub n_materials: usize,
    /// Materials of the walls.
    pub wall_materials: &'a [u16],
    pub against_collapse: AgainstCollapse,
    /// Acceleration of gravity [m/s^2].
    pub gravity: DVec3,
}

/// Collisions came so fast that time stood still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collapsed {
    /// When, from the beginning of the step [s].
    pub time: f64,
    /// One of those who collided last.
    pub ball: u32,
}

/// How many events of which kind there were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub n_stale: u64,
    pub n_renewed: u64,
    /// Kinetic energy that balls gained from images that slide: where they took on the velocity of another, and where they met [J].
    pub slide_gain: f64,
}

/// Balls in flight over one step.
pub struct Flock<Q, N> {
    pub fliers: Vec<Flier>,
    pub bulk: Vec<Bulk>,
    pub space: Space,
    pub tally: Tally,
    coming: Vec<Coming>,
    near: N,
    queue: Q,
    end: f64,
}

impl<Q: EventList, N: Neighbourhood> Flock<Q, N> {
    /// Balls at the beginning of a step that lasts for a time, all clocks at zero and all inside the periodic cell.
    pub fn new<W: Walls>(
        space: Space,
        fliers: Vec<Flier>,
        bulk: Vec<Bulk>,
        near: N,
        end: f64,
        laws: &Laws<W>,
    ) -> Flock<Q, N> {
        let n = fliers.len();
        let mut flock = Flock {
            near,
            queue: Q::with_entrants(n),
            coming: vec![Coming { partner: LOOKS_AROUND, partner_count: 0, count: 0 }; n],
            fliers,
            bulk,
            space,
            tally: Tally::default(),
            end,
        };
        for ball in 0..n as u32 {
            flock.look_ahead(ball, 0.0, laws);
        }
        flock
    }

    /// Lets everything happen up to the end, and brings all balls there, still in the frame that falls.
    pub fn fly<W: Walls>(&mut self, laws: &Laws<W>, mut told: impl FnMut(&Happened)) -> Result<(), Collapsed> {
        // Events during which time must pass, however little.
        let most = 1000 * (self.fliers.len() as u64 + 10);
        let (mut events, mut judged_at) = (0, 0.0);
        while let Some((now, ball)) = self.queue.pop() {
            events += 1;
            if events == most {
                if now - judged_at < 1e-6 * self.end {
                    return Err(Collapsed { time: now, ball });
                }
                (events, judged_at) = (0, now);
            }
            let Coming { partner, partner_count, .. } = self.coming[ball as usize];
            let flier = &mut self.fliers[ball as usize];
            flier.bring_to(now);
            if partner == LOOKS_AROUND {
                self.tally.n_renewed += 1;
                self.renew(ball);
            }
            if partner >= LOOKS_AGAIN {
                self.look_ahead(ball, now, laws);
                continue;
            }
            let happened = if partner >= FIRST_WALL {
                self.collide_with_wall(ball, partner - FIRST_WALL, now, laws)
            } else if self.coming[partner as usize].count == partner_count {
                self.fliers[partner as usize].bring_to(now);
                self.collide(ball, partner, now, laws)
            } else {
                self.tally.n_stale += 1;
                None
            };
            if let Some(happened) = &happened {
                told(happened);
                self.coming[ball as usize].count += 1;
                if self.bulk[ball as usize].streak > LONGEST_STREAK {
                    return Err(Collapsed { time: now, ball });
                }
                if let Partner::Ball(other, _) = happened.partner {
                    self.coming[other as usize].count += 1;
                    self.look_ahead(ball, now, laws);
                    self.look_ahead(other, now, laws);
                    continue;
                }
            }
            self.look_ahead(ball, now, laws);
        }
        for flier in &mut self.fliers {
            flier.bring_to(self.end);
        }
        Ok(())
    }

    /// Finds the next event of a ball whose clock shows the present.
    #[inline]
    fn look_ahead<W: Walls>(&mut self, ball: u32, now: f64, laws: &Laws<W>) {
        let own = self.fliers[ball as usize];
        let mut soonest = self.near.lasts(ball, own.position, own.velocity);
        let mut partner = LOOKS_AROUND;
        self.near.each(ball, |other| {
            let flier = &self.fliers[other as usize];
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
            if self.space.slide == 0.0 {
                meet(self.space.nearest(apart), relative);
                return;
            }
            let (apart, relative, slides) = self.space.nearest_sliding(apart, relative, now);
            meet(apart, relative);
            if slides {
                // The images beside the nearest one come by as well, and after a whole period those beside them.
                meet(apart - DVec3::X * self.space.period.x, relative);
                meet(apart + DVec3::X * self.space.period.x, relative);
                if relative.x.abs() * soonest > self.space.period.x {
                    (soonest, partner) = (self.space.period.x / relative.x.abs(), LOOKS_AGAIN);
                }
            }
        });
        let mut when = now + soonest;
        match laws.walls.next(&in_laboratory(&own, laws.gravity), when.min(self.end)) {
            NextWall::Nothing => {}
            NextWall::Meets(time, wall) => (when, partner) = (time, FIRST_WALL + wall),
            NextWall::LookAgain(time) => (when, partner) = (time, LOOKS_AGAIN),
        }
        let coming = &mut self.coming[ball as usize];
        coming.partner = partner;
        if partner < FIRST_WALL {
            let count = self.coming[partner as usize].count;
            self.coming[ball as usize].partner_count = count;
        }
        self.queue.set(ball, if when <= self.end { when } else { NEVER });
    }

    /// Lets a ball look around anew.
    fn renew(&mut self, ball: u32) {
        let flier = &mut self.fliers[ball as usize];
        let bulk = &mut self.bulk[ball as usize];
        let before = flier.velocity.x;
        self.near.renew(ball, flier, &mut bulk.image);
        if flier.velocity.x != before {
            self.tally.slide_gain += 0.5 / bulk.per_mass * (flier.velocity.x - before) * (flier.velocity.x + before);
        }
    }

    fn collide<W>(&mut self, ball: u32, other: u32, now: f64, laws: &Laws<W>) -> Option<Happened> {
        let (a, b) = (self.fliers[ball as usize], self.fliers[other as usize]);
        let (bulk_a, bulk_b) = (self.bulk[ball as usize], self.bulk[other as usize]);
        let (apart, relative) = (b.position - a.position, b.velocity - a.velocity);
        let (apart, relative, _) = self.space.nearest_sliding(apart, relative, now);
        let distance = apart.length();
        let normal = apart / distance;
        let own = laws.rules[bulk_a.material as usize * laws.n_materials + bulk_b.material as usize];
        let last = bulk_a.last_collision.max(bulk_b.last_collision);
        let (rule, kept_from_collapse) = laws.against_collapse(&own, now - last, -relative.dot(normal));
        // Seen from a, so that it does not matter through which image they meet.
        let of_a = colliding(DVec3::ZERO, &bulk_a, a.radius);
        let collision = collide_balls(&rule, normal, &of_a, &colliding(relative, &bulk_b, b.radius))?;
        let impulse = collision.impulse.on_a;
        self.fliers[ball as usize].velocity += impulse * bulk_a.per_mass;
        self.fliers[other as usize].velocity -= impulse * bulk_b.per_mass;
        self.tally.slide_gain += impulse.dot(relative - (b.velocity - a.velocity));
        for (grain, moving) in [ball, other].into_iter().zip(collision.after) {
            self.bulk[grain as usize].has_collided(now, moving.angular_velocity, self.end);
        }
        let place = in_laboratory(&a, laws.gravity).position + normal * a.radius;
        Some(Happened {
            time: now,
            ball,
            partner: Partner::Ball(other, -apart),
            normal,
            place,
            collision,
            kept_from_collapse,
        })
    }

    fn collide_with_wall<W: Walls>(&mut self, ball: u32, wall: u32, now: f64, laws: &Laws<W>) -> Option<Happened> {
        let a = in_laboratory(&self.fliers[ball as usize], laws.gravity);
        let bulk = self.bulk[ball as usize];
        let (normal, velocity) = laws.walls.meet(wall, &a);
        let material = laws.wall_materials[wall as usize];
        let own = laws.rules[bulk.material as usize * laws.n_materials + material as usize];
        let approach = (a.velocity - velocity).dot(normal);
        let (rule, kept_from_collapse) = laws.against_collapse(&own, now - bulk.last_collision, approach);
        let still =
            CollidingBall { velocity, angular_velocity: DVec3::ZERO, per_mass: 0.0, per_inertia: 0.0, radius: 0.0 };
        let of_a = colliding(a.velocity, &bulk, a.radius);
        let (collision, kept_from_collapse) = match collide_balls(&rule, normal, &of_a, &still) {
            Some(collision) => (collision, kept_from_collapse),
            // It rests there.
            None => (laws.hop(normal, approach, &of_a, &still)?, true),
        };
        self.fliers[ball as usize].velocity += collision.impulse.on_a * bulk.per_mass;
        self.bulk[ball as usize].has_collided(now, collision.after[0].angular_velocity, self.end);
        let partner = Partner::Wall(wall, velocity);
        let place = a.position + normal * a.radius;
        Some(Happened { time: now, ball, partner, normal, place, collision, kept_from_collapse })
    }
}

impl Bulk {
    #[inline]
    fn has_collided(&mut self, now: f64, spin: DVec3, step: f64) {
        self.streak = if now - self.last_collision < AT_ONCE * step { self.streak.saturating_add(1) } else { 0 };
        self.last_collision = now;
        self.spin = spin;
    }
}

impl<W> Laws<'_, W> {
    /// What lies on a wall without moving, pressed against it by its weight, is given a hop by the rule against collapse: as long as the
    /// contact time, or a tenth as fast as what is slow. There is no collision without one.
    fn hop(&self, normal: DVec3, approach: f64, ball: &CollidingBall, wall: &CollidingBall) -> Option<Collision> {
        let speed = match self.against_collapse {
            AgainstCollapse::Within(time) => 0.5 * time * self.gravity.dot(normal),
            AgainstCollapse::Slower(speed) => 0.1 * speed,
            AgainstCollapse::Nothing => 0.0,
        };
        let change = speed + approach;
        if change <= 0.0 || self.gravity.dot(normal) <= 0.0 {
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

    /// The rule of a collision some time after the last one of either, and whether it is another than that of the materials.
    #[inline]
    fn against_collapse(&self, own: &CollisionRule, since: f64, approach: f64) -> (CollisionRule, bool) {
        let keeps = match self.against_collapse {
            AgainstCollapse::Within(time) => since < time,
            AgainstCollapse::Slower(speed) => approach < speed,
            AgainstCollapse::Nothing => false,
        };
        if keeps && *own != CollisionRule::SMOOTH_ELASTIC {
            (CollisionRule::SMOOTH_ELASTIC, true)
        } else {
            (*own, false)
        }
    }
}

/// When two balls meet, if it is no later than something else: as [`crate::hard::event_time::uniform_balls_meet`], with a way out
/// before the root.
#[inline(always)]
fn sooner(apart: DVec3, relative: DVec3, square_reach: f64, soonest: f64) -> Option<f64> {
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

/// A ball as it is seen from the ground.
#[inline]
fn in_laboratory(ball: &Flier, gravity: DVec3) -> Flier {
    let time = ball.time;
    Flier { position: ball.position + gravity * (0.5 * time * time), velocity: ball.velocity + gravity * time, ..*ball }
}

fn colliding(velocity: DVec3, bulk: &Bulk, radius: f64) -> CollidingBall {
    CollidingBall {
        velocity,
        angular_velocity: bulk.spin,
        per_mass: bulk.per_mass,
        per_inertia: bulk.per_inertia,
        radius,
    }
}
