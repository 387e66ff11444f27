//! The integral over the azimuth.
//!
//! The integrals of a half-plane are smooth in the azimuth as long as its sequence of bounds is the same. If it is the
//! same all the way around, the trapezoidal rule converges faster than any power. If not, the azimuths where it changes
//! (corners of the region, edges seen end on) are found by halving, and each panel between them is taken by adaptive
//! Gauss-Kronrod in s, azimuth = from + (to - from) s^2 (3 - 2 s): this makes the square roots at panel ends smooth.
//! Corners are known beforehand where three constraints give them in closed form (see `corners`); this keeps narrow
//! features from being overlooked.

use super::half_plane::{Fineness, HalfPlane};
use super::pieces::Pieces;
use super::rules::{GAUSS_7, KRONROD_15};
use super::sums::{Scale, Sums};
use glam::DMat3;
use std::f64::consts::TAU;

/// No more half-planes than this are integrated in one attempt.
const MOST_HALF_PLANES: usize = 1500;

/// No more changes of the sequence than this are followed up: a region has fewer, a sequence that flickers has no end.
const MOST_BREAKS: usize = 200;

#[derive(Clone, Copy, Debug)]
struct Panel {
    /// Ends between which the bounds are the same.
    from: f64,
    to: f64,
    /// The part of it in s.
    s: [f64; 2],
    fine: Sums,
    error: f64,
    /// Whether the rule with 15 nodes was used.
    is_fine: bool,
}

/// Lists that are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Azimuth {
    half_plane: HalfPlane,
    /// Where the sequence of bounds is known to change, in order.
    pub breaks: Vec<f64>,
    found: Vec<f64>,
    panels: Vec<Panel>,
    waiting: Vec<[f64; 2]>,
}

/// What one integration needs to know.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub pieces: &'a Pieces,
    pub map: &'a DMat3,
    pub fineness: Fineness,
    pub tolerance: f64,
    /// The region's largest half width [m].
    pub length: f64,
}

impl Azimuth {
    /// The integrals all around, and an estimate of their relative error.
    pub fn integrate(&mut self, task: &Task) -> (Sums, f64) {
        if self.breaks.is_empty()
            && let Some(answer) = self.all_around(task)
        {
            return answer;
        }
        self.by_panels(task)
    }

    fn look(&mut self, task: &Task, azimuth: f64) -> u64 {
        self.half_plane.look(task.pieces, task.map, azimuth, &task.fineness);
        self.half_plane.signature(&task.fineness)
    }

    fn sample(&mut self, task: &Task, azimuth: f64) -> (Sums, u64) {
        let signature = self.look(task, azimuth);
        let mut sums = Sums::default();
        self.half_plane.integrate(task.pieces, 1.0, &task.fineness, &mut sums);
        (sums, signature)
    }

    /// The trapezoidal rule, if the sequence of bounds never changes. Otherwise the changes are left in `breaks`.
    fn all_around(&mut self, task: &Task) -> Option<(Sums, f64)> {
        const START: f64 = 0.1;
        const COARSEST: usize = 8;
        const FINEST: usize = 128;
        let mut total = Sums::default();
        let mut n_samples = 0;
        let mut last: Option<Sums> = None;
        let mut signature = None;
        // The first difference has none before it and counts in full.
        let mut before = 0.0;
        let mut n = COARSEST;
        while n <= FINEST {
            let is_first = n == COARSEST;
            let step = TAU / n as f64;
            for k in (0..n).filter(|k| is_first || k % 2 == 1) {
                let azimuth = START + step * k as f64;
                let (sums, here) = self.sample(task, azimuth);
                total.add(&sums, 1.0);
                n_samples += 1;
                let expected = *signature.get_or_insert(here);
                if here != expected {
                    if is_first {
                        self.find_changes_around(task, n, START);
                    } else {
                        let (l, r) = (azimuth - step, azimuth + step);
                        self.find_changes(task, (l, expected), (azimuth, here));
                        self.find_changes(task, (azimuth, here), (r, expected));
                        self.sort_breaks(task.fineness.same_azimuth);
                    }
                    return None;
                }
            }
            let mut mean = Sums::default();
            mean.add(&total, TAU / n_samples as f64);
            if let Some(last) = &last {
                let difference = mean.difference(last, &scale_of(&mean, task.length));
                // Halving the step squares the error of a spectral rule: each difference is to the one before as the
                // error now is to the difference. A region with something sharp in it is slower, and its ratio shows it.
                let error = difference * (difference / before).min(1.0);
                before = difference;
                if error <= task.tolerance {
                    return Some((mean, error));
                }
            }
            last = Some(mean);
            n *= 2;
        }
        // Smooth but sharp somewhere: panels find out where.
        self.breaks.extend([0.0, 0.5, 1.0, 1.5].map(|turn| START + turn * std::f64::consts::PI));
        None
    }

    fn find_changes_around(&mut self, task: &Task, n: usize, start: f64) {
        let step = TAU / (2 * n) as f64;
        let first = self.look(task, start);
        let mut left = (start, first);
        for k in 1..=2 * n {
            let azimuth = start + step * k as f64;
            let here = if k == 2 * n { first } else { self.look(task, azimuth) };
            self.find_changes(task, left, (azimuth, here));
            left = (azimuth, here);
        }
        self.sort_breaks(task.fineness.same_azimuth);
    }

