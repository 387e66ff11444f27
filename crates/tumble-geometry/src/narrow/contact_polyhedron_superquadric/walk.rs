//! The walk over faces, edges and vertices of a polyhedron to the one that is nearest to a superquadric.
//!
//! With w(n) = v - c + s(n), v a farthest vertex along n, c the centre and s the farthest point of the superquadric from there, f(n) =
//! n . w(n) = -gap(n). The pieces of f are those of the polyhedron:
//! - **face**, one normal: X = c - s(n) is the superquadric's deepest point. f has a local minimum there if X is above or below the face
//!   itself; else the walk goes on with the edge that X is farthest beyond;
//! - **edge**, the arc between two faces' normals: the slope t . w along the arc is zero, or the walk goes to the face at an end. If
//!   X is beside the edge itself f has a local minimum; else the walk goes to the vertex;
//! - **vertex**, the area between the arcs of its edges: the superquadric's point nearest to the vertex. If its normal is
//!   within the area f has a local minimum; else the walk goes to the edge whose arc it is farthest beyond.
//!
//! For bodies apart each step leads to a piece that is nearer to the superquadric, as in the walk of Mirtich (1998), so that it ends; the
//! same holds for overlaps less deep than the ball that rolls inside, which are distances of what is left without that ball. Deeper ones
//! may end anywhere, or nowhere: the steps are counted.

use super::round::{Nearest, Round};
use crate::shape::{Rib, raised};
use crate::tolerance;
use crate::{Contact, Polyhedron};
use glam::DVec3;

/// Most steps of a walk. Hulls of 200 corners need some ten.
const MAX_STEPS: usize = 60;

/// Sine of an angle. A direction this little beyond an arc is on it.
const ON_ARC: f64 = 1e-12;

/// Sine of the angle below which an edge is as good as level with a direction of a moment ago.
const NEAR: f64 = 0.02;

/// A piece of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece {
    Face(u32),
    Edge(u32),
    Vertex(u32),
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub piece: Piece,
    /// Unit direction from the polyhedron to the superquadric.
    pub normal: DVec3,
    /// The gap along it [m].
    pub gap: f64,
    /// Point of the polyhedron; that of the superquadric is the gap farther along the normal.
    pub point: DVec3,
}

impl Stop {
    /// The contact from the polyhedron to the superquadric.
    pub fn contact(&self) -> Contact {
        let Stop { normal, gap, point, .. } = *self;
        Contact { normal, separation: gap, point_a: point, point_b: point + normal * gap }
    }
}

/// How a walk ended.
pub(super) enum Walked {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// At a local minimum of f.
    Stationary(Stop),
    /// Nowhere.
    Lost,
}

/// What became of one piece.
enum Outcome {
    Stop(Stop),
    /// The next piece, and a direction to begin from.
    Next(Piece, DVec3),
    Beyond,
    Lost,
}

/// A polyhedron and a superquadric in its frame.
pub(super) struct Pair<'a> {
    pub polyhedron: &'a Polyhedron,
    pub round: &'a Round<'a>,
    pub size: f64,
    pub limit: f64,
}

