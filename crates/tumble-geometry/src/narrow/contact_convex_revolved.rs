//! A convex shape and a thin surface of revolution.
//!
//! Each straight piece of the profile sweeps a flat ring, a tube or a cone. All its normals n(phi) have the same part
//! along the axis, and the separation from the whole tube or cone along n(phi) is n . p - D(phi), p any point of the
//! profile at that azimuth and D the body's reach. What is a contact depends on the side the body's centre is on:
//!
//! - a flat ring is a plane: the farthest point or face of the body, if it lies over the ring;
//! - on the concave side (inside a drum) the outward distance is a convex function of the place, so it can be largest in
//!   several places, and each is a contact (inside_revolved.rs);
//! - on the convex side (around a rod) there is one contact, at the largest separation, that is the least D(phi).
//!
//! Segments of the profile that continue each other straight on are one piece.
//!
//! At each of these the body's farthest point lies in the meridian plane of n, and it counts if its foot lies on the
//! piece of profile. What lies flat along the wall is met in the middle of the part that is over it.
//!
//! A corner of the profile sweeps a sharp ring. Its normals fill an angle in every meridian plane, those that lead away
//! from both pieces that end there; none for a corner seen from inside, so corners give no ghosts. In a meridian plane
//! the separation is the largest over that angle, and around the axis the body's point must again lie in the plane. A
//! corner on the axis is the point of a cone and is met as a point.
//!
//! Features: as for balls, twice the number of the segment, or twice (number of segments + number of the corner), plus
//! one on the far side. To that is added [`Question::features`] times a number from 0 to 26 that says which part of the body
//! touches: its local x, y and z each near zero, below or above, in that order of weight 9, 3, 1; and 27 times a count
//! when two contacts would otherwise be the same. For a vertex of a polyhedron inside a wall the number is its own.
//!
//! Contacts with different pieces that make a hollow corner go over into each other: see profile_passes.rs. Pieces inside which a round body is
//! and that turn away from it at a corner, with such corners and open ends, are met as one: see profile_runs.rs. Another ring that a body lies flat
//! beside is no contact of its own: see merge_contacts.rs.
//!
//! Valid for bodies of any size. Known limits: those of inside_revolved.rs; a body that passes right through a thin rod is pushed
//! back to the side of its centre; the flat ring of a rod that pierces a large flat face is not met (the face would need to be
//! a wall).

use super::blend::{Pass, blend};
use super::direction_fan::{DirectionFan, Extreme, close_in};
use super::face_reach::GOES_OVER;
use super::keep_crossed::keep_crossed;
use super::merge_contacts::merge_shaped_contacts;
use super::placed_shape::PlacedShape;
use super::profile_passes::{Kind, Node, Ways, passes_over_corners};
use super::profile_runs::Runs;
use super::ring_corner::{contact_with_ring, contact_with_tip, is_hollow_everywhere};
use crate::surface::{ProfileSegment, Revolved};
use crate::{SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Parts of the body that features tell apart.
const BODY_PARTS: u32 = 27;

/// Contacts of one part of the body with one feature that are told apart.
const REPEATS: u32 = 4;

/// Depths that are measured and differ by less, over one of them, are the same: regions are known to ten digits.
const SAME_MEASURE: f64 = 1e-8;

/// Intervals over the near half of a convex wall.
const N_INTERVALS: usize = 8;

/// Feature numbers of a profile, for one part of the body.
fn features(revolved: &Revolved) -> u32 {
    4 * revolved.segments().len() as u32 + 2
}

/// All feature numbers that one convex shape can have with a profile.
pub(super) fn all_features(revolved: &Revolved) -> u32 {
    features(revolved).wrapping_mul(BODY_PARTS * REPEATS)
}

/// What the contacts of one body with one profile have in common.
pub(super) struct Question<'a> {
    pub revolved: &'a Revolved,
    pub body: &'a PlacedShape<'a>,
    pub margin: f64,
    /// Unit vector from the axis to the body's centre, and the one a quarter turn on.
    pub azimuth: [DVec3; 2],
    /// The body's centre in the half-plane (distance from the axis, height) [m].
    pub centre: DVec2,
    /// Lengths below this are rounding [m].
    pub small: f64,
    /// A foot that is off its piece by less than this is on it [m].
    pub foot_tolerance: f64,
}