    /// Appends the azimuths between two samples where the sequence of bounds changes.
    fn find_changes(&mut self, task: &Task, left: (f64, u64), right: (f64, u64)) {
        if left.1 == right.1 || self.breaks.len() >= MOST_BREAKS {
            return;
        }
        if right.0 - left.0 < task.fineness.same_azimuth {
            self.breaks.push(0.5 * (left.0 + right.0));
            return;
        }
        let middle = 0.5 * (left.0 + right.0);
        let here = (middle, self.look(task, middle));
        self.find_changes(task, left, here);
        self.find_changes(task, here, right);
    }

    /// Brings the breaks into one turn, in order, without repetitions.
    pub fn sort_breaks(&mut self, same_azimuth: f64) {
        for b in &mut self.breaks {
            *b = b.rem_euclid(TAU);
        }
        self.breaks.sort_unstable_by(f64::total_cmp);
        self.breaks.dedup_by(|b, a| *b - *a < same_azimuth);
    }

    fn by_panels(&mut self, task: &Task) -> (Sums, f64) {
        // A single break still needs panels short enough to see what lies between.
        const WIDEST: f64 = TAU / 4.0;
        self.panels.clear();
        self.waiting.clear();
        let n_breaks = self.breaks.len();
        for k in 0..n_breaks {
            let from = self.breaks[k];
            let to = if k + 1 < n_breaks { self.breaks[k + 1] } else { self.breaks[0] + TAU };
            let n_parts = ((to - from) / WIDEST).ceil().max(1.0);
            for part in 0..n_parts as usize {
                let width = (to - from) / n_parts;
                self.waiting.push([from + width * part as f64, from + width * (part + 1) as f64]);
            }
        }
        let mut n_half_planes = 0;
        while let Some([from, to]) = self.waiting.pop() {
            if to - from < 0.1 * task.fineness.same_azimuth {
                continue;
            }
            n_half_planes += GAUSS_7.len();
            let may_split = n_half_planes < MOST_HALF_PLANES && to - from > 10.0 * task.fineness.same_azimuth;
            if let Some(panel) = self.panel(task, from, to, [0.0, 1.0], &GAUSS_7, may_split) {
                self.panels.push(panel);
            } else {
                // The sequence changes within: the panel was cut up at the changes.
                self.breaks.clear();
                std::mem::swap(&mut self.breaks, &mut self.found);
                let mut left = from;
                for k in 0..self.breaks.len() {
                    let place = self.breaks[k].clamp(left, to);
                    self.waiting.push([left, place]);
                    left = place;
                }
                self.waiting.push([left, to]);
            }
        }
        loop {
            let mut total = Sums::default();
            for panel in &self.panels {
                total.add(&panel.fine, 1.0);
            }
            let scale = scale_of(&total, task.length);
            // Errors are kept against a panel's own scale; here they count by its share.
            let share =
                |panel: &Panel| panel.error * (panel.fine.area / scale.area).max(panel.fine.volume / scale.volume);
            let error: f64 = self.panels.iter().map(share).sum();
            let worst = self.panels.iter().enumerate().max_by(|x, y| share(x.1).total_cmp(&share(y.1)));
            let Some((index, _)) = worst else { return (total, 0.0) };
            if error <= task.tolerance || n_half_planes >= MOST_HALF_PLANES {
                return (total, error);
            }
            // The better rule first, then halves.
            let Panel { from, to, s, is_fine, .. } = self.panels.swap_remove(index);
            let middle = if is_fine { 0.5 * (s[0] + s[1]) } else { s[1] };
            for part in [[s[0], middle], [middle, s[1]]] {
                if part[0] >= part[1] {
                    continue;
                }
                n_half_planes += KRONROD_15.len();
                if let Some(panel) = self.panel(task, from, to, part, &KRONROD_15, false) {
                    self.panels.push(panel);
                }
            }
        }
    }

    /// One panel, or `None` with the changes of the sequence in `found`.
    fn panel(
        &mut self,
        task: &Task,
        from: f64,
        to: f64,
        s: [f64; 2],
        rule: &[(f64, f64, f64)],
        may_split: bool,
    ) -> Option<Panel> {
        let (mut fine, mut coarse) = (Sums::default(), Sums::default());
        let (middle, half) = (0.5 * (s[0] + s[1]), 0.5 * (s[1] - s[0]));
        let mut previous: Option<(f64, u64)> = None;
        let mut is_split = false;
        for &(x, w, v) in rule {
            let s = middle + half * x;
            let azimuth = from + (to - from) * s * s * (3.0 - 2.0 * s);
            let slope = half * (to - from) * 6.0 * s * (1.0 - s);
            let (sums, signature) = self.sample(task, azimuth);
            if may_split {
                if let Some(previous) = previous
                    && previous.1 != signature
                {
                    if !is_split {
                        self.found.clear();
                    }
                    is_split = true;
                    std::mem::swap(&mut self.breaks, &mut self.found);
                    self.find_changes(task, previous, (azimuth, signature));
                    std::mem::swap(&mut self.breaks, &mut self.found);
                }
                previous = Some((azimuth, signature));
            }
            if !is_split {
                fine.add(&sums, w * slope);
                coarse.add(&sums, v * slope);
            }
        }
        if is_split {
            return None;
        }
        let difference = fine.difference(&coarse, &scale_of(&fine, task.length));
        let is_fine = rule.len() > GAUSS_7.len();
        // The better rule of each pair has more than twice (7 and 5 nodes) or one and a half times (15 and 7) the order.
        let error = if is_fine { 10.0 * difference.powf(1.5) } else { difference * difference };
        Some(Panel { from, to, s, fine, error: difference.min(error), is_fine })
    }
}

fn scale_of(sums: &Sums, length: f64) -> Scale {
    Scale { volume: sums.volume, area: sums.area, length }
}
