//! Neighbours by cells alone: a ball can meet those in its cell and in the cells around, until it crosses into another.
//!
//! The lecture's way (after Lasinski et al. 2004), but for the size of the cells: with one ball a cell, where that is larger than a
//! ball, about as many crossings happen as collisions. Across an edge whose images slide, whoever is in the next row can come by, wherever
//! along it.

use super::flock::{Flier, Neighbourhood};
use super::space::Space;
use glam::DVec3;

const NONE: u32 = u32::MAX;

/// Which balls are in which cell.
#[derive(Clone, Debug)]
pub struct Cells {
    space: Space,
    lower: DVec3,
    side: DVec3,
    n: [i32; 3],
    /// The cell of each ball along each axis: what it is said to be in, whatever rounding does at faces.
    at: Vec<[i32; 3]>,
    first: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Cells {
    /// Cells for balls at the beginning of a step, so that all who can come within a margin [m] of touching are in neighbouring ones; `None` if a periodic axis is too short for four of them, so that more than one image of a
    /// ball could be near.
    pub fn new(space: &Space, fliers: &[Flier], margin: f64) -> Option<Cells> {
        let largest = 2.0 * fliers.iter().map(|ball| ball.radius).fold(0.0, f64::max) + margin;
        let mut lower = fliers.iter().fold(DVec3::INFINITY, |low, ball| low.min(ball.position));
        let mut upper = fliers.iter().fold(DVec3::NEG_INFINITY, |high, ball| high.max(ball.position));
        let periodic = space.is_periodic();
        for axis in (0..3).filter(|&axis| periodic[axis]) {
            lower[axis] = space.lower[axis];
            upper[axis] = space.lower[axis] + space.period[axis];
        }
        let extent = (upper - lower).max(DVec3::ZERO);
        let count = |side: f64| [0, 1, 2].map(|axis| (extent[axis] / side).floor().clamp(1.0, 1e6) as i32);
        // Rounding must not let balls of neighbouring cells but one touch.
        let mut side = (largest * (1.0 + 1e-9)).max(f64::MIN_POSITIVE);
        while count(side).iter().map(|&n| f64::from(n)).product::<f64>() > fliers.len().max(64) as f64 {
            side *= 1.05;
        }
        let n = count(side);
        if (0..3).any(|axis| periodic[axis] && n[axis] < 4) {
            return None;
        }
        let side = DVec3::from_array([0, 1, 2].map(|axis| extent[axis] / f64::from(n[axis])));
        let mut cells = Cells {
            space: *space,
            lower,
            side,
            n,
            at: vec![[0; 3]; fliers.len()],
            first: vec![NONE; (n[0] * n[1] * n[2]) as usize],
            next: vec![NONE; fliers.len()],
            previous: vec![NONE; fliers.len()],
        };
        for (ball, flier) in fliers.iter().enumerate() {
            cells.at[ball] = [0, 1, 2].map(|axis| {
                let place = (flier.position[axis] - lower[axis]) / side[axis];
                // Of an axis without extent there is one cell.
                if place.is_finite() { (place as i32).clamp(0, n[axis] - 1) } else { 0 }
            });
            cells.put_in(ball as u32);
        }
        Some(cells)
    }

    #[inline]
    fn index(&self, [x, y, z]: [i32; 3]) -> usize {
        ((z * self.n[1] + y) * self.n[0] + x) as usize
    }

    /// The cell along an axis that a number, which may be one too many, stands for; `None` beyond the edge of what is not periodic.
    #[inline]
    fn place(&self, axis: usize, number: i32) -> Option<i32> {
        if number >= 0 && number < self.n[axis] {
            Some(number)
        } else {
            (self.space.period[axis] > 0.0).then_some(number - self.n[axis] * number.signum())
        }
    }

    /// Calls with everyone else in a cell.
    #[inline]
    fn each_in(&self, cell: [i32; 3], ball: u32, call: &mut impl FnMut(u32)) {
        let mut other = self.first[self.index(cell)];
        while other != NONE {
            if other != ball {
                call(other);
            }
            other = self.next[other as usize];
        }
    }

    fn put_in(&mut self, ball: u32) {
        let cell = self.index(self.at[ball as usize]);
        let first = std::mem::replace(&mut self.first[cell], ball);
        if first != NONE {
            self.previous[first as usize] = ball;
        }
        self.next[ball as usize] = first;
        self.previous[ball as usize] = NONE;
    }

    fn take_out(&mut self, ball: u32) {
        let (next, previous) = (self.next[ball as usize], self.previous[ball as usize]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        if previous != NONE {
            self.next[previous as usize] = next;
        } else {
            let cell = self.index(self.at[ball as usize]);
            self.first[cell] = next;
        }
    }

    /// Through which face a ball leaves its cell: along which axis, which way, and when from now.
    #[inline]
    fn leaves(&self, ball: u32, position: DVec3, velocity: DVec3) -> (usize, i32, f64) {
        let at = self.at[ball as usize];
        let mut first = (0, 0, f64::INFINITY);
        for axis in 0..3 {
            let speed = velocity[axis];
            let step = if speed > 0.0 { 1 } else { -1 };
            let beyond = at[axis] + step;
            // What is at the edge of a space that is not periodic has no face there.
            if speed == 0.0 || (self.space.period[axis] == 0.0 && (beyond < 0 || beyond >= self.n[axis])) {
                continue;
            }
            let face = self.lower[axis] + self.side[axis] * f64::from(at[axis] + i32::from(speed > 0.0));
            let time = ((face - position[axis]) / speed).max(0.0);
            if time < first.2 {
                first = (axis, step, time);
            }
        }
        first
    }
}

impl Neighbourhood for Cells {
    #[inline]
    fn each(&self, ball: u32, mut call: impl FnMut(u32)) {
        let at = self.at[ball as usize];
        for dz in -1..=1 {
            for dy in -1..=1 {
                let (Some(y), Some(z)) = (self.place(1, at[1] + dy), self.place(2, at[2] + dz)) else { continue };
                if y != at[1] + dy && self.space.slide != 0.0 {
                    (0..self.n[0]).for_each(|x| self.each_in([x, y, z], ball, &mut call));
                    continue;
                }
                for dx in -1..=1 {
                    if let Some(x) = self.place(0, at[0] + dx) {
                        self.each_in([x, y, z], ball, &mut call);
                    }
                }
            }
        }
    }

    #[inline]
    fn lasts(&self, ball: u32, position: DVec3, velocity: DVec3) -> f64 {
        self.leaves(ball, position, velocity).2
    }

    fn renew(&mut self, ball: u32, flier: &mut Flier, image: &mut [i32; 3]) {
        let (axis, step, time) = self.leaves(ball, flier.position, flier.velocity);
        if time == f64::INFINITY {
            return;
        }
        self.take_out(ball);
        let mut at = self.at[ball as usize];
        at[axis] += step;
        if at[axis] < 0 || at[axis] >= self.n[axis] {
            at[axis] -= self.n[axis] * step;
            let Flier { position, velocity, time, .. } = flier;
            self.space.go_through(axis, f64::from(step), position, velocity, image, *time);
            if axis == 1 && self.space.slide != 0.0 {
                // It comes in anywhere along x.
                let crossings = ((position.x - self.space.lower.x) / self.space.period.x).floor();
                self.space.go_through(0, crossings, position, velocity, image, *time);
                at[0] = (((position.x - self.lower.x) / self.side.x) as i32).clamp(0, self.n[0] - 1);
            }
        }
        self.at[ball as usize] = at;
        self.put_in(ball);
    }
}