/// Appends every contact of a convex shape with the shell whose separation is at most `margin`, all in the shell's frame.
pub(super) fn contact_convex_revolved(
    revolved: &Revolved,
    body: &PlacedShape,
    margin: f64,
    out: &mut Vec<SurfaceContact>,
) {
    let question = Question::new(revolved, body, margin);
    let first = out.len();
    let n_segments = revolved.segments().len();
    let within = body.radius + margin;
    if within < 0.0 {
        return;
    }
    let mut ways = Ways::default();
    let mut begin = 0;
    while begin < n_segments {
        let end = end_of_piece(revolved.segments(), begin);
        let is_near = |segment: &ProfileSegment| segment.distance_squared(question.centre) <= within * within;
        if revolved.segments()[begin..end].iter().any(is_near) {
            ways.walls.push(question.wall(begin, end - 1));
        }
        begin = end;
    }
    let mut walls = std::mem::take(&mut ways.walls);
    question.leave_out_hidden(&mut walls);
    let runs = Runs::of(&question, &walls);
    for wall in walls.iter().filter(|wall| !runs.walls.contains(&wall.first)) {
        question.meet_wall(wall, out, &mut ways);
    }
    for run in &runs.runs {
        question.meet_run(run, out, &mut ways);
    }
    ways.walls = walls;
    let n_corners = if revolved.is_closed() { n_segments } else { n_segments + 1 };
    // Whether an end or a corner that juts out is near.
    let mut has_ridge = false;
    for corner in 0..n_corners {
        let place = DVec2::from(revolved.profile()[corner]);
        if (place - question.centre).length_squared() <= within * within {
            let feature = 2 * (n_segments + corner) as u32;
            if place.x > 0.0 {
                has_ridge |= !is_hollow_everywhere(&question, corner, place);
                if !runs.corners.contains(&corner) {
                    contact_with_ring(&question, corner, feature, out);
                }
            } else {
                contact_with_tip(&question, corner, feature, out);
            }
        }
    }
    if out.len() == first {
        return;
    }
    let is_corner = |contact: &SurfaceContact| {
        contact.feature % question.features() >= 2 * n_segments as u32 && !ways.of_runs.contains(&contact.feature)
    };
    let crosses = |start: DVec3, end: DVec3| crosses_shell(revolved, start, end);
    if has_ridge && out.len() - first > ways.of_runs.len() {
        let piece = |contact: &SurfaceContact| question.piece_of(contact.feature);
        let are_of_one = |a: &SurfaceContact, b: &SurfaceContact| {
            piece(a) == piece(b) || (a.normal - b.normal).length() <= tolerance::SAME_NORMAL
        };
        let stands = |contact: &SurfaceContact| is_corner(contact) || ways.of_runs.contains(&contact.feature);
        keep_crossed(out, first, body.centre, body.radius, stands, are_of_one, crosses);
    }
    if out.len() - first > 1 {
        merge_shaped_contacts(
            out,
            first,
            2.0 * question.foot_tolerance,
            tolerance::LIES_FLAT * body.radius,
            body.convex.bulge(),
            is_corner,
        );
    }
    make_features_distinct(out, first, question.features() * BODY_PARTS);
    let mut passes: Vec<Pass> = ways.links.iter().filter_map(|link| link.among(&out[first..])).collect();
    passes_over_corners(&question, &ways, &out[first..], &mut passes);
    if !passes.is_empty() {
        let deepest = out[first..].iter().map(|contact| -contact.separation).fold(0.0, f64::max);
        blend(out, first, &mut passes, question.negligible(deepest));
    }
}

