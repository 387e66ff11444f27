//! Sweep and prune: intervals [x - r, x + r + skin] along one axis, sorted by their lower ends; each grain is compared
//! with those that begin before it ends (Baraff 1992; Cohen et al. 1995).
//!
//! The axis is the one along which the middle half of the grains is spread widest. Good for long thin arrangements (a
//! chute, a pipe) and for few grains; in a cube of N grains it looks at N^(5/3) pairs.

use super::{Balls, BroadPhaseWorkspace, Candidates, TooManyPairs, within_reach};
use rayon::prelude::*;

/// Where a grain lies along the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    lower: f64,
    upper: f64,
    index: u32,
}

/// Intervals are longer than asked by this multiple of the coordinate's size: more than all rounding in them and in the
/// distance test together (a few 2^-53).
const MARGIN: f64 = 16.0 * f64::EPSILON;

/// Coordinates looked at to choose the axis.
const SAMPLES: usize = 1024;

pub(super) fn find(
    balls: &Balls,
    skin: f64,
    workspace: &mut BroadPhaseWorkspace,
    candidates: &mut Candidates,
) -> Result<(), TooManyPairs> {
    let axis = widest_axis(balls);
    let intervals = &mut workspace.intervals;
    intervals.clear();
    intervals.extend(balls.positions.iter().zip(balls.radii).enumerate().filter(|(_, (x, _))| x.is_finite()).map(
        |(index, (x, &radius))| {
            let margin = MARGIN * (x[axis].abs() + radius + skin);
            let (lower, upper) = (x[axis] - radius - margin, x[axis] + radius + skin + margin);
            Interval { lower, upper, index: index as u32 }
        },
    ));
    // A radius that is not a number pairs with nothing, but its interval must not come between the others.
    intervals.retain(|interval| !interval.lower.is_nan());
    intervals.par_sort_unstable_by(|i, j| i.lower.total_cmp(&j.lower).then(i.index.cmp(&j.index)));

    let intervals = &*intervals;
    workspace.pairs.collect(intervals.len(), balls, candidates, |place, pairs| {
        let Interval { upper, index: i, .. } = intervals[place];
        let (x_i, r_i) = (balls.positions[i as usize], balls.radii[i as usize]);
        for &Interval { index: j, .. } in intervals[place + 1..].iter().take_while(|later| later.lower <= upper) {
            if within_reach(x_i, r_i, balls.positions[j as usize], balls.radii[j as usize], skin) {
                if balls.belongs_to_row(i, j) {
                    pairs.push([i, j]);
                } else if balls.belongs_to_row(j, i) {
                    pairs.push([j, i]);
                }
            }
        }
    })
}

/// The axis with the widest range between the quartiles, which a few outliers do not move.
fn widest_axis(balls: &Balls) -> usize {
    let stride = balls.positions.len().div_ceil(SAMPLES).max(1);
    let spread = |axis: usize| {
        let mut sample: Vec<f64> =
            balls.positions.iter().step_by(stride).map(|x| x[axis]).filter(|x| x.is_finite()).collect();
        sample.sort_unstable_by(f64::total_cmp);
        if sample.is_empty() { 0.0 } else { sample[3 * (sample.len() - 1) / 4] - sample[(sample.len() - 1) / 4] }
    };
    let spreads: [f64; 3] = std::array::from_fn(spread);
    (0..3).fold(0, |widest, axis| if spreads[axis] > spreads[widest] { axis } else { widest })
}
