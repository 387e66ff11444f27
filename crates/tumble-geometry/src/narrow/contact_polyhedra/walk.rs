//! The walk downhill over the directions: from any direction to one in which the gap is stationary.
//!
//! M = A - B is a polytope, h(n) its support function, gap(n) = -h(n). The directions in which a corner of M is farthest fill a
//! cell of the sphere, those of an edge of M an arc, that of a face a point: the overlay of the two bodies' Gauss maps. A corner
//! of M is a corner a and a corner b; an edge is an edge of one and a corner of the other; a face is a face and a corner, or two
//! edges whose arcs cross.
//!
//! Let F be what of M is farthest along n, and q the point of F nearest to the origin. Among the tangential parts of the points
//! of F, that of q is the shortest, so that n - s q, s > 0, is the steepest way down of h on the sphere. It stays with the
//! part of F that has q within it until a further corner of M becomes as far: a wall of the cell, or an end of the arc. So
//! each step is exact: one pass over the edges at a corner, or over the sides of a face. It ends
//! - where no wall comes: n = -q / |q|. The bodies are apart, h(n) = -|q|, and q is a point of M: no other direction has more;
//! - where q is within a face of M: h has a local minimum there, which is the distance if h < 0.
//!
//! h never rises, and there are finitely many pieces; rounding can make the walk go round in a circle where pieces coincide,
//! so that the steps are counted.

use crate::cross::accurate_cross;
use crate::shape::{Rib, Web};
use crate::{Polyhedron, Pose};
use glam::{DMat3, DVec3};

/// Most steps of a walk. Random hulls of a hundred corners need five in the mean and twelve at most.
const MAX_STEPS: usize = 40;

/// Multiplies the length of the way. A wall to which the way runs at a smaller rate is parallel to it.
const ALONG_WALL: f64 = 1e-14;

/// Multiplies the size. A foot this little beyond a side of a face is on it.
const ON_SIDE: f64 = 4e-16;

/// Squared sine of the angle between two edges below which they have no common perpendicular.
const PARALLEL: f64 = 1e-20;

/// Squared sine of the angle between two edges below which rounding moves the point where they cross by more than 1e-12 of their
/// lengths, so that it may come to be beyond an end.
const NEARLY_PARALLEL: f64 = 1e-8;

/// Two polyhedra, seen from a.
pub(super) struct Pair<'a> {
    pub a: &'a Polyhedron,
    pub b: &'a Polyhedron,
    web_a: &'a Web,
    web_b: &'a Web,
    pub turn: DMat3,
    pub shift: DVec3,
    pub size: f64,
}

/// What of M is farthest along a direction: numbers of corners, edges and faces of a and of b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    Corners(u32, u32),
    EdgeOfA(u32, u32),
    EdgeOfB(u32, u32),
    FaceOfA(u32, u32),
    FaceOfB(u32, u32),
    Edges(u32, u32),
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub feature: Feature,
    /// Unit direction.
    pub normal: DVec3,
    /// The gap along it [m].
    pub gap: f64,
    /// Point of a nearest to b; that of b is the gap farther along the normal.
    pub point_a: DVec3,
    /// Radius of a disc about q within the face of M [m]; nothing if q is not within a face.
    pub room: Option<f64>,
}

/// How a walk ended.
pub(super) enum Walked {
    /// The bodies are farther apart than the limit.
    Beyond,
    /// At a stationary direction.
    Stationary(Stop),
    /// It went round in a circle.
    Lost,
}

/// A part of M without a part of its surface, and its point nearest to the origin.
struct Active {
    feature: Feature,
    /// The point, in a's frame.
    q: DVec3,
    /// The point of a.
    point_a: DVec3,
}

/// A face of M: it has the nearest point within it, or a part of it has.
enum Nearest {
    Within(Stop),
    Part(Active),
    Degenerate,
}

/// What is met on the way from a direction.
#[derive(Clone, Copy)]
enum Wall {
    OfA(u32),
    OfB(u32),
}

