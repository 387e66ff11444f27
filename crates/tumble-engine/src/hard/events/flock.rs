//! Grains in flight, and what happens to them one after the other.
//!
//! Each grain has a clock of its own: where it was when it last changed its course. Only those to whom something happens are
//! brought to the present. Each has one coming event, the first of what it can meet and of the moment at which it must look for others; when
//! the partner of a collision has changed its course since, which its counter tells, the event no longer holds and the grain
//! looks again. So of every two grains at least one has their meeting, or something earlier, as its event.
//!
//! All fly in a frame that falls with them: between themselves they move straight, and it is the walls that bend. What shape they
//! have, and so when they meet and how, [`Bodies`] know; to all else each is the ball around it.

mod sleep;

pub use sleep::HOP;

use super::shaped::Turning;
use super::sleepers::Sleepers;
use super::space::Space;
use crate::hard::collision_rule::{Collision, CollisionRule};
use crate::hard::event_time::NEVER;
use crate::hard::queue::EventList;
use crate::{Model, Particles};
use glam::DVec3;
use tumble_geometry::lanes::prefetch;

/// The ball around a grain in flight, in the frame that falls: all that a meeting of balls depends on, in one line of the cache.
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

/// What of a grain only collisions ask for.
#[derive(Clone, Copy, Debug)]
pub struct Bulk {
    /// Angular velocity [rad/s], of balls.
    pub spin: DVec3,
    /// One over the mass [1/kg].
    pub per_mass: f64,
    /// One over the moment of inertia of a ball [1/(kg m^2)].
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
pub const LOOKS_AROUND: u32 = u32::MAX;
/// That of one that has to look ahead anew, among the same neighbours.
pub const LOOKS_AGAIN: u32 = u32::MAX - 1;
/// Collisions of a ball that come within this fraction of a step after each other are at once, and more of them than this in a
/// row are a collapse: elastic ones are over after a few.
const AT_ONCE: f64 = 1e-13;
const LONGEST_STREAK: u16 = 200;
/// So many grains do not fit the cache: what is needed is asked for ahead of use.
const MANY: usize = 16_384;
/// Walls are partners from here on.
const FIRST_WALL: u32 = 1 << 31;

/// What balls meet beside each other. In the frame of the laboratory; times are from the beginning of the step.
pub trait Walls {
    /// Which wall a ball meets first from now on, and when; nothing at or after `until` is asked for.
    fn next(&self, ball: &Flier, until: f64) -> NextWall;

    /// Where a wall is met that has to be met now: unit normal into it and velocity of its surface there.
    fn meet(&self, wall: u32, ball: &Flier) -> (DVec3, DVec3);

    /// Adds the unit normals into all walls within a distance of a ball [m].
    fn near(&self, ball: &Flier, within: f64, normals: &mut Vec<DVec3>);

    /// The same as [`Walls::next`] for a body that is no ball, inside the ball around it.
    fn next_of_body(&self, ball: &Flier, body: &Turning, until: f64) -> NextWall;

    /// The same as [`Walls::meet`]: normal, velocity of the wall, and where.
    fn meet_body(&self, wall: u32, ball: &Flier, body: &Turning) -> Option<(DVec3, DVec3, DVec3)>;
}

/// Whom each ball can meet before it has moved too far.
pub trait Neighbourhood {
    /// Calls with everyone whom a ball can meet.
    fn each(&self, ball: u32, call: impl FnMut(u32));

    /// For how long that is all whom a ball can meet that is at a position now and flies at a velocity [s].
    fn lasts(&self, ball: u32, position: DVec3, velocity: DVec3) -> f64;

    /// Whom a ball can meet, where that is written down.
    fn listed(&self, _ball: u32) -> &[u32] {
        &[]
    }

