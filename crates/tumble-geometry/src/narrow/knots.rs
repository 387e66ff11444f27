//! Azimuths about a wall's axis at which a body is looked at besides evenly spaced ones: part of inside_revolved.rs.
//!
//! They are those at which one piece of its surface gives way to the next, where the slope of its reach bends or jumps, and
//! those at which it is nearly known to reach farthest.

use super::contact_convex_revolved::{Question, Wall};
use super::inside_revolved::MOST_SAMPLES;
use super::yielding::YieldingBody;
use crate::Shape;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Most samples besides those that are evenly spaced.
const MOST_KNOTS: usize = 48;

/// Where the farthest point jumps from one end of a straight piece to the other, and where the reach is known to be largest, is
/// looked at on either side, so far away [rad]: at the place itself the sign of the slope is that of rounding. Reaches between
/// differ by no more than its square.
const BESIDE: f64 = 1e-8;

/// Where the point goes from one side to the other fast, at more than one distance [rad].
const NEAR: [f64; 4] = [BESIDE, 1e-6, 1e-3, 3e-2];

/// Most places at which one piece of a surface gives way to the next.
const MOST_TURNS: usize = 8;

/// Steps towards where that is on a body that gives way.
const N_APPROACHES: usize = 8;

/// Two turns are the same if they differ by less than this.
const SAME_TURN: f64 = 1e-12;

/// Azimuths [rad].
pub(super) struct Knots {
    angles: [f64; MOST_KNOTS],
    len: usize,
}

impl Knots {
    /// Those of a body inside a wall.
    pub fn of(question: &Question, wall: &Wall, surrounds_axis: bool) -> Knots {
        let toward = wall.toward;
        let mut knots = Knots { angles: [0.0; MOST_KNOTS], len: 0 };
        let (body, shape) = (question.body, question.body.convex.shape);
        let axis = body.axis();
        if let Shape::Superquadric(_) = shape {
            // Where a local component of the normal changes its sign the point goes from one side to the other: at once, or
            // nearly so with large exponents.
            for local in DVec3::AXES {
                let axis = body.place(local) - body.centre;
                for beside in NEAR {
                    knots.add_turn(question, toward, axis, 0.0, beside);
                }
            }
            return knots;
        }
        if let Some(yielding) = body.yields {
            knots.add_turns_of_yielding(question, wall, yielding);
        } else if let Some(bulging) = body.convex.bulging {
            for turn in bulging.turns() {
                knots.add_turn(question, toward, axis, turn, 0.0);
            }
            knots.add_turn(question, toward, axis, 0.0, 0.0);
        } else {
            match shape {
                Shape::TruncatedCone(cone) => {
                    let fall = cone.lower_radius - cone.upper_radius;
                    knots.add_turn(question, toward, axis, fall / fall.hypot(cone.height), BESIDE);
                }
                Shape::Tablet(tablet) => {
                    let end = 1.0 - tablet.dome_height / tablet.dome_radius();
                    for turn in [-end, end] {
                        knots.add_turn(question, toward, axis, turn, 0.0);
                    }
                    knots.add_turn(question, toward, axis, 0.0, BESIDE);
                }
                _ => knots.add_turn(question, toward, axis, 0.0, BESIDE),
            }
        }
        // A rim that is seen edge on, or nearly so.
        let middle = question.azimuth_of(axis);
        for middle in [middle, middle + PI] {
            let is_smooth = body.yields.is_some() || body.convex.bulging.is_some();
            for beside in &NEAR[..if is_smooth { 1 } else { NEAR.len() }] {
                knots.add_beside(middle, *beside);
            }
        }
        for rim in shape.rims().into_iter().flatten().filter(|rim| rim.0 > 0.0) {
            if toward.y == 0.0 && !surrounds_axis {
                for point in question.placed_rim(rim).farthest(0.0).into_iter().flatten().flatten() {
                    knots.add_beside(question.azimuth_of(point), BESIDE);
                }
            }
        }
        if let Shape::Capsule(capsule) = shape {
            for end in [-capsule.half_height, capsule.half_height] {
                knots.add_beside(question.azimuth_of(body.place(DVec3::Z * end)), BESIDE);
            }
        }
        knots
    }

    /// Those on either side of places at which the reach is known to be largest.
    pub fn at(question: &Question, places: &[DVec3]) -> Knots {
        let mut knots = Knots { angles: [0.0; MOST_KNOTS], len: 0 };
        for &place in places {
            knots.add_beside(question.azimuth_of(place), BESIDE);
        }
        knots
    }

    fn add(&mut self, angle: f64) {
        if angle.is_finite() && self.len < MOST_KNOTS {
            self.angles[self.len] = angle;
            self.len += 1;
        }
    }

    fn add_beside(&mut self, angle: f64, beside: f64) {
        self.add(angle - beside);
        self.add(angle + beside);
    }

    /// The azimuths at which the wall's normal has a component along an axis of the body, or a little to either side.
    fn add_turn(&mut self, question: &Question, toward: DVec2, axis: DVec3, along: f64, beside: f64) {
        let across = axis.with_z(0.0);
        let cosine = (along - axis.z * toward.y) / (toward.x * across.length());
        if cosine.abs() <= 1.0 {
            let (middle, off) = (question.azimuth_of(across), cosine.acos());
            for angle in [middle - off, middle + off] {
                if beside > 0.0 {
                    self.add_beside(angle, beside);
                } else {
                    self.add(angle);
                }
            }
        }
    }

    /// The azimuths at which one piece of the surface of a body that gives way goes over into the next. How wide the pieces are depends on
    /// how deep the body is there.
    fn add_turns_of_yielding(&mut self, question: &Question, wall: &Wall, body: &YieldingBody) {
        let (placed, toward) = (question.body, wall.toward);
        let axis = placed.axis();
        self.add_turn(question, toward, axis, 0.0, 0.0);
        let across = axis.with_z(0.0);
        let middle = question.azimuth_of(across);
        let level = toward.dot(wall.segment.start);
        // The turns at a bulge, by their places in the list.
        let turns = |bulge: f64| {
            let (mut list, mut n) = ([0.0; MOST_TURNS], 0);
            body.turns(bulge, |turn| {
                if let Some(place) = list.get_mut(n) {
                    *place = turn;
                    n += 1;
                }
            });
            (list, n)
        };
        let (first, n_turns) = turns(body.bulge(0.0));
        for (index, &start) in first[..n_turns].iter().enumerate() {
            for side in [-1.0, 1.0] {
                // A turn, and where it is if the body is as deep as there: equal in the end, by secants.
                let (mut turn, mut last): (f64, Option<(f64, f64)>) = (start, None);
                let mut angle = None;
                for _ in 0..N_APPROACHES {
                    let cosine = (turn - axis.z * toward.y) / (toward.x * across.length());
                    if cosine.is_nan() || cosine.abs() > 1.0 {
                        break;
                    }
                    let at = middle + side * cosine.acos();
                    let normal = question.meridian(at).0 * toward.x + DVec3::Z * toward.y;
                    let distance = level - normal.dot(placed.centre);
                    let depth = body.against_plane(placed.local_direction(normal), distance).depth;
                    let off = turns(body.bulge(depth)).0[index] - turn;
                    angle = Some(at);
                    if off.abs() <= SAME_TURN {
                        break;
                    }
                    let slope = last.map_or(-1.0, |(before, off_before)| (off - off_before) / (turn - before));
                    last = Some((turn, off));
                    turn -= off / if slope < -1e-3 { slope } else { -1.0 };
                }
                if let Some(angle) = angle {
                    self.add(angle);
                }
            }
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
