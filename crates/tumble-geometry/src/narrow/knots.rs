//! Azimuths about a wall's axis at which a body that bulges is looked at besides evenly spaced ones: part of
//! contact_convex_revolved.rs.

use super::contact_convex_revolved::{MOST_SAMPLES, Question};
use glam::DVec2;
use std::f64::consts::PI;

/// Most samples besides those that are evenly spaced: two for each place where a piece of a body that bulges gives way to
/// the next, and two for each rim.
const MOST_KNOTS: usize = 12;

/// Azimuths at which the reach of a body that bulges goes over from one piece to the next [rad].
#[derive(Default)]
pub(super) struct Knots {
    angles: [f64; MOST_KNOTS],
    len: usize,
}

impl Knots {
    pub fn add(&mut self, angle: f64) {
        if angle.is_finite() && self.len < MOST_KNOTS {
            self.angles[self.len] = angle;
            self.len += 1;
        }
    }

    /// The azimuths at which the wall's normal has a component along the body's axis.
    pub fn add_turn(&mut self, question: &Question, toward: DVec2, along: f64) {
        let axis = question.body.axis();
        let across = axis.with_z(0.0);
        let cosine = (along - axis.z * toward.y) / (toward.x * across.length());
        if cosine.abs() <= 1.0 {
            let (middle, off) = (question.azimuth_of(across), cosine.acos());
            self.add(middle - off);
            self.add(middle + off);
        }
    }

    /// The ends of `n_even` equal intervals between minus and plus an angle, and these in between, in order: all but the
    /// first, and how many there are.
    pub fn among(&self, half_arc: f64, n_even: usize) -> ([f64; MOST_SAMPLES + MOST_KNOTS], usize) {
        let mut angles = [f64::INFINITY; MOST_SAMPLES + MOST_KNOTS];
        for k in 1..=n_even {
            angles[k - 1] = half_arc * (2.0 * k as f64 / n_even as f64 - 1.0);
        }
        let mut len = n_even;
        for angle in &self.angles[..self.len] {
            // Within a half turn of the middle.
            let angle = (angle + PI).rem_euclid(2.0 * PI) - PI;
            if angle.abs() < half_arc {
                let place = angles[..len].partition_point(|other| *other < angle);
                angles.copy_within(place..len, place + 1);
                angles[place] = angle;
                len += 1;
            }
        }
        (angles, len)
    }
}
