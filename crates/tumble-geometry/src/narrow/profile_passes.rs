//! The passes between contacts with neighbouring pieces of a profile (blend.rs): part of contact_convex_revolved.rs.
//!
//! At a hollow corner the normals of the wall turn in each meridian plane from those of one piece to those of the next, by the angle
//! psi, and go around the axis with the azimuth phi. The depth along n(psi, phi), measured from the corner, is
//!
//!   D(psi, phi) = max over the body of n . x  -  n . p,
//!
//! which is that of the one piece at one end of the turn and that of the other at the other end. In the meridian plane of phi the two
//! hang together down to J(phi) = min over psi of D. So a contact with the one piece, a largest D over phi, and one with the other
//! hang together down to the largest J over the azimuths between which D rises to both. It is stationary in phi and psi, or that of one of the
//! contacts; or it is where two values of psi have the least D, and then the two together are stationary: each counts by the part at which
//! their slopes over phi cancel. J is no deeper than either contact, and where the place of the one goes over the corner it is as deep as that
//! one, so that the two cancel. How a curve is cut into pieces therefore does not matter but for the height of its facets.
//!
//! What is least over phi hangs together down to the least J: contacts around rods and hills, and those on the far side of the axis. A contact on the
//! far side stands for a loop of normals around the axis. Where the wall is closed below, by a tip or a flat piece, the normals inside the
//! loop are those of the wall too, and the loop counts only down to the least D over all of them.
//!
//! A tip is a corner at which the piece on one side of the axis meets itself on the other.
//!
//! Pieces that turn by more than [`GOES_OVER`] do not hang together.
//!
//! Known limits: J is taken to have one largest value between two contacts; vertices of polyhedra are contacts of their own (inside_revolved.rs)
//! and take no part, so that a polyhedron that goes from the flat floor around a hill on to the hill has a step.

use super::blend::{NOTHING, Pass};
use super::contact_convex_revolved::{Question, Wall};
use super::direction_fan::{DirectionFan, Extreme, close_in};
use super::face_reach::GOES_OVER;
use super::inside_revolved::Link;
use crate::{SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Most looks at a way over a corner.
const MOST_LOOKS: usize = 100;

/// First step of azimuth away from a contact [rad]; each is twice the one before.
const FIRST_STEP: f64 = 0.01;

/// How far from the end of some azimuths the last look is, over all of them.
const BESIDE: f64 = 1e-6;

/// Intervals between the azimuths of two contacts at whose ends a largest depth is looked for first.
const N_BETWEEN: usize = 6;

/// Unit vectors that differ by less are one direction.
const ONE_DIRECTION: f64 = 1e-6;

/// Weights of one of two places below this are rounding.
const NO_WEIGHT: f64 = 1e-8;

/// Azimuths all around the axis at which a least depth is looked for.
const N_AROUND: usize = 12;

/// What leads from contact to contact.
#[derive(Default)]
pub(super) struct Ways {
    /// Passes between contacts with one piece.
    pub links: Vec<Link>,
    pub nodes: Vec<Node>,
    /// Pieces that were met.
    pub walls: Vec<Wall>,
    /// Features of contacts with runs (profile_runs.rs).
    pub of_runs: Vec<u32>,
}

/// A contact with a piece of wall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub feature: u32,
    /// First segment of the piece.
    pub wall: u32,
    pub kind: Kind,
}

/// What a contact is over the azimuths, which are measured from the body's centre [rad].
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// The largest depth between two azimuths, inside a tube or cone.
    Largest { angle: f64, basin: [f64; 2] },
    /// The least depth around the axis there.
    Far { angle: f64 },
    /// The least depth, around a rod.
    Around { angle: f64 },
    /// That of a flat ring.
    Flat,
}

/// A hollow corner: the place in the half-plane, and the angles of the normals in it from one to another.
#[derive(Clone, Copy)]
struct Corner {
    place: DVec2,
    low: f64,
    high: f64,
}

