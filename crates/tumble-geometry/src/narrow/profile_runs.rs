//! A convex body inside a wall of revolution that ends, or has corners that jut out, near it: part of contact_convex_revolved.rs.
//!
//! Pieces of a profile that turn away from the body at the corners between them, with these corners and with open ends, are a *run*. In each
//! meridian plane its normals turn one way, from those of one piece through those of a corner to those of the next, and a body is
//! through the run by the least depth over all of them,
//!
//!   J(phi) = min over psi of D(psi, phi),
//!
//! since it is free as soon as it is clear of the run along any one normal: a plate over the end of a tube lies on the end, however far
//! it reaches beyond the inside. Where the least is that of a piece the foot of the farthest point lies on the piece, and J is the depth that
//! inside_revolved.rs has. Around the axis J takes the place of that depth: contacts are where it is largest, passes where it is least
//! between them. So what touches a piece goes over its end without a step.
//!
//! Normals that lead towards the axis are those around a rod, for which one contact counts, where the depth is least over the azimuths too: a body
//! outside a rod is through it by the least depth over all normals of its side and its ends, as two convex bodies are. At all
//! of these places the farthest point lies in the meridian plane.
//!
//! Polyhedra, which meet a wall with their vertices, do so here too: see run_vertices.rs.
//!
//! A corner is left out where nothing of the body that is beyond a piece comes near it: [`Question::is_felt`].
//!
//! Known limits: of places where J is largest that are closer together than its samples, and of least depths over psi closer together than the
//! sampling of `least_reach`, only one is found; where two values of psi tie at the largest J, the force is that of one of them.

use super::contact_convex_revolved::{Question, Wall};
use super::direction_fan::{DirectionFan, Extreme};
use super::inside_revolved::{Arc, MOST_SAMPLES, leave_out_rounding};
use super::knots::Knots;
use super::measured_turns;
use super::profile_passes::{Kind, Node, Ways};
use super::ring_corner::{cone_at, settle_on_ring};
use super::run_vertices::deepest_places;
use super::stationary_reaches::{Reaches, Turn};
use crate::{SurfaceContact, tolerance};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// First samples over an arc of azimuths: fewest, and how far apart [rad] unless that makes them too many.
const FEWEST_SAMPLES: usize = 8;
const SAMPLE_SPACING: f64 = 0.1;

/// Multiples of a wall's normal that are tried to show that what is beyond it does not come near its end.
const TRIED: [f64; 3] = [0.0, 1.0, 4.0];

/// Most halvings of an interval of azimuths for a polyhedron, and how far the change of its depth may be from what the slopes at the ends of
/// the interval tell, over the steeper of the two.
const N_DIVISIONS: usize = 3;
const TOLD: f64 = 0.1;

/// Halvings on the way to where one part of a run gives way to another.
const N_HALVINGS: usize = 20;

/// A corner that juts out or ends a profile.
#[derive(Clone, Copy)]
pub(super) struct Ridge {
    pub corner: usize,
    pub place: DVec2,
    /// Angles of its normals in the half-plane, from one to another [rad].
    low: f64,
    high: f64,
    /// The first and the last normal that a vertex is met along.
    pub sides: [DVec2; 2],
}

/// Pieces that turn away from the body one after the other.
#[derive(Default)]
pub(super) struct Run {
    pub walls: Vec<Wall>,
    pub ridges: Vec<Ridge>,
}

/// Which part of a run.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Wall(usize),
    Ridge(usize),
}

/// What is seen of a run in a meridian plane: the normal with the least depth, and whose it is.
struct Look {
    extreme: Extreme,
    part: Part,
    /// How fast the depth grows with the azimuth [m].
    rise: f64,
}

/// Runs, and what needs no other look.
#[derive(Default)]
pub(super) struct Runs {
    pub runs: Vec<Run>,
    /// First segments of the pieces that are in runs.
    pub walls: Vec<u32>,
    /// Corners that are in runs or that are not felt.
    pub corners: Vec<usize>,
}