    /// Asks for the memory in which that is written down.
    fn ask_for(&self, _ball: u32) {}

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
    /// The grain, and its partner.
    pub grain: u32,
    pub partner: Partner,
    /// Unit normal from the grain to its partner.
    pub normal: DVec3,
    /// Where, in the frame of the laboratory [m].
    pub place: DVec3,
    /// What it did.
    pub collision: Collision,
    /// Whether the rule against inelastic collapse took part.
    pub kept_from_collapse: bool,
}

/// Two grains at the moment of their event, seen from the first, so that it does not matter through which image they meet.
pub struct Pair {
    pub grains: [u32; 2],
    pub fliers: [Flier; 2],
    pub bulk: [Bulk; 2],
    /// From the first to the second [m].
    pub apart: DVec3,
    /// Velocity of the second as the first sees it [m/s].
    pub relative: DVec3,
    /// When [s].
    pub now: f64,
}

/// How a grain met another one or a wall.
pub struct Meeting {
    /// Unit normal from the grain to its partner.
    pub normal: DVec3,
    /// From the centre of the grain to where they met [m].
    pub arm: DVec3,
    pub collision: Collision,
    /// Whether the rule against inelastic collapse took part.
    pub kept_from_collapse: bool,
}

/// The grains in flight, as far as others can tell whom they can meet.
pub struct Sky<'a, N> {
    pub fliers: &'a [Flier],
    pub space: &'a Space,
    pub near: &'a N,
}

/// The shapes of the grains.
pub trait Bodies {
    /// Whether they know how grains are turned.
    const TURN: bool;

    /// Turns a grain on for a time [s].
    fn turn(&mut self, grain: u32, time: f64);

    /// Whom a grain meets first, and when from now, if it is sooner than something else. Its own clock shows the present.
    fn first<N: Neighbourhood>(&mut self, sky: &Sky<N>, grain: u32, now: f64, soonest: f64) -> (f64, u32);

    /// Which wall a grain meets first, as [`Walls::next`] tells it, seen from the laboratory.
    fn next_wall<W: Walls>(&self, walls: &W, grain: u32, flier: &Flier, until: f64) -> NextWall;

    /// Lets two grains collide; `None` if they do not approach.
    fn collide<W>(&mut self, laws: &Laws<W>, pair: &Pair) -> Option<Meeting>;

    /// Lets a grain collide with a wall, seen from the laboratory, and tells the velocity of the wall there.
    fn collide_with_wall<W: Walls>(
        &mut self,
        laws: &Laws<W>,
        grain: u32,
        flier: &Flier,
        bulk: &Bulk,
        wall: u32,
    ) -> Option<(Meeting, DVec3)>;

    /// Gives a grain that has come to the end of a step back how it is turned and spins; the spin of a ball is known.
    fn land(&self, model: &Model, particles: &mut Particles, grain: usize, spin: DVec3);

    /// Who of them sleeps, if any may.
    #[inline]
    fn sleepers(&self) -> Option<&Sleepers> {
        None
    }

    /// The same, to be changed.
    #[inline]
    fn sleepers_mut(&mut self) -> Option<&mut Sleepers> {
        None
    }

    /// Two grains whose contact could not be found, and to what.
    fn lost(&self) -> Option<Lost> {
        None
    }
}

/// Two grains whose contact could not be found, and the bound on what is missing [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lost {
    pub grains: [u32; 2],
    pub bound: f64,
}

/// Whom a grain collided with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Partner {
    /// A grain, and the way from it [m].
    Grain(u32, DVec3),
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

/// Why a flight cannot go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stopped {
    /// Collisions came so fast that time stood still.
    Collapsed {
        /// When, from the beginning of the step [s].
        time: f64,
        /// One of those who collided last.
        grain: u32,
    },
    /// A contact could not be found.
    Lost(Lost),
}

/// How many events of which kind there were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub n_stale: u64,
    pub n_renewed: u64,
    /// Kinetic energy that balls gained from images that slide: where they took on the velocity of another, and where they met [J].
    pub slide_gain: f64,
}