/// A way over a corner at its lowest: place and depth. The value has the sign of the slope of the depth over the azimuth.
#[derive(Clone, Copy)]
struct Crossing {
    extreme: Extreme,
    depth: f64,
    /// How fast the depth grows with the azimuth [m].
    rise: f64,
}

/// A place or two that are a pass together.
type Places = (SurfaceContact, Option<SurfaceContact>);

/// Appends the passes over hollow corners between contacts.
pub(super) fn passes_over_corners(
    question: &Question,
    ways: &Ways,
    contacts: &[SurfaceContact],
    passes: &mut Vec<Pass>,
) {
    let through: Vec<(usize, &Node)> = ways
        .nodes
        .iter()
        .filter_map(|node| contacts.iter().position(|contact| contact.feature == node.feature).map(|at| (at, node)))
        .filter(|(at, _)| contacts[*at].separation < 0.0)
        .collect();
    if through.is_empty() {
        return;
    }
    let on = |wall: &Wall| {
        let first = wall.first;
        through.iter().filter(move |(_, node)| node.wall == first).copied().collect::<Vec<_>>()
    };
    for wall in &ways.walls {
        let own = on(wall);
        if own.is_empty() {
            continue;
        }
        passes_over_tip(question, wall, &own, contacts, passes);
        let Some(next) = ways.walls.iter().find(|next| question.follows(wall, next)) else { continue };
        let Some(corner) = Corner::between(wall, next).filter(|corner| corner.high - corner.low <= GOES_OVER) else {
            continue;
        };
        for &one in &own {
            for &other in &on(next) {
                join(question, &corner, [wall.angle(), next.angle()], one, other, contacts, passes);
            }
        }
    }
}

/// The passes between a contact with one piece and one with the next, whose normals have these angles.
fn join(
    question: &Question,
    corner: &Corner,
    angles: [f64; 2],
    (one, a): (usize, &Node),
    (other, b): (usize, &Node),
    contacts: &[SurfaceContact],
    passes: &mut Vec<Pass>,
) {
    let lesser = if contacts[one].separation > contacts[other].separation { one } else { other };
    let mut take = |between: [usize; 2], places: Option<Places>| {
        passes.extend(places.map(|(at, beside)| Pass { between, at, beside }));
    };
    match (a.kind, b.kind) {
        (Kind::Largest { .. } | Kind::Flat, Kind::Largest { .. } | Kind::Flat) => {
            for part in common_azimuths(a.kind, b.kind) {
                take([one, other], question.highest_way(corner, part, [&contacts[one], &contacts[other]]));
            }
        }
        (Kind::Far { angle }, Kind::Far { angle: next }) => {
            let start = if lesser == one { angle } else { next };
            take([one, other], question.lowest_way(corner, start, true));
        }
        (Kind::Around { angle }, Kind::Around { .. } | Kind::Flat) | (Kind::Flat, Kind::Around { angle }) => {
            take([one, other], question.lowest_way(corner, angle, false));
        }
        (Kind::Flat, Kind::Far { angle }) => take([other, NOTHING], question.lowest_way(corner, angle, true)),
        (Kind::Far { angle }, Kind::Flat) => take([one, NOTHING], question.lowest_way(corner, angle, true)),
        // From an inside over the axial normal to a hill.
        (Kind::Largest { .. }, Kind::Around { angle }) | (Kind::Around { angle }, Kind::Largest { .. }) => {
            let (inside, hill) = if let Kind::Around { .. } = a.kind { ((other, b), 1) } else { ((one, a), 0) };
            let axial = FRAC_PI_2.copysign(corner.low + corner.high);
            let [to_hill, to_inside] = [1 - hill, hill].map(|side| Corner {
                low: angles[side].min(axial),
                high: angles[side].max(axial),
                ..*corner
            });
            let lowest = question.lowest_way(&to_hill, angle, false);
            for part in common_azimuths(inside.1.kind, Kind::Flat) {
                let highest = question.highest_way(&to_inside, part, [&contacts[inside.0]; 2]);
                if let (Some(highest), Some(lowest)) = (highest, lowest) {
                    let way = if highest.0.separation > lowest.0.separation { highest } else { lowest };
                    take([one, other], Some(way));
                }
            }
        }
        (Kind::Largest { .. }, Kind::Far { .. })
        | (Kind::Far { .. }, Kind::Largest { .. } | Kind::Around { .. })
        | (Kind::Around { .. }, Kind::Far { .. }) => {}
    }
}

