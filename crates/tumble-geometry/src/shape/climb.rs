//! The farthest vertex of a polyhedron with many vertices, by climbing from neighbour to neighbour.
//!
//! A linear function on a convex polyhedron has no local maximum but the highest: from any vertex that is not farthest along a
//! direction an edge leads to one that is farther (the simplex method; Dantzig, 1963). So it is enough to look at neighbours. One begins
//! near the end: the directions are parted into cells, as a cube seen from its middle, and each knows the vertex farthest along its own
//! middle. From there it is a step or two, whatever the number of vertices, where looking at all takes as many steps as there are.
//!
//! Valid for convex polyhedra. Where several vertices are equally far to rounding, any of them is found, and another perhaps than by looking at
//! all. A few vertices are looked at faster than they are climbed: see [`MOST_SCANNED`].

use glam::DVec3;

/// Up to so many vertices all are looked at, four at a time, which takes as long as to climb.
pub(super) const MOST_SCANNED: usize = 200;

/// Cells along an edge of the cube of directions: about as many cells as a polyhedron of 400 vertices has.
const CELLS: usize = 8;

/// Most vertices that lie flat together and are counted from one to the next.
const MOST_COUNTED: usize = 32;

/// What is next to what, and where to begin.
#[derive(Debug, PartialEq)]
pub(super) struct Climb {
    neighbours: Vec<u32>,
    /// Where the neighbours of each vertex begin, and where the last end.
    first: Vec<u32>,
    /// For each cell of directions a vertex that is far along them.
    starts: Vec<u32>,
}

impl Climb {
    /// That of a polyhedron with these vertices and edges, if there are many.
    pub(super) fn new(vertices: &[DVec3], edges: impl Iterator<Item = [u32; 2]> + Clone) -> Option<Climb> {
        if vertices.len() <= MOST_SCANNED {
            return None;
        }
        let mut pairs: Vec<[u32; 2]> = edges.flat_map(|[v, w]| [[v, w], [w, v]]).collect();
        pairs.sort_unstable();
        let first = (0..=vertices.len() as u32).map(|v| pairs.partition_point(|pair| pair[0] < v) as u32).collect();
        let neighbours = pairs.iter().map(|pair| pair[1]).collect();
        let mut climb = Climb { neighbours, first, starts: Vec::new() };
        let mut from = 0;
        for cell in 0..6 * CELLS * CELLS {
            from = climb.farthest_from(vertices, middle(cell), from);
            climb.starts.push(from);
        }
        Some(climb)
    }

    /// A vertex that is farthest along a direction.
    #[inline]
    pub(super) fn farthest(&self, vertices: &[DVec3], direction: DVec3) -> usize {
        self.farthest_from(vertices, direction, self.starts[cell(direction)]) as usize
    }

    fn farthest_from(&self, vertices: &[DVec3], direction: DVec3, start: u32) -> u32 {
        let mut best = start;
        let mut top = vertices[best as usize].dot(direction);
        loop {
            let here = best;
            for &next in self.next_to(here) {
                let height = vertices[next as usize].dot(direction);
                if height > top {
                    (best, top) = (next, height);
                }
            }
            if best == here {
                return best;
            }
        }
    }