/// The end of the piece of wall that begins with a segment: of those that go straight on.
fn end_of_piece(segments: &[ProfileSegment], begin: usize) -> usize {
    let goes_on = |next: &&ProfileSegment| {
        next.direction.perp_dot(segments[begin].direction).abs() <= tolerance::FLAT_EDGE
            && next.direction.dot(segments[begin].direction) > 0.0
    };
    begin + 1 + segments[begin + 1..].iter().take_while(goes_on).count()
}

/// Whether a segment crosses the shell.
fn crosses_shell(revolved: &Revolved, start: DVec3, end: DVec3) -> bool {
    let step = end - start;
    // A place on a piece of profile, widened by a trifle, so that nothing slips through a corner.
    let on_piece = |segment: &ProfileSegment, fraction: f64| {
        let place = start + step * fraction;
        let along = segment.direction.dot(DVec2::new(place.truncate().length(), place.z) - segment.start);
        let slack = tolerance::SAME_POINT * revolved.length_scale();
        (0.0..=1.0).contains(&fraction) && along >= -slack && along <= segment.length + slack
    };
    revolved.segments().iter().any(|segment| {
        // On the piece's cone n.x rho + n.y z = level, so rho^2 n.x^2 = (level - n.y z)^2: a quadratic along the segment.
        let n = segment.normal;
        let level = n.dot(segment.start);
        let (height, rise) = (level - n.y * start.z, -n.y * step.z);
        if n.x.abs() <= tolerance::SAME_POINT {
            return on_piece(segment, -height / rise);
        }
        let squared = n.x * n.x;
        let a = squared * step.truncate().length_squared() - rise * rise;
        let b = squared * step.truncate().dot(start.truncate()) - rise * height;
        let c = squared * start.truncate().length_squared() - height * height;
        let discriminant = b * b - a * c;
        let root = discriminant.max(0.0).sqrt();
        // The stable form of both roots; one is infinite or not a number where a or both vanish, and then off the piece.
        let q = -(b + root.copysign(b));
        // The other nappe of the cone is no part of the shell.
        let is_real = |fraction: f64| {
            let outside = (height + rise * fraction) * n.x;
            fraction.is_finite()
                && outside >= -tolerance::SAME_POINT * revolved.length_scale()
                && on_piece(segment, fraction)
        };
        discriminant >= 0.0 && (is_real(q / a) || is_real(c / q))
    })
}

/// Gives contacts with the same feature different ones, in the order in which they are.
fn make_features_distinct(out: &mut [SurfaceContact], first: usize, step: u32) {
    for index in first + 1..out.len() {
        while out[first..index].iter().any(|other| other.feature == out[index].feature) {
            out[index].feature = out[index].feature.wrapping_add(step);
        }
    }
    out[first..].sort_unstable_by_key(|contact| contact.feature);
}