/// The passes over a tip of a cone, seen from inside.
fn passes_over_tip(
    question: &Question,
    wall: &Wall,
    own: &[(usize, &Node)],
    contacts: &[SurfaceContact],
    passes: &mut Vec<Pass>,
) {
    let Some(corner) = Corner::tip(wall) else { return };
    let goes_over = corner.high - corner.low <= GOES_OVER;
    for (k, &(one, a)) in own.iter().enumerate() {
        if let Kind::Far { angle } = a.kind {
            let way = question.lowest_way(&corner, angle, true);
            passes.extend(way.map(|(at, beside)| Pass { between: [one, NOTHING], at, beside }));
        }
        for &(other, b) in own[k + 1..].iter().filter(|_| goes_over) {
            // Seen from the one the other is on the opposite side.
            let Kind::Largest { angle, basin } = b.kind else { continue };
            let opposite = Kind::Largest { angle: angle + PI, basin: basin.map(|end| end + PI) };
            for part in common_azimuths(a.kind, opposite) {
                let way = question.highest_way(&corner, part, [&contacts[one], &contacts[other]]);
                passes.extend(way.map(|(at, beside)| Pass { between: [one, other], at, beside }));
            }
        }
    }
}

/// Azimuths from one to another, and the two contacts' own among them as far as they are.
#[derive(Clone, Copy)]
struct Azimuths {
    from: f64,
    to: f64,
    own: [Option<f64>; 2],
}

/// Where the azimuths from which the depth rises to one contact are those from which it rises to the other.
fn common_azimuths(a: Kind, b: Kind) -> Vec<Azimuths> {
    let (Kind::Largest { angle, basin }, Kind::Largest { angle: next, basin: next_basin }) = (a, b) else {
        return match (a, b) {
            (Kind::Largest { angle, basin: [from, to] }, Kind::Flat) => {
                vec![Azimuths { from, to, own: [Some(angle), None] }]
            }
            (Kind::Flat, Kind::Largest { angle, basin: [from, to] }) => {
                vec![Azimuths { from, to, own: [None, Some(angle)] }]
            }
            _ => Vec::new(),
        };
    };
    let turned = [-2.0, -1.0, 0.0, 1.0].map(|turns| 2.0 * PI * turns);
    let common = turned.into_iter().filter_map(|turn| {
        let (from, to) = (basin[0].max(next_basin[0] + turn), basin[1].min(next_basin[1] + turn));
        let own = [angle, next + turn].map(|own| (from..=to).contains(&own).then_some(own));
        (from <= to).then_some(Azimuths { from, to, own })
    });
    common.collect()
}

impl Corner {
    /// The corner between a piece and the next, if it is hollow for a body that is on the sides of both that its centre is on.
    fn between(wall: &Wall, next: &Wall) -> Option<Corner> {
        let is_hollow = next.segment.direction.dot(wall.toward) < -tolerance::FLAT_EDGE
            && wall.segment.direction.dot(next.toward) > tolerance::FLAT_EDGE;
        if !is_hollow || wall.segment.end.x <= 0.0 {
            return None;
        }
        let turn = wall.toward.angle_to(next.toward);
        let start = wall.angle();
        Some(Corner { place: wall.segment.end, low: start.min(start + turn), high: start.max(start + turn) })
    }

