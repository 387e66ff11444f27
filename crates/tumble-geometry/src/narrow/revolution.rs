//! Two bodies of revolution: the largest gap over all directions, by the pieces of which the gap is made.
//!
//! With u and v the components of the normal along the two axes, the gap is n . (c_b - c_a) - f_a(u) - f_b(-v), each f the
//! support of a profile ([`profile`]): four numbers in (Feng's d, alpha, s1, s2) and two unknowns. Its pieces are points
//! (both bodies farthest with their straight sides; one with a cap), circles (one with its side) and areas (ring against
//! ring). The order of work:
//!
//! 1. the common normal of the two sides, if their lines cross within them, and the caps;
//! 2. Newton's method from a direction of the last step or from the best of a few ([`ascend`]);
//! 3. proof that what was found is the best ([`certify`]): for bodies apart any stationary direction is.
//!
//! Where no proof is found (depths comparable to the bodies, axes that coincide, thin bodies through each other) the general
//! algorithm answers. So no answer rests on the choice of directions.
//!
//! Reference: Feng, Han and Owen, *A generic contact detection framework for cylindrical particles in discrete element
//! modelling*, Comput. Methods Appl. Mech. Engrg. 315 (2017) 632, for the frame and the pieces.

mod ascend;
mod certify;
mod profile;

use super::contact_general;
use super::general::in_the_middle;
use crate::contact::NotConverged;
use crate::{Contact, Pose, Shape, tolerance};
use ascend::{Ascent, Stationary, ascend, between};
use certify::is_best;
use glam::DVec3;
use profile::{Facing, First, Profile, Second, Side};

/// Angle [rad] by which a normal turns in a step at most, in runs: sides within it of a guess are tried first.
const TURN_OF_A_STEP: f64 = 1e-3;

/// How many directions a search is begun from before the general algorithm takes over.
const MOST_SEARCHES: usize = 3;

/// Two bodies of revolution, seen from a.
struct Pair {
    a: First,
    b: Second,
    size: f64,
}

impl Pair {
    /// The gap along a unit normal [m].
    #[inline]
    fn gap(&self, normal: DVec3) -> f64 {
        normal.dot(self.b.centre) - self.a.reach(normal) - self.b.reach(normal)
    }

    /// The same where it is known how the bodies stand to the normal.
    #[inline]
    fn gap_facing(&self, normal: DVec3, [a, b]: &[Facing; 2]) -> f64 {
        normal.dot(self.b.centre) - self.a.0.reach(a.u, a.s) - self.b.profile.reach(b.u, b.s)
    }
}

/// The contact of two bodies of revolution, begun from a direction that is thought to be near the normal; `None` as soon as
/// they are known to be farther apart than `limit`. Other shapes go to [`contact_general`].
pub fn contact_revolution(
    shape_a: &Shape,
    shape_b: &Shape,
    pose_ab: &Pose,
    guess: Option<DVec3>,
    limit: f64,
) -> Result<Option<Contact>, NotConverged> {
    let (Some(a), Some(b)) = (Profile::of(shape_a), Profile::of(shape_b)) else {
        return contact_general(shape_a, shape_b, pose_ab, guess, limit);
    };
    let size = a.bounding_radius.max(b.bounding_radius);
    let pair = Pair {
        a: First(a),
        b: Second { profile: b, centre: pose_ab.position, axis: pose_ab.orientation * DVec3::Z },
        size,
    };
    let search = Search { pair: &pair, shapes: [shape_a, shape_b], pose_ab, limit };
    match search.run(guess) {
        Found::Beyond => Ok(None),
        Found::Contact(contact) => Ok((contact.separation <= limit).then_some(contact)),
        // Bounds that do not close from the best direction may close from another.
        Found::Nothing(best) => contact_general(shape_a, shape_b, pose_ab, best.or(guess), limit).or_else(|open| {
            contact_general(shape_a, shape_b, pose_ab, None, limit)
                .map_err(|other| if other.bound < open.bound { other } else { open })
        }),
    }
}

enum Found {
    Beyond,
    Contact(Contact),
    /// Nothing that is proven: the best direction met.
    Nothing(Option<DVec3>),
}

struct Search<'a> {
    pair: &'a Pair,
    shapes: [&'a Shape; 2],
    pose_ab: &'a Pose,
    limit: f64,
}