/// Grains in flight over one step.
pub struct Flock<Q, N, B> {
    pub fliers: Vec<Flier>,
    pub bulk: Vec<Bulk>,
    pub bodies: B,
    pub space: Space,
    pub tally: Tally,
    coming: Vec<Coming>,
    near: N,
    queue: Q,
    end: f64,
}

impl<Q: EventList, N: Neighbourhood, B: Bodies> Flock<Q, N, B> {
    /// Grains at the beginning of a step that lasts for a time, all clocks at zero and all inside the periodic cell.
    pub fn new<W: Walls>(
        space: Space,
        (fliers, bulk, bodies): (Vec<Flier>, Vec<Bulk>, B),
        near: N,
        end: f64,
        laws: &Laws<W>,
    ) -> Flock<Q, N, B> {
        let n = fliers.len();
        let mut flock = Flock {
            near,
            queue: Q::with_entrants(n),
            coming: vec![Coming { partner: LOOKS_AROUND, partner_count: 0, count: 0 }; n],
            fliers,
            bulk,
            bodies,
            space,
            tally: Tally::default(),
            end,
        };
        flock.wake_unsupported(laws);
        for grain in 0..n as u32 {
            flock.look_ahead(grain, 0.0, laws);
        }
        flock
    }

    /// Lets everything happen up to the end, and brings all grains there, still in the frame that falls.
    pub fn fly<W: Walls>(&mut self, laws: &Laws<W>, mut told: impl FnMut(&Happened)) -> Result<(), Stopped> {
        // Events during which time must pass, however little.
        let most = 1000 * (self.fliers.len() as u64 + 10);
        let (mut events, mut judged_at) = (0, 0.0);
        let are_many = self.fliers.len() >= MANY;
        while let Some((now, grain)) = self.queue.pop() {
            events += 1;
            if events == most {
                if now - judged_at < 1e-6 * self.end {
                    return Err(Stopped::Collapsed { time: now, grain });
                }
                (events, judged_at) = (0, now);
            }
            if let Some(lost) = self.bodies.lost() {
                return Err(Stopped::Lost(lost));
            }
            if are_many {
                self.ask_ahead(grain);
            }
            let Coming { partner, partner_count, .. } = self.coming[grain as usize];
            self.bring_to(grain, now);
            if partner == LOOKS_AROUND {
                self.tally.n_renewed += 1;
                self.renew(grain);
            }
            if partner >= LOOKS_AGAIN {
                self.look_ahead(grain, now, laws);
                continue;
            }
            let happened = if partner >= FIRST_WALL {
                self.collide_with_wall(grain, partner - FIRST_WALL, now, laws)
            } else if self.coming[partner as usize].count == partner_count {
                self.bring_to(partner, now);
                self.collide(grain, partner, now, laws)
            } else {
                self.tally.n_stale += 1;
                None
            };
            if let Some(happened) = &happened {
                told(happened);
                self.coming[grain as usize].count += 1;
                if self.bulk[grain as usize].streak > LONGEST_STREAK {
                    return Err(Stopped::Collapsed { time: now, grain });
                }
                if let Partner::Grain(other, _) = happened.partner {
                    self.coming[other as usize].count += 1;
                    self.look_ahead(grain, now, laws);
                    self.look_ahead(other, now, laws);
                    continue;
                }
            }
            self.look_ahead(grain, now, laws);
        }
        if let Some(lost) = self.bodies.lost() {
            return Err(Stopped::Lost(lost));
        }
        for grain in 0..self.fliers.len() as u32 {
            self.bring_to(grain, self.end);
        }
        Ok(())
    }

