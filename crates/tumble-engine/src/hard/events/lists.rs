//! Near-neighbour lists that last while each grain stays near the place where its own was made.
//!
//! The list of a grain holds all whose places are within `shell` times the sum of radii, and it lasts until the grain has moved
//! by (`shell` - 1) times its radius from its place: no two that are not in each other's lists can touch before one of them
//! has. Then only that grain's list is made anew, and the others' with regard to it. Places are found through cells.
//!
//! Reference: Donev, Torquato and Stillinger, *J. Comput. Phys.* 202 (2005) 737; for single events Smallenburg, *Eur. Phys. J. E*
//! 45 (2022) 22.

#[cfg(test)]
mod tests;

use super::flock::{Flier, Neighbourhood};
use super::grid::Grid;
use super::space::Space;
use glam::DVec3;
use tumble_geometry::lanes::prefetch;

/// Where a grain was when its list was made.
#[derive(Clone, Copy, Debug)]
struct Place {
    position: DVec3,
    radius: f64,
}

/// The lists of all grains.
#[derive(Clone, Debug)]
pub struct Lists {
    shell: f64,
    /// Two that are not in each other's lists stay farther apart than this [m].
    margin: f64,
    /// The largest radius [m].
    largest: f64,
    space: Space,
    places: Vec<Place>,
    grid: Grid,
    /// Neighbours of grain i from i * room on.
    neighbours: Vec<u32>,
    lengths: Vec<u32>,
    room: usize,
    /// Used while a list is made.
    found: Vec<u32>,
}

/// Neighbours that a list is meant to hold: more make it last longer, and cost more to go through. (Measured at solid
/// fractions from 0.1 to 0.49: the fastest have 8 to 12 in space and 6 to 8 in the plane.)
const NEIGHBOURS_IN_SPACE: f64 = 10.0;
const NEIGHBOURS_IN_PLANE: f64 = 7.0;

impl Lists {
    /// How far lists should reach, in units of the sum of radii, at a solid fraction.
    pub fn shell_at(fraction: f64, planar: bool) -> f64 {
        let fraction = fraction.max(1e-3);
        let shell = if planar {
            (NEIGHBOURS_IN_PLANE / (4.0 * fraction)).sqrt()
        } else {
            (NEIGHBOURS_IN_SPACE / (8.0 * fraction)).cbrt()
        };
        shell.clamp(1.15, 4.0)
    }

    /// Lists of grains at these places, of all who can come within a margin [m] of touching.
    pub fn new(space: &Space, positions: &[DVec3], radii: &[f64], mut shell: f64, margin: f64) -> Lists {
        let largest = 2.0 * radii.iter().copied().fold(0.0, f64::max);
        // One image at most in a list, and the nearest stays the nearest.
        for axis in (0..3).filter(|&axis| space.is_periodic()[axis] && largest > 0.0) {
            shell = shell.min(0.5 * (1.0 + 0.499 * space.period[axis] / largest));
        }
        // Three cells across sliding images, so that these are told from their grains.
        if space.slide != 0.0 && largest > 0.0 {
            shell = shell.min(0.999 * space.period.y / (3.0 * largest));
        }
        let places = positions.iter().zip(radii).map(|(&position, &radius)| Place { position, radius }).collect();
        let mut lists = Lists {
            shell,
            margin,
            largest: 0.5 * largest,
            space: *space,
            places,
            grid: Grid::new(space, positions, shell * largest),
            neighbours: Vec::new(),
            lengths: vec![0; positions.len()],
            room: 16,
            found: Vec::new(),
        };
        lists.neighbours.resize(positions.len() * lists.room, 0);
        for grain in 0..positions.len() as u32 {
            lists.find(grain);
        }
        lists
    }

    /// Whom a grain can meet.
    #[inline]
    pub fn of(&self, grain: u32) -> &[u32] {
        let first = grain as usize * self.room;
        &self.neighbours[first..first + self.lengths[grain as usize] as usize]
    }