impl<'a> Pair<'a> {
    #[inline(always)]
    pub fn new(a: &'a Polyhedron, b: &'a Polyhedron, pose_ab: &Pose) -> Pair<'a> {
        let turn = DMat3::from_quat(pose_ab.orientation);
        let size = a.bounding_radius().max(b.bounding_radius());
        Pair { a, b, web_a: a.web(), web_b: b.web(), turn, shift: pose_ab.position, size }
    }

    /// A vector in b's frame.
    #[inline(always)]
    fn local(&self, v: DVec3) -> DVec3 {
        DVec3::new(self.turn.x_axis.dot(v), self.turn.y_axis.dot(v), self.turn.z_axis.dot(v))
    }

    /// A direction as b sees it, turned round: what is farthest along it is farthest of M, too.
    #[inline(always)]
    pub fn as_b_sees(&self, n: DVec3) -> DVec3 {
        -self.local(n)
    }

    #[inline(always)]
    fn corner_of_a(&self, vertex: u32) -> DVec3 {
        self.a.vertices()[vertex as usize]
    }

    #[inline(always)]
    fn corner_of_b(&self, vertex: u32) -> DVec3 {
        self.turn * self.b.vertices()[vertex as usize] + self.shift
    }

    /// The ball inside M: its centre and radius.
    #[inline]
    pub fn inner_ball(&self) -> (DVec3, f64) {
        let (a, b) = (self.web_a, self.web_b);
        (a.inner_centre - self.turn * b.inner_centre - self.shift, a.inner_radius + b.inner_radius)
    }

    /// The corners that are farthest along a unit direction, which b sees as another.
    #[inline(always)]
    pub fn farthest(&self, n: DVec3, n_b: DVec3) -> [u32; 2] {
        Polyhedron::support_vertices([self.a, self.b], [n, n_b]).map(|vertex| vertex as u32)
    }

    /// The gap along a unit direction with these corners the farthest.
    #[inline(always)]
    pub fn gap(&self, [a, b]: [u32; 2], n: DVec3) -> f64 {
        n.dot(self.corner_of_b(b) - self.corner_of_a(a))
    }

    /// The gap along a unit direction.
    pub fn gap_along(&self, n: DVec3) -> f64 {
        self.gap(self.farthest(n, self.as_b_sees(n)), n)
    }

    /// Whether nothing but a face of M is as far along its normal as it is, nor nearly so: whether all edges that leave it go
    /// down. In doubt it says no.
    #[inline(always)]
    pub fn stands_alone(&self, stop: &Stop) -> bool {
        let n = stop.normal;
        match stop.feature {
            Feature::FaceOfA(_, b) => all_go_down(self.web_b, b, self.as_b_sees(n)),
            Feature::FaceOfB(a, _) => all_go_down(self.web_a, a, n),
            Feature::Edges(a, b) => {
                let is_alone = |rib: &Rib, n: DVec3| rib.inward.iter().all(|inward| inward.dot(n) < -rib.goes_down);
                is_alone(&self.web_a.ribs[a as usize], n) && is_alone(&self.web_b.ribs[b as usize], self.as_b_sees(n))
            }
            _ => false,
        }
    }

    /// The face of M at a corner that is most square to a direction, if the foot of the origin is within it. Whether it is
    /// a face at all is for the caller to see.
    #[inline(always)]
    pub fn face_near(&self, [a, b]: [u32; 2], n: DVec3, n_b: DVec3) -> Option<Stop> {
        let mut two = Two { heights: [-NEAR; 2], edges: [u32::MAX; 2] };
        two.take(self.web_a, a, n, 0);
        two.take(self.web_b, b, n_b, OF_B);
        let [p, q] = two.edges;
        if q == u32::MAX {
            return None;
        }
        let common = |web: &Web, p: u32, q: u32| {
            let (p, q) = (web.ribs[p as usize].faces, web.ribs[q as usize].faces);
            if p[0] == q[0] || p[0] == q[1] { Some(p[0]) } else { (p[1] == q[0] || p[1] == q[1]).then_some(p[1]) }
        };
        let nearest = match (p & OF_B != 0, q & OF_B != 0) {
            (false, false) => {
                let face = common(self.web_a, p, q)?;
                self.of_face_of_a(face, b, self.a.faces()[face as usize].normal)
            }
            (true, true) => {
                let face = common(self.web_b, p & !OF_B, q & !OF_B)?;
                self.of_face_of_b(a, face, -(self.turn * self.b.faces()[face as usize].normal))
            }
            (false, true) => self.of_edges(p, q & !OF_B, n),
            (true, false) => self.of_edges(q, p & !OF_B, n),
        };
        if let Nearest::Within(stop) = nearest { Some(stop) } else { None }
    }

    /// Walks from a unit direction and the corners that are farthest along it. Ends at once where a gap exceeds the limit.
    pub fn walk(&self, start: DVec3, [a, b]: [u32; 2], limit: f64) -> Walked {
        let mut n = start;
        let mut feature = Feature::Corners(a, b);
        for _ in 0..MAX_STEPS {
            let active = match feature {
                Feature::Corners(a, b) => self.of_corners(a, b),
                Feature::EdgeOfA(edge, b) => self.of_edge_of_a(edge, b),
                Feature::EdgeOfB(a, edge) => self.of_edge_of_b(a, edge),
                _ => {
                    let nearest = match feature {
                        Feature::FaceOfA(face, b) => self.of_face_of_a(face, b, n),
                        Feature::FaceOfB(a, face) => self.of_face_of_b(a, face, n),
                        Feature::Edges(a, b) => self.of_edges(a, b, n),
                        _ => Nearest::Degenerate,
                    };
                    match nearest {
                        Nearest::Within(stop) if stop.gap > limit => return self.beyond(stop.normal, limit),
                        Nearest::Within(stop) => return Walked::Stationary(stop),
                        Nearest::Part(active) => active,
                        Nearest::Degenerate => return Walked::Lost,
                    }
                }
            };
            let Some((s, wall)) = self.first_wall(&active, n) else {
                return self.end_apart(&active, n, limit);
            };
            n = (n - active.q * s).normalize_or(n);
            (feature, n) = self.beyond_wall(active.feature, wall, n);
            if -active.q.dot(n) > limit {
                return self.beyond(n, limit);
            }
        }
        Walked::Lost
    }

    /// A direction along which the walk sees a gap beyond the limit, looked at again without what the walk knows.
    fn beyond(&self, n: DVec3, limit: f64) -> Walked {
        if self.gap_along(n) > limit { Walked::Beyond } else { Walked::Lost }
    }

    #[inline(always)]
    fn of_corners(&self, a: u32, b: u32) -> Active {
        let point_a = self.corner_of_a(a);
        Active { feature: Feature::Corners(a, b), q: point_a - self.corner_of_b(b), point_a }
    }

    fn of_edge_of_a(&self, edge: u32, b: u32) -> Active {
        let rib = &self.web_a.ribs[edge as usize];
        let (start, corner) = (self.corner_of_a(rib.ends[0]), self.corner_of_b(b));
        let share = (corner - start).dot(rib.along) / rib.along.length_squared();
        if share <= 0.0 {
            return Active { feature: Feature::Corners(rib.ends[0], b), q: start - corner, point_a: start };
        }
        if share >= 1.0 {
            return self.of_corners(rib.ends[1], b);
        }
        let point_a = start + rib.along * share;
        Active { feature: Feature::EdgeOfA(edge, b), q: point_a - corner, point_a }
    }

    fn of_edge_of_b(&self, a: u32, edge: u32) -> Active {
        let rib = &self.web_b.ribs[edge as usize];
        let (start, point_a) = (self.corner_of_b(rib.ends[0]), self.corner_of_a(a));
        let along = self.turn * rib.along;
        let share = (point_a - start).dot(along) / rib.along.length_squared();
        if share <= 0.0 {
            return Active { feature: Feature::Corners(a, rib.ends[0]), q: point_a - start, point_a };
        }
        if share >= 1.0 {
            return self.of_corners(a, rib.ends[1]);
        }
        Active { feature: Feature::EdgeOfB(a, edge), q: point_a - (start + along * share), point_a }
    }

    #[inline(always)]
    fn of_face_of_a(&self, face: u32, b: u32, n: DVec3) -> Nearest {
        let corner = self.corner_of_b(b);
        match nearest_of_face(self.a, self.web_a, face, corner, ON_SIDE * self.size) {
            OnFace::Within(room) => {
                let gap = n.dot(corner) - self.a.faces()[face as usize].offset;
                let point_a = corner - n * gap;
                let feature = Feature::FaceOfA(face, b);
                Nearest::Within(Stop { feature, normal: n, gap, point_a, room: Some(room) })
            }
            OnFace::Edge(edge, point_a) => {
                Nearest::Part(Active { feature: Feature::EdgeOfA(edge, b), q: point_a - corner, point_a })
            }
            OnFace::Corner(a) => Nearest::Part(self.of_corners(a, b)),
        }
    }

    #[inline(always)]
    fn of_face_of_b(&self, a: u32, face: u32, n: DVec3) -> Nearest {
        let point_a = self.corner_of_a(a);
        let local = self.local(point_a - self.shift);
        match nearest_of_face(self.b, self.web_b, face, local, ON_SIDE * self.size) {
            OnFace::Within(room) => {
                let face_of_b = &self.b.faces()[face as usize];
                let gap = face_of_b.normal.dot(local) - face_of_b.offset;
                let feature = Feature::FaceOfB(a, face);
                Nearest::Within(Stop { feature, normal: n, gap, point_a, room: Some(room) })
            }
            OnFace::Edge(edge, point_b) => {
                let q = self.turn * (local - point_b);
                Nearest::Part(Active { feature: Feature::EdgeOfB(a, edge), q, point_a })
            }
            OnFace::Corner(b) => Nearest::Part(self.of_corners(a, b)),
        }
    }

    /// The nearest points of two segments (Ericson, *Real-Time Collision Detection*, 5.1.9): across the normal of their
    /// parallelogram as well as in space.
    #[inline(always)]
    fn of_edges(&self, edge_a: u32, edge_b: u32, n: DVec3) -> Nearest {
        let (rib_a, rib_b) = (&self.web_a.ribs[edge_a as usize], &self.web_b.ribs[edge_b as usize]);
        let (start_a, start_b) = (self.corner_of_a(rib_a.ends[0]), self.corner_of_b(rib_b.ends[0]));
        let (u, v) = (rib_a.along, self.turn * rib_b.along);
        let between = start_a - start_b;
        let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
        let (c, f) = (u.dot(between), v.dot(between));
        let mut cross = u.cross(v);
        let mut area = cross.length_squared();
        if area <= NEARLY_PARALLEL * uu * vv {
            cross = accurate_cross(u, v);
            area = cross.length_squared();
            if area <= PARALLEL * uu * vv {
                return Nearest::Degenerate;
            }
        }
        // Triple products keep the digits that differences of scalar ones would lose.
        let share = v.cross(between).dot(cross) / area;
        let share_b = u.cross(between).dot(cross) / area;
        // The distances from the sides of the parallelogram.
        let room_a = share.min(1.0 - share) * (area / vv).sqrt();
        let room_b = share_b.min(1.0 - share_b) * (area / uu).sqrt();
        let room = room_a.min(room_b);
        if room >= -ON_SIDE * self.size {
            let normal = cross * (1.0 / area.sqrt()).copysign(cross.dot(n));
            let gap = -normal.dot(between);
            let mut share = share.clamp(0.0, 1.0);
            if area <= NEARLY_PARALLEL * uu * vv {
                let share_b = ((uv * share + f) / vv).clamp(0.0, 1.0);
                share = ((uv * share_b - c) / uu).clamp(0.0, 1.0);
            }
            let point_a = start_a + u * share;
            let feature = Feature::Edges(edge_a, edge_b);
            return Nearest::Within(Stop { feature, normal, gap, point_a, room: Some(room) });
        }
        let mut share = share.clamp(0.0, 1.0);
        let mut share_b = (uv * share + f) / vv;
        if share_b < 0.0 {
            share_b = 0.0;
            share = (-c / uu).clamp(0.0, 1.0);
        } else if share_b > 1.0 {
            share_b = 1.0;
            share = ((uv - c) / uu).clamp(0.0, 1.0);
        }
        let is_end = |share: f64| share <= 0.0 || share >= 1.0;
        let end = |ends: [u32; 2], share: f64| ends[usize::from(share >= 1.0)];
        let feature = match (is_end(share), is_end(share_b)) {
            (true, true) => {
                return Nearest::Part(self.of_corners(end(rib_a.ends, share), end(rib_b.ends, share_b)));
            }
            (true, false) => Feature::EdgeOfB(end(rib_a.ends, share), edge_b),
            (false, true) => Feature::EdgeOfA(edge_a, end(rib_b.ends, share_b)),
            (false, false) => return Nearest::Degenerate,
        };
        let point_a = start_a + u * share;
        Nearest::Part(Active { feature, q: point_a - (start_b + v * share_b), point_a })
    }

    /// How far n - s q goes until it meets the first wall, and which.
    #[inline]
    fn first_wall(&self, active: &Active, n: DVec3) -> Option<(f64, Wall)> {
        let (q, q_b) = (active.q, self.as_b_sees(active.q));
        let n_b = self.as_b_sees(n);
        let least = -ALONG_WALL * q.abs().max_element();
        let mut first = First { s: f64::INFINITY, number: u32::MAX };
        let wall = match active.feature {
            Feature::Corners(a, b) => {
                first.at_corner(self.web_a, a, n, q, least);
                let of_a = first.number;
                first.number = u32::MAX;
                first.at_corner(self.web_b, b, n_b, q_b, least);
                if first.number == u32::MAX { Wall::OfA(of_a) } else { Wall::OfB(first.number) }
            }
            Feature::EdgeOfA(edge, b) => {
                first.at_edge(self.web_a, edge, n, q);
                let of_a = first.number;
                first.number = u32::MAX;
                first.at_corner(self.web_b, b, n_b, q_b, least);
                if first.number == u32::MAX { Wall::OfA(of_a) } else { Wall::OfB(first.number) }
            }
            Feature::EdgeOfB(a, edge) => {
                first.at_edge(self.web_b, edge, n_b, q_b);
                let of_b = first.number;
                first.number = u32::MAX;
                first.at_corner(self.web_a, a, n, q, least);
                if first.number == u32::MAX { Wall::OfB(of_b) } else { Wall::OfA(first.number) }
            }
            _ => return None,
        };
        (first.s < f64::INFINITY).then_some((first.s, wall))
    }

    /// What is farthest where a wall is met, and the direction.
    fn beyond_wall(&self, feature: Feature, wall: Wall, n: DVec3) -> (Feature, DVec3) {
        match (feature, wall) {
            (Feature::Corners(_, b), Wall::OfA(edge)) => (Feature::EdgeOfA(edge, b), n),
            (Feature::Corners(a, _), Wall::OfB(edge)) => (Feature::EdgeOfB(a, edge), n),
            (Feature::EdgeOfA(edge, b), Wall::OfA(end)) => {
                let face = self.web_a.ribs[edge as usize].faces[end as usize];
                (Feature::FaceOfA(face, b), self.a.faces()[face as usize].normal)
            }
            (Feature::EdgeOfB(a, edge), Wall::OfB(end)) => {
                let face = self.web_b.ribs[edge as usize].faces[end as usize];
                (Feature::FaceOfB(a, face), -(self.turn * self.b.faces()[face as usize].normal))
            }
            (Feature::EdgeOfA(a, _), Wall::OfB(b)) | (Feature::EdgeOfB(_, b), Wall::OfA(a)) => {
                let (u, v) = (self.web_a.ribs[a as usize].along, self.turn * self.web_b.ribs[b as usize].along);
                let mut cross = u.cross(v);
                if cross.length_squared() <= NEARLY_PARALLEL * u.length_squared() * v.length_squared() {
                    cross = accurate_cross(u, v);
                }
                let cross = cross.normalize_or(n);
                (Feature::Edges(a, b), if cross.dot(n) < 0.0 { -cross } else { cross })
            }
            // There are no walls beyond a face.
            _ => (feature, n),
        }
    }

    /// The end of a walk that meets no further wall.
    fn end_apart(&self, active: &Active, n: DVec3, limit: f64) -> Walked {
        let length = active.q.length();
        // Bodies that touch have no direction between their points: the walk knows a better one.
        let normal = if length > TOUCHING * self.size { active.q * (-1.0 / length) } else { n };
        let gap = -active.q.dot(normal);
        if gap > limit {
            return self.beyond(normal, limit);
        }
        Walked::Stationary(Stop { feature: active.feature, normal, gap, point_a: active.point_a, room: None })
    }
}