impl Search<'_> {
    fn run(&self, guess: Option<DVec3>) -> Found {
        let pair = self.pair;
        let mut best: Option<(f64, DVec3)> = None;
        let mut keep = |gap: f64, normal: DVec3| {
            if best.is_none_or(|(largest, _)| gap > largest) {
                best = Some((gap, normal));
            }
        };
        if let Some(start) = guess.and_then(DVec3::try_normalize) {
            match self.conclude(ascend(pair, start, TURN_OF_A_STEP, self.limit)) {
                Found::Nothing(Some(normal)) => keep(pair.gap(normal), normal),
                Found::Nothing(None) => {}
                found => return found,
            }
        }
        // The common perpendicular of the axes, and the caps.
        let mut starts = Starts::default();
        let offset = pair.b.centre;
        if let (Some(a), Some(b)) = (pair.a.0.first_side(), pair.b.profile.first_side())
            && let Some(normal) = between(pair, [a, b], offset)
        {
            starts.add(pair, normal);
        }
        for axis in [DVec3::Z, pair.b.axis] {
            let along = offset.dot(axis);
            starts.add(pair, axis * 1f64.copysign(along));
            if let Some(radial) = (offset - axis * along).try_normalize() {
                starts.add(pair, radial);
            }
        }
        if let Some(line) = offset.try_normalize() {
            starts.add(pair, line);
        }
        for _ in 0..MOST_SEARCHES {
            let Some((gap, start)) = starts.take_best() else { break };
            if gap > self.limit {
                return Found::Beyond;
            }
            match self.conclude(ascend(pair, start, tolerance::LIES_FLAT, self.limit)) {
                Found::Nothing(Some(normal)) => keep(pair.gap(normal), normal),
                Found::Nothing(None) => {}
                found => return found,
            }
        }
        Found::Nothing(best.map(|(_, normal)| normal))
    }

    /// The contact of a search that ended well and whose end is proven to be the best.
    #[inline(always)]
    fn conclude(&self, ascent: Ascent) -> Found {
        match ascent {
            Ascent::Beyond => Found::Beyond,
            Ascent::Stuck(normal) => Found::Nothing(Some(normal)),
            Ascent::Stationary(found) => {
                let contact = self.contact(&found);
                let middle = Stationary { points: [contact.point_a, contact.point_b], ..found };
                if is_best(self.pair, &middle) { Found::Contact(contact) } else { Found::Nothing(Some(found.normal)) }
            }
        }
    }

    #[inline(always)]
    fn contact(&self, found: &Stationary) -> Contact {
        let Stationary { normal, gap, points: [point_a, point_b], facings } = *found;
        let contact = Contact { normal, separation: gap, point_a, point_b };
        let pair = self.pair;
        let flat = [shows(&pair.a.0, &facings[0]), shows(&pair.b.profile, &facings[1])];
        // Lines that cross do so in a point.
        let cross = || pair.b.axis.truncate().length_squared() > tolerance::LIES_FLAT * tolerance::LIES_FLAT;
        if flat[0] == Shown::Point || flat[1] == Shown::Point || flat == [Shown::Line; 2] && cross() {
            return contact;
        }
        in_the_middle(self.shapes[0], self.shapes[1], self.pose_ab, contact, pair.size)
    }
}

/// What of a body is farthest along a direction.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Point,
    Line,
    Disc,
}

#[inline]
fn shows(profile: &Profile, facing: &Facing) -> Shown {
    let flat = tolerance::LIES_FLAT * profile.bounding_radius;
    let ring = profile.ring(profile.ring_at(facing.u));
    if ring.radius > 0.0 && 2.0 * ring.radius * facing.s <= flat {
        return Shown::Disc;
    }
    if profile.side_near(facing.u, flat).is_some() { Shown::Line } else { Shown::Point }
}

/// Directions to begin from.
#[derive(Default)]
struct Starts {
    gaps: [f64; 8],
    normals: [DVec3; 8],
    len: usize,
}

impl Starts {
    #[inline]
    fn add(&mut self, pair: &Pair, normal: DVec3) {
        if self.len < self.gaps.len() {
            self.gaps[self.len] = pair.gap(normal);
            self.normals[self.len] = normal;
            self.len += 1;
        }
    }

    /// The one with the largest gap, taken out.
    #[inline]
    fn take_best(&mut self) -> Option<(f64, DVec3)> {
        let mut best = 0;
        for k in 1..self.len {
            if self.gaps[k] > self.gaps[best] {
                best = k;
            }
        }
        if self.len == 0 {
            return None;
        }
        let taken = (self.gaps[best], self.normals[best]);
        self.len -= 1;
        self.gaps[best] = self.gaps[self.len];
        self.normals[best] = self.normals[self.len];
        Some(taken)
    }
}