impl Pair<'_> {
    fn vertex(&self, vertex: u32) -> DVec3 {
        self.polyhedron.vertices()[vertex as usize]
    }

    fn normal(&self, face: u32) -> DVec3 {
        self.polyhedron.faces()[face as usize].normal
    }

    /// The piece to begin with along a direction of a moment ago: what of the polyhedron is nearly level there.
    pub fn piece_near(&self, n: DVec3) -> Piece {
        let web = self.polyhedron.web();
        let vertex = self.polyhedron.support_vertex(n) as u32;
        let (mut first, mut second) = ((-NEAR, u32::MAX), (-NEAR, u32::MAX));
        for spoke in web.spokes(vertex) {
            let height = spoke.along.dot(n);
            if height > first.0 {
                (second, first) = (first, (height, spoke.edge));
            } else if height > second.0 {
                second = (height, spoke.edge);
            }
        }
        if first.1 == u32::MAX {
            return Piece::Vertex(vertex);
        }
        if second.1 == u32::MAX {
            return Piece::Edge(first.1);
        }
        let (one, other) = (web.ribs[first.1 as usize].faces, web.ribs[second.1 as usize].faces);
        match one.into_iter().find(|face| other.contains(face)) {
            Some(face) => Piece::Face(face),
            None => Piece::Edge(first.1),
        }
    }

    /// Walks from a piece and a direction.
    pub fn walk(&self, mut piece: Piece, mut n: DVec3) -> Walked {
        for _ in 0..MAX_STEPS {
            let outcome = match piece {
                Piece::Face(face) => self.at_face(face),
                Piece::Edge(edge) => self.at_edge(edge, n),
                Piece::Vertex(vertex) => self.at_vertex(vertex, n),
            };
            match outcome {
                Outcome::Next(next, from) => (piece, n) = (next, from),
                Outcome::Stop(stop) if stop.gap > self.limit => return Walked::Beyond,
                Outcome::Stop(stop) => return Walked::Stationary(stop),
                Outcome::Beyond => return Walked::Beyond,
                Outcome::Lost => return Walked::Lost,
            }
        }
        Walked::Lost
    }

    #[inline]
    fn at_face(&self, face: u32) -> Outcome {
        let plane = &self.polyhedron.faces()[face as usize];
        let n = plane.normal;
        let deepest = self.round.centre - self.round.farthest(n);
        let gap = n.dot(deepest) - plane.offset;
        if gap > self.limit {
            return Outcome::Beyond;
        }
        let (mut least, mut edge) = (-tolerance::EXACT * self.size, u32::MAX);
        for side in self.polyhedron.web().sides(face) {
            let room = side.inward.dot(deepest) - side.offset;
            if room < least {
                (least, edge) = (room, side.edge);
            }
        }
        if edge == u32::MAX {
            let point = deepest - n * gap;
            return Outcome::Stop(Stop { piece: Piece::Face(face), normal: n, gap, point });
        }
        Outcome::Next(Piece::Edge(edge), n)
    }

    fn at_edge(&self, edge: u32, start: DVec3) -> Outcome {
        let rib = &self.polyhedron.web().ribs[edge as usize];
        let first = self.vertex(rib.ends[0]);
        let arc = Arc {
            rib,
            along: rib.along.normalize_or_zero(),
            ends: rib.faces.map(|face| self.normal(face)),
            offset: first - self.round.centre,
        };
        let arrived = tolerance::STATIONARY * self.size;
        let (n, s) = match arc.level(self.round, start, arrived) {
            Level::At(n, s) => (n, s),
            Level::Beyond(end) => return Outcome::Next(Piece::Face(rib.faces[end]), arc.ends[end]),
        };
        let gap = -n.dot(arc.offset + s);
        debug_assert!((n.dot(s) - n.dot(self.round.farthest(n))).abs() <= 1e-9 * self.size);
        if gap > self.limit {
            return Outcome::Beyond;
        }
        let length = rib.along.length();
        let distance = -(arc.offset + s).dot(arc.along);
        let slack = tolerance::EXACT * self.size;
        if distance < -slack || distance > length + slack {
            return Outcome::Next(Piece::Vertex(rib.ends[usize::from(distance > 0.0)]), n);
        }
        let point = first + arc.along * distance.clamp(0.0, length);
        Outcome::Stop(Stop { piece: Piece::Edge(edge), normal: n, gap, point })
    }

    fn at_vertex(&self, vertex: u32, start: DVec3) -> Outcome {
        let point = self.vertex(vertex);
        let from = self.round.centre - self.round.farthest(start);
        let Some(Nearest { point: nearest, outwards }) = self.round.nearest(point, from) else { return Outcome::Lost };
        let n = -outwards;
        let (mut highest, mut edge) = (ON_ARC, u32::MAX);
        for spoke in self.polyhedron.web().spokes(vertex) {
            let height = spoke.along.dot(n);
            if height > highest {
                (highest, edge) = (height, spoke.edge);
            }
        }
        if edge != u32::MAX {
            return Outcome::Next(Piece::Edge(edge), n);
        }
        let gap = n.dot(nearest - point);
        Outcome::Stop(Stop { piece: Piece::Vertex(vertex), normal: n, gap, point })
    }
}

/// The arc of an edge's normals.
struct Arc<'a> {
    rib: &'a Rib,
    /// Unit vector along the edge.
    along: DVec3,
    /// The normals of its faces, left and right.
    ends: [DVec3; 2],
    /// From the superquadric's centre to the edge [m].
    offset: DVec3,
}

/// Where f is level along an arc.
enum Level {
    /// At a direction, with the superquadric's farthest point there.
    At(DVec3, DVec3),
    /// Beyond the end at this face.
    Beyond(usize),
}

/// A place on an arc where the slope is known.
#[derive(Clone, Copy)]
struct Place {
    /// From 0 at the left face to 1 at the right one, along the chord.
    x: f64,
    slope: f64,
    s: DVec3,
}

