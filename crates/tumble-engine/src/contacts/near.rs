//! A second, finer neighbour list: the candidate pairs that can touch before the grains have moved much farther.
//!
//! Candidates are pairs whose bounding balls are near each other, and most of these are far from touching: of spheres two
//! out of three, of rods fifty times as long as wide all but a few of a thousand. A pair whose surfaces are a
//! distance g apart cannot touch before they have moved by g towards each other. The odometer of a block counts, from step to
//! step, the farthest ways that a point of its grains and one of theirs or of grains nearby can have gone, so that grains which
//! fly keep nobody awake who rests elsewhere; a pair found apart sleeps until the odometer reads g
//! more, and a step looks at the pairs that are awake.
//!
//! What sleeps would be found apart if it were looked at, so the list changes no bits; it is not part of the state, and a
//! run that goes on from a checkpoint starts with all pairs awake.

use super::respond::{FETCHED_AHEAD, Touch};
use super::shape_table::{ShapeTable, SizedShape};
use super::{Block, BlockArrays, Context};
use crate::Particles;
use crate::state::room_for;
use glam::DVec3;
use rayon::prelude::*;
use tumble_geometry::lanes::prefetch;

/// A list serves about so many steps. Longer ones hold more pairs that do not touch.
const STEPS_SERVED: f64 = 32.0;

/// Multiplies the smallest half-width of any grain: a list serves at least until grains have moved so far towards each other.
const LEAST_HORIZON: f64 = 1e-3;

/// Bodies whose gap along some direction is more than this part of their size are apart whatever rounding does.
pub(super) const SURELY_APART: f64 = 1e-9;

/// No contact.
pub(super) const NONE: u32 = u32::MAX;

/// How the contact of a pair of shapes is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Two cylinders that bulge or give way, four pairs at a time.
    Cylinders,
    /// Two bodies of revolution.
    Revolutions,
    /// Two grains of one convex body each that does not give way, in its own frame, by the pair table, under a depth law.
    Wholes,
    /// Part by part, by the pair table.
    Parts,
}

/// A pair that is awake and not two spheres under a depth law.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearShapes {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) target: u32,
    pub(super) slot: u32,
    pub(super) way: Way,
    /// A direction in which the two were apart when last looked at, or zero. It saves work and changes nothing.
    pub(super) hint: DVec3,
}

/// How far the grains of a block, and those nearby, have come since the lists were built.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Odometer {
    /// By how much two surfaces can have come nearer to each other, at most [m].
    pub(super) reading: f64,
    /// How far the next list reaches ahead [m].
    pub(super) horizon: f64,
}

impl Odometer {
    /// Counts a step in which no two surfaces came nearer to each other faster than at a speed.
    pub(super) fn count(&mut self, approach: f64, smallest_half_width: f64, dt: f64) {
        self.reading += approach * dt;
        self.horizon = (STEPS_SERVED * approach * dt).max(LEAST_HORIZON * smallest_half_width);
    }
}

/// How fast any point of a grain moves, at most, in each block [m/s].
pub(super) fn fastest(shapes: &ShapeTable, particles: &Particles, block_size: usize) -> Vec<f64> {
    let travel = |first: usize, velocities: &[DVec3]| {
        velocities.iter().enumerate().fold(0.0, |farthest: f64, (local, velocity)| {
            let i = first + local;
            let shape = shapes.get(i);
            let turning = if particles.inertia[i] > 0.0 {
                shape.swing_per_spin * particles.angular_velocity[i].length()
            } else {
                shape.swing_per_momentum * particles.angular_momentum[i].length()
            };
            farthest.max(velocity.length() + turning)
        })
    };
    let chunks = particles.velocity.par_chunks(block_size).enumerate();
    chunks.map(|(block, velocities)| travel(block * block_size, velocities)).collect()
}

