//! Spheres under a depth law: which pairs touch, and what they and spheres at walls do, four contacts at a time.

use super::bodies::Body;
use super::found::Found;
use super::respond::{Answered, Answers, Chunk, FETCHED_AHEAD, Four, Law, Parties, Place, Touch, ending};
use super::{Block, Context};
use crate::law::{Coefficients, Kinematics, Losses, Memory, evaluate};
use crate::state::{ContactHistory, ContactKey, ContactMemory, Groups, room_for};
use glam::DVec3;
use tumble_geometry::lanes::{Lanes, Vector, head, prefetch, row, tail};

/// Finds which of the near pairs that were apart touch now, and begins their contacts.
#[inline(always)]
pub(super) fn find<L: Lanes>(
    context: &Context,
    block: &mut Block,
    history: &mut ContactHistory,
    first: usize,
    begun: &mut Vec<u32>,
) {
    begun.clear();
    let near = &block.near_balls[..];
    let mut place = 0;
    while place < near.len() {
        if context.fetches_ahead
            && let Some(ahead) = near[place..].get(FETCHED_AHEAD..FETCHED_AHEAD + 4)
        {
            ahead.iter().for_each(|touch| prefetch(&context.bodies[touch.b as usize].place));
        }
        // The last ones are looked at together with some that were looked at before.
        let at = |k: usize| &near[(place + k).min(near.len() - 1)];
        let (position_a, radius_a) = L::gather_rows(|k| context.bodies[first + at(k).a as usize].place);
        let (position_b, radius_b) = L::gather_rows(|k| context.bodies[at(k).b as usize].place);
        let touches = L::bits(touch(position_a, radius_a, position_b, radius_b, context.table.range));
        if touches != 0 {
            begun.extend((0..L::N as u32).filter(|k| touches & (1 << k) != 0).map(|k| place as u32 + k));
        }
        place += L::N;
    }
    if !begun.is_empty() {
        begin(context, block, history, first, begun);
    }
}

/// Whether two spheres touch. One whose position is not a number touches nothing; the health check reports it.
#[inline(always)]
fn touch<L: Lanes>(position_a: Vector<L>, radius_a: L, position_b: Vector<L>, radius_b: L, range: f64) -> L::Mask {
    let (offset, reach) = (position_b - position_a, radius_a + radius_b + L::splat(range));
    (reach * reach).greater(offset.dot(offset))
}

/// Begins contacts, in the order of the candidates, so that it does not matter in which order the near pairs stand.
#[cold]
#[inline(never)]
fn begin(context: &Context, block: &mut Block, history: &mut ContactHistory, first: usize, begun: &mut Vec<u32>) {
    begun.retain(|&place| (place as usize) < block.near_balls.len());
    let mut touches: Vec<Touch> =
        begun.iter().rev().map(|&place| block.near_balls.swap_remove(place as usize)).collect();
    touches.sort_unstable_by_key(|touch| touch.near);
    // Many begin when a run does, few afterwards.
    if touches.len() > history.len() {
        history.reserve(touches.len());
        block.near_balls.shrink_to(room_for(block.near_balls.len()));
    }
    block.balls.reserve_exact(room_for(block.balls.len() + touches.len()) - block.balls.len());
    for touch in touches {
        let (a, b) = (context.ids[first + touch.a as usize], context.ids[touch.b as usize]);
        history.push(ContactKey { a, b, ..ContactKey::default() }, &ContactMemory::default());
        block.balls.push(touch);
    }
}

/// Takes out contacts of pairs that no longer touch, which have been booked.
pub(super) fn remove(block: &mut Block, history: &mut ContactHistory) {
    block.answers.n_contacts -= block.answers.ended.len();
    for contact in std::mem::take(&mut block.answers.ended).into_iter().rev() {
        history.swap_remove(contact as usize);
        block.near_balls.push(block.balls.swap_remove(contact as usize));
    }
}

/// Books what is left in a contact of two spheres that ended.
pub(super) fn end(context: &Context, [a, b]: [&Body; 2], memory: &ContactMemory, losses: &mut Losses<f64>) {
    // Where two spheres are in contact follows from their centres.
    let normal = (b.position() - a.position()).normalize_or_zero();
    let memory = ContactMemory { normal, arm: normal * a.radius(), ..*memory };
    let effective = a.radius() / (1.0 + a.radius() / b.radius());
    ending(context.table, [a, b], effective, &memory, DVec3::ZERO, context.dt, losses);
}

