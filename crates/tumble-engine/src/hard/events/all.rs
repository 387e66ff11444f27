//! All balls as neighbours of each: slow and obvious.

use super::flock::{Flier, Neighbourhood};
use super::space::Space;
use glam::DVec3;

/// Everyone. In a periodic space a ball looks again before another image of someone could come nearer than the nearest.
#[derive(Clone, Debug)]
pub struct Everyone {
    space: Space,
    places: Vec<DVec3>,
    /// How far a ball may move from its place [m].
    limit: f64,
}

impl Everyone {
    pub fn new(space: &Space, fliers: &[Flier]) -> Everyone {
        let largest = 2.0 * fliers.iter().map(|ball| ball.radius).fold(0.0, f64::max);
        let mut limit = f64::INFINITY;
        for axis in (0..3).filter(|&axis| space.is_periodic()[axis]) {
            // Two balls may each have come from one side of their places to the other.
            limit = limit.min(0.249 * (0.5 * space.period[axis] - largest));
        }
        Everyone { space: *space, places: fliers.iter().map(|ball| ball.position).collect(), limit }
    }
}

impl Neighbourhood for Everyone {
    #[inline]
    fn each(&self, ball: u32, call: impl FnMut(u32)) {
        (0..ball).chain(ball + 1..self.places.len() as u32).for_each(call);
    }

    fn lasts(&self, ball: u32, position: DVec3, velocity: DVec3) -> f64 {
        super::lists::stays_within(self.limit, position - self.places[ball as usize], velocity)
    }

    fn renew(&mut self, ball: u32, flier: &mut Flier, image: &mut [i32; 3]) {
        self.space.bring_back(&mut flier.position, &mut flier.velocity, image, flier.time);
        self.places[ball as usize] = flier.position;
    }
}
