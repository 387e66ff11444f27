//! A convex shape and a thin surface of revolution.
//!
//! Each straight piece of the profile sweeps a flat ring, a tube or a cone. All its normals n(phi) have the same part
//! along the axis, and the separation from the whole tube or cone along n(phi) is n . p - D(phi), p any point of the
//! profile at that azimuth and D the body's reach. What is a contact depends on the side the body's centre is on:
//!
//! - a flat ring is a plane: the farthest point or face of the body, if it lies over the ring;
//! - on the concave side (inside a drum) the outward distance is a convex function of the place, so its local maxima
//!   over the body are corners, rims and bulges, and there can be several: each local maximum of D(phi) is a contact. A
//!   polyhedron's are among its vertices, a capsule's at its ends, a cylinder's and cone's on their rims, a tablet's on
//!   its domed ends, and those of a superquadric by sampling, the deepest for certain. A rim that cannot come within the
//!   margin is left alone. In a tube a rim's maxima are known ([`super::farthest_on_rim`]); in a cone, and of a body that
//!   surrounds the axis, they are found by sampling. Where there is only one, and the body also reaches the wall on the
//!   other side of the axis, the place there where D is least is a contact too: what is wedged in a funnel is held from
//!   both sides;
//! - on the convex side (around a rod) there is one contact, at the largest separation, that is the least D(phi).
//!
//! A body whose flat ends and straight sides bulge has its maxima on its rims, domes and sides. Its reach has no kinks, so
//! all of them are found by sampling, with samples where one piece gives way to the next and, in a tube, at the farthest
//! points of the rims.
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
//! one on the far side. To that is added [`features`] times a number from 0 to 26 that says which part of the body
//! touches: its local x, y and z each near zero, below or above, in that order of weight 9, 3, 1; and 27 times a count
//! when two contacts would otherwise be the same.
//!
//! Valid for bodies of any size. Known limits: where maxima are found by sampling, of two that are closer together than the
//! samples only the deepest is sure to be found, and where a rim is seen edge on the minimum between them may be taken for
//! one of them; a body that passes right through a thin rod is pushed back to the side of its centre; the flat ring of a rod
//! that pierces a large flat face is not met (the face would need to be a wall).