/// Two spheres that touch, or four such pairs.
#[inline(always)]
pub(super) fn place_of_pair<L: Lanes>(a: &Parties<L>, b: &Parties<L>) -> Place<L> {
    let offset = b.position - a.position;
    // Coincident centres have no normal: the pair then exerts no force and is reported as too deep.
    let distance_squared = offset.dot(offset).max(L::splat(f64::MIN_POSITIVE));
    let distance = distance_squared.sqrt();
    let reach = a.radius + b.radius;
    // Rounding can make the overlap of a touching pair zero, and then its stiffness too.
    let depth = (reach - distance).max(reach * L::splat(f64::EPSILON));
    // The quotient does not wait for the root.
    let normal = offset * (distance * (L::splat(1.0) / distance_squared));
    Place { normal, depth, arm: normal * (a.radius - L::splat(0.5) * depth) }
}

/// A sphere at a wall, or four of them: the point is in the middle of the overlap.
#[inline(always)]
fn place_at_wall<'f, L: Lanes>(found: impl Fn(usize) -> &'f Found, a: &Parties<L>) -> Place<L> {
    let (normal, separation) = L::gather_rows(|k| found(k).normal);
    let depth = -separation;
    Place { normal, depth, arm: normal * (a.radius - L::splat(0.5) * depth) }
}

/// What the law needs to know of contacts of spheres.
#[inline(always)]
pub(super) fn kinematics<L: Lanes>(
    a: &Parties<L>,
    b: &Parties<L>,
    place: &Place<L>,
    arm_b: Vector<L>,
) -> Kinematics<L> {
    let one = L::splat(1.0);
    Kinematics {
        normal: place.normal,
        overlap: place.depth,
        relative_velocity: a.velocity - b.velocity + a.spin.cross(place.arm) - b.spin.cross(arm_b),
        relative_spin: a.spin - b.spin,
        mean_twist: L::splat(0.5) * (a.spin + b.spin).dot(place.normal),
        effective_mass: one / (a.inverse_mass + b.inverse_mass),
        // Of a wall the radius is infinite.
        effective_radius: a.radius / (one + a.radius / b.radius),
    }
}

/// Two bodies that move by less than this part of their radius in a step have their contact where it was, as the books see it [1].
/// They are in error by as much of the work that is done there, which is next to none; and in a bed at rest this spares most
/// contacts the trouble.
const UNSEEN_MOTION: f64 = 1e-4;

/// What the law books too little as lost over the first half of a step, because the old forces acted at the old contact point
/// and it takes the new one. Going back by one step, with V the velocity of a's centre relative to b's, the normal n was
/// n + V_t dt / distance and the overlap smaller by V_n dt; so that the contact point lay from a's centre by
/// D = V_t dt (R_a / (R_a + R_b)) + n V_n dt / 2 farther than now, and there the bodies move against each other by
/// (w_a - w_b) x D + w_b x V dt faster. A wall's normal turns with it, and a wall moves where it is now: there
/// D = r_a x w_b dt + n V_n dt / 2, and the velocity of a itself stands for V.
#[inline(always)]
fn work_before<L: Lanes, const HERTZ: bool, const AT_WALL: bool>(
    a: &Parties<L>,
    b: &Parties<L>,
    place: &Place<L>,
    k: &Kinematics<L>,
    c: &Coefficients<L>,
    old: &Memory<L>,
    dt: f64,
) -> Losses<L> {
    let (zero, half_dt, dt) = (L::splat(0.0), L::splat(0.5 * dt), L::splat(dt));
    let approach = k.relative_velocity.dot(k.normal);
    let centres = a.velocity - b.velocity;
    let across = centres - k.normal * approach;
    let (back, travel) = if AT_WALL {
        (place.arm.cross(b.spin) * dt, a.velocity)
    } else {
        (across * (dt * k.effective_radius / b.radius), centres)
    };
    let back = back + k.normal * (half_dt * approach);
    let faster = k.relative_spin.cross(back) + b.spin.cross(travel) * dt;
    // Walls have an infinite radius.
    let approach_faster = across.dot(across) * dt / (a.radius + b.radius - place.depth);

    // The friction dashpot keeps its power: its force is the root of power times damping, as it was.
    let softer = if HERTZ { old.tangential_stiffness / c.tangential_stiffness } else { L::splat(1.0) };
    let damping = c.tangential_damping * (k.effective_mass * softer).sqrt();
    let dashpot = (old.tangential_power.max(zero) * damping).sqrt();
    let slide = k.relative_velocity.dot(k.relative_velocity) - approach * approach;
    let slide_faster = L::splat(2.0) * (k.relative_velocity.dot(faster) - approach * approach_faster);
    let sliding_faster = (slide + slide_faster).max(zero).sqrt() - slide.max(zero).sqrt();
    Losses {
        normal_dashpot: half_dt * old.normal_dashpot_force * approach_faster,
        tangential_dashpot: half_dt * dashpot * sliding_faster,
        stiffness_change: zero - half_dt * old.tangential_force.dot(faster),
        ..Losses::default()
    }
}