    /// Asks for what events to come will read, and for the neighbours of whom the present one is a collision with.
    #[inline]
    fn ask_ahead(&self, grain: u32) {
        let partner = self.coming[grain as usize].partner;
        if partner < FIRST_WALL {
            self.near.listed(partner).iter().for_each(|&other| prefetch(&self.fliers[other as usize]));
        }
        let mut is_next = true;
        self.queue.upcoming(|upcoming| {
            self.ask_for(upcoming);
            if std::mem::take(&mut is_next) {
                let partner = self.coming[upcoming as usize].partner;
                if partner < FIRST_WALL {
                    self.ask_for(partner);
                }
                for &other in self.near.listed(upcoming) {
                    prefetch(&self.fliers[other as usize]);
                    if partner == LOOKS_AROUND {
                        self.near.ask_for(other);
                    }
                }
            }
        });
    }

    #[inline]
    fn ask_for(&self, grain: u32) {
        prefetch(&self.fliers[grain as usize]);
        prefetch(&self.coming[grain as usize]);
        prefetch(&self.bulk[grain as usize]);
        self.near.ask_for(grain);
    }

    #[inline]
    fn bring_to(&mut self, grain: u32, now: f64) {
        let flier = &mut self.fliers[grain as usize];
        if let Some(sleepers) = self.bodies.sleepers()
            && sleepers.bring_to(grain, flier, now)
        {
            return;
        }
        self.bodies.turn(grain, now - flier.time);
        flier.bring_to(now);
    }

    /// Finds the next event of a grain whose clock shows the present.
    #[inline]
    fn look_ahead<W: Walls>(&mut self, grain: u32, now: f64, laws: &Laws<W>) {
        let own = self.fliers[grain as usize];
        let lasts = match self.bodies.sleepers() {
            Some(sleepers) => sleepers.lasts(&self.near, grain, &own),
            None => self.near.lasts(grain, own.position, own.velocity),
        };
        let sky = Sky { fliers: &self.fliers, space: &self.space, near: &self.near };
        let (soonest, mut partner) = self.bodies.first(&sky, grain, now, lasts);
        let mut when = now + soonest;
        match self.bodies.next_wall(&laws.walls, grain, &in_laboratory(&own, laws.gravity), when.min(self.end)) {
            NextWall::Nothing => {}
            NextWall::Meets(time, wall) => (when, partner) = (time, FIRST_WALL + wall),
            NextWall::LookAgain(time) => (when, partner) = (time, LOOKS_AGAIN),
        }
        let coming = &mut self.coming[grain as usize];
        coming.partner = partner;
        if partner < FIRST_WALL {
            let count = self.coming[partner as usize].count;
            self.coming[grain as usize].partner_count = count;
        }
        self.queue.set(grain, if when <= self.end { when } else { NEVER });
    }

    /// Lets a grain look around anew.
    fn renew(&mut self, grain: u32) {
        let flier = &mut self.fliers[grain as usize];
        let bulk = &mut self.bulk[grain as usize];
        if let Some(sleepers) = self.bodies.sleepers_mut()
            && sleepers.renew(&mut self.near, &self.space, grain, flier, &mut bulk.image)
        {
            return;
        }
        let before = flier.velocity.x;
        self.near.renew(grain, flier, &mut bulk.image);
        if flier.velocity.x != before {
            self.tally.slide_gain += 0.5 / bulk.per_mass * (flier.velocity.x - before) * (flier.velocity.x + before);
        }
    }

    fn collide<W: Walls>(&mut self, grain: u32, other: u32, now: f64, laws: &Laws<W>) -> Option<Happened> {
        if let Some(asleep) = self.bodies.sleepers().and_then(|sleepers| sleepers.one_of(grain, other)) {
            return self.collide_with_sleeper(grain, other, asleep, now, laws);
        }
        self.collide_in_flight(grain, other, now, laws)
    }