use super::direction_fan::{DirectionFan, Extreme, close_in};
use super::farthest_on_rim::Rim;
use super::keep_crossed::keep_crossed;
use super::knots::Knots;
use super::merge_contacts::merge_shaped_contacts;
use super::placed_shape::PlacedShape;
use super::ring_corner::{contact_with_ring, contact_with_tip};
use crate::surface::{ProfileSegment, Revolved};
use crate::{Shape, SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Parts of the body that features tell apart.
const BODY_PARTS: u32 = 27;

/// Contacts of one part of the body with one feature that are told apart.
const REPEATS: u32 = 4;

/// First samples over an arc of azimuths: fewest and most, and how far apart [rad] unless that makes them too many.
const FEWEST_SAMPLES: usize = 6;
pub(super) const MOST_SAMPLES: usize = 24;
const SAMPLE_SPACING: f64 = 0.1;

/// Intervals over the near half of a convex wall.
const N_INTERVALS: usize = 8;

/// Most intervals between samples that wait to be looked into.
const MOST_INTERVALS: usize = 96;

/// Most halvings of intervals: only a body that is round about the axis, where all azimuths are equally good, needs more.
const MOST_HALVINGS: usize = 100;

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
    /// Whether the farthest points of rims are looked for even where they are known: what tests compare with.
    pub samples_rims: bool,
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
    for (index, segment) in revolved.segments().iter().enumerate() {
        if segment.distance_squared(question.centre) <= within * within {
            question.meet_segment(index as u32, segment, out);
        }
    }
    let n_corners = if revolved.is_closed() { n_segments } else { n_segments + 1 };
    for corner in 0..n_corners {
        let place = DVec2::from(revolved.profile()[corner]);
        if (place - question.centre).length_squared() <= within * within {
            let feature = 2 * (n_segments + corner) as u32;
            if place.x > 0.0 {
                contact_with_ring(&question, corner, feature, out);
            } else {
                contact_with_tip(&question, corner, feature, out);
            }
        }
    }
    if out.len() == first {
        return;
    }
    let is_corner = |contact: &SurfaceContact| contact.feature % features(revolved) >= 2 * n_segments as u32;
    let crosses = |start: DVec3, end: DVec3| crosses_shell(revolved, start, end);
    keep_crossed(out, first, body.centre, body.radius, is_corner, crosses);
    merge_shaped_contacts(
        out,
        first,
        2.0 * question.foot_tolerance,
        tolerance::LIES_FLAT * body.radius,
        body.convex.bulge(),
        is_corner,
    );
    make_features_distinct(out, first, features(revolved) * BODY_PARTS);
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
            small: 1e-3 * tolerance::SAME_POINT * (scale + body.radius),
            foot_tolerance: tolerance::SAME_POINT * (scale + body.radius) + tolerance::LIES_FLAT * body.radius,
            samples_rims: false,
        }
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
        base.wrapping_add(features(self.revolved).wrapping_mul(part))
    }

    /// Appends the contacts with one piece of wall, which may be the same as those with another.
    pub fn meet_segment(&self, index: u32, segment: &ProfileSegment, out: &mut Vec<SurfaceContact>) {
        let height = (self.centre - segment.start).dot(segment.normal);
        let toward = if height < 0.0 { segment.normal } else { -segment.normal };
        let outer_radius = segment.start.x.max(segment.end.x);
        if toward.x.abs() * outer_radius <= self.small {
            self.meet_flat(index, segment, toward.y.signum(), out);
            return;
        }
        let [u, v] = self.azimuth;
        let fan = DirectionFan {
            constant: DVec3::Z * toward.y,
            cosine: u * toward.x,
            sine: v * toward.x,
            origin: DVec3::ZERO,
        };
        let wall = Wall { index, segment, toward, fan };
        if toward.x > 0.0 {
            self.meet_concave(&wall, out);
        } else {
            let evaluate = |angle: f64| {
                let extreme = fan.extreme(angle, |direction| self.body.support(direction));
                Extreme { value: -extreme.value, ..extreme }
            };
            // The half turn on the side of the centre. Its ends are no places of their own.
            let mut least: Option<Extreme> = None;
            let mut before = evaluate(-0.5 * PI);
            for k in 1..=N_INTERVALS {
                let after = evaluate(PI * (k as f64 / N_INTERVALS as f64 - 0.5));
                if before.value >= 0.0 && after.value < 0.0 {
                    let found = close_in(evaluate, before, after, true, self.small);
                    let reach = |extreme: &Extreme| extreme.direction.dot(extreme.point);
                    if least.is_none_or(|other| reach(&found) < reach(&other)) {
                        least = Some(found);
                    }
                }
                before = after;
            }
            let Some(least) = least else { return };
            self.settle(&wall, &least, 2 * index, out);
        }
    }

    /// How far beyond its two ends a piece of wall is met. Where the next piece turns towards the body the two make a
    /// hollow corner, and a point of the body that is behind both has its foot on neither: there the piece goes on, for
    /// a body whose centre is inside the corner and that reaches through the wall.
    fn overhang(&self, index: usize, toward: DVec2, separation: f64) -> [f64; 2] {
        let segments = self.revolved.segments();
        let n = segments.len();
        let is_closed = self.revolved.is_closed();
        let before = if index > 0 { segments.get(index - 1) } else { segments.last().filter(|_| is_closed) };
        let after = if index + 1 < n { segments.get(index + 1) } else { segments.first().filter(|_| is_closed) };
        let along = segments[index].direction.dot(self.centre - segments[index].start);
        let length = |into: Option<DVec2>, is_over: bool| {
            let is_hollow = into.is_some_and(|d| d.dot(toward) < -tolerance::FLAT_EDGE);
            self.foot_tolerance + if is_hollow && is_over && separation <= 0.0 { self.body.radius } else { 0.0 }
        };
        [
            length(before.map(|s| -s.direction), along >= 0.0),
            length(after.map(|s| s.direction), along <= segments[index].length),
        ]
    }

    /// A ring square to the axis; `up` is the sign of the normal.
    fn meet_flat(&self, index: u32, segment: &ProfileSegment, up: f64, out: &mut Vec<SurfaceContact>) {
        let normal = DVec3::Z * up;
        let separation = up * (segment.start.y - self.body.support(normal).z);
        if separation > self.margin {
            return;
        }
        let middle = self.body.patch(normal).middle;
        let rho = middle.truncate().length();
        let (inner, outer) = (segment.inner_radius, segment.start.x.max(segment.end.x));
        let [before, after] = self.overhang(index as usize, DVec2::new(0.0, up), separation);
        let (inside, outside) = if segment.direction.x > 0.0 { (before, after) } else { (after, before) };
        if rho < inner - inside || rho > outer + outside {
            return;
        }
        let point = DVec3::new(middle.x, middle.y, segment.start.y);
        out.push(SurfaceContact { feature: self.feature(2 * index, middle), normal, separation, point });
    }

    /// The inside of a tube or cone.
    fn meet_concave(&self, wall: &Wall, out: &mut Vec<SurfaceContact>) {
        let level = wall.toward.dot(wall.segment.start);
        let least = level - self.margin - self.body.radius - wall.toward.y * self.centre.y;
        let swing = wall.toward.x * self.centre.x;
        if least > swing {
            return;
        }
        // Only a body that surrounds the axis can reach the wall behind it.
        let surrounds_axis = least <= -swing;
        let convex = self.body.convex;
        let rims = convex.shape.rims();
        if !surrounds_axis && let Some(rims) = rims {
            match convex.bulging {
                None => {
                    self.meet_rims_aside(wall, rims, out);
                    return;
                }
                Some(bulging) => {
                    if !rims.iter().any(|&rim| self.placed_rim(rim).may_reach(self.needed(wall, rim) - bulging.bulge()))
                    {
                        return;
                    }
                }
            }
        }
        let half_arc = if surrounds_axis { PI } else { self.half_arc(wall) };
        if half_arc <= 0.0 {
            return;
        }
        let first = out.len();
        let mut n_maxima = 0;
        if let Some(bulging) = convex.bulging {
            let mut knots = Knots::default();
            for turn in bulging.turns() {
                knots.add_turn(self, wall.toward, turn);
            }
            for rim in rims.into_iter().flatten().filter(|rim| rim.0 > 0.0 && wall.toward.y == 0.0 && !surrounds_axis) {
                for point in self.placed_rim(rim).farthest(0.0).into_iter().flatten().flatten() {
                    knots.add(self.azimuth_of(point));
                }
            }
            n_maxima += self.meet_maxima_at(wall, half_arc, &knots, |direction| self.body.support(direction), out);
        } else {
            n_maxima += self.meet_pieces(wall, half_arc, out);
        }
        if !surrounds_axis {
            return;
        }
        let evaluate = |angle: f64| {
            let extreme = wall.fan.extreme(angle, |direction| self.body.support(direction));
            Extreme { value: -extreme.value, ..extreme }
        };
        if n_maxima == 0 {
            // Round about the axis: every azimuth is as good as any other.
            self.settle(wall, &evaluate(0.0), 2 * wall.index, out);
            self.settle(wall, &evaluate(PI), 2 * wall.index + 1, out);
        } else if out[first..].windows(2).all(|c| (c[0].normal - c[1].normal).length() <= tolerance::SAME_NORMAL) {
            let near = out[first..].first();
            let [u, v] = self.azimuth;
            let from = near.map_or(0.0, |contact| contact.normal.dot(v).atan2(contact.normal.dot(u)));
            let (first, last) = (evaluate(from + 0.25 * PI), evaluate(from + 1.75 * PI));
            if first.value > 0.0 && last.value < 0.0 {
                let least = close_in(evaluate, first, last, true, self.small);
                self.settle(wall, &least, 2 * wall.index + 1, out);
            }
        }
    }

    /// The maxima of the pieces of a body with no bulge. Returns how many there are.
    fn meet_pieces(&self, wall: &Wall, half_arc: f64, out: &mut Vec<SurfaceContact>) -> u32 {
        let mut n_maxima = 0;
        let shape = self.body.convex.shape;
        if let Some(polyhedron) = shape.as_polyhedron() {
            for vertex in polyhedron.vertices() {
                n_maxima += self.meet_round_end(wall, *vertex, 0.0, out);
            }
            return n_maxima;
        }
        if let Some(rims) = shape.rims() {
            for (radius, z) in rims {
                n_maxima += self.meet_rim(wall, radius, z, half_arc, out);
            }
            return n_maxima;
        }
        match shape {
            Shape::Capsule(capsule) => {
                for end in [-capsule.half_height, capsule.half_height] {
                    n_maxima += self.meet_round_end(wall, DVec3::Z * end, capsule.radius, out);
                }
            }
            Shape::Tablet(tablet) => {
                for is_upper in [false, true] {
                    let support = |direction: DVec3| {
                        self.body.place(tablet.end_support(self.body.local_direction(direction), is_upper))
                    };
                    n_maxima += self.meet_maxima(wall, half_arc, support, out);
                }
            }
            _ => n_maxima += self.meet_maxima(wall, half_arc, |direction| self.body.support(direction), out),
        }
        n_maxima
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

    /// A local point of the body with a ball about it: at most one maximum. Returns how many there are.
    fn meet_round_end(&self, wall: &Wall, local: DVec3, radius: f64, out: &mut Vec<SurfaceContact>) -> u32 {
        let end = self.body.place(local);
        let rho = end.truncate().length();
        let in_plane = DVec2::new(rho, end.z);
        if wall.toward.dot(wall.segment.start - in_plane) - radius > self.margin || rho <= self.small {
            return 0;
        }
        let outward = (end.truncate() / rho).extend(0.0);
        let direction = outward * wall.toward.x + DVec3::Z * wall.toward.y;
        let point = end + direction * radius;
        let slope = DVec3::new(-outward.y, outward.x, 0.0);
        let extreme = Extreme { angle: 0.0, direction, slope, point, value: 0.0 };
        self.settle_if_farthest(wall, &extreme, out)
    }

    /// The rims of a body that does not surround the axis, each only if it comes within the margin. In a tube their
    /// farthest points are known; in a cone, and where those nearly merge, they are looked for.
    fn meet_rims_aside(&self, wall: &Wall, rims: [(f64, f64); 2], out: &mut Vec<SurfaceContact>) {
        let mut half_arc = None;
        for (radius, z) in rims {
            let rim = self.placed_rim((radius, z));
            let needed = self.needed(wall, (radius, z));
            if !rim.may_reach(needed) {
                continue;
            }
            if wall.toward.y == 0.0
                && !self.samples_rims
                && let Ok(farthest) = rim.farthest(needed)
            {
                let [first, last] = farthest.map(|point| point.and_then(|point| self.outward_extreme(point)));
                // In the order of azimuths.
                let (first, last) = match (first, last) {
                    (Some(a), Some(b)) if self.turn(b.direction) < self.turn(a.direction) => (last, first),
                    _ => (first, last),
                };
                for extreme in [first, last].iter().flatten() {
                    self.settle_if_farthest(wall, extreme, out);
                }
                continue;
            }
            let half_arc = *half_arc.get_or_insert_with(|| self.half_arc(wall));
            if half_arc > 0.0 {
                self.meet_rim(wall, radius, z, half_arc, out);
            }
        }
    }

    /// The circle with a radius at a local height, where it is.
    #[inline]
    fn placed_rim(&self, (radius, z): (f64, f64)) -> Rim {
        let axis = self.body.axis();
        Rim { centre: self.body.centre + axis * z, axis, radius }
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

    /// A point of the body whose distance from the axis of a tube is stationary; `None` on the axis.
    fn outward_extreme(&self, point: DVec3) -> Option<Extreme> {
        let rho = point.truncate().length();
        let direction = (point.truncate() / rho).extend(0.0);
        let slope = DVec3::new(-direction.y, direction.x, 0.0);
        (rho > self.small).then_some(Extreme { angle: 0.0, direction, slope, point, value: 0.0 })
    }

    /// A number that grows with the azimuth of a horizontal unit vector, measured from the body's centre, from -2 to 2.
    fn turn(&self, outward: DVec3) -> f64 {
        let [cosine, sine] = self.azimuth.map(|direction| direction.dot(outward));
        if cosine >= 0.0 { sine } else { (2.0 - sine.abs()).copysign(sine) }
    }

    /// A circle about the body's axis at a local height, by looking for its maxima. Returns how many there are.
    fn meet_rim(&self, wall: &Wall, radius: f64, z: f64, half_arc: f64, out: &mut Vec<SurfaceContact>) -> u32 {
        if radius <= 0.0 {
            return self.meet_round_end(wall, DVec3::Z * z, 0.0, out);
        }
        let axis = self.body.axis();
        let centre = self.body.centre + axis * z;
        let support = |direction: DVec3| {
            let across = direction - axis * direction.dot(axis);
            let length = across.length();
            if length > 0.0 { centre + across * (radius / length) } else { centre }
        };
        self.meet_maxima(wall, half_arc, support, out)
    }

    /// Local maxima of the reach over an arc, all that sampling finds, and the largest for certain. Returns how many.
    ///
    /// Between two samples the reach is bounded by the corner y in which the two tangent planes meet the meridian
    /// planes between them (a support function is sublinear), so intervals that could hide a larger maximum are halved
    /// until they cannot.
    fn meet_maxima(
        &self,
        wall: &Wall,
        half_arc: f64,
        support: impl Fn(DVec3) -> DVec3,
        out: &mut Vec<SurfaceContact>,
    ) -> u32 {
        self.meet_maxima_at(wall, half_arc, &Knots::default(), support, out)
    }

    /// The same with further samples.
    fn meet_maxima_at(
        &self,
        wall: &Wall,
        half_arc: f64,
        knots: &Knots,
        support: impl Fn(DVec3) -> DVec3,
        out: &mut Vec<SurfaceContact>,
    ) -> u32 {
        let evaluate = |angle: f64| wall.fan.extreme(angle, &support);
        let n_even = ((2.0 * half_arc / SAMPLE_SPACING) as usize).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
        let (angles, n_samples) = knots.among(half_arc, n_even);
        let mut waiting = [None; MOST_INTERVALS];
        let mut n_waiting = 0;
        let mut n_maxima = 0;
        let mut best = f64::NEG_INFINITY;
        let mut before = evaluate(-half_arc);
        for &angle in &angles[..n_samples] {
            let after = evaluate(angle);
            best = best.max(after.direction.dot(after.point));
            if before.value >= 0.0 && after.value < 0.0 {
                if before.value > self.small || after.value < -self.small {
                    let largest = close_in(evaluate, before, after, false, self.small);
                    best = best.max(largest.direction.dot(largest.point));
                    n_maxima += self.settle_if_farthest(wall, &largest, out);
                    waiting[n_waiting] = Some((before, largest));
                    waiting[n_waiting + 1] = Some((largest, after));
                    n_waiting += 2;
                }
            } else {
                waiting[n_waiting] = Some((before, after));
                n_waiting += 1;
            }
            before = after;
        }
        let negligible = tolerance::SMALLEST_HUMP * self.body.radius;
        let mut n_halvings = 0;
        while n_waiting > 0 && n_halvings < MOST_HALVINGS {
            n_waiting -= 1;
            let Some((first, last)) = waiting[n_waiting] else { continue };
            let may_hide_more = self.bound(wall, &first, &last) > best + negligible;
            if !may_hide_more || n_waiting + 2 > MOST_INTERVALS {
                continue;
            }
            n_halvings += 1;
            let middle = evaluate(0.5 * (first.angle + last.angle));
            for (first, last) in [(first, middle), (middle, last)] {
                let rises_and_falls = first.value > self.small && last.value < -self.small;
                if rises_and_falls {
                    let largest = close_in(evaluate, first, last, false, self.small);
                    let reach = largest.direction.dot(largest.point);
                    if reach > best + negligible {
                        best = reach;
                        n_maxima += self.settle_if_farthest(wall, &largest, out);
                    }
                }
                waiting[n_waiting] = Some((first, last));
                n_waiting += 1;
            }
        }
        n_maxima
    }

    /// A bound on the reach between two azimuths less than a half turn apart, beyond that at either.
    fn bound(&self, wall: &Wall, first: &Extreme, last: &Extreme) -> f64 {
        let reach = |extreme: &Extreme| extreme.direction.dot(extreme.point);
        let (a, b) = (reach(first), reach(last));
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

    /// Reports a maximum of a part of the body if no other part reaches farther in its direction. Returns 1 if so.
    fn settle_if_farthest(&self, wall: &Wall, extreme: &Extreme, out: &mut Vec<SurfaceContact>) -> u32 {
        let excess = self.body.reach(extreme.direction, extreme.point);
        if excess > tolerance::LIES_FLAT * self.body.radius {
            return 0;
        }
        self.settle(wall, extreme, 2 * wall.index, out);
        1
    }

    /// Reports a stationary place if its foot lies on the piece of wall.
    fn settle(&self, wall: &Wall, extreme: &Extreme, base: u32, out: &mut Vec<SurfaceContact>) {
        let direction = extreme.direction;
        // The unit vector away from the axis in the meridian plane of the direction.
        let outward = (direction - DVec3::Z * wall.toward.y) / wall.toward.x;
        let in_space = |p: DVec2| outward * p.x + DVec3::Z * p.y;
        let (start, along) = (in_space(wall.segment.start), in_space(wall.segment.direction));
        let separation = direction.dot(start - self.body.support(direction));
        if separation.is_nan() || separation > self.margin {
            return;
        }
        let patch = self.body.patch(direction);
        let across = DVec3::new(-outward.y, outward.x, 0.0);
        let at = along.dot(extreme.point - start);
        let (low, high) = if patch.is_flat() {
            patch.cut(start, across, along, tolerance::SAME_AZIMUTH * self.body.radius).unwrap_or((at, at))
        } else {
            (at, at)
        };
        let [before, after] = self.overhang(wall.index as usize, wall.toward, separation);
        let (low, high) = (low.max(-before), high.min(wall.segment.length + after));
        if low > high {
            return;
        }
        let point = start + along * (0.5 * (low + high));
        let feature = self.feature(base, point - direction * separation);
        out.push(SurfaceContact { feature, normal: direction, separation, point });
    }
}

/// A piece of profile and the normals of one of its sides.
struct Wall<'a> {
    index: u32,
    segment: &'a ProfileSegment,
    /// Normal in the half-plane, from the body into the wall.
    toward: DVec2,
    fan: DirectionFan,
}