/// Multiplies the size. Points closer together than this have no direction between them.
const TOUCHING: f64 = 1e-13;

/// Sine of the angle between a direction and the face that is looked for near it.
const NEAR: f64 = 0.05;

/// Marks the number of an edge of b.
const OF_B: u32 = 1 << 31;

/// The two edges at a corner of M that are most square to a direction.
struct Two {
    heights: [f64; 2],
    edges: [u32; 2],
}

impl Two {
    #[inline(always)]
    fn take(&mut self, web: &Web, vertex: u32, n: DVec3, mark: u32) {
        for spoke in web.spokes(vertex) {
            let height = spoke.along.dot(n);
            if height > self.heights[1] {
                let new = (height, spoke.edge | mark);
                let old = (self.heights[0], self.edges[0]);
                let (first, second) = if new.0 > old.0 { (new, old) } else { (old, new) };
                *self = Two { heights: [first.0, second.0], edges: [first.1, second.1] };
            }
        }
    }
}

/// The first wall so far.
struct First {
    s: f64,
    number: u32,
}

impl First {
    /// The edges at a corner: none of them may rise.
    #[inline(always)]
    fn at_corner(&mut self, web: &Web, vertex: u32, n: DVec3, q: DVec3, least: f64) {
        for spoke in web.spokes(vertex) {
            let rate = spoke.along.dot(q);
            if rate < least {
                let s = spoke.along.dot(n) / rate;
                if s < self.s {
                    *self = First { s, number: spoke.edge };
                }
            }
        }
        self.s = self.s.max(0.0);
    }