    /// The tip at an end of a piece, if it is met from inside.
    fn tip(wall: &Wall) -> Option<Corner> {
        let place = [wall.segment.start, wall.segment.end].into_iter().find(|end| end.x <= 0.0)?;
        if wall.toward.x <= 0.0 || wall.toward.y == 0.0 {
            return None;
        }
        let (own, opposite) = (wall.angle(), PI.copysign(wall.toward.y) - wall.angle());
        Some(Corner { place, low: own.min(opposite), high: own.max(opposite) })
    }
}

impl Wall {
    /// The angle of its normal in the half-plane [rad].
    fn angle(&self) -> f64 {
        self.toward.to_angle()
    }
}

impl Crossing {
    fn place(&self, weight: f64) -> SurfaceContact {
        let Extreme { direction, point, .. } = self.extreme;
        SurfaceContact { weight, ..SurfaceContact::new(0, direction, -self.depth, point - direction * self.depth) }
    }
}

impl Question<'_> {
    /// Whether a piece of wall comes after another.
    pub(super) fn follows(&self, wall: &Wall, next: &Wall) -> bool {
        let n_segments = self.revolved.segments().len() as u32;
        next.first == wall.last + 1 || (self.revolved.is_closed() && wall.last + 1 == n_segments && next.first == 0)
    }

    /// The least depth over the normals of a corner at an azimuth.
    fn crossing(&self, corner: &Corner, angle: f64) -> Crossing {
        let (outward, slope) = self.meridian(angle);
        let origin = outward * corner.place.x + DVec3::Z * corner.place.y;
        let fan = DirectionFan { constant: DVec3::ZERO, cosine: outward, sine: DVec3::Z, origin };
        let least = fan.least_reach(self.body, corner.low, corner.high, self.small);
        let slope = slope * least.angle.cos();
        let depth = least.direction.dot(least.point - origin);
        let extreme = Extreme { angle, slope, value: slope.dot(least.point), ..least };
        Crossing { extreme, depth, rise: extreme.value * self.body.steepness(&least, origin) }
    }

    /// The largest over azimuths of the least depth over the normals of a corner.
    fn highest_way(&self, corner: &Corner, among: Azimuths, contacts: [&SurfaceContact; 2]) -> Option<Places> {
        let look = |angle: f64| self.crossing(corner, angle);
        // Nothing is deeper than the contacts are.
        for (own, contact) in among.own.into_iter().zip(contacts) {
            if let Some(angle) = own
                && look(angle).depth >= -contact.separation - self.negligible(contact.separation)
            {
                return Some((*contact, None));
            }
        }
        // From the best of some azimuths between the two.
        let [one, other] = among.own;
        let near = one.or(other).unwrap_or(0.5 * (among.from + among.to));
        let (from, to) = (one.unwrap_or(near), other.unwrap_or(near));
        let n_looks = if from == to { 0 } else { N_BETWEEN };
        let best = (0..=n_looks)
            .map(|k| look(from + (to - from) * (k as f64 / n_looks.max(1) as f64)))
            .reduce(|best, next| if next.depth > best.depth { next } else { best })?;
        let (mut first, mut last) = (best, best);
        // At the very end of the azimuths the slope over them may be rounding. What is highest there joins nothing that is not joined there
        // by the contacts beyond.
        let beside = BESIDE * (among.to - among.from);
        let (low, high) = (among.from + beside, among.to - beside);
        let mut step = FIRST_STEP;
        while first.extreme.value < 0.0 && first.extreme.angle > low {
            last = first;
            first = look((first.extreme.angle - step).max(low));
            step *= 2.0;
        }
        while last.extreme.value > 0.0 && last.extreme.angle < high {
            first = last;
            last = look((last.extreme.angle + step).min(high));
            step *= 2.0;
        }
        if first.extreme.value <= 0.0 {
            return Some((first.place(1.0), None));
        }
        if last.extreme.value >= 0.0 {
            return Some((last.place(1.0), None));
        }
        Some(self.close_in_on_highest(look, first, last))
    }

    /// Closes in on a largest depth between two azimuths, to which it rises from the first and falls to the last.
    fn close_in_on_highest(&self, look: impl Fn(f64) -> Crossing, mut first: Crossing, mut last: Crossing) -> Places {
        for k in 0..MOST_LOOKS {
            for (end, other) in [(first, last), (last, first)] {
                if end.extreme.value.abs() <= self.small && end.depth >= other.depth {
                    return (end.place(1.0), None);
                }
            }
            let (from, to) = (first.extreme.angle, last.extreme.angle);
            let (rise, fall) = (first.rise, last.rise);
            // Where the two tangents meet.
            let meet = (last.depth - first.depth + rise * from - fall * to) / (rise - fall);
            let is_between = meet > from && meet < to;
            let above = first.depth + rise * (meet - from) - first.depth.max(last.depth);
            let are_two = first.extreme.direction.distance(last.extreme.direction) > ONE_DIRECTION;
            let is_found = is_between && are_two && above <= 0.1 * self.negligible(first.depth);
            if is_found || to - from <= 4.0 * f64::EPSILON * from.abs().max(to.abs()) {
                break;
            }
            let next = match k % 3 {
                0 => from + (to - from) * rise / (rise - fall),
                1 if is_between => meet,
                _ => 0.5 * (from + to),
            };
            let middle = look(if next > from && next < to { next } else { 0.5 * (from + to) });
            if middle.extreme.value >= 0.0 {
                first = middle;
            } else {
                last = middle;
            }
        }
        let part = last.rise / (last.rise - first.rise);
        let nearer = if part >= 0.5 { first } else { last };
        if first.extreme.direction.distance(last.extreme.direction) <= ONE_DIRECTION {
            // The farthest point jumps, or does not.
            let point = last.extreme.point.lerp(first.extreme.point, part);
            return (Crossing { extreme: Extreme { point, ..nearer.extreme }, ..nearer }.place(1.0), None);
        }
        if part <= NO_WEIGHT || part >= 1.0 - NO_WEIGHT {
            return (nearer.place(1.0), None);
        }
        (first.place(part), Some(last.place(1.0 - part)))
    }

    /// The least over azimuths of the least depth over the normals of a corner, near an azimuth or `anywhere` around the axis.
    fn lowest_way(&self, corner: &Corner, near: f64, anywhere: bool) -> Option<Places> {
        let look = |angle: f64| self.crossing(corner, angle);
        let mut start = look(near);
        if anywhere {
            for k in 1..N_AROUND {
                let other = look(near + 2.0 * PI * k as f64 / N_AROUND as f64);
                if other.depth < start.depth - self.negligible(start.depth) {
                    start = other;
                }
            }
        }
        if start.depth <= 0.0 {
            return None;
        }
        // Downhill.
        let falls_to = -start.extreme.value.signum();
        let mut end = start;
        let mut step = FIRST_STEP;
        while end.extreme.value.abs() > self.small && end.extreme.value * falls_to < 0.0 {
            if (end.extreme.angle - near).abs() > 2.0 * PI {
                return Some((end.place(1.0), None));
            }
            start = end;
            end = look(end.extreme.angle + step * falls_to);
            step *= 2.0;
        }
        if end.extreme.value.abs() <= self.small {
            return (end.depth > 0.0).then(|| (end.place(1.0), None));
        }
        let (first, last) = if falls_to > 0.0 { (start, end) } else { (end, start) };
        let turned = |crossing: Crossing| Extreme { value: -crossing.extreme.value, ..crossing.extreme };
        let found = close_in(|angle| turned(look(angle)), turned(first), turned(last), true, self.small);
        let lowest = look(found.angle);
        let is_same = lowest.extreme.direction.distance(found.direction) <= ONE_DIRECTION;
        let lowest = if is_same { Crossing { extreme: found, ..lowest } } else { lowest };
        (lowest.depth > 0.0).then(|| (lowest.place(1.0), None))
    }
}
