//! A second, finer list: the candidate pairs that can touch before the grains have moved much farther.
//!
//! Candidates are pairs whose bounding balls are near each other, and of long or flat grains most of these are far from
//! touching: a rod fifty times as long as wide has a thousand of them and touches a few. A pair whose surfaces are a
//! distance g apart cannot touch before they have moved by g towards each other. The odometer counts, from step to step,
//! twice the farthest way that a point of any grain can have gone; a pair found apart sleeps until the odometer reads g
//! more, and a step looks at the pairs that are awake.
//!
//! What sleeps would be found apart if it were looked at, so the list changes no bits; it is not part of the state, and a
//! run that goes on from a checkpoint starts with all pairs awake.

use super::pairs::Touch;
use super::shape_table::ShapeTable;
use super::shaped::SURELY_APART;
use super::{BLOCK, Block, BlockArrays, Context};
use crate::Particles;
use glam::DVec3;
use rayon::prelude::*;

/// A list serves about so many steps. Longer ones hold more pairs that do not touch.
const STEPS_SERVED: f64 = 32.0;

/// Multiplies the grain's smallest half-width: a list serves at least until grains have moved so far towards each other.
const LEAST_HORIZON: f64 = 1e-3;

/// How the contact of a pair is found and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Two plain spheres.
    Balls,
    /// Two cylinders under a depth law.
    Cylinders,
    /// Two other bodies of revolution under a depth law.
    Revolutions,
    /// Anything else.
    Shapes,
}

/// A pair that is awake.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pub(super) touch: Touch,
    pub(super) way: Way,
    /// A direction in which the two were apart when last looked at, or zero. It saves work and changes nothing.
    pub(super) hint: DVec3,
}

/// How far grains have come since the lists were built.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Odometer {
    /// By how much two surfaces can have come nearer to each other, at most [m].
    pub(super) reading: f64,
    /// How far the next list reaches ahead [m].
    pub(super) horizon: f64,
}

impl Odometer {
    /// Counts a step that grains have just made.
    pub(super) fn count(&mut self, shapes: &ShapeTable, particles: &Particles, dt: f64) {
        let travel = |first: usize, velocities: &[DVec3]| {
            velocities.iter().enumerate().fold(0.0, |farthest: f64, (local, velocity)| {
                let (i, shape) = (first + local, shapes.get(first + local));
                let turning = if particles.inertia[i] > 0.0 {
                    shape.swing_per_spin * particles.angular_velocity[i].length()
                } else {
                    shape.swing_per_momentum * particles.angular_momentum[i].length()
                };
                farthest.max(velocity.length() + turning)
            })
        };
        let chunks = particles.velocity.par_chunks(BLOCK).enumerate();
        let fastest = chunks.map(|(block, velocities)| travel(block * BLOCK, velocities)).reduce(|| 0.0, f64::max);
        self.reading += 2.0 * fastest * dt;
        self.horizon = (STEPS_SERVED * 2.0 * fastest * dt).max(LEAST_HORIZON * shapes.smallest_half_width());
    }
}

/// Wakes the pairs of a block that can touch before the odometer has gone on by the horizon, and lets the others sleep.
pub(super) fn wake(context: &Context, block: &mut Block, arrays: &mut BlockArrays) {
    let Odometer { reading, horizon } = context.odometer;
    let until = reading + horizon;
    block.near_until = until;
    let first_slot = context.start[arrays.first] as usize;
    let before = std::mem::take(&mut block.near);
    let mut before = before.iter().peekable();
    for local in 0..arrays.force.len() {
        let grain = arrays.first + local;
        let end = context.start[grain + 1] as usize - first_slot;
        let mut slot = context.start[grain] as usize - first_slot;
        while let Some(asleep) = arrays.wake[slot..end].iter().position(|&due| due < until) {
            slot += asleep;
            let touch = Touch { local: local as u32, partner: context.partner[first_slot + slot], slot: slot as u32 };
            while before.next_if(|near| near.touch.slot < touch.slot).is_some() {}
            let hint = before.next_if(|near| near.touch.slot == touch.slot).map_or(DVec3::ZERO, |near| near.hint);
            let (apart, hint) = context.apart_at_least(grain, touch.partner, hint, horizon);
            // A contact of two balls ends in its slot.
            let remembers = arrays.history.get(slot).is_some_and(|history| history.tangential_stiffness > 0.0);
            if apart > horizon && !remembers {
                arrays.wake[slot] = reading + apart;
            } else {
                arrays.wake[slot] = 0.0;
                block.near.push(NearPair { touch, way: context.way(grain, touch.partner), hint });
            }
            slot += 1;
        }
    }
}

impl Context<'_> {
    fn way(&self, grain: usize, partner: u32) -> Way {
        let Some(shapes) = self.shapes else { return Way::Balls };
        let pair = [shapes.get(grain), shapes.get(self.owner(partner) as usize)];
        if self.table.volume.is_none() && pair.iter().all(|shape| shape.is_ball) {
            Way::Balls
        } else if !self.table.goes_by_profiles() || pair.iter().any(|shape| shape.revolution.is_none()) {
            Way::Shapes
        } else if pair.iter().all(|shape| shape.cylinder.is_some()) {
            Way::Cylinders
        } else {
            Way::Revolutions
        }
    }

    /// A distance that a grain and a body are apart at least, and a direction in which that shows, or zero. The search ends
    /// where it is more than `enough` [m].
    fn apart_at_least(&self, grain: usize, partner: u32, hint: DVec3, enough: f64) -> (f64, DVec3) {
        let (a, b) = (&self.bodies[grain], &self.bodies[partner as usize]);
        let offset = b.position() - a.position();
        let reach = a.radius() + b.radius();
        let balls = offset.length() - reach - SURELY_APART * reach;
        if balls > enough || self.way(grain, partner) == Way::Balls {
            return (balls, DVec3::ZERO);
        }
        let (apart, direction) = if let Some(two) = self.two_revolutions(grain, partner) {
            two.apart_at_least(hint, enough)
        } else if let Some(pair) = self.shaped_pair(grain, partner) {
            pair.apart_at_least(hint)
        } else {
            (f64::NEG_INFINITY, DVec3::ZERO)
        };
        if apart > 0.0 { (apart.max(balls), direction) } else { (balls, DVec3::ZERO) }
    }
}