/// Wakes the pairs of a block that can touch before the odometer has gone on by the horizon, and lets the others sleep.
pub(super) fn wake(context: &Context, block: &mut Block, arrays: &mut BlockArrays) {
    let Odometer { reading, horizon } = block.odometer;
    let until = reading + horizon;
    block.near_until = until;
    let first_slot = context.start[arrays.first] as usize;
    block.near_balls.clear();
    // Pairs in contact are looked at as long as they are.
    let mut in_contact: Vec<u32> = block.balls.iter().map(|touch| touch.near).collect();
    in_contact.sort_unstable();
    let mut in_contact = in_contact.into_iter().peekable();
    let shapes_before = std::mem::take(&mut block.near_shapes);
    let mut shapes_before = shapes_before.iter().peekable();
    for local in 0..arrays.force.len() {
        let grain = arrays.first + local;
        for slot in context.start[grain] as usize..context.start[grain + 1] as usize {
            // Without shapes nothing remembers when it is due: looking costs as much.
            if arrays.wake.get(slot - first_slot).is_some_and(|&due| due > until) {
                continue;
            }
            if context.fetches_ahead
                && let Some(&ahead) = context.partner.get(slot + FETCHED_AHEAD)
            {
                prefetch(&context.bodies[ahead as usize].place);
            }
            let partner = context.partner[slot];
            let (a, b, slot) = (local as u32, partner, slot as u32);
            let way = context.way(grain, partner);
            let apart = context.balls_apart(grain, partner);
            let Some(way) = way else {
                while in_contact.next_if(|&contact| contact < slot).is_some() {}
                let awake = apart <= horizon;
                if awake && in_contact.next_if_eq(&slot).is_none() {
                    let target = block.mail.target(arrays.first, arrays.force.len(), b);
                    block.near_balls.push(Touch { a, b, target, near: slot });
                }
                if let Some(due) = arrays.wake.get_mut(slot as usize - first_slot) {
                    *due = if awake { 0.0 } else { reading + apart };
                }
                continue;
            };
            while shapes_before.next_if(|near| near.slot < slot).is_some() {}
            let hint = shapes_before.next_if(|near| near.slot == slot).map_or(DVec3::ZERO, |near| near.hint);
            let (apart, hint) = context.apart_at_least(grain, partner, apart, hint, horizon);
            let awake = apart <= horizon;
            if awake {
                let target = block.mail.target(arrays.first, arrays.force.len(), b);
                block.near_shapes.push(NearShapes { a, b, target, slot, way, hint });
            }
            arrays.wake[slot as usize - first_slot] = if awake { 0.0 } else { reading + apart };
        }
    }
    block.near_balls.shrink_to(room_for(block.near_balls.len()));
    block.near_shapes.shrink_to(room_for(block.near_shapes.len()));
}

impl Context<'_> {
    /// How a pair is found; `None` for two spheres under a depth law.
    fn way(&self, grain: usize, partner: u32) -> Option<Way> {
        let shapes = self.shapes?;
        let pair = [grain, partner as usize].map(|body| shapes.entry(self.frames[body].shape));
        if self.table.volume.is_none() && pair.iter().all(|shape| shape.is_ball) {
            None
        } else if !self.table.goes_by_profiles() || pair.iter().any(|shape| shape.revolution().is_none()) {
            let is_whole = |shape: &&SizedShape| shape.is_whole() && !shape.parts[0].yields();
            let are_wholes = self.table.volume.is_none() && pair.iter().all(is_whole);
            Some(if are_wholes { Way::Wholes } else { Way::Parts })
        } else if pair.iter().all(|shape| shape.cylinder.is_some()) {
            Some(Way::Cylinders)
        } else {
            Some(Way::Revolutions)
        }
    }

    /// A distance that the bounding balls of two bodies are apart at least [m].
    fn balls_apart(&self, grain: usize, partner: u32) -> f64 {
        let (a, b) = (&self.bodies[grain], &self.bodies[partner as usize]);
        let reach = a.radius() + b.radius() + self.table.range;
        (b.position() - a.position()).length() - reach - SURELY_APART * reach
    }

    /// A distance that a grain and a body are apart at least, and a direction in which that shows, or zero. The search ends
    /// where it is more than `enough` [m].
    fn apart_at_least(&self, grain: usize, partner: u32, balls: f64, hint: DVec3, enough: f64) -> (f64, DVec3) {
        if balls > enough {
            return (balls, DVec3::ZERO);
        }
        let (apart, direction) = if let Some(two) = self.two_revolutions(grain, partner) {
            two.apart_at_least(hint, enough)
        } else if let Some(pair) = self.shaped_pair(grain, partner).filter(|_| self.table.trusts_directions()) {
            pair.apart_at_least(hint)
        } else {
            (f64::NEG_INFINITY, DVec3::ZERO)
        };
        if apart > 0.0 { (apart.max(balls), direction) } else { (balls, DVec3::ZERO) }
    }
}