impl Runs {
    /// Those of a body with pieces that it is near.
    pub fn of(question: &Question, walls: &[Wall]) -> Runs {
        let mut found = Runs::default();
        if question.body.convex.shape.is_planar() {
            return found;
        }
        // Around a closed profile from where one run ends and the next begins.
        let n = walls.len();
        let begins = |k: usize| !question.juts_out(&walls[(k + n - 1) % n], &walls[k]);
        let start = (0..n).find(|&k| begins(k)).unwrap_or(0);
        let ordered: Vec<Wall> = (0..n).map(|k| walls[(start + k) % n]).collect();
        for run in ordered.chunk_by(|wall, next| question.juts_out(wall, next)) {
            found.add(question, run);
        }
        found
    }

    /// Pieces that turn away one after the other.
    fn add(&mut self, question: &Question, walls: &[Wall]) {
        let mut run = Run { walls: walls.to_vec(), ridges: Vec::new() };
        for (k, wall) in walls.iter().enumerate() {
            for is_end in [false, true] {
                let Some(ridge) = question.ridge(wall, is_end) else { continue };
                if self.corners.contains(&ridge.corner) {
                    continue;
                }
                let beside = if is_end { walls.get(k + 1) } else { None };
                let is_felt = [Some(wall), beside].into_iter().flatten().all(|wall| question.is_felt(wall, &ridge));
                if is_felt {
                    run.ridges.push(ridge);
                }
                self.corners.push(ridge.corner);
            }
        }
        if !run.ridges.is_empty() {
            self.walls.extend(walls.iter().map(|wall| wall.first));
            self.runs.push(run);
        }
    }
}

