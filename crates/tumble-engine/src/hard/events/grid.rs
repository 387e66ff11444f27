//! Cells of equal size, each with the grains whose places are in it, side by side in memory.

use super::space::Space;
use glam::DVec3;

/// A grain in a cell.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Where it is [m].
    pub position: DVec3,
    /// Its radius [m].
    pub radius: f64,
    /// Which grain it is.
    pub grain: u32,
}

/// A grid over the periodic cell, or over what is occupied where space is not periodic. What is outside belongs to the cells at
/// the edge, so that neighbours are always in neighbouring cells.
#[derive(Clone, Debug)]
pub struct Grid {
    space: Space,
    lower: DVec3,
    side: DVec3,
    per_side: DVec3,
    n: [i32; 3],
    /// Whether there are too few cells along a periodic axis to tell images by the cells they are in.
    pub is_small: bool,
    /// The entries of cell c from c * room on.
    entries: Vec<Entry>,
    counts: Vec<u32>,
    room: usize,
    /// Where in `entries` each grain is.
    slots: Vec<u32>,
}

/// Cells along an axis: which, the shift of what is in them [m], and the square of how far away they are at least [m^2].
type Along = ([(i32, f64, f64); 3], usize);

impl Grid {
    /// An empty grid for grains at these positions, whose cells are at least `side` long.
    pub fn new(space: &Space, positions: &[DVec3], side: f64) -> Grid {
        let periodic = space.is_periodic();
        let mut lower = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let mut upper = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        if positions.is_empty() {
            (lower, upper) = (DVec3::ZERO, DVec3::ZERO);
        }
        for axis in 0..3 {
            if periodic[axis] {
                lower[axis] = space.lower[axis];
                upper[axis] = space.lower[axis] + space.period[axis];
            }
        }
        // No more cells than twice as many as there are grains.
        let most = 2.0 * positions.len().max(8) as f64;
        let mut side = side.max(f64::MIN_POSITIVE);
        let count =
            |side: f64| [0, 1, 2].map(|axis| ((upper[axis] - lower[axis]) / side).floor().clamp(1.0, 1e6) as i32);
        while count(side).iter().map(|&n| f64::from(n)).product::<f64>() > most {
            side *= 1.1;
        }
        let n = count(side);
        let per_side = DVec3::from_array([0, 1, 2].map(|axis| {
            let extent = upper[axis] - lower[axis];
            if extent > 0.0 { f64::from(n[axis]) / extent } else { 0.0 }
        }));
        let side = DVec3::from_array([0, 1, 2].map(|axis| (upper[axis] - lower[axis]) / f64::from(n[axis])));
        let cells = (n[0] * n[1] * n[2]) as usize;
        let room = 4 * positions.len().div_ceil(cells.max(1)).max(1);
        let empty = Entry { position: DVec3::ZERO, radius: 0.0, grain: 0 };
        Grid {
            space: *space,
            lower,
            side,
            per_side,
            n,
            is_small: (0..3).any(|axis| periodic[axis] && n[axis] < 3),
            entries: vec![empty; cells * room],
            counts: vec![0; cells],
            room,
            slots: vec![0; positions.len()],
        }
    }

    /// The cell of a position along each axis.
    #[inline]
    fn coordinates(&self, position: DVec3) -> [i32; 3] {
        let place = (position - self.lower) * self.per_side;
        [0, 1, 2].map(|axis| (place[axis] as i32).clamp(0, self.n[axis] - 1))
    }

    #[inline]
    fn cell(&self, x: i32, y: i32, z: i32) -> usize {
        ((z * self.n[1] + y) * self.n[0] + x) as usize
    }

