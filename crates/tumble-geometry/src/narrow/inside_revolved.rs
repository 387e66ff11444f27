//! A convex body on the hollow side of a wall of revolution, inside a tube, cone or drum: part of contact_convex_revolved.rs.
//!
//! The normals n(phi) of a tube or cone go once around its axis, and the depth along them is D(phi) - level, D the body's reach.
//! Each largest D is a contact. Between two of them D is least somewhere, and if that is through the wall too it is their
//! pass (blend.rs): a rod that lies along a tube touches it in one place, and as it turns across the tube the place parts into two
//! at its ends without a jump in energy.
//!
//! A body that reaches through the wall all around the axis has as many passes as contacts. The least of them all joins
//! nothing that is not joined already. It is a contact on the far side: what is wedged in a funnel is held from both
//! sides, and what stands in the middle is pushed nowhere.
//!
//! Of a polyhedron every vertex that is through the wall is a contact of its own, with the depth that the vertex is beyond the
//! wall by itself, its distance from it. That is a smooth function of the place however many of them there are, and a box rests
//! on its four corners. Beyond a hollow corner of the profile the distance is that from the corner. Flat rings between
//! hollow corners, the ends of drums, are met so too.
//!
//! At an end of the wall, or a corner that juts out towards the body, a contact's place leaves the piece: see profile_runs.rs.
//!
//! Known limit: the foot of a place beyond a hollow corner of less than a right angle is no contact for a body that is no polyhedron.

use super::blend::{NOTHING, Pass};
use super::contact_convex_revolved::{Question, Wall};
use super::direction_fan::Extreme;
use super::knots::Knots;
use super::profile_passes::{Kind, Node, Ways};
use super::stationary_reaches::{Reaches, Turn};
use crate::surface::ProfileSegment;
use crate::{Polyhedron, Shape, SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// First samples over an arc of azimuths: fewest and most, and how far apart [rad] unless that makes them too many.
const FEWEST_SAMPLES: usize = 6;
pub(super) const MOST_SAMPLES: usize = 24;
const SAMPLE_SPACING: f64 = 0.1;

/// A pass and the features of the two contacts that it joins, or of one that it joins to nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub from: u32,
    pub to: Option<u32>,
    pub at: SurfaceContact,
}

impl Link {
    /// The same between places among contacts, if both are still there.
    pub fn among(&self, contacts: &[SurfaceContact]) -> Option<Pass> {
        let place = |feature: u32| contacts.iter().position(|contact| contact.feature == feature);
        let to = self.to.map_or(Some(NOTHING), place)?;
        Some(Pass::new([place(self.from)?, to], self.at))
    }
}

/// Azimuths to either side of that of the body's centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    /// How far they go [rad].
    pub half_arc: f64,
    /// Whether the body may be around the axis.
    pub surrounds_axis: bool,
}

/// What is lowest on the way from one largest reach to the next.
#[derive(Clone, Copy, Default)]
struct Low {
    /// The least reach.
    least: Option<Extreme>,
    /// An angle at which the reach is too small to matter, or is met on the far side.
    gap: Option<f64>,
}

impl Low {
    fn angle(&self) -> Option<f64> {
        self.gap.or(self.least.map(|least| least.angle))
    }
}

/// Where the ways from the last of the places found end.
fn end_of_last(found: &[(u32, f64, Low)]) -> Option<f64> {
    found.last().and_then(|last| last.2.angle())
}

