//! The depth of two cores by cutting cells of directions: slower than the expanding polytope, and with bounds that close where those of it do
//! not.
//!
//! A cell is a triangle of directions v_i on the sphere with the farthest points w_k of M along them. M holds every mean w of these, so that
//! h(n) >= w . n for all n; and a direction n of the cell is a mean of the v_i, made longer. Where w . v_i > 0 for all three,
//!
//!   h(n) >= min_i w . v_i
//!
//! bounds the depth in the cell from below, best with the mean w that makes it largest; pairs of the w_k do. It is off by the
//! square of the cell's width where h is smooth, and on the crease of two pieces too. The cell with the lowest bound is cut into four. Near a
//! stationary direction n* nothing is to be cut: h is convex on the plane n . n* = 1, so that within an angle r of it h >= h(n*) cos r.

use super::body::{Pair, Vertex};
use super::bundle::close;
use super::polish::{Minimum, polish};
use crate::tolerance;
use glam::DVec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Cells that are cut at most: with what they cost a tenth of a second, and ten times as many as any of a million pairs took.
const MOST_CUTS: usize = 100_000;
/// Searches to second order at most from cells that hold no stationary direction yet, and the width of cells from which one is begun.
const MOST_SEARCHES: usize = 200;
const SEARCHED: f64 = 0.25;

struct Cell {
    directions: [DVec3; 3],
    farthest: [Vertex; 3],
    /// No direction of the cell is less deep.
    lower: f64,
}

impl Cell {
    fn new(directions: [DVec3; 3], farthest: [Vertex; 3]) -> Cell {
        let heights = farthest.map(|vertex| directions.map(|direction| vertex.w.dot(direction)));
        let mut lower = heights.iter().map(least).fold(f64::NEG_INFINITY, f64::max);
        for (k, l) in [(0, 1), (0, 2), (1, 2)] {
            lower = lower.max(best_mean(&heights[k], &heights[l]));
        }
        let cell = Cell { directions, farthest, lower };
        // A mean of the directions is 1 - sum of l_i l_j |v_i - v_j|^2 long, squared, and no shorter than this.
        let shortest = (1.0 - cell.width().powi(2) / 3.0).max(0.1).sqrt();
        Cell { lower: if lower < 0.0 { lower / shortest } else { lower }, ..cell }
    }

    fn width(&self) -> f64 {
        let [a, b, c] = self.directions;
        a.distance(b).max(b.distance(c)).max(c.distance(a))
    }
}

fn least(heights: &[f64; 3]) -> f64 {
    heights[0].min(heights[1]).min(heights[2])
}

/// The largest of the least of three means of two numbers each, with one share for all.
fn best_mean(p: &[f64; 3], q: &[f64; 3]) -> f64 {
    let at = |share: f64| least(&std::array::from_fn(|i| share * p[i] + (1.0 - share) * q[i]));
    // It is largest at an end or where two of the lines cross.
    let crossing = |i: usize, j: usize| {
        let share = (q[j] - q[i]) / (p[i] - q[i] - p[j] + q[j]);
        if share > 0.0 && share < 1.0 { at(share) } else { f64::NEG_INFINITY }
    };
    crossing(0, 1).max(crossing(0, 2)).max(crossing(1, 2))
}

