//! Bodies of any shape in flight, each inside the ball around it: from where these balls touch on, conservative advancement on the
//! distance of the bodies tells when they meet, and free rotation is that of a rigid body, to rounding.
//!
//! Bodies closer than [`WITHIN`] of their size are at contact, and the search ends before they overlap. So several collisions in
//! one instant, as of faces that come down flat, follow each other at once, each at the point that is then the nearest.

use super::balls::{Balls, collide_ball_with_wall, sooner};
use super::flock::{
    Bodies, Bulk, Flier, LOOKS_AGAIN, LOOKS_AROUND, Laws, Lost, Meeting, Neighbourhood, NextWall, Pair, Sky, Walls,
};
use super::free_way::FreeWay;
use crate::hard::collision_rule::{CollidingBody, Collision, CollisionRule, Impulse, Moving, collide};
use crate::hard::sizes::SizedShapes;
use crate::integrator::rotation::Moments;
use crate::{Model, Particles};
use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::impact::{Impact, impact};
use tumble_geometry::narrow::contact_from;
use tumble_geometry::{Contact, Pose, Shape};

/// Bodies closer than this, relative to the radius of the ball around the smaller one, are at contact [1].
pub(super) const WITHIN: f64 = 1e-8;
/// Distances up to this many times as large are taken for rounding of the place where an event was foreseen.
const ABOUT: f64 = 4.0;

/// How a body is turned, by the clock of the grain.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub orientation: DQuat,
    /// In the world frame [kg m^2/s].
    pub angular_momentum: DVec3,
    pub moments: Moments,
    /// Whether spin about its own axis, along z of the body, changes nothing that can be seen.
    pub is_revolved: bool,
}

impl Turn {
    fn of(model: &Model, particles: &Particles, grain: usize, shape: &Shape) -> Turn {
        let (species, scale, inertia) = (particles.species[grain], particles.scale[grain], particles.inertia[grain]);
        let moments = if model.planar {
            Moments::Isotropic(model.moments(species, scale).about_axes().z)
        } else if inertia > 0.0 {
            Moments::Isotropic(inertia)
        } else {
            model.moments(species, scale)
        };
        Turn {
            orientation: particles.orientation[grain],
            angular_momentum: if inertia > 0.0 {
                particles.angular_velocity[grain] * inertia
            } else {
                particles.angular_momentum[grain]
            },
            moments,
            is_revolved: matches!(
                shape,
                Shape::Sphere(_)
                    | Shape::Disc(_)
                    | Shape::Cylinder(_)
                    | Shape::Capsule(_)
                    | Shape::TruncatedCone(_)
                    | Shape::Tablet(_)
            ),
        }
    }

    /// Angular velocity [rad/s].
    pub fn spin(&self) -> DVec3 {
        self.moments.angular_velocity(self.orientation, self.angular_momentum)
    }

    /// Inverse of the inertia tensor in the world frame [1/(kg m^2)]; of the plane only what turns in it.
    fn per_inertia(&self, planar: bool) -> DMat3 {
        let moments = self.moments.about_axes();
        if planar {
            return DMat3::from_diagonal(DVec3::Z / moments.z);
        }
        let turn = DMat3::from_quat(self.orientation);
        turn * DMat3::from_diagonal(moments.recip()) * turn.transpose()
    }
}

/// A body that turns, as walls see it.
pub struct Turning<'a> {
    pub shape: &'a Shape,
    pub turn: &'a Turn,
}

/// Two balls around bodies, from when on and until when they overlap.
#[derive(Clone, Copy, Debug)]
struct Window {
    opens: f64,
    closes: f64,
    other: u32,
    /// Where the other is when it opens, and how fast it goes [m, m/s].
    apart: DVec3,
    relative: DVec3,
}

/// Grains of any shape.
pub struct Shaped<'a> {
    shapes: &'a SizedShapes,
    planar: bool,
    turns: Vec<Turn>,
    /// Along which normal each grain is to meet the other one of its event.
    foreseen: Vec<DVec3>,
    lost: Option<Lost>,
    windows: Vec<Window>,
}