    /// Finds the neighbours of a grain that is not in the grid among those that are, tells both sides, and puts it there.
    fn find(&mut self, grain: u32) {
        let Place { position, radius } = self.places[grain as usize];
        let mut found = std::mem::take(&mut self.found);
        let mut count = 0;
        let reach = self.shell * (radius + self.largest);
        let is_small = self.grid.is_small;
        self.grid.around(position, reach, |entries, shift, slides| {
            if found.len() < count + entries.len() {
                found.resize(2 * (count + entries.len()) + 64, 0);
            }
            for entry in entries {
                let mut offset = entry.position + shift;
                if is_small {
                    offset = self.space.nearest(offset);
                }
                if slides {
                    offset.x = 0.0;
                }
                let reach = self.shell * (radius + entry.radius);
                // Without a branch on what is hard to foresee.
                found[count] = entry.grain;
                count += usize::from(offset.length_squared() < reach * reach);
            }
        });
        for &other in &found[..count] {
            self.add(grain, other);
            self.add(other, grain);
        }
        self.found = found;
        self.grid.put_in(grain, position, radius);
    }

    #[inline]
    fn add(&mut self, grain: u32, other: u32) {
        if self.lengths[grain as usize] as usize == self.room {
            self.make_room();
        }
        let length = &mut self.lengths[grain as usize];
        self.neighbours[grain as usize * self.room + *length as usize] = other;
        *length += 1;
    }

    #[cold]
    fn make_room(&mut self) {
        let room = self.room + 16;
        let mut neighbours = vec![0; self.lengths.len() * room];
        for (to, from) in neighbours.chunks_mut(room).zip(self.neighbours.chunks(self.room)) {
            to[..self.room].copy_from_slice(from);
        }
        (self.neighbours, self.room) = (neighbours, room);
    }
}

impl Neighbourhood for Lists {
    #[inline]
    fn each(&self, grain: u32, mut call: impl FnMut(u32)) {
        for &other in self.of(grain) {
            call(other);
        }
    }

    #[inline]
    fn lasts(&self, grain: u32, position: DVec3, velocity: DVec3) -> f64 {
        let place = &self.places[grain as usize];
        stays_within((self.shell - 1.0) * place.radius - 0.5 * self.margin, position - place.position, velocity)
    }

    #[inline]
    fn listed(&self, grain: u32) -> &[u32] {
        self.of(grain)
    }

    #[inline]
    fn ask_for(&self, grain: u32) {
        let first = grain as usize * self.room;
        prefetch(&self.neighbours[first]);
        prefetch(&self.neighbours[first + self.room - 1]);
        prefetch(&self.lengths[grain as usize]);
        prefetch(&self.places[grain as usize]);
    }

    /// Makes a grain's list anew, from where it is now.
    fn renew(&mut self, grain: u32, flier: &mut Flier, image: &mut [i32; 3]) {
        self.space.bring_back(&mut flier.position, &mut flier.velocity, image, flier.time);
        let first = grain as usize * self.room;
        for at in first..first + self.lengths[grain as usize] as usize {
            let other = self.neighbours[at] as usize;
            let theirs = other * self.room..other * self.room + self.lengths[other] as usize;
            if let Some(at) = self.neighbours[theirs.clone()].iter().position(|&one| one == grain) {
                self.neighbours[theirs.start + at] = self.neighbours[theirs.end - 1];
                self.lengths[other] -= 1;
            }
        }
        self.lengths[grain as usize] = 0;
        self.places[grain as usize].position = flier.position;
        self.grid.take_out(grain);
        self.find(grain);
    }
}

/// For how long what has moved by some way and goes on at a velocity stays within a distance of its place [s].
#[inline]
pub(super) fn stays_within(limit: f64, moved: DVec3, velocity: DVec3) -> f64 {
    let (outward, speed) = (moved.dot(velocity), velocity.length_squared());
    let left = limit * limit - moved.length_squared();
    if left <= 0.0 {
        return 0.0;
    }
    if speed == 0.0 || limit == f64::INFINITY {
        return f64::INFINITY;
    }
    let root = (outward * outward + speed * left).sqrt();
    if outward > 0.0 { left / (root + outward) } else { (root - outward) / speed }
}