    /// The faces of an edge: neither may rise.
    #[inline(always)]
    fn at_edge(&mut self, web: &Web, edge: u32, n: DVec3, q: DVec3) {
        for (number, inward) in (0..).zip(web.ribs[edge as usize].inward) {
            let rate = inward.dot(q);
            if rate < 0.0 {
                let s = (inward.dot(n) / rate).max(0.0);
                if s < self.s {
                    *self = First { s, number };
                }
            }
        }
    }
}

/// Whether all edges at a corner go down along a direction by more than what lies flat.
#[inline]
fn all_go_down(web: &Web, vertex: u32, n: DVec3) -> bool {
    web.spokes(vertex).iter().all(|spoke| spoke.along.dot(n) < -web.goes_down)
}

/// What of a face is nearest to a point.
enum OnFace {
    /// The foot of the point; how far it is within the sides.
    Within(f64),
    /// A point of an edge.
    Edge(u32, DVec3),
    Corner(u32),
}

#[inline(always)]
fn nearest_of_face(polyhedron: &Polyhedron, web: &Web, face: u32, point: DVec3, slack: f64) -> OnFace {
    let mut room = f64::INFINITY;
    let mut nearest = (f64::INFINITY, 0);
    for side in web.sides(face) {
        let inside = side.inward.dot(point) - side.offset;
        room = room.min(inside);
        if inside >= -slack {
            continue;
        }
        let rib = &web.ribs[side.edge as usize];
        let start = polyhedron.vertices()[rib.ends[0] as usize];
        let share = (point - start).dot(rib.along) / rib.along.length_squared();
        if share > 0.0 && share < 1.0 {
            return OnFace::Edge(side.edge, start + rib.along * share);
        }
        let corner = rib.ends[usize::from(share > 0.0)];
        let distance = point.distance_squared(polyhedron.vertices()[corner as usize]);
        if distance < nearest.0 {
            nearest = (distance, corner);
        }
    }
    if room >= -slack { OnFace::Within(room) } else { OnFace::Corner(nearest.1) }
}