impl<'a> Shaped<'a> {
    /// The grains of a state at the beginning of a step.
    pub fn new(model: &Model, particles: &Particles, shapes: &'a SizedShapes) -> Shaped<'a> {
        let n = particles.len();
        Shaped {
            shapes,
            planar: model.planar,
            turns: (0..n).map(|i| Turn::of(model, particles, i, &shapes.get(i).shape)).collect(),
            foreseen: vec![DVec3::X; n],
            lost: None,
            windows: Vec::new(),
        }
    }

    /// A grain as it flies on from a moment of its own clock, at a place and a velocity.
    fn way(&self, grain: u32, after: f64, position: DVec3, velocity: DVec3) -> FreeWay {
        FreeWay::new(position, velocity, DVec3::ZERO, &self.turns[grain as usize], after)
    }

    /// What counts as contact of two grains [m].
    fn within(a: &Flier, b: &Flier) -> f64 {
        WITHIN * a.radius.min(b.radius)
    }

    /// Turns a grain by an impulse at an arm.
    fn push(&mut self, grain: u32, arm: DVec3, impulse: DVec3) {
        let mut twist = arm.cross(impulse);
        if self.planar {
            twist *= DVec3::Z;
        }
        self.turns[grain as usize].angular_momentum += twist;
    }

    fn body(&self, grain: u32, bulk: &Bulk, velocity: DVec3, arm: DVec3) -> CollidingBody {
        let turn = &self.turns[grain as usize];
        CollidingBody {
            velocity,
            angular_velocity: turn.spin(),
            per_mass: bulk.per_mass,
            per_inertia: turn.per_inertia(self.planar),
            arm,
        }
    }

    /// How two grains touch, seen from the centre of the first, looked for from a normal; `None` if they are not at contact.
    fn touch(&mut self, pair: &Pair, guess: Option<DVec3>) -> Option<Contact> {
        let [a, b] = pair.grains.map(|grain| grain as usize);
        let poses =
            [Pose::new(DVec3::ZERO, self.turns[a].orientation), Pose::new(pair.apart, self.turns[b].orientation)];
        let local = guess.map(|normal| poses[0].inverse_transform_vector(normal));
        let (shape_a, shape_b) = (&self.shapes.get(a).shape, &self.shapes.get(b).shape);
        match contact_from(shape_a, shape_b, &poses[0].relative(&poses[1]), local) {
            Ok(found) => {
                let within = ABOUT * Self::within(&pair.fliers[0], &pair.fliers[1]);
                (found.separation <= within).then(|| Contact {
                    normal: poses[0].transform_vector(found.normal),
                    separation: found.separation,
                    point_a: poses[0].transform_point(found.point_a),
                    point_b: poses[0].transform_point(found.point_b),
                })
            }
            Err(unsettled) => {
                self.lost = Some(Lost { grains: pair.grains, bound: unsettled.bound });
                None
            }
        }
    }

    /// Looks through a window for the moment at which two grains meet, if it is sooner than something else.
    fn look_through(
        &mut self,
        window: &Window,
        grain: u32,
        now: f64,
        sky: &[Flier],
        soonest: f64,
    ) -> Option<(f64, u32)> {
        let Window { opens, closes, other, apart, relative } = *window;
        let (own, flier) = (&sky[grain as usize], &sky[other as usize]);
        let end = closes.min(soonest) - opens;
        let ways = [
            self.way(grain, opens, DVec3::ZERO, DVec3::ZERO),
            self.way(other, now - flier.time + opens, apart, relative),
        ];
        let (shape_a, shape_b) = (&self.shapes.get(grain as usize).shape, &self.shapes.get(other as usize).shape);
        match impact(shape_a, &ways[0], shape_b, &ways[1], end, Self::within(own, flier)) {
            Ok(Impact::At { parameter, contact }) => {
                self.foreseen[grain as usize] = contact.normal;
                Some((opens + parameter, other))
            }
            Ok(Impact::NotBefore(parameter)) => (parameter < end).then_some((opens + parameter, LOOKS_AGAIN)),
            Err(unsettled) => {
                self.lost = Some(Lost { grains: [grain, other], bound: unsettled.bound });
                None
            }
        }
    }
}

impl Bodies for Shaped<'_> {
    const TURN: bool = true;