    fn collide_in_flight<W>(&mut self, grain: u32, other: u32, now: f64, laws: &Laws<W>) -> Option<Happened> {
        let fliers = [self.fliers[grain as usize], self.fliers[other as usize]];
        let bulk = [self.bulk[grain as usize], self.bulk[other as usize]];
        let [a, b] = fliers;
        let (apart, own) = (b.position - a.position, b.velocity - a.velocity);
        let (apart, relative, _) = self.space.nearest_sliding(apart, own, now);
        let pair = Pair { grains: [grain, other], fliers, bulk, apart, relative, now };
        let Meeting { normal, arm, collision, kept_from_collapse } = self.bodies.collide(laws, &pair)?;
        let impulse = collision.impulse.on_a;
        self.fliers[grain as usize].velocity += impulse * bulk[0].per_mass;
        self.fliers[other as usize].velocity -= impulse * bulk[1].per_mass;
        self.tally.slide_gain += impulse.dot(relative - own);
        for (grain, moving) in [grain, other].into_iter().zip(collision.after) {
            self.bulk[grain as usize].has_collided(now, moving.angular_velocity, self.end);
        }
        let place = in_laboratory(&a, laws.gravity).position + arm;
        let partner = Partner::Grain(other, -apart);
        Some(Happened { time: now, grain, partner, normal, place, collision, kept_from_collapse })
    }

    fn collide_with_wall<W: Walls>(&mut self, grain: u32, wall: u32, now: f64, laws: &Laws<W>) -> Option<Happened> {
        let flier = in_laboratory(&self.fliers[grain as usize], laws.gravity);
        let bulk = self.bulk[grain as usize];
        if let Some(sleepers) = self.bodies.sleepers() {
            let (normal, velocity) = laws.walls.meet(wall, &flier);
            if flier.velocity.dot(normal) < sleepers.speed() {
                let rule = laws.rule(bulk.material, laws.wall_materials[wall as usize]);
                let (collision, kept_from_collapse) = self.meet_what_rests(grain, normal, rule, now, laws)?;
                let (partner, place) = (Partner::Wall(wall, velocity), flier.position + normal * flier.radius);
                return Some(Happened { time: now, grain, partner, normal, place, collision, kept_from_collapse });
            }
        }
        let (met, velocity) = self.bodies.collide_with_wall(laws, grain, &flier, &bulk, wall)?;
        let Meeting { normal, arm, collision, kept_from_collapse } = met;
        self.fliers[grain as usize].velocity += collision.impulse.on_a * bulk.per_mass;
        self.bulk[grain as usize].has_collided(now, collision.after[0].angular_velocity, self.end);
        let partner = Partner::Wall(wall, velocity);
        let place = flier.position + arm;
        Some(Happened { time: now, grain, partner, normal, place, collision, kept_from_collapse })
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
    /// The rule of two materials.
    #[inline]
    pub fn rule(&self, a: u16, b: u16) -> &CollisionRule {
        &self.rules[a as usize * self.n_materials + b as usize]
    }

    /// How fast what lies on a wall without moving, pressed against it by its weight, is made to part from it by the rule against
    /// collapse [m/s]: so that it hops for as long as the contact time, or a tenth as fast as what is slow. `None` if there is no rule,
    /// or it is not pressed.
    pub fn hop(&self, normal: DVec3) -> Option<f64> {
        let pressed = self.gravity.dot(normal);
        let speed = match self.against_collapse {
            AgainstCollapse::Within(time) => 0.5 * time * pressed,
            AgainstCollapse::Slower(speed) => 0.1 * speed,
            AgainstCollapse::Nothing => return None,
        };
        (pressed > 0.0).then_some(speed)
    }

    /// The rule of a collision some time after the last one of either, and whether it is another than that of the materials.
    #[inline]
    pub fn against_collapse(&self, own: &CollisionRule, since: f64, approach: f64) -> (CollisionRule, bool) {
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

/// A ball as it is seen from the ground.
#[inline]
fn in_laboratory(ball: &Flier, gravity: DVec3) -> Flier {
    let time = ball.time;
    Flier { position: ball.position + gravity * (0.5 * time * time), velocity: ball.velocity + gravity * time, ..*ball }
}