// The lowest bound first.
impl Ord for Cell {
    fn cmp(&self, other: &Cell) -> Ordering {
        other.lower.total_cmp(&self.lower)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Cell) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

/// A stationary direction near one that is not, if there is one that is no deeper: searched for from there, and from the directions near it
/// that lie in planes in which the bodies are symmetric.
fn closed_near(pair: &Pair, minimum: Minimum) -> Minimum {
    if minimum.closed {
        return minimum;
    }
    let slack = 0.2 * tolerance::CERTIFIED * pair.size;
    let mut best = minimum;
    for start in pair.symmetric_directions(minimum.normal).into_iter().chain([minimum.normal]) {
        let found = close(pair, start, &[]);
        if found.value <= best.value + if best.closed { 0.0 } else { slack } && (found.closed || !best.closed) {
            best = found;
        }
    }
    best
}

/// The least depth, from the best that is known, or the best found and how far its value may be off. Where many directions tie it is
/// proven to [`tolerance::TIED_DEPTH`] only, as by the polytope.
#[cold]
pub(super) fn depth_by_cells(pair: &Pair, mut best: Minimum) -> Result<Minimum, (Minimum, f64)> {
    let exact = tolerance::EXACT * pair.size;
    let allowed = |best: &Minimum| {
        let tied = if best.closed { tolerance::TIED_DEPTH * best.value } else { 0.0 };
        tied.max(tolerance::CERTIFIED * pair.size)
    };
    best = closed_near(pair, best);
    // Of bodies apart there is one.
    if best.closed && best.value <= 0.0 {
        return Ok(best);
    }
    // Stationary directions, and h there.
    let mut stationary: Vec<(DVec3, f64)> = Vec::new();
    if best.closed {
        stationary.push((best.normal, best.value));
    }
    let mut cells = BinaryHeap::new();
    for signs in 0..8 {
        let sign = |bit: usize| if signs >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let directions = [DVec3::X * sign(0), DVec3::Y * sign(1), DVec3::Z * sign(2)];
        cells.push(Cell::new(directions, directions.map(|direction| pair.support(direction))));
    }
    let mut n_searches = 0;
    for _ in 0..MOST_CUTS {
        let Some(cell) = cells.peek() else { return Ok(best) };
        let wanted = best.value - allowed(&best);
        if cell.lower >= wanted {
            return Ok(best);
        }
        let Some(cell) = cells.pop() else { return Ok(best) };
        let is_known = stationary
            .iter()
            .any(|(normal, value)| cell.directions.iter().all(|direction| value * normal.dot(*direction) >= wanted));
        if is_known {
            continue;
        }
        let [a, b, c] = cell.directions;
        let middles = [a + b, b + c, c + a].map(DVec3::normalize);
        let found = middles.map(|direction| pair.support(direction));
        let (lowest, place) = (0..3)
            .map(|k| (found[k].w.dot(middles[k]), k))
            .fold((f64::INFINITY, 0), |least, next| if next.0 < least.0 { next } else { least });
        let is_lower = lowest < best.value - exact;
        let is_new = n_searches < MOST_SEARCHES && (0.4 * SEARCHED..SEARCHED).contains(&cell.width());
        if is_lower || is_new {
            n_searches += 1;
            let known = [found[place], cell.farthest[0], cell.farthest[1], cell.farthest[2]];
            let mut minimum = polish(pair, middles[place], &known, f64::INFINITY);
            if minimum.value < best.value + allowed(&best) {
                minimum = closed_near(pair, minimum);
            }
            if minimum.closed {
                stationary.push((minimum.normal, minimum.value));
            }
            if minimum.value < best.value - exact || (minimum.closed && !best.closed && minimum.value <= best.value) {
                best = minimum;
            }
            if lowest < best.value - exact {
                let Vertex { a, b, .. } = found[place];
                best = Minimum { normal: middles[place], value: lowest, a, b, closed: false };
            }
        }
        let [wa, wb, wc] = cell.farthest;
        let [mab, mbc, mca] = middles;
        let [fab, fbc, fca] = found;
        cells.push(Cell::new([a, mab, mca], [wa, fab, fca]));
        cells.push(Cell::new([b, mbc, mab], [wb, fbc, fab]));
        cells.push(Cell::new([c, mca, mbc], [wc, fca, fbc]));
        cells.push(Cell::new([mab, mbc, mca], [fab, fbc, fca]));
    }
    let lower = cells.peek().map_or(best.value, |cell| cell.lower);
    let best = closed_near(pair, best);
    let bound = best.value - lower;
    if bound <= allowed(&best) { Ok(best) } else { Err((best, bound)) }
}