    fn turn(&mut self, grain: u32, time: f64) {
        let turn = &mut self.turns[grain as usize];
        turn.orientation = turn.moments.fly(turn.orientation, turn.angular_momentum, time);
    }

    fn first<N: Neighbourhood>(&mut self, sky: &Sky<N>, grain: u32, now: f64, mut soonest: f64) -> (f64, u32) {
        let own = sky.fliers[grain as usize];
        let is_round = self.shapes.get(grain as usize).is_round;
        let mut partner = LOOKS_AROUND;
        let mut windows = std::mem::take(&mut self.windows);
        windows.clear();
        sky.near.each(grain, |other| {
            let flier = &sky.fliers[other as usize];
            let apart = flier.position + flier.velocity * (now - flier.time) - own.position;
            let relative = flier.velocity - own.velocity;
            let reach = own.radius + flier.radius;
            let are_round = is_round && self.shapes.get(other as usize).is_round;
            let mut meet = |apart: DVec3, relative: DVec3| {
                if are_round {
                    if let Some(time) = sooner(apart, relative, reach * reach, soonest)
                        && (time < soonest || other < partner)
                    {
                        (soonest, partner) = (time, other);
                    }
                } else if let Some((opens, closes)) = overlap_of_balls(apart, relative, reach) {
                    windows.push(Window { opens, closes, other, apart: apart + relative * opens, relative });
                }
            };
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
        // What may meet first is looked at first: it spares most of the others.
        windows.sort_unstable_by(|a, b| a.opens.total_cmp(&b.opens).then(a.other.cmp(&b.other)));
        for window in &windows {
            if window.opens > soonest {
                break;
            }
            if let Some((time, other)) = self.look_through(window, grain, now, sky.fliers, soonest)
                && time < soonest
            {
                (soonest, partner) = (time, other);
            }
        }
        self.windows = windows;
        (soonest, partner)
    }

    fn next_wall<W: Walls>(&self, walls: &W, grain: u32, flier: &Flier, until: f64) -> NextWall {
        let sized = self.shapes.get(grain as usize);
        if sized.is_round {
            return walls.next(flier, until);
        }
        walls.next_of_body(flier, &Turning { shape: &sized.shape, turn: &self.turns[grain as usize] }, until)
    }

    fn collide<W>(&mut self, laws: &Laws<W>, pair: &Pair) -> Option<Meeting> {
        let [a, b] = pair.grains;
        if pair.grains.iter().all(|&grain| self.shapes.get(grain as usize).is_round) {
            let met = Balls.collide(laws, pair)?;
            let impulse = met.collision.impulse.on_a;
            self.push(a, met.arm, impulse);
            self.push(b, met.arm - pair.apart, -impulse);
            return Some(met);
        }
        let foreseen = self.foreseen[a as usize];
        for guess in [Some(foreseen), None] {
            let contact = self.touch(pair, guess)?;
            let arm = 0.5 * (contact.point_a + contact.point_b);
            let of_a = self.body(a, &pair.bulk[0], DVec3::ZERO, arm);
            let of_b = self.body(b, &pair.bulk[1], pair.relative, arm - pair.apart);
            let approach = (of_a.surface_velocity() - of_b.surface_velocity()).dot(contact.normal);
            let last = pair.bulk[0].last_collision.max(pair.bulk[1].last_collision);
            let own = laws.rule(pair.bulk[0].material, pair.bulk[1].material);
            let (rule, kept_from_collapse) = laws.against_collapse(own, pair.now - last, approach);
            if let Some(collision) = collide(&rule, contact.normal, &of_a, &of_b) {
                let impulse = collision.impulse.on_a;
                self.push(a, of_a.arm, impulse);
                self.push(b, of_b.arm, -impulse);
                return Some(Meeting { normal: contact.normal, arm, collision, kept_from_collapse });
            }
        }
        None
    }

    fn collide_with_wall<W: Walls>(
        &mut self,
        laws: &Laws<W>,
        grain: u32,
        flier: &Flier,
        bulk: &Bulk,
        wall: u32,
    ) -> Option<(Meeting, DVec3)> {
        let sized = self.shapes.get(grain as usize);
        if sized.is_round {
            let (met, velocity) = collide_ball_with_wall(laws, flier, bulk, wall)?;
            self.push(grain, met.arm, met.collision.impulse.on_a);
            return Some((met, velocity));
        }
        let turning = Turning { shape: &sized.shape, turn: &self.turns[grain as usize] };
        let (normal, velocity, place) = laws.walls.meet_body(wall, flier, &turning)?;
        let arm = place - flier.position;
        let (body, still) = (self.body(grain, bulk, flier.velocity, arm), CollidingBody::wall(velocity));
        let approach = (body.surface_velocity() - velocity).dot(normal);
        let own = laws.rule(bulk.material, laws.wall_materials[wall as usize]);
        let (rule, mut kept_from_collapse) = laws.against_collapse(own, flier.time - bulk.last_collision, approach);
        let mut collision = collide(&rule, normal, &body, &still)?;
        // It lies there.
        if rule == CollisionRule::SMOOTH_ELASTIC
            && let Some(speed) = laws.hop(normal)
            && approach < speed
        {
            (collision, kept_from_collapse) = (hop(speed, normal, approach, &body, velocity), true);
        }
        self.push(grain, arm, collision.impulse.on_a);
        Some((Meeting { normal, arm, collision, kept_from_collapse }, velocity))
    }

    fn land(&self, _: &Model, particles: &mut Particles, grain: usize, _: DVec3) {
        let turn = &self.turns[grain];
        particles.orientation[grain] = turn.orientation;
        particles.angular_velocity[grain] = turn.spin();
        if particles.inertia[grain] == 0.0 {
            particles.angular_momentum[grain] = turn.angular_momentum;
        }
    }

    fn lost(&self) -> Option<Lost> {
        self.lost
    }
}

/// What lies on a wall is made to part from it at a speed.
fn hop(speed: f64, normal: DVec3, approach: f64, body: &CollidingBody, wall_velocity: DVec3) -> Collision {
    let answer = body.answer(normal).dot(normal);
    let on_a = normal * (-(speed + approach) / answer);
    let impulse = Impulse {
        on_a,
        approach,
        normal_loss: -0.5 * (speed * speed - approach * approach) / answer,
        tangential_loss: 0.0,
        slides: false,
    };
    Collision { after: [body.after(on_a), Moving { velocity: wall_velocity, angular_velocity: DVec3::ZERO }], impulse }
}

/// From when on and until when two balls overlap, from now on; `None` if they never do.
fn overlap_of_balls(apart: DVec3, relative: DVec3, reach: f64) -> Option<(f64, f64)> {
    let (closing, square) = (apart.dot(relative), relative.length_squared());
    let gap = apart.length_squared() - reach * reach;
    let discriminant = closing * closing - square * gap;
    if gap > 0.0 && (closing >= 0.0 || discriminant <= 0.0) {
        return None;
    }
    let root = discriminant.max(0.0).sqrt();
    let opens = if gap > 0.0 { gap / (root - closing) } else { 0.0 };
    // They part at rest, or as far from where they are nearest as they met.
    let closes = if square > 0.0 { ((root - closing) / square).max(opens) } else { f64::INFINITY };
    Some((opens, closes))
}