    /// The cells along an axis that are next to the one that a coordinate is in.
    #[inline]
    fn along(&self, axis: usize, at: i32, coordinate: f64) -> Along {
        let (n, period) = (self.n[axis], self.space.period[axis]);
        let mut cells = [(0, 0.0, 0.0); 3];
        let mut count = 0;
        // How far into its cell it is; not inside one at the edge that has taken in what is beyond.
        let into = coordinate - self.lower[axis] - f64::from(at) * self.side[axis];
        let away = [into.max(0.0), 0.0, (self.side[axis] - into).max(0.0)];
        for (place, away) in (at - 1..=at + 1).zip(away) {
            let square = if n >= 3 { away * away } else { 0.0 };
            let entry = if place >= 0 && place < n {
                (place, 0.0, square)
            } else if period > 0.0 {
                if place < 0 { (place + n, -period, square) } else { (place - n, period, square) }
            } else {
                continue;
            };
            // Where there are fewer than three cells, some are the same.
            if n >= 3 || !cells[..count].iter().any(|other| other.0 == entry.0) {
                cells[count] = entry;
                count += 1;
            }
        }
        (cells, count)
    }

    /// Calls with the entries of every cell that is within a reach of a position, and the way from the position to where places of that cell are
    /// measured from. Of images that slide all along x are shown, and it is true of these that their place along x says nothing.
    #[inline]
    pub fn around(&self, position: DVec3, reach: f64, mut call: impl FnMut(&[Entry], DVec3, bool)) {
        let at = self.coordinates(position);
        let along_x = self.along(0, at[0], position.x);
        let along_y = self.along(1, at[1], position.y);
        let along_z = self.along(2, at[2], position.z);
        // A little more, for cells and places are rounded.
        let most = reach * reach * (1.0 + 1e-9);
        for &(z, shift_z, away_z) in &along_z.0[..along_z.1] {
            for &(y, shift_y, away_y) in &along_y.0[..along_y.1] {
                let row = self.cell(0, y, z);
                if shift_y != 0.0 && self.space.slide != 0.0 {
                    for x in 0..self.n[0] as usize {
                        call(self.entries_of(row + x), DVec3::new(0.0, shift_y, shift_z) - position, true);
                    }
                    continue;
                }
                for &(x, shift_x, away_x) in &along_x.0[..along_x.1] {
                    if away_x + away_y + away_z <= most {
                        let shift = DVec3::new(shift_x, shift_y, shift_z) - position;
                        call(self.entries_of(row + x as usize), shift, false);
                    }
                }
            }
        }
    }

    #[inline]
    fn entries_of(&self, cell: usize) -> &[Entry] {
        &self.entries[cell * self.room..][..self.counts[cell] as usize]
    }

    /// Puts a grain that is in no cell into that of its position.
    pub fn put_in(&mut self, grain: u32, position: DVec3, radius: f64) {
        let [x, y, z] = self.coordinates(position);
        let cell = self.cell(x, y, z);
        if self.counts[cell] as usize == self.room {
            self.make_room();
        }
        let slot = cell * self.room + self.counts[cell] as usize;
        self.entries[slot] = Entry { position, radius, grain };
        self.slots[grain as usize] = slot as u32;
        self.counts[cell] += 1;
    }

    /// Takes a grain out of its cell; the last one there takes its place.
    pub fn take_out(&mut self, grain: u32) {
        let slot = self.slots[grain as usize] as usize;
        let cell = slot / self.room;
        self.counts[cell] -= 1;
        let last = self.entries[cell * self.room + self.counts[cell] as usize];
        self.entries[slot] = last;
        self.slots[last.grain as usize] = slot as u32;
    }

    #[cold]
    fn make_room(&mut self) {
        let room = 2 * self.room;
        let mut entries = vec![self.entries[0]; self.counts.len() * room];
        for (cell, &count) in self.counts.iter().enumerate() {
            let from = &self.entries[cell * self.room..][..count as usize];
            entries[cell * room..][..count as usize].copy_from_slice(from);
            for (at, entry) in from.iter().enumerate() {
                self.slots[entry.grain as usize] = (cell * room + at) as u32;
            }
        }
        (self.entries, self.room) = (entries, room);
    }
}