impl Question<'_> {
    /// The inside of a tube or cone.
    pub(super) fn meet_concave(&self, wall: &Wall, out: &mut Vec<SurfaceContact>, ways: &mut Ways) {
        if let Some(polyhedron) = self.body.by_vertices() {
            if self.swing(wall).is_some() {
                self.meet_vertices(wall, polyhedron, out);
            }
            return;
        }
        let Some(Arc { half_arc, surrounds_axis }) = self.arc(wall) else { return };
        let level = wall.toward.dot(wall.segment.start);
        let evaluate = |angle: f64| wall.fan.extreme(angle, |direction| self.body.support_beyond(direction, level));
        let (turns, level) = if self.body.measured.is_some() {
            let bound = |first: &Extreme, last: &Extreme| {
                let [first, last] = [first, last].map(|at| Extreme { height: at.height + level, ..*at });
                first.height.max(last.height).max(self.bound(wall, &first, &last)) - level
            };
            // Depths, and not reaches.
            (self.measured_turns(half_arc, |angle| self.look_at_wall(wall, angle), bound), 0.0)
        } else {
            let mut turns = Vec::new();
            let knots = Knots::of(self, wall, surrounds_axis);
            let n_even = ((2.0 * half_arc / SAMPLE_SPACING) as usize).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
            let (angles, n_samples) = knots.among(half_arc, n_even);
            let reaches = Reaches {
                evaluate,
                bound: |first: &Extreme, last: &Extreme| self.bound(wall, first, last),
                needed: level - self.margin - self.small,
                small: self.small,
                ties: true,
            };
            reaches.turns(-half_arc, &angles[..n_samples], half_arc >= PI, &mut turns);
            leave_out_rounding(&mut turns, half_arc >= PI, self.small * 100.0);
            (turns, level)
        };
        if surrounds_axis && !turns.iter().any(|turn| matches!(turn, Turn::Largest(_) | Turn::Gap(_))) {
            // Round about the axis: every azimuth is as good as any other.
            let near = self.settle(wall, &evaluate(0.0), 0, out);
            let far = self.settle(wall, &evaluate(PI), 1, out);
            let all_around = Kind::Largest { angle: 0.0, basin: [-PI, PI] };
            ways.nodes.extend(near.map(|feature| Node { feature, wall: wall.first, kind: all_around }));
            ways.nodes.extend(far.map(|feature| Node { feature, wall: wall.first, kind: Kind::Far { angle: PI } }));
            return;
        }
        let settle = |extreme: &Extreme, far: u32| self.settle(wall, extreme, far, out);
        self.settle_turns(&[wall.first], level, &turns, half_arc, settle, ways);
    }

    /// Whether the bounding ball is around the axis; `None` if it comes nowhere within the margin. Only a body that surrounds the axis can
    /// reach the wall behind it.
    fn swing(&self, wall: &Wall) -> Option<bool> {
        let level = wall.toward.dot(wall.segment.start);
        let least = level - self.margin - self.body.radius - wall.toward.y * self.centre.y;
        let swing = wall.toward.x * self.centre.x;
        (least <= swing).then_some(least <= -swing)
    }

    /// The azimuths at which a body that is no polyhedron may come within the margin of a concave wall; `None` if it does nowhere.
    pub(super) fn arc(&self, wall: &Wall) -> Option<Arc> {
        let surrounds_axis = self.swing(wall)?;
        let convex = self.body.convex;
        if !surrounds_axis
            && let Some(rims) = convex.shape.rims()
            && !rims.iter().any(|&rim| self.placed_rim(rim).may_reach(self.needed(wall, rim) - convex.bulge()))
        {
            return None;
        }
        let half_arc = if surrounds_axis { PI } else { self.half_arc(wall) };
        (half_arc > 0.0).then_some(Arc { half_arc, surrounds_axis })
    }

    /// Reports the largest reaches, and the least ones between them as passes. Reaches are measured from a level; `walls` are the first
    /// segments of the pieces that are met, and `settle` reports a place, 1 on the far side, and tells its feature.
    pub(super) fn settle_turns(
        &self,
        walls: &[u32],
        level: f64,
        turns: &[Turn],
        half_arc: f64,
        mut settle: impl FnMut(&Extreme, u32) -> Option<u32>,
        ways: &mut Ways,
    ) {
        let node = |feature: u32, kind: Kind| walls.iter().map(move |&wall| Node { feature, wall, kind });
        let is_closed = half_arc >= PI;
        let is_lower = |a: &Extreme, b: &Option<Extreme>| b.is_none_or(|b| a.height < b.height);
        // All around the axis the least reach of all is met on the far side.
        let mut far = None;
        if is_closed && !turns.iter().any(|turn| matches!(turn, Turn::Gap(_))) {
            for turn in turns {
                if let Turn::Least(least) = turn
                    && is_lower(least, &far)
                {
                    far = Some(*least);
                }
            }
        }
        if let Some(far) = far
            && let Some(feature) = settle(&far, 1)
        {
            ways.nodes.extend(node(feature, Kind::Far { angle: far.angle }));
        }
        let is_far = |least: &Extreme| far.is_some_and(|far| far.angle == least.angle);
        // The contacts found, and after each the lowest place up to the next.
        let mut found: Vec<(u32, f64, Low)> = Vec::new();
        let mut head = Low::default();
        let mut low = Low::default();
        for turn in turns {
            match turn {
                Turn::Gap(angle) => low.gap = Some(*angle),
                Turn::Least(least) => {
                    if is_far(least) {
                        low.gap = Some(least.angle);
                    }
                    if is_lower(least, &low.least) {
                        low.least = Some(*least);
                    }
                }
                Turn::Largest(largest) => {
                    let Some(feature) = settle(largest, 0) else { continue };
                    match found.last_mut() {
                        Some(before) => before.2 = low,
                        None => head = low,
                    }
                    found.push((feature, largest.angle, Low::default()));
                    low = Low::default();
                }
            }
        }
        // The part before the first, seen from the last.
        let mut tail = low;
        if is_closed {
            if let Some(least) = head.least
                && is_lower(&least, &tail.least)
            {
                tail.least = Some(Extreme { angle: least.angle + 2.0 * PI, ..least });
            }
            tail.gap = tail.gap.or(head.gap.map(|angle| angle + 2.0 * PI));
        }
        let Some(last) = found.len().checked_sub(1) else { return };
        found[last].2 = if is_closed { tail } else { Low { gap: Some(half_arc), least: None } };
        for k in 0..found.len() {
            let (feature, angle, after) = found[k];
            let end = after.angle().unwrap_or(angle + PI);
            let start = match k.checked_sub(1) {
                Some(before) => found[before].2.angle().unwrap_or(angle - PI),
                None if is_closed => end_of_last(&found).unwrap_or(angle + PI) - 2.0 * PI,
                None => -half_arc,
            };
            ways.nodes.extend(node(feature, Kind::Largest { angle, basin: [start, end] }));
            let Some(least) = after.least.filter(|_| after.gap.is_none() && found.len() > 1) else { continue };
            let separation = level - least.height;
            if separation < 0.0 {
                let point = least.point + least.direction * separation;
                let next = found[(k + 1) % found.len()].0;
                let at = SurfaceContact::new(feature, least.direction, separation, point);
                ways.links.push(Link { from: feature, to: Some(next), at });
            }
        }
    }

    /// The circle with a radius at a local height, where it is.
    #[inline]
    pub(super) fn placed_rim(&self, (radius, z): (f64, f64)) -> super::farthest_on_rim::Rim {
        let axis = self.body.axis();
        super::farthest_on_rim::Rim { centre: self.body.centre + axis * z, axis, radius }
    }

    /// How far from the axis a point of a rim must be at least to come within the margin [m].
    #[inline]
    fn needed(&self, wall: &Wall, (radius, z): (f64, f64)) -> f64 {
        let level = wall.toward.dot(wall.segment.start) - self.margin - self.small;
        let height = if wall.toward.y == 0.0 {
            0.0
        } else {
            let rim = self.placed_rim((radius, z));
            wall.toward.y * rim.centre.z + wall.toward.y.abs() * (radius * rim.axis.truncate().length())
        };
        (level - height) / wall.toward.x
    }

    /// The azimuth of a point, measured from the body's centre [rad].
    pub fn azimuth_of(&self, point: DVec3) -> f64 {
        let [u, v] = self.azimuth;
        point.dot(v).atan2(point.dot(u))
    }

    /// Half of the arc of azimuths at which a body that does not surround the axis comes within the margin of a concave wall,
    /// as far as its bounding ball and bounding box tell; nothing if it does nowhere.
    fn half_arc(&self, wall: &Wall) -> f64 {
        let level = wall.toward.dot(wall.segment.start);
        let least = level - self.margin - self.body.radius - wall.toward.y * self.centre.y;
        let half_arc = (least / (wall.toward.x * self.centre.x)).acos();
        if half_arc < 0.5 * PI { half_arc.min(self.arc_of_box(wall, level)) } else { half_arc }
    }

    /// The same by the bounding box alone. The box stands along the azimuth of the centre, so that it is tighter than the
    /// bounding ball.
    ///
    /// Along an azimuth phi less than a quarter turn away the box reaches no farther from the axis than
    /// A cos(phi) + B |sin(phi)|, with A its farthest side and B its half-width.
    fn arc_of_box(&self, wall: &Wall, level: f64) -> f64 {
        let [u, v] = self.azimuth;
        let reach = |direction: DVec3| direction.dot(self.body.support(direction) - self.body.centre);
        let high =
            if wall.toward.y == 0.0 { 0.0 } else { wall.toward.y.abs() * reach(DVec3::Z * wall.toward.y.signum()) };
        let needed = (level - self.margin - wall.toward.y * self.centre.y - high - self.small) / wall.toward.x;
        let (a, b) = (self.centre.x + reach(u), reach(v).max(reach(-v)));
        let farthest = a.hypot(b);
        if needed > farthest {
            return 0.0;
        }
        // A body wide enough to reach around: no bound.
        if needed <= 0.0 || a <= 0.0 {
            return PI;
        }
        b.atan2(a) + (needed / farthest).acos()
    }

    /// A bound on the reach between two azimuths less than a half turn apart, beyond that at either.
    ///
    /// Between two samples the reach is bounded by the corner y in which the two tangent planes meet the meridian
    /// planes between them: a support function is sublinear.
    fn bound(&self, wall: &Wall, first: &Extreme, last: &Extreme) -> f64 {
        let (a, b) = (first.height, last.height);
        let width = last.angle - first.angle;
        // y in the plane across the axis: its reach equals a and b (less the constant part) at the two azimuths.
        let constant = wall.toward.y * self.centre.y;
        let (p, q) = (a - constant, b - constant);
        let (sine, cosine) = width.sin_cos();
        // Along the first azimuth p, across it so that the second gives q.
        let across = (q - p * cosine) / sine;
        let angle = across.atan2(p);
        if angle <= 0.0 || angle >= width {
            return f64::NEG_INFINITY;
        }
        // What the axial part of the normal can add: it is one short of being a combination of the two.
        let slack = if wall.toward.y == 0.0 { 0.0 } else { (1.0 / (0.5 * width).cos() - 1.0) * self.body.radius };
        constant + p.hypot(across) + slack
    }

    /// The vertices of a polyhedron beyond a wall, or within the margin of it.
    pub(super) fn meet_vertices(&self, wall: &Wall, polyhedron: &Polyhedron, out: &mut Vec<SurfaceContact>) {
        let vertices = polyhedron.vertices();
        let mut meet = |index: usize, local: DVec3| {
            let vertex = self.body.place(local);
            let rho = vertex.truncate().length();
            let place = DVec2::new(rho, vertex.z);
            let outward = if rho > self.small {
                (vertex.truncate() / rho).extend(0.0)
            } else if wall.toward.x == 0.0 {
                DVec3::X
            } else {
                return;
            };
            let Some((base, normal, separation)) = self.beyond(wall, place) else { return };
            let normal = outward * normal.x + DVec3::Z * normal.y;
            let feature = base.wrapping_add(self.features().wrapping_mul(index as u32));
            out.push(SurfaceContact::new(feature, normal, separation, vertex + normal * separation));
        };
        if let Shape::Polygon(polygon) = self.body.convex.shape
            && wall.toward.y == 0.0
            && self.body.axis().truncate().length() <= tolerance::FLAT_EDGE
        {
            // A prism that stands along the axis is met in the middle of its edges.
            for (index, corner) in polygon.corners().iter().enumerate() {
                meet(index, corner.extend(0.0));
            }
            return;
        }
        for (index, &vertex) in vertices.iter().enumerate() {
            meet(index, vertex);
        }
    }

    /// Where a place in the half-plane is with respect to one piece of wall: number of the segment, normal and separation.
    pub(super) fn beyond(&self, wall: &Wall, place: DVec2) -> Option<(u32, DVec2, f64)> {
        let segment = &wall.segment;
        let separation = wall.toward.dot(segment.start - place);
        if separation.is_nan() || separation > self.margin {
            return None;
        }
        let along = segment.direction.dot(place - segment.start);
        let [before, after] = self.neighbours(wall);
        if along < -self.foot_tolerance {
            // The piece before looks after a hollow corner.
            return None;
        }
        if along > segment.length {
            let next = after.filter(|next| next.direction.dot(wall.toward) < -tolerance::FLAT_EDGE);
            let Some(next) = next else {
                return (along <= segment.length + self.foot_tolerance).then_some((
                    2 * wall.last,
                    wall.toward,
                    separation,
                ));
            };
            let offset = place - segment.end;
            let distance = offset.length();
            let is_beyond = next.direction.dot(offset) < 0.0 && distance > 0.0;
            return is_beyond.then(|| (2 * wall.last, offset / distance, -distance));
        }
        if along < 0.0 && before.is_some() {
            return None;
        }
        Some((2 * self.segment_at(wall, along), wall.toward, separation))
    }

    /// The number of the segment of a piece of wall on which a place at a distance from its start is.
    pub(super) fn segment_at(&self, wall: &Wall, along: f64) -> u32 {
        let segments = self.revolved.segments();
        let end = |index: u32| wall.segment.direction.dot(segments[index as usize].end - wall.segment.start);
        (wall.first..wall.last).find(|&index| along < end(index)).unwrap_or(wall.last)
    }

    /// The segments of the profile before and after a piece of wall.
    pub(super) fn neighbours(&self, wall: &Wall) -> [Option<&ProfileSegment>; 2] {
        let segments = self.revolved.segments();
        let is_closed = self.revolved.is_closed();
        let (first, last) = (wall.first as usize, wall.last as usize);
        let before = if first > 0 { segments.get(first - 1) } else { segments.last().filter(|_| is_closed) };
        let after =
            if last + 1 < segments.len() { segments.get(last + 1) } else { segments.first().filter(|_| is_closed) };
        [before, after]
    }
}

/// Removes largest and least reaches next to each other that rounding cannot tell apart.
pub(super) fn leave_out_rounding(turns: &mut Vec<Turn>, is_closed: bool, negligible: f64) {
    let reach_of = |turn: &Turn| match turn {
        Turn::Largest(extreme) | Turn::Least(extreme) => Some(extreme.height),
        Turn::Gap(_) => None,
    };
    let difference = |a: &Turn, b: &Turn| match (a, b) {
        (Turn::Largest(_), Turn::Least(_)) | (Turn::Least(_), Turn::Largest(_)) => {
            reach_of(a).zip(reach_of(b)).map(|(a, b)| (a - b).abs())
        }
        _ => None,
    };
    loop {
        let n = turns.len();
        let n_pairs = if is_closed { n } else { n.saturating_sub(1) };
        let smallest = (0..n_pairs)
            .filter_map(|k| difference(&turns[k], &turns[(k + 1) % n]).map(|d| (d, k)))
            .filter(|(d, _)| *d <= negligible)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, k)) = smallest else { return };
        let other = (k + 1) % n;
        turns.remove(k.max(other));
        turns.remove(k.min(other));
    }
}