impl Arc<'_> {
    /// The direction at a share of the chord.
    #[inline]
    fn at(&self, x: f64) -> DVec3 {
        if x <= 0.0 {
            self.ends[0]
        } else if x >= 1.0 {
            self.ends[1]
        } else {
            self.ends[0].lerp(self.ends[1], x).normalize_or(self.ends[0])
        }
    }

    /// The way along the arc from left to right at a direction.
    #[inline]
    fn tangent(&self, n: DVec3) -> DVec3 {
        self.along.cross(n)
    }

    fn place(&self, round: &Round, x: f64) -> Place {
        let n = self.at(x);
        let s = round.farthest(n);
        Place { x, slope: self.tangent(n).dot(self.offset + s), s }
    }

    /// Steps by Newton's method, over the surface if it has flat sides, then along the arc; and where these fail a bracket.
    #[inline]
    fn level(&self, round: &Round, start: DVec3, arrived: f64) -> Level {
        let mut n = (start - self.along * self.along.dot(start)).normalize_or(self.ends[0]);
        if round.has_flat_sides()
            && let Some((n, s)) = round.level_with_line(self.offset, self.along, n, arrived)
            && self.rib.inward.iter().all(|inward| inward.dot(n) <= 0.0)
        {
            return Level::At(n, s);
        }
        let mut best: Option<f64> = None;
        for _ in 0..8 {
            // Beyond an end the walk looks at that end first.
            let out = [0, 1].map(|k| self.rib.inward[k].dot(n) > 0.0);
            if out[0] || out[1] {
                let end = if out[0] && out[1] {
                    usize::from(self.ends[1].dot(n) > self.ends[0].dot(n))
                } else {
                    usize::from(out[1])
                };
                n = self.ends[end];
            }
            let t = self.tangent(n);
            let (s, bend) = round.bent(n, t);
            let w = self.offset + s;
            let slope = t.dot(w);
            if slope.abs() <= arrived {
                return Level::At(n, s);
            }
            let is_end = [0, 1].map(|k| n == self.ends[k]);
            if is_end[0] && slope > 0.0 {
                return Level::Beyond(0);
            }
            if is_end[1] && slope < 0.0 {
                return Level::Beyond(1);
            }
            let curvature = bend - n.dot(w);
            if curvature.is_nan() || curvature <= 0.0 || best.is_some_and(|best| slope.abs() > 0.5 * best) {
                break;
            }
            best = Some(slope.abs());
            n = (n - t * (slope / curvature)).normalize_or(n);
        }
        self.bracketed(round, arrived)
    }

    /// The level place between two with slopes of either sign: first the places where a component of the normal vanishes in the
    /// superquadric's frame, then false position in a variable in which points near these move evenly.
    #[cold]
    fn bracketed(&self, round: &Round, arrived: f64) -> Level {
        let (mut low, mut high) = (self.place(round, 0.0), self.place(round, 1.0));
        if low.slope > arrived {
            return Level::Beyond(0);
        }
        if high.slope < -arrived {
            return Level::Beyond(1);
        }
        for end in [low, high] {
            if end.slope.abs() <= arrived {
                return Level::At(self.at(end.x), end.s);
            }
        }
        let mut power = [1.0; 2];
        if round.has_flat_sides() {
            let [from, to] = self.ends.map(|n| round.own(n));
            let mut vanishing: [f64; 3] = std::array::from_fn(|k| from[k] / (from[k] - to[k]));
            vanishing.sort_unstable_by(f64::total_cmp);
            for x in vanishing {
                if x > low.x && x < high.x {
                    let place = self.place(round, x);
                    if place.slope < 0.0 {
                        (low, power[0]) = (place, round.exponent() - 1.0);
                    } else {
                        (high, power[1]) = (place, round.exponent() - 1.0);
                    }
                }
            }
            // Both ends are such places: half of it has one.
            if power == [round.exponent() - 1.0; 2] {
                let middle = self.place(round, 0.5 * (low.x + high.x));
                if middle.slope < 0.0 {
                    (low, power[0]) = (middle, 1.0);
                } else {
                    (high, power[1]) = (middle, 1.0);
                }
            }
        }
        self.close_in(round, low, high, power, arrived)
    }

    fn close_in(&self, round: &Round, low: Place, high: Place, power: [f64; 2], arrived: f64) -> Level {
        let (from, width) = (low.x, high.x - low.x);
        let x_of = |u: f64| {
            if power[1] > 1.0 {
                from + width * (1.0 - raised(1.0 - u, power[1]))
            } else {
                from + width * raised(u, power[0])
            }
        };
        let (mut left, mut right) = ((0.0, low.slope), (1.0, high.slope));
        let (mut low, mut high) = (low, high);
        for step in 1..200 {
            let middle = 0.5 * (left.0 + right.0);
            let secant = left.0 - left.1 * (right.0 - left.0) / (right.1 - left.1);
            let u = if step % 4 == 0 || !(secant > left.0 && secant < right.0) { middle } else { secant };
            let place = self.place(round, x_of(u));
            if place.slope.abs() <= arrived {
                return Level::At(self.at(place.x), place.s);
            }
            // Powers of small shares vanish: a place that cannot be told from an end moves the share alone.
            if u <= left.0 || u >= right.0 || high.x - low.x <= f64::EPSILON {
                break;
            }
            if place.slope < 0.0 {
                (low, left, right.1) = (place, (u, place.slope), 0.5 * right.1);
            } else {
                (high, right, left.1) = (place, (u, place.slope), 0.5 * left.1);
            }
        }
        // Nothing between two places that rounding does not tell apart: a flat side, of which a point is between theirs.
        let share = (low.slope / (low.slope - high.slope)).clamp(0.0, 1.0);
        Level::At(self.at(low.x), low.s.lerp(high.s, share))
    }
}