impl Question<'_> {
    /// Whether the next piece turns away from a body that is before both.
    fn juts_out(&self, wall: &Wall, next: &Wall) -> bool {
        self.follows(wall, next)
            && next.segment.direction.dot(wall.toward) > tolerance::FLAT_EDGE
            && wall.segment.direction.dot(next.toward) < -tolerance::FLAT_EDGE
    }

    /// The corner at one end of a piece, if it juts out or ends the profile off the axis, and is near.
    fn ridge(&self, wall: &Wall, is_end: bool) -> Option<Ridge> {
        let [before, after] = self.neighbours(wall);
        let (place, next) = if is_end {
            (wall.segment.end, after.map(|next| next.direction))
        } else {
            (wall.segment.start, before.map(|next| -next.direction))
        };
        let turns_away = next.is_none_or(|into| into.dot(wall.toward) > tolerance::FLAT_EDGE);
        // A vertex gives way to the end before it comes to it.
        let within =
            if self.body.by_vertices().is_some() { 2.0 * self.body.radius } else { self.body.radius } + self.margin;
        if place.x <= 0.0 || !turns_away || (place - self.centre).length_squared() > within * within {
            return None;
        }
        let n_segments = self.revolved.segments().len();
        let corner = if is_end { wall.last as usize + 1 } else { wall.first as usize };
        let corner = if self.revolved.is_closed() { corner % n_segments } else { corner };
        let (low, high) = cone_at(self, corner)?;
        let mut sides = [low, high].map(DVec2::from_angle);
        if next.is_none() {
            // Half of a right angle beyond the end.
            let into = if is_end { -wall.segment.direction } else { wall.segment.direction };
            sides = [wall.toward, (into - wall.toward).normalize()];
        }
        Some(Ridge { corner, place, low, high, sides })
    }

    /// Whether the normals of a ridge may be less deep than those of a piece that ends there.
    ///
    /// With x the farthest point along the piece's normal n, delta its depth and s how far before the end its foot is, the depth along
    /// the normal n cos t + d sin t of the end is at least delta cos t + s sin t. For t up to a right angle that is no less than delta
    /// if s >= delta. And s is bounded by what reaches beyond the piece at all: those points x of the body with n . x >= level,
    /// for which -d . x <= max over the body of (m n - d) . x - m level for each m >= 0. A vertex of a polyhedron is as deep as it is beyond
    /// the piece if s >= (1 + sqrt 2) delta.
    fn is_felt(&self, wall: &Wall, ridge: &Ridge) -> bool {
        if wall.toward.x <= 0.0 {
            return true;
        }
        let Some(Arc { half_arc, .. }) = self.arc(wall) else { return false };
        let Some(into) = wall.along_from(ridge.place) else { return true };
        let offset = |angle: f64| ridge.place - DVec2::new(self.centre.x * angle.cos(), self.centre.y);
        let is_behind = [0.0, half_arc].into_iter().all(|angle| into.dot(offset(angle)) <= 0.0);
        if half_arc >= FRAC_PI_2 || !(is_behind || ridge.high - ridge.low <= FRAC_PI_2) {
            return true;
        }
        let [u, _] = self.azimuth;
        let in_space = |p: DVec2| u * p.x + DVec3::Z * p.y;
        // What the distance from the axis may be more than its part along the centre's azimuth.
        let slack = (self.centre.x + self.body.radius) * (1.0 - half_arc.cos());
        let level = wall.toward.dot(wall.segment.start) - self.margin;
        let (normal, out) = (in_space(wall.toward), in_space(-into));
        let reach = |direction: DVec3| direction.dot(self.body.support(direction.normalize()));
        let depth = (reach(normal) + wall.toward.x * slack - level - self.margin).max(0.0);
        let end = -into.dot(ridge.place);
        let needed = if self.body.by_vertices().is_some() { 1.0 + SQRT_2 } else { 1.0 } * depth;
        !TRIED.into_iter().any(|times| {
            let beyond = reach(out + normal * times) - times * (level - wall.toward.x * slack);
            beyond + (-into.x).max(0.0) * slack + needed + self.foot_tolerance < end
        })
    }

    /// The least depth of the body over the normals of a run at an azimuth; no less than that where it is not within the margin.
    fn look(&self, run: &Run, angle: f64) -> Option<Look> {
        let (outward, slope) = self.meridian(angle);
        let mut least: Option<Look> = None;
        for (index, wall) in run.walls.iter().enumerate() {
            let direction = outward * wall.toward.x + DVec3::Z * wall.toward.y;
            let level = wall.toward.dot(wall.segment.start);
            let (point, height, steepness) = if self.body.measured.is_some() {
                let found = self.body.measured_beyond(direction, level);
                (found.point, found.depth, found.slope)
            } else {
                let point = self.body.support_beyond(direction, level);
                (point, direction.dot(point) - level, 1.0)
            };
            if least.as_ref().is_none_or(|least| height < least.extreme.height) {
                let extreme = Extreme { angle, direction, slope, point, height, value: slope.dot(point) };
                let rise = steepness * wall.toward.x * extreme.value;
                least = Some(Look { extreme, part: Part::Wall(index), rise });
            }
        }
        let mut least = least?;
        for (index, ridge) in run.ridges.iter().enumerate() {
            if least.extreme.height < -self.margin {
                break;
            }
            let origin = outward * ridge.place.x + DVec3::Z * ridge.place.y;
            if let Part::Wall(wall) = least.part
                && self.body.measured.is_none()
                && self.is_surely_deeper(&run.walls[wall], ridge, outward, origin, &least.extreme)
            {
                continue;
            }
            let fan = DirectionFan { constant: DVec3::ZERO, cosine: outward, sine: DVec3::Z, origin };
            let Some((low, high)) = fan.away_from(self.body.centre, ridge.low, ridge.high) else { continue };
            let found = fan.least_reach(self.body, low, high, self.small);
            let height = found.direction.dot(found.point - origin);
            if height < least.extreme.height - self.negligible(height) {
                let extreme = Extreme { angle, slope, height, value: slope.dot(found.point), ..found };
                let rise = self.body.steepness(&found, origin) * found.direction.dot(outward) * extreme.value;
                least = Look { extreme, part: Part::Ridge(index), rise };
            }
        }
        Some(least)
    }

    /// Whether the normals of a ridge are no less deep than that of a piece that ends there, by its farthest point.
    fn is_surely_deeper(&self, wall: &Wall, ridge: &Ridge, outward: DVec3, origin: DVec3, extreme: &Extreme) -> bool {
        let Some(into) = wall.along_from(ridge.place) else { return false };
        let into = outward * into.x + DVec3::Z * into.y;
        let before_end = into.dot(extreme.point - origin);
        let is_short = into.dot(origin - self.body.centre) <= 0.0 || ridge.high - ridge.low <= FRAC_PI_2;
        is_short && before_end >= extreme.height.max(0.0)
    }

    /// Appends the contacts with a run, and what leads from one to the next.
    pub(super) fn meet_run(&self, run: &Run, out: &mut Vec<SurfaceContact>, ways: &mut Ways) {
        let is_around = run.walls.iter().all(|wall| wall.toward.x <= 0.0);
        let mut arc = Arc { half_arc: f64::INFINITY, surrounds_axis: true };
        let mut narrowest = None;
        if is_around {
            (arc.half_arc, narrowest) = (self.half_arc_around(run), run.walls.first());
        }
        for wall in run.walls.iter().filter(|wall| wall.toward.x > 0.0) {
            let Some(next) = self.arc(wall) else { return };
            if next.half_arc < arc.half_arc {
                (arc, narrowest) = (next, Some(wall));
            }
        }
        let (Some(wall), Arc { half_arc, surrounds_axis }) = (narrowest, arc) else { return };
        let polyhedron = self.body.by_vertices().filter(|_| !is_around);
        let nowhere = Extreme {
            angle: 0.0,
            direction: DVec3::Z,
            slope: DVec3::ZERO,
            point: DVec3::ZERO,
            height: f64::NEG_INFINITY,
            value: 0.0,
        };
        let evaluate = |angle: f64| self.look(run, angle).map_or(nowhere, |look| look.extreme);
        let mut turns = Vec::new();
        if self.body.measured.is_some() {
            let look = |angle: f64| match self.look(run, angle) {
                Some(look) => {
                    let is_inside = look.extreme.direction.dot(self.meridian(angle).0) > 0.0;
                    measured_turns::Look { extreme: look.extreme, rise: is_inside.then_some(look.rise) }
                }
                None => measured_turns::Look { extreme: Extreme { angle, ..nowhere }, rise: None },
            };
            turns = self.measured_turns(half_arc, look, |first, last| self.most_between(first, last));
        } else {
            let knots = match polyhedron {
                Some(polyhedron) => Knots::at(self, &deepest_places(self, run, polyhedron)),
                None => Knots::of(self, wall, surrounds_axis),
            };
            let n_even = ((2.0 * half_arc / SAMPLE_SPACING) as usize).clamp(FEWEST_SAMPLES, MOST_SAMPLES);
            let (angles, n_samples) = knots.among(half_arc, n_even);
            let n_divisions = if polyhedron.is_some() || is_around { N_DIVISIONS } else { 0 };
            let angles = self.with_switches(run, n_divisions, -half_arc, &angles[..n_samples]);
            let reaches = Reaches {
                evaluate,
                bound: |first: &Extreme, last: &Extreme| self.most_between(first, last),
                needed: -self.margin - self.small,
                small: self.small,
                ties: false,
            };
            reaches.turns(-half_arc, &angles, half_arc >= PI, &mut turns);
            leave_out_rounding(&mut turns, half_arc >= PI, self.small * 100.0);
        }
        if is_around {
            self.leave_least(&mut turns, evaluate);
            for turn in &mut turns {
                // Where the farthest point jumps, one of the places that tie.
                if let Turn::Least(least) = turn {
                    *least = evaluate(least.angle);
                }
            }
        }
        for turn in &mut turns {
            // Around a rod what is between two contacts is no pass.
            if let Turn::Least(least) = turn
                && least.direction.dot(self.meridian(least.angle).0) <= 0.0
            {
                *turn = Turn::Gap(least.angle);
            }
        }
        let walls: Vec<u32> = run.walls.iter().map(|wall| wall.first).collect();
        let (first, first_node) = (out.len(), ways.nodes.len());
        let mut settle = |extreme: &Extreme, far: u32| self.settle_on(run, extreme, far, out);
        if half_arc >= PI && !turns.iter().any(|turn| matches!(turn, Turn::Largest(_) | Turn::Gap(_))) {
            // Round about the axis: every azimuth is as good as any other.
            let near = Kind::Largest { angle: 0.0, basin: [-PI, PI] };
            let both = [(0.0, 0, near), (PI, 1, Kind::Far { angle: PI })];
            for &(angle, far, kind) in if is_around { &both[..1] } else { &both } {
                let feature = settle(&evaluate(angle), far);
                let node = |feature: u32| walls.iter().map(move |&wall| Node { feature, wall, kind });
                ways.nodes.extend(feature.into_iter().flat_map(node));
            }
        } else {
            self.settle_turns(&walls, 0.0, &turns, half_arc, settle, ways);
        }
        if self.body.by_vertices().is_some() && is_around {
            ways.nodes.truncate(first_node);
        }
        for node in &mut ways.nodes[first_node..] {
            let met = out[first..].iter().find(|contact| contact.feature == node.feature);
            if let (Kind::Largest { angle, .. }, Some(met)) = (node.kind, met)
                && met.normal.dot(self.meridian(angle).0) <= 0.0
            {
                let is_flat = run.walls.iter().any(|wall| wall.first == node.wall && wall.toward.x == 0.0);
                node.kind = if is_flat { Kind::Flat } else { Kind::Around { angle } };
            }
        }
        if let Some(polyhedron) = polyhedron {
            // Its vertices go over hollow corners by themselves.
            let nodes = ways.nodes.split_off(first_node);
            self.meet_run_with_vertices(run, polyhedron, &nodes, out, ways);
        }
        ways.of_runs.extend(out[first..].iter().map(|contact| contact.feature));
    }

    /// The azimuths at which a body may meet a run from outside: those of the half turn on its side, or all if it is over an end of it.
    fn half_arc_around(&self, run: &Run) -> f64 {
        let reach = self.body.radius + self.margin;
        let is_over = |ridge: &Ridge| {
            let rise = ridge.place.y - self.centre.y;
            ridge.place.x.hypot(self.centre.x).hypot(rise) <= reach
        };
        let is_flat = run.walls.iter().any(|wall| wall.toward.x == 0.0);
        if is_flat || run.ridges.iter().any(is_over) { PI } else { FRAC_PI_2 }
    }

    /// Of the places where a body meets a run from outside leaves the one that is least deep: it is clear of the run as soon as it is clear of it
    /// along any one normal. Where normals lead away from the axis, as at the edge of a hole, each place counts.
    fn leave_least(&self, turns: &mut Vec<Turn>, evaluate: impl Fn(f64) -> Extreme) {
        let is_outside = |extreme: &Extreme| extreme.direction.dot(self.meridian(extreme.angle).0) <= 0.0;
        let depth = |turn: &Turn| match turn {
            Turn::Largest(extreme) if is_outside(extreme) => Some(extreme.height),
            _ => None,
        };
        let is_clear = |turn: &Turn| match turn {
            Turn::Gap(angle) => {
                let extreme = evaluate(*angle);
                extreme.height < -self.margin && is_outside(&extreme)
            }
            _ => false,
        };
        let least = if turns.iter().any(is_clear) {
            f64::NEG_INFINITY
        } else {
            turns.iter().filter_map(depth).fold(f64::INFINITY, f64::min)
        };
        turns.retain(|turn| depth(turn).is_none_or(|depth| depth == least));
    }

    /// No depth between two azimuths is larger: none changes faster with the azimuth than by how far the body reaches from the axis.
    fn most_between(&self, first: &Extreme, last: &Extreme) -> f64 {
        let steepest = self.centre.x + self.body.radius;
        0.5 * (first.height + last.height + steepest * (last.angle - first.angle))
    }

    /// Azimuths in ascending order after a first one, and between them those on either side of where one part of a run has the least depth
    /// after another, as far as there is one such place between two: the slope of the depth may jump there. Over a corner the slope
    /// of a polyhedron's least depth jumps wherever that goes from one edge to another, and around a rod that of any body's may: there are as many
    /// azimuths as its change tells, after so many divisions.
    fn with_switches(&self, run: &Run, n_divisions: usize, first: f64, angles: &[f64]) -> Vec<f64> {
        let mut all = Vec::with_capacity(2 * angles.len());
        let mut before = self.look(run, first);
        for &angle in angles {
            let after = self.look(run, angle);
            if let (Some(one), Some(other)) = (&before, &after) {
                self.divide(run, one, other, n_divisions, &mut all);
            }
            all.push(angle);
            before = after;
        }
        all
    }

    /// Appends azimuths between two, in order: those on either side of a switch, and others until the depth changes as its slopes tell.
    fn divide(&self, run: &Run, one: &Look, other: &Look, n_divisions: usize, all: &mut Vec<f64>) {
        let (first, last) = (&one.extreme, &other.extreme);
        if self.most_between(first, last) < -self.margin {
            return;
        }
        let middle = 0.5 * (first.angle + last.angle);
        if n_divisions > 0
            && !self.is_told(one, other)
            && let Some(look) = self.look(run, middle)
        {
            self.divide(run, one, &look, n_divisions - 1, all);
            all.push(middle);
            self.divide(run, &look, other, n_divisions - 1, all);
        } else if one.part != other.part {
            let (mut low, mut high) = (first.angle, last.angle);
            for _ in 0..N_HALVINGS {
                let middle = 0.5 * (low + high);
                if self.look(run, middle).is_some_and(|look| look.part == one.part) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            all.extend([low, high].into_iter().filter(|&knot| knot > first.angle && knot < last.angle));
        }
    }

    /// Whether the depth changes from one azimuth to another as its slopes there tell.
    fn is_told(&self, first: &Look, last: &Look) -> bool {
        let width = last.extreme.angle - first.extreme.angle;
        let told = 0.5 * width * (first.rise + last.rise);
        let most = width * first.rise.abs().max(last.rise.abs());
        (last.extreme.height - first.extreme.height - told).abs() <= TOLD * most + self.small
    }

    /// Reports a stationary place of a run.
    fn settle_on(&self, run: &Run, extreme: &Extreme, far: u32, out: &mut Vec<SurfaceContact>) -> Option<u32> {
        let look = self.look(run, extreme.angle)?;
        match look.part {
            Part::Wall(wall) => {
                let wall = &run.walls[wall];
                if wall.toward.x == 0.0 {
                    return self.settle_flat(wall, out);
                }
                let is_ridge = |end: DVec2| run.ridges.iter().any(|ridge| ridge.place == end);
                let is_before = [wall.segment.start, wall.segment.end].map(is_ridge);
                self.settle_before(wall, is_before, &look.extreme, far, out)
            }
            Part::Ridge(ridge) => {
                let Ridge { corner, place, .. } = run.ridges[ridge];
                let (outward, slope) = self.meridian(extreme.angle);
                let origin = outward * place.x + DVec3::Z * place.y;
                let fan = DirectionFan { constant: DVec3::ZERO, cosine: outward, sine: DVec3::Z, origin };
                let (sine, cosine) = (look.extreme.direction.z, look.extreme.direction.dot(outward));
                let least = Extreme { slope: DVec3::Z * cosine - outward * sine, ..look.extreme };
                let feature = 2 * (self.revolved.segments().len() + corner) as u32 + far;
                settle_on_ring(self, &fan, &least, slope, feature, out)
            }
        }
    }
}

impl Wall {
    /// Unit vector of the half-plane along the piece from one of its ends, given by the place; `None` if it is neither.
    fn along_from(&self, end: DVec2) -> Option<DVec2> {
        if end == self.segment.start {
            Some(self.segment.direction)
        } else if end == self.segment.end {
            Some(-self.segment.direction)
        } else {
            None
        }
    }
}
