//! What counts as a bad answer.

use crate::sets::Pair;
use glam::DVec3;
use tumble_geometry::{Shape, oracle};

/// Multiplies the size: a separation smaller than this is a touch, and neither verdict is wrong.
const TOUCH: f64 = 1e-9;

/// The share by which depth or normal may be off before an answer is bad.
const SHARE: f64 = 0.1;

/// How the answers to a set turned out.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Overlapping, but said to be apart.
    pub missed: usize,
    /// Apart, but said to overlap.
    pub invented: usize,
    /// Not a number.
    pub not_a_number: usize,
    /// Depth off by more than a tenth.
    pub depth: usize,
    /// Normal off by more than a tenth, along which the gap is off by more than a tenth too. Where two directions are
    /// equally good either serves.
    pub normal: usize,
    /// Said not to have converged.
    pub not_converged: usize,
    /// Answers that gave a separation.
    pub answered: usize,
    /// Largest error of the separation over the size.
    pub largest_error: f64,
}

impl Tally {
    /// All bad answers.
    pub fn bad(&self) -> usize {
        self.missed + self.invented + self.not_a_number + self.depth + self.normal + self.not_converged
    }

    /// Takes up one answer: separation and normal, or none for "apart".
    pub fn judge(&mut self, a: &Shape, b: &Shape, pair: &Pair, found: Option<(f64, DVec3)>) {
        let size = a.bounding_radius().max(b.bounding_radius());
        let is_touch = pair.separation.abs() < TOUCH * size;
        let Some((separation, normal)) = found else {
            self.missed += usize::from(pair.separation < 0.0 && !is_touch);
            return;
        };
        self.answered += 1;
        if !separation.is_finite() || !normal.is_finite() {
            self.not_a_number += 1;
            return;
        }
        let error = (separation - pair.separation).abs();
        self.largest_error = self.largest_error.max(error / size);
        if is_touch {
            return;
        }
        if (separation < 0.0) != (pair.separation < 0.0) {
            if separation < 0.0 {
                self.invented += 1;
            } else {
                self.missed += 1;
            }
        } else if error > SHARE * pair.separation.abs() {
            self.depth += 1;
        } else if (normal - pair.normal).length() > SHARE {
            let gap = oracle::gap_along(a, b, &pair.pose_ab, normal);
            self.normal += usize::from((gap - pair.separation).abs() > SHARE * pair.separation.abs());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::{Pose, Sphere};

    #[test]
    fn each_kind_of_bad_answer_is_counted() {
        let shape = Shape::Sphere(Sphere { radius: 1.0 });
        let pair = |separation: f64| Pair {
            pose_ab: Pose::from_position(DVec3::X * (2.0 + separation)),
            separation,
            normal: DVec3::X,
            guess: DVec3::X,
        };
        let bad = |separation: f64, found: Option<(f64, DVec3)>| {
            let mut tally = Tally::default();
            tally.judge(&shape, &shape, &pair(separation), found);
            assert!(tally.bad() <= 1);
            tally
        };
        assert_eq!(bad(-0.01, Some((-0.0095, DVec3::X))).bad(), 0);
        assert_eq!(bad(-0.01, None).missed, 1);
        assert_eq!(bad(-0.01, Some((0.001, DVec3::X))).missed, 1);
        assert_eq!(bad(0.01, Some((-0.001, DVec3::X))).invented, 1);
        assert_eq!(bad(0.01, None).bad(), 0);
        assert_eq!(bad(-0.01, Some((f64::NAN, DVec3::X))).not_a_number, 1);
        assert_eq!(bad(-0.01, Some((-0.012, DVec3::X))).depth, 1);
        assert_eq!(bad(-0.01, Some((-0.01, DVec3::Y))).normal, 1);
        assert_eq!(bad(-1e-10, Some((1e-10, DVec3::Y))).bad(), 0);
        assert!((bad(-0.01, Some((-0.012, DVec3::X))).largest_error - 0.002).abs() < 1e-15);
    }
}