    fn next_to(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    /// How many vertices are at a height along a direction or above it, given the farthest. They hang together, so that only
    /// these and their neighbours are looked at. `None` if they are too many for that.
    pub(super) fn n_above(&self, vertices: &[DVec3], direction: DVec3, least: f64, farthest: usize) -> Option<u32> {
        let is_above = |vertex: u32| vertices[vertex as usize].dot(direction) >= least;
        let mut seen = [0; MOST_COUNTED];
        seen[0] = farthest as u32;
        let mut n_seen = usize::from(is_above(farthest as u32));
        let mut next = 0;
        while next < n_seen {
            for &vertex in self.next_to(seen[next]) {
                if is_above(vertex) && !seen[..n_seen].contains(&vertex) {
                    *seen.get_mut(n_seen)? = vertex;
                    n_seen += 1;
                }
            }
            next += 1;
        }
        Some(n_seen as u32)
    }
}

/// The cell of a direction; any cell for what is none.
#[inline]
fn cell(direction: DVec3) -> usize {
    let DVec3 { x, y, z } = direction.abs();
    let (axis, across) = if x >= y && x >= z {
        (0, [1, 2])
    } else if y >= z {
        (1, [2, 0])
    } else {
        (2, [0, 1])
    };
    let along = direction[axis];
    let place = |other: usize| {
        // Not a number becomes zero.
        let share = 0.5 + 0.5 * direction[other] / along.abs();
        ((share * CELLS as f64) as usize).min(CELLS - 1)
    };
    ((2 * axis + usize::from(along < 0.0)) * CELLS + place(across[0])) * CELLS + place(across[1])
}

/// The direction in the middle of a cell.
fn middle(cell: usize) -> DVec3 {
    let (side, row, column) = (cell / (CELLS * CELLS), cell / CELLS % CELLS, cell % CELLS);
    let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
    let place = |k: usize| (2 * k + 1) as f64 / CELLS as f64 - 1.0;
    let mut direction = DVec3::ZERO;
    direction[axis] = sign;
    direction[(axis + 1) % 3] = place(row);
    direction[(axis + 2) % 3] = place(column);
    direction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Polyhedron;
    use crate::oracle::Sequence;

    fn stone(n_points: usize, stretch: DVec3, random: &mut Sequence) -> Polyhedron {
        let points: Vec<DVec3> = (0..n_points).map(|_| random.direction() * stretch).collect();
        Polyhedron::from_points(&points).unwrap()
    }

    #[test]
    fn the_middle_of_a_cell_is_in_it() {
        for k in 0..6 * CELLS * CELLS {
            assert_eq!(cell(middle(k)), k);
            assert_eq!(cell(-middle(k)) / (CELLS * CELLS), (k / (CELLS * CELLS)) ^ 1);
        }
        assert!(cell(DVec3::ZERO) < 6 * CELLS * CELLS && cell(DVec3::NAN) < 6 * CELLS * CELLS);
    }

    #[test]
    fn climbing_finds_a_vertex_that_no_other_is_beyond() {
        let mut random = Sequence::new(11);
        for stretch in [DVec3::ONE, DVec3::new(1.0, 0.9, 0.02), DVec3::new(0.02, 0.03, 1.0)] {
            for n_points in [300, 2000] {
                let stone = stone(n_points, stretch, &mut random);
                assert!(stone.vertices().len() > MOST_SCANNED);
                for _ in 0..300 {
                    let direction = random.direction();
                    let heights = stone.vertices().iter().map(|v| v.dot(direction));
                    let highest = heights.clone().fold(f64::NEG_INFINITY, f64::max);
                    assert!(stone.support(direction).dot(direction) > highest - 1e-15);
                    let slack = random.between_in_ratio(1e-9, 0.05);
                    let n_above = heights.filter(|height| *height >= highest - slack).count() as u32;
                    // The farthest as climbing has it may be lower by rounding.
                    let found = stone.n_farthest(direction, slack);
                    assert!(found == n_above, "{found} {n_above} {slack}");
                }
            }
        }
    }

    #[test]
    fn faces_that_lie_flat_are_counted_whole() {
        // A prism of many sides: an end is one face with more vertices than are counted from one to the next.
        let points: Vec<DVec3> = (0..300)
            .map(|k| {
                let (sine, cosine) = (std::f64::consts::TAU * (k / 2) as f64 / 150.0).sin_cos();
                DVec3::new(cosine, sine, if k % 2 == 0 { 0.5 } else { -0.5 })
            })
            .collect();
        let prism = Polyhedron::from_points(&points).unwrap();
        assert_eq!(prism.vertices().len(), 300);
        assert_eq!(prism.n_farthest(DVec3::Z, 1e-9), 150);
        assert_eq!(prism.n_farthest(DVec3::new(1.0, 1e-3, 0.0).normalize(), 1e-9), 2);
    }
}