impl Four<'_> {
    /// Books what is left in contacts of pairs that no longer touch, before their memory is overwritten.
    #[cold]
    #[inline(never)]
    fn end(&self, context: &Context, lanes: u32, columns: &[[f64; 4]], groups: Groups, answers: &mut Answers) {
        for k in (0..4).filter(|k| lanes & (1 << k) != 0) {
            let memory = ContactMemory::of(columns, k, groups);
            let bodies = [&context.bodies[self.a(k)], &context.bodies[self.b(k)]];
            end(context, bodies, &memory, &mut answers.losses);
            answers.ended.push(self.contact(k) as u32);
        }
    }
}

/// Answers contacts of spheres: pairs, whose places follow from their centres, or spheres at walls, whose places were found.
pub(super) struct RespondBalls<'a, const HERTZ: bool, const ROLLING: bool> {
    pub(super) found: Option<&'a [Found]>,
}

impl<const HERTZ: bool, const ROLLING: bool> Law for RespondBalls<'_, HERTZ, ROLLING> {
    #[inline(always)]
    fn answer<L: Lanes>(
        &self,
        context: &Context,
        chunk: &mut Chunk<L>,
        losses: &mut Losses<L>,
        answers: &mut Answers,
    ) -> Answered<L> {
        let Chunk { four, coefficients, columns, groups } = chunk;
        let groups = *groups;
        let a = Parties::<L>::gather(|k| &context.bodies[four.a(k)]);
        let b = Parties::<L>::gather(|k| &context.bodies[four.b(k)]);
        let place = match self.found {
            None => place_of_pair(&a, &b),
            Some(found) => place_at_wall(|k| &found[four.contact(k)], &a),
        };
        let arm_b = place.arm - (b.position - a.position);
        let mut kinematics = kinematics(&a, &b, &place, arm_b);
        let mut at_wall = None;
        if let Some(found) = self.found {
            let (_, overlap) = L::gather_rows(|k| found[four.contact(k)].arm);
            let (_, factor) = L::gather_rows(|k| found[four.contact(k)].region);
            kinematics.overlap = overlap;
            at_wall = Some(coefficients.with_factor::<HERTZ>(factor));
            if !context.conveyors.are_still() {
                let (conveyed, _) = L::gather_rows(|k| {
                    let (found, a) = (&found[four.contact(k)], &context.bodies[four.a(k)]);
                    let (normal, separation) = (head(found.normal), tail(found.normal));
                    let point = a.position() + normal * (a.radius() + 0.5 * separation);
                    row(context.conveyors.along(four.b(k), context.first_wall, point, normal), 0.0)
                });
                kinematics.relative_velocity = kinematics.relative_velocity - conveyed;
            }
        }
        let coefficients = at_wall.as_ref().unwrap_or(coefficients);
        let memory = Memory::<L>::load(columns, groups);
        let table = context.table;
        let mut lost = Losses::default();
        let mut response =
            evaluate::<L, HERTZ, ROLLING>(table, coefficients, &kinematics, &memory, context.dt, &mut lost);
        let velocity = kinematics.relative_velocity;
        let seen = L::splat(UNSEEN_MOTION / context.dt) * kinematics.effective_radius;
        let moves = velocity.dot(velocity).greater(seen * seen);
        if L::any(moves) {
            let before = match self.found {
                None => work_before::<L, HERTZ, false>,
                Some(_) => work_before::<L, HERTZ, true>,
            };
            lost += before(&a, &b, &place, &kinematics, coefficients, &memory, context.dt).only(moves);
        }
        // What is found at a wall touches it.
        if self.found.is_none() {
            let touches = touch(a.position, a.radius, b.position, b.radius, table.range);
            let apart = four.lanes() & !L::bits(touches);
            if apart != 0 {
                four.end(context, apart, columns, groups, answers);
                response.force = Vector::select(touches, response.force, Vector::default());
                response.couple = Vector::select(touches, response.couple, Vector::default());
                lost = lost.only(touches);
            }
        }
        *losses += lost;
        response.memory.store(columns, groups);
        if groups.place {
            place.store(columns, response.normal_energy);
        }
        if ROLLING {
            response.couple.store(&mut columns[groups.couple()..]);
        }
        Answered {
            force: response.force,
            couple: ROLLING.then_some(response.couple),
            arm_a: place.arm,
            arm_b,
            depth: place.depth,
            half_width: a.radius.min(b.radius),
        }
    }
}