impl<'a> Question<'a> {
    pub fn new(revolved: &'a Revolved, body: &'a PlacedShape, margin: f64) -> Question<'a> {
        let rho = body.centre.truncate().length();
        let scale = revolved.length_scale();
        let outward = if rho > tolerance::COINCIDENT * scale { body.centre.truncate() / rho } else { DVec2::X };
        Question {
            revolved,
            body,
            margin,
            azimuth: [outward.extend(0.0), outward.perp().extend(0.0)],
            centre: DVec2::new(rho, body.centre.z),
            small: body.measured.map_or(1e-3 * tolerance::SAME_POINT * (scale + body.radius), |m| m.accuracy),
            foot_tolerance: tolerance::SAME_POINT * (scale + body.radius) + tolerance::LIES_FLAT * body.radius,
        }
    }

    /// Depths like this that differ by no more are the same [m]. What is measured of a body may be far less than its size.
    pub fn negligible(&self, depth: f64) -> f64 {
        if self.body.measured.is_some() { SAME_MEASURE * depth.abs() } else { self.small }
    }

    /// Feature numbers of the profile, for one part of the body.
    pub fn features(&self) -> u32 {
        features(self.revolved)
    }

    /// The first segment of the piece of wall that a feature belongs to; `None` for a corner.
    fn piece_of(&self, feature: u32) -> Option<usize> {
        let segments = self.revolved.segments();
        let segment = (feature % self.features()) as usize / 2;
        let mut begin = 0;
        while begin < segments.len() {
            let end = end_of_piece(segments, begin);
            if segment < end {
                return Some(begin);
            }
            begin = end;
        }
        None
    }

    /// A direction of the half-plane, at an azimuth measured from the body's centre: with its unit vector and slope.
    pub fn meridian(&self, angle: f64) -> (DVec3, DVec3) {
        let (sine, cosine) = angle.sin_cos();
        let [u, v] = self.azimuth;
        (u * cosine + v * sine, v * cosine - u * sine)
    }

    /// The number that tells which part of the body touches.
    pub fn feature(&self, base: u32, point: DVec3) -> u32 {
        let local = self.body.local_point(point);
        let third = |x: f64| {
            if x.abs() <= 0.25 * self.body.radius {
                0
            } else if x < 0.0 {
                1
            } else {
                2
            }
        };
        let part = 9 * third(local.x) + 3 * third(local.y) + third(local.z);
        base.wrapping_add(self.features().wrapping_mul(part))
    }

    /// A feature, or one like it that no contact has.
    pub fn distinct_feature(&self, mut feature: u32, out: &[SurfaceContact]) -> u32 {
        while out.iter().any(|other| other.feature == feature) {
            feature = feature.wrapping_add(self.features().wrapping_mul(BODY_PARTS));
        }
        feature
    }

    /// The piece of wall from one segment to another, seen from the side that the body's centre is on.
    pub fn wall(&self, first: usize, last: usize) -> Wall {
        let (start, end) = (&self.revolved.segments()[first], &self.revolved.segments()[last]);
        let segment = ProfileSegment {
            end: end.end,
            length: start.direction.dot(end.end - start.start),
            inner_radius: start.inner_radius.min(end.inner_radius),
            ..*start
        };
        let height = (self.centre - segment.start).dot(segment.normal);
        let toward = if height < 0.0 { segment.normal } else { -segment.normal };
        let outer_radius = segment.start.x.max(segment.end.x);
        let [u, v] = self.azimuth;
        let is_flat = toward.x.abs() * outer_radius <= self.small;
        let toward = if is_flat { DVec2::new(0.0, toward.y.signum()) } else { toward };
        let fan = DirectionFan {
            constant: DVec3::Z * toward.y,
            cosine: u * toward.x,
            sine: v * toward.x,
            origin: DVec3::ZERO,
        };
        Wall { first: first as u32, last: last as u32, segment, toward, fan }
    }

    /// Leaves out pieces behind others: where a piece turns away from the body beyond a corner, and the body's centre is behind it, its other side
    /// is there for bodies on the other side of both.
    fn leave_out_hidden(&self, walls: &mut Vec<Wall>) {
        let turns_away = |wall: &Wall, into: DVec2| into.dot(wall.toward) > tolerance::FLAT_EDGE;
        let mut hidden: Vec<u32> = Vec::new();
        for wall in walls.iter() {
            for next in walls.iter().filter(|next| self.follows(wall, next)) {
                let (forth, back) =
                    (turns_away(wall, next.segment.direction), turns_away(next, -wall.segment.direction));
                if forth != back {
                    hidden.push(if forth { next.first } else { wall.first });
                }
            }
        }
        walls.retain(|wall| !hidden.contains(&wall.first));
    }

    /// Appends the contacts with one piece of wall.
    pub fn meet_wall(&self, wall: &Wall, out: &mut Vec<SurfaceContact>, ways: &mut Ways) {
        if wall.toward.x == 0.0 {
            let met = self.meet_flat(wall, out);
            ways.nodes.extend(met.map(|feature| Node { feature, wall: wall.first, kind: Kind::Flat }));
        } else if wall.toward.x > 0.0 {
            self.meet_concave(wall, out, ways);
        } else {
            let level = wall.toward.dot(wall.segment.start);
            let evaluate = |angle: f64| {
                let extreme = wall.fan.extreme(angle, |direction| self.body.support_beyond(direction, level));
                Extreme { value: -extreme.value, ..extreme }
            };
            // The half turn on the side of the centre. Its ends are no places of their own.
            let mut least: Option<Extreme> = None;
            let mut before = evaluate(-0.5 * PI);
            for k in 1..=N_INTERVALS {
                let after = evaluate(PI * (k as f64 / N_INTERVALS as f64 - 0.5));
                if before.value >= 0.0 && after.value < 0.0 {
                    let found = close_in(evaluate, before, after, true, self.small);
                    if least.is_none_or(|other| found.height < other.height) {
                        least = Some(found);
                    }
                }
                before = after;
            }
            let Some(least) = least else { return };
            let met = self.settle(wall, &least, 0, out);
            let kind = Kind::Around { angle: least.angle };
            ways.nodes.extend(met.map(|feature| Node { feature, wall: wall.first, kind }));
        }
    }

    /// How far beyond its two ends a piece of wall is met. Where the next piece turns towards the body the two make a
    /// hollow corner, and a point of the body that is behind both has its foot on neither: there the piece goes on, for
    /// a body that reaches through the wall and whose centre is inside the corner: before both pieces if contacts with them go over into each
    /// other, over this one otherwise. So it does beyond a tip met from inside.
    fn overhang(&self, wall: &Wall, separation: f64) -> [f64; 2] {
        let Wall { segment, toward, .. } = wall;
        let along = segment.direction.dot(self.centre - segment.start);
        let length = |end: DVec2, into: DVec2, next: Option<&ProfileSegment>, is_over: bool| {
            let goes_on = match next {
                Some(next) => {
                    let into_next = if next.start == end { next.direction } else { -next.direction };
                    let height = (self.centre - next.start).dot(next.normal);
                    let away = if height < 0.0 { next.normal } else { -next.normal };
                    let is_before_both = into.dot(away) < -tolerance::FLAT_EDGE && away.dot(*toward) >= GOES_OVER.cos();
                    into_next.dot(*toward) < -tolerance::FLAT_EDGE && (is_over || is_before_both)
                }
                None => end.x <= 0.0 && toward.x > 0.0,
            };
            if goes_on && separation <= 0.0 { f64::INFINITY } else { self.foot_tolerance }
        };
        let [before, after] = self.neighbours(wall);
        [
            length(segment.start, segment.direction, before, along >= 0.0),
            length(segment.end, -segment.direction, after, along <= segment.length),
        ]
    }

    /// A ring square to the axis. Returns the feature of the contact, unless those are with vertices.
    fn meet_flat(&self, wall: &Wall, out: &mut Vec<SurfaceContact>) -> Option<u32> {
        let segment = &wall.segment;
        let hollow = |corner: DVec2, into: Option<DVec2>| {
            corner.x <= self.small || into.is_some_and(|d| d.dot(wall.toward) < -tolerance::FLAT_EDGE)
        };
        let [before, after] = self.neighbours(wall);
        if let Some(polyhedron) = self.body.by_vertices()
            && hollow(segment.start, before.map(|s| -s.direction))
            && hollow(segment.end, after.map(|s| s.direction))
        {
            self.meet_vertices(wall, polyhedron, out);
            return None;
        }
        let up = wall.toward.y;
        let (normal, level) = (DVec3::Z * up, up * segment.start.y);
        let separation = level - up * self.body.support_beyond(normal, level).z;
        if separation > self.margin {
            return None;
        }
        let rho = self.body.patch_beyond(normal, level).middle.truncate().length();
        let (inner, outer) = (segment.inner_radius, segment.start.x.max(segment.end.x));
        let [before, after] = self.overhang(wall, separation);
        let (inside, outside) = if segment.direction.x > 0.0 { (before, after) } else { (after, before) };
        if rho < inner - inside || rho > outer + outside {
            return None;
        }
        self.settle_flat(wall, out)
    }

    /// Reports what is farthest beyond a ring square to the axis, if it is within the margin. Returns the feature.
    pub(super) fn settle_flat(&self, wall: &Wall, out: &mut Vec<SurfaceContact>) -> Option<u32> {
        let segment = &wall.segment;
        let up = wall.toward.y;
        let (normal, level) = (DVec3::Z * up, up * segment.start.y);
        let separation = level - up * self.body.support_beyond(normal, level).z;
        if separation > self.margin {
            return None;
        }
        let middle = self.body.patch_beyond(normal, level).middle;
        let point = DVec3::new(middle.x, middle.y, segment.start.y);
        let along = segment.direction.dot(DVec2::new(middle.truncate().length(), segment.start.y) - segment.start);
        let feature = self.feature(2 * self.segment_at(wall, along), middle);
        out.push(SurfaceContact::new(feature, normal, separation, point));
        Some(feature)
    }

    /// Reports a stationary place if its foot lies on the piece of wall; `far` is 1 on the far side. Returns the feature.
    pub(super) fn settle(
        &self,
        wall: &Wall,
        extreme: &Extreme,
        far: u32,
        out: &mut Vec<SurfaceContact>,
    ) -> Option<u32> {
        self.settle_before(wall, [false; 2], extreme, far, out)
    }

    /// The same of a place that is known to be before those ends of the piece that are told, but for rounding.
    pub(super) fn settle_before(
        &self,
        wall: &Wall,
        is_before: [bool; 2],
        extreme: &Extreme,
        far: u32,
        out: &mut Vec<SurfaceContact>,
    ) -> Option<u32> {
        let direction = extreme.direction;
        // The unit vector away from the axis in the meridian plane of the direction.
        let outward = (direction - DVec3::Z * wall.toward.y) / wall.toward.x;
        let in_space = |p: DVec2| outward * p.x + DVec3::Z * p.y;
        let (start, along) = (in_space(wall.segment.start), in_space(wall.segment.direction));
        let level = direction.dot(start);
        let separation = level - direction.dot(self.body.support_beyond(direction, level));
        if separation.is_nan() || separation > self.margin {
            return None;
        }
        let patch = self.body.patch_beyond(direction, level);
        let across = DVec3::new(-outward.y, outward.x, 0.0);
        let at = along.dot(extreme.point - start);
        let (low, high) = if patch.is_flat() {
            patch.cut(start, across, along, tolerance::SAME_AZIMUTH * self.body.radius).unwrap_or((at, at))
        } else {
            (at, at)
        };
        let [before, after] = self.overhang(wall, separation);
        let (low, high) = (low.max(-before), high.min(wall.segment.length + after));
        let is_over_end = [at < -before, at > wall.segment.length + after];
        if low > high && !(0..2).all(|end| is_before[end] || !is_over_end[end]) {
            return None;
        }
        let middle = 0.5 * (low + high);
        let point = start + along * middle;
        let base = 2 * self.segment_at(wall, middle) + far;
        let feature = self.distinct_feature(self.feature(base, point - direction * separation), out);
        out.push(SurfaceContact::new(feature, direction, separation, point));
        Some(feature)
    }
}

/// A piece of profile and the normals of one of its sides.
#[derive(Clone, Copy)]
pub(super) struct Wall {
    /// Its first and last segment.
    pub first: u32,
    pub last: u32,
    /// All of it.
    pub segment: ProfileSegment,
    /// Normal in the half-plane, from the body into the wall.
    pub toward: DVec2,
    pub fan: DirectionFan,
}
